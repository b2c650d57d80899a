// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "scene/value.h"
#include "base/text.h"

size_t tac_type_size(TacType type) {
    switch (type) {
    case TAC_BOOL: return sizeof(bool);
    case TAC_INT: return sizeof(int64_t);
    case TAC_REAL: return sizeof(double);
    case TAC_VECTOR: return sizeof(TacVec3);
    case TAC_CHOICE: return sizeof(int);
    case TAC_TEXT:
    case TAC_PATH: return sizeof(const char *);
    case TAC_REALS: return sizeof(TacReals);
    case TAC_INTS: return sizeof(TacInts);
    case TAC_LINK: return sizeof(TacComponent *);
    }
    return 0;
}

const char *tac_type_name(TacType type) {
    switch (type) {
    case TAC_BOOL: return "true or false";
    case TAC_INT: return "whole number";
    case TAC_REAL: return "number";
    case TAC_VECTOR: return "three numbers";
    case TAC_TEXT: return "text";
    case TAC_CHOICE: return "one of the choices";
    case TAC_PATH: return "file";
    case TAC_REALS: return "list of numbers";
    case TAC_INTS: return "list of whole numbers";
    case TAC_LINK: return "link (@path)";
    }
    return "value";
}

// The place of text[offset], counted on from the place of text[0].
static TacPlace place_at(TacPlace place, const char *text, size_t offset) {
    if (!place.line) return place;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            place.line++;
            place.column = 1;
        } else {
            place.column++;
        }
    }
    return place;
}

static TacStatus fail_there(TacError *error, TacPlace place, const char *text, const char *at,
                            const TacAttribute *attribute, const char *expected) {
    TacPlace p = place_at(place, text, (size_t)(at - text));
    char found[40];
    size_t n = strcspn(at, " \t\r\n");
    snprintf(found, sizeof found, "%.*s", (int)(n < 30 ? n : 30), at);
    return tac_fail_at(error, TAC_BAD_INPUT, p.file, p.line, p.column, "%s: expected %s, found %s%s%s",
                       attribute->name, expected, *found ? "\"" : "", *found ? found : "nothing",
                       *found ? "\"" : "");
}

static bool in_range(TacRange range, double value) {
    switch (range) {
    case TAC_ANY: return true;
    case TAC_POSITIVE: return value > 0;
    case TAC_NOT_NEGATIVE: return value >= 0;
    case TAC_FRACTION: return value >= 0 && value <= 1;
    }
    return true;
}

static const char *range_text(TacRange range) {
    return range == TAC_POSITIVE       ? "a positive number"
           : range == TAC_NOT_NEGATIVE ? "a number of 0 or more"
           : range == TAC_FRACTION     ? "a number from 0 to 1"
                                       : "a number";
}

// A number that is none, or out of range: says which unit is meant where somebody may have written another.
static TacStatus fail_number(TacError *error, TacPlace place, const char *text, const char *at,
                             const TacAttribute *attribute) {
    char expected[96];
    const char *unit = attribute->unit && strcmp(attribute->unit, "1") ? attribute->unit : "";
    snprintf(expected, sizeof expected, "%s%s%.40s%s", range_text(attribute->range), *unit ? " (in " : "",
             unit, *unit ? ")" : "");
    return fail_there(error, place, text, at, attribute, expected);
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || *p == ',') p++;
    return p;
}

static TacStatus parse_reals(TacArena *arena, const TacAttribute *attribute, const char *text, TacPlace place,
                             TacValue *value, TacError *error) {
    size_t length = strlen(text), count = 0, capacity = 0;
    double *list = NULL;
    const char *end = text + length;
    TacStatus status = TAC_OK;
    for (const char *p = skip_blanks(text); p < end; p = skip_blanks(p)) {
        const char *start = p;
        double v;
        bool ends = tac_read_real(&p, end, &v) && (p == end || strchr(" \t\r\n,", *p));
        if (!ends || !in_range(attribute->range, v)) {
            status = fail_number(error, place, text, start, attribute);
            break;
        }
        if (!tac_grow(&list, &capacity, count + 1, sizeof *list)) {
            status = tac_fail_memory(error, (count + 1) * sizeof *list);
            break;
        }
        list[count++] = v;
    }
    double *kept = status == TAC_OK ? tac_arena_array(arena, count, sizeof *kept) : NULL;
    if (status == TAC_OK && !kept) status = tac_fail_memory(error, count * sizeof *kept);
    if (status == TAC_OK && count) memcpy(kept, list, count * sizeof *kept);
    free(list);
    value->reals = kept;
    value->count = count;
    return status;
}

static TacStatus check_count(const TacAttribute *attribute, TacPlace place, size_t count, TacError *error) {
    size_t want = attribute->type == TAC_REAL ? 1 : attribute->type == TAC_VECTOR ? 3 : count;
    if (count == want) return TAC_OK;
    return tac_fail_at(error, TAC_BAD_INPUT, place.file, place.line, place.column,
                       "%s: expected %s, found %zu number%s", attribute->name, tac_type_name(attribute->type),
                       count, count == 1 ? "" : "s");
}

// One entry of an integer list: a number, "a-b" or "a-b-step". Appends to the list.
static TacStatus parse_range(const TacAttribute *attribute, const char *text, const char **cursor,
                             TacPlace place, int32_t **list, size_t *count, size_t *capacity,
                             TacError *error) {
    const char *start = *cursor, *p = start, *end = text + strlen(text);
    int64_t first, last, step = 1;
    if (!tac_read_int(&p, end, &first))
        return fail_there(error, place, text, start, attribute, "a whole number or a range a-b");
    last = first;
    if (*p == '-') {
        p++;
        if (!tac_read_int(&p, end, &last))
            return fail_there(error, place, text, start, attribute, "a range a-b");
        if (*p == '-') {
            p++;
            if (!tac_read_int(&p, end, &step) || step < 1)
                return fail_there(error, place, text, start, attribute, "a range a-b-step");
        }
    }
    bool ends = !*p || strchr(" \t\r\n,", *p);
    if (!ends || first < INT32_MIN || last > INT32_MAX || last < first)
        return fail_there(error, place, text, start, attribute, "a whole number or a rising range a-b");
    if (!in_range(attribute->range, (double)first))
        return fail_there(error, place, text, start, attribute, range_text(attribute->range));
    uint64_t more = (uint64_t)(last - first) / (uint64_t)step + 1;
    if (more > 10000000 || *count + more > 1000000000)
        return fail_there(error, place, text, start, attribute, "a range of at most 10 million numbers");
    if (!tac_grow(list, capacity, *count + more, sizeof **list)) return tac_fail_memory(error, more * 4);
    for (uint64_t i = 0; i < more; i++) (*list)[(*count)++] = (int32_t)(first + (int64_t)i * step);
    *cursor = p;
    return TAC_OK;
}

static TacStatus parse_ints(TacArena *arena, const TacAttribute *attribute, const char *text, TacPlace place,
                            TacValue *value, TacError *error) {
    int32_t *list = NULL;
    size_t count = 0, capacity = 0;
    TacStatus status = TAC_OK;
    for (const char *p = skip_blanks(text); *p && status == TAC_OK; p = skip_blanks(p))
        status = parse_range(attribute, text, &p, place, &list, &count, &capacity, error);
    int32_t *kept = status == TAC_OK ? tac_arena_array(arena, count, sizeof *kept) : NULL;
    if (status == TAC_OK && !kept) status = tac_fail_memory(error, count * sizeof *kept);
    if (status == TAC_OK && count) memcpy(kept, list, count * sizeof *kept);
    free(list);
    value->ints = kept;
    value->count = count;
    return status;
}

static TacStatus parse_integer(const TacAttribute *attribute, const char *text, TacPlace place,
                               TacValue *value, TacError *error) {
    const char *p = skip_blanks(text), *start = p, *end = text + strlen(text);
    bool good = tac_read_int(&p, end, &value->integer) && *skip_blanks(p) == 0;
    if (!good) return fail_there(error, place, text, start, attribute, "a whole number");
    if (!in_range(attribute->range, (double)value->integer))
        return fail_there(error, place, text, start, attribute,
                          attribute->range == TAC_POSITIVE ? "a whole number above 0"
                                                           : "a whole number of 0 or more");
    return TAC_OK;
}

static TacStatus parse_bool(const TacAttribute *attribute, const char *text, TacPlace place, TacValue *value,
                            TacError *error) {
    static const char *const yes[] = {"true", "1", "yes", "on"}, *const no[] = {"false", "0", "no", "off"};
    for (size_t i = 0; i < TAC_COUNT(yes); i++) {
        if (!strcmp(text, yes[i])) return value->integer = 1, TAC_OK;
        if (!strcmp(text, no[i])) return value->integer = 0, TAC_OK;
    }
    return fail_there(error, place, text, text, attribute, "true or false");
}

enum { MOST_CHOICES = 32, LONGEST_CHOICE = 40 };

static TacStatus parse_choice(const TacAttribute *attribute, const char *text, TacPlace place,
                              TacValue *value, TacError *error) {
    char names[MOST_CHOICES][LONGEST_CHOICE];
    const char *pointers[MOST_CHOICES];
    size_t n = 0;
    for (const char *p = attribute->accepts; *p && n < MOST_CHOICES; n++) {
        size_t length = strcspn(p, "|");
        snprintf(names[n], sizeof names[n], "%.*s", (int)length, p);
        pointers[n] = names[n];
        if (!strcmp(names[n], text)) {
            value->integer = (int64_t)n;
            return TAC_OK;
        }
        p += length + (p[length] == '|');
    }
    const char *near = tac_nearest(text, pointers, n);
    char expected[256];
    snprintf(expected, sizeof expected, "one of %s%s%s%s", attribute->accepts, near ? " (did you mean " : "",
             near ? near : "", near ? "?)" : "");
    return fail_there(error, place, text, text, attribute, expected);
}

static TacStatus parse_text(TacArena *arena, const TacAttribute *attribute, const char *text,
                            const char *folder, TacValue *value, TacError *error) {
    bool relative = attribute->type == TAC_PATH && *text && *text != '/' && folder && *folder;
    value->text = relative ? tac_arena_format(arena, "%s/%s", folder, text) : tac_arena_text(arena, text);
    return value->text ? TAC_OK : tac_fail_memory(error, 0);
}

TacStatus tac_value_parse(TacArena *arena, const TacAttribute *attribute, const char *text, TacPlace place,
                          const char *folder, TacValue *value, TacError *error) {
    *value = (TacValue){.given = true, .place = place};
    if (text[0] == '@' || attribute->type == TAC_LINK) {
        if (text[0] != '@')
            return fail_there(error, place, text, text, attribute,
                              "a link to another component, such as @name");
        value->link = tac_arena_text(arena, text + 1);
        return value->link ? TAC_OK : tac_fail_memory(error, 0);
    }
    switch (attribute->type) {
    case TAC_BOOL: return parse_bool(attribute, text, place, value, error);
    case TAC_INT: return parse_integer(attribute, text, place, value, error);
    case TAC_CHOICE: return parse_choice(attribute, text, place, value, error);
    case TAC_TEXT:
    case TAC_PATH: return parse_text(arena, attribute, text, folder, value, error);
    case TAC_INTS: return parse_ints(arena, attribute, text, place, value, error);
    default:
        TAC_TRY(parse_reals(arena, attribute, text, place, value, error));
        return check_count(attribute, place, value->count, error);
    }
}

TacStatus tac_value_from_reals(TacArena *arena, const TacAttribute *attribute, const double *values,
                               size_t count, TacValue *value, TacError *error) {
    *value = (TacValue){.given = true, .count = count};
    if (attribute->type != TAC_REAL && attribute->type != TAC_VECTOR && attribute->type != TAC_REALS)
        return tac_fail(error, TAC_BAD_USAGE, "%s takes a %s, not numbers", attribute->name,
                        tac_type_name(attribute->type));
    TAC_TRY(check_count(attribute, value->place, count, error));
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]) || !in_range(attribute->range, values[i]))
            return tac_fail(error, TAC_BAD_INPUT, "%s: number %zu is %g; expected %s", attribute->name, i,
                            values[i], range_text(attribute->range));
    double *kept = tac_arena_array(arena, count, sizeof *kept);
    if (!kept) return tac_fail_memory(error, count * sizeof *kept);
    if (count) memcpy(kept, values, count * sizeof *kept);
    value->reals = kept;
    return TAC_OK;
}

TacStatus tac_value_from_ints(TacArena *arena, const TacAttribute *attribute, const int32_t *values,
                              size_t count, TacValue *value, TacError *error) {
    *value = (TacValue){.given = true, .count = count};
    if (attribute->type != TAC_INTS)
        return tac_fail(error, TAC_BAD_USAGE, "%s takes a %s, not whole numbers", attribute->name,
                        tac_type_name(attribute->type));
    for (size_t i = 0; i < count; i++)
        if (!in_range(attribute->range, values[i]))
            return tac_fail(error, TAC_BAD_INPUT, "%s: number %zu is %d; expected %s", attribute->name, i,
                            values[i], range_text(attribute->range));
    int32_t *kept = tac_arena_array(arena, count, sizeof *kept);
    if (!kept) return tac_fail_memory(error, count * sizeof *kept);
    if (count) memcpy(kept, values, count * sizeof *kept);
    value->ints = kept;
    return TAC_OK;
}

void tac_value_store(const TacAttribute *attribute, const TacValue *value, void *component) {
    char *field = (char *)component + attribute->offset;
    switch (attribute->type) {
    case TAC_BOOL: *(bool *)field = value->integer != 0; break;
    case TAC_INT: *(int64_t *)field = value->integer; break;
    case TAC_CHOICE: *(int *)field = (int)value->integer; break;
    case TAC_REAL: *(double *)field = value->count ? value->reals[0] : NAN; break;
    case TAC_VECTOR:
        *(TacVec3 *)field = value->count == 3 ? tac_load3(value->reals) : tac_vec3(NAN, NAN, NAN);
        break;
    case TAC_TEXT:
    case TAC_PATH: *(const char **)field = value->text ? value->text : ""; break;
    case TAC_REALS: *(TacReals *)field = (TacReals){value->reals, value->count}; break;
    case TAC_INTS: *(TacInts *)field = (TacInts){value->ints, value->count}; break;
    case TAC_LINK: *(TacComponent **)field = NULL; break;
    }
}

const char *tac_value_unfit(const TacAttribute *attribute, const void *component) {
    const char *field = (const char *)component + attribute->offset;
    TacReals reals = {0};
    TacInts ints = {0};
    double one;
    switch (attribute->type) {
    case TAC_INT: one = (double)*(const int64_t *)field, reals = (TacReals){&one, 1}; break;
    case TAC_REAL: reals = (TacReals){(const double *)field, 1}; break;
    case TAC_VECTOR: reals = (TacReals){(const double *)field, 3}; break;
    case TAC_REALS: reals = *(const TacReals *)field; break;
    case TAC_INTS: ints = *(const TacInts *)field; break;
    default: break;
    }
    // not a number: nothing was given over there, which is a value only where nothing need be given here
    bool optional = attribute->initial && !*attribute->initial;
    for (size_t i = 0; i < reals.count; i++)
        if (isnan(reals.data[i]) ? !optional : !in_range(attribute->range, reals.data[i]))
            return range_text(attribute->range);
    for (size_t i = 0; i < ints.count; i++)
        if (!in_range(attribute->range, ints.data[i])) return range_text(attribute->range);
    return NULL;
}
