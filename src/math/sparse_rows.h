// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A sparse matrix of numbers by rows, applied to vectors with several numbers per row (the same entry for x,
// y and z): masses spread over elements, bending that is linear in positions. Products add in the order of
// the columns, so they have the same bits for any number of threads.

#ifndef TACTUS_MATH_SPARSE_ROWS_H
#define TACTUS_MATH_SPARSE_ROWS_H

#include "tactus/component.h"

typedef struct TacTriplet {
    uint32_t row, column;
    double value;
} TacTriplet;

// Row r has columns[start[r]] .. columns[start[r + 1] - 1], ascending, each once.
typedef struct TacSparseRows {
    size_t count;
    size_t *start;
    uint32_t *columns;
    double *values;
} TacSparseRows;

// Sorts the triplets, which may name an entry several times (their values are then added in the order
// given). Linear in their number. Memory of the matrix comes from the setup.
TacStatus tac_sparse_rows_build(TacSparseRows *rows, TacSetup *setup, size_t count,
                                const TacTriplet *triplets, size_t triplet_count, TacError *error);

// y += s A x, with `size` numbers per row in x and y (at most 6).
void tac_sparse_rows_product(const TacSparseRows *rows, TacTeam *team, size_t size, const double *x,
                             double *y, double s);

#endif
