// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Memory: a step that sets no new maximum allocates nothing, and an allocation that fails anywhere while a
// world is built is reported as TAC_NO_MEMORY, without a crash or a leak.
//
// Counts by standing in for malloc, which the address sanitizer does too: there, only the sameness of results
// is tested.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tactus/tactus.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTING 0
#else
#define COUNTING 1
#endif

static atomic_long allocations;  // since the start
static atomic_long fail_at = -1; // the allocation that fails; -1: none
static atomic_long live;         // allocated and not freed

#if COUNTING
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *data);

static bool refused(void) {
    long n = atomic_fetch_add(&allocations, 1);
    return n == atomic_load(&fail_at);
}

void *malloc(size_t size) {
    if (refused()) return NULL;
    atomic_fetch_add(&live, 1);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (refused()) return NULL;
    atomic_fetch_add(&live, 1);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    if (refused()) return NULL;
    if (!old) atomic_fetch_add(&live, 1);
    return __libc_realloc(old, size);
}

void free(void *data) {
    if (data) atomic_fetch_sub(&live, 1);
    __libc_free(data);
}
#endif

static const char scene_text[] =
    "<tactus version='1' dt='0.01'><param name='n' default='6'/>"
    "<node name='soft'><ImplicitEuler/><Grid counts='${n} ${n} ${n}' split='true' low='0 0.2 0'/><Points/>"
    "<DiagonalMass density='100'/><Tetrahedra young='20000'/><Plane stiffness='200' friction='0.4'/>"
    "<FixedPoints points='0-3'/>"
    "<node name='skin'><Sphere subdivisions='2' radius='0.3' translation='0.5 0.7 "
    "0.5'/><Points/><BarycentricMap/>"
    "</node></node>"
    "<node name='body'><SymplecticEuler step='0.0016'/><Frames velocities='0 0 0 1 2 3'/><UniformMass box='1 "
    "2 3'/>"
    "<node name='shape'><Box/><Points/><RigidMap/></node></node>"
    "<node name='moved'><Points positions='0 0 0'/><ScriptedMotion speed='1 0 0'/></node>"
    "<Springs name='tie' matter='@soft/points' other='@body/shape/points' pairs='5 3' stiffness='10' "
    "lengths='1'/>"
    "<Record velocities='true'/></tactus>";

static TacStatus build(TacWorld **world, int threads, TacError *error) {
    TacScene *scene;
    TacStatus status = tac_scene_create(&scene, error);
    if (status != TAC_OK) return status;
    status = tac_scene_parse(scene, "test.tac", scene_text, sizeof scene_text - 1, error);
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    if (status == TAC_OK) status = tac_world_create(world, scene, &def, error);
    tac_scene_destroy(scene);
    return status;
}

static void test_steps_allocate_nothing(void **state) {
    (void)state;
    TacWorld *world;
    TacError error;
    assert_int_equal(build(&world, 2, &error), TAC_OK);
    char path[] = "/tmp/tactus-allocation-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    TacRecorder *recorder;
    assert_int_equal(tac_recorder_open(&recorder, path, tac_world_recording_def(world, &error), &error),
                     TAC_OK);

    // the first frames set the maxima; then 50 beats with measuring, and as many with recording
    long before = 0;
    for (int i = 0; i < 110; i++) {
        if (i == 10) before = atomic_load(&allocations);
        if (i == 60) assert_int_equal(atomic_load(&allocations) - before, 0);
        assert_int_equal(tac_world_advance_beats(world, 1, &error), TAC_OK);
        tac_world_energy(world);
        tac_world_hash(world);
        const TacFrame *frame = tac_world_frame(world);
        if (i < 10 || i >= 60) assert_int_equal(tac_recorder_frame(recorder, frame, &error), TAC_OK);
    }
    // of a recording only the index of frames grows, by doubling: at 16 and 32 of these 60
    assert_true(atomic_load(&allocations) - before <= 2);
    assert_int_equal(tac_world_stats(world).growths, 0);
    assert_int_equal(tac_recorder_close(recorder, &error), TAC_OK);
    tac_world_destroy(world);
    unlink(path);
}

// The first, the second, the third ... allocation fails, until a build comes through.
static void test_every_allocation_may_fail(void **state) {
    (void)state;
    if (!COUNTING) skip();
    TacWorld *world;
    TacError error;
    // libraries keep what they set up once; let them do so before counting
    assert_int_equal(build(&world, 1, &error), TAC_OK);
    tac_world_destroy(world);
    long n = 0;
    for (bool reached = true; reached; n++) {
        // twice each: what a library keeps of its last failure is there once, a leak grows
        long after_first = 0;
        for (int round = 0; round < 2; round++) {
            atomic_store(&fail_at, atomic_load(&allocations) + n);
            TacStatus status = build(&world, 1, &error);
            reached = atomic_load(&allocations) > atomic_load(&fail_at);
            atomic_store(&fail_at, -1);
            if (status == TAC_OK) tac_world_destroy(world);
            if (status != TAC_OK && status != TAC_NO_MEMORY)
                fail_msg("allocation %ld: status %d, %s", n, status, error.message);
            if (round == 0)
                after_first = atomic_load(&live);
            else
                assert_int_equal(atomic_load(&live), after_first);
        }
    }
    print_message("%ld allocations failed in turn\n", n);
    assert_true(n > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_allocate_nothing),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
