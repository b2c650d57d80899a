// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Bodies that spin fast. Their vertices fly arcs, which plans and courses must hold without becoming as wide as the bodies:
// so it is counted how often anybody looks. And whatever decides that changes nothing that happens.

#include "contact/safe_parts.h"
#include "safe_checks.h"
#include "world/world.h"

// Bricks in a row, that turn past each other but never touch: half a diagonal is 31 mm.
static const char *row_of(int count, double spin) {
    int at = snprintf(scene_text, sizeof scene_text,
                      "<tactus version='1' gravity='0 0 0'><Contact thickness='0.002'/>");
    for (int i = 0; i < count; i++)
        at +=
            snprintf(scene_text + at, sizeof scene_text - (size_t)at,
                     "<node name='n%d'><Frames positions='%g 0 0 %g 0.3 0.2 1' velocities='0 0 0 %g %g %g'/>"
                     "<UniformMass mass='0.08' box='0.05 0.02 0.03'/><node name='s'>"
                     "<Box low='-0.025 -0.01 -0.015' high='0.025 0.01 0.015'/><Points/><RigidMap/><Skin/>"
                     "</node></node>",
                     i, 0.075 * i, 0.3 * i, spin * cos(i), spin * sin(i), 0.5 * spin);
    snprintf(scene_text + at, sizeof scene_text - (size_t)at, "</tactus>");
    return scene_text;
}

static void test_spinning_alone_is_hardly_looked_at(void **state) {
    (void)state;
    enum { COUNT = 8 };
    const double spins[] = {50, 150, 400};
    for (size_t i = 0; i < sizeof spins / sizeof *spins; i++) {
        TacWorld *world = make_world(row_of(COUNT, spins[i]), 1);
        advance(world, 0.05);
        TacContactStats stats = tac_world_contact_stats(world);
        // in turns of a radian: each brick's eight vertices need some plans, and now and then one comes near
        double radians = spins[i] * 0.05 * COUNT * 8;
        assert_int_equal(stats.kicks, 0);
        assert_true((double)stats.looks < 2 * radians);
        assert_true((double)stats.plans < 1000 + 10 * radians);
        assert_true((double)stats.certificates < 2000 + 40 * radians);
        tac_world_destroy(world);
    }
}

// A wheel that is turned, bodies of several shapes that spin, and a floor: they meet within a few hundredths of a second.
static TacWorld *spinning(const char *contact, int threads) {
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1' dt='0.002'><Contact restitution='0.5' thickness='0.002' friction='0.3' %s/>"
        "<node name='floor'><Sheet divisions='2' width='0.5' depth='0.5'/><Points/><Skin/></node>"
        "<node name='wheel'><Frames positions='0.06 0.04 0 0 0 0 1'/>"
        "<ScriptedMotion times='0 0.4' rotations='0 0 0 0 0 3450' center='0.06 0.04 0'/><node name='s'>"
        "<Box low='-0.02 -0.02 -0.02' high='0.02 0.02 0.02'/><Points/><RigidMap/><Skin/></node></node>"
        "<node name='brick'><Frames positions='0 0.045 0.003 0.1 0.3 0.2 1' velocities='0.5 -2 0 90 150 "
        "-200'/>"
        "<UniformMass mass='0.08' box='0.05 0.02 0.03'/><node name='s'>"
        "<Box low='-0.025 -0.01 -0.015' high='0.025 0.01 0.015'/><Points/><RigidMap/><Skin/></node></node>"
        "<node name='ball'><Frames positions='0.05 0.1 0.004 0 0 0 1' velocities='0 -4 0 -300 20 100'/>"
        "<UniformMass mass='0.05' box='0.02 0.02 0.02'/><node name='s'>"
        "<Sphere subdivisions='1' radius='0.02'/><Points/><RigidMap/><Skin/></node></node>"
        "<node name='needle'><Frames positions='-0.06 0.07 0.01 0 0 0.2 1' velocities='1 -1 0 100 7 100'/>"
        "<UniformMass mass='0.02' box='0.08 0.004 0.006'/><node name='s'>"
        "<Box low='-0.04 -0.002 -0.003' high='0.04 0.002 0.003'/><Points/><RigidMap/><Skin/></node></node>"
        "</tactus>",
        contact);
    return make_world(scene_text, threads);
}

static const double END = 0.04;

static uint64_t final_hash(const char *contact, int threads) {
    TacWorld *world = spinning(contact, threads);
    advance(world, END);
    assert_true(tac_world_contact_stats(world).kicks > 1000);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_whoever_looks_the_same_happens(void **state) {
    (void)state;
    static const char *const ways[] = {"vagueness='0'", "vagueness='30'", "cone='true'",
                                       "cull='false'",  "tree='front'",   "k='26' vagueness='0' cone='true'"};
    uint64_t plain = final_hash("", 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (final_hash(ways[i], 1) != plain) fail_msg("%s changes the result", ways[i]);
    assert_true(final_hash("", 3) == plain);
}

static void test_nothing_passes_through(void **state) {
    (void)state;
    TacWorld *world = spinning("", 1);
    advance_audited(world, END);
    assert_true(tac_world_contact_stats(world).kicks > 1000);
    tac_world_destroy(world);
}

// Flights that were found before are not those of the time that is gone back to.
static void test_snapshots_continue_to_the_same_bits(void **state) {
    (void)state;
    expect_resumed(spinning("", 1), spinning("", 1), 0.0237, END, final_hash("", 1));
}

// Between instants every vertex is inside its plan's tube, and inside its course's.
static void expect_inside(const TacSafe *safe, TacTick now) {
    double span = (double)(safe->boxes_until - safe->boxes_from), s = (double)(now - safe->boxes_from) / span;
    for (uint32_t i = 0; i < safe->vertex_count; i++) {
        const TacSwept *course = &safe->courses[i];
        double x[3], u[3], c[3], cu[3], rho, off = 0, stray = 0;
        tac_safe_motion(safe, i, now, x, u);
        tac_plan_at(safe, i, now, c, cu, &rho);
        for (int k = 0; k < 3; k++) {
            double on = course->c[k] + s * (double)course->way[k];
            off = fmax(off, fabs(x[k] - c[k]));
            stray = fmax(stray, fabs(x[k] - on));
        }
        if (!(off <= rho * (1 + 1e-6) + 1e-12))
            fail_msg("vertex %u is %g m off a plan %g m wide", i, off, rho);
        if (!(stray <= (double)course->rho * (1 + 1e-6) + 1e-12))
            fail_msg("vertex %u is %g m off a course %g m wide", i, stray, (double)course->rho);
    }
}

static void test_what_turns_stays_in_its_tubes(void **state) {
    (void)state;
    static const char *const ways[] = {"", "vagueness='0'"};
    for (size_t i = 0; i < 2; i++) {
        TacWorld *world = spinning(ways[i], 1);
        for (double t = 0; t < END; t += 3.7e-5) {
            advance(world, 3.7e-5);
            expect_inside(world->safe, tac_world_tick(world));
        }
        tac_world_destroy(world);
    }
}

// A ball that rattles in a hollow one, which lies on the floor.
static TacWorld *rattle(int subdivisions, const char *contact) {
    snprintf(scene_text, sizeof scene_text,
             "<tactus version='1'><Contact restitution='0.3' thickness='0.001' %s/>"
             "<node name='floor'><Sheet divisions='1' width='2' depth='2'/><Points/><Skin/></node>"
             "<node name='out'><Frames positions='0 0.302 0 0 0 0 1' velocities='0 0 0 1 0 2'/>"
             "<UniformMass mass='1' box='0.4 0.4 0.4'/><node name='s'>"
             "<Sphere subdivisions='%d' radius='0.3'/><Points/><RigidMap/><Skin/></node></node>"
             "<node name='in'><Frames positions='0 0.302 0 0 0 0 1' velocities='9 2 1 0 3 0'/>"
             "<UniformMass mass='0.3' box='0.3 0.3 0.3'/><node name='s'>"
             "<Sphere subdivisions='%d' radius='0.2'/><Points/><RigidMap/><Skin/></node></node></tactus>",
             contact, subdivisions, subdivisions);
    return make_world(scene_text, 1);
}

// A body is asked, not each of its vertices: those are gone through only when it has used up its room.
static void test_kicks_are_not_asked_of_all_vertices(void **state) {
    (void)state;
    TacWorld *world = rattle(4, "");
    double each = (double)world->safe->vertex_count / 2;
    advance(world, 0.3);
    TacContactStats stats = tac_world_contact_stats(world);
    print_message("%.0f kicks on bodies of %.0f vertices: %.0f checks\n", (double)stats.kicks, each,
                  (double)stats.checks);
    assert_true(stats.kicks > 1000);
    assert_true((double)stats.checks < 0.05 * (double)stats.kicks * each);
    tac_world_destroy(world);
}

static void test_what_rattles_stays_in_its_tubes(void **state) {
    (void)state;
    static const char *const ways[] = {"", "vagueness='100'"};
    for (size_t i = 0; i < 2; i++) {
        TacWorld *world = rattle(2, ways[i]);
        for (double t = 0; t < 0.06; t += 3.7e-5) {
            advance(world, 3.7e-5);
            expect_inside(world->safe, tac_world_tick(world));
        }
        tac_world_destroy(world);
    }
}

// Where a body has turned to depends on time without a jump, however many passes that takes.
static void test_turning_has_no_jumps(void **state) {
    (void)state;
    const TacInertia inertia = {.moments = {1, 1.6, 2.2}, .axes = {0, 0, 0, 1}};
    const TacQuat start = {0.1, 0.7, 0.1, 0.7};
    const TacVec3 spin = {3, -40, 45};
    TacQuat last = tac_quat_unit(start);
    // no faster than its energy lets it turn about the axis of least inertia
    double energy = 0.5 * tac_dot(spin, tac_inertia_apply(&inertia, last, spin)), fastest = sqrt(2 * energy);
    const double step = 1e-6;
    for (double h = 0; h < 0.03; h += step) {
        TacQuat q = tac_quat_unit(start);
        TacVec3 omega = spin;
        tac_rotate_freely(&inertia, h, &q, &omega);
        double turned = 2 * sqrt((q.x - last.x) * (q.x - last.x) + (q.y - last.y) * (q.y - last.y) +
                                 (q.z - last.z) * (q.z - last.z) + (q.w - last.w) * (q.w - last.w));
        if (!(turned <= 1.01 * fastest * step + 1e-12)) fail_msg("at %g s it jumps by %g radians", h, turned);
        last = q;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turning_has_no_jumps),
        cmocka_unit_test(test_spinning_alone_is_hardly_looked_at),
        cmocka_unit_test(test_what_turns_stays_in_its_tubes),
        cmocka_unit_test(test_kicks_are_not_asked_of_all_vertices),
        cmocka_unit_test(test_what_rattles_stays_in_its_tubes),
        cmocka_unit_test(test_whoever_looks_the_same_happens),
        cmocka_unit_test(test_nothing_passes_through),
        cmocka_unit_test(test_snapshots_continue_to_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
