// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench: measures, beside somebody else's figures, and closes with one line: NAME ratio=R basis=B. R above 1
// means that we are faster. Each benchmark has a file of its own (bench.h); without a name, all of them run.

#include "bench.h"

#include <stdio.h>
#include <string.h>

static int bench(int argc, char **argv);

static const AppOption options[] = {
    {.name = "data",
     .kind = APP_TEXT,
     .value = "FOLDER",
     .offset = offsetof(AppBenchOptions, data),
     .doc = "Where SOFA's examples/ and share/ are, for fem; ../shared/sofa by default."},
    {.name = "threads",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(AppBenchOptions, threads),
     .doc = "How many threads, for fem; 1 by default.",
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
     .doc = "Cells across the ribbons of safe; 12 by default: 10,000 points.",
     .least = 1,
     .most = 100},
};

const AppCommand app_bench_command = {
    .name = "bench",
    .arguments = "[NAME]",
    .summary = "measures speed beside others",
    .text = "Runs a benchmark, or all of them; each prints a table and closes with the line NAME ratio=R "
            "basis=measured|published: R above 1 means faster than the other. fem: finite elements, beside "
            "SOFA's "
            "published figures. lj, balls: 32,000 Lennard-Jones atoms with a cut-off of 2.5 or 1.12, beside "
            "LAMMPS "
            "in the same run. audio: masses and links in real time at 44.1 kHz. wires: adaptive resolution, "
            "beside "
            "full resolution at a twentieth of the step. agents: delays of the loose scheduler, beside the "
            "document's. gjk: "
            "convex shapes, beside libccd and FCL. spheres: a pile of spheres, beside Bullet, ODE and "
            "MuJoCo. safe: a knot under safe contact, beside its document's figures. A benchmark whose peer "
            "is not installed says so and "
            "fails.",
    .examples =
        "  tactus bench fem                         finite elements, beside SOFA's published figures\n"
        "  tactus bench fem --data ~/sofa           with SOFA's scenes from elsewhere\n"
        "  tactus bench lj                          atoms, beside LAMMPS (Debian's package lammps)\n"
        "  tactus bench                             all of them\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 0,
    .most = 1,
    .run = bench,
};

// One of the two.
typedef struct Benchmark {
    const char *name;
    int (*run)(void);
    int (*run_with)(const AppBenchOptions *options);
} Benchmark;

static const Benchmark benchmarks[] = {
    {"fem", NULL, app_bench_fem},     {"lj", app_bench_lj, NULL},
    {"balls", app_bench_balls, NULL}, {"audio", app_bench_audio, NULL},
    {"wires", app_bench_wires, NULL}, {"agents", app_bench_agents, NULL},
    {"gjk", app_bench_gjk, NULL},     {"spheres", app_bench_spheres, NULL},
    {"safe", NULL, app_bench_safe},
};

static int run_one(const Benchmark *b, const AppBenchOptions *o) {
    return b->run_with ? b->run_with(o) : b->run();
}

// The first failure counts, but all have their turn.
static int run_all(const AppBenchOptions *o) {
    int first = APP_DONE;
    for (size_t i = 0; i < APP_COUNT(benchmarks); i++) {
        int code = run_one(&benchmarks[i], o);
        putchar('\n');
        if (first == APP_DONE) first = code;
    }
    return first;
}

static int run_named(const char *name, const AppBenchOptions *o) {
    char list[256] = "";
    for (size_t i = 0; i < APP_COUNT(benchmarks); i++) {
        if (strcmp(name, benchmarks[i].name) == 0) return run_one(&benchmarks[i], o);
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", benchmarks[i].name);
    }
    return app_bad_usage("bench", "there is no benchmark \"%.40s\"; there are: %s", name, list);
}

static int bench(int argc, char **argv) {
    AppBenchOptions o = {.data = "../shared/sofa", .threads = 1, .time = 2, .cells = 12};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_bench_command, argc, argv, &o, &arguments);
    int code = app_parsed_code(parsed);
    if (parsed == APP_PARSED) code = arguments.count ? run_named(arguments.items[0], &o) : run_all(&o);
    app_texts_free(&arguments);
    app_free_values(&app_bench_command, &o);
    return code;
}
