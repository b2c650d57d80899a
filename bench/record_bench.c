// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How fast recordings are written and read: 100,000 points, 100 frames, positions in 64 and in 32 bits, with
// and without velocities. The points are a sheet with waves running over it, whose low bits are as random as
// those of a simulation. MB are 10^6 bytes of numbers before packing. The file goes to the folder given
// (default /tmp).

#define _POSIX_C_SOURCE 200809L
#include "tactus/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 316, FRAMES = 100 };
#define POINTS ((size_t)SIDE * SIDE)

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make_frame(double *positions, double *velocities, double time) {
    for (size_t i = 0; i < POINTS; i++) {
        double x = (double)(i % SIDE) / SIDE, z = (double)(i / SIDE) / SIDE;
        double phase = 17 * x + 13 * z - 3 * time;
        tac_store3(positions + 3 * i, tac_vec3(x + 0.001 * cos(phase), 0.05 * sin(phase), z));
        tac_store3(velocities + 3 * i, tac_vec3(0.003 * sin(phase), -0.15 * cos(phase), 0));
    }
}

static int measure(const char *folder, bool velocities, bool single) {
    double *p = malloc(3 * POINTS * sizeof *p), *v = malloc(3 * POINTS * sizeof *v);
    char path[512];
    snprintf(path, sizeof path, "%s/record_bench.tacrec", folder);
    TacTrackDef track = {.name = "/sheet", .kind = TAC_VEC3, .point_count = POINTS, .opacity = 1};
    TacRecordingDef def = tac_recording_def_default();
    def.velocities = velocities;
    def.single_precision = single;
    def.tracks = &track;
    def.track_count = 1;
    TacRecorder *recorder = NULL;
    TacError error = {0};
    double writing = 0, reading = 0;
    TacStatus status = p && v ? tac_recorder_open(&recorder, path, &def, &error) : TAC_NO_MEMORY;
    for (int f = 0; f < FRAMES && status == TAC_OK; f++) {
        make_frame(p, v, f / 60.0);
        TacFrameTrack frame_track = {.time = f / 60.0, .count = POINTS, .positions = p, .velocities = v};
        TacFrame frame = {.time = f / 60.0, .tracks = &frame_track};
        double start = now();
        status = tac_recorder_frame(recorder, &frame, &error);
        writing += now() - start;
    }
    double bytes = recorder ? (double)tac_recorder_bytes(recorder) : 0;
    if (recorder && status == TAC_OK) status = tac_recorder_close(recorder, &error);

    TacRecording *recording = NULL;
    double start = now(), opening = 0, sum = 0;
    if (status == TAC_OK) status = tac_recording_open(&recording, path, &error);
    opening = now() - start;
    for (size_t f = 0; status == TAC_OK && f < tac_recording_frame_count(recording); f++) {
        const TacFrame *frame;
        start = now();
        status = tac_recording_frame(recording, f, &frame, &error);
        reading += now() - start;
        if (status == TAC_OK) sum += frame->tracks[0].positions[0];
    }
    tac_recording_close(recording);
    free(p);
    free(v);
    if (status != TAC_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        return 1;
    }
    double megabytes = 1e-6 * FRAMES * (double)POINTS * (velocities ? 6 : 3) * (single ? 4 : 8);
    printf("%2d bit%s: write %4.0f MB/s, read %4.0f MB/s, open %3.0f ms, packed to %2.0f %%  (sum %.6f)\n",
           single ? 32 : 64, velocities ? " with velocities" : "                ", megabytes / writing,
           megabytes / reading, 1e3 * opening, 1e-4 * bytes / megabytes, sum);
    return remove(path);
}

int main(int count, char **arguments) {
    const char *folder = count > 1 ? arguments[1] : "/tmp";
    return measure(folder, false, false) || measure(folder, true, false) || measure(folder, false, true);
}
