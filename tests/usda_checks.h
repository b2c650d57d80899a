// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Whether a text is USDA, by a small grammar of its own: what OpenUSD's text format allows, cut down to what
// the export writes, and stricter where programs stumble. It knows the types (a point3f[] is a list of three
// numbers each), that times ascend, and that the lists of a mesh or of curves fit together at every time.
// Debian has no program that reads USD, so this stands in for one.

#ifndef TACTUS_TESTS_USDA_CHECKS_H
#define TACTUS_TESTS_USDA_CHECKS_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USDA_MOST_LISTS = 16, USDA_MOST_SAMPLES = 256 };

// What one attribute of a prim holds, as far as lists must fit each other.
typedef struct UsdaList {
    char name[48];
    size_t samples;
    struct {
        double time;
        long count, sum, largest;
    } at[USDA_MOST_SAMPLES];
} UsdaList;

typedef struct UsdaReader {
    const char *text, *at;
    char problem[200]; // empty: none so far
} UsdaReader;

typedef struct UsdaPrim {
    char type[32];
    size_t list_count;
    UsdaList lists[USDA_MOST_LISTS];
} UsdaPrim;

static inline bool usda_fail(UsdaReader *r, const char *what) {
    size_t line = 1;
    for (const char *c = r->text; c < r->at; c++) line += *c == '\n';
    if (!r->problem[0])
        snprintf(r->problem, sizeof r->problem, "line %zu: %s, not \"%.30s\"", line, what, r->at);
    return false;
}

static inline void usda_blanks(UsdaReader *r, bool lines) {
    while (*r->at == ' ' || *r->at == '\t' || (lines && *r->at == '\n')) r->at++;
}

static inline bool usda_sign(UsdaReader *r, char c) {
    usda_blanks(r, true);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static inline bool usda_expect(UsdaReader *r, char c) {
    char what[] = "expected '?'";
    what[10] = c;
    return usda_sign(r, c) || usda_fail(r, what);
}

static inline bool usda_end_of_line(UsdaReader *r) {
    usda_blanks(r, false);
    return *r->at == '\n' || usda_fail(r, "expected the end of the line");
}

// Letters, digits, _ and (in names of attributes) colons between such words.
static inline bool usda_word(UsdaReader *r, bool colons, char *word, size_t size) {
    usda_blanks(r, true);
    size_t n = 0;
    while (isalpha((unsigned char)r->at[n]) || r->at[n] == '_' ||
           (n && (isdigit((unsigned char)r->at[n]) || (colons && r->at[n] == ':' && r->at[n - 1] != ':'))))
        n++;
    if (n == 0 || n >= size || r->at[n - 1] == ':') return usda_fail(r, "expected a name");
    memcpy(word, r->at, n);
    word[n] = 0;
    r->at += n;
    return true;
}

// Takes the word if it stands here as a whole.
static inline bool usda_keyword(UsdaReader *r, const char *word) {
    usda_blanks(r, true);
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0 || isalnum((unsigned char)r->at[n]) || strchr("_:", r->at[n]))
        return false;
    r->at += n;
    return true;
}

static inline bool usda_text(UsdaReader *r) {
    if (!usda_expect(r, '"')) return false;
    for (; *r->at != '"'; r->at++) {
        if (*r->at == '\\') r->at++;
        if ((unsigned char)*r->at < 0x20) return usda_fail(r, "expected a \" before the end of the line");
    }
    r->at++;
    return true;
}

// Digits with at most a minus before them, a point and an exponent; or inf, -inf, nan.
static inline bool usda_number(UsdaReader *r, bool whole, double *value) {
    usda_blanks(r, true);
    if (!whole) {
        static const char *const words[] = {"-inf", "inf", "nan"};
        for (size_t i = 0; i < 3; i++)
            if (usda_keyword(r, words[i])) return *value = 0, true;
    }
    const char *c = r->at;
    if (*c == '-') c++;
    if (!isdigit((unsigned char)*c)) return usda_fail(r, "expected a number");
    while (isdigit((unsigned char)*c)) c++;
    if (!whole && *c == '.')
        for (c++; isdigit((unsigned char)*c); c++) continue;
    if (!whole && (*c == 'e' || *c == 'E')) {
        c++;
        if (*c == '+' || *c == '-') c++;
        if (!isdigit((unsigned char)*c)) return usda_fail(r, "expected an exponent");
        while (isdigit((unsigned char)*c)) c++;
    }
    if (*c && !strchr(" ,:)]}\n", *c)) return usda_fail(r, "expected the end of a number");
    *value = strtod(r->at, NULL);
    r->at = c;
    return true;
}

typedef struct UsdaType {
    const char *name;
    int components; // 0: not in round brackets
    char kind;      // i: whole number, r: real number, t: text
} UsdaType;

static inline const UsdaType *usda_type(const char *name) {
    static const UsdaType types[] = {
        {"int", 0, 'i'},      {"bool", 0, 'i'},    {"float", 0, 'r'},   {"double", 0, 'r'},
        {"token", 0, 't'},    {"string", 0, 't'},  {"float3", 3, 'r'},  {"double3", 3, 'r'},
        {"vector3f", 3, 'r'}, {"point3f", 3, 'r'}, {"color3f", 3, 'r'}, {"quatf", 4, 'r'},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
}

static inline bool usda_item(UsdaReader *r, const UsdaType *type, double *value) {
    *value = 0;
    if (type->kind == 't') return usda_text(r);
    if (!type->components) return usda_number(r, type->kind == 'i', value);
    if (!usda_expect(r, '(')) return false;
    for (int i = 0; i < type->components; i++) {
        if (i && !usda_expect(r, ',')) return false;
        if (!usda_number(r, false, value)) return false;
    }
    return usda_expect(r, ')');
}

static inline bool usda_value(UsdaReader *r, const UsdaType *type, bool list, double time, UsdaList *kept) {
    long count = 0, sum = 0, largest = -1;
    double value;
    if (list && !usda_expect(r, '[')) return false;
    while (list ? !usda_sign(r, ']') : count == 0) {
        if (count && !usda_expect(r, ',')) return false;
        if (!usda_item(r, type, &value)) return false;
        count++;
        if (type->kind == 'i') sum += (long)value;
        if (type->kind == 'i' && value > (double)largest) largest = (long)value;
    }
    if (kept->samples == USDA_MOST_SAMPLES) return usda_fail(r, "more samples than this check has room for");
    size_t i = kept->samples++;
    kept->at[i].time = time;
    kept->at[i].count = count;
    kept->at[i].sum = sum;
    kept->at[i].largest = largest;
    return true;
}

static inline bool usda_samples(UsdaReader *r, const UsdaType *type, bool list, UsdaList *kept) {
    double last = 0, time;
    if (!usda_expect(r, '{')) return false;
    for (size_t n = 0; !usda_sign(r, '}'); n++) {
        if (!usda_number(r, false, &time)) return false;
        if (n && time <= last) return usda_fail(r, "expected a later time before this");
        if (!usda_expect(r, ':') || !usda_value(r, type, list, time, kept) || !usda_expect(r, ','))
            return false;
        last = time;
    }
    return true;
}

// ( name = text or number, one per line )
static inline bool usda_metadata(UsdaReader *r) {
    char name[48];
    double value;
    while (!usda_sign(r, ')')) {
        if (!usda_word(r, false, name, sizeof name) || !usda_expect(r, '=')) return false;
        usda_blanks(r, false);
        if (!(*r->at == '"' ? usda_text(r) : usda_number(r, false, &value)) || !usda_end_of_line(r))
            return false;
    }
    return true;
}

static inline UsdaList *usda_list_of(UsdaPrim *prim, const char *name) {
    for (size_t i = 0; i < prim->list_count; i++)
        if (strcmp(prim->lists[i].name, name) == 0) return &prim->lists[i];
    return NULL;
}

static inline bool usda_attribute(UsdaReader *r, UsdaPrim *prim) {
    char type_name[32], name[48];
    usda_keyword(r, "custom");
    usda_keyword(r, "uniform");
    if (!usda_word(r, false, type_name, sizeof type_name)) return false;
    const UsdaType *type = usda_type(type_name);
    if (!type) return usda_fail(r, "expected a type before this");
    bool list = strncmp(r->at, "[]", 2) == 0;
    if (list) r->at += 2;
    if (!usda_word(r, true, name, sizeof name)) return false;
    UsdaList *kept = usda_list_of(prim, name);
    if (kept && kept->samples) return usda_fail(r, "this attribute was there before");
    if (!kept) {
        if (prim->list_count == USDA_MOST_LISTS)
            return usda_fail(r, "more attributes than this check has room for");
        kept = &prim->lists[prim->list_count++];
        memset(kept, 0, sizeof *kept);
        snprintf(kept->name, sizeof kept->name, "%s", name);
    }
    bool sampled = strncmp(r->at, ".timeSamples", 12) == 0;
    if (sampled) r->at += 12;
    usda_blanks(r, false);
    bool assigned = *r->at == '=';
    if (assigned) r->at++;
    if (sampled && !assigned) return usda_fail(r, "expected = behind timeSamples");
    if (assigned && !(sampled ? usda_samples(r, type, list, kept) : usda_value(r, type, list, 0, kept)))
        return false;
    usda_blanks(r, false);
    if (*r->at == '(') {
        r->at++;
        if (!usda_metadata(r)) return false;
    }
    return usda_end_of_line(r);
}

// Which sample holds at a time: the last one that is not later.
static inline size_t usda_held(const UsdaList *list, double time) {
    size_t i = 0;
    while (i + 1 < list->samples && list->at[i + 1].time <= time) i++;
    return i;
}

// At every time that has points, counts and indices fit them.
static inline bool usda_lists_fit(UsdaReader *r, UsdaPrim *prim) {
    bool mesh = strcmp(prim->type, "Mesh") == 0, curves = strcmp(prim->type, "BasisCurves") == 0;
    if (!mesh && !curves && strcmp(prim->type, "Points") != 0) return true;
    UsdaList *points = usda_list_of(prim, "points");
    UsdaList *counts = usda_list_of(prim, mesh ? "faceVertexCounts" : "curveVertexCounts");
    UsdaList *indices = usda_list_of(prim, "faceVertexIndices"), *widths = usda_list_of(prim, "widths");
    UsdaList *speeds = usda_list_of(prim, "velocities");
    if (!points || (!counts && (mesh || curves)) || (mesh && !indices))
        return usda_fail(r, "the prim before this lacks a list");
    for (size_t i = 0; i < points->samples; i++) {
        double time = points->at[i].time;
        long count = points->at[i].count, sum = counts ? counts->at[usda_held(counts, time)].sum : 0;
        size_t w = widths ? usda_held(widths, time) : 0, k = indices ? usda_held(indices, time) : 0;
        bool right = !curves || sum == count;
        if (mesh) right = sum == indices->at[k].count && indices->at[k].largest < count;
        if (widths) right = right && (widths->at[w].count == 1 || widths->at[w].count == count);
        if (speeds) right = right && i < speeds->samples && speeds->at[i].count == count;
        if (!right) return usda_fail(r, "the lists of the prim before this do not fit each other");
    }
    return true;
}

static inline bool usda_prim(UsdaReader *r, int depth) {
    UsdaPrim *prim = calloc(1, sizeof *prim);
    if (!prim) return usda_fail(r, "no memory");
    bool good = depth < 8 && usda_word(r, false, prim->type, sizeof prim->type);
    usda_blanks(r, false);
    // names of prims are words, in quotes
    char name[200];
    good = good && usda_expect(r, '"') && usda_word(r, false, name, sizeof name) && *r->at == '"';
    if (good) r->at++;
    good = (good || usda_fail(r, "expected a type and a name")) && usda_expect(r, '{');
    while (good && !usda_sign(r, '}'))
        good = usda_keyword(r, "def") ? usda_prim(r, depth + 1) : usda_attribute(r, prim);
    good = good && usda_lists_fit(r, prim);
    free(prim);
    return good;
}

// NULL when the text is USDA; otherwise what is wrong, to be freed.
static inline char *usda_problem(const char *text) {
    UsdaReader r = {.text = text, .at = text};
    bool good = strncmp(text, "#usda 1.0\n", 10) == 0;
    if (good) r.at += 10;
    good = good && usda_expect(&r, '(') && usda_metadata(&r);
    usda_blanks(&r, true);
    while (good && *r.at) good = usda_keyword(&r, "def") && usda_prim(&r, 0) && (usda_blanks(&r, true), true);
    if (good) return NULL;
    usda_fail(&r, "expected #usda 1.0 and prims");
    return strdup(r.problem);
}

#endif
