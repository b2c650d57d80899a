// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the two files of Springs share: springs.c computes, springs_order.c arranges springs for that.

#ifndef TACTUS_LAW_SPRINGS_ORDER_H
#define TACTUS_LAW_SPRINGS_ORDER_H

#include "law/setup.h"
#include "law/springs_wide.h"

enum { TAC_SPRING_NUMBERS = 3 }; // of a direction, at most

// Springs `first` to first + count - 1 join points one further on each time.
typedef struct TacSpringRun {
    size_t first, count;
} TacSpringRun;

typedef struct TacSprings {
    TacLaw law;
    TacInts given_pairs;
    TacReals given_stiffness, given_damping, given_lengths;
    bool pull_only, stable, turns, damping_turns;
    size_t count, dimension;
    const int32_t *pairs;                 // i in the first matter, j in the second
    double *stiffness, *damping, *length; // per spring; in lanes of the first two as many as there are lanes
    size_t stiffness_mask, damping_mask;  // where all are alike: 0; else all bits
    double *over;                         // 1 / l; 0 where there is no u
    double *turning;                      // t
    double *pulls;       // on i, for each spring of a block; NULL when springs or threads are few
    TacGather gather[2]; // the second one only between two matters
    TacSpringRun *runs;  // NULL: too short to be worth it
    size_t run_count;
    TacSpringLanes *lanes; // NULL: by other ways
    bool alike;            // all springs have the same constants
    bool keeps;            // somebody asks for changes of force: 1 / l and t are kept
    int32_t *from;         // where each spring stood before it was sorted or dealt out; NULL: it was not
} TacSprings;

static inline __attribute__((always_inline)) double tac_spring_stiffness(const TacSprings *self, size_t s) {
    return self->stiffness[s & self->stiffness_mask];
}

static inline __attribute__((always_inline)) double tac_spring_damping(const TacSprings *self, size_t s) {
    return self->damping[s & self->damping_mask];
}

// The pairs that the scene gives, or the edges of the topology, which the caller frees: in their best order.
TacStatus tac_springs_take_pairs(TacSprings *self, TacSetup *setup, int32_t **edges, TacError *error);

// What every spring has. Its pairs are known, and may be dealt out; constants are not yet. Of a copy of other
// springs nothing is left.
TacStatus tac_springs_take_arrays(TacSprings *self, TacSetup *setup, TacError *error);
// Once all constants are there, in the order in which springs stood before; lengths perhaps as they stand now.
TacStatus tac_springs_sort_out(TacSprings *self, bool lengths, TacSetup *setup, TacError *error);

#endif
