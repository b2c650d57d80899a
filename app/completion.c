// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// tactus completion, and the manual page of tactus help --man: both are written from the tables of the
// commands, so that they cannot fall behind.

#include "commands.h"

#include <stdlib.h>
#include <string.h>

static int completion(int argc, char **argv);

const AppCommand app_completion_command = {
    .name = "completion",
    .arguments = "bash|zsh",
    .summary = "prints what makes a shell complete tactus's commands and options",
    .text = "Prints a script for the shell that is named. An installed tactus has put it where shells look; "
            "otherwise let the shell's start-up file read it.",
    .examples = "  source <(tactus completion bash)                   for this shell\n"
                "  tactus completion zsh > ~/.zfunc/_tactus           a folder of zsh's fpath\n",
    .least = 1,
    .most = 1,
    .run = completion,
};

// --- bash -------------------------------------------------------------------------------------------------

static void put_command_names(const char *between) {
    for (size_t i = 0; i < app_command_count; i++) printf("%s%s", app_commands[i]->name, between);
    fputs("help", stdout);
}

// The names of all components; those of plugins are not known here.
static void put_component_names(void) {
    TacScene *scene;
    if (tac_scene_create(&scene, NULL) != TAC_OK) return;
    for (size_t i = 0; tac_scene_class(scene, i); i++)
        printf("%s%s", i ? " " : "", tac_scene_class(scene, i)->name);
    tac_scene_destroy(scene);
}

static void put_bash_options(const AppCommand *command) {
    printf("    %s) options='", command->name);
    for (size_t i = 0; i < command->option_count; i++) {
        printf("--%s ", command->options[i].name);
        if (command->options[i].letter) printf("-%c ", command->options[i].letter);
    }
    fputs("--help' ;;\n", stdout);
}

static void put_bash(void) {
    fputs("# Completion of tactus for bash, written by `tactus completion bash`.\n"
          "_tactus() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options= words=\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          stdout);
    put_command_names(" ");
    fputs(" --help --version' -- \"$current\")\n"
          "        return\n"
          "    fi\n"
          "    case $command in\n",
          stdout);
    for (size_t i = 0; i < app_command_count; i++) put_bash_options(app_commands[i]);
    fputs("    help) words='", stdout);
    put_command_names(" ");
    fputs("' options=--man ;;\n"
          "    esac\n"
          "    case $command in\n"
          "    demo) words=$(\"${COMP_WORDS[0]}\" demo --names 2>/dev/null) ;;\n"
          "    completion) words='bash zsh' ;;\n"
          "    bench) words='",
          stdout);
    app_print_bench_names();
    fputs("' ;;\n"
          "    components) words='",
          stdout);
    put_component_names();
    fputs("' ;;\n"
          "    esac\n"
          "    case $current in\n"
          "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\") ;;\n"
          "    *)\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "        [ -n \"$words\" ] || mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
          "        ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _tactus tactus\n",
          stdout);
}

// --- zsh --------------------------------------------------------------------------------------------------

// Inside '...', and inside the [...] or after the : of a specification.
static void put_zsh_text(const char *text) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text == '\n' ? ' ' : *text);
    }
}

// The first sentence is enough for a menu.
static void put_zsh_sentence(const char *doc) {
    char text[160];
    size_t n = strcspn(doc, ".;");
    // ".tacrec" does not end a sentence
    while (doc[n] && doc[n + 1] && doc[n + 1] != ' ') n += 1 + strcspn(doc + n + 1, ".;");
    snprintf(text, sizeof text, "%.*s", (int)n, doc);
    put_zsh_text(text);
}

static void put_zsh_option(const AppOption *option) {
    bool several = option->kind == APP_TEXTS;
    fputs("            '", stdout);
    if (several) putchar('*');
    printf("--%s%s[", option->name, option->kind == APP_FLAG ? "" : "=");
    put_zsh_sentence(option->doc);
    putchar(']');
    if (option->kind != APP_FLAG) {
        putchar(':');
        put_zsh_text(option->value ? option->value : "value");
        putchar(':');
        if (option->value && !strcmp(option->value, "FILE")) fputs("_files", stdout);
    }
    fputs("' \\\n", stdout);
    if (!option->letter) return;
    printf("            '%s-%c[", several ? "*" : "", option->letter);
    put_zsh_sentence(option->doc);
    fputs(option->kind == APP_FLAG ? "]' \\\n" : "]:file:_files' \\\n", stdout);
}

static void put_zsh_arguments(const AppCommand *command) {
    if (!strcmp(command->name, "demo"))
        fputs("            '1:name:($(tactus demo --names 2>/dev/null))'\n", stdout);
    else if (!strcmp(command->name, "completion"))
        fputs("            '1:shell:(bash zsh)'\n", stdout);
    else if (!strcmp(command->name, "bench")) {
        fputs("            '1:name:(", stdout);
        app_print_bench_names();
        fputs(")'\n", stdout);
    } else if (!strcmp(command->name, "components")) {
        fputs("            '1:name:(", stdout);
        put_component_names();
        fputs(")'\n", stdout);
    } else
        fputs("            '*:file:_files'\n", stdout);
}

static void put_zsh(void) {
    fputs("#compdef tactus\n"
          "# Completion of tactus for zsh, written by `tactus completion zsh`.\n"
          "_tactus() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          stdout);
    for (size_t i = 0; i < app_command_count; i++) {
        printf("        '%s:", app_commands[i]->name);
        put_zsh_text(app_commands[i]->summary);
        fputs("'\n", stdout);
    }
    fputs("        'help:shows the page of a command'\n"
          "    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n",
          stdout);
    for (size_t i = 0; i < app_command_count; i++) {
        printf("    %s)\n        _arguments \\\n", app_commands[i]->name);
        for (size_t k = 0; k < app_commands[i]->option_count; k++)
            put_zsh_option(&app_commands[i]->options[k]);
        fputs("            '--help[Shows the page of this command]' \\\n", stdout);
        put_zsh_arguments(app_commands[i]);
        fputs("        ;;\n", stdout);
    }
    fputs("    help) _arguments '--man[Prints the manual page]' '1:command:(", stdout);
    put_command_names(" ");
    fputs(")' ;;\n"
          "    esac\n"
          "}\n"
          "_tactus \"$@\"\n",
          stdout);
}

// --- the manual page --------------------------------------------------------------------------------------

// Text for roff: a backslash, a hyphen and a leading dot or quote mean something there.
static void put_roff(const char *text) {
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        start = *text == '\n';
    }
}

static void put_man_option(const AppOption *option) {
    fputs(".TP\n.B ", stdout);
    if (option->letter) printf("\\-%c, ", option->letter);
    fputs("\\-\\-", stdout);
    put_roff(option->name);
    if (option->value) {
        fputs(" \\fI", stdout);
        put_roff(option->value);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_roff(option->doc);
    putchar('\n');
}

static void put_man_command(const AppCommand *command) {
    printf(".SS tactus %s", command->name);
    putchar(' ');
    put_roff(command->arguments);
    putchar('\n');
    put_roff(command->text);
    putchar('\n');
    for (size_t i = 0; i < command->option_count; i++) put_man_option(&command->options[i]);
    fputs(".PP\nExamples:\n.PP\n.nf\n", stdout);
    put_roff(command->examples);
    fputs(".fi\n", stdout);
}

void app_print_man(void) {
    printf(".\\\" Written by `tactus help --man` from the tables of the commands.\n"
           ".TH TACTUS 1 \"\" \"tactus %s\" \"Tactus\"\n"
           ".SH NAME\ntactus \\- simulates things that touch, each keeping its own beat\n"
           ".SH SYNOPSIS\n.B tactus\n\\fICOMMAND\\fR ...\n"
           ".SH DESCRIPTION\n",
           tac_version());
    put_roff("A scene (.tac, .ca, .scn) describes a world: rigid bodies, cloth, soft solids, wires, grains. "
             "tactus "
             "runs it, records it, shows it live in a browser, and draws, plots, compares and exports "
             "recordings.\n");
    fputs(".SH COMMANDS\n", stdout);
    for (size_t i = 0; i < app_command_count; i++) put_man_command(app_commands[i]);
    fputs(".SH EXIT STATUS\n"
          ".TP\n.B 0\nDone.\n"
          ".TP\n.B 1\nThe run failed, or the audit found a violation.\n"
          ".TP\n.B 2\nBad usage.\n"
          ".TP\n.B 3\nBad input: the message has file, line, column and what was expected.\n"
          ".TP\n.B 130\nStopped by Ctrl\\-C; what was recorded until then is whole.\n"
          ".SH ENVIRONMENT\n"
          ".TP\n.B TACTUS_EXAMPLES\nThe folder of the example scenes, instead of the installed one.\n"
          ".TP\n.B NO_COLOR\nNo colours on terminals.\n",
          stdout);
}

// --- the command ------------------------------------------------------------------------------------------

static int completion(int argc, char **argv) {
    AppTexts arguments = {0};
    int nothing = 0;
    AppParsed parsed = app_parse(&app_completion_command, argc, argv, &nothing, &arguments);
    int code = app_parsed_code(parsed);
    if (parsed == APP_PARSED) {
        if (!strcmp(arguments.items[0], "bash"))
            put_bash();
        else if (!strcmp(arguments.items[0], "zsh"))
            put_zsh();
        else
            code = app_bad_usage("completion", "\"%.100s\" is not one of bash and zsh", arguments.items[0]);
    }
    app_texts_free(&arguments);
    return code;
}
