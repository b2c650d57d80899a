// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Elements in pieces: some hundred elements after each other and the points that they touch, numbered anew.
//
// Elements read points here and there and add to them; done in the big vectors that is slow, because three numbers
// are no wide number, and threads would meet. So a piece first copies its points to rows of four numbers, computes
// on those, and collects its forces in such rows: all of it stays in the nearest cache. Then the forces go to their
// points, one sum for each point of the piece. Rules:
//
//   1. Within a piece forces are added in the order of elements, starting from zero.
//   2. To a point, the sums of pieces are added in the order of pieces, starting from what is there.
//   3. One thread adds the sums of a piece at once; several keep them, and then each takes some of the points. The
//      order is the same, so are the bits.
//
// Elements that follow each other in a mesh mostly share points, and adding to the same row again and again means
// waiting for it each time. So elements are dealt out within their piece (tac_element_pieces_deal): those of a batch are far
// apart. The order does not depend on the width of a batch.
//
// A tetrahedron of a large mesh has about half a sum to be kept, 12 bytes; its own forces would be 96.

#ifndef TACTUS_LAW_ELEMENT_PIECES_H
#define TACTUS_LAW_ELEMENT_PIECES_H

#include "law/setup.h"
#include "law/wide.h"

enum {
    TAC_PIECE = 512,            // elements per piece: a multiple of every width
    TAC_PIECE_CORNERS = 4,      // the most of an element
    TAC_PIECE_POINTS = 4 * 512, // the most points of a piece
};

typedef struct TacElementPieces {
    size_t count, piece_count, batch_count;
    size_t corners;   // of an element
    uint16_t *local;  // corners of each element, as numbered in its piece; the last batch is filled up
    uint32_t *start;  // per piece, and one more: its first point
    int32_t *points;  // of all pieces
    double *sums;     // 3 for each of them; NULL when elements or threads are few
    double *energies; // per piece
    TacGather gather;
} TacElementPieces;

// Which element of a mesh comes i-th.
size_t tac_element_pieces_deal(size_t count, size_t i);

// From the corners of `count` elements of two or four corners, filled up to whole batches.
TacStatus tac_element_pieces_make(TacElementPieces *pieces, TacSetup *setup, const int32_t *nodes,
                                  size_t corners, size_t count, size_t point_count, TacError *error);
// The same of elements as a mesh has them: deals them out and fills up the last batch.
TacStatus tac_element_pieces_make_dealt(TacElementPieces *pieces, TacSetup *setup, const int32_t *nodes,
                                        size_t corners, size_t count, size_t point_count, TacError *error);

// The points of a piece, as rows of four numbers.
typedef struct TacPieceRows {
    const TacFour *x, *v; // places and velocities; v only where they are asked for
    TacFour *f;           // forces
} TacPieceRows;

// Adds the forces of a piece's elements to its rows. `v` may be NULL: nobody looks at velocities.
typedef void (*TacPieceForces)(const void *call, size_t piece, const TacPieceRows *rows);
void tac_element_pieces_force(const TacElementPieces *pieces, TacTeam *team, TacPieceForces forces,
                              const void *call, const double *x, const double *v, double *f);

// The energy of the elements of a batch, lane by lane; rows of `x` are the points of its piece.
typedef void (*TacPieceEnergy)(const void *call, size_t batch, const TacFour *x, TacWide *each);
double tac_element_pieces_energy(const TacElementPieces *pieces, TacTeam *team, TacPieceEnergy energy,
                                 const void *call, const double *x);

// The batches of a piece.
static inline size_t tac_piece_first(size_t piece) {
    return TAC_PIECE / TAC_WIDTH * piece;
}

static inline size_t tac_piece_end(const TacElementPieces *pieces, size_t piece) {
    size_t end = tac_piece_first(piece + 1);
    return end < pieces->batch_count ? end : pieces->batch_count;
}

static inline size_t tac_piece_lanes(const TacElementPieces *pieces, size_t batch) {
    size_t left = pieces->count - TAC_WIDTH * batch;
    return left < TAC_WIDTH ? left : TAC_WIDTH;
}

// The point at a corner of an element.
static inline int32_t tac_piece_corner(const TacElementPieces *pieces, size_t element, size_t corner) {
    return pieces
        ->points[pieces->start[element / TAC_PIECE] + pieces->local[pieces->corners * element + corner]];
}

// Three numbers of each corner of a batch, from rows. `corners` is that of the pieces, known when compiling.
static inline __attribute__((always_inline)) void tac_piece_take(const TacElementPieces *pieces,
                                                                 size_t corners, size_t batch,
                                                                 const TacFour *rows, TacWide *out) {
    const uint16_t *local = pieces->local + corners * TAC_WIDTH * batch;
    for (size_t corner = 0; corner < corners; corner++)
        tac_wide_take(rows, local + corner, corners, out + 3 * corner);
}

// Adds the forces of a batch to rows, element after element.
static inline __attribute__((always_inline)) void
tac_piece_add(const TacElementPieces *pieces, size_t corners, size_t batch, const TacWide *out, TacFour *f) {
    TacFour rows[TAC_PIECE_CORNERS * TAC_WIDTH];
    const uint16_t *local = pieces->local + corners * TAC_WIDTH * batch;
    const TacWide zero = {0};
    for (size_t corner = 0; corner < corners; corner++)
        tac_wide_give(out + 3 * corner, &zero, rows + corner, corners);
    size_t used = tac_piece_lanes(pieces, batch);
    for (size_t i = 0; i < corners * used; i++) f[local[i]] += rows[i];
}

#endif
