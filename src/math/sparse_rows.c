// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See sparse_rows.h.

#include "math/sparse_rows.h"
#include "base/memory.h"

enum { GRAIN = 1024, MOST_NUMBERS = 6 };

// One pass of a stable counting sort; `end` has count + 1 zeros.
static void sort_by(const TacTriplet *from, TacTriplet *to, size_t n, bool by_row, size_t *end,
                    size_t count) {
    for (size_t i = 0; i < n; i++) end[by_row ? from[i].row : from[i].column]++;
    for (size_t r = 1; r < count; r++) end[r] += end[r - 1];
    for (size_t i = n; i-- > 0;) to[--end[by_row ? from[i].row : from[i].column]] = from[i];
}

// Adds up equal entries in place. Returns how many are left.
static size_t merge(TacTriplet *t, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept && t[kept - 1].row == t[i].row && t[kept - 1].column == t[i].column)
            t[kept - 1].value += t[i].value;
        else
            t[kept++] = t[i];
    }
    return kept;
}

static TacStatus fill(TacSparseRows *rows, TacSetup *setup, size_t count, const TacTriplet *t, size_t n,
                      TacError *error) {
    rows->count = count;
    rows->start = tac_setup_alloc(setup, count + 1, sizeof *rows->start);
    rows->columns = tac_setup_alloc(setup, n, sizeof *rows->columns);
    rows->values = tac_setup_alloc(setup, n, sizeof *rows->values);
    if (!rows->start || !rows->columns || !rows->values)
        return tac_fail_memory(error, n * (sizeof *rows->columns + sizeof *rows->values));
    for (size_t i = 0; i < n; i++) {
        rows->start[t[i].row + 1] = i + 1;
        rows->columns[i] = t[i].column;
        rows->values[i] = t[i].value;
    }
    // rows without entries begin where the one before ends
    for (size_t r = 1; r <= count; r++)
        if (rows->start[r] < rows->start[r - 1]) rows->start[r] = rows->start[r - 1];
    return TAC_OK;
}

TacStatus tac_sparse_rows_build(TacSparseRows *rows, TacSetup *setup, size_t count,
                                const TacTriplet *triplets, size_t n, TacError *error) {
    TacTriplet *sorted = calloc(n + 1, sizeof *sorted), *other = calloc(n + 1, sizeof *other);
    size_t *end = calloc(2 * count + 2, sizeof *end);
    TacStatus status;
    if (sorted && other && end) {
        sort_by(triplets, other, n, false, end, count);
        sort_by(other, sorted, n, true, end + count + 1, count);
        status = fill(rows, setup, count, sorted, merge(sorted, n), error);
    } else {
        status = tac_fail_memory(error, 2 * n * sizeof *sorted);
    }
    free(sorted);
    free(other);
    free(end);
    return status;
}

typedef struct Call {
    const TacSparseRows *rows;
    const double *x;
    double *y;
    double s;
    size_t size;
} Call;

static inline __attribute__((always_inline)) void add_rows(const Call *c, size_t begin, size_t end,
                                                           size_t size) {
    const TacSparseRows *rows = c->rows;
    for (size_t r = begin; r < end; r++) {
        double sum[MOST_NUMBERS] = {0};
        for (size_t e = rows->start[r]; e < rows->start[r + 1]; e++) {
            const double *x = c->x + size * rows->columns[e];
            for (size_t k = 0; k < size; k++) sum[k] += rows->values[e] * x[k];
        }
        for (size_t k = 0; k < size; k++) c->y[size * r + k] += c->s * sum[k];
    }
}

static void product_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    if (c->size == 3)
        add_rows(c, begin, end, 3);
    else
        add_rows(c, begin, end, c->size);
}

void tac_sparse_rows_product(const TacSparseRows *rows, TacTeam *team, size_t size, const double *x,
                             double *y, double s) {
    Call call = {rows, x, y, s, size};
    tac_team_run(team, rows->count, GRAIN, product_chunk, &call);
}
