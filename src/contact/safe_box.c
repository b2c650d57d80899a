// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Courses and boxes. A vertex's course is a straight line through a window of time and a tube around it in which its
// plans stay; a primitive's moving box holds its vertices' courses, wide enough that primitives whose boxes stay apart
// are farther apart than any layer reaches. Only a vertex that leaves its course moves leaves of the trees, and only
// those around it; at the end of a window all that move do so together.

#include "contact/safe_parts.h"

#include <float.h>

static float up(double value) {
    float f = (float)value;
    return (double)f < value ? nextafterf(f, INFINITY) : f;
}

// The directions of a box's numbers, read off the boxes of three points.
void tac_safe_find_directions(TacSafe *safe) {
    for (int axis = 0; axis < 3; axis++) {
        TacDop box = tac_dop_empty();
        tac_dop_add_ball(&box, safe->def.k, tac_vec3(axis == 0, axis == 1, axis == 2), 0);
        for (int j = 0; j < safe->def.k; j++) safe->directions[j][axis] = round((double)box.reach[j]);
    }
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double sum_norm(const double d[3]) {
    return fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
}

// --- courses ----------------------------------------------------------------------------------------------

// How far the plan's tube reaches from the course at one of its ends.
static double off_course(const TacSafe *safe, uint32_t vertex, TacTick now, double c[3]) {
    const TacCourse *course = &safe->courses[vertex];
    double u[3], rho, off = 0, size = 0;
    double span = (double)(safe->boxes_until - safe->boxes_from), s = (double)(now - safe->boxes_from) / span;
    tac_plan_at(safe, vertex, now, c, u, &rho);
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(c[k] - course->a[k] - s * (course->b[k] - course->a[k])));
        size = fmax(size, fabs(course->a[k]) + fabs(course->b[k]));
    }
    return off + rho + 1e-14 * size;
}

double tac_safe_bulge(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const double *g = safe->vertices[vertex].g;
    double t = tac_safe_seconds(safe, safe->sweep_until - now);
    return 0.125 * t * t * fmax(fabs(g[0]), fmax(fabs(g[1]), fabs(g[2])));
}

bool tac_safe_on_course(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacCourse *course = &safe->courses[vertex];
    double c[3], room = course->r - tac_safe_bulge(safe, vertex, now);
    return off_course(safe, vertex, now, c) <= room && off_course(safe, vertex, safe->sweep_until, c) <= room;
}

// As wide as its history asks for: wider when it was left before the window ended, narrower when it was too wide.
static void choose_course_width(const TacSafe *safe, uint32_t vertex, bool whole, const double c[3]) {
    TacCourse *course = &safe->courses[vertex];
    if (safe->starting) return;
    double off = 0;
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(c[k] - course->b[k]));
    if (!whole) course->wanted *= 2;
    if (whole && off < 0.3 * course->r && !course->strayed) course->wanted *= 0.8;
    course->wanted =
        fmin(fmax(course->wanted, 0.02 * safe->most_eta), 0.1 * (double)safe->vertices[vertex].scale);
}

// A line from where the plan is now to where its trend leads by the end of the window.
void tac_safe_renew_course(TacSafe *safe, uint32_t vertex, TacTick now) {
    TacCourse *course = &safe->courses[vertex];
    const TacVertex *v = &safe->vertices[vertex];
    double c[3], u[3], rho, most = 0;
    tac_plan_at(safe, vertex, now, c, u, &rho);
    double left = tac_safe_seconds(safe, safe->boxes_until - now);
    bool whole = now == safe->boxes_from;
    choose_course_width(safe, vertex, whole, c);
    if (whole && v->trends[1].time >= 0 && v->trends[1].time < now)
        tac_trend_expect(safe, &v->trends[1], now, left, c, v->g, u);
    for (int k = 0; k < 3; k++) {
        u[k] += 0.5 * left * v->g[k];
        most = fmax(most, fabs(u[k]));
    }
    if (most * left < 0.5 * course->wanted) u[0] = u[1] = u[2] = 0;
    double past = tac_safe_seconds(safe, now - safe->boxes_from);
    for (int k = 0; k < 3; k++) {
        course->a[k] = u[k] == 0 ? c[k] : c[k] - u[k] * past;
        course->b[k] = u[k] == 0 ? c[k] : c[k] + u[k] * left;
    }
    double end[3];
    double needed = fmax(off_course(safe, vertex, now, c), off_course(safe, vertex, safe->sweep_until, end));
    course->r = fmax(course->wanted, 1.5 * (needed + tac_safe_bulge(safe, vertex, now)));
    safe->stats.refits++;
    for (uint32_t i = 0; i < v->primitive_count; i++) {
        uint32_t id = safe->around[v->first_primitive + i];
        TacPrimitive *p = &safe->primitives[id];
        if (p->dirty) continue;
        p->dirty = true;
        safe->dirty_kinds[p->kind]++;
        tac_safe_push(safe, &safe->dirty_primitives, id);
    }
}

void tac_safe_stray(TacSafe *safe, uint32_t vertex, TacTick now) {
    tac_safe_renew_course(safe, vertex, now);
    safe->courses[vertex].strayed = true;
}

static double reach_of(const TacSafe *safe, uint32_t primitive) {
    return (double)safe->primitives[primitive].radius + 0.5 * safe->most_eta;
}

static TacMovingBox box_of(const TacSafe *safe, uint32_t primitive) {
    const TacPrimitive *p = &safe->primitives[primitive];
    TacMovingBox box;
    double wider = reach_of(safe, primitive);
    for (int j = 0; j < safe->def.k; j++) {
        const double *d = safe->directions[j];
        double one = sum_norm(d), most[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i <= (int)p->kind; i++) {
            const TacCourse *course = &safe->courses[p->v[i]];
            most[0] = fmax(most[0], dot(d, course->a) + one * course->r);
            most[1] = fmax(most[1], dot(d, course->b) + one * course->r);
        }
        double more = wider * sqrt(dot(d, d));
        for (int end = 0; end < 2; end++)
            box.ends[end].reach[j] = up(most[end] + more + 1e-14 * fabs(most[end]));
    }
    return box;
}

// --- primitives by kind -----------------------------------------------------------------------------------

static size_t count_of(const TacSafe *safe, int kind) {
    return kind == TAC_PRIMITIVE_POINT  ? safe->point_count
           : kind == TAC_PRIMITIVE_EDGE ? safe->edge_count
                                        : safe->primitive_count - safe->point_count - safe->edge_count;
}

// --- finding pairs ----------------------------------------------------------------------------------------

// Of two that both changed, the one with the smaller number asks.
static void note_hits(TacSafe *safe, uint32_t from, uint32_t first) {
    for (size_t i = 0; i < safe->hits.count; i++) {
        uint32_t other = first + (uint32_t)safe->hits.ids[i];
        if (safe->primitives[other].dirty && other < from) continue;
        // the vertex first, or the smaller number of a kind
        uint32_t a = other < from ? other : from, b = other < from ? from : other;
        if (!tac_safe_may_touch(safe, a, b) || tac_safe_find_pair(safe, a, b) != TAC_SAFE_NONE) continue;
        tac_safe_push(safe, &safe->found, a);
        tac_safe_push(safe, &safe->found, b);
    }
    safe->hits.count = 0;
}

static TacStatus search_kind(TacSafe *safe, uint32_t from, int kind, TacError *error) {
    int own = safe->primitives[from].kind;
    if (kind < own && safe->dirty_kinds[kind] == count_of(safe, kind)) return TAC_OK; // all of them ask
    safe->stats.queries++;
    TAC_TRY(tac_moving_tree_find(&safe->trees[kind], &safe->trees[own], from - tac_safe_first_of(safe, own),
                                 &safe->hits, error));
    note_hits(safe, from, tac_safe_first_of(safe, kind));
    return TAC_OK;
}

static TacStatus search(TacSafe *safe, uint32_t id, TacError *error) {
    const TacPrimitive *p = &safe->primitives[id];
    bool point = p->kind == TAC_PRIMITIVE_POINT, edge = p->kind == TAC_PRIMITIVE_EDGE;
    if (point) TAC_TRY(search_kind(safe, id, TAC_PRIMITIVE_FACE, error));
    if (edge || (point && p->ball)) TAC_TRY(search_kind(safe, id, TAC_PRIMITIVE_EDGE, error));
    bool points = edge ? p->bare : !point || p->ball;
    return points ? search_kind(safe, id, TAC_PRIMITIVE_POINT, error) : TAC_OK;
}

static uint32_t leaf_of(const TacSafe *safe, uint32_t id) {
    return id - tac_safe_first_of(safe, safe->primitives[id].kind);
}

// Pairs whose boxes have come apart are let go of, unless they are still looked at.
static void drop_pairs(TacSafe *safe, uint32_t id, TacTick now) {
    const TacMovingTree *tree = &safe->trees[safe->primitives[id].kind];
    for (uint32_t link = safe->primitives[id].first_pair; link != TAC_SAFE_NONE;) {
        TacPair *p = &safe->pairs[link / 2];
        uint32_t pair = link / 2, other = link % 2 ? p->a : p->b;
        link = p->next[link % 2];
        if (p->armed >= 0 || p->dirty || tac_safe_is_live(safe, p, now)) continue;
        if (safe->primitives[other].dirty && other < id) continue; // asked already
        const TacMovingTree *there = &safe->trees[safe->primitives[other].kind];
        if (tac_moving_tree_apart(tree, leaf_of(safe, id), there, leaf_of(safe, other)))
            tac_safe_remove_pair(safe, pair);
    }
}

static int by_key(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    uint64_t k = tac_safe_key(x[0], x[1]), l = tac_safe_key(y[0], y[1]);
    return k < l ? -1 : k > l;
}

static TacStatus add_found(TacSafe *safe, TacTick now, TacError *error) {
    if (safe->out_of_memory) return tac_fail_memory(error, 0); // half a pair may be missing
    if (!safe->found.count) return TAC_OK;
    // both sides may have found it
    qsort(safe->found.items, safe->found.count / 2, 2 * sizeof *safe->found.items, by_key);
    for (size_t i = 0; i < safe->found.count; i += 2) {
        const uint32_t *pair = safe->found.items + i;
        if (i && !by_key(pair, pair - 2)) continue;
        TAC_TRY(tac_safe_add_pair(safe, pair[0], pair[1], now, error));
    }
    safe->found.count = 0;
    return TAC_OK;
}

// The trees' numbers follow the dirty primitives, and now and then their shapes: then true.
static bool fit_trees(TacSafe *safe) {
    const TacSafeList *dirty = &safe->dirty_primitives;
    for (size_t i = 0; i < dirty->count; i++) {
        uint32_t id = dirty->items[i];
        TacMovingBox box = box_of(safe, id);
        tac_moving_tree_set(&safe->trees[safe->primitives[id].kind], leaf_of(safe, id), &box);
    }
    bool all[3], shaped = false;
    for (int kind = 0; kind < 3; kind++) {
        size_t n = count_of(safe, kind);
        all[kind] = 8 * safe->dirty_kinds[kind] > n;
        if (all[kind] && 2 * safe->dirty_kinds[kind] > n && (safe->starting || safe->windows % 32 == 0)) {
            tac_moving_tree_shape(&safe->trees[kind]);
            shaped = true;
        } else if (all[kind])
            tac_moving_tree_fit(&safe->trees[kind]);
    }
    for (size_t i = 0; i < dirty->count; i++) {
        int kind = safe->primitives[dirty->items[i]].kind;
        if (!all[kind]) tac_moving_tree_fit_leaf(&safe->trees[kind], leaf_of(safe, dirty->items[i]));
    }
    return shaped;
}

TacStatus tac_safe_update_boxes(TacSafe *safe, TacTick now, TacError *error) {
    TacSafeList *dirty = &safe->dirty_primitives;
    TacStatus status = TAC_OK;
    bool shaped = safe->def.cull && fit_trees(safe);
    for (size_t i = 0; safe->def.cull && status == TAC_OK && i < dirty->count; i++) {
        drop_pairs(safe, dirty->items[i], now);
        if (!safe->front) status = search(safe, dirty->items[i], error);
    }
    if (safe->front) status = tac_safe_front_update(safe, shaped, now, error);
    for (size_t i = 0; i < dirty->count; i++) safe->primitives[dirty->items[i]].dirty = false;
    memset(safe->dirty_kinds, 0, sizeof safe->dirty_kinds);
    dirty->count = 0;
    TAC_TRY(status);
    return add_found(safe, now, error);
}

// Every pair, for what is not culled.
TacStatus tac_safe_all_pairs(TacSafe *safe, TacTick now, TacError *error) {
    for (uint32_t a = 0; a < safe->primitive_count; a++)
        for (uint32_t b = a + 1; b < safe->primitive_count; b++)
            if (tac_safe_may_touch(safe, a, b)) {
                tac_safe_push(safe, &safe->found, a);
                tac_safe_push(safe, &safe->found, b);
            }
    return add_found(safe, now, error);
}
