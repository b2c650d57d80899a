// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What continuous collision detection and exact intersection cost: nanoseconds per question, by kind of
// answer. Prints a table; asserts nothing.

#define _GNU_SOURCE

#include "base/random.h"
#include "tactus/ccd.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS = 20000, ROUNDS = 5 };

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static TacVec3 anywhere(TacRandom *random, double reach) {
    return tac_vec3(tac_random_between(random, -reach, reach), tac_random_between(random, -reach, reach),
                    tac_random_between(random, -reach, reach));
}

// Edges or triangles of size 1 that move by `motion`, the first lifted by `gap`.
static void fill(TacCcdInput *pairs, TacCcdPair pair, double motion, double gap, double thickness) {
    TacRandom random = tac_random(5, 5);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i] = tac_ccd_default_input(pair);
        pairs[i].thickness = thickness;
        for (int k = 0; k < 4; k++) {
            bool first = k < (pair == TAC_CCD_EDGE_EDGE ? 2 : 1);
            TacVec3 x = anywhere(&random, 1), v = anywhere(&random, motion);
            x.z = first ? gap : 0;
            if (gap > 0) v.z = 0;
            pairs[i].start[k] = x;
            pairs[i].end[k] = tac_add(x, v);
        }
    }
}

static void report(const char *what, const TacCcdInput *pairs) {
    long states[4] = {0}, cells = 0;
    double start = now_ns();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < PAIRS; i++) {
            TacCcdResult result;
            states[tac_ccd(&pairs[i], &result)]++;
            cells += result.cells;
        }
    double count = (double)PAIRS * ROUNDS;
    printf("%-46s %9.0f ns  %6.2f cells  clear %5.1f %%  hit %5.1f %%  unsure %5.1f %%\n", what,
           (now_ns() - start) / count, (double)cells / count, 100 * (double)states[TAC_CCD_CLEAR] / count,
           100 * (double)states[TAC_CCD_HIT] / count, 100 * (double)states[TAC_CCD_UNSURE] / count);
}

static void bench_pairs(TacCcdInput *pairs, TacCcdPair pair, const char *name) {
    char text[80];
    static const struct {
        const char *what;
        double motion, gap, thickness;
    } kinds[] = {
        {"0.1 apart, motion 0.01", 0.01, 0.1, 0},      {"0.1 apart, motion 1", 1, 0.1, 0},
        {"1e-6 apart, tumbling by 1", 1, 1e-6, 0},     {"any, motion 1", 1, 0, 0},
        {"any, motion 1, thickness 0.01", 1, 0, 0.01},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        fill(pairs, pair, kinds[i].motion, kinds[i].gap, kinds[i].thickness);
        // "any" starts all over space, not in a plane
        TacRandom random = tac_random(6, 6);
        for (int k = 0; k < 4 * PAIRS && kinds[i].gap == 0; k++) {
            TacVec3 shift = tac_vec3(0, 0, tac_random_between(&random, -1, 1));
            TacCcdInput *in = &pairs[k / 4];
            in->start[k % 4] = tac_add(in->start[k % 4], shift);
            in->end[k % 4] = tac_add(in->end[k % 4], shift);
        }
        snprintf(text, sizeof text, "%s: %s", name, kinds[i].what);
        report(text, pairs);
    }
}

static void bench_orientation(const char *what, bool flat) {
    enum { COUNT = 200000 };
    TacRandom random = tac_random(3, 3);
    TacVec3 x[64];
    for (int i = 0; i < 64; i++) {
        x[i] = anywhere(&random, 1);
        if (flat) x[i].z = 0.1;
    }
    long sum = 0;
    double start = now_ns();
    for (int i = 0; i < COUNT; i++)
        sum += tac_orient3d(x[i & 63], x[(i >> 3) & 63], x[(i >> 6) & 63], x[(i >> 9) & 63]);
    printf("%-46s %9.0f ns  (sum %ld)\n", what, (now_ns() - start) / COUNT, sum);
}

static void bench_mesh(int subdivisions) {
    TacMesh mesh;
    TacMeeting *found;
    size_t count;
    if (tac_mesh_icosphere(&mesh, subdivisions, 1, NULL)) return;
    size_t triangles = mesh.elements[TAC_TRIANGLES].count;
    double start = now_ns();
    if (tac_mesh_intersections(&mesh, 0, &found, &count, NULL) == TAC_OK) {
        double ms = (now_ns() - start) * 1e-6;
        printf("sphere of %7zu triangles against itself %13.1f ms  %6.0f ns per triangle, %zu meetings\n",
               triangles, ms, ms * 1e6 / (double)triangles, count);
        free(found);
    }
    tac_mesh_destroy(&mesh);
}

int main(void) {
    TacCcdInput *pairs = malloc(PAIRS * sizeof *pairs);
    if (!pairs) return 1;
    bench_pairs(pairs, TAC_CCD_POINT_TRIANGLE, "point-triangle");
    bench_pairs(pairs, TAC_CCD_EDGE_EDGE, "edge-edge");
    bench_orientation("orientation: general", false);
    bench_orientation("orientation: coplanar, so exact", true);
    for (int n = 4; n <= 7; n++) bench_mesh(n);
    free(pairs);
    return 0;
}
