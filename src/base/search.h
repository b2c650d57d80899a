// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Searching sorted lists by halving them.

#ifndef TACTUS_BASE_SEARCH_H
#define TACTUS_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

// The first thing whose key is not below `key`; `count`: there is none. `first` is the key of the first of them, and keys
// are `stride` bytes apart.
static inline size_t tac_first_not_below(const uint64_t *first, size_t count, size_t stride, uint64_t key) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (*(const uint64_t *)(const void *)((const char *)first + stride * middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The last of numbers that rise which is not above `x`; 0 where all are.
static inline size_t tac_last_not_above(const double *rising, size_t count, double x) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(rising[middle] <= x ? &low : &high) = middle;
    }
    return low;
}

#endif
