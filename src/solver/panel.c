// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The two loops that a factorisation spends its time in. See panel.h.

#include "solver/panel.h"

// Wide numbers at any address.
typedef double Loose __attribute__((vector_size(8 * TAC_WIDTH), aligned(8), may_alias));

// D B^T, four columns side by side, for every inner index; zeros beyond the last column.
static void pack(const double *b, size_t height, const double *d, size_t d_step, size_t columns, size_t inner,
                 double *packed) {
    for (size_t j = 0; j < columns; j += TAC_PANEL_COLUMNS)
        for (size_t k = 0; k < inner; k++)
            for (size_t i = 0; i < TAC_PANEL_COLUMNS; i++)
                *packed++ = j + i < columns ? d[d_step * k] * b[height * k + j + i] : 0;
}

// One tile: two wide numbers of rows by 4 columns, all of it in registers.
static inline void tile(const double *a, size_t height, const double *b, size_t inner, double *u,
                        size_t room) {
    TacWide s0 = {0}, s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    for (size_t k = 0; k < inner; k++, a += height, b += TAC_PANEL_COLUMNS) {
        TacWide x = *(const Loose *)a, y = *(const Loose *)(a + TAC_WIDTH);
        s0 += x * b[0];
        t0 += y * b[0];
        s1 += x * b[1];
        t1 += y * b[1];
        s2 += x * b[2];
        t2 += y * b[2];
        s3 += x * b[3];
        t3 += y * b[3];
    }
    Loose *const out[4] = {(Loose *)u, (Loose *)(u + room), (Loose *)(u + 2 * room), (Loose *)(u + 3 * room)};
    out[0][0] = s0;
    out[0][1] = t0;
    out[1][0] = s1;
    out[1][1] = t1;
    out[2][0] = s2;
    out[2][1] = t2;
    out[3][0] = s3;
    out[3][1] = t3;
}

void tac_panel_product(const double *a, size_t height, const double *d, size_t d_step, size_t rows,
                       size_t columns, size_t inner, double *packed, double *u, size_t room) {
    pack(a, height, d, d_step, columns, inner, packed);
    for (size_t j = 0; j < columns; j += TAC_PANEL_COLUMNS)
        // above the diagonal nobody looks
        for (size_t i = j / TAC_PANEL_TILE * TAC_PANEL_TILE; i < rows; i += TAC_PANEL_TILE)
            tile(a + i, height, packed + inner * j, inner, u + room * j + i, room);
}

// A few columns, after all before them have been subtracted.
static bool factor_group(double *l, size_t height, size_t first, size_t end, const double *diagonal,
                         double least) {
    for (size_t k = first; k < end; k++) {
        double *column = l + height * k, pivot = column[k];
        if (!(fabs(pivot) > least * diagonal[k]) || !isfinite(pivot)) return false;
        // the columns of the group to its right, while this one still has D in it
        for (size_t j = k + 1; j < end; j++) {
            double s = column[j] / pivot, *other = l + height * j;
            for (size_t i = j; i < height; i++) other[i] -= column[i] * s;
        }
        double over = 1 / pivot;
        for (size_t i = k + 1; i < height; i++) column[i] *= over;
    }
    return true;
}

bool tac_panel_factor(double *l, size_t height, size_t width, const double *diagonal, double least,
                      double *packed, double *u) {
    enum { GROUP = 2 * TAC_PANEL_COLUMNS };
    size_t room = tac_panel_room(height);
    for (size_t first = 0; first < width; first += GROUP) {
        size_t end = first + GROUP < width ? first + GROUP : width;
        if (first > 0) {
            tac_panel_product(l + first, height, l, height + 1, height - first, end - first, first, packed, u,
                              room);
            for (size_t j = first; j < end; j++)
                for (size_t i = j; i < height; i++) l[height * j + i] -= u[room * (j - first) + i - first];
        }
        if (!factor_group(l, height, first, end, diagonal, least)) return false;
    }
    return true;
}
