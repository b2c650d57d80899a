// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Closest points where shapes are not plain, or the closest points lie on a boundary. See closest.h for the
// rules. Touches nothing but its arguments.

#include "geometry/closest.h"
#include "math/extremes.h"

// Differences between these need no scaling: squares, and squares of 2^-53 of them, are normal numbers.
static const double SMALLEST = 1e-100, LARGEST = 1e100;

static double largest_part(TacVec3 a) {
    return tac_larger(fabs(a.x), tac_larger(fabs(a.y), fabs(a.z)));
}

// The power of two by which differences of this size come near to 1.
static double scale_for(double size) {
    int exponent;
    frexp(size, &exponent);
    // of what is smaller still, the factor would not be a number
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

// Each factor * (to[i] - from[i]); the factor is 1 wherever squares of the differences fit.
static inline double scaled_differences(int count, const TacVec3 *to, const TacVec3 *from,
                                        TacVec3 *difference) {
    double size = 0, factor = 1, squares = 0;
    for (int i = 0; i < count; i++) {
        difference[i] = tac_sub(to[i], from[i]);
        squares += tac_dot(difference[i], difference[i]);
    }
    if (squares >= SMALLEST * SMALLEST && squares <= LARGEST * LARGEST) return 1;
    for (int i = 0; i < count; i++) size = tac_larger(size, largest_part(difference[i]));
    if (size == 0) return 1;
    if (size > LARGEST) {
        // quarters have differences that do not overflow
        factor = 0.25;
        size = 0;
        for (int i = 0; i < count; i++) {
            difference[i] = tac_sub(tac_scale(to[i], factor), tac_scale(from[i], factor));
            size = tac_larger(size, largest_part(difference[i]));
        }
    }
    double scale = scale_for(size);
    for (int i = 0; i < count; i++) difference[i] = tac_scale(difference[i], scale);
    return factor * scale;
}

static double unscaled(double square, double factor) {
    return factor == 1 ? square : square / factor / factor;
}

static double within_one(double t) {
    return t > 0 ? (t < 1 ? t : 1) : 0;
}

// The point t e nearest to p.
static inline double nearest_on(TacVec3 p, TacVec3 e, double *t) {
    double square = tac_dot(e, e), along = tac_dot(p, e);
    *t = square > 0 ? within_one(along / square) : 0;
    TacVec3 gap = tac_axpy(p, -*t, e);
    return tac_dot(gap, gap);
}

double tac_closest_point_segment(TacVec3 p, TacVec3 a, TacVec3 b, double *t) {
    const TacVec3 to[2] = {p, b}, from[2] = {a, a};
    TacVec3 difference[2];
    double factor = scaled_differences(2, to, from, difference);
    return unscaled(nearest_on(difference[0], difference[1], t), factor);
}

// Minimises |p - s u - t v| over all s and t, u being the longer. False where v lies along u.
static inline bool nearest_in_plane(TacVec3 p, TacVec3 u, TacVec3 v, double *s, double *t) {
    double length2 = tac_dot(u, u);
    if (!(length2 > 0)) return false;
    double p_along = tac_dot(p, u) / length2, v_along = tac_dot(v, u) / length2;
    TacVec3 p_across = tac_axpy(p, -p_along, u), v_across = tac_axpy(v, -v_along, u);
    double across2 = tac_dot(v_across, v_across);
    if (!(across2 > 0)) return false;
    *t = tac_dot(p_across, v_across) / across2;
    *s = p_along - *t * v_along;
    return true;
}

// --- point and triangle -----------------------------------------------------------------------------------

typedef struct TriangleBest {
    double square;
    double weights[3];
} TriangleBest;

static inline void offer(TriangleBest *best, double square, double w0, double w1, double w2) {
    if (square < best->square) *best = (TriangleBest){square, {w0, w1, w2}};
}

// The inside, seen from corner `a` with the edge u to the corner at place `i` the longest, v to that at `j`.
static inline void offer_inside(TriangleBest *best, TacVec3 p, TacVec3 u, TacVec3 v, int corner, int i,
                                int j) {
    double s, t;
    if (!nearest_in_plane(p, u, v, &s, &t)) return;
    double rest = 1 - s - t;
    if (!(s > 0 && t > 0 && rest > 0)) return;
    TacVec3 gap = tac_axpy(tac_axpy(p, -s, u), -t, v);
    double square = tac_dot(gap, gap);
    if (!(square < best->square)) return;
    best->square = square;
    best->weights[corner] = rest;
    best->weights[i] = s;
    best->weights[j] = t;
}

static void offer_inside_from_longest(TriangleBest *best, TacVec3 ab, TacVec3 ac, TacVec3 bc, TacVec3 ap,
                                      TacVec3 bp) {
    double ab2 = tac_dot(ab, ab), ac2 = tac_dot(ac, ac), bc2 = tac_dot(bc, bc);
    if (ab2 >= ac2 && ab2 >= bc2)
        offer_inside(best, ap, ab, ac, 0, 1, 2);
    else if (ac2 >= bc2)
        offer_inside(best, ap, ac, ab, 0, 2, 1);
    else
        offer_inside(best, bp, bc, tac_scale(ab, -1), 1, 2, 0);
}

double tac_closest_point_triangle_carefully(TacVec3 p, TacVec3 a, TacVec3 b, TacVec3 c, bool inside,
                                            double weights[3]) {
    const TacVec3 to[5] = {b, c, p, c, p}, from[5] = {a, a, a, b, b};
    TacVec3 difference[5];
    double factor = scaled_differences(5, to, from, difference);
    TacVec3 ab = difference[0], ac = difference[1], ap = difference[2], bc = difference[3],
            bp = difference[4];
    double t, square = nearest_on(ap, ab, &t);
    TriangleBest best = {square, {1 - t, t, 0}};
    square = nearest_on(ap, ac, &t);
    offer(&best, square, 1 - t, 0, t);
    square = nearest_on(bp, bc, &t);
    offer(&best, square, 0, 1 - t, t);
    if (inside) offer_inside_from_longest(&best, ab, ac, bc, ap, bp);
    for (int i = 0; i < 3; i++) weights[i] = best.weights[i];
    return unscaled(best.square, factor);
}

// --- two edges --------------------------------------------------------------------------------------------

typedef struct EdgesBest {
    double square, s, t;
} EdgesBest;

static inline void offer_ends(EdgesBest *best, double square, double s, double t) {
    if (square < best->square) *best = (EdgesBest){square, s, t};
}

// a + s u = c + t v: along the longer edge first.
static void offer_crossing(EdgesBest *best, TacVec3 u, TacVec3 v, TacVec3 ca) {
    double s, t;
    bool apart = tac_dot(u, u) >= tac_dot(v, v)
                     ? nearest_in_plane(tac_scale(ca, -1), u, tac_scale(v, -1), &s, &t)
                     : nearest_in_plane(ca, v, tac_scale(u, -1), &t, &s);
    if (!(apart && s > 0 && s < 1 && t > 0 && t < 1)) return;
    TacVec3 gap = tac_axpy(tac_axpy(ca, s, u), -t, v);
    offer_ends(best, tac_dot(gap, gap), s, t);
}

double tac_closest_edges_carefully(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d, bool inside, double *s,
                                   double *t) {
    const TacVec3 to[5] = {b, d, a, b, d}, from[5] = {a, c, c, c, a};
    TacVec3 difference[5];
    double factor = scaled_differences(5, to, from, difference);
    TacVec3 u = difference[0], v = difference[1], ca = difference[2], cb = difference[3], ad = difference[4];
    double at, square = nearest_on(ca, v, &at);
    EdgesBest best = {square, 0, at};
    square = nearest_on(cb, v, &at);
    offer_ends(&best, square, 1, at);
    square = nearest_on(tac_scale(ca, -1), u, &at);
    offer_ends(&best, square, at, 0);
    square = nearest_on(ad, u, &at);
    offer_ends(&best, square, at, 1);
    if (inside) offer_crossing(&best, u, v, ca);
    *s = best.s;
    *t = best.t;
    return unscaled(best.square, factor);
}
