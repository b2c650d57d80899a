// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// ShellBending: cloth and shells that resist changes of the angles between their triangles (Grinspun, Hirani,
// Desbrun and Schroeder, "Discrete shells", 2003; the bending model of the document on safe contact).
//
//     E = sum over edges of  k w (angle - angle at rest)^2        w = 3 |e|^2 / (A1 + A2), at rest
//     f = -2 k w (angle - angle at rest) grad angle
//
// The force is the exact gradient (but where hinges.h bounds it). The stiffness that implicit solvers see is
// that of Gauss and Newton, -2 k w grad grad^T, which is never negative. `force` keeps the gradients for it.

#include "base/memory.h"
#include "law/hinges.h"
#include "law/laws.h"

typedef struct ShellBending {
    TacLaw law;
    double stiffness, thickness;
    bool flat;
    TacHinges hinges;
    double *gradients; // 12 per hinge, as of the last force; batches filled up
} ShellBending;

typedef struct Call {
    ShellBending *self;
    const double *x; // positions; in force_change: their change
    double k;
} Call;

static void store(double *out, TacVec3 g[4], double s) {
    for (int i = 0; i < 4; i++) tac_store3(out + 3 * i, tac_scale(g[i], s));
}

static void forces(const void *data, size_t batch, double *out) {
    const Call *c = data;
    ShellBending *self = c->self;
    for (size_t lane = 0; lane < tac_elements_used(&self->hinges.elements, batch); lane++) {
        size_t i = TAC_WIDTH * batch + lane;
        TacVec3 g[4];
        double angle = tac_hinge_angle(&self->hinges, i, c->x, g);
        store(self->gradients + 12 * i, g, 1);
        store(out + 12 * lane, g,
              -2 * self->stiffness * self->hinges.weight[i] * tac_angle_between(angle, self->hinges.rest[i]));
    }
}

static void changes(const void *data, size_t batch, double *out) {
    const Call *c = data;
    const ShellBending *self = c->self;
    for (size_t lane = 0; lane < tac_elements_used(&self->hinges.elements, batch); lane++) {
        size_t i = TAC_WIDTH * batch + lane;
        const double *g = self->gradients + 12 * i;
        const int32_t *v = self->hinges.elements.nodes + 4 * i;
        double along = 0;
        for (size_t k = 0; k < 12; k++) along += g[k] * c->x[3 * (size_t)v[k / 3] + k % 3];
        double s = -2 * c->k * self->stiffness * self->hinges.weight[i] * along;
        for (size_t k = 0; k < 12; k++) out[12 * lane + k] = s * g[k];
    }
}

static void energies(const void *data, size_t batch, double *each) {
    const Call *c = data;
    const ShellBending *self = c->self;
    for (size_t lane = 0; lane < tac_elements_used(&self->hinges.elements, batch); lane++) {
        size_t i = TAC_WIDTH * batch + lane;
        TacVec3 g[4];
        double bent = tac_angle_between(tac_hinge_angle(&self->hinges, i, c->x, g), self->hinges.rest[i]);
        each[lane] = self->stiffness * self->hinges.weight[i] * bent * bent;
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Call call = {.self = data, .x = vectors->x[0]};
    tac_elements_force(&call.self->hinges.elements, context->team, forces, &call, vectors->f[0]);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    Call call = {.self = data, .x = vectors->v[0], .k = k};
    tac_elements_force(&call.self->hinges.elements, context->team, changes, &call, vectors->f[0]);
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Call call = {.self = data, .x = vectors->x[0]};
    return tac_elements_energy(&call.self->hinges.elements, context->team, energies, &call);
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)b;
    const ShellBending *self = data;
    for (size_t i = 0; i < self->hinges.elements.count; i++) {
        const double *g = self->gradients + 12 * i;
        const int32_t *v = self->hinges.elements.nodes + 4 * i;
        double s = -2 * k * self->stiffness * self->hinges.weight[i];
        for (int p = 0; p < 4; p++)
            for (int q = 0; q < 4; q++) {
                double block[9];
                for (int r = 0; r < 9; r++) block[r] = s * g[3 * p + r / 3] * g[3 * q + r % 3];
                tac_matrix_add(matrix, 0, (size_t)v[p], 0, (size_t)v[q], block);
            }
    }
}

// --- each edge by itself ----------------------------------------------------------------------------------

static size_t part_count(const void *data) {
    return ((const ShellBending *)data)->hinges.elements.count;
}

static void part(const void *data, size_t i, TacPart *result) {
    const ShellBending *self = data;
    *result = (TacPart){.count = 4};
    for (int k = 0; k < 4; k++) result->points[k] = (size_t)self->hinges.elements.nodes[4 * i + (size_t)k];
    result->stiffness = 2 * self->stiffness * self->hinges.weight[i] *
                        tac_hinge_steepness(&self->hinges, i, self->law.matter[0]->vectors[TAC_X_REST]);
}

static TacStatus take_gradients(ShellBending *self, TacSetup *setup, TacError *error) {
    size_t n = 12 * self->hinges.elements.batch_count * TAC_WIDTH;
    self->gradients = tac_setup_alloc(setup, n, sizeof *self->gradients);
    return self->gradients ? TAC_OK : tac_fail_memory(error, n * sizeof *self->gradients);
}

static TacStatus subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count, void *clone,
                        TacError *error) {
    const ShellBending *self = data;
    ShellBending *some = clone;
    TAC_TRY(tac_hinges_some(&some->hinges, &self->hinges, setup, self->law.matter[0]->count, parts, count,
                            error));
    return take_gradients(some, setup, error);
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .energy = energy,
                              .stiffness = add_blocks,
                              .part_count = part_count,
                              .part = part,
                              .subset = subset};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    ShellBending *self = data;
    TAC_TRY(tac_hinges_make(&self->hinges, setup, self->law.matter[0], error));
    for (size_t i = 0; self->flat && i < self->hinges.elements.count; i++) self->hinges.rest[i] = 0;
    return take_gradients(self, setup, error);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(ShellBending, law),
    {"stiffness", TAC_REAL, offsetof(ShellBending, stiffness), "J", NULL, "k, against bending.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"flat", TAC_BOOL, offsetof(ShellBending, flat), "", "false",
     "Whether it wants to be flat, whatever its shape at rest.", NULL, TAC_ANY, 0},
    {"thickness", TAC_REAL, offsetof(ShellBending, thickness), "m", "0",
     "Of the sheet, for the stress of bending that is shown; 0: none is. It makes no difference to forces.",
     NULL, TAC_NOT_NEGATIVE, 0},
};

// The stress at the faces of the sheet that goes with the moment per metre of each edge, 6 moment / thickness^2, as
// shown.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const ShellBending *self = data;
    const TacMatter *m = self->law.matter[0];
    const double *x = m->vectors[TAC_X_SHOWN], *rest = m->vectors[TAC_X_REST];
    bool wanted = what == TAC_SCALAR_STRESS && self->thickness > 0;
    float *to = wanted ? tac_scalar_sheet_of(sheet, m) : NULL;
    for (size_t i = 0; to && i < self->hinges.elements.count; i++) {
        const int32_t *v = self->hinges.elements.nodes + 4 * i;
        TacVec3 g[4];
        double bent = tac_angle_between(tac_hinge_angle(&self->hinges, i, x, g), self->hinges.rest[i]);
        double edge =
            tac_norm(tac_sub(tac_load3(rest + 3 * (size_t)v[3]), tac_load3(rest + 3 * (size_t)v[2])));
        double moment = 2 * self->stiffness * self->hinges.weight[i] * fabs(bent) / edge;
        for (int k = 0; k < 4; k++)
            tac_scalar_raise(to + v[k], 6 * moment / (self->thickness * self->thickness));
    }
}

const TacClass tac_shell_bending_class = {
    .name = "ShellBending",
    .kind = TAC_KIND_LAW,
    .doc = "Cloth and shells that resist changes of the angles between their triangles (Grinspun et al., "
           "\"Discrete shells\", 2003): E = sum of k 3 |e|^2 / A (angle - angle at rest)^2.",
    .size = sizeof(ShellBending),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
};
