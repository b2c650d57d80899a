// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "geometry/sweep.h"

#include "base/memory.h"

void tac_sweep_free(TacSweep *sweep) {
    free(sweep->entries);
    *sweep = (TacSweep){0};
}

bool tac_sweep_add(TacSweep *sweep, uint32_t id, double low, double high) {
    if (!tac_grow(&sweep->entries, &sweep->capacity, sweep->count + 1, sizeof *sweep->entries)) return false;
    sweep->entries[sweep->count++] = (TacSweepEntry){low, high, id};
    return true;
}

void tac_sweep_remove(TacSweep *sweep, uint32_t id) {
    size_t i = 0;
    while (i < sweep->count && sweep->entries[i].id != id) i++;
    if (i == sweep->count) return;
    sweep->count--;
    memmove(&sweep->entries[i], &sweep->entries[i + 1], (sweep->count - i) * sizeof *sweep->entries);
}

static bool before(const TacSweepEntry *a, const TacSweepEntry *b) {
    return a->low < b->low || (a->low == b->low && a->id < b->id);
}

static int compare(const void *a, const void *b) {
    return before(a, b) ? -1 : before(b, a) ? 1 : 0;
}

// Insertion, as long as things moved little; a list in disorder is sorted from scratch.
void tac_sweep_sort(TacSweep *sweep) {
    size_t moves = 0, most = 8 * sweep->count + 64;
    for (size_t i = 1; i < sweep->count; i++) {
        TacSweepEntry entry = sweep->entries[i];
        size_t k = i;
        for (; k > 0 && before(&entry, &sweep->entries[k - 1]); k--)
            sweep->entries[k] = sweep->entries[k - 1];
        sweep->entries[k] = entry;
        moves += i - k;
        if (moves > most) {
            qsort(sweep->entries, sweep->count, sizeof *sweep->entries, compare);
            return;
        }
    }
}

bool tac_sweep_pairs(const TacSweep *sweep, TacSweepVisit visit, void *data) {
    for (size_t i = 0; i < sweep->count; i++) {
        double high = sweep->entries[i].high;
        for (size_t k = i + 1; k < sweep->count && sweep->entries[k].low <= high; k++)
            if (!visit(data, sweep->entries[i].id, sweep->entries[k].id)) return false;
    }
    return true;
}
