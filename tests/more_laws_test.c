// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Rest springs, springs along meshes and across edges, pressure, ellipsoids, damping: finite differences,
// momentum, rigid motion, closed forms, and the same bits for any number of threads.

#include "law_harness.h"

#include "base/team.h"
#include "law/faces.h"
#include "law/laws.h"

static void init(LawBench *bench) {
    if (bench_init(bench) != TAC_OK) fail_msg("%s", bench->error.message);
}

static void refuse(LawBench *bench, const char *word) {
    assert_int_equal(bench_init(bench), TAC_BAD_INPUT);
    if (!strstr(bench->error.message, word))
        fail_msg("\"%s\" says nothing of %s", bench->error.message, word);
    bench_end(bench);
}

// Points of a mesh, shaken, with the mesh at rest where it was.
static void on_mesh(LawBench *bench, const TacClass *cls, const TacTopology *topology, double shake,
                    uint64_t seed) {
    *bench = (LawBench){0};
    TacMatter *m = bench_matter(bench, TAC_VEC3, topology->mesh.point_count, topology->mesh.points);
    bench_law(bench, cls, m, NULL, topology);
    TacRandom random = tac_random(seed, 4);
    for (size_t i = 0; i < 3 * m->count; i++)
        m->vectors[TAC_X][i] += tac_random_between(&random, -shake, shake);
}

static void check_derivatives(LawBench *bench, bool with_energy, double step, double gradient,
                              double stiffness) {
    TacRandom random = tac_random(77, 1);
    bench_random(bench, &random, TAC_R, 1);
    if (with_energy) assert_true(bench_gradient_error(bench, TAC_R, step) < gradient);
    assert_true(bench_stiffness_error(bench, TAC_R, step) < stiffness);
}

static void check_momentum(LawBench *bench, bool angular) {
    const TacMatter *m = bench->matter[0];
    TacVec3 sum = {0, 0, 0}, moment = {0, 0, 0};
    double size = 0;
    bench_force(bench, TAC_F);
    for (size_t i = 0; i < m->count; i++) {
        TacVec3 f = tac_load3(m->vectors[TAC_F] + 3 * i);
        sum = tac_add(sum, f);
        moment = tac_add(moment, tac_cross(tac_load3(m->vectors[TAC_X] + 3 * i), f));
        size += tac_norm(f);
    }
    assert_true(size > 0 && tac_norm(sum) < 1e-12 * size);
    if (angular) assert_true(tac_norm(moment) < 1e-12 * size);
}

// Turns and moves everything: a law of the shape alone pushes nothing, or turns its forces along.
static void move_rigidly(LawBench *bench) {
    TacQuat q = tac_quat_from_vector(tac_vec3(0.3, -1.1, 0.7));
    double *x = bench->matter[0]->vectors[TAC_X];
    for (size_t i = 0; i < bench->matter[0]->count; i++)
        tac_store3(x + 3 * i, tac_add(tac_rotate(q, tac_load3(x + 3 * i)), tac_vec3(1, 2, -3)));
}

static void check_threads(LawBench *bench) {
    size_t n = tac_vector_size(bench->matter[0], TAC_F);
    double *one = malloc(2 * n * sizeof *one), *two = one + n;
    assert_non_null(one);
    TacRandom random = tac_random(78, 1);
    bench_random(bench, &random, TAC_R, 1);
    bench_force(bench, TAC_F);
    memcpy(one, bench->matter[0]->vectors[TAC_F], n * sizeof *one);
    bench_change(bench, TAC_R, TAC_P, 2, 3);
    memcpy(two, bench->matter[0]->vectors[TAC_P], n * sizeof *one);
    for (int threads = 2; threads < 6; threads += 3) {
        assert_int_equal(tac_team_create(&bench->context.team, threads, NULL), TAC_OK);
        bench_force(bench, TAC_F);
        assert_memory_equal(one, bench->matter[0]->vectors[TAC_F], n * sizeof *one);
        bench_change(bench, TAC_R, TAC_P, 2, 3);
        assert_memory_equal(two, bench->matter[0]->vectors[TAC_P], n * sizeof *one);
        tac_team_destroy(bench->context.team);
        bench->context.team = NULL;
    }
    free(one);
}

// --- rest springs -----------------------------------------------------------------------------------------

static void test_rest_springs_on_points(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 2, 3, 4, 5, 6};
    LawBench bench = {0};
    bench_law(&bench, &tac_rest_springs_class, bench_matter(&bench, TAC_VEC3, 3, x), NULL, NULL);
    bench_ints(&bench, "points", 2, (const int32_t[]){2, 0});
    bench_reals(&bench, "stiffness", 2, (const double[]){10, 20});
    bench_reals(&bench, "active", 3, (const double[]){1, 0, 1});
    init(&bench);
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) == 0);
    double *now = bench.matter[0]->vectors[TAC_X];
    now[0] += 0.5;
    now[1] += 0.5;
    now[4] += 9;
    now[8] -= 0.25;
    bench_force(&bench, TAC_F);
    const double expected[9] = {-10, 0, 0, 0, 0, 0, 0, 0, 2.5};
    assert_memory_equal(bench.matter[0]->vectors[TAC_F], expected, sizeof expected);
    assert_true(fabs(bench_energy(&bench) - (0.5 * 20 * 0.25 + 0.5 * 10 * 0.0625)) < 1e-15);
    check_derivatives(&bench, true, 1e-5, 1e-8, 1e-8);
    bench_end(&bench);
}

// Frames: the torque is the gradient of the energy along any turn, however far they are turned.
static void test_rest_springs_on_frames(void **state) {
    (void)state;
    TacRandom random = tac_random(5, 1);
    for (int round = 0; round < 50; round++) {
        double x[14];
        for (int i = 0; i < 14; i++) x[i] = tac_random_between(&random, -1, 1);
        for (int i = 0; i < 2; i++)
            tac_store_quat(x + 7 * i + 3, tac_quat_unit(tac_load_quat(x + 7 * i + 3)));
        LawBench bench = {0};
        TacMatter *m = bench_matter(&bench, TAC_RIGID3, 2, x);
        bench_law(&bench, &tac_rest_springs_class, m, NULL, NULL);
        bench_reals(&bench, "stiffness", 1, (const double[]){30});
        bench_reals(&bench, "angular_stiffness", 2, (const double[]){4, 7});
        init(&bench);
        double *now = m->vectors[TAC_X];
        for (int i = 0; i < 14; i++) now[i] += tac_random_between(&random, -0.4, 0.4);
        for (int i = 0; i < 2; i++)
            tac_store_quat(now + 7 * i + 3, tac_quat_unit(tac_load_quat(now + 7 * i + 3)));
        double d[12], kept[14], energies[2];
        for (int i = 0; i < 12; i++) d[i] = tac_random_between(&random, -1, 1);
        memcpy(kept, now, sizeof kept);
        const double h = 1e-6;
        for (int side = 0; side < 2; side++) {
            double s = side ? h : -h;
            for (int i = 0; i < 2; i++) {
                tac_store3(now + 7 * i, tac_axpy(tac_load3(kept + 7 * i), s, tac_load3(d + 6 * i)));
                TacQuat turn = tac_quat_from_vector(tac_scale(tac_load3(d + 6 * i + 3), s));
                tac_store_quat(now + 7 * i + 3, tac_quat_mul(turn, tac_load_quat(kept + 7 * i + 3)));
            }
            energies[side] = bench_energy(&bench);
        }
        memcpy(now, kept, sizeof kept);
        // q and -q are one orientation
        double energy = bench_energy(&bench);
        for (int i = 3; i < 7; i++) now[i] = -now[i];
        assert_true(fabs(bench_energy(&bench) - energy) < 1e-12 * energy);
        bench_force(&bench, TAC_F);
        double work = 0;
        for (int i = 0; i < 12; i++) work += d[i] * m->vectors[TAC_F][i];
        assert_true(fabs(work + (energies[1] - energies[0]) / (2 * h)) < 1e-6 * (1 + fabs(work)));
        bench_end(&bench);
    }
}

static void test_rest_springs_to_other_matter(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 2, 3}, y[] = {5, 5, 5, 1, 1, 1, 2, 2, 2};
    for (int reaction = 0; reaction < 2; reaction++) {
        LawBench bench = {0};
        TacMatter *m = bench_matter(&bench, TAC_VEC3, 2, x), *other = bench_matter(&bench, TAC_VEC3, 3, y);
        bench_law(&bench, &tac_rest_springs_class, m, other, NULL);
        bench_ints(&bench, "target_points", 2, (const int32_t[]){2, 1});
        bench_bool(&bench, "reaction", reaction);
        bench_reals(&bench, "stiffness", 1, (const double[]){3});
        init(&bench);
        assert_true(bench.law->watches == !reaction);
        bench_force(&bench, TAC_F);
        const double on[6] = {6, 6, 6, 0, -3, -6};
        const double back[9] = {0, 0, 0, 0, 3, 6, -6, -6, -6}, nothing[9] = {0};
        assert_memory_equal(m->vectors[TAC_F], on, sizeof on);
        const double *f = other->vectors[TAC_F];
        for (int i = 0; i < 9; i++) assert_true(f[i] == (reaction ? back : nothing)[i]);
        if (reaction) check_derivatives(&bench, true, 1e-5, 1e-8, 1e-8);
        bench_end(&bench);
    }
}

static void test_rest_springs_refuse(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 2, 3};
    LawBench bench = {0};
    bench_law(&bench, &tac_rest_springs_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
    bench_ints(&bench, "points", 1, (const int32_t[]){2});
    refuse(&bench, "point 2");
    bench = (LawBench){0};
    bench_law(&bench, &tac_rest_springs_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
    bench_ints(&bench, "target_points", 1, (const int32_t[]){1});
    refuse(&bench, "targets");
    bench = (LawBench){0};
    bench_law(&bench, &tac_rest_springs_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
    bench_bool(&bench, "reaction", true);
    refuse(&bench, "reaction");
}

// --- springs along meshes ---------------------------------------------------------------------------------

static void test_mesh_springs(void **state) {
    (void)state;
    TacTopology topology = {0};
    assert_int_equal(tac_mesh_grid(&topology.mesh, 3, 3, 2, tac_vec3(0, 0, 0), tac_vec3(1, 1.5, 0.7), NULL),
                     TAC_OK);
    LawBench bench;
    on_mesh(&bench, &tac_mesh_springs_class, &topology, 0.1, 1);
    bench_real(&bench, "hexahedra", 50);
    bench_bool(&bench, "stable", false);
    init(&bench);
    check_derivatives(&bench, true, 1e-6, 1e-7, 1e-7);
    check_momentum(&bench, true);

    // every pair of corners once, with k / l
    const double *x = bench.matter[0]->vectors[TAC_X], *rest = bench.matter[0]->vectors[TAC_X_REST];
    bool joined[18][18] = {{false}};
    for (size_t e = 0; e < topology.mesh.elements[TAC_HEXAHEDRA].count; e++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                const int32_t *v = topology.mesh.elements[TAC_HEXAHEDRA].indices + 8 * e;
                joined[v[i]][v[j]] = i != j;
            }
    double energy = 0;
    for (size_t i = 0; i < 18; i++)
        for (size_t j = 0; j < i; j++) {
            double l = tac_norm(tac_sub(tac_load3(x + 3 * i), tac_load3(x + 3 * j)));
            double l0 = tac_norm(tac_sub(tac_load3(rest + 3 * i), tac_load3(rest + 3 * j)));
            if (joined[i][j]) energy += 0.5 * 50 / l0 * (l - l0) * (l - l0);
        }
    assert_true(fabs(energy - bench_energy(&bench)) < 1e-12 * energy);
    bench_end(&bench);

    // a spring that two kinds would make has the stiffness of the first
    const double corners[] = {0, 0, 0, 2, 0, 0, 0, 1, 0};
    TacTopology two = {0};
    assert_int_equal(tac_mesh_create(&two.mesh, 3, (const size_t[TAC_ELEMENT_KINDS]){1, 1, 0, 0, 0}, NULL),
                     TAC_OK);
    memcpy(two.mesh.points, corners, sizeof corners);
    memcpy(two.mesh.elements[TAC_EDGES].indices, (const int32_t[]){1, 0}, 2 * sizeof(int32_t));
    memcpy(two.mesh.elements[TAC_TRIANGLES].indices, (const int32_t[]){0, 1, 2}, 3 * sizeof(int32_t));
    on_mesh(&bench, &tac_mesh_springs_class, &two, 0, 1);
    bench_real(&bench, "edges", 6);
    bench_real(&bench, "triangles", 100);
    bench_bool(&bench, "by_length", false);
    init(&bench);
    bench.matter[0]->vectors[TAC_X][3] = 3;
    bench_force(&bench, TAC_F);
    assert_true(fabs(bench.matter[0]->vectors[TAC_F][0] - 6) < 1e-12);
    bench_end(&bench);
    on_mesh(&bench, &tac_mesh_springs_class, &two, 0, 1);
    bench_real(&bench, "quads", 6);
    refuse(&bench, "no springs");
    tac_mesh_destroy(&two.mesh);
    tac_mesh_destroy(&topology.mesh);
}

// --- bending ----------------------------------------------------------------------------------------------

static void test_hinges(void **state) {
    (void)state;
    TacMesh mesh;
    assert_int_equal(tac_mesh_icosphere(&mesh, 2, 1, NULL), TAC_OK);
    TacHinge *hinges;
    size_t count;
    assert_int_equal(tac_find_hinges(&mesh, TAC_TRIANGLES, &hinges, &count, NULL), TAC_OK);
    // a closed surface has three edges for every two triangles
    assert_int_equal(2 * count, 3 * mesh.elements[TAC_TRIANGLES].count);
    for (size_t i = 0; i < count; i++) {
        const TacHinge *h = &hinges[i];
        assert_true(h->ac == h->ad && h->bc == h->bd && h->ac != h->bc && h->c < h->d);
    }
    free(hinges);
    tac_mesh_destroy(&mesh);

    // quads: the corners beside an edge lie on the same side of both its ends
    assert_int_equal(tac_mesh_grid(&mesh, 4, 3, 1, tac_vec3(0, 0, 0), tac_vec3(3, 2, 0), NULL), TAC_OK);
    assert_int_equal(tac_find_hinges(&mesh, TAC_QUADS, &hinges, &count, NULL), TAC_OK);
    assert_int_equal(count, 2 * 2 + 3);
    for (size_t i = 0; i < count; i++) {
        const TacHinge *h = &hinges[i];
        const double *p = mesh.points;
        TacVec3 along = tac_sub(tac_load3(p + 3 * h->d), tac_load3(p + 3 * h->c));
        TacVec3 a = tac_sub(tac_load3(p + 3 * h->ad), tac_load3(p + 3 * h->ac));
        TacVec3 b = tac_sub(tac_load3(p + 3 * h->bd), tac_load3(p + 3 * h->bc));
        assert_true(tac_norm(tac_sub(a, along)) < 1e-12 && tac_norm(tac_sub(b, along)) < 1e-12);
    }
    free(hinges);
    tac_mesh_destroy(&mesh);
}

static void test_quadratic_bending(void **state) {
    (void)state;
    TacTopology topology = {0};
    assert_int_equal(tac_mesh_sheet(&topology.mesh, 6, 5, 2, 1.5, NULL), TAC_OK);
    LawBench bench;
    on_mesh(&bench, &tac_bending_springs_class, &topology, 0, 1);
    bench_real(&bench, "stiffness", 7);
    init(&bench);
    // flat, it pushes nothing: not where it was, nor moved, turned, or stretched
    double *x = bench.matter[0]->vectors[TAC_X];
    for (size_t i = 0; i < bench.matter[0]->count; i++) x[3 * i] *= 1.3;
    move_rigidly(&bench);
    bench_force(&bench, TAC_F);
    assert_true(bench_norm(&bench, TAC_F) < 1e-10);
    TacRandom random = tac_random(3, 1);
    for (size_t i = 0; i < 3 * bench.matter[0]->count; i++) x[i] += tac_random_between(&random, -0.1, 0.1);
    check_derivatives(&bench, true, 1e-5, 1e-7, 1e-7);
    check_momentum(&bench, true);
    bench_end(&bench);

    // two triangles folded by an angle: 1/2 lambda |R|^2 by hand, for the square of side 1
    const double corners[] = {0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0};
    TacTopology two = {0};
    assert_int_equal(tac_mesh_create(&two.mesh, 4, (const size_t[TAC_ELEMENT_KINDS]){0, 2, 0, 0, 0}, NULL),
                     TAC_OK);
    memcpy(two.mesh.points, corners, sizeof corners);
    memcpy(two.mesh.elements[TAC_TRIANGLES].indices, (const int32_t[]){0, 2, 1, 0, 1, 3},
           6 * sizeof(int32_t));
    on_mesh(&bench, &tac_bending_springs_class, &two, 0, 1);
    bench_real(&bench, "stiffness", 7);
    init(&bench);
    // the edge is the diagonal; both heights are 1/sqrt 2; R = (x_2 + x_3 - x_0 - x_1) / 2
    bench.matter[0]->vectors[TAC_X][8] = 0.3;
    double height = sqrt(0.5),
           lambda = 2.0 / 3 * 2 * height / (height * height * height * height) * sqrt(2) * 7;
    assert_true(fabs(bench_energy(&bench) - 0.5 * lambda * 0.15 * 0.15) < 1e-12);
    bench_end(&bench);
    tac_mesh_destroy(&two.mesh);
    tac_mesh_destroy(&topology.mesh);
}

static void test_bending_by_opposite_corners(void **state) {
    (void)state;
    for (int quads = 0; quads < 2; quads++) {
        TacTopology topology = {0};
        if (quads)
            assert_int_equal(
                tac_mesh_grid(&topology.mesh, 4, 4, 1, tac_vec3(0, 0, 0), tac_vec3(3, 3, 0), NULL), TAC_OK);
        else
            assert_int_equal(tac_mesh_sheet(&topology.mesh, 3, 3, 1, 1, NULL), TAC_OK);
        LawBench bench;
        on_mesh(&bench, &tac_bending_springs_class, &topology, 0.1, 1);
        bench_choice(&bench, "way", "opposite");
        bench_real(&bench, "stiffness", 4);
        bench_bool(&bench, "stable", false);
        init(&bench);
        check_derivatives(&bench, true, 1e-6, 1e-7, 1e-6);
        check_momentum(&bench, true);
        if (quads) {
            // a grid of 3 by 3 quads: a spring over every two steps along a row or a column, and none twice
            const double *x = bench.matter[0]->vectors[TAC_X];
            double energy = 0;
            for (size_t i = 0; i < 4; i++)
                for (size_t j = 0; j < 2; j++)
                    for (int way = 0; way < 2; way++) {
                        size_t a = way ? 4 * j + i : 4 * i + j, b = way ? a + 8 : a + 2;
                        double l = tac_norm(tac_sub(tac_load3(x + 3 * a), tac_load3(x + 3 * b)));
                        energy += 0.5 * 4 * (l - 2) * (l - 2);
                    }
            assert_true(fabs(energy - bench_energy(&bench)) < 1e-12 * energy);
        }
        bench_end(&bench);
        tac_mesh_destroy(&topology.mesh);
    }
}

// --- pressure ---------------------------------------------------------------------------------------------

static void test_pressure(void **state) {
    (void)state;
    for (int conserving = 0; conserving < 2; conserving++) {
        TacTopology topology = {0};
        assert_int_equal(tac_mesh_icosphere(&topology.mesh, 3, 0.8, NULL), TAC_OK);
        LawBench bench;
        on_mesh(&bench, &tac_pressure_class, &topology, 0.01, 1);
        bench_real(&bench, "pressure", 1000);
        bench_bool(&bench, "conserving", conserving);
        if (conserving) bench_real(&bench, "volume", 4);
        init(&bench);
        TacRandom random = tac_random(77, 1);
        bench_random(&bench, &random, TAC_R, 1);
        assert_true(bench_gradient_error(&bench, TAC_R, 1e-6) < 1e-6);
        if (!conserving) assert_true(bench_stiffness_error(&bench, TAC_R, 1e-6) < 1e-6);
        check_momentum(&bench, true);
        // all forces together stretch the ball: sum f.x = 3 p V
        double work = 0, volume = 0;
        for (size_t i = 0; i < 3 * bench.matter[0]->count; i++)
            work += bench.matter[0]->vectors[TAC_F][i] * bench.matter[0]->vectors[TAC_X][i];
        for (size_t t = 0; t < topology.mesh.elements[TAC_TRIANGLES].count; t++) {
            const int32_t *v = topology.mesh.elements[TAC_TRIANGLES].indices + 3 * t;
            const double *x = bench.matter[0]->vectors[TAC_X];
            volume += tac_dot(tac_load3(x + 3 * v[0]),
                              tac_cross(tac_load3(x + 3 * v[1]), tac_load3(x + 3 * v[2]))) /
                      6;
        }
        double p = conserving ? 1000 * 4 / volume : 1000;
        assert_true(fabs(volume - 4.0 / 3 * TAC_PI * 0.512) < 0.05);
        assert_true(fabs(work - 3 * p * volume) < 1e-10 * work);
        bench_end(&bench);
        tac_mesh_destroy(&topology.mesh);
    }
}

static void test_pressure_on_some_faces(void **state) {
    (void)state;
    TacTopology topology = {0};
    assert_int_equal(tac_mesh_grid(&topology.mesh, 3, 3, 1, tac_vec3(0, 0, 0), tac_vec3(2, 2, 0), NULL),
                     TAC_OK);
    LawBench bench;
    on_mesh(&bench, &tac_pressure_class, &topology, 0, 1);
    bench_real(&bench, "pressure", 6);
    bench_ints(&bench, "quads", 2, (const int32_t[]){0, 3});
    init(&bench);
    bench_force(&bench, TAC_F);
    double sum[3] = {0};
    for (size_t i = 0; i < 27; i++) sum[i % 3] += bench.matter[0]->vectors[TAC_F][i];
    assert_true(fabs(sum[0]) + fabs(sum[1]) == 0 && fabs(fabs(sum[2]) - 12) < 1e-12);
    assert_true(bench_energy(&bench) == 0); // open: none
    bench_end(&bench);
    on_mesh(&bench, &tac_pressure_class, &topology, 0, 1);
    bench_ints(&bench, "quads", 1, (const int32_t[]){4});
    refuse(&bench, "quads 4");
    on_mesh(&bench, &tac_pressure_class, &topology, 0, 1);
    bench_bool(&bench, "conserving", true);
    refuse(&bench, "encloses");
    tac_mesh_destroy(&topology.mesh);
}

// --- ellipsoids, damping, planes --------------------------------------------------------------------------

static void make_ellipsoid(LawBench *bench, double stiffness, TacMatter *carrier) {
    TacRandom random = tac_random(7, 1);
    double x[60];
    for (int i = 0; i < 60; i++) x[i] = tac_random_between(&random, -2, 2);
    bench_law(bench, &tac_ellipsoid_force_class, bench_matter(bench, TAC_VEC3, 20, x), carrier, NULL);
    bench_reals(bench, "centers", 6, (const double[]){0.1, 0.2, 0.3, 1, 1, 1});
    bench_reals(bench, "radii", 6, (const double[]){1, 1.5, 2, 0.5, 1, 1});
    bench_real(bench, "stiffness", stiffness);
    bench_real(bench, "damping", 0);
}

static void test_ellipsoid(void **state) {
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        LawBench bench = {0};
        make_ellipsoid(&bench, inside ? -40 : 40, NULL);
        init(&bench);
        check_derivatives(&bench, false, 1e-6, 0, 1e-7);
        check_threads(&bench);
        bench_end(&bench);
    }
    // a ball pushes out by k (1 - r / R), straight
    const double x[] = {0.3, 0.4, 0, 3, 0, 0};
    LawBench bench = {0};
    bench_law(&bench, &tac_ellipsoid_force_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
    bench_reals(&bench, "centers", 3, (const double[]){0, 0, 0});
    bench_reals(&bench, "radii", 3, (const double[]){2, 2, 2});
    init(&bench);
    bench.matter[0]->vectors[TAC_V][2] = 1;
    bench_force(&bench, TAC_F);
    const double *f = bench.matter[0]->vectors[TAC_F];
    assert_true(fabs(f[0] - 500 * 0.75 * 0.6) < 1e-9 && fabs(f[1] - 500 * 0.75 * 0.8) < 1e-9);
    assert_true(fabs(f[2] + 5 * 0.75) < 1e-12 && f[3] == 0);
    bench_end(&bench);
}

// Carried by a frame, it is the same as seen from the frame.
static void test_carried_ellipsoid(void **state) {
    (void)state;
    TacQuat q = tac_quat_from_vector(tac_vec3(0.4, 0.5, -1));
    double frame[7] = {0.5, -1, 2};
    tac_store_quat(frame + 3, q);
    LawBench still = {0}, carried = {0};
    make_ellipsoid(&still, 40, NULL);
    bench_real(&still, "damping", 3);
    init(&still);
    make_ellipsoid(&carried, 40, bench_matter(&carried, TAC_RIGID3, 1, frame));
    bench_real(&carried, "damping", 3);
    init(&carried);
    assert_true(carried.law->watches);
    TacRandom random = tac_random(8, 1);
    bench_random(&still, &random, TAC_V, 1);
    double *const *a = still.matter[0]->vectors, *const *b = carried.matter[0]->vectors;
    for (size_t i = 0; i < 20; i++) {
        tac_store3(b[TAC_X] + 3 * i, tac_add(tac_load3(frame), tac_rotate(q, tac_load3(a[TAC_X] + 3 * i))));
        tac_store3(b[TAC_V] + 3 * i, tac_rotate(q, tac_load3(a[TAC_V] + 3 * i)));
    }
    bench_force(&still, TAC_F);
    bench_force(&carried, TAC_F);
    for (size_t i = 0; i < 20; i++)
        assert_true(tac_norm(tac_sub(tac_rotate(q, tac_load3(a[TAC_F] + 3 * i)),
                                     tac_load3(b[TAC_F] + 3 * i))) < 1e-12);
    // what the points do to the force, with the frame where it is
    memset(b[TAC_V], 0, 60 * sizeof(double));
    bench_random(&carried, &random, TAC_R, 1);
    memset(carried.matter[1]->vectors[TAC_R], 0, 6 * sizeof(double));
    assert_true(bench_stiffness_error(&carried, TAC_R, 1e-6) < 1e-6);
    bench_end(&still);
    bench_end(&carried);
}

static void test_damping(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 1, 1};
    const double coefficients[6] = {1, 2, 3, 4, 5, 6};
    const size_t counts[] = {1, 3, 6};
    for (int k = 0; k < 3; k++) {
        LawBench bench = {0};
        bench_law(&bench, &tac_damping_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
        bench_reals(&bench, "coefficient", counts[k], coefficients);
        init(&bench);
        TacRandom random = tac_random(9, 1);
        bench_random(&bench, &random, TAC_V, 1);
        bench_force(&bench, TAC_F);
        bench_change(&bench, TAC_V, TAC_P, 7, 2);
        for (size_t i = 0; i < 6; i++) {
            double c = coefficients[i % counts[k]], v = bench.matter[0]->vectors[TAC_V][i];
            assert_true(bench.matter[0]->vectors[TAC_F][i] == -c * v);
            assert_true(fabs(bench.matter[0]->vectors[TAC_P][i] + 2 * c * v) < 1e-15);
        }
        bench_end(&bench);
    }
    LawBench bench = {0};
    bench_law(&bench, &tac_damping_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
    bench_reals(&bench, "coefficient", 2, coefficients);
    refuse(&bench, "2 numbers");
}

// SOFA's plane: -k d n - c |d| v.
static void test_plane_with_damping_by_depth(void **state) {
    (void)state;
    const double x[] = {0, -0.25, 0, 0, 1, 0};
    LawBench bench = {0};
    bench_law(&bench, &tac_plane_class, bench_matter(&bench, TAC_VEC3, 2, x), NULL, NULL);
    bench_real(&bench, "stiffness", 500);
    bench_real(&bench, "depth_damping", 8);
    init(&bench);
    memcpy(bench.matter[0]->vectors[TAC_V], (const double[]){1, 100, -2, 5, 5, 5}, 6 * sizeof(double));
    bench_force(&bench, TAC_F);
    const double expected[6] = {-2, 125 - 200, 4, 0, 0, 0};
    for (int i = 0; i < 6; i++) assert_true(fabs(bench.matter[0]->vectors[TAC_F][i] - expected[i]) < 1e-12);
    bench_end(&bench);
}

// --- all of them ------------------------------------------------------------------------------------------

static TacTopology sheet;

static void make_big(LawBench *bench, int which) {
    static const TacClass *const classes[] = {&tac_mesh_springs_class, &tac_bending_springs_class,
                                              &tac_pressure_class, &tac_rest_springs_class};
    on_mesh(bench, classes[which], &sheet, 0.01, 5);
    if (which == 0) bench_real(bench, "triangles", 10);
    if (which == 2) bench_real(bench, "pressure", 10);
}

static void test_threads(void **state) {
    (void)state;
    assert_int_equal(tac_mesh_sheet(&sheet.mesh, 90, 80, 1, 1, NULL), TAC_OK);
    for (int which = 0; which < 4; which++) {
        LawBench bench;
        make_big(&bench, which);
        init(&bench);
        check_threads(&bench);
        bench_end(&bench);
    }
    tac_mesh_destroy(&sheet.mesh);
}

static void make_mesh_springs(LawBench *bench) {
    make_big(bench, 0);
}

static void make_bending(LawBench *bench) {
    make_big(bench, 1);
}

static void make_opposite(LawBench *bench) {
    make_big(bench, 1);
    bench_choice(bench, "way", "opposite");
}

static void make_pressure(LawBench *bench) {
    make_big(bench, 2);
}

static void make_rest(LawBench *bench) {
    make_big(bench, 3);
}

static void make_any_ellipsoid(LawBench *bench) {
    make_ellipsoid(bench, 1, NULL);
}

static void test_without_memory(void **state) {
    (void)state;
    assert_int_equal(tac_mesh_sheet(&sheet.mesh, 3, 3, 1, 1, NULL), TAC_OK);
    void (*const makes[])(LawBench *) = {make_mesh_springs, make_bending, make_opposite,
                                         make_pressure,     make_rest,    make_any_ellipsoid};
    for (size_t i = 0; i < TAC_COUNT(makes); i++) bench_try_without_memory(makes[i]);
    tac_mesh_destroy(&sheet.mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_springs_on_points),
        cmocka_unit_test(test_rest_springs_on_frames),
        cmocka_unit_test(test_rest_springs_to_other_matter),
        cmocka_unit_test(test_rest_springs_refuse),
        cmocka_unit_test(test_mesh_springs),
        cmocka_unit_test(test_hinges),
        cmocka_unit_test(test_quadratic_bending),
        cmocka_unit_test(test_bending_by_opposite_corners),
        cmocka_unit_test(test_pressure),
        cmocka_unit_test(test_pressure_on_some_faces),
        cmocka_unit_test(test_ellipsoid),
        cmocka_unit_test(test_carried_ellipsoid),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_plane_with_damping_by_depth),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
