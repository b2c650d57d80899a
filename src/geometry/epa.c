// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The expanding polytope; epa.h has its rules. Faces live in slots that are used again, linked to their three
// neighbours; all memory is on the stack.

#include "geometry/epa.h"

enum { NONE = 0xffff };

// A height below this fraction of the extent is none; thinner triangles have no normal.
#define FLAT 1e-12

typedef struct Face {
    uint16_t corner[3], neighbour[3]; // edge i goes from corner i to corner i+1
    TacVec3 normal;                   // unit, outward
    double offset;                    // signed distance of the origin's plane
    bool alive, thin, seen;
} Face;

typedef struct Polytope {
    const TacRelative *relative;
    TacDifference vertex[TAC_EPA_VERTICES];
    int vertex_count;
    Face face[TAC_EPA_FACES];
    int face_count; // slots ever used
    uint16_t spare[TAC_EPA_FACES];
    int spare_count;
} Polytope;

typedef struct Edge {
    uint16_t from, to, face, side;
} Edge;

static TacDifference support_along(const TacRelative *relative, TacVec3 n) {
    return tac_difference_support(relative, tac_scale(n, -1), 0, 0);
}

static TacVec3 any_perpendicular(TacVec3 u) {
    TacVec3 axis = fabs(u.x) <= fabs(u.y) && fabs(u.x) <= fabs(u.z) ? tac_vec3(1, 0, 0)
                   : fabs(u.y) <= fabs(u.z)                         ? tac_vec3(0, 1, 0)
                                                                    : tac_vec3(0, 0, 1);
    return tac_unit(tac_cross(u, axis));
}

// --- the start -----------------------------------------------------------------------------------------------

// Rule 2: no volume. The weights of GJK's nearest point give the witnesses.
static void finish_flat(TacEpa *epa, const TacRelative *relative, const TacSimplex *start, TacVec3 n) {
    double front = tac_dot(n, support_along(relative, n).w);
    TacVec3 back = tac_scale(n, -1);
    double behind = tac_dot(back, support_along(relative, back).w);
    epa->normal = front <= behind ? n : back;
    epa->depth = fmin(front, behind);
    epa->error = FLAT * relative->extent;
    epa->a = epa->b = tac_vec3(0, 0, 0);
    for (int i = 0; i < start->count; i++) {
        double weight = start->count < 4 ? start->weight[i] : 0.25;
        epa->a = tac_axpy(epa->a, weight, start->corner[i].a);
        epa->b = tac_axpy(epa->b, weight, start->corner[i].b);
    }
}

// The candidate farthest from the first `dimension` chosen ones; square of its height above what they span.
static int farthest(const TacDifference *candidate, int count, const int *chosen, int dimension,
                    double *square) {
    TacVec3 p = candidate[chosen[0]].w, u = {0, 0, 0}, n = {0, 0, 0};
    if (dimension > 1) u = tac_unit(tac_sub(candidate[chosen[1]].w, p));
    if (dimension > 2) n = tac_unit(tac_cross(u, tac_sub(candidate[chosen[2]].w, p)));
    int best = 0;
    *square = -1;
    for (int i = 0; i < count; i++) {
        TacVec3 d = tac_sub(candidate[i].w, p), c = tac_cross(u, d);
        double height = dimension == 1   ? tac_dot(d, d)
                        : dimension == 2 ? tac_dot(c, c)
                                         : tac_dot(n, d) * tac_dot(n, d);
        if (height > *square) {
            *square = height;
            best = i;
        }
    }
    return best;
}

// Four points that span as much as can be found. False when there is no volume; *flat is then a direction
// without extent.
static bool span(const TacRelative *relative, const TacSimplex *start, TacDifference tetrahedron[4],
                 TacVec3 *flat) {
    TacDifference candidate[4 + 6 + 4];
    int count = 0, chosen[4] = {0, 0, 0, 0};
    for (int i = 0; i < start->count; i++) candidate[count++] = start->corner[i];
    for (int i = 0; i < 6; i++) {
        double s = i & 1 ? -1 : 1;
        candidate[count++] =
            support_along(relative, tac_vec3(i / 2 == 0 ? s : 0, i / 2 == 1 ? s : 0, i / 2 == 2 ? s : 0));
    }
    double least = FLAT * relative->extent, square;
    *flat = tac_vec3(0, 1, 0);
    chosen[1] = farthest(candidate, count, chosen, 1, &square);
    if (!(square > least * least)) return false;
    // the axes may all miss a thin body: look across the line and the plane found so far as well
    TacVec3 u = tac_unit(tac_sub(candidate[chosen[1]].w, candidate[chosen[0]].w));
    *flat = any_perpendicular(u);
    candidate[count++] = support_along(relative, *flat);
    candidate[count++] = support_along(relative, tac_scale(*flat, -1));
    chosen[2] = farthest(candidate, count, chosen, 2, &square);
    if (!(square > least * least)) return false;
    *flat = tac_unit(tac_cross(u, tac_sub(candidate[chosen[2]].w, candidate[chosen[0]].w)));
    candidate[count++] = support_along(relative, *flat);
    candidate[count++] = support_along(relative, tac_scale(*flat, -1));
    chosen[3] = farthest(candidate, count, chosen, 3, &square);
    if (!(square > least * least)) return false;
    for (int i = 0; i < 4; i++) tetrahedron[i] = candidate[chosen[i]];
    return true;
}

// GJK's tetrahedron is good enough when no height of it is small.
static bool well_shaped(const TacSimplex *start, double extent) {
    if (start->count != 4) return false;
    TacVec3 a = start->corner[0].w, b = tac_sub(start->corner[1].w, a), c = tac_sub(start->corner[2].w, a),
            d = tac_sub(start->corner[3].w, a);
    return fabs(tac_dot(d, tac_cross(b, c))) > 1e-6 * extent * extent * extent;
}

// --- faces ---------------------------------------------------------------------------------------------------

// The plane of a face; a thin one takes that of the neighbour given.
static void set_plane(Polytope *polytope, Face *face, const Face *neighbour) {
    TacVec3 a = polytope->vertex[face->corner[0]].w, b = polytope->vertex[face->corner[1]].w,
            c = polytope->vertex[face->corner[2]].w;
    TacVec3 ab = tac_sub(b, a), ac = tac_sub(c, a), n = tac_cross(ab, ac);
    double length = tac_norm(n), edge = sqrt(fmax(tac_dot(ab, ab), tac_dot(ac, ac)));
    face->thin = !(length > FLAT * polytope->relative->extent * edge);
    if (face->thin && neighbour) {
        face->normal = neighbour->normal;
        face->offset = neighbour->offset;
        return;
    }
    face->normal = length > 0 ? tac_scale(n, 1 / length) : tac_vec3(0, 1, 0);
    face->offset = fmax(tac_dot(face->normal, a), fmax(tac_dot(face->normal, b), tac_dot(face->normal, c)));
}

static int new_face(Polytope *polytope, uint16_t a, uint16_t b, uint16_t c) {
    int slot = polytope->spare_count > 0              ? polytope->spare[--polytope->spare_count]
               : polytope->face_count < TAC_EPA_FACES ? polytope->face_count++
                                                      : -1;
    if (slot >= 0) polytope->face[slot] = (Face){.corner = {a, b, c}, .alive = true};
    return slot;
}

static void start_polytope(Polytope *polytope, const TacDifference tetrahedron[4]) {
    memcpy(polytope->vertex, tetrahedron, 4 * sizeof *tetrahedron);
    polytope->vertex_count = 4;
    polytope->face_count = polytope->spare_count = 0;
    TacVec3 a = tetrahedron[0].w;
    TacVec3 n = tac_cross(tac_sub(tetrahedron[1].w, a), tac_sub(tetrahedron[2].w, a));
    // vertex 3 must lie below (0, 1, 2)
    if (tac_dot(n, tac_sub(tetrahedron[3].w, a)) > 0) {
        polytope->vertex[1] = tetrahedron[2];
        polytope->vertex[2] = tetrahedron[1];
    }
    static const uint16_t corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint16_t neighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; f++) {
        int slot = new_face(polytope, corners[f][0], corners[f][1], corners[f][2]);
        memcpy(polytope->face[slot].neighbour, neighbours[f], sizeof neighbours[f]);
        set_plane(polytope, &polytope->face[slot], NULL);
    }
}

static int nearest_face(const Polytope *polytope) {
    int best = -1;
    for (int f = 0; f < polytope->face_count; f++) {
        const Face *face = &polytope->face[f];
        if (face->alive && !face->thin && (best < 0 || face->offset < polytope->face[best].offset)) best = f;
    }
    return best;
}

// The faces that the point sees, from one of them, and the ring of edges around. False when it is not sound.
static bool look(Polytope *polytope, int first, TacVec3 w, uint16_t *visible, int *visible_count,
                 Edge *horizon, int *horizon_count) {
    double least = 1e-15 * polytope->relative->extent;
    *visible_count = *horizon_count = 0;
    polytope->face[first].seen = true;
    visible[(*visible_count)++] = (uint16_t)first;
    for (int i = 0; i < *visible_count; i++)
        for (int k = 0; k < 3; k++) {
            Face *face = &polytope->face[visible[i]], *other = &polytope->face[face->neighbour[k]];
            if (other->seen) continue;
            if (tac_dot(other->normal, w) - other->offset > least) {
                other->seen = true;
                visible[(*visible_count)++] = face->neighbour[k];
                continue;
            }
            uint16_t from = face->corner[k], to = face->corner[(k + 1) % 3], side = 0;
            while (side < 3 && !(other->neighbour[side] == visible[i] && other->corner[side] == to)) side++;
            if (side == 3 || *horizon_count >= TAC_EPA_VERTICES) return false;
            horizon[(*horizon_count)++] = (Edge){from, to, face->neighbour[k], side};
        }
    return *horizon_count >= 3;
}

// Each corner of the ring starts one edge, and walking it comes back after all of them.
static bool is_ring(const Edge *horizon, int count, uint16_t *edge_from) {
    for (int i = 0; i < TAC_EPA_VERTICES; i++) edge_from[i] = NONE;
    for (int i = 0; i < count; i++) {
        if (edge_from[horizon[i].from] != NONE) return false;
        edge_from[horizon[i].from] = (uint16_t)i;
    }
    int length = 0, at = 0;
    do {
        uint16_t next = edge_from[horizon[at].to];
        if (next == NONE) return false;
        at = next;
        length++;
    } while (at != 0 && length < count);
    return at == 0 && length == count;
}

// Pushes the polytope out to a point beyond one of its faces. False, and no more to be done, when it cannot.
static bool expand(Polytope *polytope, int first, const TacDifference *point) {
    uint16_t visible[TAC_EPA_FACES], edge_from[TAC_EPA_VERTICES], fan[TAC_EPA_VERTICES];
    Edge horizon[TAC_EPA_VERTICES];
    int visible_count, horizon_count;
    if (polytope->vertex_count == TAC_EPA_VERTICES) return false;
    if (!look(polytope, first, point->w, visible, &visible_count, horizon, &horizon_count)) return false;
    if (!is_ring(horizon, horizon_count, edge_from)) return false;
    for (int i = 0; i < visible_count; i++) {
        polytope->face[visible[i]].alive = polytope->face[visible[i]].seen = false;
        polytope->spare[polytope->spare_count++] = visible[i];
    }
    uint16_t eye = (uint16_t)polytope->vertex_count;
    polytope->vertex[polytope->vertex_count++] = *point;
    for (int i = 0; i < horizon_count; i++) {
        int slot = new_face(polytope, horizon[i].from, horizon[i].to, eye);
        if (slot < 0) return false;
        fan[i] = (uint16_t)slot;
    }
    for (int i = 0; i < horizon_count; i++) {
        Face *face = &polytope->face[fan[i]];
        uint16_t after = fan[edge_from[horizon[i].to]];
        face->neighbour[0] = horizon[i].face;
        polytope->face[horizon[i].face].neighbour[horizon[i].side] = fan[i];
        face->neighbour[1] = after;
        polytope->face[after].neighbour[2] = fan[i];
        set_plane(polytope, face, &polytope->face[horizon[i].face]);
    }
    return true;
}

// --- the answer ----------------------------------------------------------------------------------------------

// The point of a face nearest to `target`. Returns how far off it is.
static double witness_on(const Polytope *polytope, const Face *face, TacVec3 target, TacVec3 *a, TacVec3 *b) {
    TacSimplex simplex = {.count = 3};
    for (int i = 0; i < 3; i++) {
        simplex.corner[i] = polytope->vertex[face->corner[i]];
        simplex.corner[i].w = tac_sub(simplex.corner[i].w, target);
    }
    bool inside;
    TacVec3 off = tac_simplex_nearest(&simplex, &inside);
    *a = *b = tac_vec3(0, 0, 0);
    for (int i = 0; i < simplex.count; i++) {
        *a = tac_axpy(*a, simplex.weight[i], simplex.corner[i].a);
        *b = tac_axpy(*b, simplex.weight[i], simplex.corner[i].b);
    }
    return tac_norm(off);
}

// The witnesses. Several faces may lie in the plane found; the one that the normal meets has them. Where
// planes are nearly parallel that may be a face of another plane: then all faces are searched.
static void set_witness(TacEpa *epa, const Polytope *polytope) {
    double nearest = INFINITY, enough = 1e-9 * polytope->relative->extent;
    TacVec3 target = tac_scale(epa->normal, epa->depth);
    for (int pass = 0; pass < 2 && nearest > enough; pass++)
        for (int f = 0; f < polytope->face_count && nearest > enough; f++) {
            const Face *face = &polytope->face[f];
            if (!face->alive || (pass == 0 && !(tac_dot(face->normal, epa->normal) > 0.999))) continue;
            TacVec3 a, b;
            double off = witness_on(polytope, face, target, &a, &b);
            if (off < nearest) {
                nearest = off;
                epa->a = a;
                epa->b = b;
            }
        }
}

// Rule 5: the shallowest plane of all faces that could still be nearer than what was found.
static void try_all_faces(TacEpa *epa, const Polytope *polytope) {
    for (int f = 0; f < polytope->face_count; f++) {
        const Face *face = &polytope->face[f];
        if (!face->alive || face->thin || !(face->offset < epa->depth)) continue;
        double height = tac_dot(face->normal, support_along(polytope->relative, face->normal).w);
        epa->iterations++;
        if (height < epa->depth) {
            epa->depth = height;
            epa->normal = face->normal;
        }
    }
}

// Turns the plane against the slope of its depth; the step grows while that helps, and else shrinks.
static void polish(TacEpa *epa, const TacRelative *relative) {
    TacDifference d = support_along(relative, epa->normal);
    double step = 0.05 / relative->extent;
    for (int i = 0; i < TAC_EPA_POLISH; i++) {
        TacVec3 slope = tac_axpy(d.w, -tac_dot(d.w, epa->normal), epa->normal);
        TacVec3 n = tac_unit(tac_axpy(epa->normal, -step, slope));
        TacDifference other = support_along(relative, n);
        double height = tac_dot(n, other.w);
        epa->iterations++;
        if (height < epa->depth) {
            epa->depth = height;
            epa->normal = n;
            d = other;
            step *= 1.5;
        } else {
            step *= 0.5;
        }
    }
}

static bool is_vertex(const Polytope *polytope, TacVec3 w) {
    for (int i = 0; i < polytope->vertex_count; i++) {
        TacVec3 p = polytope->vertex[i].w;
        if (p.x == w.x && p.y == w.y && p.z == w.z) return true;
    }
    return false;
}

void tac_epa(TacEpa *epa, const TacRelative *relative, const TacSimplex *start) {
    *epa = (TacEpa){.depth = INFINITY};
    TacDifference tetrahedron[4];
    TacVec3 flat;
    if (well_shaped(start, relative->extent))
        memcpy(tetrahedron, start->corner, sizeof tetrahedron);
    else if (!span(relative, start, tetrahedron, &flat)) {
        finish_flat(epa, relative, start, flat);
        return;
    }
    Polytope polytope;
    polytope.relative = relative;
    start_polytope(&polytope, tetrahedron);
    double close = relative->extent * (relative->curved ? TAC_EPA_CURVED_CLOSE : TAC_EPA_CLOSE);
    double lower = -INFINITY;
    for (int i = 0; i < TAC_EPA_VERTICES; i++) {
        int f = nearest_face(&polytope);
        if (f < 0) break;
        const Face *face = &polytope.face[f];
        TacDifference d = support_along(relative, face->normal);
        double height = tac_dot(face->normal, d.w);
        epa->iterations++;
        lower = face->offset;
        if (height < epa->depth) {
            epa->depth = height;
            epa->normal = face->normal;
        }
        if (epa->depth - lower <= close || is_vertex(&polytope, d.w)) break;
        if (!expand(&polytope, f, &d)) break;
    }
    epa->failed = !(epa->depth < INFINITY);
    if (epa->failed) return;
    if (relative->curved && epa->depth - lower > close) {
        try_all_faces(epa, &polytope);
        polish(epa, relative);
    }
    epa->error = fmax(0, epa->depth - lower) + TAC_EPA_CLOSE * relative->extent;
    set_witness(epa, &polytope);
}
