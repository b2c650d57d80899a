// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus demo: the gallery, and one scene of it live or run. What `view` and `run` do is left to them.

#include "commands.h"
#include "gallery.h"

#include <stdlib.h>
#include <string.h>

typedef struct DemoOptions {
    AppSceneOptions scene;
    bool headless, names, folder, no_open, json;
    const char *time, *port, *output;
} DemoOptions;

static const AppOption options[] = {
    APP_SCENE_OPTIONS,
    {.name = "headless",
     .kind = APP_FLAG,
     .offset = offsetof(DemoOptions, headless),
     .doc = "Runs it without a browser, as tactus run does, and records nothing unless -o is given."},
    {.name = "time",
     .kind = APP_TEXT,
     .value = "S",
     .offset = offsetof(DemoOptions, time),
     .doc = "With --headless: simulated seconds; by default what the scene says."},
    {.name = "output",
     .letter = 'o',
     .kind = APP_TEXT,
     .value = "FILE",
     .offset = offsetof(DemoOptions, output),
     .doc = "With --headless: where to write, as in tactus run."},
    {.name = "json",
     .kind = APP_FLAG,
     .offset = offsetof(DemoOptions, json),
     .doc = "With --headless: prints one JSON object instead of a summary."},
    {.name = "no-open",
     .kind = APP_FLAG,
     .offset = offsetof(DemoOptions, no_open),
     .doc = "Prints the address of the page and opens no browser."},
    {.name = "port",
     .kind = APP_TEXT,
     .value = "N",
     .offset = offsetof(DemoOptions, port),
     .doc = "The port to listen on; by default any that is free."},
    {.name = "names",
     .kind = APP_FLAG,
     .offset = offsetof(DemoOptions, names),
     .doc = "Lists the names alone."},
    {.name = "folder",
     .kind = APP_FLAG,
     .offset = offsetof(DemoOptions, folder),
     .doc = "Prints the folder that the scenes are in."},
};

static int demo(int argc, char **argv);

const AppCommand app_demo_command = {
    .name = "demo",
    .arguments = "[NAME]",
    .summary = "lists the example scenes, or shows one",
    .text =
        "Lists the example scenes that came with this program, a line each; with a name, opens that one "
        "live in the browser, where [ and ] leaf through all of them. They are files to read and to copy: "
        "the list ends with the folder that they are in. TACTUS_EXAMPLES names another folder.",
    .examples = "  tactus demo                     the list\n"
                "  tactus demo jelly               live, in the browser\n"
                "  tactus demo crane --headless    runs it and says how it went\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 0,
    .most = 1,
    .run = demo,
};

static void put_list(const AppGallery *gallery, bool names) {
    AppStyle style = app_style(stdout);
    const char *theme = "";
    for (size_t i = 0; i < gallery->count; i++) {
        const AppDemo *d = &gallery->demos[i];
        if (!names && strcmp(theme, d->theme) != 0)
            printf("%s%s%s%s\n", i ? "\n" : "", style.bold, d->theme, style.off);
        theme = d->theme;
        // the short name, unless a scene before it has it already
        const char *name = app_demo_short_name(d);
        if (app_gallery_find(gallery, name) != d) name = d->name;
        if (names)
            printf("%s\n", name);
        else
            app_put_row(name, 17, d->about);
    }
    if (!names) {
        fputs("\nThese files are in ", stdout);
        app_put(stdout, gallery->folder);
        fputs(". tactus demo NAME shows one.\n", stdout);
    }
}

static int unknown_demo(const AppGallery *gallery, const char *name) {
    const char **names = malloc((gallery->count + 1) * sizeof *names);
    if (!names) return app_out_of_memory();
    for (size_t i = 0; i < gallery->count; i++) names[i] = app_demo_short_name(&gallery->demos[i]);
    const char *near = app_nearest(name, names, gallery->count);
    int code = app_bad_usage("demo", "\"%.100s\" is not a demo%s%s%s", name, near ? "; did you mean \"" : "",
                             near ? near : "", near ? "\"?" : "; tactus demo lists them");
    free(names);
    return code;
}

// --- handing on -------------------------------------------------------------------------------------------

static bool add_pair(AppTexts *line, const char *option, const char *value) {
    return !value || (app_texts_add(line, option) && app_texts_add(line, value));
}

static bool add_flag(AppTexts *line, const char *option, bool set) {
    return !set || app_texts_add(line, option);
}

static bool add_scene_options(AppTexts *line, const AppSceneOptions *o) {
    bool good = true;
    for (size_t i = 0; i < o->sets.count; i++) good = good && add_pair(line, "--set", o->sets.items[i]);
    for (size_t i = 0; i < o->plugins.count; i++)
        good = good && add_pair(line, "--plugin", o->plugins.items[i]);
    return good;
}

// The command line with which `run` or `view` is called.
static int show(const char *path, const DemoOptions *o) {
    AppTexts line = {0};
    bool good = add_scene_options(&line, &o->scene);
    if (o->headless)
        good = good && add_pair(&line, "--time", o->time) && add_pair(&line, "-o", o->output) &&
               add_flag(&line, "--json", o->json) && add_flag(&line, "--no-record", !o->output);
    else
        good = good && add_pair(&line, "--port", o->port) && add_flag(&line, "--no-open", o->no_open);
    good = good && app_texts_add(&line, "--") && app_texts_add(&line, path);
    const AppCommand *command = o->headless ? &app_run_command : &app_view_command;
    int code = good ? command->run((int)line.count, (char **)line.items) : app_out_of_memory();
    app_texts_free(&line);
    return code;
}

static int check(const DemoOptions *o, const AppTexts *arguments) {
    if (!o->headless && (o->time || o->output || o->json))
        return app_bad_usage("demo", "--time, -o and --json need --headless");
    if (o->headless && (o->port || o->no_open))
        return app_bad_usage("demo", "--port and --no-open are for the live view, not for --headless");
    if (o->headless && !arguments->count) return app_bad_usage("demo", "--headless needs the NAME of a demo");
    return APP_DONE;
}

static int list_or_show(const DemoOptions *o, const AppTexts *arguments) {
    AppGallery gallery = app_gallery();
    int code = APP_DONE;
    if (!gallery.count) {
        const char *told = getenv("TACTUS_EXAMPLES");
        app_say("found no example scenes%s%s; set TACTUS_EXAMPLES to the folder examples/ of the sources",
                told ? " in " : "", told ? told : "");
        code = APP_BAD_INPUT;
    } else if (o->folder) {
        app_put(stdout, gallery.folder);
        putchar('\n');
    } else if (!arguments->count) {
        put_list(&gallery, o->names);
    } else {
        const AppDemo *found = app_gallery_find(&gallery, arguments->items[0]);
        code = found ? show(found->path, o) : unknown_demo(&gallery, arguments->items[0]);
    }
    app_gallery_destroy(&gallery);
    return code;
}

static int demo(int argc, char **argv) {
    DemoOptions o = {0};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_demo_command, argc, argv, &o, &arguments);
    int code = parsed == APP_PARSED ? check(&o, &arguments) : app_parsed_code(parsed);
    if (parsed == APP_PARSED && code == APP_DONE) code = list_or_show(&o, &arguments);
    app_texts_free(&arguments);
    app_free_values(&app_demo_command, &o);
    return code;
}
