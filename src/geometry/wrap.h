// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A closed surface drawn tight around balls: what a material skin is made of ("Balls, bubbles and agglomerates",
// section V, figure 16). Triangles around a heap in space; in the plane z = 0, a closed line around discs.
//
//  1. Every point of the skin stands on a ray of its own, which goes out from the middle of the balls; it may move along
//     its ray only, and never nearer than where the ray leaves its last ball. So the skin is outside of all balls for
//     certain; and as rays lie closer together than a ball is wide, every ball is inside.
//  2. With u = 1/r, a flat piece is one where every u is the sum of its neighbours' over the sum of the cosines between
//     the rays: a linear equation. The tight skin is that, or the last ball, whichever is farther out: a linear equation
//     with an obstacle, solved by over-relaxation. In the plane the result is the convex hull; in space a membrane,
//     which bridges hollows.
//  3. A membrane between two heaps far apart would pinch off. It is kept as far from the middle as from a ball.
//  4. Points are counted before they are made, and all loops are bounded. The same balls give the same skin.
//
// Moving points freely, to the mean of their neighbours, was tried first: it needs distances to all balls in every
// round, and points slide off a ball that stands out, until it is outside.

#ifndef TACTUS_GEOMETRY_WRAP_H
#define TACTUS_GEOMETRY_WRAP_H

#include "tactus/geometry.h"

typedef struct TacWrapDef {
    const double *balls; // middles, 3 numbers each
    size_t count;
    double distance; // m, of the skin from the middle of the nearest ball, at least
    double
        spacing; // m, edges are about as long, or shorter where the skin is near the middle; at most the distance
    bool flat; // a closed line in the plane z = 0
} TacWrapDef;

// Triangles outward, or edges one after the other; the mesh owns them.
TacStatus tac_wrap(TacMesh *skin, const TacWrapDef *def, TacError *error);

#endif
