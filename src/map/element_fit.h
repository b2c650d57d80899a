// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How a point lies in an element: how far from it, and by which weights on its corners it is found again.
//
//     tetrahedra   barycentric; points outside are extrapolated, so they move with the element's affine motion
//     hexahedra    trilinear, by Newton's method; far outside, and where that fails, the barycentric weights
//                  of the nearest of the six tetrahedra that the hexahedron is cut into
//     triangles    those of the closest point (Ericson, Real-Time Collision Detection, 2005, 5.1.5); what the
//                  point is off the surface is lost
//     quads        as their two triangles
//     edges        those of the closest point
//
// Weights add up to 1.

#ifndef TACTUS_MAP_ELEMENT_FIT_H
#define TACTUS_MAP_ELEMENT_FIT_H

#include "tactus/geometry.h"

typedef struct TacFit {
    double distance2;  // m^2; 0 inside
    double least;      // how deep inside, in the element's own coordinates; negative outside
    double weights[8]; // one per corner
} TacFit;

// Whether p is inside a tetrahedron or hexahedron; fills the fit when it is. Always false for other kinds.
bool tac_element_contains(TacElement kind, const TacVec3 corners[8], TacVec3 p, TacFit *fit);

// False when the element has no volume to speak of (tetrahedra and hexahedra).
bool tac_element_fit(TacElement kind, const TacVec3 corners[8], TacVec3 p, TacFit *fit);

#endif
