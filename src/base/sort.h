// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Sorting many numbered things by their keys, in as many passes as the keys have bytes that differ. Things with equal
// keys stay in their order. Takes no memory of its own: behind the list there must be room for as many again.

#ifndef TACTUS_BASE_SORT_H
#define TACTUS_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct TacKeyed {
    uint64_t key, item;
} TacKeyed;

void tac_sort_keyed(TacKeyed *list, size_t count);

// Numbers, where they are.
void tac_sort_numbers(uint64_t *list, size_t count);

#endif
