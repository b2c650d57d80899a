// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Boxes made from points and balls hold them, at all scales, and are wider by little.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/dop.h"

#include <float.h>

static const int SIDES[] = {6, 14, 18, 26};

static TacVec3 anywhere(TacRandom *random, double reach) {
    return tac_vec3(tac_random_between(random, -reach, reach), tac_random_between(random, -reach, reach),
                    tac_random_between(random, -reach, reach));
}

// The directions of k = 26 in their order: faces, corners, edges; 18 leaves out the corners, 14 the edges.
static const int AXES[13][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 1},  {-1, 1, 1},
                                {1, -1, 1}, {1, 1, -1}, {1, 1, 0}, {1, -1, 0}, {1, 0, 1},
                                {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

static const int *axis_of(int k, int i) {
    return AXES[k == 18 && i >= 3 ? i + 4 : i];
}

static long double along(const int *axis, TacVec3 p) {
    return (long double)axis[0] * p.x + (long double)axis[1] * p.y + (long double)axis[2] * p.z;
}

// By the definition, in more digits; `slack` is how much wider it may be.
static void expect_ball(const TacDop *box, int k, TacVec3 centre, double radius, double slack) {
    for (int i = 0; i < k / 2; i++) {
        const int *axis = axis_of(k, i);
        long double length = sqrtl((long double)(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]));
        long double high = along(axis, centre) + radius * length, low = along(axis, centre) - radius * length;
        // long doubles round too: by far less than what the box is rounded outward
        long double bit = 1e-18L * (fabsl(high) + fabsl(low));
        assert_true((long double)box->reach[2 * i] >= high - bit);
        assert_true((long double)box->reach[2 * i] <= high + slack);
        assert_true(-(long double)box->reach[2 * i + 1] <= low + bit);
        assert_true(-(long double)box->reach[2 * i + 1] >= low - slack);
    }
}

static void balls(void **state) {
    (void)state;
    TacRandom random = tac_random(13, 1);
    for (int n = 0; n < 20000; n++) {
        int k = SIDES[n % 4];
        double scale = pow(10, tac_random_between(&random, -30, 30));
        TacVec3 centre = anywhere(&random, scale);
        double radius = n % 3 ? tac_random_between(&random, 0, scale) : 0;
        TacDop box = tac_dop_empty();
        tac_dop_add_ball(&box, k, centre, radius);
        expect_ball(&box, k, centre, radius, scale * 2e-6);
        // another one within changes nothing; one outside only adds
        TacDop both = box;
        tac_dop_add_ball(&both, k, centre, 0.5 * radius);
        assert_memory_equal(both.reach, box.reach, (size_t)k * sizeof(float));
        TacVec3 other = anywhere(&random, scale);
        TacDop alone = tac_dop_empty();
        tac_dop_add_ball(&alone, k, other, 0);
        tac_dop_add_ball(&both, k, other, 0);
        for (int j = 0; j < k; j++)
            assert_true(both.reach[j] == (box.reach[j] > alone.reach[j] ? box.reach[j] : alone.reach[j]));
    }
}

// Along slanted axes large numbers cancel: exact sums stay inside.
static void cancellation(void **state) {
    (void)state;
    TacRandom random = tac_random(13, 2);
    for (int n = 0; n < 20000; n++) {
        // the two that cancel last swallow bits of the third, or have bits of their own left
        double x = tac_random_between(&random, -1, 1), rest = tac_random_between(&random, -1e-16, 1e-16);
        TacVec3 p = n % 2 ? tac_vec3(x, rest, -x) : tac_vec3(x, -x + rest, 0.1 * rest);
        TacDop box = tac_dop_empty();
        tac_dop_add_ball(&box, 14, p, 0);
        long double sum = (long double)p.x + p.y + p.z;
        assert_true((long double)box.reach[6] >= sum && -(long double)box.reach[7] <= sum);
    }
}

// What no float can hold.
static void extremes(void **state) {
    (void)state;
    TacDop unknown = tac_dop_empty(), far = tac_dop_empty(), tiny = tac_dop_empty();
    tac_dop_add_ball(&unknown, 26, tac_vec3(NAN, 0, 0), 1);
    assert_true(unknown.reach[0] == INFINITY && unknown.reach[1] == INFINITY);
    tac_dop_add_ball(&far, 26, tac_vec3(1e300, -1e300, 0), 1);
    for (int j = 0; j < 26; j++) assert_true(far.reach[j] >= -FLT_MAX);
    assert_true(far.reach[0] == INFINITY && far.reach[1] == -FLT_MAX);
    assert_true(far.reach[2] == -FLT_MAX && far.reach[3] == INFINITY);
    tac_dop_add_ball(&tiny, 6, tac_vec3(1e-300, -1e-300, 0), 0);
    assert_true((double)tiny.reach[0] >= 1e-300 && -(double)tiny.reach[3] <= -1e-300);
    for (int j = 0; j < 26; j++) assert_true(tac_dop_empty().reach[j] == -INFINITY);
    for (int k = -1; k < 40; k++)
        assert_int_equal(tac_dop_k_valid(k), k == 6 || k == 14 || k == 18 || k == 26);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls), cmocka_unit_test(cancellation),
                                       cmocka_unit_test(extremes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
