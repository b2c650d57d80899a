// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Time as it passes for whoever waits; for reports and for pacing, never for what happens in a world.

#ifndef TACTUS_BASE_WALL_CLOCK_H
#define TACTUS_BASE_WALL_CLOCK_H

#include <time.h>

// Seconds since some moment that stays the same while the program runs.
static inline double tac_wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
