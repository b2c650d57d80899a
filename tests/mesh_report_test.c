// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Reports on meshes and their winding: against closed forms, planted faults, and random turns that must be undone.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "geometry/topology.h"
#include "mesh_checks.h"

static TacMeshReport report_of(const TacMesh *mesh) {
    TacMeshReport report;
    TacError error = {0};
    if (tac_mesh_report(mesh, &report, &error) != TAC_OK) fail_msg("%s", error.message);
    return report;
}

static size_t orient(TacMesh *mesh) {
    size_t turned;
    TacError error = {0};
    if (tac_mesh_orient(mesh, &turned, &error) != TAC_OK) fail_msg("%s", error.message);
    return turned;
}

static TacMesh make(size_t points, const double *x, size_t triangles, const int32_t *indices) {
    TacMesh mesh;
    const size_t counts[TAC_ELEMENT_KINDS] = {[TAC_TRIANGLES] = triangles};
    assert_int_equal(tac_mesh_create(&mesh, points, counts, NULL), TAC_OK);
    memcpy(mesh.points, x, 3 * points * sizeof *x);
    if (triangles) memcpy(mesh.elements[TAC_TRIANGLES].indices, indices, 3 * triangles * sizeof *indices);
    return mesh;
}

static void closed_forms(void **state) {
    (void)state;
    TacMesh box;
    assert_int_equal(tac_mesh_box(&box, 3, tac_vec3(1, 2, 3), tac_vec3(2, 4, 6), NULL), TAC_OK);
    TacMeshReport r = report_of(&box);
    assert_true(r.closed && r.manifold && r.oriented && r.parts == 1 && r.unused_points == 0);
    assert_true(fabs(r.volume - 6) < 1e-12 && fabs(r.area - 22) < 1e-12);
    assert_true(r.low.x == 1 && r.high.z == 6 && r.slivers == 0);
    assert_true(fabs(r.shortest_edge - 1. / 3) < 1e-12);
    tac_mesh_destroy(&box);

    // a regular triangle and a regular tetrahedron are of quality 1
    const double corners[] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    const int32_t one[] = {0, 1, 2};
    TacMesh triangle = make(4, corners, 1, one);
    r = report_of(&triangle);
    assert_true(fabs(r.worst_quality - 1) < 1e-12 && r.unused_points == 1 && r.open_edges == 3 && !r.closed);
    tac_mesh_destroy(&triangle);
    TacMesh tetrahedron;
    const size_t counts[TAC_ELEMENT_KINDS] = {[TAC_TETRAHEDRA] = 1};
    assert_int_equal(tac_mesh_create(&tetrahedron, 4, counts, NULL), TAC_OK);
    memcpy(tetrahedron.points, corners, sizeof corners);
    const int32_t inside_out[] = {0, 1, 2, 3};
    memcpy(tetrahedron.elements[TAC_TETRAHEDRA].indices, inside_out, sizeof inside_out);
    size_t inverted = tac_mesh_volume(&tetrahedron) < 0;
    r = report_of(&tetrahedron);
    assert_true(fabs(r.worst_quality - 1) < 1e-12 && r.closed && r.inverted == inverted);
    assert_true(fabs(fabs(r.volume) - 8. / 3) < 1e-12);
    assert_int_equal(orient(&tetrahedron), inverted);
    tac_element_reverse(TAC_TETRAHEDRA, tetrahedron.elements[TAC_TETRAHEDRA].indices);
    assert_int_equal(report_of(&tetrahedron).inverted, 1);
    assert_int_equal(orient(&tetrahedron), 1);
    assert_true(tac_mesh_volume(&tetrahedron) > 0);
    tac_mesh_destroy(&tetrahedron);
}

static void planted_faults(void **state) {
    (void)state;
    // two triangles that meet in a point only
    const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0};
    const int32_t bow[] = {0, 1, 2, 0, 3, 4};
    TacMesh mesh = make(5, flat, 2, bow);
    TacMeshReport r = report_of(&mesh);
    assert_true(r.pinched_points == 1 && !r.manifold && r.open_edges == 6 && r.parts == 1);
    tac_mesh_destroy(&mesh);

    // three on one edge
    const double book[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0};
    const int32_t pages[] = {0, 1, 2, 0, 1, 3, 0, 1, 4};
    mesh = make(5, book, 3, pages);
    r = report_of(&mesh);
    assert_true(r.crowded_edges == 1 && !r.manifold && r.pinched_points == 0 && r.turned_edges == 0);
    tac_mesh_destroy(&mesh);

    // neighbours that run the same way through their edge; a sliver
    const double sheet[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.5, -0.01, 0};
    const int32_t wrong[] = {0, 1, 2, 1, 2, 3, 1, 0, 4};
    mesh = make(5, sheet, 3, wrong);
    r = report_of(&mesh);
    assert_true(r.turned_edges == 1 && !r.oriented && r.slivers == 1 && r.manifold);
    tac_mesh_destroy(&mesh);

    // nothing at all; a flat triangle; a point out of range
    TacMesh empty = {0};
    r = report_of(&empty);
    assert_true(!r.closed && r.parts == 0 && r.volume == 0 && r.shortest_edge == 0);
    assert_int_equal(orient(&empty), 0);
    const int32_t none[] = {0, 0, 0};
    mesh = make(5, sheet, 1, none);
    r = report_of(&mesh);
    assert_true(r.slivers == 1 && r.worst_quality == 0 && r.area == 0);
    assert_int_equal(orient(&mesh), 0);
    mesh.elements[TAC_TRIANGLES].indices[0] = 5;
    assert_int_equal(tac_mesh_report(&mesh, &r, NULL), TAC_BAD_INPUT);
    assert_int_equal(tac_mesh_orient(&mesh, NULL, NULL), TAC_BAD_INPUT);
    tac_mesh_destroy(&mesh);
}

static void turn_at_random(TacMesh *mesh, TacRandom *random) {
    for (TacElement kind = TAC_TRIANGLES; kind <= TAC_HEXAHEDRA; kind++)
        for (size_t i = 0; i < mesh->elements[kind].count; i++)
            if (tac_random_bits(random) & 1)
                tac_element_reverse(kind, mesh->elements[kind].indices + i * (size_t)tac_element_size(kind));
}

static void random_turns_are_undone(void **state) {
    (void)state;
    TacRandom random = tac_random(7, 0);
    for (int round = 0; round < 20; round++) {
        TacMesh mesh;
        TacStatus status = round % 4 == 0   ? tac_mesh_torus(&mesh, 12, 16, 1, 0.3, NULL)
                           : round % 4 == 1 ? tac_mesh_icosphere(&mesh, 2, 0.5, NULL)
                           : round % 4 == 2
                               ? tac_mesh_ball(&mesh, 4, 0.5, NULL)
                               : tac_mesh_grid(&mesh, 3, 4, 5, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), NULL);
        assert_int_equal(status, TAC_OK);
        tac_mesh_transform(&mesh, tac_vec3(1, 1, 1), tac_vec3(10, 20, 30), tac_vec3(100, -50, 30));
        double volume = tac_mesh_volume(&mesh);
        turn_at_random(&mesh, &random);
        orient(&mesh);
        TacMeshReport r = report_of(&mesh);
        assert_true(r.closed && r.manifold && r.oriented && r.inverted == 0);
        assert_true(fabs(r.volume - volume) < 1e-9 * fabs(volume));
        assert_true(r.volume > 0);
        assert_int_equal(orient(&mesh), 0);
        tac_mesh_destroy(&mesh);
    }
}

// Two closed pieces, one inside out: each is turned on its own. An open sheet stays as most of it is.
static void pieces_are_turned_on_their_own(void **state) {
    (void)state;
    TacMesh a, sheet;
    assert_int_equal(tac_mesh_icosphere(&a, 1, 1, NULL), TAC_OK);
    size_t points = a.point_count, triangles = a.elements[TAC_TRIANGLES].count;
    double *x = malloc(6 * points * sizeof *x);
    int32_t *t = malloc(6 * triangles * sizeof *t);
    for (size_t i = 0; i < 3 * points; i++) x[i] = a.points[i], x[3 * points + i] = 0.5 * a.points[i] + 5;
    for (size_t i = 0; i < 3 * triangles; i++) t[i] = a.elements[TAC_TRIANGLES].indices[i];
    for (size_t i = 0; i < triangles; i++) {
        const int32_t *from = a.elements[TAC_TRIANGLES].indices + 3 * i;
        int32_t *to = t + 3 * (triangles + i), shift = (int32_t)points;
        to[0] = from[0] + shift, to[1] = from[2] + shift, to[2] = from[1] + shift;
    }
    TacMesh both = make(2 * points, x, 2 * triangles, t);
    double one = tac_mesh_volume(&a);
    assert_int_equal(orient(&both), triangles);
    TacMeshReport r = report_of(&both);
    assert_true(r.parts == 2 && fabs(r.volume - 1.125 * one) < 1e-9);
    tac_mesh_destroy(&a);
    tac_mesh_destroy(&both);
    free(x);
    free(t);

    assert_int_equal(tac_mesh_sheet(&sheet, 4, 4, 1, 1, NULL), TAC_OK);
    for (size_t i = 0; i < 5; i++)
        tac_element_reverse(TAC_TRIANGLES, sheet.elements[TAC_TRIANGLES].indices + 9 * i);
    assert_int_equal(orient(&sheet), 5);
    assert_true(report_of(&sheet).oriented);
    tac_mesh_destroy(&sheet);
}

static void one_sided_surfaces_are_refused(void **state) {
    (void)state;
    enum { N = 8 };
    double x[6 * N];
    int32_t t[6 * N];
    for (int i = 0; i < N; i++) {
        double angle = 2 * TAC_PI * i / N;
        for (int side = 0; side < 2; side++) {
            double r = 1 + (side ? 0.2 : -0.2) * cos(angle / 2);
            double *p = x + 3 * (2 * i + side);
            p[0] = r * cos(angle), p[1] = r * sin(angle), p[2] = (side ? 0.2 : -0.2) * sin(angle / 2);
        }
        // the last joins the first upside down
        int32_t a = 2 * i, b = 2 * i + 1, c = i + 1 < N ? 2 * i + 2 : 1, d = i + 1 < N ? 2 * i + 3 : 0;
        const int32_t two[] = {a, b, c, c, b, d};
        memcpy(t + 6 * i, two, sizeof two);
    }
    TacMesh strip = make(2 * N, x, 2 * N, t);
    TacError error = {0};
    size_t turned = 9;
    assert_int_equal(tac_mesh_orient(&strip, &turned, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "one side only"));
    assert_memory_equal(strip.elements[TAC_TRIANGLES].indices, t, sizeof t);
    assert_int_equal(turned, 0);
    tac_mesh_destroy(&strip);
}

// Finer, and the same surface: closed, wound one way, of the same volume and area, no edge too long.
static void refined(void **state) {
    (void)state;
    const double longest[] = {2, 0.5, 0.3, 0.07};
    for (size_t i = 0; i < sizeof longest / sizeof *longest; i++) {
        TacMesh mesh;
        assert_int_equal(i % 2 ? tac_mesh_icosphere(&mesh, 1, 0.7, NULL)
                               : tac_mesh_box(&mesh, 1, tac_vec3(0, 0, 0), tac_vec3(1, 2, 0.1), NULL),
                         TAC_OK);
        assert_int_equal(tac_mesh_split(&mesh, NULL), TAC_OK);
        TacMeshReport before = report_of(&mesh);
        assert_int_equal(tac_mesh_refine(&mesh, longest[i], 1000000, NULL), TAC_OK);
        TacMeshReport r = report_of(&mesh);
        assert_true(r.closed && r.manifold && r.oriented && r.parts == 1 && r.unused_points == 0);
        assert_true(r.longest_edge <= longest[i]);
        assert_true(r.shortest_edge >= 0.1 * fmin(longest[i], before.shortest_edge));
        assert_true(fabs(r.volume - before.volume) < 1e-12 && fabs(r.area - before.area) < 1e-12);
        tac_mesh_destroy(&mesh);
    }
}

static void refining_has_limits(void **state) {
    (void)state;
    TacError error = {0};
    TacMesh mesh;
    assert_int_equal(tac_mesh_icosphere(&mesh, 1, 1, NULL), TAC_OK);
    size_t points = mesh.point_count;
    assert_int_equal(tac_mesh_refine(&mesh, 1e-6, 5000, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "5000"));
    assert_true(mesh.point_count == points);
    assert_int_equal(tac_mesh_refine(&mesh, 0, 5000, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_refine(&mesh, NAN, 5000, &error), TAC_BAD_USAGE);
    tac_mesh_destroy(&mesh);
    // edges whose middles are their ends: no end would be in sight
    const double far[] = {1e16, 0, 0, 1e16 + 2, 0, 0, 1e16, 1, 0};
    const int32_t corners[] = {0, 1, 2};
    mesh = make(3, far, 1, corners);
    assert_int_equal(tac_mesh_refine(&mesh, 1.5, 5000, &error), TAC_OK);
    tac_mesh_destroy(&mesh);
    TacMesh grid;
    assert_int_equal(tac_mesh_grid(&grid, 2, 2, 2, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), &error), TAC_OK);
    assert_int_equal(tac_mesh_refine(&grid, 0.1, 5000, &error), TAC_BAD_USAGE);
    tac_mesh_destroy(&grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(refined),
        cmocka_unit_test(refining_has_limits),
        cmocka_unit_test(planted_faults),
        cmocka_unit_test(random_turns_are_undone),
        cmocka_unit_test(pieces_are_turned_on_their_own),
        cmocka_unit_test(one_sided_surfaces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
