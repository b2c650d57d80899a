// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Edges at their limits: none ever leaves them, at any speed and mass; momentum and energy are kept; nothing
// depends on when anybody looks.

#define _GNU_SOURCE
#include "world_fixture.h"

#include "base/memory.h"
#include "tactus/math.h"
#include "world/world.h"

#include <math.h>

#define SAFE(gravity, content)                                                                               \
    "<tactus version='1' dt='0.01' gravity='" gravity "'><Contact method='safe' thickness='0.002'/>" content \
    "</tactus>"

#define CHAIN(mass, limit)                                                                                   \
    "<node name='n'><Line divisions='8' to='0.8 0 0'/><Points/>" mass "<EdgeLimit " limit "/></node>"

// All edges of a chain of equal edges lie within their limits. Returns the largest strain.
static double expect_within(TacWorld *world, double length, double strain) {
    TacComponentId id = tac_world_matter(world, 0);
    const double *x = tac_world_positions(world, id);
    double most = 0;
    for (size_t i = 0; i + 1 < tac_world_point_count(world, id); i++) {
        double l = tac_norm(tac_sub(tac_load3(x + 3 * i + 3), tac_load3(x + 3 * i)));
        assert_true(l > length * (1 - strain) && l < length * (1 + strain));
        most = fmax(most, fabs(l / length - 1));
    }
    return most;
}

static void set_velocities(TacWorld *world, const double *v) {
    TacError error = {0};
    assert_int_equal(tac_world_set_state(world, tac_world_matter(world, 0), NULL, v, &error), TAC_OK);
}

static void test_hanging_chain_falls(void **state) {
    (void)state;
    TacWorld *world = world_of(SAFE("0 -9.81 0", "<node name='n'><Line divisions='8' to='0.8 0 0'/><Points/>"
                                                 "<UniformMass mass='0.01'/><FixedPoints points='0'/>"
                                                 "<EdgeLimit strain='0.02'/></node>"));
    double most = 0;
    for (int i = 0; i < 3000; i++) {
        advance(world, 0.00037);
        most = fmax(most, expect_within(world, 0.1, 0.02));
    }
    assert_true(most > 0.005); // it was pulled
    // and it has swung down: a stiff rod of 0.8 m reaches the bottom in 0.4 s or so
    const double *x = tac_world_positions(world, tac_world_matter(world, 0));
    assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
    tac_world_destroy(world);
}

// One end is hit, at speeds far above what the layers are made for, and with masses far apart.
static void test_hard_pulls(void **state) {
    (void)state;
    static const char *const masses[] = {"<UniformMass mass='0.01'/>",
                                         "<DiagonalMass masses='0.01 1e-5 0.01 1e-5 0.01 10 0.01 1e-5 1'/>"};
    for (int m = 0; m < 2; m++)
        for (double speed = 1; speed < 500; speed *= 7) {
            char text[1024];
            snprintf(text, sizeof text, SAFE("0 0 0", CHAIN("%s", "strain='0.05' restitution='1'")),
                     masses[m]);
            TacWorld *world = world_of(text);
            double v[27] = {0};
            v[24] = speed;
            v[25] = 0.3 * speed;
            v[1] = -speed;
            set_velocities(world, v);
            TacMomentum p0 = tac_world_momentum(world);
            double e0 = tac_world_energy(world).total, most = 0;
            for (int i = 0; i < 60; i++) {
                advance(world, 0.0011 / speed);
                most = fmax(most, expect_within(world, 0.1, 0.05));
            }
            TacMomentum p = tac_world_momentum(world);
            double e = tac_world_energy(world).total;
            assert_true(most > 0.03);
            assert_true(tac_norm(tac_sub(p.linear, p0.linear)) < 1e-10 * tac_norm(p0.linear));
            assert_true(tac_norm(tac_sub(p.angular, p0.angular)) < 1e-10 * tac_norm(p0.angular));
            assert_true(fabs(e / e0 - 1) < 0.02);
            tac_world_destroy(world);
        }
}

// Springs that want to be twice as long pull for good: their kicks are told to the edges, without any skin.
static void test_pulled_by_springs(void **state) {
    (void)state;
    TacWorld *world =
        world_of(SAFE("0 0 0", "<node name='n'><Line divisions='8' to='0.8 0 0'/><Points/>"
                               "<UniformMass mass='0.01'/><Springs stiffness='50' lengths='0.2'/>"
                               "<EdgeLimit strain='0.05'/></node>"));
    double most = 0;
    for (int i = 0; i < 2000; i++) {
        advance(world, 0.00037);
        most = fmax(most, expect_within(world, 0.1, 0.05));
    }
    assert_true(most > 0.02);
    TacMomentum p = tac_world_momentum(world);
    assert_true(tac_norm(p.linear) < 1e-12 && tac_norm(p.angular) < 1e-12);
    tac_world_destroy(world);
}

// Two masses on one edge, flying apart: with restitution they come back slower, and never faster.
static void test_restitution(void **state) {
    (void)state;
    for (double e = 0; e < 1.1; e += 0.25) {
        char text[1024];
        snprintf(text, sizeof text,
                 SAFE("0 0 0",
                      "<node name='n'><Line divisions='1' to='0.1 0 0'/><Points velocities='-1 0 0 1 0 0'/>"
                      "<UniformMass mass='0.01'/><EdgeLimit strain='0.1' restitution='%g'/></node>"),
                 e);
        TacWorld *world = world_of(text);
        double back = 0;
        for (int i = 0; i < 40; i++) {
            advance(world, 0.0005);
            const double *v = tac_world_velocities(world, tac_world_matter(world, 0));
            back = fmax(back, (v[0] - v[3]) / 2);
            assert_true(fabs(v[0] + v[3]) < 1e-12);
        }
        // the last kick before the turn leaves a residue where nothing is to come back
        assert_true(e > 0.1 ? fabs(back - e) < 0.02 : back < 0.3);
        tac_world_destroy(world);
    }
}

// The same bits however often anybody looks, and after a restore in between.
static void test_same_bits(void **state) {
    (void)state;
    const char *text =
        SAFE("0 -9.81 0", "<node name='n'><Sheet divisions='4' width='0.4' depth='0.4'/><Points/>"
                          "<UniformMass mass='0.01'/><FixedPoints points='0 4'/>"
                          "<ShellBending stiffness='1e-4'/><EdgeLimit strain='0.05'/><Skin/></node>"
                          "<node name='b'><Sphere radius='0.05' subdivisions='1' "
                          "translation='0 -0.1 0'/><Points/><Skin/></node>");
    TacWorld *a = world_of(text), *b = world_of(text), *c = world_of(text);
    advance(a, 0.12);
    for (int i = 0; i < 40; i++) {
        advance(b, 0.12 / 40);
        tac_world_energy(b);
    }
    // to the same tick
    TacTick now = tac_world_tick(a) > tac_world_tick(b) ? tac_world_tick(a) : tac_world_tick(b);
    advance(a, tac_seconds(a->base, now - tac_world_tick(a)));
    advance(b, tac_seconds(b->base, now - tac_world_tick(b)));
    assert_true(tac_world_hash(a) == tac_world_hash(b));
    TacError error = {0};
    size_t bytes = tac_world_snapshot_size(a);
    void *data = malloc(bytes);
    assert_int_equal(tac_world_save(a, data, bytes, &error), TAC_OK);
    assert_int_equal(tac_world_restore(c, data, bytes, &error), TAC_OK);
    advance(a, 0.05);
    advance(c, 0.05);
    assert_true(tac_world_hash(a) == tac_world_hash(c));
    assert_true(a->limits->kicks > 100);
    // in the middle of an instant, too
    advance(a, 0.0001);
    tac_world_energy(a);
    bytes = tac_world_snapshot_size(a);
    data = realloc(data, bytes);
    assert_int_equal(tac_world_save(a, data, bytes, &error), TAC_OK);
    assert_int_equal(tac_world_restore(c, data, bytes, &error), TAC_OK);
    advance(a, 0.01);
    advance(c, 0.01);
    assert_true(tac_world_hash(a) == tac_world_hash(c));
    free(data);
    tac_world_destroy(a);
    tac_world_destroy(b);
    tac_world_destroy(c);
}

// Only what is near its limit costs anything.
static void test_slack_edges_cost_nothing(void **state) {
    (void)state;
    TacWorld *world = world_of(SAFE("0 -9.81 0", CHAIN("<UniformMass mass='0.01'/>", "strain='0.05'")));
    advance(world, 1); // falls as a whole
    assert_int_equal(world->limits->looks, 0);
    assert_true(tac_world_stats(world).instants < 10);
    tac_world_destroy(world);
}

#define FREE_CHAIN(limits)                                                                                   \
    SAFE("0 0 0", "<node name='n'><Line divisions='8'/><Points/><UniformMass/>" limits "</node>")

static void test_refusals(void **state) {
    (void)state;
    REFUSED(SCENE("<node name='n'><Line/><Points/><UniformMass/>~<EdgeLimit/></node>"), "safe contact");
    REFUSED(SAFE("0 0 0", "<node name='n'><Line divisions='1'/><Points/>~<EdgeLimit/></node>"), "mass");
    REFUSED(SAFE("0 0 0",
                 "<node name='n'><Line divisions='1'/><Points rest='0 0 0 1 0 0' positions='0 0 0 3 0 0'/>"
                 "<UniformMass/>~<EdgeLimit pairs='0 1' strain='0.1'/></node>"),
            "at rest");
    REFUSED(SAFE("0 0 0", "<node name='n'><Line/><Points/><UniformMass/><EdgeLimit strain='~1.5'/></node>"),
            "below 1");
    REFUSED(SAFE("0 0 0", "<node name='n'><Line/><Points/><UniformMass/><EdgeLimit pairs='~0 1 2'/></node>"),
            "two for each");
    REFUSED(SAFE("0 0 0", "<node name='n'><Line/><Points/><UniformMass/><EdgeLimit pairs='~0 99'/></node>"),
            "point 99");
    REFUSED(FREE_CHAIN("~<EdgeLimit speed='1e-30'/>"), "push for longer than");
    REFUSED(FREE_CHAIN("~<EdgeLimit speed='1e-24'/>"), "push for longer than");
    REFUSED(FREE_CHAIN("~<EdgeLimit speed='1e20'/>"), "need steps below one tick");
    REFUSED(FREE_CHAIN("~<EdgeLimit strain='1e-13'/>"), "strain of at least");
    REFUSED(FREE_CHAIN("<EdgeLimit pairs='0 1'/>~<EdgeLimit pairs='1 2' strain='1e-14'/>"), "beside others");
    // from the first instant on too fast
    REFUSED(SAFE("0 0 0",
                 "<node name='n'><Line divisions='1' to='0.1 0 0'/><Points velocities='0 0 0 1e15 0 0'/>"
                 "<UniformMass/>~<EdgeLimit/></node>"),
            "edge 0");
}

// A scene with one number: true when it makes a world, which then runs. Else it is refused at its component.
static bool accepts(const char *name, double value, char *message) {
    char text[1024];
    TacError error = {0};
    TacScene *scene = empty_scene();
    TacWorld *world = NULL;
    TacWorldDef def = tac_world_def_default();
    snprintf(text, sizeof text,
             SAFE("0 0 0", "<node name='n'><Line divisions='8' to='0.8 0 0'/><Points/><UniformMass mass='1'/>"
                           "<FixedPoints points='0'/>\n<EdgeLimit name='limit' %s='%.17g'/></node>"),
             name, value);
    bool made = tac_scene_parse(scene, "test.tac", text, strlen(text), &error) == TAC_OK &&
                tac_world_create(&world, scene, &def, &error) == TAC_OK;
    if (made) {
        advance(world, 0.02);
    } else {
        assert_int_equal(error.status, TAC_BAD_INPUT);
        assert_int_equal(error.line, 2);
        if (!error.column || !strcmp(error.file, "")) fail_msg("no place: %s", error.message);
        strcpy(message, error.message);
    }
    tac_world_destroy(world);
    tac_scene_destroy(scene);
    return made;
}

static void test_numbers_of_any_size(void **state) {
    (void)state;
    static const char *const names[] = {"strain", "speed", "restitution"};
    static const double values[] = {0,    5e-324, 1e-308, 1e-100, 1e-30, 1e-24, 1e-17, 1e-16, 1e-13,
                                    1e-9, 1e-3,   0.5,    1,      1e3,   1e9,   1e15,  1e30,  1e308};
    for (size_t n = 0; n < 3; n++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            char message[1024];
            double named;
            if (accepts(names[n], values[i], message)) continue;
            // what it names would do
            const char *least = strstr(message, "at least "), *most = strstr(message, "at most ");
            if (n == 1 && (least || most) && strstr(message, "would do")) {
                assert_int_equal(sscanf(strpbrk(least ? least : most, "0123456789"), "%lf", &named), 1);
                if (!accepts(names[n], named, message)) fail_msg("%g: %s", named, message);
            }
            if (n == 0 && strstr(message, "strain of at least ")) {
                assert_int_equal(sscanf(strpbrk(strstr(message, "strain of"), "0123456789"), "%lf", &named),
                                 1);
                if (!accepts(names[n], named, message)) fail_msg("%g: %s", named, message);
            }
        }
}

// When a limit would need steps below one tick, the run stops and says so; nothing gets through.
static void test_progress_error(void **state) {
    (void)state;
    TacWorld *world = world_of(
        SAFE("0 0 0", "<node name='n'><Line divisions='1' to='0.1 0 0'/><Points velocities='0 0 0 1e7 0 0'/>"
                      "<DiagonalMass masses='1e-6 1e3'/><FixedPoints points='0'/>"
                      "<EdgeLimit strain='0.001' speed='0.01'/></node>"));
    TacError error = {0};
    assert_int_equal(tac_world_advance(world, 0.01, &error), TAC_FAILED);
    assert_non_null(strstr(error.message, "edge 0"));
    expect_within(world, 0.1, 0.5);
    tac_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hanging_chain_falls),
        cmocka_unit_test(test_hard_pulls),
        cmocka_unit_test(test_pulled_by_springs),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_slack_edges_cost_nothing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_numbers_of_any_size),
        cmocka_unit_test(test_progress_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
