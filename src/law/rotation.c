// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The rotation of a 3x3 matrix by its singular vectors, for any matrix. See rotation.h.

#include "law/rotation.h"

#include <stdbool.h>

enum { MOST_SWEEPS = 30 };

static TacVec3 column(const TacMat3 *a, int j) {
    return tac_vec3(a->m[0][j], a->m[1][j], a->m[2][j]);
}

static TacVec3 turned(TacVec3 p, double c, TacVec3 q, double s) {
    return tac_add(tac_scale(p, c), tac_scale(q, s));
}

// Turns columns p and q of f and of v alike so that those of f become orthogonal. False when they were
// already.
static bool make_orthogonal(TacVec3 f[3], TacVec3 v[3], int p, int q) {
    double pp = tac_dot(f[p], f[p]), qq = tac_dot(f[q], f[q]), pq = tac_dot(f[p], f[q]);
    if (!(fabs(pq) > 1e-15 * sqrt(pp * qq))) return false;
    // the smaller of the two angles that do it (Rutishauser)
    double zeta = (qq - pp) / (2 * pq);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    TacVec3 fp = f[p], fq = f[q], vp = v[p], vq = v[q];
    f[p] = turned(fp, c, fq, -s);
    f[q] = turned(fp, s, fq, c);
    v[p] = turned(vp, c, vq, -s);
    v[q] = turned(vp, s, vq, c);
    return true;
}

static void order(TacVec3 f[3], TacVec3 v[3], double square[3], int p, int q) {
    if (square[p] >= square[q]) return;
    TacVec3 a = f[p], b = v[p];
    double n = square[p];
    f[p] = f[q];
    v[p] = v[q];
    square[p] = square[q];
    f[q] = a;
    v[q] = b;
    square[q] = n;
}

// A unit vector at a right angle to a unit vector.
static TacVec3 perpendicular(TacVec3 a) {
    TacVec3 axis = fabs(a.x) < 0.6 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0);
    return tac_unit(tac_cross(a, axis));
}

// The least turn that brings unit vector `from` to `to`.
static TacMat3 least_turn(TacVec3 from, TacVec3 to) {
    TacVec3 axis = tac_cross(from, to);
    TacQuat q = {axis.x, axis.y, axis.z, 1 + tac_dot(from, to)};
    if (q.w < 1e-12) {
        TacVec3 half = perpendicular(from);
        q = (TacQuat){half.x, half.y, half.z, 0};
    }
    return tac_quat_matrix(tac_quat_unit(q));
}

TacMat3 tac_rotation_svd(const TacMat3 *matrix) {
    // scaled, so that squares neither vanish nor overflow
    double largest = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) largest = fmax(largest, fabs(matrix->m[i][j]));
    if (!(largest > 0) || !isfinite(largest)) return tac_mat3_identity();
    TacVec3 f[3], v[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int j = 0; j < 3; j++) {
        TacVec3 c = column(matrix, j);
        f[j] = tac_vec3(c.x / largest, c.y / largest, c.z / largest);
    }

    bool moved = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && moved; sweep++) {
        moved = make_orthogonal(f, v, 0, 1);
        moved |= make_orthogonal(f, v, 0, 2);
        moved |= make_orthogonal(f, v, 1, 2);
    }
    double square[3];
    for (int j = 0; j < 3; j++) square[j] = tac_dot(f[j], f[j]);
    order(f, v, square, 0, 1);
    order(f, v, square, 0, 2);
    order(f, v, square, 1, 2);

    // the third pair of vectors follows from the first two, which makes both sides proper rotations
    TacVec3 u[3];
    u[0] = tac_unit(f[0]);
    if (!(square[1] > 1e-28 * square[0])) return least_turn(v[0], u[0]);
    u[1] = tac_unit(tac_axpy(f[1], -tac_dot(u[0], f[1]), u[0]));
    u[2] = tac_cross(u[0], u[1]);
    v[2] = tac_cross(v[0], v[1]);
    TacMat3 r;
    double left[3][3], right[3][3];
    for (int j = 0; j < 3; j++) {
        tac_store3(left[j], u[j]);
        tac_store3(right[j], v[j]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = left[0][i] * right[0][j] + left[1][i] * right[1][j] + left[2][i] * right[2][j];
    return r;
}
