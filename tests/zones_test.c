// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of k-DOPs, sweep and prune, and zones (src/geometry) against looking at every pair.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/random.h"
#include "geometry/zones.h"

static TacVec3 random_place(TacRandom *random, double size) {
    return tac_vec3(tac_random_between(random, -size, size), tac_random_between(random, -size, size),
                    tac_random_between(random, -size, size));
}

static const int ks[] = {6, 14, 18, 26};

static void kdops_hold_what_they_were_given(void **state) {
    (void)state;
    assert_int_equal(tac_kdop_axes(7), 0);
    TacRandom random = tac_random(1, 1);
    for (int t = 0; t < 400; t++) {
        int axes = tac_kdop_axes(ks[t % 4]);
        assert_int_equal(2 * axes, ks[t % 4]);
        TacKdop kdop;
        tac_kdop_clear(&kdop);
        TacVec3 centre = random_place(&random, 1);
        double radius = tac_random_unit(&random);
        tac_kdop_add_ball(&kdop, axes, centre, radius);
        // every point of the ball is inside; each pair of planes touches it
        for (int i = 0; i < axes; i++) {
            TacVec3 d = tac_unit(tac_kdop_axis(axes, i));
            double length = tac_kdop_axis_length(axes, i);
            double top = tac_dot(tac_kdop_axis(axes, i), tac_axpy(centre, radius, d));
            assert_true(fabs(kdop.high[i] - top) < 1e-12);
            assert_true(fabs(kdop.high[i] - kdop.low[i] - 2 * radius * length) < 1e-12);
        }
        TacKdop point;
        tac_kdop_clear(&point);
        assert_false(tac_kdop_overlap(&kdop, &point, axes));
        tac_kdop_add_ball(&point, axes, tac_axpy(centre, 0.999 * radius, tac_unit(random_place(&random, 1))),
                          0);
        assert_true(tac_kdop_overlap(&kdop, &point, axes));
    }
}

// Two balls on a diagonal: boxes overlap, the k-DOP with that diagonal knows better.
static void more_directions_part_more(void **state) {
    (void)state;
    bool overlaps[4];
    for (int i = 0; i < 4; i++) {
        int axes = tac_kdop_axes(ks[i]);
        TacKdop a, b;
        tac_kdop_clear(&a);
        tac_kdop_clear(&b);
        tac_kdop_add_ball(&a, axes, tac_vec3(0, 0, 0), 1);
        tac_kdop_add_ball(&b, axes, tac_vec3(1.5, 1.5, 0), 1);
        overlaps[i] = tac_kdop_overlap(&a, &b, axes);
        tac_kdop_grow(&b, axes, 0.2);
        assert_true(tac_kdop_overlap(&a, &b, axes));
    }
    assert_true(overlaps[0]);
    assert_false(overlaps[2]);
    assert_false(overlaps[3]);
}

typedef struct Crowd {
    TacKdop bounds[300];
    bool there[300];
    uint32_t count;
    int axes;
} Crowd;

static void check_pairs(TacZones *zones, const Crowd *crowd) {
    const TacZonePair *pairs;
    size_t count, expected = 0;
    assert_int_equal(tac_zones_pairs(zones, &pairs, &count, NULL), TAC_OK);
    for (uint32_t a = 0; a < crowd->count; a++)
        for (uint32_t b = a + 1; b < crowd->count; b++) {
            if (!crowd->there[a] || !crowd->there[b]) continue;
            if (!tac_kdop_overlap(&crowd->bounds[a], &crowd->bounds[b], crowd->axes)) continue;
            assert_true(expected < count);
            assert_int_equal(pairs[expected].a, a);
            assert_int_equal(pairs[expected].b, b);
            expected++;
        }
    assert_int_equal(expected, count);
    for (uint32_t a = 0; a < crowd->count; a += 7) {
        assert_int_equal(tac_zones_near(zones, a, &pairs, &count, NULL), TAC_OK);
        expected = 0;
        for (uint32_t b = 0; b < crowd->count && crowd->there[a]; b++)
            if (b != a && crowd->there[b] &&
                tac_kdop_overlap(&crowd->bounds[a], &crowd->bounds[b], crowd->axes)) {
                assert_true(expected < count);
                assert_int_equal(pairs[expected].a + pairs[expected].b - a, b);
                expected++;
            }
        assert_int_equal(expected, count);
    }
}

// Crowds that move, change size by orders of magnitude, leave and come back; some reach to infinity.
static void zones_find_what_a_search_finds(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        TacRandom random = tac_random(seed, 9);
        Crowd crowd = {.count = 20 + 25 * (uint32_t)seed, .axes = tac_kdop_axes(ks[seed % 4])};
        TacZones zones = {.axes = crowd.axes};
        double scale = pow(10, (double)(seed % 5) - 2);
        for (int round = 0; round < 25; round++) {
            if (round == 12) scale *= 100;
            for (uint32_t i = 0; i < crowd.count; i++) {
                if (round > 0 && tac_random_bits(&random) % 3) continue;
                tac_kdop_clear(&crowd.bounds[i]);
                crowd.there[i] = tac_random_bits(&random) % 12 != 0;
                double radius = scale * 0.1 * pow(10, tac_random_between(&random, -1, 0.5));
                if (crowd.there[i])
                    tac_kdop_add_ball(&crowd.bounds[i], crowd.axes, random_place(&random, scale), radius);
                if (crowd.there[i] && tac_random_bits(&random) % 64 == 0) {
                    crowd.bounds[i].low[1] = -INFINITY;
                    for (int k = 3; k < crowd.axes; k++) {
                        crowd.bounds[i].low[k] = -INFINITY;
                        crowd.bounds[i].high[k] = INFINITY;
                    }
                }
                assert_int_equal(tac_zones_set(&zones, i, &crowd.bounds[i], NULL), TAC_OK);
            }
            check_pairs(&zones, &crowd);
        }
        // somewhere far out, and not a number
        tac_kdop_clear(&crowd.bounds[0]);
        tac_kdop_add_ball(&crowd.bounds[0], crowd.axes, tac_vec3(1e300, 0, 0), 1);
        crowd.there[0] = true;
        assert_int_equal(tac_zones_set(&zones, 0, &crowd.bounds[0], NULL), TAC_OK);
        TacKdop nan = crowd.bounds[0];
        nan.low[2] = NAN;
        assert_int_equal(tac_zones_set(&zones, 1, &nan, NULL), TAC_OK);
        crowd.there[1] = false;
        check_pairs(&zones, &crowd);
        tac_zones_free(&zones);
    }
}

static bool count_pair(void *data, uint32_t a, uint32_t b) {
    (void)a;
    (void)b;
    return --*(int *)data > 0;
}

static bool add_pair(void *data, uint32_t a, uint32_t b) {
    uint8_t(*found)[100] = data;
    found[a][b]++;
    found[b][a]++;
    return true;
}

static void sweep_sorts_and_stops(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 3);
    TacSweep sweep = {0};
    static double low[100][3], high[100][3];
    for (uint32_t i = 0; i < 100; i++) {
        for (int k = 0; k < 3; k++) {
            low[i][k] = 0.01 * floor(100 * tac_random_unit(&random)); // many touch
            high[i][k] = low[i][k] + 0.2;
        }
        assert_true(tac_sweep_add(&sweep, i, low[i], high[i]));
    }
    tac_sweep_sort(&sweep);
    for (size_t i = 1; i < sweep.count; i++)
        assert_true(sweep.entries[i - 1].low[0] <= sweep.entries[i].low[0]);
    tac_sweep_remove(&sweep, 77);
    tac_sweep_remove(&sweep, 77);
    assert_int_equal(sweep.count, 99);
    static uint8_t found[100][100];
    assert_true(tac_sweep_pairs(&sweep, add_pair, found));
    for (uint32_t i = 0; i < 100; i++)
        for (uint32_t j = i + 1; j < 100; j++) {
            bool meet = i != 77 && j != 77;
            for (int k = 0; k < 3; k++) meet = meet && low[i][k] <= high[j][k] && low[j][k] <= high[i][k];
            assert_int_equal(found[i][j], meet);
        }
    int left = 5;
    assert_false(tac_sweep_pairs(&sweep, count_pair, &left));
    assert_int_equal(left, 0);
    tac_sweep_free(&sweep);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kdops_hold_what_they_were_given),
        cmocka_unit_test(more_directions_part_more),
        cmocka_unit_test(sweep_sorts_and_stops),
        cmocka_unit_test(zones_find_what_a_search_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
