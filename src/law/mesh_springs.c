// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// MeshSprings: springs along the elements of a topology, each kind of element with a stiffness of its own
// (SOFA's MeshSpringForceField): along edges, along the sides of triangles, along the sides and diagonals of
// quads, along the edges of tetrahedra, and between all corners of hexahedra. Two points have one spring at
// most: that of the first kind, in this order, that joins them. By default a stiffness is that of a spring of
// 1 m, and shorter ones are stiffer in proportion; springs themselves are those of Springs.
//
// `membrane` instead makes a cloth of the triangles' sides whose stiffness, in N/m, hardly depends on how finely it
// is divided (faces.h says how).

#include "base/memory.h"
#include "law/faces.h"
#include "law/laws.h"
#include "law/springs.h"

typedef struct MeshSprings {
    TacLaw law;
    double stiffness[TAC_ELEMENT_KINDS], damping[TAC_ELEMENT_KINDS];
    double membrane, membrane_damping;
    bool by_length, pull_only, stable;
    TacLaw *springs;
} MeshSprings;

static const TacLawOps *inner_ops(void) {
    return tac_springs_class.ops.law;
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    MeshSprings *self = data;
    TacLawVectors both = {
        {vectors->x[0], vectors->x[0]}, {vectors->v[0], vectors->v[0]}, {vectors->f[0], vectors->f[0]}};
    inner_ops()->force(self->springs, context, &both);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    MeshSprings *self = data;
    TacLawVectors both = {
        {vectors->x[0], vectors->x[0]}, {vectors->v[0], vectors->v[0]}, {vectors->f[0], vectors->f[0]}};
    inner_ops()->force_change(self->springs, context, &both, k, b);
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    MeshSprings *self = data;
    TacLawVectors both = {{vectors->x[0], vectors->x[0]}, {vectors->v[0], vectors->v[0]}, {NULL, NULL}};
    return inner_ops()->energy(self->springs, context, &both);
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    MeshSprings *self = data;
    TacLawVectors both = {{vectors->x[0], vectors->x[0]}, {vectors->v[0], vectors->v[0]}, {NULL, NULL}};
    inner_ops()->stiffness(self->springs, context, &both, k, b, matrix);
}

static size_t part_count(const void *data) {
    return inner_ops()->part_count(((const MeshSprings *)data)->springs);
}

static void part(const void *data, size_t s, TacPart *result) {
    inner_ops()->part(((const MeshSprings *)data)->springs, s, result);
}

static TacStatus subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count, void *clone,
                        TacError *error) {
    const MeshSprings *self = data;
    return tac_springs_subset(self->springs, setup, parts, count, &((MeshSprings *)clone)->springs, error);
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .energy = energy,
                              .stiffness = add_blocks,
                              .part_count = part_count,
                              .part = part,
                              .subset = subset};

// --- setting up -------------------------------------------------------------------------------------------

// A pair as it is found; `order` says which came first.
typedef struct Pair {
    int32_t low, high, first, second;
    uint32_t kind;
    uint64_t order;
} Pair;

static int by_ends(const void *left, const void *right) {
    const Pair *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int by_order(const void *left, const void *right) {
    const Pair *a = left, *b = right;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_used(const MeshSprings *self, int kind) {
    return self->stiffness[kind] != 0 || self->damping[kind] != 0;
}

// All pairs of corners of all elements that have springs.
static size_t count_pairs(const MeshSprings *self, const TacMesh *mesh) {
    size_t count = 0;
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        size_t corners = (size_t)tac_element_size((TacElement)kind);
        if (is_used(self, kind)) count += mesh->elements[kind].count * corners * (corners - 1) / 2;
    }
    return count;
}

static void list_pairs(const MeshSprings *self, const TacMesh *mesh, Pair *pairs) {
    uint64_t order = 0;
    for (int kind = 0; kind < TAC_ELEMENT_KINDS; kind++) {
        size_t corners = (size_t)tac_element_size((TacElement)kind);
        for (size_t e = 0; is_used(self, kind) && e < mesh->elements[kind].count; e++) {
            const int32_t *v = mesh->elements[kind].indices + corners * e;
            for (size_t i = 0; i < corners; i++)
                for (size_t j = i + 1; j < corners; j++, order++)
                    pairs[order] = (Pair){v[i] < v[j] ? v[i] : v[j],
                                          v[i] < v[j] ? v[j] : v[i],
                                          v[i],
                                          v[j],
                                          (uint32_t)kind,
                                          order};
        }
    }
}

// Keeps the first of each pair of points, in the order found. Returns how many there are.
static size_t keep_first(Pair *pairs, size_t count) {
    size_t kept = 0;
    qsort(pairs, count, sizeof *pairs, by_ends);
    for (size_t i = 0; i < count; i++) {
        bool again = i && pairs[i].low == pairs[i - 1].low && pairs[i].high == pairs[i - 1].high;
        if (pairs[i].low != pairs[i].high && !again) pairs[kept++] = pairs[i];
    }
    qsort(pairs, kept, sizeof *pairs, by_order);
    return kept;
}

static TacStatus make_springs(MeshSprings *self, const Pair *pairs, size_t n, TacSetup *setup,
                              TacError *error) {
    const TacMatter *matter = self->law.matter[0];
    int32_t *ends = tac_setup_alloc(setup, 2 * n, sizeof *ends);
    double *stiffness = tac_setup_alloc(setup, n, sizeof(double));
    double *damping = tac_setup_alloc(setup, n, sizeof(double));
    double *lengths = tac_setup_alloc(setup, n, sizeof(double));
    if (!ends || !stiffness || !damping || !lengths) return tac_fail_memory(error, n * 4 * sizeof(double));
    const double *rest = matter->vectors[TAC_X_REST];
    for (size_t s = 0; s < n; s++) {
        ends[2 * s] = pairs[s].first;
        ends[2 * s + 1] = pairs[s].second;
        lengths[s] =
            tac_norm(tac_sub(tac_load3(rest + 3 * pairs[s].second), tac_load3(rest + 3 * pairs[s].first)));
        double over = self->by_length && lengths[s] > 2.2e-16 ? 1 / lengths[s] : 1;
        stiffness[s] = over * self->stiffness[pairs[s].kind];
        damping[s] = over * self->damping[pairs[s].kind];
    }
    const TacSpringList list = {ends, stiffness, damping, lengths, n, self->pull_only, self->stable, false};
    return tac_springs_make(&self->law, &list, setup, &self->springs, error);
}

static TacStatus make_membrane(MeshSprings *self, const TacMesh *mesh, TacSetup *setup, TacError *error) {
    TacSide *sides;
    size_t n;
    if (!mesh->elements[TAC_TRIANGLES].count)
        return tac_setup_fail(setup, error, "membrane", "the topology has no triangles");
    TAC_TRY(tac_find_sides(mesh, self->law.matter[0]->vectors[TAC_X_REST], &sides, &n, error));
    int32_t *ends = tac_setup_alloc(setup, 2 * n, sizeof *ends);
    double *numbers = tac_setup_alloc(setup, 3 * n, sizeof(double));
    if (!ends || !numbers) {
        free(sides);
        return tac_fail_memory(error, 3 * n * sizeof(double));
    }
    double *stiffness = numbers, *damping = numbers + n, *lengths = numbers + 2 * n;
    for (size_t i = 0; i < n; i++) {
        double l = sides[i].length, part = l > 0 ? sides[i].area / (l * l) : 0;
        ends[2 * i] = sides[i].low;
        ends[2 * i + 1] = sides[i].high;
        stiffness[i] = part * self->membrane;
        damping[i] = part * self->membrane_damping;
        lengths[i] = l;
    }
    free(sides);
    const TacSpringList list = {ends, stiffness, damping, lengths, n, self->pull_only, self->stable, false};
    return tac_springs_make(&self->law, &list, setup, &self->springs, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    MeshSprings *self = data;
    self->law.inner = true;
    const TacTopology *topology = tac_setup_topology(setup);
    size_t points = self->law.matter[0]->count;
    if (!topology || topology->mesh.point_count != points)
        return tac_setup_fail(setup, error, NULL,
                              "needs a topology with as many points as the matter has (%zu)", points);
    size_t count = count_pairs(self, &topology->mesh);
    bool membrane = self->membrane > 0 || self->membrane_damping > 0;
    if (membrane && count)
        return tac_setup_fail(setup, error, "membrane",
                              "give it, or stiffness by kinds of elements, not both");
    if (membrane) return make_membrane(self, &topology->mesh, setup, error);
    if (!count)
        return tac_setup_fail(
            setup, error, NULL,
            "has no springs: the topology has no element of a kind whose stiffness is given");
    Pair *pairs = calloc(count, sizeof *pairs);
    if (!pairs) return tac_fail_memory(error, count * sizeof *pairs);
    list_pairs(self, &topology->mesh, pairs);
    TacStatus status = make_springs(self, pairs, keep_first(pairs, count), setup, error);
    free(pairs);
    return status;
}

#define KIND(name, kind, where)                                                                              \
    {name,                                                                                                   \
     TAC_REAL,                                                                                               \
     offsetof(MeshSprings, stiffness[kind]),                                                                 \
     "N",                                                                                                    \
     "0",                                                                                                    \
     "Stiffness of springs " where ", times their length; 0 is none.",                                       \
     NULL,                                                                                                   \
     TAC_NOT_NEGATIVE,                                                                                       \
     0},                                                                                                     \
    {                                                                                                        \
        name "_damping", TAC_REAL, offsetof(MeshSprings, damping[kind]), "N s", "0",                         \
            "Damping of springs " where ", times their length.", NULL, TAC_NOT_NEGATIVE, 0                   \
    }

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(MeshSprings, law),
    KIND("edges", TAC_EDGES, "along edges"),
    KIND("triangles", TAC_TRIANGLES, "along the sides of triangles"),
    KIND("quads", TAC_QUADS, "along the sides and diagonals of quads"),
    KIND("tetrahedra", TAC_TETRAHEDRA, "along the edges of tetrahedra"),
    KIND("hexahedra", TAC_HEXAHEDRA, "between all corners of hexahedra"),
    {"membrane", TAC_REAL, offsetof(MeshSprings, membrane), "N/m", "0",
     "Stiffness of a membrane of the triangles instead: each side gets that times the area of its triangles "
     "over its "
     "length squared, so that it hardly depends on their size.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"membrane_damping", TAC_REAL, offsetof(MeshSprings, membrane_damping), "N s/m", "0",
     "Damping of the membrane, likewise.", NULL, TAC_NOT_NEGATIVE, 0},
    {"by_length", TAC_BOOL, offsetof(MeshSprings, by_length), "", "true",
     "Divides stiffness and damping by the length at rest, so that they belong to the material; false takes "
     "them as they are, in N/m and N s/m.",
     NULL, TAC_ANY, 0},
    {"pull_only", TAC_BOOL, offsetof(MeshSprings, pull_only), "", "false",
     "They pull when longer than at rest, and are slack otherwise.", NULL, TAC_ANY, 0},
    {"stable", TAC_BOOL, offsetof(MeshSprings, stable), "", "true",
     "Leaves out of the stiffness what makes a compressed spring buckle.", NULL, TAC_ANY, 0},
};

static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    tac_springs_class.scalars(((const MeshSprings *)data)->springs, what, sheet);
}

const TacClass tac_mesh_springs_class = {
    .name = "MeshSprings",
    .kind = TAC_KIND_LAW,
    .doc = "Springs along the elements of the nearest topology, each kind of element with its own stiffness.",
    .size = sizeof(MeshSprings),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
};
