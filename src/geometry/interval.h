// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Intervals of reals that surely contain the true value, for proofs in floating point.
//
// Each operation rounds to nearest and then widens by |result| 2^-52 + DBL_MIN: at least one unit in the last
// place, twice what the rounding can have done, underflow included. Needs no rounding mode. Overflow gives
// infinities or NaN, and every question about those is answered with no.

#ifndef TACTUS_GEOMETRY_INTERVAL_H
#define TACTUS_GEOMETRY_INTERVAL_H

#include <float.h>
#include <math.h>

typedef struct Interval {
    double low, high;
} Interval;

static inline Interval interval_widened(double low, double high) {
    return (Interval){low - (fabs(low) * 0x1p-52 + DBL_MIN), high + (fabs(high) * 0x1p-52 + DBL_MIN)};
}

static inline Interval interval_of(double a) {
    return (Interval){a, a};
}

static inline Interval interval_add(Interval a, Interval b) {
    return interval_widened(a.low + b.low, a.high + b.high);
}

static inline Interval interval_sub(Interval a, Interval b) {
    return interval_widened(a.low - b.high, a.high - b.low);
}

static inline Interval interval_mul(Interval a, Interval b) {
    double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
    double low = p < q ? p : q, high = p < q ? q : p;
    double low2 = r < s ? r : s, high2 = r < s ? s : r;
    return interval_widened(low < low2 ? low : low2, high > high2 ? high : high2);
}

static inline Interval interval_hull(Interval a, Interval b) {
    return (Interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

// +1 or -1 where all of it is positive or negative, else 0.
static inline int interval_sign(Interval a) {
    return (a.low > 0) - (a.high < 0);
}

#endif
