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

// --- friction ---------------------------------------------------------------------------------------------

// How far the sides have slid past each other since the last tick, at the weights of now.
static void add_slide(TacGrip *grip, const TacSafeClosest *c, double q[4][3], int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) grip->slide[k] += c->weight[i] * (q[i][k] - grip->place[i][k]);
}

static void tangential(const double normal[3], double d[3]) {
    double along = d[0] * normal[0] + d[1] * normal[1] + d[2] * normal[2];
    for (int k = 0; k < 3; k++) d[k] -= along * normal[k];
}

// One class: towards its anchor, damped, at most friction times the normal impulse; the anchor follows when
// that is reached.
static void add_friction(const TacPairType *type, const TacPair *p, TacNest nest, TacLive *live,
                         TacGrip *grip, int k, const TacLayerKick *kick, double scale,
                         const TacSafeClosest *c, const double motion[3], double mass, double total[3]) {
    int slot = k < TAC_ANCHORS ? k : TAC_ANCHORS - 1;
    double *anchor = grip->anchor[slot], off[3], wanted[3];
    if (!(live->anchored & 1u << slot)) memcpy(anchor, grip->slide, sizeof grip->slide);
    live->anchored |= 1u << slot;
    for (int i = 0; i < 3; i++) off[i] = grip->slide[i] - anchor[i];
    tangential(c->normal, off);
    double stiffness = p->r1 * kick->stiffness; // times the period
    double period = type->layers.period[k] / (double)((uint64_t)1 << nest.shift);
    double damping = 2 * 0.3 * sqrt(stiffness / period * mass) * period;
    for (int i = 0; i < 3; i++) wanted[i] = -stiffness * off[i] - damping * motion[i];
    double size = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1] + wanted[2] * wanted[2]);
    double most = type->friction * p->r1 * kick->impulse * scale;
    double part = size > most ? most / size : 1;
    for (int i = 0; i < 3; i++) total[i] += part * wanted[i];
    if (part == 1) {
        for (int i = 0; i < 3; i++) anchor[i] = grip->slide[i] - off[i];
        return;
    }
    // the anchor is dragged along at the distance that the limit allows
    double length = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
    double kept = stiffness * length > most ? most / (stiffness * length) : 1;
    for (int i = 0; i < 3; i++) anchor[i] = grip->slide[i] - kept * off[i];
}

// --- one pair ---------------------------------------------------------------------------------------------

typedef struct Look {
    TacSafe *safe;
    TacTick now;
    int due;
    const uint32_t *pairs;
} Look;

// How fast the gap has grown since the last tick; 0 where that is too long ago. What is lifted by a nest that grows does
// not separate.
static double gap_speed(const TacLive *live, bool remembers, TacNest nest, double gap, double seconds) {
    return remembers && seconds > 0 ? (gap - nest.scale * live->gap) / seconds : 0;
}

// The part of a push that restitution takes from a pair that separates, but for 1 - e^2; ramped, so that resting does not
// chatter.
static double part_lost(double speed, double v_rest) {
    return fmax(0, fmin(1, speed / v_rest));
}

// The same, summed over speeds, of pairs that certainly do not rest.
static double sum_lost(double speed, double v_rest) {
    double part = part_lost(speed - v_rest, v_rest);
    return part < 1 ? 0.5 * part * part * v_rest : speed - 1.5 * v_rest;
}

// What the vertices are on, among what moves.
typedef struct Carriers {
    bool body;    // some of it is a body
    bool kicked;  // something else kicks some of it as well
    bool deforms; // and that is no body
} Carriers;

static Carriers find_carriers(const TacSafe *safe, const uint32_t v[4], int n) {
    Carriers found = {false, false, false};
    for (int i = 0; i < n; i++)
        for (uint32_t c = 0; c < safe->vertices[v[i]].count; c++) {
            const TacSupport *s = &safe->supports[safe->carriers[safe->vertices[v[i]].first + c].support];
            // what falls by itself has no solver
            bool alone = s->regular >= TAC_RULER_CLASSES || (s->frame && tac_norm(tac_load3(s->g)) > 0);
            bool kicked = s->bound > 0 && !alone;
            found.body = found.body || (s->bound > 0 && s->frame);
            found.kicked = found.kicked || kicked;
            found.deforms = found.deforms || (kicked && !s->frame);
        }
    return found;
}

static double usual_speed(const TacPairType *type) {
    return type->layers.eta1 * sqrt(type->layers.strength);
}

// The speed up to which restitution is ramped. Each push moves a body in a stack by its whole load, many times its own
// weight: with a ramp made for that alone it would rock from tick to tick for ever.
static double resting_speed(const TacPairType *type, Carriers on) {
    const double load = 16, little = 0.03;
    double slow = type->v_rest;
    if (!on.body || on.kicked) return slow;
    return fmin(load * slow, fmax(slow, little * usual_speed(type)));
}

// A push is given for the speed before it, though it changes that speed: where a pair turns round between two ticks, what
// comes after the turn was given as a whole, up to a fifth of the speed of impact where several layers ticked
// together. So a pair that grew faster gives back what restitution would have taken from its last push along the way.
static double given_back(const TacPairType *type, const TacPair *p, Carriers on, const TacLive *live,
                         TacNest nest, double speed) {
    const double little = 0.02; // of the usual speed: below, it may be chatter
    double before = live->speed, e = type->restitution;
    double slow = fmax(type->v_rest, little * usual_speed(type));
    if (on.deforms || !(speed > slow) || !(speed > before) || live->tick <= 0) return 0;
    double part =
        (sum_lost(speed, slow) - sum_lost(before, slow)) / (speed - before) - part_lost(before, type->v_rest);
    if (!(part > 0)) return 0;
    int due = __builtin_ctzll((uint64_t)live->tick);
    TacLayerKick last = tac_layers_kick(&type->layers, nest, nest.scale * live->gap, due);
    return (1 - e * e) * part * p->r1 * last.impulse;
}

static double effective_mass(const TacSafe *safe, const uint32_t v[4], int n, const TacSafeClosest *c) {
    double inverse = 0;
    for (int i = 0; i < n; i++) inverse += c->weight[i] * c->weight[i] * safe->vertices[v[i]].bound;
    return inverse > 0 ? 1 / inverse : 0;
}

enum { TOGETHER = 16 };

// What is seen of one pair.
typedef struct Sight {
    TacPair *pair;
    TacTick last; // when it kicked last
    uint32_t v[4];
    int na, n;
    double q[4][3], gap;
    TacSafeClosest closest;
    TacNest nest;
    TacLayerKick kick;
} Sight;

static void see_layers(const TacSafe *safe, Sight *s, TacTick now, int due, TacSafeKick *out) {
    TacPair *p = s->pair;
    out->pair = (uint32_t)(p - safe->pairs);
    out->count = 0;
    out->gap = s->gap;
    out->deepest = -1;
    out->outgrown = out->deep = out->fresh = false;
    s->kick.shallowest = -1;
    if (!(s->gap > 0)) return;
    out->certain = tac_safe_certain(safe, p, s->v, s->na, s->n, s->q, &s->closest, now);
    s->nest = tac_safe_nest(safe, p, now);
    out->outgrown = p->shift & TAC_NEST_GROWS && s->nest.scale > tac_nest_largest(p->shift);
    s->kick = tac_layers_kick(&safe->types[p->type].layers, s->nest, s->gap, due);
}

// Impulses of layers that are live. Only the pair's own memory is written.
static void push_apart(TacSafe *safe, Sight *s, TacTick now, TacSafeKick *out) {
    const TacPair *p = s->pair;
    const TacPairType *type = &safe->types[p->type];
    const TacSafeClosest *c = &s->closest;
    TacLive *live = &safe->lives[p->live]; // whoever is looked at has one
    out->key = tac_safe_key(p->a, p->b);
    out->count = (uint8_t)s->n;
    out->deepest = (int8_t)s->kick.deepest;
    memcpy(out->v, s->v, sizeof s->v);
    memcpy(out->weight, c->weight, sizeof c->weight);
    bool remembers = is_recent(safe, p, s->last, now);
    double seconds = tac_safe_seconds(safe, now - s->last);
    double speed = gap_speed(live, remembers, s->nest, s->gap, seconds), e = type->restitution;
    double whole = p->r1 * s->kick.impulse;
    out->push = whole;
    if (e < 1 && speed > 0) {
        Carriers on = find_carriers(safe, s->v, s->n);
        out->push -= (1 - e * e) * part_lost(speed, resting_speed(type, on)) * whole;
        out->push -= given_back(type, p, on, live, s->nest, speed);
    }
    double scale = fmax(0, out->push / whole);
    memcpy(out->normal, c->normal, sizeof out->normal);
    for (int k = 0; k < 3; k++) out->impulse[k] = out->push * c->normal[k];
    out->fresh = !remembers;
    if (!remembers) live->anchored = 0;
    if (type->friction > 0) {
        TacGrip *grip = &safe->grips[p->live];
        double before[3], motion[3] = {0, 0, 0};
        if (!remembers) memset(grip->slide, 0, sizeof grip->slide);
        memcpy(before, grip->slide, sizeof before);
        if (remembers) {
            add_slide(grip, c, s->q, s->n);
            for (int k = 0; k < 3; k++) motion[k] = (grip->slide[k] - before[k]) / seconds;
            tangential(c->normal, motion);
        }
        double mass = effective_mass(safe, s->v, s->n, c);
        for (int k = s->kick.shallowest; k <= s->kick.deepest; k++) {
            TacLayerKick one = tac_layers_kick_class(&type->layers, s->nest, s->gap, k);
            if (one.shallowest >= 0)
                add_friction(type, p, s->nest, live, grip, k, &one, scale, c, motion, mass, out->impulse);
        }
        memcpy(grip->place, s->q,
               (size_t)s->n * sizeof *s->q); // what is not there stays 0: all of it is saved
    }
    bool same_window = s->last >> TAC_SAFE_WINDOW == now >> TAC_SAFE_WINDOW;
    live->kicks = same_window ? live->kicks + 1 : 1;
    live->tick = now;
    live->gap = s->gap / s->nest.scale;
    live->speed = (float)speed;
    out->deep = tac_safe_is_deep(safe, p, s->nest, s->gap);
}

// Pairs that tick lie far apart in memory, and to see one takes a long chain of operations: so some are seen together, step
// by step, and what the next step needs is asked for before.
static void look_at(TacSafe *safe, const uint32_t *pairs, size_t count, TacTick now, int due,
                    TacSafeKick *kicks) {
    Sight sights[TOGETHER];
    for (size_t i = 0; i < count; i++) {
        Sight *s = &sights[i];
        s->pair = &safe->pairs[pairs[i]];
        const TacLive *live = &safe->lives[s->pair->live];
        s->last = live->tick;
        if (safe->grips) {
            const TacGrip *grip = &safe->grips[s->pair->live];
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
    for (size_t i = 0; i < count; i++) {
        sights[i].closest = tac_safe_closest(safe, sights[i].pair, sights[i].q);
        sights[i].gap = sights[i].closest.distance - tac_safe_pair_radius(safe, sights[i].pair);
    }
    for (size_t i = 0; i < count; i++) see_layers(safe, &sights[i], now, due, &kicks[i]);
    for (size_t i = 0; i < count; i++)
        if (sights[i].kick.shallowest >= 0) push_apart(safe, &sights[i], now, &kicks[i]);
}

static void look_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Look *look = data;
    for (size_t i = begin; i < end; i += TOGETHER)
        look_at(look->safe, look->pairs + i, end - i < TOGETHER ? end - i : TOGETHER, look->now, look->due,
                &look->safe->kicks[i]);
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
    safe->lives[slot] = (TacLive){.key = tac_safe_key(p->a, p->b), .tick = INT64_MIN / 2, .pair = id};
    if (safe->grips) safe->grips[slot] = (TacGrip){0};
    p->live = slot;
    return TAC_OK;
}

// Pairs that tick now, gathered over the classes due.
static TacStatus gather(TacSafe *safe, uint64_t classes, size_t *count, TacError *error) {
    safe->found.count = 0;
    for (; classes; classes &= classes - 1) {
        size_t n;
        const uint32_t *members = tac_ruler_members(&safe->ruler, __builtin_ctzll(classes), &n);
        for (size_t i = 0; i < n; i++) tac_safe_push(safe, &safe->found, members[i]);
    }
    *count = safe->found.count;
    if (safe->out_of_memory || !tac_grow(&safe->kicks, &safe->kick_capacity, *count, sizeof *safe->kicks) ||
        !tac_grow(&safe->order, &safe->order_capacity, 2 * *count, sizeof *safe->order))
        return tac_fail_memory(error, 0);
    // a pair about to be live for the first time needs somewhere to remember
    for (size_t i = 0; i < *count; i++) {
        if (i + TOGETHER < *count) __builtin_prefetch(&safe->pairs[safe->found.items[i + TOGETHER]]);
        if (safe->pairs[safe->found.items[i]].live == TAC_SAFE_NONE)
            TAC_TRY(take_memory(safe, safe->found.items[i], error));
    }
    return TAC_OK;
}

static void push_vertex(TacSafe *safe, uint32_t vertex, const double impulse[3], double weight, TacTick now) {
    const TacVertex *v = &safe->vertices[vertex];
    for (uint32_t i = 0; i < v->count; i++) {
        const TacSafeCarrier *carrier = &safe->carriers[v->first + i];
        TacSupport *s = &safe->supports[carrier->support];
        if (s->bound == 0) continue;
        tac_safe_reach(safe, s, now);
        double w = weight * carrier->weight;
        for (int k = 0; k < 3; k++) s->dv[k] += w * s->w[k] * impulse[k];
        if (v->frame && s->inertia) {
            TacQuat q = tac_load_quat(s->x + 3);
            TacVec3 turn = tac_cross(tac_rotate(q, v->local), tac_scale(tac_load3(impulse), weight));
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
                    tac_safe_seconds(safe, now), a->number, safe->skins[a->skin].name, b->number,
                    safe->skins[b->skin].name, kick->gap);
}

TacStatus tac_safe_do_kicks(TacSafe *safe, TacTick now, TacError *error) {
    uint64_t classes = tac_ruler_due(&safe->ruler, now);
    safe->fresh.count = 0;
    if (!classes) return TAC_OK;
    size_t count, n = 0;
    TAC_TRY(gather(safe, classes, &count, error));
    int due = now ? __builtin_ctzll((uint64_t)now) : 62;
    Look look = {safe, now, due, safe->found.items};
    tac_team_run(safe->team, count, 64, look_chunk, &look);
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
            safe->null_looks++;
            continue;
        }
        tac_safe_feel_nest(safe, p, kick->deep, now);
        if (safe->lives[p->live].kicks > TAC_SAFE_MOST_KICKS)
            return tac_safe_fail_crawling(safe, kick->pair, kick->deepest, now, error);
        safe->order[n++] = (TacKeyed){kick->key, i};
    }
    tac_sort_keyed(safe->order, n);
    for (size_t i = 0; i < n; i++) {
        const TacSafeKick *kick = &safe->kicks[safe->order[i].item];
        for (int j = 0; j < kick->count; j++)
            push_vertex(safe, kick->v[j], kick->impulse, kick->weight[j], now);
        if (safe->meetings) tell_meeting(safe, kick, now);
        if (safe->reshaped) tac_safe_feel_reshaped(safe, kick, now);
        if (kick->fresh) tac_safe_push(safe, &safe->fresh, kick->pair);
    }
    safe->stats.kicks += n;
    safe->found.count = 0;
    return safe->out_of_memory ? tac_fail_memory(error, 0) : TAC_OK;
}
