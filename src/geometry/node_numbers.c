// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Node numbers of a file mapped to points: see node_numbers.h.

#include "geometry/node_numbers.h"
#include "base/memory.h"

bool tac_node_numbers_add(TacNodeNumbers *nodes, int64_t number) {
    if (nodes->count == nodes->capacity &&
        !tac_grow(&nodes->numbers, &nodes->capacity, nodes->count + 1, sizeof *nodes->numbers))
        return false;
    nodes->numbers[nodes->count++] = number;
    return true;
}

static TacStatus fail_twice(int64_t number, const char *file, TacError *error) {
    return tac_fail_at(error, TAC_BAD_INPUT, file, 0, 0, "node %lld stands twice in the list of nodes",
                       (long long)number);
}

static TacStatus make_table(TacNodeNumbers *nodes, uint64_t span, const char *file, TacError *error) {
    nodes->table = malloc((size_t)span * sizeof *nodes->table);
    if (!nodes->table) return tac_fail_memory(error, (size_t)span * sizeof *nodes->table);
    nodes->span = span;
    for (uint64_t i = 0; i < span; i++) nodes->table[i] = -1;
    for (size_t i = 0; i < nodes->count; i++) {
        int32_t *place = &nodes->table[(uint64_t)nodes->numbers[i] - (uint64_t)nodes->low];
        if (*place >= 0) return fail_twice(nodes->numbers[i], file, error);
        *place = (int32_t)i;
    }
    return TAC_OK;
}

static int by_number(const void *a, const void *b) {
    int64_t x = ((const TacNumberedNode *)a)->number, y = ((const TacNumberedNode *)b)->number;
    return (x > y) - (x < y);
}

static TacStatus make_sorted(TacNodeNumbers *nodes, const char *file, TacError *error) {
    nodes->sorted = malloc(nodes->count * sizeof *nodes->sorted);
    if (!nodes->sorted) return tac_fail_memory(error, nodes->count * sizeof *nodes->sorted);
    for (size_t i = 0; i < nodes->count; i++)
        nodes->sorted[i] = (TacNumberedNode){nodes->numbers[i], (int32_t)i};
    qsort(nodes->sorted, nodes->count, sizeof *nodes->sorted, by_number);
    for (size_t i = 1; i < nodes->count; i++)
        if (nodes->sorted[i].number == nodes->sorted[i - 1].number)
            return fail_twice(nodes->sorted[i].number, file, error);
    return TAC_OK;
}

TacStatus tac_node_numbers_index(TacNodeNumbers *nodes, const char *file, TacError *error) {
    if (nodes->count > INT32_MAX)
        return tac_fail_at(error, TAC_BAD_INPUT, file, 0, 0, "%zu nodes are more than a mesh can have",
                           nodes->count);
    if (!nodes->count) return TAC_OK;

    int64_t low = nodes->numbers[0], high = low;
    nodes->in_a_row = true;
    for (size_t i = 0; i < nodes->count; i++) {
        int64_t number = nodes->numbers[i];
        if ((uint64_t)number - (uint64_t)nodes->numbers[0] != i) nodes->in_a_row = false;
        if (number < low) low = number;
        if (number > high) high = number;
    }
    nodes->low = low;
    if (nodes->in_a_row) return TAC_OK;
    uint64_t last = (uint64_t)high - (uint64_t)low;
    if (last < 4 * (uint64_t)nodes->count) return make_table(nodes, last + 1, file, error);
    return make_sorted(nodes, file, error);
}

static int64_t find_sorted(const TacNodeNumbers *nodes, int64_t number) {
    size_t low = 0, high = nodes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (nodes->sorted[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < nodes->count && nodes->sorted[low].number == number ? nodes->sorted[low].point : -1;
}

int64_t tac_node_numbers_find(const TacNodeNumbers *nodes, int64_t number) {
    uint64_t place = (uint64_t)number - (uint64_t)nodes->low;
    if (nodes->in_a_row) return place < nodes->count ? (int64_t)place : -1;
    if (nodes->table) return place < nodes->span ? nodes->table[place] : -1;
    return nodes->sorted ? find_sorted(nodes, number) : -1;
}

void tac_node_numbers_destroy(TacNodeNumbers *nodes) {
    free(nodes->numbers);
    free(nodes->table);
    free(nodes->sorted);
    memset(nodes, 0, sizeof *nodes);
}
