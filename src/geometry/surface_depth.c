// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See surface_depth.h.

#include "geometry/surface_depth.h"
#include "base/memory.h"

enum { MOST_CELLS = 1 << 18 };

// Lines that count crossings are moved off round numbers by this part of a cell, so that they meet no edge.
static const double ASIDE_Y = 1.234567e-6, ASIDE_Z = 2.718281e-6;

// --- closed? ----------------------------------------------------------------------------------------------

static int by_ends(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

// Every edge belongs to an even number of triangles.
static TacStatus check_closed(const TacSurface *s, TacError *error) {
    size_t n = 3 * s->triangle_count;
    int32_t(*edges)[2] = malloc((n + 1) * sizeof *edges);
    if (!edges) return tac_fail_memory(error, n * sizeof *edges);
    for (size_t i = 0; i < n; i++) {
        int32_t a = s->triangles[i], b = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i][0] = a < b ? a : b;
        edges[i][1] = a < b ? b : a;
    }
    qsort(edges, n, sizeof *edges, by_ends);
    TacStatus status = n ? TAC_OK : tac_fail(error, TAC_BAD_INPUT, "the mesh has no triangles");
    for (size_t i = 0, same; i < n && status == TAC_OK; i += same) {
        for (same = 1; i + same < n && by_ends(edges[i], edges[i + same]) == 0;) same++;
        if (same % 2)
            status = tac_fail(error, TAC_BAD_INPUT,
                              "the mesh is not closed: the edge between points %d and %d is its border",
                              edges[i][0], edges[i][1]);
    }
    free(edges);
    return status;
}

// --- cells ------------------------------------------------------------------------------------------------

static TacVec3 corner_of(const TacSurface *s, size_t t, int k) {
    return tac_load3(s->points + 3 * (size_t)s->triangles[3 * t + (size_t)k]);
}

static int64_t cell_along(const TacSurface *s, double x, double low, int k) {
    double c = floor((x - low) / s->cell);
    return c < 0 ? 0 : c >= (double)s->cells[k] ? s->cells[k] - 1 : (int64_t)c;
}

// Cells that a box touches, as ranges.
static void cells_of(const TacSurface *s, TacVec3 low, TacVec3 high, int64_t from[3], int64_t to[3]) {
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    const double origin[3] = {s->low.x, s->low.y, s->low.z};
    for (int k = 0; k < 3; k++) {
        from[k] = cell_along(s, l[k], origin[k], k);
        to[k] = cell_along(s, h[k], origin[k], k);
    }
}

static size_t number_of(const TacSurface *s, int64_t x, int64_t y, int64_t z) {
    return (size_t)((z * s->cells[1] + y) * s->cells[0] + x);
}

static void triangle_cells(const TacSurface *s, size_t t, int64_t from[3], int64_t to[3]) {
    TacVec3 low = corner_of(s, t, 0), high = low;
    for (int k = 1; k < 3; k++) {
        TacVec3 p = corner_of(s, t, k);
        low = tac_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = tac_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    cells_of(s, low, high, from, to);
}

// Counts triangles by cell, or lists them where `listed` is there.
static void go_through(TacSurface *s) {
    for (size_t t = 0; t < s->triangle_count; t++) {
        int64_t from[3], to[3];
        triangle_cells(s, t, from, to);
        for (int64_t z = from[2]; z <= to[2]; z++)
            for (int64_t y = from[1]; y <= to[1]; y++)
                for (int64_t x = from[0]; x <= to[0]; x++) {
                    size_t c = number_of(s, x, y, z);
                    if (s->listed)
                        s->listed[s->start[c]++] = (uint32_t)t;
                    else
                        s->start[c + 1]++;
                }
    }
}

static TacStatus make_cells(TacSurface *s, const TacMesh *mesh, TacError *error) {
    TacVec3 high;
    tac_mesh_bounds(mesh, &s->low, &high);
    TacVec3 size = tac_sub(high, s->low);
    double most = fmax(size.x, fmax(size.y, size.z)), volume = 1;
    const double sizes[3] = {size.x, size.y, size.z};
    // about two cells for each triangle
    for (int k = 0; k < 3; k++) volume *= fmax(sizes[k], 1e-3 * most);
    double wanted = fmin(2 * (double)s->triangle_count + 1, MOST_CELLS / 4.0);
    s->cell = fmax(cbrt(volume / wanted), most / 1000);
    if (!(s->cell > 0) || !isfinite(s->cell)) return tac_fail(error, TAC_BAD_INPUT, "the mesh has no size");
    for (int k = 0; k < 3; k++) s->cells[k] = (int64_t)(sizes[k] / s->cell) + 1;
    while (s->cells[0] * s->cells[1] * s->cells[2] > MOST_CELLS) {
        s->cell *= 1.3;
        for (int k = 0; k < 3; k++) s->cells[k] = (int64_t)(sizes[k] / s->cell) + 1;
    }
    size_t n = (size_t)(s->cells[0] * s->cells[1] * s->cells[2]);
    s->start = calloc(n + 1, sizeof *s->start);
    if (!s->start) return tac_fail_memory(error, n * sizeof *s->start);
    go_through(s);
    for (size_t c = 0; c < n; c++) s->start[c + 1] += s->start[c];
    s->listed = malloc(((size_t)s->start[n] + 1) * sizeof *s->listed);
    if (!s->listed) return tac_fail_memory(error, s->start[n] * sizeof *s->listed);
    go_through(s);
    // each start has moved to its end, which is the next one's start
    memmove(s->start + 1, s->start, n * sizeof *s->start);
    s->start[0] = 0;
    return TAC_OK;
}

TacStatus tac_surface_make(TacSurface *surface, const TacMesh *mesh, TacError *error) {
    *surface = (TacSurface){.points = mesh->points};
    TAC_TRY(tac_mesh_surface(mesh, &surface->triangles, &surface->triangle_count, error));
    TAC_TRY(check_closed(surface, error));
    return make_cells(surface, mesh, error);
}

void tac_surface_free(TacSurface *surface) {
    free(surface->triangles);
    free(surface->start);
    free(surface->listed);
    *surface = (TacSurface){0};
}

// --- one place --------------------------------------------------------------------------------------------

static TacVec3 nearest_on_segment(TacVec3 p, TacVec3 a, TacVec3 b) {
    TacVec3 ab = tac_sub(b, a);
    double square = tac_dot(ab, ab), t = square > 0 ? tac_dot(tac_sub(p, a), ab) / square : 0;
    return tac_axpy(a, fmin(fmax(t, 0), 1), ab);
}

static TacVec3 nearest_on_triangle(TacVec3 p, TacVec3 a, TacVec3 b, TacVec3 c) {
    TacVec3 n = tac_cross(tac_sub(b, a), tac_sub(c, a));
    double square = tac_dot(n, n);
    const TacVec3 corners[3] = {a, b, c};
    bool over = square > 0;
    for (int k = 0; k < 3 && over; k++) {
        TacVec3 from = corners[k], to = corners[(k + 1) % 3];
        over = tac_dot(tac_cross(tac_sub(to, from), tac_sub(p, from)), n) >= 0;
    }
    if (over) return tac_axpy(p, -tac_dot(tac_sub(p, a), n) / square, n);
    TacVec3 best = nearest_on_segment(p, a, b);
    for (int k = 1; k < 3; k++) {
        TacVec3 q = nearest_on_segment(p, corners[k], corners[(k + 1) % 3]);
        if (tac_norm(tac_sub(q, p)) < tac_norm(tac_sub(best, p))) best = q;
    }
    return best;
}

// Where a line along x through (y, z) crosses a triangle; false where it does not.
static bool crosses(TacVec3 a, TacVec3 b, TacVec3 c, double y, double z, double *x) {
    double u = (b.y - y) * (c.z - z) - (b.z - z) * (c.y - y);
    double v = (c.y - y) * (a.z - z) - (c.z - z) * (a.y - y);
    double w = (a.y - y) * (b.z - z) - (a.z - z) * (b.y - y);
    if (!((u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0))) return false;
    *x = (u * a.x + v * b.x + w * c.x) / (u + v + w);
    return true;
}

static bool is_inside(const TacSurface *s, TacVec3 p) {
    int64_t from[3], to[3];
    p.y += ASIDE_Y * s->cell;
    p.z += ASIDE_Z * s->cell;
    cells_of(s, p, p, from, to);
    bool inside = false;
    for (int64_t x = from[0]; x < s->cells[0]; x++) {
        size_t c = number_of(s, x, from[1], from[2]);
        for (uint32_t i = s->start[c]; i < s->start[c + 1]; i++) {
            size_t t = s->listed[i];
            double at;
            if (!crosses(corner_of(s, t, 0), corner_of(s, t, 1), corner_of(s, t, 2), p.y, p.z, &at)) continue;
            if (at > p.x && cell_along(s, at, s->low.x, 0) == x) inside = !inside;
        }
    }
    return inside;
}

double tac_surface_depth(const TacSurface *surface, TacVec3 p, double reach, TacVec3 *inward) {
    const TacSurface *s = surface;
    TacVec3 around = tac_vec3(reach, reach, reach), nearest = p;
    int64_t from[3], to[3];
    double best = reach;
    cells_of(s, tac_sub(p, around), tac_add(p, around), from, to);
    for (int64_t z = from[2]; z <= to[2]; z++)
        for (int64_t y = from[1]; y <= to[1]; y++)
            for (int64_t x = from[0]; x <= to[0]; x++) {
                size_t c = number_of(s, x, y, z);
                for (uint32_t i = s->start[c]; i < s->start[c + 1]; i++) {
                    size_t t = s->listed[i];
                    TacVec3 q =
                        nearest_on_triangle(p, corner_of(s, t, 0), corner_of(s, t, 1), corner_of(s, t, 2));
                    double d = tac_norm(tac_sub(q, p));
                    if (d < best) {
                        best = d;
                        nearest = q;
                    }
                }
            }
    bool inside = is_inside(s, p);
    TacVec3 away = tac_sub(p, nearest);
    double length = tac_norm(away);
    *inward = length > 0 ? tac_scale(away, (inside ? 1 : -1) / length) : tac_vec3(0, 0, 0);
    return inside ? best : -best;
}
