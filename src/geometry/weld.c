// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Welding: points that stand at one place become one point.
//
// Identical points are found in buckets by a hash of their coordinates, large buckets by sorting, so that no
// input costs more than N log N. Near points are found with a grid of cells, twice as wide as the
// distance: each point joins the nearest kept point, or is kept itself. Kept points are a distance apart, so
// a cell holds few of them. Of points that merge the one with the lowest number stays where it is.

#include "base/memory.h"
#include "geometry/topology.h"

#include <float.h>

typedef struct Place {
    double p[3];
    uint32_t number;
} Place;

// splitmix64's finaliser (S. Vigna): every input bit reaches every output bit.
static uint64_t mix(uint64_t h) {
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
    return h ^ (h >> 31);
}

static uint64_t hash3(double x, double y, double z) {
    // adding zero makes -0 and 0 one number
    double p[3] = {x + 0.0, y + 0.0, z + 0.0};
    uint64_t bits[3];
    memcpy(bits, p, sizeof bits);
    return mix(mix(mix(bits[0]) + bits[1]) + bits[2]);
}

static size_t power_of_two_above(size_t n) {
    size_t size = 16;
    while (size < n) size *= 2;
    return size;
}

static bool same_place(const double *a, const double *b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static int by_place(const void *left, const void *right) {
    const Place *a = left, *b = right;
    for (int i = 0; i < 3; i++)
        if (a->p[i] != b->p[i]) return a->p[i] < b->p[i] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

// target[i] of every point of one bucket: the first point at its place. Points are in ascending order.
static void join_bucket(Place *bucket, size_t count, int32_t *target) {
    enum { FEW = 16 };
    if (count <= FEW) {
        for (size_t i = 0; i < count; i++) {
            size_t j = 0;
            while (j < i && !same_place(bucket[j].p, bucket[i].p)) j++; // i: also where one is not a number
            target[bucket[i].number] = (int32_t)bucket[j].number;
        }
        return;
    }
    qsort(bucket, count, sizeof *bucket, by_place);
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        if (!same_place(bucket[first].p, bucket[i].p)) first = i;
        target[bucket[i].number] = (int32_t)bucket[first].number;
    }
}

static TacStatus join_identical(const TacMesh *mesh, int32_t *target, TacError *error) {
    size_t n = mesh->point_count, buckets = power_of_two_above(n);
    Place *places = malloc(n * sizeof *places + 1);
    uint32_t *start = calloc(buckets + 1, sizeof *start);
    uint32_t *bucket_of = malloc(n * sizeof *bucket_of + 1);
    TacStatus status = places && start && bucket_of ? TAC_OK : tac_fail_memory(error, n * sizeof *places);
    if (status == TAC_OK) {
        // a counting sort into buckets
        for (size_t i = 0; i < n; i++) {
            const double *p = mesh->points + 3 * i;
            bucket_of[i] = (uint32_t)(hash3(p[0], p[1], p[2]) & (buckets - 1));
            start[bucket_of[i] + 1]++;
        }
        for (size_t b = 0; b < buckets; b++) start[b + 1] += start[b];
        for (size_t i = 0; i < n; i++) {
            Place *place = places + start[bucket_of[i]]++;
            memcpy(place->p, mesh->points + 3 * i, sizeof place->p);
            place->number = (uint32_t)i;
        }
        // start[b] is now the end of bucket b
        for (size_t b = 0, begin = 0; b < buckets; begin = start[b++])
            join_bucket(places + begin, start[b] - begin, target);
    }
    free(places);
    free(start);
    free(bucket_of);
    return status;
}

typedef struct Grid {
    const double *points;
    double distance, width; // of a cell: twice the distance, so that a point looks into two per axis at most
    int32_t *heads, *next;  // lists of kept points, -1 at the end
    size_t mask;
} Grid;

// The number of the cell along one axis. Beyond what a quotient can hold points are only near when equal.
static double cell(const Grid *grid, double x) {
    double c = floor(x / grid->width);
    return isfinite(c) ? c : x;
}

static size_t slot_of(const Grid *grid, double x, double y, double z) {
    return hash3(x, y, z) & grid->mask;
}

// The nearest kept point of one list that is nearer than *square (in units of the distance, whose own square
// might not be a number), or `best`; the lowest number of several equally near.
static int32_t find_in_list(const Grid *grid, size_t slot, const double *p, int32_t best, double *square) {
    for (int32_t i = grid->heads[slot]; i >= 0; i = grid->next[i]) {
        TacVec3 d = tac_sub(tac_load3(grid->points + 3 * (size_t)i), tac_load3(p));
        d = tac_vec3(d.x / grid->distance, d.y / grid->distance, d.z / grid->distance);
        double here = tac_dot(d, d);
        if (here < *square || (here == *square && i < best)) {
            best = i;
            *square = here;
        }
    }
    return best;
}

// The nearest kept point closer than the distance, or -1.
static int32_t find_near(const Grid *grid, const double *p) {
    double cells[3][2];
    int counts[3];
    for (int axis = 0; axis < 3; axis++) {
        // rounding keeps order, so no point within the distance is left out
        cells[axis][0] = cell(grid, p[axis] - grid->distance);
        cells[axis][1] = cell(grid, p[axis] + grid->distance);
        counts[axis] = cells[axis][0] == cells[axis][1] ? 1 : 2;
    }
    int32_t best = -1;
    double square = 1;
    for (int i = 0; i < counts[0]; i++)
        for (int j = 0; j < counts[1]; j++)
            for (int k = 0; k < counts[2]; k++) {
                size_t slot = slot_of(grid, cells[0][i], cells[1][j], cells[2][k]);
                best = find_in_list(grid, slot, p, best, &square);
            }
    return best;
}

static TacStatus join_near(const TacMesh *mesh, double distance, int32_t *target, TacError *error) {
    size_t n = mesh->point_count, size = power_of_two_above(n);
    Grid grid = {.points = mesh->points, .distance = distance, .mask = size - 1};
    grid.width = 2 * distance;
    grid.heads = malloc(size * sizeof(int32_t));
    grid.next = malloc(n * sizeof(int32_t) + 1);
    TacStatus status = grid.heads && grid.next ? TAC_OK : tac_fail_memory(error, size * sizeof(int32_t));
    if (status == TAC_OK) {
        memset(grid.heads, 0xff, size * sizeof(int32_t));
        // identical points were joined before: only the first ones are asked
        for (size_t i = 0; i < n; i++) {
            if (target[i] != (int32_t)i) {
                target[i] = target[target[i]];
                continue;
            }
            const double *p = mesh->points + 3 * i;
            int32_t near = find_near(&grid, p);
            if (near >= 0) {
                target[i] = near;
                continue;
            }
            size_t slot = slot_of(&grid, cell(&grid, p[0]), cell(&grid, p[1]), cell(&grid, p[2]));
            grid.next[i] = grid.heads[slot];
            grid.heads[slot] = (int32_t)i;
        }
    }
    free(grid.heads);
    free(grid.next);
    return status;
}

// Moves kept points together; target becomes the new number of each old point.
static void renumber(TacMesh *mesh, int32_t *target) {
    size_t kept = 0;
    for (size_t i = 0; i < mesh->point_count; i++) {
        if (target[i] != (int32_t)i) {
            // its target stands before it and has its new number already
            target[i] = target[target[i]];
            continue;
        }
        memmove(mesh->points + 3 * kept, mesh->points + 3 * i, 3 * sizeof(double));
        if (mesh->radii) mesh->radii[kept] = mesh->radii[i];
        target[i] = (int32_t)kept++;
    }
    mesh->point_count = kept;
    double *fewer = realloc(mesh->points, kept * 3 * sizeof(double));
    if (fewer) mesh->points = fewer;
}

static bool collapsed(const int32_t *corners, int size) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            if (corners[i] == corners[j]) return true;
    return false;
}

static void renumber_elements(TacMesh *mesh, TacElement kind, const int32_t *target) {
    int size = tac_element_size(kind);
    int32_t *from = mesh->elements[kind].indices, *to = from;
    for (size_t e = 0; e < mesh->elements[kind].count; e++, from += size) {
        for (int c = 0; c < size; c++) to[c] = target[from[c]];
        if (!collapsed(to, size)) to += size;
    }
    if (to) mesh->elements[kind].count = (size_t)(to - mesh->elements[kind].indices) / (size_t)size;
}

TacStatus tac_mesh_weld(TacMesh *mesh, double distance, TacError *error) {
    if (!(distance >= 0 && distance <= DBL_MAX / 4))
        return tac_fail(error, TAC_BAD_USAGE, "cannot weld at a distance of %g m; 0 or more was expected",
                        distance);
    if (mesh->point_count == 0) return TAC_OK;
    int32_t *target = malloc(mesh->point_count * sizeof *target);
    if (!target) return tac_fail_memory(error, mesh->point_count * sizeof *target);
    TacStatus status = join_identical(mesh, target, error);
    if (status == TAC_OK && distance > 0) status = join_near(mesh, distance, target, error);
    if (status == TAC_OK) {
        renumber(mesh, target);
        for (TacElement kind = TAC_EDGES; kind < TAC_ELEMENT_KINDS; kind++)
            renumber_elements(mesh, kind, target);
    }
    free(target);
    return status;
}
