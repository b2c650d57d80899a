// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A dynamic tree of boxes with slanted sides (k-DOPs): which of many things can touch this one?
//
// A box is k numbers, k = 6, 14, 18 or 26: how far the thing reaches along k directions d (the faces of a cube;
// and its corners; or its edges; or both), as support values h(d). Two boxes are apart if for some d
// h_A(d) + h_B(-d) < 0; the box around both has the larger of each value. Values are floats, rounded outward
// when made from points, so that a box never misses what it holds; from then on every answer is exact for the
// floats given: the sign of a sum of two floats is not changed by rounding.
//
// Each leaf is one thing, under a small number that the caller gives. The tree is binary; an inner node stores
// the boxes of its two children beside their numbers, so that a visit reads one cache line for k = 6.
//
//          top (a node with one child)
//           |
//           A       rules: 1. the box that a node stores for a child is the smallest around the boxes that the
//          / \                child stores for its own; for a leaf it is the leaf's.
//         B   C            2. shape depends on the calls made and on nothing else.
//            / \           3. asking takes no memory and changes nothing: any number of threads may do it.
//           F   G             Walks keep a small stack; below a branch that would overflow it they go on by
//                             parents, which needs none.
//
// A new leaf goes down to where the sum of all widths grows least (widths along all axes, not surfaces: those
// of lines and flat boxes are 0 and say nothing); between equals the leaf's number tosses a coin, so that a
// heap of equal boxes stays low. On the way up each node swaps a child with a grandchild on the other side if
// that makes a box smaller. So the tree follows things that move. A leaf that moves within its parent's box
// stays where it is; another is put in again from the nearest ancestor that has room for it.
// (The insertion is that of the dynamic trees of N. Presson and E. Catto; rotations after A. Kensler, "Tree
// Rotations for Improving Bounding Volume Hierarchies", 2008; k-DOPs after J. Klosowski and others, 1998.)

#ifndef TACTUS_GEOMETRY_BOX_TREE_H
#define TACTUS_GEOMETRY_BOX_TREE_H

#include "tactus/base.h"
#include "tactus/math.h"

#include <stdbool.h>

enum { TAC_DOP_MOST = 26 };

// How far something reaches: along axis i in [2 i], against it in [2 i + 1]. Only the first k count. NaN is
// not allowed; infinities are.
typedef struct TacDop {
    float reach[TAC_DOP_MOST];
} TacDop;

typedef struct TacBoxTree {
    int k;
    size_t leaf_count, leaf_room, node_room;
    size_t stride; // bytes from node to node
    unsigned char *nodes;
    int32_t free_node; // a chain of unused ones
    int32_t *parents;  // of each leaf; none: -1
} TacBoxTree;

// 6, 14, 18 or 26?
bool tac_dop_k_valid(int k);

// Around nothing: overlaps no box.
TacDop tac_dop_empty(void);
// Makes room for a ball, and for an axis-parallel box of these half-widths around a point.
void tac_dop_add_ball(TacDop *box, int k, TacVec3 centre, double radius);
void tac_dop_add_cuboid(TacDop *box, int k, TacVec3 centre, TacVec3 half);
bool tac_dop_overlaps(const TacDop *a, const TacDop *b, int k);
// Is all of the inner one within the outer one?
bool tac_dop_contains(const TacDop *outer, const TacDop *inner, int k);

TacStatus tac_box_tree_create(TacBoxTree *tree, int k, TacError *error);
void tac_box_tree_destroy(TacBoxTree *tree);

// Room for leaves 0 .. leaves - 1: after it, insert does not allocate for these.
TacStatus tac_box_tree_reserve(TacBoxTree *tree, size_t leaves, TacError *error);

// Replaces all leaves by 0 .. count - 1, in O(n log n).
TacStatus tac_box_tree_build(TacBoxTree *tree, const TacDop *boxes, size_t count, TacError *error);

// The leaf must not be there yet (insert); it must be there (move, remove, box). O(log n).
TacStatus tac_box_tree_insert(TacBoxTree *tree, int32_t leaf, const TacDop *box, TacError *error);
void tac_box_tree_move(TacBoxTree *tree, int32_t leaf, const TacDop *box);
void tac_box_tree_remove(TacBoxTree *tree, int32_t leaf);
bool tac_box_tree_has(const TacBoxTree *tree, int32_t leaf);
TacDop tac_box_tree_box(const TacBoxTree *tree, int32_t leaf);

// Called once for each leaf whose box overlaps the one asked about; false ends the search.
typedef bool (*TacBoxVisit)(void *context, int32_t leaf);
void tac_box_tree_query(const TacBoxTree *tree, const TacDop *box, TacBoxVisit visit, void *context);

// A list that grows and is used again: zero it first, set count to 0 between uses, free ids at the end.
typedef struct TacIds {
    int32_t *ids;
    size_t count, capacity;
} TacIds;

// Appends the overlapping leaves but `except` (-1: none), in no particular order.
TacStatus tac_box_tree_find(const TacBoxTree *tree, const TacDop *box, int32_t except, TacIds *found,
                            TacError *error);
// Appends all overlapping pairs, a < b, as a, b, a, b, ...: ascending in a.
TacStatus tac_box_tree_pairs(const TacBoxTree *tree, TacIds *pairs, TacError *error);

// The longest way down, in nodes.
int tac_box_tree_height(const TacBoxTree *tree);
// Widths of all inner boxes over those of the outermost: what a walk costs. Smaller is better.
double tac_box_tree_quality(const TacBoxTree *tree);
// NULL, or which of the rules above does not hold.
const char *tac_box_tree_broken(const TacBoxTree *tree);

#endif
