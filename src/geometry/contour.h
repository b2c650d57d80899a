// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The contour of balls: "a zero level of the interaction between the object and its environment" ("Balls, bubbles
// and agglomerates", section V), as triangles.
//
// What a visitor at p would feel of ball i is w(d) = (1 - (d / reach)^2)^2 within the reach, nothing beyond; the
// contour is where the sum over all balls is w(radius). Alone, a ball has a sphere of its radius; near ones melt
// together. reach must be larger than radius; twice is usual.
//
//  1. Space is cut into blocks of 8 x 8 x 8 cells. Only blocks that some ball reaches exist, in a hash table, so that
//     fragments far apart cost no more than one heap.
//  2. Each block holds the sum at its 9 x 9 x 9 corners. Balls are added in order, so corners that two blocks share
//     have the same bits in both, and the surface has no cracks.
//  3. Each cell is six tetrahedra around its diagonal (the same in all cells, so neighbours agree on every face); the
//     level cuts a tetrahedron in one triangle or two, with corners where it crosses the edges, linearly.
//  4. Corners then walk to the level itself, along the gradient, by half a cell at most. They see only the balls of
//     their block, and two blocks that share a corner must see the same ones: so a block knows all balls that come
//     within half a cell of their reach to it. A block that has too many for its list does without the walk.
//  5. All memory is taken once. Where blocks or triangles run out, what is lost is counted; nothing is written
//     beyond.

#ifndef TACTUS_GEOMETRY_CONTOUR_H
#define TACTUS_GEOMETRY_CONTOUR_H

#include "tactus/base.h"

enum { TAC_CONTOUR_CELLS = 8, TAC_CONTOUR_CORNERS = 9 * 9 * 9, TAC_CONTOUR_BALLS = 128 };

typedef struct TacContourBlock {
    int64_t at[3]; // in blocks
    double sum[TAC_CONTOUR_CORNERS];
    size_t ball_count; // more than TAC_CONTOUR_BALLS: not all are listed
    uint32_t balls[TAC_CONTOUR_BALLS];
} TacContourBlock;

typedef struct TacContour {
    double radius, reach, cell; // m
    TacContourBlock *blocks;
    size_t most_blocks, block_count;
    uint32_t *table; // 1 + number of a block, by hash; 0: free
    size_t table_size;
    size_t lost; // blocks and triangles there was no room for, at the last call
} TacContour;

// Bytes that a contour needs for so many blocks, and its memory of that size, which the caller keeps.
size_t tac_contour_bytes(size_t most_blocks);
void tac_contour_start(TacContour *contour, double radius, double reach, double cell, size_t most_blocks,
                       void *memory);

// Triangles, 9 numbers each, outward; returns how many, at most `most`.
size_t tac_contour_triangles(TacContour *contour, const double *balls, size_t count, double *triangles,
                             size_t most);

// The sum less w(radius): positive inside. And its gradient, where wanted.
double tac_contour_field(double radius, double reach, const double *balls, size_t count, const double p[3],
                         double gradient[3]);

#endif
