// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the exports share: names that other programs accept, points as x y z whatever the kind of matter,
// numbers as text that does not depend on the locale, and progress. Internal to src/record.

#ifndef TACTUS_RECORD_EXPORT_H
#define TACTUS_RECORD_EXPORT_H

#include "base/memory.h"
#include "base/text.h"
#include "record/chunk.h"

typedef struct TacExport {
    TacRecording *recording;
    const TacRecordingDef *def;
    const char *path; // as given
    TacArena *arena;
    const char **names; // per track: letters, digits and _ only, not beginning with a digit, unique
    size_t *most;       // per track: the most points in any frame
    size_t *finest;     // per track: the first frame that has so many
    size_t frame_count;
    TacProgress progress;
    void *data;
} TacExport;

TacStatus tac_export_obj(TacExport *e, TacError *error);        // export_pc2.c: OBJ + PC2
TacStatus tac_export_obj_frames(TacExport *e, TacError *error); // export_pc2.c: a folder of OBJ
TacStatus tac_export_vtu(TacExport *e, TacError *error);
TacStatus tac_export_usda(TacExport *e, TacError *error);
TacStatus tac_export_csv(TacExport *e, TacError *error);

// Tells how far the export is; fails when the caller wants to stop.
TacStatus tac_export_progress(const TacExport *e, double done, TacError *error);

// The path without its extension, in the arena.
char *tac_export_stem(TacExport *e, TacError *error);
// Makes a folder unless it is there.
TacStatus tac_export_folder(const char *path, TacError *error);

// Point i as x y z; what the kind lacks is 0.
TacVec3 tac_export_point(TacMatterKind kind, const double *positions, size_t i);
TacVec3 tac_export_velocity(TacMatterKind kind, const double *velocities, size_t i);
TacQuat tac_export_rotation(TacMatterKind kind, const double *positions,
                            size_t i); // of frames; others: identity

bool tac_mesh_is_empty(const TacTrackMesh *mesh);

#endif
