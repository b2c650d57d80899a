// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See sort.h: few are inserted one by one, many go through buckets, from the lowest byte up.

#include "base/sort.h"

#include <string.h>

static void insert_each(TacKeyed *list, size_t count) {
    for (size_t i = 1; i < count; i++) {
        TacKeyed one = list[i];
        size_t k = i;
        for (; k > 0 && list[k - 1].key > one.key; k--) list[k] = list[k - 1];
        list[k] = one;
    }
}

static void sort_byte(const TacKeyed *from, TacKeyed *to, size_t count, int shift) {
    size_t at[257] = {0};
    for (size_t i = 0; i < count; i++) at[(from[i].key >> shift & 255) + 1]++;
    for (size_t b = 1; b < 257; b++) at[b] += at[b - 1];
    for (size_t i = 0; i < count; i++) to[at[from[i].key >> shift & 255]++] = from[i];
}

void tac_sort_keyed(TacKeyed *list, size_t count) {
    if (count < 32) {
        insert_each(list, count);
        return;
    }
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) differ |= list[i].key ^ list[0].key;
    TacKeyed *from = list, *to = list + count;
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 255)) continue;
        sort_byte(from, to, count, shift);
        TacKeyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != list) memcpy(list, from, count * sizeof *list);
}
