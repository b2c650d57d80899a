// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// GJK where the cores are apart, EPA where they are not, and one look where a half-space takes part.

#include "geometry/convex_gap.h"

TacPlane tac_relative_plane(const TacRelative *relative) {
    if (relative->a->kind == TAC_CONVEX_HALF_SPACE) return (TacPlane){tac_vec3(0, 1, 0), 0};
    TacVec3 n = tac_mat3_apply(&relative->turn, tac_vec3(0, 1, 0));
    return (TacPlane){n, tac_dot(n, relative->shift)};
}

static TacGap plane_gap(const TacRelative *relative) {
    TacGap gap = {.failed = relative->a->kind == relative->b->kind, .iterations = 1};
    if (gap.failed) return gap;
    TacPlane plane = tac_relative_plane(relative);
    bool plane_is_a = relative->a->kind == TAC_CONVEX_HALF_SPACE;
    TacVec3 down = tac_scale(plane.normal, -1);
    uint32_t vertex;
    TacVec3 lowest;
    if (plane_is_a)
        lowest = tac_relative_b(
            relative, tac_core_support(relative->b, tac_mat3_apply_back(&relative->turn, down), 0, &vertex));
    else
        lowest = tac_core_support(relative->a, down, 0, &vertex);
    double height = tac_dot(plane.normal, lowest) - plane.offset;
    TacVec3 foot = tac_axpy(lowest, -height, plane.normal);
    gap.gap = height - relative->margin;
    gap.overlap = gap.gap <= 0;
    gap.error = 1e-15 * relative->extent;
    gap.normal = plane_is_a ? plane.normal : down;
    gap.a = tac_axpy(plane_is_a ? foot : lowest, tac_core_margin(relative->a), gap.normal);
    gap.b = tac_axpy(plane_is_a ? lowest : foot, -tac_core_margin(relative->b), gap.normal);
    return gap;
}

// Moves witnesses from the cores to the rounded surfaces.
static void round_off(TacGap *gap, const TacRelative *relative, double core_gap) {
    gap->gap = core_gap - relative->margin;
    gap->overlap = gap->gap <= 0;
    gap->a = tac_axpy(gap->a, tac_core_margin(relative->a), gap->normal);
    gap->b = tac_axpy(gap->b, -tac_core_margin(relative->b), gap->normal);
}

static void apart(TacGap *gap, const TacRelative *relative, const TacGjk *gjk) {
    gap->normal = tac_scale(gjk->v, -1 / gjk->upper);
    // a lower bound above the upper one tells of rounding as well
    gap->error = fabs(gjk->upper - gjk->lower) + 1e-15 * relative->extent;
    for (int i = 0; i < gjk->simplex.count; i++) {
        gap->a = tac_axpy(gap->a, gjk->simplex.weight[i], gjk->simplex.corner[i].a);
        gap->b = tac_axpy(gap->b, gjk->simplex.weight[i], gjk->simplex.corner[i].b);
    }
    round_off(gap, relative, gjk->upper);
}

TacGap tac_gap(const TacRelative *relative, bool depth, TacConvexCache *cache) {
    if (tac_relative_has_plane(relative)) return plane_gap(relative);
    TacGap gap = {0};
    TacGjk gjk;
    tac_gjk(&gjk, relative, false, cache);
    gap.iterations = gjk.iterations;
    // so near to touching, the direction of v is mostly rounding: let EPA find the faces
    bool near = depth && gjk.upper <= 1e-9 * relative->extent, searched = false;
    if (!gjk.overlap && !near) {
        apart(&gap, relative, &gjk);
    } else if (!depth) {
        gap.overlap = true;
        gap.gap = -relative->margin;
    } else {
        TacEpa epa;
        searched = true;
        tac_epa(&epa, relative, &gjk.simplex);
        gap.iterations += epa.iterations;
        gap.normal = epa.normal;
        gap.error = epa.error;
        gap.a = epa.a;
        gap.b = epa.b;
        gap.failed = epa.failed;
        round_off(&gap, relative, -epa.depth);
    }
    // what EPA cannot prove about curved bodies is no failure: epa.h, rule 5
    double allowed = !relative->curved ? TAC_CONVEX_ERROR : searched ? 0.1 : TAC_CONVEX_CURVED_ERROR;
    gap.failed = gap.failed || !(gap.error <= allowed * relative->extent) || !isfinite(gap.gap);
    return gap;
}
