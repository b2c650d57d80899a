// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SubsetMap: point i of the child is the i-th of some listed points of the parent. A point may be listed
// more than once; its forces then add up in the order of the list.

#include "base/memory.h"
#include "map/maps.h"
#include "map/setup.h"

typedef struct SubsetMap {
    TacMap map;
    TacInts points;
} SubsetMap;

// child = the listed points of parent, `each` numbers per point
static void pick(const SubsetMap *self, size_t each, const double *parent, double *child) {
    for (size_t i = 0; i < self->points.count; i++)
        memcpy(child + each * i, parent + each * (size_t)self->points.data[i], each * sizeof(double));
}

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    (void)context;
    const SubsetMap *self = data;
    pick(self, (size_t)self->map.child->position_size, parent, child);
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v) {
    (void)context;
    (void)px;
    (void)cx;
    const SubsetMap *self = data;
    pick(self, (size_t)self->map.child->velocity_size, parent_v, child_v);
}

static void force(void *data, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f) {
    (void)context;
    (void)px;
    (void)cx;
    const SubsetMap *self = data;
    size_t each = (size_t)self->map.child->velocity_size;
    for (size_t i = 0; i < self->points.count; i++) {
        double *f = parent_f + each * (size_t)self->points.data[i];
        for (size_t k = 0; k < each; k++) f[k] += child_f[each * i + k];
    }
}

static bool jacobian(void *data, const double *px, const double *cx, size_t point, size_t k, size_t *parent,
                     double *block) {
    (void)px;
    (void)cx;
    const SubsetMap *self = data;
    *parent = (size_t)self->points.data[point];
    tac_map_scaled_identity(&self->map, 1, block);
    return k == 0;
}

// J is constant, so there is no force_change.
static const TacMapOps ops = {
    .position = position, .velocity = velocity, .force = force, .jacobian = jacobian};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    SubsetMap *self = data;
    TAC_TRY(tac_map_check_same_kind(&self->map, setup, error));
    if (self->points.count != self->map.child->count)
        return tac_setup_fail(setup, error, "points", "points has %zu numbers; %s has %zu points",
                              self->points.count, self->map.child->base.path, self->map.child->count);
    TAC_TRY(tac_map_check_points(setup, "points", self->points, self->map.parent, error));
    self->map.faithful = true;
    tac_map_place_child(&self->map);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MAP_ATTRIBUTES(SubsetMap, map),
    {"points", TAC_INTS, offsetof(SubsetMap, points), "1", NULL,
     "The parent's points that the child's points are, one for each.", NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_subset_map_class = {
    .name = "SubsetMap",
    .kind = TAC_KIND_MAP,
    .doc = "Matter that is a part of its parent: some of its points or frames.",
    .size = sizeof(SubsetMap),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.map = &ops,
};
