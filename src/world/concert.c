// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents in concert; see concert.h.

#include "world/concert.h"
#include "world/beside.h"
#include "world/rest.h"

#include <stdio.h>
#include <stdlib.h>

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

void tac_world_find_concerts(TacWorld *world, TacTick now) {
    size_t agents = tac_world_due_agents(world), count = 0;
    for (size_t i = 0; i < agents; i++) {
        TacTicker *t = &world->tickers[world->due[i]];
        t->leader = world->due[i];
        t->led = world->safe && foresees(t);
        count += t->led;
    }
    if (count > 1) tac_safe_each_push(world->safe, now, join_pair, world);
    for (size_t i = 0; i < agents; i++) {
        TacTicker *t = &world->tickers[world->due[i]];
        t->leader = first_of(world, world->due[i]);
        if (t->leader == world->due[i]) continue;
        t->led = 0;
        world->tickers[t->leader].led++;
    }
}

void tac_world_leave_concerts(TacWorld *world) {
    for (size_t i = 0; i < tac_world_due_agents(world); i++) world->tickers[world->due[i]].led = 0;
}

// --- making them agree ------------------------------------------------------------------------------------

bool tac_concert_begin(TacConcert *c) {
    c->laws = NULL;
    c->law_count = 0;
    if (c->count == 1 && !c->kicks->ticker->layer_count) return true;
    size_t most = 0;
    for (size_t k = 0; k < c->count; k++) most += c->kicks[k].ticker->layer_count;
    c->laws = malloc(most * sizeof(TacLayerLaw *));
    if (!c->laws) return false;
    for (size_t k = 0; k < c->count; k++)
        for (size_t i = 0; i < c->kicks[k].ticker->layer_count; i++) {
            c->laws[c->law_count] = c->kicks[k].ticker->layers[i];
            c->laws[c->law_count++]->agent = (uint32_t)k;
        }
    return true;
}

bool tac_concert_meet(TacConcert *c, TacTick now) {
    bool alone = c->count < 2; // and bears nothing
    for (size_t i = 0; i < c->law_count; i++) alone = alone && !c->laws[i]->arm_count;
    if (alone) c->law_count = 0;
    return tac_layer_laws_meet(c->laws, c->law_count, now);
}

void tac_concert_end(TacConcert *c) {
    free(c->laws);
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

// Changes of what is told, and what they led to: at right angles to each other, of length 1.
enum { MOST_CHANGES = 16 };

typedef struct Mixing {
    size_t size, count;
    double *told, *last, *change,
        *before;             // what is told; what it was; by how much it should change; and should have
    double *changes, *steps; // MOST_CHANGES each
} Mixing;

static size_t take_doubts(const TacConcert *c, const double *from, double *to) {
    size_t n = 0;
    for (size_t i = 0; i < c->law_count; i++)
        n += tac_layer_law_doubts(c->laws[i], from ? from + n : NULL, to ? to + n : NULL);
    return n + tac_layer_borne_doubts(c->laws[0], from ? from + n : NULL, to ? to + n : NULL);
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add(double *to, double s, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] += s * from[i];
}

static bool begin_mixing(Mixing *m, size_t size) {
    *m = (Mixing){.size = size};
    m->told = calloc((4 + 2 * MOST_CHANGES) * size + 1, sizeof *m->told);
    if (!m->told) return false;
    m->last = m->told + size;
    m->change = m->last + size;
    m->before = m->change + size;
    m->changes = m->before + size;
    m->steps = m->changes + MOST_CHANGES * size;
    return true;
}

// One more thing is known of the map: told - last led to change - before.
static void learn(Mixing *m) {
    const double little = 1e-6;
    size_t n = m->size;
    double *change = m->changes + m->count * n, *step = m->steps + m->count * n;
    for (size_t i = 0; i < n; i++) {
        change[i] = m->change[i] - m->before[i];
        step[i] = m->told[i] - m->last[i] + change[i];
    }
    double size = dot(change, change, n);
    for (size_t k = 0; k < m->count; k++) {
        double part = dot(m->changes + k * n, change, n);
        add(change, -part, m->changes + k * n, n);
        add(step, -part, m->steps + k * n, n);
    }
    double left = dot(change, change, n);
    if (!(left > little * little * size)) return;
    double over = 1 / sqrt(left);
    for (size_t i = 0; i < n; i++) {
        change[i] *= over;
        step[i] *= over;
    }
    m->count++;
}

// What is told next.
static void mix(Mixing *m) {
    size_t n = m->size;
    memcpy(m->last, m->told, n * sizeof *m->told);
    memcpy(m->before, m->change, n * sizeof *m->told);
    add(m->told, 1, m->change, n);
    for (size_t k = 0; k < m->count; k++)
        add(m->told, -dot(m->changes + k * n, m->before, n), m->steps + k * n, n);
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
static double find_change(const TacConcert *c, Mixing *m) {
    double most = 0;
    take_doubts(c, NULL, m->change);
    for (size_t i = 0; i < m->size; i++) {
        m->change[i] -= m->told[i];
        most = fmax(most, fabs(m->change[i]));
    }
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

void tac_concert_settle(TacConcert *c, bool again, bool rough) {
    Mixing m;
    if (!begin_mixing(&m, take_doubts(c, NULL, NULL))) {
        snprintf(c->kicks->ticker->report.failure, sizeof c->kicks->ticker->report.failure, "out of memory");
        return;
    }
    take_doubts(c, NULL, m.told);
    for (int turn = 0; solve_in_turn(c, again, turn > 0, rough); turn++) {
        double change = find_change(c, &m);
        if (turn > 0) learn(&m);
        if (is_enough(c, change) || turn == MOST_CHANGES) break;
        mix(&m);
        take_doubts(c, m.told, NULL);
    }
    free(m.told);
}
