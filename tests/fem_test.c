// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Hexahedra, triangles and further kinds of tetrahedra: against plain elements written out here,
// against closed forms of elasticity, against differences of their energies, and what every elastic law must
// do. Hyperelastic tetrahedra and beams have their own
// files.

#include "fem_checks.h"

#include "law/hexahedra.h"
#include "law/tetrahedra.h"
#include "law/triangles.h"

static const double YOUNG = 2e4, POISSON = 0.35;

// --- hexahedra --------------------------------------------------------------------------------------------

static const char *const HEX_METHODS[] = {"large", "polar", "small"};

static void make_hexahedra(LawBench *bench, const TacTopology *topology, const char *method, double poisson) {
    *bench = (LawBench){0};
    TacMatter *matter = bench_matter(bench, TAC_VEC3, topology->mesh.point_count, topology->mesh.points);
    bench_law(bench, &tac_hexahedra_class, matter, NULL, topology);
    bench_reals(bench, "young", 1, &YOUNG);
    bench_reals(bench, "poisson", 1, &poisson);
    bench_choice(bench, "method", method);
    assert_int_equal(bench_init(bench), TAC_OK);
}

// Gradients of the shape functions at a Gauss point by inverting the Jacobian; returns its determinant.
static double plain_gradients(const TacVec3 x[8], int point, TacVec3 g[8]) {
    static const int at[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                 {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    double where[3];
    for (int i = 0; i < 3; i++) where[i] = at[point][i] / sqrt(3);
    TacMat3 jacobian = {0};
    TacVec3 local[8];
    for (int c = 0; c < 8; c++) {
        double d[3];
        for (int i = 0; i < 3; i++) {
            d[i] = at[c][i] / 8.0;
            for (int j = 0; j < 3; j++)
                if (j != i) d[i] *= 1 + at[c][j] * where[j];
        }
        local[c] = tac_load3(d);
        const double corner[3] = {x[c].x, x[c].y, x[c].z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) jacobian.m[i][j] += corner[i] * d[j];
    }
    TacMat3 inverse = tac_mat3_inverse(&jacobian);
    for (int c = 0; c < 8; c++) g[c] = tac_mat3_apply_back(&inverse, local[c]);
    return tac_mat3_det(&jacobian);
}

// f -= B^T D B u, point by point, through strain and stress.
static void plain_hexahedron(const TacVec3 rest[8], const TacVec3 u[8], TacVec3 f[8]) {
    double lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), mu = YOUNG / (2 * (1 + POISSON));
    for (int point = 0; point < 8; point++) {
        TacVec3 g[8];
        double weight = plain_gradients(rest, point, g);
        TacMat3 grad = {0}, stress;
        for (int c = 0; c < 8; c++) {
            const double a[3] = {u[c].x, u[c].y, u[c].z}, b[3] = {g[c].x, g[c].y, g[c].z};
            for (int i = 0; i < 9; i++) grad.m[i / 3][i % 3] += a[i / 3] * b[i % 3];
        }
        double trace = grad.m[0][0] + grad.m[1][1] + grad.m[2][2];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                stress.m[i][j] = mu * (grad.m[i][j] + grad.m[j][i]) + (i == j ? lambda * trace : 0);
        for (int c = 0; c < 8; c++) f[c] = tac_axpy(f[c], -weight, tac_mat3_apply(&stress, g[c]));
    }
}

static TacMat3 newton_polar(TacMat3 a) {
    for (int step = 0; step < 60; step++) {
        TacMat3 inverse = tac_mat3_inverse(&a);
        for (int i = 0; i < 9; i++) a.m[i / 3][i % 3] = 0.5 * (a.m[i / 3][i % 3] + inverse.m[i % 3][i / 3]);
    }
    return a;
}

// The frame of the mean edges.
static TacMat3 plain_frame(const char *method, const TacVec3 x[8]) {
    static const int pairs[3][4][2] = {
        {{1, 0}, {2, 3}, {5, 4}, {6, 7}}, {{3, 0}, {2, 1}, {7, 4}, {6, 5}}, {{4, 0}, {5, 1}, {6, 2}, {7, 3}}};
    TacVec3 e[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 3; i++)
        for (int p = 0; p < 4; p++) e[i] = tac_add(e[i], tac_sub(x[pairs[i][p][0]], x[pairs[i][p][1]]));
    TacMat3 columns = {{{e[0].x, e[1].x, e[2].x}, {e[0].y, e[1].y, e[2].y}, {e[0].z, e[1].z, e[2].z}}};
    if (strcmp(method, "polar") == 0) return newton_polar(columns);
    TacVec3 a = tac_unit(e[0]), c = tac_unit(tac_cross(a, e[1])), b = tac_cross(c, a);
    return (TacMat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

// Forces (or changes, from TAC_Q) of all elements, one by one.
static void plain_hexahedra(LawBench *bench, const TacTopology *topology, const char *method, bool changes,
                            double *to) {
    double *const *all = bench->matter[0]->vectors;
    bool small = strcmp(method, "small") == 0;
    for (size_t e = 0; e < topology->mesh.elements[TAC_HEXAHEDRA].count; e++) {
        const int32_t *v = topology->mesh.elements[TAC_HEXAHEDRA].indices + 8 * e;
        TacVec3 rest[8], x[8], u[8], f[8] = {0}, local[8];
        for (int c = 0; c < 8; c++) {
            rest[c] = tac_load3(all[TAC_X_REST] + 3 * v[c]);
            x[c] = tac_load3(all[TAC_X] + 3 * v[c]);
        }
        TacMat3 frame = plain_frame(method, small ? rest : x), rest_frame = plain_frame(method, rest);
        for (int c = 0; c < 8; c++) {
            local[c] = tac_mat3_apply_back(&rest_frame, rest[c]);
            u[c] = tac_mat3_apply_back(&frame, changes ? tac_load3(all[TAC_Q] + 3 * v[c]) : x[c]);
            if (!changes) u[c] = tac_sub(u[c], local[c]);
        }
        plain_hexahedron(local, u, f);
        for (int c = 0; c < 8; c++) tac_add3(to + 3 * v[c], tac_mat3_apply(&frame, f[c]));
    }
}

static const int CUBE[3] = {3, 3, 3};

static void hexahedra_match_a_plain_element(void **state) {
    (void)state;
    TacRandom random = tac_random(31, 1);
    for (int shaken = 0; shaken < 2; shaken++)
        for (size_t m = 0; m < TAC_COUNT(HEX_METHODS); m++) {
            TacTopology topology;
            make_block(&topology, CUBE, tac_vec3(1, 1.3, 0.8), shaken ? 0.2 : 0, false, &random);
            LawBench bench;
            make_hexahedra(&bench, &topology, HEX_METHODS[m], POISSON);
            // corner elements of a shaken block keep seven corners: none is a box
            assert_int_equal(((TacHexahedra *)bench.law)->odd_count, shaken ? 27 : 0);
            TacMat3 turn = random_rotation(&random), stretch = random_stretch(&random, 0.2),
                    a = tac_mat3_mul(&turn, &stretch);
            deform(&bench, &random, &a, 0.03);
            bench_random(&bench, &random, TAC_Q, 1);
            bench_force(&bench, TAC_F);
            bench_change(&bench, TAC_Q, TAC_P, 0.6, 123);
            double *const *all = bench.matter[0]->vectors;
            plain_hexahedra(&bench, &topology, HEX_METHODS[m], false, all[TAC_A]);
            plain_hexahedra(&bench, &topology, HEX_METHODS[m], true, all[TAC_B]);
            double force = bench_norm(&bench, TAC_F), change = bench_norm(&bench, TAC_P);
            assert_true(force > 1 && change > 1);
            for (size_t i = 0; i < 3 * bench.matter[0]->count; i++) {
                assert_true(fabs(all[TAC_F][i] - all[TAC_A][i]) < 1e-12 * force);
                assert_true(fabs(all[TAC_P][i] - 0.6 * all[TAC_B][i]) < 1e-12 * change);
            }
            expect_matrix_as_changes(&bench, &random);
            bench_end(&bench);
            tac_mesh_destroy(&topology.mesh);
        }
}

static void hexahedra_have_an_energy(void **state) {
    (void)state;
    TacRandom random = tac_random(32, 1);
    TacTopology topology;
    make_block(&topology, CUBE, tac_vec3(1, 1, 1), 0.2, false, &random);
    LawBench bench;
    make_hexahedra(&bench, &topology, "small", POISSON);
    bench_random(&bench, &random, TAC_Q, 1);
    TacMat3 stretch = random_stretch(&random, 0.3);
    deform(&bench, &random, &stretch, 0.1);
    assert_true(bench_gradient_error(&bench, TAC_Q, 1e-6) < 1e-7);
    assert_true(bench_stiffness_error(&bench, TAC_Q, 1e-3) < 1e-9);
    bench_end(&bench);
    // turned far and strained little, what the frames leave out is in proportion to the strain
    for (size_t m = 0; m < 2; m++) {
        double errors[2];
        for (int i = 0; i < 2; i++) {
            TacRandom same = tac_random(33, m);
            make_hexahedra(&bench, &topology, HEX_METHODS[m], POISSON);
            TacMat3 turn = random_rotation(&same);
            deform(&bench, &same, &turn, i ? 1e-4 : 1e-3);
            bench_random(&bench, &same, TAC_Q, 1);
            errors[i] = bench_gradient_error(&bench, TAC_Q, i ? 1e-7 : 1e-6);
            bench_end(&bench);
        }
        assert_true(errors[0] < 0.02 && errors[1] < 0.2 * errors[0]);
    }
    tac_mesh_destroy(&topology.mesh);
}

static void hexahedra_turn_freely_and_balance(void **state) {
    (void)state;
    TacRandom random = tac_random(34, 1);
    for (int shaken = 0; shaken < 2; shaken++)
        for (size_t m = 0; m < 2; m++) {
            TacTopology topology;
            make_block(&topology, CUBE, tac_vec3(1, 1, 2), shaken ? 0.2 : 0, false, &random);
            LawBench bench;
            make_hexahedra(&bench, &topology, HEX_METHODS[m], POISSON);
            TacMat3 stretch = random_stretch(&random, 0.5);
            deform(&bench, &random, &stretch, 0.1);
            bench_force(&bench, TAC_F);
            double scale = bench_norm(&bench, TAC_F);
            assert_true(tac_norm(resultant(&bench, TAC_F)) < 1e-12 * scale);
            for (int trial = 0; trial < 20; trial++) {
                TacMat3 turn = random_rotation(&random);
                deform(&bench, &random, &turn, 0);
                bench_force(&bench, TAC_F);
                assert_true(bench_norm(&bench, TAC_F) < 1e-12 * scale);
                assert_true(bench_energy(&bench) < 1e-24 * scale);
            }
            // squeezed to a line and to a point
            for (int flat = 0; flat < 2; flat++) {
                TacMat3 line = {{{0.5, 0, 0}, {0.5, 0, 0}, {0, 0, 0}}}, point = {0};
                deform(&bench, &random, flat ? &line : &point, 0);
                bench_force(&bench, TAC_F);
                assert_true(bench_finite(&bench, TAC_F) && isfinite(bench_energy(&bench)));
            }
            bench_end(&bench);
            tac_mesh_destroy(&topology.mesh);
        }
}

// Any even strain leaves inner points at rest, however the elements are shaped.
static void hexahedra_pass_the_patch_test(void **state) {
    (void)state;
    TacRandom random = tac_random(35, 1);
    TacTopology topology;
    make_block(&topology, CUBE, tac_vec3(1, 1, 1), 0.25, false, &random);
    LawBench bench;
    make_hexahedra(&bench, &topology, "small", POISSON);
    TacMat3 stretch = random_stretch(&random, 0.2);
    deform(&bench, &random, &stretch, 0);
    bench_force(&bench, TAC_F);
    double scale = bench_norm(&bench, TAC_F);
    size_t inner = 0;
    for (size_t p = 0; p < bench.matter[0]->count; p++) {
        const double *x = topology.mesh.points + 3 * p;
        bool inside = true;
        for (int i = 0; i < 3; i++) inside &= x[i] > 0 && x[i] < 1;
        if (inside) assert_true(tac_norm(tac_load3(bench.matter[0]->vectors[TAC_F] + 3 * p)) < 1e-12 * scale);
        inner += inside;
    }
    assert_int_equal(inner, 8);
    bench_end(&bench);
    tac_mesh_destroy(&topology.mesh);
}

// The tip of a cantilever of square section under an end load, over Timoshenko's beam.
static double cantilever_ratio(int refine) {
    TacRandom random = tac_random(36, 1);
    TacTopology topology;
    double length = 8, side = 1, load = 1e-3;
    const int n[3] = {8 * refine, refine, refine};
    make_block(&topology, n, tac_vec3(length, side, side), 0, false, &random);
    LawBench bench;
    make_hexahedra(&bench, &topology, "large", 0);
    bench_force(&bench, TAC_F);
    TacMatrix matrix = make_matrix(&bench, -1);
    bool *held = bench_take(&bench, matrix.n, sizeof *held);
    double *f = bench_take(&bench, matrix.n, sizeof *f), *u = bench_take(&bench, matrix.n, sizeof *u),
           tip = 0;
    size_t ends = 0;
    for (size_t p = 0; p < bench.matter[0]->count; p++) {
        double x = topology.mesh.points[3 * p];
        for (size_t i = 0; i < 3; i++) held[3 * p + i] = x < 1e-9;
        ends += x > length - 1e-9;
    }
    for (size_t p = 0; p < bench.matter[0]->count; p++)
        if (topology.mesh.points[3 * p] > length - 1e-9) f[3 * p + 1] = load / (double)ends;
    solve_free(&matrix, held, f, u);
    for (size_t p = 0; p < bench.matter[0]->count; p++)
        if (topology.mesh.points[3 * p] > length - 1e-9) tip += u[3 * p + 1] / (double)ends;
    bench_end(&bench);
    tac_mesh_destroy(&topology.mesh);
    double inertia = side * side * side * side / 12, shear = YOUNG / 2;
    return tip / (load * length * length * length / (3 * YOUNG * inertia) +
                  load * length / (shear * 5.0 / 6 * side * side));
}

static void hexahedra_bend_as_beams_do(void **state) {
    (void)state;
    double coarse = cantilever_ratio(1), fine = cantilever_ratio(2), error = 1 - fine;
    print_message("tip over theory: %.4f with 8, %.4f with 64 elements\n", coarse, fine);
    // linear elements are too stiff in bending, by the square of their size
    assert_true(coarse < fine && fine < 1);
    assert_true((1 - coarse) / coarse / (error / fine) > 3.5 && (1 - coarse) / coarse / (error / fine) < 4.5);
}

// --- triangles --------------------------------------------------------------------------------------------

static const double THICKNESS = 0.02;
static const char *const TRI_METHODS[] = {"polar", "large", "small"};

static void make_triangles(LawBench *bench, const TacTopology *topology, const char *method, bool now) {
    *bench = (LawBench){0};
    TacMatter *matter = bench_matter(bench, TAC_VEC3, topology->mesh.point_count, topology->mesh.points);
    bench_law(bench, &tac_triangles_class, matter, NULL, topology);
    bench_reals(bench, "young", 1, &YOUNG);
    bench_reals(bench, "poisson", 1, &POISSON);
    bench_reals(bench, "thickness", 1, &THICKNESS);
    bench_choice(bench, "method", method);
    bench_bool(bench, "shape_now", now);
    assert_int_equal(bench_init(bench), TAC_OK);
}

static const int SHEET[3] = {4, 3, 0};

// Force of one triangle by its 3x6 strain-displacement matrix, in the frame of its first edge.
static void plain_triangle(const TacVec3 rest[3], const TacVec3 x[3], bool now, TacVec3 f[3]) {
    TacVec3 e0 = tac_unit(tac_sub(x[1], x[0]));
    TacVec3 normal = tac_unit(tac_cross(e0, tac_sub(x[2], x[0]))), e1 = tac_cross(normal, e0);
    TacVec3 r0 = tac_unit(tac_sub(rest[1], rest[0]));
    TacVec3 rest_normal = tac_unit(tac_cross(r0, tac_sub(rest[2], rest[0]))), r1 = tac_cross(rest_normal, r0);
    double p[3][2], q[3][2], u[6], b[3][6] = {{0}};
    for (int c = 0; c < 3; c++) {
        p[c][0] = tac_dot(r0, tac_sub(rest[c], rest[0]));
        p[c][1] = tac_dot(r1, tac_sub(rest[c], rest[0]));
        q[c][0] = tac_dot(e0, tac_sub(x[c], x[0]));
        q[c][1] = tac_dot(e1, tac_sub(x[c], x[0]));
        u[2 * c] = q[c][0] - p[c][0];
        u[2 * c + 1] = q[c][1] - p[c][1];
    }
    double(*s)[2] = now ? q : p;
    double twice = (s[1][0] - s[0][0]) * (s[2][1] - s[0][1]) - (s[2][0] - s[0][0]) * (s[1][1] - s[0][1]);
    double rest_area = 0.5 * p[1][0] * p[2][1];
    for (int c = 0; c < 3; c++) {
        int i = (c + 1) % 3, j = (c + 2) % 3;
        b[0][2 * c] = b[2][2 * c + 1] = (s[i][1] - s[j][1]) / twice;
        b[1][2 * c + 1] = b[2][2 * c] = (s[j][0] - s[i][0]) / twice;
    }
    double factor = YOUNG / (1 - POISSON * POISSON), stress[3], e[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++) e[i] += b[i][j] * u[j];
    stress[0] = factor * (e[0] + POISSON * e[1]);
    stress[1] = factor * (e[1] + POISSON * e[0]);
    stress[2] = factor * 0.5 * (1 - POISSON) * e[2];
    for (int c = 0; c < 3; c++) {
        double local[2] = {0, 0};
        for (int k = 0; k < 6; k++) local[k % 2] -= b[k / 2][2 * c + k % 2] * stress[k / 2];
        f[c] = tac_scale(tac_add(tac_scale(e0, local[0]), tac_scale(e1, local[1])), THICKNESS * rest_area);
    }
}

static void triangles_match_a_plain_element(void **state) {
    (void)state;
    TacRandom random = tac_random(41, 1);
    for (int now = 0; now < 2; now++) {
        TacTopology topology;
        make_block(&topology, SHEET, tac_vec3(1, 1, 0), 0.2, true, &random);
        LawBench bench;
        make_triangles(&bench, &topology, "large", now);
        TacMat3 turn = random_rotation(&random), stretch = random_stretch(&random, 0.2),
                a = tac_mat3_mul(&turn, &stretch);
        deform(&bench, &random, &a, 0.03);
        bench_force(&bench, TAC_F);
        double *const *all = bench.matter[0]->vectors;
        for (size_t e = 0; e < topology.mesh.elements[TAC_TRIANGLES].count; e++) {
            const int32_t *v = topology.mesh.elements[TAC_TRIANGLES].indices + 3 * e;
            TacVec3 rest[3], x[3], f[3];
            for (int c = 0; c < 3; c++) {
                rest[c] = tac_load3(all[TAC_X_REST] + 3 * v[c]);
                x[c] = tac_load3(all[TAC_X] + 3 * v[c]);
            }
            plain_triangle(rest, x, now, f);
            for (int c = 0; c < 3; c++) tac_add3(all[TAC_A] + 3 * v[c], f[c]);
        }
        double force = bench_norm(&bench, TAC_F);
        assert_true(force > 1e-3);
        for (size_t i = 0; i < 3 * bench.matter[0]->count; i++)
            assert_true(fabs(all[TAC_F][i] - all[TAC_A][i]) < 1e-12 * force);
        expect_matrix_as_changes(&bench, &random);
        bench_end(&bench);
        tac_mesh_destroy(&topology.mesh);
    }
}

static void triangles_have_an_energy_and_balance(void **state) {
    (void)state;
    TacRandom random = tac_random(42, 1);
    TacTopology topology;
    make_block(&topology, SHEET, tac_vec3(1, 1, 0), 0.2, true, &random);
    for (size_t m = 0; m < TAC_COUNT(TRI_METHODS); m++) {
        LawBench bench;
        make_triangles(&bench, &topology, TRI_METHODS[m], false);
        TacMat3 turn = random_rotation(&random), stretch = random_stretch(&random, 0.2),
                a = tac_mat3_mul(&turn, &stretch);
        bool small = strcmp(TRI_METHODS[m], "small") == 0, large = strcmp(TRI_METHODS[m], "large") == 0;
        deform(&bench, &random, small ? &stretch : &a, 0.03);
        bench_random(&bench, &random, TAC_Q, 1);
        if (!large) assert_true(bench_gradient_error(&bench, TAC_Q, 1e-6) < 1e-6);
        if (small) assert_true(bench_stiffness_error(&bench, TAC_Q, 1e-3) < 1e-9);
        bench_force(&bench, TAC_F);
        double scale = bench_norm(&bench, TAC_F);
        assert_true(tac_norm(resultant(&bench, TAC_F)) < 1e-12 * scale);
        if (!large && !small) assert_true(tac_norm(torque(&bench, TAC_F)) < 1e-11 * scale);
        for (int trial = 0; trial < 10 && !small; trial++) {
            turn = random_rotation(&random);
            deform(&bench, &random, &turn, 0);
            bench_force(&bench, TAC_F);
            assert_true(bench_norm(&bench, TAC_F) < 1e-12 * scale);
        }
        // folded up to a line, to a point, and turned inside out
        TacMat3 line = {{{0.5, 0.2, 0}, {0.5, 0.2, 0}, {0, 0, 0}}}, point = {0};
        deform(&bench, &random, m % 2 ? &line : &point, 0);
        bench_force(&bench, TAC_F);
        assert_true(bench_finite(&bench, TAC_F) && isfinite(bench_energy(&bench)));
        bench_end(&bench);
    }
    tac_mesh_destroy(&topology.mesh);
}

// A strip pulled along x with its width free to shrink: the pull is E times strain times section.
static void triangles_pull_as_strips_do(void **state) {
    (void)state;
    TacRandom random = tac_random(43, 1);
    TacTopology topology;
    make_block(&topology, SHEET, tac_vec3(2, 0.5, 0), 0.2, true, &random);
    double strain = 1e-3;
    for (size_t m = 0; m < TAC_COUNT(TRI_METHODS); m++) {
        LawBench bench;
        make_triangles(&bench, &topology, TRI_METHODS[m], false);
        TacMat3 stretch = {{{1 + strain, 0, 0}, {0, 1 - POISSON * strain, 0}, {0, 0, 1}}};
        deform(&bench, &random, &stretch, 0);
        bench_force(&bench, TAC_F);
        double pull = 0, side = 0;
        for (size_t p = 0; p < bench.matter[0]->count; p++) {
            const double *f = bench.matter[0]->vectors[TAC_F] + 3 * p, *x = topology.mesh.points + 3 * p;
            if (x[0] > 2 - 1e-9) pull -= f[0];
            side = fmax(side, fabs(f[1]));
        }
        double expected = YOUNG * strain * THICKNESS * 0.5;
        // frames along edges turn by as much as the strain
        double within = expected * (strcmp(TRI_METHODS[m], "large") == 0 ? 2 * strain : 1e-9);
        assert_true(fabs(pull - expected) < within && side < within);
        assert_true(fabs(bench_energy(&bench) - 0.5 * expected * strain * 2) < within);
        bench_end(&bench);
    }
    tac_mesh_destroy(&topology.mesh);
}

// --- tetrahedra: edges and plasticity ---------------------------------------------------------------------

static void make_tetrahedra(LawBench *bench, const TacTopology *topology, const char *method) {
    *bench = (LawBench){0};
    TacMatter *matter = bench_matter(bench, TAC_VEC3, topology->mesh.point_count, topology->mesh.points);
    bench_law(bench, &tac_tetrahedra_class, matter, NULL, topology);
    bench_reals(bench, "young", 1, &YOUNG);
    bench_reals(bench, "poisson", 1, &POISSON);
    bench_choice(bench, "method", method);
}

static TacMat3 edges_of(const double *x, const int32_t *v) {
    TacMat3 edges;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) edges.m[i][c] = x[3 * v[c + 1] + i] - x[3 * v[0] + i];
    return edges;
}

// sigma = 2 mu e + lambda tr(e), e = sym(R^T F) - I, R from the polar rotations of the edges.
static void tetrahedra_turn_with_their_edges(void **state) {
    (void)state;
    TacRandom random = tac_random(61, 1);
    TacTopology topology;
    make_block(&topology, CUBE, tac_vec3(1, 1, 1), 0.2, true, &random);
    // every other element inside out
    for (size_t e = 0; e < topology.mesh.elements[TAC_TETRAHEDRA].count; e += 2) {
        int32_t *v = topology.mesh.elements[TAC_TETRAHEDRA].indices + 4 * e, swapped = v[2];
        v[2] = v[3];
        v[3] = swapped;
    }
    LawBench bench;
    make_tetrahedra(&bench, &topology, "edges");
    assert_int_equal(bench_init(&bench), TAC_OK);
    TacMat3 turn = random_rotation(&random), stretch = random_stretch(&random, 0.2),
            a = tac_mat3_mul(&turn, &stretch);
    deform(&bench, &random, &a, 0.02);
    bench_force(&bench, TAC_F);
    double *const *all = bench.matter[0]->vectors;
    double lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), mu = YOUNG / (2 * (1 + POISSON));
    for (size_t e = 0; e < topology.mesh.elements[TAC_TETRAHEDRA].count; e++) {
        const int32_t *v = topology.mesh.elements[TAC_TETRAHEDRA].indices + 4 * e;
        TacMat3 rest = edges_of(all[TAC_X_REST], v), now = edges_of(all[TAC_X], v);
        TacMat3 inverse = tac_mat3_inverse(&rest), f = tac_mat3_mul(&now, &inverse);
        TacMat3 first = newton_polar(rest), last = newton_polar(now), back = tac_mat3_transpose(&first);
        TacMat3 r = tac_mat3_mul(&last, &back), rt = tac_mat3_transpose(&r), s = tac_mat3_mul(&rt, &f), p;
        double trace = s.m[0][0] + s.m[1][1] + s.m[2][2] - 3, volume = fabs(tac_mat3_det(&rest)) / 6;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                p.m[i][j] = mu * (s.m[i][j] + s.m[j][i]) + (i == j ? lambda * trace - 2 * mu : 0);
        TacMat3 stress = tac_mat3_mul(&r, &p);
        for (int c = 0; c < 3; c++) {
            TacVec3 g = {inverse.m[c][0], inverse.m[c][1], inverse.m[c][2]};
            TacVec3 force = tac_scale(tac_mat3_apply(&stress, g), -volume);
            tac_add3(all[TAC_A] + 3 * v[c + 1], force);
            tac_add3(all[TAC_A] + 3 * v[0], tac_scale(force, -1));
        }
    }
    double force = bench_norm(&bench, TAC_F);
    for (size_t i = 0; i < 3 * bench.matter[0]->count; i++)
        assert_true(fabs(all[TAC_F][i] - all[TAC_A][i]) < 1e-11 * force);
    bench_end(&bench);
    tac_mesh_destroy(&topology.mesh);
}

// Stretched along x with its sides held, then let go.
static void plastic_tetrahedra_keep_some_strain(void **state) {
    (void)state;
    TacRandom random = tac_random(62, 1);
    TacTopology topology;
    const int one[3] = {1, 1, 1};
    make_block(&topology, one, tac_vec3(1, 1, 1), 0, true, &random);
    const double strains[] = {0.004, 0.016, 0.5}, yield = 0.005, limit = 0.1, creep = 0.25;
    for (int s = 0; s < 3; s++) {
        LawBench bench;
        make_tetrahedra(&bench, &topology, "polar");
        bench_real(&bench, "plastic_yield", yield);
        bench_real(&bench, "plastic_limit", limit);
        bench_real(&bench, "plastic_creep", creep);
        assert_int_equal(bench_init(&bench), TAC_OK);
        double e = strains[s], kept = e > yield ? fmin(creep * e, limit) : 0;
        TacMat3 stretch = {{{1 + e, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, still = tac_mat3_identity();
        double lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)),
               mu = YOUNG / (2 * (1 + POISSON));
        for (int time = 1; time < 3; time++) {
            // at the same instant nothing more flows
            for (int again = 0; again < 2; again++) {
                bench.context.time = time;
                deform(&bench, &random, time == 1 ? &stretch : &still, 0);
                bench_force(&bench, TAC_F);
                double pull = 0, left = (time == 1 ? e : 0) - kept;
                for (size_t p = 0; p < 8; p++)
                    if (topology.mesh.points[3 * p] > 0.5) pull -= bench.matter[0]->vectors[TAC_F][3 * p];
                if (kept >= limit) {
                    // the norm of what is kept depends on the elements' axes, by the root of 2; it flows back
                    double most = (lambda + 2 * mu) * (e - limit / sqrt(2.0));
                    assert_true(time == 2 ? pull < 0 : pull > (lambda + 2 * mu) * left && pull < most);
                    continue;
                }
                assert_true(fabs(pull - (lambda + 2 * mu) * left) < 1e-9 * YOUNG);
                assert_true(fabs(bench_energy(&bench) - 0.5 * (lambda + 2 * mu) * left * left) <
                            1e-9 * YOUNG);
            }
        }
        bench_end(&bench);
    }
    tac_mesh_destroy(&topology.mesh);
}

// --- setting up -------------------------------------------------------------------------------------------

static TacTopology shared; // of laws that are made without memory

static void hexahedra_to_be(LawBench *bench) {
    TacMatter *matter = bench_matter(bench, TAC_VEC3, shared.mesh.point_count, shared.mesh.points);
    bench_law(bench, &tac_hexahedra_class, matter, NULL, &shared);
    bench_reals(bench, "young", 1, &YOUNG);
}

static void triangles_to_be(LawBench *bench) {
    TacMatter *matter = bench_matter(bench, TAC_VEC3, shared.mesh.point_count, shared.mesh.points);
    bench_law(bench, &tac_triangles_class, matter, NULL, &shared);
    bench_reals(bench, "young", 1, &YOUNG);
}

static void edges_to_be(LawBench *bench) {
    TacMatter *matter = bench_matter(bench, TAC_VEC3, shared.mesh.point_count, shared.mesh.points);
    bench_law(bench, &tac_tetrahedra_class, matter, NULL, &shared);
    bench_reals(bench, "young", 1, &YOUNG);
    bench_choice(bench, "method", "edges");
    bench_real(bench, "plastic_limit", 1);
}

static void laws_without_memory_say_so(void **state) {
    (void)state;
    TacRandom random = tac_random(71, 1);
    const int few[3] = {2, 2, 2}, sheet[3] = {3, 3, 0}, many[3] = {13, 13, 13};
    make_block(&shared, few, tac_vec3(1, 1, 1), 0.2, false, &random);
    bench_try_without_memory(hexahedra_to_be);
    tac_mesh_destroy(&shared.mesh);
    make_block(&shared, many, tac_vec3(1, 1, 1), 0, false, &random);
    bench_try_without_memory(hexahedra_to_be);
    tac_mesh_destroy(&shared.mesh);
    make_block(&shared, few, tac_vec3(1, 1, 1), 0, true, &random);
    bench_try_without_memory(edges_to_be);
    tac_mesh_destroy(&shared.mesh);
    // quads, which are split
    make_block(&shared, sheet, tac_vec3(1, 1, 0), 0, false, &random);
    bench_try_without_memory(triangles_to_be);
    tac_mesh_destroy(&shared.mesh);
}

static void expect_refusal(void (*make)(LawBench *bench), const char *attribute, double value,
                           const char *says) {
    LawBench bench = {0};
    make(&bench);
    if (attribute) bench_reals(&bench, attribute, 1, &value);
    assert_int_equal(bench_init(&bench), TAC_BAD_INPUT);
    if (!strstr(bench.error.message, says)) fail_msg("\"%s\" does not say \"%s\"", bench.error.message, says);
    bench_end(&bench);
}

static void bad_elements_are_refused(void **state) {
    (void)state;
    TacRandom random = tac_random(72, 1);
    const int one[3] = {1, 1, 1}, sheet[3] = {2, 2, 0};
    make_block(&shared, one, tac_vec3(1, 1, 1), 0, false, &random);
    expect_refusal(hexahedra_to_be, "poisson", 0.5, "below 0.5");
    expect_refusal(triangles_to_be, NULL, 0, "needs triangles");
    double *top = shared.mesh.points + 3 * 7;
    double kept[3] = {top[0], top[1], top[2]};
    top[0] = top[1] = 0.2;
    top[2] = -3;
    expect_refusal(hexahedra_to_be, NULL, 0, "folded");
    memcpy(top, kept, sizeof kept);
    for (int p = 0; p < 8; p++) shared.mesh.points[3 * p + 2] = 0;
    expect_refusal(hexahedra_to_be, NULL, 0, "flat at rest");
    shared.mesh.elements[TAC_HEXAHEDRA].indices[3] = 8;
    expect_refusal(hexahedra_to_be, NULL, 0, "has corner 8");
    tac_mesh_destroy(&shared.mesh);

    make_block(&shared, sheet, tac_vec3(1, 1, 0), 0, true, &random);
    expect_refusal(hexahedra_to_be, NULL, 0, "needs hexahedra");
    expect_refusal(triangles_to_be, "poisson", 1, "below 1");
    shared.mesh.points[3 * 4] = shared.mesh.points[3 * 3];
    shared.mesh.points[3 * 4 + 1] = shared.mesh.points[3 * 3 + 1];
    expect_refusal(triangles_to_be, NULL, 0, "flat at rest");
    tac_mesh_destroy(&shared.mesh);
}

// Hexahedra whose bottom and top are exchanged are the same solid.
static void hexahedra_inside_out_are_turned_round(void **state) {
    (void)state;
    TacRandom random = tac_random(73, 1);
    const int one[3] = {1, 1, 1};
    make_block(&shared, one, tac_vec3(1, 1, 1), 0, false, &random);
    int32_t *v = shared.mesh.elements[TAC_HEXAHEDRA].indices, swapped[8];
    for (int run = 0; run < 2; run++) {
        LawBench bench = {0};
        hexahedra_to_be(&bench);
        assert_int_equal(bench_init(&bench), TAC_OK);
        assert_int_equal(bench.setup.warning[0] != 0, run);
        bench.matter[0]->vectors[TAC_X][0] -= 0.1;
        bench_force(&bench, TAC_F);
        static double first[24];
        for (size_t i = 0; i < 24; i++) {
            if (!run) first[i] = bench.matter[0]->vectors[TAC_F][i];
            assert_true(fabs(bench.matter[0]->vectors[TAC_F][i] - first[i]) < 1e-9 * YOUNG);
        }
        bench_end(&bench);
        for (int c = 0; c < 8; c++) swapped[c] = v[(c + 4) % 8];
        memcpy(v, swapped, sizeof swapped);
    }
    tac_mesh_destroy(&shared.mesh);
}

// --- threads ----------------------------------------------------------------------------------------------

static void elements_give_the_same_bits_on_every_team(void **state) {
    (void)state;
    TacRandom random = tac_random(81, 1);
    const int block[3] = {14, 14, 14}, sheet[3] = {60, 60, 0};
    LawBench bench;
    for (size_t m = 0; m < 2; m++) {
        // boxes, and shapes of all kinds
        make_block(&shared, block, tac_vec3(1, 1, 1), m ? 0.1 : 0, false, &random);
        make_hexahedra(&bench, &shared, HEX_METHODS[m], POISSON);
        TacMat3 a = random_stretch(&random, 0.2);
        deform(&bench, &random, &a, 0.01);
        expect_same_bits(&bench, &random);
        bench_end(&bench);
        tac_mesh_destroy(&shared.mesh);
    }
    make_block(&shared, sheet, tac_vec3(1, 1, 0), 0.1, true, &random);
    make_triangles(&bench, &shared, "polar", false);
    TacMat3 a = random_stretch(&random, 0.2);
    deform(&bench, &random, &a, 0.01);
    expect_same_bits(&bench, &random);
    bench_end(&bench);
    tac_mesh_destroy(&shared.mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hexahedra_match_a_plain_element),
        cmocka_unit_test(hexahedra_have_an_energy),
        cmocka_unit_test(hexahedra_turn_freely_and_balance),
        cmocka_unit_test(hexahedra_pass_the_patch_test),
        cmocka_unit_test(hexahedra_bend_as_beams_do),
        cmocka_unit_test(triangles_match_a_plain_element),
        cmocka_unit_test(triangles_have_an_energy_and_balance),
        cmocka_unit_test(triangles_pull_as_strips_do),
        cmocka_unit_test(tetrahedra_turn_with_their_edges),
        cmocka_unit_test(plastic_tetrahedra_keep_some_strain),
        cmocka_unit_test(laws_without_memory_say_so),
        cmocka_unit_test(bad_elements_are_refused),
        cmocka_unit_test(hexahedra_inside_out_are_turned_round),
        cmocka_unit_test(elements_give_the_same_bits_on_every_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
