// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The timing wheel: things that must be looked at by a certain tick (design: "Time"; the idea is that of
// G. Varghese and T. Lauck, "Hashed and hierarchical timing wheels", 1987).
//
// An entry is a number that the caller chose, filed under its expiry. It is handed out at its expiry when the
// wheel is advanced in order, and never after: looking early is safe, late never is. Filing, cancelling and
// refiling are O(1), whatever the future holds.
//
// Write ticks with 64 to the base, 11 digits. `from` is the first tick that is not dealt with yet:
//
//     from     0 0 0 0 0 0  3  7 41 12  5
//     expiry   0 0 0 0 0 0  3  9 00 33 60          first different digit: number 3, value 9
//                              ^                   -> level 3, slot 9
//
// An entry lives at the level of the highest digit in which its expiry differs from `from`, in the slot of
// that digit's value: as near as the present can tell it. Level 0 is exact to the tick; a slot of level l
// spans 64^l ticks. When `from` enters a slot, the slot's entries fall to lower levels, at most 10 times in
// an entry's life.
//
// Rules
//  1. Every entry's tick is at or after `from`; one filed for the past is filed for `from` and comes out
//     at once.
//  2. Its level and slot follow from its tick and `from` alone. So they need not be stored, and `from` may
//     move on without touching any entry whose highest different digit stays what it was.
//  3. Within a level, all slots lie ahead of (level 0: not behind) the digit of `from`; all of a level
//     comes before all of the levels above. So the earliest entry is in the first slot of the lowest level
//     in use.
//  4. Bit s of slots_used[l] is set exactly when slot s of level l has entries; bit l of levels_used, when
//     slots_used[l] is not 0.
//  5. A slot's entries are a doubly linked list through `entries`, which is indexed by id.
// A heap was rejected: most certificates are refiled long before they expire, and a heap pays its logarithm
// for each of them. Moving `from` ahead to the first slot while asking for the next expiry was rejected: what
// is filed afterwards could lie before it. Asking scans that slot instead, and only when it begins before the
// limit.
//
// Ids: memory is proportional to the largest. Allocation happens only when that, or the number of entries,
// reaches a new maximum. A zeroed TacWheel is empty, stands at tick 0, and is valid. Entries may live inside
// records of the caller's instead, so that what is known of an id lies in one cache line (tac_wheel_share).

#ifndef TACTUS_TIME_WHEEL_H
#define TACTUS_TIME_WHEEL_H

#include "tactus/base.h"
#include "time/flat.h"
#include "time/ticks.h"

#define TAC_WHEEL_LEVELS 11 // 6 bits each: all 63
#define TAC_WHEEL_SLOTS  64

typedef struct TacWheelEntry {
    uint64_t tick_plus_1;                  // 0: not filed
    uint32_t next_plus_1, previous_plus_1; // ids in the same slot; 0: none
} TacWheelEntry;

typedef struct TacWheel {
    TacTick from;
    uint32_t count;
    uint32_t levels_used;
    uint64_t slots_used[TAC_WHEEL_LEVELS];
    uint32_t first_plus_1[TAC_WHEEL_LEVELS][TAC_WHEEL_SLOTS];
    TacWheelEntry *entries; // that of an id is number id << spread
    size_t capacity;        // ids that there is room for
    int spread;             // 0 when the entries are the wheel's own
    bool shared;            // they are the caller's
    uint32_t *due;          // what was handed out last, then as much scratch
    size_t due_capacity;
    uint64_t falls; // entries moved to a lower level so far
} TacWheel;

void tac_wheel_destroy(TacWheel *wheel);

// Makes an empty wheel keep its entries in the caller's records: `first` is the entry in the first one, each is
// 2^spread entries long, and there are `count` of them, zeroed there. They must outlive the wheel, and ids stay
// below `count`. Room to hand all of them out is taken now: no later call needs memory.
TacStatus tac_wheel_share(TacWheel *wheel, TacWheelEntry *first, uint32_t count, int spread, TacError *error);

// Files an entry, or files it anew. TAC_TICK_NEVER is allowed: it is kept and never handed out.
TacStatus tac_wheel_file(TacWheel *wheel, uint32_t id, TacTick tick, TacError *error);

// False when the entry was not filed.
bool tac_wheel_cancel(TacWheel *wheel, uint32_t id);

// The tick an entry is filed under; -1 when it is not filed.
TacTick tac_wheel_tick(const TacWheel *wheel, uint32_t id);

// The earliest expiry, or `limit` when there is none before it. Exact; changes nothing.
TacTick tac_wheel_next(const TacWheel *wheel, TacTick limit);

// A tick that no entry is filed before, without looking at any of them; TAC_TICK_NEVER: there are none.
TacTick tac_wheel_not_before(const TacWheel *wheel);

// One of the entries that come out some slots from now, for its memory to be asked for in time; UINT32_MAX: unknown.
uint32_t tac_wheel_soon(const TacWheel *wheel);

// Hands out (and forgets) every entry whose tick is at or before `now`, by ascending id; `from` becomes now
// + 1. The list is valid until the next advance, whatever is filed meanwhile. An earlier `now` than before
// hands out nothing. To be in time, do not go beyond tac_wheel_next. TAC_NO_MEMORY: nothing changed.
TacStatus tac_wheel_advance(TacWheel *wheel, TacTick now, const uint32_t **ids, size_t *count,
                            TacError *error);

// As for the ruler: same entries, same bytes. A wheel that shares its entries is restored while it is empty, and
// spoilt when that fails.
size_t tac_wheel_save_bytes(const TacWheel *wheel);
uint8_t *tac_wheel_save(const TacWheel *wheel, uint8_t *to);
TacStatus tac_wheel_restore(TacWheel *wheel, TacFlatReader *from, uint32_t id_limit, TacError *error);

// Checks the rules above in linear time, for tests.
bool tac_wheel_valid(const TacWheel *wheel);

#endif
