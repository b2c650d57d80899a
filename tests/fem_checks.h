// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What tests of finite-element laws share: meshes, deformations, sums of forces, and a plain matrix that takes
// what laws write.

#ifndef TACTUS_TESTS_FEM_CHECKS_H
#define TACTUS_TESTS_FEM_CHECKS_H

#include "law_harness.h"

#include "base/team.h"
#include "law/laws.h"

// A full matrix of n x n numbers, in blocks of `size`.
struct TacMatrix {
    size_t n, size;
    double *values;
};

WEAK void tac_matrix_add(TacMatrix *matrix, int a, size_t i, int b, size_t j, const double *block) {
    assert_int_equal(a, 0);
    assert_int_equal(b, 0);
    size_t s = matrix->size;
    for (size_t p = 0; p < s; p++)
        for (size_t q = 0; q < s; q++)
            matrix->values[(s * i + p) * matrix->n + s * j + q] += block[s * p + q];
}

// Laws write element by element here; solvers_test looks at matrices that elements come into as a whole.
WEAK bool tac_matrix_elements(TacMatrix *matrix, const int32_t *nodes, size_t corners, size_t count,
                              size_t scratch, TacMatrixBlocks *blocks) {
    (void)matrix;
    (void)nodes;
    (void)corners;
    (void)count;
    (void)scratch;
    (void)blocks;
    return false;
}

static inline double noise(TacRandom *random) {
    return tac_random_between(random, -1, 1);
}

static inline TacQuat random_turn(TacRandom *random) {
    return tac_quat_unit((TacQuat){noise(random), noise(random), noise(random), noise(random)});
}

static inline TacMat3 random_rotation(TacRandom *random) {
    return tac_quat_matrix(random_turn(random));
}

// I + symmetric noise
static inline TacMat3 random_stretch(TacRandom *random, double size) {
    TacMat3 s;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) s.m[i][j] = s.m[j][i] = (i == j) + size * noise(random);
    return s;
}

// A block of nx x ny x nz hexahedra whose inner points are shaken; `split`: tetrahedra.
static inline void make_block(TacTopology *topology, const int n[3], TacVec3 high, double shake, bool split,
                              TacRandom *random) {
    *topology = (TacTopology){0};
    TacMesh *mesh = &topology->mesh;
    assert_int_equal(tac_mesh_grid(mesh, n[0] + 1, n[1] + 1, n[2] + 1, tac_vec3(0, 0, 0), high, NULL),
                     TAC_OK);
    if (split) assert_int_equal(tac_mesh_split(mesh, NULL), TAC_OK);
    for (size_t p = 0; p < mesh->point_count && shake > 0; p++) {
        double *x = mesh->points + 3 * p;
        const double size[3] = {high.x, high.y, high.z};
        bool inside = true;
        for (int i = 0; i < 3; i++) inside &= size[i] == 0 || (x[i] > 1e-9 && x[i] < size[i] - 1e-9);
        for (int i = 0; i < 3 && inside; i++)
            if (size[i] > 0) x[i] += shake * size[i] / n[i] * noise(random);
    }
}

// Points with positions a X + t + noise.
static inline void deform(LawBench *bench, TacRandom *random, const TacMat3 *a, double shake) {
    double *const *all = bench->matter[0]->vectors;
    for (size_t p = 0; p < bench->matter[0]->count; p++) {
        TacVec3 x = tac_add(tac_mat3_apply(a, tac_load3(all[TAC_X_REST] + 3 * p)), tac_vec3(3, -2, 1));
        tac_store3(all[TAC_X] + 3 * p,
                   tac_add(x, tac_scale(tac_vec3(noise(random), noise(random), noise(random)), shake)));
    }
}

static inline TacVec3 resultant(const LawBench *bench, TacVector f) {
    TacVec3 sum = {0, 0, 0};
    size_t size = (size_t)bench->matter[0]->velocity_size;
    for (size_t p = 0; p < bench->matter[0]->count; p++)
        sum = tac_add(sum, tac_load3(bench->matter[0]->vectors[f] + size * p));
    return sum;
}

// About the origin, with the torques on frames.
static inline TacVec3 torque(const LawBench *bench, TacVector f) {
    TacVec3 sum = {0, 0, 0};
    const TacMatter *m = bench->matter[0];
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
    for (size_t p = 0; p < m->count; p++) {
        TacVec3 x = tac_load3(m->vectors[TAC_X] + px * p);
        sum = tac_add(sum, tac_cross(x, tac_load3(m->vectors[f] + pv * p)));
        if (m->kind == TAC_RIGID3) sum = tac_add(sum, tac_load3(m->vectors[f] + pv * p + 3));
    }
    return sum;
}

// The law's matrix at the last force.
static inline TacMatrix make_matrix(LawBench *bench, double k) {
    size_t size = (size_t)bench->matter[0]->velocity_size, n = size * bench->matter[0]->count;
    TacMatrix matrix = {n, size, bench_take(bench, n * n, sizeof(double))};
    TacLawVectors vectors = bench_vectors(bench, TAC_V, TAC_F);
    bench->law->base.cls->ops.law->stiffness(bench->law, &bench->context, &vectors, k, 0, &matrix);
    return matrix;
}

// The law's matrix does what its changes of force do, and is symmetric.
static inline void expect_matrix_as_changes(LawBench *bench, TacRandom *random) {
    bench_force(bench, TAC_F);
    bench_random(bench, random, TAC_Q, 1);
    bench_change(bench, TAC_Q, TAC_P, 0.7, 0.3);
    TacMatrix matrix = make_matrix(bench, 0.7);
    double size = bench_norm(bench, TAC_P);
    assert_true(size > 1e-6);
    for (size_t i = 0; i < matrix.n; i++) {
        double sum = 0;
        for (size_t j = 0; j < matrix.n; j++) {
            sum += matrix.values[i * matrix.n + j] * bench->matter[0]->vectors[TAC_Q][j];
            assert_true(fabs(matrix.values[i * matrix.n + j] - matrix.values[j * matrix.n + i]) <
                        1e-9 * size);
        }
        assert_true(fabs(sum - bench->matter[0]->vectors[TAC_P][i]) < 1e-11 * size);
    }
}

// Solves -K u = f for what is free: those rows and columns of a matrix of k = -1; by Gauss with pivots.
static inline void solve_free(const TacMatrix *matrix, const bool *held, const double *f, double *u) {
    size_t n = matrix->n;
    double *a = malloc(n * (n + 1) * sizeof *a);
    assert_non_null(a);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            a[i * (n + 1) + j] = held[i] || held[j] ? (double)(i == j) : matrix->values[i * n + j];
        a[i * (n + 1) + n] = held[i] ? 0 : f[i];
    }
    for (size_t c = 0; c < n; c++) {
        size_t pivot = c;
        for (size_t i = c; i < n; i++)
            if (fabs(a[i * (n + 1) + c]) > fabs(a[pivot * (n + 1) + c])) pivot = i;
        for (size_t j = 0; j <= n; j++) {
            double swapped = a[c * (n + 1) + j];
            a[c * (n + 1) + j] = a[pivot * (n + 1) + j];
            a[pivot * (n + 1) + j] = swapped;
        }
        for (size_t i = c + 1; i < n; i++) {
            double factor = a[i * (n + 1) + c] / a[c * (n + 1) + c];
            for (size_t j = c; factor != 0 && j <= n; j++) a[i * (n + 1) + j] -= factor * a[c * (n + 1) + j];
        }
    }
    for (size_t i = n; i-- > 0;) {
        double sum = a[i * (n + 1) + n];
        for (size_t j = i + 1; j < n; j++) sum -= a[i * (n + 1) + j] * u[j];
        u[i] = sum / a[i * (n + 1) + i];
    }
    free(a);
}

// Force, change and energy on teams of 1, 2 and 3: the same bits.
static inline void expect_same_bits(LawBench *bench, TacRandom *random) {
    const TacVector to[3][2] = {{TAC_A, TAC_B}, {TAC_P, TAC_R}, {TAC_F, TAC_DV}};
    double energies[3];
    bench_random(bench, random, TAC_Q, 1);
    for (int run = 0; run < 3; run++) {
        if (run) assert_int_equal(tac_team_create(&bench->context.team, 1 + run, NULL), TAC_OK);
        bench_force(bench, to[run][0]);
        bench_change(bench, TAC_Q, to[run][1], 0.3, 0.4);
        energies[run] = bench_energy(bench);
        tac_team_destroy(bench->context.team);
        bench->context.team = NULL;
    }
    assert_true(bench_norm(bench, TAC_A) > 0 && bench_norm(bench, TAC_B) > 0);
    for (int run = 1; run < 3; run++) {
        for (int i = 0; i < 2; i++)
            assert_memory_equal(bench->matter[0]->vectors[to[0][i]], bench->matter[0]->vectors[to[run][i]],
                                tac_vector_size(bench->matter[0], TAC_F) * sizeof(double));
        assert_memory_equal(&energies[0], &energies[run], sizeof(double));
    }
}

#endif
