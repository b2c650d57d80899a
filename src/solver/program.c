// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "solver/program.h"
#include "base/memory.h"
#include "base/team.h"

enum { GRAIN = 8192 }; // numbers per chunk of a vector operation: 64 KiB, half of a core's nearest cache

// --- maps -------------------------------------------------------------------------------------------------

static const TacMapOps *map_ops(const TacMap *map) {
    return map->base.cls->ops.map;
}

void tac_program_propagate(const TacProgram *p, const TacContext *context, TacVector x, TacVector v) {
    for (size_t i = 0; i < p->map_count; i++) {
        TacMap *map = p->maps[i];
        double *const *from = map->parent->vectors, *const *to = map->child->vectors;
        map_ops(map)->position(map, context, from[x], to[x]);
        map_ops(map)->velocity(map, context, from[x], to[x], from[v], to[v]);
    }
}

void tac_program_propagate_change(const TacProgram *p, const TacContext *context, TacVector d) {
    for (size_t i = 0; i < p->map_count; i++) {
        TacMap *map = p->maps[i];
        double *const *from = map->parent->vectors, *const *to = map->child->vectors;
        map_ops(map)->velocity(map, context, from[TAC_X], to[TAC_X], from[d], to[d]);
    }
}

static void accumulate(const TacProgram *p, const TacContext *context, TacVector f) {
    for (size_t i = p->map_count; i-- > 0;) {
        TacMap *map = p->maps[i];
        double *const *to = map->parent->vectors, *const *from = map->child->vectors;
        map_ops(map)->force(map, context, to[TAC_X], from[TAC_X], from[f], to[f]);
    }
}

static void clear_everywhere(const TacProgram *p, TacVector f) {
    for (size_t i = 0; i < p->matter_count; i++)
        memset(p->matters[i]->vectors[f], 0, tac_vector_size(p->matters[i], f) * sizeof(double));
    for (size_t i = 0; i < p->other_count; i++)
        memset(p->others[i]->vectors[f], 0, tac_vector_size(p->others[i], f) * sizeof(double));
}

// --- forces and products ----------------------------------------------------------------------------------

static TacLawVectors law_vectors(const TacLaw *law, TacVector v, TacVector f) {
    TacLawVectors vectors = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    for (int k = 0; k < 2 && law->matter[k]; k++) {
        double *const *all = law->matter[k]->vectors;
        vectors.x[k] = all[TAC_X];
        vectors.v[k] = all[v];
        vectors.f[k] = all[f];
    }
    return vectors;
}

void tac_program_force(const TacProgram *p, const TacContext *context, TacVector f) {
    clear_everywhere(p, f);
    for (size_t i = 0; i < p->mass_count && p->adds_weight; i++) {
        TacMass *mass = p->masses[i];
        double *const *all = mass->matter->vectors;
        mass->base.cls->ops.mass->weight(mass, context, all[TAC_X], all[f]);
    }
    for (size_t i = 0; i < p->law_count; i++) {
        TacLawVectors vectors = law_vectors(p->laws[i], TAC_V, f);
        p->laws[i]->base.cls->ops.law->force(p->laws[i], context, &vectors);
    }
    accumulate(p, context, f);
}

void tac_program_product(const TacProgram *p, const TacContext *context, TacVector d, TacVector out, double m,
                         double b, double k) {
    tac_program_propagate_change(p, context, d);
    clear_everywhere(p, out);
    for (size_t i = 0; i < p->law_count; i++) {
        const TacLawOps *ops = p->laws[i]->base.cls->ops.law;
        if (!ops->force_change) continue;
        TacLawVectors vectors = law_vectors(p->laws[i], d, out);
        ops->force_change(p->laws[i], context, &vectors, k, b);
    }
    accumulate(p, context, out);
    // what turning a map does to the forces it carries
    for (size_t i = p->map_count; k != 0 && i-- > 0;) {
        TacMap *map = p->maps[i];
        if (!map_ops(map)->force_change) continue;
        double *const *up = map->parent->vectors, *const *down = map->child->vectors;
        map_ops(map)->force_change(map, context, up[TAC_X], down[TAC_X], down[TAC_F], up[d], up[out], k);
    }
    for (size_t i = 0; i < p->mass_count && m != 0; i++) {
        TacMass *mass = p->masses[i];
        double *const *all = mass->matter->vectors;
        mass->base.cls->ops.mass->product(mass, context, all[TAC_X], all[d], all[out], m);
    }
}

void tac_program_divide(const TacProgram *p, const TacContext *context, TacVector f, TacVector a) {
    for (size_t i = 0; i < p->mass_count; i++) {
        TacMass *mass = p->masses[i];
        double *const *all = mass->matter->vectors;
        mass->base.cls->ops.mass->divide(mass, context, all[TAC_X], all[f], all[a]);
    }
}

void tac_program_project(const TacProgram *p, const TacContext *context, TacVector d) {
    for (size_t i = 0; i < p->constraint_count; i++) {
        TacConstraint *c = p->constraints[i];
        c->base.cls->ops.constraint->project(c, context, c->matter->vectors[d]);
    }
}

bool tac_program_prescribe(const TacProgram *p, const TacContext *context, TacVector dv) {
    bool any = false;
    for (size_t i = 0; i < p->constraint_count; i++) {
        TacConstraint *c = p->constraints[i];
        const TacConstraintOps *ops = c->base.cls->ops.constraint;
        if (!ops->prescribe) continue;
        double *const *all = c->matter->vectors;
        ops->prescribe(c, context, all[TAC_X], all[TAC_V], all[dv]);
        any = true;
    }
    return any;
}

// --- vector operations ------------------------------------------------------------------------------------

typedef struct Lines {
    double *y;
    const double *x;
    double s;
    double *partial;
} Lines;

static void do_clear(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Lines *l = data;
    memset(l->y + begin, 0, (end - begin) * sizeof(double));
}

static void do_copy(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Lines *l = data;
    memcpy(l->y + begin, l->x + begin, (end - begin) * sizeof(double));
}

static void do_axpy(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Lines *l = data;
    double *restrict y = l->y;
    const double *restrict x = l->x;
    for (size_t i = begin; i < end; i++) y[i] += l->s * x[i];
}

static void do_xpay(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Lines *l = data;
    double *restrict y = l->y;
    const double *restrict x = l->x;
    for (size_t i = begin; i < end; i++) y[i] = x[i] + l->s * y[i];
}

static void do_scale(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Lines *l = data;
    for (size_t i = begin; i < end; i++) l->y[i] *= l->s;
}

// Eight running sums, so that the compiler can keep them in wide registers without changing any order.
static void do_dot(void *data, size_t begin, size_t end, size_t chunk) {
    const Lines *l = data;
    const double *a = l->y, *b = l->x;
    double sums[8] = {0};
    size_t i = begin;
    for (; i + 8 <= end; i += 8)
        for (size_t k = 0; k < 8; k++) sums[k] += a[i + k] * b[i + k];
    for (; i < end; i++) sums[0] += a[i] * b[i];
    l->partial[chunk] =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static void on_all(const TacProgram *p, const TacContext *context, TacVector y, TacVector x, double s,
                   TacLoop loop) {
    for (size_t i = 0; i < p->matter_count; i++) {
        TacMatter *m = p->matters[i];
        Lines lines = {m->vectors[y], m->vectors[x], s, NULL};
        tac_team_run(context->team, tac_vector_size(m, y), GRAIN, loop, &lines);
    }
}

void tac_program_clear(const TacProgram *p, const TacContext *context, TacVector y) {
    on_all(p, context, y, y, 0, do_clear);
}

void tac_program_copy(const TacProgram *p, const TacContext *context, TacVector y, TacVector x) {
    on_all(p, context, y, x, 0, do_copy);
}

void tac_program_axpy(const TacProgram *p, const TacContext *context, TacVector y, double s, TacVector x) {
    on_all(p, context, y, x, s, do_axpy);
}

void tac_program_xpay(const TacProgram *p, const TacContext *context, TacVector y, TacVector x, double s) {
    on_all(p, context, y, x, s, do_xpay);
}

void tac_program_scale(const TacProgram *p, const TacContext *context, TacVector y, double s) {
    on_all(p, context, y, y, s, do_scale);
}

double tac_program_dot(const TacProgram *p, const TacContext *context, TacVector a, TacVector b) {
    double sum = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        TacMatter *m = p->matters[i];
        size_t n = tac_vector_size(m, a);
        Lines lines = {m->vectors[a], m->vectors[b], 0, p->partial};
        tac_team_run(context->team, n, GRAIN, do_dot, &lines);
        for (size_t k = 0; k < tac_chunks(n, GRAIN); k++) sum += p->partial[k];
    }
    return sum;
}

size_t tac_program_partial_size(const TacProgram *p) {
    size_t most = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        size_t n = tac_chunks(tac_vector_size(p->matters[i], TAC_V), GRAIN);
        if (n > most) most = n;
    }
    return most;
}
