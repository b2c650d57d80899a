// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "geometry/half_edges.h"

#include <stdlib.h>

size_t tac_half_edges_list(TacHalfEdge *edges, const int32_t *faces, size_t count, int size, uint32_t first) {
    TacHalfEdge *out = edges;
    for (size_t f = 0; f < count; f++, faces += size)
        for (int k = 0; k < size; k++) {
            uint32_t a = (uint32_t)faces[k], b = (uint32_t)faces[k + 1 < size ? k + 1 : 0];
            if (a == b) continue;
            *out++ = (TacHalfEdge){
                .low = a < b ? a : b, .high = a < b ? b : a, .face = first + (uint32_t)f, .forward = a < b};
        }
    return (size_t)(out - edges);
}

static int compare(const void *left, const void *right) {
    const TacHalfEdge *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    if (a->face != b->face) return a->face < b->face ? -1 : 1;
    return a->forward - b->forward;
}

void tac_half_edges_sort(TacHalfEdge *edges, size_t count) {
    if (count) qsort(edges, count, sizeof *edges, compare);
}

size_t tac_half_edges_end(const TacHalfEdge *edges, size_t count, size_t i) {
    size_t end = i + 1;
    while (end < count && edges[end].low == edges[i].low && edges[end].high == edges[i].high) end++;
    return end;
}

uint32_t tac_set_find(uint32_t *parents, uint32_t i) {
    while (parents[i] != i) i = parents[i] = parents[parents[i]];
    return i;
}

void tac_set_join(uint32_t *parents, uint32_t a, uint32_t b) {
    a = tac_set_find(parents, a);
    b = tac_set_find(parents, b);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}
