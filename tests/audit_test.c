// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The audit: crossings and misses with known times, straight, falling and on arcs; random scenes in which every
// point has breaks of its own, against asking every pair about every piece; how far paths of thousands of breaks leave a
// line, against looking at every break and at many places; its grid against all pairs.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "contact/audit.h"
#include "contact/audit_near.h"
#include "contact/audit_paths.h"
#include "tactus/ccd.h"

#include <stdlib.h>
#include <string.h>

static TacVec3 anywhere(TacRandom *random, double reach) {
    return tac_vec3(tac_random_between(random, -reach, reach), tac_random_between(random, -reach, reach),
                    tac_random_between(random, -reach, reach));
}

// --- a point and a triangle -------------------------------------------------------------------------------

// Point 0 is a vertex of skin 0; points 1 to 3 are a triangle of skin 1 in the plane y = 0 about the origin.
static const int32_t VERTEX[] = {0}, TRIANGLE[] = {1, 2, 3};
static const double CORNERS[3][3] = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}};

static TacAudit *point_over_triangle(TacVec3 gravity, TacVec3 place, double radius) {
    TacAuditSkin skins[2] = {{.vertices = VERTEX, .vertex_count = 1, .radius = radius},
                             {.triangles = TRIANGLE, .triangle_count = 1}};
    TacAuditInput input = {
        .point_count = 4, .skins = skins, .skin_count = 2, .gravity = gravity, .reach = 0.1};
    TacAudit *audit = tac_audit_create(&input, NULL);
    assert_non_null(audit);
    double positions[12] = {place.x, place.y, place.z};
    memcpy(positions + 3, CORNERS, sizeof CORNERS);
    assert_int_equal(tac_audit_start(audit, 0, positions, NULL), TAC_OK);
    return audit;
}

static void fly(TacAudit *audit, int32_t point, double time, TacVec3 place, bool falls) {
    assert_int_equal(tac_audit_fly(audit, point, time, place, falls, NULL), TAC_OK);
}

static void expect_clear(TacAudit *audit) {
    const TacAuditReport *report = tac_audit_report(audit);
    if (report->violations) {
        char text[256];
        fail_msg("%s", tac_audit_violation_text(&report->first[0], text, sizeof text));
    }
    tac_audit_destroy(audit);
}

static void expect_one_at(TacAudit *audit, double time, double within) {
    const TacAuditReport *report = tac_audit_report(audit);
    assert_int_equal(report->violations, 1);
    assert_int_equal(report->listed, 1);
    const TacAuditViolation *v = &report->first[0];
    if (!(v->t0 <= time + within && v->t1 >= time - within && v->t1 - v->t0 <= 2 * within + 4e-6))
        fail_msg("expected %.17g, found [%.17g, %.17g]", time, v->t0, v->t1);
    assert_true(report->closest == 0);
    tac_audit_destroy(audit);
}

static void end(TacAudit *audit, double time) {
    assert_int_equal(tac_audit_window_end(audit, time, NULL), TAC_OK);
}

static const TacVec3 NO_GRAVITY = {0, 0, 0}, DOWN = {0, -10, 0};

static void straight_through(void **state) {
    (void)state;
    TacAudit *audit = point_over_triangle(NO_GRAVITY, tac_vec3(0, 1, 0), 0);
    fly(audit, 0, 2, tac_vec3(0, -3, 0), false);
    end(audit, 2);
    assert_true(tac_audit_report(audit)->first[0].proven);
    char text[256];
    tac_audit_violation_text(&tac_audit_report(audit)->first[0], text, sizeof text);
    assert_non_null(
        strstr(text, "vertex 0 (point 0) of skin 0 and triangle 0 (points 1, 2, 3) of skin 1 at 0."));
    expect_one_at(audit, 0.5, 0);
    // beside it, by 1e-9 of a metre
    audit = point_over_triangle(NO_GRAVITY, tac_vec3(0, 1, -1 - 1e-9), 0);
    fly(audit, 0, 2, tac_vec3(0, -3, -1 - 1e-9), false);
    end(audit, 2);
    expect_clear(audit);
    // up to it and back: nothing; up to it, touching: a violation
    audit = point_over_triangle(NO_GRAVITY, tac_vec3(0, 1, 0), 0);
    fly(audit, 0, 1, tac_vec3(0, 1e-9, 0), false);
    fly(audit, 0, 2, tac_vec3(0, 1, 0), false);
    end(audit, 2);
    expect_clear(audit);
    audit = point_over_triangle(NO_GRAVITY, tac_vec3(0, 1, 0), 0);
    fly(audit, 0, 1, tac_vec3(0, 0, 0), false);
    fly(audit, 0, 2, tac_vec3(0, 1, 0), false);
    end(audit, 2);
    expect_one_at(audit, 1, 1e-6);
}

// Through it in the second of three windows, within one of many small pieces.
static void many_windows(void **state) {
    (void)state;
    TacAudit *audit = point_over_triangle(NO_GRAVITY, tac_vec3(0, 1, 0), 0);
    for (int window = 0; window < 3; window++) {
        for (int i = 1; i <= 100; i++) {
            double time = window + i / 100.0, y = window < 1 ? 1 : 1 - fmin(time - 1, 0.8) * 1.9;
            fly(audit, 0, i == 100 ? window + 1 : time, tac_vec3(0.01 * (i % 2), y, 0), false);
        }
        end(audit, window + 1);
    }
    assert_int_equal(tac_audit_report(audit)->windows, 3);
    assert_int_equal(tac_audit_report(audit)->breaks, 300);
    expect_one_at(audit, 1 + 1 / 1.9, 1e-9);
}

// Two edges that scissor past each other: point 0-1 along x falls past 2-3 along z.
static void edges_cross(void **state) {
    (void)state;
    const int32_t edges[] = {0, 1, 2, 3};
    for (int miss = 0; miss < 2; miss++) {
        TacAuditSkin skin = {.edges = edges, .edge_count = 2};
        TacAuditInput input = {.point_count = 4, .skins = &skin, .skin_count = 1};
        TacAudit *audit = tac_audit_create(&input, NULL);
        double reach = miss ? -1e-8 : 1, positions[12] = {-1, 1, 0, reach, 1, 0, 0, 0, -1, 0, 0, 1};
        assert_int_equal(tac_audit_start(audit, 0, positions, NULL), TAC_OK);
        fly(audit, 0, 1, tac_vec3(-1, -1, 0), false);
        fly(audit, 1, 1, tac_vec3(reach, -1, 0), false);
        end(audit, 1);
        if (miss)
            expect_clear(audit);
        else
            expect_one_at(audit, 0.5, 0);
    }
}

// A stone thrown up from below at a triangle: its top is at height v^2 / 2g, here 0.8.
static void thrown_stone(void **state) {
    (void)state;
    for (int reaches = 0; reaches < 2; reaches++) {
        double start = reaches ? -0.8 + 1e-7 : -0.8 - 1e-7;
        TacAudit *audit = point_over_triangle(DOWN, tac_vec3(0, start, 0), 0);
        double time = 1; // v = 4, so y = start + 4 t - 5 t^2
        fly(audit, 0, time, tac_vec3(0, start + 4 - 5, 0), true);
        end(audit, time);
        if (reaches)
            expect_one_at(audit, 0.4 - sqrt(1e-7 / 5), 1e-6);
        else
            expect_clear(audit);
    }
    // all fall together: to each other they are straight, and a question or two will do
    TacAudit *audit = point_over_triangle(DOWN, tac_vec3(0, 0.001, 0), 0);
    fly(audit, 0, 1, tac_vec3(0, 0.001 - 5, 0), true);
    for (int32_t i = 0; i < 3; i++)
        fly(audit, i + 1, 1, tac_add(tac_load3(CORNERS[i]), tac_vec3(0, -5, 0)), true);
    end(audit, 1);
    assert_int_equal(tac_audit_report(audit)->questions, 1);
    expect_clear(audit);
}

typedef struct Wheel {
    double radius, turning;
} Wheel;

static TacVec3 on_wheel(void *context, int32_t point, double time) {
    const Wheel *wheel = context;
    (void)point;
    return tac_vec3(0, -1 + wheel->radius * sin(wheel->turning * time),
                    -wheel->radius * cos(wheel->turning * time));
}

// A point on a wheel about (0, -1, 0), whose top is as high as its radius less 1: from 45 degrees before the top
// to 45 after. The straight way from begin to end is far below the triangle.
static void wheels(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int reaches = 0; reaches < 2; reaches++) {
            Wheel wheel = {reaches ? 1 + 1e-6 : 1 - 1e-6, TAC_PI / 2};
            TacAudit *audit = point_over_triangle(DOWN, on_wheel(&wheel, 0, 0.5), 0);
            TacVec3 place = on_wheel(&wheel, 0, 1.5);
            int32_t curve;
            if (kind == 0)
                assert_int_equal(tac_audit_curve(audit, on_wheel, &wheel,
                                                 wheel.turning * wheel.turning * wheel.radius, &curve, NULL),
                                 TAC_OK);
            else
                assert_int_equal(tac_audit_arc(audit, 0, tac_vec3(0, -1, 0), NO_GRAVITY,
                                               tac_vec3(wheel.turning, 0, 0), &curve, NULL),
                                 TAC_OK);
            assert_int_equal(
                tac_audit_start(audit, 0.5,
                                (double[]){0, on_wheel(&wheel, 0, 0.5).y, on_wheel(&wheel, 0, 0.5).z, -1, 0,
                                           -1, 1, 0, -1, 0, 0, 1},
                                NULL),
                TAC_OK);
            // starting again forgets curves
            assert_int_equal(tac_audit_follow(audit, 0, 1.5, place, false, curve, NULL), TAC_BAD_USAGE);
            if (kind == 0)
                tac_audit_curve(audit, on_wheel, &wheel, wheel.turning * wheel.turning * wheel.radius, &curve,
                                NULL);
            else
                tac_audit_arc(audit, 0, tac_vec3(0, -1, 0), NO_GRAVITY, tac_vec3(wheel.turning, 0, 0), &curve,
                              NULL);
            assert_int_equal(tac_audit_follow(audit, 0, 1.5, place, false, curve, NULL), TAC_OK);
            end(audit, 1.5);
            double crossing = asin(1 / wheel.radius) / wheel.turning;
            if (reaches)
                expect_one_at(audit, crossing, 1e-5);
            else
                expect_clear(audit);
        }
}

// A tumbling body that falls: the arc of each corner is the same in every falling frame.
static void falling_arc(void **state) {
    (void)state;
    const TacVec3 turning = {7, -3, 5}, velocity = {1, 2, 3}, centre = {0, 5, 0}, arm = {0.3, 0.2, -0.1};
    for (int hit = 0; hit < 2; hit++) {
        // the triangle's corners fly where the point will be at time 0.25, or 1e-6 beside the place
        double meet = 0.25, gap = hit ? 0 : 1e-6;
        TacVec3 start = tac_add(centre, arm), at[3];
        for (int i = 0; i < 3; i++) {
            double time = i == 0 ? 0 : i == 1 ? meet : 0.5;
            TacVec3 c = tac_axpy(tac_axpy(centre, time, velocity), 0.5 * time * time, DOWN);
            at[i] = tac_add(c, tac_rotate(tac_quat_from_vector(tac_scale(turning, time)), arm));
        }
        // a small triangle across the point's way
        TacVec3 way =
            tac_add(tac_axpy(velocity, meet, DOWN),
                    tac_cross(turning, tac_rotate(tac_quat_from_vector(tac_scale(turning, meet)), arm)));
        TacVec3 side = tac_unit(tac_cross(way, tac_vec3(0.3, -0.4, 0.8))),
                other = tac_unit(tac_cross(way, side));
        TacVec3 middle = tac_axpy(at[1], 0.001 + gap, side);
        double positions[12];
        tac_store3(positions, start);
        tac_store3(positions + 3, tac_axpy(tac_axpy(middle, -0.001, side), -0.001, other));
        tac_store3(positions + 6, tac_axpy(tac_axpy(middle, -0.001, side), 0.001, other));
        tac_store3(positions + 9, tac_axpy(middle, 0.001, side));
        TacAudit *audit = point_over_triangle(DOWN, start, 0);
        assert_int_equal(tac_audit_start(audit, 0, positions, NULL), TAC_OK);
        int32_t curve;
        assert_int_equal(tac_audit_arc(audit, 0, centre, velocity, turning, &curve, NULL), TAC_OK);
        // in two pieces of the same arc
        double early = 0.1;
        TacVec3 c = tac_axpy(tac_axpy(centre, early, velocity), 0.5 * early * early, DOWN);
        TacVec3 first = tac_add(c, tac_rotate(tac_quat_from_vector(tac_scale(turning, early)), arm));
        assert_int_equal(tac_audit_follow(audit, 0, early, first, true, curve, NULL), TAC_OK);
        assert_int_equal(tac_audit_follow(audit, 0, 0.5, at[2], true, curve, NULL), TAC_OK);
        end(audit, 0.5);
        if (hit)
            expect_one_at(audit, meet, 1e-4);
        else
            expect_clear(audit);
    }
}

// Balls of radius r meet when their centres are as near as both radii; and the triangle at one radius.
static void thick_things(void **state) {
    (void)state;
    TacAudit *audit = point_over_triangle(NO_GRAVITY, tac_vec3(0, 1, 0), 0.25);
    fly(audit, 0, 1, tac_vec3(0, 0.26, 0), false);
    end(audit, 1);
    double closest = tac_audit_report(audit)->closest;
    assert_true(closest >= 0.01 - 1e-12 && closest <= 0.011);
    expect_clear(audit);
    audit = point_over_triangle(NO_GRAVITY, tac_vec3(0, 1, 0), 0.25);
    fly(audit, 0, 1, tac_vec3(0, 0, 0), false);
    end(audit, 1);
    expect_one_at(audit, 0.75, 1e-6);
    const int32_t balls[] = {0, 1}, wire[] = {2, 3};
    const double radii[] = {0.5, 0.25};
    TacAuditSkin skins[] = {{.vertices = balls, .vertex_count = 2, .radii = radii},
                            {.edges = wire, .edge_count = 1, .radius = 0.125}};
    TacAuditInput input = {.point_count = 4, .skins = skins, .skin_count = 2};
    audit = tac_audit_create(&input, NULL);
    double positions[12] = {0, 0, 0, 4, 0, 0, -9, 3, 0, 9, 3, 0};
    assert_int_equal(tac_audit_start(audit, 0, positions, NULL), TAC_OK);
    fly(audit, 1, 1, tac_vec3(0, 0, 0), false); // 4 - 4 t = 0.75
    fly(audit, 0, 1, tac_vec3(0, 0, 0), false);
    end(audit, 1);
    expect_one_at(audit, (4 - 0.75) / 4, 1e-6);
    audit = tac_audit_create(&input, NULL);
    assert_int_equal(tac_audit_start(audit, 0, positions, NULL), TAC_OK);
    fly(audit, 0, 1, tac_vec3(0, 3, 0), false); // 3 - 3 t = 0.625
    end(audit, 1);
    expect_one_at(audit, (3 - 0.625) / 3, 1e-6);
}

static bool only_itself(void *context, size_t skin, size_t other) {
    (void)context;
    return skin == other;
}

static void what_does_not_touch(void **state) {
    (void)state;
    // the vertex through a triangle of a skin that it does not touch
    TacAuditSkin skins[2] = {{.vertices = VERTEX, .vertex_count = 1},
                             {.triangles = TRIANGLE, .triangle_count = 1}};
    TacAuditInput input = {.point_count = 4, .skins = skins, .skin_count = 2, .touches = only_itself};
    TacAudit *audit = tac_audit_create(&input, NULL);
    double positions[12] = {0, 1, 0};
    memcpy(positions + 3, CORNERS, sizeof CORNERS);
    assert_int_equal(tac_audit_start(audit, 0, positions, NULL), TAC_OK);
    fly(audit, 0, 1, tac_vec3(0, -1, 0), false);
    end(audit, 1);
    assert_int_equal(tac_audit_report(audit)->pairs, 0);
    expect_clear(audit);
    // a corner of the triangle itself
    skins[0].vertices = TRIANGLE;
    input.touches = NULL;
    audit = tac_audit_create(&input, NULL);
    assert_int_equal(tac_audit_start(audit, 0, positions, NULL), TAC_OK);
    end(audit, 1);
    expect_clear(audit);
}

// Two triangles that intersect on a frame, a third that does not; and a wire through one.
static void frames(void **state) {
    (void)state;
    const int32_t triangles[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, wire[] = {9, 10};
    TacAuditSkin skins[] = {{.triangles = triangles, .triangle_count = 3}, {.edges = wire, .edge_count = 1}};
    TacAuditInput input = {.point_count = 11, .skins = skins, .skin_count = 2};
    TacAudit *audit = tac_audit_create(&input, NULL);
    const double positions[] = {-1, 0, -1, 1, 0, -1, 0, 0, 1, 0, -1, 0,   0,   1,  0,   0,  1,
                                5,  9, 0,  0, 9, 1,  0, 9, 0, 1, 8,  0.2, 0.2, 10, 0.2, 0.2};
    assert_int_equal(tac_audit_frame(audit, 3, positions, NULL), TAC_OK);
    const TacAuditReport *report = tac_audit_report(audit);
    assert_int_equal(report->violations, 2);
    assert_true(report->first[0].on_frame && report->first[0].t0 == 3);
    assert_int_equal(report->first[0].first.element + report->first[0].second.element, 1);
    assert_int_equal(report->first[1].first.kind, TAC_AUDIT_EDGE);
    assert_int_equal(report->first[1].second.element, 2);
    tac_audit_destroy(audit);

    // the same wire in the mesh: no triangle brings it
    const int32_t edges[] = {0, 1, 9, 10};
    TacAuditSkin whole = {.edges = edges, .edge_count = 2, .triangles = triangles, .triangle_count = 3};
    input = (TacAuditInput){.point_count = 11, .skins = &whole, .skin_count = 1};
    audit = tac_audit_create(&input, NULL);
    assert_int_equal(tac_audit_frame(audit, 3, positions, NULL), TAC_OK);
    report = tac_audit_report(audit);
    assert_int_equal(report->violations, 2);
    assert_true(report->first[0].first.kind == TAC_AUDIT_EDGE && report->first[0].first.element == 1);
    tac_audit_destroy(audit);
}

static void refusals(void **state) {
    (void)state;
    TacError error;
    TacAudit *audit = point_over_triangle(NO_GRAVITY, tac_vec3(0, 1, 0), 0);
    assert_int_equal(tac_audit_fly(audit, 4, 1, NO_GRAVITY, false, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_audit_fly(audit, 0, 1, tac_vec3(NAN, 0, 0), false, &error), TAC_FAILED);
    assert_int_equal(tac_audit_fly(audit, 0, 0, tac_vec3(0, 0.5, 0), false, &error), TAC_FAILED);
    assert_int_equal(tac_audit_fly(audit, 0, 0, tac_vec3(0, 1, 0), false, &error), TAC_OK);
    fly(audit, 0, 0.5, tac_vec3(0, 0.5, 0), false);
    assert_int_equal(tac_audit_window_end(audit, 1, &error), TAC_FAILED);
    assert_non_null(strstr(error.message, "point 0"));
    fly(audit, 0, 1, tac_vec3(0, 0.5, 0), false);
    end(audit, 1);
    assert_int_equal(tac_audit_window_end(audit, 0.5, &error), TAC_BAD_USAGE);
    expect_clear(audit);
    const int32_t wrong[] = {7};
    TacAuditSkin skin = {.vertices = wrong, .vertex_count = 1};
    TacAuditInput input = {.point_count = 4, .skins = &skin, .skin_count = 1};
    assert_null(tac_audit_create(&input, &error));
    skin = (TacAuditSkin){.vertices = VERTEX, .vertex_count = 1, .radius = -1};
    assert_null(tac_audit_create(&input, &error));
}

// --- random scenes ----------------------------------------------------------------------------------------

enum { TRIANGLES = 8, POINTS = 3 * TRIANGLES, BREAKS = 12 };

typedef struct Track {
    int count;
    double times[BREAKS + 2];
    TacVec3 places[BREAKS + 2];
} Track;

static void random_track(Track *track, TacRandom *random, TacVec3 place, double step) {
    track->count = 2 + (int)(tac_random_bits(random) % BREAKS);
    double sum = 0;
    TacVec3 speed = anywhere(random, step);
    for (int i = 0; i < track->count; i++) {
        track->times[i] = sum;
        track->places[i] = place;
        sum += tac_random_between(random, 0.05, 1);
        place = tac_add(tac_add(place, speed), anywhere(random, step));
    }
    double last = track->times[track->count - 1];
    for (int i = 0; i < track->count; i++)
        track->times[i] = i + 1 == track->count ? 1 : track->times[i] / last;
}

static TacVec3 track_place(const Track *track, double time) {
    int i = 0;
    while (i + 2 < track->count && track->times[i + 1] <= time) i++;
    if (time == track->times[i]) return track->places[i];
    if (time >= track->times[i + 1]) return track->places[i + 1];
    double part = (time - track->times[i]) / (track->times[i + 1] - track->times[i]);
    return tac_add(tac_scale(track->places[i], 1 - part), tac_scale(track->places[i + 1], part));
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// When two first meet: every piece between the breaks of the four, asked exactly. Infinite: never.
static double first_meeting(const Track *tracks, TacCcdPair pair, const int32_t points[4], double radii) {
    double times[4 * (BREAKS + 2)];
    size_t count = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < tracks[points[i]].count; k++) times[count++] = tracks[points[i]].times[k];
    qsort(times, count, sizeof *times, by_value);
    for (size_t k = 0; k + 1 < count; k++) {
        if (times[k] == times[k + 1]) continue;
        TacCcdInput input = tac_ccd_default_input(pair);
        for (int i = 0; i < 4; i++) {
            input.start[i] = track_place(&tracks[points[i]], times[k]);
            input.end[i] = track_place(&tracks[points[i]], times[k + 1]);
        }
        input.thickness = radii;
        TacCcdResult result;
        if (tac_ccd(&input, &result) != TAC_CCD_CLEAR)
            return times[k] + result.t0 * (times[k + 1] - times[k]);
    }
    return INFINITY;
}

static void random_scenes(void **state) {
    (void)state;
    TacRandom random = tac_random(21, 1);
    int32_t triangles[POINTS], edges[2 * POINTS], vertices[POINTS];
    for (int32_t i = 0; i < POINTS; i++) {
        triangles[i] = vertices[i] = edges[2 * i] = i;
        edges[2 * i + 1] = i % 3 == 2 ? i - 2 : i + 1;
    }
    long violating = 0, clear = 0;
    for (int scene = 0; scene < 150; scene++) {
        double radius = scene % 3 == 0 ? 0.01 : 0, step = scene % 5 == 0 ? 0.3 : 0.05;
        static Track tracks[POINTS];
        for (int i = 0; i < POINTS; i += 3) {
            TacVec3 middle = anywhere(&random, 1);
            for (int k = 0; k < 3; k++)
                random_track(&tracks[i + k], &random, tac_add(middle, anywhere(&random, 0.3)), step);
        }
        TacAuditSkin skin = {vertices, POINTS, edges, POINTS, triangles, TRIANGLES, NULL, radius};
        TacAuditInput input = {.point_count = POINTS, .skins = &skin, .skin_count = 1, .gravity = DOWN};
        TacAudit *audit = tac_audit_create(&input, NULL);
        double positions[3 * POINTS];
        for (int i = 0; i < POINTS; i++) tac_store3(positions + 3 * i, tracks[i].places[0]);
        assert_int_equal(tac_audit_start(audit, 0, positions, NULL), TAC_OK);
        for (int k = 1; k < BREAKS + 2; k++)
            for (int32_t i = 0; i < POINTS; i++)
                if (k < tracks[i].count) fly(audit, i, tracks[i].times[k], tracks[i].places[k], false);
        end(audit, 1);
        // the same by hand
        size_t expected = 0;
        double first = INFINITY;
        for (int32_t a = 0; a < POINTS; a++)
            for (int32_t b = 0; b < POINTS; b++) {
                if (a / 3 == b / 3) continue;
                const int32_t t = b - b % 3, face[4] = {a, t, t + 1, t + 2};
                const int32_t pair[4] = {edges[2 * a], edges[2 * a + 1], edges[2 * b], edges[2 * b + 1]};
                double when[2] = {INFINITY, INFINITY};
                if (b % 3 == 0) when[0] = first_meeting(tracks, TAC_CCD_POINT_TRIANGLE, face, 2 * radius);
                if (a < b) when[1] = first_meeting(tracks, TAC_CCD_EDGE_EDGE, pair, 2 * radius);
                for (int i = 0; i < 2; i++) {
                    expected += when[i] < INFINITY;
                    first = fmin(first, when[i]);
                }
            }
        const TacAuditReport *report = tac_audit_report(audit);
        if (report->violations != expected)
            fail_msg("scene %d: %zu violations, expected %zu", scene, report->violations, expected);
        if (expected) assert_true(fabs(report->first[0].t0 - first) < 1e-6);
        *(expected ? &violating : &clear) += 1;
        tac_audit_destroy(audit);
    }
    assert_true(violating > 20 && clear > 5);
}

// --- long paths -------------------------------------------------------------------------------------------

enum { LONGEST = 6000, LONG_ARCS = 5 };

// One point's path over the window from 0 to 1.
typedef struct LongPath {
    TacAuditBreak breaks[LONGEST + 1];
    TacAuditBlock blocks[LONGEST];
    TacAuditCurve arcs[LONG_ARCS];
    size_t first[2], first_block[2];
    TacAuditPaths paths;
} LongPath;

typedef enum LongKind { WALK, ZIGZAG, SWING, STONE, ARCS, MIXED, LONG_KINDS } LongKind;

static TacVec3 next_place(LongKind kind, size_t i, double time, TacVec3 last, TacRandom *random) {
    if (kind == ZIGZAG) return tac_vec3(time, i % 2 ? 0.01 : -0.01, 0);
    if (kind == SWING) return tac_vec3(cos(5 * time), sin(7 * time), time);
    if (kind == STONE) return tac_vec3(time, 3 * time - 5 * time * time, 2);
    return tac_add(last, anywhere(random, 0.01));
}

static void make_long_path(LongPath *path, LongKind kind, size_t pieces, TacRandom *random) {
    for (int i = 0; i < LONG_ARCS; i++)
        path->arcs[i] = (TacAuditCurve){.time = tac_random_unit(random),
                                        .centre = anywhere(random, 1),
                                        .velocity = anywhere(random, 3),
                                        .turning = anywhere(random, 30)};
    double sum = 0;
    for (size_t i = 0; i <= pieces; i++) {
        path->breaks[i] = (TacAuditBreak){.time = sum, .curve = -1};
        sum += exp(tac_random_between(random, -3, 3));
    }
    double last = path->breaks[pieces].time;
    for (size_t i = 0; i <= pieces; i++) {
        TacAuditBreak *b = &path->breaks[i];
        b->time = i == pieces ? 1 : b->time / last;
        b->place = next_place(kind, i, b->time, i ? b[-1].place : NO_GRAVITY, random);
        b->falls = kind == STONE || (kind >= ARCS && tac_random_bits(random) % 3 == 0);
        if (kind == ARCS || (kind == MIXED && tac_random_bits(random) % 2))
            b->curve = (int32_t)(tac_random_bits(random) % LONG_ARCS);
    }
    path->first[0] = path->first_block[0] = 0;
    path->first[1] = pieces + 1;
    path->first_block[1] = tac_audit_block_count(pieces);
    assert_true(path->first_block[1] <= LONGEST);
    path->paths = (TacAuditPaths){.gravity = DOWN,
                                  .end = 1,
                                  .first = path->first,
                                  .breaks = path->breaks,
                                  .curves = path->arcs,
                                  .first_block = path->first_block,
                                  .blocks = path->blocks};
    tac_audit_make_blocks(&path->paths, 0);
}

// From the line between two places that are passed at two times, [0] as it is, [1] seen by who falls.
static void off_line(double time, TacVec3 place, const double times[2], const TacVec3 ends[2],
                     double off[2]) {
    double part = (time - times[0]) / (times[1] - times[0]);
    TacVec3 line = tac_add(tac_scale(ends[0], 1 - part), tac_scale(ends[1], part));
    double fallen = 0.5 * (time - times[0]) * (time - times[1]);
    off[0] = tac_norm(tac_sub(place, line));
    off[1] = tac_norm(tac_sub(tac_axpy(place, -fallen, DOWN), line));
}

// By every break of the span, and every piece.
static void offsets_by_hand(const LongPath *path, const double times[2], const TacVec3 ends[2],
                            double offsets[2]) {
    double at_breaks[2] = {0, 0}, between[2] = {0, 0};
    for (const TacAuditBreak *b = path->breaks; b < path->breaks + path->first[1] - 1; b++) {
        double off[2] = {0, 0}, own = 0, length = fmin(b[1].time, times[1]) - fmax(b->time, times[0]);
        if (!(length > 0)) continue;
        if (b->time > times[0]) off_line(b->time, b->place, times, ends, off);
        if (b[1].curve >= 0) {
            const TacAuditCurve *arc = &path->arcs[b[1].curve];
            double since = b->time - arc->time;
            TacVec3 centre = tac_axpy(arc->centre, since, arc->velocity);
            if (b[1].falls) centre = tac_axpy(centre, 0.5 * since * since, DOWN);
            own = tac_dot(arc->turning, arc->turning) * tac_norm(tac_sub(b->place, centre));
        }
        for (int f = 0; f < 2; f++) {
            bool pulled = f == 0 ? b[1].falls : !b[1].falls;
            at_breaks[f] = fmax(at_breaks[f], off[f]);
            between[f] = fmax(between[f], (own + (pulled ? 10 : 0)) * length * length / 8);
        }
    }
    for (int f = 0; f < 2; f++) offsets[f] = at_breaks[f] + between[f];
}

// Half of the time at breaks, which is where spans begin and end most often.
static double some_time(const LongPath *path, TacRandom *random) {
    if (tac_random_bits(random) % 2) return tac_random_unit(random);
    return path->breaks[tac_random_bits(random) % path->first[1]].time;
}

static void check_span(const LongPath *path, LongKind kind, const double times[2], TacRandom *random) {
    const double rounding = 1e-14;
    size_t pieces = path->first[1] - 1;
    TacVec3 ends[2] = {tac_audit_place(&path->paths, 0, times[0]),
                       tac_audit_place(&path->paths, 0, times[1])};
    double bound[2], hand[2], off[2];
    size_t steps = tac_audit_offsets(&path->paths, 0, times[0], times[1], ends[0], ends[1], bound);
    offsets_by_hand(path, times, ends, hand);
    for (int f = 0; f < 2; f++)
        if (!(bound[f] >= hand[f] - rounding && bound[f] <= 3 * hand[f] + rounding))
            fail_msg("kind %d, %zu pieces, [%.17g, %.17g]: bound %.17g, by hand %.17g", (int)kind, pieces,
                     times[0], times[1], bound[f], hand[f]);
    for (int i = 0; i < 50; i++) {
        double time = tac_random_between(random, times[0], times[1]);
        off_line(time, tac_audit_place(&path->paths, 0, time), times, ends, off);
        for (int f = 0; f < 2; f++) assert_true(off[f] <= bound[f] + rounding);
    }
    // falling freely, in as many pieces as you like, is straight to who falls
    if (kind == STONE) assert_true(bound[1] <= rounding);
    assert_true((double)steps <= 20 + 3 * log2((double)pieces));
}

static void long_paths(void **state) {
    (void)state;
    static LongPath path;
    TacRandom random = tac_random(23, 1);
    for (int round = 0; round < 120; round++) {
        LongKind kind = (LongKind)(round % LONG_KINDS);
        size_t pieces = (size_t)exp(tac_random_between(&random, 0, log(LONGEST)));
        make_long_path(&path, kind, pieces, &random);
        for (int span = 0; span < 60; span++) {
            double a = some_time(&path, &random), b = some_time(&path, &random);
            const double times[2] = {fmin(a, b), fmax(a, b)};
            if (times[0] < times[1]) check_span(&path, kind, times, &random);
        }
        // over the whole window it is what every break says
        double hand[2];
        const TacVec3 ends[2] = {path.breaks[0].place, path.breaks[pieces].place};
        offsets_by_hand(&path, (double[]){0, 1}, ends, hand);
        TacAuditOffsets whole = tac_audit_whole(&path.paths, 0);
        for (int f = 0; f < 2; f++) assert_true(fabs(whole.offsets[f] - hand[f]) <= 1e-11 * (1 + hand[f]));
    }
}

// A point that comes down to a triangle on a zigzag of many pieces, and goes up again: its lowest break is that far above.
static TacAudit *zigzag_down_to(double lowest, int pieces, double aside) {
    TacAudit *audit = point_over_triangle(NO_GRAVITY, tac_vec3(aside, 0.3 + lowest, 0), 0);
    for (int i = 1; i <= pieces; i++) {
        double time = (double)i / pieces;
        fly(audit, 0, time, tac_vec3(i % 2 ? -aside : aside, fabs(time - 0.3) + lowest, 0), false);
    }
    end(audit, 1);
    return audit;
}

static void long_zigzags(void **state) {
    (void)state;
    for (int pieces = 1000; pieces < 20000; pieces += 3000) {
        expect_clear(zigzag_down_to(1e-9, pieces, 0.1));
        expect_one_at(zigzag_down_to(0, pieces, 0.1), 0.3, 1e-6);
        expect_one_at(zigzag_down_to(-1e-9, pieces, 0.1), 0.3 - 1e-9, 1e-9);
    }
    // finding the one piece of many that is near takes a halving more where there are twice as many, each a step or two more
    size_t steps[3];
    for (int i = 0; i < 3; i++) {
        int pieces = 1000 << (2 * i);
        TacAudit *audit = zigzag_down_to(1e-9, pieces, 3.0 / pieces);
        steps[i] = tac_audit_report(audit)->steps;
        expect_clear(audit);
    }
    assert_true(steps[0] > 100 && steps[2] < 2 * steps[0]);
}

// --- the grid ---------------------------------------------------------------------------------------------

enum { BOXES = 300 };

typedef struct Seen {
    bool pairs[BOXES][BOXES];
} Seen;

static TacStatus see(void *context, size_t first, size_t second, TacError *error) {
    Seen *seen = context;
    (void)error;
    assert_true(first < second && second < BOXES);
    assert_false(seen->pairs[first][second]);
    seen->pairs[first][second] = true;
    return TAC_OK;
}

static void grid_finds_all(void **state) {
    (void)state;
    TacRandom random = tac_random(22, 1);
    for (int scene = 0; scene < 60; scene++) {
        static TacAuditBox boxes[BOXES];
        static Seen seen;
        memset(&seen, 0, sizeof seen);
        for (int i = 0; i < BOXES; i++) {
            double size = scene % 4 == 0 ? 0 : tac_random_bits(&random) % 20 == 0 && scene % 4 == 1 ? 2 : 0.1;
            double flat = scene % 3 == 0 ? 0 : 1;
            for (int a = 0; a < 3; a++) {
                double low = tac_random_between(&random, -1, 1) * (a == 2 ? flat : 1);
                if (scene % 4 == 0) low = floor(4 * low);
                boxes[i].low[a] = low;
                boxes[i].high[a] = low + tac_random_between(&random, 0, size);
            }
        }
        assert_int_equal(tac_audit_near(boxes, BOXES, see, &seen, NULL), TAC_OK);
        for (int i = 0; i < BOXES; i++)
            for (int j = i + 1; j < BOXES; j++) {
                bool overlap = true;
                for (int a = 0; a < 3; a++)
                    overlap =
                        overlap && boxes[i].low[a] <= boxes[j].high[a] && boxes[j].low[a] <= boxes[i].high[a];
                assert_int_equal(seen.pairs[i][j], overlap);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_through), cmocka_unit_test(many_windows),
        cmocka_unit_test(edges_cross),      cmocka_unit_test(thrown_stone),
        cmocka_unit_test(wheels),           cmocka_unit_test(falling_arc),
        cmocka_unit_test(thick_things),     cmocka_unit_test(what_does_not_touch),
        cmocka_unit_test(frames),           cmocka_unit_test(refusals),
        cmocka_unit_test(random_scenes),    cmocka_unit_test(long_paths),
        cmocka_unit_test(long_zigzags),     cmocka_unit_test(grid_finds_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
