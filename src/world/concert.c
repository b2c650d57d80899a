// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents in concert; see concert.h.

#include "world/concert.h"
#include "world/beside.h"
#include "world/rest.h"

#include <stdio.h>

// --- who plays together -----------------------------------------------------------------------------------

static bool foresees(const TacTicker *t) {
    return t->stride && t->layer_count && !tac_ticker_is_idle(t);
}

static int own_class(const TacTicker *t) {
    return t->rest ? t->rest->own : t->ruler_class; // steps of what rests grow
}

static bool are_alike(const TacTicker *a, const TacTicker *b) {
    return own_class(a) == own_class(b) && a->p == b->p && a->q == b->q;
}

static uint32_t first_of(const TacWorld *world, uint32_t ticker) {
    while (world->tickers[ticker].leader != ticker) ticker = world->tickers[ticker].leader;
    return ticker;
}

static void join(TacWorld *world, uint32_t a, uint32_t b) {
    if (a == b || !are_alike(&world->tickers[a], &world->tickers[b])) return;
    a = first_of(world, a);
    b = first_of(world, b);
    world->tickers[a > b ? a : b].leader = a < b ? a : b;
}

// Whoever is due and moves a support; else none.
static uint32_t player(const TacWorld *world, uint32_t support) {
    uint32_t point;
    const TacMatter *m = tac_safe_support_matter(world->safe, support, &point);
    uint32_t owner = world->hands.owner[tac_matter_place(world->matters, world->matter_count, m)];
    return owner < world->agent_count && world->tickers[owner].led ? owner : UINT32_MAX;
}

static void join_pair(void *data, const uint32_t *supports, int count, double restitution) {
    TacWorld *world = data;
    (void)restitution;
    uint32_t first = UINT32_MAX;
    for (int i = 0; i < count; i++) {
        uint32_t one = player(world, supports[i]);
        if (one == UINT32_MAX) continue;
        if (first == UINT32_MAX) first = one;
        join(world, first, one);
    }
}

// Of several concerts each has its part of the lists.
static void seat(TacWorld *world, size_t agents) {
    uint32_t kicks = 0, laws = 0;
    for (size_t i = 0; i < agents; i++) {
        TacTicker *leader = &world->tickers[world->due[i]];
        if (!leader->led) continue;
        leader->first_led = kicks;
        leader->first_law = laws;
        kicks += leader->led;
        laws += leader->led_laws;
    }
}

void tac_world_find_concerts(TacWorld *world, TacTick now) {
    size_t agents = tac_world_due_agents(world), count = 0;
    for (size_t i = 0; i < agents; i++) {
        TacTicker *t = &world->tickers[world->due[i]];
        t->leader = world->due[i];
        t->led = world->safe && foresees(t);
        t->led_laws = (uint32_t)t->layer_count;
        count += t->led;
    }
    if (count > 1) tac_safe_each_push(world->safe, now, join_pair, world);
    for (size_t i = 0; i < agents; i++) {
        TacTicker *t = &world->tickers[world->due[i]];
        t->leader = first_of(world, world->due[i]);
        if (t->leader == world->due[i]) continue;
        t->led = 0;
        world->tickers[t->leader].led++;
        world->tickers[t->leader].led_laws += t->led_laws;
    }
    seat(world, agents);
}

void tac_world_leave_concerts(TacWorld *world) {
    for (size_t i = 0; i < tac_world_due_agents(world); i++) world->tickers[world->due[i]].led = 0;
}

TacStatus tac_world_seat_concerts(TacWorld *world, TacError *error) {
    size_t agents = 0, laws = 0;
    for (size_t i = 0; i < world->ticker_count; i++) {
        agents += world->tickers[i].layer_count > 0;
        laws += world->tickers[i].layer_count;
    }
    world->concert_kicks = tac_arena_array(&world->arena, agents, sizeof *world->concert_kicks);
    world->concert_laws = tac_arena_array(&world->arena, laws, sizeof(TacLayerLaw *));
    return world->concert_kicks && world->concert_laws ? TAC_OK : tac_fail_memory(error, 0);
}

// --- making them agree ------------------------------------------------------------------------------------

TacStrideKick *tac_concert_kicks(const TacWorld *world, const TacTicker *leader) {
    return world->concert_kicks + leader->first_led;
}

void tac_concert_begin(TacConcert *c, const TacWorld *world) {
    c->laws = NULL;
    c->law_count = 0;
    if (!c->kicks->ticker->led) return;
    c->laws = world->concert_laws + c->kicks->ticker->first_law;
    for (size_t k = 0; k < c->count; k++)
        for (size_t i = 0; i < c->kicks[k].ticker->layer_count; i++) {
            c->laws[c->law_count] = c->kicks[k].ticker->layers[i];
            c->laws[c->law_count++]->agent = (uint32_t)k;
        }
}

bool tac_concert_meet(TacConcert *c, TacTick now) {
    bool alone = c->count < 2; // and bears nothing
    for (size_t i = 0; i < c->law_count; i++) alone = alone && !c->laws[i]->arm_count;
    if (alone) c->law_count = 0;
    return tac_layer_laws_meet(c->laws, c->law_count, now);
}

static void solve(TacStrideKick *kick, bool again, bool same, bool rough) {
    TacTicker *t = kick->ticker;
    t->program.again = again;
    t->program.same = same;
    t->program.rough = rough;
    t->report.rough = false;
    t->solver->base.cls->ops.solver->kick(t->solver, &t->program, &kick->context, &t->report);
    t->program.same = false;
}

void tac_concert_solve(TacStrideKick *kick, bool again, bool rough) {
    solve(kick, again, false, rough);
}

// In the room of one of them, whichever has been used for that before.
static TacMixing *mixing_of(const TacConcert *c) {
    TacMixing *most = &c->laws[0]->room->mixing;
    for (size_t i = 1; i < c->law_count; i++) {
        TacMixing *m = &c->laws[i]->room->mixing;
        if (m->past_capacity > most->past_capacity) most = m;
    }
    return most;
}

static size_t take_doubts(const TacConcert *c, const double *from, double *to) {
    size_t n = 0;
    for (size_t i = 0; i < c->law_count; i++)
        n += tac_layer_law_doubts(c->laws[i], from ? from + n : NULL, to ? to + n : NULL);
    return n + tac_layer_borne_doubts(c->laws[0], from ? from + n : NULL, to ? to + n : NULL);
}

static bool solve_in_turn(TacConcert *c, bool again, bool same, bool rough) {
    for (size_t k = 0; k < c->count; k++) {
        TacTicker *t = c->kicks[k].ticker;
        for (size_t i = 0; i < t->layer_count; i++) tac_layer_law_hear(t->layers[i]);
        solve(&c->kicks[k], again || same, same, rough);
        if (t->report.failure[0]) return false;
        for (size_t i = 0; i < t->layer_count; i++) {
            double *const *all = t->layers[i]->law.matter[0]->vectors;
            tac_layer_law_tell(t->layers[i], all[TAC_V], all[TAC_DV]);
        }
    }
    tac_layer_borne_tell(c->laws, c->law_count);
    return true;
}

// By how much what is told would change, at most.
static double find_change(const TacConcert *c, TacMixing *m) {
    double most = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->law_count; i++)
        n += tac_layer_law_change(c->laws[i], m->told + n, m->change + n, &most);
    tac_layer_borne_change(c->laws[0], m->told + n, m->change + n, &most);
    return most;
}

// It need not be nearer than a small part of how wrong they were at first, nor than a small part of what rests.
static bool is_enough(TacConcert *c, double change) {
    const double part = 0.01;
    double little = INFINITY;
    for (size_t i = 0; i < c->law_count; i++) little = fmin(little, tac_layer_law_little(c->laws[i]));
    if (!(c->first > 0)) c->first = change;
    return !(change > fmax(little, part * c->first));
}

static void fail(const TacConcert *c) {
    TacKickReport *report = &c->kicks->ticker->report;
    snprintf(report->failure, sizeof report->failure, "out of memory");
}

void tac_concert_settle(TacConcert *c, bool again, bool rough) {
    enum { MOST_TURNS = 16 };
    TacMixing *m = mixing_of(c);
    if (!tac_mixing_begin(m, take_doubts(c, NULL, NULL))) {
        fail(c);
        return;
    }
    take_doubts(c, NULL, m->told);
    if (!tac_mixing_mark(m)) {
        fail(c);
        return;
    }
    // where they come no nearer to each other, or run away, each guesses as at first
    const double far = 1000;
    double first = 0, change = 0;
    for (int turn = 0; solve_in_turn(c, again, turn > 0, rough); turn++) {
        change = find_change(c, m);
        if (turn == 0) first = change;
        if (is_enough(c, change) || turn == MOST_TURNS || !(change <= far * first)) break;
        if (turn > 0) tac_mixing_learn(m);
        if (!tac_mixing_step(m)) {
            fail(c);
            return;
        }
        take_doubts(c, m->told, NULL);
    }
    if (change <= first || is_enough(c, change)) return;
    tac_mixing_return(m);
    take_doubts(c, m->told, NULL);
    solve_in_turn(c, again, true, rough);
}
