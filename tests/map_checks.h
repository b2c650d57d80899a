// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the tests of maps share: scenes from text with lists put in, and the checks that hold for every map.
// References are finite differences and the work done on both sides. Include after cmocka.h.

#ifndef TACTUS_TESTS_MAP_CHECKS_H
#define TACTUS_TESTS_MAP_CHECKS_H

#include "base/random.h"
#include "tactus/tactus.h"
#include "world/world.h"

#include <stdio.h>

static const double tight = 1e-12;

// --- scenes -----------------------------------------------------------------------------------------------

typedef struct List {
    const char *path, *attribute;
    const double *reals;
    const int32_t *ints;
    size_t count;
} List;

static inline TacStatus try_world(TacWorld **world, const char *text, const List *lists, size_t count,
                                  int threads, TacError *error) {
    TacScene *scene;
    assert_int_equal(tac_scene_create(&scene, error), TAC_OK);
    TacStatus status = tac_scene_parse(scene, "test.tac", text, strlen(text), error);
    for (size_t i = 0; i < count && status == TAC_OK; i++) {
        TacComponentId id = tac_scene_find(scene, lists[i].path);
        status =
            lists[i].reals
                ? tac_scene_set_reals(scene, id, lists[i].attribute, lists[i].reals, lists[i].count, error)
                : tac_scene_set_ints(scene, id, lists[i].attribute, lists[i].ints, lists[i].count, error);
    }
    TacWorldDef def = tac_world_def_default();
    def.threads = threads;
    *world = NULL;
    if (status == TAC_OK) status = tac_world_create(world, scene, &def, error);
    tac_scene_destroy(scene);
    return status;
}

static inline TacWorld *make_world(const char *text, const List *lists, size_t count, int threads) {
    TacWorld *world;
    TacError error = {0};
    char line[2048];
    if (try_world(&world, text, lists, count, threads, &error) != TAC_OK)
        fail_msg("%s", tac_error_text(&error, line, sizeof line));
    return world;
}

static inline TacMap *map_at(TacWorld *world, const char *path) {
    TacComponent *c = tac_world_get(world, tac_world_find(world, path));
    assert_non_null(c);
    assert_int_equal(c->cls->kind, TAC_KIND_MAP);
    return (TacMap *)c;
}

// --- vectors ----------------------------------------------------------------------------------------------

static inline double *take(size_t n) {
    double *x = calloc(n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline double *take_random(TacRandom *random, size_t n, double size) {
    double *x = take(n);
    for (size_t i = 0; i < n; i++) x[i] = tac_random_between(random, -size, size);
    return x;
}

static inline double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// max |a - b|
static inline double gap(const double *a, const double *b, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static inline const TacMapOps *ops_of(const TacMap *map) {
    return map->base.cls->ops.map;
}

static const TacContext alone = {0};

// Random quaternions for frames, random numbers for everything else.
static inline double *take_random_frames(TacRandom *random, size_t count) {
    double *x = take_random(random, 7 * count, 1);
    for (size_t i = 0; i < count; i++)
        tac_store_quat(x + 7 * i + 3, tac_quat_unit(tac_load_quat(x + 7 * i + 3)));
    return x;
}

// --- checks that hold for every map -----------------------------------------------------------------------

// (J v).f == v.(J^T f), and J^T f is added to what is there.
static inline void check_work(TacMap *map, uint64_t seed) {
    TacRandom random = tac_random(seed, 1);
    size_t np = tac_vector_size(map->parent, TAC_V), nc = tac_vector_size(map->child, TAC_V);
    double *v = take_random(&random, np, 1), *f = take_random(&random, nc, 1), *jv = take(nc);
    double *there = take_random(&random, np, 1), *sum = take(np);
    const double *px = map->parent->vectors[TAC_X], *cx = map->child->vectors[TAC_X];
    ops_of(map)->velocity(map, &alone, px, cx, v, jv);
    memcpy(sum, there, np * sizeof *sum);
    ops_of(map)->force(map, &alone, px, cx, f, sum);
    for (size_t i = 0; i < np; i++) sum[i] -= there[i];
    double down = dot(jv, f, nc), up = dot(v, sum, np);
    double scale = sqrt(dot(jv, jv, nc) * dot(f, f, nc));
    assert_true(scale > 0);
    assert_true(fabs(down - up) <= tight * scale);
    free(v);
    free(f);
    free(jv);
    free(there);
    free(sum);
}

// J v == d position / dt along the motion that v starts.
static inline void check_slope(TacMap *map, uint64_t seed) {
    const double h = 1e-5;
    TacRandom random = tac_random(seed, 2);
    size_t nv = tac_vector_size(map->parent, TAC_V), nx = tac_vector_size(map->parent, TAC_X);
    size_t nc = tac_vector_size(map->child, TAC_X);
    double *v = take_random(&random, nv, 1), *w = take(nv), *px = take(nx);
    double *after = take(nc), *before = take(nc), *jv = take(nc);
    for (int side = 0; side < 2; side++) {
        tac_matter_fly(map->parent, NULL, side ? -h : h, map->parent->vectors[TAC_X], v, px, w);
        ops_of(map)->position(map, &alone, px, side ? before : after);
    }
    for (size_t i = 0; i < nc; i++) after[i] = (after[i] - before[i]) / (2 * h);
    ops_of(map)->velocity(map, &alone, map->parent->vectors[TAC_X], map->child->vectors[TAC_X], v, jv);
    assert_true(gap(after, jv, nc) < 1e-9);
    free(v);
    free(w);
    free(px);
    free(after);
    free(before);
    free(jv);
}

// The child is where the map puts it, at rest and now.
static inline void check_placed(TacMap *map) {
    size_t n = tac_vector_size(map->child, TAC_X);
    double *x = take(n);
    const TacVector both[] = {TAC_X, TAC_X_REST};
    for (int k = 0; k < 2; k++) {
        ops_of(map)->position(map, &alone, map->parent->vectors[both[k]], x);
        assert_memory_equal(x, map->child->vectors[both[k]], n * sizeof *x);
    }
    free(x);
}

// Positions, velocities and forces have the same bits for any number of threads.
static inline void check_threads(TacMap *map, uint64_t seed) {
    TacRandom random = tac_random(seed, 3);
    size_t np = tac_vector_size(map->parent, TAC_V), nc = tac_vector_size(map->child, TAC_X);
    double *f = take_random(&random, nc, 1), *v = take_random(&random, np, 1);
    double *start = take_random(&random, np, 1), *one = take(np), *many = take(np), *x1 = take(nc),
           *xn = take(nc), *v1 = take(nc), *vn = take(nc);
    const double *px = map->parent->vectors[TAC_X], *cx = map->child->vectors[TAC_X];
    memcpy(one, start, np * sizeof *one);
    ops_of(map)->force(map, &alone, px, cx, f, one);
    ops_of(map)->position(map, &alone, px, x1);
    ops_of(map)->velocity(map, &alone, px, cx, v, v1);
    for (int threads = 2; threads <= 5; threads += 3) {
        TacContext context = {0};
        assert_int_equal(tac_team_create(&context.team, threads, NULL), TAC_OK);
        memcpy(many, start, np * sizeof *many);
        ops_of(map)->force(map, &context, px, cx, f, many);
        ops_of(map)->position(map, &context, px, xn);
        ops_of(map)->velocity(map, &context, px, cx, v, vn);
        assert_memory_equal(one, many, np * sizeof *one);
        assert_memory_equal(x1, xn, nc * sizeof *x1);
        assert_memory_equal(v1, vn, nc * sizeof *v1);
        tac_team_destroy(context.team);
    }
    double *all[] = {f, v, start, one, many, x1, xn, v1, vn};
    for (size_t i = 0; i < TAC_COUNT(all); i++) free(all[i]);
}

#endif
