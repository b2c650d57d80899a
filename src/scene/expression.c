// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "scene/expression.h"
#include "base/text.h"

enum { DEEPEST = 64, MOST_EXPANDED = 100000000 };

typedef struct Parser {
    const TacScope *scope;
    const char *at, *end;
    int depth;
    TacError *error;
    TacStatus status;
} Parser;

static void fail(Parser *p, const char *what) {
    if (p->status != TAC_OK) return;
    p->status = tac_fail(p->error, TAC_BAD_INPUT, "in ${...}: expected %s at \"%.*s\"", what,
                         (int)(p->end - p->at < 20 ? p->end - p->at : 20), p->at);
}

static void skip_blanks(Parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t')) p->at++;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static const TacParameter *find(const TacScope *scope, const char *name, size_t length, TacError *error) {
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < scope->count; i++) {
        const TacParameter *p = &scope->parameters[i];
        if (!p->declared) continue;
        if (strlen(p->name) == length && !memcmp(p->name, name, length)) return p;
        if (n < TAC_COUNT(names)) names[n++] = p->name;
    }
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 63 ? length : 63), name);
    const char *near = tac_nearest(wanted, names, n);
    tac_fail(error, TAC_BAD_INPUT, "there is no parameter \"%s\"%s%s%s", wanted,
             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : " in this file");
    return NULL;
}

static double sum(Parser *p);

static double atom(Parser *p) {
    skip_blanks(p);
    if (p->status != TAC_OK || p->at >= p->end) return fail(p, "a number or a parameter"), 0;
    if (*p->at == '-' || *p->at == '(') {
        if (++p->depth > DEEPEST) return fail(p, "fewer parentheses"), 0;
        bool minus = *p->at++ == '-';
        double value = minus ? -atom(p) : sum(p);
        skip_blanks(p);
        if (!minus && (p->at >= p->end || *p->at++ != ')')) fail(p, "\")\"");
        p->depth--;
        return value;
    }
    double value;
    if (!is_letter(*p->at)) return tac_read_real(&p->at, p->end, &value) ? value : (fail(p, "a number"), 0);
    const char *name = p->at;
    while (p->at < p->end && (is_letter(*p->at) || (*p->at >= '0' && *p->at <= '9'))) p->at++;
    const TacParameter *parameter = find(p->scope, name, (size_t)(p->at - name), p->error);
    if (!parameter) return p->status = TAC_BAD_INPUT, 0;
    const char *text = parameter->value ? parameter->value : parameter->initial;
    const char *cursor = text;
    if (tac_read_real(&cursor, text + strlen(text), &value) && !*cursor) return value;
    p->status =
        tac_fail(p->error, TAC_BAD_INPUT, "parameter %s is \"%.40s\", not a number", parameter->name, text);
    return 0;
}

static double product(Parser *p) {
    double value = atom(p);
    for (skip_blanks(p); p->at < p->end && (*p->at == '*' || *p->at == '/'); skip_blanks(p)) {
        bool times = *p->at++ == '*';
        double next = atom(p);
        value = times ? value * next : value / next;
    }
    return value;
}

static double sum(Parser *p) {
    double value = product(p);
    for (skip_blanks(p); p->at < p->end && (*p->at == '+' || *p->at == '-'); skip_blanks(p)) {
        bool plus = *p->at++ == '+';
        double next = product(p);
        value = plus ? value + next : value - next;
    }
    return value;
}

// What ${...} stands for: a parameter's text as it is, or the value of an expression.
static TacStatus evaluate(TacArena *arena, const TacScope *scope, const char *text, size_t length,
                          const char **result, TacError *error) {
    bool plain = length > 0 && is_letter(text[0]);
    for (size_t i = 0; i < length; i++)
        plain = plain && (is_letter(text[i]) || (text[i] >= '0' && text[i] <= '9') || text[i] == '-');
    if (plain) {
        TacError unknown;
        const TacParameter *p = find(scope, text, length, &unknown);
        if (p) return *result = p->value ? p->value : p->initial, TAC_OK;
        // "a-b" may also be a difference
        if (!memchr(text, '-', length)) return tac_fail(error, TAC_BAD_INPUT, "%s", unknown.message);
    }
    Parser parser = {.scope = scope, .at = text, .end = text + length, .error = error};
    double value = sum(&parser);
    skip_blanks(&parser);
    if (parser.status == TAC_OK && parser.at != parser.end) fail(&parser, "an operator");
    if (parser.status != TAC_OK) return parser.status;
    if (!isfinite(value))
        return tac_fail(error, TAC_BAD_INPUT, "${%.*s} is not a finite number",
                        (int)(length < 60 ? length : 60), text);
    char number[TAC_REAL_TEXT];
    tac_real_text(number, value, 0);
    *result = tac_arena_text(arena, number);
    return *result ? TAC_OK : tac_fail_memory(error, 0);
}

typedef struct Text {
    char *data;
    size_t count, capacity;
} Text;

static TacStatus append(Text *text, const char *more, size_t length, TacError *error) {
    if (!tac_grow(&text->data, &text->capacity, text->count + length + 1, 1))
        return tac_fail_memory(error, text->count + length);
    memcpy(text->data + text->count, more, length);
    text->count += length;
    return TAC_OK;
}

static TacStatus expand(TacArena *arena, const TacScope *scope, const char *at, Text *text, TacError *error) {
    for (const char *start; (start = strstr(at, "${"));) {
        const char *stop = strchr(start, '}'), *value;
        if (!stop) return tac_fail(error, TAC_BAD_INPUT, "\"${\" without \"}\"");
        TAC_TRY(append(text, at, (size_t)(start - at), error));
        TAC_TRY(evaluate(arena, scope, start + 2, (size_t)(stop - start - 2), &value, error));
        *scope->expanded += strlen(value);
        if (*scope->expanded > MOST_EXPANDED)
            return tac_fail(error, TAC_BAD_INPUT, "the parameters of the scene come to more than %d MB",
                            MOST_EXPANDED / 1000000);
        TAC_TRY(append(text, value, strlen(value), error));
        at = stop + 1;
    }
    return append(text, at, strlen(at), error);
}

TacStatus tac_expand(TacArena *arena, const TacScope *scope, const char *text, const char **result,
                     TacError *error) {
    *result = text;
    if (!strstr(text, "${")) return TAC_OK;
    Text made = {0};
    TacStatus status = expand(arena, scope, text, &made, error);
    if (status == TAC_OK && !(*result = tac_arena_text_n(arena, made.data, made.count)))
        status = tac_fail_memory(error, made.count);
    free(made.data);
    return status;
}
