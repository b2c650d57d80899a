// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Blocks of a matrix as wide numbers, for laws that write them by tac_matrix_elements. A block of 3x3 is three rows, of
// which the fourth number does not count: what one register holds on every processor.

#ifndef TACTUS_LAW_BLOCKS_H
#define TACTUS_LAW_BLOCKS_H

#include "law/wide.h"
#include "tactus/component.h"

enum { TAC_BLOCK_GRAIN = 512 }; // blocks per chunk

typedef struct TacBlockRows {
    TacFour row[3];
} TacBlockRows;

static inline __attribute__((always_inline)) TacBlockRows tac_block_transpose(const TacBlockRows *b) {
    const TacFour low = __builtin_shufflevector(b->row[0], b->row[1], 0, 4, 2, 6),
                  high = __builtin_shufflevector(b->row[0], b->row[1], 1, 5, 3, 7);
    return (TacBlockRows){{__builtin_shufflevector(low, b->row[2], 0, 1, 4, 5),
                           __builtin_shufflevector(high, b->row[2], 0, 1, 5, 6),
                           __builtin_shufflevector(low, b->row[2], 2, 3, 6, 7)}};
}

// Adds a multiple of the unit matrix.
static inline __attribute__((always_inline)) void tac_block_add_diagonal(TacBlockRows *b, double a) {
    b->row[0] += a * (TacFour){1, 0, 0, 0};
    b->row[1] += a * (TacFour){0, 1, 0, 0};
    b->row[2] += a * (TacFour){0, 0, 1, 0};
}

// Each row reaches one number into the next, which is written after it.
static inline __attribute__((always_inline)) void tac_block_store(double *to, const TacBlockRows *b) {
    *(TacLooseFour *)to = b->row[0];
    *(TacLooseFour *)(to + 3) = b->row[1];
    memcpy(to + 6, &b->row[2], 3 * sizeof *to);
}

static inline __attribute__((always_inline)) void tac_block_add(double *to, const TacBlockRows *b) {
    for (int i = 0; i < 9; i++) to[i] += b->row[i / 3][i % 3];
}

// Puts block k, and what it is across the diagonal.
static inline __attribute__((always_inline)) void tac_blocks_put(const TacMatrixBlocks *to, size_t k,
                                                                 const TacBlockRows *block) {
    double *above = to->values + 9 * (size_t)to->where[k], *below = to->values + 9 * (size_t)to->across[k];
    TacBlockRows other = tac_block_transpose(block);
    if (to->fresh) {
        tac_block_store(above, block);
        tac_block_store(below, &other);
        return;
    }
    tac_block_add(above, block);
    if (above != below) tac_block_add(below, &other);
}

#endif
