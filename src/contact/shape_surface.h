// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The surface with which a Shape takes part in safe contact, so that one scene runs loose and safe.
//
// Safe contact knows points, edges and faces with a radius around them. A sphere is a point and a capsule an edge with
// their radius: exact. Boxes and polyhedra are their faces; edges between triangles of one face are left out, as
// nothing can meet them alone. Cylinders and cones have 24 sides, as large in cross-section as the round ones. A
// half-space is a square of two kilometres. What a shape's rounding adds, the radius adds.

#ifndef TACTUS_CONTACT_SHAPE_SURFACE_H
#define TACTUS_CONTACT_SHAPE_SURFACE_H

#include "contact/models.h"

enum { TAC_SHAPE_SIDES = 24 };

typedef struct TacShapeSurface {
    TacVec3 *vertices; // in the frame
    size_t vertex_count;
    int32_t *edges, *faces;
    size_t edge_count, face_count;
    uint8_t *bare; // per edge: no face has it
    double radius; // m, around all of it
    bool balls;    // a single vertex that is a ball
} TacShapeSurface;

// The lists come from the arena.
TacStatus tac_shape_surface(TacShapeSurface *surface, const TacShapeModel *shape, TacArena *arena,
                            TacError *error);

#endif
