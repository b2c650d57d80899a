// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What a line over contact nodes sweeps from one step to the next, and whether that passes through a triangle.
//
//   1. Stops of the line (its masses, its nodes) that are there at both steps, one behind the other, move straight, and the
//      piece between them with them.
//   2. Where a stop has come or gone between two that stay, the line there goes to the same parts of its length.
//      Where some have come and others gone it is not looked at. Pieces that end on a node are left out: they slide over it, around
//      wheels and from edge to edge around corners, not straight; where they are at the end of each step is looked at.
//   3. All of it as seen from the triangle, which may move and turn: there it stands still, and the piece's ends go straight.
//      Neither that nor straight ways in space are quite how things go while something turns (by w in a step h, at the
//      radius r, they differ by up to r w^2 h^2 / 8): what passes by one of them only does not count.
//
// A straight piece whose ends go straight begins or ends to pass through a triangle only when it lies in one plane with a
// side (a quadratic in time), or when one of its ends is in the plane of the triangle. Between two such moments nothing
// changes: it is enough to look there.

#ifndef TACTUS_CONTACT_LINE_SWEEP_H
#define TACTUS_CONTACT_LINE_SWEEP_H

#include "constraint/joint.h"

typedef struct TacSweptPiece {
    TacVec3 from[2], to[2];
    size_t piece; // of the line as it is
} TacSweptPiece;

typedef void (*TacSweep)(void *data, const TacSweptPiece *swept);

// Each part of the line that moves as one.
void tac_line_sweep(const TacLinePiece *was, size_t was_count, const TacLinePiece *is, size_t count,
                    TacSweep each, void *data);

// Whether it passes through a triangle on the way, as tac_audit_is_cut says.
bool tac_line_passes(const TacSweptPiece *swept, const TacVec3 corners_were[3], const TacVec3 corners[3],
                     const bool flat[3]);

#endif
