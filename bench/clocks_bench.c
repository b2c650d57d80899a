// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What asynchrony saves: a solid whose tetrahedra differ in size, each on its own clock, against the same solid
// with all of them on the finest of those clocks. Prints the classes, the time of both, and how well energy was
// kept.
//
//     clocks_bench [cells] [grading] [seconds]
//
// The solid is a box of cells x cells x cells cells whose sides shrink towards one corner by `grading` per cell.

#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tactus/tactus.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TRY(call)                                                                                            \
    if ((call) != TAC_OK) {                                                                                  \
        fprintf(stderr, "%s\n", error.message);                                                              \
        exit(1);                                                                                             \
    }

typedef struct Text {
    char *data;
    size_t length, capacity;
} Text;

static void add(Text *text, const char *more) {
    size_t n = strlen(more);
    while (text->length + n + 1 > text->capacity) {
        text->capacity = 2 * text->capacity + 4096;
        text->data = realloc(text->data, text->capacity);
        if (!text->data) exit(1);
    }
    memcpy(text->data + text->length, more, n + 1);
    text->length += n;
}

static double side(int i, double grading) {
    double sum = 0, step = 0.1;
    for (int k = 0; k < i; k++, step /= grading) sum += step;
    return sum;
}

// A graded box of tetrahedra, five to a cell, that flies and wobbles.
static Text make_scene(int n, double grading, double period) {
    Text t = {0};
    char line[256];
    add(&t, "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe'/><node name='solid'><Mesh "
            "at='");
    for (int z = 0; z <= n; z++)
        for (int y = 0; y <= n; y++)
            for (int x = 0; x <= n; x++) {
                snprintf(line, sizeof line, "%.17g %.17g %.17g ", side(x, grading), side(y, grading),
                         side(z, grading));
                add(&t, line);
            }
    add(&t, "' with_tetrahedra='");
    static const int five[2][5][4] = {{{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}},
                                      {{1, 0, 5, 3}, {2, 3, 6, 0}, {4, 5, 0, 6}, {7, 6, 3, 5}, {0, 3, 5, 6}}};
    for (int c = 0; c < n * n * n; c++)
        for (int k = 0; k < 20; k++) {
            int x = c % n, y = c / n % n, z = c / n / n, corner = five[(x + y + z) % 2][k / 4][k % 4];
            int px = x + (corner & 1), py = y + (corner >> 1 & 1), pz = z + (corner >> 2 & 1);
            snprintf(line, sizeof line, "%d ", (pz * (n + 1) + py) * (n + 1) + px);
            add(&t, line);
        }
    add(&t, "'/><Points velocities='");
    for (int i = 0; i < (n + 1) * (n + 1) * (n + 1); i++) {
        snprintf(line, sizeof line, "%.6g %.6g %.6g ", 0.1 * sin(i), 0.1 * cos(1.3 * i), 0.1 * sin(0.7 * i));
        add(&t, line);
    }
    snprintf(line, sizeof line, "'/><DiagonalMass density='1000'/><Tetrahedra young='1e5' period='%.17g'/>",
             period);
    add(&t, line);
    add(&t, "</node></tactus>");
    return t;
}

typedef struct Cost {
    double seconds, finest, drift, updates;
    size_t classes;
} Cost;

static Cost measure(int n, double grading, double period, double duration, bool print) {
    TacError error = {0};
    TacScene *scene;
    TacWorld *world;
    Text text = make_scene(n, grading, period);
    TRY(tac_scene_create(&scene, &error));
    TRY(tac_scene_parse(scene, "bench.tac", text.data, text.length, &error));
    free(text.data);
    TacWorldDef def = tac_world_def_default();
    TRY(tac_world_create(&world, scene, &def, &error));
    double before = tac_world_energy(world).total;
    double start = now();
    TRY(tac_world_advance(world, duration, &error));
    Cost cost = {.seconds = now() - start, .finest = 1};
    cost.drift = tac_world_energy(world).total / before - 1;
    TacWorldStats stats = tac_world_stats(world);
    for (size_t i = 0; i < stats.agents + stats.free_laws; i++) {
        TacAgentInfo a = tac_world_agent(world, i);
        cost.finest = fmin(cost.finest, a.step);
        cost.updates += (double)a.kicks * (double)a.parts;
        cost.classes++;
        if (print) printf("  %10.3g s  %8zu elements  %8.3f s\n", a.step, a.parts, a.seconds);
    }
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return cost;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 12;
    double grading = argc > 2 ? atof(argv[2]) : 1.35, duration = argc > 3 ? atof(argv[3]) : 0.1;
    if (n < 1 || n > 64 || !(grading >= 1) || !(duration > 0)) return 2;
    printf("%d tetrahedra, each on its own clock:\n", 5 * n * n * n);
    Cost own = measure(n, grading, 0, duration, true);
    Cost one = measure(n, grading, own.finest, duration, false);
    printf("own clocks  %8.3f s  %10.3g element updates  energy %+.1e\n", own.seconds, own.updates,
           own.drift);
    printf("one clock   %8.3f s  %10.3g element updates  energy %+.1e\n", one.seconds, one.updates,
           one.drift);
    printf("clocks ratio=%.2f basis=measured\n", one.seconds / own.seconds);
    return 0;
}
