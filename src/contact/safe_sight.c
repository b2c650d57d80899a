// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What pairs that tick see and do. A pair is evaluated from positions alone, past and present, so simultaneous events
// commute: the normal impulse of all classes due (less while it separates, for restitution), and the impulse of friction
// towards an anchor per class. Only the pair's own memory is written; safe_kick.c adds impulses to what they push.

#include "contact/safe_wide.h"

static bool is_recent(const TacLayers *layers, TacNest nest, TacTick last, TacTick now) {
    int e = tac_layers_class(layers, nest.shift, 0);
    return last >= now - ((TacTick)1 << (e < 0 ? 0 : e));
}

bool tac_safe_is_live(const TacSafe *safe, const TacPair *p, TacTick now) {
    return p->live != TAC_SAFE_NONE && is_recent(&safe->types[p->type].layers, tac_safe_nest(safe, p, now),
                                                 safe->lives[p->live].tick, now);
}

// --- one pair ---------------------------------------------------------------------------------------------

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

// A pair that has come back so often without being hit bears a load.
enum { SETTLED = 8 };

// One that has come back so often, hit or not, is pressed together rather than thrown.
enum { STAYING = 3 };

// By how much more than one of its pairs all of them push a body.
static double crowding(const TacLive *live) {
    return live->crowd > TAC_SAFE_FEW ? (double)live->crowd / TAC_SAFE_FEW : 1;
}

// Without weight what has not come back yet does not rest, however slow it is.
static bool is_thrown(const TacPairType *type, const TacLive *live) {
    return type->weightless && live->returns < STAYING;
}

// How far what it does now may be the chatter of something at rest: less and less, the harder it was hit.
static double chatters(const TacPairType *type, const TacLive *live) {
    if (is_thrown(type, live)) return 0;
    double certain = 0.05 * type->v_ref / (double)live->hit;
    return certain < 1 ? certain * certain : 1;
}

// What was hit hard leaves at a small part of the speed that it came with, though it should not leave at all: deep
// layers kick often, and at the pace of what rests it would take them millions of kicks to let go.
static double leaving_speed(const TacPairType *type, const TacLive *live) {
    return fmax(is_thrown(type, live) ? 0 : type->v_rest, 0.02 * (double)live->hit);
}

// The speed up to which restitution is ramped. Each push moves a body in a stack by its whole load, many times its own
// weight: with a ramp made for that alone it would rock from tick to tick for ever. Nor may a tick take more than there is to
// take, where a load stays.
static double resting_speed(const TacPairType *type, const TacLive *live, unsigned by, double kick) {
    if (by & TAC_BY_DEFORMING)
        return is_thrown(type, live) ? leaving_speed(type, live) : tac_safe_rest_speed(type, kick);
    double leaving = leaving_speed(type, live), all = crowding(live) * kick;
    if (!(by & TAC_BY_BODY)) return leaving;
    double resting = by & TAC_BY_KICKED ? type->v_rest : tac_safe_rest_speed(type, all);
    if (live->turns >= SETTLED) resting = fmax(resting, all);
    return fmax(leaving, chatters(type, live) * resting);
}

// Notes that the gap of a live pair grows with `speed` now. Hits are faster than what a tick does to what rests.
static void note_motion(const TacPairType *type, TacLive *live, double speed, double kick) {
    if (!(speed > 0) && live->speed > 0 && live->returns < STAYING) live->returns++;
    if (speed < -fmax(tac_safe_rest_speed(type, INFINITY), 2 * crowding(live) * kick))
        live->turns = 0;
    else if (!(speed > 0) && live->speed > 0 && live->turns < SETTLED)
        live->turns++;
    if (!(speed < 0)) return;
    double before = live->speed < 0 ? (double)live->hit : 0.9 * (double)live->hit;
    live->hit = (float)fmax(before, -speed);
}

// A push is given for the speed before it, though it changes that speed: where a pair turns round between two ticks, what
// comes after the turn was given as a whole, up to a fifth of the speed of impact where several layers ticked
// together. So a pair that grew faster gives back what restitution would have taken from its last push along the way.
// Only where contact alone changes speeds.
static double given_back(const TacPairType *type, double r1, const TacLive *live, TacNest nest, double speed,
                         double rest) {
    double before = live->speed, e = type->restitution;
    double slow = fmax(leaving_speed(type, live), 0.02 * type->v_ref * chatters(type, live));
    if (!(speed > slow) || !(speed > before) || live->tick <= 0) return 0;
    double part =
        (sum_lost(speed, slow) - sum_lost(before, slow)) / (speed - before) - part_lost(before, rest);
    if (!(part > 0)) return 0;
    int due = __builtin_ctzll((uint64_t)live->tick);
    TacLayerDepth depth = tac_layers_depth(&type->layers, nest, nest.scale * live->gap);
    int clock = (int)live->clock - 1;
    TacLayerKick last = clock < 0 ? tac_layers_kick(&type->layers, depth, due)
                        : clock < tac_layers_deepest(&type->layers, depth)
                            ? tac_layers_kick_hurried(&type->layers, depth, clock, due)
                            : tac_layers_kick_together(&type->layers, depth, clock, due);
    return (1 - e * e) * part * r1 * last.impulse;
}

// What rests on layers rocks on them as on springs, a tall stack slowly, and most of it far from where it touches: gaps change
// so slowly that restitution takes nothing. So layers give way to what stays as something viscous does: by as much as the
// gap is wider than it has been of late, they push less, and more where it is narrower; at rest that is nothing. Hits are over
// before. What has no friction is let be: the least that is not alike on both sides sets it sliding. Returns the length, times
// its stiffness, by which a pair pushes less.
static double yielding(const TacPairType *type, TacLive *live, double gap, double seconds) {
    // in which something falls by a quarter of the thickness
    double fall = sqrt(2 * type->layers.eta1 * type->layers.period[0] / type->v_rest);
    live->age += (float)seconds;
    live->yield = (float)(((double)live->yield + gap - live->gap) * fall / (fall + seconds));
    return part_lost((double)live->age - fall, fall) * chatters(type, live) * (double)live->yield;
}

enum { TOGETHER = TAC_SAFE_WIDE };

// What is seen of one pair, besides where it is.
typedef struct Sight {
    TacPair *pair;
    TacTick last; // when it kicked last
    uint32_t v[4];
    int na, n;
    double radius, gap;
    TacNest nest;
    TacLayerDepth depth;
    TacLayerKick kick;
    bool together;  // all of its live layers tick at once
    int haste;      // class of layers that coarser ones keep up with
    double scale;   // of its push, by restitution
    double seconds; // since it kicked last; 0: too long ago
    bool rubs;      // it kicks, and has friction
    bool turns;     // and that turns a frame by its surface
} Sight;

static TacSafeClosest take_lane(const TacSafeWide *wide, size_t lane, double q[4][3]) {
    TacSafeClosest closest = {.distance = wide->distance[lane], .part = 1};
    for (int k = 0; k < 3; k++) closest.normal[k] = wide->normal[k][lane];
    for (int c = 0; c < 4; c++) {
        closest.weight[c] = wide->weight[c][lane];
        for (int k = 0; k < 3; k++) q[c][k] = wide->q[c][k][lane];
    }
    return closest;
}

// Whether the classes that are looked at are enough until the next look.
static bool is_certain(const TacSafe *safe, const Sight *s, const TacSafeWide *wide, size_t lane,
                       TacTick now) {
    if (wide->margin[lane] > 0) {
        tac_safe_set_margin(s->pair, wide->margin[lane]);
        return true;
    }
    double q[4][3];
    TacSafeClosest closest = take_lane(wide, lane, q);
    return tac_safe_certain(safe, s->pair, s->v, s->na, s->n, q, &closest, now);
}

// Layers on clocks of their own follow the potential of a hit as well as can be. But where what is pressed together stays so,
// deep layers make it swing fast, and coarse ones would push in step with that, harder and harder: there all live layers tick
// together. Only of what loses, and where nothing but contact pushes.
static bool tick_together(const TacSafe *safe, const Sight *s, TacTick now) {
    const TacPairType *type = &safe->types[s->pair->type];
    if (!(type->restitution < 1) || !is_recent(&type->layers, s->nest, s->last, now)) return false;
    if (safe->lives[s->pair->live].returns < STAYING) return false;
    return !(carried_by(safe, s->v, s->n) & (TAC_BY_KICKED | TAC_BY_DEFORMING));
}

// On the clock of the deepest live layer, or of those that push the same bodies.
static TacLayerKick kick_together(const TacSafe *safe, const Sight *s, int due, TacSafeKick *out) {
    const TacLayers *layers = &safe->types[s->pair->type].layers;
    int k = tac_layers_deepest(layers, s->depth), mates = (int)safe->lives[s->pair->live].mates;
    out->live = (uint8_t)k;
    return tac_layers_kick_together(layers, s->depth, k > mates ? k : mates, due);
}

static void see_layers(const TacSafeLook *look, Sight *s, const TacSafeWide *wide, size_t lane,
                       TacSafeKick *out) {
    const TacSafe *safe = look->safe;
    TacPair *p = s->pair;
    const TacLayers *layers = &safe->types[p->type].layers;
    out->pair = (uint32_t)(p - safe->pairs);
    out->count = 0;
    out->gap = s->gap;
    out->deepest = -1;
    out->live = out->wanted = 0;
    out->doubtful = out->deep = out->fresh = out->cramped = out->crawls = out->whole = out->near = false;
    out->lever[0] = out->lever[1] = 0;
    s->kick.shallowest = -1;
    s->rubs = s->turns = false;
    if (!(s->gap > 0)) return;
    s->nest = tac_safe_nest(safe, p, look->now);
    out->near = s->gap < s->nest.scale * layers->eta1;
    bool outgrown = p->shift & TAC_NEST_GROWS && s->nest.scale > tac_nest_largest(p->shift);
    s->haste = tac_safe_haste(safe, p, s->v, s->n, look->now);
    out->doubtful = !is_certain(safe, s, wide, lane, look->now) || outgrown || s->haste > p->armed;
    s->depth = tac_layers_depth(layers, s->nest, s->gap);
    s->together = out->near && tick_together(safe, s, look->now);
    if (!(wide->part[lane] > 0)) return;
    s->kick = s->together ? kick_together(safe, s, look->due, out)
              : s->haste  ? tac_layers_kick_hurried(layers, s->depth, s->haste, look->due)
                          : tac_layers_kick(layers, s->depth, look->due);
}

static bool needs_deep(const TacSafe *safe, const Sight *s) {
    return safe->types[s->pair->type].friction > 0 && s->kick.deepest >= TAC_ANCHORS_NEAR && !s->together;
}

// To remember what it does. Most pairs that are looked at have no live layer yet, and need none.
static bool has_room(const TacSafe *safe, const Sight *s) {
    uint32_t live = s->pair->live;
    if (live == TAC_SAFE_NONE) return false;
    return !needs_deep(safe, s) || safe->grips[live].deep != TAC_SAFE_NONE;
}

// The coarsest clock on which what pushes as a whole with `kick` m/s, on the clock of class k, would push no harder than what
// just rests.
static int quiet_clock(const TacPairType *type, double kick, int k) {
    int wanted = 0;
    double all = kick * type->layers.period[0] / type->layers.period[k];
    while (wanted + 1 < type->layers.count && all > 0.25 * type->v_rest) {
        all *= 0.5;
        wanted++;
    }
    return wanted;
}

// The least class of layers that makes points swing so fast that others must hurry: of pairs that are less deep it would
// take forty on one point.
enum { NOTED = 3 };

static TacSafeReach reach_of(const TacSafe *safe, const Sight *s) {
    TacSafeReach reach = TAC_SAFE_REACHES_NONE;
    for (int k = 0; k < s->n; k++) {
        const TacVertex *v = &safe->vertices[s->v[k]];
        for (uint32_t i = 0; v->bound > 0 && i < v->count; i++) { // not of a wall
            uint32_t one = v->support != TAC_SAFE_NONE ? v->support : safe->carriers[v->first + i].support;
            tac_safe_reach_on(&reach, (TacSafeReach){one, one});
        }
    }
    return reach;
}

// Impulses of layers that are live. Only the pair's own memory is written.
static void push_apart(const TacSafeLook *look, Sight *s, const TacSafeWide *wide, size_t lane,
                       TacSafeKick *out) {
    TacSafe *safe = look->safe;
    TacTick now = look->now;
    const TacPair *p = s->pair;
    const TacPairType *type = &safe->types[p->type];
    if (!has_room(safe, s)) {
        out->cramped = true;
        __atomic_store_n(&safe->cramped, true, __ATOMIC_RELAXED);
        return;
    }
    TacLive *live = &safe->lives[p->live];
    out->count = (uint8_t)s->n;
    out->side = (uint8_t)s->na;
    out->deepest = (int8_t)s->kick.deepest;
    memcpy(out->v, s->v, sizeof s->v);
    out->reach = reach_of(safe, s);
    for (int c = 0; c < 4; c++) out->weight[c] = wide->weight[c][lane];
    TacNest nest = s->nest;
    bool remembers = is_recent(&type->layers, nest, s->last, now);
    if (!remembers) {
        live->anchored = live->crowd = 0;
        live->turns = live->returns = 0;
        live->mates = 0;
        live->hit = live->speed = 0;
        live->yield = live->age = 0;
    }
    unsigned by = carried_by(safe, s->v, s->n);
    double seconds = tac_safe_seconds(safe, now - s->last);
    double speed = gap_speed(live, remembers, nest, s->gap, seconds), e = type->restitution;
    double r1 = p->r1 * wide->part[lane], whole = r1 * s->kick.impulse;
    double own = type->layers.strength * s->kick.impulse / tac_safe_softness(safe, p, s->v, s->na, s->n);
    bool alone = !(by & (TAC_BY_KICKED | TAC_BY_DEFORMING));
    out->stiff = alone || e == 1 || s->kick.deepest < NOTED ? 0 : (float)(r1 * s->kick.stiffness);
    out->push = whole;
    if (e < 1 && speed > 0) {
        double rest = resting_speed(type, live, by, own);
        out->push -= (1 - e * e) * part_lost(speed, rest) * whole;
        if (!(by & TAC_BY_DEFORMING)) out->push -= given_back(type, r1, live, nest, speed, rest);
    }
    if (e < 1 && type->friction > 0 && remembers && alone) {
        double less = yielding(type, live, s->depth.gap, seconds) * r1 * s->kick.stiffness * nest.scale;
        out->push -= (1 - e * e) * fmax(-0.5 * whole, fmin(less, 0.5 * whole));
    }
    double scale = out->push > 0 ? out->push / whole : 0;
    for (int k = 0; k < 3; k++) {
        out->normal[k] = wide->normal[k][lane];
        out->impulse[k] = out->push * out->normal[k];
    }
    out->fresh = !remembers;
    out->whole = s->kick.shallowest == 0;
    s->scale = scale;
    s->seconds = remembers ? seconds : 0;
    s->rubs = type->friction > 0;
    s->turns = tac_safe_has_arms(safe, p->live);
    bool same_window = remembers && s->last >> TAC_SAFE_WINDOW == now >> TAC_SAFE_WINDOW;
    live->kicks = same_window ? (live->kicks + 1) & 0x3fffff : 1;
    live->tick = now;
    live->gap = s->depth.gap;
    note_motion(type, live, speed, own);
    live->speed = (float)speed;
    int clock = s->together ? s->kick.deepest : s->haste ? s->haste : -1;
    live->clock = (uint32_t)(clock + 1) & 63;
    out->wanted = s->together ? (uint8_t)quiet_clock(type, crowding(live) * own, s->kick.deepest) : 0;
    out->deep = tac_safe_is_deep(safe, p, nest, s->gap);
    out->crawls = live->kicks > TAC_SAFE_MOST_KICKS;
    if (safe->meetings)
        out->meeting =
            tac_meetings_place(safe->meetings, safe->primitives[p->a].skin, safe->primitives[p->b].skin);
}

// A pair of which nothing in the finest class was live for some looks may need fewer of them.
static void count_idle(TacPair *p, TacSafeKick *out) {
    const unsigned most = (1u << TAC_SAFE_IDLE_BITS) - 1; // every eighth look counts
    unsigned idle = p->idle < most ? p->idle + 1u : most - 7;
    p->idle = out->deepest >= p->armed ? 0 : idle & most;
    out->doubtful = out->doubtful || (p->idle >= 8 && p->idle % 8 == 0);
}

// --- friction ---------------------------------------------------------------------------------------------

// Where the near anchor of a pair is on the scale of its deep ones, if it has some; else anywhere.
static const double *near_of(const TacSafe *safe, uint32_t live) {
    static const double anywhere[3] = {0, 0, 0};
    return tac_safe_is_deeply_anchored(safe, live) ? safe->deep_grips[safe->grips[live].deep].near : anywhere;
}

// How far the sides have slid past each other, by the last tick and by now, as where it pushed then has moved. From now on,
// where it pushes now counts: `near` is taken off when it is known how far the near anchor is dragged along (let_go).
static void slide_on(TacSafe *safe, const Sight *s, const TacSafeWide *wide, size_t from, TacSafeRub *rub,
                     size_t lane, TacSafeKick *kick) {
    TacGrip *grip = &safe->grips[s->pair->live];
    TacTick now = safe->lives[s->pair->live].tick;
    bool remembers = s->seconds > 0, edges = s->na == 2;
    const double *near = near_of(safe, s->pair->live);
    double q[4][3], off[3];
    TacSafeClosest closest = take_lane(wide, from, q);
    tac_store3(off, tac_sub(tac_safe_slid(safe, s->pair, edges, s->n, q, now), tac_load3(grip->stuck)));
    for (int k = 0; k < 3; k++) {
        rub->near[k][lane] = near[k];
        rub->before[k][lane] = near[k] + (remembers ? (double)grip->pulled[k] : 0);
        rub->slide[k][lane] = near[k] + (remembers ? off[k] : 0);
        rub->normal[k][lane] = closest.normal[k];
    }
    grip->weight[0] = (float)closest.weight[1];
    grip->weight[1] = (float)closest.weight[edges ? 3 : 2];
    if (s->turns) {
        tac_safe_find_levers(safe, s->pair, s->n, q, &closest, kick->lever);
        tac_safe_pin_arms(safe, s->pair, closest.normal, kick->lever, now);
    }
    tac_store3(grip->stuck, tac_safe_slid(safe, s->pair, edges, s->n, q, now));
    double inverse = 0; // of the mass that is felt
    for (int i = 0; i < s->n; i++)
        inverse += closest.weight[i] * closest.weight[i] * safe->vertices[s->v[i]].bound;
    if (s->turns) inverse += tac_safe_lightness(safe, s->pair, kick->lever);
    rub->seconds[lane] = remembers ? s->seconds : 1;
    // of what several pairs damp at once, each has a part
    rub->mass[lane] = (inverse > 0 ? 1 / inverse : 0) / crowding(&safe->lives[s->pair->live]);
    rub->part[lane] = wide->part[from];
}

// The near anchor is where it is now.
static void let_go(TacSafe *safe, const Sight *s, const TacSafeRub *rub, size_t lane) {
    TacGrip *grip = &safe->grips[s->pair->live];
    for (int k = 0; k < 3; k++) {
        double off = rub->slide[k][lane] - rub->near[k][lane];
        grip->stuck[k] -= off;
        grip->pulled[k] = (float)off;
        if (tac_safe_is_deeply_anchored(safe, s->pair->live))
            safe->deep_grips[grip->deep].near[k] = rub->near[k][lane];
    }
}

// Which anchor one class of layers has, or all that tick together; it is where it began. Below 0: the class does nothing.
static int take_anchor(TacSafe *safe, const Sight *s, int k, TacSafeRub *rub, size_t lane) {
    const TacPair *p = s->pair;
    const TacPairType *type = &safe->types[p->type];
    int clock = s->together || k > s->haste ? k : s->haste;
    TacLayerKick one = s->together ? s->kick : tac_layers_kick_class_at(&type->layers, s->depth, k, clock);
    if (one.shallowest < 0) return -1;
    TacLive *live = &safe->lives[p->live];
    int slot = s->together ? 0 : tac_safe_anchor_slot(k);
    bool begins = !(live->anchored & 1u << slot);
    live->anchored = (live->anchored | 1u << slot) & ((1u << TAC_ANCHORS) - 1);
    for (int i = 0; i < 3; i++)
        rub->anchor[i][lane] = begins                    ? rub->slide[i][lane]
                               : slot < TAC_ANCHORS_NEAR ? rub->near[i][lane]
                                                         : tac_safe_anchor(safe, p->live, slot)[i];
    rub->stiffness[lane] = p->r1 * rub->part[lane] * one.stiffness;
    rub->period[lane] = type->layers.period[clock] * tac_halved(s->depth.shift);
    // layers are as stiff as their masses bear; what turns more easily than that must not swing from tick to tick
    if (s->turns)
        rub->stiffness[lane] = fmin(rub->stiffness[lane], 0.25 * rub->mass[lane] / rub->period[lane]);
    rub->most[lane] = type->friction * p->r1 * rub->part[lane] * one.impulse;
    rub->scale[lane] = s->scale;
    return slot;
}

// It was dragged along.
static void put_anchor(TacSafe *safe, const Sight *s, int slot, TacSafeRub *rub, size_t lane) {
    for (int k = 0; k < 3; k++)
        if (slot < TAC_ANCHORS_NEAR)
            rub->near[k][lane] = rub->anchor[k][lane];
        else
            tac_safe_anchor(safe, s->pair->live, slot)[k] = rub->anchor[k][lane];
}

// Nothing is there: what is computed of it is 0.
static void leave_lane(TacSafeRub *rub, size_t lane) {
    for (int k = 0; k < 3; k++)
        rub->before[k][lane] = rub->slide[k][lane] = rub->normal[k][lane] = rub->anchor[k][lane] =
            rub->impulse[k][lane] = 0;
    rub->seconds[lane] = rub->period[lane] = 1;
    rub->mass[lane] = rub->stiffness[lane] = rub->most[lane] = rub->scale[lane] = 0;
}

// Friction of pairs that kick: class by class, all that have one more together.
static void rub_together(TacSafe *safe, const Sight *sights, const TacSafeWide *wide, size_t count,
                         TacSafeKick *kicks) {
    TacSafeRub rub;
    rub.count = 0;
    uint8_t lanes[TOGETHER];
    int k[TOGETHER], left = 0;
    for (size_t i = 0; i < count; i++) {
        if (!sights[i].rubs) continue;
        size_t lane = rub.count++;
        lanes[lane] = (uint8_t)i;
        k[lane] = sights[i].together ? sights[i].kick.deepest : sights[i].kick.shallowest;
        left = 1;
        slide_on(safe, &sights[i], wide, i, &rub, lane, &kicks[i]);
        for (int axis = 0; axis < 3; axis++) rub.impulse[axis][lane] = kicks[i].impulse[axis];
    }
    for (size_t lane = rub.count; lane < TOGETHER; lane++) leave_lane(&rub, lane);
    if (left) tac_safe_move_wide(&rub);
    while (left) {
        int slots[TOGETHER];
        left = 0;
        for (size_t lane = 0; lane < rub.count; lane++) {
            const Sight *s = &sights[lanes[lane]];
            slots[lane] = -1;
            while (slots[lane] < 0 && k[lane] <= s->kick.deepest)
                slots[lane] = take_anchor(safe, s, k[lane]++, &rub, lane);
            if (slots[lane] >= 0)
                left = 1;
            else
                rub.stiffness[lane] = rub.most[lane] = 0; // does nothing any more
        }
        if (left) tac_safe_rub_wide(&rub);
        for (size_t lane = 0; lane < rub.count; lane++)
            if (slots[lane] >= 0) put_anchor(safe, &sights[lanes[lane]], slots[lane], &rub, lane);
    }
    for (size_t lane = 0; lane < rub.count; lane++) {
        let_go(safe, &sights[lanes[lane]], &rub, lane);
        for (int axis = 0; axis < 3; axis++) kicks[lanes[lane]].impulse[axis] = rub.impulse[axis][lane];
    }
}

// --- many pairs -------------------------------------------------------------------------------------------

static void fill_vertex(const TacSafe *safe, uint32_t vertex, TacTick now, TacSafeWide *wide, int c,
                        size_t lane) {
    const TacPace *pace = &safe->paces[vertex];
    const double *g = safe->vertices[vertex].g;
    double x[3], t = tac_safe_seconds(safe, now - pace->start);
    tac_safe_place(safe, vertex, now, x);
    for (int k = 0; k < 3; k++) {
        wide->q[c][k][lane] = x[k];
        wide->pace[c][k][lane] = (double)pace->u[k] + t * g[k];
    }
    wide->slack[c][lane] = (double)pace->slack;
    for (int k = 0; k < 3 && safe->uneven; k++) wide->fall[c][k][lane] = g[k];
}

// Pairs come in the order of their primitives: many are of the same face of a floor as the one before.
static void repeat_vertex(TacSafeWide *wide, int c, size_t lane, bool uneven) {
    for (int k = 0; k < 3; k++) {
        wide->q[c][k][lane] = wide->q[c][k][lane - 1];
        wide->pace[c][k][lane] = wide->pace[c][k][lane - 1];
    }
    wide->slack[c][lane] = wide->slack[c][lane - 1];
    for (int k = 0; k < 3 && uneven; k++) wide->fall[c][k][lane] = wide->fall[c][k][lane - 1];
}

// One lane.
static void fill_lane(const TacSafe *safe, const Sight *s, const Sight *before, TacTick now,
                      TacSafeWide *wide, size_t lane) {
    for (int c = 0; c < 4; c++)
        if (lane && s->v[c] == before->v[c])
            repeat_vertex(wide, c, lane, safe->uneven);
        else
            fill_vertex(safe, s->v[c], now, wide, c, lane);
    const TacPair *p = s->pair;
    const TacLayers *layers = &safe->types[p->type].layers;
    wide->radius[lane] = s->radius;
    wide->lossy[lane] = safe->types[p->type].restitution < 1;
    wide->limit[lane] = tac_layers_limit(layers, p->shift, p->armed);
    wide->period[lane] = layers->period[p->armed] * tac_halved(p->shift & TAC_NEST_SHIFT);
}

// What is not done side by side.
static void find_closest(const TacSafe *safe, const Sight *s, TacSafeWide *wide, size_t lane) {
    double q[4][3];
    take_lane(wide, lane, q);
    TacSafeClosest closest = tac_safe_closest(safe, s->pair, q);
    for (int c = 0; c < 4; c++) wide->weight[c][lane] = closest.weight[c];
    for (int k = 0; k < 3; k++) wide->normal[k][lane] = closest.normal[k];
    wide->distance[lane] = closest.distance;
}

// What is left of the push of a pair that is near where there are nearer places beside it.
static double part_beside(const TacSafeLook *look, const Sight *s, const TacSafeWide *wide, size_t lane) {
    const TacSafe *safe = look->safe;
    bool near = wide->distance[lane] - s->radius < safe->types[s->pair->type].layers.eta1;
    if (!near || !tac_safe_may_lean(safe, s->pair)) return 1;
    double q[4][3];
    TacSafeClosest closest = take_lane(wide, lane, q);
    return tac_safe_part_beside(safe, s->pair, q, &closest, look->now);
}

static double part_of_face(const TacSafe *safe, const TacPrimitive *face, TacSafeWide *wide, size_t lane) {
    double q[4][3];
    TacSafeClosest closest = take_lane(wide, lane, q);
    double part = tac_safe_part_of_face(safe, face, q, &closest);
    for (int k = 0; k < 3; k++) wide->normal[k][lane] = closest.normal[k];
    for (int c = 0; c < 4; c++) wide->weight[c][lane] = closest.weight[c];
    return part;
}

// How near they are, and by how much that is certainly enough until the next look.
static void see_gaps(const TacSafeLook *look, Sight *sights, size_t count, bool edges, TacSafeWide *wide) {
    const TacSafe *safe = look->safe;
    // lanes without a pair repeat the last
    for (size_t i = 0; i < TOGETHER; i++) {
        const Sight *s = &sights[i < count ? i : count - 1];
        fill_lane(safe, s, i < count ? s - 1 : s, look->now, wide, i);
    }
    tac_safe_closest_wide(wide, edges);
    for (size_t i = 0; i < count; i++)
        if (wide->rare[i] || sights[i].n < 4) find_closest(safe, &sights[i], wide, i);
    for (size_t i = 0; i < count; i++) wide->part[i] = part_beside(look, &sights[i], wide, i);
    if (edges)
        tac_safe_share_wide(wide);
    else
        tac_safe_inside_wide(wide);
    for (size_t i = 0; i < count; i++) {
        const TacPrimitive *face = &safe->primitives[sights[i].pair->b];
        if (!edges && face->flat_sides && !wide->inside[i])
            wide->part[i] *= part_of_face(safe, face, wide, i);
        sights[i].gap = wide->distance[i] - sights[i].radius;
    }
    tac_safe_margins_wide(wide, edges, safe->uneven);
    for (size_t i = 0; i < count; i++)
        if (sights[i].pair->slower) wide->margin[i] = -1;
}

// Pairs that tick lie far apart in memory, and to see one takes a long chain of loads and operations. So some are seen
// together, step by step; and while they are, memory is asked, step by step, for what the next ones will need.
typedef struct Batch {
    size_t count;
    bool edges;
    TacSafeKick *kicks;
    Sight sights[TOGETHER];
} Batch;

// What is left of the stretches that are looked at.
typedef struct Rest {
    TacSafeStretch stretches[2];
    int at;
} Rest;

static void take_pairs(const TacSafeLook *look, Rest *rest, Batch *b) {
    const TacSafe *safe = look->safe;
    if (rest->stretches[0].begin == rest->stretches[0].end) rest->at = 1;
    TacSafeStretch *s = &rest->stretches[rest->at];
    size_t begin = look->first + s->begin, end = look->first + s->end;
    b->edges = begin >= look->edges;
    b->count = (b->edges || end < look->edges ? end : look->edges) - begin;
    if (b->count > TOGETHER) b->count = TOGETHER;
    s->begin += b->count;
    b->kicks = &look->safe->kicks[begin - look->first];
    for (size_t i = 0; i < b->count; i++) {
        TacPair *p = b->sights[i].pair = &safe->pairs[(uint32_t)look->pairs[begin + i]];
        if (p->live != TAC_SAFE_NONE) __builtin_prefetch(&safe->lives[p->live]);
        __builtin_prefetch(&safe->primitives[p->a]);
        __builtin_prefetch(&safe->primitives[p->b]);
    }
}

static void ask_for_anchors(const TacSafe *safe, const TacLive *live, const TacGrip *grip) {
    __builtin_prefetch(grip);
    __builtin_prefetch((const char *)(grip + 1) - 1);
    if (live->anchored >> TAC_ANCHORS_NEAR) __builtin_prefetch(&safe->deep_grips[grip->deep]);
}

static void take_vertices(const TacSafe *safe, Batch *b) {
    for (size_t i = 0; i < b->count; i++) {
        Sight *s = &b->sights[i];
        const TacPair *p = s->pair;
        s->last = TAC_SAFE_NEVER;
        if (p->live != TAC_SAFE_NONE) {
            s->last = safe->lives[p->live].tick;
            if (safe->grips) ask_for_anchors(safe, &safe->lives[p->live], &safe->grips[p->live]);
        }
        s->n = tac_safe_vertices(safe, p, s->v, &s->na);
        for (int k = s->n; k < 4; k++) s->v[k] = s->v[s->n - 1]; // a pair of fewer repeats its last
        s->radius = tac_safe_pair_radius(safe, p);
        for (int k = 0; k < s->n; k++) {
            __builtin_prefetch(&safe->vertices[s->v[k]]);
            __builtin_prefetch(&safe->paces[s->v[k]]);
        }
    }
}

static void ask_for_supports(const TacSafe *safe, const Batch *b) {
    for (size_t i = 0; i < b->count; i++)
        for (int k = 0; k < b->sights[i].n; k++) {
            uint32_t support = safe->vertices[b->sights[i].v[k]].support;
            if (support != TAC_SAFE_NONE) __builtin_prefetch(&safe->supports[support]);
        }
}

static void ask_for_motion(const TacSafe *safe, const Batch *b) {
    for (size_t i = 0; i < b->count; i++)
        for (int k = 0; k < b->sights[i].n; k++) {
            uint32_t support = safe->vertices[b->sights[i].v[k]].support;
            if (support == TAC_SAFE_NONE) continue;
            const TacSupport *s = &safe->supports[support];
            __builtin_prefetch(tac_support_x(s));
            __builtin_prefetch(tac_support_v(s));
            __builtin_prefetch(tac_support_time(s));
        }
}

// `next` may be empty.
static void look_at(const TacSafeLook *look, Batch *b, Batch *next) {
    TacSafe *safe = look->safe;
    Sight *sights = b->sights;
    TacSafeWide wide;
    see_gaps(look, sights, b->count, b->edges, &wide);
    take_vertices(safe, next);
    for (size_t i = 0; i < b->count; i++) see_layers(look, &sights[i], &wide, i, &b->kicks[i]);
    ask_for_supports(safe, next);
    for (size_t i = 0; i < b->count; i++) {
        if (sights[i].kick.shallowest >= 0) push_apart(look, &sights[i], &wide, i, &b->kicks[i]);
        if (!b->kicks[i].cramped) count_idle(sights[i].pair, &b->kicks[i]);
    }
    ask_for_motion(safe, next);
    if (safe->grips) rub_together(safe, sights, &wide, b->count, b->kicks);
}

void tac_safe_look(const TacSafeLook *look, const TacSafeStretch stretches[2]) {
    Batch batches[2], *b = &batches[0], *next = &batches[1];
    Rest rest = {{stretches[0], stretches[1]}, 0};
    take_pairs(look, &rest, b);
    take_vertices(look->safe, b);
    ask_for_supports(look->safe, b);
    ask_for_motion(look->safe, b);
    while (b->count) {
        take_pairs(look, &rest, next);
        look_at(look, b, next);
        Batch *seen = b;
        b = next;
        next = seen;
    }
}
