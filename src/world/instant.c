// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The first half of an instant: matter arrives, kicks are computed. See instant.h, and world.h for the rules.

#define _GNU_SOURCE
#include "world/instant.h"
#include "base/wall_clock.h"
#include "time/sort_ids.h"
#include "world/account.h"
#include "world/batch_parts.h"
#include "world/beside.h"
#include "world/concert.h"
#include "world/momentum.h"
#include "world/rest.h"
#include "world/stride.h"
#include "world/ticking.h"

// --- arriving ---------------------------------------------------------------------------------------------

// Where points are that have their own times.
typedef struct Locate {
    const TacWorld *world;
    const TacMatter *matter;
    TacTick now;
    double *x, *v;
} Locate;

static void locate_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Locate *l = data;
    const TacMatter *m = l->matter;
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
    for (size_t i = begin; i < end; i++) {
        const double *from = m->vectors[TAC_X] + px * i, *speed = m->vectors[TAC_V] + pv * i;
        double *x = l->x + px * i, *v = l->v + pv * i;
        if (m->times[i] != l->now) {
            tac_matter_fly_one(m, i, tac_seconds(l->world->base, l->now - m->times[i]), from, speed, x, v);
        } else if (x != from) {
            memcpy(x, from, px * sizeof *x);
            memcpy(v, speed, pv * sizeof *v);
        }
    }
}

static void locate_each(const TacWorld *world, const TacMatter *m, TacTick now, double *x, double *v) {
    enum { GRAIN = 512 };
    Locate locate = {world, m, now, x, v};
    tac_team_run(world->team, m->count, GRAIN, locate_chunk, &locate);
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

// What belongs to an agent alone: one that is idle, because it is merged, shares it.
static void arrive_agent(TacWorld *world, TacTicker *agent, TacTick now) {
    if (tac_ticker_is_idle(agent)) return;
    for (size_t k = 0; k < agent->program.matter_count; k++) arrive(world, agent->program.matters[k], now);
}

void tac_world_arrive(TacWorld *world, TacMatter *m) {
    if (!m->mapped && m->time < world->now) arrive(world, m, world->now);
}

static void note_kick(TacTicker *ticker, double seconds) {
    ticker->kicks++;
    ticker->seconds += seconds;
}

static void finish_kick(TacWorld *world, TacTicker *ticker, double seconds) {
    tac_account_note(world, ticker);
    ticker->iterations += (uint64_t)ticker->report.iterations;
    tac_world_note_solve(ticker);
    note_kick(ticker, seconds);
}

// Those that an agent leads, itself among them.
static void kick_in_concert(TacWorld *world, TacTicker *leader, TacTick now) {
    size_t count = leader->led;
    double start = tac_wall_seconds();
    TacStrideKick *kicks = tac_concert_kicks(world, leader);
    size_t n = 0;
    for (size_t i = 0; n < count; i++) {
        TacTicker *t = &world->tickers[world->due[i]];
        if (t->leader != (uint32_t)(leader - world->tickers)) continue;
        t->report.failure[0] = 0;
        t->report.left = 0;
        kicks[n++] = (TacStrideKick){t, {tac_seconds(world->base, now), t->step, world->team}, 0};
        tac_account_begin(world, t);
    }
    tac_stride_kick(world, kicks, count, now);
    double each = (tac_wall_seconds() - start) / (double)count;
    for (size_t i = 0; i < count; i++) finish_kick(world, kicks[i].ticker, each);
}

// Alone, or with those that it leads.
static void kick_agent(TacWorld *world, TacTicker *agent, TacTick now) {
    if (agent->led > 1)
        kick_in_concert(world, agent, now);
    else if (agent->leader == (uint32_t)(agent - world->tickers))
        tac_world_kick(world, agent, now);
}

void tac_world_kick(TacWorld *world, TacTicker *ticker, TacTick now) {
    double start = tac_wall_seconds();
    TacContext context = {tac_seconds(world->base, now), ticker->step, world->team};
    ticker->report.failure[0] = 0;
    ticker->report.left = 0;
    if (tac_ticker_is_idle(ticker)) return;
    if (ticker->deliveries) {
        tac_batch_parts_deliver(world, ticker, &context, now);
        note_kick(ticker, tac_wall_seconds() - start);
        return;
    }
    tac_account_begin(world, ticker);
    if (ticker->shares) {
        tac_batch_parts_kick(world, ticker, &context);
    } else if (ticker->batch) {
        tac_batch_force(ticker->batch, &context, TAC_V);
        tac_batch_add(ticker->batch, &context);
    } else if (ticker->is_part) {
        const TacTicker *whole = &world->tickers[ticker->whole];
        bool first = tac_ticking_at(world, whole, tac_stride_class(whole), now);
        if (whole->in_parts && !first) tac_stride_add_part(whole, &context);
    } else if (ticker->stride) {
        TacStrideKick kick = {ticker, context, 0};
        tac_stride_kick(world, &kick, 1, now);
    } else if (ticker->solver) {
        ticker->solver->base.cls->ops.solver->kick(ticker->solver, &ticker->program, &context,
                                                   &ticker->report);
        if (!ticker->report.failure[0] && tac_momentum_is_own(ticker)) tac_momentum_mend(ticker, &context);
    } else if (ticker->is_script)
        tac_program_prescribe(&ticker->program, &context, TAC_DV);
    else
        tac_kick_by_force(&ticker->program, &context);
    finish_kick(world, ticker, tac_wall_seconds() - start);
}

// Laws on their own clock may share matter: they add their kicks in order.
void tac_world_compute(TacWorld *world, TacTick now) {
    tac_world_find_concerts(world, now);
    tac_world_beside(world, kick_agent, now);
    tac_world_leave_concerts(world);
    for (size_t i = tac_world_due_agents(world); i < world->due_count; i++)
        tac_world_kick(world, &world->tickers[world->due[i]], now);
    tac_batch_parts_mend(world, now);
    tac_account_forget_hands(world);
    world->hands_kicked = tac_hands_due(world, now);
    if (world->hands_kicked) {
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
TacStatus tac_world_check_kicks(TacWorld *world, TacError *error) {
    for (size_t i = 0; i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        if (!t->report.failure[0]) continue;
        world->failed = true;
        return tac_fail(error, TAC_FAILED, "at %g s %s (%s): %s", tac_seconds(world->base, world->now),
                        t->name, t->what, t->report.failure);
    }
    return TAC_OK;
}

TacStatus tac_world_prepare(TacWorld *world, const TacInstant *instant, TacError *error) {
    if (world->safe) TAC_TRY(tac_safe_expire(world->safe, instant->now, error));
    if (world->limits) TAC_TRY(tac_limits_expire(world->limits, instant->now, error));
    collect(world, instant);
    if (!world->audited) tac_world_beside(world, arrive_agent, instant->now); // the audit is told in order
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
    tac_world_feel_pushes(world, instant->now);
    tac_world_compute(world, instant->now);
    TAC_TRY(tac_world_file_strides(world, instant->now, error));
    tac_account_begin_layers(world);
    if (world->safe) TAC_TRY(tac_safe_kick(world->safe, instant->now, error));
    if (world->limits) tac_limits_kick(world->limits, instant->now, tell_limit, world);
    tac_account_note_layers(world);
    world->now = instant->now; // before anybody is woken: what is promised of who wakes holds from here on
    TAC_TRY(tac_world_wake_touched(world, instant->now, error));
    TAC_TRY(tac_world_cut_strides(world, error));
    world->prepared = true;
    world->shown =
        -1; // who is pinned, falls asleep or changes its level is no longer as somebody may have seen it
    world->instants++;
    return tac_world_check_kicks(world, error);
}
