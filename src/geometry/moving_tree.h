// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A tree of boxes that move: which of many things can meet this one while a window of time lasts?
//
// A moving box is known at the beginning and at the end of the window, and everything in it moves in straight lines
// between: two sets of k numbers as in dop.h, how far the thing reaches along k directions. Two boxes are apart
// throughout if along one direction they are apart at both ends. So things that fly side by side do not meet, however
// fast they are; boxes around whole paths would all overlap.
//
// The shape of the tree is fixed by tac_moving_tree_shape, from where the boxes are; afterwards boxes may change at
// will, and only the numbers follow: all at once (tac_moving_tree_fit), or up from one leaf (tac_moving_tree_fit_leaf).
//
// Only leaves have all k numbers: nodes have the first few, as many as are compared at once, which is enough to find the
// way down.
//
// A leaf may also be what holds some leaves of another tree, as an edge or a face holds its points: a *hull*. Then it has
// no numbers of its own; they are the largest of its corners', found when they are asked for. The numbers of the points
// stay in a near cache, where those of all edges and faces, several times as many, would not.
//
// Leaves may be *kin*: parts of one body, which never meet whatever their boxes do. And hulls around a point with very many
// (the hub of a wheel) all share it. Where all below two nodes are kin, or share a corner, nothing there is told of, and
// nobody goes there: a body costs nothing with itself.
//
// It is a heap: node i has the children 2 i and 2 i + 1, and the lowest row are buckets of a few leaves, which lie next to
// each other in memory in the order of the tree.
//
// Asking takes no memory but the list of answers, and changes nothing: any number of threads may ask.

#ifndef TACTUS_GEOMETRY_MOVING_TREE_H
#define TACTUS_GEOMETRY_MOVING_TREE_H

#include "base/team.h"
#include "geometry/dop.h"

// Numbers lie in groups: some of the beginning, and the same ones of the end.
enum { TAC_MOVING_LANES = 8, TAC_MOVING_GROUP = 2 * TAC_MOVING_LANES };
static inline size_t tac_moving_number(size_t end, size_t direction) {
    return direction / TAC_MOVING_LANES * TAC_MOVING_GROUP + end * TAC_MOVING_LANES +
           direction % TAC_MOVING_LANES;
}

typedef struct TacMovingTree {
    int k;
    size_t groups; // of a leaf
    size_t leaf_count;
    size_t bucket_count;                // a power of two
    float *leaves;                      // by place; NULL where leaves are hulls
    const struct TacMovingTree *points; // of which they hold some; NULL: they have boxes of their own
    const uint32_t *corners;            // by leaf, `corner_count` leaves of it each, `stride` numbers apart
    size_t corner_count, stride;
    const uint32_t
        *kin;     // by leaf, of points only: those with the same number are kin; 0: of nobody. NULL: none are
    float *nodes; // one group each, from 1 on
    uint32_t *ties;      // of nodes: what all leaves below have in common, as of the last shape; 0: nothing
    bool tied;           // some node has
    uint32_t *place;     // of each leaf
    uint32_t *leaf;      // at each place
    uint32_t *first;     // place of each bucket, and one past the last
    uint8_t *fresh;      // by place: set, and not accepted since
    uint8_t *fresh_node; // something below is; as of the last fit or join
} TacMovingTree;

// A box at both ends of the window.
typedef struct TacMovingBox {
    TacDop ends[2];
} TacMovingBox;

// A list that grows and is used again: zero it first, set count to 0 between uses, free ids at the end.
typedef struct TacIds {
    int32_t *ids;
    size_t count, capacity;
} TacIds;

// All leaves are points at the origin until they are set; the tree answers from the first shape or fit on. Set `kin` before it
// is shaped; the numbers, below 2^31, must live as long and stay as they are.
TacStatus tac_moving_tree_create(TacMovingTree *tree, int k, size_t leaf_count, TacError *error);
// The same of hulls of leaves of `points`, 2 or 3 each: those of leaf i are at corners + stride * i. Both must live as long and
// stay where they are, and corners as they are from the first shape on.
enum { TAC_MOVING_CORNERS = 3 };
TacStatus tac_moving_tree_create_hulls(TacMovingTree *tree, const TacMovingTree *points, size_t corner_count,
                                       const uint32_t *corners, size_t stride, size_t leaf_count,
                                       TacError *error);
void tac_moving_tree_destroy(TacMovingTree *tree);

size_t tac_moving_tree_bytes(const TacMovingTree *tree);

// Fit before asking again. The leaf is fresh until it is accepted; different leaves may be set side by side.
void tac_moving_tree_set(TacMovingTree *tree, uint32_t leaf, const TacMovingBox *box);
// The box of one of its corners was set.
void tac_moving_tree_follow(TacMovingTree *tree, uint32_t leaf);
void tac_moving_tree_accept(TacMovingTree *tree); // all leaves
// Neighbours at the beginning of the window become neighbours in the tree; also fits. All leaves are fresh.
void tac_moving_tree_shape(TacMovingTree *tree, TacTeam *team); // NULL: alone
void tac_moving_tree_fit(TacMovingTree *tree, TacTeam *team);   // what is fresh
void tac_moving_tree_fit_leaf(TacMovingTree *tree, uint32_t leaf);

// The bucket that a place is in.
size_t tac_moving_tree_bucket(const TacMovingTree *tree, size_t place);

// All numbers of the leaf at a place: where they are, or in `room`.
enum { TAC_MOVING_NUMBERS = 4 * TAC_MOVING_GROUP };
const float *tac_moving_tree_box(const TacMovingTree *tree, size_t place, float room[TAC_MOVING_NUMBERS]);

// Are the boxes of two leaves (of two trees) apart all the time?
bool tac_moving_tree_apart(const TacMovingTree *a, uint32_t leaf, const TacMovingTree *b, uint32_t other);

// Appends the leaves that may meet a leaf of another tree of the same k, or of this one: then itself too. Kin may be left
// out.
TacStatus tac_moving_tree_find(const TacMovingTree *tree, const TacMovingTree *from, uint32_t leaf,
                               TacIds *found, TacError *error);

// Calls for every leaf of one tree and leaf of another of the same k that may meet and of which one is fresh; of a tree and
// itself, for every two leaves once, in any order. Not for hulls that share a corner, nor for a hull and a corner of it:
// those always meet. Kin may be left out. The team does up to TAC_MOVING_TREE_PARTS parts side by side; which part finds what does not
// depend on the number of threads.
enum { TAC_MOVING_TREE_PARTS = 64 };
typedef void (*TacMovingMeet)(void *data, size_t part, uint32_t leaf, uint32_t other);
void tac_moving_tree_join(TacMovingTree *tree, TacMovingTree *other, TacTeam *team, TacMovingMeet meet,
                          void *data);

#endif
