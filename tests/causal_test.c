// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of the causal scheduler (src/time/causal.h) against a model that walks every tick and asks everybody,
// and of its saved state.

#include "time_model.h"

enum { WORLD_BITS = 10, WORLD_MEMBERS = 40, WORLD_CLOCKS = 6, WORLD_ENTRIES = 60, WORLD_CLASSES = 12 };

// A world seen tick by tick: who is where, and nothing else.
typedef struct Model {
    int classes[WORLD_MEMBERS];
    ModelClock clocks[WORLD_CLOCKS];
    TacTick entries[WORLD_ENTRIES];
} Model;

static Model empty_model(void) {
    Model model = {{0}, {{0}}, {0}};
    for (int i = 0; i < WORLD_MEMBERS; i++) model.classes[i] = -1;
    for (int i = 0; i < WORLD_ENTRIES; i++) model.entries[i] = -1;
    return model;
}

static bool anything_at(const Model *model, TacTick tick) {
    for (int i = 0; i < WORLD_MEMBERS; i++)
        if (model->classes[i] >= 0 && tick % ((TacTick)1 << model->classes[i]) == 0) return true;
    for (int i = 0; i < WORLD_CLOCKS; i++) {
        const ModelClock *clock = &model->clocks[i];
        if (clock->there && is_nearest(WORLD_BITS, clock->p, clock->q, clock->n, tick)) return true;
    }
    for (int i = 0; i < WORLD_ENTRIES; i++)
        if (model->entries[i] == tick) return true;
    return false;
}

static void check_instant(Model *model, TacCausal *causal, const TacInstant *instant) {
    TacTick now = instant->now;
    uint64_t classes = 0;
    for (uint32_t i = 0; i < WORLD_MEMBERS; i++)
        if (model->classes[i] >= 0 && now % ((TacTick)1 << model->classes[i]) == 0)
            classes |= (uint64_t)1 << model->classes[i];
    assert_true(instant->classes == classes);
    for (int e = 0; e < TAC_RULER_CLASSES; e++) {
        if (!((classes >> e) & 1)) continue;
        size_t count, found = 0;
        const uint32_t *members = tac_ruler_members(&causal->ruler, e, &count);
        for (uint32_t i = 0; i < WORLD_MEMBERS; i++) {
            if (model->classes[i] != e) continue;
            assert_true(found < count && members[found] == i);
            found++;
        }
        assert_int_equal(found, count);
    }
    size_t found = 0;
    for (uint32_t i = 0; i < WORLD_CLOCKS; i++) {
        ModelClock *clock = &model->clocks[i];
        if (!clock->there || !is_nearest(WORLD_BITS, clock->p, clock->q, clock->n, now)) continue;
        assert_true(found < instant->free_count && instant->free_members[found] == i);
        clock->n++;
        found++;
    }
    assert_int_equal(found, instant->free_count);
    check_handed_out(model->entries, WORLD_ENTRIES, now, instant->expired, instant->expired_count);
}

static void change_members(Model *model, TacCausal *causal, TacRandom *random) {
    uint32_t id = draw(random, WORLD_MEMBERS);
    int e = 4 + (int)draw(random, WORLD_CLASSES - 4);
    if (model->classes[id] < 0) {
        assert_int_equal(tac_ruler_add(&causal->ruler, id, e, NULL), TAC_OK);
        model->classes[id] = e;
    } else if (draw(random, 2)) {
        assert_int_equal(tac_ruler_move(&causal->ruler, id, e, NULL), TAC_OK);
        model->classes[id] = e;
    } else {
        assert_true(tac_ruler_remove(&causal->ruler, id));
        model->classes[id] = -1;
    }
}

static void change_clocks(Model *model, TacCausal *causal, TacRandom *random) {
    uint32_t id = draw(random, WORLD_CLOCKS);
    ModelClock *clock = &model->clocks[id];
    if (clock->there) {
        assert_true(tac_free_clocks_remove(&causal->free, id));
        clock->there = false;
        return;
    }
    *clock = (ModelClock){true, 1 + draw(random, 12), 1 + draw(random, 50), 0};
    clock->n = tac_free_clock_first(WORLD_BITS, clock->p, clock->q, tac_causal_from(causal));
    assert_int_equal(tac_free_clocks_add(&causal->free, id, clock->p, clock->q, clock->n, NULL), TAC_OK);
}

static void change_entries(Model *model, TacCausal *causal, TacRandom *random) {
    uint32_t id = draw(random, WORLD_ENTRIES);
    if (draw(random, 4) == 0) {
        assert_int_equal(tac_wheel_cancel(&causal->wheel, id), model->entries[id] >= 0);
        model->entries[id] = -1;
        return;
    }
    TacTick from = tac_causal_from(causal), tick = from + draw(random, 1u << draw(random, 13));
    if (draw(random, 30) == 0) tick = from - 1;
    assert_int_equal(tac_wheel_file(&causal->wheel, id, tick, NULL), TAC_OK);
    model->entries[id] = tick < from ? from : tick;
}

static void change_something(Model *model, TacCausal *causal, TacRandom *random) {
    while (draw(random, 3)) {
        switch (draw(random, 4)) {
        case 0: change_members(model, causal, random); break;
        case 1: change_clocks(model, causal, random); break;
        default: change_entries(model, causal, random); break;
        }
    }
}

static void five_classes_and_three_free_clocks_agree_with_every_tick(void **state) {
    (void)state;
    static const int classes[] = {4, 6, 7, 9, 11};
    static const uint32_t ratios[][2] = {{5, 3}, {1, 44}, {3, 48}};
    Model model = empty_model();
    TacCausal causal;
    tac_causal_init(&causal, WORLD_BITS);
    for (uint32_t i = 0; i < WORLD_MEMBERS; i++) {
        // backwards, so that batches come out sorted by work, not by luck
        uint32_t id = WORLD_MEMBERS - 1 - i;
        model.classes[id] = classes[id % 5];
        assert_int_equal(tac_ruler_add(&causal.ruler, id, classes[id % 5], NULL), TAC_OK);
    }
    for (uint32_t id = 0; id < 3; id++) {
        model.clocks[id] = (ModelClock){true, ratios[id][0], ratios[id][1], 0};
        assert_int_equal(tac_free_clocks_add(&causal.free, id, ratios[id][0], ratios[id][1], 0, NULL),
                         TAC_OK);
    }
    size_t instants = 0;
    for (TacTick tick = 0; tick < (TacTick)60 << WORLD_BITS; tick++) {
        if (!anything_at(&model, tick)) continue;
        assert_int_equal(tac_causal_next(&causal), tick);
        TacInstant instant;
        assert_int_equal(tac_causal_take(&causal, &instant, NULL), TAC_OK);
        assert_int_equal(instant.now, tick);
        check_instant(&model, &causal, &instant);
        instants++;
        // where everything coincides, everything comes at once
        if (tick % ((TacTick)10 << WORLD_BITS) == 0) {
            assert_int_equal(__builtin_popcountll(instant.classes), 5);
            assert_int_equal(instant.free_count, 3);
        }
    }
    assert_true(instants > 3000);
    tac_causal_destroy(&causal);
}

static void causal_agrees_with_every_tick_under_changes(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 12; seed++) {
        TacRandom random = tac_random(seed, 11);
        Model model = empty_model();
        TacCausal causal;
        tac_causal_init(&causal, WORLD_BITS);
        for (TacTick tick = 0; tick < 20000; tick++) {
            // a change acts from the first tick not processed, which is this one only after an instant
            if (tac_causal_from(&causal) == tick) change_something(&model, &causal, &random);
            if (!anything_at(&model, tick)) continue;
            assert_int_equal(tac_causal_next(&causal), tick);
            TacInstant instant;
            assert_int_equal(tac_causal_take(&causal, &instant, NULL), TAC_OK);
            assert_int_equal(instant.now, tick);
            check_instant(&model, &causal, &instant);
        }
        assert_true(tac_ruler_valid(&causal.ruler) && tac_wheel_valid(&causal.wheel));
        assert_true(tac_free_clocks_valid(&causal.free));
        tac_causal_destroy(&causal);
    }
}

static void a_limit_is_never_processed(void **state) {
    (void)state;
    TacCausal causal;
    TacInstant instant;
    tac_causal_init(&causal, 40);
    // nothing at all
    assert_int_equal(tac_causal_next(&causal), TAC_TICK_NEVER);
    assert_int_equal(tac_causal_take(&causal, &instant, NULL), TAC_OK);
    assert_int_equal(instant.now, TAC_TICK_NEVER);
    assert_int_equal(tac_causal_from(&causal), 0);
    assert_int_equal(tac_ruler_add(&causal.ruler, 0, 3, NULL), TAC_OK);
    // instant 0 comes first, and not before a limit of 0
    assert_int_equal(tac_causal_take_before(&causal, 0, &instant, NULL), TAC_OK);
    assert_int_equal(instant.now, 0);
    assert_true(instant.classes == 0);
    static const TacTick expected[] = {0, 8, 16, 24, 32, 32};
    for (size_t i = 0; i < TAC_COUNT(expected); i++) {
        assert_int_equal(tac_causal_take_before(&causal, 32, &instant, NULL), TAC_OK);
        assert_int_equal(instant.now, expected[i]);
        assert_true(instant.classes == (expected[i] < 32 ? 8 : 0));
    }
    // what is added now does not tick before the limit, but does at it
    assert_int_equal(tac_ruler_add(&causal.ruler, 1, 0, NULL), TAC_OK);
    assert_int_equal(tac_wheel_file(&causal.wheel, 9, 30, NULL), TAC_OK);
    assert_int_equal(tac_causal_take(&causal, &instant, NULL), TAC_OK);
    assert_int_equal(instant.now, 32);
    assert_true(instant.classes == 9);
    assert_int_equal(instant.expired_count, 1);
    // a clock that is behind comes at once, not in the past, and goes on from here
    assert_true(tac_ruler_remove(&causal.ruler, 1));
    assert_int_equal(tac_free_clocks_add(&causal.free, 2, 1, 64, 0, NULL), TAC_OK);
    assert_int_equal(tac_causal_next(&causal), 33);
    assert_int_equal(tac_causal_take(&causal, &instant, NULL), TAC_OK);
    assert_int_equal(instant.now, 33);
    assert_true(instant.classes == 0);
    assert_int_equal(instant.free_count, 1);
    assert_int_equal(tac_free_clocks_next(&causal.free), (TacTick)1 << 34);
    // a limit in the past changes nothing
    assert_int_equal(tac_causal_take_before(&causal, 5, &instant, NULL), TAC_OK);
    assert_int_equal(instant.now, 5);
    assert_int_equal(tac_causal_from(&causal), 34);
    tac_causal_destroy(&causal);
}

static uint8_t *save(const TacCausal *causal, size_t *bytes) {
    *bytes = tac_causal_save_bytes(causal);
    uint8_t *data = malloc(*bytes);
    assert_non_null(data);
    tac_causal_save(causal, data);
    return data;
}

static void assert_same_bytes(const TacCausal *a, const TacCausal *b) {
    size_t a_bytes, b_bytes;
    uint8_t *a_data = save(a, &a_bytes), *b_data = save(b, &b_bytes);
    assert_int_equal(a_bytes, b_bytes);
    assert_memory_equal(a_data, b_data, a_bytes);
    free(a_data);
    free(b_data);
}

static void run_changing(TacCausal *causal, Model *model, TacRandom *random, int instants) {
    for (int i = 0; i < instants; i++) {
        TacInstant instant;
        change_something(model, causal, random);
        assert_int_equal(tac_causal_take(causal, &instant, NULL), TAC_OK);
        if (instant.now < TAC_TICK_NEVER) check_instant(model, causal, &instant);
    }
}

static void a_restored_scheduler_has_the_same_future(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 12; seed++) {
        TacRandom random = tac_random(seed, 12), random_again;
        Model model = empty_model(), model_again;
        TacCausal causal, again;
        tac_causal_init(&causal, WORLD_BITS);
        tac_causal_init(&again, WORLD_BITS);
        run_changing(&causal, &model, &random, 500);
        size_t bytes;
        uint8_t *data = save(&causal, &bytes);
        assert_int_equal(tac_ruler_add(&again.ruler, 5, 5, NULL), TAC_OK);
        assert_int_equal(tac_causal_restore(&again, data, bytes, 1000, NULL), TAC_OK);
        assert_same_bytes(&causal, &again);
        random_again = random;
        model_again = model;
        for (int i = 0; i < 1000; i++) {
            TacInstant a, b;
            change_something(&model, &causal, &random);
            change_something(&model_again, &again, &random_again);
            assert_int_equal(tac_causal_take(&causal, &a, NULL), TAC_OK);
            assert_int_equal(tac_causal_take(&again, &b, NULL), TAC_OK);
            assert_int_equal(a.now, b.now);
            if (a.now == TAC_TICK_NEVER) continue;
            check_instant(&model, &causal, &a);
            check_instant(&model_again, &again, &b);
        }
        assert_same_bytes(&causal, &again);
        free(data);
        tac_causal_destroy(&causal);
        tac_causal_destroy(&again);
    }
}

static void bad_bytes_are_refused_and_change_nothing(void **state) {
    (void)state;
    TacRandom random = tac_random(13, 13);
    Model model = empty_model();
    TacCausal causal, target;
    TacError error;
    tac_causal_init(&causal, WORLD_BITS);
    tac_causal_init(&target, WORLD_BITS);
    run_changing(&causal, &model, &random, 200);
    size_t bytes, before_bytes;
    uint8_t *data = save(&causal, &bytes);
    assert_int_equal(tac_ruler_add(&target.ruler, 77, 5, NULL), TAC_OK);
    uint8_t *before = save(&target, &before_bytes);
    // cut short anywhere, in memory of exactly that size
    for (size_t cut = 0; cut < bytes; cut++) {
        uint8_t *part = malloc(cut + 1);
        assert_non_null(part);
        memcpy(part + 1, data, cut);
        assert_int_equal(tac_causal_restore(&target, part + 1, cut, 1000, &error), TAC_BAD_INPUT);
        assert_true(error.status == TAC_BAD_INPUT && error.message[0]);
        free(part);
    }
    // a byte too many
    uint8_t *longer = malloc(bytes + 1);
    assert_non_null(longer);
    memcpy(longer, data, bytes);
    longer[bytes] = 0;
    assert_int_equal(tac_causal_restore(&target, longer, bytes + 1, 1000, &error), TAC_BAD_INPUT);
    free(longer);
    // ids beyond what the caller has, another beat
    assert_int_equal(tac_causal_restore(&target, data, bytes, 10, &error), TAC_BAD_INPUT);
    target.free.bits = 11;
    assert_int_equal(tac_causal_restore(&target, data, bytes, 1000, &error), TAC_BAD_INPUT);
    target.free.bits = WORLD_BITS;
    size_t after_bytes;
    uint8_t *after = save(&target, &after_bytes);
    assert_int_equal(after_bytes, before_bytes);
    assert_memory_equal(after, before, before_bytes);
    // changed anywhere: refused, or a scheduler that still works
    for (int i = 0; i < 5000; i++) {
        uint8_t *changed = malloc(bytes);
        assert_non_null(changed);
        memcpy(changed, data, bytes);
        for (uint32_t n = draw(&random, 3) + 1; n > 0; n--)
            changed[draw(&random, (uint32_t)bytes)] = (uint8_t)tac_random_bits(&random);
        TacStatus status = tac_causal_restore(&target, changed, bytes, 1000, &error);
        assert_true(status == TAC_OK || status == TAC_BAD_INPUT);
        TacInstant instant;
        for (int k = 0; k < 5; k++) assert_int_equal(tac_causal_take(&target, &instant, NULL), TAC_OK);
        assert_true(tac_ruler_valid(&target.ruler) && tac_wheel_valid(&target.wheel));
        assert_true(tac_free_clocks_valid(&target.free));
        free(changed);
    }
    free(data);
    free(before);
    free(after);
    tac_causal_destroy(&causal);
    tac_causal_destroy(&target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_classes_and_three_free_clocks_agree_with_every_tick),
        cmocka_unit_test(causal_agrees_with_every_tick_under_changes),
        cmocka_unit_test(a_limit_is_never_processed),
        cmocka_unit_test(a_restored_scheduler_has_the_same_future),
        cmocka_unit_test(bad_bytes_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
