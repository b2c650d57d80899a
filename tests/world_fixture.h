// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What tests of running worlds share: worlds from text, time that runs, and looking. Every failure is the test's, with
// the library's message.

#ifndef TACTUS_TESTS_WORLD_FIXTURE_H
#define TACTUS_TESTS_WORLD_FIXTURE_H

#include "scene_checks.h"

#include <math.h>

// A scene that was read becomes a world; a world must not need its scene.
static inline TacWorld *compiled(TacScene *scene, TacStatus read, TacError *error, int threads,
                                 const char *text) {
    TacWorld *world = NULL;
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    char line[2048];
    if (read != TAC_OK || tac_world_create(&world, scene, &def, error) != TAC_OK)
        fail_msg("%s\n%s", tac_error_text(error, line, sizeof line), text);
    tac_scene_destroy(scene);
    return world;
}

static inline TacWorld *world_on(int threads, const char *text) {
    TacScene *scene = empty_scene();
    TacError error = {0};
    TacStatus read = tac_scene_parse(scene, "test.tac", text, strlen(text), &error);
    return compiled(scene, read, &error, threads, text);
}

// A scene in a file, seen from the top folder.
static inline TacWorld *world_of_file(const char *path, int threads) {
    TacScene *scene = empty_scene();
    TacError error = {0};
    TacStatus read = tac_scene_read(scene, path, &error);
    return compiled(scene, read, &error, threads, path);
}

static inline TacWorld *world_from(int threads, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    char *text = malloc(size);
    assert_non_null(text);
    vsnprintf(text, size, format, args);
    TacWorld *world = world_on(threads, text);
    free(text);
    return world;
}

static inline TacWorld *make_world(const char *format, ...) TAC_PRINTF(1, 2);
static inline TacWorld *make_world(const char *format, ...) {
    va_list args;
    va_start(args, format);
    TacWorld *world = world_from(1, format, args);
    va_end(args);
    return world;
}

static inline TacWorld *make_world_on(int threads, const char *format, ...) TAC_PRINTF(2, 3);
static inline TacWorld *make_world_on(int threads, const char *format, ...) {
    va_list args;
    va_start(args, format);
    TacWorld *world = world_from(threads, format, args);
    va_end(args);
    return world;
}

static inline void advance(TacWorld *world, double seconds) {
    TacError error = {0};
    char line[2048];
    if (tac_world_advance(world, seconds, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, line, sizeof line));
}

static inline void beats(TacWorld *world, int64_t count) {
    TacError error = {0};
    char line[2048];
    if (tac_world_advance_beats(world, count, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, line, sizeof line));
}

static inline const double *positions(TacWorld *world, const char *path) {
    const double *x = tac_world_positions(world, tac_world_find(world, path));
    if (!x) fail_msg("no %s", path);
    return x;
}

static inline const double *velocities(TacWorld *world, const char *path) {
    const double *v = tac_world_velocities(world, tac_world_find(world, path));
    if (!v) fail_msg("no %s", path);
    return v;
}

// One number of a component's output.
static inline double output(TacWorld *world, const char *path, const char *name, size_t i) {
    TacReals list = tac_world_reals(world, tac_world_find(world, path), name);
    if (i >= list.count) fail_msg("%s has no %s[%zu]", path, name, i);
    return list.data[i];
}

static inline TacAgentInfo agent(const TacWorld *world, const char *name) {
    TacWorldStats stats = tac_world_stats(world);
    for (size_t i = 0; i < stats.agents; i++)
        if (!strcmp(tac_world_agent(world, i).name, name)) return tac_world_agent(world, i);
    fail_msg("no agent %s", name);
    return (TacAgentInfo){0};
}

static inline void near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.10g is not %.10g within %g", value, expected, tolerance);
}

// --- the same bits ------------------------------------------------------------------------------------------

// The hash some time on; the world is gone then.
static inline uint64_t hash_after(TacWorld *world, double seconds) {
    advance(world, seconds);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

// A box of 2 kg in a safe world, drifting at 0.05 m/s along x, which counts as still: it falls asleep.
#define A_SLEEPER                                                                                            \
    "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.005'/>"               \
    "<node name='a'><Spook/><Agent adaptive='true' rest='true' still='0.1' patience='0.05'/>"                \
    "<Frames positions='0 0 0 0 0 0 1' velocities='0.05 0 0 0 0 0'/><UniformMass mass='2' box='0.1 "         \
    "0.1 0.1'/><node name='s'><Box low='-0.1 -0.1 -0.1' high='0.1 0.1 0.1'/><Points/><RigidMap/>"            \
    "<Skin/></node></node></tactus>"

// A second world of the same scene becomes what the first one is.
static inline void hand_over(TacWorld *first, TacWorld *second) {
    TacError error;
    size_t bytes = tac_world_snapshot_size(first);
    void *data = malloc(bytes);
    assert_non_null(data);
    assert_int_equal(tac_world_save(first, data, bytes, &error), TAC_OK);
    assert_int_equal(tac_world_restore(second, data, bytes, &error), TAC_OK);
    free(data);
}

// The same, where a second world goes on from what the first one saved on the way. Both are gone then.
static inline uint64_t hash_resumed(TacWorld *first, TacWorld *second, double before, double after) {
    advance(first, before);
    hand_over(first, second);
    tac_world_destroy(first);
    return hash_after(second, after);
}

#endif
