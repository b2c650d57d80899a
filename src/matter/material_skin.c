// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// MaterialSkin: the points and links of an elastic skin around an agglomerate ("Balls, bubbles and agglomerates", section
// V, figure 16: an epiderm "composed of visco-elastic Mass-Liaison bipole elements", which holds the object together like
// a membrane and, being its border, is its contour).
//
// It is a mesh that is drawn tight around the balls where they start (geometry/wrap.h), and nothing more: Points and a mass
// make it matter, Springs make it elastic, Liaisons between it and the balls keep those inside. For surface tension its
// points are at rest where the skin would be smaller: Points take `rest`.

#include "base/memory.h"
#include "geometry/wrap.h"
#include "matter/topology.h"

typedef struct MaterialSkin {
    TacTopology topology;
    TacMatter *around;
    double distance, spacing, tension;
    bool flat;
    TacReals points, rest; // outputs
    TacInts edges, triangles;
} MaterialSkin;

// The same skin, smaller about its middle.
static TacStatus make_rest(MaterialSkin *self, TacSetup *setup, TacError *error) {
    const TacMesh *mesh = &self->topology.mesh;
    size_t n = mesh->point_count;
    double middle[3] = {0, 0, 0}, *rest = tac_setup_alloc(setup, 3 * n, sizeof *rest);
    if (!rest) return tac_fail_memory(error, 3 * n * sizeof *rest);
    for (size_t i = 0; i < 3 * n; i++) middle[i % 3] += mesh->points[i] / (double)n;
    for (size_t i = 0; i < 3 * n; i++)
        rest[i] = middle[i % 3] + (1 - self->tension) * (mesh->points[i] - middle[i % 3]);
    self->rest = (TacReals){rest, 3 * n};
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    MaterialSkin *self = data;
    if (self->around->position_size != 3)
        return tac_setup_fail(setup, error, "around", "%s is not points in space", self->around->base.path);
    if (!self->around->count || !self->around->vectors[TAC_X])
        return tac_setup_fail(setup, error, "around", "%s must stand before the skin around it",
                              self->around->base.path);
    if (isnan(self->spacing)) self->spacing = 0.5 * self->distance;
    TacWrapDef def = {.balls = self->around->vectors[TAC_X],
                      .count = self->around->count,
                      .distance = self->distance,
                      .spacing = self->spacing,
                      .flat = self->flat};
    TacError why = {0};
    TacMesh *mesh = &self->topology.mesh;
    TacStatus status = tac_wrap(mesh, &def, &why);
    if (status == TAC_BAD_INPUT) return tac_setup_fail(setup, error, NULL, "%s", why.message);
    if (status != TAC_OK && error) *error = why;
    if (status != TAC_OK) return status;
    self->points = (TacReals){mesh->points, 3 * mesh->point_count};
    self->edges = (TacInts){mesh->elements[TAC_EDGES].indices, 2 * mesh->elements[TAC_EDGES].count};
    self->triangles =
        (TacInts){mesh->elements[TAC_TRIANGLES].indices, 3 * mesh->elements[TAC_TRIANGLES].count};
    return make_rest(self, setup, error);
}

static void finish(void *data) {
    MaterialSkin *self = data;
    tac_mesh_destroy(&self->topology.mesh);
}

static const TacAttribute attributes[] = {
    {"around", TAC_LINK, offsetof(MaterialSkin, around), "", NULL,
     "The balls that it is drawn around, where they start; they stand before it.", "matter", TAC_ANY, 0},
    {"distance", TAC_REAL, offsetof(MaterialSkin, distance), "m", NULL,
     "Of its points from the middle of the nearest ball, at least: the reach of the law that keeps balls "
     "inside.",
     NULL, TAC_POSITIVE, 0},
    {"spacing", TAC_REAL, offsetof(MaterialSkin, spacing), "m", "",
     "Its edges are about as long, or shorter; at most the distance, by default half of it.", NULL,
     TAC_POSITIVE, 0},
    {"tension", TAC_REAL, offsetof(MaterialSkin, tension), "1", "0",
     "By how much of itself the skin would be smaller at rest; for Points, by rest=\"@skin.rest\".", NULL,
     TAC_FRACTION, 0},
    {"flat", TAC_BOOL, offsetof(MaterialSkin, flat), "", "false",
     "A closed line in the plane z = 0, around discs.", NULL, TAC_ANY, 0},
    {"points", TAC_REALS, offsetof(MaterialSkin, points), "m", "", "Its points, three numbers each.", NULL,
     TAC_ANY, TAC_OUTPUT},
    {"rest", TAC_REALS, offsetof(MaterialSkin, rest), "m", "", "Where its points would be without tension.",
     NULL, TAC_ANY, TAC_OUTPUT},
    {"edges", TAC_INTS, offsetof(MaterialSkin, edges), "1", "", "Its edges, where it is flat.", NULL, TAC_ANY,
     TAC_OUTPUT},
    {"triangles", TAC_INTS, offsetof(MaterialSkin, triangles), "1", "", "Its triangles, outward.", NULL,
     TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_material_skin_class = {
    .name = "MaterialSkin",
    .kind = TAC_KIND_TOPOLOGY,
    .doc = "An elastic skin's points and links, drawn tight around an agglomerate: with Springs it holds the "
           "balls "
           "together like a membrane, and is their contour.",
    .size = sizeof(MaterialSkin),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .finish = finish,
};
