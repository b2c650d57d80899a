// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of loose contact between skins: what rests is carried, momentum is kept, solvers with and without a matrix
// agree, and neither threads nor saving and restoring change a bit, in causal and in loose worlds.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

// A solid box above a sheet that nothing moves; 2 cm keep them apart.
#define MATERIAL "<Contact method='loose'/><ContactMaterial name='m' thickness='0.01' stiffness='20000' %s/>"
#define FLOOR    "<node name='floor'><Sheet divisions='7'/><Points/><Skin material='@/m'/></node>"
#define BOX(name, place, solver)                                                                             \
    "<node name='" name "'>" solver "<Frames translation='" place "'/><UniformMass mass='2' box='0.2 0.1 "   \
    "0.2'/>"                                                                                                 \
    "<node name='skin'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/>"                 \
    "<Skin material='@/m'/></node></node>"

static TacWorld *world_with(const char *settings, const char *material, const char *bodies, int threads) {
    char *text, *made;
    assert_true(asprintf(&made, MATERIAL, material) > 0);
    assert_true(asprintf(&text, "<tactus version='1' dt='0.002' %s>%s%s</tactus>", settings, made, bodies) >
                0);
    TacScene *scene = empty_scene();
    TacError error;
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    TacWorld *world = NULL;
    char line[2048];
    if (tac_scene_parse(scene, "skins.tac", text, strlen(text), &error) != TAC_OK ||
        tac_world_create(&world, scene, &def, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, line, sizeof line));
    tac_scene_destroy(scene);
    free(made);
    free(text);
    return world;
}

static double pushes(TacWorld *world) {
    TacContactPoint points[256];
    size_t n = tac_world_contact_points(world, points, 256);
    double sum = 0;
    assert_true(n < 256);
    for (size_t i = 0; i < n; i++) sum += points[i].force * points[i].normal.y;
    return fabs(sum);
}

// What rests is carried by the springs: its weight, at the depth that they need for it.
static void what_rests_is_carried(void **state) {
    (void)state;
    static const char *const bodies[] = {
        FLOOR BOX("box", "0.03 0.08 0.01", "<ImplicitEuler/>"),
        FLOOR BOX("box", "0.03 0.08 0.01", "<SymplecticEuler step='0.0005'/>")};
    for (int i = 0; i < 2; i++) {
        TacWorld *world = world_with("", "", bodies[i], 1);
        advance(world, 3);
        double y = positions(world, "/box/frames")[1];
        if (!(fabs(pushes(world) / (2 * 9.81) - 1) < 0.01))
            fail_msg("%d: carried with %g N", i, pushes(world));
        if (!(y > 0.05 + 0.0185 && y < 0.05 + 0.02)) fail_msg("%d: at %g m", i, y);
        tac_world_destroy(world);
    }
}

static void hits_keep_momentum(void **state) {
    (void)state;
    // both see the same, so momentum goes over to rounding; friction, which acts at two places that are a thickness apart,
    // would turn them a little
    TacWorld *world =
        world_with("gravity='0 0 0'", "friction='0' restitution='1'",
                   "<node name='a'><SymplecticEuler step='0.0005'/><Frames translation='0 0 0' "
                   "velocities='0 0 0 0 0 0'/>"
                   "<UniformMass mass='2' box='0.2 0.1 0.2'/><node name='skin'><Box low='-0.1 -0.05 "
                   "-0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/><Skin "
                   "material='@/m'/></node></node>"
                   "<node name='b'><SymplecticEuler step='0.0005'/><Frames translation='0.03 0.2 "
                   "0.02' rotation='10 20 30' velocities='0.1 -1 0 0 0.5 0.2'/><UniformMass mass='3' "
                   "box='0.2 0.1 0.2'/><node name='skin'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 "
                   "0.1'/><Points/><RigidMap/><Skin material='@/m'/></node></node>",
                   1);
    TacMomentum before = tac_world_momentum(world);
    double energy = tac_world_energy(world).total;
    advance(world, 0.5);
    TacMomentum after = tac_world_momentum(world);
    assert_true(tac_norm(tac_sub(before.linear, after.linear)) < 1e-12);
    if (!(tac_norm(tac_sub(before.angular, after.angular)) < 1e-3 * tac_norm(before.angular)))
        fail_msg("angular momentum is off by %g", tac_norm(tac_sub(before.angular, after.angular)));
    assert_true(positions(world, "/a/frames")[1] < -0.05); // it was hit
    assert_true(tac_world_energy(world).total < 1.02 * energy);
    tac_world_destroy(world);
}

// Implicit agents, of which each is solved without the other: what goes over is the same, and a pair that has met goes on.
static void implicit_agents_keep_momentum(void **state) {
    (void)state;
    TacWorld *world = world_with(
        "gravity='0 0 0'", "friction='0' damping='20'",
        "<node name='a'><ImplicitEuler/><Frames velocities='0 0.5 0 0 0 0'/><UniformMass mass='2' box='0.2 "
        "0.1 0.2'/><node name='skin'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/>"
        "<Skin material='@/m'/></node></node><node name='b'><ImplicitEuler/><Frames translation='0 0.13 "
        "0'/><UniformMass mass='3' box='0.2 0.1 0.2'/><node name='skin'><Box low='-0.1 -0.05 -0.1' "
        "high='0.1 0.05 0.1'/><Points/><RigidMap/><Skin material='@/m'/></node></node>",
        1);
    advance(world, 0.3);
    double p = tac_world_momentum(world).linear.y;
    if (!(fabs(p - 1) < 0.02)) fail_msg("a momentum of %g is left", p);
    assert_true(tac_world_velocities(world, tac_world_find(world, "/b/frames"))[1] > 0.1);
    tac_world_destroy(world);
}

// The same change of force as blocks of a matrix and as a product.
static void solvers_with_and_without_a_matrix_agree(void **state) {
    (void)state;
    static const char *const bodies[] = {
        FLOOR BOX("box", "0.03 0.08 0.01",
                  "<ImplicitEuler/><ConjugateGradient tolerance='1e-14' iterations='500'/>"),
        FLOOR BOX("box", "0.03 0.08 0.01", "<ImplicitEuler/><SparseDirect/>")};
    double y[2][7];
    for (int i = 0; i < 2; i++) {
        TacWorld *world = world_with("", "", bodies[i], 1);
        advance(world, 0.06);
        assert_true(tac_world_contact_count(world) > 0);
        memcpy(y[i], positions(world, "/box/frames"), sizeof y[i]);
        tac_world_destroy(world);
    }
    for (int k = 0; k < 7; k++)
        if (!(fabs(y[0][k] - y[1][k]) < 1e-9))
            fail_msg("coordinate %d: %.12g and %.12g", k, y[0][k], y[1][k]);
}

#define CLOTH                                                                                                \
    "<node name='cloth'><ImplicitEuler/><Agent adaptive='true'/><Sheet divisions='7' translation='0 0.3 "    \
    "0'/>"                                                                                                   \
    "<Points/><UniformMass total='0.2'/><Springs stiffness='200' damping='0.1'/><Skin "                      \
    "material='@/m'/></node>"

static void nothing_else_changes_a_bit(void **state) {
    (void)state;
    static const char *const settings[] = {"", "scheduler='loose'"};
    for (int s = 0; s < 2; s++) {
        uint64_t expected = 0;
        for (int threads = 1; threads <= 3; threads++) {
            TacWorld *world = world_with(settings[s], "friction='0.3'",
                                         FLOOR BOX("box", "0.03 0.1 0.01", "<ImplicitEuler/>")
                                             BOX("top", "0.05 0.22 0", "<SymplecticEuler/>") CLOTH,
                                         threads);
            advance(world, 0.2);
            size_t size = tac_world_snapshot_size(world);
            void *saved = malloc(size);
            assert_int_equal(tac_world_save(world, saved, size, NULL), TAC_OK);
            advance(world, 0.2);
            assert_true(tac_world_contact_count(world) > 0);
            uint64_t hash = tac_world_hash(world);
            if (threads == 1) expected = hash;
            assert_true(hash == expected);
            assert_int_equal(tac_world_restore(world, saved, size, NULL), TAC_OK);
            advance(world, 0.2);
            assert_true(tac_world_hash(world) == expected);
            free(saved);
            tac_world_destroy(world);
        }
    }
}

// Groups, and pairs that are kept apart.
static void groups_part_skins_too(void **state) {
    (void)state;
    static const char *const floors[] = {
        "<node name='floor'><Sheet divisions='7'/><Points/><Skin material='@/m' group='3' mask='1'/></node>",
        FLOOR "<ContactPair first_model='@/floor/skin' second_model='@/box/skin/skin' excluded='true'/>"};
    for (int i = 0; i < 2; i++) {
        char *bodies;
        assert_true(asprintf(&bodies, "%s%s", BOX("box", "0.03 0.08 0.01", "<ImplicitEuler/>"), floors[i]) >
                    0);
        TacWorld *world = world_with("", "", bodies, 1);
        free(bodies);
        advance(world, 0.5);
        assert_true(positions(world, "/box/frames")[1] < -0.5);
        tac_world_destroy(world);
    }
}

// Skins and balls pass each other under loose contact: that is said.
static void what_does_not_touch_is_remarked(void **state) {
    (void)state;
    for (int safe = 0; safe < 2; safe++) {
        char *text;
        assert_true(
            asprintf(
                &text,
                "<tactus version='1'><Contact method='%s'/><node name='floor'><Sheet/><Points/><Skin/></node>"
                "<node name='b'><Points positions='0 1 0'/><UniformMass/><Balls "
                "radius='0.1'/></node></tactus>",
                safe ? "safe" : "loose") > 0);
        TacScene *scene = empty_scene();
        TacError error;
        TacWorld *world = try_text(scene, text, &error);
        assert_non_null(world);
        assert_int_equal(tac_scene_message_count(scene), !safe);
        if (!safe) assert_non_null(strstr(tac_scene_message(scene, 0)->error.message, "not shapes or balls"));
        tac_world_destroy(world);
        tac_scene_destroy(scene);
        free(text);
    }
}

static void points_of_no_element_are_remarked(void **state) {
    (void)state;
    static const char *const meshes[] = {"<Mesh at='0 1 0 1 1 0 0 1 1' with_triangles='0 1 2'/>",
                                         "<Mesh at='0 1 0 1 1 0 0 1 1 3 1 3 4 1 3' with_triangles='0 1 2'/>",
                                         // the middle of it is inside, not alone
                                         "<Grid counts='3 3 3' split='true'/>"};
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text, "<tactus version='1'><node name='a'>%s<Points/><Skin/></node></tactus>",
                 meshes[i]);
        TacScene *scene = empty_scene();
        TacError error;
        TacWorld *world = try_text(scene, text, &error);
        assert_non_null(world);
        bool said = false;
        for (size_t k = 0; k < tac_scene_message_count(scene); k++)
            said = said || strstr(tac_scene_message(scene, k)->error.message, "2 of the points of /a/points");
        assert_int_equal(said, i == 1);
        tac_world_destroy(world);
        tac_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_no_element_are_remarked),
        cmocka_unit_test(what_does_not_touch_is_remarked),
        cmocka_unit_test(what_rests_is_carried),
        cmocka_unit_test(hits_keep_momentum),
        cmocka_unit_test(implicit_agents_keep_momentum),
        cmocka_unit_test(solvers_with_and_without_a_matrix_agree),
        cmocka_unit_test(nothing_else_changes_a_bit),
        cmocka_unit_test(groups_part_skins_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
