// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Damping: a drag against the velocity of points and frames, f = -c v: the same for all, by direction, or for
// each number of each velocity (SOFA's UniformVelocityDampingForceField and DiagonalVelocityDampingForceField).

#include "base/memory.h"
#include "law/laws.h"

enum { GRAIN = 8192, MOST_NUMBERS = 6 };

typedef struct Damping {
    TacLaw law;
    TacReals given;
    bool explicitly;
    size_t period; // numbers after which coefficients repeat
} Damping;

typedef struct Call {
    const Damping *self;
    const double *v;
    double *f, factor;
} Call;

static void drag(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const double *each = c->self->given.data;
    size_t period = c->self->period;
    for (size_t i = begin; i < end; i++) c->f[i] -= c->factor * each[i % period] * c->v[i];
}

static void drag_all(const Damping *self, const TacContext *context, const TacLawVectors *vectors, double b) {
    const TacMatter *matter = self->law.matter[0];
    Call call = {self, vectors->v[0], vectors->f[0], b};
    tac_team_run(context->team, matter->count * (size_t)matter->velocity_size, GRAIN, drag, &call);
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    drag_all(data, context, vectors, 1);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)k;
    const Damping *self = data;
    if (b != 0 && !self->explicitly) drag_all(self, context, vectors, b);
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)k;
    const Damping *self = data;
    if (b == 0 || self->explicitly) return;
    size_t n = (size_t)self->law.matter[0]->velocity_size;
    for (size_t p = 0; p < self->law.matter[0]->count; p++) {
        double block[MOST_NUMBERS * MOST_NUMBERS] = {0};
        for (size_t i = 0; i < n; i++) block[n * i + i] = -b * self->given.data[(n * p + i) % self->period];
        tac_matrix_add(matrix, 0, p, 0, p, block);
    }
}

// The milieu does not move.
static void add_steepest(void *data, const TacSteepness *sums) {
    const Damping *self = data;
    size_t n = (size_t)self->law.matter[0]->velocity_size;
    for (size_t p = 0; p < self->law.matter[0]->count; p++) {
        double most = 0;
        for (size_t i = 0; i < n; i++) most = fmax(most, self->given.data[(n * p + i) % self->period]);
        sums->z[0][p] += most;
    }
}

static const TacLawOps ops = {
    .force = force, .force_change = force_change, .stiffness = add_blocks, .steepest = add_steepest};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Damping *self = data;
    const TacMatter *matter = self->law.matter[0];
    size_t n = (size_t)matter->velocity_size, all = n * matter->count;
    self->period = self->given.count;
    if (self->period == 1 || self->period == n || self->period == all) return TAC_OK;
    return tac_setup_fail(setup, error, "coefficient",
                          "coefficient has %zu numbers; 1, %zu (by direction) or %zu (for each point) were "
                          "expected",
                          self->period, n, all);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(Damping, law),
    {"coefficient", TAC_REALS, offsetof(Damping, given), "N s/m", "0.1",
     "One for everything, one for each number of a velocity (N m s for turning), or those for each point.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"explicitly", TAC_BOOL, offsetof(Damping, explicitly), "", "false",
     "Whether implicit solvers treat it as a force that does not change within the step.", NULL, TAC_ANY, 0},
};

const TacClass tac_damping_class = {
    .name = "Damping",
    .kind = TAC_KIND_LAW,
    .doc = "A drag against velocity: f = -c v.",
    .size = sizeof(Damping),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.law = &ops,
};
