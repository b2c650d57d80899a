// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The steps: bytes to UTF-8 (xml_source.h), places and repairs (xml_scan.h), then libxml2 over the repaired
// text. Its callbacks fill elements and attributes that were laid out in two flat arrays from the scan's
// counts.

#include "scene/xml.h"
#include "base/text.h"
#include "scene/xml_explain.h"
#include "scene/xml_scan.h"
#include "scene/xml_source.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

// --- strings: packed, since the arena rounds each piece up to a cache line

enum { SLAB_BYTES = 1 << 15 };

typedef struct Strings {
    TacArena *arena;
    char *free;
    size_t left;
    bool exhausted; // there was no memory for some string
} Strings;

static char *keep_string(Strings *strings, const char *text, size_t length) {
    char *kept;
    if (length >= SLAB_BYTES / 4) {
        kept = tac_arena_text_n(strings->arena, text, length);
        strings->exhausted = strings->exhausted || !kept;
        return kept;
    }
    if (strings->left < length + 1) {
        strings->free = tac_arena_alloc(strings->arena, SLAB_BYTES);
        strings->left = strings->free ? SLAB_BYTES : 0;
        strings->exhausted = strings->exhausted || !strings->free;
        if (!strings->free) return NULL;
    }
    kept = strings->free;
    memcpy(kept, text, length);
    kept[length] = 0;
    strings->free += length + 1;
    strings->left -= length + 1;
    return kept;
}

// --- reading

// Text of an element that is still open. One per depth, used again by the next element there.
typedef struct Text {
    char *data;
    size_t bytes, capacity;
} Text;

typedef struct Reader {
    TacXml *xml;
    const TacXmlScan *scan;
    xmlParserCtxtPtr parser;
    TacError *error;
    TacStatus status;
    const char *file; // in the arena
    Strings strings;
    TacXmlElement *elements, *open;
    TacXmlAttribute *attributes;
    size_t started, depth;
    Text texts[TAC_XML_MOST_DEPTH];
} Reader;

static void stop(Reader *reader, TacStatus status) {
    reader->status = status;
    xmlStopParser(reader->parser);
}

static void stop_without_memory(Reader *reader) {
    stop(reader, tac_fail_memory(reader->error, reader->scan->bytes));
}

// The scan and libxml2 saw different tags: never for a document that both accept.
static void stop_out_of_step(Reader *reader) {
    const TacXmlScan *scan = reader->scan;
    bool known = reader->started < scan->tag_count;
    stop(reader,
         tac_fail_at(reader->error, TAC_FAILED, scan->file, known ? scan->tags[reader->started].line : 0, 0,
                     "the XML reader lost its place; please report this file"));
}

// Namespaces are no concern of a scene: their declarations are left out, prefixes are part of names.
static bool declares_namespace(const TacXmlScan *scan, const TacXmlSpan *span) {
    const char *name = scan->text + span->name;
    return span->name_bytes >= 5 && memcmp(name, "xmlns", 5) == 0 &&
           (span->name_bytes == 5 || name[5] == ':');
}

// True when "prefix:local" is what stands in the text.
static bool is_name(const Reader *reader, size_t offset, size_t bytes, const xmlChar *prefix,
                    const xmlChar *local) {
    const char *text = reader->scan->text + offset;
    if (prefix) {
        size_t n = strlen((const char *)prefix);
        if (bytes <= n || memcmp(text, prefix, n) != 0 || text[n] != ':') return false;
        text += n + 1;
        bytes -= n + 1;
    }
    return strlen((const char *)local) == bytes && memcmp(text, local, bytes) == 0;
}

// Takes over libxml2's `count` attributes, each five pointers: local name, prefix, URI, value, its end. False
// when they are not those of the scan or there is no memory.
static bool fill_attributes(Reader *reader, TacXmlElement *element, const TacXmlTag *tag, size_t count,
                            const xmlChar **five) {
    const TacXmlScan *scan = reader->scan;
    element->attributes = reader->attributes + tag->first;
    for (size_t i = 0; i < tag->attribute_count; i++) {
        const TacXmlSpan *span = &scan->spans[tag->first + i];
        bool taken = element->attribute_count < count &&
                     is_name(reader, span->name, span->name_bytes, five[1], five[0]);
        if (!taken && declares_namespace(scan, span)) continue;
        if (!taken) return false;
        element->attributes[element->attribute_count++] = (TacXmlAttribute){
            .name = keep_string(&reader->strings, scan->text + span->name, span->name_bytes),
            .value = keep_string(&reader->strings, (const char *)five[3], (size_t)(five[4] - five[3])),
            .line = span->line,
            .column = span->column,
            .value_line = span->value_line,
            .value_column = span->value_column,
            .value_offset = span->value,
        };
        five += 5;
    }
    return element->attribute_count == count;
}

// Into the tree, behind its elder sisters.
static void link_element(Reader *reader, TacXmlElement *element) {
    TacXmlElement *parent = element->parent = reader->open;
    if (!parent)
        reader->xml->root = element;
    else if (parent->last_child)
        parent->last_child->next = element;
    else
        parent->first_child = element;
    if (parent) parent->last_child = element;
    reader->open = element;
    reader->texts[reader->depth++].bytes = 0;
}

static void on_start(void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                     int namespace_count, const xmlChar **namespaces, int attribute_count, int defaulted,
                     const xmlChar **attributes) {
    (void)uri, (void)namespace_count, (void)namespaces;
    Reader *reader = data;
    const TacXmlScan *scan = reader->scan;
    if (reader->status != TAC_OK) return;
    if (reader->started >= scan->tag_count || reader->depth >= TAC_XML_MOST_DEPTH || defaulted) {
        stop_out_of_step(reader);
        return;
    }
    const TacXmlTag *tag = &scan->tags[reader->started];
    TacXmlElement *element = &reader->elements[reader->started];
    *element = (TacXmlElement){.text = "", .file = reader->file, .line = tag->line, .column = tag->column};
    if (!is_name(reader, tag->offset + 1, tag->name_bytes, prefix, local) ||
        !fill_attributes(reader, element, tag, (size_t)attribute_count, attributes)) {
        stop_out_of_step(reader);
        return;
    }
    element->name = keep_string(&reader->strings, scan->text + tag->offset + 1, tag->name_bytes);
    if (reader->strings.exhausted) {
        stop_without_memory(reader);
        return;
    }
    reader->started++;
    link_element(reader, element);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void on_end(void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
    (void)local, (void)prefix, (void)uri;
    Reader *reader = data;
    if (reader->status != TAC_OK || !reader->open) return;
    Text *text = &reader->texts[--reader->depth];
    size_t begin = 0, end = text->bytes;
    while (begin < end && is_blank(text->data[begin])) begin++;
    while (end > begin && is_blank(text->data[end - 1])) end--;
    if (end > begin) {
        reader->open->text = keep_string(&reader->strings, text->data + begin, end - begin);
        if (reader->strings.exhausted) {
            stop_without_memory(reader);
            return;
        }
    }
    reader->open = reader->open->parent;
}

static void on_characters(void *data, const xmlChar *piece, int length) {
    Reader *reader = data;
    if (reader->status != TAC_OK || !reader->open || length <= 0) return;
    Text *text = &reader->texts[reader->depth - 1];
    if (!tac_grow(&text->data, &text->capacity, text->bytes + (size_t)length, 1)) {
        stop_without_memory(reader);
        return;
    }
    memcpy(text->data + text->bytes, piece, (size_t)length);
    text->bytes += (size_t)length;
}

// The scan refuses declarations before libxml2 can see one; this is the second lock.
static void on_entity(void *data, const xmlChar *name, int type, const xmlChar *public_id,
                      const xmlChar *system_id, xmlChar *content) {
    (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
    Reader *reader = data;
    if (reader->status == TAC_OK)
        stop(reader, tac_fail_at(reader->error, TAC_BAD_INPUT, reader->scan->file, 0, 0,
                                 "entity declarations are not allowed in scenes"));
}

#if LIBXML_VERSION >= 21200
typedef const xmlError *LibxmlError;
#else
typedef xmlErrorPtr LibxmlError;
#endif

static void on_error(void *data, LibxmlError told) {
    Reader *reader = data;
    if (reader->status != TAC_OK || told->level < XML_ERR_ERROR) return;
    if (told->domain == XML_FROM_NAMESPACE) return;
    long at = xmlByteConsumed(reader->parser);
    TacXmlTrouble trouble = {
        .scan = reader->scan,
        .open = reader->open,
        .started = reader->started,
        .code = told->code,
        .at = tac_xml_original_offset(reader->scan, at < 0 ? 0 : (size_t)at),
        .detail = told->message,
    };
    stop(reader, tac_xml_explain(&trouble, reader->error));
}

// Callbacks that are not set do nothing: no document is built, nothing is loaded, no entity is ever found.
static void set_callbacks(xmlParserCtxtPtr parser, Reader *reader) {
    *parser->sax = (xmlSAXHandler){
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = on_start,
        .endElementNs = on_end,
        .characters = on_characters,
        .ignorableWhitespace = on_characters,
        .entityDecl = on_entity,
        .serror = on_error,
    };
    parser->userData = reader;
}

static TacStatus finish(Reader *reader) {
    if (reader->status != TAC_OK) return reader->status;
    if (!reader->parser->wellFormed || reader->open || !reader->xml->root)
        return tac_fail_at(reader->error, TAC_BAD_INPUT, reader->scan->file, 0, 0, "not well-formed XML");
    if (reader->started != reader->scan->tag_count) stop_out_of_step(reader);
    return reader->status;
}

static TacStatus parse_repaired(Reader *reader, const char *text, size_t bytes) {
    xmlInitParser();
    xmlParserCtxtPtr parser = xmlCreateMemoryParserCtxt(text, (int)bytes);
    if (!parser) return tac_fail_memory(reader->error, bytes);
    reader->parser = parser;
    set_callbacks(parser, reader);
    // the text is UTF-8 already, whatever its first line says; our own limits take the place of libxml2's; no
    // entity can be declared, so substituting them (NOENT) concerns the predefined ones alone
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_IGNORE_ENC | XML_PARSE_NOENT);
    xmlParseDocument(parser);
    TacStatus status = finish(reader);
    if (parser->myDoc) xmlFreeDoc(parser->myDoc);
    parser->myDoc = NULL;
    xmlFreeParserCtxt(parser);
    for (size_t i = 0; i < TAC_XML_MOST_DEPTH; i++) free(reader->texts[i].data);
    return status;
}

// --- warnings

static const char *warning_text(const TacXmlScan *scan, const TacXmlRepair *made, TacArena *arena) {
    switch (made->kind) {
    case TAC_XML_REPAIR_LESS: return "'<' in the value of an attribute was read as text; write &lt;";
    case TAC_XML_REPAIR_AND: return "'&' was read as text; write &amp;";
    case TAC_XML_REPAIR_HYPHEN: return "'--' inside a comment was passed over";
    case TAC_XML_REPAIR_BLANK: break;
    }
    const char *name = scan->text + made->offset;
    size_t length = tac_xml_name_bytes(name, scan->text + scan->bytes);
    return tac_arena_format(arena, "a blank is missing before the attribute '%s'",
                            tac_xml_word(name, length).text);
}

static TacStatus keep_warnings(TacXml *xml, const TacXmlScan *scan, TacError *error) {
    xml->warnings = tac_arena_array(&xml->arena, scan->warning_count, sizeof *xml->warnings);
    if (!xml->warnings) return tac_fail_memory(error, scan->warning_count * sizeof *xml->warnings);
    for (size_t i = 0; i < scan->repair_count; i++) {
        const TacXmlRepair *made = &scan->repairs[i];
        if (made->silent) continue;
        const char *message = warning_text(scan, made, &xml->arena);
        if (!message) return tac_fail_memory(error, 0);
        xml->warnings[xml->warning_count++] = (TacXmlWarning){made->line, made->column, message};
    }
    return TAC_OK;
}

// --- the whole way

static TacStatus build(TacXml *xml, const TacXmlScan *scan, TacError *error) {
    Reader *reader = calloc(1, sizeof *reader);
    if (!reader) return tac_fail_memory(error, sizeof *reader);
    reader->xml = xml;
    reader->scan = scan;
    reader->error = error;
    reader->strings.arena = &xml->arena;
    reader->file = tac_arena_text(&xml->arena, scan->file);
    reader->elements = tac_arena_array(&xml->arena, scan->tag_count, sizeof *reader->elements);
    reader->attributes = tac_arena_array(&xml->arena, scan->span_count, sizeof *reader->attributes);
    size_t bytes = scan->bytes;
    char *repaired = scan->repair_count ? tac_xml_repaired(scan, &bytes) : NULL;
    TacStatus status = TAC_OK;
    if (!reader->file || !reader->elements || !reader->attributes || (scan->repair_count && !repaired))
        status = tac_fail_memory(error, scan->bytes);
    if (status == TAC_OK) status = parse_repaired(reader, repaired ? repaired : scan->text, bytes);
    free(repaired);
    free(reader);
    return status;
}

static TacStatus parse_source(TacXml *xml, const char *file, bool lenient, TacError *error) {
    TAC_TRY(tac_xml_to_utf8(&xml->source, &xml->source_bytes, file, error));
    if (strspn(xml->source, " \t\r\n") == xml->source_bytes)
        return tac_fail_at(error, TAC_BAD_INPUT, file, 1, 1, "the file is empty; a scene was expected");
    TacXmlScan scan;
    TacStatus status = tac_xml_scan(&scan, file, xml->source, xml->source_bytes, lenient, error);
    if (status == TAC_OK) status = build(xml, &scan, error);
    if (status == TAC_OK) status = keep_warnings(xml, &scan, error);
    tac_xml_scan_destroy(&scan);
    return status;
}

// Takes over `text`.
static TacStatus parse_owned(TacXml *xml, const char *file, char *text, size_t bytes, bool lenient,
                             TacError *error) {
    *xml = (TacXml){.source = text, .source_bytes = bytes};
    TacStatus status = parse_source(xml, file, lenient, error);
    if (status != TAC_OK) tac_xml_destroy(xml);
    return status;
}

TacStatus tac_xml_read(TacXml *xml, const char *path, bool lenient, TacError *error) {
    *xml = (TacXml){0};
    char *text;
    size_t bytes;
    TAC_TRY(tac_read_whole_file(path, TAC_XML_MOST_BYTES, &text, &bytes, error));
    return parse_owned(xml, path, text, bytes, lenient, error);
}

TacStatus tac_xml_parse(TacXml *xml, const char *name, const char *text, size_t bytes, bool lenient,
                        TacError *error) {
    *xml = (TacXml){0};
    if (bytes > TAC_XML_MOST_BYTES)
        return tac_fail_at(error, TAC_BAD_INPUT, name, 0, 0, "has %.3g MB; at most %.3g MB are read",
                           (double)bytes / 1e6, TAC_XML_MOST_BYTES / 1e6);
    char *copy = malloc(bytes + 1);
    if (!copy) return tac_fail_memory(error, bytes);
    if (bytes) memcpy(copy, text, bytes);
    copy[bytes] = 0;
    return parse_owned(xml, name, copy, bytes, lenient, error);
}

void tac_xml_destroy(TacXml *xml) {
    tac_arena_destroy(&xml->arena);
    free(xml->source);
    *xml = (TacXml){0};
}

const TacXmlAttribute *tac_xml_attribute(const TacXmlElement *element, const char *name) {
    for (size_t i = 0; i < element->attribute_count; i++)
        if (strcmp(element->attributes[i].name, name) == 0) return &element->attributes[i];
    return NULL;
}

void tac_xml_value_place(const TacXml *xml, const TacXmlAttribute *attribute, size_t offset, int *line,
                         int *column) {
    const char *p = xml->source + attribute->value_offset, *end = xml->source + xml->source_bytes;
    const char *start = p;
    char quote = p[-1];
    *line = attribute->value_line;
    *column = attribute->value_column;
    for (size_t decoded = 0; p < end && *p != quote;) {
        size_t length = 1, meaning = 1;
        if (*p == '&') {
            size_t reference = tac_xml_reference(p, end, &meaning);
            if (reference) length = reference;
        } else if (*p == '\r' && p + 1 < end && p[1] == '\n') {
            length = 2;
        }
        if (decoded + meaning > offset) break;
        decoded += meaning;
        p += length;
        if (p[-1] == '\n') {
            ++*line;
            start = p;
        }
    }
    *column = (int)(p - start) + (*line == attribute->value_line ? attribute->value_column : 1);
}
