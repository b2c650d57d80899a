// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "simulate.h"
#include "commands.h"
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double most_frames = 1e12;

// --- names ------------------------------------------------------------------------------------------------

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *app_name_beside(const char *path, const char *ending) {
    const char *name = name_of(path), *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    char *result;
    return asprintf(&result, "%.*s%s", length, name, ending) < 0 ? NULL : result;
}

char *app_name_with(const char *path, const char *infix) {
    size_t length = strlen(path);
    const char *name = name_of(path), *dot = strrchr(name, '.');
    // a folder keeps its / at the end
    const char *cut = *name == 0 && length > 1 ? path + length - 1 : dot && dot > name ? dot : path + length;
    char *result;
    return asprintf(&result, "%.*s%s%s", (int)(cut - path), path, infix, cut) < 0 ? NULL : result;
}

int app_threads_used(const AppRunOptions *options) {
    if (options->threads > 0) return (int)options->threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

// --- recordings -------------------------------------------------------------------------------------------

static bool is_recording(const char *path) {
    return app_has_extension(path, ".tacrec");
}

static TacStatus add_recording(AppSimulation *s, char *path, bool temporary, TacError *error) {
    AppRecordingFile *list = path ? realloc(s->recordings, (s->recording_count + 1) * sizeof *list) : NULL;
    if (!list) {
        free(path);
        return tac_fail_memory(error, sizeof *list);
    }
    s->recordings = list;
    AppRecordingFile *file = &list[s->recording_count];
    *file = (AppRecordingFile){.path = path, .temporary = temporary};
    s->recording_count++;
    TacRecordingDef def = *tac_world_recording_def(s->world, error);
    def.fps = s->fps;
    return tac_recorder_open(&file->recorder, path, &def, error);
}

// Where exports need a recording and none is asked for: one beside the first export.
static char *temporary_path(const char *output) {
    size_t length = strlen(output);
    while (length > 1 && output[length - 1] == '/') length--;
    char *result;
    return asprintf(&result, "%.*s.%ld.tacrec", (int)length, output, (long)getpid()) < 0 ? NULL : result;
}

// A folder that is missing is noticed before the run, not after it.
static TacStatus check_folder_of(const char *path, TacError *error) {
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (slash && !slash[1]) return TAC_OK; // a folder of frames is made by the export
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (slash == path) snprintf(folder, sizeof folder, "/");
    if (access(folder, W_OK | X_OK) == 0) return TAC_OK;
    return tac_fail_at(error, TAC_FAILED, path, 0, 0, "cannot be written: %s", strerror(errno));
}

static TacStatus open_recordings(AppSimulation *s, TacError *error) {
    for (size_t i = 0; i < s->outputs.count; i++) {
        const char *path = s->outputs.items[i];
        TacStatus status =
            is_recording(path) ? add_recording(s, strdup(path), false, error) : check_folder_of(path, error);
        if (status != TAC_OK) return status;
    }
    for (size_t i = 0; i < s->snapshots.count; i++) {
        TacStatus status = check_folder_of(s->snapshots.items[i].path, error);
        if (status != TAC_OK) return status;
    }
    if (s->recording_count || !s->outputs.count) return TAC_OK;
    return add_recording(s, temporary_path(s->outputs.items[0]), true, error);
}

static TacStatus record_frame(AppSimulation *s, TacError *error) {
    const TacFrame *frame = s->recording_count ? tac_world_frame(s->world) : NULL;
    for (size_t i = 0; i < s->recording_count; i++) {
        TacStatus status = tac_recorder_frame(s->recordings[i].recorder, frame, error);
        if (status != TAC_OK) return status;
    }
    s->frames++;
    return TAC_OK;
}

static uint64_t bytes_recorded(const AppSimulation *s) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->recording_count; i++)
        if (s->recordings[i].recorder) bytes += tac_recorder_bytes(s->recordings[i].recorder);
    return bytes;
}

// All are closed; the first problem counts.
static TacStatus close_recordings(AppSimulation *s, TacError *error) {
    TacStatus first = TAC_OK;
    for (size_t i = 0; i < s->recording_count; i++) {
        AppRecordingFile *file = &s->recordings[i];
        TacStatus status = tac_recorder_close(file->recorder, first == TAC_OK ? error : NULL);
        file->recorder = NULL;
        if (first == TAC_OK) first = status;
        struct stat info;
        if (stat(file->path, &info) == 0) file->bytes = (uint64_t)info.st_size;
    }
    return first;
}

// --- time -------------------------------------------------------------------------------------------------

// To the exact end: the first frame of a rate whose frame is the whole run, or that many beats.
static TacStatus advance_to_end(AppSimulation *s, TacError *error) {
    if (s->from >= s->end * (1 - 1e-12)) return TAC_OK; // resumed where it ends
    if (s->options->steps >= 0)
        return tac_world_advance_to_frame(s->world, 1 / tac_world_beat(s->world), s->options->steps, error);
    return s->end > 0 ? tac_world_advance_to_frame(s->world, 1 / s->end, 1, error) : TAC_OK;
}

// Whether a trigger of the scene, or Ctrl-C, has ended the run.
static bool is_over(const AppSimulation *s) {
    return app_interrupted() || tac_world_stopped_by(s->world);
}

// To a frame, or to the end (-1), with the snapshots on the way and those at that moment.
static TacStatus advance_to(AppSimulation *s, int64_t frame, bool record, TacError *error) {
    double time = frame < 0 ? s->end : (double)frame / s->fps;
    TacStatus status = app_snapshots_before(&s->snapshots, s->world, time, error);
    if (status != TAC_OK || app_interrupted()) return status;
    status =
        frame < 0 ? advance_to_end(s, error) : tac_world_advance_to_frame(s->world, s->fps, frame, error);
    if (status != TAC_OK || app_interrupted()) return status;
    if (record) status = record_frame(s, error);
    return status == TAC_OK ? app_snapshots_now(&s->snapshots, s->world, time, error) : status;
}

// The first frame after the one at which time begins.
static int64_t first_frame(const AppSimulation *s) {
    double frames = s->from * s->fps;
    return (int64_t)floor(frames + 1e-9 * fmax(1, frames)) + 1;
}

// What is wrong with agents, once each.
static void put_remarks(AppSimulation *s, AppProgress *progress) {
    TacError remark;
    for (size_t i = 0; s->remarked && i < tac_world_stats(s->world).agents; i++) {
        if (s->remarked[i] || !tac_world_agent_remark(s->world, i, &remark)) continue;
        s->remarked[i] = true;
        app_progress_end(progress);
        app_put_remark(&remark);
    }
}

static TacStatus advance_all(AppSimulation *s, AppProgress *progress, TacError *error) {
    double frames = s->end * s->fps, near = round(frames);
    if (!(frames < most_frames))
        return tac_fail(error, TAC_BAD_USAGE, "%g s at %g frames per second are too many frames", s->end,
                        s->fps);
    bool end_is_frame = fabs(frames - near) <= 1e-9 * fmax(1, near);
    int64_t last = (int64_t)(end_is_frame ? near : floor(frames));
    TacStatus status = record_frame(s, error);
    if (status == TAC_OK) status = app_snapshots_now(&s->snapshots, s->world, s->from, error);
    for (int64_t n = first_frame(s); n <= last && status == TAC_OK && !is_over(s); n++) {
        status = advance_to(s, n == last && end_is_frame ? -1 : n, true, error);
        put_remarks(s, progress);
        app_progress_run(progress, tac_world_time(s->world), s->end, bytes_recorded(s));
    }
    if (status == TAC_OK && !end_is_frame && !is_over(s)) status = advance_to(s, -1, false, error);
    // one that was stopped can go on from there
    if (status == TAC_OK) status = app_snapshots_end(&s->snapshots, s->world, error);
    return status;
}

static bool wants_stop(void *data) {
    (void)data;
    return app_interrupted();
}

// Triggers ask for snapshots: NAME-TRIGGER.tacsnap in the current folder.
static void take_snapshot(void *data, const char *trigger) {
    AppSimulation *s = data;
    const char *base = strrchr(s->path, '/'), *name = strrchr(trigger, '/') + 1;
    base = base ? base + 1 : s->path;
    char *path = NULL;
    TacError error = {0};
    if (asprintf(&path, "%.*s-%s.tacsnap", (int)strcspn(base, "."), base, name) < 0) path = NULL;
    if (!path)
        app_out_of_memory();
    else if (tac_world_save_file(s->world, path, &error) != TAC_OK)
        app_report(&error);
    else if (!s->options->quiet)
        app_say("%s at %g s: %s", trigger, tac_world_time(s->world), path);
    free(path);
}

static AppMoment measure(TacWorld *world) {
    return (AppMoment){tac_world_energy(world), tac_world_momentum(world)};
}

// Energy is read in the middle of the first kicks: where these take long, that is where one waits.
static AppMoment measure_start(const AppSimulation *s) {
    AppStages stages;
    app_stages_begin(&stages, "computing the first kicks", s->options->quiet);
    AppMoment moment = measure(s->world);
    app_stages_end(&stages);
    return moment;
}

static void let_time_run(AppSimulation *s) {
    s->start = measure_start(s);
    s->finish = s->start;
    s->status = open_recordings(s, &s->error);
    if (s->status == TAC_OK) {
        app_catch_interrupt();
        tac_world_stop_when(s->world, wants_stop, NULL);
        tac_world_on_snapshot(s->world, take_snapshot, s);
        s->ran = true;
        if (!s->options->quiet)
            s->remarked = calloc(tac_world_stats(s->world).agents + 1, sizeof *s->remarked);
        AppProgress progress = app_progress("simulating", s->options->quiet);
        double begin = app_seconds();
        s->status = advance_all(s, &progress, &s->error);
        s->seconds = app_seconds() - begin;
        put_remarks(s, &progress);
        app_progress_end(&progress);
        s->stopped = s->status == TAC_OK && app_interrupted();
        s->finish = measure(s->world);
        s->hash = tac_world_hash(s->world);
    }
    TacError error;
    TacStatus closed = close_recordings(s, &error);
    if (s->status != TAC_OK || closed == TAC_OK) return;
    s->status = closed;
    s->error = error;
}

// --- after it ---------------------------------------------------------------------------------------------

static int export_all(const AppSimulation *s) {
    size_t exports = 0;
    for (size_t i = 0; i < s->outputs.count; i++) exports += !is_recording(s->outputs.items[i]);
    if (!exports || !s->frames) return APP_DONE;
    TacError error;
    TacRecording *recording;
    if (tac_recording_open(&recording, s->recordings[0].path, &error) != TAC_OK) return app_report(&error);
    int code = APP_DONE;
    for (size_t i = 0; i < s->outputs.count && code == APP_DONE; i++)
        if (!is_recording(s->outputs.items[i]))
            code = app_export(recording, s->outputs.items[i], s->options->quiet);
    tac_recording_close(recording);
    return code;
}

static const char *where_recorded(const AppSimulation *s, char *text, size_t size) {
    *text = 0;
    for (size_t i = 0; i < s->recording_count; i++)
        if (!s->recordings[i].temporary && s->frames) {
            snprintf(text, size, "; %.400s holds %" PRId64 " frame%s", s->recordings[i].path, s->frames,
                     s->frames == 1 ? "" : "s");
            break;
        }
    return text;
}

static int conclude(const AppSimulation *s) {
    char where[512];
    int code = APP_DONE;
    if (s->status != TAC_OK) {
        code = app_report(&s->error);
        if (s->ran)
            app_say("the run ended at %g s of %g s%s", tac_world_time(s->world), s->end,
                    where_recorded(s, where, sizeof where));
    } else if (s->stopped) {
        code = APP_STOPPED;
        app_say("stopped at %g s of %g s%s", tac_world_time(s->world), s->end,
                where_recorded(s, where, sizeof where));
    } else if (tac_world_stopped_by(s->world) && !s->options->quiet) {
        app_say("%s stopped the run at %g s of %g s", tac_world_stopped_by(s->world),
                tac_world_time(s->world), s->end);
    }
    TacAuditSummary audit = tac_world_audit_summary(s->world);
    char text[600];
    for (size_t i = 0; i < audit.listed; i++)
        app_say("audit: %s", tac_world_audit_violation(s->world, i, text, sizeof text));
    if (audit.violations > audit.listed) app_say("audit: %zu in all", audit.violations);
    return audit.violations && code == APP_DONE ? APP_FAILED : code;
}

// Where time begins: at 0, or where the snapshot is that the run goes on from.
static int begin_time(AppSimulation *s) {
    const AppRunOptions *options = s->options;
    if (options->resume) {
        TacSnapshotInfo info;
        if (tac_world_restore_file(s->world, options->resume, &info, &s->error) != TAC_OK)
            return app_report(&s->error);
        s->from = tac_world_time(s->world);
        if (info.other_values && !options->quiet)
            app_say("remark: attributes of the scene had other values when %.300s was written; this run goes "
                    "on with those of now",
                    options->resume);
        if (s->from > s->end * (1 + 1e-12))
            return app_bad_usage("run",
                                 "--resume %.300s is at %g s, and the run ends at %g s: give a longer --time",
                                 options->resume, s->from, s->end);
    }
    char *otherwise = app_name_beside(s->path, ".tacsnap");
    int code = app_snapshots_read(&s->snapshots, &options->snapshots, options->snapshot_every, otherwise);
    free(otherwise);
    return code == APP_DONE ? app_snapshots_check(&s->snapshots, s->from, s->end) : code;
}

int app_simulate(AppSimulation *s) {
    const AppRunOptions *options = s->options;
    double begin = app_seconds();
    int code = app_read_scene(&s->scene, s->path, &options->scene, s->assignment, options->json);
    if (code != APP_DONE) return code;
    TacWorldDef def = tac_world_def_default();
    def.threads = (int)options->threads;
    def.seed = options->seed;
    code = app_create_world(&s->world, s->scene, &def, options->quiet, &s->error);
    if (code != APP_DONE) return code;
    s->fps = isnan(options->fps) ? tac_world_fps(s->world) : options->fps;
    s->end = options->steps >= 0    ? (double)options->steps * tac_world_beat(s->world)
             : isnan(options->time) ? tac_world_duration(s->world)
                                    : options->time;
    code = begin_time(s);
    if (code != APP_DONE) return code;
    if (options->inputs && tac_world_replay_inputs(s->world, options->inputs, &s->error) != TAC_OK)
        return app_report(&s->error);
    if (options->audit) {
        TacError error;
        if (tac_world_audit(s->world, &error) != TAC_OK) return app_bad_usage("run", "%s", error.message);
    }
    if (options->accounts) {
        TacError error;
        if (tac_world_keep_accounts(s->world, &error) != TAC_OK) return app_out_of_memory();
    }
    s->setup_seconds = app_seconds() - begin;
    let_time_run(s);
    code = conclude(s);
    int exported = export_all(s);
    return code != APP_DONE ? code : exported;
}

void app_simulation_destroy(AppSimulation *s) {
    for (size_t i = 0; i < s->recording_count; i++) {
        if (s->recordings[i].temporary) unlink(s->recordings[i].path);
        free(s->recordings[i].path);
    }
    free(s->recordings);
    free(s->remarked);
    app_snapshots_destroy(&s->snapshots);
    tac_world_destroy(s->world);
    tac_scene_destroy(s->scene);
}

// --- JSON -------------------------------------------------------------------------------------------------

const char *app_simulation_status(const AppSimulation *s) {
    return !s->ran ? "refused" : s->status != TAC_OK ? "failed" : s->stopped ? "stopped" : "done";
}

static void put_moment(AppJson *json, const char *key, const AppMoment *moment) {
    app_json_open(json, key, '{');
    app_json_open(json, "energy", '{');
    app_json_real(json, "kinetic", moment->energy.kinetic);
    app_json_real(json, "weight", moment->energy.weight);
    app_json_real(json, "elastic", moment->energy.elastic);
    app_json_real(json, "total", moment->energy.total);
    app_json_close(json, '}');
    app_json_open(json, "momentum", '{');
    app_json_vec3(json, "linear", moment->momentum.linear);
    app_json_vec3(json, "angular", moment->momentum.angular);
    app_json_close(json, '}');
    app_json_close(json, '}');
}

static void put_agents(AppJson *json, const TacWorld *world, const TacWorldStats *stats) {
    app_json_open(json, "agents", '[');
    for (size_t i = 0; i < stats->agents + stats->free_laws; i++) {
        TacAgentInfo agent = tac_world_agent(world, i);
        app_json_open(json, NULL, '{');
        app_json_text(json, "name", agent.name);
        app_json_text(json, "solver", agent.solver);
        app_json_bool(json, "is_law", agent.is_law);
        app_json_real(json, "step", agent.step);
        app_json_number(json, "points", agent.points);
        app_json_number(json, "parts", agent.parts);
        app_json_number(json, "kicks", agent.kicks);
        app_json_real(json, "seconds", agent.seconds);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
}

static void put_agent_remarks(AppJson *json, const TacWorld *world, size_t agents) {
    TacError remark;
    app_json_open(json, "remarks", '[');
    for (size_t i = 0; i < agents; i++)
        if (tac_world_agent_remark(world, i, &remark)) app_json_text(json, NULL, remark.message);
    app_json_close(json, ']');
}

static void put_accounts(AppJson *json, const AppSimulation *s) {
    size_t count, most;
    if (!s->options->accounts) return;
    tac_world_accounts(s->world, NULL, 0, &most);
    TacAccount *rows = calloc(most + 1, sizeof *rows);
    if (!rows) return;
    TacAccountSum sum = tac_world_accounts(s->world, rows, most, &count);
    app_json_open(json, "accounts", '{');
    app_json_real(json, "start", sum.start);
    app_json_real(json, "end", sum.end);
    app_json_real(json, "put_in", sum.put_in);
    app_json_real(json, "unaccounted", sum.unaccounted);
    app_json_vec3(json, "linear", sum.linear);
    app_json_vec3(json, "linear_unaccounted", sum.linear_unaccounted);
    app_json_open(json, "rows", '[');
    for (size_t i = 0; i < count && i < most; i++) {
        app_json_open(json, NULL, '{');
        app_json_text(json, "name", rows[i].name);
        app_json_text(json, "what", rows[i].what);
        app_json_real(json, "work", rows[i].work);
        app_json_real(json, "stored", rows[i].stored);
        app_json_real(json, "put_in", rows[i].put_in);
        app_json_vec3(json, "linear", rows[i].linear);
        app_json_vec3(json, "angular", rows[i].angular);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
    app_json_close(json, '}');
    free(rows);
}

static void put_files(AppJson *json, const AppSimulation *s) {
    app_json_open(json, "recordings", '[');
    for (size_t i = 0; i < s->recording_count; i++) {
        if (s->recordings[i].temporary) continue;
        app_json_open(json, NULL, '{');
        app_json_text(json, "path", s->recordings[i].path);
        app_json_number(json, "bytes", s->recordings[i].bytes);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
    app_json_open(json, "exports", '[');
    for (size_t i = 0; i < s->outputs.count; i++)
        if (!is_recording(s->outputs.items[i])) app_json_text(json, NULL, s->outputs.items[i]);
    app_json_close(json, ']');
}

static void put_audit(AppJson *json, const TacWorld *world) {
    TacAuditSummary audit = tac_world_audit_summary(world);
    if (!audit.audited) return;
    app_json_open(json, "audit", '{');
    app_json_number(json, "intersections", audit.violations);
    app_json_real(json, "closest_distance", audit.closest);
    app_json_number(json, "questions", audit.questions);
    app_json_close(json, '}');
}

// Only of worlds with safe contact.
static void put_contact(AppJson *json, const TacWorld *world) {
    TacContactStats c = tac_world_contact_stats(world);
    if (!c.bytes) return;
    app_json_open(json, "contact", '{');
    app_json_number(json, "looks", c.looks);
    app_json_number(json, "kicks", c.kicks);
    app_json_number(json, "plans", c.plans);
    app_json_number(json, "certificates", c.certificates);
    app_json_number(json, "refits", c.refits);
    app_json_number(json, "queries", c.queries);
    app_json_number(json, "expired", c.expired);
    app_json_number(json, "certificates_processed", c.certificates_processed);
    app_json_number(json, "certificates_rescheduled", c.certificates_rescheduled);
    app_json_number(json, "lists_processed", c.lists_processed);
    app_json_number(json, "lists_rescheduled", c.lists_rescheduled);
    app_json_number(json, "checks", c.checks);
    app_json_number(json, "pairs", c.pairs);
    app_json_number(json, "armed", c.armed);
    app_json_real(json, "shortest_period", c.shortest);
    app_json_real(json, "closest_distance", c.closest);
    app_json_number(json, "reshapes", c.reshapes);
    app_json_number(json, "postponed", c.postponed);
    app_json_number(json, "memory", c.bytes);
    app_json_open(json, "wall_time", '{');
    app_json_real(json, "layers", c.kicking);
    app_json_real(json, "plans", c.planning);
    app_json_real(json, "certificates", c.certifying);
    app_json_real(json, "boxes", c.boxing);
    app_json_real(json, "checks", c.checking);
    app_json_real(json, "certificates_processing", c.certificates_processing);
    app_json_real(json, "certificates_rescheduling", c.certificates_rescheduling);
    app_json_real(json, "lists_processing", c.lists_processing);
    app_json_real(json, "lists_rescheduling", c.lists_rescheduling);
    app_json_close(json, '}');
    app_json_close(json, '}');
}

// What is wrong with a scene whose time never ran: the last error is what ended it.
static void put_refused(AppJson *json, const char *key, const AppSimulation *s) {
    const TacError *last = s->error.message[0] ? &s->error : NULL;
    const char *why = last ? last->message : NULL;
    for (size_t i = 0; !last && i < tac_scene_message_count(s->scene); i++)
        if (tac_scene_message(s->scene, i)->is_error) why = tac_scene_message(s->scene, i)->error.message;
    app_json_open(json, key, '{');
    app_json_text(json, "scene", s->path);
    app_json_text(json, "status", app_simulation_status(s));
    app_json_text(json, "message", why);
    app_messages_json(json, s->scene, last);
    app_json_close(json, '}');
}

void app_simulation_json(AppJson *json, const char *key, const AppSimulation *s) {
    if (!s->ran) {
        put_refused(json, key, s);
        return;
    }
    TacWorldStats stats = tac_world_stats(s->world);
    double time = tac_world_time(s->world);
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
    app_json_open(json, key, '{');
    app_json_text(json, "scene", s->path);
    app_json_text(json, "status", app_simulation_status(s));
    app_json_text(json, "message", s->status == TAC_OK ? NULL : s->error.message);
    app_json_text(json, "stopped_by", tac_world_stopped_by(s->world));
    put_agent_remarks(json, s->world, stats.agents);
    app_json_real(json, "simulated_time", time);
    app_json_real(json, "wall_time", s->seconds);
    app_json_real(json, "setup_time", s->setup_seconds);
    app_json_real(json, "real_time_factor", s->seconds > 0 ? (time - s->from) / s->seconds : NAN);
    if (s->options->resume) {
        app_json_text(json, "resumed", s->options->resume);
        app_json_real(json, "resumed_at", s->from);
    }
    app_json_int(json, "ticks", tac_world_tick(s->world));
    app_json_real(json, "beat", tac_world_beat(s->world));
    app_json_real(json, "beats", time / tac_world_beat(s->world));
    app_json_open(json, "events", '{');
    app_json_number(json, "instants", stats.instants);
    app_json_number(json, "agent_kicks", stats.agent_kicks);
    app_json_number(json, "law_kicks", stats.law_kicks);
    app_json_number(json, "solver_iterations", stats.iterations);
    app_json_close(json, '}');
    put_contact(json, s->world);
    put_audit(json, s->world);
    put_moment(json, "start", &s->start);
    put_moment(json, "end", &s->finish);
    put_accounts(json, s);
    app_json_text(json, "hash", hash);
    app_json_int(json, "threads", app_threads_used(s->options));
    app_json_number(json, "seed", s->options->seed);
    app_json_int(json, "frames", s->frames);
    app_json_real(json, "fps", s->fps);
    put_files(json, s);
    app_snapshots_json(json, "snapshots", &s->snapshots);
    app_json_number(json, "growths", stats.growths);
    app_json_number(json, "memory", stats.bytes);
    app_json_number(json, "points", stats.points);
    put_agents(json, s->world, &stats);
    app_json_close(json, '}');
}
