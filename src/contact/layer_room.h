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
#include "math/mixing.h"

typedef struct TacLayerLoad {
    float push[3]; // weight times normal, of all pairs
} TacLayerLoad;

// What a line does in a solve (layer_law.h).
typedef struct TacLayerEffect {
    float force;     // N
    float stiffness; // N/m
    float impulse;   // N s, found
} TacLayerEffect;

// First a list of pairs is there, then loads, while an agent looks; effects while it solves.
typedef union TacLayerShared {
    TacLayerLoad load;     // of each support
    TacLayerEffect effect; // of each line
} TacLayerShared;

// Who else is pushed by a pair, while an agent looks.
typedef struct TacLayerOther {
    uint32_t support;
    float weight;
} TacLayerOther;

// The same pair in the law of another agent that solves together with this one (layer_concert.h).
typedef struct TacLayerMate {
    uint32_t law, hold; // law: its place among them; its own: nobody solves for the other side
} TacLayerMate;

// First others are there; then, of agents that solve together, mates of all pairs, and behind them what these do along each line.
typedef union TacLayerBeside {
    TacLayerOther other;
    TacLayerMate mate;
    double away; // m: how the other side goes by its own solve, but for how this one's push changes that
} TacLayerBeside;
_Static_assert(sizeof(TacLayerBeside) == 8, "no gaps");

typedef struct TacLayerRoom {
    struct TacLayerRoom *next; // while nobody has it
    TacLayerShared *shared;
    size_t shared_capacity;
    // of laws (layer_law.h)
    struct TacLayerHold *holds;
    struct TacLayerLine *lines;
    struct TacLayerSide *sides;
    struct TacLayerSlip *slips;
    uint32_t *points;
    float *weights;
    TacLayerBeside *beside;
    size_t hold_capacity, line_capacity, side_capacity, slip_capacity, point_capacity, weight_capacity,
        beside_capacity;
    // of frames that are borne (layer_borne.h)
    struct TacLayerArm *arms;
    struct TacLayerBorne *borne;
    struct TacLayerProp *props;
    double (*pushed)[6]; // of each: N s, N m s
    size_t arm_capacity, borne_capacity, prop_capacity, pushed_capacity;
    TacMixing mixing; // of those that solve together, in the room of the first
    void *seen;       // of some pairs at a time
    size_t seen_bytes;
} TacLayerRoom;

// NULL without memory. From any thread.
TacLayerRoom *tac_layer_room_take(TacSafe *safe);
void tac_layer_room_give(TacSafe *safe, TacLayerRoom *room);
void tac_layer_rooms_free(TacLayerRoom *rooms); // a list; NULL is allowed
size_t tac_layer_rooms_bytes(const TacLayerRoom *rooms);

// The pairs that are armed, as low halves of numbers, until the first load; NULL without memory.
const uint64_t *tac_layer_room_pairs(TacLayerRoom *room, const TacSafe *safe, size_t *count);

// First, of all that will be: nothing pushes a support yet.
void tac_layer_room_empty(TacLayerRoom *room, uint32_t support);
// A support is pushed along `normal`.
void tac_layer_room_load(TacLayerRoom *room, uint32_t support, double weight, const double normal[3]);
// When all are known: how much more it moves then, 1/kg.
double tac_layer_room_more(const TacLayerRoom *room, const TacSafe *safe, uint32_t support, double weight,
                           const double normal[3]);

#endif
