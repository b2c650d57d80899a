// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Which snapshots a run writes, and when: --snapshot FILE is written at the end (also after Ctrl-C), FILE@S when S
// seconds are simulated, and --snapshot-every S replaces the first of those for the end every S seconds.

#ifndef APP_SNAPSHOTS_H
#define APP_SNAPSHOTS_H

#include "common.h"
#include "json.h"

typedef struct AppSnapshot {
    char *path;
    double at;    // s; NaN: at the end
    bool written; // at least once
    double time;  // s, of what was written last
    uint64_t bytes;
} AppSnapshot;

typedef struct AppSnapshots {
    AppSnapshot *items;
    size_t count;
    double every; // s; NaN: not
    int64_t next; // number of the next of those
} AppSnapshots;

// From the texts of --snapshot; `otherwise` is the file where --snapshot-every has none. Returns an exit code; destroy
// it in any case.
int app_snapshots_read(AppSnapshots *snapshots, const AppTexts *texts, double every, const char *otherwise);
void app_snapshots_destroy(AppSnapshots *snapshots);

// Before time runs from `from` to `end`: whether all times lie there. Returns an exit code.
int app_snapshots_check(AppSnapshots *snapshots, double from, double end);

// Advances to each moment before `time` (not `time` itself) and writes what is due there.
TacStatus app_snapshots_before(AppSnapshots *snapshots, TacWorld *world, double time, TacError *error);
// Writes what is due now, at `time`; and in the end, or when a run was stopped, the rest.
TacStatus app_snapshots_now(AppSnapshots *snapshots, TacWorld *world, double time, TacError *error);
TacStatus app_snapshots_end(AppSnapshots *snapshots, TacWorld *world, TacError *error);

void app_snapshots_put(const AppSnapshots *snapshots); // lines of a summary
void app_snapshots_json(AppJson *json, const char *key, const AppSnapshots *snapshots);

#endif
