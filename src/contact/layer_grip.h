// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How friction holds a live pair at an instant: what its anchors pull with, all classes of layers together, as their kicks
// would come to over time (safe_kick.c). Nothing is written.

#ifndef TACTUS_CONTACT_LAYER_GRIP_H
#define TACTUS_CONTACT_LAYER_GRIP_H

#include "contact/layer_others.h"

// Two directions across a normal, all of length 1.
void tac_layer_across(const double normal[3], double first[3], double second[3]);

// N, along the normal and otherwise: what is across the normal is meant.
void tac_layer_grip(const TacSafe *safe, const TacPair *pair, const TacLayerLook *look, TacTick now,
                    double pull[3]);

#endif
