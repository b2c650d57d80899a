// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Continuous collision detection and exact intersection: closed forms with known times, degenerate cases by
// name, random families against exact integers (tests/ccd_families.h), meshes against brute force.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ccd_families.h"
#include "geometry/triangle_meetings.h"

// --- shapes -----------------------------------------------------------------------------------------------

// A point at (x, y, from) that moves to (x, y, to), and a triangle with the right angle at the origin.
static TacCcdInput falling_point(double x, double y, double from, double to) {
    TacCcdInput in = tac_ccd_default_input(TAC_CCD_POINT_TRIANGLE);
    in.start[1] = in.end[1] = tac_vec3(0, 0, 0);
    in.start[2] = in.end[2] = tac_vec3(1, 0, 0);
    in.start[3] = in.end[3] = tac_vec3(0, 1, 0);
    in.start[0] = tac_vec3(x, y, from);
    in.end[0] = tac_vec3(x, y, to);
    return in;
}

// An edge along x that falls from one height to another onto an edge along y through the origin.
static TacCcdInput falling_edge(double from, double to) {
    TacCcdInput in = tac_ccd_default_input(TAC_CCD_EDGE_EDGE);
    in.start[0] = tac_vec3(-1, 0, from);
    in.start[1] = tac_vec3(1, 0.125, from);
    in.end[0] = tac_vec3(-1, 0, to);
    in.end[1] = tac_vec3(1, 0.125, to);
    in.start[2] = in.end[2] = tac_vec3(0, -1, 0);
    in.start[3] = in.end[3] = tac_vec3(0, 1, 0);
    return in;
}

static TacCcdResult ask(const TacCcdInput *in) {
    TacCcdResult r;
    TacCcdState state = tac_ccd(in, &r);
    assert_int_equal(state, r.state);
    const char *odd = sanity(in, &r);
    if (odd) fail_msg("%s", odd);
    return r;
}

static void expect_hit_at(const TacCcdInput *in, double time) {
    TacCcdResult r = ask(in);
    assert_int_equal(r.state, TAC_CCD_HIT);
    if (!(r.t0 <= time + 1e-12 && time - 1e-12 <= r.t1 && r.t1 - r.t0 <= 2e-6))
        fail_msg("expected %.17g in [%.17g, %.17g]", time, r.t0, r.t1);
}

static void expect_state(const TacCcdInput *in, TacCcdState state) {
    TacCcdResult r = ask(in);
    if (r.state != state) fail_msg("expected state %d, got %d", (int)state, (int)r.state);
}

static void expect_not_clear_before(const TacCcdInput *in, double time) {
    TacCcdResult r = ask(in);
    assert_int_not_equal(r.state, TAC_CCD_CLEAR);
    assert_true(r.t0 <= time);
}

static void scale_input(TacCcdInput *in, double scale) {
    in->thickness *= scale;
    for (int i = 0; i < 4; i++) {
        in->start[i] = tac_scale(in->start[i], scale);
        in->end[i] = tac_scale(in->end[i], scale);
    }
}

// --- known times ------------------------------------------------------------------------------------------

static void point_falls_through_triangle(void **state) {
    (void)state;
    for (int i = 1; i < 20; i++) {
        double height = 0.1 * i;
        TacCcdInput in = falling_point(0.3, 0.2, height, height - 2.5);
        expect_hit_at(&in, height / 2.5);
        TacCcdResult r = ask(&in);
        assert_true(fabs(r.weights[2] - 0.3) < 1e-4 && fabs(r.weights[3] - 0.2) < 1e-4);
        assert_int_equal(r.features, 15);
        in.thickness = 0.05 * height;
        expect_hit_at(&in, 0.95 * height / 2.5);
        // from below
        in = falling_point(0.3, 0.2, -height, 2.5 - height);
        expect_hit_at(&in, height / 2.5);
    }
}

static void point_misses_triangle(void **state) {
    (void)state;
    static const double beside[][2] = {{-1e-9, 0.5}, {0.5, -1e-9}, {0.5, 0.500000001}, {1.0001, 0}, {3, 3}};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        TacCcdInput in = falling_point(beside[i][0], beside[i][1], 1, -1);
        expect_state(&in, TAC_CCD_CLEAR);
        in.thickness = 1e-8;
        if (i < 3) expect_state(&in, TAC_CCD_HIT);
        if (i >= 3) expect_state(&in, TAC_CCD_CLEAR);
    }
    TacCcdInput in = falling_point(0.3, 0.2, 1, 1e-9);
    expect_state(&in, TAC_CCD_CLEAR);
    TacCcdResult r = ask(&in);
    assert_true(r.low > 0.99e-9 && r.low <= 1e-9 && r.t0 == 1);
}

static void edge_falls_on_edge(void **state) {
    (void)state;
    for (int i = 1; i < 20; i++) {
        double height = 0.1 * i;
        TacCcdInput in = falling_edge(height, height - 2.5);
        expect_hit_at(&in, height / 2.5);
        in.thickness = 0.1;
        expect_hit_at(&in, fmax(0, (height - 0.1) / 2.5));
        in = falling_edge(height, 0.01);
        expect_state(&in, TAC_CCD_CLEAR);
    }
}

// A corner of the edge meets the ball around the end of the other: the root of a quadratic.
static void edge_ends_meet_at_thickness(void **state) {
    (void)state;
    TacCcdInput in = tac_ccd_default_input(TAC_CCD_EDGE_EDGE);
    in.start[0] = tac_vec3(2, 0.3, 0), in.start[1] = tac_vec3(3, 0.3, 0);
    in.end[0] = tac_vec3(0, 0.3, 0), in.end[1] = tac_vec3(1, 0.3, 0);
    in.start[2] = in.end[2] = tac_vec3(0, 0, 0);
    in.start[3] = in.end[3] = tac_vec3(-1, 0, 0);
    in.thickness = 0.5;
    // (2 - 2 t)^2 + 0.09 = 0.25
    expect_hit_at(&in, (2 - 0.4) / 2);
    assert_int_equal(ask(&in).features, 1u | 4u);
}

static void first_of_several_contacts_is_told(void **state) {
    (void)state;
    // the triangle's corner swings through the falling point's line: volume changes sign three times
    TacCcdInput in = falling_point(0.25, 0.25, 0.5, -0.5);
    in.start[1].z = in.end[1].z = 0.1;
    in.start[2].z = -1, in.end[2].z = 1;
    TacCcdResult r = ask(&in);
    assert_int_equal(r.state, TAC_CCD_HIT);
    // z of the plane at the point: 0.5 * 0.1 + 0.25 (2 t - 1); of the point 0.5 - t
    double time = (0.5 + 0.25 - 0.05) / 1.5;
    assert_true(r.t0 <= time && time <= r.t1);
    // a graze at the rim first, a crossing later: the crossing is proven, the graze is not passed over
    in = falling_point(0, 0.5, 1, -1);
    in.start[0] = tac_vec3(-1, 0.5, 0), in.end[0] = tac_vec3(1, 0.5, 0);
    expect_not_clear_before(&in, 0.5);
}

static void parts_of_a_piece(void **state) {
    (void)state;
    TacCcdInput in = falling_point(0.3, 0.2, 1, -1); // meets at 0.5
    in.to = 0.499;
    expect_state(&in, TAC_CCD_CLEAR);
    in.to = 1, in.from = 0.501;
    expect_state(&in, TAC_CCD_CLEAR);
    in.from = 0.25, in.to = 0.75;
    expect_hit_at(&in, 0.5);
    in.from = in.to = 0.5;
    expect_not_clear_before(&in, 0.5);
    in.from = in.to = 0.4999;
    expect_state(&in, TAC_CCD_CLEAR);
    in.thickness = 0.001;
    expect_state(&in, TAC_CCD_HIT);
}

static void scales_do_not_matter(void **state) {
    (void)state;
    for (int power = -6; power <= 6; power++) {
        double scale = pow(10, power);
        TacCcdInput in = falling_point(0.3, 0.2, 0.7, -1.3);
        scale_input(&in, scale);
        expect_hit_at(&in, 0.35);
        in = falling_edge(0.7, -1.3);
        scale_input(&in, scale);
        expect_hit_at(&in, 0.35);
        in = falling_point(0.3, 0.2, 0.7, 1e-9);
        scale_input(&in, scale);
        expect_state(&in, TAC_CCD_CLEAR);
        // far from the origin
        in = falling_point(0.25, 0.25, 0.75, -1.25);
        for (int i = 0; i < 4; i++) {
            in.start[i] = tac_add(in.start[i], tac_vec3(scale, -scale, scale));
            in.end[i] = tac_add(in.end[i], tac_vec3(scale, -scale, scale));
        }
        TacCcdResult r = ask(&in);
        assert_true(r.state == TAC_CCD_HIT && fabs(r.t0 - 0.375) < 1e-5);
    }
}

// --- degenerate cases -------------------------------------------------------------------------------------

static void touching_at_the_ends_is_a_hit(void **state) {
    (void)state;
    static const double places[][2] = {{0.25, 0.25}, {0.5, 0.5}, {0, 0}, {1, 0}, {0.5, 0}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        TacCcdInput in = falling_point(places[i][0], places[i][1], 1, 0);
        expect_hit_at(&in, 1);
        in = falling_point(places[i][0], places[i][1], 0, 1);
        expect_hit_at(&in, 0);
        TacCcdResult r = ask(&in);
        assert_true(r.t0 == 0 && r.t1 == 0);
        in = falling_point(places[i][0], places[i][1], 1, -1);
        expect_not_clear_before(&in, 0.5);
    }
    TacCcdInput in = falling_edge(1, 0);
    expect_hit_at(&in, 1);
    in = falling_edge(0, 1);
    expect_hit_at(&in, 0);
}

static void grazing_is_not_missed(void **state) {
    (void)state;
    // along the plane over the corner, along a side, along the hypotenuse
    static const double paths[][4] = {{-1, 1, 1, -1}, {-1, 0, 2, 0}, {2, -1, -1, 2}, {-1, 0.5, 2, 0.5}};
    for (size_t i = 0; i < 4; i++) {
        TacCcdInput in = falling_point(0, 0, 0, 0);
        in.start[0] = tac_vec3(paths[i][0], paths[i][1], 0);
        in.end[0] = tac_vec3(paths[i][2], paths[i][3], 0);
        expect_not_clear_before(&in, i == 0 ? 0.5 : 1.0 / 3);
        // just over it
        for (int power = -10; power < 0; power++) {
            in.start[0].z = in.end[0].z = pow(10, power);
            expect_state(&in, TAC_CCD_CLEAR);
            in.thickness = 1.001 * in.start[0].z;
            expect_state(&in, TAC_CCD_HIT);
            in.thickness = 0.999 * in.start[0].z;
            expect_state(&in, TAC_CCD_CLEAR);
            in.thickness = 0;
        }
    }
}

static void coplanar_motion(void **state) {
    (void)state;
    TacCcdInput in = falling_point(0, 0, 0, 0);
    in.start[0] = tac_vec3(2, 2, 0), in.end[0] = tac_vec3(0.25, 0.25, 0);
    // at the hypotenuse; proven by the end, which lies inside
    TacCcdResult r = ask(&in);
    assert_int_equal(r.state, TAC_CCD_HIT);
    assert_true(r.t0 <= 1.5 / 1.75 && r.t0 > 1.5 / 1.75 - 1e-6);
    in.end[0] = tac_vec3(0.51, 0.51, 0);
    expect_state(&in, TAC_CCD_CLEAR);
}

static void sliding_in_contact(void **state) {
    (void)state;
    TacCcdInput in = falling_point(0.1, 0.1, 0, 0);
    in.end[0] = tac_vec3(0.6, 0.2, 0);
    expect_hit_at(&in, 0);
    in.from = 0.2, in.to = 0.8;
    expect_not_clear_before(&in, 0.2);
    // lasting doubt is looked at coarsely
    TacCcdResult r = ask(&in);
    assert_true(!r.spent && r.cells < 1000);
    in.thickness = 0.01;
    expect_state(&in, TAC_CCD_HIT);
    // at exactly the thickness, for all of the time
    in = falling_point(0.1, 0.1, 0.25, 0.25);
    in.end[0] = tac_vec3(0.6, 0.2, 0.25);
    in.thickness = 0.25;
    expect_not_clear_before(&in, 0);
    in.thickness = 0.2499999999;
    expect_state(&in, TAC_CCD_CLEAR);
}

static void parallel_edges(void **state) {
    (void)state;
    TacCcdInput in = tac_ccd_default_input(TAC_CCD_EDGE_EDGE);
    for (int i = 0; i < 4; i++) {
        in.start[i] = in.end[i] = tac_vec3(i % 2, i < 2 ? 1 : 0, 0);
        if (i < 2) in.end[i].y = -1;
    }
    expect_not_clear_before(&in, 0.5);
    in.thickness = 0.125;
    expect_hit_at(&in, (1 - 0.125) / 2);
    // past each other at 1e-9, for many gaps and a common slide
    in.thickness = 0;
    for (int i = 0; i < 2; i++) in.start[i].z = in.end[i].z = 1e-9, in.end[i].x += 3;
    TacCcdResult r = ask(&in);
    assert_true(r.state == TAC_CCD_CLEAR && r.cells < 10);
    // on one line, end to end
    in = tac_ccd_default_input(TAC_CCD_EDGE_EDGE);
    in.start[0] = tac_vec3(0, 0, 0), in.start[1] = tac_vec3(1, 1, 1);
    in.start[2] = tac_vec3(3, 3, 3), in.start[3] = tac_vec3(2, 2, 2);
    for (int i = 0; i < 4; i++)
        in.end[i] = i < 2 ? tac_add(in.start[i], tac_vec3(1.5, 1.5, 1.5)) : in.start[i];
    r = ask(&in);
    assert_int_equal(r.state, TAC_CCD_HIT);
    assert_true(r.t0 <= 2.0 / 3 && r.t0 > 2.0 / 3 - 1e-6);
}

static void nothing_moves(void **state) {
    (void)state;
    TacCcdInput in = falling_point(0.25, 0.25, 0, 0);
    expect_hit_at(&in, 0);
    in.from = 0.25, in.to = 0.75;
    expect_hit_at(&in, 0.25);
    // one unit in the last place away: exactly known
    in = falling_point(0.25, 0.25, 0x1p-1000, 0x1p-1000);
    for (int i = 0; i < 4; i++) in.start[i].z += 1, in.end[i].z += 1;
    in.start[0].z = in.end[0].z = nextafter(1, 2);
    expect_state(&in, TAC_CCD_CLEAR);
    in.thickness = 1e-13;
    expect_state(&in, TAC_CCD_HIT);
    // too small for the products of the exact predicates: no claim is made
    in = falling_point(0.25, 0.25, 0, 0);
    scale_input(&in, 1e-200);
    expect_state(&in, TAC_CCD_UNSURE);
}

static void identical_points(void **state) {
    (void)state;
    for (int pair = 0; pair < 2; pair++) {
        TacCcdInput in = tac_ccd_default_input((TacCcdPair)pair);
        expect_hit_at(&in, 0);
        // a point meets a point: |x| from 1 to -1
        for (int i = 0; i < (pair ? 2 : 1); i++) in.start[i].x = 1, in.end[i].x = -1;
        expect_not_clear_before(&in, 0.5);
        in.thickness = 0.25;
        expect_hit_at(&in, 0.375);
        for (int i = 0; i < (pair ? 2 : 1); i++) in.start[i].y = in.end[i].y = 0.25001;
        expect_state(&in, TAC_CCD_CLEAR);
    }
}

static void a_long_tumble_past_a_near_edge_is_cheap(void **state) {
    (void)state;
    // the edge turns over by its corners' straight flights, 1e-7 above the other
    TacCcdInput in = falling_edge(1e-7, 1e-7);
    in.end[0] = tac_vec3(1, -0.3, 1e-7), in.end[1] = tac_vec3(-1, 0.7, 2e-7);
    TacCcdResult r = ask(&in);
    assert_int_equal(r.state, TAC_CCD_CLEAR);
    assert_true(r.cells < 100);
}

static void bad_input_fails(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY, 2e60};
    TacCcdResult r;
    for (size_t i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            TacCcdInput in = falling_point(0.3, 0.2, 1, -1);
            in.start[k].y = bad[i];
            assert_int_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
            in = falling_edge(1, -1);
            in.end[k].z = bad[i];
            assert_int_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
        }
        TacCcdInput in = falling_point(0.3, 0.2, 1, -1);
        in.thickness = bad[i];
        assert_int_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
        in.thickness = 0, in.from = bad[i];
        assert_int_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
        in.from = 0, in.to = bad[i];
        assert_int_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
        in.to = 1, in.tolerance = bad[i];
        assert_int_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
    }
    TacCcdInput in = falling_point(0.3, 0.2, 1, -1);
    in.from = 0.6, in.to = 0.5;
    assert_int_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
    in = falling_point(0.3, 0.2, 1, -1);
    in.thickness = -1e-300;
    assert_int_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
    in.thickness = 0, in.most_cells = 0;
    assert_int_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
}

static void extreme_numbers_stay_numbers(void **state) {
    (void)state;
    TacRandom random = tac_random(7, 7);
    for (int n = 0; n < 20000; n++) {
        TacCcdInput in = tac_ccd_default_input((TacCcdPair)(n % 2));
        for (int i = 0; i < 4; i++) {
            double v[6];
            for (int k = 0; k < 6; k++)
                v[k] = (tac_random_unit(&random) - 0.5) * pow(10, tac_random_between(&random, -320, 60));
            in.start[i] = tac_load3(v), in.end[i] = tac_load3(v + 3);
        }
        if (n % 3 == 0) in.thickness = pow(10, tac_random_between(&random, -320, 59));
        in.most_cells = 300;
        TacCcdResult r;
        assert_int_not_equal(tac_ccd(&in, &r), TAC_CCD_FAILED);
        assert_true(r.t0 >= 0 && r.t0 <= r.t1 && r.t1 <= 1 && r.low >= 0 && r.low <= r.high);
        assert_true(r.high < INFINITY && r.cells <= 300);
        for (int i = 0; i < 4; i++) assert_true(r.weights[i] >= -1e-15 && r.weights[i] <= 1 + 1e-15);
    }
}

static void cells_are_bounded_and_doubt_is_honest(void **state) {
    (void)state;
    // onto the rim: a touch that is not proven
    TacCcdInput in = falling_point(0.5, 0.5, 1.1, -1);
    in.most_cells = 3;
    TacCcdResult r = ask(&in);
    assert_int_equal(r.state, TAC_CCD_UNSURE);
    assert_true(r.spent && r.cells == 3 && r.t1 == 1);
    // a wide tolerance gives up early, and says so
    in.most_cells = 10000, in.tolerance = 0.1;
    r = ask(&in);
    assert_true(r.state == TAC_CCD_UNSURE && !r.spent && r.high <= 0.11);
}

// --- curved motion ----------------------------------------------------------------------------------------

// A stone thrown up from a height onto a resting triangle: h + v t - g t^2 / 2.
static void thrown_stone_lands_when_it_should(void **state) {
    (void)state;
    Throw t;
    memset(&t, 0, sizeof t);
    t.place[0] = tac_vec3(0.2, 0.3, 0.5);
    t.velocity[0] = tac_vec3(0.01, 0.02, 3);
    t.gravity[0] = tac_vec3(0, 0, -9.81);
    t.place[2] = tac_vec3(1, 0, 0);
    t.place[3] = tac_vec3(0, 1, 0);
    TacCcdCurve curve = tac_ccd_default_curve(TAC_CCD_POINT_TRIANGLE);
    curve.motion = thrown;
    curve.context = &t;
    curve.acceleration[0] = 9.82;
    curve.position_error = 1e-15;
    for (int i = 0; i < 2; i++) {
        curve.thickness = 0.125 * i;
        double lands = (3 + sqrt(9 + 2 * 9.81 * (0.5 - curve.thickness))) / 9.81;
        TacCcdResult r;
        assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_HIT);
        assert_true(r.t0 <= lands && lands <= r.t1 && r.t1 - r.t0 < 1e-5);
        curve.end = lands - 1e-6;
        assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_CLEAR);
        curve.end = 1;
    }
    // it rises to its highest point just under a ceiling: the chord alone would see nothing of it
    for (int k = 1; k < 4; k++) t.place[k].z = 0.5 + 9 / (2 * 9.81) + 1e-6;
    curve.thickness = 0;
    TacCcdResult r;
    curve.end = 6 / 9.81;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_CLEAR);
    for (int k = 1; k < 4; k++) t.place[k].z -= 2e-6;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_HIT);
    double touches = (3 - sqrt(2 * 9.81 * 1e-6)) / 9.81;
    assert_true(r.t0 <= touches && touches <= r.t1 && r.t1 - r.t0 < 1e-5);
}

// Turns about z with `spin` rad/s: the tip of an edge of length 1 passes an edge that stands at the radius r.
typedef struct Arm {
    double spin, post;
} Arm;

static bool arm_turns(void *context, double time, TacVec3 x[4]) {
    const Arm *arm = context;
    x[0] = tac_vec3(0, 0, 0);
    x[1] = tac_vec3(cos(arm->spin * time), sin(arm->spin * time), 0);
    x[2] = tac_vec3(0, arm->post, -1);
    x[3] = tac_vec3(0, arm->post, 1);
    return true;
}

static void turning_arm_meets_post(void **state) {
    (void)state;
    Arm arm = {20, 0.999};
    TacCcdCurve curve = tac_ccd_default_curve(TAC_CCD_EDGE_EDGE);
    curve.motion = arm_turns;
    curve.context = &arm;
    curve.acceleration[1] = 20 * 20 * 1.0001;
    curve.position_error = 1e-14;
    TacCcdResult r;
    // in one turn of 18 degrees, as the sagitta would hide it
    curve.end = TAC_PI / 20;
    double meets = TAC_PI / 40;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_HIT);
    assert_true(r.t0 <= meets && meets <= r.t1 && r.t1 - r.t0 < 1e-6);
    arm.post = 1.001;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_CLEAR);
    assert_true(r.low > 0 && r.low <= 0.001 && r.high >= 0.001);
    curve.thickness = 0.0011;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_HIT);
    // without the bound on its acceleration the arc is not covered: the bound is what finds it
    arm.post = 0.999, curve.thickness = 0, curve.end = meets * 0.999;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_CLEAR);
}

static bool motion_fails(void *context, double time, TacVec3 x[4]) {
    memset(x, 0, 4 * sizeof *x);
    x[0].x = time > 0.3 ? *(const double *)context : 1;
    return time < 0.9;
}

static void bad_curves_fail(void **state) {
    (void)state;
    double value = 1;
    TacCcdCurve curve = tac_ccd_default_curve(TAC_CCD_EDGE_EDGE);
    TacCcdResult r;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_FAILED);
    curve.motion = motion_fails;
    curve.context = &value;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_FAILED);
    curve.end = 0.5;
    assert_int_not_equal(tac_ccd_curved(&curve, &r), TAC_CCD_FAILED);
    value = NAN;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_FAILED);
    value = 1;
    curve.acceleration[2] = -1;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_FAILED);
    curve.acceleration[2] = 1e40;
    curve.most_cells = 500;
    assert_int_equal(tac_ccd_curved(&curve, &r), TAC_CCD_UNSURE);
    assert_true(r.cells <= 500 && r.t0 >= 0 && r.t1 <= 0.5);
}

// --- meshes -----------------------------------------------------------------------------------------------

static size_t meetings_of(const TacMesh *mesh) {
    TacMeeting *found;
    size_t count;
    assert_int_equal(tac_mesh_intersections(mesh, 0, &found, &count, NULL), TAC_OK);
    free(found);
    return count;
}

static void whole_meshes_do_not_intersect(void **state) {
    (void)state;
    TacMesh mesh;
    assert_int_equal(tac_mesh_icosphere(&mesh, 4, 1, NULL), TAC_OK);
    assert_int_equal(meetings_of(&mesh), 0);
    // one corner pushed through the other side
    mesh.points[0] *= -1.5, mesh.points[1] *= -1.5, mesh.points[2] *= -1.5;
    assert_true(meetings_of(&mesh) > 0);
    tac_mesh_destroy(&mesh);
    assert_int_equal(tac_mesh_sheet(&mesh, 20, 20, 1, 1, NULL), TAC_OK);
    assert_int_equal(meetings_of(&mesh), 0);
    tac_mesh_destroy(&mesh);
    assert_int_equal(tac_mesh_torus(&mesh, 12, 24, 1, 0.3, NULL), TAC_OK);
    assert_int_equal(meetings_of(&mesh), 0);
    tac_mesh_destroy(&mesh);
    memset(&mesh, 0, sizeof mesh);
    assert_int_equal(meetings_of(&mesh), 0);
}

static void limits_and_bad_meshes(void **state) {
    (void)state;
    enum { N = 40 };
    double points[9 * N];
    int32_t triangles[3 * N];
    // all through each other
    for (int i = 0; i < N; i++) {
        const double corners[9] = {-1, -1, i * 0.01, 1, -1, -i * 0.01, 0, 1, (i % 7) * 0.1 - 0.3};
        memcpy(points + 9 * i, corners, sizeof corners);
        for (int k = 0; k < 3; k++) triangles[3 * i + k] = 3 * i + k;
    }
    TacMeeting *found;
    size_t count;
    assert_int_equal(tac_triangle_meetings(points, 3 * N, triangles, N, 5, &found, &count, NULL), TAC_OK);
    assert_int_equal(count, 5);
    free(found);
    TacError error;
    triangles[4] = 3 * N;
    assert_int_equal(tac_triangle_meetings(points, 3 * N, triangles, N, 0, &found, &count, &error),
                     TAC_BAD_INPUT);
    assert_true(!found && strstr(error.message, "names point 120"));
    triangles[4] = 4;
    points[7] = NAN;
    assert_int_equal(tac_triangle_meetings(points, 3 * N, triangles, N, 0, &found, &count, &error),
                     TAC_BAD_INPUT);
    assert_true(!found && strstr(error.message, "point 2"));
    assert_int_equal(tac_edge_triangle_meetings(points, 0, NULL, 0, NULL, 0, 0, &found, &count, NULL),
                     TAC_OK);
    assert_true(!found && count == 0);
}

// Neighbours are not pairs, unless something else of them meets.
static void neighbours_are_not_pairs(void **state) {
    (void)state;
    const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.2, 0.2, 1, 0.2, 0.2, -1};
    TacMeeting *found;
    size_t count;
    const int32_t by_edge[] = {0, 1, 2, 1, 3, 2}, by_corner[] = {0, 1, 2, 1, 3, 4},
                  through[] = {0, 1, 2, 0, 4, 5};
    assert_int_equal(tac_triangle_meetings(points, 6, by_edge, 2, 0, &found, &count, NULL), TAC_OK);
    assert_int_equal(count, 0);
    assert_int_equal(tac_triangle_meetings(points, 6, by_corner, 2, 0, &found, &count, NULL), TAC_OK);
    assert_int_equal(count, 0);
    assert_int_equal(tac_triangle_meetings(points, 6, through, 2, 0, &found, &count, NULL), TAC_OK);
    assert_int_equal(count, 1);
    assert_true(found[0].first == 0 && found[0].second == 1);
    free(found);
}

// The fan of a cylinder's cap: the box of each triangle holds the hub, and so overlaps all others.
typedef struct Fan {
    double *points;
    int32_t *triangles;
    size_t count, asked;
} Fan;

// Its rim goes up and down, so that it is neither flat nor convex; every other point is nearer than the next.
static Fan make_fan(size_t count, double height, double depth) {
    Fan fan = {calloc(3 * (count + 1), sizeof(double)), calloc(3 * count, sizeof(int32_t)), count, 0};
    assert_true(fan.points && fan.triangles);
    for (size_t i = 0; i < count; i++) {
        double angle = 6.283185307179586 * (double)i / (double)count, r = i % 2 ? 1 : 1 - depth;
        const double p[3] = {r * cos(angle), height * sin(7 * angle) + 0.3 * r * cos(angle), r * sin(angle)};
        memcpy(fan.points + 3 * (i + 1), p, sizeof p);
        const int32_t t[3] = {0, (int32_t)(i + 1), (int32_t)(1 + (i + 1) % count)};
        for (size_t k = 0; k < 3; k++) fan.triangles[3 * i + k] = t[(i + k) % 3];
    }
    return fan;
}

static bool count_asked(void *context, int32_t first, int32_t second) {
    Fan *fan = context;
    assert_true(first < second);
    fan->asked++;
    return true;
}

static size_t fan_meetings(Fan *fan) {
    TacMeetingInput input = {.points = fan->points,
                             .point_count = fan->count + 1,
                             .triangles = fan->triangles,
                             .triangle_count = fan->count,
                             .counts = count_asked,
                             .context = fan};
    TacMeeting *found;
    size_t count;
    assert_int_equal(tac_meetings(&input, &found, &count, NULL), TAC_OK);
    free(found);
    return count;
}

static void a_fan_is_no_square(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    const double shapes[][2] = {{0, 0}, {0, 0.3}, {0.2, 0}, {0.2, 0.3}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        Fan fan = make_fan(COUNT, shapes[i][0], shapes[i][1]);
        assert_int_equal(fan_meetings(&fan), 0);
        if (fan.asked > 8 * COUNT) fail_msg("shape %zu: %zu pairs of %d were asked", i, fan.asked, COUNT);
        // a rim that crosses itself is found
        double p[3];
        memcpy(p, fan.points + 3 * 100, sizeof p);
        memcpy(fan.points + 3 * 100, fan.points + 3 * 103, sizeof p);
        memcpy(fan.points + 3 * 103, p, sizeof p);
        assert_true(fan_meetings(&fan) > 0);
        free(fan.points);
        free(fan.triangles);
    }
}

// --- random families --------------------------------------------------------------------------------------

static void run_family(Family family, int count, Case *c) {
    *c = (Case){.random = tac_random(2024, 11)};
    for (int i = 0; i < count; i++) {
        const char *problem = family(c);
        if (problem) fail_msg("case %d: %s", i, problem);
    }
}

static void integer_motions_agree_with_exact_roots(void **state) {
    (void)state;
    Case c;
    run_family(integer_motions, 8000, &c);
    // all kinds have occurred, and doubt only where something touches
    assert_true(c.tally.strict_hits > 500 && c.tally.misses > 3000 && c.tally.touches > 50);
    assert_true(c.tally.states[TAC_CCD_UNSURE] <= c.tally.touches);
}

static void constructed_touches_are_never_missed(void **state) {
    (void)state;
    Case c;
    run_family(touching_motions, 8000, &c);
    assert_int_equal(c.tally.states[TAC_CCD_CLEAR], 0);
}

static void thick_motions_agree_with_samples(void **state) {
    (void)state;
    Case c;
    run_family(thick_motions, 500, &c);
    assert_true(c.tally.states[TAC_CCD_CLEAR] > 100 && c.tally.states[TAC_CCD_HIT] > 100);
}

static void order_and_direction_do_not_matter(void **state) {
    (void)state;
    Case c;
    run_family(other_words, 4000, &c);
}

static void orientation_is_exact(void **state) {
    (void)state;
    Case c;
    run_family(orientations, 20000, &c);
    assert_true(c.tally.touches > 2000 && c.tally.misses > 2000);
    // one unit in the last place of one coordinate
    TacVec3 a = {1.1, 0.3, 7.7}, b = {-0.1, 1e-3, 3.3}, x = {12.5, -0.7, 1e6};
    TacVec3 flat[4] = {{a.x, a.y, 0.1}, {b.x, b.y, 0.1}, {x.x, x.y, 0.1}, {5, 5, 0.1}};
    assert_int_equal(tac_orient3d(flat[0], flat[1], flat[2], flat[3]), 0);
    int up = tac_orient3d(flat[0], flat[1], flat[2], tac_vec3(5, 5, nextafter(0.1, 1)));
    int down = tac_orient3d(flat[0], flat[1], flat[2], tac_vec3(5, 5, nextafter(0.1, 0)));
    assert_true(up == -down && up != 0);
    assert_int_equal(tac_orient3d(tac_vec3(0, 0, 0), tac_vec3(1, 0, 0), tac_vec3(0, 1, 0), tac_vec3(0, 0, 1)),
                     1);
}

static void static_meetings_are_exact(void **state) {
    (void)state;
    Case c;
    run_family(static_meetings, 20000, &c);
    assert_true(c.tally.touches > 2000 && c.tally.misses > 2000);
    run_family(flat_meetings, 20000, &c);
    assert_true(c.tally.touches > 2000 && c.tally.misses > 2000);
}

static void triangle_soups_agree_with_brute_force(void **state) {
    (void)state;
    Case c;
    run_family(triangle_soups, 100, &c);
    assert_true(c.tally.touches > 20);
}

static void thrown_motions_agree_with_samples(void **state) {
    (void)state;
    Case c;
    run_family(thrown_motions, 500, &c);
    assert_true(c.tally.states[TAC_CCD_CLEAR] > 50 && c.tally.states[TAC_CCD_HIT] > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_falls_through_triangle),
        cmocka_unit_test(point_misses_triangle),
        cmocka_unit_test(edge_falls_on_edge),
        cmocka_unit_test(edge_ends_meet_at_thickness),
        cmocka_unit_test(first_of_several_contacts_is_told),
        cmocka_unit_test(parts_of_a_piece),
        cmocka_unit_test(scales_do_not_matter),
        cmocka_unit_test(touching_at_the_ends_is_a_hit),
        cmocka_unit_test(grazing_is_not_missed),
        cmocka_unit_test(coplanar_motion),
        cmocka_unit_test(sliding_in_contact),
        cmocka_unit_test(parallel_edges),
        cmocka_unit_test(nothing_moves),
        cmocka_unit_test(identical_points),
        cmocka_unit_test(a_long_tumble_past_a_near_edge_is_cheap),
        cmocka_unit_test(bad_input_fails),
        cmocka_unit_test(extreme_numbers_stay_numbers),
        cmocka_unit_test(cells_are_bounded_and_doubt_is_honest),
        cmocka_unit_test(thrown_stone_lands_when_it_should),
        cmocka_unit_test(turning_arm_meets_post),
        cmocka_unit_test(bad_curves_fail),
        cmocka_unit_test(whole_meshes_do_not_intersect),
        cmocka_unit_test(limits_and_bad_meshes),
        cmocka_unit_test(neighbours_are_not_pairs),
        cmocka_unit_test(a_fan_is_no_square),
        cmocka_unit_test(integer_motions_agree_with_exact_roots),
        cmocka_unit_test(constructed_touches_are_never_missed),
        cmocka_unit_test(thick_motions_agree_with_samples),
        cmocka_unit_test(order_and_direction_do_not_matter),
        cmocka_unit_test(orientation_is_exact),
        cmocka_unit_test(static_meetings_are_exact),
        cmocka_unit_test(triangle_soups_agree_with_brute_force),
        cmocka_unit_test(thrown_motions_agree_with_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
