// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tests of balls in rows (src/geometry/ball_rows.h) against looking at every ball.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/team.h"
#include "geometry/ball_rows.h"

enum { MOST = 700, STRIDE = 4 };

typedef struct Cloud {
    size_t count;
    double x[STRIDE * MOST], radii[MOST], largest, extra;
} Cloud;

typedef enum Kind { EVEN, CROWDED, ON_A_LINE, FAR_APART, MIXED, ON_CUBES, KINDS } Kind;

static double coordinate(TacRandom *random, Kind kind, int axis, double size) {
    switch (kind) {
    case CROWDED: return tac_random_between(random, -0.3, 0.3);
    case ON_A_LINE: return axis == 1 ? tac_random_between(random, -size, size) * 10 : 5;
    // a few of them where cubes can no longer be counted
    case FAR_APART:
        return tac_random_unit(random) < 0.02 ? tac_random_between(random, -1e12, 1e12)
                                              : 1e6 + tac_random_between(random, -size, size);
    // exactly where cubes begin, and one rounding beside
    case ON_CUBES: {
        double c = 0.2 * 1.000001 * floor(tac_random_between(random, -size, size) / 0.2);
        double unit = tac_random_unit(random);
        return unit < 0.3 ? nextafter(c, INFINITY) : unit < 0.6 ? nextafter(c, -INFINITY) : c;
    }
    default: return tac_random_between(random, -size, size);
    }
}

static void make_cloud(Cloud *cloud, TacRandom *random, Kind kind, size_t count, double extra) {
    cloud->count = count;
    cloud->extra = extra;
    cloud->largest = 0;
    double size = 0.1 * cbrt((double)count) + 0.01;
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < STRIDE; k++) cloud->x[STRIDE * i + (size_t)k] = coordinate(random, kind, k, size);
        cloud->radii[i] = kind == MIXED ? pow(10, tac_random_between(random, -3, -0.7)) : 0.1;
        cloud->largest = fmax(cloud->largest, cloud->radii[i]);
    }
}

static bool near_each_other(const Cloud *c, size_t i, size_t j) {
    const double *p = c->x + STRIDE * i, *q = c->x + STRIDE * j;
    double dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
    double reach = c->radii[i] + c->radii[j] + c->extra;
    return dx * dx + dy * dy + dz * dz < reach * reach;
}

// Pairs whose sums round to the one side here and to the other there are neither asked for nor forbidden.
static bool is_close_call(const Cloud *c, size_t i, size_t j) {
    const double *p = c->x + STRIDE * i, *q = c->x + STRIDE * j;
    double d = hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]);
    double reach = c->radii[i] + c->radii[j] + c->extra;
    return fabs(d - reach) < 1e-14 * reach;
}

static void check_pairs(const TacBallRows *rows, const Cloud *cloud, size_t pieces) {
    static uint8_t found[MOST][MOST];
    memset(found, 0, sizeof found);
    TacBallPairs pairs = {0};
    for (size_t i = 0; i < pieces; i++) {
        size_t begin = cloud->count * i / pieces, end = cloud->count * (i + 1) / pieces;
        assert_true(tac_ball_rows_pairs(rows, tac_ball_rows_at(rows, begin), tac_ball_rows_at(rows, end),
                                        cloud->extra, &pairs));
    }
    for (size_t i = 0; i < pairs.count; i++) {
        TacBallPair p = pairs.items[i];
        assert_true(p.a < p.b && p.b < cloud->count);
        assert_int_equal(found[p.a][p.b]++, 0);
    }
    for (size_t i = 0; i < cloud->count; i++)
        for (size_t j = i + 1; j < cloud->count; j++)
            if (!is_close_call(cloud, i, j)) assert_int_equal(found[i][j], near_each_other(cloud, i, j));
    free(pairs.items);
}

typedef struct Seen {
    uint8_t balls[MOST];
    size_t count, most;
} Seen;

static bool see(void *data, uint32_t ball) {
    Seen *seen = data;
    assert_int_equal(seen->balls[ball]++, 0);
    return ++seen->count < seen->most;
}

static void check_boxes(const TacBallRows *rows, const Cloud *cloud, TacRandom *random) {
    for (int t = 0; t < 40; t++) {
        double low[3], high[3];
        for (size_t k = 0; k < 3; k++) {
            double at = cloud->count ? cloud->x[STRIDE * (tac_random_bits(random) % cloud->count) + k] : 0;
            low[k] = t % 5 == 0 ? -INFINITY : at - tac_random_between(random, 0, 0.5);
            high[k] = t % 7 == 0 ? INFINITY : at + tac_random_between(random, 0, 0.5);
        }
        Seen seen = {.most = SIZE_MAX};
        assert_true(tac_ball_rows_near(rows, low, high, see, &seen));
        for (size_t i = 0; i < cloud->count; i++) {
            bool meets = true;
            for (size_t k = 0; k < 3; k++) {
                double x = cloud->x[STRIDE * i + k], r = cloud->radii[i];
                meets = meets && x + r >= low[k] && x - r <= high[k];
            }
            assert_int_equal(seen.balls[i], meets);
        }
        Seen first = {.most = 1};
        assert_int_equal(tac_ball_rows_near(rows, low, high, see, &first), seen.count == 0);
        assert_int_equal(first.count, seen.count > 0);
    }
}

static void rows_find_what_a_search_finds(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 9, 64, 300, MOST};
    static const double extras[] = {0, 0.05, -0.05};
    static Cloud cloud;
    TacRandom random = tac_random(1, 1);
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int e = 0; e < 3; e++) {
                TacArena arena = {0};
                TacBallRows rows;
                make_cloud(&cloud, &random, (Kind)kind, counts[n], extras[e]);
                assert_true(tac_ball_rows_alloc(&rows, &arena, cloud.count));
                // twice: nothing is remembered
                for (int again = 0; again < 2; again++) {
                    double largest = fmax(cloud.largest, 1e-3);
                    tac_ball_rows_build(&rows, NULL, cloud.x, STRIDE, cloud.radii, largest,
                                        fmax(0, cloud.extra));
                    check_pairs(&rows, &cloud, 1);
                    check_pairs(&rows, &cloud, 7);
                    check_boxes(&rows, &cloud, &random);
                    make_cloud(&cloud, &random, (Kind)kind, cloud.count, cloud.extra);
                }
                tac_arena_destroy(&arena);
            }
}

// As many threads as one likes: the same order of places.
static void threads_change_nothing(void **state) {
    (void)state;
    enum { MANY = 9000 };
    TacRandom random = tac_random(2, 1);
    double *x = calloc(3 * MANY, sizeof *x), *radii = calloc(MANY, sizeof *radii);
    assert_non_null(x);
    assert_non_null(radii);
    for (size_t i = 0; i < 3 * MANY; i++) x[i] = tac_random_between(&random, -1, 1);
    for (size_t i = 0; i < MANY; i++) radii[i] = 0.03;
    TacArena arena = {0};
    TacBallRows rows[3];
    for (int t = 0; t < 3; t++) {
        TacTeam *team;
        assert_int_equal(tac_team_create(&team, t + 1, NULL), TAC_OK);
        assert_true(tac_ball_rows_alloc(&rows[t], &arena, MANY));
        tac_ball_rows_build(&rows[t], team, x, 3, radii, 0.03, 0);
        tac_team_destroy(team);
        assert_memory_equal(rows[t].ball, rows[0].ball, MANY * sizeof *rows[0].ball);
        assert_memory_equal(rows[t].x, rows[0].x, MANY * sizeof *rows[0].x);
        assert_memory_equal(rows[t].low, rows[0].low, sizeof rows[0].low);
        assert_int_equal(rows[t].row_count, rows[0].row_count);
    }
    tac_arena_destroy(&arena);
    free(x);
    free(radii);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_find_what_a_search_finds),
                                       cmocka_unit_test(threads_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
