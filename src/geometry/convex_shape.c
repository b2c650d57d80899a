// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The shapes: what each looks like from a direction. The words are in convex_shape.h.

#include "geometry/convex_shape.h"

TacConvex tac_convex_sphere(double radius) {
    return (TacConvex){.kind = TAC_CONVEX_SPHERE, .radius = radius};
}

TacConvex tac_convex_box(TacVec3 half) {
    return (TacConvex){.kind = TAC_CONVEX_BOX, .half = half};
}

TacConvex tac_convex_capsule(double radius, double half_height) {
    return (TacConvex){.kind = TAC_CONVEX_CAPSULE, .radius = radius, .half_height = half_height};
}

TacConvex tac_convex_cylinder(double radius, double half_height) {
    return (TacConvex){.kind = TAC_CONVEX_CYLINDER, .radius = radius, .half_height = half_height};
}

TacConvex tac_convex_cone(double radius, double half_height) {
    return (TacConvex){.kind = TAC_CONVEX_CONE, .radius = radius, .half_height = half_height};
}

TacConvex tac_convex_half_space(void) {
    return (TacConvex){.kind = TAC_CONVEX_HALF_SPACE};
}

TacConvex tac_convex_polyhedron(const TacPolyhedron *polyhedron) {
    return (TacConvex){.kind = TAC_CONVEX_POLYHEDRON, .polyhedron = polyhedron};
}

// --- the farthest point --------------------------------------------------------------------------------------

// From neighbour to higher neighbour; on a convex body the first without a higher one is the highest.
static uint32_t climb(const TacPolyhedron *polyhedron, TacVec3 d, uint32_t vertex) {
    const TacCloud *vertices = &polyhedron->vertices;
    if (vertex >= vertices->count) vertex = 0;
    double height = tac_dot(tac_cloud_at(vertices, vertex), d);
    for (uint32_t step = 0; step < vertices->count; step++) {
        uint32_t best = vertex;
        for (uint32_t k = polyhedron->neighbour_start[vertex]; k < polyhedron->neighbour_start[vertex + 1];
             k++) {
            uint32_t next = polyhedron->neighbours[k];
            double other = tac_dot(tac_cloud_at(vertices, next), d);
            if (other > height) {
                height = other;
                best = next;
            }
        }
        if (best == vertex) break;
        vertex = best;
    }
    return vertex;
}

static TacVec3 polyhedron_support(const TacPolyhedron *polyhedron, TacVec3 d, uint32_t hint,
                                  uint32_t *vertex) {
    const TacCloud *vertices = &polyhedron->vertices;
    if (vertices->count > TAC_CONVEX_CLIMB && polyhedron->neighbours)
        *vertex = climb(polyhedron, d, hint);
    else
        *vertex = tac_cloud_find(vertices, d.x, d.y, d.z, tac_cloud_highest(vertices, d.x, d.y, d.z));
    return tac_cloud_at(vertices, *vertex);
}

// The point of a circle about y, at height 0.
static TacVec3 rim(double radius, TacVec3 d) {
    double across = sqrt(d.x * d.x + d.z * d.z);
    return across > 0 ? tac_vec3(radius * (d.x / across), 0, radius * (d.z / across))
                      : tac_vec3(radius, 0, 0);
}

TacVec3 tac_core_support(const TacConvex *shape, TacVec3 d, uint32_t hint, uint32_t *vertex) {
    TacVec3 point = {0, 0, 0};
    *vertex = 0;
    switch (shape->kind) {
    case TAC_CONVEX_POLYHEDRON: return polyhedron_support(shape->polyhedron, d, hint, vertex);
    case TAC_CONVEX_BOX:
        *vertex = (d.x < 0 ? 1u : 0u) | (d.y < 0 ? 2u : 0u) | (d.z < 0 ? 4u : 0u);
        return tac_box_corner(shape->half, *vertex);
    case TAC_CONVEX_CAPSULE:
        *vertex = d.y < 0;
        return tac_vec3(0, d.y < 0 ? -shape->half_height : shape->half_height, 0);
    case TAC_CONVEX_CYLINDER:
        *vertex = TAC_CONVEX_NO_VERTEX;
        point = rim(shape->radius, d);
        point.y = d.y < 0 ? -shape->half_height : shape->half_height;
        return point;
    case TAC_CONVEX_CONE:
        *vertex = TAC_CONVEX_NO_VERTEX;
        point = rim(shape->radius, d);
        point.y = -shape->half_height;
        if (shape->half_height * d.y > tac_dot(point, d)) point = tac_vec3(0, shape->half_height, 0);
        return point;
    default: return point;
    }
}

TacMat3 tac_pose_matrix(TacQuat q) {
    double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    double s = square > 0 ? 2 / square : 0;
    double xx = s * q.x * q.x, yy = s * q.y * q.y, zz = s * q.z * q.z, xy = s * q.x * q.y, xz = s * q.x * q.z,
           yz = s * q.y * q.z, wx = s * q.w * q.x, wy = s * q.w * q.y, wz = s * q.w * q.z;
    return (TacMat3){{{1 - (yy + zz), xy - wz, xz + wy},
                      {xy + wz, 1 - (xx + zz), yz - wx},
                      {xz - wy, yz + wx, 1 - (xx + yy)}}};
}
