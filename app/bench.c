// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench: measures, beside somebody else's figures, and closes with one line: NAME ratio=R basis=B. R above 1
// means that we are faster. Each benchmark has a file of its own (bench.h); without a name, all of them run, and their
// rows become a page.

#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bench(int argc, char **argv);

static const AppOption options[] = {
    {.name = "data",
     .kind = APP_TEXT,
     .value = "FOLDER",
     .offset = offsetof(AppBenchOptions, data),
     .doc = "Where SOFA's examples/ and share/ are, for fem; ../shared/sofa by default."},
    {.name = "output",
     .letter = 'o',
     .kind = APP_TEXT,
     .value = "FILE",
     .offset = offsetof(AppBenchOptions, output),
     .doc = "Writes a page of what was measured. Without a NAME there always is one: docs/benchmarks.md in a "
            "source "
            "tree, else benchmarks.md."},
    {.name = "quick",
     .kind = APP_FLAG,
     .offset = offsetof(AppBenchOptions, quick),
     .doc = "Shorter runs and coarser figures; the page says so."},
    {.name = "threads",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(AppBenchOptions, threads),
     .doc = "How many threads, for fem and safe; 1 by default.",
     .least = 1,
     .most = 256},
    {.name = "time",
     .kind = APP_REAL,
     .value = "S",
     .offset = offsetof(AppBenchOptions, time),
     .doc = "Simulated seconds of safe; 2 by default."},
    {.name = "cells",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(AppBenchOptions, cells),
     .doc = "Cells across the ribbons of safe; 13 by default: 10,000 points.",
     .least = 1,
     .most = 100},
};

const AppCommand app_bench_command = {
    .name = "bench",
    .arguments = "[NAME]",
    .summary = "measures speed beside others",
    .text =
        "Runs a benchmark: prints a table (scene, ours, the other's figure, ratio, threads) and closes with "
        "the "
        "line NAME ratio=R basis=measured|published: R above 1 means faster than the other. Without a name "
        "all "
        "of them run, and one table of all goes to a page with the date, the machine and versions. fem: "
        "finite "
        "elements, beside SOFA's published figures. lj, balls: 32,000 Lennard-Jones atoms with a cut-off of "
        "2.5 "
        "or 1.12, beside LAMMPS in the same run. audio: masses and links in real time at 44.1 kHz. wires: "
        "adaptive resolution, beside full resolution at a twentieth of the step. agents: delays of the loose "
        "scheduler, beside the document's. gjk: convex shapes, beside libccd and FCL. spheres: a pile of "
        "spheres, beside Bullet, ODE and MuJoCo. safe: a knot and a compactor under safe contact, beside "
        "published "
        "figures. A benchmark whose peer is not installed says so and fails.",
    .examples =
        "  tactus bench fem                         finite elements, beside SOFA's published figures\n"
        "  tactus bench lj                          atoms, beside LAMMPS (Debian's package lammps)\n"
        "  tactus bench                             all of them, into docs/benchmarks.md; some minutes\n"
        "  tactus bench --quick -o /tmp/first.md    a first look\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 0,
    .most = 1,
    .run = bench,
};

typedef struct Benchmark {
    const char *name;
    int (*run)(AppBench *bench);
} Benchmark;

static const Benchmark benchmarks[] = {
    {"fem", app_bench_fem},     {"lj", app_bench_lj},           {"balls", app_bench_balls},
    {"audio", app_bench_audio}, {"wires", app_bench_wires},     {"agents", app_bench_agents},
    {"gjk", app_bench_gjk},     {"spheres", app_bench_spheres}, {"safe", app_bench_safe},
};

void app_print_bench_names(void) {
    for (size_t i = 0; i < APP_COUNT(benchmarks); i++) printf("%s%s", i ? " " : "", benchmarks[i].name);
}

static int run_one(const Benchmark *b, AppBench *bench) {
    AppBenchResult *result = &bench->results[bench->result_count++];
    *result = (AppBenchResult){.name = b->name, .basis = ""};
    return result->code = b->run(bench);
}

// The first failure counts, but all have their turn; then one table.
static int run_all(AppBench *bench) {
    _Static_assert(APP_COUNT(benchmarks) <= APP_BENCH_RESULTS, "every benchmark has a result");
    int first = APP_DONE;
    for (size_t i = 0; i < APP_COUNT(benchmarks); i++) {
        int code = run_one(&benchmarks[i], bench);
        putchar('\n');
        fflush(stdout);
        if (first == APP_DONE) first = code;
    }
    app_bench_put_table(bench);
    return first;
}

static int run_named(const char *name, AppBench *bench) {
    char list[256] = "";
    for (size_t i = 0; i < APP_COUNT(benchmarks); i++) {
        if (strcmp(name, benchmarks[i].name) == 0) return run_one(&benchmarks[i], bench);
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", benchmarks[i].name);
    }
    return app_bad_usage("bench", "there is no benchmark \"%.40s\"; there are: %s", name, list);
}

// What was not given; safe is the slow one.
static void set_defaults(AppBenchOptions *o, bool all) {
    if (!(o->time > 0)) o->time = o->quick ? 0.05 : 2;
    if (!o->cells) o->cells = o->quick ? 4 : 13;
    if (!o->output && all) o->output = app_bench_page_path();
}

static int run(AppBench *b, const AppTexts *arguments) {
    set_defaults(&b->options, !arguments->count);
    if (getloadavg(&b->load, 1) != 1) b->load = 0;
    int code = arguments->count ? run_named(arguments->items[0], b) : run_all(b);
    if (!b->options.output || code == APP_BAD_USAGE) return code;
    int written = app_bench_write_page(b, b->options.output);
    return app_finish_output(code == APP_DONE ? written : code);
}

static int bench(int argc, char **argv) {
    AppBench b = {.options = {.data = "../shared/sofa", .threads = 1}};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_bench_command, argc, argv, &b.options, &arguments);
    int code = parsed == APP_PARSED ? run(&b, &arguments) : app_parsed_code(parsed);
    app_texts_free(&arguments);
    app_free_values(&app_bench_command, &b.options);
    return code;
}
