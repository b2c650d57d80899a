// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See sort.h: few are inserted one by one, many go through buckets, from the lowest byte up; first by the high half of their
// keys, then by the rest.

#include "base/sort.h"

#include <string.h>

enum { FEW = 32, WIDEST = 10 }; // bits of a digit

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

// By the bytes that differ, through `to` and back. Returns where they are then.
static TacKeyed *sort_bytes(TacKeyed *from, TacKeyed *to, size_t count, uint64_t differ) {
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 255)) continue;
        sort_byte(from, to, count, shift);
        TacKeyed *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static void sort_run(TacKeyed *run, TacKeyed *room, size_t count, uint64_t differ) {
    if (count < FEW)
        insert_each(run, count);
    else if (sort_bytes(run, room, count, differ) != run)
        memcpy(run, room, count * sizeof *run);
}

void tac_sort_keyed(TacKeyed *list, size_t count) {
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) differ |= list[i].key ^ list[0].key;
    uint64_t high = differ >> 32 << 32, low = differ ^ high;
    if (count < FEW || !high || !low) {
        sort_run(list, list + count, count, differ);
        return;
    }
    // mostly, few things have the same high half: they need no passes for the other
    TacKeyed *by_high = sort_bytes(list, list + count, count, high);
    TacKeyed *room = by_high == list ? list + count : list;
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && by_high[i + n].key >> 32 == by_high[i].key >> 32; n++) {
        }
        sort_run(by_high + i, room + i, n, low);
    }
    if (by_high != list) memcpy(list, by_high, count * sizeof *list);
}

static void insert_each_number(uint64_t *list, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t one = list[i];
        size_t k = i;
        for (; k > 0 && list[k - 1] > one; k--) list[k] = list[k - 1];
        list[k] = one;
    }
}

enum { SOME = 4096, WIDEST_OF_SOME = 12 };

// Some find room beside: with as many digits as there are numbers, most are then alone, or nearly so.
static void sort_some(uint64_t *list, size_t count, int top) {
    enum { CLOSE = 16 };
    uint64_t room[SOME];
    uint16_t end[1 << WIDEST_OF_SOME];
    int width = 1;
    while (width < WIDEST_OF_SOME && width < top && count >> width) width++;
    int shift = top - width;
    size_t digits = (size_t)1 << width, mask = digits - 1, first = 0;
    memset(end, 0, digits * sizeof *end);
    for (size_t i = 0; i < count; i++) end[list[i] >> shift & mask]++;
    for (size_t d = 0, sum = 0; d < digits; d++) {
        size_t n = end[d];
        end[d] = (uint16_t)sum; // where it begins, until all are there
        sum += n;
    }
    for (size_t i = 0; i < count; i++) room[end[list[i] >> shift & mask]++] = list[i];
    memcpy(list, room, count * sizeof *list);
    for (size_t d = 0; d < digits && shift > 0; first = end[d++]) {
        size_t n = end[d] - first;
        if (n > CLOSE)
            tac_sort_numbers(list + first, n);
        else if (n > 1)
            insert_each_number(list + first, n);
    }
}

// Numbers change places until each is among those of its digit (McIlroy, Bostic and McIlroy, "Engineering radix sort",
// 1993). The digit is so wide that most are then among few.
void tac_sort_numbers(uint64_t *list, size_t count) {
    if (count < FEW) {
        insert_each_number(list, count);
        return;
    }
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) differ |= list[i] ^ list[0];
    if (!differ) return;
    int top = 64 - __builtin_clzll(differ), width = 1;
    if (count <= SOME) {
        sort_some(list, count, top);
        return;
    }
    while (width < WIDEST && width < top && count >> (width + 3)) width++;
    int shift = top - width;
    size_t next[1 << WIDEST], end[1 << WIDEST], digits = (size_t)1 << width, mask = digits - 1, sum = 0;
    memset(end, 0, digits * sizeof *end);
    for (size_t i = 0; i < count; i++) end[list[i] >> shift & mask]++;
    for (size_t d = 0; d < digits; d++) {
        next[d] = sum;
        sum = end[d] += sum;
    }
    for (size_t d = 0; d < digits; d++)
        while (next[d] < end[d]) {
            uint64_t one = list[next[d]];
            for (size_t to; (to = one >> shift & mask) != d;) {
                uint64_t other = list[next[to]];
                list[next[to]++] = one;
                one = other;
            }
            list[next[d]++] = one;
        }
    for (size_t d = 0, first = 0; d < digits && shift > 0; first = end[d++])
        tac_sort_numbers(list + first, end[d] - first);
}
