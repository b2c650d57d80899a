// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Hands, pins and the sphere: against closed forms, momentum, other ways to the same thing, and themselves
// again from the log.

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

static TacWorld *make(int threads, const char *format, ...) __attribute__((format(printf, 2, 3)));

static TacWorld *make(int threads, const char *format, ...) {
    char text[8192], line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    TacScene *scene;
    TacError error = {0};
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    if (tac_scene_parse(scene, "test.tac", text, strlen(text), &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, line, sizeof line));
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    TacWorld *world;
    if (tac_world_create(&world, scene, &def, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, line, sizeof line));
    tac_scene_destroy(scene);
    return world;
}

static void beats(TacWorld *world, int64_t n) {
    TacError error;
    if (tac_world_advance_beats(world, n, &error) != TAC_OK) fail_msg("%s", error.message);
}

static void grab(TacWorld *world, int hand, const char *path, size_t point, TacVec3 target, double strength) {
    TacError error;
    if (tac_world_grab(world, hand, tac_world_find(world, path), point, target, strength, &error) != TAC_OK)
        fail_msg("%s", error.message);
}

static TacVec3 place(TacWorld *world, const char *path, size_t point, size_t each) {
    return tac_load3(tac_world_positions(world, tac_world_find(world, path)) + each * point);
}

static TacVec3 speed(TacWorld *world, const char *path, size_t point, size_t each) {
    return tac_load3(tac_world_velocities(world, tac_world_find(world, path)) + each * point);
}

static void assert_near(TacVec3 a, TacVec3 b, double tolerance) {
    double off = tac_norm(tac_sub(a, b));
    if (!(off <= tolerance))
        fail_msg("(%.9g %.9g %.9g) is %.3g away from (%.9g %.9g %.9g)", a.x, a.y, a.z, off, b.x, b.y, b.z);
}

// --- one point --------------------------------------------------------------------------------------------

// Distance from the critically damped motion of a mass of 2 kg, pulled by 8 N/m from 1 m away, at 1.5 s.
static double error_at(const char *solver, double dt) {
    TacWorld *w = make(1,
                       "<tactus version='1' dt='%.17g' gravity='0 0 0'><node name='a'>%s"
                       "<Points name='p' positions='0 0 0  1 2 3'/><UniformMass mass='2'/></node></tactus>",
                       dt, solver);
    grab(w, 0, "/a/p", 1, tac_vec3(2, 2, 3), 8);
    TacVec3 force, held;
    assert_true(tac_world_hand_force(w, 0, &force, &held));
    assert_near(force, tac_vec3(8, 0, 0), 1e-12);
    assert_near(held, tac_vec3(1, 2, 3), 1e-12);
    beats(w, (int64_t)round(1.5 / dt));
    double omega = 2, t = 1.5, expected = 2 - (1 + omega * t) * exp(-omega * t);
    TacVec3 x = place(w, "/a/p", 1, 3);
    assert_near(place(w, "/a/p", 0, 3), tac_vec3(0, 0, 0), 0); // nobody touched it
    assert_near(tac_vec3(0, x.y, x.z), tac_vec3(0, 2, 3), 1e-12);
    tac_world_destroy(w);
    return fabs(x.x - expected);
}

static void test_pull_is_critically_damped(void **state) {
    (void)state;
    // nobody owns it; an explicit solver; implicit ones, with and without a matrix
    static const char *const solvers[] = {"", "<SymplecticEuler/>", "<ImplicitEuler/>",
                                          "<ImplicitEuler/><SparseDirect/>", "<RungeKutta4/>"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        double coarse = error_at(solvers[i], 0.01), fine = error_at(solvers[i], 0.0025);
        if (!(coarse < 0.02 && fine < 0.6 * coarse))
            fail_msg("%s: errors %g and %g do not go to zero with the step", solvers[i], coarse, fine);
    }
}

static void test_free_matter_is_kicked_at_beats_only(void **state) {
    (void)state;
    TacWorld *w = make(1, "<tactus version='1' dt='0.01' gravity='0 0 0'>"
                          "<Points name='p' positions='0 0 0'/><UniformMass mass='1'/></tactus>");
    beats(w, 1);
    assert_int_equal(tac_world_advance(w, 0.003, NULL), TAC_OK);
    grab(w, 0, "/p", 0, tac_vec3(1, 0, 0), 50);
    assert_int_equal(tac_world_advance(w, 0.006, NULL), TAC_OK); // still before the beat
    assert_near(speed(w, "/p", 0, 3), tac_vec3(0, 0, 0), 0);
    assert_int_equal(tac_world_advance(w, 0.002, NULL), TAC_OK);
    assert_near(speed(w, "/p", 0, 3), tac_vec3(0.5, 0, 0), 1e-12);
    tac_world_destroy(w);
}

static void test_any_strength_is_stable(void **state) {
    (void)state;
    static const char *const solvers[] = {"", "<SymplecticEuler/>", "<ImplicitEuler/>"};
    for (size_t i = 0; i < 3; i++) {
        TacWorld *w = make(1,
                           "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'>%s"
                           "<Points name='p' positions='0 0 0  1 0 0'/><UniformMass mass='0.001'/>"
                           "<Springs pairs='0 1' stiffness='2'/></node></tactus>",
                           solvers[i]);
        grab(w, 0, "/a/p", 1, tac_vec3(1, 0, 0), 1e9);
        assert_int_equal(tac_world_drag(w, 0, tac_vec3(3, 1, 0), NULL), TAC_OK);
        beats(w, 3000);
        if (i == 1) assert_near(place(w, "/a/p", 1, 3), tac_vec3(3, 1, 0), 0.5);
        if (i == 2) assert_near(place(w, "/a/p", 1, 3), tac_vec3(3, 1, 0), 1e-3);
        tac_world_destroy(w);
    }
}

// --- frames and maps --------------------------------------------------------------------------------------

static const char body[] =
    "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'>%s"
    "<Frames name='f' positions='1 0 0  0 0 0.7071067811865476 0.7071067811865476'/><UniformMass mass='3' "
    "box='1 2 4'/>"
    "<node name='b'><Points name='p' positions='0.5 0 0  0 1 2'/><RigidMap/></node></node></tactus>";

// A push off the centre: one beat later the body has the impulse, and its moment.
static void test_frame_is_turned_by_its_arm(void **state) {
    (void)state;
    TacWorld *w = make(1, body, "<SymplecticEuler/>");
    TacVec3 at = tac_vec3(1.25, 0.5, -0.3), to = tac_vec3(1.25, 0.5, 0.7);
    grab(w, 2, "/a/f", 0, at, 6);
    assert_int_equal(tac_world_drag(w, 2, to, NULL), TAC_OK);
    TacVec3 force, held;
    assert_true(tac_world_hand_force(w, 2, &force, &held));
    assert_near(held, at, 1e-12);
    assert_near(force, tac_vec3(0, 0, 6), 1e-12);
    // the kick of the instant at which it came is without it; the next one is not
    assert_int_equal(tac_world_advance(w, 0.005, NULL), TAC_OK);
    TacMomentum p = tac_world_momentum(w);
    assert_near(p.linear, tac_vec3(0, 0, 0), 0);
    assert_int_equal(tac_world_advance(w, 0.01, NULL), TAC_OK);
    p = tac_world_momentum(w);
    assert_near(p.linear, tac_vec3(0, 0, 0.06), 1e-9);
    assert_near(p.angular, tac_cross(at, tac_vec3(0, 0, 0.06)), 1e-9);
    tac_world_destroy(w);
}

// Pulling a point that follows a frame is pulling the frame at that place.
static void test_mapped_points_carry_the_pull_up(void **state) {
    (void)state;
    static const char *const solvers[] = {"<SymplecticEuler/>",
                                          "<ImplicitEuler/><ConjugateGradient tolerance='1e-14'/>",
                                          "<ImplicitEuler/><SparseDirect/>"};
    for (size_t i = 0; i < 3; i++) {
        TacWorld *a = make(1, body, solvers[i]), *b = make(1, body, solvers[i]);
        TacVec3 at = place(a, "/a/b/p", 1, 3), to = tac_add(at, tac_vec3(0.3, -0.2, 0.1));
        grab(a, 0, "/a/b/p", 1, at, 5);
        grab(b, 0, "/a/f", 0, at, 5);
        tac_world_drag(a, 0, to, NULL);
        tac_world_drag(b, 0, to, NULL);
        beats(a, 100);
        beats(b, 100);
        assert_near(place(a, "/a/f", 0, 7), place(b, "/a/f", 0, 7), i ? 5e-3 : 1e-9);
        assert_near(place(a, "/a/b/p", 1, 3), place(b, "/a/b/p", 1, 3), i ? 5e-3 : 1e-9);
        assert_true(tac_norm(tac_sub(place(a, "/a/f", 0, 7), tac_vec3(1, 0, 0))) > 0.01);
        tac_world_destroy(a);
        tac_world_destroy(b);
    }
}

// --- pins and the sphere ----------------------------------------------------------------------------------

static const char sheet[] =
    "<tactus version='1' dt='0.01'><node name='c'>%s<Sheet divisions='6' width='1' depth='1'/>"
    "<Points name='p'/><UniformMass total='0.2'/><Springs stiffness='20' damping='0.05' period='0.001'/>"
    "</node></tactus>";

static void test_pinned_points_stay(void **state) {
    (void)state;
    static const char *const solvers[] = {"", "<SymplecticEuler step='0.00125'/>", "<ImplicitEuler/>",
                                          "<ImplicitEuler/><SparseDirect/>", "<RungeKutta4 step='0.00125'/>"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        TacWorld *w = make(1, sheet, solvers[i]);
        TacComponentId p = tac_world_find(w, "/c/p");
        TacVec3 a = place(w, "/c/p", 0, 3), b = place(w, "/c/p", 6, 3);
        assert_int_equal(tac_world_pin(w, p, 0, NULL), TAC_OK);
        assert_int_equal(tac_world_pin(w, p, 6, NULL), TAC_OK);
        double lowest = 0;
        for (int k = 0; k < 150; k++) {
            beats(w, 1);
            lowest = fmin(lowest, place(w, "/c/p", 45, 3).y);
        }
        // in free flight a point falls for a beat before it is put back
        double slack = i == 0 ? 0.5 * 9.81 * 1e-4 * 1.001 : 1e-12;
        assert_near(place(w, "/c/p", 0, 3), a, slack);
        assert_near(place(w, "/c/p", 6, 3), b, slack);
        if (!(lowest < -0.5 && lowest > -3)) fail_msg("%s: the rest hangs at %g", solvers[i], lowest);
        assert_int_equal(tac_world_unpin(w, p, 0, NULL), TAC_OK);
        assert_int_equal(tac_world_unpin(w, p, 6, NULL), TAC_OK);
        beats(w, 100);
        assert_true(place(w, "/c/p", 0, 3).y < -2); // about g/2 s^2
        tac_world_destroy(w);
    }
}

// A ball that falls is pinned between two beats, with something else in the world that ticks often: it stays, but for what
// it falls from one instant to the next.
static void test_falling_points_are_pinned_where_they_are(void **state) {
    (void)state;
    static const char *const contact[] = {"", "<Contact method='safe' thickness='0.02'/>"};
    for (int safe = 0; safe < 2; safe++) {
        TacWorld *w = make(
            1,
            "<tactus version='1' dt='0.005' gravity='0 -9.81 0'>%s<node name='floor'><Sheet divisions='1'/>"
            "<Points/><FixedPoints points='0-3'/><Skin/></node><node name='ball'><Points positions='0 0.15 "
            "0'/>"
            "<UniformMass mass='0.1'/><Balls radius='0.1'/></node><node name='busy'><Points "
            "positions='5 1 0  6 1 0'/><UniformMass mass='0.1'/><Springs pairs='0 1' stiffness='20' "
            "period='0.0004'/></node></tactus>",
            contact[safe]);
        assert_int_equal(tac_world_advance(w, 0.0758, NULL), TAC_OK);
        TacVec3 at = place(w, "/ball/points", 0, 3);
        assert_near(at, tac_vec3(0, 0.15 - 0.5 * 9.81 * 0.0758 * 0.0758, 0), 1e-9);
        assert_int_equal(tac_world_pin(w, tac_world_find(w, "/ball/points"), 0, NULL), TAC_OK);
        for (int i = 0; i < 200; i++) {
            beats(w, 1);
            assert_near(place(w, "/ball/points", 0, 3), at, 0.5 * 9.81 * 0.005 * 0.005 + 1e-9);
        }
        tac_world_destroy(w);
    }
}

static void test_sphere_pushes_points_out(void **state) {
    (void)state;
    static const char *const solvers[] = {"<SymplecticEuler step='0.00125'/>", "<ImplicitEuler/>",
                                          "<ImplicitEuler/><SparseDirect/>"};
    for (size_t i = 0; i < 3; i++) {
        TacWorld *w = make(1, sheet, solvers[i]);
        TacComponentId p = tac_world_find(w, "/c/p");
        // held at its corners, it lies on a ball
        static const size_t corners[] = {0, 6, 42, 48};
        for (size_t k = 0; k < 4; k++) assert_int_equal(tac_world_pin(w, p, corners[k], NULL), TAC_OK);
        TacVec3 center = {0, -0.25, 0};
        assert_int_equal(tac_world_sphere(w, center, 0.25, NULL), TAC_OK);
        beats(w, 300);
        double deepest = INFINITY;
        for (size_t k = 0; k < 49; k++)
            deepest = fmin(deepest, tac_norm(tac_sub(place(w, "/c/p", k, 3), center)));
        if (!(deepest > 0.22 && deepest < 0.27))
            fail_msg("the nearest point is %g m from the centre", deepest);
        assert_int_equal(tac_world_sphere(w, center, 0, NULL), TAC_OK);
        beats(w, 100);
        tac_world_destroy(w);
    }
}

// --- the same again ---------------------------------------------------------------------------------------

static void play(TacWorld *w) {
    TacComponentId p = tac_world_find(w, "/c/p");
    beats(w, 10);
    grab(w, 0, "/c/p", 3, place(w, "/c/p", 3, 3), 40);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(tac_world_drag(w, 0, tac_vec3(0.1 * i, 0.05 * i, 0), NULL), TAC_OK);
        beats(w, 2);
        assert_int_equal(tac_world_advance(w, 0.0031, NULL), TAC_OK);
    }
    assert_int_equal(tac_world_pin(w, p, 7, NULL), TAC_OK);
    assert_int_equal(tac_world_sphere(w, place(w, "/c/p", 30, 3), 0.3, NULL), TAC_OK);
    beats(w, 10);
    const TacInput look = {.kind = TAC_INPUT_CAMERA, .a = {1, 2, 3}},
                   pick = {.kind = TAC_INPUT_SELECT, .component = p};
    assert_int_equal(tac_world_input(w, &look, NULL), TAC_OK);
    assert_int_equal(tac_world_input(w, &pick, NULL), TAC_OK);
    assert_int_equal(tac_world_release(w, 0, &(TacVec3){0, 3, 0}, NULL), TAC_OK);
    beats(w, 10);
}

static void replay(TacWorld *to, const TacWorld *from) {
    size_t count;
    const TacInput *inputs = tac_world_inputs(from, &count);
    assert_true(count > 20);
    for (size_t i = 0; i < count; i++) {
        double tick = tac_world_beat(to) / ldexp(1, 40); // ticks of a beat of 10 ms
        int64_t wait = inputs[i].tick - tac_world_tick(to);
        assert_int_equal(tac_world_advance(to, (double)wait * tick, NULL), TAC_OK);
        assert_int_equal(tac_world_tick(to), inputs[i].tick);
        assert_int_equal(tac_world_input(to, &inputs[i], NULL), TAC_OK);
    }
    int64_t rest = tac_world_tick(from) - tac_world_tick(to);
    assert_int_equal(tac_world_advance(to, (double)rest * tac_world_beat(to) / ldexp(1, 40), NULL), TAC_OK);
}

static void test_the_log_gives_the_same_bits(void **state) {
    (void)state;
    static const char *const solvers[] = {"", "<SymplecticEuler step='0.0025'/>", "<ImplicitEuler/>",
                                          "<ImplicitEuler/><SparseDirect/>"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        TacWorld *a = make(1, sheet, solvers[i]), *b = make(3, sheet, solvers[i]);
        play(a);
        tac_world_energy(b); // looking changes nothing
        replay(b, a);
        assert_true(tac_world_hash(a) == tac_world_hash(b));
        tac_world_destroy(a);
        tac_world_destroy(b);
    }
}

static void test_hands_are_saved_and_restored(void **state) {
    (void)state;
    TacWorld *a = make(1, sheet, "<ImplicitEuler/>"), *b = make(1, sheet, "<ImplicitEuler/>");
    size_t bytes = tac_world_snapshot_size(a), count;
    void *start = malloc(bytes), *middle = malloc(bytes);
    assert_int_equal(tac_world_save(a, start, bytes, NULL), TAC_OK);
    beats(a, 5);
    grab(a, 5, "/c/p", 3, tac_vec3(0, 1, 0), 40);
    beats(a, 5);
    assert_int_equal(tac_world_save(a, middle, bytes, NULL), TAC_OK);
    assert_int_equal(tac_world_release(a, 5, NULL, NULL), TAC_OK);
    beats(a, 5);
    uint64_t free_hash = tac_world_hash(a);
    assert_int_equal(tac_world_restore(a, middle, bytes, NULL), TAC_OK);
    tac_world_inputs(a, &count);
    assert_int_equal(count, 1); // what came later is forgotten
    assert_int_equal(tac_world_restore(b, middle, bytes, NULL), TAC_OK);
    beats(a, 5);
    beats(b, 5);
    assert_true(tac_world_hash(a) == tac_world_hash(b)); // the other world's hand pulls too
    assert_true(tac_world_hash(a) != free_hash);
    assert_int_equal(tac_world_restore(a, start, bytes, NULL), TAC_OK);
    TacVec3 force, held;
    assert_false(tac_world_hand_force(a, 5, &force, &held));
    free(start);
    free(middle);
    tac_world_destroy(a);
    tac_world_destroy(b);
}

static void test_grabbed_and_released_at_once_is_untouched(void **state) {
    (void)state;
    TacWorld *a = make(1, sheet, "<ImplicitEuler/>"), *b = make(1, sheet, "<ImplicitEuler/>");
    beats(a, 10);
    beats(b, 10);
    tac_world_energy(a); // computes the instant at which the hand comes
    grab(a, 0, "/c/p", 3, tac_vec3(0, 1, 0), 40);
    tac_world_energy(a);
    assert_int_equal(tac_world_release(a, 0, NULL, NULL), TAC_OK);
    beats(a, 10);
    beats(b, 10);
    assert_true(tac_world_hash(a) == tac_world_hash(b));
    tac_world_destroy(a);
    tac_world_destroy(b);
}

static void test_nonsense_is_refused(void **state) {
    (void)state;
    TacWorld *w = make(1, sheet, "<ImplicitEuler/>");
    TacComponentId p = tac_world_find(w, "/c/p"), none = {0, 0};
    TacVec3 a = {0, 0, 0}, bad = {NAN, 0, 0};
    TacError error = {0};
    assert_int_equal(tac_world_grab(w, -1, p, 0, a, 1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_grab(w, TAC_HANDS, p, 0, a, 1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_grab(w, 0, none, 0, a, 1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_grab(w, 0, tac_world_find(w, "/c/springs"), 0, a, 1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_grab(w, 0, p, 49, a, 1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_grab(w, 0, p, SIZE_MAX, a, 1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_grab(w, 0, p, 0, bad, 1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_grab(w, 0, p, 0, a, NAN, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_grab(w, 0, p, 0, a, 0, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_drag(w, 0, a, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_sphere(w, a, -1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_sphere(w, a, INFINITY, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_pin(w, p, 49, &error), TAC_BAD_USAGE);
    for (size_t i = 0; i < 49; i++) assert_int_equal(tac_world_pin(w, p, i, &error), TAC_OK);
    for (size_t i = 0; i < 49; i++)
        assert_int_equal(tac_world_pin(w, p, i, &error), TAC_OK); // they are already
    size_t count;
    tac_world_inputs(w, &count);
    assert_int_equal(count, 98);
    beats(w, 3);
    tac_world_destroy(w);

    w = make(1, "<tactus version='1'><Points name='p' positions='0 0 0'/></tactus>");
    assert_int_equal(tac_world_grab(w, 0, tac_world_find(w, "/p"), 0, a, 1, &error), TAC_BAD_USAGE);
    assert_non_null(strstr(error.message, "mass"));
    tac_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pull_is_critically_damped),
        cmocka_unit_test(test_free_matter_is_kicked_at_beats_only),
        cmocka_unit_test(test_any_strength_is_stable),
        cmocka_unit_test(test_frame_is_turned_by_its_arm),
        cmocka_unit_test(test_mapped_points_carry_the_pull_up),
        cmocka_unit_test(test_pinned_points_stay),
        cmocka_unit_test(test_falling_points_are_pinned_where_they_are),
        cmocka_unit_test(test_sphere_pushes_points_out),
        cmocka_unit_test(test_the_log_gives_the_same_bits),
        cmocka_unit_test(test_hands_are_saved_and_restored),
        cmocka_unit_test(test_grabbed_and_released_at_once_is_untouched),
        cmocka_unit_test(test_nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
