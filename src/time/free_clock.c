// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Free clocks; free_clock.h says how they work and why. Uses base/memory only.

#include "time/free_clock.h"

#include "base/memory.h"
#include "time/sort_ids.h"

__extension__ typedef unsigned __int128 Wide;

enum { RECORD_BYTES = 20, HEADER_BYTES = 5, RATIO_STEPS = 64 };

static const double ratio_tolerance = 1e-12;
static const double ratio_q_max = 1e6;

// The numerator 2 n p 2^bits + q, or false when the tick lies beyond the end of time.
static bool numerator(int bits, uint32_t p, uint32_t q, int64_t n, Wide *value) {
    Wide beats = (Wide)n * p;
    if (beats >> (95 - bits)) return false;
    *value = (beats << (bits + 1)) + q;
    return true;
}

TacTick tac_free_clock_tick(int bits, uint32_t p, uint32_t q, int64_t n) {
    Wide value;
    if (!numerator(bits, p, q, n, &value)) return TAC_TICK_NEVER;
    Wide tick = value / (2 * (Wide)q);
    return tick < (Wide)TAC_TICK_NEVER ? (TacTick)tick : TAC_TICK_NEVER;
}

int64_t tac_free_clock_first(int bits, uint32_t p, uint32_t q, TacTick tick) {
    if (tick <= 0) return 0;
    // round(x) >= tick where 2x >= 2 tick - 1; x is n times p/q beats
    Wide need = (2 * (Wide)tick - 1) * q, step = (Wide)p << (bits + 1);
    Wide n = (need + step - 1) / step;
    return n < (Wide)INT64_MAX ? (int64_t)n : INT64_MAX;
}

bool tac_free_clock_ratio(double period, double beat, uint32_t *p, uint32_t *q) {
    double ratio = period / beat;
    if (!(beat > 0) || !(ratio > 0) || !(ratio <= (double)TAC_FREE_CLOCK_RATIO_MAX)) return false;
    // the convergents of the continued fraction, in doubles: all are whole and far below 2^53
    double p0 = 0, q0 = 1, p1 = 1, q1 = 0, x = ratio;
    for (int step = 0; step < RATIO_STEPS; step++) {
        double whole = floor(x);
        double p2 = whole * p1 + p0, q2 = whole * q1 + q0;
        if (q2 > ratio_q_max || p2 > (double)TAC_FREE_CLOCK_RATIO_MAX) return false;
        if (p2 > 0 && fabs(p2 - ratio * q2) <= ratio_tolerance * ratio * q2) {
            *p = (uint32_t)p2;
            *q = (uint32_t)q2;
            return true;
        }
        p0 = p1;
        q0 = q1;
        p1 = p2;
        q1 = q2;
        x = 1 / (x - whole);
    }
    return false;
}

void tac_free_clocks_destroy(TacFreeClocks *clocks) {
    free(clocks->heap);
    free(clocks->places);
    free(clocks->due);
    *clocks = (TacFreeClocks){.bits = clocks->bits};
}

// The heap

static bool before(const TacFreeClock *a, const TacFreeClock *b) {
    return a->tick != b->tick ? a->tick < b->tick : a->id < b->id;
}

static void put(TacFreeClocks *clocks, uint32_t place, const TacFreeClock *clock) {
    clocks->heap[place] = *clock;
    clocks->places[clock->id] = place + 1;
}

static void sift_up(TacFreeClocks *clocks, uint32_t place, const TacFreeClock *clock) {
    while (place > 0) {
        uint32_t parent = (place - 1) / 2;
        if (!before(clock, &clocks->heap[parent])) break;
        put(clocks, place, &clocks->heap[parent]);
        place = parent;
    }
    put(clocks, place, clock);
}

static void sift_down(TacFreeClocks *clocks, uint32_t place, const TacFreeClock *clock) {
    for (;;) {
        size_t child = 2 * (size_t)place + 1;
        if (child >= clocks->count) break;
        if (child + 1 < clocks->count && before(&clocks->heap[child + 1], &clocks->heap[child])) child++;
        if (!before(&clocks->heap[child], clock)) break;
        put(clocks, place, &clocks->heap[child]);
        place = (uint32_t)child;
    }
    put(clocks, place, clock);
}

// One clock

static void set_to(TacFreeClock *clock, int bits, int64_t n) {
    clock->n = n;
    clock->tick = tac_free_clock_tick(bits, clock->p, clock->q, n);
    Wide value, divisor = 2 * (Wide)clock->q;
    clock->remainder = numerator(bits, clock->p, clock->q, n, &value) ? (uint32_t)(value % divisor) : 0;
    Wide step = (Wide)clock->p << (bits + 1), whole = step / divisor;
    clock->rest = (uint32_t)(step % divisor);
    clock->whole = whole < (Wide)TAC_TICK_NEVER ? (TacTick)whole : TAC_TICK_NEVER;
}

static void go_on(TacFreeClock *clock) {
    uint64_t divisor = 2 * (uint64_t)clock->q, remainder = (uint64_t)clock->remainder + clock->rest;
    TacTick carry = remainder >= divisor;
    clock->n++;
    clock->remainder = (uint32_t)(carry ? remainder - divisor : remainder);
    // whole is at most TAC_TICK_NEVER and tick + carry at least 0: compare without adding
    bool over = clock->whole >= TAC_TICK_NEVER - carry - clock->tick;
    clock->tick = over ? TAC_TICK_NEVER : clock->tick + clock->whole + carry;
}

static TacStatus check_period(const TacFreeClocks *clocks, uint32_t p, uint32_t q, int64_t n,
                              TacError *error) {
    if (p < 1 || q < 1 || p > TAC_FREE_CLOCK_RATIO_MAX || q > TAC_FREE_CLOCK_RATIO_MAX)
        return tac_fail(error, TAC_BAD_USAGE,
                        "a clock's period is p/q beats with p and q from 1 to 2^31, not %u/%u", p, q);
    if ((Wide)p << clocks->bits < q)
        return tac_fail(error, TAC_BAD_USAGE, "a clock's period of %u/%u beats is shorter than a tick", p, q);
    if (n < 0)
        return tac_fail(error, TAC_BAD_USAGE, "a clock's ticks are counted from 0, not from %lld",
                        (long long)n);
    return TAC_OK;
}

// There is room.
static void put_new(TacFreeClocks *clocks, uint32_t id, uint32_t p, uint32_t q, int64_t n) {
    TacFreeClock clock = {.p = p, .q = q, .id = id};
    set_to(&clock, clocks->bits, n);
    sift_up(clocks, clocks->count++, &clock);
}

TacStatus tac_free_clocks_add(TacFreeClocks *clocks, uint32_t id, uint32_t p, uint32_t q, int64_t n,
                              TacError *error) {
    if (id == UINT32_MAX) return tac_fail(error, TAC_BAD_USAGE, "%u is not a clock's number", id);
    if (tac_free_clocks_find(clocks, id))
        return tac_fail(error, TAC_BAD_USAGE, "clock %u is there already", id);
    TAC_TRY(check_period(clocks, p, q, n, error));
    size_t places = (size_t)id + 1;
    if (!tac_grow(&clocks->places, &clocks->place_capacity, places, sizeof *clocks->places))
        return tac_fail_memory(error, places * sizeof *clocks->places);
    if (!tac_grow(&clocks->heap, &clocks->capacity, (size_t)clocks->count + 1, sizeof *clocks->heap))
        return tac_fail_memory(error, ((size_t)clocks->count + 1) * sizeof *clocks->heap);
    put_new(clocks, id, p, q, n);
    return TAC_OK;
}

const TacFreeClock *tac_free_clocks_find(const TacFreeClocks *clocks, uint32_t id) {
    if (id >= clocks->place_capacity || !clocks->places[id]) return NULL;
    return &clocks->heap[clocks->places[id] - 1];
}

bool tac_free_clocks_remove(TacFreeClocks *clocks, uint32_t id) {
    if (!tac_free_clocks_find(clocks, id)) return false;
    uint32_t place = clocks->places[id] - 1;
    TacFreeClock last = clocks->heap[--clocks->count];
    clocks->places[id] = 0;
    // the last clock fills the gap and finds its place, up or down
    if (last.id == id) return true;
    if (place > 0 && before(&last, &clocks->heap[(place - 1) / 2]))
        sift_up(clocks, place, &last);
    else
        sift_down(clocks, place, &last);
    return true;
}

TacStatus tac_free_clocks_move(TacFreeClocks *clocks, uint32_t id, uint32_t p, uint32_t q, int64_t n,
                               TacError *error) {
    if (!tac_free_clocks_find(clocks, id)) return tac_fail(error, TAC_BAD_USAGE, "there is no clock %u", id);
    TAC_TRY(check_period(clocks, p, q, n, error));
    tac_free_clocks_remove(clocks, id);
    put_new(clocks, id, p, q, n);
    return TAC_OK;
}

TacTick tac_free_clocks_next(const TacFreeClocks *clocks) {
    return clocks->count ? clocks->heap[0].tick : TAC_TICK_NEVER;
}

TacStatus tac_free_clocks_reserve(TacFreeClocks *clocks, TacError *error) {
    size_t need = 2 * (size_t)clocks->count;
    if (tac_grow(&clocks->due, &clocks->due_capacity, need, sizeof *clocks->due)) return TAC_OK;
    return tac_fail_memory(error, need * sizeof *clocks->due);
}

TacStatus tac_free_clocks_take(TacFreeClocks *clocks, TacTick now, const uint32_t **ids, size_t *count,
                               TacError *error) {
    TAC_TRY(tac_free_clocks_reserve(clocks, error));
    if (now >= TAC_TICK_NEVER) now = TAC_TICK_NEVER - 1;
    size_t taken = 0;
    bool in_order = true;
    while (clocks->count && clocks->heap[0].tick <= now) {
        TacFreeClock clock = clocks->heap[0];
        // clocks of one tick come by id; only those from the past can be out of order
        in_order &= clock.tick == now;
        clocks->due[taken++] = clock.id;
        go_on(&clock);
        if (clock.tick <= now)
            set_to(&clock, clocks->bits, tac_free_clock_first(clocks->bits, clock.p, clock.q, now + 1));
        sift_down(clocks, 0, &clock);
    }
    if (!in_order) tac_sort_ids(clocks->due, clocks->due + taken, taken);
    *ids = clocks->due;
    *count = taken;
    return TAC_OK;
}

// Saving

size_t tac_free_clocks_save_bytes(const TacFreeClocks *clocks) {
    return HEADER_BYTES + (size_t)clocks->count * RECORD_BYTES;
}

uint8_t *tac_free_clocks_save(const TacFreeClocks *clocks, uint8_t *to) {
    to = tac_flat_write(to, (uint64_t)clocks->bits, 1);
    to = tac_flat_write(to, clocks->count, 4);
    for (size_t id = 0; id < clocks->place_capacity; id++) {
        if (!clocks->places[id]) continue;
        const TacFreeClock *clock = &clocks->heap[clocks->places[id] - 1];
        to = tac_flat_write(to, clock->id, 4);
        to = tac_flat_write(to, clock->p, 4);
        to = tac_flat_write(to, clock->q, 4);
        to = tac_flat_write(to, (uint64_t)clock->n, 8);
    }
    return to;
}

// What is a caller's mistake elsewhere is bad data here.
static TacStatus as_input(TacStatus status, TacError *error) {
    if (status != TAC_BAD_USAGE) return status;
    if (error) error->status = TAC_BAD_INPUT;
    return TAC_BAD_INPUT;
}

static TacStatus read_clocks(TacFreeClocks *clocks, TacFlatReader *from, uint32_t id_limit, TacError *error) {
    int bits = (int)tac_flat_read(from, 1);
    uint64_t count = tac_flat_read(from, 4);
    if (from->short_of_data || !tac_flat_holds(from, count, RECORD_BYTES))
        return tac_fail(error, TAC_BAD_INPUT, "the saved clocks are cut short");
    if (bits != clocks->bits)
        return tac_fail(error, TAC_BAD_INPUT,
                        "the saved clocks have 2^%d ticks in a beat; this world has 2^%d", bits,
                        clocks->bits);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id = (uint32_t)tac_flat_read(from, 4), p = (uint32_t)tac_flat_read(from, 4),
                 q = (uint32_t)tac_flat_read(from, 4);
        int64_t n = (int64_t)tac_flat_read(from, 8);
        if (id >= id_limit)
            return tac_fail(error, TAC_BAD_INPUT, "the saved clocks have a number %u; it must be below %u",
                            id, id_limit);
        TAC_TRY(as_input(tac_free_clocks_add(clocks, id, p, q, n, error), error));
    }
    return TAC_OK;
}

TacStatus tac_free_clocks_restore(TacFreeClocks *clocks, TacFlatReader *from, uint32_t id_limit,
                                  TacError *error) {
    TacFreeClocks fresh = {.bits = clocks->bits};
    TacStatus status = read_clocks(&fresh, from, id_limit, error);
    tac_free_clocks_destroy(status == TAC_OK ? clocks : &fresh);
    if (status == TAC_OK) *clocks = fresh;
    return status;
}

bool tac_free_clocks_valid(const TacFreeClocks *clocks) {
    uint32_t placed = 0;
    for (size_t id = 0; id < clocks->place_capacity; id++) placed += clocks->places[id] > 0;
    for (uint32_t place = 0; place < clocks->count; place++) {
        const TacFreeClock *clock = &clocks->heap[place];
        if (clock->id >= clocks->place_capacity || clocks->places[clock->id] != place + 1) return false;
        if (place > 0 && before(clock, &clocks->heap[(place - 1) / 2])) return false;
        TacFreeClock again = *clock;
        set_to(&again, clocks->bits, clock->n);
        if (again.tick != clock->tick) return false;
        if (clock->tick < TAC_TICK_NEVER && again.remainder != clock->remainder) return false;
    }
    return placed == clocks->count;
}
