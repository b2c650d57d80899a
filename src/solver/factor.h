// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A = L D L^T of an assembled matrix, for direct solves.
//
// The order comes from AMD (SuiteSparse), on points rather than numbers: all numbers of a point have the same
// neighbours. Long thin bodies are eliminated from end to end instead, where that costs no more. Columns of L
// with the same rows below them are kept together as one dense panel (a supernode; Ng and Peyton 1993), because
// dense panels are multiplied several times faster than lists: SuiteSparse's LDL does one number at a time, and
// CHOLMOD's panels go through a BLAS whose threads would decide the bits. Small neighbours are joined where that
// adds few zeros.
//
// Panel by panel, from the left: the panels whose rows reach into it are subtracted, then it is factorised. D
// may have negative entries, so indefinite matrices pass; there is no pivoting, and a pivot that has lost all
// its digits is reported. Everything runs on one thread in a fixed order: the same bits always. The structure
// is analysed once, and numbers are filled in without allocation.

#ifndef TACTUS_SOLVER_FACTOR_H
#define TACTUS_SOLVER_FACTOR_H

#include "solver/matrix.h"

typedef struct TacFactor TacFactor;

// Orders and analyses the structure of a matrix. Memory is counted in `arena` (may be NULL).
TacStatus tac_factor_create(TacFactor **factor, const TacMatrix *matrix, TacArena *arena, TacError *error);
void tac_factor_destroy(TacFactor *factor);

// Of which structure of the matrix.
uint64_t tac_factor_generation(const TacFactor *factor);

// Numbers in L, for reports.
size_t tac_factor_size(const TacFactor *factor);

// Factorises values laid out as in the matrix (matrix->values, or a copy). False when a pivot vanishes.
bool tac_factor_compute(TacFactor *factor, const TacMatrix *matrix, const double *values);

// x = A^-1 b, both in the order of the matrix; x may be b.
void tac_factor_solve(const TacFactor *factor, const TacMatrix *matrix, const double *b, double *x);

#endif
