// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Checking elements and adding up their forces. See elements.h.

#include "law/elements.h"
#include "base/memory.h"
#include "base/team.h"

enum { RUN_GRAIN = 512 };

// --- setting up -------------------------------------------------------------------------------------------

TacStatus tac_elements_mesh(const TacMesh **mesh, TacSetup *setup, const TacMatter *matter, const char *name,
                            TacError *error) {
    const TacTopology *topology = tac_setup_topology(setup);
    if (!topology) return tac_setup_fail(setup, error, NULL, "needs a topology with %s", name);
    *mesh = &topology->mesh;
    if ((*mesh)->point_count != matter->count)
        return tac_setup_fail(setup, error, NULL, "the topology has %zu points, but the matter %zu",
                              (*mesh)->point_count, matter->count);
    return TAC_OK;
}

static TacStatus check_nodes(TacSetup *setup, const TacElementsDef *def, TacError *error) {
    for (size_t i = 0; i < def->corners * def->count; i++)
        if (def->indices[i] < 0 || (size_t)def->indices[i] >= def->point_count)
            return tac_setup_fail(setup, error, NULL,
                                  "number %zu of the %s has corner %d; there are points 0 to %zu",
                                  i / def->corners, def->name, def->indices[i], def->point_count - 1);
    return TAC_OK;
}

// Elements from one on, up to the end of the last batch.
static int32_t *copy_nodes(const TacElements *elements, TacSetup *setup, const TacElementsDef *def,
                           size_t first) {
    size_t corners = def->corners, count = elements->batch_count * TAC_WIDTH - first;
    int32_t *copy = tac_setup_alloc(setup, corners * count, sizeof *copy);
    for (size_t i = 0; copy && i < corners * count; i++) {
        size_t e = first + i / corners;
        copy[i] = def->indices[corners * (e < def->count ? e : def->count - 1) + i % corners];
    }
    return copy;
}

static TacStatus take_nodes(TacElements *elements, TacSetup *setup, const TacElementsDef *def,
                            TacError *error) {
    size_t corners = def->corners, full = def->count / TAC_WIDTH * TAC_WIDTH;
    TAC_TRY(check_nodes(setup, def, error));
    elements->nodes = def->indices;
    if (!def->lends)
        elements->nodes = elements->own = copy_nodes(elements, setup, def, 0);
    else if (full < def->count)
        elements->last = copy_nodes(elements, setup, def, full);
    bool good = elements->nodes && (!def->lends || full == def->count || elements->last);
    return good ? TAC_OK : tac_fail_memory(error, corners * def->count * sizeof *elements->nodes);
}

TacStatus tac_elements_make(TacElements *elements, TacSetup *setup, const TacElementsDef *def,
                            TacError *error) {
    if (!def->count) return tac_setup_fail(setup, error, NULL, "needs %s; the topology has none", def->name);
    *elements = (TacElements){.count = def->count, .corners = def->corners, .size = def->size};
    elements->batch_count = (def->count + TAC_WIDTH - 1) / TAC_WIDTH;
    TAC_TRY(take_nodes(elements, setup, def, error));

    bool many = tac_law_on_team(setup, def->count);
    size_t chunks = tac_chunks(def->count, TAC_ELEMENT_GRAIN), numbers = def->corners * def->size;
    elements->partial = tac_setup_alloc(setup, chunks, sizeof *elements->partial);
    if (many) elements->buffer = tac_setup_alloc(setup, numbers * TAC_LAW_BLOCK, sizeof *elements->buffer);
    if (!elements->partial || (many && !elements->buffer))
        return tac_fail_memory(error, numbers * TAC_LAW_BLOCK * sizeof *elements->buffer);
    if (!many) return TAC_OK;
    return tac_gather_build(&elements->gather, setup, def->point_count, elements->nodes, 0, 1,
                            def->corners * def->count, def->corners * TAC_LAW_BLOCK, error);
}

TacStatus tac_elements_check(TacSetup *setup, const char *attribute, TacReals given, size_t count,
                             TacError *error) {
    if (given.count == 1 || given.count == count) return TAC_OK;
    return tac_setup_fail(setup, error, attribute, "%s has %zu numbers; 1 for all or %zu were expected",
                          attribute, given.count, count);
}

TacStatus tac_elements_check_poisson(TacSetup *setup, TacReals poisson, double most, TacError *error) {
    for (size_t i = 0; i < poisson.count; i++)
        if (!(poisson.data[i] >= 0 && poisson.data[i] < most))
            return tac_setup_fail(setup, error, "poisson",
                                  "poisson is %g; it must be at least 0 and below %g", poisson.data[i], most);
    return TAC_OK;
}

TacStatus tac_elements_some(TacReals *given, TacSetup *setup, const uint32_t *parts, size_t count,
                            TacError *error) {
    if (given->count == 1) return TAC_OK;
    double *some = tac_setup_alloc(setup, count, sizeof *some);
    if (!some) return tac_fail_memory(error, count * sizeof *some);
    for (size_t i = 0; i < count; i++) some[i] = given->data[parts[i]];
    *given = (TacReals){some, count};
    return TAC_OK;
}

// By iterating from a vector that no symmetry of an element makes orthogonal to anything.
double tac_elements_stiffest(TacElementProduct product, const void *call, size_t n) {
    double v[TAC_ELEMENT_MOST], next[TAC_ELEMENT_MOST], largest = 0;
    for (size_t i = 0; i < n; i++) v[i] = sin(1 + 2.3 * (double)i);
    for (int round = 0; round < 24; round++) {
        double before = 0, after = 0;
        product(call, v, next);
        for (size_t i = 0; i < n; i++) {
            before += v[i] * v[i];
            after += next[i] * next[i];
        }
        if (!(after > 0)) break;
        largest = sqrt(after / before);
        for (size_t i = 0; i < n; i++) v[i] = next[i] / sqrt(after);
    }
    return 1.05 * largest;
}

// --- forces -----------------------------------------------------------------------------------------------

typedef struct Sum {
    const TacElements *elements;
    TacElementForces forces;
    TacElementEnergy energy;
    const void *call;
    double *f;
    size_t block;
} Sum;

static void add_to(double *f, const double *part, size_t size) {
    for (size_t i = 0; i < size; i++) f[i] += part[i];
}

static void add_all(const Sum *s) {
    const TacElements *elements = s->elements;
    size_t corners = elements->corners, size = elements->size;
    for (size_t batch = 0; batch < elements->batch_count; batch++) {
        double out[TAC_ELEMENT_MOST * TAC_WIDTH];
        s->forces(s->call, batch, out);
        const int32_t *nodes = elements->nodes + corners * TAC_WIDTH * batch;
        size_t all = corners * tac_elements_used(elements, batch);
        for (size_t i = 0; i < all; i++) add_to(s->f + size * (size_t)nodes[i], out + size * i, size);
    }
}

// Elements begin to end of a block, into the buffer.
static void store_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Sum *s = data;
    const TacElements *elements = s->elements;
    size_t numbers = elements->corners * elements->size, first = TAC_LAW_BLOCK * s->block / TAC_WIDTH;
    for (size_t i = begin / TAC_WIDTH; TAC_WIDTH * i < end; i++) {
        double out[TAC_ELEMENT_MOST * TAC_WIDTH];
        s->forces(s->call, first + i, out);
        memcpy(elements->buffer + numbers * TAC_WIDTH * i, out,
               numbers * tac_elements_used(elements, first + i) * sizeof *out);
    }
}

static void gather_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Sum *s = data;
    const TacGather *gather = &s->elements->gather;
    size_t first = gather->block_start[s->block], size = s->elements->size;
    for (size_t r = first + begin; r < first + end; r++) {
        double *f = s->f + size * (size_t)gather->points[r];
        for (uint32_t k = gather->start[r]; k < gather->start[r + 1]; k++)
            add_to(f, s->elements->buffer + size * (size_t)gather->slots[k], size);
    }
}

void tac_elements_force(const TacElements *elements, TacTeam *team, TacElementForces forces, const void *call,
                        double *f) {
    Sum s = {.elements = elements, .forces = forces, .call = call, .f = f};
    if (!elements->buffer || tac_team_size(team) < 2) {
        add_all(&s);
        return;
    }
    for (; TAC_LAW_BLOCK * s.block < elements->count; s.block++) {
        size_t left = elements->count - TAC_LAW_BLOCK * s.block;
        const uint32_t *runs = elements->gather.block_start + s.block;
        tac_team_run(team, left < TAC_LAW_BLOCK ? left : TAC_LAW_BLOCK, TAC_ELEMENT_GRAIN, store_chunk, &s);
        tac_team_run(team, runs[1] - runs[0], RUN_GRAIN, gather_chunk, &s);
    }
}

// --- energy -----------------------------------------------------------------------------------------------

static void energy_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Sum *s = data;
    double sum = 0, each[TAC_WIDTH];
    for (size_t batch = begin / TAC_WIDTH; TAC_WIDTH * batch < end; batch++) {
        s->energy(s->call, batch, each);
        size_t used = tac_elements_used(s->elements, batch);
        for (size_t lane = 0; lane < used; lane++) sum += each[lane];
    }
    s->elements->partial[chunk] = sum;
}

double tac_elements_energy(const TacElements *elements, TacTeam *team, TacElementEnergy energy,
                           const void *call) {
    Sum s = {.elements = elements, .energy = energy, .call = call};
    tac_team_run(team, elements->count, TAC_ELEMENT_GRAIN, energy_chunk, &s);
    double sum = 0;
    for (size_t i = 0; i < tac_chunks(elements->count, TAC_ELEMENT_GRAIN); i++) sum += elements->partial[i];
    return sum;
}
