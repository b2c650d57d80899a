// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Exports recordings to files of other programs: chooses the format by the extension and has what they share.

#define _GNU_SOURCE
#include "record/export.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

TacStatus tac_export_progress(const TacExport *e, double done, TacError *error) {
    if (e->progress && !e->progress(e->data, done))
        return tac_fail(error, TAC_FAILED, "the export was stopped");
    return TAC_OK;
}

char *tac_export_stem(TacExport *e, TacError *error) {
    const char *dot = strrchr(e->path, '.');
    char *stem = tac_arena_text_n(e->arena, e->path, dot ? (size_t)(dot - e->path) : strlen(e->path));
    if (!stem) tac_fail_memory(error, strlen(e->path));
    return stem;
}

TacStatus tac_export_folder(const char *path, TacError *error) {
    struct stat info;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return TAC_OK;
    return tac_fail_at(error, TAC_FAILED, path, 0, 0, "cannot be made a folder: %s", strerror(errno));
}

TacVec3 tac_export_point(TacMatterKind kind, const double *positions, size_t i) {
    const double *p = positions + i * (size_t)tac_position_size(kind);
    switch (kind) {
    case TAC_VEC1: return tac_vec3(p[0], 0, 0);
    case TAC_VEC2:
    case TAC_RIGID2: return tac_vec3(p[0], p[1], 0);
    default: return tac_load3(p);
    }
}

TacVec3 tac_export_velocity(TacMatterKind kind, const double *velocities, size_t i) {
    const double *v = velocities + i * (size_t)tac_velocity_size(kind);
    switch (kind) {
    case TAC_VEC1: return tac_vec3(v[0], 0, 0);
    case TAC_VEC2:
    case TAC_RIGID2: return tac_vec3(v[0], v[1], 0);
    default: return tac_load3(v);
    }
}

TacQuat tac_export_rotation(TacMatterKind kind, const double *positions, size_t i) {
    const double *p = positions + i * (size_t)tac_position_size(kind);
    if (kind == TAC_RIGID2) return (TacQuat){0, 0, sin(0.5 * p[2]), cos(0.5 * p[2])};
    return kind == TAC_RIGID3 ? tac_load_quat(p + 3) : tac_quat_identity();
}

bool tac_mesh_is_empty(const TacTrackMesh *mesh) {
    return !mesh->triangles.count && !mesh->edges.count && !mesh->tetrahedra.count;
}

enum { LONGEST_NAME = 100 };

// "/liver/points" becomes "liver_points".
static char *plain_name(TacArena *arena, const char *name) {
    while (*name == '/') name++;
    size_t length = strnlen(name, LONGEST_NAME);
    char *plain = tac_arena_alloc(arena, length + 2);
    if (!plain) return NULL;
    char *to = plain;
    if (length == 0 || (name[0] >= '0' && name[0] <= '9')) *to++ = '_';
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        *to++ = letter ? c : '_';
    }
    return plain;
}

static int by_letters(const void *a, const void *b) {
    const char *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    // some file systems do not tell upper from lower case
    return strcasecmp(x, y);
}

// Where two plain names agree, all get their track's number: the numbers differ, so the names do.
static TacStatus make_names(TacExport *e, TacError *error) {
    size_t count = e->def->track_count;
    e->names = tac_arena_array(e->arena, count, sizeof *e->names);
    const char **sorted = tac_arena_array(e->arena, count, sizeof *sorted);
    if (!e->names || !sorted) return tac_fail_memory(error, count * sizeof *e->names);
    for (size_t i = 0; i < count; i++) {
        e->names[i] = sorted[i] = plain_name(e->arena, e->def->tracks[i].name);
        if (!e->names[i]) return tac_fail_memory(error, LONGEST_NAME);
    }
    if (count > 1) qsort(sorted, count, sizeof *sorted, by_letters);
    bool twice = false;
    for (size_t i = 1; i < count; i++) twice = twice || strcasecmp(sorted[i - 1], sorted[i]) == 0;
    for (size_t i = 0; twice && i < count; i++) {
        e->names[i] = tac_arena_format(e->arena, "%s_%zu", e->names[i], i);
        if (!e->names[i]) return tac_fail_memory(error, LONGEST_NAME);
    }
    return TAC_OK;
}

typedef TacStatus (*Exporter)(TacExport *e, TacError *error);

static const struct {
    const char *extension;
    Exporter exporter;
} formats[] = {
    {".obj", tac_export_obj},
    {".pvd", tac_export_vtu},
    {".usda", tac_export_usda},
    {".csv", tac_export_csv},
};

static Exporter find_exporter(const char *path) {
    size_t length = strlen(path);
    if (length && path[length - 1] == '/') return tac_export_obj_frames;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < TAC_COUNT(formats); i++)
        if (strcasecmp(dot, formats[i].extension) == 0) return formats[i].exporter;
    return NULL;
}

static TacStatus export_with(TacExport *e, Exporter exporter, TacError *error) {
    TAC_TRY(make_names(e, error));
    e->most = tac_arena_array(e->arena, e->def->track_count, sizeof *e->most);
    e->finest = tac_arena_array(e->arena, e->def->track_count, sizeof *e->finest);
    if (!e->most || !e->finest) return tac_fail_memory(error, e->def->track_count * sizeof *e->most);
    TAC_TRY(tac_recording_most_points(e->recording, e->most, e->finest, error));
    TAC_TRY(tac_export_progress(e, 0, error));
    return exporter(e, error);
}

TacStatus tac_recording_export(TacRecording *recording, const char *path, TacProgress progress, void *data,
                               TacError *error) {
    Exporter exporter = find_exporter(path);
    if (!exporter)
        return tac_fail_at(
            error, TAC_BAD_USAGE, path, 0, 0,
            "has no extension that can be exported to (.obj .pvd .usda .csv, or a folder's name "
            "with / at its end for OBJ frames)");
    TacArena arena = {0};
    TacExport e = {.recording = recording,
                   .def = tac_recording_def(recording),
                   .path = path,
                   .arena = &arena,
                   .frame_count = tac_recording_frame_count(recording),
                   .progress = progress,
                   .data = data};
    TacStatus status = export_with(&e, exporter, error);
    tac_arena_destroy(&arena);
    return status;
}
