// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of the nest of layers, as pure arithmetic: sums against loops over single layers in long double, classes
// against the stated period, the scaled nests of pairs born near, energy against the integral of the force.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "contact/layers.h"

static const double eta1 = 2e-3, v_ref = 1.5;

static TacLayers nest(int finer) {
    TacLayers layers;
    assert_true(tac_layers_init(&layers, tac_timebase(0.01), eta1, v_ref, finer, INFINITY));
    return layers;
}

static long double thickness_of(double l) {
    return (long double)eta1 / sqrtl(sqrtl((long double)l));
}

// The stated stable period of a layer: 0.1 over the root of the sum of all stiffnesses up to it.
static double stated_period(double l, int finer) {
    return ldexp(0.1 * eta1 / v_ref * 2 / (l * (l + 1)), -finer);
}

// Force of layers from..to by adding them up, per r1.
static long double force_by_loop(double from, double to, double gap, long double *stiffness) {
    long double force = 0;
    *stiffness = 0;
    for (double l = from; l <= to && thickness_of(l) > (long double)gap; l++) {
        long double r = (long double)l * (long double)l * (long double)l;
        force += r * (thickness_of(l) - (long double)gap);
        *stiffness += r;
    }
    return force;
}

static void close_to(double value, long double expected, double relative) {
    if (!(fabsl((long double)value - expected) <= (long double)relative * fabsl(expected)))
        fail_msg("%.17g, expected %.17Lg", value, expected);
}

static TacLayerDepth deep(const TacLayers *layers, int shift, double gap) {
    return tac_layers_depth(layers, tac_nest_halved(shift), gap);
}

static void test_sums_are_those_of_single_layers(void **state) {
    (void)state;
    TacLayers layers = nest(0);
    // from outside to millions of layers deep
    for (double gap = 1.2 * eta1; gap > 0.02 * eta1; gap *= 0.87) {
        double stiffness;
        long double expected, r;
        expected = force_by_loop(1, INFINITY, gap, &r);
        double force = tac_layers_force(&layers, tac_nest_halved(0), gap, &stiffness);
        close_to(force, expected, 1e-10);
        close_to(stiffness, r, 1e-12);
    }
    // just inside the outermost one, where most of it cancels
    double stiffness, gap = eta1 * (1 - 1e-9);
    close_to(tac_layers_force(&layers, tac_nest_halved(0), gap, &stiffness),
             (long double)eta1 - (long double)gap, 1e-5);
    assert_true(tac_layers_force(&layers, tac_nest_halved(0), eta1, &stiffness) == 0 && stiffness == 0);
}

static void test_classes_hold_what_their_period_allows(void **state) {
    (void)state;
    for (int finer = 0; finer < 3; finer++) {
        TacLayers layers = nest(finer);
        TacTimebase base = tac_timebase(0.01);
        assert_int_equal(layers.count, layers.first + 1);
        for (int k = 0; k < layers.count; k++) {
            double period = ldexp(base.tick, layers.first - k), hi = layers.hi[k];
            assert_true(layers.period[k] == period);
            // the last layer of a class may tick this rarely, the next one may not
            if (hi > 0) assert_true(stated_period(hi, finer) >= period * (1 - 1e-12));
            assert_true(stated_period(hi + 1, finer) < period * (1 + 1e-12));
            close_to(layers.limit[k], thickness_of(hi + 1), 1e-14);
            assert_true(!k || hi >= layers.hi[k - 1]);
        }
        // layer 1 is in the coarsest class, at a period no coarser than stated
        assert_true(layers.hi[0] >= 1);
        assert_true(stated_period(1, finer) >= layers.period[0]);
    }
}

static void test_a_class_kicks_by_its_own_layers(void **state) {
    (void)state;
    TacLayers layers = nest(1);
    for (double gap = 0.99 * eta1; gap > 0.03 * eta1; gap *= 0.71) {
        double impulse = 0, stiffness = 0;
        int deepest = -1;
        for (int k = 0; k < layers.count && layers.hi[k] < 4e6; k++) {
            double from = (k ? layers.hi[k - 1] : 0) + 1;
            long double r, expected = force_by_loop(from, layers.hi[k], gap, &r);
            TacLayerKick one = tac_layers_kick_class(&layers, deep(&layers, 0, gap), k);
            // prefix sums cancel where one layer is barely live
            long double scale = (long double)eta1 * r;
            assert_true(fabsl((long double)one.impulse / (long double)layers.period[k] - expected) <=
                        1e-9L * scale + 1e-12L * expected);
            if (one.shallowest >= 0) {
                assert_int_equal(one.deepest, k);
                deepest = k;
            }
            impulse += one.impulse;
            stiffness += one.stiffness;
        }
        // when all tick, all kick; when only fine ones do, only those
        TacLayerKick all = tac_layers_kick(&layers, deep(&layers, 0, gap), 62);
        close_to(all.impulse, impulse, 1e-12);
        close_to(all.stiffness, stiffness, 1e-12);
        assert_int_equal(all.deepest, deepest);
        assert_int_equal(all.shallowest, 0);
        for (int due = layers.first; due >= 0; due--) {
            TacLayerKick some = tac_layers_kick(&layers, deep(&layers, 0, gap), due);
            double expected = 0;
            for (int k = layers.first - due; k < layers.count; k++)
                expected += tac_layers_kick_class(&layers, deep(&layers, 0, gap), k).impulse;
            close_to(some.impulse, expected, 1e-12);
            assert_true(some.shallowest < 0 || some.shallowest >= layers.first - due);
        }
    }
}

// A nest s times halved: thickness 2^-s, periods 2^-s, stiffness 4^s.
// Classes that hurry push at every tick of the one that they keep up with, for its period: over a tick of the coarsest, as much
// as on their own clocks.
static void test_layers_that_hurry_push_as_much(void **state) {
    (void)state;
    TacLayers layers = nest(0);
    for (int clock = 1; clock < 8; clock++)
        for (double gap = 0.4 * eta1; gap < eta1; gap *= 1.3) {
            TacLayerDepth depth = deep(&layers, 0, gap);
            double own = 0, hurried = 0;
            for (int tick = 0; tick < 1 << 10; tick++) { // of the tenth class
                int due = layers.first - 10 + (tick ? __builtin_ctz((unsigned)tick) : 10);
                own += tac_layers_kick(&layers, depth, due).impulse;
                TacLayerKick kick = tac_layers_kick_hurried(&layers, depth, clock, due);
                hurried += kick.impulse;
                if (due < layers.first - clock) assert_true(kick.shallowest < 0 || kick.shallowest > clock);
            }
            assert_true(fabs(hurried - own) <= 1e-12 * own);
        }
}

static void test_scaled_nests_are_scaled(void **state) {
    (void)state;
    TacLayers layers = nest(0);
    for (int s = 0; s <= 6; s++) {
        double small = ldexp(eta1, -s);
        assert_true(tac_layers_limit(&layers, s, -1) == small);
        assert_int_equal(tac_layers_class(&layers, s, 3), layers.first - 3 - s);
        for (double part = 0.9; part > 0.1; part *= 0.8) {
            double gap = part * small, k0, ks;
            double force0 = tac_layers_force(&layers, tac_nest_halved(0), part * eta1, &k0);
            double force = tac_layers_force(&layers, tac_nest_halved(s), gap, &ks);
            close_to(ks, ldexp(k0, 2 * s), 1e-13);
            close_to(force, ldexp(force0, s), 1e-11); // 4^s times a gap 2^-s
            // impulse: force times a period 2^-s
            TacLayerKick plain = tac_layers_kick(&layers, deep(&layers, 0, part * eta1), 62);
            TacLayerKick scaled = tac_layers_kick(&layers, deep(&layers, s, gap), 62);
            close_to(scaled.impulse, plain.impulse, 1e-11);
            close_to(scaled.stiffness, ldexp(plain.stiffness, s), 1e-11);
            close_to(tac_layers_energy(&layers, tac_nest_halved(s), gap),
                     tac_layers_energy(&layers, tac_nest_halved(0), part * eta1), 1e-11);
        }
        assert_true(tac_layers_kick(&layers, deep(&layers, s, small), 62).shallowest < 0);
    }
}

// The work of the force from one gap to another, by Simpson's rule between the kinks at the layers' thicknesses.
static double work(const TacLayers *layers, int s, double near, double far) {
    double sum = 0, ignored;
    for (double l = 1, high = far; high > near; l++) {
        double next = ldexp((double)thickness_of(l), -s), low = fmin(high, fmax(near, next)),
               mid = 0.5 * (low + high);
        sum += (high - low) / 6 *
               (tac_layers_force(layers, tac_nest_halved(s), low, &ignored) +
                4 * tac_layers_force(layers, tac_nest_halved(s), mid, &ignored) +
                tac_layers_force(layers, tac_nest_halved(s), high, &ignored));
        high = low;
    }
    return sum;
}

static void test_energy_is_the_integral_of_the_force(void **state) {
    (void)state;
    TacLayers layers = nest(1);
    for (int s = 0; s < 3; s++)
        for (double part = 0.95; part > 0.15; part *= 0.8) {
            double gap = ldexp(part * eta1, -s), expected = work(&layers, s, gap, ldexp(eta1, -s));
            close_to(tac_layers_energy(&layers, tac_nest_halved(s), gap), expected, 1e-9);
        }
    assert_true(tac_layers_energy(&layers, tac_nest_halved(0), eta1) == 0);
}

// No finite energy gets through: halving the gap always costs more than the last halving did.
static void test_the_nest_is_a_barrier(void **state) {
    (void)state;
    TacLayers layers = nest(0);
    double before = 0, step_before = 0;
    for (double gap = 0.5 * eta1; gap > 0.04 * eta1; gap *= 0.5) {
        double energy = tac_layers_energy(&layers, tac_nest_halved(0), gap), step = energy - before;
        assert_true(step > 2 * step_before);
        before = energy;
        step_before = step;
    }
}

static void test_what_cannot_tick_is_refused(void **state) {
    (void)state;
    TacLayers layers;
    TacTimebase base = tac_timebase(0.01);
    double most = 0.1 * 1e-4 / base.tick; // speed at which layer 1 ticks once a tick
    assert_true(tac_layers_init(&layers, base, 1e-4, 0.999 * most, 0, INFINITY));
    assert_int_equal(layers.first, 0);
    assert_false(tac_layers_init(&layers, base, 1e-4, 1.001 * most, 0, INFINITY));
    assert_false(tac_layers_init(&layers, base, 1e-4, 0.999 * most, 1, INFINITY));
}

// A nest of any scale lies between the halved ones around it; what is said of a growing one's limits covers it until its
// number changes.
static void test_growing_nests_are_covered(void **state) {
    (void)state;
    TacLayers layers = nest(0);
    for (double scale = 1; scale > 1e-3; scale *= 0.93) {
        TacNest n = tac_nest(scale);
        assert_true(ldexp(1, -n.shift) <= scale && scale < ldexp(1, 1 - n.shift));
        // eta scaled, r by one over its square: the energy is the same at the same part of it
        for (double part = 0.9; part > 0.2; part *= 0.7) {
            double k0, k, force0 = tac_layers_force(&layers, tac_nest_halved(0), part * eta1, &k0);
            double force = tac_layers_force(&layers, n, part * scale * eta1, &k);
            close_to(force * scale, force0, 1e-11);
            close_to(k * scale * scale, k0, 1e-11);
            TacLayerKick plain = tac_layers_kick(&layers, deep(&layers, 0, part * eta1), 62);
            TacLayerKick kick =
                tac_layers_kick(&layers, tac_layers_depth(&layers, n, part * scale * eta1), 62);
            close_to(kick.impulse, plain.impulse * ldexp(1, -n.shift) / scale, 1e-11);
        }
        int number = tac_nest_growing(n);
        assert_true(tac_nest_largest(number) >= scale && tac_nest_largest(number) < 1.05 * scale);
        assert_true(tac_layers_limit(&layers, number, -1) == eta1);
        for (int k = 0; k < 5; k++) {
            assert_true(tac_layers_limit(&layers, number, k) > 1.009 * layers.limit[k] * scale);
            assert_int_equal(tac_layers_class(&layers, number, k), layers.first - k - n.shift);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_that_hurry_push_as_much),
        cmocka_unit_test(test_growing_nests_are_covered),
        cmocka_unit_test(test_sums_are_those_of_single_layers),
        cmocka_unit_test(test_classes_hold_what_their_period_allows),
        cmocka_unit_test(test_a_class_kicks_by_its_own_layers),
        cmocka_unit_test(test_scaled_nests_are_scaled),
        cmocka_unit_test(test_energy_is_the_integral_of_the_force),
        cmocka_unit_test(test_the_nest_is_a_barrier),
        cmocka_unit_test(test_what_cannot_tick_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
