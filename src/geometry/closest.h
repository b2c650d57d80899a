// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Closest points of point and segment, point and triangle, two segments.
//
// Everything is convex, so the closest pair lies either inside both primitives or on a boundary, and the
// boundary is made of segments and points. The rules:
//
//   1. Weights are made first, are each in [0, 1] and sum to 1 (by rounding); the distance is then measured
//      between the two points that they name. So an answer is never below the true distance by more than
//      the rounding of that measurement, however wrong the weights are.
//   2. Where shapes are plain (angles of more than 14.5 degrees) and the closest points lie inside, the normal
//      equations are good to a few units in the last place, and are all there is: the inline path.
//   3. Else the boundary is asked completely, part by part, and the inside once more by first taking away what
//      lies along the longest edge and then looking across it (Gram and Schmidt). The error of the direction
//      across, u L / h for a triangle of length L and height h, then multiplies the distance D from the
//      plane only, and a direction that is off by it costs at most min(h^2, (u L D / h)^2) / 2 D <= u L / 2.
//      The nearest of all candidates wins. So slivers, parallel edges and shapes without area need no
//      threshold: in them the inside may be nonsense, but then a boundary is as near.
//   4. There is no length in here that does not come from the input. Inputs whose squares would over- or
//      underflow are scaled by a power of two. A squared distance may overflow to infinity or underflow to 0.
//
// So the distance is exact up to about 20 u times the largest difference of two of the given points, and as a
// function of them continuous up to that. For finite input nothing is ever NaN. Ties go to the candidate that
// stands first in the code: same input, same bits. Touches nothing but its arguments.
// (The regions after C. Ericson, "Real-Time Collision Detection", 2005, section 5.1, without his epsilons.)

#ifndef TACTUS_GEOMETRY_CLOSEST_H
#define TACTUS_GEOMETRY_CLOSEST_H

#include "tactus/math.h"

#include <stdbool.h>

// sin^2 of the smallest angle of a plain shape, and the smallest product of four lengths to work with
#define TAC_CLOSEST_PLAIN  0x1p-4
#define TAC_CLOSEST_LOWEST 1e-200

// The general cases; call the functions below. `inside`: may the closest points lie inside both?
double tac_closest_point_triangle_carefully(TacVec3 p, TacVec3 a, TacVec3 b, TacVec3 c, bool inside,
                                            double weights[3]);
double tac_closest_edges_carefully(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d, bool inside, double *s,
                                   double *t);

// The point a + t (b - a) nearest to p. Returns the squared distance, m^2.
double tac_closest_point_segment(TacVec3 p, TacVec3 a, TacVec3 b, double *t);

// The point of the triangle nearest to p, as weights of its corners. Returns the squared distance, m^2.
static inline double tac_closest_point_triangle(TacVec3 p, TacVec3 a, TacVec3 b, TacVec3 c,
                                                double weights[3]) {
    TacVec3 ab = tac_sub(b, a), ac = tac_sub(c, a), ap = tac_sub(p, a);
    double bb = tac_dot(ab, ab), bc = tac_dot(ab, ac), cc = tac_dot(ac, ac);
    double pb = tac_dot(ap, ab), pc = tac_dot(ap, ac);
    double product = bb * cc, determinant = product - bc * bc;
    double s = cc * pb - bc * pc, t = bb * pc - bc * pb;
    bool plain = determinant > product * TAC_CLOSEST_PLAIN && product > TAC_CLOSEST_LOWEST;
    // comparisons are false for what has overflowed; of a plain shape only the boundary is left
    if (!(plain && s > 0 && t > 0 && s + t < determinant))
        return tac_closest_point_triangle_carefully(p, a, b, c, !plain, weights);
    double inverse = 1 / determinant, rest;
    s *= inverse;
    t *= inverse;
    rest = 1 - s - t;
    weights[0] = rest > 0 ? rest : 0;
    weights[1] = s < 1 ? s : 1;
    weights[2] = t < 1 ? t : 1;
    TacVec3 gap = tac_axpy(tac_axpy(ap, -weights[1], ab), -weights[2], ac);
    return tac_dot(gap, gap);
}

// The points a + s (b - a) and c + t (d - c) nearest to each other. Returns the squared distance, m^2.
static inline double tac_closest_edges(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d, double *s, double *t) {
    TacVec3 u = tac_sub(b, a), v = tac_sub(d, c), w = tac_sub(a, c);
    double uu = tac_dot(u, u), uv = tac_dot(u, v), vv = tac_dot(v, v);
    double uw = tac_dot(u, w), vw = tac_dot(v, w);
    double product = uu * vv, determinant = product - uv * uv;
    double along_u = uv * vw - vv * uw, along_v = uu * vw - uv * uw;
    bool plain = determinant > product * TAC_CLOSEST_PLAIN && product > TAC_CLOSEST_LOWEST;
    if (!(plain && along_u > 0 && along_u < determinant && along_v > 0 && along_v < determinant))
        return tac_closest_edges_carefully(a, b, c, d, !plain, s, t);
    double inverse = 1 / determinant;
    along_u *= inverse;
    along_v *= inverse;
    *s = along_u < 1 ? along_u : 1;
    *t = along_v < 1 ? along_v : 1;
    TacVec3 gap = tac_axpy(tac_axpy(w, *s, u), -*t, v);
    return tac_dot(gap, gap);
}

#endif
