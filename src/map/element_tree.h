// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Finds, among many elements, the one that contains a point, or else the nearest one.
//
// A binary tree of boxes over the elements, sorted along a Morton curve and halved: built in O(n log n) and
// never deeper than log2 n, whatever the mesh looks like (a uniform grid fails on graded meshes, and on
// points far outside). Used while setting up; owns its memory.

#ifndef TACTUS_MAP_ELEMENT_TREE_H
#define TACTUS_MAP_ELEMENT_TREE_H

#include "map/element_fit.h"

typedef struct TacElementTree {
    const double *points;   // xyz
    const int32_t *indices; // of the elements' corners
    TacElement kind;
    size_t count;
    uint32_t *order; // elements, along the curve
    struct TacBox *boxes;
    double size; // diagonal of everything, m
} TacElementTree;

// The points and indices stay the caller's, and are valid (tac_mesh_validate).
TacStatus tac_element_tree_build(TacElementTree *tree, TacElement kind, const double *points,
                                 const int32_t *indices, size_t count, TacError *error);
void tac_element_tree_destroy(TacElementTree *tree);

// The nearest element; of several at the same distance, that in which p lies deepest. False when no element
// has any volume.
bool tac_element_tree_find(const TacElementTree *tree, TacVec3 p, size_t *element, TacFit *fit);

#endif
