// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The benchmarks of `tactus bench`, each in the file that its line names.
//
// A benchmark measures, adds a row for each thing that it measured, and closes with its ratio. What is printed as a table
// and what is written to the page (docs/benchmarks.md) are both made from the rows, in bench_report.c and bench_page.c.
// A benchmark that cannot run says why and returns an exit code other than APP_DONE.

#ifndef APP_BENCH_H
#define APP_BENCH_H

#include "commands.h"

typedef struct AppBenchOptions {
    const char *data;   // where SOFA's scenes are
    const char *output; // the page; NULL: none
    int64_t threads;
    double time;   // s, of safe
    int64_t cells; // across the ribbons of safe
    bool quick;    // shorter runs, for a first look
} AppBenchOptions;

// One thing that was measured, and what stands beside it.
typedef struct AppBenchRow {
    const char *name; // of the benchmark; app_bench_add fills it in
    char scene[96];
    char unit[32]; // of both figures
    bool less;     // less is better
    double ours, theirs;
    char other[64]; // who or what `theirs` is of; empty: there is nothing to compare with
    int threads;    // of ours
} AppBenchRow;

// How one benchmark ended.
typedef struct AppBenchResult {
    const char *name;
    int code;
    double ratio;
    const char *basis; // "measured" or "published"
} AppBenchResult;

enum { APP_BENCH_ROWS = 96, APP_BENCH_RESULTS = 16 };

typedef struct AppBench {
    AppBenchOptions options;
    double load; // of the machine before the first benchmark: how many threads were at work
    AppBenchRow rows[APP_BENCH_ROWS];
    size_t row_count;
    AppBenchResult results[APP_BENCH_RESULTS]; // the last one belongs to the benchmark that runs
    size_t result_count;
} AppBench;

int app_bench_fem(AppBench *bench);     // bench_fem.c
int app_bench_safe(AppBench *bench);    // bench_safe.c
int app_bench_lj(AppBench *bench);      // bench_balls.c
int app_bench_balls(AppBench *bench);   // bench_balls.c
int app_bench_audio(AppBench *bench);   // bench_audio.c
int app_bench_wires(AppBench *bench);   // bench_wires.c
int app_bench_agents(AppBench *bench);  // bench_agents.c
int app_bench_gjk(AppBench *bench);     // bench_peers.c
int app_bench_spheres(AppBench *bench); // bench_spheres.c

// --- rows and closing lines, bench_report.c ---------------------------------------------------------------

void app_bench_add(AppBench *bench, AppBenchRow row);

// A clock for measuring: of the processor where one thread works, because others use the machine too; of the wall where
// several do.
double app_bench_seconds(int threads);

// R of a row: above 1 means that we are better. NaN where there is nothing to compare with.
double app_bench_ratio(const AppBenchRow *row);

// Prints the rows of the benchmark that runs and the line NAME ratio=R basis=B. Returns an exit code.
int app_bench_close(AppBench *bench, double ratio, const char *basis);

// One table of all rows, on standard output.
void app_bench_put_table(const AppBench *bench);

// A row's figure with three digits or, from a thousand on, with commas.
AppShort app_bench_figure(double value);

// --- the page, bench_page.c -------------------------------------------------------------------------------

// Where the page goes when nobody says so: docs/benchmarks.md in a source tree, benchmarks.md elsewhere.
const char *app_bench_page_path(void);

// Writes the page beside its place and renames it. What stands below the line APP_BENCH_BY_HAND in the page that is
// replaced is kept. Returns an exit code.
int app_bench_write_page(const AppBench *bench, const char *path);

#define APP_BENCH_BY_HAND "<!-- What follows is written by hand and kept by `tactus bench`. -->"

// --- programs of other libraries, bench_peers.c -----------------------------------------------------------

// Runs a program of other libraries' measurements, which stands beside the command, with its output into ours; `rates`
// receives the numbers after the first `count` times "rate=" of its output, and fewer of them is a failure. Says so and
// fails when the program is not there.
int app_bench_run_peer(const char *name, const char *needs, double *rates, size_t count);

// What a program that is given a file (NULL: none) prints of itself, as "name=number" on any of its lines.
typedef struct AppPeerResult {
    double rate, steps, height;
    char no_room[128]; // after "no room: ": why this library cannot hold what it was given
} AppPeerResult;
int app_bench_ask_peer(const char *name, const char *needs, const char *file, AppPeerResult *result);

#endif
