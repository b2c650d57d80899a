// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of worlds that mix everything: the examples of examples/together, audited and repeated; agents of all kinds that touch in
// a world with safe contact, against weights and momenta that must come out.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

// The value of a probe, from a frame of the recording.
static double probed(TacWorld *world, const char *channel) {
    TacError error;
    const TacRecordingDef *def = tac_world_recording_def(world, &error);
    const TacFrame *frame = tac_world_frame(world);
    for (size_t i = 0; i < def->channel_count; i++)
        if (!strcmp(def->channels[i].name, channel)) return frame->channels[i];
    fail_msg("no channel %s", channel);
    return 0;
}

// --- examples -----------------------------------------------------------------------------------------------

static void same_bits(const char *path, double before, double after) {
    uint64_t one = hash_after(world_of_file(path, 1), before + after);
    assert_true(hash_after(world_of_file(path, 2), before + after) == one);
    assert_true(hash_after(world_of_file(path, 8), before + after) == one);
    assert_true(hash_resumed(world_of_file(path, 2), world_of_file(path, 1), before, after) == one);
}

static void test_safe_world_is_audited(void **state) {
    (void)state;
    TacWorld *world = world_of_file("examples/together/safe.tac", 1);
    TacError error;
    double start = tac_world_energy(world).total;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    advance(world, 0.4);
    TacAuditSummary audit = tac_world_audit_summary(world);
    assert_true(audit.questions > 1000);
    assert_int_equal(audit.violations, 0);
    assert_true(tac_world_energy(world).total < 1.02 * start);
    tac_world_destroy(world);
}

static void test_safe_world_has_the_same_bits(void **state) {
    (void)state;
    same_bits("examples/together/safe.tac", 0.11, 0.1);
}

static void test_loose_world_has_the_same_bits(void **state) {
    (void)state;
    same_bits("examples/together/loose.tac", 0.55, 0.55);
}

static void test_mixed_formats(void **state) {
    (void)state;
    same_bits("examples/together/mixed.tac", 0.2, 0.2);
    TacWorld *world = world_of_file("examples/together/mixed.tac", 1);
    advance(world, 1);
    assert_true(probed(world, "probe/touch/push") > 12 * 0.02 * 9.81); // at least their weight
    // they lie on the slab, whose rim is held
    const double *x = tac_world_positions(world, tac_world_find(world, "/cordis/marbles/balls"));
    for (int i = 0; i < 12; i++) assert_true(x[3 * i + 1] > 0.05 && x[3 * i + 1] < 0.3);
    tac_world_destroy(world);
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// An included SOFA scene keeps its gravity, and its dt is the step of its solver.
static void test_included_sofa_keeps_its_world(void **state) {
    (void)state;
    char folder[] = "/tmp/tactus_together_XXXXXX", path[256];
    assert_non_null(mkdtemp(folder));
    write_file(
        folder, "inner.scn",
        "<Node name='root' gravity='0 -5 0' dt='0.02'><Node name='n'><EulerImplicitSolver/><CGLinearSolver "
        "iterations='20' tolerance='1e-12' threshold='1e-12'/><MechanicalObject name='state' "
        "position='0 0 0'/><UniformMass totalMass='2'/></Node></Node>");
    write_file(
        folder, "outer.tac",
        "<tactus version='1' dt='0.01'><include file='inner.scn' name='sofa'/>"
        "<node name='own'><SymplecticEuler/><Points positions='1 0 0'/><UniformMass/></node></tactus>");
    snprintf(path, sizeof path, "%s/outer.tac", folder);
    TacWorld *world = world_of_file(path, 1);
    assert_true(tac_world_agent(world, 0).step == 0.02);
    assert_true(tac_world_agent(world, 1).step == 0.01);
    advance(world, 1);
    assert_true(fabs(tac_world_velocities(world, tac_world_find(world, "/sofa/n/state"))[1] + 5) < 1e-9);
    assert_true(fabs(tac_world_velocities(world, tac_world_find(world, "/own/points"))[1] + 9.81) < 1e-9);
    tac_world_destroy(world);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_crane(void **state) {
    (void)state;
    same_bits("examples/together/crane.tac", 3.5, 4);
    TacWorld *world = world_of_file("examples/together/crane.tac", 1);
    double one = tac_world_positions(world, tac_world_find(world, "/one/frames"))[0];
    advance(world, 14);
    assert_string_equal(tac_world_stopped_by(world), "/parted");
    TacContactEvent event;
    size_t fired = 0;
    while (tac_world_events(world, &event, 1, NULL) == 1) fired += event.kind == TAC_TRIGGER_FIRES;
    assert_int_equal(fired, 14);
    assert_true(tac_world_positions(world, tac_world_find(world, "/one/frames"))[0] > one + 2);
    // both loads lie on the ground again
    assert_true(fabs(probed(world, "probe/load_on_ground") - 2 * 60 * 9.81) < 60);
    tac_world_destroy(world);
}

// A sleeping load is caught, lifted and dropped under safe contact.
static void test_catch(void **state) {
    (void)state;
    same_bits("examples/together/catch.tac", 1.1, 0.2);
    TacWorld *world = world_of_file("examples/together/catch.tac", 1);
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    advance(world, 4.5);
    TacContactEvent event;
    size_t sleeps = 0, wakes = 0, merges = 0, parts = 0;
    while (tac_world_events(world, &event, 1, NULL) == 1) {
        sleeps += event.kind == TAC_AGENT_SLEEPS;
        wakes += event.kind == TAC_AGENT_WAKES;
        merges += event.kind == TAC_AGENT_MERGES;
        parts += event.kind == TAC_AGENT_PARTS;
    }
    assert_true(sleeps >= 2 && wakes >= 1);
    assert_int_equal(merges, 2);
    assert_int_equal(parts, 2);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

// --- agents that rest on layers -----------------------------------------------------------------------------

#define FLOOR                                                                                                \
    "<Contact method='safe' thickness='0.005' friction='0.5'/>"                                              \
    "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><FixedPoints points='0-3'/>"      \
    "<Skin name='skin'/></node>"
#define BOX "<Box low='-0.1 -0.1 -0.1' high='0.1 0.1 0.1'/><Points/><RigidMap/><Skin name='skin'/>"

// A box on the floor with another locked on top: the lock carries one weight, the layers two.
static void test_joints_see_the_layers(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01'>" FLOOR "<node name='rig'><Spook/>"
        "<node name='box'><Frames positions='0 0.104 0 0 0 0 1'/><UniformMass mass='1' box='0.2 0.2 0.2'/>"
        "<node name='shape'>" BOX "</node></node>"
        "<node name='lid'><Frames positions='0 0.404 0 0 0 0 1'/><UniformMass mass='1' box='0.2 0.2 0.2'/>"
        "<LockJoint name='lock' other='@../box/frames'/></node></node>"
        "<ContactProbe name='push' model='@rig/box/shape/skin' other='@floor/skin'/></tactus>");
    advance(world, 1);
    double lock = 0;
    for (size_t i = 0; i < 3; i++) {
        double f = output(world, "/rig/lid/lock", "forces", i);
        lock += f * f;
    }
    assert_true(fabs(sqrt(lock) - 9.81) < 1e-6);
    assert_true(fabs(probed(world, "probe/push") - 2 * 9.81) < 1e-6);
    assert_true(fabs(tac_world_momentum(world).linear.y) < 1e-3);
    tac_world_destroy(world);
}

// A box that hangs on a wire and stands on the floor: a slack wire carries nothing.
static void test_a_slack_wire_carries_nothing(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01'>" FLOOR "<node name='rig'><Spook step='0.0025'/>"
        "<node name='box'><Frames positions='0 0.104 0 0 0 0 1'/><UniformMass mass='1' box='0.2 0.2 0.2'/>"
        "<node name='shape'>" BOX "</node></node>"
        "<node name='wire'><Line divisions='4' from='0 0.7 0' to='0 0.204 0'/><Points/>"
        "<Wire mass='0.04' end='@../box/frames' length='0.52'/><FixedPoints points='0'/></node></node>"
        "<ContactProbe name='push' model='@rig/box/shape/skin'/></tactus>");
    advance(world, 2);
    // the box, and at most all of the wire
    double push = probed(world, "probe/push");
    assert_true(push > 9.80 && push < 1.05 * 9.81);
    tac_world_destroy(world);
}

// Agents of four kinds meet in empty space: what one loses the others gain.
static void test_momentum_is_kept(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'>"
        "<Contact method='safe' thickness='0.01' friction='0.3' restitution='0.5' speed='1'/>"
        "<node name='cloth'><ImplicitEuler/><Sheet divisions='3' width='0.4' depth='0.4'/><Points/>"
        "<UniformMass total='0.2'/><Springs stiffness='200' damping='0.1'/><Skin/></node>"
        "<node name='rock'><Frames positions='0.03 0.15 0.02 0.1 0.2 0 0.97' velocities='0 -1 0 0 0 0'/>"
        "<UniformMass mass='0.3' box='0.1 0.1 0.1'/><node name='s'><Box low='-0.05 -0.05 -0.05' "
        "high='0.05 0.05 0.05'/><Points/><RigidMap/><Skin/></node></node>"
        "<node name='rig'><Spook/><node name='a'><Frames positions='0 -0.2 0 0 0 0 1' velocities='0 1 0 0 0 "
        "0'/>"
        "<UniformMass mass='0.2' box='0.1 0.1 0.1'/><node name='s'><Box low='-0.05 -0.05 -0.05' "
        "high='0.05 0.05 0.05'/><Points/><RigidMap/><Skin/></node></node>"
        "<node name='b'><Frames positions='0.3 -0.2 0 0 0 0 1' velocities='0 1 0 0 0 0'/><UniformMass "
        "mass='0.2' "
        "box='0.1 0.1 0.1'/><BallJoint other='@../a/frames' at='0.15 -0.2 0'/></node></node>"
        "<node name='balls'><Points positions='-0.05 0.3 0 0.02 0.34 0.01' velocities='0 -1 0 0 -1 0'/>"
        "<UniformMass mass='0.01'/><Springs pairs='0 1' stiffness='5'/><Balls "
        "radius='0.02'/></node></tactus>");
    TacMomentum start = tac_world_momentum(world);
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    advance(world, 0.6);
    TacMomentum end = tac_world_momentum(world);
    TacContactEvent event;
    size_t begins = 0;
    while (tac_world_events(world, &event, 1, NULL) == 1) begins += event.kind == TAC_CONTACT_BEGINS;
    assert_true(begins >= 2);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    assert_true(tac_norm(tac_sub(end.linear, start.linear)) < 1e-9);
    tac_world_destroy(world);
}

// A light ball at speed is no hammer: the box on its wire does not gain more than the ball had.
static void test_a_light_ball_is_no_hammer(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'>"
        "<Contact method='safe' thickness='0.008' friction='0' restitution='1' speed='1'/>"
        "<node name='rig'><Spook step='0.00125'/><node name='box'><Frames positions='0 0 0 0 0 0 1'/>"
        "<UniformMass mass='0.3' box='0.2 0.2 0.2'/><node name='s'>" BOX "</node></node>"
        "<node name='b'><Frames positions='0 -0.5 0 0 0 0 1'/><UniformMass mass='0.3' box='0.2 0.2 0.2'/>"
        "<LockJoint other='@../box/frames'/></node></node>"
        "<node name='ball'><Points positions='0.01 0.16 0.02' velocities='0 -4 0'/><UniformMass mass='0.01'/>"
        "<Balls radius='0.02'/></node></tactus>");
    double start = tac_world_energy(world).kinetic;
    for (int i = 0; i < 20; i++) {
        advance(world, 0.01);
        assert_true(tac_world_energy(world).kinetic < 1.1 * start);
    }
    // elastic: v' = (m - M)/(m + M) v, nearly, as the hit is a little off the centre
    double v = tac_world_velocities(world, tac_world_find(world, "/ball/points"))[1];
    assert_true(v > 3.4 && v < 4);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_safe_world_is_audited),
        cmocka_unit_test(test_safe_world_has_the_same_bits),
        cmocka_unit_test(test_loose_world_has_the_same_bits),
        cmocka_unit_test(test_mixed_formats),
        cmocka_unit_test(test_included_sofa_keeps_its_world),
        cmocka_unit_test(test_crane),
        cmocka_unit_test(test_catch),
        cmocka_unit_test(test_joints_see_the_layers),
        cmocka_unit_test(test_a_slack_wire_carries_nothing),
        cmocka_unit_test(test_momentum_is_kept),
        cmocka_unit_test(test_a_light_ball_is_no_hammer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
