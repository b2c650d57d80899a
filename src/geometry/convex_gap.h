// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The signed gap between two shapes with its normal and witnesses: what all public queries are made of.

#ifndef TACTUS_GEOMETRY_CONVEX_GAP_H
#define TACTUS_GEOMETRY_CONVEX_GAP_H

#include "geometry/epa.h"

typedef struct TacGap {
    bool failed, overlap;
    double gap;     // of the rounded shapes; negative: depth. Only its sign where the depth was not asked for
    double error;   // of the gap
    TacVec3 normal; // unit, from A to B; this and the rest in A's frame
    TacVec3 a, b;   // points on the rounded shapes
    int iterations;
} TacGap;

// `depth`: run EPA where the cores overlap. `cache` may be NULL.
TacGap tac_gap(const TacRelative *relative, bool depth, TacConvexCache *cache);

// The outward normal and the offset of a half-space's core, in A's frame, when one of the two is one.
typedef struct TacPlane {
    TacVec3 normal;
    double offset;
} TacPlane;
TacPlane tac_relative_plane(const TacRelative *relative);

static inline bool tac_relative_has_plane(const TacRelative *relative) {
    return relative->a->kind == TAC_CONVEX_HALF_SPACE || relative->b->kind == TAC_CONVEX_HALF_SPACE;
}

#endif
