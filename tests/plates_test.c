// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Plates against closed forms: uniform strain in their plane, uniform shear out of it; and what every elastic law must
// do. They are linear, so changes of force are exact everywhere.

#include "fem_checks.h"

static const double YOUNG = 300, POISSON = 0.3, THICKNESS = 0.2, WIDE = 3, HIGH = 2;

typedef struct Sheet {
    LawBench bench;
    TacTopology topology;
} Sheet;

// A sheet of nx x ny quads, turned by q.
static void make_sheet(Sheet *sheet, int nx, int ny, TacQuat q, const char *axes) {
    *sheet = (Sheet){0};
    const size_t counts[TAC_ELEMENT_KINDS] = {[TAC_QUADS] = (size_t)(nx * ny)};
    TacMesh *mesh = &sheet->topology.mesh;
    assert_int_equal(tac_mesh_create(mesh, (size_t)((nx + 1) * (ny + 1)), counts, NULL), TAC_OK);
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= nx; i++)
            tac_store3(mesh->points + 3 * (i + (nx + 1) * j),
                       tac_rotate(q, tac_vec3(WIDE * i / nx, HIGH * j / ny, 0)));
    for (int e = 0; e < nx * ny; e++) {
        int32_t a = e % nx + (nx + 1) * (e / nx);
        const int32_t quad[4] = {a, a + 1, a + nx + 2, a + nx + 1};
        memcpy(mesh->elements[TAC_QUADS].indices + 4 * e, quad, sizeof quad);
    }
    bench_law(&sheet->bench, &tac_plates_class,
              bench_matter(&sheet->bench, TAC_VEC3, mesh->point_count, mesh->points), NULL, &sheet->topology);
    bench_reals(&sheet->bench, "young", 1, &YOUNG);
    bench_reals(&sheet->bench, "poisson", 1, &POISSON);
    bench_reals(&sheet->bench, "thickness", 1, &THICKNESS);
    bench_choice(&sheet->bench, "axes", axes);
}

static void end_sheet(Sheet *sheet) {
    bench_end(&sheet->bench);
    tac_mesh_destroy(&sheet->topology.mesh);
}

static TacQuat tilt(void) {
    return tac_quat_from_vector(tac_vec3(0.7, -0.4, 1.1));
}

// u = (xx x + xy y, yy y, wx x + wy y) in the sheet's axes.
static void strain(Sheet *sheet, TacQuat q, double xx, double yy, double xy, double wx, double wy) {
    double *const *all = sheet->bench.matter[0]->vectors;
    for (size_t i = 0; i < sheet->bench.matter[0]->count; i++) {
        TacVec3 p = tac_rotate_back(q, tac_load3(all[TAC_X_REST] + 3 * i));
        TacVec3 u = tac_vec3(xx * p.x + xy * p.y, yy * p.y, wx * p.x + wy * p.y);
        tac_store3(all[TAC_X] + 3 * i, tac_add(tac_load3(all[TAC_X_REST] + 3 * i), tac_rotate(q, u)));
    }
}

static void uniform_strain_has_its_energy(void **state) {
    (void)state;
    const double shear = YOUNG / (2 * (1 + POISSON)), volume = WIDE * HIGH * THICKNESS;
    const double plane = YOUNG / (1 - POISSON * POISSON);
    const double cases[][5] = {{0.1, 0, 0, 0, 0},
                               {0, 0.2, 0, 0, 0},
                               {0, 0, 0.1, 0, 0},
                               {0, 0, 0, 0.3, 0},
                               {0.1, -0.2, 0.3, 0.2, 0.1}};
    for (size_t i = 0; i < 5; i++)
        for (int world = 0; world < 2; world++) {
            const double *c = cases[i];
            TacQuat q = world ? tac_quat_identity() : tilt();
            Sheet sheet;
            make_sheet(&sheet, 4, 3, q, world ? "world" : "own");
            assert_int_equal(bench_init(&sheet.bench), TAC_OK);
            strain(&sheet, q, c[0], c[1], c[2], c[3], c[4]);
            double wanted = 0.5 * volume *
                            (plane * (c[0] * c[0] + c[1] * c[1] + 2 * POISSON * c[0] * c[1]) +
                             shear * c[2] * c[2] + 5.0 / 6 * shear * (c[3] * c[3] + c[4] * c[4]));
            double found = bench_energy(&sheet.bench);
            if (!(fabs(found - wanted) < 1e-11 * wanted)) fail_msg("case %zu: %g, not %g", i, found, wanted);
            // no force on inner points, none altogether
            bench_force(&sheet.bench, TAC_F);
            assert_true(tac_norm(tac_load3(sheet.bench.matter[0]->vectors[TAC_F] + 3 * 6)) < 1e-10);
            assert_true(tac_norm(resultant(&sheet.bench, TAC_F)) < 1e-10);
            end_sheet(&sheet);
        }
}

static void forces_are_gradients_and_changes_derivatives(void **state) {
    (void)state;
    TacRandom random = tac_random(4, 1);
    Sheet sheet;
    make_sheet(&sheet, 5, 4, tilt(), "own");
    assert_int_equal(bench_init(&sheet.bench), TAC_OK);
    for (int round = 0; round < 5; round++) {
        bench_random(&sheet.bench, &random, TAC_Q, 1);
        bench_move(&sheet.bench, TAC_Q, 0.1);
        bench_random(&sheet.bench, &random, TAC_Q, 1);
        assert_true(bench_gradient_error(&sheet.bench, TAC_Q, 1e-3) < 1e-9);
        assert_true(bench_stiffness_error(&sheet.bench, TAC_Q, 1e-2) < 1e-10);
    }
    expect_matrix_as_changes(&sheet.bench, &random);
    end_sheet(&sheet);
}

static void moving_and_turning_in_the_plane_cost_nothing(void **state) {
    (void)state;
    Sheet sheet;
    make_sheet(&sheet, 3, 3, tilt(), "own");
    assert_int_equal(bench_init(&sheet.bench), TAC_OK);
    TacVec3 normal = tac_rotate(tilt(), tac_vec3(0, 0, 1));
    double *const *all = sheet.bench.matter[0]->vectors;
    bench_force(&sheet.bench, TAC_F);
    for (size_t i = 0; i < sheet.bench.matter[0]->count; i++)
        tac_store3(all[TAC_Q] + 3 * i,
                   tac_add(tac_vec3(1, 2, 3), tac_cross(normal, tac_load3(all[TAC_X_REST] + 3 * i))));
    bench_change(&sheet.bench, TAC_Q, TAC_P, 1, 0);
    assert_true(bench_norm(&sheet.bench, TAC_P) < 1e-10);
    end_sheet(&sheet);
}

// Sides as they are now: the same to first order, and changes are those with the sides held.
static void sides_may_be_those_of_now(void **state) {
    (void)state;
    double forces[2];
    for (int now = 0; now < 2; now++) {
        Sheet sheet;
        make_sheet(&sheet, 1, 1, tac_quat_identity(), "world");
        bench_bool(&sheet.bench, "shape_now", now);
        assert_int_equal(bench_init(&sheet.bench), TAC_OK);
        strain(&sheet, tac_quat_identity(), 0.1, 0, 0, 0, 0);
        bench_force(&sheet.bench, TAC_F);
        forces[now] = sheet.bench.matter[0]->vectors[TAC_F][3];
        end_sheet(&sheet);
    }
    // tension times half the height: strain over the longer side is smaller, and so is what it is divided by
    double tension = YOUNG * THICKNESS / (1 - POISSON * POISSON) * 0.1;
    assert_true(fabs(forces[0] + tension * HIGH / 2) < 1e-11);
    assert_true(fabs(forces[1] + tension / 1.1 * HIGH / 2) < 1e-11);
}

static void threads_and_mistakes(void **state) {
    (void)state;
    TacRandom random = tac_random(8, 1);
    Sheet sheet;
    make_sheet(&sheet, 60, 40, tilt(), "own");
    assert_int_equal(bench_init(&sheet.bench), TAC_OK);
    bench_random(&sheet.bench, &random, TAC_Q, 1);
    bench_move(&sheet.bench, TAC_Q, 0.01);
    expect_same_bits(&sheet.bench, &random);
    end_sheet(&sheet);
    make_sheet(&sheet, 1, 1, tilt(), "own");
    tac_store3(sheet.bench.matter[0]->vectors[TAC_X_REST] + 3, tac_vec3(0, 0, 0));
    assert_int_equal(bench_init(&sheet.bench), TAC_BAD_INPUT);
    assert_non_null(strstr(sheet.bench.error.message, "has no area"));
    end_sheet(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_strain_has_its_energy),
        cmocka_unit_test(forces_are_gradients_and_changes_derivatives),
        cmocka_unit_test(moving_and_turning_in_the_plane_cost_nothing),
        cmocka_unit_test(sides_may_be_those_of_now),
        cmocka_unit_test(threads_and_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
