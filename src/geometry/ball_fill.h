// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Filling a shape with balls of several sizes: "physical ball-meshing" ("Balls, bubbles and agglomerates",
// sections III.1 and III.4).
//
//  1. A shape is a function: how deep under its surface a place is, and which way is inward. Spheres, boxes
//     and cylinders know it; a closed mesh finds its nearest triangle, and which side by counting crossings
//     along x.
//  2. Sizes come one after the other, largest first, each on a hexagonal close packing about the centre of
//     the shape. Places of the packing near the surface are moved along the inward direction until their ball
//     touches it; then those inside are taken as they are. A ball that would overlap one that is there is
//     left out; smaller ones fill what is left.
//  3. `from` and `to` cut a layer out of the shape by depth: a nucleus, a derm and an epiderm are three fills
//     of one shape. Balls touch the inner border of a layer as they touch the surface.
//  4. Flat: discs in the plane z = 0, in a triangular packing.
//
// The same input gives the same balls, in the same order.

#ifndef TACTUS_GEOMETRY_BALL_FILL_H
#define TACTUS_GEOMETRY_BALL_FILL_H

#include "tactus/geometry.h"

typedef enum TacFillShape { TAC_FILL_MESH, TAC_FILL_SPHERE, TAC_FILL_BOX, TAC_FILL_CYLINDER } TacFillShape;

typedef struct TacBallFillDef {
    TacFillShape shape;
    const TacMesh *mesh; // TAC_FILL_MESH: closed; its outer triangles count
    TacVec3 low, high;   // TAC_FILL_BOX
    double radius;       // of a sphere or cylinder about the origin
    double height;       // of a cylinder, along y
    const double *radii; // of the balls; any order
    size_t radius_count;
    double from, to; // depths, m; to: INFINITY for all
    double overlap;  // 0..1: how much of the sum of two radii they may be nearer than it
    bool flat;
} TacBallFillDef;

// Points and radii; the mesh owns them. Fails on meshes that are not closed and on radii so small that there
// would be too many balls.
TacStatus tac_ball_fill(TacMesh *balls, const TacBallFillDef *def, TacError *error);

#endif
