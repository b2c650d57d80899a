// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of triggers, of events in all kinds of worlds, and of joints that open and close, against closed forms and
// conservation laws.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

// The next event of a kind; fails when there is none.
static TacContactEvent event_of(TacWorld *world, TacContactEventKind kind) {
    TacContactEvent event;
    while (tac_world_events(world, &event, 1, NULL) == 1)
        if (event.kind == kind) return event;
    fail_msg("no event of kind %d", (int)kind);
    return event;
}

// --- when -------------------------------------------------------------------------------------------------

#define FALLING                                                                                              \
    "<node name='a'><Points positions='0 0 0'/><UniformMass/><Probe name='speed' what='vy'/></node>"

static void test_stops_on_the_beat(void **state) {
    (void)state;
    TacWorld *world = world_of("<tactus version='1' dt='0.01'>" FALLING
                               "<Trigger when='time' value='0.295' then='stop'/></tactus>");
    advance(world, 1);
    assert_true(fabs(tac_world_time(world) - 0.30) < 1e-12);
    assert_string_equal(tac_world_stopped_by(world), "/trigger");
    advance(world, 1); // it stands still
    assert_true(fabs(tac_world_time(world) - 0.30) < 1e-12);
    assert_true(fabs(event_of(world, TAC_TRIGGER_FIRES).time - 0.30) < 1e-12);
    tac_world_go_on(world);
    assert_null(tac_world_stopped_by(world));
    advance(world, 0.7);
    assert_true(fabs(tac_world_time(world) - 1) < 1e-12);
    tac_world_destroy(world);
}

static void test_probes_and_order(void **state) {
    (void)state;
    // faster than 5 m/s after 0.5097 s; the second one waits a tenth of a second more
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01'>" FALLING
                 "<Trigger name='fast' when='below' probe='@a/speed' value='-5' then='snapshot' times='0'/>"
                 "<Trigger name='later' after='@fast' when='time' value='0.1' then='stop'/></tactus>");
    advance(world, 2);
    assert_true(fabs(tac_world_time(world) - 0.61) < 1e-12);
    assert_true(fabs(event_of(world, TAC_TRIGGER_FIRES).time - 0.51) < 1e-12);
    assert_true(fabs(event_of(world, TAC_TRIGGER_FIRES).time - 0.61) < 1e-12);
    assert_string_equal(tac_world_stopped_by(world), "/later");
    tac_world_destroy(world);
}

static void count_call(void *data, const char *trigger) {
    assert_string_equal(trigger, "/now");
    ++*(int *)data;
}

static void test_snapshots_are_asked_for(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01'>" FALLING
                 "<Trigger name='now' when='time' value='0.1' delay='0.05' then='snapshot'/></tactus>");
    int calls = 0;
    tac_world_on_snapshot(world, count_call, &calls);
    advance(world, 0.145);
    assert_int_equal(calls, 0);
    advance(world, 0.5);
    assert_int_equal(calls, 1);
    tac_world_destroy(world);
}

// --- then -------------------------------------------------------------------------------------------------

static void test_released_points_fall(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01'><node name='a'><Points positions='0 1 0 1 1 0'/><UniformMass/>"
        "<FixedPoints name='hold' points='0 1'/></node>"
        "<Trigger when='time' value='0.2' then='release' what='@a/hold'/></tactus>");
    advance(world, 0.2);
    assert_true(positions(world, "/a/points")[1] == 1);
    advance(world, 0.3);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(positions(world, "/a/points")[3 * i + 1] - (1 - 0.5 * 9.81 * 0.09)) < 1e-12);
    tac_world_destroy(world);
}

static void test_open_joints_let_go(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01'><node name='a'><Spook/><Frames positions='0 1 0 0 0 0 1'/>"
                 "<UniformMass mass='2' box='1 1 1'/><LockJoint name='lock'/>"
                 "<OutputProbe name='force' of='@lock' index='1'/></node>"
                 "<Trigger when='time' value='0.5' then='open' what='@a/lock'/></tactus>");
    advance(world, 0.49);
    assert_true(fabs(positions(world, "/a/frames")[1] - 1) < 1e-9);
    TacReals force = tac_world_reals(world, tac_world_find(world, "/a/lock"), "forces");
    double carried = fabs(force.data[0]) + fabs(force.data[1]) + fabs(force.data[2]);
    assert_true(fabs(carried - 2 * 9.81) < 1e-6);
    advance(world, 0.01);
    double before = positions(world, "/a/frames")[1];
    advance(world, 0.4);
    // forty kicks of h g, each before a flight of h
    double fall = 0.5 * 9.81 * 0.01 * 0.01 * 40 * 41;
    assert_true(fabs(before - positions(world, "/a/frames")[1] - fall) < 1e-9);
    force = tac_world_reals(world, tac_world_find(world, "/a/lock"), "forces");
    for (size_t i = 0; i < force.count; i++) assert_true(force.data[i] == 0);
    tac_world_destroy(world);
}

// A joint between agents: when it opens nobody solves for it any more, and it carries nothing.
static void test_an_open_link_carries_nothing(void **state) {
    (void)state;
    static const char *const schedulers[] = {"causal", "loose"};
    for (int i = 0; i < 2; i++) {
        TacWorld *world = make_world(
            "<tactus version='1' dt='0.01' scheduler='%s'><node name='a'><Spook/><Frames positions='0 1 0 0 "
            "0 0 1'/>"
            "<UniformMass mass='2' box='1 1 1'/><LockJoint/></node><node name='b'><SymplecticEuler/><Frames "
            "positions='0 0 0 0 0 0 1'/><UniformMass mass='3' box='1 1 1'/><LockJoint name='hitch' "
            "other='@/a/frames'/></node><Trigger when='time' value='0.5' then='open' "
            "what='@b/hitch'/></tactus>",
            schedulers[i]);
        advance(world, 0.45);
        near(fabs(output(world, "/b/hitch", "forces", 1)), 3 * 9.81, 1e-3);
        advance(world, 0.4);
        for (size_t k = 0; k < 6; k++) assert_true(output(world, "/b/hitch", "forces", k) == 0);
        assert_true(positions(world, "/b/frames")[1] < -0.3);
        tac_world_destroy(world);
    }
}

#define TWO_BODIES                                                                                           \
    "<tactus version='1' dt='0.005' gravity='0 0 0'><node name='all'><Spook/>"                               \
    "<node name='a'><Frames positions='0 0 0 0 0 0 1' velocities='2 0.3 0 0 0 1'/>"                          \
    "<UniformMass mass='2' box='1 0.5 0.3'/></node>"                                                         \
    "<node name='b'><Frames positions='3 1 0 0 0 0 1' velocities='-1 0 0.2 0.4 0 0'/>"                       \
    "<UniformMass mass='1' box='1 0.5 0.3'/>"                                                                \
    "<LockJoint name='glue' other='@../a/frames' open='true'/></node></node>"

// Two bodies fly past each other and are glued: one body from then on, with the momentum of both.
static void test_closing_keeps_momentum(void **state) {
    (void)state;
    TacWorld *world =
        world_of(TWO_BODIES "<Trigger when='time' value='0.8' then='close' what='@all/b/glue'/>"
                            "<Trigger when='time' value='2' then='open' what='@all/b/glue'/></tactus>");
    advance(world, 0.8);
    TacMomentum start = tac_world_momentum(world);
    double energy = tac_world_energy(world).kinetic;
    TacVec3 apart =
        tac_sub(tac_load3(positions(world, "/all/b/frames")), tac_load3(positions(world, "/all/a/frames")));
    advance(world, 0.6);
    TacMomentum end = tac_world_momentum(world);
    assert_true(tac_norm(tac_sub(start.linear, end.linear)) < 1e-10);
    assert_true(tac_world_energy(world).kinetic < energy); // a catch without a bounce
    assert_true(tac_norm(tac_sub(start.angular, end.angular)) < 1e-10 * tac_norm(start.angular));
    // as one rigid body: no relative rotation, the same spin, the distance of the moment of closing
    const double *va = velocities(world, "/all/a/frames"), *vb = velocities(world, "/all/b/frames");
    for (int k = 3; k < 6; k++) assert_true(fabs(va[k] - vb[k]) < 1e-3);
    TacVec3 now =
        tac_sub(tac_load3(positions(world, "/all/b/frames")), tac_load3(positions(world, "/all/a/frames")));
    assert_true(fabs(tac_norm(now) - tac_norm(apart)) < 1e-3 * tac_norm(apart));
    // and two again
    advance(world, 1);
    va = velocities(world, "/all/a/frames");
    double keep[3] = {va[0], va[1], va[2]};
    advance(world, 0.5);
    for (int k = 0; k < 3; k++) assert_true(velocities(world, "/all/a/frames")[k] == keep[k]);
    assert_true(tac_norm(tac_sub(start.linear, tac_world_momentum(world).linear)) < 1e-10);
    tac_world_destroy(world);
}

static void test_numbers_are_set(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'><Spook/><Frames/><UniformMass mass='1' "
        "box='1 1 1'/>"
        "<PrismaticJoint axis='1 0 0'/><Motor name='m' axis='1 0 0' motion='slide' speed='0'/></node>"
        "<Trigger when='time' value='0.1' then='set' what='@a/m' attribute='speed' to='0.5'/></tactus>");
    advance(world, 0.1);
    assert_true(positions(world, "/a/frames")[0] == 0);
    size_t bytes = tac_world_snapshot_size(world);
    void *data = malloc(bytes);
    TacError error;
    assert_int_equal(tac_world_save(world, data, bytes, &error), TAC_OK);
    advance(world, 1);
    assert_true(fabs(positions(world, "/a/frames")[0] - 0.5) < 1e-9);
    uint64_t hash = tac_world_hash(world);
    assert_int_equal(tac_world_restore(world, data, bytes, &error), TAC_OK);
    advance(world, 1);
    assert_true(tac_world_hash(world) == hash);
    free(data);
    tac_world_destroy(world);
}

// --- links, sleep, contact --------------------------------------------------------------------------------

static void test_links_that_break(void **state) {
    (void)state;
    // stretched by a half at 0.5 s
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'><SymplecticEuler/>"
                 "<Points positions='0 0 0 1 0 0 0 1 0 1 1 0' velocities='0 0 0 1 0 0 0 0 0 1 0 "
                 "0'/><UniformMass mass='1'/>"
                 "<ConditionalLinks name='links' pairs='0 1 2 3' states='whole broken' stiffness='1e-9 0' "
                 "transitions='whole to broken when stretch above 0.5'/></node>"
                 "<Trigger when='links' links='@a/links' state='1' then='stop'/></tactus>");
    advance(world, 2);
    assert_true(fabs(tac_world_time(world) - 0.5) < 0.021);
    TacContactEvent event = event_of(world, TAC_LINKS_CHANGE);
    assert_int_equal(event.element_a, 1);
    assert_int_equal(event.element_b, 2);
    assert_string_equal(tac_world_path(world, event.who), "/a/links");
    tac_world_destroy(world);
}

static void test_sleep_and_wake(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.002' scheduler='loose'><node name='ground'><Frames/><Shape "
                 "shape='half_space'/></node>"
                 "<node name='a'><SymplecticEuler name='s'/><Agent adaptive='true' rest='true' "
                 "patience='0.05' longest='2'/>"
                 "<Frames positions='0 0.1 0 0 0 0 1'/><UniformMass mass='1' box='0.2 0.2 0.2'/><Shape "
                 "name='m' size='0.2 0.2 0.2'/></node>"
                 "<Trigger name='night' when='sleep' agent='@a/s' then='stop'/></tactus>");
    advance(world, 5);
    assert_non_null(tac_world_stopped_by(world));
    TacContactEvent event = event_of(world, TAC_AGENT_SLEEPS);
    assert_string_equal(tac_world_path(world, event.who), "/a/s");
    tac_world_go_on(world);
    const double up[7] = {0, 0.5, 0, 0, 0, 0, 1};
    TacError error;
    assert_int_equal(tac_world_set_state(world, tac_world_find(world, "/a/frames"), up, NULL, &error),
                     TAC_OK);
    advance(world, 0.05);
    event = event_of(world, TAC_AGENT_WAKES);
    assert_string_equal(tac_world_path(world, event.who), "/a/s");
    tac_world_destroy(world);
}

#define BOUNCE                                                                                               \
    "<tactus version='1' dt='0.01' gravity='0 0 0'>"                                                         \
    "<Contact method='safe' thickness='0.02' restitution='1' friction='0' speed='1'/>"                       \
    "<node name='wall'><Sheet divisions='1' width='2' depth='2'/><Points/><FixedPoints points='0-3'/>"       \
    "<Skin name='skin'/></node>"                                                                             \
    "<node name='ball'><Points positions='0.1 0.3 0.2' velocities='0 -1 0'/><UniformMass mass='0.5'/>"       \
    "<Balls name='skin' radius='0.05'/></node>"                                                              \
    "<ContactProbe name='impulse' what='impulse' model='@ball/skin'/>"

// A ball bounces off a wall: one contact, with twice its momentum.
static void test_safe_contacts_begin_and_end(void **state) {
    (void)state;
    TacWorld *world =
        world_of(BOUNCE "<Trigger when='parted' model='@ball/skin' other='@wall/skin' then='stop'/>"
                        "</tactus>");
    advance(world, 2);
    assert_non_null(tac_world_stopped_by(world));
    double v = velocities(world, "/ball/points")[1];
    assert_true(fabs(v - 1) < 0.01);
    TacContactEvent begins = event_of(world, TAC_CONTACT_BEGINS), ends = event_of(world, TAC_CONTACT_ENDS);
    // from 0.3 - 0.05 to the first layer, at 1 m/s
    assert_true(fabs(begins.time - 0.23) < 0.005);
    assert_true(ends.time > begins.time && ends.time < tac_world_time(world));
    assert_true(fabs(ends.impulse - 0.5 * (1 + v)) < 1e-12);
    assert_true(begins.impulse == 0);
    const char *a = tac_world_path(world, tac_world_collision_model(world, ends.model_a));
    const char *b = tac_world_path(world, tac_world_collision_model(world, ends.model_b));
    assert_string_equal(a, "/wall/skin");
    assert_string_equal(b, "/ball/skin");
    assert_true(fabs(ends.normal.y - 1) < 1e-12); // from the wall to the ball
    assert_true(fabs(ends.point.x - 0.1) < 1e-9 && fabs(ends.point.z - 0.2) < 1e-9);
    TacContactEvent none;
    while (tac_world_events(world, &none, 1, NULL) == 1) assert_int_equal(none.kind, TAC_TRIGGER_FIRES);
    tac_world_destroy(world);
}

// What is told does not depend on when anybody looks.
static void test_events_do_not_depend_on_looking(void **state) {
    (void)state;
    TacWorld *once = world_of(BOUNCE "</tactus>"), *often = world_of(BOUNCE "</tactus>");
    TacContactEvent all[8], some[8];
    advance(once, 0.6);
    size_t n = tac_world_events(once, all, 8, NULL), m = 0;
    for (int i = 0; i < 600; i++) {
        advance(often, 0.001);
        m += tac_world_events(often, some + m, 8 - m, NULL);
    }
    assert_int_equal(n, m);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(all[i].kind, some[i].kind);
        assert_true(all[i].time == some[i].time && all[i].impulse == some[i].impulse);
    }
    tac_world_destroy(once);
    tac_world_destroy(often);
}

// --- the same, however --------------------------------------------------------------------------------------

static void test_same_bits(void **state) {
    (void)state;
    const char *text =
        TWO_BODIES "<Probe name='x' matter='@all/b/frames' what='x'/>"
                   "<Trigger when='below' probe='@x' value='2.2' then='close' what='@all/b/glue'/>"
                   "<Trigger when='time' value='1.5' then='open' what='@all/b/glue'/></tactus>";
    uint64_t hashes[4];
    for (int k = 0; k < 3; k++) {
        TacWorld *world = world_on(k == 0 ? 1 : k == 1 ? 2 : 8, text);
        advance(world, 2);
        hashes[k] = tac_world_hash(world);
        tac_world_destroy(world);
    }
    // in pieces, saved after the glue has set and gone on in another world
    TacWorld *first = world_on(1, text), *second = world_on(1, text);
    TacError error;
    for (int i = 0; i < 120; i++) advance(first, 0.01);
    size_t bytes = tac_world_snapshot_size(first);
    void *data = malloc(bytes);
    assert_int_equal(tac_world_save(first, data, bytes, &error), TAC_OK);
    assert_int_equal(tac_world_restore(second, data, bytes, &error), TAC_OK);
    advance(second, 0.8);
    hashes[3] = tac_world_hash(second);
    for (int k = 1; k < 4; k++) assert_true(hashes[k] == hashes[0]);
    free(data);
    tac_world_destroy(first);
    tac_world_destroy(second);
}

// --- refused ------------------------------------------------------------------------------------------------

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *piece;
    } cases[] = {
        {"~<Trigger when='above' then='stop'/>", "probe"},
        {"~<Trigger when='contact' then='stop'/>", "model"},
        {"~<Trigger when='time' then='open'/>", "what"},
        {"<Trigger when='time' then='open' what='~@a/points'/>", "no joint"},
        {"<Trigger when='time' then='release' what='~@a/points'/>", "cannot be released"},
        {"<Trigger when='time' then='set' what='@a/points' attribute='~speed'/>", "no number"},
        {"~<Trigger when='sleep' agent='@a/s' then='stop'/>", "loose"},
        {"<Trigger when='time' then='stop' after='~@/world'/>", "Trigger was expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<tactus version='1'><node name='a'><SymplecticEuler name='s'/><Points positions='0 0 "
                 "0'/><UniformMass/>"
                 "</node>%s</tactus>",
                 cases[i].text);
        refuse_pieces(__FILE__, __LINE__, text, &cases[i].piece, 1);
    }
    const char *skin = "with a skin";
    refuse_pieces(__FILE__, __LINE__,
                  "<tactus version='1'><Contact method='safe'/><node name='w'><Sheet divisions='1'/><Points/>"
                  "<FixedPoints name='f' points='0'/><UniformMass/><Skin/></node>"
                  "~<Trigger when='time' then='release' what='@w/f'/></tactus>",
                  &skin, 1);
}

// As often as it may, and no more: an oscillation crosses the limit once a period.
static void test_how_often_it_fires(void **state) {
    (void)state;
    for (int times = 0; times < 4; times++) {
        TacWorld *world = make_world(
            "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/><Points "
            "positions='0 0 0 0.7 0 "
            "0'/><UniformMass/><FixedPoints points='0'/><Springs pairs='0 1' stiffness='%g' "
            "lengths='0.5'/></node><Probe "
            "name='p' matter='@n/points' point='1' what='x'/><Trigger when='below' probe='@p' value='0.5' "
            "then='snapshot' times='%d'/></tactus>",
            4 * TAC_PI * TAC_PI, times); // a period of a second
        advance(world, 5.6);
        int fired = 0;
        TacContactEvent e;
        while (tac_world_events(world, &e, 1, NULL) == 1) fired += e.kind == TAC_TRIGGER_FIRES;
        assert_int_equal(fired, times ? times : 6);
        tac_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_often_it_fires),
        cmocka_unit_test(test_stops_on_the_beat),
        cmocka_unit_test(test_probes_and_order),
        cmocka_unit_test(test_snapshots_are_asked_for),
        cmocka_unit_test(test_released_points_fall),
        cmocka_unit_test(test_open_joints_let_go),
        cmocka_unit_test(test_an_open_link_carries_nothing),
        cmocka_unit_test(test_closing_keeps_momentum),
        cmocka_unit_test(test_numbers_are_set),
        cmocka_unit_test(test_links_that_break),
        cmocka_unit_test(test_sleep_and_wake),
        cmocka_unit_test(test_safe_contacts_begin_and_end),
        cmocka_unit_test(test_events_do_not_depend_on_looking),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
