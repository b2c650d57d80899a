// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What tests of safe contact share: worlds from text, letting them run, and looking at them.

#ifndef TACTUS_TESTS_SAFE_CHECKS_H
#define TACTUS_TESTS_SAFE_CHECKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tactus/tactus.h"

// Compiles a scene; NULL, and the error filled, when it is refused.
static inline TacWorld *try_world(const char *text, int threads, TacError *error) {
    TacScene *scene;
    *error = (TacError){0};
    assert_int_equal(tac_scene_create(&scene, error), TAC_OK);
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    TacWorld *world = NULL;
    if (tac_scene_parse(scene, "test.tac", text, strlen(text), error) == TAC_OK)
        tac_world_create(&world, scene, &def, error);
    tac_scene_destroy(scene);
    return world;
}

static inline TacWorld *make_world(const char *text, int threads) {
    TacError error;
    TacWorld *world = try_world(text, threads, &error);
    char line[2048];
    if (!world) fail_msg("%s\n%s", tac_error_text(&error, line, sizeof line), text);
    return world;
}

#define MAKE(...) make_world((snprintf(scene_text, sizeof scene_text, __VA_ARGS__), scene_text), 1)

static char scene_text[1 << 16];

static inline void advance(TacWorld *world, double seconds) {
    TacError error;
    if (tac_world_advance(world, seconds, &error) != TAC_OK) fail_msg("%s", error.message);
}

static inline const double *places(TacWorld *world, const char *path) {
    const double *x = tac_world_positions(world, tac_world_find(world, path));
    assert_non_null(x);
    return x;
}

static inline const double *speeds(TacWorld *world, const char *path) {
    const double *v = tac_world_velocities(world, tac_world_find(world, path));
    assert_non_null(v);
    return v;
}

// Beats with an audit; nothing may meet.
static inline void advance_audited(TacWorld *world, double seconds) {
    TacError error;
    if (tac_world_audit(world, &error) != TAC_OK) fail_msg("%s", error.message);
    advance(world, seconds);
    TacAuditSummary audit = tac_world_audit_summary(world);
    char text[512];
    if (audit.violations) fail_msg("%s", tac_world_audit_violation(world, 0, text, sizeof text));
}

// A world goes on from what another one saved at `at`, and ends as one that was never stopped. It has been elsewhere before.
// Both are gone then.
static inline void expect_resumed(TacWorld *first, TacWorld *second, double at, double end, uint64_t whole) {
    TacError error;
    advance(first, at);
    size_t bytes = tac_world_snapshot_size(first);
    void *saved = malloc(bytes);
    assert_non_null(saved);
    assert_int_equal(tac_world_save(first, saved, bytes, &error), TAC_OK);
    advance(second, 0.3);
    assert_int_equal(tac_world_restore(second, saved, bytes, &error), TAC_OK);
    advance(second, end - at);
    assert_true(tac_world_hash(second) == whole);
    free(saved);
    tac_world_destroy(first);
    tac_world_destroy(second);
}

#endif
