// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pushes: parts s j j^T of a matrix, each along one direction of a few points. See matrix.h.
//
// Live layers push so, each instant others, and each other points. As blocks they would change the structure all the
// time; kept apart, they cost a product a few numbers each, and the blocks of all other laws stay as they are.

#include "base/team.h"
#include "solver/matrix.h"

enum { LEAST = 128 }; // pushes per part of a loop

static void push_blocks(TacMatrix *m, const uint32_t *points, const float *weights, size_t count,
                        const float normal[3], double scale) {
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l < count; l++) {
            double block[9], both = scale * weights[k] * weights[l];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) block[3 * r + c] = both * normal[r] * normal[c];
            tac_matrix_add(m, 0, points[k], 0, points[l], block);
        }
}

void tac_matrix_push(TacMatrix *m, const uint32_t *points, const float *weights, size_t count,
                     const float normal[3], double scale) {
    struct TacMatrixPushes *all = &m->pushes;
    if (!m->apart) {
        push_blocks(m, points, weights, count, normal, scale);
        return;
    }
    if (m->noting || !m->side[0].known || scale == 0) return;
    size_t n = all->entry_count;
    if (!tac_grow_bare(&all->list, &all->capacity, all->count + 1, sizeof *all->list) ||
        !tac_grow_bare(&all->entries, &all->entry_capacity, n + count, sizeof *all->entries)) {
        m->no_memory = true;
        return;
    }
    all->list[all->count] = (struct TacMatrixPush){.first = (uint32_t)n, .scale = scale};
    for (size_t k = 0; k < count; k++) {
        struct TacMatrixEntry *e = &all->entries[n + k];
        *e = (struct TacMatrixEntry){.row = (uint32_t)(m->side[0].row + points[k]),
                                     .push = (uint32_t)all->count};
        for (int a = 0; a < 3; a++) e->j[a] = (double)weights[k] * normal[a];
    }
    all->entry_count += count;
    all->count++;
}

// j = P j
static void project(const TacMatrix *m, struct TacMatrixEntry *e) {
    const double *p = m->projectors + (size_t)TAC_MOST_BLOCK * TAC_MOST_BLOCK * e->row;
    double j[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) j[i] += p[3 * i + k] * e->j[k];
    memcpy(e->j, j, sizeof j);
}

// Pushes mostly come in two runs, of vertices and of edges, each in the order of its rows: the second begins where rows
// go back farthest.
static void find_border(struct TacMatrixPushes *all) {
    uint32_t farthest = 0, last = 0;
    all->border = all->count;
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].first == all->list[i + 1].first) continue;
        uint32_t row = all->entries[all->list[i].first].row;
        if (i && last > row && last - row > farthest) {
            farthest = last - row;
            all->border = i;
        }
        last = row;
    }
}

// Entries by rows, in the order of their pushes.
bool tac_matrix_sort_pushes(TacMatrix *m) {
    struct TacMatrixPushes *all = &m->pushes;
    if (!all->count) return true;
    size_t n = all->entry_count;
    if (!tac_grow_bare(&all->list, &all->capacity, all->count + 1, sizeof *all->list) ||
        !tac_grow_bare(&all->of_row, &all->of_row_capacity, n, sizeof *all->of_row) ||
        !tac_grow_bare(&all->start, &all->start_capacity, m->rows + 2, sizeof *all->start) ||
        !tac_grow_bare(&all->along, &all->along_capacity, all->count, sizeof *all->along))
        return false;
    all->list[all->count].first = (uint32_t)n;
    find_border(all);
    memset(all->start, 0, (m->rows + 2) * sizeof *all->start);
    for (size_t k = 0; k < n; k++) {
        if (m->held) project(m, &all->entries[k]);
        all->start[all->entries[k].row + 2]++;
    }
    for (size_t r = 0; r < m->rows; r++) all->start[r + 2] += all->start[r + 1];
    for (size_t k = 0; k < n; k++) all->of_row[all->start[all->entries[k].row + 1]++] = all->entries[k];
    return true;
}

typedef struct Along {
    const TacMatrix *m;
    const double *in;
    size_t parts;
} Along;

static void find_along(const Along *a, size_t begin, size_t end) {
    const struct TacMatrixPushes *all = &a->m->pushes;
    for (size_t i = begin; i < end; i++) {
        double sum = 0;
        for (uint32_t k = all->list[i].first; k < all->list[i + 1].first; k++) {
            const struct TacMatrixEntry *e = &all->entries[k];
            const double *x = a->in + a->m->first[e->row];
            sum += e->j[0] * x[0] + e->j[1] * x[1] + e->j[2] * x[2];
        }
        all->along[i] = all->list[i].scale * sum;
    }
}

// A part of both runs: rows that lie together, and mostly are those of the same thread's products.
static void along_parts(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Along *a = data;
    size_t border = a->m->pushes.border, rest = a->m->pushes.count - border;
    for (size_t i = begin; i < end; i++) {
        find_along(a, border * i / a->parts, border * (i + 1) / a->parts);
        find_along(a, border + rest * i / a->parts, border + rest * (i + 1) / a->parts);
    }
}

void tac_matrix_along(const TacMatrix *m, const TacContext *context, const double *in) {
    size_t n = m->pushes.count;
    if (!n) return;
    Along a = {m, in, tac_chunks(n, tac_team_grain(context->team, n, LEAST))};
    tac_team_run(context->team, a.parts, 1, along_parts, &a);
}

void tac_matrix_forget_pushes(TacMatrix *m) {
    free(m->pushes.list);
    free(m->pushes.entries);
    free(m->pushes.of_row);
    free(m->pushes.start);
    free(m->pushes.along);
    m->pushes = (struct TacMatrixPushes){0};
}
