// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Live layers as an implicit solver sees them (design: "One idea").
//
// An agent that solves for its next velocity without knowing that layers hold it up is falsely compressed by
// about weight over mass times the square of its step. So while layers are live on it, their force and
// stiffness take part in its solve as if they were a law of its own; what they are then predicted to do over
// the step is taken out of the agent's kick again, because the layers will do it themselves, on their clocks.
// What remains is what the agent's own laws do given that the layers push.

#ifndef TACTUS_CONTACT_LAYER_LAW_H
#define TACTUS_CONTACT_LAYER_LAW_H

#include "base/sort.h"
#include "contact/safe.h"

// A live pair, as seen by one matter.
typedef struct TacLayerHold {
    double normal[3];
    double force;          // N, pushing along the normal
    double stiffness;      // N/m
    uint32_t first, count; // points, in the law's lists
} TacLayerHold;

typedef struct TacLayerLaw {
    TacLaw law;
    TacSafe *safe;
    uint32_t first_support; // of its matter
    TacLayerHold *holds;
    size_t hold_count, hold_capacity;
    uint32_t *points;
    double *weights;
    size_t point_count, point_capacity, weight_capacity;
    TacKeyed *order; // pairs; of its own, as agents look side by side
    size_t order_capacity;
} TacLayerLaw;

extern const TacClass tac_layer_law_class; // never in scenes

// What the solver foresees (solver.h): over `step`, a stiffness k that has no force now gives the impulse
// -step k (old v + change dv).
typedef struct TacForesight {
    double step, old, change;
} TacForesight;

// Looks which layers are live on the matter at `now`. False without memory.
bool tac_layer_law_look(TacLayerLaw *law, TacTick now, const TacForesight *sight);

// Takes out of dv what the layers are predicted to do.
void tac_layer_law_give_back(const TacLayerLaw *law, const TacForesight *sight, const double *v, double *dv);

#endif
