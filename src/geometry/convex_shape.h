// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A pair of shapes as the algorithms see it: two *cores* in the frame of A, and a margin.
//
// A core is the shape without what rounds it: the centre of a sphere, the segment of a capsule, and for every
// other shape the shape without its rounding. GJK and EPA work on the difference body {a - b} of the cores;
// the margin, the sum of both roundings, is taken off afterwards. So spheres and capsules are exact, and
// resting rounded shapes never need EPA. A *support* is the point of a core that is farthest in a direction.

#ifndef TACTUS_GEOMETRY_CONVEX_SHAPE_H
#define TACTUS_GEOMETRY_CONVEX_SHAPE_H

#include "geometry/convex_hull.h"

// Polyhedra with more vertices than this are climbed from neighbour to neighbour; for fewer, looking at all of
// them several at a time is faster.
enum { TAC_CONVEX_CLIMB = 160 };

#define TAC_CONVEX_NO_VERTEX UINT32_MAX // a support on something curved

typedef struct TacRelative {
    const TacConvex *a, *b;
    TacMat3 turn;  // from B's frame to A's
    TacVec3 shift; // of B's origin, in A's frame
    double margin; // sum of the roundings of the two cores
    double extent; // scale of all tolerances
    bool curved;   // a cylinder or a cone takes part
} TacRelative;

// A point of the difference body.
typedef struct TacDifference {
    TacVec3 w, a, b; // w = a - b, all in A's frame
    uint32_t ia, ib; // vertices, or TAC_CONVEX_NO_VERTEX
} TacDifference;

static inline double tac_core_margin(const TacConvex *shape) {
    bool round = shape->kind == TAC_CONVEX_SPHERE || shape->kind == TAC_CONVEX_CAPSULE;
    return round ? shape->rounding + shape->radius : shape->rounding;
}

static inline bool tac_core_curved(const TacConvex *shape) {
    return shape->kind == TAC_CONVEX_CYLINDER || shape->kind == TAC_CONVEX_CONE;
}

// How far the core reaches from its origin (0 for a half-space); negative or NaN for a shape that cannot be used.
static inline double tac_core_reach(const TacConvex *shape) {
    if (!(shape->rounding >= 0)) return -1;
    switch (shape->kind) {
    case TAC_CONVEX_POLYHEDRON: return shape->polyhedron ? shape->polyhedron->reach : -1;
    case TAC_CONVEX_BOX:
        if (!(shape->half.x >= 0 && shape->half.y >= 0 && shape->half.z >= 0)) return -1;
        return shape->half.x + shape->half.y + shape->half.z;
    case TAC_CONVEX_SPHERE: return shape->radius >= 0 ? 0 : -1;
    case TAC_CONVEX_CAPSULE: return shape->radius >= 0 ? shape->half_height : -1;
    case TAC_CONVEX_CYLINDER:
    case TAC_CONVEX_CONE:
        return shape->radius >= 0 && shape->half_height >= 0 ? shape->radius + shape->half_height : -1;
    case TAC_CONVEX_HALF_SPACE: return 0;
    default: return -1;
    }
}

static inline double tac_quat_square(TacQuat q) {
    return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
}

// False for shapes and numbers that cannot be used. Half-spaces are allowed. Inline, for the quick answers:
// with values still in registers they take half the time.
static inline bool tac_relative_make(TacRelative *relative, const TacConvexPair *pair) {
    TacQuat qa = pair->pose_a.rotation, qb = pair->pose_b.rotation;
    if (tac_quat_square(qa) == 0) qa = tac_quat_identity();
    if (tac_quat_square(qb) == 0) qb = tac_quat_identity();
    double square_a = tac_quat_square(qa), square_b = tac_quat_square(qb);
    double s = 2 / (square_a * square_b);
    TacQuat q = tac_quat_mul(tac_quat_conjugate(qa), qb);
    double sx = s * q.x, sy = s * q.y, sz = s * q.z;
    double xx = sx * q.x, yy = sy * q.y, zz = sz * q.z, xy = sx * q.y, xz = sx * q.z, yz = sy * q.z,
           wx = sx * q.w, wy = sy * q.w, wz = sz * q.w;
    relative->turn = (TacMat3){{{1 - (yy + zz), xy - wz, xz + wy},
                                {xy + wz, 1 - (xx + zz), yz - wx},
                                {xz - wy, yz + wx, 1 - (xx + yy)}}};
    TacVec3 d = tac_sub(pair->pose_b.position, pair->pose_a.position), u = {-qa.x, -qa.y, -qa.z};
    TacVec3 across = tac_scale(tac_cross(u, d), s * square_b);
    TacVec3 t = tac_add(tac_axpy(d, qa.w, across), tac_cross(u, across));
    relative->a = pair->a;
    relative->b = pair->b;
    relative->shift = t;
    relative->margin = tac_core_margin(pair->a) + tac_core_margin(pair->b);
    relative->curved = tac_core_curved(pair->a) || tac_core_curved(pair->b);
    double reach_a = tac_core_reach(pair->a), reach_b = tac_core_reach(pair->b);
    relative->extent = reach_a + reach_b + relative->margin + (fabs(t.x) + fabs(t.y) + fabs(t.z));
    // the extent also tells of NaN and infinity in positions
    return reach_a >= 0 && reach_b >= 0 && relative->extent <= 1e100 && square_a > 1e-100 &&
           square_a < 1e100 && square_b > 1e-100 && square_b < 1e100;
}

// The farthest point of a core, in the shape's own frame. Not for half-spaces. `hint` may be any number.
TacVec3 tac_core_support(const TacConvex *shape, TacVec3 direction, uint32_t hint, uint32_t *vertex);

static inline TacVec3 tac_box_corner(TacVec3 half, uint32_t corner) {
    return tac_vec3(corner & 1 ? -half.x : half.x, corner & 2 ? -half.y : half.y,
                    corner & 4 ? -half.z : half.z);
}

// How many vertices the core has; 0 where it has curved parts.
static inline uint32_t tac_core_vertex_count(const TacConvex *shape) {
    switch (shape->kind) {
    case TAC_CONVEX_POLYHEDRON: return shape->polyhedron->vertices.count;
    case TAC_CONVEX_BOX: return 8;
    case TAC_CONVEX_CAPSULE: return 2;
    case TAC_CONVEX_SPHERE: return 1;
    default: return 0;
    }
}

static inline TacVec3 tac_core_vertex(const TacConvex *shape, uint32_t vertex) {
    switch (shape->kind) {
    case TAC_CONVEX_POLYHEDRON: return tac_cloud_at(&shape->polyhedron->vertices, vertex);
    case TAC_CONVEX_BOX: return tac_box_corner(shape->half, vertex);
    case TAC_CONVEX_CAPSULE: return tac_vec3(0, vertex ? -shape->half_height : shape->half_height, 0);
    default: return tac_vec3(0, 0, 0);
    }
}

// The rotation matrix of a quaternion of any length; zero gives the identity.
TacMat3 tac_pose_matrix(TacQuat q);

static inline TacVec3 tac_relative_b(const TacRelative *relative, TacVec3 local) {
    return tac_add(tac_mat3_apply(&relative->turn, local), relative->shift);
}

// The point of the difference body that is farthest against v.
static inline TacDifference tac_difference_support(const TacRelative *relative, TacVec3 v, uint32_t hint_a,
                                                   uint32_t hint_b) {
    TacDifference d;
    d.a = tac_core_support(relative->a, tac_scale(v, -1), hint_a, &d.ia);
    TacVec3 local = tac_core_support(relative->b, tac_mat3_apply_back(&relative->turn, v), hint_b, &d.ib);
    d.b = tac_relative_b(relative, local);
    d.w = tac_sub(d.a, d.b);
    return d;
}

#endif
