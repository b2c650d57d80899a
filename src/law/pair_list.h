// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Who is near whom, remembered: lists of neighbours with a skin, for laws with a reach between many balls
// (Lennard-Jones, liaisons).
//
// Members are the balls of one group (all pairs within it) or of two (every one with every other). They are
// sorted by cells as wide as reach + skin, row by row, so that what is near in space is near in memory
// (pair_cells.c); every member then has a row: the sorted slots of all that were nearer than reach + skin. A row
// stays good until somebody has moved by half the skin. Rules:
//
//  1. Every pair stands in the rows of both. That doubles the arithmetic, and still was the faster way:
//     nothing is written but a ball's own sum, so threads share nothing and no forces are folded together
//     afterwards.
//  2. Rows are a function of the reference alone (the places at the last build), and so is the order of all
//     sums. The reference and the skin are state of the world: a restored world makes the same rows again and
//     goes on to the same bits. `mark` (a hash of the reference) tells whose rows the present ones are.
//  3. Looking from elsewhere (an energy at places that are shown) may build other rows; the next update makes
//     those of the reference again.
//  4. Rows that are kept stand in groups of eight, side by side: first the first slot of each, then the
//     second of each. A lane belongs to a ball, so sums over short rows need no adding up across lanes, and
//     eight rows end together; with a row along the lanes, half of the time of short rows went there. Shorter
//     rows are filled up with their own slots; rows that follow each other are sorted by length first, so that
//     little is.
//  5. A row begins with the nearest and ends with the farthest, by shells: whoever was farther than reach + s when
//     the row was made is out of reach until two together have moved by s. So a step looks only as far into the
//     rows as somebody has moved, and a wide skin costs little. What is left out would add nothing: no bit
//     changes.
//  6. No memory is taken while time runs. Rows that do not fit into what init took are not kept: they are
//     found again whenever they are asked for. Slower, never wrong, and the same rows.
//  7. Cells are numbered from the origin of the world, x first, and sorted by their numbers; only occupied
//     ones exist, so far outliers cost nothing. What is more than 2^19 cells away shares the last one. Along x
//     cells are thinner, by `slices`: in each of the nine columns around a cell, its neighbours along x are one
//     run of slots, and thinner slices make that run shorter.
//  8. In a periodic box, places are wrapped into it, and balls near a face have images beyond the other.
//     Images are slots like others without a row of their own. A box is at least two reaches (with skin)
//     wide.
//  9. The skin grows when rows were good for few updates, and shrinks when for many. Counts,
//     never clocks, decide, so runs repeat.

#ifndef TACTUS_LAW_PAIR_LIST_H
#define TACTUS_LAW_PAIR_LIST_H

#include "law/eight.h"
#include "tactus/component.h"

#include <stdatomic.h>

enum {
    TAC_PAIR_PIECE = 1024, // slots that a row is handed out in at once
    TAC_PAIR_GRAIN = 128,  // members per chunk of a loop
    TAC_PAIR_SHELLS = 4,   // of a row
    TAC_PAIR_BEHIND = 16,  // places behind the last slot that are read with it
};

// What init is told.
typedef struct TacPairListDef {
    size_t count[2];          // members of each group; the second 0: pairs within the first
    const int32_t *points[2]; // which points of its matter they are; NULL: 0, 1, 2, ...
    size_t stride[2];         // numbers per position in that matter
    size_t dimension;         // numbers of a place
    double reach;             // m
    double skin;              // m, to begin with
    TacVec3 box;              // m, from the origin; 0: not periodic along that axis
} TacPairListDef;

// Saved with the world.
typedef struct TacPairListState {
    uint64_t mark; // of the reference; 0: there is none
    double skin;
    uint64_t age; // instants since the last build
    int64_t tick; // the last instant that was counted
} TacPairListState;

typedef struct TacPairCell {
    uint64_t key;
    uint32_t begin;    // its first slot
    uint32_t runs[18]; // slots of the nine runs around it, begin and end
} TacPairCell;

// What a chunk of members reaches over.
typedef struct TacPairSurvey {
    double low[3], high[3];
    bool odd;      // somebody is nowhere
    size_t images; // of its members; then: of those before it
    uint64_t hash;
} TacPairSurvey;

// How many rows and cells a chunk of slots has; then: how many come before it.
typedef struct TacPairBefore {
    uint32_t rows, cells;
} TacPairBefore;

typedef struct TacPairList {
    TacPairListDef def;
    double box[3]; // the same as of `def`
    int32_t slices;
    size_t member_count;
    TacPairListState *state;
    double *reference; // 3 numbers per member
    double *elsewhere; // the reference, while somebody looks from elsewhere
    uint64_t built;    // the mark of what follows
    double built_skin;

    size_t slot_count, slot_capacity;
    uint32_t *member;   // of each slot
    int32_t *image;     // as laid out: how many boxes each stands off, 3 numbers; NULL without a box
    uint32_t *image_of; // the members of those that are images, as laid out
    double *offset;     // the same of each slot, m, 4 numbers; NULL without a box
    uint32_t *source;   // the point of each slot; NULL between two groups and where places are not in space
    double *at[3];      // where each slot was at the build
    float *seen[3];     // the same from the middle of all, as far as single precision goes
    bool sharp;         // which is far enough to find rows by
    double blur;        // by how much distances of those may be wrong, m; 0 where they are not used
    double *place;      // where it is now, 4 numbers (the last one 0)
    double *motion;     // its velocity, or change of place, 4 numbers; NULL until asked for
    uint32_t *home;     // the slot of each row: ascending, but for those that are sorted by length together
    uint32_t *cell_of;  // of each slot

    size_t cell_count;
    TacPairCell *cells;

    size_t row_capacity; // of all rows together, in slots
    _Atomic size_t row_used;
    bool kept; // all rows fitted
    uint32_t *rows;
    size_t *group_begin;  // by eight rows
    uint32_t *group_size; // slots of each of the eight rows up to the end of each shell
    size_t shell;         // how many are in reach now, less one

    uint64_t *keys[2]; // for sorting, and the slots' first order
    uint32_t *order[2];
    uint32_t *starts; // by chunk and digit
    TacPairSurvey *surveys;
    TacPairBefore *before;
    double *moved; // by chunk
} TacPairList;

// Takes memory for what is there in `x` and some more. Fails when a box is too small for the reach.
TacStatus tac_pair_list_create(TacPairList *list, TacSetup *setup, const TacPairListDef *def,
                               const double *const x[2], TacError *error);

// Room for motions: only laws that look at velocities need it.
TacStatus tac_pair_list_hold_motion(TacPairList *list, TacSetup *setup, TacError *error);

// Takes new places; builds where somebody moved too far. For the force of a step; `tick` is the time of its
// matter, so that a force that is asked for again at the same instant (by a solver that tries, or after a
// restore) counts once.
void tac_pair_list_update(TacPairList *list, TacTeam *team, const double *const x[2], int64_t tick);

// The same for whoever looks from elsewhere: never changes the state.
void tac_pair_list_look(TacPairList *list, TacTeam *team, const double *const x[2]);

// Takes velocities, or changes of place.
void tac_pair_list_move(TacPairList *list, TacTeam *team, const double *const v[2], const size_t stride[2]);

// The first half of a build, pair_cells.c: memory for slots, homes and cells, and all of them from the reference, or
// from new places, which become the reference. Returns a hash of the reference and the skin.
TacStatus tac_pair_cells_create(TacPairList *list, TacSetup *setup, TacError *error);
uint64_t tac_pair_cells_build(TacPairList *list, TacTeam *team, const double *const *x);

// Which group and point the member of a row is.
static inline size_t tac_pair_point(const TacPairList *list, size_t member, int *side) {
    *side = member < list->def.count[0] ? 0 : 1;
    size_t i = *side ? member - list->def.count[0] : member;
    return list->def.points[*side] ? (size_t)list->def.points[*side][i] : i;
}

// A piece of a row: slots[0], slots[stride], ..., `count` of them. Those that are the row's own slot only
// fill it up.
typedef struct TacPairPiece {
    const uint32_t *slots;
    size_t count, stride;
    uint32_t run, next; // where the search goes on, when rows are not kept
    bool begun;
} TacPairPiece;

// Finds the next piece of a row, a multiple of eight slots without gaps, whether rows are kept or not;
// `buffer` has room for TAC_PAIR_PIECE slots. False when there is none.
bool tac_pair_find(const TacPairList *list, size_t row, TacPairPiece *piece, uint32_t *buffer);

// How many slots of each of eight rows from a multiple of eight on may be in reach, where rows are kept.
static inline size_t tac_pair_group_size(const TacPairList *list, size_t row) {
    return list->group_size[TAC_PAIR_SHELLS * (row / TAC_EIGHT) + list->shell];
}

// The next piece of a row, starting from a zeroed piece; false when there is none.
static inline bool tac_pair_next(const TacPairList *list, size_t row, TacPairPiece *piece, uint32_t *buffer) {
    if (!list->kept) return tac_pair_find(list, row, piece, buffer);
    if (piece->begun) return false;
    size_t group = row / TAC_EIGHT;
    *piece = (TacPairPiece){.slots = list->rows + list->group_begin[group] + row % TAC_EIGHT,
                            .count = tac_pair_group_size(list, row),
                            .stride = TAC_EIGHT,
                            .begun = true};
    return true;
}

// The slots of eight rows from a multiple of eight on; behind the last row it is repeated.
static inline void tac_pair_homes(const TacPairList *list, size_t row, uint32_t homes[TAC_EIGHT]) {
    for (size_t lane = 0; lane < TAC_EIGHT; lane++) {
        size_t r = row + lane < list->member_count ? row + lane : list->member_count - 1;
        homes[lane] = list->home[r];
    }
}

#endif
