// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The tactus command: finds the command that was named and hands it the rest of the line.

#define _GNU_SOURCE
#include "commands.h"

#include <malloc.h>
#include <signal.h>
#include <string.h>

const AppCommand *const app_commands[] = {
    &app_run_command,        &app_view_command,   &app_demo_command,    &app_new_command,
    &app_check_command,      &app_info_command,   &app_export_command,  &app_plot_command,
    &app_render_command,     &app_diff_command,   &app_sound_command,   &app_mesh_command,
    &app_components_command, &app_schema_command, &app_regress_command, &app_bench_command,
    &app_completion_command,
};
const size_t app_command_count = APP_COUNT(app_commands);

static const AppCommand *find_command(const char *name) {
    for (size_t i = 0; i < APP_COUNT(app_commands); i++)
        if (!strcmp(app_commands[i]->name, name)) return app_commands[i];
    return NULL;
}

static int print_overview(void) {
    AppStyle style = app_style(stdout);
    printf("%stactus%s %s: simulates things that touch, each keeping its own beat\n\n", style.bold, style.off,
           tac_version());
    printf("%sUsage%s  tactus COMMAND ...\n\n", style.bold, style.off);
    for (size_t i = 0; i < APP_COUNT(app_commands); i++)
        printf("  %-11s %s\n", app_commands[i]->name, app_commands[i]->summary);
    printf("  %-11s %s\n", "help", "shows the page of a command: tactus help run");
    printf("\n%sExamples%s\n"
           "  tactus demo                          example scenes: tactus demo jelly shows one\n"
           "  tactus new beam                      writes beam.tac, a scene to start from\n"
           "  tactus run beam.tac                  simulates a scene into beam.tacrec\n"
           "  tactus view beam.tac                 the same in the browser, to touch\n"
           "  tactus render beam.tacrec -o b.png   draws its last frame\n"
           "  tactus help run                      what else run can do\n",
           style.bold, style.off);
    return APP_DONE;
}

static int unknown_command(const char *name) {
    const char *names[APP_COUNT(app_commands) + 1];
    for (size_t i = 0; i < APP_COUNT(app_commands); i++) names[i] = app_commands[i]->name;
    names[APP_COUNT(app_commands)] = "help";
    const char *near = app_nearest(name, names, APP_COUNT(names));
    return app_bad_usage(NULL, "\"%.100s\" is not a command%s%s%s", name, near ? "; did you mean \"" : "",
                         near ? near : "", near ? "\"?" : "");
}

static int help(int argc, char **argv) {
    if (argc == 0) return print_overview();
    if (!strcmp(argv[0], "--man")) {
        app_print_man();
        return APP_DONE;
    }
    const AppCommand *command = find_command(argv[0]);
    if (!strcmp(argv[0], "help") || argv[0][0] == '-') return print_overview();
    if (!command) return unknown_command(argv[0]);
    app_print_help(command);
    return APP_DONE;
}

static int unknown_option(const char *word) {
    const char *const names[] = {"help", "version"};
    const char *near = app_nearest(word + strspn(word, "-"), names, APP_COUNT(names));
    return app_bad_usage(NULL, "%.100s is not an option%s%s%s", word, near ? "; did you mean --" : "",
                         near ? near : "", near ? "?" : ". A command comes first");
}

static int dispatch(int argc, char **argv) {
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return print_overview();
    if (!strcmp(argv[1], "--version")) {
        printf("tactus %s\n", tac_version());
        return APP_DONE;
    }
    if (!strcmp(argv[1], "help")) return help(argc - 2, argv + 2);
    if (argv[1][0] == '-') return unknown_option(argv[1]);
    const AppCommand *command = find_command(argv[1]);
    return command ? command->run(argc - 2, argv + 2) : unknown_command(argv[1]);
}

int main(int argc, char **argv) {
    // a reader that went away, or a file that may not grow, is an error of a write, not the end of the
    // program
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    // large lists have pages of their own, which grow without being copied and go back when they are freed
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    return app_finish_output(dispatch(argc, argv));
}
