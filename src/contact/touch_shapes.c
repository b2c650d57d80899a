// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact between two convex shapes: ISA-GJK and EPA with the cache of the pair (tactus/convex.h), several
// points where faces meet.

#include "contact/touch.h"

// The cache that the pair had at the last look. Both lists are sorted: `old` is where the last pair was looked for, and
// the next one is mostly near; from SIZE_MAX on it is looked for everywhere. Returns whether the two touched then.
static bool take_cache(const TacTouch *touch, TacPatchKey key, size_t *old, TacConvexCache *cache) {
    const TacPatches *before = &touch->before;
    if (*old == SIZE_MAX) *old = tac_patches_find(before, &key);
    while (*old < before->count && tac_patch_compare(&before->patches[*old].key, &key) < 0) ++*old;
    if (*old == before->count) return false;
    const TacPatch *was = &before->patches[*old];
    if (tac_patch_compare(&was->key, &key) || !was->cache_plus_1) return false;
    *cache = before->caches[was->cache_plus_1 - 1];
    return was->count > 0;
}

// --- weights ----------------------------------------------------------------------------------------------

// Two unit vectors across the normal.
static void tangents(TacVec3 n, TacVec3 *u, TacVec3 *v) {
    TacVec3 other = fabs(n.x) < 0.6 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0);
    *u = tac_unit(tac_cross(n, other));
    *v = tac_cross(n, *u);
}

// Points in the order in which they stand around their middle.
static void sort_around(const TacConvexContacts *found, int *order) {
    double angle[TAC_CONVEX_CONTACTS];
    TacVec3 middle = {0, 0, 0}, u, v;
    tangents(found->normal, &u, &v);
    for (int i = 0; i < found->count; i++)
        middle = tac_axpy(middle, 1.0 / found->count, found->contacts[i].point_a);
    for (int i = 0; i < found->count; i++) {
        TacVec3 d = tac_sub(found->contacts[i].point_a, middle);
        angle[i] = atan2(tac_dot(d, v), tac_dot(d, u));
        int k = i;
        for (; k > 0 && angle[order[k - 1]] > angle[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
}

// A load along the rim: each side gives half of its length to either end.
static void share(const TacConvexContacts *found, double *weights) {
    int order[TAC_CONVEX_CONTACTS], n = found->count;
    double rim = 0;
    sort_around(found, order);
    for (int i = 0; i < n; i++) weights[i] = 0;
    for (int i = 0; i < n; i++) {
        int a = order[i], b = order[(i + 1) % n];
        double side = tac_norm(tac_sub(found->contacts[a].point_a, found->contacts[b].point_a));
        weights[a] += 0.5 * side;
        weights[b] += 0.5 * side;
        rim += side;
    }
    for (int i = 0; i < n; i++) weights[i] = rim > 0 ? weights[i] / rim : 1.0 / n;
}

// --- one pair ---------------------------------------------------------------------------------------------

// How far above a face its corners still count: some of the smaller shape's size.
static double hovering(const TacTouch *touch, TacPatchKey key) {
    double size = INFINITY;
    const uint32_t objects[] = {key.a, key.b};
    for (int i = 0; i < 2; i++) {
        const TacKdop *bounds = &touch->zones->objects[objects[i]].bounds;
        double extent = 0;
        for (int k = 0; k < 3; k++) extent = fmax(extent, bounds->high[k] - bounds->low[k]);
        size = fmin(size, extent);
    }
    return size < INFINITY ? 0.05 * size : 0;
}

// Where an object is at the time of whoever looks: in loose worlds it flies on, or back, from where it is shown.
static TacPose pose_then(const TacTouch *touch, const TacTouchObject *o) {
    const TacTouchModel *m = &touch->models[o->model];
    if (!touch->is_view || !m->moves || touch->time == m->shown) return o->pose;
    const TacMatter *matter = m->model->matter;
    size_t frame = tac_touch_place(m, o->element);
    const double *v = matter->vectors[TAC_V_SHOWN] + 6 * frame;
    double behind = touch->time - m->shown;
    TacQuat turn = tac_quat_from_vector(tac_scale(tac_load3(v + 3), behind));
    TacVec3 centre = tac_load3(matter->vectors[TAC_X_SHOWN] + 7 * frame);
    TacVec3 arm = tac_rotate(turn, tac_sub(o->pose.position, centre));
    return (TacPose){.position = tac_add(tac_axpy(centre, behind, tac_load3(v)), arm),
                     .rotation = tac_quat_mul(turn, o->pose.rotation)};
}

bool tac_touch_shapes(TacTouch *touch, TacTouchJob *job, TacTouchList *list) {
    TacConvexCache *cache = &touch->now.caches[job->cache];
    const TacTouchObject *a = &touch->objects[job->a], *b = &touch->objects[job->b];
    TacPatchKey key = {job->a, job->b, a->element, b->element};
    *cache = (TacConvexCache){0};
    bool touched = take_cache(touch, key, &list->old, cache);
    const TacConvex *shape_a = &((const TacShapeModel *)touch->models[a->model].model)->convex;
    const TacConvex *shape_b = &((const TacShapeModel *)touch->models[b->model].model)->convex;
    TacConvexPair pair = {shape_a, shape_b, pose_then(touch, a), pose_then(touch, b)};
    double extra = tac_touch_between(touch, a->model, b->model)->extra;
    if (shape_a->kind == TAC_CONVEX_HALF_SPACE && shape_b->kind == TAC_CONVEX_HALF_SPACE) return true;
    if (extra <= 0 && tac_convex_separation(&pair, cache).state == TAC_CONVEX_SEPARATED) return true;
    // since when the two are looked at is up to the bounds, and may not show in what they push with
    if (!touched) *cache = (TacConvexCache){0};
    TacConvexContacts found = tac_convex_contacts(&pair, hovering(touch, key) + fmax(0, extra), cache);
    if (found.state != TAC_CONVEX_OVERLAPPING) return true;
    double weights[TAC_CONVEX_CONTACTS], deepest = -INFINITY;
    for (int i = 0; i < found.count; i++) deepest = fmax(deepest, found.contacts[i].depth + extra);
    if (!(deepest > 0)) return true;
    share(&found, weights);
    job->normal = found.normal;
    job->count = (uint32_t)found.count;
    TacTouchPoint *points = &touch->now.points[TAC_CONVEX_CONTACTS * (size_t)job->cache];
    for (int i = 0; i < found.count; i++) {
        const TacConvexContact *c = &found.contacts[i];
        points[i] = (TacTouchPoint){.at = tac_scale(tac_add(c->point_a, c->point_b), 0.5),
                                    .depth = c->depth + extra,
                                    .weight = weights[i]};
    }
    return true;
}
