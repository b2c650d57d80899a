// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wide numbers: as many doubles as one register holds, by the vector extensions of gcc and clang. Every
// operation works on each lane alone, so results have the same bits for every width. Wide values are handed
// to functions by pointer: by value, their calling convention would depend on the processor.

#ifndef TACTUS_LAW_WIDE_H
#define TACTUS_LAW_WIDE_H

#include <math.h>
#include <stdint.h>

#ifdef __AVX512F__
#define TAC_WIDTH 8
#else
#define TAC_WIDTH 4
#endif

typedef double TacWide __attribute__((vector_size(8 * TAC_WIDTH)));
typedef int64_t TacWideMask __attribute__((vector_size(8 * TAC_WIDTH))); // -1 where true, 0 where false

static inline void tac_wide_root(TacWide *a) {
    for (int lane = 0; lane < TAC_WIDTH; lane++) (*a)[lane] = sqrt((*a)[lane]);
}

static inline int tac_wide_any(const TacWideMask *mask) {
    int64_t any = 0;
    for (int lane = 0; lane < TAC_WIDTH; lane++) any |= (*mask)[lane];
    return any != 0;
}

#endif
