// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// PlaneContact: points that stay on one side of a plane, as an inequality: g = n.x - offset - radius >= 0.
// Rows are added only for points that could arrive within the step. Friction is two rows across, that ask for no sliding.
// A frame with a radius is a ball: friction acts where it touches, and makes it roll.

#include "base/memory.h"
#include "constraint/joint.h"
#include "constraint/selection.h"

typedef struct PlaneContact {
    TacJoint joint;
    TacSelection selection;
    TacVec3 normal, unit;
    double offset, radius, compliance, damping, friction;
    TacReals forces, frictions;
    double *force, *held; // behind forces and frictions
} PlaneContact;

static TacJointSize capacity(const void *data) {
    const PlaneContact *self = data;
    size_t n = self->selection.count * (self->friction > 0 ? 3 : 1);
    return (TacJointSize){n, n, n};
}

// No sliding, along two directions in the plane.
static void add_friction(const PlaneContact *self, TacRows *rows, uint32_t body, size_t slot) {
    TacVec3 n = self->unit, arm = tac_scale(n, -self->radius);
    TacVec3 a = tac_unit(tac_cross(n, fabs(n.x) < 0.5 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0)));
    TacVec3 across[2] = {a, tac_cross(n, a)};
    uint32_t presses = (uint32_t)(rows->count - 1);
    for (size_t k = 0; k < 2; k++) {
        TacRow *row = tac_rows_add(rows, slot + k);
        if (!row) return;
        row->kind = TAC_ROW_SPEED;
        if (k == 0) {
            row->presses = presses;
            row->friction = self->friction;
        }
        tac_rows_block(rows, body, across[k], tac_cross(arm, across[k]));
    }
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
        if (self->friction > 0)
            add_friction(self, rows, first + (uint32_t)point, self->selection.count + 2 * i);
    }
}

static void take(void *data, const TacContext *context, const double *forces) {
    (void)context;
    PlaneContact *self = data;
    size_t n = self->selection.count;
    memcpy(self->force, forces, n * sizeof(double));
    for (size_t i = 0; i < n && self->friction > 0; i++)
        self->held[i] = hypot(forces[n + 2 * i], forces[n + 2 * i + 1]);
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
    self->held = tac_setup_alloc(setup, n, sizeof(double));
    if (!self->force || !self->held) return tac_fail_memory(error, n * sizeof(double));
    self->forces = (TacReals){self->force, n};
    self->frictions = (TacReals){self->held, n};
    TAC_TRY(tac_setup_state(setup, self->held, n * sizeof(double), error));
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
    {"friction", TAC_REAL, offsetof(PlaneContact, friction), "1", "0",
     "Coulomb's coefficient; a frame with a radius rolls on it.", NULL, TAC_NOT_NEGATIVE, 0},
    {"forces", TAC_REALS, offsetof(PlaneContact, forces), "N", "", "On each point, at the last step.", NULL,
     TAC_ANY, TAC_OUTPUT},
    {"frictions", TAC_REALS, offsetof(PlaneContact, frictions), "N", "",
     "Force of friction on each point, at the last step.", NULL, TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_plane_contact_class = {
    .name = "PlaneContact",
    .kind = TAC_KIND_JOINT,
    .doc = "Keeps points (or origins of frames) on one side of a plane.",
    .size = sizeof(PlaneContact),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3 | 1u << TAC_RIGID3,
    .init = init,
    .ops.joint = &ops,
};
