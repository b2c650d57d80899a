// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Are two shapes apart? The quickest query: balls first, then what the cache remembers, then GJK until the sign
// is known (ISA-GJK: G. van den Bergen, 1999). As long as a pair stays apart, or stays together, the cached
// axis or tetrahedron answers, and is itself checked against the shapes: it can be old, not wrong.

#include "geometry/convex_gap.h"

// Do balls around and inside the shapes decide? FAILED for no.
static TacConvexState ask_balls(const TacRelative *relative) {
    double inner_a, outer_a, inner_b, outer_b;
    TacVec3 centre_a = tac_core_balls(relative->a, &inner_a, &outer_a);
    TacVec3 centre_b = tac_relative_b(relative, tac_core_balls(relative->b, &inner_b, &outer_b));
    TacVec3 d = tac_sub(centre_b, centre_a);
    double square = tac_dot(d, d), slack = 1e-14 * relative->extent;
    double apart = outer_a + outer_b + relative->margin + slack;
    double together = inner_a + inner_b + relative->margin - slack;
    if (square > apart * apart) return TAC_CONVEX_SEPARATED;
    if (together > 0 && square < together * together) return TAC_CONVEX_OVERLAPPING;
    return TAC_CONVEX_FAILED;
}

// How far the core reaches in a direction, in its own frame.
static double highest(const TacConvex *shape, TacVec3 d, uint32_t hint) {
    if (shape->kind == TAC_CONVEX_POLYHEDRON && shape->polyhedron->vertices.count <= TAC_CONVEX_CLIMB)
        return tac_cloud_highest(&shape->polyhedron->vertices, d.x, d.y, d.z);
    uint32_t vertex;
    return tac_dot(tac_core_support(shape, d, hint, &vertex), d);
}

static bool axis_separates(const TacRelative *relative, const TacConvexCache *cache) {
    TacVec3 v = cache->axis;
    double square = tac_dot(v, v);
    double low_a = -highest(relative->a, tac_scale(v, -1), cache->a[0]);
    double high_b = highest(relative->b, tac_mat3_apply_back(&relative->turn, v), cache->b[0]);
    double gap = low_a - (high_b + tac_dot(v, relative->shift));
    double margin = relative->margin + TAC_GJK_ZERO * relative->extent;
    return gap > 0 && gap * gap > margin * margin * square;
}

// Does the cached tetrahedron or the cached axis still decide?
static TacConvexState ask_cache(const TacRelative *relative, const TacConvexCache *cache) {
    if (cache->simplex == 4) {
        TacSimplex simplex;
        if (tac_simplex_load(relative, cache, &simplex) == 4 && tac_simplex_holds(&simplex, relative->extent))
            return TAC_CONVEX_OVERLAPPING;
    } else if (cache->axis_known && axis_separates(relative, cache)) {
        return TAC_CONVEX_SEPARATED;
    }
    return TAC_CONVEX_FAILED;
}

TacConvexSeparation tac_convex_separation(const TacConvexPair *pair, TacConvexCache *cache) {
    TacConvexSeparation result = {0};
    TacRelative relative;
    if (!tac_relative_make(&relative, pair)) return result;
    if (tac_relative_has_plane(&relative)) {
        TacGap gap = tac_gap(&relative, false, NULL);
        if (!gap.failed) result.state = gap.overlap ? TAC_CONVEX_OVERLAPPING : TAC_CONVEX_SEPARATED;
        return result;
    }
    result.state = ask_balls(&relative);
    if (result.state == TAC_CONVEX_FAILED && cache) result.state = ask_cache(&relative, cache);
    if (result.state != TAC_CONVEX_FAILED) return result;
    TacGjk gjk;
    tac_gjk(&gjk, &relative, true, cache);
    result.iterations = gjk.iterations;
    bool overlap = gjk.overlap || gjk.upper <= relative.margin;
    result.state = overlap ? TAC_CONVEX_OVERLAPPING : TAC_CONVEX_SEPARATED;
    return result;
}
