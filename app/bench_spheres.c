// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus bench spheres: sphere-steps per second of spheres that fall on fixed bricks, beside Bullet, ODE and MuJoCo on
// the same scene with the same step. The spheres fall for 0.6 s here; from there everybody goes on, through 0.4 s in
// which the pile settles (or as much of it as a slow library does in some seconds). Peers run on one thread, and so do
// we for the ratio, in seconds of the processor; what more threads give, by the clock on the wall, stands beside it.
//
// The scene, which bench/peers/spheres_scene.h repeats: spheres of 0.1 m radius and 1 kg in layers of a square grid
// 0.22 m apart, every other layer shifted, above one layer of bricks (0.6 x 0.2 x 0.6 m, 0.8 m apart) on a plane.

#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FALL = 600, MEASURED = 400 }; // steps of 1 ms

// With walls the pile cannot run apart: so many contacts of each sphere, however many there are.
static char *scene_of(int count, bool walls) {
    size_t size = 4096 + 96 * (size_t)count;
    char *text = malloc(size);
    if (!text) return NULL;
    int side = (int)ceil(sqrt(count / 10.0));
    double half = 0.11 * side;
    size_t n = (size_t)snprintf(
        text, size,
        "<tactus version='1' dt='0.001'><ContactMaterial name='m' friction='0.5' stiffness='4e5'/>"
        "<node name='ground'><Frames/><Shape shape='half_space' material='@/m'/></node>");
    static const char *const turns[] = {"0 0 90", "0 0 -90", "-90 0 0", "90 0 0"};
    for (int i = 0; walls && i < 4; i++) {
        double out = (i % 2 ? -1 : 1) * (half + 0.1);
        n += (size_t)snprintf(text + n, size - n,
                              "<node name='wall%d'><Frames rotation='%s' translation='%g 0 %g'/>"
                              "<Shape shape='half_space' material='@/m'/></node>",
                              i, turns[i], i < 2 ? out : 0, i < 2 ? 0 : out);
    }
    n += (size_t)snprintf(text + n, size - n, "<node name='bricks'><Frames positions='");
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

typedef struct Result {
    double rate;     // sphere-steps per second
    double height;   // of the spheres at the end, on average, m
    double contacts; // then, for each sphere
} Result;

typedef struct Run {
    int count, threads;
    FILE *state; // where to write how things stand after the fall; NULL: nowhere
    bool walls;
} Run;

// A line for each sphere: place, velocity, angular velocity.
static int write_state(TacWorld *world, TacComponentId spheres, FILE *to) {
    size_t n = tac_world_point_count(world, spheres);
    const double *x = tac_world_positions(world, spheres), *v = tac_world_velocities(world, spheres);
    if (!x || !v) return app_out_of_memory();
    fprintf(to, "%zu\n", n);
    for (size_t i = 0; i < n; i++, x += 7, v += 6)
        fprintf(to, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", x[0], x[1], x[2], v[0], v[1],
                v[2], v[3], v[4], v[5]);
    if (fflush(to) == 0 && !ferror(to)) return 0;
    fprintf(stderr, "the state of the spheres cannot be written\n");
    return 1;
}

static double mean_height(TacWorld *world, TacComponentId spheres) {
    size_t n = tac_world_point_count(world, spheres);
    const double *x = tac_world_positions(world, spheres);
    double sum = 0;
    for (size_t i = 0; x && i < n; i++) sum += x[7 * i + 1];
    return n ? sum / (double)n : 0;
}

static int measure(const Run *run, Result *result) {
    char *text = scene_of(run->count, run->walls);
    TacScene *scene = NULL;
    TacWorld *world = NULL;
    TacError error;
    TacWorldDef def = tac_world_def_default();
    int code = 0;
    if (!text) return app_out_of_memory();
    def.threads = run->threads;
    TacStatus status = tac_scene_create(&scene, &error);
    if (status == TAC_OK) status = tac_scene_parse(scene, "spheres.tac", text, strlen(text), &error);
    if (status == TAC_OK) status = tac_world_create(&world, scene, &def, &error);
    if (status == TAC_OK) status = tac_world_advance_beats(world, FALL, &error);
    if (status == TAC_OK) {
        TacComponentId spheres = tac_world_matter(world, tac_world_matter_count(world) - 1);
        if (run->state) code = write_state(world, spheres, run->state);
        double start = app_bench_seconds(run->threads);
        if (code == 0) status = tac_world_advance_beats(world, MEASURED, &error);
        result->rate = (double)run->count * MEASURED / (app_bench_seconds(run->threads) - start);
        if (status == TAC_OK) {
            result->height = mean_height(world, spheres);
            result->contacts = (double)tac_world_contact_count(world) / run->count;
        }
    }
    if (status != TAC_OK) code = app_report(&error);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    free(text);
    return code;
}

static const struct {
    const char *program, *name, *needs;
} peers[] = {{"spheres_ode", "ODE", "libode-dev"},
             {"spheres_bullet", "Bullet", "libbullet-dev"},
             {"spheres_mujoco", "MuJoCo", "libmujoco-dev"}};

static void print_row(const char *name, int count, const Result *result) {
    printf("%-20s %7d %14.0f %12.4f", name, count, result->rate, result->height);
    if (result->contacts > 0) printf("   %.2f contacts of each", result->contacts);
    printf("\n");
}

static void add_row(AppBench *bench, int count, double ours, double theirs, const char *other) {
    AppBenchRow row = {.unit = "sphere-steps/s", .ours = ours, .theirs = theirs, .threads = 1};
    snprintf(row.scene, sizeof row.scene, "%s spheres on bricks", app_count((uint64_t)count).text);
    snprintf(row.other, sizeof row.other, "%s", other);
    app_bench_add(bench, row);
}

// What others make of the state in a file. A missing peer fails, after all have been asked.
static int ask_peers(AppBench *bench, const char *path, int count, double ours, double *fastest) {
    int code = 0;
    for (size_t i = 0; i < APP_COUNT(peers); i++) {
        AppPeerResult result = {.rate = 0};
        int missing = app_bench_ask_peer(peers[i].program, peers[i].needs, path, &result);
        if (missing) {
            code = missing;
        } else if (result.no_room[0]) {
            printf("%-20s %7d %14s %12s   no room: %s\n", peers[i].name, count, "-", "-", result.no_room);
        } else {
            printf("%-20s %7d %14.0f %12.4f   %3.0f steps; we are %.1f times as fast\n", peers[i].name, count,
                   result.rate, result.height, result.steps, ours / result.rate);
            add_row(bench, count, ours, result.rate, peers[i].name);
        }
        *fastest = fmax(*fastest, result.rate);
    }
    return code;
}

// Everybody with so many spheres: ours on one thread, and the fastest of the others.
static int compare(AppBench *bench, int count, double *ours, double *fastest) {
    char path[] = "/tmp/tactus-spheres-XXXXXX";
    int file = mkstemp(path);
    FILE *state = file >= 0 ? fdopen(file, "w") : NULL;
    if (!state) {
        fprintf(stderr, "%s cannot be written\n", path);
        if (file >= 0) close(file);
        return 1;
    }
    Result one = {0, 0, 0}, many = {0, 0, 0};
    Run alone = {count, 1, state, false}, team = {count, 0, NULL, false};
    int code = measure(&alone, &one);
    fclose(state);
    if (code == 0) code = measure(&team, &many);
    if (code == 0) {
        print_row("Tactus", count, &one);
        print_row("Tactus, all threads", count, &many);
        code = ask_peers(bench, path, count, one.rate, fastest);
    }
    *ours = one.rate;
    remove(path);
    return code;
}

// How the cost of a sphere grows with their number, at equal density: between walls.
static int grow(void) {
    static const int counts[] = {1000, 10000, 40000};
    double base = 0, contacts = 0;
    for (size_t i = 0; i < APP_COUNT(counts); i++) {
        Result result = {0, 0, 0};
        Run run = {counts[i], 1, NULL, true};
        int code = measure(&run, &result);
        if (code) return code;
        print_row("Tactus, walled in", run.count, &result);
        if (i > 0)
            printf("    a sphere costs %.2f times what it costs among a thousand, with %.2f times the "
                   "contacts\n",
                   base / result.rate, result.contacts / contacts);
        if (i > 0) continue;
        base = result.rate;
        contacts = result.contacts;
    }
    return 0;
}

int app_bench_spheres(AppBench *bench) {
    double small = 0, large = 0, small_peer = 0, large_peer = 0;
    printf("%-20s %7s %14s %12s\n", "", "spheres", "sphere-steps/s", "height (m)");
    int code = compare(bench, 1000, &small, &small_peer), other = compare(bench, 10000, &large, &large_peer);
    if (code == 0) code = other;
    if (code == 0) code = grow();
    if (code != 0 || !(large_peer > 0)) return code ? code : 1;
    return app_bench_close(bench, large / large_peer, "measured");
}
