// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench spheres: sphere-steps per second of spheres that fall on fixed bricks, beside Bullet, ODE and MuJoCo on
// the same scene with the same step. Measured over a second in which the pile settles, after one in which it falls.
//
// The scene, which the programs in bench/peers repeat: spheres of 0.1 m radius and 1 kg in layers of a square grid 0.22 m
// apart, every other layer shifted, above one layer of bricks (0.6 x 0.2 x 0.6 m, 0.8 m apart) on a plane.

#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FALL = 600, MEASURED = 400 }; // steps of 1 ms

static char *scene_of(int count) {
    size_t size = 4096 + 96 * (size_t)count;
    char *text = malloc(size);
    if (!text) return NULL;
    int side = (int)ceil(sqrt(count / 10.0));
    double half = 0.11 * side;
    size_t n = (size_t)snprintf(
        text, size,
        "<tactus version='1' dt='0.001'><ContactMaterial name='m' friction='0.5' stiffness='4e5'/>"
        "<node name='ground'><Frames/><Shape shape='half_space' material='@/m'/></node><node "
        "name='bricks'><Frames positions='");
    int bricks = (int)(2 * half / 0.8) + 1;
    char *grown = realloc(text, size += 64 * (size_t)(bricks * bricks));
    if (!grown) {
        free(text);
        return NULL;
    }
    text = grown;
    for (int i = 0; i < bricks * bricks; i++)
        n += (size_t)snprintf(text + n, size - n, "%g 0.4 %g 0 0 0 1 ", 0.8 * (i % bricks) - half,
                              0.8 * (i / bricks) - half);
    n += (size_t)snprintf(
        text + n, size - n,
        "'/><Shape size='0.6 0.2 0.6' material='@/m'/></node><node name='spheres'><SymplecticEuler/>"
        "<Frames positions='");
    for (int i = 0; i < count; i++) {
        int layer = i / (side * side), k = i % (side * side);
        double shift = layer % 2 ? 0.05 : 0;
        n += (size_t)snprintf(text + n, size - n, "%.6g %.6g %.6g 0 0 0 1 ", 0.22 * (k % side) - half + shift,
                              0.8 + 0.22 * layer, 0.22 * (k / side) - half + 0.5 * shift);
    }
    snprintf(text + n, size - n,
             "'/><UniformMass mass='1' inertia='4e-3 4e-3 4e-3'/><Balls radius='0.1' "
             "material='@/m'/></node></tactus>");
    return text;
}

static int measure(int count, double *rate) {
    char *text = scene_of(count);
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacError error;
    TacWorldDef def = tac_world_def_default();
    if (!text) return app_out_of_memory();
    size_t length = 0;
    while (text[length]) length++;
    TacStatus status = tac_scene_create(&scene, &error);
    if (status == TAC_OK) status = tac_scene_parse(scene, "spheres.tac", text, length, &error);
    if (status == TAC_OK) status = tac_world_create(&world, scene, &def, &error);
    if (status == TAC_OK) status = tac_world_advance_beats(world, FALL, &error);
    double start = app_seconds();
    if (status == TAC_OK) status = tac_world_advance_beats(world, MEASURED, &error);
    *rate = (double)count * MEASURED / (app_seconds() - start);
    int code = status == TAC_OK ? 0 : app_report(&error);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    free(text);
    return code;
}

static void add_row(AppBench *bench, const char *scene, double ours, double theirs, const char *other) {
    AppBenchRow row = {.unit = "sphere-steps/s", .ours = ours, .theirs = theirs, .threads = 1};
    snprintf(row.scene, sizeof row.scene, "%s", scene);
    snprintf(row.other, sizeof row.other, "%s", other);
    app_bench_add(bench, row);
}

int app_bench_spheres(AppBench *bench) {
    static const struct {
        const char *program, *name, *needs;
    } peers[] = {{"spheres_ode", "ODE", "libode-dev"},
                 {"spheres_bullet", "Bullet", "libbullet-dev"},
                 {"spheres_mujoco", "MuJoCo", "libmujoco-dev"}};
    double small, large, fastest = 0;
    int code = measure(1000, &small);
    if (code == 0) code = measure(10000, &large);
    if (code != 0) return code;
    add_row(bench, "1,000 spheres on bricks", small, 0, "");
    for (size_t i = 0; i < APP_COUNT(peers); i++) {
        double rate = 0;
        int missing = app_bench_run_peer(peers[i].program, peers[i].needs, &rate);
        if (missing) code = missing;
        if (!missing) add_row(bench, "10,000 spheres on bricks", large, rate, peers[i].name);
        fastest = fmax(fastest, rate);
    }
    if (code != 0 || !(fastest > 0)) return 1;
    return app_bench_close(bench, large / fastest, "measured");
}
