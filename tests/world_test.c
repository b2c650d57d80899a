// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Worlds as a whole: order of convergence, conservation, beam theory, free flight, clocks, sameness of bits.
// Every expectation is a closed form or a conservation law.

#define _GNU_SOURCE
#include "world_fixture.h"

#include <math.h>

// --- free flight ------------------------------------------------------------------------------------------

static void test_thrown_stone_is_exact(void **state) {
    (void)state;
    TacWorld *w =
        world_on(1, "<tactus version='1' dt='0.25' gravity='0 -10 0'><node name='n'>"
                    "<Points positions='0 0 0' velocities='3 20 0'/><UniformMass mass='2'/></node></tactus>");
    advance(w, 1.5);
    const double *x = positions(w, "/n/points"), *v = velocities(w, "/n/points");
    assert_true(fabs(x[0] - 4.5) < 1e-13);
    assert_true(fabs(x[1] - (30 - 0.5 * 10 * 2.25)) < 1e-12);
    assert_true(fabs(v[1] - 5) < 1e-12);
    TacEnergy e = tac_world_energy(w);
    assert_true(fabs(e.total - 0.5 * 2 * 409) < 1e-10);
    tac_world_destroy(w);
}

// Looking often, at odd times, must not change a bit of what happens.
static void test_looking_changes_nothing(void **state) {
    (void)state;
    const char *text =
        "<tactus version='1' dt='0.01'><node name='n'><SymplecticEuler/>"
        "<Points positions='0 0 0 1 0 0 1 1 0.3'/><UniformMass mass='1'/>"
        "<Springs pairs='0 1 1 2 0 2' stiffness='100' damping='0.1'/></node>"
        "<node name='top'><Frames velocities='1 2 3 4 0.1 0.2'/><UniformMass box='1 2 3'/></node></tactus>";
    TacWorld *a = world_on(1, text), *b = world_on(1, text);
    advance(a, 1.0);
    for (int i = 0; i < 97; i++) {
        advance(b, 1.0 / 128 * (i % 3 == 0 ? 1 : 0.5));
        tac_world_energy(b);
        tac_world_frame(b);
        tac_world_hash(b);
    }
    TacError error;
    assert_int_equal(tac_world_advance(b, 1.0 - tac_world_time(b), &error), TAC_OK);
    // ticks of 1/128 s are rounded, so the last piece may end a tick off; go to a common beat
    assert_int_equal(tac_world_tick(a) >> 20, tac_world_tick(b) >> 20);
    TacWorld *c = world_on(1, text);
    for (int i = 0; i < 100; i++) {
        beats(c, 1);
        tac_world_energy(c);
    }
    beats(a, 1);
    beats(c, 1);
    assert_true(tac_world_hash(a) == tac_world_hash(c));
    tac_world_destroy(a);
    tac_world_destroy(b);
    tac_world_destroy(c);
}

// A free asymmetric top, a million steps: momentum and energy to rounding.
static void test_asymmetric_top(void **state) {
    (void)state;
    TacWorld *w = world_on(
        1, "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
           "<Frames velocities='0 0 0 0.1 3 0.05'/><UniformMass mass='1' inertia='1 2 3'/></node></tactus>");
    TacMomentum start = tac_world_momentum(w);
    double e0 = tac_world_energy(w).total, worst = 0;
    for (int i = 0; i < 1000; i++) {
        beats(w, 1000);
        worst = fmax(worst, fabs(tac_world_energy(w).total / e0 - 1));
    }
    TacMomentum end = tac_world_momentum(w);
    print_message("top: momentum off by %.2g, energy by at most %.2g\n",
                  tac_norm(tac_sub(end.angular, start.angular)) / tac_norm(start.angular), worst);
    double l = tac_norm(start.angular);
    assert_true(tac_norm(tac_sub(end.angular, start.angular)) < 1e-15 * 1e6 * l); // rounding, a million times
    assert_true(worst < 1e-15 * 1e6);
    tac_world_destroy(w);
}

// The period of a top's tumbling against Euler's equations integrated finely by another method.
static void test_top_follows_euler_equations(void **state) {
    (void)state;
    double errors[2];
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='%g' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
            "<Frames velocities='0 0 0 0.3 1 0.2'/><UniformMass mass='1' inertia='1 2 3'/></node></tactus>",
            k == 0 ? 0.2 : 0.1);
        TacWorld *w = world_on(1, text);
        advance(w, 4);
        const double *q = positions(w, "/n/frames") + 3, *v = velocities(w, "/n/frames") + 3;
        TacVec3 body = tac_rotate_back(tac_load_quat(q), tac_load3(v));
        // classical Runge-Kutta on I w' = (I w) x w
        double x[3] = {0.3, 1, 0.2}, h = 1e-4;
        for (int i = 0; i < 40000; i++) {
            double ks[4][3], y[3];
            for (int s = 0; s < 4; s++) {
                double f = s == 0 ? 0 : s == 3 ? h : h / 2;
                for (int j = 0; j < 3; j++) y[j] = x[j] + (s ? f * ks[s - 1][j] : 0);
                ks[s][0] = (2.0 - 3.0) * y[1] * y[2] / 1;
                ks[s][1] = (3.0 - 1.0) * y[2] * y[0] / 2;
                ks[s][2] = (1.0 - 2.0) * y[0] * y[1] / 3;
            }
            for (int j = 0; j < 3; j++) x[j] += h / 6 * (ks[0][j] + 2 * ks[1][j] + 2 * ks[2][j] + ks[3][j]);
        }
        errors[k] = tac_norm(tac_sub(body, tac_vec3(x[0], x[1], x[2])));
        tac_world_destroy(w);
    }
    double order = log2(errors[0] / errors[1]);
    print_message("top: off by %.2g and %.2g, order %.2f\n", errors[0], errors[1], order);
    assert_true(errors[1] < 1e-6);
    assert_true(order > 3.7 && order < 4.5);
}

// Nobody owns it and nobody kicks it, yet a long flight of a fast asymmetric body must not be one giant step.
static void test_unowned_top_flies_as_well(void **state) {
    (void)state;
    const char *body = "<Frames velocities='0.1 0.2 0.3 0.2 20 0.1'/><UniformMass mass='1' inertia='1 2 3'/>";
    double x[2][7];
    for (int owned = 0; owned < 2; owned++) {
        char text[512];
        snprintf(text, sizeof text, "<tactus version='1' gravity='0 0 0'><node name='n'>%s%s</node></tactus>",
                 owned ? "<SymplecticEuler/>" : "", body);
        TacWorld *w = world_on(1, text);
        advance(w, 60);
        memcpy(x[owned], positions(w, "/n/frames"), sizeof x[owned]);
        tac_world_destroy(w);
    }
    for (int k = 0; k < 7; k++) assert_true(fabs(x[0][k] - x[1][k]) < 1e-9);
}

// --- integrators ------------------------------------------------------------------------------------------

// Position error of a spring pendulum (one mass on a spring, 1 kg, 4 N/m) at t = 1.
static double oscillator_error(const char *solver, double dt) {
    char text[1024];
    // one mass tied to a fixed one by a spring of length 1
    snprintf(text, sizeof text,
             "<tactus version='1' dt='%.17g' gravity='0 0 0'><node name='n'><%s/>"
             "<Points positions='0 0 0 1.5 0 0'/><UniformMass mass='1'/><FixedPoints points='0'/>"
             "<Springs pairs='0 1' stiffness='4' lengths='1'/></node></tactus>",
             dt, solver);
    TacWorld *w = world_on(1, text);
    advance(w, 1);
    double x = positions(w, "/n/points")[3];
    double error = fabs(x - (1 + 0.5 * cos(2)));
    tac_world_destroy(w);
    return error;
}

static void test_convergence_orders(void **state) {
    (void)state;
    // first order in positions and velocities as they stand between kicks
    double symplectic =
        log2(oscillator_error("SymplecticEuler", 1.0 / 256) / oscillator_error("SymplecticEuler", 1.0 / 512));
    double implicit =
        log2(oscillator_error("ImplicitEuler", 1.0 / 256) / oscillator_error("ImplicitEuler", 1.0 / 512));
    assert_true(symplectic > 0.9 && symplectic < 1.1);
    assert_true(implicit > 0.9 && implicit < 1.1);
}

// Read at half kicks, symplectic Euler is the leapfrog: its energy error is second order and does not drift.
static void test_energy_at_half_kicks(void **state) {
    (void)state;
    double worst[2];
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<tactus version='1' dt='%g' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
                 "<Points positions='0 0 0 1.5 0 0'/><UniformMass mass='1'/>"
                 "<Springs pairs='0 1' stiffness='4' lengths='1'/></node></tactus>",
                 k == 0 ? 0.02 : 0.01);
        TacWorld *w = world_on(1, text);
        double e0 = tac_world_energy(w).total;
        assert_true(fabs(e0 - 0.5 * 4 * 0.25) < 1e-3);
        worst[k] = 0;
        for (int i = 0; i < 2000; i++) {
            beats(w, 1);
            worst[k] = fmax(worst[k], fabs(tac_world_energy(w).total / e0 - 1));
        }
        tac_world_destroy(w);
    }
    double order = log2(worst[0] / worst[1]);
    assert_true(order > 1.9 && order < 2.1);
    assert_true(worst[1] < 2e-4);
}

// One implicit step of one mass on one spring has a closed form.
static void test_implicit_step_closed_form(void **state) {
    (void)state;
    TacWorld *w =
        world_on(1, "<tactus version='1' dt='0.1' gravity='0 0 0'><node name='n'>"
                    "<ImplicitEuler damping_mass='0.3' damping_stiffness='0.05'/>"
                    "<Points positions='0 0 0 1.5 0 0' velocities='0 0 0 0.7 0 0'/><UniformMass mass='2'/>"
                    "<FixedPoints points='0'/><Springs pairs='0 1' stiffness='8' lengths='1' damping='0.6'/>"
                    "</node></tactus>");
    beats(w, 1);
    double h = 0.1, m = 2, k = 8, c = 0.6, rm = 0.3, rk = 0.05, x = 0.5, v = 0.7;
    double f = -k * x - c * v;
    double dv = h * (f - rm * m * v - (h + rk) * k * v) / (m * (1 + h * rm) + h * c + h * (h + rk) * k);
    assert_true(fabs(velocities(w, "/n/points")[3] - (v + dv)) < 1e-12);
    assert_true(fabs(positions(w, "/n/points")[3] - (1.5 + h * (v + dv))) < 1e-12);
    tac_world_destroy(w);
}

// --- conservation -----------------------------------------------------------------------------------------

static void check_momentum(const char *law, bool angular) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "<tactus version='1' dt='0.002' gravity='0 0 0'><node name='n'><SymplecticEuler/>"
        "<Grid counts='4 3 3' split='true' high='1 0.7 0.6'/>"
        "<Points velocities='1 0.2 -0.3' rotation='10 20 30'/><UniformMass mass='0.5'/>%s</node></tactus>",
        law);
    TacWorld *w = world_on(1, text);
    // stir: velocities that stretch and turn
    TacComponentId id = tac_world_find(w, "/n/points");
    size_t n = tac_world_point_count(w, id);
    double *v = malloc(3 * n * sizeof *v);
    assert_non_null(v);
    const double *x = tac_world_positions(w, id);
    for (size_t i = 0; i < n; i++) {
        v[3 * i] = 1 + 2 * x[3 * i] - 3 * x[3 * i + 1];
        v[3 * i + 1] = 0.2 + 3 * x[3 * i] + x[3 * i + 2];
        v[3 * i + 2] = -0.3 - 2 * x[3 * i + 2] + sin(5 * x[3 * i]);
    }
    TacError error;
    assert_int_equal(tac_world_set_state(w, id, NULL, v, &error), TAC_OK);
    TacMomentum a = tac_world_momentum(w);
    double size = 0, turning = 0;
    for (size_t i = 0; i < n; i++) {
        size += 0.5 * tac_norm(tac_load3(v + 3 * i));
        turning += 0.5 * tac_norm(tac_load3(x + 3 * i)) * tac_norm(tac_load3(v + 3 * i));
    }
    free(v);
    beats(w, 500);
    TacMomentum b = tac_world_momentum(w);
    assert_true(tac_world_energy(w).elastic > 0.01); // something did happen
    assert_true(tac_norm(tac_sub(a.linear, b.linear)) < 1e-12 * size);
    double drift = tac_norm(tac_sub(a.angular, b.angular)) / turning;
    if (angular)
        assert_true(drift < 1e-11);
    else
        print_message("%s: angular momentum changed by %.2g of its size (documented as not kept)\n", law,
                      drift);
    tac_world_destroy(w);
}

static void test_momentum(void **state) {
    (void)state;
    check_momentum("<Springs stiffness='300' damping='0.5'/>", true);
    check_momentum("<Tetrahedra young='2000' poisson='0.3'/>", true);
    check_momentum("<Tetrahedra young='2000' poisson='0.3' method='svd'/>", true);
    check_momentum("<Tetrahedra young='2000' poisson='0.3' method='qr'/>", false);
    check_momentum("<Tetrahedra young='200' poisson='0.3' method='small'/>", false);
}

// A law between two agents on different clocks kicks both: momentum is kept although nobody waits for
// anybody.
static void test_law_between_agents(void **state) {
    (void)state;
    TacWorld *w = world_on(
        1,
        "<tactus version='1' dt='0.01' gravity='0 0 0'>"
        "<node name='a'><SymplecticEuler step='0.005'/><Points positions='0 0 0 1 0 0'/><UniformMass "
        "mass='1'/>"
        "<Springs pairs='0 1' stiffness='50'/></node>"
        "<node name='b'><ImplicitEuler step='0.02'/><Points positions='2 0.5 0 3 0.5 0' velocities='0 1 0'/>"
        "<UniformMass mass='3'/><Springs pairs='0 1' stiffness='500'/></node>"
        "<node name='free'><Points positions='2 2 2'/><UniformMass mass='2'/></node>"
        "<Springs name='link' matter='@a/points' other='@b/points' pairs='1 0' stiffness='20' "
        "period='0.004'/>"
        "<Springs name='tether' matter='@b/points' other='@free/points' pairs='1 0' stiffness='5' "
        "lengths='1'/>"
        "</tactus>");
    TacWorldStats s = tac_world_stats(w);
    assert_int_equal(s.agents, 2);
    assert_int_equal(s.free_laws, 2);
    assert_true(tac_world_agent(w, 2).is_law);
    assert_true(fabs(tac_world_agent(w, 2).step - 0.0025) < 1e-15); // 4 ms rounded down to the ruler
    TacMomentum p = tac_world_momentum(w);
    beats(w, 1000);
    s = tac_world_stats(w); // before measuring, which computes the next kicks ahead
    assert_int_equal(s.agent_kicks, 2000 + 500);
    assert_int_equal(s.law_kicks, 4000 + 1000);
    TacMomentum q = tac_world_momentum(w);
    assert_true(tac_norm(tac_sub(p.linear, q.linear)) < 1e-11);
    const double *x = positions(w, "/free/points");
    assert_true(fabs(x[0] - 2) > 1e-3); // the tether pulled
    tac_world_destroy(w);
}

// Agents at 1/60 s in a 10 ms beat tick exactly as often as they should.
static void test_free_clock_agent(void **state) {
    (void)state;
    TacWorld *w =
        world_on(1, "<tactus version='1' dt='0.01' gravity='0 -9.81 0'><node name='n'>"
                    "<SymplecticEuler step='0.016666666666666666'/><Points positions='0 0 0'/><UniformMass/>"
                    "</node></tactus>");
    assert_false(tac_world_agent(w, 0).on_ruler);
    advance(w, 10);
    assert_int_equal(tac_world_stats(w).agent_kicks, 600);
    // sum of 600 kicks of g/60, and of the drifts between them
    double h = 1.0 / 60;
    assert_true(fabs(velocities(w, "/n/points")[1] + 98.1) < 1e-9);
    assert_true(fabs(positions(w, "/n/points")[1] + 9.81 * h * h * 600 * 601 / 2) < 1e-8);
    tac_world_destroy(w);
}

// --- elasticity -------------------------------------------------------------------------------------------

// A cantilever of tetrahedra under its own weight against Timoshenko's beam, at small deflection.
static void test_cantilever(void **state) {
    (void)state;
    double length = 1, height = 0.2, width = 0.05, young = 1e7, poisson = 0.3, density = 100, g = 9.81;
    // one implicit step over a very long time is the static solution
    TacWorld *w = world_on(2, "<tactus version='1' dt='100' gravity='0 -9.81 0'><node name='n'>"
                              "<ImplicitEuler/><ConjugateGradient iterations='20000' tolerance='1e-8'/>"
                              "<Grid counts='101 25 5' low='0 0 0' high='1 0.2 0.05' split='true'/><Points/>"
                              "<DiagonalMass density='100'/><FixedPoints box='-0.001 -1 -1 0.001 1 1'/>"
                              "<Tetrahedra young='1e7' poisson='0.3'/></node></tactus>");
    beats(w, 1);
    const double *x = positions(w, "/n/points");
    size_t n = tac_world_point_count(w, tac_world_find(w, "/n/points"));
    double tip = 0;
    size_t count = 0;
    for (size_t i = 100; i < n; i += 101, count++) tip += x[3 * i + 1];
    assert_int_equal(count, 25 * 5);
    double deflection = height / 2 - tip / (double)count;
    double load = density * width * height * g, inertia = width * pow(height, 3) / 12;
    double shear = young / (2 * (1 + poisson)), kappa = 10 * (1 + poisson) / (12 + 11 * poisson);
    double expected = load * pow(length, 4) / (8 * young * inertia) +
                      load * length * length / (2 * kappa * shear * width * height);
    print_message("cantilever: %.6g m, beam theory %.6g m, ratio %.4f\n", deflection, expected,
                  deflection / expected);
    assert_true(fabs(deflection / expected - 1) < 0.03);
    tac_world_destroy(w);
}

// A membrane around a unit cube of tetrahedra, on the same points, stretched by a tenth in every direction: its
// energy is area times E e^2 (no Poisson effect).
static void test_membrane_on_a_solid(void **state) {
    (void)state;
    TacWorld *w = world_on(1, "<tactus version='1' gravity='0 0 0'><node name='n'><ImplicitEuler/>"
                              "<Grid name='grid' counts='4 4 4' split='true' surface='true'/>"
                              "<Points scale='1.1 1.1 1.1' rest='@grid.points'/><UniformMass/>"
                              "<Triangles young='7' poisson='0'/></node></tactus>");
    assert_true(fabs(tac_world_energy(w).elastic - 6 * 7 * 0.01) < 1e-12);
    tac_world_destroy(w);
}

// --- the same bits ----------------------------------------------------------------------------------------

static const char *const mixed_scene =
    "<tactus version='1' dt='0.01'>"
    "<node name='soft'><ImplicitEuler/><ConjugateGradient iterations='15'/>"
    "<Grid counts='14 14 14' split='true' low='0 0.2 0'/><Points/><DiagonalMass density='100'/>"
    "<Tetrahedra young='20000'/><Plane stiffness='200' damping='1' friction='0.4'/>"
    "<node name='skin'><Sphere subdivisions='4' radius='0.4' translation='0.5 0.7 "
    "0.5'/><Points/><BarycentricMap/>"
    "<Springs stiffness='3'/></node></node>"
    "<node name='chain'><SymplecticEuler step='0.00125'/><Line divisions='50' from='2 1 0' to='3 1 "
    "0'/><Points/>"
    "<UniformMass mass='0.01'/><FixedPoints points='0'/><Springs stiffness='100' damping='0.01'/></node>"
    "<node name='body'><SymplecticEuler/><Frames velocities='0 0 0 1 2 3'/><UniformMass box='1 0.5 0.2'/>"
    "<node name='shape'><Box divisions='2'/><Points/><RigidMap/></node></node>"
    "<Springs name='tie' matter='@chain/points' other='@body/shape/points' pairs='50 3' stiffness='10'/>"
    "</tactus>";

static void test_same_bits_for_any_threads(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        TacWorld *w = world_on(threads[i], mixed_scene);
        beats(w, 30);
        uint64_t h = tac_world_hash(w);
        if (i == 0) hash = h;
        assert_true(h == hash);
        tac_world_destroy(w);
    }
    // and another scene has another hash
    TacWorld *w = world_on(1, mixed_scene);
    beats(w, 29);
    assert_true(tac_world_hash(w) != hash);
    tac_world_destroy(w);
}

static void test_restore_gives_the_same_bits(void **state) {
    (void)state;
    TacWorld *w = world_on(2, mixed_scene);
    TacError error;
    beats(w, 7);
    tac_world_energy(w); // prepared: the hardest place to save
    size_t bytes = tac_world_snapshot_size(w);
    void *saved = malloc(bytes);
    assert_non_null(saved);
    assert_int_equal(tac_world_save(w, saved, bytes, &error), TAC_OK);
    beats(w, 13);
    uint64_t hash = tac_world_hash(w);
    assert_int_equal(tac_world_restore(w, saved, bytes, &error), TAC_OK);
    assert_true(tac_world_hash(w) != hash);
    beats(w, 13);
    assert_true(tac_world_hash(w) == hash);
    // into another world of the same scene too
    TacWorld *other = world_on(1, mixed_scene);
    assert_int_equal(tac_world_restore(other, saved, bytes, &error), TAC_OK);
    beats(other, 13);
    assert_true(tac_world_hash(other) == hash);
    // and not into another scene, nor from damaged bytes
    TacWorld *stranger =
        world_on(1, "<tactus version='1'><node name='n'><Points positions='0 0 0'/></node></tactus>");
    assert_int_equal(tac_world_restore(stranger, saved, bytes, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_world_restore(w, saved, bytes - 1, &error), TAC_BAD_INPUT);
    assert_int_equal(tac_world_restore(w, saved, 10, &error), TAC_BAD_INPUT);
    tac_world_destroy(stranger);
    tac_world_destroy(other);
    tac_world_destroy(w);
    free(saved);
}

// --- failing well -----------------------------------------------------------------------------------------

static void test_explosion_is_reported(void **state) {
    (void)state;
    TacWorld *w = world_on(1, "<tactus version='1' dt='0.1'><node name='n'><SymplecticEuler/>"
                              "<Points positions='0 0 0 1 0 0'/><UniformMass mass='0.001'/>"
                              "<Springs pairs='0 1' stiffness='1e9' lengths='0.5'/></node></tactus>");
    TacError error = {0};
    assert_int_equal(tac_world_advance(w, 1000, &error), TAC_FAILED);
    assert_non_null(strstr(error.message, "/n"));
    assert_non_null(strstr(error.message, "blew up"));
    assert_int_equal(tac_world_advance(w, 1, &error), TAC_FAILED);
    tac_world_destroy(w);
}

static void test_setting_state_and_live_attributes(void **state) {
    (void)state;
    TacWorld *w = world_on(1, "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><ImplicitEuler/>"
                              "<Points positions='0 0 0'/><UniformMass/></node></tactus>");
    TacError error;
    TacComponentId id = tac_world_find(w, "/n/points");
    double x[3] = {1, 2, 3}, v[3] = {1, 0, 0}, bad[3] = {NAN, 0, 0};
    tac_world_energy(w); // prepared: the pending kick must be computed again
    assert_int_equal(tac_world_set_state(w, id, x, v, &error), TAC_OK);
    assert_int_equal(tac_world_set_state(w, id, bad, NULL, &error), TAC_BAD_INPUT);
    beats(w, 100);
    assert_true(fabs(positions(w, "/n/points")[0] - 2) < 1e-12);
    TacComponentId solver = tac_world_find(w, "/n/implicitEuler");
    assert_int_equal(tac_world_set(w, solver, "damping_mass", "1", &error), TAC_OK);
    assert_int_equal(tac_world_set(w, solver, "damping_mass", "-1", &error), TAC_BAD_INPUT);
    assert_int_equal(tac_world_set(w, solver, "step", "0.1", &error), TAC_BAD_USAGE);
    assert_non_null(strstr(error.message, "damping_stiffness"));
    beats(w, 1); // the kick of the instant at which it was set is as it would have been
    assert_true(fabs(velocities(w, "/n/points")[0] - 1) < 1e-12);
    beats(w, 1);
    assert_true(fabs(velocities(w, "/n/points")[0] - 1 / 1.01) < 1e-12);
    tac_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thrown_stone_is_exact),
        cmocka_unit_test(test_looking_changes_nothing),
        cmocka_unit_test(test_asymmetric_top),
        cmocka_unit_test(test_top_follows_euler_equations),
        cmocka_unit_test(test_unowned_top_flies_as_well),
        cmocka_unit_test(test_convergence_orders),
        cmocka_unit_test(test_energy_at_half_kicks),
        cmocka_unit_test(test_implicit_step_closed_form),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_law_between_agents),
        cmocka_unit_test(test_free_clock_agent),
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_membrane_on_a_solid),
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_restore_gives_the_same_bits),
        cmocka_unit_test(test_explosion_is_reported),
        cmocka_unit_test(test_setting_state_and_live_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
