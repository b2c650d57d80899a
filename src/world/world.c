// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Letting time run. See world.h for the rules.

#define _GNU_SOURCE
#include "world/world.h"
#include "time/sort_ids.h"
#include "world/account.h"
#include "world/growth.h"
#include "world/loose.h"
#include "world/rest.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

TacWorldDef tac_world_def_default(void) {
    return (TacWorldDef){.threads = 1, .seed = 1};
}

void tac_world_destroy(TacWorld *world) {
    if (!world) return;
    for (size_t i = 0; i < world->ticker_count && world->tickers; i++) {
        TacTicker *t = &world->tickers[i];
        const TacSolverOps *ops = t->solver ? t->solver->base.cls->ops.solver : NULL;
        if (ops && ops->release && t->program.kept) ops->release(t->solver, &t->program);
        const TacLinearSolver *linear = t->solver ? t->solver->linear : NULL;
        for (size_t k = 0; k < t->layer_count; k++) tac_layer_law_class.finish(t->layers[k]);
        if (t->layer_rows) tac_layer_rows_class.finish(t->layer_rows);
        if (!linear || !t->program.linear) continue;
        linear->base.cls->ops.linear_solver->release((void *)linear, &t->program);
    }
    for (size_t i = world->component_count; i-- > 0;) {
        TacComponent *c = world->components[i];
        if (c && c->cls->finish) c->cls->finish(c);
    }
    for (size_t i = 0; i < world->plugin_count; i++) dlclose(world->plugins[i]);
    tac_safe_destroy(world->safe);
    if (world->limits) tac_limits_destroy(world->limits);
    tac_world_loose_destroy(world);
    if (world->touch) tac_touch_destroy(&world->touch->touch);
    if (world->touch) tac_skin_touches_destroy(&world->touch->skin_touches);
    tac_causal_destroy(&world->causal);
    tac_hands_destroy(&world->hands);
    tac_team_destroy(world->team);
    free(world->blocks);
    tac_arena_destroy(&world->arena);
    free(world);
}

// --- one instant ------------------------------------------------------------------------------------------

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The same where every point has its own time.
static void locate_each(const TacWorld *world, const TacMatter *m, TacTick now, double *x, double *v) {
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
    for (size_t i = 0; i < m->count; i++) {
        const double *from = m->vectors[TAC_X] + px * i, *speed = m->vectors[TAC_V] + pv * i;
        if (m->times[i] != now) {
            tac_matter_fly_one(m, i, tac_seconds(world->base, now - m->times[i]), from, speed, x + px * i,
                               v + pv * i);
        } else if (x != m->vectors[TAC_X]) {
            memcpy(x + px * i, from, px * sizeof *x);
            memcpy(v + pv * i, speed, pv * sizeof *v);
        }
    }
    if (m->carried) tac_carry_points(m->carried, m->count, x, v);
}

// State of matter at an instant, into (x, v): on its flight, or on the way that a solver has set.
void tac_world_locate(const TacWorld *world, const TacMatter *m, TacTick now, double *x, double *v) {
    if (m->times)
        locate_each(world, m, now, x, v);
    else if (m->arrival > m->time)
        tac_matter_guide(m, (double)(now - m->time) / (double)(m->arrival - m->time), m->vectors[TAC_X],
                         m->vectors[TAC_V], x, v);
    else
        tac_matter_fly(m, world->team, tac_seconds(world->base, now - m->time), m->vectors[TAC_X],
                       m->vectors[TAC_V], x, v);
}

static void arrive(TacWorld *world, TacMatter *m, TacTick now) {
    if (m->time == now) return;
    if (m->idle) { // rests where it is
        m->time = now;
        return;
    }
    uint32_t first = world->audited && m->times ? world->first_support[m->base.index] : UINT32_MAX;
    for (uint32_t i = 0; first != UINT32_MAX && i < m->count; i++) tac_safe_tell(world->safe, first + i, now);
    tac_world_locate(world, m, now, m->vectors[TAC_X], m->vectors[TAC_V]);
    m->time = now;
    for (size_t i = 0; m->times && i < m->count; i++) m->times[i] = now;
}

static void arrive_batch(TacWorld *world, const TacBatch *batch, TacTick now) {
    uint32_t first = world->audited ? world->first_support[batch->matter->base.index] : UINT32_MAX;
    for (size_t i = 0; first != UINT32_MAX && i < batch->count; i++)
        if (batch->matter->times[batch->points[i]] != now)
            tac_safe_tell(world->safe, first + batch->points[i], now);
    tac_batch_arrive(batch, world->base, world->team, now);
}

void tac_world_arrive(TacWorld *world, TacMatter *m) {
    if (!m->mapped && m->time < world->now) arrive(world, m, world->now);
}

typedef struct Instant {
    TacWorld *world;
    TacTick now;
    const uint32_t *tickers;
} Instant;

// Kicks of agents that layers hold up: the layers take part in the solve, what they are going to do themselves
// is taken out again, and what remains is delivered in equal parts (a whole kick would make them chatter).
static bool solve_with_layers(TacTicker *t, const TacContext *context, TacTick now) {
    size_t live = 0;
    TacForesight sight = {.step = t->step};
    t->solver->base.cls->ops.solver->foresight(t->solver, t->step, &sight.old, &sight.change);
    for (size_t i = 0; i < t->layer_count; i++) {
        if (!tac_layer_law_look(t->layers[i], now, &sight)) {
            snprintf(t->report.failure, sizeof t->report.failure, "out of memory");
            return false;
        }
        live += t->layers[i]->hold_count;
    }
    t->solver->base.cls->ops.solver->kick(t->solver, &t->program, context, &t->report);
    t->in_parts = live > 0;
    if (!live) return false;
    for (size_t i = 0; i < t->layer_count; i++) {
        const TacMatter *m = t->layers[i]->law.matter[0];
        tac_layer_law_give_back(t->layers[i], &sight, m->vectors[TAC_V], m->vectors[TAC_DV]);
    }
    return true;
}

// The same where joints are kept to: layers are rows among those of joints.
static bool solve_with_rows(TacTicker *t, const TacContext *context, TacTick now) {
    if (!tac_layer_rows_look(t->layer_rows, now)) {
        snprintf(t->report.failure, sizeof t->report.failure, "out of memory");
        return false;
    }
    t->solver->base.cls->ops.solver->kick(t->solver, &t->program, context, &t->report);
    t->in_parts = t->layer_rows->count > 0;
    if (t->in_parts) tac_layer_rows_give_back(t->layer_rows);
    return t->in_parts;
}

// The first part of a kick is delivered at once; the ticker of parts delivers the others.
static void cut_kick(const TacTicker *t) {
    const double part = 1.0 / (1 << TAC_KICK_PARTS);
    for (size_t k = 0; k < t->program.matter_count; k++) {
        const TacMatter *m = t->program.matters[k];
        double *dv = m->vectors[TAC_DV], *to = m->vectors[TAC_PART];
        for (size_t i = 0; i < tac_vector_size(m, TAC_DV); i++) to[i] = dv[i] = part * dv[i];
    }
}

static void add_part(const TacTicker *t) {
    for (size_t k = 0; k < t->program.matter_count; k++) {
        const TacMatter *m = t->program.matters[k];
        for (size_t i = 0; i < tac_vector_size(m, TAC_DV); i++)
            m->vectors[TAC_DV][i] += m->vectors[TAC_PART][i];
    }
}

void tac_world_kick(TacWorld *world, TacTicker *ticker, TacTick now) {
    double start = wall_seconds();
    TacContext context = {tac_seconds(world->base, now), ticker->step, world->team};
    ticker->report.failure[0] = 0;
    if (tac_ticker_is_idle(ticker)) return;
    tac_account_begin(world, ticker);
    if (ticker->batch) {
        tac_batch_kick(ticker->batch, &context);
    } else if (ticker->is_part) {
        const TacTicker *whole = &world->tickers[ticker->whole];
        bool first = now % ((TacTick)1 << whole->ruler_class) == 0;
        if (whole->in_parts && !first) add_part(ticker);
    } else if (ticker->layer_count) {
        if (solve_with_layers(ticker, &context, now)) cut_kick(ticker);
    } else if (ticker->layer_rows) {
        if (solve_with_rows(ticker, &context, now)) cut_kick(ticker);
    } else if (ticker->solver)
        ticker->solver->base.cls->ops.solver->kick(ticker->solver, &ticker->program, &context,
                                                   &ticker->report);
    else if (ticker->is_script)
        tac_program_prescribe(&ticker->program, &context, TAC_DV);
    else
        tac_kick_by_force(&ticker->program, &context);
    tac_account_note(world, ticker);
    ticker->kicks++;
    ticker->iterations += (uint64_t)ticker->report.iterations;
    ticker->seconds += wall_seconds() - start;
}

static void kick_agents(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Instant *instant = data;
    for (size_t i = begin; i < end; i++)
        tac_world_kick(instant->world, &instant->world->tickers[instant->tickers[i]], instant->now);
}

// Agents own disjoint matter, so many of them run side by side; few of them run one after the other, each
// with the whole team inside. Laws on their own clock may share matter: they add their kicks in order.
static void compute(TacWorld *world, TacTick now) {
    size_t agents = 0;
    while (agents < world->due_count && world->due[agents] < world->agent_count) agents++;
    Instant instant = {world, now, world->due};
    size_t threads = (size_t)tac_team_size(world->team);
    tac_team_run(world->team, agents, agents >= 2 * threads ? 1 : (agents ? agents : 1), kick_agents,
                 &instant);
    for (size_t i = agents; i < world->due_count; i++)
        tac_world_kick(world, &world->tickers[world->due[i]], now);
    tac_account_forget_hands(world);
    if (tac_hands_due(world, now)) {
        TacContext context = {tac_seconds(world->base, now), world->base.beat, world->team};
        tac_account_begin_hands(world);
        tac_kick_by_force(&world->hands.free, &context);
        tac_account_note_hands(world);
    }
}

// The tickers of an instant, ascending: those of the ruler's classes and the free ones, merged.
static void collect(TacWorld *world, const TacInstant *instant) {
    size_t n = 0;
    for (uint64_t classes = instant->classes; classes; classes &= classes - 1) {
        size_t count;
        const uint32_t *members = tac_ruler_members(&world->causal.ruler, __builtin_ctzll(classes), &count);
        for (size_t i = 0; i < count; i++) world->due[n++] = members[i];
    }
    for (size_t i = 0; i < instant->free_count; i++) world->due[n++] = instant->free_members[i];
    if (n) tac_sort_ids(world->due, world->due + world->ticker_count, n);
    world->due_count = n;
}

// Before an edge at its limit kicks a point.
static void tell_limit(void *data, const TacMatter *m, uint32_t point, TacTick now) {
    TacWorld *world = data;
    uint32_t first = world->first_support[m->base.index];
    if (first == UINT32_MAX) return;
    if (world->audited && m->times[point] != now) tac_safe_tell(world->safe, first + point, now);
    tac_safe_kicked_support(world->safe, first + point);
}

// A solver that found no kick: say so rather than go on without.
static TacStatus check_kicks(TacWorld *world, TacError *error) {
    for (size_t i = 0; i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        if (!t->report.failure[0]) continue;
        world->failed = true;
        return tac_fail(error, TAC_FAILED, "at %g s %s (%s): %s", tac_seconds(world->base, world->now),
                        t->name, t->what, t->report.failure);
    }
    return TAC_OK;
}

static TacStatus prepare(TacWorld *world, const TacInstant *instant, TacError *error) {
    if (world->safe) TAC_TRY(tac_safe_expire(world->safe, instant->now, error));
    if (world->limits) TAC_TRY(tac_limits_expire(world->limits, instant->now, error));
    collect(world, instant);
    for (size_t i = 0; i < world->due_count; i++) {
        const TacProgram *p = &world->tickers[world->due[i]].program;
        const TacBatch *batch = world->tickers[world->due[i]].batch;
        if (batch) arrive_batch(world, batch, instant->now);
        for (size_t k = 0; k < p->matter_count && !batch; k++) arrive(world, p->matters[k], instant->now);
        for (size_t k = 0; k < p->other_count; k++)
            if (!p->others[k]->mapped) arrive(world, p->others[k], instant->now);
        for (size_t k = 0; k < p->watched_count; k++) arrive(world, p->watched[k], instant->now);
    }
    for (size_t i = 0; tac_hands_due(world, instant->now) && i < world->hands.free.matter_count; i++)
        arrive(world, world->hands.free.matters[i], instant->now);
    tac_hands_hold_pins(world, instant->now);
    tac_world_change_levels(world, instant->now);
    TAC_TRY(tac_world_rest(world, instant->now, error));
    TAC_TRY(tac_world_touch(world, instant->now, error));
    compute(world, instant->now);
    tac_account_begin_layers(world);
    if (world->safe) TAC_TRY(tac_safe_kick(world->safe, instant->now, error));
    if (world->limits) tac_limits_kick(world->limits, instant->now, tell_limit, world);
    tac_account_note_layers(world);
    TAC_TRY(tac_world_wake_touched(world, instant->now, error));
    world->now = instant->now;
    world->prepared = true;
    world->instants++;
    return check_kicks(world, error);
}

typedef struct Commit {
    TacMatter *matter;
    atomic_bool broken; // some velocity is no longer a number
} Commit;

static void commit_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    Commit *c = data;
    double *restrict v = c->matter->vectors[TAC_V] + begin, *restrict dv = c->matter->vectors[TAC_DV] + begin;
    size_t n = end - begin;
    // 0, or NaN as soon as one of them is not finite; several sums, so that none waits for the last addition
    double sums[8] = {0}, sum = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++) {
            v[i + k] += dv[i + k];
            sums[k] += v[i + k] * 0;
            dv[i + k] = 0;
        }
    for (; i < n; i++) {
        v[i] += dv[i];
        sum += v[i] * 0;
        dv[i] = 0;
    }
    for (size_t k = 0; k < 8; k++) sum += sums[k];
    if (sum != 0) atomic_store_explicit(&c->broken, true, memory_order_relaxed);
}

// v += dv, with a check that the world still has numbers in it.
static bool commit_matter(TacTeam *team, TacMatter *m) {
    enum { GRAIN = 8192 };
    Commit c = {.matter = m};
    tac_team_run(team, tac_vector_size(m, TAC_V), GRAIN, commit_chunk, &c);
    return !atomic_load_explicit(&c.broken, memory_order_relaxed);
}

static size_t first_not_finite(const TacMatter *m, TacVector vector) {
    const double *values = m->vectors[vector];
    size_t n = tac_vector_size(m, vector), i = 0;
    while (i < n && isfinite(values[i])) i++;
    return i / (size_t)(tac_vector_is_position(vector) ? m->position_size : m->velocity_size);
}

static TacStatus fail_not_finite(TacWorld *world, const TacTicker *ticker, const TacMatter *m,
                                 TacVector vector, TacError *error) {
    world->failed = true;
    return tac_fail(error, TAC_FAILED,
                    "at %g s %s blew up: the %s of point %zu of %s is no longer a number. A smaller step "
                    "(it is %g s), less stiffness or an implicit solver may help",
                    tac_seconds(world->base, world->now), ticker->name,
                    tac_vector_is_position(vector) ? "position" : "velocity", first_not_finite(m, vector),
                    m->base.path, ticker->step);
}

static bool is_finite(const TacMatter *m, TacVector vector) {
    const double *values = m->vectors[vector];
    size_t n = tac_vector_size(m, vector);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i] * 0; // 0, or NaN as soon as one of them is not finite
    return sum == 0;
}

// Kicks by others on matter that is on its way: they change where and how fast it arrives.
static void divert(const TacWorld *world, TacMatter *m) {
    if (m->arrival <= m->time) return;
    double rest = tac_seconds(world->base, m->arrival - m->time);
    const double *dv = m->vectors[TAC_DV];
    double *x = m->vectors[TAC_X_NEXT], *v = m->vectors[TAC_V_NEXT];
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size, linear = pv == 6 ? 3 : pv;
    for (size_t i = 0; i < m->count; i++) {
        for (size_t k = 0; k < linear; k++) x[px * i + k] += rest * dv[pv * i + k];
        for (size_t k = 0; k < pv; k++) v[pv * i + k] += dv[pv * i + k];
        if (pv != 6) continue;
        TacVec3 turn = tac_scale(tac_load3(dv + 6 * i + 3), rest);
        if (turn.x == 0 && turn.y == 0 && turn.z == 0) continue;
        TacQuat q = tac_quat_mul(tac_quat_from_vector(turn), tac_load_quat(x + 7 * i + 3));
        tac_store_quat(x + 7 * i + 3, tac_quat_unit(q));
    }
}

// Solvers that move matter themselves: when it will be where they say.
static void set_arrivals(TacWorld *world) {
    for (size_t i = 0; i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        if (!t->solver || !tac_solver_moves(t->solver) || tac_ticker_is_idle(t)) continue;
        TacTick arrival = t->ruler_class >= 0
                              ? world->now + ((TacTick)1 << t->ruler_class)
                              : tac_free_clocks_find(&world->causal.free, world->due[i])->tick;
        for (size_t k = 0; k < t->program.matter_count; k++) t->program.matters[k]->arrival = arrival;
    }
}

// Tickers of parts are on the ruler only while there are parts.
static TacStatus schedule_parts(TacWorld *world, TacError *error) {
    for (size_t i = 0; i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        if (!t->parts) continue;
        bool there = tac_ruler_class_of(&world->causal.ruler, t->parts) >= 0;
        if (t->in_parts && !there)
            TAC_TRY(
                tac_ruler_add(&world->causal.ruler, t->parts, world->tickers[t->parts].ruler_class, error));
        if (!t->in_parts && there) tac_ruler_remove(&world->causal.ruler, t->parts);
    }
    return TAC_OK;
}

static void note_batch(TacWorld *world, const TacBatch *batch) {
    uint32_t first = world->first_support[batch->matter->base.index];
    for (size_t i = 0; first != UINT32_MAX && i < batch->count; i++)
        tac_safe_kicked_support(world->safe, first + batch->points[i]);
}

static void note_kicked(TacWorld *world, const TacProgram *p) {
    for (size_t k = 0; k < p->matter_count; k++) {
        const TacMatter *m = p->matters[k];
        uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
        if (first != UINT32_MAX) tac_safe_kicked_all(world->safe, first, m->count);
    }
}

// Everything that something has kicked, for edges at their limits.
static void note_limits(TacWorld *world) {
    TacLimits *limits = world->limits;
    for (size_t i = 0; i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        for (size_t k = 0; t->batch && k < t->batch->count; k++)
            tac_limits_kicked(limits, t->batch->matter, t->batch->points[k]);
        for (size_t k = 0; !t->batch && k < t->program.matter_count; k++)
            for (uint32_t p = 0; p < t->program.matters[k]->count; p++)
                tac_limits_kicked(limits, t->program.matters[k], p);
    }
    for (size_t k = 0; tac_hands_due(world, world->now) && k < world->hands.free.matter_count; k++)
        for (uint32_t p = 0; p < world->hands.free.matters[k]->count; p++)
            tac_limits_kicked(limits, world->hands.free.matters[k], p);
    size_t count;
    const uint32_t *touched = tac_safe_touched(world->safe, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t point;
        const TacMatter *m = tac_safe_support_matter(world->safe, touched[i], &point);
        tac_limits_kicked(limits, m, point);
    }
}

// Plans of everything that was kicked are checked against its new motion.
static TacStatus settle(TacWorld *world, TacError *error) {
    TAC_TRY(schedule_parts(world, error));
    for (size_t i = 0; i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        if (t->batch)
            note_batch(world, t->batch);
        else
            note_kicked(world, &t->program);
    }
    if (tac_hands_due(world, world->now)) note_kicked(world, &world->hands.free);
    if (world->limits) note_limits(world);
    TacStatus status = tac_safe_settle(world->safe, world->now, error);
    if (world->limits && status == TAC_OK) status = tac_limits_settle(world->limits, world->now, error);
    world->failed = world->failed || status != TAC_OK;
    return status;
}

// Matter that hands alone have kicked.
static TacStatus commit_hands(TacWorld *world, TacError *error) {
    const TacProgram *p = &world->hands.free;
    for (size_t i = 0; tac_hands_due(world, world->now) && i < p->matter_count; i++)
        if (!commit_matter(world->team, p->matters[i])) {
            world->failed = true;
            return tac_fail(error, TAC_FAILED,
                            "at %g s a hand pulled %s apart: its velocity is no longer a number",
                            tac_world_time(world), p->matters[i]->base.path);
        }
    tac_hands_hold_pins(world, world->now);
    return TAC_OK;
}

// It is short, so only some of them are timed, and what looking at the clock takes is not counted.
void tac_world_settle_solver(TacWorld *world, TacTicker *t, TacTick now) {
    enum { SAMPLED = 16 };
    if (!t->solver || !t->solver->base.cls->ops.solver->settle || tac_ticker_is_idle(t)) return;
    TacContext context = {tac_seconds(world->base, now), t->step, world->team};
    tac_hands_attend(world, &t->program);
    double energy = tac_account_kinetic(world, &t->program);
    bool timed = t->kicks % SAMPLED == 0;
    double before = timed ? wall_seconds() : 0, start = timed ? wall_seconds() : 0;
    t->solver->base.cls->ops.solver->settle(t->solver, &t->program, &context);
    if (timed) t->settling += SAMPLED * fmax(0, wall_seconds() - start - (start - before));
    tac_account_book(world, (size_t)(t - world->tickers), &t->program, energy);
}

static TacStatus commit(TacWorld *world, TacError *error) {
    world->prepared = false;
    world->shown = -1;
    TAC_TRY(check_kicks(world, error));
    tac_account_commit(world);
    tac_world_note_speeds(world);
    set_arrivals(world);
    for (size_t i = 0; i < world->due_count; i++) {
        TacTicker *ticker = &world->tickers[world->due[i]];
        if (ticker->solver && tac_ticker_is_idle(ticker)) continue;
        if (ticker->batch && !tac_batch_commit(ticker->batch))
            return fail_not_finite(world, ticker, ticker->batch->matter, TAC_V, error);
        for (size_t k = 0; k < ticker->program.matter_count && !ticker->batch; k++) {
            TacMatter *m = ticker->program.matters[k];
            divert(world, m);
            if (!commit_matter(world->team, m)) return fail_not_finite(world, ticker, m, TAC_V, error);
            if (m->arrival <= m->time) continue;
            if (!is_finite(m, TAC_X_NEXT)) return fail_not_finite(world, ticker, m, TAC_X_NEXT, error);
            if (!is_finite(m, TAC_V_NEXT)) return fail_not_finite(world, ticker, m, TAC_V_NEXT, error);
        }
        if (ticker->growth) TAC_TRY(tac_world_watch_growth(world, ticker, error));
        tac_world_settle_solver(world, ticker, world->now);
        if (world->audited && world->node_pair_count) tac_world_audit_nodes(world, ticker);
    }
    TAC_TRY(commit_hands(world, error));
    tac_world_choose_levels(world);
    if (world->limits && !tac_limits_commit(world->limits)) {
        world->failed = true;
        return tac_fail(error, TAC_FAILED,
                        "at %g s an edge at its limit kicked a point to a velocity that is no "
                        "longer a number",
                        tac_world_time(world));
    }
    return world->safe ? settle(world, error) : TAC_OK;
}

// --- advancing --------------------------------------------------------------------------------------------

// The next instant before `limit` at which a ticker, a hand, a layer or a certificate is due.
static TacStatus take_instant(TacWorld *world, TacTick limit, TacInstant *instant, TacError *error) {
    TacTick from = tac_causal_from(&world->causal), other = tac_hands_next(world, from);
    if (world->safe) other = tac_safe_next(world->safe, from, other < limit ? other : limit);
    if (world->limits) other = tac_limits_next(world->limits, from, other < limit ? other : limit);
    TAC_TRY(tac_causal_take_before(&world->causal, other < limit ? other + 1 : limit, instant, error));
    if (other < limit && instant->now > other) *instant = (TacInstant){.now = other};
    return TAC_OK;
}

// Who only looks has nowhere to put a message: it is kept for who lets time run.
static TacStatus prepare_or_fail(TacWorld *world, const TacInstant *instant, TacError *error) {
    TacError why;
    TacStatus status = prepare(world, instant, &why);
    if (status != TAC_OK) {
        world->failed = true;
        world->now = instant->now;
        world->failure = why;
        if (error) *error = why;
    }
    return status;
}

bool tac_world_is_stopped(const TacWorld *world) {
    return world->stop && world->instants % 64 == 0 && world->stop(world->stop_data);
}

static TacStatus run_instants(TacWorld *world, TacTick target, TacError *error) {
    if (world->prepared) TAC_TRY(commit(world, error));
    for (;;) {
        if (tac_world_is_stopped(world)) {
            // all instants before the first one that is not done
            target = tac_causal_from(&world->causal);
            break;
        }
        TacInstant instant;
        TAC_TRY(take_instant(world, target, &instant, error));
        if (instant.now >= target) break;
        TAC_TRY(prepare_or_fail(world, &instant, error));
        TAC_TRY(commit(world, error));
    }
    world->now = target;
    world->shown = -1;
    return TAC_OK;
}

void tac_world_stop_when(TacWorld *world, bool (*stop)(void *data), void *data) {
    world->stop = stop;
    world->stop_data = data;
}

static TacTick next_pause(const TacWorld *world, TacTick target) {
    TacTick beat = (TacTick)1 << world->base.bits, end = target;
    if (world->audited && (world->now / beat + 1) * beat < end) end = (world->now / beat + 1) * beat;
    if (world->beats.wanted && world->beats.next < end) end = world->beats.next;
    TacTick input = tac_hands_script_next(world);
    return input < end ? input : end;
}

static TacStatus run_pieces(TacWorld *world, TacTick target, TacError *error) {
    if (world->failed && world->failure.status == TAC_OK)
        return tac_fail(error, TAC_FAILED, "the world failed before; it cannot go on");
    if (world->failed) {
        if (error) *error = world->failure;
        return world->failure.status;
    }
    if (target < world->now || target > TAC_TICK_NEVER / 2)
        return tac_fail(error, TAC_BAD_USAGE, "cannot advance from %g s to %g s", tac_world_time(world),
                        tac_seconds(world->base, target));
    if (target == world->now) return TAC_OK;
    // an audit asks beat by beat, and triggers are looked at on beats
    TacTick beat = (TacTick)1 << world->base.bits;
    if (world->beats.next <= world->now) world->beats.next = (world->now / beat + 1) * beat;
    while (world->now < target && !tac_world_stopped_by(world)) {
        TAC_TRY(tac_hands_script_do(world, error));
        TacTick end = next_pause(world, target);
        TacStatus status =
            world->loose ? tac_world_loose_run(world, end, error) : run_instants(world, end, error);
        // a run that fails is asked about, too
        if (status != TAC_OK && world->audited) tac_safe_audit_close(world->safe, world->now, NULL);
        TAC_TRY(status);
        if (world->audited) TAC_TRY(tac_safe_audit_window(world->safe, world->now, error));
        if (world->now < end) return TAC_OK; // stopped
        if (world->beats.wanted && end == world->beats.next) TAC_TRY(tac_world_look_at_beat(world, error));
    }
    return TAC_OK;
}

static TacStatus run_until(TacWorld *world, TacTick target, TacError *error) {
    double start = wall_seconds();
    TacStatus status = run_pieces(world, target, error);
    world->seconds += wall_seconds() - start;
    return status;
}

TacStatus tac_world_advance(TacWorld *world, double seconds, TacError *error) {
    if (!(seconds >= 0) || seconds > 1e9)
        return tac_fail(error, TAC_BAD_USAGE, "cannot advance by %g s", seconds);
    return run_until(world, world->now + tac_ticks_round(world->base, seconds), error);
}

TacStatus tac_world_advance_beats(TacWorld *world, int64_t beats, TacError *error) {
    if (beats < 0 || beats > (TAC_TICK_NEVER / 4) >> world->base.bits)
        return tac_fail(error, TAC_BAD_USAGE, "cannot advance by %lld beats", (long long)beats);
    return run_until(world, world->now + (beats << world->base.bits), error);
}

TacStatus tac_world_advance_to_frame(TacWorld *world, double fps, int64_t n, TacError *error) {
    uint32_t p, q;
    if (!(fps > 0) || n < 0)
        return tac_fail(error, TAC_BAD_USAGE, "no frame %lld at %g fps", (long long)n, fps);
    TacTick target = tac_free_clock_ratio(1 / fps, world->base.beat, &p, &q)
                         ? tac_free_clock_tick(world->base.bits, p, q, n)
                         : tac_ticks_round(world->base, (double)n / fps);
    return run_until(world, target, error);
}

TacStatus tac_world_prepare_now(TacWorld *world, TacError *error) {
    if (world->loose || world->prepared || world->failed) return TAC_OK;
    TacTick from = tac_causal_from(&world->causal);
    bool contact =
        world->safe && from <= world->now && tac_safe_next(world->safe, from, world->now + 1) == world->now;
    if (world->limits && from <= world->now)
        contact = contact || tac_limits_next(world->limits, from, world->now + 1) == world->now;
    if (!contact && tac_causal_next(&world->causal) != world->now) return TAC_OK;
    TacInstant instant;
    TAC_TRY(take_instant(world, world->now + 1, &instant, error));
    return prepare_or_fail(world, &instant, error);
}

TacStatus tac_world_before_change(TacWorld *world, TacError *error) {
    if (world->loose || world->prepared || world->failed) return TAC_OK;
    if (tac_causal_from(&world->causal) > world->now) return TAC_OK;
    TacInstant instant;
    TAC_TRY(take_instant(world, world->now + 1, &instant, error));
    return instant.now > world->now ? TAC_OK : prepare_or_fail(world, &instant, error);
}

double tac_world_time(const TacWorld *world) {
    return tac_seconds(world->base, world->now);
}

int64_t tac_world_tick(const TacWorld *world) {
    return world->now;
}

double tac_world_beat(const TacWorld *world) {
    return world->base.beat;
}

// --- looking ----------------------------------------------------------------------------------------------

void tac_world_show(TacWorld *world) {
    if (world->shown == world->now) return;
    for (size_t i = 0; i < world->all.matter_count; i++) {
        TacMatter *m = world->all.matters[i];
        // under the loose scheduler everybody is seen at its own time
        tac_world_locate(world, m, m->time > world->now ? m->time : world->now, m->vectors[TAC_X_SHOWN],
                         m->vectors[TAC_V_SHOWN]);
    }
    tac_world_show_levels(world);
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    tac_program_propagate(&world->all, &context, TAC_X_SHOWN, TAC_V_SHOWN);
    world->shown = world->now;
}

TacComponent *tac_world_get(const TacWorld *world, TacComponentId id) {
    if (id.index1 == 0 || id.index1 > world->source_count) return NULL;
    uint32_t i = world->of_source[id.index1 - 1];
    bool there = i != UINT32_MAX && world->component_ids[2 * (size_t)i + 1] == id.generation;
    return there ? world->components[i] : NULL;
}

TacMatter *tac_world_get_matter(const TacWorld *world, TacComponentId id) {
    TacComponent *c = tac_world_get(world, id);
    return c && c->cls->kind == TAC_KIND_MATTER ? (TacMatter *)c : NULL;
}

static TacComponentId id_of(const TacWorld *world, const TacComponent *c) {
    return (TacComponentId){world->component_ids[2 * c->index], world->component_ids[2 * c->index + 1]};
}

TacComponentId tac_world_find(const TacWorld *world, const char *path) {
    for (size_t i = 0; i < world->component_count; i++)
        if (!strcmp(world->components[i]->path, path)) return id_of(world, world->components[i]);
    return (TacComponentId){0, 0};
}

size_t tac_world_matter_count(const TacWorld *world) {
    return world->matter_count;
}

TacComponentId tac_world_matter(const TacWorld *world, size_t i) {
    return i < world->matter_count ? id_of(world, &world->matters[i]->base) : (TacComponentId){0, 0};
}

const char *tac_world_path(const TacWorld *world, TacComponentId id) {
    const TacComponent *c = tac_world_get(world, id);
    return c ? c->path : NULL;
}

TacMatterKind tac_world_kind(const TacWorld *world, TacComponentId id) {
    const TacMatter *m = tac_world_get_matter(world, id);
    return m ? m->kind : TAC_MATTER_KINDS;
}

size_t tac_world_point_count(const TacWorld *world, TacComponentId id) {
    const TacMatter *m = tac_world_get_matter(world, id);
    return m ? m->count : 0;
}

const double *tac_world_positions(TacWorld *world, TacComponentId id) {
    const TacMatter *m = tac_world_get_matter(world, id);
    if (!m) return NULL;
    tac_world_show(world);
    return m->vectors[TAC_X_SHOWN];
}

const double *tac_world_velocities(TacWorld *world, TacComponentId id) {
    const TacMatter *m = tac_world_get_matter(world, id);
    if (!m) return NULL;
    tac_world_show(world);
    return m->vectors[TAC_V_SHOWN];
}

static bool all_finite(const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

// Kicks that were computed are computed again from what is there now. Not where contact is safe: what layers remember
// cannot be computed twice, and those kicks stand.
static void kick_again(TacWorld *world) {
    if (!world->prepared || world->failed || world->safe) return;
    for (size_t i = 0; i < world->matter_count; i++)
        memset(world->matters[i]->vectors[TAC_DV], 0,
               tac_vector_size(world->matters[i], TAC_DV) * sizeof(double));
    for (size_t i = 0; tac_hands_due(world, world->now) && i < world->hands.free.matter_count; i++)
        arrive(world, world->hands.free.matters[i], world->now);
    tac_world_touch(world, world->now, NULL);
    compute(world, world->now);
}

TacStatus tac_world_set_state(TacWorld *world, TacComponentId id, const double *positions,
                              const double *velocities, TacError *error) {
    TacMatter *m = tac_world_get_matter(world, id);
    if (!m) return tac_fail(error, TAC_BAD_USAGE, "not matter of this world");
    if (m->mapped)
        return tac_fail(error, TAC_BAD_USAGE, "%s follows other matter; set the state of that", m->base.path);
    if (m->idle)
        return tac_fail(error, TAC_BAD_USAGE,
                        "%s is idle: another model stands for it; set the state of that", m->base.path);
    size_t nx = tac_vector_size(m, TAC_X), nv = tac_vector_size(m, TAC_V);
    if ((positions && !all_finite(positions, nx)) || (velocities && !all_finite(velocities, nv)))
        return tac_fail(error, TAC_BAD_INPUT, "%s: positions and velocities must be finite", m->base.path);
    TAC_TRY(tac_world_before_change(world, error));
    if (m->time < world->now) arrive(world, m, world->now);
    if (!world->loose) TAC_TRY(tac_world_rouse(world, m, error)); // with all that it touches where it is
    tac_account_close(world);
    double before = tac_account_kinetic(world, &world->all);
    m->arrival = -1; // from here it flies, until its solver's next step
    if (positions) memmove(m->vectors[TAC_X], positions, nx * sizeof(double));
    if (velocities) memmove(m->vectors[TAC_V], velocities, nv * sizeof(double));
    if (m->carried) tac_carry_points(m->carried, m->count, m->vectors[TAC_X], m->vectors[TAC_V]);
    for (size_t i = 0; positions && m->kind == TAC_RIGID3 && i < m->count; i++) {
        double *q = m->vectors[TAC_X] + 7 * i + 3;
        tac_store_quat(q, tac_quat_unit(tac_load_quat(q)));
    }
    world->shown = -1;
    kick_again(world);
    tac_account_book(world, world->ticker_count + TAC_BOOK_OUTSIDE, &world->all, before);
    tac_account_open(world);
    if (world->loose) tac_world_loose_rouse(world, m);
    uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
    TacStatus status =
        first == UINT32_MAX ? TAC_OK : tac_safe_moved(world->safe, first, m->count, world->now, error);
    for (uint32_t i = 0; world->limits && i < m->count; i++) tac_limits_kicked(world->limits, m, i);
    if (world->limits && status == TAC_OK) status = tac_limits_settle(world->limits, world->now, error);
    world->failed = world->failed || status != TAC_OK;
    return status;
}
