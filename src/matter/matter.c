// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The components Points and Frames: where matter starts. See matter.h for what matter is.

#include "matter/matter.h"
#include "base/memory.h"
#include "base/random.h"

bool tac_vector_is_position(TacVector vector) {
    return vector == TAC_X || vector == TAC_X_REST || vector == TAC_X_SHOWN || vector == TAC_X_NEXT;
}

size_t tac_vector_size(const TacMatter *matter, TacVector vector) {
    int per_point = tac_vector_is_position(vector) ? matter->position_size : matter->velocity_size;
    return matter->count * (size_t)per_point;
}

size_t tac_matter_place(TacMatter *const *list, size_t count, const TacMatter *matter) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(list[middle]->base.index <= matter->base.index ? &low : &high) = middle;
    }
    return low;
}

// --- the components ---------------------------------------------------------------------------------------

typedef struct Start {
    TacMatter matter;
    int64_t dimension;
    TacReals positions, velocities, rest, around;
    TacVec3 scale, rotation, translation;
    bool chord;
} Start;

static const TacAttribute points_attributes[] = {
    {"dimension", TAC_INT, offsetof(Start, dimension), "1", "3",
     "Numbers per point: 1 (on a line), 2 (in the xy plane) or 3.", NULL, TAC_POSITIVE, 0},
    {"positions", TAC_REALS, offsetof(Start, positions), "m", "",
     "Where the points start; by default the points of the nearest topology.", NULL, TAC_ANY, 0},
    {"velocities", TAC_REALS, offsetof(Start, velocities), "m/s", "",
     "How fast they start: one vector for all, or one per point; by default at rest.", NULL, TAC_ANY, 0},
    {"rest", TAC_REALS, offsetof(Start, rest), "m", "",
     "Where laws are at rest; by default where the points start.", NULL, TAC_ANY, 0},
    {"around", TAC_REALS, offsetof(Start, around), "m", "",
     "Scatters the points, each in a box around its position, by the seed: half extents, one vector for all "
     "or one "
     "per point.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"scale", TAC_VECTOR, offsetof(Start, scale), "1", "1 1 1", "Stretches positions along each axis first.",
     NULL, TAC_ANY, 0},
    {"rotation", TAC_VECTOR, offsetof(Start, rotation), "deg", "0 0 0",
     "Then turns positions and velocities about x, then y, then z.", NULL, TAC_ANY, 0},
    {"translation", TAC_VECTOR, offsetof(Start, translation), "m", "0 0 0", "Then moves positions.", NULL,
     TAC_ANY, 0},
};

static const TacAttribute frames_attributes[] = {
    {"dimension", TAC_INT, offsetof(Start, dimension), "1", "3",
     "2 (x y angle, in the xy plane) or 3 (x y z and a quaternion qx qy qz qw).", NULL, TAC_POSITIVE, 0},
    {"positions", TAC_REALS, offsetof(Start, positions), "m, rad", "",
     "Where the frames start: x y z qx qy qz qw each (or x y angle); by default one at the origin.", NULL,
     TAC_ANY, 0},
    {"velocities", TAC_REALS, offsetof(Start, velocities), "m/s, rad/s", "",
     "Velocity and angular velocity in world axes (6 numbers, or 3): one set for all, or one each.", NULL,
     TAC_ANY, 0},
    {"rotation", TAC_VECTOR, offsetof(Start, rotation), "deg", "0 0 0",
     "Turns all frames about x, then y, then z of the world.", NULL, TAC_ANY, 0},
    {"translation", TAC_VECTOR, offsetof(Start, translation), "m", "0 0 0", "Then moves positions.", NULL,
     TAC_ANY, 0},
    {"chord", TAC_BOOL, offsetof(Start, chord), "", "false",
     "In space: a step turns a frame along the chord of its turn instead of the arc, and leaves the angular "
     "velocity as "
     "it is. So does SOFA; a free body then keeps its spin only as well as steps are short.",
     NULL, TAC_ANY, 0},
};

static TacQuat turn(TacVec3 degrees) {
    double s = TAC_PI / 180;
    TacQuat x = tac_quat_from_vector(tac_vec3(s * degrees.x, 0, 0));
    TacQuat y = tac_quat_from_vector(tac_vec3(0, s * degrees.y, 0));
    TacQuat z = tac_quat_from_vector(tac_vec3(0, 0, s * degrees.z));
    return tac_quat_mul(z, tac_quat_mul(y, x));
}

static TacStatus take_vectors(Start *self, TacSetup *setup, size_t count, TacError *error) {
    TacMatter *m = &self->matter;
    m->position_size = tac_position_size(m->kind);
    m->velocity_size = tac_velocity_size(m->kind);
    m->count = count;
    m->arrival = -1;
    const TacVector first[] = {TAC_X, TAC_V, TAC_X_REST};
    for (size_t i = 0; i < TAC_COUNT(first); i++) {
        size_t n = tac_vector_size(m, first[i]);
        m->vectors[first[i]] = tac_setup_alloc(setup, n, sizeof(double));
        if (!m->vectors[first[i]]) return tac_fail_memory(error, n * sizeof(double));
    }
    return TAC_OK;
}

// Copies a list that has one entry per point, or one for all.
static TacStatus take_list(Start *self, TacSetup *setup, const char *name, TacReals list, TacVector target,
                           TacError *error) {
    TacMatter *m = &self->matter;
    size_t n = tac_vector_size(m, target);
    size_t each = m->count ? n / m->count : 0;
    if (list.count == 0) return TAC_OK;
    bool one_for_all = target == TAC_V && list.count == each;
    if (list.count != n && !one_for_all)
        return tac_setup_fail(setup, error, name,
                              "%s has %zu numbers; %zu were expected (%zu for each of %zu points)", name,
                              list.count, n, each, m->count);
    for (size_t i = 0; i < n; i++) m->vectors[target][i] = list.data[one_for_all ? i % each : i];
    return TAC_OK;
}

// Random places around those given, the same for the same seed.
static TacStatus scatter(const Start *self, TacSetup *setup, TacError *error) {
    const TacMatter *m = &self->matter;
    size_t n = tac_vector_size(m, TAC_X), each = (size_t)m->position_size, given = self->around.count;
    if (given == 0) return TAC_OK;
    if (given != each && given != n)
        return tac_setup_fail(setup, error, "around", "around has %zu numbers; %zu or %zu were expected",
                              given, each, n);
    TacRandom random = tac_random(tac_setup_seed(setup), 0);
    for (size_t i = 0; i < n; i++) {
        double half = self->around.data[given == n ? i : i % each];
        m->vectors[TAC_X][i] += tac_random_between(&random, -half, half);
    }
    return TAC_OK;
}

static void place_point(const Start *self, TacQuat q, int dimension, double *x) {
    double p[3] = {0, 0, 0};
    for (int k = 0; k < dimension; k++) p[k] = x[k];
    TacVec3 a = tac_vec3(p[0] * self->scale.x, p[1] * self->scale.y, p[2] * self->scale.z);
    a = tac_add(tac_rotate(q, a), self->translation);
    double r[3] = {a.x, a.y, a.z};
    for (int k = 0; k < dimension; k++) x[k] = r[k];
}

static bool is_identity(const Start *self) {
    TacVec3 s = self->scale, r = self->rotation, t = self->translation;
    return s.x == 1 && s.y == 1 && s.z == 1 && r.x == 0 && r.y == 0 && r.z == 0 && t.x == 0 && t.y == 0 &&
           t.z == 0;
}

// Numbers that are finite by themselves may not be so when they are put together.
static TacStatus check_finite(const TacMatter *m, TacSetup *setup, TacError *error) {
    const TacVector started[] = {TAC_X, TAC_V};
    for (size_t k = 0; k < TAC_COUNT(started); k++) {
        size_t n = tac_vector_size(m, started[k]);
        for (size_t i = 0; i < n; i++)
            if (!isfinite(m->vectors[started[k]][i]))
                return tac_setup_fail(
                    setup, error, NULL,
                    "number %zu does not start at a finite place and speed: its numbers are too large",
                    i / (n / m->count));
    }
    return TAC_OK;
}

static TacStatus points_init(void *data, TacSetup *setup, TacError *error) {
    Start *self = data;
    TacMatter *m = &self->matter;
    if (self->dimension > 3) return tac_setup_fail(setup, error, "dimension", "dimension must be 1, 2 or 3");
    int d = (int)self->dimension;
    m->kind = d == 1 ? TAC_VEC1 : d == 2 ? TAC_VEC2 : TAC_VEC3;

    // positions: given, or the mesh's
    const TacTopology *topology = tac_setup_topology(setup);
    bool given = tac_setup_given(setup, "positions");
    if (!given && !topology)
        return tac_setup_fail(
            setup, error, NULL,
            "has no positions: give them, or put a topology before it (a Grid, a MeshFile, ...)");
    if (given && self->positions.count % (size_t)d != 0)
        return tac_setup_fail(setup, error, "positions", "positions has %zu numbers, not a multiple of %d",
                              self->positions.count, d);
    size_t count = given ? self->positions.count / (size_t)d : topology->mesh.point_count;
    if (count == 0) return tac_setup_fail(setup, error, NULL, "has no points");
    TAC_TRY(take_vectors(self, setup, count, error));
    double *x = m->vectors[TAC_X];
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < d; k++)
            x[i * (size_t)d + (size_t)k] = given ? self->positions.data[i * (size_t)d + (size_t)k]
                                                 : topology->mesh.points[3 * i + (size_t)k];
    TAC_TRY(scatter(self, setup, error));
    TAC_TRY(take_list(self, setup, "velocities", self->velocities, TAC_V, error));

    // placed, then taken as rest
    TacQuat q = turn(self->rotation);
    if (!is_identity(self))
        for (size_t i = 0; i < count; i++) {
            place_point(self, q, d, x + i * (size_t)d);
            if (d == 3) {
                double *v = m->vectors[TAC_V] + 3 * i;
                tac_store3(v, tac_rotate(q, tac_load3(v)));
            }
        }
    TAC_TRY(check_finite(m, setup, error));
    memcpy(m->vectors[TAC_X_REST], x, tac_vector_size(m, TAC_X) * sizeof(double));
    return take_list(self, setup, "rest", self->rest, TAC_X_REST, error);
}

static TacStatus frames_init(void *data, TacSetup *setup, TacError *error) {
    Start *self = data;
    TacMatter *m = &self->matter;
    if (self->dimension != 2 && self->dimension != 3)
        return tac_setup_fail(setup, error, "dimension", "dimension must be 2 or 3");
    m->kind = self->dimension == 2 ? TAC_RIGID2 : TAC_RIGID3;
    size_t each = (size_t)tac_position_size(m->kind);
    if (self->positions.count % each != 0)
        return tac_setup_fail(setup, error, "positions",
                              "positions has %zu numbers, not a multiple of %zu (%s)", self->positions.count,
                              each,
                              each == 7 ? "x y z qx qy qz qw for each frame" : "x y angle for each frame");
    size_t count = self->positions.count ? self->positions.count / each : 1;
    TAC_TRY(take_vectors(self, setup, count, error));
    double *x = m->vectors[TAC_X];
    if (self->positions.count)
        memcpy(x, self->positions.data, self->positions.count * sizeof(double));
    else if (each == 7)
        x[6] = 1;
    TAC_TRY(take_list(self, setup, "velocities", self->velocities, TAC_V, error));

    TacQuat q = turn(self->rotation);
    for (size_t i = 0; i < count; i++) {
        double *p = x + each * i;
        if (each == 3) {
            TacVec3 a = tac_add(tac_rotate(q, tac_vec3(p[0], p[1], 0)), self->translation);
            p[0] = a.x;
            p[1] = a.y;
            p[2] += self->rotation.z * TAC_PI / 180;
            continue;
        }
        TacQuat r = tac_load_quat(p + 3);
        if (r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w < 1e-12)
            return tac_setup_fail(setup, error, "positions", "the quaternion of frame %zu is zero", i);
        tac_store3(p, tac_add(tac_rotate(q, tac_load3(p)), self->translation));
        tac_store_quat(p + 3, tac_quat_unit(tac_quat_mul(q, r)));
    }
    TAC_TRY(check_finite(m, setup, error));
    memcpy(m->vectors[TAC_X_REST], x, tac_vector_size(m, TAC_X) * sizeof(double));
    return TAC_OK;
}

bool tac_frames_by_chord(const TacMatter *matter) {
    return matter->base.cls == &tac_frames_class && ((const Start *)matter)->chord;
}

const TacClass tac_points_class = {
    .name = "Points",
    .kind = TAC_KIND_MATTER,
    .doc = "Points with a position and a velocity: the matter of springs, cloth, soft solids and grains.",
    .size = sizeof(Start),
    .attributes = points_attributes,
    .attribute_count = TAC_COUNT(points_attributes),
    .init = points_init,
};

const TacClass tac_frames_class = {
    .name = "Frames",
    .kind = TAC_KIND_MATTER,
    .doc = "Frames with a position and an orientation: the matter of rigid bodies.",
    .size = sizeof(Start),
    .attributes = frames_attributes,
    .attribute_count = TAC_COUNT(frames_attributes),
    .init = frames_init,
};
