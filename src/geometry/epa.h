// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// EPA, the expanding polytope (G. van den Bergen, 2001): how deep the origin lies in the difference body.
//
// A polytope of points of the body, started from GJK's last simplex, is pushed out through its face nearest to
// the origin until that face lies on the body's surface. Rules that keep it sound under rounding:
//   1. distances of faces are signed: a start that does not hold the origin grows towards it, and an origin
//      that lies outside after all is found out (depth < 0);
//   2. a difference body without volume has depth 0 along the direction in which it is flat;
//   3. faces too thin for a normal take their neighbour's plane and are never chosen;
//   4. the answer is the shallowest plane that the body was seen to lie behind: an upper bound of the depth
//      that is exact for its normal. The nearest face is the lower bound; the gap between is the error.
//   5. around a curved body many planes may be equally near, and no face can prove its own: then the best plane
//      is turned downhill, TAC_EPA_POLISH times at most. Its depth is still exact for its normal, and hardly
//      above the true one; only the lower bound, and with it the error stated, stays coarse.
// Bounded by TAC_EPA_VERTICES.

#ifndef TACTUS_GEOMETRY_EPA_H
#define TACTUS_GEOMETRY_EPA_H

#include "geometry/gjk.h"

enum { TAC_EPA_VERTICES = 128, TAC_EPA_FACES = 2 * TAC_EPA_VERTICES, TAC_EPA_POLISH = 96 };
#define TAC_EPA_CLOSE        1e-13 // of the extent, where to stop
#define TAC_EPA_CURVED_CLOSE 1e-8

typedef struct TacEpa {
    double depth;   // along the normal; negative: the cores are apart
    double error;   // the true depth is at most this much less
    TacVec3 normal; // unit, from A to B, in A's frame
    TacVec3 a, b;   // witness points of the cores, in A's frame
    int iterations;
    bool failed;
} TacEpa;

void tac_epa(TacEpa *epa, const TacRelative *relative, const TacSimplex *start);

#endif
