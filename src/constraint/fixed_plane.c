// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// FixedPlane: points and frames that lie between two parallel planes at rest stay where they start (SOFA's
// FixedPlaneProjectiveConstraint).

#include "base/memory.h"
#include "constraint/constraints.h"
#include "constraint/selection.h"

typedef struct FixedPlane {
    TacConstraint constraint;
    TacVec3 normal;
    double low, high;
    TacSelection selection;
} FixedPlane;

static void project(void *data, const TacContext *context, double *d) {
    (void)context;
    const FixedPlane *self = data;
    size_t each = (size_t)self->constraint.matter->velocity_size;
    for (size_t i = 0; i < self->selection.count; i++)
        memset(d + each * (size_t)self->selection.list[i], 0, each * sizeof(double));
}

static const TacConstraintOps ops = {.project = project};

static TacStatus select_points(FixedPlane *self, TacSetup *setup, TacError *error) {
    const TacMatter *matter = self->constraint.matter;
    double least = INFINITY, most = -INFINITY;
    self->selection.list = tac_setup_alloc(setup, matter->count, sizeof *self->selection.list);
    if (!self->selection.list) return tac_fail_memory(error, matter->count * sizeof *self->selection.list);
    for (size_t i = 0; i < matter->count; i++) {
        double along = tac_dot(self->normal, tac_place_of(matter, matter->vectors[TAC_X_REST], i));
        least = fmin(least, along);
        most = fmax(most, along);
        if (along >= self->low && along <= self->high)
            self->selection.list[self->selection.count++] = (int32_t)i;
    }
    if (self->selection.count) return TAC_OK;
    return tac_setup_fail(
        setup, error, NULL,
        "no point of %s is between %g and %g m along the normal; they reach from %g to %g m",
        matter->base.path, self->low, self->high, least, most);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    FixedPlane *self = data;
    double length = tac_norm(self->normal);
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, "normal", "normal must have a direction");
    self->normal = tac_scale(self->normal, 1 / length);
    if (!(self->low <= self->high))
        return tac_setup_fail(setup, error, "low", "low (%g) is above high (%g)", self->low, self->high);
    TAC_TRY(select_points(self, setup, error));
    TacMatter *matter = self->constraint.matter;
    TAC_TRY(tac_selection_hold(&self->selection, setup, matter, TAC_HELD_ALL, error));
    project(self, NULL, matter->vectors[TAC_V]);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(FixedPlane, constraint.matter),
    {"normal", TAC_VECTOR, offsetof(FixedPlane, normal), "1", "0 1 0",
     "Of the planes; its length does not matter.", NULL, TAC_ANY, 0},
    {"low", TAC_REAL, offsetof(FixedPlane, low), "m", NULL, "How far along the normal the first plane is.",
     NULL, TAC_ANY, 0},
    {"high", TAC_REAL, offsetof(FixedPlane, high), "m", NULL, "How far along the normal the second plane is.",
     NULL, TAC_ANY, 0},
};

const TacClass tac_fixed_plane_class = {
    .name = "FixedPlane",
    .kind = TAC_KIND_CONSTRAINT,
    .doc = "Points or frames that are between two parallel planes at rest stay where they start.",
    .size = sizeof(FixedPlane),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.constraint = &ops,
};
