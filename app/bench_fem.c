// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench fem: milliseconds per step of scenes of SOFA's, beside what SOFA publishes for them (its performance
// tests, on an i7-4790K, one thread; the page of the benchmarks names the source). The scenes are not part of this project: they are
// looked for in --data, and a scene that is not there fails the benchmark.

#include "bench.h"

#include <stdio.h>

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

// Milliseconds of one step: the fastest of several groups.
static int measure(const Row *row, const AppBenchOptions *o, double *ms) {
    enum { WARM = 20, GROUPS = 5, QUICK_GROUPS = 2, STEPS = 40 };
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
    for (int g = 0; code == 0 && status == TAC_OK && g < (o->quick ? QUICK_GROUPS : GROUPS); g++) {
        double start = app_bench_seconds(def.threads);
        status = tac_world_advance_beats(world, STEPS, &error);
        double each = 1e3 * (app_bench_seconds(def.threads) - start) / STEPS;
        if (g == 0 || each < *ms) *ms = each;
    }
    if (status != TAC_OK) code = app_report(&error);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return code;
}

int app_bench_fem(AppBench *bench) {
    const AppBenchOptions *o = &bench->options;
    double worst = 0;
    for (size_t i = 0; i < APP_COUNT(rows); i++) {
        double ms;
        int code = measure(&rows[i], o, &ms);
        if (code != 0) return code;
        double ratio = rows[i].theirs / ms;
        AppBenchRow row = {.unit = "ms a step",
                           .less = true,
                           .ours = ms,
                           .theirs = rows[i].theirs,
                           .other = "SOFA, published",
                           .threads = (int)o->threads};
        snprintf(row.scene, sizeof row.scene, "%s", rows[i].name);
        app_bench_add(bench, row);
        if (i == 0 || ratio < worst) worst = ratio;
    }
    return app_bench_close(bench, worst, "published");
}
