// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Spook and its joints: the direct solution against dense elimination and the conditions of complementarity,
// joints against closed forms of mechanics, conservation where nothing from outside acts.

#define _GNU_SOURCE
#include "base/random.h"
#include "solver/spook_system.h"
#include "world_fixture.h"

#include <math.h>

#define TOP(step) "<tactus version='1' dt='" step "' gravity='0 -10 0'>"

// --- the system -------------------------------------------------------------------------------------------

enum { BODIES = 12, MOST = 40 };

typedef struct Trial {
    TacArena arena;
    TacSpookSystem system;
    TacMatter *none[1];
    uint32_t first[1];
    TacSpookBody bodies[BODIES];
    double weights[36 * BODIES];
} Trial;

static void begin_trial(Trial *t, TacRandom *random) {
    memset(t, 0, sizeof *t);
    TacSpookSystem *s = &t->system;
    s->bodies = t->bodies;
    s->weights = t->weights;
    s->body_count = BODIES;
    size_t weights = 0;
    for (size_t b = 0; b < BODIES; b++) {
        size_t d = b % 3 ? 3 : 6;
        uint8_t form = b == 5 ? TAC_BODY_HELD : d == 3 ? TAC_BODY_POINT : TAC_BODY_MATRIX;
        t->bodies[b] = (TacSpookBody){(uint8_t)d, form, (uint32_t)s->number_count, (uint32_t)weights};
        double *w = t->weights + weights;
        // diagonally dominant, symmetric
        for (size_t i = 0; i < d; i++)
            for (size_t k = 0; k <= i; k++)
                w[d * i + k] = w[d * k + i] =
                    i == k ? tac_random_between(random, 0.5, 50) : tac_random_between(random, -0.05, 0.05);
        s->number_count += d;
        weights += d * d;
    }
    s->rows.capacity = MOST;
    s->rows.block_capacity = 3 * MOST;
    s->slot_count = MOST;
    TacError error;
    assert_int_equal(tac_spook_system_create(s, &t->arena, &error), TAC_OK);
}

static void end_trial(Trial *t) {
    tac_spook_system_destroy(&t->system);
    tac_arena_destroy(&t->arena);
}

static TacVec3 any_vector(TacRandom *random) {
    return tac_vec3(tac_random_between(random, -1, 1), tac_random_between(random, -1, 1),
                    tac_random_between(random, -1, 1));
}

static void add_row(TacSpookSystem *s, TacRandom *random, uint32_t a, uint32_t b) {
    size_t i = s->rows.count;
    assert_non_null(tac_rows_add(&s->rows, i));
    tac_rows_block(&s->rows, a, any_vector(random), any_vector(random));
    if (b != a) tac_rows_block(&s->rows, b, any_vector(random), any_vector(random));
    s->rhs[i] = tac_random_between(random, -3, 3);
    s->sigma[i] = i % 4 == 0 ? 0.1 : 1e-3;
    s->low[i] = -INFINITY;
    s->high[i] = INFINITY;
}

// S, dense, from the blocks alone.
static void dense_matrix(const Trial *t, double matrix[MOST][MOST]) {
    const TacSpookSystem *s = &t->system;
    memset(matrix, 0, sizeof(double[MOST][MOST]));
    for (size_t p = 0; p < s->rows.block_count; p++)
        for (size_t q = 0; q < s->rows.block_count; q++) {
            const TacBlock *a = &s->rows.blocks[p], *b = &s->rows.blocks[q];
            const TacSpookBody *body = &t->bodies[a->body];
            if (a->body != b->body || body->form == TAC_BODY_HELD) continue;
            const double *w = t->weights + body->weight;
            for (size_t i = 0; i < body->size; i++)
                for (size_t k = 0; k < body->size; k++) {
                    double value = body->form == TAC_BODY_POINT ? (i == k ? w[0] : 0) : w[body->size * i + k];
                    matrix[a->row][b->row] += a->j[i] * value * b->j[k];
                }
        }
    for (size_t i = 0; i < s->rows.count; i++) matrix[i][i] += s->sigma[i];
}

static void test_loops_agree_with_dense_elimination(void **state) {
    (void)state;
    TacRandom random = tac_random(7, 1);
    for (int trial = 0; trial < 200; trial++) {
        static Trial t;
        begin_trial(&t, &random);
        TacSpookSystem *s = &t.system;
        size_t n = 1 + (size_t)tac_random_between(&random, 0, MOST - 1);
        // solved twice: the second time with the structure already known
        for (int again = 0; again < 2; again++) {
            if (!again)
                for (size_t i = 0; i < n; i++)
                    add_row(s, &random, (uint32_t)tac_random_between(&random, 0, BODIES),
                            (uint32_t)tac_random_between(&random, 0, BODIES));
            TacSpookReport report = tac_spook_system_solve(s);
            assert_int_equal(report.rounds, 1);
            static double matrix[MOST][MOST];
            dense_matrix(&t, matrix);
            for (size_t i = 0; i < n; i++) {
                double residual = -s->rhs[i], scale = fabs(s->rhs[i]);
                for (size_t k = 0; k < n; k++) {
                    residual += matrix[i][k] * s->l[k];
                    scale += fabs(matrix[i][k] * s->l[k]);
                }
                if (!(fabs(residual) <= 1e-9 * scale))
                    fail_msg("trial %d, row %zu: %g of %g", trial, i, residual, scale);
            }
        }
        end_trial(&t);
    }
}

static void test_bounds_are_complementary(void **state) {
    (void)state;
    TacRandom random = tac_random(8, 1);
    int most_rounds = 0;
    for (int trial = 0; trial < 300; trial++) {
        static Trial t;
        begin_trial(&t, &random);
        TacSpookSystem *s = &t.system;
        size_t n = 1 + (size_t)tac_random_between(&random, 0, MOST - 1);
        for (size_t i = 0; i < n; i++) {
            add_row(s, &random, (uint32_t)tac_random_between(&random, 0, BODIES),
                    (uint32_t)tac_random_between(&random, 0, BODIES));
            if (i % 3 == 0) s->low[i] = 0;
            if (i % 3 == 1) s->high[i] = 0.01;
            if (i % 5 == 1) s->low[i] = -0.02;
        }
        TacSpookReport report = tac_spook_system_solve(s);
        if (report.rounds > most_rounds) most_rounds = report.rounds;
        static double matrix[MOST][MOST];
        dense_matrix(&t, matrix);
        for (size_t i = 0; i < n; i++) {
            double slack = -s->rhs[i];
            for (size_t k = 0; k < n; k++) slack += matrix[i][k] * s->l[k];
            assert_true(s->l[i] >= s->low[i] && s->l[i] <= s->high[i]);
            // between its bounds a row holds; at a bound it may only be off to the side that the bound stops
            bool at_low = s->l[i] == s->low[i], at_high = s->l[i] == s->high[i];
            if (slack > 1e-8 && !at_low) fail_msg("trial %d, row %zu: slack %g inside", trial, i, slack);
            if (slack < -1e-8 && !at_high) fail_msg("trial %d, row %zu: slack %g inside", trial, i, slack);
        }
        end_trial(&t);
    }
    assert_true(most_rounds > 1 && most_rounds < 50);
}

// Chains and trees are eliminated without filling anything in.
static void test_trees_fill_nothing_in(void **state) {
    (void)state;
    enum { N = 2000 };
    for (int kind = 0; kind < 2; kind++) {
        TacArena arena = {0};
        TacSpookSystem s = {.body_count = N, .number_count = 3 * N, .slot_count = N};
        s.bodies = tac_arena_array(&arena, N, sizeof *s.bodies);
        s.weights = tac_arena_array(&arena, N, sizeof *s.weights);
        for (uint32_t b = 0; b < N; b++) {
            s.bodies[b] = (TacSpookBody){3, TAC_BODY_POINT, 3 * b, b};
            s.weights[b] = 1;
        }
        s.rows.capacity = N;
        s.rows.block_capacity = 2 * N;
        TacError error;
        assert_int_equal(tac_spook_system_create(&s, &arena, &error), TAC_OK);
        for (uint32_t b = 1; b < N; b++) {
            assert_non_null(tac_rows_add(&s.rows, b));
            tac_rows_block(&s.rows, b, tac_vec3(1, 0.2, 0), tac_vec3(0, 0, 0));
            tac_rows_block(&s.rows, kind ? b / 2 : b - 1, tac_vec3(-1, 0.1, 0), tac_vec3(0, 0, 0));
            s.rhs[b - 1] = 1;
            s.sigma[b - 1] = 0;
            s.low[b - 1] = -INFINITY;
            s.high[b - 1] = INFINITY;
        }
        tac_spook_system_solve(&s);
        // pairs of rows that meet: N - 2 in a chain; three at each inner body of a binary tree
        size_t meet = kind ? 3 * (N / 2) : N - 2;
        assert_true(s.column[s.rows.count] <= meet);
        assert_true(s.column[s.rows.count] >= N - 2);
        tac_spook_system_destroy(&s);
        tac_arena_destroy(&arena);
    }
}

// --- joints against closed forms --------------------------------------------------------------------------

// Seconds between the first and the `turns`-th later time at which x passes 0 upwards.
static double period_of(TacWorld *w, const char *path, size_t number, double beat, int turns) {
    double first = -1, before = positions(w, path)[number];
    int passed = 0;
    for (int i = 1; i < 200000; i++) {
        beats(w, 1);
        double now = positions(w, path)[number];
        if (before < 0 && now >= 0) {
            double when = beat * (i - now / (now - before));
            if (first < 0)
                first = when;
            else if (++passed == turns)
                return (when - first) / turns;
        }
        before = now;
    }
    fail_msg("it does not swing");
    return 0;
}

static void test_pendulum_on_a_rod(void **state) {
    (void)state;
    TacWorld *w = world_of(
        TOP("0.01") "<node name='n'><Spook/><Points positions='0 0 0  0.08 -1.9983993 0'/><UniformMass "
                    "mass='3'/><FixedPoints points='0'/><DistanceJoints pairs='0 1'/></node></tactus>");
    double length = hypot(0.08, 1.9983993);
    near(period_of(w, "/n/points", 3, 0.01, 5), 2 * TAC_PI * sqrt(length / 10), 0.01);
    // nearly at rest in the middle of its swing it carries its weight and the centripetal force
    double sum = 0;
    for (int i = 0; i < 1400; i++) {
        beats(w, 1);
        sum += output(w, "/n/distanceJoints", "tensions", 0) / 1400;
    }
    near(sum, 30, 0.3);
    tac_world_destroy(w);
}

static void test_box_on_a_hinge(void **state) {
    (void)state;
    // hinged 0.5 m above its centre: 2 pi sqrt((I + m d^2) / (m g d))
    TacWorld *w =
        world_of(TOP("0.005") "<node name='n'><Spook/><Frames positions='0.025 -0.499374 0 0 0 0.025 1'/>"
                              "<UniformMass mass='2' box='0.2 1 0.3'/><HingeJoint at='0 0 0' axis='0 0 "
                              "1'/></node></tactus>");
    double inertia = 2 * (0.2 * 0.2 + 1) / 12,
           expected = 2 * TAC_PI * sqrt((inertia + 2 * 0.25) / (2 * 10 * 0.5));
    double period = period_of(w, "/n/frames", 0, 0.005, 4);
    near(period, expected, 0.01 * expected);
    near(positions(w, "/n/frames")[2], 0, 1e-9);
    tac_world_destroy(w);
}

static void test_slide_on_an_incline(void **state) {
    (void)state;
    // 30 degrees: half of gravity along the slide; it neither turns nor leaves the line
    TacWorld *w =
        world_of(TOP("0.01") "<node name='n'><Spook/><Frames/><UniformMass mass='2'/><PrismaticJoint "
                             "axis='0.8660254037844386 -0.5 0' high='3'/></node></tactus>");
    beats(w, 100);
    // v = a t, and x = sum of h v over the steps
    const double *x = positions(w, "/n/frames"), *v = velocities(w, "/n/frames");
    double along = x[0] * 0.8660254037844386 - x[1] * 0.5, across = x[0] * 0.5 + x[1] * 0.8660254037844386;
    near(along, 0.5 * 5 * 1 * 1.01, 1e-6);
    near(hypot(v[0], v[1]), 5, 1e-9);
    near(across, 0, 1e-7);
    near(x[6], 1, 1e-12);
    // at its limit it stops and stays
    beats(w, 200);
    x = positions(w, "/n/frames");
    near(x[0] * 0.8660254037844386 - x[1] * 0.5, 3, 1e-3);
    near(output(w, "/n/prismaticJoint", "forces", 7), -10, 0.05);
    tac_world_destroy(w);
}

static void test_motor_within_its_strength(void **state) {
    (void)state;
    // a wheel of inertia 0.5 by 2 N m: 4 rad/s^2 until 6 rad/s
    TacWorld *w = world_of(
        TOP("0.01") "<node name='n'><Spook/><Frames/><UniformMass mass='1' inertia='0.5 0.5 0.5'/>"
                    "<HingeJoint axis='0 0 1'/><Motor axis='0 0 1' speed='6' most='2'/></node></tactus>");
    beats(w, 100);
    near(velocities(w, "/n/frames")[5], 4, 1e-6);
    near(output(w, "/n/motor", "forces", 6), 2, 1e-9);
    beats(w, 100);
    near(velocities(w, "/n/frames")[5], 6, 1e-6);
    near(output(w, "/n/motor", "forces", 6), 0, 1e-6);
    tac_world_destroy(w);
    // a lift: holding 5 kg at a steady speed takes their weight; too weak a motor lets it sink
    for (int weak = 0; weak < 2; weak++) {
        char text[700];
        snprintf(text, sizeof text,
                 TOP("0.01") "<node name='n'><Spook/><Frames/><UniformMass mass='5'/><PrismaticJoint axis='0 "
                             "1 0'/>"
                             "<Motor motion='slide' axis='0 1 0' speed='0.5' most='%d'/></node></tactus>",
                 weak ? 40 : 60);
        w = world_of(text);
        beats(w, 200);
        near(velocities(w, "/n/frames")[1], weak ? -2.0 * 2 : 0.5, 1e-6);
        near(output(w, "/n/motor", "forces", 6), weak ? 40 : 50, 1e-6);
        tac_world_destroy(w);
    }
}

static void test_hinge_limits(void **state) {
    (void)state;
    TacWorld *w = world_of(
        TOP("0.01") "<node name='n'><Spook/><Frames positions='1 0 0 0 0 0 1'/><UniformMass mass='1' "
                    "box='0.1 0.1 0.1'/><HingeJoint at='0 0 0' axis='0 0 1' low='-40' "
                    "high='20'/></node></tactus>");
    beats(w, 400);
    const double *x = positions(w, "/n/frames");
    near(atan2(x[1], x[0]) * 180 / TAC_PI, -40, 0.2);
    // the limit takes the weight's torque
    near(output(w, "/n/hingeJoint", "forces", 6), 10 * cos(40 * TAC_PI / 180), 0.1);
    tac_world_destroy(w);
}

// Two bodies locked together, tumbling freely: momenta stay, and so does the pose of one to the other.
static void test_locked_bodies_keep_momenta(void **state) {
    (void)state;
    const char *joints[] = {
        "<LockJoint point='0' other='@frames' other_point='1' at='0.3 0 0'/>",
        "<BallJoint point='0' other='@frames' other_point='1' at='0.3 0 0'/>",
        "<HingeJoint point='0' other='@frames' other_point='1' at='0.3 0 0' axis='1 1 0'/>"};
    for (size_t k = 0; k < 3; k++) {
        char text[900];
        snprintf(text, sizeof text,
                 "<tactus version='1' dt='0.001' gravity='0 0 0'><node name='n'><Spook/><Frames positions='0 "
                 "0 0 0 0 0 1  1 "
                 "0.2 0 0 0 0 1' velocities='0 1 0 0.5 2 1  0.3 0 1 0 1 -1'/><UniformMass mass='2' box='0.5 "
                 "0.5 0.5'/>"
                 "%s</node></tactus>",
                 joints[k]);
        TacWorld *w = world_of(text);
        TacMomentum before = tac_world_momentum(w);
        beats(w, 2000);
        TacMomentum after = tac_world_momentum(w);
        // linear momentum to rounding; spin to the square of the step, for orientations move along chords
        near(tac_norm(tac_sub(after.linear, before.linear)), 0, 1e-11);
        near(tac_norm(tac_sub(after.angular, before.angular)), 0, 0.005 * tac_norm(before.angular));
        const double *x = positions(w, "/n/frames");
        TacVec3 a = tac_add(tac_load3(x), tac_rotate(tac_load_quat(x + 3), tac_vec3(0.3, 0, 0)));
        TacVec3 b = tac_add(tac_load3(x + 7), tac_rotate(tac_load_quat(x + 10), tac_vec3(-0.7, -0.2, 0)));
        near(tac_norm(tac_sub(a, b)), 0, 1e-5);
        TacQuat turn = tac_quat_mul(tac_quat_conjugate(tac_load_quat(x + 3)), tac_load_quat(x + 10));
        if (k == 0) near(fabs(turn.w), 1, 1e-8);
        // a hinge's axis is the same on both sides
        TacVec3 axis = tac_vec3(sqrt(0.5), sqrt(0.5), 0);
        double aligned = tac_norm(tac_sub(tac_rotate(turn, axis), axis));
        if (k == 2) near(aligned, 0, 1e-5);
        if (k == 1) assert_true(aligned > 0.01);
        tac_world_destroy(w);
    }
}

static void test_compliance_is_what_gives_way(void **state) {
    (void)state;
    TacWorld *w = world_of(TOP(
        "0.01") "<node name='n'><Spook/><Points positions='0 0 0  0 -1 0'/><UniformMass mass='3'/>"
                "<FixedPoints points='0'/><DistanceJoints pairs='0 1' compliance='0.001'/></node></tactus>");
    beats(w, 2000);
    near(positions(w, "/n/points")[4], -1 - 0.001 * 30, 1e-6);
    tac_world_destroy(w);
}

static void test_rope_falls_and_catches(void **state) {
    (void)state;
    TacWorld *w = world_of(
        TOP("0.01") "<node name='n'><Spook/><Points positions='0 0 0  0 -0.2 0'/><UniformMass "
                    "mass='3'/><FixedPoints points='0'/><DistanceJoints pairs='0 1' lengths='1' rope='true'/>"
                    "</node></tactus>");
    // free fall by 0.8 m takes 0.4 s; without any pull on the way
    for (int i = 0; i < 38; i++) {
        beats(w, 1);
        near(output(w, "/n/distanceJoints", "tensions", 0), 0, 0);
    }
    near(velocities(w, "/n/points")[4], -3.8, 1e-9);
    beats(w, 400);
    near(positions(w, "/n/points")[4], -1, 1e-3);
    near(output(w, "/n/distanceJoints", "tensions", 0), 30, 1e-3);
    // thrown up it is slack again
    double x[6] = {0, 0, 0, 0, -1, 0}, v[6] = {0, 0, 0, 0, 2, 0};
    TacError error;
    assert_int_equal(tac_world_set_state(w, tac_world_find(w, "/n/points"), x, v, &error), TAC_OK);
    beats(w, 10);
    near(output(w, "/n/distanceJoints", "tensions", 0), 0, 0);
    assert_true(positions(w, "/n/points")[4] > -0.9);
    tac_world_destroy(w);
}

static void test_contact_with_a_plane(void **state) {
    (void)state;
    TacWorld *w = world_of(
        TOP("0.01") "<node name='n'><Spook/><Points positions='0 1 0  1 0.3 0' velocities='0 0 0 0 -20 0'/>"
                    "<UniformMass mass='2'/><PlaneContact radius='0.1'/></node></tactus>");
    for (int i = 0; i < 300; i++) {
        beats(w, 1);
        assert_true(positions(w, "/n/points")[1] > 0.1 - 1e-9 && positions(w, "/n/points")[4] > 0.1 - 1e-9);
        assert_true(output(w, "/n/planeContact", "forces", 0) >= 0);
    }
    near(positions(w, "/n/points")[1], 0.1, 1e-6);
    near(output(w, "/n/planeContact", "forces", 0), 20, 1e-6);
    tac_world_destroy(w);
}

// A bridge of rods is a net of loops; said twice, its rods are redundant. Static forces are those of a truss.
// A block on an incline, down any direction of it: it stands while the slope is less than the coefficient, and slides with
// g (sin - mu cos) beyond. `turn` is the direction in which the slope falls, about y.
static void test_block_on_an_incline(void **state) {
    (void)state;
    static const double slopes[] = {0.3, 0.49, 0.51, 0.9};
    for (size_t k = 0; k < 4; k++)
        for (double turn = 0; turn < 6; turn += 0.7) {
            double angle = atan(slopes[k]), mu = 0.5;
            double n[3] = {sin(angle) * cos(turn), cos(angle), sin(angle) * sin(turn)};
            char text[700];
            snprintf(text, sizeof text,
                     TOP("0.01") "<node name='n'><Spook/><Points positions='0 0 0'/><UniformMass "
                                 "mass='3'/><PlaneContact "
                                 "normal='%.17g %.17g %.17g' friction='0.5'/></node></tactus>",
                     n[0], n[1], n[2]);
            TacWorld *w = world_of(text);
            beats(w, 100);
            double a = fmax(0, 10 * (sin(angle) - mu * cos(angle)));
            const double *v = velocities(w, "/n/points"), *x = positions(w, "/n/points");
            near(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), a, 1e-6 + 1e-6 * a);
            // straight down the slope
            near(v[0] * sin(turn) - v[2] * cos(turn), 0, 1e-6);
            near(n[0] * x[0] + n[1] * x[1] + n[2] * x[2], 0, 1e-9);
            near(output(w, "/n/planeContact", "forces", 0), 30 * cos(angle), 1e-6);
            near(output(w, "/n/planeContact", "frictions", 0), a > 0 ? 15 * cos(angle) : 30 * sin(angle),
                 1e-6);
            tac_world_destroy(w);
        }
}

// What slides on the flat comes to rest after v^2 / 2 mu g, in a straight line, and stays.
static void test_sliding_ends(void **state) {
    (void)state;
    TacWorld *w = world_of(
        TOP("0.001") "<node name='n'><Spook/><Points positions='0 0 0' velocities='3 0 4'/><UniformMass "
                     "mass='2'/><PlaneContact friction='0.4'/></node></tactus>");
    beats(w, 2000);
    const double *x = positions(w, "/n/points"), *v = velocities(w, "/n/points");
    double way = 25 / (2 * 0.4 * 10);
    near(x[0], 0.6 * way, 0.003 * way);
    near(x[2], 0.8 * way, 0.003 * way);
    near(hypot(v[0], v[2]), 0, 1e-9);
    tac_world_destroy(w);
}

// A ball on an incline rolls with 5/7 g sin where friction suffices (mu > 2/7 tan), and slips beyond.
static void test_ball_rolls_down(void **state) {
    (void)state;
    for (int slips = 0; slips < 2; slips++) {
        double angle = 0.5, mu = (slips ? 0.8 : 1.2) * 2 / 7 * tan(angle);
        char text[800];
        snprintf(
            text, sizeof text,
            TOP("0.005") "<node name='n'><Spook/><Frames positions='0 0.2 0 0 0 0 1'/><UniformMass mass='3' "
                         "inertia='0.048 0.048 0.048'/><PlaneContact normal='%.17g %.17g 0' offset='%.17g' "
                         "radius='0.2' "
                         "friction='%.17g'/></node></tactus>",
            sin(angle), cos(angle), 0.2 * cos(angle) - 0.2, mu);
        TacWorld *w = world_of(text);
        beats(w, 200);
        const double *v = velocities(w, "/n/frames");
        double speed = hypot(v[0], v[1]);
        double a = slips ? 10 * (sin(angle) - mu * cos(angle)) : 50.0 / 7 * sin(angle);
        double turn = slips ? mu * 30 * cos(angle) * 0.2 / 0.048 : a / 0.2;
        near(speed, a, 0.001 * a);
        near(-v[5], turn, 0.001 * turn);
        tac_world_destroy(w);
    }
}

// Two blocks tied by a rod on an incline, one rough and one smooth: their sum decides, and momentum does, too.
static void test_friction_through_joints(void **state) {
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        // 1 kg rough above, 2 kg smooth below: it holds when mu cos m1 > sin (m1 + m2)
        double angle = 0.2, needed = 3 * tan(angle), mu = (slides ? 0.9 : 1.1) * needed;
        char text[900];
        snprintf(text, sizeof text,
                 TOP("0.01") "<node name='n'><Spook/><Points positions='0 0 0 %.17g %.17g 0'/><DiagonalMass "
                             "masses='1 "
                             "2'/><PlaneContact name='rough' points='0' normal='%.17g %.17g 0' "
                             "friction='%.17g'/><PlaneContact "
                             "name='smooth' points='1' normal='%.17g %.17g 0'/><DistanceJoints pairs='0 "
                             "1'/></node></tactus>",
                 cos(angle), -sin(angle), sin(angle), cos(angle), mu, sin(angle), cos(angle));
        TacWorld *w = world_of(text);
        beats(w, 100);
        const double *v = velocities(w, "/n/points");
        double a = slides ? 10 * (3 * sin(angle) - mu * cos(angle)) / 3 : 0;
        near(hypot(v[3], v[4]), a, 1e-5);
        tac_world_destroy(w);
    }
}

static void test_truss_with_redundant_rods(void **state) {
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        char text[900];
        snprintf(text, sizeof text,
                 TOP("0.01") "<node name='n'><Spook/><Points positions='-1 0 0  1 0 0  0 1 0'/><DiagonalMass "
                             "masses='1 1 "
                             "10'/><FixedPoints points='0'/><FixedPoints name='roller' points='1' "
                             "directions='y'/><FixedPoints name='flat' points='1 2' directions='z'/>"
                             "<DistanceJoints pairs='0 1 0 2 1 2'/>%s</node></tactus>",
                 twice ? "<DistanceJoints name='again' pairs='0 1'/>" : "");
        TacWorld *w = world_of(text);
        beats(w, 300);
        // 100 N on top go down two legs at 45 degrees; the base is pulled by 50 N
        near(output(w, "/n/distanceJoints", "tensions", 1), -50 * sqrt(2), 0.01);
        double base = output(w, "/n/distanceJoints", "tensions", 0);
        if (twice) base += output(w, "/n/again", "tensions", 0);
        near(base, 50, 0.01);
        near(positions(w, "/n/points")[7], 1, 1e-3);
        tac_world_destroy(w);
    }
}

// A closed ring of hinged bars: six rows of them say nothing new. It swings without coming apart.
static void test_ring_of_hinges(void **state) {
    (void)state;
    TacWorld *w = world_of(TOP("0.005") "<node name='n'><Spook/><Frames positions='0 -0.5 0 0 0 0 1  0.5 -1 "
                                        "0 0 0 0 1  1 -0.5 0 0 0 0 1' "
                                        "velocities='0.3 0 0 0 0 0.6  0.6 0 0 0 0 0  0.3 0 0 0 0 "
                                        "0.6'/><UniformMass mass='1' box='0.2 0.2 "
                                        "0.2'/><HingeJoint name='a' point='0' at='0 0 0'/><HingeJoint "
                                        "name='b' point='0' other='@frames' "
                                        "other_point='1' at='0 -1 0'/><HingeJoint name='c' point='1' "
                                        "other='@frames' other_point='2' at='1 -1 "
                                        "0'/><HingeJoint name='d' point='2' at='1 0 0'/></node></tactus>");
    double least = 1, most = -1;
    for (int i = 0; i < 1000; i++) {
        beats(w, 1);
        const double *x = positions(w, "/n/frames");
        // the middle bar stays level and swings on a circle of radius 1
        near(hypot(x[7] - 0.5, x[8]), 1, 1e-3);
        near(x[9], 0, 1e-6);
        least = fmin(least, x[7] - 0.5);
        most = fmax(most, x[7] - 0.5);
    }
    assert_true(most > 0.1 && least < -0.1 && most < 0.3);
    tac_world_destroy(w);
}

// Half of a point's freedom taken by a constraint: joints work through what is left.
static void test_joints_respect_constraints(void **state) {
    (void)state;
    TacWorld *w = world_of(
        TOP("0.01") "<node name='n'><Spook/><Points positions='0 0 0  1 0 0'/><UniformMass mass='1'/>"
                    "<FixedPoints points='0' directions='yz'/><FixedPoints name='still' points='1' "
                    "directions='xz'/>"
                    "<DistanceJoints pairs='0 1'/></node></tactus>");
    beats(w, 30);
    const double *x = positions(w, "/n/points");
    near(x[1], 0, 0);
    near(x[3], 1, 0);
    near(hypot(x[3] - x[0], x[4] - x[1]), 1, 2e-3);
    assert_true(x[4] < -0.3);
    tac_world_destroy(w);
}

static void test_scripted_points_pull(void **state) {
    (void)state;
    // pulled along at 2 m/s by a rod, a point follows
    TacWorld *w = world_of(
        "<tactus version='1' dt='0.01' gravity='0 0 0'><node name='n'><Spook/><Points positions='0 0 0  -1 0 "
        "0'/>"
        "<UniformMass mass='1'/><ScriptedMotion points='0' speed='2 0 0'/><DistanceJoints pairs='0 1'/>"
        "</node></tactus>");
    beats(w, 300);
    near(velocities(w, "/n/points")[3], 2, 1e-6);
    near(positions(w, "/n/points")[0] - positions(w, "/n/points")[3], 1, 1e-4);
    tac_world_destroy(w);
}

// --- bad input --------------------------------------------------------------------------------------------

static void test_what_cannot_be_tied_is_refused(void **state) {
    (void)state;
    REFUSED(SMALL_AGENT("~<DistanceJoints pairs='0 1'/>"), "does not keep to joints", "Spook");
    REFUSED(IN_NODE("<Points positions='0 0 0 1 0 0'/><UniformMass/>~<DistanceJoints pairs='0 1'/>"),
            "no solver");
    REFUSED(SCENE("<node name='a'><Spook/><Points positions='0 0 0'/><UniformMass/></node><node "
                  "name='b'><RungeKutta4/><Points positions='1 0 0'/><UniformMass/></node>~<DistanceJoints "
                  "matter='@a/points' other='@b/points' pairs='0 0'/>"),
            "kick-then-drift", "SymplecticEuler");
    REFUSED(
        IN_NODE("<Spook/><Frames/><UniformMass/><node name='m'><Points positions='0 0 0 1 0 0'/><RigidMap/>"
                "~<DistanceJoints pairs='0 1'/></node>"),
        "follows other matter", "/n/frames");
#define TIED(joint) IN_NODE("<Spook/><Points positions='0 0 0 1 0 0'/><UniformMass/>" joint)
    REFUSED(TIED("<DistanceJoints pairs='~0 2'/>"), "points 0 to 1");
    REFUSED(TIED("<DistanceJoints pairs='~0 0'/>"), "begins and ends");
    REFUSED(TIED("<DistanceJoints pairs='~0 1 1'/>"), "two for each");
    REFUSED(TIED("<DistanceJoints pairs='0 1' lengths='~1 2'/>"), "1 or 1");
    REFUSED(IN_NODE("<Spook/><Points positions='0 0 0 0 0 0'/><UniformMass/><DistanceJoints pairs='~0 1'/>"),
            "same place");
    REFUSED(TIED("~<HingeJoint/>"), "Rigid3");
    REFUSED(TIED("<PlaneContact normal='~0 0 0'/>"), "no direction");
#define FRAMED(joint) IN_NODE("<Spook/><Frames positions='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/><UniformMass/>" joint)
    REFUSED(FRAMED("<HingeJoint axis='~0 0 0'/>"), "no direction");
    REFUSED(FRAMED("<HingeJoint low='10' high='~0'/>"), "below low");
    REFUSED(FRAMED("<HingeJoint low='~-180'/>"), "-170");
    REFUSED(FRAMED("<HingeJoint point='~2'/>"), "2 points or frames");
    REFUSED(FRAMED("~<LockJoint other='@frames'/>"), "to itself");
    REFUSED(FRAMED("~<Motor/>"), "speed");
    REFUSED(IN_NODE("<Spook dips='~1 2'/><Points positions='0 0 0'/><UniformMass/>"), "begin, end and limit");
    REFUSED(IN_NODE("<Spook/>~<Points dimension='2' positions='0 0'/><UniformMass/>"), "dimension 3");
    REFUSED(IN_NODE("~<Spook/><Points positions='0 0 0 1 0 0'/><DiagonalMass masses='1 "
                    "1e12'/><DistanceJoints pairs='0 1'/>"),
            "1e+12 times", "lighter");
    REFUSED(FRAMED("<OutputProbe of='@uniformMass' what='~nothing'/>"), "no list");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops_agree_with_dense_elimination),
        cmocka_unit_test(test_bounds_are_complementary),
        cmocka_unit_test(test_trees_fill_nothing_in),
        cmocka_unit_test(test_pendulum_on_a_rod),
        cmocka_unit_test(test_box_on_a_hinge),
        cmocka_unit_test(test_slide_on_an_incline),
        cmocka_unit_test(test_motor_within_its_strength),
        cmocka_unit_test(test_hinge_limits),
        cmocka_unit_test(test_locked_bodies_keep_momenta),
        cmocka_unit_test(test_compliance_is_what_gives_way),
        cmocka_unit_test(test_rope_falls_and_catches),
        cmocka_unit_test(test_contact_with_a_plane),
        cmocka_unit_test(test_block_on_an_incline),
        cmocka_unit_test(test_sliding_ends),
        cmocka_unit_test(test_ball_rolls_down),
        cmocka_unit_test(test_friction_through_joints),
        cmocka_unit_test(test_truss_with_redundant_rods),
        cmocka_unit_test(test_ring_of_hinges),
        cmocka_unit_test(test_joints_respect_constraints),
        cmocka_unit_test(test_scripted_points_pull),
        cmocka_unit_test(test_what_cannot_be_tied_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
