// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus view: a scene or a recording in the browser.

#define _GNU_SOURCE
#include "commands.h"
#include "gallery.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct ViewOptions {
    AppSceneOptions scene;
    bool no_open, paused;
    int64_t port, threads;
    const char *address, *token;
    double speed;
    uint64_t seed;
} ViewOptions;

static const AppOption options[] = {
    APP_SCENE_OPTIONS,
    {.name = "no-open",
     .kind = APP_FLAG,
     .offset = offsetof(ViewOptions, no_open),
     .doc = "Prints the address of the page and opens no browser."},
    {.name = "port",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(ViewOptions, port),
     .doc = "The port to listen on; by default any that is free.",
     .most = 65535},
    {.name = "address",
     .kind = APP_TEXT,
     .value = "A",
     .offset = offsetof(ViewOptions, address),
     .doc =
         "The address to listen on; by default 127.0.0.1, which only this machine reaches. With another one, "
         "everybody who reaches it and knows the whole address can watch and touch, and nothing is "
         "encrypted."},
    {.name = "token",
     .kind = APP_TEXT,
     .value = "HEX",
     .offset = offsetof(ViewOptions, token),
     .doc = "The secret part of the address: 32 hexadecimal digits, by default new ones. With --port, a page "
            "that is "
            "open finds the server again after it was restarted."},
    {.name = "paused",
     .kind = APP_FLAG,
     .offset = offsetof(ViewOptions, paused),
     .doc = "Starts without running; the page's play button starts it."},
    {.name = "speed",
     .kind = APP_REAL,
     .value = "X",
     .offset = offsetof(ViewOptions, speed),
     .doc = "Simulated seconds per second, 1/32 (0.03125) to 8; 1 by default.",
     .least = 0.03125,
     .most = 8},
    {.name = "threads",
     .kind = APP_INT,
     .value = "N",
     .offset = offsetof(ViewOptions, threads),
     .doc = "Threads to use; 0 is one per core. The result does not depend on it.",
     .most = 256},
    {.name = "seed",
     .kind = APP_NUMBER,
     .value = "N",
     .offset = offsetof(ViewOptions, seed),
     .doc = "Of everything random in the scene; 1 by default."},
};

static int view(int argc, char **argv);

const AppCommand app_view_command = {
    .name = "view",
    .arguments = "SCENE|RECORDING",
    .summary = "shows a scene or a recording in the browser",
    .text =
        "Opens a page in the browser where the world runs and can be watched, measured, grabbed and "
        "changed; or "
        "where a recording plays. The scenes beside the one that is named (for an example: all examples) are "
        "a gallery to leaf through. Needs no network: page and server are part of this program. Ctrl-C ends "
        "it.",
    .examples = "  tactus view cloth.tac                opens the browser\n"
                "  tactus view cloth.tacrec --no-open   prints the address only\n"
                "  tactus view cloth.tac --paused --speed 0.25\n",
    .options = options,
    .option_count = APP_COUNT(options),
    .least = 1,
    .most = 1,
    .run = view,
};

// --- the gallery ------------------------------------------------------------------------------------------

typedef struct Gallery {
    char **paths;
    size_t count;
} Gallery;

enum { MOST_SCENES = 500 };

static int compare_paths(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_scene(Gallery *gallery, char *path) {
    char **paths = path && gallery->count < MOST_SCENES
                       ? realloc(gallery->paths, (gallery->count + 1) * sizeof *paths)
                       : NULL;
    if (!paths) {
        free(path);
        return;
    }
    gallery->paths = paths;
    paths[gallery->count++] = path;
}

// The demos, where `path` is one of them.
static Gallery find_demos(const char *path) {
    Gallery gallery = {0};
    AppGallery demos = app_gallery();
    const AppDemo *here = app_gallery_at(&demos, path);
    for (size_t i = 0; here && i < demos.count; i++)
        // the one that is shown goes by the name that it was given
        add_scene(&gallery, strdup(&demos.demos[i] == here ? path : demos.demos[i].path));
    app_gallery_destroy(&demos);
    return gallery;
}

// The scenes in the folder of `path`; for a demo, all demos; for a recording, itself alone.
static Gallery find_scenes(const char *path) {
    Gallery gallery = find_demos(path);
    if (gallery.count) return gallery;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
    DIR *entries = folder && app_has_extension(path, ".tac") ? opendir(*folder ? folder : ".") : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char *found;
        if (entry->d_name[0] == '.' || !app_has_extension(entry->d_name, ".tac")) continue;
        if (asprintf(&found, "%s%s", folder, entry->d_name) >= 0) add_scene(&gallery, found);
    }
    if (entries) closedir(entries);
    free(folder);
    if (gallery.count == 0) add_scene(&gallery, strdup(path));
    if (gallery.count > 1) qsort(gallery.paths, gallery.count, sizeof *gallery.paths, compare_paths);
    return gallery;
}

static void free_gallery(Gallery *gallery) {
    for (size_t i = 0; i < gallery->count; i++) free(gallery->paths[i]);
    free(gallery->paths);
}

// --- the browser ------------------------------------------------------------------------------------------

// Through a child of a child, so that nobody has to wait for a browser that stays.
static void open_browser(const char *address) {
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
                execlp("xdg-open", "xdg-open", address, (char *)NULL);
        }
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

// --- the command ------------------------------------------------------------------------------------------

static void say_line(void *data, const char *line) {
    (void)data;
    app_say("%s", line);
}

static bool go_on(void *data) {
    (void)data;
    return !app_interrupted();
}

static bool is_loopback(const char *address) {
    return !strncmp(address, "127.", 4) || !strcmp(address, "::1") || !strcmp(address, "localhost");
}

static int serve(const TacViewDef *def, bool open) {
    TacError error;
    TacView *made;
    if (tac_view_create(&made, def, &error) != TAC_OK) {
        const char *other = app_other_than_scene(def->path);
        if (other && !app_has_extension(def->path, ".tacrec"))
            tac_fail_at(&error, TAC_BAD_INPUT, def->path, 0, 0, "%s", other);
        return app_report(&error);
    }
    app_catch_interrupt();
    if (!is_loopback(def->address))
        app_say("listening on %s: everybody who reaches it and knows this address can watch and touch",
                def->address);
    printf("%s\n", tac_view_address(made));
    fflush(stdout);
    if (isatty(STDOUT_FILENO))
        app_say("%s; Ctrl-C ends it",
                open ? "opening this in your browser" : "open this address in a browser");
    if (open) open_browser(tac_view_address(made));
    TacStatus status = tac_view_run(made, &error);
    tac_view_destroy(made);
    return status == TAC_OK ? APP_DONE : app_report(&error);
}

static int view(int argc, char **argv) {
    TacViewDef def = tac_view_def_default();
    ViewOptions o = {.address = def.address, .speed = def.speed, .threads = def.threads, .seed = def.seed};
    AppTexts arguments = {0};
    AppParsed parsed = app_parse(&app_view_command, argc, argv, &o, &arguments);
    int code = app_parsed_code(parsed);
    if (parsed == APP_PARSED) {
        Gallery gallery = find_scenes(arguments.items[0]);
        def.path = arguments.items[0];
        def.address = o.address;
        def.port = (int)o.port;
        def.token = o.token;
        def.paused = o.paused;
        def.speed = o.speed;
        def.threads = (int)o.threads;
        def.seed = o.seed;
        def.sets = o.scene.sets.items;
        def.set_count = o.scene.sets.count;
        def.plugins = o.scene.plugins.items;
        def.plugin_count = o.scene.plugins.count;
        def.gallery = (const char *const *)gallery.paths;
        def.gallery_count = gallery.count;
        def.log = say_line;
        def.go_on = go_on;
        code = serve(&def, !o.no_open);
        free_gallery(&gallery);
    }
    app_texts_free(&arguments);
    app_free_values(&app_view_command, &o);
    return code;
}
