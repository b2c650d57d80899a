// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The queues of the loose scheduler: one per priority, first in first out. Used by loose.c only.
//
// A queue is a list of blocks, one cache line each, with the numbers of the agents in their order:
//
//     first -> [ . . 7 4 9 1 3 ] -> [ 8 2 0 - 5 6 11 ] -> [ 10 12 . . . . . ] <- last
//                    ^ from                ^ a hole               ^ to
//
// So the scheduler sees who comes several turns from now, and asks for their memory in time; through links in the
// agents' records it would learn of each only when the one before has arrived from memory.
//
// Rules
//  1. A ready agent knows its block and its slot there (`place` of its record: next_plus_1 is the block's number plus 1,
//     previous_plus_1 the slot), so it leaves from the middle at once: a hole stays behind.
//  2. A queue has at most as many holes as agents, and a block's worth more; then it is written anew. So
//     tac_loose_blocks() of them are enough, whatever is called.
//  3. Bit p of `ready` is set exactly when queue p has agents; without them it has no blocks.

#ifndef TACTUS_TIME_LOOSE_QUEUE_H
#define TACTUS_TIME_LOOSE_QUEUE_H

#include "time/loose.h"

size_t tac_loose_blocks(uint32_t capacity);
void tac_loose_clear_queues(TacLoose *loose, size_t blocks); // at the start: all blocks are free

void tac_loose_enqueue(TacLoose *loose, uint32_t id); // at the end of the queue of its priority; now ready
uint32_t tac_loose_dequeue(TacLoose *loose, int priority);
void tac_loose_unqueue(TacLoose *loose, uint32_t id); // out of the middle

// Where a queue is looked through from; `block_plus_1` is 0 when it is empty.
typedef struct TacLooseSpot {
    uint32_t block_plus_1, slot;
} TacLooseSpot;

TacLooseSpot tac_loose_head(const TacLoose *loose, int priority);

// The agent at the spot, which goes on to the next; TAC_LOOSE_NOBODY at the end.
uint32_t tac_loose_look(const TacLoose *loose, int priority, TacLooseSpot *spot);

bool tac_loose_queues_valid(const TacLoose *loose);

#endif
