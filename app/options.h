// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Command lines, by tables: what a command's options are, where their values go, and its help.
//
// A command has a struct with a field for every option and a table that names the fields by their offsets, as
// components do with their attributes. Parsing, messages and help are all made from the table.

#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What an option takes, and the type of the field that receives it.
typedef enum AppOptionKind {
    APP_FLAG,   // bool; takes nothing
    APP_REAL,   // double; finite
    APP_INT,    // int64_t
    APP_NUMBER, // uint64_t
    APP_VECTOR, // double[3], written x,y,z
    APP_TEXT,   // const char *
    APP_TEXTS,  // AppTexts; may be given several times
} AppOptionKind;

// A list of texts that belong to somebody else (to the command line, mostly).
typedef struct AppTexts {
    const char **items;
    size_t count, capacity;
} AppTexts;

// Appends; false when memory is short.
bool app_texts_add(AppTexts *texts, const char *text);
void app_texts_free(AppTexts *texts);

typedef struct AppOption {
    const char *name; // without the dashes
    char letter;      // of the short form; 0: none
    AppOptionKind kind;
    const char *value;  // how help calls it: "FILE"
    size_t offset;      // of the field
    const char *doc;    // one or two sentences
    double least, most; // of numbers; both 0: any
} AppOption;

typedef struct AppCommand {
    const char *name;
    const char *arguments; // "SCENE", "RECORDING WHAT"; optional ones in brackets
    const char *summary;   // one line
    const char *text;      // more, for its own page
    const char *examples;
    const AppOption *options;
    size_t option_count;
    int least, most;                   // number of arguments
    int (*run)(int argc, char **argv); // of what follows the command's name; returns the exit code
} AppCommand;

typedef enum AppParsed {
    APP_PARSED,
    APP_PARSED_HELP, // help was printed
    APP_PARSED_BAD,  // a message was printed
} AppParsed;

// Reads the command line into `values` (filled with defaults before) and `arguments`.
AppParsed app_parse(const AppCommand *command, int argc, char **argv, void *values, AppTexts *arguments);

// The exit code where app_parse did not give APP_PARSED.
int app_parsed_code(AppParsed parsed);

// Frees lists that app_parse made in `values`.
void app_free_values(const AppCommand *command, void *values);

// The page of one command, on standard output.
void app_print_help(const AppCommand *command);

// A row of a list on standard output: a name, padded to so many columns, and a text that is wrapped beside it where that
// is a terminal.
void app_put_row(const char *name, int columns, const char *text);

// The candidate nearest to a misspelt name, or NULL when none is near.
const char *app_nearest(const char *name, const char *const *candidates, size_t count);

#endif
