// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The k-DOP around a convex shape: along every direction its farthest points, as GJK asks for them.

#ifndef TACTUS_GEOMETRY_CONVEX_BOUNDS_H
#define TACTUS_GEOMETRY_CONVEX_BOUNDS_H

#include "geometry/kdop.h"
#include "tactus/convex.h"

// A half-space reaches to infinity, except along a direction that is its normal.
void tac_convex_bounds(const TacConvex *shape, TacPose pose, int axes, TacKdop *bounds);

#endif
