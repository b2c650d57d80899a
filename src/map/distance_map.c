// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// DistanceMap: lengths of lines between points, as matter with one number per line (the slides' "line
// mapping"; SOFA's DistanceMapping and SquareDistanceMapping). A law on that matter is a law on lengths.
//
//     c = |d| - L, d = x_j - x_i       v_c = u.(v_j - v_i), u = d / |d|       f_j += u f, f_i -= u f
//
// Turning a line turns the force along it: df_j = f / |d| (I - u u^T) (dx_j - dx_i). That makes systems
// indefinite where the line is pushed apart (f > 0), so it is left out there unless asked for. With `squared`,
// c = |d|^2, the factor of J is 2 d, and that of turning 2 f. A line without length points, as in SOFA, along
// the diagonal of space and does not turn.

#include "base/memory.h"
#include "law/setup.h"
#include "map/maps.h"
#include "map/setup.h"

typedef enum Geometric { STABLE, EXACT, NONE } Geometric;

typedef struct DistanceMap {
    TacMap map;
    TacInts given_pairs;
    TacReals given_lengths;
    int geometric; // Geometric
    bool squared;

    size_t dimension;     // numbers of a place
    size_t px, pv;        // numbers per parent
    const int32_t *pairs; // two per line
    double *lengths;      // at which the child's number is 0
    TacOwned of_point;    // ends of lines by parent: 2 l + end
} DistanceMap;

typedef struct Call {
    const DistanceMap *self;
    const double *px, *in, *turn;
    double *out, k;
} Call;

// u, or d where lengths are squared times 2: what the child's velocity is the product with. Returns 1 / |d|, 0
// for a line without length.
static double direction(const DistanceMap *self, const double *px, size_t line, double u[3]) {
    const double *a = px + self->px * (size_t)self->pairs[2 * line];
    const double *b = px + self->px * (size_t)self->pairs[2 * line + 1];
    double square = 0;
    for (size_t k = 0; k < self->dimension; k++) {
        u[k] = b[k] - a[k];
        square += u[k] * u[k];
    }
    double length = sqrt(square);
    if (self->squared) {
        for (size_t k = 0; k < self->dimension; k++) u[k] *= 2;
        return 0;
    }
    if (!(length > 2.220446049250313e-16)) {
        for (size_t k = 0; k < self->dimension; k++) u[k] = 1 / sqrt((double)self->dimension);
        return 0;
    }
    for (size_t k = 0; k < self->dimension; k++) u[k] /= length;
    return 1 / length;
}

static void position_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const DistanceMap *self = c->self;
    for (size_t l = begin; l < end; l++) {
        const double *a = c->px + self->px * (size_t)self->pairs[2 * l];
        const double *b = c->px + self->px * (size_t)self->pairs[2 * l + 1];
        double square = 0;
        for (size_t k = 0; k < self->dimension; k++) square += (b[k] - a[k]) * (b[k] - a[k]);
        c->out[l] = (self->squared ? square : sqrt(square)) - self->lengths[l];
    }
}

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    const DistanceMap *self = data;
    Call call = {.self = self, .px = parent, .out = child};
    tac_team_run(context->team, self->map.child->count, TAC_MAP_GRAIN, position_chunk, &call);
}

static void velocity_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const DistanceMap *self = c->self;
    for (size_t l = begin; l < end; l++) {
        double u[3], sum = 0;
        direction(self, c->px, l, u);
        const double *a = c->in + self->pv * (size_t)self->pairs[2 * l];
        const double *b = c->in + self->pv * (size_t)self->pairs[2 * l + 1];
        for (size_t k = 0; k < self->dimension; k++) sum += u[k] * (b[k] - a[k]);
        c->out[l] = sum;
    }
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v) {
    (void)cx;
    const DistanceMap *self = data;
    Call call = {.self = self, .px = px, .in = parent_v, .out = child_v};
    tac_team_run(context->team, self->map.child->count, TAC_MAP_GRAIN, velocity_chunk, &call);
}

// --- up ---------------------------------------------------------------------------------------------------

// How strongly turning the line counts: f / |d|, or 2 f; 0 where it is left out.
static double turning_of(const DistanceMap *self, double f, double inverse) {
    if (self->geometric == NONE || (self->geometric == STABLE && f > 0)) return 0;
    return self->squared ? 2 * f : f * inverse;
}

// What line l does to its second end.
static void pull(const Call *c, size_t l, double out[3]) {
    const DistanceMap *self = c->self;
    double u[3], inverse = direction(self, c->px, l, u), f = c->in[l];
    if (!c->turn) {
        for (size_t k = 0; k < self->dimension; k++) out[k] = f * u[k];
        return;
    }
    const double *a = c->turn + self->pv * (size_t)self->pairs[2 * l];
    const double *b = c->turn + self->pv * (size_t)self->pairs[2 * l + 1];
    double s = c->k * turning_of(self, f, inverse), along = 0;
    for (size_t k = 0; k < self->dimension && !self->squared; k++) along += u[k] * (b[k] - a[k]);
    for (size_t k = 0; k < self->dimension; k++) out[k] = s * (b[k] - a[k] - along * u[k]);
}

static void gather_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const DistanceMap *self = c->self;
    for (size_t p = begin; p < end; p++)
        for (uint32_t i = self->of_point.start[p]; i < self->of_point.start[p + 1]; i++) {
            double f[3], sign = self->of_point.items[i] % 2 ? 1 : -1;
            pull(c, self->of_point.items[i] / 2, f);
            for (size_t k = 0; k < self->dimension; k++) c->out[self->pv * p + k] += sign * f[k];
        }
}

static void force(void *data, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f) {
    (void)cx;
    const DistanceMap *self = data;
    Call call = {.self = self, .px = px, .in = child_f, .out = parent_f};
    tac_team_run(context->team, self->map.parent->count, TAC_MAP_GRAIN, gather_chunk, &call);
}

static void force_change(void *data, const TacContext *context, const double *px, const double *cx,
                         const double *child_f, const double *parent_dx, double *parent_df, double k) {
    (void)cx;
    const DistanceMap *self = data;
    if (self->geometric == NONE) return;
    Call call = {.self = self, .px = px, .in = child_f, .turn = parent_dx, .out = parent_df, .k = k};
    tac_team_run(context->team, self->map.parent->count, TAC_MAP_GRAIN, gather_chunk, &call);
}

// --- as matrices ------------------------------------------------------------------------------------------

static bool jacobian(void *data, const double *px, const double *cx, size_t point, size_t k, size_t *parent,
                     double *block) {
    (void)cx;
    const DistanceMap *self = data;
    if (k > 1) return false;
    double u[3];
    direction(self, px, point, u);
    *parent = (size_t)self->pairs[2 * point + k];
    for (size_t i = 0; i < self->pv; i++) block[i] = i < self->dimension ? (k ? u[i] : -u[i]) : 0;
    return true;
}

static void stiffness(void *data, const TacContext *context, const double *px, const double *cx,
                      const double *child_f, double k, TacMatrix *matrix) {
    (void)context;
    (void)cx;
    const DistanceMap *self = data;
    if (self->geometric == NONE) return;
    for (size_t l = 0; l < self->map.child->count; l++) {
        double u[3], on[36] = {0}, between[36] = {0};
        double inverse = direction(self, px, l, u), s = k * turning_of(self, child_f[l], inverse);
        for (size_t i = 0; i < self->dimension; i++)
            for (size_t j = 0; j < self->dimension; j++) {
                double value = s * ((i == j ? 1 : 0) - (self->squared ? 0 : u[i] * u[j]));
                on[self->pv * i + j] = value;
                between[self->pv * i + j] = -value;
            }
        size_t a = (size_t)self->pairs[2 * l], b = (size_t)self->pairs[2 * l + 1];
        tac_matrix_add(matrix, 0, a, 0, a, on);
        tac_matrix_add(matrix, 0, b, 0, b, on);
        tac_matrix_add(matrix, 0, a, 0, b, between);
        tac_matrix_add(matrix, 0, b, 0, a, between);
    }
}

static const TacMapOps ops = {.position = position,
                              .velocity = velocity,
                              .force = force,
                              .force_change = force_change,
                              .jacobian = jacobian,
                              .stiffness = stiffness};

// --- setting up -------------------------------------------------------------------------------------------

// The parent's edges: those that its topology lists, or else every edge of every element.
static TacStatus take_edges(DistanceMap *self, TacSetup *setup, size_t *count, TacError *error) {
    const TacMatter *parent = self->map.parent;
    const TacTopology *topology = tac_setup_topology_of(setup, parent);
    if (!topology || topology->mesh.point_count != parent->count)
        return tac_setup_fail(setup, error, NULL,
                              "needs pairs, or a topology beside %s with as many points as it has (%zu)",
                              parent->base.path, parent->count);
    int32_t *edges = NULL;
    const int32_t *listed = topology->mesh.elements[TAC_EDGES].indices;
    *count = topology->mesh.elements[TAC_EDGES].count;
    if (!*count) {
        TAC_TRY(tac_mesh_all_edges(&topology->mesh, &edges, count, error));
        listed = edges;
    }
    int32_t *pairs = tac_setup_alloc(setup, 2 * *count, sizeof *pairs);
    if (pairs && *count) memcpy(pairs, listed, 2 * *count * sizeof *pairs);
    free(edges);
    self->pairs = pairs;
    return pairs ? TAC_OK : tac_fail_memory(error, 2 * *count * sizeof *pairs);
}

static TacStatus take_pairs(DistanceMap *self, TacSetup *setup, TacError *error) {
    const TacMatter *child = self->map.child;
    size_t count = self->given_pairs.count / 2;
    if (self->given_pairs.count % 2)
        return tac_setup_fail(setup, error, "pairs", "pairs has %zu numbers; two for each line were expected",
                              self->given_pairs.count);
    TAC_TRY(tac_map_check_points(setup, "pairs", self->given_pairs, self->map.parent, error));
    self->pairs = self->given_pairs.data;
    if (!tac_setup_given(setup, "pairs")) TAC_TRY(take_edges(self, setup, &count, error));
    if (count != child->count)
        return tac_setup_fail(setup, error, NULL, "there are %zu lines, but %s has %zu points, one for each",
                              count, child->base.path, child->count);
    return TAC_OK;
}

static TacStatus take_lengths(DistanceMap *self, TacSetup *setup, TacError *error) {
    size_t n = self->map.child->count;
    self->lengths = tac_setup_alloc(setup, n, sizeof(double));
    if (!self->lengths) return tac_fail_memory(error, n * sizeof(double));
    if (!self->given_lengths.count) return TAC_OK;
    if (self->squared) return tac_setup_fail(setup, error, "lengths", "squared lengths are counted from 0");
    return tac_law_one_or_each(setup, "lengths", self->given_lengths, n, self->lengths, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    DistanceMap *self = data;
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    if (child->kind != TAC_VEC1)
        return tac_setup_fail(setup, error, NULL,
                              "%s is %s; points of dimension 1 were expected, one for each "
                              "line",
                              child->base.path, tac_matter_kind_name(child->kind));
    self->dimension = tac_law_place_size(parent->kind);
    self->px = (size_t)parent->position_size;
    self->pv = (size_t)parent->velocity_size;
    TAC_TRY(take_pairs(self, setup, error));
    TAC_TRY(take_lengths(self, setup, error));
    TAC_TRY(tac_owned_build(&self->of_point, setup, parent->count, self->pairs, 2 * child->count, error));
    tac_map_place_child(&self->map);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MAP_ATTRIBUTES(DistanceMap, map),
    {"pairs", TAC_INTS, offsetof(DistanceMap, given_pairs), "1", "",
     "The two ends of each line, points of the parent; by default the edges of its topology.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"lengths", TAC_REALS, offsetof(DistanceMap, given_lengths), "m", "",
     "Lengths at which the child's numbers are 0: one for all or one each; by default numbers are the "
     "lengths "
     "themselves.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"squared", TAC_BOOL, offsetof(DistanceMap, squared), "", "false",
     "Whether the child's numbers are squares of lengths, in m^2.", NULL, TAC_ANY, 0},
    {"geometric", TAC_CHOICE, offsetof(DistanceMap, geometric), "", "stable",
     "What implicit solvers see of how turning a line turns the force along it: where it is pulled together, "
     "everywhere, or nowhere.",
     "stable|exact|none", TAC_ANY, 0},
};

const TacClass tac_distance_map_class = {
    .name = "DistanceMap",
    .kind = TAC_KIND_MAP,
    .doc = "The lengths of lines between points, one number each: laws on lengths become laws on points.",
    .size = sizeof(DistanceMap),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.map = &ops,
};
