// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sweep and prune (J. Cohen et al., "I-COLLIDE", 1995), along one axis: intervals kept sorted by where they begin.
// Between two looks things move little, so the list is nearly sorted and insertion sort costs about one look at
// each. The other axes are left to the caller's own test: in a small zone, one axis leaves few pairs.

#ifndef TACTUS_GEOMETRY_SWEEP_H
#define TACTUS_GEOMETRY_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TacSweepEntry {
    double low, high;
    uint32_t id;
} TacSweepEntry;

// A zeroed struct is empty and valid.
typedef struct TacSweep {
    TacSweepEntry *entries; // sorted by (low, id) after tac_sweep_sort
    size_t count, capacity;
} TacSweep;

void tac_sweep_free(TacSweep *sweep);

// False: no memory, nothing changed. Ids must be different.
bool tac_sweep_add(TacSweep *sweep, uint32_t id, double low, double high);
void tac_sweep_remove(TacSweep *sweep, uint32_t id); // linear; nothing happens when it is not there

// Sorts by (low, id). NaN has no place: callers keep it out.
void tac_sweep_sort(TacSweep *sweep);

// Calls `visit` for every pair of intervals that overlap or touch, once; the list must be sorted. Stops and returns
// false as soon as `visit` does.
typedef bool (*TacSweepVisit)(void *data, uint32_t a, uint32_t b);
bool tac_sweep_pairs(const TacSweep *sweep, TacSweepVisit visit, void *data);

#endif
