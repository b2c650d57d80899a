// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Bundles of needles that lie askew: boxes along the bundle find few pairs, and the same meetings and motions as any others.

#define _GNU_SOURCE
#include "base/random.h"
#include "geometry/slant.h"
#include "world_fixture.h"

// `count` slivers along d, a centimetre apart on a lattice, each within `wild` of its place: nine numbers each.
static double *bundle(int count, TacVec3 d, double wild) {
    TacRandom random = tac_random(7, 0);
    int side = (int)ceil(sqrt(count));
    TacVec3 u = tac_cross(d, tac_vec3(0.3, -0.5, 0.8));
    u = tac_scale(u, 1 / tac_norm(u));
    TacVec3 w = tac_cross(d, u);
    double *x = malloc((size_t)count * 9 * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < 3 * count; i++) {
        int n = i / 3;
        double along = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 0.5;
        TacVec3 p = tac_scale(d, along);
        p = tac_axpy(p, 0.01 * (n % side) + wild * tac_random_between(&random, -1, 1), u);
        p = tac_axpy(p, 0.01 * (n / side) + wild * tac_random_between(&random, -1, 1), w);
        tac_store3(x + 3 * i, p);
    }
    return x;
}

static TacVec3 askew(void) {
    return tac_scale(tac_vec3(0.5, 0.7, -0.6), 1 / sqrt(1.1));
}

static void test_axes_lie_along_what_stands_out(void **state) {
    (void)state;
    double *x = bundle(100, askew(), 0.003);
    TacSlantSum sum = {0};
    for (int i = 0; i < 100; i++) tac_slant_add(&sum, tac_load3(x + 9 * i), tac_load3(x + 9 * i + 3));
    TacSlant slant = tac_slant_of(&sum);
    assert_true(slant.turned && fabs(tac_dot(slant.axes[0], askew())) > 0.9999);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) near(tac_dot(slant.axes[a], slant.axes[b]), a == b, 1e-14);
    // as many across: nothing stands out; nor where it is along an axis; nor where nothing is
    for (int i = 0; i < 100; i++) tac_slant_add(&sum, tac_vec3(0, 0, 0), tac_vec3(0.7, -0.5, 0));
    assert_false(tac_slant_of(&sum).turned);
    sum = (TacSlantSum){0};
    assert_false(tac_slant_of(&sum).turned);
    tac_slant_add(&sum, tac_vec3(0, 0, 0), tac_vec3(0.01, 5, 0.01));
    assert_false(tac_slant_of(&sum).turned);
    free(x);
}

// Against every two triangles by themselves.
static void test_meetings_are_the_same(void **state) {
    (void)state;
    enum { COUNT = 60 };
    double *x = bundle(COUNT, askew(), 0.03);
    int32_t corners[3 * COUNT];
    for (int i = 0; i < 3 * COUNT; i++) corners[i] = i;
    TacMeeting *all, *one;
    size_t count, found = 0, n;
    TacError error = {0};
    assert_int_equal(tac_triangle_meetings(x, 3 * COUNT, corners, COUNT, 0, &all, &count, &error), TAC_OK);
    for (int i = 0; i < COUNT; i++)
        for (int k = i + 1; k < COUNT; k++) {
            int32_t two[6];
            for (int j = 0; j < 6; j++) two[j] = j < 3 ? 3 * i + j : 3 * k + j - 3;
            assert_int_equal(tac_triangle_meetings(x, 3 * COUNT, two, 2, 0, &one, &n, &error), TAC_OK);
            free(one);
            if (!n) continue;
            assert_true(found < count && all[found].first == i && all[found].second == k);
            found++;
        }
    assert_int_equal(found, count);
    assert_true(count > 20);
    free(all);
    free(x);
}

static TacWorld *world_of_slivers(int count, double wild, const char *how, const char *velocities) {
    double *x = bundle(count, askew(), wild);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fprintf(file,
            "<tactus version='1' gravity='0 0 0'><Contact method='safe' thickness='0.0015' %s/><node "
            "name='n'><Mesh at='",
            how);
    for (int i = 0; i < 9 * count; i++) fprintf(file, "%.17g ", x[i]);
    fprintf(file, "' with_triangles='");
    for (int i = 0; i < 3 * count; i++) fprintf(file, "%d ", i);
    fprintf(file, "'/><Points velocities='%s'/><UniformMass/><Skin/></node></tactus>", velocities);
    fclose(file);
    TacWorld *world = world_on(1, text);
    free(text);
    free(x);
    return world;
}

// All of them were: 900 slivers had half a million pairs.
static void test_needles_side_by_side_are_few_pairs(void **state) {
    (void)state;
    for (int count = 225; count <= 900; count *= 4) {
        TacWorld *world = world_of_slivers(count, 0.002, "", "0 0 0");
        size_t pairs = tac_world_contact_stats(world).pairs;
        if (pairs > (size_t)(40 * count)) fail_msg("%zu pairs of %d slivers", pairs, count);
        tac_world_destroy(world);
    }
}

static void test_they_move_alike_for_all_boxes(void **state) {
    (void)state;
    TacRandom random = tac_random(3, 0);
    char velocities[9 * 80 * 12];
    size_t at = 0;
    for (int i = 0; i < 9 * 80; i++)
        at += (size_t)snprintf(velocities + at, sizeof velocities - at, "%.4f ",
                               tac_random_between(&random, -0.3, 0.3));
    static const char *const ways[] = {"k='6'", "k='26'", "tree='front'", "cull='false'"};
    uint64_t expected = hash_after(world_of_slivers(80, 0.002, "", velocities), 0.03);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        assert_int_equal(hash_after(world_of_slivers(80, 0.002, ways[i], velocities), 0.03), expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes_lie_along_what_stands_out),
        cmocka_unit_test(test_meetings_are_the_same),
        cmocka_unit_test(test_needles_side_by_side_are_few_pairs),
        cmocka_unit_test(test_they_move_alike_for_all_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
