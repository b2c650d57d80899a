// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// ShellBending: cloth and shells that resist changes of the angles between their triangles (Grinspun, Hirani,
// Desbrun and Schroeder, "Discrete shells", 2003; the bending model of the document on safe contact).
//
//     E = sum over edges of  k w (angle - angle at rest)^2        w = 3 |e|^2 / (A1 + A2), at rest
//     f = -2 k w (angle - angle at rest) grad angle
//
// The force is the exact gradient (but where hinges.h bounds it). The stiffness that implicit solvers see is
// that of Gauss and Newton, -2 k w grad grad^T, which is never negative. Explicit solvers never ask for it: `force`
// keeps slopes for it only from the first time that somebody does. Normals are found again from the same places, which
// takes no longer than to read them.
//
// Explicitly, a hinge reads 40 bytes of its own (8 of corners, 32 of constants) beside the rows of its piece, and
// computes about 190 operations with 4 divisions and a root, in lanes. For implicit solvers it keeps 32 bytes more.

#include "base/memory.h"
#include "law/hinge_fold.h"
#include "law/laws.h"

typedef struct ShellBending {
    TacLaw law;
    double stiffness, thickness;
    bool flat;
    bool keeps; // somebody asks for changes of force
    TacHinges hinges;
    TacHingeSlope *slopes; // per batch, as of the last force
} ShellBending;

typedef struct Call {
    ShellBending *self;
    double k;
} Call;

#define INLINE static inline __attribute__((always_inline))

// Where a batch is: how far its angles are from those at rest, and their gradients.
INLINE void look(const ShellBending *self, size_t batch, const TacFour *x, TacWide *bent,
                 TacHingeSlope *slope, TacWide g[12]) {
    const TacHingeBatch *constants = &self->hinges.batches[batch];
    TacWide p[12], angle;
    tac_piece_take(&self->hinges.pieces, 4, batch, x, p);
    tac_hinge_fold(constants, p, &angle, slope, g);
    tac_wide_between(&angle, &constants->rest, bent);
}

static void forces(const void *data, size_t piece, const TacPieceRows *rows) {
    const Call *c = data;
    ShellBending *self = c->self;
    const TacElementPieces *pieces = &self->hinges.pieces;
    for (size_t batch = tac_piece_first(piece); batch < tac_piece_end(pieces, piece); batch++) {
        TacWide bent, g[12];
        TacHingeSlope slope;
        look(self, batch, rows->x, &bent, &slope, g);
        if (self->keeps) self->slopes[batch] = slope;
        TacWide s = -2 * self->stiffness * self->hinges.batches[batch].weight * bent;
        for (size_t i = 0; i < 12; i++) g[i] *= s;
        tac_piece_add(pieces, 4, batch, g, rows->f);
    }
}

static void changes(const void *data, size_t piece, const TacPieceRows *rows) {
    const Call *c = data;
    const ShellBending *self = c->self;
    const TacElementPieces *pieces = &self->hinges.pieces;
    for (size_t batch = tac_piece_first(piece); batch < tac_piece_end(pieces, piece); batch++) {
        TacHingeSides sides;
        TacWide g[12], d[12], along = {0};
        tac_piece_take(pieces, 4, batch, rows->x, d);
        tac_hinge_sides(d, &sides);
        tac_hinge_gradient(&self->slopes[batch], sides.n, sides.m, g);
        tac_piece_take(pieces, 4, batch, rows->v, d);
        for (size_t i = 0; i < 12; i++) along += g[i] * d[i];
        TacWide s = -2 * c->k * self->stiffness * self->hinges.batches[batch].weight * along;
        for (size_t i = 0; i < 12; i++) d[i] = s * g[i];
        tac_piece_add(pieces, 4, batch, d, rows->f);
    }
}

static void energies(const void *data, size_t batch, const TacFour *x, TacWide *each) {
    const ShellBending *self = data;
    TacWide bent, g[12];
    TacHingeSlope slope;
    look(self, batch, x, &bent, &slope, g);
    *each = self->stiffness * self->hinges.batches[batch].weight * bent * bent;
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Call call = {.self = data};
    tac_element_pieces_force(&call.self->hinges.pieces, context->team, forces, &call, vectors->x[0], NULL,
                             vectors->f[0]);
}

// From now on `force` keeps slopes. The last time it has not.
static void keep(ShellBending *self, const double *x) {
    if (self->keeps) return;
    self->keeps = true;
    for (size_t batch = 0; batch < self->hinges.batch_count; batch++) {
        TacWide p[12], angle, g[12];
        tac_hinges_places(&self->hinges, batch, x, p);
        tac_hinge_fold(&self->hinges.batches[batch], p, &angle, &self->slopes[batch], g);
    }
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    Call call = {.self = data, .k = k};
    keep(data, vectors->x[0]);
    tac_element_pieces_force(&call.self->hinges.pieces, context->team, changes, &call, vectors->x[0],
                             vectors->v[0], vectors->f[0]);
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    ShellBending *self = data;
    return tac_element_pieces_energy(&self->hinges.pieces, context->team, energies, self, vectors->x[0]);
}

static double factor(const void *data, size_t i) {
    const ShellBending *self = data;
    return -2 * self->stiffness * tac_hinges_weight(&self->hinges, i);
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)b;
    ShellBending *self = data;
    keep(self, vectors->x[0]);
    for (size_t batch = 0; batch < self->hinges.batch_count; batch++) {
        TacWide p[12], g[12];
        TacHingeSides sides;
        tac_hinges_places(&self->hinges, batch, vectors->x[0], p);
        tac_hinge_sides(p, &sides);
        tac_hinge_gradient(&self->slopes[batch], sides.n, sides.m, g);
        tac_add_squares(&self->hinges.pieces, batch, g, factor, self, k, matrix);
    }
}

// --- each edge by itself ----------------------------------------------------------------------------------

static size_t part_count(const void *data) {
    return ((const ShellBending *)data)->hinges.count;
}

static void part(const void *data, size_t i, TacPart *result) {
    const ShellBending *self = data;
    *result = (TacPart){.count = 4};
    for (size_t k = 0; k < 4; k++) result->points[k] = (size_t)tac_piece_corner(&self->hinges.pieces, i, k);
    result->stiffness = 2 * self->stiffness * tac_hinges_weight(&self->hinges, i) *
                        tac_hinges_steepness(&self->hinges, i, self->law.matter[0]->vectors[TAC_X_REST]);
}

static TacStatus take_slopes(ShellBending *self, TacSetup *setup, TacError *error) {
    size_t n = self->hinges.batch_count;
    self->keeps = false;
    self->slopes = tac_setup_alloc_kept(setup, n, sizeof *self->slopes, &self->keeps);
    return self->slopes ? TAC_OK : tac_fail_memory(error, n * sizeof *self->slopes);
}

static TacStatus subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count, void *clone,
                        TacError *error) {
    const ShellBending *self = data;
    ShellBending *some = clone;
    TAC_TRY(tac_hinges_some(&some->hinges, &self->hinges, setup, self->law.matter[0]->count, parts, count,
                            error));
    return take_slopes(some, setup, error);
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
    self->law.inner = true;
    TAC_TRY(tac_hinges_make(&self->hinges, setup, self->law.matter[0], error));
    for (size_t i = 0; self->flat && i < self->hinges.batch_count; i++)
        self->hinges.batches[i].rest = (TacWide){0};
    return take_slopes(self, setup, error);
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

// How far a batch is from its angles at rest.
static void bends(const TacHinges *hinges, size_t batch, const double *x, TacWide *bent) {
    TacWide angle, gradient[12];
    tac_hinges_angles(hinges, batch, x, &angle, gradient);
    tac_wide_between(&angle, &hinges->batches[batch].rest, bent);
}

// The stress at the faces of the sheet that goes with the moment per metre of each edge, 6 moment / thickness^2, as
// shown.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const ShellBending *self = data;
    const TacMatter *m = self->law.matter[0];
    const double *x = m->vectors[TAC_X_SHOWN], *rest = m->vectors[TAC_X_REST];
    bool wanted = what == TAC_SCALAR_STRESS && self->thickness > 0;
    float *to = wanted ? tac_scalar_sheet_of(sheet, m) : NULL;
    TacWide bent;
    for (size_t i = 0; to && i < self->hinges.count; i++) {
        size_t v[4];
        for (size_t k = 0; k < 4; k++) v[k] = (size_t)tac_piece_corner(&self->hinges.pieces, i, k);
        size_t lane = i % TAC_WIDTH;
        if (lane == 0) bends(&self->hinges, i / TAC_WIDTH, x, &bent);
        double edge = tac_norm(tac_sub(tac_load3(rest + 3 * v[3]), tac_load3(rest + 3 * v[2])));
        double moment = 2 * self->stiffness * tac_hinges_weight(&self->hinges, i) * fabs(bent[lane]) / edge;
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
