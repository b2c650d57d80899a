// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents that take longer steps and sleep in worlds with safe contact: that they do, that they wake, and that no
// certificate is ever broken by it, whoever looks and however hard something hits.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

static double height(TacWorld *world, const char *path) {
    return tac_world_positions(world, tac_world_find(world, path))[1];
}

typedef struct Counts {
    size_t sleeps, wakes, begins, ends;
} Counts;

static Counts count_events(TacWorld *world) {
    TacContactEvent e;
    Counts n = {0};
    while (tac_world_events(world, &e, 1, NULL) == 1) {
        n.sleeps += e.kind == TAC_AGENT_SLEEPS;
        n.wakes += e.kind == TAC_AGENT_WAKES;
        n.begins += e.kind == TAC_CONTACT_BEGINS;
        n.ends += e.kind == TAC_CONTACT_ENDS;
    }
    return n;
}

#define CONTACT(extra) CONTACT_AT("1", extra)
#define CONTACT_AT(speed, extra)                                                                             \
    "<Contact method='safe' thickness='0.005' friction='0.5' restitution='0.2' speed='" speed "' " extra "/" \
    ">"
#define FLOOR                                                                                                \
    "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><FixedPoints points='0-3'/>"      \
    "<Skin name='skin'/></node>"
#define SLEEPS "<Agent adaptive='true' rest='true' still='0.005' patience='0.05'/>"
#define BOX(name, solver, place)                                                                             \
    "<node name='" name "'>" solver SLEEPS "<Frames positions='" place                                       \
    " 0 0 0 1'/><UniformMass mass='1' box='0.2 0.2 0.2'/>"                                                   \
    "<node name='s'><Box low='-0.1 -0.1 -0.1' high='0.1 0.1 0.1'/><Points/><RigidMap/><Skin "                \
    "name='skin'/></node>"                                                                                   \
    "</node>"
#define STACK                                                                                                \
    BOX("a", "<Spook step='0.005'/>", "0 0.104 0")                                                           \
    BOX("b", "<SymplecticEuler step='0.0025'/>", "0.02 0.3085 0.01")
#define SOFT                                                                                                 \
    "<node name='soft'><ImplicitEuler step='0.0025' damping_stiffness='0.01'/>" SLEEPS                       \
    "<SparseDirect/><Grid counts='2 2 2' low='0.4 0.004 -0.1' high='0.6 0.2 0.1' split='true'/><Points/>"    \
    "<UniformMass total='0.6'/><Tetrahedra young='20000' poisson='0.3'/><Skin name='skin' "                  \
    "self='false'/></node>"
#define BALL(place, velocity)                                                                                \
    "<node name='ball'><Points positions='" place "' velocities='" velocity                                  \
    "'/><UniformMass mass='0.05'/><Balls name='skin' radius='0.03'/></node>"
#define WORLD(extra, rest) WORLD_AT("1", extra, rest)
#define WORLD_AT(speed, extra, rest)                                                                         \
    "<tactus version='1' dt='0.01'>" CONTACT_AT(speed, extra) FLOOR rest "</tactus>"

// --- asleep ----------------------------------------------------------------------------------------------------

static void test_a_heap_sleeps_together(void **state) {
    (void)state;
    TacWorld *world = world_on(1, WORLD("", STACK SOFT));
    advance(world, 1.5);
    Counts n = count_events(world);
    assert_int_equal(n.sleeps, 3);
    assert_int_equal(n.wakes, 0);
    assert_int_equal(n.ends, 0); // contacts of sleepers go on
    assert_true(agent(world, "/a").resting && agent(world, "/b").resting && agent(world, "/soft").resting);
    // nothing is done, and nothing moves
    uint64_t kicks = tac_world_contact_stats(world).kicks, own = tac_world_stats(world).agent_kicks;
    double a = height(world, "/a/frames"), b = height(world, "/b/frames");
    advance(world, 5);
    assert_int_equal(tac_world_contact_stats(world).kicks, kicks);
    assert_int_equal(tac_world_stats(world).agent_kicks, own);
    assert_true(height(world, "/a/frames") == a && height(world, "/b/frames") == b);
    assert_true(a > 0.1 && a < 0.105 && b > 0.3 && b < 0.31);
    assert_true(tac_world_energy(world).kinetic == 0);
    tac_world_destroy(world);
}

// A ball comes down on the heap while it sleeps: all of it wakes at once and nothing goes through anything.
static void test_a_hit_wakes_the_heap(void **state) {
    (void)state;
    TacWorld *world = world_on(1, WORLD("", STACK SOFT BALL("0.03 8 0", "0 -4 0")));
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    advance(world, 0.8);
    assert_true(agent(world, "/a").resting && agent(world, "/b").resting);
    count_events(world);
    double still = height(world, "/b/frames");
    advance(world, 0.2); // it arrives at some 13 m/s
    Counts n = count_events(world);
    assert_int_equal(n.wakes, 2); // not the soft block, which stands apart
    assert_true(height(world, "/b/frames") != still);
    advance(world, 1);
    assert_true(tac_world_audit_summary(world).questions > 100);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

// The impulse that wakes is not lost: a sleeping box in empty space goes on with what the ball lost.
static void test_the_kick_that_wakes_is_kept(void **state) {
    (void)state;
    TacWorld *world = world_on(1, "<tactus version='1' dt='0.01' gravity='0 0 0'>" CONTACT("")
                                      BOX("a", "<Spook step='0.005'/>", "0 0 0")
                                          BALL("0.01 1.5 0.02", "0 -3 0") "</tactus>");
    advance(world, 0.3);
    assert_true(agent(world, "/a").resting);
    TacMomentum before = tac_world_momentum(world);
    advance(world, 0.5);
    assert_false(agent(world, "/a").resting);
    TacMomentum after = tac_world_momentum(world);
    assert_true(tac_norm(tac_sub(after.linear, before.linear)) < 1e-12);
    assert_true(tac_norm(tac_sub(after.angular, before.angular)) < 1e-3); // one drift of a turning frame
    tac_world_destroy(world);
}

// What a sleeper lies on is taken away: it does not stay in the air.
static void test_nothing_is_left_in_the_air(void **state) {
    (void)state;
    TacWorld *world = world_on(1, WORLD("", STACK));
    TacError error;
    advance(world, 1.2);
    assert_true(agent(world, "/a").resting && agent(world, "/b").resting);
    const double aside[7] = {1, 0.15, 0, 0, 0, 0, 1};
    assert_int_equal(tac_world_set_state(world, tac_world_find(world, "/a/frames"), aside, NULL, &error),
                     TAC_OK);
    assert_false(agent(world, "/b").resting);
    advance(world, 1.5);
    assert_true(height(world, "/b/frames") < 0.15);
    tac_world_destroy(world);
}

static void test_a_hand_wakes(void **state) {
    (void)state;
    TacWorld *world = world_on(1, WORLD("", STACK));
    TacError error;
    advance(world, 1.2);
    TacComponentId b = tac_world_find(world, "/b/frames");
    TacVec3 place = tac_load3(tac_world_positions(world, b));
    assert_int_equal(tac_world_grab(world, 0, b, 0, place, 300, &error), TAC_OK);
    assert_false(agent(world, "/b").resting);
    assert_int_equal(tac_world_drag(world, 0, tac_add(place, tac_vec3(0, 0.3, 0)), &error), TAC_OK);
    advance(world, 1.5);
    assert_false(agent(world, "/b").resting); // a hand holds it
    assert_true(height(world, "/b/frames") > place.y + 0.1);
    tac_world_destroy(world);
}

// --- longer steps ------------------------------------------------------------------------------------------------

// A soft block settles, and its step grows to eight times its own; something hits it hard in the middle of a long step.
static void test_steps_grow_and_shrink(void **state) {
    (void)state;
    TacWorld *world = world_on(
        1, "<tactus version='1' dt='0.01'>" CONTACT("") FLOOR
        "<node name='soft'><ImplicitEuler step='0.0025' damping_stiffness='0.01'/>"
        "<Agent adaptive='true' still='0.005' patience='0.05'/><SparseDirect/>"
        "<Grid counts='2 2 2' low='-0.1 0.004 -0.1' high='0.1 0.2 0.1' split='true'/><Points/><UniformMass "
        "total='0.6'/><Tetrahedra young='20000' poisson='0.3'/><Skin name='skin' self='false'/></node>" BALL(
            "0.01 6 0.02",
            "0 -1.5 0") "<ContactProbe name='push' model='@soft/skin' other='@floor/skin'/></tactus>");
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    assert_true(agent(world, "/soft").step == 0.0025);
    advance(world, 0.93); // the ball comes at 0.94 s, and its hit ends long steps at once
    assert_true(agent(world, "/soft").step == 0.02);
    double x = height(world, "/soft/points");
    bool reset = false;
    for (int i = 0; i < 40; i++) {
        advance(world, 0.005);
        reset = reset || agent(world, "/soft").step == 0.0025;
    }
    assert_true(reset);
    assert_true(height(world, "/soft/points") != x);
    advance(world, 0.5);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

// --- who sleeps with whom ----------------------------------------------------------------------------------------

#define NEVER_CALM "<Agent adaptive='true' rest='true' still='1e-30' patience='0.05'/>"
#define AGENT_BOX(name, agent, place)                                                                        \
    "<node name='" name "'><Spook step='0.005'/>" agent "<Frames positions='" place                          \
    " 0 0 0 1'/><UniformMass mass='1' box='0.2 0.2 0.2'/><node name='s'><Box low='-0.1 -0.1 -0.1' "          \
    "high='0.1 0.1 0.1'/><Points/><RigidMap/><Skin name='skin'/></node></node>"

#define FREE_BOX(name, place)                                                                                \
    "<node name='" name "'><Frames positions='" place                                                        \
    " 0 0 0 1'/><UniformMass mass='1' box='0.2 0.2 0.2'/><node name='s'><Box low='-0.1 -0.1 -0.1' "          \
    "high='0.1 0.1 0.1'/><Points/><RigidMap/><Skin name='skin'/></node></node>"

// A heap sleeps when all of it may: not under what no solver owns, under one that never is calm, or one that never sleeps.
static void test_one_awake_keeps_the_heap_awake(void **state) {
    (void)state;
    static const char *const worlds[] = {
        WORLD("", AGENT_BOX("a", SLEEPS, "0 0.104 0") FREE_BOX("b", "0 0.3085 0")),
        WORLD("", AGENT_BOX("a", SLEEPS, "0 0.104 0") AGENT_BOX("b", NEVER_CALM, "0 0.3085 0")),
        WORLD("", AGENT_BOX("a", SLEEPS, "0 0.104 0") AGENT_BOX("b", "", "0 0.3085 0")),
        WORLD("", AGENT_BOX("a", SLEEPS, "0 0.104 0") AGENT_BOX("b", SLEEPS, "0 0.3085 0"))};
    for (int i = 0; i < 4; i++) {
        TacWorld *world = world_on(1, worlds[i]);
        advance(world, 1.5);
        assert_int_equal(agent(world, "/a").resting, i == 3);
        assert_int_equal(count_events(world).sleeps, i == 3 ? 2 : 0);
        tac_world_destroy(world);
    }
}

// What lies on a plate that moves as it is told does not sleep, and goes down with it, though the plate is slow.
static void test_nobody_sleeps_on_what_moves(void **state) {
    (void)state;
    TacWorld *world = world_on(1, "<tactus version='1' dt='0.01'>" CONTACT(
                                      "") "<node name='plate'><Sheet divisions='1' width='1' "
                                          "depth='1'/><Points/><ScriptedMotion times='1.5 2.5' "
                                          "offsets='0 0 0 0 -0.3 0'/><Skin name='skin'/></node>" BOX(
                                              "a", "<Spook step='0.005'/>", "0 0.104 0") "</tactus>");
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    advance(world, 1.4);
    assert_false(agent(world, "/a").resting);
    advance(world, 1.6);
    assert_true(height(world, "/a/frames") < -0.15);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

// Agents that laws on their own clock kick never sleep; those that scripts move keep their step; those that a joint may
// tie do not go beyond the beat.
static void test_who_may_not(void **state) {
    (void)state;
    TacWorld *world = world_on(
        1, WORLD("", AGENT_BOX("a", SLEEPS, "-0.3 0.104 0")
                         AGENT_BOX("b", SLEEPS, "0.3 0.104 0") "<Springs pairs='0 0' matter='@a/s/points' "
                                                               "other='@b/s/points' stiffness='1e-3'/>"));
    advance(world, 2);
    assert_false(agent(world, "/a").resting || agent(world, "/b").resting);
    tac_world_destroy(world);
    world = world_on(1, "<tactus version='1' dt='0.01' gravity='0 0 0'>" CONTACT(
                            "") "<node name='a'><ImplicitEuler/><Agent adaptive='true' still='9' "
                                "patience='0.02'/><Points positions='0 0 "
                                "0 1 0 0'/><UniformMass/><Springs pairs='0 1' "
                                "stiffness='10'/><ScriptedMotion points='0' times='0 9' "
                                "offsets='0 0 0 1 0 0'/><Balls radius='0.1'/></node></tactus>");
    advance(world, 0.5);
    assert_true(agent(world, "/a").step == 0.01);
    tac_world_destroy(world);
    world = world_on(1, "<tactus version='1' dt='0.01' gravity='0 0 0'>" CONTACT(
                            "") "<node name='a'><ImplicitEuler/><Agent adaptive='true' rest='true' still='9' "
                                "patience='0.02'/><Line "
                                "divisions='2'/><Points/><UniformMass/><Springs stiffness='10'/><EdgeLimit "
                                "strain='0.05'/><Skin "
                                "radius='0.01'/></node></tactus>");
    advance(world, 1);
    assert_false(agent(world, "/a").resting); // edges at their limits would kick it
    tac_world_destroy(world);
    world = world_on(
        1,
        WORLD("",
              AGENT_BOX("a", SLEEPS, "-0.3 0.104 0") AGENT_BOX(
                  "b", SLEEPS,
                  "0.3 0.104 0") "<BallJoint name='hitch' matter='@a/frames' other='@b/frames' open='true'/>"
                                 "<Trigger when='time' value='0.65' then='close' what='@hitch'/>"));
    for (int i = 0; i < 60; i++) {
        advance(world, 0.01);
        assert_true(agent(world, "/a").resting || agent(world, "/a").step <= 0.01);
    }
    assert_true(agent(world, "/a").resting);
    advance(world, 0.1); // they are tied, which wakes them
    assert_false(agent(world, "/a").resting || agent(world, "/b").resting);
    tac_world_destroy(world);
}

// A hand on the shape of a sleeper wakes it as one on its frame does.
static void test_a_hand_on_its_shape_wakes(void **state) {
    (void)state;
    TacWorld *world = world_on(1, WORLD("", STACK));
    TacError error;
    advance(world, 1.2);
    assert_true(agent(world, "/b").resting);
    TacComponentId shape = tac_world_find(world, "/b/s/points");
    TacVec3 place = tac_load3(tac_world_positions(world, shape));
    assert_int_equal(tac_world_grab(world, 0, shape, 0, place, 30, &error), TAC_OK);
    assert_false(agent(world, "/b").resting);
    tac_world_destroy(world);
}

// --- steps that change ----------------------------------------------------------------------------------------------

// A force is kicked for all the time there is and for none of it twice, whatever the step does; and it takes patience
// for each doubling.
static void test_no_time_is_lost_or_doubled(void **state) {
    (void)state;
    static const double patience[] = {0.03, 0.01, 0.055, 0.1};
    for (int i = 0; i < 4; i++) {
        TacWorld *world = make_world("<tactus version='1' dt='0.01' gravity='0 0 0'>" CONTACT(
                                         "") "<node name='a'><ImplicitEuler/><Agent adaptive='true' "
                                             "still='100' patience='%g' longest='8'/><Points "
                                             "positions='0 0 0'/><UniformMass mass='2'/><ConstantForce "
                                             "force='6 0 0'/><Balls radius='0.1'/></node>"
                                             "</tactus>",
                                     patience[i]);
        double first = 0, last = 0;
        for (int k = 1; k <= 160; k++) {
            advance(world, 0.005);
            double step = agent(world, "/a").step;
            if (step > 0.01 && first == 0) first = 0.005 * k;
            if (step == 0.08 && last == 0) last = 0.005 * k;
        }
        assert_true(first > patience[i] && last > 3 * patience[i] && last < 0.6);
        // a whole number of the longest steps
        near(velocities(world, "/a/points")[0], 6.0 * 0.8 / 2, 1e-12);
        tac_world_destroy(world);
    }
}

// Who is woken in the middle of a step, by nothing to speak of, goes on lying there: the parts of its last kick are for
// the step that it wakes with.
static void test_waking_is_no_blow(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        TacWorld *world = world_on(1, WORLD("", STACK SOFT));
        TacError error;
        advance(world, 1.5 + 0.0005 * i);
        assert_true(agent(world, "/soft").resting && agent(world, "/a").resting);
        static const char *const paths[] = {"/soft/points", "/a/frames"};
        for (int k = 0; k < 2; k++) {
            TacComponentId id = tac_world_find(world, paths[k]);
            TacVec3 place = tac_load3(tac_world_positions(world, id));
            assert_int_equal(tac_world_grab(world, 0, id, 0, place, 1e-6, &error), TAC_OK);
            assert_int_equal(tac_world_release(world, 0, NULL, &error), TAC_OK);
        }
        assert_true(agent(world, "/soft").step == 0.0025 && agent(world, "/a").step == 0.005);
        for (int k = 0; k < 40; k++) {
            advance(world, 0.00025);
            const double *v = velocities(world, "/soft/points");
            for (int n = 0; n < 24; n++) assert_true(fabs(v[n]) < 0.01);
            assert_true(fabs(velocities(world, "/a/frames")[1]) < 0.01);
        }
        tac_world_destroy(world);
    }
}

// Bodies that count as calm at any speed, with steps of eight times their own, fly at one another from all corners: what
// one kick turns aside meets the next body long before the next kick.
static void test_long_steps_at_speed(void **state) {
    (void)state;
    char text[12000];
    size_t n =
        (size_t)snprintf(text, sizeof text, "<tactus version='1' dt='0.01' gravity='0 0 0'>%s", CONTACT(""));
    for (int i = 0; i < 8; i++) {
        double side[3] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
        double x = 0.2 * side[0] + 0.01 * i, y = 0.2 * side[1] - 0.007 * i, z = 0.2 * side[2] + 0.005 * i;
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "<node name='b%d'><ImplicitEuler step='0.005' damping_stiffness='0.01'/><Agent adaptive='true' "
            "still='1000' patience='0.01' longest='8'/><SparseDirect/><Grid counts='2 2 2' low='%g %g %g' "
            "high='%g %g "
            "%g' split='true'/><Points velocities='%g %g %g'/><UniformMass total='0.6'/><Tetrahedra "
            "young='3000' "
            "poisson='0.3'/><Skin name='skin' self='false'/></node>",
            i, x - 0.07, y - 0.07, z - 0.07, x + 0.07, y + 0.07, z + 0.07, -3 * side[0],
            -2.5 * side[1] + 0.1 * i, -2 * side[2]);
    }
    snprintf(text + n, sizeof text - n, "</tactus>");
    TacWorld *world = world_on(1, text);
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    double longest = 0;
    for (int i = 0; i < 30; i++) {
        advance(world, 0.01);
        longest = fmax(longest, agent(world, "/b0").step);
    }
    assert_true(longest == 0.04);
    assert_true(tac_world_audit_summary(world).questions > 100);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

// --- the same bits -----------------------------------------------------------------------------------------------

#define MIXED STACK SOFT BALL("0.03 5 0", "0 -4 0")

static void test_the_same_bits(void **state) {
    (void)state;
    const char *text = WORLD("", MIXED);
    const double end = 1.2;
    uint64_t hash = hash_after(world_on(1, text), end);
    assert_true(hash_after(world_on(2, text), end) == hash);
    assert_true(hash_after(world_on(8, text), end) == hash);
    assert_true(hash_resumed(world_on(2, text), world_on(1, text), 0.21, end - 0.21) == hash);
    assert_true(hash_resumed(world_on(2, text), world_on(1, text), 0.603, end - 0.603) == hash); // asleep
    assert_true(hash_resumed(world_on(2, text), world_on(1, text), 0.9, end - 0.9) == hash); // awake again
    // whoever looks, and however often
    assert_true(hash_after(world_on(1, WORLD("vagueness='0.3'", MIXED)), end) == hash);
    assert_true(hash_after(world_on(1, WORLD("cull='false'", MIXED)), end) == hash);
    assert_true(hash_after(world_on(1, WORLD("cone='true' k='18'", MIXED)), end) == hash);
}

// A ball of 13 m/s wakes the stack in the middle of an instant, and must be looked at more often from then on: what was
// promised of it was for an instant that is over. (Once it was not, and a finer layer missed its tick.)
static void test_who_wakes_a_stack_is_watched(void **state) {
    (void)state;
#define HIT(speed, extra) WORLD_AT(speed, extra, STACK BALL("0.03 5 0", "0 -4 0"))
    static const char *const texts[][3] = {
        {HIT("0.25", ""), HIT("0.25", "vagueness='0.3'"), HIT("0.25", "vagueness='10'")},
        {HIT("1.6", ""), HIT("1.6", "vagueness='0.3'"), HIT("1.6", "vagueness='10'")},
        {HIT("2.1", ""), HIT("2.1", "vagueness='0.3'"), HIT("2.1", "vagueness='10'")},
    };
    for (int i = 0; i < 3; i++) {
        uint64_t hash = hash_after(world_on(1, texts[i][0]), 0.8);
        for (int k = 1; k < 3; k++) assert_true(hash_after(world_on(1, texts[i][k]), 0.8) == hash);
    }
}

// --- trying to break it --------------------------------------------------------------------------------------------

// Boxes and soft blocks of all solvers fall on each other, sleep, and are shot at, from all sides and at all speeds.
static void test_nothing_breaks_a_certificate(void **state) {
    (void)state;
    size_t sleeps = 0, wakes = 0;
    for (unsigned seed = 1; seed <= 3; seed++) {
        char text[8000];
        static const char *const solvers[] = {"<Spook step='0.005'/>", "<SymplecticEuler step='0.0025'/>",
                                              "<Spook/>", ""};
        unsigned random = seed * 2654435761u;
        size_t n =
            (size_t)snprintf(text, sizeof text, "<tactus version='1' dt='0.01'>%s%s", CONTACT(""), FLOOR);
        for (int i = 0; i < 4; i++) {
            random = random * 1664525u + 1013904223u;
            double x = 0.3 * ((random >> 8 & 255) / 255.0 - 0.5),
                   z = 0.3 * ((random >> 16 & 255) / 255.0 - 0.5);
            const char *solver = solvers[(random >> 24) % 3];
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "<node name='box%d'>%s%s<Frames positions='%g %g %g 0 0 0 1'/><UniformMass "
                                  "mass='%g' box='0.2 0.2 0.2'/><node name='s'><Box low='-0.1 -0.1 -0.1' "
                                  "high='0.1 0.1 0.1'/><Points/><RigidMap/><Skin/></node></node>",
                                  i, solver, SLEEPS, x, 0.107 + 0.21 * i, z, 0.2 + i);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "<node name='shots'><Points positions='");
        for (int i = 0; i < 6; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%g %g %g ", -5.0 - 2 * i, 0.1 + 0.1 * i,
                                  0.02 * i);
        n += (size_t)snprintf(text + n, sizeof text - n, "' velocities='");
        for (int i = 0; i < 6; i++) { // thrown so that each arrives as high as it began
            double speed = 3.0 + i + seed, flight = (5.0 + 2 * i) / speed;
            n += (size_t)snprintf(text + n, sizeof text - n, "%g %g 0 ", speed, 0.5 * 9.81 * flight);
        }
        snprintf(text + n, sizeof text - n,
                 "'/><UniformMass mass='0.05'/><Balls radius='0.03'/></node></tactus>");
        TacWorld *world = world_on(1, text);
        TacError error;
        assert_int_equal(tac_world_audit(world, &error), TAC_OK);
        advance(world, 2);
        assert_int_equal(tac_world_audit_summary(world).violations, 0);
        Counts counts = count_events(world);
        sleeps += counts.sleeps;
        wakes += counts.wakes;
        tac_world_destroy(world);
    }
    assert_true(sleeps > 0 && wakes > 0);
}

// --- what is remarked on and refused -----------------------------------------------------------------------------------

static void test_triggers_and_refusals(void **state) {
    (void)state;
    TacWorld *world = world_on(1, WORLD("", STACK "<Trigger when='sleep' agent='@a/spook' then='stop'/>"));
    advance(world, 3);
    assert_non_null(tac_world_stopped_by(world));
    assert_true(agent(world, "/a").resting);
    tac_world_destroy(world);
    TacScene *scene = empty_scene();
    TacError error;
    assert_null(try_text(scene,
                         "<tactus version='1'>" CONTACT("") FLOOR
                         "<node name='a'><Spook/><Frames positions='0 1 0 0 0 0 1'/><UniformMass/></node>"
                         "<Trigger when='sleep' agent='@a/spook' then='stop'/></tactus>",
                         &error));
    assert_non_null(strstr(error.message, "never sleeps"));
    tac_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_heap_sleeps_together),
        cmocka_unit_test(test_a_hit_wakes_the_heap),
        cmocka_unit_test(test_the_kick_that_wakes_is_kept),
        cmocka_unit_test(test_nothing_is_left_in_the_air),
        cmocka_unit_test(test_a_hand_wakes),
        cmocka_unit_test(test_steps_grow_and_shrink),
        cmocka_unit_test(test_one_awake_keeps_the_heap_awake),
        cmocka_unit_test(test_nobody_sleeps_on_what_moves),
        cmocka_unit_test(test_who_may_not),
        cmocka_unit_test(test_a_hand_on_its_shape_wakes),
        cmocka_unit_test(test_no_time_is_lost_or_doubled),
        cmocka_unit_test(test_waking_is_no_blow),
        cmocka_unit_test(test_long_steps_at_speed),
        cmocka_unit_test(test_the_same_bits),
        cmocka_unit_test(test_who_wakes_a_stack_is_watched),
        cmocka_unit_test(test_nothing_breaks_a_certificate),
        cmocka_unit_test(test_triggers_and_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
