// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How far the masses of explicit agents are from the limit of their steps. CORDIS-ANIMA's rule, in discrete units:
// K + 2 Z < 4 M, K and Z being the sum over links to fixed points and twice the sum over links to masses that move,
// each with the steepest piece of its law. With a step T: K T^2 + 2 Z T < 4 M.
//
// Why: for symplectic steps with speeds taken from past positions a mode of stiffness k and viscosity z on mass m is
// stable while k T^2 + 2 z T < 4 m, and by Gershgorin's discs no mode of the whole is stiffer, per mass, than the
// row sum of its stiffest point: the diagonal (once per link) and what stands beside it (once more where the other
// end moves). So the rule is sufficient; a chain's highest mode reaches it, and there it is exact.

#include "world/world.h"

// Sums of one agent's points, matter after matter.
typedef struct Sums {
    double *k, *z, *mass;
    uint8_t *moves;
    bool whole; // every law has said what it is
} Sums;

static double *part(double *all, const TacProgram *p, const TacMatter *matter) {
    for (size_t i = 0; i < p->matter_count; i++) {
        if (p->matters[i] == matter) return all;
        all += p->matters[i]->count;
    }
    return NULL;
}

static void note_moving(const TacProgram *p, uint8_t *moves) {
    for (size_t i = 0; i < p->matter_count; i++)
        for (size_t k = 0; k < p->matters[i]->count; k++)
            *moves++ = !p->matters[i]->held || p->matters[i]->held[k] != TAC_HELD_ALL;
}

// Row sums of the mass matrix; of lumped masses the masses themselves.
static TacStatus weigh(const TacProgram *p, const TacContext *context, double *mass, TacError *error) {
    for (size_t i = 0; i < p->mass_count; i++) {
        TacMass *m = p->masses[i];
        double *to = part(mass, p, m->matter);
        if (!to) continue;
        size_t n = tac_vector_size(m->matter, TAC_V), each = (size_t)m->matter->velocity_size;
        double *ones = calloc(n, sizeof *ones), *out = calloc(n, sizeof *out);
        if (ones && out) {
            for (size_t k = 0; k < n; k += each) ones[k] = 1;
            m->base.cls->ops.mass->product(m, context, m->matter->vectors[TAC_X], ones, out, 1);
            for (size_t k = 0; k < m->matter->count; k++) to[k] = out[each * k];
        }
        bool good = ones && out;
        free(ones);
        free(out);
        if (!good) return tac_fail_memory(error, n * sizeof(double));
    }
    return TAC_OK;
}

static void add_laws(const TacProgram *p, Sums *sums) {
    size_t first = 0;
    for (size_t i = 0; i < p->law_count; i++) {
        TacLaw *law = p->laws[i];
        TacSteepness s = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
        bool ours = law->base.cls->ops.law->steepest != NULL;
        for (int side = 0; side < 2 && law->matter[side]; side++) {
            s.k[side] = part(sums->k, p, law->matter[side]);
            s.z[side] = part(sums->z, p, law->matter[side]);
            if (!s.k[side]) {
                ours = false;
                continue;
            }
            first = (size_t)(s.k[side] - sums->k);
            s.moves[side] = sums->moves + first;
        }
        if (ours)
            law->base.cls->ops.law->steepest(law, &s);
        else
            sums->whole = false;
    }
}

static TacComponentId id_of(const TacWorld *world, const TacComponent *c) {
    return (TacComponentId){world->component_ids[2 * c->index], world->component_ids[2 * c->index + 1]};
}

// Points in a row that are alike become one entry.
static TacStatus put(const TacWorld *world, const TacTicker *t, const Sums *sums, TacMargin **list,
                     size_t *count, size_t *capacity, TacError *error) {
    size_t at = 0;
    for (size_t i = 0; i < t->program.matter_count; i++) {
        const TacMatter *m = t->program.matters[i];
        TacMargin *last = NULL;
        for (size_t k = 0; k < m->count; k++, at++) {
            if (!sums->moves[at] || !(sums->mass[at] > 0)) {
                last = NULL;
                continue;
            }
            if (last && last->mass == sums->mass[at] && last->stiffness == sums->k[at] &&
                last->viscosity == sums->z[at]) {
                last->count++;
                continue;
            }
            if (!tac_grow(list, capacity, *count + 1, sizeof **list)) return tac_fail_memory(error, 0);
            last = &(*list)[(*count)++];
            double limit = tac_mode_longest_step((TacMode){sums->mass[at], sums->k[at], sums->z[at]});
            *last = (TacMargin){.matter = id_of(world, &m->base),
                                .first = k,
                                .count = 1,
                                .mass = sums->mass[at],
                                .stiffness = sums->k[at],
                                .viscosity = sums->z[at],
                                .step = t->step,
                                .largest_step = limit,
                                .whole = sums->whole};
            last->used = (sums->k[at] * t->step * t->step + 2 * sums->z[at] * t->step) / (4 * sums->mass[at]);
        }
    }
    return TAC_OK;
}

static TacStatus add_agent(TacWorld *world, const TacTicker *t, TacMargin **list, size_t *count,
                           size_t *capacity, TacError *error) {
    size_t n = 1;
    for (size_t i = 0; i < t->program.matter_count; i++) n += t->program.matters[i]->count;
    Sums sums = {calloc(n, sizeof(double)), calloc(n, sizeof(double)), calloc(n, sizeof(double)),
                 calloc(n, 1), t->program.map_count == 0};
    TacStatus status = TAC_OK;
    if (!sums.k || !sums.z || !sums.mass || !sums.moves) status = tac_fail_memory(error, n * sizeof(double));
    if (status == TAC_OK) {
        TacContext context = {tac_world_time(world), t->step, world->team};
        note_moving(&t->program, sums.moves);
        status = weigh(&t->program, &context, sums.mass, error);
        add_laws(&t->program, &sums);
    }
    if (status == TAC_OK) status = put(world, t, &sums, list, count, capacity, error);
    free(sums.k);
    free(sums.z);
    free(sums.mass);
    free(sums.moves);
    return status;
}

TacStatus tac_world_margins(TacWorld *world, TacMargin **margins, size_t *count, TacError *error) {
    size_t capacity = 0;
    *margins = NULL;
    *count = 0;
    for (size_t i = 0; i < world->agent_count; i++) {
        const TacTicker *t = &world->tickers[i];
        if (!t->solver || t->solver->base.cls != &tac_symplectic_euler_class) continue;
        TacStatus status = add_agent(world, t, margins, count, &capacity, error);
        if (status == TAC_OK) continue;
        free(*margins);
        *margins = NULL;
        *count = 0;
        return status;
    }
    return TAC_OK;
}
