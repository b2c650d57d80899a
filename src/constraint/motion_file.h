// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Motion as samples over time: loaded whole from a PC2 point cache, a numbered sequence of mesh files or a
// recording; found again by time, linear in between.

#ifndef TACTUS_CONSTRAINT_MOTION_FILE_H
#define TACTUS_CONSTRAINT_MOTION_FILE_H

#include "constraint/selection.h"

// Sample k holds at times[k], ascending; `numbers` numbers each.
typedef struct TacMotion {
    double *times; // s
    double *samples;
    size_t count, numbers;
} TacMotion;

// Between samples `before` and `after` (equal before the first and after the last), this part of the way.
typedef struct TacMoment {
    const double *before, *after;
    double part;
} TacMoment;

TacMoment tac_motion_at(const TacMotion *motion, double time);

typedef struct TacMotionSource {
    const char *file;     // .pc2, .tacrec, or a sequence of meshes with %d in its name
    const char *track;    // of a recording; "": its only one
    double rate;          // frames per second
    int64_t first, count; // of a sequence
} TacMotionSource;

// Loads the motion of the selected points: position_size numbers for each, in the order of the selection. A
// file has all points of the matter, or those selected only. Memory is taken from the setup, at most 1 GB.
TacStatus tac_motion_load(TacMotion *motion, TacSetup *setup, const TacMotionSource *source,
                          const TacMatter *matter, const TacSelection *selection, TacError *error);

#endif
