// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Snapshots of a world that are kept for going back: the first one always, and as many of the last as memory
// allows, in a ring. Each has the memory that it needs: a world where much touches has larger ones than it had before.

#ifndef TACTUS_VIEW_HISTORY_H
#define TACTUS_VIEW_HISTORY_H

#include "tactus/world.h"

enum { TAC_MOST_KEPT = 1024 };

typedef struct TacKept {
    char *data;
    size_t bytes, room; // of the snapshot, and that there are for it
    double time;        // s
} TacKept;

typedef struct TacHistory {
    TacKept *ring;        // TAC_MOST_KEPT places; NULL: none are kept
    size_t head, count;   // of the ring
    size_t memory, taken; // bytes that it may take and that it has taken, besides the first
    TacKept first;
} TacHistory;

// Keeps the first snapshot of a world, and up to `memory` bytes of others. Without memory there is no history.
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
