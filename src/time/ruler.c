// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The ruler; ruler.h says how it works and why. Uses base/memory only.

#include "time/ruler.h"

#include "base/memory.h"
#include "time/sort_ids.h"

enum { RECORD_BYTES = 5, HEADER_BYTES = 4 };

void tac_ruler_destroy(TacRuler *ruler) {
    for (int e = 0; e < TAC_RULER_CLASSES; e++) free(ruler->classes[e].list);
    free(ruler->slots);
    free(ruler->scratch);
    *ruler = (TacRuler){0};
}

int tac_ruler_class_of(const TacRuler *ruler, uint32_t member) {
    return member < ruler->slot_capacity ? (int)ruler->slots[member].class_plus_1 - 1 : -1;
}

uint32_t tac_ruler_count(const TacRuler *ruler, int e) {
    return ruler->classes[e].length - ruler->classes[e].holes;
}

static void put(TacRuler *ruler, TacRulerClass *batch, uint32_t place, uint32_t member) {
    batch->list[place] = member;
    ruler->slots[member].place = place;
}

// Closes the holes of the sorted part, and moves the tail up to it.
static void close_holes(TacRuler *ruler, TacRulerClass *batch) {
    uint32_t write = 0, sorted = 0;
    for (uint32_t read = 0; read < batch->length; read++) {
        uint32_t member = batch->list[read];
        if (read == batch->sorted) sorted = write;
        if (member == TAC_NO_ID) continue;
        if (write != read) put(ruler, batch, write, member);
        write++;
    }
    batch->sorted = batch->sorted == batch->length ? write : sorted;
    batch->length = write;
    batch->holes = 0;
}

// Sorts the tail and merges it into the sorted part, from the back.
static void merge_tail(TacRuler *ruler, TacRulerClass *batch) {
    uint32_t *tail = batch->list + batch->sorted;
    uint32_t newcomers = batch->length - batch->sorted, old = batch->sorted, write = batch->length;
    tac_sort_ids(tail, ruler->scratch, newcomers);
    memcpy(ruler->scratch, tail, newcomers * sizeof *tail);
    while (newcomers > 0) {
        bool from_old = old > 0 && batch->list[old - 1] > ruler->scratch[newcomers - 1];
        uint32_t member = from_old ? batch->list[--old] : ruler->scratch[--newcomers];
        put(ruler, batch, --write, member);
    }
    batch->sorted = batch->length;
}

static void make_tidy(TacRuler *ruler, TacRulerClass *batch) {
    if (batch->holes) close_holes(ruler, batch);
    if (batch->sorted < batch->length) merge_tail(ruler, batch);
}

static TacStatus make_room(TacRuler *ruler, uint32_t member, TacRulerClass *batch, TacError *error) {
    size_t slots = (size_t)member + 1;
    if (!tac_grow(&ruler->slots, &ruler->slot_capacity, slots, sizeof *ruler->slots))
        return tac_fail_memory(error, slots * sizeof *ruler->slots);
    if (batch->length == batch->capacity && batch->holes && batch->holes >= batch->length / 4)
        make_tidy(ruler, batch);
    size_t room = (size_t)batch->length + 1, tail = room - batch->sorted;
    if (!tac_grow_bare(&ruler->scratch, &ruler->scratch_capacity, tail, sizeof *ruler->scratch) ||
        !tac_grow_bare(&batch->list, &batch->capacity, room, sizeof *batch->list))
        return tac_fail_memory(error, room * sizeof *batch->list);
    return TAC_OK;
}

static void append(TacRuler *ruler, uint32_t member, int e) {
    TacRulerClass *batch = &ruler->classes[e];
    uint32_t place = batch->length++;
    // a newcomer behind the last of a list without tail keeps it sorted (a hole there compares as the
    // largest)
    if (batch->sorted == place && (place == 0 || batch->list[place - 1] < member)) batch->sorted++;
    put(ruler, batch, place, member);
    ruler->slots[member].class_plus_1 = (uint8_t)(e + 1);
    ruler->occupied |= (uint64_t)1 << e;
}

static void take_out(TacRuler *ruler, uint32_t member) {
    TacRulerSlot *slot = &ruler->slots[member];
    int e = slot->class_plus_1 - 1;
    TacRulerClass *batch = &ruler->classes[e];
    if (slot->place < batch->sorted) {
        batch->list[slot->place] = TAC_NO_ID;
        batch->holes++;
    } else {
        put(ruler, batch, slot->place, batch->list[batch->length - 1]);
        batch->length--;
    }
    slot->class_plus_1 = 0;
    if (batch->holes == batch->length) {
        batch->length = batch->sorted = batch->holes = 0;
        ruler->occupied &= ~((uint64_t)1 << e);
    }
}

static TacStatus check_class(int e, TacError *error) {
    if (e >= 0 && e < TAC_RULER_CLASSES) return TAC_OK;
    return tac_fail(error, TAC_BAD_USAGE, "the ruler has no class %d; classes are 0 to %d", e,
                    TAC_RULER_CLASSES - 1);
}

TacStatus tac_ruler_add(TacRuler *ruler, uint32_t member, int e, TacError *error) {
    TAC_TRY(check_class(e, error));
    if (member == TAC_NO_ID) return tac_fail(error, TAC_BAD_USAGE, "%u is not a member number", member);
    if (tac_ruler_class_of(ruler, member) >= 0)
        return tac_fail(error, TAC_BAD_USAGE, "member %u is on the ruler already", member);
    TAC_TRY(make_room(ruler, member, &ruler->classes[e], error));
    append(ruler, member, e);
    ruler->count++;
    return TAC_OK;
}

TacStatus tac_ruler_move(TacRuler *ruler, uint32_t member, int e, TacError *error) {
    TAC_TRY(check_class(e, error));
    int old = tac_ruler_class_of(ruler, member);
    if (old < 0) return tac_fail(error, TAC_BAD_USAGE, "member %u is not on the ruler", member);
    if (old == e) return TAC_OK;
    TAC_TRY(make_room(ruler, member, &ruler->classes[e], error));
    take_out(ruler, member);
    append(ruler, member, e);
    return TAC_OK;
}

bool tac_ruler_remove(TacRuler *ruler, uint32_t member) {
    if (tac_ruler_class_of(ruler, member) < 0) return false;
    take_out(ruler, member);
    ruler->count--;
    return true;
}

void tac_ruler_rename(TacRuler *ruler, uint32_t member, uint32_t to) {
    TacRulerSlot *slot = &ruler->slots[member];
    ruler->classes[slot->class_plus_1 - 1].list[slot->place] = to;
    ruler->slots[to] = *slot;
    slot->class_plus_1 = 0;
}

void tac_ruler_fit(TacRuler *ruler, uint32_t limit) {
    tac_fit(&ruler->slots, &ruler->slot_capacity, limit, sizeof *ruler->slots);
}

TacTick tac_ruler_next(const TacRuler *ruler, TacTick after) {
    if (!ruler->occupied) return TAC_TICK_NEVER;
    if (after < 0) return 0;
    // the finest class ticks wherever any other does
    int finest = __builtin_ctzll(ruler->occupied);
    uint64_t next = (((uint64_t)after >> finest) + 1) << finest;
    return next < (uint64_t)TAC_TICK_NEVER ? (TacTick)next : TAC_TICK_NEVER;
}

uint64_t tac_ruler_due(const TacRuler *ruler, TacTick n) {
    if (n == 0) return ruler->occupied;
    return ruler->occupied & (((uint64_t)2 << __builtin_ctzll((uint64_t)n)) - 1);
}

const uint32_t *tac_ruler_members(TacRuler *ruler, int e, size_t *count) {
    TacRulerClass *batch = &ruler->classes[e];
    make_tidy(ruler, batch);
    *count = batch->length;
    return batch->list;
}

size_t tac_ruler_save_bytes(const TacRuler *ruler) {
    return HEADER_BYTES + (size_t)ruler->count * RECORD_BYTES;
}

uint8_t *tac_ruler_save(const TacRuler *ruler, uint8_t *to) {
    to = tac_flat_write(to, ruler->count, 4);
    for (size_t member = 0; member < ruler->slot_capacity; member++) {
        uint8_t class_plus_1 = ruler->slots[member].class_plus_1;
        if (!class_plus_1) continue;
        to = tac_flat_write(to, member, 4);
        to = tac_flat_write(to, class_plus_1 - 1u, 1);
    }
    return to;
}

static TacStatus read_members(TacRuler *ruler, TacFlatReader *from, uint32_t id_limit, TacError *error) {
    uint64_t count = tac_flat_read(from, HEADER_BYTES);
    if (from->short_of_data || !tac_flat_holds(from, count, RECORD_BYTES))
        return tac_fail(error, TAC_BAD_INPUT, "the saved ruler is cut short");
    for (uint64_t i = 0; i < count; i++) {
        uint32_t member = (uint32_t)tac_flat_read(from, 4);
        int e = (int)tac_flat_read(from, 1);
        if (member >= id_limit || e >= TAC_RULER_CLASSES || tac_ruler_class_of(ruler, member) >= 0)
            return tac_fail(error, TAC_BAD_INPUT, "the saved ruler has a member %u of class %d", member, e);
        TAC_TRY(tac_ruler_add(ruler, member, e, error));
    }
    return TAC_OK;
}

TacStatus tac_ruler_restore(TacRuler *ruler, TacFlatReader *from, uint32_t id_limit, TacError *error) {
    TacRuler fresh = {0};
    TacStatus status = read_members(&fresh, from, id_limit, error);
    tac_ruler_destroy(status == TAC_OK ? ruler : &fresh);
    if (status == TAC_OK) *ruler = fresh;
    return status;
}

static bool class_valid(const TacRuler *ruler, int e) {
    const TacRulerClass *batch = &ruler->classes[e];
    uint32_t holes = 0;
    int64_t last = -1;
    for (uint32_t place = 0; place < batch->length; place++) {
        uint32_t member = batch->list[place];
        if (member == TAC_NO_ID) {
            if (place >= batch->sorted) return false;
            holes++;
            continue;
        }
        if (tac_ruler_class_of(ruler, member) != e || ruler->slots[member].place != place) return false;
        if (place < batch->sorted && (int64_t)member <= last) return false;
        last = member;
    }
    return holes == batch->holes && batch->sorted <= batch->length &&
           batch->length - batch->sorted <= ruler->scratch_capacity &&
           ((ruler->occupied >> e) & 1) == (tac_ruler_count(ruler, e) > 0);
}

bool tac_ruler_valid(const TacRuler *ruler) {
    uint32_t listed = 0, slotted = 0;
    for (int e = 0; e < TAC_RULER_CLASSES; e++) {
        if (!class_valid(ruler, e)) return false;
        listed += tac_ruler_count(ruler, e);
    }
    for (size_t member = 0; member < ruler->slot_capacity; member++)
        slotted += ruler->slots[member].class_plus_1 > 0;
    return listed == ruler->count && slotted == ruler->count && !(ruler->occupied >> TAC_RULER_CLASSES);
}
