// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What abuse_soak has found, each by its name: as small as it could be made, and with what must hold instead.

#define _GNU_SOURCE
#include "world_fixture.h"

#define FLOOR                                                                                                \
    "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><FixedPoints points='0-3'/>"      \
    "<Skin name='skin'/></node>"
#define SOLID                                                                                                \
    "<node name='n'><ImplicitEuler/><Grid counts='2 2 2' low='0 0.02 0' high='0.2 0.22 0.2' split='true'/>"  \
    "<Points velocities='0 -2 0'/><UniformMass total='0.5'/><Tetrahedra young='1e6'/><Skin "                 \
    "self='false'/></node>"
#define SAFE(content)                                                                                        \
    "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.006'/>" FLOOR content "</tactus>"

// Into a fresh world of the same text.
static TacWorld *resumed(TacWorld *world, const char *text) {
    TacWorld *fresh = world_on(1, text);
    hand_over(world, fresh);
    return fresh;
}

static void set_velocities(TacWorld *world, const char *path, const double *v) {
    TacError error = {0};
    if (tac_world_set_state(world, tac_world_find(world, path), NULL, v, &error) != TAC_OK)
        fail_msg("%s", error.message);
}

static TacAccountSum accounts(TacWorld *world) {
    size_t count;
    return tac_world_accounts(world, NULL, 0, &count);
}

static double account_of(TacWorld *world, const char *name) {
    TacAccount rows[32];
    size_t count;
    tac_world_accounts(world, rows, 32, &count);
    for (size_t i = 0; i < count && i < 32; i++)
        if (!strcmp(rows[i].name, name)) return rows[i].put_in;
    return 0;
}

static void check_accounts(TacWorld *world, double tolerance) {
    TacAccountSum sum = accounts(world);
    if (!(fabs(sum.unaccounted) <= tolerance)) fail_msg("%g J are not accounted for", sum.unaccounted);
    if (!(tac_norm(sum.linear_unaccounted) <= tolerance))
        fail_msg("%g N s are not accounted for", tac_norm(sum.linear_unaccounted));
}

// --- what cannot go on ----------------------------------------------------------------------------------------

// Two long bars that cross: the message named an end of one, which may be far from where they are near.
static void test_the_place_of_two_edges(void **state) {
    (void)state;
    TacWorld *world = world_on(
        1, "<tactus version='1' gravity='0 0 0'><Contact method='safe' thickness='1e-8'/>"
           "<node name='a'><Mesh at='0.6 0 0.2  0.6 0 -0.8' with_edges='0 1'/><Points/><Skin/></node>"
           "<node name='b'><Mesh at='0 0.001 0  1 0.001 0' with_edges='0 1'/><Points velocities='0 -9000 0'/>"
           "<UniformMass mass='1000'/><Skin self='false'/></node></tactus>");
    TacError error = {0};
    assert_int_equal(tac_world_advance(world, 0.01, &error), TAC_FAILED);
    double x, y, z;
    const char *at = strstr(error.message, "at (");
    if (!at || sscanf(at, "at (%lf, %lf, %lf)", &x, &y, &z) != 3) fail_msg("%s", error.message);
    if (!(fabs(x - 0.6) < 1e-3 && fabs(y) < 1e-5 && fabs(z) < 1e-3)) fail_msg("%s", error.message);
    tac_world_destroy(world);
}

// --- snapshots ------------------------------------------------------------------------------------------------

// A step that layers cut is chosen with its kick: a snapshot that is taken while the kick waits was refused as damaged.
static void test_a_step_that_is_cut_while_its_kick_waits(void **state) {
    (void)state;
    const char *text = SAFE(SOLID);
    TacWorld *world = world_on(1, text);
    for (int i = 0; i < 12; i++) {
        beats(world, 1);
        tac_world_energy(world); // computes the kicks of this instant
        TacWorld *fresh = resumed(world, text);
        TacError error = {0};
        assert_int_equal(tac_world_advance_beats(fresh, 2, &error), TAC_OK);
        TacWorld *again = resumed(world, text);
        assert_int_equal(tac_world_advance_beats(again, 2, &error), TAC_OK);
        assert_true(tac_world_hash(fresh) == tac_world_hash(again));
        tac_world_destroy(fresh);
        tac_world_destroy(again);
    }
    TacWorld *through = world_on(1, text);
    for (int i = 0; i < 12; i++) {
        beats(through, 1);
        tac_world_energy(through);
    }
    assert_true(tac_world_hash(through) == tac_world_hash(world));
    tac_world_destroy(through);
    tac_world_destroy(world);
}

// An audit that begins between instants saw frames elsewhere, by rounding, than they were told to be at the same time.
static void test_an_audit_that_begins_in_flight(void **state) {
    (void)state;
    TacError error = {0};
    for (int i = 1; i < 8; i++) {
        TacWorld *world =
            world_of(SAFE("<node name='n'><Frames positions='0.1 0.5 0.07 -0.02 0.19 0.01 1' velocities='0.1 "
                          "-1.7 0 4.9 0.3 0.2'/><UniformMass mass='0.2' box='0.1 0.13 0.12'/><node "
                          "name='s'><Box low='-0.06 -0.06 -0.06' high='0.06 0.06 0.06'/><Points/>"
                          "<RigidMap/><Skin/></node></node>"));
        advance(world, 0.0125 * i);
        assert_int_equal(tac_world_audit(world, &error), TAC_OK);
        TacComponentId id = tac_world_find(world, "/n/frames");
        const double v[6] = {0, -1, 0, 1, 2, 3}; // from here on it flies otherwise
        assert_int_equal(tac_world_set_state(world, id, NULL, v, &error), TAC_OK);
        if (tac_world_advance_beats(world, 2, &error) != TAC_OK) fail_msg("%s", error.message);
        assert_int_equal(tac_world_audit_summary(world).violations, 0);
        tac_world_destroy(world);
    }
}

// What was put elsewhere, past other things, was audited as if it had flown there; what was put into another thing was not.
static void test_an_audit_of_what_is_put_elsewhere(void **state) {
    (void)state;
    static const double places[2][3] = {{0, 1.5, 0}, {0.03, 0.53, 0.02}};
    for (int i = 0; i < 2; i++) {
        TacWorld *world = world_of(
            SAFE("<node name='a'><Points positions='0 0.1 0 0.2 0.1 0 0 0.1 0.2'/><Mesh at='0 0.1 0 0.2 0.1 "
                 "0 0 0.1 0.2' "
                 "with_triangles='0 1 2'/><UniformMass/><Skin/></node><node name='b'><Frames positions='0 "
                 "0.5 0 0 0 0 "
                 "1'/><UniformMass box='0.2 0.2 0.2'/><node name='s'><Box low='-0.1 -0.1 -0.1' high='0.1 0.1 "
                 "0.1'/><Points/><RigidMap/><Skin/></node></node>"));
        TacError error = {0};
        assert_int_equal(tac_world_audit(world, &error), TAC_OK);
        beats(world, 2);
        double x[9];
        memcpy(x, positions(world, "/a/points"), sizeof x);
        for (int k = 0; k < 9; k++) x[k] += places[i][k % 3] - (k % 3 == 1 ? 0.1 : 0);
        TacStatus status = tac_world_set_state(world, tac_world_find(world, "/a/points"), x, NULL, &error);
        if (status == TAC_OK) tac_world_advance_beats(world, 1, &error);
        assert_int_equal(tac_world_audit_summary(world).violations > 0, i == 1);
        tac_world_destroy(world);
    }
}

// --- looking --------------------------------------------------------------------------------------------------

// What triggers looked at before an instant was taken for what the instant left: velocities of pinned points, say.
static void test_what_was_seen_before_an_instant(void **state) {
    (void)state;
    const char *text =
        "<tactus version='1' dt='0.01'><node name='n'><SymplecticEuler/><Points positions='0 0 0 1 0 0' "
        "velocities='0 1 0'/><UniformMass/><Springs pairs='0 1' stiffness='100' lengths='0.5'/></node>"
        "<Probe name='p' matter='@n/points' point='0' what='speed'/><Trigger when='above' probe='@p' "
        "value='1e9' then='snapshot'/></tactus>";
    TacWorld *world = world_on(1, text);
    beats(world, 2);
    TacError error;
    assert_int_equal(tac_world_pin(world, tac_world_find(world, "/n/points"), 0, &error), TAC_OK);
    for (int i = 0; i < 5; i++) {
        beats(world, 1);
        uint64_t hash = tac_world_hash(world);
        tac_world_keep_accounts(world, &error);
        accounts(world); // looks anew
        assert_true(tac_world_hash(world) == hash);
        assert_true(tac_norm(tac_load3(velocities(world, "/n/points"))) == 0);
    }
    tac_world_destroy(world);
}

// Layers set a pinned point in motion until the next instant, and when that was depended on certificates.
static void test_a_pinned_point_stands_still(void **state) {
    (void)state;
    const char *text = SAFE(
        "<node name='n'><SymplecticEuler step='0.00125'/><Points positions='0 0.05 0 0.07 0.05 0.01 0.03 "
        "0.12 0' velocities='0 -1 0'/><UniformMass mass='0.02'/><Springs pairs='0 1 1 2' "
        "stiffness='20'/><Balls radius='0.03'/></node>");
    TacWorld *world = world_on(1, text);
    beats(world, 1);
    TacError error;
    assert_int_equal(tac_world_pin(world, tac_world_find(world, "/n/points"), 0, &error), TAC_OK);
    double place[3];
    memcpy(place, positions(world, "/n/points"), sizeof place);
    for (int i = 0; i < 60; i++) {
        beats(world, 1);
        const double *x = positions(world, "/n/points");
        for (int k = 0; k < 3; k++) assert_true(x[k] == place[k]);
    }
    TacWorld *fresh = resumed(world, text);
    beats(world, 20);
    beats(fresh, 20);
    assert_true(tac_world_hash(world) == tac_world_hash(fresh));
    tac_world_destroy(world);
    tac_world_destroy(fresh);
}

// --- states and values that are set -----------------------------------------------------------------------------

// Points that are held flew away when velocities were set; those that move as told lost their way.
static void test_velocities_of_what_is_held(void **state) {
    (void)state;
    static const char *const solvers[] = {"<SymplecticEuler/>", "<ImplicitEuler/>", ""};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        TacWorld *world =
            make_world("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'>%s<Points positions='0 "
                       "0 0 1 0 0 2 0 "
                       "0 3 0 0'/><UniformMass/><FixedPoints points='0'/><FixedPoints name='x' points='1' "
                       "directions='x'/><ScriptedMotion points='2' speed='0 0.5 0'/></node></tactus>",
                       solvers[i]);
        beats(world, 2);
        const double v[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0.3, 0.1, 0.7};
        set_velocities(world, "/n/points", v);
        beats(world, 4);
        const double *x = positions(world, "/n/points");
        for (int k = 0; k < 3; k++) assert_true(x[k] == 0);
        assert_true(x[3] == 1 && fabs(x[4] - 0.04) < 1e-12 && fabs(x[5] - 0.04) < 1e-12);
        assert_true(x[6] == 2 && fabs(x[7] - 0.03) < 1e-12 && x[8] == 0);
        assert_true(fabs(x[9] - 3 - 0.3 * 0.04) < 1e-12 && fabs(x[11] - 0.7 * 0.04) < 1e-12);
        tac_world_destroy(world);
    }
}

// Velocities that were set were taken for the growth of a step that is too long.
static void test_velocities_are_no_growth(void **state) {
    (void)state;
    TacWorld *world =
        world_of(SAFE("<node name='n'><SymplecticEuler/><Points positions='0 1 0 0.1 1 0'/><UniformMass/>"
                      "<Springs pairs='0 1' stiffness='9' lengths='0.0999'/><Balls radius='0.01'/></node>"));
    beats(world, 5);
    const double v[6] = {-9, 0, 0, 9, 0, 0};
    set_velocities(world, "/n/points", v);
    TacError error = {0};
    if (tac_world_advance_beats(world, 3, &error) != TAC_OK) fail_msg("%s", error.message);
    tac_world_destroy(world);
}

// A value that was set while its agent slept was slept through.
static void test_values_wake_who_sleeps(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.005'/><node "
        "name='a'><Spook/><Agent adaptive='true' rest='true' still='0.01' patience='0.05'/><Frames "
        "positions='1 0 0 0 0 0 1'/><UniformMass mass='2' box='0.1 0.1 0.1'/><HingeJoint at='0 0 0' axis='0 "
        "0 "
        "1'/><Motor at='0 0 0' axis='0 0 1' speed='0' most='1000'/><node name='s'><Box low='-0.1 -0.1 -0.1' "
        "high='0.1 0.1 0.1'/><Points/><RigidMap/><Skin/></node></node></tactus>");
    advance(world, 2);
    assert_true(tac_world_agent(world, 0).resting);
    TacError error = {0};
    TacComponentId motor = tac_world_find(world, "/a/motor");
    if (tac_world_set(world, motor, "speed", "1", &error) != TAC_OK) fail_msg("%s", error.message);
    assert_false(tac_world_agent(world, 0).resting);
    advance(world, 1);
    assert_true(fabs(positions(world, "/a/frames")[1]) > 0.5);
    tac_world_destroy(world);
}

// Of a law as of a joint; and what a trigger lets go of does not go on resting.
static void test_laws_and_releases_wake_who_sleeps(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.005'/><node "
        "name='a'><SymplecticEuler/><Agent adaptive='true' rest='true' still='0.01' patience='0.05'/><Points "
        "positions='0 0 0 1 0 0'/><UniformMass/><Liaisons name='law' slopes='-5' thresholds='0' "
        "zero='1'/><Balls "
        "radius='0.01'/></node></tactus>");
    advance(world, 2);
    assert_true(tac_world_agent(world, 0).resting);
    TacError error = {0};
    if (tac_world_set(world, tac_world_find(world, "/a/law"), "strength", "2", &error) != TAC_OK)
        fail_msg("%s", error.message);
    assert_false(tac_world_agent(world, 0).resting);
    tac_world_destroy(world);
    world =
        world_of("<tactus version='1' dt='0.01' scheduler='loose'><node name='a'><SymplecticEuler/><Agent "
                 "adaptive='true' rest='true' still='0.01' patience='0.05'/><Points positions='0 0 0'/>"
                 "<UniformMass/><FixedPoints name='held' points='0'/></node><Trigger when='time' value='2' "
                 "then='release' what='@a/held'/></tactus>");
    advance(world, 1.9);
    assert_true(tac_world_agent(world, 0).resting);
    advance(world, 0.6);
    assert_true(positions(world, "/a/points")[1] < -0.5);
    tac_world_destroy(world);
}

// Who is only on longer steps is back at its own with its next tick.
static void test_values_end_longer_steps(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.005'/><node "
        "name='a'><Spook/><Agent adaptive='true' still='0.01' patience='0.05'/><Frames positions='1 0 0 0 0 "
        "0 "
        "1'/><UniformMass mass='2' box='0.1 0.1 0.1'/><HingeJoint at='0 0 0' axis='0 0 1'/><Motor at='0 0 0' "
        "axis='0 0 "
        "1' speed='0' most='1000'/><node name='s'><Box low='-0.1 -0.1 -0.1' high='0.1 0.1 "
        "0.1'/><Points/><RigidMap/><Skin/></node></node></tactus>");
    advance(world, 1.6); // twenty of the longest steps
    double longest = tac_world_agent(world, 0).step;
    assert_true(longest > 0.07);
    TacError error = {0};
    if (tac_world_set(world, tac_world_find(world, "/a/motor"), "speed", "1", &error) != TAC_OK)
        fail_msg("%s", error.message);
    advance(world, longest + 0.005);
    assert_true(tac_world_agent(world, 0).step < 0.011);
    tac_world_destroy(world);
}

// --- accounts ---------------------------------------------------------------------------------------------------

// Positions that are set change what laws and weights hold; in a safe world the kicks of the instant now stand, and do
// other work on other velocities.
static void test_accounts_of_what_is_set(void **state) {
    (void)state;
    static const char *const contacts[] = {"", "<Contact method='safe' thickness='0.005'/>" FLOOR};
    for (size_t i = 0; i < 2; i++) {
        TacWorld *world =
            make_world("<tactus version='1' dt='0.01'>%s<node name='n'><SymplecticEuler/><Points "
                       "positions='0 1 0 1 1 0' "
                       "velocities='0 1 0'/><UniformMass mass='2'/><Springs pairs='0 1' stiffness='50' "
                       "lengths='0.5'/><Balls radius='0.01'/></node><node name='free'><Points positions='0 3 "
                       "0'/><UniformMass mass='3'/></node></tactus>",
                       contacts[i]);
        TacError error;
        tac_world_keep_accounts(world, &error);
        beats(world, 3);
        const double x[6] = {0, 2, 0, 1.5, 2, 0}, v[6] = {1, 2, 3, -1, 0.5, 0}, up[3] = {0, 7, 0};
        tac_world_energy(world);
        double before = accounts(world).end;
        TacComponentId id = tac_world_find(world, "/n/points");
        assert_int_equal(tac_world_set_state(world, id, x, v, &error), TAC_OK);
        assert_int_equal(tac_world_set_state(world, tac_world_find(world, "/free/points"), up, v, &error),
                         TAC_OK);
        assert_true(account_of(world, "outside") > 100 && accounts(world).end - before > 100);
        check_accounts(world, 1e-10);
        beats(world, 3);
        check_accounts(world, 1e-10);
        tac_world_destroy(world);
    }
}

// An attribute that is set, by hand or by a trigger, changes what a law holds.
static void test_accounts_of_values(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/><Points positions='0 "
        "0 0 "
        "1 0 0'/><UniformMass/><Liaisons name='law' slopes='-50' thresholds='0' zero='0.5'/></node><Trigger "
        "when='time' value='0.05' then='set' what='@n/law' attribute='strength' to='3'/></tactus>");
    TacError error = {0};
    tac_world_keep_accounts(world, &error);
    TacComponentId law = tac_world_find(world, "/n/law");
    double before = accounts(world).end;
    if (tac_world_set(world, law, "strength", "2", &error) != TAC_OK) fail_msg("%s", error.message);
    assert_true(before > 6 && fabs(account_of(world, "outside") - before) < 1e-9); // twice as strong
    beats(world, 3);
    check_accounts(world, 1e-10);
    beats(world, 5);
    assert_true(account_of(world, "outside") > 1.1 * before);
    check_accounts(world, 1e-10);
    tac_world_destroy(world);
}

// What pins take, and the fall of what is let go.
static void test_accounts_of_pins_and_releases(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01'><node name='n'><SymplecticEuler/><Points positions='0 1 0 1 1 0' "
        "velocities='0 1 0'/><UniformMass mass='2'/><Springs pairs='0 1' stiffness='50'/></node><node "
        "name='free'><Points positions='0 3 0 1 3 0'/><UniformMass mass='3'/><FixedPoints name='held' "
        "points='0'/></node><Trigger when='time' value='0.05' then='release' what='@free/held'/></tactus>");
    TacError error;
    tac_world_keep_accounts(world, &error);
    beats(world, 3);
    assert_int_equal(tac_world_pin(world, tac_world_find(world, "/n/points"), 0, &error), TAC_OK);
    assert_int_equal(tac_world_pin(world, tac_world_find(world, "/free/points"), 1, &error), TAC_OK);
    beats(world, 10);
    assert_true(positions(world, "/free/points")[1] < 2.99); // it was let go
    check_accounts(world, 1e-10);
    tac_world_destroy(world);
}

// One model takes the place of another.
static void test_accounts_of_levels(void **state) {
    (void)state;
    for (int loose = 0; loose < 2; loose++) {
        TacWorld *world = make_world(
            "<tactus version='1' dt='0.01'%s><node name='n'><Levels level='0' blow='12' memory='0.05' "
            "patience='0' "
            "cost='1e-5' gamma_time='300' time_limit='1e-4' focus='0.02 0.05 1e9 0.1 0.2 1e9'/><node "
            "name='r0'><SymplecticEuler/><Sheet divisions='1'/><Points velocities='0 0.1 0.5'/><DiagonalMass "
            "density='0.3'/><MeshSprings membrane='5'/><FixedPoints points='0'/></node><node "
            "name='r2'><ImplicitEuler/><Sheet divisions='4'/><Points/><DiagonalMass "
            "density='0.3'/><MeshSprings "
            "membrane='5'/><FixedPoints points='0'/></node></node></tactus>",
            loose ? " scheduler='loose'" : "");
        TacError error;
        tac_world_keep_accounts(world, &error);
        advance(world, 0.3);
        if (account_of(world, "levels") == 0) fail_msg("nothing changed, so nothing is tested");
        check_accounts(world, 1e-10);
        tac_world_destroy(world);
    }
}

// Falling asleep takes momentum, too.
static void test_momentum_of_who_falls_asleep(void **state) {
    (void)state;
    TacWorld *world = world_of(A_SLEEPER);
    TacError error;
    tac_world_keep_accounts(world, &error);
    advance(world, 1.5);
    assert_true(tac_world_agent(world, 0).resting);
    assert_true(fabs(accounts(world).linear.x + 0.1) < 1e-12);
    check_accounts(world, 1e-12);
    tac_world_destroy(world);
}

// --- the loose scheduler ----------------------------------------------------------------------------------------

// A ground that was given a velocity flew, and whoever touched it felt that only when somebody had looked.
static void test_a_ground_stands_still(void **state) {
    (void)state;
    const char *text =
        "<tactus version='1' dt='0.01' scheduler='loose'><node name='ground'><Frames velocities='1 0 0 0 0 "
        "0'/><Shape size='9 0.2 9'/></node><node name='n'><SymplecticEuler step='0.002'/><Frames "
        "positions='0 "
        "0.2 0 0 0 0 1'/><UniformMass mass='1' box='0.2 0.2 0.2'/><Shape size='0.2 0.2 "
        "0.2'/></node></tactus>";
    TacWorld *world = world_on(1, text), *seen = world_on(1, text);
    const double v[6] = {2, 0, 0, 0, 0, 0}, x[7] = {0, -0.05, 0, 0, 0, 0, 1};
    TacError error;
    for (int i = 0; i < 40; i++) {
        if (i == 5) set_velocities(world, "/ground/frames", v);
        if (i == 5) set_velocities(seen, "/ground/frames", v);
        beats(world, 1);
        beats(seen, 1);
        tac_world_energy(seen);
        positions(seen, "/n/frames");
    }
    assert_true(positions(world, "/ground/frames")[0] == 0);
    assert_true(tac_world_hash(world) == tac_world_hash(seen));
    // put elsewhere, it is seen there, also after a resume
    TacComponentId ground = tac_world_find(world, "/ground/frames");
    assert_int_equal(tac_world_set_state(world, ground, x, NULL, &error), TAC_OK);
    TacWorld *fresh = resumed(world, text);
    beats(world, 100);
    beats(fresh, 100);
    assert_true(fabs(positions(world, "/n/frames")[1] - 0.15) < 0.01);
    assert_true(tac_world_hash(world) == tac_world_hash(fresh));
    tac_world_destroy(world);
    tac_world_destroy(seen);
    tac_world_destroy(fresh);
}

// In a safe world the points of an explicit agent fall by themselves: not those that something leads, and not along the
// directions in which they are fixed.
static void test_accounts_of_what_falls_by_itself(void **state) {
    (void)state;
    static const char *const led[] = {"<FixedPoints points='0 1' directions='xy'/><Springs pairs='0 1 1 2' "
                                      "stiffness='9' lengths='2'/>",
                                      "<Oscillator points='1' amplitude='0 0.1 0' pulsation='9'/>",
                                      "<PlaneProjection points='0' normal='1 1 0'/>"};
    for (int i = 0; i < 3; i++) {
        TacWorld *world =
            make_world_on(1,
                          "<tactus version='1' dt='0.01'><Contact method='safe'/>" FLOOR
                          "<node name='n'><SymplecticEuler/><Points positions='0 1 0 1 1 0 1 2 0'/>"
                          "<UniformMass mass='2'/>%s</node></tactus>",
                          led[i]);
        TacError error;
        tac_world_keep_accounts(world, &error);
        beats(world, 20);
        check_accounts(world, 1e-9);
        tac_world_destroy(world);
    }
}

// Some matter of an agent with layers may have no skin.
static void test_an_agent_with_and_without_skins(void **state) {
    (void)state;
    TacWorld *world = world_of(SAFE(
        "<node name='n'><ImplicitEuler/><node name='solid'><Grid counts='2 2 2' low='0 0.02 0' high='0.2 "
        "0.22 0.2' split='true'/><Points/><UniformMass total='0.5'/><Tetrahedra young='1e6'/><Skin "
        "self='false'/></node><node name='bare'><Points positions='1 1 0 1 1.1 0'/><UniformMass/><Springs "
        "pairs='0 1' stiffness='9'/></node></node>"));
    beats(world, 20);
    assert_true(positions(world, "/n/solid/points")[1] > 0 && positions(world, "/n/bare/points")[1] < 0.9);
    tac_world_destroy(world);
}

// Under the loose scheduler others see what was published. Accounts look in between, and showed what was set before it was
// published: runs with accounts had other bits.
static void test_accounts_change_nothing(void **state) {
    (void)state;
    static const double v[6] = {-0.3, 0.2, 0.1, -0.4, 0.3, 0.2};
    uint64_t hash[2];
    for (int kept = 0; kept < 2; kept++) {
        TacWorld *world = world_on(
            1,
            "<tactus version='1' dt='0.01' scheduler='loose'><Contact method='loose' thickness='0.006' "
            "friction='0.4' restitution='0.5'/>"
            "<node name='floor'><Frames positions='0 -0.1 0 0 0 0 1'/><ScriptedMotion times='0.05 0.1' "
            "offsets='0 0 0 -0.00169703 0.01 0'/><Shape size='6 0.2 4'/></node>"
            "<node name='a'><SymplecticEuler step='0.005'/><Frames name='matter' positions='-1.2 0.217405 0 "
            "0 "
            "0 0.2 "
            "1' velocities='0.794923 0 0 0 0 0.374943'/><UniformMass mass='0.5' box='0.15 0.15 0.2'/>"
            "<Shape shape='capsule' radius='0.05' size='0 0.1 0'/></node>"
            "<node name='b'><Spook step='0.0037'/><Frames name='matter' positions='-0.6 0.232646 0 0 0 0 1' "
            "velocities='0.132676 0 0 0 0 0.942334'/><UniformMass mass='0.5' box='0.15 0.15 0.2'/>"
            "<Shape shape='capsule' radius='0.05' size='0 0.1 0'/></node></tactus>");
        TacError error = {0};
        if (kept) assert_int_equal(tac_world_keep_accounts(world, &error), TAC_OK);
        assert_int_equal(tac_world_pin(world, tac_world_find(world, "/a/matter"), 0, &error), TAC_OK);
        assert_int_equal(tac_world_advance_beats(world, 4, &error), TAC_OK);
        set_velocities(world, "/b/matter", v);
        assert_int_equal(tac_world_advance_beats(world, 6, &error), TAC_OK);
        hash[kept] = tac_world_hash(world);
        tac_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// Under the loose scheduler a body is ahead of the others by up to a step. Pinned there it was not held: it ceased to fall, and flew
// straight on; so nobody accounted for its weight.
static void test_what_is_ahead_is_pinned(void **state) {
    (void)state;
    TacWorld *world = make_world("<tactus version='1' dt='0.01' scheduler='loose'><node name='n'><Frames "
                                 "positions='0 0 0 0 0 0 1 1 0 0 0 0 "
                                 "0.6 0.8' velocities='1 2 3 4 5 6'/><UniformMass box='1 2 3'/></node>"
                                 "<node name='b'><SymplecticEuler step='0.0037'/><Points positions='0 3 "
                                 "0'/><UniformMass/></node></tactus>");
    TacError error = {0};
    assert_int_equal(tac_world_keep_accounts(world, &error), TAC_OK);
    TacComponentId id = tac_world_find(world, "/n/frames");
    double there[3] = {0};
    for (int beat = 0; beat < 12; beat++) {
        if (beat == 5) {
            memcpy(there, positions(world, "/n/frames"), sizeof there);
            assert_int_equal(tac_world_pin(world, id, 0, &error), TAC_OK);
        }
        beats(world, 1);
        check_accounts(world, 1e-10);
        if (beat < 5) continue;
        const double *x = positions(world, "/n/frames"), *v = velocities(world, "/n/frames");
        for (int k = 0; k < 3; k++) near(x[k], there[k], 1e-12);
        for (int k = 0; k < 6; k++) assert_true(v[k] == 0);
    }
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_ahead_is_pinned),
        cmocka_unit_test(test_accounts_of_what_falls_by_itself),
        cmocka_unit_test(test_an_agent_with_and_without_skins),
        cmocka_unit_test(test_the_place_of_two_edges),
        cmocka_unit_test(test_a_step_that_is_cut_while_its_kick_waits),
        cmocka_unit_test(test_an_audit_that_begins_in_flight),
        cmocka_unit_test(test_an_audit_of_what_is_put_elsewhere),
        cmocka_unit_test(test_what_was_seen_before_an_instant),
        cmocka_unit_test(test_a_pinned_point_stands_still),
        cmocka_unit_test(test_velocities_of_what_is_held),
        cmocka_unit_test(test_velocities_are_no_growth),
        cmocka_unit_test(test_values_wake_who_sleeps),
        cmocka_unit_test(test_laws_and_releases_wake_who_sleeps),
        cmocka_unit_test(test_values_end_longer_steps),
        cmocka_unit_test(test_accounts_of_what_is_set),
        cmocka_unit_test(test_accounts_of_values),
        cmocka_unit_test(test_accounts_of_pins_and_releases),
        cmocka_unit_test(test_accounts_of_levels),
        cmocka_unit_test(test_momentum_of_who_falls_asleep),
        cmocka_unit_test(test_a_ground_stands_still),
        cmocka_unit_test(test_accounts_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
