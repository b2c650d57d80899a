// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The way of a massless cable over wheels, and what it has wound ("Massless cable for real-time simulation",
// Servin and Lacoursiere 2007; "Adaptive resolution in physics based virtual environments", section 3.3).
//
// A way is a line of stops: a place at each end (or a drum), wheels between. A wheel is a cylinder: centre, axis,
// radius, and the sense in which the cable turns about its axis. Between stops the cable is straight and touches
// wheels at tangent points; on a wheel it lies on an arc.
//
//            arc
//          .-----.
//     in  /   +   \  out         spans: the straight pieces, one more than wheels that are touched
//        |  wheel  |
//      span 0     span 1
//        |         |
//      start      end
//
// Material. When a wheel turns by some angle, or its tangent points move, material passes from spans onto the arc and
// back: the point of the wheel's surface that was at the tangent is now at an angle d from it, so R d has passed.
//
// A ring is a wheel without radius: the cable slides through it, bent but not wound.
//
// Rules:
//   1. Tangent points minimise the length: each is found from its neighbours, in turn, until nothing moves.
//   2. A wheel whose arc falls below zero is let go; so is one off whose side the line has slipped: an end of it is beside the wheel,
//      where no tangent leads, and straight it would pass aside. One that a straight piece was clear of and is no longer is
//      taken up, however far the piece has come in a step. Both leave all lengths as they are (cable.h).

#ifndef TACTUS_CONSTRAINT_CABLE_PATH_H
#define TACTUS_CONSTRAINT_CABLE_PATH_H

#include "constraint/joint.h"

enum {
    TAC_CABLE_WHEELS = 16,
    TAC_CABLE_EDGE_NODES = 64,
    TAC_CABLE_NODES = TAC_CABLE_WHEELS + TAC_CABLE_EDGE_NODES,
    TAC_CABLE_STOPS = TAC_CABLE_NODES + 2 // and the two ends
};

typedef struct TacCableWheel {
    TacAttachment centre;
    TacVec3 axis;  // in the frame
    double radius; // m; 0: a ring
    double width;  // m, along its axis
    double sense;  // 1 or -1: about the axis, from start to end
    double friction;
    bool
        sphere; // a ball instead: its axis stands across the cable's way, its sense is the shorter way around
} TacCableWheel;

// What a cable keeps of a wheel from step to step: plain numbers, saved and restored.
typedef struct TacCableWound {
    double touched;       // 1: the cable lies on it
    double clear;         // 1: it does not, and passes on the side where it could
    double arc;           // rad, with whole turns
    double in[3], out[3]; // the wheel's surface at the tangent points, in the frame
    double axis[3];       // of a ball, in the world
} TacCableWound;

// One stop of the way as it is now.
typedef struct TacCableStop {
    int wheel; // -1: a place
    TacVec3 centre, axis;
    TacVec3 in, out; // tangent points; at places both are the place
    double arc;
    bool noted;                   // axis and arc are those of the last step
    double passed_in, passed_out; // material that spans have got from the wheel since the last step, m
} TacCableStop;

typedef struct TacCablePath {
    TacCableStop stops[TAC_CABLE_STOPS];
    size_t count; // spans are one less
} TacCablePath;

// The angle about n by which u must turn to point along v, both across n: -pi to pi.
double tac_angle_about(TacVec3 n, TacVec3 u, TacVec3 v);

// Tangent points (rule 1) for stops whose places and wheels are filled in.
void tac_cable_stretch(TacCablePath *path, const TacCableWheel *wheels);

// How much has passed at each wheel since `wound` was noted, and its arc now.
void tac_cable_pass(TacCablePath *path, const TacCableWheel *wheels, const TacCableWound *wound);

// Notes where the wheels' surfaces are at the tangent points now.
void tac_cable_note(const TacCablePath *path, const TacCableWheel *wheels, TacCableWound *wound);

// The arc from the tangent point in to the one out, 0 to 2 pi.
double tac_cable_arc(const TacCableStop *stop, const TacCableWheel *wheel);

// How far a ring bends the cable, rad.
double tac_cable_bend(const TacCablePath *path, size_t i);

// The axis about which a line from a to b bends that comes upon a ball: from any side, the shorter way around.
TacVec3 tac_cable_ball_axis(TacVec3 a, TacVec3 b, const TacCableWheel *wheel);

// Whether the straight piece from a to b passes a cylinder on one of its sides, beyond its width.
bool tac_cable_is_aside(TacVec3 a, TacVec3 b, const TacCableWheel *wheel);

// Whether there is a tangent from a place; without one it is beside the wheel, or in it.
bool tac_cable_has_tangent(TacVec3 from, const TacCableStop *stop, const TacCableWheel *wheel);

// How far the straight piece from a to b passes from a wheel's surface, on the side on which it would lie:
// negative when it cuts the wheel or has passed it. False when it does not pass beside it at all.
bool tac_cable_clearance(TacVec3 a, TacVec3 b, const TacCableWheel *wheel, double *clearance);

#endif
