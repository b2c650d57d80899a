// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Plugins: a law and a map written against the public headers, loaded from a shared object, named in a scene,
// behave like built-in ones. The examples in examples/plugin are the ones tested.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tactus/tactus.h"

static void plugin_path(char *path, size_t size, const char *name) {
    const char *build = getenv("TACTUS_BUILD");
    snprintf(path, size, "%s/plugins/%s.so", build ? build : "build", name);
}

static TacWorld *make(const char *plugin, const char *text) {
    TacScene *scene;
    TacError error;
    char path[4096];
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    plugin_path(path, sizeof path, plugin);
    if (tac_scene_load_plugin(scene, path, &error) != TAC_OK) fail_msg("%s", error.message);
    if (tac_scene_parse(scene, "test.tac", text, strlen(text), &error) != TAC_OK)
        fail_msg("%s", error.message);
    TacWorldDef def = tac_world_def_default();
    TacWorld *world;
    if (tac_world_create(&world, scene, &def, &error) != TAC_OK) fail_msg("%s", error.message);
    tac_scene_destroy(scene); // the plugin's code must stay while the world lives
    return world;
}

// Wind alone: v' = c/m (w - v), so v = w (1 - exp(-c t / m)).
static void test_wind(void **state) {
    (void)state;
    TacWorld *w =
        make("wind", "<tactus version='1' dt='0.0005' gravity='0 0 0'><node name='n'><ImplicitEuler/>"
                     "<Points positions='0 2 0'/><UniformMass mass='0.5'/>"
                     "<Wind velocity='3 0 0' drag='0.2' growth='0.25'/></node></tactus>");
    TacError error;
    assert_int_equal(tac_world_advance(w, 1, &error), TAC_OK);
    double v = tac_world_velocities(w, tac_world_find(w, "/n/points"))[0];
    assert_true(fabs(v - 3 * (1 - exp(-0.2 * 1.5 / 0.5))) < 1e-3);
    // its live attribute changes while time runs, from the next instant on; its others do not
    TacComponentId wind = tac_world_find(w, "/n/wind");
    assert_int_equal(tac_world_set(w, wind, "drag", "0", &error), TAC_OK);
    assert_int_equal(tac_world_set(w, wind, "velocity", "1 1 1", &error), TAC_BAD_USAGE);
    assert_int_equal(tac_world_advance_beats(w, 1, &error), TAC_OK);
    v = tac_world_velocities(w, tac_world_find(w, "/n/points"))[0];
    assert_int_equal(tac_world_advance(w, 1, &error), TAC_OK);
    assert_true(fabs(tac_world_velocities(w, tac_world_find(w, "/n/points"))[0] - v) < 1e-12);
    tac_world_destroy(w);
}

// A spring on mapped points pulls through the map: scale 2 makes it four times as stiff at the parent.
static void test_offset_map(void **state) {
    (void)state;
    TacWorld *w = make("offset_map",
                       "<tactus version='1' dt='0.0005' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
                       "<Points positions='0 0 0 1.1 0 0'/><UniformMass mass='1'/><FixedPoints points='0'/>"
                       "<node name='c'><Points positions='0 0 0 0 0 0'/><OffsetMap scale='2' offset='5 0 0'/>"
                       "<Springs pairs='0 1' stiffness='1' lengths='2'/></node></node></tactus>");
    TacError error;
    assert_int_equal(tac_world_advance(w, 1, &error), TAC_OK);
    // parent at 1 + 0.1 cos(2 t); the child at twice that, plus 5
    double x = tac_world_positions(w, tac_world_find(w, "/n/points"))[3];
    double c = tac_world_positions(w, tac_world_find(w, "/n/c/points"))[3];
    assert_true(fabs(x - (1 + 0.1 * cos(2))) < 2e-4);
    assert_true(fabs(c - (5 + 2 * x)) < 1e-12);
    tac_world_destroy(w);
}

static void test_refusals(void **state) {
    (void)state;
    TacScene *scene;
    TacError error;
    char path[4096];
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    assert_int_equal(tac_scene_load_plugin(scene, "/nowhere/at/all.so", &error), TAC_BAD_INPUT);
    plugin_path(path, sizeof path, "wind");
    assert_int_equal(tac_scene_load_plugin(scene, path, &error), TAC_OK);
    assert_int_equal(tac_scene_load_plugin(scene, path, &error), TAC_BAD_INPUT); // Wind is there already
    const char *text = "<tactus version='1'><node name='n'><Points positions='0 0 0'/><UniformMass/>"
                       "<Wind velocity='0 0 0'/></node></tactus>";
    assert_int_equal(tac_scene_parse(scene, "test.tac", text, strlen(text), &error), TAC_OK);
    TacWorldDef def = tac_world_def_default();
    TacWorld *world;
    assert_int_equal(tac_world_create(&world, scene, &def, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "no wind"));
    assert_int_equal(error.line, 1);
    tac_scene_destroy(scene);
    // without the plugin the message says where such a component could come from
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    assert_int_equal(tac_scene_parse(scene, "test.tac", text, strlen(text), &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "--plugin"));
    tac_scene_destroy(scene);
}

// --- classes of a program's own ---------------------------------------------------------------------------

// A spring to the origin: F = -k x.
typedef struct Tether {
    TacLaw law;
    double stiffness;
} Tether;

static void tether_force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const Tether *self = data;
    size_t n = self->law.matter[0]->count * 3;
    for (size_t i = 0; i < n; i++) vectors->f[0][i] -= self->stiffness * vectors->x[0][i];
}

static const TacLawOps tether_ops = {.force = tether_force};
static const TacAttribute tether_attributes[] = {
    TAC_LAW_ATTRIBUTES(Tether, law),
    {"stiffness", TAC_REAL, offsetof(Tether, stiffness), "N/m", "4", "Of the spring.", NULL, TAC_POSITIVE,
     TAC_LIVE},
};
static const TacClass tether = {
    .name = "Tether",
    .kind = TAC_KIND_LAW,
    .doc = "A spring to the origin.",
    .size = sizeof(Tether),
    .attributes = tether_attributes,
    .attribute_count = 3,
    .kinds = 1u << TAC_VEC3,
    .ops.law = &tether_ops,
};

// x = cos(w t) with w = sqrt(k / m) = 2
static void test_own_class(void **state) {
    (void)state;
    TacScene *scene;
    TacWorld *world;
    TacError error;
    const char *text = "<tactus version='1' dt='0.0005' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
                       "<Points positions='1 0 0'/><UniformMass mass='1'/><Tether/></node></tactus>";
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    assert_int_equal(tac_scene_add_class(scene, &tether, &error), TAC_OK);
    assert_ptr_equal(tac_scene_find_class(scene, "Tether"), &tether);
    assert_int_equal(tac_scene_parse(scene, "test.tac", text, strlen(text), &error), TAC_OK);
    TacWorldDef def = tac_world_def_default();
    assert_int_equal(tac_world_create(&world, scene, &def, &error), TAC_OK);
    tac_scene_destroy(scene);
    assert_int_equal(tac_world_advance(world, 1, &error), TAC_OK);
    double x = tac_world_positions(world, tac_world_find(world, "/n/points"))[0];
    assert_true(fabs(x - cos(2)) < 1e-3);
    tac_world_destroy(world);
}

static void refuse_class(const TacClass *cls, TacStatus status, const char *words) {
    TacScene *scene;
    TacError error;
    assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
    size_t before = tac_scene_class_count(scene);
    assert_int_equal(tac_scene_add_class(scene, cls, &error), status);
    if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    assert_int_equal(tac_scene_class_count(scene), before);
    tac_scene_destroy(scene);
}

static void test_own_class_refusals(void **state) {
    (void)state;
    refuse_class(NULL, TAC_BAD_USAGE, "name");
    TacClass bad = tether;
    bad.name = "Springs";
    refuse_class(&bad, TAC_BAD_INPUT, "already");
    bad.name = "two words";
    refuse_class(&bad, TAC_BAD_USAGE, "name");
    bad = tether;
    bad.kind = TAC_KIND_COUNT;
    refuse_class(&bad, TAC_BAD_USAGE, "kind");
    bad = tether;
    bad.size = sizeof(TacLaw) - 1;
    refuse_class(&bad, TAC_BAD_USAGE, "smaller");
    bad = tether;
    bad.ops.law = NULL;
    refuse_class(&bad, TAC_BAD_USAGE, "without a force");
    bad = tether;
    bad.size = sizeof(TacLaw); // the stiffness is behind it
    refuse_class(&bad, TAC_BAD_USAGE, "outside");
    TacAttribute attribute = tether_attributes[2];
    bad = tether;
    bad.attributes = &attribute;
    bad.attribute_count = 1;
    attribute.offset = 0;
    refuse_class(&bad, TAC_BAD_USAGE, "head");
    attribute = tether_attributes[2];
    attribute.name = "";
    refuse_class(&bad, TAC_BAD_USAGE, "lacks");
    attribute = tether_attributes[2];
    attribute.type = TAC_CHOICE;
    refuse_class(&bad, TAC_BAD_USAGE, "accepts");
    attribute.type = (TacType)99;
    refuse_class(&bad, TAC_BAD_USAGE, "type");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wind),
        cmocka_unit_test(test_offset_map),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_own_class),
        cmocka_unit_test(test_own_class_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
