// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Overlapping boxes by a uniform grid. See audit_near.h. Touches nothing but its arguments.

#include "contact/audit_near.h"

#include "base/memory.h"

#include <math.h>

// A box in more cells than this is compared with all others.
enum { MOST_CELLS = 500 };

// Cell numbers have 21 bits along each axis.
static const double MOST_ALONG = 2000000;

typedef struct Entry {
    uint64_t cell;
    size_t box;
} Entry;

typedef struct Grid {
    const TacAuditBox *boxes;
    size_t count;
    double low[3], width;
    size_t buckets; // a power of two
    size_t *begin;  // of each bucket's entries
    Entry *entries;
    bool *large;
} Grid;

static uint64_t cell_along(const Grid *grid, double x, int axis) {
    return (uint64_t)((x - grid->low[axis]) / grid->width);
}

static uint64_t cell_key(uint64_t x, uint64_t y, uint64_t z) {
    return x | y << 21 | z << 42;
}

static size_t bucket_of(const Grid *grid, uint64_t cell) {
    return (size_t)((cell * 0x9E3779B97F4A7C15u) >> 20) & (grid->buckets - 1);
}

// Does something for each cell of a box: counts its bucket, or fills it.
static void enter(Grid *grid, size_t box, bool fill) {
    const TacAuditBox *b = &grid->boxes[box];
    uint64_t from[3], to[3];
    for (int a = 0; a < 3; a++) {
        from[a] = cell_along(grid, b->low[a], a);
        to[a] = cell_along(grid, b->high[a], a);
    }
    for (uint64_t z = from[2]; z <= to[2]; z++)
        for (uint64_t y = from[1]; y <= to[1]; y++)
            for (uint64_t x = from[0]; x <= to[0]; x++) {
                uint64_t cell = cell_key(x, y, z);
                size_t bucket = bucket_of(grid, cell);
                if (fill)
                    grid->entries[--grid->begin[bucket]] = (Entry){cell, box};
                else
                    grid->begin[bucket]++;
            }
}

static bool is_large(const Grid *grid, size_t box) {
    const TacAuditBox *b = &grid->boxes[box];
    double cells = 1;
    for (int a = 0; a < 3; a++)
        cells *= 1.0 + (double)(cell_along(grid, b->high[a], a) - cell_along(grid, b->low[a], a));
    return cells > MOST_CELLS;
}

static bool overlap(const TacAuditBox *a, const TacAuditBox *b) {
    for (int i = 0; i < 3; i++)
        if (a->high[i] < b->low[i] || b->high[i] < a->low[i]) return false;
    return true;
}

static bool common_corner_in(const Grid *grid, const TacAuditBox *a, const TacAuditBox *b, uint64_t cell) {
    uint64_t at[3];
    for (int i = 0; i < 3; i++) at[i] = cell_along(grid, fmax(a->low[i], b->low[i]), i);
    return cell_key(at[0], at[1], at[2]) == cell;
}

// The place and the width of the cells: one and a half mean widths of boxes, wide enough to be numbered.
static void lay_out(Grid *grid) {
    double high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0, extent = 0;
    for (int a = 0; a < 3; a++) grid->low[a] = INFINITY;
    for (size_t i = 0; i < grid->count; i++) {
        double widest = 0;
        for (int a = 0; a < 3; a++) {
            grid->low[a] = fmin(grid->low[a], grid->boxes[i].low[a]);
            high[a] = fmax(high[a], grid->boxes[i].high[a]);
            widest = fmax(widest, grid->boxes[i].high[a] - grid->boxes[i].low[a]);
        }
        sum += widest;
    }
    for (int a = 0; a < 3; a++) extent = fmax(extent, high[a] - grid->low[a]);
    grid->width = fmax(1.5 * sum / (double)grid->count, extent / MOST_ALONG);
    if (!(grid->width > 0)) grid->width = 1;
}

static TacStatus fill(Grid *grid, TacError *error) {
    lay_out(grid);
    grid->buckets = 64;
    while (grid->buckets < 2 * grid->count) grid->buckets *= 2;
    grid->begin = calloc(grid->buckets + 1, sizeof *grid->begin);
    grid->large = calloc(grid->count, sizeof *grid->large);
    if (!grid->begin || !grid->large) return tac_fail_memory(error, grid->buckets * sizeof *grid->begin);
    for (size_t i = 0; i < grid->count; i++) {
        grid->large[i] = is_large(grid, i);
        if (!grid->large[i]) enter(grid, i, false);
    }
    for (size_t b = 1; b <= grid->buckets; b++) grid->begin[b] += grid->begin[b - 1];
    size_t total = grid->begin[grid->buckets];
    grid->entries = malloc((total ? total : 1) * sizeof *grid->entries);
    if (!grid->entries) return tac_fail_memory(error, total * sizeof *grid->entries);
    // backwards, so that boxes ascend within a bucket; each bucket's begin ends where it should
    for (size_t i = grid->count; i-- > 0;)
        if (!grid->large[i]) enter(grid, i, true);
    return TAC_OK;
}

static TacStatus visit_bucket(const Grid *grid, size_t bucket, TacAuditPair visit, void *context,
                              TacError *error) {
    for (size_t i = grid->begin[bucket]; i < grid->begin[bucket + 1]; i++)
        for (size_t j = i + 1; j < grid->begin[bucket + 1]; j++) {
            Entry a = grid->entries[i], b = grid->entries[j];
            if (a.cell != b.cell || !overlap(&grid->boxes[a.box], &grid->boxes[b.box])) continue;
            if (!common_corner_in(grid, &grid->boxes[a.box], &grid->boxes[b.box], a.cell)) continue;
            TAC_TRY(visit(context, a.box, b.box, error));
        }
    return TAC_OK;
}

// Large boxes with all others; two large ones once.
static TacStatus visit_large(const Grid *grid, size_t large, TacAuditPair visit, void *context,
                             TacError *error) {
    for (size_t i = 0; i < grid->count; i++) {
        if (i == large || (grid->large[i] && i < large)) continue;
        if (!overlap(&grid->boxes[i], &grid->boxes[large])) continue;
        TAC_TRY(visit(context, i < large ? i : large, i < large ? large : i, error));
    }
    return TAC_OK;
}

static TacStatus visit_all(const Grid *grid, TacAuditPair visit, void *context, TacError *error) {
    for (size_t b = 0; b < grid->buckets; b++) TAC_TRY(visit_bucket(grid, b, visit, context, error));
    for (size_t i = 0; i < grid->count; i++)
        if (grid->large[i]) TAC_TRY(visit_large(grid, i, visit, context, error));
    return TAC_OK;
}

TacStatus tac_audit_near(const TacAuditBox *boxes, size_t count, TacAuditPair visit, void *context,
                         TacError *error) {
    if (count < 2) return TAC_OK;
    Grid grid = {.boxes = boxes, .count = count};
    TacStatus status = fill(&grid, error);
    if (status == TAC_OK) status = visit_all(&grid, visit, context, error);
    free(grid.begin);
    free(grid.entries);
    free(grid.large);
    return status;
}
