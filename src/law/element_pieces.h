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
    TAC_PIECE_POINTS = 4 * 512, // the most points of a piece
};

typedef struct TacElementPieces {
    size_t count, piece_count;
    uint16_t *local; // 4 corners of each element, as numbered in its piece; the last batch is filled up
    uint32_t *start; // per piece, and one more: its first point
    int32_t *points; // of all pieces
    double *sums;    // 3 for each of them; NULL when elements are few
    TacGather gather;
} TacElementPieces;

// Which element of a mesh comes i-th.
size_t tac_element_pieces_deal(size_t count, size_t i);

// From the corners of `count` elements of four corners, filled up to whole batches.
TacStatus tac_element_pieces_make(TacElementPieces *pieces, TacSetup *setup, const int32_t *corners,
                                  size_t count, size_t point_count, TacError *error);

// Copies the points of a piece to rows.
void tac_element_pieces_load(const TacElementPieces *pieces, size_t piece, const double *x, TacFour *rows);

// Adds the forces of a piece's elements to rows of `f`; rows of `x` are its points.
typedef void (*TacPieceForces)(const void *call, size_t piece, const TacFour *x, TacFour *f);
void tac_element_pieces_force(const TacElementPieces *pieces, TacTeam *team, TacPieceForces forces,
                              const void *call, const double *x, double *f);

#endif
