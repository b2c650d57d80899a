// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// PlaneContact: points that stay on one side of a plane, as an inequality: g = n.x - offset - radius >= 0.
// Rows are added only for points that could arrive within the step.

#include "base/memory.h"
#include "constraint/joint.h"
#include "constraint/selection.h"

typedef struct PlaneContact {
    TacJoint joint;
    TacSelection selection;
    TacVec3 normal, unit;
    double offset, radius, compliance, damping;
    TacReals forces;
    double *force; // behind forces
} PlaneContact;

static TacJointSize capacity(const void *data) {
    size_t n = ((const PlaneContact *)data)->selection.count;
    return (TacJointSize){n, n, n};
}

static void add(void *data, const TacContext *context, TacRows *rows) {
    const PlaneContact *self = data;
    const TacMatter *m = self->joint.matter[0];
    const double h = context->step;
    const TacVec3 none = {0, 0, 0};
    uint32_t first = tac_rows_body(rows, m);
    for (size_t i = 0; i < self->selection.count; i++) {
        size_t point = (size_t)self->selection.list[i];
        TacVec3 x = tac_load3(m->vectors[TAC_X] + (size_t)m->position_size * point);
        TacVec3 v = tac_load3(m->vectors[TAC_V] + (size_t)m->velocity_size * point);
        double gap = tac_dot(self->unit, x) - self->offset - self->radius;
        // far off: twice its speed and a strong kick would not bring it here
        if (gap > h * (2 * tac_norm(v) + 100 * h)) continue;
        TacRow *row = tac_rows_add(rows, i);
        if (!row) return;
        row->violation = gap;
        row->compliance = self->compliance;
        row->damping = isnan(self->damping) ? -1 : self->damping;
        row->low = 0;
        tac_rows_block(rows, first + (uint32_t)point, self->unit, none);
    }
}

static void take(void *data, const TacContext *context, const double *forces) {
    (void)context;
    PlaneContact *self = data;
    memcpy(self->force, forces, self->selection.count * sizeof(double));
}

static const TacJointOps ops = {.capacity = capacity, .add = add, .take = take};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    PlaneContact *self = data;
    double length = tac_norm(self->normal);
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, "normal", "the normal has no direction");
    self->unit = tac_scale(self->normal, 1 / length);
    TAC_TRY(tac_selection_find(&self->selection, setup, self->joint.matter[0], true, error));
    size_t n = self->selection.count;
    self->force = tac_setup_alloc(setup, n, sizeof(double));
    if (!self->force) return tac_fail_memory(error, n * sizeof(double));
    self->forces = (TacReals){self->force, n};
    return tac_setup_state(setup, self->force, n * sizeof(double), error);
}

static const TacAttribute attributes[] = {
    TAC_JOINT_ATTRIBUTES(PlaneContact, joint),
    TAC_SELECTION_ATTRIBUTES(PlaneContact, selection, "; by default all."),
    {"normal", TAC_VECTOR, offsetof(PlaneContact, normal), "1", "0 1 0",
     "Points to the side that is allowed.", NULL, TAC_ANY, 0},
    {"offset", TAC_REAL, offsetof(PlaneContact, offset), "m", "0",
     "The plane is where the position along the normal is this.", NULL, TAC_ANY, 0},
    {"radius", TAC_REAL, offsetof(PlaneContact, radius), "m", "0", "How far points stay away.", NULL,
     TAC_NOT_NEGATIVE, 0},
    TAC_SOFTNESS_ATTRIBUTES(PlaneContact, compliance, damping),
    {"forces", TAC_REALS, offsetof(PlaneContact, forces), "N", "", "On each point, at the last step.", NULL,
     TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_plane_contact_class = {
    .name = "PlaneContact",
    .kind = TAC_KIND_JOINT,
    .doc = "Keeps points (or origins of frames) on one side of a plane, without friction.",
    .size = sizeof(PlaneContact),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3 | 1u << TAC_RIGID3,
    .init = init,
    .ops.joint = &ops,
};
