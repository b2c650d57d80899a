// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The scene of `tactus bench spheres`, for the programs that run it with other libraries: spheres of 0.1 m radius and
// 1 kg above fixed bricks on a plane. app/bench_spheres.c describes the same, lets the spheres fall, and writes where
// each is then and how it moves; every program goes on from there, with the same step and friction, and prints how many
// sphere-steps it makes in a second. Some steps are made first, so that a library has its lists of contacts; then
// MEASURED_STEPS, or as many as fit into LONGEST seconds. C and C++.

#ifndef TACTUS_BENCH_SPHERES_SCENE_H
#define TACTUS_BENCH_SPHERES_SCENE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FIRST_STEPS = 10, MEASURED_STEPS = 400 };

#define SPHERE_RADIUS  0.1
#define SPHERE_INERTIA 4e-3
#define SCENE_STEP     0.001
#define SCENE_FRICTION 0.5
#define LONGEST        8.0

typedef struct Sphere {
    double at[3], velocity[3], turning[3];
} Sphere;

typedef struct SphereScene {
    int count;
    Sphere *spheres;
} SphereScene;

static inline double scene_half(const SphereScene *scene) {
    return 0.11 * ceil(sqrt(scene->count / 10.0));
}

static inline int scene_row(const SphereScene *scene) {
    return (int)(2 * scene_half(scene) / 0.8) + 1;
}

// Bricks of 0.6 x 0.2 x 0.6 m.
static inline int scene_bricks(const SphereScene *scene) {
    return scene_row(scene) * scene_row(scene);
}

static inline void scene_brick(const SphereScene *scene, int i, double at[3]) {
    at[0] = 0.8 * (i % scene_row(scene)) - scene_half(scene);
    at[1] = 0.4;
    at[2] = 0.8 * (i / scene_row(scene)) - scene_half(scene);
}

// Reads what the command has written; ends the program when that is not what is expected.
static inline SphereScene scene_read(int argc, char **argv) {
    SphereScene scene = {0, NULL};
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (file && fscanf(file, "%d", &scene.count) == 1 && scene.count > 0)
        scene.spheres = (Sphere *)calloc((size_t)scene.count, sizeof *scene.spheres);
    int read = 0;
    for (; scene.spheres && read < scene.count; read++) {
        Sphere *s = &scene.spheres[read];
        if (fscanf(file, "%lf %lf %lf %lf %lf %lf %lf %lf %lf", &s->at[0], &s->at[1], &s->at[2],
                   &s->velocity[0], &s->velocity[1], &s->velocity[2], &s->turning[0], &s->turning[1],
                   &s->turning[2]) != 9)
            break;
    }
    if (file) fclose(file);
    if (read == 0 || read < scene.count) {
        fprintf(stderr, "usage: %s STATE, a file that `tactus bench spheres` writes\n", argv[0]);
        exit(2);
    }
    return scene;
}

// Of the processor: what others do on this machine does not count.
static inline double scene_seconds(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

// Makes the steps and prints the rate. `height` says how high the spheres are on average, so that whoever reads the
// table sees that they did the same.
static inline void scene_measure(const SphereScene *scene, void (*step)(void *data),
                                 double (*height)(void *data), void *data) {
    for (int i = 0; i < FIRST_STEPS; i++) step(data);
    double start = scene_seconds(), seconds = 0;
    int steps = 0;
    while (steps < MEASURED_STEPS && seconds < LONGEST) {
        step(data);
        steps++;
        seconds = scene_seconds() - start;
    }
    printf("steps=%d height=%.4f rate=%.0f\n", steps, height(data), (double)scene->count * steps / seconds);
}

#endif
