// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Oscillator: points that swing about a mean place, x = mean + amplitude sin(omega t + phase) (SOFA's
// OscillatorProjectiveConstraint). A kick gives them the velocity that leads from where they are to where
// they must be at the end of the step, so rounding never adds up. SOFA itself has them where they should have
// been at the beginning of the step; `lagging` does as it does.

#include "base/memory.h"
#include "constraint/constraints.h"
#include "constraint/selection.h"

typedef struct Oscillator {
    TacConstraint constraint;
    TacSelection selection;
    TacReals mean, amplitude, pulsation, phase;
    bool lagging;
    double *start; // where they are without a mean given
} Oscillator;

static double pick(TacReals list, size_t each, size_t i, size_t k) {
    return list.data[list.count == each ? k : each * i + k];
}

static double target_of(const Oscillator *self, double time, size_t i, size_t k) {
    size_t each = (size_t)self->constraint.matter->position_size;
    double mean = self->mean.count ? pick(self->mean, each, i, k) : self->start[each * i + k];
    double angle = pick(self->pulsation, 1, i, 0) * time + pick(self->phase, 1, i, 0);
    return mean + pick(self->amplitude, each, i, k) * sin(angle);
}

static void prescribe(void *data, const TacContext *context, const double *x, const double *v, double *dv) {
    const Oscillator *self = data;
    size_t each = (size_t)self->constraint.matter->position_size;
    double time = context->time + (self->lagging ? 0 : context->step);
    for (size_t i = 0; i < self->selection.count; i++) {
        size_t first = each * (size_t)self->selection.list[i];
        for (size_t k = 0; k < each; k++)
            dv[first + k] = (target_of(self, time, i, k) - x[first + k]) / context->step - v[first + k];
    }
}

static void project(void *data, const TacContext *context, double *d) {
    (void)context;
    const Oscillator *self = data;
    size_t each = (size_t)self->constraint.matter->velocity_size;
    for (size_t i = 0; i < self->selection.count; i++)
        memset(d + each * (size_t)self->selection.list[i], 0, each * sizeof(double));
}

static const TacConstraintOps ops = {.project = project, .prescribe = prescribe};

static TacStatus check_list(const Oscillator *self, TacSetup *setup, const char *name, TacReals list,
                            size_t each, TacError *error) {
    size_t n = self->selection.count;
    if (list.count == each || list.count == each * n) return TAC_OK;
    return tac_setup_fail(setup, error, name,
                          "%s has %zu numbers; %zu for all points, or for each of %zu, were "
                          "expected",
                          name, list.count, each, n);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Oscillator *self = data;
    TacMatter *matter = self->constraint.matter;
    size_t each = (size_t)matter->position_size;
    TAC_TRY(tac_selection_find(&self->selection, setup, matter, true, error));
    size_t n = self->selection.count;
    if (self->mean.count) TAC_TRY(check_list(self, setup, "mean", self->mean, each, error));
    TAC_TRY(check_list(self, setup, "amplitude", self->amplitude, each, error));
    TAC_TRY(check_list(self, setup, "pulsation", self->pulsation, 1, error));
    TAC_TRY(check_list(self, setup, "phase", self->phase, 1, error));
    self->start = tac_setup_alloc(setup, each * n, sizeof(double));
    if (!self->start) return tac_fail_memory(error, each * n * sizeof(double));
    TAC_TRY(tac_selection_hold(&self->selection, setup, matter, TAC_HELD_ALL, error));

    // where they are and how fast at 0 s
    for (size_t i = 0; i < n; i++) {
        double *x = matter->vectors[TAC_X] + each * (size_t)self->selection.list[i];
        double *v = matter->vectors[TAC_V] + each * (size_t)self->selection.list[i];
        double omega = pick(self->pulsation, 1, i, 0), phase = pick(self->phase, 1, i, 0);
        memcpy(self->start + each * i, x, each * sizeof(double));
        for (size_t k = 0; k < each; k++) {
            x[k] = target_of(self, 0, i, k);
            v[k] = pick(self->amplitude, each, i, k) * omega * cos(phase);
        }
    }
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(Oscillator, constraint.matter),
    TAC_SELECTION_ATTRIBUTES(Oscillator, selection, "; by default all."),
    {"mean", TAC_REALS, offsetof(Oscillator, mean), "m", "",
     "The middle of the motion: a place for all, or one each; by default where the scene has the points.",
     NULL, TAC_ANY, 0},
    {"amplitude", TAC_REALS, offsetof(Oscillator, amplitude), "m", NULL,
     "How far they swing, and which way: a vector for all, or one each.", NULL, TAC_ANY, 0},
    {"pulsation", TAC_REALS, offsetof(Oscillator, pulsation), "rad/s", "6.283185307179586",
     "One for all, or one each; 2 pi is once a second.", NULL, TAC_ANY, 0},
    {"phase", TAC_REALS, offsetof(Oscillator, phase), "rad", "0", "One for all, or one each.", NULL, TAC_ANY,
     0},
    {"lagging", TAC_BOOL, offsetof(Oscillator, lagging), "", "false",
     "Has them, after a step, where they should have been before it, as SOFA does.", NULL, TAC_ANY, 0},
};

const TacClass tac_oscillator_class = {
    .name = "Oscillator",
    .kind = TAC_KIND_CONSTRAINT,
    .doc = "Points that swing: x = mean + amplitude sin(pulsation t + phase).",
    .size = sizeof(Oscillator),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC1 | 1u << TAC_VEC2 | 1u << TAC_VEC3,
    .init = init,
    .ops.constraint = &ops,
};
