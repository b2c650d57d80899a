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
    double time;   // s, of safe
    int64_t cells; // across the ribbons of safe
} AppBenchOptions;

int app_bench_fem(const AppBenchOptions *options);  // bench_fem.c
int app_bench_safe(const AppBenchOptions *options); // bench_safe.c
int app_bench_lj(void);                             // bench_balls.c
int app_bench_balls(void);                          // bench_balls.c
int app_bench_audio(void);                          // bench_audio.c
int app_bench_wires(void);                          // bench_wires.c
int app_bench_agents(void);                         // bench_agents.c
int app_bench_gjk(void);                            // bench_peers.c
int app_bench_spheres(void);                        // bench_spheres.c

// Runs a program of other libraries' measurements, which stands beside the command, with its output into ours; `rate`
// receives the number after the last "rate=" of its output where it is not NULL. Says so and fails when the program is
// not there.
int app_bench_run_peer(const char *name, const char *needs, double *rate);

// What a program that is given a file (NULL: none) prints of itself, as "name=number" on any of its lines.
typedef struct AppPeerResult {
    double rate, steps, height;
    char no_room[128]; // after "no room: ": why this library cannot hold what it was given
} AppPeerResult;
int app_bench_ask_peer(const char *name, const char *needs, const char *file, AppPeerResult *result);

#endif
