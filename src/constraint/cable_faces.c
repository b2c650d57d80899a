// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "constraint/cable_faces.h"
#include "base/memory.h"
#include "geometry/half_edges.h"

static const double LIKE = 0.85; // cosine: directions of faces on which a mass passes from one to the other
static const double SUNK = 1e-3; // of a body's size: so deep below a face it has only sunk in
static const double RIM = 1e-9;  // of a side: so that nothing slips between two faces

// --- finding ------------------------------------------------------------------------------------------------

static TacStatus has_rim(const int32_t *triangles, size_t count, bool *rim, TacError *error) {
    TacHalfEdge *sides = calloc(3 * count + 1, sizeof *sides);
    if (!sides) return tac_fail_memory(error, 3 * count * sizeof *sides);
    size_t n = tac_half_edges_list(sides, triangles, count, 3, 0);
    tac_half_edges_sort(sides, n);
    *rim = false;
    for (size_t i = 0, end; i < n; i = end) {
        end = tac_half_edges_end(sides, n, i);
        *rim = *rim || end - i == 1;
    }
    free(sides);
    return TAC_OK;
}

static void list_faces(TacCableFaces *faces, const TacMesh *mesh, const int32_t *triangles, size_t count) {
    for (size_t k = 0; k < 3; k++) {
        faces->low[k] = INFINITY;
        faces->high[k] = -INFINITY;
    }
    for (size_t t = 0; t < count; t++) {
        TacCableFace *f = &faces->list[faces->count];
        for (size_t k = 0; k < 3; k++) {
            const double *x = mesh->points + 3 * (size_t)triangles[3 * t + k];
            f->corners[k] = tac_load3(x);
            for (size_t d = 0; d < 3; d++) {
                faces->low[d] = fmin(faces->low[d], x[d]);
                faces->high[d] = fmax(faces->high[d], x[d]);
            }
        }
        f->normal = tac_cross(tac_sub(f->corners[1], f->corners[0]), tac_sub(f->corners[2], f->corners[0]));
        double size = tac_norm(f->normal);
        if (!(size > 0)) continue; // no area: nothing lies on it
        f->normal = tac_scale(f->normal, 1 / size);
        faces->count++;
    }
    double size = 0;
    for (size_t d = 0; count && d < 3; d++) size = fmax(size, faces->high[d] - faces->low[d]);
    faces->sunk = SUNK * size;
}

TacStatus tac_cable_faces_find(TacCableFaces *faces, const TacMesh *mesh, TacSetup *setup, TacError *error) {
    int32_t *triangles = NULL;
    size_t count = 0;
    *faces = (TacCableFaces){0};
    TAC_TRY(tac_mesh_surface(mesh, &triangles, &count, error));
    TacStatus status = has_rim(triangles, count, &faces->sheet, error);
    faces->list = tac_setup_alloc(setup, count + 1, sizeof *faces->list);
    if (status == TAC_OK && !faces->list) status = tac_fail_memory(error, count * sizeof *faces->list);
    if (status == TAC_OK) list_faces(faces, mesh, triangles, count);
    free(triangles);
    return status;
}

// --- meeting ------------------------------------------------------------------------------------------------

static double height(const TacCableFace *f, TacVec3 x) {
    return tac_dot(f->normal, tac_sub(x, f->corners[0]));
}

static bool is_over(const TacCableFace *f, TacVec3 x) {
    for (int k = 0; k < 3; k++) {
        TacVec3 side = tac_sub(f->corners[(k + 1) % 3], f->corners[k]);
        double inward = tac_dot(tac_cross(f->normal, side), tac_sub(x, f->corners[k]));
        if (inward < -RIM * tac_dot(side, side)) return false;
    }
    return true;
}

// Whether a straight way passes the face from this side, and which part of it is before that.
static bool passes(const TacCableFace *f, double side, double sunk, TacVec3 from, TacVec3 to, double *part) {
    double a = side * height(f, from), b = side * height(f, to);
    if (!(a >= -sunk && b < 0 && b < a)) return false;
    *part = fmax(a / (a - b), 0);
    return is_over(f, tac_axpy(from, *part, tac_sub(to, from)));
}

// Rule 1.
static bool find_first(const TacCableFaces *faces, TacVec3 from, TacVec3 to, TacCableLying *lying) {
    double first = INFINITY, part;
    for (size_t i = 0; i < faces->count; i++)
        for (int side = 1; side >= (faces->sheet ? -1 : 1); side -= 2) {
            if (!passes(&faces->list[i], side, faces->sheet ? 0 : faces->sunk, from, to, &part) ||
                !(part < first))
                continue;
            first = part;
            lying->face = (double)(i + 1);
            lying->side = side;
        }
    return first < INFINITY;
}

// The face that it is over, at a height up to its reach and as near to `height_of_old` as can be; where `old`, only those of
// its direction. 0: none.
static size_t find_over(const TacCableFaces *faces, const TacCableWayOfMass *way, const TacCableFace *old,
                        double side, double least, double height_of_old) {
    double nearest = INFINITY;
    size_t best = 0;
    for (size_t i = 0; i < faces->count; i++) {
        const TacCableFace *f = &faces->list[i];
        double h = side * height(f, way->is);
        if (h > way->reach || h < least || (old && tac_dot(f->normal, old->normal) < LIKE)) continue;
        if (!(fabs(h - height_of_old) < nearest) || !is_over(f, way->is)) continue;
        nearest = fabs(h - height_of_old);
        best = i + 1;
    }
    return best;
}

// Rule 2.
static bool stays(const TacCableFaces *faces, const TacCableWayOfMass *way, TacCableLying *lying) {
    const TacCableFace *old = &faces->list[(size_t)lying->face - 1];
    double h = lying->side * height(old, way->is);
    if (h > way->reach) return false;
    if (is_over(old, way->is)) return true;
    size_t next = find_over(faces, way, old, lying->side, -INFINITY, h);
    if (next) lying->face = (double)next;
    return next != 0;
}

static bool comes_near(const TacCableFaces *faces, const TacCableWayOfMass *way) {
    double was[3], is[3], next[3];
    tac_store3(was, way->was);
    tac_store3(is, way->is);
    tac_store3(next, way->next);
    for (int k = 0; k < 3; k++)
        if (fmin(was[k], fmin(is[k], next[k])) > faces->high[k] + way->reach ||
            fmax(was[k], fmax(is[k], next[k])) < faces->low[k] - way->reach)
            return false;
    return true;
}

static bool finds_near(const TacCableFaces *faces, const TacCableWayOfMass *way, TacCableLying *lying) {
    for (int side = 1; side >= (faces->sheet ? -1 : 1); side -= 2) {
        size_t found = find_over(faces, way, NULL, side, faces->sheet ? 0 : -faces->sunk, 0);
        if (!found) continue;
        lying->face = (double)found;
        lying->side = side;
        return true;
    }
    return false;
}

bool tac_cable_faces_meet(const TacCableFaces *faces, const TacCableWayOfMass *way, TacCableLying *lying) {
    if (lying->face > 0 && stays(faces, way, lying)) return true;
    lying->face = 0;
    return comes_near(faces, way) &&
           (find_first(faces, way->was, way->is, lying) || finds_near(faces, way, lying) ||
            find_first(faces, way->is, way->next, lying));
}

bool tac_cable_faces_has_sunk(const TacCableFaces *faces, TacVec3 place, TacCableLying *lying) {
    const TacCableWayOfMass way = {place, place, place, 0};
    if (faces->sheet || !comes_near(faces, &way)) return false;
    lying->face = (double)find_over(faces, &way, NULL, 1, -faces->sunk, 0);
    lying->side = 1;
    return lying->face > 0;
}

double tac_cable_faces_height(const TacCableFaces *faces, const TacCableLying *lying, TacVec3 place,
                              TacVec3 *out) {
    const TacCableFace *f = &faces->list[(size_t)lying->face - 1];
    *out = tac_scale(f->normal, lying->side);
    return lying->side * height(f, place);
}
