// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Distance and depth of two small clouds of points by enumeration, sharing no code with the library's queries.
//
// Every triple of a cloud's points spans a triangle inside its hull, and the faces are among them: the least
// distance over all vertex-triangle and edge-edge pairs is the hulls' distance. The depth is the least overlap
// over all directions, and the least is met along a face normal or across two edges: all triples' normals and
// all pairs' cross products are tried. Extra candidates do no harm. Error: some 1e-15 of the extent.

#ifndef TACTUS_TESTS_CONVEX_REFERENCE_H
#define TACTUS_TESTS_CONVEX_REFERENCE_H

#include "tactus/math.h"

#include <stdbool.h>

enum { MOST_CORNERS = 12 };

typedef struct Corners {
    int count;
    TacVec3 p[MOST_CORNERS];
} Corners;

static inline double clamp_unit(double t) {
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

static double reference_point_segment(TacVec3 p, TacVec3 a, TacVec3 b) {
    TacVec3 ab = tac_sub(b, a);
    double length = tac_dot(ab, ab), t = length > 0 ? clamp_unit(tac_dot(tac_sub(p, a), ab) / length) : 0;
    return tac_norm(tac_sub(p, tac_axpy(a, t, ab)));
}

// A cross product whose square is less than this is mostly rounding: the edges' ends are as good.
static double reference_thin(TacVec3 u, TacVec3 v) {
    return 1e-24 * tac_dot(u, u) * tac_dot(v, v);
}

// The plane's distance where the foot lies inside, else the edges'.
static double reference_point_triangle(TacVec3 p, TacVec3 a, TacVec3 b, TacVec3 c) {
    double best = fmin(reference_point_segment(p, a, b),
                       fmin(reference_point_segment(p, b, c), reference_point_segment(p, c, a)));
    TacVec3 n = tac_cross(tac_sub(b, a), tac_sub(c, a));
    double nn = tac_dot(n, n);
    if (!(nn > reference_thin(tac_sub(b, a), tac_sub(c, a)))) return best;
    TacVec3 pa = tac_sub(a, p), pb = tac_sub(b, p), pc = tac_sub(c, p);
    bool inside = tac_dot(n, tac_cross(pa, pb)) >= 0 && tac_dot(n, tac_cross(pb, pc)) >= 0 &&
                  tac_dot(n, tac_cross(pc, pa)) >= 0;
    return inside ? fmin(best, fabs(tac_dot(n, pa)) / sqrt(nn)) : best;
}

// The common perpendicular where its feet lie inside both, else the ends'.
static double reference_segment_segment(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d) {
    double best = fmin(fmin(reference_point_segment(a, c, d), reference_point_segment(b, c, d)),
                       fmin(reference_point_segment(c, a, b), reference_point_segment(d, a, b)));
    TacVec3 u = tac_sub(b, a), v = tac_sub(d, c), n = tac_cross(u, v), ac = tac_sub(c, a);
    double nn = tac_dot(n, n);
    if (!(nn > reference_thin(u, v))) return best;
    double s = tac_dot(tac_cross(ac, v), n) / nn, t = tac_dot(tac_cross(ac, u), n) / nn;
    if (s < 0 || s > 1 || t < 0 || t > 1) return best;
    return fmin(best, tac_norm(tac_sub(tac_axpy(a, s, u), tac_axpy(c, t, v))));
}

static double reference_vertices_triangles(const Corners *a, const Corners *b) {
    double best = INFINITY;
    for (int v = 0; v < a->count; v++)
        for (int i = 0; i < b->count; i++)
            for (int j = i; j < b->count; j++)
                for (int k = j; k < b->count; k++)
                    best = fmin(best, reference_point_triangle(a->p[v], b->p[i], b->p[j], b->p[k]));
    return best;
}

// Meaningful for hulls that are apart.
static double reference_distance(const Corners *a, const Corners *b) {
    double best = fmin(reference_vertices_triangles(a, b), reference_vertices_triangles(b, a));
    for (int i = 0; i < a->count; i++)
        for (int j = i + 1; j < a->count; j++)
            for (int k = 0; k < b->count; k++)
                for (int l = k + 1; l < b->count; l++)
                    best = fmin(best, reference_segment_segment(a->p[i], a->p[j], b->p[k], b->p[l]));
    return best;
}

// Overlap along +n and -n, the lesser; directions too short to be trusted do not count.
static double reference_overlap(const Corners *a, const Corners *b, TacVec3 n, double least) {
    double length = tac_norm(n);
    if (!(length > least)) return INFINITY;
    n = tac_scale(n, 1 / length);
    double low_a = INFINITY, high_a = -INFINITY, low_b = INFINITY, high_b = -INFINITY;
    for (int i = 0; i < a->count; i++) {
        low_a = fmin(low_a, tac_dot(n, a->p[i]));
        high_a = fmax(high_a, tac_dot(n, a->p[i]));
    }
    for (int i = 0; i < b->count; i++) {
        low_b = fmin(low_b, tac_dot(n, b->p[i]));
        high_b = fmax(high_b, tac_dot(n, b->p[i]));
    }
    return fmin(high_a - low_b, high_b - low_a);
}

// Negative: apart along that much. Also the positive depth of hulls that overlap.
static double reference_depth(const Corners *a, const Corners *b) {
    double best = INFINITY;
    const Corners *both[2] = {a, b};
    static const TacVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < both[side]->count; i++)
            for (int j = i + 1; j < both[side]->count; j++) {
                TacVec3 u = tac_sub(both[side]->p[j], both[side]->p[i]);
                for (int k = j + 1; k < both[side]->count; k++) {
                    TacVec3 v = tac_sub(both[side]->p[k], both[side]->p[i]);
                    best = fmin(best, reference_overlap(a, b, tac_cross(u, v), 0));
                }
                // for bodies without volume
                for (int k = 0; k < 3; k++)
                    best = fmin(best, reference_overlap(a, b, tac_cross(u, axes[k]), 0));
            }
    for (int k = 0; k < 3; k++) best = fmin(best, reference_overlap(a, b, axes[k], 0));
    for (int i = 0; i < a->count; i++)
        for (int j = i + 1; j < a->count; j++)
            for (int k = 0; k < b->count; k++)
                for (int l = k + 1; l < b->count; l++) {
                    TacVec3 u = tac_sub(a->p[j], a->p[i]), v = tac_sub(b->p[l], b->p[k]);
                    best = fmin(best, reference_overlap(a, b, tac_cross(u, v), 0));
                }
    return best;
}

#endif
