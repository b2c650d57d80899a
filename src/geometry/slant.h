// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Axes for boxes around things that nearly all lie along one line. Boxes along the usual axes say little of a bundle of needles
// that lies askew: each holds all others, and whoever looks for what is near finds every pair. Along the bundle and across it
// they are as thin as the needles.
//
// Whoever takes boxes to be sure that two things are apart may take any axes: what meets, meets along each of them.

#ifndef TACTUS_GEOMETRY_SLANT_H
#define TACTUS_GEOMETRY_SLANT_H

#include "tactus/math.h"

#include <math.h>
#include <stdbool.h>

// How lines lie, added up by their lengths.
typedef struct TacSlantSum {
    double xx, yy, zz, xy, xz, yz;
} TacSlantSum;

void tac_slant_add(TacSlantSum *sum, TacVec3 from, TacVec3 to);

typedef struct TacSlant {
    bool turned; // false: the usual axes
    TacVec3 axes[3];
} TacSlant;

TacSlant tac_slant_of(const TacSlantSum *sum);

// A place along the axes, as it is where they are the usual ones. It is certain to within tac_slant_doubt.
static inline TacVec3 tac_slant_turn(const TacSlant *slant, TacVec3 x) {
    if (!slant->turned) return x;
    return tac_vec3(tac_dot(slant->axes[0], x), tac_dot(slant->axes[1], x), tac_dot(slant->axes[2], x));
}
static inline double tac_slant_doubt(const TacSlant *slant, TacVec3 x) {
    return slant->turned ? 1e-14 * (fabs(x.x) + fabs(x.y) + fabs(x.z)) : 0;
}

#endif
