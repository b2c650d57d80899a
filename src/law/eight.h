// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Eight numbers, on every processor: where sums over many neighbours are kept in lanes, the number of lanes decides the
// order of additions, so it must not depend on the processor as TacWide's does. An eight is as many wide numbers as it
// takes, its parts. Those who sum go through everything part by part, so that sums stay in registers: compilers keep
// numbers that are wider than those in memory.

#ifndef TACTUS_LAW_EIGHT_H
#define TACTUS_LAW_EIGHT_H

#include "law/wide.h"

enum { TAC_EIGHT = 8, TAC_EIGHT_PARTS = TAC_EIGHT / TAC_WIDTH };

#define TAC_EIGHT_INLINE static inline __attribute__((always_inline))

// The smaller one; the second where one is not a number.
TAC_EIGHT_INLINE void tac_wide_least(TacWide *a, const TacWide *b) {
    TacWideMask less = *a < *b;
    tac_wide_choose(&less, a, b, a);
}

// a where 0 < b < limit, 0 elsewhere, whatever a is there.
TAC_EIGHT_INLINE void tac_wide_within(TacWide *a, const TacWide *b, double limit) {
#ifdef __AVX512F__
    __mmask8 mask = _mm512_cmp_pd_mask((__m512d)*b, _mm512_set1_pd(limit), _CMP_LT_OQ);
    mask = _mm512_mask_cmp_pd_mask(mask, (__m512d)*b, _mm512_setzero_pd(), _CMP_GT_OQ);
    *a = (TacWide)_mm512_maskz_mov_pd(mask, (__m512d)*a);
#else
    TacWideMask mask = (*b > 0) & (*b < limit);
    tac_wide_keep(&mask, a);
#endif
}

// The first three of four numbers at each of as many slots as there are lanes.
TAC_EIGHT_INLINE void tac_wide_gather(TacWide out[3], const double *from, const uint32_t *slots) {
    tac_wide_rows((const TacFour *)(const void *)from, slots[0], slots[1], slots[2], slots[3],
#if TAC_WIDTH == 8
                  slots[4], slots[5], slots[6], slots[7],
#endif
                  out);
}

// All lanes of all parts together, always in the same order.
TAC_EIGHT_INLINE double tac_eight_sum(const TacWide part[TAC_EIGHT_PARTS]) {
#ifdef __AVX512F__
    __m512d all = (__m512d)part[0];
    TacFour four = (TacFour)_mm512_castpd512_pd256(all) + (TacFour)_mm512_extractf64x4_pd(all, 1);
#else
    TacFour four = part[0] + part[1];
#endif
    return (four[0] + four[2]) + (four[1] + four[3]);
}

#endif
