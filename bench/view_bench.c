// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What watching costs: the time to encode a frame and to hand it to a socket, by number of points.
//
//     view_bench [points]
//
// The reader on the other end of the socket pair is a thread that throws everything away. The promise is
// less than 4 ms for 50,000 vertices.

#define _GNU_SOURCE
#include "view/frame.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *drain(void *data) {
    static char buffer[1 << 20];
    while (read(*(int *)data, buffer, sizeof buffer) > 0) {
    }
    return NULL;
}

static bool send_all(int to, const unsigned char *data, size_t bytes) {
    while (bytes > 0) {
        ssize_t sent = write(to, data, bytes);
        if (sent <= 0) return false;
        data += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    enum { FRAMES = 200 };
    size_t points = argc > 1 ? strtoul(argv[1], NULL, 10) : 50000;
    double *x = malloc(3 * points * sizeof *x), encode[FRAMES], both[FRAMES];
    float *speeds = calloc(points, sizeof *speeds);
    int ends[2];
    pthread_t reader;
    if (!x || !speeds || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    pthread_create(&reader, NULL, drain, &ends[1]);
    for (size_t i = 0; i < 3 * points; i++) x[i] = sin((double)i);
    const TacTrackDef track = {.name = "a", .kind = TAC_VEC3, .point_count = points};
    TacRecordingDef def = tac_recording_def_default();
    def.tracks = &track;
    def.track_count = 1;
    const TacFrameTrack of_track = {.count = points, .positions = x};
    const TacFrameScalars scalars = {speeds};
    const TacFrame frame = {0, &of_track, NULL};
    TacBytes bytes = {0};
    for (uint32_t i = 0; i < FRAMES; i++) {
        double start = seconds();
        if (!tac_frame_encode(&bytes, &def, &frame, i, 1, TAC_COLOUR_SPEED, &scalars)) return 1;
        double middle = seconds();
        if (!send_all(ends[0], tac_bytes_data(&bytes), bytes.bytes)) return 1;
        encode[i] = middle - start;
        both[i] = seconds() - start;
    }
    shutdown(ends[0], SHUT_WR);
    pthread_join(reader, NULL);
    qsort(encode, FRAMES, sizeof *encode, by_size);
    qsort(both, FRAMES, sizeof *both, by_size);
    printf("%zu points, %zu bytes a frame: encode %.3f ms, encode and send %.3f ms (median), %.3f ms (worst "
           "of %d)\n",
           points, bytes.bytes, 1e3 * encode[FRAMES / 2], 1e3 * both[FRAMES / 2], 1e3 * both[FRAMES - 1],
           FRAMES);
    tac_bytes_free(&bytes);
    free(x);
    free(speeds);
    return 0;
}
