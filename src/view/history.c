// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "view/history.h"
#include "base/memory.h"

#include <math.h>

static void forget(TacHistory *h, TacKept *kept) {
    h->taken -= kept->room;
    free(kept->data);
    *kept = (TacKept){0};
}

// Writes the world into memory that is there, or that is taken for it.
static bool write_kept(TacHistory *h, TacKept *kept, TacWorld *world, size_t bytes) {
    if (kept->room < bytes) {
        forget(h, kept);
        kept->data = malloc(bytes);
        if (!kept->data) return false;
        kept->room = bytes;
        h->taken += bytes;
    }
    kept->bytes = bytes;
    kept->time = tac_world_time(world);
    return tac_world_save(world, kept->data, bytes, NULL) == TAC_OK;
}

static bool restore(const TacKept *kept, TacWorld *world) {
    return kept->data && tac_world_restore(world, kept->data, kept->bytes, NULL) == TAC_OK;
}

void tac_history_begin(TacHistory *h, TacWorld *world, size_t memory) {
    *h = (TacHistory){.memory = memory};
    h->ring = calloc(TAC_MOST_KEPT, sizeof *h->ring);
    if (!write_kept(h, &h->first, world, tac_world_snapshot_size(world))) forget(h, &h->first);
    h->taken = 0; // the first is not counted
}

void tac_history_end(TacHistory *h) {
    for (size_t i = 0; h->ring && i < TAC_MOST_KEPT; i++) free(h->ring[i].data);
    free(h->ring);
    free(h->first.data);
    *h = (TacHistory){0};
}

static TacKept *kept_at(const TacHistory *h, size_t i) {
    return &h->ring[(h->head + i) % TAC_MOST_KEPT];
}

// How many of those kept are before this time.
static size_t count_before(const TacHistory *h, double time) {
    size_t low = 0, high = h->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (kept_at(h, middle)->time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double tac_history_before(const TacHistory *h, double time) {
    size_t n = count_before(h, nextafter(time, INFINITY));
    return n ? kept_at(h, n - 1)->time : -INFINITY;
}

static void forget_oldest(TacHistory *h) {
    forget(h, h->ring + h->head);
    h->head = (h->head + 1) % TAC_MOST_KEPT;
    h->count--;
}

// Memory for so many bytes at the end of the ring: first that of places not in use, then that of the oldest.
static void make_room(TacHistory *h, size_t bytes) {
    if (h->count == TAC_MOST_KEPT) forget_oldest(h);
    size_t room = kept_at(h, h->count)->room, more = bytes > room ? bytes - room : 0;
    for (size_t i = h->count + 1; h->taken + more > h->memory && i < TAC_MOST_KEPT; i++)
        forget(h, kept_at(h, i));
    while (h->taken + more > h->memory && h->count) forget_oldest(h);
}

void tac_history_keep(TacHistory *h, TacWorld *world) {
    size_t bytes = tac_world_snapshot_size(world);
    if (!h->ring || bytes > h->memory) return;
    h->count = count_before(h, tac_world_time(world));
    make_room(h, bytes);
    if (write_kept(h, kept_at(h, h->count), world, bytes)) h->count++;
}

bool tac_history_back(TacHistory *h, TacWorld *world) {
    double now = tac_world_time(world);
    size_t n = count_before(h, now);
    if (now == 0) return false;
    return restore(n ? kept_at(h, n - 1) : &h->first, world);
}

bool tac_history_seek(TacHistory *h, TacWorld *world, double time) {
    size_t n = count_before(h, time);
    double before = n ? kept_at(h, n - 1)->time : 0, after = n < h->count ? kept_at(h, n)->time : INFINITY;
    if (after - time < time - before) return restore(kept_at(h, n), world);
    return restore(n ? kept_at(h, n - 1) : &h->first, world);
}

bool tac_history_reset(TacHistory *h, TacWorld *world) {
    h->count = 0;
    return restore(&h->first, world);
}
