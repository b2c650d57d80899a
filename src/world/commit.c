// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The second half of an instant: velocities change, and whoever has to know does. See instant.h, and world.h for the
// rules.

#define _GNU_SOURCE
#include "base/wall_clock.h"
#include "world/account.h"
#include "world/batch_parts.h"
#include "world/beside.h"
#include "world/growth.h"
#include "world/instant.h"
#include "world/momentum.h"
#include "world/rest.h"
#include "world/stride.h"

#include <stdatomic.h>

// --- velocities -------------------------------------------------------------------------------------------

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
    enum { LEAST = 2048 }; // numbers
    Commit c = {.matter = m};
    size_t n = tac_vector_size(m, TAC_V);
    tac_team_run(team, n, tac_team_grain(team, n, LEAST), commit_chunk, &c);
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
                    "(it is %g s), less stiffness, less damping or an implicit solver may help",
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
        TacTick arrival = tac_ticker_is_free(t)
                              ? tac_free_clocks_find(&world->causal.free, world->due[i])->tick
                              : world->now + ((TacTick)1 << t->ruler_class);
        for (size_t k = 0; k < t->program.matter_count; k++) t->program.matters[k]->arrival = arrival;
    }
}

// Tickers of parts are on the ruler only while there are parts.
static TacStatus schedule_parts(TacWorld *world, TacError *error) {
    for (size_t i = 0; i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        if (!t->parts) continue;
        const TacTicker *part = &world->tickers[t->parts];
        bool there = tac_ruler_class_of(&world->causal.ruler, t->parts) >= 0;
        bool wanted = part->deliveries ? tac_batch_parts_any(world, part) : t->in_parts;
        if (wanted == there) continue;
        if (there)
            tac_ruler_remove(&world->causal.ruler, t->parts);
        else
            TAC_TRY(tac_ruler_add(&world->causal.ruler, t->parts, part->ruler_class, error));
        if (!part->deliveries) tac_stride_tell_parts(world, t);
    }
    return TAC_OK;
}

static void note_batch(TacWorld *world, const TacBatch *batch) {
    uint32_t first = world->first_support[batch->matter->base.index];
    for (size_t i = 0; first != UINT32_MAX && i < batch->count; i++)
        tac_safe_kicked_support(world->safe, first + batch->points[i]);
}

static void note_kicked(TacWorld *world, const TacMatter *m) {
    uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
    if (first != UINT32_MAX) tac_safe_kicked_all(world->safe, first, m->count);
}

// Whether hands alone may have kicked it. Those that did may have let go since: so it is not they who are asked.
static bool is_pulled(const TacWorld *world, size_t matter) {
    const TacMatter *m = world->matters[matter];
    return world->hands.owner[matter] == UINT32_MAX && !m->mapped && m->time == world->now;
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
    for (size_t k = 0; world->hands_kicked && k < world->matter_count; k++)
        for (uint32_t p = 0; is_pulled(world, k) && p < world->matters[k]->count; p++)
            tac_limits_kicked(limits, world->matters[k], p);
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
        if (t->batch) note_batch(world, t->batch);
        for (size_t k = 0; !t->batch && k < t->program.matter_count; k++)
            note_kicked(world, t->program.matters[k]);
    }
    for (size_t k = 0; world->hands_kicked && k < world->matter_count; k++)
        if (is_pulled(world, k)) note_kicked(world, world->matters[k]);
    if (world->limits) note_limits(world);
    TacStatus status = tac_safe_settle(world->safe, world->now, error);
    if (world->limits && status == TAC_OK) status = tac_limits_settle(world->limits, world->now, error);
    world->failed = world->failed || status != TAC_OK;
    return status;
}

// Matter that hands alone have kicked.
static TacStatus commit_hands(TacWorld *world, TacError *error) {
    for (size_t i = 0; world->hands_kicked && i < world->matter_count; i++)
        if (is_pulled(world, i) && !commit_matter(world->team, world->matters[i])) {
            world->failed = true;
            return tac_fail(error, TAC_FAILED,
                            "at %g s a hand pulled %s apart: its velocity is no longer a number",
                            tac_world_time(world), world->matters[i]->base.path);
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
    TacEntry earlier = tac_account_look(world, &t->program);
    TacMoment moment = {0};
    t->program.made_up = tac_momentum_may_change(t);
    if (t->program.made_up) moment = tac_momentum_now(t, &context);
    bool timed = t->kicks % SAMPLED == 0;
    double before = timed ? tac_wall_seconds() : 0, start = timed ? tac_wall_seconds() : 0;
    t->solver->base.cls->ops.solver->settle(t->solver, &t->program, &context);
    if (timed) t->settling += SAMPLED * (tac_wall_seconds() - start - (start - before));
    if (t->program.made_up) tac_momentum_restore(t, &context, moment);
    tac_account_book(world, (size_t)(t - world->tickers), &t->program, &earlier);
}

// The velocities of one that is due.
static void commit_ticker(TacWorld *world, TacTicker *t, TacTick now) {
    (void)now;
    t->broken = NULL;
    if (t->growth) tac_world_note_turned(world, t);
    if (t->batch && !tac_batch_commit(t->batch)) t->broken = t->batch->matter;
    for (size_t k = 0; k < t->program.matter_count && !t->batch && !t->broken; k++) {
        TacMatter *m = t->program.matters[k];
        divert(world, m);
        if (!commit_matter(world->team, m)) t->broken = m;
    }
}

// Only what belongs to an agent alone.
static void commit_agent(TacWorld *world, TacTicker *agent, TacTick now) {
    if (!tac_ticker_is_idle(agent)) commit_ticker(world, agent, now);
}

TacStatus tac_world_commit(TacWorld *world, TacError *error) {
    world->prepared = false;
    world->shown = -1;
    TAC_TRY(tac_world_check_kicks(world, error));
    tac_account_commit(world);
    tac_world_note_speeds(world);
    set_arrivals(world);
    tac_world_beside(world, commit_agent, world->now);
    size_t agents = tac_world_due_agents(world);
    for (size_t i = 0; i < world->due_count; i++) {
        TacTicker *ticker = &world->tickers[world->due[i]];
        bool idle = tac_ticker_is_idle(ticker);
        if (ticker->solver && idle) continue;
        // in a moment it settles, which takes less time than fetching what it looks at
        if (ticker->solver) __builtin_prefetch(ticker->program.kept);
        if (i >= agents || idle) commit_ticker(world, ticker, world->now);
        if (ticker->broken) return fail_not_finite(world, ticker, ticker->broken, TAC_V, error);
        for (size_t k = 0; k < ticker->program.matter_count && !ticker->batch; k++) {
            const TacMatter *m = ticker->program.matters[k];
            if (m->arrival <= m->time) continue;
            if (!is_finite(m, TAC_X_NEXT)) return fail_not_finite(world, ticker, m, TAC_X_NEXT, error);
            if (!is_finite(m, TAC_V_NEXT)) return fail_not_finite(world, ticker, m, TAC_V_NEXT, error);
        }
        if (ticker->growth) TAC_TRY(tac_world_watch_growth(world, ticker, error));
        tac_world_settle_solver(world, ticker, world->now);
        if (world->node_pair_count) TAC_TRY(tac_world_check_nodes(world, ticker, error));
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
