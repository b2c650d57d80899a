// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Bow: friction that falls with speed, between points and a bow that is drawn past them; the bowed string of
// CORDIS-ANIMA ("Balls, bubbles and agglomerates", III.1).
//
// With r the speed of a point along the direction as the bow sees it, the bow pulls by at most s times its pressure
// while the point sticks (r = 0), and by phi(r) = k + (s - k) b / (b + |r|) times its pressure, against r, while it
// slips. s and k are the coefficients of sticking and sliding, b the speed at which half of the fall is done.
//
// A point of a string weighs next to nothing: taken from the last speed, such a force would throw it to and fro. So
// it is found together with the kick of everything else, which is why this is a constraint and not a law: r* being
// the speed that the point would have after the kick, and c = step pressure / mass,
//
//     |r*| <= c s    it sticks: r = 0
//     otherwise      r = r* - c phi(r), a quadratic with one root of the sign of r*
//
// For explicit steps (SymplecticEuler): an implicit solver would have to know of it while it solves.

#include "base/memory.h"
#include "constraint/constraints.h"
#include "constraint/selection.h"

typedef struct Bow {
    TacConstraint constraint;
    TacSelection selection;
    TacVec3 direction; // a unit vector after init
    double speed, pressure, sticking, sliding, fall_speed;
    size_t dimension;
    double *mass; // kg, per point that the bow touches
} Bow;

// The speed as the bow sees it, after friction, of what would otherwise be r.
static double after_friction(const Bow *self, double r, double c) {
    double fast = fabs(r);
    if (fast <= c * self->sticking) return 0;
    double p = self->fall_speed - fast + c * self->sliding;
    double q = self->fall_speed * (c * self->sticking - fast);
    double root = sqrt(p * p - 4 * q);
    // without cancellation; q is not positive, so one root is not negative
    double left = p > 0 ? -2 * q / (p + root) : 0.5 * (root - p);
    return copysign(left, r);
}

static void prescribe(void *data, const TacContext *context, const double *x, const double *v, double *dv) {
    (void)x;
    const Bow *self = data;
    size_t each = (size_t)self->constraint.matter->velocity_size;
    const double direction[3] = {self->direction.x, self->direction.y, self->direction.z};
    for (size_t i = 0; i < self->selection.count; i++) {
        size_t first = each * (size_t)self->selection.list[i];
        double r = -self->speed;
        for (size_t k = 0; k < self->dimension; k++) r += direction[k] * (v[first + k] + dv[first + k]);
        double change = after_friction(self, r, context->step * self->pressure / self->mass[i]) - r;
        for (size_t k = 0; k < self->dimension; k++) dv[first + k] += change * direction[k];
    }
}

static void project(void *data, const TacContext *context, double *d) {
    (void)data;
    (void)context;
    (void)d;
}

static const TacConstraintOps ops = {.project = project, .prescribe = prescribe};

static TacStatus find_direction(Bow *self, TacSetup *setup, TacError *error) {
    double d[3] = {self->direction.x, self->direction.y, self->direction.z};
    self->dimension = (size_t)self->constraint.matter->velocity_size;
    for (size_t k = self->dimension; k < 3; k++) d[k] = 0;
    double length = tac_norm(tac_load3(d));
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, "direction", "the direction has no length%s",
                              self->dimension < 3 ? " in the space of its points" : "");
    self->direction = tac_scale(tac_load3(d), 1 / length);
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Bow *self = data;
    const TacMatter *matter = self->constraint.matter;
    TAC_TRY(find_direction(self, setup, error));
    TAC_TRY(tac_selection_find(&self->selection, setup, matter, true, error));
    if (self->sliding > self->sticking)
        return tac_setup_fail(setup, error, "sliding", "sliding friction is at most that of sticking, %g",
                              self->sticking);
    self->mass = tac_setup_alloc(setup, self->selection.count, sizeof(double));
    if (!self->mass) return tac_fail_memory(error, self->selection.count * sizeof(double));
    for (size_t i = 0; i < self->selection.count; i++) {
        self->mass[i] = tac_setup_mass_of(setup, matter, (size_t)self->selection.list[i]);
        if (!(self->mass[i] > 0))
            return tac_setup_fail(setup, error, NULL,
                                  "%s has no mass; a UniformMass or DiagonalMass must come first",
                                  matter->base.path);
    }
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(Bow, constraint.matter),
    TAC_SELECTION_ATTRIBUTES(Bow, selection, "; by default all."),
    {"direction", TAC_VECTOR, offsetof(Bow, direction), "1", "0 1 0", "Along which the bow is drawn.", NULL,
     TAC_ANY, 0},
    {"speed", TAC_REAL, offsetof(Bow, speed), "m/s", "0.2", "Of the bow.", NULL, TAC_ANY, TAC_LIVE},
    {"pressure", TAC_REAL, offsetof(Bow, pressure), "N", "1", "With which it presses on every point.", NULL,
     TAC_NOT_NEGATIVE, TAC_LIVE},
    {"sticking", TAC_REAL, offsetof(Bow, sticking), "1", "0.8",
     "Coefficient of friction while a point sticks.", NULL, TAC_NOT_NEGATIVE, 0},
    {"sliding", TAC_REAL, offsetof(Bow, sliding), "1", "0.3", "Coefficient of friction of fast slipping.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"fall_speed", TAC_REAL, offsetof(Bow, fall_speed), "m/s", "0.1",
     "Relative speed at which half of the fall from sticking to sliding is done.", NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_bow_class = {
    .name = "Bow",
    .kind = TAC_KIND_CONSTRAINT,
    .doc = "A bow drawn past points: friction that falls with speed, so that they stick and slip in turn. "
           "For explicit "
           "solvers.",
    .size = sizeof(Bow),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC1 | 1u << TAC_VEC2 | 1u << TAC_VEC3,
    .init = init,
    .ops.constraint = &ops,
};
