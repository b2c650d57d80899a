// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Elements that come into a matrix as a whole: which pairs of corners make up each block. See matrix.h.
//
// Adding element by element needs a place for each of its blocks, and threads would meet in them. Here each block
// has the list of its pairs instead, in ascending order of elements: it is summed in registers and stored once, by
// one thread, so the bits do not depend on how many there are.

#include "base/team.h"
#include "solver/matrix.h"

typedef struct TacMatrixRun Run;

static size_t row_of(const Run *run, size_t corner) {
    return run->row + (size_t)run->nodes[corner];
}

// --- what the law calls -----------------------------------------------------------------------------------

static void note_run(TacMatrix *m, const Run *run) {
    if (!tac_grow(&m->runs, &m->run_capacity, m->run_count + 1, sizeof *m->runs)) {
        m->no_memory = true;
        return;
    }
    m->runs[m->run_count++] = *run;
    m->run_cursor++;
}

bool tac_matrix_elements(TacMatrix *m, const int32_t *nodes, size_t corners, size_t count, size_t scratch,
                         TacMatrixBlocks *blocks) {
    const struct TacMatrixSide *side = &m->side[0];
    *blocks = (TacMatrixBlocks){0};
    if (m->block != 3 || side->map || !side->known || count >= UINT32_MAX / (corners * corners)) return false;
    const Run new = {
        .nodes = nodes, .corners = corners, .count = count, .scratch = scratch, .row = side->row};
    if (m->noting) {
        note_run(m, &new);
        return true;
    }
    const Run *run = m->run_cursor < m->run_count ? &m->runs[m->run_cursor] : NULL;
    m->run_cursor++;
    // as the last time?
    if (!run || run->nodes != nodes || run->corners != corners || run->count != count ||
        run->row != side->row || run->scratch != scratch) {
        m->surprised = true;
        return true;
    }
    *blocks = (TacMatrixBlocks){.count = run->block_count,
                                .start = run->start,
                                .pair = run->pair,
                                .where = run->where,
                                .across = run->across,
                                .fresh = run == m->runs,
                                .values = m->values,
                                .scratch = m->scratch};
    return true;
}

// --- structure --------------------------------------------------------------------------------------------

void tac_matrix_forget_runs(TacMatrix *m) {
    for (size_t i = 0; i < m->run_count; i++) {
        free(m->runs[i].start);
        free(m->runs[i].pair);
        free(m->runs[i].where);
        free(m->runs[i].across);
    }
    free(m->runs);
    free(m->empty);
    free(m->scratch);
    m->runs = NULL;
    m->scratch = NULL;
    m->empty = NULL;
    m->empty_count = 0;
    m->run_count = m->run_capacity = 0;
}

size_t tac_matrix_run_pairs(const TacMatrix *m) {
    size_t n = 0;
    for (size_t i = 0; i < m->run_count; i++) n += m->runs[i].corners * m->runs[i].corners * m->runs[i].count;
    return n;
}

static size_t scratch_bytes(const TacMatrix *m) {
    size_t most = 0;
    for (size_t i = 0; i < m->run_count; i++) {
        size_t need = m->runs[i].scratch * m->runs[i].count * sizeof(double);
        if (need > most) most = need;
    }
    return (most + 63) / 64 * 64;
}

size_t tac_matrix_run_bytes(const TacMatrix *m) {
    size_t n = m->empty_count;
    for (size_t i = 0; i < m->run_count; i++)
        n += 3 * m->runs[i].block_count + m->runs[i].start[m->runs[i].block_count];
    return n * sizeof(uint32_t) + scratch_bytes(m);
}

void tac_matrix_count_runs(const TacMatrix *m, size_t *of_row) {
    for (size_t i = 0; i < m->run_count; i++) {
        const Run *run = &m->runs[i];
        for (size_t c = 0; c < run->corners * run->count; c++) of_row[row_of(run, c) + 2] += run->corners;
    }
}

void tac_matrix_list_runs(const TacMatrix *m, size_t *of_row, uint32_t *listed) {
    for (size_t i = 0; i < m->run_count; i++) {
        const Run *run = &m->runs[i];
        for (size_t c = 0; c < run->corners * run->count; c++) {
            size_t first = c / run->corners * run->corners;
            for (size_t b = 0; b < run->corners; b++)
                listed[of_row[row_of(run, c) + 1]++] = (uint32_t)row_of(run, first + b);
        }
    }
}

// Calls for each pair on or above the diagonal, in order.
typedef void (*OnPair)(Run *run, size_t block, size_t pair, uint32_t *count);

static void on_pairs(const TacMatrix *m, Run *run, uint32_t *count, OnPair call) {
    size_t corners = run->corners;
    for (size_t c = 0; c < corners * run->count; c++) {
        size_t row = row_of(run, c), first = c / corners * corners;
        for (size_t b = 0; b < corners; b++) {
            size_t column = row_of(run, first + b);
            if (column >= row) call(run, tac_matrix_find(m, row, column), corners * c + b, count);
        }
    }
}

static void count_pair(Run *run, size_t block, size_t pair, uint32_t *count) {
    (void)run;
    (void)pair;
    count[block]++;
}

// `count` is where the block's next pair goes.
static void list_pair(Run *run, size_t block, size_t pair, uint32_t *count) {
    run->pair[count[block]++] = (uint32_t)pair;
}

static void find_across(const TacMatrix *m, Run *run) {
    size_t row = 0;
    for (size_t k = 0; k < run->block_count; k++) {
        while (m->start[row + 1] <= run->where[k]) row++;
        run->across[k] = (uint32_t)tac_matrix_find(m, m->column[run->where[k]], row);
    }
}

static bool place_run(TacMatrix *m, Run *run) {
    size_t blocks = m->start[m->rows], used = 0, pairs = 0;
    uint32_t *count = calloc(blocks + 1, sizeof *count);
    if (!count) return false;
    on_pairs(m, run, count, count_pair);
    for (size_t k = 0; k < blocks; k++) used += count[k] > 0;
    for (size_t k = 0; k < blocks; k++) pairs += count[k];
    run->start = malloc((used + 1) * sizeof *run->start);
    run->where = malloc((used + 1) * sizeof *run->where);
    run->across = malloc((used + 1) * sizeof *run->across);
    run->pair = malloc((pairs + 1) * sizeof *run->pair);
    bool good = run->start && run->where && run->across && run->pair;
    if (good) {
        uint32_t at = 0;
        for (size_t k = 0; k < blocks; k++) {
            if (!count[k]) continue;
            run->start[run->block_count] = at;
            run->where[run->block_count++] = (uint32_t)k;
            at += count[k];
            count[k] = at - count[k];
        }
        run->start[used] = at;
        on_pairs(m, run, count, list_pair);
        find_across(m, run);
    }
    free(count);
    return good;
}

// Blocks that the first run does not store.
static bool list_empty(TacMatrix *m) {
    size_t blocks = m->start[m->rows];
    const Run *run = m->runs;
    uint8_t *stored = calloc(blocks + 1, 1);
    m->empty = malloc((blocks + 1) * sizeof *m->empty);
    bool good = stored && m->empty;
    for (size_t k = 0; good && k < run->block_count; k++) stored[run->where[k]] = stored[run->across[k]] = 1;
    for (size_t k = 0; good && k < blocks; k++)
        if (!stored[k]) m->empty[m->empty_count++] = (uint32_t)k;
    uint32_t *shorter = good ? realloc(m->empty, (m->empty_count + 1) * sizeof *m->empty) : NULL;
    if (shorter) m->empty = shorter;
    free(stored);
    return good;
}

static bool take_scratch(TacMatrix *m) {
    size_t runs = scratch_bytes(m), room = (m->room * sizeof *m->scratch + 63) / 64 * 64;
    free(m->scratch);
    m->scratch = aligned_alloc(64, (runs > room ? runs : room) + 64);
    return m->scratch;
}

bool tac_matrix_take_room(TacMatrix *m, size_t numbers, TacArena *arena) {
    size_t runs = scratch_bytes(m), bytes = numbers * sizeof *m->scratch;
    m->room = numbers;
    return take_scratch(m) && tac_arena_count(arena, bytes > runs ? bytes - runs : 0);
}

bool tac_matrix_place_runs(TacMatrix *m) {
    size_t blocks = m->start[m->rows];
    if ((m->run_count || m->room) && !take_scratch(m)) return false;
    if (!m->run_count) return true;
    if (blocks >= UINT32_MAX) return false;
    for (size_t i = 0; i < m->run_count; i++)
        if (!place_run(m, &m->runs[i])) return false;
    return list_empty(m);
}

void tac_matrix_clear(TacMatrix *m) {
    if (!m->run_count) memset(m->values, 0, m->value_count * sizeof *m->values);
    for (size_t k = 0; k < m->empty_count; k++)
        memset(m->values + 9 * (size_t)m->empty[k], 0, 9 * sizeof(double));
}
