// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The rotation nearest to a 3x3 matrix F: the proper rotation R that makes trace(R^T F) largest. For det F >
// 0 it is the one of the polar decomposition F = R S; for an inverted F it is the one that mends F along the
// axis where the least is wrong (Irving, Teran and Fedkiw 2004).
//
// Two ways to the same R:
//
//   tac_rotation_svd    from F = U D V^T by one-sided Jacobi rotations. Always works, also on matrices of
//                       rank 1 and 0. About a microsecond.
//   tac_rotation_wide   many at once, without branches. With a = |F|^2, d = det F, b = |cof F|^2, the trace
//                       of S is the largest root of
//                           (t^2 - a)^2 - 8 d t - 4 b = 0,
//                       the characteristic polynomial of Horn's 4x4 quaternion matrix (1987; found from the
//                       upper bound sqrt(3 a) as by Theobald 2005, here with Halley's steps). R is the
//                       derivative of that trace by F:
//                           R = ((t^2 + a) F + 2 t cof F - 2 F F^T F) / (t (t^2 - a) - 2 d).
//                       The denominator is 2 (s1 + s2) (s2 + s3) (s3 + s1) in the signed singular values.
//                       Lanes where it is small, or the root was not reached, are reported: take the other
//                       way there.
//
// Iterating a quaternion from the last step's (Mueller et al. 2016) would be as quick but keeps state; from
// the identity it is slow for large turns and stuck at half turns.

#ifndef TACTUS_LAW_ROTATION_H
#define TACTUS_LAW_ROTATION_H

#include "law/wide.h"
#include "tactus/math.h"

// For the zero matrix: the identity. For one of rank 1: the least turn that does it.
TacMat3 tac_rotation_svd(const TacMat3 *f);

// Halley's step from t towards the root.
static inline void tac_trace_step(const TacWide *t, const TacWide *a, const TacWide *d8, const TacWide *b4,
                                  TacWide *step) {
    TacWide q = *t * *t - *a, p = q * q - *d8 * *t - *b4, slope = 4.0 * *t * q - *d8;
    TacWide half_bend = 6.0 * *t * *t - 2.0 * *a;
    *step = p * slope / (slope * slope - p * half_bend);
}

// f and r are 3x3, row by row. `failed` is set in lanes whose r is not to be used.
static inline void tac_rotation_wide(const TacWide f[9], TacWide r[9], TacWideMask *failed) {
    // cofactors
    TacWide g[9];
    g[0] = f[4] * f[8] - f[5] * f[7];
    g[1] = f[5] * f[6] - f[3] * f[8];
    g[2] = f[3] * f[7] - f[4] * f[6];
    g[3] = f[2] * f[7] - f[1] * f[8];
    g[4] = f[0] * f[8] - f[2] * f[6];
    g[5] = f[1] * f[6] - f[0] * f[7];
    g[6] = f[1] * f[5] - f[2] * f[4];
    g[7] = f[2] * f[3] - f[0] * f[5];
    g[8] = f[0] * f[4] - f[1] * f[3];

    // c = F^T F, and the coefficients of the polynomial
    TacWide c00 = f[0] * f[0] + f[3] * f[3] + f[6] * f[6], c01 = f[0] * f[1] + f[3] * f[4] + f[6] * f[7],
            c02 = f[0] * f[2] + f[3] * f[5] + f[6] * f[8], c11 = f[1] * f[1] + f[4] * f[4] + f[7] * f[7],
            c12 = f[1] * f[2] + f[4] * f[5] + f[7] * f[8], c22 = f[2] * f[2] + f[5] * f[5] + f[8] * f[8];
    TacWide a = c00 + c11 + c22, d8 = 8.0 * (f[0] * g[0] + f[1] * g[1] + f[2] * g[2]);
    TacWide b4 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2] + g[3] * g[3] + g[4] * g[4] + g[5] * g[5] +
                 g[6] * g[6] + g[7] * g[7] + g[8] * g[8];
    b4 *= 4.0;

    // the largest root, from above: a few steps for all lanes, then more for those that need them; a last
    // step this small has left nothing behind, for convergence is cubic
    enum { STEPS = 4, MORE_STEPS = 8 };
    TacWide t = 3.0 * a, step;
    tac_wide_root(&t);
    TacWide most_step = 1e-7 * t, least = 0.02 * t * a;
    for (int i = 0; i < STEPS; i++) {
        tac_trace_step(&t, &a, &d8, &b4, &step);
        t -= step;
    }
    TacWideMask going = ~((step < most_step) & (step > -most_step));
    for (int i = 0; i < MORE_STEPS && tac_wide_any(&going); i++) {
        tac_trace_step(&t, &a, &d8, &b4, &step);
        t -= (TacWide)(going & (TacWideMask)step);
        going &= ~((step < most_step) & (step > -most_step));
    }

    TacWide t2 = t * t, denominator = t * (t2 - a) - 0.25 * d8;
    *failed = going | ~(denominator > least);
    TacWide over = 1.0 / denominator, s = (t2 + a) * over, u = 2.0 * t * over, w = -2.0 * over;
    for (int i = 0; i < 3; i++) {
        const TacWide *row = f + 3 * i;
        r[3 * i] = s * row[0] + u * g[3 * i] + w * (row[0] * c00 + row[1] * c01 + row[2] * c02);
        r[3 * i + 1] = s * row[1] + u * g[3 * i + 1] + w * (row[0] * c01 + row[1] * c11 + row[2] * c12);
        r[3 * i + 2] = s * row[2] + u * g[3 * i + 2] + w * (row[0] * c02 + row[1] * c12 + row[2] * c22);
    }
}

// The frame that Gram and Schmidt make of two edges a and b: x along a, z across both; many at once. r is 3x3, row by
// row, with the axes as columns. `failed` is set in lanes where the edges span no plane.
static inline void tac_frame_wide(const TacWide a[3], const TacWide b[3], TacWide r[9], TacWideMask *failed) {
    TacWide xx = a[0] * a[0] + a[1] * a[1] + a[2] * a[2], yy = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    TacWide z0 = a[1] * b[2] - a[2] * b[1], z1 = a[2] * b[0] - a[0] * b[2], z2 = a[0] * b[1] - a[1] * b[0];
    TacWide zz = z0 * z0 + z1 * z1 + z2 * z2, x_length = xx, z_length = zz;
    *failed = ~(zz > 1e-24 * xx * yy);
    tac_wide_root(&x_length);
    tac_wide_root(&z_length);
    TacWide over_x = 1.0 / x_length, over_z = 1.0 / z_length;
    r[0] = a[0] * over_x;
    r[3] = a[1] * over_x;
    r[6] = a[2] * over_x;
    r[2] = z0 * over_z;
    r[5] = z1 * over_z;
    r[8] = z2 * over_z;
    r[1] = r[5] * r[6] - r[8] * r[3];
    r[4] = r[8] * r[0] - r[2] * r[6];
    r[7] = r[2] * r[3] - r[5] * r[0];
}

#endif
