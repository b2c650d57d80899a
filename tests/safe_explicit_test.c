// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Explicit agents under safe contact: their kicks come in parts while layers push them (stride.h). So what hangs over something
// rests on it quietly; and nothing else is other than with whole kicks.

#include "drape_checks.h"
#include "world/world.h"

// A cloth above what it will hang over; air brings it to rest.
static TacWorld *draped(const char *contact, const char *under, double height, const char *solver,
                        const char *law, int threads) {
    snprintf(
        scene_text, sizeof scene_text,
        "<tactus version='1' dt='0.005'><Contact method='safe' thickness='0.004' friction='0.3' %s/>" FLOOR
        "%s<node name='cloth'><SymplecticEuler %s/><Sheet divisions='5' width='0.5' depth='0.5' "
        "translation='0.01 %g 0.02'/><Points/><UniformMass total='0.15'/>%s"
        "<Damping coefficient='0.02'/><Skin/></node></tactus>",
        contact, under, solver, height, law);
    return make_world(scene_text, threads);
}

static void test_what_hangs_over_something_is_quiet(void **state) {
    (void)state;
    const struct {
        const char *contact, *under;
        double height;
        const char *step, *law;
    } drapes[] = {{"restitution='0'", BALL, 0.262, "step='0.001'", SPRINGS},
                  {"restitution='0.5'", POST, 0.17, "step='0.001'", ELEMENTS},
                  {"restitution='0'", POST, 0.17, "step='0.0025'", SPRINGS},
                  {"restitution='0.5'", BALL, 0.262, "step='0.0025'", ELEMENTS}};
    for (size_t i = 0; i < TAC_COUNT(drapes); i++) {
        TacWorld *world =
            draped(drapes[i].contact, drapes[i].under, drapes[i].height, drapes[i].step, drapes[i].law, 1);
        advance(world, 5);
        double most = fastest(world, "/cloth/points", 40);
        print_message("drape %zu: %.3f mm/s\n", i, 1e3 * most);
        assert_true(most < 1e-3);
        tac_world_destroy(world);
    }
}

// A point on a spring, in an agent of which another part lies on the floor, or has no floor.
static TacWorld *swinging(const char *solver, const char *damping, bool floor) {
    return MAKE("<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.004' restitution='0.3'/>%s"
                "<node name='agent'><SymplecticEuler %s/>"
                "<Points positions='0 1 0  0.03 0.8 0.02  1 0.0545 0  1.3 0.0545 0'/><UniformMass "
                "mass='0.1'/><Springs pairs='0 1  2 3' stiffness='3000' damping='%s 1' "
                "lengths='0.2 0.3'/><FixedPoints points='0'/><Balls radius='0.05'/></node></tactus>",
                floor ? FLOOR : "", solver, damping);
}

static const TacTicker *agent_of(const TacWorld *world) {
    for (size_t i = 0; i < world->ticker_count; i++)
        if (world->tickers[i].solver) return &world->tickers[i];
    fail_msg("no agent");
    return NULL;
}

// From tick to tick, what layers do not touch goes as by whole kicks, to rounding, though these come in parts: so it is of the
// same order, and bears the same steps and the same damping (here, 1.8 over the step).
static void test_parts_go_as_whole_kicks(void **state) {
    (void)state;
    const char *const solvers[] = {"step='0.005'", "step='0.00125'", "step='0.007'"};
    const char *const dampings[] = {"30", "144", "15"};
    for (size_t i = 0; i < TAC_COUNT(solvers); i++)
        for (int k = 0; k < 2; k++) {
            const char *damping = k ? dampings[i] : "0";
            TacWorld *world = swinging(solvers[i], damping, true),
                     *other = swinging(solvers[i], damping, false);
            double step = agent_of(world)->step, most = 0, far = 0;
            int parts = 0;
            for (int n = 0; n < 200; n++) {
                advance(world, step);
                advance(other, step);
                parts += agent_of(world)->in_parts;
                assert_false(agent_of(other)->in_parts);
                TacVec3 a = tac_load3(places(world, "/agent/points") + 3),
                        b = tac_load3(places(other, "/agent/points") + 3);
                most = fmax(most, tac_norm(tac_sub(a, b)));
                far = fmax(far, fabs(b.x - 0.03));
            }
            print_message("%s, damping %s: %d kicks in parts, %.2g m of %.2g m\n", solvers[i], damping, parts,
                          most, far);
            assert_true(parts > 100);
            assert_true(far > 0.01 && far < 1);
            assert_true(most < 1e-10);
            tac_world_destroy(world);
            tac_world_destroy(other);
        }
}

// A net flies into a ball, without anything that holds them.
static void test_parts_keep_momentum(void **state) {
    (void)state;
    const char *const solvers[] = {"step='0.00125'", "step='0.0017'"};
    for (size_t i = 0; i < TAC_COUNT(solvers); i++) {
        TacWorld *world = MAKE(
            "<tactus version='1' dt='0.005' gravity='0 0 0'><Contact method='safe' thickness='0.004' "
            "restitution='0.3' friction='0'/><node name='ball'><Frames positions='0.02 0 0.01 0 0 0 1' "
            "velocities='0 2 "
            "0 0 0 3'/><UniformMass mass='0.1' box='0.2 0.2 0.2'/><node name='s'><Sphere radius='0.12' "
            "subdivisions='2'/><Points/><RigidMap/><Skin/></node></node>"
            "<node name='net'><SymplecticEuler %s/><Sheet divisions='5' width='0.5' depth='0.5' "
            "translation='0 0.14 0'/><Points/><UniformMass total='0.15'/>" SPRINGS "<Skin/></node></tactus>",
            solvers[i]);
        TacMomentum before = tac_world_momentum(world);
        int parts = 0;
        for (int n = 0; n < 60; n++) {
            advance(world, 0.005);
            for (size_t k = 0; k < world->ticker_count; k++)
                parts += world->tickers[k].solver && world->tickers[k].in_parts;
        }
        TacMomentum after = tac_world_momentum(world);
        double pushed = tac_norm(tac_sub(after.linear, before.linear)),
               turned = tac_norm(tac_sub(after.angular, before.angular));
        print_message("%s: %d beats in parts, momentum by %.2g, angular by %.2g\n", solvers[i], parts, pushed,
                      turned);
        assert_true(parts > 5);
        assert_true(tac_world_contact_stats(world).kicks > 1000);
        assert_true(pushed < 1e-12 && turned < 1e-12);
        tac_world_destroy(world);
    }
}

static TacWorld *one_of(const char *way, int threads) {
    char contact[200];
    snprintf(contact, sizeof contact, "restitution='0.2' %s", way);
    return draped(contact, POST, 0.17, "step='0.00125'", SPRINGS, threads);
}

static void test_the_same_whoever_looks(void **state) {
    (void)state;
    const double end = 0.4;
    const char *const ways[] = {"vagueness='0'", "vagueness='100' cone='true'", "cull='false' k='18'",
                                "tree='front'"};
    TacWorld *world = one_of("", 1);
    advance(world, end);
    assert_true(agent_of(world)->in_parts);
    uint64_t hash = tac_world_hash(world);
    tac_world_destroy(world);
    for (size_t i = 0; i < TAC_COUNT(ways); i++) {
        world = one_of(ways[i], 1 + (int)i % 2);
        advance(world, end);
        assert_true(tac_world_hash(world) == hash);
        tac_world_destroy(world);
    }
    expect_resumed(one_of("", 1), one_of("", 2), 0.3517, end, hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_hangs_over_something_is_quiet),
        cmocka_unit_test(test_parts_go_as_whole_kicks),
        cmocka_unit_test(test_parts_keep_momentum),
        cmocka_unit_test(test_the_same_whoever_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
