// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What all commands share: exit codes, messages, colour, Ctrl-C, and opening a scene as the options say.
//
// The command stands outside of the library and uses its public headers only. Its own functions begin with
// app_ so that nobody takes them for the library's.

#ifndef APP_COMMON_H
#define APP_COMMON_H

#include "json.h"
#include "options.h"
#include "tactus/tactus.h"

#include <stdio.h>

// Exit codes, the same for all commands.
enum {
    APP_DONE = 0,
    APP_FAILED = 1,
    APP_BAD_USAGE = 2,
    APP_BAD_INPUT = 3,
    APP_STOPPED = 130, // by Ctrl-C
};

#define APP_COUNT(array) (sizeof(array) / sizeof *(array))

int app_exit_code(TacStatus status);

// "tactus: ..." on standard error.
void app_say(const char *format, ...) TAC_PRINTF(1, 2);
// The same for a command line that makes no sense; says where help is. Returns APP_BAD_USAGE.
int app_bad_usage(const char *command, const char *format, ...) TAC_PRINTF(2, 3);
// One message of the library on standard error, with its place. Returns the exit code that belongs to it.
int app_report(const TacError *error);
void app_put_remark(const TacError *remark);
int app_out_of_memory(void);
// Opens a recording; where it is a scene instead, says how to make one of it.
int app_open_recording(TacRecording **recording, const char *path);

// Text that came from a file: control characters, which could steer a terminal, are shown as '?'.
void app_put(FILE *out, const char *text);
// The same, as a word that a shell reads as it is.
void app_put_word(FILE *out, const char *text);

// Escape sequences, or "" where the stream is no terminal or NO_COLOR is set.
typedef struct AppStyle {
    const char *bold, *dim, *red, *yellow, *off;
} AppStyle;
AppStyle app_style(FILE *stream);
bool app_is_terminal(FILE *stream);

// Flushes standard output and gives `code`, or APP_FAILED with a message when it could not be written. Nobody
// reading to the end is no failure.
int app_finish_output(int code);

double app_seconds(void); // of a clock that never goes back

// From the call on, Ctrl-C (and what else asks to end) is noted once instead of ending the program; the
// second time it ends it.
void app_catch_interrupt(void);
bool app_interrupted(void);

// Numbers for people.
typedef struct AppShort {
    char text[48];
} AppShort;
AppShort app_bytes(uint64_t bytes);                              // "3.4 MB"
AppShort app_duration(double seconds);                           // "0:12", "1:02:03"
AppShort app_count(uint64_t number);                             // "12,345"
AppShort app_elements(uint64_t number, TacElement kind);         // "1 triangle", "12 tetrahedra"
AppShort app_ratio(double ratio);                                // "0.0123", "2.67", "2,540"
AppShort app_number_of(uint64_t number, const char *what);       // "1 point", "12,345 points"
bool app_has_extension(const char *path, const char *extension); // ".tacrec", in any case

// --- scenes -----------------------------------------------------------------------------------------------

// The options --set and --plugin.
typedef struct AppSceneOptions {
    AppTexts sets;
    AppTexts plugins;
} AppSceneOptions;

// Put these first in a command's table; its struct begins with AppSceneOptions.
#define APP_SCENE_OPTIONS                                                                                    \
    {.name = "set",                                                                                          \
     .kind = APP_TEXTS,                                                                                      \
     .value = "X=VALUE",                                                                                     \
     .offset = offsetof(AppSceneOptions, sets),                                                              \
     .doc = "Sets a parameter of the scene (n=20) or an attribute (/beam/law.stiffness=100). May be given "  \
            "several times."},                                                                               \
    {                                                                                                        \
        .name = "plugin", .kind = APP_TEXTS, .value = "FILE", .offset = offsetof(AppSceneOptions, plugins),  \
        .doc = "Loads components from a shared object (.so). It is code: only load what you trust."          \
    }

// A scene without a file, but with the plugins; for looking at classes. Returns an exit code, as do the
// others.
int app_create_scene(TacScene **scene, const AppTexts *plugins);

// What a file that is there is instead of a scene, and what to do with it; NULL: nobody knows.
const char *app_other_than_scene(const char *path);

// Reads a scene; `more` is one further assignment, or NULL. When that fails, messages are printed and the
// scene is kept for its messages if `keep` says so.
int app_read_scene(TacScene **scene, const char *path, const AppSceneOptions *options, const char *more,
                   bool keep);

// What there is to say about a scene, as a list "messages"; `last`: and what kept its world from being made, or NULL.
void app_messages_json(AppJson *json, const TacScene *scene, const TacError *last);

// The comments of a model, which are remarks that only `check` shows.
void app_put_comments(const TacScene *scene);

// Compiles it; prints remarks (unless quiet) and errors. `error` holds why it failed.
int app_create_world(TacWorld **world, TacScene *scene, const TacWorldDef *def, bool quiet, TacError *error);

#endif
