// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tetrahedra, the component: attributes and setting up. tetrahedra.h has the equations, tetrahedra_force.c
// the operations. Sources: Mueller and Gross, "Interactive virtual materials" (2004); the SOFA slides.

#include "law/tetrahedra.h"
#include "base/memory.h"
#include "law/elements.h"
#include "law/rotation.h"
#include "law/stress.h"

// Below this ratio of six volumes to the cube of the longest edge an element counts as flat.
static const double FLAT = 1e-12;

static TacVec3 rest_edge(const TacTetrahedra *self, const int32_t *v, int corner) {
    const double *x = self->law.matter[0]->vectors[TAC_X_REST];
    return tac_sub(tac_load3(x + 3 * (size_t)v[corner]), tac_load3(x + 3 * (size_t)v[0]));
}

static double longest_edge(TacVec3 e1, TacVec3 e2, TacVec3 e3) {
    TacVec3 all[6] = {e1, e2, e3, tac_sub(e2, e1), tac_sub(e3, e1), tac_sub(e3, e2)};
    double longest = 0;
    for (int i = 0; i < 6; i++) longest = fmax(longest, tac_norm(all[i]));
    return longest;
}

// Which of the topology's tetrahedra an element is; those that fill up are copies of the last one.
static size_t number_of(const TacTetrahedra *self, size_t e) {
    return tac_element_pieces_deal(self->count, e < self->count ? e : self->count - 1);
}

// Copies the topology's tetrahedra.
static TacStatus take_corners(TacTetrahedra *self, TacSetup *setup, TacError *error) {
    const TacTopology *topology = tac_setup_topology(setup);
    size_t points = self->law.matter[0]->count;
    if (!topology) return tac_setup_fail(setup, error, NULL, "needs a topology with tetrahedra");
    const TacMesh *mesh = &topology->mesh;
    self->count = mesh->elements[TAC_TETRAHEDRA].count;
    size_t hexahedra = mesh->elements[TAC_HEXAHEDRA].count;
    if (!self->count && hexahedra)
        return tac_setup_fail(
            setup, error, NULL,
            "needs tetrahedra; the topology has none, but %zu hexahedra: have it split them", hexahedra);
    if (!self->count) return tac_setup_fail(setup, error, NULL, "needs tetrahedra; the topology has none");
    if (hexahedra)
        tac_setup_warn(setup, NULL,
                       "the topology's %zu hexahedra are left out; only tetrahedra are elastic here",
                       hexahedra);
    if (mesh->point_count != points)
        return tac_setup_fail(setup, error, NULL, "the topology has %zu points, but the matter %zu",
                              mesh->point_count, points);

    self->batch_count = (self->count + TAC_WIDTH - 1) / TAC_WIDTH;
    size_t filled = self->batch_count * TAC_WIDTH;
    self->corners = tac_setup_alloc(setup, 4 * filled, sizeof *self->corners);
    if (!self->corners) return tac_fail_memory(error, 4 * filled * sizeof *self->corners);
    const int32_t *all = mesh->elements[TAC_TETRAHEDRA].indices;
    for (size_t i = 0; i < 4 * self->count; i++)
        if (all[i] < 0 || (size_t)all[i] >= points)
            return tac_setup_fail(setup, error, NULL,
                                  "tetrahedron %zu has corner %d; there are points 0 to %zu", i / 4, all[i],
                                  points - 1);
    for (size_t i = 0; i < 4 * filled; i++) self->corners[i] = all[4 * number_of(self, i / 4) + i % 4];
    return TAC_OK;
}

static TacStatus refuse_flat(const TacTetrahedra *self, TacSetup *setup, TacError *error) {
    for (size_t e = 0; e < self->count; e++) {
        const int32_t *v = self->corners + 4 * e;
        TacVec3 e1 = rest_edge(self, v, 1), e2 = rest_edge(self, v, 2), e3 = rest_edge(self, v, 3);
        double volume = tac_dot(e3, tac_cross(e1, e2)), longest = longest_edge(e1, e2, e3);
        if (!(fabs(volume) > FLAT * longest * longest * longest) || !isfinite(volume))
            return tac_setup_fail(setup, error, NULL, "tetrahedron %zu (points %d %d %d %d) is flat at rest",
                                  number_of(self, e), v[0], v[1], v[2], v[3]);
    }
    return TAC_OK;
}

static TacStatus take_arrays(TacTetrahedra *self, TacSetup *setup, TacError *error) {
    self->batches = tac_setup_alloc(setup, self->batch_count, sizeof *self->batches);
    self->rotations = tac_setup_alloc(setup, self->batch_count, sizeof *self->rotations);
    if (!self->batches || !self->rotations) return tac_fail_memory(error, self->count * 136);
    return tac_element_pieces_make(&self->pieces, setup, self->corners, 4, self->count,
                                   self->law.matter[0]->count, error);
}

static void fill_edges(TacTetEdges *edges, size_t lane, TacVec3 a, TacVec3 b, TacVec3 c) {
    double side = c.z < 0 ? -1 : 1;
    const double rest[6] = {side * a.x, side * b.x, side * c.x, side * b.y, side * c.y, side * c.z};
    TacMat3 columns = {{{rest[0], rest[1], rest[2]}, {0, rest[3], rest[4]}, {0, 0, rest[5]}}};
    TacMat3 turn = tac_rotation_svd(&columns);
    for (int i = 0; i < 6; i++) edges->rest[i][lane] = rest[i];
    for (int i = 0; i < 9; i++) edges->back[i][lane] = turn.m[i % 3][i / 3];
}

// One element's constants into its lane. It is not flat: refuse_flat has seen it.
static void fill_lane(TacTetrahedra *self, size_t e, double young, double poisson) {
    const int32_t *v = self->corners + 4 * e;
    TacTetBatch *batch = &self->batches[e / TAC_WIDTH];
    size_t lane = e % TAC_WIDTH;
    TacVec3 e1 = rest_edge(self, v, 1), e2 = rest_edge(self, v, 2), e3 = rest_edge(self, v, 3);
    TacMat3 q;
    tac_tet_frame(e1, e2, &q);

    // rest edges in their frame, and the inverse of that triangle
    TacVec3 a = tac_mat3_apply_back(&q, e1), b = tac_mat3_apply_back(&q, e2), c = tac_mat3_apply_back(&q, e3);
    double m00 = 1 / a.x, m11 = 1 / b.y, m22 = 1 / c.z;
    double m01 = -b.x * m00 * m11, m12 = -c.y * m11 * m22;
    double m[6] = {m00, m01, -(c.x * m00 + c.y * m01) * m22, m11, m12, m22};
    for (int i = 0; i < 6; i++) batch->m[i][lane] = m[i];

    double volume = fabs(a.x * b.y * c.z) / 6;
    bool real = e < self->count;
    batch->lambda[lane] = real ? volume * young * poisson / ((1 + poisson) * (1 - 2 * poisson)) : 0;
    batch->mu[lane] = real ? volume * young / (2 * (1 + poisson)) : 0;
    for (int i = 0; i < 9; i++) self->rotations[e / TAC_WIDTH].r[i][lane] = q.m[i / 3][i % 3];
    if (self->edges) fill_edges(&self->edges[e / TAC_WIDTH], lane, a, b, c);
    if (self->plastic) self->plastic[e / TAC_WIDTH].scale[lane] = self->plastic_by_volume ? 6 * volume : 1;
}

static TacStatus fill_batches(TacTetrahedra *self, TacSetup *setup, TacError *error) {
    TacReals young = self->young, poisson = self->poisson;
    const TacReals lists[] = {young, poisson};
    const char *const names[] = {"young", "poisson"};
    for (int i = 0; i < 2; i++)
        if (lists[i].count != 1 && lists[i].count != self->count)
            return tac_setup_fail(setup, error, names[i],
                                  "%s has %zu numbers; 1 for all or %zu were expected", names[i],
                                  lists[i].count, self->count);
    for (size_t i = 0; i < poisson.count; i++)
        if (!(poisson.data[i] >= 0 && poisson.data[i] < 0.5))
            return tac_setup_fail(setup, error, "poisson",
                                  "poisson is %g; it must be at least 0 and below 0.5", poisson.data[i]);
    for (size_t e = 0; e < self->batch_count * TAC_WIDTH; e++) {
        size_t from = number_of(self, e);
        fill_lane(self, e, young.data[young.count == 1 ? 0 : from],
                  poisson.data[poisson.count == 1 ? 0 : from]);
    }
    return TAC_OK;
}

static TacStatus take_more_arrays(TacTetrahedra *self, TacSetup *setup, TacError *error) {
    size_t n = self->batch_count;
    if (self->method == TAC_TET_EDGES) {
        self->edges = tac_setup_alloc(setup, n, sizeof *self->edges);
        if (!self->edges) return tac_fail_memory(error, n * sizeof *self->edges);
    }
    if (!(self->plastic_limit > 0)) return TAC_OK;
    self->plastic = tac_setup_alloc(setup, n, sizeof *self->plastic);
    if (!self->plastic) return tac_fail_memory(error, n * sizeof *self->plastic);
    self->plastic_time = -INFINITY;
    TAC_TRY(tac_setup_state(setup, self->plastic, n * sizeof *self->plastic, error));
    return tac_setup_state(setup, &self->plastic_time, sizeof self->plastic_time, error);
}

// --- each tetrahedron by itself ---------------------------------------------------------------------------

typedef struct Solid {
    double m[6], lambda, mu;
} Solid;

// Stiffness in the element's rest frame: three numbers per corner.
static void product(const void *call, const double *in, double *out) {
    const Solid *t = call;
    const double m[3][3] = {{t->m[0], t->m[1], t->m[2]}, {0, t->m[3], t->m[4]}, {0, 0, t->m[5]}};
    double g[3][3] = {{0}}, s[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) g[i][j] += (in[3 * (k + 1) + i] - in[i]) * m[k][j];
    double trace = t->lambda * (g[0][0] + g[1][1] + g[2][2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) s[i][j] = t->mu * (g[i][j] + g[j][i]) + (i == j ? trace : 0);
    for (int i = 0; i < 3; i++) out[i] = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double f = s[i][0] * m[k][0] + s[i][1] * m[k][1] + s[i][2] * m[k][2];
            out[3 * (k + 1) + i] = f;
            out[i] -= f;
        }
}

// What flows remembers: plastic elements stay together.
size_t tac_tetrahedra_part_count(const void *data) {
    const TacTetrahedra *self = data;
    return self->plastic ? 0 : self->count;
}

void tac_tetrahedra_part(const void *data, size_t e, TacPart *result) {
    const TacTetrahedra *self = data;
    const TacTetBatch *batch = &self->batches[e / TAC_WIDTH];
    Solid solid = {.lambda = batch->lambda[e % TAC_WIDTH], .mu = batch->mu[e % TAC_WIDTH]};
    for (int i = 0; i < 6; i++) solid.m[i] = batch->m[i][e % TAC_WIDTH];
    *result = (TacPart){.count = 4, .stiffness = tac_elements_stiffest(product, &solid, 12)};
    for (int k = 0; k < 4; k++) result->points[k] = (size_t)self->corners[4 * e + (size_t)k];
}

TacStatus tac_tetrahedra_subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count,
                                void *clone, TacError *error) {
    const TacTetrahedra *self = data;
    TacTetrahedra *some = clone;
    some->count = count;
    some->batch_count = (count + TAC_WIDTH - 1) / TAC_WIDTH;
    size_t filled = some->batch_count * TAC_WIDTH;
    some->corners = tac_setup_alloc(setup, 4 * filled, sizeof *some->corners);
    if (!some->corners) return tac_fail_memory(error, 4 * filled * sizeof *some->corners);
    // both number their elements as these are dealt out to batches
    for (size_t i = 0; i < 4 * filled; i++)
        some->corners[i] = self->corners[4 * parts[number_of(some, i / 4)] + i % 4];
    uint32_t *numbers = malloc(count * sizeof *numbers);
    if (!numbers) return tac_fail_memory(error, count * sizeof *numbers);
    for (size_t i = 0; i < count; i++) numbers[i] = (uint32_t)number_of(self, parts[i]);
    TacStatus status = tac_elements_some(&some->young, setup, numbers, count, error);
    if (status == TAC_OK) status = tac_elements_some(&some->poisson, setup, numbers, count, error);
    free(numbers);
    TAC_TRY(status);
    TAC_TRY(take_arrays(some, setup, error));
    TAC_TRY(take_more_arrays(some, setup, error));
    return fill_batches(some, setup, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacTetrahedra *self = data;
    // a rotation that is not the nearest leaves a torque; what creeps does so whenever it is asked
    bool nearest = self->method == TAC_TET_POLAR || self->method == TAC_TET_SVD;
    self->law.lopsided = !nearest && self->method != TAC_TET_SMALL && !(self->plastic_limit > 0);
    self->law.inner = nearest || self->law.lopsided;
    TAC_TRY(take_corners(self, setup, error));
    TAC_TRY(refuse_flat(self, setup, error));
    TAC_TRY(take_arrays(self, setup, error));
    TAC_TRY(take_more_arrays(self, setup, error));
    return fill_batches(self, setup, error);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(TacTetrahedra, law),
    {"young", TAC_REALS, offsetof(TacTetrahedra, young), "Pa", NULL,
     "Young's modulus: one for all tetrahedra, or one each.", NULL, TAC_POSITIVE, 0},
    {"poisson", TAC_REALS, offsetof(TacTetrahedra, poisson), "1", "0.3",
     "Poisson's ratio, from 0 to below 0.5: one for all tetrahedra, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"method", TAC_CHOICE, offsetof(TacTetrahedra, method), "", "polar",
     "How each element's rotation is found: polar (nearest rotation, quick), qr (from two edges: quickest, "
     "but not quite balanced at large strain; SOFA's large), svd (as polar, one by one), small (none: for "
     "small motions only), edges (from the nearest rotation of three edges: SOFA's polar).",
     "polar|qr|svd|small|edges", TAC_ANY, 0},
    {"plastic_yield", TAC_REAL, offsetof(TacTetrahedra, plastic_yield), "1", "0.0001",
     "The strain above which an element gives way.", NULL, TAC_NOT_NEGATIVE, 0},
    {"plastic_limit", TAC_REAL, offsetof(TacTetrahedra, plastic_limit), "1", "0",
     "The most strain that an element takes on for good; 0: it is elastic.", NULL, TAC_NOT_NEGATIVE, 0},
    {"plastic_creep", TAC_REAL, offsetof(TacTetrahedra, plastic_creep), "1", "0.9",
     "The part of its strain that an element above yield takes on for good at each instant.", NULL,
     TAC_FRACTION, 0},
    {"plastic_by_volume", TAC_BOOL, offsetof(TacTetrahedra, plastic_by_volume), "", "false",
     "Thresholds are for strain times six volumes of the element, as SOFA has them.", NULL, TAC_ANY, 0},
};

const TacClass tac_tetrahedra_class = {
    .name = "Tetrahedra",
    .kind = TAC_KIND_LAW,
    .doc = "Elastic solids of the topology's tetrahedra: linear isotropic elements, each seen from a frame "
           "that turns "
           "with it (corotational; Mueller and Gross 2004). Elements turned inside out push back.",
    .size = sizeof(TacTetrahedra),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &tac_tetrahedra_ops,
    .scalars = tac_tetrahedra_scalars,
};
