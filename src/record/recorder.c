// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Writes recordings: header first under another name, then frame after frame, each with one write.
//
// Rules that keep a recording readable whatever happens:
//   1. Nothing is seen at the path before the header is whole and on the disk.
//   2. What has been written is never changed; a frame (with the meshes that begin with it) is one write.
//   3. A write that fails is taken back by cutting the file after the last whole chunk; writing may go on.
// Buffers reach their size with the first frame; after that a frame takes no memory (the list of frames for
// the index doubles now and then).

#define _GNU_SOURCE
#include "base/memory.h"
#include "record/chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct TacRecorder {
    TacArena arena;
    TacRecordingDef def; // its own copy: names and kinds, no meshes, no radii
    char *path, *temporary;
    int fd;
    uint64_t written; // bytes of whole chunks in the file
    size_t *tops;     // per track: points that its mesh in force needs
    size_t *new_tops;
    TacFrameEntry *frames;
    size_t frame_count, frame_capacity;
    TacMeshEntry *meshes;
    size_t mesh_count, mesh_capacity;
    TacPacker packer;
    TacBytes out;
};

// Everything is handed over at `offset`, or the file is cut there again.
static TacStatus write_whole(TacRecorder *recorder, const unsigned char *data, size_t bytes,
                             TacError *error) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = pwrite(recorder->fd, data + done, bytes - done, (off_t)(recorder->written + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            int reason = n < 0 ? errno : ENOSPC;
            // a failure here leaves a torn tail, which the reader recognises by its checksum
            int ignored = ftruncate(recorder->fd, (off_t)recorder->written);
            (void)ignored;
            return tac_fail_at(error, TAC_FAILED, recorder->path, 0, 0, "cannot be written: %s",
                               strerror(reason));
        }
        done += (size_t)n;
    }
    recorder->written += bytes;
    return TAC_OK;
}

static size_t text_size(const char *text) {
    return 4 + strlen(text);
}

static size_t header_size(const TacRecordingDef *def) {
    size_t size = TAC_CHUNK_HEADER + 4 + 16 * 8 + text_size(def->scene) + 8;
    for (size_t i = 0; i < def->track_count; i++)
        size += text_size(def->tracks[i].name) + 64 + 8 * def->tracks[i].radii.count;
    for (size_t i = 0; i < def->channel_count; i++)
        size += text_size(def->channels[i].name) + text_size(def->channels[i].unit);
    return size;
}

static void put_vec3(TacBytes *out, TacVec3 a) {
    tac_put_f64(out, a.x);
    tac_put_f64(out, a.y);
    tac_put_f64(out, a.z);
}

static void put_track(TacBytes *out, const TacTrackDef *track) {
    tac_put_text(out, track->name);
    tac_put_u32(out, (uint32_t)track->kind);
    tac_put_u32(out, track->visible ? 1 : 0);
    tac_put_u64(out, track->point_count);
    tac_put_f64(out, track->radius);
    for (int i = 0; i < 3; i++) tac_put_f64(out, track->color[i]);
    tac_put_f64(out, track->opacity);
    tac_put_u64(out, track->radii.count);
    tac_put_bytes(out, track->radii.data, 8 * track->radii.count);
}

static TacStatus put_header(TacBytes *out, const TacRecordingDef *def, TacError *error) {
    size_t size = TAC_CHUNK_MAGIC_SIZE + header_size(def);
    if (!tac_bytes_reserve(out, size)) return tac_fail_memory(error, size);
    tac_put_bytes(out, TAC_CHUNK_MAGIC, TAC_CHUNK_MAGIC_SIZE);
    size_t start = tac_chunk_begin(out, "HEAD");
    tac_put_u32(out, (def->velocities ? 1u : 0) | (def->single_precision ? 2u : 0) |
                         (def->ground.visible ? 4u : 0));
    tac_put_f64(out, def->beat);
    tac_put_f64(out, def->fps);
    put_vec3(out, def->up);
    put_vec3(out, def->ground.normal);
    tac_put_f64(out, def->ground.offset);
    put_vec3(out, def->camera.eye);
    put_vec3(out, def->camera.target);
    tac_put_f64(out, def->camera.field_of_view);
    tac_put_text(out, def->scene);
    tac_put_u32(out, (uint32_t)def->track_count);
    tac_put_u32(out, (uint32_t)def->channel_count);
    for (size_t i = 0; i < def->track_count; i++) put_track(out, &def->tracks[i]);
    for (size_t i = 0; i < def->channel_count; i++) {
        tac_put_text(out, def->channels[i].name);
        tac_put_text(out, def->channels[i].unit);
    }
    tac_chunk_end(out, start);
    return TAC_OK;
}

// Appends a MESH chunk to the buffer and an entry to the index (both are dropped when the write fails).
static TacStatus put_mesh(TacRecorder *recorder, size_t track, const TacTrackMesh *mesh, bool starts,
                          TacError *error) {
    const TacInts *lists[] = {&mesh->triangles, &mesh->edges, &mesh->tetrahedra};
    size_t count = mesh->triangles.count + mesh->edges.count + mesh->tetrahedra.count;
    TacBytes *out = &recorder->out;
    if (!tac_grow(&recorder->meshes, &recorder->mesh_capacity, recorder->mesh_count + 1,
                  sizeof *recorder->meshes) ||
        !tac_bytes_reserve(out, TAC_CHUNK_HEADER + 40))
        return tac_fail_memory(error, 0);
    TAC_TRY(tac_pack_begin(&recorder->packer, count, 4, error));

    size_t start = tac_chunk_begin(out, "MESH");
    tac_put_u64(out, recorder->frame_count);
    tac_put_u32(out, (uint32_t)track);
    tac_put_u32(out, starts ? 1 : 0);
    for (int i = 0; i < 3; i++) {
        tac_put_u64(out, lists[i]->count);
        tac_pack_put(&recorder->packer, lists[i]->data, lists[i]->count);
    }
    TAC_TRY(tac_pack_end(&recorder->packer, out, error));
    tac_chunk_end(out, start);
    recorder->meshes[recorder->mesh_count++] = (TacMeshEntry){
        .offset = recorder->written + start,
        .bytes = out->count - start,
        .frame = recorder->frame_count,
        .track = (uint32_t)track,
        .starts = starts ? 1 : 0,
    };
    return TAC_OK;
}

static bool mesh_empty(const TacTrackMesh *mesh) {
    return !mesh->triangles.count && !mesh->edges.count && !mesh->tetrahedra.count;
}

static TacStatus put_start_meshes(TacRecorder *recorder, const TacRecordingDef *def, TacError *error) {
    for (size_t i = 0; i < def->track_count; i++) {
        const TacTrackDef *track = &def->tracks[i];
        TAC_TRY(tac_track_mesh_check(&track->mesh, track->name, &recorder->tops[i], TAC_BAD_USAGE, error));
        if (recorder->tops[i] > track->point_count)
            return tac_fail(error, TAC_BAD_USAGE, "the mesh of track %s refers to point %zu of %zu",
                            track->name, recorder->tops[i] - 1, track->point_count);
        if (!mesh_empty(&track->mesh)) TAC_TRY(put_mesh(recorder, i, &track->mesh, true, error));
    }
    return TAC_OK;
}

// Keeps what later frames are checked against.
static TacStatus copy_def(TacRecorder *recorder, const TacRecordingDef *def, TacError *error) {
    recorder->def = *def;
    TacTrackDef *tracks = tac_arena_array(&recorder->arena, def->track_count, sizeof *tracks);
    recorder->tops = tac_arena_array(&recorder->arena, def->track_count, sizeof *recorder->tops);
    recorder->new_tops = tac_arena_array(&recorder->arena, def->track_count, sizeof *recorder->new_tops);
    if (!tracks || !recorder->tops || !recorder->new_tops) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < def->track_count; i++) {
        tracks[i] = (TacTrackDef){.kind = def->tracks[i].kind, .point_count = def->tracks[i].point_count};
        tracks[i].name = tac_arena_text(&recorder->arena, def->tracks[i].name);
        if (!tracks[i].name) return tac_fail_memory(error, 0);
    }
    recorder->def.tracks = tracks;
    recorder->def.channels = NULL;
    recorder->def.scene = NULL;
    return TAC_OK;
}

// An open file beside the path that nobody else has.
static TacStatus open_temporary(TacRecorder *recorder, const char *path, TacError *error) {
    struct stat info;
    // a rename would replace a device or a folder just as well
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return tac_fail_at(error, TAC_FAILED, path, 0, 0, "cannot be written: it is not a regular file");
    size_t size = strlen(path) + 64;
    recorder->path = tac_arena_text(&recorder->arena, path);
    recorder->temporary = tac_arena_alloc(&recorder->arena, size);
    if (!recorder->path || !recorder->temporary) return tac_fail_memory(error, size);
    for (int i = 0; i < 100 && recorder->fd < 0; i++) {
        snprintf(recorder->temporary, size, "%s.%ld-%d.part", path, (long)getpid(), i);
        recorder->fd = open(recorder->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (recorder->fd < 0 && errno != EEXIST) break;
    }
    if (recorder->fd >= 0) return TAC_OK;
    recorder->temporary = NULL;
    return tac_fail_at(error, TAC_FAILED, path, 0, 0, "cannot be written: %s", strerror(errno));
}

static void release(TacRecorder *recorder) {
    if (recorder->fd >= 0) close(recorder->fd);
    if (recorder->temporary) unlink(recorder->temporary);
    free(recorder->frames);
    free(recorder->meshes);
    tac_packer_destroy(&recorder->packer);
    tac_bytes_destroy(&recorder->out);
    tac_arena_destroy(&recorder->arena);
    free(recorder);
}

static TacStatus begin(TacRecorder *recorder, const char *path, const TacRecordingDef *def, TacError *error) {
    TAC_TRY(tac_recording_def_check(def, TAC_BAD_USAGE, error));
    TAC_TRY(copy_def(recorder, def, error));
    TAC_TRY(put_header(&recorder->out, def, error));
    TAC_TRY(put_start_meshes(recorder, def, error));
    TAC_TRY(open_temporary(recorder, path, error));
    TAC_TRY(write_whole(recorder, recorder->out.data, recorder->out.count, error));
    if (fsync(recorder->fd) != 0 || rename(recorder->temporary, path) != 0)
        return tac_fail_at(error, TAC_FAILED, path, 0, 0, "cannot be written: %s", strerror(errno));
    recorder->temporary = NULL;
    // meshes of the start may be larger than all that follows
    tac_bytes_destroy(&recorder->out);
    tac_bytes_destroy(&recorder->packer.planes);
    return TAC_OK;
}

TacStatus tac_recorder_open(TacRecorder **recorder, const char *path, const TacRecordingDef *def,
                            TacError *error) {
    *recorder = NULL;
    TacRecorder *made = calloc(1, sizeof *made);
    if (!made) return tac_fail_memory(error, sizeof *made);
    made->fd = -1;
    TacStatus status = begin(made, path, def, error);
    if (status != TAC_OK) {
        release(made);
        return status;
    }
    *recorder = made;
    return TAC_OK;
}

// What a caller could get wrong; fills new_tops. *total: numbers in the frame.
static TacStatus check_frame(TacRecorder *recorder, const TacFrame *frame, size_t *total, TacError *error) {
    const TacRecordingDef *def = &recorder->def;
    if (!isfinite(frame->time))
        return tac_fail(error, TAC_BAD_USAGE, "frame %zu has no finite time", recorder->frame_count);
    if (recorder->frame_count && !(frame->time > recorder->frames[recorder->frame_count - 1].time))
        return tac_fail(error, TAC_BAD_USAGE, "frame %zu at %.17g s does not come after the one at %.17g s",
                        recorder->frame_count, frame->time, recorder->frames[recorder->frame_count - 1].time);
    if ((def->track_count && !frame->tracks) || (def->channel_count && !frame->channels))
        return tac_fail(error, TAC_BAD_USAGE, "frame %zu lacks tracks or channels", recorder->frame_count);

    *total = 0;
    for (size_t i = 0; i < def->track_count; i++) {
        const TacFrameTrack *track = &frame->tracks[i];
        const TacTrackDef *track_def = &def->tracks[i];
        if (!isfinite(track->time))
            return tac_fail(error, TAC_BAD_USAGE, "track %s has no finite time", track_def->name);
        if (track->count > track_def->point_count)
            return tac_fail(error, TAC_BAD_USAGE, "track %s has %zu points; it was defined with at most %zu",
                            track_def->name, track->count, track_def->point_count);
        if (track->count && (!track->positions || (def->velocities && !track->velocities)))
            return tac_fail(error, TAC_BAD_USAGE, "track %s lacks positions or velocities", track_def->name);
        recorder->new_tops[i] = recorder->tops[i];
        if (track->mesh)
            TAC_TRY(tac_track_mesh_check(track->mesh, track_def->name, &recorder->new_tops[i], TAC_BAD_USAGE,
                                         error));
        if (recorder->new_tops[i] > track->count)
            return tac_fail(error, TAC_BAD_USAGE, "the mesh of track %s refers to point %zu of %zu",
                            track_def->name, recorder->new_tops[i] - 1, track->count);
        *total += track->count * tac_track_width(def, i);
    }
    if (*total > TAC_FRAME_LIMIT / 8)
        return tac_fail(error, TAC_BAD_USAGE, "a frame of %zu numbers is too large", *total);
    return TAC_OK;
}

// Stores points component by component (all x, then all y ...): neighbours in a list are alike.
static void put_numbers(TacPacker *packer, const double *numbers, size_t count, size_t size) {
    enum { SOME = 256 };
    double values[SOME];
    float rounded[SOME];
    for (size_t c = 0; c < size; c++)
        for (size_t from = 0; from < count; from += SOME) {
            size_t n = count - from < SOME ? count - from : SOME;
            for (size_t i = 0; i < n; i++) {
                values[i] = numbers[(from + i) * size + c];
                rounded[i] = (float)values[i];
            }
            tac_pack_put(packer, packer->width == 4 ? (const void *)rounded : (const void *)values, n);
        }
}

// Appends a FRAM chunk to the buffer.
static TacStatus put_frame(TacRecorder *recorder, const TacFrame *frame, size_t total, TacError *error) {
    const TacRecordingDef *def = &recorder->def;
    TacBytes *out = &recorder->out;
    TacPacker *packer = &recorder->packer;
    size_t width = def->single_precision ? 4 : 8;
    size_t fixed = TAC_CHUNK_HEADER + 24 + 16 * def->track_count + 8 * def->channel_count;
    if (!tac_bytes_reserve(out, fixed)) return tac_fail_memory(error, fixed);
    TAC_TRY(tac_pack_begin(packer, total, width, error));

    size_t start = tac_chunk_begin(out, "FRAM");
    tac_put_u64(out, recorder->frame_count);
    tac_put_f64(out, frame->time);
    tac_put_u64(out, total * width);
    for (size_t i = 0; i < def->track_count; i++) {
        const TacFrameTrack *track = &frame->tracks[i];
        TacMatterKind kind = def->tracks[i].kind;
        tac_put_f64(out, track->time);
        tac_put_u64(out, track->count);
        if (!track->count) continue;
        put_numbers(packer, track->positions, track->count, (size_t)tac_position_size(kind));
        if (def->velocities)
            put_numbers(packer, track->velocities, track->count, (size_t)tac_velocity_size(kind));
    }
    tac_put_bytes(out, frame->channels, 8 * def->channel_count);
    TAC_TRY(tac_pack_end(packer, out, error));
    tac_chunk_end(out, start);
    recorder->frames[recorder->frame_count] =
        (TacFrameEntry){recorder->written + start, out->count - start, frame->time};
    return TAC_OK;
}

static TacStatus add_frame(TacRecorder *recorder, const TacFrame *frame, size_t total, TacError *error) {
    recorder->out.count = 0;
    for (size_t i = 0; i < recorder->def.track_count; i++)
        if (frame->tracks[i].mesh) TAC_TRY(put_mesh(recorder, i, frame->tracks[i].mesh, false, error));
    TAC_TRY(put_frame(recorder, frame, total, error));
    return write_whole(recorder, recorder->out.data, recorder->out.count, error);
}

TacStatus tac_recorder_frame(TacRecorder *recorder, const TacFrame *frame, TacError *error) {
    size_t total = 0, meshes = recorder->mesh_count;
    TAC_TRY(check_frame(recorder, frame, &total, error));
    if (!tac_grow(&recorder->frames, &recorder->frame_capacity, recorder->frame_count + 1,
                  sizeof *recorder->frames))
        return tac_fail_memory(error, (recorder->frame_count + 1) * sizeof *recorder->frames);
    TacStatus status = add_frame(recorder, frame, total, error);
    if (status != TAC_OK) {
        recorder->mesh_count = meshes;
        return status;
    }
    size_t *old = recorder->tops;
    recorder->tops = recorder->new_tops;
    recorder->new_tops = old;
    recorder->frame_count++;
    return TAC_OK;
}

uint64_t tac_recorder_bytes(const TacRecorder *recorder) {
    return recorder->written;
}

static TacStatus put_index(TacRecorder *recorder, TacError *error) {
    TacBytes *out = &recorder->out;
    out->count = 0;
    size_t size = TAC_CHUNK_HEADER + 16 + 24 * recorder->frame_count + 32 * recorder->mesh_count + 16;
    if (!tac_bytes_reserve(out, size)) return tac_fail_memory(error, size);
    size_t start = tac_chunk_begin(out, "INDX");
    tac_put_u64(out, recorder->frame_count);
    tac_put_u64(out, recorder->mesh_count);
    for (size_t i = 0; i < recorder->frame_count; i++) {
        tac_put_u64(out, recorder->frames[i].offset);
        tac_put_u64(out, recorder->frames[i].bytes);
        tac_put_f64(out, recorder->frames[i].time);
    }
    for (size_t i = 0; i < recorder->mesh_count; i++) {
        tac_put_u64(out, recorder->meshes[i].offset);
        tac_put_u64(out, recorder->meshes[i].bytes);
        tac_put_u64(out, recorder->meshes[i].frame);
        tac_put_u32(out, recorder->meshes[i].track);
        tac_put_u32(out, recorder->meshes[i].starts);
    }
    // the last 16 bytes of the file say where the index is
    tac_put_u64(out, recorder->written);
    tac_put_bytes(out, TAC_CHUNK_END_MAGIC, TAC_CHUNK_MAGIC_SIZE);
    tac_chunk_end(out, start);
    return write_whole(recorder, out->data, out->count, error);
}

TacStatus tac_recorder_close(TacRecorder *recorder, TacError *error) {
    if (!recorder) return TAC_OK;
    TacStatus status = put_index(recorder, error);
    if (status == TAC_OK && fsync(recorder->fd) != 0)
        status =
            tac_fail_at(error, TAC_FAILED, recorder->path, 0, 0, "cannot be written: %s", strerror(errno));
    int fd = recorder->fd;
    recorder->fd = -1;
    if (close(fd) != 0 && status == TAC_OK)
        status =
            tac_fail_at(error, TAC_FAILED, recorder->path, 0, 0, "cannot be written: %s", strerror(errno));
    release(recorder);
    return status;
}
