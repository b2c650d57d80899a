// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Runs one law without a scene or a world: attributes go through the class's own table, and the few questions
// that a law's init asks are answered here. These answers stand in for the world's (they are weak, and the
// test program is linked before the library), so one test program uses either this or a real world, never
// both.

#ifndef TACTUS_TESTS_LAW_HARNESS_H
#define TACTUS_TESTS_LAW_HARNESS_H

#include "base/memory.h"
#include "base/random.h"
#include "matter/matter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { MOST_GIVEN = 16, HARNESS_MARK = 0x1a3 };

struct TacSetup {
    TacArena arena;
    const TacTopology *topology;
    const char *given[MOST_GIVEN];
    size_t given_count;
    char warning[512];
    int allocations, failing; // the failing-th allocation of init fails; 0: none
};

// A law, its matter and vectors to call it with.
typedef struct LawBench {
    TacSetup setup;
    TacLaw *law;
    TacMatter *matter[2];
    TacContext context;
    TacError error;
} LawBench;

#define WEAK __attribute__((weak))

WEAK void *tac_setup_alloc(TacSetup *setup, size_t count, size_t size) {
    return ++setup->allocations == setup->failing ? NULL : tac_arena_array(&setup->arena, count, size);
}

WEAK void *tac_setup_alloc_kept(TacSetup *setup, size_t count, size_t size, bool *keeps) {
    (void)keeps;
    return tac_setup_alloc(setup, count, size);
}

WEAK int tac_setup_threads(const TacSetup *setup) {
    (void)setup;
    return 4;
}

WEAK const TacTopology *tac_setup_topology(const TacSetup *setup) {
    return setup->topology;
}

WEAK bool tac_setup_given(const TacSetup *setup, const char *attribute) {
    for (size_t i = 0; i < setup->given_count; i++)
        if (strcmp(setup->given[i], attribute) == 0) return true;
    return false;
}

WEAK TacStatus tac_setup_fail(TacSetup *setup, TacError *error, const char *attribute, const char *format,
                              ...) {
    (void)setup;
    (void)attribute;
    char text[sizeof error->message];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return tac_fail(error, TAC_BAD_INPUT, "%s", text);
}

WEAK void tac_setup_warn(TacSetup *setup, const char *attribute, const char *format, ...) {
    (void)attribute;
    va_list list;
    va_start(list, format);
    vsnprintf(setup->warning, sizeof setup->warning, format, list);
    va_end(list);
}

WEAK TacStatus tac_setup_state(TacSetup *setup, void *data, size_t bytes, TacError *error) {
    (void)setup;
    (void)data;
    (void)bytes;
    (void)error;
    return TAC_OK;
}

WEAK uint64_t tac_setup_seed(const TacSetup *setup) {
    (void)setup;
    return HARNESS_MARK;
}

// --- matter and attributes --------------------------------------------------------------------------------

static inline void *bench_take(LawBench *bench, size_t count, size_t size) {
    void *memory = tac_arena_array(&bench->setup.arena, count, size);
    assert_non_null(memory);
    return memory;
}

// Matter with all its vectors; positions and rest are copied from x.
static inline TacMatter *bench_matter(LawBench *bench, TacMatterKind kind, size_t count, const double *x) {
    TacMatter *matter = bench_take(bench, 1, sizeof *matter);
    matter->kind = kind;
    matter->count = count;
    matter->position_size = tac_position_size(kind);
    matter->velocity_size = tac_velocity_size(kind);
    for (int i = 0; i < TAC_VECTOR_COUNT; i++)
        matter->vectors[i] = bench_take(bench, tac_vector_size(matter, (TacVector)i), sizeof(double));
    memcpy(matter->vectors[TAC_X], x, tac_vector_size(matter, TAC_X) * sizeof(double));
    memcpy(matter->vectors[TAC_X_REST], x, tac_vector_size(matter, TAC_X) * sizeof(double));
    return matter;
}

static inline void *bench_field(LawBench *bench, const char *name, TacType type, size_t *index) {
    const TacClass *cls = bench->law->base.cls;
    for (size_t i = 0; i < cls->attribute_count; i++)
        if (strcmp(cls->attributes[i].name, name) == 0) {
            assert_true(cls->attributes[i].type == type);
            if (index) *index = i;
            return (char *)bench->law + cls->attributes[i].offset;
        }
    fail_msg("there is no attribute %s", name);
    return NULL;
}

static inline void bench_mark(LawBench *bench, const char *name) {
    assert_true(bench->setup.given_count < MOST_GIVEN);
    bench->setup.given[bench->setup.given_count++] = name;
}

static inline void bench_reals(LawBench *bench, const char *name, size_t count, const double *data) {
    double *copy = bench_take(bench, count, sizeof *copy);
    if (count) memcpy(copy, data, count * sizeof *copy);
    *(TacReals *)bench_field(bench, name, TAC_REALS, NULL) = (TacReals){copy, count};
    bench_mark(bench, name);
}

static inline void bench_ints(LawBench *bench, const char *name, size_t count, const int32_t *data) {
    int32_t *copy = bench_take(bench, count, sizeof *copy);
    if (count) memcpy(copy, data, count * sizeof *copy);
    *(TacInts *)bench_field(bench, name, TAC_INTS, NULL) = (TacInts){copy, count};
    bench_mark(bench, name);
}

static inline void bench_real(LawBench *bench, const char *name, double value) {
    *(double *)bench_field(bench, name, TAC_REAL, NULL) = value;
    bench_mark(bench, name);
}

static inline void bench_vector(LawBench *bench, const char *name, TacVec3 value) {
    *(TacVec3 *)bench_field(bench, name, TAC_VECTOR, NULL) = value;
    bench_mark(bench, name);
}

static inline void bench_bool(LawBench *bench, const char *name, bool value) {
    *(bool *)bench_field(bench, name, TAC_BOOL, NULL) = value;
    bench_mark(bench, name);
}

// The position of a word in "polar|qr|svd".
static inline int bench_position(const char *choices, const char *word) {
    size_t length = strlen(word);
    int position = 0;
    for (const char *c = choices; c; position++) {
        if (strncmp(c, word, length) == 0 && (c[length] == '|' || c[length] == 0)) return position;
        c = strchr(c, '|');
        if (c) c++;
    }
    fail_msg("there is no choice %s", word);
    return -1;
}

static inline void bench_choice(LawBench *bench, const char *name, const char *word) {
    size_t i = 0;
    int *field = bench_field(bench, name, TAC_CHOICE, &i);
    *field = bench_position(bench->law->base.cls->attributes[i].accepts, word);
    bench_mark(bench, name);
}

// The default, read as a scene would be.
static inline void bench_default(LawBench *bench, const TacAttribute *attribute) {
    void *field = (char *)bench->law + attribute->offset;
    const char *text = attribute->initial ? attribute->initial : "";
    double numbers[3] = {NAN, NAN, NAN};
    int count = sscanf(text, "%lf %lf %lf", &numbers[0], &numbers[1], &numbers[2]);
    switch (attribute->type) {
    case TAC_BOOL: *(bool *)field = strcmp(text, "true") == 0; break;
    case TAC_REAL: *(double *)field = numbers[0]; break;
    case TAC_VECTOR: *(TacVec3 *)field = tac_load3(numbers); break;
    case TAC_CHOICE: *(int *)field = bench_position(attribute->accepts, text); break;
    case TAC_REALS:
        if (count > 0) {
            double *one = bench_take(bench, 1, sizeof *one);
            *one = numbers[0];
            *(TacReals *)field = (TacReals){one, 1};
        }
        break;
    default: break;
    }
}

// --- life -------------------------------------------------------------------------------------------------

// A law with its defaults, not yet initialised. `other` and `topology` may be NULL.
static inline void bench_law(LawBench *bench, const TacClass *cls, TacMatter *matter, TacMatter *other,
                             const TacTopology *topology) {
    bench->law = bench_take(bench, 1, cls->size);
    bench->law->base.cls = cls;
    for (size_t i = 0; i < cls->attribute_count; i++) bench_default(bench, &cls->attributes[i]);
    bench->law->matter[0] = bench->matter[0] = matter;
    bench->law->matter[1] = other;
    bench->matter[1] = other ? other : matter;
    bench->setup.topology = topology;
    assert_true(tac_setup_seed(&bench->setup) == HARNESS_MARK);
}

static inline TacStatus bench_init(LawBench *bench) {
    return bench->law->base.cls->init(bench->law, &bench->setup, &bench->error);
}

// Calls init on what `make` makes with the n-th allocation failing, for n = 1, 2, ... until init succeeds.
static inline void bench_try_without_memory(void (*make)(LawBench *bench)) {
    TacStatus status = TAC_NO_MEMORY;
    int failing = 0;
    while (status != TAC_OK) {
        LawBench bench = {0};
        make(&bench);
        bench.setup.failing = ++failing;
        status = bench_init(&bench);
        assert_true(status == TAC_OK || status == TAC_NO_MEMORY);
        tac_arena_destroy(&bench.setup.arena);
    }
    assert_true(failing > 1);
}

static inline void bench_end(LawBench *bench) {
    tac_arena_destroy(&bench->setup.arena);
}

// --- calls ------------------------------------------------------------------------------------------------

static inline TacLawVectors bench_vectors(LawBench *bench, TacVector v, TacVector f) {
    TacLawVectors vectors;
    for (int k = 0; k < 2; k++) {
        vectors.x[k] = bench->matter[k]->vectors[TAC_X];
        vectors.v[k] = bench->matter[k]->vectors[v];
        vectors.f[k] = bench->matter[k]->vectors[f];
    }
    return vectors;
}

static inline void bench_clear(LawBench *bench, TacVector f) {
    for (int k = 0; k < 2; k++)
        memset(bench->matter[k]->vectors[f], 0, tac_vector_size(bench->matter[k], f) * sizeof(double));
}

// f = F(TAC_X, TAC_V)
static inline void bench_force(LawBench *bench, TacVector f) {
    bench_clear(bench, f);
    TacLawVectors vectors = bench_vectors(bench, TAC_V, f);
    bench->law->base.cls->ops.law->force(bench->law, &bench->context, &vectors);
}

// f = (k K + b B) d at the TAC_X of the last bench_force
static inline void bench_change(LawBench *bench, TacVector d, TacVector f, double k, double b) {
    bench_clear(bench, f);
    TacLawVectors vectors = bench_vectors(bench, d, f);
    bench->law->base.cls->ops.law->force_change(bench->law, &bench->context, &vectors, k, b);
}

static inline double bench_energy(LawBench *bench) {
    TacLawVectors vectors = bench_vectors(bench, TAC_V, TAC_F);
    return bench->law->base.cls->ops.law->energy(bench->law, &bench->context, &vectors);
}

static inline void bench_random(LawBench *bench, TacRandom *random, TacVector v, double size) {
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < tac_vector_size(bench->matter[k], v); i++)
            bench->matter[k]->vectors[v][i] = tac_random_between(random, -size, size);
}

// a.b over both matters (once where they are the same)
static inline double bench_dot(const LawBench *bench, TacVector a, TacVector b) {
    double sum = 0;
    for (int k = 0; k < (bench->matter[0] == bench->matter[1] ? 1 : 2); k++)
        for (size_t i = 0; i < tac_vector_size(bench->matter[k], a); i++)
            sum += bench->matter[k]->vectors[a][i] * bench->matter[k]->vectors[b][i];
    return sum;
}

static inline double bench_norm(const LawBench *bench, TacVector a) {
    return sqrt(bench_dot(bench, a, a));
}

static inline bool bench_finite(const LawBench *bench, TacVector a) {
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < tac_vector_size(bench->matter[k], a); i++)
            if (!isfinite(bench->matter[k]->vectors[a][i])) return false;
    return true;
}

// The places of all points, moved along d (orientations stay). s may be negative.
static inline void bench_move(LawBench *bench, TacVector d, double s) {
    for (int k = 0; k < (bench->matter[0] == bench->matter[1] ? 1 : 2); k++) {
        TacMatter *m = bench->matter[k];
        size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
        size_t places = m->kind == TAC_RIGID3 ? 3 : m->kind == TAC_RIGID2 ? 2 : pv;
        for (size_t i = 0; i < m->count; i++)
            for (size_t c = 0; c < places; c++)
                m->vectors[TAC_X][px * i + c] += s * m->vectors[d][pv * i + c];
    }
}

// |F.d + dE/ds| / |F||d| along a direction, by central differences; orientations of d must be zero.
static inline double bench_gradient_error(LawBench *bench, TacVector d, double step) {
    bench_move(bench, d, step);
    double after = bench_energy(bench);
    bench_move(bench, d, -2 * step);
    double before = bench_energy(bench);
    bench_move(bench, d, step);
    bench_force(bench, TAC_F);
    double slope = (after - before) / (2 * step);
    return fabs(bench_dot(bench, TAC_F, d) + slope) / (bench_norm(bench, TAC_F) * bench_norm(bench, d));
}

// |K d - (F(x + s d) - F(x - s d)) / 2s| / |K d|; uses TAC_A, TAC_B and TAC_P.
static inline double bench_stiffness_error(LawBench *bench, TacVector d, double step) {
    bench_move(bench, d, step);
    bench_force(bench, TAC_A);
    bench_move(bench, d, -2 * step);
    bench_force(bench, TAC_B);
    bench_move(bench, d, step);
    bench_force(bench, TAC_F);
    bench_change(bench, d, TAC_P, 1, 0);
    double size = bench_norm(bench, TAC_P);
    for (int k = 0; k < 2; k++) {
        double *const *all = bench->matter[k]->vectors;
        for (size_t i = 0; i < tac_vector_size(bench->matter[k], TAC_A); i++) {
            if (k == 1 && bench->matter[0] == bench->matter[1]) break;
            all[TAC_P][i] -= (all[TAC_A][i] - all[TAC_B][i]) / (2 * step);
        }
    }
    return bench_norm(bench, TAC_P) / size;
}

#endif
