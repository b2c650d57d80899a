// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sheets that are finer in some places: a quadtree of squares, halved where a rectangle reaches them, and around it
// so that neighbours differ by one halving at most. A square between equals is two triangles with alternating
// diagonals, as in plain sheets; one with finer neighbours is a fan around its middle, through the middles of those
// sides. Points are numbered row by row on the finest lattice.

#include "base/memory.h"
#include "tactus/geometry.h"
#include "tactus/math.h"

#include <math.h>

enum { MOST_HALVINGS = 8 };

typedef struct Tree {
    size_t n, m; // squares of the coarsest level along x and z
    int halvings;
    uint8_t *split[MOST_HALVINGS]; // by level and square: whether it is halved
    int32_t *point;                // by place of the finest lattice; -1: none
    size_t row;                    // places in a row of it
} Tree;

static bool is_split(const Tree *t, int level, size_t i, size_t j) {
    size_t n = t->n << level, m = t->m << level;
    return level < t->halvings && i < n && j < m && t->split[level][j * n + i];
}

// Whether it is there at all: the one it is part of is halved.
static bool is_there(const Tree *t, int level, size_t i, size_t j) {
    return level == 0 || is_split(t, level - 1, i / 2, j / 2);
}

static void split_all(Tree *t, double width, double depth, const double *rectangles, size_t count) {
    // the finest squares that rectangles reach, as those halved last
    for (int level = t->halvings - 1; level >= 0; level--) {
        size_t n = t->n << level, m = t->m << level;
        for (size_t j = 0; j < m; j++)
            for (size_t i = 0; i < n; i++) {
                double x0 = width * ((double)i / (double)n - 0.5),
                       x1 = width * ((double)(i + 1) / (double)n - 0.5);
                double z0 = depth * ((double)j / (double)m - 0.5),
                       z1 = depth * ((double)(j + 1) / (double)m - 0.5);
                for (size_t k = 0; k < count; k++) {
                    const double *r = rectangles + 4 * k;
                    bool meets = r[0] < x1 && r[2] > x0 && r[1] < z1 && r[3] > z0;
                    if (meets) t->split[level][j * n + i] = 1;
                }
            }
    }
    // neighbours of what is halved must be there
    for (int level = t->halvings - 1; level > 0; level--) {
        size_t n = t->n << level, m = t->m << level;
        for (size_t j = 0; j < m; j++)
            for (size_t i = 0; i < n; i++) {
                if (!t->split[level][j * n + i]) continue;
                static const int beside[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
                for (int k = 0; k < 5; k++) {
                    size_t a = i + (size_t)beside[k][0], b = j + (size_t)beside[k][1];
                    if (a < n && b < m) t->split[level - 1][b / 2 * (n / 2) + a / 2] = 1;
                }
            }
    }
}

// The corners of a square and the middles of its halved sides, around so that y is up; returns how many. The first
// is the corner of least x and z.
static size_t walk_around(const Tree *t, int level, size_t i, size_t j, size_t places[8]) {
    size_t size = (size_t)1 << (t->halvings - level), half = size / 2, x = i * size, z = j * size, n = 0;
    places[n++] = z * t->row + x;
    if (is_split(t, level, i - 1, j)) places[n++] = (z + half) * t->row + x;
    places[n++] = (z + size) * t->row + x;
    if (is_split(t, level, i, j + 1)) places[n++] = (z + size) * t->row + x + half;
    places[n++] = (z + size) * t->row + x + size;
    if (is_split(t, level, i + 1, j)) places[n++] = (z + half) * t->row + x + size;
    places[n++] = z * t->row + x + size;
    if (is_split(t, level, i, j - 1)) places[n++] = z * t->row + x + half;
    return n;
}

// Every square that is there and not halved. Without a mesh: marks its points and counts triangles; with one: writes.
static size_t visit(const Tree *t, int32_t *out) {
    size_t triangles = 0;
    for (int level = 0; level <= t->halvings; level++)
        for (size_t j = 0; j < t->m << level; j++)
            for (size_t i = 0; i < t->n << level; i++) {
                if (!is_there(t, level, i, j) || is_split(t, level, i, j)) continue;
                size_t around[8], size = (size_t)1 << (t->halvings - level), turn = (i + j) % 2;
                size_t n = walk_around(t, level, i, j, around);
                size_t middle = (j * size + size / 2) * t->row + i * size + size / 2;
                for (size_t k = 0; !out && k < n; k++) t->point[around[k]] = 0;
                if (!out && n > 4) t->point[middle] = 0;
                size_t pieces = n > 4 ? n : 2;
                for (size_t k = 0; out && k < pieces; k++, triangles++) {
                    size_t a = n > 4 ? middle : around[turn];
                    size_t b = n > 4 ? around[k] : around[turn + 1 + k];
                    size_t c = n > 4 ? around[(k + 1) % n] : around[(turn + 2 + k) % 4];
                    out[3 * triangles] = t->point[a];
                    out[3 * triangles + 1] = t->point[b];
                    out[3 * triangles + 2] = t->point[c];
                }
                if (!out) triangles += pieces;
            }
    return triangles;
}

static size_t number_points(const Tree *t) {
    size_t count = 0, places = t->row * ((t->m << t->halvings) + 1);
    for (size_t k = 0; k < places; k++)
        if (t->point[k] == 0) t->point[k] = (int32_t)count++;
    return count;
}

static void put_points(const Tree *t, double width, double depth, double *points) {
    size_t last = t->row - 1, rows = t->m << t->halvings;
    for (size_t k = 0; k < t->row * (rows + 1); k++) {
        if (t->point[k] < 0) continue;
        double x = k % t->row == last ? 0.5 : (double)(k % t->row) / (double)last - 0.5;
        double z = k / t->row == rows ? 0.5 : (double)(k / t->row) / (double)rows - 0.5;
        tac_store3(points + 3 * (size_t)t->point[k], tac_vec3(width * x, 0, depth * z));
    }
}

static TacStatus take_memory(Tree *t, uint8_t **bytes, TacError *error) {
    size_t total = 0, places = t->row * ((t->m << t->halvings) + 1);
    for (int level = 0; level < t->halvings; level++) total += (t->n << level) * (t->m << level);
    *bytes = calloc(total + 1, 1);
    t->point = malloc(places * sizeof *t->point);
    if (!*bytes || !t->point) return tac_fail_memory(error, total + places * sizeof *t->point);
    uint8_t *next = *bytes;
    for (int level = 0; level < t->halvings; level++) {
        t->split[level] = next;
        next += (t->n << level) * (t->m << level);
    }
    for (size_t k = 0; k < places; k++) t->point[k] = -1;
    return TAC_OK;
}

TacStatus tac_mesh_graded_sheet(TacMesh *mesh, int n, int m, double width, double depth,
                                const double *rectangles, size_t count, int halvings, TacError *error) {
    const double most_places = 2e7;
    *mesh = (TacMesh){0};
    if (n < 1 || m < 1)
        return tac_fail(error, TAC_BAD_USAGE, "a sheet has at least one piece along each side");
    if (halvings < 0 || halvings > MOST_HALVINGS)
        return tac_fail(error, TAC_BAD_USAGE, "squares can be halved 0 to %d times; %d was given",
                        MOST_HALVINGS, halvings);
    if (!(width > 0) || !(depth > 0) || !isfinite(width) || !isfinite(depth))
        return tac_fail(error, TAC_BAD_USAGE, "width and depth of a sheet must be positive");
    if (ldexp((double)n, halvings) * ldexp((double)m, halvings) > most_places)
        return tac_fail(error, TAC_BAD_USAGE,
                        "the sheet would have up to %.3g squares; at most %.0e are made",
                        ldexp((double)n, halvings) * ldexp((double)m, halvings), most_places);
    Tree t = {.n = (size_t)n, .m = (size_t)m, .halvings = halvings, .row = ((size_t)n << halvings) + 1};
    uint8_t *bytes = NULL;
    TacStatus status = take_memory(&t, &bytes, error);
    if (status == TAC_OK) {
        split_all(&t, width, depth, rectangles, count);
        size_t counts[TAC_ELEMENT_KINDS] = {0};
        counts[TAC_TRIANGLES] = visit(&t, NULL);
        status = tac_mesh_create(mesh, number_points(&t), counts, error);
    }
    if (status == TAC_OK) {
        put_points(&t, width, depth, mesh->points);
        visit(&t, mesh->elements[TAC_TRIANGLES].indices);
    }
    free(bytes);
    free(t.point);
    return status;
}
