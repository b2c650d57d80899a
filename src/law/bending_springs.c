// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// BendingSprings: surfaces that resist bending across the edges between two faces.
//
// `quadratic` (Volino and Magnenat-Thalmann, "Simple linear bending stiffness in particle systems", 2006; the
// numbers are those of SOFA's FastTriangularBendingSprings): for an edge (c, d) between triangles whose other
// corners are a and b, the energy is 1/2 lambda |R|^2 with R = sum alpha_i x_i, which vanishes when the four
// points are flat as they were at rest. It is quadratic in positions, so the whole law is one constant sparse
// matrix. What was curved at rest is flattened.
//
// `opposite` (SOFA's TriangularBendingSprings and QuadBendingSprings): a spring between the corners opposite
// to an edge, where two triangles meet; two such springs where two quads meet.

#include "base/memory.h"
#include "law/faces.h"
#include "law/laws.h"
#include "law/springs.h"
#include "math/sparse_rows.h"

typedef enum Way { QUADRATIC, OPPOSITE } Way;

// An edge that resists bending.
typedef struct Bend {
    uint32_t points[4];
    double alpha[4], lambda;
} Bend;

typedef struct BendingSprings {
    TacLaw law;
    int way; // Way
    double stiffness, damping, least;
    bool stable, damping_turns;
    TacSparseRows rows; // quadratic: f = -A x
    Bend *bends;        // quadratic: the same edge by edge
    size_t bend_count;
    bool by_edge;    // some of them alone: the matrix is not used
    TacLaw *springs; // opposite
} BendingSprings;

static TacLawVectors twice(const TacLawVectors *v) {
    return (TacLawVectors){{v->x[0], v->x[0]}, {v->v[0], v->v[0]}, {v->f[0], v->f[0]}};
}

// f += s A x, edge by edge.
static void add_bends(const BendingSprings *self, const double *x, double *f, double s) {
    for (size_t i = 0; i < self->bend_count; i++) {
        const Bend *b = &self->bends[i];
        TacVec3 r = {0, 0, 0};
        for (int k = 0; k < 4; k++) r = tac_axpy(r, b->alpha[k], tac_load3(x + 3 * (size_t)b->points[k]));
        for (int k = 0; k < 4; k++)
            tac_add3(f + 3 * (size_t)b->points[k], tac_scale(r, s * b->lambda * b->alpha[k]));
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    BendingSprings *self = data;
    if (self->by_edge) {
        add_bends(self, vectors->x[0], vectors->f[0], -1);
        return;
    }
    if (self->way == QUADRATIC) {
        tac_sparse_rows_product(&self->rows, context->team, 3, vectors->x[0], vectors->f[0], -1);
        return;
    }
    TacLawVectors both = twice(vectors);
    tac_springs_class.ops.law->force(self->springs, context, &both);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    BendingSprings *self = data;
    if (self->by_edge) {
        add_bends(self, vectors->v[0], vectors->f[0], -k);
        return;
    }
    if (self->way == QUADRATIC) {
        tac_sparse_rows_product(&self->rows, context->team, 3, vectors->v[0], vectors->f[0], -k);
        return;
    }
    TacLawVectors both = twice(vectors);
    tac_springs_class.ops.law->force_change(self->springs, context, &both, k, b);
}

// 1/2 x.A x
static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    const BendingSprings *self = data;
    const double *x = vectors->x[0];
    if (self->way == OPPOSITE) {
        TacLawVectors both = twice(vectors);
        return tac_springs_class.ops.law->energy(self->springs, context, &both);
    }
    double sum = 0;
    for (size_t r = 0; r < self->rows.count; r++)
        for (size_t e = self->rows.start[r]; e < self->rows.start[r + 1]; e++)
            sum += 0.5 * self->rows.values[e] *
                   tac_dot(tac_load3(x + 3 * r), tac_load3(x + 3 * (size_t)self->rows.columns[e]));
    return sum;
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    BendingSprings *self = data;
    if (self->way == OPPOSITE) {
        TacLawVectors both = twice(vectors);
        tac_springs_class.ops.law->stiffness(self->springs, context, &both, k, b, matrix);
        return;
    }
    for (size_t r = 0; r < self->rows.count; r++)
        for (size_t e = self->rows.start[r]; e < self->rows.start[r + 1]; e++) {
            double s = -k * self->rows.values[e];
            const double block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
            tac_matrix_add(matrix, 0, r, 0, self->rows.columns[e], block);
        }
}

// --- each edge by itself ----------------------------------------------------------------------------------

static size_t part_count(const void *data) {
    const BendingSprings *self = data;
    return self->way == OPPOSITE ? tac_springs_class.ops.law->part_count(self->springs) : self->bend_count;
}

static void part(const void *data, size_t i, TacPart *result) {
    const BendingSprings *self = data;
    if (self->way == OPPOSITE) {
        tac_springs_class.ops.law->part(self->springs, i, result);
        return;
    }
    const Bend *b = &self->bends[i];
    *result = (TacPart){.count = 4};
    for (int k = 0; k < 4; k++) {
        result->points[k] = b->points[k];
        result->stiffness += b->lambda * b->alpha[k] * b->alpha[k];
    }
}

static TacStatus subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count, void *clone,
                        TacError *error) {
    const BendingSprings *self = data;
    BendingSprings *some = clone;
    if (self->way == OPPOSITE)
        return tac_springs_subset(self->springs, setup, parts, count, &some->springs, error);
    some->bends = tac_setup_alloc(setup, count, sizeof *some->bends);
    if (!some->bends) return tac_fail_memory(error, count * sizeof *some->bends);
    for (size_t i = 0; i < count; i++) some->bends[i] = self->bends[parts[i]];
    some->bend_count = count;
    some->by_edge = true;
    return TAC_OK;
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .energy = energy,
                              .stiffness = add_blocks,
                              .part_count = part_count,
                              .part = part,
                              .subset = subset};

// --- quadratic --------------------------------------------------------------------------------------------

static double area_twice(TacVec3 a, TacVec3 b, TacVec3 c) {
    return tac_norm(tac_cross(tac_sub(b, a), tac_sub(c, a)));
}

static double height_over(TacVec3 a, TacVec3 c, TacVec3 d) {
    TacVec3 side = tac_unit(tac_sub(c, d)), way = tac_sub(c, a);
    return tac_norm(tac_axpy(way, -tac_dot(way, side), side));
}

// The four weights and lambda. False where the faces are too thin to say how they bend.
static bool weigh(const BendingSprings *self, const TacHinge *h, double alpha[4], double *lambda) {
    const double *rest = self->law.matter[0]->vectors[TAC_X_REST];
    TacVec3 a = tac_load3(rest + 3 * h->ac), b = tac_load3(rest + 3 * h->bc), c = tac_load3(rest + 3 * h->c),
            d = tac_load3(rest + 3 * h->d);
    if (!(tac_norm(tac_sub(a, b)) > self->least) || !(tac_norm(tac_sub(c, d)) > self->least)) return false;
    double over_a = area_twice(a, c, d), over_b = area_twice(b, c, d), over_c = area_twice(c, a, b),
           over_d = area_twice(d, a, b), ha = height_over(a, c, d), hb = height_over(b, c, d);
    alpha[0] = over_b / (over_a + over_b);
    alpha[1] = over_a / (over_a + over_b);
    alpha[2] = -over_d / (over_c + over_d);
    alpha[3] = -over_c / (over_c + over_d);
    *lambda = 2.0 / 3 * (ha + hb) / (ha * ha * hb * hb) * tac_norm(tac_sub(c, d)) * self->stiffness;
    return isfinite(*lambda) && isfinite(alpha[0]) && isfinite(alpha[2]);
}

static TacStatus make_rows(BendingSprings *self, const TacHinge *hinges, size_t count, TacSetup *setup,
                           TacError *error) {
    TacTriplet *triplets = calloc(16 * count + 1, sizeof *triplets);
    self->bends = tac_setup_alloc(setup, count, sizeof *self->bends);
    if (!triplets || !self->bends) free(triplets);
    if (!triplets || !self->bends) return tac_fail_memory(error, 16 * count * sizeof *triplets);
    size_t n = 0, thin = 0;
    for (size_t i = 0; i < count; i++) {
        const TacHinge *h = &hinges[i];
        const uint32_t corners[4] = {(uint32_t)h->ac, (uint32_t)h->bc, (uint32_t)h->c, (uint32_t)h->d};
        double alpha[4], lambda;
        if (!weigh(self, h, alpha, &lambda)) {
            thin++;
            continue;
        }
        Bend *bend = &self->bends[self->bend_count++];
        *bend = (Bend){.lambda = lambda};
        memcpy(bend->points, corners, sizeof corners);
        memcpy(bend->alpha, alpha, sizeof alpha);
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                triplets[n++] = (TacTriplet){corners[j], corners[k], lambda * alpha[j] * alpha[k]};
    }
    if (thin)
        tac_setup_warn(setup, NULL,
                       "%zu of %zu edges are between faces without area and do not resist bending", thin,
                       count);
    TacStatus status =
        tac_sparse_rows_build(&self->rows, setup, self->law.matter[0]->count, triplets, n, error);
    free(triplets);
    return status;
}

// --- opposite ---------------------------------------------------------------------------------------------

typedef struct Pair {
    int32_t low, high;
    uint64_t order;
} Pair;

static int by_ends(const void *left, const void *right) {
    const Pair *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void add_pair(Pair *pairs, size_t *n, int32_t a, int32_t b) {
    if (a == b) return;
    pairs[*n] = (Pair){a < b ? a : b, a < b ? b : a, *n};
    ++*n;
}

static TacStatus make_list(BendingSprings *self, const Pair *pairs, size_t n, TacSetup *setup,
                           TacError *error) {
    int32_t *ends = tac_setup_alloc(setup, 2 * n, sizeof *ends);
    double *numbers = tac_setup_alloc(setup, 3 * n, sizeof(double));
    if (!ends || !numbers) return tac_fail_memory(error, 4 * n * sizeof(double));
    const double *rest = self->law.matter[0]->vectors[TAC_X_REST];
    for (size_t s = 0; s < n; s++) {
        ends[2 * s] = pairs[s].low;
        ends[2 * s + 1] = pairs[s].high;
        numbers[s] = self->stiffness;
        numbers[n + s] = self->damping;
        numbers[2 * n + s] =
            tac_norm(tac_sub(tac_load3(rest + 3 * pairs[s].high), tac_load3(rest + 3 * pairs[s].low)));
    }
    const TacSpringList list = {ends, numbers, numbers + n,  numbers + 2 * n,
                                n,    false,   self->stable, self->damping_turns};
    return tac_springs_make(&self->law, &list, setup, &self->springs, error);
}

// One spring across each edge between triangles, one on each end of an edge between quads; none twice.
static TacStatus make_opposite(BendingSprings *self, const TacHinge *hinges, size_t triangles, size_t quads,
                               TacSetup *setup, TacError *error) {
    Pair *pairs = calloc(triangles + 2 * quads + 1, sizeof *pairs);
    if (!pairs) return tac_fail_memory(error, (triangles + 2 * quads) * sizeof *pairs);
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < triangles + quads; i++) {
        add_pair(pairs, &n, hinges[i].ac, hinges[i].bc);
        if (i >= triangles) add_pair(pairs, &n, hinges[i].ad, hinges[i].bd);
    }
    qsort(pairs, n, sizeof *pairs, by_ends);
    for (size_t i = 0; i < n; i++)
        if (!i || pairs[i].low != pairs[i - 1].low || pairs[i].high != pairs[i - 1].high)
            pairs[kept++] = pairs[i];
    TacStatus status = make_list(self, pairs, kept, setup, error);
    free(pairs);
    return status;
}

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus make(BendingSprings *self, const TacHinge *hinges, size_t triangles, size_t quads,
                      TacSetup *setup, TacError *error) {
    if (!triangles && !(quads && self->way == OPPOSITE))
        return tac_setup_fail(setup, error, NULL, "the topology has no edge between two %s",
                              self->way == QUADRATIC ? "triangles" : "triangles or two quads");
    if (self->way == QUADRATIC) return make_rows(self, hinges, triangles, setup, error);
    return make_opposite(self, hinges, triangles, quads, setup, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    BendingSprings *self = data;
    self->law.inner = true;
    const TacTopology *topology = tac_setup_topology(setup);
    size_t points = self->law.matter[0]->count;
    if (!topology || topology->mesh.point_count != points)
        return tac_setup_fail(setup, error, NULL,
                              "needs a topology with as many points as the matter has (%zu)", points);
    TacHinge *hinges = NULL, *more = NULL;
    size_t triangles, quads = 0;
    TAC_TRY(tac_find_hinges(&topology->mesh, TAC_TRIANGLES, &hinges, &triangles, error));
    TacStatus status = tac_find_hinges(&topology->mesh, TAC_QUADS, &more, &quads, error);
    if (status == TAC_OK && quads) {
        TacHinge *all = realloc(hinges, (triangles + quads + 1) * sizeof *all);
        if (all) {
            memcpy(all + triangles, more, quads * sizeof *all);
            hinges = all;
        } else {
            status = tac_fail_memory(error, (triangles + quads) * sizeof *all);
        }
    }
    if (status == TAC_OK) status = make(self, hinges, triangles, quads, setup, error);
    free(hinges);
    free(more);
    return status;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(BendingSprings, law),
    {"way", TAC_CHOICE, offsetof(BendingSprings, way), "", "quadratic",
     "An energy that is quadratic in positions, across each edge between two triangles; or springs between "
     "the corners opposite to an edge.",
     "quadratic|opposite", TAC_ANY, 0},
    {"stiffness", TAC_REAL, offsetof(BendingSprings, stiffness), "N m, N/m", "1",
     "Against bending, in N m; of the springs between opposite corners, in N/m.", NULL, TAC_NOT_NEGATIVE, 0},
    {"damping", TAC_REAL, offsetof(BendingSprings, damping), "N s/m", "0",
     "Of the springs between opposite corners.", NULL, TAC_NOT_NEGATIVE, 0},
    {"least", TAC_REAL, offsetof(BendingSprings, least), "m", "1e-6",
     "Edges shorter than this, or between corners closer than this, do not resist bending.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"stable", TAC_BOOL, offsetof(BendingSprings, stable), "", "true",
     "Leaves out of the stiffness what makes a compressed spring between opposite corners buckle.", NULL,
     TAC_ANY, 0},
    {"damping_turns", TAC_BOOL, offsetof(BendingSprings, damping_turns), "", "false",
     "What implicit solvers see of the damping, as in Springs.", NULL, TAC_ANY, 0},
};

// The pull of springs between opposite corners.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const BendingSprings *self = data;
    if (self->springs) tac_springs_class.scalars(self->springs, what, sheet);
}

const TacClass tac_bending_springs_class = {
    .name = "BendingSprings",
    .kind = TAC_KIND_LAW,
    .doc = "Cloth and shells that resist bending across the edges between two faces (Volino and "
           "Magnenat-Thalmann 2006), or by springs between opposite corners.",
    .size = sizeof(BendingSprings),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
};
