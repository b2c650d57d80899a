// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Bands, knots and nails: lengths and areas against closed forms; knots do not intersect themselves at any
// resolution, keep the gap that they promise, and are tied: their crossings, counted along the band, are those of
// the knot.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/closest.h"
#include "mesh_checks.h"
#include "tactus/ccd.h"

static double area_of(const TacMesh *mesh) {
    return total_area(mesh->points, mesh->elements[TAC_TRIANGLES].indices,
                      mesh->elements[TAC_TRIANGLES].count);
}

static void expect_no_intersection(const TacMesh *mesh) {
    TacMeeting *meetings;
    size_t count;
    assert_int_equal(tac_mesh_validate(mesh, NULL), TAC_OK);
    assert_int_equal(tac_mesh_intersections(mesh, 0, &meetings, &count, NULL), TAC_OK);
    free(meetings);
    assert_int_equal(count, 0);
}

// --- bands ------------------------------------------------------------------------------------------------

static void straight_band(void **state) {
    (void)state;
    const double corners[] = {1, 2, 3, 4, 2, 3, 7, 2, 3};
    TacMesh mesh;
    assert_int_equal(tac_mesh_ribbon(&mesh, corners, 3, 0.5, 4, 1, tac_vec3(0, 1, 0), NULL), TAC_OK);
    assert_int_equal(mesh.point_count, 25 * 5);
    assert_int_equal(mesh.elements[TAC_TRIANGLES].count, 24 * 4 * 2);
    assert_near(area_of(&mesh), 6, 1e-12);
    // row by row, from the first corner to the last, half a width to each side
    assert_near(mesh.points[0], 1, 1e-12);
    assert_near(fabs(mesh.points[2] - 3), 0.5, 1e-12);
    assert_near(mesh.points[3 * 124], 7, 1e-12);
    for (size_t i = 0; i < mesh.point_count; i++) assert_near(mesh.points[3 * i + 1], 2, 1e-12);
    tac_mesh_destroy(&mesh);
}

// A rounded right angle: two lines less the rounding, and a quarter of a circle; the band's area is that length
// times its width, as long as it does not fold.
static void rounded_corner(void **state) {
    (void)state;
    const double corners[] = {0, 0, 0, 3, 0, 0, 3, 0, 2};
    for (int level = 0; level < 2; level++) {
        TacMesh mesh;
        assert_int_equal(tac_mesh_ribbon(&mesh, corners, 3, 1, 20, 0.5, tac_vec3(0, level, 0), NULL), TAC_OK);
        double length = 2 + 1 + TAC_PI / 2;
        assert_near(area_of(&mesh), length * 0.5, 2e-3);
        expect_no_intersection(&mesh);
        // all middles of rows on the curve: the arc's about (2, 0, 1)
        for (size_t row = 0; row < mesh.point_count / 21; row++) {
            const double *p = mesh.points + 3 * (21 * row + 10);
            double off = p[0] <= 2   ? fabs(p[2])
                         : p[2] >= 1 ? fabs(p[0] - 3)
                                     : fabs(hypot(p[0] - 2, p[2] - 1) - 1);
            assert_true(off < 1e-3 && p[1] == 0);
        }
        tac_mesh_destroy(&mesh);
    }
}

// A band that turns as little as it can along a helix-like chain stays as wide as it is and does not tear.
static void band_in_space(void **state) {
    (void)state;
    double corners[3 * 40];
    for (int i = 0; i < 40; i++) tac_store3(corners + 3 * i, tac_vec3(cos(0.5 * i), 0.2 * i, sin(0.5 * i)));
    TacMesh mesh;
    assert_int_equal(tac_mesh_ribbon(&mesh, corners, 40, 0.2, 3, 0.1, tac_vec3(0, 0, 0), NULL), TAC_OK);
    for (size_t row = 0; row < mesh.point_count / 4; row++) {
        TacVec3 side = tac_sub(tac_load3(mesh.points + 3 * (4 * row + 3)), tac_load3(mesh.points + 12 * row));
        assert_near(tac_norm(side), 0.1, 1e-12);
        if (row == 0) continue;
        TacVec3 before =
            tac_sub(tac_load3(mesh.points + 12 * row - 3), tac_load3(mesh.points + 12 * row - 12));
        assert_true(tac_dot(side, before) > 0.7 * 0.01);
    }
    expect_no_intersection(&mesh);
    tac_mesh_destroy(&mesh);
}

static void refusals(void **state) {
    (void)state;
    const double corners[] = {0, 0, 0, 0, 1, 0}, same[] = {1, 1, 1, 1, 1, 1},
                 nowhere[] = {0, 0, 0, NAN, 0, 0};
    const TacVec3 up = {0, 1, 0}, free_to_turn = {0, 0, 0};
    TacMesh mesh;
    TacError error;
    assert_int_equal(tac_mesh_ribbon(&mesh, corners, 2, 0, 2, 1, up, &error), TAC_BAD_USAGE);
    assert_non_null(strstr(error.message, "straight up"));
    assert_int_equal(tac_mesh_ribbon(&mesh, corners, 2, 0, 2, 1, free_to_turn, &error), TAC_OK);
    tac_mesh_destroy(&mesh);
    assert_int_equal(tac_mesh_ribbon(&mesh, same, 2, 0, 2, 1, up, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_ribbon(&mesh, nowhere, 2, 0, 2, 1, up, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_ribbon(&mesh, corners, 1, 0, 2, 1, up, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_ribbon(&mesh, corners, 2, -1, 2, 1, up, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_ribbon(&mesh, corners, 2, 0, 0, 1, up, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_ribbon(&mesh, corners, 2, 0, 10000, 1e-9, free_to_turn, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_knot(&mesh, TAC_BOWLINE, 4, 0.04, 0.1, 0.0081, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_knot(&mesh, TAC_BOWLINE, 4, 0.04, INFINITY, 0.01, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_knot(&mesh, (TacKnot)17, 4, 0.04, 0.1, 0.01, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_nail_bed(&mesh, 2, 2, 0.1, 0.05, 1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_nail_bed(&mesh, 1000000, 1000000, 1, 0.05, 1, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_nail(&mesh, 0, 1, &error), TAC_BAD_USAGE);
}

// --- knots ------------------------------------------------------------------------------------------------

static size_t points_of_first_band(TacKnot knot, const TacMesh *mesh) {
    return knot == TAC_REEF_KNOT ? mesh->point_count / 2 : mesh->point_count;
}

// The smallest distance between vertices and triangles of different bands, or two widths apart along one.
static double clearance_of(TacKnot knot, const TacMesh *mesh, int across) {
    size_t first = points_of_first_band(knot, mesh), row = (size_t)across + 1;
    double best = INFINITY;
    for (size_t p = 0; p < mesh->point_count; p++)
        for (size_t t = 0; t < mesh->elements[TAC_TRIANGLES].count; t++) {
            const int32_t *q = mesh->elements[TAC_TRIANGLES].indices + 3 * t;
            bool same = (p < first) == ((size_t)q[0] < first);
            if (same && labs((long)(p / row) - (long)((size_t)q[0] / row)) < 2 * across) continue;
            double w[3];
            best = fmin(best, tac_closest_point_triangle(
                                  tac_load3(mesh->points + 3 * p), tac_load3(mesh->points + 3 * q[0]),
                                  tac_load3(mesh->points + 3 * q[1]), tac_load3(mesh->points + 3 * q[2]), w));
        }
    return sqrt(best);
}

static void knots_keep_their_gap(void **state) {
    (void)state;
    static const TacKnot knots[] = {TAC_REEF_KNOT, TAC_BOWLINE};
    for (int k = 0; k < 2; k++)
        for (int across = 3; across <= 4; across++) {
            double width = 0.03, gap = across == 4 ? 0.2 * width : 0.1 * width;
            TacMesh mesh;
            assert_int_equal(tac_mesh_knot(&mesh, knots[k], across, width, 0.1, gap, NULL), TAC_OK);
            double clearance = clearance_of(knots[k], &mesh, across);
            if (!(clearance >= 0.95 * gap && clearance <= 1.001 * gap))
                fail_msg("knot %d: a gap of %g m is %g m", k, gap, clearance);
            tac_mesh_destroy(&mesh);
        }
}

static void knots_at_all_resolutions(void **state) {
    (void)state;
    for (TacKnot knot = TAC_REEF_KNOT; knot <= TAC_BOWLINE; knot++)
        for (int across = 1; across <= 12; across = across < 3 ? across + 1 : 2 * across) {
            TacMesh mesh;
            assert_int_equal(tac_mesh_knot(&mesh, knot, across, 0.04, 0.2, 0.008, NULL), TAC_OK);
            // one cell across cannot follow a bend
            if (across >= 2) expect_no_intersection(&mesh);
            if (across == 12 && knot == TAC_REEF_KNOT) assert_in_range(mesh.point_count, 8500, 11000);
            tac_mesh_destroy(&mesh);
        }
    // two bands are the two single ones
    TacMesh both, left, right;
    assert_int_equal(tac_mesh_knot(&both, TAC_REEF_KNOT, 4, 0.04, 0.2, 0.008, NULL), TAC_OK);
    assert_int_equal(tac_mesh_knot(&left, TAC_REEF_KNOT_LEFT, 4, 0.04, 0.2, 0.008, NULL), TAC_OK);
    assert_int_equal(tac_mesh_knot(&right, TAC_REEF_KNOT_RIGHT, 4, 0.04, 0.2, 0.008, NULL), TAC_OK);
    assert_int_equal(both.point_count, left.point_count + right.point_count);
    assert_memory_equal(both.points, left.points, 3 * left.point_count * sizeof(double));
    assert_memory_equal(both.points + 3 * left.point_count, right.points,
                        3 * right.point_count * sizeof(double));
    // ends to the left, and to the right
    assert_true(left.points[0] < -0.3 && left.points[3 * left.point_count - 3] < -0.3);
    assert_true(right.points[0] > 0.3 && right.points[3 * right.point_count - 3] > 0.3);
    tac_mesh_destroy(&both);
    tac_mesh_destroy(&left);
    tac_mesh_destroy(&right);
}

// Where middle lines cross seen from above: which lies over the other, in order along the first band.
typedef struct Crossing {
    double at, other_at;
    int over;
} Crossing;

static int by_place(const void *a, const void *b) {
    double x = ((const Crossing *)a)->at, y = ((const Crossing *)b)->at;
    return (x > y) - (x < y);
}

static TacVec3 middle_of(const TacMesh *mesh, size_t row, int across) {
    return tac_load3(mesh->points + 3 * (row * ((size_t)across + 1) + (size_t)across / 2));
}

// The side of c seen from a to b; pieces of one line have none.
static int turn(TacVec3 a, TacVec3 b, TacVec3 c) {
    double area = (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
    return (area > 1e-12) - (area < -1e-12);
}

static size_t crossings_of(const TacMesh *a, const TacMesh *b, int across, Crossing *found, size_t most) {
    size_t rows_a = a->point_count / ((size_t)across + 1), rows_b = b->point_count / ((size_t)across + 1),
           count = 0;
    for (size_t i = 0; i + 1 < rows_a; i++)
        for (size_t j = 0; j + 1 < rows_b; j++) {
            if (a == b && (j + 2 > i && i + 2 > j)) continue;
            TacVec3 p = middle_of(a, i, across), q = middle_of(a, i + 1, across);
            TacVec3 r = middle_of(b, j, across), s = middle_of(b, j + 1, across);
            if (turn(p, q, r) * turn(p, q, s) >= 0 || turn(r, s, p) * turn(r, s, q) >= 0) continue;
            assert_true(count < most);
            found[count++] = (Crossing){(double)i, (double)j, p.y > r.y ? 1 : -1};
        }
    qsort(found, count, sizeof *found, by_place);
    return count;
}

// The reef knot: from an end, under the other's bend, over its side, under both its ends, and back the same way.
// (Over and under in turn would be a granny.) The bowline: over and under along the band, as it is tied.
static void knots_are_tied(void **state) {
    (void)state;
    enum { ACROSS = 8 };
    TacMesh left, right, bowline;
    Crossing found[20];
    assert_int_equal(tac_mesh_knot(&left, TAC_REEF_KNOT_LEFT, ACROSS, 0.04, 0.2, 0.008, NULL), TAC_OK);
    assert_int_equal(tac_mesh_knot(&right, TAC_REEF_KNOT_RIGHT, ACROSS, 0.04, 0.2, 0.008, NULL), TAC_OK);
    assert_int_equal(crossings_of(&left, &left, ACROSS, found, 20), 0);
    assert_int_equal(crossings_of(&left, &right, ACROSS, found, 20), 6);
    const int reef[] = {-1, 1, -1, -1, 1, -1};
    for (int i = 0; i < 6; i++) assert_int_equal(found[i].over, reef[i]);
    assert_int_equal(crossings_of(&right, &left, ACROSS, found, 20), 6);
    for (int i = 0; i < 6; i++) assert_int_equal(found[i].over, -reef[i]);
    assert_int_equal(tac_mesh_knot(&bowline, TAC_BOWLINE, ACROSS, 0.04, 0.2, 0.008, NULL), TAC_OK);
    // the standing part: over the end behind it, under the end before it, under itself; the ring: over two, under
    // two, then over the standing part; the end: under the ring, over it, behind, before, over, under
    const int ties[] = {1, -1, -1, 1, 1, -1, -1, 1, -1, 1, -1, 1, 1, -1};
    assert_int_equal(crossings_of(&bowline, &bowline, ACROSS, found, 20), 14);
    for (int i = 0; i < 14; i++) assert_int_equal(found[i].over, ties[i]);
    tac_mesh_destroy(&left);
    tac_mesh_destroy(&right);
    tac_mesh_destroy(&bowline);
}

// --- nails ------------------------------------------------------------------------------------------------

static void nails(void **state) {
    (void)state;
    TacMesh mesh;
    assert_int_equal(tac_mesh_nail(&mesh, 0.002, 0.1, NULL), TAC_OK);
    assert_int_equal(mesh.point_count, 5);
    assert_int_equal(mesh.elements[TAC_TRIANGLES].count, 4);
    // four triangles on sides of length r sqrt 2, whose middles are r / sqrt 2 from the axis
    assert_near(area_of(&mesh), 4 * 0.5 * 0.002 * sqrt(2) * sqrt(0.1 * 0.1 + 0.002 * 0.002 / 2), 1e-15);
    // outward normals: with the foot closed they would enclose the pyramid
    double volume = 2 * 0.002 * 0.002 * 0.1 / 3;
    assert_near(enclosed_volume(mesh.points, mesh.elements[TAC_TRIANGLES].indices, 4), volume, 1e-15);
    tac_mesh_destroy(&mesh);
    assert_int_equal(tac_mesh_nail_bed(&mesh, 7, 4, 0.03, 0.01, 0.1, NULL), TAC_OK);
    assert_int_equal(mesh.point_count, 28 * 5);
    expect_no_intersection(&mesh);
    TacVec3 low_corner, high_corner;
    tac_mesh_bounds(&mesh, &low_corner, &high_corner);
    assert_near(high_corner.x, 3 * 0.03 + 0.01, 1e-12);
    assert_near(low_corner.z, -1.5 * 0.03 - 0.01, 1e-12);
    assert_near(high_corner.y, 0.1, 0);
    tac_mesh_destroy(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_band),        cmocka_unit_test(rounded_corner),
        cmocka_unit_test(band_in_space),        cmocka_unit_test(refusals),
        cmocka_unit_test(knots_keep_their_gap), cmocka_unit_test(knots_at_all_resolutions),
        cmocka_unit_test(knots_are_tied),       cmocka_unit_test(nails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
