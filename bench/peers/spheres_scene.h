// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The scene of `tactus bench spheres`, for the programs that run it with other libraries: spheres of 0.1 m radius and
// 1 kg in layers of a square grid above fixed bricks on a plane. app/bench_spheres.c describes the same. C and C++.

#ifndef TACTUS_BENCH_SPHERES_SCENE_H
#define TACTUS_BENCH_SPHERES_SCENE_H

#include <math.h>

enum { SPHERES = 10000, FALL_STEPS = 600, MEASURED_STEPS = 400 };

#define SPHERE_RADIUS  0.1
#define SCENE_STEP     0.001
#define SCENE_FRICTION 0.5

static inline int scene_side(void) {
    return (int)ceil(sqrt(SPHERES / 10.0));
}

static inline double scene_half(void) {
    return 0.11 * scene_side();
}

static inline void scene_sphere(int i, double at[3]) {
    int side = scene_side(), layer = i / (side * side), k = i % (side * side);
    double shift = layer % 2 ? 0.05 : 0;
    at[0] = 0.22 * (k % side) - scene_half() + shift;
    at[1] = 0.8 + 0.22 * layer;
    at[2] = 0.22 * (k / side) - scene_half() + 0.5 * shift;
}

// Bricks of 0.6 x 0.2 x 0.6 m.
static inline int scene_bricks(void) {
    int row = (int)(2 * scene_half() / 0.8) + 1;
    return row * row;
}

static inline void scene_brick(int i, double at[3]) {
    int row = (int)(2 * scene_half() / 0.8) + 1;
    at[0] = 0.8 * (i % row) - scene_half();
    at[1] = 0.4;
    at[2] = 0.8 * (i / row) - scene_half();
}

#endif
