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
    static const double speeds_before[] = {0.6, 1, 3, 30};
    for (size_t i = 0; i < 3; i++)
        for (int k = 0; k < 40; k++)
            for (int loss = 0; loss < 2; loss++) {
                double v = speeds_before[k / 10], eta = 1e-3 * (1 + 0.13 * (k % 10)), e = loss ? 0.2 : 0;
                double left = speed_left(cases[i].thing, cases[i].path, e, eta, v);
                if (!(loss ? fabs(left - e) < 0.02 : left < 0.08))
                    fail_msg("thing %zu at %g m/s, layers of %g m: e = %g leaves at %g", i, v, eta, e, left);
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
        cmocka_unit_test(test_light_under_heavy_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
