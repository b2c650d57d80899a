// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What nothing can part: points that are fixed, and points that move as they are told, that meet on their way. Those are
// remarked on before time runs; what cannot meet, or has no harm in it, is not.

#define _GNU_SOURCE
#include "world_fixture.h"

#define WORLD(content)                                                                                       \
    "<tactus version='1' dt='0.001' duration='0.06' gravity='0 0 0'><Contact method='safe' "                 \
    "thickness='0.01'/>" content "</tactus>"
#define WALL(motion)         WALL_WITH(motion, "")
#define WALL_WITH(motion, a) "<node name='wall'><Sheet divisions='1'/><Points/>" motion "<Skin " a "/></node>"
#define UP                   "<ScriptedMotion speed='0 10 0'/>"
#define CLOTH                CLOTH_WITH("")
#define CLOTH_WITH(a)        CLOTH_AT("c", "-0.1 0.2 0  0.1 0.2 0  0 0.2 0.2", a)
#define CLOTH_AT(name, at, a)                                                                                \
    "<node name='" name "'><Mesh at='" at "' with_triangles='0 1 2'/><Points/><UniformMass mass='0.1'/>"     \
    "<Springs stiffness='100'/><FixedPoints points='0'/><Skin " a "/></node>"

// --- what is said -----------------------------------------------------------------------------------------

typedef struct Said {
    size_t count;
    int line;
    char first[1024], last[1024];
} Said;

static Said said_of(const char *text) {
    Said said = {0};
    TacError error = {0};
    TacScene *scene;
    TacWorldDef def = tac_world_def_default();
    TacWorld *world = NULL;
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    if (tac_scene_parse(scene, "test.tac", text, strlen(text), &error) != TAC_OK ||
        tac_world_create(&world, scene, &def, &error) != TAC_OK)
        fail_msg("%s\n%s", error.message, text);
    for (size_t i = 0; i < tac_scene_message_count(scene); i++) {
        const TacSceneMessage *message = tac_scene_message(scene, i);
        if (!strstr(message->error.message, "nothing can part")) continue;
        assert_false(message->is_error);
        memcpy(said.last, message->error.message, sizeof said.last);
        if (!said.count++) memcpy(said.first, message->error.message, sizeof said.first);
        said.line = message->error.line;
    }
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return said;
}

static void expect_said(const char *text, const char *names, const char *time) {
    Said said = said_of(text);
    if (said.count != 1) fail_msg("%zu remarks on\n%s", said.count, text);
    if (!strstr(said.first, names) || !strstr(said.first, time))
        fail_msg("neither %s nor %s in\n%s", names, time, said.first);
    assert_int_equal(said.line, 1);
}

static void expect_silence(const char *text) {
    Said said = said_of(text);
    if (said.count) fail_msg("%s\non\n%s", said.first, text);
}

// --- what meets -------------------------------------------------------------------------------------------

static void test_a_wall_over_a_pinned_point(void **state) {
    (void)state;
    expect_said(WORLD(WALL(UP) CLOTH), "face 0 of /wall/skin and vertex 0 of /c/skin", "0.02 s");
    // whoever stands first in the file
    expect_said(WORLD(CLOTH WALL(UP)), "vertex 0 of /c/skin and face 0 of /wall/skin", "0.02 s");
    // a thick skin is met earlier
    expect_said(WORLD(WALL_WITH(UP, "radius='0.05'") CLOTH), "/wall/skin and ", "0.015 s");
    // half as wide: only its edge passes the pinned edge
    expect_said(
        WORLD("<node name='wall'><Mesh at='0 0 -1  0 0 1' with_edges='0 1'/><Points/>" UP
              "<Skin/></node><node name='c'><Mesh at='-1 0.2 0  1 0.2 0  0 0.2 9' "
              "with_triangles='0 1 2'/><Points/><UniformMass/><FixedPoints points='0 1'/><Skin/></node>"),
        "edge 0 of /wall/skin and edge 0 of /c/skin", "0.02 s");
}

static void test_all_that_moves_as_it_is_told(void **state) {
    (void)state;
    expect_said(WORLD(WALL("<Oscillator amplitude='0 0.3 0' pulsation='60'/>") CLOTH), "/c/skin", "s;");
    expect_said(WORLD(WALL("<LinearVelocity times='0 0.03' velocities='0 0 0  0 20 0'/>") CLOTH), "/c/skin",
                "0.025 s");
    expect_said(
        WORLD("<node name='wall'><Sheet divisions='1'/><Points velocities='0 10 0'/><Skin/></node>" CLOTH),
        "/c/skin", "0.02 s");
    expect_said(WORLD("<node name='wall'><Frames positions='0 0 0 0 0 0 1'/><ScriptedMotion speed='0 10 0'/>"
                      "<Shape shape='box' size='1 0.1 1'/></node>" CLOTH),
                "/c/skin", "0.015 s");
    // round a corner: a vane that hangs down goes up on the right
    expect_said(WORLD("<node name='vane'><Frames positions='0 0 0 0 0 0 1'/><ScriptedMotion times='0 0.05' "
                      "rotations='0 0 0  0 0 170'/><Shape shape='box' size='0.01 0.3 1' position='0 -0.3 "
                      "0'/></node>" CLOTH_AT("c", "0.1 0.2 0  -0.1 0.2 0  0 0.2 0.2", "")),
                "vertex 0 of /c/skin", "0.045 s");
    // balls
    expect_said(WORLD("<node name='wall'><Points positions='0.1 0 0'/>" UP "<Balls radius='0.02'/></node>"
                      "<node name='c'><Points positions='0.11 0.2 0  5 5 5'/><UniformMass/>"
                      "<FixedPoints points='0'/><Balls radius='0.03'/></node>"),
                "vertex 0 of /wall/balls and vertex 0 of /c/balls", "0.016 s");
    // grips of one cloth go through what is fixed
    expect_said(
        WORLD("<node name='floor'><Sheet divisions='1'/><Points/><Skin/></node>"
              "<node name='c'><Mesh at='-0.1 0.2 0  0.1 0.2 0  0 0.2 0.2' with_triangles='0 1 2'/><Points/>"
              "<UniformMass/><ScriptedMotion points='1' speed='0 -10 0'/><Skin/></node>"),
        "face 1 of /floor/skin and vertex 1 of /c/skin", "0.02 s");
}

static void test_what_does_no_harm(void **state) {
    (void)state;
    // nothing of either can be pushed
    expect_silence(
        WORLD(WALL(UP) "<node name='f'><Sheet divisions='1' translation='0 0.2 0'/><Points/><Skin/></node>"));
    // all can
    expect_silence(WORLD(WALL(UP) "<node name='c'><Sheet divisions='1' translation='0 0.2 0'/><Points/>"
                                  "<UniformMass/><Skin/></node>"));
    // it ends before, goes by, or goes the other way
    expect_silence(WORLD(WALL("<ScriptedMotion times='0 0.05' offsets='0 0 0  0 0.19 0'/>") CLOTH));
    expect_silence(WORLD(WALL(UP) CLOTH_AT("c", "-0.6 0.2 0  0.1 0.2 0  0 0.2 0.2", "")));
    expect_silence(WORLD(WALL("<ScriptedMotion speed='0 -10 0'/>") CLOTH));
    // they do not touch
    expect_silence(WORLD(WALL_WITH(UP, "mask='3'") CLOTH));
    expect_silence(WORLD(WALL(UP) CLOTH_WITH("group='2' mask='2'")));
    expect_silence(WORLD(WALL(UP) CLOTH
                         "<ContactPair first_model='@/wall/skin' second_model='@/c/skin' excluded='true'/>"));
    // they move together
    expect_silence(WORLD(WALL(UP) "<node name='c'><Mesh at='-0.1 0.2 0  0.1 0.2 0  0 0.2 0.2' "
                                  "with_triangles='0 1 2'/><Points/><UniformMass/>"
                                  "<ScriptedMotion points='0' speed='0 10 0'/><Skin/></node>"));
}

static void test_ten_are_listed(void **state) {
    (void)state;
    char text[8192] = "<tactus version='1' dt='0.001' duration='0.06' gravity='0 0 0'>"
                      "<Contact thickness='0.001'/>" WALL(UP);
    for (int i = 0; i < 13; i++) {
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, CLOTH_AT("c%d", "-0.1 %g 0  0.1 %g 0  0 %g 0.2", ""), i,
                 0.2 + 0.01 * i, 0.2 + 0.01 * i, 0.2 + 0.01 * i);
    }
    strcat(text, "</tactus>");
    Said said = said_of(text);
    assert_int_equal(said.count, 10);
    assert_non_null(strstr(said.last, "3 other pairs of skins"));
}

// Whether the rehearsal takes all of the way or one beat, the same bits come out.
static void test_a_rehearsal_leaves_no_trace(void **state) {
    (void)state;
    static const char *const durations[] = {"0.001", "0.06"};
    double x[2][9];
    for (int i = 0; i < 2; i++) {
        TacWorld *world = make_world(
            "<tactus version='1' dt='0.001' duration='%s' gravity='0 0 0'><Contact thickness='0.01'/>" WALL(
                UP) CLOTH_AT("c", "-0.1 0.9 0  0.1 0.2 0  0 0.2 0.2", "") "</tactus>",
            durations[i]);
        TacComponentId wall = tac_world_matter(world, 0), cloth = tac_world_matter(world, 1);
        assert_true(tac_world_positions(world, wall)[1] == 0);
        advance(world, 0.05);
        memcpy(x[i], tac_world_positions(world, cloth), sizeof x[i]);
        assert_true(fabs(tac_world_positions(world, wall)[1] - 0.5) < 1e-12);
        assert_true(x[i][1] == 0.9 && x[i][4] > 0.4);
        tac_world_destroy(world);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wall_over_a_pinned_point),
        cmocka_unit_test(test_all_that_moves_as_it_is_told),
        cmocka_unit_test(test_what_does_no_harm),
        cmocka_unit_test(test_ten_are_listed),
        cmocka_unit_test(test_a_rehearsal_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
