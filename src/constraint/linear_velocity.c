// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// LinearVelocity: points and frames whose velocity is told, linear between keys (SOFA's
// LinearVelocityProjectiveConstraint). A step moves them by the velocity in its middle, which is what a
// velocity that changes linearly comes to; SOFA takes the one at its beginning, and so does `sampled="begin"`.
// Before the first key they rest. After the last one they go on at its velocity, or rest, or (`extrapolate`) at
// one that goes on changing as between the last two keys, which is what SOFA's continueAfterEnd comes to; without
// that, SOFA lets them go.

#include "base/memory.h"
#include "base/search.h"
#include "constraint/constraints.h"
#include "constraint/selection.h"

enum { MOST_NUMBERS = 6 };

typedef struct LinearVelocity {
    TacConstraint constraint;
    TacSelection selection;
    TacReals times, velocities;
    TacInts directions;
    bool keep_going, extrapolate;
    int sampled; // 0: middle, 1: begin
    bool told[MOST_NUMBERS];
} LinearVelocity;

static void velocity_at(const LinearVelocity *self, double time, double v[MOST_NUMBERS]) {
    size_t n = (size_t)self->constraint.matter->velocity_size, last = self->times.count - 1;
    const double *t = self->times.data, *all = self->velocities.data;
    memset(v, 0, MOST_NUMBERS * sizeof *v);
    if (time < t[0] || (time > t[last] && !self->keep_going)) return;
    size_t low = tac_last_not_above(t, last + 1, time);
    if (low == last && last > 0 && self->extrapolate) low--;
    double part = low == last ? 0 : (time - t[low]) / (t[low + 1] - t[low]);
    const double *a = all + n * low, *b = low == last ? a : a + n;
    for (size_t k = 0; k < n; k++) v[k] = a[k] + part * (b[k] - a[k]);
}

static void prescribe(void *data, const TacContext *context, const double *x, const double *v, double *dv) {
    (void)x;
    const LinearVelocity *self = data;
    size_t n = (size_t)self->constraint.matter->velocity_size;
    double told[MOST_NUMBERS];
    velocity_at(self, context->time + (self->sampled ? 0 : 0.5 * context->step), told);
    for (size_t i = 0; i < self->selection.count; i++) {
        size_t first = n * (size_t)self->selection.list[i];
        for (size_t k = 0; k < n; k++)
            if (self->told[k]) dv[first + k] = told[k] - v[first + k];
    }
}

static void project(void *data, const TacContext *context, double *d) {
    (void)context;
    const LinearVelocity *self = data;
    size_t n = (size_t)self->constraint.matter->velocity_size;
    for (size_t i = 0; i < self->selection.count; i++)
        for (size_t k = 0; k < n; k++)
            if (self->told[k]) d[n * (size_t)self->selection.list[i] + k] = 0;
}

static const TacConstraintOps ops = {.project = project, .prescribe = prescribe};

static TacStatus check_keys(const LinearVelocity *self, TacSetup *setup, TacError *error) {
    size_t n = (size_t)self->constraint.matter->velocity_size, keys = self->times.count;
    if (!keys) return tac_setup_fail(setup, error, "times", "times is empty");
    for (size_t k = 1; k < keys; k++)
        if (!(self->times.data[k] > self->times.data[k - 1]))
            return tac_setup_fail(setup, error, "times", "times must ascend; %g is followed by %g",
                                  self->times.data[k - 1], self->times.data[k]);
    if (self->velocities.count == n * keys) return TAC_OK;
    return tac_setup_fail(setup, error, "velocities",
                          "velocities has %zu numbers; %zu for each of %zu times were expected",
                          self->velocities.count, n, keys);
}

static TacStatus find_directions(LinearVelocity *self, TacSetup *setup, TacError *error) {
    size_t n = (size_t)self->constraint.matter->velocity_size;
    for (size_t k = 0; k < n; k++) self->told[k] = !self->directions.count;
    for (size_t i = 0; i < self->directions.count; i++) {
        int32_t k = self->directions.data[i];
        if (k < 0 || (size_t)k >= n)
            return tac_setup_fail(setup, error, "directions",
                                  "velocities have no number %d; they have 0 to %zu", k, n - 1);
        self->told[k] = true;
    }
    return TAC_OK;
}

static unsigned what_is_held(const LinearVelocity *self) {
    TacMatterKind kind = self->constraint.matter->kind;
    size_t n = (size_t)self->constraint.matter->velocity_size;
    size_t places = kind == TAC_RIGID3 ? 3 : kind == TAC_RIGID2 ? 2 : n;
    unsigned what = 0;
    bool all = true;
    for (size_t k = 0; k < n; k++) {
        all = all && self->told[k];
        if (self->told[k] && k < places) what |= (unsigned)TAC_HELD_X << k;
    }
    return all ? TAC_HELD_ALL : what;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    LinearVelocity *self = data;
    TacMatter *matter = self->constraint.matter;
    size_t n = (size_t)matter->velocity_size;
    TAC_TRY(check_keys(self, setup, error));
    TAC_TRY(find_directions(self, setup, error));
    TAC_TRY(tac_selection_find(&self->selection, setup, matter, true, error));
    TAC_TRY(tac_selection_hold(&self->selection, setup, matter, what_is_held(self), error));
    double told[MOST_NUMBERS];
    velocity_at(self, 0, told);
    for (size_t i = 0; i < self->selection.count; i++)
        for (size_t k = 0; k < n; k++)
            if (self->told[k]) matter->vectors[TAC_V][n * (size_t)self->selection.list[i] + k] = told[k];
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(LinearVelocity, constraint.matter),
    TAC_SELECTION_ATTRIBUTES(LinearVelocity, selection, "; by default all."),
    {"times", TAC_REALS, offsetof(LinearVelocity, times), "s", "0", "Ascending times of the keys.", NULL,
     TAC_ANY, 0},
    {"velocities", TAC_REALS, offsetof(LinearVelocity, velocities), "m/s, rad/s", NULL,
     "The velocity at each of them; for frames, the angular velocity after it.", NULL, TAC_ANY, 0},
    {"directions", TAC_INTS, offsetof(LinearVelocity, directions), "1", "",
     "Which numbers of a velocity are told: 0 for x, 1 for y, ...; by default all of them.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"keep_going", TAC_BOOL, offsetof(LinearVelocity, keep_going), "", "true",
     "Whether they go on at the last velocity after the last key; otherwise they rest.", NULL, TAC_ANY, 0},
    {"extrapolate", TAC_BOOL, offsetof(LinearVelocity, extrapolate), "", "false",
     "Whether after the last key the velocity goes on changing as between the last two.", NULL, TAC_ANY, 0},
    {"sampled", TAC_CHOICE, offsetof(LinearVelocity, sampled), "", "middle",
     "Which moment of a step says its velocity.", "middle|begin", TAC_ANY, 0},
};

const TacClass tac_linear_velocity_class = {
    .name = "LinearVelocity",
    .kind = TAC_KIND_CONSTRAINT,
    .doc = "Points or frames whose velocity is told, linear between keys.",
    .size = sizeof(LinearVelocity),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.constraint = &ops,
};
