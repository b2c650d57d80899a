// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the benchmarks of `tactus bench` share.

#ifndef TACTUS_APP_BENCH_H
#define TACTUS_APP_BENCH_H

#include <stdint.h>

typedef struct AppBenchOptions {
    const char *data;
    int64_t threads;
    double time;   // s, simulated
    int64_t cells; // of the knot, across
} AppBenchOptions;

int app_bench_safe(const AppBenchOptions *options);

#endif
