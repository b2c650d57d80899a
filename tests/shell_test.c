// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Discrete shells and dampers against closed forms and conservation laws; and laws taken apart: the parts of a
// law together do what the law does, and each says how stiff it is.

#include "fem_checks.h"

// A strip of a cylinder of radius r, flat when r is 0: n by n cells of triangles.
static void make_strip(TacTopology *topology, size_t n, double r) {
    *topology = (TacTopology){0};
    assert_int_equal(tac_mesh_sheet(&topology->mesh, (int)n, (int)n, 1, 1, NULL), TAC_OK);
    for (size_t p = 0; p < topology->mesh.point_count && r > 0; p++) {
        double *x = topology->mesh.points + 3 * p, angle = x[0] / r;
        x[0] = r * sin(angle);
        x[1] = r * cos(angle);
    }
}

static void start(LawBench *bench, const TacClass *cls, const TacTopology *topology) {
    *bench = (LawBench){0};
    TacMatter *m = bench_matter(bench, TAC_VEC3, topology->mesh.point_count, topology->mesh.points);
    bench_law(bench, cls, m, NULL, topology);
}

static void end(LawBench *bench, TacTopology *topology) {
    bench_end(bench);
    tac_mesh_destroy(&topology->mesh);
}

static void shake(LawBench *bench, TacRandom *random, double size) {
    const TacMat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    deform(bench, random, &one, size);
}

// --- bending ----------------------------------------------------------------------------------------------

static void expect_balance(LawBench *bench, double size) {
    TacVec3 sum = resultant(bench, TAC_F), turn = torque(bench, TAC_F);
    assert_true(tac_norm(sum) < 1e-12 * size);
    assert_true(tac_norm(turn) < 1e-11 * size);
}

static void test_bending_is_a_gradient(void **state) {
    (void)state;
    TacRandom random = tac_random(11, 0);
    for (int shape = 0; shape < 2; shape++) {
        TacTopology topology;
        LawBench bench;
        make_strip(&topology, 4, shape ? 0.8 : 0);
        start(&bench, &tac_shell_bending_class, &topology);
        bench_real(&bench, "stiffness", 0.3);
        assert_int_equal(bench_init(&bench), TAC_OK);
        // at rest, wherever that is: nothing
        TacMat3 turn = random_rotation(&random);
        deform(&bench, &random, &turn, 0);
        bench_force(&bench, TAC_F);
        assert_true(bench_norm(&bench, TAC_F) < 1e-12);
        assert_true(bench_energy(&bench) < 1e-24);
        for (int round = 0; round < 20; round++) {
            deform(&bench, &random, &turn, 0.03);
            bench_random(&bench, &random, TAC_Q, 1);
            assert_true(bench_gradient_error(&bench, TAC_Q, 1e-6) < 1e-7);
            expect_balance(&bench, bench_norm(&bench, TAC_F));
        }
        expect_matrix_as_changes(&bench, &random);
        // Gauss-Newton: the exact stiffness where nothing is bent
        deform(&bench, &random, &turn, 0);
        bench_random(&bench, &random, TAC_Q, 1);
        assert_true(bench_stiffness_error(&bench, TAC_Q, 1e-6) < 1e-6);
        end(&bench, &topology);
    }
}

// Two triangles folded by an angle: E = k 3 l^2 / A angle^2.
static void test_energy_of_a_fold(void **state) {
    (void)state;
    for (double angle = -3; angle < 3.1; angle += 0.5) {
        double points[12] = {0, 0, 0.7, 0, 0.9 * sin(angle), -0.9 * cos(angle), 0, 0, 0, 1.3, 0, 0};
        int32_t faces[6] = {2, 3, 0, 3, 2, 1};
        TacTopology topology = {0};
        topology.mesh.points = points;
        topology.mesh.point_count = 4;
        topology.mesh.elements[TAC_TRIANGLES].indices = faces;
        topology.mesh.elements[TAC_TRIANGLES].count = 2;
        LawBench bench;
        start(&bench, &tac_shell_bending_class, &topology);
        bench_real(&bench, "stiffness", 2);
        bench_bool(&bench, "flat", true);
        assert_int_equal(bench_init(&bench), TAC_OK);
        double area = 0.5 * 1.3 * (0.7 + 0.9), expected = 2 * 3 * 1.3 * 1.3 / area * angle * angle;
        assert_true(fabs(bench_energy(&bench) - expected) < 1e-12 * (1 + expected));
        bench_end(&bench);
    }
}

// Bent to a cylinder, a sheet of stiffness k has the energy of a plate that depends on k alone, however it is
// divided: with edges in one direction across the bend, 3 k curvature^2 area per direction.
static void test_refinement_keeps_the_energy(void **state) {
    (void)state;
    double last = 0;
    for (int n = 8; n <= 32; n *= 2) {
        TacTopology topology;
        LawBench bench;
        make_strip(&topology, (size_t)n, 0);
        start(&bench, &tac_shell_bending_class, &topology);
        bench_real(&bench, "stiffness", 1);
        assert_int_equal(bench_init(&bench), TAC_OK);
        double *x = bench.matter[0]->vectors[TAC_X];
        for (size_t p = 0; p < bench.matter[0]->count; p++) {
            double angle = x[3 * p] / 2;
            x[3 * p] = 2 * sin(angle);
            x[3 * p + 1] = 2 * cos(angle);
        }
        double energy = bench_energy(&bench);
        if (last > 0) assert_true(fabs(energy / last - 1) < 1.5 / n + 0.05);
        assert_true(energy > 0.1);
        last = energy;
        end(&bench, &topology);
    }
}

static void test_degenerate_hinges(void **state) {
    (void)state;
    TacRandom random = tac_random(5, 0);
    TacTopology topology;
    LawBench bench;
    make_strip(&topology, 3, 0);
    start(&bench, &tac_shell_bending_class, &topology);
    bench_real(&bench, "stiffness", 1);
    assert_int_equal(bench_init(&bench), TAC_OK);
    double *x = bench.matter[0]->vectors[TAC_X];
    size_t n = bench.matter[0]->count;
    // all on a line, all in a point, folded flat upon itself
    for (size_t p = 0; p < n; p++) x[3 * p + 1] = x[3 * p + 2] = 0;
    bench_force(&bench, TAC_F);
    assert_true(bench_finite(&bench, TAC_F));
    memset(x, 0, 3 * n * sizeof *x);
    bench_force(&bench, TAC_F);
    assert_true(bench_finite(&bench, TAC_F));
    bench_change(&bench, TAC_F, TAC_P, 1, 1);
    assert_true(bench_finite(&bench, TAC_P));
    shake(&bench, &random, 0);
    for (size_t p = 0; p < n; p++) x[3 * p] = fabs(x[3 * p] - 3);
    bench_force(&bench, TAC_F);
    assert_true(bench_finite(&bench, TAC_F));
    // nearly without height: forces stay balanced, and below what a quarter of the height gives
    for (int round = 0; round < 50; round++) {
        shake(&bench, &random, 0.05);
        for (size_t p = 0; p < n; p++) x[3 * p] = 3 + 1e-3 * (x[3 * p] - 3);
        bench_force(&bench, TAC_F);
        assert_true(bench_finite(&bench, TAC_F));
        double size = bench_norm(&bench, TAC_F) + 1;
        assert_true(tac_norm(resultant(&bench, TAC_F)) < 1e-10 * size);
        assert_true(tac_norm(torque(&bench, TAC_F)) < 1e-9 * size);
    }
    end(&bench, &topology);
}

// --- dampers ----------------------------------------------------------------------------------------------

static void test_dampers(void **state) {
    (void)state;
    static const TacClass *const classes[] = {&tac_edge_damping_class, &tac_bend_damping_class};
    TacRandom random = tac_random(3, 0);
    for (int c = 0; c < 2; c++) {
        TacTopology topology;
        LawBench bench;
        make_strip(&topology, 3, 0.8);
        start(&bench, classes[c], &topology);
        bench_real(&bench, "damping", 0.2);
        assert_int_equal(bench_init(&bench), TAC_OK);
        shake(&bench, &random, 0.03);
        bench_random(&bench, &random, TAC_V, 1);
        bench_force(&bench, TAC_F);
        // it takes energy, and neither momentum
        assert_true(bench_dot(&bench, TAC_F, TAC_V) < -1e-3);
        expect_balance(&bench, bench_norm(&bench, TAC_F));
        // linear in velocity
        bench_change(&bench, TAC_V, TAC_P, 0, 1);
        for (size_t i = 0; i < 3 * bench.matter[0]->count; i++)
            assert_true(fabs(bench.matter[0]->vectors[TAC_P][i] - bench.matter[0]->vectors[TAC_F][i]) <
                        1e-12);
        // nothing against turning as a whole
        for (size_t p = 0; p < bench.matter[0]->count; p++) {
            TacVec3 at = tac_load3(bench.matter[0]->vectors[TAC_X] + 3 * p);
            tac_store3(bench.matter[0]->vectors[TAC_V] + 3 * p,
                       tac_add(tac_vec3(1, 2, 3), tac_cross(tac_vec3(0.3, -0.2, 0.5), at)));
        }
        bench_force(&bench, TAC_F);
        assert_true(bench_norm(&bench, TAC_F) < 1e-12);
        end(&bench, &topology);
    }
}

// --- laws taken apart -------------------------------------------------------------------------------------

static TacLaw *clone(LawBench *bench, const uint32_t *parts, size_t count) {
    const TacLaw *law = bench->law;
    TacLaw *some = bench_take(bench, 1, law->base.cls->size);
    memcpy((void *)some, law, law->base.cls->size);
    assert_int_equal(law->base.cls->ops.law->subset(law, &bench->setup, parts, count, some, &bench->error),
                     TAC_OK);
    return some;
}

static void on_clone(LawBench *bench, TacLaw *some, TacVector v, TacVector f, double k) {
    TacLawVectors vectors = bench_vectors(bench, v, f);
    if (k == 0)
        some->base.cls->ops.law->force(some, &bench->context, &vectors);
    else
        some->base.cls->ops.law->force_change(some, &bench->context, &vectors, k, 0);
}

// Every third part, and the others: together they are the law.
static void expect_sum(LawBench *bench, TacRandom *random) {
    const TacLawOps *ops = bench->law->base.cls->ops.law;
    size_t n = ops->part_count(bench->law), counts[2] = {0, 0};
    assert_true(n > 6);
    uint32_t *parts[2] = {bench_take(bench, n, sizeof(uint32_t)), bench_take(bench, n, sizeof(uint32_t))};
    for (uint32_t i = 0; i < n; i++) parts[i % 3 == 0][counts[i % 3 == 0]++] = i;
    TacLaw *some[2] = {clone(bench, parts[0], counts[0]), clone(bench, parts[1], counts[1])};
    shake(bench, random, 0.02);
    bench_force(bench, TAC_F);
    bench_clear(bench, TAC_P);
    for (int k = 0; k < 2; k++) on_clone(bench, some[k], TAC_V, TAC_P, 0);
    double size = bench_norm(bench, TAC_F);
    assert_true(size > 1e-6);
    for (size_t i = 0; i < 3 * bench->matter[0]->count; i++)
        assert_true(fabs(bench->matter[0]->vectors[TAC_P][i] - bench->matter[0]->vectors[TAC_F][i]) <
                    1e-12 * size);
}

// A part touches its stencil only, and its stiffness is the largest eigenvalue, from above but not by far.
static void expect_stiffness(LawBench *bench, TacRandom *random, uint32_t which, double growth) {
    const TacLawOps *ops = bench->law->base.cls->ops.law;
    TacPart part;
    ops->part(bench->law, which, &part);
    TacLaw *some = clone(bench, &which, 1);
    shake(bench, random, 0);
    bench_clear(bench, TAC_F);
    on_clone(bench, some, TAC_V, TAC_F, 0);
    bench_random(bench, random, TAC_Q, 1);
    double largest = 0;
    for (int round = 0; round < 200; round++) {
        bench_clear(bench, TAC_P);
        on_clone(bench, some, TAC_Q, TAC_P, 1);
        largest = bench_norm(bench, TAC_P) / bench_norm(bench, TAC_Q);
        double over = 1 / bench_norm(bench, TAC_P);
        for (size_t i = 0; i < 3 * bench->matter[0]->count; i++)
            bench->matter[0]->vectors[TAC_Q][i] = over * bench->matter[0]->vectors[TAC_P][i];
    }
    assert_true(part.stiffness > 0.999 * growth * largest);
    assert_true(part.stiffness < 1.2 * growth * largest);
    for (size_t p = 0; p < bench->matter[0]->count; p++) {
        bool in = false;
        for (size_t k = 0; k < part.count; k++) in = in || part.points[k] == p;
        double there = tac_norm(tac_load3(bench->matter[0]->vectors[TAC_P] + 3 * p));
        if (!in) assert_true(there == 0);
    }
}

static void test_parts(void **state) {
    (void)state;
    static const struct {
        const TacClass *cls;
        const char *attribute, *way;
        bool list;
        int solid; // 1: tetrahedra, 2: hexahedra, 3: hexahedra that are boxes
    } cases[] = {
        {&tac_springs_class, "stiffness", NULL, true, 0},
        {&tac_mesh_springs_class, "triangles", NULL, false, 0},
        {&tac_bending_springs_class, "stiffness", "quadratic", false, 0},
        {&tac_bending_springs_class, "stiffness", "opposite", false, 0},
        {&tac_triangles_class, "young", NULL, true, 0},
        {&tac_tetrahedra_class, "young", NULL, true, 1},
        {&tac_hexahedra_class, "young", NULL, true, 2},
        {&tac_hexahedra_class, "young", NULL, true, 3},
        {&tac_shell_bending_class, "stiffness", NULL, false, 0},
        {&tac_hyperelastic_class, "young", "neo-hookean", true, 1},
        {&tac_hyperelastic_class, "young", "mooney-rivlin", true, 1},
        {&tac_hyperelastic_class, "young", "arruda-boyce", true, 1},
    };
    TacRandom random = tac_random(23, 0);
    for (size_t c = 0; c < TAC_COUNT(cases); c++) {
        TacTopology topology;
        LawBench bench;
        if (cases[c].solid)
            make_block(&topology, (const int[3]){2, 2, 2}, tac_vec3(1, 1, 1), cases[c].solid == 3 ? 0 : 0.2,
                       cases[c].solid == 1, &random);
        else
            make_strip(&topology, 3, 0);
        start(&bench, cases[c].cls, &topology);
        if (cases[c].list)
            bench_reals(&bench, cases[c].attribute, 1, &(double){20});
        else
            bench_real(&bench, cases[c].attribute, 20);
        const char *choice = cases[c].cls == &tac_hyperelastic_class ? "material" : "way";
        if (cases[c].way) bench_choice(&bench, choice, cases[c].way);
        assert_int_equal(bench_init(&bench), TAC_OK);
        expect_sum(&bench, &random);
        // what grows stiffer has a clock for four times its stiffness at rest
        double growth = cases[c].cls == &tac_hyperelastic_class ? 4 : 1;
        for (uint32_t part = 0; part < 5; part++) expect_stiffness(&bench, &random, part, growth);
        end(&bench, &topology);
    }
}

// Parts of a law by `most` at a time, and all of it at once.
static void expect_sum_of_few(LawBench *bench, TacRandom *random, uint32_t most) {
    const TacLawOps *ops = bench->law->base.cls->ops.law;
    uint32_t n = (uint32_t)ops->part_count(bench->law), *parts = bench_take(bench, n, sizeof *parts);
    for (uint32_t i = 0; i < n; i++) parts[i] = i;
    TacMatter *m = bench->matter[0];
    shake(bench, random, 0.02);
    bench_random(bench, random, TAC_V, 1);
    bench_random(bench, random, TAC_Q, 1);
    bench_force(bench, TAC_F);
    bench_change(bench, TAC_Q, TAC_A, 0.7, 0.4);
    bench_clear(bench, TAC_P);
    bench_clear(bench, TAC_B);
    for (uint32_t i = 0; i < n; i += most) {
        TacLaw *some = clone(bench, parts + i, n - i < most ? n - i : most);
        on_clone(bench, some, TAC_V, TAC_P, 0);
        TacLawVectors vectors = bench_vectors(bench, TAC_Q, TAC_B);
        ops->force_change(some, &bench->context, &vectors, 0.7, 0.4);
    }
    double size = bench_norm(bench, TAC_F), change = bench_norm(bench, TAC_A);
    assert_true(size > 1e-6 && change > 1e-6);
    for (size_t i = 0; i < 3 * m->count; i++) {
        assert_true(fabs(m->vectors[TAC_P][i] - m->vectors[TAC_F][i]) < 1e-13 * size);
        assert_true(fabs(m->vectors[TAC_B][i] - m->vectors[TAC_A][i]) < 1e-13 * change);
    }
    // from now on the law keeps what changes are made of: not a bit of its forces changes
    bench_force(bench, TAC_B);
    assert_memory_equal(m->vectors[TAC_B], m->vectors[TAC_F], 3 * m->count * sizeof(double));
    bench_change(bench, TAC_Q, TAC_B, 0.7, 0.4);
    assert_memory_equal(m->vectors[TAC_B], m->vectors[TAC_A], 3 * m->count * sizeof(double));
}

// A few springs go one by one; those of a net in rows, all others in lanes. They do the same.
static void test_ways_of_springs(void **state) {
    (void)state;
    static const char *const flags[] = {"pull_only", "stable", "turns", "damping_turns"};
    TacRandom random = tac_random(31, 0);
    for (int c = 0; c < 36; c++) {
        TacTopology topology;
        LawBench bench;
        make_strip(&topology, 18, 0);
        start(&bench, &tac_springs_class, &topology);
        // edges of the topology, springs between any points, a net without diagonals
        enum { MOST = 3 * 18 * 18 + 2 * 18, IN_ROWS = 2 * 19 * 18 };
        int32_t pairs[2 * MOST], points = (int32_t)topology.mesh.point_count;
        size_t count = c % 3 == 2 ? IN_ROWS : MOST;
        for (int i = 0; i < (int)count; i++) {
            int32_t row = i / 18 % 19, column = i % 18, in_row = 19 * row + column, down = 18 * row + column;
            bool along = i < IN_ROWS / 2;
            int32_t any = (int32_t)(tac_random_bits(&random) % (uint64_t)points);
            pairs[2 * i] = c % 3 < 2 ? any : along ? in_row : down;
            pairs[2 * i + 1] = c % 3 < 2 ? (any + 1 + i % (points - 1)) % points
                               : along   ? in_row + 1
                                         : down + 19;
        }
        if (c % 3) bench_ints(&bench, "pairs", 2 * count, pairs);
        double stiffness[MOST], damping[MOST];
        for (size_t i = 0; i < count; i++) {
            stiffness[i] = tac_random_between(&random, 10, 30);
            damping[i] = c % 4 ? tac_random_between(&random, 0, 1) : 0;
        }
        bench_reals(&bench, "stiffness", count, stiffness);
        bench_reals(&bench, "damping", count, damping);
        int flag = c / 3 % 6;
        if (flag < 4) bench_bool(&bench, flags[flag], flag == 0 || flag == 3);
        if (flag == 4) bench_reals(&bench, "lengths", 1, &(double){0});
        assert_int_equal(bench_init(&bench), TAC_OK);
        expect_sum_of_few(&bench, &random, 7);
        end(&bench, &topology);
    }
}

static void test_hinges_by_few(void **state) {
    (void)state;
    TacRandom random = tac_random(37, 0);
    TacTopology topology;
    LawBench bench;
    make_strip(&topology, 18, 0.8);
    start(&bench, &tac_shell_bending_class, &topology);
    bench_real(&bench, "stiffness", 20);
    assert_int_equal(bench_init(&bench), TAC_OK);
    expect_sum_of_few(&bench, &random, 3);
    end(&bench, &topology);
}

// A damper on its own clock sees past positions only.
static void test_dampers_on_their_own_clock(void **state) {
    (void)state;
    TacRandom random = tac_random(29, 0);
    TacTopology topology;
    LawBench bench;
    make_strip(&topology, 2, 0);
    start(&bench, &tac_edge_damping_class, &topology);
    bench_real(&bench, "damping", 0.5);
    assert_int_equal(bench_init(&bench), TAC_OK);
    uint32_t which = 0;
    TacLaw *some = clone(&bench, &which, 1);
    TacPart part;
    some->base.cls->ops.law->part(bench.law, which, &part);
    assert_true(fabs(part.damping - 1) < 1e-12);
    bench_random(&bench, &random, TAC_V, 1); // must make no difference
    double *x = bench.matter[0]->vectors[TAC_X];
    double length[3];
    for (int tick = 0; tick < 3; tick++) {
        bench.context = (TacContext){.time = 0.25 * tick, .step = 0.25};
        x[3 * part.points[0]] += 0.1 * tick;
        length[tick] =
            tac_norm(tac_sub(tac_load3(x + 3 * part.points[0]), tac_load3(x + 3 * part.points[1])));
        bench_clear(&bench, TAC_F);
        on_clone(&bench, some, TAC_V, TAC_F, 0);
        double pull = tac_norm(tac_load3(bench.matter[0]->vectors[TAC_F] + 3 * part.points[0]));
        double expected = tick ? 0.5 * fabs(length[tick] - length[tick - 1]) / 0.25 : 0;
        assert_true(fabs(pull - expected) < 1e-12);
        if (tick == 2) assert_true(expected > 0.01);
    }
    // a missed tick: nothing
    bench.context.time = 2;
    x[3 * part.points[0]] += 0.1;
    bench_clear(&bench, TAC_F);
    on_clone(&bench, some, TAC_V, TAC_F, 0);
    assert_true(bench_norm(&bench, TAC_F) == 0);
    end(&bench, &topology);
}

static void make_bending(LawBench *bench) {
    static TacTopology topology;
    if (!topology.mesh.point_count) make_strip(&topology, 2, 0);
    start(bench, &tac_shell_bending_class, &topology);
    bench_real(bench, "stiffness", 1);
}

static void make_damping(LawBench *bench) {
    static TacTopology topology;
    if (!topology.mesh.point_count) make_strip(&topology, 2, 0);
    start(bench, &tac_edge_damping_class, &topology);
    bench_real(bench, "damping", 1);
}

static void test_no_memory(void **state) {
    (void)state;
    bench_try_without_memory(make_bending);
    bench_try_without_memory(make_damping);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bending_is_a_gradient),
        cmocka_unit_test(test_energy_of_a_fold),
        cmocka_unit_test(test_refinement_keeps_the_energy),
        cmocka_unit_test(test_degenerate_hinges),
        cmocka_unit_test(test_dampers),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_ways_of_springs),
        cmocka_unit_test(test_hinges_by_few),
        cmocka_unit_test(test_dampers_on_their_own_clock),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
