// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The XML reader under all scene loaders: a tree of elements in which everything knows its place in the file.
//
// libxml2 decides what is well-formed and what values mean (its SAX interface, old-style callbacks: names
// come as they are written, declared defaults and namespaces are no concern of a scene). It knows lines only,
// so our own scan of the same text (xml_scan.h) gives exact places; the two walk in step and check each
// other.
//
// What a hostile file meets: no network, no DTD, no entity declarations (the five predefined entities and
// character references are all there is), and the limits below. Time and memory are linear in the file.
// In lenient mode a few habits of other programs' files are repaired first, each with a warning.
//
// Lines and columns count from 1; columns count bytes of the UTF-8 text. A file in another encoding is
// converted first, and columns count in the converted text. No state is shared: any number of threads may
// read.

#ifndef TACTUS_SCENE_XML_H
#define TACTUS_SCENE_XML_H

#include "base/memory.h"

enum {
    TAC_XML_MOST_BYTES = 1000000000, // of a file
    TAC_XML_MOST_DEPTH = 256,        // of nested elements
    TAC_XML_MOST_ATTRIBUTES = 256,   // of one element
    TAC_XML_MOST_PARTS = 10000000,   // elements and attributes together
    TAC_XML_LONGEST_NAME = 1000,     // bytes
    TAC_XML_MOST_WARNINGS = 10000,   // repairs of one file; with more it is refused
};

typedef struct TacXmlAttribute {
    const char *name, *value;
    int line, column;             // of the name
    int value_line, value_column; // of the value's first character
    size_t value_offset;          // of the same, in the text that TacXml keeps
} TacXmlAttribute;

typedef struct TacXmlElement TacXmlElement;

struct TacXmlElement {
    const char *name;
    const char *text; // all direct text, trimmed; "" if there is none
    const char *file;
    int line, column; // of the '<'
    TacXmlElement *parent, *first_child, *last_child, *next;
    TacXmlAttribute *attributes; // in the order of the file
    size_t attribute_count;
};

// A repair made in lenient mode.
typedef struct TacXmlWarning {
    int line, column;
    const char *message;
} TacXmlWarning;

// Owns everything that can be reached from it, until tac_xml_destroy.
typedef struct TacXml {
    TacXmlElement *root;
    TacXmlWarning *warnings; // in the order of the file
    size_t warning_count;
    TacArena arena;
    char *source; // the file's text as it was, in UTF-8
    size_t source_bytes;
} TacXml;

// On failure `error` has the place and `xml` is empty; destroying it is allowed and does nothing.
TacStatus tac_xml_read(TacXml *xml, const char *path, bool lenient, TacError *error);

// The same for text in memory; `name` stands for the file in messages.
TacStatus tac_xml_parse(TacXml *xml, const char *name, const char *text, size_t bytes, bool lenient,
                        TacError *error);

void tac_xml_destroy(TacXml *xml);

// NULL when there is none of that name.
const TacXmlAttribute *tac_xml_attribute(const TacXmlElement *element, const char *name);

// The place in the file of value[offset], for messages about one word of a long value. Line breaks and
// references in the source are followed; an offset beyond the value gives the place of the closing quote.
void tac_xml_value_place(const TacXml *xml, const TacXmlAttribute *attribute, size_t offset, int *line,
                         int *column);

#endif
