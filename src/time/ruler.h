// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The ruler: clocks whose periods are powers of two (design: "Time").
//
//   class 3  |               |               |       period 8 ticks
//   class 2  |       |       |       |       |       period 4
//   class 0  | | | | | | | | | | | | | | | | |       period 1
//   tick     0       4       8       12      16
//
// A member is a number that the caller chose. It sits in one class e, and its clock ticks at every multiple
// of 2^e, tick 0 included, like quarter notes inside half notes. So no clock stores a next tick and no queue
// is kept: the classes due at tick n are those not above the trailing zeros of n, and the next instant at all
// is the next multiple of the finest period that has members. An empty class costs nothing; empty instants
// are jumped over. All members of a class are one batch.
//
// Rules
//  1. A class's list has a sorted part, ascending, in which removed members leave holes, and behind it a
//     tail of newcomers in any order, without holes. `slots` says for each member its class and its place
//     in the list.
//  2. Adding appends to the tail (or to the sorted part, when it is in order), removing leaves a hole or
//     takes the tail's last in its place, moving is both: O(1).
//  3. When a batch is asked for, the list is made tidy: holes closed, the k newcomers sorted and merged
//     in. That is linear in the batch (which the caller is about to walk anyway). A full list with a
//     quarter of holes is made tidy instead of being enlarged, so churn between two batches needs no more
//     memory.
//  4. Bit e of `occupied` is set exactly when class e has members.
// A heap of (tick, member) was rejected: it costs a logarithm and a cache miss per kick and makes no batches.
// Plain swap-with-last was rejected: it would need a whole sort of a large class for every small change.
//
// Memory is proportional to the largest member number. A zeroed TacRuler is empty and valid. Knows no
// physics.

#ifndef TACTUS_TIME_RULER_H
#define TACTUS_TIME_RULER_H

#include "tactus/base.h"
#include "time/flat.h"
#include "time/ticks.h"

#define TAC_NO_ID UINT32_MAX // never a member, a clock or an entry

// Where a member sits.
typedef struct TacRulerSlot {
    uint32_t place;
    uint8_t class_plus_1; // 0: not on the ruler
} TacRulerSlot;

typedef struct TacRulerClass {
    uint32_t *list; // TAC_NO_ID: a hole
    size_t capacity;
    uint32_t length; // with holes
    uint32_t sorted; // length of the sorted part
    uint32_t holes;
} TacRulerClass;

typedef struct TacRuler {
    uint64_t occupied;
    TacRulerClass classes[TAC_RULER_CLASSES];
    TacRulerSlot *slots;
    size_t slot_capacity;
    uint32_t *scratch; // as long as any tail ever was
    size_t scratch_capacity;
    uint32_t count;
} TacRuler;

void tac_ruler_destroy(TacRuler *ruler);

// Puts a member on the ruler, or in another class. `e` is 0..62. TAC_BAD_USAGE, nothing changed, when a
// member to be added is there, or one to be moved is not.
TacStatus tac_ruler_add(TacRuler *ruler, uint32_t member, int e, TacError *error);
TacStatus tac_ruler_move(TacRuler *ruler, uint32_t member, int e, TacError *error);

// False when the member was not on the ruler.
bool tac_ruler_remove(TacRuler *ruler, uint32_t member);

// A member gets a smaller number, which is free; no member has one between the two, so lists stay in order.
void tac_ruler_rename(TacRuler *ruler, uint32_t member, uint32_t to);
// Members from `limit` on are not on it: gives back what there is for them.
void tac_ruler_fit(TacRuler *ruler, uint32_t limit);

// The member's class; -1 when it has none.
int tac_ruler_class_of(const TacRuler *ruler, uint32_t member);
uint32_t tac_ruler_count(const TacRuler *ruler, int e);

// The first instant after `after` at which a class with members ticks; TAC_TICK_NEVER when there is none.
TacTick tac_ruler_next(const TacRuler *ruler, TacTick after);

// The classes with members that tick at instant n (>= 0): bit e for class e.
uint64_t tac_ruler_due(const TacRuler *ruler, TacTick n);

// The members of class e, ascending. Valid until a member is added, moved or removed: finish the batch first.
const uint32_t *tac_ruler_members(TacRuler *ruler, int e, size_t *count);

// The same members give the same bytes, however they came about. `to` holds tac_ruler_save_bytes; the end is
// returned. Restoring replaces the ruler's contents; on failure, nothing is changed. Members at or above
// `id_limit` are refused: it bounds the memory that bad data can ask for.
size_t tac_ruler_save_bytes(const TacRuler *ruler);
uint8_t *tac_ruler_save(const TacRuler *ruler, uint8_t *to);
TacStatus tac_ruler_restore(TacRuler *ruler, TacFlatReader *from, uint32_t id_limit, TacError *error);

// Checks the rules above in linear time, for tests.
bool tac_ruler_valid(const TacRuler *ruler);

#endif
