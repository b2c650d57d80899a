// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The causal scheduler: strict order of time (design: "Time").
//
// It joins the three kinds of clocks of a causal world:
//
//     ruler    members whose periods are powers of two           due at multiples, in batches
//     free     members whose periods are ratios of a beat        due at round(n p/q 2^bits)
//     wheel    entries that expire                               due once
//
// The next instant is the earliest of the three, and everything that falls on it comes out together, because
// within one instant all kicks are computed from the state before it: equal ticks are equal integers, so
// nothing that should coincide ever falls apart. Each list is ascending by id and depends only on who is on
// which clock, never on the history of adding and removing. Empty instants are never handed out.
//
// The loop of a world:
//
//     for (;;) {
//         TAC_TRY(tac_causal_take_before(causal, limit, &instant, error));
//         if (instant.now >= limit) break;
//         ... batches: for each bit e of instant.classes, tac_ruler_members(&causal->ruler, e, &count) ...
//         ... instant.free_members, instant.expired ...
//         ... then add, move, remove, file, cancel ...
//     }
//
// Rules
//  1. wheel.from is the first tick not processed: every instant before it was handed out (or was empty),
//     none at or after it was. It never goes back. It starts at 0, and tick 0 is an instant like the
//     others.
//  2. Members and entries are changed on `ruler`, `free` and `wheel` directly, between instants or while
//     the lists of an instant are walked (a class's list from the ruler excepted: see there). A change
//     acts from the first tick not processed: what is already due comes out there, and a new ruler member
//     ticks at its next multiple.
//  3. Nothing is cached between calls, so there is nothing to invalidate.
//
// Ids are the caller's, and the three kinds do not share them. Knows no physics.

#ifndef TACTUS_TIME_CAUSAL_H
#define TACTUS_TIME_CAUSAL_H

#include "time/free_clock.h"
#include "time/ruler.h"
#include "time/wheel.h"

typedef struct TacCausal {
    TacRuler ruler;
    TacFreeClocks free;
    TacWheel wheel;
} TacCausal;

// What happens at one instant. The lists are valid until the next take.
typedef struct TacInstant {
    TacTick now;
    uint64_t classes;             // bit e: class e of the ruler ticks
    const uint32_t *free_members; // ascending
    size_t free_count;
    const uint32_t *expired; // ascending
    size_t expired_count;
} TacInstant;

// `bits` is the timebase's. About 6 KB; nothing is allocated yet.
void tac_causal_init(TacCausal *causal, int bits);
void tac_causal_destroy(TacCausal *causal);

// The first tick not processed.
TacTick tac_causal_from(const TacCausal *causal);

// The next instant, at or after the first tick not processed; TAC_TICK_NEVER when there is none.
TacTick tac_causal_next(const TacCausal *causal);

// Hands out the next instant and marks it processed. When there is none, `now` is TAC_TICK_NEVER, the lists
// are empty and nothing is marked. TAC_NO_MEMORY: nothing changed.
TacStatus tac_causal_take(TacCausal *causal, TacInstant *instant, TacError *error);

// The same for instants before `limit`. When there is none left, `now` is `limit`, the lists are empty, and
// all ticks before `limit` are marked processed; `limit` itself is not. Without a limit (TAC_TICK_NEVER): as
// above.
TacStatus tac_causal_take_before(TacCausal *causal, TacTick limit, TacInstant *instant, TacError *error);

// All state as flat bytes: what was restored goes on exactly as what was saved. `to` holds
// tac_causal_save_bytes. Restoring needs a scheduler of the same `bits`, replaces its contents, and refuses
// ids at or above `id_limit`; TAC_BAD_INPUT, nothing changed, when the bytes make no sense.
size_t tac_causal_save_bytes(const TacCausal *causal);
void tac_causal_save(const TacCausal *causal, void *to);
TacStatus tac_causal_restore(TacCausal *causal, const void *data, size_t bytes, uint32_t id_limit,
                             TacError *error);

#endif
