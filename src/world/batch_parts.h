// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How kicks of batches (batch.h) are delivered while layers push.
//
// Every element has the clock that its own stiffness needs, and layers have theirs, which may tick many times in between. Kicked
// whole, a point that is held against a layer is thrown off it at one tick of the element, and pushed back by the layers until
// the next one: it stays where it is within micrometres, and is always as fast as half of such a kick.
//
// Rules:
//   1. No clock moves. A law finds its forces at its own ticks, from where things are then; what comes in parts is its kick:
//      equal ones, as often as the outermost layers on its matter tick.
//   2. Half of a kick is given ahead, at once, and taken back by the next one, as with explicit agents (stride.h, rule 7): from
//      tick to tick, where layers do nothing, things go as by whole kicks, and forces are those, too: they are found for the
//      velocities without what the batch itself has ahead. (Where several classes are in parts, those that tick more often find
//      things on a smooth way where they would have found corners. That is as true, and not the same to rounding.)
//   3. All points of a batch have parts, not only those that are pushed: so what acts within its matter pushes nothing at any
//      time. Parts turn it no more than the kicks did where they were computed: what they lack is made up by a rigid motion
//      of all the matter (momentum.h, rule 2). Where that cannot be, as the matter is several things and nothing holds it, kicks
//      are whole.
//   4. That is so while layers push points of its matter, and for some kicks after that; as long as all layers there lose
//      energy. What loses none would be fed by it: at e = 1, all kicks are whole.
//   5. Where some batch has parts, so have other laws on the same matter alone, which have one clock (weights that are hung
//      on it, a Pressure); but for those without a potential, which do nothing to what rests.
//   6. One ticker delivers the parts of all laws on a matter. What ticks as often as layers do is whole, and takes no more
//      memory.

#ifndef TACTUS_WORLD_BATCH_PARTS_H
#define TACTUS_WORLD_BATCH_PARTS_H

#include "world/world.h"

// What is saved, beside `part` and TacTicker.in_parts.
typedef struct TacBatchShare {
    TacVec3 turn; // N m s: by how much a part turns its points about the origin, where the kick was computed
    int64_t hit;  // kicks that still come in parts since layers pushed
} TacBatchShare;

// Of one batch, or of a law with one clock.
typedef struct TacBatchParts {
    const TacBatch *of;
    double *part; // N s, three per point: a part of its last kick
    TacBatchShare *share;
    double owed; // parts that a kick gives ahead
    bool damped; // its forces depend on velocities
} TacBatchParts;

// Of a matter: what its ticker of parts delivers.
typedef struct TacMatterParts {
    uint32_t *laws; // tickers
    size_t count;
    TacTicker whole; // the matter and its laws, as if somebody owned them: for its momentum
    bool given;      // scratch: at this instant, parts were given where they were not computed,
    TacVec3 lacking; // and lack this to turn it as they should, N m s
} TacMatterParts;

// Before kicks: `pushed` of those who are due, from what pushes each matter.
void tac_batch_parts_feel(TacWorld *world, const uint8_t *pushed);

// A kick at its own tick; parts of all kicks that were computed before, on a ticker of parts.
void tac_batch_parts_kick(const TacWorld *world, TacTicker *ticker, const TacContext *context);
void tac_batch_parts_deliver(TacWorld *world, const TacTicker *ticker, const TacContext *context,
                             TacTick now);
// After all kicks: what they lack (rule 3).
void tac_batch_parts_mend(TacWorld *world, TacTick now);

// Whether anything on a ticker of parts comes in parts.
bool tac_batch_parts_any(const TacWorld *world, const TacTicker *parts);

// After a restore. False when the state makes no sense.
bool tac_batch_parts_restored(const TacWorld *world);

#endif
