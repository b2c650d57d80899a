// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Random numbers that are the same everywhere for the same seed (PCG32: M. E. O'Neill, 2014).

#ifndef TACTUS_BASE_RANDOM_H
#define TACTUS_BASE_RANDOM_H

#include <stdint.h>

typedef struct TacRandom {
    uint64_t state, stream;
} TacRandom;

static inline uint32_t tac_random_bits(TacRandom *random) {
    uint64_t old = random->state;
    random->state = old * 6364136223846793005ULL + random->stream;
    uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (mixed >> turn) | (mixed << ((32 - turn) & 31));
}

// `stream` separates sequences that share a seed.
static inline TacRandom tac_random(uint64_t seed, uint64_t stream) {
    TacRandom random = {0, (stream << 1) | 1};
    tac_random_bits(&random);
    random.state += seed;
    tac_random_bits(&random);
    return random;
}

// In [0, 1), 53 bits.
static inline double tac_random_unit(TacRandom *random) {
    uint64_t high = tac_random_bits(random) >> 5, low = tac_random_bits(random) >> 6;
    return (double)(high * 67108864 + low) * 0x1p-53;
}

static inline double tac_random_between(TacRandom *random, double low, double high) {
    return low + (high - low) * tac_random_unit(random);
}

#endif
