// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Fat boxes. A vertex's box is a k-DOP in which its plan's tube stays for a while; a primitive's is the hull of
// its vertices', wide enough that primitives whose boxes are disjoint are farther apart than any layer
// reaches. Only a vertex that leaves its box moves leaves of the trees, and only those around it.

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
        for (int j = 0; j < safe->def.k; j++) safe->directions[j][axis] = (double)box.reach[j];
    }
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double sum_norm(const double d[3]) {
    return fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
}

void tac_safe_fit_box(TacSafe *safe, uint32_t vertex, TacTick now) {
    TacVertex *v = &safe->vertices[vertex];
    float *box = safe->boxes + (size_t)safe->def.k * vertex;
    double c[3], u[3], rho, scale = (double)v->scale;
    tac_plan_at(safe, vertex, TAC_WIDE, now, c, u, &rho);
    // as far as it gets in a while, but not much farther than its neighbours are
    double speed = sqrt(dot(u, u)), ahead = 0.05;
    if (speed * ahead > 0.15 * scale) ahead = 0.15 * scale / speed;
    double margin =
        0.25 * safe->most_eta + 0.05 * scale + safe->plans[TAC_PLANS * vertex + TAC_WIDE].spread * ahead;
    for (int j = 0; j < safe->def.k; j++) {
        const double *d = safe->directions[j];
        double here = dot(d, c), there = here + ahead * dot(d, u) + 0.5 * ahead * ahead * dot(d, v->g);
        box[j] = up(fmax(here, there) + (rho + margin) * sum_norm(d));
    }
    safe->stats.refits++;
    for (uint32_t i = 0; i < v->primitive_count; i++) {
        uint32_t id = safe->around[v->first_primitive + i];
        if (safe->primitives[id].dirty) continue;
        safe->primitives[id].dirty = true;
        tac_safe_push(safe, &safe->dirty_primitives, id);
    }
}

double tac_safe_box_time(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacVertex *v = &safe->vertices[vertex];
    const float *box = safe->boxes + (size_t)safe->def.k * vertex;
    double c[3], u[3], rho, t = 0.25;
    tac_plan_at(safe, vertex, TAC_WIDE, now, c, u, &rho);
    for (int j = 0; j < safe->def.k; j++) {
        const double *d = safe->directions[j];
        double one = sum_norm(d), reach = dot(d, c);
        double room = (double)box[j] - reach - rho * one - 1e-14 * fabs(reach);
        if (!(room > 0)) return 0;
        double pull = dot(d, v->g),
               rate = dot(d, u) + safe->plans[TAC_PLANS * vertex + TAC_WIDE].spread * one;
        if (pull > 0) {
            // a quarter of the room is for gravity
            double fall = sqrt(0.5 * room / pull);
            if (fall < t) t = fall;
            room *= 0.75;
        }
        if (rate * t > room) t = room / rate;
    }
    return t;
}

static double reach_of(const TacSafe *safe, uint32_t primitive) {
    return (double)safe->primitives[primitive].radius + 0.5 * safe->most_eta;
}

static TacDop box_of(const TacSafe *safe, uint32_t primitive) {
    const TacPrimitive *p = &safe->primitives[primitive];
    TacDop hull = tac_dop_empty();
    double wider = reach_of(safe, primitive);
    for (int j = 0; j < safe->def.k; j++) {
        const double *d = safe->directions[j];
        float most = -FLT_MAX;
        for (int i = 0; i <= (int)p->kind; i++) {
            float reach = safe->boxes[(size_t)safe->def.k * p->v[i] + (size_t)j];
            if (reach > most) most = reach;
        }
        hull.reach[j] = up((double)most + wider * sqrt(dot(d, d)));
    }
    return hull;
}

// --- primitives by kind -----------------------------------------------------------------------------------

static uint32_t first_of(const TacSafe *safe, int kind) {
    return kind == TAC_PRIMITIVE_POINT  ? 0
           : kind == TAC_PRIMITIVE_EDGE ? (uint32_t)safe->point_count
                                        : (uint32_t)(safe->point_count + safe->edge_count);
}

static size_t count_of(const TacSafe *safe, int kind) {
    return kind == TAC_PRIMITIVE_POINT  ? safe->point_count
           : kind == TAC_PRIMITIVE_EDGE ? safe->edge_count
                                        : safe->primitive_count - safe->point_count - safe->edge_count;
}

// --- finding pairs ----------------------------------------------------------------------------------------

typedef struct Search {
    TacSafe *safe;
    uint32_t from, first;
} Search;

static bool found(void *context, int32_t leaf) {
    Search *s = context;
    uint32_t a = s->from, b = s->first + (uint32_t)leaf;
    // the vertex first, or the smaller number of a kind
    if (b < a) {
        uint32_t c = a;
        a = b;
        b = c;
    }
    if (tac_safe_may_touch(s->safe, a, b) && tac_safe_find_pair(s->safe, a, b) == TAC_SAFE_NONE) {
        tac_safe_push(s->safe, &s->safe->found, a);
        tac_safe_push(s->safe, &s->safe->found, b);
    }
    return true;
}

static void search_kind(TacSafe *safe, uint32_t from, const TacDop *box, int kind) {
    Search search = {safe, from, first_of(safe, kind)};
    safe->stats.queries++;
    tac_box_tree_query(&safe->trees[kind], box, found, &search);
}

static void search(TacSafe *safe, uint32_t id, const TacDop *box) {
    const TacPrimitive *p = &safe->primitives[id];
    if (p->kind == TAC_PRIMITIVE_POINT) {
        search_kind(safe, id, box, TAC_PRIMITIVE_FACE);
        if (p->ball) search_kind(safe, id, box, TAC_PRIMITIVE_POINT);
        if (p->ball) search_kind(safe, id, box, TAC_PRIMITIVE_EDGE);
    } else if (p->kind == TAC_PRIMITIVE_EDGE) {
        search_kind(safe, id, box, TAC_PRIMITIVE_EDGE);
        if (p->bare) search_kind(safe, id, box, TAC_PRIMITIVE_POINT);
    } else {
        search_kind(safe, id, box, TAC_PRIMITIVE_POINT);
    }
}

// Pairs whose boxes have come apart are let go of, unless they are still looked at.
static void drop_pairs(TacSafe *safe, uint32_t id, const TacDop *box, TacTick now) {
    for (uint32_t link = safe->primitives[id].first_pair; link != TAC_SAFE_NONE;) {
        TacPair *p = &safe->pairs[link / 2];
        uint32_t pair = link / 2, other = link % 2 ? p->a : p->b;
        link = p->next[link % 2];
        if (p->armed >= 0 || p->dirty || tac_safe_is_live(safe, p, now)) continue;
        const TacPrimitive *q = &safe->primitives[other];
        TacDop there = tac_box_tree_box(&safe->trees[q->kind], (int32_t)(other - first_of(safe, q->kind)));
        if (!tac_dop_overlaps(box, &there, safe->def.k)) tac_safe_remove_pair(safe, pair);
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

TacStatus tac_safe_update_boxes(TacSafe *safe, TacTick now, TacError *error) {
    TacSafeList *dirty = &safe->dirty_primitives;
    for (size_t i = 0; i < dirty->count; i++) {
        uint32_t id = dirty->items[i];
        TacPrimitive *p = &safe->primitives[id];
        p->dirty = false;
        if (!safe->def.cull) continue;
        TacDop box = box_of(safe, id);
        tac_box_tree_move(&safe->trees[p->kind], (int32_t)(id - first_of(safe, p->kind)), &box);
    }
    for (size_t i = 0; safe->def.cull && i < dirty->count; i++) {
        uint32_t id = dirty->items[i];
        const TacPrimitive *p = &safe->primitives[id];
        TacDop box = tac_box_tree_box(&safe->trees[p->kind], (int32_t)(id - first_of(safe, p->kind)));
        drop_pairs(safe, id, &box, now);
        for (uint32_t link = p->first_pair; link != TAC_SAFE_NONE;) {
            const TacPair *pair = &safe->pairs[link / 2];
            if (pair->far) tac_safe_mark_pair(safe, link / 2);
            link = pair->next[link % 2];
        }
        search(safe, id, &box);
    }
    dirty->count = 0;
    return add_found(safe, now, error);
}

static TacStatus build_trees(TacSafe *safe, TacError *error) {
    for (int kind = 0; kind < 3; kind++) {
        size_t n = count_of(safe, kind);
        TacDop *boxes = calloc(n ? n : 1, sizeof *boxes);
        if (!boxes) return tac_fail_memory(error, n * sizeof *boxes);
        for (size_t i = 0; i < n; i++) boxes[i] = box_of(safe, first_of(safe, kind) + (uint32_t)i);
        TacStatus status = tac_box_tree_build(&safe->trees[kind], boxes, n, error);
        free(boxes);
        TAC_TRY(status);
    }
    return TAC_OK;
}

static void all_without_trees(TacSafe *safe) {
    for (uint32_t a = 0; a < safe->primitive_count; a++)
        for (uint32_t b = a + 1; b < safe->primitive_count; b++)
            if (tac_safe_may_touch(safe, a, b)) {
                tac_safe_push(safe, &safe->found, a);
                tac_safe_push(safe, &safe->found, b);
            }
}

TacStatus tac_safe_all_pairs(TacSafe *safe, TacTick now, TacError *error) {
    for (size_t i = 0; i < safe->dirty_primitives.count; i++)
        safe->primitives[safe->dirty_primitives.items[i]].dirty = false;
    safe->dirty_primitives.count = 0;
    TAC_TRY(build_trees(safe, error));
    if (!safe->def.cull) {
        all_without_trees(safe);
        return add_found(safe, now, error);
    }
    for (uint32_t id = 0; id < safe->primitive_count; id++) {
        const TacPrimitive *p = &safe->primitives[id];
        if (p->kind == TAC_PRIMITIVE_FACE) continue; // their vertices ask
        TacDop box = tac_box_tree_box(&safe->trees[p->kind], (int32_t)(id - first_of(safe, p->kind)));
        search(safe, id, &box);
    }
    return add_found(safe, now, error);
}
