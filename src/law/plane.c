// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Plane: a half-space that pushes points (and origins of frames) back, with damping and friction.
//
// With the gap g = n.x - offset - radius < 0, the push is N = -k g - c n.v along n, never a pull, and
// friction is -mu N t / sqrt(|t|^2 + s^2) against the tangential velocity t: Coulomb's law, made smooth below
// the slip speed s. force_change has -k n n^T for positions; for velocities -c n n^T and friction with N and
// the root held at their last values (the secant, which stays symmetric and never overshoots). That friction
// grows with depth is left out for the same reason. `depth_damping` is SOFA's: a drag on the whole velocity that
// grows with depth, treated explicitly; it may pull.

#include "base/memory.h"
#include "law/laws.h"
#include "law/setup.h"

enum { GRAIN = 4096 };

typedef struct Call {
    TacPlane *self;
    const TacLawVectors *vectors;
    double k, b;
    size_t x_size, v_size, dimension;
    double normal[3];
} Call;

static Call prepare(TacPlane *self, const TacLawVectors *vectors, double k, double b) {
    const TacMatter *matter = self->law.matter[0];
    return (Call){.self = self,
                  .vectors = vectors,
                  .k = k,
                  .b = b,
                  .x_size = (size_t)matter->position_size,
                  .v_size = (size_t)matter->velocity_size,
                  .dimension = tac_law_place_size(matter->kind),
                  .normal = {self->normal.x, self->normal.y, self->normal.z}};
}

static double along_normal(const Call *c, const double *a) {
    double sum = 0;
    for (size_t i = 0; i < c->dimension; i++) sum += c->normal[i] * a[i];
    return sum;
}

static double gap(const Call *c, size_t point) {
    return along_normal(c, c->vectors->x[0] + c->x_size * point) - c->self->offset - c->self->radius;
}

static void force_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    TacPlane *self = c->self;
    for (size_t p = begin; p < end; p++) {
        double g = gap(c, p);
        self->grip[p] = -1;
        if (!(g < 0)) continue;

        // a plane does not pull, however fast a point leaves
        const double *v = c->vectors->v[0] + c->v_size * p;
        double *f = c->vectors->f[0] + c->v_size * p;
        double rate = along_normal(c, v), push = -self->stiffness * g - self->damping * rate;
        if (self->depth_damping > 0)
            for (size_t i = 0; i < c->dimension; i++) f[i] += self->depth_damping * g * v[i];
        if (!(push > 0)) continue;

        double t[3] = {0, 0, 0}, square = self->slip_speed * self->slip_speed;
        for (size_t i = 0; i < c->dimension; i++) {
            t[i] = v[i] - rate * c->normal[i];
            square += t[i] * t[i];
        }
        double grip = self->friction > 0 ? self->friction * push / sqrt(square) : 0;
        for (size_t i = 0; i < c->dimension; i++) f[i] += push * c->normal[i] - grip * t[i];
        self->grip[p] = grip;
    }
}

static void change_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const TacPlane *self = c->self;
    for (size_t p = begin; p < end; p++) {
        if (self->grip[p] < 0) continue;
        const double *d = c->vectors->v[0] + c->v_size * p;
        double *f = c->vectors->f[0] + c->v_size * p;
        double along = along_normal(c, d), grip = c->b * self->grip[p];
        double push = -(c->k * self->stiffness + c->b * self->damping) * along;
        for (size_t i = 0; i < c->dimension; i++)
            f[i] += push * c->normal[i] - grip * (d[i] - along * c->normal[i]);
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    TacPlane *self = data;
    Call call = prepare(self, vectors, 0, 0);
    tac_team_run(context->team, self->law.matter[0]->count, GRAIN, force_chunk, &call);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    TacPlane *self = data;
    Call call = prepare(self, vectors, k, b);
    tac_team_run(context->team, self->law.matter[0]->count, GRAIN, change_chunk, &call);
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    TacPlane *self = data;
    Call call = prepare(self, vectors, 0, 0);
    double sum = 0;
    for (size_t p = 0; p < self->law.matter[0]->count; p++) {
        double g = gap(&call, p);
        if (g < 0) sum += 0.5 * self->stiffness * g * g;
    }
    return sum;
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    TacPlane *self = data;
    Call c = prepare(self, vectors, k, b);
    for (size_t p = 0; p < self->law.matter[0]->count; p++) {
        if (self->grip[p] < 0) continue;
        double block[36] = {0}, grip = b * self->grip[p];
        double push = -(k * self->stiffness + b * self->damping) + grip;
        for (size_t i = 0; i < c.dimension; i++)
            for (size_t j = 0; j < c.dimension; j++)
                block[c.v_size * i + j] = push * c.normal[i] * c.normal[j] - (i == j ? grip : 0);
        tac_matrix_add(matrix, 0, p, 0, p, block);
    }
}

static const TacLawOps ops = {
    .force = force, .force_change = force_change, .energy = energy, .stiffness = add_blocks};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacPlane *self = data;
    const TacMatter *matter = self->law.matter[0];
    size_t dimension = tac_law_place_size(matter->kind);
    double length = tac_norm(self->normal);
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, "normal", "normal must have a direction");
    self->normal = tac_scale(self->normal, 1 / length);
    if ((dimension < 2 && self->normal.y != 0) || (dimension < 3 && self->normal.z != 0))
        return tac_setup_fail(setup, error, "normal", "normal must lie %s, where the points are",
                              dimension == 1 ? "on the x axis" : "in the xy plane");
    self->grip = tac_setup_alloc(setup, matter->count, sizeof(double));
    if (!self->grip) return tac_fail_memory(error, matter->count * sizeof(double));
    for (size_t p = 0; p < matter->count; p++) self->grip[p] = -1;
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(TacPlane, law),
    {"normal", TAC_VECTOR, offsetof(TacPlane, normal), "1", "0 1 0",
     "Points to the free side; its length does not matter.", NULL, TAC_ANY, 0},
    {"offset", TAC_REAL, offsetof(TacPlane, offset), "m", "0",
     "Of the plane from the origin, along the normal.", NULL, TAC_ANY, 0},
    {"stiffness", TAC_REAL, offsetof(TacPlane, stiffness), "N/m", "10000", "Against depth, for each point.",
     NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"damping", TAC_REAL, offsetof(TacPlane, damping), "N s/m", "0", "Along the normal, for each point.",
     NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"depth_damping", TAC_REAL, offsetof(TacPlane, depth_damping), "N s/m^2", "0",
     "Drag on the whole velocity in proportion to depth, for each point.", NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"friction", TAC_REAL, offsetof(TacPlane, friction), "1", "0",
     "Coulomb's coefficient: the largest tangential force as a part of the push.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"slip_speed", TAC_REAL, offsetof(TacPlane, slip_speed), "m/s", "0.001",
     "Friction fades below this speed, so that things at rest creep at most about this fast.", NULL,
     TAC_POSITIVE, TAC_LIVE},
    {"radius", TAC_REAL, offsetof(TacPlane, radius), "m", "0", "How far every point keeps away.", NULL,
     TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_plane_class = {
    .name = "Plane",
    .kind = TAC_KIND_LAW,
    .doc = "A ground or a wall: pushes points, and the origins of frames, back to its free side, with "
           "damping and "
           "regularised Coulomb friction. It is soft: what is fast or heavy enough sinks in.",
    .size = sizeof(TacPlane),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.law = &ops,
};
