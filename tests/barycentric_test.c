// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// BarycentricMap and what binds its points: weights against affine motions (which weights that add up to 1
// must reproduce) and trilinear fields; the search against one through all elements; the closest place
// against what convexity says of it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "map/element_tree.h"
#include "map_checks.h"

// --- barycentric ------------------------------------------------------------------------------------------

// Scenes with a parent "/p/points" of each kind of element and points to be bound in the box -0.2..1.2.
static const struct Mesh {
    const char *text;
    TacElement kind;
} meshes[] = {
    {"<Grid counts='5 4 6' split='true'/>", TAC_TETRAHEDRA},
    {"<Ball divisions='5' radius='0.6' translation='0.5 0.5 0.5'/>", TAC_TETRAHEDRA},
    {"<Grid counts='5 4 6'/>", TAC_HEXAHEDRA},
    {"<Sheet divisions='7' across='5' translation='0.5 0.4 0.5' rotation='20 0 30'/>", TAC_TRIANGLES},
    {"<Grid counts='6 1 4' high='1 0.5 1'/>", TAC_QUADS},
    {"<Line divisions='9' from='0 0 0' to='1 0.8 0.9'/>", TAC_EDGES},
};

static TacWorld *make_bound(const char *mesh, const double *x, size_t count) {
    char text[1024];
    snprintf(text, sizeof text,
             "<tactus version='1'><node name='p'>%s<Points/><node name='c'><Sphere subdivisions='0'/>"
             "<Points positions='0 0 0'/><BarycentricMap name='m'/></node></node></tactus>",
             mesh);
    return make_world(text, &(List){"/p/c/points", "positions", x, NULL, 3 * count}, 1, 1);
}

static const TacMesh *mesh_of(TacWorld *w) {
    for (size_t i = 0; i < w->component_count; i++)
        if (w->components[i]->cls->kind == TAC_KIND_TOPOLOGY) return &((TacTopology *)w->components[i])->mesh;
    fail_msg("no mesh");
    return NULL;
}

// y = A x + b for every point
static void move_affinely(const double a[12], const double *x, size_t count, double *y) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            y[3 * i + k] =
                a[3 * k] * x[3 * i] + a[3 * k + 1] * x[3 * i + 1] + a[3 * k + 2] * x[3 * i + 2] + a[9 + k];
}

// Weights that add up to 1 and reproduce where points are reproduce every affine motion.
static void check_affine(TacMap *map, const double *placed) {
    static const double a[12] = {1.2, -0.7, 0.3, 0.9, 1.5, -0.2, 0.1, 0.4, -0.8, 3, -5, 2};
    size_t np = map->parent->count, nc = map->child->count;
    double *px = take(3 * np), *cx = take(3 * nc), *expected = take(3 * nc);
    move_affinely(a, map->parent->vectors[TAC_X], np, px);
    move_affinely(a, placed, nc, expected);
    ops_of(map)->position(map, &alone, px, cx);
    assert_true(gap(cx, expected, 3 * nc) < tight);
    // a constant stays the same: the sum of the weights is 1
    for (size_t i = 0; i < 3 * np; i++) px[i] = 1;
    ops_of(map)->velocity(map, &alone, NULL, NULL, px, cx);
    for (size_t i = 0; i < 3 * nc; i++) assert_true(fabs(cx[i] - 1) < 1e-14);
    free(px);
    free(cx);
    free(expected);
}

static void test_barycentric_on_every_element(void **state) {
    (void)state;
    enum { N = 500 };
    for (size_t m = 0; m < TAC_COUNT(meshes); m++) {
        TacRandom random = tac_random(m, 5);
        double *x = take(3 * N);
        for (size_t i = 0; i < 3 * N; i++) x[i] = tac_random_between(&random, -0.2, 1.2);
        TacWorld *w = make_bound(meshes[m].text, x, N);
        TacMap *map = map_at(w, "/p/c/m");
        assert_true(mesh_of(w)->elements[meshes[m].kind].count > 0);
        check_placed(map);
        check_work(map, m);
        check_slope(map, m);
        bool solid = meshes[m].kind == TAC_TETRAHEDRA || meshes[m].kind == TAC_HEXAHEDRA;
        if (solid) assert_true(gap(map->child->vectors[TAC_X], x, 3 * N) < tight);
        check_affine(map, solid ? x : map->child->vectors[TAC_X]);
        free(x);
        tac_world_destroy(w);
    }
}

// Points on corners, on edges and on faces, in the plane of faces outside, and far away.
static void test_barycentric_at_borders(void **state) {
    (void)state;
    static const char *const solids[] = {"<Grid counts='3 3 3' split='true'/>", "<Grid counts='3 3 3'/>"};
    const double x[] = {0,    0,   0, 1,    1,    1,    0.5,  0.5,  0.5, 0.5, 0.25, 0.5, 0.5, 0.125,
                        0.25, 0.3, 0, 0.77, 1.25, 0.5,  0.5,  2,    2,   2,   -3,   0.1, 0.2, 0.5,
                        50,   0.5, 1, 0,    0.5,  0.75, 0.75, 0.75, 1.1, 1.2, 1.3,  0.5, 0.5, -0.2};
    enum { N = sizeof x / sizeof x[0] / 3 };
    for (size_t m = 0; m < 2; m++) {
        TacWorld *w = make_bound(solids[m], x, N);
        TacMap *map = map_at(w, "/p/c/m");
        assert_true(gap(map->child->vectors[TAC_X], x, 3 * N) < 1e-10);
        // outside by 50 m, weights are large: an affine motion loses as many digits
        static const double a[12] = {0, -1, 0, 1, 0, 0, 0, 0, 1, 3, -5, 2};
        double px[3 * 27], cx[3 * N], expected[3 * N];
        move_affinely(a, map->parent->vectors[TAC_X], 27, px);
        move_affinely(a, x, N, expected);
        ops_of(map)->position(map, &alone, px, cx);
        assert_true(gap(cx, expected, 3 * N) < 1e-10);
        tac_world_destroy(w);
    }
}

// On surfaces and lines points are put onto the closest place.
static void test_barycentric_closest_places(void **state) {
    (void)state;
    const double x[] = {0.3, 0.9, 0.4, -1, 0.5, 0.5, 0.7, -2, 3};
    TacWorld *w = make_bound("<Grid counts='3 1 3' high='1 0 1' split='true'/>", x, 3);
    const double on_square[] = {0.3, 0, 0.4, 0, 0, 0.5, 0.7, 0, 1};
    assert_true(gap(map_at(w, "/p/c/m")->child->vectors[TAC_X], on_square, 9) < 1e-15);
    tac_world_destroy(w);
    w = make_bound("<Grid counts='3 1 3' high='1 0 1'/>", x, 3);
    assert_true(gap(map_at(w, "/p/c/m")->child->vectors[TAC_X], on_square, 9) < 1e-15);
    tac_world_destroy(w);
    w = make_bound("<Line divisions='4' from='0 0 0' to='0 0 2'/>", x, 3);
    const double on_line[] = {0, 0, 0.4, 0, 0, 0.5, 0, 0, 2};
    assert_true(gap(map_at(w, "/p/c/m")->child->vectors[TAC_X], on_line, 9) < 1e-15);
    tac_world_destroy(w);
}

// Hexahedra whose faces are not flat: trilinear weights find every point again, and are smooth: a bilinear
// field over one element is reproduced, which no cut into tetrahedra does.
static void test_barycentric_in_warped_hexahedra(void **state) {
    (void)state;
    enum { N = 300 };
    TacRandom random = tac_random(3, 3);
    double corners[24], x[3 * N], u[3 * N];
    for (int k = 0; k < 8; k++) {
        const int unit[3] = {(k & 3) == 1 || (k & 3) == 2, (k & 3) >= 2, k >= 4};
        for (int a = 0; a < 3; a++) corners[3 * k + a] = unit[a] + tac_random_between(&random, -0.2, 0.2);
    }
    for (int i = 0; i < N; i++) {
        for (int a = 0; a < 3; a++) {
            // some inside, some near, some far
            double far = i < N / 3 ? 0 : i < 2 * N / 3 ? 0.4 : 20;
            u[3 * i + a] = tac_random_between(&random, -far, 1 + far);
            x[3 * i + a] = 0;
        }
        for (int k = 0; k < 8; k++) {
            const int unit[3] = {(k & 3) == 1 || (k & 3) == 2, (k & 3) >= 2, k >= 4};
            double weight = 1;
            for (int a = 0; a < 3; a++) weight *= unit[a] ? u[3 * i + a] : 1 - u[3 * i + a];
            for (int a = 0; a < 3; a++) x[3 * i + a] += weight * corners[3 * k + a];
        }
    }
    const List lists[] = {{"/p/mesh", "at", corners, NULL, 24}, {"/p/c/points", "positions", x, NULL, 3 * N}};
    TacWorld *w = make_world("<tactus version='1'><node name='p'><Mesh at='0 0 0' with_hexahedra='0-7'/>"
                             "<Points/><node name='c'><Points positions='0 0 0'/>"
                             "<BarycentricMap name='m'/></node></node></tactus>",
                             lists, 2, 1);
    TacMap *map = map_at(w, "/p/c/m");
    // far outside, weights are large and digits are lost
    assert_true(gap(map->child->vectors[TAC_X], x, 2 * N) < 1e-13);
    assert_true(gap(map->child->vectors[TAC_X], x, 3 * N) < 1e-9);
    double field[24] = {0}, found[3 * N];
    for (int k = 0; k < 8; k++) {
        const int unit[3] = {(k & 3) == 1 || (k & 3) == 2, (k & 3) >= 2, k >= 4};
        for (int a = 0; a < 3; a++) field[3 * k + a] = unit[a] * unit[(a + 1) % 3];
    }
    ops_of(map)->velocity(map, &alone, NULL, NULL, field, found);
    for (int i = 0; i < 2 * N; i++) {
        int a = i % 3, b = (a + 1) % 3;
        assert_true(fabs(found[i] - u[i] * u[i - a + b]) < 1e-11);
    }
    tac_world_destroy(w);
}

// The tree finds what a search through all elements finds; the distance is no longer than to any place in
// any element.
static void test_tree_finds_the_nearest(void **state) {
    (void)state;
    for (size_t m = 0; m < TAC_COUNT(meshes); m++) {
        TacWorld *w = make_bound(meshes[m].text, (double[]){0, 0, 0}, 1);
        const TacMesh *mesh = mesh_of(w);
        TacElement kind = meshes[m].kind;
        size_t n = (size_t)tac_element_size(kind), count = mesh->elements[kind].count;
        const int32_t *indices = mesh->elements[kind].indices;
        TacElementTree tree;
        assert_int_equal(tac_element_tree_build(&tree, kind, mesh->points, indices, count, NULL), TAC_OK);
        TacRandom random = tac_random(m, 6);
        int inside = 0;
        for (int i = 0; i < 300; i++) {
            double p[3];
            for (int a = 0; a < 3; a++) p[a] = tac_random_between(&random, -0.7, 1.7);
            size_t element;
            TacFit fit, other;
            assert_true(tac_element_tree_find(&tree, tac_load3(p), &element, &fit));
            assert_true(element < count);
            inside += fit.distance2 == 0;
            for (size_t e = 0; e < count; e++) {
                TacVec3 corners[8], place = {0, 0, 0};
                double sum = 0;
                for (size_t k = 0; k < n; k++) corners[k] = tac_load3(mesh->points + 3 * indices[n * e + k]);
                assert_true(tac_element_fit(kind, corners, tac_load3(p), &other));
                assert_true(fit.distance2 <= other.distance2 * (1 + 2e-9) + 1e-20);
                for (size_t k = 0; k < n; k++) {
                    double weight = tac_random_unit(&random);
                    if (i % 3 == 0) weight = k == (size_t)i % n; // corners too
                    place = tac_axpy(place, weight, corners[k]);
                    sum += weight;
                }
                TacVec3 d = tac_sub(tac_load3(p), tac_scale(place, 1 / sum));
                assert_true(fit.distance2 <= tac_dot(d, d) + 1e-15);
            }
        }
        bool solid = kind == TAC_TETRAHEDRA || kind == TAC_HEXAHEDRA;
        assert_true(solid == (inside > 5));
        tac_element_tree_destroy(&tree);
        tac_world_destroy(w);
    }
}

// The distance to a triangle is attained: moving the closest place along any direction within it is no
// nearer.
static void test_closest_place_is_attained(void **state) {
    (void)state;
    TacRandom random = tac_random(1, 7);
    static const TacElement kinds[] = {TAC_EDGES, TAC_TRIANGLES};
    for (int i = 0; i < 2000; i++) {
        TacElement kind = kinds[i % 2];
        int n = tac_element_size(kind);
        TacVec3 c[8], p, place = {0, 0, 0};
        double *all = take_random(&random, 15, 1);
        for (int k = 0; k < 4; k++) c[k] = tac_load3(all + 3 * k);
        p = tac_load3(all + 12);
        free(all);
        TacFit fit;
        assert_true(tac_element_fit(kind, c, p, &fit));
        double sum = 0;
        for (int k = 0; k < n; k++) {
            assert_true(fit.weights[k] >= 0);
            sum += fit.weights[k];
            place = tac_axpy(place, fit.weights[k], c[k]);
        }
        assert_true(fabs(sum - 1) < 1e-14);
        TacVec3 off = tac_sub(p, place);
        assert_true(fabs(tac_dot(off, off) - fit.distance2) < 1e-14);
        // a convex set: the closest place is the one from which no corner lies on p's side
        for (int k = 0; k < n; k++) assert_true(tac_dot(off, tac_sub(c[k], place)) < 1e-13);
    }
}

static void test_barycentric_forces_do_not_depend_on_threads(void **state) {
    (void)state;
    enum { N = 20000 };
    static const char *const two[] = {"<Grid counts='9 9 9' split='true'/>", "<Grid counts='9 9 9'/>"};
    for (size_t m = 0; m < 2; m++) {
        TacRandom random = tac_random(m, 8);
        double *x = take(3 * N);
        for (size_t i = 0; i < 3 * N; i++) x[i] = tac_random_unit(&random);
        TacWorld *w = make_bound(two[m], x, N);
        check_threads(map_at(w, "/p/c/m"), m);
        check_work(map_at(w, "/p/c/m"), m);
        free(x);
        tac_world_destroy(w);
    }
}

// Meshes with flat and repeated elements still carry points on those that are sound.
static void test_flat_elements_are_passed_over(void **state) {
    (void)state;
    TacWorld *w = make_world(
        "<tactus version='1'><node name='p'><Mesh at='0 0 0 1 0 0 0 1 0 0 0 1 1 1 0' "
        "with_tetrahedra='0 1 2 4 0 0 0 0 0 1 2 3'/><Points/><node name='c'>"
        "<Points positions='0.1 0.1 0.1 0.9 0.9 0'/><BarycentricMap name='m'/></node></node></tactus>",
        NULL, 0, 1);
    const double x[] = {0.1, 0.1, 0.1, 0.9, 0.9, 0};
    assert_true(gap(map_at(w, "/p/c/m")->child->vectors[TAC_X], x, 6) < 1e-15);
    tac_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barycentric_on_every_element),
        cmocka_unit_test(test_barycentric_at_borders),
        cmocka_unit_test(test_barycentric_closest_places),
        cmocka_unit_test(test_barycentric_in_warped_hexahedra),
        cmocka_unit_test(test_tree_finds_the_nearest),
        cmocka_unit_test(test_closest_place_is_attained),
        cmocka_unit_test(test_barycentric_forces_do_not_depend_on_threads),
        cmocka_unit_test(test_flat_elements_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
