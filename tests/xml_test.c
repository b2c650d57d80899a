// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of the XML reader: trees, places, repairs, messages and limits. References: places counted by hand,
// and libxml2's own tree for the files of other programs. Random documents are in xml_random_test.c.
//
// Files of other programs are looked for in $TACTUS_SHARED, else in ../shared beside the source folder;
// without them that test is skipped.

#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "xml_checks.h"

#include <ftw.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_fails(const char *text, bool lenient, int line, int column, const char *part) {
    TacXml xml;
    TacError error = {0};
    TacStatus status = tac_xml_parse(&xml, "f", text, strlen(text), lenient, &error);
    if (status != TAC_BAD_INPUT) fail_msg("status %d for: %.300s", status, text);
    assert_string_equal(error.file, "f");
    if (error.line != line || error.column != column || !strstr(error.message, part))
        fail_msg("%d:%d '%s', not %d:%d '%s', for: %.300s", error.line, error.column, error.message, line,
                 column, part, text);
    assert_null(xml.root);
    assert_null(xml.source);
    assert_int_equal(tac_xml_parse(&xml, "f", text, strlen(text), lenient, NULL), TAC_BAD_INPUT);
}

// --- places counted by hand

static void test_places_of_a_small_scene(void **state) {
    (void)state;
    TacXml xml = parse("<?xml version=\"1.0\"?>\n"
                       "<!-- <fake a=\"1\"> -->\n"
                       "<Node name='root' dt=\"0.01\">\n"
                       "\t<Solver\n"
                       "\t    rate = \"5\"\n"
                       "\n"
                       "  tolerance\n"
                       "=\n"
                       "'1e-9'\n"
                       "  />text <Mass/>\r\n"
                       "  <Points position=\"0 0 0\r\n"
                       "    1 0 0\n"
                       "\t2 0 0\"/><![CDATA[<not a='tag'>]]><?pi <not a=\"tag\"> ?><Last/>\n"
                       "</Node>\n"
                       "<!-- end -->",
                       false);
    check_element(xml.root, "Node", 3, 1, "text \n  <not a='tag'>");
    assert_null(xml.root->parent);
    assert_null(xml.root->next);
    assert_int_equal(xml.root->attribute_count, 2);
    check_attribute(xml.root, 0, "name", 3, 7, "root", 3, 13);
    check_attribute(xml.root, 1, "dt", 3, 19, "0.01", 3, 23);
    const TacXmlElement *solver = xml.root->first_child;
    check_element(solver, "Solver", 4, 2, "");
    assert_ptr_equal(solver->parent, xml.root);
    check_attribute(solver, 0, "rate", 5, 6, "5", 5, 14);
    check_attribute(solver, 1, "tolerance", 7, 3, "1e-9", 9, 2);
    assert_null(tac_xml_attribute(solver, "nothing"));
    const TacXmlElement *mass = solver->next;
    check_element(mass, "Mass", 10, 10, "");
    assert_int_equal(mass->attribute_count, 0);
    const TacXmlElement *points = mass->next;
    check_element(points, "Points", 11, 3, "");
    // line breaks and tabs in values are blanks: so says XML
    check_attribute(points, 0, "position", 11, 11, "0 0 0     1 0 0  2 0 0", 11, 21);
    check_element(points->next, "Last", 13, 56, "");
    assert_ptr_equal(points->next, xml.root->last_child);
    assert_null(points->next->next);
    assert_int_equal(xml.warning_count, 0);
    tac_xml_destroy(&xml);
    assert_null(xml.root);
    tac_xml_destroy(&xml);
}

static void test_references_and_quotes(void **state) {
    (void)state;
    TacXml xml = parse("<a b='say \"hi\"' c=\"it's &lt;&gt;&amp;&quot;&apos; &#65;&#x42;&#x20AC;\">"
                       "&lt;x&gt; &amp;amp; &#33;</a>",
                       false);
    check_element(xml.root, "a", 1, 1, "<x> &amp; !");
    check_attribute(xml.root, 0, "b", 1, 4, "say \"hi\"", 1, 7);
    check_attribute(xml.root, 1, "c", 1, 17, "it's <>&\"' AB\xe2\x82\xac", 1, 20);
    tac_xml_destroy(&xml);
}

static void test_columns_count_bytes(void **state) {
    (void)state;
    TacXml xml = parse("<a \xc3\xa9t\xc3\xa9=\"\xe2\x82\xac\" b=\"1\">\xc3\xa9<b/></a>", false);
    check_attribute(xml.root, 0, "\xc3\xa9t\xc3\xa9", 1, 4, "\xe2\x82\xac", 1, 11);
    check_attribute(xml.root, 1, "b", 1, 16, "1", 1, 19);
    check_element(xml.root->first_child, "b", 1, 24, "");
    tac_xml_destroy(&xml);
}

static void test_prefixes_stay_and_namespaces_go(void **state) {
    (void)state;
    TacXml xml = parse("<s:a xmlns:s=\"u\" s:x=\"1\" xmlns=\"v\" q:y=\"2\" xmlnsx=\"3\"><z:b/></s:a>", false);
    check_element(xml.root, "s:a", 1, 1, "");
    assert_int_equal(xml.root->attribute_count, 3);
    check_attribute(xml.root, 0, "s:x", 1, 18, "1", 1, 23);
    check_attribute(xml.root, 1, "q:y", 1, 36, "2", 1, 41);
    check_attribute(xml.root, 2, "xmlnsx", 1, 44, "3", 1, 52);
    check_element(xml.root->first_child, "z:b", 1, 55, "");
    tac_xml_destroy(&xml);
}

static void test_doctype_is_passed_over(void **state) {
    (void)state;
    TacXml xml = parse("<!DOCTYPE a SYSTEM \"file:///etc/pas'>swd\">\n<a b='1'/>", false);
    check_element(xml.root, "a", 2, 1, "");
    tac_xml_destroy(&xml);
}

// --- encodings

static void check_encoded(const char *text, size_t bytes) {
    TacXml xml;
    TacError error = {0};
    if (tac_xml_parse(&xml, "f", text, bytes, false, &error) != TAC_OK) fail_msg("%s", error.message);
    check_element(xml.root, "a", 1, xml.root->column, "");
    const TacXmlElement *b = xml.root->first_child;
    assert_string_equal(b->name, "b");
    assert_int_equal(b->line, 2);
    assert_string_equal(b->attributes[0].value, "\xc3\xa9");
    assert_int_equal(strlen(xml.source), xml.source_bytes);
    tac_xml_destroy(&xml);
}

// Widens Latin-1 to 16 or 32 bits per character.
static size_t widen(const char *text, char *wide, size_t unit, bool big) {
    size_t n = strlen(text);
    memset(wide, 0, n * unit);
    for (size_t i = 0; i < n; i++) wide[i * unit + (big ? unit - 1 : 0)] = text[i];
    return n * unit;
}

static void test_encodings(void **state) {
    (void)state;
    const char *utf8 = "\xef\xbb\xbf<a>\n<b c=\"\xc3\xa9\"/></a>";
    check_encoded(utf8, strlen(utf8));
    check_encoded(utf8 + 3, strlen(utf8) - 3);
    const char *latin = "<?xml version='1.0' encoding='ISO-8859-1'?><a>\n<b c=\"\xe9\"/></a>";
    check_encoded(latin, strlen(latin));
    const char *windows = "<?xml version=\"1.0\" encoding = \"windows-1252\" ?><a>\n<b c=\"\xe9\"/></a>";
    check_encoded(windows, strlen(windows));
    // a mark is stronger than the declaration
    const char *marked = "\xef\xbb\xbf<?xml version='1.0' encoding='ISO-8859-1'?><a>\n<b c='\xc3\xa9'/></a>";
    check_encoded(marked, strlen(marked));
    for (size_t unit = 2; unit <= 4; unit += 2)
        for (int big = 0; big < 2; big++) {
            char wide[400] = {0};
            // with and without a mark
            memcpy(wide, big ? (unit == 2 ? "\xfe\xff\0\0" : "\0\0\xfe\xff") : "\xff\xfe\0\0", 4);
            size_t n = widen("<a>\n<b c=\"\xe9\"/></a>", wide + unit, unit, big);
            check_encoded(wide, n + unit);
            check_encoded(wide + unit, n);
        }
}

// --- places inside values

static void check_value_place(const char *text, const char *word, int line, int column) {
    TacXml xml = parse(text, true);
    const TacXmlAttribute *attribute = &xml.root->attributes[0];
    const char *found = strstr(attribute->value, word);
    assert_non_null(found);
    int l, c;
    tac_xml_value_place(&xml, attribute, (size_t)(found - attribute->value), &l, &c);
    if (l != line || c != column) fail_msg("'%s' at %d:%d, not %d:%d", word, l, c, line, column);
    tac_xml_destroy(&xml);
}

static void test_places_inside_values(void **state) {
    (void)state;
    check_value_place("<a b=\"1 2 oops\"/>", "oops", 1, 11);
    check_value_place("<a b=\"1 2 oops\"/>", "1", 1, 7);
    check_value_place("<a\n  b=\"1 2\n 3 oops\n\"/>", "oops", 3, 4);
    check_value_place("<a b=\"1\r\n2\r\n oops\"/>", "oops", 3, 2);
    check_value_place("<a b='1\r2 oops'/>", "oops", 1, 11);
    check_value_place("<a b=\"&lt;&#x20AC;&#65; oops\"/>", "oops", 1, 25);
    check_value_place("<a b=\"x < y & z &amp; oops\"/>", "oops", 1, 23);
    check_value_place("<a b=\"&#10;&#10;oops\"/>", "oops", 1, 17);
    // beyond the value: its closing quote
    TacXml xml = parse("<a b='1\n2'/>", false);
    int line, column;
    tac_xml_value_place(&xml, &xml.root->attributes[0], 999, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 2);
    tac_xml_destroy(&xml);
}

// --- lenient mode

static void check_warning(const TacXml *xml, size_t index, int line, int column, const char *part) {
    assert_true(index < xml->warning_count);
    const TacXmlWarning *warning = &xml->warnings[index];
    assert_int_equal(warning->line, line);
    assert_int_equal(warning->column, column);
    if (!strstr(warning->message, part)) fail_msg("'%s' does not say '%s'", warning->message, part);
}

static void test_lenient_repairs_and_warns(void **state) {
    (void)state;
    const char *text = "<a b=\"x<y & z\"c='<'\n"
                       " d=\"&amp;&lt;&foo;&#0;&\"e=\"1\">one & two &lt; &nbsp;<!-- a -- b --->\n"
                       "<last\tf=\"1\"/></a>";
    TacXml xml = parse(text, true);
    check_element(xml.root, "a", 1, 1, "one & two < &nbsp;");
    check_attribute(xml.root, 0, "b", 1, 4, "x<y & z", 1, 7);
    check_attribute(xml.root, 1, "c", 1, 15, "<", 1, 18);
    check_attribute(xml.root, 2, "d", 2, 2, "&<&foo;&#0;&", 2, 5);
    check_attribute(xml.root, 3, "e", 2, 25, "1", 2, 28);
    check_element(xml.root->first_child, "last", 3, 1, "");
    check_attribute(xml.root->first_child, 0, "f", 3, 7, "1", 3, 10);
    size_t i = 0;
    check_warning(&xml, i++, 1, 8, "&lt;");
    check_warning(&xml, i++, 1, 11, "&amp;");
    check_warning(&xml, i++, 1, 15, "'c'");
    check_warning(&xml, i++, 1, 18, "&lt;");
    check_warning(&xml, i++, 2, 14, "&amp;");
    check_warning(&xml, i++, 2, 19, "&amp;");
    check_warning(&xml, i++, 2, 23, "&amp;");
    check_warning(&xml, i++, 2, 25, "'e'");
    check_warning(&xml, i++, 2, 35, "&amp;");
    check_warning(&xml, i++, 2, 46, "&amp;");
    check_warning(&xml, i++, 2, 59, "'--'");
    assert_int_equal(xml.warning_count, i);
    tac_xml_destroy(&xml);
    // each of them is an error otherwise
    check_fails(text, false, 1, 8, "&lt;");
    check_fails("<a b='&'/>", false, 1, 7, "&amp;");
    check_fails("<a b='1'c='2'/>", false, 1, 9, "blank");
    check_fails("<a> & </a>", false, 1, 5, "&amp;");
    check_fails("<a><!-- -- --></a>", false, 1, 9, "--");
}

static void test_lenient_errors_have_the_original_place(void **state) {
    (void)state;
    check_fails("<a b=\"<<<&&&\"c=\"1\"\n d=\"<&\"e=\"2\" x></a>", true, 2, 15, "'x'");
    check_fails("<a b=\"<<<&&&\">&&&&\n<!-- -- --> &&& </b>", true, 2, 17, "</a>");
    check_fails("<a b=\"<&\" b=\"\"/>", true, 1, 11, "twice");
    check_fails("<a>&&&</a>&", true, 1, 11, "outermost");
}

static void test_lenient_has_a_limit(void **state) {
    (void)state;
    enum { N = TAC_XML_MOST_WARNINGS };
    char *text = malloc(N + 100);
    memcpy(text, "<a>", 3);
    memset(text + 3, '&', N);
    memcpy(text + 3 + N, "</a>", 5);
    TacXml xml = parse(text, true);
    assert_int_equal(xml.warning_count, N);
    assert_int_equal(strlen(xml.root->text), N);
    tac_xml_destroy(&xml);
    memcpy(text + 3 + N, "&</a>", 6);
    check_fails(text, true, 1, 4 + N, "not XML");
    free(text);
}

// --- errors

static void test_errors_say_what_and_where(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *part;
    } cases[] = {
        {"", 1, 1, "empty"},
        {" \n ", 1, 1, "empty"},
        {"hello", 1, 1, "not XML"},
        {"<!-- only -->", 1, 14, "no element"},
        {"<a>\n  <b>\n</a>", 3, 1, "</a> does not close <b>, which line 2 opens; </b> was expected"},
        {"<a>\n<b>", 2, 4, "the file ends before </b>, which closes <b> of line 2"},
        {"<a/>\n<b/>", 2, 1, "outermost"},
        {"<a/>\n</b>", 2, 1, "</b> closes nothing"},
        {"</b>", 1, 1, "</b> closes nothing"},
        {"<a></a x>", 1, 8, "'>' was expected to finish </a>"},
        {"<a></a", 1, 7, "'>' was expected to finish </a>"},
        {"<a\n b='1' b='2'/>", 2, 8, "<a> has the attribute 'b' twice; the first is in line 2, column 2"},
        {"<a b=1/>", 1, 6, "'b' must stand in quotes"},
        {"<a bc/>", 1, 6, "'bc' has no value; write bc=\"...\""},
        {"<a b='1'c='2'/>", 1, 9, "blank"},
        {"<a\n b=\"12 />\n</a>", 2, 4, "the value of the attribute 'b' has no closing \""},
        {"<a b=\"12>\n<c d=\"1\"/></a>", 2, 1,
         "'<' in the value of the attribute 'b', which begins in line 1"},
        {"<a", 1, 1, "<a> is not finished"},
        {"<a b='1'", 1, 1, "<a> is not finished"},
        {"<a>x & y</a>", 1, 6, "&amp;"},
        {"<a b='&x y'/>", 1, 7, "&amp;"},
        {"<a>&nbsp;</a>", 1, 4, "'&nbsp;' is not known"},
        {"<a b='1\n&nbsp;'/>", 2, 1, "'&nbsp;' is not known"},
        {"<a>&#0;</a>", 1, 4, "not a character"},
        {"<a b='&#xD800;'/>", 1, 7, "not a character"},
        {"<a>1 < 2</a>", 1, 6, "&lt;"},
        {"<a>\n <!-- x\n</a>", 2, 2, "the comment has no end"},
        {"<a>\n<![CDATA[ x\n</a>", 2, 1, "the CDATA section has no end"},
        {"<a>\n<?x y\n</a>", 2, 1, "the instruction has no end"},
        {"<a>]]></a>", 1, 4, "]]&gt;"},
        {"\n<?xml version='1.0'?><a/>", 2, 6, "very beginning"},
        {"<?xml version='1.0'><a/>", 1, 20, "first line"},
        {"<?xml version='1.0' encoding='KLINGON'?><a/>", 1, 0, "'KLINGON'"},
        {"<?xml version='1.0' encoding='UTF-7'?><a/>", 1, 0, "'UTF-7'"},
        {"<a>\n \x01</a>", 2, 2, "0x01"},
        {"<a>\n \xff</a>", 2, 2, "UTF-8"},
        {"<a>\xc0\x80</a>", 1, 4, "UTF-8"},
        {"<a>\xed\xa0\x80</a>", 1, 4, "UTF-8"},
        {"<a>\xc3", 1, 4, "UTF-8"},
        {"<a>\xef\xbf\xbf</a>", 1, 4, "not allow"},
        {"<a><!DOCTYPE b></a>", 1, 4, "comment"},
        {"<!DOCTYPE a [<!ELEMENT a ANY>]><a/>", 1, 13, "DOCTYPE"},
    };
    for (size_t i = 0; i < TAC_COUNT(cases); i++)
        check_fails(cases[i].text, false, cases[i].line, cases[i].column, cases[i].part);
}

static void test_zero_bytes_are_refused(void **state) {
    (void)state;
    static const char text[] = "<a>\n\0</a>";
    TacXml xml;
    TacError error;
    assert_int_equal(tac_xml_parse(&xml, "f", text, sizeof text - 1, true, &error), TAC_BAD_INPUT);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 1);
}

static void test_wrong_bytes_of_an_encoding(void **state) {
    (void)state;
    TacXml xml;
    TacError error;
    // half a character at the end, and half a pair of surrogates
    assert_int_equal(tac_xml_parse(&xml, "f", "<\0a\0/\0>\0\n", 9, false, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "UTF-16LE"));
    assert_int_equal(tac_xml_parse(&xml, "f", "<\0a\0>\0\n\0\0\xd8<\0", 12, false, &error), TAC_BAD_INPUT);
    assert_int_equal(error.line, 2);
}

// --- limits

static void test_entity_bombs_are_refused(void **state) {
    (void)state;
    const char *bombs[] = {
        "<!DOCTYPE a [<!ENTITY x '1'><!ENTITY y '&x;&x;&x;&x;&x;&x;'><!ENTITY z '&y;&y;&y;&y;'>]><a>&z;</a>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://localhost/x'>%x;]><a/>",
        "<!DOCTYPE a SYSTEM 'x.dtd' [<!ENTITY x 'y'>]><a b='&x;'/>",
    };
    for (size_t i = 0; i < TAC_COUNT(bombs); i++)
        for (int lenient = 0; lenient < 2; lenient++)
            check_fails(bombs[i], lenient, 1, (int)(strchr(bombs[i], '[') - bombs[i]) + 1, "entities");
}

static char *nested(size_t depth) {
    char *text = malloc(depth * 7 + 1);
    for (size_t i = 0; i < depth; i++) memcpy(text + 3 * i, "<a>", 3);
    for (size_t i = 0; i < depth; i++) memcpy(text + 3 * depth + 4 * i, "</a>", 4);
    text[depth * 7] = 0;
    return text;
}

static void test_nesting_has_a_limit(void **state) {
    (void)state;
    char *text = nested(TAC_XML_MOST_DEPTH);
    TacXml xml = parse(text, false);
    size_t depth = 0;
    for (const TacXmlElement *element = xml.root; element; element = element->first_child) depth++;
    assert_int_equal(depth, TAC_XML_MOST_DEPTH);
    tac_xml_destroy(&xml);
    free(text);
    static const size_t depths[] = {TAC_XML_MOST_DEPTH + 1, 100000};
    for (size_t i = 0; i < TAC_COUNT(depths); i++) {
        text = nested(depths[i]);
        check_fails(text, false, 1, 3 * TAC_XML_MOST_DEPTH + 1, "256 deep");
        // never closed
        text[3 * depths[i]] = 0;
        check_fails(text, true, 1, 3 * TAC_XML_MOST_DEPTH + 1, "256 deep");
        free(text);
    }
}

static void test_attributes_have_a_limit(void **state) {
    (void)state;
    for (int more = 0; more < 2; more++) {
        char *text = NULL;
        size_t n = 0, capacity = 0;
        assert_true(tac_grow(&text, &capacity, 10000000, 1));
        n += (size_t)sprintf(text, "<a");
        int count = more ? 500000 : TAC_XML_MOST_ATTRIBUTES;
        for (int i = 0; i < count; i++) n += (size_t)sprintf(text + n, "\nn%d='%d'", i, i);
        sprintf(text + n, "/>");
        if (more) {
            check_fails(text, false, TAC_XML_MOST_ATTRIBUTES + 2, 1, "256 attributes");
        } else {
            TacXml xml = parse(text, false);
            assert_int_equal(xml.root->attribute_count, count);
            assert_string_equal(tac_xml_attribute(xml.root, "n255")->value, "255");
            assert_int_equal(tac_xml_attribute(xml.root, "n255")->line, 257);
            tac_xml_destroy(&xml);
        }
        free(text);
    }
}

static void test_names_have_a_limit(void **state) {
    (void)state;
    char *text = malloc(100010);
    for (int length = TAC_XML_LONGEST_NAME; length <= TAC_XML_LONGEST_NAME + 1; length++) {
        text[0] = '<';
        memset(text + 1, 'n', (size_t)length);
        strcpy(text + 1 + length, "/>");
        if (length <= TAC_XML_LONGEST_NAME) {
            TacXml xml = parse(text, false);
            assert_int_equal(strlen(xml.root->name), length);
            tac_xml_destroy(&xml);
        } else {
            check_fails(text, false, 1, 2, "nnn...");
        }
    }
    free(text);
}

static void test_long_values_are_whole(void **state) {
    (void)state;
    enum { NUMBERS = 3400000 };
    // about 20 MB, with and without what makes libxml2 copy it character by character
    for (int style = 0; style < 3; style++) {
        size_t capacity = 0, n = 0;
        char *text = NULL;
        assert_true(tac_grow(&text, &capacity, NUMBERS * 6 + 100, 1));
        n += (size_t)sprintf(text, style == 2 ? "<a>" : "<a position=\"");
        size_t start = n;
        for (int i = 0; i < NUMBERS; i++) {
            memcpy(text + n, "12345", 5);
            text[n + 1] = (char)('0' + i % 10);
            text[n + 5] = style == 1 && i % 100 == 99 ? '\n' : ' ';
            n += 6;
        }
        memcpy(text + n, "end", 3);
        n += 3;
        strcpy(text + n, style == 2 ? "</a>" : "\"><b/></a>");
        TacXml xml = parse(text, style == 1);
        const char *value = style == 2 ? xml.root->text : xml.root->attributes[0].value;
        assert_int_equal(strlen(value), n - start);
        for (size_t i = 0; i < n - start; i++) {
            char expected = text[start + i] == '\n' ? ' ' : text[start + i];
            if (value[i] != expected) fail_msg("differs at %zu", i);
        }
        if (style == 1) {
            assert_int_equal(xml.root->first_child->line, 1 + NUMBERS / 100);
            int line, column;
            tac_xml_value_place(&xml, &xml.root->attributes[0], 600 * 1000 + 7, &line, &column);
            assert_int_equal(line, 1001);
            assert_int_equal(column, 8);
        }
        tac_xml_destroy(&xml);
        free(text);
    }
}

// --- files

static void test_files_that_are_none(void **state) {
    (void)state;
    TacXml xml;
    TacError error;
    assert_int_equal(tac_xml_read(&xml, "/", true, &error), TAC_BAD_INPUT);
    assert_string_equal(error.file, "/");
    assert_int_equal(tac_xml_read(&xml, "/dev/zero", true, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_xml_read(&xml, "/no/such/file", true, &error), TAC_BAD_INPUT);
    assert_null(xml.root);
    tac_xml_destroy(&xml);
}

static const char *shared_folder(void) {
    static char path[4096];
    const char *given = getenv("TACTUS_SHARED"), *source = getenv("TACTUS_SOURCE");
    if (given) return given;
    if (source) {
        snprintf(path, sizeof path, "%s/../shared", source);
        return path;
    }
    snprintf(path, sizeof path, "%s", __FILE__);
    char *slash = strrchr(path, '/');
    snprintf(slash ? slash : path, sizeof path - strlen(path), "%s/../../shared", slash ? "" : ".");
    return path;
}

static void trim(char *text) {
    size_t begin = strspn(text, " \t\r\n"), end = strlen(text);
    while (end > begin && strchr(" \t\r\n", text[end - 1])) end--;
    memmove(text, text + begin, end - begin);
    text[end - begin] = 0;
}

// Direct text and CDATA of a node of libxml2's tree, trimmed.
static void dom_text(const xmlNode *node, char *text, size_t size) {
    size_t n = 0;
    text[0] = 0;
    for (const xmlNode *child = node->children; child; child = child->next) {
        if (child->type != XML_TEXT_NODE && child->type != XML_CDATA_SECTION_NODE) continue;
        size_t length = strlen((const char *)child->content);
        assert_true(n + length < size);
        memcpy(text + n, child->content, length + 1);
        n += length;
    }
    trim(text);
}

// Start of a line (1-based) of a text.
static const char *line_start(const char *text, int line) {
    while (--line > 0) text = strchr(text, '\n') + 1;
    return text;
}

static size_t check_against_dom(const TacXmlElement *element, const xmlNode *node, const char *source) {
    static char text[100000];
    assert_string_equal(element->name, node->name);
    dom_text(node, text, sizeof text);
    assert_string_equal(element->text, text);
    // the place is that of "<name"
    const char *at = line_start(source, element->line) + element->column - 1;
    assert_true(at[0] == '<');
    assert_memory_equal(at + 1, element->name, strlen(element->name));
    // libxml2's line is where the start tag ends
    assert_true(element->line <= xmlGetLineNo(node));
    size_t i = 0, count = 1;
    for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next, i++) {
        assert_true(i < element->attribute_count);
        const TacXmlAttribute *ours = &element->attributes[i];
        xmlChar *value = xmlNodeGetContent((const xmlNode *)attribute);
        assert_string_equal(ours->name, attribute->name);
        assert_string_equal(ours->value, value);
        xmlFree(value);
        at = line_start(source, ours->line) + ours->column - 1;
        assert_memory_equal(at, ours->name, strlen(ours->name));
        at = line_start(source, ours->value_line) + ours->value_column - 1;
        assert_true(at[-1] == '"' || at[-1] == '\'');
        if (ours->value[0] && at[0] != '&' && !strchr("\t\r\n", at[0]))
            assert_int_equal(at[0], ours->value[0]);
    }
    assert_int_equal(i, element->attribute_count);
    const TacXmlElement *child = element->first_child;
    for (const xmlNode *n = node->children; n; n = n->next) {
        if (n->type != XML_ELEMENT_NODE) continue;
        assert_non_null(child);
        count += check_against_dom(child, n, source);
        child = child->next;
    }
    assert_null(child);
    return count;
}

static size_t files_read, elements_read, files_repaired;

static int check_file(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info, (void)where;
    const char *dot = strrchr(path, '.');
    if (type != FTW_F || !dot || (strcmp(dot, ".scn") != 0 && strcmp(dot, ".xml") != 0)) return 0;
    TacXml xml;
    TacError error;
    if (tac_xml_read(&xml, path, true, &error) != TAC_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    files_read++;
    files_repaired += xml.warning_count > 0;
    xmlDoc *document = xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (document) {
        assert_int_equal(xml.warning_count, 0);
        elements_read += check_against_dom(xml.root, xmlDocGetRootElement(document), xml.source);
        xmlFreeDoc(document);
    }
    tac_xml_destroy(&xml);
    return 0;
}

static void test_files_of_other_programs(void **state) {
    (void)state;
    char path[5000];
    snprintf(path, sizeof path, "%s/sofa/examples", shared_folder());
    if (access(path, R_OK) != 0) {
        print_message("[  SKIP  ] there is no folder %s; set TACTUS_SHARED\n", path);
        skip();
    }
    assert_int_equal(nftw(path, check_file, 16, 0), 0);
    print_message("%zu files with %zu elements; %zu needed repairs\n", files_read, elements_read,
                  files_repaired);
    assert_true(files_read > 0 && elements_read > files_read);
}

// --- manners

// Nothing of libxml2's that others share is touched: its handlers stay what they were.
static void count_complaint(void *data, const char *format, ...) {
    (void)format;
    ++*(int *)data;
}

static void test_nothing_is_printed_or_left_behind(void **state) {
    (void)state;
    int complaints = 0;
    xmlSetGenericErrorFunc(&complaints, count_complaint);
    check_fails("<a>\n</b>", false, 2, 1, "</b>");
    check_fails("<a:b q:c='1'/><x/>", false, 1, 15, "outermost");
    check_fails("<?xml version='1.0' encoding='Shift_JIS'?><a>\x81", false, 1, 0, "Shift_JIS");
    assert_int_equal(complaints, 0);
    assert_ptr_equal(xmlGenericErrorContext, &complaints);
    xmlSetGenericErrorFunc(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_of_a_small_scene),
        cmocka_unit_test(test_references_and_quotes),
        cmocka_unit_test(test_columns_count_bytes),
        cmocka_unit_test(test_prefixes_stay_and_namespaces_go),
        cmocka_unit_test(test_doctype_is_passed_over),
        cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_places_inside_values),
        cmocka_unit_test(test_lenient_repairs_and_warns),
        cmocka_unit_test(test_lenient_errors_have_the_original_place),
        cmocka_unit_test(test_lenient_has_a_limit),
        cmocka_unit_test(test_errors_say_what_and_where),
        cmocka_unit_test(test_zero_bytes_are_refused),
        cmocka_unit_test(test_wrong_bytes_of_an_encoding),
        cmocka_unit_test(test_entity_bombs_are_refused),
        cmocka_unit_test(test_nesting_has_a_limit),
        cmocka_unit_test(test_attributes_have_a_limit),
        cmocka_unit_test(test_names_have_a_limit),
        cmocka_unit_test(test_long_values_are_whole),
        cmocka_unit_test(test_files_that_are_none),
        cmocka_unit_test(test_files_of_other_programs),
        cmocka_unit_test(test_nothing_is_printed_or_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
