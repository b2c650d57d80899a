// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Triangles, the component: attributes and setting up. triangles.h has the equations, triangles_force.c the
// operations. Sources: the SOFA slides; SOFA's TriangularFEMForceFieldOptim and TriangleFEMForceField.

#include "law/triangles.h"
#include "base/memory.h"
#include "law/stress.h"

// Below this ratio of twice the area to the product of two edges a triangle counts as flat.
static const double FLAT = 1e-12;

void tac_tri_frame(TacVec3 ab, TacVec3 ac, TacVec3 *e0, TacVec3 *e1) {
    *e0 = tac_norm(ab) > 0 ? tac_unit(ab) : tac_vec3(1, 0, 0);
    TacVec3 across = tac_axpy(ac, -tac_dot(ac, *e0), *e0);
    if (!(tac_norm(across) > 1e-12 * tac_norm(ac))) {
        // the axis of the world that is farthest from e0
        double x = fabs(e0->x), y = fabs(e0->y), z = fabs(e0->z);
        across = x <= y && x <= z ? tac_vec3(1, 0, 0) : y <= z ? tac_vec3(0, 1, 0) : tac_vec3(0, 0, 1);
        across = tac_axpy(across, -tac_dot(across, *e0), *e0);
    }
    *e1 = tac_unit(across);
}

static TacStatus fill_lane(TacTriangles *self, TacSetup *setup, size_t e, TacError *error) {
    const int32_t *v = tac_elements_nodes(&self->elements, e);
    const double *x = self->law.matter[0]->vectors[TAC_X_REST];
    size_t lane = e % TAC_WIDTH, last = e < self->elements.count ? e : self->elements.count - 1;
    TacVec3 a = tac_load3(x + 3 * (size_t)v[0]), e0, e1;
    TacVec3 ab = tac_sub(tac_load3(x + 3 * (size_t)v[1]), a),
            ac = tac_sub(tac_load3(x + 3 * (size_t)v[2]), a);
    tac_tri_frame(ab, ac, &e0, &e1);
    double bx = tac_dot(e0, ab), cx = tac_dot(e0, ac), cy = tac_dot(e1, ac), area = bx * cy / 2;
    if (!(area > FLAT * tac_norm(ab) * tac_norm(ac)) || !isfinite(area))
        return tac_setup_fail(setup, error, NULL, "triangle %zu (points %d %d %d) is flat at rest", e, v[0],
                              v[1], v[2]);

    double young = tac_elements_value(self->young, last), nu = tac_elements_value(self->poisson, last);
    double solid = e < self->elements.count ? area * tac_elements_value(self->thickness, last) : 0;
    const double m[3] = {1 / bx, -cx / (bx * cy), 1 / cy};
    const double frame[6] = {e0.x, e0.y, e0.z, e1.x, e1.y, e1.z};
    TacTriBatch *batch = &self->batches[e / TAC_WIDTH];
    for (int i = 0; i < 3; i++) batch->m[i][lane] = m[i];
    for (int i = 0; self->keeps && i < 6; i++) self->frames[e / TAC_WIDTH].e[i][lane] = frame[i];
    batch->mu[lane] = solid * young / (1 + nu);
    batch->gamma[lane] = solid * young * nu / ((1 + nu) * (self->plane_strain ? 1 - 2 * nu : 1 - nu));
    return TAC_OK;
}

// Quads become two triangles each where there are no triangles.
static TacStatus split_quads(const TacMesh *mesh, TacSetup *setup, TacElementsDef *def, TacError *error) {
    const int32_t *quads = mesh->elements[TAC_QUADS].indices;
    size_t count = mesh->elements[TAC_QUADS].count;
    int32_t *indices = tac_setup_alloc(setup, 6 * count, sizeof *indices);
    if (!indices) return tac_fail_memory(error, 6 * count * sizeof *indices);
    static const int corners[6] = {0, 1, 2, 0, 2, 3};
    for (size_t i = 0; i < 6 * count; i++) indices[i] = quads[4 * (i / 6) + (size_t)corners[i % 6]];
    def->indices = indices;
    def->count = 2 * count;
    return TAC_OK;
}

static TacStatus check_numbers(const TacTriangles *self, TacSetup *setup, TacError *error) {
    size_t count = self->elements.count;
    TAC_TRY(tac_elements_check(setup, "young", self->young, count, error));
    TAC_TRY(tac_elements_check(setup, "poisson", self->poisson, count, error));
    TAC_TRY(tac_elements_check(setup, "thickness", self->thickness, count, error));
    return tac_elements_check_poisson(setup, self->poisson, self->plane_strain ? 0.5 : 1, error);
}

static TacStatus take_batches(TacTriangles *self, TacSetup *setup, TacError *error) {
    size_t batches = self->elements.batch_count;
    self->keeps = self->method == TAC_TRI_SMALL;
    self->batches = tac_setup_alloc(setup, batches, sizeof *self->batches);
    self->frames = self->keeps ? tac_setup_alloc(setup, batches, sizeof *self->frames)
                               : tac_setup_alloc_kept(setup, batches, sizeof *self->frames, &self->keeps);
    bool shapes = self->shape_now && self->method == TAC_TRI_LARGE;
    self->shapes = shapes ? tac_setup_alloc_kept(setup, batches, sizeof *self->shapes, &self->keeps) : NULL;
    if (!self->batches || !self->frames || (shapes && !self->shapes))
        return tac_fail_memory(error, batches * (sizeof *self->batches + sizeof *self->frames));
    for (size_t e = 0; e < batches * TAC_WIDTH; e++) TAC_TRY(fill_lane(self, setup, e, error));
    return TAC_OK;
}

// --- each triangle by itself ------------------------------------------------------------------------------

typedef struct Flat {
    double m[3], mu, gamma;
} Flat;

// Stiffness in the plane of the triangle: two numbers per corner.
static void product(const void *call, const double *in, double *out) {
    const Flat *t = call;
    double bx = in[2] - in[0], by = in[3] - in[1], cx = in[4] - in[0], cy = in[5] - in[1];
    double h00 = bx * t->m[0], h10 = by * t->m[0];
    double h01 = bx * t->m[1] + cx * t->m[2], h11 = by * t->m[1] + cy * t->m[2];
    double trace = t->gamma * (h00 + h11), shear = t->mu * (h01 + h10) / 2;
    double s00 = t->mu * h00 + trace, s11 = t->mu * h11 + trace;
    out[2] = s00 * t->m[0] + shear * t->m[1];
    out[3] = shear * t->m[0] + s11 * t->m[1];
    out[4] = shear * t->m[2];
    out[5] = s11 * t->m[2];
    out[0] = -(out[2] + out[4]);
    out[1] = -(out[3] + out[5]);
}

size_t tac_triangles_part_count(const void *data) {
    return ((const TacTriangles *)data)->elements.count;
}

void tac_triangles_part(const void *data, size_t e, TacPart *result) {
    const TacTriangles *self = data;
    const TacTriBatch *batch = &self->batches[e / TAC_WIDTH];
    Flat flat = {.mu = batch->mu[e % TAC_WIDTH], .gamma = batch->gamma[e % TAC_WIDTH]};
    *result = (TacPart){.count = 3};
    for (int k = 0; k < 3; k++) {
        flat.m[k] = batch->m[k][e % TAC_WIDTH];
        result->points[k] = (size_t)self->elements.nodes[3 * e + (size_t)k];
    }
    result->stiffness = tac_elements_stiffest(product, &flat, 6);
}

TacStatus tac_triangles_subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count,
                               void *clone, TacError *error) {
    const TacTriangles *self = data;
    TacTriangles *some = clone;
    int32_t *indices = malloc((3 * count + 1) * sizeof *indices);
    if (!indices) return tac_fail_memory(error, 3 * count * sizeof *indices);
    for (size_t i = 0; i < 3 * count; i++) indices[i] = self->elements.nodes[3 * parts[i / 3] + i % 3];
    TacElementsDef def = {.name = "triangles",
                          .indices = indices,
                          .count = count,
                          .corners = 3,
                          .size = 3,
                          .point_count = self->law.matter[0]->count};
    TacStatus status = tac_elements_make(&some->elements, setup, &def, error);
    free(indices);
    TAC_TRY(status);
    TAC_TRY(tac_elements_some(&some->young, setup, parts, count, error));
    TAC_TRY(tac_elements_some(&some->poisson, setup, parts, count, error));
    TAC_TRY(tac_elements_some(&some->thickness, setup, parts, count, error));
    return take_batches(some, setup, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacTriangles *self = data;
    self->law.inner = self->method != TAC_TRI_SMALL;
    self->law.lopsided = self->method == TAC_TRI_LARGE; // a rotation that is not the nearest leaves a torque
    const TacMesh *mesh;
    TAC_TRY(tac_elements_mesh(&mesh, setup, self->law.matter[0], "triangles", error));
    TacElementsDef def = {.name = "triangles",
                          .indices = mesh->elements[TAC_TRIANGLES].indices,
                          .count = mesh->elements[TAC_TRIANGLES].count,
                          .corners = 3,
                          .size = 3,
                          .point_count = mesh->point_count,
                          .lends = true};
    if (!def.count && mesh->elements[TAC_QUADS].count) TAC_TRY(split_quads(mesh, setup, &def, error));
    TAC_TRY(tac_elements_make(&self->elements, setup, &def, error));
    TAC_TRY(check_numbers(self, setup, error));
    return take_batches(self, setup, error);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(TacTriangles, law),
    {"young", TAC_REALS, offsetof(TacTriangles, young), "Pa", NULL,
     "Young's modulus: one for all triangles, or one each.", NULL, TAC_POSITIVE, 0},
    {"poisson", TAC_REALS, offsetof(TacTriangles, poisson), "1", "0.3",
     "Poisson's ratio, from 0 to below 1 (0.5 in plane strain): one for all triangles, or one each.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"thickness", TAC_REALS, offsetof(TacTriangles, thickness), "m", "1",
     "One for all triangles, or one each.", NULL, TAC_POSITIVE, 0},
    {"method", TAC_CHOICE, offsetof(TacTriangles, method), "", "polar",
     "How each triangle's frame is found: polar (nearest rotation: balanced), large (along the first edge, "
     "as "
     "SOFA), small (as at rest: for small motions only).",
     "polar|large|small", TAC_ANY, 0},
    {"shape_now", TAC_BOOL, offsetof(TacTriangles, shape_now), "", "false",
     "Strain is measured over the triangle as it is now, as SOFA's TriangleFEMForceField and "
     "TriangularFEMForceField do, instead of as it was at rest.",
     NULL, TAC_ANY, 0},
    {"plane_strain", TAC_BOOL, offsetof(TacTriangles, plane_strain), "", "false",
     "The membrane cannot grow thinner or thicker; otherwise no stress goes through it.", NULL, TAC_ANY, 0},
};

const TacClass tac_triangles_class = {
    .name = "Triangles",
    .kind = TAC_KIND_LAW,
    .doc = "Elastic membranes of the topology's triangles (or quads, split): linear isotropic elements in "
           "plane stress, each seen from a frame that turns with it (corotational). They do not resist "
           "bending.",
    .size = sizeof(TacTriangles),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &tac_triangles_ops,
    .scalars = tac_triangles_scalars,
};
