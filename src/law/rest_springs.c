// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// RestSprings: points and frames pulled to where they are at rest, or to points of another matter (SOFA's
// RestShapeSpringsForceField). Springs have no length at rest:
//
//     f = -k (x - x0)      torque = -k_a theta, with theta the rotation vector from the target's orientation
//
// in some directions only, where asked. The torque is the exact gradient of 1/2 k_a |theta|^2; its stiffness
// is taken as -k_a, as SOFA does, which is exact where theta is 0. By default the other matter is only looked
// at and feels nothing: the springs then belong to the solver of the first.

#include "base/memory.h"
#include "law/laws.h"
#include "law/setup.h"

enum { GRAIN = 4096, MOST_NUMBERS = 6 };

typedef struct RestSprings {
    TacLaw law;
    TacInts points, targets;
    TacReals given_stiffness, given_angular, given_active;
    bool reaction;
    size_t count, places;
    double *stiffness; // velocity_size numbers for each spring; 0 where not active
} RestSprings;

typedef struct Call {
    const RestSprings *self;
    const TacLawVectors *vectors;
    const double *x0, *v0; // of targets; v0 is NULL where the change of the other matter does not matter
    double *f0;            // NULL: targets feel nothing
    double factor;
    bool changes;
} Call;

static size_t point_of(const RestSprings *self, size_t i) {
    return self->points.count ? (size_t)self->points.data[i] : i;
}

static size_t target_of(const RestSprings *self, size_t i) {
    return self->targets.count                          ? (size_t)self->targets.data[i]
           : self->law.matter[1] && !self->points.count ? i
                                                        : point_of(self, i);
}

// The rotation vector that leads from orientation b to a, by the shortest way.
static TacVec3 turn_between(const double *a, const double *b) {
    TacQuat q = tac_quat_unit(tac_quat_mul(tac_load_quat(a), tac_quat_conjugate(tac_load_quat(b))));
    double sign = q.w < 0 ? -1 : 1;
    TacVec3 u = tac_scale(tac_vec3(q.x, q.y, q.z), sign);
    double sine = tac_norm(u);
    return tac_scale(u, sine > 1e-8 ? 2 * atan2(sine, sign * q.w) / sine : 2);
}

// How far spring i is from its target: as many numbers as a velocity has.
static void stretch(const RestSprings *self, const double *x, const double *x0, size_t i,
                    double d[MOST_NUMBERS]) {
    const TacMatter *matter = self->law.matter[0];
    size_t px = (size_t)matter->position_size;
    const double *a = x + px * point_of(self, i), *b = x0 + px * target_of(self, i);
    for (size_t k = 0; k < self->places; k++) d[k] = a[k] - b[k];
    if (matter->kind == TAC_RIGID2) d[2] = a[2] - b[2];
    if (matter->kind == TAC_RIGID3) tac_store3(d + 3, turn_between(a + 3, b + 3));
}

static void pull_range(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const RestSprings *self = c->self;
    size_t n = (size_t)self->law.matter[0]->velocity_size;
    for (size_t i = begin; i < end; i++) {
        double d[MOST_NUMBERS];
        size_t point = point_of(self, i), target = target_of(self, i);
        if (c->changes)
            for (size_t k = 0; k < n; k++)
                d[k] = c->vectors->v[0][n * point + k] - (c->v0 ? c->v0[n * target + k] : 0);
        else
            stretch(self, c->vectors->x[0], c->x0, i, d);
        for (size_t k = 0; k < n; k++) {
            double pull = c->factor * self->stiffness[n * i + k] * d[k];
            c->vectors->f[0][n * point + k] -= pull;
            if (c->f0) c->f0[n * target + k] += pull;
        }
    }
}

// Springs that share no point go on several threads.
static void pull_all(Call *call, TacTeam *team) {
    const RestSprings *self = call->self;
    if (self->points.count || call->f0)
        pull_range(call, 0, self->count, 0);
    else
        tac_team_run(team, self->count, GRAIN, pull_range, call);
}

static const double *targets(const RestSprings *self, const TacLawVectors *vectors) {
    return self->law.matter[1] ? vectors->x[1] : self->law.matter[0]->vectors[TAC_X_REST];
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    const RestSprings *self = data;
    Call call = {.self = self, .vectors = vectors, .x0 = targets(self, vectors), .factor = 1};
    if (self->reaction) call.f0 = vectors->f[1];
    pull_all(&call, context->team);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    const RestSprings *self = data;
    Call call = {.self = self, .vectors = vectors, .factor = k, .changes = true};
    if (self->reaction) {
        call.v0 = vectors->v[1];
        call.f0 = vectors->f[1];
    }
    pull_all(&call, context->team);
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const RestSprings *self = data;
    size_t n = (size_t)self->law.matter[0]->velocity_size;
    double sum = 0, d[MOST_NUMBERS];
    for (size_t i = 0; i < self->count; i++) {
        stretch(self, vectors->x[0], targets(self, vectors), i, d);
        for (size_t k = 0; k < n; k++) sum += 0.5 * self->stiffness[n * i + k] * d[k] * d[k];
    }
    return sum;
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)b;
    const RestSprings *self = data;
    size_t n = (size_t)self->law.matter[0]->velocity_size;
    for (size_t i = 0; i < self->count; i++) {
        double on[MOST_NUMBERS * MOST_NUMBERS] = {0}, between[MOST_NUMBERS * MOST_NUMBERS] = {0};
        for (size_t j = 0; j < n; j++) {
            on[n * j + j] = -k * self->stiffness[n * i + j];
            between[n * j + j] = -on[n * j + j];
        }
        size_t point = point_of(self, i), target = target_of(self, i);
        tac_matrix_add(matrix, 0, point, 0, point, on);
        if (!self->reaction) continue;
        tac_matrix_add(matrix, 1, target, 1, target, on);
        tac_matrix_add(matrix, 0, point, 1, target, between);
        tac_matrix_add(matrix, 1, target, 0, point, between);
    }
}

static const TacLawOps ops = {
    .force = force, .force_change = force_change, .energy = energy, .stiffness = add_blocks};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus check_list(TacSetup *setup, const char *name, TacInts list, const TacMatter *matter,
                            TacError *error) {
    for (size_t i = 0; i < list.count; i++)
        if (list.data[i] < 0 || (size_t)list.data[i] >= matter->count)
            return tac_setup_fail(setup, error, name, "there is no point %d; %s has points 0 to %zu",
                                  list.data[i], matter->base.path, matter->count - 1);
    return TAC_OK;
}

static TacStatus check_targets(RestSprings *self, TacSetup *setup, TacError *error) {
    const TacMatter *matter = self->law.matter[0], *other = self->law.matter[1];
    if (self->reaction && !other)
        return tac_setup_fail(setup, error, "reaction", "reaction needs target, which feels it");
    if (other && other->kind != matter->kind)
        return tac_setup_fail(setup, error, "target", "%s is %s but %s is %s", matter->base.path,
                              tac_matter_kind_name(matter->kind), other->base.path,
                              tac_matter_kind_name(other->kind));
    if (tac_setup_given(setup, "points") && !self->points.count)
        return tac_setup_fail(setup, error, "points", "points is empty; leave it out to pull all of them");
    TAC_TRY(check_list(setup, "points", self->points, matter, error));
    TAC_TRY(check_list(setup, "target_points", self->targets, other ? other : matter, error));
    self->count = self->points.count ? self->points.count : matter->count;
    size_t found = self->targets.count            ? self->targets.count
                   : other && !self->points.count ? other->count
                                                  : self->count;
    if (found != self->count)
        return tac_setup_fail(setup, error, "target_points", "%zu points are pulled to %zu targets",
                              self->count, found);
    return self->targets.count ? TAC_OK
                               : check_list(setup, "points", self->points, other ? other : matter, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    RestSprings *self = data;
    const TacMatter *matter = self->law.matter[0];
    size_t n = (size_t)matter->velocity_size;
    self->places = tac_law_place_size(matter->kind);
    TAC_TRY(check_targets(self, setup, error));
    if (self->given_active.count && self->given_active.count != n)
        return tac_setup_fail(setup, error, "active", "active has %zu numbers; %zu were expected",
                              self->given_active.count, n);
    double *straight = tac_setup_alloc(setup, 2 * self->count, sizeof(double)), *turning = straight;
    self->stiffness = tac_setup_alloc(setup, n * self->count, sizeof(double));
    if (!straight || !self->stiffness) return tac_fail_memory(error, n * self->count * sizeof(double));
    turning += self->count;
    TAC_TRY(tac_law_one_or_each(setup, "stiffness", self->given_stiffness, self->count, straight, error));
    TAC_TRY(
        tac_law_one_or_each(setup, "angular_stiffness", self->given_angular, self->count, turning, error));
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < n; k++) {
            bool active = !self->given_active.count || self->given_active.data[k] != 0;
            self->stiffness[n * i + k] = !active ? 0 : k < self->places ? straight[i] : turning[i];
        }
    self->law.watches = self->law.matter[1] && !self->reaction;
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(RestSprings, law),
    {"target", TAC_LINK, offsetof(RestSprings, law.matter[1]), "", "",
     "Pulls to points of this matter, of the same kind; by default to where the points are at rest.",
     "matter", TAC_ANY, 0},
    {"points", TAC_INTS, offsetof(RestSprings, points), "1", "", "Which points are pulled; by default all.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"target_points", TAC_INTS, offsetof(RestSprings, targets), "1", "",
     "To which points each one is pulled; by default to those of the same numbers.", NULL, TAC_NOT_NEGATIVE,
     0},
    {"stiffness", TAC_REALS, offsetof(RestSprings, given_stiffness), "N/m", "100",
     "One for all, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"angular_stiffness", TAC_REALS, offsetof(RestSprings, given_angular), "N m/rad", "100",
     "Of frames, against turning: one for all, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"active", TAC_REALS, offsetof(RestSprings, given_active), "1", "",
     "Directions in which they pull: 1 or 0 for x, y, z, and for frames also for turning about them; by "
     "default all.",
     NULL, TAC_ANY, 0},
    {"reaction", TAC_BOOL, offsetof(RestSprings, reaction), "", "false",
     "Whether the target is pulled, too, by the opposite force.", NULL, TAC_ANY, 0},
};

// The pull of each spring at its point, as shown; torques do not count.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const RestSprings *self = data;
    const TacMatter *m = self->law.matter[0], *other = self->law.matter[1];
    const TacLawVectors shown = {.x = {m->vectors[TAC_X_SHOWN], other ? other->vectors[TAC_X_SHOWN] : NULL}};
    size_t n = (size_t)m->velocity_size;
    float *to = what == TAC_SCALAR_TENSION ? tac_scalar_sheet_of(sheet, m) : NULL;
    for (size_t i = 0; to && i < self->count; i++) {
        double d[MOST_NUMBERS], square = 0;
        stretch(self, shown.x[0], targets(self, &shown), i, d);
        for (size_t k = 0; k < self->places; k++) square += pow(self->stiffness[n * i + k] * d[k], 2);
        tac_scalar_raise(to + point_of(self, i), sqrt(square));
    }
}

const TacClass tac_rest_springs_class = {
    .name = "RestSprings",
    .kind = TAC_KIND_LAW,
    .doc = "Points and frames pulled to where they are at rest, or to points of another matter: f = -k (x - "
           "x0), torque = -k theta.",
    .size = sizeof(RestSprings),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
};
