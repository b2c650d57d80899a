// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Reading scenes: every kind of mistake is refused where it stands, in words that help. Parameters, includes,
// and building a scene by calls.

#define _GNU_SOURCE
#include "scene_checks.h"

#include <locale.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

// --- the document
// -------------------------------------------------------------------------------------------

static void test_root_and_version(void **state) {
    (void)state;
    REFUSED("~<scene version='1'/>", "expected <tactus version=\"1\">", "<scene>");
    REFUSED("\n  ~<tactus/>", "version=\"1\"");
    REFUSED("<tactus ~version='2'/>", "\"2\" is not known", "version 1");
    REFUSED("<tactus version='1'><node>\n ~</nod></tactus>", "node");
    REFUSED("~<mujoco><worldbody/></mujoco>", "coming-from-mujoco.md");
}

static void test_unknown_components(void **state) {
    (void)state;
    REFUSED(SCENE("\n<node name='a'>\n   ~<Pionts/></node>"), "no component \"Pionts\"",
            "did you mean \"Points\"?");
    REFUSED(SCENE("~<springs stiffness='1'/>"), "did you mean \"Springs\"?");
    REFUSED(SCENE("~<Qwertzuiop/>"), "no component \"Qwertzuiop\"", "--plugin");
    REFUSED(SCENE("~<World dt='1'/>"), "<tactus>");
}

static void test_unknown_attributes(void **state) {
    (void)state;
    REFUSED(IN_NODE("<Points\n ~postions='0 0 0'/>"), "Points has no attribute \"postions\"",
            "did you mean \"positions\"?");
    REFUSED(IN_NODE("<Points ~wxyz='1'/>"), "Points has no attribute \"wxyz\"", "tactus components Points");
    REFUSED("<tactus version='1' ~gravty='0 0 0'/>", "World has no attribute \"gravty\"",
            "did you mean \"gravity\"?");
    REFUSED(SCENE("<node ~nmae='a'/>"), "<node> has no attribute \"nmae\"", "\"name\"");
    REFUSED(SCENE("<param name='a' ~defualt='2'/>"), "<param> has no attribute", "\"default\"");
    REFUSED(IN_NODE("<Grid ~points='0 0 0'/>"), "points is what Grid makes", "linked to");
    // names that it has elsewhere
    REFUSED(SCENE("<Camera ~fov='30'/>"), "did you mean \"field_of_view\"?");
    REFUSED(SMALL_AGENT("<Tetrahedra ~youngModulus='3'/>"), "did you mean \"young\"?");
    REFUSED(SMALL_AGENT("<FixedPoints ~indices='0'/>"), "did you mean \"points\"?");
}

// --- values
// -------------------------------------------------------------------------------------------------

static void test_wrong_types(void **state) {
    (void)state;
    REFUSED(SMALL_AGENT("<Plane stiffness='~stiff'/>"), "stiffness: expected a number of 0 or more",
            "\"stiff\"");
    REFUSED(SMALL_AGENT("<Plane stiffness='3 ~kN/m'/>"), "a number of 0 or more (in N/m)", "\"kN/m\"");
    REFUSED(SMALL_AGENT("<Plane stiffness='~'/>"), "expected number", "0 numbers");
    REFUSED(SMALL_AGENT("<Plane stiffness='~1 2'/>"), "expected number", "2 numbers");
    REFUSED(SMALL_AGENT("<Plane stiffness='~nan'/>"), "expected a number");
    REFUSED(SMALL_AGENT("<Plane stiffness='~0x10'/>"), "expected a number");
    REFUSED("<tactus version='1' gravity='~1 2'/>", "three numbers", "2 numbers");
    REFUSED("<tactus version='1' gravity='~1'/>", "three numbers", "found 1 number");
    REFUSED(IN_NODE("<Points dimension='~2.5'/>"), "dimension: expected a whole number", "\"2.5\"");
    REFUSED(IN_NODE("<Points dimension='~99999999999999999999'/>"), "whole number");
    REFUSED(SMALL_AGENT("<Springs pairs='0 1' stiffness='1' pull_only='~maybe'/>"), "true or false",
            "\"maybe\"");
    REFUSED("<tactus version='1' up='~x'/>", "up: expected one of y|z");
    REFUSED(IN_NODE("<Record precision='~sinlge'/>"), "double|single", "did you mean single?");
    REFUSED(SMALL_AGENT("<Springs matter='~points' pairs='0 1' stiffness='1'/>"), "a link", "@name");
}

static void test_ranges(void **state) {
    (void)state;
    REFUSED("<tactus version='1' dt='~0'/>", "dt: expected a positive number", "\"0\"");
    REFUSED(IN_NODE(THREE_POINTS "<UniformMass mass='~-1'/>"), "mass: expected a positive number");
    REFUSED(IN_NODE(THREE_POINTS "<Look color='0 0.5 ~1.5'/>"), "color: expected a number from 0 to 1");
    REFUSED(IN_NODE("<Box divisions='~0'/>"), "divisions: expected a whole number above 0");
    REFUSED(IN_NODE("<Sphere subdivisions='~-1'/>"), "a whole number of 0 or more");
    REFUSED(SMALL_AGENT("<FixedPoints points='0 ~-1'/>"), "a number of 0 or more");
    REFUSED(SMALL_AGENT("<FixedPoints points='0 ~7-3'/>"), "rising range");
    REFUSED(SMALL_AGENT("<FixedPoints points='~0-2-0'/>"), "range");
    REFUSED(SMALL_AGENT("<FixedPoints points='~0-99999999'/>"), "at most 10 million");
}

// Places inside values that the file breaks over lines, with tabs, references and commas.
static void test_places_in_lists(void **state) {
    (void)state;
    REFUSED(IN_NODE("<Points positions='0 0 0\n   1 ~x 2'/>"), "positions: expected a number", "\"x\"");
    REFUSED(IN_NODE("<Points positions='\n\n\t0,\t0, 0,\n\t ~1.2.3 2'/>"), "\"1.2.3\"");
    REFUSED(IN_NODE("<Points positions='0 &#48; 0 ~y'/>"), "\"y\"");
    REFUSED(SMALL_AGENT("<Springs stiffness='1' pairs='0 1\n          1 2\n          2 ~b'/>"),
            "pairs: expected a whole number", "\"b\"");
    // where parameters were put in, the value's beginning is all that is known
    REFUSED(SCENE("<param name='a' default='1'/><node><Points positions='~${a} 0\n x'/></node>"), "\"x\"");
}

static void test_missing_attributes(void **state) {
    (void)state;
    REFUSED(SMALL_AGENT("\n~<Springs pairs='0 1'/>"), "/n/springs (Springs)", "needs the attribute stiffness",
            "list of numbers");
    REFUSED(SCENE("~<Camera/>"), "needs the attribute eye");
    REFUSED(SCENE("~<include name='a'/>"), "<include> needs file");
    REFUSED(SCENE("~<param name='a'/>"), "<param> needs name and default");
}

static void test_names(void **state) {
    (void)state;
    REFUSED(SCENE("<node name='a'/><node ~name='a'/>"), "something named \"a\"");
    REFUSED(SCENE("<node name='a'/>~<Camera eye='1 1 1' name='a'/>"), "something named \"a\"");
    REFUSED(SCENE("~<Camera eye='1 1 1' name='world'/>"), "something named \"world\"");
    REFUSED(SCENE("<node ~name='a b'/>"), "\"a b\" is not a name", "letters, digits, _ and -");
    REFUSED(SCENE("<node ~name='a/b'/>"), "is not a name");
    // the same name in another node is another name, and nobody minds unnamed ones
    tac_world_destroy(world_of(SCENE("<node name='a'><node name='a'/></node><node/><node/><node/>")));
}

static void test_text_and_nesting(void **state) {
    (void)state;
    REFUSED(SCENE("\n~<node>hello world</node>"), "<node> contains the text \"hello world\"", "attributes");
    REFUSED("~<tactus version='1'>0.01</tactus>", "contains the text");
    REFUSED(IN_NODE("<Points>\n  ~<UniformMass/></Points>"), "<Points> is a component",
            "close it before <UniformMass>");
}

// --- links
// --------------------------------------------------------------------------------------------------

static void test_links(void **state) {
    (void)state;
    REFUSED(SMALL_AGENT("<Springs stiffness='1' pairs='0 1' matter='~@pionts'/>"), "/n/springs (Springs)",
            "matter=\"@pionts\"", "no such component", "did you mean @points?");
    REFUSED(SMALL_AGENT("<Springs stiffness='1' pairs='0 1' matter='~@/x/y/zzzzzzz'/>"),
            "there is no such component");
    REFUSED(SMALL_AGENT("<Springs stiffness='1' pairs='0 1' matter='~@uniformMass'/>"),
            "/n/uniformMass is a mass", "a matter was expected");
    REFUSED(
        SCENE("<node name='a'><Points positions='0 0 0'/><UniformMass/><Probe matter='~@/b/points'/></node>"
              "<node name='b'><Points/></node>"),
        "comes later in the scene", "move it before this one");
    REFUSED(SMALL_AGENT("<Plane radius='~@uniformMass'/>"), "ends in .attribute");
    REFUSED(SMALL_AGENT("<Plane radius='~@uniformMass.maas'/>"), "no attribute \"maas\"", "\"mass\"");
    REFUSED(SMALL_AGENT("<Plane radius='~@points.positions'/>"), "positions is a list of numbers",
            "a number was expected");
    REFUSED(SMALL_AGENT("<Plane radius='~@plane.offset'/>"), "comes later");
    // a link brings no value that could not have been written
    REFUSED(SMALL_AGENT("<Plane name='p' offset='-1'/><Plane radius='~@p.offset'/>"),
            "a number of 0 or more was expected");
    REFUSED(SMALL_AGENT("<Plane radius='~@uniformMass.total'/>"), "a number of 0 or more was expected");
    REFUSED(SMALL_AGENT("<Record name='r' channels='none'/><Look visible='~@r.channels'/>"),
            "one of all|energy", "one of auto|yes|no was expected");
}

static void test_links_that_work(void **state) {
    (void)state;
    // down from the root, up from the node, by a bare name from above, and to a value
    TacWorld *w = world_of(
        SCENE("<node name='a'><Grid name='g' counts='3 1 1'/><Points name='p' positions='@g.points'/>"
              "<UniformMass name='m' mass='7'/>"
              "<node name='b'><ConstantForce name='f' matter='@/a/p' force='1 0 0'/>"
              "<ConstantForce matter='@../p' force='@f.force'/><Probe matter='@p'/></node>"
              "<node name='c'><Points positions='0 0 0'/><UniformMass mass='@../m.mass'/></node></node>"
              "<Probe matter='@a/c/points' what='vx'/>"));
    const double *x = tac_world_positions(w, tac_world_find(w, "/a/p"));
    assert_non_null(x);
    assert_true(x[3] == 0.5 && x[6] == 1);
    tac_world_destroy(w);
}

// --- parameters
// ---------------------------------------------------------------------------------------------

static void test_parameters_refused(void **state) {
    (void)state;
#define WITH_N(content) SCENE("<param name='length' default='2'/><param name='word' default='big'/>" content)
    REFUSED(WITH_N("<node><Points positions='~${lenght} 0 0'/></node>"), "no parameter \"lenght\"",
            "did you mean \"length\"?");
    REFUSED(WITH_N("<node><Points positions='~${length +} 0 0'/></node>"), "number or a parameter");
    REFUSED(WITH_N("<node><Points positions='~${length / 0} 0 0'/></node>"), "not a finite number");
    REFUSED(WITH_N("<node><Points positions='~${(length} 0 0'/></node>"), "expected \")\"");
    REFUSED(WITH_N("<node><Points positions='~${length length} 0 0'/></node>"), "expected an operator");
    REFUSED(WITH_N("<node><Points positions='~${} 0 0'/></node>"), "number or a parameter");
    REFUSED(WITH_N("<node><Points positions='~${length 0 0'/></node>"), "without \"}\"");
    REFUSED(WITH_N("<node><Points positions='~${word + 1} 0 0'/></node>"), "parameter word is \"big\"",
            "not a number");
    REFUSED(WITH_N("~<param name='length' default='3'/>"), "declared twice");
    REFUSED(SCENE("<node><Points positions='~${xyz} 0 0'/></node>"), "no parameter \"xyz\"", "in this file");
    REFUSED(SCENE("<node>~<param name='inner' default='1'/></node>"), "directly inside <tactus>");
}

static double first_number(const char *expression) {
    char text[512];
    snprintf(text, sizeof text,
             SCENE("<param name='n' default='3'/><param name='half' default='0.5'/><param name='a-b' "
                   "default='40'/><node name='n'><Points positions='%s 0 0'/></node>"),
             expression);
    TacWorld *w = world_of(text);
    double value = tac_world_positions(w, tac_world_find(w, "/n/points"))[0];
    tac_world_destroy(w);
    return value;
}

static void test_arithmetic(void **state) {
    (void)state;
    assert_true(first_number("${n}") == 3);
    assert_true(first_number("${n+1}") == 4);
    assert_true(first_number("${ 2*n - half }") == 5.5);
    assert_true(first_number("${2*(n - half)}") == 5);
    assert_true(first_number("${-n*-n}") == 9);
    assert_true(first_number("${n - 1 - 1}") == 1);
    assert_true(first_number("${12/n/2}") == 2);
    assert_true(first_number("${1/3}") == 1.0 / 3);
    assert_true(first_number("${half-n}") == -2.5);
    assert_true(first_number("${a-b}") == 40);
    assert_true(first_number("${n}${n}e-${n}") == 33e-3);
    assert_true(first_number("${1e3 * 0.1}") == 100);
    // numbers have a point, whatever the locale
    const char *old = setlocale(LC_NUMERIC, NULL);
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) assert_true(first_number("${half*3}") == 1.5);
    setlocale(LC_NUMERIC, old);
}

// Time and memory are linear in what is written, however many parameters a value has.
static void test_many_parameters_in_a_value(void **state) {
    (void)state;
    enum { POINTS = 20000 };
    size_t size = 64 * POINTS;
    char *text = malloc(size);
    assert_non_null(text);
    int n = snprintf(text, size,
                     "<tactus version='1'><param name='z' default='0'/><node name='n'>"
                     "<Points positions='");
    for (int i = 0; i < POINTS; i++) n += snprintf(text + n, size - (size_t)n, "${z} ${z} ${z + %d} ", i);
    snprintf(text + n, size - (size_t)n, "'/></node></tactus>");
    TacWorld *w = world_of(text);
    free(text);
    TacComponentId points = tac_world_find(w, "/n/points");
    assert_int_equal(tac_world_point_count(w, points), POINTS);
    assert_true(tac_world_positions(w, points)[3 * POINTS - 1] == POINTS - 1);
    tac_world_destroy(w);
}

static void test_parameters_blow_up(void **state) {
    (void)state;
    // a kilobyte of text, put in a thousand times, a thousand times
    char *text = calloc(1, 6000000);
    assert_non_null(text);
    char *p = text + sprintf(text, "<tactus version='1'><param name='a' default='");
    p = (char *)memset(p, 'x', 100000) + 100000;
    p += sprintf(p, "'/>");
    for (int i = 0; i < 20; i++) {
        p += sprintf(p, "<Record name='");
        for (int k = 0; k < 1001; k++) p += sprintf(p, "${a}");
        p += sprintf(p, "'/>");
    }
    sprintf(p, "</tactus>");
    TacScene *scene = empty_scene();
    TacError error;
    assert_null(try_text(scene, text, &error));
    assert_non_null(strstr(error.message, "100 MB"));
    tac_scene_destroy(scene);
    free(text);
}

static void test_outside_parameters(void **state) {
    (void)state;
    const char *text = "<tactus version='1' dt='${step}'><param name='step' default='0.5' doc='The beat.'/>"
                       "<param name='size' default='1'/></tactus>";
    TacScene *scene = empty_scene();
    TacError error = {0};
    assert_int_equal(tac_scene_set_parameter(scene, "step", "0.125", &error), TAC_OK);
    TacWorld *w = try_text(scene, text, &error);
    assert_non_null(w);
    assert_true(tac_world_beat(w) == 0.125);
    assert_int_equal(tac_scene_parameter_count(scene), 2);
    bool seen = false;
    for (size_t i = 0; i < 2; i++) {
        TacParameterInfo info = tac_scene_parameter(scene, i);
        if (strcmp(info.name, "step") != 0) continue;
        seen = true;
        assert_string_equal(info.initial, "0.5");
        assert_string_equal(info.value, "0.125");
        assert_string_equal(info.doc, "The beat.");
    }
    assert_true(seen);
    tac_world_destroy(w);
    tac_scene_destroy(scene);

    scene = empty_scene();
    assert_int_equal(tac_scene_set_parameter(scene, "stepp", "0.125", &error), TAC_OK);
    assert_null(try_text(scene, text, &error));
    assert_int_equal(error.status, TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "no parameter \"stepp\""));
    assert_non_null(strstr(error.message, "did you mean \"step\"?"));
    tac_scene_destroy(scene);
}

// --- includes
// -----------------------------------------------------------------------------------------------

typedef struct Folder {
    char path[64];
} Folder;

static void put_file(const Folder *folder, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void **state) {
    Folder *folder = calloc(1, sizeof *folder);
    if (!folder) return -1;
    strcpy(folder->path, "/tmp/tactus_scene_XXXXXX");
    if (!mkdtemp(folder->path)) return -1;
    char sub[128];
    snprintf(sub, sizeof sub, "%s/parts", folder->path);
    if (mkdir(sub, 0700) != 0) return -1;
    *state = folder;
    return 0;
}

static int remove_folder(void **state) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", ((Folder *)*state)->path);
    int rc = system(command);
    free(*state);
    return rc;
}

// Reads and compiles a file of the folder; the first message where that fails.
static TacWorld *try_file(const Folder *folder, const char *name, TacError *error) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    TacScene *scene = empty_scene();
    TacWorld *world = NULL;
    *error = (TacError){0};
    TacWorldDef def = tac_world_def_default();
    if (tac_scene_read(scene, path, error) == TAC_OK) tac_world_create(&world, scene, &def, error);
    tac_scene_destroy(scene);
    return world;
}

static void refuse_file(const Folder *folder, const char *name, const char *where, const char *file, int line,
                        int column, const char *piece) {
    TacError error;
    TacWorld *world = try_file(folder, name, &error);
    char expected[256], text[2048];
    snprintf(expected, sizeof expected, "%s/%s", folder->path, file);
    tac_error_text(&error, text, sizeof text);
    if (world) fail_msg("%s: accepted", where);
    if (strcmp(error.file, expected) != 0 || error.line != line || error.column != column)
        fail_msg("%s: expected %s:%d:%d, got %s", where, expected, line, column, text);
    if (!strstr(error.message, piece)) fail_msg("%s: expected \"%s\" in %s", where, piece, text);
}

static void test_includes_refused(void **state) {
    const Folder *f = *state;
    put_file(f, "missing.tac", "<tactus version='1'>\n <include file='parts/nowhere.tac'/></tactus>");
    refuse_file(f, "missing.tac", "missing", "missing.tac", 2, 2, "parts/nowhere.tac");
    put_file(f, "device.tac", "<tactus version='1'><include file='/dev/zero'/></tactus>");
    refuse_file(f, "device.tac", "device", "device.tac", 1, 21, "not a regular file");
    put_file(f, "itself.tac", "<tactus version='1'><include file='./parts/../itself.tac'/></tactus>");
    refuse_file(f, "itself.tac", "itself", "itself.tac", 1, 30, "includes itself");
    // two that include each other
    put_file(f, "one.tac", "<tactus version='1'><include file='parts/two.tac'/></tactus>");
    put_file(f, "parts/two.tac", "<tactus version='1'>\n\n  <include file='../one.tac'/></tactus>");
    refuse_file(f, "one.tac", "circle", "parts/two.tac", 3, 12, "includes itself");
}

static void test_include_parameters(void **state) {
    const Folder *f = *state;
    put_file(f, "parts/ball.tac",
             "<tactus version='1'><param name='height' default='1'/><node name='b'>"
             "<Points positions='0 ${height} 0'/></node></tactus>");
    put_file(f, "wrong.tac", "<tactus version='1'>\n<include file='parts/ball.tac' hieght='3'/></tactus>");
    refuse_file(f, "wrong.tac", "wrong parameter", "wrong.tac", 2, 1, "did you mean \"height\"?");
    // an error inside an included file has that file's place
    put_file(f, "parts/bad.tac", "<tactus version='1'>\n<Pionts/></tactus>");
    put_file(f, "holds.tac", "<tactus version='1'><include file='parts/bad.tac'/></tactus>");
    refuse_file(f, "holds.tac", "inner place", "parts/bad.tac", 2, 1, "did you mean \"Points\"?");

    put_file(f, "good.tac",
             "<tactus version='1'><param name='h' default='2'/>"
             "<include file='parts/ball.tac' name='low'/>"
             "<include file='parts/ball.tac' name='high' height='${h*4}'/></tactus>");
    TacError error;
    TacWorld *w = try_file(f, "good.tac", &error);
    if (!w) fail_msg("%s", error.message);
    assert_true(tac_world_positions(w, tac_world_find(w, "/low/b/points"))[1] == 1);
    assert_true(tac_world_positions(w, tac_world_find(w, "/high/b/points"))[1] == 8);
    tac_world_destroy(w);
}

// Files named in an included file are beside that file; one of the including scene's are beside that.
static void test_relative_folders(void **state) {
    const Folder *f = *state;
    put_file(f, "parts/mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    put_file(f, "top.obj", "v 5 5 5\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    put_file(f, "parts/inner.tac",
             "<tactus version='1'><node name='n'><MeshFile file='mesh.obj'/><Points/>"
             "</node><include file='deeper.tac' name='d'/></tactus>");
    put_file(f, "parts/deeper.tac",
             "<tactus version='1'><MeshFile file='../top.obj'/><Points name='p'/></tactus>");
    put_file(f, "relative.tac",
             "<tactus version='1'><include file='parts/inner.tac' name='i'/>"
             "<node name='t'><MeshFile file='top.obj'/><Points/></node></tactus>");
    TacError error;
    TacWorld *w = try_file(f, "relative.tac", &error);
    if (!w) fail_msg("%s", error.message);
    assert_true(tac_world_positions(w, tac_world_find(w, "/i/n/points"))[0] == 0);
    assert_true(tac_world_positions(w, tac_world_find(w, "/i/d/p"))[0] == 5);
    assert_true(tac_world_positions(w, tac_world_find(w, "/t/points"))[0] == 5);
    tac_world_destroy(w);
}

static void test_gravity_of_an_included_file(void **state) {
    const Folder *f = *state;
    put_file(f, "parts/moon.tac",
             "<tactus version='1' gravity='0 -2 0' dt='1' title='Moon'><node name='n'>"
             "<Points positions='0 0 0'/><UniformMass/></node></tactus>");
    put_file(f, "earth.tac",
             "<tactus version='1' gravity='0 -10 0' dt='0.5'><include file='parts/moon.tac' "
             "name='moon'/><node name='n'><Points positions='0 0 0'/><UniformMass/></node>"
             "</tactus>");
    TacError error;
    TacWorld *w = try_file(f, "earth.tac", &error);
    if (!w) fail_msg("%s", error.message);
    assert_true(tac_world_beat(w) == 0.5);
    assert_int_equal(tac_world_advance(w, 1, &error), TAC_OK);
    assert_true(fabs(tac_world_positions(w, tac_world_find(w, "/moon/n/points"))[1] + 1) < 1e-12);
    assert_true(fabs(tac_world_positions(w, tac_world_find(w, "/n/points"))[1] + 5) < 1e-12);
    tac_world_destroy(w);
}

// A few small files that include each other's successors many times would be read a million times.
static void test_includes_multiply(void **state) {
    const Folder *f = *state;
    for (int level = 0; level < 8; level++) {
        char name[32], text[2048] = "<tactus version='1'>";
        snprintf(name, sizeof name, "level%d.tac", level);
        for (int i = 0; level < 7 && i < 10; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "<include file='level%d.tac'/>",
                     level + 1);
        strcat(text, "</tactus>");
        put_file(f, name, text);
    }
    TacError error;
    assert_null(try_file(f, "level0.tac", &error));
    assert_non_null(strstr(error.message, "more than 10000 files"));
}

// --- messages
// -----------------------------------------------------------------------------------------------

static void test_all_messages_are_kept(void **state) {
    (void)state;
    const char *text = "<tactus version='1' dt='-1'>\n<Pionts/>\n<node>\n<Points positions='q'/>\n"
                       "<Plane wrong='1'/>\n</node>\n</tactus>";
    TacScene *scene = empty_scene();
    TacError error;
    assert_null(try_text(scene, text, &error));
    assert_int_equal(tac_scene_message_count(scene), 4);
    const int lines[] = {1, 2, 4, 5};
    for (size_t i = 0; i < 4; i++) {
        const TacSceneMessage *m = tac_scene_message(scene, i);
        assert_true(m->is_error);
        assert_int_equal(m->error.line, lines[i]);
        assert_true(m->error.column > 0);
    }
    assert_string_equal(error.message, tac_scene_message(scene, 0)->error.message);
    assert_int_equal(error.line, 1);
    assert_null(tac_scene_message(scene, 4));
    tac_scene_destroy(scene);
}

static void test_messages_are_bounded(void **state) {
    (void)state;
    char *text = calloc(1, 200000);
    assert_non_null(text);
    strcpy(text, "<tactus version='1'>");
    char *p = text + strlen(text);
    for (int i = 0; i < 10000; i++) p += sprintf(p, "<Wrong/>");
    strcpy(p, "</tactus>");
    TacScene *scene = empty_scene();
    TacError error;
    assert_null(try_text(scene, text, &error));
    assert_int_equal(tac_scene_message_count(scene), 100);
    tac_scene_destroy(scene);
    free(text);
}

// --- sizes
// --------------------------------------------------------------------------------------------------

static char *nested(int depth, const char *name, const char *inside) {
    char *text = calloc(1, (size_t)depth * (strlen(name) + 40) + 200);
    assert_non_null(text);
    char *p = text + sprintf(text, "<tactus version='1'>");
    for (int i = 0; i < depth; i++) p += sprintf(p, "<node name='%s'>", name);
    p += sprintf(p, "%s", inside);
    for (int i = 0; i < depth; i++) p += sprintf(p, "</node>");
    strcpy(p, "</tactus>");
    return text;
}

static void test_deep_nesting(void **state) {
    (void)state;
    char *text = nested(200, "a", "<Points positions='1 2 3'/>");
    TacWorld *w = world_of(text);
    char path[512] = "";
    for (int i = 0; i < 200; i++) strcat(path, "/a");
    strcat(path, "/points");
    TacComponentId points = tac_world_find(w, path);
    assert_int_equal(tac_world_point_count(w, points), 1);
    assert_string_equal(tac_world_path(w, points), path);
    tac_world_destroy(w);
    free(text);

    text = nested(2000, "a", "");
    TacScene *scene = empty_scene();
    TacError error;
    assert_null(try_text(scene, text, &error));
    assert_int_equal(error.status, TAC_BAD_INPUT);
    assert_true(error.line == 1 && error.column > 0);
    tac_scene_destroy(scene);
    free(text);

    // long names below each other would make paths of megabytes
    char name[101];
    memset(name, 'n', 100);
    name[100] = 0;
    text = nested(100, name, "<Camera eye='1 1 1'/>");
    scene = empty_scene();
    assert_null(try_text(scene, text, &error));
    assert_non_null(strstr(error.message, "path of more than 1000 bytes"));
    tac_scene_destroy(scene);
    free(text);
}

// A hundred thousand unnamed siblings: names are found without looking at all others.
static void test_many_siblings(void **state) {
    (void)state;
    enum { N = 100000 };
    char *text = calloc(1, 20 * N + 100);
    assert_non_null(text);
    char *p = text + sprintf(text, "<tactus version='1'>");
    for (int i = 0; i < N; i++) p += sprintf(p, "<node/><Record/>");
    strcpy(p, "</tactus>");
    TacScene *scene = empty_scene();
    TacError error;
    TacWorld *w = try_text(scene, text, &error);
    assert_non_null(w);
    assert_true(tac_scene_exists(scene, tac_scene_find(scene, "/record99999")));
    assert_false(tac_scene_exists(scene, tac_scene_find(scene, "/record100000")));
    assert_true(tac_scene_node_exists(scene, tac_scene_find_node(scene, "/node99999")));
    tac_world_destroy(w);
    tac_scene_destroy(scene);
    free(text);
}

static void test_sizes_that_no_machine_has(void **state) {
    (void)state;
    static const char *const texts[] = {
        "<Grid counts='4000 4000 4000'/>",
        "<Grid counts='2147483647 2147483647 2147483647' split='true'/>",
        "<Ball divisions='4000'/>",
        "<Ball divisions='9223372036854775807'/>",
        "<Box divisions='9000000000000'/>",
        "<Sphere subdivisions='100000'/>",
        "<Sheet divisions='1000000' across='1000000'/>",
        "<Torus sides='2000000000' rings='2000000000'/>",
        "<Line divisions='9223372036854775807'/>",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, IN_NODE("%s<Points/>"), texts[i]);
        TacScene *scene = empty_scene();
        TacError error;
        if (try_text(scene, text, &error)) fail_msg("accepted: %s", texts[i]);
        assert_true(error.status == TAC_BAD_INPUT || error.status == TAC_NO_MEMORY);
        if (error.line != 1 || !strstr(error.message, "/n/")) fail_msg("%s: %s", texts[i], error.message);
        tac_scene_destroy(scene);
    }
}

// Sizes that are numbers, but whose sums and products are not.
static void test_places_that_are_no_numbers(void **state) {
    (void)state;
    REFUSED(IN_NODE("~<Torus radius='1.7e308' tube_radius='1.7e308' weld='0'/>"), "/n/torus", "finite place");
    REFUSED(IN_NODE("~<Box scale='1e200 1 1' high='1e200 1 1'/>"), "/n/box", "finite place");
    REFUSED(IN_NODE("~<Points positions='1e200 0 0' scale='1e200 1 1'/>"), "/n/points", "finite place");
    REFUSED(
        IN_NODE("~<Frames positions='1e308 1e308 0 0 0 0 1' rotation='0 0 45' translation='1e308 1e308 0'/>"),
        "/n/frames", "finite place");
}

// A world keeps to the memory that it was given.
static void test_memory_limit(void **state) {
    (void)state;
    TacScene *scene = empty_scene();
    TacError error = {0};
    const char *text = IN_NODE("<Grid counts='100 100 10'/><Points/>\n<Points name='more'/>");
    assert_int_equal(tac_scene_parse(scene, "test.tac", text, strlen(text), &error), TAC_OK);
    TacWorldDef def = tac_world_def_default();
    TacWorld *world;
    assert_int_equal(tac_world_create(&world, scene, &def, &error), TAC_OK);
    size_t bytes = tac_world_stats(world).bytes;
    assert_true(bytes > 100000 * 8 * 24);
    tac_world_destroy(world);
    // too little for the mesh, for the matter, and for the vectors of all
    for (size_t part = 1; part < 20; part++) {
        def.memory = bytes / 20 * part;
        TacStatus status = tac_world_create(&world, scene, &def, &error);
        assert_true(status == TAC_NO_MEMORY || status == TAC_BAD_INPUT);
        assert_null(world);
        // what the scene asks for is the scene's fault, and has a place
        if (part == 1) assert_int_equal(status, TAC_BAD_INPUT);
        if (part == 1) assert_true(error.line == 1 && strstr(error.message, "/n/grid"));
    }
    def.memory = bytes + 1000000;
    assert_int_equal(tac_world_create(&world, scene, &def, &error), TAC_OK);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
}

// Meshes count before they are made, and not only those that matter is made of.
static void test_meshes_count_as_memory(void **state) {
    (void)state;
    static const char *const texts[] = {
        "<Grid counts='100 100 10'/>",
        "<Ball divisions='40'/>",
        "<Box divisions='100'/>",
        "<Sphere subdivisions='7'/>",
        "<Sheet divisions='300'/>",
        "<Cylinder sides='500' rings='100'/>",
        "<Capsule sides='500' rings='100'/>",
        "<Torus sides='300' rings='300'/>",
        "<Line divisions='100000'/>",
    };
    TacWorldDef def = tac_world_def_default();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, IN_NODE("%s"), texts[i]);
        TacScene *scene = empty_scene();
        TacError error;
        TacWorld *world;
        assert_int_equal(tac_scene_parse(scene, "test.tac", text, strlen(text), &error), TAC_OK);
        def.memory = 1000000;
        if (tac_world_create(&world, scene, &def, &error) != TAC_BAD_INPUT) fail_msg("made: %s", texts[i]);
        def.memory = 100000000;
        if (tac_world_create(&world, scene, &def, &error) != TAC_OK) fail_msg("not made: %s", texts[i]);
        tac_world_destroy(world);
        tac_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_and_version),
        cmocka_unit_test(test_unknown_components),
        cmocka_unit_test(test_unknown_attributes),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_places_in_lists),
        cmocka_unit_test(test_missing_attributes),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_text_and_nesting),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_links_that_work),
        cmocka_unit_test(test_parameters_refused),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_many_parameters_in_a_value),
        cmocka_unit_test(test_parameters_blow_up),
        cmocka_unit_test(test_outside_parameters),
        cmocka_unit_test_setup_teardown(test_includes_refused, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_include_parameters, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_relative_folders, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_gravity_of_an_included_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_includes_multiply, make_folder, remove_folder),
        cmocka_unit_test(test_all_messages_are_kept),
        cmocka_unit_test(test_messages_are_bounded),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_many_siblings),
        cmocka_unit_test(test_sizes_that_no_machine_has),
        cmocka_unit_test(test_places_that_are_no_numbers),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_meshes_count_as_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
