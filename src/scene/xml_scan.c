// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "scene/xml_scan.h"
#include "scene/xml.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void tac_xml_place(const char *text, size_t offset, int *line, int *column) {
    size_t start = 0;
    *line = 1;
    for (const char *p; (p = memchr(text + start, '\n', offset - start));) {
        start = (size_t)(p - text) + 1;
        ++*line;
    }
    *column = (int)(offset - start) + 1;
}

TacXmlWord tac_xml_word(const char *text, size_t bytes) {
    TacXmlWord word = {0};
    bool cut = bytes > 60;
    size_t n = cut ? 57 : bytes;
    // never end inside a character
    while (cut && n && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
    memcpy(word.text, text, n);
    for (size_t i = 0; i < n; i++)
        if (is_blank(word.text[i])) word.text[i] = ' ';
    if (cut) memcpy(word.text + n, "...", 3);
    return word;
}

size_t tac_xml_name_bytes(const char *text, const char *end) {
    const char *p = text;
    while (p < end && *p && !strchr(" \t\n\r=/<>\"'&;", *p)) p++;
    return (size_t)(p - text);
}

// --- references

static size_t utf8_bytes(uint32_t code) {
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

static bool is_allowed(uint32_t code) {
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    return code < 0xd800 || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

static int digit_value(char c, bool hexadecimal) {
    if (c >= '0' && c <= '9') return c - '0';
    if (hexadecimal && c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (hexadecimal && c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// "&#65;" or "&#x41;", after the two first characters.
static size_t character_reference(const char *text, const char *end, size_t *decoded) {
    const char *p = text + 2;
    bool hexadecimal = p < end && *p == 'x';
    if (hexadecimal) p++;
    const char *digits = p;
    uint32_t code = 0;
    for (int v; p < end && (v = digit_value(*p, hexadecimal)) >= 0; p++)
        if (code <= 0x10ffff) code = code * (hexadecimal ? 16 : 10) + (uint32_t)v;
    if (p == digits || p == end || *p != ';' || !is_allowed(code)) return 0;
    *decoded = utf8_bytes(code);
    return (size_t)(p - text) + 1;
}

size_t tac_xml_reference(const char *text, const char *end, size_t *decoded) {
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    size_t left = (size_t)(end - text);
    if (left < 4 || text[0] != '&') return 0;
    if (text[1] == '#') return character_reference(text, end, decoded);
    for (size_t i = 0; i < TAC_COUNT(names); i++) {
        size_t n = strlen(names[i]);
        if (left < n || memcmp(text, names[i], n) != 0) continue;
        *decoded = 1;
        return n;
    }
    return 0;
}

// --- the scan

// What a step came to: on to the next one, the text is broken here, or an error was reported.
typedef enum Step { STEP_ON, STEP_BROKEN, STEP_FAILED } Step;

typedef struct Scanner {
    TacXmlScan *scan;
    TacError *error;
    TacStatus status;
    const char *text;
    size_t at, bytes;
} Scanner;

// Places are asked for in rising order, so that each line is counted once.
static void place_at(TacXmlScan *scan, size_t offset, int *line, int *column) {
    for (const char *p; (p = memchr(scan->text + scan->counted, '\n', offset - scan->counted));) {
        scan->counted = scan->line_start = (size_t)(p - scan->text) + 1;
        scan->line++;
    }
    scan->counted = offset;
    *line = scan->line;
    *column = (int)(offset - scan->line_start) + 1;
}

static Step out_of_memory(Scanner *s) {
    s->status = tac_fail_memory(s->error, s->bytes);
    return STEP_FAILED;
}

#define FAIL_HERE(s, offset, ...)                                                                            \
    do {                                                                                                     \
        int fail_line, fail_column;                                                                          \
        tac_xml_place((s)->text, offset, &fail_line, &fail_column);                                          \
        (s)->status =                                                                                        \
            tac_fail_at((s)->error, TAC_BAD_INPUT, (s)->scan->file, fail_line, fail_column, __VA_ARGS__);    \
        return STEP_FAILED;                                                                                  \
    } while (0)

static bool starts(const Scanner *s, size_t at, const char *start) {
    size_t n = strlen(start);
    return s->bytes - at >= n && memcmp(s->text + at, start, n) == 0;
}

// Moves behind the next `mark` at or after `from`; false when there is none.
static bool skip_past(Scanner *s, size_t from, const char *mark) {
    size_t n = strlen(mark);
    if (from > s->bytes) return false;
    const char *found = memmem(s->text + from, s->bytes - from, mark, n);
    if (found) s->at = (size_t)(found - s->text) + n;
    return found != NULL;
}

static void skip_blanks(Scanner *s) {
    while (s->at < s->bytes && is_blank(s->text[s->at])) s->at++;
}

static Step repair(Scanner *s, size_t offset, TacXmlRepairKind kind, bool silent) {
    TacXmlScan *scan = s->scan;
    if (scan->repair_count >= TAC_XML_MOST_WARNINGS)
        FAIL_HERE(s, offset, "more than %d places that are not XML; this is not a scene",
                  TAC_XML_MOST_WARNINGS);
    if (!tac_grow(&scan->repairs, &scan->repair_capacity, scan->repair_count + 1, sizeof *scan->repairs))
        return out_of_memory(s);
    TacXmlRepair *made = &scan->repairs[scan->repair_count++];
    *made = (TacXmlRepair){.offset = offset, .kind = kind, .silent = silent};
    place_at(scan, offset, &made->line, &made->column);
    scan->warning_count += !silent;
    return STEP_ON;
}

// '&' that begins no reference, and in values also '<'.
static Step repair_text(Scanner *s, size_t begin, size_t end, bool value) {
    for (size_t i = begin; i < end; i++) {
        char c = s->text[i];
        if (c != '&' && c != '<') continue;
        size_t decoded;
        Step step = STEP_ON;
        if (c == '<' && value)
            step = repair(s, i, TAC_XML_REPAIR_LESS, false);
        else if (c == '&' && !tac_xml_reference(s->text + i, s->text + end, &decoded))
            step = repair(s, i, TAC_XML_REPAIR_AND, false);
        if (step != STEP_ON) return step;
    }
    return STEP_ON;
}

static Step scan_comment(Scanner *s) {
    size_t begin = s->at + 4;
    if (!skip_past(s, begin, "-->")) return STEP_BROKEN;
    if (!s->scan->lenient) return STEP_ON;
    // every hyphen before another one goes; the two that close the comment stay
    bool told = false;
    for (size_t i = begin; i + 3 < s->at; i++) {
        if (s->text[i] != '-' || s->text[i + 1] != '-') continue;
        Step step = repair(s, i, TAC_XML_REPAIR_HYPHEN, told);
        if (step != STEP_ON) return step;
        told = true;
    }
    return STEP_ON;
}

// A DOCTYPE is passed over. What it could declare in brackets (entities that grow without limit, defaults for
// every element) has no use in a scene.
static Step scan_doctype(Scanner *s) {
    for (s->at += 9; s->at < s->bytes;) {
        char c = s->text[s->at];
        if (c == '[')
            FAIL_HERE(
                s, s->at,
                "declarations of entities and the like are not allowed in scenes; leave out the part of "
                "the DOCTYPE in [ ]");
        if (c == '"' || c == '\'') {
            if (!skip_past(s, s->at + 1, (char[]){c, 0})) return STEP_BROKEN;
            continue;
        }
        s->at++;
        if (c == '>') return STEP_ON;
    }
    return STEP_BROKEN;
}

static Step check_name(Scanner *s, size_t offset, size_t length, const char *what) {
    if (length <= TAC_XML_LONGEST_NAME) return STEP_ON;
    FAIL_HERE(s, offset, "the name of %s has %zu characters; at most %d are allowed: %s", what, length,
              TAC_XML_LONGEST_NAME, tac_xml_word(s->text + offset, length).text);
}

static Step add_span(Scanner *s, const TacXmlTag *tag, TacXmlSpan span) {
    TacXmlScan *scan = s->scan;
    if (tag->attribute_count >= TAC_XML_MOST_ATTRIBUTES)
        FAIL_HERE(s, span.name, "<%s> has more than %d attributes",
                  tac_xml_word(s->text + tag->offset + 1, tag->name_bytes).text, TAC_XML_MOST_ATTRIBUTES);
    if (scan->span_count + scan->tag_count >= TAC_XML_MOST_PARTS)
        FAIL_HERE(s, span.name, "more than %d elements and attributes", TAC_XML_MOST_PARTS);
    if (!tac_grow(&scan->spans, &scan->span_capacity, scan->span_count + 1, sizeof span))
        return out_of_memory(s);
    scan->spans[scan->span_count++] = span;
    return STEP_ON;
}

static Step scan_attribute(Scanner *s, TacXmlTag *tag, bool blank_before) {
    TacXmlScan *scan = s->scan;
    TacXmlSpan span = {.name = s->at};
    size_t length = tac_xml_name_bytes(s->text + s->at, s->text + s->bytes);
    if (!length) return STEP_BROKEN;
    Step step = check_name(s, s->at, length, "an attribute");
    if (step != STEP_ON) return step;
    span.name_bytes = (uint32_t)length;
    s->at += length;
    skip_blanks(s);
    if (s->at >= s->bytes || s->text[s->at] != '=') return STEP_BROKEN;
    s->at++;
    skip_blanks(s);
    if (s->at >= s->bytes || (s->text[s->at] != '"' && s->text[s->at] != '\'')) return STEP_BROKEN;

    // the value, to the next quote of the same kind
    size_t quote = s->at;
    const char *closing = memchr(s->text + quote + 1, s->text[quote], s->bytes - quote - 1);
    if (!closing) {
        scan->stop_quote = quote;
        return STEP_BROKEN;
    }
    span.value = quote + 1;
    span.value_end = (size_t)(closing - s->text);
    s->at = span.value_end + 1;

    place_at(scan, span.name, &span.line, &span.column);
    if (scan->lenient && !blank_before) {
        step = repair(s, span.name, TAC_XML_REPAIR_BLANK, false);
        if (step != STEP_ON) return step;
    }
    place_at(scan, span.value, &span.value_line, &span.value_column);
    if (scan->lenient) {
        step = repair_text(s, span.value, span.value_end, true);
        if (step != STEP_ON) return step;
    }
    step = add_span(s, tag, span);
    tag->attribute_count += step == STEP_ON;
    return step;
}

static Step scan_attributes(Scanner *s, TacXmlTag *tag) {
    for (;;) {
        size_t before = s->at;
        skip_blanks(s);
        if (s->at >= s->bytes) return STEP_BROKEN;
        if (s->text[s->at] == '>') {
            s->at++;
            return ++s->scan->depth, STEP_ON;
        }
        if (starts(s, s->at, "/>")) {
            s->at += 2;
            return STEP_ON;
        }
        Step step = scan_attribute(s, tag, s->at > before);
        if (step != STEP_ON) return step;
    }
}

static Step scan_start_tag(Scanner *s) {
    TacXmlScan *scan = s->scan;
    TacXmlTag tag = {.offset = s->at, .first = scan->span_count};
    size_t length = tac_xml_name_bytes(s->text + s->at + 1, s->text + s->bytes);
    if (!length) return STEP_BROKEN;
    Step step = check_name(s, s->at + 1, length, "an element");
    if (step != STEP_ON) return step;
    if (scan->depth >= TAC_XML_MOST_DEPTH)
        FAIL_HERE(s, s->at, "elements are nested more than %d deep", TAC_XML_MOST_DEPTH);
    if (scan->span_count + scan->tag_count >= TAC_XML_MOST_PARTS)
        FAIL_HERE(s, s->at, "more than %d elements and attributes", TAC_XML_MOST_PARTS);
    if (!tac_grow(&scan->tags, &scan->tag_capacity, scan->tag_count + 1, sizeof tag)) return out_of_memory(s);
    place_at(scan, s->at, &tag.line, &tag.column);
    tag.name_bytes = (uint32_t)length;
    s->at += 1 + length;
    step = scan_attributes(s, &tag);
    // a broken tag is kept as far as it goes: messages use it
    scan->tags[scan->tag_count++] = tag;
    return step;
}

static Step scan_end_tag(Scanner *s) {
    if (!skip_past(s, s->at, ">")) return STEP_BROKEN;
    if (s->scan->depth) s->scan->depth--;
    return STEP_ON;
}

// One construct that begins with '<'.
static Step scan_markup(Scanner *s) {
    if (starts(s, s->at, "<!--")) return scan_comment(s);
    if (starts(s, s->at, "<![CDATA[")) return skip_past(s, s->at + 9, "]]>") ? STEP_ON : STEP_BROKEN;
    if (starts(s, s->at, "<?")) return skip_past(s, s->at + 2, "?>") ? STEP_ON : STEP_BROKEN;
    if (starts(s, s->at, "<!DOCTYPE")) return scan_doctype(s);
    if (starts(s, s->at, "<!")) return STEP_BROKEN;
    if (starts(s, s->at, "</")) return scan_end_tag(s);
    return scan_start_tag(s);
}

TacStatus tac_xml_scan(TacXmlScan *scan, const char *file, const char *text, size_t bytes, bool lenient,
                       TacError *error) {
    *scan = (TacXmlScan){.file = file, .text = text, .bytes = bytes, .lenient = lenient, .line = 1};
    scan->stop = scan->stop_quote = bytes;
    Scanner s = {.scan = scan, .error = error, .text = text, .bytes = bytes};
    for (Step step = STEP_ON; step == STEP_ON && s.at < bytes;) {
        const char *next = memchr(text + s.at, '<', bytes - s.at);
        size_t begin = s.at;
        s.at = next ? (size_t)(next - text) : bytes;
        if (lenient) step = repair_text(&s, begin, s.at, false);
        if (step == STEP_ON && next) {
            size_t construct = s.at;
            step = scan_markup(&s);
            if (step == STEP_BROKEN) scan->stop = construct;
        }
    }
    return s.status;
}

void tac_xml_scan_destroy(TacXmlScan *scan) {
    free(scan->tags);
    free(scan->spans);
    free(scan->repairs);
    *scan = (TacXmlScan){0};
}

// --- repairs

// What stands in the repaired text at the place of a repair, and how many original bytes it replaces.
static const char *replacement(TacXmlRepairKind kind, size_t *replaced) {
    *replaced = kind == TAC_XML_REPAIR_BLANK ? 0 : 1;
    return kind == TAC_XML_REPAIR_LESS ? "&lt;" : kind == TAC_XML_REPAIR_AND ? "&amp;" : " ";
}

char *tac_xml_repaired(const TacXmlScan *scan, size_t *bytes) {
    // no repair adds more than four bytes
    char *text = malloc(scan->bytes + 4 * scan->repair_count + 1);
    if (!text) return NULL;
    size_t from = 0, to = 0;
    for (size_t i = 0; i < scan->repair_count; i++) {
        const TacXmlRepair *made = &scan->repairs[i];
        size_t replaced, n = made->offset - from;
        const char *with = replacement(made->kind, &replaced);
        memcpy(text + to, scan->text + from, n);
        memcpy(text + to + n, with, strlen(with));
        to += n + strlen(with);
        from = made->offset + replaced;
    }
    memcpy(text + to, scan->text + from, scan->bytes - from);
    *bytes = to + scan->bytes - from;
    text[*bytes] = 0;
    return text;
}

size_t tac_xml_original_offset(const TacXmlScan *scan, size_t offset) {
    size_t added = 0;
    for (size_t i = 0; i < scan->repair_count; i++) {
        size_t replaced, here = scan->repairs[i].offset + added;
        size_t length = strlen(replacement(scan->repairs[i].kind, &replaced));
        if (offset < here) break;
        if (offset < here + length) return scan->repairs[i].offset;
        added += length - replaced;
    }
    offset -= added;
    return offset < scan->bytes ? offset : scan->bytes;
}
