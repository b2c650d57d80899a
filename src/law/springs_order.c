// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How springs stand: in runs, in lanes, or as they were given, with the memory that each way needs. See springs.c.

#include "law/springs_order.h"
#include "base/memory.h"
#include "law/laws.h"

enum { SHORT_RUN = 16, FEW = 32 };

// Whether spring s goes on with the run that the one before it stands in.
static bool goes_on(const int32_t *pairs, size_t s) {
    return s > 0 && pairs[2 * s] == pairs[2 * s - 2] + 1 && pairs[2 * s + 1] == pairs[2 * s - 1] + 1;
}

static size_t count_runs(const int32_t *pairs, size_t count) {
    size_t runs = 0;
    for (size_t s = 0; s < count; s++) runs += !goes_on(pairs, s);
    return runs;
}

typedef struct Edge {
    int32_t ends[2], from;
} Edge;

// By how far apart the numbers of the ends are, then by the first one: nets fall into long runs.
static int by_distance(const void *x, const void *y) {
    const Edge *a = x, *b = y;
    int64_t p = (int64_t)a->ends[1] - a->ends[0], q = (int64_t)b->ends[1] - b->ends[0];
    if (p != q) return p < q ? -1 : 1;
    return (a->ends[0] > b->ends[0]) - (a->ends[0] < b->ends[0]);
}

// Sorts edges where that makes long runs of them.
static TacStatus sort_edges(TacSprings *self, int32_t *pairs, TacSetup *setup, TacError *error) {
    size_t n = self->count;
    if (n < SHORT_RUN || count_runs(pairs, n) * SHORT_RUN <= n) return TAC_OK;
    Edge *edges = malloc(n * sizeof *edges);
    int32_t *sorted = malloc(2 * n * sizeof *sorted);
    if (edges && sorted) {
        for (size_t s = 0; s < n; s++) edges[s] = (Edge){{pairs[2 * s], pairs[2 * s + 1]}, (int32_t)s};
        qsort(edges, n, sizeof *edges, by_distance);
        for (size_t s = 0; s < n; s++) memcpy(sorted + 2 * s, edges[s].ends, sizeof edges[s].ends);
        if (count_runs(sorted, n) * SHORT_RUN <= n) {
            self->from = tac_setup_alloc(setup, n, sizeof *self->from);
            for (size_t s = 0; s < n && self->from; s++) self->from[s] = edges[s].from;
            if (self->from) memcpy(pairs, sorted, 2 * n * sizeof *pairs);
        }
    }
    bool good = edges && sorted;
    free(edges);
    free(sorted);
    return good ? TAC_OK : tac_fail_memory(error, n * sizeof *edges);
}

// Constants were listed in the order in which springs stood before.
static TacStatus sort_constants(const TacSprings *self, double *constants, TacError *error) {
    if (!self->from) return TAC_OK;
    double *before = malloc(self->count * sizeof *before);
    if (!before) return tac_fail_memory(error, self->count * sizeof *before);
    memcpy(before, constants, self->count * sizeof *before);
    for (size_t s = 0; s < self->count; s++) constants[s] = before[self->from[s]];
    free(before);
    return TAC_OK;
}

// In a run a point must receive as a second end before it does as a first one: the second end is the later point.
static bool is_upward(const TacSprings *self) {
    for (size_t s = 0; s < self->count; s++)
        if (self->pairs[2 * s + 1] <= self->pairs[2 * s]) return false;
    return true;
}

// Whether all numbers of the points are places.
static bool is_plain(const TacSprings *self) {
    for (int side = 0; side < 2; side++) {
        const TacMatter *m = self->law.matter[side];
        if ((size_t)m->velocity_size != self->dimension || (size_t)m->position_size != self->dimension)
            return false;
    }
    return true;
}

static bool has_one_matter(const TacSprings *self) {
    return self->law.matter[0] == self->law.matter[1];
}

static bool goes_by_runs(const TacSprings *self) {
    return is_plain(self) && !self->pull_only && self->turns && !self->damping_turns &&
           count_runs(self->pairs, self->count) * SHORT_RUN <= self->count &&
           (!has_one_matter(self) || is_upward(self));
}

static bool goes_in_lanes(const TacSprings *self) {
    return self->dimension == 3 && is_plain(self) && has_one_matter(self) && self->count >= FEW &&
           !goes_by_runs(self);
}

static TacStatus find_runs(TacSprings *self, TacSetup *setup, TacError *error) {
    size_t n = self->count, runs = count_runs(self->pairs, n);
    if (self->lanes || !goes_by_runs(self)) return TAC_OK;
    self->runs = tac_setup_alloc(setup, runs, sizeof *self->runs);
    if (!self->runs) return tac_fail_memory(error, runs * sizeof *self->runs);
    for (size_t s = 0; s < n; s++) {
        if (!goes_on(self->pairs, s)) self->runs[self->run_count++] = (TacSpringRun){s, 0};
        self->runs[self->run_count - 1].count++;
    }
    self->alike = true;
    for (size_t s = 1; s < n; s++)
        self->alike = self->alike && self->stiffness[s] == self->stiffness[0] &&
                      self->damping[s] == self->damping[0] && self->length[s] == self->length[0];
    return TAC_OK;
}

// Deals out the springs to pieces, in pairs of their own that are filled up to whole batches.
static TacStatus deal_pairs(TacSprings *self, TacSetup *setup, TacError *error) {
    size_t n = self->count, filled = (n + TAC_WIDTH - 1) / TAC_WIDTH * TAC_WIDTH;
    int32_t *pairs = tac_setup_alloc(setup, 2 * filled, sizeof *pairs);
    int32_t *from = tac_setup_alloc(setup, n, sizeof *from);
    self->lanes = tac_setup_alloc(setup, 1, sizeof *self->lanes);
    if (!pairs || !from || !self->lanes) return tac_fail_memory(error, 2 * filled * sizeof *pairs);
    for (size_t s = 0; s < filled; s++) {
        size_t before = tac_element_pieces_deal(n, s < n ? s : n - 1);
        memcpy(pairs + 2 * s, self->pairs + 2 * before, 2 * sizeof *pairs);
        if (s < n) from[s] = self->from ? self->from[before] : (int32_t)before;
    }
    self->pairs = pairs;
    self->from = from;
    return tac_element_pieces_make(&self->lanes->pieces, setup, pairs, 2, n, self->law.matter[0]->count,
                                   error);
}

// What lanes look at, once the constants are known.
static void fill_lanes(TacSprings *self) {
    TacSpringLanes *lanes = self->lanes;
    if (!lanes) return;
    *lanes = (TacSpringLanes){.pieces = lanes->pieces,
                              .stiffness = self->stiffness,
                              .damping = self->damping,
                              .stiffness_mask = self->stiffness_mask,
                              .damping_mask = self->damping_mask,
                              .length = self->length,
                              .over = self->over,
                              .turning = self->turning,
                              .pull_only = self->pull_only,
                              .stable = self->stable,
                              .turns = self->turns,
                              .damping_turns = self->damping_turns};
    for (size_t s = 0; s < self->count; s++)
        lanes->damped = lanes->damped || tac_spring_damping(self, s) != 0;
    // what it keeps of velocities could not be found again
    lanes->keeps = self->keeps = self->damping_turns;
}

// All edges of the topology; to be freed.
static TacStatus take_edges(TacSprings *self, TacSetup *setup, int32_t **edges, TacError *error) {
    const TacTopology *topology = tac_setup_topology(setup);
    size_t points = self->law.matter[0]->count;
    if (self->law.matter[0] != self->law.matter[1])
        return tac_setup_fail(setup, error, NULL,
                              "needs pairs: between two matters there are no edges to follow");
    if (!topology || topology->mesh.point_count != points)
        return tac_setup_fail(setup, error, NULL,
                              "needs pairs, or a topology with as many points as the matter has (%zu)",
                              points);
    TAC_TRY(tac_mesh_all_edges(&topology->mesh, edges, &self->count, error));
    self->pairs = *edges;
    if (!self->count) return tac_setup_fail(setup, error, NULL, "needs pairs: the topology has no edges");
    return sort_edges(self, *edges, setup, error);
}

TacStatus tac_springs_take_pairs(TacSprings *self, TacSetup *setup, int32_t **edges, TacError *error) {
    if (!tac_setup_given(setup, "pairs")) return take_edges(self, setup, edges, error);
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

static TacStatus take_gathers(TacSprings *self, TacSetup *setup, TacError *error) {
    self->pulls = tac_setup_alloc(setup, TAC_LAW_BLOCK * self->dimension, sizeof(double));
    if (!self->pulls) return tac_fail_memory(error, TAC_LAW_BLOCK * self->dimension * sizeof(double));
    bool one_matter = has_one_matter(self);
    for (size_t side = 0; side < (one_matter ? 1 : 2); side++)
        TAC_TRY(tac_gather_build(&self->gather[side], setup, self->law.matter[side]->count, self->pairs, side,
                                 one_matter ? 1 : 2, 2 * self->count, 2 * TAC_LAW_BLOCK, error));
    return TAC_OK;
}

static double *take_kept(const TacSprings *self, TacSetup *setup, size_t count, bool *keeps) {
    if (self->damping_turns) return tac_setup_alloc(setup, count, sizeof(double)); // always kept
    return tac_setup_alloc_kept(setup, count, sizeof(double), keeps);
}

TacStatus tac_springs_take_arrays(TacSprings *self, TacSetup *setup, TacError *error) {
    self->gather[0] = self->gather[1] = (TacGather){0};
    self->pulls = NULL;
    self->runs = NULL;
    self->run_count = 0;
    self->lanes = NULL;
    self->keeps = false;
    if (goes_in_lanes(self)) TAC_TRY(deal_pairs(self, setup, error));
    size_t n = (self->count + TAC_WIDTH - 1) / TAC_WIDTH * TAC_WIDTH;
    self->stiffness_mask = self->lanes && self->given_stiffness.count == 1 ? 0 : SIZE_MAX;
    self->damping_mask = self->lanes && self->given_damping.count == 1 ? 0 : SIZE_MAX;
    self->stiffness = tac_setup_alloc(setup, self->stiffness_mask ? n : TAC_WIDTH, sizeof(double));
    self->damping = tac_setup_alloc(setup, self->damping_mask ? n : TAC_WIDTH, sizeof(double));
    self->length = tac_setup_alloc(setup, n, sizeof(double));
    self->turning = take_kept(self, setup, n, self->lanes ? &self->lanes->keeps : &self->keeps);
    self->over = take_kept(self, setup, n, &self->keeps);
    if (!self->stiffness || !self->damping || !self->length || !self->turning || !self->over)
        return tac_fail_memory(error, 5 * n * sizeof(double));
    return self->lanes || !tac_law_on_team(setup, self->count) ? TAC_OK : take_gathers(self, setup, error);
}

TacStatus tac_springs_sort_out(TacSprings *self, bool lengths, TacSetup *setup, TacError *error) {
    if (self->stiffness_mask) TAC_TRY(sort_constants(self, self->stiffness, error));
    if (self->damping_mask) TAC_TRY(sort_constants(self, self->damping, error));
    if (lengths) TAC_TRY(sort_constants(self, self->length, error));
    fill_lanes(self);
    return find_runs(self, setup, error);
}
