// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// IdentityMap: point i of the child is point i of the parent. It lets one matter play several parts: the
// same points with another mesh, other laws, another look.

#include "base/memory.h"
#include "map/maps.h"
#include "map/setup.h"
#include "matter/matter.h"

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    (void)context;
    const TacMap *self = data;
    memcpy(child, parent, tac_vector_size(self->child, TAC_X) * sizeof(double));
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v) {
    (void)context;
    (void)px;
    (void)cx;
    const TacMap *self = data;
    memcpy(child_v, parent_v, tac_vector_size(self->child, TAC_V) * sizeof(double));
}

static void force(void *data, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f) {
    (void)context;
    (void)px;
    (void)cx;
    const TacMap *self = data;
    size_t n = tac_vector_size(self->child, TAC_F);
    for (size_t i = 0; i < n; i++) parent_f[i] += child_f[i];
}

static bool jacobian(void *data, const double *px, const double *cx, size_t point, size_t k, size_t *parent,
                     double *block) {
    (void)px;
    (void)cx;
    const TacMap *self = data;
    *parent = point;
    tac_map_scaled_identity(self, 1, block);
    return k == 0;
}

// J is constant, so there is no force_change.
static const TacMapOps ops = {
    .position = position, .velocity = velocity, .force = force, .jacobian = jacobian};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    TacMap *self = data;
    TAC_TRY(tac_map_check_same_kind(self, setup, error));
    if (self->child->count != self->parent->count)
        return tac_setup_fail(setup, error, NULL, "%s has %zu points but %s, which it follows, has %zu",
                              self->child->base.path, self->child->count, self->parent->base.path,
                              self->parent->count);
    self->faithful = true;
    tac_map_place_child(self);
    return TAC_OK;
}

typedef struct IdentityMap {
    TacMap map;
} IdentityMap;

static const TacAttribute attributes[] = {TAC_MAP_ATTRIBUTES(IdentityMap, map)};

const TacClass tac_identity_map_class = {
    .name = "IdentityMap",
    .kind = TAC_KIND_MAP,
    .doc = "Matter that is the same as its parent, point for point: other laws, meshes or looks on it.",
    .size = sizeof(IdentityMap),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.map = &ops,
};
