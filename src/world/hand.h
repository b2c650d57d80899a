// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Hands, pins and the solid sphere: what somebody outside does to a running world.
//
// A hand is a law like any other: a damped spring from a place it is told (the *target*) to a point, or to a
// place on a frame. Three rules make it safe on whatever it pulls:
//
//   1. The law belongs to who owns the matter. Where that is a solver, the law is put into the solver's
//      program, with its stiffness, so implicit agents stay stable under any strength and maps carry the pull
//      up. Matter that nobody owns is kicked by hands themselves, once a beat, at the beat.
//   2. Who kicks explicitly cannot take any strength: there k h^2 / m is kept below a tenth, with m the mass
//      that the point itself shows to a pull (1 / (J M^-1 J^T), through maps and about the axes of a frame).
//      Damping is critical for that mass.
//   3. Inputs come after the kicks of the instant now are computed, act from the next instant on, are logged with the
//      tick of now, and are state: saved and restored with the world. A world that is given the same inputs at
//      the same ticks has the same bits, whoever looks on the way (rule 4 of world.h).
//
// A pin is a hand that stays, and besides takes away all velocity of matter that follows no other at every
// instant; what falls by itself does not while it is pinned (TacMatter.pinned), so that it stands still between instants,
// too, whenever these are. The sphere pushes every point inside it out along its radius, by penalty. One law per matter does
// all three; it is in a program only while there is something for it to do, so an untouched world runs as if
// none of this were here.

#ifndef TACTUS_WORLD_HAND_H
#define TACTUS_WORLD_HAND_H

#include "solver/program.h"
#include "tactus/world.h"
#include "time/ticks.h"

enum { TAC_HOLDS = TAC_HANDS + TAC_PINS };

// A hand (one of the first TAC_HANDS) or a pin. All zero: it holds nothing.
typedef struct TacHold {
    uint64_t used;
    uint64_t matter; // index in the world
    uint64_t point;
    TacVec3 local;  // in the axes of a frame; zero for points
    TacVec3 target; // m
    double stiffness, damping;
} TacHold;

// What is saved with the world.
typedef struct TacTouchState {
    TacHold holds[TAC_HOLDS];
    TacVec3 center; // of the sphere
    double radius;  // 0: there is none
    TacVec3 eye, aim;
    uint64_t selected; // component of the scene: index1, and generation above it
    uint64_t input_count;
} TacTouchState;

typedef struct TacTouchLaw {
    TacLaw law;
    const struct TacHands *hands;
    uint64_t index;    // of its matter
    bool shares;       // the sphere's push is shared between the points inside, for it goes up through maps
    bool takes_sphere; // nothing with points follows its matter
} TacTouchLaw;

typedef struct TacHands {
    TacTouchState state;
    double *sphere_stiffness; // per matter; state
    TacTouchLaw *laws;        // per matter
    uint32_t *owner;          // per matter: the agent that owns its root; UINT32_MAX: nobody
    uint32_t *root;     // per matter: the matter that it follows in the end; itself where it follows none
    TacMap **map;       // per matter: what makes it follow; NULL: nothing
    TacMass **mass;     // per matter; NULL: none
    uint8_t **pinned;   // per matter that falls by itself: its TacMatter.pinned while there are pins on it
    uint8_t *needed;    // per matter, scratch
    size_t *law_counts; // per ticker, without ours
    TacProgram free;    // what is done to matter that no solver owns
    TacInput *inputs;
    size_t input_count, input_capacity;
    TacInput *script; // inputs that are still to be given, by their ticks (input_file.c)
    size_t script_count, script_at, script_capacity;
} TacHands;

// Called once by the compile step, when programs and vectors are there.
TacStatus tac_hands_setup(TacWorld *world, TacError *error);
// Makes room for our laws behind those of each program; again whenever tickers or their laws were added.
TacStatus tac_hands_widen(TacWorld *world, TacError *error);
void tac_hands_destroy(TacHands *hands);

// Whose programs laws go into, when agents have merged or parted; tac_hands_arrange must follow.
void tac_hands_find_owners(TacWorld *world);

// Puts laws into the programs, and marks what is pinned, as the state says; after a restore. False when the state makes no
// sense. Where pins have changed tac_world_renew_falls, or a restore of contact, must follow.
bool tac_hands_arrange(TacWorld *world);

// The first beat at `from` or later at which hands kick matter that nobody owns; TAC_TICK_NEVER: none.
TacTick tac_hands_next(const TacWorld *world, TacTick from);

// Whether they do so at this instant.
bool tac_hands_due(const TacWorld *world, TacTick now);

// Pinned points are where they are pinned and have no velocity: before kicks are computed, and after velocities have
// changed.
void tac_hands_hold_pins(TacWorld *world, TacTick now);

// After a jump in time: the inputs of a replay from now on are still to be given.
void tac_hands_script_rewind(TacWorld *world);
// When the next input of a replay is due (TAC_TICK_NEVER: none), and giving all that are due now.
TacTick tac_hands_script_next(const TacWorld *world);
TacStatus tac_hands_script_do(TacWorld *world, TacError *error);

// Sets TacMatter.focus of what a program owns, from inputs so far and where things are now (focus.c).
void tac_hands_attend(TacWorld *world, const TacProgram *program);

#endif
