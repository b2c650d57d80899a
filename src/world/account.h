// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Accounts: what each agent, each law on its own clock and contact put into a world or take out of it.
//
// Nothing but kicks changes a velocity, so the change of all kinetic energy is the sum of what the kicks did: a kick dv
// on top of those before it in the same instant does K(v + before + dv) - K(v + before). What somebody's kicks do and
// what the potential energy of its own laws and of the weights that it carries gains should cancel; what does not is
// put in or taken out: by damping, friction, motors, joints that close, by errors of the method.
//
//     energy at the end - energy at the start = sum over all of (work + stored) + unaccounted
//
// Energies here are between instants, without half of the kicks that are due: so the sum is exact, and what remains
// unaccounted is rounding, the turning of bodies in free flight, and what solvers that move matter themselves do with
// kicks of others.
//
// Rules:
//   1. Work is noted when an instant is computed and booked when it is committed.
//   2. Potential energy is booked to who owns the law now: when agents merge or part, books are closed and opened again.
//   3. Nothing is kept unless somebody asks; then it costs two sums of the kinetic energy for each kick. No bit of the
//      world depends on it.

#ifndef TACTUS_WORLD_ACCOUNT_H
#define TACTUS_WORLD_ACCOUNT_H

#include "world/world.h"

typedef struct TacEntry {
    double work;
    TacVec3 linear, angular;
} TacEntry;

// Around a jump: what there is, and what kicks that wait, and are not computed again, will change.
typedef struct TacJump {
    TacEntry there, waiting;
} TacJump;

// What is not a ticker.
enum { TAC_BOOK_LAYERS, TAC_BOOK_HANDS, TAC_BOOK_REST, TAC_BOOK_OUTSIDE, TAC_BOOK_LEVELS, TAC_BOOKS };

typedef struct TacAccounts {
    TacEntry *booked, *pending; // by ticker, then the others
    double *stored, *reference; // J, by the same: gained, and at the last closing
    double **before;            // by matter: kicks of this instant before the one that is noted
    bool has_before;
    double start;   // J
    TacVec3 begun;  // N s, at the start
    TacVec3 fallen; // N s, that weight gave to what falls by itself, until the last closing
    double *since;  // s, by matter: when that was
} TacAccounts;

// All of these do nothing where no accounts are kept.

// Before and after a ticker's kick.
void tac_account_begin(TacWorld *world, const TacTicker *ticker);
void tac_account_note(TacWorld *world, const TacTicker *ticker);
// After another one at the same instant.
void tac_account_note_more(TacWorld *world, const TacTicker *ticker);
// The same of what is booked to another one.
void tac_account_note_for(TacWorld *world, const TacTicker *ticker, const TacTicker *whose);
// The same for hands that pull what nobody owns.
void tac_account_begin_hands(TacWorld *world);
void tac_account_note_hands(TacWorld *world);
void tac_account_forget_hands(TacWorld *world); // they do nothing after all
// Before and after layers and edges at their limits kick.
void tac_account_begin_layers(TacWorld *world);
void tac_account_note_layers(TacWorld *world);
// The instant is committed; the same for one ticker.
void tac_account_commit(TacWorld *world);
void tac_account_commit_one(TacWorld *world, uint32_t ticker);
// What changes velocities otherwise: kinetic energy (as work) and momentum before are handed over.
TacEntry tac_account_look(const TacWorld *world, const TacProgram *program);
void tac_account_book(TacWorld *world, size_t book, const TacProgram *program, const TacEntry *before);
// Closes books, and opens them again, when who owns what changes.
void tac_account_close(TacWorld *world);
void tac_account_open(TacWorld *world);
// The same around what no kick does: states and values that are set, pins, models that take turns. Whatever that changes
// is booked there. At the world's now.
TacJump tac_account_before_jump(TacWorld *world);
void tac_account_after_jump(TacWorld *world, int book, const TacJump *before);

#endif
