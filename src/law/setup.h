// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What several laws need while they are set up: numbers given once or for each item, and the list that lets
// threads add up forces in a fixed order.
//
// A law over elements (springs, tetrahedra) adds to points that several elements share. One thread simply
// adds, element by element. Several threads go through the elements in blocks: first each writes the
// contributions of its elements to the slots of a buffer, then each takes some of the points that the block
// touches and sums their slots. Both ways add to a point in ascending order of elements, starting from what
// is there, so the bits are the same. Blocks keep the buffer small enough for the cache: one as long as the
// mesh took twice the time on 400,000 tetrahedra. Colouring would need no buffer but make the order depend on
// the colours.

#ifndef TACTUS_LAW_SETUP_H
#define TACTUS_LAW_SETUP_H

#include "tactus/component.h"

// Fewer elements than this are not worth waking other threads for.
enum { TAC_LAW_TEAM_LEAST = 2000 };

// Whether several threads will go through so many elements: only then there is a buffer and lists for it.
static inline bool tac_law_on_team(const TacSetup *setup, size_t count) {
    return count >= TAC_LAW_TEAM_LEAST && tac_setup_threads(setup) > 1;
}

// Elements per block.
enum { TAC_LAW_BLOCK = 16384 };

// Which slots to add to which point: run r says that slots[start[r]] .. slots[start[r + 1] - 1], in this
// order, belong to points[r]. Block b has the runs block_start[b] .. block_start[b + 1] - 1.
typedef struct TacGather {
    uint32_t *block_start; // NULL: not built
    uint32_t *points, *start;
    uint32_t *slots; // counted from the first of their block
} TacGather;

// Slot s, for s = first, first + stride, ... below `count`, belongs to point owners[s] of `point_count`; each
// block has `block` slots.
TacStatus tac_gather_build(TacGather *gather, TacSetup *setup, size_t point_count, const int32_t *owners,
                           size_t first, size_t stride, size_t count, size_t block, TacError *error);

// Fills `each` (count numbers) from a list that has one for all or one each; complains about anything else.
TacStatus tac_law_one_or_each(TacSetup *setup, const char *attribute, TacReals given, size_t count,
                              double *each, TacError *error);

// How many of a point's numbers are its place; the rest is orientation.
static inline size_t tac_law_place_size(TacMatterKind kind) {
    switch (kind) {
    case TAC_VEC1: return 1;
    case TAC_VEC2:
    case TAC_RIGID2: return 2;
    default: return 3;
    }
}

// What a law of two matters needs to say something of its points as they are shown. False: nobody wants to know.
static inline bool tac_law_shown(const TacLaw *law, bool wanted, TacScalarSheet *sheet, TacLawVectors *shown,
                                 float *to[2]) {
    *shown = (TacLawVectors){{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    for (int side = 0; side < 2; side++) {
        const TacMatter *m = law->matter[side];
        shown->x[side] = m->vectors[TAC_X_SHOWN];
        shown->v[side] = m->vectors[TAC_V_SHOWN];
        to[side] = wanted ? tac_scalar_sheet_of(sheet, m) : NULL;
    }
    return to[0] && to[1];
}

#endif
