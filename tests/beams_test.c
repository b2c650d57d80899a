// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Beams against closed forms: stretch, bending, shear, torsion, an arc under an end moment; and what every
// elastic law must do.

#include "fem_checks.h"

static const double YOUNG = 2e4, POISSON = 0.35;

enum { SPANS = 10 };
static const double SPAN = 0.3, RADIUS = 0.05, BORE = 0.02, SHEAR = 2e4 / (2 * 1.35);

static double pipe_inertia(void) {
    return TAC_PI * (pow(RADIUS, 4) - pow(BORE, 4)) / 4;
}

static double pipe_area(void) {
    return TAC_PI * (RADIUS * RADIUS - BORE * BORE);
}

// A line of frames along `along`; frames are turned by `frame`.
static void make_beams(LawBench *bench, TacTopology *topology, TacVec3 along, TacQuat frame, const char *axes,
                       bool shear) {
    *bench = (LawBench){0};
    *topology = (TacTopology){0};
    const size_t counts[TAC_ELEMENT_KINDS] = {[TAC_EDGES] = SPANS};
    assert_int_equal(tac_mesh_create(&topology->mesh, SPANS + 1, counts, NULL), TAC_OK);
    double x[7 * (SPANS + 1)];
    for (int i = 0; i <= SPANS; i++) {
        tac_store3(x + 7 * i, tac_scale(along, SPAN * i));
        tac_store_quat(x + 7 * i + 3, frame);
        if (i == SPANS) break;
        topology->mesh.elements[TAC_EDGES].indices[2 * i] = i;
        topology->mesh.elements[TAC_EDGES].indices[2 * i + 1] = i + 1;
    }
    bench_law(bench, &tac_beams_class, bench_matter(bench, TAC_RIGID3, SPANS + 1, x), NULL, topology);
    bench_reals(bench, "young", 1, &YOUNG);
    bench_reals(bench, "poisson", 1, &POISSON);
    bench_reals(bench, "radius", 1, &RADIUS);
    bench_reals(bench, "inner_radius", 1, &BORE);
    bench_choice(bench, "axes", axes);
    bench_bool(bench, "shear", shear);
}

// Moves all frames by u: places and turns.
static void move_frames(LawBench *bench, const double *u) {
    double *x = bench->matter[0]->vectors[TAC_X];
    for (size_t i = 0; i < bench->matter[0]->count; i++) {
        tac_add3(x + 7 * i, tac_load3(u + 6 * i));
        TacQuat turn = tac_quat_from_vector(tac_load3(u + 6 * i + 3));
        tac_store_quat(x + 7 * i + 3, tac_quat_unit(tac_quat_mul(turn, tac_load_quat(x + 7 * i + 3))));
    }
}

// Newton's steps with the law's matrix: the first frame held, `load` (6 numbers) on the last.
static double settle_beams(LawBench *bench, const double *load, int steps) {
    double left = 0;
    for (int step = 0; step <= steps; step++) {
        bench_force(bench, TAC_F);
        size_t n = 6 * bench->matter[0]->count;
        double *f = bench->matter[0]->vectors[TAC_F], u[6 * (SPANS + 1)];
        bool held[6 * (SPANS + 1)] = {true, true, true, true, true, true};
        left = 0;
        for (size_t i = 6; i < n; i++) {
            if (i >= n - 6) f[i] += load[i - (n - 6)];
            left = fmax(left, fabs(f[i]));
        }
        if (step == steps) break;
        TacMatrix matrix = make_matrix(bench, -1);
        solve_free(&matrix, held, f, u);
        move_frames(bench, u);
    }
    return left;
}

static void beams_bend_stretch_and_twist_as_they_should(void **state) {
    (void)state;
    double length = SPAN * SPANS, i = pipe_inertia(), area = pipe_area();
    double shear_area = area * 6 * (1 + POISSON) / (7 + 6 * POISSON), tiny = 1e-7;
    // what is loaded; where and how far the tip goes
    for (int shear = 0; shear < 2; shear++) {
        const double expected[5][2] = {
            {0, length / (YOUNG * area)},
            {1, length * length * length / (3 * YOUNG * i) + (shear ? length / (SHEAR * shear_area) : 0)},
            {3, length / (SHEAR * 2 * i)},
            {5, length / (YOUNG * i)},
            {2, length * length * length / (3 * YOUNG * i) + (shear ? length / (SHEAR * shear_area) : 0)}};
        for (int c = 0; c < 5; c++) {
            LawBench bench;
            TacTopology topology;
            make_beams(&bench, &topology, tac_vec3(1, 0, 0), tac_quat_identity(), "frame", shear);
            assert_int_equal(bench_init(&bench), TAC_OK);
            double load[6] = {0};
            load[(int)expected[c][0]] = tiny / expected[c][1];
            bench_force(&bench, TAC_F);
            TacMatrix matrix = make_matrix(&bench, -1);
            double f[6 * (SPANS + 1)] = {0}, u[6 * (SPANS + 1)];
            bool held[6 * (SPANS + 1)] = {true, true, true, true, true, true};
            memcpy(f + 6 * SPANS, load, sizeof load);
            solve_free(&matrix, held, f, u);
            assert_true(fabs(u[6 * SPANS + (size_t)expected[c][0]] - tiny) < 1e-9 * tiny);
            // an end moment bends to M L^2 / 2 E I
            if (c == 3) assert_true(fabs(u[6 * SPANS + 1] - 0.5 * tiny * length) < 1e-9 * tiny * length);
            bench_end(&bench);
            tac_mesh_destroy(&topology.mesh);
        }
    }
}

// Under an end moment a beam becomes an arc: a quarter of a circle here.
static void beams_bend_to_an_arc(void **state) {
    (void)state;
    LawBench bench;
    TacTopology topology;
    make_beams(&bench, &topology, tac_vec3(1, 0, 0), tac_quat_identity(), "frame", false);
    assert_int_equal(bench_init(&bench), TAC_OK);
    double length = SPAN * SPANS, angle = TAC_PI / 2, moment = YOUNG * pipe_inertia() * angle / length;
    double left = 0;
    for (int part = 1; part <= 8; part++) {
        const double load[6] = {0, 0, 0, 0, 0, moment * part / 8};
        left = settle_beams(&bench, load, 12);
    }
    assert_true(left < 1e-6 * moment);
    const double *tip = bench.matter[0]->vectors[TAC_X] + 7 * SPANS;
    double x = length * sin(angle) / angle, y = length * (1 - cos(angle)) / angle;
    print_message("arc: tip off by %.2g %% of the length\n", 100 * hypot(tip[0] - x, tip[1] - y) / length);
    assert_true(hypot(tip[0] - x, tip[1] - y) < 0.01 * length);
    TacVec3 turned = tac_rotate(tac_load_quat(tip + 3), tac_vec3(1, 0, 0));
    assert_true(fabs(atan2(turned.y, turned.x) - angle) < 0.01);
    bench_end(&bench);
    tac_mesh_destroy(&topology.mesh);
}

static void beams_turn_freely_and_balance(void **state) {
    (void)state;
    TacRandom random = tac_random(51, 1);
    for (int trial = 0; trial < 20; trial++) {
        LawBench bench;
        TacTopology topology;
        TacVec3 along = tac_unit(tac_vec3(noise(&random), noise(&random), noise(&random)));
        // any frames do when axes lie along edges; some lie against x
        if (trial == 0) along = tac_vec3(-1, 0, 0);
        make_beams(&bench, &topology, along, trial < 2 ? tac_quat_identity() : random_turn(&random), "edge",
                   false);
        assert_int_equal(bench_init(&bench), TAC_OK);
        TacQuat turn = random_turn(&random);
        double *x = bench.matter[0]->vectors[TAC_X], u[6 * (SPANS + 1)];
        for (size_t i = 0; i <= SPANS; i++) {
            tac_store3(x + 7 * i, tac_add(tac_rotate(turn, tac_load3(x + 7 * i)), tac_vec3(1, 2, 3)));
            tac_store_quat(x + 7 * i + 3, tac_quat_mul(turn, tac_load_quat(x + 7 * i + 3)));
        }
        bench_force(&bench, TAC_F);
        assert_true(bench_norm(&bench, TAC_F) < 1e-9 && bench_energy(&bench) < 1e-18);

        // a little bent, forces balance, and torques to first order
        for (size_t i = 0; i < 6 * (SPANS + 1); i++) u[i] = 1e-5 * noise(&random);
        move_frames(&bench, u);
        bench_force(&bench, TAC_F);
        double scale = bench_norm(&bench, TAC_F);
        assert_true(tac_norm(resultant(&bench, TAC_F)) < 1e-12 * scale);
        assert_true(tac_norm(torque(&bench, TAC_F)) < 1e-3 * scale);
        expect_matrix_as_changes(&bench, &random);
        bench_end(&bench);
        tac_mesh_destroy(&topology.mesh);
    }
}

// How frames are turned at rest makes no difference to a round beam along its edge.
static void beams_do_not_mind_their_frames(void **state) {
    (void)state;
    TacRandom random = tac_random(55, 1);
    enum { N = 6 * (SPANS + 1) };
    double u[N], plain[N];
    for (size_t i = 0; i < N; i++) u[i] = 1e-5 * noise(&random);
    for (int scattered = 0; scattered < 2; scattered++) {
        LawBench bench;
        TacTopology topology;
        make_beams(&bench, &topology, tac_vec3(1, 0, 0), tac_quat_identity(), "edge", false);
        for (size_t i = 0; i <= SPANS && scattered; i++) {
            TacQuat turn = random_turn(&random);
            tac_store_quat(bench.matter[0]->vectors[TAC_X] + 7 * i + 3, turn);
            tac_store_quat(bench.matter[0]->vectors[TAC_X_REST] + 7 * i + 3, turn);
        }
        assert_int_equal(bench_init(&bench), TAC_OK);
        move_frames(&bench, u);
        bench_force(&bench, TAC_F);
        double scale = bench_norm(&bench, TAC_F);
        for (size_t i = 0; i < N; i++) {
            if (!scattered) plain[i] = bench.matter[0]->vectors[TAC_F][i];
            assert_true(fabs(bench.matter[0]->vectors[TAC_F][i] - plain[i]) < 1e-3 * scale);
        }
        bench_end(&bench);
        tac_mesh_destroy(&topology.mesh);
    }
}

// Near rest: forces are minus the gradient of the energy, and changes the derivative of forces.
static void beams_have_an_energy(void **state) {
    (void)state;
    TacRandom random = tac_random(52, 1);
    LawBench bench;
    TacTopology topology;
    make_beams(&bench, &topology, tac_vec3(0.6, 0.8, 0), random_turn(&random), "edge", true);
    assert_int_equal(bench_init(&bench), TAC_OK);
    enum { N = 6 * (SPANS + 1) };
    double u[N], step[N], back[N], first[N];
    for (size_t i = 0; i < N; i++) u[i] = 1e-5 * noise(&random);
    move_frames(&bench, u);
    bench_random(&bench, &random, TAC_Q, 1);
    const double *q = bench.matter[0]->vectors[TAC_Q], h = 1e-6;
    for (size_t i = 0; i < N; i++) {
        step[i] = h * q[i];
        back[i] = -2 * step[i];
    }
    move_frames(&bench, step);
    double after = bench_energy(&bench);
    bench_force(&bench, TAC_A);
    move_frames(&bench, back);
    double before = bench_energy(&bench);
    bench_force(&bench, TAC_B);
    move_frames(&bench, step);
    bench_force(&bench, TAC_F);
    bench_change(&bench, TAC_Q, TAC_P, 1, 0);
    double *const *all = bench.matter[0]->vectors;
    double slope = (after - before) / (2 * h), along = bench_dot(&bench, TAC_F, TAC_Q), worst = 0;
    assert_true(fabs(slope + along) < 1e-3 * bench_norm(&bench, TAC_F) * bench_norm(&bench, TAC_Q));
    for (size_t i = 0; i < N; i++) {
        first[i] = (all[TAC_A][i] - all[TAC_B][i]) / (2 * h);
        worst = fmax(worst, fabs(first[i] - all[TAC_P][i]));
    }
    assert_true(worst < 1e-3 * bench_norm(&bench, TAC_P));
    bench_end(&bench);
    tac_mesh_destroy(&topology.mesh);
}

// A rectangular section is stiffer upright than lying.
static void beams_may_be_rectangular(void **state) {
    (void)state;
    const double width = 0.02, height = 0.06;
    for (int axis = 1; axis < 3; axis++) {
        LawBench bench;
        TacTopology topology;
        make_beams(&bench, &topology, tac_vec3(1, 0, 0), tac_quat_identity(), "edge", false);
        bench_reals(&bench, "width", 1, &width);
        bench_reals(&bench, "height", 1, &height);
        assert_int_equal(bench_init(&bench), TAC_OK);
        bench_force(&bench, TAC_F);
        TacMatrix matrix = make_matrix(&bench, -1);
        double f[6 * (SPANS + 1)] = {0}, u[6 * (SPANS + 1)], length = SPAN * SPANS;
        bool held[6 * (SPANS + 1)] = {true, true, true, true, true, true};
        f[6 * SPANS + axis] = 1e-6;
        solve_free(&matrix, held, f, u);
        double i = axis == 1 ? height * pow(width, 3) / 12 : width * pow(height, 3) / 12;
        double expected = 1e-6 * pow(length, 3) / (3 * YOUNG * i);
        assert_true(fabs(u[6 * SPANS + axis] - expected) < 1e-8 * expected);
        bench_end(&bench);
        tac_mesh_destroy(&topology.mesh);
    }
}

// --- setting up and threads -------------------------------------------------------------------------------

static TacTopology shared;

static void beams_to_be(LawBench *bench) {
    double x[7 * 3] = {0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 1};
    const int32_t both[2] = {1, 0};
    bench_law(bench, &tac_beams_class, bench_matter(bench, TAC_RIGID3, 3, x), NULL, &shared);
    bench_reals(bench, "young", 1, &YOUNG);
    bench_ints(bench, "edges", 2, both);
}

static void expect_refusal(const char *attribute, const char *says) {
    const double value = 0.2;
    LawBench bench = {0};
    beams_to_be(&bench);
    bench_reals(&bench, attribute, 1, &value);
    assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
    if (!strstr(bench.error.message, says)) fail_msg("\"%s\" does not say \"%s\"", bench.error.message, says);
    bench_end(&bench);
}

static void bad_beams_are_refused(void **state) {
    (void)state;
    TacRandom random = tac_random(53, 1);
    const int line[3] = {2, 0, 0};
    make_block(&shared, line, tac_vec3(2, 0, 0), 0, false, &random);
    bench_try_without_memory(beams_to_be);
    expect_refusal("inner_radius", "below radius");
    expect_refusal("width", "both width and height");
    shared.mesh.elements[TAC_EDGES].indices[1] = 0;
    expect_refusal("young", "has no length");
    tac_mesh_destroy(&shared.mesh);
}

static void beams_give_the_same_bits_on_every_team(void **state) {
    (void)state;
    TacRandom random = tac_random(54, 1);
    const int line[3] = {2500, 0, 0};
    make_block(&shared, line, tac_vec3(1, 0, 0), 0, false, &random);
    LawBench bench = {0};
    size_t n = shared.mesh.point_count;
    double *x = calloc(7 * n, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) {
        tac_store3(x + 7 * i, tac_load3(shared.mesh.points + 3 * i));
        x[7 * i + 6] = 1;
    }
    bench_law(&bench, &tac_beams_class, bench_matter(&bench, TAC_RIGID3, n, x), NULL, &shared);
    bench_reals(&bench, "young", 1, &YOUNG);
    assert_int_equal(bench_init(&bench), TAC_OK);
    for (size_t i = 0; i < 7 * n; i++) bench.matter[0]->vectors[TAC_X][i] += 1e-4 * noise(&random);
    expect_same_bits(&bench, &random);
    bench_end(&bench);
    free(x);
    tac_mesh_destroy(&shared.mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beams_bend_stretch_and_twist_as_they_should),
        cmocka_unit_test(beams_bend_to_an_arc),
        cmocka_unit_test(beams_turn_freely_and_balance),
        cmocka_unit_test(beams_do_not_mind_their_frames),
        cmocka_unit_test(beams_have_an_energy),
        cmocka_unit_test(beams_may_be_rectangular),
        cmocka_unit_test(bad_beams_are_refused),
        cmocka_unit_test(beams_give_the_same_bits_on_every_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
