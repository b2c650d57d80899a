// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// With what matter touches: collision models, what they are made of, and how contact is computed.

#ifndef TACTUS_CONTACT_MODELS_H
#define TACTUS_CONTACT_MODELS_H

#include "matter/matter.h"

typedef struct TacContactMaterial {
    TacComponent base;
    double thickness, friction, restitution;
} TacContactMaterial;

typedef enum TacContactMethod { TAC_CONTACT_NONE, TAC_CONTACT_LOOSE, TAC_CONTACT_SAFE } TacContactMethod;

typedef struct TacContactSetting {
    TacComponent base;
    int method; // TacContactMethod
    double thickness, friction, restitution, speed;
    int64_t k;
    double vagueness;
    bool cone, cull;
    int64_t finer; // classes, of laws on points that can collide
} TacContactSetting;

// The head of every collision model.
typedef struct TacCollision {
    TacComponent base;
    TacMatter *matter;
    TacContactMaterial *material; // NULL: the world's
    int64_t group, mask;
    bool self;
} TacCollision;

// Vertices, edges and faces of the nearest topology, or balls.
typedef struct TacSkin {
    TacCollision head;
    double radius;
    bool balls;
    // made by init
    uint32_t *vertices; // points of the matter that take part
    size_t vertex_count;
    int32_t *edges, *faces; // indices into vertices
    size_t edge_count, face_count;
    uint8_t *bare;
    double *radii;
} TacSkin;

extern const TacClass tac_contact_class, tac_contact_material_class, tac_skin_class;

#endif
