// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Tubes and paces that begin much too wide become narrow again: the same motion, and not many more looks.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <inttypes.h>

static TacContactStats fall(const char *vagueness, uint64_t *hash) {
    TacWorld *world = make_world(
        "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.004' restitution='0.3' "
        "vagueness='%s'/><node name='floor'><Sheet divisions='1' width='2' depth='2'/><Points/><FixedPoints "
        "points='0-3'/><Skin/></node><node name='cloth'><Sheet divisions='12' width='0.4' depth='0.4' "
        "translation='0 0.03 0' rotation='0 0 5'/><Points/><UniformMass total='0.1'/><Springs "
        "stiffness='40' damping='0.02'/><Skin/></node></tactus>",
        vagueness);
    advance(world, 0.6);
    TacContactStats stats = tac_world_contact_stats(world);
    *hash = tac_world_hash(world);
    tac_world_destroy(world);
    return stats;
}

// A hundred times as wide, layers were looked at sixteen times as often, for ever.
static void test_a_large_factor_heals(void **state) {
    (void)state;
    uint64_t hash, other;
    TacContactStats usual = fall("1", &hash), wide = fall("100", &other);
    assert_int_equal(other, hash);
    assert_int_equal(wide.kicks, usual.kicks);
    if (!(wide.looks < 5 * usual.looks / 2))
        fail_msg("%" PRIu64 " looks for %" PRIu64, wide.looks, usual.looks);
    if (!(wide.plans < 2 * usual.plans)) fail_msg("%" PRIu64 " plans for %" PRIu64, wide.plans, usual.plans);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_large_factor_heals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
