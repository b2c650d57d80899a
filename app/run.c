// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus run: what was asked for, and what is said afterwards. simulate.c does the work.

#define _GNU_SOURCE
#include "commands.h"
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const AppOption options[] = {
    APP_SCENE_OPTIONS,
    {.name = "time",
     .kind = APP_REAL,
     .value = "S",
     .offset = offsetof(AppRunOptions, time),
     .doc = "Simulated seconds; by default what the scene says.",
     .most = 1e15},
    {.name = "steps",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(AppRunOptions, steps),
     .doc = "Simulated beats (the scene's dt), instead of --time.",
     .most = 1e15},
    {.name = "output",
     .letter = 'o',
     .kind = APP_TEXTS,
     .value = "FILE",
     .offset = offsetof(AppRunOptions, outputs),
     .doc =
         "Where to write; the extension decides: .tacrec is a recording, .obj .pvd .usda .csv are exports "
         "of it, a name with / at its end is a folder of OBJ frames. May be given several times. By default "
         "the scene's name with .tacrec, in the current folder."},
    {.name = "fps",
     .kind = APP_REAL,
     .value = "N",
     .offset = offsetof(AppRunOptions, fps),
     .doc = "Frames per simulated second; by default what the scene says.",
     .least = 1e-9,
     .most = 1e9},
    {.name = "threads",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(AppRunOptions, threads),
     .doc = "Threads to use; 0 is one per core. The result does not depend on it.",
     .most = 256},
    {.name = "seed",
     .kind = APP_NUMBER,
     .value = "N",
     .offset = offsetof(AppRunOptions, seed),
     .doc = "Of everything random in the scene; 1 by default."},
    {.name = "audit",
     .kind = APP_FLAG,
     .offset = offsetof(AppRunOptions, audit),
     .doc = "Checks every motion for things that pass through each other, with exact arithmetic of its own; "
            "ends "
            "with exit code 1 and the pairs when there are any. Needs safe contact; slow."},
    {.name = "accounts",
     .kind = APP_FLAG,
     .offset = offsetof(AppRunOptions, accounts),
     .doc = "Keeps accounts of what each agent, each law on its own clock and contact put in or take out: "
            "energy "
            "and momentum. Changes no bit of the run, and takes time."},
    {.name = "sweep",
     .kind = APP_TEXT,
     .value = "X=A,B,C",
     .offset = offsetof(AppRunOptions, sweep),
     .doc =
         "One run for each value of a parameter (or attribute), each with its own recording, and a table of "
         "all of them as CSV."},
    {.name = "snapshot",
     .kind = APP_TEXTS,
     .value = "FILE[@S]",
     .offset = offsetof(AppRunOptions, snapshots),
     .doc = "Writes a snapshot (.tacsnap) at the end, also after Ctrl-C; or, with @S, when S seconds are "
            "simulated. "
            "May be given several times."},
    {.name = "snapshot-every",
     .kind = APP_REAL,
     .value = "S",
     .offset = offsetof(AppRunOptions, snapshot_every),
     .doc = "Replaces the first snapshot for the end every S simulated seconds; by default the scene's name "
            "with "
            ".tacsnap, in the current folder.",
     .least = 1e-9,
     .most = 1e15},
    {.name = "resume",
     .kind = APP_TEXT,
     .value = "FILE",
     .offset = offsetof(AppRunOptions, resume),
     .doc =
         "Goes on from a snapshot of the same scene and seed to the same end, and to the same bits as a run "
         "that was never stopped. Its recordings begin at the snapshot's time."},
    {.name = "inputs",
     .kind = APP_TEXT,
     .value = "FILE",
     .offset = offsetof(AppRunOptions, inputs),
     .doc =
         "Does again what was done in the live view: hands, pins, the sphere, where somebody looked (.tacin, "
         "which the view saves)."},
    {.name = "json",
     .kind = APP_FLAG,
     .offset = offsetof(AppRunOptions, json),
     .doc = "Prints one JSON object, on one line, instead of a summary; of a scene that is refused, what is "
            "wrong with it."},
    {.name = "no-record",
     .kind = APP_FLAG,
     .offset = offsetof(AppRunOptions, no_record),
     .doc = "Writes no recording."},
    {.name = "quiet",
     .letter = 'q',
     .kind = APP_FLAG,
     .offset = offsetof(AppRunOptions, quiet),
     .doc = "No progress bar, no summary, no remarks; errors only."},
};

static int run(int argc, char **argv);

const AppCommand app_run_command = {
    .name = "run",
    .arguments = "SCENE",
    .summary = "simulates a scene and records it",
    .text =
        "Simulates a scene and records it. Ctrl-C ends it after the frame that is being computed: what was "
        "recorded until then is whole and can be used. The same scene, seed and build give the same "
        "result, to the last bit (the hash that --json shows), for any number of threads; also when it is "
        "kept by --snapshot and "
        "goes on by --resume.",
    .examples = "  tactus run beam.tac                          beam.tacrec, in the current folder\n"
                "  tactus run beam.tac --time 2 -o b.tacrec -o b.pvd   two seconds, also for ParaView\n"
                "  tactus run beam.tac --set n=20 --set /beam/law.stiffness=500\n"
                "  tactus run beam.tac --sweep n=5,10,20 --no-record   beam-sweep.csv, a line per value\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 1,
    .most = 1,
    .run = run,
};

// --- what is said -----------------------------------------------------------------------------------------

static void put_energy(const AppSimulation *s) {
    double from = s->start.energy.total, to = s->finish.energy.total;
    printf("  energy     %.6g J at the start, %.6g J at the end", from, to);
    // where heights put the zero elsewhere, a part of the total says nothing
    if (from > 0 && to >= 0)
        printf(" (%+.3g %%)\n", 100 * (to - from) / from);
    else
        printf(" (%+.3g J)\n", to - from);
}

static void put_accounts(const AppSimulation *s) {
    size_t count, most;
    if (!s->options->accounts) return;
    tac_world_accounts(s->world, NULL, 0, &most);
    TacAccount *rows = calloc(most + 1, sizeof *rows);
    if (!rows) return;
    TacAccountSum sum = tac_world_accounts(s->world, rows, most, &count);
    printf("  accounts   %.6g J between instants at the start, %.6g J at the end; not accounted for: %.3g J, "
           "%.3g N s\n",
           sum.start, sum.end, sum.unaccounted, tac_norm(sum.linear_unaccounted));
    printf("             %12s %12s %12s   %s\n", "work, J", "stored, J", "put in, J", "impulse, N s");
    for (size_t i = 0; i < count && i < most; i++) {
        const TacVec3 p = rows[i].linear;
        printf("             %12.5g %12.5g %12.5g   %.4g %.4g %.4g  ", rows[i].work, rows[i].stored,
               rows[i].put_in, p.x, p.y, p.z);
        app_put(stdout, rows[i].name);
        printf("%s%s\n", rows[i].what[0] ? ", " : "", rows[i].what);
    }
    free(rows);
}

static void put_hints(const AppSimulation *s) {
    for (size_t i = 0; i < s->recording_count; i++) {
        const char *path = s->recordings[i].path;
        if (s->recordings[i].temporary || s->frames < 1) continue;
        char *picture = app_name_beside(path, ".png"), *plot = app_name_beside(path, "-energy.svg");
        if (picture && plot) {
            fputs("next         tactus render ", stdout);
            app_put_word(stdout, path);
            fputs(" -o ", stdout);
            app_put_word(stdout, picture);
            fputs("\n             tactus plot ", stdout);
            app_put_word(stdout, path);
            fputs(" energy -o ", stdout);
            app_put_word(stdout, plot);
            putchar('\n');
        }
        free(picture);
        free(plot);
        return;
    }
}

static void put_summary(const AppSimulation *s) {
    AppStyle style = app_style(stdout);
    TacWorldStats stats = tac_world_stats(s->world);
    double time = tac_world_time(s->world);
    fputs(style.bold, stdout);
    app_put(stdout, s->path);
    printf("%s: ", style.off);
    if (s->options->resume) printf("from %g s to %g s, ", s->from, time);
    printf("%g s simulated in %.3g s", time - s->from, s->seconds);
    if (s->seconds > 0) printf(", %s x real time", app_ratio((time - s->from) / s->seconds).text);
    printf("\n  world      %s, %s, %s, %s\n", app_number_of(stats.points, "point").text,
           app_number_of(stats.agents, "agent").text, app_number_of(stats.free_laws, "free law").text,
           app_number_of(stats.agent_kicks + stats.law_kicks, "kick").text);
    put_energy(s);
    put_accounts(s);
    TacContactStats contact = tac_world_contact_stats(s->world);
    if (contact.reshapes)
        printf(
            "  resolution %s changes within safe contact; %s postponed, because something was in the way\n",
            app_count(contact.reshapes).text, app_count(contact.postponed).text);
    TacAuditSummary audit = tac_world_audit_summary(s->world);
    if (audit.audited)
        printf("  audit      %s; closest %.3g m\n", app_number_of(audit.violations, "intersection").text,
               audit.closest);
    for (size_t i = 0; i < s->recording_count; i++) {
        if (s->recordings[i].temporary) continue;
        fputs("  recording  ", stdout);
        app_put(stdout, s->recordings[i].path);
        printf(", %s, %s\n", app_number_of((uint64_t)s->frames, "frame").text,
               app_bytes(s->recordings[i].bytes).text);
    }
    for (size_t i = 0; i < s->outputs.count; i++) {
        if (app_has_extension(s->outputs.items[i], ".tacrec")) continue;
        fputs("  export     ", stdout);
        app_put(stdout, s->outputs.items[i]);
        putchar('\n');
    }
    app_snapshots_put(&s->snapshots);
    put_hints(s);
}

// --- the command ------------------------------------------------------------------------------------------

static int check(const AppRunOptions *o) {
    const char *name = app_run_command.name;
    if (!isnan(o->time) && o->steps >= 0) return app_bad_usage(name, "give --time or --steps, not both");
    if (o->sweep && (o->snapshots.count || !isnan(o->snapshot_every) || o->resume))
        return app_bad_usage(name, "--sweep makes many runs: snapshots are for one");
    for (size_t i = 0; i < o->outputs.count; i++) {
        const char *path = o->outputs.items[i];
        bool table = o->sweep && app_has_extension(path, ".csv");
        if (!app_has_extension(path, ".tacrec") && !app_is_export_path(path))
            return app_bad_usage(
                name,
                "-o %.300s: the extension must be .tacrec, .obj, .pvd, .usda or .csv, or the "
                "name end in / for a folder of OBJ frames",
                path);
        if (o->no_record && !table)
            return app_bad_usage(name, "-o %.300s needs a recording, and --no-record forbids it", path);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(path, o->outputs.items[k]))
                return app_bad_usage(name, "-o %.300s is given twice", path);
    }
    return APP_DONE;
}

static int run_once(const char *path, const AppRunOptions *o) {
    AppSimulation s = {.path = path, .options = o, .outputs = o->outputs};
    char *name = NULL;
    if (!o->outputs.count && !o->no_record) {
        name = app_name_beside(path, ".tacrec");
        if (!name || !app_texts_add(&s.outputs, name)) {
            free(name);
            return app_out_of_memory();
        }
    }
    int code = app_simulate(&s);
    if (o->json && (s.ran || (s.scene && code != APP_BAD_USAGE))) {
        AppJson json = app_json(stdout);
        app_simulation_json(&json, NULL, &s);
    } else if (s.ran && !o->quiet) {
        put_summary(&s);
    }
    app_simulation_destroy(&s);
    if (name) app_texts_free(&s.outputs);
    free(name);
    return code;
}

static int run(int argc, char **argv) {
    TacWorldDef def = tac_world_def_default();
    AppRunOptions o = {.time = NAN,
                       .steps = -1,
                       .fps = NAN,
                       .snapshot_every = NAN,
                       .threads = def.threads,
                       .seed = def.seed};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_run_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? check(&o) : app_parsed_code(parsed);
    if (parsed == APP_PARSED && code == APP_DONE)
        code = o.sweep ? app_sweep(arguments.items[0], &o) : run_once(arguments.items[0], &o);
    app_texts_free(&arguments);
    app_free_values(&app_run_command, &o);
    return code;
}
