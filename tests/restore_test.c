// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Saving and restoring, for every class that there is: a world that is put back goes on to the same bits, in
// the same world or in a fresh one, from memory or from a file, on one thread or two, and under both schedulers where
// a scene allows it. A class without a scene here fails the test.

#define _GNU_SOURCE
#include "class_scenes.h"
#include "scene_checks.h"

#include <unistd.h>

enum { BEFORE = 5, AFTER = 7 };

static const Example *example_of(const char *class_name) {
    for (size_t i = 0; i < (size_t)EXAMPLES; i++)
        if (!strcmp(examples[i].class_name, class_name)) return &examples[i];
    return NULL;
}

// NULL where the scene is refused.
static TacWorld *try_make(const Example *example, int threads, TacError *error) {
    TacScene *scene = empty_scene();
    TacWorld *world = NULL;
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    if (tac_scene_parse(scene, "test.tac", example->text, strlen(example->text), error) == TAC_OK)
        tac_world_create(&world, scene, &def, error);
    tac_scene_destroy(scene);
    return world;
}

static TacWorld *make(const Example *example, int threads) {
    TacError error = {0};
    char line[2048];
    TacWorld *world = try_make(example, threads, &error);
    if (!world) fail_msg("%s: %s", example->class_name, tac_error_text(&error, line, sizeof line));
    return world;
}

static void beats(const Example *example, TacWorld *world, int n) {
    TacError error;
    if (tac_world_advance_beats(world, n, &error) != TAC_OK)
        fail_msg("%s: %s", example->class_name, error.message);
}

// Of where everything is, without the time, which is in the world's hash.
static double place(TacWorld *world) {
    double sum = 0;
    for (size_t m = 0; m < tac_world_matter_count(world); m++) {
        TacComponentId id = tac_world_matter(world, m);
        const double *x = tac_world_positions(world, id);
        size_t n = tac_world_point_count(world, id) * (size_t)tac_position_size(tac_world_kind(world, id));
        for (size_t i = 0; i < n; i++) sum += x[i] * (1 + 0.1 * (double)(i % 17));
    }
    return sum;
}

static void *save(TacWorld *world, size_t *bytes) {
    TacError error;
    *bytes = tac_world_snapshot_size(world);
    void *data = malloc(*bytes);
    assert_non_null(data);
    assert_int_equal(tac_world_save(world, data, *bytes, &error), TAC_OK);
    return data;
}

// Restores, lets it run on, and returns the hash at the end.
static uint64_t replay(const Example *example, TacWorld *world, const void *data, size_t bytes) {
    TacError error;
    if (tac_world_restore(world, data, bytes, &error) != TAC_OK)
        fail_msg("%s: %s", example->class_name, error.message);
    beats(example, world, AFTER);
    return tac_world_hash(world);
}

// The same by way of a file.
static uint64_t replay_file(const Example *example, TacWorld *world, const char *path) {
    TacError error;
    TacSnapshotInfo info;
    if (tac_world_restore_file(world, path, &info, &error) != TAC_OK)
        fail_msg("%s: %s", example->class_name, error.message);
    assert_false(info.other_values);
    beats(example, world, AFTER);
    return tac_world_hash(world);
}

static void check_example(const Example *example, bool look) {
    TacWorld *w = make(example, 1);
    beats(example, w, BEFORE);
    // measuring computes the kicks of this instant early: those are state, too
    if (look) tac_world_energy(w);
    double before = place(w);
    size_t bytes;
    void *data = save(w, &bytes);
    char path[] = "/tmp/tactus-restore-XXXXXX";
    int fd = mkstemp(path);
    TacError error;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(tac_world_save_file(w, path, &error), TAC_OK);
    beats(example, w, AFTER);
    uint64_t after = tac_world_hash(w);
    if (place(w) == before) fail_msg("%s: nothing moves, so nothing is tested", example->class_name);

    if (replay(example, w, data, bytes) != after) fail_msg("%s: restored, it differs", example->class_name);
    TacWorld *fresh = make(example, 1), *two = make(example, 2), *ahead = make(example, 1);
    if (replay(example, fresh, data, bytes) != after)
        fail_msg("%s: restored into a fresh world, it differs", example->class_name);
    TacWorld *other = make(example, 1);
    if (replay_file(example, other, path) != after)
        fail_msg("%s: restored from a file, it differs", example->class_name);
    unlink(path);
    tac_world_destroy(other);
    if (replay(example, two, data, bytes) != after)
        fail_msg("%s: on two threads, it differs", example->class_name);
    // into one that is elsewhere in time
    beats(example, ahead, 23);
    tac_world_energy(ahead);
    if (replay(example, ahead, data, bytes) != after)
        fail_msg("%s: restored from a later time, it differs", example->class_name);
    tac_world_destroy(fresh);
    tac_world_destroy(two);
    tac_world_destroy(ahead);
    tac_world_destroy(w);
    free(data);
}

static void test_every_class_has_a_scene(void **state) {
    (void)state;
    TacScene *all = empty_scene();
    for (size_t i = 0; i < tac_scene_class_count(all); i++) {
        const char *name = tac_scene_class(all, i)->name;
        const Example *example = example_of(name);
        if (!example) fail_msg("%s has no scene in tests/class_scenes.h", name);
        // the scene does use it
        TacScene *scene = empty_scene();
        TacError error;
        assert_int_equal(tac_scene_parse(scene, "test.tac", example->text, strlen(example->text), &error),
                         TAC_OK);
        TacNodeId nodes[32];
        TacComponentId components[32];
        size_t node_count = tac_scene_nodes(scene, nodes, 32);
        bool used = false;
        for (size_t n = 0; n < node_count; n++) {
            size_t count = tac_scene_components(scene, nodes[n], components, 32);
            for (size_t k = 0; k < count; k++)
                used = used || !strcmp(tac_scene_class_of(scene, components[k])->name, name);
        }
        if (!used) fail_msg("the scene of %s does not use it", name);
        tac_scene_destroy(scene);
    }
    tac_scene_destroy(all);
}

static void test_restored_worlds_go_on_alike(void **state) {
    (void)state;
    for (size_t i = 0; i < (size_t)EXAMPLES; i++) {
        check_example(&examples[i], false);
        check_example(&examples[i], true);
    }
}

// The scene of an example with the loose scheduler; some are refused, with a reason.
static void test_both_schedulers_go_on_alike(void **state) {
    (void)state;
    size_t count = 0, all = (size_t)EXAMPLES;
    for (size_t i = 0; i < all; i++) {
        static const char head[] = "<tactus version='1'", loose[] = "<tactus version='1' scheduler='loose'";
        if (strstr(examples[i].text, "scheduler=")) continue; // it stood in the other test
        char text[8192];
        assert_memory_equal(examples[i].text, head, sizeof head - 1);
        int length = snprintf(text, sizeof text, "%s%s", loose, examples[i].text + sizeof head - 1);
        assert_true(length < (int)sizeof text);
        const Example example = {examples[i].class_name, text};
        TacError error;
        TacWorld *world = try_make(&example, 1, &error);
        if (!world) {
            assert_int_equal(error.status, TAC_BAD_INPUT);
            continue;
        }
        // a law on its own clock is no agent, and the loose scheduler moves agents only
        beats(&example, world, BEFORE);
        double before = place(world);
        beats(&example, world, AFTER);
        bool moves = place(world) != before;
        tac_world_destroy(world);
        if (moves) check_example(&example, false);
        count += moves;
    }
    print_message("%zu of %zu scenes under the loose scheduler\n", count, all);
    assert_true(count > all / 2);
}

static void test_other_worlds_refuse(void **state) {
    (void)state;
    TacWorld *a = make(example_of("Grid"), 1), *b = make(example_of("Box"), 1);
    size_t bytes;
    char *data = save(a, &bytes);
    TacError error;
    uint64_t hash = tac_world_hash(b);
    assert_int_equal(tac_world_restore(b, data, bytes, &error), TAC_BAD_INPUT);
    assert_true(tac_world_hash(b) == hash);
    assert_int_equal(tac_world_restore(a, data, bytes - 1, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_world_restore(a, data, 3, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_world_save(a, data, bytes - 1, &error), TAC_BAD_USAGE);
    data[0] ^= 1;
    assert_int_equal(tac_world_restore(a, data, bytes, &error), TAC_BAD_INPUT);
    free(data);
    tac_world_destroy(a);
    tac_world_destroy(b);
    // as many bytes, but another beat
    const Example slow = {
        "slow", "<tactus version='1' dt='0.02'><node name='n'><Points positions='0 0 0'/></node></tactus>"};
    const Example quick = {
        "quick", "<tactus version='1' dt='0.01'><node name='n'><Points positions='0 0 0'/></node></tactus>"};
    a = make(&slow, 1);
    b = make(&quick, 1);
    data = save(a, &bytes);
    assert_int_equal(bytes, tac_world_snapshot_size(b));
    assert_int_equal(tac_world_restore(b, data, bytes, &error), TAC_BAD_INPUT);
    free(data);
    tac_world_destroy(a);
    tac_world_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_class_has_a_scene),
        cmocka_unit_test(test_restored_worlds_go_on_alike),
        cmocka_unit_test(test_both_schedulers_go_on_alike),
        cmocka_unit_test(test_other_worlds_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
