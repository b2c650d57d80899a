// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A map of one's own, as a plugin: each child point stands at a fixed offset from its parent point, scaled.
//
//     child = scale * parent + offset,  so  J = scale  and forces come back times scale

#include <tactus/component.h>

typedef struct OffsetMap {
    TacMap map;
    TacVec3 offset;
    double scale;
} OffsetMap;

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    (void)context;
    const OffsetMap *self = data;
    for (size_t i = 0; i < self->map.child->count; i++)
        tac_store3(child + 3 * i, tac_axpy(self->offset, self->scale, tac_load3(parent + 3 * i)));
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *pv, double *cv) {
    (void)context;
    (void)px;
    (void)cx;
    const OffsetMap *self = data;
    for (size_t i = 0; i < 3 * self->map.child->count; i++) cv[i] = self->scale * pv[i];
}

static void force(void *data, const TacContext *context, const double *px, const double *cx, const double *cf,
                  double *pf) {
    (void)context;
    (void)px;
    (void)cx;
    const OffsetMap *self = data;
    for (size_t i = 0; i < 3 * self->map.child->count; i++) pf[i] += self->scale * cf[i];
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    OffsetMap *self = data;
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    if (parent->kind != TAC_VEC3 || child->kind != TAC_VEC3 || parent->count != child->count)
        return tac_setup_fail(setup, error, NULL, "parent and child need the same number of points");
    position(self, NULL, parent->vectors[TAC_X], child->vectors[TAC_X]);
    return TAC_OK;
}

static const TacMapOps ops = {.position = position, .velocity = velocity, .force = force};

static const TacAttribute attributes[] = {
    TAC_MAP_ATTRIBUTES(OffsetMap, map),
    {"offset", TAC_VECTOR, offsetof(OffsetMap, offset), "m", "0 0 0", "From parent to child.", NULL, TAC_ANY,
     0},
    {"scale", TAC_REAL, offsetof(OffsetMap, scale), "1", "1", "Of the parent's position.", NULL, TAC_ANY, 0},
};

static const TacClass offset_map = {
    .name = "OffsetMap",
    .kind = TAC_KIND_MAP,
    .doc = "Child points at a fixed offset from their parents.",
    .size = sizeof(OffsetMap),
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
    .init = init,
    .ops.map = &ops,
};

static const TacClass *const classes[] = {&offset_map};

TAC_API const TacPlugin tac_plugin = {TAC_COMPONENT_ABI, "offset_map", classes, 1};
