// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// All meetings among many triangles, or of edges with triangles: what tac_triangle_meetings of tactus/ccd.h does, for
// callers who know of pairs that do not count.
//
// Boxes find what may meet, exact predicates what does. Around a point with many triangles (the hub of a cylinder's cap)
// boxes say nothing: they all hold the hub. Two triangles of one hub that meet elsewhere do so where the side of the one that
// does not have the hub goes through the other; that place is seen from the hub in a direction in which both lie. So such
// triangles are looked for among directions instead of places: there a fan, flat or not, lies side by side.

#ifndef TACTUS_GEOMETRY_TRIANGLE_MEETINGS_H
#define TACTUS_GEOMETRY_TRIANGLE_MEETINGS_H

#include "tactus/ccd.h"

typedef struct TacMeetingInput {
    const double *points; // xyz each
    size_t point_count;
    const int32_t *edges; // NULL: triangles against triangles
    size_t edge_count;
    const int32_t *triangles;
    size_t triangle_count;
    const uint32_t
        *kin; // of each triangle: those with the same number do not count as meeting; 0: no kin. NULL: all 0
    size_t most; // meetings that are looked for; 0: no limit
    // Whether a meeting of the two would count, by number, first < second where both are triangles. NULL: all do.
    bool (*counts)(void *context, int32_t first, int32_t second);
    void *context;
} TacMeetingInput;

// As tac_triangle_meetings.
TacStatus tac_meetings(const TacMeetingInput *input, TacMeeting **meetings, size_t *count, TacError *error);

#endif
