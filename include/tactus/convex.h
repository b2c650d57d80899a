// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Convex shapes and what can be asked of a pair of them: are they apart, how far, how deep, where do they
// touch, when will they. Usable without a world.
//
// Every query takes a TacConvexPair and gives a result struct whose state may be TAC_CONVEX_FAILED: never a
// NaN, a hang or an allocation. Queries are made in the frame of A, so places far from the origin cost no
// accuracy. There is no absolute epsilon: every tolerance is a fraction of the pair's extent, which is the
// sum of how far each shape reaches from its own origin plus the distance between these origins. Where both
// shapes have flat faces or are rounded points and segments (polyhedra, boxes, spheres, capsules, half-spaces)
// distances and depths are right to TAC_CONVEX_ERROR of the extent; where a cylinder or a cone takes part, to
// TAC_CONVEX_CURVED_ERROR. Each result says in `error` what it can prove of itself; only for the depth of
// cylinders and cones, where many directions may be equally short, that is coarser than what is reached.
//
// Lengths in m. Cylinders, cones and capsules stand along y, centred; a cone's tip is at +half_height.

#ifndef TACTUS_CONVEX_H
#define TACTUS_CONVEX_H

#include "tactus/base.h"
#include "tactus/math.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TAC_CONVEX_ERROR        1e-10 // of the extent; flat-faced, spheres, capsules
#define TAC_CONVEX_CURVED_ERROR 1e-5  // of the extent; pairs with a cylinder or a cone

enum { TAC_CONVEX_CONTACTS = 8 }; // most contact points that one pair gives

typedef enum TacConvexKind {
    TAC_CONVEX_SPHERE,
    TAC_CONVEX_BOX,
    TAC_CONVEX_CAPSULE,
    TAC_CONVEX_CYLINDER,
    TAC_CONVEX_CONE,
    TAC_CONVEX_HALF_SPACE, // everything below y = 0
    TAC_CONVEX_POLYHEDRON,
    TAC_CONVEX_KINDS
} TacConvexKind;

// The hull of a cloud of points. Never changes once made: threads may share it.
typedef struct TacPolyhedron TacPolyhedron;

// Makes the hull of `count` (1..2^24) points, xyz each. Flat, straight and point-like clouds are polyhedra
// too. Points that stick out by less than about 1e-12 of the cloud's size are left out.
TAC_API TacStatus tac_polyhedron_create(TacPolyhedron **polyhedron, const double *points, size_t count,
                                        TacError *error);
TAC_API void tac_polyhedron_destroy(TacPolyhedron *polyhedron); // NULL is allowed

TAC_API int tac_polyhedron_dimension(const TacPolyhedron *polyhedron); // 0 point, 1 segment, 2 flat, 3
TAC_API size_t tac_polyhedron_vertex_count(const TacPolyhedron *polyhedron);
TAC_API TacVec3 tac_polyhedron_vertex(const TacPolyhedron *polyhedron, size_t vertex);
// Faces are polygons, counter-clockwise as seen from outside; a flat polyhedron has two, one on each side.
TAC_API size_t tac_polyhedron_face_count(const TacPolyhedron *polyhedron);
// The vertices of a face; valid as long as the polyhedron.
TAC_API const uint32_t *tac_polyhedron_face(const TacPolyhedron *polyhedron, size_t face, size_t *count);
TAC_API TacVec3 tac_polyhedron_face_normal(const TacPolyhedron *polyhedron, size_t face); // unit, outward

// A shape. Plain value; refers to its polyhedron, which must outlive it.
typedef struct TacConvex {
    TacConvexKind kind;
    TacVec3 half;       // box: half of each side, >= 0
    double radius;      // sphere, capsule, cylinder, cone (at its base), >= 0
    double half_height; // capsule (without its caps), cylinder, cone, >= 0
    double rounding;    // >= 0; all points nearer than this to the shape belong to it as well
    const TacPolyhedron *polyhedron;
} TacConvex;

// Shapes without rounding; sizes are looked at by the queries, which fail on bad ones.
TAC_API TacConvex tac_convex_sphere(double radius);
TAC_API TacConvex tac_convex_box(TacVec3 half);
TAC_API TacConvex tac_convex_capsule(double radius, double half_height);
TAC_API TacConvex tac_convex_cylinder(double radius, double half_height);
TAC_API TacConvex tac_convex_cone(double radius, double half_height);
TAC_API TacConvex tac_convex_half_space(void);
TAC_API TacConvex tac_convex_polyhedron(const TacPolyhedron *polyhedron);

// Where a shape is. The quaternion need not be of unit length; zero stands for no rotation.
typedef struct TacPose {
    TacVec3 position;
    TacQuat rotation;
} TacPose;

typedef struct TacConvexPair {
    const TacConvex *a, *b; // at most one of them a half-space
    TacPose pose_a, pose_b;
} TacConvexPair;

// What the last query on a pair found out; tried first by the next. Owned by the caller, one per pair; a
// zeroed struct is a valid empty one, and NULL does without. What it says is checked against the shapes each
// time, so a stale or foreign cache costs time and never changes an answer beyond the stated error.
typedef struct TacConvexCache {
    TacVec3 axis;        // of A's frame, from B towards A; not of unit length
    uint32_t a[4], b[4]; // the simplex: vertices of A and of B
    uint16_t simplex;    // how many of these count, 0..4
    uint16_t axis_known; // 0 or 1
    uint32_t generation; // rises whenever the cache is rewritten; 0: never used
} TacConvexCache;

typedef enum TacConvexState {
    TAC_CONVEX_FAILED,      // bad shape, number out of range, or the stated error was not reached
    TAC_CONVEX_SEPARATED,   // apart (cast: no touch on the whole way)
    TAC_CONVEX_OVERLAPPING, // touching or deeper (cast: from the start on)
    TAC_CONVEX_HIT          // casts only: apart at the start, touching later
} TacConvexState;

// Are they apart? The fastest query (ISA-GJK: G. van den Bergen, 1999): with a cache, one look at each shape
// as long as the last separating axis, or the last common simplex, still holds.
typedef struct TacConvexSeparation {
    TacConvexState state;
    int iterations; // of GJK; 0: balls or the cache decided
} TacConvexSeparation;
TAC_API TacConvexSeparation tac_convex_separation(const TacConvexPair *pair, TacConvexCache *cache);

// How far apart, and between which points? When they overlap only the state says something.
typedef struct TacConvexDistance {
    TacConvexState state;
    double distance;          // > 0 when separated
    double error;             // m; how much the distance may be wrong
    TacVec3 normal;           // unit, from A to B
    TacVec3 point_a, point_b; // closest points, in the world
    int iterations;
} TacConvexDistance;
TAC_API TacConvexDistance tac_convex_distance(const TacConvexPair *pair, TacConvexCache *cache);

// How deep? The shortest move that parts them (EPA: G. van den Bergen, 2001), started from the simplex at
// which GJK stopped. When they are apart the fields hold what tac_convex_distance would give, depth negative.
typedef struct TacConvexPenetration {
    TacConvexState state;
    double depth;             // m, >= 0 when overlapping
    double error;             // m
    TacVec3 normal;           // unit; moving B by depth * normal leaves the shapes touching
    TacVec3 point_a, point_b; // deepest points: of A inside B, and of B inside A
    int iterations;
} TacConvexPenetration;
TAC_API TacConvexPenetration tac_convex_penetration(const TacConvexPair *pair, TacConvexCache *cache);

// Where do they touch? Several points where faces meet faces or edges. `reach` (m, >= 0) also counts points
// that are still that far apart; their depth is negative. Separated means: nothing within reach.
typedef struct TacConvexContact {
    TacVec3 point_a, point_b; // on the surfaces, in the world; point_a - point_b = depth * normal
    double depth;
} TacConvexContact;
typedef struct TacConvexContacts {
    TacConvexState state; // overlapping: there are contacts
    int count;
    TacVec3 normal; // unit, from A to B, of all contacts
    TacConvexContact contacts[TAC_CONVEX_CONTACTS];
} TacConvexContacts;
TAC_API TacConvexContacts tac_convex_contacts(const TacConvexPair *pair, double reach, TacConvexCache *cache);

// When do they first touch, as A moves by motion_a and B by motion_b without turning?
typedef struct TacConvexCast {
    TacConvexState state;
    double fraction; // of the motion, 0..1
    TacVec3 normal;  // unit, from A to B at the touch
    TacVec3 point;   // of the touch, in the world
    int iterations;
} TacConvexCast;
TAC_API TacConvexCast tac_convex_cast(const TacConvexPair *pair, TacVec3 motion_a, TacVec3 motion_b,
                                      TacConvexCache *cache);

// The same for a ray from `origin` to origin + `way`; the normal points out of the shape.
TAC_API TacConvexCast tac_convex_ray(const TacConvex *shape, TacPose pose, TacVec3 origin, TacVec3 way);

#ifdef __cplusplus
}
#endif

#endif
