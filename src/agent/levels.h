// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Levels: one thing, several models of it, of which one at a time is simulated ("Adaptive resolution in physics based
// virtual environments", algorithm 1 and section 4: a hierarchy of models with resolution numbers, transition rules
// and quality measures).
//
// The models are agents: each has its own solver, matter, mass and laws. A cloth is seven grids; a crate is a frame,
// then frames on joints, then a solid of tetrahedra. From coarse to fine they are the levels 0, 1, 2 ... The model
// of the present level lives; the others are *idle*: their solvers do not tick, their laws and collision models are
// not felt, they weigh nothing, and they are seen where the living model has them (transfer.h).
//
// Rules:
//   1. Which level is wanted is decided when an instant is committed, from what was told and seen until then. The
//      change is made at the next instant at which both solvers tick, before kicks are computed: the old model's
//      last kick was for the time up to now, the new one's first is for the time from now, whatever their steps.
//   2. Changes go through all levels between, one after the other (but see 4), and keep what transfer.h says.
//   3. Coarser is taken at once. Finer only when the last change is `patience` ago.
//   4. With `local`, models may be fine in different places, and there is no order among them: a change goes straight
//      from one to the other, and what the user sees is how fine a model is at the place that is looked at.
//   5. What a hand holds is there: while hands hold points of a model, that level is taken (of several, the finest).
//
// Qualities, each with its weight: accuracy (N / N_finest)^gamma, or as the scene says; time, shared by all Levels of
// the world; robustness by the highest frequency w of a level against what its solver bears at its step h (w h < 1.8
// for explicit solvers, < 1 for Spook as in the document, anything for implicit ones). Frequencies are those of M^-1 K
// at the start, one power iteration per level, or a table from the scene; `watch` follows them as the living model
// changes. Spook's tensions are added as they are (tac_spook_frequency), and scaled to other levels by their number of
// points along a side. The user's: the accuracy again, with the weight `attention` - 1 while somebody looks at the
// thing, has selected it, or something strikes it, or as `focus` tells.

#ifndef TACTUS_AGENT_LEVELS_H
#define TACTUS_AGENT_LEVELS_H

#include "agent/resolution.h"
#include "agent/transfer.h"
#include "solver/solver.h"

// Numbers of the output "resolution".
enum {
    TAC_LEVELS_LEVEL,
    TAC_LEVELS_POINTS,    // of the living model
    TAC_LEVELS_FREQUENCY, // the highest of the living model, rad/s
    TAC_LEVELS_CRITICAL,  // what it bears
    TAC_LEVELS_ACCURACY,
    TAC_LEVELS_TIME,
    TAC_LEVELS_ROBUSTNESS,
    TAC_LEVELS_ATTENTION, // factor by which accuracy counts more just now
    TAC_LEVELS_SHIFT,     // of the centre of mass by the last transition, m
    TAC_LEVELS_TAKEN,     // momentum that holders took at the last transition, N s
    TAC_LEVELS_ENERGY,    // change by the last change of level, J
    TAC_LEVELS_CHANGES,   // transitions so far
    TAC_LEVELS_NUMBERS
};

// What is saved and restored.
typedef struct TacLevelsState {
    int64_t level, wanted;
    double changed;         // s; when the level last changed
    double told_until;      // s; until when a blow is remembered
    double momentum_time;   // s; negative: none is known
    TacVec3 momentum;       // after the last kick
    double pulled, stirred; // rad/s of rows, and the factor of laws' frequencies, at the last look
    double factor;          // attention then
    uint64_t spot;          // local: point of the living model that was looked at; UINT64_MAX: none
} TacLevelsState;

typedef struct TacLevels {
    TacComponent base;
    // as given
    int64_t lowest, finest, start;
    double weights[4]; // accuracy, time, robustness, user
    double gamma_accuracy, gamma_time, gamma_robustness;
    double cost, time_limit, attention, blow, memory, patience;
    TacReals costs, accuracies, frequencies, bears, focus, dips;
    int costs_from;
    int64_t watch;
    bool view, local;
    // models, from coarse to fine
    size_t count;
    TacModel *models;
    TacTransfer *transfers; // between each and the next; local: between i and j > i, at i count + j
    const TacProgram **programs;
    const TacSolver **solvers;
    double *steps;
    uint32_t *tickers;   // of the world
    TacMatter ***matter; // of each model: its own, and what follows it
    size_t *matter_counts;
    double **sizes; // local: by model, point, and model again: how large the latter's elements are there, m
    double *side;   // points along a side, about
    double *table;  // rad/s, at the start
    double *watch_table; // the same with `watch` iterations
    double longest;      // of steps
    // now
    TacLevelsState *state;
    TacResolution resolution;
    double accuracy[TAC_LEVELS];
    double measured; // s of a step, smoothed; 0: not known
    double *numbers;
    TacReals outputs;
} TacLevels;

// What the world knows of who looks and touches.
typedef struct TacAttention {
    bool elsewhere; // it is not its turn: it only takes its part of the time, as it was when it last looked
    bool looks;
    TacVec3 eye, aim;
    double half_angle; // rad, of the view's height
    bool selected;
    int held; // level of a model that hands hold; -1: none
    TacVec3 sphere;
    double radius; // of the sphere that pushes; 0: there is none
} TacAttention;

extern const TacClass tac_levels_class;

// Once, when models, programs and steps are filled in: binds transfers, finds frequencies.
TacStatus tac_levels_prepare(TacLevels *levels, TacArena *arena, TacTeam *team, TacError *error);

// Marks idle matter; after a restore, too.
void tac_levels_mark(TacLevels *levels);

// Rule 1: what is wanted, for all Levels whose living model has just been kicked (and that are not elsewhere). `others` is
// what those that are not in the list cost, in s.
void tac_levels_choose(TacLevels *const *list, const TacAttention *attention, size_t count, double others,
                       const TacContext *context);

// The estimated cost of a step as it is, s.
double tac_levels_cost(const TacLevels *levels);

// Takes note of what a kick of the living model took, s.
void tac_levels_took(TacLevels *levels, double seconds);

// Goes to the level that is wanted, at the tick `now`.
void tac_levels_go(TacLevels *levels, const TacContext *context, int64_t now);

// Rule 2: where idle models are seen, in TAC_X_SHOWN and TAC_V_SHOWN, from those of the living one.
void tac_levels_show(const TacLevels *levels);

#endif
