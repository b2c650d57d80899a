// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Angles of wide numbers: atan2 lane by lane, without a table and without a branch.
//
// Of |y| and |x|, let a be the smaller and b the larger. Where a / b > tan(pi/8), the angle is seen from the
// diagonal: pi/4 plus that of (a - b) / (a + b). So one division makes a q of at most tan(pi/8), and
//
//     atan q = q + q z P(z),  z = q^2,  P of degree 9: minimax, off by 3.5e-17 of the result
//
// The rest is how many quarters of pi to add, k = 0 ... 4. A quarter is kept in two numbers, the first one with
// room for three times itself, so that nothing is lost but in the last addition: the result is within 2.5
// units in the last place. As in libm, atan2(+-0, x) is +-0 for x > 0 and +-pi for x < 0, and what is not a number
// stays so; unlike there, (0, 0) gives 0, and |x| + |y| must not overflow.

#ifndef TACTUS_LAW_WIDE_ANGLE_H
#define TACTUS_LAW_WIDE_ANGLE_H

#include "law/wide.h"

static inline __attribute__((always_inline)) void tac_wide_atan2(const TacWide *y, const TacWide *x,
                                                                 TacWide *out) {
    const double quarter = 0x1.921fb54442d18p-1, rest = 0x1.1a62633145c07p-55, most = 0.41421356237309503;
    const TacWide zero = {0}, one = zero + 1.0;
    const TacWideMask sign = (TacWideMask)-zero;
    TacWide up = (TacWide)((TacWideMask)*y & ~sign), along = (TacWide)((TacWideMask)*x & ~sign);
    TacWideMask steep = up > along, back = *x < zero;
    TacWide larger, smaller, over, under;
    tac_wide_choose(&steep, &up, &along, &larger);
    tac_wide_choose(&steep, &along, &up, &smaller);

    // from the diagonal, or from the nearer axis
    TacWide less = smaller - larger, sum = smaller + larger;
    TacWideMask turned = smaller > most * larger, some = sum != zero;
    tac_wide_choose(&turned, &less, &smaller, &over);
    tac_wide_choose(&turned, &sum, &larger, &under);
    TacWide q = over / under;
    tac_wide_keep(&some, &q);

    // even and odd powers apart: neither waits for the other
    TacWide z = q * q, w = z * z;
    TacWide even = -0.04359096718507342 * w - 0.06641121308492084,
            odd = 0.021259860486110796 * w + 0.05692539551946257;
    even = even * w - 0.09090782413540585;
    odd = odd * w + 0.07690068314967721;
    even = even * w - 0.14285714195262517;
    odd = odd * w + 0.11111106653635117;
    even = even * w - 0.3333333333333015;
    odd = odd * w + 0.19999999999088972;
    TacWide more = q * z * (even + z * odd);

    // quarters of pi, and whether the angle is counted back from them
    TacWide k = one, other;
    tac_wide_keep(&turned, &k);
    other = 2.0 - k;
    tac_wide_choose(&steep, &other, &k, &k);
    other = 4.0 - k;
    tac_wide_choose(&back, &other, &k, &k);
    TacWideMask flip = (steep ^ back) & sign;
    q = (TacWide)((TacWideMask)q ^ flip);
    more = (TacWide)((TacWideMask)more ^ flip);
    TacWide angle = k * quarter + (q + (more + k * rest));
    *out = (TacWide)(((TacWideMask)angle & ~sign) | ((TacWideMask)*y & sign));
}

// The difference of two angles that are both from -pi to pi, from -pi to pi.
static inline __attribute__((always_inline)) void tac_wide_between(const TacWide *a, const TacWide *b,
                                                                   TacWide *out) {
    const double half = 0x1.921fb54442d18p+1;
    const TacWide zero = {0};
    TacWide d = *a - *b, turn = zero + 2 * half, back = -turn;
    TacWideMask above = d >= zero + half, below = d <= zero - half;
    tac_wide_keep(&above, &back);
    tac_wide_keep(&below, &turn);
    *out = d + (back + turn);
}

#endif
