// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// FixedPlane, Oscillator, LineProjection, PlaneProjection and LinearVelocity in running worlds, under every
// solver: what must not move keeps its bits, what is told is where it is told; scenes that cannot be.

#define _GNU_SOURCE
#include "world_fixture.h"

#include "world/world.h"

static const char *const solvers[] = {"<SymplecticEuler/>", "<ImplicitEuler/>", ""};

static void refuse(const char *inside, const char *says) {
    char text[1024];
    snprintf(text, sizeof text, "<tactus version='1'><node name='a'>%s</node></tactus>", inside);
    TacScene *scene = empty_scene();
    TacError error;
    TacWorld *w = try_text(scene, text, &error);
    assert_null(w);
    if (!strstr(error.message, says)) fail_msg("\"%s\" does not say %s", error.message, says);
    tac_scene_destroy(scene);
}

#define TWO_POINTS "<SymplecticEuler/><Points positions='0 0 0 1 0 0'/><UniformMass/>"

static void test_fixed_plane(void **state) {
    (void)state;
    for (int s = 0; s < 3; s++) {
        TacWorld *w =
            make_world("<tactus version='1' dt='0.005'><node name='a'>%s<Grid counts='4 3 3'/>"
                       "<Points velocities='1 2 3'/><UniformMass mass='0.1'/><Springs stiffness='20'/>"
                       "<FixedPlane normal='2 0 0' low='-0.1' high='0.4'/></node></tactus>",
                       solvers[s]);
        double start[3 * 36];
        memcpy(start, positions(w, "/a/points"), sizeof start);
        beats(w, 50);
        const double *x = positions(w, "/a/points");
        size_t held = 0;
        for (size_t i = 0; i < 36; i++) {
            bool fixed = start[3 * i] < 0.4;
            held += fixed;
            assert_true(!memcmp(x + 3 * i, start + 3 * i, 3 * sizeof *x) == fixed);
        }
        assert_int_equal(held, 18);
        tac_world_destroy(w);
    }
    refuse(TWO_POINTS "<FixedPlane low='2' high='3'/>", "they reach from 0 to 0 m");
    refuse(TWO_POINTS "<FixedPlane low='3' high='2'/>", "above");
    refuse(TWO_POINTS "<FixedPlane normal='0 0 0' low='2' high='3'/>", "direction");
}

static void test_oscillator(void **state) {
    (void)state;
    for (int s = 0; s < 3; s++)
        for (int lagging = 0; lagging < 2; lagging++) {
            TacWorld *w = make_world(
                "<tactus version='1' dt='0.01'><node name='a'>%s<Points positions='0 0 0 1 0 0 2 0 "
                "0'/><UniformMass/><Springs pairs='0 1 1 2' stiffness='10'/><Oscillator points='2 0' "
                "mean='2 0 0 0.5 0 0' amplitude='0 0.3 0 0.1 0 0' pulsation='3 7' phase='0.5 0' "
                "lagging='%s'/></node></tactus>",
                solvers[s], lagging ? "true" : "false");
            for (int n = 0; n < 40; n += 20) {
                const double *x = positions(w, "/a/points");
                double t = tac_world_time(w) - (n && lagging ? 0.01 : 0);
                assert_true(fabs(x[7] - 0.3 * sin(3 * t + 0.5)) < 1e-12 && fabs(x[6] - 2) < 1e-12);
                assert_true(fabs(x[0] - (0.5 + 0.1 * sin(7 * t))) < 1e-12 && x[1] == 0);
                beats(w, 20);
            }
            assert_true(fabs(positions(w, "/a/points")[4]) > 1e-3);
            tac_world_destroy(w);
        }
    refuse(TWO_POINTS "<Oscillator amplitude='1 2'/>", "2 numbers");
    refuse(TWO_POINTS "<Oscillator amplitude='1 2 3' phase='1 2 3'/>", "3 numbers");
    refuse("<Frames/><UniformMass/><Oscillator amplitude='1 2 3'/>", "works on");
}

// Along a slope a ball rolls by the part of gravity that lies along it.
static void test_projections(void **state) {
    (void)state;
    static const struct {
        const char *constraint;
        TacVec3 g;
    } cases[] = {{"LineProjection direction='3 -4 0'", {4.8, -6.4, 0}},
                 {"PlaneProjection normal='4 3 0'", {4.8, -6.4, 0}},
                 {"PlaneProjection normal='0 1 0'", {0, 0, 0}}};
    for (int s = 0; s < 2; s++)
        for (size_t k = 0; k < 3; k++) {
            TacWorld *w = make_world(
                "<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='a'>%s<Points "
                "positions='1 2 3' velocities='0 0 0'/><UniformMass mass='0.7'/><%s/></node></tactus>",
                solvers[s], cases[k].constraint);
            beats(w, 100);
            double fallen = 1e-4 * 5050;
            TacVec3 moved = tac_sub(tac_load3(positions(w, "/a/points")), tac_vec3(1, 2, 3));
            assert_true(tac_norm(tac_sub(moved, tac_scale(cases[k].g, fallen))) < 1e-10);
            tac_world_destroy(w);
        }
    // put on it first; and frames that turn on as they like
    TacWorld *w = make_world(
        "<tactus version='1' gravity='0 0 0'><node name='a'><SymplecticEuler/><Frames positions='1 2 3 0 "
        "0 0 1' velocities='1 1 1 0 0 2'/><UniformMass/><LineProjection direction='0 0 1' origin='5 5 "
        "5' snap='true'/></node></tactus>");
    beats(w, 50);
    const double *x = positions(w, "/a/frames");
    assert_true(x[0] == 5 && x[1] == 5 && fabs(x[2] - 3.5) < 1e-12 && fabs(x[5] - sin(0.5)) < 1e-12);
    tac_world_destroy(w);
    refuse("<Points positions='0 0 0'/><UniformMass/><LineProjection/>", "add a solver");
    refuse(TWO_POINTS "<PlaneProjection normal='0 0 0'/>", "direction");
    refuse("<SymplecticEuler/><Points dimension='2' positions='0 0'/><UniformMass/><LineProjection "
           "direction='0 0 1'/>",
           "xy plane");
}

static void test_linear_velocity(void **state) {
    (void)state;
    for (int s = 0; s < 3; s++) {
        TacWorld *w =
            make_world("<tactus version='1' dt='0.01'><node name='a'>%s<Points positions='0 0 0 5 0 0'/>"
                       "<UniformMass/><LinearVelocity points='0' times='0.1 0.3 0.5' velocities='1 0 0 3 0 0 "
                       "0 2 0'/></node></tactus>",
                       solvers[s]);
        beats(w, 40);
        const double *x = positions(w, "/a/points");
        // the integral of a velocity that is linear between keys
        assert_true(fabs(x[0] - (0.4 + 0.225)) < 1e-12 && fabs(x[1] - 0.05) < 1e-12 && x[2] == 0);
        beats(w, 40);
        x = positions(w, "/a/points");
        assert_true(fabs(x[0] - (0.4 + 0.3)) < 1e-12 && fabs(x[1] - (0.2 + 0.6)) < 1e-12);
        assert_true(fabs(velocities(w, "/a/points")[1] - 2) < 1e-12);
        assert_true(x[4] < -1);
        tac_world_destroy(w);
    }
    // as SOFA has it: the velocity of the beginning; some numbers only; and an end
    TacWorld *w =
        make_world("<tactus version='1' dt='0.1' gravity='0 -10 0'><node name='a'><SymplecticEuler/><Points "
                   "positions='0 0 0'/><UniformMass/><LinearVelocity times='0 1' velocities='0 7 0 1 7 0' "
                   "directions='0' sampled='begin' keep_going='false'/></node></tactus>");
    beats(w, 10);
    assert_true(fabs(positions(w, "/a/points")[0] - 0.1 * 4.5) < 1e-12);
    assert_true(fabs(positions(w, "/a/points")[1] + 0.1 * 55) < 1e-12);
    beats(w, 10);
    assert_true(fabs(positions(w, "/a/points")[0] - 0.1 * 5.5) < 1e-12);
    tac_world_destroy(w);
    // frames turn
    w = make_world(
        "<tactus version='1' dt='0.01'><node name='a'><ImplicitEuler/><Frames/><UniformMass/><LinearVelocity "
        "velocities='0 0 0 0 0 1'/></node></tactus>");
    beats(w, 100);
    assert_true(fabs(positions(w, "/a/frames")[5] - sin(0.5)) < 1e-12 && positions(w, "/a/frames")[1] == 0);
    tac_world_destroy(w);
    refuse(TWO_POINTS "<LinearVelocity velocities='1 2'/>", "2 numbers");
    refuse(TWO_POINTS "<LinearVelocity times='1 1' velocities='1 2 3 4 5 6'/>", "ascend");
    refuse(TWO_POINTS "<LinearVelocity velocities='1 2 3' directions='3'/>", "no number 3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_plane),
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_projections),
        cmocka_unit_test(test_linear_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
