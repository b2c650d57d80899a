// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs side by side do what pairs one by one do, to the last bit: the formulas of one pair are written out here.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "contact/safe_wide.h"
#include "geometry/closest.h"

enum { WIDE = TAC_SAFE_WIDE };

// Corners at random: of any size and place, some in a plane, some along a line, some the same.
static void scatter(TacRandom *random, bool edges, TacSafeWide *w) {
    for (int i = 0; i < WIDE; i++) {
        double size = exp(tac_random_between(random, -12, 5)),
               far = size * tac_random_between(random, 0, 100);
        int kind = (int)tac_random_between(random, 0, 8);
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 3; k++)
                w->q[c][k][i] =
                    far + size * tac_random_between(random, -1, 1) * (kind == 1 && k == 2 ? 0 : 1);
        for (int k = 0; k < 3 && kind == 2; k++) w->q[3][k][i] = 2 * w->q[2][k][i] - w->q[1][k][i];
        for (int k = 0; k < 3 && kind == 3; k++) w->q[3][k][i] = w->q[1][k][i];
        // an edge across the other, or a vertex over the middle of its face
        for (int k = 0; k < 3 && kind >= 4 && edges; k++)
            w->q[1][k][i] = w->q[2][k][i] + w->q[3][k][i] - w->q[0][k][i] + 0.01 * size;
        for (int k = 0; k < 3 && kind >= 4 && !edges; k++)
            w->q[0][k][i] = (w->q[1][k][i] + w->q[2][k][i] + w->q[3][k][i]) / 3 + 0.01 * size;
        for (int c = 0; c < 4; c++) {
            for (int k = 0; k < 3; k++) w->pace[c][k][i] = tac_random_between(random, -2, 2);
            w->slack[c][i] = tac_random_between(random, 0, 0.5);
            for (int k = 0; k < 3; k++)
                w->fall[c][k][i] =
                    tac_random_between(random, -1, 1) * exp(16 * tac_random_between(random, 0, 1));
        }
        w->radius[i] = 0.001 * size;
        w->limit[i] = 0.002 * size;
        w->period[i] = tac_random_between(random, 0, 1e-3);
    }
}

static TacVec3 corner(const TacSafeWide *w, int c, int i) {
    return tac_vec3(w->q[c][0][i], w->q[c][1][i], w->q[c][2][i]);
}

static void weigh(const TacSafeWide *w, bool edges, int i, double weight[4]) {
    TacVec3 a = corner(w, 0, i), b = corner(w, 1, i), c = corner(w, 2, i), d = corner(w, 3, i);
    double s, t, corners[3];
    if (edges) {
        tac_closest_edges(a, b, c, d, &s, &t);
        weight[0] = 1 - s;
        weight[1] = s;
        weight[2] = -(1 - t);
        weight[3] = -t;
    } else {
        tac_closest_point_triangle(a, b, c, d, corners);
        weight[0] = 1;
        for (int k = 0; k < 3; k++) weight[k + 1] = -corners[k];
    }
}

static void test_closest_points(void **state) {
    (void)state;
    TacRandom random = tac_random(1, 0);
    size_t common[2] = {0, 0};
    for (int round = 0; round < 4000; round++) {
        bool edges = round & 1;
        TacSafeWide w;
        scatter(&random, edges, &w);
        tac_safe_closest_wide(&w, edges);
        for (int i = 0; i < WIDE; i++) {
            double weight[4], n[3] = {0, 0, 0};
            if (w.rare[i]) continue;
            common[edges]++;
            weigh(&w, edges, i, weight);
            for (int c = 0; c < 4; c++) assert_true(w.weight[c][i] == weight[c]);
            for (int c = 1; c < 4; c++)
                for (int k = 0; k < 3; k++) n[k] += weight[c] * (w.q[c][k][i] - w.q[0][k][i]);
            double distance = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            assert_true(w.distance[i] == distance && distance > 0);
            for (int k = 0; k < 3; k++) assert_true(w.normal[k][i] == n[k] * (1 / distance));
        }
    }
    assert_true(common[0] > 20000 && common[1] > 25000);
}

// Edges that are all but parallel, side by side: most are so near to it that they share their push.
static void lay_along(TacRandom *random, TacSafeWide *w) {
    for (int i = 0; i < WIDE; i++) {
        double tilt = exp(tac_random_between(random, -16, -3)), near = exp(tac_random_between(random, -6, 0));
        double turn = tac_random_between(random, -1, 1) > 0 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
            double along = k == 0 ? turn : 0;
            w->q[2][k][i] =
                w->q[0][k][i] + (k == 1 ? near : 0) + tac_random_between(random, -0.3, 0.3) * along;
            w->q[1][k][i] = w->q[0][k][i] + (k == 0 ? 1 : 0);
            w->q[3][k][i] = w->q[2][k][i] + along + tilt * tac_random_between(random, -1, 1);
        }
        w->lossy[i] = tac_random_between(random, 0, 1) < 0.8;
    }
}

static void test_parallel_edges(void **state) {
    (void)state;
    TacRandom random = tac_random(4, 0);
    TacPrimitive edges[2] = {{.kind = TAC_PRIMITIVE_EDGE}, {.kind = TAC_PRIMITIVE_EDGE}};
    TacPairType types[2] = {{.restitution = 1}, {.restitution = 0.5}};
    TacVertex vertices[1] = {{.kept = false}};
    const TacSafe safe = {.primitives = edges, .types = types, .vertices = vertices};
    size_t moved = 0;
    for (int round = 0; round < 2000; round++) {
        TacSafeWide w;
        scatter(&random, true, &w);
        lay_along(&random, &w);
        tac_safe_closest_wide(&w, true);
        TacSafeWide before = w;
        tac_safe_share_wide(&w);
        for (int i = 0; i < WIDE; i++) {
            if (w.rare[i]) continue;
            const TacPair pair = {.a = 0, .b = 1, .type = w.lossy[i] ? 1 : 0};
            double q[4][3];
            for (int c = 0; c < 4; c++) tac_store3(q[c], corner(&w, c, i));
            TacSafeClosest closest = tac_safe_closest(&safe, &pair, q);
            tac_safe_share(&safe, &pair, q, &closest, 0);
            for (int c = 0; c < 4; c++) assert_true(w.weight[c][i] == closest.weight[c]);
            for (int k = 0; k < 3; k++) assert_true(w.normal[k][i] == closest.normal[k]);
            assert_true(w.distance[i] == closest.distance);
            // seen from the other side it is the same
            double other[4][3];
            memcpy(other[0], q[2], sizeof q / 2);
            memcpy(other[2], q[0], sizeof q / 2);
            TacSafeClosest back = tac_safe_closest(&safe, &pair, other);
            tac_safe_share(&safe, &pair, other, &back, 0);
            assert_true(fabs(back.distance - closest.distance) < 1e-9 * closest.distance);
            // still between two points of theirs, hardly farther apart than the nearest
            assert_true(w.distance[i] <= 1.02 * before.distance[i]);
            assert_true(w.lossy[i] || w.weight[1][i] == before.weight[1][i]);
            moved += w.weight[1][i] != before.weight[1][i];
        }
    }
    assert_true(moved > 5000);
}

// Vertices that keep their paces for a period never come nearer to the limit than the margin says.
static void test_margins(void **state) {
    (void)state;
    TacRandom random = tac_random(2, 0);
    size_t certain = 0;
    for (int round = 0; round < 4000; round++) {
        bool edges = round & 1;
        int sides = edges ? 2 : 1;
        bool uneven = round & 2;
        const double all[3] = {0, -9.81, 0};
        TacSafeWide w;
        scatter(&random, edges, &w);
        tac_safe_closest_wide(&w, edges);
        tac_safe_margins_wide(&w, edges, uneven);
        for (int i = 0; i < WIDE; i++) {
            if (w.rare[i] || !(w.margin[i] > 0)) continue;
            certain++;
            double low = INFINITY, high = -INFINITY, place[4], size = 0;
            for (int c = 0; c < 4; c++) {
                place[c] = 0;
                for (int k = 0; k < 3; k++) {
                    double off = tac_random_between(&random, -1, 1) * w.slack[c][i];
                    double g = uneven ? w.fall[c][k][i] : all[k];
                    double speed = w.pace[c][k][i] + off + 0.5 * w.period[i] * g;
                    place[c] += w.normal[k][i] * (w.q[c][k][i] + w.period[i] * speed);
                    size = fmax(size, fabs(w.q[c][k][i]));
                }
                if (c < sides) low = fmin(low, place[c]);
                if (c >= sides) high = fmax(high, place[c]);
            }
            double room = low - high - w.radius[i] - w.limit[i];
            if (!(room > w.margin[i] - 1e-13 * size)) fail_msg("%g m are left of %g", room, w.margin[i]);
        }
    }
    assert_true(certain > 1000);
}

// One pair of one class, as the document and the design have it.
static void rub(const TacSafeRub *r, int i, double impulse[3], double anchor[3]) {
    double off[3], motion[3], wanted[3], across = 0, along = 0;
    for (int k = 0; k < 3; k++) {
        off[k] = r->slide[k][i] - r->anchor[k][i];
        motion[k] = (r->slide[k][i] - r->before[k][i]) / r->seconds[i];
    }
    across = off[0] * r->normal[0][i] + off[1] * r->normal[1][i] + off[2] * r->normal[2][i];
    along = motion[0] * r->normal[0][i] + motion[1] * r->normal[1][i] + motion[2] * r->normal[2][i];
    double damping = 0.6 * sqrt(r->stiffness[i] / r->period[i] * r->mass[i]) * r->period[i];
    for (int k = 0; k < 3; k++) {
        off[k] -= across * r->normal[k][i];
        motion[k] -= along * r->normal[k][i];
        wanted[k] = -r->stiffness[i] * off[k] - damping * motion[k];
    }
    double size = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1] + wanted[2] * wanted[2]);
    double limit = r->scale[i] * r->most[i],
           length = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
    double part = size > limit ? limit / size : 1;
    double kept = r->stiffness[i] * length > r->most[i] ? r->most[i] / (r->stiffness[i] * length) : 1;
    for (int k = 0; k < 3; k++) {
        impulse[k] = r->impulse[k][i] + part * wanted[k];
        anchor[k] = r->slide[k][i] - kept * off[k];
    }
}

static void test_friction(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 0);
    size_t slides = 0;
    for (int round = 0; round < 2000; round++) {
        TacSafeRub r = {.count = WIDE}, before;
        for (int i = 0; i < WIDE; i++) {
            TacVec3 n = tac_vec3(tac_random_between(&random, -1, 1), tac_random_between(&random, -1, 1), 0.1);
            double size = tac_norm(n), normal[3] = {n.x / size, n.y / size, n.z / size};
            for (int k = 0; k < 3; k++) {
                r.normal[k][i] = normal[k];
                r.before[k][i] = tac_random_between(&random, -1e-3, 1e-3);
                r.slide[k][i] = r.before[k][i] + tac_random_between(&random, -1e-5, 1e-5);
                r.anchor[k][i] = r.before[k][i] + tac_random_between(&random, -1e-4, 1e-4);
                r.impulse[k][i] = tac_random_between(&random, -1, 1);
            }
            bool acts = i % 5 != 4; // no class is left to some
            r.seconds[i] = tac_random_between(&random, 1e-6, 1e-4);
            r.period[i] = tac_random_between(&random, 1e-6, 1e-4);
            r.mass[i] = tac_random_between(&random, 1e-3, 1);
            r.stiffness[i] = acts ? exp(tac_random_between(&random, -4, 4)) : 0;
            r.most[i] = acts ? exp(tac_random_between(&random, -12, -4)) : 0;
            r.scale[i] = tac_random_between(&random, 0, 1);
        }
        before = r;
        tac_safe_move_wide(&r);
        tac_safe_rub_wide(&r);
        for (int i = 0; i < WIDE; i++) {
            double impulse[3], anchor[3];
            rub(&before, i, impulse, anchor);
            slides += anchor[0] != before.anchor[0][i];
            for (int k = 0; k < 3; k++) assert_true(r.impulse[k][i] == impulse[k]);
            for (int k = 0; k < 3 && before.stiffness[i] > 0; k++) assert_true(r.anchor[k][i] == anchor[k]);
            // what does nothing any more changes nothing
            for (int k = 0; k < 3 && before.stiffness[i] == 0; k++)
                assert_true(r.impulse[k][i] == before.impulse[k][i]);
        }
    }
    assert_true(slides > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closest_points),
        cmocka_unit_test(test_parallel_edges),
        cmocka_unit_test(test_margins),
        cmocka_unit_test(test_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
