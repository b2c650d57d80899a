// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus regress: runs a scene of SOFA's and compares it with the states that SOFA itself computed, by SOFA's own
// measure: the mean difference of positions written with six digits, summed over the frames of a reference,
// divided by the number of points, and averaged over the states.

#include "commands.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct RegressOptions {
    AppSceneOptions scene; // first, for APP_SCENE_OPTIONS
    double tolerance;
    int64_t steps, threads;
    bool json;
} RegressOptions;

static int regress(int argc, char **argv);

static const AppOption options[] = {
    APP_SCENE_OPTIONS,
    {.name = "tolerance",
     .kind = APP_REAL,
     .value = "E",
     .offset = offsetof(RegressOptions, tolerance),
     .doc = "The largest error that passes; 1e-4 by default."},
    {.name = "steps",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(RegressOptions, steps),
     .doc = "Compares only frames of the first N steps; by default all.",
     .least = 1,
     .most = 1e12},
    {.name = "threads",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(RegressOptions, threads),
     .doc = "How many threads; 1 by default, 0 for as many as the machine has.",
     .least = 0,
     .most = 1024},
    {.name = "json",
     .kind = APP_FLAG,
     .offset = offsetof(RegressOptions, json),
     .doc = "Prints one line of JSON."},
};

const AppCommand app_regress_command = {
    .name = "regress",
    .arguments = "SCENE REFERENCE...",
    .summary = "compares a run of a SOFA scene with states that SOFA computed",
    .text = "Runs SCENE and compares it with SOFA's reference states (X.scn.reference_0_name_mstate.txt.gz, "
            "in the "
            "order of their number), by SOFA's own measure. Ends with 0 when the error is below the "
            "tolerance, with "
            "1 when it is not, and with 3 when the scene needs what there is not, naming it.",
    .examples = "  tactus regress liver.scn liver.scn.reference_*\n"
                "  tactus regress FEMBAR.scn FEMBAR.scn.reference_* --tolerance 1e-8 --json\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 2,
    .most = 1000000,
    .run = regress,
};

typedef struct State {
    const char *path; // of the reference
    long index;       // in its name
    TacSofaReference *reference;
    TacComponentId matter;
    size_t points, numbers;
    size_t frames;   // compared so far
    double error;    // of positions, for each point
    double velocity; // the same of velocities; for information
} State;

typedef struct Comparison {
    const char *scene_path;
    TacScene *scene;
    TacWorld *world;
    State *states;
    size_t count;
    double error, seconds;
    int64_t beats;
} Comparison;

// --- references -------------------------------------------------------------------------------------------

static long index_of(const char *path) {
    const char *slash = strrchr(path, '/'), *found = strstr(slash ? slash : path, "reference_");
    return found ? strtol(found + strlen("reference_"), NULL, 10) : -1;
}

static int by_index(const void *a, const void *b) {
    const State *x = a, *y = b;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return strcmp(x->path, y->path);
}

static int read_references(Comparison *c, const AppTexts *arguments) {
    c->count = arguments->count - 1;
    c->states = calloc(c->count, sizeof *c->states);
    if (!c->states) return app_out_of_memory();
    for (size_t i = 0; i < c->count; i++) {
        c->states[i].path = arguments->items[i + 1];
        c->states[i].index = index_of(c->states[i].path);
    }
    qsort(c->states, c->count, sizeof *c->states, by_index);
    for (size_t i = 0; i < c->count; i++) {
        TacError error;
        if (tac_sofa_reference_read(&c->states[i].reference, c->states[i].path, &error) != TAC_OK)
            return app_report(&error);
    }
    return APP_DONE;
}

// One state for each reference: those with a solver, and with the mapped ones where there are more references.
static int match_states(Comparison *c) {
    size_t free_states = tac_sofa_state_count(c->world, false), all = tac_sofa_state_count(c->world, true);
    bool mapped = c->count != free_states;
    if (c->count != free_states && c->count != all) {
        app_say(
            "%s has %zu states with a solver (%zu with those that are mapped), but there are %zu references",
            c->scene_path, free_states, all, c->count);
        return APP_BAD_INPUT;
    }
    for (size_t i = 0; i < c->count; i++) {
        State *s = &c->states[i];
        s->matter = tac_sofa_state(c->world, mapped, i);
        s->points = tac_world_point_count(c->world, s->matter);
        s->numbers = s->points * (size_t)tac_position_size(tac_world_kind(c->world, s->matter));
        size_t expected = tac_sofa_reference_frame(s->reference, 0).positions.count;
        if (expected == s->numbers) continue;
        app_say("%s has %zu numbers; %s has %zu", s->path, expected, tac_world_path(c->world, s->matter),
                s->numbers);
        return APP_BAD_INPUT;
    }
    return APP_DONE;
}

// --- running ----------------------------------------------------------------------------------------------

static int compare_frame(Comparison *c, State *s, const TacSofaFrame *frame) {
    size_t velocities = s->points * (size_t)tac_velocity_size(tac_world_kind(c->world, s->matter));
    if (frame->positions.count != s->numbers ||
        (frame->velocities.count && frame->velocities.count != velocities)) {
        app_say("%s: the frame at %g s has another number of points", s->path, frame->time);
        return APP_BAD_INPUT;
    }
    double points = s->points ? (double)s->points : 1;
    s->error += tac_sofa_difference(tac_world_positions(c->world, s->matter), frame->positions) / points;
    s->velocity += tac_sofa_difference(tac_world_velocities(c->world, s->matter), frame->velocities) / points;
    s->frames++;
    return APP_DONE;
}

// The earliest frame that has not been compared yet, in beats; -1 when there is none.
static int64_t next_beat(const Comparison *c, double beat, int64_t last) {
    int64_t next = -1;
    for (size_t i = 0; i < c->count; i++) {
        const State *s = &c->states[i];
        if (s->frames >= tac_sofa_reference_frame_count(s->reference)) continue;
        double n = round(tac_sofa_reference_frame(s->reference, s->frames).time / beat);
        if (!(n < 1e15)) continue;
        int64_t at = (int64_t)n;
        if (at <= last && (next < 0 || at < next)) next = at;
    }
    return next;
}

static int run(Comparison *c, const RegressOptions *o) {
    double beat = tac_world_beat(c->world), start = app_seconds();
    int64_t last = o->steps > 0 ? o->steps - 1 : INT64_MAX;
    app_catch_interrupt();
    for (int64_t at; (at = next_beat(c, beat, last)) >= 0;) {
        // in pieces, so that Ctrl-C is heard
        while (c->beats < at) {
            int64_t piece = at - c->beats < 100 ? at - c->beats : 100;
            TacError error;
            if (tac_world_advance_beats(c->world, piece, &error) != TAC_OK) return app_report(&error);
            c->beats += piece;
            if (app_interrupted()) return APP_STOPPED;
        }
        for (size_t i = 0; i < c->count; i++) {
            State *s = &c->states[i];
            if (s->frames >= tac_sofa_reference_frame_count(s->reference)) continue;
            TacSofaFrame frame = tac_sofa_reference_frame(s->reference, s->frames);
            if ((int64_t)round(frame.time / beat) != at) continue;
            int code = compare_frame(c, s, &frame);
            if (code != APP_DONE) return code;
        }
    }
    c->seconds = app_seconds() - start;
    for (size_t i = 0; i < c->count; i++) c->error += c->states[i].error / (double)c->count;
    return APP_DONE;
}

// --- what came of it --------------------------------------------------------------------------------------

// A remark that something is lacking: an error above the tolerance is then no surprise.
static const TacError *lacking(const TacScene *scene) {
    for (size_t i = 0; i < tac_scene_message_count(scene); i++) {
        const TacSceneMessage *m = tac_scene_message(scene, i);
        if (!strncmp(m->error.message, "lacks ", 6)) return &m->error;
    }
    return NULL;
}

static void put_json(const Comparison *c, const RegressOptions *o, const char *result) {
    AppJson json = app_json(stdout);
    app_json_open(&json, NULL, '{');
    app_json_text(&json, "scene", c->scene_path);
    app_json_text(&json, "result", result);
    app_json_real(&json, "error", c->error);
    app_json_real(&json, "tolerance", o->tolerance);
    app_json_int(&json, "steps", c->beats);
    app_json_real(&json, "seconds", c->seconds);
    app_json_open(&json, "states", '[');
    for (size_t i = 0; i < c->count; i++) {
        app_json_open(&json, NULL, '{');
        app_json_text(&json, "matter", tac_world_path(c->world, c->states[i].matter));
        app_json_text(&json, "reference", c->states[i].path);
        app_json_real(&json, "error", c->states[i].error);
        app_json_real(&json, "velocity_error", c->states[i].velocity);
        app_json_number(&json, "points", c->states[i].points);
        app_json_close(&json, '}');
    }
    app_json_close(&json, ']');
    app_json_close(&json, '}');
}

static void put_text(const Comparison *c, const RegressOptions *o, const char *result) {
    app_put(stdout, c->scene_path);
    printf(": %s, error %.3g (tolerance %g), %lld steps in %.2f s\n", result, c->error, o->tolerance,
           (long long)c->beats, c->seconds);
    for (size_t i = 0; i < c->count; i++) {
        fputs("  ", stdout);
        app_put(stdout, tac_world_path(c->world, c->states[i].matter));
        printf("  %.3g  (velocities %.3g)\n", c->states[i].error, c->states[i].velocity);
    }
}

static int conclude(const Comparison *c, const RegressOptions *o) {
    bool good = c->error < o->tolerance;
    const TacError *lack = good ? NULL : lacking(c->scene);
    const char *result = good ? "passes" : lack ? "lacks something" : "fails";
    if (o->json)
        put_json(c, o, result);
    else
        put_text(c, o, result);
    return good ? APP_DONE : lack ? APP_BAD_INPUT : APP_FAILED;
}

static int compare(Comparison *c, const AppTexts *arguments, const RegressOptions *o) {
    c->scene_path = arguments->items[0];
    int code = read_references(c, arguments);
    if (code == APP_DONE) code = app_read_scene(&c->scene, c->scene_path, &o->scene, NULL, true);
    if (code == APP_DONE) {
        TacWorldDef def = tac_world_def_default();
        TacError error;
        def.threads = (int)o->threads;
        code = app_create_world(&c->world, c->scene, &def, o->json, &error);
    }
    if (code == APP_DONE) code = match_states(c);
    if (code == APP_DONE) code = run(c, o);
    return code == APP_DONE ? conclude(c, o) : code;
}

static int regress(int argc, char **argv) {
    RegressOptions o = {.tolerance = 1e-4, .threads = 1};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_regress_command, argc, argv, &o, &arguments);
    Comparison c = {0};
    int code = parsed == APP_PARSED ? compare(&c, &arguments, &o) : app_parsed_code(parsed);
    for (size_t i = 0; i < c.count && c.states; i++) tac_sofa_reference_destroy(c.states[i].reference);
    free(c.states);
    tac_world_destroy(c.world);
    tac_scene_destroy(c.scene);
    app_texts_free(&arguments);
    app_free_values(&app_regress_command, &o);
    return code;
}
