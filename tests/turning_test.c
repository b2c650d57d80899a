// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The free rotation of rigid bodies, beside Euler's equations solved by a Runge-Kutta method of its own in small steps: of
// bodies from balls to needles and plates of 1:10,000, slow and fast. What must be kept is kept, and time makes no jumps.

#include "matter/matter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

// --- bodies -----------------------------------------------------------------------------------------------

static uint64_t seed = 1;

static double random_between(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static TacVec3 random_direction(void) {
    for (;;) {
        TacVec3 a = {random_between(-1, 1), random_between(-1, 1), random_between(-1, 1)};
        double n = tac_norm(a);
        if (n > 0.1 && n <= 1) return tac_scale(a, 1 / n);
    }
}

static TacQuat random_turn(void) {
    return tac_quat_from_vector(tac_scale(random_direction(), random_between(0, 6)));
}

typedef struct Body {
    TacInertia inertia;
    TacQuat q;
    TacVec3 omega;
    double fastest; // rad/s that its energy allows
} Body;

static double energy_of(const Body *b) { // twice
    return tac_dot(b->omega, tac_inertia_apply(&b->inertia, b->q, b->omega));
}

// A body as if of three masses on its axes: any moments that a real body can have, and no others. Every fourth is round.
// Its spin is as likely about an axis as across, in speeds or in momenta.
static Body random_body(int number, double most_spin) {
    Body b = {.q = random_turn()};
    double on[3];
    for (int k = 0; k < 3; k++) on[k] = pow(10, random_between(-4, 0));
    if (number % 4 == 0) on[number / 4 % 3] = on[(number / 4 + 1) % 3];
    for (int k = 0; k < 3; k++) b.inertia.moments[k] = on[(k + 1) % 3] + on[(k + 2) % 3];
    b.inertia.axes = random_turn();
    const double *m = b.inertia.moments;
    TacVec3 l = random_direction();
    if (number % 2) l = tac_vec3(l.x * m[0], l.y * m[1], l.z * m[2]);
    TacVec3 w = {l.x / m[0], l.y / m[1], l.z / m[2]};
    w = tac_scale(w, most_spin * pow(10, random_between(-4, 0)) / tac_norm(w));
    b.omega = tac_rotate(tac_quat_mul(b.q, b.inertia.axes), w);
    b.fastest = sqrt(energy_of(&b) / fmin(m[0], fmin(m[1], m[2])));
    return b;
}

static double angle_between(TacQuat a, TacQuat b) {
    double side = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
    double x = a.x - side * b.x, y = a.y - side * b.y, z = a.z - side * b.z, w = a.w - side * b.w;
    return 2 * sqrt(x * x + y * y + z * z + w * w);
}

// --- the reference ----------------------------------------------------------------------------------------

// The turn from principal axes to the world, and the angular velocity in principal axes.
typedef struct Euler {
    long double s[7];
} Euler;

static Euler change(const double m[3], const Euler *at) {
    const long double *q = at->s, *w = at->s + 4;
    Euler d;
    d.s[0] = (q[3] * w[0] + q[1] * w[2] - q[2] * w[1]) / 2;
    d.s[1] = (q[3] * w[1] + q[2] * w[0] - q[0] * w[2]) / 2;
    d.s[2] = (q[3] * w[2] + q[0] * w[1] - q[1] * w[0]) / 2;
    d.s[3] = -(q[0] * w[0] + q[1] * w[1] + q[2] * w[2]) / 2;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        d.s[4 + k] = ((long double)m[i] - m[j]) * w[i] * w[j] / m[k];
    }
    return d;
}

static Euler moved(const Euler *from, long double h, const Euler *by) {
    Euler to;
    for (int n = 0; n < 7; n++) to.s[n] = from->s[n] + h * by->s[n];
    return to;
}

static Euler runge_kutta(const double m[3], const Euler *at, long double h) {
    Euler k1 = change(m, at), at2 = moved(at, h / 2, &k1);
    Euler k2 = change(m, &at2), at3 = moved(at, h / 2, &k2);
    Euler k3 = change(m, &at3), at4 = moved(at, h, &k3);
    Euler k4 = change(m, &at4), to = *at;
    for (int n = 0; n < 7; n++) to.s[n] += h / 6 * (k1.s[n] + 2 * k2.s[n] + 2 * k3.s[n] + k4.s[n]);
    return to;
}

// Where Euler's equations turn a body to.
static TacQuat solved(const Body *b, double seconds) {
    TacQuat p = tac_quat_mul(b->q, b->inertia.axes);
    TacVec3 w = tac_rotate_back(p, b->omega);
    Euler at = {{p.x, p.y, p.z, p.w, w.x, w.y, w.z}};
    int steps = (int)(400 * b->fastest * fabs(seconds)) + 1;
    for (int i = 0; i < steps; i++) at = runge_kutta(b->inertia.moments, &at, seconds / (long double)steps);
    p = (TacQuat){(double)at.s[0], (double)at.s[1], (double)at.s[2], (double)at.s[3]};
    return tac_quat_unit(tac_quat_mul(p, tac_quat_conjugate(b->inertia.axes)));
}

// --- tests ------------------------------------------------------------------------------------------------

static Body turned(const Body *b, double seconds) {
    Body after = *b;
    tac_rotate_freely(&b->inertia, seconds, &after.q, &after.omega);
    return after;
}

// How much farther apart two bodies are in the end than in the beginning: near the axis in the middle that may be much.
static double parting(const Body *b, double seconds) {
    const double apart = 1e-7;
    double most = 1;
    for (int k = 0; k < 3; k++) {
        Body beside = *b;
        TacVec3 l = tac_inertia_apply(&b->inertia, b->q, b->omega), by = {k == 0, k == 1, k == 2};
        beside.omega = tac_inertia_solve(&b->inertia, b->q, tac_axpy(l, apart * tac_norm(l), by));
        most = fmax(most, angle_between(turned(&beside, seconds).q, turned(b, seconds).q) / apart);
    }
    return most;
}

static void test_bodies_turn_as_euler_says(void **state) {
    (void)state;
    for (int i = 0; i < 400; i++) {
        Body b = random_body(i, 1e4);
        double radians = random_between(0.01, 20), seconds = (i % 3 ? 1 : -1) * radians / b.fastest;
        double off = angle_between(turned(&b, seconds).q, solved(&b, seconds));
        // what is round turns exactly; the reference itself is good to some 1e-11
        double limit = i % 4 ? 2e-6 * (1 + radians) * parting(&b, seconds) : 1e-11 * (1 + radians);
        if (!(off <= limit)) fail_msg("body %d is off by %g of %g radians", i, off, radians);
    }
}

// The error of a flight falls with the fourth power of the length of its passes: which is shown by flights so short that
// they are one pass, whose own error falls with the fifth.
static void test_passes_are_of_fourth_order(void **state) {
    (void)state;
    double sum[2] = {0, 0};
    for (int i = 1; i < 200; i += 2) {
        Body b = random_body(i, 1e2);
        for (int half = 0; half < 2; half++) {
            double seconds = (half ? 0.2 : 0.4) / b.fastest;
            sum[half] += angle_between(turned(&b, seconds).q, solved(&b, seconds));
        }
    }
    assert_true(sum[0] > 1e-9); // or there is nothing to compare
    assert_in_range((int)(sum[0] / sum[1]), 25, 60);
}

// In one flight, and in thousands that follow each other at uneven times.
static void test_momentum_and_energy_are_kept(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        Body b = random_body(i, 1e4), at = b;
        TacVec3 l = tac_inertia_apply(&b.inertia, b.q, b.omega);
        const double *m = b.inertia.moments;
        // where a needle spins about itself, the rounding of its angular velocity is more than that of its momentum
        double size = fmax(m[0], fmax(m[1], m[2])) * tac_norm(b.omega), energy = energy_of(&b);
        for (int flight = 0; flight < 2000; flight++) {
            at = turned(&at, pow(10, random_between(-7, flight % 100 ? 0 : 1)) / b.fastest);
            TacVec3 now = tac_inertia_apply(&at.inertia, at.q, at.omega);
            double strayed = tac_norm(tac_sub(now, l)) / size, off = fabs(energy_of(&at) / energy - 1);
            if (!(strayed < 1e-12)) fail_msg("body %d: momentum is off by %g", i, strayed);
            // rounding of a turn weighs more in a needle's energy, and adds up
            if (!(off < 1e-12 + 2e-15 * flight))
                fail_msg("body %d: energy is off by %g after %d flights", i, off, flight + 1);
        }
    }
}

// No body comes to turn faster than is said, and each does come to that, or nearly.
static void test_the_fastest_turn_is_known(void **state) {
    (void)state;
    for (int i = 0; i < 300; i++) {
        Body b = random_body(i, 1e4);
        double said = tac_fastest_turn(&b.inertia, b.q, b.omega), seen = 0, step = 0.01 / tac_norm(b.omega);
        assert_true(said <= b.fastest * (1 + 1e-12));
        Body at = b;
        for (int n = 0; n < 30000 && seen < 0.999 * said; n++) {
            at = turned(&at, step);
            seen = fmax(seen, tac_norm(at.omega));
        }
        if (!(seen <= said * (1 + 1e-9))) fail_msg("body %d turns at %g rad/s, not %g", i, seen, said);
        if (!(seen >= 0.99 * said)) fail_msg("body %d turns at no more than %g rad/s, not %g", i, seen, said);
    }
}

// A flight in two parts ends where a whole one does; and back again where it began.
static void test_flights_can_be_divided(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        Body b = random_body(i, 1e4);
        double radians = random_between(0.01, 20), seconds = radians / b.fastest, part = random_between(0, 1);
        Body whole = turned(&b, seconds), first = turned(&b, part * seconds);
        Body second = turned(&first, (1 - part) * seconds), back = turned(&whole, -seconds);
        double limit = i % 4 ? 2e-6 * (1 + radians) * parting(&b, seconds) : 1e-12 * (1 + radians);
        double off = angle_between(whole.q, second.q), missed = angle_between(back.q, b.q);
        if (!(off <= limit)) fail_msg("body %d: two parts of %g radians differ by %g", i, radians, off);
        if (!(missed <= limit)) fail_msg("body %d: back by %g radians it is off by %g", i, radians, missed);
    }
}

// Where a body has turned to depends on time without a jump, however many passes that takes: between two looks it turns no
// faster than its energy lets it, and without a kink.
static void test_time_makes_no_jumps(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        Body b = random_body(i, 1e4);
        double step = 1e-4 / b.fastest, start = random_between(0, 10) / b.fastest;
        TacQuat before = turned(&b, start - step).q, last = turned(&b, start).q;
        for (int n = 1; n <= 20000; n++) {
            TacQuat q = turned(&b, start + n * step).q;
            double angle = angle_between(last, q);
            if (!(angle <= 1.01 * b.fastest * step + 1e-13))
                fail_msg("body %d: from look %d to the next it jumps by %g radians", i, n, angle);
            // where the way bends as free rotation does, it goes on from two looks to the third
            TacQuat ahead = {2 * last.x - before.x, 2 * last.y - before.y, 2 * last.z - before.z,
                             2 * last.w - before.w};
            double kink = angle_between(ahead, q);
            if (!(kink <= 1.2 * 1e-4 * 1e-4 + 1e-9)) fail_msg("body %d: a kink of %g radians", i, kink);
            before = last;
            last = q;
        }
    }
}

// A point a metre from the centre is off the line between two of its places by no more than an arc is that bends as the
// energy lets it, and a millionth: contact reckons with that.
static void test_points_fly_arcs(void **state) {
    (void)state;
    for (int i = 0; i < 4000; i++) {
        Body b = random_body(i, 1e4);
        const double *m = b.inertia.moments;
        double c = 0, start = random_between(0, 10) / b.fastest, half = pow(10, random_between(-4, 0));
        for (int k = 0; k < 3; k++) c = fmax(c, fabs(m[(k + 1) % 3] - m[(k + 2) % 3]) / m[k]);
        TacVec3 local = random_direction(), place[3];
        for (int n = 0; n < 3; n++) place[n] = tac_rotate(turned(&b, start + n * half / b.fastest).q, local);
        double off = tac_norm(tac_sub(place[1], tac_scale(tac_add(place[0], place[2]), 0.5)));
        double arc = 0.5 * half * half * (1 + c * 0.578);
        if (!(off <= arc + 1e-6)) fail_msg("body %d: %g m off a line of %g radians", i, off, 2 * half);
    }
}

// Turning about a principal axis, and as near to one as numbers can tell, is steady; of the axis in the middle too, for as
// long as it takes what is beside it to grow.
static void test_what_spins_about_an_axis_stays_there(void **state) {
    (void)state;
    for (int i = 0; i < 300; i++) {
        Body b = random_body(i, 1e4);
        double axis[3] = {0, 0, 0}, beside = i % 2 ? 0 : 1e-13;
        axis[i % 3] = 1;
        TacVec3 w = {axis[0] + beside, axis[1] - beside, axis[2] + beside};
        b.q = b.inertia.axes = (TacQuat){0, 0, 0, 1};
        b.omega = tac_scale(w, pow(10, random_between(0, 4)));
        double seconds = 3 / tac_norm(b.omega);
        TacQuat steady = tac_quat_from_vector(tac_scale(b.omega, seconds));
        double off = angle_between(turned(&b, seconds).q, steady);
        if (!(off < 1e-8)) fail_msg("body %d: a steady turn is off by %g", i, off);
    }
}

// Numbers beyond all bounds take bounded time, and give a rotation.
static void test_any_speed_and_any_time_end(void **state) {
    (void)state;
    for (int i = 0; i < 40; i++) {
        Body b = random_body(i, 1e4);
        b.omega = tac_scale(b.omega, pow(10, random_between(0, 20)));
        Body after = turned(&b, pow(10, random_between(0, 20)));
        double n = sqrt(after.q.x * after.q.x + after.q.y * after.q.y + after.q.z * after.q.z +
                        after.q.w * after.q.w);
        assert_true(fabs(n - 1) < 1e-12);
        assert_true(fabs(energy_of(&after) / energy_of(&b)) < 1e9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_turn_as_euler_says),
        cmocka_unit_test(test_passes_are_of_fourth_order),
        cmocka_unit_test(test_momentum_and_energy_are_kept),
        cmocka_unit_test(test_the_fastest_turn_is_known),
        cmocka_unit_test(test_flights_can_be_divided),
        cmocka_unit_test(test_time_makes_no_jumps),
        cmocka_unit_test(test_points_fly_arcs),
        cmocka_unit_test(test_what_spins_about_an_axis_stays_there),
        cmocka_unit_test(test_any_speed_and_any_time_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
