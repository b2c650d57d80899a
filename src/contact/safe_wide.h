// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What is computed of many pairs that tick, side by side, lane by lane: closest points, how they share their push, how certain
// they are, friction. Touches nothing but its arguments.

#ifndef TACTUS_CONTACT_SAFE_WIDE_H
#define TACTUS_CONTACT_SAFE_WIDE_H

#include "contact/safe_parts.h"

// Pairs of four vertices, all of two edges or all of a vertex and a face, lane by lane.
enum { TAC_SAFE_WIDE = 16 };
typedef struct TacSafeWide {
    double q[4][3][TAC_SAFE_WIDE];                             // where its vertices are
    double pace[4][3][TAC_SAFE_WIDE], slack[4][TAC_SAFE_WIDE]; // m/s, of each vertex, now
    double fall[4][3][TAC_SAFE_WIDE];                   // m/s^2, of each vertex, where not all fall alike
    double radius[TAC_SAFE_WIDE], limit[TAC_SAFE_WIDE]; // m: of both, solid; at which a finer class begins
    double period[TAC_SAFE_WIDE];                       // s until it is looked at again
    double weight[4][TAC_SAFE_WIDE], normal[3][TAC_SAFE_WIDE],
        distance[TAC_SAFE_WIDE];   // as in TacSafeClosest
    double part[TAC_SAFE_WIDE];    // of its push that is its own
    double margin[TAC_SAFE_WIDE];  // m by which it is certain; below 0: it may still be
    int64_t lossy[TAC_SAFE_WIDE];  // restitution takes from it
    int64_t rare[TAC_SAFE_WIDE];   // what was found of it is nothing: tac_safe_closest finds it
    int64_t inside[TAC_SAFE_WIDE]; // far from all sides of its face
} TacSafeWide;

// Friction, likewise.
typedef struct TacSafeRub {
    size_t count;
    double before[3][TAC_SAFE_WIDE],
        slide[3][TAC_SAFE_WIDE];   // m: how far they had slid at the last tick, and have now
    double near[3][TAC_SAFE_WIDE]; // m, on the same scale: the near anchor
    double seconds[TAC_SAFE_WIDE]; // since the last tick
    double normal[3][TAC_SAFE_WIDE], mass[TAC_SAFE_WIDE];
    double part[TAC_SAFE_WIDE];      // of its push that is its own
    double motion[3][TAC_SAFE_WIDE]; // m/s, found: along the surface
    // of one class of layers
    double anchor[3][TAC_SAFE_WIDE];
    double stiffness[TAC_SAFE_WIDE], period[TAC_SAFE_WIDE]; // N s/m, over a period; s
    double most[TAC_SAFE_WIDE], scale[TAC_SAFE_WIDE];       // N s, and what restitution leaves of it
    double impulse[3][TAC_SAFE_WIDE];                       // N s, to which friction is added
} TacSafeRub;

void tac_safe_closest_wide(TacSafeWide *wide, bool edges);
// tac_safe_share of two edges.
void tac_safe_share_wide(TacSafeWide *wide);
// Of a vertex and a face: so far inside that tac_safe_part_of_face is 1.
void tac_safe_inside_wide(TacSafeWide *wide);
// `uneven`: not all vertices fall alike.
void tac_safe_margins_wide(TacSafeWide *wide, bool edges, bool uneven);
// How fast they slide.
void tac_safe_move_wide(TacSafeRub *rub);
// One class: towards its anchor, damped, at most friction times the normal impulse; the anchor follows when that is reached.
void tac_safe_rub_wide(TacSafeRub *rub);

#endif
