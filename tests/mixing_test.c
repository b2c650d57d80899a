// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Mixing finds fixed points: of small linear maps as soon as it can know all of them, of large ones far sooner than by taking
// what comes out, and again after another map.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "math/mixing.h"

enum { MOST = 200 };

// Neighbours pass on what they are told, and something comes back: x = keep (average of neighbours) + b.
static double next_of(const double *x, int n, double keep, int i) {
    double left = i > 0 ? x[i - 1] : 0, right = i + 1 < n ? x[i + 1] : 0;
    return keep * 0.5 * (left + right) + 1;
}

// Turns until nothing would change by more than a part of what it did at first; `mixed`: not as it comes.
static int turns_to(TacMixing *m, int n, double keep, double part, bool mixed) {
    assert_true(tac_mixing_begin(m, (size_t)n));
    memset(m->told, 0, (size_t)n * sizeof *m->told);
    double first = 0;
    for (int turn = 0; turn < 10000; turn++) {
        double most = 0;
        for (int i = 0; i < n; i++) {
            double change = next_of(m->told, n, keep, i) - m->told[i];
            m->change[i] = (float)change;
            most = fmax(most, fabs(change));
        }
        if (turn == 0) first = most;
        if (most <= part * first) return turn;
        if (turn > 0 && mixed) tac_mixing_learn(m);
        if (mixed) {
            assert_true(tac_mixing_step(m));
        } else {
            for (int i = 0; i < n; i++) m->told[i] += (double)m->change[i];
        }
    }
    return 10000;
}

static void test_a_small_map_is_known_after_as_many_turns(void **state) {
    (void)state;
    TacMixing m = {0};
    for (int n = 1; n <= TAC_MIXING_PAST; n++) {
        int turns = turns_to(&m, n, 0.99, 1e-4, true);
        if (turns > n + 1) fail_msg("%d numbers took %d turns", n, turns);
    }
    tac_mixing_free(&m);
}

static void test_a_large_map_is_solved_sooner(void **state) {
    (void)state;
    TacMixing m = {0};
    int slow = turns_to(&m, MOST, 0.98, 1e-3, false), fast = turns_to(&m, MOST, 0.98, 1e-3, true);
    if (!(8 * fast < slow)) fail_msg("%d turns, %d without", fast, slow);
    // nothing is left of what was known of another map, or of one of another size
    turns_to(&m, 7, -0.5, 1e-3, true);
    assert_int_equal(turns_to(&m, MOST, 0.98, 1e-3, true), fast);
    tac_mixing_free(&m);
}

// What is told is exact, however little of it changes.
static void test_what_hardly_changes_is_found_as_well(void **state) {
    (void)state;
    TacMixing m = {0};
    assert_true(tac_mixing_begin(&m, 2));
    m.told[0] = m.told[1] = 1e6;
    for (int turn = 0; turn < 8; turn++) {
        double off[2] = {m.told[0] - (1e6 + 1e-3), m.told[1] - (1e6 - 2e-3)};
        m.change[0] = (float)(-0.1 * off[0] + 0.05 * off[1]);
        m.change[1] = (float)(-0.02 * off[1]);
        if (fabs(off[0]) + fabs(off[1]) < 1e-9) break;
        if (turn > 0) tac_mixing_learn(&m);
        assert_true(tac_mixing_step(&m));
    }
    assert_true(fabs(m.told[0] - (1e6 + 1e-3)) < 2e-9);
    assert_true(fabs(m.told[1] - (1e6 - 2e-3)) < 2e-9);
    tac_mixing_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_small_map_is_known_after_as_many_turns),
        cmocka_unit_test(test_a_large_map_is_solved_sooner),
        cmocka_unit_test(test_what_hardly_changes_is_found_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
