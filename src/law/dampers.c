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
#include "law/hinges.h"
#include "law/laws.h"

typedef struct Dampers {
    TacLaw law;
    double damping;
    bool angles;     // set by init
    TacHinges edges; // angles: all of it; lengths: elements of two corners only
    double *factors; // c, per damper
    double *gradients;
    // on its own clock
    double *past; // s at the last tick; NULL: rates are taken from velocities
    double *time; // s, of that tick; -1: none yet
} Dampers;

typedef struct Call {
    Dampers *self;
    const TacLawVectors *vectors;
    double over;  // one over the time since the last tick; 0: unknown
    double scale; // of force_change
} Call;

static size_t corners_of(const Dampers *self) {
    return self->angles ? 4 : 2;
}

// s and its gradient.
static double look(const Dampers *self, size_t i, const double *x, TacVec3 g[4]) {
    if (self->angles) return tac_hinge_angle(&self->edges, i, x, g);
    const int32_t *v = self->edges.elements.nodes + 2 * i;
    TacVec3 d = tac_sub(tac_load3(x + 3 * (size_t)v[1]), tac_load3(x + 3 * (size_t)v[0]));
    double length = tac_norm(d);
    g[1] = length > 0 ? tac_scale(d, 1 / length) : tac_vec3(0, 0, 0);
    g[0] = tac_scale(g[1], -1);
    return length;
}

// Change of s along a change of positions (or a velocity).
static double along(const Dampers *self, size_t i, const double *g, const double *v) {
    size_t n = corners_of(self);
    const int32_t *nodes = self->edges.elements.nodes + n * i;
    double sum = 0;
    for (size_t k = 0; k < 3 * n; k++) sum += g[k] * v[3 * (size_t)nodes[k / 3] + k % 3];
    return sum;
}

static void forces(const void *data, size_t batch, double *out) {
    const Call *c = data;
    Dampers *self = c->self;
    size_t n = corners_of(self);
    for (size_t lane = 0; lane < tac_elements_used(&self->edges.elements, batch); lane++) {
        size_t i = TAC_WIDTH * batch + lane;
        TacVec3 g[4];
        double s = look(self, i, c->vectors->x[0], g), *kept = self->gradients + 3 * n * i, rate;
        for (size_t k = 0; k < n; k++) tac_store3(kept + 3 * k, g[k]);
        if (self->past) {
            double change = self->angles ? tac_angle_between(s, self->past[i]) : s - self->past[i];
            rate = c->over * change;
            self->past[i] = s;
        } else {
            rate = along(self, i, kept, c->vectors->v[0]);
        }
        for (size_t k = 0; k < 3 * n; k++) out[3 * n * lane + k] = -self->factors[i] * rate * kept[k];
    }
}

static void changes(const void *data, size_t batch, double *out) {
    const Call *c = data;
    const Dampers *self = c->self;
    size_t n = corners_of(self);
    for (size_t lane = 0; lane < tac_elements_used(&self->edges.elements, batch); lane++) {
        size_t i = TAC_WIDTH * batch + lane;
        const double *g = self->gradients + 3 * n * i;
        double s = -c->scale * self->factors[i] * along(self, i, g, c->vectors->v[0]);
        for (size_t k = 0; k < 3 * n; k++) out[3 * n * lane + k] = s * g[k];
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Dampers *self = data;
    Call call = {.self = self, .vectors = vectors};
    if (self->past) {
        double since = context->time - *self->time;
        bool missed = *self->time < 0 || !(since > 0) || since > 1.5 * context->step;
        call.over = missed ? 0 : 1 / context->step;
        *self->time = context->time;
    }
    tac_elements_force(&self->edges.elements, context->team, forces, &call, vectors->f[0]);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)k;
    Call call = {.self = data, .vectors = vectors, .scale = b};
    tac_elements_force(&call.self->edges.elements, context->team, changes, &call, vectors->f[0]);
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)k;
    const Dampers *self = data;
    size_t n = corners_of(self);
    for (size_t i = 0; i < self->edges.elements.count; i++) {
        const double *g = self->gradients + 3 * n * i;
        const int32_t *v = self->edges.elements.nodes + n * i;
        for (size_t p = 0; p < n; p++)
            for (size_t q = 0; q < n; q++) {
                double block[9];
                for (size_t r = 0; r < 9; r++)
                    block[r] = -b * self->factors[i] * g[3 * p + r / 3] * g[3 * q + r % 3];
                tac_matrix_add(matrix, 0, (size_t)v[p], 0, (size_t)v[q], block);
            }
    }
}

// --- each damper by itself --------------------------------------------------------------------------------

static size_t part_count(const void *data) {
    return ((const Dampers *)data)->edges.elements.count;
}

static void part(const void *data, size_t i, TacPart *result) {
    const Dampers *self = data;
    size_t n = corners_of(self);
    *result = (TacPart){.count = n};
    for (size_t k = 0; k < n; k++) result->points[k] = (size_t)self->edges.elements.nodes[n * i + k];
    const double *rest = self->law.matter[0]->vectors[TAC_X_REST];
    result->damping = self->factors[i] * (self->angles ? tac_hinge_steepness(&self->edges, i, rest) : 2);
}

static TacStatus take_arrays(Dampers *self, TacSetup *setup, TacError *error) {
    size_t n = self->edges.elements.batch_count * TAC_WIDTH;
    self->factors = tac_setup_alloc(setup, n, sizeof *self->factors);
    self->gradients = tac_setup_alloc(setup, 12 * n, sizeof *self->gradients);
    if (!self->factors || !self->gradients) return tac_fail_memory(error, 13 * n * sizeof *self->factors);
    for (size_t i = 0; i < self->edges.elements.count; i++)
        self->factors[i] = self->angles ? 2 * self->damping * self->edges.weight[i] : self->damping;
    return TAC_OK;
}

static TacStatus take_edges(Dampers *self, TacSetup *setup, const int32_t *pairs, size_t count,
                            TacError *error) {
    TacElementsDef def = {.name = "edges",
                          .indices = pairs,
                          .count = count,
                          .corners = 2,
                          .size = 3,
                          .point_count = self->law.matter[0]->count};
    return tac_elements_make(&self->edges.elements, setup, &def, error);
}

static TacStatus subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count, void *clone,
                        TacError *error) {
    const Dampers *self = data;
    Dampers *some = clone;
    if (self->angles) {
        TAC_TRY(tac_hinges_some(&some->edges, &self->edges, setup, self->law.matter[0]->count, parts, count,
                                error));
    } else {
        int32_t *pairs = tac_setup_alloc(setup, 2 * count, sizeof *pairs);
        if (!pairs) return tac_fail_memory(error, 2 * count * sizeof *pairs);
        for (size_t i = 0; i < 2 * count; i++)
            pairs[i] = self->edges.elements.nodes[2 * parts[i / 2] + i % 2];
        TAC_TRY(take_edges(some, setup, pairs, count, error));
    }
    TAC_TRY(take_arrays(some, setup, error));
    some->past = tac_setup_alloc(setup, count, sizeof *some->past);
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
                              .subset = subset};

static TacStatus init_edges(void *data, TacSetup *setup, TacError *error) {
    Dampers *self = data;
    const TacMesh *mesh;
    TAC_TRY(tac_elements_mesh(&mesh, setup, self->law.matter[0], "edges", error));
    int32_t *edges = NULL;
    size_t count = 0;
    TAC_TRY(tac_mesh_all_edges(mesh, &edges, &count, error));
    TacStatus status = take_edges(self, setup, edges, count, error);
    free(edges);
    return status == TAC_OK ? take_arrays(self, setup, error) : status;
}

static TacStatus init_angles(void *data, TacSetup *setup, TacError *error) {
    Dampers *self = data;
    self->angles = true;
    TAC_TRY(tac_hinges_make(&self->edges, setup, self->law.matter[0], error));
    return take_arrays(self, setup, error);
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
