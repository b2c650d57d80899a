// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Certain answers about touching: do two moving primitives meet, do two triangles intersect. Usable without a
// world; it is what an audit of contact rests on, so it is simple and shares no code with what it audits.
//
// Continuous collision detection. Four points fly along straight lines, x(t) = (1-t) start + t end, t in
// [0, 1]; they are a point and a triangle, or two edges. The question: when are the two first at a distance
// of at most `thickness`? Touching counts. The four states mean:
//
//   CLEAR    proven: the distance exceeds the thickness throughout. Never said wrongly.
//   HIT      proven: the distance is at most the thickness at some time in [t0, t1], and more before t0.
//   UNSURE   no proof either way; more than the thickness before t0. Either `spent` is true, or somewhere in
//            [t0, t1] the distance is at most thickness + tolerance + 2^-40 size (see below). So is told
//            what touches at a single instant within (0, 1), by a corner or a rim: proof would need exact
//            roots. Whoever must not miss a contact takes UNSURE for one.
//   FAILED   the input makes no sense (NaN, |coordinate| > 1e60, thickness < 0, from > to, ...).
//
// Why this is certain. The difference between a point of the one and a point of the other lies in the convex
// hull of the corner differences c_j(t) (3 for point-triangle, 4 for edge-edge), and these are linear in t.
// So if some fixed direction n has n.c_j > thickness |n| for all j at both ends of a span of time, then the
// distance exceeds the thickness throughout it, whatever n is and however it was found. (Nor need n be
// fixed: where it is linear in t, n.c_j is a quadratic, bounded from below by its Bernstein coefficients.)
// Spans that no n clears are halved; since both primitives are convex, an n exists for every span that is
// short enough unless the two touch. The boxes of Wang, Ferguson, Schneider, Jiang, Attene, Panozzo, "A
// Large-Scale Benchmark and an Inclusion-Based Algorithm for Continuous Collision Detection", 2021, are the
// same inclusion with n along the axes, which forces them to halve in all three of t, u, v; with any n, t is
// enough. A hit is proven by a sign change of the four points' volume over a span during which, seen along
// one axis, the point stays strictly inside the triangle (the edges cross); or by the distance at one time;
// or, for t = 0 and t = 1 and thickness 0, by the exact predicates below.
//
// Rounding. u = 2^-53; size = the largest |component| of a corner difference at t = 0 and t = 1. A corner
// difference is subtracted once (1u), (1-t) rounds once, each product once, the sum once: at most 4.1 u size
// per component. n.c adds three roundings at most: 3.1 u |n|_1 size. Both together are below 8 u |n|_1 size;
// 16 are taken, and DBL_MIN for what underflows. Nothing else in a CLEAR is computed. Proofs of hits use
// intervals, widened after every operation by more than its rounding. Needed: IEEE doubles, rounding to
// nearest, no contraction, no -ffast-math.
//
// Points that meet points, or points that meet edges, are triangles with equal corners: all of it is allowed.

#ifndef TACTUS_CCD_H
#define TACTUS_CCD_H

#include "tactus/base.h"
#include "tactus/geometry.h"
#include "tactus/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TacCcdPair {
    TAC_CCD_POINT_TRIANGLE, // points 0 | 1 2 3
    TAC_CCD_EDGE_EDGE,      // points 0 1 | 2 3
} TacCcdPair;

typedef enum TacCcdState {
    TAC_CCD_CLEAR,
    TAC_CCD_HIT,
    TAC_CCD_UNSURE,
    TAC_CCD_FAILED,
} TacCcdState;

// Take one from tac_ccd_default_input and fill in the positions.
typedef struct TacCcdInput {
    TacCcdPair pair;
    TacVec3 start[4]; // m, at t = 0
    TacVec3 end[4];   // m, at t = 1
    double thickness; // m, >= 0
    double from, to;  // the part of the piece that is asked about, 0 <= from <= to <= 1
    double tolerance; // m, >= 0: how near to the thickness doubt may begin; 0: as late as rounding allows
    int most_cells;   // spans of time to look at before giving up, >= 1
} TacCcdInput;

typedef struct TacCcdResult {
    TacCcdState state;
    double t0, t1; // the first contact is in here (CLEAR: both are `to`)
    double low,
        high;  // m: CLEAR: the smallest distance is in here; else low is 0, and high is the distance at `at`
    double at; // the time of the closest approach that was seen; not the closest of all
    double weights[4]; // of the four points in the two closest points then; each side sums to 1
    unsigned
        features; // bit i: point i has weight there: 0b0011 | 0b1100 is two edges, 0b0011 point and corner
    int cells;    // spans looked at
    bool spent;   // most_cells were not enough
} TacCcdResult;

// Thickness 0, the whole piece, tolerance 0, 10,000 cells.
TAC_API TacCcdInput tac_ccd_default_input(TacCcdPair pair);

// Answers in bounded time: at most most_cells spans. Returns result->state.
TAC_API TacCcdState tac_ccd(const TacCcdInput *input, TacCcdResult *result);

// Curved motion. A path with |x''| <= c stays within c h^2 / 8 of its chord over a time h; each chord is
// asked about with that much more thickness, and halved where this does not decide. A common acceleration
// (gravity on both) cancels: leave it out of the motion and of the bounds. A point at radius r of a body that
// turns with a constant angular velocity w has c = w^2 r.
//
// Gives the four points at a time in [begin, end]; false when it cannot. Called for the same time more than
// once.
typedef bool (*TacCcdMotion)(void *context, double time, TacVec3 points[4]);

// Take one from tac_ccd_default_curve and fill in the motion.
typedef struct TacCcdCurve {
    TacCcdPair pair;
    TacCcdMotion motion;
    void *context;
    double begin, end;      // s; end >= begin
    double acceleration[4]; // m/s^2: bounds of |x''| of the four points over [begin, end]
    double position_error;  // m: how far the motion's answers may be off, by rounding or otherwise
    double thickness;       // m, >= 0
    double tolerance;       // m, as in TacCcdInput
    int most_cells;         // over all chords together
} TacCcdCurve;

// From 0 s to 1 s, thickness 0, no acceleration, exact positions, tolerance 0, 100,000 cells.
TAC_API TacCcdCurve tac_ccd_default_curve(TacCcdPair pair);

// As tac_ccd; t0, t1 and `at` are times in [begin, end], and doubt may begin at twice the tolerance and four
// times position_error. A contact that does not cross (a touch at thickness 0) is never proven, only UNSURE.
TAC_API TacCcdState tac_ccd_curved(const TacCcdCurve *curve, TacCcdResult *result);

// Exact predicates. The sign, or the answer, is that of the given doubles without any rounding, whenever each
// coordinate is 0 or between 1e-90 and 1e100 in size (beyond, products may under- or overflow). NaN is not
// allowed. Sets are closed: touching is meeting. Degenerate triangles and edges are what they are: segments
// and points.

// +1: d lies on the side of (a, b, c) to which its right-handed normal points; -1: on the other; 0: coplanar.
TAC_API int tac_orient3d(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d);

// The point p and the triangle; the edges ab and cd; the edge ab and the triangle; two triangles.
TAC_API bool tac_point_meets_triangle(TacVec3 p, const TacVec3 triangle[3]);
TAC_API bool tac_edges_meet(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d);
TAC_API bool tac_edge_meets_triangle(TacVec3 a, TacVec3 b, const TacVec3 triangle[3]);
TAC_API bool tac_triangles_meet(const TacVec3 first[3], const TacVec3 second[3]);

// What meets what, by number, first < second where both are of one kind.
typedef struct TacMeeting {
    int32_t first, second;
} TacMeeting;

// All pairs of triangles that meet without being neighbours: some edge of the one meets the other triangle
// and has no point (by number) in common with it. So triangles that share an edge are never a pair, and those
// that share a corner are one only if they meet elsewhere. Sorted. At most `most` pairs are looked for (0:
// no limit). The caller frees *meetings (NULL when there are none). Needs O(n log n) time for n triangles
// whose boxes overlap few others.
TAC_API TacStatus tac_triangle_meetings(const double *points, size_t point_count, const int32_t *triangles,
                                        size_t triangle_count, size_t most, TacMeeting **meetings,
                                        size_t *count, TacError *error);

// The same for edges (first) against triangles (second) without common points: wires and skins.
TAC_API TacStatus tac_edge_triangle_meetings(const double *points, size_t point_count, const int32_t *edges,
                                             size_t edge_count, const int32_t *triangles,
                                             size_t triangle_count, size_t most, TacMeeting **meetings,
                                             size_t *count, TacError *error);

// The same for the triangles of tac_mesh_surface: where a mesh intersects itself.
TAC_API TacStatus tac_mesh_intersections(const TacMesh *mesh, size_t most, TacMeeting **meetings,
                                         size_t *count, TacError *error);

#ifdef __cplusplus
}
#endif

#endif
