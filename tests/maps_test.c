// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Maps: what goes down is the derivative of where things are, what goes up is its transpose; chains of maps
// and worlds with maps in them; scenes that cannot be.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "map_checks.h"

// --- rigid ------------------------------------------------------------------------------------------------

enum { FRAMES = 5, CARRIED = 400 };

// Points on frames in space, with random poses, random places, random owners.
static TacWorld *make_rigid(const char *attributes, uint64_t seed, size_t points, double **frames,
                            double **places, int32_t **owners) {
    TacRandom random = tac_random(seed, 4);
    *frames = take_random_frames(&random, FRAMES);
    *places = take_random(&random, 3 * points, 1);
    *owners = calloc(points, sizeof **owners);
    for (size_t i = 0; i < points; i++) (*owners)[i] = (int32_t)(tac_random_bits(&random) % FRAMES);
    char text[512];
    snprintf(text, sizeof text,
             "<tactus version='1'><node name='b'><Frames positions='0 0 0 0 0 0 1'/><node name='s'>"
             "<Points positions='0 0 0'/><RigidMap name='m' %s/></node></node></tactus>",
             attributes);
    const List lists[] = {{"/b/frames", "positions", *frames, NULL, 7 * FRAMES},
                          {"/b/s/points", "positions", *places, NULL, 3 * points},
                          {"/b/s/m", "frames", NULL, *owners, points}};
    return make_world(text, lists, 3, 1);
}

static void test_rigid_places(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        double *frames, *places;
        int32_t *owners;
        TacWorld *w = make_rigid("", seed, CARRIED, &frames, &places, &owners);
        TacMap *map = map_at(w, "/b/s/m");
        check_placed(map);
        for (size_t i = 0; i < CARRIED; i++) {
            // q l q*, by quaternion products alone
            const double *p = frames + 7 * owners[i], *l = places + 3 * i;
            TacQuat q = tac_load_quat(p + 3);
            TacQuat r = tac_quat_mul(tac_quat_mul(q, (TacQuat){l[0], l[1], l[2], 0}), tac_quat_conjugate(q));
            double expected[3] = {p[0] + r.x, p[1] + r.y, p[2] + r.z};
            assert_true(gap(expected, map->child->vectors[TAC_X] + 3 * i, 3) < 1e-14);
        }
        check_work(map, seed);
        check_slope(map, seed);
        tac_world_destroy(w);

        // the same places meant in world axes stay where they are, and turn with their frames
        free(frames);
        free(places);
        free(owners);
        w = make_rigid("local='false'", seed, CARRIED, &frames, &places, &owners);
        map = map_at(w, "/b/s/m");
        assert_true(gap(places, map->child->vectors[TAC_X], 3 * CARRIED) < 1e-14);
        check_placed(map);
        check_slope(map, seed);
        tac_world_destroy(w);
        free(frames);
        free(places);
        free(owners);
    }
}

// The change of J^T f along a turn, by central differences.
static void finite_change(TacMap *map, const double *f, const double *d, double *change) {
    const double h = 1e-5;
    size_t nv = tac_vector_size(map->parent, TAC_V), nx = tac_vector_size(map->parent, TAC_X);
    double *px = take(nx), *w = take(nv), *cx = take(tac_vector_size(map->child, TAC_X)), *g = take(nv);
    memset(change, 0, nv * sizeof *change);
    for (int side = -1; side <= 1; side += 2) {
        tac_matter_fly(map->parent, NULL, side * h, map->parent->vectors[TAC_X], d, px, w);
        ops_of(map)->position(map, &alone, px, cx);
        memset(g, 0, nv * sizeof *g);
        ops_of(map)->force(map, &alone, px, cx, f, g);
        for (size_t i = 0; i < nv; i++) change[i] += side * g[i] / (2 * h);
    }
    free(px);
    free(w);
    free(cx);
    free(g);
}

static void change_of(TacMap *map, const double *f, const double *d, double *out, double k) {
    memset(out, 0, tac_vector_size(map->parent, TAC_V) * sizeof *out);
    ops_of(map)->force_change(map, &alone, map->parent->vectors[TAC_X], map->child->vectors[TAC_X], f, d, out,
                              k);
}

static void test_rigid_geometric_stiffness(void **state) {
    (void)state;
    enum { N = 6 * FRAMES };
    double *frames, *places;
    int32_t *owners;
    static const char *const kinds[] = {"geometric='exact'", "", "geometric='none'"};
    for (int kind = 0; kind < 3; kind++) {
        TacWorld *w = make_rigid(kinds[kind], 3, CARRIED, &frames, &places, &owners);
        TacMap *map = map_at(w, "/b/s/m");
        TacRandom random = tac_random(8, 1);
        double *f = take_random(&random, 3 * CARRIED, 1), *d = take_random(&random, N, 1),
               *e = take_random(&random, N, 1), reference[N], kd[N], ke[N], twice[N];
        finite_change(map, f, d, reference);
        change_of(map, f, d, kd, 1);
        change_of(map, f, e, ke, 1);
        change_of(map, f, d, twice, -2);
        double scale = sqrt(dot(reference, reference, N));
        assert_true(scale > 1);
        for (size_t i = 0; i < N; i++) assert_true(fabs(twice[i] + 2 * kd[i]) <= tight * scale);
        if (kind == 0) assert_true(gap(reference, kd, N) < 1e-8 * scale);
        // the symmetric part: same work along d, and symmetric
        if (kind == 1) {
            assert_true(fabs(dot(d, reference, N) - dot(d, kd, N)) < 1e-8 * scale);
            assert_true(fabs(dot(e, kd, N) - dot(d, ke, N)) < tight * scale);
            assert_true(gap(reference, kd, N) > 1e-3 * scale);
        }
        if (kind == 2) assert_true(dot(kd, kd, N) == 0);
        free(f);
        free(d);
        free(e);
        free(frames);
        free(places);
        free(owners);
        tac_world_destroy(w);
    }
}

static TacWorld *make_planar(const char *attributes) {
    char text[512];
    snprintf(text, sizeof text,
             "<tactus version='1'><node name='b'><Frames dimension='2' positions='1 2 0.7 -3 0.5 -2.1'/>"
             "<node name='s'><Points dimension='2' positions='1 0 0 1 0.5 -0.25 2 2'/>"
             "<RigidMap name='m' frames='0 1 1 0' %s/></node></node></tactus>",
             attributes);
    return make_world(text, NULL, 0, 1);
}

static void test_rigid_in_the_plane(void **state) {
    (void)state;
    TacWorld *w = make_planar("");
    TacMap *map = map_at(w, "/b/s/m");
    check_placed(map);
    check_work(map, 1);
    check_slope(map, 1);
    const double *x = map->child->vectors[TAC_X];
    const double expected[4] = {1 + cos(0.7), 2 + sin(0.7), -3 - sin(-2.1), 0.5 + cos(-2.1)};
    assert_true(gap(x, expected, 4) < 1e-15);

    const double f[8] = {1, -2, 0.5, 3, -1, 0.25, 2, 2}, d[6] = {0.3, -0.2, 1.1, 0.4, 2, -0.8};
    double reference[6], change[6];
    finite_change(map, f, d, reference);
    change_of(map, f, d, change, 1);
    assert_true(gap(reference, change, 6) < 1e-8);
    assert_true(fabs(reference[2]) > 0.1 && fabs(reference[5]) > 0.1);
    tac_world_destroy(w);

    w = make_planar("local='false'");
    map = map_at(w, "/b/s/m");
    const double stay[8] = {1, 0, 0, 1, 0.5, -0.25, 2, 2};
    assert_true(gap(map->child->vectors[TAC_X], stay, 8) < 1e-15);
    check_slope(map, 2);
    tac_world_destroy(w);
}

static void test_rigid_sums_do_not_depend_on_threads(void **state) {
    (void)state;
    double *frames, *places;
    int32_t *owners;
    TacWorld *w = make_rigid("", 9, 40000, &frames, &places, &owners);
    TacMap *map = map_at(w, "/b/s/m");
    check_threads(map, 1);
    // the same sum, naively
    double f[6 * FRAMES] = {0}, reference[6 * FRAMES] = {0};
    ops_of(map)->force(map, &alone, frames, map->child->vectors[TAC_X], places, f);
    for (size_t i = 0; i < 40000; i++) {
        const double *c = map->child->vectors[TAC_X] + 3 * i, *p = frames + 7 * owners[i];
        TacVec3 r = tac_sub(tac_load3(c), tac_load3(p));
        tac_add3(reference + 6 * owners[i], tac_load3(places + 3 * i));
        tac_add3(reference + 6 * owners[i] + 3, tac_cross(r, tac_load3(places + 3 * i)));
    }
    assert_true(gap(f, reference, 6 * FRAMES) < 1e-9);
    free(frames);
    free(places);
    free(owners);
    tac_world_destroy(w);
}

// --- identity and subset ----------------------------------------------------------------------------------

static void test_identity_and_subset(void **state) {
    (void)state;
    TacWorld *w = make_world(
        "<tactus version='1'><node name='a'>"
        "<Frames positions='1 2 3 0 0 0 1  4 5 6 0.6 0 0 0.8  7 8 9 0 1 0 0' velocities='1 2 3 4 5 6'/>"
        "<node name='b'><Frames positions='0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1'/><IdentityMap "
        "name='m'/></node>"
        "<node name='c'><Frames positions='0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1'/>"
        "<SubsetMap name='m' points='2 0 2'/></node></node></tactus>",
        NULL, 0, 1);
    TacMap *identity = map_at(w, "/a/b/m"), *subset = map_at(w, "/a/c/m");
    check_placed(identity);
    check_placed(subset);
    check_work(identity, 1);
    check_work(subset, 1);
    const double *x = identity->parent->vectors[TAC_X];
    assert_memory_equal(identity->child->vectors[TAC_X], x, 21 * sizeof *x);
    assert_memory_equal(subset->child->vectors[TAC_X], x + 14, 7 * sizeof *x);
    assert_memory_equal(subset->child->vectors[TAC_X] + 7, x, 7 * sizeof *x);
    // a point that is listed twice gets both forces
    double f[18], sum[18] = {0};
    for (int i = 0; i < 18; i++) f[i] = i;
    subset->base.cls->ops.map->force(subset, &alone, NULL, NULL, f, sum);
    for (int k = 0; k < 6; k++) {
        assert_true(sum[k] == 6 + k);
        assert_true(sum[6 + k] == 0);
        assert_true(sum[12 + k] == 12 + 2 * k);
    }
    tac_world_destroy(w);
}

// --- chains and worlds ------------------------------------------------------------------------------------

// Frames carry a cube, the cube carries a skin, some of the skin is picked: work is the same at both ends.
static void test_chain(void **state) {
    (void)state;
    TacWorld *w = make_world(
        "<tactus version='1'><node name='a'><Frames positions='1 2 3 0.5 0.5 -0.5 0.5'/><node name='b'>"
        "<Grid counts='3 3 3' split='true'/><Points/><RigidMap name='m'/><node name='c'>"
        "<Sphere subdivisions='2' translation='1 2 3'/><Points/><BarycentricMap name='m'/><node name='d'>"
        "<Points positions='0 0 0 0 0 0'/><SubsetMap name='m' points='4 11'/></node></node></node></node>"
        "</tactus>",
        NULL, 0, 1);
    TacMap *maps[3] = {map_at(w, "/a/b/m"), map_at(w, "/a/b/c/m"), map_at(w, "/a/b/c/d/m")};
    TacRandom random = tac_random(1, 9);
    double *v[4], *f[4];
    size_t n[4] = {6, 81, 3 * maps[1]->child->count, 6};
    for (int k = 0; k < 4; k++) {
        v[k] = take_random(&random, n[k], 1);
        f[k] = take(n[k]);
    }
    memcpy(f[3], v[3], 6 * sizeof(double));
    double down = 0;
    for (int k = 0; k < 3; k++) {
        check_placed(maps[k]);
        ops_of(maps[k])->velocity(maps[k], &alone, maps[k]->parent->vectors[TAC_X],
                                  maps[k]->child->vectors[TAC_X], v[k], v[k + 1]);
    }
    down = dot(v[3], f[3], 6);
    for (int k = 3; k-- > 0;)
        ops_of(maps[k])->force(maps[k], &alone, maps[k]->parent->vectors[TAC_X],
                               maps[k]->child->vectors[TAC_X], f[k + 1], f[k]);
    double up = dot(v[0], f[0], 6);
    assert_true(fabs(down) > 0.01);
    assert_true(fabs(down - up) < 1e-11 * fabs(down) + 1e-12);
    for (int k = 0; k < 4; k++) {
        free(v[k]);
        free(f[k]);
    }
    tac_world_destroy(w);
}

// A body hung up by a spring on one of its points is a pendulum: it keeps its energy, implicit or not it
// comes to hang below the nail when damped.
static void test_body_on_a_spring(void **state) {
    (void)state;
    static const char *const solvers[] = {"<SymplecticEuler/>", "<ImplicitEuler damping_mass='4'/>"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<tactus version='1' dt='0.001'><node name='a'>%s<node name='nail'><Points positions='0 0 0'/>"
            "<FixedPoints points='0'/></node><node name='b'><Frames positions='1 0 0 0 0 0 1'/>"
            "<UniformMass mass='2' box='0.4 0.4 0.4'/><node name='eye'><Points positions='-0.5 0 0'/>"
            "<RigidMap/><Springs other='@/a/nail/points' pairs='0 0' lengths='0.5' "
            "stiffness='1000'/></node></node></node></tactus>",
            solvers[k]);
        TacWorld *w = make_world(text, NULL, 0, 1);
        double before = tac_world_energy(w).total;
        TacError error;
        assert_int_equal(tac_world_advance(w, k ? 12 : 3, &error), TAC_OK);
        const double *x = tac_world_positions(w, tac_world_find(w, "/a/b/frames"));
        const double *eye = tac_world_positions(w, tac_world_find(w, "/a/b/eye/points"));
        if (k == 0) assert_true(fabs(tac_world_energy(w).total - before) < 1e-2);
        if (k == 1) {
            double stretched = 0.5 + 2 * 9.81 / 1000;
            assert_true(fabs(eye[0]) < 1e-3 && fabs(eye[1] + stretched) < 1e-3);
            assert_true(fabs(x[0]) < 1e-2 && fabs(x[1] + stretched + 0.5) < 1e-3);
        }
        // the eye is part of the body
        double from[3] = {x[0] - eye[0], x[1] - eye[1], x[2] - eye[2]};
        assert_true(fabs(dot(from, from, 3) - 0.25) < 1e-12);
        tac_world_destroy(w);
    }
}

// --- hostile scenes ---------------------------------------------------------------------------------------

#define BODY   "<Frames positions='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
#define CUBE   "<Grid split='true'/><Points/>"
#define ONE(x) "<tactus version='1'><node name='a'>" x "</node></tactus>"

static void test_bad_scenes(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {ONE(BODY "<node name='b'><Points positions='0 0 0'/>\n<RigidMap frame='2'/></node>"), "no frame 2"},
        {ONE(BODY "<node name='b'><Points positions='0 0 0'/>\n<RigidMap frames='0 1'/></node>"),
         "frames has 2 numbers"},
        {ONE(BODY "<node name='b'><Points positions='0 0 0'/>\n<RigidMap frames='7'/></node>"),
         "no number 7"},
        {ONE(BODY "<node name='b'><Points positions='0 0 0'/>\n<RigidMap frame='1' frames='0'/></node>"),
         "not both"},
        {ONE(BODY "<node name='b'><Points dimension='2' positions='0 0'/>\n<RigidMap/></node>"), "is Vec2"},
        {ONE(CUBE "<node name='b'><Points positions='0 0 0'/>\n<RigidMap/></node>"), "Rigid3"},
        {ONE(BODY "<node name='b'><Points positions='0 0 0'/>\n<BarycentricMap/></node>"), "Vec3 on Vec3"},
        {ONE("<Points positions='0 0 0'/><node name='b'><Points positions='0 0 "
             "0'/>\n<BarycentricMap/></node>"),
         "has no topology"},
        {ONE("<Grid/><Points positions='0 0 0'/><node name='b'><Points positions='0 0 0'/>\n<BarycentricMap/>"
             "</node>"),
         "has 8 points but"},
        {ONE("<Mesh at='0 0 0'/><Points/><node name='b'><Points positions='0 0 "
             "0'/>\n<BarycentricMap/></node>"),
         "points only"},
        {ONE("<Mesh at='0 0 0 1 0 0 0 1 0 1 1 0' with_tetrahedra='0 1 2 3'/><Points/><node name='b'>"
             "<Points positions='0 0 0'/>\n<BarycentricMap/></node>"),
         "has any volume"},
        {ONE(CUBE "<node name='b'><Points positions='1e200 1 1'/>\n<BarycentricMap/></node>"),
         "too far away"},
        {ONE(CUBE "<node name='b'><Points positions='0 0 0'/>\n<IdentityMap/></node>"), "has 1 points but"},
        {ONE(BODY "<node name='b'><Points positions='0 0 0'/>\n<IdentityMap/></node>"), "is Vec3 but"},
        {ONE(CUBE "<node name='b'><Points positions='0 0 0'/>\n<SubsetMap points='8'/></node>"),
         "no number 8"},
        {ONE(CUBE "<node name='b'><Points positions='0 0 0'/>\n<SubsetMap points='1 2'/></node>"),
         "points has 2 numbers"},
        {ONE(CUBE "<node name='b'><Points positions='0 0 0'/>\n<SubsetMap/></node>"), "points"},
    };
    for (size_t i = 0; i < TAC_COUNT(cases); i++) {
        TacWorld *world;
        TacError error = {0};
        assert_int_equal(try_world(&world, cases[i].text, NULL, 0, 1, &error), TAC_BAD_INPUT);
        assert_null(world);
        if (!strstr(error.message, cases[i].expected) || error.line != 2)
            fail_msg("%s:%d: %s, where \"%s\" was expected", error.file, error.line, error.message,
                     cases[i].expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_places),
        cmocka_unit_test(test_rigid_geometric_stiffness),
        cmocka_unit_test(test_rigid_in_the_plane),
        cmocka_unit_test(test_rigid_sums_do_not_depend_on_threads),
        cmocka_unit_test(test_identity_and_subset),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_body_on_a_spring),
        cmocka_unit_test(test_bad_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
