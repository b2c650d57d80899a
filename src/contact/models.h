// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Collision models: the shapes with which matter touches other things. Loose and safe contact share them.
//
//     Shape   a convex body on each frame            (loose, and safe by its surface: shape_surface.h)
//     Balls   a ball on each point or frame          (loose and safe)
//     Skin    triangles, edges and vertices of the nearest topology      (safe; loose with other skins)
//
// A model says where its matter is solid, of what material it is, and whom it may touch: models touch when each
// one's mask has the other's group, and no ContactPair keeps them apart. A model never moves anything.

#ifndef TACTUS_CONTACT_MODELS_H
#define TACTUS_CONTACT_MODELS_H

#include "contact/materials.h"
#include "tactus/convex.h"

enum { TAC_CONTACT_GROUPS = 64 };

// m. Radii are kept as floats, and two of them added up.
#define TAC_LARGEST_RADIUS 1e38

// The head of every collision model.
typedef struct TacCollision {
    TacComponent base;
    TacMatter *matter;
    TacContactMaterial *material; // NULL: all defaults
    int64_t group;
    TacInts groups; // as written; empty: all
    bool self;
    // made by init
    uint64_t mask; // bit g: it touches group g
} TacCollision;

typedef struct TacShapeModel {
    TacCollision collision;
    int kind; // TacConvexKind
    TacVec3 size, position, rotation;
    double radius, height, rounding;
    TacInts frames; // which ones; empty: all
    // made by init
    TacConvex convex;
    TacPolyhedron *polyhedron;
    TacQuat turn;
    uint32_t *frame; // of each element
    size_t count;
} TacShapeModel;

typedef struct TacBallsModel {
    TacCollision collision;
    TacReals radius;
    // made by init
    double *radii; // one for each point, the material's thickness included: what loose contact takes as solid
    double
        *solid; // the same without it: in safe contact layers begin at the thickness outside of what is solid
    double largest;
} TacBallsModel;

// Vertices, edges and faces of the nearest topology.
typedef struct TacSkin {
    TacCollision head;
    double radius;
    // made by init
    uint32_t *vertices; // points of the matter that take part
    size_t vertex_count;
    int32_t *edges;       // indices into vertices; while the world is made
    const int32_t *faces; // likewise; those of the topology where they are the same
    size_t edge_count, face_count;
    uint8_t *bare; // per edge: no face has it; likewise
} TacSkin;

// Refuses a radius, the attribute `name`, that is larger.
TacStatus tac_collision_check_radius(TacSetup *setup, const char *name, double radius, TacError *error);

// Whoever needs its edges has them.
void tac_skin_forget_edges(TacSkin *skin);

extern const TacClass tac_shape_model_class, tac_balls_model_class, tac_skin_class;

// Attributes that all collision models have; put them first.
#define TAC_COLLISION_ATTRIBUTES(Type, head)                                                                 \
    TAC_MATTER_ATTRIBUTE(Type, head.matter),                                                                 \
        {.name = "material",                                                                                 \
         .type = TAC_LINK,                                                                                   \
         .offset = offsetof(Type, head.material),                                                            \
         .unit = "",                                                                                         \
         .initial = "",                                                                                      \
         .doc = "A ContactMaterial; by default one with all defaults.",                                      \
         .accepts = "setting"},                                                                              \
        {.name = "group",                                                                                    \
         .type = TAC_INT,                                                                                    \
         .offset = offsetof(Type, head.group),                                                               \
         .unit = "1",                                                                                        \
         .initial = "0",                                                                                     \
         .doc = "The group it belongs to, 0 to 63.",                                                         \
         .range = TAC_NOT_NEGATIVE},                                                                         \
        {.name = "mask",                                                                                     \
         .type = TAC_INTS,                                                                                   \
         .offset = offsetof(Type, head.groups),                                                              \
         .unit = "1",                                                                                        \
         .initial = "",                                                                                      \
         .doc = "The groups it touches; by default all. Two models touch when each one's mask has the "      \
                "other's group; its own parts are up to self.",                                              \
         .range = TAC_NOT_NEGATIVE},                                                                         \
    {                                                                                                        \
        .name = "self", .type = TAC_BOOL, .offset = offsetof(Type, head.self), .unit = "",                   \
        .initial = "true", .doc = "Whether its own parts touch each other.", .range = TAC_ANY                \
    }

// Checks the common attributes and fills the mask. The first thing that a model's init does.
TacStatus tac_collision_init(TacCollision *model, TacSetup *setup, TacError *error);

// Whether group and mask let two models touch; or `self` a model its own parts.
static inline bool tac_collision_may_touch(const TacCollision *a, const TacCollision *b) {
    if (a == b) return a->self;
    return (a->mask >> b->group & 1) && (b->mask >> a->group & 1);
}

#endif
