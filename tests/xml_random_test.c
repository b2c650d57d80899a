// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of the XML reader on random documents: the writer keeps count of places and values while it writes,
// so that it knows what must be read. The same documents, cut and mutated, must never do harm.

#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/random.h"
#include "xml_checks.h"

#include <pthread.h>
#include <stdio.h>

// --- random documents, whose writer keeps count

typedef struct Expected {
    char name[16], value[200];
    int line, column, value_line, value_column;
} Expected;

typedef struct ExpectedElement {
    char name[16], text[2000];
    int line, column, depth;
    Expected attributes[6];
    size_t attribute_count;
} ExpectedElement;

enum { MOST_ELEMENTS = 60 };

typedef struct Writer {
    TacRandom random;
    char text[200000];
    size_t bytes;
    int line, column;
    ExpectedElement elements[MOST_ELEMENTS];
    size_t element_count;
    int warnings;
    bool sloppy; // leaves repairs to be made
} Writer;

static uint32_t below(Writer *w, uint32_t n) {
    return tac_random_bits(&w->random) % n;
}

static void write_text(Writer *w, const char *text) {
    for (; *text; text++) {
        w->text[w->bytes++] = *text;
        w->column++;
        if (*text == '\n') {
            w->line++;
            w->column = 1;
        }
    }
    w->text[w->bytes] = 0;
}

static void write_blanks(Writer *w, uint32_t least) {
    static const char *const blanks[] = {" ", "\t", "\n", "\r\n", "  "};
    for (uint32_t n = least + below(w, 3); n > 0; n--) write_text(w, blanks[below(w, TAC_COUNT(blanks))]);
}

// One piece of a text or value: what is written, and what it means.
static void write_piece(Writer *w, char *meaning, bool value, char quote) {
    static const struct {
        const char *written, *value, *text;
    } pieces[] = {
        {"abc", "abc", "abc"},  {"1 2", "1 2", "1 2"}, {"\n", " ", "\n"},
        {"\r\n", " ", "\n"},    {"\t", " ", "\t"},     {"&lt;", "<", "<"},
        {"&amp;", "&", "&"},    {"&gt;", ">", ">"},    {"&#65;", "A", "A"},
        {"&#x0a;", "\n", "\n"}, {">", ">", ">"},       {"\xc3\xa9", "\xc3\xa9", "\xc3\xa9"},
        {"&quot;", "\"", "\""}, {"&apos;", "'", "'"},  {"/>", "/>", "/>"},
        {"=", "=", "="},        {"--", "--", "--"},    {"&#8364;", "\xe2\x82\xac", "\xe2\x82\xac"},
    };
    uint32_t kind = below(w, 24);
    if (kind < TAC_COUNT(pieces)) {
        write_text(w, pieces[kind].written);
        strcat(meaning, value ? pieces[kind].value : pieces[kind].text);
    } else if (value && kind < 20) {
        const char *other = quote == '"' ? "'" : "\"";
        write_text(w, other);
        strcat(meaning, other);
    } else if (w->sloppy && kind < 22) {
        // blanks on both sides, so that no reference is made with what stands around
        write_text(w, " & ");
        strcat(meaning, " & ");
        w->warnings++;
    } else if (w->sloppy && value) {
        write_text(w, "<b>");
        strcat(meaning, "<b>");
        w->warnings++;
    }
}

static void write_attribute(Writer *w, ExpectedElement *element) {
    Expected *attribute = &element->attributes[element->attribute_count];
    // no blank is a slip only behind another attribute
    if (w->sloppy && element->attribute_count && below(w, 4) == 0)
        w->warnings++;
    else
        write_blanks(w, 1);
    attribute->line = w->line;
    attribute->column = w->column;
    snprintf(attribute->name, sizeof attribute->name, "%c%zu", "abcxy:"[below(w, 5)],
             element -> attribute_count);
    element->attribute_count++;
    write_text(w, attribute->name);
    write_blanks(w, 0);
    write_text(w, "=");
    write_blanks(w, 0);
    char quote[2] = {"\"'"[below(w, 2)], 0};
    write_text(w, quote);
    attribute->value_line = w->line;
    attribute->value_column = w->column;
    for (uint32_t n = below(w, 10); n > 0; n--) write_piece(w, attribute->value, true, quote[0]);
    write_text(w, quote);
}

static void write_noise(Writer *w) {
    static const char *const noise[] = {"<!-- <a b=\"1\">\n &x; -->", "<!---->", "<?target <a>\r\n'?>",
                                        "<!-- ' -->"};
    write_text(w, noise[below(w, TAC_COUNT(noise))]);
}

static void write_element(Writer *w, int depth) {
    ExpectedElement *element = &w->elements[w->element_count++];
    element->depth = depth;
    element->line = w->line;
    element->column = w->column;
    snprintf(element->name, sizeof element->name, "%c%u", "NodeXYZ"[below(w, 7)], below(w, 100));
    write_text(w, "<");
    write_text(w, element->name);
    for (uint32_t n = below(w, 6); n > 0; n--) write_attribute(w, element);
    write_blanks(w, 0);
    if (below(w, 4) == 0) {
        write_text(w, "/>");
        return;
    }
    write_text(w, ">");
    for (uint32_t n = below(w, 12); n > 0; n--) {
        uint32_t kind = below(w, 8);
        if (kind < 4)
            write_piece(w, element->text, false, 0);
        else if (kind < 6 && depth < 12 && w->element_count < MOST_ELEMENTS)
            write_element(w, depth + 1);
        else if (kind == 6)
            write_noise(w);
        else {
            write_text(w, "<![CDATA[<q a='&'>]]>");
            strcat(element->text, "<q a='&'>");
        }
    }
    write_text(w, "</");
    write_text(w, element->name);
    write_blanks(w, 0);
    write_text(w, ">");
}

static void write_document(Writer *w, uint64_t seed, bool sloppy) {
    memset(w, 0, sizeof *w);
    w->random = tac_random(seed, 77);
    w->sloppy = sloppy;
    w->line = w->column = 1;
    if (below(w, 2)) write_text(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    write_blanks(w, 0);
    if (below(w, 2)) write_noise(w);
    if (below(w, 4) == 0) write_text(w, "<!DOCTYPE a PUBLIC \"x\" 'y\n<z>'>");
    write_blanks(w, 0);
    write_element(w, 0);
    write_blanks(w, 0);
    if (below(w, 2)) write_noise(w);
}

static void trim(char *text) {
    size_t begin = strspn(text, " \t\r\n"), end = strlen(text);
    while (end > begin && strchr(" \t\r\n", text[end - 1])) end--;
    memmove(text, text + begin, end - begin);
    text[end - begin] = 0;
}

// The tree in the order of the file against the list of what was written.
static size_t check_tree(const TacXmlElement *element, Writer *w, size_t index, int depth) {
    ExpectedElement *expected = &w->elements[index++];
    trim(expected->text);
    assert_int_equal(expected->depth, depth);
    check_element(element, expected->name, expected->line, expected->column, expected->text);
    assert_int_equal(element->attribute_count, expected->attribute_count);
    for (size_t i = 0; i < expected->attribute_count; i++) {
        const Expected *a = &expected->attributes[i];
        check_attribute(element, i, a->name, a->line, a->column, a->value, a->value_line, a->value_column);
    }
    const TacXmlElement *last = NULL;
    for (const TacXmlElement *child = element->first_child; child; child = child->next) {
        assert_ptr_equal(child->parent, element);
        index = check_tree(child, w, index, depth + 1);
        last = child;
    }
    assert_ptr_equal(element->last_child, last);
    return index;
}

static void check_random_documents(bool sloppy) {
    Writer *w = malloc(sizeof *w);
    for (uint64_t seed = 0; seed < 3000; seed++) {
        write_document(w, seed, sloppy);
        // a tidy document reads the same in both modes
        TacXml xml = parse(w->text, sloppy || seed % 2);
        assert_int_equal(check_tree(xml.root, w, 0, 0), w->element_count);
        assert_int_equal(xml.warning_count, w->warnings);
        tac_xml_destroy(&xml);
    }
    free(w);
}

static void test_random_documents(void **state) {
    (void)state;
    check_random_documents(false);
}

static void test_random_sloppy_documents(void **state) {
    (void)state;
    check_random_documents(true);
}

// --- broken documents

// Whatever comes, the answer is a tree or a message with a place.
static void check_survives(const char *text, size_t bytes, bool lenient) {
    TacXml xml;
    TacError error = {0};
    TacStatus status = tac_xml_parse(&xml, "f", text, bytes, lenient, &error);
    if (status == TAC_OK) {
        assert_non_null(xml.root);
    } else {
        if (status != TAC_BAD_INPUT || !error.message[0] || error.line < 1)
            fail_msg("%d %d:%d '%s' for: %.*s", status, error.line, error.column, error.message, (int)bytes,
                     text);
        assert_null(xml.root);
    }
    tac_xml_destroy(&xml);
}

static void test_truncated_at_every_byte(void **state) {
    (void)state;
    Writer *w = malloc(sizeof *w);
    for (uint64_t seed = 0; seed < 30; seed++) {
        write_document(w, seed, seed % 2);
        for (size_t n = 0; n < w->bytes; n++) {
            // from a buffer of exactly that size, so that sanitizers see any step beyond
            char *piece = malloc(n ? n : 1);
            memcpy(piece, w->text, n);
            check_survives(piece, n, false);
            check_survives(piece, n, true);
            free(piece);
        }
    }
    free(w);
}

static void test_truncated_is_never_taken_for_whole(void **state) {
    (void)state;
    const char *text =
        "<?xml version='1.0'?><!-- x --><a b=\"1\" c='&lt;'>\n<d/><![CDATA[x]]>&amp;<?p q?></a>";
    for (size_t n = 0; n < strlen(text); n++)
        for (int lenient = 0; lenient < 2; lenient++) {
            TacXml xml;
            TacError error;
            assert_int_equal(tac_xml_parse(&xml, "f", text, n, lenient, &error), TAC_BAD_INPUT);
            assert_true(error.line >= 1 && error.line <= 2);
        }
}

static void test_random_mutations(void **state) {
    (void)state;
    static const char *const telling[] = {
        "<",         ">",  "&",    "\"", "'",  "/",  "=", "!",     "<!--",          "-->", "]]>", "<?",
        "<![CDATA[", "&#", "\xff", "\n", "\r", "--", ":", "xmlns", "<!DOCTYPE a [", "]>",  "</a>"};
    Writer *w = malloc(sizeof *w);
    TacRandom random = tac_random(99, 1);
    char *text = malloc(sizeof w->text + 200);
    for (uint64_t round = 0; round < 20000; round++) {
        if (round % 50 == 0) write_document(w, round, round % 100 == 0);
        size_t n = w->bytes;
        memcpy(text, w->text, n);
        for (uint32_t k = 1 + tac_random_bits(&random) % 4; k > 0; k--) {
            size_t at = tac_random_bits(&random) % (n + 1);
            const char *piece = telling[tac_random_bits(&random) % TAC_COUNT(telling)];
            size_t length = strlen(piece);
            switch (tac_random_bits(&random) % 4) {
            case 0: // put in
                memmove(text + at + length, text + at, n - at);
                memcpy(text + at, piece, length);
                n += length;
                break;
            case 1: // take out
                if (at < n) memmove(text + at, text + at + 1, n-- - at - 1);
                break;
            case 2: // change
                if (at < n) text[at] = (char)tac_random_bits(&random);
                break;
            default: // cut
                if (tac_random_bits(&random) % 8 == 0) n = at;
            }
        }
        check_survives(text, n, round % 2);
    }
    free(text);
    free(w);
}

// --- threads

static void *read_many(void *data) {
    uint64_t first = *(uint64_t *)data;
    Writer *w = malloc(sizeof *w);
    for (uint64_t seed = first; seed < first + 150; seed++) {
        write_document(w, seed, seed % 2);
        TacXml xml;
        // outside of the main thread cmocka's checks are not allowed: the count comes back instead
        if (tac_xml_parse(&xml, "f", w->text, w->bytes, true, NULL) != TAC_OK) break;
        if (xml.warning_count == (size_t)w->warnings) ++*(uint64_t *)data;
        tac_xml_destroy(&xml);
        w->text[w->bytes / 2] = 0;
        TacError error;
        if (tac_xml_parse(&xml, "f", w->text, w->bytes / 2, false, &error) == TAC_OK) tac_xml_destroy(&xml);
    }
    free(w);
    return NULL;
}

static void test_threads_do_not_see_each_other(void **state) {
    (void)state;
    uint64_t first[4];
    pthread_t threads[4];
    for (uint64_t i = 0; i < 4; i++) {
        first[i] = i * 1000;
        assert_int_equal(pthread_create(&threads[i], NULL, read_many, &first[i]), 0);
    }
    for (uint64_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(first[i], i * 1000 + 150);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_documents),
        cmocka_unit_test(test_random_sloppy_documents),
        cmocka_unit_test(test_truncated_at_every_byte),
        cmocka_unit_test(test_truncated_is_never_taken_for_whole),
        cmocka_unit_test(test_random_mutations),
        cmocka_unit_test(test_threads_do_not_see_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
