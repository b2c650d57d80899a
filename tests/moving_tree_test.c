// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The tree of moving boxes: every answer against asking all boxes one by one, for each k, after each way of
// fitting; points in boxes that fly side by side, cross or rest, against where they are in between.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/moving_tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };

static const int SIDES[] = {6, 14, 18, 26};

static TacVec3 anywhere(TacRandom *random, double reach) {
    return tac_vec3(tac_random_between(random, -reach, reach), tac_random_between(random, -reach, reach),
                    tac_random_between(random, -reach, reach));
}

// A slanted needle, so that slanted sides matter, at two places.
static TacMovingBox random_box(TacRandom *random, int k, double size, double move) {
    TacMovingBox box;
    TacVec3 from = anywhere(random, 1);
    for (int end = 0; end < 2; end++) {
        box.ends[end] = tac_dop_empty();
        tac_dop_add_ball(&box.ends[end], k, from, tac_random_between(random, 0, 0.1 * size));
        tac_dop_add_ball(&box.ends[end], k, tac_add(from, anywhere(random, size)), 0);
        from = tac_add(from, anywhere(random, move));
    }
    return box;
}

// --- the reference ----------------------------------------------------------------------------------------

typedef struct Model {
    int k;
    size_t count;
    TacMovingBox boxes[MOST];
    bool fresh[MOST];
    TacMovingTree tree;
} Model;

// By the definition, in doubles: sums of two floats of like size are exact in them, others keep their sign.
static bool apart(const TacMovingBox *a, const TacMovingBox *b, int k) {
    for (int j = 0; j < k; j++) {
        bool both = true;
        for (int end = 0; end < 2; end++)
            both = both && (double)a->ends[end].reach[j] + (double)b->ends[end].reach[j ^ 1] < 0;
        if (both) return true;
    }
    return false;
}

static void set(Model *model, size_t leaf) {
    tac_moving_tree_set(&model->tree, (uint32_t)leaf, &model->boxes[leaf]);
    model->fresh[leaf] = true;
}

static void make(Model *model, int k, size_t count) {
    model->k = k;
    model->count = count;
    assert_int_equal(tac_moving_tree_create(&model->tree, k, count, NULL), TAC_OK);
}

static void make_random(Model *model, TacRandom *random, int k, size_t count, double size, double move) {
    make(model, k, count);
    for (size_t i = 0; i < count; i++) {
        model->boxes[i] = random_box(random, k, size, move);
        set(model, i);
    }
}

// How many are found; each once, and exactly those that are not apart.
static size_t expect_same(const Model *model, const Model *from, size_t leaf) {
    TacIds found = {0};
    bool seen[MOST] = {false};
    assert_int_equal(tac_moving_tree_find(&model->tree, &from->tree, (uint32_t)leaf, &found, NULL), TAC_OK);
    for (size_t i = 0; i < found.count; i++) {
        assert_true(found.ids[i] >= 0 && (size_t)found.ids[i] < model->count);
        assert_false(seen[found.ids[i]]);
        seen[found.ids[i]] = true;
    }
    for (size_t i = 0; i < model->count; i++) {
        bool expected = !apart(&from->boxes[leaf], &model->boxes[i], model->k);
        if (seen[i] != expected) fail_msg("k = %d, leaf %zu: found %d", model->k, i, (int)seen[i]);
        assert_int_equal(tac_moving_tree_apart(&from->tree, (uint32_t)leaf, &model->tree, (uint32_t)i),
                         !expected);
    }
    size_t count = found.count;
    free(found.ids);
    return count;
}

// Every two that may meet, once, and no others.
typedef struct Met {
    const Model *model, *other;
    uint8_t times[MOST][MOST];
} Met;

static void note_meeting(void *data, size_t part, uint32_t leaf, uint32_t other) {
    Met *met = data;
    assert_true(part < TAC_MOVING_TREE_PARTS);
    bool swap = met->model == met->other && other < leaf;
    met->times[swap ? other : leaf][swap ? leaf : other]++;
}

static void expect_join_same(Model *model, Model *other) {
    static Met met;
    met = (Met){model, other, {{0}}};
    tac_moving_tree_join(&model->tree, &other->tree, NULL, note_meeting, &met);
    for (size_t i = 0; i < model->count; i++)
        for (size_t j = model == other ? i + 1 : 0; j < other->count; j++) {
            bool fresh = model->fresh[i] || other->fresh[j];
            assert_int_equal(met.times[i][j], fresh && !apart(&model->boxes[i], &other->boxes[j], model->k));
        }
}

static void accept(Model *model) {
    tac_moving_tree_accept(&model->tree);
    memset(model->fresh, 0, sizeof model->fresh);
}

static void shape(Model *model) {
    tac_moving_tree_shape(&model->tree, NULL);
    for (size_t i = 0; i < model->count; i++) model->fresh[i] = true;
}

static size_t expect_all_same(Model *model, Model *from) {
    size_t count = 0;
    for (size_t i = 0; i < from->count; i++) count += expect_same(model, from, i);
    expect_join_same(model, from);
    return count;
}

static void destroy(Model *model) {
    tac_moving_tree_destroy(&model->tree);
}

// --- tests ------------------------------------------------------------------------------------------------

static Model one, other;

// Shaped, then changed one by one, then all at once, then shaped anew.
static void random_changes(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 17, 100, MOST};
    for (int s = 0; s < 4; s++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            TacRandom random = tac_random(21, 16 * (uint64_t)s + c);
            size_t n = counts[c];
            make_random(&one, &random, SIDES[s], n, 0.2, 0.3);
            make_random(&other, &random, SIDES[s], 50, 0.3, 0.5);
            tac_moving_tree_shape(&one.tree, NULL);
            tac_moving_tree_fit(&other.tree, NULL); // never shaped: in the order of the leaves
            size_t found = expect_all_same(&one, &other);
            if (n == MOST) assert_true(found > 100 && found < 50 * MOST / 2);
            expect_all_same(&other, &one);
            if (n <= 100) expect_all_same(&one, &one);
            expect_join_same(&one, &one);
            accept(&one);
            if (c % 2) accept(&other);
            expect_join_same(&one, &one);
            for (int step = 0; step < 200 && n; step++) {
                size_t leaf = tac_random_bits(&random) % n;
                if (step % 3 == 0)
                    one.boxes[leaf] = random_box(&random, one.k, 0.2, 0.3);
                else // grows or shrinks: a few ends of some directions
                    for (int j = step % 2; j < one.k; j += 2)
                        one.boxes[leaf].ends[step % 2].reach[j] +=
                            (float)tac_random_between(&random, -0.1, 0.1);
                set(&one, leaf);
                tac_moving_tree_fit_leaf(&one.tree, (uint32_t)leaf);
                expect_same(&one, &other, (size_t)step % 50);
                expect_same(&one, &one, leaf);
                if (step % 67) continue;
                expect_join_same(&one, &one);
                expect_join_same(&one, &other);
                expect_join_same(&other, &one);
            }
            for (size_t i = 0; i < n; i++) {
                one.boxes[i] = random_box(&random, one.k, 0.2, 0.3);
                set(&one, i);
            }
            tac_moving_tree_fit(&one.tree, NULL);
            expect_all_same(&one, &other);
            accept(&one);
            shape(&one);
            expect_all_same(&one, &other);
            destroy(&one);
            destroy(&other);
        }
}

// Boxes with no reason to be before or after each other, and boxes in lines in each order.
static void equal_boxes(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        make(&one, 14, MOST);
        for (size_t i = 0; i < MOST; i++) {
            double x = kind == 0 ? 0 : kind == 1 ? (double)(i % 3) : kind == 2 ? (double)i : -(double)i;
            if (kind == 4) x = (double)(i < MOST / 2 ? i : MOST - i);
            one.boxes[i].ends[0] = tac_dop_empty();
            tac_dop_add_ball(&one.boxes[i].ends[0], 14, tac_vec3(x, 1, 0), 0.25);
            one.boxes[i].ends[1] = one.boxes[i].ends[0];
            set(&one, i);
        }
        tac_moving_tree_shape(&one.tree, NULL);
        for (size_t i = 0; i < MOST; i += 7) {
            size_t found = expect_same(&one, &one, i);
            size_t same = i == 0 || i == MOST / 2 ? 1 : 2;
            assert_int_equal(found, kind == 0   ? MOST
                                    : kind == 1 ? (MOST + 2 - i % 3) / 3
                                    : kind == 4 ? same
                                                : 1);
        }
        destroy(&one);
    }
}

static TacMovingBox flying(int k, TacVec3 from, TacVec3 to, double radius) {
    TacMovingBox box = {{tac_dop_empty(), tac_dop_empty()}};
    tac_dop_add_ball(&box.ends[0], k, from, radius);
    tac_dop_add_ball(&box.ends[1], k, to, radius);
    return box;
}

static bool finds(const Model *model, size_t leaf, int32_t wanted) {
    TacIds found = {0};
    bool is = false;
    assert_int_equal(tac_moving_tree_find(&model->tree, &model->tree, (uint32_t)leaf, &found, NULL), TAC_OK);
    for (size_t i = 0; i < found.count; i++) is = is || found.ids[i] == wanted;
    free(found.ids);
    return is;
}

// A row that flies side by side, far: nobody meets but touching neighbours; one crosses the row; one rests far off;
// one rests where the row will be.
static void side_by_side(void **state) {
    (void)state;
    enum { ROW = 200 };
    TacVec3 path = tac_vec3(3000, 500, -100);
    for (int s = 0; s < 4; s++) {
        int k = SIDES[s];
        make(&one, k, ROW + 3);
        for (int i = 0; i < ROW; i++) {
            // pairs of touching ones, 3 m apart
            TacVec3 at = tac_vec3(0, 3.0 * (i / 2) + i % 2, 0);
            one.boxes[i] = flying(k, at, tac_add(at, path), 0.501);
        }
        TacVec3 end = tac_add(tac_vec3(0, 3.0 * (ROW / 2) + 5, 0), path);
        one.boxes[ROW] = flying(k, tac_vec3(0, -5, 0), end, 0.1);
        one.boxes[ROW + 1] = flying(k, tac_vec3(0, 0, 99), tac_vec3(0, 0, 99), 1);
        one.boxes[ROW + 2] = flying(k, path, path, 1);
        for (size_t i = 0; i < one.count; i++) set(&one, i);
        tac_moving_tree_shape(&one.tree, NULL);
        for (int i = 0; i < ROW; i++) {
            for (int j = 0; j < ROW; j++) assert_int_equal(finds(&one, (size_t)i, j), i / 2 == j / 2);
            assert_true(finds(&one, (size_t)i, ROW));
            assert_false(finds(&one, (size_t)i, ROW + 1));
        }
        assert_true(finds(&one, ROW + 2, 0));
        assert_false(finds(&one, ROW + 2, ROW + 1));
        destroy(&one);
    }
}

// Balls on straight paths that do touch at some time are found; whoever is not found never touched.
static void no_meeting_is_missed(void **state) {
    (void)state;
    enum { BALLS = 300 };
    static TacVec3 from[BALLS], to[BALLS];
    static double radius[BALLS];
    for (int s = 0; s < 4; s++) {
        TacRandom random = tac_random(22, (uint64_t)s);
        make(&one, SIDES[s], BALLS);
        TacVec3 wind = anywhere(&random, 20);
        for (int i = 0; i < BALLS; i++) {
            from[i] = anywhere(&random, 1);
            // at rest, with the wind, against all
            TacVec3 still = from[i], along = tac_add(from[i], tac_add(wind, anywhere(&random, 0.05)));
            to[i] = i % 3 == 0 ? still : i % 3 == 1 ? along : anywhere(&random, 1);
            radius[i] = tac_random_between(&random, 0.01, 0.08);
            one.boxes[i] = flying(one.k, from[i], to[i], radius[i]);
            set(&one, (size_t)i);
        }
        tac_moving_tree_shape(&one.tree, NULL);
        int met = 0;
        for (int i = 0; i < BALLS; i++) {
            TacIds found = {0};
            bool seen[BALLS] = {false};
            assert_int_equal(tac_moving_tree_find(&one.tree, &one.tree, (uint32_t)i, &found, NULL), TAC_OK);
            for (size_t j = 0; j < found.count; j++) seen[found.ids[j]] = true;
            free(found.ids);
            for (int j = 0; j < BALLS; j++) {
                TacVec3 a = tac_sub(from[i], from[j]), d = tac_sub(tac_sub(to[i], to[j]), a);
                double dd = tac_dot(d, d), t = dd > 0 ? fmin(1, fmax(0, -tac_dot(a, d) / dd)) : 0;
                TacVec3 nearest = tac_axpy(a, t, d);
                bool meet = sqrt(tac_dot(nearest, nearest)) <= radius[i] + radius[j];
                if (meet) assert_true(seen[j]);
                met += meet && i != j;
            }
        }
        assert_true(met > 100);
        destroy(&one);
    }
}

// Everything, nothing, half-spaces, and the largest numbers.
static void odd_reaches(void **state) {
    (void)state;
    enum { ODD = 40 };
    for (int s = 0; s < 4; s++) {
        int k = SIDES[s];
        TacRandom random = tac_random(23, (uint64_t)s);
        make_random(&one, &random, k, ODD, 0.2, 0.3);
        for (int i = 0; i < ODD; i++)
            for (int end = 0; end < 2; end++)
                for (int j = 0; j < k; j++) {
                    float *reach = &one.boxes[i].ends[end].reach[j];
                    if (i % 8 == 0) *reach = INFINITY;
                    if (i % 8 == 1) *reach = -FLT_MAX;
                    if (i % 8 == 2 && j % 3 == 0) *reach = INFINITY;
                    if (i % 8 == 3 && j % 5 == 0) *reach = FLT_MAX;
                    if (i % 8 == 4 && end) *reach = INFINITY;
                }
        for (size_t i = 0; i < ODD; i++) set(&one, i);
        tac_moving_tree_shape(&one.tree, NULL);
        expect_all_same(&one, &one);
        for (int i = 0; i < ODD; i++) assert_true(finds(&one, 0, i));
        // around nothing: as little as a float can be, which only an infinite one may meet
        one.boxes[7].ends[0] = one.boxes[7].ends[1] = tac_dop_empty();
        set(&one, 7);
        tac_moving_tree_fit_leaf(&one.tree, 7);
        for (int i = 6; i < ODD; i += 8) assert_false(finds(&one, 7, i) || finds(&one, (size_t)i, 7));
        assert_false(finds(&one, 7, 7));
        for (int j = 0; j < k; j++) one.boxes[7].ends[0].reach[j] = one.boxes[7].ends[1].reach[j] = -FLT_MAX;
        expect_all_same(&one, &one);
        destroy(&one);
    }
}

// Boxes that just touch are not apart, at any size, also at a zero that is below zero; the next float is.
static void touching(void **state) {
    (void)state;
    TacRandom random = tac_random(24, 1);
    for (int s = 0; s < 4; s++)
        for (int n = 0; n < 300; n++) {
            int k = SIDES[s], j = (int)(tac_random_bits(&random) % (uint32_t)k), end = n % 2;
            float at = (float)pow(10, tac_random_between(&random, -44, 38)),
                  apart_at = -nextafterf(at, INFINITY);
            if (n % 4 == 0) {
                at = 0;
                apart_at = -FLT_TRUE_MIN;
            }
            make(&one, k, 2);
            for (int i = 0; i < 2; i++)
                for (int e = 0; e < 2; e++)
                    for (int d = 0; d < k; d++) one.boxes[i].ends[e].reach[d] = 1e38f;
            one.boxes[0].ends[end].reach[j] = n % 4 ? at : -0.0f;
            one.boxes[1].ends[end].reach[j ^ 1] = -at;
            one.boxes[0].ends[!end].reach[j] = -1;
            one.boxes[1].ends[!end].reach[j ^ 1] = -1;
            set(&one, 0);
            set(&one, 1);
            tac_moving_tree_shape(&one.tree, NULL);
            assert_true(finds(&one, 0, 1) && finds(&one, 1, 0));
            one.boxes[1].ends[end].reach[j ^ 1] = apart_at;
            set(&one, 1);
            tac_moving_tree_fit_leaf(&one.tree, 1);
            assert_false(finds(&one, 0, 1) || finds(&one, 1, 0));
            // apart at this end only
            one.boxes[1].ends[!end].reach[j ^ 1] = 1;
            set(&one, 1);
            tac_moving_tree_fit(&one.tree, NULL);
            assert_true(finds(&one, 0, 1) && finds(&one, 1, 0));
            destroy(&one);
        }
}

// Neighbours become neighbours: in a long row a question looks into few buckets. Told by the boxes of nodes: those
// of the lowest row are together not much longer than the row.
static void shape_is_tight(void **state) {
    (void)state;
    TacRandom random = tac_random(25, 1);
    make(&one, 6, MOST);
    for (uint32_t i = 0; i < MOST; i++) {
        TacVec3 at = tac_vec3(tac_random_between(&random, 0, MOST), 0, 0);
        one.boxes[i] = flying(6, at, at, 0);
        set(&one, i);
    }
    tac_moving_tree_shape(&one.tree, NULL);
    double sum = 0;
    for (size_t b = one.tree.bucket_count; b < 2 * one.tree.bucket_count; b++) {
        const float *box = one.tree.nodes + TAC_MOVING_GROUP * b;
        sum += (double)box[0] + (double)box[1];
    }
    assert_true(sum > 0 && sum <= 1.001 * MOST);
    destroy(&one);
}

// --- hulls ------------------------------------------------------------------------------------------------

typedef struct Hulls {
    Model model;
    size_t corner_count;
    uint32_t corners[MOST][3];
} Hulls;

// What a hull is by its definition.
static void expect_hulls(Hulls *hulls, const Model *points) {
    for (size_t i = 0; i < hulls->model.count; i++)
        for (int end = 0; end < 2; end++)
            for (int j = 0; j < points->k; j++) {
                float most = -FLT_MAX;
                for (size_t c = 0; c < hulls->corner_count; c++)
                    most = fmaxf(most, points->boxes[hulls->corners[i][c]].ends[end].reach[j]);
                hulls->model.boxes[i].ends[end].reach[j] = most;
            }
}

static void make_hulls(Hulls *hulls, TacRandom *random, Model *points, size_t corner_count, size_t count) {
    hulls->model.k = points->k;
    hulls->model.count = count;
    hulls->corner_count = corner_count;
    assert_int_equal(tac_moving_tree_create_hulls(&hulls->model.tree, &points->tree, corner_count,
                                                  hulls->corners[0], TAC_MOVING_CORNERS, count, NULL),
                     TAC_OK);
    for (uint32_t i = 0; i < count; i++) {
        // near ones, so that hulls are small and share corners
        for (uint32_t c = 0; c < 3; c++)
            hulls->corners[i][c] =
                (uint32_t)((i + c + tac_random_bits(random) % 2 * MOST / 2) % points->count);
        hulls->model.fresh[i] = true;
    }
    expect_hulls(hulls, points);
}

// Those around a point that was set.
static void follow(Hulls *hulls, uint32_t point) {
    for (uint32_t i = 0; i < hulls->model.count; i++)
        for (size_t c = 0; c < hulls->corner_count; c++)
            if (hulls->corners[i][c] == point) {
                tac_moving_tree_follow(&hulls->model.tree, i);
                tac_moving_tree_fit_leaf(&hulls->model.tree, i);
                hulls->model.fresh[i] = true;
            }
}

static bool share(const uint32_t *a, size_t m, const uint32_t *b, size_t n) {
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            if (a[i] == b[j]) return true;
    return false;
}

// `points`: the first side; NULL: the hulls themselves.
static size_t expect_hull_join(Model *points, Hulls *hulls) {
    static Met met;
    Model *first = points ? points : &hulls->model;
    size_t found = 0;
    met = (Met){first, &hulls->model, {{0}}};
    tac_moving_tree_join(&first->tree, &hulls->model.tree, NULL, note_meeting, &met);
    for (uint32_t i = 0; i < first->count; i++)
        for (size_t j = points ? 0 : i + 1; j < hulls->model.count; j++) {
            bool shared = share(points ? &i : hulls->corners[i], points ? 1 : hulls->corner_count,
                                hulls->corners[j], hulls->corner_count);
            bool meet = (first->fresh[i] || hulls->model.fresh[j]) &&
                        !apart(&first->boxes[i], &hulls->model.boxes[j], first->k);
            assert_int_equal(met.times[i][j], meet && !shared);
            found += met.times[i][j];
        }
    return found;
}

// Points change one by one and all at once, either tree is shaped: hulls follow, and only what shares a corner is left out.
static void hulls_of_points(void **state) {
    (void)state;
    static Hulls edges, faces;
    enum { POINTS = 300 };
    for (int s = 0; s < 4; s++) {
        TacRandom random = tac_random(26, (uint64_t)s);
        make_random(&one, &random, SIDES[s], POINTS, 0.02, 0.1);
        make_hulls(&edges, &random, &one, 2, 500);
        make_hulls(&faces, &random, &one, 3, 400);
        for (int round = 0; round < 6; round++) {
            for (size_t i = 0; round % 2 && i < POINTS; i++) {
                one.boxes[i] = random_box(&random, one.k, 0.02, 0.1);
                set(&one, i);
                follow(&edges, (uint32_t)i);
                follow(&faces, (uint32_t)i);
            }
            expect_hulls(&edges, &one);
            expect_hulls(&faces, &one);
            if (round % 3 == 0) shape(&one);
            shape(&edges.model);
            if (round % 2) shape(&faces.model);
            tac_moving_tree_fit(&one.tree, NULL);
            tac_moving_tree_fit(&faces.model.tree, NULL);
            assert_true(expect_hull_join(NULL, &edges) > 100);
            expect_hull_join(&one, &faces);
            accept(&one);
            accept(&edges.model);
            accept(&faces.model);
            assert_int_equal(expect_hull_join(NULL, &edges), 0);
            for (int step = 0; step < 20; step++) {
                uint32_t point = tac_random_bits(&random) % POINTS;
                one.boxes[point] = random_box(&random, one.k, 0.02, 0.1);
                set(&one, point);
                tac_moving_tree_fit_leaf(&one.tree, point);
                follow(&edges, point);
                follow(&faces, point);
                expect_hulls(&edges, &one);
                expect_hulls(&faces, &one);
                expect_same(&edges.model, &edges.model, point);
                expect_same(&faces.model, &one, point);
                expect_same(&one, &faces.model, point);
                expect_hull_join(NULL, &edges);
                expect_hull_join(&one, &faces);
            }
        }
        destroy(&edges.model);
        destroy(&faces.model);
        destroy(&one);
    }
}

// A shape depends on where the boxes are, not on the shapes before: the same one twice, and as tight as in a new tree.
static void shapes_forget_those_before(void **state) {
    (void)state;
    static Hulls old, new;
    enum { POINTS = 300, COUNT = 500, ROUNDS = 4 };
    TacRandom random = tac_random(28, 0);
    make_random(&one, &random, 14, POINTS, 0.02, 0.1);
    make_hulls(&old, &random, &one, 2, COUNT);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < POINTS; i++) {
            one.boxes[i] = random_box(&random, one.k, 0.02, 0.1);
            set(&one, i);
        }
        shape(&one);
        shape(&old.model);
        assert_int_equal(tac_moving_tree_create_hulls(&new.model.tree, &one.tree, 2, old.corners[0],
                                                      TAC_MOVING_CORNERS, COUNT, NULL),
                         TAC_OK);
        shape(&new.model);
        assert_memory_equal(old.model.tree.leaf, new.model.tree.leaf, COUNT * sizeof *old.model.tree.leaf);
        assert_memory_equal(old.model.tree.place, new.model.tree.place, COUNT * sizeof *old.model.tree.place);
        destroy(&new.model);
    }
    destroy(&old.model);
    destroy(&one);
}

// A wheel whose spokes all share a hub, amid other hulls: nothing but what shares a corner is left out.
static void hulls_around_a_hub(void **state) {
    (void)state;
    static Hulls spokes;
    enum { POINTS = 300, HUB = 7 };
    TacRandom random = tac_random(27, 0);
    make_random(&one, &random, 14, POINTS, 0.02, 0.1);
    make_hulls(&spokes, &random, &one, 2, 500);
    for (uint32_t i = 0; i < 400; i++) {
        spokes.corners[i][tac_random_bits(&random) % 2] = HUB;
    }
    expect_hulls(&spokes, &one);
    shape(&one);
    shape(&spokes.model);
    assert_true(spokes.model.tree.tied);
    assert_true(expect_hull_join(NULL, &spokes) > 100);
    expect_hull_join(&one, &spokes);
    destroy(&spokes.model);
    destroy(&one);
}

// Bodies, and points of nobody: all that meet are told of but those of one body. Where there is but one, none is.
static void kin_are_left_out(void **state) {
    (void)state;
    static Hulls edges, *all = &edges;
    static Met met;
    enum { POINTS = 300 };
    for (uint32_t bodies = 0; bodies < 4; bodies++) {
        TacRandom random = tac_random(28, bodies);
        uint32_t kin[POINTS];
        make_random(&one, &random, 6, POINTS, 0.3, 0.1);
        // neighbours by number, as hulls have them for corners; of the last ones nobody
        for (uint32_t i = 0; i < POINTS; i++)
            kin[i] = bodies == 1 || (bodies && i < 290) ? 1 + i * bodies / POINTS : 0;
        // side by side along x, so that some nodes hold one body only
        for (uint32_t i = 0; i < POINTS; i++) {
            for (int end = 0; end < 2; end++) {
                one.boxes[i].ends[end].reach[0] += (float)kin[i];
                one.boxes[i].ends[end].reach[1] -= (float)kin[i];
            }
            set(&one, i);
        }
        one.tree.kin = kin;
        make_hulls(&edges, &random, &one, 2, 500);
        // most of one body, some of two
        for (uint32_t i = 0; i < 500; i++) {
            if (i % 32) edges.corners[i][1] = (edges.corners[i][0] + 1) % POINTS;
        }
        expect_hulls(&edges, &one);
        shape(&one);
        shape(&edges.model);
        assert_int_equal(edges.model.tree.tied, bodies > 0);
        size_t told = 0, related = 0;
        met = (Met){&edges.model, &edges.model, {{0}}};
        tac_moving_tree_join(&edges.model.tree, &edges.model.tree, NULL, note_meeting, &met);
        for (uint32_t i = 0; i < edges.model.count; i++)
            for (uint32_t j = i + 1; j < edges.model.count; j++) {
                const uint32_t *a = all->corners[i], *b = all->corners[j];
                bool meet = !share(a, 2, b, 2) && !apart(&edges.model.boxes[i], &edges.model.boxes[j], 6);
                bool same =
                    kin[a[0]] && kin[a[1]] == kin[a[0]] && kin[b[0]] == kin[a[0]] && kin[b[1]] == kin[a[0]];
                if (!same) assert_int_equal(met.times[i][j], meet);
                if (same && !meet) assert_int_equal(met.times[i][j], 0);
                told += same && met.times[i][j];
                related += same && meet;
            }
        if (bodies == 1) assert_true(related > 10000 && told == 0);
        destroy(&edges.model);
        destroy(&one);
    }
}

static void refusals(void **state) {
    (void)state;
    TacMovingTree tree;
    TacError error;
    assert_int_equal(tac_moving_tree_create(&tree, 8, 3, &error), TAC_BAD_USAGE);
    tac_moving_tree_destroy(&tree);
    assert_int_equal(tac_moving_tree_create(&tree, 400, 3, &error), TAC_BAD_USAGE);
    tac_moving_tree_destroy(&tree);
    assert_int_equal(tac_moving_tree_create(&tree, 6, SIZE_MAX / 2, &error), TAC_BAD_USAGE);
    tac_moving_tree_destroy(&tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes),
        cmocka_unit_test(equal_boxes),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(no_meeting_is_missed),
        cmocka_unit_test(odd_reaches),
        cmocka_unit_test(touching),
        cmocka_unit_test(shape_is_tight),
        cmocka_unit_test(hulls_of_points),
        cmocka_unit_test(refusals),
        cmocka_unit_test(hulls_around_a_hub),
        cmocka_unit_test(shapes_forget_those_before),
        cmocka_unit_test(kin_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
