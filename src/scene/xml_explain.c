// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "scene/xml_explain.h"

#include <libxml/xmlerror.h>
#include <stdarg.h>
#include <stdio.h>

static TacStatus fail(const TacXmlTrouble *t, TacError *error, size_t offset, const char *format, ...)
    TAC_PRINTF(4, 5);

static TacStatus fail(const TacXmlTrouble *t, TacError *error, size_t offset, const char *format, ...) {
    char message[sizeof error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    int line, column;
    tac_xml_place(t->scan->text, offset < t->scan->bytes ? offset : t->scan->bytes, &line, &column);
    return tac_fail_at(error, TAC_BAD_INPUT, t->scan->file, line, column, "%s", message);
}

// The last `c` before `at`; `at` if there is none.
static size_t last_before(const TacXmlTrouble *t, size_t at, char c) {
    const char *found = at ? memrchr(t->scan->text, c, at) : NULL;
    return found ? (size_t)(found - t->scan->text) : at;
}

static TacXmlWord name_at(const TacXmlTrouble *t, size_t at) {
    const char *text = t->scan->text, *end = text + t->scan->bytes;
    return tac_xml_word(text + at, at < t->scan->bytes ? tac_xml_name_bytes(text + at, end) : 0);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The attribute name that stands before `at`, over blanks and '='.
static TacXmlWord name_before(const TacXmlTrouble *t, size_t at) {
    const char *text = t->scan->text;
    while (at && (is_blank(text[at - 1]) || text[at - 1] == '=')) at--;
    size_t begin = at;
    while (begin && tac_xml_name_bytes(text + begin - 1, text + begin)) begin--;
    return tac_xml_word(text + begin, at - begin);
}

// The construct in which the scan broke off, where that is what libxml2 complains about.
static size_t construct(const TacXmlTrouble *t) {
    return t->scan->stop < t->at ? t->scan->stop : t->at;
}

static TacXmlWord tag_name(const TacXmlTrouble *t) {
    const TacXmlScan *scan = t->scan;
    if (t->started >= scan->tag_count) return (TacXmlWord){"?"};
    const TacXmlTag *tag = &scan->tags[t->started];
    return tac_xml_word(scan->text + tag->offset + 1, tag->name_bytes);
}

static TacStatus explain_mismatch(const TacXmlTrouble *t, TacError *error) {
    size_t at = last_before(t, t->at, '<');
    TacXmlWord closing = name_at(t, at + 2);
    if (!t->open) return fail(t, error, at, "</%s> closes nothing that is open", closing.text);
    TacXmlWord open = tac_xml_word(t->open->name, strlen(t->open->name));
    return fail(t, error, at, "</%s> does not close <%s>, which line %d opens; </%s> was expected",
                closing.text, open.text, t->open->line, open.text);
}

static TacStatus explain_end_of_file(const TacXmlTrouble *t, TacError *error) {
    if (!t->open) return fail(t, error, t->scan->bytes, "the file ends too early");
    TacXmlWord open = tac_xml_word(t->open->name, strlen(t->open->name));
    return fail(t, error, t->scan->bytes, "the file ends before </%s>, which closes <%s> of line %d",
                open.text, open.text, t->open->line);
}

static TacStatus explain_unfinished_tag(const TacXmlTrouble *t, TacError *error) {
    size_t tag = last_before(t, t->at, '<');
    if (tag + 1 < t->scan->bytes && t->scan->text[tag + 1] == '/')
        return fail(t, error, t->at, "'>' was expected to finish </%s>", name_at(t, tag + 2).text);
    if (t->at >= t->scan->bytes || t->scan->text[t->at] == '<')
        return fail(t, error, tag, "the tag <%s> is not finished; '>' or '/>' was expected",
                    name_at(t, tag + 1).text);
    return fail(t, error, t->at, "in the tag <%s>: an attribute, '>' or '/>' was expected",
                name_at(t, tag + 1).text);
}

// A second attribute of the same name in the tag that is being read.
static TacStatus explain_duplicate(const TacXmlTrouble *t, TacError *error) {
    const TacXmlScan *scan = t->scan;
    const TacXmlTag *tag = t->started < scan->tag_count ? &scan->tags[t->started] : NULL;
    for (size_t i = 1; tag && i < tag->attribute_count; i++)
        for (size_t k = 0; k < i; k++) {
            const TacXmlSpan *a = &scan->spans[tag->first + k], *b = &scan->spans[tag->first + i];
            if (a->name_bytes != b->name_bytes) continue;
            if (memcmp(scan->text + a->name, scan->text + b->name, a->name_bytes) != 0) continue;
            return fail(
                t, error, b->name, "<%s> has the attribute '%s' twice; the first is in line %d, column %d",
                tag_name(t).text, tac_xml_word(scan->text + b->name, b->name_bytes).text, a->line, a->column);
        }
    return fail(t, error, t->at, "<%s> has an attribute twice", tag_name(t).text);
}

// '<' inside a value, or a value that never ends.
static TacStatus explain_value(const TacXmlTrouble *t, TacError *error) {
    const TacXmlScan *scan = t->scan;
    if (scan->stop_quote < scan->bytes && scan->stop_quote < t->at)
        return fail(t, error, scan->stop_quote, "the value of the attribute '%s' has no closing %s",
                    name_before(t, scan->stop_quote).text, scan->text[scan->stop_quote] == '"' ? "\"" : "'");
    for (size_t i = scan->span_count; i-- > 0;) {
        const TacXmlSpan *span = &scan->spans[i];
        if (t->at < span->value || t->at > span->value_end) continue;
        return fail(
            t, error, t->at,
            "'<' in the value of the attribute '%s', which begins in line %d; write &lt;, or close the "
            "quote before it",
            tac_xml_word(scan->text + span->name, span->name_bytes).text, span->value_line);
    }
    return fail(t, error, t->at, "'<' in the value of an attribute; write &lt;");
}

static TacStatus explain_reference(const TacXmlTrouble *t, TacError *error) {
    size_t at = t->at < t->scan->bytes && t->scan->text[t->at] == '&' ? t->at : last_before(t, t->at, '&');
    if (at >= t->scan->bytes) return fail(t, error, at, "a reference is not finished");
    const char *text = t->scan->text + at + 1;
    size_t left = t->scan->bytes - at - 1;
    if (left && text[0] == '#')
        return fail(t, error, at, "'&#%s' is not a character; write &#N; or &#xN; with the number of one",
                    tac_xml_word(text + 1, tac_xml_name_bytes(text + 1, text + left)).text);
    size_t n = tac_xml_name_bytes(text, text + left);
    TacXmlWord name = tac_xml_word(text, n);
    if (n && n < left && text[n] == ';')
        return fail(t, error, at,
                    "the entity '&%s;' is not known; there are &lt; &gt; &amp; &quot; &apos; and numbers as "
                    "in &#65;",
                    name.text);
    return fail(t, error, at, "'&' begins a reference; write &amp; for the character itself");
}

static TacStatus explain_name(const TacXmlTrouble *t, TacError *error) {
    // libxml2 uses one code for "&" and "<" without a name behind
    size_t at = t->at ? t->at - 1 : 0;
    if (t->scan->text[at] == '&') return explain_reference(t, error);
    if (t->scan->text[at] == '<' && t->scan->text[t->at] == '/')
        return fail(t, error, at, "</%s> closes nothing that is open", name_at(t, t->at + 1).text);
    if (t->scan->text[at] == '<' && t->scan->text[t->at] == '!')
        return fail(t, error, at,
                    "'<!' begins a comment, <!-- ... -->; nothing else of the kind may stand here");
    if (t->scan->text[at] == '<')
        return fail(t, error, at, "'<' must be followed by a name; write &lt; for the character itself");
    return fail(t, error, t->at, "a name was expected");
}

static TacStatus explain_second_root(const TacXmlTrouble *t, TacError *error) {
    size_t at = t->at;
    while (at < t->scan->bytes && is_blank(t->scan->text[at])) at++;
    if (at + 1 < t->scan->bytes && t->scan->text[at] == '<' && t->scan->text[at + 1] == '/')
        return fail(t, error, at, "</%s> closes nothing that is open", name_at(t, at + 2).text);
    return fail(t, error, at, "a file has one outermost element; nothing may follow its end");
}

// True inside a <?xml ... ?> at the very beginning.
static bool in_declaration(const TacXmlTrouble *t) {
    return t->at >= 5 && memcmp(t->scan->text, "<?xml", 5) == 0 && !memchr(t->scan->text, '>', t->at);
}

static TacStatus explain_declaration(const TacXmlTrouble *t, TacError *error) {
    return fail(t, error, t->at,
                "the first line is not right; write <?xml version=\"1.0\" encoding=\"UTF-8\"?>");
}

static TacStatus explain_document_start(const TacXmlTrouble *t, TacError *error) {
    size_t at = t->at;
    while (at < t->scan->bytes && is_blank(t->scan->text[at])) at++;
    if (at >= t->scan->bytes)
        return fail(t, error, at, "the file has no element; a scene begins with an outermost element");
    return fail(t, error, at, "'<' was expected: the file is not XML");
}

TacStatus tac_xml_explain(const TacXmlTrouble *t, TacError *error) {
    if (in_declaration(t) && t->code != XML_ERR_NO_MEMORY) return explain_declaration(t, error);
    switch (t->code) {
    case XML_ERR_NO_MEMORY: return tac_fail_memory(error, t->scan->bytes);
    case XML_ERR_TAG_NAME_MISMATCH: return explain_mismatch(t, error);
    case XML_ERR_TAG_NOT_FINISHED: return explain_end_of_file(t, error);
    case XML_ERR_GT_REQUIRED: return explain_unfinished_tag(t, error);
    case XML_ERR_ATTRIBUTE_REDEFINED: return explain_duplicate(t, error);
    case XML_ERR_LT_IN_ATTRIBUTE:
    case XML_ERR_ATTRIBUTE_NOT_FINISHED: return explain_value(t, error);
    case XML_ERR_ATTRIBUTE_NOT_STARTED:
        return fail(t, error, t->at, "the value of the attribute '%s' must stand in quotes",
                    name_before(t, t->at).text);
    case XML_ERR_ATTRIBUTE_WITHOUT_VALUE:
        return fail(t, error, t->at, "the attribute '%s' has no value; write %s=\"...\"",
                    name_before(t, t->at).text, name_before(t, t->at).text);
    case XML_ERR_SPACE_REQUIRED:
        if (t->at >= t->scan->bytes) return explain_unfinished_tag(t, error);
        return fail(t, error, t->at, "a blank was expected, as between two attributes");
    case XML_ERR_NAME_REQUIRED: return explain_name(t, error);
    case XML_ERR_ENTITYREF_SEMICOL_MISSING:
    case XML_ERR_UNDECLARED_ENTITY:
    case XML_WAR_UNDECLARED_ENTITY:
    case XML_ERR_INVALID_CHARREF:
    case XML_ERR_INVALID_HEX_CHARREF:
    case XML_ERR_INVALID_DEC_CHARREF: return explain_reference(t, error);
    case XML_ERR_INVALID_CHAR:
        // a character reference to something that is no character ends here too
        return explain_reference(t, error);
    case XML_ERR_COMMENT_NOT_FINISHED:
        return fail(t, error, construct(t), "the comment has no end; '-->' closes it");
    case XML_ERR_HYPHEN_IN_COMMENT: return fail(t, error, t->at, "'--' may not stand inside a comment");
    case XML_ERR_CDATA_NOT_FINISHED:
        return fail(t, error, construct(t), "the CDATA section has no end; ']]>' closes it");
    case XML_ERR_PI_NOT_FINISHED:
        return fail(t, error, construct(t), "the instruction has no end; '?>' closes it");
    case XML_ERR_DOCTYPE_NOT_FINISHED:
        return fail(t, error, t->at, "the DOCTYPE is not finished; '>' closes it");
    case XML_ERR_MISPLACED_CDATA_END:
        return fail(t, error, t->at, "']]>' may not stand in text; write ]]&gt;");
    case XML_ERR_RESERVED_XML_NAME:
        return fail(t, error, t->at, "<?xml ... ?> may stand only at the very beginning of the file");
    case XML_ERR_DOCUMENT_END: return explain_second_root(t, error);
    case XML_ERR_DOCUMENT_EMPTY: return explain_document_start(t, error);
    default: {
        // libxml2's own words, without their line break
        size_t n = t->detail ? strcspn(t->detail, "\r\n") : 0;
        return fail(t, error, t->at, "not well-formed XML%s%.*s", n ? ": " : "", (int)(n < 300 ? n : 300),
                    t->detail ? t->detail : "");
    }
    }
}
