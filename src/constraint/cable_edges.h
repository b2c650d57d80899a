// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The edges of a body over which a taut line bends, and the moment at which a moving line comes upon one.
//
// A taut line touches a polyhedron at edges where the surface is convex, and there only: at flat and hollow edges it lies
// on faces or spans over them. So of a mesh nothing is kept but its convex edges, with the normals of the faces on both
// sides. All of it is in the axes of the body, which does not move as seen from there.
//
// A piece of line from p to q, whose ends move straight from p0, q0 to p1, q1, meets an edge (a, e) when
//
//     f(t) = (q - p) . (e x (a - p)) = 0
//
// and both meet within their lengths. The edge stands still, so f is a quadratic: it is solved, not sampled, and a line
// cannot jump over an edge, however far it goes.
//
// Rules:
//   1. A meeting counts when the line comes from outside: it leaves the wedge of the two faces free on both sides,
//      (n1.d)(n2.d) <= 0, and goes on into it. A line that is inside already, or on its way out, meets nothing; but one of
//      its ends may have sunk a little below a face, as masses that lie on it do.
//   2. An edge of one face alone (the rim of a sheet) is met by whatever comes over it towards the face.

#ifndef TACTUS_CONSTRAINT_CABLE_EDGES_H
#define TACTUS_CONSTRAINT_CABLE_EDGES_H

#include "tactus/component.h"

typedef struct TacCableEdge {
    TacVec3 start, along; // along has the edge's length
    TacVec3 normal[2];    // outward, of the faces on both sides
    TacVec3 low, high;
    bool rim; // of one face alone: normal[0] points away from it, in its plane
} TacCableEdge;

typedef struct TacCableEdges {
    TacCableEdge *list;
    size_t count;
    TacVec3 low, high; // of all
} TacCableEdges;

// The convex edges of the surface of a mesh. Memory comes from the setup.
TacStatus tac_cable_edges_find(TacCableEdges *edges, const TacMesh *mesh, TacSetup *setup, TacError *error);

typedef struct TacCablePiece {
    TacVec3 p[2], q[2];        // both ends, before and after
    double from;               // time from which it is looked at: 0 to 1
    size_t except_p, except_q; // edges on which its ends are; SIZE_MAX: none
} TacCablePiece;

typedef struct TacCableMeeting {
    double time; // 0 to 1
    size_t edge;
    double part; // of the edge, 0 to 1
    double at;   // of the piece, 0 to 1
} TacCableMeeting;

// The first edge that a moving piece of line meets. False: none.
bool tac_cable_edges_meet(const TacCableEdges *edges, const TacCablePiece *piece, TacCableMeeting *meeting);

// The edge under which a piece that stands still (as it was) passes deepest, from one of its faces to the other; `time` is how
// deep, m. False: under none, or not deeper than `deepest` was before.
bool tac_cable_edges_under(const TacCableEdges *edges, const TacCablePiece *piece, TacCableMeeting *deepest);

// Whether the straight line from p to q runs through the surface of a mesh.
bool tac_cable_mesh_is_cut(const TacMesh *mesh, TacVec3 p, TacVec3 q);

// Where on an edge, 0 to 1, the way from p over it to q is shortest; less than 0 or more than 1 beyond its ends.
double tac_cable_edge_shortest(const TacCableEdge *edge, TacVec3 p, TacVec3 q);

// How much of the straight line from p to q would run through the wedge of an edge on which it bends at x, seen along the
// edge; negative when it is clear of it: nothing holds it there.
double tac_cable_edge_cut(const TacCableEdge *edge, TacVec3 x, TacVec3 p, TacVec3 q);

#endif
