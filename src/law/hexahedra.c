// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Hexahedra, the component: attributes and setting up. hexahedra.h has the equations, hexahedra_force.c the
// operations. Sources: the SOFA slides and SOFA's HexahedronFEMForceField for the frames and the quadrature.

#include "law/hexahedra.h"
#include "base/memory.h"
#include "law/rotation.h"
#include "law/stress.h"

// Elements whose corners are this near to those of a box, as a part of its size, count as one.
static const double BOX = 1e-6;

// Below this ratio of the Jacobian to the product of the mean edges an element counts as flat.
static const double FLAT = 1e-9;

const int8_t tac_hex_signs[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

void tac_hex_modes(const double *corners, TacVec3 modes[TAC_HEX_MODES]) {
    for (int m = 0; m < TAC_HEX_MODES; m++) modes[m] = tac_vec3(0, 0, 0);
    for (int c = 0; c < 8; c++) {
        double x = tac_hex_signs[c][0], y = tac_hex_signs[c][1], z = tac_hex_signs[c][2];
        const double factors[TAC_HEX_MODES] = {x, y, z, y * z, z * x, x * y, x * y * z};
        for (int m = 0; m < TAC_HEX_MODES; m++)
            modes[m] = tac_axpy(modes[m], factors[m], tac_load3(corners + 3 * c));
    }
}

bool tac_hex_frame(TacHexahedraMethod method, const TacVec3 edges[3], TacMat3 *frame) {
    const TacVec3 *e = edges;
    TacMat3 columns = {{{e[0].x, e[1].x, e[2].x}, {e[0].y, e[1].y, e[2].y}, {e[0].z, e[1].z, e[2].z}}};
    double sizes = tac_norm(e[0]) * tac_norm(e[1]) * tac_norm(e[2]);
    if (method == TAC_HEX_POLAR) {
        *frame = tac_rotation_svd(&columns);
    } else {
        TacVec3 x = tac_unit(e[0]), z = tac_unit(tac_cross(x, e[1])), y = tac_cross(z, x);
        *frame = (TacMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    }
    return fabs(tac_mat3_det(&columns)) > FLAT * sizes;
}

// --- one element at rest ----------------------------------------------------------------------------------

typedef struct Shape {
    double corners[24]; // in the frame at rest, seen from corner 0
    TacVec3 modes[TAC_HEX_MODES];
    TacMat3 frame;
    double lambda, mu;
} Shape;

static void load_corners(const TacHexahedra *self, const int32_t *v, double corners[24]) {
    const double *x = self->law.matter[0]->vectors[TAC_X_REST];
    for (int c = 0; c < 8; c++) tac_store3(corners + 3 * c, tac_load3(x + 3 * (size_t)v[c]));
}

static TacStatus measure(const TacHexahedra *self, TacSetup *setup, size_t e, Shape *shape, TacError *error) {
    const int32_t *v = self->elements.nodes + 8 * e;
    double world[24];
    load_corners(self, v, world);
    TacVec3 origin = tac_load3(world), modes[TAC_HEX_MODES];
    tac_hex_modes(world, modes);
    if (!tac_hex_frame((TacHexahedraMethod)self->method, modes, &shape->frame))
        return tac_setup_fail(setup, error, NULL, "hexahedron %zu (points %d %d %d ...) is flat at rest", e,
                              v[0], v[1], v[2]);
    for (int c = 0; c < 8; c++) {
        TacVec3 local = tac_mat3_apply_back(&shape->frame, tac_sub(tac_load3(world + 3 * c), origin));
        tac_store3(shape->corners + 3 * c, local);
    }
    tac_hex_modes(shape->corners, shape->modes);

    double young = tac_elements_value(self->young, e), poisson = tac_elements_value(self->poisson, e);
    shape->lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    shape->mu = young / (2 * (1 + poisson));
    return TAC_OK;
}

static bool is_box(const Shape *shape) {
    const TacVec3 *m = shape->modes;
    double size = tac_norm(m[0]) + tac_norm(m[1]) + tac_norm(m[2]), off = 0;
    off = fmax(off, fmax(fabs(m[0].y), fabs(m[0].z)));
    off = fmax(off, fmax(fabs(m[1].x), fabs(m[1].z)));
    off = fmax(off, fmax(fabs(m[2].x), fabs(m[2].y)));
    for (int i = 3; i < TAC_HEX_MODES; i++) off = fmax(off, tac_norm(m[i]));
    return off <= BOX * size;
}

// Gradients of the eight shape functions at a point inside; returns the Jacobian's determinant.
static double gradients(const double *corners, const double at[3], TacVec3 out[8]) {
    TacVec3 local[8];
    TacMat3 jacobian = {0};
    for (int c = 0; c < 8; c++) {
        const int8_t *s = tac_hex_signs[c];
        double f[3] = {1 + s[0] * at[0], 1 + s[1] * at[1], 1 + s[2] * at[2]};
        local[c] = tac_vec3(s[0] * f[1] * f[2] / 8, f[0] * s[1] * f[2] / 8, f[0] * f[1] * s[2] / 8);
        for (int i = 0; i < 3; i++) {
            jacobian.m[i][0] += corners[3 * c + i] * local[c].x;
            jacobian.m[i][1] += corners[3 * c + i] * local[c].y;
            jacobian.m[i][2] += corners[3 * c + i] * local[c].z;
        }
    }
    double determinant = tac_mat3_det(&jacobian);
    if (!(determinant > 0)) return determinant;
    TacMat3 inverse = tac_mat3_inverse(&jacobian);
    for (int c = 0; c < 8; c++) out[c] = tac_mat3_apply_back(&inverse, local[c]);
    return determinant;
}

// k += weight (lambda gi gj^T + mu gj gi^T + mu gi.gj I) for all pairs of corners
static void add_stiffness(const TacVec3 g[8], double lambda, double mu, double k[24 * 24]) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            const double a[3] = {g[i].x, g[i].y, g[i].z}, b[3] = {g[j].x, g[j].y, g[j].z};
            double same = mu * tac_dot(g[i], g[j]);
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++)
                    k[24 * (3 * i + p) + 3 * j + q] +=
                        lambda * a[p] * b[q] + mu * a[q] * b[p] + (p == q ? same : 0);
        }
}

static void gauss_point(int index, double at[3]) {
    for (int i = 0; i < 3; i++) at[i] = ((index >> i & 1) ? 1 : -1) / sqrt(3.0);
}

static TacStatus fill_odd(TacHexOdd *odd, TacSetup *setup, size_t e, const Shape *shape, TacError *error) {
    odd->element = (uint32_t)e;
    memcpy(odd->rest, shape->corners, sizeof odd->rest);
    for (int p = 0; p < 8; p++) {
        double at[3];
        TacVec3 g[8];
        gauss_point(p, at);
        double determinant = gradients(shape->corners, at, g);
        if (!(determinant > 0) || !isfinite(determinant))
            return tac_setup_fail(setup, error, NULL,
                                  "hexahedron %zu is folded at rest: part of it is inside out", e);
        add_stiffness(g, determinant * shape->lambda, determinant * shape->mu, odd->k);
    }
    return TAC_OK;
}

// --- all elements -----------------------------------------------------------------------------------------

// Hexahedra with bottom and top exchanged are turned round.
static void turn_round(TacHexahedra *self, TacSetup *setup) {
    size_t turned = 0, first = 0;
    for (size_t e = 0; e < self->elements.batch_count * TAC_WIDTH; e++) {
        int32_t *v = self->elements.own + 8 * e;
        double corners[24];
        TacVec3 modes[TAC_HEX_MODES];
        load_corners(self, v, corners);
        tac_hex_modes(corners, modes);
        if (!(tac_dot(modes[2], tac_cross(modes[0], modes[1])) < 0)) continue;
        for (int c = 0; c < 4; c++) {
            int32_t swapped = v[c];
            v[c] = v[c + 4];
            v[c + 4] = swapped;
        }
        if (e < self->elements.count && !turned++) first = e;
    }
    if (turned)
        tac_setup_warn(setup, NULL,
                       "%zu of %zu hexahedra were inside out at rest and have been turned round; the first "
                       "is number %zu",
                       turned, self->elements.count, first);
}

static void fill_lane(TacHexahedra *self, size_t e, const Shape *shape, bool elastic) {
    TacHexBatch *batch = &self->batches[e / TAC_WIDTH];
    size_t lane = e % TAC_WIDTH;
    const double edges[3] = {shape->modes[0].x, shape->modes[1].y, shape->modes[2].z};
    double volume = edges[0] * edges[1] * edges[2] / 64;
    for (int i = 0; i < 3; i++) {
        batch->edge[i][lane] = edges[i];
        batch->slope[i][lane] = 8 / edges[i];
    }
    batch->lambda[lane] = elastic ? shape->lambda * volume / 64 : 0;
    batch->mu[lane] = elastic ? shape->mu * volume / 64 : 0;
    for (int i = 0; i < 9; i++) self->rotations[e / TAC_WIDTH].r[i][lane] = shape->frame.m[i / 3][i % 3];
}

static TacStatus count_odd(TacHexahedra *self, TacSetup *setup, TacError *error) {
    for (size_t e = 0; e < self->elements.count; e++) {
        Shape shape;
        TAC_TRY(measure(self, setup, e, &shape, error));
        if (!is_box(&shape)) self->odd_start[e / TAC_WIDTH + 1] = (uint32_t)++self->odd_count;
    }
    for (size_t b = 1; b <= self->elements.batch_count; b++)
        if (self->odd_start[b] < self->odd_start[b - 1]) self->odd_start[b] = self->odd_start[b - 1];
    self->odd = tac_setup_alloc(setup, self->odd_count, sizeof *self->odd);
    if (!self->odd && self->odd_count) return tac_fail_memory(error, self->odd_count * sizeof *self->odd);
    return TAC_OK;
}

static TacStatus fill_batches(TacHexahedra *self, TacSetup *setup, TacError *error) {
    size_t odd = 0;
    for (size_t e = 0; e < self->elements.batch_count * TAC_WIDTH; e++) {
        Shape shape;
        bool real = e < self->elements.count;
        TAC_TRY(measure(self, setup, real ? e : self->elements.count - 1, &shape, error));
        bool box = is_box(&shape);
        fill_lane(self, e, &shape, real && box);
        if (real && !box) TAC_TRY(fill_odd(&self->odd[odd++], setup, e, &shape, error));
    }
    return TAC_OK;
}

static void fill_overlap(TacHexahedra *self) {
    static const double unit[24] = {-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1,
                                    -1, -1, 1,  1, -1, 1,  1, 1, 1,  -1, 1, 1};
    for (int p = 0; p < 8; p++) {
        double at[3];
        TacVec3 g[8];
        gauss_point(p, at);
        gradients(unit, at, g);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                const double a[3] = {g[i].x, g[i].y, g[i].z}, b[3] = {g[j].x, g[j].y, g[j].z};
                for (int q = 0; q < 9; q++) self->overlap[i][j][q] += a[q / 3] * b[q % 3] / 8;
            }
    }
}

static TacStatus take_arrays(TacHexahedra *self, TacSetup *setup, TacError *error) {
    size_t batches = self->elements.batch_count;
    self->batches = tac_setup_alloc(setup, batches, sizeof *self->batches);
    self->rotations = tac_setup_alloc(setup, batches, sizeof *self->rotations);
    self->odd_start = tac_setup_alloc(setup, batches + 1, sizeof *self->odd_start);
    if (!self->batches || !self->rotations || !self->odd_start)
        return tac_fail_memory(error, batches * (sizeof *self->batches + sizeof *self->rotations));
    return TAC_OK;
}

// --- each hexahedron by itself ----------------------------------------------------------------------------

static void product(const void *call, const double *in, double *out) {
    const double *k = call;
    for (int i = 0; i < 24; i++) {
        out[i] = 0;
        for (int j = 0; j < 24; j++) out[i] += k[24 * i + j] * in[j];
    }
}

size_t tac_hexahedra_part_count(const void *data) {
    return ((const TacHexahedra *)data)->elements.count;
}

void tac_hexahedra_part(const void *data, size_t e, TacPart *result) {
    const TacHexahedra *self = data;
    *result = (TacPart){.count = 8};
    for (int c = 0; c < 8; c++) result->points[c] = (size_t)self->elements.nodes[8 * e + (size_t)c];
    Shape shape;
    double k[24 * 24] = {0};
    TacError unused; // init has seen the element and found it good
    if (measure(self, NULL, e, &shape, &unused) != TAC_OK) return;
    for (int p = 0; p < 8; p++) {
        double at[3];
        TacVec3 g[8];
        gauss_point(p, at);
        double determinant = gradients(shape.corners, at, g);
        add_stiffness(g, determinant * shape.lambda, determinant * shape.mu, k);
    }
    result->stiffness = tac_elements_stiffest(product, k, 24);
}

TacStatus tac_hexahedra_subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count,
                               void *clone, TacError *error) {
    const TacHexahedra *self = data;
    TacHexahedra *some = clone;
    int32_t *indices = tac_setup_alloc(setup, 8 * count, sizeof *indices);
    if (!indices) return tac_fail_memory(error, 8 * count * sizeof *indices);
    for (size_t i = 0; i < 8 * count; i++) indices[i] = self->elements.nodes[8 * parts[i / 8] + i % 8];
    TacElementsDef def = {.name = "hexahedra",
                          .indices = indices,
                          .count = count,
                          .corners = 8,
                          .size = 3,
                          .point_count = self->law.matter[0]->count};
    TAC_TRY(tac_elements_make(&some->elements, setup, &def, error));
    TAC_TRY(tac_elements_some(&some->young, setup, parts, count, error));
    TAC_TRY(tac_elements_some(&some->poisson, setup, parts, count, error));
    TAC_TRY(take_arrays(some, setup, error));
    some->odd_count = 0;
    TAC_TRY(count_odd(some, setup, error));
    return fill_batches(some, setup, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacHexahedra *self = data;
    // the rotation of mean edges is not quite that of the whole
    self->law.inner = self->law.lopsided = self->method != TAC_HEX_SMALL;
    const TacMesh *mesh;
    TAC_TRY(tac_elements_mesh(&mesh, setup, self->law.matter[0], "hexahedra", error));
    TacElementsDef def = {.name = "hexahedra",
                          .indices = mesh->elements[TAC_HEXAHEDRA].indices,
                          .count = mesh->elements[TAC_HEXAHEDRA].count,
                          .corners = 8,
                          .size = 3,
                          .point_count = mesh->point_count};
    TAC_TRY(tac_elements_make(&self->elements, setup, &def, error));
    TAC_TRY(tac_elements_check(setup, "young", self->young, def.count, error));
    TAC_TRY(tac_elements_check(setup, "poisson", self->poisson, def.count, error));
    TAC_TRY(tac_elements_check_poisson(setup, self->poisson, 0.5, error));
    TAC_TRY(take_arrays(self, setup, error));
    turn_round(self, setup);
    TAC_TRY(count_odd(self, setup, error));
    TAC_TRY(fill_batches(self, setup, error));
    fill_overlap(self);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(TacHexahedra, law),
    {"young", TAC_REALS, offsetof(TacHexahedra, young), "Pa", NULL,
     "Young's modulus: one for all hexahedra, or one each.", NULL, TAC_POSITIVE, 0},
    {"poisson", TAC_REALS, offsetof(TacHexahedra, poisson), "1", "0.3",
     "Poisson's ratio, from 0 to below 0.5: one for all hexahedra, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"method", TAC_CHOICE, offsetof(TacHexahedra, method), "", "large",
     "How each element's rotation is found from its mean edges: large (first edge and plane of the first "
     "two), polar (nearest rotation), small (none: for small motions only).",
     "large|polar|small", TAC_ANY, 0},
};

const TacClass tac_hexahedra_class = {
    .name = "Hexahedra",
    .kind = TAC_KIND_LAW,
    .doc =
        "Elastic solids of the topology's hexahedra: trilinear isotropic elements with eight Gauss points, "
        "each seen from a frame that turns with it (corotational), as SOFA's HexahedronFEMForceField.",
    .size = sizeof(TacHexahedra),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &tac_hexahedra_ops,
    .scalars = tac_hexahedra_scalars,
};
