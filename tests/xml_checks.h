// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What tests of the XML reader share: reading a text that must be good, and checking names, values and places.
// Include it after cmocka.h.

#ifndef TACTUS_TESTS_XML_CHECKS_H
#define TACTUS_TESTS_XML_CHECKS_H

#include "scene/xml.h"

static inline TacXml parse(const char *text, bool lenient) {
    TacXml xml;
    TacError error = {0};
    if (tac_xml_parse(&xml, "f", text, strlen(text), lenient, &error) != TAC_OK)
        fail_msg("%d:%d %s\nin: %.300s", error.line, error.column, error.message, text);
    return xml;
}

static inline void check_element(const TacXmlElement *element, const char *name, int line, int column,
                                 const char *text) {
    assert_non_null(element);
    assert_string_equal(element->name, name);
    assert_string_equal(element->file, "f");
    assert_int_equal(element->line, line);
    assert_int_equal(element->column, column);
    assert_string_equal(element->text, text);
}

static inline void check_attribute(const TacXmlElement *element, size_t index, const char *name, int line,
                                   int column, const char *value, int value_line, int value_column) {
    assert_true(index < element->attribute_count);
    const TacXmlAttribute *attribute = &element->attributes[index];
    assert_string_equal(attribute->name, name);
    assert_string_equal(attribute->value, value);
    assert_int_equal(attribute->line, line);
    assert_int_equal(attribute->column, column);
    assert_int_equal(attribute->value_line, value_line);
    assert_int_equal(attribute->value_column, value_column);
    assert_ptr_equal(tac_xml_attribute(element, name), attribute);
}

#endif
