// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Closest points: plain shapes, slivers, parallel edges and shapes without area, at all scales, against the
// same question asked in numbers of 113 bits and against points sampled on the shapes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/closest.h"

#include <float.h>

__extension__ typedef __float128 Wide;

typedef struct WideVec3 {
    Wide x, y, z;
} WideVec3;

// 64 units in the last place of the largest difference: four times what closest.h says
static const double ALLOWED = 64 * 0x1p-53;

// --- the reference ----------------------------------------------------------------------------------------

static WideVec3 wide_sub(WideVec3 a, WideVec3 b) {
    return (WideVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static WideVec3 wide(TacVec3 a) {
    return (WideVec3){a.x, a.y, a.z};
}

static Wide wide_dot(WideVec3 a, WideVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// a + s b
static WideVec3 wide_axpy(WideVec3 a, Wide s, WideVec3 b) {
    return (WideVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static Wide wide_min(Wide a, Wide b) {
    return a < b ? a : b;
}

static Wide wide_point_segment(WideVec3 p, WideVec3 a, WideVec3 b) {
    WideVec3 e = wide_sub(b, a), ap = wide_sub(p, a);
    Wide square = wide_dot(e, e), t = square > 0 ? wide_dot(ap, e) / square : 0;
    WideVec3 gap = wide_axpy(ap, t < 0 ? -(Wide)0 : (t > 1 ? -(Wide)1 : -t), e);
    return wide_dot(gap, gap);
}

static Wide wide_point_triangle(const TacVec3 x[4]) {
    WideVec3 p = wide(x[0]), a = wide(x[1]), b = wide(x[2]), c = wide(x[3]);
    Wide best = wide_min(wide_point_segment(p, a, b),
                         wide_min(wide_point_segment(p, b, c), wide_point_segment(p, c, a)));
    WideVec3 u = wide_sub(b, a), v = wide_sub(c, a), w = wide_sub(p, a);
    Wide uu = wide_dot(u, u), uv = wide_dot(u, v), vv = wide_dot(v, v), uw = wide_dot(u, w),
         vw = wide_dot(v, w);
    Wide determinant = uu * vv - uv * uv, s = vv * uw - uv * vw, t = uu * vw - uv * uw;
    if (determinant > 0 && s > 0 && t > 0 && s + t < determinant) {
        // s and t are each as wrong as a small determinant makes them: the best s for this t is not
        Wide across = t / determinant;
        WideVec3 from = wide_axpy(a, across, v), to = wide_axpy(from, 1 - across, u);
        best = wide_min(best, wide_point_segment(p, from, to));
    }
    return best;
}

static Wide wide_edges(const TacVec3 x[4]) {
    WideVec3 a = wide(x[0]), b = wide(x[1]), c = wide(x[2]), d = wide(x[3]);
    Wide best = wide_min(wide_min(wide_point_segment(a, c, d), wide_point_segment(b, c, d)),
                         wide_min(wide_point_segment(c, a, b), wide_point_segment(d, a, b)));
    WideVec3 u = wide_sub(b, a), v = wide_sub(d, c), w = wide_sub(a, c);
    Wide uu = wide_dot(u, u), uv = wide_dot(u, v), vv = wide_dot(v, v), uw = wide_dot(u, w),
         vw = wide_dot(v, w);
    Wide determinant = uu * vv - uv * uv, s = uv * vw - vv * uw, t = uu * vw - uv * uw;
    if (determinant > 0 && s > 0 && s < determinant && t > 0 && t < determinant) {
        best = wide_min(best, wide_point_segment(wide_axpy(c, t / determinant, v), a, b));
    }
    return best;
}

// --- what is asked ----------------------------------------------------------------------------------------

static double size_of(const TacVec3 x[4]) {
    double size = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            TacVec3 e = tac_sub(x[i], x[j]);
            size = fmax(size, fmax(fabs(e.x), fmax(fabs(e.y), fabs(e.z))));
        }
    return size;
}

static void expect_weight(double w) {
    if (!(w >= 0 && w <= 1)) fail_msg("a weight of %.17g", w);
}

static void expect_distance(const char *what, const TacVec3 x[4], double square, Wide reference) {
    double distance = sqrt(square), exact = sqrt((double)reference), off = fabs(distance - exact);
    if (!(off <= ALLOWED * size_of(x))) {
        for (int i = 0; i < 4; i++) print_message("%.17g %.17g %.17g\n", x[i].x, x[i].y, x[i].z);
        fail_msg("%s: distance %.17g, expected %.17g, off by %.3g of the size", what, distance, exact,
                 off / size_of(x));
    }
}

// The distance between the points that the weights name, in wide numbers.
static void expect_named_points(const char *what, const TacVec3 x[4], const double signed_weights[4],
                                double square) {
    WideVec3 gap = {0, 0, 0};
    for (int i = 0; i < 4; i++) gap = wide_axpy(gap, signed_weights[i], wide(x[i]));
    // weights sum to 1 by rounding only: far from the origin that would show
    Wide sum = 0;
    for (int i = 0; i < 4; i++) sum += signed_weights[i];
    gap = wide_axpy(gap, -sum, wide(x[0]));
    expect_distance(what, x, square, wide_dot(gap, gap));
}

static void ask_triangle(const TacVec3 x[4]) {
    double w[3];
    double square = tac_closest_point_triangle(x[0], x[1], x[2], x[3], w);
    for (int i = 0; i < 3; i++) expect_weight(w[i]);
    assert_true(fabs(w[0] + w[1] + w[2] - 1) <= 0x1p-51);
    expect_distance("point-triangle", x, square, wide_point_triangle(x));
    const double signed_weights[4] = {1, -w[0], -w[1], -w[2]};
    expect_named_points("point-triangle", x, signed_weights, square);
    double careful[3];
    expect_distance("careful point-triangle", x,
                    tac_closest_point_triangle_carefully(x[0], x[1], x[2], x[3], true, careful),
                    wide_point_triangle(x));
}

static void ask_edges(const TacVec3 x[4]) {
    double s, t;
    double square = tac_closest_edges(x[0], x[1], x[2], x[3], &s, &t);
    expect_weight(s);
    expect_weight(t);
    expect_distance("edges", x, square, wide_edges(x));
    const double signed_weights[4] = {1 - s, s, t - 1, -t};
    expect_named_points("edges", x, signed_weights, square);
    expect_distance("careful edges", x, tac_closest_edges_carefully(x[0], x[1], x[2], x[3], true, &s, &t),
                    wide_edges(x));
}

static void ask_segment(const TacVec3 x[4]) {
    double t;
    double square = tac_closest_point_segment(x[0], x[1], x[2], &t);
    expect_weight(t);
    expect_distance("point-segment", x, square, wide_point_segment(wide(x[0]), wide(x[1]), wide(x[2])));
}

static void ask_all(const TacVec3 x[4]) {
    ask_triangle(x);
    ask_edges(x);
    ask_segment(x);
}

// --- families ---------------------------------------------------------------------------------------------

static TacVec3 anywhere(TacRandom *random, double reach) {
    return tac_vec3(tac_random_between(random, -reach, reach), tac_random_between(random, -reach, reach),
                    tac_random_between(random, -reach, reach));
}

static double some_power(TacRandom *random, double lowest) {
    return pow(10, tac_random_between(random, lowest, 0));
}

static void random_shapes(void **state) {
    (void)state;
    TacRandom random = tac_random(1, 1);
    for (int n = 0; n < 20000; n++) {
        TacVec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = anywhere(&random, 1);
        ask_all(x);
    }
}

// The third point off the line of two others by anything from 1 to 1e-20 of its length, the fourth off a point
// of the plane by as wide a choice: slivers, caps, needles, and points on, in and near them.
static void slivers(void **state) {
    (void)state;
    TacRandom random = tac_random(2, 1);
    for (int n = 0; n < 40000; n++) {
        TacVec3 a = anywhere(&random, 1), b = anywhere(&random, 1);
        TacVec3 c = tac_axpy(a, tac_random_between(&random, -0.5, 1.5), tac_sub(b, a));
        c = tac_add(c, anywhere(&random, some_power(&random, -20)));
        double s = tac_random_between(&random, -0.2, 1.2), t = tac_random_between(&random, -0.2, 1.2 - s);
        TacVec3 p = tac_axpy(tac_axpy(a, s, tac_sub(b, a)), t, tac_sub(c, a));
        p = tac_add(p, anywhere(&random, some_power(&random, -20)));
        const TacVec3 orders[3][4] = {{p, a, b, c}, {p, b, c, a}, {p, c, a, b}};
        for (int i = 0; i < 3; i++) ask_all(orders[i]);
    }
}

// Two edges with anything from 1 to 1e-20 between their directions, that pass each other as near.
static void nearly_parallel_edges(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 1);
    for (int n = 0; n < 40000; n++) {
        TacVec3 direction = anywhere(&random, 1), a = anywhere(&random, 1), b = tac_add(a, direction);
        TacVec3 turned = tac_add(direction, anywhere(&random, some_power(&random, -20)));
        turned = tac_scale(turned, tac_random_between(&random, -2, 2));
        TacVec3 crossing = tac_axpy(a, tac_random_between(&random, -0.2, 1.2), direction);
        TacVec3 c = tac_axpy(crossing, tac_random_between(&random, -1.2, 0.2), turned);
        c = tac_add(c, anywhere(&random, some_power(&random, -20)));
        const TacVec3 x[4] = {a, b, c, tac_add(c, turned)};
        ask_all(x);
    }
}

// Small whole coordinates: equal points, equal edges, collinear and coplanar ones, exact right angles.
static void whole_coordinates(void **state) {
    (void)state;
    TacRandom random = tac_random(4, 1);
    for (int n = 0; n < 60000; n++) {
        TacVec3 x[4];
        for (int i = 0; i < 4; i++)
            x[i] = tac_vec3(tac_random_bits(&random) % 3, tac_random_bits(&random) % 3,
                            tac_random_bits(&random) % 2);
        ask_all(x);
    }
}

// One large point among small ones, and coordinates far from the origin.
static void mixed_sizes(void **state) {
    (void)state;
    TacRandom random = tac_random(5, 1);
    for (int n = 0; n < 20000; n++) {
        TacVec3 x[4], far = anywhere(&random, n % 2 ? 1e6 : 0);
        for (int i = 0; i < 4; i++) x[i] = tac_add(far, anywhere(&random, some_power(&random, -12)));
        ask_all(x);
    }
}

// Weights do not depend on the unit, to the last bit, as far as doubles reach; nothing is ever NaN.
static void every_scale(void **state) {
    (void)state;
    TacRandom random = tac_random(6, 1);
    for (int n = 0; n < 300; n++) {
        TacVec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = anywhere(&random, 1);
        if (n % 3 == 0) x[3] = tac_axpy(x[2], 0.25, tac_sub(x[2], x[1]));
        double first[5];
        for (int exponent = -900; exponent <= 1023; exponent += 37) {
            TacVec3 y[4];
            double w[5], t;
            for (int i = 0; i < 4; i++) y[i] = tac_scale(x[i], ldexp(1, exponent));
            double d1 = tac_closest_point_triangle_carefully(y[0], y[1], y[2], y[3], true, w);
            double d2 = tac_closest_edges_carefully(y[0], y[1], y[2], y[3], true, &w[3], &w[4]);
            double d3 = tac_closest_point_segment(y[0], y[1], y[2], &t);
            double d4 = tac_closest_point_triangle(y[0], y[1], y[2], y[3], (double[3]){0});
            double d5 = tac_closest_edges(y[0], y[1], y[2], y[3], &t, &t);
            assert_false(isnan(d1) || isnan(d2) || isnan(d3) || isnan(d4) || isnan(d5));
            for (int i = 0; i < 5; i++) {
                if (exponent == -900) first[i] = w[i];
                if (w[i] != first[i]) fail_msg("weight %d: %.17g, then %.17g", i, first[i], w[i]);
            }
        }
    }
}

// Any finite doubles, by their bits.
static void any_doubles(void **state) {
    (void)state;
    static const double special[] = {0, DBL_MAX, -DBL_MAX, DBL_MIN, 4.9406564584124654e-324,
                                     1, -1,      1e160,    1e-160};
    TacRandom random = tac_random(7, 1);
    for (int n = 0; n < 100000; n++) {
        double c[12], w[3], s, t;
        for (int i = 0; i < 12; i++) {
            c[i] = special[tac_random_bits(&random) % 9];
            if (tac_random_bits(&random) % 2)
                c[i] =
                    ldexp(tac_random_between(&random, -1, 1), (int)(tac_random_bits(&random) % 2100) - 1075);
        }
        TacVec3 x[4] = {tac_load3(c), tac_load3(c + 3), tac_load3(c + 6), tac_load3(c + 9)};
        double d1 = tac_closest_point_triangle(x[0], x[1], x[2], x[3], w);
        double d2 = tac_closest_edges(x[0], x[1], x[2], x[3], &s, &t);
        double d3 = tac_closest_point_segment(x[0], x[1], x[2], &t);
        assert_true(d1 >= 0 && d2 >= 0 && d3 >= 0);
        for (int i = 0; i < 3; i++) expect_weight(w[i]);
        assert_true(fabs(w[0] + w[1] + w[2] - 1) <= 0x1p-51);
        expect_weight(s);
        expect_weight(t);
    }
}

// No sampled point of the shapes is nearer.
static void sampled_points(void **state) {
    (void)state;
    TacRandom random = tac_random(8, 1);
    enum { GRID = 24 };
    for (int n = 0; n < 300; n++) {
        TacVec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = anywhere(&random, 1);
        double w[3], s, t, triangle = tac_closest_point_triangle(x[0], x[1], x[2], x[3], w);
        double edges = tac_closest_edges(x[0], x[1], x[2], x[3], &s, &t), sampled = INFINITY,
               crossed = INFINITY;
        for (int i = 0; i <= GRID; i++)
            for (int j = 0; j <= GRID; j++) {
                double p = (double)i / GRID, q = (double)j / GRID;
                TacVec3 on_first = tac_axpy(x[0], p, tac_sub(x[1], x[0]));
                TacVec3 on_second = tac_axpy(x[2], q, tac_sub(x[3], x[2]));
                TacVec3 gap = tac_sub(on_first, on_second);
                crossed = fmin(crossed, tac_dot(gap, gap));
                if (i + j > GRID) continue;
                TacVec3 inside = tac_axpy(tac_axpy(x[1], p, tac_sub(x[2], x[1])), q, tac_sub(x[3], x[1]));
                gap = tac_sub(x[0], inside);
                sampled = fmin(sampled, tac_dot(gap, gap));
            }
        assert_true(triangle <= sampled + 1e-15 && edges <= crossed + 1e-15);
        // and samples stand close enough for one of them to be about as near
        assert_true(sqrt(sampled) <= sqrt(triangle) + 4.0 / GRID &&
                    sqrt(crossed) <= sqrt(edges) + 4.0 / GRID);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_shapes),         cmocka_unit_test(slivers),
        cmocka_unit_test(nearly_parallel_edges), cmocka_unit_test(whole_coordinates),
        cmocka_unit_test(mixed_sizes),           cmocka_unit_test(every_scale),
        cmocka_unit_test(any_doubles),           cmocka_unit_test(sampled_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
