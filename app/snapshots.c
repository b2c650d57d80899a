// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "snapshots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Times that a frame and a snapshot have in common are written in two ways: these are the same.
static double slack(double time) {
    return 1e-12 * fmax(1e-3, fabs(time));
}

// --- what is asked for ------------------------------------------------------------------------------------

// "a.tacsnap@2.5": a file and a time; an @ that no number follows belongs to the name.
static bool split(const char *text, AppSnapshot *snapshot) {
    const char *sign = strrchr(text, '@');
    size_t length = strlen(text);
    snapshot->at = NAN;
    if (sign && sign > text && sign[1]) {
        char *end;
        double at = strtod(sign + 1, &end);
        if (!*end) {
            snapshot->at = at;
            length = (size_t)(sign - text);
            if (!isfinite(at) || at < 0) return false;
        }
    }
    snapshot->path = strndup(text, length);
    return true;
}

static int add(AppSnapshots *s, const char *text) {
    AppSnapshot *items = realloc(s->items, (s->count + 1) * sizeof *items);
    if (!items) return app_out_of_memory();
    s->items = items;
    AppSnapshot *snapshot = &items[s->count];
    *snapshot = (AppSnapshot){0};
    if (!split(text, snapshot))
        return app_bad_usage("run", "--snapshot %.300s: the time must be a number of seconds, 0 or more",
                             text);
    if (!snapshot->path) return app_out_of_memory();
    s->count++;
    if (!app_has_extension(snapshot->path, ".tacsnap"))
        return app_bad_usage("run", "--snapshot %.300s: the extension must be .tacsnap", text);
    for (size_t i = 0; i + 1 < s->count; i++)
        if (!strcmp(items[i].path, snapshot->path))
            return app_bad_usage("run", "--snapshot %.300s is given twice", snapshot->path);
    return APP_DONE;
}

static AppSnapshot *first_at_end(const AppSnapshots *s) {
    for (size_t i = 0; i < s->count; i++)
        if (isnan(s->items[i].at)) return &s->items[i];
    return NULL;
}

int app_snapshots_read(AppSnapshots *s, const AppTexts *texts, double every, const char *otherwise) {
    *s = (AppSnapshots){.every = every};
    int code = APP_DONE;
    for (size_t i = 0; i < texts->count && code == APP_DONE; i++) code = add(s, texts->items[i]);
    if (code == APP_DONE && !isnan(every) && !first_at_end(s))
        code = otherwise ? add(s, otherwise) : app_out_of_memory();
    return code;
}

void app_snapshots_destroy(AppSnapshots *s) {
    for (size_t i = 0; i < s->count; i++) free(s->items[i].path);
    free(s->items);
    *s = (AppSnapshots){0};
}

int app_snapshots_check(AppSnapshots *s, double from, double end) {
    for (size_t i = 0; i < s->count; i++) {
        const AppSnapshot *snapshot = &s->items[i];
        if (snapshot->at > end + slack(end))
            return app_bad_usage("run", "--snapshot %.300s@%g: the run ends at %g s", snapshot->path,
                                 snapshot->at, end);
        if (snapshot->at < from - slack(from))
            return app_bad_usage("run", "--snapshot %.300s@%g: the run begins at %g s", snapshot->path,
                                 snapshot->at, from);
    }
    if (!isnan(s->every)) s->next = (int64_t)fmin(1e15, floor((from + slack(from)) / s->every)) + 1;
    return APP_DONE;
}

// --- writing ----------------------------------------------------------------------------------------------

static TacStatus write_one(AppSnapshot *snapshot, TacWorld *world, TacError *error) {
    TacStatus status = tac_world_save_file(world, snapshot->path, error);
    if (status != TAC_OK) return status;
    snapshot->written = true;
    snapshot->time = tac_world_time(world);
    struct stat info;
    if (stat(snapshot->path, &info) == 0) snapshot->bytes = (uint64_t)info.st_size;
    return TAC_OK;
}

static bool is_due(const AppSnapshot *snapshot, double time) {
    return !snapshot->written && snapshot->at <= time + slack(time);
}

TacStatus app_snapshots_now(AppSnapshots *s, TacWorld *world, double time, TacError *error) {
    for (size_t i = 0; i < s->count; i++) {
        if (!is_due(&s->items[i], time)) continue;
        TacStatus status = write_one(&s->items[i], world, error);
        if (status != TAC_OK) return status;
    }
    if (isnan(s->every) || (double)s->next * s->every > time + slack(time)) return TAC_OK;
    s->next++;
    return write_one(first_at_end(s), world, error);
}

// The next moment, as the n-th of a period; infinite where there is none.
static double next_moment(const AppSnapshots *s, double *period, int64_t *n) {
    double next = INFINITY;
    if (!isnan(s->every)) {
        next = (double)s->next * s->every;
        *period = s->every;
        *n = s->next;
    }
    for (size_t i = 0; i < s->count; i++)
        if (!s->items[i].written && s->items[i].at < next) {
            next = *period = s->items[i].at;
            *n = 1;
        }
    return next;
}

TacStatus app_snapshots_before(AppSnapshots *s, TacWorld *world, double time, TacError *error) {
    TacStatus status = TAC_OK;
    while (status == TAC_OK && !app_interrupted()) {
        double period = 0;
        int64_t n = 0;
        double next = next_moment(s, &period, &n);
        if (!(next < time - slack(time))) break;
        if (next > tac_world_time(world)) status = tac_world_advance_to_frame(world, 1 / period, n, error);
        if (status == TAC_OK && !app_interrupted()) status = app_snapshots_now(s, world, next, error);
    }
    return status;
}

TacStatus app_snapshots_end(AppSnapshots *s, TacWorld *world, TacError *error) {
    for (size_t i = 0; i < s->count; i++) {
        AppSnapshot *snapshot = &s->items[i];
        if (!isnan(snapshot->at) || (snapshot->written && snapshot->time == tac_world_time(world))) continue;
        TacStatus status = write_one(snapshot, world, error);
        if (status != TAC_OK) return status;
    }
    return TAC_OK;
}

// --- what is said -----------------------------------------------------------------------------------------

void app_snapshots_put(const AppSnapshots *s) {
    for (size_t i = 0; i < s->count; i++) {
        if (!s->items[i].written) continue;
        fputs("  snapshot   ", stdout);
        app_put(stdout, s->items[i].path);
        printf(", at %g s, %s\n", s->items[i].time, app_bytes(s->items[i].bytes).text);
    }
}

void app_snapshots_json(AppJson *json, const char *key, const AppSnapshots *s) {
    app_json_open(json, key, '[');
    for (size_t i = 0; i < s->count; i++) {
        if (!s->items[i].written) continue;
        app_json_open(json, NULL, '{');
        app_json_text(json, "path", s->items[i].path);
        app_json_real(json, "time", s->items[i].time);
        app_json_number(json, "bytes", s->items[i].bytes);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
}
