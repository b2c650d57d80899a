// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Surfaces of shapes; see shape_surface.h.

#include "contact/shape_surface.h"

static bool take(TacShapeSurface *s, TacArena *arena, size_t vertices, size_t edges, size_t faces) {
    s->vertices = tac_arena_array(arena, vertices, sizeof *s->vertices);
    s->edges = tac_arena_array(arena, 2 * edges, sizeof *s->edges);
    s->faces = tac_arena_array(arena, 3 * faces, sizeof *s->faces);
    s->bare = tac_arena_array(arena, edges, sizeof *s->bare);
    s->vertex_count = vertices;
    s->edge_count = edges;
    s->face_count = faces;
    return s->vertices && s->edges && s->faces && s->bare;
}

static TacStatus make_ball(TacShapeSurface *s, TacArena *arena, TacVec3 at, TacError *error) {
    s->balls = true;
    if (!take(s, arena, 1, 0, 0)) return tac_fail_memory(error, 0);
    s->vertices[0] = at;
    return TAC_OK;
}

static TacStatus make_edge(TacShapeSurface *s, TacArena *arena, TacVec3 from, TacVec3 to, TacError *error) {
    if (!take(s, arena, 2, 1, 0)) return tac_fail_memory(error, 0);
    s->vertices[0] = from;
    s->vertices[1] = to;
    s->edges[1] = 1;
    s->bare[0] = 1;
    return TAC_OK;
}

static TacStatus make_square(TacShapeSurface *s, TacArena *arena, TacError *error) {
    static const int32_t edges[] = {0, 1, 1, 2, 2, 3, 0, 3}, faces[] = {0, 1, 2, 0, 2, 3};
    const double half = 1000;
    if (!take(s, arena, 4, 4, 2)) return tac_fail_memory(error, 0);
    for (int i = 0; i < 4; i++)
        s->vertices[i] = tac_vec3(i == 0 || i == 1 ? -half : half, 0, i == 0 || i == 3 ? -half : half);
    memcpy(s->edges, edges, sizeof edges);
    memcpy(s->faces, faces, sizeof faces);
    return TAC_OK;
}

// --- flat faces -------------------------------------------------------------------------------------------

// Faces are polygons: triangles from their first corner; an edge where its two faces name it the rising way round.
static TacStatus make_faces(TacShapeSurface *s, TacArena *arena, const TacPolyhedron *p, TacError *error) {
    size_t sides = 0, triangles = 0, n;
    bool flat = tac_polyhedron_dimension(p) < 3; // both of its faces are the same one
    size_t faces = flat ? 1 : tac_polyhedron_face_count(p);
    for (size_t f = 0; f < faces; f++) {
        tac_polyhedron_face(p, f, &n);
        sides += n;
        triangles += n - 2;
    }
    if (!take(s, arena, tac_polyhedron_vertex_count(p), flat ? sides : sides / 2, triangles))
        return tac_fail_memory(error, 0);
    for (size_t i = 0; i < s->vertex_count; i++) s->vertices[i] = tac_polyhedron_vertex(p, i);
    size_t e = 0, t = 0;
    for (size_t f = 0; f < faces; f++) {
        const uint32_t *corners = tac_polyhedron_face(p, f, &n);
        for (size_t i = 0; i < n; i++) {
            uint32_t a = corners[i], b = corners[(i + 1) % n];
            if (i >= 2) {
                s->faces[3 * t] = (int32_t)corners[0];
                s->faces[3 * t + 1] = (int32_t)corners[i - 1];
                s->faces[3 * t++ + 2] = (int32_t)corners[i];
            }
            if ((!flat && a > b) || e == s->edge_count) continue;
            s->edges[2 * e] = (int32_t)(a < b ? a : b);
            s->edges[2 * e++ + 1] = (int32_t)(a < b ? b : a);
        }
    }
    return e == s->edge_count ? TAC_OK : tac_fail(error, TAC_BAD_INPUT, "its hull is not closed");
}

static TacStatus make_polyhedron(TacShapeSurface *s, TacArena *arena, const TacPolyhedron *p,
                                 TacError *error) {
    int dimension = tac_polyhedron_dimension(p);
    if (dimension == 0) return make_ball(s, arena, tac_polyhedron_vertex(p, 0), error);
    if (dimension == 1)
        return make_edge(s, arena, tac_polyhedron_vertex(p, 0), tac_polyhedron_vertex(p, 1), error);
    return make_faces(s, arena, p, error);
}

static TacStatus make_hull(TacShapeSurface *s, TacArena *arena, const double *points, size_t count,
                           TacError *error) {
    TacPolyhedron *hull = NULL;
    TAC_TRY(tac_polyhedron_create(&hull, points, count, error));
    TacStatus status = make_polyhedron(s, arena, hull, error);
    tac_polyhedron_destroy(hull);
    return status;
}

// A regular polygon as large as the circle, and a circle or a point above it.
static TacStatus make_round(TacShapeSurface *s, TacArena *arena, double radius, double height, bool pointed,
                            TacError *error) {
    double points[6 * TAC_SHAPE_SIDES], part = 2 * TAC_PI / TAC_SHAPE_SIDES;
    double r = radius * sqrt(part / sin(part));
    size_t n = 0;
    for (int i = 0; i < TAC_SHAPE_SIDES; i++)
        for (int top = 0; top < (pointed ? 1 : 2); top++) {
            points[n++] = r * cos(part * i);
            points[n++] = (top - 0.5) * height;
            points[n++] = r * sin(part * i);
        }
    if (pointed) {
        points[n++] = 0;
        points[n++] = 0.5 * height;
        points[n++] = 0;
    }
    return make_hull(s, arena, points, n / 3, error);
}

static TacStatus make_box(TacShapeSurface *s, TacArena *arena, TacVec3 size, TacError *error) {
    double points[24];
    for (int i = 0; i < 8; i++) {
        points[3 * i] = (i & 1 ? 0.5 : -0.5) * size.x;
        points[3 * i + 1] = (i & 2 ? 0.5 : -0.5) * size.y;
        points[3 * i + 2] = (i & 4 ? 0.5 : -0.5) * size.z;
    }
    return make_hull(s, arena, points, 8, error);
}

// --- all of them ------------------------------------------------------------------------------------------

static TacStatus make(TacShapeSurface *s, const TacShapeModel *shape, TacArena *arena, TacError *error) {
    TacVec3 up = {0, 0.5 * shape->height, 0};
    switch ((TacConvexKind)shape->kind) {
    case TAC_CONVEX_SPHERE: s->radius += shape->radius; return make_ball(s, arena, tac_vec3(0, 0, 0), error);
    case TAC_CONVEX_CAPSULE:
        s->radius += shape->radius;
        if (!(shape->height > 0)) return make_ball(s, arena, tac_vec3(0, 0, 0), error);
        return make_edge(s, arena, tac_scale(up, -1), up, error);
    case TAC_CONVEX_BOX: return make_box(s, arena, shape->size, error);
    case TAC_CONVEX_CYLINDER: return make_round(s, arena, shape->radius, shape->height, false, error);
    case TAC_CONVEX_CONE: return make_round(s, arena, shape->radius, shape->height, true, error);
    case TAC_CONVEX_HALF_SPACE: return make_square(s, arena, error);
    default: return make_polyhedron(s, arena, shape->polyhedron, error);
    }
}

TacStatus tac_shape_surface(TacShapeSurface *s, const TacShapeModel *shape, TacArena *arena,
                            TacError *error) {
    *s = (TacShapeSurface){.radius = shape->rounding};
    TAC_TRY(make(s, shape, arena, error));
    for (size_t i = 0; i < s->vertex_count; i++)
        s->vertices[i] = tac_add(shape->position, tac_rotate(shape->turn, s->vertices[i]));
    return TAC_OK;
}
