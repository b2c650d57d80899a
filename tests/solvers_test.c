// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Solvers and linear solvers: orders of convergence against an independent integration, closed forms,
// equilibrium, direct against iterative solves, the same bits for any number of threads, and what solvers that
// move matter themselves promise between their ticks.

#define _GNU_SOURCE
#include "world_fixture.h"

#include "solver/factor.h"
#include "world/world.h"

#include <math.h>

// Largest difference of the positions of one matter in two worlds.
static double difference(TacWorld *a, TacWorld *b, const char *path) {
    const double *x = positions(a, path), *y = positions(b, path);
    const TacMatter *m = tac_world_get_matter(a, tac_world_find(a, path));
    double most = 0;
    for (size_t i = 0; i < tac_vector_size(m, TAC_X); i++) most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

// --- orders of convergence --------------------------------------------------------------------------------

enum { STIFFNESS = 40, LENGTH = 1 };

// A point on a spring to the origin, in the plane, with weight: x'' = -k (1 - L/|x|) x - c u u.x' + g.
static void pendulum(const double y[4], double c, double dy[4]) {
    double l = hypot(y[0], y[1]), u[2] = {y[0] / l, y[1] / l};
    double tension = STIFFNESS * (l - LENGTH) + c * (u[0] * y[2] + u[1] * y[3]);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -tension * u[0];
    dy[3] = -tension * u[1] - 10;
}

// By a method that is none of those tested (the 3/8 rule), with steps so small that its error is rounding.
static void reference(double c, double seconds, double y[4]) {
    const int steps = 40000;
    double h = seconds / steps, k[4][4], z[4];
    for (int n = 0; n < steps; n++) {
        pendulum(y, c, k[0]);
        for (int i = 0; i < 4; i++) z[i] = y[i] + h * k[0][i] / 3;
        pendulum(z, c, k[1]);
        for (int i = 0; i < 4; i++) z[i] = y[i] + h * (k[1][i] - k[0][i] / 3);
        pendulum(z, c, k[2]);
        for (int i = 0; i < 4; i++) z[i] = y[i] + h * (k[0][i] - k[1][i] + k[2][i]);
        pendulum(z, c, k[3]);
        for (int i = 0; i < 4; i++) y[i] += h * (k[0][i] + 3 * k[1][i] + 3 * k[2][i] + k[3][i]) / 8;
    }
}

static double pendulum_error(const char *solver, double c, double step) {
    double y[4] = {1.2, 0, 0.3, 0.5};
    reference(c, 1, y);
    TacWorld *w = make_world_on(
        1,
        "<tactus version='1' dt='%.17g' gravity='0 -10 0'><node name='n'>%s"
        "<Points positions='0 0 0 1.2 0 0' velocities='0 0 0 0.3 0.5 0'/><UniformMass mass='1'/>"
        "<FixedPoints points='0'/><Springs pairs='0 1' stiffness='%d' damping='%g' "
        "lengths='%d' stable='false'/></node></tactus>",
        step, solver, STIFFNESS, c, LENGTH);
    beats(w, (int)lround(1 / step));
    const double *x = positions(w, "/n/points") + 3, *v = velocities(w, "/n/points") + 3;
    double error = hypot(hypot(x[0] - y[0], x[1] - y[1]), hypot(v[0] - y[2], v[1] - y[3]));
    tac_world_destroy(w);
    return error;
}

static void check_order(const char *solver, double c, double step, double order) {
    double coarse = pendulum_error(solver, c, step), middle = pendulum_error(solver, c, step / 2);
    double fine = pendulum_error(solver, c, step / 4);
    double first = log2(coarse / middle), second = log2(middle / fine);
    print_message("%s: errors %.2g %.2g %.2g, orders %.2f %.2f\n", solver, coarse, middle, fine, first,
                  second);
    if (fabs(second - order) > 0.25 || fabs(first - order) > 0.5)
        fail_msg("%s: orders %.2f and %.2f, not %g", solver, first, second, order);
}

static void test_orders(void **state) {
    (void)state;
    check_order("<ExplicitEuler/>", 0, 0.001, 1);
    check_order("<ExplicitEuler/>", 0.8, 0.001, 1);
    check_order("<RungeKutta4/>", 0, 0.02, 4);
    check_order("<RungeKutta4/>", 0.8, 0.02, 4);
    check_order("<ImplicitEuler/><SparseDirect/>", 0, 0.001, 1);
    check_order("<ImplicitEuler trapezoidal='true' drift='mean'/><SparseDirect/>", 0, 0.01, 2);
    check_order("<ImplicitEuler trapezoidal='true' drift='mean'/><ConjugateGradient tolerance='1e-14'/>", 0,
                0.01, 2);
}

// --- closed forms -----------------------------------------------------------------------------------------

// A linear oscillator: k = 4 N/m, m = 1 kg, a spring without length.
#define OSCILLATOR(solver)                                                                                   \
    "<tactus version='1' dt='0.125' gravity='0 0 0'><node name='n'>" solver                                  \
    "<Points dimension='1' positions='0 1' velocities='0 0.5'/><UniformMass mass='1'/>"                      \
    "<FixedPoints points='0'/><Springs pairs='0 1' stiffness='4' damping='0.5' "                             \
    "lengths='0'/></node></tactus>"

typedef struct Oscillation {
    double x, v;
} Oscillation;

static void check_oscillation(const char *text, Oscillation (*step)(Oscillation, double h)) {
    TacWorld *w = make_world_on(1, "%s", text);
    Oscillation o = {1, 0.5};
    for (int i = 0; i < 20; i++) {
        near(positions(w, "/n/points")[1], o.x, 1e-12);
        if (i == 0) near(velocities(w, "/n/points")[1], o.v, 1e-12);
        o = step(o, 0.125);
        beats(w, 1);
    }
    tac_world_destroy(w);
}

static double force_of(Oscillation o) {
    return -4 * o.x - 0.5 * o.v;
}

static Oscillation explicit_step(Oscillation o, double h) {
    return (Oscillation){o.x + h * o.v, o.v + h * force_of(o)};
}

// (1 - t h B - t^2 h^2 K) dv = h (f + t h K v) with K = -4, B = -1/2
static double implicit_kick(Oscillation o, double h, double t, double rm, double rk) {
    double system = 1 + t * h * rm + t * h * 0.5 + t * h * (t * h + rk) * 4;
    return h * (force_of(o) - rm * o.v - 4 * (t * h + rk) * o.v) / system;
}

static Oscillation implicit_step(Oscillation o, double h) {
    double v = o.v + implicit_kick(o, h, 1, 0.3, 0.2);
    return (Oscillation){o.x + h * v, v};
}

static Oscillation sofa_trapezoidal_step(Oscillation o, double h) {
    double v = o.v + implicit_kick(o, h, 0.5, 0.3, 0.2);
    return (Oscillation){o.x + h * v, v};
}

static Oscillation trapezoidal_step(Oscillation o, double h) {
    double v = o.v + implicit_kick(o, h, 0.5, 0, 0);
    return (Oscillation){o.x + h * 0.5 * (o.v + v), v};
}

static Oscillation damped_step(Oscillation o, double h) {
    double v = o.v + implicit_kick(o, h, 1, 0, 0);
    return (Oscillation){o.x + h * v, v * exp(-h * 0.7)};
}

static Oscillation first_order_step(Oscillation o, double h) {
    double v = force_of((Oscillation){o.x, o.v}) / (1 + 4 * h);
    return (Oscillation){o.x + h * v, v};
}

static void test_closed_forms(void **state) {
    (void)state;
    check_oscillation(OSCILLATOR("<ExplicitEuler/>"), explicit_step);
    check_oscillation(OSCILLATOR("<ImplicitEuler damping_mass='0.3' damping_stiffness='0.2'/>"),
                      implicit_step);
    check_oscillation(
        OSCILLATOR("<ImplicitEuler damping_mass='0.3' damping_stiffness='0.2'/><SparseDirect/>"),
        implicit_step);
    check_oscillation(
        OSCILLATOR("<ImplicitEuler trapezoidal='true' damping_mass='0.3' damping_stiffness='0.2'/>"),
        sofa_trapezoidal_step);
    check_oscillation(OSCILLATOR("<ImplicitEuler trapezoidal='true' drift='mean'/>"), trapezoidal_step);
    check_oscillation(OSCILLATOR("<ImplicitEuler damping_velocity='0.7'/>"), damped_step);
    check_oscillation(OSCILLATOR("<ImplicitEuler first_order='true'/>"), first_order_step);
}

// The trapezoidal rule keeps the energy of a linear oscillator; implicit Euler does not.
static void test_trapezoidal_keeps_energy(void **state) {
    (void)state;
    TacWorld *w =
        make_world_on(1, "<tactus version='1' dt='0.1' gravity='0 0 0'><node name='n'>"
                         "<ImplicitEuler trapezoidal='true' drift='mean'/><SparseDirect/>"
                         "<Points positions='0 0 0 1 2 0'/><UniformMass mass='3'/><FixedPoints points='0'/>"
                         "<Springs pairs='0 1' stiffness='70' lengths='0'/></node></tactus>");
    beats(w, 1000);
    const double *x = positions(w, "/n/points") + 3, *v = velocities(w, "/n/points") + 3;
    double energy = 0.5 * 70 * (x[0] * x[0] + x[1] * x[1]) + 0.5 * 3 * (v[0] * v[0] + v[1] * v[1]);
    near(energy, 0.5 * 70 * 5, 1e-9);
    tac_world_destroy(w);
}

// A frame that turns at a constant rate: every solver that moves matter gets the angle right.
static void test_frames_turn(void **state) {
    (void)state;
    static const char *const solvers[] = {"ExplicitEuler", "RungeKutta4",
                                          "ImplicitEuler trapezoidal='true' drift='mean'"};
    for (size_t i = 0; i < 3; i++) {
        TacWorld *w =
            make_world_on(1,
                          "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><%s/>"
                          "<Frames velocities='1 0 0 0 0 2'/><UniformMass mass='1'/></node></tactus>",
                          solvers[i]);
        beats(w, 50);
        const double *x = positions(w, "/n/frames");
        near(x[0], 0.5, 1e-12);
        near(x[5], sin(0.5), 1e-12);
        near(x[6], cos(0.5), 1e-12);
        tac_world_destroy(w);
    }
}

// A tumbling body keeps its angular momentum in space: to the order of the method, over a turn or two.
static void test_tumbling_body(void **state) {
    (void)state;
    double errors[2];
    for (int i = 0; i < 2; i++) {
        TacWorld *w =
            make_world_on(1,
                          "<tactus version='1' dt='%g' gravity='0 0 0'><node name='n'><RungeKutta4/>"
                          "<Frames velocities='0 0 0 0.4 3 0.3'/><UniformMass mass='1' inertia='1 2 3'/>"
                          "</node></tactus>",
                          i ? 0.005 : 0.01);
        TacVec3 start = tac_world_momentum(w).angular;
        beats(w, i ? 400 : 200);
        errors[i] = tac_norm(tac_sub(tac_world_momentum(w).angular, start)) / tac_norm(start);
        tac_world_destroy(w);
    }
    print_message("tumbling: momentum off by %.2g, then %.2g\n", errors[0], errors[1]);
    assert_true(errors[0] < 1e-2);
    assert_true(errors[1] < 0.35 * errors[0]); // second order
}

// --- equilibrium ------------------------------------------------------------------------------------------

// A hanging chain: each spring carries the weight below it.
static void test_static_chain(void **state) {
    (void)state;
    static const char *const linear[] = {"<SparseDirect/>", "<ConjugateGradient tolerance='1e-14'/>",
                                         "<MinimalResidual tolerance='1e-14'/>",
                                         "<PreconditionedConjugateGradient tolerance='1e-14'/>"};
    for (size_t i = 0; i < 4; i++) {
        TacWorld *w = make_world_on(
            1,
            "<tactus version='1' dt='0.1' gravity='0 -10 0'><node name='n'>"
            "<Static newton_iterations='30' absolute_residual='1e-11' "
            "absolute_correction='0' relative_correction='0' relative_residual='0'/>%s"
            "<Points positions='0 0 0 0 -1.1 0 0 -2.3 0 0 -3.4 0' velocities='1 1 1'/>"
            "<DiagonalMass masses='1 2 3 4'/><FixedPoints points='0'/>"
            "<Springs pairs='0 1 1 2 2 3' stiffness='100 200 300' lengths='1'/></node></tactus>",
            linear[i]);
        beats(w, 1);
        const double *x = positions(w, "/n/points"), *v = velocities(w, "/n/points");
        double y = -1 - 90.0 / 100;
        near(x[4], y, 1e-11);
        near(x[7], y -= 1 + 70.0 / 200, 1e-11);
        near(x[10], y -= 1 + 40.0 / 300, 1e-11);
        for (int k = 3; k < 12; k++) assert_true(v[k] == 0);
        tac_world_destroy(w);
    }
}

#define BEAM(solver)                                                                                         \
    "<tactus version='1' dt='%g' gravity='0 -10 0'><node name='n'>" solver                                   \
    "<Grid counts='9 3 3' high='4 1 1' split='true'/><Points/><DiagonalMass density='100'/>"                 \
    "<Tetrahedra young='2e5' poisson='0.35' method='polar'/>"                                                \
    "<FixedPoints box='-0.01 -9 -9 0.01 9 9'/></node></tactus>"

// Where large implicit steps with damping come to rest is where Newton's method arrives, without mass too.
static void test_static_beam(void **state) {
    (void)state;
    TacWorld *a =
        make_world_on(1,
                      BEAM("<Static newton_iterations='60' absolute_residual='1e-9' absolute_correction='0' "
                           "relative_correction='0' relative_residual='0'/><SparseDirect/>"),
                      1.0);
    TacWorld *b = make_world_on(1, BEAM("<ImplicitEuler damping_mass='1'/><SparseDirect/>"), 10.0);
    beats(a, 1);
    beats(b, 400);
    double sag = -positions(a, "/n/points")[3 * 8 + 1];
    print_message("beam: sags by %.3g m, differs by %.2g\n", sag, difference(a, b, "/n/points"));
    assert_true(sag > 0.1);
    assert_true(difference(a, b, "/n/points") < 1e-7);
    tac_world_destroy(a);
    tac_world_destroy(b);
}

static void test_static_without_mass(void **state) {
    (void)state;
    TacWorld *w =
        make_world_on(1, "%s",
                      IN_NODE("<Static newton_iterations='20'/>" THREE_POINTS "<FixedPoints points='0'/>"
                              "<Springs pairs='0 1 1 2 0 2' stiffness='10'/><ScriptedMotion points='1' "
                              "speed='1 0 0'/>"));
    beats(w, 100);
    const double *x = positions(w, "/n/points");
    near(x[3], 2, 1e-12); // scripted
    // the third point is as far from the first two as its springs are long
    near(hypot(x[6], x[7]), sqrt(2), 0.6);
    near(velocities(w, "/n/points")[3], 1, 1e-9);
    tac_world_destroy(w);
}

// --- linear solvers ---------------------------------------------------------------------------------------

// Everything that can be assembled, in one agent: solids, springs within and between, mapped matter in chains,
// frames with what they carry, constraints whole and in part, points that move as they are told.
#define ALL_SORTS(solver)                                                                                    \
    "<tactus version='1' dt='0.02'><node name='n'><ImplicitEuler damping_mass='0.1' "                        \
    "damping_stiffness='0.01'/>" solver                                                                      \
    "<node name='solid'><Grid counts='4 3 3' split='true'/><Points velocities='0.1 0.3 0'/>"                 \
    "<DiagonalMass density='100'/><Tetrahedra young='1e4'/><FixedPoints box='-1 -9 -9 0.01 9 9' "            \
    "directions='xz'/><ScriptedMotion points='35' speed='0 0.5 0'/>"                                         \
    "<node name='skin'><Sphere radius='0.3' translation='0.5 0.5 0.5' subdivisions='0'/><Points/>"           \
    "<BarycentricMap/><Springs stiffness='300' damping='1'/>"                                                \
    "<node name='part'><Points positions='0 0 0 0 0 0'/><SubsetMap points='0 7'/>"                           \
    "<Springs pairs='0 1' stiffness='50' lengths='0.9'/></node></node></node>"                               \
    "<node name='body'><Frames positions='2 0.5 0.5 0 0 0 1' velocities='0 0 0 1 2 3'/>"                     \
    "<UniformMass mass='2' inertia='1 2 2.5'/>"                                                              \
    "<node name='hull'><Box/><Points translation='2 0.5 0.5'/><RigidMap/></node></node>"                     \
    "<Springs matter='@solid/points' other='@body/hull/points' pairs='3 0 11 4 7 2' stiffness='200' "        \
    "damping='2'/></node></tactus>"

// Of the matrix and of the program, on the same vector.
static void check_product(TacWorld *w, TacSystem system) {
    TacProgram *p = &w->tickers[0].program;
    TacContext context = {0, 0.02, w->team};
    TacMatrix *m;
    TacError error;
    assert_int_equal(tac_matrix_create(&m, p, &context, &w->arena, &error), TAC_OK);
    char failure[240] = "";
    if (!tac_matrix_assemble(m, &context, &system, failure, sizeof failure)) fail_msg("%s", failure);
    double most = 0, size = 0;
    for (int trial = 0; trial < 5; trial++) {
        for (size_t i = 0; i < p->matter_count; i++)
            for (size_t k = 0; k < tac_vector_size(p->matters[i], TAC_A); k++)
                p->matters[i]->vectors[TAC_A][k] = sin((double)(k * 7 + i * 3 + (size_t)trial * 11));
        tac_program_project(p, &context, TAC_A);
        tac_matrix_multiply(m, &context, TAC_A, TAC_B);
        tac_program_product(p, &context, TAC_A, TAC_Q, system.m, system.b, system.k);
        tac_program_project(p, &context, TAC_Q);
        tac_program_axpy(p, &context, TAC_B, -1, TAC_Q);
        most = fmax(most, sqrt(tac_program_dot(p, &context, TAC_B, TAC_B)));
        size = fmax(size, sqrt(tac_program_dot(p, &context, TAC_Q, TAC_Q)));
    }
    print_message("matrix and program differ by %.2g of %.2g\n", most, size);
    assert_true(size > 0 && most < 1e-12 * size);
    tac_matrix_destroy(m);
}

static void test_matrix_is_what_the_program_does(void **state) {
    (void)state;
    TacWorld *w = make_world_on(1, ALL_SORTS("<ConjugateGradient iterations='500'/>"));
    beats(w, 7); // so that nothing is at rest
    check_product(w, (TacSystem){1, 0, 0});
    check_product(w, (TacSystem){0, 0, -1});
    check_product(w, (TacSystem){0, 1, 0});
    check_product(w, (TacSystem){1.1, -0.02, -0.0006});
    tac_world_destroy(w);
}

// Elements that come as a whole: two laws on the same points, another on others, boxes and tetrahedra; with springs,
// which write their blocks one by one, on top. Some points are held, so that nothing is left to luck there.
static void test_elements_come_as_a_whole(void **state) {
    (void)state;
    TacWorld *w =
        make_world_on(1, "<tactus version='1' dt='0.02'><node name='n'><ImplicitEuler/>"
                         "<ConjugateGradient iterations='500'/>"
                         "<node name='a'><Grid counts='4 3 3' split='true'/><Points velocities='0.1 3 0'/>"
                         "<DiagonalMass density='100'/><Tetrahedra young='1e4'/>"
                         "<Tetrahedra young='3e3' poisson='0.45' method='qr'/><Springs stiffness='10'/>"
                         "<FixedPoints box='-1 -9 -9 0.01 9 9' directions='xz'/></node>"
                         "<node name='b'><Grid counts='3 4 3' low='2 0 0' high='3 2 1'/>"
                         "<Points velocities='0 0 0.4'/><UniformMass total='10'/>"
                         "<Hexahedra young='2e4' poisson='0.2'/></node>"
                         "<Springs matter='@a/points' other='@b/points' pairs='3 0 11 4' stiffness='200'/>"
                         "</node></tactus>");
    beats(w, 7);
    check_product(w, (TacSystem){0, 0, -1});
    check_product(w, (TacSystem){1.1, -0.02, -0.0006});
    tac_world_destroy(w);
}

// Without asking, a matrix where all stiffness is of solids: the same motion, to rounding, after many iterations and
// after few.
static void test_a_matrix_without_asking_changes_nothing(void **state) {
    (void)state;
    static const char *const laws[] = {"Tetrahedra", "Hexahedra"}, *const split[] = {"true", "false"};
    static const char *const until[] = {"iterations='2000' tolerance='1e-14'",
                                        "iterations='8' tolerance='0'"};
    for (size_t i = 0; i < 4; i++) {
        TacWorld *worlds[2];
        for (int asked = 0; asked < 2; asked++) {
            worlds[asked] = make_world_on(1,
                                          "<tactus version='1' dt='0.01'><node name='n'><ImplicitEuler/>"
                                          "<ConjugateGradient %s assembled='%s'/>"
                                          "<Grid counts='5 4 4' split='%s'/><Points velocities='0 1 0'/>"
                                          "<%s young='1e5'/><UniformMass total='10'/>"
                                          "<FixedPoints box='-0.01 -9 -9 0.01 9 9'/></node></tactus>",
                                          until[i / 2], asked ? "false" : "auto", split[i % 2], laws[i % 2]);
            beats(worlds[asked], i / 2 ? 2 : 20);
        }
        assert_non_null(worlds[0]->tickers[0].program.linear);
        assert_null(worlds[1]->tickers[0].program.linear);
        double away = difference(worlds[0], worlds[1], "/n/points");
        print_message("%s, %s: %.2g apart\n", laws[i % 2], until[i / 2], away);
        assert_true(away < 1e-10);
        for (int k = 0; k < 2; k++) tac_world_destroy(worlds[k]);
    }
}

// A constraint that holds now one point, now another.
typedef struct Hand {
    TacConstraint constraint;
    size_t point;
} Hand;

static void let_go(void *self, const TacContext *context, double *d) {
    (void)context;
    const Hand *hand = self;
    for (size_t i = 0; i < 3; i++) d[3 * hand->point + i] = 0;
}

static void test_a_matrix_holds_what_is_held_now(void **state) {
    (void)state;
    static const TacConstraintOps ops = {.project = let_go};
    static const TacClass cls = {.name = "Hand", .kind = TAC_KIND_CONSTRAINT, .ops.constraint = &ops};
    TacWorld *w =
        make_world_on(1, "<tactus version='1' dt='0.02'><node name='n'><ImplicitEuler/><ConjugateGradient/>"
                         "<Grid counts='3 2 2' split='true'/><Points/><UniformMass total='12'/>"
                         "<Tetrahedra young='1e4'/></node></tactus>");
    TacProgram *p = &w->tickers[0].program;
    Hand hand = {.constraint = {.base = {.cls = &cls}, .matter = p->matters[0]}};
    TacConstraint *constraints[] = {&hand.constraint}, **before = p->constraints;
    p->constraints = constraints;
    p->constraint_count = 1;
    TacContext context = {0, 0.02, w->team};
    TacMatrix *m;
    TacError error;
    char failure[240];
    assert_int_equal(tac_matrix_create(&m, p, &context, &w->arena, &error), TAC_OK);
    for (size_t round = 0; round < 6; round++) {
        hand.point = round / 2;
        TacSystem system = {1, 0, -0.001};
        assert_true(tac_matrix_assemble(m, &context, &system, failure, sizeof failure));
        double *x = p->matters[0]->vectors[TAC_A], *y = p->matters[0]->vectors[TAC_Q];
        for (size_t i = 0; i < m->scalars; i++) x[i] = (double)(i + 1);
        tac_matrix_multiply(m, &context, TAC_A, TAC_Q);
        for (size_t i = 0; i < m->scalars; i++) assert_true((y[i] == x[i]) == (i / 3 == hand.point));
    }
    tac_matrix_destroy(m);
    p->constraints = before;
    p->constraint_count = 0;
    tac_world_destroy(w);
}

// Long bars are eliminated from end to end, whichever way their points are numbered; cubes are not.
static void test_every_order_solves(void **state) {
    (void)state;
    static const char *const counts[] = {"4 4 24", "24 4 4", "4 24 4", "7 7 7"};
    for (size_t i = 0; i < 4; i++) {
        TacWorld *w =
            make_world_on(1,
                          "<tactus version='1' dt='0.02'><node name='n'><ImplicitEuler/>"
                          "<ConjugateGradient/><Grid counts='%s'/><Points/><UniformMass total='10'/>"
                          "<Hexahedra young='1e5'/></node></tactus>",
                          counts[i]);
        TacProgram *p = &w->tickers[0].program;
        TacContext context = {0, 0.02, w->team};
        TacSystem system = {1, 0, -0.01};
        TacMatrix *m;
        TacFactor *f;
        TacError error;
        char failure[240];
        assert_int_equal(tac_matrix_create(&m, p, &context, &w->arena, &error), TAC_OK);
        assert_int_equal(tac_factor_create(&f, m, NULL, &error), TAC_OK);
        assert_true(tac_matrix_assemble(m, &context, &system, failure, sizeof failure));
        assert_true(tac_factor_compute(f, m, m->values));
        double *x = calloc(m->scalars + TAC_MATRIX_SLACK, sizeof *x), most = 0;
        for (size_t k = 0; k < m->scalars; k++) x[k] = sin((double)k);
        tac_matrix_product(m, &context, x, m->out);
        tac_factor_solve(f, m, m->out, m->out);
        for (size_t k = 0; k < m->scalars; k++) most = fmax(most, fabs(m->out[k] - x[k]));
        print_message("%s: off by %.2g, %zu numbers\n", counts[i], most, tac_factor_size(f));
        assert_true(most < 1e-9);
        free(x);
        tac_factor_destroy(f);
        tac_matrix_destroy(m);
        tac_world_destroy(w);
    }
}

// A law whose neighbours change: it ties point 0 to the point that it is told.
typedef struct Tie {
    TacLaw law;
    size_t other;
} Tie;

static void tie_blocks(void *self, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)b;
    const Tie *tie = self;
    const double minus[9] = {-k, 0, 0, 0, -k, 0, 0, 0, -k}, plus[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
    tac_matrix_add(matrix, 0, 0, 0, 0, minus);
    tac_matrix_add(matrix, 0, tie->other, 0, tie->other, minus);
    tac_matrix_add(matrix, 0, 0, 0, tie->other, plus);
    tac_matrix_add(matrix, 0, tie->other, 0, 0, plus);
}

static void tie_force(void *self, const TacContext *context, const TacLawVectors *vectors) {
    (void)self;
    (void)context;
    (void)vectors;
}

static void test_structure_follows_the_laws(void **state) {
    (void)state;
    static const TacLawOps tie_ops = {.force = tie_force, .stiffness = tie_blocks};
    static const TacClass tie_class = {.name = "Tie", .kind = TAC_KIND_LAW, .ops.law = &tie_ops};
    TacWorld *w = make_world_on(1, "%s",
                                IN_NODE("<ImplicitEuler/>" THREE_POINTS
                                        "<UniformMass mass='2'/><Springs pairs='0 1' stiffness='1'/>"));
    TacProgram *p = &w->tickers[0].program;
    Tie tie = {.law = {.base = {.cls = &tie_class, .path = "/n/tie"}, .matter = {p->matters[0], NULL}}};
    p->laws[0] = &tie.law;
    TacContext context = {0, 0.01, NULL};
    const TacSystem system = {1, 0, -3};
    char failure[240];
    TacError error;
    TacMatrix *m;
    tie.other = 1;
    assert_int_equal(tac_matrix_create(&m, p, &context, &w->arena, &error), TAC_OK);
    uint64_t first = m->generation;
    for (size_t round = 0; round < 6; round++) {
        tie.other = 1 + round / 2 % 2;
        assert_true(tac_matrix_assemble(m, &context, &system, failure, sizeof failure));
        assert_true(m->generation == first + round / 2); // a new one only when the neighbour changes
        assert_int_equal(m->start[3], 5);                // and nothing left of the old
        double *x = p->matters[0]->vectors[TAC_A], *y = p->matters[0]->vectors[TAC_Q];
        for (size_t i = 0; i < 9; i++) x[i] = (double)(i + 1);
        tac_matrix_multiply(m, &context, TAC_A, TAC_Q);
        for (size_t i = 0; i < 3; i++) {
            double d = x[i] - x[3 * tie.other + i];
            near(y[i], 2 * x[i] + 3 * d, 1e-14);
            near(y[3 * tie.other + i], 2 * x[3 * tie.other + i] - 3 * d, 1e-14);
            near(y[3 * (3 - tie.other) + i], 2 * x[3 * (3 - tie.other) + i], 1e-14);
        }
    }
    tac_matrix_destroy(m);
    tac_world_destroy(w);
}

static void test_linear_solvers_agree(void **state) {
    (void)state;
    static const char *const solvers[] = {
        "<ConjugateGradient iterations='3000' tolerance='1e-14' assembled='true'/>",
        "<MinimalResidual iterations='3000' tolerance='1e-14'/>",
        "<MinimalResidual iterations='3000' tolerance='1e-14' assembled='true'/>",
        "<PreconditionedConjugateGradient iterations='3000' tolerance='1e-14' preconditioner='none'/>",
        "<PreconditionedConjugateGradient iterations='3000' tolerance='1e-14' preconditioner='jacobi'/>",
        "<PreconditionedConjugateGradient iterations='3000' tolerance='1e-14' "
        "preconditioner='block-jacobi'/>",
        "<PreconditionedConjugateGradient iterations='3000' tolerance='1e-14' preconditioner='ssor'/>",
        "<PreconditionedConjugateGradient iterations='3000' tolerance='1e-14' preconditioner='ssor' "
        "relaxation='1.4'/>",
        "<PreconditionedConjugateGradient iterations='3000' tolerance='1e-14' preconditioner='ssor' "
        "relaxation='1.4' sweep='numbers'/>",
        "<PreconditionedConjugateGradient iterations='3000' tolerance='1e-26' preconditioner='ssor' "
        "measure='squares' sweep='numbers' warm='true'/>",
        "<PreconditionedConjugateGradient tolerance='1e-14' preconditioner='direct'/>",
        "<PreconditionedConjugateGradient tolerance='1e-14' preconditioner='direct' refresh='4'/>",
        "<SparseDirect/>",
    };
    TacWorld *exact = make_world_on(1, ALL_SORTS("<ConjugateGradient iterations='3000' tolerance='1e-14'/>"));
    beats(exact, 10);
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        TacWorld *w = make_world_on(1, ALL_SORTS("%s"), solvers[i]);
        beats(w, 10);
        double a = difference(exact, w, "/n/solid/points"), b = difference(exact, w, "/n/body/frames");
        print_message("%-100.100s %8.2g %8.2g, %d iterations\n", solvers[i], a, b,
                      w->tickers[0].report.iterations);
        assert_true(a < 1e-10 && b < 1e-10);
        tac_world_destroy(w);
    }
    tac_world_destroy(exact);
}

// Better preconditioners need fewer iterations.
static void test_preconditioners_help(void **state) {
    (void)state;
    static const char *const names[] = {"none", "jacobi", "block-jacobi", "ssor", "direct"};
    int iterations[5];
    for (int i = 0; i < 5; i++) {
        char solver[256];
        snprintf(solver, sizeof solver,
                 "<PreconditionedConjugateGradient iterations='2000' tolerance='1e-9' preconditioner='%s'/>",
                 names[i]);
        TacWorld *w = make_world_on(1,
                                    "<tactus version='1' dt='0.02'><node name='n'><ImplicitEuler/>%s"
                                    "<Grid counts='9 4 4' high='4 1 1' split='true'/><Points/>"
                                    "<DiagonalMass density='100'/><Tetrahedra young='1e7'/>"
                                    "<FixedPoints box='-0.01 -9 -9 0.01 9 9'/></node></tactus>",
                                    solver);
        beats(w, 3);
        tac_world_energy(w);
        iterations[i] = w->tickers[0].report.iterations;
        print_message("%s: %d iterations\n", names[i], iterations[i]);
        tac_world_destroy(w);
    }
    assert_true(iterations[1] < iterations[0]);
    assert_true(iterations[2] < iterations[0]);
    assert_true(iterations[3] < iterations[2]);
    assert_int_equal(iterations[4], 1);
}

// Squares of the residual, without an approximate inverse: a tolerance squared stops where its root stops by the
// residual. A solve that begins near the answer needs fewer iterations.
static void test_measures_and_warm_starts(void **state) {
    (void)state;
    static const char *const solvers[] = {
        "<PreconditionedConjugateGradient iterations='2000' tolerance='1e-3' preconditioner='none'/>",
        "<PreconditionedConjugateGradient iterations='2000' tolerance='1e-6' measure='squares' "
        "preconditioner='none'/>",
        "<PreconditionedConjugateGradient iterations='2000' tolerance='1e-3' warm='true' "
        "preconditioner='none'/>"};
    int iterations[3];
    TacWorld *worlds[3];
    for (int i = 0; i < 3; i++) {
        // free fall: after the first step the same change of velocity solves every step
        worlds[i] = make_world_on(1,
                                  "<tactus version='1' dt='0.02'><node name='n'><ImplicitEuler/>%s"
                                  "<Grid counts='4 3 3' split='true'/><Points/><MatrixMass density='100'/>"
                                  "<Tetrahedra young='1e6'/></node></tactus>",
                                  solvers[i]);
        beats(worlds[i], 3);
        iterations[i] = worlds[i]->tickers[0].report.iterations;
    }
    assert_int_equal(iterations[0], iterations[1]);
    assert_true(iterations[0] > 1);
    print_message("cold: %d iterations, warm: %d\n", iterations[0], iterations[2]);
    assert_true(2 * iterations[2] < iterations[0]);
    assert_true(difference(worlds[0], worlds[1], "/n/points") == 0);
    for (int i = 0; i < 3; i++) tac_world_destroy(worlds[i]);
}

// The first factors do for all steps of what is linear, and for no others.
static void test_factors_once(void **state) {
    (void)state;
    for (int turning = 0; turning < 2; turning++) {
        TacWorld *worlds[2];
        for (int once = 0; once < 2; once++) {
            worlds[once] =
                make_world_on(1,
                              "<tactus version='1' dt='0.02'><node name='n'><ImplicitEuler/>"
                              "<SparseDirect once='%s'/><Grid counts='6 2 2' high='4 1 1'/><Points/>"
                              "<UniformMass total='10'/><Hexahedra young='1e4' method='%s'/>"
                              "<FixedPoints box='-0.01 -9 -9 0.01 9 9'/></node></tactus>",
                              once ? "true" : "false", turning ? "large" : "small");
            beats(worlds[once], 20);
        }
        double apart = difference(worlds[0], worlds[1], "/n/points");
        if (turning ? !(apart > 1e-6) : !(apart < 1e-11)) fail_msg("%d: apart by %g", turning, apart);
        tac_world_destroy(worlds[0]);
        tac_world_destroy(worlds[1]);
    }
}

// A compressed spring: across it the system is negative, m + h^2 t < 0, along it positive.
static void test_indefinite_system(void **state) {
    (void)state;
    static const char *const solvers[] = {"<MinimalResidual tolerance='1e-14'/>", "<SparseDirect/>"};
    const double h = 0.5, k = 100, l = 0.5, turning = k * (l - 1) / l;
    assert_true(1 + h * h * turning < 0);
    for (int i = 0; i < 2; i++) {
        TacWorld *w = make_world_on(
            1,
            "<tactus version='1' dt='%g' gravity='1 2 3'><node name='n'><ImplicitEuler/>%s"
            "<Points positions='0 0 0 0.5 0 0'/><UniformMass mass='1'/><FixedPoints points='0'/>"
            "<Springs pairs='0 1' stiffness='100' lengths='1' stable='false'/></node></tactus>",
            h, solvers[i]);
        beats(w, 1);
        const double *v = velocities(w, "/n/points") + 3;
        near(v[0], h * (1 + k * 0.5) / (1 + h * h * k), 1e-12);
        near(v[1], h * 2 / (1 + h * h * turning), 1e-12);
        near(v[2], h * 3 / (1 + h * h * turning), 1e-12);
        tac_world_destroy(w);
    }
}

// --- threads ----------------------------------------------------------------------------------------------

static void test_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    static const char *const solvers[] = {
        "<ExplicitEuler step='0.0001'/>",
        "<RungeKutta4 step='0.0005'/>",
        "<ImplicitEuler/><ConjugateGradient iterations='20'/>",
        "<ImplicitEuler trapezoidal='true' drift='mean'/><ConjugateGradient assembled='true'/>",
        "<ImplicitEuler damping_velocity='1'/><MinimalResidual iterations='20'/>",
        "<ImplicitEuler/><PreconditionedConjugateGradient iterations='10' preconditioner='ssor'/>",
        "<ImplicitEuler/><SparseDirect/>",
        "<Static/><ConjugateGradient iterations='30'/>",
    };
    static const int threads[] = {1, 2, 3, 8};
    static const char *const laws[] = {"Tetrahedra", "Hexahedra"}, *const split[] = {"true", "false"};
    for (size_t i = 0; i < 2 * sizeof solvers / sizeof solvers[0]; i++) {
        uint64_t first = 0;
        for (size_t t = 0; t < 4; t++) {
            TacWorld *w =
                make_world_on(threads[t],
                              "<tactus version='1' dt='0.001'><node name='n'>%s"
                              "<Grid counts='31 10 10' high='3 1 1' split='%s'/><Points/><%s young='1e5'/>"
                              "<UniformMass total='300'/>"
                              "<FixedPoints box='-0.01 -9 -9 0.01 9 9'/></node></tactus>",
                              solvers[i / 2], split[i % 2], laws[i % 2]);
            beats(w, 2);
            uint64_t hash = tac_world_hash(w);
            if (t == 0) first = hash;
            if (hash != first) fail_msg("%s: other bits with %d threads", solvers[i / 2], threads[t]);
            tac_world_destroy(w);
        }
    }
}

// --- solvers that move matter themselves ------------------------------------------------------------------

static const char *const movers[] = {
    "<ExplicitEuler/>", "<RungeKutta4/>", "<ImplicitEuler trapezoidal='true' drift='mean'/>",
    "<ImplicitEuler damping_velocity='2'/>", "<Static newton_iterations='3'/>"};

#define MOVED(solver)                                                                                        \
    "<tactus version='1' dt='0.01'><node name='n'>" solver                                                   \
    "<Points positions='0 0 0 1 0 0 1 1 0' velocities='0.1 0 0.2'/><UniformMass mass='2'/>"                  \
    "<FixedPoints points='0'/><Springs pairs='0 1 1 2 0 2' stiffness='50' lengths='0.7'/></node></tactus>"

static void test_between_ticks_matter_is_on_the_line(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) {
        TacWorld *w = make_world_on(1, MOVED("%s"), movers[i]);
        double from[9], middle[9];
        beats(w, 3);
        memcpy(from, positions(w, "/n/points"), sizeof from);
        advance(w, 0.0025);
        memcpy(middle, positions(w, "/n/points"), sizeof middle);
        advance(w, 0.04 - tac_world_time(w));
        const double *to = positions(w, "/n/points");
        double moved = 0;
        for (int k = 0; k < 9; k++) {
            near(middle[k], from[k] + 0.25 * (to[k] - from[k]), 1e-9);
            moved = fmax(moved, fabs(to[k] - from[k]));
        }
        assert_true(moved > 1e-6);
        tac_world_destroy(w);
    }
}

static void test_snapshot_in_the_middle_of_a_step(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) {
        TacWorld *w = make_world_on(1, MOVED("%s"), movers[i]),
                 *fresh = make_world_on(1, MOVED("%s"), movers[i]);
        TacError error;
        advance(w, 0.0234);
        size_t bytes = tac_world_snapshot_size(w);
        void *data = malloc(bytes);
        assert_non_null(data);
        assert_int_equal(tac_world_save(w, data, bytes, &error), TAC_OK);
        advance(w, 0.1);
        assert_int_equal(tac_world_restore(fresh, data, bytes, &error), TAC_OK);
        advance(fresh, 0.1);
        assert_true(tac_world_hash(w) == tac_world_hash(fresh));
        assert_int_equal(tac_world_restore(w, data, bytes, &error), TAC_OK);
        advance(w, 0.1);
        assert_true(tac_world_hash(w) == tac_world_hash(fresh));
        free(data);
        tac_world_destroy(w);
        tac_world_destroy(fresh);
    }
}

// Factors that are older than the snapshot come back with it.
static void test_old_factors_are_state(void **state) {
    (void)state;
    const char *text = BEAM("<ImplicitEuler/><PreconditionedConjugateGradient preconditioner='direct' "
                            "refresh='7' tolerance='1e-3'/>");
    TacWorld *w = make_world_on(1, text, 0.02), *fresh = make_world_on(1, text, 0.02);
    TacError error;
    beats(w, 10);
    size_t bytes = tac_world_snapshot_size(w);
    void *data = malloc(bytes);
    assert_non_null(data);
    assert_int_equal(tac_world_save(w, data, bytes, &error), TAC_OK);
    beats(w, 2);
    assert_int_equal(tac_world_restore(fresh, data, bytes, &error), TAC_OK);
    beats(fresh, 2);
    assert_true(tac_world_hash(w) == tac_world_hash(fresh));
    beats(w, 10); // past the next renewal
    assert_int_equal(tac_world_restore(w, data, bytes, &error), TAC_OK);
    beats(w, 2);
    assert_true(tac_world_hash(w) == tac_world_hash(fresh));
    free(data);
    tac_world_destroy(w);
    tac_world_destroy(fresh);
}

// A spring between an agent that moves its matter and one that kicks, each on its own clock: what one gets the
// other loses. Momentum is read when both have arrived.
static void test_momentum_between_agents(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; i++) { // Static keeps no momentum
        if (i == 3) continue;        // nor does damping
        TacWorld *w = make_world_on(
            1,
            "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='a'>%s"
            "<Points positions='0 0 0 1 0 0' velocities='0 1 0 0.5 0 0'/><UniformMass mass='2'/>"
            "<Springs pairs='0 1' stiffness='30' lengths='0.6'/></node>"
            "<node name='b'><SymplecticEuler step='0.005'/><Points positions='0 1 0 1 1 0'/>"
            "<UniformMass mass='1'/><Springs pairs='0 1' stiffness='20'/></node>"
            "<Springs matter='@a/points' other='@b/points' pairs='0 0 1 1' stiffness='40' "
            "lengths='0.7' period='0.0025'/></tactus>",
            movers[i]);
        TacVec3 start = tac_world_momentum(w).linear;
        double moved = 0;
        for (int n = 0; n < 50; n++) {
            beats(w, 1);
            TacVec3 now = tac_world_momentum(w).linear;
            near(tac_norm(tac_sub(now, start)), 0, 1e-12);
            moved = fmax(moved, fabs(velocities(w, "/b/points")[1]));
        }
        assert_true(moved > 0.1); // the agents do pull at each other
        tac_world_destroy(w);
    }
}

// Scripted points go where they must with every solver.
static void test_scripts_are_followed(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) {
        TacWorld *w = make_world_on(1,
                                    "<tactus version='1' dt='0.01'><node name='n'>%s" THREE_POINTS
                                    "<UniformMass mass='2'/><ScriptedMotion points='1' times='0 0.05 0.2' "
                                    "offsets='0 0 0 0 1 0 2 0 0'/><FixedPoints points='0'/>"
                                    "<Springs pairs='0 1 1 2 0 2' stiffness='50'/></node></tactus>",
                                    movers[i]);
        for (int n = 1; n <= 20; n++) {
            beats(w, 1);
            const double *x = positions(w, "/n/points") + 3;
            double t = 0.01 * n, s = (t - 0.05) / 0.15;
            near(x[0], t <= 0.05 ? 1 : 1 + 2 * s, 1e-9);
            near(x[1], t <= 0.05 ? 20 * t : 1 - s, 1e-9);
        }
        tac_world_destroy(w);
    }
}

// --- failures ---------------------------------------------------------------------------------------------

static void check_failure(const char *text, int n, const char *expected) {
    TacWorld *w = make_world_on(1, "%s", text);
    TacError error = {0};
    TacStatus status = tac_world_advance_beats(w, n, &error);
    if (status != TAC_FAILED || !strstr(error.message, expected))
        fail_msg("expected \"%s\", got %d: %s", expected, (int)status, error.message);
    assert_int_equal(tac_world_advance_beats(w, 1, &error), TAC_FAILED);
    tac_world_destroy(w);
}

static void test_failures_are_said(void **state) {
    (void)state;
    check_failure(IN_NODE("<ExplicitEuler/>" THREE_POINTS "<UniformMass/><Springs pairs='0 1 1 2' "
                          "stiffness='1e9' lengths='0.5'/>"),
                  1000, "no longer a number");
    check_failure(IN_NODE("<RungeKutta4/>" THREE_POINTS "<UniformMass/><Springs pairs='0 1 1 2' "
                          "stiffness='1e9' lengths='0.5'/>"),
                  1000, "no longer a number");
    // as good as no stiffness: positions end nowhere, while velocities stay zero
    check_failure(IN_NODE("<Static/>" THREE_POINTS
                          "<UniformMass/><FixedPoints points='0'/><Springs pairs='0 1' "
                          "stiffness='1e-300'/><ConstantForce total='1e10 0 0'/>"),
                  3, "the position of point");
    // nothing holds these points
    check_failure(IN_NODE("<Static/><SparseDirect/><Grid counts='3 3 3' split='true'/><Points/>"
                          "<DiagonalMass density='1'/><Tetrahedra young='1e4'/>"),
                  1, "singular");
}

static void nothing(void *self, const TacContext *context, const TacLawVectors *vectors) {
    (void)self;
    (void)context;
    (void)vectors;
}

static void no_change(void *self, const TacContext *context, const TacLawVectors *vectors, double k,
                      double b) {
    (void)self;
    (void)context;
    (void)vectors;
    (void)k;
    (void)b;
}

static void no_blocks(void *self, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix) {
    (void)self;
    (void)context;
    (void)vectors;
    (void)k;
    (void)b;
    (void)matrix;
}

static void test_what_cannot_be_assembled_is_named(void **state) {
    (void)state;
    static const TacLawOps law_ops = {.force = nothing, .force_change = no_change};
    static const TacClass law_class = {.name = "Wind", .kind = TAC_KIND_LAW, .ops.law = &law_ops};
    static const TacLawOps spring_ops = {.force = nothing, .force_change = no_change, .stiffness = no_blocks};
    static const TacClass spring_class = {.name = "Spring", .kind = TAC_KIND_LAW, .ops.law = &spring_ops};
    static const TacMapOps map_ops = {0};
    static const TacClass map_class = {.name = "Bend", .kind = TAC_KIND_MAP, .ops.map = &map_ops};
    TacComponent direct = {.cls = &tac_sparse_direct_class, .path = "/n/direct", .file = "a.tac", .line = 3};
    TacMatter parent = {0}, child = {.mapped = true};
    TacLaw wind = {.base = {.cls = &law_class, .path = "/n/wind"}, .matter = {&parent, NULL}};
    TacLaw *laws[] = {&wind};
    TacProgram program = {.laws = laws, .law_count = 1};
    TacError error;
    assert_int_equal(tac_matrix_check(&program, &direct, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "/n/wind"));
    assert_int_equal(error.line, 3);

    // a law that can, on a map that cannot
    TacLaw spring = {.base = {.cls = &spring_class, .path = "/n/spring"}, .matter = {&child, NULL}};
    TacMap bend = {.base = {.cls = &map_class, .path = "/n/bend"}, .parent = &parent, .child = &child};
    TacMap *maps[] = {&bend};
    laws[0] = &spring;
    program.maps = maps;
    program.map_count = 1;
    assert_int_equal(tac_matrix_check(&program, &direct, &error), TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "/n/spring"));
    assert_non_null(strstr(error.message, "/n/bend"));
}

static void test_attributes_are_checked(void **state) {
    (void)state;
    REFUSED(IN_NODE("<ImplicitEuler drift='~mean'/>" THREE_POINTS "<UniformMass/>"), "trapezoidal");
    REFUSED(IN_NODE("<ImplicitEuler/><PreconditionedConjugateGradient relaxation='~2'/>" THREE_POINTS
                    "<UniformMass/>"),
            "below 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_trapezoidal_keeps_energy),
        cmocka_unit_test(test_frames_turn),
        cmocka_unit_test(test_tumbling_body),
        cmocka_unit_test(test_static_chain),
        cmocka_unit_test(test_static_beam),
        cmocka_unit_test(test_static_without_mass),
        cmocka_unit_test(test_matrix_is_what_the_program_does),
        cmocka_unit_test(test_structure_follows_the_laws),
        cmocka_unit_test(test_elements_come_as_a_whole),
        cmocka_unit_test(test_a_matrix_without_asking_changes_nothing),
        cmocka_unit_test(test_a_matrix_holds_what_is_held_now),
        cmocka_unit_test(test_every_order_solves),
        cmocka_unit_test(test_linear_solvers_agree),
        cmocka_unit_test(test_preconditioners_help),
        cmocka_unit_test(test_measures_and_warm_starts),
        cmocka_unit_test(test_factors_once),
        cmocka_unit_test(test_indefinite_system),
        cmocka_unit_test(test_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_between_ticks_matter_is_on_the_line),
        cmocka_unit_test(test_snapshot_in_the_middle_of_a_step),
        cmocka_unit_test(test_old_factors_are_state),
        cmocka_unit_test(test_momentum_between_agents),
        cmocka_unit_test(test_scripts_are_followed),
        cmocka_unit_test(test_failures_are_said),
        cmocka_unit_test(test_what_cannot_be_assembled_is_named),
        cmocka_unit_test(test_attributes_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
