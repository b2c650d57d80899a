// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What can be seen of a world besides where its points are: numbers per point (TacScalar, contact layers), nodes, plans,
// boxes, who sleeps. Nothing of it is computed unless somebody asks, and asking changes nothing.

#ifndef TACTUS_WORLD_LOOK_H
#define TACTUS_WORLD_LOOK_H

#include "world/world.h"

// Besides those that components show.
enum { TAC_SCALAR_LAYER = TAC_SCALARS }; // the deepest live layer of safe contact, from 1; 0: none

struct TacScalarSheet {
    const TacWorld *world;
    float *values;    // of all points of all matter
    size_t *first;    // per matter
    uint32_t *matter; // per component; UINT32_MAX: it is none
    uint8_t *given;   // per matter: it has numbers
    size_t point_count;
};

// For one world, which must live as long.
TacStatus tac_scalar_sheet_create(TacScalarSheet **sheet, const TacWorld *world, TacError *error);
void tac_scalar_sheet_destroy(TacScalarSheet *sheet); // NULL is allowed

// Asks everybody; matter that follows other matter as a weighted sum and has no numbers of its own takes the same sum of
// its parents' numbers. The world must have been shown (tac_world_show, tac_world_frame). False: nothing here has any.
bool tac_scalar_sheet_fill(TacScalarSheet *sheet, int what);

// Of matter, after a fill; NULL: it has none.
const float *tac_scalar_sheet_values(const TacScalarSheet *sheet, size_t matter);

// Whether anything in this world could show such numbers.
bool tac_world_can_show(const TacWorld *world, int what);

// Places that components compute with; writes up to `most` and returns how many there are.
size_t tac_world_nodes(const TacWorld *world, TacNodeMark *marks, size_t most);

// Whether an agent that owns this matter (or what it follows) rests.
bool tac_world_sleeps(const TacWorld *world, size_t matter);

#endif
