// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of src/time: each part against a model that is slow and obvious (walk every tick, scan every member),
// and free clocks against the definition of rounding in 128-bit products, without a division.

#include "time_model.h"

#include "time/sort_ids.h"

// ---- ticks

static void ticks_of_a_beat_are_about_1e_14_s(void **state) {
    (void)state;
    static const struct {
        double beat;
        int bits;
    } cases[] = {{0.01, 40},     {0.02, 41}, {0.005, 39},   {0.0199999, 40},  {0.00999999, 39},
                 {1.0 / 60, 40}, {1.0, 46},  {1e-3, 36},    {1.0 / 48e3, 31}, {1e9, 52},
                 {1e300, 52},    {1e-30, 1}, {0.01 * 8, 43}};
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        TacTimebase base = tac_timebase(cases[i].beat);
        assert_int_equal(base.bits, cases[i].bits);
        assert_true(base.beat == cases[i].beat);
        // exact: whole beats come back as the beat
        assert_true(tac_seconds(base, (TacTick)1 << base.bits) == cases[i].beat);
        assert_true(base.tick * ldexp(1, base.bits) == cases[i].beat);
        if (cases[i].beat > 1e-12) assert_true(base.tick * 0x1p63 >= 23 * 3600.0);
    }
    static const double bad[] = {0, -1, NAN, INFINITY, -INFINITY, 1e-310};
    for (size_t i = 0; i < TAC_COUNT(bad); i++) assert_true(tac_timebase(bad[i]).tick == 0);
}

static void seconds_and_ticks_round_once(void **state) {
    (void)state;
    TacRandom random = tac_random(1, 1);
    TacTimebase base = tac_timebase(0.01);
    for (int i = 0; i < 200000; i++) {
        TacTick tick = (TacTick)(draw64(&random) >> (14 + draw(&random, 50)));
        if (draw(&random, 2)) tick = -tick;
        assert_int_equal(tac_ticks_round(base, tac_seconds(base, tick)), tick);
        // the floor: this tick is not after, the next one is
        double seconds = tac_random_between(&random, -1, 80) * ldexp(1, -(int)draw(&random, 40));
        if (draw(&random, 2)) seconds = nextafter(tac_seconds(base, tick), draw(&random, 2) ? -1e9 : 1e9);
        TacTick last = tac_ticks_floor(base, seconds);
        assert_true(fma((double)last, base.tick, -seconds) <= 0);
        assert_true(fma((double)(last + 1), base.tick, -seconds) > 0);
    }
    assert_int_equal(tac_ticks_round(base, 1e9), TAC_TICK_NEVER);
    assert_int_equal(tac_ticks_round(base, -1e9), INT64_MIN);
    assert_int_equal(tac_ticks_round(base, NAN), TAC_TICK_NEVER);
    assert_int_equal(tac_ticks_floor(base, INFINITY), TAC_TICK_NEVER);
    assert_int_equal(tac_ticks_floor(base, NAN), INT64_MIN);
    // far out, where doubles are coarser than ticks: never after
    for (int i = 0; i < 10000; i++) {
        double seconds = tac_random_between(&random, 100, 80000);
        assert_true(fma((double)tac_ticks_floor(base, seconds), base.tick, -seconds) <= 0);
    }
}

static void ruler_class_is_the_longest_allowed(void **state) {
    (void)state;
    TacRandom random = tac_random(2, 1);
    static const double beats[] = {0.01, 1.0 / 60, 0.003, 7.7, 1e-5};
    for (int i = 0; i < 200000; i++) {
        TacTimebase base = tac_timebase(beats[draw(&random, TAC_COUNT(beats))]);
        double period = ldexp(base.tick, (int)draw(&random, 62));
        if (draw(&random, 2))
            period *= tac_random_between(&random, 0.5, 2);
        else
            period = nextafter(period, draw(&random, 2) ? 0 : 1e9);
        int e = tac_ruler_class(base, period);
        if (e >= 0) assert_true(ldexp(base.tick, e) <= period);
        assert_true(e == TAC_RULER_CLASSES - 1 || ldexp(base.tick, e + 1) > period);
    }
    TacTimebase base = tac_timebase(0.01);
    assert_int_equal(tac_ruler_class(base, 0.01), 40);
    assert_int_equal(tac_ruler_class(base, nextafter(0.01, 0)), 39);
    assert_int_equal(tac_ruler_class(base, base.tick), 0);
    assert_int_equal(tac_ruler_class(base, nextafter(base.tick, 0)), -1);
    assert_int_equal(tac_ruler_class(base, 0), -1);
    assert_int_equal(tac_ruler_class(base, -1), -1);
    assert_int_equal(tac_ruler_class(base, NAN), -1);
    assert_int_equal(tac_ruler_class(base, INFINITY), 62);
}

static void ids_are_sorted(void **state) {
    (void)state;
    enum { LARGEST = 3000 };
    static uint32_t ids[LARGEST], scratch[LARGEST];
    TacRandom random = tac_random(3, 1);
    for (int round = 0; round < 300; round++) {
        size_t count = draw(&random, round % 2 ? 100 : LARGEST);
        int shift = (int)draw(&random, 32);
        uint64_t sum = 0, sum_after = 0;
        for (size_t i = 0; i < count; i++) sum += ids[i] = tac_random_bits(&random) >> shift;
        tac_sort_ids(ids, scratch, count);
        for (size_t i = 0; i < count; i++) sum_after += ids[i];
        for (size_t i = 1; i < count; i++) assert_true(ids[i - 1] <= ids[i]);
        assert_int_equal(sum, sum_after);
    }
}

// ---- ruler

enum { MODEL_IDS = 150 };

// The next multiple of 2^e after a tick, by counting.
static TacTick multiple_after(TacTick after, int e) {
    TacTick period = (TacTick)1 << e, rest = after % period;
    return TAC_TICK_NEVER - after > period - rest ? after - rest + period : TAC_TICK_NEVER;
}

static void check_ruler(TacRuler *ruler, const int *model, TacTick after) {
    TacTick next = TAC_TICK_NEVER;
    for (int id = 0; id < MODEL_IDS; id++) {
        TacTick own = model[id] < 0 ? TAC_TICK_NEVER : multiple_after(after, model[id]);
        if (own < next) next = own;
    }
    assert_int_equal(tac_ruler_next(ruler, after), next);
    if (next == TAC_TICK_NEVER) return;
    uint64_t due = 0;
    for (int id = 0; id < MODEL_IDS; id++)
        if (model[id] >= 0 && next % ((TacTick)1 << model[id]) == 0) due |= (uint64_t)1 << model[id];
    assert_true(tac_ruler_due(ruler, next) == due);
    for (int e = 0; e < TAC_RULER_CLASSES; e++) {
        if (!((due >> e) & 1)) continue;
        size_t count, found = 0;
        const uint32_t *members = tac_ruler_members(ruler, e, &count);
        for (int id = 0; id < MODEL_IDS; id++) {
            if (model[id] != e) continue;
            assert_true(found < count);
            assert_int_equal(members[found++], id);
        }
        assert_int_equal(found, count);
    }
}

static void ruler_agrees_with_a_model(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 20; seed++) {
        TacRandom random = tac_random(seed, 2);
        TacRuler ruler = {0};
        int model[MODEL_IDS], classes = seed % 2 ? TAC_RULER_CLASSES : 5;
        for (int id = 0; id < MODEL_IDS; id++) model[id] = -1;
        for (int step = 0; step < 4000; step++) {
            uint32_t id = draw(&random, MODEL_IDS);
            int e = (int)draw(&random, (uint32_t)classes);
            switch (draw(&random, 3)) {
            case 0:
                assert_int_equal(tac_ruler_add(&ruler, id, e, NULL), model[id] < 0 ? TAC_OK : TAC_BAD_USAGE);
                if (model[id] < 0) model[id] = e;
                break;
            case 1:
                assert_int_equal(tac_ruler_move(&ruler, id, e, NULL), model[id] < 0 ? TAC_BAD_USAGE : TAC_OK);
                if (model[id] >= 0) model[id] = e;
                break;
            default:
                // mostly full in one half of the run, mostly empty in the other
                if (step < 2000 && draw(&random, 2)) break;
                assert_int_equal(tac_ruler_remove(&ruler, id), model[id] >= 0);
                model[id] = -1;
                break;
            }
            assert_int_equal(tac_ruler_class_of(&ruler, id), model[id]);
            if (step % 16 == 0) assert_true(tac_ruler_valid(&ruler));
            if (draw(&random, 8) == 0)
                check_ruler(&ruler, model, (TacTick)(draw64(&random) >> (1 + draw(&random, 63))));
        }
        tac_ruler_destroy(&ruler);
    }
}

// Members that are left get smaller numbers, in their order; then there is no room for others.
static void ruler_closes_gaps_between_its_members(void **state) {
    (void)state;
    enum { ALL = 4000, LEFT = 37 };
    TacRandom random = tac_random(5, 2);
    TacRuler ruler = {0};
    int model[MODEL_IDS];
    for (int id = 0; id < MODEL_IDS; id++) model[id] = -1;
    for (uint32_t id = 0; id < ALL; id++)
        assert_int_equal(tac_ruler_add(&ruler, id, (int)draw(&random, 5), NULL), TAC_OK);
    uint32_t to = 0;
    for (uint32_t id = 0; id < ALL; id++)
        if (id % (ALL / LEFT) || to == LEFT)
            assert_true(tac_ruler_remove(&ruler, id));
        else
            to++;
    to = 0;
    for (uint32_t id = 0; id < ALL; id++) {
        if (tac_ruler_class_of(&ruler, id) < 0) continue;
        model[to] = tac_ruler_class_of(&ruler, id);
        if (to != id) tac_ruler_rename(&ruler, id, to);
        to++;
    }
    assert_int_equal(to, LEFT);
    size_t before = ruler.slot_capacity;
    tac_ruler_fit(&ruler, to);
    assert_true(ruler.slot_capacity < before / 4);
    assert_true(tac_ruler_valid(&ruler));
    for (TacTick after = 0; after < 40; after++) check_ruler(&ruler, model, after);
    assert_int_equal(tac_ruler_add(&ruler, 3000, 2, NULL), TAC_OK);
    assert_int_equal(tac_ruler_class_of(&ruler, 2999), -1);
    assert_true(tac_ruler_valid(&ruler));
    tac_ruler_destroy(&ruler);
}

static void ruler_ticks_at_zero_and_jumps_empty_instants(void **state) {
    (void)state;
    TacRuler ruler = {0};
    assert_int_equal(tac_ruler_next(&ruler, -1), TAC_TICK_NEVER);
    assert_int_equal(tac_ruler_add(&ruler, 7, 40, NULL), TAC_OK);
    assert_int_equal(tac_ruler_add(&ruler, 3, 62, NULL), TAC_OK);
    assert_int_equal(tac_ruler_next(&ruler, -1), 0);
    assert_true(tac_ruler_due(&ruler, 0) == (((uint64_t)1 << 40) | ((uint64_t)1 << 62)));
    assert_int_equal(tac_ruler_next(&ruler, 0), (TacTick)1 << 40);
    assert_true(tac_ruler_due(&ruler, (TacTick)1 << 40) == (uint64_t)1 << 40);
    assert_true(tac_ruler_remove(&ruler, 7));
    assert_int_equal(tac_ruler_next(&ruler, 0), (TacTick)1 << 62);
    assert_int_equal(tac_ruler_next(&ruler, (TacTick)1 << 62), TAC_TICK_NEVER);
    TacError error;
    assert_int_equal(tac_ruler_add(&ruler, 1, 63, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_ruler_add(&ruler, 1, -1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_ruler_add(&ruler, TAC_NO_ID, 0, &error), TAC_BAD_USAGE);
    assert_false(tac_ruler_remove(&ruler, 1));
    assert_false(tac_ruler_remove(&ruler, 4000000000u));
    tac_ruler_destroy(&ruler);
}

// Layers switch on and off many times between two ticks of a coarse class: no memory is lost to their holes.
static void ruler_churn_needs_no_more_memory(void **state) {
    (void)state;
    enum { IDS = 1000 };
    TacRandom random = tac_random(5, 5);
    TacRuler ruler = {0};
    for (uint32_t id = 0; id < IDS; id++) assert_int_equal(tac_ruler_add(&ruler, id, 9, NULL), TAC_OK);
    for (int i = 0; i < 500000; i++) {
        uint32_t id = draw(&random, IDS);
        assert_true(tac_ruler_remove(&ruler, id));
        assert_int_equal(tac_ruler_add(&ruler, id, 9, NULL), TAC_OK);
    }
    assert_true(ruler.classes[9].capacity <= 2 * 1024);
    // ten members that are replaced by ever larger numbers
    for (uint32_t id = IDS; id < 50 * IDS; id++) {
        assert_int_equal(tac_ruler_add(&ruler, id, 8, NULL), TAC_OK);
        if (id >= IDS + 10) assert_true(tac_ruler_remove(&ruler, id - 10));
    }
    assert_int_equal(tac_ruler_count(&ruler, 8), 10);
    assert_true(ruler.classes[8].capacity <= 64);
    assert_true(tac_ruler_valid(&ruler));
    size_t count;
    const uint32_t *members = tac_ruler_members(&ruler, 9, &count);
    assert_int_equal(count, IDS);
    for (uint32_t id = 0; id < IDS; id++) assert_int_equal(members[id], id);
    tac_ruler_destroy(&ruler);
}

// ---- free clocks

static void ratios_of_small_numbers_are_found(void **state) {
    (void)state;
    static const struct {
        double period, beat;
        uint32_t p, q;
    } cases[] = {{1.0 / 60, 0.01, 5, 3},
                 {1.0 / 44100, 0.01, 1, 441},
                 {1.0 / 48000, 0.01, 1, 480},
                 {0.01, 0.01, 1, 1},
                 {0.04, 0.01, 4, 1},
                 {1.0 / 24, 0.01, 25, 6},
                 {1001.0 / 30000, 0.01, 1001, 300},
                 {1e-3, 0.01, 1, 10},
                 {1.0 / 30, 1.0 / 60, 2, 1},
                 {0.01, 1.0 / 60, 3, 5},
                 {1.0 / 999983, 1, 1, 999983}};
    uint32_t p, q;
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        assert_true(tac_free_clock_ratio(cases[i].period, cases[i].beat, &p, &q));
        assert_int_equal(p, cases[i].p);
        assert_int_equal(q, cases[i].q);
    }
    // every fraction of numbers up to 300 comes back in lowest terms
    for (uint32_t a = 1; a <= 300; a++)
        for (uint32_t b = 1; b <= 300; b++) {
            assert_true(tac_free_clock_ratio(0.01 * a / b, 0.01, &p, &q));
            assert_int_equal((uint64_t)p * b, (uint64_t)q * a);
            assert_true(p <= a);
        }
    static const double bad[][2] = {{0, 1},    {-1, 1},    {1, 0},        {NAN, 1},      {1, NAN},
                                    {1e-9, 1}, {1e300, 1}, {INFINITY, 1}, {1, INFINITY}, {2.2e9, 1}};
    for (size_t i = 0; i < TAC_COUNT(bad); i++)
        assert_false(tac_free_clock_ratio(bad[i][0], bad[i][1], &p, &q));
    assert_false(tac_free_clock_ratio(1.0 / 1000003, 1, &p, &q));
}

static void free_ticks_are_nearest_whatever_the_numbers(void **state) {
    (void)state;
    TacRandom random = tac_random(6, 1);
    int reached = 0;
    for (int i = 0; i < 300000; i++) {
        int bits = 1 + (int)draw(&random, 52);
        uint32_t p = 1 + (uint32_t)(draw64(&random) >> (33 + draw(&random, 31)));
        uint32_t q = 1 + (uint32_t)(draw64(&random) >> (33 + draw(&random, 31)));
        int64_t n = (int64_t)(draw64(&random) >> (1 + draw(&random, 63)));
        TacTick tick = tac_free_clock_tick(bits, p, q, n);
        // beyond the end of time: 2 n p 2^bits + q >= 2 q NEVER, compared as n p
        Wide end = ((2 * (Wide)TAC_TICK_NEVER - 1) * q + ((Wide)1 << (bits + 1)) - 1) >> (bits + 1);
        assert_int_equal(tick == TAC_TICK_NEVER, (Wide)n * p >= end);
        if (tick < TAC_TICK_NEVER) {
            assert_true(is_nearest(bits, p, q, n, tick));
            reached++;
        }
        if ((Wide)p << bits < q || tick == TAC_TICK_NEVER) continue;
        // the first n not before a tick
        TacTick at = tick - (TacTick)draw(&random, 3) + 1;
        int64_t first = tac_free_clock_first(bits, p, q, at);
        assert_true(first >= 0 && tac_free_clock_tick(bits, p, q, first) >= at);
        if (first > 0) assert_true(tac_free_clock_tick(bits, p, q, first - 1) < at);
    }
    assert_true(reached > 30000);
    // products whose low 128 bits are 0
    assert_int_equal(tac_free_clock_tick(52, (uint32_t)1 << 31, 1, (int64_t)1 << 62), TAC_TICK_NEVER);
    assert_int_equal(tac_free_clock_tick(52, (uint32_t)1 << 31, (uint32_t)1 << 31, (int64_t)1 << 62),
                     TAC_TICK_NEVER);
    assert_int_equal(tac_free_clock_tick(52, (uint32_t)1 << 31, (uint32_t)1 << 31, 1), (TacTick)1 << 52);
}

static void free_clocks_do_not_drift_in_1e9_ticks(void **state) {
    (void)state;
    // 23 hours hold 10^9 ticks of audio, but only 5 * 10^6 of 1/60 s: that one runs on coarser bits as well
    static const struct {
        double period;
        int bits;
        int64_t ticks;
    } cases[] = {{1.0 / 44100, 40, 1000000000},
                 {1.0 / 48000, 40, 1000000000},
                 {1.0 / 60, 30, 1000000000},
                 {1.0 / 60, 40, 5033164}};
    TacRandom random = tac_random(7, 1);
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        uint32_t p, q;
        assert_true(tac_free_clock_ratio(cases[i].period, 0.01, &p, &q));
        for (int sample = 0; sample < 100000; sample++) {
            int64_t n = cases[i].ticks - (int64_t)draw(&random, 1u << (1 + draw(&random, 29)));
            if (n < 0) continue;
            assert_true(is_nearest(cases[i].bits, p, q, n, tac_free_clock_tick(cases[i].bits, p, q, n)));
        }
        // whole multiples of q are whole beats: exact, to the tick
        int64_t rounds = cases[i].ticks / q;
        assert_int_equal(tac_free_clock_tick(cases[i].bits, p, q, rounds * q), (rounds * p) << cases[i].bits);
    }
    assert_int_equal(tac_free_clock_tick(40, 5, 3, 5033165), TAC_TICK_NEVER);
    assert_true(tac_free_clock_tick(40, 5, 3, 5033164) < TAC_TICK_NEVER);
}

static void free_clocks_step_as_the_formula_says(void **state) {
    (void)state;
    static const uint32_t ratios[][2] = {{1, 441}, {1, 480}, {5, 3}};
    TacFreeClocks clocks = {.bits = 40};
    int64_t numbers[3] = {0};
    for (uint32_t id = 0; id < 3; id++)
        assert_int_equal(tac_free_clocks_add(&clocks, id, ratios[id][0], ratios[id][1], 0, NULL), TAC_OK);
    TacTick last = -1;
    for (int64_t taken = 0; taken < 10000000;) {
        TacTick now = tac_free_clocks_next(&clocks);
        assert_true(now > last);
        last = now;
        const uint32_t *ids;
        size_t count;
        assert_int_equal(tac_free_clocks_take(&clocks, now, &ids, &count, NULL), TAC_OK);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            uint32_t id = ids[i];
            if (!is_nearest(40, ratios[id][0], ratios[id][1], numbers[id]++, now)) fail();
            if (i > 0) assert_true(ids[i - 1] < id);
        }
        taken += (int64_t)count;
        // every 10 ms the two audio clocks coincide; every 50 ms all three do
        if (now % ((TacTick)5 << 40) == 0)
            assert_int_equal(count, 3);
        else if (now % ((TacTick)1 << 40) == 0)
            assert_int_equal(count, 2);
    }
    assert_true(tac_free_clocks_valid(&clocks));
    // none was left out
    for (uint32_t id = 0; id < 3; id++)
        assert_true(tac_free_clock_tick(40, ratios[id][0], ratios[id][1], numbers[id]) > last);
    tac_free_clocks_destroy(&clocks);
}

// Each clock alone, tick by tick: 10^7 ticks, or all there are before the end of time.
static void a_free_clock_steps_without_drift(void **state) {
    (void)state;
    static const struct {
        uint32_t p, q;
        int64_t ticks;
    } cases[] = {{1, 441, 10000000}, {1, 480, 10000000}, {5, 3, 5033165}};
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        TacFreeClocks clocks = {.bits = 40};
        assert_int_equal(tac_free_clocks_add(&clocks, 0, cases[i].p, cases[i].q, 0, NULL), TAC_OK);
        for (int64_t n = 0; n < cases[i].ticks; n++) {
            const uint32_t *ids;
            size_t count;
            TacTick now = tac_free_clocks_next(&clocks);
            if (!is_nearest(40, cases[i].p, cases[i].q, n, now)) fail();
            if (tac_free_clocks_take(&clocks, now, &ids, &count, NULL) != TAC_OK || count != 1) fail();
        }
        assert_int_equal(tac_free_clocks_find(&clocks, 0)->n, cases[i].ticks);
        assert_int_equal(tac_free_clocks_next(&clocks) == TAC_TICK_NEVER, cases[i].p == 5);
        tac_free_clocks_destroy(&clocks);
    }
}

static TacTick model_clock_tick(const ModelClock *clock, int bits) {
    return clock->there ? tac_free_clock_tick(bits, clock->p, clock->q, clock->n) : TAC_TICK_NEVER;
}

static void free_clock_heap_agrees_with_a_model(void **state) {
    (void)state;
    enum { IDS = 60, BITS = 12 };
    for (uint32_t seed = 0; seed < 10; seed++) {
        TacRandom random = tac_random(seed, 8);
        TacFreeClocks clocks = {.bits = BITS};
        ModelClock model[IDS] = {{0}};
        TacTick now = 0;
        for (int step = 0; step < 4000; step++) {
            while (draw(&random, 3)) {
                uint32_t id = draw(&random, IDS);
                assert_int_equal(tac_free_clocks_remove(&clocks, id), model[id].there);
                uint32_t p = 1 + draw(&random, 9), q = 1 + draw(&random, 9);
                // now and then a clock that is behind
                int64_t n = tac_free_clock_first(BITS, p, q, draw(&random, 8) ? now : now / 2);
                model[id] = (ModelClock){draw(&random, 4) > 0, p, q, n};
                if (model[id].there)
                    assert_int_equal(tac_free_clocks_add(&clocks, id, p, q, n, NULL), TAC_OK);
            }
            // another period, of which all ticks of the old one are ticks
            uint32_t halved = draw(&random, IDS), q = 2 * model[halved].q;
            TacStatus moved = tac_free_clocks_move(
                &clocks, halved, model[halved].p, q,
                model[halved].there ? tac_free_clock_first(BITS, model[halved].p, q, now + 1) : 0, NULL);
            bool fits = q <= model[halved].p << BITS;
            assert_int_equal(moved, model[halved].there && fits ? TAC_OK : TAC_BAD_USAGE);
            if (moved == TAC_OK) {
                int64_t n = model[halved].n;
                assert_int_equal(tac_free_clock_tick(BITS, model[halved].p, q, 2 * n),
                                 model_clock_tick(&model[halved], BITS));
                model[halved].q = q;
                model[halved].n = tac_free_clock_first(BITS, model[halved].p, q, now + 1);
            }
            if (step % 16 == 0) assert_true(tac_free_clocks_valid(&clocks));
            TacTick next = TAC_TICK_NEVER;
            for (int i = 0; i < IDS; i++)
                if (model_clock_tick(&model[i], BITS) < next) next = model_clock_tick(&model[i], BITS);
            assert_int_equal(tac_free_clocks_next(&clocks), next);
            if (next == TAC_TICK_NEVER) continue;
            if (next > now) now = next;
            const uint32_t *ids;
            size_t count, found = 0;
            assert_int_equal(tac_free_clocks_take(&clocks, now, &ids, &count, NULL), TAC_OK);
            for (uint32_t i = 0; i < IDS; i++) {
                if (model_clock_tick(&model[i], BITS) > now || !model[i].there) continue;
                assert_true(found < count);
                assert_int_equal(ids[found++], i);
                while (model_clock_tick(&model[i], BITS) <= now) model[i].n++;
                assert_int_equal(tac_free_clocks_find(&clocks, i)->n, model[i].n);
            }
            assert_int_equal(found, count);
        }
        tac_free_clocks_destroy(&clocks);
    }
}

static void free_clocks_refuse_what_cannot_be(void **state) {
    (void)state;
    TacFreeClocks clocks = {.bits = 40};
    TacError error;
    assert_int_equal(tac_free_clocks_add(&clocks, 1, 0, 1, 0, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_free_clocks_add(&clocks, 1, 1, 0, 0, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_free_clocks_add(&clocks, 1, (1u << 31) + 1, 1, 0, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_free_clocks_add(&clocks, 1, 1, (1u << 31) + 1, 0, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_free_clocks_add(&clocks, 1, 1, 1, -1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_free_clocks_add(&clocks, UINT32_MAX, 1, 1, 0, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_free_clocks_add(&clocks, 1, 1, 1, 0, &error), TAC_OK);
    assert_int_equal(tac_free_clocks_add(&clocks, 1, 1, 1, 0, &error), TAC_BAD_USAGE);
    clocks.bits = 8;
    assert_int_equal(tac_free_clocks_add(&clocks, 2, 1, 257, 0, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_free_clocks_add(&clocks, 2, 1, 256, 0, &error), TAC_OK);
    // the end of time: the last tick comes, then never
    clocks.bits = 40;
    tac_free_clocks_remove(&clocks, 1);
    tac_free_clocks_remove(&clocks, 2);
    assert_int_equal(tac_free_clocks_add(&clocks, 1, 1u << 31, 1, 0, &error), TAC_OK);
    assert_int_equal(tac_free_clocks_add(&clocks, 2, 5, 3, 5033164, &error), TAC_OK);
    const uint32_t *ids;
    size_t count;
    assert_int_equal(tac_free_clocks_take(&clocks, 0, &ids, &count, NULL), TAC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tac_free_clocks_take(&clocks, TAC_TICK_NEVER, &ids, &count, NULL), TAC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(ids[0], 2);
    assert_int_equal(tac_free_clocks_next(&clocks), TAC_TICK_NEVER);
    assert_true(tac_free_clocks_valid(&clocks));
    tac_free_clocks_destroy(&clocks);
}

// ---- wheel

static void wheel_agrees_with_a_model(void **state) {
    (void)state;
    enum { IDS = 200 };
    uint64_t filed = 0, falls = 0, handed = 0;
    for (uint32_t seed = 0; seed < 24; seed++) {
        TacRandom random = tac_random(seed, 9);
        // near futures in some runs, up to 2^60 in others
        uint32_t reach = seed % 3 == 0 ? 61 : seed % 3 == 1 ? 14 : 35;
        TacWheel wheel = {0};
        TacTick model[IDS], from = 0;
        for (int id = 0; id < IDS; id++) model[id] = -1;
        for (int step = 0; step < 4000; step++) {
            uint32_t id = draw(&random, IDS);
            if (draw(&random, 4) == 0) {
                assert_int_equal(tac_wheel_cancel(&wheel, id), model[id] >= 0);
                model[id] = -1;
            } else {
                TacTick ahead = (TacTick)(draw64(&random) >> (64 - draw(&random, reach) - 1));
                TacTick tick = from > TAC_TICK_NEVER - ahead ? TAC_TICK_NEVER : from + ahead;
                if (draw(&random, 50) == 0) tick = from - 5;
                assert_int_equal(tac_wheel_file(&wheel, id, tick, NULL), TAC_OK);
                model[id] = tick < from ? from : tick;
                filed++;
            }
            assert_int_equal(tac_wheel_tick(&wheel, id), model[id]);
            if (step % 16 == 0) assert_true(tac_wheel_valid(&wheel));
            if (draw(&random, 3)) continue;
            TacTick next = TAC_TICK_NEVER;
            for (int i = 0; i < IDS; i++)
                if (model[i] >= 0 && model[i] < next) next = model[i];
            assert_int_equal(tac_wheel_next(&wheel, TAC_TICK_NEVER), next);
            assert_int_equal(tac_wheel_next(&wheel, next - 1), next - 1);
            assert_int_equal(tac_wheel_next(&wheel, next), next);
            if (next > (TacTick)1 << 62) break;
            // to the expiry, or only part of the way, or once in a while too far
            TacTick now = next;
            uint32_t how = draw(&random, 16);
            if (how < 5) now = from + (next - from) / 2;
            if (how == 5) now = next + 1000;
            const uint32_t *list;
            size_t count;
            assert_int_equal(tac_wheel_advance(&wheel, now, &list, &count, NULL), TAC_OK);
            if (now < next) assert_int_equal(count, 0);
            handed += count;
            check_handed_out(model, IDS, now, list, count);
            from = now + 1;
            assert_int_equal(wheel.from, from);
        }
        falls += wheel.falls;
        assert_true(tac_wheel_valid(&wheel));
        tac_wheel_destroy(&wheel);
    }
    // an entry falls at most once per level
    assert_true(falls <= filed * (TAC_WHEEL_LEVELS - 1));
    assert_true(handed > 10000 && falls > 1000);
}

static void wheel_hands_out_each_entry_at_its_own_tick(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    TacRandom random = tac_random(10, 1);
    TacWheel wheel = {0};
    for (uint32_t id = 0; id < COUNT; id++) {
        TacTick tick = (TacTick)(draw64(&random) >> (4 + draw(&random, 50)));
        assert_int_equal(tac_wheel_file(&wheel, id, tick, NULL), TAC_OK);
    }
    static TacTick filed[COUNT];
    for (uint32_t id = 0; id < COUNT; id++) filed[id] = tac_wheel_tick(&wheel, id);
    size_t capacity = wheel.capacity, handed = 0;
    TacTick next;
    while ((next = tac_wheel_next(&wheel, TAC_TICK_NEVER)) < TAC_TICK_NEVER) {
        const uint32_t *list;
        size_t count;
        assert_int_equal(tac_wheel_advance(&wheel, next, &list, &count, NULL), TAC_OK);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) assert_int_equal(filed[list[i]], next);
        handed += count;
    }
    assert_int_equal(handed, COUNT);
    assert_int_equal(wheel.count, 0);
    assert_int_equal(wheel.capacity, capacity);
    assert_true(wheel.falls <= (uint64_t)COUNT * (TAC_WHEEL_LEVELS - 1));
    tac_wheel_destroy(&wheel);
}

static void wheel_keeps_what_never_expires(void **state) {
    (void)state;
    TacWheel wheel = {0};
    const uint32_t *list;
    size_t count;
    assert_int_equal(tac_wheel_file(&wheel, 3, TAC_TICK_NEVER, NULL), TAC_OK);
    assert_int_equal(tac_wheel_file(&wheel, 4, TAC_TICK_NEVER - 1, NULL), TAC_OK);
    assert_int_equal(tac_wheel_file(&wheel, 5, INT64_MIN, NULL), TAC_OK);
    assert_int_equal(tac_wheel_file(&wheel, UINT32_MAX, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_wheel_next(&wheel, TAC_TICK_NEVER), 0);
    assert_int_equal(tac_wheel_advance(&wheel, 0, &list, &count, NULL), TAC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tac_wheel_next(&wheel, TAC_TICK_NEVER), TAC_TICK_NEVER - 1);
    assert_int_equal(tac_wheel_advance(&wheel, TAC_TICK_NEVER, &list, &count, NULL), TAC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(list[0], 4);
    assert_int_equal(tac_wheel_tick(&wheel, 3), TAC_TICK_NEVER);
    assert_int_equal(tac_wheel_next(&wheel, TAC_TICK_NEVER), TAC_TICK_NEVER);
    assert_int_equal(tac_wheel_tick(&wheel, 99), -1);
    // a saved wheel with an entry in its past was not saved by us
    uint8_t bytes[24];
    uint8_t *end = tac_flat_write(tac_flat_write(bytes, 10, 8), 1, 4);
    end = tac_flat_write(tac_flat_write(end, 0, 4), 9, 8);
    TacFlatReader reader = {bytes, end, false};
    assert_int_equal(tac_wheel_restore(&wheel, &reader, 5, NULL), TAC_BAD_INPUT);
    tac_wheel_destroy(&wheel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_of_a_beat_are_about_1e_14_s),
        cmocka_unit_test(seconds_and_ticks_round_once),
        cmocka_unit_test(ruler_class_is_the_longest_allowed),
        cmocka_unit_test(ids_are_sorted),
        cmocka_unit_test(ruler_agrees_with_a_model),
        cmocka_unit_test(ruler_closes_gaps_between_its_members),
        cmocka_unit_test(ruler_ticks_at_zero_and_jumps_empty_instants),
        cmocka_unit_test(ruler_churn_needs_no_more_memory),
        cmocka_unit_test(ratios_of_small_numbers_are_found),
        cmocka_unit_test(free_ticks_are_nearest_whatever_the_numbers),
        cmocka_unit_test(free_clocks_do_not_drift_in_1e9_ticks),
        cmocka_unit_test(free_clocks_step_as_the_formula_says),
        cmocka_unit_test(a_free_clock_steps_without_drift),
        cmocka_unit_test(free_clock_heap_agrees_with_a_model),
        cmocka_unit_test(free_clocks_refuse_what_cannot_be),
        cmocka_unit_test(wheel_agrees_with_a_model),
        cmocka_unit_test(wheel_hands_out_each_entry_at_its_own_tick),
        cmocka_unit_test(wheel_keeps_what_never_expires),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
