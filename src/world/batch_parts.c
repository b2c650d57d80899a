// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Kicks of batches in parts; see batch_parts.h.

#include "world/batch_parts.h"
#include "world/account.h"
#include "world/momentum.h"
#include "world/ticking.h"

enum { GRAIN = 1024, MOST_CHUNKS = 64 }; // points, and chunks of them
enum { AFTER_A_PUSH = 4 };               // kicks that still come in parts

void tac_batch_parts_feel(TacWorld *world, const uint8_t *pushed) {
    for (size_t i = 0; i < world->due_count; i++) {
        TacTicker *t = &world->tickers[world->due[i]];
        if (t->shares)
            t->pushed = pushed[tac_matter_place(world->matters, world->matter_count, t->shares->of->matter)];
    }
}

// --- kicks ------------------------------------------------------------------------------------------------

typedef struct Call {
    const TacBatch *batch;
    double *part;
    double share;   // of a part
    double step;    // s, of a kick
    TacVec3 *turns; // by chunk: by how much a part turns its points about the origin
} Call;

// Without what the batch has ahead.
static void slow_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const TacBatch *b = c->batch;
    const double *v = b->matter->vectors[TAC_V], *part = c->part;
    double *aside = b->matter->vectors[TAC_A];
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t p = 3 * (size_t)b->points[i] + k;
            aside[p] = v[p] - c->share * (b->weights[3 * i + k] * part[3 * i + k]);
        }
}

static void give_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Call *c = data;
    const TacBatch *b = c->batch;
    const double *x = b->matter->vectors[TAC_X], *part = c->part;
    double *dv = b->matter->vectors[TAC_DV];
    TacVec3 turn = {0, 0, 0};
    for (size_t i = begin; i < end; i++) {
        size_t p = 3 * (size_t)b->points[i];
        for (size_t k = 0; k < 3; k++) dv[p + k] += c->share * (b->weights[3 * i + k] * part[3 * i + k]);
        turn = tac_add(turn, tac_cross(tac_load3(x + p), tac_load3(part + 3 * i)));
    }
    c->turns[chunk] = turn;
}

// A part of a new kick.
static void take_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const TacBatch *b = c->batch;
    const double *f = b->matter->vectors[TAC_F];
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < 3; k++)
            c->part[3 * i + k] = c->share * (c->step * f[3 * (size_t)b->points[i] + k]);
}

// A share of a part, where its points are now; by how much a whole one turns them there.
static TacVec3 give(const TacBatchParts *p, const TacContext *context, double share) {
    const TacBatch *b = p->of;
    TacVec3 turns[MOST_CHUNKS], turn = {0, 0, 0};
    Call call = {.batch = b, .part = p->part, .share = share, .turns = turns};
    size_t grain = (b->count + MOST_CHUNKS - 1) / MOST_CHUNKS;
    if (grain < GRAIN) grain = GRAIN;
    tac_team_run(context->team, b->count, grain, give_chunk, &call);
    for (size_t i = 0; i < tac_chunks(b->count, grain); i++) turn = tac_add(turn, turns[i]);
    return turn;
}

// The same of parts that were computed elsewhere.
static void give_later(const TacWorld *world, const TacTicker *t, const TacContext *context, double share) {
    TacMatterParts *of = world->tickers[t->parts].deliveries;
    TacVec3 turn = give(t->shares, context, share);
    of->lacking = tac_axpy(of->lacking, share, tac_sub(t->shares->share->turn, turn));
    of->given = true;
}

// For the velocities without what it has ahead itself.
static void find_forces(const TacTicker *t, const TacContext *context) {
    const TacBatchParts *p = t->shares;
    bool aside = t->in_parts && p->damped;
    Call call = {.batch = p->of, .part = p->part, .share = p->owed};
    if (aside) tac_team_run(context->team, p->of->count, GRAIN, slow_chunk, &call);
    tac_batch_force(p->of, context, aside ? TAC_A : TAC_V);
}

static bool comes_in_parts(const TacWorld *world, const TacTicker *t) {
    bool pushed = t->pushed == TAC_PUSHED_BY_LOSING || (!t->pushed && t->shares->share->hit > 0);
    return pushed && tac_momentum_bears_parts(&world->tickers[t->parts].deliveries->whole);
}

void tac_batch_parts_kick(const TacWorld *world, TacTicker *t, const TacContext *context) {
    const TacBatchParts *p = t->shares;
    bool late = t->in_parts, now = comes_in_parts(world, t);
    if (!late && !now && !t->batch) {
        tac_kick_by_force(&t->program, context);
        return;
    }
    find_forces(t, context);
    if (late) give_later(world, t, context, -p->owed);
    t->in_parts = now;
    p->share->hit = !now ? 0 : t->pushed ? AFTER_A_PUSH : p->share->hit - 1;
    if (!now) {
        tac_batch_add(p->of, context);
        return;
    }
    Call call = {.batch = p->of, .part = p->part, .share = 1 / (1 + 2 * p->owed), .step = context->step};
    tac_team_run(context->team, p->of->count, GRAIN, take_chunk, &call);
    p->share->turn = give(p, context, 1 + p->owed);
}

// --- parts ------------------------------------------------------------------------------------------------

void tac_batch_parts_deliver(TacWorld *world, const TacTicker *parts, const TacContext *context,
                             TacTick now) {
    const TacMatterParts *of = parts->deliveries;
    for (size_t i = 0; i < of->count; i++) {
        const TacTicker *t = &world->tickers[of->laws[i]];
        if (!t->in_parts || tac_ticking_at(world, t, t->ruler_class, now)) continue;
        tac_account_begin(world, t);
        give_later(world, t, context, 1);
        tac_account_note(world, t);
    }
}

void tac_batch_parts_mend(TacWorld *world, TacTick now) {
    const TacContext context = {tac_seconds(world->base, now), world->base.beat, world->team};
    for (size_t i = 0; i < world->due_count; i++) {
        TacMatterParts *of = world->tickers[world->due[i]].deliveries;
        if (!of || !of->given) continue;
        const TacTicker *first = &world->tickers[of->laws[0]];
        if (tac_momentum_is_own(&of->whole)) {
            tac_account_begin(world, &of->whole);
            tac_momentum_turn_by(&of->whole, &context, of->lacking);
            tac_account_note_for(world, &of->whole, first);
        }
        of->given = false;
        of->lacking = tac_vec3(0, 0, 0);
    }
}

bool tac_batch_parts_any(const TacWorld *world, const TacTicker *parts) {
    for (size_t i = 0; i < parts->deliveries->count; i++)
        if (world->tickers[parts->deliveries->laws[i]].in_parts) return true;
    return false;
}

// --- after a restore --------------------------------------------------------------------------------------

bool tac_batch_parts_restored(const TacWorld *world) {
    for (size_t i = 0; i < world->ticker_count; i++) {
        const TacBatchParts *p = world->tickers[i].shares;
        if (!p) continue;
        if (!isfinite(tac_norm(p->share->turn)) || p->share->hit < 0 || p->share->hit > AFTER_A_PUSH)
            return false;
        for (size_t k = 0; k < 3 * p->of->count; k++)
            if (!isfinite(p->part[k])) return false;
    }
    return true;
}
