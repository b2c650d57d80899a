// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The benchmarks of `tactus bench`, each in the file that its line names. They print a table and, last, the
// line NAME ratio=R basis=measured|published, and return an exit code.

#ifndef APP_BENCH_H
#define APP_BENCH_H

#include "commands.h"

typedef struct AppBenchOptions {
    const char *data; // where SOFA's scenes are
    int64_t threads;
} AppBenchOptions;

int app_bench_fem(const AppBenchOptions *options); // bench_fem.c
int app_bench_lj(void);                            // bench_balls.c
int app_bench_balls(void);                         // bench_balls.c
int app_bench_audio(void);                         // bench_audio.c
int app_bench_wires(void);                         // bench_wires.c

#endif
