// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Bow: friction that falls with speed, between points and a bow that is drawn past them; CORDIS-ANIMA's non-linear
// viscosity of the bowed string ("Balls, bubbles and agglomerates", III.1).
//
// With r = direction . (v - speed direction), the speed of a point as the bow sees it, the force along the direction
// is -pressure phi(r):
//
//     |r| <= a       phi = s r / a                                     sticks: a steep viscosity
//     |r| >  a       phi = sign(r) (k + (s - k) b / (b + |r| - a))     slips: from s down to k
//
// s, k are the coefficients of sticking and sliding, a the stick speed, b the speed over which half of the fall is
// done. Sticking and slipping follow from the curve and the string's own motion; there is no state.

#include "base/memory.h"
#include "law/laws.h"
#include "law/setup.h"

typedef struct Bow {
    TacLaw law;
    TacInts given;
    TacVec3 direction; // a unit vector after init
    double speed, pressure, sticking, sliding, stick_speed, fall_speed;
    size_t count, dimension;
    const int32_t *points; // NULL: all
} Bow;

static double friction(const Bow *self, double r) {
    double a = self->stick_speed, fast = fabs(r) - a;
    if (fast <= 0) return self->sticking * r / a;
    double fall = self->fall_speed / (self->fall_speed + fast);
    return copysign(self->sliding + (self->sticking - self->sliding) * fall, r);
}

static double friction_slope(const Bow *self, double r) {
    double a = self->stick_speed, b = self->fall_speed, fast = fabs(r) - a;
    if (fast <= 0) return self->sticking / a;
    return b > 0 ? -(self->sticking - self->sliding) * b / ((b + fast) * (b + fast)) : 0;
}

static double relative_speed(const Bow *self, const double *v, const double direction[3]) {
    double along = 0;
    for (size_t k = 0; k < self->dimension; k++) along += direction[k] * v[k];
    return along - self->speed;
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const Bow *self = data;
    size_t size = (size_t)self->law.matter[0]->velocity_size;
    const double direction[3] = {self->direction.x, self->direction.y, self->direction.z};
    for (size_t i = 0; i < self->count; i++) {
        size_t p = self->points ? (size_t)self->points[i] : i;
        double pull = -self->pressure * friction(self, relative_speed(self, vectors->v[0] + size * p, direction));
        for (size_t k = 0; k < self->dimension; k++) vectors->f[0][size * p + k] += pull * direction[k];
    }
}

// Only where it sticks: what falls with speed would make an implicit solver's matrix indefinite. The speed at which
// it stands is taken from the matter itself, for `vectors` holds a change.
static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k, double b) {
    (void)context;
    (void)k;
    const Bow *self = data;
    const TacMatter *matter = self->law.matter[0];
    size_t size = (size_t)matter->velocity_size;
    const double direction[3] = {self->direction.x, self->direction.y, self->direction.z};
    for (size_t i = 0; b != 0 && i < self->count; i++) {
        size_t p = self->points ? (size_t)self->points[i] : i;
        double slope = friction_slope(self, relative_speed(self, matter->vectors[TAC_V] + size * p, direction));
        if (slope <= 0) continue;
        double along = 0;
        for (size_t n = 0; n < self->dimension; n++) along += direction[n] * vectors->v[0][size * p + n];
        for (size_t n = 0; n < self->dimension; n++)
            vectors->f[0][size * p + n] -= b * self->pressure * slope * along * direction[n];
    }
}

static void add_steepest(void *data, const TacSteepness *sums) {
    const Bow *self = data;
    for (size_t i = 0; i < self->count; i++)
        sums->z[0][self->points ? (size_t)self->points[i] : i] += self->pressure * self->sticking / self->stick_speed;
}

static const TacLawOps ops = {.force = force, .force_change = force_change, .steepest = add_steepest};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Bow *self = data;
    const TacMatter *matter = self->law.matter[0];
    self->dimension = tac_law_place_size(matter->kind);
    double d[3] = {self->direction.x, self->direction.y, self->direction.z};
    for (size_t k = self->dimension; k < 3; k++) d[k] = 0;
    double length = tac_norm(tac_load3(d));
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, "direction", "the direction has no length%s",
                              self->dimension < 3 ? " in the space of its points" : "");
    self->direction = tac_scale(tac_load3(d), 1 / length);
    if (self->sliding > self->sticking)
        return tac_setup_fail(setup, error, "sliding", "sliding friction is at most that of sticking, %g",
                              self->sticking);
    for (size_t i = 0; i < self->given.count; i++)
        if (self->given.data[i] < 0 || (size_t)self->given.data[i] >= matter->count)
            return tac_setup_fail(setup, error, "points", "there is no point %d; the matter has points 0 to %zu",
                                  self->given.data[i], matter->count - 1);
    self->points = self->given.count ? self->given.data : NULL;
    self->count = self->given.count ? self->given.count : matter->count;
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(Bow, law),
    {"points", TAC_INTS, offsetof(Bow, given), "1", "", "Which points the bow touches; by default all.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"direction", TAC_VECTOR, offsetof(Bow, direction), "1", "0 1 0", "Along which the bow is drawn.", NULL, TAC_ANY,
     0},
    {"speed", TAC_REAL, offsetof(Bow, speed), "m/s", "0.2", "Of the bow.", NULL, TAC_ANY, TAC_LIVE},
    {"pressure", TAC_REAL, offsetof(Bow, pressure), "N", "1", "With which it presses on every point.", NULL,
     TAC_NOT_NEGATIVE, TAC_LIVE},
    {"sticking", TAC_REAL, offsetof(Bow, sticking), "1", "0.8", "Coefficient of friction while a point sticks.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"sliding", TAC_REAL, offsetof(Bow, sliding), "1", "0.3", "Coefficient of friction far from sticking.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"stick_speed", TAC_REAL, offsetof(Bow, stick_speed), "m/s", "0.01",
     "Relative speed up to which a point counts as sticking.", NULL, TAC_POSITIVE, 0},
    {"fall_speed", TAC_REAL, offsetof(Bow, fall_speed), "m/s", "0.1",
     "Relative speed over which half of the fall from sticking to sliding is done.", NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_bow_class = {
    .name = "Bow",
    .kind = TAC_KIND_LAW,
    .doc = "A bow drawn past points: friction that falls with speed, F = -pressure phi(v - speed), so that they stick "
           "and slip in turn.",
    .size = sizeof(Bow),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC1 | 1u << TAC_VEC2 | 1u << TAC_VEC3,
    .init = init,
    .ops.law = &ops,
};
