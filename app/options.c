// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "common.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// --- lists of texts ---------------------------------------------------------------------------------------

bool app_texts_add(AppTexts *texts, const char *text) {
    if (texts->count == texts->capacity) {
        size_t capacity = texts->capacity ? 2 * texts->capacity : 8;
        const char **items = realloc(texts->items, capacity * sizeof *items);
        if (!items) return false;
        texts->items = items;
        texts->capacity = capacity;
    }
    texts->items[texts->count++] = text;
    return true;
}

void app_texts_free(AppTexts *texts) {
    free(texts->items);
    *texts = (AppTexts){0};
}

// --- nearest names ----------------------------------------------------------------------------------------

enum { LONGEST_NAME = 63 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

// Letters to change, add or remove (Levenshtein) to get from one name to the other.
static size_t edit_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b), row[LONGEST_NAME + 1];
    if (n > LONGEST_NAME || m > LONGEST_NAME) return 2 * LONGEST_NAME;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j];
            row[j] = least(least(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[m];
}

const char *app_nearest(const char *name, const char *const *candidates, size_t count) {
    const char *best = NULL;
    size_t best_distance = 0;
    for (size_t i = 0; i < count; i++) {
        // what was begun right is near, however much is missing
        bool begun = strlen(name) >= 2 && !strncmp(name, candidates[i], strlen(name));
        size_t distance = begun ? 1 : edit_distance(name, candidates[i]);
        if (best && distance >= best_distance) continue;
        best = candidates[i];
        best_distance = distance;
    }
    return best && 2 * best_distance <= strlen(name) + 1 ? best : NULL;
}

// --- values -----------------------------------------------------------------------------------------------

static bool read_real(const char *text, char **end, double *value) {
    errno = 0;
    *value = strtod(text, end);
    return *end != text && isfinite(*value);
}

static bool read_vector(const char *text, double *values) {
    for (int i = 0; i < 3; i++) {
        char *end;
        if (!read_real(text, &end, &values[i]) || *end != (i < 2 ? ',' : 0)) return false;
        text = end + 1;
    }
    return true;
}

static bool in_range(const AppOption *option, double value) {
    return (option->least == 0 && option->most == 0) || (value >= option->least && value <= option->most);
}

// Stores one value; false when the text is not one.
static bool store(const AppOption *option, const char *text, void *field) {
    char *end;
    errno = 0;
    switch (option->kind) {
    case APP_REAL: {
        double value;
        if (!read_real(text, &end, &value) || *end || !in_range(option, value)) return false;
        *(double *)field = value;
        return true;
    }
    case APP_INT: {
        long long value = strtoll(text, &end, 10);
        if (end == text || *end || errno || !in_range(option, (double)value)) return false;
        *(int64_t *)field = value;
        return true;
    }
    case APP_NUMBER: {
        unsigned long long value = strtoull(text, &end, 10);
        if (end == text || *end || errno || strchr(text, '-')) return false;
        *(uint64_t *)field = value;
        return true;
    }
    case APP_VECTOR: return read_vector(text, field);
    case APP_TEXT: *(const char **)field = text; return *text != 0;
    case APP_TEXTS: return *text && app_texts_add(field, text);
    case APP_FLAG: *(bool *)field = true; return true;
    }
    return false;
}

static void describe_range(const AppOption *option, char *text, size_t size) {
    const char *what = option->kind == APP_REAL                                ? "a number"
                       : option->kind == APP_VECTOR                            ? "three numbers, x,y,z"
                       : option->kind == APP_TEXT || option->kind == APP_TEXTS ? "a text"
                                                                               : "a whole number";
    if (option->least == 0 && option->most == 0)
        snprintf(text, size, "%s%s", what, option->kind == APP_NUMBER ? " that is not negative" : "");
    else if (option->most >= 1e15)
        snprintf(text, size, "%s, at least %g", what, option->least);
    else
        snprintf(text, size, "%s from %g to %g", what, option->least, option->most);
}

// --- parsing ----------------------------------------------------------------------------------------------

typedef struct Parser {
    const AppCommand *command;
    int argc, next;
    char **argv;
    char *values;
    AppTexts *arguments;
} Parser;

static AppParsed bad(const Parser *p, const char *text, const char *what, const char *more) {
    app_bad_usage(p->command->name, "%s %s%s", text, what, more);
    return APP_PARSED_BAD;
}

static const AppOption *find_long(const AppCommand *command, const char *name, size_t length) {
    for (size_t i = 0; i < command->option_count; i++)
        if (strlen(command->options[i].name) == length && !strncmp(command->options[i].name, name, length))
            return &command->options[i];
    return NULL;
}

static const AppOption *find_letter(const AppCommand *command, char letter) {
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].letter == letter) return &command->options[i];
    return NULL;
}

static AppParsed unknown_option(const Parser *p, const char *word) {
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < p->command->option_count && count < APP_COUNT(names) - 1; i++)
        names[count++] = p->command->options[i].name;
    names[count++] = "help";
    char name[LONGEST_NAME + 1], more[LONGEST_NAME + 32] = "";
    size_t dashes = strspn(word, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + dashes, "="), word + dashes);
    const char *near = app_nearest(name, names, count);
    if (near) snprintf(more, sizeof more, "; did you mean --%s?", near);
    char shown[96];
    snprintf(shown, sizeof shown, "%.*s", (int)strcspn(word, "="), word);
    return bad(p, shown, "is not an option", more);
}

// "-o" followed by another option is a forgotten value; "-1.5" is a number.
static bool looks_like_option(const char *word) {
    return word[0] == '-' && word[1] && !strchr("0123456789.", word[1]);
}

static AppParsed take_value(Parser *p, const AppOption *option, const char *shown, const char *value) {
    if (!value) {
        if (p->next >= p->argc || looks_like_option(p->argv[p->next]))
            return bad(p, shown, "needs a value: ", option->value);
        value = p->argv[p->next++];
    }
    if (store(option, value, p->values + option->offset)) return APP_PARSED;
    char range[128], more[512];
    describe_range(option, range, sizeof range);
    snprintf(more, sizeof more, "%s, not \"%.200s\"", range, value);
    return bad(p, shown, "needs ", more);
}

static AppParsed parse_option(Parser *p, const char *word) {
    const char *value = NULL;
    const AppOption *option;
    char shown[LONGEST_NAME + 1];
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        option = find_long(p->command, word + 2, length);
        if (word[2 + length] == '=') value = word + 3 + length;
    } else {
        option = find_letter(p->command, word[1]);
        if (word[2]) value = word[2] == '=' ? word + 3 : word + 2;
    }
    if (!option) return unknown_option(p, word);
    if (word[1] == '-')
        snprintf(shown, sizeof shown, "--%s", option->name);
    else
        snprintf(shown, sizeof shown, "-%c", option->letter);
    if (option->kind != APP_FLAG) return take_value(p, option, shown, value);
    if (value) return bad(p, shown, "takes no value", "");
    store(option, "", p->values + option->offset);
    return APP_PARSED;
}

static AppParsed check_argument_count(const Parser *p) {
    size_t count = p->arguments->count;
    const AppCommand *command = p->command;
    if (count < (size_t)command->least) {
        app_bad_usage(command->name, "tactus %s needs %s", command->name, command->arguments);
        return APP_PARSED_BAD;
    }
    if (count > (size_t)command->most) {
        app_bad_usage(command->name, "\"%.200s\" is one argument too many: tactus %s takes %s",
                      p->arguments->items[command->most], command->name,
                      command->most ? command->arguments : "none");
        return APP_PARSED_BAD;
    }
    return APP_PARSED;
}

AppParsed app_parse(const AppCommand *command, int argc, char **argv, void *values, AppTexts *arguments) {
    Parser p = {.command = command, .argc = argc, .argv = argv, .values = values, .arguments = arguments};
    bool options = true;
    // help is given whatever else is wrong
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            app_print_help(command);
            return APP_PARSED_HELP;
        }
    while (p.next < argc) {
        const char *word = argv[p.next++];
        if (options && !strcmp(word, "--")) {
            options = false;
        } else if (options && word[0] == '-' && word[1]) {
            AppParsed parsed = parse_option(&p, word);
            if (parsed != APP_PARSED) return parsed;
        } else if (!app_texts_add(arguments, word)) {
            app_out_of_memory();
            return APP_PARSED_BAD;
        }
    }
    return check_argument_count(&p);
}

int app_parsed_code(AppParsed parsed) {
    return parsed == APP_PARSED_BAD ? APP_BAD_USAGE : APP_DONE;
}

void app_free_values(const AppCommand *command, void *values) {
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].kind == APP_TEXTS)
            app_texts_free((AppTexts *)(void *)((char *)values + command->options[i].offset));
}

// --- help -------------------------------------------------------------------------------------------------

enum { DOC_COLUMN = 28, LINE_WIDTH = 96 };

// Text wrapped between the columns `indent` and `width`; the cursor stands at `column` before.
static void put_wrapped(const char *text, int column, int indent, int width) {
    if (column >= indent && indent > 0) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", indent - column, "");
    column = indent;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > width) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

void app_put_row(const char *name, int columns, const char *text) {
    struct winsize size;
    if (!isatty(STDOUT_FILENO)) {
        printf("  %-*s %s\n", columns, name, text);
        return;
    }
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40;
    int length = printf("  %s", name);
    put_wrapped(text, length, columns + 3, known ? size.ws_col : 80);
}

static void put_option(const AppOption *option) {
    char left[96], letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    int length = snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name, option->value ? " " : "",
                          option->value ? option->value : "");
    fputs(left, stdout);
    put_wrapped(option->doc, length, DOC_COLUMN, LINE_WIDTH);
}

void app_print_help(const AppCommand *command) {
    AppStyle style = app_style(stdout);
    printf("%stactus %s%s%s%s%s\n\n", style.bold, command->name, style.off, *command->arguments ? " " : "",
           command->arguments, command->option_count ? " [OPTIONS]" : "");
    put_wrapped(command->text, 0, 0, LINE_WIDTH);
    printf("\n%sOptions%s\n", style.bold, style.off);
    for (size_t i = 0; i < command->option_count; i++) put_option(&command->options[i]);
    put_option(&(AppOption){.name = "help", .letter = 'h', .doc = "Shows this page."});
    printf("\n%sExamples%s\n%s", style.bold, style.off, command->examples);
}
