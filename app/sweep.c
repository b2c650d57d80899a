// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus run --sweep: the same scene for every value of one parameter, and a table of what came out.
//
// The table is written line by line as runs end, so that a sweep that was stopped leaves those it has done.

#define _GNU_SOURCE
#include "commands.h"
#include "simulate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Sweep {
    const char *path;
    const AppRunOptions *options;
    char *name;        // of the parameter, as given
    const char *label; // the same without the path before it, for names of files
    char *list;        // the values; commas are replaced by ends
    AppTexts values;
    char *table_path, *default_recording;
    FILE *table;
    bool table_is_new;
    AppTexts outputs; // of every run, before the value is put into their names
    AppTexts probes;  // names of the table's last columns; owned
    char *json;       // all runs' objects, with commas between
    size_t json_size;
    FILE *json_stream;
    size_t done;
} Sweep;

// --- preparing --------------------------------------------------------------------------------------------

static int split(Sweep *w) {
    const char *equals = strchr(w->options->sweep, '=');
    if (!equals || equals == w->options->sweep || !equals[1])
        return app_bad_usage("run", "--sweep %.200s: expected parameter=value,value,...", w->options->sweep);
    w->name = strndup(w->options->sweep, (size_t)(equals - w->options->sweep));
    w->list = strdup(equals + 1);
    if (!w->name || !w->list) return app_out_of_memory();
    const char *slash = strrchr(w->name, '/');
    w->label = slash ? slash + 1 : w->name;
    for (char *value = w->list; value;) {
        char *comma = strchr(value, ',');
        if (comma) *comma = 0;
        if (!*value)
            return app_bad_usage("run", "--sweep %.200s: a value is missing between commas",
                                 w->options->sweep);
        for (size_t i = 0; i < w->values.count; i++)
            if (!strcmp(w->values.items[i], value))
                return app_bad_usage("run", "--sweep: the value %.100s is given twice", value);
        if (!app_texts_add(&w->values, value)) return app_out_of_memory();
        value = comma ? comma + 1 : NULL;
    }
    return APP_DONE;
}

static int choose_outputs(Sweep *w) {
    const AppTexts *asked = &w->options->outputs;
    for (size_t i = 0; i < asked->count; i++) {
        if (app_has_extension(asked->items[i], ".csv")) {
            if (w->table_path) return app_bad_usage("run", "--sweep makes one table: give one .csv only");
            w->table_path = strdup(asked->items[i]);
        } else if (!app_texts_add(&w->outputs, asked->items[i])) {
            return app_out_of_memory();
        }
    }
    if (!w->table_path) w->table_path = app_name_beside(w->path, "-sweep.csv");
    if (!w->outputs.count && !w->options->no_record) {
        w->default_recording = app_name_beside(w->path, ".tacrec");
        if (!w->default_recording || !app_texts_add(&w->outputs, w->default_recording))
            return app_out_of_memory();
    }
    return w->table_path ? APP_DONE : app_out_of_memory();
}

static int open_files(Sweep *w) {
    w->json_stream = open_memstream(&w->json, &w->json_size);
    if (!w->json_stream) return app_out_of_memory();
    // an older table is kept until the first line of the new one is there
    w->table_is_new = access(w->table_path, F_OK) != 0;
    w->table = fopen(w->table_path, "ae");
    if (w->table) return APP_DONE;
    app_say("%.300s cannot be written: %s", w->table_path, strerror(errno));
    return APP_FAILED;
}

// --- the table --------------------------------------------------------------------------------------------

static void put_cell(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

// What is not a number leaves its cell empty.
static void put_number(FILE *out, double value) {
    putc(',', out);
    if (isfinite(value)) fprintf(out, "%.17g", value);
}

static bool is_probe(const char *channel) {
    return !strncmp(channel, "probe/", 6);
}

// The first run decides which probes have a column.
static bool put_heading(Sweep *w, const TacRecordingDef *def) {
    if (ftruncate(fileno(w->table), 0) != 0) return false;
    put_cell(w->table, w->name);
    fputs(",status,simulated_time_s,wall_time_s,kicks,solver_iterations,energy_start_J,energy_end_J,"
          "kinetic_end_J,weight_end_J,elastic_end_J,hash",
          w->table);
    for (size_t i = 0; i < def->channel_count; i++) {
        if (!is_probe(def->channels[i].name)) continue;
        char *copy = strdup(def->channels[i].name);
        if (!copy || !app_texts_add(&w->probes, copy)) {
            free(copy);
            return false;
        }
        putc(',', w->table);
        put_cell(w->table, copy);
    }
    putc('\n', w->table);
    return true;
}

static double probe_value(const TacRecordingDef *def, const TacFrame *frame, const char *name) {
    for (size_t i = 0; i < def->channel_count; i++)
        if (!strcmp(def->channels[i].name, name)) return frame->channels[i];
    return NAN;
}

static int put_row(Sweep *w, const AppSimulation *s, const char *value) {
    const TacRecordingDef *def = tac_world_recording_def(s->world, NULL);
    if (!w->done && !put_heading(w, def)) {
        app_say("%.300s cannot be begun: %s", w->table_path, strerror(errno));
        return APP_FAILED;
    }
    TacWorldStats stats = tac_world_stats(s->world);
    put_cell(w->table, value);
    fprintf(w->table, ",%s", app_simulation_status(s));
    put_number(w->table, tac_world_time(s->world));
    put_number(w->table, s->seconds);
    fprintf(w->table, ",%" PRIu64 ",%" PRIu64, stats.agent_kicks + stats.law_kicks, stats.iterations);
    put_number(w->table, s->start.energy.total);
    put_number(w->table, s->finish.energy.total);
    put_number(w->table, s->finish.energy.kinetic);
    put_number(w->table, s->finish.energy.weight);
    put_number(w->table, s->finish.energy.elastic);
    fprintf(w->table, ",%016" PRIx64, s->hash);
    const TacFrame *frame = w->probes.count ? tac_world_frame(s->world) : NULL;
    for (size_t i = 0; i < w->probes.count; i++)
        put_number(w->table, probe_value(def, frame, w->probes.items[i]));
    putc('\n', w->table);
    if (fflush(w->table) == 0 && !ferror(w->table)) return APP_DONE;
    app_say("%.300s cannot be written: %s", w->table_path, strerror(errno));
    return APP_FAILED;
}

// --- runs -------------------------------------------------------------------------------------------------

// "-n=3", with nothing in it that a file's name cannot hold.
static void make_infix(const Sweep *w, const char *value, char *text, size_t size) {
    snprintf(text, size, "-%s=%s", w->label, value);
    for (char *p = text; *p; p++)
        if (*p == '/' || *p == ' ' || (unsigned char)*p < 0x20) *p = '_';
}

static bool make_outputs(const Sweep *w, const char *value, AppTexts *outputs) {
    char infix[160];
    make_infix(w, value, infix, sizeof infix);
    for (size_t i = 0; i < w->outputs.count; i++) {
        char *path = app_name_with(w->outputs.items[i], infix);
        if (!path || !app_texts_add(outputs, path)) {
            free(path);
            return false;
        }
    }
    return true;
}

static void free_texts(AppTexts *texts) {
    for (size_t i = 0; i < texts->count; i++) free((void *)(uintptr_t)texts->items[i]);
    app_texts_free(texts);
}

static void put_line(const Sweep *w, const AppSimulation *s, const char *value) {
    app_put(stdout, w->label);
    putchar('=');
    app_put(stdout, value);
    printf("  %s: %g s in %.3g s, energy %.6g J to %.6g J, hash %016" PRIx64 "\n", app_simulation_status(s),
           tac_world_time(s->world), s->seconds, s->start.energy.total, s->finish.energy.total, s->hash);
    fflush(stdout);
}

static void put_json(Sweep *w, const AppSimulation *s, const char *value) {
    if (w->done) fputs(", ", w->json_stream);
    AppJson json = app_json(w->json_stream);
    json.depth = 1; // it stands inside of a list
    app_json_open(&json, NULL, '{');
    app_json_text(&json, "value", value);
    app_simulation_json(&json, "run", s);
    app_json_close(&json, '}');
}

static int run_value(Sweep *w, const char *value) {
    char *assignment;
    if (asprintf(&assignment, "%s=%s", w->name, value) < 0) return app_out_of_memory();
    AppSimulation s = {.path = w->path, .options = w->options, .assignment = assignment};
    int code = make_outputs(w, value, &s.outputs) ? app_simulate(&s) : app_out_of_memory();
    if (s.ran) {
        int row = put_row(w, &s, value);
        if (w->options->json) put_json(w, &s, value);
        if (!w->options->json && !w->options->quiet) put_line(w, &s, value);
        w->done++;
        if (code == APP_DONE) code = row;
    } else if (code == APP_DONE) {
        code = APP_FAILED;
    }
    app_simulation_destroy(&s);
    free_texts(&s.outputs);
    free(assignment);
    return code;
}

// A run that failed is a result: the sweep goes on. A scene that cannot be used, or Ctrl-C, ends it.
static int run_values(Sweep *w) {
    int worst = APP_DONE;
    for (size_t i = 0; i < w->values.count; i++) {
        size_t before = w->done;
        int code = run_value(w, w->values.items[i]);
        if (code != APP_DONE) worst = code;
        if (code == APP_STOPPED || app_interrupted() || w->done == before) break;
    }
    return worst;
}

static void finish(Sweep *w) {
    if (w->json_stream) fclose(w->json_stream);
    if (w->options->json && w->done) {
        AppJson json = app_json(stdout);
        app_json_open(&json, NULL, '{');
        app_json_text(&json, "scene", w->path);
        app_json_text(&json, "parameter", w->name);
        app_json_text(&json, "table", w->table_path);
        app_json_open(&json, "runs", '[');
        app_json_raw(&json, NULL, w->json);
        app_json_close(&json, ']');
        app_json_close(&json, '}');
    } else if (w->done && !w->options->quiet) {
        fputs("table  ", stdout);
        app_put(stdout, w->table_path);
        putchar('\n');
    }
}

int app_sweep(const char *path, const AppRunOptions *options) {
    Sweep w = {.path = path, .options = options};
    int code = split(&w);
    if (code == APP_DONE) code = choose_outputs(&w);
    if (code == APP_DONE) code = open_files(&w);
    if (code == APP_DONE) code = run_values(&w);
    if (w.table && fclose(w.table) != 0 && code == APP_DONE) {
        app_say("%.300s cannot be written: %s", w.table_path, strerror(errno));
        code = APP_FAILED;
    }
    if (w.table && w.table_is_new && !w.done) unlink(w.table_path);
    finish(&w);
    free(w.json);
    free(w.name);
    free(w.list);
    free(w.table_path);
    free(w.default_recording);
    app_texts_free(&w.values);
    app_texts_free(&w.outputs);
    free_texts(&w.probes);
    return code;
}
