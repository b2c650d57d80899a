// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Products with an assembled matrix. See matrix.h.
//
// Blocks of 3x3 are multiplied row by row, each as one wide number of four lanes that reads one number past its
// end; the fourth lane is never looked at. So a block takes four loads, three products and three sums, and is as
// fast as its 72 bytes come from the second cache.

#include "base/team.h"
#include "law/wide.h"
#include "solver/matrix.h"

void tac_matrix_collect(const TacMatrix *m, TacVector from, double *to) {
    const TacProgram *p = m->program;
    for (size_t i = 0; i < p->matter_count; i++) {
        size_t n = tac_vector_size(p->matters[i], from);
        memcpy(to, p->matters[i]->vectors[from], n * sizeof *to);
        to += n;
    }
}

void tac_matrix_spread(const TacMatrix *m, const double *from, TacVector to) {
    const TacProgram *p = m->program;
    for (size_t i = 0; i < p->matter_count; i++) {
        size_t n = tac_vector_size(p->matters[i], to);
        memcpy(p->matters[i]->vectors[to], from, n * sizeof *from);
        from += n;
    }
}

typedef struct Product {
    const TacMatrix *m;
    const double *in;
    double *out;
} Product;

// After tac_matrix_along.
static inline void add_pushes(const TacMatrix *m, size_t row, double *y) {
    const struct TacMatrixPushes *all = &m->pushes;
    for (uint32_t k = all->start[row]; k < all->start[row + 1]; k++) {
        const struct TacMatrixEntry *e = &all->of_row[k];
        for (int i = 0; i < 3; i++) y[i] += all->along[e->push] * e->j[i];
    }
}

static double multiply_rows_3(const Product *p, size_t begin, size_t end) {
    const TacMatrix *m = p->m;
    const double *v = m->values + 9 * m->start[begin];
    double work = 0;
    for (size_t r = begin; r < end; r++) {
        TacFour a = {0}, b = a, c = a;
        for (size_t k = m->start[r]; k < m->start[r + 1]; k++, v += 9) {
            TacFour x = *(const TacLooseFour *)(p->in + 3 * (size_t)m->column[k]);
            a += *(const TacLooseFour *)v * x;
            b += *(const TacLooseFour *)(v + 3) * x;
            c += *(const TacLooseFour *)(v + 6) * x;
        }
        const double *x = p->in + 3 * r;
        double y[3] = {a[0] + a[1] + a[2], b[0] + b[1] + b[2], c[0] + c[1] + c[2]};
        if (m->pushes.count) add_pushes(m, r, y);
        work += x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        for (size_t i = 0; i < 3; i++) p->out[3 * r + i] = y[i];
    }
    return work;
}

static double multiply_rows(const Product *p, size_t begin, size_t end) {
    const TacMatrix *m = p->m;
    double work = 0;
    for (size_t r = begin; r < end; r++) {
        double *y = p->out + m->first[r];
        for (size_t i = 0; i < m->size[r]; i++) y[i] = 0;
        for (size_t k = m->start[r]; k < m->start[r + 1]; k++) {
            const double *v = tac_matrix_block(m, k), *x = p->in + m->first[m->column[k]];
            size_t columns = m->size[m->column[k]];
            for (size_t i = 0; i < m->size[r]; i++)
                for (size_t j = 0; j < columns; j++) y[i] += v[columns * i + j] * x[j];
        }
        if (m->pushes.count) add_pushes(m, r, y);
        for (size_t i = 0; i < m->size[r]; i++) work += y[i] * p->in[m->first[r] + i];
    }
    return work;
}

static void multiply_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Product *p = data;
    p->m->partial[chunk] = p->m->block == 3 ? multiply_rows_3(p, begin, end) : multiply_rows(p, begin, end);
}

double tac_matrix_product(const TacMatrix *m, const TacContext *context, const double *in, double *out) {
    Product product = {m, in, out};
    tac_matrix_along(m, context, in);
    tac_team_run(context->team, m->rows, TAC_MATRIX_GRAIN, multiply_chunk, &product);
    double sum = 0;
    for (size_t i = 0; i < tac_chunks(m->rows, TAC_MATRIX_GRAIN); i++) sum += m->partial[i];
    return sum;
}

void tac_matrix_multiply(TacMatrix *m, const TacContext *context, TacVector d, TacVector out) {
    tac_matrix_collect(m, d, m->in);
    tac_matrix_product(m, context, m->in, m->out);
    tac_matrix_spread(m, m->out, out);
}
