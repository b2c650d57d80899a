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

// a where 0 < b < limit, 0 elsewhere, whatever a is there.
TAC_EIGHT_INLINE void tac_eight_within(TacEight *a, const TacEight *b, double limit) {
#ifdef __AVX512F__
    __mmask8 mask = _mm512_cmp_pd_mask((__m512d)*b, _mm512_set1_pd(limit), _CMP_LT_OQ);
    mask = _mm512_mask_cmp_pd_mask(mask, (__m512d)*b, _mm512_setzero_pd(), _CMP_GT_OQ);
    *a = (TacEight)_mm512_maskz_mov_pd(mask, (__m512d)*a);
#else
    TacEightMask mask = (*b > 0) & (*b < limit);
    *a = (TacEight)((TacEightMask)*a & mask);
#endif
}

// The first three of four numbers at each of eight slots.
TAC_EIGHT_INLINE void tac_eight_gather(TacEight out[3], const double *from, const uint32_t *slots) {
#ifdef __AVX512F__
    // two slots in each register; then pairs of lanes, then all eight of one axis
    __m512d r[4];
    for (int i = 0; i < 4; i++)
        r[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(from + 4 * (size_t)slots[i])),
                                  _mm256_load_pd(from + 4 * (size_t)slots[i + 4]), 1);
    __m512d even = _mm512_unpacklo_pd(r[0], r[1]), odd = _mm512_unpackhi_pd(r[0], r[1]);
    __m512d even_more = _mm512_unpacklo_pd(r[2], r[3]), odd_more = _mm512_unpackhi_pd(r[2], r[3]);
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    out[0] = (TacEight)_mm512_permutex2var_pd(even, first, even_more);
    out[1] = (TacEight)_mm512_permutex2var_pd(odd, first, odd_more);
    out[2] = (TacEight)_mm512_permutex2var_pd(even, second, even_more);
#else
    for (int lane = 0; lane < TAC_EIGHT; lane++)
        for (int k = 0; k < 3; k++) out[k][lane] = from[4 * (size_t)slots[lane] + (size_t)k];
#endif
}

// All lanes together, always in the same order.
TAC_EIGHT_INLINE double tac_eight_sum(const TacEight *a) {
#ifdef __AVX512F__
    __m256d four = _mm256_add_pd(_mm512_castpd512_pd256((__m512d)*a), _mm512_extractf64x4_pd((__m512d)*a, 1));
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
#else
    return (((*a)[0] + (*a)[4]) + ((*a)[2] + (*a)[6])) + (((*a)[1] + (*a)[5]) + ((*a)[3] + (*a)[7]));
#endif
}

#endif
