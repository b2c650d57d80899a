// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs that have just met: who is hit, and for how long that can be foreseen (layer_others.h). An agent that solved
// before it was hit did not know, and has to be asked again.

#ifndef TACTUS_CONTACT_LAYER_HITS_H
#define TACTUS_CONTACT_LAYER_HITS_H

#include "contact/safe.h"

// What a pair does over a step h for which it cannot be foreseen: at worst it ends with the wrong speed, and by then its points
// have been carried where they should not be. That is a false deformation of energy harm h^2, J/s^2.
static inline double tac_layer_harm(double speed, double mass, double swing) {
    return 0.5 * mass * speed * speed * swing * swing;
}

typedef struct TacLayerHit {
    double step;        // s, finite: for how long it can be foreseen
    double speed, mass; // m/s; kg, as its share of what all of the pair's supports weigh against it
    double kick;        // m/s: what a push does to its speed
    double period;      // s, from one push to the next
    bool loses;         // energy
} TacLayerHit;

typedef void (*TacOnLayerHit)(void *data, uint32_t support, const TacLayerHit *hit);

// Calls for every support under a pair that got its first live layer in the kicks of the instant at `now`, in the order
// of those kicks. Pairs that are as slow as resting things are left out.
void tac_layer_hits(const TacSafe *safe, TacTick now, TacOnLayerHit call, void *data);

#endif
