// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The faces of a body on which masses of a line come to lie. A taut line touches edges only (cable_edges.h); a slack one
// comes down on faces, and a mass that had sunk into a body would take the line with it.
//
// All of it is in the axes of the body. Rules:
//   1. A mass is looked at on its way from where it was at the last step to where it is, and on to where it would be at the
//      next. The first face that it passes from outside, or is over as near as a step may take it, is the one that it
//      *lies on*.
//   2. From then on it may not go deeper than that face: a row which only pushes. It lies on that face until it is over
//      another one of about the same direction, or has left it by more than a step may take it.
//   3. Faces of a surface with a rim (a sheet) have two sides; others are passed from outside only, where what is a little
//      below a face counts as outside: a mass that comes back on a line which is pressed onto it is there or there about.
//
// Friction on faces is that on edges.

#ifndef TACTUS_CONSTRAINT_CABLE_FACES_H
#define TACTUS_CONSTRAINT_CABLE_FACES_H

#include "constraint/joint.h"

enum { TAC_CABLE_LYING = 3 }; // rows: out of the face, and two along it

typedef struct TacCableFace {
    TacVec3 corners[3], normal;
} TacCableFace;

typedef struct TacCableFaces {
    TacCableFace *list;
    size_t count;
    double low[3], high[3];
    double sunk; // m: rule 3
    bool sheet;
} TacCableFaces;

// What is kept of a mass from step to step: plain numbers, saved and restored.
typedef struct TacCableLying {
    double face; // from 1; 0: it lies on none
    double body;
    double side; // 1, or -1: on the back of a sheet
} TacCableLying;

// A mass on its way.
typedef struct TacCableWayOfMass {
    TacVec3 was, is, next;
    double reach; // m: as far as a step may take it
} TacCableWayOfMass;

// The faces of the surface of a mesh. Memory comes from the setup.
TacStatus tac_cable_faces_find(TacCableFaces *faces, const TacMesh *mesh, TacSetup *setup, TacError *error);

// Finds the face of one body on which a mass lies; `lying` is what it lay on, on that body or none. False: on none.
bool tac_cable_faces_meet(const TacCableFaces *faces, const TacCableWayOfMass *way, TacCableLying *lying);

// Whether a place is a little below a face that it is over, as in rule 3, and which one.
bool tac_cable_faces_has_sunk(const TacCableFaces *faces, TacVec3 place, TacCableLying *lying);

// How far a place is outside of the face that it lies on, and the way out.
double tac_cable_faces_height(const TacCableFaces *faces, const TacCableLying *lying, TacVec3 place,
                              TacVec3 *out);

#endif
