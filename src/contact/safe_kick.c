// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Layers that tick. A pair that ticks is evaluated from positions alone, past and present, so simultaneous
// events commute: the normal impulse of all classes due (less while it separates, for restitution), and the
// impulse of friction towards an anchor per class.

#include "contact/safe_parts.h"

static bool is_recent(const TacSafe *safe, const TacPair *p, TacTick last, TacTick now) {
    const TacLayers *layers = &safe->types[p->type].layers;
    int e = tac_layers_class(layers, tac_safe_nest(safe, p, now).shift, 0);
    return last >= now - ((TacTick)1 << (e < 0 ? 0 : e));
}

bool tac_safe_is_live(const TacSafe *safe, const TacPair *p, TacTick now) {
    return p->live != TAC_SAFE_NONE && is_recent(safe, p, safe->lives[p->live].tick, now);
}

// --- one pair ---------------------------------------------------------------------------------------------

typedef struct Look {
    TacSafe *safe;
    TacTick now;
    int due;
    const uint32_t *pairs;
    size_t edges; // from here on they are pairs of edges
} Look;

// How fast the gap has grown since the last tick; 0 where that is too long ago. What is lifted by a nest that grows does
// not separate.
static double gap_speed(const TacLive *live, bool remembers, TacNest nest, double gap, double seconds) {
    return remembers && seconds > 0 ? (gap - nest.scale * live->gap) / seconds : 0;
}

// The part of a push that restitution takes from a pair that separates, but for 1 - e^2; ramped, so that resting does not
// chatter.
static double part_lost(double speed, double v_rest) {
    double part = speed / v_rest;
    return !(part > 0) ? 0 : part < 1 ? part : 1;
}

// The same, summed over speeds, of pairs that certainly do not rest.
static double sum_lost(double speed, double v_rest) {
    double part = part_lost(speed - v_rest, v_rest);
    return part < 1 ? 0.5 * part * part * v_rest : speed - 1.5 * v_rest;
}

// What moves their vertices: bits of TacCarriedBy.
static unsigned carried_by(const TacSafe *safe, const uint32_t v[4], int n) {
    unsigned by = 0;
    for (int i = 0; i < n; i++) by |= safe->vertices[v[i]].by;
    return by;
}

// Pairs that together push a body no harder than one may be pushed by itself.
enum { FEW = 4 };
// A pair that has come back so often without being hit bears a load.
enum { SETTLED = 8 };

// By how much more than one of its pairs all of them push a body.
static double crowding(const TacLive *live) {
    return live->crowd > FEW ? (double)live->crowd / FEW : 1;
}

// The speed up to which restitution is ramped. Each push moves a body in a stack by its whole load, many times its own
// weight: with a ramp made for that alone it would rock from tick to tick for ever. Nor may a tick take more than there is to
// take, where a load stays.
static double resting_speed(const TacPairType *type, unsigned by, const TacLive *live, double kick) {
    if (by & TAC_BY_DEFORMING) return tac_safe_rest_speed(type, kick);
    if (!(by & TAC_BY_BODY)) return type->v_rest;
    double all = crowding(live) * kick;
    double speed = by & TAC_BY_KICKED ? type->v_rest : tac_safe_rest_speed(type, all);
    return live->turns < SETTLED ? speed : fmax(speed, all);
}

// Notes that the gap of a live pair grows with `speed` now. Hits are faster than what a tick does to what rests.
static void count_turns(const TacPairType *type, TacLive *live, double speed, double kick) {
    if (speed < -fmax(tac_safe_rest_speed(type, INFINITY), 2 * crowding(live) * kick))
        live->turns = 0;
    else if (!(speed > 0) && live->speed > 0 && live->turns < SETTLED)
        live->turns++;
}

// A push is given for the speed before it, though it changes that speed: where a pair turns round between two ticks, what
// comes after the turn was given as a whole, up to a fifth of the speed of impact where several layers ticked
// together. So a pair that grew faster gives back what restitution would have taken from its last push along the way.
// Only where contact alone changes speeds.
static double given_back(const TacPairType *type, double r1, const TacLive *live, TacNest nest,
                         double speed) {
    const double little = 0.02; // of the usual speed: below, it may be chatter
    double before = live->speed, e = type->restitution;
    double slow = fmax(type->v_rest, little * type->v_ref);
    if (!(speed > slow) || !(speed > before) || live->tick <= 0) return 0;
    double part =
        (sum_lost(speed, slow) - sum_lost(before, slow)) / (speed - before) - part_lost(before, type->v_rest);
    if (!(part > 0)) return 0;
    int due = __builtin_ctzll((uint64_t)live->tick);
    TacLayerKick last = tac_layers_kick(&type->layers, nest, nest.scale * live->gap, due);
    return (1 - e * e) * part * r1 * last.impulse;
}

static double effective_mass(const TacSafe *safe, const uint32_t v[4], int n, const TacSafeClosest *c) {
    double inverse = 0;
    for (int i = 0; i < n; i++) inverse += c->weight[i] * c->weight[i] * safe->vertices[v[i]].bound;
    return inverse > 0 ? 1 / inverse : 0;
}

enum { TOGETHER = TAC_SAFE_WIDE };
static const TacTick NEVER = INT64_MIN / 2;

// What is seen of one pair.
typedef struct Sight {
    TacPair *pair;
    TacTick last; // when it kicked last
    uint32_t v[4];
    int na, n;
    double q[4][3], radius, gap;
    TacSafeClosest closest;
    double margin; // m by which it is certain; not above 0: it may still be
    TacNest nest;
    TacLayerKick kick;
    double scale;   // of its push, by restitution
    double seconds; // since it kicked last; 0: too long ago
    bool rubs;      // it kicks, and has friction
} Sight;

static void see_layers(const TacSafe *safe, Sight *s, TacTick now, int due, TacSafeKick *out) {
    TacPair *p = s->pair;
    out->pair = (uint32_t)(p - safe->pairs);
    out->count = 0;
    out->gap = s->gap;
    out->deepest = -1;
    out->outgrown = out->deep = out->fresh = out->cramped = out->whole = out->near = false;
    s->kick.shallowest = -1;
    s->rubs = false;
    if (!(s->gap > 0)) return;
    out->certain = s->margin > 0;
    if (out->certain)
        tac_safe_set_margin(p, s->margin);
    else
        out->certain = tac_safe_certain(safe, p, s->v, s->na, s->n, s->q, &s->closest, now);
    s->nest = tac_safe_nest(safe, p, now);
    out->near = s->gap < s->nest.scale * safe->types[p->type].layers.eta1;
    out->outgrown = p->shift & TAC_NEST_GROWS && s->nest.scale > tac_nest_largest(p->shift);
    if (s->closest.part > 0) s->kick = tac_layers_kick(&safe->types[p->type].layers, s->nest, s->gap, due);
}

static bool needs_deep(const TacSafe *safe, const TacPair *p, int deepest) {
    return safe->types[p->type].friction > 0 && deepest >= TAC_ANCHORS_NEAR;
}

// To remember what it does. Most pairs that are looked at have no live layer yet, and need none.
static bool has_room(const TacSafe *safe, const TacPair *p, int deepest) {
    if (p->live == TAC_SAFE_NONE) return false;
    return !needs_deep(safe, p, deepest) || safe->lives[p->live].deep != TAC_SAFE_NONE;
}

// Impulses of layers that are live. Only the pair's own memory is written.
static void push_apart(TacSafe *safe, Sight *s, TacTick now, TacSafeKick *out) {
    const TacPair *p = s->pair;
    const TacPairType *type = &safe->types[p->type];
    const TacSafeClosest *c = &s->closest;
    if (!has_room(safe, p, s->kick.deepest)) {
        out->cramped = true;
        __atomic_store_n(&safe->cramped, true, __ATOMIC_RELAXED);
        return;
    }
    TacLive *live = &safe->lives[p->live];
    out->count = (uint8_t)s->n;
    out->deepest = (int8_t)s->kick.deepest;
    memcpy(out->v, s->v, sizeof s->v);
    memcpy(out->weight, c->weight, sizeof c->weight);
    bool remembers = is_recent(safe, p, s->last, now);
    double seconds = tac_safe_seconds(safe, now - s->last);
    double speed = gap_speed(live, remembers, s->nest, s->gap, seconds), e = type->restitution;
    double r1 = p->r1 * c->part, whole = r1 * s->kick.impulse, own = type->layers.strength * s->kick.impulse;
    out->push = whole;
    count_turns(type, live, speed, own);
    if (e < 1 && speed > 0) {
        unsigned by = carried_by(safe, s->v, s->n);
        double rest = resting_speed(type, by, live, own);
        out->push -= (1 - e * e) * part_lost(speed, rest) * whole;
        if (!(by & TAC_BY_DEFORMING)) out->push -= given_back(type, r1, live, s->nest, speed);
    }
    double scale = out->push > 0 ? out->push / whole : 0;
    memcpy(out->normal, c->normal, sizeof out->normal);
    for (int k = 0; k < 3; k++) out->impulse[k] = out->push * c->normal[k];
    out->fresh = !remembers;
    out->whole = s->kick.shallowest == 0;
    if (!remembers) live->anchored = live->crowd = 0;
    if (!remembers) live->turns = 0;
    s->scale = scale;
    s->seconds = remembers ? seconds : 0;
    s->rubs = type->friction > 0;
    bool same_window = s->last >> TAC_SAFE_WINDOW == now >> TAC_SAFE_WINDOW;
    live->kicks = same_window ? live->kicks + 1 : 1;
    live->tick = now;
    live->gap = s->gap / s->nest.scale;
    live->speed = (float)speed;
    out->deep = tac_safe_is_deep(safe, p, s->nest, s->gap);
}

// --- friction ---------------------------------------------------------------------------------------------

// Adds how far the sides have slid past each other since the last tick, at the weights of now.
static void slide_on(TacSafe *safe, const Sight *s, TacSafeRub *rub, size_t lane) {
    TacGrip *grip = &safe->grips[s->pair->live];
    double slide[3] = {0, 0, 0};
    if (s->seconds > 0) memcpy(slide, grip->slide, sizeof slide);
    for (int k = 0; k < 3; k++) rub->before[k][lane] = slide[k];
    for (int i = 0; s->seconds > 0 && i < s->n; i++)
        for (int k = 0; k < 3; k++) slide[k] += s->closest.weight[i] * (s->q[i][k] - grip->place[i][k]);
    memcpy(grip->slide, slide, sizeof slide);
    memcpy(grip->place, s->q, (size_t)s->n * sizeof *s->q); // what is not there stays 0: all of it is saved
    for (int k = 0; k < 3; k++) {
        rub->slide[k][lane] = slide[k];
        rub->normal[k][lane] = s->closest.normal[k];
    }
    rub->seconds[lane] = s->seconds > 0 ? s->seconds : 1;
    // of what several pairs damp at once, each has a part
    rub->mass[lane] = effective_mass(safe, s->v, s->n, &s->closest) / crowding(&safe->lives[s->pair->live]);
}

// One class of layers: from its anchor, which is where it began.
static double *take_anchor(TacSafe *safe, const Sight *s, int k, TacSafeRub *rub, size_t lane) {
    const TacPair *p = s->pair;
    const TacPairType *type = &safe->types[p->type];
    TacLayerKick one = tac_layers_kick_class(&type->layers, s->nest, s->gap, k);
    if (one.shallowest < 0) return NULL;
    TacLive *live = &safe->lives[p->live];
    int slot = tac_safe_anchor_slot(k);
    double *anchor = tac_safe_anchor(safe, p->live, slot);
    if (!(live->anchored & 1u << slot)) memcpy(anchor, safe->grips[p->live].slide, 3 * sizeof *anchor);
    live->anchored = (uint16_t)(live->anchored | 1u << slot);
    for (int i = 0; i < 3; i++) rub->anchor[i][lane] = anchor[i];
    rub->stiffness[lane] = p->r1 * s->closest.part * one.stiffness;
    rub->period[lane] = type->layers.period[k] / (double)((uint64_t)1 << s->nest.shift);
    rub->most[lane] = type->friction * p->r1 * s->closest.part * one.impulse;
    rub->scale[lane] = s->scale;
    return anchor;
}

// Friction of pairs that kick: class by class, all that have one more together.
static void rub_together(TacSafe *safe, Sight *sights, size_t count, TacSafeKick *kicks) {
    TacSafeRub rub = {.count = 0};
    uint8_t lanes[TOGETHER];
    int k[TOGETHER], left = 0;
    for (size_t i = 0; i < count; i++) {
        if (!sights[i].rubs) continue;
        size_t lane = rub.count++;
        lanes[lane] = (uint8_t)i;
        k[lane] = sights[i].kick.shallowest;
        left = 1;
        slide_on(safe, &sights[i], &rub, lane);
        for (int axis = 0; axis < 3; axis++) rub.impulse[axis][lane] = kicks[i].impulse[axis];
    }
    if (left) tac_safe_move_wide(&rub);
    while (left) {
        double *anchors[TOGETHER];
        left = 0;
        for (size_t lane = 0; lane < rub.count; lane++) {
            const Sight *s = &sights[lanes[lane]];
            anchors[lane] = NULL;
            while (!anchors[lane] && k[lane] <= s->kick.deepest)
                anchors[lane] = take_anchor(safe, s, k[lane]++, &rub, lane);
            if (anchors[lane])
                left = 1;
            else
                rub.stiffness[lane] = rub.most[lane] = 0; // does nothing any more
        }
        if (left) tac_safe_rub_wide(&rub);
        for (size_t lane = 0; lane < rub.count; lane++)
            for (int axis = 0; anchors[lane] && axis < 3; axis++)
                anchors[lane][axis] = rub.anchor[axis][lane];
    }
    for (size_t lane = 0; lane < rub.count; lane++)
        for (int axis = 0; axis < 3; axis++) kicks[lanes[lane]].impulse[axis] = rub.impulse[axis][lane];
}

// --- many pairs -------------------------------------------------------------------------------------------

// Lanes of pairs; those without one repeat the first.
static void fill_lanes(const TacSafe *safe, const Sight *sights, size_t count, TacTick now,
                       TacSafeWide *wide) {
    for (size_t i = 0; i < TOGETHER; i++) {
        const Sight *s = &sights[i < count ? i : 0];
        for (int c = 0; c < 4; c++) {
            int from = c < s->n ? c : s->n - 1;
            const TacPace *pace = &safe->paces[s->v[from]];
            for (int k = 0; k < 3; k++) {
                wide->q[c][k][i] = s->q[from][k];
                wide->pace[c][k][i] = pace->u[k];
            }
            wide->slack[c][i] = pace->slack;
            wide->age[c][i] = tac_safe_seconds(safe, now - pace->start);
        }
        const TacPair *p = s->pair;
        const TacLayers *layers = &safe->types[p->type].layers;
        wide->radius[i] = s->radius;
        wide->limit[i] = tac_layers_limit(layers, p->shift, p->armed);
        wide->period[i] = layers->period[p->armed] * tac_nest_halved(p->shift & TAC_NEST_SHIFT).scale;
    }
}

// How near they are, and by how much that is certainly enough until the next look.
static void see_gaps(const TacSafe *safe, Sight *sights, size_t count, bool edges, TacTick now) {
    TacSafeWide wide;
    fill_lanes(safe, sights, count, now, &wide);
    tac_safe_closest_wide(&wide, edges);
    for (size_t i = 0; i < count; i++) {
        Sight *s = &sights[i];
        for (int c = 0; c < 4; c++) s->closest.weight[c] = wide.weight[c][i];
        for (int k = 0; k < 3; k++) s->closest.normal[k] = wide.normal[k][i];
        s->closest.distance = wide.distance[i];
        s->closest.part = 1;
        if (wide.rare[i] || s->n < 4) s->closest = tac_safe_closest(safe, s->pair, s->q);
        if (wide.rare[i] || !edges) tac_safe_share(safe, s->pair, s->q, &s->closest);
        for (int k = 0; k < 3; k++) wide.normal[k][i] = s->closest.normal[k];
        s->gap = s->closest.distance - s->radius;
    }
    if (!safe->uneven) tac_safe_margins_wide(&wide, edges, safe->vertices[0].g);
    for (size_t i = 0; i < count; i++)
        sights[i].margin = safe->uneven || sights[i].pair->slower ? -1 : wide.margin[i];
}

// Pairs that tick lie far apart in memory, and to see one takes a long chain of operations: so some are seen together, step
// by step, and what the next step needs is asked for before.
static void look_at(TacSafe *safe, const uint32_t *pairs, size_t count, bool edges, TacTick now, int due,
                    TacSafeKick *kicks) {
    Sight sights[TOGETHER];
    for (size_t i = 0; i < count; i++) {
        Sight *s = &sights[i];
        s->pair = &safe->pairs[pairs[i]];
        uint32_t live = s->pair->live;
        s->last = live == TAC_SAFE_NONE ? NEVER : safe->lives[live].tick;
        if (safe->grips && live != TAC_SAFE_NONE) {
            const TacGrip *grip = &safe->grips[live];
            __builtin_prefetch(grip->place);
            __builtin_prefetch(grip->slide);
            __builtin_prefetch(grip->anchor);
        }
        __builtin_prefetch(&safe->primitives[s->pair->a]);
        __builtin_prefetch(&safe->primitives[s->pair->b]);
    }
    for (size_t i = 0; i < count; i++) {
        Sight *s = &sights[i];
        s->n = tac_safe_vertices(safe, s->pair, s->v, &s->na);
        s->radius = tac_safe_pair_radius(safe, s->pair);
        for (int k = 0; k < s->n; k++) __builtin_prefetch(&safe->vertices[s->v[k]]);
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < sights[i].n; k++) {
            uint32_t vertex = sights[i].v[k], support = safe->vertices[vertex].support;
            if (support != TAC_SAFE_NONE) __builtin_prefetch(&safe->supports[support]);
            __builtin_prefetch(&safe->paces[vertex]);
        }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < sights[i].n; k++) tac_safe_place(safe, sights[i].v[k], now, sights[i].q[k]);
    see_gaps(safe, sights, count, edges, now);
    for (size_t i = 0; i < count; i++) see_layers(safe, &sights[i], now, due, &kicks[i]);
    for (size_t i = 0; i < count; i++)
        if (sights[i].kick.shallowest >= 0) push_apart(safe, &sights[i], now, &kicks[i]);
    if (safe->grips) rub_together(safe, sights, count, kicks);
}

static void look_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Look *look = data;
    for (size_t i = begin, n; i < end; i += n) {
        bool edges = i >= look->edges;
        n = (edges || end < look->edges ? end : look->edges) - i;
        if (n > TOGETHER) n = TOGETHER;
        look_at(look->safe, look->pairs + i, n, edges, look->now, look->due, &look->safe->kicks[i]);
    }
}

bool tac_safe_take_deep(TacSafe *safe, uint32_t live) {
    TacSafeList *left = &safe->free_deep;
    if (!left->count &&
        !tac_grow(&safe->deep_grips, &safe->deep_capacity, safe->deep_count + 1, sizeof *safe->deep_grips))
        return false;
    safe->lives[live].deep = left->count ? left->items[--left->count] : (uint32_t)safe->deep_count++;
    return true;
}

void tac_safe_leave_deep(TacSafe *safe, uint32_t live) {
    if (safe->lives[live].deep == TAC_SAFE_NONE) return;
    tac_safe_push(safe, &safe->free_deep, safe->lives[live].deep);
    safe->lives[live].deep = TAC_SAFE_NONE;
}

// --- all of an instant ------------------------------------------------------------------------------------

bool tac_safe_grow_lives(TacSafe *safe) {
    size_t need = safe->live_count + 1;
    return tac_grow(&safe->lives, &safe->live_capacity, need, sizeof *safe->lives) &&
           (!safe->rough || tac_grow(&safe->grips, &safe->grip_capacity, need, sizeof *safe->grips));
}

static TacStatus take_memory(TacSafe *safe, uint32_t id, TacError *error) {
    uint32_t slot;
    if (safe->free_lives.count) {
        slot = safe->free_lives.items[--safe->free_lives.count];
    } else {
        if (!tac_safe_grow_lives(safe)) return tac_fail_memory(error, 0);
        slot = (uint32_t)safe->live_count++;
    }
    TacPair *p = &safe->pairs[id];
    safe->lives[slot] =
        (TacLive){.key = tac_safe_key(p->a, p->b), .tick = NEVER, .pair = id, .deep = TAC_SAFE_NONE};
    if (safe->grips) safe->grips[slot] = (TacGrip){0};
    p->live = slot;
    return TAC_OK;
}

// Pairs that are live for the first time, or pressed deeper than ever, get room for what they remember and are looked at
// again.
static TacStatus look_again(Look *look, size_t count, TacError *error) {
    TacSafe *safe = look->safe;
    for (size_t i = 0; safe->cramped && i < count; i++)
        while (safe->kicks[i].cramped) {
            const TacPair *p = &safe->pairs[look->pairs[i]];
            if (p->live == TAC_SAFE_NONE)
                TAC_TRY(take_memory(safe, look->pairs[i], error));
            else if (!tac_safe_take_deep(safe, p->live))
                return tac_fail_memory(error, 0);
            look_chunk(look, i, i + 1, 0);
        }
    safe->cramped = false;
    return TAC_OK;
}

// Pairs that tick now, gathered over the classes due, in the order of their primitives: kicks are added in it; neighbours
// share what they look at; threads find most pairs where they were the last time; and those of two edges come last.
static TacStatus gather(TacSafe *safe, uint64_t classes, size_t *count, size_t *edges, TacError *error) {
    const uint32_t *members;
    size_t n, all = 0;
    *edges = 0;
    for (uint64_t left = classes; left; left &= left - 1) {
        tac_ruler_members(&safe->ruler, __builtin_ctzll(left), &n);
        all += n;
    }
    if (!tac_grow(&safe->found.items, &safe->found.capacity, all, sizeof *safe->found.items) ||
        !tac_grow(&safe->kicks, &safe->kick_capacity, all, sizeof *safe->kicks) ||
        !tac_grow(&safe->order, &safe->order_capacity, 2 * all, sizeof *safe->order))
        return tac_fail_memory(error, 0);
    *count = 0;
    for (; classes; classes &= classes - 1) {
        members = tac_ruler_members(&safe->ruler, __builtin_ctzll(classes), &n);
        for (size_t i = 0; i < n; i++) {
            if (i + TOGETHER < n) __builtin_prefetch(&safe->pairs[members[i + TOGETHER]]);
            const TacPair *p = &safe->pairs[members[i]];
            *edges += p->a < safe->point_count;
            safe->order[(*count)++] = (TacKeyed){tac_safe_key(p->a, p->b), members[i]};
        }
    }
    tac_sort_keyed(safe->order, all);
    for (size_t i = 0; i < all; i++) safe->found.items[i] = (uint32_t)safe->order[i].item;
    return TAC_OK;
}

static void push_vertex(TacSafe *safe, uint32_t vertex, const double impulse[3], double weight, TacTick now) {
    const TacVertex *v = &safe->vertices[vertex];
    if (v->bound == 0) return; // a wall's
    for (uint32_t i = 0; i < v->count; i++) {
        const TacSafeCarrier *carrier = &safe->carriers[v->first + i];
        TacSupport *s = &safe->supports[carrier->support];
        if (s->bound == 0) continue;
        tac_safe_reach(safe, s, now);
        double w = weight * carrier->weight;
        for (int k = 0; k < 3; k++) s->dv[k] += w * s->w[k] * impulse[k];
        if (v->frame && s->inertia) {
            TacQuat q = tac_load_quat(s->x + 3);
            TacVec3 turn =
                tac_cross(tac_rotate(q, safe->locals[vertex]), tac_scale(tac_load3(impulse), weight));
            tac_add3(s->dv + 3, tac_inertia_solve(s->inertia, q, turn));
        }
        tac_safe_kicked_support(safe, carrier->support);
    }
}

void tac_safe_tell_meetings(TacSafe *safe, TacSkinMeetings *meetings) {
    safe->meetings = meetings;
}

static void tell_meeting(const TacSafe *safe, const TacSafeKick *kick, TacTick now) {
    const TacPair *p = &safe->pairs[kick->pair];
    const TacLayers *layers = &safe->types[p->type].layers;
    double point[3] = {0, 0, 0}, x[3];
    for (int j = 0; j < kick->count; j++) {
        if (!(kick->weight[j] > 0)) continue; // the first side's
        tac_safe_place(safe, kick->v[j], now, x);
        for (int k = 0; k < 3; k++) point[k] += kick->weight[j] * x[k];
    }
    int e = tac_layers_class(layers, 0, 0);
    TacSkinKick meeting = {.first = safe->primitives[p->a].skin,
                           .second = safe->primitives[p->b].skin,
                           .now = now,
                           .pause = (TacTick)2 << (e < 0 ? 0 : e),
                           .push = kick->push,
                           .normal = kick->normal,
                           .point = point};
    tac_meetings_note(safe->meetings, &meeting);
}

static TacStatus fail_through(const TacSafe *safe, const TacSafeKick *kick, TacTick now, TacError *error) {
    const TacPair *p = &safe->pairs[kick->pair];
    const TacPrimitive *a = &safe->primitives[p->a], *b = &safe->primitives[p->b];
    return tac_fail(error, TAC_FAILED, "at %g s primitive %u of %s and %u of %s met (gap %g m)",
                    tac_safe_seconds(safe, now), tac_safe_number(safe, p->a), safe->skins[a->skin].name,
                    tac_safe_number(safe, p->b), safe->skins[b->skin].name, kick->gap);
}

// It has no old anchors.
static void note_fresh(TacSafe *safe, uint32_t pair) {
    uint32_t live = safe->pairs[pair].live;
    if (!(safe->lives[live].anchored >> TAC_ANCHORS_NEAR)) tac_safe_leave_deep(safe, live);
    tac_safe_push(safe, &safe->fresh, pair);
}

// Where pairs that push the body under a vertex are counted; NULL: it is on none that can be kicked.
static uint32_t *crowd_at(const TacSafe *safe, uint32_t vertex) {
    const TacVertex *v = &safe->vertices[vertex];
    if (!v->frame || v->bound == 0) return NULL;
    return &safe->crowds[safe->carriers[v->first].support - safe->first_frame];
}

enum { EMPTIED, COUNTED, NOTED };

// Pairs remember how many others push the same body: what they damp, they damp together.
static void count_crowd(TacSafe *safe, const TacSafeKick *kick, int pass) {
    uint32_t most = 0;
    const uint32_t *last = NULL; // the vertices of one side are on one body
    for (int j = 0; j < kick->count; j++) {
        uint32_t *crowd = crowd_at(safe, kick->v[j]);
        if (!crowd || crowd == last) continue;
        last = crowd;
        *crowd = pass == EMPTIED ? 0 : pass == COUNTED ? *crowd + 1 : *crowd;
        most = *crowd > most ? *crowd : most;
    }
    if (pass == NOTED)
        safe->lives[safe->pairs[kick->pair].live].crowd = (uint16_t)(most < UINT16_MAX ? most : UINT16_MAX);
}

static void count_crowds(TacSafe *safe, size_t count) {
    for (int pass = EMPTIED; pass <= NOTED; pass++)
        for (size_t i = 0; i < count; i++)
            if (safe->kicks[i].count && safe->kicks[i].whole) count_crowd(safe, &safe->kicks[i], pass);
}

TacStatus tac_safe_do_kicks(TacSafe *safe, TacTick now, TacError *error) {
    uint64_t classes = tac_ruler_due(&safe->ruler, now);
    safe->fresh.count = 0;
    if (!classes) return TAC_OK;
    size_t count = 0, edges = 0, kicked = 0;
    TAC_TRY(gather(safe, classes, &count, &edges, error));
    int due = now ? __builtin_ctzll((uint64_t)now) : 62;
    Look look = {safe, now, due, safe->found.items, edges};
    tac_team_run(safe->team, count, 64, look_chunk, &look);
    TAC_TRY(look_again(&look, count, error));
    safe->stats.looks += count;
    for (size_t i = 0; i < count; i++) {
        const TacSafeKick *kick = &safe->kicks[i];
        TacPair *p = &safe->pairs[kick->pair];
        if (kick->gap < safe->stats.closest) safe->stats.closest = kick->gap;
        if (!(kick->gap > 0)) return fail_through(safe, kick, now, error);
        // idle: nothing in its finest class
        p->idle = kick->deepest >= p->armed ? 0 : (uint8_t)(p->idle < 255 ? p->idle + 1 : 248);
        bool again = p->idle >= 8 && p->idle % 8 == 0;
        if (!kick->certain || kick->outgrown || again) tac_safe_mark_pair(safe, kick->pair);
        if (!kick->count) {
            safe->null_looks += !kick->near; // shorter windows would not do without the others
            continue;
        }
        tac_safe_feel_nest(safe, p, kick->deep, now);
        if (safe->lives[p->live].kicks > TAC_SAFE_MOST_KICKS)
            return tac_safe_fail_crawling(safe, kick->pair, kick->deepest, now, error);
    }
    for (size_t i = 0; i < count; i++) {
        const TacSafeKick *kick = &safe->kicks[i];
        kicked += kick->count > 0;
        for (int j = 0; j < kick->count; j++)
            push_vertex(safe, kick->v[j], kick->impulse, kick->weight[j], now);
        if (safe->meetings && kick->count) tell_meeting(safe, kick, now);
        if (safe->reshaped && kick->count) tac_safe_feel_reshaped(safe, kick, now);
        if (kick->fresh) note_fresh(safe, kick->pair);
    }
    if (safe->crowds) count_crowds(safe, count);
    safe->stats.kicks += kicked;
    return safe->out_of_memory ? tac_fail_memory(error, 0) : TAC_OK;
}
