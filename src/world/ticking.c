// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Classes of clocks on the ruler and free of it; see ticking.h.

#include "world/ticking.h"

// Of a ticker that is free: q of its period in a class.
static uint32_t halved(const TacTicker *t, int e) {
    return t->q << (t->ruler_class - e);
}

int tac_ticking_class(const TacWorld *world, uint32_t ticker) {
    const TacTicker *t = &world->tickers[ticker];
    if (!tac_ticker_is_free(t)) return tac_ruler_class_of(&world->causal.ruler, ticker);
    const TacFreeClock *clock = tac_free_clocks_find(&world->causal.free, ticker);
    int least = t->ruler_class - tac_ticking_most_halves(t);
    for (int e = t->ruler_class; clock && clock->p == t->p && e >= least; e--)
        if (clock->q == halved(t, e)) return e;
    return -1;
}

TacStatus tac_ticking_move(TacWorld *world, uint32_t ticker, int e, TacTick now, TacError *error) {
    const TacTicker *t = &world->tickers[ticker];
    if (!tac_ticker_is_free(t)) return tac_ruler_move(&world->causal.ruler, ticker, e, error);
    uint32_t q = halved(t, e);
    return tac_free_clocks_move(&world->causal.free, ticker, t->p, q,
                                tac_free_clock_first(world->base.bits, t->p, q, now + 1), error);
}

TacTick tac_ticking_next(const TacWorld *world, const TacTicker *t, int e, TacTick now) {
    if (!tac_ticker_is_free(t)) return ((now >> e) + 1) << e;
    uint32_t q = halved(t, e);
    int bits = world->base.bits;
    return tac_free_clock_tick(bits, t->p, q, tac_free_clock_first(bits, t->p, q, now + 1));
}

bool tac_ticking_at(const TacWorld *world, const TacTicker *t, int e, TacTick now) {
    return tac_ticking_next(world, t, e, now - 1) == now;
}

int64_t tac_ticking_count(const TacWorld *world, const TacTicker *t, int e, TacTick from, TacTick to) {
    if (!tac_ticker_is_free(t)) return (to - from) >> e;
    uint32_t q = halved(t, e);
    int bits = world->base.bits;
    return tac_free_clock_first(bits, t->p, q, to) - tac_free_clock_first(bits, t->p, q, from);
}
