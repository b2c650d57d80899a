// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Coulomb's friction under safe contact, for long: what lies on a slope that is a tenth less steep than friction holds
// creeps by less than a tenth of a millimetre in ten seconds, whatever it is made of; and what slides goes as far as
// Coulomb says, at several speeds and coefficients. Implicit things do so with steps that are a hundred times as long as what
// their friction takes to grip.

#include "base/random.h"
#include "contact/safe_parts.h"
#include "safe_checks.h"
#include "world/world.h"

#define FLOOR "<node name='floor'><Sheet divisions='1' width='8' depth='8'/><Points/><Skin/></node>"

static const double g = 9.81;

static TacWorld *on_a_slope(double mu, double steepness, double thickness, const char *thing) {
    double angle = atan(steepness * mu);
    return MAKE("<tactus version='1' gravity='%.17g %.17g 0'>"
                "<Contact restitution='0' thickness='%g' friction='%g'/>" FLOOR "%s</tactus>",
                g * sin(angle), -g * cos(angle), thickness, mu, thing);
}

static const char pair_of_blocks[] =
    "<node name='thing'><Frames positions='0.2 0.05501 0.1 0 0 0 1  0.21 0.16003 0.1 0 0.1 0 1'/>"
    "<UniformMass mass='1' box='0.2 0.1 0.2'/>"
    "<node name='a'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap "
    "frame='0'/><Skin/></node>"
    "<node name='b'><Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap "
    "frame='1'/><Skin/></node>"
    "</node>";

static const char soft_block[] =
    "<node name='thing'><ImplicitEuler step='0.0025' damping_stiffness='0.01'/>"
    "<Grid counts='3 2 2' low='0 0.00501 0' high='0.2 0.10501 0.2' split='true'/><Points/>"
    "<UniformMass total='1'/><Tetrahedra young='200000' poisson='0.3'/><Skin/></node>";

static const char patch[] =
    "<node name='thing'><ImplicitEuler step='0.0025' damping_stiffness='0.001'/><Sheet "
    "divisions='2' width='0.2' depth='0.2'/>"
    "<Points translation='0.1 0.00501 0.1'/><UniformMass total='0.05'/><Springs "
    "stiffness='100' damping='0.01'/>"
    "<Skin/></node>";

// The farthest that any point of the thing has moved since `before`, which is filled on the first call.
static double crept(TacWorld *world, double *before, bool first) {
    const double *x = tac_world_positions(world, tac_world_find(world, "/thing/points"));
    bool frames = !x;
    if (frames) x = places(world, "/thing/frames");
    TacComponentId id = tac_world_find(world, frames ? "/thing/frames" : "/thing/points");
    size_t n = tac_world_point_count(world, id), stride = frames ? 7 : 3;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        if (first) memcpy(before + 3 * i, x + stride * i, 3 * sizeof *x);
        most = fmax(most, tac_norm(tac_sub(tac_load3(x + stride * i), tac_load3(before + 3 * i))));
    }
    return most;
}

static void holds(const char *thing, double mu, double thickness) {
    static double before[300];
    TacWorld *world = on_a_slope(mu, 0.9, thickness, thing);
    assert_true(tac_world_stats(world).points < 100);
    advance(world, 1); // it has settled
    crept(world, before, true);
    advance(world, 10);
    double by = crept(world, before, false);
    if (!(by < 1e-4)) fail_msg("friction %g, thickness %g: it crept by %g m\n%s", mu, thickness, by, thing);
    tac_world_destroy(world);
}

static void test_two_blocks_hold_on_a_slope_for_ten_seconds(void **state) {
    (void)state;
    holds(pair_of_blocks, 0.4, 1e-2);
}

static void test_a_soft_block_holds_on_a_slope_for_ten_seconds(void **state) {
    (void)state;
    holds(soft_block, 0.5, 5e-3);
}

static void test_a_patch_of_cloth_holds_on_a_slope_for_ten_seconds(void **state) {
    (void)state;
    holds(patch, 0.5, 5e-3);
}

// The same with another step.
static void holds_with(const char *thing, const char *step, double mu, double thickness) {
    static const char old[] = "step='0.0025'";
    char text[1024];
    const char *at = strstr(thing, old);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*sstep='%s'%s", (int)(at - thing), thing, step, at + strlen(old));
    holds(text, mu, thickness);
}

static void test_long_steps_hold_on_a_slope_for_ten_seconds(void **state) {
    (void)state;
    holds_with(soft_block, "0.01", 0.5, 5e-3);
    holds_with(patch, "0.01", 0.5, 5e-3);
}

// Contact points of a finer block carry several times their own weight, and the stiffer it is the less they may be moved.
static const char cube[] =
    "<node name='thing'><ImplicitEuler step='%g' damping_stiffness='0.001'/><SparseDirect/><Grid counts='4 4 "
    "4' low='-2 %g 0' high='-1.8 %g 0.2' split='true'/><Points velocities='%g 0 0'/><UniformMass total='8'/>"
    "<Tetrahedra young='%g' poisson='0.3'/><Skin/></node>";

static void test_stiff_blocks_hold_on_a_slope_for_ten_seconds(void **state) {
    (void)state;
    for (double young = 1e6; young < 2e7; young *= 10) {
        char text[1024];
        double thickness = young > 5e6 ? 0.005 : 0.002, y = 1.002 * thickness;
        snprintf(text, sizeof text, cube, 0.01, y, y + 0.2, 0.0, young);
        holds(text, 0.5, thickness);
    }
}

// The mean of all points, along x.
static double mean_of(const double *all) {
    double sum = 0;
    for (size_t i = 0; i < 64; i++) sum += all[3 * i] / 64;
    return sum;
}

// Whatever its stiffness, and without gaining energy on the way.
static void test_soft_blocks_slide_as_far_as_coulomb_says(void **state) {
    (void)state;
    for (double young = 1e6; young < 2e7; young *= 10)
        for (double step = 0.0025; step < 0.011; step *= 2) {
            const double mu = 0.6, thickness = 0.002, y = 1.002 * thickness;
            char text[1024];
            snprintf(text, sizeof text, cube, step, y, y + 0.2, 1.5, young);
            TacWorld *world = on_a_slope(mu, 0, thickness, text);
            advance(world, 0.03);
            double from = mean_of(places(world, "/thing/points")),
                   v = mean_of(speeds(world, "/thing/points"));
            double expected = v * v / (2 * mu * g), most = tac_world_energy(world).total, peak = most;
            for (int i = 0; i < 100; i++) {
                advance(world, (v / (mu * g) + 0.1) / 100);
                peak = fmax(peak, tac_world_energy(world).total);
            }
            double slid = mean_of(places(world, "/thing/points")) - from;
            if (!(v > 0.6 && fabs(slid / expected - 1) < 0.03 && peak < most + 0.01 * 4 * v * v))
                fail_msg("%g Pa, %g s: from %g m/s %g m for %g m, energy from %g J up to %g J", young, step,
                         v, slid, expected, most, peak);
            tac_world_destroy(world);
        }
}

// From the speed that it has once it has landed.
// How far the sides of a pair have slid past each other is seen by the differences of their places alone: not by where in the
// world they are, and by nothing that both do alike, though its weights are rounded.
static void test_what_both_sides_do_is_no_sliding(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 1);
    for (int i = 0; i < 10000; i++) {
        bool edges = i % 2;
        int n = edges ? 4 : 2 + i / 2 % 3, na = edges ? 2 : 1;
        double q[4][3], moved[4][3], shift = ldexp(1, (int)(tac_random_between(&random, 0, 8)));
        double s = tac_random_between(&random, 0, 1), t = tac_random_between(&random, 0, 1 - s);
        double w[4] = {1, n == 4 ? -s : n == 3 ? s - 1 : -1, n == 4 ? -t : -s, n == 4 ? s + t - 1 : 0};
        if (edges) memcpy(w, (double[]){1 - s, s, t - 1, -t}, sizeof w);
        const float weight[2] = {(float)w[1], (float)w[edges ? 3 : 2]};
        double aside[3] = {0, 0, 0};
        for (int k = 0; k < n; k++)
            for (int a = 0; a < 3; a++) { // of so many digits that none is lost
                q[k][a] = ldexp(floor(tac_random_between(&random, 0, 0x1p20)), -24);
                moved[k][a] = q[k][a] + shift;
                aside[a] += w[k] * q[k][a];
            }
        TacVec3 between = tac_safe_between(weight, edges, n, q);
        assert_true(tac_norm(tac_sub(between, tac_load3(aside))) < 1e-7 * 0.1); // where it is closest
        TacVec3 same = tac_safe_between(weight, edges, n, moved);
        assert_memory_equal(&same, &between, sizeof same);
        for (int k = 0; k < na; k++) q[k][1] += 0.25; // one side alone
        assert_true(fabs(tac_safe_between(weight, edges, n, q).y - between.y - 0.25) < 1e-15);
    }
}

// What is thrown aslant slides through all of its hit, and deep layers, each with an anchor of its own, hold it with the rest: it
// loses as much of its speed along the floor as friction has of what turns it round.
static void test_deep_hits_rub_as_coulomb_says(void **state) {
    (void)state;
    const double mu = 0.3;
    static const double speeds[][2] = {{5, 3}, {8, 6}, {20, 12}}; // along and down
    for (size_t i = 0; i < TAC_COUNT(speeds); i++) {
        TacWorld *world = MAKE(
            "<tactus version='1' gravity='0 0 0'><Contact thickness='0.01' friction='%g' restitution='1' "
            "speed='1'/>" FLOOR "<node name='thing'><Points positions='0.2 0.0302 0.1' velocities='%g %g "
            "0'/><UniformMass mass='1'/><Balls radius='0.02'/></node></tactus>",
            mu, speeds[i][0], -speeds[i][1]);
        advance(world, 0.1);
        const double *v = tac_world_velocities(world, tac_world_find(world, "/thing/points"));
        double turned = v[1] + speeds[i][1], lost = speeds[i][0] - v[0];
        assert_true(world->safe->deep_count > 0);
        assert_true(turned > 1.9 * speeds[i][1]);
        if (!(fabs(lost - mu * turned) < 0.01 * mu * turned))
            fail_msg("%g m/s lost of %g, turned by %g", lost, speeds[i][0], turned);
        tac_world_destroy(world);
    }
}

static void test_blocks_slide_as_far_as_coulomb_says(void **state) {
    (void)state;
    for (double mu = 0.3; mu <= 0.9; mu += 0.3)
        for (double speed = 0.5; speed <= 2; speed *= 4) {
            TacWorld *world = MAKE(
                "<tactus version='1'><Contact restitution='0' thickness='0.001' friction='%g'/>" FLOOR
                "<node name='thing'><Frames positions='-2 0.05101 0.1 0 0 0 1' velocities='%g 0 0 0 0 0'/>"
                "<UniformMass mass='1' box='0.2 0.1 0.2'/><node name='skin'>"
                "<Box low='-0.1 -0.05 -0.1' high='0.1 0.05 0.1'/><Points/><RigidMap/><Skin/></node></node>"
                "</tactus>",
                mu, speed);
            advance(world, 0.02);
            double from = places(world, "/thing/frames")[0], v = speeds(world, "/thing/frames")[0];
            double expected = v * v / (2 * mu * g);
            advance(world, v / (mu * g) + 0.05);
            double slid = places(world, "/thing/frames")[0] - from;
            if (!(v > 0.6 * speed && fabs(slid / expected - 1) < 0.03))
                fail_msg("friction %g at %g m/s: %g m for %g m", mu, v, slid, expected);
            tac_world_destroy(world);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_blocks_hold_on_a_slope_for_ten_seconds),
        cmocka_unit_test(test_a_soft_block_holds_on_a_slope_for_ten_seconds),
        cmocka_unit_test(test_a_patch_of_cloth_holds_on_a_slope_for_ten_seconds),
        cmocka_unit_test(test_long_steps_hold_on_a_slope_for_ten_seconds),
        cmocka_unit_test(test_what_both_sides_do_is_no_sliding),
        cmocka_unit_test(test_deep_hits_rub_as_coulomb_says),
        cmocka_unit_test(test_blocks_slide_as_far_as_coulomb_says),
        cmocka_unit_test(test_stiff_blocks_hold_on_a_slope_for_ten_seconds),
        cmocka_unit_test(test_soft_blocks_slide_as_far_as_coulomb_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
