// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Nests of pairs that are nearer than their thickness: neighbours in a fine mesh, which may stay so, and pairs that
// began so. With layers of the full thickness the latter would start thousands of layers deep. A nest as thin as the
// first gap starts with no force at all; it then grows, slowly against the speed that layers are made for, so that
// what rests on it is lifted without a jump, and has the thickness that the scene asks for before long. A nest that
// is pressed together does not grow: where there is no room, none is made.
//
// 1. All pairs of the same two skins have nests of one scale, that of the nearest at the start: what slides from one
//    face to the next finds no step there.
// 2. The scale is a function of time between two kicks, and changes otherwise only by a kick. So nobody who merely
//    looks can change it.
// 3. It shrinks only when a joint between the two closes. A pair that is looked at with the shift of a smaller nest is
//    looked at too often, not too rarely; certificates take the limits of the largest nest that a shift allows.
// 4. A joint that closes holds its two sides as they are: where they touch, it would hold them pressed together for as
//    long as it is closed, it and the layers pushing against each other. So their nest becomes a little thinner than the
//    least gap between them, which ends the push (energy is lost, momentum kept), and does not grow until the joint
//    opens. The barrier stays what it is: nothing passes through anything, however thin a nest.

#include "base/search.h"
#include "contact/safe_parts.h"

static const double deep = 0.6; // of the thickness: there, about seven layers are live
static const double room = 0.9; // of the gap that a joint holds: what its nest takes of it

// --- two skins --------------------------------------------------------------------------------------------

static uint64_t skins_of(const TacSafe *safe, const TacPair *p) {
    uint32_t s = safe->primitives[p->a].skin, t = safe->primitives[p->b].skin;
    return s < t ? tac_safe_key(s, t) : tac_safe_key(t, s);
}

// There are few: they are sorted by their skins.
static uint32_t find_born(const TacSafe *safe, uint64_t key) {
    if (!safe->born_count) return TAC_SAFE_NONE;
    size_t low = tac_first_not_below(&safe->born[0].key, safe->born_count, sizeof *safe->born, key);
    return low < safe->born_count && safe->born[low].key == key ? (uint32_t)low : TAC_SAFE_NONE;
}

static bool has_born(const TacSafe *safe, const TacPair *p) {
    return find_born(safe, skins_of(safe, p)) != TAC_SAFE_NONE;
}

static TacBorn *born_of(const TacSafe *safe, const TacPair *p) {
    return &safe->born[find_born(safe, skins_of(safe, p))];
}

static bool note_born(TacSafe *safe, const TacBorn *born) {
    uint32_t known = find_born(safe, born->key);
    if (known != TAC_SAFE_NONE) {
        safe->born[known].scale = fmin(safe->born[known].scale, born->scale);
        return true;
    }
    if (!tac_grow(&safe->born, &safe->born_capacity, safe->born_count + 1, sizeof *safe->born)) return false;
    size_t i = safe->born_count++;
    for (; i > 0 && safe->born[i - 1].key > born->key; i--) safe->born[i] = safe->born[i - 1];
    safe->born[i] = *born;
    return true;
}

static double scale_at(const TacSafe *safe, const TacBorn *b, TacTick now) {
    if (b->held || b->tied) return b->scale;
    return fmin(1, b->scale + b->growth * tac_safe_seconds(safe, now - b->tick));
}

// --- one pair ---------------------------------------------------------------------------------------------

TacNest tac_safe_born_nest(const TacSafe *safe, const TacPair *p, TacTick now) {
    TacNest grown = tac_nest_halved(p->rest);
    double scale = scale_at(safe, born_of(safe, p), now);
    return scale < grown.scale ? tac_nest(scale) : grown;
}

// How far apart the two are in their mesh at rest, m; 0: nobody knows.
static double rest_gap(const TacSafe *safe, const TacPair *p) {
    uint32_t v[4];
    int side, n = tac_safe_vertices(safe, p, v, &side);
    double q[4][3];
    if (safe->primitives[p->a].skin != safe->primitives[p->b].skin) return 0;
    for (int i = 0; i < n; i++) {
        const double *rest = tac_safe_rest(safe, v[i]);
        if (!rest) return 0;
        memcpy(q[i], rest, sizeof q[i]);
    }
    return tac_safe_closest(safe, p, q).distance - tac_safe_pair_radius(safe, p);
}

// Neighbours in a fine mesh lie nearer than eta at rest: they may stay so. What is hardly farther than its nest is thick
// would be looked at for ever (tac_safe_verdict).
static uint8_t rest_shift(double gap, double eta) {
    uint8_t halvings = 0;
    while (gap > 0 && halvings < 40 && 1.2 * ldexp(eta, -halvings) > gap) halvings++;
    return halvings;
}

uint8_t tac_safe_rest_shift(const TacSafe *safe, const TacPair *p) {
    return rest_shift(rest_gap(safe, p), safe->types[p->type].layers.eta1);
}

// Plans as wide as ordinary layers would hide from each other what lies so near.
static void tell_vertices(TacSafe *safe, const TacPair *p) {
    uint32_t v[4];
    int side, n = p->rest ? tac_safe_vertices(safe, p, v, &side) : 0;
    for (int i = 0; i < n; i++)
        if (safe->vertices[v[i]].halvings < p->rest) safe->vertices[v[i]].halvings = p->rest;
}

static void take_shift(TacPair *p, TacNest nest) {
    bool grows = nest.scale < tac_nest_halved(p->rest).scale;
    p->shift = (uint16_t)(grows ? tac_nest_growing(nest) : nest.shift);
}

_Static_assert(TAC_PRIMITIVE_POINT == (int)TAC_AUDIT_VERTEX && TAC_PRIMITIVE_EDGE == (int)TAC_AUDIT_EDGE &&
                   TAC_PRIMITIVE_FACE == (int)TAC_AUDIT_TRIANGLE,
               "primitives are named by their kinds");

static TacAuditName name_of(const TacSafe *safe, uint32_t id) {
    const TacPrimitive *p = &safe->primitives[id];
    return (TacAuditName){(TacAuditKind)p->kind, p->skin, id, {-1, -1, -1}};
}

// A pair begins nearer than its thickness. What lies so in its mesh at rest does not count. Of that, what is somewhat nearer
// than at rest would count where the thickness were less, and the nest not yet halved: a thickness up to which there is no
// such pair must be no more than its gap.
static TacStatus take_start(TacSafe *safe, const TacPair *p, double rest, double gap, TacTick now,
                            TacError *error) {
    const TacPairType *type = &safe->types[p->type];
    double eta = type->layers.eta1;
    if (!(gap < eta * tac_nest_halved(p->rest).scale)) {
        if (!rest_shift(rest, gap)) safe->near.largest = fmin(safe->near.largest, gap);
        return TAC_OK;
    }
    TacBorn born = {
        .key = skins_of(safe, p), .scale = fmax(gap / eta, 0x1p-40), .growth = type->growth, .tick = now};
    tac_start_note(&safe->near, &(TacStartPair){name_of(safe, p->a), name_of(safe, p->b), gap, false});
    return note_born(safe, &born) ? TAC_OK : tac_fail_memory(error, 0);
}

TacStatus tac_safe_take_nest(TacSafe *safe, TacPair *p, double gap, TacTick now, TacError *error) {
    double eta = safe->types[p->type].layers.eta1, rest = rest_gap(safe, p);
    p->rest = rest_shift(rest, eta) & 127u;
    tell_vertices(safe, p);
    p->born = !safe->births && has_born(safe, p); // else when all are known
    if (safe->births && gap < eta) TAC_TRY(take_start(safe, p, rest, gap, now, error));
    take_shift(p, tac_safe_nest(safe, p, now));
    return TAC_OK;
}

void tac_safe_start_nests(TacSafe *safe, TacTick now) {
    for (uint32_t i = 0; i < safe->pair_used; i++) {
        TacPair *p = &safe->pairs[i];
        if (p->a == TAC_SAFE_NONE) continue;
        p->born = has_born(safe, p);
        take_shift(p, tac_safe_nest(safe, p, now));
    }
}

TacStatus tac_safe_follow_nest(TacSafe *safe, uint32_t id, TacTick now, TacError *error) {
    TacPair *p = &safe->pairs[id];
    if (!(p->shift & TAC_NEST_GROWS)) return TAC_OK;
    uint16_t before = p->shift;
    take_shift(p, tac_safe_nest(safe, p, now));
    if (p->armed < 0 || !((p->shift ^ before) & TAC_NEST_SHIFT)) return TAC_OK;
    p->slower = 0;
    int e = tac_layers_class(&safe->types[p->type].layers, p->shift, p->armed);
    return tac_ruler_move(&safe->ruler, id, e, error);
}

bool tac_safe_is_deep(const TacSafe *safe, const TacPair *p, TacNest nest, double gap) {
    // nests that a mesh keeps small say nothing of the room there is
    if (!p->born || nest.scale == tac_nest_halved(p->rest).scale) return false;
    return gap < deep * nest.scale * safe->types[p->type].layers.eta1;
}

void tac_safe_feel_nest(TacSafe *safe, const TacPair *p, bool is_deep, TacTick now) {
    if (!p->born) return;
    TacBorn *b = born_of(safe, p);
    if (b->tick != now) {
        b->scale = scale_at(safe, b, now);
        b->tick = now;
        b->held = 0;
    }
    b->held |= is_deep;
}

// --- skins that joints tie ----------------------------------------------------------------------------------

static bool is_carried(const TacSafe *safe, uint32_t skin, TacSafeSpan by) {
    const TacSafeSkin *s = &safe->skins[skin];
    for (uint32_t v = s->first_vertex; v < s->first_vertex + s->vertex_count; v++)
        for (uint32_t k = 0; k < safe->vertices[v].count; k++)
            if (tac_safe_carrier(safe, &safe->vertices[v], k).support - by.first < by.count) return true;
    return false;
}

// Two skins, one on each side. What is on both sides has one nest for all its parts, and keeps it.
static bool are_tied(const TacSafe *safe, uint64_t key, TacSafeSpan a, TacSafeSpan b) {
    uint32_t s = (uint32_t)(key >> 32), t = (uint32_t)key;
    if (s == t) return false;
    return (is_carried(safe, s, a) && is_carried(safe, t, b)) ||
           (is_carried(safe, s, b) && is_carried(safe, t, a));
}

TacStatus tac_safe_may_tie(TacSafe *safe, TacSafeSpan a, TacSafeSpan b, TacError *error) {
    for (uint32_t s = 0; s < safe->skin_count; s++)
        for (uint32_t t = s + 1; t < safe->skin_count; t++) {
            double growth = safe->types[tac_safe_type(safe, &safe->skins[s], &safe->skins[t])].growth;
            TacBorn born = {.key = tac_safe_key(s, t), .scale = 1, .growth = growth};
            if (are_tied(safe, born.key, a, b) && !note_born(safe, &born)) return tac_fail_memory(error, 0);
        }
    return TAC_OK;
}

static double least_gap(const TacSafe *safe, uint32_t born, TacTick now) {
    double least = INFINITY; // in thicknesses
    for (uint32_t i = 0; i < safe->pair_used; i++) {
        const TacPair *p = &safe->pairs[i];
        if (p->a == TAC_SAFE_NONE || !p->born || born_of(safe, p) != &safe->born[born]) continue;
        least = fmin(least, tac_safe_gap_at(safe, p, now) / safe->types[p->type].layers.eta1);
    }
    return least;
}

static TacStatus shrink(TacSafe *safe, uint32_t born, double scale, TacTick now, TacError *error) {
    safe->born[born].scale = fmax(scale, 0x1p-40);
    for (uint32_t i = 0; i < safe->pair_used; i++) {
        TacPair *p = &safe->pairs[i];
        if (p->a == TAC_SAFE_NONE || !p->born || born_of(safe, p) != &safe->born[born]) continue;
        take_shift(p, tac_safe_nest(safe, p, now));
        if (p->armed < 0) continue;
        int e = tac_layers_class(&safe->types[p->type].layers, p->shift, p->armed);
        TAC_TRY(tac_ruler_move(&safe->ruler, i, e, error));
    }
    return TAC_OK;
}

TacStatus tac_safe_tie(TacSafe *safe, TacSafeSpan a, TacSafeSpan b, bool tie, TacTick now, TacError *error) {
    for (uint32_t i = 0; i < safe->born_count; i++) {
        TacBorn *born = &safe->born[i];
        if (!are_tied(safe, born->key, a, b)) continue;
        born->scale = scale_at(safe, born, now);
        born->tick = now;
        born->held = 0;
        if (!tie) {
            born->tied -= born->tied > 0;
            continue;
        }
        born->tied++;
        double gap = least_gap(safe, i, now);
        if (gap < born->scale) TAC_TRY(shrink(safe, i, room * gap, now, error));
    }
    return TAC_OK;
}

// --- saving -----------------------------------------------------------------------------------------------

size_t tac_safe_nest_bytes(const TacSafe *safe) {
    return safe->born_count * sizeof *safe->born;
}

void tac_safe_save_nests(const TacSafe *safe, void *to) {
    if (safe->born_count) memcpy(to, safe->born, tac_safe_nest_bytes(safe));
}

// A scene begins the same way every time: the skins are the same ones.
bool tac_safe_restore_nests(TacSafe *safe, const void *from) {
    for (size_t i = 0; i < safe->born_count; i++) {
        TacBorn b;
        memcpy(&b, (const char *)from + i * sizeof b, sizeof b);
        if (b.key != safe->born[i].key || !(b.scale >= 0x1p-40 && b.scale <= 1) || b.tick < 0 || b.held > 1 ||
            b.tied > UINT16_MAX)
            return false;
        b.growth = safe->born[i].growth;
        safe->born[i] = b;
    }
    return true;
}
