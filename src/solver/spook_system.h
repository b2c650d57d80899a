// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The linear system of SPOOK, (G W G^T + Sigma) l = b with bounds on l, and its direct solution.
//
// W is the inverse mass, one small block per body; it is zero for bodies that are held. Two rows meet in the
// matrix S = G W G^T when they share a body that can move.
//
// Order. Bodies are vertices, rows are edges. A walk in breadth from one body of each part numbers the rows;
// they are eliminated backwards. In chains and trees every row then has only rows of one body left to meet, so
// nothing is filled in: the work is linear in the number of rows (for a bounded number of joints per body).
// With loops that fills in more than it must, and the order comes from approximate minimum degree (SuiteSparse's
// AMD) instead.
//
// Factor. S = L D L^T, row by row upwards (T. Davis, "Algorithm 849: a concise sparse Cholesky package", 2005),
// on numbers rather than blocks, since most rows (segments of wires) come alone. S itself is never stored.
// The structure is found anew only when rows meet differently than at the last step.
//
// Bounds. Rows that may only pull or push, limits and motors make it a mixed complementarity problem: a row
// is free (S l = b there) or held at one of its bounds. Block principal pivoting (Judice and Pires 1994) moves
// all wrong rows at once; when that does not lessen their number three times in a row, only the last wrong one
// moves (Murty), until it does. A bounded number of such rounds, counted.
//
// Friction. Two rows across a row that presses have bounds that depend on its force. They are solved for without bounds
// first, then with those that follow: together at most mu times what presses, shared as their forces were; a few times, until
// that holds.
//
// Rules:
//   1. Everything is done by one thread in a fixed order: the same bits always.
//   2. A row of no movable body has force 0.
//   3. A row that depends on rows before it (a pivot that has lost twelve digits) has force 0.

#ifndef TACTUS_SOLVER_SPOOK_SYSTEM_H
#define TACTUS_SOLVER_SPOOK_SYSTEM_H

#include "base/memory.h"
#include "constraint/joint.h"

typedef enum TacBodyForm {
    TAC_BODY_HELD,   // W = 0
    TAC_BODY_POINT,  // W = w[0] times one
    TAC_BODY_MATRIX, // W is full, row-major
} TacBodyForm;

typedef struct TacSpookBody {
    uint8_t size, form; // numbers of its velocity
    uint32_t first;     // of its numbers in flat vectors
    uint32_t weight;    // of its numbers in `weights`
} TacSpookBody;

enum { TAC_ROW_FREE = 0, TAC_ROW_AT_LOW = 1, TAC_ROW_AT_HIGH = 2 };

typedef struct TacSpookSystem {
    TacRows rows;
    TacSpookBody *bodies;
    size_t body_count, number_count, slot_count;
    double *weights;         // W of each body
    double *v, *v_free, *dv; // by number: now, without joints, by joints
    uint8_t *active;         // by slot, kept from step to step: TAC_ROW_FREE ...
    double *forces;          // by slot
    // by row
    double *rhs, *sigma, *low, *high, *l, *residual;
    double (*wj)[6]; // by block: W times its part of G
    uint8_t *set;    // by row: where it is now
    // structure
    uint32_t *seen_bodies, *seen_rows; // of the blocks for which the structure holds; TAC_NO_BODY: held
    size_t seen_count, seen_blocks;
    uint32_t *order, *position;              // by place, by row
    uint32_t *list_start, *list;             // blocks of each movable body, in the order of elimination
    uint32_t *queue, *above;                 // bodies of the walk, and from where they were found
    int32_t *parent, *flag, *pattern, *fill; // as in LDL
    size_t *column;
    uint32_t *li;
    double *lx, *d, *y;
    size_t l_capacity, lx_capacity;
    int *degree_work; // for minimum degree, 8 numbers a row
    int *pattern_of_rows;
    size_t pattern_capacity;
} TacSpookSystem;

// Takes memory for as many rows, blocks, bodies and slots as the system says.
TacStatus tac_spook_system_create(TacSpookSystem *system, TacArena *arena, TacError *error);
void tac_spook_system_destroy(TacSpookSystem *system);

typedef struct TacSpookReport {
    int rounds;      // of the active set, with all passes of friction
    double residual; // largest violation of a bound's condition, relative to the largest |b|
    bool failed;     // no memory
} TacSpookReport;

// dv = W G^T l for the l that solves the problem with rhs, sigma, low and high as set.
TacSpookReport tac_spook_system_solve(TacSpookSystem *system);

#endif
