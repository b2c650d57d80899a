// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Room that an agent takes while it looks at layers and solves. Nothing of it is needed in between: agents that solve one
// after the other share one, and there are as many as agents ever solved at once.
//
// Pairs that push the same point: how much more one of them moves, because of the others. A ball on a vertex of a mesh
// touches all faces around it, a box on a soft body many of its vertices. A solve that foresees each pair as if it pushed
// alone would have the ball give way far too little. So each pair is taken for one of several that push alike: where
// their pushes have the directions j and the sum J, its own moves as by J.

#ifndef TACTUS_CONTACT_LAYER_ROOM_H
#define TACTUS_CONTACT_LAYER_ROOM_H

#include "contact/safe.h"

typedef struct TacLayerLoad {
    double push[3]; // weight times normal, of all pairs
} TacLayerLoad;

// What a line does in a solve (layer_law.h).
typedef struct TacLayerEffect {
    double force;     // N
    double stiffness; // N/m
    double impulse;   // N s, found
} TacLayerEffect;

// Loads are needed while an agent looks, effects while it solves.
typedef union TacLayerShared {
    TacLayerLoad load;     // of each support
    TacLayerEffect effect; // of each line
} TacLayerShared;

typedef struct TacLayerRoom {
    struct TacLayerRoom *next; // while nobody has it
    uint64_t *order;           // pairs that are armed, as low halves
    size_t order_capacity;
    TacLayerShared *shared;
    size_t shared_capacity;
    // of laws (layer_law.h)
    struct TacLayerHold *holds;
    struct TacLayerLine *lines;
    struct TacLayerSide *sides;
    struct TacLayerSlip *slips;
    uint32_t *points;
    double *weights;
    struct TacLayerMate *mates;
    size_t hold_capacity, line_capacity, side_capacity, slip_capacity, point_capacity, weight_capacity,
        mate_capacity;
    // of frames that are borne (layer_borne.h)
    struct TacLayerArm *arms;
    struct TacLayerBorne *borne;
    struct TacLayerProp *props;
    double (*pushed)[6]; // of each: N s, N m s
    size_t arm_capacity, borne_capacity, prop_capacity, pushed_capacity;
    void *seen; // of some pairs at a time
    size_t seen_bytes;
} TacLayerRoom;

// NULL without memory. From any thread.
TacLayerRoom *tac_layer_room_take(TacSafe *safe);
void tac_layer_room_give(TacSafe *safe, TacLayerRoom *room);
void tac_layer_rooms_free(TacLayerRoom *rooms); // a list; NULL is allowed
size_t tac_layer_rooms_bytes(const TacLayerRoom *rooms);

// First, of all that will be: nothing pushes a support yet.
void tac_layer_room_empty(TacLayerRoom *room, uint32_t support);
// A support is pushed along `normal`.
void tac_layer_room_load(TacLayerRoom *room, uint32_t support, double weight, const double normal[3]);
// When all are known: how much more it moves then, 1/kg.
double tac_layer_room_more(const TacLayerRoom *room, const TacSafe *safe, uint32_t support, double weight,
                           const double normal[3]);

#endif
