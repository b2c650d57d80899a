// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Boxes with slanted sides (k-DOPs) in floats, as trees of boxes keep them.
//
// A box is k numbers, k = 6, 14, 18 or 26: how far the thing reaches along k directions d (the faces of a cube;
// and its corners; or its edges; or both), as support values h(d). Two boxes are apart if for some d
// h_A(d) + h_B(-d) < 0; the box around both has the larger of each value. Values are floats, rounded outward when
// made from points, so that a box never misses what it holds; from then on every answer is exact for the floats
// given: the sign of a sum of two floats is not changed by rounding.
// (k-DOPs after J. Klosowski and others, 1998; kdop.h has them in doubles, as intervals.) No state.

#ifndef TACTUS_GEOMETRY_DOP_H
#define TACTUS_GEOMETRY_DOP_H

#include "tactus/math.h"

#include <stdbool.h>

enum { TAC_DOP_MOST = 26 };

// How far something reaches: along axis i in [2 i], against it in [2 i + 1]. Only the first k count. NaN is
// not allowed; infinities are, but -infinity only in a box around nothing.
typedef struct TacDop {
    float reach[TAC_DOP_MOST];
} TacDop;

// 6, 14, 18 or 26?
bool tac_dop_k_valid(int k);

// Around nothing: overlaps no finite box.
TacDop tac_dop_empty(void);
// Makes room for a ball; radius 0: a point.
void tac_dop_add_ball(TacDop *box, int k, TacVec3 centre, double radius);

#endif
