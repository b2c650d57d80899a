// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// HyperelasticTetrahedra, the component: attributes and setting up. hyperelastic.h has the equations,
// hyperelastic_material.c the energies, hyperelastic_force.c the operations. Sources: the SOFA slides; Bonet
// and Wood, "Nonlinear continuum mechanics for finite element analysis" (2008).

#include "law/hyperelastic.h"
#include "base/memory.h"
#include "law/stress.h"

// Below this ratio of six volumes to the product of the edges an element counts as flat.
static const double FLAT = 1e-12;

#define MATERIALS                                                                                            \
    "neo-hookean|stable-neo-hookean|saint-venant-kirchhoff|mooney-rivlin|arruda-boyce|veronda-westman|"      \
    "ogden|costa"

static TacVec3 rest_edge(const TacHyperelastic *self, const int32_t *v, int corner) {
    const double *x = self->law.matter[0]->vectors[TAC_X_REST];
    return tac_sub(tac_load3(x + 3 * (size_t)v[corner]), tac_load3(x + 3 * (size_t)v[0]));
}

static TacStatus fill_lane(TacHyperelastic *self, TacSetup *setup, size_t e, TacError *error) {
    const int32_t *v = self->elements.nodes + 4 * e;
    TacVec3 a = rest_edge(self, v, 1), b = rest_edge(self, v, 2), c = rest_edge(self, v, 3);
    TacMat3 edges = {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
    double six = tac_mat3_det(&edges), sizes = tac_norm(a) * tac_norm(b) * tac_norm(c);
    if (!(fabs(six) > FLAT * sizes) || !isfinite(six))
        return tac_setup_fail(setup, error, NULL, "tetrahedron %zu (points %d %d %d %d) is flat at rest", e,
                              v[0], v[1], v[2], v[3]);
    TacMat3 inverse = tac_mat3_inverse(&edges);
    TacHyperBatch *batch = &self->batches[e / TAC_WIDTH];
    size_t lane = e % TAC_WIDTH;
    for (int i = 0; i < 9; i++) batch->m[i][lane] = inverse.m[i / 3][i % 3];
    batch->volume[lane] = e < self->elements.count ? fabs(six) / 6 : 0;
    for (int i = 0; i < 9; i++) self->states[e / TAC_WIDTH].f[i][lane] = i % 4 == 0;
    return TAC_OK;
}

// The parameters that give a material of these constants at small strain. False: there is no one way.
static bool from_constants(TacMaterial material, double young, double poisson, double *p) {
    double mu = young / (2 * (1 + poisson)), bulk = young / (3 * (1 - 2 * poisson)),
           lambda = bulk - mu * 2 / 3;
    switch (material) {
    case TAC_NEO_HOOKEAN:
    case TAC_STABLE_NEO_HOOKEAN:
    case TAC_SAINT_VENANT_KIRCHHOFF:
        p[0] = mu;
        p[1] = lambda;
        return true;
    case TAC_MOONEY_RIVLIN:
        p[0] = p[1] = mu / 4;
        p[2] = bulk;
        return true;
    case TAC_ARRUDA_BOYCE:
        // the series' slope at rest is 1/2 (1 + 3/40 + ...): see arruda_boyce
        p[0] = mu / (2 * (1.0 / 2 + 6.0 / 160 + 27 * 11.0 / 67200 + 108 * 19.0 / 3584000 +
                          405 * 519.0 / 2759680000.0));
        p[1] = bulk;
        return true;
    case TAC_OGDEN:
        p[0] = 2 * mu;
        p[1] = 2;
        p[2] = bulk;
        return true;
    default: return false;
    }
}

static TacStatus take_given(TacHyperelastic *self, TacSetup *setup, TacError *error) {
    size_t each = self->parameter_count, count = self->elements.count;
    if (tac_setup_given(setup, "young") || tac_setup_given(setup, "poisson"))
        return tac_setup_fail(setup, error, "parameters", "give either parameters, or young and poisson");
    if (self->given.count != each && self->given.count != each * count)
        return tac_setup_fail(
            setup, error, "parameters",
            "parameters has %zu numbers; this material has %zu, for all tetrahedra or for each of the %zu",
            self->given.count, each, count);
    self->set_count = self->given.count / each;
    self->parameters = tac_setup_alloc(setup, self->given.count, sizeof *self->parameters);
    if (!self->parameters) return tac_fail_memory(error, self->given.count * sizeof *self->parameters);
    memcpy(self->parameters, self->given.data, self->given.count * sizeof *self->parameters);
    return TAC_OK;
}

static TacStatus take_constants(TacHyperelastic *self, TacSetup *setup, TacError *error) {
    size_t each = self->parameter_count, count = self->elements.count;
    double trial[TAC_MATERIAL_MOST];
    if (!from_constants((TacMaterial)self->material, 1, 0.3, trial))
        return tac_setup_fail(setup, error, "material", "this material needs its %zu parameters", each);
    if (!tac_setup_given(setup, "young"))
        return tac_setup_fail(setup, error, NULL, "needs young (and poisson), or parameters");
    TAC_TRY(tac_elements_check(setup, "young", self->young, count, error));
    TAC_TRY(tac_elements_check(setup, "poisson", self->poisson, count, error));
    TAC_TRY(tac_elements_check_poisson(setup, self->poisson, 0.5, error));
    self->set_count = self->young.count == 1 && self->poisson.count == 1 ? 1 : count;
    self->parameters = tac_setup_alloc(setup, each * self->set_count, sizeof *self->parameters);
    if (!self->parameters) return tac_fail_memory(error, each * self->set_count * sizeof *self->parameters);
    for (size_t e = 0; e < self->set_count; e++)
        from_constants((TacMaterial)self->material, tac_elements_value(self->young, e),
                       tac_elements_value(self->poisson, e), self->parameters + each * e);
    return TAC_OK;
}

// What would divide by zero.
static TacStatus check_parameters(const TacHyperelastic *self, TacSetup *setup, TacError *error) {
    for (size_t s = 0; s < self->set_count; s++) {
        const double *p = self->parameters + self->parameter_count * s;
        for (size_t i = 0; i < self->parameter_count; i++)
            if (!isfinite(p[i]))
                return tac_setup_fail(setup, error, "parameters", "parameter %zu is not a number", i);
        if (self->material == TAC_OGDEN && p[1] == 0)
            return tac_setup_fail(setup, error, "parameters", "the exponent of ogden must not be 0");
        if (self->material == TAC_STABLE_NEO_HOOKEAN && !(p[0] + p[1] > 0))
            return tac_setup_fail(setup, error, "parameters", "mu + lambda must be above 0");
    }
    return TAC_OK;
}

static TacStatus take_batches(TacHyperelastic *self, TacSetup *setup, TacError *error) {
    bool tensors = !tac_material_is_invariant((TacMaterial)self->material);
    size_t batches = self->elements.batch_count;
    self->batches = tac_setup_alloc(setup, batches, sizeof *self->batches);
    self->states = tac_setup_alloc(setup, batches, sizeof *self->states);
    self->tensors = tensors ? tac_setup_alloc(setup, batches, sizeof *self->tensors) : NULL;
    if (!self->batches || !self->states || (tensors && !self->tensors))
        return tac_fail_memory(error, batches * (sizeof *self->batches + sizeof *self->states));
    for (size_t e = 0; e < batches * TAC_WIDTH; e++) TAC_TRY(fill_lane(self, setup, e, error));
    return TAC_OK;
}

// --- each tetrahedron by itself ---------------------------------------------------------------------------

// An element grows stiffer as it is deformed: its clock is made for this many times its stiffness at rest.
static const double GROWTH = 4;

typedef struct Solid {
    double m[9], lambda, mu; // times volume
} Solid;

// Lame's constants at small strain. False where they do not follow from the parameters alone.
static bool small_strain(const TacHyperelastic *self, size_t e, double *lambda, double *mu) {
    const double *p = self->parameters + (self->set_count == 1 ? 0 : self->parameter_count * e);
    double bulk;
    switch ((TacMaterial)self->material) {
    case TAC_NEO_HOOKEAN:
    case TAC_STABLE_NEO_HOOKEAN:
    case TAC_SAINT_VENANT_KIRCHHOFF:
        *mu = p[0];
        *lambda = p[1];
        return true;
    case TAC_MOONEY_RIVLIN:
        *mu = 2 * (p[0] + p[1]);
        bulk = p[2];
        break;
    case TAC_ARRUDA_BOYCE: {
        double unit[TAC_MATERIAL_MOST];
        from_constants(TAC_ARRUDA_BOYCE, 2, 0, unit); // of mu = 1
        *mu = p[0] / unit[0];
        bulk = p[1];
        break;
    }
    default: return false;
    }
    *lambda = bulk - *mu * 2 / 3;
    return true;
}

// Stiffness at rest: three numbers per corner.
static void product(const void *call, const double *in, double *out) {
    const Solid *t = call;
    double g[3][3] = {{0}}, s[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) g[i][j] += (in[3 * (k + 1) + i] - in[i]) * t->m[3 * k + j];
    double trace = t->lambda * (g[0][0] + g[1][1] + g[2][2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) s[i][j] = t->mu * (g[i][j] + g[j][i]) + (i == j ? trace : 0);
    for (int i = 0; i < 3; i++) out[i] = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double f = s[i][0] * t->m[3 * k] + s[i][1] * t->m[3 * k + 1] + s[i][2] * t->m[3 * k + 2];
            out[3 * (k + 1) + i] = f;
            out[i] -= f;
        }
}

size_t tac_hyperelastic_part_count(const void *data) {
    const TacHyperelastic *self = data;
    double lambda, mu;
    return small_strain(self, 0, &lambda, &mu) ? self->elements.count : 0;
}

void tac_hyperelastic_part(const void *data, size_t e, TacPart *result) {
    const TacHyperelastic *self = data;
    const TacHyperBatch *batch = &self->batches[e / TAC_WIDTH];
    double volume = batch->volume[e % TAC_WIDTH];
    Solid solid = {{0}, 0, 0};
    small_strain(self, e, &solid.lambda, &solid.mu);
    solid.lambda *= volume;
    solid.mu *= volume;
    for (int i = 0; i < 9; i++) solid.m[i] = batch->m[i][e % TAC_WIDTH];
    *result = (TacPart){.count = 4, .stiffness = GROWTH * tac_elements_stiffest(product, &solid, 12)};
    for (int k = 0; k < 4; k++) result->points[k] = (size_t)self->elements.nodes[4 * e + (size_t)k];
}

TacStatus tac_hyperelastic_subset(const void *data, TacSetup *setup, const uint32_t *parts, size_t count,
                                  void *clone, TacError *error) {
    const TacHyperelastic *self = data;
    TacHyperelastic *some = clone;
    size_t each = self->parameter_count;
    int32_t *indices = tac_setup_alloc(setup, 4 * count, sizeof *indices);
    if (!indices) return tac_fail_memory(error, 4 * count * sizeof *indices);
    for (size_t i = 0; i < 4 * count; i++) indices[i] = self->elements.nodes[4 * parts[i / 4] + i % 4];
    TacElementsDef def = {.name = "tetrahedra",
                          .indices = indices,
                          .count = count,
                          .corners = 4,
                          .size = 3,
                          .point_count = self->law.matter[0]->count};
    TAC_TRY(tac_elements_make(&some->elements, setup, &def, error));
    if (self->set_count > 1) {
        some->set_count = count;
        some->parameters = tac_setup_alloc(setup, each * count, sizeof *some->parameters);
        if (!some->parameters) return tac_fail_memory(error, each * count * sizeof *some->parameters);
        for (size_t i = 0; i < count; i++)
            memcpy(some->parameters + each * i, self->parameters + each * parts[i], each * sizeof(double));
    }
    return take_batches(some, setup, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacHyperelastic *self = data;
    self->law.inner = true;
    const TacMesh *mesh;
    TAC_TRY(tac_elements_mesh(&mesh, setup, self->law.matter[0], "tetrahedra", error));
    TacElementsDef def = {.name = "tetrahedra",
                          .indices = mesh->elements[TAC_TETRAHEDRA].indices,
                          .count = mesh->elements[TAC_TETRAHEDRA].count,
                          .corners = 4,
                          .size = 3,
                          .point_count = mesh->point_count};
    TAC_TRY(tac_elements_make(&self->elements, setup, &def, error));
    self->parameter_count = tac_material_parameters((TacMaterial)self->material);
    TAC_TRY(tac_setup_given(setup, "parameters") ? take_given(self, setup, error)
                                                 : take_constants(self, setup, error));
    TAC_TRY(check_parameters(self, setup, error));
    return take_batches(self, setup, error);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(TacHyperelastic, law),
    {"material", TAC_CHOICE, offsetof(TacHyperelastic, material), "", "neo-hookean",
     "The strain energy. Parameters in order: mu, lambda (neo-hookean, stable-neo-hookean, "
     "saint-venant-kirchhoff); c1, c2, k (mooney-rivlin, veronda-westman); mu, k (arruda-boyce); mu, alpha, "
     "k (ogden, one term); a, k, bxx, bxy, byy, bxz, byz, bzz (costa: axes of the world at rest).",
     MATERIALS, TAC_ANY, 0},
    {"parameters", TAC_REALS, offsetof(TacHyperelastic, given), "Pa, 1", "",
     "The material's own parameters (Pa, or 1 for alpha, c2 of veronda-westman and the b of costa): one set "
     "for all tetrahedra, or one each; instead of young and poisson.",
     NULL, TAC_ANY, 0},
    {"young", TAC_REALS, offsetof(TacHyperelastic, young), "Pa", "",
     "Young's modulus at small strain: one for all tetrahedra, or one each.", NULL, TAC_POSITIVE, 0},
    {"poisson", TAC_REALS, offsetof(TacHyperelastic, poisson), "1", "0.3",
     "Poisson's ratio at small strain, from 0 to below 0.5: one for all tetrahedra, or one each.", NULL,
     TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_hyperelastic_class = {
    .name = "HyperelasticTetrahedra",
    .kind = TAC_KIND_LAW,
    .doc = "Soft solids of the topology's tetrahedra at any strain: forces and exact stiffness from a strain "
           "energy. Energies as in SOFA's TetrahedronHyperelasticityFEMForceField; crushed and inverted "
           "elements push back.",
    .size = sizeof(TacHyperelastic),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &tac_hyperelastic_ops,
    .scalars = tac_hyperelastic_scalars,
};
