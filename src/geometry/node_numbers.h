// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Node numbers of a file, sparse and in any order, mapped to 0-based points in order of appearance.
//
// Memory is proportional to the number of nodes, whatever the numbers are: numbers in a row need nothing,
// close ones a table, all others a sorted list.

#ifndef TACTUS_GEOMETRY_NODE_NUMBERS_H
#define TACTUS_GEOMETRY_NODE_NUMBERS_H

#include "tactus/base.h"

typedef struct TacNumberedNode {
    int64_t number;
    int32_t point;
} TacNumberedNode;

// A zeroed struct is a valid empty list.
typedef struct TacNodeNumbers {
    int64_t *numbers; // in order of appearance
    size_t count, capacity;
    bool in_a_row;           // numbers[i] == low + i
    int64_t low;             // smallest number
    uint64_t span;           // of the table
    int32_t *table;          // point of number low + i, -1 where there is none
    TacNumberedNode *sorted; // by number, where a table would be too large
} TacNodeNumbers;

bool tac_node_numbers_add(TacNodeNumbers *nodes, int64_t number); // false: no memory
// After the last one, before the first search. A number that stands twice is TAC_BAD_INPUT.
TacStatus tac_node_numbers_index(TacNodeNumbers *nodes, const char *file, TacError *error);
int64_t tac_node_numbers_find(const TacNodeNumbers *nodes, int64_t number); // -1: not there
void tac_node_numbers_destroy(TacNodeNumbers *nodes);

#endif
