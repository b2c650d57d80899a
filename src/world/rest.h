// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents that take longer steps while little moves, and sleep, in worlds with safe contact. (Under the loose scheduler
// that is loose.c's: there nobody promises anything to anybody.)
//
// An agent is *calm* when the root mean square of its speeds, taken in the middle of its kicks, stays below `still`.
// After `patience` seconds of calm its step doubles, up to `longest` times its own; after as long a calm at the longest
// step it is *ready*. What touches each other sleeps together or not at all: when all agents of a heap are ready they
// are stopped at one instant.
//
// Rules:
//   1. Steps change at ticks of both classes of the ruler, just before the kick: the kick that follows is for the new
//      step, and no time is kicked for twice or not at all. An agent that is not calm takes its own step at its next tick.
//   2. What is asleep has no velocity, is not kicked and is off the ruler; its points are fixed for plans. A pair of
//      which all is asleep, or never moves, has no live layer. Nothing else about certificates changes: they hold for a
//      sleeper as for anything that stands still.
//   3. The first kick of a layer on a sleeper wakes it, and is not lost: it is added as to anybody else. So does a hand,
//      a trigger, a state or a value that is set, a joint that ties it to another agent. Whatever wakes takes with it all that it
//      touches: so nothing is left hanging in the air.
//   4. Who wakes between two of its ticks goes on with the parts of its last kick, until its next tick.
//   5. What falling asleep takes away is booked as "rest" (account.h). Everything here is decided by places and
//      speeds, never by what was looked at: the same for all tubes, boxes and threads.
// Agents that laws on their own clock kick, or that scripts move, never sleep; explicit ones keep their step.

#ifndef TACTUS_WORLD_REST_H
#define TACTUS_WORLD_REST_H

#include "world/world.h"

// What is saved.
typedef struct TacRestState {
    int64_t longer;        // classes above its own
    int64_t calm;          // ticks
    int64_t next_try;      // tick before which falling asleep is not tried again
    int64_t asleep, ready; // truth values
    int64_t was_in_parts;  // when it fell asleep
    double speed;          // m/s, in the middle of its last kick
} TacRestState;

typedef struct TacRest {
    uint32_t ticker;
    int own, most;    // class of its own step; classes that it may go above it
    TacTick patience; // ticks
    double still;     // m/s
    bool may_sleep;
    TacRestState *state;
} TacRest;

// Before the kicks of an instant, when matter has arrived: who takes which step, and who falls asleep.
TacStatus tac_world_rest(TacWorld *world, TacTick now, TacError *error);
// Before kicks are added: how fast everybody due is.
void tac_world_note_speeds(TacWorld *world);
// After layers have kicked: sleepers that were hit wake.
TacStatus tac_world_wake_touched(TacWorld *world, TacTick now, TacError *error);
// Whatever happens to matter from outside: its agent wakes.
TacStatus tac_world_rouse(TacWorld *world, const TacMatter *matter, TacError *error);
// A component changes while time runs: whom that concerns must not sleep through it.
TacStatus tac_world_rouse_by(TacWorld *world, const TacComponent *component, TacError *error);
// An agent wakes and takes its own step.
TacStatus tac_world_wake(TacWorld *world, uint32_t ticker, TacError *error);
// Contacts of sleepers go on.
void tac_world_keep_meetings(TacWorld *world);
// After a restore, before contact is found anew. False when the state makes no sense.
bool tac_world_rest_restored(TacWorld *world);

#endif
