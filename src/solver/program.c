// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "solver/program.h"
#include "base/memory.h"
#include "base/team.h"

enum { GRAIN = 8192 }; // numbers per chunk of a sum: 64 KiB, half of a core's nearest cache

// What belongs to each number alone.
static void on_numbers(const TacContext *context, size_t n, TacLoop loop, void *data) {
    enum { LEAST = 1024 };
    tac_team_run(context->team, n, tac_team_grain(context->team, n, LEAST), loop, data);
}

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

static void clear_matter(const TacContext *context, const TacMatter *m, TacVector y) {
    Lines lines = {.y = m->vectors[y]};
    on_numbers(context, tac_vector_size(m, y), do_clear, &lines);
}

static void clear_everywhere(const TacProgram *p, const TacContext *context, TacVector f) {
    for (size_t i = 0; i < p->matter_count; i++) clear_matter(context, p->matters[i], f);
    for (size_t i = 0; i < p->other_count; i++) clear_matter(context, p->others[i], f);
}

// --- maps -------------------------------------------------------------------------------------------------

static const TacMapOps *map_ops(const TacMap *map) {
    return map->base.cls->ops.map;
}

bool tac_program_has(const TacProgram *p, const TacMatter *matter) {
    for (size_t i = 0; i < p->matter_count; i++)
        if (p->matters[i] == matter) return true;
    for (size_t i = 0; i < p->other_count; i++)
        if (p->others[i] == matter) return true;
    return false;
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

// --- forces and products ----------------------------------------------------------------------------------

TacLawVectors tac_law_vectors(const TacLaw *law, TacVector v, TacVector f) {
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
    clear_everywhere(p, context, f);
    for (size_t i = 0; i < p->mass_count && p->adds_weight; i++) {
        TacMass *mass = p->masses[i];
        double *const *all = mass->matter->vectors;
        if (tac_matter_falls(mass->matter)) continue;
        mass->base.cls->ops.mass->weight(mass, context, all[TAC_X], all[f]);
    }
    for (size_t i = 0; i < p->law_count; i++) {
        TacLawVectors vectors = tac_law_vectors(p->laws[i], TAC_V, f);
        for (int k = 0; k < 2 && p->aside; k++) {
            const TacMatter *m = p->laws[i]->matter[k];
            if (m && tac_program_has(p, m)) vectors.v[k] = m->vectors[TAC_A];
        }
        p->laws[i]->base.cls->ops.law->force(p->laws[i], context, &vectors);
    }
    accumulate(p, context, f);
}

// out += m M d, on mapped or on independent matter. What mapped matter weighs goes up through its maps.
static void add_masses(const TacProgram *p, const TacContext *context, TacVector d, TacVector out, double m,
                       bool mapped) {
    for (size_t i = 0; i < p->mass_count && m != 0; i++) {
        TacMass *mass = p->masses[i];
        double *const *all = mass->matter->vectors;
        if (mass->matter->mapped == mapped)
            mass->base.cls->ops.mass->product(mass, context, all[TAC_X], all[d], all[out], m);
    }
}

void tac_program_product(const TacProgram *p, const TacContext *context, TacVector d, TacVector out, double m,
                         double b, double k) {
    tac_program_propagate_change(p, context, d);
    clear_everywhere(p, context, out);
    for (size_t i = 0; i < p->law_count; i++) {
        const TacLawOps *ops = p->laws[i]->base.cls->ops.law;
        if (!ops->force_change) continue;
        TacLawVectors vectors = tac_law_vectors(p->laws[i], d, out);
        ops->force_change(p->laws[i], context, &vectors, k, b);
    }
    add_masses(p, context, d, out, m, true);
    for (size_t i = p->map_count; i-- > 0;) {
        TacMap *map = p->maps[i];
        double *const *up = map->parent->vectors, *const *down = map->child->vectors;
        map_ops(map)->force(map, context, up[TAC_X], down[TAC_X], down[out], up[out]);
        // what turning a map does to the forces it carries
        if (k != 0 && map_ops(map)->force_change)
            map_ops(map)->force_change(map, context, up[TAC_X], down[TAC_X], down[TAC_F], up[d], up[out], k);
    }
    add_masses(p, context, d, out, m, false);
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
        on_numbers(context, tac_vector_size(m, y), loop, &lines);
    }
}

void tac_program_clear(const TacProgram *p, const TacContext *context, TacVector y) {
    for (size_t i = 0; i < p->matter_count; i++) clear_matter(context, p->matters[i], y);
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

// --- a step of conjugate gradients ------------------------------------------------------------------------

typedef struct Descent {
    double *x, *r, *partial;
    const double *p, *q;
    double s;
} Descent;

// The sum runs as in do_dot.
static void do_descend(void *data, size_t begin, size_t end, size_t chunk) {
    const Descent *d = data;
    double *restrict x = d->x, *restrict r = d->r;
    const double *restrict p = d->p, *restrict q = d->q;
    double sums[8] = {0};
    size_t i = begin;
    for (; i + 8 <= end; i += 8)
        for (size_t k = 0; k < 8; k++) {
            x[i + k] += d->s * p[i + k];
            r[i + k] -= d->s * q[i + k];
            sums[k] += r[i + k] * r[i + k];
        }
    for (; i < end; i++) {
        x[i] += d->s * p[i];
        r[i] -= d->s * q[i];
        sums[0] += r[i] * r[i];
    }
    d->partial[chunk] =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double tac_program_descend(const TacProgram *program, const TacContext *context, TacVector x, TacVector p,
                           TacVector r, TacVector q, double s) {
    double sum = 0;
    for (size_t i = 0; i < program->matter_count; i++) {
        double *const *all = program->matters[i]->vectors;
        size_t n = tac_vector_size(program->matters[i], r);
        Descent descent = {all[x], all[r], program->partial, all[p], all[q], s};
        tac_team_run(context->team, n, GRAIN, do_descend, &descent);
        for (size_t k = 0; k < tac_chunks(n, GRAIN); k++) sum += program->partial[k];
    }
    return sum;
}

// --- moving matter ----------------------------------------------------------------------------------------

typedef struct Advance {
    const double *x, *v;
    double *out;
    double s;
} Advance;

static void advance_numbers(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Advance *a = data;
    for (size_t i = begin; i < end; i++) a->out[i] = a->x[i] + a->s * a->v[i];
}

static void advance_frames(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Advance *a = data;
    for (size_t i = begin; i < end; i++) {
        const double *x = a->x + 7 * i, *v = a->v + 6 * i;
        TacQuat q = tac_load_quat(x + 3);
        TacVec3 turn = tac_scale(tac_load3(v + 3), a->s);
        // at rest not a bit changes
        if (turn.x != 0 || turn.y != 0 || turn.z != 0)
            q = tac_quat_unit(tac_quat_mul(tac_quat_from_vector(turn), q));
        tac_store3(a->out + 7 * i, tac_axpy(tac_load3(x), a->s, tac_load3(v)));
        tac_store_quat(a->out + 7 * i + 3, q);
    }
}

void tac_program_advance(const TacProgram *p, const TacContext *context, TacVector out, TacVector x, double s,
                         TacVector v) {
    for (size_t i = 0; i < p->matter_count; i++) {
        TacMatter *m = p->matters[i];
        Advance advance = {m->vectors[x], m->vectors[v], m->vectors[out], s};
        if (m->kind == TAC_RIGID3)
            tac_team_run(context->team, m->count, GRAIN / 8, advance_frames, &advance);
        else
            on_numbers(context, tac_vector_size(m, x), advance_numbers, &advance);
    }
}

void tac_program_tumble(const TacProgram *p, TacVector f) {
    for (size_t i = 0; i < p->matter_count; i++) {
        const TacMatter *m = p->matters[i];
        for (size_t k = 0; m->inertia && k < m->count; k++) {
            TacVec3 omega = tac_load3(m->vectors[TAC_V] + 6 * k + 3);
            TacQuat q = tac_load_quat(m->vectors[TAC_X] + 7 * k + 3);
            tac_add3(m->vectors[f] + 6 * k + 3,
                     tac_cross(tac_inertia_apply(&m->inertia[k], q, omega), omega));
        }
    }
}

void tac_program_swap_state(const TacProgram *p) {
    for (size_t i = 0; i < p->matter_count; i++) {
        double **all = p->matters[i]->vectors, *x = all[TAC_X], *v = all[TAC_V];
        all[TAC_X] = all[TAC_X_NEXT];
        all[TAC_V] = all[TAC_V_NEXT];
        all[TAC_X_NEXT] = x;
        all[TAC_V_NEXT] = v;
    }
}

size_t tac_program_partial_size(const TacProgram *p) {
    size_t most = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        size_t n = tac_chunks(tac_vector_size(p->matters[i], TAC_V), GRAIN);
        if (n > most) most = n;
    }
    return most;
}
