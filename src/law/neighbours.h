// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Who is near whom: a grid of cells as wide as the reach of a law, for laws between all particles that are
// close (Lennard-Jones, smoothed particles).
//
// Cells are found by hashing their coordinates into a table of twice as many buckets as there are particles,
// and particles are sorted by bucket, by counting: O(n) time and memory, wherever the particles are. Cells
// that share a bucket are told apart by their coordinates, which stand beside each particle. Nothing is
// allocated after tac_neighbours_create, and no list of pairs is kept: every particle visits the 27 cells
// around it and takes what it needs, so threads share nothing and the order of sums is fixed.

#ifndef TACTUS_LAW_NEIGHBOURS_H
#define TACTUS_LAW_NEIGHBOURS_H

#include "tactus/component.h"

// A particle as it stands in the grid.
typedef struct TacNeighbour {
    double x[3]; // missing numbers are 0
    int32_t cell[3];
    uint32_t index; // in its matter
} TacNeighbour;

typedef struct TacNeighbours {
    size_t count;
    double reach;         // m
    uint32_t mask;        // number of buckets - 1
    uint32_t *start;      // by bucket
    uint32_t *bucket_of;  // by particle
    TacNeighbour *sorted; // by bucket, then by number
    uint32_t *place;      // where each particle stands in `sorted`
} TacNeighbours;

TacStatus tac_neighbours_create(TacNeighbours *grid, TacSetup *setup, size_t count, double reach,
                                TacError *error);

// Sorts particles at positions x: `stride` numbers for each, of which the first `dimension` are its place.
void tac_neighbours_sort(TacNeighbours *grid, const double *x, size_t stride, size_t dimension);

// Calls visit for every other particle nearer than the reach, with d = other - this and |d|^2. The order is
// the same for the same positions.
typedef void (*TacNeighbourVisit)(void *data, const TacNeighbour *other, const double d[3], double square);

// Inlined where it is called, so that the visit is, too.
static inline __attribute__((always_inline)) void
tac_neighbours_visit(const TacNeighbours *grid, size_t particle, TacNeighbourVisit visit, void *data) {
    const TacNeighbour *self = &grid->sorted[grid->place[particle]];
    double limit = grid->reach * grid->reach;
    for (int32_t c = 0; c < 27; c++) {
        int32_t x = self->cell[0] + c % 3 - 1, y = self->cell[1] + c / 3 % 3 - 1,
                z = self->cell[2] + c / 9 - 1;
        uint32_t bucket =
            ((uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u) & grid->mask;
        for (uint32_t s = grid->start[bucket]; s < grid->start[bucket + 1]; s++) {
            const TacNeighbour *other = &grid->sorted[s];
            if (other->cell[0] != x || other->cell[1] != y || other->cell[2] != z || other == self) continue;
            double d[3] = {other->x[0] - self->x[0], other->x[1] - self->x[1], other->x[2] - self->x[2]};
            double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (square < limit) visit(data, other, d, square);
        }
    }
}

#endif
