// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "progress.h"
#include "common.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

// SPARE columns stay free at the end: there the terminal shows ^C, which must not break the line.
enum { WIDEST = 80, SPARE = 3, NARROWEST_BAR = 8, PIECES = 5 };

static const double redraw_after = 0.1;     // s
static const double first_draw_after = 0.2; // s: what is done by then needs no bar
static const double mark_every = 3;         // s: time left is judged by the last three to six seconds

static bool is_utf8(void) {
    // the first of these that is set decides, as in the C library
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < APP_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

AppProgress app_progress(const char *label, bool quiet) {
    double now = app_seconds();
    return (AppProgress){.on = !quiet && app_is_terminal(stderr),
                         .plain = !is_utf8(),
                         .label = label,
                         .start = now,
                         .drawn = -1,
                         .mark = now,
                         .recent = now};
}

static int terminal_width(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

// --- drawing ----------------------------------------------------------------------------------------------

// Back to the start of the line that stands there. A terminal that became narrower has broken it into
// several.
static void go_back(AppProgress *progress, int width, char *text, size_t size) {
    int rows = progress->columns > 0 ? (progress->columns - 1) / width : 0;
    if (rows > 0)
        snprintf(text, size, "\r\033[%dA\033[J", rows);
    else
        snprintf(text, size, "\r\033[K");
    progress->columns = 0;
}

// A bar with eighths of a column, where the terminal can draw them.
static int put_bar(char *text, size_t size, double done, int columns, bool plain) {
    int n = 0, eighths = (int)(done * columns * 8 + 0.5);
    for (int i = 0; i < columns; i++) {
        int part = eighths - 8 * i;
        if (part < 0) part = 0;
        if (part > 8) part = 8;
        if (plain)
            n += snprintf(text + n, size - (size_t)n, "%c", part >= 4 ? '#' : '.');
        else if (part == 0)
            n += snprintf(text + n, size - (size_t)n, "\u2591");
        else // U+2588 is a full block; the seven after it are narrower by an eighth each
            n += snprintf(text + n, size - (size_t)n, "\xE2\x96%c", (char)(0x88 + 8 - part));
    }
    return n;
}

// Pieces in order of importance; those that do not fit are left out. Written with one call, so that nothing
// else gets between.
static void draw(AppProgress *progress, double done, const char *const *pieces, size_t count) {
    int width = terminal_width(), room = width - SPARE < WIDEST ? width - SPARE : WIDEST, used = 0;
    char text[16 * WIDEST], tail[4 * WIDEST] = "";
    go_back(progress, width, text, sizeof text);
    size_t n = strlen(text), m = 0;
    for (size_t i = 0; i < count; i++) {
        int length = (int)strlen(pieces[i]);
        if (!length || used + 2 + length + (i ? NARROWEST_BAR : 0) > room) continue;
        m += (size_t)snprintf(tail + m, sizeof tail - m, "  %s", pieces[i]);
        used += 2 + length;
    }
    int bar = room - used;
    if (bar >= NARROWEST_BAR) n += (size_t)put_bar(text + n, sizeof text - n, done, bar, progress->plain);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s",
                          bar >= NARROWEST_BAR ? tail : tail + strspn(tail, " "));
    progress->columns = bar >= NARROWEST_BAR ? room : used;
    ssize_t ignored = write(STDERR_FILENO, text, n < sizeof text ? n : sizeof text - 1);
    (void)ignored;
}

// --- what is said -----------------------------------------------------------------------------------------

static bool is_due(AppProgress *progress, double now) {
    if (!progress->on || now - progress->start < first_draw_after || now - progress->drawn < redraw_after)
        return false;
    progress->drawn = now;
    return true;
}

// By the speed of the last seconds: things get slower when they touch.
static double seconds_left(AppProgress *progress, double now, double done) {
    double speed = now > progress->mark ? (done - progress->mark_done) / (now - progress->mark) : 0;
    if (now - progress->recent > mark_every) {
        progress->mark = progress->recent;
        progress->mark_done = progress->recent_done;
        progress->recent = now;
        progress->recent_done = done;
    }
    return speed > 0 ? (1 - done) / speed : 1e9;
}

static void say_left(AppProgress *progress, double now, double done, char *text, size_t size) {
    double left = seconds_left(progress, now, done);
    if (left < 1e8)
        snprintf(text, size, "%s left", app_duration(left).text);
    else
        *text = 0;
}

void app_progress_run(AppProgress *progress, double time, double end, uint64_t bytes) {
    double now = app_seconds();
    if (!is_due(progress, now)) return;
    double done = end > 0 ? time / end : 1;
    char percent[16], times[64], left[64], factor[64], size[64];
    snprintf(percent, sizeof percent, "%3.0f %%", 100 * done);
    snprintf(times, sizeof times, "%.2f of %.6g s", time, end);
    say_left(progress, now, done, left, sizeof left);
    snprintf(factor, sizeof factor, "%s x real time", app_ratio(time / (now - progress->start)).text);
    snprintf(size, sizeof size, "%s", bytes ? app_bytes(bytes).text : "");
    const char *const pieces[PIECES] = {percent, times, left, factor, size};
    draw(progress, done, pieces, PIECES);
}

bool app_progress_step(void *data, double done) {
    AppProgress *progress = data;
    double now = app_seconds();
    if (is_due(progress, now)) {
        char percent[16], left[64];
        snprintf(percent, sizeof percent, "%3.0f %%", 100 * done);
        say_left(progress, now, done, left, sizeof left);
        const char *const pieces[] = {percent, progress->label, left};
        draw(progress, done, pieces, APP_COUNT(pieces));
    }
    return !app_interrupted();
}

void app_progress_end(AppProgress *progress) {
    if (progress->columns == 0) return;
    char text[32];
    go_back(progress, terminal_width(), text, sizeof text);
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

// --- stages -----------------------------------------------------------------------------------------------

static void draw_stage(AppStages *stages) {
    double now = app_seconds();
    if (!is_due(&stages->line, now)) return;
    char percent[16];
    snprintf(percent, sizeof percent, "%3.0f %%", 100 * stages->done);
    const char *const pieces[] = {percent, stages->stage, app_duration(now - stages->line.start).text};
    draw(&stages->line, stages->done, pieces, APP_COUNT(pieces));
}

static void *draw_until_over(void *data) {
    AppStages *stages = data;
    pthread_mutex_lock(&stages->lock);
    while (!stages->over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(1e9 * redraw_after);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&stages->ends, &stages->lock, &until);
        if (!stages->over) draw_stage(stages);
    }
    pthread_mutex_unlock(&stages->lock);
    return NULL;
}

void app_stages_begin(AppStages *stages, const char *stage, bool quiet) {
    *stages = (AppStages){.line = app_progress("", quiet), .stage = stage};
    if (!stages->line.on) return;
    pthread_mutex_init(&stages->lock, NULL);
    pthread_cond_init(&stages->ends, NULL);
    // Ctrl-C is for the one who works
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    stages->runs = pthread_create(&stages->thread, NULL, draw_until_over, stages) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void app_stages_at(void *data, const char *stage, double done) {
    AppStages *stages = data;
    if (!stages->runs) return;
    pthread_mutex_lock(&stages->lock);
    stages->stage = stage;
    stages->done = done;
    pthread_mutex_unlock(&stages->lock);
}

void app_stages_end(AppStages *stages) {
    if (stages->runs) {
        pthread_mutex_lock(&stages->lock);
        stages->over = true;
        pthread_cond_signal(&stages->ends);
        pthread_mutex_unlock(&stages->lock);
        pthread_join(stages->thread, NULL);
        app_progress_end(&stages->line);
    }
    if (!stages->line.on) return;
    pthread_mutex_destroy(&stages->lock);
    pthread_cond_destroy(&stages->ends);
}
