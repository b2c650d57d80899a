// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The mesh and its topology: against closed forms and against slow, obvious versions on random meshes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/mesh_file.h"
#include "geometry/topology.h"
#include "mesh_checks.h"

static TacMesh make_grid(int n) {
    TacMesh mesh;
    assert_int_equal(tac_mesh_grid(&mesh, n, n, n, tac_vec3(0, 0, 0), tac_vec3(1, 2, 3), NULL), TAC_OK);
    return mesh;
}

// Points and elements of every kind, all at random.
static TacMesh make_random(TacRandom *random, size_t points, size_t each) {
    size_t counts[TAC_ELEMENT_KINDS];
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) counts[kind] = each;
    TacMesh mesh;
    assert_int_equal(tac_mesh_create(&mesh, points, counts, NULL), TAC_OK);
    for (size_t i = 0; i < 3 * points; i++) mesh.points[i] = tac_random_between(random, -1, 1);
    for (TacElement kind = TAC_EDGES; kind < TAC_ELEMENT_KINDS; kind++)
        for (size_t i = 0; i < each * (size_t)tac_element_size(kind); i++)
            mesh.elements[kind].indices[i] = (int32_t)(tac_random_bits(random) % points);
    return mesh;
}

static void create_copy_and_destroy(void **state) {
    (void)state;
    const size_t counts[TAC_ELEMENT_KINDS] = {1, 2, 3, 4, 5};
    TacMesh mesh, copy;
    assert_int_equal(tac_mesh_create(&mesh, 9, counts, NULL), TAC_OK);
    for (size_t i = 0; i < 27; i++) assert_true(mesh.points[i] == 0);
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        assert_int_equal(mesh.elements[kind].count, counts[kind]);
    mesh.points[26] = 7;
    mesh.elements[TAC_HEXAHEDRA].indices[39] = 8;
    mesh.radii = malloc(9 * sizeof(double));
    for (int i = 0; i < 9; i++) mesh.radii[i] = 1 + i;
    assert_int_equal(tac_mesh_copy(&copy, &mesh, NULL), TAC_OK);
    assert_true(copy.points != mesh.points && copy.points[26] == 7 && copy.radii[8] == 9);
    assert_int_equal(copy.elements[TAC_HEXAHEDRA].indices[39], 8);
    tac_mesh_destroy(&mesh);
    tac_mesh_destroy(&copy);
    assert_null(mesh.points);

    // a mesh of nothing, and one that cannot be
    TacMesh empty = {0};
    assert_int_equal(tac_mesh_copy(&copy, &empty, NULL), TAC_OK);
    assert_int_equal(tac_mesh_validate(&copy, NULL), TAC_OK);
    assert_true(tac_mesh_volume(&copy) == 0);
    const size_t absurd[TAC_ELEMENT_KINDS] = {0, SIZE_MAX / 2, 0, 0, 0};
    assert_int_equal(tac_mesh_create(&mesh, 3, absurd, NULL), TAC_NO_MEMORY);
    assert_null(mesh.points);
    assert_int_equal(tac_mesh_create(&mesh, (size_t)1 << 40, counts, NULL), TAC_BAD_USAGE);
    tac_mesh_destroy(&copy);
}

static void validate_finds_what_is_wrong(void **state) {
    (void)state;
    TacMesh mesh = make_grid(2);
    TacError error = {0};
    assert_int_equal(tac_mesh_validate(&mesh, &error), TAC_OK);
    mesh.points[4] = NAN;
    assert_int_equal(tac_mesh_validate(&mesh, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "point 1 "));
    mesh.points[4] = -INFINITY;
    assert_int_equal(tac_mesh_validate(&mesh, NULL), TAC_BAD_INPUT);
    mesh.points[4] = 0;
    mesh.elements[TAC_HEXAHEDRA].indices[3] = 8;
    assert_int_equal(tac_mesh_validate(&mesh, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "hexahedra"));
    mesh.elements[TAC_HEXAHEDRA].indices[3] = -1;
    assert_int_equal(tac_mesh_validate(&mesh, NULL), TAC_BAD_INPUT);
    mesh.elements[TAC_HEXAHEDRA].indices[3] = 7;
    mesh.radii = calloc(8, sizeof(double));
    assert_int_equal(tac_mesh_validate(&mesh, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "radius"));
    for (int i = 0; i < 8; i++) mesh.radii[i] = 0.1;
    assert_int_equal(tac_mesh_validate(&mesh, NULL), TAC_OK);
    tac_mesh_destroy(&mesh);
}

static void transform_scales_turns_and_moves_in_that_order(void **state) {
    (void)state;
    const size_t none[TAC_ELEMENT_KINDS] = {0};
    TacMesh mesh;
    assert_int_equal(tac_mesh_create(&mesh, 1, none, NULL), TAC_OK);
    tac_store3(mesh.points, tac_vec3(1, 2, 3));
    // scaled (2, 2, 9); x by 90: (2, -9, 2); y by 90: (2, -9, -2); z by 180: (-2, 9, -2); exactly
    tac_mesh_transform(&mesh, tac_vec3(2, 1, 3), tac_vec3(90, 90, 180), tac_vec3(10, 20, 30));
    assert_true(mesh.points[0] == 8 && mesh.points[1] == 29 && mesh.points[2] == 28);
    tac_store3(mesh.points, tac_vec3(1, 0, 0));
    tac_mesh_transform(&mesh, tac_vec3(1, 1, 1), tac_vec3(0, 0, 30), tac_vec3(0, 0, 0));
    assert_near(mesh.points[0], sqrt(3) / 2, 1e-15);
    assert_near(mesh.points[1], 0.5, 1e-15);
    tac_mesh_destroy(&mesh);
}

static void mirrored_meshes_keep_their_outside(void **state) {
    (void)state;
    TacMesh mesh = make_grid(3);
    assert_int_equal(tac_mesh_split(&mesh, NULL), TAC_OK);
    TacMesh hexahedra = make_grid(3), box;
    assert_int_equal(tac_mesh_box(&box, 2, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), NULL), TAC_OK);
    TacVec3 mirror = {-1, 1, 2}, none = {0, 0, 0};
    tac_mesh_transform(&mesh, mirror, none, none);
    tac_mesh_transform(&hexahedra, mirror, none, none);
    tac_mesh_transform(&box, mirror, tac_vec3(10, 20, 30), none);
    assert_near(tac_mesh_volume(&mesh), 12, 1e-13);
    assert_near(tac_mesh_volume(&hexahedra), 12, 1e-13);
    assert_near(tac_mesh_volume(&box), 2, 1e-13);
    // still conforming when split after the mirror
    assert_int_equal(tac_mesh_split(&hexahedra, NULL), TAC_OK);
    int32_t *surface;
    size_t count;
    assert_int_equal(tac_mesh_surface(&hexahedra, &surface, &count, NULL), TAC_OK);
    assert_int_equal(count, 48);
    free(surface);
    tac_mesh_destroy(&mesh);
    tac_mesh_destroy(&hexahedra);
    tac_mesh_destroy(&box);
}

static void bounds_and_radii(void **state) {
    (void)state;
    TacVec3 low, high;
    TacMesh mesh = {0};
    tac_mesh_bounds(&mesh, &low, &high);
    assert_true(low.x == 0 && high.z == 0);
    mesh = make_grid(3);
    tac_mesh_transform(&mesh, tac_vec3(1, 1, 1), tac_vec3(0, 0, 0), tac_vec3(5, -7, 1));
    tac_mesh_bounds(&mesh, &low, &high);
    assert_true(low.x == 5 && low.y == -7 && low.z == 1 && high.x == 6 && high.y == -5 && high.z == 4);
    mesh.radii = malloc(mesh.point_count * sizeof(double));
    for (size_t i = 0; i < mesh.point_count; i++) mesh.radii[i] = 0.25;
    tac_mesh_transform(&mesh, tac_vec3(-2, 2, 2), tac_vec3(0, 0, 0), tac_vec3(0, 0, 0));
    assert_near(mesh.radii[3], 0.5, 1e-15);
    tac_mesh_destroy(&mesh);
}

static void volume_is_the_same_far_away(void **state) {
    (void)state;
    TacMesh mesh;
    assert_int_equal(tac_mesh_box(&mesh, 3, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), NULL), TAC_OK);
    tac_mesh_transform(&mesh, tac_vec3(1, 1, 1), tac_vec3(0, 0, 0), tac_vec3(1 << 20, 1 << 20, 1 << 20));
    assert_near(tac_mesh_volume(&mesh), 1, 1e-8);
    tac_mesh_destroy(&mesh);
}

// One number per triangle (of fewer than 2^20 points), the same however it is turned, in ascending order.
static uint64_t *triangle_keys(const int32_t *triangles, size_t count) {
    uint64_t *keys = malloc(count * sizeof *keys);
    assert_non_null(keys);
    for (size_t i = 0; i < count; i++) {
        const int32_t *t = triangles + 3 * i;
        int first = t[0] < t[1] && t[0] < t[2] ? 0 : t[1] < t[2] ? 1 : 2;
        keys[i] =
            (uint64_t)t[first] << 40 | (uint64_t)t[(first + 1) % 3] << 20 | (uint64_t)t[(first + 2) % 3];
    }
    qsort(keys, count, sizeof *keys, compare_u64);
    return keys;
}

static void surface_of_split_hexahedra_is_their_surface(void **state) {
    (void)state;
    TacMesh mesh = make_grid(4);
    int32_t *before, *after;
    size_t count_before, count_after;
    assert_int_equal(tac_mesh_surface(&mesh, &before, &count_before, NULL), TAC_OK);
    assert_int_equal(closed_euler(before, count_before, mesh.point_count), 2);
    assert_near(enclosed_volume(mesh.points, before, count_before), 6, 1e-13);
    assert_int_equal(tac_mesh_split(&mesh, NULL), TAC_OK);
    assert_int_equal(mesh.elements[TAC_HEXAHEDRA].count, 0);
    assert_int_equal(mesh.elements[TAC_TETRAHEDRA].count, 6 * 27);
    for (size_t i = 0; i < 6 * 27; i++)
        assert_near(tac_tetrahedron_volume(mesh.points, mesh.elements[TAC_TETRAHEDRA].indices + 4 * i),
                    1.0 / 27, 1e-15);
    assert_int_equal(tac_mesh_surface(&mesh, &after, &count_after, NULL), TAC_OK);
    assert_int_equal(count_after, count_before);
    assert_int_equal(closed_euler(after, count_after, mesh.point_count), 2);
    assert_near(enclosed_volume(mesh.points, after, count_after), 6, 1e-13);
    // triangle for triangle the same, whatever their order
    uint64_t *keys_before = triangle_keys(before, count_before),
             *keys_after = triangle_keys(after, count_after);
    assert_memory_equal(keys_before, keys_after, count_after * sizeof(uint64_t));
    free(keys_before);
    free(keys_after);
    assert_near(total_area(mesh.points, after, count_after), 22, 1e-12);
    free(before);
    free(after);
    tac_mesh_destroy(&mesh);
}

static void surface_turns_inverted_elements(void **state) {
    (void)state;
    for (int split = 0; split < 2; split++) {
        TacMesh mesh = make_grid(3);
        if (split) assert_int_equal(tac_mesh_split(&mesh, NULL), TAC_OK);
        TacElement kind = split ? TAC_TETRAHEDRA : TAC_HEXAHEDRA;
        size_t size = (size_t)tac_element_size(kind);
        for (size_t i = 0; i < mesh.elements[kind].count; i += 3)
            tac_element_reverse(kind, mesh.elements[kind].indices + i * size);
        int32_t *surface;
        size_t count;
        assert_int_equal(tac_mesh_surface(&mesh, &surface, &count, NULL), TAC_OK);
        assert_int_equal(closed_euler(surface, count, mesh.point_count), 2);
        assert_near(enclosed_volume(mesh.points, surface, count), 6, 1e-13);
        free(surface);
        tac_mesh_destroy(&mesh);
    }
}

static bool face_is(const int32_t *e, const int *face, int n, const int32_t *corners) {
    for (int c = 0; c < n; c++) {
        bool found = false;
        for (int k = 0; k < n; k++) found |= e[face[k]] == corners[c];
        if (!found) return false;
    }
    return true;
}

// Counts how many tetrahedra have this triangle as a face, one by one.
static void surface_agrees_with_counting_faces(void **state) {
    (void)state;
    TacRandom random = tac_random(1, 2);
    for (int round = 0; round < 30; round++) {
        size_t counts[TAC_ELEMENT_KINDS] = {0};
        counts[TAC_TETRAHEDRA] = 40;
        TacMesh mesh;
        assert_int_equal(tac_mesh_create(&mesh, 9, counts, NULL), TAC_OK);
        int32_t *e = mesh.elements[TAC_TETRAHEDRA].indices;
        for (size_t i = 0; i < 27; i++) mesh.points[i] = tac_random_between(&random, -1, 1);
        // corners that differ
        for (int i = 0; i < 40; i++) {
            int32_t deck[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
            for (int c = 0; c < 4; c++) {
                int pick = c + (int)(tac_random_bits(&random) % (uint32_t)(9 - c));
                e[4 * i + c] = deck[pick];
                deck[pick] = deck[c];
            }
        }
        size_t expected = 0;
        for (int i = 0; i < 40; i++)
            for (int f = 0; f < 4; f++) {
                int32_t corners[3];
                int same = 0;
                for (int c = 0; c < 3; c++) corners[c] = e[4 * i + tac_tetrahedron_faces[f][c]];
                for (int j = 0; j < 40; j++)
                    for (int g = 0; g < 4; g++)
                        same += face_is(e + 4 * j, tac_tetrahedron_faces[g], 3, corners);
                expected += same == 1;
            }
        int32_t *surface;
        size_t count;
        assert_int_equal(tac_mesh_surface(&mesh, &surface, &count, NULL), TAC_OK);
        assert_int_equal(count, expected);
        free(surface);
        tac_mesh_destroy(&mesh);
    }
}

static void edges_agree_with_a_table(void **state) {
    (void)state;
    enum { POINTS = 40 };
    static const int hexahedron[12][2] = {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {4, 5}, {5, 6},
                                          {6, 7}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    TacRandom random = tac_random(3, 4);
    for (int round = 0; round < 20; round++) {
        TacMesh mesh = make_random(&random, POINTS, (size_t)round);
        static bool table[POINTS][POINTS];
        memset(table, 0, sizeof table);
        for (TacElement kind = TAC_EDGES; kind < TAC_ELEMENT_KINDS; kind++)
            for (size_t i = 0; i < mesh.elements[kind].count; i++) {
                int size = tac_element_size(kind);
                const int32_t *e = mesh.elements[kind].indices + i * (size_t)size;
                if (kind == TAC_HEXAHEDRA) {
                    for (int k = 0; k < 12; k++) table[e[hexahedron[k][0]]][e[hexahedron[k][1]]] = true;
                } else {
                    for (int a = 0; a < size; a++)
                        for (int b = 0; b < a; b++)
                            // only neighbours around a quad
                            if (kind != TAC_QUADS || (a - b) % 2) table[e[a]][e[b]] = true;
                }
            }
        int32_t *edges;
        size_t count, next = 0;
        assert_int_equal(tac_mesh_all_edges(&mesh, &edges, &count, NULL), TAC_OK);
        for (int a = 0; a < POINTS; a++)
            for (int b = a + 1; b < POINTS; b++)
                if (table[a][b] || table[b][a]) {
                    assert_true(next < count);
                    assert_int_equal(edges[2 * next], a);
                    assert_int_equal(edges[2 * next + 1], b);
                    next++;
                }
        assert_int_equal(next, count);
        free(edges);
        tac_mesh_destroy(&mesh);
    }
}

static void surface_of_own_faces(void **state) {
    (void)state;
    TacMesh mesh;
    int32_t *surface;
    size_t count;
    assert_int_equal(tac_mesh_grid(&mesh, 3, 3, 1, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), NULL), TAC_OK);
    assert_int_equal(tac_mesh_surface(&mesh, &surface, &count, NULL), TAC_OK);
    assert_int_equal(count, 8);
    assert_near(total_area(mesh.points, surface, count), 1, 1e-15);
    free(surface);
    tac_mesh_destroy(&mesh);
    assert_int_equal(tac_mesh_surface(&mesh, &surface, &count, NULL), TAC_OK);
    assert_int_equal(count, 0);
    free(surface);
}

static void weld_merges_identical_points(void **state) {
    (void)state;
    // a box from loose triangles, with a minus zero here and there
    TacMesh box, loose;
    assert_int_equal(tac_mesh_box(&box, 4, tac_vec3(0, 0, 0), tac_vec3(1, 1, 1), NULL), TAC_OK);
    size_t triangles = box.elements[TAC_TRIANGLES].count, counts[TAC_ELEMENT_KINDS] = {0, triangles, 0, 0, 0};
    assert_int_equal(tac_mesh_create(&loose, 3 * triangles, counts, NULL), TAC_OK);
    for (size_t i = 0; i < 3 * triangles; i++) {
        loose.elements[TAC_TRIANGLES].indices[i] = (int32_t)i;
        for (size_t c = 0; c < 3; c++) {
            double x = box.points[3 * (size_t)box.elements[TAC_TRIANGLES].indices[i] + c];
            loose.points[3 * i + c] = x == 0 && i % 2 ? -0.0 : x;
        }
    }
    assert_int_equal(tac_mesh_weld(&loose, 0, NULL), TAC_OK);
    assert_int_equal(loose.point_count, box.point_count);
    assert_int_equal(loose.elements[TAC_TRIANGLES].count, triangles);
    assert_int_equal(closed_euler(loose.elements[TAC_TRIANGLES].indices, triangles, loose.point_count), 2);
    assert_near(tac_mesh_volume(&loose), 1, 1e-14);
    tac_mesh_destroy(&loose);
    tac_mesh_destroy(&box);
}

// Copies enough that places which share a bucket are told apart by sorting.
static void weld_tells_crowded_places_apart(void **state) {
    (void)state;
    enum { PLACES = 5000, COPIES = 20 };
    const size_t none[TAC_ELEMENT_KINDS] = {0};
    TacRandom random = tac_random(11, 12);
    TacMesh mesh;
    assert_int_equal(tac_mesh_create(&mesh, PLACES * COPIES, none, NULL), TAC_OK);
    for (size_t i = 0; i < 3 * PLACES; i++) mesh.points[i] = tac_random_unit(&random);
    for (size_t i = 3 * PLACES; i < (size_t)3 * PLACES * COPIES; i++)
        mesh.points[i] = mesh.points[i - 3 * PLACES];
    TacMesh old;
    assert_int_equal(tac_mesh_copy(&old, &mesh, NULL), TAC_OK);
    assert_int_equal(tac_mesh_weld(&mesh, 0, NULL), TAC_OK);
    assert_int_equal(mesh.point_count, PLACES);
    assert_memory_equal(mesh.points, old.points, (size_t)3 * PLACES * sizeof(double));
    tac_mesh_destroy(&mesh);
    tac_mesh_destroy(&old);
}

static void weld_keeps_points_a_distance_apart(void **state) {
    (void)state;
    TacRandom random = tac_random(5, 6);
    for (int round = 0; round < 20; round++) {
        TacMesh mesh = make_random(&random, 300, 20), old;
        double distance = 0.02 * (round + 1);
        assert_int_equal(tac_mesh_copy(&old, &mesh, NULL), TAC_OK);
        assert_int_equal(tac_mesh_weld(&mesh, distance, NULL), TAC_OK);
        assert_int_equal(tac_mesh_validate(&mesh, NULL), TAC_OK);
        assert_true(mesh.point_count <= 300);
        // kept points are apart; every old point has a kept one near
        for (size_t i = 0; i < mesh.point_count; i++)
            for (size_t j = 0; j < i; j++) {
                TacVec3 d = tac_sub(tac_load3(mesh.points + 3 * i), tac_load3(mesh.points + 3 * j));
                assert_true(tac_norm(d) >= distance * (1 - 1e-15));
            }
        for (size_t i = 0; i < 300; i++) {
            double best = INFINITY;
            for (size_t j = 0; j < mesh.point_count; j++) {
                TacVec3 d = tac_sub(tac_load3(old.points + 3 * i), tac_load3(mesh.points + 3 * j));
                best = fmin(best, tac_norm(d));
            }
            assert_true(best < distance);
        }
        tac_mesh_destroy(&mesh);
        tac_mesh_destroy(&old);
    }
}

static void weld_drops_what_collapses(void **state) {
    (void)state;
    const size_t counts[TAC_ELEMENT_KINDS] = {2, 2, 0, 0, 0};
    TacMesh mesh;
    assert_int_equal(tac_mesh_create(&mesh, 5, counts, NULL), TAC_OK);
    const double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1e-4, 0, 0, 1, 1, 0};
    memcpy(mesh.points, points, sizeof points);
    const int32_t edges[4] = {0, 3, 3, 4}, triangles[6] = {0, 3, 1, 3, 1, 2};
    memcpy(mesh.elements[TAC_EDGES].indices, edges, sizeof edges);
    memcpy(mesh.elements[TAC_TRIANGLES].indices, triangles, sizeof triangles);
    mesh.radii = malloc(5 * sizeof(double));
    for (int i = 0; i < 5; i++) mesh.radii[i] = i + 1;
    assert_int_equal(tac_mesh_weld(&mesh, 1e-3, NULL), TAC_OK);
    assert_int_equal(mesh.point_count, 4);
    assert_int_equal(mesh.elements[TAC_EDGES].count, 1);
    assert_int_equal(mesh.elements[TAC_EDGES].indices[0], 0);
    assert_int_equal(mesh.elements[TAC_EDGES].indices[1], 3);
    assert_int_equal(mesh.elements[TAC_TRIANGLES].count, 1);
    assert_int_equal(mesh.elements[TAC_TRIANGLES].indices[0], 0);
    assert_true(mesh.radii[3] == 5 && mesh.points[0] == 0);
    assert_int_equal(tac_mesh_weld(&mesh, -1, NULL), TAC_BAD_USAGE);
    assert_int_equal(tac_mesh_weld(&mesh, NAN, NULL), TAC_BAD_USAGE);
    tac_mesh_destroy(&mesh);
}

// Would take hours if buckets or cells were searched in a line.
static void weld_survives_crowds(void **state) {
    (void)state;
    const size_t none[TAC_ELEMENT_KINDS] = {0};
    static const double distances[] = {0, 1e-300, 1e-9, 1, 1e300};
    for (size_t k = 0; k < TAC_COUNT(distances); k++) {
        TacMesh mesh;
        assert_int_equal(tac_mesh_create(&mesh, 300000, none, NULL), TAC_OK);
        for (size_t i = 0; i < 300000; i++) mesh.points[3 * i] = i % 2 ? 1e250 : 1e-250 * (double)(i % 3);
        assert_int_equal(tac_mesh_weld(&mesh, distances[k], NULL), TAC_OK);
        assert_int_equal(mesh.point_count, k <= 1 ? 4 : k == 4 ? 1 : 2);
        tac_mesh_destroy(&mesh);
    }
}

static void builder_cuts_wedges_and_pyramids(void **state) {
    (void)state;
    // a ring of six wedges around an axis, in every numbering, under a roof of pyramids' tips
    TacRandom random = tac_random(7, 8);
    for (int round = 0; round < 50; round++) {
        int64_t numbers[20];
        for (int i = 0; i < 15; i++) numbers[i] = i;
        for (int i = 14; i > 0; i--) {
            int j = (int)(tac_random_bits(&random) % (uint32_t)(i + 1));
            int64_t t = numbers[i];
            numbers[i] = numbers[j];
            numbers[j] = t;
        }
        double points[15][3] = {{0}};
        for (int i = 0; i < 6; i++)
            for (int level = 0; level < 2; level++) {
                double angle = TAC_PI / 3 * i;
                double *p = points[numbers[2 * i + level]];
                p[0] = cos(angle);
                p[1] = sin(angle);
                p[2] = level;
            }
        points[numbers[13]][2] = 1;
        // numbers[12] and [13] are the axis, [14] the tip of a pyramid on the first outer quad
        double *tip = points[numbers[14]];
        tip[0] = 2 * cos(TAC_PI / 6);
        tip[1] = 2 * sin(TAC_PI / 6);
        tip[2] = 0.5;

        TacMeshBuilder builder = {.name = "test"};
        for (int i = 0; i < 15; i++)
            assert_int_equal(tac_mesh_builder_point(&builder, points[i][0], points[i][1], points[i][2], NULL),
                             TAC_OK);
        for (int i = 0; i < 6; i++) {
            int next = (i + 1) % 6;
            int64_t bottom[3] = {numbers[12], numbers[2 * i], numbers[2 * next]};
            int64_t top[3] = {numbers[13], numbers[2 * i + 1], numbers[2 * next + 1]};
            int64_t wedge[6];
            // both orders of the two triangles that formats use
            for (int c = 0; c < 3; c++) {
                wedge[c] = round % 2 ? bottom[c] : top[c];
                wedge[c + 3] = round % 2 ? top[c] : bottom[c];
            }
            assert_int_equal(tac_mesh_builder_wedge(&builder, wedge, NULL), TAC_OK);
        }
        int64_t pyramid[5] = {numbers[0], numbers[2], numbers[3], numbers[1], numbers[14]};
        assert_int_equal(tac_mesh_builder_pyramid(&builder, pyramid, NULL), TAC_OK);
        TacMesh mesh;
        assert_int_equal(tac_mesh_builder_finish(&builder, &mesh, NULL), TAC_OK);
        assert_int_equal(mesh.elements[TAC_TETRAHEDRA].count, 20);
        for (size_t i = 0; i < 20; i++)
            assert_true(tac_tetrahedron_volume(mesh.points, mesh.elements[TAC_TETRAHEDRA].indices + 4 * i) >
                        0);
        // a hexagon with sides of 1, height 1; a pyramid on a unit square
        double height = 2 - sqrt(3) / 2;
        assert_near(tac_mesh_volume(&mesh), 1.5 * sqrt(3) + height / 3, 1e-14);
        int32_t *surface;
        size_t count;
        assert_int_equal(tac_mesh_surface(&mesh, &surface, &count, NULL), TAC_OK);
        assert_int_equal(count, 6 * 2 + 6 * 2 - 2 + 4);
        assert_int_equal(closed_euler(surface, count, mesh.point_count), 2);
        free(surface);
        tac_mesh_destroy(&mesh);
    }
}

static void a_pyramid_on_a_hexahedron_is_one_body(void **state) {
    (void)state;
    TacMeshBuilder builder = {.name = "test"};
    for (int turn = 0; turn < 4; turn++) {
        for (int i = 0; i < 8; i++) {
            double x = i % 4 == 1 || i % 4 == 2, y = i % 4 > 1;
            assert_int_equal(tac_mesh_builder_point(&builder, x, y, i / 4, NULL), TAC_OK);
        }
        assert_int_equal(tac_mesh_builder_point(&builder, 0.5, 0.5, 2, NULL), TAC_OK);
        // the cut of the common face takes both diagonals as the hexahedron is turned
        int64_t hexahedron[8], pyramid[5] = {4, 5, 6, 7, 8};
        for (int i = 0; i < 8; i++) hexahedron[i] = i / 4 * 4 + (i + turn) % 4;
        assert_int_equal(tac_mesh_builder_element(&builder, TAC_HEXAHEDRA, hexahedron, NULL), TAC_OK);
        assert_int_equal(tac_mesh_builder_pyramid(&builder, pyramid, NULL), TAC_OK);
        TacMesh mesh;
        assert_int_equal(tac_mesh_builder_finish(&builder, &mesh, NULL), TAC_OK);
        int32_t *surface;
        size_t count;
        assert_int_equal(tac_mesh_surface(&mesh, &surface, &count, NULL), TAC_OK);
        assert_int_equal(count, 10 + 4);
        assert_int_equal(closed_euler(surface, count, 9), 2);
        assert_near(enclosed_volume(mesh.points, surface, count), 1 + 1.0 / 3, 1e-14);
        free(surface);
        tac_mesh_destroy(&mesh);
        builder = (TacMeshBuilder){.name = "test"};
    }
}

static void builder_refuses_bad_numbers(void **state) {
    (void)state;
    TacError error = {0};
    TacMesh mesh;
    TacMeshBuilder builder = {.name = "file", .line = 7};
    assert_int_equal(tac_mesh_builder_point(&builder, 0, NAN, 0, &error), TAC_BAD_INPUT);
    assert_int_equal(error.line, 7);
    assert_string_equal(error.file, "file");
    assert_int_equal(tac_mesh_builder_radius(&builder, 0, &error), TAC_BAD_INPUT);
    const int64_t below[3] = {0, -1, 2}, beyond[3] = {0, 1, (int64_t)1 << 33}, forward[3] = {0, 1, 5};
    assert_int_equal(tac_mesh_builder_element(&builder, TAC_TRIANGLES, below, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_mesh_builder_element(&builder, TAC_TRIANGLES, beyond, &error), TAC_BAD_INPUT);
    builder.line = 8;
    assert_int_equal(tac_mesh_builder_element(&builder, TAC_TRIANGLES, forward, &error), TAC_OK);
    for (int i = 0; i < 5; i++) assert_int_equal(tac_mesh_builder_point(&builder, i, 0, 0, NULL), TAC_OK);
    builder.line = 20;
    assert_int_equal(tac_mesh_builder_finish(&builder, &mesh, &error), TAC_BAD_INPUT);
    assert_int_equal(error.line, 8);
    assert_null(mesh.points);
    assert_null(builder.points);
    // a point too few for its radii, and nothing at all
    builder.name = "file";
    assert_int_equal(tac_mesh_builder_radius(&builder, 1, NULL), TAC_OK);
    assert_int_equal(tac_mesh_builder_point(&builder, 0, 0, 0, NULL), TAC_OK);
    assert_int_equal(tac_mesh_builder_point(&builder, 1, 0, 0, NULL), TAC_OK);
    assert_int_equal(tac_mesh_builder_finish(&builder, &mesh, NULL), TAC_BAD_INPUT);
    assert_int_equal(tac_mesh_builder_finish(&builder, &mesh, NULL), TAC_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_copy_and_destroy),
        cmocka_unit_test(validate_finds_what_is_wrong),
        cmocka_unit_test(transform_scales_turns_and_moves_in_that_order),
        cmocka_unit_test(mirrored_meshes_keep_their_outside),
        cmocka_unit_test(bounds_and_radii),
        cmocka_unit_test(volume_is_the_same_far_away),
        cmocka_unit_test(surface_of_split_hexahedra_is_their_surface),
        cmocka_unit_test(surface_turns_inverted_elements),
        cmocka_unit_test(surface_agrees_with_counting_faces),
        cmocka_unit_test(edges_agree_with_a_table),
        cmocka_unit_test(surface_of_own_faces),
        cmocka_unit_test(weld_merges_identical_points),
        cmocka_unit_test(weld_tells_crowded_places_apart),
        cmocka_unit_test(weld_keeps_points_a_distance_apart),
        cmocka_unit_test(weld_drops_what_collapses),
        cmocka_unit_test(weld_survives_crowds),
        cmocka_unit_test(builder_cuts_wedges_and_pyramids),
        cmocka_unit_test(a_pyramid_on_a_hexahedron_is_one_body),
        cmocka_unit_test(builder_refuses_bad_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
