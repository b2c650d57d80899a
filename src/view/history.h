// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Snapshots of a world that are kept for going back: the first one always, and as many of the last as memory
// allows, in a ring.

#ifndef TACTUS_VIEW_HISTORY_H
#define TACTUS_VIEW_HISTORY_H

#include "tactus/world.h"

typedef struct TacHistory {
    char *memory;       // slots of snapshots; NULL: none are kept
    double *times;      // s, per slot
    size_t each;        // bytes of a snapshot
    size_t slots;       // besides the first
    size_t head, count; // of the ring
    void *first;
} TacHistory;

// Takes memory for a world and keeps its first snapshot. Without memory there is no history.
void tac_history_begin(TacHistory *history, TacWorld *world, size_t memory);
void tac_history_end(TacHistory *history);

// Keeps the world as it is. Later ones are forgotten, for time has taken another course; the oldest makes room.
void tac_history_keep(TacHistory *history, TacWorld *world);
// The latest that is not after `time`, s; -infinity: none.
double tac_history_before(const TacHistory *history, double time);

// To the latest snapshot before now. False when there is none.
bool tac_history_back(TacHistory *history, TacWorld *world);
// To the snapshot nearest to this time.
bool tac_history_seek(TacHistory *history, TacWorld *world, double time);
// To the start; everything else is forgotten.
bool tac_history_reset(TacHistory *history, TacWorld *world);

#endif
