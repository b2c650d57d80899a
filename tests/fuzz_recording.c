// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Fuzzing of the recording reader (libFuzzer): opens the input as a file, walking and by its index, reads
// every frame forwards and backwards, and follows every index of every mesh.
//
//     clang -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc tests/fuzz_recording.c
//     src/record/chunk.c
//         src/record/kinds.c src/record/recording.c src/base/error.c src/base/memory.c -lz -lm -o
//         fuzz_recording
//     ./fuzz_recording tests/corpus/recording
//
// Most inputs would fail at a checksum, so the harness makes the checksums of the chunks that it finds right
// first unless the last byte of the input is odd.

#define _GNU_SOURCE
#include "record/chunk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend_checksums(unsigned char *data, size_t size) {
    for (size_t at = TAC_CHUNK_MAGIC_SIZE; size >= TAC_CHUNK_HEADER && at <= size - TAC_CHUNK_HEADER;) {
        TacChunk chunk = tac_chunk_parse(data + at);
        if (chunk.bytes > size - at - TAC_CHUNK_HEADER) return;
        uint32_t crc =
            (uint32_t)crc32_z(tac_chunk_crc(data + at), data + at + TAC_CHUNK_HEADER, (size_t)chunk.bytes);
        memcpy(data + at + 16, &crc, sizeof crc);
        at += TAC_CHUNK_HEADER + (size_t)chunk.bytes;
    }
}

static double follow(TacInts list, const double *positions, size_t size) {
    double sum = 0;
    for (size_t i = 0; i < list.count; i++) sum += positions[size * (size_t)list.data[i]];
    return sum;
}

// Touches everything that the frame promises.
static double touch_frame(TacRecording *recording, size_t number) {
    const TacFrame *frame;
    TacError error;
    double sum = 0;
    if (tac_recording_frame(recording, number, &frame, &error) != TAC_OK) return 0;
    const TacRecordingDef *def = tac_recording_def(recording);
    for (size_t t = 0; t < def->track_count; t++) {
        const TacFrameTrack *track = &frame->tracks[t];
        const TacTrackMesh *mesh = tac_recording_mesh(recording, t);
        size_t p = (size_t)tac_position_size(def->tracks[t].kind),
               v = (size_t)tac_velocity_size(def->tracks[t].kind);
        for (size_t i = 0; i < p * track->count; i++) sum += track->positions[i];
        for (size_t i = 0; track->velocities && i < v * track->count; i++) sum += track->velocities[i];
        sum += follow(mesh->triangles, track->positions, p) + follow(mesh->edges, track->positions, p) +
               follow(mesh->tetrahedra, track->positions, p);
    }
    for (size_t i = 0; i < def->channel_count; i++) sum += frame->channels[i];
    return sum;
}

// So that the compiler cannot leave out the reading.
static void keep(double value) {
    volatile double kept = value;
    (void)kept;
}

static void read_all(const char *path, uint64_t check_limit) {
    TacRecording *recording;
    TacError error;
    if (tac_recording_open_limit(&recording, path, check_limit, &error) != TAC_OK) return;
    size_t count = tac_recording_frame_count(recording);
    double sum = 0;
    for (size_t f = 0; f < count; f++) sum += touch_frame(recording, f);
    for (size_t f = count; f-- > 0;) sum += touch_frame(recording, f);
    keep(sum);
    tac_recording_close(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char *copy = malloc(size + 1);
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (copy && fd >= 0) {
        if (size) memcpy(copy, data, size);
        if (size && !(data[size - 1] & 1)) mend_checksums(copy, size);
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (write(fd, copy, size) == (ssize_t)size) {
            read_all(path, UINT64_MAX);
            read_all(path, 0);
        }
    }
    free(copy);
    if (fd >= 0) close(fd);
    return 0;
}
