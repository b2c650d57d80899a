// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Plates: flat quads that resist stretching in their plane and shearing out of it, for small motions (SOFA's
// QuadBendingFEMForceField). Corners move and do not turn: of a Mindlin plate's five numbers for each corner the two
// angles stay zero, so a plate that tilts is one that shears.
//
// With the half sides l and h, coordinates s and t from -1 to 1, and corners at (m_i, n_i):
//
//     N_i = (1 + m_i s) (1 + n_i t) / 4         e = sum (N_i,x u_i, N_i,y v_i, N_i,y u_i + N_i,x v_i)
//     E = 1/2 thickness * integral of e.C e, C of plane stress, by 2 x 2 Gauss points
//       + 1/2 k 4 l h (w,x^2 + w,y^2) at the middle, k = 5/6 Young thickness / (2 (1 + nu))
//
// where (u, v, w) are displacements along two axes in the plane and its normal: the quad's own at rest, or those of
// the world, which is what SOFA takes. With `shape_now` the half sides are those of now, as there; the force is then
// no gradient, and a change of force is that with the sides held.

#include "base/memory.h"
#include "law/elements.h"
#include "law/laws.h"

typedef enum PlateAxes { AXES_OWN, AXES_WORLD } PlateAxes;

typedef struct Plate {
    TacMat3 axes;               // rows: the two in the plane, the normal
    double straight, coupled;   // of C, times thickness; N/m
    double shear_in, shear_out; // N/m
    double l, h;                // as of the last force
} Plate;

typedef struct Plates {
    TacLaw law;
    TacReals young, poisson, thickness;
    int axes; // PlateAxes
    bool shape_now;
    TacElements elements;
    Plate *plates;
} Plates;

typedef struct Call {
    Plates *self;
    const TacLawVectors *vectors;
    double factor;
    bool changes;
} Call;

static const double sides[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}; // m and n

// --- one plate --------------------------------------------------------------------------------------------

// N_i,x and N_i,y at (s, t).
static void slopes(const Plate *p, double s, double t, double dx[4], double dy[4]) {
    for (int i = 0; i < 4; i++) {
        dx[i] = sides[i][0] * (1 + sides[i][1] * t) / (4 * p->l);
        dy[i] = sides[i][1] * (1 + sides[i][0] * s) / (4 * p->h);
    }
}

// f += K u, in the plate's axes; returns u.K u / 2.
static double product(const Plate *p, const double u[12], double f[12]) {
    const double root = 0.57735026918962576451; // 1/sqrt(3)
    double dx[4], dy[4], energy = 0, area = p->l * p->h;
    for (int g = 0; g < 4; g++) {
        slopes(p, sides[g][0] * root, sides[g][1] * root, dx, dy);
        double xx = 0, yy = 0, xy = 0;
        for (int i = 0; i < 4; i++) {
            xx += dx[i] * u[3 * i];
            yy += dy[i] * u[3 * i + 1];
            xy += dy[i] * u[3 * i] + dx[i] * u[3 * i + 1];
        }
        double sxx = area * (p->straight * xx + p->coupled * yy),
               syy = area * (p->straight * yy + p->coupled * xx), sxy = area * p->shear_in * xy;
        energy += 0.5 * (sxx * xx + syy * yy + sxy * xy);
        for (int i = 0; i < 4; i++) {
            f[3 * i] += dx[i] * sxx + dy[i] * sxy;
            f[3 * i + 1] += dy[i] * syy + dx[i] * sxy;
        }
    }
    double wx = 0, wy = 0;
    slopes(p, 0, 0, dx, dy);
    for (int i = 0; i < 4; i++) {
        wx += dx[i] * u[3 * i + 2];
        wy += dy[i] * u[3 * i + 2];
    }
    double qx = 4 * area * p->shear_out * wx, qy = 4 * area * p->shear_out * wy;
    for (int i = 0; i < 4; i++) f[3 * i + 2] += dx[i] * qx + dy[i] * qy;
    return energy + 0.5 * (qx * wx + qy * wy);
}

static void measure(Plate *p, const double *x, const int32_t *v) {
    TacVec3 a = tac_load3(x + 3 * (size_t)v[0]);
    p->l = 0.5 * tac_norm(tac_sub(tac_load3(x + 3 * (size_t)v[1]), a));
    p->h = 0.5 * tac_norm(tac_sub(tac_load3(x + 3 * (size_t)v[3]), a));
}

// What has moved, in the plate's axes: places now from those at rest, or changes.
static void displacements(const Plates *self, const Plate *p, const int32_t *v, const double *x, bool changes,
                          double u[12]) {
    const double *rest = self->law.matter[0]->vectors[TAC_X_REST];
    for (size_t i = 0; i < 4; i++) {
        TacVec3 d = tac_load3(x + 3 * (size_t)v[i]);
        if (!changes) d = tac_sub(d, tac_load3(rest + 3 * (size_t)v[i]));
        tac_store3(u + 3 * i, tac_mat3_apply(&p->axes, d));
    }
}

// --- operations -------------------------------------------------------------------------------------------

static void batch_forces(const void *data, size_t batch, double *out) {
    const Call *c = data;
    Plates *self = c->self;
    for (size_t lane = 0; lane < tac_elements_used(&self->elements, batch); lane++) {
        size_t e = TAC_WIDTH * batch + lane;
        const int32_t *v = self->elements.nodes + 4 * e;
        Plate *p = &self->plates[e];
        double u[12], f[12] = {0};
        if (!c->changes && self->shape_now) measure(p, c->vectors->x[0], v);
        displacements(self, p, v, c->changes ? c->vectors->v[0] : c->vectors->x[0], c->changes, u);
        product(p, u, f);
        for (size_t i = 0; i < 4; i++)
            tac_store3(out + 12 * lane + 3 * i,
                       tac_scale(tac_mat3_apply_back(&p->axes, tac_load3(f + 3 * i)), -c->factor));
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Plates *self = data;
    const Call call = {self, vectors, 1, false};
    tac_elements_force(&self->elements, context->team, batch_forces, &call, vectors->f[0]);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    Plates *self = data;
    const Call call = {self, vectors, k, true};
    tac_elements_force(&self->elements, context->team, batch_forces, &call, vectors->f[0]);
}

static void batch_energy(const void *data, size_t batch, double *each) {
    const Call *c = data;
    const Plates *self = c->self;
    for (size_t lane = 0; lane < tac_elements_used(&self->elements, batch); lane++) {
        size_t e = TAC_WIDTH * batch + lane;
        const int32_t *v = self->elements.nodes + 4 * e;
        Plate p = self->plates[e];
        double u[12], f[12] = {0};
        if (self->shape_now) measure(&p, c->vectors->x[0], v);
        displacements(self, &p, v, c->vectors->x[0], false, u);
        each[lane] = product(&p, u, f);
    }
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    Plates *self = data;
    const Call call = {self, vectors, 1, false};
    return tac_elements_energy(&self->elements, context->team, batch_energy, &call);
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)b;
    const Plates *self = data;
    for (size_t e = 0; e < self->elements.count; e++) {
        const Plate *p = &self->plates[e];
        const int32_t *v = self->elements.nodes + 4 * e;
        for (size_t j = 0; j < 4; j++) {
            // columns: what moving corner j along each axis of the world does
            double columns[3][12] = {{0}};
            for (int a = 0; a < 3; a++) {
                double u[12] = {0};
                for (int i = 0; i < 3; i++) u[3 * j + (size_t)i] = p->axes.m[i][a];
                product(p, u, columns[a]);
            }
            for (size_t i = 0; i < 4; i++) {
                double block[9];
                for (int a = 0; a < 3; a++) {
                    TacVec3 f = tac_mat3_apply_back(&p->axes, tac_load3(columns[a] + 3 * i));
                    block[a] = -k * f.x;
                    block[3 + a] = -k * f.y;
                    block[6 + a] = -k * f.z;
                }
                tac_matrix_add(matrix, 0, (size_t)v[i], 0, (size_t)v[j], block);
            }
        }
    }
}

static const TacLawOps ops = {
    .force = force, .force_change = force_change, .energy = energy, .stiffness = add_blocks};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus fill(Plates *self, TacSetup *setup, size_t e, TacError *error) {
    const double *x = self->law.matter[0]->vectors[TAC_X_REST];
    const int32_t *v = self->elements.nodes + 4 * e;
    Plate *p = &self->plates[e];
    TacVec3 a = tac_load3(x + 3 * (size_t)v[0]), along = tac_sub(tac_load3(x + 3 * (size_t)v[1]), a),
            up = tac_sub(tac_load3(x + 3 * (size_t)v[3]), a), normal = tac_cross(along, up);
    measure(p, x, v);
    if (!(tac_norm(normal) > 1e-12 * tac_norm(along) * tac_norm(up)))
        return tac_setup_fail(setup, error, NULL, "quad %zu (points %d %d %d %d) has no area at rest", e,
                              v[0], v[1], v[2], v[3]);
    p->axes = tac_mat3_identity();
    if (self->axes == AXES_OWN) {
        TacVec3 e0 = tac_unit(along), e2 = tac_unit(normal), e1 = tac_cross(e2, e0);
        p->axes = (TacMat3){{{e0.x, e0.y, e0.z}, {e1.x, e1.y, e1.z}, {e2.x, e2.y, e2.z}}};
    }
    double young = tac_elements_value(self->young, e) * tac_elements_value(self->thickness, e);
    double nu = tac_elements_value(self->poisson, e);
    p->straight = young / (1 - nu * nu);
    p->coupled = nu * p->straight;
    p->shear_in = young / (2 * (1 + nu));
    p->shear_out = 5.0 / 6 * p->shear_in;
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Plates *self = data;
    const TacMesh *mesh;
    TAC_TRY(tac_elements_mesh(&mesh, setup, self->law.matter[0], "quads", error));
    const TacElementsDef def = {.name = "quads",
                                .indices = mesh->elements[TAC_QUADS].indices,
                                .count = mesh->elements[TAC_QUADS].count,
                                .corners = 4,
                                .size = 3,
                                .point_count = mesh->point_count};
    TAC_TRY(tac_elements_make(&self->elements, setup, &def, error));
    TAC_TRY(tac_elements_check(setup, "young", self->young, def.count, error));
    TAC_TRY(tac_elements_check(setup, "poisson", self->poisson, def.count, error));
    TAC_TRY(tac_elements_check(setup, "thickness", self->thickness, def.count, error));
    TAC_TRY(tac_elements_check_poisson(setup, self->poisson, 1, error));
    self->plates = tac_setup_alloc(setup, def.count, sizeof *self->plates);
    if (!self->plates) return tac_fail_memory(error, def.count * sizeof *self->plates);
    for (size_t e = 0; e < def.count; e++) TAC_TRY(fill(self, setup, e, error));
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(Plates, law),
    {"young", TAC_REALS, offsetof(Plates, young), "Pa", NULL,
     "Young's modulus: one for all quads, or one each.", NULL, TAC_POSITIVE, 0},
    {"poisson", TAC_REALS, offsetof(Plates, poisson), "1", "0.3",
     "Poisson's ratio, from 0 to below 1: one for all quads, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"thickness", TAC_REALS, offsetof(Plates, thickness), "m", NULL, "One for all quads, or one each.", NULL,
     TAC_POSITIVE, 0},
    {"axes", TAC_CHOICE, offsetof(Plates, axes), "", "own",
     "Which plane it lies in: its own at rest, or the world's xy plane whatever it looks like, as SOFA has "
     "it.",
     "own|world", TAC_ANY, 0},
    {"shape_now", TAC_BOOL, offsetof(Plates, shape_now), "", "false",
     "Strain is measured over the sides as they are now, as SOFA does, instead of as they were at rest.",
     NULL, TAC_ANY, 0},
};

// Von Mises' stress in the middle of each plate, as shown.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const Plates *self = data;
    const TacMatter *m = self->law.matter[0];
    const double *x = m->vectors[TAC_X_SHOWN];
    float *to = what == TAC_SCALAR_STRESS ? tac_scalar_sheet_of(sheet, m) : NULL;
    for (size_t e = 0; to && e < self->elements.count; e++) {
        const int32_t *v = self->elements.nodes + 4 * e;
        Plate p = self->plates[e];
        double u[12], dx[4], dy[4], xx = 0, yy = 0, xy = 0, wx = 0, wy = 0;
        if (self->shape_now) measure(&p, x, v);
        displacements(self, &p, v, x, false, u);
        slopes(&p, 0, 0, dx, dy);
        for (int i = 0; i < 4; i++) {
            xx += dx[i] * u[3 * i];
            yy += dy[i] * u[3 * i + 1];
            xy += dy[i] * u[3 * i] + dx[i] * u[3 * i + 1];
            wx += dx[i] * u[3 * i + 2];
            wy += dy[i] * u[3 * i + 2];
        }
        double a = p.straight * xx + p.coupled * yy, b = p.straight * yy + p.coupled * xx;
        double in = p.shear_in * xy, out = p.shear_out * hypot(wx, wy);
        double mises = sqrt(a * a - a * b + b * b + 3 * (in * in + out * out));
        for (int i = 0; i < 4; i++)
            tac_scalar_raise(to + v[i], mises / tac_elements_value(self->thickness, e));
    }
}

const TacClass tac_plates_class = {
    .name = "Plates",
    .kind = TAC_KIND_LAW,
    .doc = "Flat quads of the topology, as rectangles, that resist stretching in their plane and shearing "
           "out of "
           "it. For small motions: they do not turn.",
    .size = sizeof(Plates),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
};
