// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Laws of layers (layer_law.h) that solve together.
//
// Of a pair between two agents each solve would have to guess how the other side goes, and how that gives way: two guesses that do
// not agree push what both hold between them this way and that for ever. Agents that solve at one instant, for the same step,
// need not guess: one after the other solves with what the others have found last, until nothing changes any more.

#ifndef TACTUS_CONTACT_LAYER_CONCERT_H
#define TACTUS_CONTACT_LAYER_CONCERT_H

#include "contact/layer_law.h"

// Before what they foresee: finds the pairs that two of them share. False without memory.
bool tac_layer_laws_meet(TacLayerLaw *const *laws, size_t count, TacTick now);
// What is in doubt between them: as many numbers as are returned; what agents before this one find anew does not count. With `from`, sets them; with `to`, fetches them.
size_t tac_layer_law_doubts(TacLayerLaw *law, const double *from, double *to);
// By how much each differs from what was told; `most`: no less than the greatest of them. Returns how many there are.
size_t tac_layer_law_change(const TacLayerLaw *law, const double *told, float *change, double *most);
// Before a solve: what it foresees of others is as they have found it last.
void tac_layer_law_hear(TacLayerLaw *law);
// After a solve: finds its impulses, and tells the others how it goes.
void tac_layer_law_tell(TacLayerLaw *law, const double *v, const double *dv);
// After all have foreseen, or corrected, what they do: of what two share, one's findings count.
void tac_layer_law_agree(TacLayerLaw *law);
// By how much, over what rests, doubts may change in vain: m.
double tac_layer_law_little(const TacLayerLaw *law);

#endif
