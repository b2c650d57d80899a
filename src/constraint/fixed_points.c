// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// FixedPoints: points and frames that stay where they start, in all directions or in some. Kicks lose what
// the constraint forbids; with no velocity to begin with, nothing moves by a single bit.

#include "base/memory.h"
#include "constraint/constraints.h"
#include "constraint/selection.h"

typedef struct FixedPoints {
    TacConstraint constraint;
    TacSelection selection;
    const char *directions;
    bool rotation;
    bool forbidden[6]; // by number of a velocity
    bool all;          // of them
} FixedPoints;

static void project(void *data, const TacContext *context, double *d) {
    (void)context;
    const FixedPoints *self = data;
    size_t each = (size_t)self->constraint.matter->velocity_size;
    for (size_t i = 0; !self->constraint.released && i < self->selection.count; i++) {
        double *v = d + each * (size_t)self->selection.list[i];
        for (size_t k = 0; k < each; k++)
            if (self->forbidden[k]) v[k] = 0;
    }
}

static void release(void *data) {
    FixedPoints *self = data;
    self->constraint.released = true;
    uint8_t *held = self->constraint.matter->held;
    for (size_t i = 0; i < self->selection.count; i++) held[self->selection.list[i]] = 0;
}

static const TacConstraintOps ops = {.project = project, .release = release};

static TacStatus find_directions(FixedPoints *self, TacSetup *setup, TacError *error) {
    TacMatterKind kind = self->constraint.matter->kind;
    size_t each = (size_t)self->constraint.matter->velocity_size;
    size_t places = kind == TAC_RIGID3 ? 3 : kind == TAC_RIGID2 ? 2 : each;
    for (const char *c = self->directions; *c; c++) {
        if (*c < 'x' || *c > 'z')
            return tac_setup_fail(setup, error, "directions",
                                  "directions is \"%.40s\"; letters out of x, y and z were expected",
                                  self->directions);
        if ((size_t)(*c - 'x') < places) self->forbidden[*c - 'x'] = true;
    }
    for (size_t k = places; k < each; k++) self->forbidden[k] = self->rotation;
    bool any = false;
    self->all = true;
    for (size_t k = 0; k < each; k++) {
        any = any || self->forbidden[k];
        self->all = self->all && self->forbidden[k];
    }
    if (any) return TAC_OK;
    return tac_setup_fail(setup, error, "directions", "\"%.40s\" holds nothing: %s is %s", self->directions,
                          self->constraint.matter->base.path, tac_matter_kind_name(kind));
}

static unsigned what_is_held(const FixedPoints *self) {
    if (self->all) return TAC_HELD_ALL;
    unsigned what = 0;
    for (const char *c = self->directions; *c; c++) what |= (unsigned)TAC_HELD_X << (*c - 'x');
    return what;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    FixedPoints *self = data;
    TacMatter *matter = self->constraint.matter;
    TAC_TRY(find_directions(self, setup, error));
    TAC_TRY(tac_selection_find(&self->selection, setup, matter, false, error));
    TAC_TRY(tac_selection_hold(&self->selection, setup, matter, what_is_held(self), error));
    project(self, NULL, matter->vectors[TAC_V]);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(FixedPoints, constraint.matter),
    TAC_SELECTION_ATTRIBUTES(FixedPoints, selection, "."),
    {"directions", TAC_TEXT, offsetof(FixedPoints, directions), "", "xyz",
     "The directions in which they stay: letters out of x, y and z.", NULL, TAC_ANY, 0},
    {"rotation", TAC_BOOL, offsetof(FixedPoints, rotation), "", "true",
     "Whether frames keep their orientation.", NULL, TAC_ANY, 0},
};

const TacClass tac_fixed_points_class = {
    .name = "FixedPoints",
    .kind = TAC_KIND_CONSTRAINT,
    .doc = "Points or frames that stay where they start, in all directions or in some.",
    .size = sizeof(FixedPoints),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.constraint = &ops,
};
