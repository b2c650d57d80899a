// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The clocks of agents whose steps may be cut (stride.h): on the ruler, or free of it.
//
// An agent whose step is the beat times a power of two sits in a class of the ruler, and a finer class has ticks wherever a
// coarser one has. The same holds for a free clock and those that halve its period: the n-th tick of p/q beats is the 2n-th of
// p/2q, to the tick. So an agent with a free clock has a ruler of its own, and everything that is said of classes holds for it,
// too. Its classes are numbered like the longest ones of the ruler that are no longer: class e of its own is one to two times
// as long as class e of the ruler.

#ifndef TACTUS_WORLD_TICKING_H
#define TACTUS_WORLD_TICKING_H

#include "world/world.h"

// The class on which a ticker ticks now; -1: it does not tick.
int tac_ticking_class(const TacWorld *world, uint32_t ticker);
// Another class, from its first tick after `now` on. Takes no memory.
TacStatus tac_ticking_move(TacWorld *world, uint32_t ticker, int e, TacTick now, TacError *error);

// The first tick of a class after `now`; whether there is one at `now`; and how many there are from one of its ticks to
// another.
TacTick tac_ticking_next(const TacWorld *world, const TacTicker *ticker, int e, TacTick now);
bool tac_ticking_at(const TacWorld *world, const TacTicker *ticker, int e, TacTick now);
int64_t tac_ticking_count(const TacWorld *world, const TacTicker *ticker, int e, TacTick from, TacTick to);

// The longest class that is no longer than `step`, s; -1: none.
static inline int tac_ticking_class_for(const TacWorld *world, const TacTicker *t, double step) {
    return tac_ruler_class(world->base, step * (ldexp(world->base.tick, t->ruler_class) / t->step));
}

// How long a class is, s.
static inline double tac_ticking_step(const TacTicker *t, int e) {
    return ldexp(t->step, e - t->ruler_class);
}

// By how many classes its step may be halved.
static inline int tac_ticking_most_halves(const TacTicker *t) {
    int most = t->ruler_class;
    while (tac_ticker_is_free(t) && most > 0 &&
           (most > 31 || (uint64_t)t->q << most > TAC_FREE_CLOCK_RATIO_MAX))
        most--;
    return most;
}

#endif
