// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SOFA's SparseGridTopology: those cells of a regular grid around a closed surface that the surface crosses or that
// lie inside of it. See sofa.h. Points come sorted by x, then y, then z; cells that are crossed before cells inside,
// each in the order of the grid: capped iterations and references depend on it.
//
// A cell is crossed where a triangle of the surface meets it (thirteen separating axes, in the cell's own units);
// of the others, those that can be reached from the border of the grid without passing a crossed one are outside.
// With finer levels all of this happens on a grid 2^levels as fine, and a cell is kept where any of its parts is.

#include "base/memory.h"
#include "base/text.h"
#include "scene/sofa.h"

#include <math.h>

enum { MOST_CELLS = 4000000, MOST_LEVELS = 8 };

typedef enum Cell { INSIDE, OUTSIDE, CROSSED } Cell;

typedef struct Cells {
    int n[3]; // along the axes
    TacVec3 low, step;
    uint8_t *kind; // Cell, x fastest
} Cells;

static size_t cell_at(const Cells *c, int x, int y, int z) {
    return (size_t)x + (size_t)c->n[0] * ((size_t)y + (size_t)c->n[1] * (size_t)z);
}

// --- triangles and cells ----------------------------------------------------------------------------------

static bool apart(TacVec3 axis, const TacVec3 t[3]) {
    double reach = 0.5 * (fabs(axis.x) + fabs(axis.y) + fabs(axis.z));
    double a = tac_dot(axis, t[0]), b = tac_dot(axis, t[1]), c = tac_dot(axis, t[2]);
    return fmin(a, fmin(b, c)) > reach || fmax(a, fmax(b, c)) < -reach;
}

// Whether a triangle meets the unit cube around the origin.
static bool meets_cube(const TacVec3 t[3]) {
    static const TacVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const TacVec3 edges[3] = {tac_sub(t[1], t[0]), tac_sub(t[2], t[1]), tac_sub(t[0], t[2])};
    for (int i = 0; i < 3; i++)
        if (apart(axes[i], t)) return false;
    if (apart(tac_cross(edges[0], edges[1]), t)) return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (apart(tac_cross(axes[i], edges[j]), t)) return false;
    return true;
}

static int cell_of(double x, double low, double step, int n) {
    double at = floor((x - low) / step);
    return at < 0 ? 0 : at > n - 1 ? n - 1 : (int)at;
}

static void cross_with(Cells *c, const TacVec3 p[3]) {
    int from[3], to[3];
    const double low[3] = {c->low.x, c->low.y, c->low.z}, step[3] = {c->step.x, c->step.y, c->step.z};
    for (int k = 0; k < 3; k++) {
        const double a[3] = {p[0].x, p[0].y, p[0].z}, b[3] = {p[1].x, p[1].y, p[1].z},
                     d[3] = {p[2].x, p[2].y, p[2].z};
        from[k] = cell_of(fmin(a[k], fmin(b[k], d[k])), low[k], step[k], c->n[k]);
        to[k] = cell_of(fmax(a[k], fmax(b[k], d[k])), low[k], step[k], c->n[k]);
    }
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++)
            for (int x = from[0]; x <= to[0]; x++) {
                TacVec3 t[3];
                size_t i = cell_at(c, x, y, z);
                if (c->kind[i] == CROSSED) continue;
                for (int k = 0; k < 3; k++)
                    t[k] = tac_vec3((p[k].x - c->low.x) / c->step.x - x - 0.5,
                                    (p[k].y - c->low.y) / c->step.y - y - 0.5,
                                    (p[k].z - c->low.z) / c->step.z - z - 0.5);
                if (meets_cube(t)) c->kind[i] = CROSSED;
            }
}

static void cross_with_surface(Cells *c, const TacMesh *surface) {
    for (int kind = TAC_TRIANGLES; kind <= TAC_QUADS; kind++) {
        size_t corners = (size_t)tac_element_size((TacElement)kind);
        for (size_t e = 0; e < surface->elements[kind].count; e++) {
            const int32_t *v = surface->elements[kind].indices + corners * e;
            for (size_t k = 2; k < corners; k++) {
                const TacVec3 p[3] = {tac_load3(surface->points + 3 * (size_t)v[0]),
                                      tac_load3(surface->points + 3 * (size_t)v[k - 1]),
                                      tac_load3(surface->points + 3 * (size_t)v[k])};
                cross_with(c, p);
            }
        }
    }
}

// From the border inwards, as far as no crossed cell is in the way.
static bool flood(Cells *c) {
    size_t all = (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2], count = 0;
    int(*stack)[3] = malloc(all * sizeof *stack);
    if (!stack) return false;
    for (int z = 0; z < c->n[2]; z++)
        for (int y = 0; y < c->n[1]; y++)
            for (int x = 0; x < c->n[0]; x++) {
                bool border =
                    x == 0 || y == 0 || z == 0 || x == c->n[0] - 1 || y == c->n[1] - 1 || z == c->n[2] - 1;
                size_t i = cell_at(c, x, y, z);
                if (!border || c->kind[i] != INSIDE) continue;
                c->kind[i] = OUTSIDE;
                stack[count][0] = x;
                stack[count][1] = y;
                stack[count++][2] = z;
            }
    while (count > 0) {
        int at[3];
        memcpy(at, stack[--count], sizeof at);
        for (int side = 0; side < 6; side++) {
            int next[3] = {at[0], at[1], at[2]};
            next[side / 2] += side % 2 ? 1 : -1;
            if (next[side / 2] < 0 || next[side / 2] >= c->n[side / 2]) continue;
            size_t i = cell_at(c, next[0], next[1], next[2]);
            if (c->kind[i] != INSIDE) continue;
            c->kind[i] = OUTSIDE;
            memcpy(stack[count++], next, sizeof next);
        }
    }
    free(stack);
    return true;
}

// --- levels -----------------------------------------------------------------------------------------------

// Kinds, and how full cells are, from a grid that is `times` as fine.
static void coarsen(const Cells *fine, int times, Cells *c, float *fill) {
    for (int z = 0; z < c->n[2]; z++)
        for (int y = 0; y < c->n[1]; y++)
            for (int x = 0; x < c->n[0]; x++) {
                size_t counts[3] = {0}, all = (size_t)times * (size_t)times * (size_t)times;
                for (int k = 0; k < (int)all; k++) {
                    size_t i = cell_at(fine, times * x + k % times, times * y + k / times % times,
                                       times * z + k / (times * times));
                    counts[fine->kind[i]]++;
                }
                size_t i = cell_at(c, x, y, z);
                c->kind[i] = counts[INSIDE] == all ? INSIDE : counts[OUTSIDE] == all ? OUTSIDE : CROSSED;
                fill[i] = (float)(((double)counts[INSIDE] + 0.5 * (double)counts[CROSSED]) / (double)all);
            }
}

// The cells that are kept, in SOFA's order: crossed ones first, or, from a finer level, x slowest.
static size_t list_cells(const Cells *c, bool finer, bool only_inside, size_t *list) {
    size_t all = (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2], count = 0;
    if (finer) {
        for (int x = 0; x < c->n[0]; x++)
            for (int y = 0; y < c->n[1]; y++)
                for (int z = 0; z < c->n[2]; z++) {
                    size_t i = cell_at(c, x, y, z);
                    if (c->kind[i] != OUTSIDE) list[count++] = i;
                }
        return count;
    }
    for (size_t i = 0; i < all && !only_inside; i++)
        if (c->kind[i] == CROSSED) list[count++] = i;
    for (size_t i = 0; i < all; i++)
        if (c->kind[i] == INSIDE) list[count++] = i;
    return count;
}

// --- the mesh ---------------------------------------------------------------------------------------------

// Points numbered by x, then y, then z; hexahedra of the cells listed.
static bool make_cells(TacSofa *s, TacSofaObject *o, const Cells *c, const size_t *list, size_t count) {
    static const int corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    size_t nodes[3] = {(size_t)c->n[0] + 1, (size_t)c->n[1] + 1, (size_t)c->n[2] + 1};
    int32_t *number = tac_sofa_new_ints(s, nodes[0] * nodes[1] * nodes[2]);
    int32_t *h = tac_sofa_new_ints(s, 8 * count);
    if (!number || !h) return false;
    size_t points = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < count; k++)
            for (int v = 0; v < 8; v++) {
                size_t i = list[k], x = i % (size_t)c->n[0] + (size_t)corners[v][0],
                       y = i / (size_t)c->n[0] % (size_t)c->n[1] + (size_t)corners[v][1],
                       z = i / ((size_t)c->n[0] * (size_t)c->n[1]) + (size_t)corners[v][2];
                size_t node = z + nodes[2] * (y + nodes[1] * x);
                if (pass)
                    h[8 * k + (size_t)v] = number[node] - 1;
                else
                    number[node] = 1;
            }
        for (size_t i = 0; !pass && i < nodes[0] * nodes[1] * nodes[2]; i++)
            if (number[i]) number[i] = (int32_t)++points;
    }
    size_t counts[TAC_ELEMENT_KINDS] = {[TAC_HEXAHEDRA] = count};
    TacError error;
    if (tac_mesh_create(&o->mesh, points, counts, &error) != TAC_OK) return tac_sofa_no_memory(s);
    memcpy(o->mesh.elements[TAC_HEXAHEDRA].indices, h, 8 * count * sizeof *h);
    for (size_t i = 0; i < nodes[0] * nodes[1] * nodes[2]; i++) {
        if (!number[i]) continue;
        size_t z = i % nodes[2], y = i / nodes[2] % nodes[1], x = i / (nodes[2] * nodes[1]);
        tac_store3(o->mesh.points + 3 * (size_t)(number[i] - 1),
                   tac_vec3(c->low.x + c->step.x * (double)x, c->low.y + c->step.y * (double)y,
                            c->low.z + c->step.z * (double)z));
    }
    return true;
}

// Box and number of cells along the axes.
static bool measure(TacSofa *s, TacSofaObject *o, const TacMesh *surface, int levels, Cells *c) {
    TacVec3 low = tac_sofa_vector(s, o, "min", tac_vec3(0, 0, 0)),
            high = tac_sofa_vector(s, o, "max", tac_vec3(0, 0, 0));
    if (tac_norm(low) == 0 && tac_norm(high) == 0) {
        low = high = tac_load3(surface->points);
        for (size_t i = 1; i < surface->point_count; i++) {
            TacVec3 p = tac_load3(surface->points + 3 * i);
            low = tac_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = tac_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
        // a little more than the surface needs
        TacVec3 more = tac_scale(tac_sub(high, low), 1 / 100.0);
        low = tac_sub(low, more);
        high = tac_add(high, more);
    }
    TacVec3 n = tac_sofa_vector(s, o, "n", tac_vec3(2, 2, 2)), size = tac_sub(high, low);
    double width = tac_sofa_real(s, o, "cellWidth", 0), counts[3] = {n.x, n.y, n.z};
    const double sizes[3] = {size.x, size.y, size.z};
    double cells = 1;
    for (int k = 0; k < 3; k++) {
        if (width > 0) counts[k] = ceil(sizes[k] / width) + 1;
        counts[k] = fmax(2, floor(counts[k])) - 1;
        cells *= counts[k] * ldexp(1, levels);
        if (!(sizes[k] > 0)) cells = INFINITY;
    }
    if (!(cells <= MOST_CELLS)) {
        tac_sofa_complain(s, o->element->place,
                          "a sparse grid of %g x %g x %g cells, %d levels finer, of %g x %g x %g m cannot be "
                          "made",
                          counts[0], counts[1], counts[2], levels, sizes[0], sizes[1], sizes[2]);
        return false;
    }
    for (int k = 0; k < 3; k++) c->n[k] = (int)counts[k];
    c->low = low;
    c->step = tac_vec3(size.x / counts[0], size.y / counts[1], size.z / counts[2]);
    return true;
}

static bool find_cells(TacSofa *s, TacSofaObject *o, const TacMesh *surface) {
    double given = tac_sofa_real(s, o, "nbVirtualFinerLevels", 0);
    int levels = given > 0 ? (int)fmin(given, MOST_LEVELS) : 0, times = 1 << levels;
    Cells c = {0}, fine;
    if (!measure(s, o, surface, levels, &c)) return false;
    fine = c;
    for (int k = 0; k < 3; k++) fine.n[k] *= times;
    fine.step = tac_scale(c.step, 1.0 / times);
    size_t all = (size_t)c.n[0] * (size_t)c.n[1] * (size_t)c.n[2];
    fine.kind = calloc(all * (size_t)times * (size_t)times * (size_t)times, 1);
    c.kind = calloc(all, 1);
    float *fill = calloc(all, sizeof *fill);
    size_t *list = calloc(all, sizeof *list);
    bool good = fine.kind && c.kind && fill && list;
    if (good) {
        cross_with_surface(&fine, surface);
        good = flood(&fine);
    }
    if (!good) tac_sofa_no_memory(s);
    if (good) {
        coarsen(&fine, times, &c, fill);
        bool weighted = tac_sofa_bool(s, o, "fillWeighted", true);
        size_t count = list_cells(&c, levels > 0, tac_sofa_bool(s, o, "onlyInsideCells", false), list);
        double *fills = tac_sofa_new_reals(s, count);
        for (size_t i = 0; fills && i < count; i++) fills[i] = weighted ? (double)fill[list[i]] : 1;
        o->fills = (TacReals){fills, count};
        good = fills && make_cells(s, o, &c, list, count);
    }
    free(fine.kind);
    free(c.kind);
    free(fill);
    free(list);
    return good;
}

bool tac_sofa_make_sparse_grid(TacSofa *s, TacSofaObject *o, const TacMesh *surface) {
    if (surface->point_count < 3 ||
        !(surface->elements[TAC_TRIANGLES].count + surface->elements[TAC_QUADS].count)) {
        tac_sofa_complain(s, o->element->place, "%s needs a surface of triangles or quads", o->cls->name);
        return false;
    }
    return find_cells(s, o, surface);
}
