// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Hits that lose their speed under safe contact: what should not rebound hardly does, however slow the hit is beside the
// speed that layers are made for; and it leaves deep layers soon, so that a light thing under a heavy one is no end
// of the run.

#include "safe_checks.h"

// A floor so wide that the usual speed of its scene is 5 m/s.
#define WIDE_FLOOR "<node name='floor'><Sheet divisions='1' width='20' depth='20'/><Points/><Skin/></node>"

// Thrown at a floor without gravity: its speed afterwards over that before.
static double speed_left(const char *thing, const char *path, double e, double eta, double v) {
    TacWorld *world =
        MAKE("<tactus version='1' gravity='0 0 0'><Contact method='safe' friction='0' restitution='%g' "
             "thickness='%g'/>" WIDE_FLOOR "<node name='thing'>%s</node></tactus>",
             e, eta, thing);
    TacComponentId id = tac_world_find(world, path);
    TacError error = {0};
    double thrown[6] = {0, -v, 0, 0, 0, 0};
    assert_int_equal(tac_world_set_state(world, id, NULL, thrown, &error), TAC_OK);
    advance(world, (0.004 + 40 * eta) / v);
    double left = speeds(world, path)[1] / v;
    tac_world_destroy(world);
    return left;
}

#define BALL "<Points positions='0.1 0.054 0.23'/><UniformMass mass='1'/><Balls radius='0.05'/>"
#define BODY "<Frames positions='0.1 0.054 0.23 0 0 0 1'/><UniformMass mass='1' box='0.1 0.1 0.1'/>"

static void test_slow_hits_lose_their_speed(void **state) {
    (void)state;
    static const struct {
        const char *thing, *path;
    } cases[] = {{BALL, "/thing/points"},
                 {BODY "<Shape shape='sphere' radius='0.05'/>", "/thing/frames"},
                 {BODY "<Shape size='0.1 0.1 0.1'/>", "/thing/frames"}};
    // where in a tick it turns round differs in all of these
    static const double speeds_before[] = {0.004, 0.03, 0.6, 1, 3, 30};
    for (size_t i = 0; i < 3; i++)
        for (int k = 0; k < 60; k++)
            for (int loss = 0; loss < 2; loss++) {
                double v = speeds_before[k / 10], eta = 1e-3 * (1 + 0.13 * (k % 10)), e = loss ? 0.2 : 0;
                double left = speed_left(cases[i].thing, cases[i].path, e, eta, v);
                if (!(loss ? fabs(left - e) < 0.02 : left < 0.08))
                    fail_msg("thing %zu at %g m/s, layers of %g m: e = %g leaves at %g", i, v, eta, e, left);
            }
}

// A plate of 13 x 13 points that is all but flat, so that all of them are corners that touch a floor at once.
static const char *uneven_plate(void) {
    enum { SIDES = 12, ROW = SIDES + 1, ROOM = 1 << 15 };
    static char text[ROOM];
    size_t n = (size_t)snprintf(text, ROOM, "<Mesh at='");
    for (int i = 0; i < ROW * ROW; i++)
        n += (size_t)snprintf(text + n, ROOM - n, "%.9g %.12g %.9g ", 0.1 / SIDES * (i / ROW) - 0.05,
                              -0.05 + 1e-8 * (i * 7919 % 1000) / 1000, 0.1 / SIDES * (i % ROW) - 0.05);
    n += (size_t)snprintf(text + n, ROOM - n, "' with_triangles='");
    for (int i = 0; i < SIDES * SIDES; i++) {
        int a = i / SIDES * ROW + i % SIDES, b = a + ROW + 1;
        n += (size_t)snprintf(text + n, ROOM - n, "%d %d %d %d %d %d ", a, a + 1, b, a, b, b - 1);
    }
    snprintf(text + n, ROOM - n, "'/>");
    return text;
}

// Many corners of one body that touch at once change its speed as one contact does.
static void test_flat_landings(void **state) {
    (void)state;
    const char *meshes[] = {"<Box low='-0.05 -0.05 -0.05' high='0.05 0.05 0.05' divisions='24'/>",
                            "<Cylinder radius='0.05' height='0.1' sides='80'/>", uneven_plate()};
    // its inertia, too, says how hard corners may be pushed
    static const char *const masses[] = {"0.1 0.1 0.1", "0.3 0.3 0.3"};
    static const double kept[] = {1, 0.8, 0.2}, speeds_before[] = {0.6, 2, 5};
    static char thing[1 << 15];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 9; k++) {
            int room = snprintf(thing, sizeof thing,
                                "<Frames positions='0.1 0.054 0.23 0 0 0 1'/><UniformMass mass='1' box='%s'/>"
                                "<node name='skin'>%s<Points/><RigidMap/><Skin/></node>",
                                masses[i / 3], meshes[i % 3]);
            assert_true(room < (int)sizeof thing);
            double e = kept[k / 3], v = speeds_before[k % 3];
            double left = speed_left(thing, "/thing/frames", e, 1e-3, v);
            if (!(fabs(left - e) < 0.02 && left < 1.005))
                fail_msg("mesh %d, inertia %d, at %g m/s: e = %g leaves at %g", i % 3, i / 3, v, e, left);
        }
}

#define BOX_AT                                                                                               \
    "<node name='%s'><Frames positions='0 %g 0 0 0 0 1' velocities='0 %g 0 0 0 0'/><UniformMass mass='1' "   \
    "box='0.2 0.2 0.2'/><node name='skin'><Box low='-0.1 -0.1 -0.1' high='0.1 0.1 0.1' divisions='8'/>"      \
    "<Points/><RigidMap/><Skin/></node></node>"

// Two bodies in line, with corners above corners and edges along edges.
static void test_aligned_landings(void **state) {
    (void)state;
    for (double v = 0.6; v < 6; v *= 2) {
        TacWorld *world =
            MAKE("<tactus version='1' gravity='0 0 0'><Contact method='safe' friction='0' restitution='1' "
                 "thickness='0.002'/>" BOX_AT BOX_AT "</tactus>",
                 "lower", 0.0, v, "upper", 0.205, 0.0);
        advance(world, 0.02 / v);
        double left = (speeds(world, "/upper/frames")[1] - speeds(world, "/lower/frames")[1]) / v;
        if (!(fabs(left - 1) < 0.01)) fail_msg("at %g m/s: leaves at %g", v, left);
        tac_world_destroy(world);
    }
}

// A hundred metres a second, and ten thousand times the mass: it goes on, and nobody is at it for long.
static void test_light_under_heavy_goes_on(void **state) {
    (void)state;
    TacWorld *world = MAKE(
        "<tactus version='1'><Contact method='safe' friction='0' restitution='0' "
        "thickness='0.001'/>"
        "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><Skin/></node><node "
        "name='light'><Points positions='0.21 0.0212 0.5'/><UniformMass mass='0.001'/>"
        "<Balls radius='0.02'/></node><node name='heavy'><Points positions='0.21 0.1 0.5' velocities='0 -100 "
        "0'/><UniformMass mass='10'/><Balls radius='0.05'/></node></tactus>");
    advance(world, 0.01);
    assert_true(tac_world_contact_stats(world).kicks < 150000);
    assert_true(fabs(speeds(world, "/heavy/points")[1]) < 50);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_hits_lose_their_speed),
        cmocka_unit_test(test_flat_landings),
        cmocka_unit_test(test_aligned_landings),
        cmocka_unit_test(test_light_under_heavy_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
