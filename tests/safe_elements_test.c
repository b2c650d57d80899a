// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Elements without a solver under safe contact: their kicks come in parts while layers push their matter (batch_parts.h). So what
// hangs over something rests on it quietly; and nothing else is other than with whole kicks.

#include "drape_checks.h"
#include "world/world.h"

#define NAILS                                                                                                \
    "<node name='nails'><NailBed count='3' spacing='0.12' radius='0.008' "                                   \
    "height='0.15'/><Points/><Skin/></node>"

#define SHELL ELEMENTS "<ShellBending stiffness='1e-4'/>"

// A cloth above what it will hang over.
static TacWorld *draped(const char *contact, const char *under, double height, const char *law, int threads) {
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1' dt='0.005'><Contact method='safe' thickness='0.004' friction='0.3' %s/>" FLOOR
        "%s<node name='cloth'><Sheet divisions='5' width='0.5' depth='0.5' "
        "translation='0.01 %g 0.02'/><Points/><UniformMass total='0.15'/>%s<Skin/></node></tactus>",
        contact, under, height, law);
    return make_world(scene_text, threads);
}

// How many of the batches come in parts now.
static int in_parts(const TacWorld *world) {
    int n = 0;
    for (size_t i = 0; i < world->ticker_count; i++)
        n += world->tickers[i].batch && !world->tickers[i].is_part && world->tickers[i].in_parts;
    return n;
}

// Air brings it to rest.
static void test_what_hangs_over_something_is_quiet(void **state) {
    (void)state;
#define AIR "<Damping coefficient='0.02'/>"
    const struct {
        const char *contact, *under;
        double height;
        const char *law;
    } drapes[] = {{"restitution='0'", BALL, 0.262, SPRINGS AIR},
                  {"restitution='0.5'", BALL, 0.262, SHELL AIR},
                  {"restitution='0'", POST, 0.17, ELEMENTS AIR},
                  {"restitution='0.5'", POST, 0.17, SPRINGS AIR},
                  {"restitution='0'", NAILS, 0.17, SHELL "<BendDamping damping='1e-6'/>" AIR},
                  {"restitution='0.9'", NAILS, 0.17, SPRINGS AIR},
                  {"restitution='0'", BALL, 0.262, SPRINGS AIR "<ConstantForce total='0 -1 0'/>"}};
    for (size_t i = 0; i < TAC_COUNT(drapes); i++) {
        TacWorld *world = draped(drapes[i].contact, drapes[i].under, drapes[i].height, drapes[i].law, 1);
        advance(world, 4);
        double most = fastest(world, "/cloth/points", 40);
        print_message("drape %zu: %.3f mm/s\n", i, 1e3 * most);
        assert_true(in_parts(world) > 0);
        assert_true(most < 1e-3);
        tac_world_destroy(world);
    }
}

static void test_cloths_on_each_other_are_quiet(void **state) {
    (void)state;
    TacWorld *world = draped(
        "restitution='0'", BALL, 0.262,
        SHELL
        "<Damping coefficient='0.02'/><Skin/></node><node name='upper'><Sheet divisions='6' width='0.5' "
        "depth='0.5' translation='0.01 0.275 0.02'/><Points/><UniformMass total='0.15'/>" SHELL
        "<Damping coefficient='0.02'/>",
        1);
    advance(world, 5);
    double lower = fastest(world, "/cloth/points", 20), upper = fastest(world, "/upper/points", 20);
    print_message("lower %.3f mm/s, upper %.3f mm/s\n", 1e3 * lower, 1e3 * upper);
    assert_true(lower < 1e-3 && upper < 1e-3);
    tac_world_destroy(world);
}

// --- nothing else changes ---------------------------------------------------------------------------------

// A point on a spring, in matter of which another part lies on the floor, or has no floor.
static TacWorld *swinging(const char *period, const char *damping, const char *more, bool floor) {
    return MAKE(
        "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.004' restitution='0.3'/>%s"
        "<node name='n'><Points positions='0 1 0  0.03 0.8 0.02  1 0.0545 0  1.3 0.0545 0'/>"
        "<UniformMass mass='0.1'/><Springs pairs='0 1  2 3' stiffness='3000' damping='%s 1' "
        "lengths='0.2 0.3' period='%s'/>%s<FixedPoints points='0'/><Balls radius='0.05'/></node></tactus>",
        floor ? FLOOR : "", damping, period, more);
}

// How far two worlds come apart at that point, looked at once a step; and how far it swings.
static double compare(TacWorld *world, TacWorld *other, double step, double *swing) {
    double most = 0;
    int parts = 0;
    for (int n = 0; n < 200; n++) {
        advance(world, step);
        advance(other, step);
        parts += in_parts(world) > 0;
        assert_int_equal(in_parts(other), 0);
        TacVec3 a = tac_load3(places(world, "/n/points") + 3), b = tac_load3(places(other, "/n/points") + 3);
        most = fmax(most, tac_norm(tac_sub(a, b)));
        *swing = fmax(*swing, fabs(b.x - 0.03));
    }
    assert_true(parts > 100);
    assert_true(*swing > 0.01 && *swing < 1);
    tac_world_destroy(world);
    tac_world_destroy(other);
    return most;
}

// From tick to tick, what layers do not touch goes as by whole kicks, to rounding, though these come in parts: so it is of the
// same order, and bears the same periods and the same damping (here, 1.8 over the period).
static void test_parts_go_as_whole_kicks(void **state) {
    (void)state;
    const struct {
        const char *period, *damping;
        double step;
    } swings[] = {{"0.005", "0", 0.005},
                  {"0.005", "30", 0.005},
                  {"0.00125", "0", 0.00125},
                  {"0.00125", "144", 0.00125}};
    for (size_t i = 0; i < TAC_COUNT(swings); i++) {
        double swing = 0, most = compare(swinging(swings[i].period, swings[i].damping, "", true),
                                         swinging(swings[i].period, swings[i].damping, "", false),
                                         swings[i].step, &swing);
        print_message("%s s, damping %s: %.2g m of %.2g m\n", swings[i].period, swings[i].damping, most,
                      swing);
        assert_true(most < 1e-10);
    }
}

// Two laws with clocks of their own on the same point are as near to what fine clocks do as with whole kicks.
static void test_classes_together_are_as_true(void **state) {
    (void)state;
    const char *soft = "<Springs pairs='0 1' stiffness='400' lengths='0.19' period='%g'/>";
    char more[2][200];
    double away[2], swing = 0;
    snprintf(more[0], sizeof more[0], soft, 0.005);
    snprintf(more[1], sizeof more[1], soft, 1e-4);
    for (int floor = 0; floor < 2; floor++) {
        TacWorld *world = swinging("0.00125", "2", more[0], floor),
                 *fine = swinging("1e-4", "2", more[1], false);
        away[floor] = 0;
        for (int n = 0; n < 100; n++) {
            advance(world, 0.005);
            advance(fine, 0.005);
            TacVec3 a = tac_load3(places(world, "/n/points") + 3),
                    b = tac_load3(places(fine, "/n/points") + 3);
            away[floor] = fmax(away[floor], tac_norm(tac_sub(a, b)));
            swing = fmax(swing, fabs(b.x - 0.03));
        }
        assert_int_equal(in_parts(world), floor ? 2 : 0);
        tac_world_destroy(world);
        tac_world_destroy(fine);
    }
    print_message("away from fine clocks by %.2g m, in parts by %.2g m, of %.2g m\n", away[0], away[1],
                  swing);
    assert_true(away[0] > 1e-6 && away[1] < 1.5 * away[0]);
}

// What keeps all energy has whole kicks; so has what ticks as often as layers.
static void test_what_stays_whole(void **state) {
    (void)state;
    const struct {
        const char *contact, *law;
    } scenes[] = {{"restitution='1'", SHELL}, {"restitution='0'", "<Springs stiffness='60' period='2e-5'/>"}};
    for (size_t i = 0; i < TAC_COUNT(scenes); i++) {
        TacWorld *world = draped(scenes[i].contact, BALL, 0.262, scenes[i].law, 1);
        for (int n = 0; n < 40; n++) {
            advance(world, 0.005);
            assert_int_equal(in_parts(world), 0);
        }
        assert_true(tac_world_contact_stats(world).kicks > 1000);
        tac_world_destroy(world);
    }
}

// --- conservation -----------------------------------------------------------------------------------------

// A net flies into a ball, without anything that holds them; and beside another one in the same matter, `loose`.
static TacWorld *hit_net(const char *laws, bool loose) {
    return MAKE("<tactus version='1' dt='0.005' gravity='0 0 0'><Contact method='safe' thickness='0.001' "
                "restitution='0.3' friction='0'/><node name='ball'><Frames positions='0.02 0 0.01 0 0 0 1' "
                "velocities='0 2 0 0 0 3'/><UniformMass mass='0.1' box='0.2 0.2 0.2'/><node name='s'><Sphere "
                "radius='0.12' subdivisions='2'/><Points/><RigidMap/><Skin/></node></node>"
                "<node name='net'>%s<Points/><UniformMass total='0.15'/>%s<Skin/></node></tactus>",
                loose ? "<Mesh at='-0.2 0.14 -0.2  0.2 0.14 -0.2  0 0.14 0.3  1 0 0  1.3 0 0  1 0 0.3' "
                        "with_triangles='0 1 2  3 4 5'/>"
                      : "<Sheet divisions='5' width='0.5' depth='0.5' translation='0 0.14 0'/>",
                laws);
}

static void expect_momentum(const char *laws, bool loose) {
    TacWorld *world = hit_net(laws, loose);
    TacMomentum before = tac_world_momentum(world);
    int parts = 0;
    double pushed = 0, turned = 0;
    for (int n = 0; n < 230; n++) {
        advance(world, 1.3e-3);
        parts += in_parts(world) > 0;
        TacMomentum now = tac_world_momentum(world);
        pushed = fmax(pushed, tac_norm(tac_sub(now.linear, before.linear)));
        turned = fmax(turned, tac_norm(tac_sub(now.angular, before.angular)));
    }
    print_message("%d moments in parts, momentum by %.2g, angular by %.2g\n", parts, pushed, turned);
    assert_true(loose ? parts == 0 : parts > 20);
    assert_true(tac_world_contact_stats(world).kicks > 100);
    assert_true(pushed < 1e-12 && turned < 1e-12);
    tac_world_destroy(world);
}

static void test_parts_keep_momentum(void **state) {
    (void)state;
    expect_momentum(SPRINGS, false);
    expect_momentum(SHELL "<BendDamping damping='1e-6'/>", false);
    expect_momentum("<Triangles young='8e3' thickness='0.001'/>", true); // kicked whole
}

// Each law is charged with its own parts; and nothing is left over.
static void test_accounts_add_up(void **state) {
    (void)state;
    const char *laws = "<Triangles young='8e3' thickness='0.001'/><ShellBending stiffness='1e-4'/>"
                       "<ConstantForce total='0 -0.2 0'/>";
    TacWorld *world = hit_net(laws, false), *other = hit_net(laws, false);
    TacError error;
    assert_int_equal(tac_world_keep_accounts(world, &error), TAC_OK);
    int looks = 0;
    for (int n = 0; n < 40; n++) {
        advance(world, 0.005);
        advance(other, 0.005);
        if (in_parts(world) < 2) continue;
        looks++;
        TacAccount rows[16];
        size_t count;
        TacAccountSum sum = tac_world_accounts(world, rows, TAC_COUNT(rows), &count);
        assert_true(fabs(sum.unaccounted) < 1e-13 && tac_norm(sum.linear_unaccounted) < 1e-13);
        assert_true(count < TAC_COUNT(rows));
        for (size_t i = 0; i < count; i++) {
            if (!strcmp(rows[i].what, "Triangles") || !strcmp(rows[i].what, "ShellBending"))
                assert_true(tac_norm(rows[i].linear) < 1e-13);
            assert_string_not_equal(rows[i].what, "parts of kicks");
        }
    }
    assert_true(looks > 5);
    assert_true(tac_world_hash(world) == tac_world_hash(other));
    tac_world_destroy(world);
    tac_world_destroy(other);
}

// A chain that is held at one end, lies on the floor with the other, and swings in between, with no damping of its own: what it
// has on the floor in parts does not feed it. Layers lose little; periods are five times what the laws would choose.
static void test_a_free_swing_gains_no_energy(void **state) {
    (void)state;
    const char *const laws[] = {
        "<Springs stiffness='400' period='0.00125'/>",
        "<Springs stiffness='2000' period='0.0003125'/><Springs pairs='0 2 2 4 4 6 6 8 8 10 10 12' "
        "stiffness='20' period='0.00125'/>"};
    for (size_t i = 0; i < TAC_COUNT(laws); i++) {
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.005'><Contact method='safe' thickness='0.004' restitution='0.8' "
            "friction='0'/>" FLOOR
            "<node name='n'><Line divisions='12' from='0 0.4 0' to='0.5 0.006 0'/><Points "
            "velocities='0 0 1'/><UniformMass mass='0.005'/>%s<FixedPoints points='0'/><Skin radius='0.002'/>"
            "</node></tactus>",
            laws[i]);
        double start = tac_world_energy(world).total, most = start;
        int parts = 0;
        for (int n = 0; n < 1200; n++) {
            advance(world, 0.005);
            most = fmax(most, tac_world_energy(world).total);
            parts += in_parts(world) > 0;
        }
        double kinetic = tac_world_energy(world).kinetic;
        print_message(
            "%d beats in parts; from %.6f J to %.6f J, at most %.2g J more; still %.2g J of motion\n", parts,
            start, tac_world_energy(world).total, most - start, kinetic);
        assert_true(parts > 200);
        assert_true(most < start + 1e-4 * start);
        tac_world_destroy(world);
    }
}

// --- the same bits ----------------------------------------------------------------------------------------

static TacWorld *one_of(const char *way, int threads) {
    char contact[200];
    snprintf(contact, sizeof contact, "restitution='0.2' %s", way);
    return draped(contact, POST, 0.17, SHELL, threads);
}

static void test_the_same_whoever_looks(void **state) {
    (void)state;
    const double end = 0.4;
    const char *const ways[] = {"vagueness='0'", "vagueness='100' cone='true'", "cull='false' k='18'",
                                "tree='front'"};
    TacWorld *world = one_of("", 1);
    advance(world, end);
    assert_true(in_parts(world) > 0);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    for (size_t i = 0; i < TAC_COUNT(ways); i++) {
        world = one_of(ways[i], 1 + (int)i % 2);
        for (int k = 0; k < 8; k++) {
            advance(world, end / 8);
            tac_world_energy(world);
        }
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
    expect_resumed(one_of("", 1), one_of("", 2), 0.3517, end, hash);
}

// So many points that threads share them.
static void test_threads_share_large_matter(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        snprintf(
            scene_text, sizeof scene_text,
            "<tactus version='1' dt='0.005'><Contact method='safe' thickness='0.004' restitution='0.2'/>" POST
            "<node name='cloth'><Sheet divisions='36' width='0.5' depth='0.5' translation='0.01 0.165 0.02'/>"
            "<Points/><UniformMass total='3'/>" SHELL "<Skin/></node></tactus>");
        TacWorld *world = make_world(scene_text, 1 + 2 * i);
        advance(world, 0.06);
        assert_true(in_parts(world) > 1);
        hashes[i] = tac_world_hash(world);
        tac_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_hangs_over_something_is_quiet),
        cmocka_unit_test(test_cloths_on_each_other_are_quiet),
        cmocka_unit_test(test_parts_go_as_whole_kicks),
        cmocka_unit_test(test_classes_together_are_as_true),
        cmocka_unit_test(test_what_stays_whole),
        cmocka_unit_test(test_parts_keep_momentum),
        cmocka_unit_test(test_accounts_add_up),
        cmocka_unit_test(test_a_free_swing_gains_no_energy),
        cmocka_unit_test(test_the_same_whoever_looks),
        cmocka_unit_test(test_threads_share_large_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
