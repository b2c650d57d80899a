// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the scenes of "Balls, bubbles and agglomerates" do: a rubber ball that is round again, plasticine that parts and
// joins, a lump that breaks when it is struck hard enough, rolling and sliding.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

enum { MOST_BALLS = 200 };

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

// Groups of balls that hang together: nearer than `reach` to another of the group.
static int pieces(const double *x, size_t count, double reach) {
    size_t of[MOST_BALLS];
    int left = (int)count;
    for (size_t i = 0; i < count; i++) of[i] = i;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            if (distance(x + 3 * i, x + 3 * j) > reach || of[i] == of[j]) continue;
            size_t from = of[i], to = of[j];
            for (size_t k = 0; k < count; k++)
                if (of[k] == from) of[k] = to;
            left--;
        }
    return left;
}

// --- the rubber ball --------------------------------------------------------------------------------------

enum { DERM = 24 };

// How far the derm is from the nucleus: mean, and the largest deviation from it.
static void shape(TacWorld *world, double *mean, double *spread) {
    const double *nucleus = positions(world, "/nucleus/balls");
    double centre[3] = {nucleus[0], nucleus[1], nucleus[2]}, d[DERM];
    const double *derm = positions(world, "/derm/balls");
    *mean = *spread = 0;
    for (int i = 0; i < DERM; i++) *mean += (d[i] = distance(derm + 3 * i, centre)) / DERM;
    for (int i = 0; i < DERM; i++) *spread = fmax(*spread, fabs(d[i] - *mean));
}

// The push of the wall on all balls now: 400 N/m within 100 m of (100.4, 0, 0).
static double push_of_wall(TacWorld *world) {
    const double wall[3] = {100.4, 0, 0};
    double sum = 0;
    for (int i = 0; i <= DERM; i++) {
        const double *x =
            i < DERM ? positions(world, "/derm/balls") + 3 * i : positions(world, "/nucleus/balls");
        double d = distance(x, wall);
        if (d < 100) sum += 400 * (100 - d) * (x[0] - wall[0]) / d;
    }
    return sum;
}

static void rubber_ball_is_round_again(void **state) {
    (void)state;
    TacWorld *world = world_of_file("examples/cordis/rubber.ca", 1);
    const double step = 1.0 / 2000;
    double before, after, spread, crushed = 0, impulse = 0;
    advance(world, 0.5);
    shape(world, &before, &spread);
    assert_true(spread < 1e-3 * before);
    double p = tac_world_momentum(world).linear.x;
    // a kick a step, each from the positions before it
    for (int i = 0; i < 2000; i++) {
        impulse += step * push_of_wall(world);
        advance(world, step);
        double mean;
        shape(world, &mean, &spread);
        crushed = fmax(crushed, spread);
    }
    double q = tac_world_momentum(world).linear.x;
    assert_true(p > 0.1 && q < -0.07);
    if (fabs(q - p - impulse) > 1e-9)
        fail_msg("momentum changed by %.12g, the wall gave %.12g", q - p, impulse);
    shape(world, &after, &spread);
    assert_true(crushed > 5e-3 * before);
    assert_true(fabs(after - before) < 0.02 * before && spread < 0.02 * before);
    tac_world_destroy(world);
}

// --- plasticine -------------------------------------------------------------------------------------------

static void plasticine_parts_and_joins(void **state) {
    (void)state;
    TacWorld *world = world_of_file("examples/cordis/plasticine.ca", 1);
    advance(world, 1.5);
    assert_int_equal(pieces(positions(world, "/clay/balls"), 30, 0.05), 1);
    advance(world, 2);
    assert_int_equal(pieces(positions(world, "/clay/balls"), 30, 0.05), 2);
    advance(world, 2.5);
    assert_int_equal(pieces(positions(world, "/clay/balls"), 30, 0.05), 1);
    // it keeps its new shape
    double before[90], most = 0;
    memcpy(before, positions(world, "/clay/balls"), sizeof before);
    advance(world, 1);
    const double *x = positions(world, "/clay/balls");
    for (int i = 0; i < 30; i++) most = fmax(most, distance(x + 3 * i, before + 3 * i));
    assert_true(most < 0.005);
    tac_world_destroy(world);
}

// A lump is struck by a ball: it breaks above a speed, and not below.
static int pieces_after_a_blow(double speed) {
    char *text;
    assert_true(
        asprintf(&text,
                 "VISCOSITY .001\nRATE 4000\nDEFMASS m .002\nDEFMASS heavy .05\nDEFLJ hold 2e-3 .03 6\n"
                 "VISCFI hold .01\nDEFFI hit 2 (0,0) (-300,.04) [.04]\nDEFMOB clay 30 m AGGLO hold\n"
                 "DEFMOB ball 1 heavy\nLINKGRP clay ball hit\nPOSITAROUND clay (0,0,0) [.04,.04,.04]\n"
                 "POSIT ball (%.17g,0,0)\nSPEED ball (%.17g,0,0)\n",
                 -2 * speed - 0.2, speed) > 0);
    TacScene *scene = empty_scene();
    TacWorld *world;
    TacError error;
    TacWorldDef def = tac_world_def_default();
    if (tac_scene_parse(scene, "blow.ca", text, strlen(text), &error) != TAC_OK)
        fail_msg("%s", error.message);
    assert_int_equal(tac_world_create(&world, scene, &def, &error), TAC_OK);
    advance(world, 1.5);
    assert_int_equal(pieces(positions(world, "/clay/balls"), 30, 0.05), 1);
    advance(world, 2.5);
    int count = pieces(positions(world, "/clay/balls"), 30, 0.05);
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    free(text);
    return count;
}

static void struck_lump_breaks_above_a_speed(void **state) {
    (void)state;
    assert_int_equal(pieces_after_a_blow(0.3), 1);
    int broken = pieces_after_a_blow(10);
    if (broken < 3) fail_msg("%d pieces", broken);
}

// --- rolling and sliding ----------------------------------------------------------------------------------

typedef struct Way {
    double distance, turned, height; // m; rad, forward; mean of the nucleus, m
} Way;

// From now on for some seconds, in steps of a millisecond.
static Way follow(TacWorld *world, double seconds) {
    const double pi = 3.14159265358979;
    Way way = {0, 0, 0};
    int n = (int)lround(seconds * 1000);
    double start = positions(world, "/nucleus/balls")[0], last = 0;
    for (int i = 0; i <= n; i++) {
        const double *derm = positions(world, "/derm/balls"), *nucleus = positions(world, "/nucleus/balls");
        double angle = atan2(derm[1] - nucleus[1], derm[0] - nucleus[0]);
        if (i > 0) way.turned -= remainder(angle - last, 2 * pi);
        last = angle;
        way.height += nucleus[1] / (n + 1);
        way.distance = nucleus[0] - start;
        if (i < n) advance(world, 0.001);
    }
    return way;
}

// On balls larger than those of the derm it takes up rolling; its radius goes down to half of the distance at which
// balls touch.
static void ball_takes_up_rolling_on_a_rough_floor(void **state) {
    (void)state;
    TacWorld *world = world_of_file("examples/cordis/rolling.ca", 1);
    Way start = follow(world, 0.02);
    assert_true(start.turned * (start.height - 0.015) < 0.5 * start.distance);
    advance(world, 1);
    Way way = follow(world, 1.5);
    double rolled = way.turned * (way.height - 0.015);
    assert_true(way.distance > 0.3);
    if (fabs(way.distance - rolled) > 0.05 * way.distance)
        fail_msg("%g m, rolled %g m", way.distance, rolled);
    tac_world_destroy(world);
}

static void ball_slides_on_a_flat_floor(void **state) {
    (void)state;
    TacWorld *world = world_of_file("examples/cordis/sliding.ca", 1);
    Way way = follow(world, 2);
    assert_true(way.distance > 1);
    assert_true(fabs(way.turned * way.height) < 0.1 * way.distance);
    tac_world_destroy(world);
}

// --- the contour, scanned ---------------------------------------------------------------------------------

// Where the drop's force field holds the scout: the energy of the law of scan.ca, summed, is least across the border.
static double field(const double *drop, const double p[2]) {
    double sum = 0;
    for (int i = 0; i < 19; i++) {
        double d = hypot(p[0] - drop[3 * i], p[1] - drop[3 * i + 1]);
        // the force is 2e-7 min(d - 0.09, 0) - 1.2e-6 min(d - 0.06, 0)
        double a = fmin(d - 0.09, 0), b = fmin(d - 0.06, 0);
        sum += -1e-7 * a * a + 6e-7 * b * b;
    }
    return sum;
}

static void scout_runs_along_the_border(void **state) {
    (void)state;
    TacWorld *world = world_of_file("examples/cordis/scan.ca", 1);
    double turned = 0, last = 0, worst = 0;
    advance(world, 0.1);
    for (int i = 0; i < 2000; i++) {
        double x[2], drop[57];
        memcpy(x, positions(world, "/scout/balls"), sizeof x);
        memcpy(drop, positions(world, "/drop/balls"), sizeof drop);
        double angle = atan2(x[1], x[0]), r = hypot(x[0], x[1]);
        if (i > 0) turned += remainder(angle - last, 2 * 3.14159265358979);
        last = angle;
        // the least energy along the ray through the scout
        double best = 0, least = INFINITY;
        for (double s = 0.06; s < 0.14; s += 2e-4) {
            double p[2] = {s * cos(angle), s * sin(angle)}, e = field(drop, p);
            if (e < least) {
                least = e;
                best = s;
            }
        }
        worst = fmax(worst, fabs(r - best));
        advance(world, 0.001);
    }
    // more than once around, and near the border of a drop of 10 cm all the time
    assert_true(fabs(turned) > 6.3);
    if (!(worst < 0.01)) fail_msg("%g m from the border", worst);
    tac_world_destroy(world);
}

// --- the tracked block ------------------------------------------------------------------------------------

// A track that does not slip: pads under the block stand on the ground while it goes over them, and pads above it go
// forward twice as fast as it does. With a slip that nothing reaches, no link slips; with a low one, some do.
static void a_track_rolls(void **state) {
    (void)state;
    TacError error;
    for (int slips = 0; slips < 2; slips++) {
        TacScene *scene;
        TacWorld *world;
        TacWorldDef def = tac_world_def_default();
        assert_int_equal(tac_scene_create(&scene, &error), TAC_OK);
        assert_int_equal(tac_scene_set_parameter(scene, "slip", slips ? "0.1" : "1000", &error), TAC_OK);
        assert_int_equal(tac_scene_read(scene, "examples/links/tracked.tac", &error), TAC_OK);
        assert_int_equal(tac_world_create(&world, scene, &def, &error), TAC_OK);
        tac_scene_destroy(scene);
        assert_int_equal(tac_world_advance(world, 1.5, &error), TAC_OK);
        TacComponentId block = tac_world_find(world, "/vehicle/block/points"),
                       track = tac_world_find(world, "/vehicle/track/points"),
                       grip = tac_world_find(world, "/grip");
        double start = tac_world_positions(world, block)[0], low = 0, high = 0, most_slipping = 0;
        size_t below = 0, above = 0;
        for (int i = 0; i < 200; i++) {
            assert_int_equal(tac_world_advance(world, 0.01, &error), TAC_OK);
            const double *b = tac_world_positions(world, block), *x = tac_world_positions(world, track),
                         *v = tac_world_velocities(world, track);
            double back = b[0], front = b[3 * 8], middle = 0.5 * (b[1] + b[3 * 17 + 1]);
            for (size_t p = 0; p < tac_world_point_count(world, track); p++) {
                if (x[3 * p] < back || x[3 * p] > front) continue;
                *(x[3 * p + 1] < middle ? &low : &high) += v[3 * p];
                *(x[3 * p + 1] < middle ? &below : &above) += 1;
            }
            most_slipping = fmax(most_slipping, tac_world_reals(world, grip, "counts").data[2]);
        }
        double speed = (tac_world_positions(world, block)[0] - start) / 2;
        assert_true(speed > 0.4 && speed < 0.6); // the hand's is 0.5
        if (!slips) {
            assert_true(fabs(low / (double)below) < 0.25 * speed);
            assert_true(fabs(high / (double)above - 2 * speed) < 0.25 * speed);
            assert_true(most_slipping == 0);
        } else {
            assert_true(most_slipping > 0);
        }
        tac_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rubber_ball_is_round_again),
        cmocka_unit_test(plasticine_parts_and_joins),
        cmocka_unit_test(struck_lump_breaks_above_a_speed),
        cmocka_unit_test(ball_takes_up_rolling_on_a_rough_floor),
        cmocka_unit_test(ball_slides_on_a_flat_floor),
        cmocka_unit_test(scout_runs_along_the_border),
        cmocka_unit_test(a_track_rolls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
