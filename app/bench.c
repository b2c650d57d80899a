// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench: measures, beside somebody else's figures, and closes with one line: NAME ratio=R basis=B. R above 1
// means that we are faster.
//
// fem: milliseconds per step of scenes of SOFA's, beside what SOFA publishes for them (its performance tests, on an
// i7-4790K, one thread; see docs/performance.md). The scenes are not part of this project: they are looked for in
// --data, and a scene that is not there fails the benchmark.
// safe: a knot under safe contact and without; see bench_safe.c.

#include "bench.h"
#include "commands.h"

#include <stdio.h>
#include <string.h>

static int bench(int argc, char **argv);

static const AppOption options[] = {
    {.name = "data",
     .kind = APP_TEXT,
     .value = "FOLDER",
     .offset = offsetof(AppBenchOptions, data),
     .doc = "Where SOFA's examples/ and share/ are; ../shared/sofa by default."},
    {.name = "threads",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(AppBenchOptions, threads),
     .doc = "How many threads; 1 by default.",
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
    .arguments = "NAME",
    .summary = "measures speed beside others' figures: fem, safe",
    .text = "Runs a benchmark, prints a table, and closes with the line NAME ratio=R "
            "basis=measured|published: R above 1 "
            "means faster than the other. There are: fem (finite elements, beside SOFA), safe (contact that "
            "cannot "
            "fail, beside its document's figures).",
    .examples =
        "  tactus bench fem                         finite elements, beside SOFA's published figures\n"
        "  tactus bench fem --data ~/sofa           with SOFA's scenes from elsewhere\n"
        "  tactus bench safe --time 0.2             a knot pulled for a fifth of a second",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 1,
    .most = 1,
    .run = bench,
};

// SOFA's published milliseconds per step.
typedef struct Row {
    const char *name, *scene;
    double theirs; // ms
} Row;

static const Row rows[] = {
    {"FEMBAR, conjugate gradients", "Component/LinearSolver/Iterative/FEMBAR_CGLinearSolver.scn", 3.47},
    {"FEMBAR, direct", "Component/LinearSolver/Direct/FEMBAR_SparseLDLSolver.scn", 2.50},
    {"MatrixAssembly, matrix-free", "Benchmark/Performance/MatrixAssembly/MatrixAssembly_matrixfreeCG.scn",
     6.02},
    {"TetrahedronFEM, four beams", "Component/SolidMechanics/FEM/TetrahedronFEMForceField.scn", 6.0},
    {"HexahedronFEM", "Component/SolidMechanics/FEM/HexahedronFEMForceField.scn", 1.47},
    {"liver", "Demos/liver.scn", 1.21},
};

// Milliseconds of one step: the fastest of several groups, because others use the machine too.
static int measure(const Row *row, const AppBenchOptions *o, double *ms) {
    enum { WARM = 20, GROUPS = 5, STEPS = 40 };
    char path[4096];
    snprintf(path, sizeof path, "%s/examples/%s", o->data, row->scene);
    AppSceneOptions none = {0};
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacError error;
    int code = app_read_scene(&scene, path, &none, NULL, false);
    TacWorldDef def = tac_world_def_default();
    def.threads = (int)o->threads;
    if (code == 0) code = app_create_world(&world, scene, &def, true, &error);
    TacStatus status = code == 0 ? tac_world_advance_beats(world, WARM, &error) : TAC_OK;
    *ms = 0;
    for (int g = 0; code == 0 && status == TAC_OK && g < GROUPS; g++) {
        double start = app_seconds();
        status = tac_world_advance_beats(world, STEPS, &error);
        double each = 1e3 * (app_seconds() - start) / STEPS;
        if (g == 0 || each < *ms) *ms = each;
    }
    if (status != TAC_OK) code = app_report(&error);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return code;
}

static int run_fem(const AppBenchOptions *o) {
    double worst = 0;
    printf("%-32s %10s %10s %8s\n", "scene", "ours, ms", "SOFA, ms", "ratio");
    for (size_t i = 0; i < APP_COUNT(rows); i++) {
        double ms;
        int code = measure(&rows[i], o, &ms);
        if (code != 0) return code;
        double ratio = rows[i].theirs / ms;
        printf("%-32s %10.3f %10.2f %8.1f\n", rows[i].name, ms, rows[i].theirs, ratio);
        fflush(stdout);
        if (i == 0 || ratio < worst) worst = ratio;
    }
    printf("fem ratio=%.2f basis=published\n", worst);
    return app_finish_output(0);
}

static int bench(int argc, char **argv) {
    AppBenchOptions o = {.data = "../shared/sofa", .threads = 1, .time = 2, .cells = 12};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_bench_command, argc, argv, &o, &arguments);
    int code = app_parsed_code(parsed);
    if (parsed == APP_PARSED) {
        const char *name = arguments.items[0];
        code = !strcmp(name, "fem") ? run_fem(&o)
               : !strcmp(name, "safe")
                   ? app_bench_safe(&o)
                   : app_bad_usage("bench", "there is no benchmark \"%.40s\"; there are: fem, safe", name);
    }
    app_texts_free(&arguments);
    app_free_values(&app_bench_command, &o);
    return code;
}
