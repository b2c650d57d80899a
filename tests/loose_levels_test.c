// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Adaptive resolution under the loose scheduler: things with several models change them at their own activations and keep
// what changes keep; wires change their level and slide over wheels as in other worlds. Alone in its world an agent does the
// same as under the causal scheduler.

#include "safe_checks.h"

static double output(TacWorld *world, const char *path, size_t index) {
    TacReals list = tac_world_reals(world, tac_world_find(world, path), "resolution");
    assert_true(index < list.count);
    return list.data[index];
}

// A crate as one frame and as a solid, and a cloth of two grids, which take turns as they fly; a ball that stays itself.
static TacWorld *flying(const char *scheduler, int threads) {
#define DIPS "patience='0' time_limit='1' gamma_time='1e5' dips='0.1 0.2 1e-6 0.4 0.5 1e-6 0.8 0.9 1e-6' "
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1' dt='0.01' gravity='0 0 0' scheduler='%s'>"
        "<node name='crate'><Levels name='levels' " DIPS "costs='1e-6 1e-3'/>"
        "<node name='one'><SymplecticEuler/><Frames velocities='1 2 3 0.5 -0.2 1'/><UniformMass mass='2' "
        "box='1 1 "
        "1'/></node><node name='solid'><ImplicitEuler step='0.005'/><Grid counts='3 3 3' low='-0.5 -0.5 "
        "-0.5' high='0.5 "
        "0.5 0.5' split='true'/><Points velocities='1 2 3'/><DiagonalMass density='2'/><Tetrahedra "
        "young='1e3'/></node></node>"
        "<node name='cloth'><Levels name='levels' " DIPS "costs='1e-6 1e-3'/>"
        "<node name='r0'><SymplecticEuler/><Sheet divisions='1'/><Points velocities='0 0 1'/><DiagonalMass "
        "density='0.3'/><MeshSprings membrane='1'/></node>"
        "<node name='r2'><ImplicitEuler/><Sheet divisions='4'/><Points velocities='0 0 1'/><DiagonalMass "
        "density='0.3'/><MeshSprings membrane='1'/></node></node>"
        "<node name='ball'><SymplecticEuler/><Points positions='5 0 0' velocities='1 0 "
        "0'/><UniformMass/></node>"
        "</tactus>",
        scheduler);
    return make_world(scene_text, threads);
}

static void test_models_change_at_their_own_activations(void **state) {
    (void)state;
    TacWorld *world = flying("loose", 1);
    TacMomentum before = tac_world_momentum(world);
    for (int i = 0; i < 100; i++) {
        advance(world, 0.01);
        TacMomentum now = tac_world_momentum(world);
        assert_true(tac_norm(tac_sub(now.linear, before.linear)) < 1e-11);
    }
    assert_true(output(world, "/crate/levels", 11) >= 5);
    assert_true(output(world, "/cloth/levels", 11) >= 5);
    tac_world_destroy(world);
}

// Halfway between the times at which something changes, both have the same models. (Agents may be ahead by three steps.)
static void test_as_under_the_causal_scheduler(void **state) {
    (void)state;
    TacWorld *loose = flying("loose", 1), *causal = flying("causal", 1);
    for (int i = 0; i < 10; i++) {
        advance(loose, i ? 0.1 : 0.05);
        advance(causal, i ? 0.1 : 0.05);
        assert_true(output(loose, "/crate/levels", 0) == output(causal, "/crate/levels", 0));
        assert_true(output(loose, "/cloth/levels", 0) == output(causal, "/cloth/levels", 0));
        // changes come at other ends of steps; a crate's corner flies on all the same
        const double *a = places(loose, "/crate/solid/points"), *b = places(causal, "/crate/solid/points");
        for (int k = 0; k < 3; k++) assert_true(fabs(a[k] - b[k]) < 0.05);
    }
    tac_world_destroy(loose);
    tac_world_destroy(causal);
}

// Who is idle takes no turns.
static void test_idle_models_rest(void **state) {
    (void)state;
    TacWorld *world = make_world(
        "<tactus version='1' dt='0.01' scheduler='loose'><node name='n'><Levels level='0' finest='0'/><node "
        "name='a'><SymplecticEuler/><Sheet divisions='1'/><Points/><DiagonalMass density='1'/></node><node "
        "name='b'><SymplecticEuler step='0.0001'/><Sheet divisions='2'/><Points/><DiagonalMass density='1'/>"
        "</node></node></tactus>",
        1);
    advance(world, 1);
    assert_true(tac_world_stats(world).agent_kicks <= 101);
    tac_world_destroy(world);
}

static uint64_t hash_after(int threads, double seconds) {
    TacWorld *world = flying("loose", threads);
    advance(world, seconds);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    TacError error;
    uint64_t whole = hash_after(1, 1);
    assert_true(hash_after(2, 1) == whole);
    assert_true(hash_after(8, 1) == whole);
    for (double at = 0.03; at < 1; at += 0.13) {
        TacWorld *first = flying("loose", 1), *second = flying("loose", 1);
        advance(first, at);
        size_t bytes = tac_world_snapshot_size(first);
        void *saved = malloc(bytes);
        assert_non_null(saved);
        assert_int_equal(tac_world_save(first, saved, bytes, &error), TAC_OK);
        advance(second, 0.22);
        assert_int_equal(tac_world_restore(second, saved, bytes, &error), TAC_OK);
        advance(second, 1 - at);
        assert_true(tac_world_hash(second) == whole);
        free(saved);
        tac_world_destroy(first);
        tac_world_destroy(second);
    }
}

// --- wires ---------------------------------------------------------------------------------------------------------

// A load of 100 kg on a wire of 1 kg at 1/60 s, started fast: only a wire that adapts bears it.
static void test_wires_adapt(void **state) {
    (void)state;
    double last[2][3];
    for (int loose = 0; loose < 2; loose++) {
        TacWorld *world = MAKE(
            "<tactus version='1' dt='${1/60}' gravity='0 -9.8 0' scheduler='%s'><node name='n'><Spook/><node "
            "name='box'><Frames positions='0 -10 0 0 0 0 1' velocities='14 0 0 0 0 0'/><UniformMass "
            "mass='100' box='0.6 "
            "0.6 0.6'/></node><node name='wire'><Line divisions='32' to='0 -10 0'/><Points/><Wire mass='1' "
            "end='@../box/frames'/><FixedPoints points='0'/></node></node></tactus>",
            loose ? "loose" : "causal");
        double finest = 0, peak = 0;
        for (int i = 0; i < 240; i++) {
            advance(world, 1.0 / 60);
            finest = fmax(finest, output(world, "/n/wire/wire", 0));
            peak = fmax(peak, tac_world_energy(world).kinetic);
            if (output(world, "/n/wire/wire", 2) > 1000) assert_true(output(world, "/n/wire/wire", 0) <= 1);
        }
        assert_true(finest == 5);
        assert_true(peak < 1.05 * 0.5 * 101 * 14 * 14);
        memcpy(last[loose], places(world, "/n/box/frames"), sizeof last[loose]);
        tac_world_destroy(world);
    }
    for (int k = 0; k < 3; k++) assert_true(fabs(last[0][k] - last[1][k]) < 1e-6);
}

// A rope slides off a peg: x0 cosh(t sqrt(2 g / L)) past the middle, whoever keeps time.
static void test_wires_slide_over_wheels(void **state) {
    (void)state;
    TacWorld *world = make_world(
        "<tactus version='1' dt='0.01' gravity='0 -9.81 0' scheduler='loose'><node name='n'><Spook/><node "
        "name='peg'><Frames/><UniformMass/><FixedPoints points='0'/></node><node name='rope'><Line "
        "divisions='32' "
        "from='-0.01 -0.9 0' to='0.01 -1.1 0'/><Points/><Wire mass='1' wheels='@../peg/frames' "
        "wheel_points='0' "
        "radii='0.01' senses='-1' length='2.0314159265358979'/></node></node></tactus>",
        1);
    double start = 0, now = 0;
    for (int i = 0; i <= 40; i++) {
        const double *x = places(world, "/n/rope/points");
        now = 0.5 * (x[1] - x[3 * 32 + 1]);
        if (i == 0) start = now;
        advance(world, 0.01);
    }
    double expected = start * cosh(0.4 * sqrt(2 * 9.81 / 2.03));
    assert_true(start > 0.05);
    if (!(fabs(now - expected) < 0.03 * expected)) fail_msg("%g m, not %g m", now, expected);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_change_at_their_own_activations),
        cmocka_unit_test(test_as_under_the_causal_scheduler),
        cmocka_unit_test(test_idle_models_rest),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_wires_adapt),
        cmocka_unit_test(test_wires_slide_over_wheels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
