// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of agents side by side (src/world/beside.h): each does its job once, whatever their sizes, and those that are alike do
// it at the same time.

#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/team.h"
#include "base/wall_clock.h"
#include "world/beside.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST = 40, NOW = 77 };

// A world of agents that have nothing but a size, the first `count` of which are due, and a law after them.
typedef struct Fixture {
    TacWorld world;
    TacTicker tickers[MOST + 1];
    TacMatter matters[MOST + 1], *lists[MOST + 1];
    uint32_t due[2 * (MOST + 1)];
} Fixture;

static void set_up(Fixture *f, const size_t *sizes, size_t count, int threads) {
    memset(f, 0, sizeof *f);
    f->world.tickers = f->tickers;
    f->world.due = f->due;
    f->world.agent_count = count;
    f->world.ticker_count = f->world.due_count = count + 1;
    for (size_t i = 0; i <= count; i++) {
        f->matters[i].count = i < count ? sizes[i] : 5;
        f->lists[i] = &f->matters[i];
        f->tickers[i].program.matters = &f->lists[i];
        f->tickers[i].program.matter_count = 1;
        f->due[i] = (uint32_t)i;
    }
    TacError error;
    assert_int_equal(tac_team_create(&f->world.team, threads, &error), TAC_OK);
}

static void count_job(TacWorld *world, TacTicker *agent, TacTick now) {
    (void)world;
    if (now != NOW) abort();
    agent->kicks++; // nobody else may be at it
}

static void each_does_its_job_once(void **state) {
    (void)state;
    TacRandom random = tac_random(7, 1);
    Fixture *f = malloc(sizeof *f);
    assert_non_null(f);
    for (int trial = 0; trial < 300; trial++) {
        size_t sizes[MOST], count = tac_random_bits(&random) % (MOST + 1);
        // some are alike, some are not, some have nothing at all
        for (size_t i = 0; i < count; i++)
            sizes[i] = (size_t[]){0, 1, 100, 90, 70, 1000}[tac_random_bits(&random) % 6];
        set_up(f, sizes, count, 1 + (int)(tac_random_bits(&random) % 5));
        assert_int_equal(tac_world_due_agents(&f->world), count);
        tac_world_beside(&f->world, count_job, NOW);
        for (size_t i = 0; i < count; i++) assert_int_equal(f->tickers[i].kicks, 1);
        assert_int_equal(f->tickers[count].kicks, 0);
        tac_team_destroy(f->world.team);
    }
    free(f);
}

// How many are at it at once, at most.
static atomic_int at_it, most_at_it;
static int awaited;
static double patience; // s

static void meet_job(TacWorld *world, TacTicker *agent, TacTick now) {
    (void)world;
    (void)agent;
    (void)now;
    int here = atomic_fetch_add(&at_it, 1) + 1, most = atomic_load(&most_at_it);
    while (here > most && !atomic_compare_exchange_weak(&most_at_it, &most, here)) {
    }
    double until = tac_wall_seconds() + patience;
    while (atomic_load(&most_at_it) < awaited && tac_wall_seconds() < until) sched_yield();
    atomic_fetch_sub(&at_it, 1);
}

// Each waits until as many as are `hoped` for have been at it together, and no longer than `wait` seconds.
static int most_together(const size_t *sizes, size_t count, int threads, int hoped, double wait) {
    Fixture *f = malloc(sizeof *f);
    assert_non_null(f);
    set_up(f, sizes, count, threads);
    atomic_store(&at_it, 0);
    atomic_store(&most_at_it, 0);
    awaited = hoped;
    patience = wait;
    tac_world_beside(&f->world, meet_job, NOW);
    tac_team_destroy(f->world.team);
    free(f);
    return atomic_load(&most_at_it);
}

static void alike_ones_run_side_by_side(void **state) {
    (void)state;
    assert_int_equal(most_together((size_t[]){5000, 5000}, 2, 2, 2, 20), 2);
    assert_int_equal(most_together((size_t[]){9000, 4, 5000, 5100, 4900}, 5, 3, 3, 20), 3);
    assert_int_equal(most_together((size_t[]){10, 10, 10, 10, 10, 10}, 6, 2, 2, 20), 2);
}

static void a_large_one_has_the_team(void **state) {
    (void)state;
    assert_int_equal(most_together((size_t[]){5000, 2600}, 2, 2, 2, 0.2), 1);
    assert_int_equal(most_together((size_t[]){5000, 5000}, 2, 4, 2, 0.2), 1);
    assert_int_equal(most_together((size_t[]){5000, 10}, 2, 2, 2, 0.2), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_does_its_job_once),
        cmocka_unit_test(alike_ones_run_side_by_side),
        cmocka_unit_test(a_large_one_has_the_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
