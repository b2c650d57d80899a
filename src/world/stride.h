// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The steps of agents with solvers under safe contact, and how their kicks are delivered.
//
// A solver foresees what layers will do over its step (layer_law.h, layer_rows.h). That is good for what rests, over any
// step; but what is hit in the middle of a step was not foreseen, and what moves fast through its layers is foreseen
// badly. What was foreseen wrongly keeps pushing a point against its neighbours until the step ends: a block of 1 MPa
// that falls on a floor at 2 m/s with steps of 10 ms would be squashed to half its size and hold a hundred times the
// energy that it came with. So a step can be *cut*: to a finer class of the ruler, as long as something needs that.
//
// Rules:
//   1. A step is chosen at every tick, with its kick: the longest class, up to the agent's own, that ticks at this
//      instant, and for which all live layers can be foreseen, as fast as they are and as fast as the solve says that
//      they will be. Otherwise it solves again for a shorter one. Layers that cannot be foreseen do not count as long as
//      what all of them do at worst (tac_layer_harm) is little of what the solve loses, which is half the square of its
//      kick: then no energy is gained. Nor what is little of the energy at the speed of what rests: else steps that have
//      become short would shake what rests, and be short for that.
//   2. A pair that meets for the first time, faster than it can be foreseen over what is left of a step, cuts the step:
//      its agents tick again at the next tick of the class that it needs. What their last kick has given for the time
//      after that is taken back: kicks are in proportion to time, so nothing is given twice. It does not count either
//      while it does little.
//      That is so for parts of a kick, too, where the next tick comes before the next part.
//   3. While layers are live, kicks are delivered in equal parts, as often as layers tick, within limits
//      (tac_stride_part_class): cut steps have fewer of them, of the same length; the shortest ones are whole. Parts tick on the
//      ruler, with the layers. An agent with a free clock (ticking.h) ticks between them: its kick begins with a share of a part,
//      for the time up to the first of them, and takes back what the last part of the kick before has given ahead. Points that
//      go as they are told have their whole motion at once.
//   4. What layers have met a few steps ago has parts, too, though no layer is live on it now: given at once, its weight would
//      throw it onto them again, and so for ever. (A flat cloth lands with all its points between two ticks, and is back from its
//      rebound before the next one.) Nor does a solve see layers on frames: their kicks have parts as explicit ones do (rule 7),
//      but nothing is given ahead, as they are for a step.
//   5. What is stiff is neither stretched by flying straight on while it turns, nor bent by a kick that is given in parts: if
//      the energy of that would be more than a little of what it moves with, its step is shorter.
//   6. What is delivered of a kick at other places than it was computed for does not turn the agent more, or less, than it
//      would have there (momentum.h).
//   7. An explicit kick is for an instant, and foresees nothing: given over a step in parts, as if its force stayed what it was, it
//      would feed whatever swings. So half of it is given ahead, at once, and taken back by the next one: what is left of both
//      is half of how the force has changed. (With all velocities known that is the velocity Verlet method. As N parts have a
//      place in time each, it is (N - 1) / 2N of it, which is nothing where it is whole.) Where layers do nothing, it goes from
//      tick to tick as by whole kicks, and its forces are those, too: they are found for the velocities without what is ahead.
//      It comes in parts if its step is longer than the outermost layers' period, while all layers that push it lose energy (what
//      loses none would be fed by it, and never rests), and where its momentum does not suffer (tac_momentum_bears_parts).
//   8. Agents that solve together (concert.h) take the same step: the shortest that one of them needs.
//   9. Only places, speeds and kicks decide, never what was looked at: the same for all tubes, boxes and threads.

#ifndef TACTUS_WORLD_STRIDE_H
#define TACTUS_WORLD_STRIDE_H

#include "world/world.h"

// Classes: a hard hit must not stop the world. Things tied together without give can be pressed against each other without
// end, and their joints solve for that with any step.
enum { TAC_MOST_CUT = 12, TAC_MOST_CUT_OF_JOINTS = 6 };

// What is saved.
typedef struct TacStride {
    int64_t cut;   // classes below the agent's own
    int64_t kick;  // class of the step that its last kick was for
    int64_t until; // tick to which that kick reaches; 0: nothing to take back
    int64_t hit;   // kicks that still come in parts since layers met it
    double swing;  // rad/s, where layers pushed it last; 0: none has
    double loss;   // J/s^2: by its last kick, over the square of its step
    double spare;  // J/s^2: harm that may still be done to it until its next kick
    double owed;   // parts of its last kick that were given ahead; its next one takes them back (rule 7)
    int64_t turns; // whether parts of its last kick keep to what follows (momentum.h)
    TacVec3 turn;  // N m s: by how much TAC_PART turns it, where its kick was computed
    TacVec3 ahead; // the same of TAC_AHEAD
} TacStride;

// The class on which a ticker ticks now.
static inline int tac_stride_class(const TacTicker *t) {
    return t->ruler_class - (t->stride ? (int)t->stride->cut : 0);
}

// The class on which it delivers parts, with steps of a class.
static inline int tac_stride_part_class(const TacTicker *t, int step) {
    int most = step - TAC_LEAST_PARTS, least = step - TAC_MOST_PARTS;
    return t->layer_class < least ? least : t->layer_class > most ? most : t->layer_class;
}

// Of agents that no solve foresees layers for, and of batches: what pushes them now, for their kicks.
void tac_world_feel_pushes(TacWorld *world, TacTick now);

// How many of its parts a kick gives ahead, that is as long as `parts` of them; the first of them begins after `stub` of one.
double tac_stride_owed(double parts, double stub);

// How many parts the kick of this instant has, and how many of them it gives at once, where it is an explicit one that comes in
// parts; else none.
typedef struct TacStrideParts {
    double count, given; // times TAC_PART
} TacStrideParts;
TacStrideParts tac_stride_parts(const TacWorld *world, const TacTicker *ticker);

// The kick of agents that solve together, mostly of one, into TAC_DV: rules 1 and 3. Only their own state is written.
typedef struct TacStrideKick {
    TacTicker *ticker;
    TacContext context;
    size_t live; // pairs
} TacStrideKick;
void tac_stride_kick(const TacWorld *world, TacStrideKick *kicks, size_t count, TacTick now);
// After the kicks of an instant, before anybody can look or save: the ruler knows the classes that were chosen.
TacStatus tac_world_file_strides(TacWorld *world, TacTick now, TacError *error);
// Rule 2, after the layers' kicks of the instant at the world's now.
TacStatus tac_world_cut_strides(TacWorld *world, TacError *error);

// A part of an agent's kick, into TAC_DV: what its ticker of parts delivers.
void tac_stride_add_part(const TacTicker *ticker, const TacContext *context);

// Its kicks begin, or cease, to come in parts: whoever makes plans for its points may count on being asked so often, and looks
// less far ahead. Where they cease, at an instant at which all of its matter was kicked, before that is settled.
void tac_stride_tell_parts(const TacWorld *world, const TacTicker *ticker);

// It begins, or ceases, to tick: its step is its own, and nothing is taken back.
TacStatus tac_stride_forget(TacWorld *world, uint32_t ticker, TacError *error);
// After a restore. False when the state makes no sense.
bool tac_world_strides_restored(TacWorld *world);

#endif
