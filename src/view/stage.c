// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "view/stage.h"
#include "base/memory.h"
#include "base/wall_clock.h"
#include "tactus/contact.h"
#include "world/look.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

static const double snapshots_per_second = 20; // of simulated time
static const double patience = 0.1;            // s, that a world may run before it is looked at

// --- opening ----------------------------------------------------------------------------------------------

static bool is_recording(const char *path) {
    size_t length = strlen(path);
    return length > 7 && !strcasecmp(path + length - 7, ".tacrec");
}

static TacStatus set_parameter(TacScene *scene, const char *assignment, TacError *error) {
    char name[128];
    size_t length = strcspn(assignment, "=");
    if (!assignment[length] || length == 0 || length >= sizeof name)
        return tac_fail(error, TAC_BAD_USAGE,
                        "%.200s: expected name=value or /node/component.attribute=value", assignment);
    snprintf(name, sizeof name, "%.*s", (int)length, assignment);
    return tac_scene_set_parameter(scene, name, assignment + length + 1, error);
}

static TacStatus read_scene(TacStage *s, const TacViewDef *def, bool use_sets, TacError *error) {
    TAC_TRY(tac_scene_create(&s->scene, error));
    for (size_t i = 0; i < def->plugin_count; i++)
        TAC_TRY(tac_scene_load_plugin(s->scene, def->plugins[i], error));
    for (size_t i = 0; i < def->class_count; i++)
        TAC_TRY(tac_scene_add_class(s->scene, def->classes[i], error));
    size_t sets = use_sets ? def->set_count : 0;
    for (size_t i = 0; i < sets; i++)
        if (def->sets[i][0] != '/') TAC_TRY(set_parameter(s->scene, def->sets[i], error));
    TAC_TRY(tac_scene_read(s->scene, s->path, error));
    for (size_t i = 0; i < sets; i++)
        if (def->sets[i][0] == '/') TAC_TRY(tac_scene_set_by_path(s->scene, def->sets[i], error));
    TacWorldDef world = tac_world_def_default();
    world.threads = def->threads;
    world.seed = def->seed;
    s->threads = def->threads;
    s->seed = def->seed;
    TAC_TRY(tac_world_create(&s->world, s->scene, &world, error));
    tac_history_begin(&s->history, s->world, def->snapshot_memory);
    return TAC_OK;
}

static TacStatus take_tables(TacStage *s, TacError *error) {
    size_t points = 0, tracks = s->what.track_count;
    for (size_t i = 0; i < tracks; i++) points += s->what.tracks[i].point_count;
    s->meshes = calloc(tracks + 1, sizeof *s->meshes);
    s->changed = calloc(tracks + 1, sizeof *s->changed);
    s->scalars = calloc(points + 1, sizeof *s->scalars);
    s->scalar_tracks = calloc(tracks + 1, sizeof *s->scalar_tracks);
    s->undos = calloc(TAC_STAGE_UNDOS, sizeof *s->undos);
    if (!s->meshes || !s->changed || !s->scalars || !s->scalar_tracks || !s->undos)
        return tac_fail_memory(error, 0);
    for (size_t i = 0; i < tracks; i++) s->meshes[i] = s->what.tracks[i].mesh;
    return TAC_OK;
}

static TacStatus take_channels(TacStage *s, TacWorld *world, TacError *error) {
    TacChannels *channels;
    TAC_TRY(tac_channels_create(&channels, world, TAC_STAGE_CHANNELS, error));
    tac_channels_destroy(s->channels);
    s->channels = channels;
    s->what.channels = tac_channels_defs(channels, &s->what.channel_count);
    return TAC_OK;
}

static TacStatus open(TacStage *s, const TacViewDef *def, bool use_sets, TacError *error) {
    if (is_recording(s->path)) {
        TAC_TRY(tac_recording_open(&s->recording, s->path, error));
        if (tac_recording_frame_count(s->recording) == 0)
            return tac_fail_at(error, TAC_BAD_INPUT, s->path, 0, 0, "has no frames");
        s->what = *tac_recording_def(s->recording);
        s->time = tac_recording_frame_time(s->recording, 0);
    } else {
        TAC_TRY(read_scene(s, def, use_sets, error));
        const TacRecordingDef *what = tac_world_recording_def(s->world, error);
        if (!what) return TAC_FAILED;
        s->what = *what;
    }
    if (s->world) TAC_TRY(take_channels(s, s->world, error));
    if (s->what.channel_count > TAC_STAGE_CHANNELS) s->what.channel_count = TAC_STAGE_CHANNELS;
    if (s->what.track_count > TAC_STAGE_TRACKS) s->what.track_count = TAC_STAGE_TRACKS;
    s->stale = true;
    return take_tables(s, error);
}

TacStatus tac_stage_open(TacStage *s, const TacViewDef *def, const char *path, bool use_sets,
                         TacError *error) {
    *s = (TacStage){0};
    if (strlen(path) >= sizeof s->path)
        return tac_fail(error, TAC_BAD_INPUT, "%.200s...: the path is too long", path);
    snprintf(s->path, sizeof s->path, "%s", path);
    TacStatus status = open(s, def, use_sets, error);
    if (status != TAC_OK) tac_stage_close(s);
    return status;
}

void tac_stage_close(TacStage *s) {
    tac_recorder_close(s->recorder, NULL);
    tac_history_end(&s->history);
    tac_recording_close(s->recording);
    tac_scalar_sheet_destroy(s->sheet);
    tac_channels_destroy(s->channels);
    tac_world_destroy(s->world);
    tac_scene_destroy(s->scene);
    free(s->meshes);
    free(s->changed);
    free(s->scalars);
    free(s->scalar_tracks);
    free(s->undos);
    *s = (TacStage){0};
}

// --- time -------------------------------------------------------------------------------------------------

double tac_stage_time(const TacStage *s) {
    return s->world ? tac_world_time(s->world) : s->time;
}

double tac_stage_beat(const TacStage *s) {
    return s->world ? tac_world_beat(s->world) : s->what.fps > 0 ? 1 / s->what.fps : 1.0 / 60;
}

double tac_stage_duration(const TacStage *s) {
    if (s->world) return tac_world_duration(s->world);
    return tac_recording_frame_time(s->recording, tac_recording_frame_count(s->recording) - 1);
}

// The last frame not after this time.
static size_t frame_at(const TacStage *s, double time) {
    size_t low = 0, high = tac_recording_frame_count(s->recording);
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(tac_recording_frame_time(s->recording, middle) <= time ? &low : &high) = middle;
    }
    return low;
}

static void go_to_frame(TacStage *s, size_t frame) {
    s->at = frame;
    s->stale = true;
}

static TacStatus record_frame(TacStage *s, TacError *error) {
    if (!s->recorder || tac_world_time(s->world) < s->next_frame) return TAC_OK;
    s->next_frame = (floor(tac_world_time(s->world) / s->record_period + 1e-9) + 1) * s->record_period;
    return tac_recorder_frame(s->recorder, tac_world_frame(s->world), error);
}

static bool takes_long(void *data) {
    return tac_wall_seconds() - ((const TacStage *)data)->run_wall > patience;
}

static TacStatus run_world(TacStage *s, double seconds, TacError *error) {
    TacWorld *w = s->world;
    int64_t now = tac_world_tick(w), most = tac_ticks_round(w->base, seconds);
    if (s->target <= now || s->target - now > most) s->target = now + most;
    s->run_wall = tac_wall_seconds();
    tac_world_stop_when(w, takes_long, s);
    TacStatus status = tac_world_advance(w, tac_seconds(w->base, s->target - now), error);
    tac_world_stop_when(w, NULL, NULL);
    return status;
}

TacStatus tac_stage_advance(TacStage *s, double seconds, bool *ended, TacError *error) {
    *ended = false;
    if (s->recording) {
        s->time += seconds;
        double end = tac_stage_duration(s);
        *ended = s->time >= end;
        if (*ended) s->time = end;
        size_t frame = frame_at(s, s->time);
        if (frame != s->at) go_to_frame(s, frame);
        return TAC_OK;
    }
    s->stale = true;
    double now = tac_world_time(s->world);
    if (now - tac_history_before(&s->history, now) >= 1 / snapshots_per_second)
        tac_history_keep(&s->history, s->world);
    tac_world_go_on(s->world); // where a trigger had stopped it, playing again goes on
    TAC_TRY(run_world(s, seconds, error));
    *ended = tac_world_stopped_by(s->world) != NULL;
    return record_frame(s, error);
}

static TacStatus step_world(TacStage *s, bool back, TacError *error) {
    s->stale = true;
    if (!back) {
        tac_history_keep(&s->history, s->world);
        tac_world_go_on(s->world);
        TAC_TRY(tac_world_advance_beats(s->world, 1, error));
        return record_frame(s, error);
    }
    TAC_TRY(tac_stage_stop_recording(s, error));
    if (!tac_history_back(&s->history, s->world))
        return tac_fail(error, TAC_FAILED, "there is no snapshot before this time to go back to");
    return TAC_OK;
}

TacStatus tac_stage_step(TacStage *s, bool back, TacError *error) {
    if (s->world) return step_world(s, back, error);
    size_t last = tac_recording_frame_count(s->recording) - 1;
    go_to_frame(s, back ? (s->at ? s->at - 1 : 0) : s->at < last ? s->at + 1 : last);
    s->time = tac_recording_frame_time(s->recording, s->at);
    return TAC_OK;
}

TacStatus tac_stage_seek(TacStage *s, double time, TacError *error) {
    s->stale = true;
    if (s->recording) {
        double first = tac_recording_frame_time(s->recording, 0), last = tac_stage_duration(s);
        s->time = fmin(fmax(time, first), last);
        go_to_frame(s, frame_at(s, s->time));
        return TAC_OK;
    }
    TAC_TRY(tac_stage_stop_recording(s, error));
    if (!tac_history_seek(&s->history, s->world, time))
        return tac_fail(error, TAC_FAILED, "there is no snapshot to go to");
    return TAC_OK;
}

TacStatus tac_stage_reset(TacStage *s, TacError *error) {
    s->stale = true;
    if (s->recording) return tac_stage_seek(s, 0, error);
    TAC_TRY(tac_stage_stop_recording(s, error));
    if (!tac_history_reset(&s->history, s->world))
        return tac_fail(error, TAC_FAILED, "not enough memory was there to keep the start");
    return TAC_OK;
}

// --- changing ---------------------------------------------------------------------------------------------

static void remember(TacStage *s, const TacUndo *undo) {
    if (s->undo_count == TAC_STAGE_UNDOS) {
        memmove(s->undos, s->undos + 1, (TAC_STAGE_UNDOS - 1) * sizeof *s->undos);
        s->undo_count--;
    }
    s->undos[s->undo_count++] = *undo;
}

static bool is_live(const TacStage *s, TacComponentId id, const char *attribute) {
    const TacClass *cls = tac_scene_class_of(s->scene, id);
    for (size_t i = 0; cls && i < cls->attribute_count; i++)
        if (!strcmp(cls->attributes[i].name, attribute)) return (cls->attributes[i].flags & TAC_LIVE) != 0;
    return true; // there is none of that name: the world says so
}

// Clocks are state, so a world with other steps cannot go on from the state of this one; nor can one with other
// channels be shown in its place.
static TacStatus check_steps(TacWorld *a, TacWorld *b, TacError *error) {
    const TacRecordingDef *shown = tac_world_recording_def(a, error),
                          *now = tac_world_recording_def(b, error);
    if (!shown || !now || shown->channel_count != now->channel_count ||
        shown->track_count != now->track_count)
        return tac_fail(error, TAC_BAD_USAGE, "what is recorded cannot change while time runs");
    TacWorldStats stats = tac_world_stats(a), other = tac_world_stats(b);
    size_t count = stats.agents + stats.free_laws;
    bool same = count == other.agents + other.free_laws;
    for (size_t i = 0; same && i < count; i++)
        same = tac_world_agent(a, i).step == tac_world_agent(b, i).step;
    return same ? TAC_OK : tac_fail(error, TAC_BAD_USAGE, "steps cannot change while time runs");
}

static TacStatus go_on_with(TacStage *s, TacWorld *world, TacError *error) {
    size_t bytes = tac_world_snapshot_size(s->world);
    TAC_TRY(check_steps(s->world, world, error));
    void *state = malloc(bytes);
    if (!state) return tac_fail_memory(error, bytes);
    TacStatus status = tac_world_save(s->world, state, bytes, error);
    if (status == TAC_OK) status = tac_world_restore(world, state, bytes, error);
    free(state);
    if (status == TAC_BAD_INPUT)
        return tac_fail(error, TAC_BAD_USAGE,
                        "this changes what the world is made of, which cannot be done while "
                        "time runs");
    return status;
}

static bool same_ints(TacInts a, TacInts b) {
    return a.count == b.count && (a.count == 0 || !memcmp(a.data, b.data, a.count * sizeof *a.data));
}

// Tracks of a world that takes the place of this one; as many as there were.
static void take_tracks(TacStage *s, const TacRecordingDef *what) {
    s->what.tracks = what->tracks;
    for (size_t i = 0; i < s->what.track_count; i++) {
        const TacTrackMesh *mesh = &what->tracks[i].mesh;
        bool same =
            same_ints(mesh->triangles, s->meshes[i].triangles) && same_ints(mesh->edges, s->meshes[i].edges);
        if (!same) s->changed[i] = 1;
        s->meshes[i] = *mesh;
    }
}

// An attribute that the running world has taken to pieces: a world is made with the new value, and goes on from
// the state of the old one.
static TacStatus set_by_remaking(TacStage *s, const TacUndo *undo, bool whole, const char *value,
                                 TacError *error) {
    if (s->recorder)
        return tac_fail(error, TAC_BAD_USAGE, "end the recording first: this makes the world anew");
    if (!whole) return tac_fail(error, TAC_BAD_USAGE, "%s is too long to be changed here", undo->attribute);
    TAC_TRY(tac_scene_set(s->scene, undo->component, undo->attribute, value, error));
    TacWorldDef def = tac_world_def_default();
    def.threads = s->threads;
    def.seed = s->seed;
    TacWorld *world;
    TacStatus status = tac_world_create(&world, s->scene, &def, error);
    if (status == TAC_OK) status = go_on_with(s, world, error);
    if (status == TAC_OK) status = take_channels(s, world, error);
    if (status != TAC_OK) {
        tac_world_destroy(world);
        tac_scene_set(s->scene, undo->component, undo->attribute, undo->value, NULL);
        return status;
    }
    take_tracks(s, tac_world_recording_def(world, error));
    tac_scalar_sheet_destroy(s->sheet);
    s->sheet = NULL;
    tac_world_destroy(s->world);
    s->world = world;
    return TAC_OK;
}

TacStatus tac_stage_set(TacStage *s, const char *path, const char *attribute, const char *value,
                        bool can_undo, TacError *error) {
    if (!s->world) return tac_fail(error, TAC_BAD_USAGE, "a recording cannot be changed");
    TacUndo undo = {.component = tac_world_find(s->world, path)};
    if (!undo.component.index1) return tac_fail(error, TAC_BAD_USAGE, "there is no component %.400s", path);
    snprintf(undo.attribute, sizeof undo.attribute, "%s", attribute);
    bool whole = tac_world_text(s->world, undo.component, attribute, undo.value, sizeof undo.value);
    if (is_live(s, undo.component, attribute)) {
        TAC_TRY(tac_world_set(s->world, undo.component, attribute, value, error));
        tac_scene_set(s->scene, undo.component, attribute, value, NULL); // for those who save it
    } else {
        TAC_TRY(set_by_remaking(s, &undo, whole, value, error));
    }
    if (can_undo) remember(s, &undo);
    s->stale = true;
    return TAC_OK;
}

// --- recording --------------------------------------------------------------------------------------------

static void name_beside(const TacStage *s, const char *folder, const char *extension, char *name,
                        size_t size) {
    const char *slash = strrchr(s->path, '/'), *base = slash ? slash + 1 : s->path;
    const char *dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    snprintf(name, size, "%s/%.*s-view%s", folder && *folder ? folder : ".", length, base, extension);
}

TacStatus tac_stage_record(TacStage *s, const char *folder, char *name, size_t size, TacError *error) {
    *name = 0;
    if (!s->world) return tac_fail(error, TAC_BAD_USAGE, "this is a recording already");
    if (s->recorder) {
        snprintf(name, size, "%s", s->recording_to);
        return tac_stage_stop_recording(s, error);
    }
    const TacRecordingDef *def = tac_world_recording_def(s->world, error);
    name_beside(s, folder, ".tacrec", s->recording_to, sizeof s->recording_to);
    TacStatus status = def ? tac_recorder_open(&s->recorder, s->recording_to, def, error) : TAC_FAILED;
    if (status != TAC_OK) {
        s->recorder = NULL;
        s->recording_to[0] = 0;
        return status;
    }
    s->record_period = def->fps > 0 ? 1 / def->fps : tac_world_beat(s->world);
    s->next_frame = -1;
    return record_frame(s, error);
}

TacStatus tac_stage_stop_recording(TacStage *s, TacError *error) {
    TacStatus status = tac_recorder_close(s->recorder, error);
    s->recorder = NULL;
    s->recording_to[0] = 0;
    return status;
}

TacStatus tac_stage_save_inputs(TacStage *s, const char *folder, char *name, size_t size, TacError *error) {
    if (!s->world) return tac_fail(error, TAC_BAD_USAGE, "a recording has no inputs");
    name_beside(s, folder, ".tacin", name, size);
    return tac_world_save_inputs(s->world, name, error);
}
