// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The law of hands, pins and the sphere, and what it needs to know of masses. See hand.h.

#ifndef TACTUS_WORLD_TOUCH_LAW_H
#define TACTUS_WORLD_TOUCH_LAW_H

#include "world/hand.h"

extern const TacClass tac_touch_class; // not for scenes

// The place that a hold has hold of, how fast it moves, and its pull, where x and v are those of its matter.
TacVec3 tac_hold_place(const TacMatter *matter, const TacHold *hold, const double *x);
TacVec3 tac_hold_force(const TacMatter *matter, const TacHold *hold, const double *x, const double *v);

// Whether an implicit solver owns this matter.
bool tac_touch_implicit(const TacWorld *world, size_t matter);

// Whether its solver can take a pull on this matter: one with a matrix needs maps that can be written as blocks.
bool tac_touch_can_carry(const TacWorld *world, size_t matter);

// What makes this matter follow other matter; NULL: nothing.
const TacMap *tac_touch_map(const TacWorld *world, const TacMatter *matter);

// The step at which this matter is kicked, s.
double tac_touch_step(const TacWorld *world, size_t matter);

// The least mass that the place held shows to a pull in any direction, kg, as things are now; 0: it does not
// move at all, or has no mass.
double tac_touch_mass(TacWorld *world, const TacHold *hold);

// The least mass of any point of this matter; where it follows other matter, of some of them.
double tac_touch_least_mass(TacWorld *world, size_t matter);

#endif
