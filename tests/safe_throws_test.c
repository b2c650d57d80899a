// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Things thrown at each other (safe_soak) that something went wrong with once.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "safe_scenes.h"

static void expect_clean(uint64_t seed, uint64_t scene) {
    static Throw t;
    char why[1100] = "";
    if (run_throw(&t, seed, scene, why, sizeof why) != OUTCOME_CLEAN)
        fail_msg("scene %d of seed %d: %s", (int)scene, (int)seed, why);
}

// Stiff cloth hit by a light box: what it and the box take each other to do runs away, and each must go by its own guess.
static void test_concerts_that_run_away_do_no_harm(void **state) {
    (void)state;
    expect_clean(9114, 167);
    expect_clean(9115, 204);
    expect_clean(9127, 118);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_concerts_that_run_away_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
