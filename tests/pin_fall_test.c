// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pins on matter that falls by itself: it stands still while it is pinned, whoever looks and whenever, in worlds with safe
// contact and without; and it falls from rest when it is let go.

#define _GNU_SOURCE
#include "world_fixture.h"

#define FLOOR                                                                                                \
    "<node name='floor'><Sheet divisions='1' width='4' depth='4'/><Points/><FixedPoints points='0-3'/>"      \
    "<Skin/></node>"
#define BODY(name, place)                                                                                    \
    "<node name='" name "'><Frames positions='" place "' velocities='0.1 -0.5 0 1 2 0.3'/>"                  \
    "<UniformMass mass='0.3' box='0.1 0.12 0.15'/><node name='s'><Box low='-0.06 -0.06 -0.06' "              \
    "high='0.06 0.06 0.06'/><Points/><RigidMap/><Skin/></node></node>"
// Free balls, bodies, a sheet that rides on points, and a chain that an explicit agent owns; others fall on what is pinned.
#define ALL                                                                                                  \
    "<node name='balls'><Points positions='0 0.5 0 0.01 0.9 0 0.3 1 0' velocities='0.2 -1 0'/>"              \
    "<UniformMass mass='0.02'/><Balls radius='0.03'/></node>" BODY("low", "0.8 0.4 0 0 0 0 1")               \
        BODY("high",                                                                                         \
             "0.83 0.7 0.01 0 0 0 1") "<node name='ridden'><Grid counts='2 2 2' low='-0.8 0.5 0' "           \
                                      "high='-0.6 0.7 0.2' split='true'/>"                                   \
                                      "<Points/><UniformMass total='0.4'/><node name='s'><Box low='-0.75 "   \
                                      "0.55 0.05' high='-0.65 0.65 "                                         \
                                      "0.15'/><Points/><BarycentricMap/><Skin self='false'/></node></node>"  \
                                      "<node name='chain'><SymplecticEuler step='0.00125'/><Points "         \
                                      "positions='0 0.3 0.6 0.07 0.3 0.6 "                                   \
                                      "0.14 0.3 0.6'/><UniformMass mass='0.02'/><Springs pairs='0 1 1 2' "   \
                                      "stiffness='20'/>"                                                     \
                                      "<Balls radius='0.03'/></node>"
#define SAFE(how, content)                                                                                   \
    "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.006' " how "/>" FLOOR content         \
    "</tactus>"

static const char *const ways[] = {SAFE("", ALL), SAFE("vagueness='0.3'", ALL), SAFE("vagueness='10'", ALL),
                                   SAFE("vagueness='0'", ALL), SAFE("cone='true' k='14'", ALL)};
enum { WAYS = sizeof ways / sizeof ways[0] };

typedef struct Pin {
    const char *path;
    size_t point, size; // of a point's positions
} Pin;

static const Pin pins[] = {{"/balls/points", 0, 3},
                           {"/low/frames", 0, 7},
                           {"/ridden/points", 1, 3},
                           {"/ridden/points", 6, 3},
                           {"/chain/points", 0, 3}};
enum { PINS = sizeof pins / sizeof pins[0] };

static void set_pins(TacWorld *world, bool on) {
    TacError error = {0};
    for (size_t i = 0; i < PINS; i++) {
        TacComponentId id = tac_world_find(world, pins[i].path);
        TacStatus status = on ? tac_world_pin(world, id, pins[i].point, &error)
                              : tac_world_unpin(world, id, pins[i].point, &error);
        if (status != TAC_OK) fail_msg("%s", error.message);
    }
}

static void note_places(TacWorld *world, double places[PINS][7]) {
    for (size_t i = 0; i < PINS; i++)
        memcpy(places[i], positions(world, pins[i].path) + pins[i].size * pins[i].point,
               pins[i].size * sizeof(double));
}

static void check_places(TacWorld *world, double places[PINS][7]) {
    double now[PINS][7];
    note_places(world, now);
    for (size_t i = 0; i < PINS; i++)
        if (memcmp(now[i], places[i], pins[i].size * sizeof(double)))
            fail_msg("%s %zu has moved by %g", pins[i].path, pins[i].point, now[i][1] - places[i][1]);
}

static void check_audit(TacWorld *world) {
    TacAuditSummary audit = tac_world_audit_summary(world);
    assert_true(audit.audited && audit.violations == 0);
}

// Falls, is pinned in the middle of a beat, is let go in the middle of another. With `resumes`, each time goes on in a fresh
// world. The audit's answer is asked for at the end, and the hash.
static uint64_t pinned_run(const char *text, bool resumes, bool audited) {
    TacWorld *world = world_on(1, text);
    TacError error;
    double places[PINS][7];
    if (audited) assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    advance(world, 0.0537);
    set_pins(world, true);
    note_places(world, places);
    for (int i = 0; i < 40; i++) {
        advance(world, 0.0071);
        check_places(world, places);
        if (!resumes || i % 13 != 5) continue;
        TacWorld *fresh = world_on(1, text);
        hand_over(world, fresh);
        tac_world_destroy(world);
        world = fresh;
    }
    set_pins(world, false);
    advance(world, 0.2);
    if (audited) check_audit(world);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_the_same_whoever_looks(void **state) {
    (void)state;
    uint64_t hash = pinned_run(ways[0], false, false);
    for (size_t i = 1; i < WAYS; i++) assert_true(pinned_run(ways[i], false, false) == hash);
}

static void test_the_same_after_a_resume(void **state) {
    (void)state;
    assert_true(pinned_run(ways[0], true, false) == pinned_run(ways[0], false, false));
}

static void test_nothing_passes_through_what_is_pinned(void **state) {
    (void)state;
    assert_true(pinned_run(ways[0], false, true) == pinned_run(ways[2], false, true));
}

// All fall alike, and fast, until one is pinned in the middle of a window: nothing that was promised of others holds any more.
static void test_one_of_many_that_fall_alike(void **state) {
    (void)state;
    static const char *const how[] = {"vagueness='0'", "vagueness='0.3'", "", "vagueness='10'"};
    uint64_t hash = 0;
    for (size_t i = 0; i < 4; i++) {
        TacWorld *world = make_world(
            "<tactus version='1' dt='0.02' gravity='0 -2000 0'><Contact method='safe' thickness='0.0005' "
            "restitution='0.5' %s/><node name='n'><Points positions='0 0 0 0.001 0.021 0 0 0.06 0.002 0.001 "
            "0.1 0 0 0.15 0.001 0 0.3 0'/><UniformMass mass='0.1'/><Balls radius='0.01'/></node></tactus>",
            how[i]);
        TacError error;
        TacComponentId id = tac_world_find(world, "/n/points");
        assert_int_equal(tac_world_audit(world, &error), TAC_OK);
        for (int k = 0; k < 4; k++) {
            advance(world, 0.00173);
            assert_int_equal(tac_world_pin(world, id, 0, &error), TAC_OK);
            advance(world, 0.0131);
            assert_int_equal(tac_world_unpin(world, id, 0, &error), TAC_OK);
        }
        advance(world, 0.02);
        check_audit(world);
        if (i == 0) hash = tac_world_hash(world);
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
}

// Pairs of balls that all fall alike; then the upper ones are pinned, and each lower one turns back, thrown, just before or
// after its layers feel the upper one. How they bend matters now, and did not when they were planned.
static void test_throws_at_what_was_pinned_just_now(void **state) {
    (void)state;
    enum { PAIRS = 30 };
    static const char *const how[] = {"vagueness='0'", "vagueness='0.3'", "", "vagueness='10'"};
    uint64_t hash = 0;
    for (size_t i = 0; i < 4; i++) {
        char x[100 * PAIRS] = "", v[100 * PAIRS] = "";
        for (int k = 0; k < PAIRS; k++) {
            double gap = 0.0004 + 2e-5 * k, begin = 0.001 * 3;
            sprintf(x + strlen(x), "%g 0 0 %g %.17g 0 ", 0.1 * k, 0.1 * k, 0.02 + begin + gap);
            strcat(v, "0 3 0 0 0 0 ");
        }
        TacWorld *world = make_world(
            "<tactus version='1' dt='0.02' gravity='0 -2000 0'><Contact method='safe' thickness='0.0005' "
            "%s/><node name='n'><Points positions='%s' velocities='%s'/><UniformMass mass='0.1'/><Balls "
            "radius='0.01'/></node></tactus>",
            how[i], x, v);
        TacError error;
        advance(world, 0.001);
        for (size_t k = 0; k < PAIRS; k++)
            assert_int_equal(tac_world_pin(world, tac_world_find(world, "/n/points"), 2 * k + 1, &error),
                             TAC_OK);
        advance(world, 0.003);
        if (i == 0) hash = tac_world_hash(world);
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
}

// Pins come and go with the time that is gone back to.
static void test_going_back(void **state) {
    (void)state;
    TacWorld *world = world_on(1, ways[0]), *before = world_on(1, ways[0]), *pinned = world_on(1, ways[0]);
    advance(world, 0.0537);
    hand_over(world, before);
    set_pins(world, true);
    advance(world, 0.01);
    hand_over(world, pinned);
    advance(world, 0.15);
    uint64_t hash = tac_world_hash(world);
    TacWorld *plain = world_on(1, ways[0]);
    hand_over(before, world); // to before there were pins
    hand_over(before, plain);
    assert_true(hash_after(world, 0.2) == hash_after(plain, 0.2));
    hand_over(pinned, before); // and to when there were
    assert_true(hash_after(before, 0.15) == hash);
    tac_world_destroy(pinned);
}

// --- the fall -------------------------------------------------------------------------------------------------

#define ALONE                                                                                                \
    "<node name='p'><Points positions='0 3 0 1 3 0' velocities='0 1 0 0 1 0'/><UniformMass mass='2'/>%s"     \
    "</node><node name='f'><Frames positions='0 3 2 0 0 0 1' velocities='0 1 0 0 0 3'/><UniformMass "        \
    "mass='3' box='0.1 0.2 0.3'/></node>"

static const char *const worlds[] = {
    "<tactus version='1' dt='0.01'>%s</tactus>",
    "<tactus version='1' dt='0.01' scheduler='loose'>%s</tactus>",
    "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.006'/>" FLOOR "%s</tactus>"};

static TacWorld *alone(size_t i) {
    char content[2048];
    snprintf(content, sizeof content, ALONE, i == 2 ? "<Balls radius='0.03'/>" : "");
    return make_world(worlds[i], content);
}

// Balanced, and on the law of falling, with pins that are set and taken away in the middle of beats.
static void test_it_falls_from_rest(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        TacWorld *world = alone(i);
        TacError error;
        TacComponentId p = tac_world_find(world, "/p/points"), f = tac_world_find(world, "/f/frames");
        // under the loose scheduler matter is seen at its own time: at beats
        double first = i == 1 ? 0.03 : 0.033, step = i == 1 ? 0.01 : 0.0037, last = i == 1 ? 0.13 : 0.1273;
        tac_world_keep_accounts(world, &error);
        advance(world, first);
        double y = 3 + first - 0.5 * 9.81 * first * first;
        assert_int_equal(tac_world_pin(world, p, 0, &error), TAC_OK);
        assert_int_equal(tac_world_pin(world, f, 0, &error), TAC_OK);
        for (int k = 0; k < 20; k++) {
            advance(world, step);
            near(positions(world, "/p/points")[1], y, 1e-12);
            near(positions(world, "/f/frames")[1], y, 1e-12);
            near(velocities(world, "/p/points")[1], 0, 0);
            near(velocities(world, "/f/frames")[1], 0, 0);
        }
        assert_int_equal(tac_world_unpin(world, p, 0, &error), TAC_OK);
        assert_int_equal(tac_world_unpin(world, f, 0, &error), TAC_OK);
        advance(world, last);
        double fallen = 0.5 * 9.81 * last * last, t = first + 20 * step + last;
        near(positions(world, "/p/points")[1], y - fallen, 1e-10);
        near(positions(world, "/f/frames")[1], y - fallen, 1e-10);
        near(positions(world, "/p/points")[4], 3 + t - 0.5 * 9.81 * t * t, 1e-10); // that was not pinned
        size_t count;
        TacAccountSum sum = tac_world_accounts(world, NULL, 0, &count);
        near(sum.unaccounted, 0, 1e-10);
        near(tac_norm(sum.linear_unaccounted), 0, 1e-10);
        tac_world_destroy(world);
    }
}

// Frames that fly eight at a time.
static void test_one_of_many_frames(void **state) {
    (void)state;
    TacWorld *world = world_on(
        1,
        "<tactus version='1' dt='0.01'><node name='f'><Frames positions='0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 "
        "0 0 0 1 3 0 0 0 0 0 1 4 0 0 0 0 0 1 5 0 0 0 0 0 1 6 0 0 0 0 0 1 7 0 0 0 0 0 1 8 0 0 0 0 0 "
        "1'/><UniformMass mass='3' box='0.1 0.1 0.1'/></node></tactus>");
    TacError error;
    assert_int_equal(tac_world_pin(world, tac_world_find(world, "/f/frames"), 3, &error), TAC_OK);
    advance(world, 0.1037);
    for (size_t i = 0; i < 9; i++)
        near(positions(world, "/f/frames")[7 * i + 1], i == 3 ? 0 : -0.5 * 9.81 * 0.1037 * 0.1037, 1e-12);
    tac_world_destroy(world);
}

// A state that is set does not move what is pinned, not even until the next instant.
static void test_a_state_that_is_set(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        TacWorld *world = alone(i);
        TacError error;
        TacComponentId p = tac_world_find(world, "/p/points");
        advance(world, 0.033);
        assert_int_equal(tac_world_pin(world, p, 0, &error), TAC_OK);
        double x[6], v[6] = {1, 1, 1, 0.5, 0, 0};
        memcpy(x, positions(world, "/p/points"), sizeof x);
        advance(world, 0.0037);
        assert_memory_equal(positions(world, "/p/points"), x, 3 * sizeof *x);
        assert_int_equal(tac_world_set_state(world, p, NULL, v, &error), TAC_OK);
        for (int k = 1; k < 20; k++) {
            advance(world, 0.0011 * k);
            assert_memory_equal(positions(world, "/p/points"), x, 3 * sizeof *x);
        }
        assert_true(positions(world, "/p/points")[3] > x[3]);
        tac_world_destroy(world);
    }
}

// An edge at its limit whose one end is pinned swings, and its length keeps to the limit: its certificates know that only one
// end falls.
static void test_edges_at_their_limits(void **state) {
    (void)state;
    static const char *const how[] = {"", "vagueness='0.3'", "vagueness='10'"};
    uint64_t hash = 0;
    for (size_t i = 0; i < 3; i++) {
        TacWorld *world = make_world(
            "<tactus version='1' dt='0.1' gravity='0 -2000 0'><Contact method='safe' thickness='0.006' "
            "%s/>" FLOOR
            "<node name='n'><Points positions='0 1 0 0.1 1 0'/><UniformMass mass='0.1'/><EdgeLimit "
            "pairs='0 1' strain='0.05' speed='30'/><Balls radius='0.01'/></node></tactus>",
            how[i]);
        TacError error;
        advance(world, 0.0137);
        assert_int_equal(tac_world_pin(world, tac_world_find(world, "/n/points"), 0, &error), TAC_OK);
        for (int k = 0; k < 60; k++) {
            advance(world, 0.0073);
            const double *x = positions(world, "/n/points");
            double length = tac_norm(tac_sub(tac_load3(x + 3), tac_load3(x)));
            if (!(length < 0.105 && length > 0.095)) fail_msg("an edge of 0.1 m is %g m long", length);
        }
        if (i == 0) hash = tac_world_hash(world);
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_whoever_looks),
        cmocka_unit_test(test_the_same_after_a_resume),
        cmocka_unit_test(test_nothing_passes_through_what_is_pinned),
        cmocka_unit_test(test_one_of_many_that_fall_alike),
        cmocka_unit_test(test_throws_at_what_was_pinned_just_now),
        cmocka_unit_test(test_going_back),
        cmocka_unit_test(test_it_falls_from_rest),
        cmocka_unit_test(test_one_of_many_frames),
        cmocka_unit_test(test_a_state_that_is_set),
        cmocka_unit_test(test_edges_at_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
