// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Assembling. See matrix.h for the storage and for what is promised.

#include "solver/matrix.h"
#include "base/team.h"

#include <stdio.h>

enum { MOST_VALUES = TAC_MOST_BLOCK * TAC_MOST_BLOCK };

// --- who is who -------------------------------------------------------------------------------------------

static int compare_sides(const void *a, const void *b) {
    uint32_t i = ((const struct TacMatrixSide *)a)->matter->base.index;
    uint32_t j = ((const struct TacMatrixSide *)b)->matter->base.index;
    return (i > j) - (i < j);
}

static struct TacMatrixSide find_side(const TacMatrix *m, const TacMatter *matter) {
    struct TacMatrixSide none = {.matter = matter};
    if (!matter) return none;
    struct TacMatrixSide key = {.matter = matter};
    const struct TacMatrixSide *found =
        bsearch(&key, m->sides, m->side_count, sizeof *m->sides, compare_sides);
    return found && found->matter == matter ? *found : none;
}

static TacStatus list_sides(TacMatrix *m, TacError *error) {
    const TacProgram *p = m->program;
    m->sides = calloc(p->matter_count + p->map_count + 1, sizeof *m->sides);
    if (!m->sides) return tac_fail_memory(error, (p->matter_count + p->map_count) * sizeof *m->sides);
    for (size_t i = 0; i < p->matter_count; i++) {
        m->sides[m->side_count++] =
            (struct TacMatrixSide){.matter = p->matters[i], .row = m->rows, .known = true};
        m->rows += p->matters[i]->count;
        m->scalars += tac_vector_size(p->matters[i], TAC_V);
    }
    for (size_t i = 0; i < p->map_count; i++)
        m->sides[m->side_count++] =
            (struct TacMatrixSide){.matter = p->maps[i]->child, .map = p->maps[i], .known = true};
    qsort(m->sides, m->side_count, sizeof *m->sides, compare_sides);
    if (m->rows >= UINT32_MAX)
        return tac_fail(error, TAC_BAD_INPUT, "%zu points are too many for a matrix", m->rows);
    return TAC_OK;
}

// --- what can be assembled --------------------------------------------------------------------------------

static const TacMap *map_above(const TacProgram *p, const TacMatter *matter) {
    for (size_t i = 0; i < p->map_count; i++)
        if (p->maps[i]->child == matter) return p->maps[i];
    return NULL;
}

static TacStatus refuse(const TacComponent *wanted_by, const TacComponent *who, const char *why,
                        const char *what, TacError *error) {
    return tac_fail_at(error, TAC_BAD_INPUT, wanted_by->file, wanted_by->line, wanted_by->column,
                       "%s (%s): needs a matrix, but %s (%s) %s%s. ConjugateGradient needs no matrix",
                       wanted_by->path, wanted_by->cls->name, who->path, who->cls->name, why, what);
}

// Whether blocks on some matter can go up to matter that moves freely. Forces of any kind turn the maps.
static TacStatus check_way_up(const TacProgram *p, const TacComponent *wanted_by, const TacComponent *who,
                              const TacMatter *matter, bool has_blocks, TacError *error) {
    for (const TacMap *map = map_above(p, matter); map; map = map_above(p, map->parent)) {
        const TacMapOps *ops = map->base.cls->ops.map;
        if ((has_blocks && !ops->jacobian) || (ops->force_change && !ops->stiffness))
            return refuse(wanted_by, who,
                          "acts through a map that cannot be written as blocks: ", map->base.path, error);
    }
    return TAC_OK;
}

TacStatus tac_matrix_check(const TacProgram *p, const TacComponent *wanted_by, TacError *error) {
    for (size_t i = 0; i < p->law_count; i++) {
        const TacLaw *law = p->laws[i];
        const TacLawOps *ops = law->base.cls->ops.law;
        if (ops->force_change && !ops->stiffness)
            return refuse(wanted_by, &law->base, "cannot write its stiffness as blocks", "", error);
        for (int k = 0; k < 2 && law->matter[k]; k++)
            TAC_TRY(check_way_up(p, wanted_by, &law->base, law->matter[k], ops->stiffness, error));
    }
    for (size_t i = 0; i < p->mass_count; i++) {
        const TacMass *mass = p->masses[i];
        if (!mass->base.cls->ops.mass->matrix)
            return refuse(wanted_by, &mass->base, "cannot write itself as blocks", "", error);
        TAC_TRY(check_way_up(p, wanted_by, &mass->base, mass->matter, true, error));
    }
    return TAC_OK;
}

// --- writing blocks ---------------------------------------------------------------------------------------

static size_t place_of(const TacMatrix *m, size_t k) {
    return m->place ? m->place[k] : m->block * m->block * k;
}

static void note(TacMatrix *m, size_t row, size_t column) {
    if (!tac_grow_bare(&m->pairs, &m->pair_capacity, m->pair_count + 1, sizeof *m->pairs)) {
        m->no_memory = true;
        return;
    }
    m->pairs[m->pair_count++] = (struct TacMatrixPair){(uint32_t)row, (uint32_t)column};
}

static void put(TacMatrix *m, size_t row, size_t column, const double *block, size_t n) {
    if (m->noting) {
        note(m, row, column);
        return;
    }
    size_t k = m->cursor < m->slot_count ? m->slots[m->cursor] : 0;
    m->cursor++;
    // as the last time?
    if (m->cursor > m->slot_count || k < m->start[row] || k >= m->start[row + 1] || m->column[k] != column) {
        m->surprised = true;
        return;
    }
    double *to = m->values + place_of(m, k);
    for (size_t i = 0; i < n; i++) to[i] += block[i];
}

// Blocks of mapped matter go up, one map at a time, first on the side of the rows.
static void put_mapped(TacMatrix *m, const struct TacMatrixSide *a, size_t i, const struct TacMatrixSide *b,
                       size_t j, const double *block) {
    if (!a->known || !b->known) return;
    size_t rows = (size_t)a->matter->velocity_size, columns = (size_t)b->matter->velocity_size;
    if (!a->map && !b->map) {
        put(m, a->row + i, b->row + j, block, rows * columns);
        return;
    }
    const TacMap *map = a->map ? a->map : b->map;
    const double *px = map->parent->vectors[TAC_X], *cx = map->child->vectors[TAC_X];
    struct TacMatrixSide parent = find_side(m, map->parent);
    size_t n = (size_t)map->parent->velocity_size, at;
    double jacobian[MOST_VALUES], up[MOST_VALUES];
    for (size_t k = 0;
         map->base.cls->ops.map->jacobian((void *)map, px, cx, a->map ? i : j, k, &at, jacobian); k++) {
        if (a->map) { // J^T block
            for (size_t r = 0; r < n; r++)
                for (size_t c = 0; c < columns; c++) {
                    double sum = 0;
                    for (size_t l = 0; l < rows; l++) sum += jacobian[n * l + r] * block[columns * l + c];
                    up[columns * r + c] = sum;
                }
            put_mapped(m, &parent, at, b, j, up);
        } else { // block J
            for (size_t r = 0; r < rows; r++)
                for (size_t c = 0; c < n; c++) {
                    double sum = 0;
                    for (size_t l = 0; l < columns; l++) sum += block[columns * r + l] * jacobian[n * l + c];
                    up[n * r + c] = sum;
                }
            put_mapped(m, a, i, &parent, at, up);
        }
    }
}

void tac_matrix_add(TacMatrix *m, int a, size_t i, int b, size_t j, const double *block) {
    const struct TacMatrixSide *row = &m->side[a], *column = &m->side[b];
    if (row->map || column->map || !row->known || !column->known)
        put_mapped(m, row, i, column, j, block);
    else
        put(m, row->row + i, column->row + j, block,
            (size_t)row->matter->velocity_size * (size_t)column->matter->velocity_size);
}

static void write_laws(TacMatrix *m, const TacContext *context, const TacSystem *system, size_t count,
                       bool by_blocks) {
    const TacProgram *p = m->program;
    for (size_t i = 0; i < count; i++) {
        TacLaw *law = p->laws[i];
        const TacLawOps *ops = law->base.cls->ops.law;
        if (!ops->stiffness || ops->by_blocks != by_blocks) continue;
        TacLawVectors vectors = tac_law_vectors(law, TAC_V, TAC_F);
        m->side[0] = find_side(m, law->matter[0]);
        m->side[1] = find_side(m, law->matter[1]);
        ops->stiffness(law, context, &vectors, system->k, system->b, m);
    }
}

// Everybody writes.
static void write_all(TacMatrix *m, const TacContext *context, const TacSystem *system) {
    const TacProgram *p = m->program;
    m->cursor = m->run_cursor = 0;
    m->pushes.count = m->pushes.entry_count = 0;
    write_laws(m, context, system, p->law_count, true);
    if (m->run_cursor != m->run_count) m->surprised = true;
    for (size_t i = 0; i < p->mass_count; i++) {
        TacMass *mass = p->masses[i];
        m->side[0] = m->side[1] = find_side(m, mass->matter);
        mass->base.cls->ops.mass->matrix(mass, context, mass->matter->vectors[TAC_X], system->m, m);
    }
    write_laws(m, context, system, p->law_count, false);
    for (size_t i = 0; i < p->map_count; i++) {
        TacMap *map = p->maps[i];
        if (!map->base.cls->ops.map->stiffness) continue;
        double *const *up = map->parent->vectors, *const *down = map->child->vectors;
        m->side[0] = m->side[1] = find_side(m, map->parent);
        map->base.cls->ops.map->stiffness(map, context, up[TAC_X], down[TAC_X], down[TAC_F], system->k, m);
    }
}

// --- structure --------------------------------------------------------------------------------------------

static int compare_columns(const void *a, const void *b) {
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return (i > j) - (i < j);
}

// Columns of each row without repetition, ascending: `column` has room for all pairs and the diagonal.
static void sort_columns(TacMatrix *m, const size_t *of_row, const uint32_t *listed, uint32_t *seen) {
    size_t n = 0;
    for (size_t r = 0; r < m->rows; r++) {
        m->start[r] = n;
        m->column[n++] = (uint32_t)r;
        seen[r] = (uint32_t)r;
        for (size_t k = of_row[r]; k < of_row[r + 1]; k++) {
            if (seen[listed[k]] == r) continue;
            seen[listed[k]] = (uint32_t)r;
            m->column[n++] = listed[k];
        }
        qsort(m->column + m->start[r], n - m->start[r], sizeof *m->column, compare_columns);
    }
    m->start[m->rows] = n;
}

size_t tac_matrix_find(const TacMatrix *m, size_t row, size_t column) {
    size_t low = m->start[row], high = m->start[row + 1];
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(m->column[middle] <= column ? &low : &high) = middle;
    }
    return low;
}

size_t tac_matrix_diagonal(const TacMatrix *m, size_t row) {
    return tac_matrix_find(m, row, row);
}

static void lay_out_values(TacMatrix *m) {
    size_t n = 0;
    for (size_t r = 0; r < m->rows; r++)
        for (size_t k = m->start[r]; k < m->start[r + 1]; k++) {
            if (m->place) m->place[k] = n;
            n += (size_t)m->size[r] * m->size[m->column[k]];
        }
    m->value_count = n;
}

static void forget_structure(TacMatrix *m) {
    free(m->column);
    free(m->place);
    free(m->values);
    free(m->slots);
    m->column = NULL;
    m->place = NULL;
    m->values = NULL;
    m->slots = NULL;
    m->slot_count = 0;
    tac_matrix_forget_runs(m);
}

// From the noted pairs to rows.
static bool build_rows(TacMatrix *m) {
    size_t n = m->pair_count, all = n + tac_matrix_run_pairs(m);
    size_t *of_row = calloc(m->rows + 2, sizeof *of_row);
    uint32_t *listed = malloc((all + 1) * sizeof *listed), *seen = malloc((m->rows + 1) * sizeof *seen);
    m->column = malloc((all + m->rows + 1) * sizeof *m->column);
    m->slots = malloc((n + 1) * sizeof *m->slots);
    bool good = of_row && listed && seen && m->column && m->slots;
    if (good) {
        for (size_t k = 0; k < n; k++) of_row[m->pairs[k].row + 2]++;
        tac_matrix_count_runs(m, of_row);
        for (size_t r = 0; r < m->rows; r++) of_row[r + 2] += of_row[r + 1];
        for (size_t k = 0; k < n; k++) listed[of_row[m->pairs[k].row + 1]++] = m->pairs[k].column;
        tac_matrix_list_runs(m, of_row, listed);
        for (size_t r = 0; r < m->rows; r++) seen[r] = UINT32_MAX;
        sort_columns(m, of_row, listed, seen);
        for (size_t k = 0; k < n; k++) m->slots[k] = tac_matrix_find(m, m->pairs[k].row, m->pairs[k].column);
        m->slot_count = n;
        uint32_t *shorter = realloc(m->column, (m->start[m->rows] + 1) * sizeof *m->column);
        if (shorter) m->column = shorter;
        good = tac_matrix_place_runs(m);
    }
    free(of_row);
    free(listed);
    free(seen);
    return good;
}

static bool find_structure(TacMatrix *m, const TacContext *context) {
    const TacSystem any = {1, 1, 1};
    forget_structure(m);
    m->pair_count = 0;
    m->no_memory = false;
    m->noting = true;
    write_all(m, context, &any);
    m->noting = false;
    bool good = !m->no_memory && build_rows(m);
    free(m->pairs);
    m->pairs = NULL;
    m->pair_capacity = 0;
    if (!good) return false;
    if (!m->block) m->place = malloc((m->start[m->rows] + 1) * sizeof *m->place);
    if (!m->block && !m->place) return false;
    lay_out_values(m);
    m->values = calloc(m->value_count + TAC_MATRIX_SLACK, sizeof *m->values);
    m->generation++;
    return m->values != NULL;
}

static TacStatus take_rows(TacMatrix *m, TacError *error) {
    const TacProgram *p = m->program;
    m->size = malloc(m->rows + 1);
    m->first = malloc((m->rows + 1) * sizeof *m->first);
    m->start = malloc((m->rows + 1) * sizeof *m->start);
    m->in = calloc(m->scalars + TAC_MATRIX_SLACK, sizeof *m->in);
    m->out = calloc(m->scalars + TAC_MATRIX_SLACK, sizeof *m->out);
    m->partial = calloc(tac_chunks(m->rows, TAC_MATRIX_GRAIN) + 1, sizeof *m->partial);
    bool held = p->constraint_count > 0;
    if (held) m->held = calloc(m->rows + 1, 1);
    if (held) m->projectors = calloc((m->rows + 1) * MOST_VALUES, sizeof *m->projectors);
    if (held) m->probe = calloc(m->scalars + 1, sizeof *m->probe);
    if (!m->size || !m->first || !m->start || !m->in || !m->out || !m->partial ||
        (held && (!m->held || !m->projectors || !m->probe)))
        return tac_fail_memory(error, m->rows * sizeof *m->projectors);
    size_t row = 0, number = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        size_t each = (size_t)p->matters[i]->velocity_size;
        m->block = i == 0 || m->block == each ? each : 0;
        for (size_t k = 0; k < p->matters[i]->count; k++, row++) {
            m->size[row] = (uint8_t)each;
            m->first[row] = number;
            number += each;
        }
    }
    m->first[row] = number;
    return TAC_OK;
}

static TacStatus build(TacMatrix *m, const TacContext *context, TacArena *arena, TacError *error) {
    TAC_TRY(list_sides(m, error));
    TAC_TRY(take_rows(m, error));
    if (!find_structure(m, context)) return tac_fail_memory(error, m->scalars * sizeof(double));
    size_t blocks = m->start[m->rows];
    size_t bytes = m->value_count * sizeof(double) + blocks * (sizeof(uint32_t) + (m->place ? 8 : 0)) +
                   m->slot_count * sizeof *m->slots + m->rows * (m->held ? 40 : 3) * sizeof(double) +
                   tac_matrix_run_bytes(m);
    return tac_arena_count(arena, bytes) ? TAC_OK : tac_fail_memory(error, bytes);
}

TacStatus tac_matrix_create(TacMatrix **matrix, const TacProgram *program, const TacContext *context,
                            TacArena *arena, TacError *error) {
    *matrix = NULL;
    TacMatrix *m = calloc(1, sizeof *m);
    if (!m) return tac_fail_memory(error, sizeof *m);
    m->program = program;
    // laws write what their last call of force left behind
    tac_program_propagate(program, context, TAC_X, TAC_V);
    tac_program_force(program, context, TAC_F);
    TacStatus status = build(m, context, arena, error);
    if (status != TAC_OK) {
        tac_matrix_destroy(m);
        return status;
    }
    *matrix = m;
    return TAC_OK;
}

void tac_matrix_destroy(TacMatrix *m) {
    if (!m) return;
    forget_structure(m);
    tac_matrix_forget_pushes(m);
    free(m->sides);
    free(m->size);
    free(m->first);
    free(m->start);
    free(m->in);
    free(m->out);
    free(m->partial);
    free(m->pairs);
    free(m->held);
    free(m->projectors);
    free(m->probe);
    free(m);
}

// --- constraints ------------------------------------------------------------------------------------------

static void project_probe(const TacMatrix *m, const TacContext *context) {
    const TacProgram *p = m->program;
    for (size_t i = 0; i < p->constraint_count; i++) {
        TacConstraint *c = p->constraints[i];
        struct TacMatrixSide side = find_side(m, c->matter);
        c->base.cls->ops.constraint->project(c, context, m->probe + m->first[side.row]);
    }
}

// What is left of a row's unit vectors; fails on what is not a symmetric projection.
static bool classify_row(TacMatrix *m, size_t row) {
    size_t n = m->size[row];
    const double *p = m->projectors + MOST_VALUES * row;
    bool all = true, none = true;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double square = 0;
            for (size_t l = 0; l < n; l++) square += p[n * i + l] * p[n * l + j];
            if (!(fabs(p[n * i + j] - p[n * j + i]) <= 1e-9) || !(fabs(square - p[n * i + j]) <= 1e-9))
                return false;
            all = all && p[n * i + j] == 0;
            none = none && p[n * i + j] == (i == j);
        }
    m->held[row] = none ? 0 : all ? 1 : 2;
    return true;
}

// A number that is different everywhere.
static double probe_number(size_t i) {
    return 1 + (double)(i * 2654435761u % 1024) / 1024;
}

static void probe_all(TacMatrix *m, const TacContext *context) {
    for (size_t i = 0; i < m->scalars; i++) m->probe[i] = probe_number(i);
    project_probe(m, context);
}

// Whether one vector, different everywhere, was projected point by point as the unit vectors were.
static bool is_pointwise(TacMatrix *m, double within) {
    for (size_t r = 0; r < m->rows; r++) {
        size_t first = m->first[r];
        if (!m->held[r]) { // the identity
            for (size_t i = 0; i < m->size[r]; i++)
                if (!(fabs(m->probe[first + i] - probe_number(first + i)) <= within)) return false;
            continue;
        }
        for (size_t i = 0; i < m->size[r]; i++) {
            double sum = 0;
            for (size_t j = 0; j < m->size[r]; j++)
                sum += m->projectors[MOST_VALUES * r + m->size[r] * i + j] * probe_number(first + j);
            if (!(fabs(sum - m->probe[first + i]) <= within)) return false;
        }
    }
    return true;
}

static bool find_projectors(TacMatrix *m, const TacContext *context) {
    // most constraints hold the same all the time: what was found explains what they do now, to the bit
    probe_all(m, context);
    if (m->projected && is_pointwise(m, 0)) return true;
    m->projected = false;
    for (size_t k = 0; k < TAC_MOST_BLOCK; k++) {
        memset(m->probe, 0, m->scalars * sizeof *m->probe);
        bool any = false;
        for (size_t r = 0; r < m->rows; r++) {
            if (k >= m->size[r]) continue;
            m->probe[m->first[r] + k] = 1;
            any = true;
        }
        if (!any) break;
        project_probe(m, context);
        for (size_t r = 0; r < m->rows; r++)
            for (size_t i = 0; k < m->size[r] && i < m->size[r]; i++)
                m->projectors[MOST_VALUES * r + m->size[r] * i + k] = m->probe[m->first[r] + i];
    }
    for (size_t r = 0; r < m->rows; r++)
        if (!classify_row(m, r)) return false;
    probe_all(m, context);
    m->projected = is_pointwise(m, 1e-9);
    return m->projected;
}

// block = left block right, where a projector is not the identity
static void project_block(const TacMatrix *m, size_t row, size_t column, double *block) {
    size_t rows = m->size[row], columns = m->size[column];
    double half[MOST_VALUES];
    if (m->held[row] == 1 || m->held[column] == 1) {
        memset(block, 0, rows * columns * sizeof *block);
        return;
    }
    const double *p = m->projectors + MOST_VALUES * row, *q = m->projectors + MOST_VALUES * column;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            half[columns * i + j] = 0;
            for (size_t l = 0; l < rows; l++)
                half[columns * i + j] += p[rows * i + l] * block[columns * l + j];
        }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            block[columns * i + j] = 0;
            for (size_t l = 0; l < columns; l++)
                block[columns * i + j] += half[columns * i + l] * q[columns * l + j];
        }
}

static void project_rows(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    TacMatrix *m = data;
    for (size_t r = begin; r < end; r++)
        for (size_t k = m->start[r]; k < m->start[r + 1]; k++) {
            size_t c = m->column[k], n = m->size[r];
            if (!m->held[r] && !m->held[c]) continue;
            double *block = m->values + place_of(m, k);
            project_block(m, r, c, block);
            for (size_t i = 0; c == r && i < n * n; i++)
                block[i] += (i % (n + 1) == 0) - m->projectors[MOST_VALUES * r + i];
        }
}

// --- assembling -------------------------------------------------------------------------------------------

static void fail_memory(TacMatrix *m, char *failure, size_t size) {
    m->no_memory = true;
    snprintf(failure, size, "out of memory for a matrix of %zu points", m->rows);
}

// All of it but pushes that are kept apart.
static bool assemble_blocks(TacMatrix *m, const TacContext *context, const TacSystem *system, char *failure,
                            size_t size) {
    m->surprised = m->no_memory = false;
    // without values there is no structure to write into: the last time there was no memory for it
    if (m->values) {
        tac_matrix_clear(m);
        write_all(m, context, system);
    }
    if (!m->values || m->surprised || m->cursor != m->slot_count) {
        if (!find_structure(m, context)) {
            forget_structure(m);
            fail_memory(m, failure, size);
            return false;
        }
        write_all(m, context, system);
    }
    if (!m->held) return true;
    if (!find_projectors(m, context)) {
        snprintf(failure, size,
                 "its constraints cannot be put into a matrix: together they are no symmetric projection of "
                 "single points; ConjugateGradient without assembled may do");
        return false;
    }
    tac_team_run(context->team, m->rows, TAC_MATRIX_GRAIN, project_rows, m);
    return true;
}

bool tac_matrix_assemble(TacMatrix *m, const TacContext *context, const TacSystem *system, char *failure,
                         size_t size) {
    const TacProgram *p = m->program;
    if (m->apart && p->again && m->complete) {
        m->pushes.count = m->pushes.entry_count = 0;
        write_laws(m, context, system, p->layer_count, false);
    } else {
        m->complete = assemble_blocks(m, context, system, failure, size);
        if (!m->complete) return false;
    }
    if (!m->no_memory && tac_matrix_sort_pushes(m)) return true;
    m->complete = false;
    fail_memory(m, failure, size);
    return false;
}
