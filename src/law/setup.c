// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sorting slots by block and point in linear time; numbers given once or for each. See setup.h.

#include "law/setup.h"
#include "base/group.h"
#include "base/memory.h"

// What is known of the slots while they are sorted.
typedef struct Slots {
    const int32_t *owners;
    size_t first, stride, count, block;
    uint32_t *last_block; // per point, plus 1; 0: none yet
    uint32_t *last_run;   // per point
    uint32_t *run_of;     // per listed slot
} Slots;

// Numbers the runs in the order in which blocks first touch points. Returns how many there are.
static size_t number_runs(const Slots *s, uint32_t *block_start) {
    uint32_t runs = 0;
    size_t listed = 0;
    for (size_t slot = s->first; slot < s->count; slot += s->stride) {
        uint32_t block = (uint32_t)(slot / s->block);
        int32_t point = s->owners[slot];
        if (s->last_block[point] != block + 1) {
            s->last_block[point] = block + 1;
            s->last_run[point] = runs++;
        }
        s->run_of[listed++] = s->last_run[point];
        block_start[block + 1] = runs;
    }
    return runs;
}

// Slots by run, and the point of each run.
static void fill_runs(const Slots *s, size_t listed, size_t runs, TacGather *gather) {
    tac_group_items(s->run_of, listed, runs, gather->start, gather->slots);
    for (size_t k = 0; k < listed; k++) {
        uint32_t i = gather->slots[k];
        size_t slot = s->first + i * s->stride;
        gather->points[s->run_of[i]] = (uint32_t)s->owners[slot];
        gather->slots[k] = (uint32_t)(slot % s->block);
    }
}

static TacStatus build(TacGather *gather, TacSetup *setup, const Slots *s, size_t listed, TacError *error) {
    size_t blocks = (s->count + s->block - 1) / s->block;
    uint32_t *block_start = tac_setup_alloc(setup, blocks + 1, sizeof *block_start);
    if (!block_start || !s->last_block || !s->last_run || !s->run_of)
        return tac_fail_memory(error, listed * sizeof *s->run_of);
    size_t runs = number_runs(s, block_start);
    gather->points = tac_setup_alloc(setup, runs, sizeof *gather->points);
    gather->start = tac_setup_alloc(setup, runs + 1, sizeof *gather->start);
    gather->slots = tac_setup_alloc(setup, listed, sizeof *gather->slots);
    if (!gather->points || !gather->start || !gather->slots)
        return tac_fail_memory(error, (2 * runs + listed) * sizeof *gather->slots);
    fill_runs(s, listed, runs, gather);
    gather->block_start = block_start;
    return TAC_OK;
}

TacStatus tac_gather_build(TacGather *gather, TacSetup *setup, size_t point_count, const int32_t *owners,
                           size_t first, size_t stride, size_t count, size_t block, TacError *error) {
    if (count >= UINT32_MAX)
        return tac_setup_fail(setup, error, NULL, "has %zu ends or corners; at most %zu are possible", count,
                              (size_t)UINT32_MAX - 1);
    size_t listed = first < count ? (count - first + stride - 1) / stride : 0;
    Slots slots = {owners, first, stride, count, block, NULL, NULL, NULL};
    slots.last_block = calloc(point_count + 1, sizeof *slots.last_block);
    slots.last_run = calloc(point_count + 1, sizeof *slots.last_run);
    slots.run_of = calloc(listed + 1, sizeof *slots.run_of);
    TacStatus status = build(gather, setup, &slots, listed, error);
    free(slots.last_block);
    free(slots.last_run);
    free(slots.run_of);
    return status;
}

TacStatus tac_law_one_or_each(TacSetup *setup, const char *attribute, TacReals given, size_t count,
                              double *each, TacError *error) {
    if (given.count != 1 && given.count != count)
        return tac_setup_fail(setup, error, attribute, "%s has %zu numbers; 1 for all or %zu were expected",
                              attribute, given.count, count);
    for (size_t i = 0; i < count; i++) each[i] = given.data[given.count == 1 ? 0 : i];
    return TAC_OK;
}
