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
static TacWorld *passing_under(const char *scheduler, const char *solver, const char *joint) {
    char *text = NULL;
    assert_true(
        asprintf(&text,
                 "<tactus version='1' dt='0.01' gravity='0 0 0' scheduler='%s'>"
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
                 scheduler, solver, joint) > 0);
    TacWorld *world = world_of(text);
    free(text);
    return world;
}

static TacWorld *passing(const char *solver, const char *joint) {
    return passing_under("causal", solver, joint);
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
static TacWorld *chain(const char *scheduler, bool apart) {
    char *text = NULL;
    const char *own = apart ? "<Spook step='0.005'/>" : "";
    assert_true(
        asprintf(&text,
                 "<tactus version='1' dt='0.01' scheduler='%s'>%s"
                 "<node name='a'>%s<Frames positions='0.3 0 0 0 0 0 1'/><UniformMass mass='1' box='0.6 0.1 "
                 "0.1'/><BallJoint at='0 0 0'/></node>"
                 "<node name='b'>%s<Frames positions='0.9 0 0 0 0 0 1'/><UniformMass mass='2' box='0.6 0.1 "
                 "0.1'/><HingeJoint other='@/a/frames' at='0.6 0 0' axis='0 0 1'/></node>"
                 "<node name='c'>%s<Frames positions='1.5 0 0 0 0 0 1'/><UniformMass mass='1' box='0.6 0.1 "
                 "0.1'/><BallJoint other='@/b/frames' at='1.2 0 0'/></node></tactus>",
                 scheduler, apart ? "" : "<Spook step='0.005'/>", own, own, own) > 0);
    TacWorld *world = world_of(text);
    free(text);
    return world;
}

static void check_closed_links(const char *scheduler) {
    TacWorld *one = chain(scheduler, false), *three = chain(scheduler, true);
    advance(one, 1);
    advance(three, 1);
    static const char *const paths[] = {"/a/frames", "/b/frames", "/c/frames"};
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(state(one, paths[i], false), state(three, paths[i], false), 7 * sizeof(double));
    tac_world_destroy(one);
    tac_world_destroy(three);
}

static void test_closed_links_are_one_solver(void **state_) {
    (void)state_;
    check_closed_links("causal");
    check_closed_links("loose");
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

// A frame that joins when points are merged already, and comes before them in the order of the scene, weighs what it
// weighs: it swings as it does without them, since both hang on what cannot move.
static TacWorld *third(const char *tail) {
    char *text = NULL;
    assert_true(
        asprintf(&text,
                 "<tactus version='1' dt='0.01'>"
                 "<node name='a'><Spook/><Frames positions='0 0.6 0 0 0 0 1'/><UniformMass mass='1' box='0.1 "
                 "0.1 0.1'/><LockJoint/></node>"
                 "<node name='box'><Spook/><Frames positions='0 0.1 0 0 0 0.3 1'/><UniformMass mass='1' "
                 "box='0.2 0.3 0.4'/>"
                 "<BallJoint name='link' other='@/a/frames' at='0.1 0.2 0.1' open='true'/></node>%s"
                 "<Trigger when='time' value='0.2' then='close' what='@box/link'/></tactus>",
                 tail) > 0);
    TacWorld *world = world_of(text);
    free(text);
    advance(world, 0.7);
    return world;
}

static void test_a_third_one_joins_later(void **state_) {
    (void)state_;
    TacWorld *alone = third("");
    TacWorld *world =
        third("<node name='tail'><Spook/><Points positions='0.3 0.3 0 0.4 0.3 0'/><UniformMass mass='0.05'/>"
              "<BallJoint name='one' other='@/a/frames'/><BallJoint name='two' point='1' "
              "other='@/a/frames'/></node>");
    assert_int_equal(agent(world, "/a+").points, 4);
    for (int k = 0; k < 7; k++)
        assert_true(fabs(state(world, "/box/frames", false)[k] - state(alone, "/box/frames", false)[k]) <
                    1e-9);
    assert_true(fabs(state(world, "/tail/points", false)[1] - 0.3) < 1e-9);
    tac_world_destroy(alone);
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

// Glue that sets when two boxes touch, and a joint that would have the upper one where the lower one is: both press skins
// together. They come to rest on each other all the same; nothing enters anything, and no energy comes from it.
static TacWorld *pressed(const char *joint, int threads) {
    char *text = NULL;
    assert_true(
        asprintf(
            &text,
            "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.005' "
            "friction='0.5' restitution='0.1'/>"
            "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><FixedPoints "
            "points='0-3'/><Skin name='skin'/></node>"
            "<node name='a'><Spook step='0.005'/><Frames positions='0 0.106 0 0 0 0 1'/>"
            "<UniformMass mass='1' box='0.2 0.2 0.2'/>" SKIN(
                "0.1") "</node>"
                       "<node name='b'><Spook step='0.0025'/><Frames positions='0 0.34 0 0 0 0 1'/>"
                       "<UniformMass mass='1' box='0.18 0.18 0.18'/>" SKIN(
                           "0.08") "%s</node>"
                                   "<Trigger when='contact' model='@a/s/skin' other='@b/s/skin' then='close' "
                                   "what='@b/glue'/></tactus>",
            joint) > 0);
    TacWorld *world = make_world_on(threads, "%s", text);
    free(text);
    return world;
}

static double fastest(TacWorld *world, const char *path) {
    const double *v = state(world, path, true);
    return tac_norm(tac_load3(v)) + 0.18 * tac_norm(tac_load3(v + 3)); // of any of its corners
}

static void check_pressed(const char *joint) {
    TacWorld *world = pressed(joint, 1);
    TacError error = {0};
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    TacEnergy start = tac_world_energy(world), now = start;
    double most = 0, moved = 0, before = 0;
    for (int i = 0; i < 60; i++) {
        advance(world, 0.01);
        now = tac_world_energy(world);
        assert_true(now.total < start.total + 1e-3);
        double apart = state(world, "/b/frames", false)[1] - state(world, "/a/frames", false)[1];
        if (i > 40) moved = fmax(moved, fabs(apart - before));
        if (i >= 40) most = fmax(most, fmax(fastest(world, "/a/frames"), fastest(world, "/b/frames")));
        before = apart;
    }
    assert_true(moved < 1e-8);
    assert_true(most < 2e-3); // pressed between pushes, and thrown back
    assert_int_equal(count_events(world, TAC_AGENT_MERGES), 2);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

static void test_glue_between_skins_is_quiet(void **state_) {
    (void)state_;
    check_pressed("<LockJoint name='glue' other='@/a/frames' open='true'/>");
}

static void test_a_joint_that_presses_gives_way(void **state_) {
    (void)state_;
    check_pressed("<PrismaticJoint name='glue' axis='0 1 0' high='-0.1' other='@/a/frames' open='true'/>");
    check_pressed("<PrismaticJoint name='glue' axis='0 1 0' high='-0.001' other='@/a/frames' open='true'/>");
}

// When glue lets go, the skins grow to their full thickness again, slowly; also after a resume while it holds.
static void test_skins_grow_when_glue_lets_go(void **state_) {
    (void)state_;
    static const char *const glue = "<LockJoint name='glue' other='@/a/frames' open='true'/>"
                                    "<Trigger when='time' value='0.3' then='open' what='@b/glue'/>";
    TacWorld *world = pressed(glue, 1), *resumed_world = pressed(glue, 2);
    TacError error = {0};
    advance(world, 0.25);
    double held = state(world, "/b/frames", false)[1] - state(world, "/a/frames", false)[1] - 0.18;
    size_t bytes = tac_world_snapshot_size(world);
    void *data = malloc(bytes);
    assert_non_null(data);
    assert_int_equal(tac_world_save(world, data, bytes, &error), TAC_OK);
    assert_int_equal(tac_world_restore(resumed_world, data, bytes, &error), TAC_OK);
    free(data);
    advance(world, 0.75);
    advance(resumed_world, 0.75);
    assert_true(tac_world_hash(world) == tac_world_hash(resumed_world));
    double grown = state(world, "/b/frames", false)[1] - state(world, "/a/frames", false)[1] - 0.18;
    assert_true(held < 0.0049 && grown > held);
    assert_true(grown > 0.0045 && grown < 0.005);
    assert_true(fastest(world, "/b/frames") < 2e-3);
    tac_world_destroy(world);
    tac_world_destroy(resumed_world);
}

// --- the loose scheduler ---------------------------------------------------------------------------------------

// Steps that have nothing to do with the beat or with each other: the two are apart in time when the link closes, and
// have to come together first.
static void check_loose_catch(const char *solver) {
    TacWorld *world = passing_under("loose", solver, LOCK);
    TacMomentum start = tac_world_momentum(world);
    advance(world, 0.095);
    if (strstr(solver, "0.0037")) assert_true(agent(world, "/a").time != agent(world, "/c").time);
    advance(world, 0.01);
    assert_int_equal(count_events(world, TAC_AGENT_MERGES), 2);
    uint64_t kicks = agent(world, "/a").kicks;
    advance(world, 0.155);
    assert_true(agent(world, "/a").kicks == kicks);
    assert_true(agent(world, "/a+").kicks > 50);
    // they turn as one
    const double *b = state(world, "/a/b/frames", true), *c = state(world, "/c/frames", true);
    for (int k = 3; k < 6; k++) assert_true(fabs(b[k] - c[k]) < 5e-3);
    assert_true(tac_norm(tac_sub(tac_world_momentum(world).linear, start.linear)) < 1e-12);
    advance(world, 0.2);
    assert_int_equal(count_events(world, TAC_AGENT_PARTS), 2);
    assert_true(agent(world, "/a").kicks > kicks);
    assert_true(agent(world, "/a").time >= 0.46 - 1e-9);
    double before = state(world, "/c/frames", true)[0];
    advance(world, 0.1);
    assert_true(state(world, "/c/frames", true)[0] == before);
    assert_true(tac_norm(tac_sub(tac_world_momentum(world).linear, start.linear)) < 1e-12);
    tac_world_destroy(world);
}

static void test_loose_catch(void **state_) {
    (void)state_;
    check_loose_catch("<Spook step='0.0037'/>");
    check_loose_catch("<SymplecticEuler step='0.0037'/>");
    check_loose_catch("<Spook/>");
    check_loose_catch("");
}

// When two with steps of 3.7 and 2.5 ms are to be one at 0.1 s, they are so at a time that both have reached by steps of
// their own, no sliver among them: the lock holds them as they were then, wherever they come from.
static void test_they_come_together_in_whole_steps(void **state_) {
    (void)state_;
    TacWorld *world = passing_under("loose", "<Spook step='0.0037'/>", LOCK);
    advance(world, 0.1);
    double time = agent(world, "/a+").time;
    assert_true(agent(world, "/c").time == time && agent(world, "/a").time == time);
    assert_true(time >= 0.1 && time < 0.1 + 3 * 0.0037 + 0.0025);
    // free flight until then, on both sides
    assert_true(fabs(state(world, "/c/frames", false)[0] - (0.4 - time)) < 1e-12);
    assert_true(fabs(state(world, "/c/frames", false)[1] - (0.3 + 0.2 * time)) < 1e-12);
    tac_world_destroy(world);
}

// Boxes that touch, lie on the ground and rest; a law between two agents, one of them implicit; a wire that refines; all
// of it caught by a crane and dropped.
static const char *const busy =
    "<tactus version='1' dt='0.01' scheduler='loose'><Contact method='loose' friction='0.5'/>"
    "<node name='ground'><Frames positions='0 -0.5 0 0 0 0 1'/><FixedPoints points='0'/>"
    "<Shape name='model' size='6 1 6'/></node>"
    "<node name='crane'><Spook step='0.004'/><node name='beam'><Frames positions='0 1.2 0 0 0 0 1'/>"
    "<UniformMass mass='20' box='0.1 0.1 0.1'/><PrismaticJoint axis='0 1 0'/>"
    "<Motor name='lift' axis='0 1 0' motion='slide' speed='-0.5' most='900'/></node>"
    "<node name='hook'><Frames positions='0 0.6 0 0 0 0 1'/><UniformMass mass='1' box='0.1 0.1 0.1'/>"
    "<Shape name='model' shape='sphere' radius='0.05'/></node>"
    "<node name='wire'><Line divisions='8' from='0 1.15 0' to='0 0.65 0'/><Points/>"
    "<Wire mass='0.2' start='@../beam/frames' end='@../hook/frames'/></node></node>"
    "<node name='box'><SymplecticEuler step='0.0013'/><Agent adaptive='true' rest='true' still='0.02' "
    "patience='0.05'/>"
    "<Frames positions='0 0.1 0 0 0 0 1'/><UniformMass mass='1' box='0.2 0.2 0.2'/>"
    "<Shape name='model' size='0.2 0.2 0.2'/>"
    "<BallJoint name='link' other='@/crane/hook/frames' at='0 0.25 0' open='true'/></node>"
    "<node name='tail'><ImplicitEuler step='0.002'/><Points positions='0.3 0.3 0 0.5 0.3 0'/>"
    "<UniformMass mass='0.05'/><Springs pairs='0 1' stiffness='40'/>"
    "<BallJoint name='glue' other='@/crane/hook/frames' point='0' open='true'/></node>"
    "<node name='idler'><SymplecticEuler step='0.003'/><Points positions='0.3 0.1 0'/><UniformMass "
    "mass='0.1'/></node>"
    "<Springs pairs='0 0' stiffness='20' damping='0.1' matter='@tail/points' other='@idler/points'/>"
    "<Trigger name='caught' when='contact' model='@crane/hook/model' other='@box/model' then='close' "
    "what='@box/link'/>"
    "<Trigger name='up' after='@caught' when='time' then='set' what='@crane/beam/lift' attribute='speed' "
    "to='0.8'/>"
    "<Trigger when='time' value='0.2' then='close' what='@tail/glue'/>"
    "<Trigger when='time' value='0.9' then='open' what='@tail/glue'/>"
    "<Trigger name='drop' after='@caught' when='time' value='0.5' then='open' what='@box/link'/></tactus>";

static TacWorld *busy_world(int threads) {
    return make_world_on(threads, "%s", busy);
}

static void test_loose_crane(void **state_) {
    (void)state_;
    const int beats = 180;
    TacError error = {0};
    TacWorld *world = busy_world(1);
    double highest = 0;
    assert_int_equal(tac_world_keep_accounts(world, &error), TAC_OK);
    bool rested = false, held = false;
    for (int i = 0; i < beats; i++) {
        advance(world, 0.01);
        highest = fmax(highest, state(world, "/box/frames", false)[1]);
        rested = rested || (i < 60 && agent(world, "/box").resting);
        held = held || agent(world, "/crane+").points > 10;
    }
    assert_true(rested); // and woken by the hook
    assert_true(held);
    assert_true(highest > 0.2);
    assert_true(state(world, "/box/frames", false)[1] < 0.1 + 0.02);
    size_t merges = 0, parts = 0;
    TacContactEvent event;
    while (tac_world_events(world, &event, 1, NULL) == 1) {
        merges += event.kind == TAC_AGENT_MERGES;
        parts += event.kind == TAC_AGENT_PARTS;
    }
    assert_int_equal(merges, 3); // the crane, the box, the tail
    assert_int_equal(parts, 3);
    size_t count;
    TacAccountSum sum = tac_world_accounts(world, NULL, 0, &count);
    assert_true(fabs(sum.unaccounted) < 1e-9 * fabs(sum.start));
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    for (int threads = 2; threads <= 8; threads *= 4) {
        world = busy_world(threads);
        for (int i = 0; i < beats; i++) advance(world, 0.01);
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
    for (int at = 5; at < beats; at += 16) {
        TacWorld *first = busy_world(2), *second = busy_world(1);
        for (int i = 0; i < at; i++) advance(first, 0.01);
        size_t bytes = tac_world_snapshot_size(first);
        void *data = malloc(bytes);
        assert_non_null(data);
        assert_int_equal(tac_world_save(first, data, bytes, &error), TAC_OK);
        assert_int_equal(tac_world_restore(second, data, bytes, &error), TAC_OK);
        for (int i = at; i < beats; i++) advance(second, 0.01);
        assert_true(tac_world_hash(second) == hash);
        // and back into a world that is somewhere else, merged or not
        assert_int_equal(tac_world_restore(first, data, bytes, &error), TAC_OK);
        assert_int_equal(tac_world_restore(second, data, bytes, &error), TAC_OK);
        for (int i = at; i < beats; i++) advance(second, 0.01);
        assert_true(tac_world_hash(second) == hash);
        free(data);
        tac_world_destroy(first);
        tac_world_destroy(second);
    }
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
    refused(TWO(" scheduler='loose'", "<RungeKutta4/>", ""), "kick-then-drift");
    refused("<tactus version='1' dt='0.01'><node name='a'><Spook/><Frames positions='0 0 0 0 0 0 "
            "1'/><UniformMass "
            "box='1 1 1'/></node><node name='b'><Spook/><Line divisions='2'/><Points/><Wire mass='1' "
            "start='@/a/frames'/></node></tactus>",
            "for good");
    TacWorld *world = world_of(TWO("", "<ImplicitEuler/>", "<Springs pairs='0 1' stiffness='100'/>"));
    tac_world_destroy(world);
}

// A hand that holds somebody goes on pulling when that becomes one with another, and when they part.
static void test_a_hand_goes_on_pulling(void **state) {
    (void)state;
    TacWorld *world = world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'><Spook/><Frames "
                               "positions='0 0 0 0 0 0 1'/>"
                               "<UniformMass/></node><node name='b'><Spook/><Frames positions='1 0 0 0 0 0 "
                               "1'/><UniformMass/></node><LockJoint "
                               "name='j' matter='@a/frames' other='@b/frames' open='true'/><Trigger "
                               "when='time' value='0.05' then='close' "
                               "what='@j'/><Trigger when='time' value='6' then='open' what='@j'/></tactus>");
    TacError error;
    TacComponentId b = tac_world_find(world, "/b/frames");
    assert_int_equal(tac_world_grab(world, 0, b, 0, (TacVec3){1, 0, 0}, 10, &error), TAC_OK);
    assert_int_equal(tac_world_drag(world, 0, (TacVec3){2, 0, 0}, &error), TAC_OK);
    advance(world, 5.5);
    assert_true(fabs(tac_world_positions(world, b)[0] - 2) < 0.01);
    advance(world, 1);
    assert_int_equal(tac_world_drag(world, 0, (TacVec3){1, 0, 0}, &error), TAC_OK);
    advance(world, 4);
    assert_true(fabs(tac_world_positions(world, b)[0] - 1) < 0.01);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hand_goes_on_pulling),
        cmocka_unit_test(test_spook_and_spook),
        cmocka_unit_test(test_spook_and_symplectic),
        cmocka_unit_test(test_spook_and_free_flight),
        cmocka_unit_test(test_closed_links_are_one_solver),
        cmocka_unit_test(test_free_flight_hangs_by_its_weight),
        cmocka_unit_test(test_links_of_links),
        cmocka_unit_test(test_a_third_one_joins_later),
        cmocka_unit_test(test_safe_crane_and_its_own_spook),
        cmocka_unit_test(test_safe_crane_and_free_flight),
        cmocka_unit_test(test_glue_between_skins_is_quiet),
        cmocka_unit_test(test_a_joint_that_presses_gives_way),
        cmocka_unit_test(test_skins_grow_when_glue_lets_go),
        cmocka_unit_test(test_loose_catch),
        cmocka_unit_test(test_they_come_together_in_whole_steps),
        cmocka_unit_test(test_loose_crane),
        cmocka_unit_test(test_a_hand_goes_along),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
