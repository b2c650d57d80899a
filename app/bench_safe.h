// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the parts of `tactus bench safe` share: bench_safe.c has the knot, bench_safe_ways.c the compactor and what the
// choices that cost only are worth, bench_safe_growth.c what more points cost.

#ifndef APP_BENCH_SAFE_H
#define APP_BENCH_SAFE_H

#include "bench.h"

typedef struct AppSafeResult {
    size_t points;
    double seconds; // by the clock of app_bench_seconds
    double wall;    // s, as the shares of contact are counted
    double kicks;   // s, in the kicks of agents and laws
    TacWorldStats world;
    TacContactStats contact, start; // at the end; when time began
    uint64_t hash;
} AppSafeResult;

// Runs a scene's text; says what is wrong. Returns an exit code.
int app_safe_run(const char *text, double time, int threads, AppSafeResult *result);
// The best of some runs: short ones differ by what else the machine does.
int app_safe_run_best(const char *text, double time, int threads, int tries, AppSafeResult *best);

// The text of a knot whose Contact has these attributes.
enum { APP_SAFE_TEXT = 4096 };
void app_safe_knot(char text[APP_SAFE_TEXT], int cells, const char *contact);

// Each adds its rows and prints its tables. Returns an exit code.
int app_bench_safe_ways(AppBench *bench);
int app_bench_safe_growth(AppBench *bench);

#endif
