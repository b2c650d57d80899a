// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "view/frame.h"
#include "base/memory.h"

#include <math.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are copied as they lie in memory");

unsigned char *tac_bytes_add(TacBytes *bytes, size_t count) {
    size_t room = bytes->memory ? bytes->capacity : 0;
    if (bytes->bytes + count > room || !bytes->memory) {
        size_t wanted = bytes->bytes + count + (bytes->bytes + count) / 2 + 256;
        unsigned char *memory = realloc(bytes->memory, TAC_SEND_ROOM + wanted);
        if (!memory) return NULL;
        bytes->memory = memory;
        bytes->capacity = wanted;
    }
    unsigned char *at = bytes->memory + TAC_SEND_ROOM + bytes->bytes;
    bytes->bytes += count;
    return at;
}

void tac_bytes_free(TacBytes *bytes) {
    free(bytes->memory);
    *bytes = (TacBytes){0};
}

int tac_frame_position_size(TacMatterKind kind) {
    return kind == TAC_RIGID3 ? 7 : 3;
}

#define PUT(at, type, value)                                                                                 \
    do {                                                                                                     \
        type put_value = (type)(value);                                                                      \
        memcpy(at, &put_value, sizeof put_value);                                                            \
        (at) += sizeof put_value;                                                                            \
    } while (0)

// Positions as floats; what is flat lies in the xy plane (z is 0; the angle of a flat frame is in z's place).
static void put_positions(float *restrict to, const TacTrackDef *track, const double *restrict x,
                          size_t count) {
    size_t from = (size_t)tac_position_size(track->kind), n = (size_t)tac_frame_position_size(track->kind);
    if (from == n) {
        for (size_t i = 0; i < n * count; i++) to[i] = (float)x[i];
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < n; k++) to[n * i + k] = k < from ? (float)x[from * i + k] : 0;
}

static size_t block_bytes(const TacTrackDef *track, size_t count, bool scalars) {
    size_t bytes = 8 + count * sizeof(float) * ((size_t)tac_frame_position_size(track->kind) + scalars);
    return (bytes + 7) / 8 * 8;
}

bool tac_frame_encode(TacBytes *out, const TacRecordingDef *def, const TacFrame *frame, uint32_t number,
                      double rate, TacColourBy colour, const TacFrameScalars *scalars) {
    out->bytes = 0;
    unsigned char *at = tac_bytes_add(out, 32 + 8 * def->channel_count);
    if (!at) return false;
    PUT(at, uint8_t, 2);
    PUT(at, uint8_t, 0);
    PUT(at, uint16_t, def->track_count);
    PUT(at, uint32_t, number);
    PUT(at, double, frame->time);
    PUT(at, double, rate);
    PUT(at, uint16_t, def->channel_count);
    PUT(at, uint16_t, 0);
    PUT(at, uint32_t, 0);
    if (def->channel_count) memcpy(at, frame->channels, 8 * def->channel_count);
    for (size_t t = 0; t < def->track_count; t++) {
        const TacFrameTrack *track = &frame->tracks[t];
        const float *values = scalars && colour ? scalars[t].values : NULL;
        size_t bytes = block_bytes(&def->tracks[t], track->count, values != NULL);
        unsigned char *begin = tac_bytes_add(out, bytes);
        if (!begin) return false;
        memset(begin + bytes - 8, 0, 8); // what pads it
        at = begin;
        PUT(at, uint16_t, t);
        PUT(at, uint16_t, values ? colour : TAC_COLOUR_NONE);
        PUT(at, uint32_t, track->count);
        size_t floats = track->count * (size_t)tac_frame_position_size(def->tracks[t].kind);
        put_positions((float *)(void *)at, &def->tracks[t], track->positions, track->count);
        if (values) memcpy(at + floats * sizeof(float), values, track->count * sizeof(float));
    }
    return true;
}

bool tac_topology_encode(TacBytes *out, uint32_t track, const TacTrackMesh *mesh) {
    size_t triangles = mesh->triangles.count / 3, lines = mesh->edges.count / 2;
    out->bytes = 0;
    unsigned char *at = tac_bytes_add(out, 12 + 12 * triangles + 8 * lines);
    if (!at) return false;
    PUT(at, uint8_t, 1);
    PUT(at, uint8_t, 0);
    PUT(at, uint16_t, track);
    PUT(at, uint32_t, triangles);
    PUT(at, uint32_t, lines);
    if (triangles) memcpy(at, mesh->triangles.data, 12 * triangles);
    if (lines) memcpy(at + 12 * triangles, mesh->edges.data, 8 * lines);
    return true;
}

bool tac_overlay_encode(TacBytes *out, int what, uint32_t number, const TacSegment *segments, size_t count) {
    out->bytes = 0;
    unsigned char *at = tac_bytes_add(out, 8 + count * sizeof *segments);
    if (!at) return false;
    PUT(at, uint8_t, 3);
    PUT(at, uint8_t, what);
    PUT(at, uint16_t, number & 0xffff);
    PUT(at, uint32_t, count);
    if (count) memcpy(at, segments, count * sizeof *segments);
    return true;
}
