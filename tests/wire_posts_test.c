// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Joints and wires under safe contact gain no energy: heavy loads on light wires that swing around posts, and boxes on joints
// that hit a floor. Steps are as long as in other worlds; layers are met in the middle of them.

#include "safe_checks.h"

typedef struct Swing {
    double load, speed, step;
    double friction, restitution;
    double radius, x, y; // of the post
    int sides;
} Swing;

static TacWorld *swing(const Swing *s, const char *levels) {
    return MAKE(
        "<tactus version='1' dt='%.17g'><Contact method='safe' thickness='0.01' friction='%g' "
        "restitution='%g' "
        "speed='2'/><node name='post'><Cylinder radius='%g' height='1' sides='%d' rotation='90 0 0' "
        "translation='%g %g -0.5'/><Points/><FixedPoints box='-9 -9 -9 9 9 9'/><Skin/></node><node "
        "name='swing'><Spook/><node name='load'><Frames positions='0 -2 0 0 0 0 1' velocities='%g 0 0 0 0 "
        "0'/><UniformMass mass='%g' box='0.3 0.3 0.3'/><node name='shape'><Box low='-0.15 -0.33 -0.15' "
        "high='0.15 "
        "-0.03 0.15'/><Points/><RigidMap/><Skin/></node></node><node name='wire'><Line divisions='16' to='0 "
        "-2 "
        "0'/><Points/><Wire mass='0.5' end='@../load/frames' %s/><FixedPoints points='0'/><Skin "
        "radius='0.01'/></node></node></tactus>",
        s->step, s->friction, s->restitution, s->radius, s->sides, s->x, s->y, s->speed, s->load, levels);
}

// Against what the load came with.
static void gains_nothing(const Swing *s, const char *levels) {
    TacWorld *world = swing(s, levels);
    double start = tac_world_energy(world).total, put_in = 0.5 * s->load * s->speed * s->speed, most = 0;
    for (double t = 0; t < 2; t += s->step) {
        advance(world, s->step);
        most = fmax(most, (tac_world_energy(world).total - start) / put_in);
    }
    assert_true(tac_world_contact_stats(world).kicks > 1000);
    if (!(most < 0.1))
        fail_msg("%g kg at %g m/s, %g s, %s: it gains %g times the energy that it came with", s->load,
                 s->speed, s->step, levels, most);
    tac_world_destroy(world);
}

static void test_loads_around_posts(void **state) {
    (void)state;
    const Swing posts[] = {
        {.speed = 4, .friction = 0.2, .restitution = 0.2, .radius = 0.1, .x = 0.5, .y = -1, .sides = 8},
        {.speed = 3, .friction = 0.5, .radius = 0.1, .x = 0.5, .y = -0.7, .sides = 8},
        {.speed = 5, .restitution = 0.8, .radius = 0.2, .x = 0.6, .y = -1, .sides = 20}};
    const double loads[] = {0.5, 5, 20, 100};
    for (size_t p = 0; p < sizeof posts / sizeof *posts; p++)
        for (size_t l = 0; l < sizeof loads / sizeof *loads; l++)
            for (int k = 0; k < 2; k++) {
                Swing s = posts[p];
                s.load = loads[l];
                s.step = k ? 0.01 : 1.0 / 60;
                gains_nothing(&s, "");
            }
}

static void test_wires_without_masses(void **state) {
    (void)state;
    Swing s = {20, 4, 1.0 / 60, 0.2, 0.2, 0.1, 0.5, -1, 8};
    gains_nothing(&s, "lowest='-1'");
}

// Two boxes on a ball joint, of which one hits.
static void test_boxes_on_joints_hit_a_floor(void **state) {
    (void)state;
    const double masses[] = {0.1, 10, 1000};
    for (size_t m = 0; m < 3; m++)
        for (double speed = 1; speed < 21; speed *= sqrt(20))
            for (int k = 0; k < 4; k++) {
                double step = k % 2 ? 0.01 : 1.0 / 60, e = k / 2, gap = 0.02 + 0.37 * speed * step, most = 0;
                TacWorld *world = MAKE(
                    "<tactus version='1' dt='%.17g' gravity='0 0 0'><Contact method='safe' restitution='%g' "
                    "thickness='0.005' friction='0'/><node name='floor'><Sheet divisions='1' width='8' "
                    "depth='8'/><Points/><Skin/></node><node name='n'><Spook/><node name='box'><Frames "
                    "positions='0 "
                    "%g 0 0.1 0.2 0.05 0.97' velocities='0 %g 0 0 0 0'/><UniformMass mass='%g' box='0.2 0.2 "
                    "0.2'/><node name='shape'><Box low='-0.1 -0.1 -0.1' high='0.1 0.1 "
                    "0.1'/><Points/><RigidMap/><Skin/></node></node><node name='other'><Frames "
                    "positions='0.5 %g 0 0 "
                    "0 0 1' velocities='0 %g 0 0 0 0'/><UniformMass mass='%g' box='0.2 0.2 0.2'/><BallJoint "
                    "at='0.25 "
                    "%g 0' other='@../box/frames'/></node></node></tactus>",
                    step, e, gap + 0.15, -speed, masses[m], gap + 0.15, -speed, masses[m], gap + 0.15);
                double start = tac_world_energy(world).total;
                for (double t = 0; t < 2 * gap / speed + 10 * step; t += step / 4) {
                    advance(world, step / 4);
                    most = fmax(most, tac_world_energy(world).total / start);
                }
                assert_true(tac_world_contact_stats(world).kicks > 10);
                if (!(most < 1.01))
                    fail_msg("%g kg at %g m/s, %g s, e = %g: %g times the energy", masses[m], speed, step, e,
                             most);
                tac_world_destroy(world);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_around_posts),
        cmocka_unit_test(test_wires_without_masses),
        cmocka_unit_test(test_boxes_on_joints_hit_a_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
