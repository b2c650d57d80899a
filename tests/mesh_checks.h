// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the tests of meshes share: checks that use nothing of the library but its data. Include after
// cmocka.h.

#ifndef TACTUS_TESTS_MESH_CHECKS_H
#define TACTUS_TESTS_MESH_CHECKS_H

#include "tactus/geometry.h"

#include <stdlib.h>
#include <string.h>

static inline int compare_u64(const void *left, const void *right) {
    uint64_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return a < b ? -1 : a > b;
}

// Asserts that triangles are a closed surface wound consistently (each directed edge once, its reverse once)
// and returns its Euler characteristic: points used - edges + triangles.
static inline long closed_euler(const int32_t *triangles, size_t count, size_t points) {
    uint64_t *edges = malloc(3 * count * sizeof *edges + 1);
    char *used = calloc(points + 1, 1);
    assert_non_null(edges);
    assert_non_null(used);
    for (size_t i = 0; i < 3 * count; i++) {
        uint64_t a = (uint64_t)triangles[i], b = (uint64_t)triangles[i - i % 3 + (i + 1) % 3];
        assert_true(a < points && b < points && a != b);
        edges[i] = a << 32 | b;
        used[a] = 1;
    }
    qsort(edges, 3 * count, sizeof *edges, compare_u64);
    for (size_t i = 0; i < 3 * count; i++) {
        uint64_t reverse = edges[i] << 32 | edges[i] >> 32;
        if (i) assert_true(edges[i] != edges[i - 1]);
        assert_non_null(bsearch(&reverse, edges, 3 * count, sizeof *edges, compare_u64));
    }
    long used_points = 0;
    for (size_t i = 0; i < points; i++) used_points += used[i];
    free(edges);
    free(used);
    return used_points - (long)(3 * count / 2) + (long)count;
}

// Volume enclosed by triangles.
static inline double enclosed_volume(const double *points, const int32_t *triangles, size_t count) {
    double volume = 0;
    for (size_t i = 0; i < count; i++) {
        const double *a = points + 3 * triangles[3 * i], *b = points + 3 * triangles[3 * i + 1],
                     *c = points + 3 * triangles[3 * i + 2];
        volume += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return volume / 6;
}

static inline double total_area(const double *points, const int32_t *triangles, size_t count) {
    double area = 0;
    for (size_t i = 0; i < count; i++) {
        TacVec3 a = tac_load3(points + 3 * triangles[3 * i]),
                b = tac_load3(points + 3 * triangles[3 * i + 1]),
                c = tac_load3(points + 3 * triangles[3 * i + 2]);
        area += tac_norm(tac_cross(tac_sub(b, a), tac_sub(c, a))) / 2;
    }
    return area;
}

static inline void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

#endif
