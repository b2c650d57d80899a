// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Ill-posed starts: sheets at known distances, sheets that cross, balls and wires, and random soups against all
// pairs.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "contact/start_check.h"
#include "tactus/ccd.h"
#include "tactus/geometry.h"

#include <stdlib.h>
#include <string.h>

// --- two sheets -------------------------------------------------------------------------------------------

enum { DIVISIONS = 4, SHEET = (DIVISIONS + 1) * (DIVISIONS + 1) };

typedef struct Scene {
    double points[2 * SHEET * 3];
    int32_t *edges[2], *triangles[2], vertices[2][SHEET];
    TacAuditSkin skins[2];
} Scene;

// Two square sheets of 1 m, the second turned about y so that no edges are parallel, then moved.
static void make_sheets(Scene *scene, TacVec3 turn_degrees, TacVec3 move) {
    for (int s = 0; s < 2; s++) {
        TacMesh mesh = {0};
        size_t edges, triangles;
        assert_int_equal(tac_mesh_sheet(&mesh, DIVISIONS, DIVISIONS, 1, 1, NULL), TAC_OK);
        assert_int_equal(mesh.point_count, SHEET);
        if (s == 1) tac_mesh_transform(&mesh, tac_vec3(1, 1, 1), turn_degrees, move);
        assert_int_equal(tac_mesh_all_edges(&mesh, &scene->edges[s], &edges, NULL), TAC_OK);
        assert_int_equal(tac_mesh_surface(&mesh, &scene->triangles[s], &triangles, NULL), TAC_OK);
        memcpy(scene->points + s * SHEET * 3, mesh.points, SHEET * 3 * sizeof(double));
        for (size_t i = 0; i < 2 * edges; i++) scene->edges[s][i] += s * SHEET;
        for (size_t i = 0; i < 3 * triangles; i++) scene->triangles[s][i] += s * SHEET;
        for (int i = 0; i < SHEET; i++) scene->vertices[s][i] = i + s * SHEET;
        scene->skins[s] = (TacAuditSkin){.vertices = scene->vertices[s],
                                         .vertex_count = SHEET,
                                         .edges = scene->edges[s],
                                         .edge_count = edges,
                                         .triangles = scene->triangles[s],
                                         .triangle_count = triangles};
        tac_mesh_destroy(&mesh);
    }
}

static void free_sheets(Scene *scene) {
    for (int s = 0; s < 2; s++) {
        free(scene->edges[s]);
        free(scene->triangles[s]);
    }
}

static TacStartReport check(const TacAuditSkin *skins, size_t skin_count, const double *points,
                            size_t point_count, double thickness) {
    TacStartInput input = {points, point_count, skins, skin_count, thickness, NULL, NULL, NULL};
    TacStartReport report;
    assert_int_equal(tac_start_check(&input, &report, NULL), TAC_OK);
    return report;
}

static void parallel_sheets(void **state) {
    (void)state;
    Scene scene;
    make_sheets(&scene, tac_vec3(0, 20, 0), tac_vec3(0, 0.01, 0));
    TacStartReport report = check(scene.skins, 2, scene.points, 2 * SHEET, 0.0099999);
    assert_int_equal(report.pairs, 0);
    assert_true(report.largest == INFINITY);
    report = check(scene.skins, 2, scene.points, 2 * SHEET, 0.0100001);
    assert_true(report.pairs > SHEET); // every vertex that stands over the other sheet, and crossing edges
    assert_int_equal(report.intersecting, 0);
    assert_int_equal(report.listed, TAC_START_LISTED);
    assert_true(fabs(report.largest - 0.01) < 1e-12);
    // and what it says would be accepted is, by a little
    assert_int_equal(check(scene.skins, 2, scene.points, 2 * SHEET, report.largest * (1 - 1e-12)).pairs, 0);
    // radii count like thickness
    scene.skins[0].radius = 0.004;
    scene.skins[1].radius = 0.0059;
    assert_int_equal(check(scene.skins, 2, scene.points, 2 * SHEET, 0).pairs, 0);
    report = check(scene.skins, 2, scene.points, 2 * SHEET, 0.001);
    assert_true(report.pairs > 0 && fabs(report.largest - 0.0001) < 1e-12);
    free_sheets(&scene);
}

// Through each other: no vertex is near anything, but they intersect.
static void crossing_sheets(void **state) {
    (void)state;
    Scene scene;
    make_sheets(&scene, tac_vec3(0, 20, 85), tac_vec3(0.03, 0.04, 0));
    TacStartReport report = check(scene.skins, 2, scene.points, 2 * SHEET, 1e-9);
    TacMeeting *meetings;
    size_t count;
    int32_t all[2 * 3 * 2 * DIVISIONS * DIVISIONS];
    for (int s = 0; s < 2; s++)
        memcpy(all + s * 3 * 2 * DIVISIONS * DIVISIONS, scene.triangles[s], sizeof all / 2);
    assert_int_equal(tac_triangle_meetings(scene.points, 2 * SHEET, all, 4 * DIVISIONS * DIVISIONS, 0,
                                           &meetings, &count, NULL),
                     TAC_OK);
    free(meetings);
    assert_true(count > 0);
    assert_int_equal(report.intersecting, count);
    assert_true(report.largest == 0);
    assert_true(report.first[0].intersects && report.first[0].first.kind == TAC_AUDIT_TRIANGLE);
    char text[256];
    assert_non_null(
        strstr(tac_start_pair_text(&report.first[0], text, sizeof text), "of skin 0 intersects triangle"));
    free_sheets(&scene);
}

static bool only_itself(void *context, size_t skin, size_t other) {
    (void)context;
    return skin == other;
}

static void excluded_skins(void **state) {
    (void)state;
    Scene scene;
    make_sheets(&scene, tac_vec3(0, 20, 85), tac_vec3(0.03, 0.04, 0));
    TacStartInput input = {scene.points, 2 * SHEET, scene.skins, 2, 0.01, only_itself, NULL, NULL};
    TacStartReport report;
    assert_int_equal(tac_start_check(&input, &report, NULL), TAC_OK);
    assert_int_equal(report.pairs, 0);
    free_sheets(&scene);
}

// Copies of a sheet, in one place, and a last one through another: only the two that cross may touch.
enum { COPIES = 100, CROSSING = COPIES - 2 };

static bool only_the_last(void *context, size_t skin, size_t other) {
    (void)context;
    return skin != other && (skin < other ? skin : other) >= CROSSING;
}

// Meetings that do not count, of which there may be any number, hid those that do.
static void many_that_may_meet_hide_none(void **state) {
    (void)state;
    Scene scene;
    make_sheets(&scene, tac_vec3(0, 20, 85), tac_vec3(0.03, 0.04, 0));
    size_t crossing = check(scene.skins, 2, scene.points, 2 * SHEET, 0).intersecting;
    TacAuditSkin skins[COPIES];
    double *points = malloc(COPIES * SHEET * 3 * sizeof *points);
    int32_t *triangles = malloc(COPIES * 3 * scene.skins[0].triangle_count * sizeof *triangles);
    assert_true(crossing > 0 && points && triangles);
    for (size_t s = 0; s < COPIES; s++) {
        const size_t from = s == COPIES - 1, count = 3 * scene.skins[from].triangle_count;
        memcpy(points + 3 * SHEET * s, scene.points + 3 * SHEET * from, 3 * SHEET * sizeof *points);
        for (size_t i = 0; i < count; i++)
            triangles[count * s + i] = scene.triangles[from][i] + (int32_t)(SHEET * (s - from));
        skins[s] = (TacAuditSkin){.triangles = triangles + count * s, .triangle_count = count / 3};
    }
    TacStartInput input = {points, COPIES * SHEET, skins, COPIES, 0, only_the_last, NULL, NULL};
    TacStartReport report;
    assert_int_equal(tac_start_check(&input, &report, NULL), TAC_OK);
    assert_int_equal(report.intersecting, crossing);
    free(points);
    free(triangles);
    free_sheets(&scene);
}

// A wire through a triangle; two balls; a ball at a wire.
static void balls_and_wires(void **state) {
    (void)state;
    const double points[] = {-1, 0, -1, 1, 0, -1, 0, 0, 1, 0, -1, 0, 0, 1, 0, 5, 0, 0, 5, 0.3, 0, 9, 0, 0};
    const int32_t triangle[] = {0, 1, 2}, wire[] = {3, 4}, balls[] = {5, 6, 7};
    const double radii[] = {0.1, 0.1, 1};
    TacAuditSkin skins[3] = {{.triangles = triangle, .triangle_count = 1},
                             {.edges = wire, .edge_count = 1},
                             {.vertices = balls, .vertex_count = 3, .radii = radii}};
    TacStartReport report = check(skins, 3, points, 8, 0.0999);
    assert_int_equal(report.pairs, 1);
    assert_int_equal(report.intersecting, 1);
    assert_int_equal(report.first[0].first.kind, TAC_AUDIT_EDGE);
    // the same wire in a mesh with faces, of which it is no side
    const int32_t edges[] = {1, 0, 4, 3, 1, 2, 0, 2};
    TacAuditSkin both = {.edges = edges, .edge_count = 4, .triangles = triangle, .triangle_count = 1};
    report = check(&both, 1, points, 8, 0);
    assert_int_equal(report.pairs, 1);
    assert_true(report.first[0].intersects && report.first[0].first.element == 1);
    report = check(skins + 2, 1, points, 8, 0.1001);
    assert_int_equal(report.pairs, 1);
    assert_true(fabs(report.largest - 0.1) < 1e-12);
    const int32_t lone[] = {5};
    const int32_t far_wire[] = {6, 7};
    TacAuditSkin pair[2] = {{.vertices = lone, .vertex_count = 1, .radius = 0.25},
                            {.edges = far_wire, .edge_count = 1}};
    double distance = 0.3 * 4 / sqrt(16 + 0.09) - 0.25; // of a point from a slanted line
    assert_int_equal(check(pair, 2, points, 8, distance - 1e-9).pairs, 0);
    report = check(pair, 2, points, 8, distance + 1e-9);
    assert_int_equal(report.pairs, 1);
    assert_true(fabs(report.largest - distance) < 1e-12);
}

// Places that no float can hold: two balls that coincide, and one a hundred times as far away.
static void far_away(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        const double x = sign * 1e60, points[] = {x, x, 0, x, x, 0, 100 * x, 0, -x};
        const int32_t balls[] = {0, 1, 2};
        TacAuditSkin skin = {.vertices = balls, .vertex_count = 3, .radius = 1};
        TacStartReport report = check(&skin, 1, points, 3, 0.1);
        assert_int_equal(report.pairs, 1);
        assert_int_equal(report.first[0].first.element + report.first[0].second.element, 1);
    }
}

static void refusals(void **state) {
    (void)state;
    const double points[] = {0, 0, NAN};
    const int32_t vertices[] = {0}, wrong[] = {1};
    TacAuditSkin skin = {.vertices = vertices, .vertex_count = 1};
    TacStartInput input = {points, 1, &skin, 1, 0.1, NULL, NULL, NULL};
    TacStartReport report;
    assert_int_equal(tac_start_check(&input, &report, NULL), TAC_BAD_INPUT);
    const double good[] = {0, 0, 0};
    input.points = good;
    assert_int_equal(tac_start_check(&input, &report, NULL), TAC_OK);
    skin.vertices = wrong;
    assert_int_equal(tac_start_check(&input, &report, NULL), TAC_BAD_USAGE);
    skin.vertices = vertices;
    input.thickness = -1;
    assert_int_equal(tac_start_check(&input, &report, NULL), TAC_BAD_USAGE);
}

// --- soups ------------------------------------------------------------------------------------------------

enum { TRIANGLES = 30, POINTS = 3 * TRIANGLES };

// Distances by asking for a motion that stands still: shares nothing with closest points.
static bool within(const TacVec3 *x, TacCcdPair pair, double thickness) {
    TacCcdInput input = tac_ccd_default_input(pair);
    TacCcdResult result;
    for (int i = 0; i < 4; i++) input.start[i] = input.end[i] = x[i];
    input.thickness = thickness;
    return tac_ccd(&input, &result) != TAC_CCD_CLEAR;
}

static void random_soups(void **state) {
    (void)state;
    TacRandom random = tac_random(31, 1);
    int32_t triangles[POINTS], edges[2 * POINTS], vertices[POINTS];
    for (int32_t i = 0; i < POINTS; i++) {
        triangles[i] = vertices[i] = edges[2 * i] = i;
        edges[2 * i + 1] = i % 3 == 2 ? i - 2 : i + 1;
    }
    for (int soup = 0; soup < 40; soup++) {
        double points[3 * POINTS];
        TacVec3 x[POINTS];
        for (int i = 0; i < POINTS; i++) {
            TacVec3 middle = i % 3 ? x[i - i % 3] : tac_vec3(0, 0, 0);
            double reach = i % 3 ? 0.3 : 1;
            x[i] = tac_add(middle, tac_vec3(tac_random_between(&random, -reach, reach),
                                            tac_random_between(&random, -reach, reach),
                                            tac_random_between(&random, -reach, reach)));
            tac_store3(points + 3 * i, x[i]);
        }
        TacAuditSkin skin = {vertices, POINTS, edges, POINTS, triangles, TRIANGLES, NULL, 0};
        double thickness = 0.02;
        size_t expected = 0, meeting = 0;
        for (int a = 0; a < POINTS; a++)
            for (int b = 0; b < POINTS; b++) {
                if (a / 3 == b / 3) continue;
                const TacVec3 face[4] = {x[a], x[b - b % 3], x[b - b % 3 + 1], x[b - b % 3 + 2]};
                const TacVec3 pair[4] = {x[edges[2 * a]], x[edges[2 * a + 1]], x[edges[2 * b]],
                                         x[edges[2 * b + 1]]};
                if (b % 3 == 0) expected += within(face, TAC_CCD_POINT_TRIANGLE, thickness);
                if (a < b) expected += within(pair, TAC_CCD_EDGE_EDGE, thickness);
                if (a < b && a % 3 == 0 && b % 3 == 0) meeting += tac_triangles_meet(x + a, x + b);
            }
        TacStartReport report = check(&skin, 1, points, POINTS, thickness);
        assert_int_equal(report.intersecting, meeting);
        assert_int_equal(report.pairs, expected + meeting);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_sheets), cmocka_unit_test(crossing_sheets),
        cmocka_unit_test(excluded_skins),  cmocka_unit_test(many_that_may_meet_hide_none),
        cmocka_unit_test(balls_and_wires), cmocka_unit_test(far_away),
        cmocka_unit_test(refusals),        cmocka_unit_test(random_soups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
