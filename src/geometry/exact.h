// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The exact signs of two determinants of doubles: orientation in the plane and in space.
//
// A filter first: the determinant in floating point, trusted where it exceeds its forward error bound. Else
// the whole determinant as an expansion, a sum of doubles without rounding, after J. R. Shewchuk, "Adaptive
// Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997, without his middle stages.
// An expansion is kept nonoverlapping and in increasing size, so its last component gives its sign. Two
// doubles are multiplied exactly by fma. Good while no product under- or overflows: coordinates that are 0 or
// between 1e-90 and 1e100.

#ifndef TACTUS_GEOMETRY_EXACT_H
#define TACTUS_GEOMETRY_EXACT_H

#include <float.h>
#include <math.h>

// 3 x (2 x 2 x 2 x 2 products) x 2 for orientation in space, the largest sum that occurs here
enum { EXPANSION_ROOM = 192 };

typedef struct Expansion {
    int count;
    double part[EXPANSION_ROOM];
} Expansion;

// a + b = *high + *low
static inline void two_sum(double a, double b, double *high, double *low) {
    double sum = a + b, b_part = sum - a, a_part = sum - b_part;
    *high = sum;
    *low = (a - a_part) + (b - b_part);
}

// a * b = *high + *low
static inline void two_product(double a, double b, double *high, double *low) {
    *high = a * b;
    *low = fma(a, b, -*high);
}

static inline void expansion_push(Expansion *e, double part) {
    if (part != 0) e->part[e->count++] = part;
}

// e += b, by carrying b upwards through the parts
static inline void expansion_add(Expansion *e, double b) {
    int count = e->count;
    double carry = b;
    e->count = 0;
    for (int i = 0; i < count; i++) {
        double low;
        two_sum(carry, e->part[i], &carry, &low);
        expansion_push(e, low);
    }
    expansion_push(e, carry);
}

// What a difference of two doubles is: one part or two, in increasing size, or none.
typedef struct Difference {
    int count;
    double part[2];
} Difference;

static inline Difference exact_difference(double a, double b) {
    double high, low;
    two_sum(a, -b, &high, &low);
    Difference d = {0, {0, 0}};
    if (low != 0) d.part[d.count++] = low;
    if (high != 0) d.part[d.count++] = high;
    return d;
}

// e += sign * f * g, with `count` parts of f
static inline void expansion_add_product(Expansion *e, const double *f, int count, const Difference *g,
                                         double sign) {
    for (int k = 0; k < g->count; k++)
        for (int i = 0; i < count; i++) {
            double high, low;
            two_product(f[i], sign * g->part[k], &high, &low);
            expansion_add(e, low);
            expansion_add(e, high);
        }
}

// e += sign * f * g
static inline void expansion_add_area(Expansion *e, const Difference *f, const Difference *g, double sign) {
    expansion_add_product(e, f->part, f->count, g, sign);
}

static inline int expansion_sign(const Expansion *e) {
    if (e->count == 0) return 0;
    return e->part[e->count - 1] > 0 ? 1 : -1;
}

static inline int sign_of(double a) {
    return (a > 0) - (a < 0);
}

static inline int exact_orient2d_slow(const double a[2], const double b[2], const double c[2]) {
    for (int i = 0; i < 2; i++)
        if (a[i] == c[i] && b[i] == c[i]) return 0;
    Difference ax = exact_difference(a[0], c[0]), ay = exact_difference(a[1], c[1]);
    Difference bx = exact_difference(b[0], c[0]), by = exact_difference(b[1], c[1]);
    Expansion sum;
    sum.count = 0;
    expansion_add_area(&sum, &ax, &by, 1);
    expansion_add_area(&sum, &ay, &bx, -1);
    return expansion_sign(&sum);
}

// The sign of |a-c b-c|: +1 where a, b, c turn left.
static inline int exact_orient2d(const double a[2], const double b[2], const double c[2]) {
    double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
    double determinant = left - right, bound = 0x1p-51 * (fabs(left) + fabs(right)) + DBL_MIN;
    return fabs(determinant) > bound ? sign_of(determinant) : exact_orient2d_slow(a, b, c);
}

static inline int exact_orient3d_slow(const double a[3], const double b[3], const double c[3],
                                      const double d[3]) {
    // in one plane across an axis, as sheets and boxes often are
    for (int i = 0; i < 3; i++)
        if (a[i] == d[i] && b[i] == d[i] && c[i] == d[i]) return 0;
    Difference x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        x[i] = exact_difference(a[i], d[i]);
        y[i] = exact_difference(b[i], d[i]);
        z[i] = exact_difference(c[i], d[i]);
    }
    Expansion sum, minor;
    sum.count = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        minor.count = 0;
        expansion_add_area(&minor, &y[j], &z[k], 1);
        expansion_add_area(&minor, &y[k], &z[j], -1);
        expansion_add_product(&sum, minor.part, minor.count, &x[i], 1);
    }
    return expansion_sign(&sum);
}

// The sign of |a-d b-d c-d|.
static inline int exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double determinant = 0, permanent = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double left = (b[j] - d[j]) * (c[k] - d[k]), right = (b[k] - d[k]) * (c[j] - d[j]);
        determinant += (a[i] - d[i]) * (left - right);
        permanent += fabs(a[i] - d[i]) * (fabs(left) + fabs(right));
    }
    // at most 8 roundings stand between a product and the sum: 2^-53 * 8, doubled
    double bound = 0x1p-49 * permanent + DBL_MIN;
    return fabs(determinant) > bound ? sign_of(determinant) : exact_orient3d_slow(a, b, c, d);
}

#endif
