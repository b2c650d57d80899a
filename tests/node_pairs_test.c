// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wires in worlds of safe contact that meet some bodies by contact nodes and all others by layers: they move as closed forms
// and worlds without contact say; nothing meets, by the audit, which looks at lines over nodes, too; nothing that decides when
// to look, no number of threads and no snapshot changes a bit; and what cannot be followed is refused.

#include "safe_checks.h"

#include "base/random.h"
#include "contact/audit.h"
#include "contact/line_sweep.h"

enum { LEVEL = 0, POSTPONED = 9 };

static double resolution(TacWorld *world, size_t index) {
    TacReals list = tac_world_reals(world, tac_world_find(world, "/rig/wire/wire"), "resolution");
    assert_true(index < list.count);
    return list.data[index];
}

// Two loads over a wheel of radius 0.31 that turns freely, with a skin of the radius `skin`; `more` is in the world, too.
static const char *over_wheel(const char *contact, double first, double second, const char *wire, double skin,
                              const char *more) {
    bool touching = contact != NULL;
    char shape[256] = "", own[64] = "";
    if (touching)
        snprintf(shape, sizeof shape,
                 "<node name='shape'><Cylinder radius='%g' height='0.2' sides='24' rotation='90 0 0' "
                 "/><Points/><RigidMap/><Skin/></node>",
                 skin);
    if (touching) snprintf(own, sizeof own, "<Skin radius='0.01'/>");
    char setting[160] = "";
    if (touching)
        snprintf(setting, sizeof setting,
                 "<Contact thickness='0.01' friction='0.2' restitution='0.2' speed='2' %s/>", contact);
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1' dt='0.01'>%s<node name='rig'><Spook step='0.0025'/><node name='wheel'><Frames/>"
        "<UniformMass mass='5' inertia='0.2 0.2 0.2'/><HingeJoint/>%s</node><node name='loads'><Frames "
        "positions='-0.31 -2 0 0 0 0 1 0.31 -2 0 0 0 0 1'/><DiagonalMass masses='%g %g' box='0.2 0.2 "
        "0.2'/></node>"
        "<node name='wire'><Line divisions='32' from='-0.31 -2 0' to='0.31 -2 0'/><Points/><Wire mass='1' "
        "start='@../loads/frames' end='@../loads/frames' end_point='1' wheels='@../wheel/frames' "
        "wheel_points='0' radii='0.31' senses='-1' friction='1' %s/>%s</node></node>%s</tactus>",
        setting, shape, first, second, wire, own, more);
    return scene_text;
}

#define BALL(speed)                                                                                          \
    "<node name='ball'><Frames positions='-1.1 -1.2 0 0 0 0 1' velocities='" speed                           \
    " 1 0 0 0 0'/><UniformMass mass='1' "                                                                    \
    "box='0.2 0.2 0.2'/><node name='shape'><Sphere radius='0.15' "                                           \
    "subdivisions='1'/><Points/><RigidMap/><Skin/></node>"                                                   \
    "</node>"

// --- motion --------------------------------------------------------------------------------------------------------

static double fall_of(const char *text, double seconds) {
    TacWorld *world = make_world(text, 1);
    advance(world, seconds);
    double y = places(world, "/rig/loads/frames")[1];
    tac_world_destroy(world);
    return -2 - y;
}

// Atwood's machine: both loads, the wire and the wheel are moved by the difference of the weights.
static void test_loads_over_a_wheel_fall_as_they_should(void **state) {
    (void)state;
    static const double loads[][2] = {{3, 2}, {30, 20}, {5, 4.5}};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        double a = loads[i][0], b = loads[i][1], t = 0.4;
        double moved = a + b + 1 + 0.2 / (0.31 * 0.31);
        double expected = 0.5 * (a - b) * 9.81 / moved * t * t;
        double safe = fall_of(over_wheel("", a, b, "", 0.3, ""), t),
               plain = fall_of(over_wheel(NULL, a, b, "", 0.3, ""), t);
        if (fabs(safe - expected) > 0.02 * expected) fail_msg("%g m, not %g m", safe, expected);
        if (fabs(safe - plain) > 1e-3 * expected) fail_msg("%g m, without contact %g m", safe, plain);
    }
}

// What flies against the wire bounces off by layers, at every level, and never through; the wheel is met by nodes.
static void test_a_ball_bounces_off_a_wire_over_a_wheel(void **state) {
    (void)state;
    static const char *const wires[] = {"", "lowest='-1'", "finest='2'", "transition='document'"};
    for (size_t i = 0; i < sizeof wires / sizeof *wires; i++) {
        TacWorld *world = make_world(over_wheel("", 30, 30, wires[i], 0.3, BALL("4")), 1);
        advance_audited(world, 0.5);
        assert_true(tac_world_contact_stats(world).kicks > 100);
        assert_true(speeds(world, "/ball/frames")[0] < 1);
        tac_world_destroy(world);
    }
}

// Without masses it would feel nothing of what touches it.
static void test_a_massless_cable_that_is_touched_has_masses(void **state) {
    (void)state;
    TacWorld *world = make_world(over_wheel("", 6e4, 6e4, "lowest='-1' level='-1'", 0.3, BALL("4")), 1);
    bool was_massless = false, had_masses = false;
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    for (int i = 0; i < 60; i++) {
        uint64_t before = tac_world_contact_stats(world).kicks;
        advance(world, 0.01);
        bool touched = tac_world_contact_stats(world).kicks > before + 10;
        was_massless = was_massless || (!had_masses && resolution(world, LEVEL) == -1);
        had_masses = had_masses || (touched && resolution(world, LEVEL) >= 0);
    }
    assert_true(was_massless && had_masses);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

// A wire that cannot coarsen, because it is touched, under a load for which it is too fine: nothing swings up.
static void test_what_is_held_back_does_not_swing_up(void **state) {
    (void)state;
    static const double loads[] = {20, 100, 300};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        TacWorld *world = MAKE("<tactus version='1' dt='0.01'><Contact thickness='0.01' friction='0.2' "
                               "restitution='0.2' speed='2'/><node "
                               "name='rig'><Spook step='0.0025'/><node name='load'><Frames positions='-0.3 "
                               "-2 0 0 0 0 1'/><UniformMass "
                               "mass='%g' box='0.2 0.2 0.2'/></node><node name='wire'><Line divisions='32' "
                               "from='-0.3 0 0' to='-0.3 -2 "
                               "0'/><Points/><Wire mass='0.5' "
                               "end='@../load/frames'/><FixedPoints points='0'/><Skin "
                               "radius='0.01'/></node></node>" BALL("3") "</tactus>",
                               loads[i]);
        TacEnergy start = tac_world_energy(world);
        advance_audited(world, 0.6);
        double gain = tac_world_energy(world).total - start.total;
        if (gain > 3) fail_msg("%g kg: %g J came from nowhere", loads[i], gain);
        tac_world_destroy(world);
    }
}

// --- faces ---------------------------------------------------------------------------------------------------------

// A slack wire comes down on a box that it meets by nodes, and lies on it.
static void test_masses_lie_on_faces(void **state) {
    (void)state;
    static const char *const levels[] = {"lowest='5'", "", "lowest='2' finest='3'"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        TacWorld *world =
            MAKE("<tactus version='1' dt='0.005'><node name='rig'><Spook/><node name='box'><Box low='-1 -0.3 "
                 "-1' high='1 0 "
                 "1'/><Frames/><UniformMass mass='9'/><FixedPoints points='0'/></node><node "
                 "name='wire'><Line divisions='32' "
                 "from='-0.8 0.5 0.1' to='0.8 0.5 0.2'/><Points/><Wire mass='1' %s bodies='@../box/frames' "
                 "body_mesh='@../box/box'/></node></node></tactus>",
                 levels[i]);
        for (int k = 0; k < 30; k++) {
            advance(world, 0.05);
            const double *x = places(world, "/rig/wire/points");
            for (size_t p = 0; p < 33; p++)
                if (x[3 * p + 1] < -1e-3)
                    fail_msg("point %zu is %g m deep at %g s", p, -x[3 * p + 1], 0.05 * (k + 1));
        }
        assert_true(places(world, "/rig/wire/points")[3 * 16 + 1] < 0.01);
        tac_world_destroy(world);
    }
}

// A slack wire falls beside the wheel over which it goes, and onto it: none of it comes to be inside, in safe worlds and others.
static void test_slack_wires_stay_out_of_wheels(void **state) {
    (void)state;
    static const char *const shapes[] = {"cylinder", "sphere"};
    for (int trial = 0; trial < 8; trial++) {
        const double r = 0.3, mu = trial & 2 ? 0.4 : 0;
        TacWorld *world =
            MAKE("<tactus version='1' dt='0.0025'><node name='rig'><Spook/><node "
                 "name='wheel'><Frames/><UniformMass "
                 "mass='5'/><FixedPoints points='0'/></node><node name='loads'><Frames positions='-0.3 -1 0 "
                 "0 0 0 1 "
                 "0.3 -1 0 0 0 0 1' velocities='2 4 0 0 0 0 -2 %g 0 0 0 0'/><UniformMass mass='2' box='0.1 "
                 "0.1 0.1'/>"
                 "</node><node name='wire'><Line divisions='16' from='-0.3 -1 0' to='0.3 -1 "
                 "0'/><Points/><Wire mass='1' "
                 "lowest='%d' start='@../loads/frames' end='@../loads/frames' end_point='1' "
                 "wheels='@../wheel/frames' "
                 "wheel_points='0' radii='%g' senses='-1' friction='%g' shape='%s'/></node></node></tactus>",
                 trial & 4 ? 4.0 : 2.0, trial & 4 ? 4 : 2, r, mu, shapes[trial & 1]);
        for (int k = 0; k < 240; k++) {
            advance(world, 0.0025);
            const double *x = places(world, "/rig/wire/points");
            for (size_t i = 1; i < 16; i++) {
                double far = hypot(x[3 * i], x[3 * i + 1]);
                if (far < 0.95 * r)
                    fail_msg("trial %d: point %zu is %g m deep at %g s", trial, i, r - far, 0.0025 * k);
            }
        }
        tac_world_destroy(world);
    }
}

// Loads and a heavy wire run over a wheel on which it does not slide: whatever level it begins at, and while masses come and go
// beside the wheel, energy is that of the line as it lies, and stays.
static void test_levels_over_nodes_keep_energy(void **state) {
    (void)state;
    for (int level = 0; level <= 4; level++) {
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.005'><node name='rig'><Spook/><node "
            "name='wheel'><Frames/><UniformMass mass='5' "
            "inertia='0.2 0.2 0.2'/><HingeJoint/></node><node name='loads'><Frames positions='-0.3 -2 0 0 0 "
            "0 1 0.3 "
            "-1.5 0 0 0 0 1'/><DiagonalMass masses='3 2' box='0.2 0.2 0.2'/></node><node name='wire'><Line "
            "divisions='16' from='-0.3 -2 0' to='0.3 -1.5 0'/><Points/><Wire mass='4' level='%d' "
            "start='@../loads/frames' end='@../loads/frames' end_point='1' wheels='@../wheel/frames' "
            "wheel_points='0' radii='0.3' senses='-1' friction='3'/></node></node></tactus>",
            level);
        double start = tac_world_energy(world).total;
        for (int k = 0; k < 80; k++) {
            advance(world, 0.005);
            double off = tac_world_energy(world).total - start;
            if (fabs(off) > 0.02) fail_msg("from level %d: %g J at %g s", level, off, 0.005 * (k + 1));
        }
        assert_true(tac_world_energy(world).kinetic > 1);
        tac_world_destroy(world);
    }
}

// A line that jumps up to ten metres a step is caught by a ball of 80 faces, however that is turned, at every level: its points lie
// on the way around it at once.
static void test_lines_that_jump_are_caught(void **state) {
    (void)state;
    TacRandom random = tac_random(6, 1);
    for (int trial = 0; trial < 200; trial++) {
        double speed = tac_random_between(&random, 30, 600), off = tac_random_between(&random, -0.4, 0.4);
        double tilt = tac_random_between(&random, -0.6, 0.6), from = -tac_random_between(&random, 1, 4), q[4],
               n = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = tac_random_between(&random, -1, 1);
            n += q[k] * q[k];
        }
        double a = off / cos(tilt) - 2 * tan(tilt), b = off / cos(tilt) + 2 * tan(tilt);
        n = sqrt(n);
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.0166' gravity='0 0 0'><node name='n'><Spook/><node "
            "name='ball'><Sphere radius='0.5' "
            "subdivisions='1'/><Frames positions='0 0 0 %.17g %.17g %.17g %.17g'/><UniformMass/><FixedPoints "
            "points='0'/></node><node name='ends'><Points positions='%g -2 %g %g 2 %g' velocities='%g 0 0 %g "
            "0 "
            "0'/><UniformMass mass='10'/></node><node name='w'><Line divisions='8' from='%g -2 %g' to='%g 2 "
            "%g'/><Points/>"
            "<Wire mass='1' lowest='%d' finest='0' start='@../ends/points' end='@../ends/points' "
            "end_point='1' "
            "bodies='@../ball/frames' body_mesh='@../ball/sphere' body_friction='1'/></node></node></tactus>",
            q[0] / n, q[1] / n, q[2] / n, q[3] / n, from, a, from, b, speed,
            speed * tac_random_between(&random, 0.7, 1.3), from, a, from, b, -(trial % 2));
        advance(world, 1e-7);
        for (int step = 0; step < 10; step++) {
            advance(world, 0.0166);
            const double *x = places(world, "/n/w/points"), *ends = places(world, "/n/ends/points");
            double least = INFINITY;
            for (int i = 0; i < 9; i++) least = fmin(least, x[3 * i]);
            if (least > 0.55) fail_msg("trial %d: through, at %g m/s", trial, speed);
            if (fmin(ends[0], ends[3]) > 1.2) break;
        }
        tac_world_destroy(world);
    }
}

// --- bits ----------------------------------------------------------------------------------------------------------

static uint64_t hash_after(const char *contact, int threads, double seconds) {
    TacWorld *world = make_world(over_wheel(contact, 30, 20, "lowest='-1'", 0.3, BALL("4")), threads);
    advance(world, seconds);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_what_decides_when_to_look_changes_nothing(void **state) {
    (void)state;
    static const char *const ways[] = {"vagueness='0'", "vagueness='30'", "cone='true'", "k='14'"};
    uint64_t plain = hash_after("", 1, 0.4);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (hash_after(ways[i], 1, 0.4) != plain) fail_msg("%s changes the result", ways[i]);
    assert_true(hash_after("", 4, 0.4) == plain);
}

static void test_snapshots_go_on_with_the_same_bits(void **state) {
    (void)state;
    uint64_t whole = hash_after("", 1, 0.4);
    for (double at = 0.0237; at < 0.4; at += 0.0903) {
        const char *text = over_wheel("", 30, 20, "lowest='-1'", 0.3, BALL("4"));
        expect_resumed(make_world(text, 1), make_world(text, 2), at, 0.4, whole);
    }
}

// A winch reels its load in and pays it out as in a world without contact; what is wound lies turn beside turn on the drum, which
// needs room: where turns touch, the scene is refused.
static const char *winch(bool touching, double speed, double width) {
    snprintf(scene_text, sizeof scene_text,
             "<tactus version='1' dt='0.01'>%s<node name='rig'><Spook step='0.005'/><node "
             "name='drum'><Frames/><UniformMass mass='50' inertia='4 4 4'/><HingeJoint axis='0 0 1'/><Motor "
             "axis='0 "
             "0 1' speed='%g' most='4000'/>%s</node><node name='load'><Frames positions='0.3 -3 0 0 0 0 "
             "1'/><UniformMass mass='40' box='0.3 0.3 0.3'/></node><node name='wire'><Line divisions='32' "
             "from='0.3 0 0' to='0.3 -3 0'/><Points/><Wire mass='1' end='@../load/frames' "
             "wheels='@../drum/frames' "
             "wheel_points='0' radii='0.3' widths='%g' senses='-1' start_drum='true' "
             "turns='2'/>%s</node></node></tactus>",
             touching ? "<Contact thickness='0.005'/>" : "", speed,
             touching ? "<node name='s'><Cylinder radius='0.29' height='0.5' sides='24' rotation='90 0 "
                        "0'/><Points/><RigidMap/><Skin/></node>"
                      : "",
             width, touching ? "<Skin radius='0.008'/>" : "");
    return scene_text;
}

static void refused(const char *text, const char *piece);

static void test_winches_work_in_safe_worlds(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double speed = (const double[]){1.5, -1.5, 5, -4}[k], y[2];
        for (int touching = 0; touching < 2; touching++) {
            TacWorld *world = make_world(winch(touching, speed, 0.5), 1);
            if (touching)
                advance_audited(world, 0.8);
            else
                advance(world, 0.8);
            y[touching] = tac_world_positions(world, tac_world_find(world, "/rig/load/frames"))[1];
            if (touching) { // the first point is two turns and what was reeled in behind where the line leaves: on the drum
                const double *x = tac_world_positions(world, tac_world_find(world, "/rig/wire/points"));
                assert_true(fabs(hypot(x[0], x[1]) - 0.3) < 2e-3);
                assert_true(x[2] > 0.02 && x[2] < 0.25);
            }
            tac_world_destroy(world);
        }
        if (fabs(y[1] - y[0]) > 1e-4) fail_msg("%g rad/s: %g m, not %g m", speed, y[1], y[0]);
        if (fabs(y[0] - (-3 + 0.3 * speed * 0.8)) > 0.05) fail_msg("%g rad/s: %g m", speed, y[0]);
    }
    refused(winch(true, 1.5, 0.05), "touch at the start");
}

// --- the audit -----------------------------------------------------------------------------------------------------

static void test_the_audit_tells_touching_from_passing(void **state) {
    (void)state;
    const TacVec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const bool sharp[3] = {false, false, false}, flat[3] = {true, true, true};
    const TacVec3 on_side[2] = {{0, 0.5, 1}, {0, 0.5, -1}};
    const struct {
        TacVec3 piece[2];
        bool cut;
    } cases[] = {
        {{{0.2, 0.2, 1}, {0.3, 0.2, -1}}, true},    {{{0.2, 0.2, 1}, {0.3, 0.2, 0.1}}, false},
        {{{0.2, 0.2, 1}, {0.3, 0.2, 0}}, false},    {{{-1, 0.2, 0}, {2, 0.2, 0}}, false},
        {{{0.2, -0.2, 1}, {0.2, -0.2, -1}}, false}, {{{0, 0.5, 1}, {0, 0.5, -1}}, false},
        {{{0.02, 0.5, 1}, {0.02, 0.5, -1}}, true},  {{{0.2, 0.2, 0.001}, {0.3, 0.2, -1}}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (tac_audit_is_cut(cases[i].piece, corners, sharp) != cases[i].cut) fail_msg("case %zu", i);
    assert_true(tac_audit_is_cut(on_side, corners, flat));
}

typedef struct Passing {
    const TacVec3 *corners;
    size_t parts, passed;
} Passing;

static void look_at_part(void *data, const TacSweptPiece *swept) {
    static const bool flat[3] = {true, true, true};
    Passing *p = data;
    p->parts++;
    p->passed += tac_line_passes(swept, p->corners, p->corners, flat);
}

// Against many small steps of the same motion.
static void test_what_is_swept_is_found_between_steps(void **state) {
    (void)state;
    static const bool flat[3] = {true, true, true};
    const TacVec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    TacRandom random = tac_random(8, 2);
    size_t through = 0;
    for (int trial = 0; trial < 4000; trial++) {
        TacSweptPiece swept = {.piece = 0};
        for (int k = 0; k < 4; k++) {
            TacVec3 *x = k < 2 ? &swept.from[k] : &swept.to[k - 2];
            *x = tac_vec3(tac_random_between(&random, -2, 2), tac_random_between(&random, -2, 2),
                          tac_random_between(&random, -1, 1));
        }
        bool seen = false;
        for (int i = 1; i < 2000 && !seen; i++) {
            TacVec3 piece[2];
            for (int k = 0; k < 2; k++)
                piece[k] = tac_axpy(swept.from[k], i / 2000.0, tac_sub(swept.to[k], swept.from[k]));
            seen = tac_audit_is_cut(piece, corners, flat);
        }
        bool found = tac_line_passes(&swept, corners, corners, flat);
        through += seen;
        if (seen && !found) {
            // it may only be there for the moment at which it is just deep enough
            size_t looks = 0;
            for (int i = 1; i < 2000; i++) {
                TacVec3 piece[2];
                for (int k = 0; k < 2; k++)
                    piece[k] = tac_axpy(swept.from[k], i / 2000.0, tac_sub(swept.to[k], swept.from[k]));
                looks += tac_audit_is_cut(piece, corners, flat);
            }
            if (looks > 40) fail_msg("trial %d: not found, though it is there for %zu of 2000", trial, looks);
        }
    }
    assert_true(through > 300);
    // a piece that becomes two: both halves move, and one passes
    const TacLinePiece was[] = {{{{-1, 0.2, 1}, {1, 0.2, 1}}, {1, 2}, false}};
    const TacLinePiece is[] = {{{{-1, 0.2, 1}, {0.3, 0.2, -1}}, {1, 9}, false},
                               {{{0.3, 0.2, -1}, {1, 0.2, 1}}, {9, 2}, false}};
    Passing passing = {corners, 0, 0};
    tac_line_sweep(was, 1, is, 2, look_at_part, &passing);
    assert_int_equal(passing.parts, 2);
    assert_true(passing.passed >= 1);
}

// The line bends over a box that is smaller than the skin around it: it passes through that skin; the run ends there and
// says so, and so does the audit.
static void test_lines_that_pass_through_end_the_run(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        int wide = k & 1, audited = k & 2;
        TacWorld *world = MAKE("<tactus version='1' dt='0.01'><Contact thickness='0.01'/><node "
                               "name='rig'><Spook step='0.005'/><node "
                               "name='box'><Box low='-1 -0.5 -1' high='0 0 1'/><Frames/><UniformMass "
                               "mass='9'/><FixedPoints points='0'/><node "
                               "name='shape'><Box low='-1 -0.5 -1' high='%g 0 "
                               "1'/><Points/><RigidMap/><Skin/></node></node><node "
                               "name='load'><Frames positions='1 -0.9 0 0 0 0 1' velocities='-3 0 0 0 0 "
                               "0'/><UniformMass mass='5' box='0.1 "
                               "0.1 0.1'/></node><node name='wire'><Line divisions='16' from='0.5 1 0' to='1 "
                               "-0.9 0'/><Points/><Wire mass='1' "
                               "end='@../load/frames' bodies='@../box/frames' "
                               "body_mesh='@../box/box'/><FixedPoints points='0'/><Skin "
                               "radius='0.01'/></node></node></tactus>",
                               wide ? 0.2 : 0.0);
        TacError error = {0};
        if (audited) assert_int_equal(tac_world_audit(world, &error), TAC_OK);
        TacStatus status = tac_world_advance(world, 0.6, &error);
        assert_int_equal(status, wide ? TAC_FAILED : TAC_OK);
        if (wide) assert_non_null(strstr(error.message, "/rig/wire/skin has passed through face"));
        if (wide) assert_non_null(strstr(error.message, "of /rig/box/shape/skin"));
        TacAuditSummary audit = tac_world_audit_summary(world);
        char text[512] = "";
        if (audit.violations) tac_world_audit_violation(world, 0, text, sizeof text);
        if ((audit.violations > 0) != (wide && audited)) fail_msg("%zu: %s", audit.violations, text);
        if (audit.violations) assert_non_null(strstr(text, "piece of the line"));
        tac_world_destroy(world);
    }
}

// What an end is tied to has no skin here: the end itself comes to lie on the body, and at level -1, too.
static void test_tied_ends_lie_on_faces(void **state) {
    (void)state;
    for (int lowest = -1; lowest <= 2; lowest += 3) {
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.01'><Contact thickness='0.01'/><node name='rig'><Spook "
            "step='0.005'/><node name='box'><Box name='mesh' low='-1 -1 -1' high='1 0 "
            "1'/><Frames/><UniformMass "
            "mass='9'/><FixedPoints points='0'/><node name='shape'><Box low='-1 -1 -1' high='1 0 "
            "1'/><Points/><RigidMap/><Skin/></node></node><node name='load'><Frames positions='0.2 0.8 0.1 0 "
            "0 "
            "0 1'/><UniformMass mass='5' box='0.1 0.1 0.1'/></node><node name='wire'><Line divisions='8' "
            "from='0.2 2 0.1' to='0.2 0.8 0.1'/><Points/><Wire mass='1' length='4' lowest='%d' level='%d' "
            "end='@../load/frames' bodies='@../box/frames' body_mesh='@../box/mesh'/><FixedPoints "
            "points='0'/><Skin radius='0.01'/></node></node></tactus>",
            lowest, lowest);
        TacComponentId load = tac_world_find(world, "/rig/load/frames");
        for (int i = 0; i < 100; i++) {
            advance(world, 0.01);
            assert_true(tac_world_positions(world, load)[1] > -1e-3);
        }
        assert_true(fabs(tac_world_positions(world, load)[1]) < 1e-3);
        tac_world_destroy(world);
    }
}

// --- what is refused -----------------------------------------------------------------------------------------------

static void refused(const char *text, const char *piece) {
    TacError error;
    TacWorld *world = try_world(text, 1, &error);
    if (world) fail_msg("accepted: %s", text);
    assert_int_equal(error.status, TAC_BAD_INPUT);
    assert_true(error.line > 0);
    if (!strstr(error.message, piece)) fail_msg("expected \"%s\" in: %s", piece, error.message);
}

static void test_what_cannot_be_followed_is_refused(void **state) {
    (void)state;
    refused(over_wheel("", 3, 2, "", 0.5, ""), "no larger than the wheel");
    const char *text = over_wheel("", 3, 2, "", 0.3, ""), *at = strstr(text, "<Frames/>");
    assert_non_null(at);
    char two[4200]; // frames beside the wheel
    snprintf(two, sizeof two, "%.*s<Frames positions='0 0 0 0 0 0 1 5 5 5 0 0 0 1'/>%s", (int)(at - text),
             text, at + 9);
    refused(two, "Frames of their own");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_over_a_wheel_fall_as_they_should),
        cmocka_unit_test(test_a_ball_bounces_off_a_wire_over_a_wheel),
        cmocka_unit_test(test_a_massless_cable_that_is_touched_has_masses),
        cmocka_unit_test(test_what_is_held_back_does_not_swing_up),
        cmocka_unit_test(test_masses_lie_on_faces),
        cmocka_unit_test(test_slack_wires_stay_out_of_wheels),
        cmocka_unit_test(test_levels_over_nodes_keep_energy),
        cmocka_unit_test(test_lines_that_jump_are_caught),
        cmocka_unit_test(test_what_is_swept_is_found_between_steps),
        cmocka_unit_test(test_what_decides_when_to_look_changes_nothing),
        cmocka_unit_test(test_snapshots_go_on_with_the_same_bits),
        cmocka_unit_test(test_the_audit_tells_touching_from_passing),
        cmocka_unit_test(test_winches_work_in_safe_worlds),
        cmocka_unit_test(test_lines_that_pass_through_end_the_run),
        cmocka_unit_test(test_tied_ends_lie_on_faces),
        cmocka_unit_test(test_what_cannot_be_followed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
