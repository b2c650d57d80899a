// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Dense panels of a factorisation: one product and one L D L^T, column-major, with wide numbers.
//
// Every number of a result is a sum in ascending order of the inner index, in one lane: the bits are the same
// for every width. Products are computed in whole tiles, so they read up to TAC_PANEL_SLACK numbers past the
// end of their input and write as many into their output; callers leave room.

#ifndef TACTUS_SOLVER_PANEL_H
#define TACTUS_SOLVER_PANEL_H

#include "law/wide.h"

#include <stdbool.h>
#include <stddef.h>

enum { TAC_PANEL_TILE = 2 * TAC_WIDTH, TAC_PANEL_COLUMNS = 4, TAC_PANEL_SLACK = 4 * TAC_WIDTH };

// Rows of a result for `n` rows of input; columns rounded up to whole tiles.
static inline size_t tac_panel_room(size_t n) {
    return (n + TAC_PANEL_TILE - 1) / TAC_PANEL_TILE * TAC_PANEL_TILE;
}

static inline size_t tac_panel_round(size_t n) {
    return (n + TAC_PANEL_COLUMNS - 1) / TAC_PANEL_COLUMNS * TAC_PANEL_COLUMNS;
}

// u = A D B^T: A has `rows` rows, B is its first `columns` rows, both `inner` columns that are `height` apart.
// D stands at d, its entries `d_step` apart. u has columns `room` apart; `packed` holds tac_panel_round of
// columns times inner.
void tac_panel_product(const double *a, size_t height, const double *d, size_t d_step, size_t rows,
                       size_t columns, size_t inner, double *packed, double *u, size_t room);

// L D L^T of the first `width` rows, and the rest of the panel divided by it. False when a pivot is not above
// `least` times its entry in `diagonal`. `u` has room for the panel's height times a group of columns.
bool tac_panel_factor(double *l, size_t height, size_t width, const double *diagonal, double least,
                      double *packed, double *u);

#endif
