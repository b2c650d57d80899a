// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of the loose scheduler (src/time/loose.h) with counters for agents: how often each queue is served, the two
// decision rules against the document's formulas, the window against a search through everybody, and a random walk
// through all calls.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "time/loose.h"

#define MS ((TacTick)100000000000) // ticks of 1e-14 s

static TacLoose with(uint32_t capacity, int top, int max_exec) {
    TacLoose loose;
    assert_int_equal(tac_loose_create(&loose, capacity, top, max_exec, NULL), TAC_OK);
    return loose;
}

// All queues full, nobody decides anything: queue k is served max_exec times as often as queue k - 1.
static void queues_are_served_in_the_ratio_of_max_exec(void **state) {
    (void)state;
    for (int max_exec = 2; max_exec <= 5; max_exec++) {
        enum { TOP = 4, EACH = 3 };
        TacLoose loose = with((TOP + 1) * EACH, TOP, max_exec);
        TacLooseAgentDef def = {.ratio = 1};
        for (uint32_t id = 0; id < (TOP + 1) * EACH; id++) {
            def.priority = (int)(id / EACH);
            tac_loose_add(&loose, id, &def);
        }
        double served[TOP + 1] = {0};
        uint32_t order[TOP + 1] = {0};
        for (int i = 0; i < 2000000; i++) {
            uint32_t id;
            assert_int_equal(tac_loose_take(&loose, &id, 1), 1);
            served[id / EACH]++;
            // first in, first out
            assert_int_equal(id % EACH, order[id / EACH]++ % EACH);
            tac_loose_finish(&loose, id, loose.agents[id].time + MS, 0);
        }
        for (int p = 1; p <= TOP; p++)
            if (served[p - 1] > 500) {
                double ratio = served[p] / served[p - 1];
                assert_true(ratio > 0.99 * max_exec && ratio < 1.01 * max_exec);
            }
        assert_true(served[TOP] > served[TOP - 1]);
        tac_loose_destroy(&loose);
    }
}

// Empty queues cost nobody anything: two agents far apart in priority alternate as if next to each other.
static void empty_queues_count_as_exhausted(void **state) {
    (void)state;
    TacLoose loose = with(2, 10, 3);
    TacLooseAgentDef def = {.ratio = 1, .priority = 10};
    tac_loose_add(&loose, 0, &def);
    def.priority = 2;
    tac_loose_add(&loose, 1, &def);
    int served[2] = {0, 0};
    for (int i = 0; i < 9000; i++) {
        uint32_t id;
        assert_int_equal(tac_loose_take(&loose, &id, 1), 1);
        served[id]++;
        tac_loose_finish(&loose, id, 0, 0);
    }
    // with max_exec 3: two of the first, then one of the second, whose third turn falls through to the first
    assert_true(abs(served[0] - 3 * served[1]) < 0.01 * 9000);
    tac_loose_destroy(&loose);
}

static uint32_t take_one(TacLoose *loose) {
    uint32_t id;
    assert_int_equal(tac_loose_take(loose, &id, 1), 1);
    return id;
}

static void priority_rule_moves_the_slowest_up_and_the_fastest_down(void **state) {
    (void)state;
    TacLoose loose = with(3, 4, 2);
    TacLooseAgentDef def = {.ratio = 1, .priority = 4, .threshold = 2 * MS, .rules = TAC_LOOSE_BY_PRIORITY};
    tac_loose_add(&loose, 0, &def);
    def.priority = 0;
    def.time = 0;
    tac_loose_add(&loose, 1, &def);
    // within the threshold nothing changes; then the fastest goes down by one at each turn
    assert_int_equal(take_one(&loose), 0);
    tac_loose_finish(&loose, 0, 2 * MS, 0);
    assert_int_equal(loose.agents[0].priority, 4);
    uint32_t id = take_one(&loose);
    tac_loose_finish(&loose, id, id == 0 ? 3 * MS : 0, 0);
    if (id == 0)
        assert_int_equal(loose.agents[0].priority, 3);
    else
        assert_int_equal(loose.agents[1].priority, 0);
    // down to 0 and no farther; the slowest up to the top and no farther
    for (int i = 0; i < 100; i++) {
        id = take_one(&loose);
        tac_loose_finish(&loose, id, id == 0 ? 50 * MS : 0, 0);
        assert_true(tac_loose_valid(&loose));
    }
    assert_int_equal(loose.agents[0].priority, 0);
    assert_int_equal(loose.agents[1].priority, 4);
    tac_loose_destroy(&loose);
}

// More agents than turns are given up in one call, all far ahead of one: that one is served, whatever its place.
static void who_is_waited_for_is_served(void **state) {
    (void)state;
    enum { MANY = 200 };
    TacLoose loose = with(MANY + 1, 4, 2);
    TacLooseAgentDef def = {
        .ratio = 1, .priority = 4, .threshold = MS, .time = 50 * MS, .rules = TAC_LOOSE_BY_PRIORITY};
    for (uint32_t i = 0; i < MANY; i++) tac_loose_add(&loose, i, &def);
    def.time = 0;
    tac_loose_add(&loose, MANY, &def);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(take_one(&loose), MANY);
        tac_loose_finish(&loose, MANY, (i + 1) * MS, 0);
        assert_true(tac_loose_valid(&loose));
    }
    tac_loose_destroy(&loose);
}

static TacLooseAgentDef random_agent(TacRandom *random) {
    return (TacLooseAgentDef){.time = (TacTick)(tac_random_bits(random) % 5) * MS,
                              .threshold = (TacTick)(tac_random_bits(random) % 4) * MS,
                              .period = tac_random_bits(random) % 4 ? 0 : MS,
                              .ratio = tac_random_between(random, -1, 2),
                              .c1 = tac_random_unit(random),
                              .priority = (int)(tac_random_bits(random) % 12) - 2,
                              .rules = tac_random_bits(random) % 4};
}

// Who keeps close never goes ahead of the slowest, whatever the priorities and steps; its turns go to that one.
static void who_keeps_close_goes_in_order_of_time(void **state) {
    (void)state;
    enum { MANY = 20 };
    TacLoose loose = with(MANY, 10, 2);
    TacRandom random = tac_random(2, 9);
    for (uint32_t id = 0; id < MANY; id++) {
        TacLooseAgentDef def = random_agent(&random);
        def.time = 0;
        def.period = 0;
        tac_loose_add(&loose, id, &def);
        tac_loose_keep_close(&loose, id);
    }
    TacTick last = 0;
    for (int i = 0; i < 2000; i++) {
        uint32_t id;
        while (tac_loose_take(&loose, &id, 1) == 0) tac_loose_set_now(&loose, tac_loose_next_wake(&loose));
        TacTick time = loose.agents[id].time;
        assert_true(time == tac_loose_window(&loose).slowest && time >= last);
        last = time;
        tac_loose_finish(&loose, id, time + MS * (1 + id % 4), MS / 100);
        tac_loose_keep_close(&loose, id);
        if (i % 50 == 0) assert_true(tac_loose_valid(&loose));
    }
    tac_loose_destroy(&loose);
}

// Agents leave from anywhere in a long queue and come back at its end, far more often than anybody is served: the rest
// keep their order, as in a plain list.
static void who_leaves_changes_nobodys_order(void **state) {
    (void)state;
    enum { MANY = 400 };
    TacLoose loose = with(MANY, 0, 2);
    TacLooseAgentDef def = {.ratio = 1};
    uint32_t list[MANY], count = 0;
    TacRandom random = tac_random(3, 5);
    for (uint32_t id = 0; id < MANY; id++, count++) tac_loose_add(&loose, list[count] = id, &def);
    for (int i = 0; i < 40000; i++) {
        // mostly from the back, so that holes gather
        uint32_t at = count - 1 - tac_random_bits(&random) % (i % 7 ? 30 : count), id = list[at];
        memmove(list + at, list + at + 1, (count - at - 1) * sizeof list[0]);
        tac_loose_remove(&loose, id);
        if (i % 50 == 0) {
            assert_int_equal(take_one(&loose), list[0]);
            tac_loose_finish(&loose, list[0], 0, 0);
            uint32_t first = list[0];
            memmove(list, list + 1, (count - 2) * sizeof list[0]);
            list[count - 2] = first;
        }
        tac_loose_add(&loose, list[count - 1] = id, &def);
        if (i % 64 == 0) assert_true(tac_loose_valid(&loose));
    }
    for (uint32_t i = 0; i < count; i++) assert_int_equal(take_one(&loose), list[i]);
    tac_loose_destroy(&loose);
}

// A preset frequency counts from one service to the next, however long each takes.
static void frequencies_count_from_service_to_service(void **state) {
    (void)state;
    TacLoose loose = with(1, 4, 2);
    TacLooseAgentDef def = {.ratio = 1, .priority = 0, .period = 10 * MS};
    tac_loose_add(&loose, 0, &def);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(take_one(&loose), 0);
        tac_loose_set_now(&loose, loose.now + 4 * MS); // what it took
        tac_loose_finish(&loose, 0, (i + 1) * MS, 4 * MS);
        TacTick wake = tac_loose_next_wake(&loose);
        assert_true(wake >= (i + 1) * 10 * MS && wake < (i + 1) * 10 * MS + MS / 10);
        tac_loose_set_now(&loose, wake);
    }
    tac_loose_destroy(&loose);
}

// Who comes back from rest never goes back in time.
static void nobody_goes_back_in_time(void **state) {
    (void)state;
    TacLoose loose = with(2, 4, 2);
    TacLooseAgentDef def = {.ratio = 1, .priority = 0, .time = 5 * MS};
    tac_loose_add(&loose, 0, &def);
    assert_int_equal(take_one(&loose), 0);
    tac_loose_rest(&loose, 0, 7 * MS);
    tac_loose_rouse(&loose, 0, 6 * MS);
    assert_true(loose.agents[0].time == 7 * MS);
    assert_int_equal(take_one(&loose), 0);
    tac_loose_rest(&loose, 0, 8 * MS);
    tac_loose_rouse(&loose, 0, 9 * MS);
    assert_true(loose.agents[0].time == 9 * MS);
    tac_loose_destroy(&loose);
}

// The document's modifyBehavior, in its own words.
static void sleep_rule_follows_the_formula(void **state) {
    (void)state;
    TacLoose loose = with(3, 0, 2);
    TacLooseAgentDef def = {.ratio = 0.5, .c1 = 0.2, .threshold = 1000 * MS, .rules = TAC_LOOSE_BY_SLEEP};
    tac_loose_add(&loose, 0, &def);
    def.time = 10 * MS;
    def.rules = 0;
    tac_loose_add(&loose, 1, &def);
    const double loc_times[] = {2, 5, 8, 9.9};
    double ratio = 0.5;
    for (int i = 0; i < 4; i++) {
        while (take_one(&loose) != 0) tac_loose_finish(&loose, 1, 10 * MS, 0);
        double min_time = loc_times[i], max_time = 10, cost = 3;
        double mid_time = (max_time + min_time) / 2;
        double delta = (mid_time - loc_times[i]) / (max_time - min_time);
        ratio += 0.2 * delta;
        if (ratio > 1) ratio = 1;
        TacTick start = loose.now;
        tac_loose_finish(&loose, 0, (TacTick)(loc_times[i] * (double)MS), (TacTick)cost * MS);
        assert_true(fabs(loose.agents[0].ratio - ratio) < 1e-12);
        double wake = (double)start + cost * (double)MS * (1 - ratio) / ratio;
        assert_int_equal(loose.agents[0].state, TAC_LOOSE_ASLEEP);
        assert_true(fabs((double)tac_loose_next_wake(&loose) - wake) <= 0x1p20);
        tac_loose_set_now(&loose, tac_loose_next_wake(&loose));
    }
    tac_loose_destroy(&loose);
}

static void empty_window_and_clamps(void **state) {
    (void)state;
    TacLoose loose = with(2, 70, 0);
    assert_int_equal(loose.top, 63);
    assert_int_equal(loose.max_exec, 2);
    assert_int_equal(tac_loose_window(&loose).slowest, 0);
    assert_int_equal(tac_loose_window(&loose).fastest, 0);
    TacLooseAgentDef def = {.ratio = 0, .c1 = 1000, .priority = -7, .rules = TAC_LOOSE_BY_SLEEP};
    tac_loose_add(&loose, 0, &def);
    assert_int_equal(loose.agents[0].priority, 0);
    assert_true(loose.agents[0].ratio == 0.01);
    // alone in the window: delta is 0
    take_one(&loose);
    tac_loose_finish(&loose, 0, MS, MS);
    assert_true(loose.agents[0].ratio == 0.01);
    assert_true(labs((long)(tac_loose_next_wake(&loose) - 99 * MS)) <= 1 << 20);
    def.priority = 1000;
    def.ratio = 7;
    tac_loose_add(&loose, 1, &def);
    assert_int_equal(loose.agents[1].priority, 63);
    assert_true(loose.agents[1].ratio == 1);
    tac_loose_destroy(&loose);
}

// Also of one that has to wait for its turn again and again, behind others of its priority.
static void preset_frequency_is_held(void **state) {
    (void)state;
    for (int others = 1; others <= 40; others += 13) {
        TacLoose loose = with(41, 4, 2);
        TacLooseAgentDef def = {.ratio = 1, .period = 10 * MS, .priority = 4};
        tac_loose_add(&loose, 0, &def);
        def.period = 0;
        for (int i = 1; i <= others; i++) tac_loose_add(&loose, (uint32_t)i, &def);
        int served = 0;
        while (loose.now < 1000 * MS) {
            uint32_t id = take_one(&loose);
            served += id == 0;
            tac_loose_set_now(&loose, loose.now + MS / 10);
            tac_loose_finish(&loose, id, loose.agents[id].time + MS, MS / 10);
        }
        assert_in_range(served, 99, 100); // never more than 100 times a second, and hardly less
        tac_loose_destroy(&loose);
    }
}

static void sleeper_that_falls_behind_wakes(void **state) {
    (void)state;
    TacLoose loose = with(2, 4, 2);
    TacLooseAgentDef def = {.ratio = 0.01, .threshold = 3 * MS, .rules = TAC_LOOSE_BY_SLEEP};
    tac_loose_add(&loose, 0, &def);
    def.ratio = 1;
    def.rules = 0;
    tac_loose_add(&loose, 1, &def);
    assert_int_equal(take_one(&loose), 0);
    tac_loose_finish(&loose, 0, MS, 100 * MS); // sleeps for 9,900 ms
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(take_one(&loose), 1);
        tac_loose_finish(&loose, 1, i * MS, 0);
        assert_int_equal(loose.agents[0].state, TAC_LOOSE_ASLEEP);
    }
    assert_int_equal(take_one(&loose), 1);
    tac_loose_finish(&loose, 1, 5 * MS, 0); // 4 ms apart: more than its threshold
    uint32_t both[2];
    assert_int_equal(tac_loose_take(&loose, both, 2), 2);
    tac_loose_destroy(&loose);
}

static void resting_agents_hold_nobody_back(void **state) {
    (void)state;
    TacLoose loose = with(2, 4, 2);
    TacLooseAgentDef def = {.ratio = 1};
    tac_loose_add(&loose, 0, &def);
    tac_loose_add(&loose, 1, &def);
    assert_int_equal(take_one(&loose), 0);
    tac_loose_rest(&loose, 0, MS);
    for (int i = 1; i < 20; i++) {
        assert_int_equal(take_one(&loose), 1);
        tac_loose_finish(&loose, 1, i * MS, 0);
    }
    assert_true(tac_loose_window(&loose).slowest == 19 * MS);
    tac_loose_rouse(&loose, 0, 19 * MS);
    assert_true(loose.agents[0].time == 19 * MS);
    assert_int_equal(loose.agents[0].state, TAC_LOOSE_READY);
    tac_loose_rouse(&loose, 1, 0); // not resting: nothing happens
    assert_true(tac_loose_valid(&loose));
    tac_loose_destroy(&loose);
}

// --- a random walk ----------------------------------------------------------------------------------------

typedef struct Walk {
    TacLoose loose;
    TacRandom random;
    uint32_t taken[64];
    size_t taken_count;
} Walk;

static void one_call(Walk *w) {
    TacLoose *loose = &w->loose;
    TacRandom *random = &w->random;
    uint32_t id = tac_random_bits(random) % loose->capacity;
    switch (tac_random_bits(random) % 10) {
    case 0:
        if (loose->agents[id].state == TAC_LOOSE_ABSENT) {
            TacLooseAgentDef def = random_agent(random);
            tac_loose_add(loose, id, &def);
        }
        break;
    case 1:
        if (loose->agents[id].state != TAC_LOOSE_TAKEN && tac_random_bits(random) % 8 == 0)
            tac_loose_remove(loose, id);
        break;
    case 2: tac_loose_wake(loose, id); break;
    case 3: tac_loose_rouse(loose, id, loose->agents[id].time + MS); break;
    case 4: tac_loose_set_now(loose, loose->now + (TacTick)(tac_random_bits(random) % 64) * MS / 16); break;
    default:
        if (w->taken_count == 0) {
            w->taken_count = tac_loose_take(loose, w->taken, 1 + tac_random_bits(random) % 60);
            break;
        }
        for (size_t i = 0; i < w->taken_count; i++) {
            id = w->taken[i];
            TacTick time = loose->agents[id].time + (TacTick)(tac_random_bits(random) % 3) * MS;
            switch (tac_random_bits(random) % 8) {
            case 0: tac_loose_rest(loose, id, time); break;
            case 1: tac_loose_finish_until(loose, id, time, loose->now + MS); break;
            default: tac_loose_finish(loose, id, time, (TacTick)(tac_random_bits(random) % 3) * MS / 8);
            }
        }
        w->taken_count = 0;
    }
}

static void rules_hold_whatever_is_called(void **state) {
    (void)state;
    const uint32_t sizes[] = {1, 5, 16, 17, 300};
    for (size_t s = 0; s < 5; s++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            Walk w = {.loose = with(sizes[s], (int)(seed * 3), 2 + (int)seed % 3),
                      .random = tac_random(seed, s)};
            for (int i = 0; i < 4000; i++) {
                one_call(&w);
                if (!tac_loose_valid(&w.loose))
                    fail_msg("size %u, seed %u, call %d", sizes[s], (unsigned)seed, i);
            }
            tac_loose_destroy(&w.loose);
        }
}

static void restored_goes_on_the_same(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        Walk a = {.loose = with(40, 6, 3), .random = tac_random(seed, 77)};
        for (int i = 0; i < 2000 || a.taken_count; i++) one_call(&a);
        size_t bytes = tac_loose_save_bytes(&a.loose);
        void *saved = malloc(bytes);
        tac_loose_save(&a.loose, saved);
        Walk b = {.loose = with(40, 6, 3), .random = a.random};
        assert_int_equal(tac_loose_restore(&b.loose, saved, bytes, NULL), TAC_OK);
        for (int i = 0; i < 2000 || a.taken_count; i++) {
            one_call(&a);
            one_call(&b);
            assert_int_equal(a.taken_count, b.taken_count);
            assert_memory_equal(a.taken, b.taken, a.taken_count * sizeof *a.taken);
        }
        assert_int_equal(tac_loose_save_bytes(&a.loose), tac_loose_save_bytes(&b.loose));
        size_t end = tac_loose_save_bytes(&a.loose);
        void *end_a = malloc(end), *end_b = malloc(end);
        tac_loose_save(&a.loose, end_a);
        tac_loose_save(&b.loose, end_b);
        assert_memory_equal(end_a, end_b, end);
        // damage: refused, or still a scheduler whose rules hold
        TacRandom random = tac_random(seed, 5);
        for (int i = 0; i < 300; i++) {
            memcpy(end_b, end_a, end);
            ((uint8_t *)end_b)[tac_random_bits(&random) % end] ^=
                (uint8_t)(1u << tac_random_bits(&random) % 8);
            if (tac_loose_restore(&b.loose, end_b, end, NULL) == TAC_OK)
                assert_true(tac_loose_valid(&b.loose));
            assert_int_equal(tac_loose_restore(&b.loose, end_a, tac_random_bits(&random) % end, NULL),
                             TAC_BAD_INPUT);
        }
        free(end_a);
        free(end_b);
        free(saved);
        tac_loose_destroy(&a.loose);
        tac_loose_destroy(&b.loose);
    }
}

// --- the document's experiment, without physics -----------------------------------------------------------

// Ten agents at 1 ms with random priorities; delays over 10,000 samples.
static void delays_stay_small(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        enum { AGENTS = 10 };
        TacLoose loose = with(AGENTS, 3, 2);
        TacRandom random = tac_random(seed, 3);
        for (uint32_t id = 0; id < AGENTS; id++) {
            TacLooseAgentDef def = {.ratio = 1,
                                    .threshold = MS,
                                    .priority = (int)(tac_random_bits(&random) % 4),
                                    .rules = TAC_LOOSE_BY_PRIORITY};
            tac_loose_add(&loose, id, &def);
        }
        double sum = 0, most = 0;
        for (int i = 0; i < 10000; i++) {
            uint32_t id = take_one(&loose);
            tac_loose_finish(&loose, id, loose.agents[id].time + MS, MS / 50);
            TacLooseWindow w = tac_loose_window(&loose);
            double delay = (double)(w.fastest - w.slowest) / (double)MS;
            sum += delay;
            most = delay > most ? delay : most;
        }
        assert_true(sum / 10000 <= 3);
        assert_true(most <= 8);
        tac_loose_destroy(&loose);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_are_served_in_the_ratio_of_max_exec),
        cmocka_unit_test(empty_queues_count_as_exhausted),
        cmocka_unit_test(priority_rule_moves_the_slowest_up_and_the_fastest_down),
        cmocka_unit_test(who_is_waited_for_is_served),
        cmocka_unit_test(who_keeps_close_goes_in_order_of_time),
        cmocka_unit_test(who_leaves_changes_nobodys_order),
        cmocka_unit_test(frequencies_count_from_service_to_service),
        cmocka_unit_test(nobody_goes_back_in_time),
        cmocka_unit_test(sleep_rule_follows_the_formula),
        cmocka_unit_test(empty_window_and_clamps),
        cmocka_unit_test(preset_frequency_is_held),
        cmocka_unit_test(sleeper_that_falls_behind_wakes),
        cmocka_unit_test(resting_agents_hold_nobody_back),
        cmocka_unit_test(rules_hold_whatever_is_called),
        cmocka_unit_test(restored_goes_on_the_same),
        cmocka_unit_test(delays_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
