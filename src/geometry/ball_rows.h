// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Balls in rows: which of many balls are near each other, and which are near a box. The voxel grid of
// "Asynchronous Interactive Physical Simulation", section 4.2, as a sorted list instead of a table.
//
// Space is cut into cubes at least as wide as the longest reach of two balls. Balls are sorted by their cube, along z,
// then y, then x; a *row* is all balls whose cubes have the same z and y. So the balls of neighbouring cubes along x lie
// side by side in memory, four are tested at once, and whoever walks through the rows in order finds the neighbouring
// rows by going forward in the same list: nothing is hashed, and no memory is needed for empty cubes, wherever the
// balls are. A list of neighbours kept over several steps was rejected: while some of the balls fall fast it would be
// made anew at every step, and making it costs more than going through the rows.
//
// Rules
//  1. The list is made anew from positions and radii alone; nothing is remembered.
//  2. Pairs are exactly those with |x1 - x2| < r1 + r2 + extra, each once.
//  3. The sum of squares is made in the same order on every backend, so the answer is the same on all.
//
// The cost is that of the balls in 14 cubes for each ball; it grows with the number of balls, where no cube is crowded.

#ifndef TACTUS_GEOMETRY_BALL_ROWS_H
#define TACTUS_GEOMETRY_BALL_ROWS_H

#include "base/memory.h"
#include "tactus/component.h"

typedef struct TacBallRow {
    uint32_t z, y; // cubes, from the lowest one
    uint32_t start;
} TacBallRow;

typedef struct TacBallRows {
    size_t count;
    double cube, largest;  // m: edge of a cube, radius of the largest ball
    double low[3];         // of the balls as they are now, with their radii; of none: infinite
    double high[3];        //
    int32_t first_cube[3]; // the lowest cube
    uint32_t *ball;        // at each place
    uint32_t *column;      // cube along x, from the lowest one
    double *x, *y, *z, *r; // with room for a last group of lanes
    TacBallRow *rows;      // one more at the end
    size_t row_count;
    // scratch
    uint32_t *cubes, *order;
} TacBallRows;

typedef struct TacBallPair {
    uint32_t a, b; // a < b
} TacBallPair;

typedef struct TacBallPairs {
    TacBallPair *items;
    size_t count, capacity;
} TacBallPairs;

// Room for `count` balls. False: no memory.
bool tac_ball_rows_alloc(TacBallRows *rows, TacArena *arena, size_t count);

// Positions `stride` numbers apart; no radius is above `largest`, no `extra` that will be asked for above this one.
void tac_ball_rows_build(TacBallRows *rows, TacTeam *team, const double *x, size_t stride,
                         const double *radii, double largest, double extra);

// Appends the pairs of which the first ball (in the order of places) is in rows begin to end - 1. False: no memory.
bool tac_ball_rows_pairs(const TacBallRows *rows, size_t begin, size_t end, double extra, TacBallPairs *out);

// The row that holds a place.
size_t tac_ball_rows_at(const TacBallRows *rows, size_t place);

// Visits, in no useful order, every ball whose own box meets [low, high]. Stops and returns false when `visit` does.
typedef bool (*TacBallVisit)(void *data, uint32_t ball);
bool tac_ball_rows_near(const TacBallRows *rows, const double low[3], const double high[3],
                        TacBallVisit visit, void *data);

#endif
