// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Finer surfaces of the same shape: long edges get a point in their middle, and the triangles on them are split.
//
// In rounds. A round marks every edge that is too long, whichever triangles it has, so the two sides of an edge agree
// and no seam opens; a triangle with one, two or three marked sides becomes two, three or four. Every round halves what
// it marks, so the number of rounds is the logarithm of the longest edge over the one allowed.

#include "base/memory.h"
#include "geometry/half_edges.h"
#include "geometry/topology.h"

static TacVec3 point(const TacMesh *mesh, int32_t i) {
    return tac_load3(mesh->points + 3 * (size_t)i);
}

// One round.
typedef struct Round {
    const TacMesh *mesh;
    TacHalfEdge *edges;
    size_t edge_count;
    int32_t *middles;         // by triangle and side: the point in its middle, or -1
    size_t points, triangles; // of the finer mesh
} Round;

static void mark_side(Round *r, const TacHalfEdge *edge, int32_t middle) {
    const int32_t *t = r->mesh->elements[TAC_TRIANGLES].indices + 3 * (size_t)edge->face;
    for (size_t k = 0; k < 3; k++) {
        int32_t a = t[k], b = t[(k + 1) % 3];
        if ((uint32_t)(a < b ? a : b) == edge->low && (uint32_t)(a < b ? b : a) == edge->high)
            r->middles[3 * (size_t)edge->face + k] = middle;
    }
}

// Not where the middle cannot be told from an end: that would never come to an end.
static bool is_long(const TacMesh *mesh, const TacHalfEdge *edge, double longest) {
    TacVec3 a = point(mesh, (int32_t)edge->low), b = point(mesh, (int32_t)edge->high);
    TacVec3 middle = tac_scale(tac_add(a, b), 0.5);
    return tac_norm(tac_sub(b, a)) > longest && tac_norm(tac_sub(middle, a)) > 0 &&
           tac_norm(tac_sub(b, middle)) > 0;
}

static void mark(Round *r, double longest) {
    size_t count = r->mesh->elements[TAC_TRIANGLES].count;
    for (size_t i = 0; i < 3 * count; i++) r->middles[i] = -1;
    r->points = r->mesh->point_count;
    for (size_t i = 0; i < r->edge_count;) {
        size_t end = tac_half_edges_end(r->edges, r->edge_count, i);
        if (is_long(r->mesh, &r->edges[i], longest)) {
            for (size_t k = i; k < end; k++) mark_side(r, &r->edges[k], (int32_t)r->points);
            r->points++;
        }
        i = end;
    }
    r->triangles = count;
    for (size_t i = 0; i < 3 * count; i++) r->triangles += r->middles[i] >= 0;
}

static size_t put(int32_t *list, size_t n, int32_t a, int32_t b, int32_t c) {
    memcpy(list + 3 * n, (int32_t[]){a, b, c}, 3 * sizeof *list);
    return n + 1;
}

// The triangles that one becomes; turned so that its marked sides come first.
static size_t split_one(const TacMesh *mesh, const int32_t *t, const int32_t *middles, int32_t *list,
                        size_t n) {
    size_t marked = 0, first = 0;
    for (size_t k = 0; k < 3; k++) marked += middles[k] >= 0;
    for (size_t k = 0; k < 3; k++)
        if (middles[k] >= 0 && (marked != 2 || middles[(k + 1) % 3] >= 0)) first = k;
    int32_t a = t[first], b = t[(first + 1) % 3], c = t[(first + 2) % 3];
    int32_t ab = middles[first], bc = middles[(first + 1) % 3], ca = middles[(first + 2) % 3];
    if (marked == 0) return put(list, n, a, b, c);
    if (marked == 1) return put(list, put(list, n, a, ab, c), ab, b, c);
    if (marked == 3)
        return put(list, put(list, put(list, put(list, n, a, ab, ca), ab, b, bc), ca, bc, c), ab, bc, ca);
    // the quad a, ab, bc, c is cut along its shorter diagonal
    n = put(list, n, ab, b, bc);
    bool from_a = tac_norm(tac_sub(tac_scale(tac_add(point(mesh, b), point(mesh, c)), 0.5), point(mesh, a))) <
                  tac_norm(tac_sub(tac_scale(tac_add(point(mesh, a), point(mesh, b)), 0.5), point(mesh, c)));
    if (from_a) return put(list, put(list, n, a, ab, bc), a, bc, c);
    return put(list, put(list, n, a, ab, c), ab, bc, c);
}

static void fill_finer(const Round *r, TacMesh *finer) {
    const TacMesh *mesh = r->mesh;
    memcpy(finer->points, mesh->points, 3 * mesh->point_count * sizeof *finer->points);
    const int32_t *triangles = mesh->elements[TAC_TRIANGLES].indices;
    size_t n = 0;
    for (size_t i = 0; i < mesh->elements[TAC_TRIANGLES].count; i++) {
        const int32_t *t = triangles + 3 * i, *middles = r->middles + 3 * i;
        for (size_t k = 0; k < 3; k++)
            if (middles[k] >= 0) {
                // from the lower to the higher number, so that both sides compute the same
                int32_t a = t[k], b = t[(k + 1) % 3];
                TacVec3 p = point(mesh, a < b ? a : b), q = point(mesh, a < b ? b : a);
                tac_store3(finer->points + 3 * (size_t)middles[k], tac_scale(tac_add(p, q), 0.5));
            }
        n = split_one(mesh, t, middles, finer->elements[TAC_TRIANGLES].indices, n);
    }
}

static TacStatus check(const TacMesh *mesh, double longest, TacError *error) {
    TAC_TRY(tac_mesh_validate(mesh, error));
    if (!(longest > 0)) return tac_fail(error, TAC_BAD_USAGE, "the longest edge must be a positive length");
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++)
        if (kind != TAC_TRIANGLES && mesh->elements[kind].count)
            return tac_fail(error, TAC_BAD_USAGE, "only triangles can be refined, and there are %s",
                            tac_element_name((TacElement)kind));
    if (mesh->radii) return tac_fail(error, TAC_BAD_USAGE, "a mesh of balls cannot be refined");
    return TAC_OK;
}

// One round: *finer is made where something was split, else it stays empty.
static TacStatus refine_once(const TacMesh *mesh, double longest, size_t most, TacMesh *finer,
                             TacError *error) {
    size_t count = mesh->elements[TAC_TRIANGLES].count;
    Round r = {.mesh = mesh,
               .edges = malloc((3 * count + 1) * sizeof *r.edges),
               .middles = malloc((3 * count + 1) * sizeof *r.middles)};
    *finer = (TacMesh){0};
    TacStatus status = TAC_OK;
    if (r.edges && r.middles) {
        r.edge_count = tac_half_edges_list(r.edges, mesh->elements[TAC_TRIANGLES].indices, count, 3, 0);
        tac_half_edges_sort(r.edges, r.edge_count);
        mark(&r, longest);
        const size_t counts[TAC_ELEMENT_KINDS] = {[TAC_TRIANGLES] = r.triangles};
        if (r.triangles > most)
            status = tac_fail(error, TAC_BAD_INPUT, "edges of %g m would take more than %zu triangles",
                              longest, most);
        else if (r.triangles > count)
            status = tac_mesh_create(finer, r.points, counts, error);
        if (status == TAC_OK && r.triangles > count) fill_finer(&r, finer);
    } else
        status = tac_fail_memory(error, 3 * count * sizeof *r.edges);
    free(r.edges);
    free(r.middles);
    return status;
}

TacStatus tac_mesh_refine(TacMesh *mesh, double longest, size_t most, TacError *error) {
    TAC_TRY(check(mesh, longest, error));
    TacMesh now = *mesh; // the mesh itself until the first round that splits
    for (bool first = true;; first = false) {
        TacMesh finer;
        TacStatus status =
            refine_once(&now, longest, most < INT32_MAX / 4 ? most : INT32_MAX / 4, &finer, error);
        if (!first && (status != TAC_OK || finer.points)) tac_mesh_destroy(&now);
        if (status != TAC_OK) return status;
        if (!finer.points) {
            if (first) return TAC_OK;
            tac_mesh_destroy(mesh);
            *mesh = now;
            return TAC_OK;
        }
        now = finer;
    }
}
