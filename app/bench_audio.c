// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench audio: how many CORDIS-ANIMA modules (masses and links) run in real time at 44.1 kHz on one core, with
// one of them heard at every sample. A string in one dimension; a square net in three.
//
// The requirement behind the ratio: published tools of mass-interaction sound stop near 1,800 modules. The page of the
// benchmarks says what could be found in print.

#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RATE = 44100, PUBLISHED = 1800, WARM = 100, GROUPS = 60, QUICK_GROUPS = 15, SAMPLES = 40 };

typedef struct Network {
    const char *name;
    const char *scene; // with a %d for its size
    size_t (*modules)(int size);
    bool compared;
} Network;

static size_t string_modules(int size) {
    return 2 * (size_t)size + 1; // points, and links between neighbours
}

static size_t net_modules(int size) {
    size_t n = (size_t)size;
    return (n + 1) * (n + 1) + 2 * n * (n + 1);
}

static const Network networks[] = {
    {"string, 1D",
     "<tactus version='1' dt='2.2675736961451248e-05' gravity='0 0 0'><SymplecticEuler/><Line "
     "divisions='%d'/>"
     "<Points dimension='1'/><UniformMass mass='1e-3'/><Springs stiffness='1e5' damping='1e-3' lengths='0'/>"
     "<FixedPoints points='0'/><Listen point='5' direction='1 0 0'/></tactus>",
     string_modules, false},
    {"net, 3D",
     "<tactus version='1' dt='2.2675736961451248e-05' gravity='0 0 0'><SymplecticEuler/>"
     "<Grid counts='%d %d 1'/><Points velocities='0 0 1'/><UniformMass mass='1e-3'/>"
     "<Springs stiffness='1e5' damping='1e-3'/><FixedPoints points='0'/>"
     "<Listen point='5' direction='0 0 1'/></tactus>",
     net_modules, true},
};

static int make(const Network *network, int size, TacScene **scene, TacWorld **world) {
    char text[1024];
    TacError error;
    bool flat = strstr(network->scene, "%d %d") != NULL;
    snprintf(text, sizeof text, network->scene, flat ? size + 1 : size, size + 1);
    TacWorldDef def = tac_world_def_default();
    *scene = NULL;
    *world = NULL;
    if (tac_scene_create(scene, &error) != TAC_OK ||
        tac_scene_parse(*scene, network->name, text, strlen(text), &error) != TAC_OK ||
        tac_world_create(world, *scene, &def, &error) != TAC_OK)
        return app_report(&error);
    return APP_DONE;
}

static TacStatus play(TacWorld *world, int64_t samples, double *sum, TacError *error) {
    for (int64_t i = 0; i < samples; i++) {
        double heard;
        TacStatus status = tac_world_advance_beats(world, 1, error);
        if (status != TAC_OK) return status;
        tac_world_listen(world, &heard);
        *sum += heard;
    }
    return TAC_OK;
}

// Seconds for one sample: the fastest of several groups, because others use the machine too.
static int measure(const Network *network, int size, int groups, double *seconds) {
    TacScene *scene;
    TacWorld *world;
    TacError error;
    double sum = 0;
    int code = make(network, size, &scene, &world);
    TacStatus status = code == APP_DONE ? play(world, WARM, &sum, &error) : TAC_OK;
    *seconds = INFINITY;
    for (int g = 0; code == APP_DONE && status == TAC_OK && g < groups; g++) {
        double start = app_bench_seconds(1);
        status = play(world, SAMPLES, &sum, &error);
        *seconds = fmin(*seconds, (app_bench_seconds(1) - start) / SAMPLES);
    }
    if (status != TAC_OK) code = app_report(&error);
    if (code == APP_DONE && !isfinite(sum)) code = APP_FAILED;
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return code;
}

// The largest network that keeps up, by halving the interval of sizes.
static int largest(const Network *network, int groups, size_t *modules, double *seconds) {
    int low = 4, high = 1;
    while (network->modules(high) < 400000) high *= 2;
    *modules = 0;
    while (high - low > low / 50 + 1) {
        int middle = low + (high - low) / 2;
        double each;
        int code = measure(network, middle, groups, &each);
        if (code != APP_DONE) return code;
        if (each <= 1.0 / RATE) {
            low = middle;
            *modules = network->modules(low);
            *seconds = each;
        } else {
            high = middle;
        }
    }
    return APP_DONE;
}

int app_bench_audio(AppBench *bench) {
    size_t modules = 0;
    int groups = bench->options.quick ? QUICK_GROUPS : GROUPS;
    for (size_t i = 0; i < APP_COUNT(networks); i++) {
        double seconds = 0;
        int code = largest(&networks[i], groups, &modules, &seconds);
        if (code != APP_DONE) return code;
        AppBenchRow row = {.unit = "modules at 44.1 kHz", .ours = (double)modules, .threads = 1};
        snprintf(row.scene, sizeof row.scene, "%s", networks[i].name);
        if (networks[i].compared) {
            row.theirs = PUBLISHED;
            snprintf(row.other, sizeof row.other, "tools, required figure");
        }
        app_bench_add(bench, row);
    }
    return app_bench_close(bench, (double)modules / PUBLISHED, "published");
}
