// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See neighbours.h.

#include "law/neighbours.h"
#include "base/memory.h"

TacStatus tac_neighbours_create(TacNeighbours *grid, TacSetup *setup, size_t count, double reach,
                                TacError *error) {
    if (count >= UINT32_MAX / 4)
        return tac_setup_fail(setup, error, NULL, "works on at most %zu points, not %zu",
                              (size_t)UINT32_MAX / 4 - 1, count);
    size_t buckets = 1;
    while (buckets < 2 * count) buckets *= 2;
    grid->count = count;
    grid->reach = reach;
    grid->mask = (uint32_t)(buckets - 1);
    grid->start = tac_setup_alloc(setup, buckets + 1, sizeof *grid->start);
    grid->bucket_of = tac_setup_alloc(setup, count, sizeof *grid->bucket_of);
    grid->place = tac_setup_alloc(setup, count, sizeof *grid->place);
    grid->sorted = tac_setup_alloc(setup, count, sizeof *grid->sorted);
    if (!grid->start || !grid->bucket_of || !grid->place || !grid->sorted)
        return tac_fail_memory(error, count * sizeof *grid->sorted);
    return TAC_OK;
}

// Far out, all that is beyond the last cell is in it: slower, never wrong. What is not a number has no place.
static int32_t cell_of(double x, double reach) {
    const double last = 1 << 30;
    double c = floor(x / reach);
    return c >= last ? 1 << 30 : c <= -last ? -(1 << 30) : c == c ? (int32_t)c : 0;
}

void tac_neighbours_sort(TacNeighbours *grid, const double *x, size_t stride, size_t dimension) {
    memset(grid->start, 0, ((size_t)grid->mask + 2) * sizeof *grid->start);
    for (size_t i = 0; i < grid->count; i++) {
        uint32_t cell[3] = {0, 0, 0};
        for (size_t k = 0; k < dimension; k++) cell[k] = (uint32_t)cell_of(x[stride * i + k], grid->reach);
        grid->bucket_of[i] = (cell[0] * 73856093u ^ cell[1] * 19349663u ^ cell[2] * 83492791u) & grid->mask;
        grid->start[grid->bucket_of[i] + 1]++;
    }
    for (size_t b = 0; b <= grid->mask; b++) grid->start[b + 1] += grid->start[b];
    // from the back: each bucket's end moves to its begin, which is where the next one's was
    for (size_t i = grid->count; i-- > 0;) {
        uint32_t place = --grid->start[grid->bucket_of[i] + 1];
        TacNeighbour *p = &grid->sorted[place];
        *p = (TacNeighbour){.index = (uint32_t)i};
        for (size_t k = 0; k < dimension; k++) {
            p->x[k] = x[stride * i + k];
            p->cell[k] = cell_of(p->x[k], grid->reach);
        }
        grid->place[i] = place;
    }
    // the ends were moved to the begins: shift them back
    for (size_t b = 0; b <= grid->mask; b++) grid->start[b] = grid->start[b + 1];
    grid->start[grid->mask + 1] = (uint32_t)grid->count;
}
