// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Queries per second on pairs of 32-vertex hulls (gjk_motion.h): each query with and without a cache on
// coherent motion, and on random pairs. peers/gjk_peers.cpp compares with other libraries.

#define _POSIX_C_SOURCE 200809L
#include "gjk_motion.h"
#include "tactus/convex.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { QUERIES = MOTION_PAIRS * MOTION_STEPS };

static TacConvex shapes[MOTION_HULLS];
static TacConvexPair coherent[QUERIES], scattered[QUERIES];
static TacConvexCache caches[MOTION_PAIRS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static TacPose pose(TacVec3 position, TacQuat rotation) {
    return (TacPose){position, rotation};
}

// Step by step all pairs, as a simulation would ask.
static void prepare(void) {
    TacRandom random = tac_random(1, 1);
    TacVec3 origin = {0, 0, 0}, position;
    TacQuat turn_a, turn_b;
    for (int i = 0; i < QUERIES; i++) {
        int p = i % MOTION_PAIRS, a, b;
        motion_coherent(p, i / MOTION_PAIRS, &position, &turn_a, &turn_b);
        coherent[i] =
            (TacConvexPair){&shapes[2 * p], &shapes[2 * p + 1], pose(origin, turn_a), pose(position, turn_b)};
        motion_random(&random, &a, &b, &position, &turn_a, &turn_b);
        scattered[i] = (TacConvexPair){&shapes[a], &shapes[b], pose(origin, turn_a), pose(position, turn_b)};
    }
}

enum { SEPARATION, DISTANCE, PENETRATION, CONTACTS, KINDS };

static int overlaps(int kind, const TacConvexPair *pair, TacConvexCache *cache) {
    switch (kind) {
    case SEPARATION: return tac_convex_separation(pair, cache).state == TAC_CONVEX_OVERLAPPING;
    case DISTANCE: return tac_convex_distance(pair, cache).state == TAC_CONVEX_OVERLAPPING;
    case PENETRATION: return tac_convex_penetration(pair, cache).state == TAC_CONVEX_OVERLAPPING;
    default: return tac_convex_contacts(pair, 0, cache).state == TAC_CONVEX_OVERLAPPING;
    }
}

// Millions of queries per second: the best of several rounds.
static double measure(int kind, const TacConvexPair *pairs, int cached, int *hits) {
    double best = 0;
    for (int round = 0; round < 30; round++) {
        double start = now();
        *hits = 0;
        for (int i = 0; i < QUERIES; i++)
            *hits += overlaps(kind, &pairs[i], cached ? &caches[i % MOTION_PAIRS] : NULL);
        double rate = 1e-6 * QUERIES / (now() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

int main(void) {
    static TacPolyhedron *hulls[MOTION_HULLS];
    for (int h = 0; h < MOTION_HULLS; h++) {
        double points[3 * MOTION_POINTS];
        motion_hull(h, points);
        if (tac_polyhedron_create(&hulls[h], points, MOTION_POINTS, NULL) != TAC_OK) return 1;
        shapes[h] = tac_convex_polyhedron(hulls[h]);
    }
    prepare();
    static const char *const names[KINDS] = {"separation", "distance", "penetration", "contacts"};
    printf("million queries/s        coherent, cached   coherent    random   overlapping\n");
    for (int kind = 0; kind < KINDS; kind++) {
        int hits, coherent_hits, random_hits;
        double cached = measure(kind, coherent, 1, &coherent_hits);
        double plain = measure(kind, coherent, 0, &hits);
        double random = measure(kind, scattered, 0, &random_hits);
        printf("%-24s %16.2f %10.2f %9.2f   %.0f %%, %.0f %%\n", names[kind], cached, plain, random,
               100.0 * coherent_hits / QUERIES, 100.0 * random_hits / QUERIES);
    }
    for (int h = 0; h < MOTION_HULLS; h++) tac_polyhedron_destroy(hulls[h]);
    return 0;
}
