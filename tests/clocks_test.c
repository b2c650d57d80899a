// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Every elastic part on its own clock: classes follow the stability limit of each part, momentum and energy are
// kept, and the result is the same for any number of threads, after a restore, and however often anybody looks.

#define _GNU_SOURCE
#include "world_fixture.h"

#include "base/memory.h"
#include "world/world.h"

#include <math.h>

#define SAFE(content)                                                                                        \
    "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe'/>" content "</tactus>"

// --- which class ------------------------------------------------------------------------------------------

// The period of each spring of a world with one law of springs, by looking at its batches.
static double period_of(const TacWorld *world, uint32_t a, uint32_t b) {
    for (size_t t = 0; t < world->ticker_count; t++) {
        const TacBatch *batch = world->tickers[t].batch;
        bool has[2] = {false, false};
        for (size_t i = 0; batch && i < batch->count; i++) {
            has[0] = has[0] || batch->points[i] == a;
            has[1] = has[1] || batch->points[i] == b;
        }
        if (batch && batch->parts == 1 && has[0] && has[1]) return world->tickers[t].step;
    }
    return 0;
}

static double rounded_down(double beat, double period) {
    double p = beat;
    while (p > period) p /= 2;
    return p;
}

// Springs far from each other: each has the period of its own frequency.
static void test_period_from_own_frequency(void **state) {
    (void)state;
    TacWorld *world =
        world_of(SAFE("<node name='n'><Points positions='0 0 0 1 0 0 5 0 0 6 0 0 9 0 0 10 0 0'/>"
                      "<UniformMass mass='0.01'/><Springs pairs='0 1 2 3 4 5' "
                      "stiffness='1 100 10000'/></node>"));
    const double stiffness[3] = {1, 100, 10000};
    for (uint32_t i = 0; i < 3; i++) {
        double omega = sqrt(2 * stiffness[i] / 0.01);
        double expected = rounded_down(0.01, 0.2 / omega);
        assert_true(fabs(period_of(world, 2 * i, 2 * i + 1) - expected) < 1e-15);
    }
    tac_world_destroy(world);
}

// A soft spring on a point that a stiff one pulls: the second term holds it.
static void test_period_beside_a_stiff_neighbour(void **state) {
    (void)state;
    TacWorld *world = world_of(SAFE("<node name='n'><Points positions='0 0 0 1 0 0 2 0 0'/>"
                                    "<UniformMass mass='0.01'/><Springs pairs='0 1 1 2' "
                                    "stiffness='10000 1'/></node>"));
    double together = 2.5 / sqrt(2 * 10001 / 0.01);
    assert_true(fabs(period_of(world, 1, 2) - rounded_down(0.01, together)) < 1e-15);
    assert_true(period_of(world, 1, 2) < rounded_down(0.01, 0.2 / sqrt(2 * 1 / 0.01)));
    tac_world_destroy(world);
}

// Points that can collide: two classes finer, or as many as Contact asks for.
static void test_finer_where_things_collide(void **state) {
    (void)state;
    const char *text = "<tactus version='1' dt='0.01'><Contact method='safe' finer='%d'/><node name='n'>"
                       "<Line divisions='1' to='1 0 0'/><Points/><UniformMass mass='0.01'/>"
                       "<Springs stiffness='100'/>%s</node></tactus>";
    char full[512];
    double base = rounded_down(0.01, 0.2 / sqrt(2 * 100 / 0.01));
    for (int finer = 0; finer < 4; finer++)
        for (int skin = 0; skin < 2; skin++) {
            snprintf(full, sizeof full, text, finer, skin ? "<Skin/>" : "");
            TacWorld *world = world_of(full);
            double expected = skin ? ldexp(base, -finer) : base;
            assert_true(fabs(period_of(world, 0, 1) - expected) < 1e-15);
            tac_world_destroy(world);
        }
    // a period that the scene gives is kept
    TacWorld *world = world_of(SAFE("<node name='n'><Line divisions='1' to='1 0 0'/><Points/>"
                                    "<UniformMass mass='0.01'/><Springs stiffness='100' period='0.0051'/>"
                                    "<Skin/></node>"));
    assert_true(fabs(period_of(world, 0, 1) - 0.005) < 1e-15);
    tac_world_destroy(world);
}

static void test_too_stiff_is_refused(void **state) {
    (void)state;
    REFUSED(SAFE("<node name='n'><Points positions='0 0 0 1 0 0'/><UniformMass mass='1e-12'/>"
                 "~<Springs pairs='0 1' stiffness='1e18'/></node>"),
            "part 0", "tick every");
}

// --- conservation -----------------------------------------------------------------------------------------

// A bar whose cells get smaller by 1.5 each, so that its tetrahedra span several classes; freely tumbling.
static char *graded_bar(const char *law, int cells) {
    size_t size = 200000, n = 0;
    char *text = malloc(size);
    assert_non_null(text);
    n += (size_t)snprintf(text + n, size - n,
                          "<tactus version='1' dt='0.01' gravity='0 0 0'><Contact method='safe'/>"
                          "<node name='n'><Mesh at='");
    double x = 0, step = 0.1;
    for (int i = 0; i <= cells; i++) {
        for (int k = 0; k < 4; k++)
            n +=
                (size_t)snprintf(text + n, size - n, "%.17g %.17g %.17g ", x, 0.05 * (k % 2), 0.05 * (k / 2));
        x += step;
        step /= 1.4;
    }
    n += (size_t)snprintf(text + n, size - n, "' with_tetrahedra='");
    for (int i = 0; i < cells; i++) {
        // a box of corners 0..7 (x, y, z bits) as five tetrahedra, mirrored every other time
        static const int five[2][5][4] = {
            {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}},
            {{1, 0, 5, 3}, {2, 3, 6, 0}, {4, 5, 0, 6}, {7, 6, 3, 5}, {0, 3, 5, 6}}};
        for (int t = 0; t < 5; t++)
            for (int k = 0; k < 4; k++) {
                int c = five[i % 2][t][k];
                n += (size_t)snprintf(text + n, size - n, "%d ",
                                      4 * (i + (c & 1)) + (c >> 1 & 1) + 2 * (c >> 2 & 1));
            }
    }
    n += (size_t)snprintf(text + n, size - n, "'/><Points velocities='");
    for (int i = 0; i < 4 * (cells + 1); i++)
        n += (size_t)snprintf(text + n, size - n, "%.17g %.17g %.17g ", 0.2 * sin(i),
                              0.1 + 0.3 * cos(1.7 * i), 0.2 * sin(0.3 * i));
    n += (size_t)snprintf(text + n, size - n, "'/><DiagonalMass density='1000'/>%s</node></tactus>", law);
    assert_true(n < size);
    return text;
}

static size_t batch_count(const TacWorld *world) {
    size_t n = 0;
    for (size_t i = 0; i < world->ticker_count; i++) n += world->tickers[i].batch != NULL;
    return n;
}

static void test_momentum_and_energy(void **state) {
    (void)state;
    char *text = graded_bar("<Tetrahedra young='2e4' poisson='0.3'/>", 8);
    TacWorld *world = world_of(text);
    free(text);
    assert_true(batch_count(world) >= 3);
    TacMomentum p0 = tac_world_momentum(world);
    double e0 = tac_world_energy(world).total, sums[2] = {0, 0};
    int blocks = 50;
    for (int i = 0; i < 2 * blocks; i++) {
        advance(world, 0.1);
        sums[i / blocks] += tac_world_energy(world).total / blocks;
    }
    TacMomentum p = tac_world_momentum(world);
    assert_true(tac_norm(tac_sub(p.linear, p0.linear)) < 1e-10 * tac_norm(p0.linear));
    assert_true(tac_norm(tac_sub(p.angular, p0.angular)) < 1e-10 * tac_norm(p0.angular));
    // no drift: the means of both halves of the run; and near the start
    assert_true(fabs(sums[1] - sums[0]) < 1e-3 * e0);
    assert_true(fabs(sums[1] - e0) < 5e-3 * e0);
    tac_world_destroy(world);
}

// The asynchronous run nears what one fine clock for all gives, as both become finer.
static void test_same_motion_as_one_clock(void **state) {
    (void)state;
    char *text = graded_bar("<Tetrahedra young='2e4'/>", 5);
    char *fine = graded_bar("<Tetrahedra young='2e4' period='1e-5'/>", 5);
    TacWorld *a = world_of(text), *b = world_of(fine);
    free(text);
    free(fine);
    assert_int_equal(batch_count(b), 1);
    advance(a, 0.2);
    advance(b, 0.2);
    const double *x = tac_world_positions(a, tac_world_matter(a, 0));
    const double *y = tac_world_positions(b, tac_world_matter(b, 0));
    size_t n = 3 * tac_world_point_count(a, tac_world_matter(a, 0));
    for (size_t i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) < 2e-4);
    tac_world_destroy(a);
    tac_world_destroy(b);
}

// --- the same bits ----------------------------------------------------------------------------------------

#define CLOTH                                                                                                \
    "<tactus version='1' dt='0.01'><Contact method='safe' thickness='0.01'/>"                                \
    "<node name='cloth'><Sheet divisions='%d' width='0.5' depth='0.5' translation='0 0.12 0'/><Points/>"     \
    "<UniformMass total='0.1'/><Triangles young='500' thickness='0.01'/>"                                    \
    "<ShellBending stiffness='1e-4'/><EdgeDamping damping='1e-4'/><BendDamping "                             \
    "damping='1e-8'/>%s</node>"                                                                              \
    "<node name='post'><Nail radius='0.1' height='0.1'/><Points/><Skin/></node></tactus>"

static void test_threads_and_looking(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, CLOTH, 33, ""); // enough elements for several threads
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        TacWorld *world = world_on(i + 1, text);
        for (int k = 0; k < 4; k++) {
            advance(world, 0.01);
            // looking changes nothing
            if (i == 1) {
                tac_world_energy(world);
                tac_world_positions(world, tac_world_matter(world, 0));
            }
        }
        hashes[i] = tac_world_hash(world);
        tac_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

static void test_restore(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, CLOTH, 8, "<Skin/>");
    TacWorld *world = world_of(text), *other = world_of(text);
    advance(world, 0.0537); // in the middle of everything
    size_t bytes = tac_world_snapshot_size(world);
    void *data = malloc(bytes);
    TacError error = {0};
    assert_int_equal(tac_world_save(world, data, bytes, &error), TAC_OK);
    advance(world, 0.1);
    uint64_t hash = tac_world_hash(world);
    advance(world, 0.05);
    assert_int_equal(tac_world_restore(world, data, bytes, &error), TAC_OK);
    assert_int_equal(tac_world_restore(other, data, bytes, &error), TAC_OK);
    advance(world, 0.1);
    advance(other, 0.1);
    assert_true(tac_world_hash(world) == hash);
    assert_true(tac_world_hash(other) == hash);
    free(data);
    tac_world_destroy(world);
    tac_world_destroy(other);
}

// --- damping ----------------------------------------------------------------------------------------------

// Two masses, a spring and a damper: amplitude falls as exp(-c/m t) (each mass m, reduced mass m/2).
static void test_damped_oscillator(void **state) {
    (void)state;
    const double m = 0.1, k = 20, c = 0.01;
    TacWorld *world = world_of(
        SAFE("<node name='n'><Line divisions='1' to='1 0 0'/><Points velocities='1 0 0 -1 0 0'/>"
             "<UniformMass mass='0.1'/><Springs stiffness='20'/><EdgeDamping damping='0.01'/></node>"));
    double omega = sqrt(2 * k / m), gamma = c / m, most[2] = {0, 0};
    for (int i = 0; i < 4000; i++) {
        advance(world, 0.0025);
        const double *x = tac_world_positions(world, tac_world_matter(world, 0));
        double *peak = i < 400 ? &most[0] : &most[1];
        double time = 0.0025 * (i + 1);
        // amplitude with the decay taken out
        *peak = fmax(*peak, fabs(x[3] - x[0] - 1) * exp(gamma * time));
    }
    double expected = 2 / omega;
    assert_true(fabs(most[0] / expected - 1) < 0.02);
    assert_true(fabs(most[1] / expected - 1) < 0.03);
    tac_world_destroy(world);
}

// What swings as a whole is not damped; what ripples is.
static void test_damping_spares_rigid_motion(void **state) {
    (void)state;
    TacWorld *world = world_of(
        SAFE("<node name='n'><Sheet divisions='6'/><Points/><UniformMass total='1'/><Triangles young='1e3' "
             "thickness='0.01'/><ShellBending stiffness='0.01'/><EdgeDamping damping='0.05'/>"
             "<BendDamping damping='1e-4'/></node>"));
    TacComponentId id = tac_world_matter(world, 0);
    size_t n = tac_world_point_count(world, id);
    const double *x = tac_world_positions(world, id);
    double *v = calloc(3 * n, sizeof *v);
    for (size_t p = 0; p < n; p++) {
        TacVec3 turn = tac_cross(tac_vec3(0.2, 0.1, 0.4), tac_load3(x + 3 * p));
        tac_store3(v + 3 * p, tac_add(turn, tac_vec3(0.5, 0.05 * sin(7 * (double)p), 0)));
    }
    TacError error = {0};
    assert_int_equal(tac_world_set_state(world, id, NULL, v, &error), TAC_OK);
    free(v);
    TacMomentum p0 = tac_world_momentum(world);
    double e0 = tac_world_energy(world).total;
    advance(world, 5);
    TacMomentum p = tac_world_momentum(world);
    assert_true(tac_norm(tac_sub(p.linear, p0.linear)) < 1e-12);
    assert_true(tac_norm(tac_sub(p.angular, p0.angular)) < 1e-12);
    double e = tac_world_energy(world).total;
    assert_true(e < e0);
    // what is left is the motion of the whole: 1/2 m v^2 and the turning, within a few percent
    double whole = 0.5 * tac_dot(p.linear, p.linear);
    assert_true(e > whole && e < e0 - 0.5 * (0.05 * 0.05) / 4);
    tac_world_destroy(world);
}

// How fast the points of a 7 x 7 sheet move against the middle of their neighbours, in the mean.
static double rippling(TacWorld *world) {
    const double *x = tac_world_velocities(world, tac_world_matter(world, 0));
    double sum = 0;
    for (size_t i = 1; i < 6; i++)
        for (size_t j = 1; j < 6; j++) {
            const double *at = x + 3 * (7 * i + j);
            TacVec3 around = tac_add(tac_add(tac_load3(at - 3), tac_load3(at + 3)),
                                     tac_add(tac_load3(at - 21), tac_load3(at + 21)));
            sum += tac_norm(tac_sub(tac_load3(at), tac_scale(around, 0.25)));
        }
    return sum / 25;
}

typedef struct Swing {
    double first, last; // m: largest height of the lower edge's swing in the first and the last two seconds
    double rough;       // m/s: in the last two seconds, in the mean
} Swing;

// A curtain, held along its upper edge and shaken, swings for ten seconds.
static Swing swing(const char *damping) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "<tactus version='1' dt='0.01' gravity='0 -9.81 0'><Contact method='safe'/><node name='n'><Sheet "
        "divisions='6' width='0.5' depth='0.5' rotation='75 0 0' translation='0 -0.2414815 0.0647048'/>"
        "<Points/><UniformMass total='0.05'/><FixedPoints points='0-6'/><Triangles young='2e4' "
        "thickness='0.0005'/><ShellBending stiffness='2e-6'/>%s</node></tactus>",
        damping);
    TacWorld *world = world_of(text);
    TacComponentId id = tac_world_matter(world, 0);
    double v[3 * 49] = {0};
    for (size_t p = 7; p < 49; p++) v[3 * p + 2] = p % 2 ? 0.4 : -0.4;
    TacError error = {0};
    assert_int_equal(tac_world_set_state(world, id, NULL, v, &error), TAC_OK);
    Swing s = {0, 0, 0};
    for (int i = 0; i < 1000; i++) {
        advance(world, 0.01);
        double z = 0;
        for (size_t p = 42; p < 49; p++) z += tac_world_positions(world, id)[3 * p + 2] / 7;
        if (i < 200) s.first = fmax(s.first, fabs(z));
        if (i >= 800) s.last = fmax(s.last, fabs(z));
        if (i >= 800) s.rough += rippling(world) / 200;
    }
    tac_world_destroy(world);
    return s;
}

static void test_ripples_vanish_and_swinging_stays(void **state) {
    (void)state;
    Swing free_one = swing(""), damped = swing("<EdgeDamping damping='0.01'/><BendDamping damping='1e-6'/>");
    assert_true(damped.last > 0.8 * damped.first);
    assert_true(damped.rough < 0.1 * free_one.rough);
}

// Matter that no skin hangs on, beside matter with one: the audit and snapshots cope.
static void test_matter_without_skin(void **state) {
    (void)state;
    TacWorld *world = world_of(
        SAFE("<node name='a'><Line divisions='3' to='1 0 0'/><Points velocities='0 1 0 0 0 0 0 0 1 0 0 0'/>"
             "<UniformMass mass='0.01'/><Springs stiffness='10'/></node>"
             "<node name='b'><Sphere radius='0.1' subdivisions='1' translation='0 3 0'/><Points "
             "velocities='0 -1 0'/>"
             "<UniformMass mass='0.01'/><Springs stiffness='100'/><Skin/></node>"
             "<node name='c'><Sheet translation='0 2.8 0'/><Points/><Skin/></node>"));
    TacError error = {0};
    assert_int_equal(tac_world_audit(world, &error), TAC_OK);
    advance(world, 0.2);
    assert_int_equal(tac_world_audit_summary(world).violations, 0);
    assert_true(tac_world_audit_summary(world).questions > 0);
    tac_world_destroy(world);
}

// Whatever memory a world may have, it is made or refused.
static void test_little_memory(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, CLOTH, 3, "<EdgeLimit/><Skin/>");
    size_t made = 0, refused = 0;
    for (double memory = 1000; memory < 4e6; memory *= 1.01) {
        TacScene *scene = empty_scene();
        TacError error = {0};
        TacWorld *world = NULL;
        TacWorldDef def = tac_world_def_default();
        def.memory = (size_t)memory;
        assert_int_equal(tac_scene_parse(scene, "test.tac", text, strlen(text), &error), TAC_OK);
        TacStatus status = tac_world_create(&world, scene, &def, &error);
        assert_true(status == TAC_OK || status == TAC_NO_MEMORY || status == TAC_BAD_INPUT);
        assert_int_equal(status == TAC_OK, world != NULL);
        *(world ? &made : &refused) += 1;
        tac_world_destroy(world);
        tac_scene_destroy(scene);
    }
    assert_true(made > 10 && refused > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_period_from_own_frequency),
        cmocka_unit_test(test_period_beside_a_stiff_neighbour),
        cmocka_unit_test(test_finer_where_things_collide),
        cmocka_unit_test(test_too_stiff_is_refused),
        cmocka_unit_test(test_momentum_and_energy),
        cmocka_unit_test(test_same_motion_as_one_clock),
        cmocka_unit_test(test_threads_and_looking),
        cmocka_unit_test(test_restore),
        cmocka_unit_test(test_damped_oscillator),
        cmocka_unit_test(test_damping_spares_rigid_motion),
        cmocka_unit_test(test_ripples_vanish_and_swinging_stays),
        cmocka_unit_test(test_matter_without_skin),
        cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
