// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Angles by lanes: atan2 against libm's in long double, folds of hinges against the formula one by one.

#include "base/random.h"
#include "hinge_legacy.h"
#include "law/hinge_fold.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const double PI = 3.141592653589793;

// --- atan2 ------------------------------------------------------------------------------------------------

static double wide_atan2(double y, double x, size_t lane) {
    TacWide a = {0}, b = a + 1.0, out;
    a[lane] = y;
    b[lane] = x;
    tac_wide_atan2(&a, &b, &out);
    for (size_t i = 0; i < TAC_WIDTH; i++)
        if (i != lane) assert_true(out[i] == 0);
    return out[lane];
}

// In units in the last place of what is right.
static double error_of(double y, double x, size_t lane) {
    double got = wide_atan2(y, x, lane);
    long double right = atan2l((long double)y, (long double)x);
    double size = fabs((double)right), unit = nextafter(size, INFINITY) - size;
    assert_true(signbit(got) == signbit(y));
    return (double)fabsl((long double)got - right) / unit;
}

static void test_atan2_over_the_circle(void **state) {
    (void)state;
    TacRandom random = tac_random(7, 0);
    double worst = 0;
    for (int i = 0; i < 400000; i++) {
        double turn = 2 * PI * i / 400000, size = ldexp(1, (int)tac_random_between(&random, -500, 500));
        worst = fmax(worst, error_of(size * sin(turn), size * cos(turn), (size_t)i % TAC_WIDTH));
    }
    // near the axes and the borders between the pieces, however small the other number is
    for (int i = 0; i < 200000; i++) {
        double small = ldexp(tac_random_between(&random, -1, 1), -(int)tac_random_between(&random, 0, 70));
        double sign = i % 2 ? 1 : -1, border = i % 3 ? 1 : 0.41421356237309503;
        size_t lane = (size_t)i % TAC_WIDTH;
        worst = fmax(worst, error_of(small, sign, lane));
        worst = fmax(worst, error_of(sign, small, lane));
        worst = fmax(worst, error_of(sign * border * (1 + small), i % 4 < 2 ? 1 : -1, lane));
        worst = fmax(worst, error_of(sign, (i % 4 < 2 ? 1 : -1) * border * (1 + small), lane));
    }
    assert_true(worst < 2.5);
}

static void test_atan2_at_its_ends(void **state) {
    (void)state;
    const double tiny = 0x1p-1074, least = 0x1p-1022, most = 0x1p1022;
    const double numbers[] = {0, tiny, 3 * tiny, 1e5 * tiny, least, 1e-300, 1e-17, 1, 1e17, 1e300, most};
    const size_t n = sizeof numbers / sizeof *numbers;
    for (size_t i = 0; i < 4 * n * n; i++) {
        double y = (i % 2 ? -1 : 1) * numbers[i / 4 % n], x = (i / 2 % 2 ? -1 : 1) * numbers[i / 4 / n];
        double got = wide_atan2(y, x, i % TAC_WIDTH), right = y == 0 && x == 0 ? y : atan2(y, x);
        assert_true(signbit(got) == signbit(right));
        assert_true(fabs(got - right) <= 2.5 * (nextafter(fabs(right), 4) - fabs(right)));
        // the axes themselves are exact
        if (x == 0 || y == 0) assert_true(got == right);
    }
    assert_true(isnan(wide_atan2(NAN, 1, 0)) && isnan(wide_atan2(1, NAN, 1)) && isnan(wide_atan2(NAN, 0, 2)));
}

static void test_differences_of_angles(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 0);
    for (int i = 0; i < 100000; i++) {
        double a = i % 5 ? tac_random_between(&random, -PI, PI) : i % 2 ? PI : -PI;
        double b = i % 7 ? tac_random_between(&random, -PI, PI) : i % 3 ? PI : -PI;
        TacWide x = {0}, y = {0}, out;
        size_t lane = (size_t)i % TAC_WIDTH;
        x[lane] = a;
        y[lane] = b;
        tac_wide_between(&x, &y, &out);
        assert_true(fabs(out[lane]) <= PI);
        assert_true(fabs(out[lane] - legacy_between(a, b)) < 1e-15);
    }
}

// --- folds ------------------------------------------------------------------------------------------------

typedef struct Hinge {
    TacVec3 corners[4];
    double low[2];
} Hinge;

static void fold(const Hinge hinges[TAC_WIDTH], TacWide *angle, TacWide g[12]) {
    TacHingeBatch batch = {0};
    TacHingeSlope slope;
    TacWide p[12];
    for (size_t lane = 0; lane < TAC_WIDTH; lane++) {
        double numbers[12];
        for (int k = 0; k < 4; k++) tac_store3(numbers + 3 * k, hinges[lane].corners[k]);
        for (size_t i = 0; i < 12; i++) p[i][lane] = numbers[i];
        for (int k = 0; k < 2; k++) batch.least[k][lane] = hinges[lane].low[k];
    }
    tac_hinge_fold(&batch, p, angle, &slope, g);
}

// How far a lane is from the formula: of the angle, and of the gradient over its size.
static void compare(const Hinge *hinge, const TacWide *angle, const TacWide g[12], size_t lane,
                    double errors[2]) {
    TacVec3 right[4];
    double expected = legacy_angle(hinge->corners, hinge->low, right), size = 0, off = 0;
    for (size_t k = 0; k < 4; k++) {
        TacVec3 got = tac_vec3(g[3 * k][lane], g[3 * k + 1][lane], g[3 * k + 2][lane]);
        assert_true(isfinite(got.x) && isfinite(got.y) && isfinite(got.z));
        size = fmax(size, tac_norm(right[k]));
        off = fmax(off, tac_norm(tac_sub(got, right[k])));
    }
    assert_true(isfinite((*angle)[lane]));
    errors[0] = fmax(errors[0], fabs(legacy_between((*angle)[lane], expected)));
    errors[1] = fmax(errors[1], size > 0 ? off / size : off);
}

static TacVec3 somewhere(TacRandom *random, double size) {
    return tac_vec3(tac_random_between(random, -size, size), tac_random_between(random, -size, size),
                    tac_random_between(random, -size, size));
}

// Two triangles of ordinary shape across an edge of length `size`, folded by any angle, anywhere.
static void make_hinge(Hinge *hinge, TacRandom *random, double size, double turn) {
    TacVec3 x = tac_unit(somewhere(random, 1)), y = tac_unit(tac_cross(x, somewhere(random, 1)));
    TacVec3 z = tac_cross(x, y), other = tac_add(tac_scale(y, -cos(turn)), tac_scale(z, sin(turn)));
    double h[2] = {size * tac_random_between(random, 0.3, 2), size * tac_random_between(random, 0.3, 2)};
    double s[2] = {size * tac_random_between(random, -1, 2), size * tac_random_between(random, -1, 2)};
    hinge->corners[2] = somewhere(random, size);
    hinge->corners[3] = tac_axpy(hinge->corners[2], size, x);
    hinge->corners[0] = tac_axpy(tac_axpy(hinge->corners[2], s[0], x), h[0], y);
    hinge->corners[1] = tac_axpy(tac_axpy(hinge->corners[2], s[1], x), h[1], other);
    for (int i = 0; i < 2; i++) hinge->low[i] = pow(0.25 * h[i] * tac_random_between(random, 0.5, 6), 2);
}

static void test_folds_as_one_by_one(void **state) {
    (void)state;
    TacRandom random = tac_random(19, 0);
    double errors[2] = {0, 0};
    for (int round = 0; round < 20000; round++) {
        Hinge hinges[TAC_WIDTH];
        TacWide angle, g[12];
        double size = pow(10, tac_random_between(&random, -6, 4));
        for (size_t lane = 0; lane < TAC_WIDTH; lane++)
            make_hinge(&hinges[lane], &random, size, tac_random_between(&random, -PI, PI));
        fold(hinges, &angle, g);
        for (size_t lane = 0; lane < TAC_WIDTH; lane++) compare(&hinges[lane], &angle, g, lane, errors);
    }
    assert_true(errors[0] < 1e-13 && errors[1] < 1e-13);
}

// A hinge that has lost an area or its edge, among others that have not: finite, and the others do not notice.
static void test_degenerate_folds(void **state) {
    (void)state;
    TacRandom random = tac_random(23, 0);
    for (int round = 0; round < 4000; round++) {
        Hinge hinges[TAC_WIDTH];
        TacWide angle, g[12], again, h[12];
        size_t bad = (size_t)round % TAC_WIDTH;
        for (size_t lane = 0; lane < TAC_WIDTH; lane++)
            make_hinge(&hinges[lane], &random, 1, tac_random_between(&random, -3, 3));
        fold(hinges, &angle, g);
        TacVec3 *v = hinges[bad].corners;
        double tiny = pow(10, tac_random_between(&random, -170, -3));
        switch (round % 7) {
        case 0: v[0] = v[2]; break;
        case 1: v[1] = v[3]; break;
        case 2: v[3] = v[2]; break;
        case 3: v[0] = v[1] = v[2] = v[3]; break;
        case 4: v[0] = tac_axpy(v[2], tiny, tac_sub(v[0], v[2])); break; // nearly no height
        case 5:
            for (int k = 0; k < 4; k++) v[k] = tac_scale(v[k], tiny); // all of it nearly a point
            break;
        default: v[1] = v[0]; // folded upon itself
        }
        fold(hinges, &again, h);
        double errors[2] = {0, 0};
        compare(&hinges[bad], &again, h, bad, errors);
        if (round % 7 < 4) assert_true(errors[0] == 0 && errors[1] == 0);
        for (size_t lane = 0; lane < TAC_WIDTH; lane++) {
            if (lane == bad) continue;
            assert_true(angle[lane] == again[lane]);
            for (size_t i = 0; i < 12; i++) assert_true(g[i][lane] == h[i][lane]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atan2_over_the_circle), cmocka_unit_test(test_atan2_at_its_ends),
        cmocka_unit_test(test_differences_of_angles), cmocka_unit_test(test_folds_as_one_by_one),
        cmocka_unit_test(test_degenerate_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
