// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Steps that layers cut, and kicks in parts; see stride.h.

#include "world/stride.h"
#include "contact/layer_hits.h"
#include "world/account.h"
#include "world/batch_parts.h"
#include "world/concert.h"
#include "world/momentum.h"
#include "world/rest.h"
#include "world/ticking.h"

#include <stdio.h>

// --- kicks ------------------------------------------------------------------------------------------------

// A share of TAC_DV into TAC_PART, of all its matter: not of the motion of points that go as they are told, which is given at
// once and not taken back. With `parted`, only that is left in TAC_DV.
static void keep_parts(const TacTicker *t, const TacContext *context, double part, bool parted) {
    const TacProgram *p = &t->program;
    tac_program_copy(p, context, TAC_PART, TAC_DV);
    tac_program_project(p, context, TAC_PART);
    for (size_t k = 0; k < p->matter_count; k++) {
        double *dv = p->matters[k]->vectors[TAC_DV], *to = p->matters[k]->vectors[TAC_PART];
        for (size_t i = 0; i < tac_vector_size(p->matters[k], TAC_DV); i++) {
            if (parted) dv[i] -= to[i];
            to[i] *= part;
        }
    }
}

// Kicks that come in parts after a hit that cuts no step, of something that has fallen for some steps and no longer: it is back
// from its rebound by then, and would hop for ever. (Joints that hold against a hard hit had better do so at once.)
enum { AFTER_A_HIT = 4, SOME_FALLS = 4 };

// A share of a part, for the time until the first tick of parts that is not before `now`; 0: that is now.
static double stub(const TacWorld *world, const TacTicker *t, TacTick now) {
    TacTick period = (TacTick)1 << world->tickers[t->parts].ruler_class;
    return (double)(-now & (period - 1)) / (double)period;
}

// Of the last kick, what has been given ahead.
static void set_ahead(const TacWorld *world, const TacTicker *t, TacTick now, TacVector ahead) {
    double share = t->in_parts ? stub(world, t, now) + t->stride->owed : 0;
    for (size_t k = 0; k < t->program.matter_count; k++) {
        const TacMatter *m = t->program.matters[k];
        for (size_t i = 0; i < tac_vector_size(m, TAC_DV); i++)
            m->vectors[ahead][i] = share * m->vectors[TAC_PART][i];
    }
    t->stride->ahead = tac_scale(t->stride->turn, share);
}

// Before a kick: what parts of the last one have given for the time from now on. A kick that is computed again is not the
// last one.
static void keep_ahead(const TacWorld *world, const TacTicker *t, TacTick now) {
    if (t->stride->until <= now) set_ahead(world, t, now, TAC_AHEAD);
}

// A share of one of these vectors, given or taken back where the agent is now.
static void give(const TacTicker *t, const TacContext *context, double share, TacVector kick, TacVec3 turn) {
    tac_program_axpy(&t->program, context, TAC_DV, share, kick);
    if (t->stride->turns) tac_momentum_keep_turn(t, context, share, kick, turn);
}

static bool is_explicit(const TacTicker *t) {
    return !t->layer_count && !t->layer_rows && !t->blind;
}

// Given as it is, its parts move what it kicks by less than the whole of it at once would.
double tac_stride_owed(double parts, double stub) {
    double count = ceil(parts - stub),
           far = stub * parts + count * (parts - stub) - 0.5 * count * (count - 1);
    return parts - far / parts;
}

TacStrideParts tac_stride_parts(const TacWorld *world, const TacTicker *t) {
    if (!t->stride || !is_explicit(t) || !t->in_parts) return (TacStrideParts){0, 0};
    double length = (double)(t->stride->until - world->now), first = stub(world, t, world->now);
    return (TacStrideParts){ldexp(length, -world->tickers[t->parts].ruler_class),
                            (first > 0 ? first : 1) + t->stride->owed};
}

// The first part of a kick is delivered at once, or what is left of it where parts do not tick now; the ticker of parts
// delivers the others. Of whole kicks what can be taken back is kept.
static void deliver(const TacWorld *world, TacTicker *t, const TacContext *context, bool live, TacTick now) {
    bool late = is_explicit(t) && t->in_parts; // as the last kick was
    int e = tac_stride_class(t), part = world->tickers[t->parts].ruler_class;
    t->in_parts = live && e > part;
    t->stride->kick = e;
    t->stride->until = tac_ticking_next(world, t, e, now);
    double share = stub(world, t, now), length = (double)(t->stride->until - now);
    bool kept = t->in_parts || !is_explicit(t); // nobody takes whole explicit kicks back
    if (kept)
        keep_parts(t, context, t->in_parts ? ldexp(1, part) / length : ldexp(1, -TAC_MOST_PARTS),
                   t->in_parts);
    t->stride->owed = t->in_parts && is_explicit(t) ? tac_stride_owed(ldexp(length, -part), share) : 0;
    if (t->in_parts)
        tac_program_axpy(&t->program, context, TAC_DV, (share > 0 ? share : 1) + t->stride->owed, TAC_PART);
    if (late) give(t, context, -1, TAC_A, t->stride->ahead);
    if (tac_ticker_is_free(t) && !is_explicit(t)) give(t, context, -1, TAC_AHEAD, t->stride->ahead);
    t->stride->turns = kept && tac_momentum_is_own(t);
    if (t->stride->turns) t->stride->turn = tac_momentum_turn(t, context, TAC_PART);
}

void tac_stride_add_part(const TacTicker *t, const TacContext *context) {
    give(t, context, 1, TAC_PART, t->stride->turn);
}

// Of what a solve loses: harm that layers may do.
#define LITTLE 0.03

// How far an agent swings in a step of its own, rad, whose solve must foresee friction: what is softer gives way where it is
// held.
#define STIFF 2

static bool is_stiff(const TacTicker *t) {
    int own = t->rest ? t->rest->own : t->ruler_class; // steps of what rests grow
    return t->stride->swing * tac_ticking_step(t, own) > STIFF;
}

// --- choosing ---------------------------------------------------------------------------------------------

// The class that a step needs, of those that an agent may have.
static int class_for(const TacWorld *world, const TacTicker *t, double step) {
    int most = t->layer_rows ? TAC_MOST_CUT_OF_JOINTS : TAC_MOST_CUT, halves = tac_ticking_most_halves(t);
    int least = t->ruler_class - (halves < most ? halves : most);
    int e = step < t->step ? tac_ticking_class_for(world, t, step) : t->ruler_class;
    return e < least ? least : e;
}

static bool look_at_laws(const TacTicker *t, TacTick now, bool across) {
    for (size_t i = 0; i < t->layer_count; i++)
        if (!tac_layer_law_look(t->layers[i], now, across)) return false;
    return true;
}

// Which layers are live on it; false without memory.
static bool look(const TacTicker *t, TacTick now, bool across, size_t *live) {
    *live = 0;
    if (t->layer_rows) {
        if (!tac_layer_rows_look(t->layer_rows, now)) return false;
        *live = t->layer_rows->count;
    }
    if (!look_at_laws(t, now, across)) return false;
    for (size_t i = 0; i < t->layer_count; i++) *live += t->layers[i]->hold_count;
    return true;
}

// The class that rows of joints need: as layers are, or as a solve says that they will be.
static int rows_class(const TacWorld *world, const TacTicker *t, bool solved) {
    if (!t->layer_rows) return t->ruler_class;
    double step = tac_layer_rows_step(t->layer_rows, solved);
    if (solved && !t->layer_rows->over_nodes) step = fmin(step, t->report.bears);
    return class_for(world, t, step);
}

// How fast points turn together, rad/s.
static double spin(const TacMatter *m) {
    const double *x = m->vectors[TAC_X], *v = m->vectors[TAC_V], part = 1 / (double)m->count;
    TacVec3 centre = {0, 0, 0}, drift = centre, turning = centre;
    for (size_t i = 0; i < m->count; i++) {
        centre = tac_axpy(centre, part, tac_load3(x + 3 * i));
        drift = tac_axpy(drift, part, tac_load3(v + 3 * i));
    }
    TacMat3 inertia = {{{0}}};
    for (size_t i = 0; i < m->count; i++) {
        TacVec3 r = tac_sub(tac_load3(x + 3 * i), centre);
        double arm[3] = {r.x, r.y, r.z}, square = tac_dot(r, r);
        turning = tac_add(turning, tac_cross(r, tac_sub(tac_load3(v + 3 * i), drift)));
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) inertia.m[a][b] += (a == b ? square : 0) - arm[a] * arm[b];
    }
    // points in a line do not turn about it
    double little = 1e-6 * (inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2]);
    if (!(little > 0)) return 0;
    for (int a = 0; a < 3; a++) inertia.m[a][a] += little;
    inertia = tac_mat3_inverse(&inertia);
    return tac_norm(tac_mat3_apply(&inertia, turning));
}

// What turns by an angle in a step flies straight on, and grows by half its square. That is a false stretch: of its energy,
// as it was felt where layers pushed it last, no more than a little may be of the energy with which it turns.
static int turning_class(const TacWorld *world, const TacTicker *t) {
    double turn = 0, swing = t->stride->swing;
    for (size_t i = 0; i < t->layer_count; i++) turn = fmax(turn, spin(t->layers[i]->law.matter[0]));
    return turn * swing > 0 ? class_for(world, t, sqrt(2 * sqrt(LITTLE) / (turn * swing))) : t->ruler_class;
}

// The longest class for which layers can be foreseen, but for those that do no more than `harm` together; what these do
// is taken from it.
static int foreseen_class(const TacWorld *world, const TacTicker *t, double *harm) {
    double of_class[TAC_RULER_CLASSES] = {0};
    for (size_t i = 0; i < t->layer_count; i++)
        for (size_t k = 0; k < t->layers[i]->hold_count; k++) {
            const TacLayerHold *h = &t->layers[i]->room->holds[k];
            if (h->step < t->step) of_class[class_for(world, t, h->step)] += h->harm;
        }
    int e = 0;
    for (; e < t->ruler_class && of_class[e] <= *harm; e++) *harm -= of_class[e];
    return e;
}

// The same before a solve: over longer steps less is lost than by the last kick.
static int likely_class(const TacWorld *world, const TacTicker *t) {
    for (int above = t->ruler_class - (int)t->stride->kick;; above--) {
        double harm = ldexp(LITTLE * t->stride->loss, above > 0 ? -above : 0);
        int e = foreseen_class(world, t, &harm);
        if (above <= 0 || e >= (int)t->stride->kick + above) return e;
    }
}

// By layers as they are, or as a solve for `time` says that they will be.
static void judge(const TacTicker *t, bool solved, double time) {
    for (size_t i = 0; i < t->layer_count; i++) {
        double *const *all = t->layers[i]->law.matter[0]->vectors;
        tac_layer_law_judge(t->layers[i], all[TAC_V], solved ? all[TAC_DV] : NULL, time);
    }
}

// What a kick loses, over the square of its step.
static double loss_of(const TacTicker *t, const TacContext *context) {
    TacProgram masses = t->program;
    masses.law_count = 0;
    tac_program_product(&masses, context, TAC_DV, TAC_B, 1, 0, 0);
    double loss = 0.5 * tac_program_dot(&masses, context, TAC_DV, TAC_B) / (context->step * context->step);
    return loss > 0 && loss < INFINITY ? loss : 0;
}

// A solve takes its kick for given at once; in parts, it goes half of it less far. Of what is stiff that is a false
// deformation, whose energy grows with the fourth power of the step: it must be little of what the agent moves with.
static int bent_class(const TacWorld *world, const TacTicker *t, const TacContext *context) {
    TacProgram masses = t->program, elastic = t->program;
    if (!is_stiff(t)) return t->ruler_class;
    masses.law_count = 0;
    elastic.mass_count = 0;
    elastic.laws += t->program.layer_count;
    elastic.law_count -= t->program.layer_count;
    tac_program_product(&elastic, context, TAC_DV, TAC_B, 0, 0, 1);
    double bent = -0.125 * context->step * context->step * tac_program_dot(&elastic, context, TAC_DV, TAC_B);
    tac_program_product(&masses, context, TAC_V, TAC_B, 1, 0, 0);
    double moving = 0.5 * tac_program_dot(&masses, context, TAC_V, TAC_B);
    for (size_t i = 0; i < t->layer_count; i++) moving += tac_layer_law_still(t->layers[i]);
    if (!(bent > LITTLE * moving)) return t->ruler_class;
    return class_for(world, t, context->step * sqrt(sqrt(LITTLE * moving / bent)));
}

// How stiff it is where layers push it. What it has for scratch is free before its kick.
static void feel(const TacTicker *t, const TacContext *context) {
    const TacProgram *p = &t->program;
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    tac_program_clear(p, context, TAC_A);
    for (size_t i = 0; i < t->layer_count; i++)
        tac_layer_law_push(t->layers[i], t->layers[i]->law.matter[0]->vectors[TAC_A]);
    tac_program_product(p, context, TAC_A, TAC_B, 0, 0, 1);
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < t->layer_count; i++) {
        double *const *all = t->layers[i]->law.matter[0]->vectors;
        sum += tac_layer_law_feel(t->layers[i], all[TAC_A], all[TAC_B]);
        count += t->layers[i]->hold_count;
    }
    t->stride->swing = count ? sqrt(sum / (double)count) : 0;
}

// Solves until all pairs go the way that they were solved for. `round` goes on where it was. Solves of which only courses
// are wanted may be rough.
static void solve(TacConcert *c, bool rough, int *round) {
    enum { MOST_ROUNDS = 9 };
    size_t changed = 1;
    for (int most = *round < MOST_ROUNDS ? MOST_ROUNDS : *round + 1; *round < most && changed; ++*round) {
        if (c->law_count)
            tac_concert_settle(c, *round > 0, rough);
        else
            tac_concert_solve(c->kicks, *round > 0, rough);
        changed = 0;
        for (size_t k = 0; k < c->count; k++)
            for (size_t i = 0; i < c->kicks[k].ticker->layer_count; i++) {
                TacLayerLaw *law = c->kicks[k].ticker->layers[i];
                double *const *all = law->law.matter[0]->vectors;
                changed += tac_layer_law_correct(law, &law->sight, all[TAC_V], all[TAC_DV]);
            }
        for (size_t i = 0; i < c->law_count; i++) tac_layer_law_agree(c->laws[i]);
    }
}

// Energy, J, of all that layers hold, at the speed below which it rests.
static double still_of(const TacTicker *t) {
    double still = 0;
    for (size_t i = 0; i < t->layer_count; i++) still += tac_layer_law_still(t->layers[i]);
    return still;
}

// The class that is needed after a solve for a step, and the harm that layers may still do then.
static int needed_class(const TacWorld *world, TacTicker *t, const TacContext *context) {
    t->stride->loss = loss_of(t, context);
    t->stride->spare = LITTLE * (t->stride->loss + still_of(t) / (context->step * context->step));
    judge(t, true, context->step);
    int e = foreseen_class(world, t, &t->stride->spare), bent = bent_class(world, t, context);
    return e < bent ? e : bent;
}

static bool foresee(TacConcert *c, bool stiff) {
    c->first = 0;
    for (size_t k = 0; k < c->count; k++) {
        TacTicker *t = c->kicks[k].ticker;
        TacForesight sight = {.step = c->kicks[k].context.step};
        t->solver->base.cls->ops.solver->foresight(t->solver, sight.step, &sight.old, &sight.change);
        for (size_t i = 0; i < t->layer_count; i++)
            if (!tac_layer_law_foresee(t->layers[i], &sight, t->layers[i]->law.matter[0]->vectors[TAC_V],
                                       stiff)) {
                snprintf(t->report.failure, sizeof t->report.failure, "out of memory");
                return false;
            }
    }
    for (size_t i = 0; i < c->law_count; i++) tac_layer_law_agree(c->laws[i]);
    return true;
}

static bool has_failed(const TacConcert *c) {
    for (size_t k = 0; k < c->count; k++)
        if (c->kicks[k].ticker->report.failure[0]) return true;
    return false;
}

static int needed_classes(const TacWorld *world, TacConcert *c, int e) {
    for (size_t k = 0; k < c->count; k++) {
        int one = needed_class(world, c->kicks[k].ticker, &c->kicks[k].context);
        e = one < e ? one : e;
    }
    return e;
}

// Kicks of agents that layers hold up: the layers take part in the solve; what they are going to do themselves must be
// taken out again. Returns the class that the step needs: it is good if that is no shorter than `chosen`.
static int solve_with_layers(const TacWorld *world, TacConcert *c, int chosen, bool stiff) {
    int round = 0;
    if (!foresee(c, stiff)) return chosen;
    solve(c, true, &round);
    if (has_failed(c)) return chosen;
    int e = needed_classes(world, c, chosen);
    bool rough = false;
    for (size_t k = 0; k < c->count; k++) rough = rough || c->kicks[k].ticker->report.rough;
    if (!rough || e < chosen) return e;
    solve(c, false, &round);
    return has_failed(c) ? chosen : needed_classes(world, c, chosen);
}

// The same without layers among its laws; it may have rows.
static int solve_alone(const TacWorld *world, TacTicker *t, const TacContext *context, bool live) {
    t->program.again = false;
    t->program.rough = false;
    t->solver->base.cls->ops.solver->kick(t->solver, &t->program, context, &t->report);
    if (t->report.failure[0]) return t->ruler_class;
    if (t->layer_count) t->stride->loss = t->stride->spare = 0;
    return live ? rows_class(world, t, true) : t->ruler_class;
}

// --- explicit kicks ---------------------------------------------------------------------------------------

// Than layers tick.
static bool is_rare(const TacTicker *t) {
    return t->layer_class < tac_stride_class(t);
}

static void feel_push(void *data, const uint32_t *supports, int count, double restitution) {
    TacWorld *world = data;
    for (int i = 0; i < count; i++) {
        uint32_t point;
        const TacMatter *m = tac_safe_support_matter(world->safe, supports[i], &point);
        size_t place = tac_matter_place(world->matters, world->matter_count, m);
        unsigned by = restitution < 1 ? TAC_PUSHED_BY_LOSING : TAC_PUSHED_BY_KEEPING;
        uint32_t owner = world->hands.owner[place];
        if (owner < world->ticker_count) world->tickers[owner].pushed |= by;
        if (world->pushed) world->pushed[place] |= (uint8_t)by;
    }
}

void tac_world_feel_pushes(TacWorld *world, TacTick now) {
    bool asked = false;
    for (size_t i = 0; (world->has_strides || world->pushed) && i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        asked = asked || (t->stride && (is_explicit(t) || t->blind) && is_rare(t)) || t->shares;
    }
    if (!asked) return;
    for (size_t i = 0; i < world->ticker_count; i++) world->tickers[i].pushed = 0;
    if (world->pushed) memset(world->pushed, 0, world->matter_count);
    tac_safe_each_push(world->safe, now, feel_push, world);
    if (world->pushed) tac_batch_parts_feel(world, world->pushed);
}

// What pushes it unforeseen, or has lately, loses energy.
static bool is_borne(const TacTicker *t) {
    bool loses = t->pushed == TAC_PUSHED_BY_LOSING || (!t->pushed && t->stride->hit > 0);
    return loses && is_rare(t) && tac_momentum_bears_parts(t);
}

// By forces at the velocities without what the last kick gave ahead. That is left in TAC_A, which the kick itself has no need of.
static void kick_by_forces(const TacWorld *world, TacTicker *t, const TacContext *context, TacTick now) {
    if (t->in_parts) {
        set_ahead(world, t, now, TAC_A);
        tac_program_scale(&t->program, context, TAC_A, -1);
        tac_program_axpy(&t->program, context, TAC_A, 1, TAC_V);
        t->program.aside = true;
    }
    t->solver->base.cls->ops.solver->kick(t->solver, &t->program, context, &t->report);
    t->program.aside = false;
    if (t->in_parts) set_ahead(world, t, now, TAC_A);
    if (!t->report.failure[0] && tac_momentum_is_own(t)) tac_momentum_mend(t, context);
    deliver(world, t, context, is_borne(t), now);
    t->stride->hit -= t->stride->hit > 0;
}

// --- all kicks --------------------------------------------------------------------------------------------

// Looks at the layers of all; false without memory.
static bool look_at_all(TacConcert *c, TacTick now, bool *stiff) {
    for (size_t k = 0; k < c->count; k++) *stiff = *stiff || is_stiff(c->kicks[k].ticker);
    bool across = *stiff; // when they were last looked at: mostly they still are, or still are not
    for (size_t k = 0; k < c->count; k++) {
        TacStrideKick *kick = &c->kicks[k];
        if (!look(kick->ticker, now, across, &kick->live)) return false;
    }
    for (size_t k = 0; k < c->count; k++) {
        TacStrideKick *kick = &c->kicks[k];
        if (kick->live && kick->ticker->layer_count) {
            feel(kick->ticker, &kick->context);
            *stiff = *stiff || is_stiff(kick->ticker);
        }
    }
    for (size_t k = 0; k < c->count && *stiff && !across; k++) {
        TacStrideKick *kick = &c->kicks[k];
        if (!kick->live || !kick->ticker->layer_count) continue;
        if (!look_at_laws(kick->ticker, now, true)) return false;
        feel(kick->ticker, &kick->context);
    }
    return tac_concert_meet(c, now);
}

// The class that one of them needs, as things are, of those that tick now.
static int class_before(const TacWorld *world, const TacTicker *t, TacTick now) {
    judge(t, false, 0);
    int e = likely_class(world, t), rows = rows_class(world, t, false), turning = turning_class(world, t);
    e = rows < e ? rows : e;
    e = turning < e ? turning : e;
    while (e > tac_stride_class(t) && !tac_ticking_at(world, t, e, now)) e--;
    return e;
}

static void finish(const TacWorld *world, const TacStrideKick *kick, int e, TacTick now) {
    TacTicker *t = kick->ticker;
    t->stride->cut = t->ruler_class - e;
    for (size_t i = 0; i < t->layer_count; i++)
        tac_layer_law_give_back(t->layers[i], t->layers[i]->law.matter[0]->vectors[TAC_DV]);
    if (t->layer_rows) tac_layer_rows_give_back(t->layer_rows);
    if (!t->report.failure[0] && tac_momentum_is_own(t)) tac_momentum_mend(t, &kick->context);
    bool parts = kick->live > 0 || t->stride->hit > 0 || (t->blind && is_borne(t));
    deliver(world, t, &kick->context, parts, now);
    t->stride->hit -= t->stride->hit > 0;
}

static void kick_by_solves(const TacWorld *world, TacConcert *c, TacTick now) {
    bool stiff = false;
    if (!look_at_all(c, now, &stiff)) {
        snprintf(c->kicks->ticker->report.failure, sizeof c->kicks->ticker->report.failure, "out of memory");
        return;
    }
    int e = TAC_RULER_CLASSES;
    for (size_t k = 0; k < c->count; k++) {
        if (tac_ticker_is_free(c->kicks[k].ticker)) keep_ahead(world, c->kicks[k].ticker, now);
        int one = class_before(world, c->kicks[k].ticker, now);
        e = one < e ? one : e;
    }
    bool with_layers = c->law_count || (c->kicks->live && c->kicks->ticker->layer_count);
    for (int chosen = e + 1; e < chosen;) {
        chosen = e;
        for (size_t k = 0; k < c->count; k++)
            c->kicks[k].context.step = tac_ticking_step(c->kicks[k].ticker, e);
        e = with_layers ? solve_with_layers(world, c, chosen, stiff)
                        : solve_alone(world, c->kicks->ticker, &c->kicks->context, c->kicks->live > 0);
        e = e < chosen ? e : chosen;
    }
    for (size_t k = 0; k < c->count; k++) finish(world, &c->kicks[k], e, now);
}

void tac_stride_kick(const TacWorld *world, TacStrideKick *kicks, size_t count, TacTick now) {
    if (is_explicit(kicks->ticker)) {
        kick_by_forces(world, kicks->ticker, &kicks->context, now);
        return;
    }
    TacConcert c = {.kicks = kicks, .count = count};
    tac_concert_begin(&c, world);
    kick_by_solves(world, &c, now);
}

TacStatus tac_world_file_strides(TacWorld *world, TacTick now, TacError *error) {
    for (size_t i = 0; i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        int e = t->stride ? tac_ticking_class(world, world->due[i]) : -1;
        if (e >= 0 && e != tac_stride_class(t))
            TAC_TRY(tac_ticking_move(world, world->due[i], tac_stride_class(t), now, error));
    }
    return TAC_OK;
}

// --- cutting ----------------------------------------------------------------------------------------------

typedef struct Cuts {
    TacWorld *world;
    TacStatus status;
    TacError *error;
} Cuts;

// Of TAC_PART, what the last kick has given for the time from `next` on. What parts of a free clock's have given ahead is taken
// back by its next kick.
static double given_from(const TacWorld *world, const TacTicker *t, TacTick next) {
    int e = tac_stride_class(t), part = world->tickers[t->parts].ruler_class;
    if (!t->in_parts)
        return ldexp((double)tac_ticking_count(world, t, e, next, t->stride->until),
                     TAC_MOST_PARTS + e - (int)t->stride->kick);
    TacTick last = ((world->now >> part) + 1) << part,
            given = last < t->stride->until ? last : t->stride->until;
    return next < given && !tac_ticker_is_free(t) ? ldexp((double)(given - next), -part) : 0;
}

// Its ticker of parts takes back what its last kick gave for the time from `next` on.
static void take_back(TacWorld *world, const TacTicker *t, TacTick next) {
    TacTicker *part = &world->tickers[t->parts];
    double much = given_from(world, t, next);
    if (!(much > 0)) return;
    for (size_t k = 0; k < t->program.matter_count; k++) tac_world_arrive(world, t->program.matters[k]);
    tac_account_begin(world, part);
    TacContext context = {tac_seconds(world->base, world->now), t->step, world->team};
    give(t, &context, -much, TAC_PART, t->stride->turn);
    tac_account_note_more(world, part); // a part may have been given just before
    size_t at = world->due_count;
    while (at > 0 && world->due[at - 1] > t->parts) at--;
    if (at > 0 && world->due[at - 1] == t->parts) return;
    memmove(&world->due[at + 1], &world->due[at], (world->due_count - at) * sizeof *world->due);
    world->due[at] = t->parts;
    world->due_count++;
}

// How fast what it moves falls after a step.
static double fall_of(const TacTicker *t) {
    double most = 0;
    for (size_t i = 0; i < t->program.mass_count; i++)
        most = fmax(most, tac_norm(t->program.masses[i]->gravity));
    return t->step * most;
}

// How long a point that was pushed may fly on by itself: what it is away by then from where what is stiff would have held it is a
// false deformation, whose energy must be little of what it came with. What was never pushed may be as stiff as can be.
static double until_bent(const TacLayerHit *hit, double swing) {
    return swing > 0 ? sqrt(LITTLE) * fabs(hit->speed) / (hit->kick * swing) : 0.25 * hit->period;
}

static void cut(void *data, uint32_t support, const TacLayerHit *hit) {
    Cuts *cuts = data;
    TacWorld *world = cuts->world;
    uint32_t point;
    const TacMatter *m = tac_safe_support_matter(world->safe, support, &point);
    uint32_t index = world->hands.owner[tac_matter_place(world->matters, world->matter_count, m)];
    if (index >= world->ticker_count || cuts->status != TAC_OK) return;
    const TacTicker *t = &world->tickers[index];
    bool rows = t->layer_rows && m->kind == TAC_VEC3 && !t->layer_rows->over_nodes;
    if (!t->stride || tac_ticker_is_idle(t) || tac_ticking_class(world, index) < 0) return;
    if (fabs(hit->speed) < SOME_FALLS * fall_of(t) && (hit->loses || !is_explicit(t)))
        t->stride->hit = AFTER_A_HIT;
    if (!t->layer_count && !rows) return;
    double step = hit->step, swing = t->stride->swing, harm = tac_layer_harm(hit->speed, hit->mass, swing);
    step = fmin(step, until_bent(hit, swing));
    if (swing > 0) step = fmax(step, 0.2 / swing); // as soft as it was felt last
    int e = class_for(world, t, step);
    if (e >= tac_stride_class(t)) return;
    if (swing > 0 && harm <= t->stride->spare) {
        t->stride->spare -= harm;
        return;
    }
    TacTick next = tac_ticking_next(world, t, e, world->now);
    t->stride->cut = t->ruler_class - e;
    cuts->status = tac_ticking_move(world, index, e, world->now, cuts->error);
    if (next >= t->stride->until) return;
    take_back(world, t, next);
    t->stride->until = next;
}

TacStatus tac_world_cut_strides(TacWorld *world, TacError *error) {
    if (!world->safe || !world->has_strides) return TAC_OK;
    Cuts cuts = {world, TAC_OK, error};
    tac_layer_hits(world->safe, world->now, cut, &cuts);
    world->failed = world->failed || cuts.status != TAC_OK;
    return cuts.status;
}

// --- the rest ---------------------------------------------------------------------------------------------

void tac_stride_tell_parts(const TacWorld *world, const TacTicker *t) {
    int own = tac_ticker_is_free(t) ? TAC_SAFE_OFF_RULER : t->ruler_class;
    int part = tac_ruler_class_of(&world->causal.ruler, t->parts),
        regular = part >= 0 && part < own ? part : own;
    for (size_t k = 0; k < t->program.matter_count; k++) {
        const TacMatter *m = t->program.matters[k];
        uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
        if (first != UINT32_MAX) tac_safe_set_regular_all(world->safe, first, m->count, regular);
    }
}

TacStatus tac_stride_forget(TacWorld *world, uint32_t ticker, TacError *error) {
    TacTicker *t = &world->tickers[ticker];
    if (!t->stride) return TAC_OK;
    t->stride->cut = t->stride->until = 0;
    t->stride->owed = 0;
    if (tac_ticking_class(world, ticker) < 0) return TAC_OK;
    return tac_ticking_move(world, ticker, t->ruler_class, world->now, error);
}

bool tac_world_strides_restored(TacWorld *world) {
    for (uint32_t i = 0; i < world->ticker_count; i++) {
        const TacTicker *t = &world->tickers[i];
        const TacStride *s = t->stride;
        if (!s) continue;
        int e = tac_ticking_class(world, i);
        const double numbers[] = {s->swing, s->loss, s->spare, s->owed};
        for (size_t k = 0; k < TAC_COUNT(numbers); k++)
            if (!(numbers[k] >= 0 && numbers[k] < INFINITY)) return false;
        if (!isfinite(tac_norm(s->turn)) || !isfinite(tac_norm(s->ahead))) return false;
        if (s->hit < 0 || s->hit > AFTER_A_HIT || s->cut < 0 || s->cut > TAC_MOST_CUT ||
            s->cut > tac_ticking_most_halves(t) || s->kick < 0 || s->kick >= TAC_RULER_CLASSES ||
            s->until < 0 || s->until > TAC_TICK_NEVER / 2)
            return false;
        if (e != tac_stride_class(t) && (e >= 0 || tac_ticker_is_free(t))) return false;
        if (e >= 0) tac_stride_tell_parts(world, t);
    }
    return true;
}
