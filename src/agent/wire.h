// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wires of adaptive resolution ("Adaptive resolution in physics based virtual environments", section 3).
//
// A wire at level r is 2^r segments of equal rest length between 2^r + 1 masses. Its matter has points for its
// finest level R and never changes size: at level r every 2^(R-r)-th point is *live*; the others are carried
// along.
//
//     level 2   O---.---.---.---O---.---.---.---O          O live: mass, rows, forces
//     level 3   O---.---O---.---O---.---O---.---O          . carried: on the straight line between live ones
//
// Rules, held whenever matter flies:
//   1. Carried points have no mass and no rows. Their position and velocity lie on the line between the live
//      points around them. Free flight keeps them there, so a new live point is already where it belongs.
//   2. Forces of laws on carried points go to the live points around them, by the transpose of rule 1.
//   3. The masses of the points sum to the wire's mass, the rest lengths to its length, at every level.
//   4. Below level 0, at -1, it is a massless cable: one row between the things to which its ends are tied. Its ends
//      keep their masses for the account, but they are not felt: they ride along.
//   5. Transitions happen in settle: after velocities were kicked, before the flight.
//   6. Over contact nodes (wheels, rings, edges of bodies) masses of the level that are next to a node are not live, and
//      mass is uneven: wire_nodes.c.
//
// Lumping: each segment gives half its mass to each end. Refining makes v_b = (v_a + v_c)/2; coarsening makes
// v_c <- v_c/2 + (v_b + v_d)/4, at the ends (v_a + v_b)/2. Mass, momentum and uniform motion are kept, and on
// refining each segment's centre of mass. transition="document" is the document's rule of equal masses, which
// keeps momentum but not uniform motion: refining v_b = k (v_a/n_a + v_c/n_c), k = (2^(r+1)+1)/(2^r+1) - 1, n
// the number of neighbours; coarsening v_c <- (2^(r-1)+1)/(2^r+1) (v_c + (v_b + v_d)/2).
// A held end keeps its velocity: what it would take or give, its holder takes or gives. So does one that is tied (halves): what it
// is tied to gets it at the next step.
//
// Segments only pull (a coarsened wire is longer than the way between its ends), with compliance l/EA. Bending:
// g = x_a - 2 x_b + x_c with compliance l^3/EI, three rows for each inner mass.
//
// In worlds of safe contact a wire is watched over (TacGuard). Refining moves no point of it. Coarsening sweeps each
// removed point, and what is carried around it, straight to the chord: it happens only where nothing is in the way; else
// it is postponed to a later step, and counted.
//
// Robustness: the stiffest transversal motion of N masses at tension f needs N < N_crit = sqrt(L m/f) / (2h)
// (equation 6).

#ifndef TACTUS_AGENT_WIRE_H
#define TACTUS_AGENT_WIRE_H

#include "tactus/component.h"

extern const TacClass tac_wire_class;

// Takes a wire to one of its levels by its transitions, from outside: it must not be between prepare and commit.
void tac_wire_change_level(TacComponent *wire, int level);

// Numbers of a wire's output "resolution".
enum {
    TAC_WIRE_LEVEL,
    TAC_WIRE_MASSES,
    TAC_WIRE_TENSION, // the largest of its segments, N
    TAC_WIRE_CRITICAL,
    TAC_WIRE_ACCURACY,
    TAC_WIRE_TIME,
    TAC_WIRE_ROBUSTNESS,
    TAC_WIRE_SHIFT,     // of the centre of mass by the last coarsening, m
    TAC_WIRE_CHANGES,   // transitions so far
    TAC_WIRE_POSTPONED, // steps at which it stayed finer than it should: something was in the way
    TAC_WIRE_NUMBERS
};

#endif
