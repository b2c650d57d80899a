// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// All commands, each in the file that its line names, and what they borrow from each other.

#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "common.h"

extern const AppCommand app_run_command;        // run.c
extern const AppCommand app_view_command;       // view.c
extern const AppCommand app_check_command;      // check.c
extern const AppCommand app_components_command; // components.c
extern const AppCommand app_schema_command;     // components.c
extern const AppCommand app_info_command;       // files.c
extern const AppCommand app_diff_command;       // files.c
extern const AppCommand app_export_command;     // files.c
extern const AppCommand app_plot_command;       // pictures.c
extern const AppCommand app_render_command;     // pictures.c
extern const AppCommand app_regress_command;    // regress.c
extern const AppCommand app_bench_command;      // bench.c
extern const AppCommand app_sound_command;      // sound.c
extern const AppCommand app_demo_command;       // demo.c
extern const AppCommand app_new_command;        // new.c
extern const AppCommand app_mesh_command;       // mesh.c
extern const AppCommand app_completion_command; // completion.c

// All of them, in the order in which they are listed; main.c.
extern const AppCommand *const app_commands[];
extern const size_t app_command_count;

// The names of all benchmarks with blanks between them, on standard output; bench.c.
void app_print_bench_names(void);

// The manual page of all commands, in roff, on standard output; completion.c.
void app_print_man(void);

// What `check` says of a scene; `briefly`: without the tree and the agents, for `info`.
int app_check_scene(const char *path, const AppSceneOptions *options, bool json, bool briefly);

// Exports a recording to one file, with a progress bar. Returns an exit code.
int app_export(TacRecording *recording, const char *path, bool quiet);

// Whether a run or an export can write to this path, by its extension.
bool app_is_export_path(const char *path);

#endif
