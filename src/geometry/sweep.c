// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "geometry/sweep.h"

#include "base/memory.h"

void tac_sweep_free(TacSweep *sweep) {
    free(sweep->entries);
    *sweep = (TacSweep){0};
}

bool tac_sweep_add(TacSweep *sweep, uint32_t id, const double low[3], const double high[3]) {
    if (!tac_grow(&sweep->entries, &sweep->capacity, sweep->count + 1, sizeof *sweep->entries)) return false;
    sweep->entries[sweep->count++] =
        (TacSweepEntry){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}, id};
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
    return a->low[0] < b->low[0] || (a->low[0] == b->low[0] && a->id < b->id);
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
    const TacSweepEntry *end = sweep->entries + sweep->count;
    for (const TacSweepEntry *a = sweep->entries; a < end; a++)
        for (const TacSweepEntry *b = a + 1; b < end && b->low[0] <= a->high[0]; b++) {
            // all four at once: which of them fails is anybody's guess
            bool meet = (b->low[1] <= a->high[1]) & (a->low[1] <= b->high[1]) & (b->low[2] <= a->high[2]) &
                        (a->low[2] <= b->high[2]);
            if (meet && !visit(data, a->id, b->id)) return false;
        }
    return true;
}
