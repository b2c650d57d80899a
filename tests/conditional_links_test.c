// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Conditional links: fusible, plastic, sticky and touching ones against closed forms; states change once an
// instant whatever the solver; messages at their place.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

static double in_state(TacWorld *world, size_t state) {
    TacReals counts = tac_world_reals(world, tac_world_find(world, "/n/links"), "counts");
    assert_true(state < counts.count);
    return counts.data[state];
}

static double coordinate(TacWorld *world, size_t i) {
    return tac_world_positions(world, tac_world_find(world, "/n/points"))[i];
}

static double speed(TacWorld *world, size_t i) {
    return tac_world_velocities(world, tac_world_find(world, "/n/points"))[i];
}

#define NODE(inside)                                                                                         \
    "<tactus version='1' dt='0.0001' gravity='0 0 0'><node name='n'>" inside "</node></tactus>"

// --- fusible ----------------------------------------------------------------------------------------------

// A mass of 2 kg flies off from a wall that a link of 800 N/m ties it to: it swings to v / omega, unless the
// link breaks at 0.05 m first; then it flies on with what is left of its energy.
static void test_fusible(void **state) {
    (void)state;
    const double omega = 20, limit = 0.05, speeds[] = {0.9, 1.1, 3};
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            NODE("<SymplecticEuler/><Points name='points' positions='0 0 0 1 0 0' velocities='0 0 0 %g 0 0'/>"
                 "<UniformMass mass='2'/><FixedPoints points='0'/><ConditionalLinks name='links' pairs='0 1' "
                 "states='whole broken' stiffness='800 0' transitions='whole to broken when stretch above "
                 "0.05'/>"),
            speeds[i]);
        TacWorld *world = world_on(1, text);
        beats(world, 5000);
        bool breaks = speeds[i] / omega > limit;
        assert_true(in_state(world, 1) == (breaks ? 1 : 0));
        if (breaks)
            assert_true(fabs(speed(world, 3) / sqrt(speeds[i] * speeds[i] - omega * omega * limit * limit) -
                             1) < 0.01);
        else
            assert_true(fabs(coordinate(world, 3) - 1) <= speeds[i] / omega * 1.001);
        tac_world_destroy(world);
    }
}

// --- plastic ----------------------------------------------------------------------------------------------

// Drawn out slowly by 0.3 m and let back: it gives way at 0.01 m, so its rest length grew by 0.29 m, and then
// it yields to being pressed by the way back.
static void test_plastic(void **state) {
    (void)state;
    TacWorld *world = world_on(
        1,
        NODE(
            "<Points name='points' positions='0 0 0 1 0 0'/><UniformMass/>"
            "<ScriptedMotion points='1' times='0 0.1 0.2' offsets='0 0 0 0.3 0 0 0.295 0 0'/><FixedPoints "
            "points='0'/>"
            "<ConditionalLinks name='links' pairs='0 1' states='firm drawn' stiffness='100' rest='start "
            "entered-0.01' "
            "transitions='firm to drawn when stretch above 0.01; drawn to drawn when stretch above 0.01'/>"));
    beats(world, 20);
    assert_true(in_state(world, 0) == 1);
    beats(world, 980);
    assert_true(in_state(world, 1) == 1);
    // half k s^2 with s = 0.01 at the farthest, and 0.005 after the way back
    assert_true(fabs(tac_world_energy(world).elastic / 0.005 - 1) < 0.01);
    beats(world, 1000);
    assert_true(fabs(tac_world_energy(world).elastic / 0.00125 - 1) < 0.02);
    tac_world_destroy(world);
}

// --- sticking ---------------------------------------------------------------------------------------------

// Two balls meet slowly, stick where they touch, and travel on together; momentum is kept. Drawn apart by
// more than the glue holds they part.
static void test_velcro(void **state) {
    (void)state;
    for (int pulled = 0; pulled < 2; pulled++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            NODE("<SymplecticEuler/><Points name='points' positions='0 0 0 1 0 0' velocities='1 0 0 0 0 0'/>"
                 "<UniformMass/><ConstantForce points='1' force='%d 0 0'/><ConditionalLinks name='links' "
                 "pairs='0 1' "
                 "states='free stuck' stiffness='0 500' damping='0 40' rest='start entered' "
                 "transitions='free to stuck when distance below 0.2 and time above 0.001; stuck to free "
                 "when pull "
                 "above 20'/>"),
            pulled ? 60 : 0);
        TacWorld *world = world_on(1, text);
        if (!pulled) {
            beats(world, 20000);
            assert_true(in_state(world, 1) == 1);
            assert_true(fabs(speed(world, 0) - 0.5) < 1e-6 && fabs(speed(world, 3) - 0.5) < 1e-6);
            assert_true(fabs(coordinate(world, 3) - coordinate(world, 0) - 0.2) < 1e-3);
        } else {
            beats(world, 20000);
            assert_true(in_state(world, 0) == 1 && coordinate(world, 3) - coordinate(world, 0) > 1);
        }
        tac_world_destroy(world);
    }
}

// --- contact ----------------------------------------------------------------------------------------------

// A ball that may not come nearer than 0.3 m bounces back with its speed; damped, with less.
static void test_contact(void **state) {
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            NODE("<SymplecticEuler/><Points name='points' positions='0 0 0 1 0 0' velocities='0 0 0 -2 0 0'/>"
                 "<UniformMass/><FixedPoints points='0'/><ConditionalLinks name='links' pairs='0 1' "
                 "states='apart "
                 "touching' stiffness='0 1e4' damping='0 %d' rest='0.3' transitions='apart to touching when "
                 "distance "
                 "below 0.3; touching to apart when distance above 0.3'/>"),
            damped ? 50 : 0);
        TacWorld *world = world_on(1, text);
        beats(world, 8000);
        assert_true(in_state(world, 0) == 1);
        // damping ratio 0.25: e = exp(-zeta pi / sqrt(1 - zeta^2)), of a link that holds until it is as long
        // as at rest
        double expected = damped ? 2 * exp(-0.25 * 3.14159265358979 / sqrt(1 - 0.0625)) : 2;
        assert_true(fabs(speed(world, 3) / expected - 1) < 0.02);
        tac_world_destroy(world);
    }
}

// Dragged across, a link slips once its ends pass each other fast enough, and its drag falls.
static void test_slip(void **state) {
    (void)state;
    TacWorld *world = world_on(1, NODE("<SymplecticEuler/><Points name='points' positions='0 0 0 0 1 0' "
                                       "velocities='0 0 0 1 0 0'/><UniformMass/>"
                                       "<FixedPoints points='0'/><ConstantForce points='1' force='30 0 "
                                       "0'/><ConditionalLinks name='links' "
                                       "pairs='0 1' states='sticks slips' stiffness='0' drag='20 1' "
                                       "transitions='sticks to slips when slip above "
                                       "1.4; slips to sticks when slip below 0.5'/>"));
    // 30 N against 20 N s/m: it would settle at 1.5 m/s, and slips before
    beats(world, 500);
    assert_true(in_state(world, 0) == 1);
    beats(world, 2000);
    assert_true(in_state(world, 1) == 1);
    tac_world_destroy(world);
}

// --- instants ---------------------------------------------------------------------------------------------

// A link that changes at every instant changes once, however often a solver asks for forces.
static void test_once_an_instant(void **state) {
    (void)state;
    static const char *const solvers[] = {"<SymplecticEuler/>", "<ExplicitEuler/>", "<RungeKutta4/>",
                                          "<ImplicitEuler/>", ""};
    for (size_t s = 0; s < 5; s++) {
        for (int64_t n = 1; n < 8; n++) {
            char text[1200];
            snprintf(
                text, sizeof text,
                NODE(
                    "%s<Points name='points' positions='0 0 0 1 0 0' velocities='0 0 0 1 0 0'/><UniformMass/>"
                    "<ConditionalLinks name='links' pairs='0 1' states='a b c' stiffness='10' transitions='a "
                    "to b "
                    "when time above -1; b to c when time above -1; c to a when time above -1'/>"),
                solvers[s]);
            TacWorld *world = world_on(1, text);
            beats(world, n);
            tac_world_energy(world); // looks at this instant's kicks
            tac_world_energy(world);
            double now = in_state(world, (size_t)((n + 1) % 3)), before = in_state(world, (size_t)(n % 3));
            assert_true(now + before == 1);
            tac_world_destroy(world);
        }
    }
}

// --- agglomerates -----------------------------------------------------------------------------------------

#define BLOCK(speed)                                                                                         \
    NODE("<SymplecticEuler/><Grid counts='6 6 6' low='0 0 0' high='0.5 0.5 0.5'/><Points name='points' "     \
         "velocities='0 0 " speed                                                                            \
         "'/><UniformMass mass='0.01'/><Plane normal='0 0 1' offset='-0.01' stiffness='2000'/>"              \
         "<ConditionalLinks name='links' reach='0.18' states='whole broken' stiffness='200 0' "              \
         "damping='0.05 0' "                                                                                 \
         "transitions='whole to broken when stretch above 0.02'/>")

// A block thrown at a wall stays whole when thrown gently, and breaks when thrown hard; the same bits on any
// number of threads.
static void test_fracture(void **state) {
    (void)state;
    double broken[2];
    static const char *const texts[] = {BLOCK("-0.2"), BLOCK("-8")};
    for (int fast = 0; fast < 2; fast++) {
        uint64_t hashes[2];
        for (int threads = 1; threads < 3; threads++) {
            TacWorld *world = world_on(threads, texts[fast]);
            beats(world, 3000);
            broken[fast] = in_state(world, 1);
            hashes[threads - 1] = tac_world_hash(world);
            tac_world_destroy(world);
        }
        assert_true(hashes[0] == hashes[1]);
    }
    assert_true(broken[0] == 0);
    assert_true(broken[1] > 50);
}

// --- messages ---------------------------------------------------------------------------------------------

#define LINKS(attributes)                                                                                    \
    "<tactus version='1'><node name='n'><Points positions='0 0 0 1 0 "                                       \
    "0'/><UniformMass/><ConditionalLinks " attributes "/></node></tactus>"

static void test_messages(void **state) {
    (void)state;
    const struct {
        const char *text, *says;
    } cases[] = {
        {LINKS("pairs='0 1' states='a b' stiffness='1' transitions='~a to c when time above 1'"),
         "no state \"c\""},
        {LINKS("pairs='0 1' states='whole' stiffness='1' transitions='~whol to whole when time above 1'"),
         "did you mean \"whole\""},
        {LINKS("pairs='0 1' states='a b' stiffness='1' transitions='~a to b when tme above 1'"),
         "did you mean \"time\""},
        {LINKS("pairs='0 1' states='a b' stiffness='1' transitions='~a to b when time over 1'"),
         "above or below"},
        {LINKS("pairs='0 1' states='a b' stiffness='1' transitions='~a to b when time above x'"), "number"},
        {LINKS("pairs='0 1' states='a b' stiffness='1' transitions='~a b when time above x'"),
         "\"to\" was expected"},
        {LINKS("pairs='0 1' states='a b' stiffness='1' transitions='~a to b'"), "\"when\" was expected"},
        {LINKS("pairs='0 1' states='a b' stiffness='1' transitions='~a to b when time above 1 or'"),
         "\"and\""},
        {LINKS("pairs='0 1' states='~a a' stiffness='1'"), "two states"},
        {LINKS("pairs='0 1' states='a b' stiffness='1' rest='~entred'"), "rest length"},
        {LINKS("pairs='0 1' states='a b' stiffness='1' rest='~1 2 3'"), "each of the 2 states"},
        {LINKS("pairs='0 1' states='a b' stiffness='~1 2 3'"), "3 numbers"},
        {LINKS("pairs='0 1' states='a b' stiffness='1' initial='~c'"), "no state"},
        {LINKS("pairs='~0 2' states='a' stiffness='1'"), "point 2"},
        {LINKS("reach='~0.5' states='a' stiffness='1'"), "no two points"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse_pieces(__FILE__, __LINE__, cases[i].text, &cases[i].says, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fusible),  cmocka_unit_test(test_plastic),
        cmocka_unit_test(test_velcro),   cmocka_unit_test(test_contact),
        cmocka_unit_test(test_slip),     cmocka_unit_test(test_once_an_instant),
        cmocka_unit_test(test_fracture), cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
