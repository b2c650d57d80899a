// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The work that gjk_bench.c and peers/gjk_peers.cpp share: hulls of 32 points on a ball, and two ways to place
// a pair of them. Coherent: centres swing slowly between 1.2 and 2.2 radii, so that pairs go in and out of
// contact, while both hulls tumble by about 1 degree per query. Random: every query a new pair in a new pose,
// as close as that. C and C++.

#ifndef TACTUS_BENCH_GJK_MOTION_H
#define TACTUS_BENCH_GJK_MOTION_H

#include "base/random.h"
#include "tactus/math.h"

enum { MOTION_POINTS = 32, MOTION_HULLS = 64, MOTION_PAIRS = 16, MOTION_STEPS = 640 };

static inline TacVec3 motion_direction(TacRandom *random) {
    TacVec3 v;
    do {
        v.x = tac_random_between(random, -1, 1);
        v.y = tac_random_between(random, -1, 1);
        v.z = tac_random_between(random, -1, 1);
    } while (tac_dot(v, v) > 1 || tac_dot(v, v) < 1e-4);
    return tac_unit(v);
}

// xyz of the points of one hull.
static inline void motion_hull(int hull, double points[3 * MOTION_POINTS]) {
    TacRandom random = tac_random(7, (uint64_t)hull);
    for (int i = 0; i < MOTION_POINTS; i++) tac_store3(points + 3 * i, motion_direction(&random));
}

static inline TacQuat motion_turn(TacRandom *random, double angle) {
    return tac_quat_from_vector(tac_scale(motion_direction(random), angle));
}

// The pose of the two hulls (2p and 2p+1) of pair p at a step of the coherent motion.
static inline void motion_coherent(int pair, int step, TacVec3 *position_b, TacQuat *turn_a,
                                   TacQuat *turn_b) {
    TacRandom random = tac_random(11, (uint64_t)pair);
    TacVec3 direction = motion_direction(&random), spin_a = motion_direction(&random),
            spin_b = motion_direction(&random), sway = motion_direction(&random);
    double phase = tac_random_between(&random, 0, 6), t = 0.01 * step;
    double distance = 1.7 + 0.5 * sin(phase + t);
    TacVec3 way = tac_unit(tac_axpy(direction, 0.3 * sin(0.7 * t), sway));
    *position_b = tac_scale(way, distance);
    *turn_a = tac_quat_from_vector(tac_scale(spin_a, 0.017 * step));
    *turn_b = tac_quat_from_vector(tac_scale(spin_b, 0.017 * step));
}

static inline void motion_random(TacRandom *random, int *a, int *b, TacVec3 *position_b, TacQuat *turn_a,
                                 TacQuat *turn_b) {
    *a = (int)(tac_random_bits(random) % MOTION_HULLS);
    *b = (int)(tac_random_bits(random) % MOTION_HULLS);
    *position_b = tac_scale(motion_direction(random), tac_random_between(random, 1.2, 2.2));
    *turn_a = motion_turn(random, tac_random_between(random, 0, 3));
    *turn_b = motion_turn(random, tac_random_between(random, 0, 3));
}

#endif
