// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Vectors, quaternions and 3x3 matrices: plain values and inline functions. Matrices are row-major.

#ifndef TACTUS_MATH_H
#define TACTUS_MATH_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAC_PI 3.14159265358979323846

typedef struct TacVec3 {
    double x, y, z;
} TacVec3;

// A rotation when its norm is 1. Scenes and files write x y z w.
typedef struct TacQuat {
    double x, y, z, w;
} TacQuat;

typedef struct TacMat3 {
    double m[3][3];
} TacMat3;

static inline TacVec3 tac_vec3(double x, double y, double z) {
    return (TacVec3){x, y, z};
}

static inline TacVec3 tac_load3(const double *p) {
    return (TacVec3){p[0], p[1], p[2]};
}

static inline void tac_store3(double *p, TacVec3 a) {
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}

static inline void tac_add3(double *p, TacVec3 a) {
    p[0] += a.x;
    p[1] += a.y;
    p[2] += a.z;
}

static inline TacVec3 tac_add(TacVec3 a, TacVec3 b) {
    return (TacVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline TacVec3 tac_sub(TacVec3 a, TacVec3 b) {
    return (TacVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline TacVec3 tac_scale(TacVec3 a, double s) {
    return (TacVec3){a.x * s, a.y * s, a.z * s};
}

// a + s b
static inline TacVec3 tac_axpy(TacVec3 a, double s, TacVec3 b) {
    return (TacVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double tac_dot(TacVec3 a, TacVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline TacVec3 tac_cross(TacVec3 a, TacVec3 b) {
    return (TacVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double tac_norm(TacVec3 a) {
    return sqrt(tac_dot(a, a));
}

// The unit vector along a; zero stays zero.
static inline TacVec3 tac_unit(TacVec3 a) {
    double n = tac_norm(a);
    return n > 0 ? tac_scale(a, 1 / n) : a;
}

static inline TacQuat tac_quat_identity(void) {
    return (TacQuat){0, 0, 0, 1};
}

static inline TacQuat tac_load_quat(const double *p) {
    return (TacQuat){p[0], p[1], p[2], p[3]};
}

static inline void tac_store_quat(double *p, TacQuat q) {
    p[0] = q.x;
    p[1] = q.y;
    p[2] = q.z;
    p[3] = q.w;
}

// First b, then a.
static inline TacQuat tac_quat_mul(TacQuat a, TacQuat b) {
    return (TacQuat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline TacQuat tac_quat_conjugate(TacQuat q) {
    return (TacQuat){-q.x, -q.y, -q.z, q.w};
}

static inline TacQuat tac_quat_unit(TacQuat q) {
    double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return n > 0 ? (TacQuat){q.x / n, q.y / n, q.z / n, q.w / n} : tac_quat_identity();
}

static inline TacVec3 tac_rotate(TacQuat q, TacVec3 a) {
    TacVec3 u = {q.x, q.y, q.z};
    TacVec3 t = tac_scale(tac_cross(u, a), 2);
    return tac_add(tac_axpy(a, q.w, t), tac_cross(u, t));
}

static inline TacVec3 tac_rotate_back(TacQuat q, TacVec3 a) {
    return tac_rotate(tac_quat_conjugate(q), a);
}

// The rotation by |a| radians about a, up to half a radian: sin(h)/h and cos(h) of half the angle by their series, to the
// last bit. A step's turn costs neither a root nor a call, and tiny turns are not lost.
static inline TacQuat tac_quat_from_small_vector(TacVec3 a) {
    double h = 0.25 * (a.x * a.x + a.y * a.y + a.z * a.z); // half the angle, squared
    double s = 1 - h * (1.0 / 110);
    s = 1 - h * (1.0 / 72) * s;
    s = 1 - h * (1.0 / 42) * s;
    s = 1 - h * (1.0 / 20) * s;
    s = 1 - h * (1.0 / 6) * s;
    double c = 1 - h * (1.0 / 132);
    c = 1 - h * (1.0 / 90) * c;
    c = 1 - h * (1.0 / 56) * c;
    c = 1 - h * (1.0 / 30) * c;
    c = 1 - h * (1.0 / 12) * c;
    c = 1 - h * 0.5 * c;
    return (TacQuat){0.5 * s * a.x, 0.5 * s * a.y, 0.5 * s * a.z, c};
}

// The rotation by |a| radians about a.
static inline TacQuat tac_quat_from_vector(TacVec3 a) {
    double square = a.x * a.x + a.y * a.y + a.z * a.z;
    if (square < 0.25) return tac_quat_from_small_vector(a);
    double angle = sqrt(square), s = sin(0.5 * angle) / angle;
    return (TacQuat){s * a.x, s * a.y, s * a.z, cos(0.5 * angle)};
}

static inline TacMat3 tac_mat3_identity(void) {
    return (TacMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static inline TacMat3 tac_quat_matrix(TacQuat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z,
           wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (TacMat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                      {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                      {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

static inline TacVec3 tac_mat3_apply(const TacMat3 *a, TacVec3 b) {
    return (TacVec3){a->m[0][0] * b.x + a->m[0][1] * b.y + a->m[0][2] * b.z,
                     a->m[1][0] * b.x + a->m[1][1] * b.y + a->m[1][2] * b.z,
                     a->m[2][0] * b.x + a->m[2][1] * b.y + a->m[2][2] * b.z};
}

// The transpose of a, applied to b.
static inline TacVec3 tac_mat3_apply_back(const TacMat3 *a, TacVec3 b) {
    return (TacVec3){a->m[0][0] * b.x + a->m[1][0] * b.y + a->m[2][0] * b.z,
                     a->m[0][1] * b.x + a->m[1][1] * b.y + a->m[2][1] * b.z,
                     a->m[0][2] * b.x + a->m[1][2] * b.y + a->m[2][2] * b.z};
}

static inline TacMat3 tac_mat3_mul(const TacMat3 *a, const TacMat3 *b) {
    TacMat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

static inline TacMat3 tac_mat3_transpose(const TacMat3 *a) {
    TacMat3 t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t.m[i][j] = a->m[j][i];
    return t;
}

static inline double tac_mat3_det(const TacMat3 *a) {
    return a->m[0][0] * (a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[2][1]) -
           a->m[0][1] * (a->m[1][0] * a->m[2][2] - a->m[1][2] * a->m[2][0]) +
           a->m[0][2] * (a->m[1][0] * a->m[2][1] - a->m[1][1] * a->m[2][0]);
}

// The inverse; the determinant must not be zero.
static inline TacMat3 tac_mat3_inverse(const TacMat3 *a) {
    double s = 1 / tac_mat3_det(a);
    TacMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            r.m[j][i] = s * (a->m[i1][j1] * a->m[i2][j2] - a->m[i1][j2] * a->m[i2][j1]);
        }
    return r;
}

#ifdef __cplusplus
}
#endif

#endif
