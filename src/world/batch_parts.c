// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Kicks of batches in parts; see batch_parts.h.

#include "world/batch_parts.h"
#include "world/momentum.h"

#include <math.h>

enum { GRAIN = 2048 };     // points per chunk
enum { AFTER_A_PUSH = 4 }; // kicks that still come in parts

static bool delivers_parts(const TacTicker *t) {
    return t->batch && t->batch->in_parts && !t->is_part;
}

static size_t place_of(const TacWorld *world, const TacTicker *t) {
    return tac_matter_place(world->matters, world->matter_count, t->batch->matter);
}

void tac_batch_parts_feel(TacWorld *world, const uint8_t *pushed) {
    for (size_t i = 0; i < world->due_count; i++) {
        TacTicker *t = &world->tickers[world->due[i]];
        if (delivers_parts(t)) t->pushed = pushed[place_of(world, t)];
    }
}

// --- what forces are found for ----------------------------------------------------------------------------

typedef struct Call {
    const TacBatch *batch;
    double share; // of a part
} Call;

static void copy_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const TacBatch *b = ((const Call *)data)->batch;
    double *const *all = b->matter->vectors;
    for (size_t i = begin; i < end; i++)
        memcpy(all[TAC_A] + 3 * (size_t)b->points[i], all[TAC_V] + 3 * (size_t)b->points[i],
               3 * sizeof(double));
}

static void add_to(const Call *c, TacVector vector, size_t begin, size_t end) {
    const TacBatch *b = c->batch;
    double *to = b->matter->vectors[vector];
    const double *part = b->in_parts->part;
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < 3; k++) to[3 * (size_t)b->points[i] + k] += c->share * part[3 * i + k];
}

static void add_aside_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    add_to(data, TAC_A, begin, end);
}

static void add_kick_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    add_to(data, TAC_DV, begin, end);
}

static bool is_late(const TacTicker *t, const TacMatter *m) {
    return delivers_parts(t) && t->in_parts && t->batch->matter == m;
}

// Whether somebody who is due has something ahead on a matter.
static bool somebody_is_late(const TacWorld *world, const TacMatter *m) {
    for (size_t i = 0; i < world->due_count; i++)
        if (is_late(&world->tickers[world->due[i]], m)) return true;
    return false;
}

void tac_batch_parts_set_aside(TacWorld *world) {
    bool any = false;
    for (size_t i = 0; i < world->due_count; i++) {
        TacTicker *t = &world->tickers[world->due[i]];
        if (!t->batch || t->is_part) continue;
        t->program.aside = somebody_is_late(world, t->batch->matter);
        any = any || t->program.aside;
        Call call = {.batch = t->batch};
        if (t->program.aside) tac_team_run(world->team, t->batch->count, GRAIN, copy_chunk, &call);
    }
    for (size_t i = 0; any && i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        if (!delivers_parts(t) || !t->in_parts) continue;
        Call call = {.batch = t->batch, .share = -t->batch->in_parts->owed};
        tac_team_run(world->team, t->batch->count, GRAIN, add_aside_chunk, &call);
    }
}

// --- kicks ------------------------------------------------------------------------------------------------

// A share of a part, where its points are now.
static void give(const TacBatch *b, const TacContext *context, double share) {
    const TacBatchParts *p = b->in_parts;
    Call call = {.batch = b, .share = share};
    tac_team_run(context->team, b->count, GRAIN, add_kick_chunk, &call);
    if (p->turns) tac_momentum_keep_turn_of(b, context, share, p->part, p->state->turn);
}

typedef struct Take {
    const TacBatch *batch;
    double step, each; // one over the number of parts
} Take;

static void take_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Take *take = data;
    const TacBatch *b = take->batch;
    const double *f = b->matter->vectors[TAC_F];
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < 3; k++) {
            double kick = take->step * (b->weights[3 * i + k] * f[3 * (size_t)b->points[i] + k]);
            b->in_parts->part[3 * i + k] = take->each * kick;
        }
}

void tac_batch_parts_kick(TacTicker *t, const TacContext *context) {
    const TacBatch *b = t->batch;
    TacBatchParts *p = b->in_parts;
    tac_batch_force(b, context, t->program.aside ? TAC_A : TAC_V);
    if (t->in_parts) give(b, context, -p->owed);
    bool pushed = t->pushed == TAC_PUSHED_BY_LOSING;
    t->in_parts = pushed || (!t->pushed && p->state->hit > 0);
    p->state->hit = pushed ? AFTER_A_PUSH : t->in_parts ? p->state->hit - 1 : 0;
    if (!t->in_parts) {
        tac_batch_add(b, context);
        return;
    }
    Take take = {b, context->step, 1 / (1 + 2 * p->owed)};
    tac_team_run(context->team, b->count, GRAIN, take_chunk, &take);
    if (p->turns) p->state->turn = tac_momentum_turn_of(b, context, p->part);
    Call call = {.batch = b, .share = 1 + p->owed};
    tac_team_run(context->team, b->count, GRAIN, add_kick_chunk, &call);
}

void tac_batch_parts_add(const TacTicker *t, const TacContext *context) {
    give(t->batch, context, 1);
}

// --- after a restore --------------------------------------------------------------------------------------

bool tac_batch_parts_restored(const TacWorld *world) {
    for (uint32_t i = 0; i < world->ticker_count; i++) {
        const TacTicker *t = &world->tickers[i];
        if (!delivers_parts(t)) continue;
        const TacBatchParts *p = t->batch->in_parts;
        if (!isfinite(tac_norm(p->state->turn)) || p->state->hit < 0 || p->state->hit > AFTER_A_PUSH)
            return false;
        for (size_t k = 0; k < 3 * t->batch->count; k++)
            if (!isfinite(p->part[k])) return false;
    }
    return true;
}
