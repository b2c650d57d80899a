// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Cables over wheels against closed forms: Atwood's machine, Euler and Eytelwein's capstan, pulleys, winches,
// conservation of material, and what happens when a wheel is let go and taken up.

#define _GNU_SOURCE
#include "base/random.h"
#include "constraint/cable_path.h"
#include "scene_checks.h"

#include <math.h>

static void beats(TacWorld *world, int n) {
    TacError error = {0};
    if (tac_world_advance_beats(world, n, &error) != TAC_OK) fail_msg("%s", error.message);
}

static const double *places(TacWorld *world, const char *path) {
    return tac_world_positions(world, tac_world_find(world, path));
}

static const double *speeds(TacWorld *world, const char *path) {
    return tac_world_velocities(world, tac_world_find(world, path));
}

static double output(TacWorld *world, const char *name, size_t i) {
    TacReals list = tac_world_reals(world, tac_world_find(world, "/n/cable"), name);
    assert_true(i < list.count);
    return list.data[i];
}

static void near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.10g is not %.10g within %g", value, expected, tolerance);
}

static const char top[] = "<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='n'><Spook/>";

// --- the way ----------------------------------------------------------------------------------------------

// Tangent points against the condition of least length: moving one along its wheel makes the way no shorter.
static void test_tangents_minimise_the_length(void **state) {
    (void)state;
    TacRandom random = tac_random(2, 1);
    for (int trial = 0; trial < 200; trial++) {
        TacCableWheel wheels[2] = {
            {.radius = tac_random_between(&random, 0.1, 0.8), .sense = trial % 2 ? 1 : -1},
            {.radius = tac_random_between(&random, 0.1, 0.8), .sense = trial % 3 ? 1 : -1}};
        TacCablePath path = {.count = 4};
        TacVec3 n = {0, 0, 1};
        for (int i = 0; i < 4; i++) {
            TacVec3 p = {2.5 * i + tac_random_between(&random, -0.3, 0.3),
                         tac_random_between(&random, -0.5, 0.5), 0};
            path.stops[i] = (TacCableStop){
                .wheel = i == 0 || i == 3 ? -1 : i - 1, .centre = p, .axis = n, .in = p, .out = p};
        }
        tac_cable_stretch(&path, wheels);
        for (int i = 1; i < 3; i++) {
            const TacCableStop *s = &path.stops[i];
            double radius = wheels[i - 1].radius;
            TacVec3 in = tac_sub(s->in, s->centre), out = tac_sub(s->out, s->centre);
            near(tac_norm(in), radius, 1e-12);
            near(tac_norm(out), radius, 1e-12);
            // straight pieces touch: they stand across the radius, and go the way in which the surface does
            TacVec3 before = tac_unit(tac_sub(s->in, path.stops[i - 1].out));
            TacVec3 after = tac_unit(tac_sub(path.stops[i + 1].in, s->out));
            near(tac_dot(before, in), 0, 1e-9);
            near(tac_dot(after, out), 0, 1e-9);
            near(tac_dot(tac_cross(n, in), before) * wheels[i - 1].sense, radius, 1e-9);
            near(tac_dot(tac_cross(n, out), after) * wheels[i - 1].sense, radius, 1e-9);
        }
    }
}

// --- pulleys ----------------------------------------------------------------------------------------------

static TacWorld *atwood(double heavy, double friction, const char *wheel_extra, double turns) {
    char text[1300];
    snprintf(
        text, sizeof text,
        "%s<node name='wheel'><Frames/><UniformMass mass='1' inertia='0.5 0.5 0.5'/>%s</node><node "
        "name='boxes'><Points positions='-0.5 -20 0 0.5 -20 0'/><DiagonalMass masses='1 "
        "%.17g'/></node><Cable "
        "start='@boxes/points' end='@boxes/points' end_point='1' wheels='@wheel/frames' wheel_points='0' "
        "radii='0.5' senses='-1' friction='%.17g' turns='%.17g'/></node></tactus>",
        top, wheel_extra, heavy, friction, turns);
    return world_of(text);
}

static void test_atwoods_machine(void **state) {
    (void)state;
    // without friction the wheel does not turn: a = g (M - m)/(M + m)
    TacWorld *w = atwood(3, 0, "<HingeJoint/>", 0);
    beats(w, 100);
    near(speeds(w, "/n/boxes/points")[1], 5, 1e-6);
    near(speeds(w, "/n/boxes/points")[4], -5, 1e-6);
    near(speeds(w, "/n/wheel/frames")[5], 0, 1e-9);
    near(output(w, "tensions", 0), 15, 1e-6);
    tac_world_destroy(w);
    // with friction it does: a = g (M - m)/(M + m + I/R^2), but for the first step, at which no tension is known
    w = atwood(3, 2, "<HingeJoint/>", 0);
    beats(w, 100);
    double v = speeds(w, "/n/boxes/points")[1];
    near(v, 20.0 / 6, 0.02);
    near(speeds(w, "/n/wheel/frames")[5], -v / 0.5, 1e-3);
    near(output(w, "tensions", 0), 1 * (10 + 20.0 / 6), 0.01);
    near(output(w, "tensions", 1), 3 * (10 - 20.0 / 6), 0.01);
    near(output(w, "arcs", 0), TAC_PI, 1e-9);
    tac_world_destroy(w);
}

// The cable neither grows nor shrinks, whatever wheels and boxes do.
static void test_length_is_kept(void **state) {
    (void)state;
    TacWorld *w = atwood(1.3, 0.15, "<HingeJoint/><Motor speed='-6' most='20'/>", 0);
    for (int i = 0; i < 400; i++) {
        beats(w, 1);
        const double *x = places(w, "/n/boxes/points");
        // two straight pieces down from the wheel, and half a turn
        near(hypot(x[0] + 0.5, x[1]) + hypot(x[3] - 0.5, x[4]) + 0.5 * TAC_PI, 40 + 0.5 * TAC_PI, 2e-3);
    }
    tac_world_destroy(w);
}

// Eytelwein: on a wheel that stands, the cable sticks below e^(mu theta) and slides above it.
static void test_capstan(void **state) {
    (void)state;
    static const double frictions[] = {0.1, 0.3, 0.6}, turns[] = {0, 1};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            double theta = TAC_PI * (1 + 2 * turns[k]), limit = exp(frictions[i] * theta);
            TacWorld *w = atwood(0.97 * limit, frictions[i], "<FixedPoints points='0'/>", turns[k]);
            beats(w, 200);
            // what the first step gave it is caught; from then on it stands
            double y = places(w, "/n/boxes/points")[1];
            beats(w, 100);
            near(places(w, "/n/boxes/points")[1], y, 1e-3);
            near(output(w, "tensions", 1) / output(w, "tensions", 0), 0.97 * limit, 0.01 * limit);
            tac_world_destroy(w);
            w = atwood(1.03 * limit, frictions[i], "<FixedPoints points='0'/>", turns[k]);
            beats(w, 150);
            near(output(w, "tensions", 1) / output(w, "tensions", 0), limit, 0.01 * limit);
            // and moves as the forces say: M g - limit T = M a, T - g = a
            double heavy = 1.03 * limit, a = 10 * (heavy - limit) / (heavy + limit);
            near(speeds(w, "/n/boxes/points")[1], 1.5 * a, 0.05 * a + 0.11);
            tac_world_destroy(w);
        }
}

// A motor turns the wheel, and the wheel drags the cable: all along with enough friction, with too little as fast as
// sliding friction makes it.
static void test_motor_drags_the_cable(void **state) {
    (void)state;
    TacWorld *w = atwood(1, 1, "<HingeJoint/><Motor speed='-3' most='1e4'/>", 0);
    beats(w, 100);
    near(speeds(w, "/n/boxes/points")[1], 1.5, 0.01);
    tac_world_destroy(w);
    w = atwood(1, 0.05, "<HingeJoint/><Motor speed='-60' most='1e4'/>", 0);
    beats(w, 100);
    double ratio = exp(0.05 * TAC_PI), a = 10 * (ratio - 1) / (ratio + 1);
    near(speeds(w, "/n/wheel/frames")[5], -60, 0.01);
    near(speeds(w, "/n/boxes/points")[1], a, 0.03 * a);
    near(speeds(w, "/n/boxes/points")[4], -a, 0.03 * a);
    tac_world_destroy(w);
}

// The same arc as one wheel or as several: the product of the factors is the same.
static void test_capstan_does_not_depend_on_the_number_of_wheels(void **state) {
    (void)state;
    static const int numbers[] = {1, 4, 16};
    for (size_t k = 0; k < 3; k++) {
        int n = numbers[k];
        // wheels on half a circle of radius 1, small ones, so that all arcs together are half a turn
        char frames[2400] = "", points[64] = "", text[4096];
        size_t f = 0, p = 0;
        for (int i = 0; i < n; i++) {
            double angle = TAC_PI * (1 - (i + 0.5) / n), r = n == 1 ? 0 : 1;
            f += (size_t)snprintf(frames + f, sizeof frames - f, "%.17g %.17g 0 0 0 0 1 ", r * cos(angle),
                                  r * sin(angle));
            p += (size_t)snprintf(points + p, sizeof points - p, "%d ", i);
        }
        double limit = exp(0.4 * TAC_PI), radius = n == 1 ? 1 : 0.05;
        double left = n == 1 ? -1 : cos(TAC_PI * (1 - 0.5 / n)) - 0.05;
        for (int slides = 0; slides < 2; slides++) {
            snprintf(text, sizeof text,
                     "%s<node name='wheel'><Frames positions='%s'/><UniformMass/><FixedPoints "
                     "points='0-%d'/></node><node "
                     "name='boxes'><Points positions='%.17g -20 0 %.17g -20 0'/><DiagonalMass masses='1 "
                     "%.17g'/></node><Cable start='@boxes/points' end='@boxes/points' end_point='1' "
                     "wheels='@wheel/frames' wheel_points='%s' radii='%g' senses='-1' "
                     "friction='0.4'/></node></tactus>",
                     top, frames, n - 1, left, -left, (slides ? 1.04 : 0.96) * limit, points, radius);
            TacWorld *w = world_of(text);
            beats(w, 200);
            double ratio = output(w, "tensions", (size_t)n) / output(w, "tensions", 0);
            double v = speeds(w, "/n/boxes/points")[1];
            if (slides) {
                near(ratio, limit, 0.05 * limit);
                assert_true(v > 0.1);
            } else {
                near(ratio, 0.96 * limit, 0.05 * limit);
                near(v, 0, 0.02);
            }
            tac_world_destroy(w);
        }
    }
}

// A ball needs no axis: the cable lies across it wherever it comes from.
static void test_ball_instead_of_a_wheel(void **state) {
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        // boxes hang on either side of a held ball, along a slanting line, so that the cable turns by nearly half a turn
        char text[1100];
        double limit = exp(0.3 * TAC_PI);
        snprintf(
            text, sizeof text,
            "%s<node name='ball'><Frames/><UniformMass/><FixedPoints points='0'/></node><node "
            "name='boxes'><Points "
            "positions='-0.3 -20 0.4 0.3 -20 -0.4'/><DiagonalMass masses='1 %.17g'/></node><Cable "
            "start='@boxes/points' end='@boxes/points' end_point='1' wheels='@ball/frames' wheel_points='0' "
            "radii='0.5' shape='sphere' senses='-1' friction='0.3'/></node></tactus>",
            top, (slides ? 1.03 : 0.97) * limit);
        TacWorld *w = world_of(text);
        beats(w, 150);
        near(output(w, "arcs", 0), TAC_PI, 0.01);
        near(output(w, "tensions", 1) / output(w, "tensions", 0), (slides ? 1 : 0.97) * limit, 0.01 * limit);
        const double *x = places(w, "/n/boxes/points");
        // still in the same plane
        near(x[0] * 0.8 + x[2] * 0.6, 0, 1e-6);
        tac_world_destroy(w);
    }
}

// A tackle: over a fixed wheel, down under a loose one that carries the load, up to the ceiling. Half the weight.
static void test_tackle_halves_the_weight(void **state) {
    (void)state;
    char text[1300];
    snprintf(
        text, sizeof text,
        "%s<node name='wheel'><Frames positions='0 0 0 0 0 0 1  1 -3 0 0 0 0 1'/><DiagonalMass masses='1 20' "
        "inertia='1 1 1'/><FixedPoints points='0'/></node><node name='box'><Points positions='-0.5 -2 "
        "0'/><UniformMass mass='10'/></node><Cable start='@box/points' end_at='1.5 0 0' "
        "wheels='@wheel/frames' wheel_points='0 1' radii='0.5' senses='-1 1'/></node></tactus>",
        top);
    TacWorld *w = world_of(text);
    beats(w, 300);
    // 10 kg hold 20 kg
    near(places(w, "/n/box/points")[1], -2, 1e-2);
    near(places(w, "/n/wheel/frames")[8], -3, 1e-2);
    for (size_t k = 0; k < 3; k++) near(output(w, "tensions", k), 100, 0.5);
    tac_world_destroy(w);
}

// A ring slides along a cable between two hooks like a bead on a wire, and hangs in the middle: the way to both
// hooks is an ellipse, and its lowest place is at the same distance from both.
static void test_ring_slides_to_the_middle(void **state) {
    (void)state;
    char text[1000];
    snprintf(text, sizeof text,
             "%s<node name='ring'><Frames positions='0.5 -1 0 0 0 0 1'/><UniformMass mass='2'/></node><Cable "
             "start_at='-1 0 "
             "0' end_at='1 0 0' wheels='@ring/frames' wheel_points='0' radii='0'/>%s</node></tactus>",
             top, "<Damping matter='@ring/frames' coefficient='1'/>");
    TacWorld *w = world_of(text);
    double length = hypot(1.5, 1) + hypot(0.5, 1);
    for (int i = 0; i < 2000; i++) {
        beats(w, 1);
        const double *x = places(w, "/n/ring/frames");
        near(hypot(x[0] + 1, x[1]) + hypot(x[0] - 1, x[1]), length, 3e-3);
    }
    near(places(w, "/n/ring/frames")[0], 0, 0.02);
    near(output(w, "tensions", 0), output(w, "tensions", 1), 1e-6);
    tac_world_destroy(w);
    // with friction e^(mu turning) it stays where it is put
    snprintf(
        text, sizeof text,
        "%s<node name='ring'><Frames positions='0.1 -1 0 0 0 0 1'/><UniformMass mass='2'/></node><Cable "
        "start_at='-1 0 "
        "0' end_at='1 0 0' wheels='@ring/frames' wheel_points='0' radii='0' friction='1'/></node></tactus>",
        top);
    w = world_of(text);
    beats(w, 300);
    near(places(w, "/n/ring/frames")[0], 0.1, 0.02);
    tac_world_destroy(w);
}

// --- drums ------------------------------------------------------------------------------------------------

static TacWorld *winch(double speed, double turns) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "%s<node name='drum'><Frames/><UniformMass mass='50' inertia='2 2 2'/><HingeJoint/><Motor speed='%g' "
        "most='1e5'/></node><node name='box'><Points positions='0.4 -10 0'/><UniformMass "
        "mass='30'/></node><Cable "
        "end='@box/points' start_drum='true' wheels='@drum/frames' wheel_points='0' radii='0.4' senses='-1' "
        "turns='%g'/></node></tactus>",
        top, speed, turns);
    return world_of(text);
}

static void test_winch_reels_in_and_pays_out(void **state) {
    (void)state;
    for (int down = 0; down < 2; down++) {
        double omega = down ? -1.5 : 1.5;
        TacWorld *w = winch(omega, 5);
        beats(w, 300);
        // 3 s at 0.6 m/s, but for the start
        near(places(w, "/n/box/points")[1], -10 + omega * 0.4 * 3, 0.05);
        near(speeds(w, "/n/box/points")[1], omega * 0.4, 1e-3);
        near(output(w, "tensions", 1), 300, 1);
        near(output(w, "arcs", 0), 10 * TAC_PI + omega * 3, 0.1);
        tac_world_destroy(w);
    }
}

// A load runs off with the line of a drum that nothing, or a weak motor, holds. At the end of the line it is caught: nothing is
// put in by that, and it hangs at the length of all the line.
static void test_a_line_that_runs_out_holds(void **state) {
    (void)state;
    static const char *const motors[] = {"", "<Motor axis='0 0 1' at='0 0 0' speed='0' most='100'/>"};
    for (int k = 0; k < 2; k++) {
        char text[900];
        snprintf(text, sizeof text,
                 "%s<node name='drum'><Frames/><UniformMass mass='20' box='1 1 1'/><HingeJoint at='0 0 0' "
                 "axis='0 0 "
                 "1'/>%s</node><node name='load'><Frames positions='0.5 -3 0 0 0 0 1'/><UniformMass "
                 "mass='50' box='0.3 "
                 "0.3 0.3'/></node><Cable start_drum='true' end='@load/frames' wheels='@drum/frames' "
                 "wheel_points='0' "
                 "radii='0.5' senses='-1' turns='3'/></node></tactus>",
                 top, motors[k]);
        TacWorld *w = world_of(text);
        double start = tac_world_energy(w).total;
        for (int i = 0; i < 1000; i++) {
            beats(w, 1);
            if (!(tac_world_energy(w).total < start + 1))
                fail_msg("%g J at step %d", tac_world_energy(w).total, i);
        }
        near(places(w, "/n/load/frames")[1], -3 - 3 * 2 * TAC_PI * 0.5, 0.015);
        // from beside the drum it swings to below its axle; some of its fall goes into that
        double aside = 0.5 * sqrt(10 / 12.4), fall = sqrt(2 * 10 * 3 * TAC_PI) * 0.5 / 12.4;
        const double *v = speeds(w, "/n/load/frames");
        assert_true(hypot(v[0], v[1]) < 1.05 * hypot(aside, fall));
        tac_world_destroy(w);
    }
}

// A winch that goes on when its load has come up drags it over the drum; it whirls around, and the line runs out. Once it has, the
// motor can put nothing in any more, however strong it is.
static void test_a_load_that_whirls_around_a_drum_is_not_driven(void **state) {
    (void)state;
    static const double omegas[] = {3, 6, 20};
    for (size_t i = 0; i < sizeof omegas / sizeof *omegas; i++) {
        TacWorld *w = winch(omegas[i], 2);
        beats(w, 4000);
        double before = tac_world_energy(w).kinetic;
        assert_true(before > 30 * 10 * 10); // it whirls
        beats(w, 4000);
        near(tac_world_energy(w).kinetic, before, 0.02 * before);
        tac_world_destroy(w);
    }
}

static void test_empty_drums_pay_nothing_out(void **state) {
    (void)state;
    TacWorld *w = winch(-1.5, 0.25);
    beats(w, 600);
    // a quarter of a turn was in store
    near(places(w, "/n/box/points")[1], -10 - 0.4 * TAC_PI / 2, 0.1);
    near(output(w, "arcs", 0), 0, 1e-6);
    tac_world_destroy(w);
}

// --- wheels that are let go and taken up ------------------------------------------------------------------

static void test_wheels_are_let_go_and_taken_up(void **state) {
    (void)state;
    // a weight swings on a cable about a ceiling hook; a peg below the hook catches it (Galileo's pendulum)
    char text[1100];
    snprintf(
        text, sizeof text,
        "%s<node name='peg'><Frames positions='0.02 -1 0 0 0 0 1'/><UniformMass/><FixedPoints "
        "points='0'/></node><node "
        "name='box'><Points positions='-0.6 -1.8 0'/><UniformMass mass='1'/></node><Cable start_at='0 0 0' "
        "end='@box/points' wheels='@peg/frames' wheel_points='0' radii='0.02' senses='1'/></node></tactus>",
        top);
    // on the left it hangs free: the wheel is on its way by name only
    TacWorld *w = world_of(text);
    double highest = -2, arc_most = 0;
    bool was_free = false, was_caught = false;
    for (int i = 0; i < 300; i++) {
        beats(w, 1);
        const double *x = places(w, "/n/box/points");
        double arc = output(w, "arcs", 0);
        if (x[0] < -0.3 && i > 3) was_free = was_free || arc == 0;
        if (x[0] > 0.3) was_caught = was_caught || arc > 0;
        arc_most = fmax(arc_most, arc);
        highest = fmax(highest, x[0] > 0 ? x[1] : -2);
        // neither the whole nor the short pendulum is longer than the cable
        assert_true(hypot(x[0], x[1]) < sqrt(0.36 + 3.24) + 5e-3);
    }
    assert_true(was_free && was_caught);
    // it rises as high as it fell, on a circle half as large
    near(highest, -1.8, 0.05);
    // the short one is what is left of it below the peg: 0.8 m of that are height when it turns
    near(arc_most, acos(0.8 / (sqrt(0.36 + 3.24) - 1)), 0.02);
    tac_world_destroy(w);
}

// Boxes are pulled up to the wheels, around them and over: whatever happens, no energy comes from nowhere.
static void test_violence_makes_no_energy(void **state) {
    (void)state;
    static const double heavy[] = {1.5, 12, 100, 1e4}, friction[] = {0, 0.05, 0.5};
    for (size_t i = 0; i < 12; i++) {
        char text[1300];
        snprintf(text, sizeof text,
                 "%s<node name='wheel'><Frames positions='-1.5 0 0 0 0 0 1 1.5 0 0 0 0 0 1'/><UniformMass "
                 "mass='4' "
                 "inertia='0.5 0.5 0.5'/><HingeJoint point='0'/><HingeJoint name='b' point='1'/></node><node "
                 "name='boxes'><Frames positions='-2 -2 0 0 0 0 1 2 -1.5 0 0 0 0 1'/><DiagonalMass masses='1 "
                 "%g' box='0.6 "
                 "0.6 0.6'/></node><Cable start='@boxes/frames' start_at='0 0.3 0' end='@boxes/frames' "
                 "end_point='1' "
                 "end_at='0 0.3 0' wheels='@wheel/frames' wheel_points='0 1' radii='0.5' senses='-1' "
                 "friction='%g'/></node></tactus>",
                 top, heavy[i % 4], friction[i / 4]);
        TacWorld *w = world_of(text);
        double start = tac_world_energy(w).total, scale = 10 * (heavy[i % 4] + 1);
        for (int k = 0; k < 800; k++) {
            beats(w, 1);
            double now = tac_world_energy(w).total;
            if (!(now < start + 0.05 * scale))
                fail_msg("case %zu, step %d: from %g J to %g J", i, k, start, now);
        }
        tac_world_destroy(w);
    }
}

// --- bad input --------------------------------------------------------------------------------------------

#define CABLED(cable)                                                                                        \
    IN_NODE(                                                                                                 \
        "<Spook/><node name='w'><Frames/><UniformMass/></node><node name='b'><Points positions='1 -2 0'/>"   \
        "<UniformMass/></node><node name='s'><Points positions='0 0 0'/><UniformMass/></node>" cable)

static void test_bad_cables_are_refused(void **state) {
    (void)state;
    REFUSED(CABLED("~<Cable end='@b/points'/>"), "start_at");
    REFUSED(CABLED("~<Cable start_at='0 0 0' end_at='1 0 0'/>"), "nothing that could move");
    REFUSED(CABLED("<Cable start_at='0 0 0' end='@b/points' end_point='~1'/>"), "1 points");
    REFUSED(
        CABLED("<Cable start_at='0 0 0' end='@b/points' wheels='@w/frames' wheel_points='~3' radii='1'/>"),
        "no frame 3");
    REFUSED(CABLED("<Cable start_at='0 0 0' end='@b/points' wheel_points='~0' radii='1'/>"), "needs wheels");
    REFUSED(CABLED("<Cable start_at='-1 -2 0' end='@b/points' wheels='@w/frames' wheel_points='0' "
                   "radii='0.5' senses='~2'/>"),
            "1 or -1");
    REFUSED(CABLED("<Cable start_at='0 0 0' end='@b/points' length='~1'/>"), "too short");
    REFUSED(CABLED("<Cable start_drum='~true' end='@b/points'/>"), "wheel_points");
    REFUSED(
        CABLED("<Cable start_at='0 0 0' end='@b/points' wheels='~@b/points' wheel_points='0' radii='1'/>"),
        "frames");
    REFUSED(CABLED("~<Cable start_at='0 0 0' end='@b/points' shown='@s/points'/>"), "FixedPoints");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tangents_minimise_the_length),
        cmocka_unit_test(test_atwoods_machine),
        cmocka_unit_test(test_length_is_kept),
        cmocka_unit_test(test_capstan),
        cmocka_unit_test(test_motor_drags_the_cable),
        cmocka_unit_test(test_capstan_does_not_depend_on_the_number_of_wheels),
        cmocka_unit_test(test_ball_instead_of_a_wheel),
        cmocka_unit_test(test_tackle_halves_the_weight),
        cmocka_unit_test(test_ring_slides_to_the_middle),
        cmocka_unit_test(test_winch_reels_in_and_pays_out),
        cmocka_unit_test(test_empty_drums_pay_nothing_out),
        cmocka_unit_test(test_a_line_that_runs_out_holds),
        cmocka_unit_test(test_a_load_that_whirls_around_a_drum_is_not_driven),
        cmocka_unit_test(test_wheels_are_let_go_and_taken_up),
        cmocka_unit_test(test_violence_makes_no_energy),
        cmocka_unit_test(test_bad_cables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
