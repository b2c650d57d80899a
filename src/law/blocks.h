// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Blocks of a matrix as wide numbers, for laws that write them by tac_matrix_elements. A block of 3x3 is nine
// numbers, row by row: eight in one wide number, and the ninth beside it.

#ifndef TACTUS_LAW_BLOCKS_H
#define TACTUS_LAW_BLOCKS_H

#include "law/wide.h"
#include "tactus/component.h"

enum { TAC_BLOCK_GRAIN = 512 }; // blocks per chunk

typedef double TacEight __attribute__((vector_size(64)));
typedef double TacLooseEight __attribute__((vector_size(64), aligned(8), may_alias));

// Numbers of a vector where a block has them in its row, or in its column.
#define TAC_BY_ROWS(v)    __builtin_shufflevector(v, v, 0, 0, 0, 1, 1, 1, 2, 2)
#define TAC_BY_COLUMNS(v) __builtin_shufflevector(v, v, 0, 1, 2, 0, 1, 2, 0, 1)
#define TAC_TRANSPOSE(v)  __builtin_shufflevector(v, v, 0, 3, 6, 1, 4, 7, 2, 5)

// Puts block k, and what it is across the diagonal.
static inline void tac_blocks_put(const TacMatrixBlocks *to, size_t k, const TacEight *block, double ninth) {
    double *above = to->values + 9 * (size_t)to->where[k], *below = to->values + 9 * (size_t)to->across[k];
    TacEight other = TAC_TRANSPOSE(*block);
    if (to->fresh) {
        *(TacLooseEight *)above = *block;
        *(TacLooseEight *)below = other;
        above[8] = below[8] = ninth;
        return;
    }
    *(TacLooseEight *)above += *block;
    above[8] += ninth;
    if (above == below) return;
    *(TacLooseEight *)below += other;
    below[8] += ninth;
}

#endif
