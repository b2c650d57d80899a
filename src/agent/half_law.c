// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// One agent's half of a law between two. See half_law.h.

#include "agent/half_law.h"

#include <string.h>

TacStatus tac_half_law_create(TacHalfLaw *half, TacArena *arena, TacLaw *whole, int side, TacError *error) {
    *half = (TacHalfLaw){.whole = whole, .side = side, .other = whole->matter[1 - side]};
    half->law.base = whole->base;
    half->law.base.cls = &tac_half_law_class;
    half->law.matter[0] = whole->matter[side];
    size_t x = half->other->count * (size_t)half->other->position_size;
    size_t v = half->other->count * (size_t)half->other->velocity_size;
    half->x = tac_arena_array(arena, x, sizeof(double));
    half->v = tac_arena_array(arena, v, sizeof(double));
    half->f = tac_arena_array(arena, v, sizeof(double));
    half->still = tac_arena_array(
        arena, half->law.matter[0]->count * (size_t)half->law.matter[0]->velocity_size, sizeof(double));
    half->ahead = half->own_ahead = -1;
    half->share = 1;
    return half->x && half->v && half->f && half->still
               ? TAC_OK
               : tac_fail_memory(error, (x + 2 * v) * sizeof(double));
}

// Where the other is by now: on a straight line from where it was seen. Frames keep their turn.
static void catch_up(const TacHalfLaw *half, double time) {
    const TacMatter *m = half->other;
    const double *x = m->vectors[TAC_X_SHOWN], *v = m->vectors[TAC_V_SHOWN];
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
    size_t straight = m->kind == TAC_RIGID3 ? 3 : m->kind == TAC_RIGID2 ? 2 : px;
    double behind = half->shown_at ? time - *half->shown_at : 0;
    memcpy(half->x, x, m->count * px * sizeof *x);
    memcpy(half->v, v, m->count * pv * sizeof *v);
    for (size_t i = 0; i < m->count && behind != 0; i++)
        for (size_t k = 0; k < straight; k++) half->x[px * i + k] += behind * v[pv * i + k];
}

static TacLawVectors both(const TacHalfLaw *half, const TacLawVectors *own) {
    TacLawVectors vectors = {{half->x, half->x}, {half->v, half->v}, {half->f, half->f}};
    vectors.x[half->side] = own->x[0];
    vectors.v[half->side] = own->v[0];
    vectors.f[half->side] = own->f[0];
    memset(half->f, 0, half->other->count * (size_t)half->other->velocity_size * sizeof *half->f);
    return vectors;
}

static void force(void *self, const TacContext *context, const TacLawVectors *vectors) {
    TacHalfLaw *half = self;
    catch_up(half, context->time);
    TacLawVectors all = both(half, vectors);
    const TacLawOps *whole = half->whole->base.cls->ops.law;
    whole->force(half->whole, context, &all);
    if (half->ahead < 0 || !whole->force_change) return;
    // an implicit solver takes the force to the end of the step by its own velocity; this does by the other's
    all.v[half->side] = half->still;
    whole->force_change(half->whole, context, &all, context->step + half->ahead, 0);
}

static void force_change(void *self, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    TacHalfLaw *half = self;
    const TacLawOps *ops = half->whole->base.cls->ops.law;
    if (!ops->force_change) return;
    memset(half->v, 0, half->other->count * (size_t)half->other->velocity_size * sizeof *half->v);
    TacLawVectors all = both(half, vectors);
    ops->force_change(half->whole, context, &all, k, b);
}

// As both sides are seen.
static double energy(void *self, const TacContext *context, const TacLawVectors *vectors) {
    const TacHalfLaw *half = self;
    const TacLawOps *whole = half->whole->base.cls->ops.law;
    if (!whole->energy) return 0;
    TacLawVectors all = {{half->other->vectors[TAC_X_SHOWN], half->other->vectors[TAC_X_SHOWN]},
                         {half->other->vectors[TAC_V_SHOWN], half->other->vectors[TAC_V_SHOWN]},
                         {NULL, NULL}};
    all.x[half->side] = vectors->x[0];
    all.v[half->side] = vectors->v[0];
    return half->share * whole->energy(half->whole, context, &all);
}

static const TacLawOps ops = {.force = force, .force_change = force_change, .energy = energy};

const TacClass tac_half_law_class = {
    .name = "HalfLaw",
    .kind = TAC_KIND_LAW,
    .doc = "One agent's half of a law between two.",
    .size = sizeof(TacHalfLaw),
    .ops.law = &ops,
};
