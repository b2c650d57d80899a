// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Adaptive resolution: how finely objects are divided, chosen anew after every step ("Adaptive resolution in
// physics based virtual environments", section 2.2, algorithm 1).
//
// An object has levels, from coarse to fine. At each level it has qualities between 0 (poor) and 1 (good): for
// the user, accuracy, computing time, robustness. The best levels are those with the least
//
//     1/2 sum over objects and qualities of w Q^-2
//
// and each object goes there one transition at a time. Whoever implements TacResolutionOps keeps mass, rest
// length and momentum in its transitions.
//
// Only time is shared: objects that are computed together have one limit, and what one takes others lack. For
// one object all levels are tried. For several, time gets a price: at a given price each object chooses for
// itself; of a ladder of prices the best is taken, and one round of single changes uses what is left.
//
// Rules:
//   1. Of levels that are equally good, or equally hopeless, the coarsest is taken: it is the most robust.
//   2. Qualities are computed so that they stay apart however small they become (1 - 1/(1 + e^y) is written as
//      1/(1 + e^-y)); `floor` is added before dividing, so that nothing is divided by zero.
//   3. The choice depends on the objects and their order alone: the same on every run.
//   4. An object need not go back and forth. Coarser is taken at once. Finer, too, unless the last times that it became
//      finer were for nothing, because it had to become coarser again soon after: then it waits, twice as long each time.

#ifndef TACTUS_AGENT_RESOLUTION_H
#define TACTUS_AGENT_RESOLUTION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum TacQuality {
    TAC_QUALITY_USER,
    TAC_QUALITY_ACCURACY,
    TAC_QUALITY_TIME,
    TAC_QUALITY_ROBUSTNESS,
    TAC_QUALITIES
} TacQuality;

enum { TAC_LEVELS = 18 }; // at most

typedef struct TacResolution {
    int lowest, finest; // levels that may be taken
    int level;          // that it has
    double weights[TAC_QUALITIES];
    double floor;
    // while a choice is made
    int choice;
    double costs[TAC_LEVELS];   // of each level from the lowest on, without time
    double seconds[TAC_LEVELS]; // of computing, likewise
} TacResolution;

typedef struct TacResolutionOps {
    TacResolution *(*resolution)(void *self);
    // All but the quality of time, which is not the object's own.
    void (*qualities)(const void *self, int level, double quality[TAC_QUALITIES]);
    double (*seconds)(const void *self, int level);
    // To the next finer level, or to the next coarser one. False: it cannot, now.
    bool (*refine)(void *self);
    bool (*coarsen)(void *self);
} TacResolutionOps;

// Time for computing a step, that all objects share.
typedef struct TacBudget {
    double limit; // s
    double scale; // of the seconds that objects state
    double gamma; // 1/s
} TacBudget;

// Rule 4. What is saved and restored of it; all 0 at the start.
typedef struct TacPatience {
    double refined; // s; when it last became finer
    double ready;   // s; when it may become finer again
    double wait;    // s; the last one
} TacPatience;

// Chooses a level for each object, all of one kind. True when there was time for all that they wanted: then each has the
// level that it would have alone.
bool tac_resolution_choose(void *const *objects, size_t count, const TacResolutionOps *ops,
                           const TacBudget *budget);

// Goes towards the level that was chosen, as far as it can; returns how many transitions that took.
int tac_resolution_go(void *object, const TacResolutionOps *ops);

// Rule 4, before it goes: stays as it is for as long as it must wait.
void tac_resolution_wait(TacResolution *r, const TacPatience *patience, double time);

// Rule 4, after it has gone, from level `before`: how long it waits, between a step and `longest`.
void tac_resolution_learn(const TacResolution *r, int before, TacPatience *patience, double time, double step,
                          double longest);

// (count / most)^gamma: equation 11.
double tac_quality_of_count(double count, double most, double gamma);

// 1 - 1/(1 + e^(gamma margin)): equations 12 and 13.
double tac_quality_of_margin(double margin, double gamma);

#endif
