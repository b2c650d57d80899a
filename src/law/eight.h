// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Eight numbers at once, on every processor: where sums over many neighbours are kept in lanes, the number of
// lanes decides the order of additions, so it must not depend on the processor as TacWide's does. Compilers
// make one, two or four registers of it. Values are handed on by pointer: by value, their calling convention
// would depend on the processor.

#ifndef TACTUS_LAW_EIGHT_H
#define TACTUS_LAW_EIGHT_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { TAC_EIGHT = 8 };

typedef double TacEight __attribute__((vector_size(64)));
typedef int64_t TacEightMask __attribute__((vector_size(64))); // -1 where true, 0 where false

#define TAC_EIGHT_INLINE static inline __attribute__((always_inline))

TAC_EIGHT_INLINE void tac_eight_load(TacEight *a, const double *from) {
    memcpy(a, from, sizeof *a);
}

TAC_EIGHT_INLINE void tac_eight_root(TacEight *a) {
#ifdef __AVX512F__
    *a = (TacEight)_mm512_sqrt_pd((__m512d)*a);
#else
    for (int lane = 0; lane < TAC_EIGHT; lane++) (*a)[lane] = sqrt((*a)[lane]);
#endif
}

// a where the mask is true, 0 elsewhere, whatever a is there.
TAC_EIGHT_INLINE void tac_eight_keep(TacEight *a, const TacEightMask *mask) {
    *a = (TacEight)((TacEightMask)*a & *mask);
}

// The smaller one; the second where one is not a number.
TAC_EIGHT_INLINE void tac_eight_least(TacEight *a, const TacEight *b) {
    TacEightMask less = *a < *b;
    *a = (TacEight)(((TacEightMask)*a & less) | ((TacEightMask)*b & ~less));
}

// All lanes together, always in the same order.
TAC_EIGHT_INLINE double tac_eight_sum(const TacEight *a) {
    return (((*a)[0] + (*a)[4]) + ((*a)[2] + (*a)[6])) + (((*a)[1] + (*a)[5]) + ((*a)[3] + (*a)[7]));
}

#endif
