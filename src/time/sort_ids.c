// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "time/sort_ids.h"

#include <string.h>

enum { INSERTION_LIMIT = 48 };

static void sort_by_insertion(uint32_t *ids, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t id = ids[i];
        size_t place = i;
        for (; place > 0 && ids[place - 1] > id; place--) ids[place] = ids[place - 1];
        ids[place] = id;
    }
}

static void sort_by_byte(const uint32_t *from, uint32_t *to, size_t count, int shift) {
    size_t starts[256] = {0};
    for (size_t i = 0; i < count; i++) starts[(from[i] >> shift) & 255]++;
    size_t sum = 0;
    for (int b = 0; b < 256; b++) {
        size_t here = starts[b];
        starts[b] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++) to[starts[(from[i] >> shift) & 255]++] = from[i];
}

void tac_sort_ids(uint32_t *ids, uint32_t *scratch, size_t count) {
    if (count <= INSERTION_LIMIT) {
        sort_by_insertion(ids, count);
        return;
    }
    // only the bytes in which ids differ need a pass
    uint32_t differ = 0;
    for (size_t i = 1; i < count; i++) differ |= ids[i] ^ ids[0];
    uint32_t *from = ids, *to = scratch;
    for (int shift = 0; shift < 32; shift += 8) {
        if (!((differ >> shift) & 255)) continue;
        sort_by_byte(from, to, count, shift);
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != ids) memcpy(ids, from, count * sizeof *ids);
}
