// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wide numbers: as many doubles as one register holds, by the vector extensions of gcc and clang. Every
// operation works on each lane alone, so results have the same bits for every width. Wide values are handed
// to functions by pointer: by value, their calling convention would depend on the processor.

#ifndef TACTUS_LAW_WIDE_H
#define TACTUS_LAW_WIDE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

#ifdef __AVX512F__
#define TAC_WIDTH 8
#else
#define TAC_WIDTH 4
#endif

typedef double TacWide __attribute__((vector_size(8 * TAC_WIDTH)));
typedef int64_t TacWideMask __attribute__((vector_size(8 * TAC_WIDTH))); // -1 where true, 0 where false

// Three numbers of a point, and one that does not count.
typedef double TacFour __attribute__((vector_size(32)));
typedef double TacLooseFour __attribute__((vector_size(32), aligned(8), may_alias)); // wherever numbers lie

// x, y and z of rows: lane by lane.
#if TAC_WIDTH == 8
static inline __attribute__((always_inline)) void tac_wide_rows(const TacFour *rows, size_t i0, size_t i1,
                                                                size_t i2, size_t i3, size_t i4, size_t i5,
                                                                size_t i6, size_t i7, TacWide out[3]) {
    const TacWide a = __builtin_shufflevector(rows[i0], rows[i4], 0, 1, 2, 3, 4, 5, 6, 7);
    const TacWide b = __builtin_shufflevector(rows[i1], rows[i5], 0, 1, 2, 3, 4, 5, 6, 7);
    const TacWide c = __builtin_shufflevector(rows[i2], rows[i6], 0, 1, 2, 3, 4, 5, 6, 7);
    const TacWide d = __builtin_shufflevector(rows[i3], rows[i7], 0, 1, 2, 3, 4, 5, 6, 7);
    const TacWide ab = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    const TacWide cd = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
    const TacWide ab1 = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    const TacWide cd1 = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 8, 9, 4, 5, 12, 13);
    out[2] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
}
#else
static inline __attribute__((always_inline)) void tac_wide_rows(const TacFour *rows, size_t i0, size_t i1,
                                                                size_t i2, size_t i3, TacWide out[3]) {
    const TacFour a = rows[i0], b = rows[i1], c = rows[i2], d = rows[i3];
    const TacFour ab = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                  ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const TacFour cd = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                  cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}
#endif

// Those of the rows at[0], at[stride], at[2 stride] ...
static inline __attribute__((always_inline)) void tac_wide_take(const TacFour *rows, const uint16_t *at,
                                                                size_t stride, TacWide out[3]) {
    tac_wide_rows(rows, at[0], at[stride], at[2 * stride], at[3 * stride],
#if TAC_WIDTH == 8
                  at[4 * stride], at[5 * stride], at[6 * stride], at[7 * stride],
#endif
                  out);
}

// The way back: rows of x, y, z and a fourth number, `stride` apart.
static inline __attribute__((always_inline)) void tac_wide_give(const TacWide in[3], const TacWide *fourth,
                                                                TacFour *rows, size_t stride) {
    const TacWide last = *fourth;
#if TAC_WIDTH == 8
    const TacWide xy = __builtin_shufflevector(in[0], in[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const TacWide xy1 = __builtin_shufflevector(in[0], in[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const TacWide z = __builtin_shufflevector(in[2], last, 0, 8, 2, 10, 4, 12, 6, 14);
    const TacWide z1 = __builtin_shufflevector(in[2], last, 1, 9, 3, 11, 5, 13, 7, 15);
    const TacWide r04 = __builtin_shufflevector(xy, z, 0, 1, 8, 9, 4, 5, 12, 13);
    const TacWide r26 = __builtin_shufflevector(xy, z, 2, 3, 10, 11, 6, 7, 14, 15);
    const TacWide r15 = __builtin_shufflevector(xy1, z1, 0, 1, 8, 9, 4, 5, 12, 13);
    const TacWide r37 = __builtin_shufflevector(xy1, z1, 2, 3, 10, 11, 6, 7, 14, 15);
    rows[0] = __builtin_shufflevector(r04, r04, 0, 1, 2, 3);
    rows[stride] = __builtin_shufflevector(r15, r15, 0, 1, 2, 3);
    rows[2 * stride] = __builtin_shufflevector(r26, r26, 0, 1, 2, 3);
    rows[3 * stride] = __builtin_shufflevector(r37, r37, 0, 1, 2, 3);
    rows[4 * stride] = __builtin_shufflevector(r04, r04, 4, 5, 6, 7);
    rows[5 * stride] = __builtin_shufflevector(r15, r15, 4, 5, 6, 7);
    rows[6 * stride] = __builtin_shufflevector(r26, r26, 4, 5, 6, 7);
    rows[7 * stride] = __builtin_shufflevector(r37, r37, 4, 5, 6, 7);
#else
    const TacFour xy = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6);
    const TacFour xy1 = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
    const TacFour z = __builtin_shufflevector(in[2], last, 0, 4, 2, 6);
    const TacFour z1 = __builtin_shufflevector(in[2], last, 1, 5, 3, 7);
    rows[0] = __builtin_shufflevector(xy, z, 0, 1, 4, 5);
    rows[stride] = __builtin_shufflevector(xy1, z1, 0, 1, 4, 5);
    rows[2 * stride] = __builtin_shufflevector(xy, z, 2, 3, 6, 7);
    rows[3 * stride] = __builtin_shufflevector(xy1, z1, 2, 3, 6, 7);
#endif
}

static inline __attribute__((always_inline)) void tac_wide_root(TacWide *a) {
#ifdef __AVX512F__
    *a = (TacWide)_mm512_sqrt_pd((__m512d)*a);
#else
    for (int lane = 0; lane < TAC_WIDTH; lane++) (*a)[lane] = sqrt((*a)[lane]);
#endif
}

static inline __attribute__((always_inline)) int tac_wide_any(const TacWideMask *mask) {
#ifdef __AVX512F__
    return _mm512_test_epi64_mask((__m512i)*mask, (__m512i)*mask) != 0;
#else
    int64_t any = 0;
    for (int lane = 0; lane < TAC_WIDTH; lane++) any |= (*mask)[lane];
    return any != 0;
#endif
}

// a where the mask is true, b elsewhere, whatever they are there.
static inline __attribute__((always_inline)) void tac_wide_choose(const TacWideMask *mask, const TacWide *a,
                                                                  const TacWide *b, TacWide *out) {
    *out = (TacWide)((*mask & (TacWideMask)*a) | (~*mask & (TacWideMask)*b));
}

// a where the mask is true, 0 elsewhere, whatever a is there.
static inline __attribute__((always_inline)) void tac_wide_keep(const TacWideMask *mask, TacWide *a) {
    *a = (TacWide)(*mask & (TacWideMask)*a);
}

static inline __attribute__((always_inline)) void tac_wide_load(TacWide *a, const double *from) {
    memcpy(a, from, sizeof *a);
}

static inline __attribute__((always_inline)) void tac_wide_store(double *to, const TacWide *a) {
    memcpy(to, a, sizeof *a);
}

#endif
