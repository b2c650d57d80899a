// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs that push the same point: how much more one of them moves, because of the others.
//
// A ball on a vertex of a mesh touches all faces around it, a box on a soft body many of its vertices. A solve that
// foresees each pair as if it pushed alone would have the ball give way far too little. So each pair is taken for one
// of several that push alike: where their pushes have the directions j and the sum J, its own moves as by J.

#ifndef TACTUS_CONTACT_LAYER_LOADS_H
#define TACTUS_CONTACT_LAYER_LOADS_H

#include "base/sort.h"
#include "contact/safe.h"

typedef struct TacLayerLoad {
    uint32_t support, pair; // `pair` is the caller's number
    double push[3];         // weight times normal
    double more;            // 1/kg, found
} TacLayerLoad;

typedef struct TacLayerLoads {
    TacLayerLoad *list;
    size_t count, capacity;
    TacKeyed *order;
    size_t order_capacity;
} TacLayerLoads;

// False without memory.
bool tac_layer_loads_add(TacLayerLoads *loads, uint32_t support, uint32_t pair, double weight,
                         const double normal[3]);
// Finds `more` of all of them. False without memory.
bool tac_layer_loads_find(TacLayerLoads *loads, const TacSafe *safe);
void tac_layer_loads_free(TacLayerLoads *loads);

#endif
