// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// ConstantForce: a force that depends on nothing, on some or all points. Frames take a torque as well, in
// world axes. Its potential is -f.x; a torque on a frame in space has none and counts as work from outside.

#include "base/memory.h"
#include "law/laws.h"
#include "law/setup.h"

typedef struct ConstantForce {
    TacLaw law;
    TacInts points;
    TacReals box, force, total;
    size_t count;
    int32_t *list; // the pushed points; NULL: all
    double *each;  // velocity_size numbers for each pushed point
} ConstantForce;

static size_t pushed_point(const ConstantForce *self, size_t i) {
    return self->list ? (size_t)self->list[i] : i;
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const ConstantForce *self = data;
    size_t n = (size_t)self->law.matter[0]->velocity_size;
    for (size_t i = 0; i < self->count; i++) {
        double *f = vectors->f[0] + n * pushed_point(self, i);
        for (size_t k = 0; k < n; k++) f[k] += self->each[n * i + k];
    }
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const ConstantForce *self = data;
    const TacMatter *matter = self->law.matter[0];
    size_t px = (size_t)matter->position_size, n = (size_t)matter->velocity_size;
    // all numbers of a point but the quaternion of a frame in space
    size_t with_potential = matter->kind == TAC_RIGID3 ? 3 : n;
    double sum = 0;
    for (size_t i = 0; i < self->count; i++) {
        const double *x = vectors->x[0] + px * pushed_point(self, i);
        for (size_t k = 0; k < with_potential; k++) sum -= self->each[n * i + k] * x[k];
    }
    return sum;
}

// The change of a force that depends on nothing is zero, so there is no force_change.
static const TacLawOps ops = {.force = force, .energy = energy};

static TacVec3 rest_place(const TacMatter *matter, size_t point) {
    const double *x = matter->vectors[TAC_X_REST] + point * (size_t)matter->position_size;
    bool solid = matter->kind == TAC_VEC3 || matter->kind == TAC_RIGID3;
    return tac_vec3(x[0], matter->position_size > 1 ? x[1] : 0, solid ? x[2] : 0);
}

static bool in_boxes(const ConstantForce *self, TacVec3 place) {
    for (size_t i = 0; i + 6 <= self->box.count; i += 6) {
        const double *b = self->box.data + i;
        if (place.x >= b[0] && place.y >= b[1] && place.z >= b[2] && place.x <= b[3] && place.y <= b[4] &&
            place.z <= b[5])
            return true;
    }
    return false;
}

static bool is_listed(const ConstantForce *self, size_t point) {
    for (size_t i = 0; i < self->points.count; i++)
        if ((size_t)self->points.data[i] == point) return true;
    return false;
}

static TacStatus take_points(ConstantForce *self, TacSetup *setup, TacError *error) {
    const TacMatter *matter = self->law.matter[0];
    size_t points = matter->count;
    if (tac_setup_given(setup, "points") && !self->points.count)
        return tac_setup_fail(setup, error, "points", "points is empty; leave it out to push all of them");
    if (self->box.count % 6)
        return tac_setup_fail(setup, error, "box", "box has %zu numbers; 6 for each box were expected",
                              self->box.count);
    self->count = points;
    if (!self->points.count && !self->box.count) return TAC_OK;
    self->list = tac_setup_alloc(setup, self->points.count + points, sizeof *self->list);
    if (!self->list) return tac_fail_memory(error, points * sizeof *self->list);
    self->count = 0;
    for (size_t i = 0; i < self->points.count; i++) {
        if (self->points.data[i] < 0 || (size_t)self->points.data[i] >= points)
            return tac_setup_fail(setup, error, "points",
                                  "there is no point %d; the matter has points 0 to %zu",
                                  self->points.data[i], points - 1);
        self->list[self->count++] = self->points.data[i];
    }
    for (size_t i = 0; self->box.count && i < points; i++)
        if (in_boxes(self, rest_place(matter, i)) && !is_listed(self, i))
            self->list[self->count++] = (int32_t)i;
    if (!self->count) return tac_setup_fail(setup, error, "box", "no point is in the box at rest");
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    ConstantForce *self = data;
    size_t n = (size_t)self->law.matter[0]->velocity_size;
    bool by_total = tac_setup_given(setup, "total");
    if (by_total == tac_setup_given(setup, "force"))
        return tac_setup_fail(setup, error, NULL,
                              "needs either force (on each point) or total (on all together)");
    TAC_TRY(take_points(self, setup, error));

    TacReals given = by_total ? self->total : self->force;
    bool fits = given.count == n || (!by_total && given.count == n * self->count);
    if (!fits && by_total)
        return tac_setup_fail(setup, error, "total", "total has %zu numbers; %zu were expected", given.count,
                              n);
    if (!fits)
        return tac_setup_fail(setup, error, "force",
                              "force has %zu numbers; %zu for all points, or for each of %zu, were expected",
                              given.count, n, self->count);
    self->each = tac_setup_alloc(setup, n * self->count, sizeof(double));
    if (!self->each) return tac_fail_memory(error, n * self->count * sizeof(double));
    double share = by_total ? 1 / (double)self->count : 1;
    for (size_t i = 0; i < n * self->count; i++)
        self->each[i] = share * given.data[given.count == n ? i % n : i];
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(ConstantForce, law),
    {"points", TAC_INTS, offsetof(ConstantForce, points), "1", "", "Those that are pushed; by default all.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"box", TAC_REALS, offsetof(ConstantForce, box), "m", "",
     "Low and high corner, 6 numbers for each box: adds the points that are inside at rest.", NULL, TAC_ANY,
     0},
    {"force", TAC_REALS, offsetof(ConstantForce, force), "N", "",
     "One vector for all pushed points, or one each; frames take force and torque (N m).", NULL, TAC_ANY, 0},
    {"total", TAC_REALS, offsetof(ConstantForce, total), "N", "",
     "Instead of force: one vector, spread evenly over the pushed points.", NULL, TAC_ANY, 0},
};

const TacClass tac_constant_force_class = {
    .name = "ConstantForce",
    .kind = TAC_KIND_LAW,
    .doc = "A force that does not change, on some or all points or frames.",
    .size = sizeof(ConstantForce),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.law = &ops,
};
