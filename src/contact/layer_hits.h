// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs that have just met: who is hit, and for how long that can be foreseen (layer_others.h). An agent that solved
// before it was hit did not know, and has to be asked again.

#ifndef TACTUS_CONTACT_LAYER_HITS_H
#define TACTUS_CONTACT_LAYER_HITS_H

#include "contact/safe.h"

// `step` in seconds, finite.
typedef void (*TacLayerHit)(void *data, uint32_t support, double step);

// Calls for every support under a pair that got its first live layer in the kicks of the instant at `now`, in the order
// of those kicks. Pairs that are as slow as resting things are left out.
void tac_layer_hits(const TacSafe *safe, TacTick now, TacLayerHit hit, void *data);

#endif
