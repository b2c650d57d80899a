// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Friction acts on the surface of what is round and on a frame, not on its core: balls and capsules roll as they should, and
// what glances off each other keeps its angular momentum. What rests stays, and who looks when changes no bit.

#include "safe_checks.h"

#define FLOOR "<node name='floor'><Sheet divisions='1' width='40' depth='40'/><Points/><Skin/></node>"
#define BALL                                                                                                 \
    "<node name='ball'>%s<Frames positions='0 0.102 0.017 0 0 0 1' velocities='%s'/>"                        \
    "<UniformMass mass='1' inertia='0.004 0.004 0.004'/>%s</node>"
#define LYING                                                                                                \
    "<node name='ball'><Frames positions='0 0.102 0 0.5 0.5 0.5 0.5' velocities='%s'/>"                      \
    "<UniformMass mass='1' inertia='0.02 0.005 0.02'/><Shape shape='capsule' radius='0.1' "                  \
    "height='0.4'/></node>"

static const double g = 9.81;
static const char sphere[] = "<Shape shape='sphere' radius='0.1'/>";

static TacWorld *with_floor(double steepness, const char *thing) {
    double angle = atan(steepness);
    return MAKE("<tactus version='1' gravity='%.17g %.17g 0'>"
                "<Contact method='safe' restitution='0' thickness='0.002' friction='0.5'/>" FLOOR
                "%s</tactus>",
                g * sin(angle), -g * cos(angle), thing);
}

static TacWorld *make_ball(double steepness, const char *solver, const char *velocity, const char *surface) {
    char text[1024];
    snprintf(text, sizeof text, BALL, solver, velocity, surface);
    return with_floor(steepness, text);
}

// That it goes with v and turns with w after so long, but for a part.
static void expect_rolling(TacWorld *world, double after, double v, double w, double part) {
    advance(world, after);
    const double *is = speeds(world, "/ball/frames");
    if (!(fabs(is[0] / v - 1) < part && fabs(is[5] / w - 1) < part))
        fail_msg("%.6g m/s for %.6g, %.6g rad/s for %.6g", is[0], v, is[5], w);
    tac_world_destroy(world);
}

static void test_a_ball_that_slides_comes_to_roll(void **state) {
    (void)state;
    static const char *const surfaces[] = {
        sphere, "<Balls radius='0.1'/>",
        "<node name='k'><Points positions='0 0 0'/><RigidMap/><Balls radius='0.1'/></node>"};
    for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++)
        expect_rolling(make_ball(0, "", "1 0 0 0 0 0", surfaces[i]), 1, 5.0 / 7, -50.0 / 7, 0.01);
}

static void test_solvers_roll_as_well(void **state) {
    (void)state;
    static const char *const solvers[] = {"<Spook/>", "<SymplecticEuler/>", "<ImplicitEuler/>"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        expect_rolling(make_ball(0, solvers[i], "1 0 0 0 0 0", sphere), 1, 5.0 / 7, -50.0 / 7, 0.01);
        double v = 5.0 / 7 * g * sin(atan(0.25)) * 1.5;
        expect_rolling(make_ball(0.25, solvers[i], "0 0 0 0 0 0", sphere), 1.5, v, -10 * v, 0.015);
    }
}

static void test_a_ball_rolls_down_a_slope(void **state) {
    (void)state;
    double v = 5.0 / 7 * g * sin(atan(0.25)) * 1.5;
    expect_rolling(make_ball(0.25, "", "0 0 0 0 0 0", sphere), 1.5, v, -10 * v, 0.01);
}

static void test_a_ball_that_spins_moves_off(void **state) {
    (void)state;
    expect_rolling(make_ball(0, "", "0 0 0 0 0 -10", sphere), 1, 2.0 / 7, -20.0 / 7, 0.02);
}

static void test_a_capsule_rolls(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, LYING, "1 0 0 0 0 0");
    expect_rolling(with_floor(0, text), 1, 2.0 / 3, -20.0 / 3, 0.01);
}

// What has hardly any inertia turns at once, and does not swing.
static void test_a_hollow_ball_of_no_inertia_turns_at_once(void **state) {
    (void)state;
    for (double inertia = 1e-5; inertia > 1e-10; inertia *= 1e-2) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<node name='ball'><Frames positions='0 0.102 0.017 0 0 0 1' velocities='1 0 0 0 0 0'/>"
                 "<UniformMass mass='1' inertia='%g %g %g'/>%s</node>",
                 inertia, inertia, inertia, sphere);
        TacWorld *world = with_floor(0, text);
        double before = tac_world_energy(world).total;
        advance(world, 0.5);
        assert_true(tac_world_energy(world).total < before);
        expect_rolling(world, 0.5, 1, -10, 0.015);
    }
}

// Over seams as well.
static void test_a_ball_rolls_on_and_on(void **state) {
    (void)state;
    TacWorld *world =
        MAKE("<tactus version='1'><Contact method='safe' restitution='0' thickness='0.002' friction='0.5'/>"
             "<node name='floor'><Sheet divisions='160' width='8' depth='8'/><Points/><Skin/></node>" BALL
             "</tactus>",
             "", "1 0 0.31 0 0 0", sphere);
    advance(world, 0.5);
    const double *v = speeds(world, "/ball/frames");
    double before[] = {v[0], v[2]};
    advance(world, 3.5);
    assert_true(places(world, "/ball/frames")[0] > 2.5);
    for (int k = 0; k < 2; k++)
        assert_true(fabs(speeds(world, "/ball/frames")[2 * k] / before[k] - 1) < 0.01);
    tac_world_destroy(world);
}

static double away(TacVec3 a, TacVec3 b) {
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

// Two frames that glance off each other in free space, spinning.
static void test_what_glances_keeps_angular_momentum(void **state) {
    (void)state;
    static const char capsule[] = "<Shape shape='capsule' radius='0.1' height='0.3'/>",
                      box[] = "<Shape shape='box' size='0.2 0.2 0.2'/>",
                      rounded[] = "<node name='k'><Box low='-0.07 -0.07 -0.07' high='0.07 0.07 0.07'/>"
                                  "<Points/><RigidMap/><Skin radius='0.03'/></node>";
    const char *const pairs[][2] = {{sphere, sphere}, {sphere, capsule}, {capsule, capsule},
                                    {sphere, box},    {box, sphere},     {rounded, capsule}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        TacWorld *world =
            MAKE("<tactus version='1' gravity='0 0 0'>"
                 "<Contact method='safe' restitution='0.5' thickness='0.002' friction='0.5'/>"
                 "<node name='a'><Frames positions='-0.3 0.05 0.01 0 0 0 1' velocities='1 0 0 0 3 1'/>"
                 "<UniformMass mass='1' inertia='0.004 0.005 0.006'/>%s</node>"
                 "<node name='b'><Frames positions='0.3 -0.05 0 0 0 0 1' velocities='-1 0 0 1 0 2'/>"
                 "<UniformMass mass='1.7' inertia='0.007 0.005 0.009'/>%s</node></tactus>",
                 pairs[i][0], pairs[i][1]);
        TacMomentum before = tac_world_momentum(world);
        double energy = tac_world_energy(world).total;
        advance(world, 1);
        TacMomentum after = tac_world_momentum(world);
        assert_true(tac_world_energy(world).total < 0.95 * energy); // they met
        if (!(away(before.angular, after.angular) < 1e-12 && away(before.linear, after.linear) < 1e-12))
            fail_msg("%zu: angular momentum is off by %g, linear by %g", i,
                     away(before.angular, after.angular), away(before.linear, after.linear));
        tac_world_destroy(world);
    }
}

static void test_a_ball_that_bounces_gains_no_energy(void **state) {
    (void)state;
    for (double friction = 0.2; friction < 3; friction *= 3)
        for (double spin = -50; spin <= 50; spin += 50) {
            TacWorld *world =
                MAKE("<tactus version='1'><Contact method='safe' restitution='1' thickness='0.002' "
                     "friction='%g'/>" FLOOR
                     "<node name='ball'><Frames positions='0 0.3 0.017 0 0 0 1' velocities='1 0 0 3 0 %g'/>"
                     "<UniformMass mass='1' inertia='0.004 0.004 0.004'/>%s</node></tactus>",
                     friction, spin, sphere);
            double last = tac_world_energy(world).total;
            for (int i = 0; i < 10; i++) {
                advance(world, 0.3);
                double energy = tac_world_energy(world).total;
                if (!(energy < last + 0.004)) fail_msg("friction %g: %g J from %g", friction, energy, last);
                last = energy;
            }
            // it turned: by its surface
            assert_true(fabs(speeds(world, "/ball/frames")[5] - spin) > 1);
            tac_world_destroy(world);
        }
}

static const char *heap(const char *contact) {
    static char text[1 << 14];
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "<tactus version='1'><Contact method='safe' restitution='0.2' thickness='0.002' friction='0.5' %s/>"
        "<node name='floor'><Sheet divisions='3' width='2' depth='2'/><Points/><Skin/></node>"
        "<node name='cloth'><SymplecticEuler step='0.00125'/><Sheet divisions='5' width='0.3' depth='0.3'/>"
        "<Points translation='0.1 0.12 0.007'/><UniformMass mass='0.005'/><Springs stiffness='60' "
        "damping='0.02'/><Skin/></node>"
        "<node name='soft'><ImplicitEuler/><Grid counts='3 2 3' low='0 0.0025 0' high='0.2 0.1 0.2' "
        "split='true'/><Points/><UniformMass mass='0.02'/><Tetrahedra young='50000' poisson='0.3'/><Skin/>"
        "</node>",
        contact);
    static const char *const shapes[] = {
        "<Shape shape='sphere' radius='0.05'/>", "<Shape shape='capsule' radius='0.04' height='0.1'/>",
        "<node name='k'><Box low='-0.03 -0.03 -0.03' high='0.03 0.03 0.03'/><Points/><RigidMap/>"
        "<Skin radius='0.02'/></node>"};
    for (int i = 0; i < 9; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "<node name='b%d'><Frames positions='%g %g %g 0.1 0.2 %g 1' velocities='%g -3 0 3 0 %d'/>"
            "<UniformMass mass='0.3' inertia='0.0004 0.0003 0.0005'/>%s</node>",
            i, 0.17 * (i % 3) - 0.09, 0.24 + 0.23 * (i / 3), 0.02 * i, 0.3 * i, 0.4 - 0.1 * i, 2 * i,
            shapes[i % 3]);
    snprintf(text + n, sizeof text - n, "</tactus>");
    return text;
}

#define FOR 0.15 // s

static uint64_t heap_hash(const char *contact, int threads) {
    TacWorld *world = make_world(heap(contact), threads);
    advance(world, FOR);
    assert_true(tac_world_contact_stats(world).kicks > 5000);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_who_looks_and_what_is_restored_changes_nothing(void **state) {
    (void)state;
    static const char *const ways[] = {"vagueness='0'", "vagueness='10'", "cone='true'",
                                       "k='26'",        "cull='false'",   "tree='front'"};
    uint64_t plain = heap_hash("", 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (heap_hash(ways[i], 1) != plain) fail_msg("%s changes the result", ways[i]);
    for (int threads = 2; threads <= 3; threads++) assert_true(heap_hash("", threads) == plain);
    for (double part = 0.3; part < 1; part += 0.3)
        expect_resumed(make_world(heap(""), 1), make_world(heap(""), 2), part * FOR, FOR, plain);
}

// Three balls side by side and one on them; and one that a step holds on a slope.
static void test_balls_rest(void **state) {
    (void)state;
    static const char *const things[] = {
        "<node name='ball'><Frames positions='0 0.1019 0 0 0 0 1  0.2038 0.1019 0 0 0 0 1  "
        "0.1019 0.1019 0.176497 0 0 0 1  0.1019 0.2683 0.058832 0 0 0 1'/>"
        "<UniformMass mass='1' inertia='0.004 0.004 0.004'/><Balls radius='0.1'/></node>",
        "<node name='step'><Box low='0.11 0.001 -0.3' high='0.2 0.3 0.3'/><Points/><Skin/></node>"
        "<node name='ball'><Frames positions='0 0.1019 0.013 0 0 0 1'/>"
        "<UniformMass mass='1' inertia='0.004 0.004 0.004'/><Balls radius='0.1'/></node>"};
    for (int i = 0; i < 2; i++) {
        TacWorld *world = with_floor(0.2 * i, things[i]);
        advance(world, 3);
        for (int k = 0; k < 20; k++) {
            advance(world, 0.0137);
            for (int b = 0; b < (i ? 1 : 4); b++) {
                const double *v = speeds(world, "/ball/frames") + 6 * b;
                double speed = hypot(hypot(v[0], v[1]), v[2]), spin = hypot(hypot(v[3], v[4]), v[5]);
                if (!(speed < 1e-3 && 0.1 * spin < 1e-3)) fail_msg("%g m/s, %g rad/s", speed, spin);
            }
        }
        tac_world_destroy(world);
    }
}

// A wall that turns on takes along what lies on it.
static void test_rollers_carry_a_board(void **state) {
    (void)state;
    TacWorld *world = MAKE(
        "<tactus version='1'><Contact method='safe' restitution='0' thickness='0.002' friction='0.5'/>"
        "<node name='rollers'><Frames positions='-0.3 0 0 0.70710678118654757 0 0 0.70710678118654757  "
        "0.3 0 0 0.70710678118654757 0 0 0.70710678118654757' velocities='0 0 0 0 0 -2  0 0 0 0 0 -2'/>"
        "<Shape shape='capsule' radius='0.1' height='0.4'/></node>"
        "<node name='board'><Frames positions='-0.1 0.122 0 0 0 0 1'/><UniformMass mass='1' box='1.2 0.04 "
        "0.2'/><Shape shape='box' size='1.2 0.04 0.2'/></node></tactus>");
    advance(world, 0.5);
    assert_true(fabs(speeds(world, "/board/frames")[0] / 0.2 - 1) < 0.02);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ball_that_slides_comes_to_roll),
        cmocka_unit_test(test_solvers_roll_as_well),
        cmocka_unit_test(test_a_ball_rolls_down_a_slope),
        cmocka_unit_test(test_a_ball_that_spins_moves_off),
        cmocka_unit_test(test_a_capsule_rolls),
        cmocka_unit_test(test_a_hollow_ball_of_no_inertia_turns_at_once),
        cmocka_unit_test(test_a_ball_rolls_on_and_on),
        cmocka_unit_test(test_what_glances_keeps_angular_momentum),
        cmocka_unit_test(test_a_ball_that_bounces_gains_no_energy),
        cmocka_unit_test(test_who_looks_and_what_is_restored_changes_nothing),
        cmocka_unit_test(test_balls_rest),
        cmocka_unit_test(test_rollers_carry_a_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
