// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Contour: the surface of an agglomerate of balls, as triangles, made anew whenever somebody looks (geometry/contour.h).
//
// Its child is room for triangles that share no points (Shards); those that are not needed lie collapsed on the
// first ball. Which points belong to which balls changes from moment to moment, so the contour has no velocity, and
// laws cannot push it: it is for the eye, for exports and for whoever reads positions.

#include "base/memory.h"
#include "geometry/contour.h"
#include "map/maps.h"
#include "map/setup.h"

enum { MOST_BLOCKS = 20000 }; // 120 MB, unless more are asked for

typedef struct ContourMap {
    TacMap map;
    double radius, reach, cell;
    int64_t blocks;
    TacContour contour;
} ContourMap;

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    (void)context;
    ContourMap *self = data;
    size_t most = self->map.child->count / 3;
    size_t count = tac_contour_triangles(&self->contour, parent, self->map.parent->count, child, most);
    for (size_t i = 9 * count; i < 3 * self->map.child->count; i++) child[i] = parent[i % 3];
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v) {
    (void)context;
    (void)px;
    (void)cx;
    (void)parent_v;
    const ContourMap *self = data;
    memset(child_v, 0, 3 * self->map.child->count * sizeof *child_v);
}

static void force(void *data, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f) {
    (void)data;
    (void)context;
    (void)px;
    (void)cx;
    (void)child_f;
    (void)parent_f;
}

static const TacMapOps ops = {.position = position, .velocity = velocity, .force = force};

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    ContourMap *self = data;
    TAC_TRY(tac_map_check_same_kind(&self->map, setup, error));
    if (self->map.child->count % 3)
        return tac_setup_fail(setup, error, NULL,
                              "%s has %zu points, not three for each triangle: make it from a "
                              "Shards",
                              self->map.child->base.path, self->map.child->count);
    if (isnan(self->reach)) self->reach = 2 * self->radius;
    if (isnan(self->cell)) self->cell = 0.25 * self->radius;
    if (!(self->reach > self->radius))
        return tac_setup_fail(setup, error, "reach", "the reach must be larger than the radius, %g m",
                              self->radius);
    if (self->reach > 64 * self->cell)
        return tac_setup_fail(setup, error, "cell", "cells of %g m are too small for a reach of %g m",
                              self->cell, self->reach);
    // a ball reaches into so many blocks along each axis
    double across = 2 * self->reach / (TAC_CONTOUR_CELLS * self->cell) + 2;
    double most = fmin(across * across * across * (double)self->map.parent->count, MOST_BLOCKS);
    size_t blocks = self->blocks ? (size_t)self->blocks : (size_t)most;
    size_t bytes = tac_contour_bytes(blocks);
    void *memory = blocks > 10000000 ? NULL : tac_setup_alloc(setup, bytes, 1);
    if (!memory) return tac_fail_memory(error, bytes);
    tac_contour_start(&self->contour, self->radius, self->reach, self->cell, blocks, memory);
    self->map.shown_only = true;
    tac_map_place_child(&self->map);
    if (self->contour.lost)
        tac_setup_warn(setup, NULL, "%zu triangles or blocks have no room: more Shards, or larger cells",
                       self->contour.lost);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MAP_ATTRIBUTES(ContourMap, map),
    {"radius", TAC_REAL, offsetof(ContourMap, radius), "m", NULL,
     "Of the surface around a ball that is alone.", NULL, TAC_POSITIVE, 0},
    {"reach", TAC_REAL, offsetof(ContourMap, reach), "m", "",
     "How far a ball is felt: the larger, the rounder the joints; by default twice the radius.", NULL,
     TAC_POSITIVE, 0},
    {"cell", TAC_REAL, offsetof(ContourMap, cell), "m", "",
     "Size of the cells that the surface is looked for in; by default a quarter of the radius, which keeps "
     "within a tenth of it of the level.",
     NULL, TAC_POSITIVE, 0},
    {"blocks", TAC_INT, offsetof(ContourMap, blocks), "1", "0",
     "Room for so many blocks of 512 cells, 6 kB each; 0: as many as the balls could need, a million at "
     "most.",
     NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_contour_class = {
    .name = "Contour",
    .kind = TAC_KIND_MAP,
    .doc = "The surface of balls, the zero level of their interaction with the outside, as triangles that "
           "are made anew "
           "whenever somebody looks.",
    .size = sizeof(ContourMap),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .ops.map = &ops,
};
