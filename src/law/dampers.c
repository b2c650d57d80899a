// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// EdgeDamping and BendDamping: viscous forces against changes of the lengths of edges, and of the angles across
// them (document on safe contact, "dissipation").
//
//     s      length of an edge; angle across an edge (hinges.h)
//     f      -c ds/dt grad s        c = damping;  2 damping w for angles, as in ShellBending
//
// On its own clock a damper finds ds/dt from past positions: the change of s since its own last tick over the
// time since then, never from momenta. So what it does depends only on where things are at its ticks, and the
// order of simultaneous events makes no difference. The last value of s is state. At its first tick, and when
// a tick was missed, it does nothing. Inside a solver's program, ds/dt is grad s . v as for all laws there.

#include "base/memory.h"
#include "law/hinge_fold.h"
#include "law/laws.h"

typedef struct Dampers {
    TacLaw law;
    double damping;
    bool angles;             // set by init
    TacHinges hinges;        // angles only
    TacElementPieces pieces; // of two corners for lengths, of four for angles
    double *factors;         // c, per damper
    TacWide *gradients;      // 3 per corner and batch, as of the last force
    // on its own clock
    double *past; // s at the last tick; NULL: rates are taken from velocities
    double *time; // s, of that tick; -1: none yet
} Dampers;

typedef struct Call {
    Dampers *self;
    double over;  // one over the time since the last tick; 0: unknown
    double scale; // of force_change
} Call;

// Functions of the number of corners n are inlined with n known, so that their loops vanish.
#define INLINE static inline __attribute__((always_inline))

// Lengths of a batch of edges, and their gradients.
INLINE void measure(const TacWide p[6], TacWide *length, TacWide g[6]) {
    const TacWide zero = {0};
    TacWide d[3];
    for (size_t i = 0; i < 3; i++) d[i] = p[3 + i] - p[i];
    tac_fold_dot(d, d, length);
    tac_wide_root(length);
    TacWide over = 1.0 / *length;
    TacWideMask some = *length > zero;
    tac_wide_keep(&some, &over);
    for (size_t i = 0; i < 3; i++) {
        g[3 + i] = over * d[i];
        g[i] = -g[3 + i];
    }
}

// Change of s along a change of positions (or a velocity).
INLINE void along(const Dampers *self, size_t n, size_t batch, const TacWide *g, const TacFour *v,
                  TacWide *sum) {
    TacWide d[12];
    tac_piece_take(&self->pieces, n, batch, v, d);
    *sum = (TacWide){0};
    for (size_t k = 0; k < 3 * n; k++) *sum += g[k] * d[k];
}

// Adds s times the gradients.
INLINE void push(const Dampers *self, size_t n, size_t batch, const TacWide *g, const TacWide *s,
                 TacFour *f) {
    TacWide out[12];
    for (size_t k = 0; k < 3 * n; k++) out[k] = *s * g[k];
    tac_piece_add(&self->pieces, n, batch, out, f);
}

INLINE void forces(const Call *c, size_t n, size_t piece, const TacPieceRows *rows) {
    Dampers *self = c->self;
    for (size_t batch = tac_piece_first(piece); batch < tac_piece_end(&self->pieces, piece); batch++) {
        TacWide p[12], s, rate, factor, *g = self->gradients + 3 * n * batch;
        TacHingeSlope slope;
        tac_piece_take(&self->pieces, n, batch, rows->x, p);
        if (n == 4)
            tac_hinge_fold(&self->hinges.batches[batch], p, &s, &slope, g);
        else
            measure(p, &s, g);
        if (self->past) {
            double *past = self->past + TAC_WIDTH * batch;
            TacWide before, change;
            tac_wide_load(&before, past);
            tac_wide_store(past, &s);
            change = s - before;
            if (n == 4) tac_wide_between(&s, &before, &change);
            rate = c->over * change;
        } else {
            along(self, n, batch, g, rows->v, &rate);
        }
        tac_wide_load(&factor, self->factors + TAC_WIDTH * batch);
        TacWide scale = -factor * rate;
        push(self, n, batch, g, &scale, rows->f);
    }
}

INLINE void changes(const Call *c, size_t n, size_t piece, const TacPieceRows *rows) {
    const Dampers *self = c->self;
    for (size_t batch = tac_piece_first(piece); batch < tac_piece_end(&self->pieces, piece); batch++) {
        const TacWide *g = self->gradients + 3 * n * batch;
        TacWide rate, factor;
        along(self, n, batch, g, rows->x, &rate);
        tac_wide_load(&factor, self->factors + TAC_WIDTH * batch);
        TacWide scale = -c->scale * factor * rate;
        push(self, n, batch, g, &scale, rows->f);
    }
}

static void length_forces(const void *call, size_t piece, const TacPieceRows *rows) {
    forces(call, 2, piece, rows);
}

static void angle_forces(const void *call, size_t piece, const TacPieceRows *rows) {
    forces(call, 4, piece, rows);
}

static void length_changes(const void *call, size_t piece, const TacPieceRows *rows) {
    changes(call, 2, piece, rows);
}

static void angle_changes(const void *call, size_t piece, const TacPieceRows *rows) {
    changes(call, 4, piece, rows);
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Dampers *self = data;
    Call call = {.self = self};
    if (self->past) {
        double since = context->time - *self->time;
        bool missed = *self->time < 0 || !(since > 0) || since > 1.5 * context->step;
        call.over = missed ? 0 : 1 / context->step;
        *self->time = context->time;
    }
    tac_element_pieces_force(&self->pieces, context->team, self->angles ? angle_forces : length_forces, &call,
                             vectors->x[0], self->past ? NULL : vectors->v[0], vectors->f[0]);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)k;
    Dampers *self = data;
    Call call = {.self = self, .scale = b};
    tac_element_pieces_force(&self->pieces, context->team, self->angles ? angle_changes : length_changes,
                             &call, vectors->v[0], NULL, vectors->f[0]);
}

static double factor_of(const void *data, size_t i) {
    return -((const Dampers *)data)->factors[i];
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)k;
    const Dampers *self = data;
    size_t each = 3 * self->pieces.corners;
    for (size_t batch = 0; batch < self->pieces.batch_count; batch++)
        tac_add_squares(&self->pieces, batch, self->gradients + each * batch, factor_of, self, b, matrix);
}

// --- each damper by itself --------------------------------------------------------------------------------

static size_t part_count(const void *data) {
    return ((const Dampers *)data)->pieces.count;
}

static void part(const void *data, size_t i, TacPart *result) {
    const Dampers *self = data;
    size_t n = self->pieces.corners;
    *result = (TacPart){.count = n};
    for (size_t k = 0; k < n; k++) result->points[k] = (size_t)tac_piece_corner(&self->pieces, i, k);
    const double *rest = self->law.matter[0]->vectors[TAC_X_REST];
    result->damping = self->factors[i] * (self->angles ? tac_hinges_steepness(&self->hinges, i, rest) : 2);
}

static TacStatus take_arrays(Dampers *self, TacSetup *setup, TacError *error) {
    size_t n = self->pieces.batch_count * TAC_WIDTH, numbers = 3 * self->pieces.corners;
    self->factors = tac_setup_alloc(setup, n, sizeof *self->factors);
    self->gradients = tac_setup_alloc(setup, numbers * self->pieces.batch_count, sizeof *self->gradients);
    if (!self->factors || !self->gradients) return tac_fail_memory(error, (numbers + 1) * n * sizeof(double));
    for (size_t i = 0; i < self->pieces.count; i++)
        self->factors[i] =
            self->angles ? 2 * self->damping * tac_hinges_weight(&self->hinges, i) : self->damping;
    return TAC_OK;
}

// From a list of pairs of points.
static TacStatus take_edges(Dampers *self, TacSetup *setup, const int32_t *pairs, size_t count,
                            TacError *error) {
    if (!count) return tac_setup_fail(setup, error, NULL, "needs edges; the topology has none");
    TAC_TRY(tac_element_pieces_make_dealt(&self->pieces, setup, pairs, 2, count, self->law.matter[0]->count,
                                          error));
    return take_arrays(self, setup, error);
}

static TacStatus take_hinges(Dampers *self, TacSetup *setup, TacError *error) {
    self->pieces = self->hinges.pieces;
    return take_arrays(self, setup, error);
}

static TacStatus subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count, void *clone,
                        TacError *error) {
    const Dampers *self = data;
    Dampers *some = clone;
    if (self->angles) {
        TAC_TRY(tac_hinges_some(&some->hinges, &self->hinges, setup, self->law.matter[0]->count, parts, count,
                                error));
        TAC_TRY(take_hinges(some, setup, error));
    } else {
        int32_t *pairs = malloc((2 * count + 1) * sizeof *pairs);
        if (!pairs) return tac_fail_memory(error, 2 * count * sizeof *pairs);
        for (size_t i = 0; i < 2 * count; i++)
            pairs[i] = tac_piece_corner(&self->pieces, parts[i / 2], i % 2);
        TacStatus status = take_edges(some, setup, pairs, count, error);
        free(pairs);
        TAC_TRY(status);
    }
    some->past = tac_setup_alloc(setup, some->pieces.batch_count * TAC_WIDTH, sizeof *some->past);
    some->time = tac_setup_alloc(setup, 1, sizeof *some->time);
    if (!some->past || !some->time) return tac_fail_memory(error, count * sizeof *some->past);
    *some->time = -1;
    TAC_TRY(tac_setup_state(setup, some->past, count * sizeof *some->past, error));
    return tac_setup_state(setup, some->time, sizeof *some->time, error);
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .stiffness = add_blocks,
                              .part_count = part_count,
                              .part = part,
                              .subset = subset,
                              .remembers = true};

static TacStatus init_edges(void *data, TacSetup *setup, TacError *error) {
    Dampers *self = data;
    self->law.inner = true;
    const TacMesh *mesh;
    TAC_TRY(tac_elements_mesh(&mesh, setup, self->law.matter[0], "edges", error));
    int32_t *edges = NULL;
    size_t count = 0;
    TAC_TRY(tac_mesh_all_edges(mesh, &edges, &count, error));
    TacStatus status = take_edges(self, setup, edges, count, error);
    free(edges);
    return status;
}

static TacStatus init_angles(void *data, TacSetup *setup, TacError *error) {
    Dampers *self = data;
    self->angles = self->law.inner = true;
    TAC_TRY(tac_hinges_make(&self->hinges, setup, self->law.matter[0], error));
    return take_hinges(self, setup, error);
}

static const TacAttribute edge_attributes[] = {
    TAC_LAW_ATTRIBUTES(Dampers, law),
    {"damping", TAC_REAL, offsetof(Dampers, damping), "N s/m", NULL, "Of each edge.", NULL, TAC_NOT_NEGATIVE,
     0},
};

const TacClass tac_edge_damping_class = {
    .name = "EdgeDamping",
    .kind = TAC_KIND_LAW,
    .doc =
        "Viscous forces along every edge of the nearest topology, against changes of its length. In a world "
        "with safe contact each edge has its own clock and sees past positions only.",
    .size = sizeof(Dampers),
    .attributes = edge_attributes,
    .attribute_count = TAC_COUNT(edge_attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init_edges,
    .ops.law = &ops,
};

static const TacAttribute bend_attributes[] = {
    TAC_LAW_ATTRIBUTES(Dampers, law),
    {"damping", TAC_REAL, offsetof(Dampers, damping), "J s", NULL,
     "Against bending: the stiffness of a ShellBending times the time in which bending is to slow down.",
     NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_bend_damping_class = {
    .name = "BendDamping",
    .kind = TAC_KIND_LAW,
    .doc = "Viscous forces across every edge between two triangles, against changes of the angle there. In a "
           "world with safe contact each edge has its own clock and sees past positions only.",
    .size = sizeof(Dampers),
    .attributes = bend_attributes,
    .attribute_count = TAC_COUNT(bend_attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init_angles,
    .ops.law = &ops,
};
