// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents side by side; see beside.h.

#include "world/beside.h"
#include "base/team.h"

typedef struct Crowd {
    TacWorld *world;
    TacAgentJob job;
    TacTick now;
    const uint32_t *small, *large;
    size_t small_count, large_count;
    size_t alike; // of large ones, the first of as many as there are threads that are about as large
} Crowd;

static size_t points_of(const TacWorld *world, uint32_t ticker) {
    const TacProgram *p = &world->tickers[ticker].program;
    size_t points = 0;
    for (size_t i = 0; i < p->matter_count; i++) points += p->matters[i]->count;
    return points;
}

size_t tac_world_due_agents(const TacWorld *world) {
    size_t agents = 0;
    while (agents < world->due_count && world->due[agents] < world->agent_count) agents++;
    return agents;
}

// Largest first; there are few.
static void sort_by_size(const TacWorld *world, uint32_t *list, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t one = list[i];
        size_t k = i, points = points_of(world, one);
        for (; k > 0 && points_of(world, list[k - 1]) < points; k--) list[k] = list[k - 1];
        list[k] = one;
    }
}

// Of large ones, sorted: the first that has enough others after it which are not much smaller.
static size_t first_alike(const TacWorld *world, const uint32_t *large, size_t count, size_t threads) {
    size_t i = 0;
    while (i + threads <= count &&
           5 * points_of(world, large[i + threads - 1]) < 4 * points_of(world, large[i]))
        i++;
    return i;
}

// Large is more than half of what a thread has to do. The list of those that are due has room for as many again.
static void put_in_order(Crowd *c, size_t threads) {
    TacWorld *world = c->world;
    size_t agents = tac_world_due_agents(world), all = 0;
    for (size_t i = 0; i < agents; i++) all += points_of(world, world->due[i]);
    uint32_t *small = world->due + world->ticker_count, *large = small;
    for (size_t i = 0; i < agents; i++)
        if (points_of(world, world->due[i]) <= all / (2 * threads)) *large++ = world->due[i];
    c->small = small;
    c->small_count = (size_t)(large - small);
    for (size_t i = 0; i < agents; i++)
        if (points_of(world, world->due[i]) > all / (2 * threads)) large[c->large_count++] = world->due[i];
    sort_by_size(world, large, c->large_count);
    c->large = large;
    c->alike = first_alike(world, large, c->large_count, threads);
}

static void do_list(const Crowd *c, const uint32_t *list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) c->job(c->world, &c->world->tickers[list[i]], c->now);
}

static void do_alike(void *data, size_t begin, size_t end, size_t chunk) {
    const Crowd *c = data;
    (void)chunk;
    do_list(c, c->large + c->alike, begin, end);
}

static void do_small(void *data, size_t begin, size_t end, size_t chunk) {
    const Crowd *c = data;
    (void)chunk;
    do_list(c, c->small, begin, end);
}

void tac_world_beside(TacWorld *world, TacAgentJob job, TacTick now) {
    Crowd c = {.world = world, .job = job, .now = now};
    size_t threads = (size_t)tac_team_size(world->team);
    put_in_order(&c, threads);
    size_t alike = c.alike + threads <= c.large_count ? threads : 0;
    tac_team_run(world->team, alike, 1, do_alike, &c);
    tac_team_run(world->team, c.small_count, 1, do_small, &c);
    do_list(&c, c.large, 0, c.alike);
    do_list(&c, c.large, c.alike + alike, c.large_count);
}
