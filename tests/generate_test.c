// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Generators against closed forms: volumes and areas of the polyhedra they are, Euler characteristics, and
// that every surface is closed with outward normals.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "mesh_checks.h"

static const TacVec3 low = {-1, 0.5, 2}, high = {2, 1.5, 4}; // 3 x 1 x 2: volume 6, area 22

static long euler_of(const TacMesh *mesh) {
    int32_t *triangles;
    size_t count;
    assert_int_equal(tac_mesh_surface(mesh, &triangles, &count, NULL), TAC_OK);
    long euler = closed_euler(triangles, count, mesh->point_count);
    free(triangles);
    return euler;
}

// Area of a regular polygon with n corners at the radius r.
static double polygon(int n, double r) {
    return 0.5 * n * r * r * sin(2 * TAC_PI / n);
}

static void grid_fills_its_box(void **state) {
    (void)state;
    TacMesh mesh;
    assert_int_equal(tac_mesh_grid(&mesh, 4, 2, 3, low, high, NULL), TAC_OK);
    assert_int_equal(mesh.point_count, 24);
    assert_int_equal(mesh.elements[TAC_HEXAHEDRA].count, 6);
    assert_near(tac_mesh_volume(&mesh), 6, 1e-13);
    assert_int_equal(euler_of(&mesh), 2);
    // x runs fastest, and the corners are exact
    assert_true(mesh.points[0] == low.x && mesh.points[1] == low.y && mesh.points[2] == low.z);
    assert_true(mesh.points[9] == high.x && mesh.points[10] == low.y);
    assert_true(mesh.points[69] == high.x && mesh.points[70] == high.y && mesh.points[71] == high.z);
    int32_t *surface;
    size_t count;
    assert_int_equal(tac_mesh_surface(&mesh, &surface, &count, NULL), TAC_OK);
    assert_int_equal(count, 2 * 2 * (3 * 1 + 3 * 2 + 1 * 2));
    assert_near(enclosed_volume(mesh.points, surface, count), 6, 1e-13);
    assert_near(total_area(mesh.points, surface, count), 22, 1e-13);
    free(surface);
    tac_mesh_destroy(&mesh);
}

static void grid_stays_right_when_corners_are_swapped(void **state) {
    (void)state;
    TacMesh mesh;
    assert_int_equal(tac_mesh_grid(&mesh, 3, 3, 3, tac_vec3(2, 0, 0), tac_vec3(0, 1, 1), NULL), TAC_OK);
    assert_near(tac_mesh_volume(&mesh), 2, 1e-14);
    assert_true(mesh.points[0] == 2);
    tac_mesh_destroy(&mesh);
    assert_int_equal(tac_mesh_box(&mesh, 2, tac_vec3(0, 0, 5), tac_vec3(1, 1, 3), NULL), TAC_OK);
    assert_near(tac_mesh_volume(&mesh), 2, 1e-14);
    tac_mesh_destroy(&mesh);
}

static void flat_grids_have_quads_or_edges(void **state) {
    (void)state;
    static const int sizes[3][3] = {{1, 4, 3}, {3, 1, 4}, {4, 3, 1}};
    for (int axis = 0; axis < 3; axis++) {
        TacMesh mesh;
        const int *n = sizes[axis];
        assert_int_equal(tac_mesh_grid(&mesh, n[0], n[1], n[2], low, high, NULL), TAC_OK);
        assert_int_equal(mesh.point_count, 12);
        assert_int_equal(mesh.elements[TAC_QUADS].count, 6);
        assert_int_equal(tac_mesh_split(&mesh, NULL), TAC_OK);
        const int32_t *t = mesh.elements[TAC_TRIANGLES].indices;
        const double areas[3] = {2, 6, 3};
        assert_near(total_area(mesh.points, t, 12), areas[axis], 1e-13);
        // every normal points up the flat axis
        for (int i = 0; i < 12; i++) {
            TacVec3 a = tac_load3(mesh.points + 3 * t[3 * i]), b = tac_load3(mesh.points + 3 * t[3 * i + 1]),
                    c = tac_load3(mesh.points + 3 * t[3 * i + 2]);
            TacVec3 normal = tac_unit(tac_cross(tac_sub(b, a), tac_sub(c, a)));
            assert_near(axis == 0 ? normal.x : axis == 1 ? normal.y : normal.z, 1, 1e-14);
        }
        tac_mesh_destroy(&mesh);
    }
    TacMesh mesh;
    assert_int_equal(tac_mesh_grid(&mesh, 1, 5, 1, low, high, NULL), TAC_OK);
    assert_int_equal(mesh.elements[TAC_EDGES].count, 4);
    assert_near(mesh.points[3 * 4 + 1], high.y, 0);
    assert_near(mesh.points[3 * 4], low.x, 0);
    tac_mesh_destroy(&mesh);
    assert_int_equal(tac_mesh_grid(&mesh, 1, 1, 1, low, high, NULL), TAC_OK);
    assert_int_equal(mesh.point_count, 1);
    tac_mesh_destroy(&mesh);
}

static void box_is_closed(void **state) {
    (void)state;
    for (int n = 1; n <= 5; n++) {
        TacMesh mesh;
        assert_int_equal(tac_mesh_box(&mesh, n, low, high, NULL), TAC_OK);
        assert_int_equal(mesh.point_count, 6 * n * n + 2);
        assert_int_equal(mesh.elements[TAC_TRIANGLES].count, 12 * n * n);
        assert_int_equal(euler_of(&mesh), 2);
        const int32_t *t = mesh.elements[TAC_TRIANGLES].indices;
        assert_near(tac_mesh_volume(&mesh), 6, 1e-12);
        assert_near(enclosed_volume(mesh.points, t, mesh.elements[TAC_TRIANGLES].count), 6, 1e-12);
        assert_near(total_area(mesh.points, t, mesh.elements[TAC_TRIANGLES].count), 22, 1e-12);
        tac_mesh_destroy(&mesh);
    }
}

static void icosphere_converges_to_the_ball(void **state) {
    (void)state;
    const double radius = 0.7, ball = 4.0 / 3 * TAC_PI * radius * radius * radius;
    // an icosahedron in the unit sphere has the edge 1 / sin(2 pi / 5)
    double edge = radius / sin(2 * TAC_PI / 5), last = 1;
    for (int s = 0; s <= 5; s++) {
        TacMesh mesh;
        assert_int_equal(tac_mesh_icosphere(&mesh, s, radius, NULL), TAC_OK);
        size_t triangles = mesh.elements[TAC_TRIANGLES].count;
        assert_int_equal(triangles, 20 * (1 << 2 * s));
        assert_int_equal(mesh.point_count, 10 * (1 << 2 * s) + 2);
        assert_int_equal(euler_of(&mesh), 2);
        for (size_t i = 0; i < mesh.point_count; i++)
            assert_near(tac_norm(tac_load3(mesh.points + 3 * i)), radius, 1e-15);
        double volume = tac_mesh_volume(&mesh), missing = 1 - volume / ball;
        if (s == 0) assert_near(volume, 5.0 / 12 * (3 + sqrt(5)) * edge * edge * edge, 1e-14);
        // second order: each subdivision leaves about a quarter
        if (s > 1) assert_true(missing > 0.22 * last && missing < 0.28 * last);
        last = missing;
        tac_mesh_destroy(&mesh);
    }
    TacMesh mesh;
    assert_int_equal(tac_mesh_icosphere(&mesh, 7, 1, NULL), TAC_OK);
    assert_int_equal(mesh.point_count, 163842);
    tac_mesh_destroy(&mesh);
}

static void cylinder_has_the_volume_of_its_prism(void **state) {
    (void)state;
    for (int sides = 3; sides <= 9; sides += 3)
        for (int rings = 1; rings <= 4; rings++) {
            TacMesh mesh;
            assert_int_equal(tac_mesh_cylinder(&mesh, sides, rings, 0.5, 0.5, 3, NULL), TAC_OK);
            assert_int_equal(mesh.point_count, sides * (rings + 1) + 2);
            assert_int_equal(euler_of(&mesh), 2);
            assert_near(tac_mesh_volume(&mesh), 3 * polygon(sides, 0.5), 1e-13);
            TacVec3 bottom, top;
            tac_mesh_bounds(&mesh, &bottom, &top);
            assert_true(bottom.y == -1.5 && top.y == 1.5);
            tac_mesh_destroy(&mesh);

            // a frustum and a cone
            assert_int_equal(tac_mesh_cylinder(&mesh, sides, rings, 0.5, 0.2, 3, NULL), TAC_OK);
            double big = polygon(sides, 0.5), small = polygon(sides, 0.2);
            assert_near(tac_mesh_volume(&mesh), big + small + sqrt(big * small), 1e-13);
            tac_mesh_destroy(&mesh);
            assert_int_equal(tac_mesh_cylinder(&mesh, sides, rings, 0.5, 0, 3, NULL), TAC_OK);
            assert_int_equal(mesh.point_count, sides * rings + 2);
            assert_int_equal(euler_of(&mesh), 2);
            assert_near(tac_mesh_volume(&mesh), big, 1e-13);
            tac_mesh_destroy(&mesh);
        }
}

static void capsule_is_two_caps_and_a_prism(void **state) {
    (void)state;
    const int sides = 8, rings = 5;
    const double r = 0.3;
    // each cap is a stack of frustums
    double caps = 0;
    for (int i = 0; i < rings; i++) {
        double low_angle = TAC_PI / 2 * i / rings, high_angle = TAC_PI / 2 * (i + 1) / rings;
        double a = polygon(sides, r * cos(low_angle)), b = polygon(sides, r * cos(high_angle));
        caps += 2 * (a + b + sqrt(a * b)) / 3 * r * (sin(high_angle) - sin(low_angle));
    }
    for (int k = 0; k < 2; k++) {
        double length = k ? 2.0 : 0.0;
        TacMesh mesh;
        assert_int_equal(tac_mesh_capsule(&mesh, sides, rings, r, length, NULL), TAC_OK);
        assert_int_equal(euler_of(&mesh), 2);
        assert_int_equal(mesh.point_count, sides * (2 * rings - (k ? 0 : 1)) + 2);
        assert_near(tac_mesh_volume(&mesh), caps + length * polygon(sides, r), 1e-13);
        TacVec3 bottom, top;
        tac_mesh_bounds(&mesh, &bottom, &top);
        assert_near(top.y - bottom.y, length + 2 * r, 1e-15);
        tac_mesh_destroy(&mesh);
    }
}

static void torus_follows_pappus(void **state) {
    (void)state;
    const int sides = 7, rings = 11;
    TacMesh mesh;
    assert_int_equal(tac_mesh_torus(&mesh, sides, rings, 2, 0.5, NULL), TAC_OK);
    assert_int_equal(euler_of(&mesh), 0);
    // the tube's polygon, moved along `rings` chords instead of a circle
    double way = rings * sin(2 * TAC_PI / rings) * 2;
    assert_near(tac_mesh_volume(&mesh), way * polygon(sides, 0.5), 1e-13);
    TacVec3 bottom, top;
    tac_mesh_bounds(&mesh, &bottom, &top);
    assert_true(top.x == 2.5 && top.y <= 0.5 && bottom.y >= -0.5);
    tac_mesh_destroy(&mesh);
}

static void sheet_is_flat_and_alternates(void **state) {
    (void)state;
    TacMesh mesh;
    assert_int_equal(tac_mesh_sheet(&mesh, 4, 3, 2, 1.5, NULL), TAC_OK);
    const int32_t *t = mesh.elements[TAC_TRIANGLES].indices;
    assert_int_equal(mesh.point_count, 20);
    assert_int_equal(mesh.elements[TAC_TRIANGLES].count, 24);
    assert_near(total_area(mesh.points, t, 24), 3, 1e-14);
    for (int i = 0; i < 24; i++) {
        TacVec3 a = tac_load3(mesh.points + 3 * t[3 * i]), b = tac_load3(mesh.points + 3 * t[3 * i + 1]),
                c = tac_load3(mesh.points + 3 * t[3 * i + 2]);
        assert_true(tac_cross(tac_sub(b, a), tac_sub(c, a)).y > 0);
    }
    int32_t *edges;
    size_t count, diagonals[2] = {0, 0};
    assert_int_equal(tac_mesh_all_edges(&mesh, &edges, &count, NULL), TAC_OK);
    assert_int_equal(count, 4 * 4 + 5 * 3 + 12);
    for (size_t e = 0; e < count; e++) {
        int step = edges[2 * e + 1] - edges[2 * e];
        if (step == 6) diagonals[0]++;
        if (step == 4) diagonals[1]++;
    }
    assert_int_equal(diagonals[0], 6);
    assert_int_equal(diagonals[1], 6);
    free(edges);
    tac_mesh_destroy(&mesh);
}

static void line_goes_from_a_to_b(void **state) {
    (void)state;
    TacMesh mesh;
    assert_int_equal(tac_mesh_line(&mesh, 7, low, high, NULL), TAC_OK);
    assert_int_equal(mesh.point_count, 8);
    assert_int_equal(mesh.elements[TAC_EDGES].count, 7);
    assert_true(mesh.points[21] == high.x && mesh.points[22] == high.y && mesh.points[23] == high.z);
    double length = 0;
    for (int i = 0; i < 7; i++) {
        const int32_t *e = mesh.elements[TAC_EDGES].indices + 2 * i;
        length += tac_norm(tac_sub(tac_load3(mesh.points + 3 * e[1]), tac_load3(mesh.points + 3 * e[0])));
    }
    assert_near(length, sqrt(14), 1e-14);
    tac_mesh_destroy(&mesh);
}

static void ball_is_filled_with_good_tetrahedra(void **state) {
    (void)state;
    const double radius = 1.5, ball = 4.0 / 3 * TAC_PI * radius * radius * radius;
    double last = 1;
    for (int n = 1; n <= 16; n++) {
        TacMesh mesh;
        assert_int_equal(tac_mesh_ball(&mesh, n, radius, NULL), TAC_OK);
        assert_int_equal(mesh.elements[TAC_TETRAHEDRA].count, 6 * n * n * n);
        assert_int_equal(euler_of(&mesh), 2);
        // conforming: the surface has two triangles per outer square, all points of it on the sphere
        int32_t *surface;
        size_t count;
        assert_int_equal(tac_mesh_surface(&mesh, &surface, &count, NULL), TAC_OK);
        assert_int_equal(count, 12 * n * n);
        for (size_t i = 0; i < 3 * count; i++)
            assert_near(tac_norm(tac_load3(mesh.points + 3 * surface[i])), radius, 1e-14);
        free(surface);
        // mean ratio: 1 for a regular tetrahedron, 0 for a flat one
        for (size_t i = 0; i < mesh.elements[TAC_TETRAHEDRA].count; i++) {
            TacVec3 p[4];
            double squares = 0;
            for (int c = 0; c < 4; c++)
                p[c] = tac_load3(mesh.points + 3 * mesh.elements[TAC_TETRAHEDRA].indices[4 * i + (size_t)c]);
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < a; b++) squares += tac_dot(tac_sub(p[a], p[b]), tac_sub(p[a], p[b]));
            double six = tac_dot(tac_sub(p[3], p[0]), tac_cross(tac_sub(p[1], p[0]), tac_sub(p[2], p[0])));
            assert_true(six > 0);
            assert_true(12 * cbrt(six * six / 4) / squares > 0.5);
        }
        double missing = 1 - tac_mesh_volume(&mesh) / ball;
        assert_true(missing > 0 && missing < last);
        if (n == 16) assert_true(missing < 0.005);
        last = missing;
        tac_mesh_destroy(&mesh);
    }
}

static void bad_counts_are_refused(void **state) {
    (void)state;
    TacMesh mesh;
    TacError error = {0};
    TacVec3 zero = {0, 0, 0}, one = {1, 1, 1};
    assert_int_equal(tac_mesh_grid(&mesh, 0, 2, 2, zero, one, &error), TAC_BAD_USAGE);
    assert_non_null(strstr(error.message, "along x"));
    assert_int_equal(tac_mesh_grid(&mesh, 2, -2, 2, zero, one, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_grid(&mesh, 100000, 100000, 100000, zero, one, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_grid(&mesh, 2, 2, 2, zero, tac_vec3(NAN, 1, 1), NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_box(&mesh, 0, zero, one, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_box(&mesh, INT32_MAX, zero, one, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_icosphere(&mesh, 8, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_icosphere(&mesh, -1, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_icosphere(&mesh, 1, INFINITY, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_cylinder(&mesh, 2, 1, 1, 1, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_cylinder(&mesh, 3, 0, 1, 1, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_cylinder(&mesh, INT32_MAX, INT32_MAX, 1, 1, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_capsule(&mesh, 3, 0, 1, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_capsule(&mesh, 3, 1, 1, -1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_torus(&mesh, 3, 2, 1, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_sheet(&mesh, 0, 1, 1, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_sheet(&mesh, 1, 1, 0, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_line(&mesh, 0, zero, one, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_ball(&mesh, 0, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_ball(&mesh, 100000, 1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_ball(&mesh, 2, NAN, NULL), TAC_BAD_USAGE);
    assert_null(mesh.points);
}

static bool has_edge(const int32_t *t, size_t count, int32_t a, int32_t b) {
    for (size_t k = 0; k < 3 * count; k++)
        if (t[k] == a && t[k - k % 3 + (k + 1) % 3] == b) return true;
    return false;
}

// A rectangle without gaps or overlaps: every side of a triangle is that of one neighbour, the other way round, or lies
// on the rim; all normals are up; areas add up. Fine where asked, and neighbours differ by a factor of 2 in size.
static void graded_sheets_fit_together(void **state) {
    (void)state;
    TacRandom random = tac_random(11, 1);
    for (int trial = 0; trial < 30; trial++) {
        int n = 1 + trial % 3, m = 1 + trial % 4, halvings = trial % 4;
        double r[8];
        for (int k = 0; k < 2; k++) {
            r[4 * k] = tac_random_between(&random, -1.2, 0.9);
            r[4 * k + 1] = tac_random_between(&random, -0.8, 0.5);
            r[4 * k + 2] = r[4 * k] + tac_random_between(&random, 0.01, 0.4);
            r[4 * k + 3] = r[4 * k + 1] + tac_random_between(&random, 0.01, 0.4);
        }
        TacMesh mesh;
        assert_int_equal(tac_mesh_graded_sheet(&mesh, n, m, 2, 1.5, r, 2, halvings, NULL), TAC_OK);
        const int32_t *t = mesh.elements[TAC_TRIANGLES].indices;
        size_t count = mesh.elements[TAC_TRIANGLES].count, rim = 0;
        assert_near(total_area(mesh.points, t, count), 3, 1e-13);
        for (size_t e = 0; e < count; e++) {
            TacVec3 x[3], centre = {0, 0, 0};
            double longest = 0;
            for (int k = 0; k < 3; k++) {
                x[k] = tac_load3(mesh.points + 3 * t[3 * e + (size_t)k]);
                centre = tac_axpy(centre, 1.0 / 3, x[k]);
            }
            for (int k = 0; k < 3; k++) {
                longest = fmax(longest, tac_norm(tac_sub(x[k], x[(k + 1) % 3])));
                int32_t a = t[3 * e + (size_t)k], b = t[3 * e + (size_t)(k + 1) % 3];
                bool outside = (fabs(x[k].x) == 1 && x[k].x == x[(k + 1) % 3].x) ||
                               (fabs(x[k].z) == 0.75 && x[k].z == x[(k + 1) % 3].z);
                rim += outside;
                assert_true(has_edge(t, count, b, a) == !outside);
            }
            assert_true(tac_cross(tac_sub(x[1], x[0]), tac_sub(x[2], x[0])).y > 0);
            for (int k = 0; k < 2; k++) {
                bool in = centre.x > r[4 * k] && centre.x < r[4 * k + 2] && centre.z > r[4 * k + 1] &&
                          centre.z < r[4 * k + 3];
                double finest = hypot(2.0 / n, 1.5 / m) / (1 << halvings);
                if (in) assert_true(longest < finest * (1 + 1e-12));
            }
        }
        // no loose points: V - E + F = 1
        size_t edges = (3 * count + rim) / 2;
        assert_int_equal((long)mesh.point_count - (long)edges + (long)count, 1);
        tac_mesh_destroy(&mesh);
    }
    // nowhere finer: as a plain sheet
    TacMesh plain, graded;
    const double away[4] = {5, 5, 6, 6};
    assert_int_equal(tac_mesh_sheet(&plain, 3, 4, 2, 1.5, NULL), TAC_OK);
    assert_int_equal(tac_mesh_graded_sheet(&graded, 3, 4, 2, 1.5, away, 1, 3, NULL), TAC_OK);
    assert_int_equal(plain.point_count, graded.point_count);
    assert_int_equal(plain.elements[TAC_TRIANGLES].count, graded.elements[TAC_TRIANGLES].count);
    assert_memory_equal(plain.elements[TAC_TRIANGLES].indices, graded.elements[TAC_TRIANGLES].indices,
                        3 * plain.elements[TAC_TRIANGLES].count * sizeof(int32_t));
    for (size_t i = 0; i < 3 * plain.point_count; i++) assert_near(plain.points[i], graded.points[i], 1e-15);
    tac_mesh_destroy(&plain);
    tac_mesh_destroy(&graded);
    assert_int_equal(tac_mesh_graded_sheet(&graded, 1, 1, 1, 1, away, 1, 9, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_graded_sheet(&graded, 100000, 100000, 1, 1, away, 1, 8, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_graded_sheet(&graded, 1, 1, NAN, 1, away, 1, 1, NULL), TAC_BAD_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_fills_its_box),
        cmocka_unit_test(graded_sheets_fit_together),
        cmocka_unit_test(grid_stays_right_when_corners_are_swapped),
        cmocka_unit_test(flat_grids_have_quads_or_edges),
        cmocka_unit_test(box_is_closed),
        cmocka_unit_test(icosphere_converges_to_the_ball),
        cmocka_unit_test(cylinder_has_the_volume_of_its_prism),
        cmocka_unit_test(capsule_is_two_caps_and_a_prism),
        cmocka_unit_test(torus_follows_pappus),
        cmocka_unit_test(sheet_is_flat_and_alternates),
        cmocka_unit_test(line_goes_from_a_to_b),
        cmocka_unit_test(ball_is_filled_with_good_tetrahedra),
        cmocka_unit_test(bad_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
