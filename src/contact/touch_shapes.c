// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact between two convex shapes: ISA-GJK and EPA with the cache of the pair (tactus/convex.h), several
// points where faces meet.

#include "contact/touch.h"

// The cache that the pair had at the last look. Both lists are sorted, so the search is by bisection.
static void take_cache(const TacTouch *touch, TacPatchKey key, TacConvexCache *cache) {
    const TacPatches *before = &touch->before;
    size_t low = 0, high = before->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const TacPatchKey *k = &before->patches[middle].key;
        bool less = k->a < key.a || (k->a == key.a && k->b < key.b);
        *(less ? &low : &high) = less ? middle + 1 : middle;
    }
    if (low == before->count) return;
    const TacPatch *was = &before->patches[low];
    if (was->key.a == key.a && was->key.b == key.b && was->cache_plus_1)
        *cache = before->caches[was->cache_plus_1 - 1];
}

bool tac_touch_shapes(TacTouch *touch, TacPatchKey key) {
    TacPatch *patch = tac_touch_add(touch, key, true);
    if (!patch) return false;
    TacConvexCache *cache = &touch->now.caches[patch->cache_plus_1 - 1];
    take_cache(touch, key, cache);
    const TacTouchObject *a = &touch->objects[key.a], *b = &touch->objects[key.b];
    const TacConvex *shape_a = &((const TacShapeModel *)touch->models[a->model].model)->convex;
    const TacConvex *shape_b = &((const TacShapeModel *)touch->models[b->model].model)->convex;
    TacConvexPair pair = {shape_a, shape_b, a->pose, b->pose};
    double extra = tac_touch_between(touch, a->model, b->model)->extra;
    if (shape_a->kind == TAC_CONVEX_HALF_SPACE && shape_b->kind == TAC_CONVEX_HALF_SPACE) return true;
    if (extra <= 0 && tac_convex_separation(&pair, cache).state == TAC_CONVEX_SEPARATED) return true;
    TacConvexContacts found = tac_convex_contacts(&pair, extra > 0 ? extra : 0, cache);
    if (found.state != TAC_CONVEX_OVERLAPPING) return true;
    patch->normal = found.normal;
    for (int i = 0; i < found.count; i++) {
        const TacConvexContact *c = &found.contacts[i];
        if (!(c->depth + extra > 0)) continue;
        TacVec3 middle = tac_scale(tac_add(c->point_a, c->point_b), 0.5);
        if (!tac_touch_add_point(touch, patch, middle, c->depth + extra)) return false;
    }
    return true;
}
