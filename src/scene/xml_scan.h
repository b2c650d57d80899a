// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Finds where everything stands in an XML text, before libxml2 reads it; used by xml.c alone.
//
// The scan knows only the outlines of XML: where comments, CDATA, instructions, tags, attribute names and
// values begin and end. In every document that libxml2 accepts it finds the same tags in the same order;
// where a document is broken it stops, and leaves the complaint to libxml2, whose first error is never behind
// that point. It also enforces the limits that must hold before libxml2 starts (its check for equal
// attributes is quadratic in their number), refuses declarations, and in lenient mode collects the
// repairs. Repairs change no outline, so places are always those of the original text.

#ifndef TACTUS_SCENE_XML_SCAN_H
#define TACTUS_SCENE_XML_SCAN_H

#include "base/memory.h"

typedef struct TacXmlTag {
    size_t offset; // of the '<'
    size_t first;  // of its attributes
    int line, column;
    uint32_t name_bytes, attribute_count;
} TacXmlTag;

typedef struct TacXmlSpan {
    size_t name, value, value_end; // offsets; the value without its quotes
    int line, column, value_line, value_column;
    uint32_t name_bytes;
} TacXmlSpan;

typedef enum TacXmlRepairKind {
    TAC_XML_REPAIR_LESS,   // '<' in a value
    TAC_XML_REPAIR_AND,    // '&' that begins no reference
    TAC_XML_REPAIR_BLANK,  // no blank before an attribute
    TAC_XML_REPAIR_HYPHEN, // "--" in a comment; one for each hyphen
} TacXmlRepairKind;

typedef struct TacXmlRepair {
    size_t offset;
    int line, column;
    TacXmlRepairKind kind;
    bool silent; // already told by the one before
} TacXmlRepair;

typedef struct TacXmlScan {
    const char *file, *text;
    size_t bytes;
    bool lenient;

    TacXmlTag *tags;
    size_t tag_count, tag_capacity;
    TacXmlSpan *spans; // attributes of all tags, one after the other
    size_t span_count, span_capacity;
    TacXmlRepair *repairs;
    size_t repair_count, repair_capacity, warning_count;

    size_t stop;       // offset of the construct that is broken; `bytes` if none
    size_t stop_quote; // offset of the quote that is never closed; `bytes` if none

    size_t counted, line_start; // up to where lines have been counted
    int line;
    size_t depth;
} TacXmlScan;

// `text` must be valid UTF-8 without zero bytes, and outlive the scan. Destroy it also after a failure.
TacStatus tac_xml_scan(TacXmlScan *scan, const char *file, const char *text, size_t bytes, bool lenient,
                       TacError *error);
void tac_xml_scan_destroy(TacXmlScan *scan);

// The text with all repairs made; the caller frees it. NULL when there is no memory.
char *tac_xml_repaired(const TacXmlScan *scan, size_t *bytes);

// Where an offset of the repaired text stands in the original one.
size_t tac_xml_original_offset(const TacXmlScan *scan, size_t offset);

// The first of the five predefined entities or a character reference: its length in bytes at `text`, and the
// length in UTF-8 of what it stands for; 0 when `text` begins none.
size_t tac_xml_reference(const char *text, const char *end, size_t *decoded);

// Line and column of an offset, counted from the start of the text.
void tac_xml_place(const char *text, size_t offset, int *line, int *column);

// A name or a piece of text made fit for a message: cut to 60 bytes, between characters.
typedef struct TacXmlWord {
    char text[64];
} TacXmlWord;

TacXmlWord tac_xml_word(const char *text, size_t bytes);

// Number of bytes at `text` that can belong to a name, up to `end`.
size_t tac_xml_name_bytes(const char *text, const char *end);

#endif
