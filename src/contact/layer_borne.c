// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Free frames on what is solved for; see layer_borne.h.

#include "base/search.h"
#include "contact/layer_law_parts.h"

bool tac_layer_add_arm(TacLayerLaw *law, uint32_t hold, uint32_t support, double weight, TacVec3 place) {
    TacLayerRoom *room = law->room;
    size_t i = law->arm_count;
    while (i > 0 && room->arms[i - 1].hold == hold && room->arms[i - 1].support != support) i--;
    if (i == 0 || room->arms[i - 1].hold != hold) {
        if (!tac_grow_bare(&room->arms, &room->arm_capacity, law->arm_count + 1, sizeof *room->arms))
            return false;
        room->arms[law->arm_count++] = (TacLayerArm){.hold = hold, .support = support};
        i = law->arm_count;
    }
    room->arms[i - 1].weight += weight;
    tac_add3(room->arms[i - 1].place, tac_scale(place, weight));
    return true;
}

// --- who is borne -----------------------------------------------------------------------------------------

static int by_support(const void *a, const void *b) {
    uint64_t x = ((const TacLayerBorne *)a)->support, y = ((const TacLayerBorne *)b)->support;
    return (x > y) - (x < y);
}

// Its place among them; their number: none of them.
static size_t find(const TacLayerLaw *first, uint32_t support) {
    const TacLayerBorne *borne = first->room->borne;
    if (!first->borne_count) return 0;
    size_t i = tac_first_not_below(&borne->support, first->borne_count, sizeof *borne, support);
    return i < first->borne_count && borne[i].support == support ? i : first->borne_count;
}

static bool list_borne(TacLayerLaw *const *laws, size_t count) {
    TacLayerLaw *first = laws[0];
    TacLayerRoom *room = first->room;
    size_t arms = 0, n = 0;
    for (size_t i = 0; i < count; i++) arms += laws[i]->arm_count;
    if (!tac_grow_bare(&room->borne, &room->borne_capacity, arms, sizeof *room->borne) ||
        !tac_grow_bare(&room->pushed, &room->pushed_capacity, 2 * arms, sizeof *room->pushed))
        return false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < laws[i]->arm_count; k++)
            room->borne[n++] = (TacLayerBorne){.support = laws[i]->room->arms[k].support};
    if (n) qsort(room->borne, n, sizeof *room->borne, by_support);
    for (size_t i = 0; i < n; i++)
        if (!i || room->borne[i].support != room->borne[i - 1].support)
            room->borne[first->borne_count++] = room->borne[i];
    return true;
}

// Its arms are those of its own number.
static void tie_arms(TacLayerLaw *law, const TacLayerLaw *first) {
    TacLayerRoom *room = law->room;
    for (size_t k = 0; k < law->arm_count; k++) {
        TacLayerArm *arm = &room->arms[k];
        arm->support = (uint32_t)find(first, arm->support);
        TacLayerBorne *borne = &first->room->borne[arm->support];
        if (arm->weight != 0)
            borne->size = tac_larger(borne->size, tac_norm(tac_load3(arm->place)) / fabs(arm->weight));
        if (!k || room->arms[k - 1].hold != arm->hold)
            room->beside[arm->hold].mate.hold = (uint32_t)(law->hold_count + k);
    }
}

// Whether somebody solves for a pair. Asked in the order of pairs.
static bool is_held(TacLayerLaw *const *laws, size_t count, size_t rank) {
    bool held = false;
    for (size_t i = 0; i < count; i++) {
        TacLayerLaw *law = laws[i];
        const TacLayerHold *holds = law->room->holds;
        while (law->passed < law->hold_count && holds[law->passed].rank < rank) law->passed++;
        held = held || (law->passed < law->hold_count && holds[law->passed].rank == rank);
    }
    return held;
}

static bool pushes_borne(const TacLayerLaw *first, const TacPair *p) {
    const TacSafe *safe = first->safe;
    uint32_t v[4];
    int side, count = tac_safe_vertices(safe, p, v, &side);
    for (int i = 0; i < count; i++)
        for (uint32_t k = 0; k < safe->vertices[v[i]].count; k++)
            if (find(first, tac_safe_carrier(safe, &safe->vertices[v[i]], k).support) < first->borne_count)
                return true;
    return false;
}

static void add_prop_arm(TacLayerProp *prop, uint32_t place, double weight, TacVec3 at) {
    uint32_t i = 0;
    while (i < prop->count && prop->arm[i].support != place) i++;
    if (i == TAC_COUNT(prop->arm)) return;
    if (i == prop->count) prop->arm[prop->count++] = (TacLayerArm){.support = place};
    prop->arm[i].weight += weight;
    tac_add3(prop->arm[i].place, tac_scale(at, weight));
}

// What else pushes them.
static bool add_prop(TacLayerLaw *first, const TacPair *p, TacTick now) {
    const TacSafe *safe = first->safe;
    TacLayerRoom *room = first->room;
    TacLayerLook look;
    if (!pushes_borne(first, p) || !tac_layer_look(safe, p, now, &look)) return true;
    TacLayerProp prop = {.force = look.force, .stiffness = look.stiffness};
    memcpy(prop.normal, look.closest.normal, sizeof prop.normal);
    for (int i = 0; i < look.count; i++) {
        const TacVertex *v = &safe->vertices[look.v[i]];
        for (uint32_t k = 0; k < v->count; k++) {
            TacSafeCarrier c = tac_safe_carrier(safe, v, k);
            size_t place = find(first, c.support);
            if (place == first->borne_count) continue;
            const double *x = tac_support_x(&safe->supports[c.support]);
            add_prop_arm(&prop, (uint32_t)place, look.closest.weight[i] * c.weight,
                         tac_rotate(tac_load_quat(x + 3), safe->locals[look.v[i]]));
        }
    }
    if (!tac_grow_bare(&room->props, &room->prop_capacity, first->prop_count + 1, sizeof *room->props))
        return false;
    room->props[first->prop_count++] = prop;
    return true;
}

static bool list_props(TacLayerLaw *const *laws, size_t count, TacTick now) {
    TacLayerLaw *first = laws[0];
    size_t n;
    const uint64_t *pairs = tac_layer_room_pairs(first->room, first->safe, &n);
    bool fits = pairs;
    for (size_t i = 0; i < count; i++) laws[i]->passed = 0;
    for (size_t i = 0; fits && i < n; i++)
        if (!is_held(laws, count, i)) fits = add_prop(first, &first->safe->pairs[(uint32_t)pairs[i]], now);
    return fits;
}

bool tac_layer_laws_bear(TacLayerLaw *const *laws, size_t count, TacTick now) {
    if (!count) return true;
    laws[0]->borne_count = laws[0]->prop_count = 0;
    if (!list_borne(laws, count)) return false;
    if (!laws[0]->borne_count) return true;
    for (size_t i = 0; i < count; i++) tie_arms(laws[i], laws[0]);
    return list_props(laws, count, now);
}

// --- how it goes ------------------------------------------------------------------------------------------

static double along(const TacLayerBorne *borne, const TacLayerArm *arm, TacVec3 direction) {
    const TacLayerBorne *b = &borne[arm->support];
    TacVec3 turn = tac_cross(tac_load3(arm->place), direction);
    double way = arm->weight * tac_dot(direction, tac_load3(b->change));
    return b->size > 0 ? way + tac_dot(turn, tac_load3(b->change + 3)) / b->size : way;
}

double tac_layer_borne_way(const TacLayerLaw *law, const TacLayerHold *h, int k) {
    const TacLayerLaw *first = law->together[0];
    uint32_t hold = (uint32_t)(h - law->room->holds);
    TacVec3 direction = tac_layer_direction(&tac_layer_line(law, h)[k]);
    double way = 0;
    for (size_t i = law->room->beside[hold].mate.hold - law->hold_count;
         i < law->arm_count && law->room->arms[i].hold == hold; i++)
        way += along(first->room->borne, &law->room->arms[i], direction);
    return way;
}

void tac_layer_borne_begin(TacLayerLaw *first) {
    for (size_t i = 0; i < first->borne_count; i++)
        memset(first->room->borne[i].change, 0, sizeof first->room->borne[i].change);
}

static void add_push(double (*pushed)[6], const TacLayerArm *arm, TacVec3 direction, double push) {
    double *p = pushed[arm->support];
    tac_add3(p, tac_scale(direction, arm->weight * push));
    tac_add3(p + 3, tac_scale(tac_cross(tac_load3(arm->place), direction), push));
}

// What pushes those that are borne: over the step, as is foreseen, or as it is now, N s.
static void add_pushes(TacLayerLaw *const *laws, size_t count, bool foreseen, double (*pushed)[6]) {
    const TacLayerLaw *first = laws[0];
    double step = first->sight.step;
    memset(pushed, 0, first->borne_count * sizeof *pushed);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < laws[i]->arm_count; k++) {
            const TacLayerArm *arm = &laws[i]->room->arms[k];
            const TacLayerHold *h = &laws[i]->room->holds[arm->hold];
            for (int n = 0; n < h->lines; n++) {
                double push = foreseen ? tac_layer_effect(laws[i], h, n)->impulse
                                       : step * tac_layer_line(laws[i], h)[n].push;
                add_push(pushed, arm, tac_layer_direction(&tac_layer_line(laws[i], h)[n]), push);
            }
        }
    for (size_t i = 0; i < first->prop_count; i++) {
        const TacLayerProp *prop = &first->room->props[i];
        double way = 0;
        for (uint32_t k = 0; foreseen && k < prop->count; k++)
            way += along(first->room->borne, &prop->arm[k], tac_load3(prop->normal));
        for (uint32_t k = 0; k < prop->count; k++)
            add_push(pushed, &prop->arm[k], tac_load3(prop->normal),
                     step * (prop->force - prop->stiffness * way));
    }
}

// By impulses, m/s; rad/s times its size.
static void divide(const TacLayerLaw *first, const TacLayerBorne *b, const double pushed[6], double v[6]) {
    const TacSupport *s = &first->safe->supports[b->support];
    for (int k = 0; k < 3; k++) v[k] = tac_support_w(s, k) * pushed[k];
    TacVec3 turn = {0, 0, 0};
    if (s->kind->inertia)
        turn =
            tac_inertia_solve(s->kind->inertia, tac_load_quat(tac_support_x(s) + 3), tac_load3(pushed + 3));
    tac_store3(v + 3, tac_scale(turn, b->size));
}

// What it does by itself over the step, given what pushes it now.
static void fall(const TacLayerLaw *first, const TacLayerBorne *b, const double now[6], double v[6]) {
    const TacSupport *s = &first->safe->supports[b->support];
    divide(first, b, now, v);
    for (int k = 0; k < 6; k++) v[k] = s->kind->weight ? 0 : -v[k];
    if (s->kind->weight) tac_add3(v, tac_scale(*s->kind->weight, first->sight.step));
}

void tac_layer_borne_tell(TacLayerLaw *const *laws, size_t count) {
    TacLayerLaw *first = laws[0];
    TacLayerRoom *room = first->room;
    if (!first->borne_count) return;
    double(*pushed)[6] = room->pushed, (*now)[6] = pushed + first->borne_count;
    add_pushes(laws, count, true, pushed);
    add_pushes(laws, count, false, now);
    for (size_t i = 0; i < first->borne_count; i++) {
        double given[6], falls[6];
        divide(first, &room->borne[i], pushed[i], given);
        fall(first, &room->borne[i], now[i], falls);
        for (int k = 0; k < 6; k++) room->borne[i].change[k] = first->sight.change * (given[k] + falls[k]);
    }
}

size_t tac_layer_borne_doubts(TacLayerLaw *first, const double *from, double *to) {
    for (size_t i = 0; i < first->borne_count; i++) {
        double *change = first->room->borne[i].change;
        if (from) memcpy(change, from + 6 * i, sizeof first->room->borne[i].change);
        if (to) memcpy(to + 6 * i, change, sizeof first->room->borne[i].change);
    }
    return 6 * first->borne_count;
}

void tac_layer_borne_change(const TacLayerLaw *first, const double *told, float *change, double *most) {
    for (size_t i = 0; i < 6 * first->borne_count; i++)
        change[i] = tac_layer_change(first->room->borne[i / 6].change[i % 6] - told[i], most);
}
