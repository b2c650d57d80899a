// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// MatrixMass: mass spread over elements, as a sparse symmetric matrix: the integrals of products of shape
// functions. An element of mass m and n corners gives, between corners i and j,
//
//     edges, triangles, tetrahedra   m (1 + [i = j]) / (n (n + 1))
//     quads, hexahedra               m times, for each of their axes, 1/3 where i and j agree and 1/6 otherwise
//
// (as those of a box). SOFA's MeshMatrixMass has the former, but gives quads and hexahedra m/8 and m/20 on the
// diagonal, m/16 and m/40 along edges and nothing across; `by_edges` does as it does. That matrix is not
// positive: motions that alternate from corner to corner weigh nothing, or less, so explicit solvers cannot have
// it. SOFA's HexahedronFEMForceFieldAndMass gives every pair of corners the same 8/27 of the element's mass, which
// is 19 times too much inertia for its weight; `even` does as it does. `lumped` moves everything to the diagonal. Dividing by the matrix, which explicit solvers need, is a solve
// by conjugate gradients (scaled by its diagonal it is well conditioned); what constraints hold stays.

#include "base/memory.h"
#include "math/sparse_rows.h"
#include "matter/matter.h"

enum { MOST_ITERATIONS = 200 };

typedef struct MatrixMass {
    TacMass mass;
    double density, total;
    bool lumped, by_edges, even;
    TacReals fills;
    TacSparseRows rows;
    double *whole;     // what a point weighs: the sum of its row, unless the matrix is uneven to that
    double *diagonal;  // of each row
    double *r, *p, *q; // scratch of the solve
} MatrixMass;

// --- operations -------------------------------------------------------------------------------------------

static void product(void *data, const TacContext *context, const double *x, const double *d, double *out,
                    double factor) {
    (void)x;
    const MatrixMass *self = data;
    tac_sparse_rows_product(&self->rows, context->team, 3, d, out, factor);
}

// Zeroes what constraints hold, and returns the sum of squares over the diagonal of what is left.
static double hold(const MatrixMass *self, double *r) {
    const uint8_t *held = self->mass.matter->held;
    double sum = 0;
    for (size_t i = 0; i < self->mass.matter->count; i++)
        for (size_t k = 0; k < 3; k++) {
            double *value = r + 3 * i + k;
            if (held && held[i] & (unsigned)TAC_HELD_X << k) *value = 0;
            sum += *value * *value / self->diagonal[i];
        }
    return sum;
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void divide(void *data, const TacContext *context, const double *x, const double *f, double *a) {
    (void)x;
    MatrixMass *self = data;
    size_t n = 3 * self->mass.matter->count;
    double *r = self->r, *p = self->p, *q = self->q;
    memset(a, 0, n * sizeof *a);
    memset(p, 0, n * sizeof *p);
    memcpy(r, f, n * sizeof *r);
    double rho = hold(self, r), last = 0, enough = 1e-30 * rho;
    for (int step = 0; step < MOST_ITERATIONS && rho > enough; step++) {
        for (size_t i = 0; i < n; i++) p[i] = r[i] / self->diagonal[i / 3] + (step ? rho / last * p[i] : 0);
        memset(q, 0, n * sizeof *q);
        tac_sparse_rows_product(&self->rows, context->team, 3, p, q, 1);
        hold(self, q);
        double curvature = dot(p, q, n);
        if (!(curvature > 0)) break;
        double alpha = rho / curvature;
        for (size_t i = 0; i < n; i++) {
            a[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        last = rho;
        rho = hold(self, r);
    }
}

static void weight(void *data, const TacContext *context, const double *x, double *f) {
    (void)context;
    (void)x;
    const MatrixMass *self = data;
    for (size_t i = 0; i < self->mass.matter->count; i++)
        tac_add3(f + 3 * i, tac_scale(self->mass.gravity, self->whole[i]));
}

// (M v)_i
static TacVec3 row_product(const MatrixMass *self, const double *v, size_t i) {
    TacVec3 sum = {0, 0, 0};
    for (size_t e = self->rows.start[i]; e < self->rows.start[i + 1]; e++)
        sum = tac_axpy(sum, self->rows.values[e], tac_load3(v + 3 * (size_t)self->rows.columns[e]));
    return sum;
}

static void momentum(void *data, const double *x, const double *v, TacVec3 *linear, TacVec3 *angular) {
    const MatrixMass *self = data;
    for (size_t i = 0; i < self->mass.matter->count; i++) {
        TacVec3 p = row_product(self, v, i);
        *linear = tac_add(*linear, p);
        *angular = tac_add(*angular, tac_cross(tac_load3(x + 3 * i), p));
    }
}

static double kinetic(void *data, const double *x, const double *v) {
    (void)x;
    const MatrixMass *self = data;
    double sum = 0;
    for (size_t i = 0; i < self->mass.matter->count; i++)
        sum += 0.5 * tac_dot(tac_load3(v + 3 * i), row_product(self, v, i));
    return sum;
}

static double height(void *data, const double *x) {
    const MatrixMass *self = data;
    double sum = 0;
    for (size_t i = 0; i < self->mass.matter->count; i++)
        sum -= self->whole[i] * tac_dot(self->mass.gravity, tac_load3(x + 3 * i));
    return sum;
}

static void as_matrix(void *data, const TacContext *context, const double *x, double factor,
                      TacMatrix *matrix) {
    (void)context;
    (void)x;
    const MatrixMass *self = data;
    for (size_t i = 0; i < self->rows.count; i++)
        for (size_t e = self->rows.start[i]; e < self->rows.start[i + 1]; e++) {
            double s = factor * self->rows.values[e];
            const double block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
            tac_matrix_add(matrix, 0, i, 0, self->rows.columns[e], block);
        }
}

static const TacMassOps ops = {product, divide, weight, momentum, kinetic, height, as_matrix, NULL};

// --- setting up -------------------------------------------------------------------------------------------

// Which corners of a box lie where along its axes: bit 0 for x, 1 for y, 2 for z.
static int place_of_corner(int corner) {
    static const int places[] = {0, 1, 3, 2, 4, 5, 7, 6};
    return places[corner];
}

// What corners i and j share of the mass of an element.
static double share(const MatrixMass *self, TacElement kind, int i, int j) {
    int n = tac_element_size(kind);
    if (self->lumped) return i == j ? 1.0 / n : 0;
    if (self->even && kind == TAC_HEXAHEDRA) return 8.0 / 27;
    if (kind != TAC_QUADS && kind != TAC_HEXAHEDRA) return (i == j ? 2.0 : 1.0) / (n * (n + 1));
    int axes = kind == TAC_QUADS ? 2 : 3, apart = 0;
    double product = 1;
    for (int axis = 0; axis < axes; axis++) {
        bool agree = !((place_of_corner(i) ^ place_of_corner(j)) >> axis & 1);
        apart += !agree;
        product *= agree ? 1.0 / 3 : 1.0 / 6;
    }
    if (!self->by_edges) return product;
    double diagonal = kind == TAC_QUADS ? 1.0 / 8 : 1.0 / 20;
    return apart == 0 ? diagonal : apart == 1 ? diagonal / 2 : 0;
}

static double tetrahedron(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d) {
    return fabs(tac_dot(tac_sub(d, a), tac_cross(tac_sub(b, a), tac_sub(c, a)))) / 6;
}

// Length, area or volume.
static double size_of(TacElement kind, const TacVec3 p[8]) {
    switch (kind) {
    case TAC_EDGES: return tac_norm(tac_sub(p[1], p[0]));
    case TAC_TRIANGLES: return 0.5 * tac_norm(tac_cross(tac_sub(p[1], p[0]), tac_sub(p[2], p[0])));
    case TAC_QUADS: return 0.5 * tac_norm(tac_cross(tac_sub(p[2], p[0]), tac_sub(p[3], p[1])));
    case TAC_TETRAHEDRA: return tetrahedron(p[0], p[1], p[2], p[3]);
    default: {
        // six tetrahedra around the diagonal 0-6
        static const int ring[] = {1, 2, 3, 7, 4, 5, 1};
        double sum = 0;
        for (int k = 0; k < 6; k++) sum += tetrahedron(p[0], p[6], p[ring[k]], p[ring[k + 1]]);
        return sum;
    }
    }
}

// Entries of all elements of a kind, for a density of 1, and, where `shares` are, what they come to at each point.
// Returns their size all together.
static double add_elements(const MatrixMass *self, const TacMesh *mesh, TacElement kind, double *shares,
                           TacTriplet *triplets, size_t *n) {
    const double *rest = self->mass.matter->vectors[TAC_X_REST];
    int corners = tac_element_size(kind);
    double all = 0;
    for (size_t e = 0; e < mesh->elements[kind].count; e++) {
        const int32_t *v = mesh->elements[kind].indices + e * (size_t)corners;
        TacVec3 p[8];
        for (int k = 0; k < corners; k++) p[k] = tac_load3(rest + 3 * (size_t)v[k]);
        double m = size_of(kind, p);
        if (kind == TAC_HEXAHEDRA && self->fills.count)
            m *= self->fills.data[e < self->fills.count ? e : self->fills.count - 1];
        all += m;
        for (int k = 0; k < corners && shares; k++) shares[v[k]] += m / corners;
        for (int i = 0; i < corners; i++)
            for (int j = 0; j < corners; j++) {
                double part = share(self, kind, i, j);
                if (part > 0) triplets[(*n)++] = (TacTriplet){(uint32_t)v[i], (uint32_t)v[j], m * part};
            }
    }
    return all;
}

static size_t entries_of(const TacMesh *mesh, TacElement kind) {
    size_t corners = (size_t)tac_element_size(kind);
    return mesh->elements[kind].count * corners * corners;
}

// The kinds that have mass: volumes where there are any, else surfaces, else lines.
static void find_kinds(const TacMesh *mesh, TacElement kinds[2], int *count) {
    static const TacElement order[] = {TAC_TETRAHEDRA, TAC_HEXAHEDRA, TAC_TRIANGLES, TAC_QUADS, TAC_EDGES};
    *count = 0;
    for (size_t k = 0; k < TAC_COUNT(order) && !*count; k += 2)
        for (size_t j = k; j < k + 2 && j < TAC_COUNT(order); j++)
            if (mesh->elements[order[j]].count) kinds[(*count)++] = order[j];
}

static TacStatus build(MatrixMass *self, TacSetup *setup, const TacMesh *mesh, TacError *error) {
    TacElement kinds[2];
    int kind_count;
    find_kinds(mesh, kinds, &kind_count);
    size_t most = 0, n = 0;
    for (int k = 0; k < kind_count; k++) most += entries_of(mesh, kinds[k]);
    TacTriplet *triplets = calloc(most + 1, sizeof *triplets);
    if (!triplets) return tac_fail_memory(error, most * sizeof *triplets);
    double all = 0;
    for (int k = 0; k < kind_count; k++)
        all += add_elements(self, mesh, kinds[k], self->even ? self->whole : NULL, triplets, &n);
    double density = isnan(self->total) ? self->density : self->total / all;
    for (size_t i = 0; i < n; i++) triplets[i].value *= density;
    for (size_t i = 0; i < self->mass.matter->count; i++) self->whole[i] *= density;
    TacStatus status =
        tac_sparse_rows_build(&self->rows, setup, self->mass.matter->count, triplets, n, error);
    free(triplets);
    return status;
}

static TacStatus take_memory(MatrixMass *self, TacSetup *setup, TacError *error) {
    size_t count = self->mass.matter->count;
    double **arrays[] = {&self->whole, &self->diagonal, &self->r, &self->p, &self->q};
    for (size_t k = 0; k < TAC_COUNT(arrays); k++) {
        size_t n = k < 2 ? count : 3 * count;
        *arrays[k] = tac_setup_alloc(setup, n, sizeof(double));
        if (!*arrays[k]) return tac_fail_memory(error, n * sizeof(double));
    }
    return TAC_OK;
}

static TacStatus sum_rows(MatrixMass *self, TacSetup *setup, TacError *error) {
    size_t count = self->mass.matter->count;
    for (size_t i = 0; i < count; i++) {
        for (size_t e = self->rows.start[i]; e < self->rows.start[i + 1]; e++) {
            if (!self->even) self->whole[i] += self->rows.values[e];
            if (self->rows.columns[e] == i) self->diagonal[i] = self->rows.values[e];
        }
        if (!(self->diagonal[i] > 0) || !isfinite(self->whole[i]))
            return tac_setup_fail(setup, error, NULL,
                                  "point %zu belongs to no element of any size, so it gets no mass", i);
    }
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    MatrixMass *self = data;
    const TacMatter *matter = self->mass.matter;
    const TacTopology *topology = tac_setup_topology(setup);
    if (tac_setup_given(setup, "density") == tac_setup_given(setup, "total"))
        return tac_setup_fail(setup, error, NULL, "needs either density or total");
    if (!topology || topology->mesh.point_count != matter->count)
        return tac_setup_fail(setup, error, NULL,
                              "needs a topology with as many points as the matter has (%zu)", matter->count);
    TAC_TRY(take_memory(self, setup, error));
    TAC_TRY(build(self, setup, &topology->mesh, error));
    return sum_rows(self, setup, error);
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(MatrixMass, mass.matter),
    {"density", TAC_REAL, offsetof(MatrixMass, density), "kg/m^3", "",
     "Of the topology's volumes (or kg/m^2 of its surfaces, kg/m of its edges).", NULL, TAC_POSITIVE, 0},
    {"total", TAC_REAL, offsetof(MatrixMass, total), "kg", "", "Of all together, instead of density.", NULL,
     TAC_POSITIVE, 0},
    {"lumped", TAC_BOOL, offsetof(MatrixMass, lumped), "", "false",
     "Moves all of it to the points: the matrix is then diagonal.", NULL, TAC_ANY, 0},
    {"by_edges", TAC_BOOL, offsetof(MatrixMass, by_edges), "", "false",
     "Couples the corners of quads and hexahedra along their edges only, as SOFA does; for implicit solvers.",
     NULL, TAC_ANY, 0},
    {"even", TAC_BOOL, offsetof(MatrixMass, even), "", "false",
     "Couples all corners of a hexahedron alike, as SOFA's HexahedronFEMForceFieldAndMass does, with more "
     "inertia than weight; for implicit solvers.",
     NULL, TAC_ANY, 0},
    {"fills", TAC_REALS, offsetof(MatrixMass, fills), "1", "",
     "How full each hexahedron is; by default all are.", NULL, TAC_POSITIVE, 0},
};

const TacClass tac_matrix_mass_class = {
    .name = "MatrixMass",
    .kind = TAC_KIND_MASS,
    .doc =
        "Mass spread over the elements of the topology: a sparse symmetric matrix that couples neighbours.",
    .size = sizeof(MatrixMass),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.mass = &ops,
};
