// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// EllipsoidForce: keeps points outside an ellipsoid, or inside it where stiffness is negative (SOFA's
// EllipsoidForceField, SphereForceField and InteractionEllipsoidForceField). With p the place relative to the
// centre, along the axes of the ellipsoid, s = sqrt(sum (p_i / r_i)^2) and g_i = p_i / r_i^2:
//
//     f = -|k| (s - 1) g / |g| - c |s - 1| v
//
// The ellipsoid may be carried by a frame, which feels nothing. Where there are several, the one that a point
// is deepest in counts. Damping is treated explicitly. The force has no energy: it is not a gradient unless
// all radii are alike.

#include "base/memory.h"
#include "law/laws.h"

enum { GRAIN = 1024 };

typedef struct EllipsoidForce {
    TacLaw law;
    TacReals centers, radii;
    double stiffness, damping;
    int64_t frame;
    bool as_sofa;
    size_t count;
    double *tangent; // 9 numbers per point; of those that touch
    uint8_t *touches;
} EllipsoidForce;

typedef struct Call {
    const EllipsoidForce *self;
    const TacLawVectors *vectors;
    double k;
    bool changes;
    TacVec3 origin;
    TacMat3 axes; // from the ellipsoid's to the world's
} Call;

static void pick(double out[3], TacReals list, size_t e) {
    size_t last = list.count / 3 - 1;
    const double *from = list.data + 3 * (e < last ? e : last);
    memcpy(out, from, 3 * sizeof *out);
}

// The ellipsoid that p is deepest in: p from its centre, and 1 / r^2. Returns s^2.
static double deepest(const EllipsoidForce *self, const double p[3], double from[3], double inverse[3]) {
    double least = INFINITY;
    for (size_t e = 0; e < self->count; e++) {
        double center[3], radius[3], square = 0, d[3], w[3];
        pick(center, self->centers, e);
        pick(radius, self->radii, e);
        for (int i = 0; i < 3; i++) {
            d[i] = p[i] - center[i];
            w[i] = 1 / (radius[i] * radius[i]);
            square += d[i] * d[i] * w[i];
        }
        if (!(square < least)) continue;
        least = square;
        memcpy(from, d, sizeof d);
        memcpy(inverse, w, sizeof w);
    }
    return least;
}

// T = d f / d p without damping. SOFA has the sign of the last term the other way round.
static void tangent_of(const EllipsoidForce *self, double s, const double g[3], const double w[3],
                       double out[9]) {
    double k = fabs(self->stiffness), depth = s - 1;
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double last = self->as_sofa ? -k * depth / (length * length) * w[j]
                                        : k * depth / (length * length * length) * w[j];
            out[3 * i + j] = g[i] * g[j] * (-k / (s * length) + last);
            if (i == j) out[3 * i + j] -= k * depth / length * w[i];
        }
}

// T' = R T R^T
static void turn(const TacMat3 *axes, double t[9]) {
    TacMat3 a, back = tac_mat3_transpose(axes);
    memcpy(a.m, t, sizeof a.m);
    TacMat3 half = tac_mat3_mul(axes, &a), whole = tac_mat3_mul(&half, &back);
    memcpy(t, whole.m, sizeof whole.m);
}

static void push(const Call *c, size_t point) {
    const EllipsoidForce *self = c->self;
    TacVec3 away = tac_sub(tac_load3(c->vectors->x[0] + 3 * point), c->origin);
    double p[3], from[3], w[3], g[3];
    tac_store3(p, tac_mat3_apply_back(&c->axes, away));
    double square = deepest(self, p, from, w);
    self->touches[point] = (square - 1) * self->stiffness < 0;
    if (!self->touches[point]) return;

    double s = sqrt(square), length = 0;
    for (int i = 0; i < 3; i++) {
        g[i] = from[i] * w[i];
        length += g[i] * g[i];
    }
    length = sqrt(length);
    // in the very centre every way out is as good as any other: none is taken
    self->touches[point] = length > 0;
    if (!(length > 0)) return;
    double along = -fabs(self->stiffness) * (s - 1) / length, drag = self->damping * fabs(s - 1);
    TacVec3 f = tac_scale(tac_mat3_apply(&c->axes, tac_load3(g)), along);
    tac_add3(c->vectors->f[0] + 3 * point, tac_axpy(f, -drag, tac_load3(c->vectors->v[0] + 3 * point)));
    tangent_of(self, s, g, w, self->tangent + 9 * point);
    turn(&c->axes, self->tangent + 9 * point);
}

static void push_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const EllipsoidForce *self = c->self;
    for (size_t p = begin; p < end; p++) {
        if (!c->changes) {
            push(c, p);
            continue;
        }
        if (!self->touches[p]) continue;
        const double *t = self->tangent + 9 * p, *d = c->vectors->v[0] + 3 * p;
        for (int i = 0; i < 3; i++)
            c->vectors->f[0][3 * p + (size_t)i] +=
                c->k * (t[3 * i] * d[0] + t[3 * i + 1] * d[1] + t[3 * i + 2] * d[2]);
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    const EllipsoidForce *self = data;
    Call call = {.self = self, .vectors = vectors, .axes = tac_mat3_identity()};
    if (self->law.matter[1]) {
        const double *frame = vectors->x[1] + 7 * self->frame;
        call.origin = tac_load3(frame);
        call.axes = tac_quat_matrix(tac_load_quat(frame + 3));
    }
    tac_team_run(context->team, self->law.matter[0]->count, GRAIN, push_chunk, &call);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    const EllipsoidForce *self = data;
    Call call = {.self = self, .vectors = vectors, .k = k, .changes = true};
    tac_team_run(context->team, self->law.matter[0]->count, GRAIN, push_chunk, &call);
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)b;
    const EllipsoidForce *self = data;
    for (size_t p = 0; p < self->law.matter[0]->count; p++) {
        double block[9];
        if (!self->touches[p]) continue;
        for (int i = 0; i < 9; i++) block[i] = k * self->tangent[9 * p + (size_t)i];
        tac_matrix_add(matrix, 0, p, 0, p, block);
    }
}

static const TacLawOps ops = {.force = force, .force_change = force_change, .stiffness = add_blocks};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    EllipsoidForce *self = data;
    const TacMatter *matter = self->law.matter[0], *other = self->law.matter[1];
    if (!self->centers.count || self->centers.count % 3)
        return tac_setup_fail(setup, error, "centers", "centers has %zu numbers; 3 for each were expected",
                              self->centers.count);
    if (!self->radii.count || self->radii.count % 3)
        return tac_setup_fail(setup, error, "radii", "radii has %zu numbers; 3 for each were expected",
                              self->radii.count);
    self->count = (self->centers.count > self->radii.count ? self->centers.count : self->radii.count) / 3;
    if (other && other->kind != TAC_RIGID3)
        return tac_setup_fail(setup, error, "carrier", "%s is %s; frames were expected", other->base.path,
                              tac_matter_kind_name(other->kind));
    if (other && (self->frame < 0 || (uint64_t)self->frame >= other->count))
        return tac_setup_fail(setup, error, "frame", "%s has no frame %lld; it has 0 to %zu",
                              other->base.path, (long long)self->frame, other->count - 1);
    self->tangent = tac_setup_alloc(setup, 9 * matter->count, sizeof(double));
    self->touches = tac_setup_alloc(setup, matter->count, sizeof *self->touches);
    if (!self->tangent || !self->touches) return tac_fail_memory(error, 9 * matter->count * sizeof(double));
    self->law.watches = other != NULL;
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(EllipsoidForce, law),
    {"carrier", TAC_LINK, offsetof(EllipsoidForce, law.matter[1]), "", "",
     "Frames, one of which carries the ellipsoid and feels nothing of it; by default it stands still.",
     "matter", TAC_ANY, 0},
    {"frame", TAC_INT, offsetof(EllipsoidForce, frame), "1", "0", "The frame that carries it.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"centers", TAC_REALS, offsetof(EllipsoidForce, centers), "m", "0 0 0",
     "Its centre, 3 numbers; several ellipsoids have several.", NULL, TAC_ANY, 0},
    {"radii", TAC_REALS, offsetof(EllipsoidForce, radii), "m", "1 1 1",
     "Along its three axes; the last one given holds for all ellipsoids that follow.", NULL, TAC_POSITIVE, 0},
    {"stiffness", TAC_REAL, offsetof(EllipsoidForce, stiffness), "N", "500",
     "The force for being in the centre; negative keeps points inside.", NULL, TAC_ANY, TAC_LIVE},
    {"damping", TAC_REAL, offsetof(EllipsoidForce, damping), "N s/m", "5",
     "Drag for being in the centre, less towards the border.", NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"as_sofa", TAC_BOOL, offsetof(EllipsoidForce, as_sofa), "", "false",
     "Gives implicit solvers the stiffness that SOFA does, which is not quite the derivative of the force.",
     NULL, TAC_ANY, 0},
};

const TacClass tac_ellipsoid_force_class = {
    .name = "EllipsoidForce",
    .kind = TAC_KIND_LAW,
    .doc = "Keeps points outside ellipsoids, or inside them: a soft obstacle, still or carried by a frame.",
    .size = sizeof(EllipsoidForce),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.law = &ops,
};
