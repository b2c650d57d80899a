// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Reader for PC2 point caches, the animated points that Blender's Mesh Cache modifier reads and writes.
//
// 32 bytes of header ("POINTCACHE2" with a 0, then version 1, points, start frame, sample rate and samples,
// each of 32 bits, least significant byte first), then for each sample x y z of every point as 32-bit floats.
// Samples are read from the file one at a time, since caches can be larger than memory.

#ifndef TACTUS_GEOMETRY_PC2_H
#define TACTUS_GEOMETRY_PC2_H

#include "tactus/base.h"

typedef struct TacPc2 {
    size_t points, samples;
    double start, rate; // frame of the first sample, frames from one sample to the next
    int file;           // descriptor + 1; 0 when closed
    char path[512];     // for messages
} TacPc2;

// Refuses files that are not regular, not PC2, or shorter than their header says.
TacStatus tac_pc2_open(TacPc2 *pc2, const char *path, TacError *error);
// Fills xyz with 3 * points numbers.
TacStatus tac_pc2_read_sample(const TacPc2 *pc2, size_t sample, double *xyz, TacError *error);
void tac_pc2_close(TacPc2 *pc2); // also a zeroed or closed one

#endif
