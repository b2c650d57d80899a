// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Fuzz harness of the XML reader: no input may crash it, every refusal has a message and a place, every place
// in a tree is where its name or value stands, and what strict mode reads, lenient mode reads alike.

#include "scene/xml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good) {
    if (!good) abort();
}

// What stands at a line and column; a cursor goes along, since elements and attributes come in order.
typedef struct Cursor {
    const char *text;
    size_t offset;
    int line, column;
} Cursor;

static const char *seek(Cursor *cursor, int line, int column) {
    while (cursor->line < line || cursor->column < column) {
        char c = cursor->text[cursor->offset];
        require(c != 0 && cursor->line <= line);
        cursor->offset++;
        cursor->column++;
        if (c == '\n') {
            cursor->line++;
            cursor->column = 1;
        }
    }
    require(cursor->line == line && cursor->column == column);
    return cursor->text + cursor->offset;
}

static void check_element(const TacXml *xml, const TacXmlElement *element, Cursor *cursor) {
    const char *at = seek(cursor, element->line, element->column);
    require(at[0] == '<' && strncmp(at + 1, element->name, strlen(element->name)) == 0);
    for (size_t i = 0; i < element->attribute_count; i++) {
        const TacXmlAttribute *attribute = &element->attributes[i];
        at = seek(cursor, attribute->line, attribute->column);
        require(strncmp(at, attribute->name, strlen(attribute->name)) == 0);
        at = seek(cursor, attribute->value_line, attribute->value_column);
        require(at == xml->source + attribute->value_offset && (at[-1] == '"' || at[-1] == '\''));
        // the end of the value is its closing quote
        int line, column;
        tac_xml_value_place(xml, attribute, strlen(attribute->value), &line, &column);
        Cursor end = *cursor;
        require(*seek(&end, line, column) == at[-1]);
    }
    for (const TacXmlElement *child = element->first_child; child; child = child->next) {
        require(child->parent == element);
        check_element(xml, child, cursor);
    }
}

static void require_same(const TacXmlElement *a, const TacXmlElement *b) {
    require(strcmp(a->name, b->name) == 0 && strcmp(a->text, b->text) == 0);
    require(a->line == b->line && a->column == b->column && a->attribute_count == b->attribute_count);
    for (size_t i = 0; i < a->attribute_count; i++) {
        require(strcmp(a->attributes[i].name, b->attributes[i].name) == 0);
        require(strcmp(a->attributes[i].value, b->attributes[i].value) == 0);
    }
    const TacXmlElement *child = b->first_child;
    for (const TacXmlElement *other = a->first_child; other; other = other->next, child = child->next) {
        require(child != NULL);
        require_same(other, child);
    }
    require(child == NULL);
}

static TacXml parse(const uint8_t *data, size_t size, bool lenient) {
    TacXml xml;
    TacError error = {0};
    TacStatus status = tac_xml_parse(&xml, "fuzz", (const char *)data, size, lenient, &error);
    require(status == TAC_OK || status == TAC_BAD_INPUT);
    require((status == TAC_OK) == (xml.root != NULL));
    if (status != TAC_OK) require(error.message[0] && error.line >= 1 && strcmp(error.file, "fuzz") == 0);
    if (xml.root) {
        Cursor cursor = {.text = xml.source, .line = 1, .column = 1};
        check_element(&xml, xml.root, &cursor);
    }
    return xml;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    TacXml strict = parse(data, size, false);
    TacXml lenient = parse(data, size, true);
    if (strict.root) {
        require(lenient.root && lenient.warning_count == 0);
        require_same(strict.root, lenient.root);
    }
    tac_xml_destroy(&strict);
    tac_xml_destroy(&lenient);
    return 0;
}
