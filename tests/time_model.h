// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the tests of src/time share: random numbers, the definition of a free clock's tick, and the check that
// what was handed out is what a list says.

#ifndef TACTUS_TESTS_TIME_MODEL_H
#define TACTUS_TESTS_TIME_MODEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "time/causal.h"

__extension__ typedef __int128 Wide;

// A number below `count`.
static inline uint32_t draw(TacRandom *random, uint32_t count) {
    return tac_random_bits(random) % count;
}

static inline uint64_t draw64(TacRandom *random) {
    uint64_t high = tac_random_bits(random);
    return (high << 32) | tac_random_bits(random);
}

// Whether `tick` is n p/q 2^bits rounded to the nearest whole number, halves up.
static inline bool is_nearest(int bits, uint32_t p, uint32_t q, int64_t n, TacTick tick) {
    Wide twice = ((Wide)n * p) << (bits + 1), at = 2 * (Wide)tick * q;
    return at - q <= twice && twice < at + q;
}

typedef struct ModelClock {
    bool there;
    uint32_t p, q;
    int64_t n;
} ModelClock;

// Takes from the list `model` (-1: not there) what expires by `now`, and compares.
static inline void check_handed_out(TacTick *model, uint32_t ids, TacTick now, const uint32_t *list,
                                    size_t count) {
    size_t found = 0;
    for (uint32_t id = 0; id < ids; id++) {
        if (model[id] < 0 || model[id] > now) continue;
        assert_true(found < count);
        assert_int_equal(list[found++], id);
        model[id] = -1;
    }
    assert_int_equal(found, count);
}

#endif
