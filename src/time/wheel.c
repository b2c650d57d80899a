// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The timing wheel; wheel.h says how it works and why. Uses base/memory only.

#include "time/wheel.h"

#include "base/memory.h"
#include "time/sort_ids.h"

enum { DIGIT_BITS = 6, RECORD_BYTES = 12, HEADER_BYTES = 12, FORESIGHT = 3 };

typedef struct Place {
    int level, slot;
} Place;

void tac_wheel_destroy(TacWheel *wheel) {
    if (!wheel->shared) free(wheel->entries);
    free(wheel->due);
    *wheel = (TacWheel){0};
}

static TacWheelEntry *entry_of(const TacWheel *wheel, uint32_t id) {
    return &wheel->entries[(size_t)id << wheel->spread];
}

TacStatus tac_wheel_share(TacWheel *wheel, TacWheelEntry *first, uint32_t count, int spread,
                          TacError *error) {
    size_t room = 2 * (size_t)count;
    if (!tac_grow(&wheel->due, &wheel->due_capacity, room, sizeof *wheel->due))
        return tac_fail_memory(error, room * sizeof *wheel->due);
    wheel->entries = first;
    wheel->capacity = count;
    wheel->spread = spread;
    wheel->shared = true;
    return TAC_OK;
}

static int digit(TacTick tick, int level) {
    return (int)(((uint64_t)tick >> (DIGIT_BITS * level)) & (TAC_WHEEL_SLOTS - 1));
}

// The highest digit in which two ticks differ; 0 when they are equal.
static int level_between(TacTick a, TacTick b) {
    uint64_t differ = (uint64_t)a ^ (uint64_t)b;
    return differ ? (63 - __builtin_clzll(differ)) / DIGIT_BITS : 0;
}

static Place place_of(const TacWheel *wheel, TacTick tick) {
    int level = level_between(tick, wheel->from);
    return (Place){level, digit(tick, level)};
}

static TacTick tick_of(const TacWheelEntry *entry) {
    return (TacTick)(entry->tick_plus_1 - 1);
}

TacTick tac_wheel_tick(const TacWheel *wheel, uint32_t id) {
    return id < wheel->capacity ? tick_of(entry_of(wheel, id)) : -1;
}

// Lists

static void mark_empty(TacWheel *wheel, Place place) {
    wheel->first_plus_1[place.level][place.slot] = 0;
    wheel->slots_used[place.level] &= ~((uint64_t)1 << place.slot);
    if (!wheel->slots_used[place.level]) wheel->levels_used &= ~((uint32_t)1 << place.level);
}

static void link_entry(TacWheel *wheel, uint32_t id, TacTick tick) {
    Place place = place_of(wheel, tick);
    uint32_t *first = &wheel->first_plus_1[place.level][place.slot];
    *entry_of(wheel, id) = (TacWheelEntry){(uint64_t)tick + 1, *first, 0};
    if (*first) entry_of(wheel, *first - 1)->previous_plus_1 = id + 1;
    *first = id + 1;
    wheel->slots_used[place.level] |= (uint64_t)1 << place.slot;
    wheel->levels_used |= (uint32_t)1 << place.level;
}

static void unlink_entry(TacWheel *wheel, uint32_t id) {
    TacWheelEntry *entry = entry_of(wheel, id);
    if (entry->next_plus_1) entry_of(wheel, entry->next_plus_1 - 1)->previous_plus_1 = entry->previous_plus_1;
    if (entry->previous_plus_1) {
        entry_of(wheel, entry->previous_plus_1 - 1)->next_plus_1 = entry->next_plus_1;
    } else {
        Place place = place_of(wheel, tick_of(entry));
        wheel->first_plus_1[place.level][place.slot] = entry->next_plus_1;
        if (!entry->next_plus_1) mark_empty(wheel, place);
    }
    entry->tick_plus_1 = 0;
}

// Filing

TacStatus tac_wheel_file(TacWheel *wheel, uint32_t id, TacTick tick, TacError *error) {
    if (id == UINT32_MAX) return tac_fail(error, TAC_BAD_USAGE, "%u is not an entry's number", id);
    size_t room = (size_t)id + 1;
    if (wheel->shared && room > wheel->capacity)
        return tac_fail(error, TAC_BAD_USAGE, "%u is not among the wheel's %zu records", id, wheel->capacity);
    if (!tac_grow(&wheel->entries, &wheel->capacity, room, sizeof *wheel->entries))
        return tac_fail_memory(error, room * sizeof *wheel->entries);
    if (tick < wheel->from) tick = wheel->from;
    TacWheelEntry *entry = entry_of(wheel, id);
    if (!entry->tick_plus_1) {
        wheel->count++;
        link_entry(wheel, id, tick);
        return TAC_OK;
    }
    // within its slot an entry stays where it is
    Place old = place_of(wheel, tick_of(entry)), new = place_of(wheel, tick);
    if (old.level == new.level && old.slot == new.slot) {
        entry->tick_plus_1 = (uint64_t)tick + 1;
        return TAC_OK;
    }
    unlink_entry(wheel, id);
    link_entry(wheel, id, tick);
    return TAC_OK;
}

bool tac_wheel_cancel(TacWheel *wheel, uint32_t id) {
    if (tac_wheel_tick(wheel, id) < 0) return false;
    unlink_entry(wheel, id);
    wheel->count--;
    return true;
}

// Looking ahead

// The first tick of a slot: the digits of `from` above the level, then the slot, then zeros.
static TacTick slot_start(const TacWheel *wheel, Place place) {
    int above = DIGIT_BITS * (place.level + 1);
    uint64_t high = above < 64 ? ((uint64_t)wheel->from >> above) << above : 0;
    return (TacTick)(high | ((uint64_t)place.slot << (DIGIT_BITS * place.level)));
}

// Of a wheel that is not empty.
static Place first_place(const TacWheel *wheel) {
    int level = __builtin_ctz(wheel->levels_used);
    return (Place){level, __builtin_ctzll(wheel->slots_used[level])};
}

TacTick tac_wheel_not_before(const TacWheel *wheel) {
    return wheel->count ? slot_start(wheel, first_place(wheel)) : TAC_TICK_NEVER;
}

uint32_t tac_wheel_soon(const TacWheel *wheel) {
    int ahead = FORESIGHT;
    for (uint32_t levels = wheel->levels_used; levels; levels &= levels - 1) {
        int level = __builtin_ctz(levels);
        uint64_t slots = wheel->slots_used[level];
        for (; slots && ahead > 0; slots &= slots - 1) ahead--;
        if (slots) return wheel->first_plus_1[level][__builtin_ctzll(slots)] - 1;
    }
    return UINT32_MAX;
}

TacTick tac_wheel_next(const TacWheel *wheel, TacTick limit) {
    if (!wheel->count) return limit;
    Place place = first_place(wheel);
    TacTick start = slot_start(wheel, place);
    if (start >= limit) return limit;
    if (place.level == 0) return start;
    // the slot is coarser than a tick: its earliest entry
    TacTick earliest = limit;
    uint32_t link = wheel->first_plus_1[place.level][place.slot];
    for (; link; link = entry_of(wheel, link - 1)->next_plus_1) {
        TacTick tick = tick_of(entry_of(wheel, link - 1));
        if (tick < earliest) earliest = tick;
    }
    return earliest;
}

// Going on

// Empties one slot after `from` was moved: what is due goes to the list, the rest falls to a lower level.
static size_t empty_slot(TacWheel *wheel, Place place, size_t taken) {
    uint32_t link = wheel->first_plus_1[place.level][place.slot];
    mark_empty(wheel, place);
    while (link) {
        uint32_t id = link - 1;
        TacWheelEntry *entry = entry_of(wheel, id);
        link = entry->next_plus_1;
        if (tick_of(entry) < wheel->from) {
            entry->tick_plus_1 = 0;
            wheel->due[taken++] = id;
        } else {
            link_entry(wheel, id, tick_of(entry));
            wheel->falls++;
        }
    }
    return taken;
}

// Empties the slots of a level that are in `mask`.
static size_t empty_slots(TacWheel *wheel, int level, uint64_t mask, size_t taken) {
    for (uint64_t left = wheel->slots_used[level] & mask; left; left &= left - 1)
        taken = empty_slot(wheel, (Place){level, __builtin_ctzll(left)}, taken);
    return taken;
}

static size_t move_to(TacWheel *wheel, TacTick target) {
    int top = level_between(wheel->from, target);
    uint64_t entered = (uint64_t)1 << digit(target, top);
    wheel->from = target;
    // below the highest digit that changes everything is past; at that digit, up to where the target is
    size_t taken = 0;
    for (int level = 0; level < top; level++) taken = empty_slots(wheel, level, ~(uint64_t)0, taken);
    taken = empty_slots(wheel, top, entered - 1, taken);
    // the slot that the target enters is past in part (at level 0 it is the target itself: still to come)
    if (top > 0) taken = empty_slots(wheel, top, entered, taken);
    return taken;
}

TacStatus tac_wheel_advance(TacWheel *wheel, TacTick now, const uint32_t **ids, size_t *count,
                            TacError *error) {
    size_t room = 2 * (size_t)wheel->count, taken = 0;
    if (!tac_grow_bare(&wheel->due, &wheel->due_capacity, room, sizeof *wheel->due))
        return tac_fail_memory(error, room * sizeof *wheel->due);
    if (now >= TAC_TICK_NEVER) now = TAC_TICK_NEVER - 1;
    if (now >= wheel->from) taken = move_to(wheel, now + 1);
    if (taken) tac_sort_ids(wheel->due, wheel->due + taken, taken);
    wheel->count -= (uint32_t)taken;
    *ids = wheel->due;
    *count = taken;
    return TAC_OK;
}

// Saving

size_t tac_wheel_save_bytes(const TacWheel *wheel) {
    return HEADER_BYTES + (size_t)wheel->count * RECORD_BYTES;
}

uint8_t *tac_wheel_save(const TacWheel *wheel, uint8_t *to) {
    to = tac_flat_write(to, (uint64_t)wheel->from, 8);
    to = tac_flat_write(to, wheel->count, 4);
    for (size_t id = 0; id < wheel->capacity; id++) {
        if (!entry_of(wheel, (uint32_t)id)->tick_plus_1) continue;
        to = tac_flat_write(to, id, 4);
        to = tac_flat_write(to, entry_of(wheel, (uint32_t)id)->tick_plus_1 - 1, 8);
    }
    return to;
}

static TacStatus read_entries(TacWheel *wheel, TacFlatReader *from, uint32_t id_limit, TacError *error) {
    uint64_t first = tac_flat_read(from, 8), count = tac_flat_read(from, 4);
    if (from->short_of_data || !tac_flat_holds(from, count, RECORD_BYTES))
        return tac_fail(error, TAC_BAD_INPUT, "the saved wheel is cut short");
    if (first > INT64_MAX) return tac_fail(error, TAC_BAD_INPUT, "the saved wheel stands before tick 0");
    wheel->from = (TacTick)first;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id = (uint32_t)tac_flat_read(from, 4);
        uint64_t tick = tac_flat_read(from, 8);
        if (id >= id_limit || tick < first || tick > INT64_MAX || tac_wheel_tick(wheel, id) >= 0)
            return tac_fail(error, TAC_BAD_INPUT, "the saved wheel has an entry %u at tick %llu", id,
                            (unsigned long long)tick);
        TAC_TRY(tac_wheel_file(wheel, id, (TacTick)tick, error));
    }
    return TAC_OK;
}

TacStatus tac_wheel_restore(TacWheel *wheel, TacFlatReader *from, uint32_t id_limit, TacError *error) {
    if (wheel->shared) return read_entries(wheel, from, id_limit, error);
    TacWheel fresh = {0};
    TacStatus status = read_entries(&fresh, from, id_limit, error);
    tac_wheel_destroy(status == TAC_OK ? wheel : &fresh);
    if (status == TAC_OK) *wheel = fresh;
    return status;
}

// Checks one slot's list and counts its entries; false when a rule is broken.
static bool slot_valid(const TacWheel *wheel, Place place, uint32_t *count) {
    uint32_t previous = 0, link = wheel->first_plus_1[place.level][place.slot];
    if ((link != 0) != ((wheel->slots_used[place.level] >> place.slot) & 1)) return false;
    for (; link; link = entry_of(wheel, link - 1)->next_plus_1) {
        const TacWheelEntry *entry = entry_of(wheel, link - 1);
        if (!entry->tick_plus_1 || entry->previous_plus_1 != previous || ++*count > wheel->count)
            return false;
        Place right = place_of(wheel, tick_of(entry));
        if (tick_of(entry) < wheel->from || right.level != place.level || right.slot != place.slot)
            return false;
        previous = link;
    }
    return true;
}

bool tac_wheel_valid(const TacWheel *wheel) {
    uint32_t listed = 0, filed = 0;
    for (int level = 0; level < TAC_WHEEL_LEVELS; level++) {
        if (((wheel->levels_used >> level) & 1) != (wheel->slots_used[level] != 0)) return false;
        for (int slot = 0; slot < TAC_WHEEL_SLOTS; slot++)
            if (!slot_valid(wheel, (Place){level, slot}, &listed)) return false;
    }
    for (size_t id = 0; id < wheel->capacity; id++) filed += entry_of(wheel, (uint32_t)id)->tick_plus_1 > 0;
    return listed == wheel->count && filed == wheel->count;
}
