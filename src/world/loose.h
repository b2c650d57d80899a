// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Worlds under the loose scheduler (time/loose.h): every agent on its own time, no common instant.
//
// A turn: a group of agents is taken; each looks at what others have published, kicks, and drifts to the end of its
// own step, side by side on as many threads as there are; then, one after the other in the order of taking, each
// publishes and decides (priority, sleep, step). What is published is a second buffer (TAC_X_SHOWN, TAC_V_SHOWN, its
// bounds in the zones): while a group runs nobody writes it, so there are no locks, and with the virtual clock the bits
// do not depend on the number of threads. The size of a group follows from the number of agents alone (an eighth of
// them, 1 to 64).
//
// The world's now is where every agent has come at least; looking shows each agent at its own time, ahead of now by no
// more than the window. Laws between two agents act by halves, one in each (agent/half_law.h).
//
// Agents that a link ties (merge.h) are one here, too: one turn, one time, one place in the queues. Links change on
// beats, when every agent has come that far and some are ahead. So before a link closes, all of its family who move are
// *gathered*: each goes on in steps of its own to one time, a shortest step of theirs after the latest of them, so that
// nobody has to do with a sliver of a step. Nothing but their own steps moves them: momentum is kept as it always is.
// What is merged looks at contacts with the views of its members, so contacts go on as they were. When a link opens,
// its sides go on from the time that they have come to.

#ifndef TACTUS_WORLD_LOOSE_H
#define TACTUS_WORLD_LOOSE_H

#include "agent/agent.h"
#include "world/merge.h"
#include "world/world.h"

enum { TAC_LOOSE_GROUP = 64 };

typedef struct TacLooseBody {
    TacAgentStep step;
    TacTick time; // its own
    TacTick cost; // ticks of the virtual clock for one step
    double shown; // when it was published last, s
    TacTouch view;
    TacTouchModel **models;
    size_t model_count;
    TacSkinTouch **skins;
    size_t skin_count;
    TacZonePair *pairs; // that may touch, in its turn
    size_t pair_count, pair_capacity;
    double speed;           // mean, at the end of its last step
    double seconds;         // wall time of its last step
    const TacMatter *wrong; // no longer a number
    const TacMerge *merge;  // whose merged members it acts for; NULL: for itself
    TacStatus status;
} TacLooseBody;

typedef struct TacWorldLoose {
    TacLoose scheduler;
    TacLooseBody *bodies; // by ticker
    size_t count;
    bool wall;
    double started; // wall clock, s; negative: not yet
    uint32_t group[TAC_LOOSE_GROUP];
    double delay_sum, delay_most; // ticks, since they were last asked for
    uint64_t turns;
    // for recordings: the delay at one turn between two frames, another one each time
    double frame_delay;
    uint64_t frame_turns, frame_turn; // turns since the last frame; which of them counts
} TacWorldLoose;

TacStatus tac_world_loose_start(TacWorld *world, TacError *error); // publishes everybody once
// Whether it is matter without mass that no agent moves, or follows such: that stands still, since only agents act.
bool tac_world_loose_stands(const TacWorld *world, const TacMatter *matter);
// Shows that to everybody as it is: after a restore, and when it is put elsewhere.
TacStatus tac_world_loose_publish_standing(TacWorld *world, TacError *error);
// The ticker's step is the one that the agent is going to take, in whole ticks: hands look at it between steps.
void tac_world_loose_note_step(TacWorld *world, uint32_t id);
TacStatus tac_world_loose_run(TacWorld *world, TacTick target, TacError *error);
void tac_world_loose_destroy(TacWorld *world);

// Matter was changed from outside: others see that at once, as they would if somebody looked.
void tac_world_loose_show(TacWorld *world, const TacMatter *matter);
// After a change from outside to some matter: it is published, and its agent wakes.
void tac_world_loose_rouse(TacWorld *world, const TacMatter *matter);

// Brings all of a family who move to one time, before a link closes.
TacStatus tac_world_loose_gather(TacWorld *world, const TacMerge *family, TacError *error);

// A ticker begins to be an agent, at `time`, or ceases to be one.
void tac_world_loose_set_present(TacWorld *world, uint32_t ticker, bool present, TacTick time);

// Others are merged in a family than before: what one step costs, and who kicks by which law.
void tac_world_loose_rearranged(TacWorld *world, const TacMerge *family);

size_t tac_world_loose_save_bytes(const TacWorld *world);
void tac_world_loose_save(const TacWorld *world, void *to);
TacStatus tac_world_loose_restore(TacWorld *world, const void *data, size_t bytes, TacError *error);

#endif
