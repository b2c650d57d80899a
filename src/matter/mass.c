// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Lumped masses: UniformMass (all points alike) and DiagonalMass (one per point, or lumped from a density).
// They differ only in how the numbers are found; the operations are shared.

#include "base/memory.h"
#include "matter/matter.h"

enum { GRAIN = 4096 };

typedef struct LumpedMass {
    TacMass mass;
    double each, total, density;
    TacReals masses, inertia;
    TacVec3 box;
    double *m;            // kg, per point
    double *turning;      // kg m^2 per Rigid2 frame, or NULL
    TacInertia *inertias; // per Rigid3 frame, or NULL
} LumpedMass;

// --- operations -------------------------------------------------------------------------------------------

typedef struct Call {
    const LumpedMass *self;
    const double *x, *in;
    double *out;
    double factor;
} Call;

static void product_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const LumpedMass *self = c->self;
    const double *restrict in = c->in;
    double *restrict out = c->out;
    size_t d = (size_t)self->mass.matter->velocity_size;
    if (d == 3 && !self->turning) {
        for (size_t i = begin; i < end; i++) {
            double s = c->factor * self->m[i];
            for (size_t k = 0; k < 3; k++) out[3 * i + k] += s * in[3 * i + k];
        }
        return;
    }
    size_t linear = self->turning ? 2 : d == 6 ? 3 : d;
    for (size_t i = begin; i < end; i++) {
        double s = c->factor * self->m[i];
        for (size_t k = 0; k < linear; k++) out[d * i + k] += s * in[d * i + k];
        if (self->turning) out[3 * i + 2] += c->factor * self->turning[i] * in[3 * i + 2];
        if (self->inertias) {
            TacQuat q = tac_load_quat(c->x + 7 * i + 3);
            TacVec3 l = tac_inertia_apply(&self->inertias[i], q, tac_load3(in + 6 * i + 3));
            tac_add3(out + 6 * i + 3, tac_scale(l, c->factor));
        }
    }
}

static void product(void *data, const TacContext *context, const double *x, const double *in, double *out,
                    double factor) {
    LumpedMass *self = data;
    Call call = {self, x, in, out, factor};
    tac_team_run(context->team, self->mass.matter->count, GRAIN, product_chunk, &call);
}

static bool all_equal(const double *m, size_t n) {
    unsigned other = 0;
    for (size_t i = 1; i < n; i++) other |= m[i] != m[0];
    return n > 0 && !other;
}

// What turns alike about every axis need not know how it stands.
static void divide_turning(const TacInertia *inertia, const double *q, const double *in, double *out) {
    const double *m = inertia->moments;
    if (m[0] == m[1] && m[1] == m[2])
        tac_store3(out, tac_scale(tac_load3(in), 1 / m[0]));
    else
        tac_store3(out, tac_inertia_solve(inertia, tac_load_quat(q), tac_load3(in)));
}

static void divide_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const LumpedMass *self = c->self;
    const double *restrict in = c->in;
    double *restrict out = c->out;
    size_t d = (size_t)self->mass.matter->velocity_size;
    size_t linear = self->turning ? 2 : d == 6 ? 3 : d;
    if (linear == d && all_equal(self->m + begin, end - begin)) {
        // one long loop: compilers make it wide
        double m = self->m[begin];
        for (size_t i = d * begin; i < d * end; i++) out[i] = in[i] / m;
        return;
    }
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < linear; k++) out[d * i + k] = in[d * i + k] / self->m[i];
        if (self->turning) out[3 * i + 2] = in[3 * i + 2] / self->turning[i];
        if (self->inertias)
            divide_turning(&self->inertias[i], c->x + 7 * i + 3, in + 6 * i + 3, out + 6 * i + 3);
    }
}

static void divide(void *data, const TacContext *context, const double *x, const double *f, double *a) {
    LumpedMass *self = data;
    Call call = {self, x, f, a, 1};
    tac_team_run(context->team, self->mass.matter->count, GRAIN, divide_chunk, &call);
}

// Numbers of a velocity that gravity acts on.
static size_t linear_size(const LumpedMass *self) {
    size_t d = (size_t)self->mass.matter->velocity_size;
    return self->turning ? 2 : d == 6 ? 3 : d;
}

static void weight_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const LumpedMass *self = c->self;
    size_t d = (size_t)self->mass.matter->velocity_size, linear = linear_size(self);
    double g[3] = {self->mass.gravity.x, self->mass.gravity.y, self->mass.gravity.z};
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < linear; k++) c->out[d * i + k] += self->m[i] * g[k];
}

static void weight(void *data, const TacContext *context, const double *x, double *f) {
    LumpedMass *self = data;
    const TacVec3 g = self->mass.gravity;
    if (g.x == 0 && g.y == 0 && g.z == 0) return;
    Call call = {self, x, NULL, f, 1};
    tac_team_run(context->team, self->mass.matter->count, GRAIN, weight_chunk, &call);
}

static void matrix(void *data, const TacContext *context, const double *x, double factor, TacMatrix *out) {
    (void)context;
    const LumpedMass *self = data;
    size_t d = (size_t)self->mass.matter->velocity_size, linear = linear_size(self);
    for (size_t i = 0; i < self->mass.matter->count; i++) {
        double block[36] = {0};
        for (size_t k = 0; k < linear; k++) block[(d + 1) * k] = factor * self->m[i];
        if (self->turning) block[8] = factor * self->turning[i];
        for (size_t k = 0; self->inertias && k < 3; k++) {
            TacVec3 axis = {k == 0, k == 1, k == 2};
            TacVec3 l = tac_inertia_apply(&self->inertias[i], tac_load_quat(x + 7 * i + 3), axis);
            block[6 * 3 + 3 + k] = factor * l.x;
            block[6 * 4 + 3 + k] = factor * l.y;
            block[6 * 5 + 3 + k] = factor * l.z;
        }
        tac_matrix_add(out, 0, i, 0, i, block);
    }
}

// A point's first numbers as a vector in space.
static TacVec3 in_space(const double *p, size_t numbers) {
    return tac_vec3(p[0], numbers > 1 ? p[1] : 0, numbers > 2 ? p[2] : 0);
}

static void momentum(void *data, const double *x, const double *v, TacVec3 *linear, TacVec3 *angular) {
    const LumpedMass *self = data;
    const TacMatter *matter = self->mass.matter;
    size_t px = (size_t)matter->position_size, pv = (size_t)matter->velocity_size, n = linear_size(self);
    for (size_t i = 0; i < matter->count; i++) {
        TacVec3 p = tac_scale(in_space(v + pv * i, n), self->m[i]);
        *linear = tac_add(*linear, p);
        *angular = tac_add(*angular, tac_cross(in_space(x + px * i, n), p));
        if (self->turning) angular->z += self->turning[i] * v[3 * i + 2];
        if (self->inertias)
            *angular = tac_add(*angular, tac_inertia_apply(&self->inertias[i], tac_load_quat(x + 7 * i + 3),
                                                           tac_load3(v + 6 * i + 3)));
    }
}

static double kinetic(void *data, const double *x, const double *v) {
    const LumpedMass *self = data;
    const TacMatter *matter = self->mass.matter;
    size_t pv = (size_t)matter->velocity_size, n = linear_size(self);
    double twice = 0;
    for (size_t i = 0; i < matter->count; i++) {
        TacVec3 u = in_space(v + pv * i, n);
        twice += self->m[i] * tac_dot(u, u);
        if (self->turning) twice += self->turning[i] * v[3 * i + 2] * v[3 * i + 2];
        if (self->inertias) {
            TacVec3 w = tac_load3(v + 6 * i + 3);
            twice += tac_dot(w, tac_inertia_apply(&self->inertias[i], tac_load_quat(x + 7 * i + 3), w));
        }
    }
    return 0.5 * twice;
}

static double height(void *data, const double *x) {
    const LumpedMass *self = data;
    const TacMatter *matter = self->mass.matter;
    size_t px = (size_t)matter->position_size, n = linear_size(self);
    double sum = 0;
    for (size_t i = 0; i < matter->count; i++)
        sum -= self->m[i] * tac_dot(self->mass.gravity, in_space(x + px * i, n));
    return sum;
}

static const TacMassOps ops = {product, divide, weight, momentum, kinetic, height, matrix, NULL};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus take_arrays(LumpedMass *self, TacSetup *setup, TacError *error) {
    const TacMatter *matter = self->mass.matter;
    size_t n = matter->count;
    self->m = tac_setup_alloc(setup, n, sizeof(double));
    if (matter->kind == TAC_RIGID2) self->turning = tac_setup_alloc(setup, n, sizeof(double));
    if (matter->kind == TAC_RIGID3) self->inertias = tac_setup_alloc(setup, n, sizeof(TacInertia));
    bool good = self->m && (matter->kind != TAC_RIGID2 || self->turning) &&
                (matter->kind != TAC_RIGID3 || self->inertias);
    return good ? TAC_OK : tac_fail_memory(error, n * sizeof(TacInertia));
}

// The inertia of frame i: given as 3 moments or 6 entries xx yy zz xy xz yz (or 1 in the plane), for all
// frames or for each; otherwise that of a solid box.
static TacStatus find_inertia(LumpedMass *self, TacSetup *setup, size_t i, TacError *error) {
    const TacMatter *matter = self->mass.matter;
    TacVec3 b = self->box;
    double m = self->m[i];
    size_t given = self->inertia.count, n = matter->count;
    if (matter->kind == TAC_RIGID2) {
        if (given != 0 && given != 1 && given != n)
            return tac_setup_fail(setup, error, "inertia", "inertia has %zu numbers; 1 or %zu were expected",
                                  given, n);
        self->turning[i] = given ? self->inertia.data[given == n ? i : 0] : m * (b.x * b.x + b.y * b.y) / 12;
        return TAC_OK;
    }
    double t[6] = {m * (b.y * b.y + b.z * b.z) / 12,
                   m * (b.x * b.x + b.z * b.z) / 12,
                   m * (b.x * b.x + b.y * b.y) / 12,
                   0,
                   0,
                   0};
    if (given) {
        size_t each = given == 3 || given == 3 * n ? 3 : given == 6 || given == 6 * n ? 6 : 0;
        if (!each)
            return tac_setup_fail(
                setup, error, "inertia",
                "inertia has %zu numbers; 3 (moments) or 6 (xx yy zz xy xz yz) were expected, "
                "for all frames or for each of %zu",
                given, n);
        const double *from = self->inertia.data + (given == each ? 0 : each * i);
        for (size_t k = 0; k < each; k++) t[k] = from[k];
    }
    TacMat3 tensor = {{{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}}};
    if (!tac_inertia_from_tensor(&tensor, &self->inertias[i]))
        return tac_setup_fail(
            setup, error, given ? "inertia" : "box",
            "no body has this inertia: moments must be positive and none above the sum of the "
            "other two");
    return TAC_OK;
}

static TacStatus find_inertias(LumpedMass *self, TacSetup *setup, TacError *error) {
    TacMatter *matter = self->mass.matter;
    if (!self->turning && !self->inertias) return TAC_OK;
    bool alike = true;
    for (size_t i = 0; i < matter->count; i++) {
        TAC_TRY(find_inertia(self, setup, i, error));
        const double *m = self->inertias ? self->inertias[i].moments : NULL;
        if (m && (m[0] != m[1] || m[1] != m[2])) alike = false;
    }
    // a body alike about all axes turns uniformly; only others need their inertia in flight
    if (self->inertias && !alike) matter->inertia = self->inertias;
    return TAC_OK;
}

const TacInertia *tac_mass_inertia(const TacMass *mass, size_t frame) {
    const TacClass *cls = mass->base.cls;
    if (cls != &tac_uniform_mass_class && cls != &tac_diagonal_mass_class) return NULL;
    const TacInertia *inertias = ((const LumpedMass *)mass)->inertias;
    return inertias ? &inertias[frame] : NULL;
}

const double *tac_mass_of_points(const TacMass *mass) {
    const TacClass *cls = mass->base.cls;
    bool lumped = cls == &tac_uniform_mass_class || cls == &tac_diagonal_mass_class;
    return lumped ? ((const LumpedMass *)mass)->m : NULL;
}

static TacStatus uniform_init(void *data, TacSetup *setup, TacError *error) {
    LumpedMass *self = data;
    size_t n = self->mass.matter->count;
    if (tac_setup_given(setup, "mass") && tac_setup_given(setup, "total"))
        return tac_setup_fail(setup, error, "total", "give mass (of each point) or total (of all), not both");
    TAC_TRY(take_arrays(self, setup, error));
    double each = isnan(self->total) ? self->each : self->total / (double)n;
    for (size_t i = 0; i < n; i++) self->m[i] = each;
    return find_inertias(self, setup, error);
}

// Adds each element's share to its corners.
static void lump(const TacMesh *mesh, TacElement kind, const double *x, double density, double *m) {
    int corners = tac_element_size(kind);
    for (size_t e = 0; e < mesh->elements[kind].count; e++) {
        const int32_t *v = mesh->elements[kind].indices + e * (size_t)corners;
        TacVec3 p[8];
        for (int k = 0; k < corners; k++) p[k] = tac_load3(x + 3 * v[k]);
        double size = 0;
        switch (kind) {
        case TAC_EDGES: size = tac_norm(tac_sub(p[1], p[0])); break;
        case TAC_TRIANGLES: size = 0.5 * tac_norm(tac_cross(tac_sub(p[1], p[0]), tac_sub(p[2], p[0]))); break;
        case TAC_QUADS: size = 0.5 * tac_norm(tac_cross(tac_sub(p[2], p[0]), tac_sub(p[3], p[1]))); break;
        case TAC_TETRAHEDRA:
            size =
                fabs(tac_dot(tac_sub(p[3], p[0]), tac_cross(tac_sub(p[1], p[0]), tac_sub(p[2], p[0])))) / 6;
            break;
        default: {
            // six tetrahedra around the diagonal 0-6
            static const int ring[] = {1, 2, 3, 7, 4, 5, 1};
            for (int k = 0; k < 6; k++)
                size += fabs(tac_dot(tac_sub(p[6], p[0]),
                                     tac_cross(tac_sub(p[ring[k]], p[0]), tac_sub(p[ring[k + 1]], p[0])))) /
                        6;
        }
        }
        for (int k = 0; k < corners; k++) m[v[k]] += density * size / corners;
    }
}

static TacStatus lump_density(LumpedMass *self, TacSetup *setup, TacError *error) {
    const TacMatter *matter = self->mass.matter;
    const TacTopology *topology = tac_setup_topology(setup);
    if (matter->kind != TAC_VEC3)
        return tac_setup_fail(setup, error, "density",
                              "density needs points with 3 numbers each; give masses");
    if (!topology || topology->mesh.point_count != matter->count)
        return tac_setup_fail(setup, error, "density",
                              "density needs a topology with as many points as the matter has (%zu)",
                              matter->count);
    const TacMesh *mesh = &topology->mesh;
    // volumes where there are any, else surfaces, else lines
    static const TacElement order[] = {TAC_TETRAHEDRA, TAC_HEXAHEDRA, TAC_TRIANGLES, TAC_QUADS, TAC_EDGES};
    for (size_t k = 0; k < TAC_COUNT(order); k += 2) {
        bool pair = k + 1 < TAC_COUNT(order);
        if (!mesh->elements[order[k]].count && !(pair && mesh->elements[order[k + 1]].count)) continue;
        lump(mesh, order[k], matter->vectors[TAC_X_REST], self->density, self->m);
        if (pair) lump(mesh, order[k + 1], matter->vectors[TAC_X_REST], self->density, self->m);
        break;
    }
    for (size_t i = 0; i < matter->count; i++)
        if (!(self->m[i] > 0))
            return tac_setup_fail(setup, error, "density",
                                  "point %zu belongs to no element of any size, so it gets no mass", i);
    return TAC_OK;
}

static TacStatus diagonal_init(void *data, TacSetup *setup, TacError *error) {
    LumpedMass *self = data;
    size_t n = self->mass.matter->count;
    bool by_list = tac_setup_given(setup, "masses");
    if (by_list == tac_setup_given(setup, "density"))
        return tac_setup_fail(setup, error, NULL, "needs either masses or density");
    if (by_list && self->masses.count != n)
        return tac_setup_fail(setup, error, "masses", "masses has %zu numbers; the matter has %zu points",
                              self->masses.count, n);
    TAC_TRY(take_arrays(self, setup, error));
    if (!by_list) TAC_TRY(lump_density(self, setup, error));
    for (size_t i = 0; by_list && i < n; i++) self->m[i] = self->masses.data[i];
    return find_inertias(self, setup, error);
}

#define INERTIA_ATTRIBUTES                                                                                   \
    {"inertia",                                                                                              \
     TAC_REALS,                                                                                              \
     offsetof(LumpedMass, inertia),                                                                          \
     "kg m^2",                                                                                               \
     "",                                                                                                     \
     "Of frames, about their origin: 3 principal moments, or xx yy zz xy xz yz; 1 number in the plane.",     \
     NULL,                                                                                                   \
     TAC_ANY,                                                                                                \
     0},                                                                                                     \
    {                                                                                                        \
        "box", TAC_VECTOR, offsetof(LumpedMass, box), "m", "1 1 1",                                          \
            "Without inertia, frames turn like solid boxes with these sides.", NULL, TAC_POSITIVE, 0         \
    }

static const TacAttribute uniform_attributes[] = {
    TAC_MATTER_ATTRIBUTE(LumpedMass, mass.matter),
    {"mass", TAC_REAL, offsetof(LumpedMass, each), "kg", "1", "Of each point or frame.", NULL, TAC_POSITIVE,
     0},
    {"total", TAC_REAL, offsetof(LumpedMass, total), "kg", "", "Of all together, instead of mass.", NULL,
     TAC_POSITIVE, 0},
    INERTIA_ATTRIBUTES,
};

static const TacAttribute diagonal_attributes[] = {
    TAC_MATTER_ATTRIBUTE(LumpedMass, mass.matter),
    {"masses", TAC_REALS, offsetof(LumpedMass, masses), "kg", "", "One for each point or frame.", NULL,
     TAC_POSITIVE, 0},
    {"density", TAC_REAL, offsetof(LumpedMass, density), "kg/m^3", "",
     "Spread over the topology's volumes (or kg/m^2 over surfaces, kg/m along edges) and lumped at its "
     "points.",
     NULL, TAC_POSITIVE, 0},
    INERTIA_ATTRIBUTES,
};

const TacClass tac_uniform_mass_class = {
    .name = "UniformMass",
    .kind = TAC_KIND_MASS,
    .doc = "The same mass for every point or frame of its matter.",
    .size = sizeof(LumpedMass),
    .attributes = uniform_attributes,
    .attribute_count = TAC_COUNT(uniform_attributes),
    .init = uniform_init,
    .ops.mass = &ops,
};

const TacClass tac_diagonal_mass_class = {
    .name = "DiagonalMass",
    .kind = TAC_KIND_MASS,
    .doc = "A mass for every point: listed, or lumped from a density over the topology.",
    .size = sizeof(LumpedMass),
    .attributes = diagonal_attributes,
    .attribute_count = TAC_COUNT(diagonal_attributes),
    .init = diagonal_init,
    .ops.mass = &ops,
};
