// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The operations of HyperelasticTetrahedra, a batch of elements at a time. hyperelastic.h has the equations.

#include "base/memory.h"
#include "law/hyperelastic.h"

#define INLINE static inline __attribute__((always_inline))

// Names of what a state keeps of an energy of invariants.
enum { W1, W2, WJ, W11, W12, W1J, W22, W2J, WJJ };

typedef struct Call {
    TacHyperelastic *self;
    const TacLawVectors *vectors;
    double k;
} Call;

// --- small matrices, row by row ---------------------------------------------------------------------------

INLINE void product(const TacWide a[9], const TacWide b[9], TacWide out[9]) {
    for (size_t i = 0; i < 9; i += 3)
        for (size_t j = 0; j < 3; j++) out[i + j] = a[i] * b[j] + a[i + 1] * b[3 + j] + a[i + 2] * b[6 + j];
}

// a^T b
INLINE void back_product(const TacWide a[9], const TacWide b[9], TacWide out[9]) {
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

INLINE void dot(const TacWide a[9], const TacWide b[9], TacWide *out) {
    TacWide sum = a[0] * b[0];
    for (size_t i = 1; i < 9; i++) sum += a[i] * b[i];
    *out = sum;
}

// out += a x b, rows of three
INLINE void add_cross(const TacWide *a, const TacWide *b, TacWide *out) {
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

INLINE void cofactors(const TacWide f[9], TacWide g[9]) {
    for (size_t i = 0; i < 9; i++) g[i] = f[i] - f[i];
    add_cross(f + 3, f + 6, g);
    add_cross(f + 6, f, g + 3);
    add_cross(f, f + 3, g + 6);
}

// --- one batch --------------------------------------------------------------------------------------------

// F = E M from positions, or its change from a change of positions.
INLINE void gradient(const TacHyperelastic *self, size_t batch, const double *x, TacWide f[9]) {
    TacWide p[12];
    const int32_t *nodes = self->elements.nodes + 4 * TAC_WIDTH * batch;
    for (size_t lane = 0; lane < TAC_WIDTH; lane++)
        for (size_t c = 0; c < 4; c++) {
            const double *from = x + 3 * (size_t)nodes[4 * lane + c];
            for (size_t i = 0; i < 3; i++) p[3 * c + i][lane] = from[i];
        }
    const TacWide *m = self->batches[batch].m;
    for (size_t i = 0; i < 3; i++) {
        TacWide e1 = p[3 + i] - p[i], e2 = p[6 + i] - p[i], e3 = p[9 + i] - p[i];
        for (size_t a = 0; a < 3; a++) f[3 * i + a] = e1 * m[a] + e2 * m[3 + a] + e3 * m[6 + a];
    }
}

// Forces at the corners from dW/dF.
INLINE void corner_forces(const TacHyperBatch *batch, const TacWide stress[9], double scale,
                          TacWide out[12]) {
    TacWide volume = -scale * batch->volume;
    for (size_t i = 0; i < 3; i++) {
        for (size_t c = 0; c < 3; c++) {
            const TacWide *m = batch->m + 3 * c, *p = stress + 3 * i;
            out[3 * (c + 1) + i] = volume * (p[0] * m[0] + p[1] * m[1] + p[2] * m[2]);
        }
        out[i] = -(out[3 + i] + out[6 + i] + out[9 + i]);
    }
}

static const double *parameters_of(const TacHyperelastic *self, size_t element) {
    size_t last = element < self->elements.count ? element : self->elements.count - 1;
    return self->parameters + (self->set_count == 1 ? 0 : self->parameter_count * last);
}

// --- materials of invariants ------------------------------------------------------------------------------

typedef struct Invariants {
    TacWide c[9], fc[9], g[9], i1, i2, j;
} Invariants;

INLINE void find_invariants(const TacWide f[9], Invariants *v) {
    TacWide squares, six;
    back_product(f, f, v->c);
    product(f, v->c, v->fc);
    cofactors(f, v->g);
    dot(v->c, v->c, &squares);
    v->i1 = v->c[0] + v->c[4] + v->c[8];
    v->i2 = 0.5 * (v->i1 * v->i1 - squares);
    six = f[0] * v->g[0] + f[1] * v->g[1] + f[2] * v->g[2];
    v->j = six;
}

// Derivatives of the energy lane by lane, and the energy itself.
static void evaluate(const TacHyperelastic *self, size_t batch, const Invariants *v, TacWide w[9],
                     double each[TAC_WIDTH]) {
    for (size_t lane = 0; lane < TAC_WIDTH; lane++) {
        TacInvariantEnergy e;
        tac_material_invariant((TacMaterial)self->material, parameters_of(self, TAC_WIDTH * batch + lane),
                               v->i1[lane], v->i2[lane], v->j[lane], &e);
        const double all[9] = {e.w1, e.w2, e.wj, e.w11, e.w12, e.w1j, e.w22, e.w2j, e.wjj};
        for (size_t i = 0; i < 9; i++) w[i][lane] = all[i];
        each[lane] = e.w;
    }
}

INLINE void invariant_stress(const TacWide f[9], const Invariants *v, const TacWide w[9], TacWide p[9]) {
    TacWide a = 2.0 * (w[W1] + v->i1 * w[W2]), b = -2.0 * w[W2];
    for (size_t i = 0; i < 9; i++) p[i] = a * f[i] + b * v->fc[i] + w[WJ] * v->g[i];
}

INLINE void invariant_change(const TacWide f[9], const TacWide w[9], const TacWide df[9], TacWide dp[9]) {
    Invariants v;
    find_invariants(f, &v);
    TacWide along, along_fc, dj;
    dot(f, df, &along);
    dot(v.fc, df, &along_fc);
    dot(v.g, df, &dj);
    TacWide di1 = 2.0 * along, di2 = v.i1 * di1 - 2.0 * along_fc;
    TacWide dw1 = w[W11] * di1 + w[W12] * di2 + w[W1J] * dj;
    TacWide dw2 = w[W12] * di1 + w[W22] * di2 + w[W2J] * dj;
    TacWide dwj = w[W1J] * di1 + w[W2J] * di2 + w[WJJ] * dj;

    // d(F C) = dF C + F (dF^T F + F^T dF)
    TacWide half[9], dc[9], dfc[9], turned[9];
    back_product(f, df, half);
    for (size_t i = 0; i < 9; i++) dc[i] = half[i] + half[3 * (i % 3) + i / 3];
    product(df, v.c, dfc);
    product(f, dc, turned);

    TacWide dg[9];
    for (size_t i = 0; i < 9; i++) dg[i] = f[i] - f[i];
    add_cross(df + 3, f + 6, dg);
    add_cross(f + 3, df + 6, dg);
    add_cross(df + 6, f, dg + 3);
    add_cross(f + 6, df, dg + 3);
    add_cross(df, f + 3, dg + 6);
    add_cross(f, df + 3, dg + 6);

    TacWide a = 2.0 * (w[W1] + v.i1 * w[W2]), b = -2.0 * w[W2];
    TacWide da = 2.0 * (dw1 + di1 * w[W2] + v.i1 * dw2), db = -2.0 * dw2;
    for (size_t i = 0; i < 9; i++)
        dp[i] =
            a * df[i] + b * (dfc[i] + turned[i]) + w[WJ] * dg[i] + da * f[i] + db * v.fc[i] + dwj * v.g[i];
}

// --- materials of tensors ---------------------------------------------------------------------------------

static const size_t SIX[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2}; // where a 3x3 matrix has the six numbers

// Holds crushed elements, and finds S and D lane by lane.
static void evaluate_tensors(const TacHyperelastic *self, size_t batch, TacWide f[9], TacHyperTensor *t,
                             double each[TAC_WIDTH]) {
    for (size_t lane = 0; lane < TAC_WIDTH; lane++) {
        TacMat3 now;
        TacTensorEnergy e;
        for (int i = 0; i < 9; i++) now.m[i / 3][i % 3] = f[i][lane];
        now = tac_material_held(&now);
        for (int i = 0; i < 9; i++) f[i][lane] = now.m[i / 3][i % 3];
        tac_material_tensor((TacMaterial)self->material, parameters_of(self, TAC_WIDTH * batch + lane), &now,
                            &e);
        for (size_t m = 0; m < 6; m++) {
            t->s[m][lane] = e.s[m];
            for (size_t n = 0; n < 6; n++) t->d[m][n][lane] = e.d[m][n];
        }
        each[lane] = e.w;
    }
}

INLINE void tensor_stress(const TacWide f[9], const TacHyperTensor *t, TacWide p[9]) {
    TacWide s[9];
    for (size_t i = 0; i < 9; i++) s[i] = t->s[SIX[i]];
    product(f, s, p);
}

INLINE void tensor_change(const TacWide f[9], const TacHyperTensor *t, const TacWide df[9], TacWide dp[9]) {
    TacWide half[9], s[9], ds[9], turned[9];
    back_product(f, df, half);
    TacWide strain[6] = {half[0],
                         half[4],
                         half[8],
                         0.5 * (half[1] + half[3]),
                         0.5 * (half[2] + half[6]),
                         0.5 * (half[5] + half[7])};
    for (size_t i = 0; i < 9; i++) {
        const TacWide *row = t->d[SIX[i]];
        s[i] = t->s[SIX[i]];
        ds[i] = row[0] * strain[0] + row[1] * strain[1] + row[2] * strain[2] + row[3] * strain[3] +
                row[4] * strain[4] + row[5] * strain[5];
    }
    product(df, s, dp);
    product(f, ds, turned);
    for (size_t i = 0; i < 9; i++) dp[i] += turned[i];
}

// --- operations -------------------------------------------------------------------------------------------

static void batch_forces(const void *data, size_t batch, double *out) {
    const Call *c = data;
    TacHyperelastic *self = c->self;
    TacHyperState *state = &self->states[batch];
    TacWide f[9], p[9], corners[12];
    double each[TAC_WIDTH];
    gradient(self, batch, c->vectors->x[0], f);
    if (self->tensors) {
        evaluate_tensors(self, batch, f, &self->tensors[batch], each);
        tensor_stress(f, &self->tensors[batch], p);
    } else {
        Invariants v;
        find_invariants(f, &v);
        evaluate(self, batch, &v, state->w, each);
        invariant_stress(f, &v, state->w, p);
    }
    memcpy(state->f, f, sizeof f);
    corner_forces(&self->batches[batch], p, 1, corners);
    tac_elements_spread(corners, 12, out);
}

INLINE void change_of_stress(const TacHyperelastic *self, size_t batch, const TacWide df[9], TacWide dp[9]) {
    const TacHyperState *state = &self->states[batch];
    if (self->tensors)
        tensor_change(state->f, &self->tensors[batch], df, dp);
    else
        invariant_change(state->f, state->w, df, dp);
}

static void batch_changes(const void *data, size_t batch, double *out) {
    const Call *c = data;
    TacWide df[9], dp[9], corners[12];
    gradient(c->self, batch, c->vectors->v[0], df);
    change_of_stress(c->self, batch, df, dp);
    corner_forces(&c->self->batches[batch], dp, c->k, corners);
    tac_elements_spread(corners, 12, out);
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    TacHyperelastic *self = data;
    Call call = {.self = self, .vectors = vectors};
    tac_elements_force(&self->elements, context->team, batch_forces, &call, vectors->f[0]);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    TacHyperelastic *self = data;
    Call call = {.self = self, .vectors = vectors, .k = k};
    if (k != 0) tac_elements_force(&self->elements, context->team, batch_changes, &call, vectors->f[0]);
}

static void batch_energy(const void *data, size_t batch, double *each) {
    const Call *c = data;
    const TacHyperelastic *self = c->self;
    TacWide f[9], w[9];
    gradient(self, batch, c->vectors->x[0], f);
    if (self->tensors) {
        TacHyperTensor tensor;
        evaluate_tensors(self, batch, f, &tensor, each);
    } else {
        Invariants v;
        find_invariants(f, &v);
        evaluate(self, batch, &v, w, each);
    }
    for (size_t lane = 0; lane < TAC_WIDTH; lane++) each[lane] *= self->batches[batch].volume[lane];
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    TacHyperelastic *self = data;
    Call call = {.self = self, .vectors = vectors};
    return tac_elements_energy(&self->elements, context->team, batch_energy, &call);
}

// --- the matrix -------------------------------------------------------------------------------------------

// Forces at all corners when corner 1, 2 or 3 moves along one axis by 1: nine columns of twelve numbers.
static void unit_changes(const TacHyperelastic *self, size_t batch, TacWide columns[9][12]) {
    const TacHyperBatch *constants = &self->batches[batch];
    for (size_t n = 0; n < 9; n++) {
        TacWide df[9], dp[9];
        for (size_t i = 0; i < 9; i++) df[i] = constants->m[0] - constants->m[0];
        for (size_t a = 0; a < 3; a++) df[3 * (n % 3) + a] = constants->m[3 * (n / 3) + a];
        change_of_stress(self, batch, df, dp);
        corner_forces(constants, dp, 1, columns[n]);
    }
}

// Block (i, j); corner 0 moving is the others moving back.
static void take_block(TacWide columns[9][12], size_t lane, size_t i, size_t j, double k, double block[9]) {
    for (size_t q = 0; q < 9; q++) {
        size_t row = 3 * i + q / 3, column = q % 3;
        double sum = 0;
        if (j > 0)
            sum = columns[3 * (j - 1) + column][row][lane];
        else
            for (size_t other = 0; other < 3; other++) sum -= columns[3 * other + column][row][lane];
        block[q] = k * sum;
    }
}

static void stiffness(void *data, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)b;
    const TacHyperelastic *self = data;
    for (size_t batch = 0; batch < self->elements.batch_count; batch++) {
        TacWide columns[9][12];
        unit_changes(self, batch, columns);
        const int32_t *nodes = self->elements.nodes + 4 * TAC_WIDTH * batch;
        size_t used = tac_elements_used(&self->elements, batch);
        for (size_t lane = 0; lane < used; lane++)
            for (size_t n = 0; n < 16; n++) {
                double block[9];
                const int32_t *v = nodes + 4 * lane;
                take_block(columns, lane, n / 4, n % 4, k, block);
                tac_matrix_add(matrix, 0, (size_t)v[n / 4], 0, (size_t)v[n % 4], block);
            }
    }
}

const TacLawOps tac_hyperelastic_ops = {.force = force,
                                        .force_change = force_change,
                                        .energy = energy,
                                        .stiffness = stiffness,
                                        .part_count = tac_hyperelastic_part_count,
                                        .part = tac_hyperelastic_part,
                                        .subset = tac_hyperelastic_subset};
