// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "view/history.h"
#include "base/memory.h"

#include <math.h>

enum { MOST_SLOTS = 1024 };

void tac_history_begin(TacHistory *h, TacWorld *world, size_t memory) {
    *h = (TacHistory){.each = tac_world_snapshot_size(world)};
    h->slots = h->each ? memory / h->each : 0;
    if (h->slots > MOST_SLOTS) h->slots = MOST_SLOTS;
    h->first = malloc(h->each);
    h->memory = h->slots ? malloc(h->slots * h->each) : NULL; // the system gives pages as they are used
    h->times = calloc(h->slots + 1, sizeof *h->times);
    if (h->first) tac_world_save(world, h->first, h->each, NULL);
    if (!h->memory || !h->times) h->slots = 0;
}

void tac_history_end(TacHistory *h) {
    free(h->memory);
    free(h->times);
    free(h->first);
    *h = (TacHistory){0};
}

static size_t slot_of(const TacHistory *h, size_t i) {
    return (h->head + i) % h->slots;
}

// How many of those kept are before this time.
static size_t count_before(const TacHistory *h, double time) {
    size_t low = 0, high = h->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->times[slot_of(h, middle)] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double tac_history_before(const TacHistory *h, double time) {
    size_t n = count_before(h, nextafter(time, INFINITY));
    return n ? h->times[slot_of(h, n - 1)] : -INFINITY;
}

void tac_history_keep(TacHistory *h, TacWorld *world) {
    double now = tac_world_time(world);
    if (!h->slots) return;
    h->count = count_before(h, now);
    if (h->count == h->slots) {
        h->head = slot_of(h, 1);
        h->count--;
    }
    size_t slot = slot_of(h, h->count);
    if (tac_world_save(world, h->memory + slot * h->each, h->each, NULL) != TAC_OK) return;
    h->times[slot] = now;
    h->count++;
}

static bool restore(TacHistory *h, TacWorld *world, size_t i) {
    return tac_world_restore(world, h->memory + slot_of(h, i) * h->each, h->each, NULL) == TAC_OK;
}

static bool restore_first(TacHistory *h, TacWorld *world) {
    return h->first && tac_world_restore(world, h->first, h->each, NULL) == TAC_OK;
}

bool tac_history_back(TacHistory *h, TacWorld *world) {
    double now = tac_world_time(world);
    size_t n = count_before(h, now);
    if (now == 0) return false;
    return n ? restore(h, world, n - 1) : restore_first(h, world);
}

bool tac_history_seek(TacHistory *h, TacWorld *world, double time) {
    size_t n = count_before(h, time);
    double before = n ? h->times[slot_of(h, n - 1)] : 0,
           after = n < h->count ? h->times[slot_of(h, n)] : INFINITY;
    if (after - time < time - before) return restore(h, world, n);
    return n ? restore(h, world, n - 1) : restore_first(h, world);
}

bool tac_history_reset(TacHistory *h, TacWorld *world) {
    h->count = 0;
    return restore_first(h, world);
}
