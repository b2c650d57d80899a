// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The loose scheduler; loose.h says how it works and why. Uses the timing wheel of this folder.

#include "time/loose_queue.h"

#include <string.h>

enum {
    FAN = 8,           // children of a node in the tree of minima: one cache line
    SPREAD = 2,        // an agent's record is 2^SPREAD entries of the wheel long
    AHEAD = 3,         // thresholds
    CLOSE = 200,       // turns
    PASSES = 64,       // turns given up in one call
    WAKE_STEP = 20,    // wake-up times are multiples of 2^20 ticks (about 10 ns): fewer levels of the wheel
    MAGIC = 0x3253434C // "LCS2"
};

_Static_assert(sizeof(TacLooseAgent) == sizeof(TacWheelEntry) << SPREAD,
               "the wheel's entries lie in records");

// --- the window -------------------------------------------------------------------------------------------

static TacTick least_of(const TacTick *times) {
    TacTick least = times[0];
    for (int i = 1; i < FAN; i++) least = times[i] < least ? times[i] : least;
    return least;
}

// Sets one agent's time in the tree and carries it up until a node keeps its value.
static void set_slowest(TacLoose *loose, uint32_t id, TacTick time) {
    TacTick *leaf = &loose->slowest[0][id];
    if (*leaf == time) return;
    *leaf = time;
    uint32_t at = id;
    for (int level = 1; level < loose->levels; level++) {
        at /= FAN;
        TacTick least = least_of(loose->slowest[level - 1] + (size_t)FAN * at);
        if (loose->slowest[level][at] == least) return;
        loose->slowest[level][at] = least;
    }
}

static TacTick slowest_time(const TacLoose *loose) {
    return loose->slowest[loose->levels - 1][0];
}

// One of the slowest, only when the window is not empty: the one found last as long as it is, else the lowest id. What
// was found last is saved with the rest, so that a restored scheduler finds the same.
static uint32_t find_slowest(TacLoose *loose) {
    TacTick least = slowest_time(loose);
    if (loose->slowest[0][loose->slowest_agent] == least) return loose->slowest_agent;
    uint32_t at = 0;
    for (int level = loose->levels - 2; level >= 0; level--) {
        at *= FAN;
        while (loose->slowest[level][at] != least) at++;
    }
    return loose->slowest_agent = at;
}

TacLooseWindow tac_loose_window(const TacLoose *loose) {
    TacTick slowest = slowest_time(loose);
    if (slowest == TAC_TICK_NEVER) return (TacLooseWindow){0, 0};
    return (TacLooseWindow){slowest, loose->fastest > slowest ? loose->fastest : slowest};
}

// --- turns -----------------------------------------------------------------------------------------------

static uint64_t up_to(int p) {
    return p >= 63 ? UINT64_MAX : ((uint64_t)2 << p) - 1;
}

static void reset_counters(TacLoose *loose, uint64_t queues) {
    for (queues &= loose->counting; queues; queues &= queues - 1) loose->served[__builtin_ctzll(queues)] = 0;
}

// The document's loop, one turn. Every pass resets a counter that had run full or wraps around once, so it ends.
static uint32_t next_agent(TacLoose *loose) {
    while (loose->ready) {
        uint64_t below = loose->ready & up_to(loose->current);
        int p = below ? 63 - __builtin_clzll(below) : -1;
        // queues that were passed because nobody waits there are exhausted
        uint64_t passed = up_to(loose->current) & ~(p >= 0 ? up_to(p) : 0);
        reset_counters(loose, passed);
        loose->counting &= ~passed;
        if (p < 0) {
            loose->current = loose->top;
            continue;
        }
        if (++loose->served[p] >= loose->max_exec) {
            loose->served[p] = 0;
            loose->counting &= ~((uint64_t)1 << p);
            loose->current = p > 0 ? p - 1 : loose->top;
            continue;
        }
        loose->counting |= (uint64_t)1 << p;
        loose->current = loose->top;
        return tac_loose_dequeue(loose, p);
    }
    return TAC_LOOSE_NOBODY;
}

// --- sleeping ---------------------------------------------------------------------------------------------

static void fall_asleep(TacLoose *loose, uint32_t id, TacTick wake, bool by_rule) {
    TacLooseAgent *a = &loose->agents[id];
    const TacTick step = (TacTick)1 << WAKE_STEP;
    wake = wake > TAC_TICK_NEVER - step ? TAC_TICK_NEVER - 1 : (wake + step - 1) & -step;
    if (wake <= loose->now) {
        tac_loose_enqueue(loose, id);
        return;
    }
    a->state = TAC_LOOSE_ASLEEP;
    a->by_rule = by_rule;
    tac_wheel_file(&loose->sleepers, id, wake, NULL); // has room for all ids
}

void tac_loose_wake(TacLoose *loose, uint32_t id) {
    if (id >= loose->capacity || loose->agents[id].state != TAC_LOOSE_ASLEEP) return;
    tac_wheel_cancel(&loose->sleepers, id);
    tac_loose_enqueue(loose, id);
}

TacTick tac_loose_next_wake(const TacLoose *loose) {
    return tac_wheel_next(&loose->sleepers, TAC_TICK_NEVER);
}

// In the order of their wake-up times, equal ones by id. The wheel goes on even when nobody is due yet: a slot that
// the clock has entered is then looked through once, not at every turn.
static void wake_due(TacLoose *loose) {
    TacWheel *sleepers = &loose->sleepers;
    while (tac_wheel_not_before(sleepers) <= loose->now) {
        TacTick next = tac_wheel_next(sleepers, loose->now);
        const uint32_t *ids;
        size_t n;
        if (tac_wheel_advance(sleepers, next, &ids, &n, NULL) != TAC_OK) return;
        for (size_t i = 0; i < n; i++) tac_loose_enqueue(loose, ids[i]);
        uint32_t soon = tac_wheel_soon(sleepers);
        if (soon < loose->capacity) __builtin_prefetch(&loose->agents[soon], 1);
    }
}

static void wake_slowest(TacLoose *loose) {
    TacLooseWindow w = tac_loose_window(loose);
    if (w.fastest == w.slowest || !loose->sleepers.count) return;
    uint32_t id = find_slowest(loose);
    const TacLooseAgent *a = &loose->agents[id];
    if (a->state == TAC_LOOSE_ASLEEP && a->by_rule && w.fastest - w.slowest > a->threshold)
        tac_loose_wake(loose, id);
}

// --- agents -----------------------------------------------------------------------------------------------

TacStatus tac_loose_create(TacLoose *loose, uint32_t capacity, int top, int max_exec, TacError *error) {
    *loose = (TacLoose){0};
    if (capacity < 1) capacity = 1;
    loose->top = top < 0 ? 0 : top >= TAC_LOOSE_PRIORITIES ? TAC_LOOSE_PRIORITIES - 1 : top;
    loose->max_exec = max_exec < 2 ? 2 : max_exec;
    loose->current = loose->top;
    loose->capacity = capacity;
    loose->agents = tac_arena_array(&loose->memory, capacity, sizeof *loose->agents);
    bool fine = loose->agents != NULL;
    // levels up to the one that has a single node, the root
    size_t width = capacity;
    for (bool root = false; fine && !root; width = (width + FAN - 1) / FAN) {
        size_t padded = (width + FAN - 1) / FAN * FAN;
        TacTick *times = tac_arena_array(&loose->memory, padded, sizeof *times);
        for (size_t i = 0; times && i < padded; i++) times[i] = TAC_TICK_NEVER;
        fine = times != NULL;
        loose->slowest[loose->levels++] = times;
        root = width == 1;
    }
    size_t blocks = tac_loose_blocks(capacity);
    loose->blocks = fine ? tac_arena_array(&loose->memory, blocks, sizeof *loose->blocks) : NULL;
    fine = loose->blocks != NULL;
    if (fine) tac_loose_clear_queues(loose, blocks);
    fine = fine && tac_wheel_share(&loose->sleepers, &loose->agents->place, capacity, SPREAD, NULL) == TAC_OK;
    if (fine) return TAC_OK;
    tac_loose_destroy(loose);
    return tac_fail_memory(error, capacity * sizeof *loose->agents);
}

void tac_loose_destroy(TacLoose *loose) {
    tac_wheel_destroy(&loose->sleepers);
    tac_arena_destroy(&loose->memory);
    *loose = (TacLoose){0};
}

static uint8_t clamp_priority(const TacLoose *loose, int p) {
    return (uint8_t)(p < 0 ? 0 : p > loose->top ? loose->top : p);
}

static double clamp_ratio(double ratio) {
    return ratio >= TAC_LOOSE_LEAST_RATIO ? (ratio <= 1 ? ratio : 1) : TAC_LOOSE_LEAST_RATIO;
}

static void set_time(TacLoose *loose, uint32_t id, TacTick time) {
    loose->agents[id].time = time;
    set_slowest(loose, id, time);
    if (time > loose->fastest) loose->fastest = time;
}

void tac_loose_add(TacLoose *loose, uint32_t id, const TacLooseAgentDef *def) {
    TacLooseAgent *a = &loose->agents[id];
    *a = (TacLooseAgent){.threshold = def->threshold,
                         .period = def->period,
                         .ratio = clamp_ratio(def->ratio),
                         .c1 = def->c1,
                         .priority = clamp_priority(loose, def->priority),
                         .rules = (uint8_t)def->rules};
    loose->count++;
    set_time(loose, id, def->time);
    tac_loose_enqueue(loose, id);
}

void tac_loose_remove(TacLoose *loose, uint32_t id) {
    TacLooseAgent *a = &loose->agents[id];
    if (a->state == TAC_LOOSE_ABSENT) return;
    if (a->state == TAC_LOOSE_READY) tac_loose_unqueue(loose, id);
    if (a->state == TAC_LOOSE_ASLEEP) tac_wheel_cancel(&loose->sleepers, id);
    if (a->state == TAC_LOOSE_TAKEN) loose->taken_count--;
    if (a->state == TAC_LOOSE_RESTING) loose->resting_count--;
    a->state = TAC_LOOSE_ABSENT;
    loose->count--;
    set_slowest(loose, id, TAC_TICK_NEVER);
}

void tac_loose_return(TacLoose *loose, uint32_t id, TacTick time) {
    if (loose->agents[id].state != TAC_LOOSE_ABSENT) return;
    memset(&loose->agents[id].place, 0, sizeof loose->agents[id].place);
    loose->count++;
    set_time(loose, id, time);
    tac_loose_enqueue(loose, id);
}

void tac_loose_set_now(TacLoose *loose, TacTick now) {
    if (now > loose->now) loose->now = now;
}

static void decide_priority(TacLoose *loose, TacLooseAgent *a, TacLooseWindow w) {
    if (!(a->rules & TAC_LOOSE_BY_PRIORITY) || w.fastest - w.slowest <= a->threshold) return;
    if (a->time == w.slowest) a->priority = clamp_priority(loose, a->priority + 1);
    if (a->time == w.fastest) a->priority = clamp_priority(loose, a->priority - 1);
}

static bool is_far_ahead(const TacLoose *loose, const TacLooseAgent *a) {
    if (a->close) return a->time > slowest_time(loose);
    return a->rules & TAC_LOOSE_BY_PRIORITY && a->threshold > 0 &&
           (a->time - slowest_time(loose)) / AHEAD > a->threshold;
}

// The clock's reading when an agent was taken stands where its neighbours in a list do: it is in none meanwhile.
static void take(TacLoose *loose, uint32_t id) {
    TacLooseAgent *a = &loose->agents[id];
    a->state = TAC_LOOSE_TAKEN;
    a->place.next_plus_1 = (uint32_t)((uint64_t)loose->now >> 32);
    a->place.previous_plus_1 = (uint32_t)loose->now;
}

static TacTick taken_at(const TacLooseAgent *a) {
    return (TacTick)((uint64_t)a->place.next_plus_1 << 32 | a->place.previous_plus_1);
}

// Out of turn, if it waits for one.
static bool take_slowest(TacLoose *loose, uint32_t *id) {
    *id = find_slowest(loose);
    if (loose->agents[*id].state != TAC_LOOSE_READY) return false;
    tac_loose_unqueue(loose, *id);
    take(loose, *id);
    return true;
}

size_t tac_loose_take(TacLoose *loose, uint32_t *ids, size_t most) {
    wake_due(loose);
    wake_slowest(loose);
    size_t n = 0;
    int passed = 0;
    while (n < most && passed < PASSES) {
        uint32_t id = next_agent(loose);
        if (id == TAC_LOOSE_NOBODY) break;
        if (is_far_ahead(loose, &loose->agents[id])) {
            decide_priority(loose, &loose->agents[id], tac_loose_window(loose));
            tac_loose_enqueue(loose, id);
            passed++;
            if (loose->agents[id].close) n += take_slowest(loose, &ids[n]);
            continue;
        }
        take(loose, id);
        ids[n++] = id;
    }
    // all who were asked are too far ahead: for the one they wait for
    if (n == 0 && passed > 0) n += take_slowest(loose, &ids[n]);
    loose->taken_count += (uint32_t)n;
    loose->activations += n;
    return n;
}

// --- decisions --------------------------------------------------------------------------------------------

static TacTick decide_sleep(TacLooseAgent *a, TacLooseWindow w, TacTick cost) {
    if (!(a->rules & TAC_LOOSE_BY_SLEEP)) return 0;
    double width = (double)(w.fastest - w.slowest);
    double middle = (double)(w.slowest - a->time) + 0.5 * width;
    a->ratio = clamp_ratio(a->ratio + a->c1 * (width > 0 ? middle / width : 0));
    double ticks = (double)cost * (1 - a->ratio) / a->ratio;
    return ticks < 0x1p61 ? (TacTick)ticks : (TacTick)1 << 61;
}

static TacTick later(TacTick a, TacTick by) {
    return a > TAC_TICK_NEVER - by ? TAC_TICK_NEVER : a + by;
}

// The first multiple of the period after a reading of the clock: who was late once is not late ever after.
static TacTick next_beat(TacTick at, TacTick period) {
    return later(at - at % period, period);
}

static TacLooseWindow arrive(TacLoose *loose, uint32_t id, TacTick time) {
    loose->taken_count--;
    if (loose->agents[id].close > 0) loose->agents[id].close--;
    set_time(loose, id, time);
    TacLooseWindow w = tac_loose_window(loose);
    decide_priority(loose, &loose->agents[id], w);
    return w;
}

void tac_loose_finish(TacLoose *loose, uint32_t id, TacTick time, TacTick cost) {
    TacLooseAgent *a = &loose->agents[id];
    TacLooseWindow w = arrive(loose, id, time);
    TacTick rest = decide_sleep(a, w, cost), wake = rest > 0 ? later(loose->now, rest) : 0;
    TacTick held = a->period > 0 ? next_beat(taken_at(a), a->period) : 0;
    if (held > wake)
        fall_asleep(loose, id, held, false);
    else if (wake > 0)
        fall_asleep(loose, id, wake, true);
    else
        tac_loose_enqueue(loose, id);
}

void tac_loose_finish_until(TacLoose *loose, uint32_t id, TacTick time, TacTick wake) {
    arrive(loose, id, time);
    fall_asleep(loose, id, wake, false);
}

void tac_loose_keep_close(TacLoose *loose, uint32_t id) {
    loose->agents[id].close = CLOSE;
}

void tac_loose_rest(TacLoose *loose, uint32_t id, TacTick time) {
    if (loose->agents[id].state == TAC_LOOSE_READY)
        tac_loose_unqueue(loose, id);
    else
        loose->taken_count--;
    loose->resting_count++;
    set_time(loose, id, time);
    loose->agents[id].state = TAC_LOOSE_RESTING;
    set_slowest(loose, id, TAC_TICK_NEVER);
}

void tac_loose_rouse(TacLoose *loose, uint32_t id, TacTick time) {
    if (id >= loose->capacity || loose->agents[id].state != TAC_LOOSE_RESTING) return;
    loose->resting_count--;
    set_time(loose, id, time > loose->agents[id].time ? time : loose->agents[id].time);
    tac_loose_enqueue(loose, id);
}

// --- saving -----------------------------------------------------------------------------------------------

// Header, counters, agents, the queues in order, the wheel.
enum { HEADER_BYTES = 4 + 4 + 4 + 8 + 8 + 8 + 4 + 8 + 4, AGENT_BYTES = 3 * 8 + 2 * 8 + 5 };

size_t tac_loose_save_bytes(const TacLoose *loose) {
    return HEADER_BYTES + 4 * (size_t)(loose->top + 1) + (size_t)loose->capacity * AGENT_BYTES +
           4 * (size_t)(loose->top + 1) + 4 * (size_t)loose->ready_count +
           tac_wheel_save_bytes(&loose->sleepers);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void tac_loose_save(const TacLoose *loose, void *to) {
    uint8_t *at = tac_flat_write(to, MAGIC, 4);
    at = tac_flat_write(at, loose->capacity, 4);
    at = tac_flat_write(at, (uint64_t)loose->top | (uint64_t)loose->current << 8, 4);
    at = tac_flat_write(at, (uint64_t)loose->now, 8);
    at = tac_flat_write(at, (uint64_t)loose->fastest, 8);
    at = tac_flat_write(at, loose->counting, 8);
    at = tac_flat_write(at, (uint64_t)loose->max_exec, 4);
    at = tac_flat_write(at, loose->activations, 8);
    at = tac_flat_write(at, loose->slowest_agent, 4);
    for (int p = 0; p <= loose->top; p++) at = tac_flat_write(at, (uint64_t)loose->served[p], 4);
    for (uint32_t id = 0; id < loose->capacity; id++) {
        const TacLooseAgent *a = &loose->agents[id];
        const TacTick ticks[] = {a->time, a->threshold, a->period};
        for (size_t k = 0; k < TAC_COUNT(ticks); k++) at = tac_flat_write(at, (uint64_t)ticks[k], 8);
        at = tac_flat_write(at, bits_of(a->ratio), 8);
        at = tac_flat_write(at, bits_of(a->c1), 8);
        const uint8_t bytes[] = {a->priority, a->rules, a->state, a->by_rule, a->close};
        for (size_t k = 0; k < TAC_COUNT(bytes); k++) at = tac_flat_write(at, bytes[k], 1);
    }
    for (int p = 0; p <= loose->top; p++) {
        uint8_t *length = at;
        uint32_t n = 0;
        at += 4;
        TacLooseSpot spot = tac_loose_head(loose, p);
        for (uint32_t id; (id = tac_loose_look(loose, p, &spot)) != TAC_LOOSE_NOBODY; n++)
            at = tac_flat_write(at, id, 4);
        tac_flat_write(length, n, 4);
    }
    tac_wheel_save(&loose->sleepers, at);
}

static bool read_agent(TacLoose *loose, TacFlatReader *from, uint32_t id) {
    TacLooseAgent *a = &loose->agents[id];
    a->time = (TacTick)tac_flat_read(from, 8);
    a->threshold = (TacTick)tac_flat_read(from, 8);
    a->period = (TacTick)tac_flat_read(from, 8);
    a->ratio = value_of(tac_flat_read(from, 8));
    a->c1 = value_of(tac_flat_read(from, 8));
    a->priority = (uint8_t)tac_flat_read(from, 1);
    a->rules = (uint8_t)tac_flat_read(from, 1);
    a->state = (uint8_t)tac_flat_read(from, 1);
    a->by_rule = (uint8_t)tac_flat_read(from, 1);
    a->close = (uint8_t)tac_flat_read(from, 1);
    bool absent = a->state == TAC_LOOSE_ABSENT; // it may come back, or has never been there
    bool fine = a->priority <= loose->top && a->state <= TAC_LOOSE_RESTING && a->state != TAC_LOOSE_TAKEN &&
                a->time >= 0 && a->threshold >= 0 && a->period >= 0 &&
                ((absent && a->ratio == 0) || a->ratio == clamp_ratio(a->ratio)) && a->c1 * 0 == 0 &&
                a->rules < 4 && a->by_rule < 2 && a->close <= CLOSE;
    if (!fine || absent) return fine;
    loose->count++;
    loose->resting_count += a->state == TAC_LOOSE_RESTING;
    if (a->state != TAC_LOOSE_RESTING) set_slowest(loose, id, a->time);
    return true;
}

static bool read_queue(TacLoose *loose, TacFlatReader *from, int p) {
    uint64_t n = tac_flat_read(from, 4);
    if (!tac_flat_holds(from, n, 4)) return false;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t id = (uint32_t)tac_flat_read(from, 4);
        // ready by its record, of this priority, and in no queue yet
        if (id >= loose->capacity || loose->agents[id].state != TAC_LOOSE_READY ||
            loose->agents[id].priority != p || loose->agents[id].place.next_plus_1)
            return false;
        tac_loose_enqueue(loose, id);
    }
    return true;
}

static TacStatus read_all(TacLoose *loose, TacFlatReader *from, TacError *error) {
    loose->now = (TacTick)tac_flat_read(from, 8);
    loose->fastest = (TacTick)tac_flat_read(from, 8);
    loose->counting = tac_flat_read(from, 8);
    loose->max_exec = (int)tac_flat_read(from, 4);
    loose->activations = tac_flat_read(from, 8);
    loose->slowest_agent = (uint32_t)tac_flat_read(from, 4);
    bool fine = loose->slowest_agent < loose->capacity && loose->now >= 0 && loose->fastest >= 0 &&
                loose->max_exec >= 2;
    for (int p = 0; p <= loose->top; p++) {
        loose->served[p] = (int)tac_flat_read(from, 4);
        fine = fine && loose->served[p] >= 0 && loose->served[p] < loose->max_exec &&
               (loose->served[p] > 0) == (loose->counting >> p & 1);
    }
    for (uint32_t id = 0; id < loose->capacity && fine; id++) fine = read_agent(loose, from, id);
    for (int p = 0; p <= loose->top && fine; p++) fine = read_queue(loose, from, p);
    if (!fine || from->short_of_data)
        return tac_fail(error, TAC_BAD_INPUT, "the saved loose scheduler is damaged");
    TAC_TRY(tac_wheel_restore(&loose->sleepers, from, loose->capacity, error));
    if (from->at == from->end && tac_loose_valid(loose)) return TAC_OK;
    return tac_fail(error, TAC_BAD_INPUT, "the saved loose scheduler is damaged");
}

TacStatus tac_loose_restore(TacLoose *loose, const void *data, size_t bytes, TacError *error) {
    TacFlatReader from = {data, (const uint8_t *)data + bytes, false};
    uint64_t magic = tac_flat_read(&from, 4), capacity = tac_flat_read(&from, 4),
             places = tac_flat_read(&from, 4);
    int top = (int)(places & 0xFF), current = (int)(places >> 8);
    if (magic != MAGIC || capacity != loose->capacity || top != loose->top || current > top)
        return tac_fail(error, TAC_BAD_INPUT, "this is not a saved loose scheduler of this size");
    TacLoose fresh;
    TAC_TRY(tac_loose_create(&fresh, loose->capacity, top, loose->max_exec, error));
    fresh.current = current;
    TacStatus status = read_all(&fresh, &from, error);
    tac_loose_destroy(status == TAC_OK ? loose : &fresh);
    if (status == TAC_OK) *loose = fresh;
    return status;
}

// --- checking ---------------------------------------------------------------------------------------------

static bool counters_valid(const TacLoose *loose) {
    for (int p = 0; p < TAC_LOOSE_PRIORITIES; p++)
        if ((loose->served[p] > 0) != (loose->counting >> p & 1) || loose->served[p] >= loose->max_exec)
            return false;
    return true;
}

bool tac_loose_valid(const TacLoose *loose) {
    uint32_t states[TAC_LOOSE_RESTING + 1] = {0};
    TacTick least = TAC_TICK_NEVER;
    for (uint32_t id = 0; id < loose->capacity; id++) {
        const TacLooseAgent *a = &loose->agents[id];
        bool in_window =
            a->state == TAC_LOOSE_READY || a->state == TAC_LOOSE_TAKEN || a->state == TAC_LOOSE_ASLEEP;
        states[a->state]++;
        if ((a->state == TAC_LOOSE_ASLEEP) != (tac_wheel_tick(&loose->sleepers, id) >= 0)) return false;
        if (loose->slowest[0][id] != (in_window ? a->time : TAC_TICK_NEVER)) return false;
        if (in_window && a->time < least) least = a->time;
        if (in_window && a->time > loose->fastest) return false;
    }
    return least == slowest_time(loose) && counters_valid(loose) && tac_loose_queues_valid(loose) &&
           tac_wheel_valid(&loose->sleepers) && states[TAC_LOOSE_READY] == loose->ready_count &&
           states[TAC_LOOSE_TAKEN] == loose->taken_count &&
           states[TAC_LOOSE_RESTING] == loose->resting_count &&
           states[TAC_LOOSE_ASLEEP] == loose->sleepers.count &&
           loose->capacity - states[TAC_LOOSE_ABSENT] == loose->count && loose->current <= loose->top;
}
