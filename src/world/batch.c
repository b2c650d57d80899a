// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Arriving, kicking and committing the points of a batch. See batch.h. Touches TAC_X, TAC_V, TAC_F, TAC_DV and
// times of its own points, nothing else.

#include "world/batch.h"
#include "base/team.h"
#include "solver/program.h"

enum { GRAIN = 2048 }; // points per chunk

typedef struct Call {
    const TacBatch *batch;
    TacTimebase base;
    TacTick now;
    double step;
} Call;

static void fly_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const TacMatter *m = c->batch->matter;
    double *x = m->vectors[TAC_X], *v = m->vectors[TAC_V];
    for (size_t i = begin; i < end; i++) {
        size_t p = c->batch->points[i];
        if (m->times[p] == c->now) continue;
        double h = tac_seconds(c->base, c->now - m->times[p]);
        tac_matter_fly_one(m, p, h, x + 3 * p, v + 3 * p, x + 3 * p, v + 3 * p);
        m->times[p] = c->now;
    }
}

void tac_batch_arrive(const TacBatch *batch, TacTimebase base, TacTeam *team, TacTick now) {
    Call call = {.batch = batch, .base = base, .now = now};
    tac_team_run(team, batch->count, GRAIN, fly_chunk, &call);
}

static void clear_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    double *f = c->batch->matter->vectors[TAC_F];
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < 3; k++) f[3 * (size_t)c->batch->points[i] + k] = 0;
}

static void add_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const double *f = c->batch->matter->vectors[TAC_F];
    double *dv = c->batch->matter->vectors[TAC_DV];
    for (size_t i = begin; i < end; i++) {
        size_t p = 3 * (size_t)c->batch->points[i];
        for (size_t k = 0; k < 3; k++) dv[p + k] += c->step * (c->batch->weights[3 * i + k] * f[p + k]);
    }
}

void tac_batch_force(const TacBatch *batch, const TacContext *context, TacVector v) {
    Call call = {.batch = batch};
    tac_team_run(context->team, batch->count, GRAIN, clear_chunk, &call);
    TacLawVectors vectors = tac_law_vectors(batch->law, v, TAC_F);
    batch->law->base.cls->ops.law->force(batch->law, context, &vectors);
}

void tac_batch_add(const TacBatch *batch, const TacContext *context) {
    Call call = {.batch = batch, .step = context->step};
    tac_team_run(context->team, batch->count, GRAIN, add_chunk, &call);
}

bool tac_batch_commit(const TacBatch *batch) {
    double *v = batch->matter->vectors[TAC_V], *dv = batch->matter->vectors[TAC_DV], sum = 0;
    for (size_t i = 0; i < batch->count; i++)
        for (size_t k = 3 * (size_t)batch->points[i], end = k + 3; k < end; k++) {
            v[k] += dv[k];
            sum += v[k] * 0; // 0, or NaN as soon as one of them is not finite
            dv[k] = 0;
        }
    return sum == 0;
}
