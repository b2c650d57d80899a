// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Springs: damped linear springs between points (or the origins of frames) of one matter or of two.
//
// With d = x_j - x_i, l = |d|, u = d / l, rest length L:  the pull on i is (k (l - L) + c u.(v_j - v_i)) u,
// on j the opposite. Its derivative by d is k u u^T + t (I - u u^T) with t = k (l - L) / l: the second term
// is what turning the spring does. t is negative in a compressed spring, and then conjugate gradients can
// fail; `stable` drops it there (Choi and Ko, "Stable but responsive cloth", 2002), and `turns` = false
// everywhere. What turning does to the damping force is left out: it depends on speed and place at once. (SOFA
// has it in t, and leaves out how the force grows with the speed; `damping_turns` does as it does.) `force`
// keeps u and t of every spring for force_change.
//
// 64 bytes per spring in three dimensions (ends 8, constants 24, kept 32); about 14 more and a buffer of 384
// KiB for several threads.

#include "law/springs.h"
#include "base/memory.h"
#include "base/team.h"
#include "law/laws.h"
#include "law/setup.h"

enum { GRAIN = 1024, RUN_GRAIN = 1024 };

typedef struct Springs {
    TacLaw law;
    TacInts given_pairs;
    TacReals given_stiffness, given_damping, given_lengths;
    bool pull_only, stable, turns, damping_turns;
    size_t count, dimension;
    const int32_t *pairs;                 // i in the first matter, j in the second
    double *stiffness, *damping, *length; // per spring
    double *direction;                    // u, `dimension` numbers per spring; zero where there is none
    double *turning;                      // t
    double *pulls;                        // on i, for each spring of a block; NULL when springs are few
    TacGather gather[2];                  // the second one only between two matters
} Springs;

// --- one spring -------------------------------------------------------------------------------------------

typedef struct Call {
    Springs *self;
    const TacLawVectors *vectors;
    double k, b;
    bool changes;                // force_change rather than force
    size_t x_size[2], v_size[2]; // numbers per point
    size_t block;                // of springs, and the side that is being gathered
    int side;
} Call;

// Functions of the dimension n are inlined with n known, so that their loops vanish.
#define INLINE static inline __attribute__((always_inline))

// d = x_j - x_i of vectors with `size` numbers per point; returns |d|.
INLINE double difference(const Springs *self, const double *const x[2], const size_t size[2], size_t s,
                         size_t n, double d[3]) {
    const double *a = x[0] + size[0] * (size_t)self->pairs[2 * s];
    const double *b = x[1] + size[1] * (size_t)self->pairs[2 * s + 1];
    double square = 0;
    for (size_t i = 0; i < n; i++) {
        d[i] = b[i] - a[i];
        square += d[i] * d[i];
    }
    return sqrt(square);
}

INLINE double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

INLINE bool is_slack(const Springs *self, size_t s, double length) {
    return self->pull_only && length < self->length[s];
}

INLINE void pull(const Call *c, size_t s, size_t n, double out[3]) {
    Springs *self = c->self;
    double d[3], dv[3], *u = self->direction + n * s;
    double stiffness = self->stiffness[s], rest = self->length[s];
    double length = difference(self, c->vectors->x, c->x_size, s, n, d);
    difference(self, c->vectors->v, c->v_size, s, n, dv);

    // a slack string and a spring without length have no direction; without a rest length, d itself is enough
    bool slack = is_slack(self, s, length);
    double over = slack || !(length > 0) ? 0 : 1 / length;
    for (size_t i = 0; i < n; i++) u[i] = over * d[i];
    double tension = stiffness * (length - rest), rate = self->damping[s] * dot(u, dv, n);
    double turned = tension + (self->damping_turns ? rate : 0);
    double turning = slack ? 0 : length > 0 ? turned * over : rest > 0 ? 0 : stiffness;
    // without a branch: which springs are compressed is hard to foresee
    double least = self->stable || !self->turns ? 0 : -INFINITY, most = self->turns ? INFINITY : 0;
    turning = turning > least ? turning : least;
    self->turning[s] = turning < most ? turning : most;

    tension += rate;
    // a string does not push, however fast its ends approach
    if (self->pull_only && tension < 0) tension = 0;
    for (size_t i = 0; i < n; i++) out[i] = tension * u[i];
}

INLINE void pull_change(const Call *c, size_t s, size_t n, double out[3]) {
    const Springs *self = c->self;
    double d[3];
    const double *u = self->direction + n * s;
    difference(self, c->vectors->v, c->v_size, s, n, d);
    double turning = c->k * self->turning[s];
    double along =
        (c->k * self->stiffness[s] - turning + (self->damping_turns ? 0 : c->b * self->damping[s])) *
        dot(u, d, n);
    for (size_t i = 0; i < n; i++) out[i] = along * u[i] + turning * d[i];
}

// --- all springs ------------------------------------------------------------------------------------------

INLINE void one(const Call *c, size_t s, size_t n, double out[3]) {
    if (c->changes)
        pull_change(c, s, n, out);
    else
        pull(c, s, n, out);
}

INLINE void add_range(const Call *c, size_t begin, size_t end, size_t n) {
    const int32_t *pairs = c->self->pairs;
    for (size_t s = begin; s < end; s++) {
        double p[3];
        one(c, s, n, p);
        double *a = c->vectors->f[0] + c->v_size[0] * (size_t)pairs[2 * s];
        double *b = c->vectors->f[1] + c->v_size[1] * (size_t)pairs[2 * s + 1];
        for (size_t i = 0; i < n; i++) a[i] += p[i];
        for (size_t i = 0; i < n; i++) b[i] -= p[i];
    }
}

// Springs begin to end of a block, into the buffer.
INLINE void store_range(const Call *c, size_t begin, size_t end, size_t n) {
    for (size_t i = begin; i < end; i++) one(c, TAC_LAW_BLOCK * c->block + i, n, c->self->pulls + n * i);
}

static void store_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    switch (c->self->dimension) {
    case 1: store_range(c, begin, end, 1); break;
    case 2: store_range(c, begin, end, 2); break;
    default: store_range(c, begin, end, 3);
    }
}

static void gather_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const Springs *self = c->self;
    const TacGather *gather = &self->gather[c->side];
    size_t n = self->dimension, size = c->v_size[c->side], first = gather->block_start[c->block];
    for (size_t r = first + begin; r < first + end; r++) {
        double *f = c->vectors->f[c->side] + size * gather->points[r];
        for (uint32_t k = gather->start[r]; k < gather->start[r + 1]; k++) {
            uint32_t slot = gather->slots[k];
            const double *pulled = self->pulls + n * (slot / 2);
            if (slot % 2)
                for (size_t i = 0; i < n; i++) f[i] -= pulled[i];
            else
                for (size_t i = 0; i < n; i++) f[i] += pulled[i];
        }
    }
}

static void on_team(Call *c, TacTeam *team) {
    const Springs *self = c->self;
    for (c->block = 0; TAC_LAW_BLOCK * c->block < self->count; c->block++) {
        size_t left = self->count - TAC_LAW_BLOCK * c->block;
        tac_team_run(team, left < TAC_LAW_BLOCK ? left : TAC_LAW_BLOCK, GRAIN, store_chunk, c);
        for (c->side = 0; c->side < 2 && self->gather[c->side].block_start; c->side++) {
            const uint32_t *runs = self->gather[c->side].block_start + c->block;
            tac_team_run(team, runs[1] - runs[0], RUN_GRAIN, gather_chunk, c);
        }
    }
}

static void on_all(Call *c, TacTeam *team) {
    const Springs *self = c->self;
    for (int side = 0; side < 2; side++) {
        c->x_size[side] = (size_t)self->law.matter[side]->position_size;
        c->v_size[side] = (size_t)self->law.matter[side]->velocity_size;
    }
    if (self->pulls && tac_team_size(team) > 1) {
        on_team(c, team);
        return;
    }
    switch (self->dimension) {
    case 1: add_range(c, 0, self->count, 1); break;
    case 2: add_range(c, 0, self->count, 2); break;
    default: add_range(c, 0, self->count, 3);
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Call call = {.self = data, .vectors = vectors};
    on_all(&call, context->team);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    Call call = {.self = data, .vectors = vectors, .k = k, .b = b, .changes = true};
    on_all(&call, context->team);
}

// The same as pull_change, as blocks: towards its other end, and with the opposite sign on the diagonal.
static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    const Springs *self = data;
    size_t n = self->dimension;
    int other = self->law.matter[0] == self->law.matter[1] ? 0 : 1;
    size_t size[2] = {(size_t)self->law.matter[0]->velocity_size, (size_t)self->law.matter[1]->velocity_size};
    for (size_t s = 0; s < self->count; s++) {
        const double *u = self->direction + n * s;
        double turning = k * self->turning[s];
        double along = k * self->stiffness[s] - turning + (self->damping_turns ? 0 : b * self->damping[s]);
        double on[2][36] = {{0}}, between[2][36] = {{0}};
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double value = along * u[i] * u[j] + (i == j ? turning : 0);
                for (int end = 0; end < 2; end++) {
                    on[end][size[end] * i + j] = -value;
                    between[end][size[1 - end] * i + j] = value;
                }
            }
        size_t i = (size_t)self->pairs[2 * s], j = (size_t)self->pairs[2 * s + 1];
        tac_matrix_add(matrix, 0, i, 0, i, on[0]);
        tac_matrix_add(matrix, other, j, other, j, on[1]);
        tac_matrix_add(matrix, 0, i, other, j, between[0]);
        tac_matrix_add(matrix, other, j, 0, i, between[1]);
    }
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const Springs *self = data;
    const size_t size[2] = {(size_t)self->law.matter[0]->position_size,
                            (size_t)self->law.matter[1]->position_size};
    double sum = 0, d[3];
    for (size_t s = 0; s < self->count; s++) {
        double length = difference(self, vectors->x, size, s, self->dimension, d);
        double longer = is_slack(self, s, length) ? 0 : length - self->length[s];
        sum += 0.5 * self->stiffness[s] * longer * longer;
    }
    return sum;
}

// --- setting up -------------------------------------------------------------------------------------------

// All edges of the topology, in memory of the world.
static TacStatus take_edges(Springs *self, TacSetup *setup, TacError *error) {
    const TacTopology *topology = tac_setup_topology(setup);
    size_t points = self->law.matter[0]->count;
    if (self->law.matter[0] != self->law.matter[1])
        return tac_setup_fail(setup, error, NULL,
                              "needs pairs: between two matters there are no edges to follow");
    if (!topology || topology->mesh.point_count != points)
        return tac_setup_fail(setup, error, NULL,
                              "needs pairs, or a topology with as many points as the matter has (%zu)",
                              points);
    int32_t *edges = NULL;
    TAC_TRY(tac_mesh_all_edges(&topology->mesh, &edges, &self->count, error));
    int32_t *pairs = tac_setup_alloc(setup, 2 * self->count, sizeof *pairs);
    if (pairs) memcpy(pairs, edges, 2 * self->count * sizeof *pairs);
    free(edges);
    self->pairs = pairs;
    if (!pairs) return tac_fail_memory(error, 2 * self->count * sizeof *pairs);
    if (!self->count) return tac_setup_fail(setup, error, NULL, "needs pairs: the topology has no edges");
    return TAC_OK;
}

static TacStatus take_pairs(Springs *self, TacSetup *setup, TacError *error) {
    if (!tac_setup_given(setup, "pairs")) return take_edges(self, setup, error);
    if (self->given_pairs.count % 2)
        return tac_setup_fail(setup, error, "pairs",
                              "pairs has %zu numbers; two for each spring were expected",
                              self->given_pairs.count);
    self->pairs = self->given_pairs.data;
    self->count = self->given_pairs.count / 2;
    for (size_t s = 0; s < 2 * self->count; s++) {
        size_t points = self->law.matter[s % 2]->count;
        if (self->pairs[s] < 0 || (size_t)self->pairs[s] >= points)
            return tac_setup_fail(setup, error, "pairs",
                                  "spring %zu ends at point %d; the matter has points 0 to %zu", s / 2,
                                  self->pairs[s], points - 1);
    }
    for (size_t s = 0; s < self->count && self->law.matter[0] == self->law.matter[1]; s++)
        if (self->pairs[2 * s] == self->pairs[2 * s + 1])
            return tac_setup_fail(setup, error, "pairs", "spring %zu begins and ends at point %d", s,
                                  self->pairs[2 * s]);
    return TAC_OK;
}

static TacStatus take_arrays(Springs *self, TacSetup *setup, TacError *error) {
    size_t n = self->count, numbers = n * self->dimension;
    bool many = n >= TAC_LAW_TEAM_LEAST;
    self->stiffness = tac_setup_alloc(setup, n, sizeof(double));
    self->damping = tac_setup_alloc(setup, n, sizeof(double));
    self->length = tac_setup_alloc(setup, n, sizeof(double));
    self->turning = tac_setup_alloc(setup, n, sizeof(double));
    self->direction = tac_setup_alloc(setup, numbers, sizeof(double));
    self->gather[0] = self->gather[1] = (TacGather){0};
    self->pulls = many ? tac_setup_alloc(setup, TAC_LAW_BLOCK * self->dimension, sizeof(double)) : NULL;
    if (!self->stiffness || !self->damping || !self->length || !self->turning || !self->direction ||
        (many && !self->pulls))
        return tac_fail_memory(error, (4 * n + numbers) * sizeof(double));
    if (!many) return TAC_OK;

    bool one_matter = self->law.matter[0] == self->law.matter[1];
    for (size_t side = 0; side < (one_matter ? 1 : 2); side++)
        TAC_TRY(tac_gather_build(&self->gather[side], setup, self->law.matter[side]->count, self->pairs, side,
                                 one_matter ? 1 : 2, 2 * n, 2 * TAC_LAW_BLOCK, error));
    return TAC_OK;
}

static TacStatus find_lengths(Springs *self, TacSetup *setup, TacError *error) {
    if (tac_setup_given(setup, "lengths"))
        return tac_law_one_or_each(setup, "lengths", self->given_lengths, self->count, self->length, error);
    const double *rest[2];
    size_t size[2];
    for (int side = 0; side < 2; side++) {
        rest[side] = self->law.matter[side]->vectors[TAC_X_REST];
        size[side] = (size_t)self->law.matter[side]->position_size;
    }
    double d[3];
    for (size_t s = 0; s < self->count; s++)
        self->length[s] = difference(self, rest, size, s, self->dimension, d);
    return TAC_OK;
}

TacStatus tac_springs_make(const TacLaw *owner, const TacSpringList *list, TacSetup *setup, TacLaw **springs,
                           TacError *error) {
    Springs *self = tac_setup_alloc(setup, 1, sizeof *self);
    if (!self) return tac_fail_memory(error, sizeof *self);
    self->law = *owner;
    self->law.base.cls = &tac_springs_class;
    self->law.matter[1] = owner->matter[0];
    self->dimension = tac_law_place_size(owner->matter[0]->kind);
    self->pairs = list->pairs;
    self->count = list->count;
    self->pull_only = list->pull_only;
    self->stable = list->stable;
    self->damping_turns = list->damping_turns;
    self->turns = true;
    TAC_TRY(take_arrays(self, setup, error));
    memcpy(self->stiffness, list->stiffness, list->count * sizeof(double));
    memcpy(self->damping, list->damping, list->count * sizeof(double));
    memcpy(self->length, list->lengths, list->count * sizeof(double));
    *springs = &self->law;
    return TAC_OK;
}

// --- each spring by itself --------------------------------------------------------------------------------

static size_t part_count(const void *data) {
    const Springs *self = data;
    return self->law.matter[0] == self->law.matter[1] ? self->count : 0;
}

static void part(const void *data, size_t s, TacPart *result) {
    const Springs *self = data;
    *result = (TacPart){.points = {(size_t)self->pairs[2 * s], (size_t)self->pairs[2 * s + 1]},
                        .count = 2,
                        .stiffness = 2 * self->stiffness[s],
                        .damping = 2 * self->damping[s]};
}

static TacStatus subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count, void *clone,
                        TacError *error) {
    const Springs *self = data;
    Springs *some = clone;
    int32_t *pairs = tac_setup_alloc(setup, 2 * count, sizeof *pairs);
    if (!pairs) return tac_fail_memory(error, 2 * count * sizeof *pairs);
    for (size_t i = 0; i < 2 * count; i++) pairs[i] = self->pairs[2 * parts[i / 2] + i % 2];
    some->pairs = pairs;
    some->count = count;
    TAC_TRY(take_arrays(some, setup, error));
    for (size_t i = 0; i < count; i++) {
        some->stiffness[i] = self->stiffness[parts[i]];
        some->damping[i] = self->damping[parts[i]];
        some->length[i] = self->length[parts[i]];
    }
    return TAC_OK;
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .energy = energy,
                              .stiffness = add_blocks,
                              .part_count = part_count,
                              .part = part,
                              .subset = subset};

TacStatus tac_springs_subset(const TacLaw *springs, TacSetup *setup, const uint32_t *parts, size_t count,
                             TacLaw **some, TacError *error) {
    Springs *made = tac_setup_alloc(setup, 1, sizeof *made);
    if (!made) return tac_fail_memory(error, sizeof *made);
    *made = *(const Springs *)springs;
    *some = &made->law;
    return subset(springs, setup, parts, count, made, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Springs *self = data;
    TacMatter **matter = self->law.matter;
    if (!matter[1]) matter[1] = matter[0];
    self->dimension = tac_law_place_size(matter[0]->kind);
    if (tac_law_place_size(matter[1]->kind) != self->dimension)
        return tac_setup_fail(setup, error, "other", "springs cannot join %s and %s",
                              tac_matter_kind_name(matter[0]->kind), tac_matter_kind_name(matter[1]->kind));
    TAC_TRY(take_pairs(self, setup, error));
    TAC_TRY(take_arrays(self, setup, error));
    TAC_TRY(
        tac_law_one_or_each(setup, "stiffness", self->given_stiffness, self->count, self->stiffness, error));
    TAC_TRY(tac_law_one_or_each(setup, "damping", self->given_damping, self->count, self->damping, error));
    return find_lengths(self, setup, error);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(Springs, law),
    TAC_SECOND_MATTER_ATTRIBUTE(Springs, law),
    {"pairs", TAC_INTS, offsetof(Springs, given_pairs), "1", "",
     "The two ends of each spring: a point of the matter, then one of the other; by default every edge of "
     "every "
     "element of the nearest topology.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"stiffness", TAC_REALS, offsetof(Springs, given_stiffness), "N/m", NULL,
     "One for all springs, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"damping", TAC_REALS, offsetof(Springs, given_damping), "N s/m", "0",
     "Against changes of length: one for all springs, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"lengths", TAC_REALS, offsetof(Springs, given_lengths), "m", "",
     "At rest: one for all springs, or one each; by default as the matter is at rest.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"pull_only", TAC_BOOL, offsetof(Springs, pull_only), "", "false",
     "Strings: they pull when longer than at rest, and are slack otherwise.", NULL, TAC_ANY, 0},
    {"stable", TAC_BOOL, offsetof(Springs, stable), "", "true",
     "Leaves out of the stiffness what makes a compressed spring buckle, so that implicit solvers always "
     "work; "
     "false gives the exact derivative of the elastic force.",
     NULL, TAC_ANY, 0},
    {"damping_turns", TAC_BOOL, offsetof(Springs, damping_turns), "", "false",
     "What implicit solvers see of the damping: that its force turns with the spring, as SOFA has it, "
     "instead of "
     "that it grows with the speed.",
     NULL, TAC_ANY, 0},
    {"turns", TAC_BOOL, offsetof(Springs, turns), "", "true",
     "Whether implicit solvers see that a pull turns with its spring; false leaves that out of the "
     "stiffness.",
     NULL, TAC_ANY, 0},
};

const TacClass tac_springs_class = {
    .name = "Springs",
    .kind = TAC_KIND_LAW,
    .doc = "Linear springs with damping along them, between points or the origins of frames, of one matter "
           "or of "
           "two. F = k (l - L) + c dl/dt.",
    .size = sizeof(Springs),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.law = &ops,
};
