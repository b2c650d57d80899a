// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The angle across an edge, one hinge at a time, by libm: what src/law/hinge_fold.h was before it went by lanes.
// It is kept as a reference for tests, and made for reading, not for speed.

#ifndef TACTUS_TESTS_HINGE_LEGACY_H
#define TACTUS_TESTS_HINGE_LEGACY_H

#include "tactus/math.h"

#include <math.h>

// The difference of two angles, from -pi to pi.
static inline double legacy_between(double a, double b) {
    const double turn = 6.283185307179586;
    double d = a - b;
    return d - turn * round(d / turn);
}

// The angle of a hinge with corners a, b, c, d, and its gradient there. `low` are the least |N|^2 and |M|^2 per
// |e|^2 for which the gradient is not weakened.
static inline double legacy_angle(const TacVec3 corners[4], const double low[2], TacVec3 g[4]) {
    TacVec3 a = corners[0], b = corners[1], c = corners[2], d = corners[3], edge = tac_sub(d, c);
    TacVec3 n = tac_cross(tac_sub(a, c), tac_sub(a, d)), m = tac_cross(tac_sub(b, d), tac_sub(b, c));
    double length = tac_norm(edge), nn = tac_dot(n, n), mm = tac_dot(m, m), square = length * length,
           weak = 1;
    for (int i = 0; i < 4; i++) g[i] = tac_vec3(0, 0, 0);
    if (!(nn > 0) || !(mm > 0) || !(length > 0)) return 0;
    TacVec3 along = tac_scale(edge, 1 / length);
    double angle = atan2(tac_dot(tac_cross(n, m), along), tac_dot(n, m));
    if (nn < low[0] * square) weak = sqrt(nn / (low[0] * square));
    if (mm < low[1] * square) weak = fmin(weak, sqrt(mm / (low[1] * square)));
    n = tac_scale(n, -weak / nn);
    m = tac_scale(m, -weak / mm);
    g[0] = tac_scale(n, length);
    g[1] = tac_scale(m, length);
    g[2] = tac_add(tac_scale(n, tac_dot(tac_sub(a, d), along)), tac_scale(m, tac_dot(tac_sub(b, d), along)));
    g[3] = tac_scale(
        tac_add(tac_scale(n, tac_dot(tac_sub(a, c), along)), tac_scale(m, tac_dot(tac_sub(b, c), along))),
        -1);
    return angle;
}

#endif
