// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// DistanceMap and SkinningMap: virtual work, finite differences, geometric stiffness, threads, and what they
// come to in running worlds; scenes that cannot be.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "map_checks.h"

// Random parents, and lines between them.
static TacWorld *make_lines(const char *parent, const char *attributes, uint64_t seed, size_t points,
                            size_t lines, size_t each) {
    static char text[1024];
    snprintf(text, sizeof text,
             "<tactus version='1'><node name='b'><%s/><node name='s'><Points dimension='1'/><DistanceMap "
             "name='m' %s/></node></node></tactus>",
             parent, attributes);
    TacRandom random = tac_random(seed, 7);
    double *x = each == 7 ? take_random_frames(&random, points) : take_random(&random, each * points, 1);
    // near the points of a lattice: no line is so short that it turns quickly
    for (size_t i = 0; i < points; i++) {
        for (size_t k = 0; k < 2; k++) x[each * i + k] *= 0.25;
        x[each * i] += 1.5 * (double)(i % 4);
        x[each * i + 1] += 1.5 * (double)(i / 4);
    }
    double *zeros = take(lines);
    int32_t *pairs = calloc(2 * lines, sizeof *pairs);
    assert_non_null(pairs);
    for (size_t i = 0; i < lines; i++) {
        pairs[2 * i] = (int32_t)(tac_random_bits(&random) % points);
        pairs[2 * i + 1] =
            (int32_t)((size_t)(pairs[2 * i] + 1 + (int32_t)(tac_random_bits(&random) % (points - 1))) %
                      points);
    }
    const List lists[] = {{each == 7 ? "/b/frames" : "/b/points", "positions", x, NULL, each * points},
                          {"/b/s/points", "positions", zeros, NULL, lines},
                          {"/b/s/m", "pairs", NULL, pairs, 2 * lines}};
    TacWorld *w = make_world(text, lists, 3, 1);
    free(x);
    free(zeros);
    free(pairs);
    return w;
}

// parent_df along d against central differences of J^T f, with f as given.
static void check_geometric(TacMap *map, const double *f, double tolerance) {
    const double h = 1e-6;
    TacRandom random = tac_random(4, 4);
    size_t nv = tac_vector_size(map->parent, TAC_V), nx = tac_vector_size(map->parent, TAC_X);
    double *d = take_random(&random, nv, 1), *px = take(nx), *w = take(nv), *g = take(nv),
           *reference = take(nv), *cx = take(tac_vector_size(map->child, TAC_X)), *change = take(nv);
    for (int side = -1; side <= 1; side += 2) {
        tac_matter_fly(map->parent, NULL, side * h, map->parent->vectors[TAC_X], d, px, w);
        ops_of(map)->position(map, &alone, px, cx);
        memset(g, 0, nv * sizeof *g);
        ops_of(map)->force(map, &alone, px, cx, f, g);
        for (size_t i = 0; i < nv; i++) reference[i] += side * g[i] / (2 * h);
    }
    ops_of(map)->force_change(map, &alone, map->parent->vectors[TAC_X], map->child->vectors[TAC_X], f, d,
                              change, 1);
    double size = sqrt(dot(reference, reference, nv));
    assert_true(size > 0.1);
    assert_true(gap(reference, change, nv) < tolerance * size);
    double *all[] = {d, px, w, g, reference, cx, change};
    for (size_t i = 0; i < TAC_COUNT(all); i++) free(all[i]);
}

static void test_distance(void **state) {
    (void)state;
    static const struct {
        const char *parent, *attributes;
        size_t each;
    } kinds[] = {{"Points", "geometric='exact'", 3},
                 {"Points", "geometric='exact' squared='true'", 3},
                 {"Points dimension='2'", "geometric='exact' lengths='0.5'", 2},
                 {"Frames", "geometric='exact'", 7}};
    for (size_t k = 0; k < TAC_COUNT(kinds); k++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            TacWorld *w = make_lines(kinds[k].parent, kinds[k].attributes, seed, 12, 30, kinds[k].each);
            TacMap *map = map_at(w, "/b/s/m");
            check_placed(map);
            check_work(map, seed);
            check_slope(map, seed);
            TacRandom random = tac_random(seed, 9);
            double *f = take_random(&random, 30, 1);
            check_geometric(map, f, 1e-7);
            free(f);
            tac_world_destroy(w);
        }
}

// Lines that are pushed apart do not count, and the rest does as ever.
static void test_stable_distance(void **state) {
    (void)state;
    TacWorld *stable = make_lines("Points", "", 3, 12, 30, 3);
    TacWorld *exact = make_lines("Points", "geometric='exact'", 3, 12, 30, 3);
    TacWorld *none = make_lines("Points", "geometric='none'", 3, 12, 30, 3);
    TacRandom random = tac_random(1, 9);
    double *f = take_random(&random, 30, 1), *d = take_random(&random, 36, 1), a[36] = {0}, b[36] = {0},
           c[36] = {0};
    double pulls[30];
    for (int i = 0; i < 30; i++) pulls[i] = fmin(f[i], 0);
    TacMap *maps[] = {map_at(stable, "/b/s/m"), map_at(exact, "/b/s/m"), map_at(none, "/b/s/m")};
    const double *px = maps[0]->parent->vectors[TAC_X], *cx = maps[0]->child->vectors[TAC_X];
    ops_of(maps[0])->force_change(maps[0], &alone, px, cx, f, d, a, 2);
    ops_of(maps[1])->force_change(maps[1], &alone, px, cx, pulls, d, b, 2);
    ops_of(maps[2])->force_change(maps[2], &alone, px, cx, f, d, c, 2);
    assert_true(gap(a, b, 36) < 1e-14 && dot(a, a, 36) > 0.01 && dot(c, c, 36) == 0);
    // never negative: along any motion it takes no energy out
    assert_true(dot(a, d, 36) < 0);
    free(f);
    free(d);
    tac_world_destroy(stable);
    tac_world_destroy(exact);
    tac_world_destroy(none);
}

static void test_distance_threads_and_points_in_one_place(void **state) {
    (void)state;
    TacWorld *w = make_lines("Points", "", 1, 5000, 20000, 3);
    check_threads(map_at(w, "/b/s/m"), 1);
    tac_world_destroy(w);
    w = make_world(
        "<tactus version='1'><node name='b'><Points positions='1 2 3 1 2 3'/><node name='s'><Points "
        "dimension='1' positions='0'/><DistanceMap name='m' pairs='0 1'/></node></node></tactus>",
        NULL, 0, 1);
    TacMap *map = map_at(w, "/b/s/m");
    const double one[6] = {1, 1, 1, 1, 1, 1};
    double f[6] = {0}, force = -1;
    ops_of(map)->force(map, &alone, map->parent->vectors[TAC_X], map->child->vectors[TAC_X], &force, f);
    ops_of(map)->force_change(map, &alone, map->parent->vectors[TAC_X], map->child->vectors[TAC_X], &force,
                              one, f, 1);
    for (int i = 0; i < 6; i++) assert_true(isfinite(f[i]));
    tac_world_destroy(w);
}

// A law on lengths is a law of springs: the same motion, to rounding.
static void test_lengths_as_springs(void **state) {
    (void)state;
    static const char *const laws[] = {"<node name='s'><Points dimension='1' positions='0 0 "
                                       "0'/><DistanceMap/><RestSprings stiffness='200'/></node>",
                                       "<Springs stiffness='200'/>"};
    double x[2][12];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<tactus version='1' gravity='0 -9.81 0'><node name='b'><ImplicitEuler/><ConjugateGradient "
                 "tolerance='1e-14'/><Line divisions='3' to='3 0 0'/><Points/><UniformMass mass='0.1'/>"
                 "<FixedPoints points='0'/>%s</node></tactus>",
                 laws[k]);
        TacWorld *w = make_world(text, NULL, 0, 1);
        assert_int_equal(tac_world_advance_beats(w, 60, NULL), TAC_OK);
        memcpy(x[k], tac_world_positions(w, tac_world_find(w, "/b/points")), sizeof x[k]);
        tac_world_destroy(w);
    }
    assert_true(fabs(x[0][10]) > 0.1 && gap(x[0], x[1], 12) < 1e-9);
}

// --- skinning ---------------------------------------------------------------------------------------------

static TacWorld *make_skin(const char *attributes, uint64_t seed, size_t frames, size_t points) {
    static char text[512];
    snprintf(text, sizeof text,
             "<tactus version='1'><node name='b'><Frames/><node name='s'><Points/><SkinningMap name='m' "
             "%s/></node></node></tactus>",
             attributes);
    TacRandom random = tac_random(seed, 3);
    double *x = take_random_frames(&random, frames), *p = take_random(&random, 3 * points, 1);
    const List lists[] = {{"/b/frames", "positions", x, NULL, 7 * frames},
                          {"/b/s/points", "positions", p, NULL, 3 * points}};
    TacWorld *w = make_world(text, lists, 2, 1);
    // points start where the scene has them
    assert_true(gap(map_at(w, "/b/s/m")->child->vectors[TAC_X], p, 3 * points) < 1e-14);
    free(x);
    free(p);
    return w;
}

static void test_skinning(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        TacWorld *w = make_skin("geometric='exact' nearest='3'", seed, 6, 40);
        TacMap *map = map_at(w, "/b/s/m");
        check_placed(map);
        check_work(map, seed);
        check_slope(map, seed);
        TacRandom random = tac_random(seed, 9);
        double *f = take_random(&random, 120, 1);
        check_geometric(map, f, 1e-7);
        free(f);
        // all frames moved alike carry the skin along
        TacQuat q = tac_quat_from_vector(tac_vec3(0.2, 1, -0.4));
        double px[42], cx[120];
        const double *from = map->parent->vectors[TAC_X];
        for (int i = 0; i < 6; i++) {
            tac_store3(px + 7 * i, tac_add(tac_rotate(q, tac_load3(from + 7 * i)), tac_vec3(1, 2, 3)));
            tac_store_quat(px + 7 * i + 3, tac_quat_mul(q, tac_load_quat(from + 7 * i + 3)));
        }
        ops_of(map)->position(map, &alone, px, cx);
        for (int i = 0; i < 40; i++) {
            TacVec3 p = tac_load3(map->child->vectors[TAC_X] + 3 * i);
            assert_true(tac_norm(tac_sub(tac_load3(cx + 3 * i),
                                         tac_add(tac_rotate(q, p), tac_vec3(1, 2, 3)))) < 1e-13);
        }
        tac_world_destroy(w);
    }
    TacWorld *w = make_skin("", 1, 50, 5000);
    check_threads(map_at(w, "/b/s/m"), 1);
    tac_world_destroy(w);
}

// Weights as SOFA has them: 1 / d^2 to the nearest, adding up to 1.
static void test_weights(void **state) {
    (void)state;
    TacWorld *w =
        make_world("<tactus version='1'><node name='b'><Frames positions='0 0 0 0 0 0 1 3 0 0 0 0 0 1 "
                   "9 0 0 0 0 0 1'/><node name='s'><Points positions='1 0 0'/><SkinningMap name='m' "
                   "nearest='2'/></node></node></tactus>",
                   NULL, 0, 1);
    TacMap *map = map_at(w, "/b/s/m");
    double v[18] = {0}, jv[3];
    v[0] = 1;
    v[6] = 10;
    v[12] = 100;
    ops_of(map)->velocity(map, &alone, map->parent->vectors[TAC_X], map->child->vectors[TAC_X], v, jv);
    assert_true(fabs(jv[0] - (0.8 * 1 + 0.2 * 10)) < 1e-14);
    tac_world_destroy(w);
    w = make_world(
        "<tactus version='1'><node name='b'><Frames positions='0 0 0 0 0 0 1 3 0 0 0 0 0 1'/><node "
        "name='s'><Points positions='1 0 0'/><SkinningMap name='m' frames='1 0' weights='3 1'/></node>"
        "</node></tactus>",
        NULL, 0, 1);
    map = map_at(w, "/b/s/m");
    ops_of(map)->velocity(map, &alone, map->parent->vectors[TAC_X], map->child->vectors[TAC_X], v, jv);
    assert_true(fabs(jv[0] - (0.25 * 1 + 0.75 * 10)) < 1e-14);
    tac_world_destroy(w);
}

static void test_scenes_that_cannot_be(void **state) {
    (void)state;
    static const struct {
        const char *inside, *says;
    } wrong[] = {
        {"<Points dimension='1' positions='0'/><DistanceMap/>", "2 lines"},
        {"<Points positions='0 0 0'/><DistanceMap pairs='0 1'/>", "dimension 1"},
        {"<Points dimension='1' positions='0'/><DistanceMap pairs='0 3'/>", "no number 3"},
        {"<Points dimension='1' positions='0'/><DistanceMap pairs='0'/>", "two for each"},
        {"<Points dimension='1' positions='0 0'/><DistanceMap lengths='1 2 3'/>", "3 numbers"},
        {"<Points dimension='1' positions='0 0'/><DistanceMap squared='true' lengths='1'/>",
         "counted from 0"},
        {"<Points positions='0 0 0'/><SkinningMap/>", "Rigid3"},
    };
    for (size_t i = 0; i < TAC_COUNT(wrong); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<tactus version='1'><node name='b'><Line divisions='2' to='1 0 0'/><Points/><node "
                 "name='s'>%s</node></node></tactus>",
                 wrong[i].inside);
        TacWorld *w;
        TacError error = {0};
        assert_int_equal(try_world(&w, text, NULL, 0, 1, &error), TAC_BAD_INPUT);
        if (!strstr(error.message, wrong[i].says))
            fail_msg("\"%s\" does not say %s", error.message, wrong[i].says);
    }
}

// --- frames on frames -------------------------------------------------------------------------------------

static const char frames_on_frames[] =
    "<tactus version='1' dt='0.01' gravity='0 -10 0'><node name='a'><ImplicitEuler/>%s<Frames "
    "positions='0 0 0 0.5 0.5 0.5 0.5 1 2 3 0 0 0.6 0.8' velocities='0.1 0 0 1 0 0 0 0.2 0 0 0 "
    "1'/><UniformMass "
    "box='1 2 3'/><FixedPoints points='0'/><node name='b'><Frames positions='1 0 0 0 0 0 1 0 1 0 0 0.8 0 0.6 "
    "0 0 2 1 0 0 0'/><FrameMap name='m' frames='1 0 1' local='%s'/><JointSprings pairs='0 1 2 1' "
    "stiffness='50' "
    "turning_stiffness='20'/></node></node></tactus>";

static TacWorld *make_frames_on_frames(const char *linear, const char *local) {
    char text[2048];
    snprintf(text, sizeof text, frames_on_frames, linear, local);
    return make_world(text, NULL, 0, 1);
}

static void frames_follow_frames(void **state) {
    (void)state;
    for (int local = 0; local < 2; local++) {
        TacWorld *world = make_frames_on_frames("<ConjugateGradient/>", local ? "true" : "false");
        TacMap *map = map_at(world, "/a/b/m");
        const double *px = map->parent->vectors[TAC_X], *cx = map->child->vectors[TAC_X];
        const double given[7] = {0, 1, 0, 0, 0.8, 0, 0.6};
        if (local) {
            // the second one is carried by the first frame, which turns x to y, y to z, z to x
            assert_true(gap(cx + 7, (const double[]){0, 0, 1}, 3) < 1e-14);
            TacQuat q = tac_quat_mul(tac_load_quat(px + 3), tac_load_quat(given + 3));
            assert_true(gap(cx + 10, (const double[]){q.x, q.y, q.z, q.w}, 4) < 1e-14);
        } else {
            assert_true(gap(cx + 7, given, 7) < 1e-14);
        }
        check_work(map, 3);
        // velocities are the rates of places and orientations
        TacRandom random = tac_random(5, 1);
        double *v = take_random(&random, 12, 1), w[18], moved[2][14], there[2][21];
        const double step = 1e-6;
        ops_of(map)->velocity(map, &alone, px, cx, v, w);
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < 2; i++) {
                double s = side ? step : -step;
                tac_store3(moved[side] + 7 * i, tac_axpy(tac_load3(px + 7 * i), s, tac_load3(v + 6 * i)));
                TacQuat turn = tac_quat_from_vector(tac_scale(tac_load3(v + 6 * i + 3), s));
                tac_store_quat(moved[side] + 7 * i + 3, tac_quat_mul(turn, tac_load_quat(px + 7 * i + 3)));
            }
            ops_of(map)->position(map, &alone, moved[side], there[side]);
        }
        for (int i = 0; i < 3; i++) {
            TacQuat turn = tac_quat_mul(tac_load_quat(there[1] + 7 * i + 3),
                                        tac_quat_conjugate(tac_load_quat(there[0] + 7 * i + 3)));
            double sign = turn.w < 0 ? -1 : 1;
            for (int k = 0; k < 3; k++) {
                double rate = (there[1][7 * i + k] - there[0][7 * i + k]) / (2 * step);
                double spin = sign * (k == 0 ? turn.x : k == 1 ? turn.y : turn.z) / step;
                assert_true(fabs(rate - w[6 * i + k]) < 1e-8 && fabs(spin - w[6 * i + 3 + k]) < 1e-8);
            }
        }
        free(v);
        tac_world_destroy(world);
    }
}

// With a matrix and without one, the same motion.
static void frames_on_frames_are_assembled(void **state) {
    (void)state;
    TacWorld *a = make_frames_on_frames("<ConjugateGradient iterations='500' tolerance='1e-14'/>", "true");
    TacWorld *b = make_frames_on_frames("<SparseDirect/>", "true");
    TacError error;
    assert_int_equal(tac_world_advance_beats(a, 30, &error), TAC_OK);
    assert_int_equal(tac_world_advance_beats(b, 30, &error), TAC_OK);
    const double *x = tac_world_positions(a, tac_world_find(a, "/a/frames"));
    const double *y = tac_world_positions(b, tac_world_find(b, "/a/frames"));
    assert_true(fabs(x[8] - 2) > 1e-3);
    assert_true(gap(x, y, 14) < 1e-9);
    tac_world_destroy(a);
    tac_world_destroy(b);
}

// --- surfaces of particles --------------------------------------------------------------------------------

static TacWorld *make_surface(const char *positions, const char *attributes, int triangles) {
    char text[2048];
    snprintf(text, sizeof text,
             "<tactus version='1' dt='0.01'><node name='a'><SymplecticEuler/><Points "
             "positions='%s'/><UniformMass/>"
             "<node name='s'><Shards count='%d'/><Points/><ParticleSurface name='m' "
             "%s/></node></node></tactus>",
             positions, triangles, attributes);
    return make_world(text, NULL, 0, 1);
}

// Six times the volume inside, and how many triangles have an area; closed surfaces only have one.
static double inside_of(const TacMap *map, size_t *used) {
    const double *x = map->child->vectors[TAC_X];
    double sum = 0;
    *used = 0;
    for (size_t t = 0; t < map->child->count / 3; t++, x += 9) {
        TacVec3 a = tac_load3(x), b = tac_load3(x + 3), c = tac_load3(x + 6);
        sum += tac_dot(a, tac_cross(b, c));
        *used += tac_norm(tac_cross(tac_sub(b, a), tac_sub(c, a))) > 0;
    }
    return sum;
}

// One particle is a ball with (1 - r^2 / R^2)^3 = level: the volume nears that of the ball as the square of the cell.
static void one_particle_is_a_ball(void **state) {
    (void)state;
    double r = 0.8 * sqrt(1 - cbrt(0.3)), wanted = 4 * TAC_PI / 3 * r * r * r, error[2];
    for (int fine = 0; fine < 2; fine++) {
        TacWorld *w = make_surface("0.31 -0.12 0.05",
                                   fine ? "radius='0.8' cell='0.05'" : "radius='0.8' cell='0.1'", 30000);
        TacMap *map = map_at(w, "/a/s/m");
        size_t used;
        error[fine] = fabs(inside_of(map, &used) / 6 / wanted - 1);
        assert_true(used > 100 && used < 30000);
        for (size_t i = 0; i < 3 * used; i++) {
            double away =
                tac_norm(tac_sub(tac_load3(map->child->vectors[TAC_X] + 3 * i), tac_vec3(0.31, -0.12, 0.05)));
            assert_true(fabs(away - r) < 0.02);
        }
        tac_world_destroy(w);
    }
    print_message("ball: volume off by %.2g, and %.2g with half the cell\n", error[0], error[1]);
    assert_true(error[0] < 0.05 && error[1] < 0.4 * error[0]);
}

// Every side of a triangle is a side of another one, the other way round.
static void surfaces_are_closed(void **state) {
    (void)state;
    TacWorld *w =
        make_surface("0 0 0 0.5 0.1 0 0.9 0.4 0.3 0.2 0.7 -0.3 3 3 3", "radius='0.7' cell='0.25'", 6000);
    TacMap *map = map_at(w, "/a/s/m");
    size_t used;
    inside_of(map, &used);
    const double *x = map->child->vectors[TAC_X];
    TacVec3 sum = tac_vec3(0, 0, 0);
    for (size_t t = 0; t < map->child->count / 3; t++) {
        TacVec3 a = tac_load3(x + 9 * t), b = tac_load3(x + 9 * t + 3), c = tac_load3(x + 9 * t + 6);
        sum = tac_add(sum, tac_cross(tac_sub(b, a), tac_sub(c, a)));
    }
    assert_true(tac_norm(sum) < 1e-12);
    size_t sides = 0, met = 0;
    for (size_t i = 0; i < 9 * used; i += 3) {
        const double *a = x + i, *b = x + (i % 9 == 6 ? i - 6 : i + 3);
        if (!memcmp(a, b, 3 * sizeof *a)) continue;
        sides++;
        for (size_t j = 0; j < 9 * used; j += 3) {
            const double *c = x + j, *d = x + (j % 9 == 6 ? j - 6 : j + 3);
            if (!memcmp(a, d, 3 * sizeof *a) && !memcmp(b, c, 3 * sizeof *a)) {
                met++;
                break;
            }
        }
    }
    print_message("%zu sides, %zu of them met\n", sides, met);
    assert_true(sides > 300 && met == sides);
    check_work(map, 4);
    tac_world_destroy(w);
}

static void surfaces_go_along_and_stay_within_their_means(void **state) {
    (void)state;
    // all particles at one speed: so are all points
    TacWorld *w = make_surface("0 0 0 0.5 0.1 0 0.9 0.4 0.3", "radius='0.7'", 2000);
    TacMap *map = map_at(w, "/a/s/m");
    double v[9], *out = take(18000);
    for (int i = 0; i < 9; i++) v[i] = (const double[]){1, -2, 3}[i % 3];
    ops_of(map)->velocity(map, &alone, map->parent->vectors[TAC_X], map->child->vectors[TAC_X], v, out);
    for (size_t i = 0; i < 18000; i++) assert_true(fabs(out[i] - v[i % 3]) < 1e-13);
    free(out);
    tac_world_destroy(w);
    // too few triangles, and a lattice that must widen its cells: no more than there is
    w = make_surface("0 0 0 50 0 0 0 90 0", "radius='0.7' nodes='2000'", 7);
    size_t used;
    inside_of(map_at(w, "/a/s/m"), &used);
    assert_true(used <= 7);
    tac_world_destroy(w);
    TacWorld *none;
    TacError error;
    assert_int_equal(
        try_world(&none,
                  "<tactus version='1'><node name='a'><Points positions='0 0 0'/><node name='s'><Points "
                  "positions='0 0 0'/><ParticleSurface radius='1'/></node></node></tactus>",
                  NULL, 0, 1, &error),
        TAC_BAD_INPUT);
    assert_non_null(strstr(error.message, "three for each triangle"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_particle_is_a_ball),
        cmocka_unit_test(surfaces_are_closed),
        cmocka_unit_test(surfaces_go_along_and_stay_within_their_means),
        cmocka_unit_test(frames_follow_frames),
        cmocka_unit_test(frames_on_frames_are_assembled),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_stable_distance),
        cmocka_unit_test(test_distance_threads_and_points_in_one_place),
        cmocka_unit_test(test_lengths_as_springs),
        cmocka_unit_test(test_skinning),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_scenes_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
