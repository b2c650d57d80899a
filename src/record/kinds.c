// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The kinds of matter as recordings see them, and what makes a recording's definition valid: the same rules
// for the writer (a caller's mistake) and for the reader (a hostile file). Touches no files.

#include "base/memory.h"
#include "record/chunk.h"

#include <string.h>

static const struct {
    const char *name;
    int position, velocity;
} kinds[TAC_MATTER_KINDS] = {
    [TAC_VEC1] = {"Vec1", 1, 1},     [TAC_VEC2] = {"Vec2", 2, 2},     [TAC_VEC3] = {"Vec3", 3, 3},
    [TAC_RIGID2] = {"Rigid2", 3, 3}, [TAC_RIGID3] = {"Rigid3", 7, 6},
};

static bool kind_known(TacMatterKind kind) {
    return (unsigned)kind < TAC_MATTER_KINDS;
}

int tac_position_size(TacMatterKind kind) {
    return kind_known(kind) ? kinds[kind].position : 0;
}

int tac_velocity_size(TacMatterKind kind) {
    return kind_known(kind) ? kinds[kind].velocity : 0;
}

const char *tac_matter_kind_name(TacMatterKind kind) {
    return kind_known(kind) ? kinds[kind].name : "unknown";
}

TacRecordingDef tac_recording_def_default(void) {
    return (TacRecordingDef){
        .scene = "",
        .beat = 0.01,
        .fps = 60,
        .up = {0, 1, 0},
        .ground = {.normal = {0, 1, 0}},
    };
}

size_t tac_track_width(const TacRecordingDef *def, size_t track) {
    TacMatterKind kind = def->tracks[track].kind;
    return (size_t)(tac_position_size(kind) + (def->velocities ? tac_velocity_size(kind) : 0));
}

static bool finite3(TacVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static bool within(double value, double low, double high) {
    return value >= low && value <= high;
}

enum { LONGEST_TEXT = 4096 };

// Names end up in file names, tables and attributes: no control characters, not empty, not endless.
static bool name_good(const char *name) {
    if (!name || !name[0] || strlen(name) > LONGEST_TEXT) return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) return false;
    return true;
}

static int compare_names(const void *a, const void *b) {
    const char *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return strcmp(x, y);
}

// Sorts the names in place; gives one that occurs twice, or NULL.
static const char *find_double(const char **names, size_t count) {
    if (count > 1) qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0) return names[i];
    return NULL;
}

static TacStatus check_track(const TacTrackDef *track, size_t number, TacStatus status, TacError *error) {
    if (!name_good(track->name))
        return tac_fail(error, status, "track %zu has no usable name (1 to %d printable bytes)", number,
                        LONGEST_TEXT);
    if (!kind_known(track->kind))
        return tac_fail(error, status, "track %s has the unknown kind %d", track->name, (int)track->kind);
    if (track->point_count > TAC_POINT_LIMIT)
        return tac_fail(error, status, "track %s has %zu points; at most %lld can be recorded", track->name,
                        track->point_count, (long long)TAC_POINT_LIMIT);
    if (track->radii.count && (track->radii.count != track->point_count || !track->radii.data))
        return tac_fail(error, status, "track %s has %zu radii for %zu points", track->name,
                        track->radii.count, track->point_count);
    for (size_t i = 0; i < track->radii.count; i++)
        if (!isfinite(track->radii.data[i]) || track->radii.data[i] < 0)
            return tac_fail(error, status, "radius %zu of track %s is %g", i, track->name,
                            track->radii.data[i]);
    bool look = isfinite(track->radius) && track->radius >= 0 && within(track->opacity, 0, 1);
    for (int i = 0; i < 3; i++) look = look && within(track->color[i], 0, 1);
    if (!look)
        return tac_fail(error, status,
                        "track %s needs a radius of at least 0 and colors and opacity from 0 to 1",
                        track->name);
    return TAC_OK;
}

static TacStatus check_unique(const TacRecordingDef *def, TacStatus status, TacError *error) {
    size_t most = def->track_count > def->channel_count ? def->track_count : def->channel_count;
    const char **names = most ? malloc(most * sizeof *names) : NULL;
    if (most && !names) return tac_fail_memory(error, most * sizeof *names);
    for (size_t i = 0; i < def->track_count; i++) names[i] = def->tracks[i].name;
    const char *twice = find_double(names, def->track_count);
    TacStatus result = TAC_OK;
    if (twice) result = tac_fail(error, status, "two tracks are called %s", twice);
    for (size_t i = 0; i < def->channel_count; i++) names[i] = def->channels[i].name;
    twice = find_double(names, def->channel_count);
    if (twice) result = tac_fail(error, status, "two channels are called %s", twice);
    free(names);
    return result;
}

TacStatus tac_recording_def_check(const TacRecordingDef *def, TacStatus status, TacError *error) {
    if (def->track_count > UINT32_MAX || def->channel_count > UINT32_MAX ||
        (def->track_count && !def->tracks) || (def->channel_count && !def->channels))
        return tac_fail(error, status, "the lists of tracks and channels do not fit their counts");
    if (!def->scene || strlen(def->scene) > LONGEST_TEXT)
        return tac_fail(error, status, "the scene's name is missing or has more than %d bytes", LONGEST_TEXT);
    if (!isfinite(def->beat) || def->beat < 0 || !isfinite(def->fps) || def->fps < 0)
        return tac_fail(error, status, "the beat (%g s) and the frames per second (%g) must be at least 0",
                        def->beat, def->fps);
    if (!finite3(def->up) || !finite3(def->ground.normal) || !isfinite(def->ground.offset) ||
        !finite3(def->camera.eye) || !finite3(def->camera.target) ||
        !within(def->camera.field_of_view, 0, 180))
        return tac_fail(error, status,
                        "up, ground and camera must be finite, the field of view 0 to 180 degrees");
    for (size_t i = 0; i < def->track_count; i++) TAC_TRY(check_track(&def->tracks[i], i, status, error));
    for (size_t i = 0; i < def->channel_count; i++)
        if (!name_good(def->channels[i].name) || !name_good(def->channels[i].unit))
            return tac_fail(error, status, "channel %zu has no usable name or unit (1 to %d printable bytes)",
                            i, LONGEST_TEXT);
    return check_unique(def, status, error);
}

static bool list_good(TacInts list, size_t size, int32_t *largest) {
    if (list.count % size || list.count > UINT64_C(1) << 34 || (list.count && !list.data)) return false;
    for (size_t i = 0; i < list.count; i++) {
        if (list.data[i] < 0) return false;
        if (list.data[i] > *largest) *largest = list.data[i];
    }
    return true;
}

TacStatus tac_track_mesh_check(const TacTrackMesh *mesh, const char *track, size_t *top, TacStatus status,
                               TacError *error) {
    int32_t largest = -1;
    if (!list_good(mesh->triangles, 3, &largest) || !list_good(mesh->edges, 2, &largest) ||
        !list_good(mesh->tetrahedra, 4, &largest))
        return tac_fail(error, status,
                        "the mesh of track %s has negative indices or elements that are not whole", track);
    *top = (size_t)(largest + 1);
    return TAC_OK;
}
