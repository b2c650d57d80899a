// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The sides of faces, sorted so that those of one edge stand together: who borders on whom, and wound how.

#ifndef TACTUS_GEOMETRY_HALF_EDGES_H
#define TACTUS_GEOMETRY_HALF_EDGES_H

#include "tactus/geometry.h"

// One side of one face.
typedef struct TacHalfEdge {
    uint32_t low, high; // its points, low < high
    uint32_t face;
    bool forward; // the face runs from low to high
} TacHalfEdge;

// The sides of `count` faces of `size` corners each (3 or 4), appended to `edges`, which has room. Faces get numbers
// from `first` on. Sides from a point to itself are left out. Returns how many were appended.
size_t tac_half_edges_list(TacHalfEdge *edges, const int32_t *faces, size_t count, int size, uint32_t first);

// By low, high, face.
void tac_half_edges_sort(TacHalfEdge *edges, size_t count);

// Where the edge that begins at `i` ends.
size_t tac_half_edges_end(const TacHalfEdge *edges, size_t count, size_t i);

// The set of `i` in a forest of sets (`parents`, each its own at first); paths get shorter with each call.
uint32_t tac_set_find(uint32_t *parents, uint32_t i);
void tac_set_join(uint32_t *parents, uint32_t a, uint32_t b); // the lower number leads

#endif
