// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Ordering, analysis, factorisation and solves. See factor.h for the method.

#include "solver/factor.h"
#include "solver/panel.h"

#include <amd.h>
#include <float.h>
#include <limits.h>

// A pivot this much smaller than the diagonal it came from has no digits left.
static const double VANISHED = 64 * DBL_EPSILON;

// Columns first .. first + width - 1 of L and the rows below them.
typedef struct Panel {
    size_t first, width, height; // numbers; height: width and rows below
    size_t values;               // its first one; column-major, `height` apart
    size_t rows;                 // its first row below, in `rows`
    uint32_t first_point, points;
} Panel;

struct TacFactor {
    uint64_t generation;
    size_t points, scalars, panel_count, row_count, value_count;
    uint32_t *order, *place; // point at a place in the order of elimination, and back
    size_t *number;          // per place: its first number, in that order; one more at the end
    Panel *panels;
    uint32_t *panel_of; // per place
    uint32_t *rows;     // numbers, ascending in a panel
    double *values;     // L below the diagonal, D on it
    // while computing
    uint32_t *head, *next; // lists of panels that reach into one, next one
    size_t *reached;       // per panel: rows below that are done
    uint32_t *local;       // per number: its row in the panel at work
    double *update, *packed, *vector, *diagonal;
};

// --- the order of elimination -----------------------------------------------------------------------------

// What the analysis needs for a while.
typedef struct Analysis {
    const TacMatrix *m;
    TacFactor *f;
    uint32_t *parent; // in the elimination tree, by place
    uint32_t *count;  // rows of a column of L, the diagonal too
    uint32_t *mark, *list;
    uint32_t *starts; // first places of panels
} Analysis;

static TacStatus find_order(TacFactor *f, const TacMatrix *m, TacError *error) {
    size_t n = m->rows, blocks = m->start[n];
    if (blocks >= INT_MAX || n >= INT_MAX)
        return tac_fail(error, TAC_BAD_INPUT, "%zu blocks are too many for a direct solver", blocks);
    int *start = malloc((n + 1) * sizeof *start), *column = malloc((blocks + 1) * sizeof *column);
    int *order = malloc((n + 1) * sizeof *order);
    int status = AMD_OUT_OF_MEMORY;
    if (start && column && order) {
        for (size_t i = 0; i <= n; i++) start[i] = (int)m->start[i];
        for (size_t k = 0; k < blocks; k++) column[k] = (int)m->column[k];
        status = amd_order((int)n, start, column, order, NULL, NULL);
        for (size_t i = 0; i < n && status >= AMD_OK && status != AMD_INVALID; i++)
            f->order[i] = (uint32_t)order[i];
    }
    free(start);
    free(column);
    free(order);
    if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED) return tac_fail_memory(error, blocks * 16);
    return TAC_OK;
}

static void invert_order(TacFactor *f) {
    for (size_t i = 0; i < f->points; i++) f->place[f->order[i]] = (uint32_t)i;
}

// Parents in the elimination tree and the number of rows of each column: one walk up the tree for each entry
// (Liu 1990). False when L has more than `most` blocks; the walk stops there.
static bool find_tree(Analysis *a, size_t most) {
    TacFactor *f = a->f;
    size_t blocks = 0;
    for (uint32_t k = 0; k < f->points && blocks <= most; k++) {
        a->parent[k] = UINT32_MAX;
        a->mark[k] = k;
        a->count[k] = 1;
        size_t row = f->order[k];
        for (size_t b = a->m->start[row]; b < a->m->start[row + 1]; b++) {
            uint32_t i = f->place[a->m->column[b]];
            if (i >= k) continue;
            for (; a->mark[i] != k; i = a->parent[i]) {
                if (a->parent[i] == UINT32_MAX) a->parent[i] = k;
                a->count[i]++;
                a->mark[i] = k;
                blocks++;
            }
        }
    }
    return blocks <= most;
}

// --- which order ------------------------------------------------------------------------------------------

// Products of blocks that eliminating the points in an order takes, as panels do it; infinite where L has more than
// `most` blocks. `blocks` is how many it has.
static double price_order(Analysis *a, const uint32_t *order, size_t most, size_t *blocks) {
    TacFactor *f = a->f;
    if (order != f->order) memcpy(f->order, order, f->points * sizeof *order);
    invert_order(f);
    if (!find_tree(a, most)) return INFINITY;
    double price = 0;
    *blocks = 0;
    for (size_t k = 0; k < f->points; k++) {
        price += (double)a->count[k] * a->count[k];
        *blocks += a->count[k];
    }
    return price;
}

// Neighbours by neighbours, breadth first, from a point at the far end of each piece (Cuthill and McKee 1969,
// without sorting by degree), and then backwards: long thin bodies are eliminated from end to end.
static void order_by_levels(Analysis *a, uint32_t *order) {
    const TacMatrix *m = a->m;
    uint32_t n = (uint32_t)a->f->points, done = 0, *level = a->count;
    for (uint32_t i = 0; i < n; i++) a->mark[i] = 0;
    for (uint32_t seed = 0; seed < n; seed++) {
        if (a->mark[seed] == 2) continue;
        // twice: the last point of the first search is far from the others
        for (uint32_t turn = 1, from = seed; turn <= 2; turn++) {
            uint32_t end = done;
            level[end++] = from;
            a->mark[from] = turn;
            for (uint32_t i = done; i < end; i++)
                for (size_t b = m->start[level[i]]; b < m->start[level[i] + 1]; b++) {
                    uint32_t next = m->column[b];
                    if (a->mark[next] >= turn) continue;
                    a->mark[next] = turn;
                    level[end++] = next;
                }
            from = level[end - 1];
            if (turn == 2) done = end;
        }
    }
    for (uint32_t i = 0; i < n; i++) order[i] = level[n - 1 - i];
}

// AMD's order stands in f->order. Bars and tubes are eliminated with less from end to end, in the order that they
// came in or by levels; solids and sheets are not. Panels of such orders are also fewer and larger, so they win a
// draw.
static void choose_order(Analysis *a) {
    static const double DRAW = 1.1;
    TacFactor *f = a->f;
    uint32_t n = (uint32_t)f->points, *best = a->starts, *other = a->list;
    size_t blocks, more;
    memcpy(best, f->order, n * sizeof *best);
    double price = DRAW * price_order(a, best, SIZE_MAX, &blocks);
    size_t most = blocks + blocks / 4;
    for (int way = 0; way < 2; way++) {
        if (way == 1) order_by_levels(a, other);
        for (uint32_t i = 0; way == 0 && i < n; i++) other[i] = i;
        double new = price_order(a, other, most, &more);
        if (!(new < price)) continue;
        price = new;
        memcpy(best, other, n * sizeof *best);
    }
    memcpy(f->order, best, n * sizeof *best);
    invert_order(f);
}

// Children before parents, families together: panels are then columns in a row.
static void postorder(Analysis *a) {
    TacFactor *f = a->f;
    uint32_t *first_child = a->mark, *sibling = a->list, *new_order = a->count, n = (uint32_t)f->points;
    for (uint32_t k = 0; k < n; k++) first_child[k] = UINT32_MAX;
    uint32_t root = UINT32_MAX;
    for (uint32_t k = n; k-- > 0;) {
        uint32_t *head = a->parent[k] == UINT32_MAX ? &root : &first_child[a->parent[k]];
        sibling[k] = *head;
        *head = k;
    }
    uint32_t done = 0, k = root;
    while (k != UINT32_MAX) {
        while (first_child[k] != UINT32_MAX) { // down, leaving no way back
            uint32_t child = first_child[k];
            first_child[k] = UINT32_MAX;
            k = child;
        }
        new_order[done++] = f->order[k];
        k = sibling[k] != UINT32_MAX ? sibling[k] : a->parent[k];
    }
    memcpy(f->order, new_order, n * sizeof *f->order);
    invert_order(f);
}

// --- panels -----------------------------------------------------------------------------------------------

// Whether a panel may be joined with the next one when a part of it, `zeros`, would be zeros.
static bool may_join(double numbers, double zeros) {
    return numbers <= 12 ? zeros < 0.7 : numbers <= 36 ? zeros < 0.25 : numbers <= 96 ? zeros < 0.06 : false;
}

// Columns with the same rows, then neighbours that are nearly so.
static size_t find_panels(Analysis *a) {
    TacFactor *f = a->f;
    uint32_t n = (uint32_t)f->points;
    size_t panels = 0;
    double each = n ? (double)f->scalars / n : 1, zeros = 0;
    for (uint32_t k = 0; k < n; k++) {
        bool same = k > 0 && a->parent[k - 1] == k && a->count[k - 1] == a->count[k] + 1;
        if (same) continue;
        // zeros that joining the last panel with the column here would add to what it has
        if (panels > 0 && a->parent[k - 1] == k) {
            uint32_t first = a->starts[panels - 1];
            double width = k - first, added = width * ((double)a->count[k] + 1 - a->count[k - 1]);
            double all = (width + 1) * (width / 2 + a->count[k]);
            if (may_join(each * (width + 1), (zeros + added) / all)) {
                zeros += added;
                continue;
            }
        }
        a->starts[panels++] = k;
        zeros = 0;
    }
    return panels;
}

static int compare_rows(const void *a, const void *b) {
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return (i > j) - (i < j);
}

// Rows below panel p, by place, into a->list: those of the matrix and those of its children.
static size_t rows_below(Analysis *a, uint32_t p, const uint32_t *below, const size_t *below_start,
                         const uint32_t *first_child, const uint32_t *sibling) {
    TacFactor *f = a->f;
    uint32_t begin = a->starts[p], end = begin + f->panels[p].points;
    size_t n = 0;
    for (uint32_t k = begin; k < end; k++) {
        size_t row = f->order[k];
        for (size_t b = a->m->start[row]; b < a->m->start[row + 1]; b++) {
            uint32_t i = f->place[a->m->column[b]];
            if (i < end || a->mark[i] == p) continue;
            a->mark[i] = p;
            a->list[n++] = i;
        }
    }
    for (uint32_t c = first_child[p]; c != UINT32_MAX; c = sibling[c])
        for (size_t b = below_start[c]; b < below_start[c + 1]; b++) {
            uint32_t i = below[b];
            if (i < end || a->mark[i] == p) continue;
            a->mark[i] = p;
            a->list[n++] = i;
        }
    qsort(a->list, n, sizeof *a->list, compare_rows);
    return n;
}

// Rows of all panels, in points, then in numbers.
static bool find_rows(Analysis *a) {
    TacFactor *f = a->f;
    size_t panels = f->panel_count, used = 0, capacity = 0;
    uint32_t *below = NULL, *first_child = malloc((panels + 1) * sizeof *first_child);
    uint32_t *sibling = malloc((panels + 1) * sizeof *sibling);
    size_t *below_start = malloc((panels + 1) * sizeof *below_start);
    bool good = first_child && sibling && below_start;
    for (size_t i = 0; good && i < f->points; i++) a->mark[i] = UINT32_MAX;
    for (size_t p = 0; good && p < panels; p++) first_child[p] = sibling[p] = UINT32_MAX;
    for (uint32_t p = 0; good && p < panels; p++) {
        size_t n = rows_below(a, p, below, below_start, first_child, sibling);
        below_start[p] = used;
        good = tac_grow(&below, &capacity, used + n + 1, sizeof *below);
        if (!good) break;
        memcpy(below + used, a->list, n * sizeof *below);
        used += n;
        below_start[p + 1] = used;
        if (!n) continue;
        uint32_t parent = f->panel_of[a->list[0]];
        sibling[p] = first_child[parent];
        first_child[parent] = p;
    }
    // in numbers
    size_t numbers = 0;
    for (size_t k = 0; good && k < used; k++) numbers += f->number[below[k] + 1] - f->number[below[k]];
    if (good) f->rows = malloc((numbers + 1) * sizeof *f->rows);
    good = good && f->rows;
    for (size_t p = 0; good && p < panels; p++) {
        f->panels[p].rows = f->row_count;
        for (size_t b = below_start[p]; b < below_start[p + 1]; b++)
            for (size_t i = f->number[below[b]]; i < f->number[below[b] + 1]; i++)
                f->rows[f->row_count++] = (uint32_t)i;
    }
    free(below);
    free(first_child);
    free(sibling);
    free(below_start);
    return good;
}

static void size_panels(TacFactor *f) {
    for (size_t p = 0; p < f->panel_count; p++) {
        Panel *panel = &f->panels[p];
        size_t end = p + 1 < f->panel_count ? f->panels[p + 1].rows : f->row_count;
        panel->height = panel->width + (end - panel->rows);
        panel->values = f->value_count;
        f->value_count += panel->width * panel->height;
    }
}

static bool analyse(Analysis *a) {
    TacFactor *f = a->f;
    choose_order(a);
    find_tree(a, SIZE_MAX);
    postorder(a);
    find_tree(a, SIZE_MAX);
    f->panel_count = find_panels(a);
    f->panels = calloc(f->panel_count + 1, sizeof *f->panels);
    if (!f->panels) return false;
    f->number[0] = 0;
    for (size_t k = 0; k < f->points; k++) f->number[k + 1] = f->number[k] + a->m->size[f->order[k]];
    for (uint32_t p = 0; p < f->panel_count; p++) {
        uint32_t begin = a->starts[p], end = p + 1 < f->panel_count ? a->starts[p + 1] : (uint32_t)f->points;
        f->panels[p] = (Panel){.first = f->number[begin],
                               .width = f->number[end] - f->number[begin],
                               .first_point = begin,
                               .points = end - begin};
        for (uint32_t k = begin; k < end; k++) f->panel_of[k] = p;
    }
    if (!find_rows(a)) return false;
    size_panels(f);
    return true;
}

// --- creating ---------------------------------------------------------------------------------------------

static bool take_work(TacFactor *f) {
    size_t widest = 0, highest = 0;
    for (size_t p = 0; p < f->panel_count; p++) {
        if (f->panels[p].width > widest) widest = f->panels[p].width;
        if (f->panels[p].height > highest) highest = f->panels[p].height;
    }
    f->values = calloc(f->value_count + TAC_PANEL_SLACK, sizeof *f->values);
    f->head = malloc((f->panel_count + 1) * sizeof *f->head);
    f->next = malloc((f->panel_count + 1) * sizeof *f->next);
    f->reached = calloc(f->panel_count + 1, sizeof *f->reached);
    f->local = malloc((f->scalars + 1) * sizeof *f->local);
    f->update = calloc(tac_panel_room(highest) * tac_panel_round(widest) + 1, sizeof *f->update);
    f->packed = calloc(tac_panel_round(widest) * (widest + 1), sizeof *f->packed);
    f->vector = calloc(f->scalars + highest + 1, sizeof *f->vector);
    f->diagonal = calloc(widest + 1, sizeof *f->diagonal);
    return f->values && f->head && f->next && f->reached && f->local && f->update && f->packed && f->vector &&
           f->diagonal;
}

static TacStatus build(TacFactor *f, const TacMatrix *m, TacArena *arena, TacError *error) {
    size_t n = m->rows;
    f->generation = m->generation;
    f->points = n;
    f->scalars = m->scalars;
    f->order = calloc(n + 1, sizeof *f->order);
    f->place = calloc(n + 1, sizeof *f->place);
    f->number = calloc(n + 1, sizeof *f->number);
    f->panel_of = calloc(n + 1, sizeof *f->panel_of);
    if (!f->order || !f->place || !f->number || !f->panel_of)
        return tac_fail_memory(error, n * 4 * sizeof(size_t));
    TAC_TRY(find_order(f, m, error));
    uint32_t *work = malloc(5 * (n + 1) * sizeof *work);
    if (!work) return tac_fail_memory(error, 5 * n * sizeof *work);
    Analysis a = {m, f, work, work + n + 1, work + 2 * (n + 1), work + 3 * (n + 1), work + 4 * (n + 1)};
    bool good = analyse(&a);
    free(work);
    size_t bytes = (f->value_count + 2 * f->scalars) * sizeof(double) + f->row_count * sizeof *f->rows;
    if (good && arena && !tac_arena_count(arena, bytes)) good = false;
    return good && take_work(f) ? TAC_OK : tac_fail_memory(error, bytes);
}

TacStatus tac_factor_create(TacFactor **factor, const TacMatrix *matrix, TacArena *arena, TacError *error) {
    *factor = NULL;
    TacFactor *f = calloc(1, sizeof *f);
    if (!f) return tac_fail_memory(error, sizeof *f);
    TacStatus status = build(f, matrix, arena, error);
    if (status != TAC_OK) {
        tac_factor_destroy(f);
        return status;
    }
    *factor = f;
    return TAC_OK;
}

void tac_factor_destroy(TacFactor *f) {
    if (!f) return;
    void *const all[] = {f->order,   f->place,  f->number, f->panels, f->panel_of,
                         f->rows,    f->values, f->head,   f->next,   f->local,
                         f->reached, f->update, f->packed, f->vector, f->diagonal};
    for (size_t i = 0; i < TAC_COUNT(all); i++) free(all[i]);
    free(f);
}

uint64_t tac_factor_generation(const TacFactor *f) {
    return f->generation;
}

size_t tac_factor_size(const TacFactor *f) {
    return f->value_count;
}

// --- computing --------------------------------------------------------------------------------------------

// The panel's part of the matrix, and where each row of it is.
static void load_panel(TacFactor *f, const TacMatrix *m, const double *values, const Panel *p) {
    double *to = f->values + p->values;
    memset(to, 0, p->width * p->height * sizeof *to);
    for (size_t i = 0; i < p->width; i++) f->local[p->first + i] = (uint32_t)i;
    for (size_t i = 0; i < p->height - p->width; i++)
        f->local[f->rows[p->rows + i]] = (uint32_t)(p->width + i);
    for (uint32_t k = p->first_point; k < p->first_point + p->points; k++) {
        size_t row = f->order[k], columns = m->size[row];
        for (size_t b = m->start[row]; b < m->start[row + 1]; b++) {
            uint32_t i = f->place[m->column[b]];
            if (i < k) continue;
            const double *block = values + (m->place ? m->place[b] : m->block * m->block * b);
            size_t rows = m->size[m->column[b]], at = f->local[f->number[i]];
            for (size_t c = 0; c < columns; c++) {
                double *column = to + (f->number[k] - p->first + c) * p->height + at;
                for (size_t r = 0; r < rows; r++) column[r] = block[rows * c + r];
            }
        }
    }
    for (size_t i = 0; i < p->width; i++) f->diagonal[i] = fabs(to[i * p->height + i]);
}

// Files panel d under the panel that its next row belongs to.
static void file_panel(TacFactor *f, uint32_t d, const uint32_t *panel_of_number) {
    const Panel *p = &f->panels[d];
    if (f->reached[d] == p->height - p->width) return;
    uint32_t target = panel_of_number[f->rows[p->rows + f->reached[d]]];
    f->next[d] = f->head[target];
    f->head[target] = d;
}

// Subtracts what panel d does to panel p.
static void subtract_panel(TacFactor *f, const Panel *p, uint32_t index) {
    const Panel *d = &f->panels[index];
    const uint32_t *rows = f->rows + d->rows;
    size_t from = f->reached[index], all = d->height - d->width, to = from;
    while (to < all && rows[to] < p->first + p->width) to++;
    f->reached[index] = to;
    size_t room = tac_panel_room(all - from);
    const double *l = f->values + d->values + d->width + from;
    tac_panel_product(l, d->height, f->values + d->values, d->height + 1, all - from, to - from, d->width,
                      f->packed, f->update, room);
    for (size_t j = 0; j < to - from; j++) {
        double *column = f->values + p->values + (rows[from + j] - p->first) * p->height;
        const double *u = f->update + room * j;
        for (size_t i = j; i < all - from; i++) column[f->local[rows[from + i]]] -= u[i];
    }
}

bool tac_factor_compute(TacFactor *f, const TacMatrix *m, const double *values) {
    // by number: which panel has it; kept where solves keep their vector
    uint32_t *panel_of_number = (uint32_t *)(void *)f->vector;
    for (uint32_t p = 0; p < f->panel_count; p++) {
        f->head[p] = UINT32_MAX;
        f->reached[p] = 0;
        for (size_t i = 0; i < f->panels[p].width; i++) panel_of_number[f->panels[p].first + i] = p;
    }
    for (uint32_t p = 0; p < f->panel_count; p++) {
        const Panel *panel = &f->panels[p];
        load_panel(f, m, values, panel);
        for (uint32_t d = f->head[p], after; d != UINT32_MAX; d = after) {
            after = f->next[d];
            subtract_panel(f, panel, d);
            file_panel(f, d, panel_of_number);
        }
        if (!tac_panel_factor(f->values + panel->values, panel->height, panel->width, f->diagonal, VANISHED,
                              f->packed, f->update))
            return false;
        file_panel(f, p, panel_of_number);
    }
    return true;
}

// --- solving ----------------------------------------------------------------------------------------------

static void solve_down(const TacFactor *f, const Panel *p, double *y, double *below) {
    const double *l = f->values + p->values;
    const uint32_t *rows = f->rows + p->rows;
    size_t count = p->height - p->width;
    double *x = y + p->first;
    for (size_t i = 0; i < count; i++) below[i] = 0;
    for (size_t k = 0; k < p->width; k++, l += p->height) {
        double s = x[k];
        for (size_t i = k + 1; i < p->width; i++) x[i] -= l[i] * s;
        for (size_t i = 0; i < count; i++) below[i] += l[p->width + i] * s;
    }
    for (size_t i = 0; i < count; i++) y[rows[i]] -= below[i];
}

// Eight running sums, as in other dot products here.
static double dot(const double *a, const double *b, size_t n) {
    double sums[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++) sums[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sums[0] += a[i] * b[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static void solve_up(const TacFactor *f, const Panel *p, double *y, double *below) {
    const uint32_t *rows = f->rows + p->rows;
    size_t count = p->height - p->width;
    double *x = y + p->first;
    for (size_t i = 0; i < count; i++) below[i] = y[rows[i]];
    for (size_t k = p->width; k-- > 0;) {
        const double *l = f->values + p->values + k * p->height;
        x[k] -= dot(l + k + 1, x + k + 1, p->width - k - 1) + dot(l + p->width, below, count);
    }
}

void tac_factor_solve(const TacFactor *f, const TacMatrix *m, const double *b, double *x) {
    double *y = f->vector, *below = f->vector + f->scalars;
    for (size_t k = 0; k < f->points; k++)
        memcpy(y + f->number[k], b + m->first[f->order[k]], m->size[f->order[k]] * sizeof *y);
    for (size_t p = 0; p < f->panel_count; p++) solve_down(f, &f->panels[p], y, below);
    for (size_t p = 0; p < f->panel_count; p++) {
        const Panel *panel = &f->panels[p];
        const double *l = f->values + panel->values;
        for (size_t i = 0; i < panel->width; i++) y[panel->first + i] /= l[i * (panel->height + 1)];
    }
    for (size_t p = f->panel_count; p-- > 0;) solve_up(f, &f->panels[p], y, below);
    for (size_t k = 0; k < f->points; k++)
        memcpy(x + m->first[f->order[k]], y + f->number[k], m->size[f->order[k]] * sizeof *y);
}
