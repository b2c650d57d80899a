// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling edge limits: from components to the flat lists of edge_limits.h.

#include "contact/edge_limits.h"
#include "scene/compile.h"

#include <stdio.h>

enum { MOST_HALVINGS = 40 };

typedef struct Counts {
    size_t edges;
    double margin, speed;                  // m, m/s: the largest
    double least;                          // m: the smallest margin
    const TacEdgeLimit *longest, *fastest; // whose these are
} Counts;

static TacStatus check(const TacCompile *c, const TacEdgeLimit *e, TacError *error) {
    if (!c->safe)
        return tac_compile_fail(c, &e->base, error,
                                "needs a world with safe contact: add a Contact with method=\"safe\"");
    size_t m = tac_compile_matter_index(c, e->matter);
    if (e->matter->mapped)
        return tac_compile_fail(c, &e->base, error, "%s follows other matter; limit the edges of that",
                                e->matter->base.path);
    if (!c->mass_of[m] || c->mass_of[m]->base.cls == &tac_matrix_mass_class || c->carried[m])
        return tac_compile_fail(c, &e->base, error,
                                "kicks single points and needs a mass for each: give %s a UniformMass or "
                                "DiagonalMass",
                                e->matter->base.path);
    if (tac_compile_adapts(c->mass_of[m]))
        return tac_compile_fail(c, &e->base, error,
                                "the masses of %s change while time runs, and single edges of it cannot be "
                                "kicked: a wire does not stretch anyway",
                                e->matter->base.path);
    if (c->solver_of[m] && tac_solver_moves(c->solver_of[m]))
        return tac_compile_fail(c, &e->base, error,
                                "%s moves %s by itself; leave the solver out, or take "
                                "SymplecticEuler",
                                c->solver_of[m]->base.path, e->matter->base.path);
    return TAC_OK;
}

static double distance(const double *x, int32_t a, int32_t b) {
    return tac_norm(tac_sub(tac_load3(x + 3 * (size_t)b), tac_load3(x + 3 * (size_t)a)));
}

static TacStatus count(TacCompile *c, Counts *counts, TacError *error) {
    for (size_t i = 0; i < c->count; i++) {
        const TacEdgeLimit *e = (const TacEdgeLimit *)c->instances[i].component;
        if (e->base.cls != &tac_edge_limit_class) continue;
        TAC_TRY(check(c, e, error));
        const double *rest = e->matter->vectors[TAC_X_REST], *x = e->matter->vectors[TAC_X];
        for (size_t k = 0; k < e->count; k++) {
            int32_t a = e->pairs[2 * k], b = e->pairs[2 * k + 1];
            double length = distance(rest, a, b), now = distance(x, a, b);
            if (!(length > 0))
                return tac_compile_fail(c, &e->base, error,
                                        "edge %zu (points %d and %d) has no length at rest", k, a, b);
            if (!(fabs(now - length) < 0.999999 * e->strain * length))
                return tac_compile_fail(c, &e->base, error,
                                        "edge %zu (points %d and %d) starts %g times as long as at rest; the "
                                        "limits are %g and %g",
                                        k, a, b, now / length, 1 - e->strain, 1 + e->strain);
            if (0.5 * e->strain * length > counts->margin) counts->longest = e;
            counts->margin = fmax(counts->margin, 0.5 * e->strain * length);
            counts->least = fmin(counts->least, 0.5 * e->strain * length);
        }
        counts->edges += e->count;
        if (e->speed > counts->speed) counts->fastest = e;
        counts->speed = fmax(counts->speed, e->speed);
    }
    return TAC_OK;
}

// --- layers -----------------------------------------------------------------------------------------------

// Numbers that are named are a little on the safe side, so that they are accepted with three digits.
static double least_named(double least) {
    return 1.01 * least;
}

static double most_named(double most) {
    return 0.99 * most;
}

// Layers of the smallest margin must tick, too; where it is as large as the largest, rounding may say that it is not.
static TacStatus fail_ticks(const TacCompile *c, const Counts *n, int finer, TacError *error) {
    int halvings = 0;
    while (halvings < MOST_HALVINGS && ldexp(n->margin, -halvings) > 0.999 * n->least) halvings++;
    double most = ldexp(TAC_LAYERS_STEP * n->margin / c->world->base.tick, -finer - halvings); // m/s
    double strain = n->longest->strain * n->speed / most;
    char other[64] = "";
    if (n->longest == n->fastest && least_named(strain) < 1)
        snprintf(other, sizeof other, ", or a strain of at least %.3g", least_named(strain));
    return tac_compile_fail(
        c, &n->fastest->base, error,
        "layers that begin %g m from the limits of edges need steps below one tick (%g s) "
        "at a speed of %g m/s; a speed of at most %.3g m/s would do%s",
        n->margin, c->world->base.tick, n->speed, most_named(most), other);
}

static TacStatus make_layers(const TacCompile *c, TacLimits *limits, const Counts *n, int finer,
                             TacError *error) {
    double least = n->margin / TAC_LAYERS_LONGEST;
    if (!(n->speed >= least))
        return tac_compile_fail(c, &n->fastest->base, error,
                                "layers that begin %g m from the limits of edges would push for longer than "
                                "%g s at a speed of %g m/s; a speed of at least %.3g m/s would do",
                                n->margin, TAC_LAYERS_LONGEST, n->speed, least_named(least));
    if (!tac_layers_init(&limits->layers, c->world->base, n->margin, n->speed, finer, INFINITY))
        return fail_ticks(c, n, finer, error);
    limits->v_rest = tac_layers_rest_speed(&limits->layers, tac_norm(tac_compile_gravity(c, TAC_NONE)));
    return TAC_OK;
}

// --- vertices ---------------------------------------------------------------------------------------------

static TacStatus add_vertices(TacCompile *c, TacLimits *limits, const TacEdgeLimit *e, TacError *error) {
    TacMatter *m = e->matter;
    uint32_t **of = &limits->vertex_of[m->base.index];
    double *weights;
    if (!*of) *of = tac_arena_array(&c->world->arena, m->count, sizeof **of);
    if (!*of) return tac_fail_memory(error, m->count * sizeof **of);
    TAC_TRY(tac_compile_own_times(c, m, error));
    TAC_TRY(tac_compile_inverse_masses(c, tac_compile_matter_index(c, m), &weights, error));
    for (size_t k = 0; k < 2 * e->count; k++) {
        uint32_t p = (uint32_t)e->pairs[k];
        if ((*of)[p]) continue;
        TacLimitVertex *v = &limits->vertices[limits->vertex_count++];
        (*of)[p] = (uint32_t)limits->vertex_count;
        *v = (TacLimitVertex){.matter = m, .point = p};
        unsigned held = m->held ? m->held[p] : 0;
        for (int i = 0; i < 3; i++) {
            bool fixed = held & TAC_HELD_WHOLLY || held & (unsigned)TAC_HELD_X << i;
            v->w[i] = fixed ? 0 : weights[3 * p + (uint32_t)i];
        }
        tac_store3(v->g, tac_matter_fall(m, p));
    }
    free(weights);
    return TAC_OK;
}

static double bound(const TacLimitVertex *v) {
    return fmax(v->w[0], fmax(v->w[1], v->w[2]));
}

// --- edges ------------------------------------------------------------------------------------------------

// Nests of edges are halves of halves of the longest edge's. How often that one's must be halved to begin half way to
// these limits; -1: too often.
static int find_shift(const TacLayers *layers, double margin) {
    for (int shift = 0; shift <= MOST_HALVINGS && tac_layers_class(layers, shift, 0) >= 0; shift++)
        if (ldexp(layers->eta1, -shift) <= 0.5 * margin) return shift;
    return -1;
}

static TacStatus fail_shift(const TacCompile *c, const TacLimits *limits, const TacEdgeLimit *e, size_t k,
                            double length, TacError *error) {
    int most = limits->layers.first < MOST_HALVINGS ? limits->layers.first : MOST_HALVINGS;
    return tac_compile_fail(c, &e->base, error,
                            "edge %zu (points %d and %d) is %g m long; beside others that may become %g m "
                            "longer it needs a strain of at least %.3g, not %g",
                            k, e->pairs[2 * k], e->pairs[2 * k + 1], length, 2 * limits->layers.eta1,
                            least_named(2 * ldexp(limits->layers.eta1, -most) / length), e->strain);
}

// Edges between two points that are both held are left out.
static TacStatus add_edges(const TacCompile *c, TacLimits *limits, const TacEdgeLimit *e, TacError *error) {
    const uint32_t *of = limits->vertex_of[e->matter->base.index];
    const double *rest = e->matter->vectors[TAC_X_REST];
    for (size_t k = 0; k < e->count; k++) {
        const int32_t *pair = e->pairs + 2 * k;
        uint32_t ends[2] = {of[pair[0]] - 1, of[pair[1]] - 1};
        double inverse = bound(&limits->vertices[ends[0]]) + bound(&limits->vertices[ends[1]]);
        double length = distance(rest, pair[0], pair[1]), margin = e->strain * length;
        if (!(inverse > 0)) continue;
        int shift = find_shift(&limits->layers, margin);
        if (shift < 0) return fail_shift(c, limits, e, k, length, error);
        TacLimitEdge *edge = &limits->edges[limits->edge_count];
        limits->memory[limits->edge_count++].tick = -1;
        *edge = (TacLimitEdge){.ends = {ends[0], ends[1]},
                               .low = length - margin,
                               .high = length + margin,
                               .r1 = limits->layers.strength / inverse,
                               .restitution = e->restitution,
                               .shift = (int8_t)shift,
                               .armed = -1,
                               .owner = e,
                               .number = (uint32_t)k};
        limits->vertices[ends[0]].count++;
        limits->vertices[ends[1]].count++;
    }
    return TAC_OK;
}

// The edges around each vertex.
static void gather(TacLimits *limits) {
    uint32_t at = 0;
    for (size_t i = 0; i < limits->vertex_count; i++) {
        limits->vertices[i].first = at;
        at += limits->vertices[i].count;
        limits->vertices[i].count = 0;
    }
    for (uint32_t i = 0; i < limits->edge_count; i++)
        for (int k = 0; k < 2; k++) {
            TacLimitVertex *v = &limits->vertices[limits->edges[i].ends[k]];
            limits->around[v->first + v->count++] = i;
        }
}

// Each further factor of four in edges on one point is one class finer.
static TacStatus finer_for(const TacCompile *c, TacError *error, int *finer) {
    size_t most = 0;
    for (size_t m = 0; m < c->world->matter_count; m++) {
        const TacMatter *matter = c->world->matters[m];
        uint32_t *counts = calloc(matter->count + 1, sizeof *counts);
        if (!counts) return tac_fail_memory(error, matter->count * sizeof *counts);
        for (size_t i = 0; i < c->count; i++) {
            const TacEdgeLimit *e = (const TacEdgeLimit *)c->instances[i].component;
            if (e->base.cls != &tac_edge_limit_class || e->matter != matter) continue;
            for (size_t k = 0; k < 2 * e->count; k++)
                if (++counts[e->pairs[k]] > most) most = counts[e->pairs[k]];
        }
        free(counts);
    }
    *finer = 0;
    for (size_t n = 4; n < most; n *= 4) ++*finer;
    return TAC_OK;
}

static TacStatus take_arrays(TacCompile *c, TacLimits *limits, const Counts *n, TacError *error) {
    TacArena *arena = &c->world->arena;
    limits->vertices = tac_arena_array(arena, 2 * n->edges, sizeof *limits->vertices);
    limits->edges = tac_arena_array(arena, n->edges, sizeof *limits->edges);
    limits->memory = tac_arena_array(arena, n->edges, sizeof *limits->memory);
    limits->around = tac_arena_array(arena, 2 * n->edges, sizeof *limits->around);
    limits->dirty = tac_arena_array(arena, n->edges, sizeof *limits->dirty);
    limits->hits = tac_arena_array(arena, 2 * n->edges, sizeof *limits->hits);
    limits->vertex_of = tac_arena_array(arena, c->count, sizeof *limits->vertex_of);
    if (!limits->vertices || !limits->edges || !limits->memory || !limits->around || !limits->dirty ||
        !limits->hits || !limits->vertex_of)
        return tac_fail_memory(error, n->edges * sizeof *limits->edges);
    return TAC_OK;
}

// An edge whose layers could not be computed from the first instant on says so with its place.
static TacStatus start(const TacCompile *c, TacLimits *limits, TacError *error) {
    TacStatus status = tac_limits_start(limits, 0, error);
    if (status != TAC_FAILED || !limits->stuck) return status;
    TacError why = *error;
    return tac_compile_fail(c, &limits->stuck->base, error, "%s", why.message);
}

TacStatus tac_compile_limits(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    Counts n = {.least = INFINITY};
    TAC_TRY(count(c, &n, error));
    if (!n.edges) return TAC_OK;
    TacLimits *limits = tac_arena_alloc(&world->arena, sizeof *limits);
    if (!limits) return tac_fail_memory(error, sizeof *limits);
    TAC_TRY(take_arrays(c, limits, &n, error));
    int finer = 0;
    TAC_TRY(finer_for(c, error, &finer));
    limits->base = world->base;
    limits->nearest = 1;
    TAC_TRY(make_layers(c, limits, &n, finer, error));
    world->limits = limits;
    for (size_t i = 0; i < c->count; i++) {
        const TacEdgeLimit *e = (const TacEdgeLimit *)c->instances[i].component;
        if (e->base.cls != &tac_edge_limit_class) continue;
        TAC_TRY(add_vertices(c, limits, e, error));
        TAC_TRY(add_edges(c, limits, e, error));
    }
    gather(limits);
    TAC_TRY(
        tac_compile_declare_state(world, limits->memory, limits->edge_count * sizeof *limits->memory, error));
    return start(c, limits, error);
}
