// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Quickhull for solid clouds: grow a tetrahedron by the farthest point beyond one of its faces, replace the
// faces which that point sees by a fan around it, and hand the points beyond the old faces to the new ones.
// Every point is handed out at most once per face that dies under it, and becomes a corner at most once.

#include "geometry/convex_hull.h"

typedef struct Edge {
    uint32_t from, to;
    uint32_t face, side; // the face that stays, and its edge there
} Edge;

typedef struct Work {
    TacHull *hull;
    const double *points;
    size_t point_count;
    double tolerance;
    uint32_t *next;  // chains of points beyond a face
    uint32_t *stack; // faces to look at
    size_t stack_capacity;
    uint32_t *visible;
    size_t visible_count, visible_capacity;
    Edge *horizon;
    size_t horizon_count, horizon_capacity;
    uint32_t *fan_of; // by point: the new face whose horizon edge starts there
    TacError *error;
} Work;

static TacVec3 point_at(const Work *work, uint32_t i) {
    return tac_load3(work->points + 3 * (size_t)i);
}

static bool set_plane(const Work *work, TacHullFace *face) {
    TacVec3 a = point_at(work, face->corner[0]), b = point_at(work, face->corner[1]),
            c = point_at(work, face->corner[2]);
    // the normal is least disturbed by rounding at the corner between the two shortest edges
    TacVec3 ab = tac_sub(b, a), bc = tac_sub(c, b), ca = tac_sub(a, c);
    double lab = tac_dot(ab, ab), lbc = tac_dot(bc, bc), lca = tac_dot(ca, ca);
    TacVec3 n = lab >= lbc && lab >= lca   ? tac_cross(bc, ca)
                : lbc >= lab && lbc >= lca ? tac_cross(ca, ab)
                                           : tac_cross(ab, bc);
    double length = tac_norm(n);
    if (!(length > 0)) return false;
    face->normal = tac_scale(n, 1 / length);
    double da = tac_dot(face->normal, a), db = tac_dot(face->normal, b), dc = tac_dot(face->normal, c);
    face->offset = fmax(da, fmax(db, dc));
    return true;
}

static double height_over(const Work *work, const TacHullFace *face, uint32_t point) {
    return tac_dot(face->normal, point_at(work, point)) - face->offset;
}

static bool add_face(Work *work, uint32_t a, uint32_t b, uint32_t c) {
    TacHull *hull = work->hull;
    if (!tac_grow(&hull->faces, &hull->capacity, hull->count + 1, sizeof *hull->faces)) return false;
    hull->faces[hull->count++] =
        (TacHullFace){.corner = {a, b, c}, .outside = TAC_HULL_NONE, .farthest = TAC_HULL_NONE, .alive = 1};
    return true;
}

static void hand_point_to(Work *work, TacHullFace *face, uint32_t point, double height) {
    work->next[point] = face->outside;
    face->outside = point;
    if (face->farthest == TAC_HULL_NONE || height > face->height) {
        face->farthest = point;
        face->height = height;
    }
}

// Gives a point to the first of the faces [from, count) that it lies beyond; drops it when there is none.
static void hand_out(Work *work, uint32_t point, size_t from) {
    for (size_t f = from; f < work->hull->count; f++) {
        TacHullFace *face = &work->hull->faces[f];
        double height = height_over(work, face, point);
        if (height > work->tolerance) {
            hand_point_to(work, face, point, height);
            return;
        }
    }
}

static bool same_point(const Work *work, uint32_t a, uint32_t b) {
    TacVec3 d = tac_sub(point_at(work, a), point_at(work, b));
    return tac_dot(d, d) <= work->tolerance * work->tolerance;
}

static TacStatus start_from(Work *work, const uint32_t start[4]) {
    uint32_t a = start[0], b = start[1], c = start[2], d = start[3];
    TacVec3 pa = point_at(work, a);
    TacVec3 n = tac_cross(tac_sub(point_at(work, b), pa), tac_sub(point_at(work, c), pa));
    // d must lie below (a, b, c)
    if (tac_dot(n, tac_sub(point_at(work, d), pa)) > 0) {
        uint32_t swap = b;
        b = c;
        c = swap;
    }
    if (!add_face(work, a, b, c) || !add_face(work, a, d, b) || !add_face(work, b, d, c) ||
        !add_face(work, c, d, a))
        return tac_fail_memory(work->error, sizeof(TacHullFace));
    static const uint32_t neighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; f++) {
        memcpy(work->hull->faces[f].neighbour, neighbours[f], sizeof neighbours[f]);
        if (!set_plane(work, &work->hull->faces[f])) return TAC_FAILED;
    }
    for (uint32_t i = 0; i < work->point_count; i++)
        if (i != a && i != b && i != c && i != d) hand_out(work, i, 0);
    return TAC_OK;
}

static uint32_t side_towards(const TacHullFace *face, uint32_t neighbour) {
    for (uint32_t i = 0; i < 3; i++)
        if (face->neighbour[i] == neighbour) return i;
    return 3;
}

// All faces that the eye sees, by neighbourhood from one of them, and the edges around them.
static TacStatus look(Work *work, uint32_t first, uint32_t eye) {
    TacHullFace *faces = work->hull->faces;
    size_t depth = 0;
    work->visible_count = work->horizon_count = 0;
    if (!tac_grow(&work->stack, &work->stack_capacity, 1, sizeof *work->stack))
        return tac_fail_memory(work->error, sizeof *work->stack);
    work->stack[depth++] = first;
    faces[first].seen = 1;
    while (depth > 0) {
        uint32_t f = work->stack[--depth];
        if (!tac_grow(&work->visible, &work->visible_capacity, work->visible_count + 1, sizeof(uint32_t)) ||
            !tac_grow(&work->stack, &work->stack_capacity, depth + 3, sizeof(uint32_t)) ||
            !tac_grow(&work->horizon, &work->horizon_capacity, work->horizon_count + 3, sizeof(Edge)))
            return tac_fail_memory(work->error, sizeof(Edge));
        work->visible[work->visible_count++] = f;
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t g = faces[f].neighbour[i];
            if (faces[g].seen) continue;
            if (height_over(work, &faces[g], eye) > work->tolerance) {
                faces[g].seen = 1;
                work->stack[depth++] = g;
            } else {
                uint32_t side = side_towards(&faces[g], f);
                // the same edge of g towards f, where two faces share two edges
                for (uint32_t k = 0; k < 3; k++)
                    if (faces[g].neighbour[k] == f && faces[g].corner[k] == faces[f].corner[(i + 1) % 3])
                        side = k;
                if (side > 2) return TAC_FAILED;
                work->horizon[work->horizon_count++] =
                    (Edge){faces[f].corner[i], faces[f].corner[(i + 1) % 3], g, side};
            }
        }
    }
    return TAC_OK;
}

// A fan of faces from the horizon to the eye. Fails when the horizon is not one simple ring.
static TacStatus build_fan(Work *work, uint32_t eye) {
    size_t first = work->hull->count, n = work->horizon_count;
    if (n < 3) return TAC_FAILED;
    for (size_t i = 0; i < n; i++) {
        Edge edge = work->horizon[i];
        if (work->fan_of[edge.from] != TAC_HULL_NONE) return TAC_FAILED;
        work->fan_of[edge.from] = (uint32_t)(first + i);
        if (!add_face(work, edge.from, edge.to, eye))
            return tac_fail_memory(work->error, sizeof(TacHullFace));
        if (!set_plane(work, &work->hull->faces[first + i])) return TAC_FAILED;
    }
    TacHullFace *faces = work->hull->faces;
    for (size_t i = 0; i < n; i++) {
        Edge edge = work->horizon[i];
        uint32_t f = (uint32_t)(first + i), after = work->fan_of[edge.to];
        if (after == TAC_HULL_NONE) return TAC_FAILED;
        faces[f].neighbour[0] = edge.face;
        faces[edge.face].neighbour[edge.side] = f;
        faces[f].neighbour[1] = after;
        faces[after].neighbour[2] = f;
    }
    // one ring: walking it comes back after all its edges, not before
    size_t length = 0;
    uint32_t f = (uint32_t)first;
    do {
        f = faces[f].neighbour[1];
        length++;
    } while (f != first && length <= n);
    for (size_t i = 0; i < n; i++) work->fan_of[work->horizon[i].from] = TAC_HULL_NONE;
    return length == n ? TAC_OK : TAC_FAILED;
}

static TacStatus add_point(Work *work, uint32_t face, uint32_t eye) {
    size_t first = work->hull->count;
    TAC_TRY(look(work, face, eye));
    TAC_TRY(build_fan(work, eye));
    for (size_t i = 0; i < work->visible_count; i++) {
        TacHullFace *dead = &work->hull->faces[work->visible[i]];
        uint32_t point = dead->outside;
        dead->alive = 0;
        dead->outside = TAC_HULL_NONE;
        while (point != TAC_HULL_NONE) {
            uint32_t next = work->next[point];
            if (point != eye && !same_point(work, point, eye)) hand_out(work, point, first);
            point = next;
        }
    }
    return TAC_OK;
}

static TacStatus grow(Work *work) {
    // new faces are appended: one pass over a growing list visits all
    for (size_t f = 0; f < work->hull->count; f++) {
        TacHullFace *face = &work->hull->faces[f];
        if (face->alive && face->outside != TAC_HULL_NONE)
            TAC_TRY(add_point(work, (uint32_t)f, face->farthest));
    }
    return TAC_OK;
}

// Drops dead faces and renumbers neighbours.
static TacStatus compact(Work *work) {
    TacHull *hull = work->hull;
    uint32_t *number = calloc(hull->count, sizeof *number);
    if (!number) return tac_fail_memory(work->error, hull->count * sizeof *number);
    uint32_t alive = 0;
    for (size_t f = 0; f < hull->count; f++)
        if (hull->faces[f].alive) number[f] = alive++;
    TacStatus status = TAC_OK;
    for (size_t f = 0, to = 0; f < hull->count; f++) {
        if (!hull->faces[f].alive) continue;
        TacHullFace face = hull->faces[f];
        for (int i = 0; i < 3; i++) {
            if (!hull->faces[face.neighbour[i]].alive && face.neighbour[i] >= to) status = TAC_FAILED;
            face.neighbour[i] = number[face.neighbour[i]];
        }
        hull->faces[to++] = face;
    }
    hull->count = alive;
    free(number);
    return status;
}

TacStatus tac_quickhull(TacHull *hull, const double *points, size_t count, const uint32_t start[4],
                        double tolerance, TacError *error) {
    hull->count = 0;
    Work work = {
        .hull = hull, .points = points, .point_count = count, .tolerance = tolerance, .error = error};
    work.next = malloc(count * sizeof *work.next);
    work.fan_of = malloc(count * sizeof *work.fan_of);
    TacStatus status = TAC_OK;
    if (work.next && work.fan_of)
        memset(work.fan_of, 0xff, count * sizeof *work.fan_of);
    else
        status = tac_fail_memory(error, count * sizeof *work.next);
    if (status == TAC_OK) status = start_from(&work, start);
    if (status == TAC_OK) status = grow(&work);
    if (status == TAC_OK) status = compact(&work);
    free(work.next);
    free(work.fan_of);
    free(work.stack);
    free(work.visible);
    free(work.horizon);
    return status;
}
