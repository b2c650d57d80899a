// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "solver/spook_system.h"

#include <amd.h>

enum { PATIENCE = 3, MOST_ROUNDS = 200, MOST_PASSES = 20, SWEEPS = 100 };
static const double REGULAR = 1e-13;   // of the diagonal, so that rows that say the same do not break it
static const double DEPENDENT = 1e-12; // a pivot this much below its diagonal has lost its digits

#define TAKE(field, count)                                                                                   \
    do {                                                                                                     \
        s->field = tac_arena_array(arena, (count), sizeof *s->field);                                        \
        if (!s->field) return tac_fail_memory(error, (count) * sizeof *s->field);                            \
    } while (0)

TacStatus tac_spook_system_create(TacSpookSystem *s, TacArena *arena, TacError *error) {
    size_t n = s->rows.capacity, b = s->rows.block_capacity;
    TAKE(rows.rows, n);
    TAKE(rows.blocks, b);
    TAKE(wj, b);
    TAKE(v, s->number_count);
    TAKE(v_free, s->number_count);
    TAKE(dv, s->number_count);
    TAKE(active, s->slot_count);
    TAKE(forces, s->slot_count);
    TAKE(rhs, n);
    TAKE(sigma, n);
    TAKE(low, n);
    TAKE(high, n);
    TAKE(l, n);
    TAKE(residual, n);
    TAKE(set, n);
    TAKE(seen_bodies, b);
    TAKE(seen_rows, b);
    TAKE(order, n);
    TAKE(position, n);
    TAKE(list_start, s->body_count + 2);
    TAKE(list, b);
    TAKE(queue, s->body_count);
    TAKE(above, s->body_count);
    TAKE(degree_work, 8 * n + 8);
    TAKE(parent, n);
    TAKE(flag, n);
    TAKE(pattern, n);
    TAKE(fill, n);
    TAKE(column, n + 1);
    TAKE(d, n);
    TAKE(y, n);
    s->seen_count = SIZE_MAX;
    return TAC_OK;
}

void tac_spook_system_destroy(TacSpookSystem *s) {
    free(s->li);
    free(s->lx);
    free(s->pattern_of_rows);
    s->pattern_of_rows = NULL;
    s->li = NULL;
    s->lx = NULL;
}

// --- structure --------------------------------------------------------------------------------------------

static bool moves(const TacSpookSystem *s, const TacBlock *block) {
    return s->bodies[block->body].form != TAC_BODY_HELD;
}

static bool structure_holds(TacSpookSystem *s) {
    const TacRows *r = &s->rows;
    bool same = s->seen_count == r->count && s->seen_blocks == r->block_count;
    s->seen_count = r->count;
    s->seen_blocks = r->block_count;
    for (size_t b = 0; b < r->block_count; b++) {
        uint32_t body = moves(s, &r->blocks[b]) ? r->blocks[b].body : TAC_NO_BODY;
        same = same && s->seen_bodies[b] == body && s->seen_rows[b] == r->blocks[b].row;
        s->seen_bodies[b] = body;
        s->seen_rows[b] = r->blocks[b].row;
    }
    return same;
}

// Blocks of each movable body, rows in the order given by `order` (or as they come).
static void list_blocks(TacSpookSystem *s, const uint32_t *order) {
    const TacRows *r = &s->rows;
    memset(s->list_start, 0, (s->body_count + 2) * sizeof *s->list_start);
    for (size_t b = 0; b < r->block_count; b++)
        if (moves(s, &r->blocks[b])) s->list_start[r->blocks[b].body + 2]++;
    for (size_t i = 2; i < s->body_count + 2; i++) s->list_start[i] += s->list_start[i - 1];
    for (size_t k = 0; k < r->count; k++) {
        const TacRow *row = &r->rows[order ? order[k] : k];
        for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++)
            if (moves(s, &r->blocks[b])) s->list[s->list_start[r->blocks[b].body + 1]++] = b;
    }
}

// A row found from `from` leads on to bodies that are new; true when one of them was known, but not as the one
// next to it: a loop.
static bool walk_on(TacSpookSystem *s, const TacRow *row, uint32_t from, size_t *tail) {
    bool loop = false;
    for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++) {
        uint32_t body = s->rows.blocks[b].body;
        if (body == from || !moves(s, &s->rows.blocks[b])) continue;
        if (s->above[body] == TAC_NO_BODY) {
            s->above[body] = from;
            s->queue[(*tail)++] = body;
        } else if (s->above[body] != from && s->above[from] != body) {
            loop = true;
        }
    }
    return loop;
}

// Rows in the order in which a walk in breadth finds them, written from the back. True when there is a loop.
static bool find_order(TacSpookSystem *s) {
    const TacRows *r = &s->rows;
    list_blocks(s, NULL);
    size_t left = r->count;
    bool loops = false;
    for (size_t i = 0; i < r->count; i++) s->position[i] = TAC_NO_BODY;
    for (size_t b = 0; b < s->body_count; b++) s->above[b] = TAC_NO_BODY;
    for (size_t root = 0; root < s->body_count; root++) {
        size_t head = 0, tail = 0;
        if (s->list_start[root] == s->list_start[root + 1] || s->above[root] != TAC_NO_BODY) continue;
        s->above[root] = (uint32_t)root;
        s->queue[tail++] = (uint32_t)root;
        while (head < tail) {
            uint32_t body = s->queue[head++];
            for (uint32_t e = s->list_start[body]; e < s->list_start[body + 1]; e++) {
                uint32_t i = r->blocks[s->list[e]].row;
                if (s->position[i] != TAC_NO_BODY) continue;
                s->order[--left] = i;
                s->position[i] = (uint32_t)left;
                loops = walk_on(s, &r->rows[i], body, &tail) || loops;
            }
        }
    }
    for (size_t i = 0; i < r->count; i++) // rows of nothing that moves
        if (s->position[i] == TAC_NO_BODY) {
            s->order[--left] = (uint32_t)i;
            s->position[i] = (uint32_t)left;
        }
    return loops;
}

// Which rows meet, each once, for minimum degree. False when there is no memory.
static bool list_meetings(TacSpookSystem *s, int *start, int *length) {
    const TacRows *r = &s->rows;
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) s->flag[i] = -1;
    for (size_t i = 0; i < r->count; i++) {
        start[i] = (int)n;
        s->flag[i] = (int32_t)i;
        const TacRow *row = &r->rows[i];
        for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++) {
            if (!moves(s, &r->blocks[b])) continue;
            uint32_t body = r->blocks[b].body;
            size_t most = s->list_start[body + 1] - s->list_start[body];
            if (n + most > INT32_MAX / 2 ||
                !tac_grow(&s->pattern_of_rows, &s->pattern_capacity, n + most, sizeof *s->pattern_of_rows))
                return false;
            for (uint32_t e = s->list_start[body]; e < s->list_start[body + 1]; e++) {
                uint32_t other = r->blocks[s->list[e]].row;
                if (s->flag[other] == (int32_t)i) continue;
                s->flag[other] = (int32_t)i;
                s->pattern_of_rows[n++] = (int)other;
            }
        }
        length[i] = (int)n - start[i];
    }
    // elbow room that it asks for
    return tac_grow(&s->pattern_of_rows, &s->pattern_capacity, n + n / 5 + r->count + 1,
                    sizeof *s->pattern_of_rows);
}

static bool find_order_of_loops(TacSpookSystem *s) {
    size_t n = s->rows.count;
    int *w = s->degree_work;
    int *start = w, *length = w + n, *nv = w + 2 * n, *next = w + 3 * n, *last = w + 4 * n, *head = w + 5 * n,
        *elen = w + 6 * n, *degree = w + 7 * n;
    if (!list_meetings(s, start, length)) return false;
    int used = n ? start[n - 1] + length[n - 1] : 0;
    amd_2((int)n, start, s->pattern_of_rows, length, (int)((size_t)used + (size_t)used / 5 + n + 1), used, nv,
          next, last, head, elen, degree, s->pattern, NULL, NULL);
    for (size_t k = 0; k < n; k++) {
        s->order[k] = (uint32_t)last[k];
        s->position[last[k]] = (uint32_t)k;
    }
    return true;
}

// Elimination tree and counts of L's columns.
static bool find_fill(TacSpookSystem *s) {
    const TacRows *r = &s->rows;
    for (size_t k = 0; k < r->count; k++) {
        s->parent[k] = -1;
        s->fill[k] = 0;
        s->flag[k] = (int32_t)k;
        const TacRow *row = &r->rows[s->order[k]];
        for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++) {
            if (!moves(s, &r->blocks[b])) continue;
            uint32_t body = r->blocks[b].body;
            for (uint32_t e = s->list_start[body]; e < s->list_start[body + 1]; e++) {
                uint32_t p = s->position[r->blocks[s->list[e]].row];
                if (p >= k) break; // the list is in this order
                for (int32_t i = (int32_t)p; s->flag[i] != (int32_t)k; i = s->parent[i]) {
                    if (s->parent[i] == -1) s->parent[i] = (int32_t)k;
                    s->fill[i]++;
                    s->flag[i] = (int32_t)k;
                }
            }
        }
    }
    s->column[0] = 0;
    for (size_t k = 0; k < r->count; k++) s->column[k + 1] = s->column[k] + (size_t)s->fill[k];
    size_t need = s->column[r->count] + 1;
    return tac_grow(&s->li, &s->l_capacity, need, sizeof *s->li) &&
           tac_grow(&s->lx, &s->lx_capacity, need, sizeof *s->lx);
}

static bool find_structure(TacSpookSystem *s) {
    if (structure_holds(s)) return true;
    if (find_order(s) && !find_order_of_loops(s)) return false;
    list_blocks(s, s->order);
    // list_blocks leaves list_start[b + 1] at the end of b, that is at the start of b + 1
    return find_fill(s);
}

// --- numbers ----------------------------------------------------------------------------------------------

static void weigh_blocks(TacSpookSystem *s) {
    const TacRows *r = &s->rows;
    for (size_t b = 0; b < r->block_count; b++) {
        const TacBlock *block = &r->blocks[b];
        const TacSpookBody *body = &s->bodies[block->body];
        const double *w = s->weights + body->weight;
        double *out = s->wj[b];
        size_t n = body->size;
        if (body->form == TAC_BODY_MATRIX) {
            for (size_t i = 0; i < n; i++) {
                double sum = 0;
                for (size_t k = 0; k < n; k++) sum += w[n * i + k] * block->j[k];
                out[i] = sum;
            }
        } else {
            double one = body->form == TAC_BODY_POINT ? w[0] : 0;
            for (size_t k = 0; k < n; k++) out[k] = one * block->j[k];
        }
    }
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if (n == 6) sum += a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
    return sum;
}

static size_t size_of(const TacSpookSystem *s, const TacBlock *block) {
    return s->bodies[block->body].size;
}

// Scatters what row k meets among the free rows before it into y; the rows of L that it reaches come last in
// `pattern`, in order. Returns where they begin.
static size_t reach(TacSpookSystem *s, size_t k, const TacRow *row) {
    const TacRows *r = &s->rows;
    size_t top = r->count;
    s->flag[k] = (int32_t)k;
    for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++) {
        const TacBlock *block = &r->blocks[b];
        if (!moves(s, block)) continue;
        size_t n = size_of(s, block);
        for (uint32_t e = s->list_start[block->body]; e < s->list_start[block->body + 1]; e++) {
            const TacBlock *other = &r->blocks[s->list[e]];
            uint32_t p = s->position[other->row];
            if (p >= k) break;
            if (s->set[other->row] != TAC_ROW_FREE) continue;
            s->y[p] += dot(other->j, s->wj[b], n);
            size_t length = 0;
            for (int32_t i = (int32_t)p; s->flag[i] != (int32_t)k; i = s->parent[i]) {
                s->pattern[length++] = i;
                s->flag[i] = (int32_t)k;
            }
            while (length > 0) s->pattern[--top] = s->pattern[--length];
        }
    }
    return top;
}

static double diagonal(const TacSpookSystem *s, size_t i) {
    const TacRow *row = &s->rows.rows[i];
    double sum = 0;
    for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++)
        sum += dot(s->rows.blocks[b].j, s->wj[b], size_of(s, &s->rows.blocks[b]));
    return sum;
}

static void factorise(TacSpookSystem *s) {
    const TacRows *r = &s->rows;
    for (size_t k = 0; k < r->count; k++) {
        s->y[k] = 0;
        s->fill[k] = 0;
        uint32_t i = s->order[k];
        s->d[k] = INFINITY;
        s->flag[k] = (int32_t)k;
        if (s->set[i] != TAC_ROW_FREE) continue;
        size_t top = reach(s, k, &r->rows[i]);
        double own = diagonal(s, i) + s->sigma[i];
        double pivot = own * (1 + REGULAR);
        for (; top < r->count; top++) {
            size_t c = (size_t)s->pattern[top];
            double yc = s->y[c];
            s->y[c] = 0;
            size_t end = s->column[c] + (size_t)s->fill[c];
            for (size_t q = s->column[c]; q < end; q++) s->y[s->li[q]] -= s->lx[q] * yc;
            double lki = yc / s->d[c];
            pivot -= lki * yc;
            s->li[end] = (uint32_t)k;
            s->lx[end] = lki;
            s->fill[c]++;
        }
        if (own > 0 && pivot > DEPENDENT * own) s->d[k] = pivot;
    }
}

// l of the free rows, for the others as they are.
static void back_substitute(TacSpookSystem *s) {
    size_t n = s->rows.count;
    double *z = s->residual; // by place
    for (size_t k = 0; k < n; k++) {
        uint32_t i = s->order[k];
        z[k] = s->set[i] == TAC_ROW_FREE ? s->y[i] : 0;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t q = s->column[k]; q < s->column[k] + (size_t)s->fill[k]; q++)
            z[s->li[q]] -= s->lx[q] * z[k];
    for (size_t k = 0; k < n; k++) z[k] /= s->d[k];
    for (size_t k = n; k-- > 0;)
        for (size_t q = s->column[k]; q < s->column[k] + (size_t)s->fill[k]; q++)
            z[k] -= s->lx[q] * z[s->li[q]];
    for (size_t k = 0; k < n; k++)
        if (s->set[s->order[k]] == TAC_ROW_FREE) s->l[s->order[k]] = z[k];
}

// dv = W G^T l
static void spread(TacSpookSystem *s, bool held_only) {
    const TacRows *r = &s->rows;
    memset(s->dv, 0, s->number_count * sizeof *s->dv);
    for (size_t b = 0; b < r->block_count; b++) {
        const TacBlock *block = &r->blocks[b];
        if (held_only && s->set[block->row] == TAC_ROW_FREE) continue;
        double l = s->l[block->row];
        if (l == 0) continue;
        double *dv = s->dv + s->bodies[block->body].first;
        size_t n = size_of(s, block);
        for (size_t k = 0; k < n; k++) dv[k] += s->wj[b][k] * l;
    }
}

// (S l)_i for the dv that spread made.
static double product(const TacSpookSystem *s, size_t i) {
    const TacRow *row = &s->rows.rows[i];
    double sum = s->sigma[i] * s->l[i];
    for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++) {
        const TacBlock *block = &s->rows.blocks[b];
        sum += dot(block->j, s->dv + s->bodies[block->body].first, size_of(s, block));
    }
    return sum;
}

// --- active set -------------------------------------------------------------------------------------------

static void solve_free(TacSpookSystem *s) {
    size_t n = s->rows.count;
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (s->set[i] == TAC_ROW_FREE) continue;
        s->l[i] = s->set[i] == TAC_ROW_AT_LOW ? s->low[i] : s->high[i];
        any = any || s->l[i] != 0;
    }
    factorise(s); // leaves y zero
    if (any) spread(s, true);
    for (size_t i = 0; i < n; i++) {
        double held = 0;
        if (any && s->set[i] == TAC_ROW_FREE) {
            s->l[i] = 0;
            held = product(s, i);
        }
        s->y[i] = s->rhs[i] - held;
    }
    back_substitute(s);
}

// Where a row would rather be.
static uint8_t wish(const TacSpookSystem *s, size_t i, double slack, double scale) {
    const double tiny = 1e-12;
    switch (s->set[i]) {
    case TAC_ROW_FREE:
        if (s->l[i] < s->low[i]) return TAC_ROW_AT_LOW;
        return s->l[i] > s->high[i] ? TAC_ROW_AT_HIGH : TAC_ROW_FREE;
    case TAC_ROW_AT_LOW: return (uint8_t)(slack < -tiny * scale ? TAC_ROW_FREE : TAC_ROW_AT_LOW);
    default: return slack > tiny * scale ? TAC_ROW_FREE : TAC_ROW_AT_HIGH;
    }
}

static double within(const TacSpookSystem *s, size_t i, double l) {
    return fmin(fmax(l, s->low[i]), s->high[i]);
}

// What forces within their bounds are meant to make least: l.S l / 2 - l.b, for the dv that spread made.
static double objective(const TacSpookSystem *s) {
    double sum = 0;
    for (size_t i = 0; i < s->rows.count; i++) sum += s->l[i] * (0.5 * product(s, i) - s->rhs[i]);
    return sum;
}

// One row after the other is made as good as it can be. Each makes the whole better, never worse.
static void sweep(TacSpookSystem *s, size_t i) {
    const TacRow *row = &s->rows.rows[i];
    double own = diagonal(s, i) + s->sigma[i];
    if (!(own > 0)) return;
    double l = within(s, i, s->l[i] + (s->rhs[i] - product(s, i)) / own), more = l - s->l[i];
    s->l[i] = l;
    for (uint32_t b = row->first_block; more != 0 && b < row->first_block + row->block_count; b++) {
        const TacBlock *block = &s->rows.blocks[b];
        double *dv = s->dv + s->bodies[block->body].first;
        for (size_t k = 0; k < size_of(s, block); k++) dv[k] += s->wj[b][k] * more;
    }
}

// Rounds ran out. Forces that are merely put onto their bounds could be any, and throw things about; these are better than
// none at all, which is what counts: none does no work.
static void descend(TacSpookSystem *s) {
    size_t n = s->rows.count;
    for (size_t i = 0; i < n; i++) s->l[i] = within(s, i, s->l[i]);
    spread(s, false);
    if (!(objective(s) < 0)) {
        for (size_t i = 0; i < n; i++) s->l[i] = within(s, i, 0);
        spread(s, false);
    }
    for (int k = 0; k < SWEEPS; k++)
        for (size_t i = 0; i < n; i++) sweep(s, k % 2 ? n - 1 - i : i);
    spread(s, false);
}

// Solves with the bounds as they are.
static TacSpookReport solve_bounded(TacSpookSystem *s) {
    TacSpookReport report = {0};
    const TacRows *r = &s->rows;
    size_t n = r->count;
    double scale = 0;
    bool bounded = false;
    for (size_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs(s->rhs[i]));
        s->set[i] = s->active[r->rows[i].slot];
        // a bound that is not there cannot hold a row
        if (s->set[i] == TAC_ROW_AT_LOW && s->low[i] == -INFINITY) s->set[i] = TAC_ROW_FREE;
        if (s->set[i] == TAC_ROW_AT_HIGH && s->high[i] == INFINITY) s->set[i] = TAC_ROW_FREE;
        bounded = bounded || s->low[i] > -INFINITY || s->high[i] < INFINITY;
    }
    size_t fewest = SIZE_MAX;
    int patience = PATIENCE;
    for (;;) {
        report.rounds++;
        solve_free(s);
        spread(s, false);
        if (!bounded) break;
        size_t wrong = 0, last = 0;
        report.residual = 0;
        for (size_t i = 0; i < n; i++) {
            double slack = s->set[i] == TAC_ROW_FREE ? 0 : product(s, i) - s->rhs[i];
            if (wish(s, i, slack, scale) == s->set[i]) continue;
            wrong++;
            last = i;
            if (scale > 0) report.residual = fmax(report.residual, fabs(slack) / scale);
        }
        if (!wrong || report.rounds == MOST_ROUNDS) break;
        if (wrong < fewest) {
            fewest = wrong;
            patience = PATIENCE;
        } else {
            patience--;
        }
        for (size_t i = patience >= 0 ? 0 : last; i < n && i <= last; i++) {
            double slack = s->set[i] == TAC_ROW_FREE ? 0 : product(s, i) - s->rhs[i];
            s->residual[i] = wish(s, i, slack, scale);
        }
        for (size_t i = patience >= 0 ? 0 : last; i < n && i <= last; i++)
            s->set[i] = (uint8_t)s->residual[i];
    }
    for (size_t i = 0; i < n; i++) s->active[r->rows[i].slot] = s->set[i];
    if (report.rounds == MOST_ROUNDS) descend(s);
    return report;
}

// --- friction -----------------------------------------------------------------------------------------------

static bool has_friction(const TacSpookSystem *s) {
    for (size_t i = 0; i < s->rows.count; i++)
        if (s->rows.rows[i].friction > 0) return true;
    return false;
}

// Bounds of friction from the forces that were found. Returns how far they are from the last ones, of the largest.
static double set_friction(TacSpookSystem *s) {
    double changed = 0, largest = 0;
    for (size_t i = 0; i + 1 < s->rows.count; i++) {
        const TacRow *row = &s->rows.rows[i];
        if (!(row->friction > 0)) continue;
        double most = row->friction * fmax(s->l[row->presses], 0), both = hypot(s->l[i], s->l[i + 1]);
        for (size_t k = i; k < i + 2; k++) {
            // within the cone the rows are as free as they can be; on it they keep their direction
            double bound = both < most * (1 - 1e-9) || both == 0 ? most : most * fabs(s->l[k]) / both;
            changed = fmax(changed, fabs(bound - s->high[k]));
            largest = fmax(largest, most);
            s->high[k] = bound;
            s->low[k] = -bound;
        }
    }
    // where nothing presses any more, nothing may be held either
    return changed > 0 ? changed / largest : 0;
}

TacSpookReport tac_spook_system_solve(TacSpookSystem *s) {
    if (!find_structure(s)) {
        s->seen_count = SIZE_MAX; // what was seen has no structure
        return (TacSpookReport){.failed = true};
    }
    weigh_blocks(s);
    TacSpookReport report = solve_bounded(s);
    if (!has_friction(s)) return report;
    for (int pass = 0; pass < MOST_PASSES && set_friction(s) > 1e-9; pass++) {
        TacSpookReport next = solve_bounded(s);
        report.rounds += next.rounds;
        report.residual = next.residual;
    }
    return report;
}
