// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents that joints make one while time runs, and that part again: against one solver for both from the start,
// against the velocities of an inelastic catch, and against each other for threads, snapshots and the audit.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

static const double *state(TacWorld *world, const char *path, bool velocities) {
    TacComponentId id = tac_world_find(world, path);
    const double *numbers = velocities ? tac_world_velocities(world, id) : tac_world_positions(world, id);
    if (!numbers) fail_msg("no matter %s", path);
    return numbers;
}

static size_t count_events(TacWorld *world, TacContactEventKind kind) {
    TacContactEvent event;
    size_t n = 0;
    while (tac_world_events(world, &event, 1, NULL) == 1) n += event.kind == kind;
    return n;
}

// --- a catch in empty space -----------------------------------------------------------------------------------

// Two bodies pass each other; a joint closes between them after 0.1 s and opens after 0.3 s. `solver` is that of the
// second one.
static TacWorld *passing(const char *solver, const char *joint) {
    char *text = NULL;
    assert_true(
        asprintf(&text,
                 "<tactus version='1' dt='0.01' gravity='0 0 0'>"
                 "<node name='a'><Spook step='0.0025'/>"
                 "<node name='b'><Frames positions='0 0 0 0 0 0 1' velocities='1 0 0 0 0 0.5'/>"
                 "<UniformMass mass='2' box='0.2 0.3 0.4'/></node>"
                 "<node name='pendant'><Frames positions='-0.5 0 0 0 0 0 1' velocities='1 0 0 0 0 0.5'/>"
                 "<UniformMass mass='0.5' box='0.1 0.1 0.1'/><BallJoint other='@../b/frames' at='-0.25 0 "
                 "0'/></node></node>"
                 "<node name='c'>%s<Frames positions='0.4 0.3 0 0 0 0 1' velocities='-1 0.2 0.1 0.3 0 0'/>"
                 "<UniformMass mass='3' box='0.3 0.2 0.1'/>%s</node>"
                 "<Trigger when='time' value='0.1' then='close' what='@c/link'/>"
                 "<Trigger when='time' value='0.3' then='open' what='@c/link'/></tactus>",
                 solver, joint) > 0);
    TacWorld *world = world_of(text);
    free(text);
    return world;
}

static double difference(TacMomentum a, TacMomentum b) {
    return tac_norm(tac_sub(a.linear, b.linear)) + tac_norm(tac_sub(a.angular, b.angular));
}

#define LOCK "<LockJoint name='link' other='@/a/b/frames' open='true'/>"

static void check_catch(const char *solver) {
    TacWorld *world = passing(solver, LOCK);
    TacMomentum start = tac_world_momentum(world);
    advance(world, 0.105);
    assert_int_equal(count_events(world, TAC_AGENT_MERGES), 2);
    double kicks = (double)agent(world, "/a").kicks;
    advance(world, 0.155);
    // while they are one, one solver kicks for both, and they move as one body
    assert_true((double)agent(world, "/a").kicks == kicks);
    assert_true(agent(world, "/a+").kicks > 50);
    assert_true(agent(world, "/a+").step == 0.0025);
    const double *b = state(world, "/a/b/frames", true), *c = state(world, "/c/frames", true);
    for (int k = 3; k < 6; k++) assert_true(fabs(b[k] - c[k]) < 5e-3); // they tumble a little in a step
    TacVec3 arm =
        tac_sub(tac_load3(state(world, "/c/frames", false)), tac_load3(state(world, "/a/b/frames", false)));
    TacVec3 there = tac_add(tac_load3(b), tac_cross(tac_load3(b + 3), arm));
    assert_true(tac_norm(tac_sub(there, tac_load3(c))) < 0.05);
    assert_true(difference(tac_world_momentum(world), start) < 1e-12);
    advance(world, 0.2);
    assert_int_equal(count_events(world, TAC_AGENT_PARTS), 2);
    assert_true((double)agent(world, "/a").kicks > kicks);
    assert_true(difference(tac_world_momentum(world), start) < 1e-12);
    // free again: nothing pulls at the second body
    double before = state(world, "/c/frames", true)[0];
    advance(world, 0.1);
    assert_true(state(world, "/c/frames", true)[0] == before);
    tac_world_destroy(world);
}

static void test_spook_and_spook(void **state_) {
    (void)state_;
    check_catch("<Spook/>");
}

static void test_spook_and_symplectic(void **state_) {
    (void)state_;
    check_catch("<SymplecticEuler step='0.005'/>");
}

static void test_spook_and_free_flight(void **state_) {
    (void)state_;
    check_catch("");
}

// --- the same as one solver from the start ----------------------------------------------------------------------

// A chain of three bodies that hangs from the world: under one Spook, and under three agents with closed links.
static TacWorld *chain(bool apart) {
    char *text = NULL;
    const char *own = apart ? "<Spook step='0.005'/>" : "";
    assert_true(
        asprintf(&text,
                 "<tactus version='1' dt='0.01'>%s"
                 "<node name='a'>%s<Frames positions='0.3 0 0 0 0 0 1'/><UniformMass mass='1' box='0.6 0.1 "
                 "0.1'/><BallJoint at='0 0 0'/></node>"
                 "<node name='b'>%s<Frames positions='0.9 0 0 0 0 0 1'/><UniformMass mass='2' box='0.6 0.1 "
                 "0.1'/><HingeJoint other='@/a/frames' at='0.6 0 0' axis='0 0 1'/></node>"
                 "<node name='c'>%s<Frames positions='1.5 0 0 0 0 0 1'/><UniformMass mass='1' box='0.6 0.1 "
                 "0.1'/><BallJoint other='@/b/frames' at='1.2 0 0'/></node></tactus>",
                 apart ? "" : "<Spook step='0.005'/>", own, own, own) > 0);
    TacWorld *world = world_of(text);
    free(text);
    return world;
}

static void test_closed_links_are_one_solver(void **state_) {
    (void)state_;
    TacWorld *one = chain(false), *three = chain(true);
    advance(one, 1);
    advance(three, 1);
    static const char *const paths[] = {"/a/frames", "/b/frames", "/c/frames"};
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(state(one, paths[i], false), state(three, paths[i], false), 7 * sizeof(double));
    tac_world_destroy(one);
    tac_world_destroy(three);
}

// What falls by itself hangs on a joint with its weight, and falls on when the joint opens.
static void test_free_flight_hangs_by_its_weight(void **state_) {
    (void)state_;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01'><node name='a'><Spook/><Frames positions='0 0 0 0 0 0 1'/>"
        "<UniformMass mass='1' box='0.1 0.1 0.1'/><LockJoint/></node>"
        "<node name='b'><Frames positions='0 -0.5 0 0 0 0 1'/><UniformMass mass='3' box='0.1 0.2 0.3'/>"
        "<LockJoint name='link' other='@/a/frames'/></node>"
        "<Trigger when='time' value='1' then='open' what='@b/link'/></tactus>");
    advance(world, 0.99);
    TacReals forces = tac_world_reals(world, tac_world_find(world, "/b/link"), "forces");
    double sum = 0;
    for (size_t i = 0; i < 3; i++) sum += forces.data[i] * forces.data[i];
    assert_true(fabs(sqrt(sum) - 3 * 9.81) < 1e-6);
    assert_true(fabs(state(world, "/b/frames", false)[1] + 0.5) < 1e-9);
    advance(world, 0.01);
    double v = state(world, "/b/frames", true)[1];
    advance(world, 0.5);
    assert_true(fabs(state(world, "/b/frames", true)[1] - v + 0.5 * 9.81) < 1e-9);
    tac_world_destroy(world);
}

// --- families --------------------------------------------------------------------------------------------------

// Three agents in a row: the middle one is tied to the left one, then to both, then to the right one.
static void test_links_of_links(void **state_) {
    (void)state_;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'>"
        "<node name='a'><Spook/><Points positions='0 0 0' velocities='3 0 0'/><UniformMass mass='1'/></node>"
        "<node name='b'><SymplecticEuler/><Points positions='1 0 0'/><UniformMass mass='1'/>"
        "<BallJoint name='left' other='@/a/points' open='true'/></node>"
        "<node name='c'><Spook/><Points positions='2 0 0'/><UniformMass mass='1'/>"
        "<BallJoint name='right' other='@/b/points' open='true'/></node>"
        "<Trigger when='time' value='0.1' then='close' what='@b/left'/>"
        "<Trigger when='time' value='0.2' then='close' what='@c/right'/>"
        "<Trigger when='time' value='0.3' then='open' what='@b/left'/></tactus>");
    TacMomentum start = tac_world_momentum(world);
    advance(world, 0.15);
    assert_int_equal(agent(world, "/a+").points, 2);
    advance(world, 0.1);
    assert_int_equal(agent(world, "/a+").points, 3);
    advance(world, 0.1);
    assert_int_equal(agent(world, "/a+").points, 2);
    uint64_t kicks = agent(world, "/a").kicks;
    advance(world, 0.1);
    assert_int_equal(agent(world, "/a").kicks - kicks, 10);
    assert_true(difference(tac_world_momentum(world), start) < 1e-12);
    tac_world_destroy(world);
}

// --- safe contact ----------------------------------------------------------------------------------------------

#define SKIN(half)                                                                                           \
    "<node name='s'><Box low='-" half " -" half " -" half "' high='" half " " half " " half                  \
    "'/><Points/><RigidMap/><Skin name='skin'/></node>"

// A hook on a rope of joints comes down on a box that lies on the floor, takes it up, and lets it fall. Nothing passes
// through anything, on all numbers of threads, with and without a stop.
static const char *const crane =
    "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.005' friction='0.5' "
    "restitution='0.1'/>"
    "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><FixedPoints points='0-3'/>"
    "<Skin name='skin'/></node>"
    "<node name='crane'><Spook step='0.005'/>"
    "<node name='beam'><Frames positions='0 1 0 0 0 0 1'/><UniformMass mass='5' box='0.1 0.1 0.1'/>"
    "<PrismaticJoint axis='0 1 0'/><Motor name='lift' axis='0 1 0' motion='slide' speed='-0.5' "
    "most='900'/></node>"
    "<node name='hook'><Frames positions='0 0.6 0 0 0 0 1'/><UniformMass mass='1' box='0.1 0.1 0.1'/>"
    "<BallJoint other='@../beam/frames' at='0 1 0'/>" SKIN(
        "0.05") "</node></node>"
                "<node name='box'>%s<Frames positions='0 0.104 0 0 0 0 1'/><UniformMass mass='1' box='0.2 "
                "0.2 0.2'/>" SKIN("0.1") "<BallJoint name='link' other='@/crane/hook/frames' at='0 0.25 0' "
                                         "open='true'/></node>"
                                         "<Trigger name='caught' when='contact' model='@crane/hook/s/skin' "
                                         "other='@box/s/skin' then='close' "
                                         "what='@box/link'/>"
                                         "<Trigger name='up' after='@caught' when='time' then='set' "
                                         "what='@crane/beam/lift' attribute='speed' to='0.8'/>"
                                         "<Trigger name='drop' after='@caught' when='time' value='0.3' "
                                         "then='open' what='@box/link'/></tactus>";

static TacWorld *safe_crane(const char *solver, int threads) {
    return make_world_on(threads, crane, solver);
}

static void check_safe_crane(const char *solver) {
    const double end = 1.5;
    TacWorld *world = safe_crane(solver, 1);
    TacError error;
    double highest = 0;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    for (int i = 0; i < 150; i++) {
        advance(world, 0.01);
        highest = fmax(highest, state(world, "/box/frames", false)[1]);
    }
    assert_int_equal(count_events(world, TAC_AGENT_MERGES), 2);
    assert_true(highest > 0.2);                                      // it was taken up
    assert_true(state(world, "/box/frames", false)[1] < 0.1 + 0.02); // and lies on the floor again
    assert_true(tac_world_audit_summary(world).questions > 100);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    for (int threads = 1; threads <= 8; threads *= 2) {
        world = safe_crane(solver, threads);
        advance(world, end);
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
    assert_true(hash_resumed(safe_crane(solver, 2), safe_crane(solver, 1), 0.2, end - 0.2) == hash); // before
    assert_true(hash_resumed(safe_crane(solver, 2), safe_crane(solver, 1), 0.853, end - 0.853) ==
                hash);                                                                               // as one
    assert_true(hash_resumed(safe_crane(solver, 2), safe_crane(solver, 1), 1.3, end - 1.3) == hash); // after
}

static void test_safe_crane_and_its_own_spook(void **state_) {
    (void)state_;
    check_safe_crane("<Spook step='0.0025'/>");
}

static void test_safe_crane_and_free_flight(void **state_) {
    (void)state_;
    check_safe_crane("");
}

// --- a hand ------------------------------------------------------------------------------------------------------

// A hand that holds a load goes with it into the merged agent, and out again.
static void test_a_hand_goes_along(void **state_) {
    (void)state_;
    TacWorld *world = passing("<SymplecticEuler/>", LOCK);
    TacError error;
    TacComponentId c = tac_world_find(world, "/c/frames");
    TacVec3 place = tac_load3(tac_world_positions(world, c));
    assert_int_equal(tac_world_grab(world, 0, c, 0, place, 200, &error), TAC_OK);
    for (int i = 0; i < 6; i++) {
        advance(world, 0.1);
        assert_int_equal(tac_world_drag(world, 0, tac_vec3(0.4, 0.3, 0), &error), TAC_OK);
    }
    assert_true(tac_norm(tac_sub(tac_load3(state(world, "/c/frames", false)), tac_vec3(0.4, 0.3, 0))) < 0.5);
    tac_world_destroy(world);
}

// --- what is refused -------------------------------------------------------------------------------------------

static void refused(const char *text, const char *expected) {
    TacScene *scene = empty_scene();
    TacError error;
    TacWorld *world = try_text(scene, text, &error);
    if (world || !strstr(error.message, expected))
        fail_msg("expected \"%s\", found \"%s\"", expected, world ? "a world" : error.message);
    tac_scene_destroy(scene);
}

#define TWO(head, solver, rest)                                                                              \
    "<tactus version='1' dt='0.01'" head                                                                     \
    "><node name='a'><Spook/><Points positions='0 0 0'/><UniformMass/></node>"                               \
    "<node name='b'>" solver "<Points positions='1 0 0 2 0 0'/><UniformMass/>" rest                          \
    "<BallJoint other='@/a/points' open='true'/></node></tactus>"

static void test_refusals(void **state_) {
    (void)state_;
    refused(TWO("", "<RungeKutta4/>", ""), "kick-then-drift");
    refused(TWO("", "<SymplecticEuler step='0.003'/>", ""), "not the beat");
    refused(TWO("", "<SymplecticEuler step='0.02'/>", ""), "not the beat");
    refused(TWO("", "<ImplicitEuler/>", "<Springs pairs='0 1' stiffness='1e6'/>"), "act explicitly");
    refused(TWO(" scheduler='loose'", "<SymplecticEuler/>", ""), "apart in time");
    refused("<tactus version='1' dt='0.01'><node name='a'><Spook/><Frames positions='0 0 0 0 0 0 "
            "1'/><UniformMass "
            "box='1 1 1'/></node><node name='b'><Spook/><Line divisions='2'/><Points/><Wire mass='1' "
            "start='@/a/frames'/></node></tactus>",
            "for good");
    TacWorld *world = world_of(TWO("", "<ImplicitEuler/>", "<Springs pairs='0 1' stiffness='100'/>"));
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spook_and_spook),
        cmocka_unit_test(test_spook_and_symplectic),
        cmocka_unit_test(test_spook_and_free_flight),
        cmocka_unit_test(test_closed_links_are_one_solver),
        cmocka_unit_test(test_free_flight_hangs_by_its_weight),
        cmocka_unit_test(test_links_of_links),
        cmocka_unit_test(test_safe_crane_and_its_own_spook),
        cmocka_unit_test(test_safe_crane_and_free_flight),
        cmocka_unit_test(test_a_hand_goes_along),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
