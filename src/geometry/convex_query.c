// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The public queries made of the signed gap: distance, penetration, cast. The others have files of their own
// (convex_separation.c, convex_contacts.c).

#include "geometry/convex_gap.h"

enum { CAST_LIMIT = 64 };

static TacVec3 to_world(const TacPose *pose, const TacMat3 *turn, TacVec3 local) {
    return tac_add(pose->position, tac_mat3_apply(turn, local));
}

TacConvexDistance tac_convex_distance(const TacConvexPair *pair, TacConvexCache *cache) {
    TacConvexDistance result = {0};
    TacRelative relative;
    if (!tac_relative_make(&relative, pair)) return result;
    TacGap gap = tac_gap(&relative, false, cache);
    result.iterations = gap.iterations;
    if (gap.failed) return result;
    result.state = gap.overlap ? TAC_CONVEX_OVERLAPPING : TAC_CONVEX_SEPARATED;
    if (gap.overlap) return result;
    TacMat3 turn = tac_pose_matrix(pair->pose_a.rotation);
    result.distance = gap.gap;
    result.error = gap.error;
    result.normal = tac_mat3_apply(&turn, gap.normal);
    result.point_a = to_world(&pair->pose_a, &turn, gap.a);
    result.point_b = to_world(&pair->pose_a, &turn, gap.b);
    return result;
}

TacConvexPenetration tac_convex_penetration(const TacConvexPair *pair, TacConvexCache *cache) {
    TacConvexPenetration result = {0};
    TacRelative relative;
    if (!tac_relative_make(&relative, pair)) return result;
    TacGap gap = tac_gap(&relative, true, cache);
    result.iterations = gap.iterations;
    if (gap.failed) return result;
    TacMat3 turn = tac_pose_matrix(pair->pose_a.rotation);
    result.state = gap.overlap ? TAC_CONVEX_OVERLAPPING : TAC_CONVEX_SEPARATED;
    result.depth = -gap.gap;
    result.error = gap.error;
    result.normal = tac_mat3_apply(&turn, gap.normal);
    result.point_a = to_world(&pair->pose_a, &turn, gap.a);
    result.point_b = to_world(&pair->pose_a, &turn, gap.b);
    return result;
}

// The gap of two shapes that move without turning is a convex function of time, and the normal's speed is its
// slope: stepping to where that slope ends is Newton's method from the safe side, and never jumps through.
TacConvexCast tac_convex_cast(const TacConvexPair *pair, TacVec3 motion_a, TacVec3 motion_b,
                              TacConvexCache *cache) {
    TacConvexCast result = {0};
    TacRelative relative;
    if (!tac_relative_make(&relative, pair)) return result;
    TacMat3 turn = tac_pose_matrix(pair->pose_a.rotation);
    TacVec3 way = tac_mat3_apply_back(&turn, tac_sub(motion_b, motion_a)), start = relative.shift;
    double extent = relative.extent + fabs(way.x) + fabs(way.y) + fabs(way.z);
    if (!(extent <= 1e100)) return result;
    double touching = 0.1 * extent * (relative.curved ? TAC_CONVEX_CURVED_ERROR : TAC_CONVEX_ERROR);
    double fraction = 0;
    relative.extent = extent;
    for (int i = 0; i < CAST_LIMIT; i++) {
        relative.shift = tac_axpy(start, fraction, way);
        TacGap gap = tac_gap(&relative, false, cache);
        result.iterations += gap.iterations;
        if (gap.failed) return result;
        bool first = i == 0;
        if (first && gap.overlap) {
            result.state = TAC_CONVEX_OVERLAPPING;
            return result;
        }
        if (!gap.overlap) {
            result.normal = tac_mat3_apply(&turn, gap.normal);
            TacVec3 at = to_world(&pair->pose_a, &turn, gap.a);
            result.point = tac_axpy(at, fraction, motion_a);
        }
        double speed = -tac_dot(way, gap.normal);
        // a shape that starts as near as this but moves away does not touch; one that came as near does, whatever its
        // normal is by then: that of two that touch is not known
        bool moves_away = !gap.overlap && !(speed > 0), near = gap.gap <= fmax(touching, gap.error);
        if (moves_away && (first || !near)) {
            result.state = TAC_CONVEX_SEPARATED;
            return result;
        }
        if (gap.overlap || (first ? gap.gap <= touching : near)) {
            result.state = TAC_CONVEX_HIT;
            result.fraction = fraction;
            return result;
        }
        fraction += gap.gap / speed;
        if (!(fraction <= 1)) {
            result.state = TAC_CONVEX_SEPARATED;
            return result;
        }
    }
    return result;
}

TacConvexCast tac_convex_ray(const TacConvex *shape, TacPose pose, TacVec3 origin, TacVec3 way) {
    TacConvex point = tac_convex_sphere(0);
    TacConvexPair pair = {.a = shape, .b = &point, .pose_a = pose, .pose_b = {origin, {0, 0, 0, 1}}};
    TacConvexCache cache = {0};
    return tac_convex_cast(&pair, tac_vec3(0, 0, 0), way, &cache);
}
