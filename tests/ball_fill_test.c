// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Filling shapes with balls: all inside, none in another, touching the surface, dense; against distances that
// are written out here for each shape.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/ball_fill.h"
#include "geometry/surface_depth.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;

// A ball may reach out of its shape, and into its neighbour, by this part of its radius.
static const double TOLERANCE = 0.021;

static TacMesh fill(const TacBallFillDef *def) {
    TacMesh balls;
    TacError error = {0};
    if (tac_ball_fill(&balls, def, &error) != TAC_OK) fail_msg("%s", error.message);
    assert_int_equal(tac_mesh_validate(&balls, &error), TAC_OK);
    return balls;
}

static void check_apart(const TacMesh *balls, double overlap) {
    for (size_t i = 0; i < balls->point_count; i++)
        for (size_t j = 0; j < i; j++) {
            double d = tac_norm(tac_sub(tac_load3(balls->points + 3 * i), tac_load3(balls->points + 3 * j)));
            assert_true(d >= (balls->radii[i] + balls->radii[j]) * (1 - overlap) * (1 - 1e-6));
        }
}

static double volume_of(const TacMesh *balls) {
    double sum = 0;
    for (size_t i = 0; i < balls->point_count; i++) sum += 4 * PI / 3 * pow(balls->radii[i], 3);
    return sum;
}

// --- depths, written out ----------------------------------------------------------------------------------

typedef double (*Depth)(TacVec3 p);

static double in_sphere(TacVec3 p) {
    return 0.5 - tac_norm(p);
}
static double in_box(TacVec3 p) {
    return fmin(fmin(0.4 - fabs(p.x), 0.3 - fabs(p.y)), 0.5 - fabs(p.z));
}
static double in_cylinder(TacVec3 p) {
    return fmin(0.4 - hypot(p.x, p.z), 0.5 - fabs(p.y));
}
static double in_torus(TacVec3 p) {
    return 0.2 - hypot(hypot(p.x, p.z) - 0.5, p.y);
}

// All balls between two depths; counts those that touch the outer border.
static size_t check_inside(const TacMesh *balls, Depth depth, double from, double to, double slack) {
    size_t touching = 0;
    for (size_t i = 0; i < balls->point_count; i++) {
        double d = depth(tac_load3(balls->points + 3 * i)), r = balls->radii[i];
        assert_true(d - from >= r * (1 - TOLERANCE) - slack);
        assert_true(to - d >= r * (1 - TOLERANCE) - slack);
        touching += fabs(d - from - r) <= TOLERANCE * r + slack;
    }
    return touching;
}

// --- primitives -------------------------------------------------------------------------------------------

static void test_primitives(void **state) {
    (void)state;
    const double radii[] = {0.025, 0.06};
    const struct {
        TacBallFillDef def;
        Depth depth;
        double volume, surface;
    } cases[] = {
        {{.shape = TAC_FILL_SPHERE, .radius = 0.5}, in_sphere, 4 * PI / 3 * 0.125, PI},
        {{.shape = TAC_FILL_BOX, .low = {-0.4, -0.3, -0.5}, .high = {0.4, 0.3, 0.5}},
         in_box,
         0.48,
         3.76 - 2 * 0.4},
        {{.shape = TAC_FILL_CYLINDER, .radius = 0.4, .height = 1}, in_cylinder, PI * 0.16, PI * 1.12},
    };
    for (size_t c = 0; c < 3; c++) {
        double part[2];
        for (size_t sizes = 1; sizes <= 2; sizes++) {
            TacBallFillDef def = cases[c].def;
            def.to = INFINITY;
            def.radii = radii + (2 - sizes); // the large ones alone, then both
            def.radius_count = sizes;
            TacMesh balls = fill(&def);
            size_t touching = check_inside(&balls, cases[c].depth, 0, INFINITY, 1e-12);
            check_apart(&balls, 0);
            part[sizes - 1] = volume_of(&balls) / cases[c].volume;
            // a good part of the surface is carried by balls: discs of their section would cover much of it
            if (sizes == 1) assert_true((double)touching * PI * 0.06 * 0.06 > 0.28 * cases[c].surface);
            tac_mesh_destroy(&balls);
        }
        assert_true(part[0] > 0.35 && part[1] > part[0] + 0.04 && part[1] < 0.75);
    }
}

// --- meshes -----------------------------------------------------------------------------------------------

static void test_depth_of_a_mesh(void **state) {
    (void)state;
    TacMesh mesh;
    TacSurface surface;
    TacError error = {0};
    assert_int_equal(tac_mesh_box(&mesh, 4, tac_vec3(-0.4, -0.3, -0.5), tac_vec3(0.4, 0.3, 0.5), &error),
                     TAC_OK);
    assert_int_equal(tac_surface_make(&surface, &mesh, &error), TAC_OK);
    size_t inside = 0, all = 0;
    for (double x = -0.6; x < 0.6; x += 0.1)
        for (double y = -0.6; y < 0.6; y += 0.1)
            for (double z = -0.6; z < 0.6; z += 0.1) {
                TacVec3 p = tac_vec3(x + 0.013, y + 0.007, z), inward;
                double d = tac_surface_depth(&surface, p, 1, &inward), expected = in_box(p);
                assert_true((d > 0) == (expected > 0));
                if (expected > 0) assert_true(fabs(d - expected) < 1e-12);
                // going inward makes it deeper
                double step = 1e-4,
                       deeper = tac_surface_depth(&surface, tac_axpy(p, step, inward), 1, &inward);
                assert_true(deeper > d - 1e-12);
                inside += d > 0;
                all++;
            }
    assert_true(inside > 100 && inside < all);
    tac_surface_free(&surface);
    tac_mesh_destroy(&mesh);
}

static void test_torus(void **state) {
    (void)state;
    TacMesh mesh;
    TacError error = {0};
    assert_int_equal(tac_mesh_torus(&mesh, 40, 80, 0.5, 0.2, &error), TAC_OK);
    const double radii[] = {0.05};
    TacMesh balls = fill(&(TacBallFillDef){.mesh = &mesh, .radii = radii, .radius_count = 1, .to = INFINITY});
    // facets cut the round shape by up to a millimetre
    size_t touching = check_inside(&balls, in_torus, 0, INFINITY, 2e-3);
    check_apart(&balls, 0);
    assert_true(volume_of(&balls) > 0.28 * 2 * PI * PI * 0.5 * 0.04 && touching > 100);
    tac_mesh_destroy(&balls);
    tac_mesh_destroy(&mesh);
}

// Nucleus, derm and epiderm of one shape: layers that do not meet, and together fill it.
static void test_layers(void **state) {
    (void)state;
    TacMesh mesh;
    TacError error = {0};
    assert_int_equal(tac_mesh_icosphere(&mesh, 4, 0.5, &error), TAC_OK);
    const double depths[] = {0, 0.1, 0.3, INFINITY}, radii[] = {0.05, 0.05, 0.2};
    size_t counts[3];
    for (size_t layer = 0; layer < 3; layer++)
        for (int of_mesh = 0; of_mesh < 2; of_mesh++) {
            TacBallFillDef def = {.shape = of_mesh ? TAC_FILL_MESH : TAC_FILL_SPHERE,
                                  .mesh = &mesh,
                                  .radius = 0.5,
                                  .from = depths[layer],
                                  .to = depths[layer + 1],
                                  .radii = &radii[layer],
                                  .radius_count = 1};
            TacMesh balls = fill(&def);
            check_inside(&balls, in_sphere, depths[layer], depths[layer + 1], of_mesh ? 2e-3 : 1e-12);
            check_apart(&balls, 0);
            counts[layer] = balls.point_count;
            tac_mesh_destroy(&balls);
        }
    assert_true(counts[0] > 150 && counts[1] > 100 && counts[2] == 1);
    tac_mesh_destroy(&mesh);
}

static void test_discs(void **state) {
    (void)state;
    const double radii[] = {0.03};
    for (int shape = TAC_FILL_SPHERE; shape <= TAC_FILL_CYLINDER; shape++) {
        TacMesh balls = fill(&(TacBallFillDef){.shape = (TacFillShape)shape,
                                               .radius = 0.4,
                                               .height = 1,
                                               .low = {-0.4, -0.5, -0.01},
                                               .high = {0.4, 0.5, 0.01},
                                               .radii = radii,
                                               .radius_count = 1,
                                               .to = INFINITY,
                                               .flat = true});
        check_apart(&balls, 0);
        double area = shape == TAC_FILL_SPHERE ? PI * 0.16 : 0.8;
        for (size_t i = 0; i < balls.point_count; i++) {
            const double *p = balls.points + 3 * i;
            double depth =
                shape == TAC_FILL_SPHERE ? 0.4 - hypot(p[0], p[1]) : fmin(0.4 - fabs(p[0]), 0.5 - fabs(p[1]));
            assert_true(p[2] == 0 && depth >= 0.03 * (1 - TOLERANCE));
        }
        assert_true((double)balls.point_count * PI * 0.0009 > 0.55 * area);
        tac_mesh_destroy(&balls);
    }
}

static void test_overlap(void **state) {
    (void)state;
    const double radii[] = {0.08};
    TacBallFillDef def = {
        .shape = TAC_FILL_SPHERE, .radius = 0.5, .to = INFINITY, .radii = radii, .radius_count = 1};
    TacMesh apart = fill(&def);
    def.overlap = 0.3;
    TacMesh close = fill(&def);
    check_apart(&close, 0.3);
    assert_true(close.point_count > apart.point_count);
    tac_mesh_destroy(&apart);
    tac_mesh_destroy(&close);
}

static void test_refusals(void **state) {
    (void)state;
    TacMesh sheet, balls;
    TacError error = {0};
    const double small = 1e-6, large = 2, usual = 0.1;
    assert_int_equal(tac_mesh_sheet(&sheet, 3, 3, 1, 1, &error), TAC_OK);
    TacBallFillDef def = {
        .shape = TAC_FILL_SPHERE, .radius = 0.5, .to = INFINITY, .radii = &small, .radius_count = 1};
    assert_int_equal(tac_ball_fill(&balls, &def, &error), TAC_BAD_INPUT);
    def.radii = &usual;
    def.radius = 1e300;
    assert_int_equal(tac_ball_fill(&balls, &def, &error), TAC_BAD_INPUT);
    def.radius = 0.5;
    def.from = 0.45; // a layer that is thinner than a ball, and one that is none
    def.to = 0.5;
    assert_int_equal(tac_ball_fill(&balls, &def, &error), TAC_BAD_INPUT);
    def.to = 0.1;
    assert_int_equal(tac_ball_fill(&balls, &def, &error), TAC_BAD_INPUT);
    def.from = 0;
    def.to = INFINITY;
    def.radii = &large;
    assert_int_equal(tac_ball_fill(&balls, &def, &error), TAC_BAD_INPUT);
    def.radius_count = 0;
    assert_int_equal(tac_ball_fill(&balls, &def, &error), TAC_BAD_INPUT);
    def = (TacBallFillDef){.mesh = &sheet, .to = INFINITY, .radii = &usual, .radius_count = 1};
    assert_int_equal(tac_ball_fill(&balls, &def, &error), TAC_BAD_INPUT);
    tac_mesh_destroy(&sheet);
    // an open box
    TacMesh box;
    assert_int_equal(tac_mesh_box(&box, 2, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), &error), TAC_OK);
    box.elements[TAC_TRIANGLES].count--;
    def.mesh = &box;
    assert_int_equal(tac_ball_fill(&balls, &def, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "not closed"));
    tac_mesh_destroy(&box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_primitives), cmocka_unit_test(test_depth_of_a_mesh),
        cmocka_unit_test(test_torus),      cmocka_unit_test(test_layers),
        cmocka_unit_test(test_discs),      cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
