// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How kicks of batches (batch.h) are delivered while layers push.
//
// Every element has the clock that its own stiffness needs, and layers have theirs, which may tick many times in between. Kicked
// whole, a point that is held against a layer is thrown off it at one tick of the element, and pushed back by the layers until
// the next one: it stays where it is within micrometres, and never moves more slowly than half of such a kick.
//
// Rules:
//   1. No clock moves. A law finds its forces at its own ticks, from where things are then; what is delivered in parts is its
//      kick, in equal ones, as often as the outermost layers on its matter tick.
//   2. Half of a kick is given ahead, at once, and taken back by the next one, as with explicit agents (stride.h, rule 7): from
//      tick to tick, where layers do nothing, things go as by whole kicks, and forces are those, too. They are found for the
//      velocities without what those who tick have ahead. (Where classes that differ are in parts, those that tick more
//      often find things on a smooth way, and not on one with corners: that is as true, and not the same to rounding.)
//   3. All points of a batch have parts, not only those that are pushed: so the parts of a law within its matter push nothing,
//      at any time. They turn it no more than the kick did where it was computed (momentum.h, rule 2): for that it must
//      hang together. Matter of several things with forces within is kicked whole, unless something holds some of it.
//   4. That is so while layers push points of its matter, and for some kicks after that; as long as all layers there lose
//      energy. What loses none would be fed by it: at e = 1, all kicks are whole.
//   5. What ticks as often as layers has no parts, no ticker for them, no memory.

#ifndef TACTUS_WORLD_BATCH_PARTS_H
#define TACTUS_WORLD_BATCH_PARTS_H

#include "world/world.h"

typedef struct TacBatchParts {
    double *part; // m/s, three per point of the batch: a part of its last kick
    struct TacBatchPartsState {
        TacVec3 turn; // N m s: by how much such a part turns its points, where the kick was computed
        int64_t hit;  // kicks that still come in parts since layers pushed
    } * state;
    double owed; // parts that a kick gives ahead
    bool turns;  // whether parts keep to `turn` (rule 3)
} TacBatchParts;

// What pushes the matter of batches that are due: their `pushed`, from that by matter. And what their forces are found for.
void tac_batch_parts_feel(TacWorld *world, const uint8_t *pushed);
void tac_batch_parts_set_aside(TacWorld *world);

// A kick of a batch at its own tick; and a part of it, between those.
void tac_batch_parts_kick(TacTicker *ticker, const TacContext *context);
void tac_batch_parts_add(const TacTicker *ticker, const TacContext *context);

// After a restore. False when the state makes no sense.
bool tac_batch_parts_restored(const TacWorld *world);

#endif
