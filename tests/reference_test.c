// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// All that is made from the tables of the classes: nothing is undocumented, docs/components.md is what the
// registry says, the schema takes every scene that the loader takes, and every scene shown in a page works.

#define _GNU_SOURCE
#include "scene/tree.h"
#include "scene_checks.h"

#include <dirent.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>

// --- texts and files
// ----------------------------------------------------------------------------------------

typedef struct Text {
    char *data;
    size_t count, capacity;
} Text;

static bool collect(void *data, const char *text, size_t length) {
    Text *t = data;
    if (!tac_grow(&t->data, &t->capacity, t->count + length + 1, 1)) return false;
    memcpy(t->data + t->count, text, length);
    t->count += length;
    t->data[t->count] = 0;
    return true;
}

static const char *source_folder(void) {
    const char *folder = getenv("TACTUS_SOURCE");
    return folder ? folder : ".";
}

static char *read_source(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", source_folder(), name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    Text text = {0};
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) assert_true(collect(&text, block, n));
    fclose(file);
    return text.data;
}

// Calls `each` with all files of a folder of the sources whose names end in `ending`.
static size_t for_files(const char *folder, const char *ending, void (*each)(const char *name)) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", source_folder(), folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name), e = strlen(ending);
        if (n < e || strcmp(entry->d_name + n - e, ending) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        each(path);
        count++;
    }
    closedir(dir);
    return count;
}

// --- nothing is undocumented
// --------------------------------------------------------------------------------

// What of a class is not as it should be; NULL when nothing is. `where` receives the attribute.
static bool is_numeric(TacType type) {
    return type == TAC_INT || type == TAC_REAL || type == TAC_VECTOR || type == TAC_REALS || type == TAC_INTS;
}

static bool is_sentence(const char *doc) {
    size_t n = doc ? strlen(doc) : 0;
    return n > 3 && doc[n - 1] == '.';
}

static size_t field_size(TacType type) {
    switch (type) {
    case TAC_BOOL: return sizeof(bool);
    case TAC_INT: return sizeof(int64_t);
    case TAC_REAL: return sizeof(double);
    case TAC_VECTOR: return sizeof(TacVec3);
    case TAC_CHOICE: return sizeof(int);
    case TAC_REALS: return sizeof(TacReals);
    case TAC_INTS: return sizeof(TacInts);
    default: return sizeof(void *);
    }
}

static const char *default_problem(const TacAttribute *a) {
    if (!a->initial) return a->flags & TAC_OUTPUT ? "an output cannot be required" : NULL;
    if (!*a->initial)
        return a->type == TAC_BOOL || a->type == TAC_INT || a->type == TAC_CHOICE
                   ? "no default means nothing for its type"
                   : NULL;
    if (a->type == TAC_LINK) return "a link has no default";
    TacArena arena = {0};
    TacValue value;
    TacError error;
    TacStatus status = tac_value_parse(&arena, a, a->initial, (TacPlace){0}, "", &value, &error);
    tac_arena_destroy(&arena);
    return status == TAC_OK ? NULL : "its default is not a value of its type";
}

static const char *attribute_problem(const TacClass *cls, size_t i) {
    const TacAttribute *a = &cls->attributes[i];
    if (!a->name || !*a->name) return "has no name";
    if (!is_sentence(a->doc)) return "has no sentence";
    if (!a->unit || (is_numeric(a->type) && !*a->unit)) return "has no unit";
    if (a->offset < sizeof(TacComponent) || a->offset + field_size(a->type) > cls->size)
        return "lies outside of its struct";
    for (size_t k = 0; k < i; k++) {
        const TacAttribute *b = &cls->attributes[k];
        if (!strcmp(a->name, b->name)) return "is there twice";
        if (a->offset < b->offset + field_size(b->type) && b->offset < a->offset + field_size(a->type))
            return "shares its field with another";
    }
    if (!strcmp(a->name, "name") || !strcmp(a->name, "version"))
        return "has a name that means something else";
    if (a->type == TAC_CHOICE && (!a->accepts || !*a->accepts)) return "has no choices";
    if (a->type == TAC_LINK && !a->accepts) return "does not say what it leads to";
    return default_problem(a);
}

static const char *class_problem(const TacClass *cls, const char **where) {
    *where = "";
    if (!cls->name || !(cls->name[0] >= 'A' && cls->name[0] <= 'Z')) return "has no name, or a small one";
    if (!is_sentence(cls->doc)) return "has no sentence";
    if (cls->size < sizeof(TacComponent)) return "is smaller than its head";
    for (size_t i = 0; i < cls->attribute_count; i++) {
        *where = cls->attributes[i].name;
        const char *problem = attribute_problem(cls, i);
        if (problem) return problem;
    }
    return NULL;
}

static void test_everything_is_documented(void **state) {
    (void)state;
    TacScene *scene = empty_scene();
    assert_true(tac_scene_class_count(scene) > 30);
    int problems = 0;
    for (size_t i = 0; i < tac_scene_class_count(scene); i++) {
        const TacClass *cls = tac_scene_class(scene, i);
        const char *where, *problem = class_problem(cls, &where);
        if (problem) print_error("%s.%s %s\n", cls->name, where, problem);
        problems += problem != NULL;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(cls->name, tac_scene_class(scene, k)->name)) fail_msg("%s is there twice", cls->name);
    }
    assert_int_equal(problems, 0);
    tac_scene_destroy(scene);
}

// Each rule above, broken on purpose.
static void test_what_is_missing_is_found(void **state) {
    (void)state;
    typedef struct Small {
        TacComponent base;
        double a, b;
        int c;
    } Small;
    const TacAttribute good = {"a",         TAC_REAL, offsetof(Small, a), "m", "1",
                               "A length.", NULL,     TAC_POSITIVE,       0};
    TacAttribute two[2] = {good, good};
    TacClass cls = {.name = "Small", .doc = "It is small.", .size = sizeof(Small), .attributes = two};
    const char *where;
    two[1].name = "b";
    two[1].offset = offsetof(Small, b);
    cls.attribute_count = 2;
    const TacAttribute second = two[1];
    assert_null(class_problem(&cls, &where));
#define BROKEN(change)                                                                                       \
    do {                                                                                                     \
        two[1] = second;                                                                                     \
        change;                                                                                              \
        if (!class_problem(&cls, &where)) fail_msg("not found: %s", #change);                                \
    } while (0)
    BROKEN(two[1].name = "a");
    BROKEN(two[1].doc = "");
    BROKEN(two[1].doc = NULL);
    BROKEN(two[1].doc = "no full stop");
    BROKEN(two[1].unit = "");
    BROKEN(two[1].unit = NULL);
    BROKEN(two[1].offset = sizeof(Small));
    BROKEN(two[1].offset = sizeof(Small) - 4);
    BROKEN(two[1].offset = 0);
    BROKEN(two[1].offset = offsetof(Small, a) + 4);
    BROKEN(two[1].initial = "x");
    BROKEN(two[1].initial = "0");
    BROKEN(two[1].initial = "1 2");
    BROKEN((two[1].type = TAC_INT, two[1].initial = ""));
    BROKEN((two[1].type = TAC_LINK, two[1].initial = ""));
    BROKEN((two[1].type = TAC_CHOICE, two[1].accepts = "x|y", two[1].initial = "z"));
    BROKEN((two[1].type = TAC_CHOICE, two[1].initial = "x"));
    two[1] = second;
    cls.doc = "";
    assert_non_null(class_problem(&cls, &where));
}

// --- the page
// -----------------------------------------------------------------------------------------------

static void test_page_is_what_the_registry_says(void **state) {
    (void)state;
    TacScene *scene = empty_scene();
    Text page = {0};
    assert_true(tac_scene_reference(scene, NULL, collect, &page));
    char *stored = read_source("docs/components.md");
    if (!stored || strcmp(stored, page.data) != 0) {
        size_t line = 1;
        for (size_t i = 0; stored && stored[i] && stored[i] == page.data[i]; i++) line += stored[i] == '\n';
        fail_msg("docs/components.md is not what the registry says (line %zu); refresh it with\n"
                 "    build/tactus components --all > docs/components.md",
                 line);
    }
    free(stored);
    free(page.data);
    tac_scene_destroy(scene);
}

static void test_pages_of_single_classes(void **state) {
    (void)state;
    TacScene *scene = empty_scene();
    for (size_t i = 0; i < tac_scene_class_count(scene); i++) {
        const TacClass *cls = tac_scene_class(scene, i);
        Text page = {0};
        assert_true(tac_scene_reference(scene, cls->name, collect, &page));
        char heading[128];
        snprintf(heading, sizeof heading, "# %s\n", cls->name);
        assert_int_equal(strncmp(page.data, heading, strlen(heading)), 0);
        for (size_t k = 0; k < cls->attribute_count; k++) {
            char cell[128];
            snprintf(cell, sizeof cell, "\n| `%s` |", cls->attributes[k].name);
            if (!strstr(page.data, cell)) fail_msg("%s: no row for %s", cls->name, cls->attributes[k].name);
        }
        free(page.data);
    }
    Text page = {0};
    assert_false(tac_scene_reference(scene, "Nothing", collect, &page));
    assert_null(page.data);
    assert_true(tac_scene_reference(scene, "Tetrahedra", collect, &page));
    assert_non_null(strstr(page.data, "Works on Vec3."));
    assert_non_null(strstr(page.data, "**required**"));
    assert_non_null(strstr(page.data, "`polar`, `qr`"));
    free(page.data);
    page = (Text){0};
    assert_true(tac_scene_reference(scene, "Plane", collect, &page));
    assert_non_null(strstr(page.data, "May change while time runs."));
    free(page.data);
    tac_scene_destroy(scene);
}

static bool refuse_after_ten(void *data, const char *text, size_t length) {
    (void)text;
    (void)length;
    return ++*(int *)data < 10;
}

static void test_a_sink_that_stops(void **state) {
    (void)state;
    TacScene *scene = empty_scene();
    int calls = 0;
    assert_false(tac_scene_reference(scene, NULL, refuse_after_ten, &calls));
    assert_int_equal(calls, 10);
    calls = 0;
    assert_false(tac_scene_schema(scene, refuse_after_ten, &calls));
    assert_int_equal(calls, 10);
    tac_scene_destroy(scene);
}

// --- the schema
// ---------------------------------------------------------------------------------------------

static xmlRelaxNGPtr schema;

static void keep_quiet(void *data, const char *format, ...) {
    (void)data;
    (void)format;
}

static int load_schema(void **state) {
    (void)state;
    TacScene *scene = empty_scene();
    Text text = {0};
    assert_true(tac_scene_schema(scene, collect, &text));
    tac_scene_destroy(scene);
    xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewMemParserCtxt(text.data, (int)text.count);
    assert_non_null(parser);
    schema = xmlRelaxNGParse(parser);
    xmlRelaxNGFreeParserCtxt(parser);
    free(text.data);
    return schema ? 0 : -1;
}

static int free_schema(void **state) {
    (void)state;
    xmlRelaxNGFree(schema);
    return 0;
}

static bool is_valid(const char *text) {
    xmlDocPtr doc = xmlReadMemory(text, (int)strlen(text), "test.tac", NULL, XML_PARSE_NONET);
    assert_non_null(doc);
    xmlRelaxNGValidCtxtPtr valid = xmlRelaxNGNewValidCtxt(schema);
    xmlRelaxNGSetValidErrors(valid, keep_quiet, keep_quiet, NULL);
    int result = xmlRelaxNGValidateDoc(valid, doc);
    xmlRelaxNGFreeValidCtxt(valid);
    xmlFreeDoc(doc);
    assert_true(result >= 0);
    return result == 0;
}

static void test_schema_takes(void **state) {
    (void)state;
    static const char *const texts[] = {
        "<tactus version='1'/>",
        "<tactus version='1' dt='1e-3' gravity='0 -9.81 0' up='z' title='A, b and c' duration='.5'/>",
        "<tactus version='1' dt='${step}'><param name='step' default='1' doc='x'/></tactus>",
        SCENE("<node><node name='a_b-1'/><include file='x.tac' name='n' height='3' any='thing'/></node>"),
        SCENE("<node name='n${i}'><Camera name='c' eye='1, 2, 3'/></node>"),
        SMALL_AGENT("<Springs matter='@../points' stiffness='1 2,3' pairs='0 1, 2-7 0-10-2' stable='off'/>"),
        SMALL_AGENT("<FixedPoints points='@x.points' box='\n 0 0 0\n 1 1 1\n'/>"),
        SMALL_AGENT("<Plane stiffness='@p.stiffness' friction='${a*2}'/>"),
        SMALL_AGENT("<Springs stiffness='5' pairs=''/>"),
        SCENE("<node/><param name='a' default='1'/><node/><param name='b' default='1'/><Record/>"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!is_valid(texts[i])) fail_msg("the schema refuses %s", texts[i]);
}

static void test_schema_refuses(void **state) {
    (void)state;
    static const char *const texts[] = {
        "<tactus/>",
        "<tactus version='2'/>",
        "<scene version='1'/>",
        "<tactus version='1' dt='0'/>",
        "<tactus version='1' dt='INF'/>",
        "<tactus version='1' dt='NaN'/>",
        "<tactus version='1' up='x'/>",
        "<tactus version='1' gravity='0 1'/>",
        "<tactus version='1' gravity='0 a 1'/>",
        "<tactus version='1' color='0 1 1'/>",
        SCENE("text"),
        SCENE("<World/>"),
        SCENE("<Pionts/>"),
        SCENE("<Camera/>"),
        SCENE("<param name='a'/>"),
        SCENE("<node><param name='a' default='1'/></node>"),
        SCENE("<include name='a'/>"),
        SCENE("<node name='a b'/>"),
        SCENE("<node nmae='a'/>"),
        IN_NODE("<Points>x</Points>"),
        IN_NODE("<Points><Points/></Points>"),
        IN_NODE("<Points dimension='1.5'/>"),
        IN_NODE("<Points dimension='0'/>"),
        IN_NODE("<Points positions='0 0 x'/>"),
        IN_NODE("<Grid points='0 0 0'/>"),
        SMALL_AGENT("<Springs/>"),
        SMALL_AGENT("<Springs stiffness='-1'/>"),
        SMALL_AGENT("<Springs stiffness='1' pairs='0 -1'/>"),
        SMALL_AGENT("<Springs stiffness='1' matter='points'/>"),
        SMALL_AGENT("<Springs stiffness='1' pull_only='maybe'/>"),
        SMALL_AGENT("<Look color='0 0 2'/>"),
        SMALL_AGENT("<Look visible='perhaps'/>"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (is_valid(texts[i])) fail_msg("the schema takes %s", texts[i]);
}

// What the loader takes, the schema takes.
static void check_against_schema(const char *name) {
    char *text = read_source(name);
    assert_non_null(text);
    TacScene *scene = empty_scene();
    TacError error;
    bool loads = tac_scene_parse(scene, name, text, strlen(text), &error) == TAC_OK;
    if (loads && !is_valid(text)) fail_msg("%s loads, but the schema refuses it", name);
    tac_scene_destroy(scene);
    free(text);
}

static void test_schema_agrees_with_the_loader(void **state) {
    (void)state;
    assert_true(for_files("tests/corpus/scene", ".tac", check_against_schema) > 20);
}

// Values at the borders of what the loader takes: the schema must take at least those.
static void test_schema_is_not_stricter(void **state) {
    (void)state;
    static const char *const reals[] = {"1",   "+1",    "-1",   ".5",    "5.",  "1e5",  "1E-5", " 1 ",
                                        "1,",  "1e+05", "0x10", "nan",   "inf", "1 2",  "",     "1.2.3",
                                        "--1", "1e",    "@a.b", "\t2\n", "-0",  "1e999"};
    static const char *const ints[] = {"1",   "01",    "+1",    "-3", " 7 ", "1.0",
                                       "1-3", "1-9-2", "1 , 2", "3-", "a"};
    char text[512];
    for (size_t i = 0; i < sizeof reals / sizeof reals[0] + sizeof ints / sizeof ints[0]; i++) {
        size_t r = sizeof reals / sizeof reals[0];
        const char *v = i < r ? reals[i] : ints[i - r];
        snprintf(text, sizeof text,
                 i < r ? IN_NODE("<Points positions='%s'/><Plane offset='%s'/><Line from='1 %s 2'/>")
                       : IN_NODE("<ConstantForce points='%s'/><Points dimension='%s'/><Grid counts='%s'/>"),
                 v, v, v);
        TacScene *scene = empty_scene();
        TacError error;
        bool loads = tac_scene_parse(scene, "test.tac", text, strlen(text), &error) == TAC_OK;
        if (loads && !is_valid(text)) fail_msg("\"%s\" loads, but the schema refuses it", v);
        tac_scene_destroy(scene);
    }
}

// --- scenes in pages
// ----------------------------------------------------------------------------------------

static size_t examples;

static void check_block(const char *name, char *text) {
    TacScene *scene = empty_scene();
    TacError error;
    char line[2048];
    TacWorld *world = try_text(scene, text, &error);
    if (!world) fail_msg("%s: %s\n%s", name, tac_error_text(&error, line, sizeof line), text);
    if (tac_world_advance_beats(world, 3, &error) != TAC_OK) fail_msg("%s: %s", name, error.message);
    for (size_t i = 0; i < tac_scene_message_count(scene); i++)
        fail_msg("%s: %s", name, tac_scene_message(scene, i)->error.message);
    if (!is_valid(text)) fail_msg("%s: the schema refuses\n%s", name, text);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    examples++;
}

static void check_page(const char *name) {
    char *page = read_source(name);
    if (!page) return;
    for (char *block = page; (block = strstr(block, "```xml\n"));) {
        block += strlen("```xml\n");
        char *end = strstr(block, "\n```");
        if (!end) fail_msg("%s: a block that does not end", name);
        *end = 0;
        if (!strncmp(block, "<tactus", 7)) check_block(name, block);
        block = end + 4;
    }
    free(page);
}

static void test_scenes_in_pages_work(void **state) {
    (void)state;
    examples = 0;
    for_files("docs", ".md", check_page);
    assert_true(examples >= 4);
    check_page("README.md");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_is_documented),
        cmocka_unit_test(test_what_is_missing_is_found),
        cmocka_unit_test(test_page_is_what_the_registry_says),
        cmocka_unit_test(test_pages_of_single_classes),
        cmocka_unit_test(test_a_sink_that_stops),
        cmocka_unit_test(test_schema_takes),
        cmocka_unit_test(test_schema_refuses),
        cmocka_unit_test(test_schema_agrees_with_the_loader),
        cmocka_unit_test(test_schema_is_not_stricter),
        cmocka_unit_test(test_scenes_in_pages_work),
    };
    return cmocka_run_group_tests(tests, load_schema, free_schema);
}
