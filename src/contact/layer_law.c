// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Live layers as a law within an implicit solve; see layer_law.h.

#include "contact/layer_grip.h"
#include "contact/layer_hits.h"
#include "contact/layer_law_parts.h"
#include "solver/matrix.h"

// --- looking ----------------------------------------------------------------------------------------------

static bool is_own(const TacLayerLaw *law, uint32_t support) {
    return !law->safe->supports[support].frame && support >= law->first_support &&
           support < law->first_support + law->law.matter[0]->count;
}

static bool add_point(TacLayerLaw *law, uint32_t support, double weight) {
    TacLayerRoom *room = law->room;
    size_t need = law->point_count + 1;
    if (!tac_grow_bare(&room->points, &room->point_capacity, need, sizeof *room->points) ||
        !tac_grow_bare(&room->weights, &room->weight_capacity, need, sizeof *room->weights))
        return false;
    room->points[law->point_count] = support;
    room->weights[law->point_count++] = (float)weight;
    return true;
}

static bool add_other(TacLayerLaw *law, uint32_t support, double weight) {
    TacLayerRoom *room = law->room;
    if (!tac_grow_bare(&room->beside, &room->beside_capacity, law->other_count + 1, sizeof *room->beside))
        return false;
    room->beside[law->other_count++].other = (TacLayerOther){support, (float)weight};
    return true;
}

// The points of the matter under the vertices of a pair, with weights.
static bool add_own(TacLayerLaw *law, const TacLayerLook *look, TacLayerHold *hold) {
    const TacSafe *safe = law->safe;
    for (int i = 0; i < look->count; i++) {
        const TacVertex *v = &safe->vertices[look->v[i]];
        for (uint32_t k = 0; k < v->count; k++) {
            TacSafeCarrier c = tac_safe_carrier(safe, v, k);
            if (!is_own(law, c.support)) continue;
            if (hold->count == UINT16_MAX ||
                !add_point(law, c.support - law->first_support, look->closest.weight[i] * c.weight))
                return false;
            hold->count++;
        }
    }
    return true;
}

// Along the normal of a pair, and across it where there is friction.
typedef struct Around {
    int lines;
    double direction[TAC_LAYER_LINES][3];
    TacLayerOthers others[TAC_LAYER_LINES];
} Around;

// The others add their motion; what nothing moves bears any load.
static bool add_others(TacLayerLaw *law, const TacLayerLook *look, TacTick now, TacLayerHold *hold,
                       Around *around) {
    const TacSafe *safe = law->safe;
    size_t arms = law->arm_count;
    bool free = true; // all of them are frames that fly free
    for (int i = 0; i < look->count; i++) {
        const TacVertex *v = &safe->vertices[look->v[i]];
        for (uint32_t k = 0; k < v->count; k++) {
            TacSafeCarrier c = tac_safe_carrier(safe, v, k);
            double w = look->closest.weight[i] * c.weight;
            if (is_own(law, c.support)) continue;
            TacVec3 aside = tac_safe_arm(look->closest.normal, look->lever, i >= look->side);
            for (int j = 0; j < around->lines; j++)
                tac_layer_others_add(&around->others[j], safe, look->v[i], c.support, w, around->direction[j],
                                     aside, now);
            const TacSupport *s = &safe->supports[c.support];
            if (!(tac_support_bound(s) > 0)) continue;
            if (hold->others == UINT16_MAX || !add_other(law, c.support, w)) return false;
            hold->others++;
            free = free && s->frame;
            if (!free) continue;
            TacVec3 local = tac_rotate(tac_load_quat(tac_support_x(s) + 3), safe->locals[look->v[i]]);
            if (!tac_layer_add_arm(law, (uint32_t)law->hold_count, c.support, w, tac_add(aside, local)))
                return false;
        }
    }
    if (!free) law->arm_count = arms;
    return true;
}

// What is seen of a pair, side by side with others.
typedef struct Seen {
    TacLayerLook look;
    double pull[3]; // N, of the anchors of friction
    bool live;
} Seen;

enum { TOGETHER = 128 };

typedef struct Block {
    const TacSafe *safe;
    const uint64_t *pairs; // low halves
    TacTick now;
    bool across;
    Seen *seen;
} Block;

static void see_pairs(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Block *b = data;
    for (size_t i = begin; i < end; i++) {
        const TacPair *p = &b->safe->pairs[(uint32_t)b->pairs[i]];
        Seen *s = &b->seen[i];
        s->live = tac_layer_look(b->safe, p, b->now, &s->look);
        if (s->live && b->across && b->safe->types[p->type].friction > 0)
            tac_layer_grip(b->safe, p, &s->look, b->now, s->pull);
    }
}

static void set_line(TacLayerLine *line, const double direction[3], double push) {
    for (int a = 0; a < 3; a++) line->direction[a] = (float)direction[a];
    line->push = (float)push;
}

// The directions in which a pair pushes, and how much it does now.
static void set_lines(const TacLayerLaw *law, const Seen *seen, Around *around, TacLayerLine *normal,
                      TacLayerHold *hold) {
    memcpy(around->direction[TAC_LAYER_NORMAL], seen->look.closest.normal, sizeof around->direction[0]);
    set_line(normal, around->direction[TAC_LAYER_NORMAL], seen->look.force);
    around->lines = law->across && tac_layer_type(law, hold)->friction > 0 ? TAC_LAYER_LINES : 1;
    for (int k = 0; k < around->lines; k++) around->others[k] = (TacLayerOthers){.count = 0};
    if (around->lines == 1) return;
    double *first = around->direction[TAC_LAYER_ACROSS], *second = around->direction[TAC_LAYER_ACROSS + 1];
    tac_layer_across(around->direction[TAC_LAYER_NORMAL], first, second);
    float *pull = tac_layer_slip(law, hold)->pull;
    pull[0] = (float)tac_dot(tac_load3(seen->pull), tac_load3(first));
    pull[1] = (float)tac_dot(tac_load3(seen->pull), tac_load3(second));
}

// What the others do along each line, unless that is nothing.
static bool add_sides(TacLayerLaw *law, TacLayerHold *hold, const Around *around) {
    TacLayerRoom *room = law->room;
    size_t need = law->side_count + (size_t)around->lines;
    if (!tac_grow_bare(&room->sides, &room->side_capacity, need, sizeof *room->sides)) return false;
    TacLayerSide *sides = &room->sides[law->side_count];
    bool moved = false;
    bool borne = law->arm_count && room->arms[law->arm_count - 1].hold == law->hold_count;
    for (int k = 0; k < around->lines; k++) {
        const TacLayerOthers *o = &around->others[k];
        // what lies on layers falls a little between their kicks: over a step that is no motion
        bool still = !borne && fabs(o->speed) <= TAC_LAYER_STILL * tac_layer_hold_slow(law, hold);
        sides[k] = (TacLayerSide){still ? 0 : (float)o->speed, (float)o->fall, (float)o->hung,
                                  (float)o->inverse, (float)o->held};
        moved = moved || sides[k].speed != 0 || o->fall != 0 || o->hung != 0 || o->inverse != 0;
    }
    if (!moved) return true;
    hold->sides = (unsigned)around->lines & 3;
    hold->side = (uint32_t)law->side_count;
    law->side_count = need;
    return true;
}

// 1/kg, of its points alone.
static double own_of(const TacLayerLaw *law, const TacLayerHold *h) {
    double own = 0;
    for (uint32_t k = h->first; k < h->first + h->count; k++) {
        double w = law->room->weights[k];
        own += w * w * tac_support_bound(&law->safe->supports[law->first_support + law->room->points[k]]);
    }
    return own;
}

static bool add_pair(TacLayerLaw *law, size_t rank, const TacPair *p, const Seen *seen, TacTick now) {
    const TacSafe *safe = law->safe;
    const TacLayerLook *look = &seen->look;
    TacLayerRoom *room = law->room;
    if (!seen->live) return true;
    if (!tac_grow_bare(&room->holds, &room->hold_capacity, law->hold_count + 1, sizeof *room->holds) ||
        !tac_grow_bare(&room->lines, &room->line_capacity, law->hold_count + 1, sizeof *room->lines) ||
        (law->across &&
         !tac_grow_bare(&room->slips, &room->slip_capacity, law->hold_count + 1, sizeof *room->slips)))
        return false;
    TacLayerHold *hold = &room->holds[law->hold_count];
    *hold = (TacLayerHold){.first = (uint32_t)law->point_count,
                           .other = (uint32_t)law->other_count,
                           .hardness = (float)look->stiffness,
                           .gap = (float)look->gap,
                           .swing = INFINITY,
                           .rank = (uint32_t)rank,
                           .type = p->type};
    if (law->across) room->slips[law->hold_count] = (TacLayerSlip){.grip = 1};
    if (!add_own(law, look, hold)) return false;
    if (!hold->count) return true; // it is between others
    Around around;
    set_lines(law, seen, &around, &room->lines[law->hold_count], hold);
    if (!add_others(law, look, now, hold, &around)) return false;
    for (int k = 0; k < around.lines; k++) tac_layer_others_find(&around.others[k], safe);
    hold->own = (float)own_of(law, hold);
    hold->alone = hold->own + (float)around.others[TAC_LAYER_NORMAL].inverse;
    if (!add_sides(law, hold, &around)) return false;
    law->hold_count++;
    return true;
}

// Its k-th, own points first.
static uint32_t support_of(const TacLayerLaw *law, const TacLayerHold *h, uint32_t k) {
    return k < h->count ? law->first_support + law->room->points[h->first + k]
                        : law->room->beside[h->other + k - h->count].other.support;
}

static double weight_of(const TacLayerLaw *law, const TacLayerHold *h, uint32_t k) {
    return k < h->count ? law->room->weights[h->first + k]
                        : law->room->beside[h->other + k - h->count].other.weight;
}

// A pair's points move as by all pairs that push them, and so do the others.
static void add_loads(const TacLayerLaw *law, TacLayerHold *h) {
    double own = 0, open = 0, held = 0, normal[3];
    tac_store3(normal, tac_layer_direction(tac_layer_line(law, h)));
    for (uint32_t k = 0; k < h->count + h->others; k++) {
        uint32_t support = support_of(law, h, k);
        bool flies = tac_layer_is_free(&law->safe->supports[support]);
        *(k < h->count ? &own
          : flies      ? &open
                       : &held) +=
            tac_layer_room_more(law->room, law->safe, support, weight_of(law, h, k), normal);
    }
    h->own += (float)tac_larger(0, own);
    if (!h->sides) return;
    TacLayerSide *side = &law->room->sides[h->side];
    double alone = side->inverse;
    side->inverse += (float)(tac_larger(0, open) + tac_larger(0, held));
    side->held += (float)tac_larger(0, held);
    // across as along
    for (int k = TAC_LAYER_ACROSS; k < h->sides && alone > 0; k++) {
        side[k].inverse *= (float)(side->inverse / alone);
        side[k].held *= (float)(side->inverse / alone);
    }
}

static void add_load(const TacLayerLaw *law, const TacLayerHold *h) {
    double normal[3];
    tac_store3(normal, tac_layer_direction(tac_layer_line(law, h)));
    for (uint32_t k = 0; k < h->count + h->others; k++)
        tac_layer_room_load(law->room, support_of(law, h, k), weight_of(law, h, k), normal);
}

// When all pairs are known.
static void load_all(TacLayerLaw *law) {
    TacLayerRoom *room = law->room;
    TacLayerHold *end = room->holds + law->hold_count;
    for (TacLayerHold *h = room->holds; h < end; h++)
        for (uint32_t k = 0; k < h->count + h->others; k++) tac_layer_room_empty(room, support_of(law, h, k));
    for (TacLayerHold *h = room->holds; h < end; h++) add_load(law, h);
    for (TacLayerHold *h = room->holds; h < end; h++) add_loads(law, h);
}

bool tac_layer_law_look(TacLayerLaw *law, TacTick now, bool across) {
    const TacSafe *safe = law->safe;
    law->across = across;
    law->together = NULL;
    law->hold_count = law->side_count = law->point_count = law->other_count = law->arm_count = 0;
    law->borne_count = law->prop_count = 0;
    law->each = 1;
    // nobody kicks meanwhile: that list is made anew for every instant
    tac_forget(safe->order, safe->order_capacity * sizeof *safe->order);
    if (!law->room) law->room = tac_layer_room_take(law->safe);
    TacLayerRoom *room = law->room;
    size_t n;
    const uint64_t *pairs = room ? tac_layer_room_pairs(room, safe, &n) : NULL;
    if (!pairs) return false;
    size_t bytes = (n < TOGETHER ? n : TOGETHER) * sizeof(Seen);
    if (!tac_grow_bare(&room->seen, &room->seen_bytes, bytes, 1)) return false;
    for (size_t from = 0; from < n; from += TOGETHER) {
        size_t count = n - from < TOGETHER ? n - from : TOGETHER;
        Block block = {safe, pairs + from, now, across, room->seen};
        tac_team_run(safe->team, count, tac_team_grain(safe->team, count, 16), see_pairs, &block);
        for (size_t i = 0; i < count; i++)
            if (!add_pair(law, from + i, &safe->pairs[(uint32_t)block.pairs[i]], &block.seen[i], now))
                return false;
    }
    load_all(law);
    return true;
}

// --- foreseeing -------------------------------------------------------------------------------------------

// How fast a gap grows by its points' motion.
static double growth(const TacLayerLaw *law, const TacLayerHold *h, double f, const double *v, double g,
                     const double *dv) {
    return tac_layer_along(law, h, &tac_layer_line(law, h)[TAC_LAYER_NORMAL], f, v, g, dv);
}

// What is left of the push of a pair that separates at a speed: as the layers do it themselves (safe_kick.c).
static double restitution(const TacLayerLaw *law, const TacLayerHold *h, double speed) {
    double e = tac_layer_type(law, h)->restitution;
    if (e >= 1 || !(speed > 0)) return 1;
    return 1 - (1 - e * e) * tac_smaller(1, speed / tac_layer_hold_slow(law, h));
}

// What leaves its layers before the step ends is pushed until then, which the solve has not seen: the step must be so short
// that this is little, or end half-way there.
static double step_of_leaving(const TacLayerLaw *law, const TacLayerHold *h, double speed) {
    const TacLayerLine *line = &tac_layer_line(law, h)[TAC_LAYER_NORMAL];
    double slow = tac_layer_hold_slow(law, h), push = restitution(law, h, speed) * line->push;
    bool leaves = h->course == TAC_LAYER_GONE || (h->course == TAC_LAYER_PARTS && speed < slow);
    if (!leaves || !(push > 0) || !(speed > 0)) return INFINITY;
    double little = slow / (push * (h->own + tac_layer_side(law, h)->inverse)),
           half = 0.5 * line->push / (h->hardness * speed);
    return tac_larger(tac_larger(little, half), 0.1 / sqrt(h->hardness * h->alone));
}

// How the others accelerate along a line, but for the push.
static double pull(const TacLayerLaw *law, const TacLayerHold *h, int k) {
    const TacLayerSide *side = &tac_layer_side(law, h)[k];
    return side->fall + (h->yields ? side->hung : -side->held * tac_layer_line(law, h)[k].push);
}

// How far the other side goes along a line, but for how it gives way to the push, in m: times what the solver takes speeds.
static double away(const TacLayerLaw *law, const TacLayerHold *h, int line, const TacForesight *sight) {
    const TacLayerMate *mate = tac_layer_mate(law, h);
    if (mate) return *tac_layer_away(law, h, line);
    if (tac_layer_bears(law, h))
        return sight->old * tac_layer_side(law, h)[line].speed + tac_layer_borne_way(law, h, line);
    return sight->old * tac_layer_side(law, h)[line].speed + sight->change * sight->step * pull(law, h, line);
}

// The speed of a gap after a solve for `time`.
static double foreseen_speed(const TacLayerLaw *law, const TacLayerHold *h, const double *v, const double *dv,
                             double time) {
    double given =
        tac_layer_gives(law, h, TAC_LAYER_NORMAL) * tac_layer_effect(law, h, TAC_LAYER_NORMAL)->impulse;
    const TacLayerMate *mate = tac_layer_mate(law, h);
    if (mate)
        return (*tac_layer_away(law, h, TAC_LAYER_NORMAL) + law->sight.change * given) / law->sight.old +
               growth(law, h, 1, v, 1, dv);
    if (tac_layer_bears(law, h))
        return away(law, h, TAC_LAYER_NORMAL, &law->sight) / law->sight.old + growth(law, h, 1, v, 1, dv);
    return tac_layer_side(law, h)->speed + given + time * pull(law, h, TAC_LAYER_NORMAL) +
           growth(law, h, 1, v, 1, dv);
}

static void worsen(TacLayerHold *h, double step, double harm) {
    h->step = (float)tac_smaller(h->step, step);
    h->harm = (float)tac_larger(h->harm, harm);
}

// For a pair of this speed: a shorter step, or more harm? Layers throw back what turns round in them, and push what
// leaves.
static void doubt(const TacLayerLaw *law, TacLayerHold *h, double speed, double still, double leaves) {
    const TacLayerLine *line = &tac_layer_line(law, h)[TAC_LAYER_NORMAL];
    double inverse = h->own + tac_layer_side(law, h)->inverse,
           e = leaves < INFINITY ? 1 : tac_layer_type(law, h)->restitution;
    double step = tac_layer_step(h->gap, h->hardness, speed, inverse, h->alone, still, h->swing);
    double thrown = e * line->push * sqrt(inverse / h->hardness);
    worsen(h, tac_smaller(step, leaves), tac_layer_harm(hypot(speed, thrown), 1 / inverse, h->swing));
}

// Friction that turns round, or lets go, does so within the step: until its anchors pull as was foreseen, it pulls otherwise.
static void doubt_grip(const TacLayerLaw *law, TacLayerHold *h, double time) {
    if (h->lines == 1) return;
    const TacLayerLine *line = &tac_layer_line(law, h)[TAC_LAYER_ACROSS];
    const TacLayerSlip *slip = tac_layer_slip(law, h);
    double change[2], soft = 0.8 / h->swing,
                      inverse = h->own + tac_layer_side(law, h)[TAC_LAYER_ACROSS].inverse;
    for (int k = 0; k < 2; k++)
        change[k] = tac_layer_effect(law, h, TAC_LAYER_ACROSS + k)->impulse / time - line[k].push;
    double size = hypot(change[0], change[1]),
           late = size / (h->hardness * hypot(slip->next[0], slip->next[1]));
    double speed = 0.5 * size * tac_smaller(time, late) * inverse;
    if (!(speed > TAC_LAYER_STILL * tac_layer_hold_slow(law, h))) return;
    worsen(h, tac_larger(tac_larger(soft, 0.5 * late), 0.1 / sqrt(h->hardness * h->alone)),
           tac_layer_harm(speed, 1 / inverse, h->swing));
}

static void judge_holds(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const TacLayerHolds *all = data;
    const TacLayerLaw *law = all->law;
    for (size_t i = begin; i < end; i++) {
        TacLayerHold *h = &law->room->holds[i];
        double speed = tac_layer_side(law, h)->speed + growth(law, h, 1, all->v, 0, all->v);
        h->step = INFINITY;
        h->harm = 0;
        // in the middle of pushes what rests moves, too, and the more the harder it is pushed; not as it is foreseen
        doubt(law, h, speed, tac_layer_hold_slow(law, h), INFINITY);
        if (!all->dv) continue;
        speed = foreseen_speed(law, h, all->v, all->dv, all->time);
        doubt(law, h, speed, TAC_LAYER_STILL * tac_layer_slow(tac_layer_type(law, h)),
              step_of_leaving(law, h, speed));
        doubt_grip(law, h, all->time);
    }
}

void tac_layer_law_judge(TacLayerLaw *law, const double *v, const double *dv, double time) {
    tac_layer_on_holds(&(TacLayerHolds){.law = law, .v = v, .dv = dv, .time = time}, judge_holds);
}

double tac_layer_law_still(const TacLayerLaw *law) {
    double mass = 0, slow = 0;
    for (size_t i = 0; i < law->law.matter[0]->count; i++) {
        double bound = tac_support_bound(&law->safe->supports[law->first_support + i]);
        if (bound > 0) mass += 1 / bound;
    }
    for (size_t i = 0; i < law->hold_count; i++)
        slow = tac_larger(slow, tac_layer_hold_slow(law, &law->room->holds[i]));
    return 0.5 * mass * slow * slow;
}

void tac_layer_law_push(const TacLayerLaw *law, double *a) {
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->room->holds[i];
        for (uint32_t k = h->first; k < h->first + h->count; k++)
            for (int c = 0; c < 3; c++)
                a[3 * (size_t)law->room->points[k] + (size_t)c] +=
                    law->room->weights[k] * tac_layer_line(law, h)[TAC_LAYER_NORMAL].direction[c];
    }
}

double tac_layer_law_feel(TacLayerLaw *law, const double *a, const double *f) {
    double sum = 0;
    for (size_t i = 0; i < law->hold_count; i++) {
        TacLayerHold *h = &law->room->holds[i];
        double way = growth(law, h, 1, a, 0, a), back = -growth(law, h, 1, f, 0, f);
        // others may push the same points the other way
        double least = 0;
        for (uint32_t k = h->first; k < h->first + h->count; k++)
            least += law->room->weights[k] * law->room->weights[k];
        h->swing = back > 0 ? (float)sqrt(back / tac_larger(way, least) * own_of(law, h)) : 0;
        sum += h->swing * h->swing;
    }
    return sum;
}

static void set_effect(const TacLayerLaw *law, const TacLayerHold *h, int line, double force,
                       double stiffness) {
    TacLayerEffect *effect = tac_layer_effect(law, h, line);
    effect->force = (float)force;
    effect->stiffness = (float)stiffness;
}

// A spring in the solve, which pushes with `push` now. What moves on the other side stretches it, too, and gives way to it.
static void enter(const TacLayerLaw *law, TacLayerHold *h, int line, double push, double k,
                  const TacForesight *sight) {
    double d = sight->step * sight->change, share = 1 / (1 + d * k * tac_layer_gives(law, h, line));
    set_effect(law, h, line, share * (push - k * away(law, h, line, sight)), share * k);
}

// Friction with what another solver holds that does not solve together with this one, or another matter of the same: that one
// foresees it, too, and each would take the other for what gives way. Springs in both solves rock what lies on each other for ever, at
// several mm/s; so does all of their pull as it is now. Without it what lies on a slope creeps. Half of it for each does neither.
static double shared_pull(const TacLayerLine *line, double grip) {
    return 0.5 * grip * line->push;
}

// Damping of the solver's own laws is none of theirs: over a step layers see how far it goes and no more.
static double lag_of(const TacForesight *sight) {
    return sight->change * sight->step / (sight->old * sight->old);
}

void tac_layer_set_course(const TacLayerLaw *law, TacLayerHold *h, TacLayerCourse course,
                          const TacForesight *sight) {
    TacLayerLine *normal = &tac_layer_line(law, h)[TAC_LAYER_NORMAL];
    double e = tac_layer_type(law, h)->restitution, kept = course == TAC_LAYER_PARTS ? e * e : 1;
    double k = lag_of(sight) * kept * h->hardness, push = kept * normal->push;
    if (course == TAC_LAYER_RESTS) k += (1 - e * e) * push / (tac_layer_hold_slow(law, h) * sight->old);
    h->course = (unsigned)course & 3;
    enter(law, h, TAC_LAYER_NORMAL, push, k, sight);
    if (course == TAC_LAYER_GONE) set_effect(law, h, TAC_LAYER_NORMAL, 0, 0);
    for (int i = TAC_LAYER_ACROSS; i < h->lines; i++) {
        TacLayerLine *across = &tac_layer_line(law, h)[i];
        if (tac_layer_side(law, h)[i].held > 0 && !tac_layer_mate(law, h))
            set_effect(law, h, i, shared_pull(across, tac_layer_slip(law, h)->grip), 0);
        else
            enter(law, h, i, tac_layer_slip(law, h)->grip * across->push,
                  tac_layer_slip(law, h)->grip * lag_of(sight) * h->hardness, sight);
    }
}

// How much of their pull the anchors of a pair can keep that goes along its lines with these speeds: friction is `most`, N.
static double grip_of(const TacLayerLaw *law, const TacLayerHold *h, const double speed[2], double most,
                      const TacForesight *sight) {
    double pulled[2];
    for (int k = 0; k < 2; k++)
        pulled[k] = tac_layer_line(law, h)[TAC_LAYER_ACROSS + k].push -
                    lag_of(sight) * h->hardness * sight->old * speed[k];
    double size = hypot(pulled[0], pulled[1]);
    return size > most ? most / size : 1;
}

static void foresee_holds(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const TacLayerHolds *all = data;
    const TacForesight *sight = all->sight;
    const TacLayerLaw *law = all->law;
    for (size_t i = begin; i < end; i++) {
        TacLayerHold *h = &law->room->holds[i];
        const TacLayerLine *line = tac_layer_line(law, h);
        h->yields = false;
        h->lines = all->grips && tac_layer_type(law, h)->friction > 0 ? TAC_LAYER_LINES : 1;
        if (h->lines > 1) {
            double speed[2], most = tac_layer_type(law, h)->friction * line->push;
            tac_layer_slip(law, h)->grip = 1;
            for (int k = 0; k < 2; k++)
                speed[k] = tac_layer_side(law, h)[k + 1].speed +
                           tac_layer_along(law, h, &line[k + 1], 1, all->v, 0, all->v);
            // what nothing could stop within the step
            if (hypot(speed[0], speed[1]) >
                2 * sight->step * most * (h->own + tac_layer_side(law, h)->inverse))
                tac_layer_slip(law, h)->grip = (float)grip_of(law, h, speed, most, sight);
        }
        tac_layer_set_course(law, h, TAC_LAYER_CLOSES, sight);
    }
}

// Lines across the normal, which take most of the room, are there only where they are needed.
static bool set_across(TacLayerLaw *law, bool grips) {
    TacLayerRoom *room = law->room;
    size_t each = grips ? TAC_LAYER_LINES : 1, n = law->hold_count;
    if (each == law->each) return true;
    if (!tac_grow_bare(&room->lines, &room->line_capacity, each * n, sizeof *room->lines)) return false;
    for (size_t k = 0; k < n; k++) {
        size_t i = each > law->each ? n - 1 - k : k; // nothing is overwritten before it has moved
        const TacLayerHold *h = &room->holds[i];
        TacLayerLine *line = &room->lines[each * i], *across = line + TAC_LAYER_ACROSS;
        *line = room->lines[law->each * i];
        if (!grips) continue;
        double normal[3], aside[2][3];
        tac_store3(normal, tac_layer_direction(line));
        tac_layer_across(normal, aside[0], aside[1]);
        for (int a = 0; a < 2; a++) set_line(&across[a], aside[a], tac_layer_slip(law, h)->pull[a]);
    }
    law->each = each;
    return true;
}

// Before anybody has solved, the other side is taken for what goes on as it does, and is held up.
static void begin_away(TacLayerLaw *law, TacLayerHold *h) {
    const TacForesight *sight = &law->sight;
    h->yields = false;
    if (!tac_layer_mate(law, h)) return;
    for (int k = 0; k < (int)law->each; k++) {
        double back = k < h->sides ? tac_layer_side(law, h)[k].speed : 0,
               more = k < h->sides ? pull(law, h, k) : 0;
        *tac_layer_away(law, h, k) = sight->old * back + sight->change * sight->step * more;
    }
}

bool tac_layer_law_foresee(TacLayerLaw *law, const TacForesight *sight, const double *v, bool grips) {
    TacLayerRoom *room = law->room;
    if (!set_across(law, grips)) return false;
    size_t n = law->each * law->hold_count;
    if (!tac_grow_bare(&room->shared, &room->shared_capacity, n, sizeof *room->shared) ||
        (law->together &&
         !tac_grow_bare(&room->beside, &room->beside_capacity, law->hold_count + n, sizeof *room->beside)))
        return false;
    law->sight = *sight;
    tac_layer_borne_begin(law);
    for (size_t i = 0; i < law->hold_count; i++) begin_away(law, &room->holds[i]);
    tac_layer_on_holds(&(TacLayerHolds){.law = law, .sight = sight, .v = v, .grips = grips}, foresee_holds);
    return true;
}

// How a pair goes on that is foreseen to part at a speed.
static TacLayerCourse course_of(const TacLayerLaw *law, const TacLayerHold *h, double speed) {
    const double little = 0.05;
    double slow = tac_layer_hold_slow(law, h);
    if (tac_layer_effect(law, h, TAC_LAYER_NORMAL)->impulse < 0)
        return tac_layer_type(law, h)->restitution < 1 ? (TacLayerCourse)(h->course + 1) : TAC_LAYER_GONE;
    if (tac_layer_type(law, h)->restitution >= 1 || !(speed > little * slow)) return TAC_LAYER_CLOSES;
    return speed < slow ? TAC_LAYER_RESTS : TAC_LAYER_PARTS;
}

// Friction holds with no more than its part of the push. True where it was foreseen to hold with far more, or less.
static bool slips(const TacLayerLaw *law, TacLayerHold *h, const TacForesight *sight) {
    const double near = 0.1;
    if (h->lines == 1) return false;
    double most = tac_layer_type(law, h)->friction *
                  tac_larger(0, tac_layer_effect(law, h, TAC_LAYER_NORMAL)->impulse) / sight->step;
    TacLayerSlip *slip = tac_layer_slip(law, h);
    double next[2] = {slip->next[0], slip->next[1]}, grip = grip_of(law, h, next, most, sight);
    if (fabs(grip - slip->grip) <= near * slip->grip) return false;
    slip->grip = (float)grip;
    return true;
}

// By a solve: how a line pushes over the step, and how fast both sides then go along it.
static double find_line(const TacLayerLaw *law, TacLayerHold *h, int k, const TacForesight *sight,
                        const double *v, const double *dv) {
    double own = tac_layer_find_impulse(law, h, k, sight, v, dv);
    double way = own + away(law, h, k, sight) +
                 sight->change * tac_layer_gives(law, h, k) * tac_layer_effect(law, h, k)->impulse;
    return way / sight->old;
}

// True: a pair takes another course than it was solved for.
static bool correct(const TacLayerHolds *all, TacLayerHold *h) {
    const TacForesight *sight = all->sight;
    const TacLayerLaw *law = all->law;
    const TacLayerLine *normal = &tac_layer_line(law, h)[TAC_LAYER_NORMAL];
    double next = find_line(law, h, TAC_LAYER_NORMAL, sight, all->v, all->dv);
    for (int k = TAC_LAYER_ACROSS; k < h->lines; k++)
        tac_layer_slip(law, h)->next[k - TAC_LAYER_ACROSS] =
            (float)find_line(law, h, k, sight, all->v, all->dv);
    const TacLayerMate *mate = tac_layer_mate(law, h);
    if (tac_layer_is_led(law, mate)) return false;
    TacLayerCourse course = course_of(law, h, next);
    // what moves this side moves the other, too: their push is not balanced
    double much = tac_smaller(tac_layer_hold_slow(law, h),
                              0.5 * sight->step * tac_layer_side(law, h)->held * normal->push);
    bool yields = tac_layer_side(law, h)->held > 0 && !tac_layer_mate(law, h) &&
                  fabs(growth(law, h, 0, all->v, 1, all->dv)) >
                      tac_larger(TAC_LAYER_STILL * tac_layer_hold_slow(law, h), much);
    bool changed = slips(law, h, sight);
    if (course <= h->course && yields <= h->yields && !changed) return false;
    h->yields = h->yields || yields;
    tac_layer_set_course(law, h, course > h->course ? course : h->course, sight);
    return true;
}

static void correct_holds(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    TacLayerHolds *all = data;
    size_t changed = 0;
    for (size_t i = begin; i < end; i++) changed += correct(all, &all->law->room->holds[i]);
    __atomic_fetch_add(&all->changed, changed, __ATOMIC_RELAXED);
}

size_t tac_layer_law_correct(TacLayerLaw *law, const TacForesight *sight, const double *v, const double *dv) {
    TacLayerHolds holds = {.law = law, .sight = sight, .v = v, .dv = dv};
    tac_layer_on_holds(&holds, correct_holds);
    return holds.changed;
}

void tac_layer_law_give_back(TacLayerLaw *law, double *dv) {
    const TacSafe *safe = law->safe;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->room->holds[i];
        for (int n = 0; n < h->lines; n++)
            for (uint32_t k = h->first; k < h->first + h->count; k++) {
                const TacLayerLine *line = &tac_layer_line(law, h)[n];
                const TacSupport *s = &safe->supports[law->first_support + law->room->points[k]];
                for (int a = 0; a < 3; a++)
                    dv[3 * (size_t)law->room->points[k] + (size_t)a] -=
                        tac_support_w(s, a) * ((double)law->room->weights[k] * line->direction[a]) *
                        tac_layer_effect(law, h, n)->impulse;
            }
    }
    tac_layer_room_give(law->safe, law->room);
    law->room = NULL;
    law->together = NULL;
    law->hold_count = 0;
}

// --- the law ----------------------------------------------------------------------------------------------

// f = f + scale j, where j goes along a line
static void add_along(const TacLayerLaw *law, const TacLayerHold *h, const TacLayerLine *line, double scale,
                      double *f) {
    for (uint32_t k = h->first; k < h->first + h->count; k++)
        for (int a = 0; a < 3; a++)
            f[3 * (size_t)law->room->points[k] + (size_t)a] +=
                (double)law->room->weights[k] * line->direction[a] * scale;
}

// f = f - scale j j^T v: most of what a solve does, where much lies on much.
static void add_stiff(const TacLayerLaw *law, const TacLayerHold *h, const TacLayerLine *line, double scale,
                      const double *v, double *f) {
    const uint32_t *points = law->room->points + h->first;
    const float *weights = law->room->weights + h->first;
    double x = line->direction[0], y = line->direction[1], z = line->direction[2], sum = 0;
    for (uint32_t k = 0; k < h->count; k++) {
        const double *u = v + 3 * (size_t)points[k];
        sum += weights[k] * (x * u[0] + y * u[1] + z * u[2]);
    }
    double push = -scale * sum;
    x *= push;
    y *= push;
    z *= push;
    for (uint32_t k = 0; k < h->count; k++) {
        double *g = f + 3 * (size_t)points[k], w = weights[k];
        g[0] += w * x;
        g[1] += w * y;
        g[2] += w * z;
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const TacLayerLaw *law = data;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->room->holds[i];
        for (int k = 0; k < h->lines; k++)
            add_along(law, h, &tac_layer_line(law, h)[k], tac_layer_effect(law, h, k)->force, vectors->f[0]);
    }
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double factor,
                         double b) {
    (void)context;
    (void)b;
    const TacLayerLaw *law = data;
    const double *v = vectors->v[0];
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->room->holds[i];
        for (int k = 0; k < h->lines; k++) {
            const TacLayerLine *line = &tac_layer_line(law, h)[k];
            double stiff = tac_layer_effect(law, h, k)->stiffness;
            if (stiff != 0) add_stiff(law, h, line, factor * stiff, v, vectors->f[0]);
        }
    }
}

static void stiffness(void *data, const TacContext *context, const TacLawVectors *vectors, double factor,
                      double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)b;
    const TacLayerLaw *law = data;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->room->holds[i];
        for (int k = 0; k < h->lines; k++)
            tac_matrix_push(matrix, law->room->points + h->first, law->room->weights + h->first, h->count,
                            tac_layer_line(law, h)[k].direction,
                            -factor * tac_layer_effect(law, h, k)->stiffness);
    }
}

// After a kick that failed it may still have its room.
static void finish(void *data) {
    TacLayerLaw *law = data;
    if (law->room) tac_layer_room_give(law->safe, law->room);
}

static const TacLawOps ops = {.force = force, .force_change = force_change, .stiffness = stiffness};

const TacClass tac_layer_law_class = {
    .name = "(layers)",
    .kind = TAC_KIND_LAW,
    .doc = "Live layers of safe contact within an implicit solve.",
    .size = sizeof(TacLayerLaw),
    .finish = finish,
    .ops.law = &ops,
};
