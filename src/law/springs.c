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
// keeps 1 / l and t of every spring for force_change, which finds u again from the same places.
//
// 48 bytes per spring (ends 8, constants 24, kept 16); about 14 more and a buffer of 384 KiB for several threads, or
// 14 where they go in lanes.
//
// Explicit solvers never ask for force_change, so 1 / l and t are kept only from the first time that somebody does. In
// strings and nets most springs stand in *runs*: the next one joins the next two points. A run is computed many
// springs at a time: all that its second ends receive, then all that its first ends do. That is each point's own
// order of additions as well, because in a run the second end is the later point, so not a bit depends on it. Edges
// of a topology are sorted for long runs. Other springs between points of one matter in space go in lanes
// (springs_wide.h), and are dealt out for that.

#include "law/springs.h"
#include "base/memory.h"
#include "base/team.h"
#include "law/laws.h"
#include "law/springs_order.h"

enum { GRAIN = 1024, RUN_GRAIN = 1024, BLOCK = 32, PART = 8 };

// --- one spring -------------------------------------------------------------------------------------------

typedef struct Call {
    TacSprings *self;
    const TacLawVectors *vectors;
    double k, b;
    bool changes;                // force_change rather than force
    size_t x_size[2], v_size[2]; // numbers per point
    size_t block;                // of springs, and the side that is being gathered
    int side;
} Call;

static void set_sizes(Call *c) {
    for (int side = 0; side < 2; side++) {
        c->x_size[side] = (size_t)c->self->law.matter[side]->position_size;
        c->v_size[side] = (size_t)c->self->law.matter[side]->velocity_size;
    }
}

// Functions of the dimension n are inlined with n known, so that their loops vanish.
#define INLINE static inline __attribute__((always_inline))

// d = x_j - x_i of vectors with `size` numbers per point; returns |d|.
INLINE double difference(const TacSprings *self, const double *const x[2], const size_t size[2], size_t s,
                         size_t n, double d[3]) {
    const double *a = x[0] + size[0] * (size_t)self->pairs[2 * s];
    const double *b = x[1] + size[1] * (size_t)self->pairs[2 * s + 1];
    double square = 0;
    for (size_t i = 0; i < n; i++) {
        d[i] = b[i] - a[i];
        square += d[i] * d[i];
    }
    return n == 1 ? fabs(d[0]) : sqrt(square);
}

INLINE double sign_of(double d) {
    return d > 0 ? 1.0 : d < 0 ? -1.0 : 0.0;
}

// u, from 1 / l or 0. Along a line it is a sign.
INLINE void direct(const double d[3], double over, size_t n, double u[3]) {
    for (size_t i = 0; i < n; i++) u[i] = over * d[i];
    if (n == 1) u[0] = over > 0 ? sign_of(d[0]) : 0;
}

INLINE double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

INLINE bool is_slack(const TacSprings *self, size_t s, double length) {
    return self->pull_only && length < self->length[s];
}

INLINE void pull(const Call *c, size_t s, size_t n, double out[3]) {
    TacSprings *self = c->self;
    double d[3], dv[3], u[3];
    double stiffness = tac_spring_stiffness(self, s), rest = self->length[s];
    double length = difference(self, c->vectors->x, c->x_size, s, n, d);
    difference(self, c->vectors->v, c->v_size, s, n, dv);

    // a slack string and a spring without length have no direction; without a rest length, d itself is enough
    bool slack = is_slack(self, s, length);
    double over = slack || !(length > 0) ? 0 : 1 / length;
    direct(d, over, n, u);
    double tension = stiffness * (length - rest), rate = tac_spring_damping(self, s) * dot(u, dv, n);
    double turned = tension + (self->damping_turns ? rate : 0);
    double turning = slack ? 0 : length > 0 ? turned * over : rest > 0 ? 0 : stiffness;
    // without a branch: which springs are compressed is hard to foresee
    double least = self->stable || !self->turns ? 0 : -INFINITY, most = self->turns ? INFINITY : 0;
    turning = turning > least ? turning : least;
    self->turning[s] = turning < most ? turning : most;
    self->over[s] = over;

    tension += rate;
    // a string does not push, however fast its ends approach
    if (self->pull_only && tension < 0) tension = 0;
    for (size_t i = 0; i < n; i++) out[i] = tension * u[i];
}

INLINE void pull_change(const Call *c, size_t s, size_t n, double out[3]) {
    const TacSprings *self = c->self;
    double d[3], u[3];
    difference(self, c->vectors->x, c->x_size, s, n, d);
    direct(d, self->over[s], n, u);
    difference(self, c->vectors->v, c->v_size, s, n, d);
    double turning = c->k * self->turning[s];
    double along = (c->k * tac_spring_stiffness(self, s) - turning +
                    (self->damping_turns ? 0 : c->b * tac_spring_damping(self, s))) *
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
    const TacSprings *self = c->self;
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
    const TacSprings *self = c->self;
    for (c->block = 0; TAC_LAW_BLOCK * c->block < self->count; c->block++) {
        size_t left = self->count - TAC_LAW_BLOCK * c->block;
        tac_team_run(team, left < TAC_LAW_BLOCK ? left : TAC_LAW_BLOCK, GRAIN, store_chunk, c);
        for (c->side = 0; c->side < 2 && self->gather[c->side].block_start; c->side++) {
            const uint32_t *runs = self->gather[c->side].block_start + c->block;
            tac_team_run(team, runs[1] - runs[0], RUN_GRAIN, gather_chunk, c);
        }
    }
}

// --- runs -------------------------------------------------------------------------------------------------

// m springs in a row, axis by axis: differences of places and velocities, then pulls on the first ends.
typedef struct Row {
    double d[TAC_SPRING_NUMBERS][BLOCK], e[TAC_SPRING_NUMBERS][BLOCK], p[TAC_SPRING_NUMBERS][BLOCK];
} Row;

INLINE void take_row(Row *row, const double *const x[2], const double *const v[2], size_t a, size_t b,
                     size_t m, size_t n) {
    const double *xa = x[0] + a, *xb = x[1] + b, *va = v[0] + a, *vb = v[1] + b;
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < n; i++) row->d[i][k] = xb[n * k + i] - xa[n * k + i];
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < n; i++) row->e[i][k] = vb[n * k + i] - va[n * k + i];
}

// The same operations in the same order as in `pull`; constants are the first one's where all are alike.
INLINE void pull_row(const TacSprings *self, Row *row, size_t s, size_t m, size_t n, bool alike) {
    const double *stiffness = self->stiffness + (alike ? 0 : s), *damping = self->damping + (alike ? 0 : s);
    const double *rest = self->length + (alike ? 0 : s);
    for (size_t k = 0; k < m; k++) {
        size_t c = alike ? 0 : k;
        double square = 0, along = 0, u[TAC_SPRING_NUMBERS];
        for (size_t i = 0; i < n; i++) square += row->d[i][k] * row->d[i][k];
        double length = n == 1 ? fabs(row->d[0][k]) : sqrt(square);
        double over = n == 1 ? 0 : 1 / length;
        over = length > 0 ? over : 0;
        for (size_t i = 0; i < n; i++) u[i] = n == 1 ? sign_of(row->d[0][k]) : over * row->d[i][k];
        for (size_t i = 0; i < n; i++) along += u[i] * row->e[i][k];
        double tension = stiffness[c] * (length - rest[c]) + damping[c] * along;
        for (size_t i = 0; i < n; i++) row->p[i][k] = tension * u[i];
    }
}

INLINE void add_row(const Call *c, size_t s, size_t m, size_t n) {
    const TacSprings *self = c->self;
    const TacLawVectors *v = c->vectors;
    size_t a = n * (size_t)self->pairs[2 * s], b = n * (size_t)self->pairs[2 * s + 1];
    Row row;
    take_row(&row, v->x, v->v, a, b, m, n);
    if (self->alike)
        pull_row(self, &row, s, m, n, true);
    else
        pull_row(self, &row, s, m, n, false);
    double *second = v->f[1] + b, *first = v->f[0] + a;
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < n; i++) second[n * k + i] -= row.p[i][k];
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < n; i++) first[n * k + i] += row.p[i][k];
}

// Lengths that are known when compiling are quickest.
INLINE void add_runs(const Call *c, size_t n) {
    const TacSprings *self = c->self;
    for (size_t r = 0; r < self->run_count; r++) {
        size_t s = self->runs[r].first, end = s + self->runs[r].count;
        for (; s + BLOCK <= end; s += BLOCK) add_row(c, s, BLOCK, n);
        for (; s + PART <= end; s += PART) add_row(c, s, PART, n);
        if (s < end) add_row(c, s, end - s, n);
    }
}

static void on_runs(const Call *c) {
    switch (c->self->dimension) {
    case 1: add_runs(c, 1); break;
    case 2: add_runs(c, 2); break;
    default: add_runs(c, 3);
    }
}

// --- all together -----------------------------------------------------------------------------------------

static void on_all(Call *c, TacTeam *team) {
    const TacSprings *self = c->self;
    const TacLawVectors *vectors = c->vectors;
    if (self->lanes) {
        if (c->changes)
            tac_spring_lanes_change(self->lanes, team, c->k, c->b, vectors->x[0], vectors->v[0],
                                    vectors->f[0]);
        else
            tac_spring_lanes_force(self->lanes, team, vectors->x[0], vectors->v[0], vectors->f[0]);
        return;
    }
    set_sizes(c);
    if (self->pulls && tac_team_size(team) > 1) {
        on_team(c, team);
        return;
    }
    if (self->runs && !self->keeps && !c->changes) {
        on_runs(c);
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

// From now on `force` keeps what changes of force are made of. The first time it has not, and is asked again.
static void keep(TacSprings *self, const TacContext *context, const TacLawVectors *vectors) {
    if (self->keeps) return;
    self->keeps = true;
    if (self->lanes) self->lanes->keeps = true;
    if ((!self->runs && !self->lanes) || (self->pulls && tac_team_size(context->team) > 1)) return;
    TacLawVectors again = *vectors;
    again.v[0] = vectors->x[0]; // of velocities nothing is kept
    again.v[1] = vectors->x[1];
    for (size_t s = 0; s < self->count; s++) {
        Call call = {.self = self, .vectors = &again};
        double unused[3];
        set_sizes(&call);
        call.v_size[0] = call.x_size[0];
        call.v_size[1] = call.x_size[1];
        pull(&call, s, self->dimension, unused);
    }
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    keep(data, context, vectors);
    Call call = {.self = data, .vectors = vectors, .k = k, .b = b, .changes = true};
    on_all(&call, context->team);
}

// The same as pull_change, as blocks: towards its other end, and with the opposite sign on the diagonal.
static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    keep(data, context, vectors);
    const TacSprings *self = data;
    size_t n = self->dimension;
    int other = self->law.matter[0] == self->law.matter[1] ? 0 : 1;
    size_t size[2] = {(size_t)self->law.matter[0]->velocity_size, (size_t)self->law.matter[1]->velocity_size};
    Call call = {.self = data};
    set_sizes(&call);
    for (size_t s = 0; s < self->count; s++) {
        double d[3] = {0}, u[3] = {0}, turning = k * self->turning[s];
        difference(self, vectors->x, call.x_size, s, n, d);
        direct(d, self->over[s], n, u);
        double along = k * tac_spring_stiffness(self, s) - turning +
                       (self->damping_turns ? 0 : b * tac_spring_damping(self, s));
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
    const TacSprings *self = data;
    const size_t size[2] = {(size_t)self->law.matter[0]->position_size,
                            (size_t)self->law.matter[1]->position_size};
    double sum = 0, d[3];
    for (size_t s = 0; s < self->count; s++) {
        double length = difference(self, vectors->x, size, s, self->dimension, d);
        double longer = is_slack(self, s, length) ? 0 : length - self->length[s];
        sum += 0.5 * tac_spring_stiffness(self, s) * longer * longer;
    }
    return sum;
}

static void add_steepest(void *data, const TacSteepness *sums) {
    const TacSprings *self = data;
    for (size_t s = 0; s < self->count; s++)
        for (int side = 0; side < 2; side++) {
            size_t i = (size_t)self->pairs[2 * s + (size_t)side],
                   j = (size_t)self->pairs[2 * s + 1 - (size_t)side];
            double weight = sums->moves[1 - side][j] ? 2 : 1;
            sums->k[side][i] += weight * tac_spring_stiffness(self, s);
            sums->z[side][i] += weight * tac_spring_damping(self, s);
        }
}

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus find_lengths(TacSprings *self, TacSetup *setup, TacError *error) {
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
    TacSprings *self = tac_setup_alloc(setup, 1, sizeof *self);
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
    TAC_TRY(tac_springs_take_arrays(self, setup, error));
    memcpy(self->stiffness, list->stiffness, list->count * sizeof(double));
    memcpy(self->damping, list->damping, list->count * sizeof(double));
    memcpy(self->length, list->lengths, list->count * sizeof(double));
    *springs = &self->law;
    return tac_springs_sort_out(self, true, setup, error);
}

// --- each spring by itself --------------------------------------------------------------------------------

static size_t part_count(const void *data) {
    const TacSprings *self = data;
    return self->law.matter[0] == self->law.matter[1] ? self->count : 0;
}

static void part(const void *data, size_t s, TacPart *result) {
    const TacSprings *self = data;
    *result = (TacPart){.points = {(size_t)self->pairs[2 * s], (size_t)self->pairs[2 * s + 1]},
                        .count = 2,
                        .stiffness = 2 * tac_spring_stiffness(self, s),
                        .damping = 2 * tac_spring_damping(self, s)};
}

static TacStatus subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count, void *clone,
                        TacError *error) {
    const TacSprings *self = data;
    TacSprings *some = clone;
    int32_t *pairs = tac_setup_alloc(setup, 2 * count, sizeof *pairs);
    if (!pairs) return tac_fail_memory(error, 2 * count * sizeof *pairs);
    for (size_t i = 0; i < 2 * count; i++) pairs[i] = self->pairs[2 * parts[i / 2] + i % 2];
    some->pairs = pairs;
    some->count = count;
    some->from = NULL;
    TAC_TRY(tac_springs_take_arrays(some, setup, error));
    size_t lanes = TAC_WIDTH < count ? TAC_WIDTH : count;
    for (size_t i = 0; i < (some->stiffness_mask ? count : lanes); i++)
        some->stiffness[i] = tac_spring_stiffness(self, parts[i]);
    for (size_t i = 0; i < (some->damping_mask ? count : lanes); i++)
        some->damping[i] = tac_spring_damping(self, parts[i]);
    for (size_t i = 0; i < count; i++) some->length[i] = self->length[parts[i]];
    return tac_springs_sort_out(some, true, setup, error);
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .energy = energy,
                              .stiffness = add_blocks,
                              .steepest = add_steepest,
                              .part_count = part_count,
                              .part = part,
                              .subset = subset};

TacStatus tac_springs_subset(const TacLaw *springs, TacSetup *setup, const uint32_t *parts, size_t count,
                             TacLaw **some, TacError *error) {
    TacSprings *made = tac_setup_alloc(setup, 1, sizeof *made);
    if (!made) return tac_fail_memory(error, sizeof *made);
    *made = *(const TacSprings *)springs;
    *some = &made->law;
    return subset(springs, setup, parts, count, made, error);
}

// Edges of the topology become the world's, unless they were dealt out.
static TacStatus keep_edges(TacSprings *self, TacSetup *setup, const int32_t *edges, TacError *error) {
    if (self->pairs != edges) return TAC_OK;
    if (!self->count) {
        self->pairs = NULL;
        return TAC_OK;
    }
    int32_t *pairs = tac_setup_alloc(setup, 2 * self->count, sizeof *pairs);
    if (!pairs) return tac_fail_memory(error, 2 * self->count * sizeof *pairs);
    memcpy(pairs, edges, 2 * self->count * sizeof *pairs);
    self->pairs = pairs;
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacSprings *self = data;
    TacMatter **matter = self->law.matter;
    if (!matter[1]) matter[1] = matter[0];
    self->law.inner = true;
    self->dimension = tac_law_place_size(matter[0]->kind);
    if (tac_law_place_size(matter[1]->kind) != self->dimension)
        return tac_setup_fail(setup, error, "other", "springs cannot join %s and %s",
                              tac_matter_kind_name(matter[0]->kind), tac_matter_kind_name(matter[1]->kind));
    int32_t *edges = NULL;
    TacStatus status = tac_springs_take_pairs(self, setup, &edges, error);
    if (status == TAC_OK) status = tac_springs_take_arrays(self, setup, error);
    if (status == TAC_OK) status = keep_edges(self, setup, edges, error);
    free(edges);
    TAC_TRY(status);
    TAC_TRY(tac_law_one_or_each(setup, "stiffness", self->given_stiffness,
                                self->stiffness_mask ? self->count : TAC_WIDTH, self->stiffness, error));
    TAC_TRY(tac_law_one_or_each(setup, "damping", self->given_damping,
                                self->damping_mask ? self->count : TAC_WIDTH, self->damping, error));
    TAC_TRY(find_lengths(self, setup, error));
    return tac_springs_sort_out(self, tac_setup_given(setup, "lengths"), setup, error);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(TacSprings, law),
    TAC_SECOND_MATTER_ATTRIBUTE(TacSprings, law),
    {"pairs", TAC_INTS, offsetof(TacSprings, given_pairs), "1", "",
     "The two ends of each spring: a point of the matter, then one of the other; by default every edge of "
     "every element of the nearest topology.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"stiffness", TAC_REALS, offsetof(TacSprings, given_stiffness), "N/m", NULL,
     "One for all springs, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"damping", TAC_REALS, offsetof(TacSprings, given_damping), "N s/m", "0",
     "Against changes of length: one for all springs, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"lengths", TAC_REALS, offsetof(TacSprings, given_lengths), "m", "",
     "At rest: one for all springs, or one each; by default as the matter is at rest.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"pull_only", TAC_BOOL, offsetof(TacSprings, pull_only), "", "false",
     "Strings: they pull when longer than at rest, and are slack otherwise.", NULL, TAC_ANY, 0},
    {"stable", TAC_BOOL, offsetof(TacSprings, stable), "", "true",
     "Leaves out of the stiffness what makes a compressed spring buckle, so that implicit solvers always "
     "work; false gives the exact derivative of the elastic force.",
     NULL, TAC_ANY, 0},
    {"damping_turns", TAC_BOOL, offsetof(TacSprings, damping_turns), "", "false",
     "What implicit solvers see of the damping: that its force turns with the spring, as SOFA has it, "
     "instead of that it grows with the speed.",
     NULL, TAC_ANY, 0},
    {"turns", TAC_BOOL, offsetof(TacSprings, turns), "", "true",
     "Whether implicit solvers see that a pull turns with its spring; false leaves that out of the "
     "stiffness.",
     NULL, TAC_ANY, 0},
};

// The pull of each spring at its ends, as shown.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const TacSprings *self = data;
    const double *x[2], *v[2];
    size_t x_size[2], v_size[2], n = self->dimension;
    float *to[2];
    for (int side = 0; side < 2; side++) {
        const TacMatter *m = self->law.matter[side];
        to[side] = what == TAC_SCALAR_TENSION ? tac_scalar_sheet_of(sheet, m) : NULL;
        x[side] = m->vectors[TAC_X_SHOWN];
        v[side] = m->vectors[TAC_V_SHOWN];
        x_size[side] = (size_t)m->position_size;
        v_size[side] = (size_t)m->velocity_size;
    }
    for (size_t s = 0; to[0] && to[1] && s < self->count; s++) {
        double d[3], dv[3], length = difference(self, x, x_size, s, n, d);
        difference(self, v, v_size, s, n, dv);
        double tension = tac_spring_stiffness(self, s) * (length - self->length[s]) +
                         (length > 0 ? tac_spring_damping(self, s) * dot(d, dv, n) / length : 0);
        if (self->pull_only && (is_slack(self, s, length) || tension < 0)) tension = 0;
        for (int side = 0; side < 2; side++)
            tac_scalar_raise(to[side] + self->pairs[2 * s + (size_t)side], tension);
    }
}

const TacClass tac_springs_class = {
    .name = "Springs",
    .kind = TAC_KIND_LAW,
    .doc = "Linear springs with damping along them, between points or the origins of frames, of one matter "
           "or of two. F = k (l - L) + c dl/dt.",
    .size = sizeof(TacSprings),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
};
