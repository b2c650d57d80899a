// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A small recording of every kind of content, and what the tests of recordings do with it: write it, and
// compare what is read with it to the last bit. Include it after cmocka.h.

#ifndef TACTUS_TESTS_RECORD_SAMPLE_H
#define TACTUS_TESTS_RECORD_SAMPLE_H

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "record/chunk.h"
#include "tactus/record.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRACKS = 4, CHANNELS = 3, FRAMES = 6 };

static char folder[] = "/tmp/tactus-record-XXXXXX";

static const char *path_of(const char *name) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static inline int remove_folder(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

// A small scene of every kind of content: a changing mesh, a changing count, rotations, a track without
// points.
typedef struct Sample {
    TacRecordingDef def;
    TacTrackDef tracks[TRACKS];
    TacChannelDef channels[CHANNELS];
    double positions[FRAMES][TRACKS][64], velocities[FRAMES][TRACKS][64];
    TacTrackMesh meshes[FRAMES];
    TacFrameTrack frame_tracks[FRAMES][TRACKS];
    double values[FRAMES][CHANNELS];
    TacFrame frames[FRAMES];
} Sample;

static const int32_t two_triangles[] = {0, 1, 2, 0, 2, 3};
static const int32_t wire[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7};
static const int32_t tetrahedron[] = {0, 1, 2, 3};
static const double ball_radii[] = {0.25, 0.5};

static inline Sample *make_sample(bool velocities, bool single_precision) {
    Sample *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->tracks[0] = (TacTrackDef){.name = "/cloth/points",
                                 .kind = TAC_VEC3,
                                 .point_count = 5,
                                 .mesh = {.triangles = {two_triangles, 6}, .tetrahedra = {tetrahedron, 4}},
                                 .color = {0.1, 0.2, 0.3},
                                 .opacity = 0.5,
                                 .visible = true};
    s->tracks[1] = (TacTrackDef){.name = "/wire, \"thin\"/points",
                                 .kind = TAC_VEC3,
                                 .point_count = 8,
                                 .mesh = {.edges = {wire, 6}},
                                 .radius = 0.01,
                                 .opacity = 1};
    s->tracks[2] = (TacTrackDef){.name = "/body",
                                 .kind = TAC_RIGID3,
                                 .point_count = 2,
                                 .radii = {ball_radii, 2},
                                 .opacity = 1,
                                 .visible = true};
    s->tracks[3] = (TacTrackDef){.name = "/nothing", .kind = TAC_VEC2, .opacity = 1};
    s->channels[0] = (TacChannelDef){"energy/total", "J"};
    s->channels[1] = (TacChannelDef){"/wire, \"thin\"/local time", "s"};
    s->channels[2] = (TacChannelDef){"odd", "1"};
    s->def = tac_recording_def_default();
    s->def.scene = "a test";
    s->def.beat = 0.005;
    s->def.fps = 24;
    s->def.up = tac_vec3(0, 0, 1);
    s->def.ground = (TacGround){{0, 0, 1}, -0.5, true};
    s->def.camera = (TacCamera){{1, 2, 3}, {4, 5, 6}, 40};
    s->def.velocities = velocities;
    s->def.single_precision = single_precision;
    s->def.tracks = s->tracks;
    s->def.track_count = TRACKS;
    s->def.channels = s->channels;
    s->def.channel_count = CHANNELS;

    TacRandom random = tac_random(7, 1);
    static const size_t wire_counts[FRAMES] = {4, 4, 8, 8, 2, 2};
    for (size_t f = 0; f < FRAMES; f++) {
        for (size_t t = 0; t < TRACKS; t++) {
            for (size_t i = 0; i < 64; i++) {
                s->positions[f][t][i] = tac_random_between(&random, -3, 3);
                s->velocities[f][t][i] = tac_random_between(&random, -1e5, 1e5);
            }
            s->frame_tracks[f][t] = (TacFrameTrack){.time = 0.1 * (double)f - 0.001 * (double)t,
                                                    .count = s->tracks[t].point_count,
                                                    .positions = s->positions[f][t],
                                                    .velocities = velocities ? s->velocities[f][t] : NULL};
        }
        s->frame_tracks[f][1].count = wire_counts[f];
        if (f == 2 || f == 4) {
            s->meshes[f].edges = (TacInts){wire, f == 2 ? 14 : 2};
            s->frame_tracks[f][1].mesh = &s->meshes[f];
        }
        s->values[f][0] = tac_random_unit(&random);
        s->values[f][1] = -0.0;
        s->values[f][2] = f == 3 ? (double)NAN : 1e300;
        s->frames[f] = (TacFrame){0.1 * (double)f, s->frame_tracks[f], s->values[f]};
    }
    // bits that arithmetic would change
    s->positions[1][0][0] = -0.0;
    s->positions[1][0][1] = (double)NAN;
    s->positions[1][0][2] = (double)INFINITY;
    s->positions[2][0][0] = 5e-324;
    return s;
}

// Writes the sample and notes where each frame ends.
static inline void write_sample(const Sample *s, const char *path, uint64_t ends[FRAMES], bool close_it) {
    TacRecorder *recorder;
    TacError error;
    assert_int_equal(tac_recorder_open(&recorder, path, &s->def, &error), TAC_OK);
    for (size_t f = 0; f < FRAMES; f++) {
        assert_int_equal(tac_recorder_frame(recorder, &s->frames[f], &error), TAC_OK);
        if (ends) ends[f] = tac_recorder_bytes(recorder);
    }
    if (close_it) assert_int_equal(tac_recorder_close(recorder, &error), TAC_OK);
    struct stat info;
    if (!close_it) {
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_size, tac_recorder_bytes(recorder));
        tac_recorder_close(recorder, NULL);
        assert_int_equal(truncate(path, info.st_size), 0);
    }
}

static inline bool same_list(TacInts a, TacInts b) {
    return a.count == b.count && (!a.count || memcmp(a.data, b.data, a.count * sizeof *a.data) == 0);
}

static inline bool same_mesh(const TacTrackMesh *a, const TacTrackMesh *b) {
    return same_list(a->triangles, b->triangles) && same_list(a->edges, b->edges) &&
           same_list(a->tetrahedra, b->tetrahedra);
}

static inline bool same_numbers(const double *a, const double *b, size_t count, bool single) {
    for (size_t i = 0; i < count; i++) {
        double expected = single ? (double)(float)b[i] : b[i];
        if (memcmp(&a[i], &expected, sizeof expected) != 0) return false;
    }
    return true;
}

static const TacTrackMesh *mesh_at(const Sample *s, size_t frame, size_t track) {
    if (track == 1 && frame >= 2) return &s->meshes[frame >= 4 ? 4 : 2];
    return &s->tracks[track].mesh;
}

static inline bool same_frame(const Sample *s, TacRecording *r, size_t f, const TacFrame *frame) {
    bool single = s->def.single_precision;
    if (frame->time != s->frames[f].time || memcmp(frame->channels, s->values[f], sizeof s->values[f]))
        return false;
    for (size_t t = 0; t < TRACKS; t++) {
        const TacFrameTrack *a = &frame->tracks[t], *b = &s->frame_tracks[f][t];
        size_t p = (size_t)tac_position_size(s->tracks[t].kind),
               v = (size_t)tac_velocity_size(s->tracks[t].kind);
        if (a->time != b->time || a->count != b->count) return false;
        if (!same_numbers(a->positions, b->positions, a->count * p, single)) return false;
        if (s->def.velocities && !same_numbers(a->velocities, b->velocities, a->count * v, single))
            return false;
        if (!s->def.velocities && a->velocities) return false;
        if ((a->mesh != NULL) != (b->mesh != NULL) || (a->mesh && !same_mesh(a->mesh, b->mesh))) return false;
        if (!same_mesh(tac_recording_mesh(r, t), mesh_at(s, f, t))) return false;
    }
    return true;
}

static inline void put_file(const char *path, const char *data, size_t bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

#endif
