// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Safe contact for those who look at it: flight plans, boxes, live layers. Reads and changes nothing; asked for only
// while somebody wants to see it.

#ifndef TACTUS_CONTACT_SAFE_LOOK_H
#define TACTUS_CONTACT_SAFE_LOOK_H

#include "contact/safe.h"
#include "geometry/kdop.h"

// A vertex's plan: where its middle is now and will be at the next sweep, and half the tube's width.
typedef struct TacPlanLook {
    double from[3], to[3];
    double rho;
} TacPlanLook;

// Up to `most` of them, evenly chosen from all vertices; returns how many were written.
size_t tac_safe_look_plans(const TacSafe *safe, TacTick now, TacPlanLook *plans, size_t most);

// Boxes around the courses of vertices, likewise: `axes` intervals along directions that are the same for all.
typedef struct TacBoxLook {
    TacVec3 directions[TAC_KDOP_AXES];
    int axes;
} TacBoxLook;
size_t tac_safe_look_boxes(const TacSafe *safe, TacBoxLook *look, TacKdop *boxes, size_t most);

// Tells the deepest live layer of every pair to the supports of its vertices.
typedef void (*TacLayerLook)(void *data, const TacMatter *matter, uint32_t point, double layer);
void tac_safe_look_layers(const TacSafe *safe, TacTick now, TacLayerLook tell, void *data);

// How many pairs have a live layer, and the sum of live layers over all pairs.
void tac_safe_look_counts(const TacSafe *safe, TacTick now, double *pairs, double *layers);

#endif
