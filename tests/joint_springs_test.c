// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Joints between frames: forces against the energy, changes of force against differences, rigid motion, momentum, the
// matrix against the changes; a hinge that sags as it should, limits, dampers that only take.

#include "fem_checks.h"

enum { FRAMES = 4, JOINTS = 3 };

static const int32_t PAIRS[2 * JOINTS] = {0, 1, 2, 1, 2, 3};
static const double STIFFNESS[3] = {300, 200, 500}, TURNING[3] = {40, 70, 20},
                    LIMITS[6] = {-0.2, 0.1, -0.3, 0.2, -0.1, 0.4};

static TacQuat any_turn(TacRandom *random, double size) {
    return tac_quat_from_vector(tac_vec3(tac_random_between(random, -size, size),
                                         tac_random_between(random, -size, size),
                                         tac_random_between(random, -size, size)));
}

static void make_joints(LawBench *bench) {
    *bench = (LawBench){0};
    TacRandom random = tac_random(7, 1);
    double x[7 * FRAMES];
    for (int i = 0; i < FRAMES; i++) {
        tac_store3(x + 7 * i, tac_vec3(i, tac_random_between(&random, -1, 1), 0.3 * i * i));
        tac_store_quat(x + 7 * i + 3, any_turn(&random, 2));
    }
    bench_law(bench, &tac_joint_springs_class, bench_matter(bench, TAC_RIGID3, FRAMES, x), NULL, NULL);
    bench_ints(bench, "pairs", 2 * JOINTS, PAIRS);
    bench_reals(bench, "stiffness", 3, STIFFNESS);
    bench_reals(bench, "turning_stiffness", 3, TURNING);
}

static void with_limits(LawBench *bench) {
    const double blocked = 150;
    make_joints(bench);
    bench_reals(bench, "limits", 6, LIMITS);
    bench_reals(bench, "limit_stiffness", 1, &blocked);
}

// Moves and turns all frames along d.
static void turn_along(LawBench *bench, TacVector d, double s) {
    TacMatter *m = bench->matter[0];
    for (size_t i = 0; i < m->count; i++) {
        const double *v = m->vectors[d] + 6 * i;
        double *x = m->vectors[TAC_X] + 7 * i;
        tac_add3(x, tac_scale(tac_load3(v), s));
        TacQuat turn = tac_quat_from_vector(tac_scale(tac_load3(v + 3), s));
        tac_store_quat(x + 3, tac_quat_mul(turn, tac_load_quat(x + 3)));
    }
}

static void shake_frames(LawBench *bench, TacRandom *random, double size) {
    bench_random(bench, random, TAC_A, size);
    turn_along(bench, TAC_A, 1);
}

static void forces_are_the_gradient_of_the_energy(void **state) {
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        LawBench bench;
        TacRandom random = tac_random(11, 1);
        (limited ? with_limits : make_joints)(&bench);
        assert_int_equal(bench_init(&bench), TAC_OK);
        for (int round = 0; round < 20; round++) {
            shake_frames(&bench, &random, 0.3);
            bench_random(&bench, &random, TAC_P, 1);
            const double step = 1e-5;
            turn_along(&bench, TAC_P, step);
            double after = bench_energy(&bench);
            turn_along(&bench, TAC_P, -2 * step);
            double before = bench_energy(&bench);
            turn_along(&bench, TAC_P, step);
            bench_force(&bench, TAC_F);
            double work = bench_dot(&bench, TAC_F, TAC_P), slope = (after - before) / (2 * step);
            double scale = bench_norm(&bench, TAC_F) * bench_norm(&bench, TAC_P);
            if (!(fabs(work + slope) < 1e-6 * scale)) fail_msg("work %g, slope %g", work, slope);
        }
        bench_end(&bench);
    }
}

// At rest the change of force is the derivative, in any place and turned anyhow.
static void changes_are_the_derivative_at_rest(void **state) {
    (void)state;
    LawBench bench;
    TacRandom random = tac_random(5, 1);
    make_joints(&bench);
    assert_int_equal(bench_init(&bench), TAC_OK);
    bench_random(&bench, &random, TAC_P, 1);
    const double step = 1e-6;
    turn_along(&bench, TAC_P, step);
    bench_force(&bench, TAC_A);
    turn_along(&bench, TAC_P, -2 * step);
    bench_force(&bench, TAC_B);
    turn_along(&bench, TAC_P, step);
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) < 1e-9);
    bench_change(&bench, TAC_P, TAC_Q, 1, 0);
    double *const *v = bench.matter[0]->vectors;
    for (size_t i = 0; i < 6 * FRAMES; i++) {
        double wanted = (v[TAC_A][i] - v[TAC_B][i]) / (2 * step);
        if (!(fabs(v[TAC_Q][i] - wanted) < 1e-5 * bench_norm(&bench, TAC_Q)))
            fail_msg("number %zu: %g, not %g", i, v[TAC_Q][i], wanted);
    }
    bench_end(&bench);
}

static void moved_as_one(LawBench *bench, TacQuat turn, TacVec3 move) {
    double *x = bench->matter[0]->vectors[TAC_X];
    for (size_t i = 0; i < FRAMES; i++, x += 7) {
        tac_store3(x, tac_add(tac_rotate(turn, tac_load3(x)), move));
        tac_store_quat(x + 3, tac_quat_mul(turn, tac_load_quat(x + 3)));
    }
}

static void rigid_motion_is_free_and_momentum_is_kept(void **state) {
    (void)state;
    LawBench bench;
    TacRandom random = tac_random(3, 1);
    make_joints(&bench);
    const double damping = 4;
    bench_reals(&bench, "damping", 1, &damping);
    bench_reals(&bench, "turning_damping", 1, &damping);
    assert_int_equal(bench_init(&bench), TAC_OK);
    moved_as_one(&bench, any_turn(&random, 1.5), tac_vec3(2, -1, 3));
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) < 1e-10);
    // turning about a point: neither springs nor dampers feel it
    const TacVec3 spin = tac_vec3(0.4, -0.7, 0.2);
    double *v = bench.matter[0]->vectors[TAC_V], *x = bench.matter[0]->vectors[TAC_X];
    for (size_t i = 0; i < FRAMES; i++) {
        tac_store3(v + 6 * i, tac_cross(spin, tac_load3(x + 7 * i)));
        tac_store3(v + 6 * i + 3, spin);
    }
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) < 1e-10);
    bench_change(&bench, TAC_V, TAC_A, 1, 1);
    assert_true(bench_norm(&bench, TAC_A) < 1e-10);
    for (int round = 0; round < 10; round++) {
        shake_frames(&bench, &random, 0.4);
        bench_random(&bench, &random, TAC_V, 1);
        bench_force(&bench, TAC_F);
        assert_true(bench_norm(&bench, TAC_F) > 1);
        assert_true(tac_norm(resultant(&bench, TAC_F)) < 1e-10 && tac_norm(torque(&bench, TAC_F)) < 1e-10);
        bench_change(&bench, TAC_V, TAC_A, 1, 1);
        assert_true(tac_norm(resultant(&bench, TAC_A)) < 1e-10 && tac_norm(torque(&bench, TAC_A)) < 1e-9);
    }
    bench_end(&bench);
}

static void dampers_only_take_and_changes_are_symmetric(void **state) {
    (void)state;
    LawBench bench;
    TacRandom random = tac_random(9, 1);
    with_limits(&bench);
    const double damping[JOINTS] = {1, 2, 3};
    bench_reals(&bench, "damping", JOINTS, damping);
    bench_reals(&bench, "turning_damping", JOINTS, damping);
    assert_int_equal(bench_init(&bench), TAC_OK);
    for (int round = 0; round < 10; round++) {
        shake_frames(&bench, &random, 0.3);
        bench_random(&bench, &random, TAC_V, 0);
        bench_force(&bench, TAC_A);
        bench_random(&bench, &random, TAC_V, 1);
        bench_force(&bench, TAC_B);
        double power = bench_dot(&bench, TAC_B, TAC_V) - bench_dot(&bench, TAC_A, TAC_V);
        assert_true(power < 0);
        bench_change(&bench, TAC_V, TAC_Q, 0, 1);
        assert_true(fabs(bench_dot(&bench, TAC_Q, TAC_V) - power) < 1e-9 * fabs(power));
        bench_random(&bench, &random, TAC_P, 1);
        bench_change(&bench, TAC_P, TAC_A, 1, 0.5);
        bench_change(&bench, TAC_V, TAC_B, 1, 0.5);
        double one = bench_dot(&bench, TAC_A, TAC_V), other = bench_dot(&bench, TAC_B, TAC_P);
        assert_true(fabs(one - other) < 1e-9 * (1 + fabs(one)));
        assert_true(bench_dot(&bench, TAC_A, TAC_P) <= 0);
    }
    bench_end(&bench);
}

static void the_matrix_is_the_changes(void **state) {
    (void)state;
    LawBench bench;
    TacRandom random = tac_random(13, 1);
    with_limits(&bench);
    assert_int_equal(bench_init(&bench), TAC_OK);
    shake_frames(&bench, &random, 0.3);
    expect_matrix_as_changes(&bench, &random);
    bench_end(&bench);
}

// A hinge about y, from frame 0 to frame 1 at its place: a torque turns it by torque over stiffness up to its limit,
// and beyond that by what both together allow.
static void hinges_turn_until_their_limits(void **state) {
    (void)state;
    const double x[14] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}, turning[3] = {1e4, 50, 1e4},
                 limits[6] = {-9, 9, -0.2, 0.2, -9, 9}, blocked[3] = {0, 950, 0};
    const int32_t pair[2] = {0, 1};
    for (int beyond = 0; beyond < 2; beyond++) {
        LawBench bench = {0};
        bench_law(&bench, &tac_joint_springs_class, bench_matter(&bench, TAC_RIGID3, 2, x), NULL, NULL);
        bench_ints(&bench, "pairs", 2, pair);
        bench_reals(&bench, "turning_stiffness", 3, turning);
        bench_reals(&bench, "limits", 6, limits);
        bench_reals(&bench, "limit_stiffness", 3, blocked);
        bench_choice(&bench, "rest", "joined");
        assert_int_equal(bench_init(&bench), TAC_OK);
        double angle = beyond ? 0.25 : 0.15, wanted = beyond ? 50 * 0.25 + 950 * 0.05 : 50 * 0.15;
        TacQuat q = tac_quat_from_vector(tac_vec3(0, angle, 0));
        tac_store_quat(bench.matter[0]->vectors[TAC_X] + 10, q);
        bench_force(&bench, TAC_F);
        const double *f = bench.matter[0]->vectors[TAC_F];
        assert_true(fabs(f[4] - wanted) < 1e-10 && fabs(f[10] + wanted) < 1e-10);
        assert_true(fabs(f[3]) < 1e-10 && fabs(f[5]) < 1e-10 && tac_norm(tac_load3(f)) < 1e-10);
        bench_end(&bench);
    }
}

static void mistakes_are_refused(void **state) {
    (void)state;
    static const int32_t odd[3] = {0, 1, 2}, far[2] = {0, 9}, same[2] = {1, 1};
    const struct {
        const int32_t *pairs;
        size_t count;
        const char *says;
    } cases[] = {{odd, 3, "two for each"}, {far, 2, "no frame 9"}, {same, 2, "to itself"}};
    for (size_t i = 0; i < 3; i++) {
        LawBench bench;
        make_joints(&bench);
        bench_ints(&bench, "pairs", cases[i].count, cases[i].pairs);
        assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
        if (!strstr(bench.error.message, cases[i].says)) fail_msg("%s", bench.error.message);
        bench_end(&bench);
    }
    LawBench bench;
    const double wrong[6] = {1, -1, 0, 0, 0, 0};
    make_joints(&bench);
    bench_reals(&bench, "limits", 6, wrong);
    assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
    assert_non_null(strstr(bench.error.message, "may turn from 1 to -1"));
    bench_end(&bench);
    make_joints(&bench);
    bench_reals(&bench, "stiffness", 5, wrong);
    assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
    bench_end(&bench);
    bench_try_without_memory(make_joints);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(changes_are_the_derivative_at_rest),
        cmocka_unit_test(rigid_motion_is_free_and_momentum_is_kept),
        cmocka_unit_test(dampers_only_take_and_changes_are_symmetric),
        cmocka_unit_test(the_matrix_is_the_changes),
        cmocka_unit_test(hinges_turn_until_their_limits),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
