// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// DistanceJoints: rods between points (or origins of frames), or ropes that can go slack. g = |b - a| - length.

#include "base/memory.h"
#include "constraint/joint.h"

typedef struct DistanceJoints {
    TacJoint joint;
    TacInts pairs;
    TacReals given_lengths;
    bool rope;
    double compliance, damping;
    size_t count;
    double *lengths;
    TacReals tensions;
    double *tension; // behind tensions
} DistanceJoints;

static TacVec3 place(const TacMatter *m, size_t point) {
    return tac_load3(m->vectors[TAC_X] + (size_t)m->position_size * point);
}

static TacMatter *side(const DistanceJoints *self, size_t k) {
    return self->joint.matter[k] ? self->joint.matter[k] : self->joint.matter[0];
}

static TacJointSize capacity(const void *data) {
    const DistanceJoints *self = data;
    return (TacJointSize){self->count, 2 * self->count, self->count};
}

static bool tie(const void *data, size_t number, TacTie *result) {
    const DistanceJoints *self = data;
    if (number >= self->count) return false;
    const int32_t *pair = self->pairs.data + 2 * number;
    *result = (TacTie){{side(self, 0), side(self, 1)}, {(size_t)pair[0], (size_t)pair[1]}};
    return true;
}

static void add(void *data, const TacContext *context, TacRows *rows) {
    (void)context;
    const DistanceJoints *self = data;
    const TacMatter *m[2] = {side(self, 0), side(self, 1)};
    const uint32_t first[2] = {tac_rows_body(rows, m[0]), tac_rows_body(rows, m[1])};
    const TacVec3 none = {0, 0, 0};
    for (size_t i = 0; i < self->count; i++) {
        const int32_t *pair = self->pairs.data + 2 * i;
        TacVec3 d = tac_sub(place(m[1], (size_t)pair[1]), place(m[0], (size_t)pair[0]));
        double length = tac_norm(d);
        TacVec3 u = length > 0 ? tac_scale(d, 1 / length) : tac_vec3(0, 0, 1);
        TacRow *row = tac_rows_add(rows, i);
        if (!row) return;
        row->violation = length - self->lengths[i];
        row->compliance = self->compliance;
        row->damping = isnan(self->damping) ? -1 : self->damping;
        if (self->rope) row->high = 0;
        tac_rows_block(rows, first[0] + (uint32_t)pair[0], tac_scale(u, -1), none);
        tac_rows_block(rows, first[1] + (uint32_t)pair[1], u, none);
    }
}

static void take(void *data, const TacContext *context, const double *forces) {
    (void)context;
    DistanceJoints *self = data;
    for (size_t i = 0; i < self->count; i++) self->tension[i] = -forces[i];
}

// Where the scene gives no lengths, they are those of the moment it closes.
static void close_here(void *data) {
    DistanceJoints *self = data;
    for (size_t i = 0; i < self->count && !self->given_lengths.count; i++) {
        const int32_t *pair = self->pairs.data + 2 * i;
        TacVec3 d = tac_sub(place(side(self, 1), (size_t)pair[1]), place(side(self, 0), (size_t)pair[0]));
        if (tac_norm(d) > 0) self->lengths[i] = tac_norm(d);
    }
}

static const TacJointOps ops = {
    .capacity = capacity, .tie = tie, .add = add, .take = take, .close = close_here};

static TacStatus check_pair(const DistanceJoints *self, size_t i, TacSetup *setup, TacError *error) {
    const int32_t *pair = self->pairs.data + 2 * i;
    for (size_t k = 0; k < 2; k++)
        if ((size_t)pair[k] >= side(self, k)->count)
            return tac_setup_fail(setup, error, "pairs",
                                  "joint %zu ends at point %d; the matter has points 0 to %zu", i, pair[k],
                                  side(self, k)->count - 1);
    if (side(self, 0) == side(self, 1) && pair[0] == pair[1])
        return tac_setup_fail(setup, error, "pairs", "joint %zu begins and ends at point %d", i, pair[0]);
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    DistanceJoints *self = data;
    if (!self->pairs.count || self->pairs.count % 2)
        return tac_setup_fail(setup, error, "pairs",
                              "pairs has %zu numbers; two for each joint were expected", self->pairs.count);
    self->count = self->pairs.count / 2;
    size_t given = self->given_lengths.count;
    if (given > 1 && given != self->count)
        return tac_setup_fail(setup, error, "lengths", "lengths has %zu numbers; 1 or %zu were expected",
                              given, self->count);
    self->lengths = tac_setup_alloc(setup, self->count, sizeof(double));
    self->tension = tac_setup_alloc(setup, self->count, sizeof(double));
    if (!self->lengths || !self->tension) return tac_fail_memory(error, self->count * sizeof(double));
    for (size_t i = 0; i < self->count; i++) {
        TAC_TRY(check_pair(self, i, setup, error));
        const int32_t *pair = self->pairs.data + 2 * i;
        TacVec3 d = tac_sub(place(side(self, 1), (size_t)pair[1]), place(side(self, 0), (size_t)pair[0]));
        self->lengths[i] = given ? self->given_lengths.data[given == 1 ? 0 : i] : tac_norm(d);
        if (!(self->lengths[i] > 0))
            return tac_setup_fail(
                setup, error, given ? "lengths" : "pairs",
                "joint %zu has no length: its ends are at the same place. BallJoint ties places "
                "together",
                i);
    }
    self->tensions = (TacReals){self->tension, self->count};
    TAC_TRY(tac_setup_state(setup, self->lengths, self->count * sizeof(double), error));
    return tac_setup_state(setup, self->tension, self->count * sizeof(double), error);
}

// The pull of each joint at its ends, as of the last step.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const DistanceJoints *self = data;
    for (size_t k = 0; k < 2; k++) {
        float *to = what == TAC_SCALAR_TENSION ? tac_scalar_sheet_of(sheet, side(self, k)) : NULL;
        for (size_t i = 0; to && i < self->count; i++)
            tac_scalar_raise(to + self->pairs.data[2 * i + k], self->tension[i]);
    }
}

static const TacAttribute attributes[] = {
    TAC_JOINT_ATTRIBUTES(DistanceJoints, joint),
    {"other", TAC_LINK, offsetof(DistanceJoints, joint.matter[1]), "", "",
     "The matter of each pair's second point; by default the first one.", "matter", TAC_ANY, 0},
    {"pairs", TAC_INTS, offsetof(DistanceJoints, pairs), "1", NULL, "Two points or frames for each joint.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"lengths", TAC_REALS, offsetof(DistanceJoints, given_lengths), "m", "",
     "One for all, or one for each; by default as at the start.", NULL, TAC_POSITIVE, 0},
    {"rope", TAC_BOOL, offsetof(DistanceJoints, rope), "", "false",
     "Whether they only pull: shorter is allowed, longer is not.", NULL, TAC_ANY, 0},
    TAC_SOFTNESS_ATTRIBUTES(DistanceJoints, compliance, damping),
    {"tensions", TAC_REALS, offsetof(DistanceJoints, tensions), "N", "", "Of each joint, at the last step.",
     NULL, TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_distance_joints_class = {
    .name = "DistanceJoints",
    .kind = TAC_KIND_JOINT,
    .doc = "Keeps pairs of points at their distance: rods, or ropes that can go slack.",
    .size = sizeof(DistanceJoints),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3 | 1u << TAC_RIGID3,
    .init = init,
    .ops.joint = &ops,
    .scalars = scalars,
};
