// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See pc2.h.

#define _GNU_SOURCE
#include "geometry/pc2.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 32, POINT = 12 };

static uint32_t load_u32(const unsigned char *b) {
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double load_float(const unsigned char *b) {
    uint32_t bits = load_u32(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static TacStatus fail(const TacPc2 *pc2, TacError *error, const char *what) {
    return tac_fail_at(error, TAC_BAD_INPUT, pc2->path, 0, 0, "%s", what);
}

static TacStatus read_at(const TacPc2 *pc2, void *data, size_t bytes, uint64_t offset, TacError *error) {
    for (size_t got = 0; got < bytes;) {
        ssize_t n = pread(pc2->file - 1, (char *)data + got, bytes - got, (off_t)(offset + got));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(pc2, error, strerror(errno));
        if (n == 0) return fail(pc2, error, "is cut off");
        got += (size_t)n;
    }
    return TAC_OK;
}

static TacStatus read_header(TacPc2 *pc2, TacError *error) {
    struct stat info;
    if (fstat(pc2->file - 1, &info) != 0) return fail(pc2, error, strerror(errno));
    if (S_ISDIR(info.st_mode)) return fail(pc2, error, "is a folder; a PC2 file was expected");
    if (!S_ISREG(info.st_mode)) return fail(pc2, error, "is not a regular file");
    unsigned char header[HEADER];
    if (info.st_size < HEADER) return fail(pc2, error, "is too short to be a PC2 point cache");
    TAC_TRY(read_at(pc2, header, sizeof header, 0, error));
    if (memcmp(header, "POINTCACHE2", 12) != 0) return fail(pc2, error, "is not a PC2 point cache");
    uint32_t version = load_u32(header + 12), points = load_u32(header + 16), samples = load_u32(header + 28);
    if (version != 1)
        return tac_fail_at(error, TAC_BAD_INPUT, pc2->path, 0, 0, "is PC2 of version %u; 1 was expected",
                           version);
    pc2->start = load_float(header + 20);
    pc2->rate = load_float(header + 24);
    if (!isfinite(pc2->start) || !isfinite(pc2->rate))
        return fail(pc2, error, "has a start frame or a sample rate that is not a finite number");

    // both counts are signed in the file; their product times 12 fits in 64 bits only after this check
    uint64_t room = ((uint64_t)info.st_size - HEADER) / POINT;
    if (points > INT32_MAX || samples > INT32_MAX || (uint64_t)points * samples > room)
        return tac_fail_at(error, TAC_BAD_INPUT, pc2->path, 0, 0,
                           "announces %u samples of %u points, but has room for only %llu points in all",
                           samples, points, (unsigned long long)room);
    pc2->points = points;
    pc2->samples = samples;
    return TAC_OK;
}

TacStatus tac_pc2_open(TacPc2 *pc2, const char *path, TacError *error) {
    *pc2 = (TacPc2){0};
    snprintf(pc2->path, sizeof pc2->path, "%s", path);
    // non-blocking, so that a pipe named as a file cannot hang us before it is refused
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return tac_fail_at(error, TAC_BAD_INPUT, path, 0, 0, "cannot be opened: %s", strerror(errno));
    pc2->file = file + 1;
    TacStatus status = read_header(pc2, error);
    if (status != TAC_OK) tac_pc2_close(pc2);
    return status;
}

TacStatus tac_pc2_read_sample(const TacPc2 *pc2, size_t sample, double *xyz, TacError *error) {
    enum { CHUNK = 1024 };
    if (sample >= pc2->samples)
        return tac_fail_at(error, TAC_BAD_USAGE, pc2->path, 0, 0, "has no sample %zu; there are %zu", sample,
                           pc2->samples);
    uint64_t offset = HEADER + (uint64_t)sample * pc2->points * POINT;
    unsigned char bytes[CHUNK * POINT];
    for (size_t done = 0; done < pc2->points;) {
        size_t count = pc2->points - done < CHUNK ? pc2->points - done : CHUNK;
        TAC_TRY(read_at(pc2, bytes, count * POINT, offset + done * POINT, error));
        for (size_t i = 0; i < 3 * count; i++) {
            double value = load_float(bytes + 4 * i);
            if (!isfinite(value))
                return tac_fail_at(error, TAC_BAD_INPUT, pc2->path, 0, 0,
                                   "point %zu of sample %zu is not a finite number", done + i / 3, sample);
            xyz[3 * done + i] = value;
        }
        done += count;
    }
    return TAC_OK;
}

void tac_pc2_close(TacPc2 *pc2) {
    if (pc2->file) close(pc2->file - 1);
    *pc2 = (TacPc2){0};
}
