// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// One line on standard error that says how far a long command is; nothing where that is no terminal.
//
// The line is redrawn at most ten times a second, fits the terminal's width at that moment, and is gone when
// the command ends.

#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct AppProgress {
    bool on, plain; // plain: the terminal knows no block characters
    const char *label;
    double start;               // s, wall clock
    double drawn;               // when the line was drawn last; negative: never
    double mark, mark_done;     // a moment some seconds ago, and how much was done then
    double recent, recent_done; // becomes the mark when that is too old
    int columns;                // of the line that stands there
} AppProgress;

AppProgress app_progress(const char *label, bool quiet);

// A run: simulated and whole time in s, and bytes recorded so far.
void app_progress_run(AppProgress *progress, double time, double end, uint64_t bytes);

// For exports and pictures: is a TacProgress with an AppProgress as its data. False after Ctrl-C.
bool app_progress_step(void *progress, double done);

// Takes the line away.
void app_progress_end(AppProgress *progress);

// Work that cannot call often enough, as what makes a world: it says at which stage it is, and a thread of its own draws
// the line. There is none where there is no terminal.
typedef struct AppStages {
    AppProgress line;
    const char *stage;
    double done; // 0..1
    bool over, runs;
    pthread_t thread;
    pthread_mutex_t lock; // of stage, done, over
    pthread_cond_t ends;
} AppStages;

void app_stages_begin(AppStages *stages, const char *stage, bool quiet);
void app_stages_at(void *stages, const char *stage, double done); // as TacWorldDef.progress
void app_stages_end(AppStages *stages);                           // takes the line away

#endif
