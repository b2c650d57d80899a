// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The angles and gradients of a batch of hinges; hinges.h has the equations.
//
//     N x M = -V e with V = N.(b - c): N is perpendicular to e, so sin needs no second cross product
//     gradient at d = -(those at a, b and c): forces are balanced whatever is rounded
//
// Divisions are the dearest: |e|, N and M are divided by once each. Heights below a quarter of those at rest and
// triangles without area are rare, and looked for together, once a batch.

#ifndef TACTUS_LAW_HINGE_FOLD_H
#define TACTUS_LAW_HINGE_FOLD_H

#include "law/hinges.h"
#include "law/wide_angle.h"

#define TAC_FOLD_INLINE static inline __attribute__((always_inline))

TAC_FOLD_INLINE void tac_fold_cross(const TacWide a[3], const TacWide b[3], TacWide out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

TAC_FOLD_INLINE void tac_fold_dot(const TacWide a[3], const TacWide b[3], TacWide *out) {
    *out = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// How much gradients are weakened: 1 but where a height is low. What both triangles do is weakened alike, so
// that their torques cancel.
TAC_FOLD_INLINE void tac_fold_weaken(const TacWide *square, const TacWide *least, TacWide *weak) {
    TacWideMask low = *square < *least;
    TacWide root = *square / *least;
    tac_wide_root(&root);
    low &= root < *weak;
    tac_wide_choose(&low, &root, weak, weak);
}

// What of a gradient takes divisions and roots. With the normals of the same places, it is all of it.
typedef struct TacHingeSlope {
    TacWide by_n, by_m; // at a, of N; at b, of M
    TacWide at_a, at_b; // at c, of N and of M
} TacHingeSlope;

// Sides of the two triangles, and their normals.
typedef struct TacHingeSides {
    TacWide ac[3], ad[3], bc[3], bd[3], n[3], m[3];
} TacHingeSides;

TAC_FOLD_INLINE void tac_hinge_sides(const TacWide p[12], TacHingeSides *s) {
    for (size_t i = 0; i < 3; i++) {
        s->ac[i] = p[i] - p[6 + i];
        s->ad[i] = p[i] - p[9 + i];
        s->bc[i] = p[3 + i] - p[6 + i];
        s->bd[i] = p[3 + i] - p[9 + i];
    }
    tac_fold_cross(s->ac, s->ad, s->n);
    tac_fold_cross(s->bd, s->bc, s->m);
}

TAC_FOLD_INLINE void tac_hinge_gradient(const TacHingeSlope *slope, const TacWide n[3], const TacWide m[3],
                                        TacWide g[12]) {
    for (size_t i = 0; i < 3; i++) {
        g[i] = slope->by_n * n[i];
        g[3 + i] = slope->by_m * m[i];
        g[6 + i] = slope->at_a * n[i] + slope->at_b * m[i];
        g[9 + i] = -(g[i] + g[3 + i] + g[6 + i]);
    }
}

// From the places of a, b, c and d, three numbers each: the angle, and its gradient there.
TAC_FOLD_INLINE void tac_hinge_fold(const TacHingeBatch *hinges, const TacWide p[12], TacWide *angle,
                                    TacHingeSlope *slope, TacWide g[12]) {
    const TacWide zero = {0};
    TacHingeSides s;
    TacWide e[3], nn, mm, ee, volume, x, y;
    const TacWide *n = s.n, *m = s.m;
    tac_hinge_sides(p, &s);
    for (size_t i = 0; i < 3; i++) e[i] = p[9 + i] - p[6 + i];
    tac_fold_dot(n, n, &nn);
    tac_fold_dot(m, m, &mm);
    tac_fold_dot(e, e, &ee);
    tac_fold_dot(n, s.bc, &volume);
    tac_fold_dot(n, m, &x);
    TacWide length = ee;
    tac_wide_root(&length);
    y = -(length * volume);
    tac_wide_atan2(&y, &x, angle);

    TacWide least[2] = {hinges->least[0] * ee, hinges->least[1] * ee}, weak = zero + 1.0;
    const TacWide tiny = zero + 0x1p-1022; // squares below cannot be divided by, and count as nothing
    TacWideMask has_area = (nn >= tiny) & (mm >= tiny) & (ee >= tiny);
    TacWideMask rare = ~(has_area & (nn > least[0]) & (mm > least[1]));
    if (tac_wide_any(&rare)) {
        tac_fold_weaken(&nn, &least[0], &weak);
        tac_fold_weaken(&mm, &least[1], &weak);
    }
    TacWide at_a, at_b, over = 1.0 / length, by_n = -weak / nn, by_m = -weak / mm;
    tac_fold_dot(s.ad, e, &at_a);
    tac_fold_dot(s.bd, e, &at_b);
    at_a = at_a * over * by_n;
    at_b = at_b * over * by_m;
    *slope = (TacHingeSlope){by_n * length, by_m * length, at_a, at_b};
    if (tac_wide_any(&rare)) {
        tac_wide_keep(&has_area, angle);
        tac_wide_keep(&has_area, &slope->by_n);
        tac_wide_keep(&has_area, &slope->by_m);
        tac_wide_keep(&has_area, &slope->at_a);
        tac_wide_keep(&has_area, &slope->at_b);
    }
    tac_hinge_gradient(slope, n, m, g);
}

#endif
