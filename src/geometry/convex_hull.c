// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A polyhedron from a cloud of points. The cloud is first asked how many dimensions it has, by the farthest
// point from a point, a line and a plane; points, segments and flat polygons are made here, solids from the
// triangles of convex_quickhull.c. No process-wide state; all memory is the polyhedron's arena.

#include "geometry/convex_hull.h"

#include <float.h>

#define MOST_POINTS ((size_t)1 << 24)

// Fractions of the cloud's size: what sticks out less is left out; raised when rounding breaks the topology.
static const double tolerances[] = {1e-14, 1e-12, 1e-10, 1e-8};

typedef struct Cloud {
    const double *points;
    size_t count;
    double size; // largest coordinate, in absolute value
    uint32_t span[4];
    int dimension;
} Cloud;

static TacVec3 at(const Cloud *cloud, uint32_t i) {
    return tac_load3(cloud->points + 3 * (size_t)i);
}

static TacStatus check_points(Cloud *cloud, TacError *error) {
    if (!cloud->points || cloud->count == 0 || cloud->count > MOST_POINTS)
        return tac_fail(error, TAC_BAD_USAGE, "a polyhedron needs 1 to %zu points, not %zu", MOST_POINTS,
                        cloud->points ? cloud->count : 0);
    for (size_t i = 0; i < 3 * cloud->count; i++) {
        if (!(fabs(cloud->points[i]) <= 1e100))
            return tac_fail(error, TAC_BAD_USAGE, "point %zu of a polyhedron is not finite or out of range",
                            i / 3);
        cloud->size = fmax(cloud->size, fabs(cloud->points[i]));
    }
    return TAC_OK;
}

static double square_from_point(const Cloud *cloud, uint32_t i) {
    TacVec3 d = tac_sub(at(cloud, i), at(cloud, cloud->span[0]));
    return tac_dot(d, d);
}

static double square_from_line(const Cloud *cloud, uint32_t i) {
    TacVec3 a = at(cloud, cloud->span[0]);
    TacVec3 u = tac_unit(tac_sub(at(cloud, cloud->span[1]), a));
    TacVec3 c = tac_cross(u, tac_sub(at(cloud, i), a));
    return tac_dot(c, c);
}

static double square_from_plane(const Cloud *cloud, uint32_t i) {
    TacVec3 a = at(cloud, cloud->span[0]);
    TacVec3 n =
        tac_unit(tac_cross(tac_sub(at(cloud, cloud->span[1]), a), tac_sub(at(cloud, cloud->span[2]), a)));
    double height = tac_dot(n, tac_sub(at(cloud, i), a));
    return height * height;
}

// The farthest points from a point, a line, a plane, as long as there is any.
static void find_span(Cloud *cloud) {
    static double (*const squares[])(const Cloud *, uint32_t) = {square_from_point, square_from_line,
                                                                 square_from_plane};
    // the farthest from any point is a vertex for certain
    uint32_t vertex = 0;
    double away = 0;
    for (uint32_t i = 1; i < cloud->count; i++) {
        double square = square_from_point(cloud, i);
        if (square > away) {
            away = square;
            vertex = i;
        }
    }
    cloud->span[0] = vertex;
    double least = 8 * DBL_EPSILON * cloud->size;
    for (int d = 0; d < 3; d++) {
        double farthest = least * least;
        for (uint32_t i = 0; i < cloud->count; i++) {
            double square = squares[d](cloud, i);
            if (square > farthest) {
                farthest = square;
                cloud->span[d + 1] = i;
                cloud->dimension = d + 1;
            }
        }
        if (cloud->dimension <= d) return;
    }
}

TacStatus tac_cloud_create(TacArena *arena, TacCloud *cloud, const double *points, const uint32_t *which,
                           size_t count, TacError *error) {
    size_t padded = (count + TAC_CONVEX_PAD - 1) / TAC_CONVEX_PAD * TAC_CONVEX_PAD;
    double *xyz = tac_arena_array(arena, 3 * padded, sizeof *xyz);
    if (!xyz) return tac_fail_memory(error, 3 * padded * sizeof *xyz);
    for (size_t i = 0; i < padded && count > 0; i++) {
        size_t from = i < count ? i : 0;
        if (which) from = which[from];
        for (size_t k = 0; k < 3; k++) xyz[k * padded + i] = points[3 * from + k];
    }
    *cloud = (TacCloud){xyz, xyz + padded, xyz + 2 * padded, (uint32_t)count, (uint32_t)padded};
    return TAC_OK;
}

// --- flat ----------------------------------------------------------------------------------------------------

typedef struct Flat {
    double u, v;
    uint32_t point;
} Flat;

static int by_place(const void *a, const void *b) {
    const Flat *p = a, *q = b;
    if (p->u != q->u) return p->u < q->u ? -1 : 1;
    return p->v != q->v ? (p->v < q->v ? -1 : 1) : 0;
}

static double turn(const Flat *a, const Flat *b, const Flat *c) {
    return (b->u - a->u) * (c->v - a->v) - (b->v - a->v) * (c->u - a->u);
}

// Half of a hull in the plane (A. M. Andrew, 1979). Returns the new count.
static size_t half_ring(const Flat *flat, size_t count, int step, size_t base, uint32_t *ring, size_t used) {
    for (size_t k = 0; k < count; k++) {
        size_t i = step > 0 ? k : count - 1 - k;
        while (used >= base + 2 && turn(&flat[ring[used - 2]], &flat[ring[used - 1]], &flat[i]) <= 0) used--;
        ring[used++] = (uint32_t)i;
    }
    return used - 1;
}

// The corners of a flat cloud, counter-clockwise about *normal.
static TacStatus make_ring(const Cloud *cloud, uint32_t **ring, size_t *count, TacVec3 *normal,
                           TacError *error) {
    TacVec3 a = at(cloud, cloud->span[0]);
    TacVec3 u = tac_unit(tac_sub(at(cloud, cloud->span[1]), a));
    *normal = tac_unit(tac_cross(u, tac_sub(at(cloud, cloud->span[2]), a)));
    TacVec3 v = tac_cross(*normal, u);
    Flat *flat = malloc(cloud->count * sizeof *flat);
    *ring = malloc((2 * cloud->count + 2) * sizeof **ring);
    if (!flat || !*ring) {
        free(flat);
        return tac_fail_memory(error, cloud->count * sizeof *flat);
    }
    for (uint32_t i = 0; i < cloud->count; i++) {
        TacVec3 d = tac_sub(at(cloud, i), a);
        flat[i] = (Flat){tac_dot(d, u), tac_dot(d, v), i};
    }
    qsort(flat, cloud->count, sizeof *flat, by_place);
    *count = half_ring(flat, cloud->count, 1, 0, *ring, 0);
    *count = half_ring(flat, cloud->count, -1, *count, *ring, *count);
    for (size_t i = 0; i < *count; i++) (*ring)[i] = flat[(*ring)[i]].point;
    free(flat);
    return TAC_OK;
}

// A flat polyhedron has its ring as neighbours and two faces, one on each side.
static TacStatus fill_flat(TacPolyhedron *polyhedron, TacVec3 normal, TacError *error) {
    uint32_t n = polyhedron->vertices.count;
    uint32_t *starts = tac_arena_array(&polyhedron->arena, n + 1, sizeof *starts);
    uint32_t *neighbours = tac_arena_array(&polyhedron->arena, 2 * (size_t)n, sizeof *neighbours);
    uint32_t *face_start = tac_arena_array(&polyhedron->arena, 3, sizeof *face_start);
    uint32_t *loops = tac_arena_array(&polyhedron->arena, 2 * (size_t)n, sizeof *loops);
    if (!starts || !neighbours || !face_start || !loops)
        return tac_fail_memory(error, 5 * (size_t)n * sizeof *loops);
    for (uint32_t i = 0; i < n; i++) {
        starts[i + 1] = 2 * (i + 1);
        neighbours[2 * i] = (i + 1) % n;
        neighbours[2 * i + 1] = (i + n - 1) % n;
        loops[i] = i;
        loops[n + i] = n - 1 - i;
    }
    face_start[1] = n;
    face_start[2] = 2 * n;
    polyhedron->neighbour_start = starts;
    polyhedron->neighbours = neighbours;
    polyhedron->face_start = face_start;
    polyhedron->face_vertices = loops;
    double normals[6] = {normal.x, normal.y, normal.z, -normal.x, -normal.y, -normal.z};
    return tac_cloud_create(&polyhedron->arena, &polyhedron->normals, normals, NULL, 2, error);
}

static TacStatus make_flat(TacPolyhedron *polyhedron, const Cloud *cloud, TacError *error) {
    uint32_t *ring = NULL;
    size_t count = 0;
    TacVec3 normal;
    TacStatus status = make_ring(cloud, &ring, &count, &normal, error);
    if (status == TAC_OK)
        status =
            tac_cloud_create(&polyhedron->arena, &polyhedron->vertices, cloud->points, ring, count, error);
    free(ring);
    if (status == TAC_OK && count >= 3) status = fill_flat(polyhedron, normal, error);
    return status;
}

// --- solid ---------------------------------------------------------------------------------------------------

// Numbers the corners in use from 0 and rewrites the triangles. *which lists the points they came from.
static TacStatus number_corners(TacHull *hull, size_t points, uint32_t **which, size_t *count,
                                TacError *error) {
    uint32_t *number = malloc(points * sizeof *number);
    *which = malloc(points * sizeof **which);
    if (!number || !*which) {
        free(number);
        return tac_fail_memory(error, points * sizeof *number);
    }
    memset(number, 0xff, points * sizeof *number);
    for (size_t f = 0; f < hull->count; f++)
        for (int i = 0; i < 3; i++) number[hull->faces[f].corner[i]] = 0;
    // vertices keep the order of their points
    for (size_t i = 0; i < points; i++)
        if (number[i] != TAC_HULL_NONE) {
            number[i] = (uint32_t)*count;
            (*which)[(*count)++] = (uint32_t)i;
        }
    for (size_t f = 0; f < hull->count; f++)
        for (int i = 0; i < 3; i++) hull->faces[f].corner[i] = number[hull->faces[f].corner[i]];
    free(number);
    return TAC_OK;
}

static TacStatus link_neighbours(TacPolyhedron *polyhedron, const TacHull *hull, TacError *error) {
    uint32_t n = polyhedron->vertices.count;
    uint32_t *starts = tac_arena_array(&polyhedron->arena, (size_t)n + 2, sizeof *starts);
    uint32_t *neighbours = tac_arena_array(&polyhedron->arena, 3 * hull->count, sizeof *neighbours);
    if (!starts || !neighbours) return tac_fail_memory(error, 3 * hull->count * sizeof *neighbours);
    // each directed edge appears once: it makes its end a neighbour of its start
    for (size_t f = 0; f < hull->count; f++)
        for (int i = 0; i < 3; i++) starts[hull->faces[f].corner[i] + 2]++;
    for (uint32_t i = 0; i < n; i++) starts[i + 2] += starts[i + 1];
    for (size_t f = 0; f < hull->count; f++)
        for (int i = 0; i < 3; i++)
            neighbours[starts[hull->faces[f].corner[i] + 1]++] = hull->faces[f].corner[(i + 1) % 3];
    polyhedron->neighbour_start = starts;
    polyhedron->neighbours = neighbours;
    return TAC_OK;
}

// The hull's own claim, checked: no point sticks out farther than it may. Bounded work: large clouds are
// checked at a sample of points.
static bool holds_all(const TacHull *hull, const Cloud *cloud, double tolerance) {
    size_t stride = 1 + cloud->count * hull->count / 20000000;
    for (size_t i = 0; i < cloud->count; i += stride)
        for (size_t f = 0; f < hull->count; f++)
            if (tac_dot(hull->faces[f].normal, at(cloud, (uint32_t)i)) - hull->faces[f].offset > tolerance)
                return false;
    return true;
}

static TacStatus make_solid(TacPolyhedron *polyhedron, const Cloud *cloud, TacError *error) {
    TacHull hull = {0};
    uint32_t *which = NULL;
    size_t count = 0;
    TacStatus status = TAC_FAILED;
    for (size_t t = 0; t < TAC_COUNT(tolerances) && status == TAC_FAILED; t++) {
        double tolerance = tolerances[t] * cloud->size;
        status = tac_quickhull(&hull, cloud->points, cloud->count, cloud->span, tolerance, error);
        if (status == TAC_OK && !holds_all(&hull, cloud, 100 * tolerance)) status = TAC_FAILED;
    }
    bool rough = status == TAC_FAILED;
    if (rough)
        status = tac_cloud_create(&polyhedron->arena, &polyhedron->vertices, cloud->points, NULL,
                                  cloud->count, error);
    else if (status == TAC_OK)
        status = number_corners(&hull, cloud->count, &which, &count, error);
    if (status == TAC_OK && !rough)
        status =
            tac_cloud_create(&polyhedron->arena, &polyhedron->vertices, cloud->points, which, count, error);
    if (status == TAC_OK && !rough) status = link_neighbours(polyhedron, &hull, error);
    if (status == TAC_OK && !rough)
        status = tac_hull_merge_faces(polyhedron, &hull, 1e-10 * cloud->size, error);
    free(which);
    free(hull.faces);
    return status;
}

// --- the whole -----------------------------------------------------------------------------------------------

static void measure(TacPolyhedron *polyhedron) {
    const TacCloud *vertices = &polyhedron->vertices;
    TacVec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < vertices->count; i++) sum = tac_add(sum, tac_cloud_at(vertices, i));
    polyhedron->centre = tac_scale(sum, 1 / (double)vertices->count);
    for (uint32_t i = 0; i < vertices->count; i++) {
        TacVec3 p = tac_cloud_at(vertices, i);
        polyhedron->outer = fmax(polyhedron->outer, tac_norm(tac_sub(p, polyhedron->centre)));
        polyhedron->reach = fmax(polyhedron->reach, tac_norm(p));
    }
    // a ball that certainly fits: up to the nearest face plane, less what faces may be uneven
    double inner = polyhedron->dimension == 3 && polyhedron->normals.count > 0 ? polyhedron->outer : 0;
    for (uint32_t f = 0; f < polyhedron->normals.count && inner > 0; f++) {
        TacVec3 n = tac_cloud_at(&polyhedron->normals, f);
        TacVec3 p = tac_cloud_at(vertices, polyhedron->face_vertices[polyhedron->face_start[f]]);
        inner = fmin(inner, tac_dot(n, tac_sub(p, polyhedron->centre)));
    }
    polyhedron->inner = fmax(0, inner - 1e-9 * polyhedron->reach);
    polyhedron->outer *= 1 + 1e-14;
}

static TacStatus fill(TacPolyhedron *polyhedron, Cloud *cloud, TacError *error) {
    find_span(cloud);
    polyhedron->dimension = cloud->dimension;
    if (cloud->dimension == 3) TAC_TRY(make_solid(polyhedron, cloud, error));
    if (cloud->dimension == 2) TAC_TRY(make_flat(polyhedron, cloud, error));
    // the farthest point from one end is the other
    if (cloud->dimension < 2)
        TAC_TRY(tac_cloud_create(&polyhedron->arena, &polyhedron->vertices, cloud->points, cloud->span,
                                 (size_t)cloud->dimension + 1, error));
    measure(polyhedron);
    return TAC_OK;
}

TacStatus tac_polyhedron_create(TacPolyhedron **polyhedron, const double *points, size_t count,
                                TacError *error) {
    *polyhedron = NULL;
    Cloud cloud = {.points = points, .count = count};
    TAC_TRY(check_points(&cloud, error));
    TacPolyhedron *made = calloc(1, sizeof *made);
    if (!made) return tac_fail_memory(error, sizeof *made);
    TacStatus status = fill(made, &cloud, error);
    if (status == TAC_OK)
        *polyhedron = made;
    else
        tac_polyhedron_destroy(made);
    return status;
}

void tac_polyhedron_destroy(TacPolyhedron *polyhedron) {
    if (!polyhedron) return;
    tac_arena_destroy(&polyhedron->arena);
    free(polyhedron);
}

int tac_polyhedron_dimension(const TacPolyhedron *polyhedron) {
    return polyhedron->dimension;
}

size_t tac_polyhedron_vertex_count(const TacPolyhedron *polyhedron) {
    return polyhedron->vertices.count;
}

TacVec3 tac_polyhedron_vertex(const TacPolyhedron *polyhedron, size_t vertex) {
    return vertex < polyhedron->vertices.count ? tac_cloud_at(&polyhedron->vertices, (uint32_t)vertex)
                                               : (TacVec3){0, 0, 0};
}

size_t tac_polyhedron_face_count(const TacPolyhedron *polyhedron) {
    return polyhedron->normals.count;
}

const uint32_t *tac_polyhedron_face(const TacPolyhedron *polyhedron, size_t face, size_t *count) {
    if (face >= polyhedron->normals.count) {
        *count = 0;
        return NULL;
    }
    *count = polyhedron->face_start[face + 1] - polyhedron->face_start[face];
    return polyhedron->face_vertices + polyhedron->face_start[face];
}

TacVec3 tac_polyhedron_face_normal(const TacPolyhedron *polyhedron, size_t face) {
    return face < polyhedron->normals.count ? tac_cloud_at(&polyhedron->normals, (uint32_t)face)
                                            : (TacVec3){0, 0, 0};
}
