// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Accounts: what everybody puts in adds up to what changes, in mixed scenes under both schedulers, and is what closed
// forms say: work of a force, what an inelastic catch and an inelastic impact take out.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

static void keep(TacWorld *world) {
    TacError error;
    assert_int_equal(tac_world_keep_accounts(world, &error), TAC_OK);
}

static TacAccount row(TacWorld *world, const char *name) {
    TacAccount rows[64];
    size_t count;
    tac_world_accounts(world, rows, 64, &count);
    for (size_t i = 0; i < count && i < 64; i++)
        if (!strcmp(rows[i].name, name)) return rows[i];
    fail_msg("no account of %s", name);
    return (TacAccount){0};
}

// Energy at the start + what everybody put in = energy at the end. The tolerance is of what went through all hands.
static void check_sum(TacWorld *world, double tolerance) {
    TacAccount rows[64];
    size_t count;
    TacAccountSum sum = tac_world_accounts(world, rows, 64, &count);
    double through = fabs(sum.start) + fabs(sum.end), put_in = 0;
    for (size_t i = 0; i < count && i < 64; i++) {
        through += fabs(rows[i].work) + fabs(rows[i].stored);
        put_in += rows[i].put_in;
    }
    if (!(fabs(sum.end - sum.start - put_in) <= tolerance * through))
        fail_msg("%g J of %g J are not accounted for", sum.unaccounted, through);
    assert_true(fabs(sum.unaccounted - (sum.end - sum.start - put_in)) <= 1e-12 * through);
}

// --- mixed scenes -------------------------------------------------------------------------------------------------

static void check_example(const char *path, double seconds, double tolerance) {
    TacWorld *plain = world_of_file(path, 1), *kept = world_of_file(path, 1);
    keep(kept);
    advance(plain, seconds);
    advance(kept, seconds / 3);
    check_sum(kept, tolerance);
    advance(kept, seconds - seconds / 3);
    check_sum(kept, tolerance);
    // whoever keeps accounts changes nothing
    assert_true(tac_world_hash(plain) == tac_world_hash(kept));
    tac_world_destroy(plain);
    tac_world_destroy(kept);
}

static void test_safe_world(void **state) {
    (void)state;
    check_example("examples/together/safe.tac", 0.3, 1e-12);
}

static void test_loose_world(void **state) {
    (void)state;
    check_example("examples/together/loose.tac", 1.5, 1e-12);
}

static void test_crane(void **state) {
    (void)state;
    check_example("examples/together/crane.tac", 9, 1e-12);
}

static void test_mixed_formats(void **state) {
    (void)state;
    check_example("examples/together/mixed.tac", 1, 1e-12);
}

// Solvers that move matter themselves are accounted for at the ends of their steps.
static void test_runge_kutta(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01'><node name='a'><RungeKutta4/><Points positions='0 0 0 1.2 0 "
                 "0' velocities='0 1 0 0 0 0'/><UniformMass/><Springs pairs='0 1' stiffness='30' "
                 "lengths='1'/></node></tactus>");
    keep(world);
    advance(world, 1);
    check_sum(world, 1e-12);
    assert_true(fabs(row(world, "/a").put_in) < 1e-6); // of fourth order
    tac_world_destroy(world);
}

// --- closed forms --------------------------------------------------------------------------------------------------

static void test_work_of_a_force(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'><SymplecticEuler/><Points "
                 "positions='0 0 0'/><UniformMass mass='2'/><ConstantForce force='6 0 0'/></node></tactus>");
    keep(world);
    advance(world, 1);
    TacAccount a = row(world, "/a");
    assert_true(fabs(a.work - 0.5 * 2 * 9) < 1e-9); // v = F t / m
    assert_true(fabs(a.linear.x - 6) < 1e-12);
    check_sum(world, 1e-14);
    tac_world_destroy(world);
}

static void test_an_inelastic_catch(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'>"
        "<node name='a'><Spook/><Points positions='0 0 0' velocities='3 0 0'/><UniformMass mass='1'/></node>"
        "<node name='b'><SymplecticEuler/><Points positions='1 0 0'/><UniformMass mass='2'/>"
        "<BallJoint name='link' other='@/a/points' open='true'/></node>"
        "<Trigger when='time' value='0.1' then='close' what='@b/link'/></tactus>");
    keep(world);
    advance(world, 2);
    // half of the reduced mass times the square of the speed between them
    assert_true(fabs(row(world, "/a+").put_in + 0.5 * (2.0 / 3) * 9) < 1e-6);
    assert_true(tac_norm(row(world, "/a+").linear) < 1e-12);
    check_sum(world, 1e-12);
    tac_world_destroy(world);
}

static void test_an_inelastic_impact(void **state) {
    (void)state;
    const double e = 0.5, v = 2, m = 0.1;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.005' "
                 "restitution='0.5' speed='2'/><node name='floor'><Sheet divisions='1' width='2' depth='2'/>"
                 "<Points/><FixedPoints points='0-3'/><Skin/></node><node name='ball'><Points positions='0.1 "
                 "0.2 0.05' velocities='0 -2 0'/><UniformMass mass='0.1'/><Balls radius='0.03'/></node>"
                 "</tactus>");
    keep(world);
    advance(world, 0.5);
    TacAccount layers = row(world, "layers");
    assert_true(fabs(layers.put_in + 0.5 * m * v * v * (1 - e * e)) < 0.05 * 0.5 * m * v * v);
    assert_true(fabs(layers.linear.y - m * v * (1 + e)) < 0.05 * m * v);
    check_sum(world, 1e-12);
    tac_world_destroy(world);
}

// Implicit Euler takes out, and what it takes is what is missing.
static void test_an_implicit_spring(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'><ImplicitEuler/><SparseDirect/>"
        "<Points positions='0 0 0 1.5 0 0'/><UniformMass/><Springs pairs='0 1' stiffness='30' "
        "lengths='1'/></node></tactus>");
    keep(world);
    double start = tac_world_energy(world).total;
    advance(world, 3);
    double lost = row(world, "/a").put_in;
    assert_true(lost < -0.5 * start && lost > -start);
    check_sum(world, 1e-12);
    tac_world_destroy(world);
}

// A sleeper's last motion is booked as rest; a state that is set as coming from outside.
static void test_rest_and_outside(void **state) {
    (void)state;
    TacWorld *world = world_of(A_SLEEPER);
    keep(world);
    advance(world, 1.5);
    assert_true(fabs(row(world, "rest").work + 0.5 * 2 * 0.05 * 0.05) < 1e-12);
    const double v[6] = {3, 0, 0, 0, 0, 0};
    TacError error;
    assert_int_equal(tac_world_set_state(world, tac_world_find(world, "/a/frames"), NULL, v, &error), TAC_OK);
    assert_true(fabs(row(world, "outside").work - 9) < 1e-12);
    advance(world, 0.5);
    check_sum(world, 1e-12);
    tac_world_destroy(world);
}

// --- momentum ------------------------------------------------------------------------------------------------------

// Momentum between instants, of points of one mass each.
typedef struct Motion {
    TacVec3 linear, angular;
} Motion;

static void add_motion(TacWorld *world, const char *path, double mass, Motion *motion) {
    const double *x = positions(world, path), *v = velocities(world, path);
    for (size_t i = 0; i < tac_world_point_count(world, tac_world_find(world, path)); i++) {
        TacVec3 p = tac_scale(tac_load3(v + 3 * i), mass);
        motion->linear = tac_add(motion->linear, p);
        motion->angular = tac_add(motion->angular, tac_cross(tac_load3(x + 3 * i), p));
    }
}

static Motion motion_of(TacWorld *world, const char *path, double mass) {
    Motion motion = {{0, 0, 0}, {0, 0, 0}};
    add_motion(world, path, mass, &motion);
    return motion;
}

// All rows together are what momentum gained, turning momentum too; nothing falls by itself.
static void check_momentum(TacWorld *world, Motion before, Motion after) {
    TacAccount rows[64];
    size_t count;
    TacAccountSum sum = tac_world_accounts(world, rows, 64, &count);
    TacVec3 linear = {0, 0, 0}, angular = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        linear = tac_add(linear, rows[i].linear);
        angular = tac_add(angular, rows[i].angular);
    }
    assert_true(tac_norm(tac_sub(sum.linear, linear)) < 1e-12);
    assert_true(tac_norm(tac_sub(linear, tac_sub(after.linear, before.linear))) < 1e-12);
    assert_true(tac_norm(tac_sub(angular, tac_sub(after.angular, before.angular))) < 1e-11);
}

// Laws without a solver: springs of several classes of clocks and a pull from outside meet on the same points.
static void test_laws_on_their_own_clocks(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.001'/>"
                 "<node name='a'><Points positions='0 0 0 1.2 0 0 2 0.3 0 3 "
                 "0 1' velocities='0 1 0 0 0 0 0 0 2 0 0 0'/><UniformMass mass='0.5'/><Springs pairs='0 1 1 "
                 "2 2 3 0 3' "
                 "stiffness='3000 200 15 1' lengths='1 1 1 2'/><ConstantForce force='0.3 0 0.1' "
                 "points='1'/><Balls radius='0.001'/></node></tactus>");
    keep(world);
    Motion before = motion_of(world, "/a/points", 0.5);
    advance(world, 1);
    check_sum(world, 1e-12);
    Motion after = motion_of(world, "/a/points", 0.5);
    assert_true(fabs(after.linear.x - before.linear.x - 0.3) < 1e-9);
    assert_true(tac_norm(tac_sub(after.angular, before.angular)) > 0.01);
    check_momentum(world, before, after);
    tac_world_destroy(world);
}

// What a solver that moves matter does to momentum.
static void test_momentum_of_a_move(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'><RungeKutta4/><Points positions='0 1 0 "
        "1.2 "
        "0 0' velocities='0 1 0 3 0 0'/><UniformMass mass='0.5'/><Springs pairs='0 1' stiffness='30' "
        "lengths='1'/><ConstantForce force='0 0 2' points='1'/></node></tactus>");
    keep(world);
    Motion before = motion_of(world, "/a/points", 0.5);
    advance(world, 1);
    check_momentum(world, before, motion_of(world, "/a/points", 0.5));
    tac_world_destroy(world);
}

// Masses on matter that follows other matter count where their solver kicks, and turn with it: a frame that carries four
// of them is turned by a pull on one.
static void test_masses_that_follow(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'><ImplicitEuler/><Frames "
                 "positions='0 0 0 0 0 "
                 "0 1'/><node name='tips'><Points positions='0.5 0 0 -0.5 0 0 0 0.5 0 0 -0.5 "
                 "0'/><RigidMap/><UniformMass "
                 "mass='0.5'/><ConstantForce force='0 0.2 0' points='0'/></node></node></tactus>");
    keep(world);
    Motion before = motion_of(world, "/a/tips/points", 0.5);
    beats(world, 1);
    Motion after = motion_of(world, "/a/tips/points", 0.5);
    TacAccount a = row(world, "/a");
    near(a.linear.y, 0.2 * 0.01, 1e-15);
    near(a.angular.z, 0.5 * 0.2 * 0.01, 1e-15);
    near(after.angular.z - before.angular.z, a.angular.z, 1e-8);
    near(a.work, 0.5 * 0.002 * 0.002 / 2 + 0.5 * 0.001 * 0.001 / 0.5,
         1e-12); // of the whole, and of its turning
    tac_world_destroy(world);
}

// --- hands, weights, limits ----------------------------------------------------------------------------------------

// A hand pulls what nobody owns, among laws that kick the same points and layers that kick back; then it lets go.
static void pull(const char *law) {
    TacWorld *world = make_world(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' thickness='0.01' speed='1'/>"
        "<node name='a'><Points positions='0 0 0 0.3 0 0' velocities='0 0.1 0 0 0 0'/><UniformMass "
        "mass='0.5'/>"
        "%s<Balls radius='0.03'/></node>"
        "<node name='b'><Points positions='0.36 0 0'/><UniformMass mass='0.5'/><Balls radius='0.02'/></node>"
        "</tactus>",
        law);
    TacError error;
    keep(world);
    Motion before = motion_of(world, "/a/points", 0.5);
    add_motion(world, "/b/points", 0.5, &before);
    assert_int_equal(
        tac_world_grab(world, 0, tac_world_find(world, "/a/points"), 1, tac_vec3(0.3, 0, 0), 40, &error),
        TAC_OK);
    assert_int_equal(tac_world_drag(world, 0, tac_vec3(0.5, 0.02, 0.01), &error), TAC_OK);
    for (int i = 0; i < 30; i++) {
        beats(world, 1);
        check_sum(world, 1e-11);
    }
    TacAccount hand = row(world, "hands");
    assert_true(hand.work > 0 && hand.linear.x > 0.01);
    assert_true(row(world, "layers").work != 0);
    assert_int_equal(tac_world_release(world, 0, NULL, &error), TAC_OK);
    beats(world, 1); // kicks that were computed when it let go
    double done = row(world, "hands").work;
    beats(world, 20);
    assert_true(row(world, "hands").work == done);
    check_sum(world, 1e-11);
    Motion after = motion_of(world, "/a/points", 0.5);
    add_motion(world, "/b/points", 0.5, &after);
    check_momentum(world, before, after);
    tac_world_destroy(world);
}

static void test_a_hand(void **state) {
    (void)state;
    pull("<Springs pairs='0 1' stiffness='50' lengths='0.3'/>");
    pull(""); // the hand is all that ticks
}

// What falls by itself: its weight times the time since accounts are kept, without what is held.
static void test_a_fall(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01'><node name='a'><Points positions='0 0 0 1 0 0 2 0 "
                 "0'/><UniformMass mass='0.5'/><FixedPoints points='2'/></node></tactus>");
    advance(world, 0.3);
    keep(world);
    advance(world, 0.5);
    size_t count;
    TacAccountSum sum = tac_world_accounts(world, NULL, 0, &count);
    near(sum.linear.y, -2 * 0.5 * 9.81 * 0.5, 1e-12);
    // again is anew
    keep(world);
    sum = tac_world_accounts(world, NULL, 0, &count);
    assert_true(tac_norm(sum.linear) == 0 && sum.put_in == 0 && sum.start == sum.end);
    tac_world_destroy(world);
}

// Edges that cannot stretch store energy at their limits, and their kicks are booked with those of layers.
static void test_edges_at_their_limits(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.01'/><node name='a'><Line "
        "divisions='4' "
        "from='0 1 0' to='0.4 1 0'/><Points/><UniformMass total='0.2'/><FixedPoints points='0'/><EdgeLimit "
        "strain='0.05' restitution='1'/><Skin radius='0.005'/></node></tactus>");
    keep(world);
    bool stored = false;
    for (int i = 0; i < 60; i++) {
        beats(world, 1);
        check_sum(world, 1e-11);
        stored = stored || (i > 30 && fabs(row(world, "layers").stored) > 1e-6);
    }
    assert_true(stored);
    tac_world_destroy(world);
}

// Accounts that begin while kicks are computed already, and begin anew: those kicks are nobody's.
static void test_from_the_middle_of_an_instant(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01'><node name='a'><SymplecticEuler/><Points positions='0 0 0 1.5 0 "
        "0'/><UniformMass/><Springs pairs='0 1' stiffness='30' lengths='1'/></node></tactus>");
    advance(world, 0.1);
    tac_world_energy(world);
    keep(world);
    advance(world, 0.2);
    check_sum(world, 1e-12);
    assert_true(row(world, "outside").work != 0);
    tac_world_energy(world);
    keep(world);
    check_sum(world, 1e-12);
    advance(world, 0.2);
    check_sum(world, 1e-12);
    tac_world_destroy(world);
}

// A law on its own clock that pulls at something held: what it turns is booked, too.
static void test_turning_by_a_law_on_its_own_clock(void **state) {
    (void)state;
    TacWorld *world = world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe' "
                               "thickness='0.001'/><node name='n'><Points "
                               "positions='0 1 0 1 1 0 1 2 0' velocities='0 0 0 0.2 1 3 0 0 0'/><UniformMass "
                               "mass='2'/><Springs pairs='0 1 1 2' "
                               "stiffness='30 9000' lengths='0.4 1'/><FixedPoints points='0'/><Balls "
                               "radius='0.001'/></node></tactus>");
    keep(world);
    Motion before = motion_of(world, "/n/points", 2);
    advance(world, 0.5);
    Motion after = motion_of(world, "/n/points", 2);
    assert_true(tac_norm(tac_sub(after.angular, before.angular)) > 0.1);
    check_momentum(world, before, after);
    tac_world_destroy(world);
}

// A load that flies by itself, caught and let go: nobody holds its weight, before, while and after.
static void test_who_flies_by_itself_is_caught(void **state) {
    (void)state;
    TacWorld *world = world_of(
        "<tactus version='1' dt='0.01'><node name='a'><Spook/><Frames positions='0 1 0 0 0 0 "
        "1'/><UniformMass "
        "mass='2' box='0.1 0.1 0.1'/></node><node name='b'><Frames positions='1 1 0 0 0 0 1'/><UniformMass "
        "mass='1' "
        "box='0.1 0.1 0.1'/></node><BallJoint name='j' matter='@a/frames' other='@b/frames' "
        "open='true'/><Trigger "
        "when='time' value='0.1' then='close' what='@j'/><Trigger when='time' value='0.3' then='open' "
        "what='@j'/></tactus>");
    keep(world);
    for (int i = 0; i < 5; i++) {
        advance(world, 0.1);
        check_sum(world, 1e-9);
        size_t count;
        TacAccountSum sum = tac_world_accounts(world, NULL, 0, &count);
        assert_true(tac_norm(sum.linear_unaccounted) < 1e-12);
    }
    tac_world_destroy(world);
}

// Agents are listed also where they did nothing.
static void test_rows_of_who_did_nothing(void **state) {
    (void)state;
    TacWorld *world =
        world_of("<tactus version='1' dt='0.01' gravity='0 0 0'><node name='idle'><SymplecticEuler/>"
                 "<Points positions='0 0 0'/><UniformMass/></node></tactus>");
    keep(world);
    advance(world, 0.1);
    assert_true(row(world, "/idle").work == 0);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_safe_world),
        cmocka_unit_test(test_loose_world),
        cmocka_unit_test(test_crane),
        cmocka_unit_test(test_mixed_formats),
        cmocka_unit_test(test_runge_kutta),
        cmocka_unit_test(test_work_of_a_force),
        cmocka_unit_test(test_an_inelastic_catch),
        cmocka_unit_test(test_an_inelastic_impact),
        cmocka_unit_test(test_an_implicit_spring),
        cmocka_unit_test(test_rest_and_outside),
        cmocka_unit_test(test_laws_on_their_own_clocks),
        cmocka_unit_test(test_momentum_of_a_move),
        cmocka_unit_test(test_masses_that_follow),
        cmocka_unit_test(test_a_hand),
        cmocka_unit_test(test_a_fall),
        cmocka_unit_test(test_edges_at_their_limits),
        cmocka_unit_test(test_from_the_middle_of_an_instant),
        cmocka_unit_test(test_turning_by_a_law_on_its_own_clock),
        cmocka_unit_test(test_who_flies_by_itself_is_caught),
        cmocka_unit_test(test_rows_of_who_did_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
