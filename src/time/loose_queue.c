// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The queues of the loose scheduler; loose_queue.h says how they work and why.

#include "time/loose_queue.h"

enum {
    SLOTS = TAC_LOOSE_SLOTS,
    FORESIGHT =
        6 // turns of a queue: memory takes about as long as that many agents without a step of their own
};

// Agents and as many holes, a block's worth of holes more for each queue, and both ends of it partly filled.
size_t tac_loose_blocks(uint32_t capacity) {
    return 2 * (size_t)capacity / SLOTS + 4 * TAC_LOOSE_PRIORITIES;
}

static TacLooseBlock *block_of(const TacLoose *loose, uint32_t plus_1) {
    return &loose->blocks[plus_1 - 1];
}

static void free_block(TacLoose *loose, uint32_t plus_1) {
    block_of(loose, plus_1)->next_plus_1 = loose->free_plus_1;
    loose->free_plus_1 = plus_1;
}

void tac_loose_clear_queues(TacLoose *loose, size_t blocks) {
    loose->free_plus_1 = 0;
    for (size_t i = blocks; i > 0; i--) free_block(loose, (uint32_t)i);
}

static void append_block(TacLoose *loose, TacLooseQueue *queue) {
    uint32_t plus_1 = loose->free_plus_1;
    TacLooseBlock *block = block_of(loose, plus_1);
    loose->free_plus_1 = block->next_plus_1;
    block->next_plus_1 = 0;
    if (queue->last_plus_1)
        block_of(loose, queue->last_plus_1)->next_plus_1 = plus_1;
    else
        queue->first_plus_1 = plus_1;
    queue->last_plus_1 = plus_1;
    queue->to = 0;
}

static void append(TacLoose *loose, TacLooseQueue *queue, uint32_t id) {
    if (!queue->last_plus_1 || queue->to == SLOTS) append_block(loose, queue);
    block_of(loose, queue->last_plus_1)->ids[queue->to] = id;
    loose->agents[id].place.next_plus_1 = queue->last_plus_1;
    loose->agents[id].place.previous_plus_1 = queue->to++;
    queue->agents++;
}

// Takes the first slot, a hole as well.
static uint32_t take_first(TacLoose *loose, TacLooseQueue *queue) {
    TacLooseBlock *block = block_of(loose, queue->first_plus_1);
    uint32_t id = block->ids[queue->from++];
    if (queue->from == SLOTS) {
        uint32_t left = queue->first_plus_1;
        queue->first_plus_1 = block->next_plus_1;
        if (!queue->first_plus_1) queue->last_plus_1 = 0;
        queue->from = 0;
        free_block(loose, left);
        if (queue->first_plus_1)
            __builtin_prefetch(block_of(loose, block_of(loose, queue->first_plus_1)->next_plus_1));
    }
    return id;
}

static void give_blocks_back(TacLoose *loose, TacLooseQueue *queue) {
    while (queue->first_plus_1) {
        uint32_t left = queue->first_plus_1;
        queue->first_plus_1 = block_of(loose, left)->next_plus_1;
        free_block(loose, left);
    }
    *queue = (TacLooseQueue){0};
}

// One agent less: the last one takes the blocks along.
static void leave(TacLoose *loose, int p) {
    TacLooseQueue *queue = &loose->queues[p];
    loose->ready_count--;
    if (--queue->agents > 0) return;
    give_blocks_back(loose, queue);
    loose->ready &= ~((uint64_t)1 << p);
}

// Who is at the head some turns from now, as far as that is known; else anybody.
static uint32_t who_comes(const TacLoose *loose, const TacLooseQueue *queue) {
    uint32_t slot = queue->from + FORESIGHT;
    const TacLooseBlock *block = block_of(loose, queue->first_plus_1);
    if (slot >= SLOTS && block->next_plus_1) block = block_of(loose, block->next_plus_1);
    uint32_t id = block->ids[slot % SLOTS];
    return id < loose->capacity ? id : 0;
}

void tac_loose_enqueue(TacLoose *loose, uint32_t id) {
    TacLooseAgent *a = &loose->agents[id];
    a->state = TAC_LOOSE_READY;
    append(loose, &loose->queues[a->priority], id);
    loose->ready |= (uint64_t)1 << a->priority;
    loose->ready_count++;
}

uint32_t tac_loose_dequeue(TacLoose *loose, int priority) {
    TacLooseQueue *queue = &loose->queues[priority];
    uint32_t id = take_first(loose, queue);
    for (; id == TAC_LOOSE_NOBODY; queue->holes--) id = take_first(loose, queue);
    leave(loose, priority);
    if (queue->first_plus_1) {
        // the memory that serving takes is asked for ahead; here, as a compiler drops a function that only does this
        uint32_t soon = who_comes(loose, queue);
        __builtin_prefetch(&loose->agents[soon], 1);
        __builtin_prefetch(&loose->slowest[0][soon], 1);
    }
    return id;
}

// Writes a queue without its holes. There is always a free block: the first one written anew is needed before the
// first one read is given back.
static void close_holes(TacLoose *loose, TacLooseQueue *queue) {
    TacLooseQueue fresh = {0};
    uint32_t left = queue->agents;
    while (left > 0) {
        uint32_t id = take_first(loose, queue);
        if (id == TAC_LOOSE_NOBODY) continue;
        append(loose, &fresh, id);
        left--;
    }
    give_blocks_back(loose, queue);
    *queue = fresh;
}

void tac_loose_unqueue(TacLoose *loose, uint32_t id) {
    const TacLooseAgent *a = &loose->agents[id];
    TacLooseQueue *queue = &loose->queues[a->priority];
    block_of(loose, a->place.next_plus_1)->ids[a->place.previous_plus_1] = TAC_LOOSE_NOBODY;
    queue->holes++;
    leave(loose, a->priority);
    if (queue->holes > queue->agents + SLOTS) close_holes(loose, queue);
}

// --- looking through --------------------------------------------------------------------------------------

TacLooseSpot tac_loose_head(const TacLoose *loose, int priority) {
    return (TacLooseSpot){loose->queues[priority].first_plus_1, loose->queues[priority].from};
}

uint32_t tac_loose_look(const TacLoose *loose, int priority, TacLooseSpot *spot) {
    const TacLooseQueue *queue = &loose->queues[priority];
    uint32_t id = TAC_LOOSE_NOBODY;
    while (id == TAC_LOOSE_NOBODY && spot->block_plus_1) {
        const TacLooseBlock *block = block_of(loose, spot->block_plus_1);
        uint32_t end = spot->block_plus_1 == queue->last_plus_1 ? queue->to : SLOTS;
        if (spot->slot < end) id = block->ids[spot->slot++];
        if (spot->slot >= end) *spot = (TacLooseSpot){block->next_plus_1, 0};
    }
    return id;
}

static bool queue_valid(const TacLoose *loose, int p) {
    const TacLooseQueue *queue = &loose->queues[p];
    uint32_t agents = 0;
    TacLooseSpot spot = tac_loose_head(loose, p), at = spot;
    for (uint32_t id; (id = tac_loose_look(loose, p, &spot)) != TAC_LOOSE_NOBODY; at = spot) {
        if (id >= loose->capacity || ++agents > loose->capacity) return false;
        const TacLooseAgent *a = &loose->agents[id];
        if (a->state != TAC_LOOSE_READY || a->priority != p) return false;
        // it knows where it is, behind or at where it was looked for
        uint32_t own = a->place.next_plus_1, slot = a->place.previous_plus_1;
        if (block_of(loose, own)->ids[slot] != id || (own == at.block_plus_1 && slot < at.slot)) return false;
    }
    return agents == queue->agents && queue->holes <= queue->agents + SLOTS &&
           (agents > 0) == (loose->ready >> p & 1) && (agents > 0) == (queue->first_plus_1 > 0);
}

bool tac_loose_queues_valid(const TacLoose *loose) {
    uint32_t ready = 0;
    for (int p = 0; p < TAC_LOOSE_PRIORITIES; p++) {
        if (!queue_valid(loose, p)) return false;
        ready += loose->queues[p].agents;
    }
    return ready == loose->ready_count;
}
