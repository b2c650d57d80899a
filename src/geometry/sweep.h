// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sweep and prune (J. Cohen et al., "I-COLLIDE", 1995), along the first axis: boxes kept sorted by where they begin.
// Between two looks things move little, so the list is nearly sorted and insertion sort costs about one look at
// each. The other two axes are compared at once, in the list itself: in a small zone one axis alone leaves many pairs,
// and whoever had to fetch their boxes from elsewhere would spend the time on that.

#ifndef TACTUS_GEOMETRY_SWEEP_H
#define TACTUS_GEOMETRY_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TacSweepEntry {
    double low[3], high[3];
    uint32_t id;
} TacSweepEntry;

// A zeroed struct is empty and valid.
typedef struct TacSweep {
    TacSweepEntry *entries; // sorted by (low[0], id) after tac_sweep_sort
    size_t count, capacity;
} TacSweep;

void tac_sweep_free(TacSweep *sweep);

// False: no memory, nothing changed. Ids must be different.
bool tac_sweep_add(TacSweep *sweep, uint32_t id, const double low[3], const double high[3]);
void tac_sweep_remove(TacSweep *sweep, uint32_t id); // linear; nothing happens when it is not there

// Sorts by (low[0], id). NaN has no place: callers keep it out.
void tac_sweep_sort(TacSweep *sweep);

// Calls `visit` for every pair of boxes that overlap or touch, once; the list must be sorted. Stops and returns
// false as soon as `visit` does.
typedef bool (*TacSweepVisit)(void *data, uint32_t a, uint32_t b);
bool tac_sweep_pairs(const TacSweep *sweep, TacSweepVisit visit, void *data);

#endif
