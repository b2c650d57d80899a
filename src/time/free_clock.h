// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Clocks that are free of the ruler (design: "Time"): output frames, audio, haptic devices, an agent at an
// exact 1/60 s in a 10 ms beat.
//
// A free clock's period is a ratio p/q of a beat. Its n-th tick is
//
//     t(n) = round(n * p/q * 2^bits) = floor((2 n p 2^bits + q) / (2 q))
//
// so each tick is at most half a tick off its ideal time and the error never grows: t is a function of n
// alone. Going from one tick to the next needs no long division. The numerator grows by the constant 2 p
// 2^bits; its quotient and remainder by 2q are carried along as Bresenham does it, which gives the same
// integers.
//
// Limits, all checked: 1 <= p, q <= 2^31; the period is at least one tick, so no two ticks coincide; n is
// anything from 0 to INT64_MAX. So n p is below 2^94 and fits 128 bits; where n p 2^bits reaches 2^95 the
// tick is beyond the end of time (at least 2^64, since q <= 2^31) and reads TAC_TICK_NEVER: no product ever
// overflows.
//
// Rules
//  1. `heap` is a binary heap by (tick, id): a parent is never after its children. There are few free
//     clocks, so a heap is right here, where it was not for the ruler.
//  2. `places` says for each id where its clock is in the heap (plus 1; 0 is nowhere).
//  3. remainder < 2q, and tick and remainder are those of n by the formula above.
//
// Memory is proportional to the largest id. A zeroed TacFreeClocks with its `bits` set is empty and valid.

#ifndef TACTUS_TIME_FREE_CLOCK_H
#define TACTUS_TIME_FREE_CLOCK_H

#include "tactus/base.h"
#include "time/flat.h"
#include "time/ticks.h"

#define TAC_FREE_CLOCK_RATIO_MAX ((uint32_t)1 << 31) // of p and of q

typedef struct TacFreeClock {
    TacTick tick; // of n
    int64_t n;    // the next tick's number
    TacTick whole;
    uint32_t rest;      // 2 p 2^bits = whole * 2q + rest
    uint32_t remainder; // of t(n)'s division by 2q
    uint32_t p, q;      // the period in beats
    uint32_t id;
} TacFreeClock;

typedef struct TacFreeClocks {
    int bits; // of the timebase
    uint32_t count;
    TacFreeClock *heap;
    size_t capacity;
    uint32_t *places;
    size_t place_capacity;
    uint32_t *due; // what was handed out last, then as much scratch
    size_t due_capacity;
} TacFreeClocks;

// The n-th tick of a clock, and the first n whose tick is not before `tick`. 1 <= p, q <= 2^31, n >= 0.
TacTick tac_free_clock_tick(int bits, uint32_t p, uint32_t q, int64_t n);
int64_t tac_free_clock_first(int bits, uint32_t p, uint32_t q, TacTick tick);

// The ratio p/q of a period to a beat (both in seconds), when it is one of small whole numbers: the first
// convergent of its continued fraction within 1e-12 of it, relatively, with q up to 10^6 and p up to 2^31. So
// 1/60 s on a 10 ms beat is 5/3, and 1/44100 s is 1/441. False when there is none.
bool tac_free_clock_ratio(double period, double beat, uint32_t *p, uint32_t *q);

void tac_free_clocks_destroy(TacFreeClocks *clocks);

// Adds a clock of period p/q beats whose next tick is its n-th; t(0) is tick 0. TAC_BAD_USAGE, nothing
// changed, when the id has a clock or a limit is passed. A tick in the past comes out at the next take.
TacStatus tac_free_clocks_add(TacFreeClocks *clocks, uint32_t id, uint32_t p, uint32_t q, int64_t n,
                              TacError *error);

// Gives a clock another period, and its next tick there. TAC_BAD_USAGE, nothing changed, when there is none or a limit is
// passed. Takes no memory.
TacStatus tac_free_clocks_move(TacFreeClocks *clocks, uint32_t id, uint32_t p, uint32_t q, int64_t n,
                               TacError *error);

// False when the id has no clock.
bool tac_free_clocks_remove(TacFreeClocks *clocks, uint32_t id);

// The clock of an id, with its next tick and number; NULL when there is none. Valid until the next change.
const TacFreeClock *tac_free_clocks_find(const TacFreeClocks *clocks, uint32_t id);

// The earliest tick of all; TAC_TICK_NEVER when there is none.
TacTick tac_free_clocks_next(const TacFreeClocks *clocks);

// Hands out every clock whose tick is at or before `now`, once, by ascending id, and sets each to its first
// tick after `now` (ticks that were missed are not made up). The list is valid until the next take.
// TAC_NO_MEMORY: nothing changed.
TacStatus tac_free_clocks_take(TacFreeClocks *clocks, TacTick now, const uint32_t **ids, size_t *count,
                               TacError *error);

// Makes sure that the next take cannot fail.
TacStatus tac_free_clocks_reserve(TacFreeClocks *clocks, TacError *error);

// As for the ruler: same clocks, same bytes; `bits` must be those of the saved state.
size_t tac_free_clocks_save_bytes(const TacFreeClocks *clocks);
uint8_t *tac_free_clocks_save(const TacFreeClocks *clocks, uint8_t *to);
TacStatus tac_free_clocks_restore(TacFreeClocks *clocks, TacFlatReader *from, uint32_t id_limit,
                                  TacError *error);

// Checks the rules above, for tests.
bool tac_free_clocks_valid(const TacFreeClocks *clocks);

#endif
