// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Adaptive resolution: how finely an object is divided, chosen anew after every step ("Adaptive resolution in
// physics based virtual environments", section 2.2, algorithm 1).
//
// An object has levels, from coarse to fine. At each level it has qualities between 0 (poor) and 1 (good): for
// the user, accuracy, computing time, robustness. The best level is the one with the least
//
//     1/2 sum over qualities of w Q^-2
//
// and the object goes there one transition at a time. Whoever implements TacResolutionOps keeps mass, rest
// length and momentum in its transitions.
//
// Rules:
//   1. Of levels that are equally good, or equally hopeless, the coarsest is taken: it is the most robust.
//   2. Qualities are computed so that they stay apart however small they become (1 - 1/(1 + e^y) is written as
//      1/(1 + e^-y)); `floor` is added before dividing, so that nothing is divided by zero.

#ifndef TACTUS_AGENT_RESOLUTION_H
#define TACTUS_AGENT_RESOLUTION_H

#include <math.h>
#include <stddef.h>

typedef enum TacQuality {
    TAC_QUALITY_USER,
    TAC_QUALITY_ACCURACY,
    TAC_QUALITY_TIME,
    TAC_QUALITY_ROBUSTNESS,
    TAC_QUALITIES
} TacQuality;

typedef struct TacResolutionOps {
    void (*qualities)(const void *self, int level, double quality[TAC_QUALITIES]);
    void (*refine)(void *self);  // to the next finer level
    void (*coarsen)(void *self); // to the next coarser one
} TacResolutionOps;

typedef struct TacResolution {
    int lowest, finest; // levels that may be taken
    int level;
    double weights[TAC_QUALITIES];
    double floor;
} TacResolution;

// The cost of a level: 1/2 sum w (Q + floor)^-2.
double tac_resolution_cost(const TacResolution *resolution, const TacResolutionOps *ops, const void *self,
                           int level);

// The level of least cost.
int tac_resolution_best(const TacResolution *resolution, const TacResolutionOps *ops, const void *self);

// Goes to the level of least cost; returns how many transitions that took.
int tac_resolution_adapt(TacResolution *resolution, const TacResolutionOps *ops, void *self);

// (count / most)^gamma: equation 11.
double tac_quality_of_count(double count, double most, double gamma);

// 1 - 1/(1 + e^(gamma margin)): equations 12 and 13.
double tac_quality_of_margin(double margin, double gamma);

#endif
