// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The RELAX NG schema of .tac files (https://relaxng.org/spec-20011203.html), XML syntax, made from the
// tables of the classes, for editors and for `xmllint --relaxng`.
//
// Every attribute may also be a link (@...) or hold parameters (${...}); what those come to, and whatever
// needs more than one attribute to judge, only the loader knows. So the schema accepts all that the loader
// accepts, and some more.

#include "scene/sink.h"
#include "scene/tree.h"

#include <stdio.h>
#include <string.h>

static const char *const range_names[] = {"any", "positive", "not-negative", "fraction"};

// --- pieces -----------------------------------------------------------------------------------------------

static void say(TacPage *page, const char *text) {
    static const char *const replacements[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    tac_page_escaped(page, text, "&<>\"", replacements);
}

static void say_documentation(TacPage *page, const char *indent, const char *doc, const TacAttribute *a) {
    tac_page_put(page, indent, "<a:documentation>");
    say(page, doc);
    if (a && a->unit && *a->unit && strcmp(a->unit, "1")) {
        tac_page_put(page, " Unit: ");
        say(page, a->unit);
        tac_page_put(page, ".");
    }
    if (a && a->initial && *a->initial) {
        tac_page_put(page, " Default: ");
        say(page, a->initial);
        tac_page_put(page, ".");
    }
    tac_page_put(page, "</a:documentation>\n");
}

static void say_value(void *data, const char *name, size_t length, size_t i) {
    (void)i;
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), name);
    tac_page_put(data, "          <value>");
    say(data, text);
    tac_page_put(data, "</value>\n");
}

// --- types ------------------------------------------------------------------------------------------------

// Facets of a number. XML Schema's double has INF and NaN, which no scene has: they have letters.
static void say_number(TacPage *page, const char *indent, const char *type, TacRange range) {
    static const char *const facets[] = {
        "", "<param name=\"minExclusive\">0</param>", "<param name=\"minInclusive\">0</param>",
        "<param name=\"minInclusive\">0</param><param name=\"maxInclusive\">1</param>"};
    const char *letters =
        strcmp(type, "double") == 0 ? "<param name=\"pattern\">[0-9eE+.\\-\\s]*</param>" : "";
    tac_page_put(page, indent, "<data type=\"", type, "\">", facets[range], letters, "</data>\n");
}

static void say_pattern(TacPage *page, const char *indent, const char *pattern) {
    tac_page_put(page, indent, "<data type=\"string\"><param name=\"pattern\">", pattern,
                 "</param></data>\n");
}

// One type that depends on a range. Numbers may be separated by blanks, commas or both: what has blanks only
// is checked number by number, the rest by its characters.
static void begin_type(TacPage *page, const char *stem, TacRange range) {
    tac_page_put(page, "  <define name=\"", stem, range_names[range], "\">\n    <choice>\n");
}

static void end_type(TacPage *page, bool whole) {
    say_pattern(page, "      ",
                whole ? "[0-9+\\-\\s]*,[0-9+\\-\\s,]*" : "[0-9eE+.\\-\\s]*,[0-9eE+.\\-\\s,]*");
    tac_page_put(page, "    </choice>\n  </define>\n");
}

static void say_ranged_types(TacPage *page, TacRange range) {
    begin_type(page, "int.", range);
    say_number(page, "      ", "integer", range);
    end_type(page, true);
    begin_type(page, "real.", range);
    say_number(page, "      ", "double", range);
    end_type(page, false);
    begin_type(page, "vector.", range);
    tac_page_put(page, "      <list>\n");
    for (int k = 0; k < 3; k++) say_number(page, "        ", "double", range);
    tac_page_put(page, "      </list>\n");
    end_type(page, false);
    begin_type(page, "reals.", range);
    tac_page_put(page, "      <list>\n        <zeroOrMore>\n");
    say_number(page, "          ", "double", range);
    tac_page_put(page, "        </zeroOrMore>\n      </list>\n");
    end_type(page, false);
    begin_type(page, "ints.", range);
    tac_page_put(page, "      <list>\n        <zeroOrMore>\n",
                 "          <data type=\"token\"><param name=\"pattern\">[+", range == TAC_ANY ? "\\-" : "",
                 "]?[0-9]+(-[0-9]+(-[0-9]+)?)?</param></data>\n        </zeroOrMore>\n      </list>\n");
    end_type(page, true);
}

static void say_types(TacPage *page) {
    tac_page_put(page, "\n  <!-- values; every one may also be a link or hold parameters -->\n"
                       "  <define name=\"elsewhere\">\n");
    say_pattern(page, "    ", "@.*|.*[$]\\{.*\\}.*");
    tac_page_put(page, "  </define>\n  <define name=\"name\">\n    <choice>\n");
    say_pattern(page, "      ", "[A-Za-z0-9_&#x80;-&#x10FFFF;\\-]*");
    say_pattern(page, "      ", ".*[$]\\{.*\\}.*");
    tac_page_put(page, "    </choice>\n  </define>\n  <define name=\"bool\">\n    <choice>\n");
    static const char *const words[] = {"true", "false", "1", "0", "yes", "no", "on", "off"};
    for (size_t i = 0; i < TAC_COUNT(words); i++) tac_page_put(page, "      <value>", words[i], "</value>\n");
    tac_page_put(page, "    </choice>\n  </define>\n");
    for (int range = TAC_ANY; range <= TAC_FRACTION; range++) say_ranged_types(page, (TacRange)range);
}

// --- attributes and elements ------------------------------------------------------------------------------

static const char *type_stem(TacType type) {
    switch (type) {
    case TAC_INT: return "int.";
    case TAC_REAL: return "real.";
    case TAC_VECTOR: return "vector.";
    case TAC_REALS: return "reals.";
    case TAC_INTS: return "ints.";
    default: return NULL;
    }
}

static void say_type(TacPage *page, const TacAttribute *a) {
    if (a->type == TAC_TEXT || a->type == TAC_PATH) {
        tac_page_put(page, "        <text/>\n");
        return;
    }
    tac_page_put(page, "        <choice>\n          <ref name=\"elsewhere\"/>\n");
    const char *stem = type_stem(a->type);
    if (stem)
        tac_page_put(page, "          <ref name=\"", stem, range_names[a->range], "\"/>\n");
    else if (a->type == TAC_BOOL)
        tac_page_put(page, "          <ref name=\"bool\"/>\n");
    else if (a->type == TAC_CHOICE)
        tac_each_choice(a->accepts, say_value, page);
    tac_page_put(page, "        </choice>\n");
}

static void say_attribute(TacPage *page, const TacAttribute *a) {
    tac_page_put(page, a->initial ? "      <optional>" : "      ", "<attribute name=\"");
    say(page, a->name);
    tac_page_put(page, "\">\n");
    say_documentation(page, "        ", a->doc, a);
    say_type(page, a);
    tac_page_put(page, a->initial ? "      </attribute></optional>\n" : "      </attribute>\n");
}

static void say_attributes(TacPage *page, const TacClass *cls) {
    for (size_t i = 0; i < cls->attribute_count; i++)
        if (!(cls->attributes[i].flags & TAC_OUTPUT)) say_attribute(page, &cls->attributes[i]);
}

static void say_class(TacPage *page, const TacClass *cls) {
    tac_page_put(page, "  <define name=\"component.", cls->name, "\">\n    <element name=\"", cls->name,
                 "\">\n");
    say_documentation(page, "      ", cls->doc, NULL);
    tac_page_put(page,
                 "      <optional><attribute name=\"name\"><ref name=\"name\"/></attribute></optional>\n");
    say_attributes(page, cls);
    tac_page_put(page, cls->attribute_count ? "" : "      <empty/>\n", "    </element>\n  </define>\n");
}

// --- the document -----------------------------------------------------------------------------------------

static void say_root(TacPage *page, const TacScene *scene) {
    tac_page_put(page, "  <start><ref name=\"tactus\"/></start>\n\n"
                       "  <define name=\"tactus\">\n    <element name=\"tactus\">\n");
    const TacClass *world = tac_scene_find_class(scene, "World");
    say_documentation(page, "      ", world ? world->doc : "A scene.", NULL);
    tac_page_put(page, "      <attribute name=\"version\"><value>1</value></attribute>\n");
    if (world) say_attributes(page, world);
    tac_page_put(page,
                 "      <interleave>\n        <zeroOrMore><ref name=\"param\"/></zeroOrMore>\n"
                 "        <ref name=\"content\"/>\n      </interleave>\n    </element>\n  </define>\n\n");
}

static void say_structure(TacPage *page) {
    tac_page_put(
        page,
        "  <define name=\"node\">\n    <element name=\"node\">\n"
        "      <a:documentation>A place in the tree: holds components and other nodes.</a:documentation>\n"
        "      <optional><attribute name=\"name\"><ref name=\"name\"/></attribute></optional>\n"
        "      <ref name=\"content\"/>\n    </element>\n  </define>\n\n"
        "  <define name=\"param\">\n    <element name=\"param\">\n"
        "      <a:documentation>A parameter, for ${name} in what follows.</a:documentation>\n"
        "      <attribute name=\"name\"><text/></attribute>\n"
        "      <attribute name=\"default\"><text/></attribute>\n"
        "      <optional><attribute name=\"doc\"><text/></attribute></optional>\n"
        "    </element>\n  </define>\n\n"
        "  <define name=\"include\">\n    <element name=\"include\">\n"
        "      <a:documentation>Another scene file as a node; other attributes are its parameters."
        "</a:documentation>\n"
        "      <attribute name=\"file\"><text/></attribute>\n"
        "      <optional><attribute name=\"name\"><ref name=\"name\"/></attribute></optional>\n"
        "      <zeroOrMore>\n        <attribute>\n"
        "          <anyName><except><name>file</name><name>name</name></except></anyName>\n"
        "          <text/>\n        </attribute>\n      </zeroOrMore>\n    </element>\n  </define>\n\n");
}

static bool is_element(const TacClass *cls) {
    return strcmp(cls->name, "World") != 0; // its attributes stand on the root
}

static void say_content(TacPage *page, const TacScene *scene) {
    tac_page_put(page, "  <define name=\"content\">\n    <zeroOrMore>\n      <choice>\n"
                       "        <ref name=\"node\"/>\n        <ref name=\"include\"/>\n");
    for (size_t i = 0; i < tac_scene_class_count(scene); i++) {
        const TacClass *cls = tac_scene_class(scene, i);
        if (is_element(cls)) tac_page_put(page, "        <ref name=\"component.", cls->name, "\"/>\n");
    }
    tac_page_put(page, "      </choice>\n    </zeroOrMore>\n  </define>\n\n");
}

bool tac_scene_schema(const TacScene *scene, TacSink sink, void *data) {
    TacPage page = {sink, data, false};
    tac_page_put(&page, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<!-- Scenes of Tactus (.tac), version 1; made by `tactus schema`. -->\n"
                        "<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\"\n"
                        "         xmlns:a=\"http://relaxng.org/ns/compatibility/annotations/1.0\"\n"
                        "         datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">\n");
    say_root(&page, scene);
    say_structure(&page);
    say_content(&page, scene);
    for (size_t i = 0; i < tac_scene_class_count(scene); i++) {
        const TacClass *cls = tac_scene_class(scene, i);
        if (is_element(cls)) say_class(&page, cls);
    }
    say_types(&page);
    tac_page_put(&page, "</grammar>\n");
    return !page.stopped;
}
