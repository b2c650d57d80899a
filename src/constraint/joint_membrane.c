// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// MembraneJoints: a cloth for Spook. Every side of the topology's triangles is a row, g = length - length at rest, with
// the compliance of the membrane around it (law/faces.h), so that its stiffness hardly depends on how finely it is
// divided.

#include "base/memory.h"
#include "constraint/joint.h"
#include "law/faces.h"

typedef struct MembraneJoints {
    TacJoint joint;
    double stiffness, damping;
    bool pull_only;
    size_t count;
    TacSide *sides;
    TacReals tensions;
    double *tension; // behind tensions
} MembraneJoints;

static TacJointSize capacity(const void *data) {
    const MembraneJoints *self = data;
    return (TacJointSize){self->count, 2 * self->count, self->count};
}

static bool tie(const void *data, size_t number, TacTie *result) {
    const MembraneJoints *self = data;
    if (number >= self->count) return false;
    const TacMatter *m = self->joint.matter[0];
    const TacSide *side = &self->sides[number];
    *result = (TacTie){{m, m}, {(size_t)side->low, (size_t)side->high}};
    return true;
}

static void add(void *data, const TacContext *context, TacRows *rows) {
    (void)context;
    const MembraneJoints *self = data;
    const double *x = self->joint.matter[0]->vectors[TAC_X];
    uint32_t first = tac_rows_body(rows, self->joint.matter[0]);
    const TacVec3 none = {0, 0, 0};
    for (size_t i = 0; i < self->count; i++) {
        const TacSide *side = &self->sides[i];
        TacVec3 d = tac_sub(tac_load3(x + 3 * (size_t)side->high), tac_load3(x + 3 * (size_t)side->low));
        double length = tac_norm(d);
        TacVec3 u = length > 0 ? tac_scale(d, 1 / length) : tac_vec3(0, 0, 1);
        TacRow *row = tac_rows_add(rows, i);
        if (!row) return;
        row->violation = length - side->length;
        row->compliance = side->length * side->length / (self->stiffness * side->area);
        row->damping = isnan(self->damping) ? -1 : self->damping;
        if (self->pull_only) row->high = 0;
        tac_rows_block(rows, first + (uint32_t)side->low, tac_scale(u, -1), none);
        tac_rows_block(rows, first + (uint32_t)side->high, u, none);
    }
}

static void take(void *data, const TacContext *context, const double *forces) {
    (void)context;
    MembraneJoints *self = data;
    for (size_t i = 0; i < self->count; i++) self->tension[i] = -forces[i];
}

static const TacJointOps ops = {.capacity = capacity, .tie = tie, .add = add, .take = take};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    MembraneJoints *self = data;
    const TacMatter *m = self->joint.matter[0];
    const TacTopology *topology = tac_setup_topology_of(setup, m);
    if (!topology || topology->mesh.point_count != m->count || !topology->mesh.elements[TAC_TRIANGLES].count)
        return tac_setup_fail(setup, error, NULL,
                              "needs a topology of triangles with as many points as %s has (%zu)",
                              m->base.path, m->count);
    TacSide *sides;
    TAC_TRY(tac_find_sides(&topology->mesh, m->vectors[TAC_X_REST], &sides, &self->count, error));
    self->sides = tac_setup_alloc(setup, self->count, sizeof *sides);
    self->tension = tac_setup_alloc(setup, self->count, sizeof *self->tension);
    if (self->sides && self->tension) memcpy(self->sides, sides, self->count * sizeof *sides);
    free(sides);
    if (!self->sides || !self->tension) return tac_fail_memory(error, self->count * sizeof *sides);
    for (size_t i = 0; i < self->count; i++)
        if (!(self->sides[i].length > 0) || !(self->sides[i].area > 0))
            return tac_setup_fail(setup, error, NULL, "the triangles between points %d and %d have no area",
                                  self->sides[i].low, self->sides[i].high);
    self->tensions = (TacReals){self->tension, self->count};
    return tac_setup_state(setup, self->tension, self->count * sizeof *self->tension, error);
}

// The pull of each side at its ends, as of the last step.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const MembraneJoints *self = data;
    float *to = what == TAC_SCALAR_TENSION ? tac_scalar_sheet_of(sheet, self->joint.matter[0]) : NULL;
    for (size_t i = 0; to && i < self->count; i++) {
        tac_scalar_raise(to + self->sides[i].low, self->tension[i]);
        tac_scalar_raise(to + self->sides[i].high, self->tension[i]);
    }
}

static const TacAttribute attributes[] = {
    TAC_JOINT_ATTRIBUTES(MembraneJoints, joint),
    {"stiffness", TAC_REAL, offsetof(MembraneJoints, stiffness), "N/m", NULL,
     "Of the membrane: Young's modulus times thickness, for a Poisson's ratio of about 1/3.", NULL,
     TAC_POSITIVE, 0},
    {"damping", TAC_REAL, offsetof(MembraneJoints, damping), "s", "",
     "The time in which a stretch is damped away; by default two steps.", NULL, TAC_NOT_NEGATIVE, 0},
    {"pull_only", TAC_BOOL, offsetof(MembraneJoints, pull_only), "", "false",
     "Whether it folds without resisting: shorter is allowed, longer is not.", NULL, TAC_ANY, 0},
    {"tensions", TAC_REALS, offsetof(MembraneJoints, tensions), "N", "", "Of each side, at the last step.",
     NULL, TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_membrane_joints_class = {
    .name = "MembraneJoints",
    .kind = TAC_KIND_JOINT,
    .doc = "A cloth for Spook: the sides of the topology's triangles as ties with the membrane's compliance, "
           "which "
           "hardly depends on how finely it is divided.",
    .size = sizeof(MembraneJoints),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.joint = &ops,
    .scalars = scalars,
};
