// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "common.h"
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

// --- messages ---------------------------------------------------------------------------------------------

int app_exit_code(TacStatus status) {
    switch (status) {
    case TAC_OK: return APP_DONE;
    case TAC_BAD_USAGE: return APP_BAD_USAGE;
    case TAC_BAD_INPUT: return APP_BAD_INPUT;
    case TAC_FAILED:
    case TAC_NO_MEMORY: break;
    }
    return APP_FAILED;
}

void app_put(FILE *out, const char *text) {
    for (; *text; text++) putc((unsigned char)*text < 0x20 || *text == 0x7F ? '?' : *text, out);
}

void app_put_word(FILE *out, const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (*text && *text != '-' && !text[strspn(text, plain)]) {
        app_put(out, text);
        return;
    }
    if (*text == '-') fputs("./", out); // or it would be an option
    putc('\'', out);
    for (; *text; text++) {
        const char one[2] = {*text, 0};
        if (*text == '\'')
            fputs("'\\''", out);
        else
            app_put(out, one);
    }
    putc('\'', out);
}

static void say(const char *format, va_list args) {
    char text[2048];
    vsnprintf(text, sizeof text, format, args);
    AppStyle style = app_style(stderr);
    fprintf(stderr, "%stactus:%s ", style.bold, style.off);
    app_put(stderr, text);
    putc('\n', stderr);
}

void app_say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

int app_bad_usage(const char *command, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    fprintf(stderr, "Try: tactus help%s%s\n", command ? " " : "", command ? command : "");
    return APP_BAD_USAGE;
}

// "file:line:column: error: what", as compilers write it, so that editors find the place.
static void put_message(const TacError *error, bool is_error) {
    AppStyle style = app_style(stderr);
    fputs(style.bold, stderr);
    app_put(stderr, error->file[0] ? error->file : "tactus");
    if (error->line) fprintf(stderr, ":%d", error->line);
    if (error->line && error->column) fprintf(stderr, ":%d", error->column);
    fputs(": ", stderr);
    if (error->file[0])
        fprintf(stderr, "%s%s: ", is_error ? style.red : style.yellow, is_error ? "error" : "remark");
    else if (!is_error)
        fprintf(stderr, "%sremark: ", style.yellow);
    fputs(style.off, stderr);
    app_put(stderr, error->message);
    putc('\n', stderr);
}

void app_put_remark(const TacError *remark) {
    put_message(remark, false);
}

int app_report(const TacError *error) {
    put_message(error, true);
    return app_exit_code(error->status);
}

int app_open_recording(TacRecording **recording, const char *path) {
    TacError error;
    if (tac_recording_open(recording, path, &error) == TAC_OK) return APP_DONE;
    int code = app_report(&error);
    bool scene =
        app_has_extension(path, ".tac") || app_has_extension(path, ".ca") || app_has_extension(path, ".scn");
    if (scene) app_say("%s is a scene; `tactus run %s` makes a recording of it", path, path);
    return code;
}

int app_out_of_memory(void) {
    app_say("out of memory");
    return APP_FAILED;
}

// Whether standard output is a pipe that nobody reads any more; the write that failed may be long past.
static bool reader_is_gone(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR);
}

int app_finish_output(int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    int reason = errno;
    if (reason == EPIPE || reader_is_gone()) return code;
    app_say("standard output cannot be written: %s", reason ? strerror(reason) : "a write failed");
    return code == APP_DONE ? APP_FAILED : code;
}

// --- the terminal -----------------------------------------------------------------------------------------

bool app_is_terminal(FILE *stream) {
    const char *terminal = getenv("TERM");
    return isatty(fileno(stream)) && terminal && strcmp(terminal, "dumb") != 0;
}

AppStyle app_style(FILE *stream) {
    const char *no_color = getenv("NO_COLOR");
    if ((no_color && *no_color) || !app_is_terminal(stream)) return (AppStyle){"", "", "", "", ""};
    return (AppStyle){"\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[0m"};
}

// --- Ctrl-C -----------------------------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;

static void note_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

void app_catch_interrupt(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    // the handler is gone after its first use: a second Ctrl-C ends the program whatever it does
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < APP_COUNT(numbers); i++) {
        struct sigaction before;
        // what nohup and background shells ignore stays ignored
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

bool app_interrupted(void) {
    return interrupted != 0;
}

double app_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// --- numbers for people -----------------------------------------------------------------------------------

AppShort app_bytes(uint64_t bytes) {
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    AppShort result;
    double value = (double)bytes / 1000;
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < APP_COUNT(units); unit++) value /= 1000;
    if (bytes < 1000)
        snprintf(result.text, sizeof result.text, "%" PRIu64 " bytes", bytes);
    else
        snprintf(result.text, sizeof result.text,
                 value < 9.995   ? "%.2f %s"
                 : value < 99.95 ? "%.1f %s"
                                 : "%.0f %s",
                 value, units[unit]);
    return result;
}

AppShort app_duration(double seconds) {
    AppShort result;
    if (!(seconds < 1e9)) seconds = 1e9;
    int64_t whole = (int64_t)(seconds + 0.5);
    if (whole < 3600)
        snprintf(result.text, sizeof result.text, "%d:%02d", (int)(whole / 60), (int)(whole % 60));
    else
        snprintf(result.text, sizeof result.text, "%" PRId64 ":%02d:%02d", whole / 3600,
                 (int)(whole / 60 % 60), (int)(whole % 60));
    return result;
}

AppShort app_count(uint64_t number) {
    AppShort result;
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), n = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) result.text[n++] = ',';
        result.text[n++] = digits[i];
    }
    result.text[n] = 0;
    return result;
}

AppShort app_elements(uint64_t number, TacElement kind) {
    AppShort result;
    const char *one = kind == TAC_TETRAHEDRA ? "tetrahedron" : kind == TAC_HEXAHEDRA ? "hexahedron" : NULL;
    char name[16];
    snprintf(name, sizeof name, "%s", one && number == 1 ? one : tac_element_name(kind));
    size_t length = strlen(name);
    if (number == 1 && name[length - 1] == 's') name[length - 1] = 0;
    snprintf(result.text, sizeof result.text, "%.27s %s", app_count(number).text, name);
    return result;
}

AppShort app_ratio(double ratio) {
    AppShort result;
    if (!(ratio >= 999.5 && ratio < 1e15)) {
        snprintf(result.text, sizeof result.text, "%.3g", ratio);
        return result;
    }
    snprintf(result.text, sizeof result.text, "%.2e", ratio); // three digits
    return app_count((uint64_t)strtod(result.text, NULL));
}

AppShort app_number_of(uint64_t number, const char *what) {
    AppShort result;
    snprintf(result.text, sizeof result.text, "%.27s %.16s%s", app_count(number).text, what,
             number == 1 ? "" : "s");
    return result;
}

bool app_has_extension(const char *path, const char *extension) {
    size_t length = strlen(path), end = strlen(extension);
    return length > end && !strcasecmp(path + length - end, extension);
}

// --- scenes -----------------------------------------------------------------------------------------------

// What a CORDIS-ANIMA model says behind its statements: for those who check it.
static bool is_comment(const TacSceneMessage *message) {
    static const char mark[] = "comment: ";
    return !message->is_error && !strncmp(message->error.message, mark, sizeof mark - 1);
}

void app_put_comments(const TacScene *scene) {
    for (size_t i = 0; i < tac_scene_message_count(scene); i++) {
        const TacSceneMessage *message = tac_scene_message(scene, i);
        if (is_comment(message)) put_message(&message->error, false);
    }
}

static void put_messages(const TacScene *scene, bool remarks) {
    for (size_t i = 0; i < tac_scene_message_count(scene); i++) {
        const TacSceneMessage *message = tac_scene_message(scene, i);
        if (is_comment(message)) continue;
        if (message->is_error || remarks) put_message(&message->error, message->is_error);
    }
}

void app_messages_json(AppJson *json, const TacScene *scene, const TacError *last) {
    app_json_open(json, "messages", '[');
    size_t count = tac_scene_message_count(scene);
    for (size_t i = 0; i < count + (last ? 1 : 0); i++) {
        const TacSceneMessage *message = i < count ? tac_scene_message(scene, i) : NULL;
        const TacError *error = message ? &message->error : last;
        app_json_open(json, NULL, '{');
        app_json_text(json, "kind", !message || message->is_error ? "error" : "remark");
        app_json_text(json, "file", error->file[0] ? error->file : NULL);
        app_json_int(json, "line", error->line);
        app_json_int(json, "column", error->column);
        app_json_text(json, "message", error->message);
        app_json_close(json, '}');
    }
    app_json_close(json, ']');
}

static bool has_error(const TacScene *scene) {
    for (size_t i = 0; i < tac_scene_message_count(scene); i++)
        if (tac_scene_message(scene, i)->is_error) return true;
    return false;
}

int app_create_scene(TacScene **scene, const AppTexts *plugins) {
    TacError error;
    if (tac_scene_create(scene, &error) != TAC_OK) return app_report(&error);
    for (size_t i = 0; i < plugins->count; i++) {
        if (tac_scene_load_plugin(*scene, plugins->items[i], &error) == TAC_OK) continue;
        tac_scene_destroy(*scene);
        *scene = NULL;
        return app_report(&error);
    }
    return APP_DONE;
}

static int set_parameter(TacScene *scene, const char *assignment) {
    size_t length = strcspn(assignment, "=");
    char name[128];
    if (!assignment[length] || length == 0 || length >= sizeof name)
        return app_bad_usage(NULL, "--set %.200s: expected name=value or /node/component.attribute=value",
                             assignment);
    snprintf(name, sizeof name, "%.*s", (int)length, assignment);
    TacError error;
    return tac_scene_set_parameter(scene, name, assignment + length + 1, &error) == TAC_OK
               ? APP_DONE
               : app_report(&error);
}

static int set_attribute(TacScene *scene, const char *assignment) {
    TacError error;
    if (tac_scene_set_by_path(scene, assignment, &error) == TAC_OK) return APP_DONE;
    app_say("--set %.200s: %s", assignment, error.message);
    return app_exit_code(error.status);
}

// Parameters before the scene is read, attributes after it.
static int apply_sets(TacScene *scene, const AppTexts *sets, const char *more, bool attributes) {
    int code = APP_DONE;
    for (size_t i = 0; i <= sets->count && code == APP_DONE; i++) {
        const char *assignment = i < sets->count ? sets->items[i] : more;
        if (!assignment || (assignment[0] == '/') != attributes) continue;
        code = attributes ? set_attribute(scene, assignment) : set_parameter(scene, assignment);
    }
    return code;
}

const char *app_other_than_scene(const char *path) {
    static const char *const known[][2] = {
        {".tacrec", "is a recording, not a scene: tactus view shows it, tactus info says what is in it"},
        {".tacsnap", "is a snapshot, not a scene: tactus run SCENE --resume goes on from it"},
        {".tacin",
         "has inputs of the live view, and is no scene: tactus run SCENE --inputs gives them again"},
        {".obj", NULL},
        {".stl", NULL},
        {".ply", NULL},
        {".msh", NULL},
        {".vtk", NULL},
        {".vtu", NULL}};
    if (access(path, R_OK) != 0) return NULL;
    for (size_t i = 0; i < APP_COUNT(known); i++)
        if (app_has_extension(path, known[i][0]))
            return known[i][1] ? known[i][1]
                               : "is a mesh, not a scene: <MeshFile file=\"...\"/> in a scene reads it, "
                                 "tactus mesh says "
                                 "how good it is";
    return NULL;
}

int app_read_scene(TacScene **scene, const char *path, const AppSceneOptions *options, const char *more,
                   bool keep) {
    int code = app_create_scene(scene, &options->plugins);
    if (code != APP_DONE) return code;
    code = apply_sets(*scene, &options->sets, more, false);
    TacError error;
    if (code == APP_DONE && tac_scene_read(*scene, path, &error) != TAC_OK) {
        const char *other = app_other_than_scene(path);
        if (other) {
            tac_fail_at(&error, TAC_BAD_INPUT, path, 0, 0, "%s", other);
            put_message(&error, true);
        } else {
            put_messages(*scene, true);
            if (!has_error(*scene)) put_message(&error, true);
        }
        code = app_exit_code(error.status);
    }
    if (code == APP_DONE) code = apply_sets(*scene, &options->sets, more, true);
    if (code != APP_DONE && !keep) {
        tac_scene_destroy(*scene);
        *scene = NULL;
    }
    return code;
}

int app_create_world(TacWorld **world, TacScene *scene, const TacWorldDef *def, bool quiet, TacError *error) {
    AppStages stages;
    TacWorldDef told = *def;
    told.progress = app_stages_at;
    told.progress_data = &stages;
    app_stages_begin(&stages, "compiling", quiet);
    TacStatus status = tac_world_create(world, scene, &told, error);
    app_stages_end(&stages);
    put_messages(scene, !quiet || status != TAC_OK);
    if (status == TAC_OK) return APP_DONE;
    put_message(error, true);
    return app_exit_code(status);
}
