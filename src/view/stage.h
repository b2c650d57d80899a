// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What is being watched: a world made from a scene, or a recording. Both have a time, frames, meshes; a world
// can also be touched and changed. Belongs to one thread.

#ifndef TACTUS_VIEW_STAGE_H
#define TACTUS_VIEW_STAGE_H

#include "tactus/view.h"
#include "view/channels.h"
#include "view/exchange.h"
#include "view/history.h"

enum { TAC_STAGE_CHANNELS = 512, TAC_STAGE_TRACKS = 65535, TAC_STAGE_UNDOS = 256 };

typedef struct TacUndo {
    TacComponentId component;
    char attribute[128], value[1024];
} TacUndo;

typedef struct TacStage {
    char path[4096];
    TacScene *scene; // NULL: a recording
    TacWorld *world;
    int threads;
    uint64_t seed;
    TacRecording *recording;
    TacRecordingDef what;  // tracks and channels, as many as a frame can name
    const TacFrame *frame; // of now
    bool stale;            // the frame must be made again
    size_t at;             // frame of the recording
    double time;           // of playing it, s
    TacTrackMesh *meshes;  // that hold now, per track
    uint8_t *changed;      // meshes that pages do not know yet
    TacHistory history;
    int64_t target;  // tick to which the world was let run, and where it was stopped before
    double run_wall; // s, when it was
    TacUndo *undos;
    size_t undo_count;
    TacColourBy colour;
    float *scalars; // of all points
    TacFrameScalars *scalar_tracks;
    struct TacScalarSheet *sheet; // numbers that components show; NULL: nobody asked yet, or a recording
    TacChannels *channels;        // of a world; NULL: those of the recording
    unsigned shown;               // overlays that are asked for: bits by their number
    double size;                  // m, of the scene when somebody first asked for an overlay; 0: nobody has
    TacRecorder *recorder;        // NULL: nothing is being recorded
    char recording_to[4096];
    double next_frame; // s, that is recorded
    double record_period;
} TacStage;

// Opens a scene or a recording, by its extension. `sets` and `plugins` of the def are used; with `use_sets`
// only for the scene that was named first.
TacStatus tac_stage_open(TacStage *stage, const TacViewDef *def, const char *path, bool use_sets,
                         TacError *error);
void tac_stage_close(TacStage *stage);

double tac_stage_time(const TacStage *stage);
double tac_stage_beat(const TacStage *stage);     // s: the least step that makes sense
double tac_stage_duration(const TacStage *stage); // s

// Lets time run; a recording stops at its end, a world where a trigger says so (*ended). A world that takes long comes
// back on the way, so that it can be looked at and told to pause; the next call goes on to where this one was to end.
TacStatus tac_stage_advance(TacStage *stage, double seconds, bool *ended, TacError *error);
// One beat, or one frame of a recording, forward or back.
TacStatus tac_stage_step(TacStage *stage, bool back, TacError *error);
TacStatus tac_stage_seek(TacStage *stage, double time, TacError *error);
TacStatus tac_stage_reset(TacStage *stage, TacError *error);

// Changes an attribute of a running world; can be undone. Where the world cannot take it, a new world is made
// with it, which goes on from the same state; what has another structure or other steps is refused.
TacStatus tac_stage_set(TacStage *stage, const char *path, const char *attribute, const char *value,
                        bool can_undo, TacError *error);

// Begins or ends recording. *name is the file that was ended, or "".
TacStatus tac_stage_record(TacStage *stage, const char *folder, char *name, size_t size, TacError *error);
TacStatus tac_stage_stop_recording(TacStage *stage, TacError *error);

// Writes all inputs so far (tac_world_save_inputs). *name is the file.
TacStatus tac_stage_save_inputs(TacStage *stage, const char *folder, char *name, size_t size,
                                TacError *error);

// Takes the frame of now, unless it has it already, and notes changed meshes.
TacStatus tac_stage_look(TacStage *stage, TacError *error);

// The frame of now as bytes.
TacStatus tac_stage_encode(TacStage *stage, TacBytes *out, uint32_t number, double rate, TacError *error);

// By what pages can ask for colours, by number.
extern const char *const tac_colour_names[TAC_COLOURS];

bool tac_stage_can_colour(const TacStage *stage, TacColourBy colour);

// False when this cannot be shown here.
bool tac_stage_colour(TacStage *stage, const char *by);

// Overlays, by the number that messages carry.
typedef enum TacOverlay {
    TAC_OVERLAY_CONTACTS, // marks where things push each other; value: the gap, m
    TAC_OVERLAY_FORCES,   // arrows: hands, then contacts; value: N
    TAC_OVERLAY_BOXES,    // k-DOPs (value: which) and zones (-1)
    TAC_OVERLAY_PLANS,    // lines and tubes; value: the tube's half-width, m
    TAC_OVERLAY_SLEEPING, // boxes around what rests; value: the track
    TAC_OVERLAY_NODES,    // marks; value: TacNodeKind
    TAC_OVERLAYS
} TacOverlay;
extern const char *const tac_overlay_names[TAC_OVERLAYS];

// Segments of an overlay; *count of them, to be freed.
TacSegment *tac_stage_overlay(TacStage *stage, TacOverlay what, size_t *count);

#endif
