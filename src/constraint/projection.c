// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// LineProjection and PlaneProjection: points and frames that move along a line, or in a plane, only (SOFA's
// ProjectToLineProjectiveConstraint and ProjectToPlaneProjectiveConstraint). Each keeps the line or plane
// through where it starts; `snap` first puts all of them on the one through `origin`, as SOFA does. Frames
// turn freely. Free flight knows nothing of lines, so their matter needs a solver.

#include "base/memory.h"
#include "constraint/constraints.h"
#include "constraint/selection.h"

typedef struct Projection {
    TacConstraint constraint;
    TacSelection selection;
    TacVec3 direction, origin; // along the line, or normal to the plane; a unit vector after init
    bool snap;
    size_t places;
} Projection;

static bool is_line(const Projection *self) {
    return self->constraint.base.cls == &tac_line_projection_class;
}

// What is left of a vector.
static void allow(const Projection *self, double *v) {
    const double u[3] = {self->direction.x, self->direction.y, self->direction.z};
    double along = 0;
    for (size_t k = 0; k < self->places; k++) along += u[k] * v[k];
    for (size_t k = 0; k < self->places; k++) v[k] = is_line(self) ? along * u[k] : v[k] - along * u[k];
}

static void project(void *data, const TacContext *context, double *d) {
    (void)context;
    const Projection *self = data;
    size_t each = (size_t)self->constraint.matter->velocity_size;
    for (size_t i = 0; i < self->selection.count; i++)
        allow(self, d + each * (size_t)self->selection.list[i]);
}

static const TacConstraintOps ops = {.project = project};

static void put_in_place(const Projection *self, double *x) {
    const double o[3] = {self->origin.x, self->origin.y, self->origin.z};
    for (size_t k = 0; k < self->places; k++) x[k] -= o[k];
    allow(self, x);
    for (size_t k = 0; k < self->places; k++) x[k] += o[k];
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Projection *self = data;
    TacMatter *matter = self->constraint.matter;
    const char *name = is_line(self) ? "direction" : "normal";
    self->places = matter->kind == TAC_RIGID3   ? 3
                   : matter->kind == TAC_RIGID2 ? 2
                                                : (size_t)matter->position_size;
    double length = tac_norm(self->direction);
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, name, "%s must have a direction", name);
    self->direction = tac_scale(self->direction, 1 / length);
    if ((self->places < 2 && self->direction.y != 0) || (self->places < 3 && self->direction.z != 0))
        return tac_setup_fail(setup, error, name, "%s must lie %s, where the points are", name,
                              self->places == 1 ? "on the x axis" : "in the xy plane");
    TAC_TRY(tac_selection_find(&self->selection, setup, matter, true, error));
    for (size_t i = 0; i < self->selection.count && self->snap; i++)
        put_in_place(self, matter->vectors[TAC_X] +
                               (size_t)matter->position_size * (size_t)self->selection.list[i]);
    project(self, NULL, matter->vectors[TAC_V]);
    return TAC_OK;
}

#define PROJECTION_ATTRIBUTES(name, doc)                                                                     \
    TAC_MATTER_ATTRIBUTE(Projection, constraint.matter),                                                     \
        TAC_SELECTION_ATTRIBUTES(Projection, selection, "; by default all."),                                \
        {name, TAC_VECTOR, offsetof(Projection, direction), "1", "1 0 0", doc, NULL, TAC_ANY, 0},            \
        {"origin", TAC_VECTOR, offsetof(Projection, origin), "m", "0 0 0", "Where snap puts it.", NULL,      \
         TAC_ANY,  0},                                                                                       \
    {                                                                                                        \
        "snap", TAC_BOOL, offsetof(Projection, snap), "", "false",                                           \
            "Puts the points there first; otherwise each keeps its distance.", NULL, TAC_ANY, 0              \
    }

static const TacAttribute line_attributes[] = {
    PROJECTION_ATTRIBUTES("direction", "Of the line; its length does not matter."),
};

static const TacAttribute plane_attributes[] = {
    PROJECTION_ATTRIBUTES("normal", "Of the plane; its length does not matter."),
};

const TacClass tac_line_projection_class = {
    .name = "LineProjection",
    .kind = TAC_KIND_CONSTRAINT,
    .doc = "Points or frames that move along a line only.",
    .size = sizeof(Projection),
    .attributes = line_attributes,
    .attribute_count = TAC_COUNT(line_attributes),
    .init = init,
    .ops.constraint = &ops,
};

const TacClass tac_plane_projection_class = {
    .name = "PlaneProjection",
    .kind = TAC_KIND_CONSTRAINT,
    .doc = "Points or frames that move in a plane only.",
    .size = sizeof(Projection),
    .attributes = plane_attributes,
    .attribute_count = TAC_COUNT(plane_attributes),
    .init = init,
    .ops.constraint = &ops,
};
