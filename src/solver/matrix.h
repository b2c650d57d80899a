// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The matrix m M + b B + k K of a program, assembled: for direct solvers and for preconditioners.
//
// One row of blocks for each point of independent matter, in the order of the program; a block has the size of
// a velocity on each side. All blocks are stored, those below the diagonal too, so that a product goes row by
// row and has the same bits for any number of threads.
//
// The structure is found once, by an assembly that only notes which blocks are written. After that, blocks are
// expected in the same order as the last time: each one then finds its place by looking at one number, and
// nothing is allocated. Elements that never change come as a whole instead (tac_matrix_elements): they are summed
// block by block, on several threads. Laws whose neighbours change write other blocks; the structure is then found anew,
// from the blocks of that moment alone, so it never depends on what happened before.
//
// Parts along single directions (tac_matrix_push) can be kept apart from the blocks, where only products are wanted: others
// may then come in each instant, at no price for the blocks. While a program only solves again (TacProgram.again), blocks
// stay as they are.
//
// Laws on mapped matter are carried up block by block, J^T K J, by the maps' `jacobian`.
//
// Constraints: with P what they leave free (block by block; any symmetric projection of single points), the
// matrix becomes P A P + (1 - P). Solutions are then free of what is forbidden if the right-hand side is.

#ifndef TACTUS_SOLVER_MATRIX_H
#define TACTUS_SOLVER_MATRIX_H

#include "base/memory.h"
#include "solver/solver.h"

enum {
    TAC_MOST_BLOCK = 6,     // numbers of a velocity
    TAC_MATRIX_GRAIN = 256, // rows per chunk
    TAC_MATRIX_SLACK = 1,   // numbers that a product reads past the end of values and vectors
};

struct TacMatrix {
    const TacProgram *program;
    size_t rows, scalars; // points; numbers of all their velocities
    size_t block;         // numbers of a velocity where all rows have the same; 0: mixed
    uint8_t *size;        // per row
    size_t *first;        // per row: its first number; one more at the end
    size_t *start;        // per row: its first block; one more at the end
    uint32_t *column;     // per block, ascending in a row
    size_t *place;        // per block: its first value; NULL where all blocks have the same size
    double *values;       // row-major in a block
    size_t value_count;   // of numbers in all blocks
    uint64_t generation;  // rises when the structure changes
    double *in, *out;     // vectors in one piece
    double *partial;      // sums, per chunk of rows

    // who writes: first rows and maps of the writer's matter
    struct TacMatrixSide {
        const TacMatter *matter;
        const TacMap *map; // NULL: independent
        size_t row;
        bool known;    // part of the program
    } side[2], *sides; // all, by the index of their component
    size_t side_count;

    // the order of writing
    bool noting;               // only which blocks are written
    bool surprised;            // a block came that was not expected
    size_t cursor, slot_count; // of the write that comes next
    size_t *slots;             // block of each write
    struct TacMatrixPair {
        uint32_t row, column;
    } * pairs;
    size_t pair_count, pair_capacity;
    bool no_memory;

    // elements that come as a whole (matrix_elements.c)
    struct TacMatrixRun {
        const int32_t *nodes;
        size_t corners, count, scratch, row; // row of node 0
        size_t block_count;
        uint32_t *start, *pair, *where, *across;
    } * runs;
    size_t run_count, run_capacity, run_cursor;
    double *scratch; // of the run that needs most; between two assemblies, of whoever asked for room there
    size_t room;     // numbers that he asked for
    uint32_t *empty; // blocks that the first run does not store, and how many there are
    size_t empty_count;

    // parts along single directions (matrix_pushes.c)
    bool apart; // they are kept apart, or else written as blocks
    struct TacMatrixPushes {
        struct TacMatrixPush {
            uint32_t first; // entry; those of the next push follow
            double scale;
        } * list;
        struct TacMatrixEntry {
            uint32_t row, push;
            double j[3];
        } * entries, *of_row; // in the order of pushes; of rows
        uint32_t *start;      // per row: its first entry in `of_row`; one more at the end
        double *along;        // per push, of a product
        size_t border;        // rows ascend before it and after it, more or less
        size_t count, entry_count;
        size_t capacity, entry_capacity, of_row_capacity, start_capacity, along_capacity;
    } pushes;
    bool complete; // the last assembly came to its end

    // constraints
    uint8_t *held;      // per row: 0 free, 1 wholly held, 2 in part
    double *projectors; // per row, TAC_MOST_BLOCK squared
    double *probe;      // a vector
    bool projected;     // whether the projectors have been found
};

// Whether all laws, maps and masses of a program can be assembled; fails with who cannot.
TacStatus tac_matrix_check(const TacProgram *program, const TacComponent *wanted_by, TacError *error);

// Finds the structure at TAC_X. Memory is counted in `arena` but taken apart from it.
TacStatus tac_matrix_create(TacMatrix **matrix, const TacProgram *program, const TacContext *context,
                            TacArena *arena, TacError *error);
void tac_matrix_destroy(TacMatrix *matrix);

// Assembles at TAC_X, with constraints. `force` was called there. False with a reason in `failure`.
bool tac_matrix_assemble(TacMatrix *matrix, const TacContext *context, const TacSystem *system, char *failure,
                         size_t size);

// Of a law on independent points: adds scale j j^T, with j the normal times the weight of each of the points.
void tac_matrix_push(TacMatrix *matrix, const uint32_t *points, const float *weights, size_t count,
                     const float normal[3], double scale);
// What pushes do to the block on the diagonal of a row: adds it.
static inline void tac_matrix_add_pushes(const TacMatrix *m, size_t row, double block[9]) {
    const struct TacMatrixPushes *all = &m->pushes;
    for (uint32_t k = all->count ? all->start[row] : 0; all->count && k < all->start[row + 1]; k++) {
        const struct TacMatrixEntry *e = &all->of_row[k];
        for (int i = 0; i < 9; i++) block[i] += all->list[e->push].scale * e->j[i / 3] * e->j[i % 3];
    }
}

// out = A in, both in one piece; returns in . out. `in` must have room for TAC_MATRIX_SLACK more.
double tac_matrix_product(const TacMatrix *matrix, const TacContext *context, const double *in, double *out);

// out = A d, on independent matter.
void tac_matrix_multiply(TacMatrix *matrix, const TacContext *context, TacVector d, TacVector out);

// All numbers of a vector in one piece, and back.
void tac_matrix_collect(const TacMatrix *matrix, TacVector from, double *to);
void tac_matrix_spread(const TacMatrix *matrix, const double *from, TacVector to);

static inline const double *tac_matrix_block(const TacMatrix *m, size_t k) {
    return m->values + (m->place ? m->place[k] : m->block * m->block * k);
}

// The block on the diagonal of a row.
size_t tac_matrix_diagonal(const TacMatrix *matrix, size_t row);

// Which block of a row stands in a column, or the one before the place where it would.
size_t tac_matrix_find(const TacMatrix *matrix, size_t row, size_t column);

// Room that whoever has the matrix may use from one assembly to the next: then the matrix needs it itself. It may be
// elsewhere after each. False without memory.
bool tac_matrix_take_room(TacMatrix *matrix, size_t numbers, TacArena *arena);

// For assembling, in this order: forgets all runs; counts the columns that their elements add to each row
// (of_row[row + 2]); lists them; after the rows are known, finds their blocks (false: no memory).
void tac_matrix_forget_runs(TacMatrix *matrix);
void tac_matrix_count_runs(const TacMatrix *matrix, size_t *of_row);
void tac_matrix_list_runs(const TacMatrix *matrix, size_t *of_row, uint32_t *listed);
bool tac_matrix_place_runs(TacMatrix *matrix);
size_t tac_matrix_run_pairs(const TacMatrix *matrix);
size_t tac_matrix_run_bytes(const TacMatrix *matrix);
// For assembling: pushes by rows (false: no memory); for products: how far `in` goes along each.
bool tac_matrix_sort_pushes(TacMatrix *matrix);
void tac_matrix_along(const TacMatrix *matrix, const TacContext *context, const double *in);
void tac_matrix_forget_pushes(TacMatrix *matrix);
// Clears all values that no run stores.
void tac_matrix_clear(TacMatrix *matrix);

#endif
