// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See stress.h for the equations.

#include "law/stress.h"
#include "law/hexahedra.h"
#include "law/hyperelastic.h"
#include "law/tetrahedra.h"
#include "law/triangles.h"

double tac_stress_mises(const TacMat3 *s) {
    double xy = s->m[0][0] - s->m[1][1], yz = s->m[1][1] - s->m[2][2], zx = s->m[2][2] - s->m[0][0];
    double shear = s->m[0][1] * s->m[0][1] + s->m[1][2] * s->m[1][2] + s->m[0][2] * s->m[0][2];
    return sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3 * shear);
}

// Eigenvalues of C = F^T F by the cosine of the third of an angle (Smith, "Eigenvalues of a symmetric 3x3 matrix",
// 1961).
void tac_stress_stretches(const TacMat3 *f, double stretch[3]) {
    TacMat3 back = tac_mat3_transpose(f), c = tac_mat3_mul(&back, f);
    double mean = (c.m[0][0] + c.m[1][1] + c.m[2][2]) / 3;
    double a = c.m[0][0] - mean, b = c.m[1][1] - mean, d = c.m[2][2] - mean;
    double xy = c.m[0][1], yz = c.m[1][2], xz = c.m[0][2];
    double spread = sqrt((a * a + b * b + d * d + 2 * (xy * xy + yz * yz + xz * xz)) / 6);
    double det = a * (b * d - yz * yz) - xy * (xy * d - yz * xz) + xz * (xy * yz - b * xz);
    double cosine = spread > 0 ? det / (2 * spread * spread * spread) : 0;
    double angle = acos(fmin(fmax(cosine, -1), 1)) / 3;
    for (int k = 0; k < 3; k++)
        stretch[k] = sqrt(fmax(0, mean + 2 * spread * cos(angle + k * 2 * TAC_PI / 3)));
}

static double hooke(const TacMat3 *f, double mu) {
    double s[3];
    tac_stress_stretches(f, s);
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return 2 * mu * sqrt(0.5 * (a * a + b * b + c * c));
}

static void raise_all(float *to, const int32_t *points, size_t count, double value) {
    for (size_t i = 0; i < count; i++) tac_scalar_raise(to + points[i], value);
}

// Columns: edges from the first corner to the next three.
static TacMat3 edges_of(const double *x, const int32_t *v) {
    TacMat3 e;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 3; i++) e.m[i][k] = x[3 * (size_t)v[k + 1] + i] - x[3 * (size_t)v[0] + i];
    return e;
}

void tac_tetrahedra_scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const TacTetrahedra *self = data;
    const TacMatter *matter = self->law.matter[0];
    float *to = what == TAC_SCALAR_STRESS ? tac_scalar_sheet_of(sheet, matter) : NULL;
    for (size_t e = 0; to && e < self->count; e++) {
        const TacTetBatch *batch = &self->batches[e / TAC_WIDTH];
        size_t lane = e % TAC_WIDTH;
        double m[6];
        for (int i = 0; i < 6; i++) m[i] = batch->m[i][lane];
        TacMat3 inverse = {{{m[0], m[1], m[2]}, {0, m[3], m[4]}, {0, 0, m[5]}}};
        const int32_t *v = self->corners + 4 * e;
        TacMat3 edges = edges_of(matter->vectors[TAC_X_SHOWN], v), f = tac_mat3_mul(&edges, &inverse);
        double over_volume = 6 * fabs(m[0] * m[3] * m[5]);
        raise_all(to, v, 4, hooke(&f, batch->mu[lane] * over_volume));
    }
}

// Mean edges of a hexahedron, as the columns of a matrix.
static TacMat3 mean_edges(const double *x, const int32_t *v) {
    double corners[24];
    TacVec3 modes[TAC_HEX_MODES];
    for (size_t i = 0; i < 24; i++) corners[i] = x[3 * (size_t)v[i / 3] + i % 3];
    tac_hex_modes(corners, modes);
    return (TacMat3){{{modes[0].x, modes[1].x, modes[2].x},
                      {modes[0].y, modes[1].y, modes[2].y},
                      {modes[0].z, modes[1].z, modes[2].z}}};
}

void tac_hexahedra_scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const TacHexahedra *self = data;
    const TacMatter *matter = self->law.matter[0];
    float *to = what == TAC_SCALAR_STRESS ? tac_scalar_sheet_of(sheet, matter) : NULL;
    for (size_t e = 0; to && e < self->elements.count; e++) {
        const int32_t *v = self->elements.nodes + 8 * e;
        TacMat3 rest = mean_edges(matter->vectors[TAC_X_REST], v), inverse = tac_mat3_inverse(&rest);
        TacMat3 now = mean_edges(matter->vectors[TAC_X_SHOWN], v), f = tac_mat3_mul(&now, &inverse);
        double mu = tac_elements_value(self->young, e) / (2 * (1 + tac_elements_value(self->poisson, e)));
        raise_all(to, v, 8, hooke(&f, mu));
    }
}

// dW/dF of a material of invariants.
static TacMat3 invariant_stress(TacMaterial material, const double *parameters, const TacMat3 *f) {
    TacMat3 back = tac_mat3_transpose(f), c = tac_mat3_mul(&back, f), fc = tac_mat3_mul(f, &c), p;
    double i1 = c.m[0][0] + c.m[1][1] + c.m[2][2], squares = 0;
    for (int i = 0; i < 9; i++) squares += c.m[i / 3][i % 3] * c.m[i / 3][i % 3];
    TacInvariantEnergy w;
    tac_material_invariant(material, parameters, i1, 0.5 * (i1 * i1 - squares), tac_mat3_det(f), &w);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int i1n = (i + 1) % 3, i2n = (i + 2) % 3, k1n = (k + 1) % 3, k2n = (k + 2) % 3;
            double cofactor = f->m[i1n][k1n] * f->m[i2n][k2n] - f->m[i1n][k2n] * f->m[i2n][k1n];
            p.m[i][k] = 2 * (w.w1 + i1 * w.w2) * f->m[i][k] - 2 * w.w2 * fc.m[i][k] + w.wj * cofactor;
        }
    return p;
}

static TacMat3 tensor_stress(TacMaterial material, const double *parameters, const TacMat3 *f) {
    TacTensorEnergy w;
    TacMat3 held = tac_material_held(f);
    tac_material_tensor(material, parameters, &held, &w);
    TacMat3 s = {{{w.s[0], w.s[3], w.s[4]}, {w.s[3], w.s[1], w.s[5]}, {w.s[4], w.s[5], w.s[2]}}};
    return tac_mat3_mul(&held, &s);
}

void tac_hyperelastic_scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const TacHyperelastic *self = data;
    const TacMatter *matter = self->law.matter[0];
    TacMaterial material = (TacMaterial)self->material;
    float *to = what == TAC_SCALAR_STRESS ? tac_scalar_sheet_of(sheet, matter) : NULL;
    for (size_t e = 0; to && e < self->elements.count; e++) {
        const TacHyperBatch *batch = &self->batches[e / TAC_WIDTH];
        const int32_t *v = self->elements.nodes + 4 * e;
        TacMat3 inverse;
        for (int i = 0; i < 9; i++) inverse.m[i / 3][i % 3] = batch->m[i][e % TAC_WIDTH];
        TacMat3 edges = edges_of(matter->vectors[TAC_X_SHOWN], v), f = tac_mat3_mul(&edges, &inverse);
        const double *parameters = self->parameters + (self->set_count > 1 ? self->parameter_count * e : 0);
        TacMat3 p = tac_material_is_invariant(material) ? invariant_stress(material, parameters, &f)
                                                        : tensor_stress(material, parameters, &f);
        TacMat3 back = tac_mat3_transpose(&f), stress = tac_mat3_mul(&p, &back);
        raise_all(to, v, 4, tac_stress_mises(&stress) / fmax(fabs(tac_mat3_det(&f)), 1e-9));
    }
}

void tac_triangles_scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const TacTriangles *self = data;
    const TacMatter *matter = self->law.matter[0];
    const double *x = matter->vectors[TAC_X_SHOWN];
    float *to = what == TAC_SCALAR_STRESS ? tac_scalar_sheet_of(sheet, matter) : NULL;
    for (size_t e = 0; to && e < self->elements.count; e++) {
        const TacTriBatch *batch = &self->batches[e / TAC_WIDTH];
        size_t lane = e % TAC_WIDTH;
        const int32_t *v = self->elements.nodes + 3 * e;
        double m00 = batch->m[0][lane], m01 = batch->m[1][lane], m11 = batch->m[2][lane];
        TacVec3 a = tac_load3(x + 3 * (size_t)v[0]);
        TacVec3 ab = tac_sub(tac_load3(x + 3 * (size_t)v[1]), a),
                ac = tac_sub(tac_load3(x + 3 * (size_t)v[2]), a);
        // columns of F, from the plane at rest to space, and the eigenvalues of F^T F
        TacVec3 f0 = tac_scale(ab, m00), f1 = tac_add(tac_scale(ab, m01), tac_scale(ac, m11));
        double c00 = tac_dot(f0, f0), c11 = tac_dot(f1, f1), c01 = tac_dot(f0, f1);
        double mean = 0.5 * (c00 + c11), half = 0.5 * (c00 - c11), away = sqrt(half * half + c01 * c01);
        double s = sqrt(mean + away), t = sqrt(fmax(0, mean - away));
        double over_solid = 2 * m00 * m11 / tac_elements_value(self->thickness, e);
        double mu = batch->mu[lane] * over_solid, gamma = batch->gamma[lane] * over_solid;
        double most = mu * (s - 1) + gamma * (s + t - 2), least = mu * (t - 1) + gamma * (s + t - 2);
        raise_all(to, v, 3, sqrt(most * most - most * least + least * least));
    }
}
