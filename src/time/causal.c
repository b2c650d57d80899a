// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The causal scheduler; causal.h says how it works and why. Uses the three kinds of clocks of this folder.

#include "time/causal.h"

#include "base/memory.h"

enum { MAGIC = 0x31534354, MAGIC_BYTES = 4 }; // "TCS1"

void tac_causal_init(TacCausal *causal, int bits) {
    *causal = (TacCausal){0};
    causal->free.bits = bits;
}

void tac_causal_destroy(TacCausal *causal) {
    tac_ruler_destroy(&causal->ruler);
    tac_free_clocks_destroy(&causal->free);
    tac_wheel_destroy(&causal->wheel);
}

TacTick tac_causal_from(const TacCausal *causal) {
    return causal->wheel.from;
}

// The next instant before `limit`, or `limit`.
static TacTick next_before(const TacCausal *causal, TacTick limit) {
    TacTick from = causal->wheel.from;
    TacTick next = tac_ruler_next(&causal->ruler, from - 1), free_next = tac_free_clocks_next(&causal->free);
    if (free_next < next) next = free_next > from ? free_next : from;
    if (next > limit) next = limit;
    return tac_wheel_next(&causal->wheel, next);
}

TacTick tac_causal_next(const TacCausal *causal) {
    return next_before(causal, TAC_TICK_NEVER);
}

TacStatus tac_causal_take_before(TacCausal *causal, TacTick limit, TacInstant *instant, TacError *error) {
    TacTick next = next_before(causal, limit);
    bool found = next < limit;
    *instant = (TacInstant){.now = next};
    if (!found && (limit == TAC_TICK_NEVER || limit <= causal->wheel.from)) return TAC_OK;
    // room first, so that a failure leaves all three untouched
    TAC_TRY(tac_free_clocks_reserve(&causal->free, error));
    TAC_TRY(tac_wheel_advance(&causal->wheel, found ? next : limit - 1, &instant->expired,
                              &instant->expired_count, error));
    if (!found) return TAC_OK;
    instant->classes = tac_ruler_due(&causal->ruler, next);
    return tac_free_clocks_take(&causal->free, next, &instant->free_members, &instant->free_count, error);
}

TacStatus tac_causal_take(TacCausal *causal, TacInstant *instant, TacError *error) {
    return tac_causal_take_before(causal, TAC_TICK_NEVER, instant, error);
}

size_t tac_causal_save_bytes(const TacCausal *causal) {
    return MAGIC_BYTES + tac_ruler_save_bytes(&causal->ruler) + tac_free_clocks_save_bytes(&causal->free) +
           tac_wheel_save_bytes(&causal->wheel);
}

void tac_causal_save(const TacCausal *causal, void *to) {
    uint8_t *at = tac_flat_write(to, MAGIC, MAGIC_BYTES);
    at = tac_ruler_save(&causal->ruler, at);
    at = tac_free_clocks_save(&causal->free, at);
    tac_wheel_save(&causal->wheel, at);
}

static TacStatus read_all(TacCausal *causal, TacFlatReader *from, uint32_t id_limit, TacError *error) {
    if (tac_flat_read(from, MAGIC_BYTES) != MAGIC)
        return tac_fail(error, TAC_BAD_INPUT, "this is not a saved causal scheduler");
    TAC_TRY(tac_ruler_restore(&causal->ruler, from, id_limit, error));
    TAC_TRY(tac_free_clocks_restore(&causal->free, from, id_limit, error));
    TAC_TRY(tac_wheel_restore(&causal->wheel, from, id_limit, error));
    if (from->at == from->end) return TAC_OK;
    return tac_fail(error, TAC_BAD_INPUT, "the saved causal scheduler has %zu bytes too many",
                    (size_t)(from->end - from->at));
}

TacStatus tac_causal_restore(TacCausal *causal, const void *data, size_t bytes, uint32_t id_limit,
                             TacError *error) {
    TacFlatReader from = {data, (const uint8_t *)data + bytes, false};
    TacCausal fresh;
    tac_causal_init(&fresh, causal->free.bits);
    TacStatus status = read_all(&fresh, &from, id_limit, error);
    tac_causal_destroy(status == TAC_OK ? causal : &fresh);
    if (status == TAC_OK) *causal = fresh;
    return status;
}
