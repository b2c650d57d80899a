// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The loop of gjk.h, and what it leaves in the cache. Quick answers without it: convex_separation.c.

#include "geometry/gjk.h"

static void store_cache(const TacGjk *gjk, TacConvexCache *cache) {
    bool vertices = true;
    for (int i = 0; i < gjk->simplex.count; i++) {
        cache->a[i] = gjk->simplex.corner[i].ia;
        cache->b[i] = gjk->simplex.corner[i].ib;
        vertices = vertices && cache->a[i] != TAC_CONVEX_NO_VERTEX && cache->b[i] != TAC_CONVEX_NO_VERTEX;
    }
    cache->simplex = vertices ? (uint16_t)gjk->simplex.count : 0;
    if (tac_dot(gjk->v, gjk->v) > 0) {
        cache->axis = gjk->v;
        cache->axis_known = 1;
    }
    cache->generation++;
    if (cache->generation == 0) cache->generation = 1;
}

static bool is_corner(const TacSimplex *simplex, const TacDifference *d) {
    for (int i = 0; i < simplex->count; i++) {
        TacVec3 w = simplex->corner[i].w;
        if (w.x == d->w.x && w.y == d->w.y && w.z == d->w.z) return true;
    }
    return false;
}

// Where to look first: the cached simplex, the cached axis, or from B's centre to A's.
static TacVec3 first_direction(TacGjk *gjk, const TacRelative *relative, const TacConvexCache *cache,
                               bool *inside) {
    *inside = false;
    if (cache && cache->simplex > 0 && tac_simplex_load(relative, cache, &gjk->simplex) > 0) {
        TacVec3 v = tac_simplex_nearest(&gjk->simplex, inside);
        if (!*inside || tac_simplex_holds(&gjk->simplex, relative->extent)) return v;
        *inside = false;
    }
    gjk->simplex.count = 0;
    bool usable = cache && cache->axis_known && tac_dot(cache->axis, cache->axis) > 0 &&
                  tac_dot(cache->axis, cache->axis) <= 1e200;
    if (usable) return cache->axis;
    double inner, outer;
    TacVec3 centre_a = tac_core_balls(relative->a, &inner, &outer);
    TacVec3 v = tac_sub(centre_a, tac_relative_b(relative, tac_core_balls(relative->b, &inner, &outer)));
    return tac_dot(v, v) > 0 ? v : tac_vec3(1, 0, 0);
}

static void finish(TacGjk *gjk, bool overlap, TacVec3 v, TacConvexCache *cache) {
    gjk->overlap = overlap;
    gjk->v = v;
    if (overlap) gjk->upper = gjk->lower = 0;
    if (cache) store_cache(gjk, cache);
}

// The best simplex so far, for when a new start comes to nothing better.
typedef struct Best {
    TacSimplex simplex;
    TacVec3 v;
    double square;
} Best;

static void keep_best(Best *best, const TacGjk *gjk, TacVec3 v, double square) {
    if (!(square < best->square)) return;
    best->simplex = gjk->simplex;
    best->v = v;
    best->square = square;
}

void tac_gjk(TacGjk *gjk, const TacRelative *relative, bool sign_only, TacConvexCache *cache) {
    double zero = TAC_GJK_ZERO * relative->extent, close = relative->curved ? 1e-12 : TAC_GJK_CLOSE;
    double margin = relative->margin, enough = 0.01 * TAC_CONVEX_ERROR * relative->extent;
    int restarts = 0;
    bool inside;
    Best best;
    best.v = tac_vec3(0, 0, 0);
    best.square = INFINITY;
    gjk->lower = 0;
    gjk->iterations = 0;
    TacVec3 v = first_direction(gjk, relative, cache, &inside);
    double square = tac_dot(v, v);
    while (!inside && gjk->iterations < TAC_GJK_LIMIT) {
        bool known = gjk->simplex.count > 0;
        // 2: a simplex that touches the origin as far as rounding can tell
        if (known && square <= zero * zero) {
            finish(gjk, true, v, cache);
            return;
        }
        if (sign_only && known && square <= margin * margin) {
            gjk->upper = sqrt(square);
            finish(gjk, false, v, cache);
            return;
        }
        const TacDifference *old = &gjk->simplex.corner[0];
        TacDifference d = tac_difference_support(relative, v, known ? old->ia : 0, known ? old->ib : 0);
        gjk->iterations++;
        double along = tac_dot(v, d.w), length = sqrt(square);
        gjk->lower = fmax(gjk->lower, along / length);
        // 4: the plane across v parts the shapes
        if (sign_only && along > (margin + zero) * length) {
            if (!known) {
                gjk->simplex.count = 1;
                gjk->simplex.corner[0] = d;
            }
            gjk->upper = INFINITY;
            finish(gjk, false, v, cache);
            return;
        }
        // 3: nothing nearer to be found
        if (known && square - along <= close * square) break;
        bool stuck = known && is_corner(&gjk->simplex, &d);
        if (!stuck) {
            TacSimplex before = gjk->simplex;
            gjk->simplex.corner[gjk->simplex.count++] = d;
            TacVec3 next = tac_simplex_nearest(&gjk->simplex, &inside);
            double next_square = tac_dot(next, next);
            stuck = inside ? gjk->lower > zero : known && !(next_square < square);
            if (inside && !stuck) break;
            inside = false;
            if (stuck) {
                gjk->simplex = before;
            } else {
                v = next;
                square = next_square;
            }
        }
        if (!stuck) continue;
        // a simplex too thin to go on, though the bounds do not agree: start again from here
        keep_best(&best, gjk, v, square);
        if (sqrt(best.square) - gjk->lower <= enough || restarts == TAC_GJK_RESTARTS) break;
        restarts++;
        gjk->simplex.count = 1;
        gjk->simplex.corner[0] = d;
        gjk->simplex.weight[0] = 1;
        v = d.w;
        square = tac_dot(v, v);
    }
    if (!inside && best.square < square) {
        gjk->simplex = best.simplex;
        v = best.v;
        square = best.square;
    }
    gjk->upper = sqrt(square);
    finish(gjk, inside, v, cache);
}
