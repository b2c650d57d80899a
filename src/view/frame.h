// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Frames, meshes and overlays as bytes, little-endian, as docs/view.md lays them out.

#ifndef TACTUS_VIEW_FRAME_H
#define TACTUS_VIEW_FRAME_H

#include "tactus/record.h"

enum { TAC_SEND_ROOM = 64 }; // bytes kept free in front of what is sent, for whoever wraps it

// Memory that is used again and again. Data begins TAC_SEND_ROOM bytes into `memory`.
typedef struct TacBytes {
    unsigned char *memory;
    size_t bytes, capacity; // of data
} TacBytes;

static inline unsigned char *tac_bytes_data(const TacBytes *bytes) {
    return bytes->memory + TAC_SEND_ROOM;
}

// Room for `count` bytes behind what is there; NULL without memory.
unsigned char *tac_bytes_add(TacBytes *bytes, size_t count);
void tac_bytes_free(TacBytes *bytes);

// By what points are coloured; the number is what a frame carries.
typedef enum TacColourBy {
    TAC_COLOUR_NONE,
    TAC_COLOUR_SPEED,
    TAC_COLOUR_AGENT,
    TAC_COLOUR_TIME,
    TAC_COLOUR_CLASS,
    TAC_COLOUR_TENSION,
    TAC_COLOUR_STRESS,
    TAC_COLOUR_RESOLUTION,
    TAC_COLOUR_LAYER,
    TAC_COLOURS
} TacColourBy;

// The scalars of one track: as many as its points. NULL: it has none.
typedef struct TacFrameScalars {
    const float *values;
} TacFrameScalars;

// One frame; `scalars` (one per track) may be NULL where `colour` is none. False without memory.
bool tac_frame_encode(TacBytes *out, const TacRecordingDef *def, const TacFrame *frame, uint32_t number,
                      double rate, TacColourBy colour, const TacFrameScalars *scalars);

// The mesh of one track.
bool tac_topology_encode(TacBytes *out, uint32_t track, const TacTrackMesh *mesh);

typedef struct TacSegment {
    float a[3], b[3], value;
} TacSegment;

// `number` is that of the frame to which they belong.
bool tac_overlay_encode(TacBytes *out, int what, uint32_t number, const TacSegment *segments, size_t count);

// Numbers per point in a frame: as in positions, but with what is flat put into space (3), and frames in 7.
int tac_frame_position_size(TacMatterKind kind);

#endif
