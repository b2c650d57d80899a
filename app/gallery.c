// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "gallery.h"

#include "common.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Both come from the build; without it only the environment variable leads to scenes.
#ifndef APP_INSTALLED_EXAMPLES
#define APP_INSTALLED_EXAMPLES "../share/tactus/examples"
#endif
#ifndef APP_SOURCE_EXAMPLES
#define APP_SOURCE_EXAMPLES ""
#endif

enum { MOST_DEMOS = 1000 };

// --- the folder -------------------------------------------------------------------------------------------

static bool has_list(const char *folder) {
    char *list;
    struct stat found;
    if (!*folder || asprintf(&list, "%s/README.md", folder) < 0) return false;
    bool there = stat(list, &found) == 0 && S_ISREG(found.st_mode);
    free(list);
    return there;
}

// The folder that this program was installed with.
static char *installed_folder(void) {
    char *program = realpath("/proc/self/exe", NULL), *folder = NULL;
    char *slash = program ? strrchr(program, '/') : NULL;
    if (slash) *slash = 0;
    if (slash && asprintf(&folder, "%s/%s", program, APP_INSTALLED_EXAMPLES) < 0) folder = NULL;
    char *plain = folder ? realpath(folder, NULL) : NULL;
    free(program);
    free(folder);
    return plain;
}

static char *find_folder(void) {
    const char *told = getenv("TACTUS_EXAMPLES");
    if (told && *told) return has_list(told) ? strdup(told) : NULL;
    char *installed = installed_folder();
    if (installed && has_list(installed)) return installed;
    free(installed);
    return has_list(APP_SOURCE_EXAMPLES) ? strdup(APP_SOURCE_EXAMPLES) : NULL;
}

// --- the list ---------------------------------------------------------------------------------------------

// Markdown's marks are not for terminals.
static void remove_marks(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != '`' && (unsigned char)*from >= ' ') *to++ = *from;
    while (to > text && to[-1] == ' ') to--;
    *to = 0;
}

static bool is_scene(const char *path) {
    return app_has_extension(path, ".tac") || app_has_extension(path, ".ca");
}

static void add_demo(AppGallery *gallery, const char *theme, const char *file, const char *about) {
    AppDemo *demos = realloc(gallery->demos, (gallery->count + 1) * sizeof *demos);
    if (!demos) return;
    gallery->demos = demos;
    AppDemo *demo = &demos[gallery->count];
    *demo = (AppDemo){.name = strndup(file, (size_t)(strrchr(file, '.') - file)),
                      .about = strdup(about),
                      .theme = strdup(theme)};
    if (asprintf(&demo->path, "%s/%s", gallery->folder, file) < 0) demo->path = NULL;
    if (demo->name && demo->path && demo->about && demo->theme && access(demo->path, R_OK) == 0) {
        remove_marks(demo->name);
        remove_marks(demo->about);
        gallery->count++;
        return;
    }
    free(demo->name);
    free(demo->path);
    free(demo->about);
    free(demo->theme);
}

// "| [first/jelly.tac](first/jelly.tac) | a soft ball ... |"
static void read_row(AppGallery *gallery, const char *theme, char *line) {
    if (strncmp(line, "| [", 3) != 0) return;
    char *file = line + 3, *end = strchr(file, ']');
    char *about = end ? strstr(end, ") | ") : NULL;
    if (!about) return;
    *end = 0;
    about += 4;
    char *last = strrchr(about, '|'), *command = strstr(about, ": `tactus");
    if (last) *last = 0;
    if (command) *command = 0; // what to type next is for readers of the page
    // a name leads into the folder and nowhere else
    bool inside = file[0] != '/' && !strstr(file, "..");
    if (inside && is_scene(file) && strncmp(file, "plugin/", 7) != 0 && gallery->count < MOST_DEMOS)
        add_demo(gallery, theme, file, about);
}

AppGallery app_gallery(void) {
    AppGallery gallery = {.folder = find_folder()};
    char *path = NULL, *line = NULL, theme[100] = "";
    size_t size = 0;
    if (!gallery.folder || asprintf(&path, "%s/README.md", gallery.folder) < 0) return gallery;
    FILE *list = fopen(path, "r");
    while (list && getline(&line, &size, list) > 0) {
        if (strncmp(line, "## ", 3) == 0) {
            snprintf(theme, sizeof theme, "%s", line + 3);
            remove_marks(theme);
        }
        read_row(&gallery, theme, line);
    }
    if (list) fclose(list);
    free(line);
    free(path);
    return gallery;
}

void app_gallery_destroy(AppGallery *gallery) {
    for (size_t i = 0; i < gallery->count; i++) {
        free(gallery->demos[i].path);
        free(gallery->demos[i].name);
        free(gallery->demos[i].about);
        free(gallery->demos[i].theme);
    }
    free(gallery->demos);
    free(gallery->folder);
    *gallery = (AppGallery){0};
}

// --- finding one ------------------------------------------------------------------------------------------

const char *app_demo_short_name(const AppDemo *demo) {
    const char *slash = strrchr(demo->name, '/');
    return slash ? slash + 1 : demo->name;
}

const AppDemo *app_gallery_find(const AppGallery *gallery, const char *name) {
    size_t length = strlen(name);
    if (is_scene(name)) length = (size_t)(strrchr(name, '.') - name);
    for (size_t i = 0; i < gallery->count; i++) {
        const AppDemo *demo = &gallery->demos[i];
        const char *candidates[] = {demo->name, app_demo_short_name(demo)};
        for (size_t k = 0; k < APP_COUNT(candidates); k++)
            if (strlen(candidates[k]) == length && !strncmp(candidates[k], name, length)) return demo;
    }
    return NULL;
}

const AppDemo *app_gallery_at(const AppGallery *gallery, const char *path) {
    struct stat wanted, found;
    if (stat(path, &wanted) != 0) return NULL;
    for (size_t i = 0; i < gallery->count; i++)
        if (stat(gallery->demos[i].path, &found) == 0 && found.st_dev == wanted.st_dev &&
            found.st_ino == wanted.st_ino)
            return &gallery->demos[i];
    return NULL;
}
