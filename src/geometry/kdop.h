// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// k-DOPs: what lies between k/2 pairs of parallel planes (J. T. Klosowski et al., "Efficient collision detection
// using bounding volume hierarchies of k-DOPs", 1998). k = 6 is a box along the axes; 14 adds the four diagonals of
// a cube, 18 the six of its faces, 26 both.
//
// Directions are not of unit length: (1,1,1) rather than (1,1,1)/sqrt(3), so that a point's values are sums. Values
// may be infinite. Needs nothing but math; no state.

#ifndef TACTUS_GEOMETRY_KDOP_H
#define TACTUS_GEOMETRY_KDOP_H

#include "tactus/math.h"

#include <stdbool.h>
#include <stddef.h>

enum { TAC_KDOP_AXES = 13 };

typedef struct TacKdop {
    double low[TAC_KDOP_AXES], high[TAC_KDOP_AXES]; // the first k/2 count
} TacKdop;

// k/2 for the k that can be had; 0 for others.
int tac_kdop_axes(int k);

// Direction i of a k-DOP with `axes` = k/2 pairs of planes, and its length.
TacVec3 tac_kdop_axis(int axes, int i);
double tac_kdop_axis_length(int axes, int i);

// Around nothing: low is +infinity, high -infinity.
void tac_kdop_clear(TacKdop *kdop);
void tac_kdop_add_ball(TacKdop *kdop, int axes, TacVec3 centre, double radius); // radius 0: a point

// Moves every plane out by `margin` (m).
void tac_kdop_grow(TacKdop *kdop, int axes, double margin);

// Whether all intervals have something in common; touching counts. Empty ones overlap nothing.
static inline bool tac_kdop_overlap(const TacKdop *a, const TacKdop *b, int axes) {
    for (int i = 0; i < axes; i++)
        if (!(a->low[i] <= b->high[i] && b->low[i] <= a->high[i])) return false;
    return true;
}

// The edges of the body between the planes, to be drawn: up to `most` pairs of ends; returns how many were written.
// `along` are the directions of the intervals, of any length. Nothing where it is empty or infinite. O(k^3).
size_t tac_kdop_edges(const TacKdop *kdop, const TacVec3 *along, int axes, TacVec3 (*ends)[2], size_t most);

#endif
