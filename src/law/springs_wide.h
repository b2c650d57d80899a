// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Springs between points of one matter in space, in lanes and in pieces (element_pieces.h). springs.c has the
// equations and owns the numbers; here is only what many springs do at once. Every operation is that of one
// spring there, in the same order; sums run as pieces have them.
//
// A spring reads 28 bytes of its own (4 of ends, 24 of constants) beside the rows of its piece, and computes about
// 40 operations with a division and a root.

#ifndef TACTUS_LAW_SPRINGS_WIDE_H
#define TACTUS_LAW_SPRINGS_WIDE_H

#include "law/element_pieces.h"

// Arrays have one number per spring, dealt out to pieces and filled up to whole batches.
typedef struct TacSpringLanes {
    TacElementPieces pieces;
    const double *stiffness, *damping, *length;
    size_t stiffness_mask, damping_mask; // 0: all springs have the numbers of the first batch; else all bits
    double *over;                        // 1 / l; 0 where there is no u
    double *turning;                     // t
    bool pull_only, stable, turns, damping_turns; // as in Springs
    bool damped;                                  // some damping is not 0
    bool keeps;                                   // 1 / l and t are kept
} TacSpringLanes;

// f += F(x, v)
void tac_spring_lanes_force(const TacSpringLanes *lanes, TacTeam *team, const double *x, const double *v,
                            double *f);

// f += (k K + b B) d, from 1 / l and t as they were kept at the same x.
void tac_spring_lanes_change(const TacSpringLanes *lanes, TacTeam *team, double k, double b, const double *x,
                             const double *d, double *f);

#endif
