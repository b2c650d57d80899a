// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// One run: a scene is read, compiled, simulated frame by frame, recorded and exported.
//
// Frames lie at n / fps, exactly; frame 0 is the start, and the last one is at or before the end. The run
// then goes on to its end, which is the same tick whatever the frame rate. A run that is resumed from a snapshot
// begins there instead: its first frame is that of the snapshot's time, the others are those of the whole run.

#ifndef APP_SIMULATE_H
#define APP_SIMULATE_H

#include "common.h"
#include "json.h"
#include "snapshots.h"

typedef struct AppRunOptions {
    AppSceneOptions scene; // first, for APP_SCENE_OPTIONS
    AppTexts outputs;
    double time;   // s; NaN: as the scene says
    int64_t steps; // beats; -1: by time
    double fps;    // NaN: as the scene says
    int64_t threads;
    uint64_t seed;
    const char *sweep;
    AppTexts snapshots;
    double snapshot_every; // s; NaN: not
    const char *resume;    // a snapshot to go on from; NULL: from the start
    const char *inputs;    // a file of inputs to be given again; NULL: none
    bool json, quiet, no_record, audit, accounts;
} AppRunOptions;

typedef struct AppRecordingFile {
    char *path;
    TacRecorder *recorder; // while time runs
    uint64_t bytes;
    bool temporary; // only for exports; removed in the end
} AppRecordingFile;

typedef struct AppMoment {
    TacEnergy energy;
    TacMomentum momentum;
} AppMoment;

typedef struct AppSimulation {
    // what is asked for
    const char *path; // of the scene
    const AppRunOptions *options;
    const char *assignment; // one more --set, or NULL
    AppTexts outputs;       // recordings and exports by extension; borrowed
    // what came of it
    TacScene *scene;
    TacWorld *world;
    AppRecordingFile *recordings;
    size_t recording_count;
    AppSnapshots snapshots;
    double from, end, fps;         // s: where time begins, 0 or a snapshot's; where it ends
    double setup_seconds, seconds; // wall clock: until time ran; while it ran
    int64_t frames;
    bool *remarked; // by agent: what is wrong with it was said
    AppMoment start, finish;
    uint64_t hash;
    bool ran;     // the world was made and time ran, if not to the end
    bool stopped; // by Ctrl-C
    TacStatus status;
    TacError error; // where status is not TAC_OK
} AppSimulation;

// Runs it. Problems are printed; returns the exit code. Destroy it in any case.
int app_simulate(AppSimulation *simulation);
void app_simulation_destroy(AppSimulation *simulation);

const char *app_simulation_status(const AppSimulation *simulation); // "done", "stopped", "failed", "refused"
int app_threads_used(const AppRunOptions *options);

// As --json has it; what never ran must have a scene. `key` as in json.h.
void app_simulation_json(AppJson *json, const char *key, const AppSimulation *simulation);

// sweep.c: one run for each value of a parameter.
int app_sweep(const char *path, const AppRunOptions *options);

// The scene's name without folder and extension, with something appended. The caller frees it; NULL without
// memory.
char *app_name_beside(const char *path, const char *ending);
// "a.obj" and "-n=3" give "a-n=3.obj"; "a/" gives "a-n=3/". The same ownership.
char *app_name_with(const char *path, const char *infix);

#endif
