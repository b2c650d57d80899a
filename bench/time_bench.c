// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the causal scheduler costs: nanoseconds per operation of the ruler, the wheel, the free clocks and the
// three together. Prints a table; asserts nothing.

#define _GNU_SOURCE

#include "base/random.h"
#include "time/causal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void report(const char *what, double start, double operations) {
    printf("%-62s %9.2f ns\n", what, (now_ns() - start) / operations);
}

static void check(TacStatus status) {
    if (status == TAC_OK) return;
    fprintf(stderr, "time_bench: status %d\n", (int)status);
    exit(1);
}

// Instants of a ruler with 20 classes of 64 members, batches read in full.
static uint64_t bench_ruler(void) {
    enum { CLASSES = 20, MEMBERS = 64, INSTANTS = 3000000, CHURNS = 5000000 };
    TacRuler ruler = {0};
    uint64_t sum = 0, kicks = 0;
    for (uint32_t id = 0; id < CLASSES * MEMBERS; id++)
        check(tac_ruler_add(&ruler, id, 10 + (int)(id % CLASSES), NULL));
    double start = now_ns();
    TacTick tick = -1;
    for (int i = 0; i < INSTANTS; i++) {
        tick = tac_ruler_next(&ruler, tick);
        sum += tac_ruler_due(&ruler, tick);
    }
    report("ruler: next instant and its classes", start, INSTANTS);
    start = now_ns();
    for (int i = 0; i < INSTANTS / 10; i++) {
        tick = tac_ruler_next(&ruler, tick);
        for (uint64_t due = tac_ruler_due(&ruler, tick); due; due &= due - 1) {
            size_t count;
            const uint32_t *members = tac_ruler_members(&ruler, __builtin_ctzll(due), &count);
            for (size_t k = 0; k < count; k++) sum += members[k];
            kicks += count;
        }
    }
    report("ruler: per member of a batch, instants included", start, (double)kicks);
    TacRandom random = tac_random(1, 1);
    start = now_ns();
    for (int i = 0; i < CHURNS; i++)
        check(tac_ruler_move(&ruler, tac_random_bits(&random) % (CLASSES * MEMBERS), 10 + i % CLASSES, NULL));
    report("ruler: move to another class", start, CHURNS);
    tac_ruler_destroy(&ruler);
    return sum;
}

// Entries that expire and are filed anew at once, up to `reach` ticks ahead; `refiles` of them are put off
// first.
static uint64_t bench_wheel(const char *what, uint32_t entries, double reach, int refiles) {
    enum { EXPIRIES = 2000000 };
    TacRandom random = tac_random(2, 2);
    TacWheel wheel = {0};
    uint64_t sum = 0;
    for (uint32_t id = 0; id < entries; id++)
        check(tac_wheel_file(&wheel, id, (TacTick)(reach * tac_random_unit(&random)), NULL));
    double start = now_ns(), operations = 0;
    while (operations < EXPIRIES) {
        TacTick now = tac_wheel_next(&wheel, TAC_TICK_NEVER);
        const uint32_t *ids;
        size_t count;
        check(tac_wheel_advance(&wheel, now, &ids, &count, NULL));
        for (size_t i = 0; i < count; i++) {
            sum += ids[i];
            check(
                tac_wheel_file(&wheel, ids[i], now + 1 + (TacTick)(reach * tac_random_unit(&random)), NULL));
            for (int k = 0; k < refiles; k++) {
                TacTick tick = now + 1 + (TacTick)(reach * tac_random_unit(&random));
                check(tac_wheel_file(&wheel, tac_random_bits(&random) % entries, tick, NULL));
            }
            operations += 1 + refiles;
        }
    }
    report(what, start, operations);
    tac_wheel_destroy(&wheel);
    return sum;
}

static uint64_t bench_free_clocks(const char *what, uint32_t count_of_clocks) {
    enum { TICKS = 5000000 };
    TacFreeClocks clocks = {.bits = 40};
    uint64_t sum = 0;
    for (uint32_t id = 0; id < count_of_clocks; id++)
        check(tac_free_clocks_add(&clocks, id, 1 + id % 3, 441 + id, 0, NULL));
    double start = now_ns(), ticks = 0;
    while (ticks < TICKS) {
        const uint32_t *ids;
        size_t count;
        check(tac_free_clocks_take(&clocks, tac_free_clocks_next(&clocks), &ids, &count, NULL));
        sum += ids[0];
        ticks += (double)count;
    }
    report(what, start, ticks);
    tac_free_clocks_destroy(&clocks);
    return sum;
}

// A world: 10 classes from 2^28 ticks up, 3 free clocks, 10,000 certificates of about 10 ms, each filed anew.
static uint64_t bench_causal(void) {
    enum { INSTANTS = 2000000, ENTRIES = 10000 };
    static const uint32_t ratios[][2] = {{5, 3}, {1, 441}, {1, 10}};
    TacRandom random = tac_random(3, 3);
    TacCausal causal;
    tac_causal_init(&causal, 40);
    for (uint32_t id = 0; id < 1000; id++) check(tac_ruler_add(&causal.ruler, id, 28 + (int)(id % 10), NULL));
    for (uint32_t id = 0; id < 3; id++)
        check(tac_free_clocks_add(&causal.free, id, ratios[id][0], ratios[id][1], 0, NULL));
    for (uint32_t id = 0; id < ENTRIES; id++)
        check(tac_wheel_file(&causal.wheel, id, (TacTick)(0x1p40 * tac_random_unit(&random)), NULL));
    uint64_t sum = 0;
    double start = now_ns();
    for (int i = 0; i < INSTANTS; i++) {
        TacInstant instant;
        check(tac_causal_take(&causal, &instant, NULL));
        for (size_t k = 0; k < instant.expired_count; k++) {
            TacTick tick = instant.now + (TacTick)(0x1p41 * tac_random_unit(&random));
            check(tac_wheel_file(&causal.wheel, instant.expired[k], tick, NULL));
        }
        sum += instant.classes + instant.free_count;
    }
    report("causal: instant of 10 classes, 3 free clocks, 10,000 entries", start, INSTANTS);
    tac_causal_destroy(&causal);
    return sum;
}

int main(void) {
    uint64_t sum = bench_ruler();
    sum += bench_wheel("wheel: file and expire, 1,000 entries within 2^20 ticks", 1000, 0x1p20, 0);
    sum += bench_wheel("wheel: file and expire, 100,000 entries within 2^40 ticks", 100000, 0x1p40, 0);
    sum += bench_wheel("wheel: file or refile, the same, 9 refiles per expiry", 100000, 0x1p40, 9);
    sum += bench_free_clocks("free clocks: tick of one of 3", 3);
    sum += bench_free_clocks("free clocks: tick of one of 1,000", 1000);
    sum += bench_causal();
    // printed so that no work can be left out
    printf("(sum %016llx)\n", (unsigned long long)sum);
    return 0;
}
