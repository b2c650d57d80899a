// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What can be said of a mesh as a whole: is it closed, manifold, wound one way, made of decent elements.

#include "base/memory.h"
#include "geometry/half_edges.h"
#include "geometry/topology.h"

#include <math.h>

// --- shapes of elements -----------------------------------------------------------------------------------

static TacVec3 point(const TacMesh *mesh, int32_t i) {
    return tac_load3(mesh->points + 3 * (size_t)i);
}

// The squared lengths of all edges, and the extremes so far.
static double sum_edges(const TacMesh *mesh, const int32_t *corners, int count, TacMeshReport *report) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++) {
            TacVec3 d = tac_sub(point(mesh, corners[k]), point(mesh, corners[i]));
            double length = hypot(hypot(d.x, d.y), d.z);
            sum += length * length;
            report->shortest_edge = fmin(report->shortest_edge, length);
            report->longest_edge = fmax(report->longest_edge, length);
        }
    return sum;
}

static void note_quality(TacMeshReport *report, double size, double squares) {
    double quality = squares > 0 ? fmax(size / squares, 0) : 0;
    report->worst_quality = fmin(report->worst_quality, quality);
    report->slivers += quality < TAC_SLIVER;
}

static void judge_triangles(const TacMesh *mesh, const int32_t *triangles, size_t count,
                            TacMeshReport *report) {
    for (size_t i = 0; i < count; i++) {
        const int32_t *t = triangles + 3 * i;
        TacVec3 a = point(mesh, t[0]);
        TacVec3 normal = tac_cross(tac_sub(point(mesh, t[1]), a), tac_sub(point(mesh, t[2]), a));
        double area = 0.5 * hypot(hypot(normal.x, normal.y), normal.z);
        report->area += area;
        note_quality(report, 4 * sqrt(3.0) * area, sum_edges(mesh, t, 3, report));
    }
}

static void judge_volumes(const TacMesh *mesh, TacMeshReport *report) {
    for (size_t i = 0; i < mesh->elements[TAC_TETRAHEDRA].count; i++) {
        const int32_t *t = mesh->elements[TAC_TETRAHEDRA].indices + 4 * i;
        double volume = tac_tetrahedron_volume(mesh->points, t);
        report->inverted += volume > 0 ? 0 : 1;
        double edge = cbrt(3 * fabs(volume));
        note_quality(report, 12 * edge * edge, sum_edges(mesh, t, 4, report));
    }
    for (size_t i = 0; i < mesh->elements[TAC_HEXAHEDRA].count; i++)
        report->inverted +=
            tac_hexahedron_volume(mesh->points, mesh->elements[TAC_HEXAHEDRA].indices + 8 * i) > 0 ? 0 : 1;
}

// --- how they hang together -------------------------------------------------------------------------------

// Pieces that share no point, and points that nothing uses.
static void count_parts(const TacMesh *mesh, uint32_t *sets, uint8_t *used, TacMeshReport *report) {
    for (size_t i = 0; i < mesh->point_count; i++) sets[i] = (uint32_t)i;
    for (TacElement kind = TAC_EDGES; kind < TAC_ELEMENT_KINDS; kind++) {
        size_t size = (size_t)tac_element_size(kind);
        const int32_t *e = mesh->elements[kind].indices;
        for (size_t i = 0; i < mesh->elements[kind].count; i++, e += size)
            for (size_t k = 0; k < size; k++) {
                used[e[k]] = 1;
                tac_set_join(sets, (uint32_t)e[0], (uint32_t)e[k]);
            }
    }
    for (size_t i = 0; i < mesh->point_count; i++) {
        report->unused_points += !used[i];
        report->parts += used[i] && sets[i] == i;
    }
}

// The corner of a triangle that is this point.
static uint32_t corner_at(const int32_t *triangles, uint32_t face, uint32_t at) {
    for (uint32_t k = 0; k < 3; k++)
        if ((uint32_t)triangles[3 * (size_t)face + k] == at) return 3 * face + k;
    return 3 * face;
}

// Corners that lie side by side around a point are one set.
static void judge_edges(const TacHalfEdge *edges, size_t count, const int32_t *triangles, uint32_t *corners,
                        TacMeshReport *report) {
    for (size_t i = 0; i < count;) {
        size_t end = tac_half_edges_end(edges, count, i), faces = end - i;
        report->open_edges += faces == 1;
        report->crowded_edges += faces > 2;
        report->turned_edges += faces == 2 && edges[i].forward == edges[i + 1].forward;
        for (size_t k = i + 1; k < end; k++) {
            const uint32_t ends[2] = {edges[i].low, edges[i].high};
            for (int e = 0; e < 2; e++)
                tac_set_join(corners, corner_at(triangles, edges[i].face, ends[e]),
                             corner_at(triangles, edges[k].face, ends[e]));
        }
        i = end;
    }
}

// Points whose corners are more than one set. `seen` has a byte per point, all zero.
static void count_pinched(const int32_t *triangles, size_t count, const uint32_t *corners, uint8_t *seen,
                          TacMeshReport *report) {
    for (size_t i = 0; i < 3 * count; i++) {
        if (corners[i] != i) continue;
        uint8_t *at = &seen[triangles[i]];
        report->pinched_points += *at == 1;
        if (*at < 2) ++*at;
    }
}

static TacStatus judge_surface(const TacMesh *mesh, const int32_t *triangles, size_t count, uint8_t *seen,
                               TacMeshReport *report, TacError *error) {
    TacHalfEdge *edges = malloc(3 * count * sizeof *edges + 1);
    uint32_t *corners = malloc(3 * count * sizeof *corners + 1);
    TacStatus status = edges && corners ? TAC_OK : tac_fail_memory(error, 3 * count * sizeof *edges);
    if (status == TAC_OK) {
        for (size_t i = 0; i < 3 * count; i++) corners[i] = (uint32_t)i;
        size_t sides = tac_half_edges_list(edges, triangles, count, 3, 0);
        tac_half_edges_sort(edges, sides);
        judge_edges(edges, sides, triangles, corners, report);
        memset(seen, 0, mesh->point_count);
        count_pinched(triangles, count, corners, seen, report);
    }
    free(edges);
    free(corners);
    return status;
}

TacStatus tac_mesh_report(const TacMesh *mesh, TacMeshReport *report, TacError *error) {
    *report = (TacMeshReport){.worst_quality = 1, .shortest_edge = INFINITY};
    TAC_TRY(tac_mesh_validate(mesh, error));
    int32_t *triangles;
    size_t count;
    TAC_TRY(tac_mesh_surface(mesh, &triangles, &count, error));
    uint32_t *sets = malloc(mesh->point_count * sizeof *sets + 1);
    uint8_t *seen = calloc(mesh->point_count + 1, 1);
    TacStatus status = sets && seen ? TAC_OK : tac_fail_memory(error, mesh->point_count * sizeof *sets);
    if (status == TAC_OK && count > UINT32_MAX / 3)
        status = tac_fail(error, TAC_BAD_INPUT, "the surface has too many triangles to be looked at");
    if (status == TAC_OK) {
        count_parts(mesh, sets, seen, report);
        status = judge_surface(mesh, triangles, count, seen, report, error);
    }
    if (status == TAC_OK) {
        judge_triangles(mesh, triangles, count, report);
        judge_volumes(mesh, report);
        report->surface_triangles = count;
        report->closed = count > 0 && report->open_edges == 0;
        report->manifold = count > 0 && report->crowded_edges == 0 && report->pinched_points == 0;
        report->oriented = report->turned_edges == 0;
        report->volume = tac_mesh_volume(mesh);
        tac_mesh_bounds(mesh, &report->low, &report->high);
        if (!isfinite(report->shortest_edge)) report->shortest_edge = 0;
    }
    free(triangles);
    free(sets);
    free(seen);
    return status;
}
