// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wires that change their resolution in worlds of safe contact: coarsening stops exactly where something is in the way, by
// plain geometry; nothing ever meets, by the audit; mass and momentum are kept; and nothing that decides when to look, no
// number of threads and no snapshot changes a bit.

#include "safe_checks.h"

static double output(TacWorld *world, const char *path, size_t index) {
    TacReals list = tac_world_reals(world, tac_world_find(world, path), "resolution");
    assert_true(index < list.count);
    return list.data[index];
}

enum { LEVEL = 0, CHANGES = 8, POSTPONED = 9 };

// --- where the way is clear --------------------------------------------------------------------------------------

static char points_text[8192];

// 17 points on half a circle of radius 0.5 about the z axis.
static const char *half_circle(void) {
    size_t at = 0;
    for (int i = 0; i <= 16; i++)
        at += (size_t)snprintf(points_text + at, sizeof points_text - at, "%.17g %.17g 0 ",
                               0.5 * cos(TAC_PI * i / 16), 0.5 * sin(TAC_PI * i / 16));
    return points_text;
}

// A wire that wants to be coarse (accuracy weighs nothing), at rest around a post of this radius; 0: there is none.
static TacWorld *around_post(double radius, const char *wire) {
    char post[512] = "";
    if (radius > 0)
        snprintf(post, sizeof post,
                 "<node name='post'><Cylinder radius='%.17g' height='1' sides='48' rotation='90 0 0' "
                 "translation='0 0 "
                 "-0.5'/><Points/><FixedPoints box='-1 -1 -1 1 1 1'/><Skin/></node>",
                 radius);
    return MAKE(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact thickness='0.004'/>%s<node name='n'><Spook/>"
        "<Line divisions='16'/><Points positions='%s'/><Wire mass='1' weight_accuracy='0' level='4' "
        "length='1.6' "
        "%s/><Skin radius='0.003'/></node></tactus>",
        post, half_circle(), wire);
}

// At level r the chords of half a circle are 0.5 cos(pi/2^(r+1)) from its middle.
static void test_coarsening_stops_where_a_post_is_in_the_way(void **state) {
    (void)state;
    static const double radii[] = {0, 0.1, 0.3, 0.36, 0.44, 0.465, 0.48, 0.49};
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        int expected = 4;
        while (expected > 0 && 0.5 * cos(TAC_PI / (1 << expected)) > radii[i] + 0.003 + 0.004 * 63 / 64)
            expected--;
        TacWorld *world = around_post(radii[i], "");
        advance_audited(world, 0.2);
        assert_int_equal((int)output(world, "/n/wire", LEVEL), radii[i] > 0 ? expected : 0);
        assert_int_equal((int)output(world, "/n/wire", CHANGES), 4 - (radii[i] > 0 ? expected : 0));
        // it asks again at every step
        assert_int_equal((int)output(world, "/n/wire", POSTPONED), radii[i] > 0 ? 20 : 0);
        TacContactStats stats = tac_world_contact_stats(world);
        assert_int_equal(stats.postponed, radii[i] > 0 ? 20 : 0);
        assert_int_equal(stats.reshapes, 1 + 4 - (radii[i] > 0 ? expected : 0)); // one at the start
        tac_world_destroy(world);
    }
}

// What moves aside lets a wire coarsen: the post sinks out of its plane.
static void test_what_was_postponed_happens_later(void **state) {
    (void)state;
    TacWorld *world =
        MAKE("<tactus version='1' dt='0.01' gravity='0 0 0'><Contact thickness='0.004'/><node "
             "name='post'><Cylinder "
             "radius='0.3' height='1' sides='16' rotation='90 0 0' translation='0 0 "
             "-0.5'/><Points/><ScriptedMotion "
             "times='0 0.2 0.4' offsets='0 0 0  0 0 0  0 0 -2'/><Skin/></node><node name='n'><Spook/><Line "
             "divisions='16'/><Points positions='%s'/><Wire mass='1' weight_accuracy='0' level='4' "
             "length='1.6'/><Skin "
             "radius='0.003'/></node></tactus>",
             half_circle());
    advance_audited(world, 0.2);
    assert_int_equal((int)output(world, "/n/wire", LEVEL), 1);
    advance(world, 0.3);
    assert_int_equal((int)output(world, "/n/wire", LEVEL), 0);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

#define V_SHAPE(x0, y0, z0, x1, y1, z1, x2, y2, z2)                                                          \
    v_shape((const double[]){x0, y0, z0, x1, y1, z1, x2, y2, z2})

// Nine points from the first place to the second and on to the third.
static const char *v_shape(const double *p) {
    static char texts[2][2048];
    static int turn;
    char *text = texts[turn = !turn];
    size_t at = 0;
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) {
            double t = (i % 4 ? i % 4 : i == 8 ? 4 : 0) / 4.0;
            const double *from = p + (i < 4 ? 0 : i == 8 ? 3 : 3);
            at += (size_t)snprintf(text + at, 2048 - at, "%.17g ", from[k] + t * (from[k + 3] - from[k]));
        }
    return text;
}

// Two wires hooked into each other, pulled apart: coarse, each would be straight and free of the other.
static TacWorld *hooked(const char *contact, int threads) {
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact thickness='0.01' friction='0.3' %s/>"
        "<node name='a'><Spook step='0.0025'/><Line divisions='8'/><Points positions='%s'/><Wire mass='0.1' "
        "weight_accuracy='0' level='3'/><ScriptedMotion points='0 8' speed='-0.4 0 0'/><Skin "
        "radius='0.01'/></node>"
        "<node name='b'><Spook time_limit='1' dips='0 0.1 1e-9 0.2 9 1e-9'/><Line divisions='8'/><Points "
        "positions='%s'/><Wire mass='0.1' level='3' cost='0.001'/><FixedPoints points='0 8'/><Skin "
        "radius='0.01'/></node></tactus>",
        contact, V_SHAPE(-1, -0.3, 0, 0.1, 0, 0, -1, 0.3, 0), V_SHAPE(1, 0, -0.3, -0.1, 0, 0, 1, 0, 0.3));
    return make_world(scene_text, threads);
}

static void test_hooked_wires_stay_hooked(void **state) {
    (void)state;
    TacWorld *world = hooked("", 1);
    advance_audited(world, 0.8);
    assert_true(output(world, "/a/wire", LEVEL) >= 1);
    assert_true(output(world, "/b/wire", LEVEL) >= 1);
    assert_true(output(world, "/a/wire", POSTPONED) > 10);
    assert_true(output(world, "/b/wire", POSTPONED) > 10);
    assert_true(output(world, "/b/wire", CHANGES) >= 3); // finer while looked at, and coarser again
    // the middle of the one is beyond that of the other, where it began
    assert_true(places(world, "/a/points")[3 * 4] > places(world, "/b/points")[3 * 4]);
    tac_world_destroy(world);
}

// Over the ridge of a roof, within its layers, a wire cannot become straight; along the ridge it can.
static void test_a_wire_on_an_edge(void **state) {
    (void)state;
    for (int along = 0; along < 2; along++) {
        double top = sqrt(0.5) + 0.0085; // its skin is 3.5 mm above the ridge
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact thickness='0.004'/><node "
            "name='roof'><Box "
            "low='-0.5 -0.5 -1' high='0.5 0.5 1' rotation='0 0 45'/><Points/><FixedPoints box='-2 -2 -2 2 2 "
            "2'/><Skin/></node><node name='n'><Spook/><Line divisions='8'/><Points positions='%s'/><Wire "
            "mass='1' "
            "weight_accuracy='0' level='3'/><Skin radius='0.005'/></node></tactus>",
            along ? V_SHAPE(0, top, -0.5, 0, top, 0, 0, top, 0.5)
                  : V_SHAPE(-0.5, top - 0.45, 0, 0, top, 0, 0.5, top - 0.45, 0));
        advance_audited(world, 0.1); // pushed off first: until a step later it must be able to bend
        assert_int_equal((int)output(world, "/n/wire", LEVEL), along ? 0 : 1);
        tac_world_destroy(world);
    }
}

// A wire that is given bent, without a level, starts bent: straight, it would be on the other side of what it goes around.
static void test_wires_start_as_they_are_given(void **state) {
    (void)state;
    TacWorld *world = make_world(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact thickness='0.01'/><node name='p'><Box "
        "low='-0.1 0.2 -1' high='0.1 0.4 1'/><Points/><FixedPoints box='-9 -9 -9 9 9 9'/><Skin/></node><node "
        "name='n'><Spook/><Line divisions='4'/><Points positions='-1 0 0 -0.5 0.3 0 0 0.6 0 0.5 0.3 0 1 0 "
        "0'/><Wire mass='1' weight_accuracy='0'/><Skin/><FixedPoints points='0 4'/></node></tactus>",
        1);
    assert_true(output(world, "/n/wire", LEVEL) == 1);
    advance_audited(world, 0.1);
    assert_true(output(world, "/n/wire", LEVEL) == 1);
    assert_true(fabs(places(world, "/n/points")[7] - 0.6) < 1e-9);
    tac_world_destroy(world);
}

// A wire that becomes one agent with another thing asks all the same.
static void test_merged_agents_ask(void **state) {
    (void)state;
    TacWorld *world = MAKE("<tactus version='1' dt='0.01' gravity='0 0 0'><Contact thickness='0.004'/><node "
                           "name='post'><Cylinder "
                           "radius='0.3' height='1' sides='16' rotation='90 0 0' translation='0 0 "
                           "-0.5'/><Points/><FixedPoints box='-1 -1 "
                           "-1 1 1 1'/><Skin/></node><node name='n'><Spook/><Line divisions='16'/><Points "
                           "positions='%s'/><Wire mass='1' "
                           "weight_accuracy='0' level='4' length='1.6'/><Skin radius='0.003'/></node><node "
                           "name='b'><Spook/><Points "
                           "positions='0.5 0 0'/><UniformMass/><BallJoint name='link' other='@/n/points' "
                           "open='true'/></node><Trigger "
                           "when='time' value='0.05' then='close' what='@b/link'/></tactus>",
                           half_circle());
    advance_audited(world, 0.2);
    size_t merged = 0;
    for (size_t i = 0; i < tac_world_stats(world).agents; i++)
        merged += strchr(tac_world_agent(world, i).name, '+') != NULL;
    assert_true(merged > 0);
    assert_int_equal((int)output(world, "/n/wire", LEVEL), 1);
    tac_world_destroy(world);
}

// --- motion --------------------------------------------------------------------------------------------------------

// A load on a wire swings, and the wire wraps around a post.
static const char *swing(const char *contact) {
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1' dt='0.01'><Contact thickness='0.01' friction='0.2' restitution='0.2' speed='2' "
        "%s/>"
        "<node name='post'><Cylinder radius='0.1' height='1' sides='8' rotation='90 0 0' translation='0.5 -1 "
        "-0.5'/><Points/><FixedPoints box='-9 -9 -9 9 9 9'/><Skin/></node><node name='n'><Spook "
        "step='0.0025'/>"
        "<node name='box'><Frames positions='0 -2 0 0 0 0 1' velocities='4 0 0 0 0 0'/><UniformMass "
        "mass='15' "
        "box='0.3 0.3 0.3'/></node><node name='wire'><Line divisions='16' to='0 -2 0'/><Points/><Wire "
        "mass='0.5' "
        "end='@../box/frames'/><FixedPoints points='0'/><Skin radius='0.01'/></node></node></tactus>",
        contact);
    return scene_text;
}

static void test_a_swinging_load_never_breaks_a_certificate(void **state) {
    (void)state;
    TacWorld *world = make_world(swing(""), 1);
    advance_audited(world, 0.6);
    assert_true(output(world, "/n/wire/wire", CHANGES) > 4);
    assert_true(output(world, "/n/wire/wire", POSTPONED) > 0);
    assert_true(tac_world_contact_stats(world).kicks > 1000);
    tac_world_destroy(world);
}

// Kicks come in parts while a wire touches something: what swings across it must not grow by that. A wire of one level, at half the
// tension that it can bear, is pushed against a post, and swings free.
static void test_touched_wires_do_not_swing_up(void **state) {
    (void)state;
    TacWorld *world = make_world(
        "<tactus version='1' dt='0.01'><Contact thickness='0.01' friction='0.2'/><node name='post'><Cylinder "
        "radius='0.1' height='1' sides='16' rotation='90 0 0' translation='-0.115 -1 "
        "-0.5'/><Points/><FixedPoints "
        "box='-9 -9 -9 9 9 9'/><Skin/></node><node name='n'><Spook step='0.0025'/><node name='box'><Frames "
        "positions='0 -2 0 0 0 0 1' velocities='-0.5 0 0.2 0 0 0'/><UniformMass mass='30' box='0.3 0.3 "
        "0.3'/></node><node name='wire'><Line divisions='16' to='0 -2 0'/><Points/><Wire mass='0.5' "
        "lowest='4' "
        "end='@../box/frames'/><FixedPoints points='0'/><Skin radius='0.01'/></node></node></tactus>",
        1);
    TacEnergy start = tac_world_energy(world);
    for (int i = 0; i < 100; i++) {
        advance(world, 0.01);
        assert_true(tac_world_energy(world).total < start.total + 0.01 * start.kinetic);
    }
    tac_world_destroy(world);
}

typedef TacWorld *(*Make)(const char *contact, int threads);

static TacWorld *make_swing(const char *contact, int threads) {
    return make_world(swing(contact), threads);
}

static uint64_t hash_after(Make make, const char *contact, int threads, double seconds) {
    TacWorld *world = make(contact, threads);
    advance(world, seconds);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    return hash;
}

static void test_what_decides_when_to_look_changes_nothing(void **state) {
    (void)state;
    static const char *const ways[] = {"vagueness='0'", "vagueness='30'", "cone='true'", "k='14'",
                                       "cull='false'"};
    const Make makes[] = {make_swing, hooked};
    for (size_t m = 0; m < 2; m++) {
        uint64_t plain = hash_after(makes[m], "", 1, 0.45);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            if (hash_after(makes[m], ways[i], 1, 0.45) != plain) fail_msg("%s changes the result", ways[i]);
        for (int threads = 2; threads <= 8; threads *= 4)
            assert_true(hash_after(makes[m], "", threads, 0.45) == plain);
    }
}

static void test_snapshots_go_on_with_the_same_bits(void **state) {
    (void)state;
    const Make makes[] = {make_swing, hooked};
    for (size_t m = 0; m < 2; m++) {
        uint64_t whole = hash_after(makes[m], "", 1, 0.5);
        for (double at = 0.0237; at < 0.5; at += 0.0903) {
            expect_resumed(makes[m]("", 1), makes[m]("", 2), at, 0.5, whole);
        }
    }
}

// --- what is kept --------------------------------------------------------------------------------------------------

// Free wires that fly through each other's neighbourhood, bump, and change their levels all the time.
static void test_momentum_is_kept(void **state) {
    (void)state;
    TacWorld *world = MAKE(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact thickness='0.01'/>"
        "<node name='a'><Spook step='0.0025' time_limit='1' dips='0.05 0.1 1e-9 0.15 0.2 1e-9 0.21 0.3 "
        "1e-9'/><Line "
        "divisions='16' from='-0.5 0 0' to='0.5 0.1 0'/><Points velocities='0 0 1'/><Wire mass='0.3' "
        "level='4' "
        "length='1.2' cost='0.001'/><Skin radius='0.01'/></node>"
        "<node name='b'><Spook time_limit='1' dips='0 0.05 1e-9 0.1 0.13 1e-9 0.23 0.25 1e-9'/><Line "
        "divisions='16' "
        "from='0.1 -0.5 0.2' to='-0.1 0.4 0.2'/><Points velocities='0.3 0 -1'/><Wire mass='0.5' level='4' "
        "length='1.2' cost='0.001'/><Skin radius='0.01'/></node></tactus>");
    TacVec3 before = tac_world_momentum(world).linear;
    double energy = tac_world_energy(world).total;
    advance_audited(world, 0.4);
    TacVec3 after = tac_world_momentum(world).linear;
    assert_true(tac_world_contact_stats(world).kicks > 100);
    assert_true(output(world, "/a/wire", CHANGES) >= 10 && output(world, "/b/wire", CHANGES) >= 10);
    assert_true(tac_norm(tac_sub(after, before)) < 1e-12);
    assert_true(tac_world_energy(world).total <= 1.01 * energy);
    tac_world_destroy(world);
}

// A wire that lies on a floor without friction, is pulled straight, and changes its level at every other step: its kicks
// come in parts, some of them after the change. Along the floor nothing pushes from outside.
static void test_parts_of_kicks_change_with_the_level(void **state) {
    (void)state;
    char dips[4096] = "";
    size_t at = 0;
    for (int i = 0; i < 60; i++)
        at +=
            (size_t)snprintf(dips + at, sizeof dips - at, "%g %g 1e-9 ", 0.02 * i + 0.005, 0.02 * i + 0.015);
    // one triangle: edges of others would push sideways
    TacWorld *world = MAKE(
        "<tactus version='1' dt='0.01'><Contact thickness='0.01' friction='0'/><node name='floor'><Mesh "
        "at='-9 0 -3 0 0 9 "
        "9 0 -3' with_triangles='0 1 2'/><Points/><FixedPoints points='0-2'/><Skin/></node><node "
        "name='n'><Spook "
        "time_limit='1' dips='%s'/><Line divisions='8' from='-0.5 0.019 0' to='0.5 0.019 0'/><Points "
        "velocities='0 0 0 "
        "0.1 0 0 0.3 0 0 0 0 0 -0.2 0 0 0 0 0 0.2 0 0 0.3 0 0 0 0 0'/><Wire mass='0.5' level='3' lowest='2' "
        "length='1.01' cost='0.001' patience='0'/><Springs pairs='0 7' stiffness='5' lengths='2'/><Skin "
        "radius='0.01' "
        "self='false'/></node></tactus>",
        dips);
    double before = tac_world_momentum(world).linear.x, pull = 0;
    TacError error;
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    for (int i = 0; i < 100; i++) {
        advance(world, 0.01);
        if (i > 10) pull = fmax(pull, output(world, "/n/wire", 2));
        double change = fabs(tac_world_momentum(world).linear.x - before);
        if (!(change < 1e-12)) fail_msg("%g kg m/s at beat %d", change, i);
    }
    assert_true(pull > 1);
    assert_true(output(world, "/n/wire", CHANGES) > 50);
    assert_true(tac_world_contact_stats(world).kicks > 1000);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarsening_stops_where_a_post_is_in_the_way),
        cmocka_unit_test(test_what_was_postponed_happens_later),
        cmocka_unit_test(test_hooked_wires_stay_hooked),
        cmocka_unit_test(test_a_wire_on_an_edge),
        cmocka_unit_test(test_wires_start_as_they_are_given),
        cmocka_unit_test(test_merged_agents_ask),
        cmocka_unit_test(test_a_swinging_load_never_breaks_a_certificate),
        cmocka_unit_test(test_touched_wires_do_not_swing_up),
        cmocka_unit_test(test_what_decides_when_to_look_changes_nothing),
        cmocka_unit_test(test_snapshots_go_on_with_the_same_bits),
        cmocka_unit_test(test_momentum_is_kept),
        cmocka_unit_test(test_parts_of_kicks_change_with_the_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
