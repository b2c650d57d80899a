// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A force over a distance, drawn with straight lines: the law of CORDIS-ANIMA's liaison modules ("Balls,
// bubbles and agglomerates", sections III.1 and III.6).
//
//     F(d) = a_1 d + sum over i > 1 of a_i min(d - s_i, 0) + C          positive: the two push each other away
//
//  1. The first pair (a_1, s_1 = 0) gives the slope that holds everywhere; each further pair adds the slope
//     a_i where d < s_i. So F is continuous, and beyond the largest threshold it is a_1 d + C.
//  2. C makes F(zero) = 0.
//  3. F is nothing beyond the largest threshold exactly when a_1 and C are 0 there: then the law has a reach,
//     and whoever sums it over many balls need not look farther. A C that is only rounding is 0.
//  4. The energy is U(d) = -(a_1 d^2 / 2 + sum a_i min(d - s_i, 0)^2 / 2 + C d) + E; E makes U 0 beyond the
//     reach, or at `zero` where there is none.
//  5. Viscosity acts where the law does: on pieces on which F is not nothing all along, or nearer than a
//     reach of its own. share(d) is 1 or 0, written as a sum of steps so that wide code needs no branches.

#ifndef TACTUS_LAW_PIECES_H
#define TACTUS_LAW_PIECES_H

#include "tactus/component.h"

enum { TAC_PIECES_MOST = 16 };

typedef struct TacPieces {
    double slope, constant;                                    // a_1 and C
    size_t count;                                              // pairs after the first
    double added[TAC_PIECES_MOST], threshold[TAC_PIECES_MOST]; // a_i and s_i, thresholds ascending
    double reach;                                              // m; INFINITY where the law has none
    double level;                                              // J: E
    size_t step_count; // share(d) = far + sum of step where d < step_at
    double step[TAC_PIECES_MOST + 1], step_at[TAC_PIECES_MOST + 1];
    double far;
    double viscous_reach; // m: beyond it share(d) is 0; INFINITY where there is no such distance
} TacPieces;

// From pairs as a scene gives them. A viscous reach that is not a number follows the law. Fails, with the
// name of the attribute at fault in *attribute, when numbers do not fit together; the message is in `error`.
TacStatus tac_pieces_make(TacPieces *pieces, TacReals slopes, TacReals thresholds, double zero,
                          double viscous_reach, const char **attribute, TacError *error);

// Three pieces that stand for V_n = depth ((S/d)^2n - 2 (S/d)^n), S the distance at which two are at rest:
// they push nearer than S, pull most where V_n does and as strongly, and it takes the same energy to part
// two. Writes three slopes and thresholds; the law is zero at the last threshold.
void tac_pieces_fit(double depth, double distance, double exponent, double slopes[3], double thresholds[3]);

double tac_pieces_force(const TacPieces *pieces, double d);  // N
double tac_pieces_slope(const TacPieces *pieces, double d);  // N/m: dF/dd
double tac_pieces_energy(const TacPieces *pieces, double d); // J
double tac_pieces_share(const TacPieces *pieces, double d);  // of viscosity: 0 or 1

// The largest |dF/dd| of all pieces, N/m: what stability depends on.
double tac_pieces_steepest(const TacPieces *pieces);

#endif
