// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The dynamic tree of boxes: every answer against asking all boxes one by one, for each k, while boxes are put
// in, moved, thrown about and taken out; boxes made from points against the points.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/box_tree.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

static const int SIDES[] = {6, 14, 18, 26};

static TacVec3 anywhere(TacRandom *random, double reach) {
    return tac_vec3(tac_random_between(random, -reach, reach), tac_random_between(random, -reach, reach),
                    tac_random_between(random, -reach, reach));
}

// A slanted needle, so that slanted sides matter.
static TacDop random_box(TacRandom *random, int k, double size) {
    TacDop box = tac_dop_empty();
    TacVec3 a = anywhere(random, 1), along = anywhere(random, size);
    tac_dop_add_ball(&box, k, a, tac_random_between(random, 0, 0.1 * size));
    tac_dop_add_ball(&box, k, tac_add(a, along), 0);
    return box;
}

// --- the reference ----------------------------------------------------------------------------------------

typedef struct Model {
    int k;
    bool there[MOST];
    TacDop boxes[MOST];
} Model;

// By the definition, in doubles: no float is added.
static bool overlap(const TacDop *a, const TacDop *b, int k) {
    for (int i = 0; i < k; i += 2)
        if ((double)a->reach[i] < -(double)b->reach[i + 1] || (double)b->reach[i] < -(double)a->reach[i + 1])
            return false;
    return true;
}

static void expect_same(const TacBoxTree *tree, const Model *model, const TacDop *asked, int32_t except) {
    TacIds found = {0};
    bool seen[MOST] = {false};
    assert_int_equal(tac_box_tree_find(tree, asked, except, &found, NULL), TAC_OK);
    for (size_t i = 0; i < found.count; i++) {
        assert_in_range(found.ids[i], 0, MOST - 1);
        assert_false(seen[found.ids[i]]);
        seen[found.ids[i]] = true;
    }
    for (int i = 0; i < MOST; i++) {
        bool expected = model->there[i] && i != except && overlap(asked, &model->boxes[i], model->k);
        if (seen[i] != expected) fail_msg("k = %d, leaf %d: found %d", model->k, i, (int)seen[i]);
    }
    free(found.ids);
}

static void expect_whole(const TacBoxTree *tree) {
    const char *broken = tac_box_tree_broken(tree);
    if (broken) fail_msg("%s", broken);
}

static void expect_all_pairs(const TacBoxTree *tree, const Model *model) {
    TacIds pairs = {0};
    static bool seen[MOST][MOST];
    memset(seen, 0, sizeof seen);
    assert_int_equal(tac_box_tree_pairs(tree, &pairs, NULL), TAC_OK);
    for (size_t i = 0; i < pairs.count; i += 2) {
        assert_true(pairs.ids[i] < pairs.ids[i + 1]);
        assert_false(seen[pairs.ids[i]][pairs.ids[i + 1]]);
        seen[pairs.ids[i]][pairs.ids[i + 1]] = true;
        assert_true(i == 0 || pairs.ids[i - 2] <= pairs.ids[i]);
    }
    for (int i = 0; i < MOST; i++)
        for (int j = i + 1; j < MOST; j++)
            assert_int_equal(seen[i][j], model->there[i] && model->there[j] &&
                                             overlap(&model->boxes[i], &model->boxes[j], model->k));
    free(pairs.ids);
}

// --- tests ------------------------------------------------------------------------------------------------

// One random change: a leaf comes, goes, moves a little or is thrown.
static void change(TacBoxTree *tree, Model *model, TacRandom *random) {
    int32_t leaf = (int32_t)(tac_random_bits(random) % MOST);
    int k = model->k;
    if (!model->there[leaf]) {
        model->boxes[leaf] = random_box(random, k, 0.3);
        assert_int_equal(tac_box_tree_insert(tree, leaf, &model->boxes[leaf], NULL), TAC_OK);
        model->there[leaf] = true;
    } else if (tac_random_bits(random) % 8 == 0) {
        tac_box_tree_remove(tree, leaf);
        model->there[leaf] = false;
    } else {
        if (tac_random_bits(random) % 4 == 0)
            model->boxes[leaf] = random_box(random, k, 0.3);
        else
            for (int i = 0; i < k; i++)
                model->boxes[leaf].reach[i] += (float)tac_random_between(random, -0.01, 0.02);
        tac_box_tree_move(tree, leaf, &model->boxes[leaf]);
    }
}

static void random_changes(void **state) {
    (void)state;
    for (int s = 0; s < 4; s++) {
        TacRandom random = tac_random(11, (uint64_t)s);
        static Model model;
        memset(&model, 0, sizeof model);
        model.k = SIDES[s];
        TacBoxTree tree;
        assert_int_equal(tac_box_tree_create(&tree, model.k, NULL), TAC_OK);
        for (int step = 0; step < 20000; step++) {
            change(&tree, &model, &random);
            if (step % 16 == 0) {
                TacDop asked = random_box(&random, model.k, 0.5);
                expect_same(&tree, &model, &asked, -1);
            }
            if (step % 256 == 0) expect_whole(&tree);
            if (step % 4096 == 0) expect_all_pairs(&tree, &model);
        }
        for (int32_t i = 0; i < MOST; i++) {
            assert_int_equal(tac_box_tree_has(&tree, i), model.there[i]);
            if (!model.there[i]) continue;
            TacDop box = tac_box_tree_box(&tree, i);
            assert_memory_equal(box.reach, model.boxes[i].reach, (size_t)model.k * sizeof(float));
            expect_same(&tree, &model, &box, i);
        }
        for (int32_t i = 0; i < MOST; i++)
            if (model.there[i]) tac_box_tree_remove(&tree, i);
        memset(model.there, 0, sizeof model.there);
        expect_whole(&tree);
        TacDop everywhere = random_box(&random, model.k, 0.5);
        for (int i = 0; i < model.k; i++) everywhere.reach[i] = INFINITY;
        expect_same(&tree, &model, &everywhere, -1);
        tac_box_tree_destroy(&tree);
    }
}

// Built at once, of every small number of leaves and some larger ones, then changed.
static void builds(void **state) {
    (void)state;
    for (int s = 0; s < 4; s++) {
        static Model model;
        memset(&model, 0, sizeof model);
        model.k = SIDES[s];
        TacRandom random = tac_random(12, (uint64_t)s);
        TacBoxTree tree;
        assert_int_equal(tac_box_tree_create(&tree, model.k, NULL), TAC_OK);
        for (size_t count = 0; count <= MOST; count = count < 20 ? count + 1 : 2 * count) {
            memset(model.there, 0, sizeof model.there);
            for (size_t i = 0; i < count; i++) {
                model.boxes[i] = random_box(&random, model.k, 0.2);
                model.there[i] = true;
            }
            assert_int_equal(tac_box_tree_build(&tree, model.boxes, count, NULL), TAC_OK);
            expect_whole(&tree);
            expect_all_pairs(&tree, &model);
            // halving at the middle is as low as can be: the top, and ceil(log2 n)
            int lowest = 0;
            while (((size_t)1 << lowest) < count) lowest++;
            assert_int_equal(tac_box_tree_height(&tree), count == 0 ? 0 : 1 + lowest);
            for (int step = 0; step < 100; step++) change(&tree, &model, &random);
            expect_whole(&tree);
            expect_all_pairs(&tree, &model);
        }
        tac_box_tree_destroy(&tree);
    }
}

// Equal boxes, empty and infinite ones, boxes that double: no order of calls makes a deep tree but the last.
static void odd_boxes(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        static Model model;
        memset(&model, 0, sizeof model);
        model.k = 14;
        TacBoxTree tree;
        assert_int_equal(tac_box_tree_create(&tree, model.k, NULL), TAC_OK);
        for (int32_t i = 0; i < MOST; i++) {
            TacDop box = tac_dop_empty();
            if (kind == 0) tac_dop_add_ball(&box, model.k, tac_vec3(1, 2, 3), 0.5);
            if (kind == 2) tac_dop_add_ball(&box, model.k, tac_vec3(0, 0, 0), INFINITY);
            // twins, so that a walk must keep a node for later at each of them
            double place = pow(kind == 3 ? 2 : 2.7, i / 2 % 160 - 80) * (1 + i % 2 * 0.001);
            if (kind >= 3) tac_dop_add_ball(&box, model.k, tac_vec3(place, 0, 0), 0);
            model.boxes[i] = box;
            model.there[i] = true;
            assert_int_equal(tac_box_tree_insert(&tree, i, &box, NULL), TAC_OK);
        }
        expect_whole(&tree);
        expect_all_pairs(&tree, &model);
        if (kind == 0) assert_true(tac_box_tree_height(&tree) <= 24);
        if (kind >= 3) {
            // deeper than the stack of a walk
            assert_true(tac_box_tree_height(&tree) > 130);
            TacDop everywhere;
            for (int i = 0; i < TAC_DOP_MOST; i++) everywhere.reach[i] = INFINITY;
            expect_same(&tree, &model, &everywhere, -1);
        }
        for (int32_t i = 0; i < MOST; i++) tac_box_tree_move(&tree, i, &model.boxes[MOST - 1 - i]);
        for (int32_t i = 0; i < MOST / 2; i++) {
            TacDop box = model.boxes[i];
            model.boxes[i] = model.boxes[MOST - 1 - i];
            model.boxes[MOST - 1 - i] = box;
        }
        expect_whole(&tree);
        expect_all_pairs(&tree, &model);
        tac_box_tree_destroy(&tree);
    }
}

// A box made from balls and cuboids holds their points, rounded outward by little.
static void boxes_hold_points(void **state) {
    (void)state;
    TacRandom random = tac_random(13, 1);
    for (int n = 0; n < 20000; n++) {
        int k = SIDES[n % 4];
        double scale = pow(10, tac_random_between(&random, -30, 30));
        TacVec3 centre = anywhere(&random, scale), half = anywhere(&random, 0.5 * scale);
        half = tac_vec3(fabs(half.x), fabs(half.y), fabs(half.z));
        double radius = tac_random_between(&random, 0, scale);
        TacDop ball = tac_dop_empty(), cuboid = tac_dop_empty(), point = tac_dop_empty();
        tac_dop_add_ball(&ball, k, centre, radius);
        tac_dop_add_cuboid(&cuboid, k, centre, half);
        TacVec3 on = tac_axpy(centre, radius * (1 - 1e-6), tac_unit(anywhere(&random, 1)));
        tac_dop_add_ball(&point, k, on, 0);
        assert_true(tac_dop_contains(&ball, &point, k));
        point = tac_dop_empty();
        tac_dop_add_cuboid(
            &point, k,
            tac_add(centre, tac_vec3(half.x * (1 - 1e-6), -half.y * (1 - 1e-6), half.z * (1 - 1e-6))),
            tac_vec3(0, 0, 0));
        assert_true(tac_dop_contains(&cuboid, &point, k));
        // along x it is known how far it reaches
        assert_true(ball.reach[0] >= centre.x + radius && ball.reach[0] <= centre.x + radius + scale * 1e-6);
        assert_true(-ball.reach[1] <= centre.x - radius &&
                    -ball.reach[1] >= centre.x - radius - scale * 1e-6);
    }
    // cancellation along slanted axes: exact sums stay inside
    for (int n = 0; n < 20000; n++) {
        TacVec3 p = anywhere(&random, 1);
        p.y = -p.x + tac_random_between(&random, -1e-16, 1e-16);
        p.z = tac_random_between(&random, -1e-17, 1e-17);
        TacDop box = tac_dop_empty();
        tac_dop_add_ball(&box, 14, p, 0);
        long double sum = (long double)p.x + p.y + p.z;
        assert_true((long double)box.reach[6] >= sum && -(long double)box.reach[7] <= sum);
    }
    TacDop nowhere = tac_dop_empty(), unknown = tac_dop_empty();
    tac_dop_add_ball(&unknown, 26, tac_vec3(NAN, 0, 0), 1);
    assert_false(tac_dop_overlaps(&nowhere, &nowhere, 26));
    assert_true(tac_dop_overlaps(&unknown, &unknown, 26));
    assert_true(unknown.reach[0] == INFINITY && unknown.reach[1] == INFINITY);
}

// A sheet that crumples: the tree stays as good as one made anew.
static void quality_lasts(void **state) {
    (void)state;
    enum { SIDE = 40, COUNT = SIDE * SIDE };
    static TacDop boxes[COUNT];
    static TacVec3 places[COUNT], speeds[COUNT];
    TacRandom random = tac_random(14, 1);
    TacBoxTree tree, anew;
    assert_int_equal(tac_box_tree_create(&tree, 6, NULL), TAC_OK);
    assert_int_equal(tac_box_tree_create(&anew, 6, NULL), TAC_OK);
    for (int i = 0; i < COUNT; i++) {
        places[i] = tac_vec3(i % SIDE, i / SIDE, 0);
        speeds[i] = anywhere(&random, 1);
        boxes[i] = tac_dop_empty();
        tac_dop_add_ball(&boxes[i], 6, places[i], 0.7);
    }
    assert_int_equal(tac_box_tree_build(&tree, boxes, COUNT, NULL), TAC_OK);
    for (int step = 0; step < 60; step++) {
        for (int32_t i = 0; i < COUNT; i++) {
            places[i] = tac_axpy(places[i], 0.3, speeds[i]);
            boxes[i] = tac_dop_empty();
            tac_dop_add_ball(&boxes[i], 6, places[i], 0.7);
            tac_box_tree_move(&tree, i, &boxes[i]);
        }
    }
    expect_whole(&tree);
    assert_int_equal(tac_box_tree_build(&anew, boxes, COUNT, NULL), TAC_OK);
    assert_true(tac_box_tree_quality(&tree) < 1.3 * tac_box_tree_quality(&anew));
    assert_true(tac_box_tree_height(&tree) < 40);
    tac_box_tree_destroy(&tree);
    tac_box_tree_destroy(&anew);
}

static bool stop_at_third(void *context, int32_t leaf) {
    (void)leaf;
    return ++*(int *)context < 3;
}

static void refusals(void **state) {
    (void)state;
    TacBoxTree tree;
    TacError error;
    assert_int_equal(tac_box_tree_create(&tree, 8, &error), TAC_BAD_USAGE);
    tac_box_tree_destroy(&tree);
    assert_int_equal(tac_box_tree_create(&tree, 6, &error), TAC_OK);
    TacDop box = tac_dop_empty();
    tac_dop_add_ball(&box, 6, tac_vec3(0, 0, 0), 1);
    for (int32_t i = 0; i < 10; i++)
        assert_int_equal(tac_box_tree_insert(&tree, 3 * i, &box, &error), TAC_OK);
    assert_int_equal(tac_box_tree_insert(&tree, 3, &box, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_box_tree_insert(&tree, -1, &box, &error), TAC_BAD_USAGE);
    assert_int_equal(tac_box_tree_insert(&tree, INT32_MAX, &box, &error), TAC_BAD_USAGE);
    int visits = 0;
    tac_box_tree_query(&tree, &box, stop_at_third, &visits);
    assert_int_equal(visits, 3);
    expect_whole(&tree);
    tac_box_tree_destroy(&tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes),    cmocka_unit_test(builds),        cmocka_unit_test(odd_boxes),
        cmocka_unit_test(boxes_hold_points), cmocka_unit_test(quality_lasts), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
