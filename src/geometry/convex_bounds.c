// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "geometry/convex_bounds.h"

#include "geometry/convex_shape.h"

static void half_space_bounds(const TacConvex *shape, TacVec3 up, TacVec3 position, int axes,
                              TacKdop *bounds) {
    for (int i = 0; i < axes; i++) {
        TacVec3 d = tac_kdop_axis(axes, i);
        double length = tac_norm(d), along = tac_dot(d, up) / length;
        double top = tac_dot(d, position) + (along > 0 ? 1 : -1) * length * shape->rounding;
        bounds->low[i] = along <= -1 + 1e-15 ? top : -INFINITY;
        bounds->high[i] = along >= 1 - 1e-15 ? top : INFINITY;
    }
}

void tac_convex_bounds(const TacConvex *shape, TacPose pose, int axes, TacKdop *bounds) {
    TacMat3 turn = tac_pose_matrix(pose.rotation);
    tac_kdop_clear(bounds);
    if (shape->kind == TAC_CONVEX_HALF_SPACE) {
        half_space_bounds(shape, tac_vec3(turn.m[0][1], turn.m[1][1], turn.m[2][1]), pose.position, axes,
                          bounds);
        return;
    }
    double margin = tac_core_margin(shape);
    for (int i = 0; i < axes; i++) {
        TacVec3 d = tac_kdop_axis(axes, i), local = tac_mat3_apply_back(&turn, d);
        double length = i < 3 ? 1 : tac_norm(d), at = tac_dot(d, pose.position);
        uint32_t vertex;
        double high = tac_dot(local, tac_core_support(shape, local, 0, &vertex));
        double low = tac_dot(local, tac_core_support(shape, tac_scale(local, -1), 0, &vertex));
        bounds->low[i] = at + low - length * margin;
        bounds->high[i] = at + high + length * margin;
    }
}
