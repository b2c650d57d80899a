// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// From the text of a CORDIS-ANIMA model to statements: finding keywords, parts, comments. See ca.h.

#include "base/text.h"
#include "scene/ca.h"

#include <stdarg.h>
#include <stdio.h>

// --- messages ---------------------------------------------------------------------------------------------

bool tac_ca_note(TacCa *ca, TacPlace place, const TacError *error) {
    tac_notes_error(&ca->notes, place, error);
    return false;
}

bool tac_ca_complain(TacCa *ca, TacPlace place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tac_notes_complain(&ca->notes, place, format, args);
    va_end(args);
    return false;
}

void tac_ca_remark(TacCa *ca, TacPlace place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tac_notes_remark(&ca->notes, place, format, args);
    va_end(args);
}

bool tac_ca_no_memory(TacCa *ca) {
    tac_notes_no_memory(&ca->notes);
    return false;
}

// --- parts of statements ----------------------------------------------------------------------------------

// What stands at the cursor, for messages.
static void found(const TacCa *ca, char text[64]) {
    const TacCaScan *s = &ca->scan;
    int n = 0;
    while (s->at + n < s->end && n < 30 && (unsigned char)s->at[n] > ' ') n++;
    if (n == 0)
        snprintf(text, 64, "%s",
                 s->at == s->end  ? "the end of the file"
                 : *s->at == '\n' ? "the end of the line"
                                  : "a character that is none of text");
    else
        snprintf(text, 64, "\"%.*s\"", n, s->at);
}

bool tac_ca_expected(TacCa *ca, const char *what) {
    char text[64];
    found(ca, text);
    return tac_ca_complain(ca, tac_ca_place(&ca->scan), "expected %s, found %s", what, text);
}

bool tac_ca_want_number(TacCa *ca, const char *what, double least, double most, double *value) {
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (!tac_ca_number(&ca->scan, value)) return tac_ca_expected(ca, what);
    if (*value >= least && *value <= most) return true;
    return tac_ca_complain(ca, place, "%s is %g; %g to %g was expected", what, *value, least, most);
}

bool tac_ca_want_count(TacCa *ca, const char *what, size_t most, size_t *value) {
    double number;
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (!tac_ca_want_number(ca, what, 1, (double)most, &number)) return false;
    *value = (size_t)number;
    if ((double)*value != number)
        return tac_ca_complain(ca, place, "%s is %g; a whole number was expected", what, number);
    return true;
}

bool tac_ca_want_tuple(TacCa *ca, const char *what, const char brackets[2], double *values, size_t count) {
    if (tac_ca_tuple(&ca->scan, brackets, values, count)) return true;
    return tac_ca_expected(ca, what);
}

static const char *const space_names[] = {"mass", "law", "group", "conditional law"};

bool tac_ca_want_new_name(TacCa *ca, uint32_t space, const char **name) {
    char text[TAC_CA_LONGEST_NAME + 1];
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (!tac_ca_name(&ca->scan, text))
        return tac_ca_expected(ca, "a name of at most 60 letters, digits, _ and -, beginning with a letter");
    for (size_t i = 0; i < tac_ca_keyword_count; i++)
        if (!strcmp(tac_ca_keywords[i].word, text))
            return tac_ca_complain(ca, place, "expected a name, found the keyword %s", text);
    if (tac_names_find(&ca->names, space, text, strlen(text)))
        return tac_ca_complain(ca, place, "the %s \"%s\" is defined twice", space_names[space], text);
    *name = tac_arena_text(ca->arena, text);
    return *name != NULL || tac_ca_no_memory(ca);
}

// The nearest name of a name space; NULL when none is near.
static const char *nearest(const TacCa *ca, uint32_t space, const char *text) {
    const char *names[1024];
    size_t n = 0;
    for (size_t i = 0; i < ca->names.capacity && n < TAC_COUNT(names); i++)
        if (ca->names.slots[i].text && ca->names.slots[i].node == space) names[n++] = ca->names.slots[i].text;
    return tac_nearest(text, names, n);
}

static bool unknown_name(TacCa *ca, TacPlace place, uint32_t space, const char *text) {
    const char *near = nearest(ca, space, text);
    return tac_ca_complain(ca, place, "no %s \"%s\" is defined above%s%s%s", space_names[space], text,
                           near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

bool tac_ca_want_known(TacCa *ca, uint32_t space, uint32_t *index) {
    static const char *const what[] = {"the name of a mass", "the name of a law", "the name of a group",
                                       "the name of a conditional law"};
    char text[TAC_CA_LONGEST_NAME + 1];
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (!tac_ca_name(&ca->scan, text)) return tac_ca_expected(ca, what[space]);
    const TacName *name = tac_names_find(&ca->names, space, text, strlen(text));
    if (!name) return unknown_name(ca, place, space, text);
    *index = name->child;
    return true;
}

// "foo12": the group's name without the digits, then the number, from 1.
static bool find_ball(const TacCa *ca, const char *text, TacCaWho *who, size_t *number) {
    size_t length = strlen(text), digits = 0;
    while (digits < length && digits < 9 && text[length - digits - 1] >= '0' &&
           text[length - digits - 1] <= '9')
        digits++;
    // the shortest number first: "foo12" may be ball 2 of "foo1"
    for (size_t d = 1; d <= digits && d < length; d++) {
        const TacName *name = tac_names_find(&ca->names, TAC_CA_GROUPS, text, length - d);
        if (!name || text[length - d] == '0') continue;
        *number = 0;
        for (size_t i = length - d; i < length; i++) *number = 10 * *number + (size_t)(text[i] - '0');
        *who = (TacCaWho){name->child, true, *number - 1};
        return true;
    }
    return false;
}

bool tac_ca_want_balls(TacCa *ca, TacCaWho *who) {
    char text[TAC_CA_LONGEST_NAME + 1];
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (!tac_ca_name(&ca->scan, text)) return tac_ca_expected(ca, "the name of a group or of a ball");
    const TacName *name = tac_names_find(&ca->names, TAC_CA_GROUPS, text, strlen(text));
    if (name) {
        *who = (TacCaWho){name->child, false, 0};
        return true;
    }
    size_t number;
    if (!find_ball(ca, text, who, &number)) return unknown_name(ca, place, TAC_CA_GROUPS, text);
    const TacCaGroup *group = &ca->groups[who->group];
    if (number <= group->count) return true;
    if (group->kind == TAC_CA_SKIN)
        return tac_ca_complain(ca, place, "\"%s\": %s is a skin, and its points have no numbers", text,
                               group->name);
    return tac_ca_complain(ca, place, "\"%s\" is ball %zu of %s, which has %zu, from 1", text, number,
                           group->name, group->count);
}

bool tac_ca_option(TacCa *ca, const char *word) {
    TacCaScan before = ca->scan;
    char text[TAC_CA_LONGEST_NAME + 1];
    if (tac_ca_skip(&ca->scan, false) && tac_ca_name(&ca->scan, text) && !strcmp(text, word)) return true;
    ca->scan = before;
    return false;
}

// --- statements -------------------------------------------------------------------------------------------

static const TacCaKeyword *find_keyword(const char *word) {
    for (size_t i = 0; i < tac_ca_keyword_count; i++)
        if (!strcmp(tac_ca_keywords[i].word, word)) return &tac_ca_keywords[i];
    return NULL;
}

static const char *nearest_keyword(const char *word) {
    static const char *const options[] = {"AGGLO"};
    const char *words[64];
    size_t n = 0;
    for (size_t i = 0; i < tac_ca_keyword_count && n < 60; i++) words[n++] = tac_ca_keywords[i].word;
    for (size_t i = 0; i < TAC_COUNT(options); i++) words[n++] = options[i];
    return tac_nearest(word, words, n);
}

static bool is_shouted(const char *word) {
    for (; *word; word++)
        if (*word >= 'a' && *word <= 'z') return false;
    return true;
}

// What stands behind a complete statement: nothing, another statement, or a comment, which is echoed.
static void finish_line(TacCa *ca) {
    if (!tac_ca_skip(&ca->scan, false)) return;
    TacCaScan rest = ca->scan;
    char word[TAC_CA_LONGEST_NAME + 1] = "";
    bool named = tac_ca_name(&ca->scan, word);
    bool blank = ca->scan.at == ca->scan.end || (unsigned char)*ca->scan.at <= ' ';
    ca->scan = rest;
    if (named && blank && find_keyword(word)) return;
    tac_ca_skip_line(&ca->scan);
    int length = (int)(ca->scan.at - rest.at);
    while (length > 0 && (unsigned char)rest.at[length - 1] <= ' ') length--;
    const char *near = named && is_shouted(word) && word[1] ? nearest_keyword(word) : NULL;
    tac_ca_remark(ca, tac_ca_place(&rest), "comment: %.*s%s%s%s", length < 400 ? length : 400, rest.at,
                  near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static void read_statement(TacCa *ca) {
    char word[TAC_CA_LONGEST_NAME + 1];
    ca->statement = tac_ca_place(&ca->scan);
    if (!tac_ca_name(&ca->scan, word)) {
        tac_ca_expected(ca, "a keyword");
        tac_ca_skip_line(&ca->scan);
        return;
    }
    const TacCaKeyword *keyword = find_keyword(word);
    if (!keyword) {
        const char *near = nearest_keyword(word);
        tac_ca_complain(ca, ca->statement, "\"%s\" is not a keyword%s%s%s", word,
                        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        tac_ca_skip_line(&ca->scan);
    } else if (keyword->read(ca)) {
        finish_line(ca);
    } else {
        tac_ca_skip_line(&ca->scan);
    }
}

static void read_all(TacCa *ca) {
    size_t statements = 0;
    while (tac_ca_skip(&ca->scan, true) && ca->notes.worst != TAC_NO_MEMORY) {
        if (++statements > TAC_CA_MOST_STATEMENTS) {
            tac_ca_complain(ca, tac_ca_place(&ca->scan), "the model has more than %d statements",
                            TAC_CA_MOST_STATEMENTS);
            return;
        }
        read_statement(ca);
    }
}

// --- entry ------------------------------------------------------------------------------------------------

bool tac_ca_is_path(const char *path) {
    size_t n = strlen(path);
    return n > 3 && (!strcmp(path + n - 3, ".ca") || !strcmp(path + n - 3, ".CA"));
}

static void release(TacCa *ca) {
    free(ca->masses);
    free(ca->laws);
    free(ca->groups);
    free(ca->links);
    free(ca->listens);
    free(ca->bows);
    free(ca->conditions);
    free(ca->conditional);
    tac_names_destroy(&ca->names);
}

TacStatus tac_ca_parse(TacScene *scene, const char *path, const char *text, size_t bytes, TacNodeId node,
                       TacError *error) {
    TacError first;
    TacCa ca = {.scene = scene,
                .arena = &scene->arena,
                .rate = 1000,
                .notes = {.scene = scene, .first = error ? error : &first}};
    const char *file = tac_arena_text(&scene->arena, path);
    if (!file) return tac_fail_memory(error, 0);
    ca.scan = (TacCaScan){file, text, text + bytes, text, 1};
    // some editors put a mark of their encoding in front
    if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) ca.scan.at = ca.scan.line_start = text + 3;
    if (bytes > TAC_CA_MOST_BYTES)
        tac_ca_complain(&ca, tac_ca_place(&ca.scan), "the file has more than %d bytes", TAC_CA_MOST_BYTES);
    else
        read_all(&ca);
    if (ca.notes.worst == TAC_OK) tac_ca_build(&ca, node);
    release(&ca);
    return ca.notes.worst;
}

TacStatus tac_ca_read(TacScene *scene, const char *path, TacNodeId node, TacError *error) {
    char *text;
    size_t bytes;
    TAC_TRY(tac_read_whole_file(path, TAC_CA_MOST_BYTES, &text, &bytes, error));
    TacStatus status = tac_ca_parse(scene, path, text, bytes, node, error);
    free(text);
    return status;
}
