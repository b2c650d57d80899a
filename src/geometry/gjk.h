// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// GJK on the difference body of two cores (E. G. Gilbert, D. W. Johnson, S. S. Keerthi, 1988; the incremental
// separating-axis form is G. van den Bergen's, 1999): a simplex of points of the body walks towards the
// origin. Its point v nearest to the origin bounds the distance from above; the support against v, from below.
//
// The loop ends, whichever is first:
//   1. the simplex holds the origin: the cores overlap. Points of a curved body may lie so close together
//      that this is rounding: it does not count against a lower bound, which is a proof;
//   2. v is as short as rounding can tell (TAC_GJK_ZERO of the extent): they touch;
//   3. the bounds agree (TAC_GJK_CLOSE): done. Where the support is a corner already, or v got no shorter,
//      and the bounds do not agree, the simplex is dropped for that support, TAC_GJK_RESTARTS times at most;
//   4. only the sign was asked for, and the lower bound is beyond the margin: separated;
//   5. TAC_GJK_LIMIT supports were taken: what the bounds say is the answer, and its error.

#ifndef TACTUS_GEOMETRY_GJK_H
#define TACTUS_GEOMETRY_GJK_H

#include "geometry/convex_shape.h"

enum { TAC_GJK_LIMIT = 128, TAC_GJK_RESTARTS = 4 };
#define TAC_GJK_ZERO  4e-15 // of the extent
#define TAC_GJK_CLOSE 1e-14 // of the distance, and for curved shapes 1e-12

typedef struct TacSimplex {
    int count;
    TacDifference corner[4];
    double weight[4]; // of the nearest point
} TacSimplex;

typedef struct TacGjk {
    bool overlap;        // the cores do; else v is the vector from B's nearest point to A's
    TacSimplex simplex;  // whose nearest point is v, or which holds the origin
    TacVec3 v;           // of A's frame
    double upper, lower; // bounds of the distance of the cores
    int iterations;
} TacGjk;

// Replaces a simplex by its smallest face that holds its point nearest to the origin, and sets the weights.
// Returns that point; *inside tells that a tetrahedron holds the origin, and then nothing was replaced.
TacVec3 tac_simplex_nearest(TacSimplex *simplex, bool *inside);

// The full run. `cache` may be NULL; it is used for the start and rewritten at the end. When only the sign of
// distance - margin is wanted, stops as soon as that is known.
void tac_gjk(TacGjk *gjk, const TacRelative *relative, bool sign_only, TacConvexCache *cache);

// A ball about the core's centre: around it, and inside it.
static inline TacVec3 tac_core_balls(const TacConvex *shape, double *inner, double *outer) {
    *inner = *outer = 0;
    switch (shape->kind) {
    case TAC_CONVEX_POLYHEDRON:
        *inner = shape->polyhedron->inner;
        *outer = shape->polyhedron->outer;
        return shape->polyhedron->centre;
    case TAC_CONVEX_BOX:
        *inner = fmin(shape->half.x, fmin(shape->half.y, shape->half.z));
        *outer = tac_norm(shape->half);
        break;
    case TAC_CONVEX_CYLINDER:
        *inner = fmin(shape->radius, shape->half_height);
        *outer = sqrt(shape->radius * shape->radius + shape->half_height * shape->half_height);
        break;
    case TAC_CONVEX_CONE:
        *outer = sqrt(shape->radius * shape->radius + shape->half_height * shape->half_height);
        break;
    case TAC_CONVEX_CAPSULE: *outer = shape->half_height; break;
    default: break;
    }
    return tac_vec3(0, 0, 0);
}

// Loads the cached corners where these shapes have such vertices. Returns how many.
static inline int tac_simplex_load(const TacRelative *relative, const TacConvexCache *cache,
                                   TacSimplex *simplex) {
    uint32_t count_a = tac_core_vertex_count(relative->a), count_b = tac_core_vertex_count(relative->b);
    simplex->count = 0;
    for (int i = 0; i < cache->simplex && i < 4; i++) {
        if (cache->a[i] >= count_a || cache->b[i] >= count_b) return simplex->count = 0;
        TacDifference *d = &simplex->corner[i];
        d->ia = cache->a[i];
        d->ib = cache->b[i];
        d->a = tac_core_vertex(relative->a, d->ia);
        d->b = tac_relative_b(relative, tac_core_vertex(relative->b, d->ib));
        d->w = tac_sub(d->a, d->b);
        simplex->count++;
    }
    return simplex->count;
}

// Four volumes of one sign: the origin lies inside. What rounding could turn round does not count.
static inline bool tac_simplex_holds(const TacSimplex *simplex, double extent) {
    TacVec3 p0 = simplex->corner[0].w, p1 = simplex->corner[1].w, p2 = simplex->corner[2].w,
            p3 = simplex->corner[3].w;
    TacVec3 c23 = tac_cross(p2, p3), c01 = tac_cross(p0, p1);
    double d0 = tac_dot(p1, c23), d1 = -tac_dot(p0, c23), d2 = tac_dot(p3, c01), d3 = -tac_dot(p2, c01);
    double least = 1e-14 * extent * extent * extent;
    return (d0 > least && d1 > least && d2 > least && d3 > least) ||
           (d0 < -least && d1 < -least && d2 < -least && d3 < -least);
}

#endif
