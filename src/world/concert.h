// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents that touch each other and solve at the same instant, in concert.
//
// An implicit agent foresees what layers do to it (layer_law.h), and for that, how what is on the other side of them goes and gives
// way. Where the other side is another implicit agent, it can only guess: that one is held together by laws that this one
// does not know. What two agents foresee of the force between them then differs, and the difference is a force on the points
// of both that nothing balances until their next step: what lies on each other trembles for ever. Where both solve at one
// instant, for the same step, they need not guess:
//
//     each solves in turn, with what the others have found last; what is found anew changes what those before it
//     were told; so all of them solve again, until that changes by no more than a small part of how wrong they were at first, or of
//     what rests.
//
// What is sought is a fixed point of a map that is linear as long as each pair keeps its course. So what was told is not taken as it
// comes, but mixed from what has been told so far such that the next change would be the least (mixing.h). Some rounds are
// enough, however stiff layers are beside what they hold. What comes out is what one solver for all of them would find.
//
// Rules:
//   1. A concert is of agents that are due at the same instant, with live layers between them, directly or through others, and with
//      own steps of the same length. One of them leads: the first in the order of the scene.
//   2. All of them take the same step: the shortest that one of them needs (stride.h).
//   3. All that they find depends on the order of the scene and not on who looks when, or on threads.
//   4. Who ticks while those that it touches do not guesses, as ever (layer_others.h).

#ifndef TACTUS_WORLD_CONCERT_H
#define TACTUS_WORLD_CONCERT_H

#include "contact/layer_borne.h"
#include "contact/layer_concert.h"
#include "world/stride.h"

typedef struct TacConcert {
    TacStrideKick *kicks; // in the order of the scene
    size_t count;
    TacLayerLaw **laws; // of all of them; none where there is only one agent
    size_t law_count;
    double first; // m: by how much they were wrong when they first solved for this step; 0: they have not yet
} TacConcert;

// When all agents are known: takes room for whoever may solve together at one instant.
TacStatus tac_world_seat_concerts(TacWorld *world, TacError *error);

// Before the kicks of an instant: finds who leads each agent that is due (TacTicker.leader).
void tac_world_find_concerts(TacWorld *world, TacTick now);
// After them: nobody leads anybody.
void tac_world_leave_concerts(TacWorld *world);

// Of those that an agent leads, itself among them: where their kicks are, for whoever fills them in.
TacStrideKick *tac_concert_kicks(const TacWorld *world, const TacTicker *leader);
// With its kicks given: finds the rest.
void tac_concert_begin(TacConcert *concert, const TacWorld *world);
// When all have looked: finds what they share. False without memory.
bool tac_concert_meet(TacConcert *concert, TacTick now);

// One agent's equations, with layers as they are foreseen now.
void tac_concert_solve(TacStrideKick *kick, bool again, bool rough);

// Those of all, until they agree.
void tac_concert_settle(TacConcert *concert, bool again, bool rough);

#endif
