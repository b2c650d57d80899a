// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What a polyhedron is made of, and how it is made.
//
// tac_polyhedron_create works in three parts, one file each:
//   convex_hull.c         finds the dimension of the cloud, makes the polyhedron from the triangles or the ring;
//   convex_quickhull.c    the triangles of a solid hull (C. B. Barber and others, 1996);
//   convex_faces.c        merges triangles that lie in one plane into polygons, so that boxes have six faces.
// Vertices and face normals are kept as three arrays each, for convex_wide.h; vertices also know their
// neighbours, for climbing. Where rounding makes a consistent set of triangles impossible, the polyhedron
// keeps all its points and has neither faces nor neighbours: queries still work, contacts give single points.

#ifndef TACTUS_GEOMETRY_CONVEX_HULL_H
#define TACTUS_GEOMETRY_CONVEX_HULL_H

#include "base/memory.h"
#include "geometry/convex_wide.h"
#include "tactus/convex.h"

struct TacPolyhedron {
    TacArena arena; // of everything below
    int dimension;
    TacCloud vertices;
    const uint32_t *neighbour_start; // vertices.count + 1 numbers; NULL: no neighbours known
    const uint32_t *neighbours;
    TacCloud normals; // of faces
    const uint32_t *face_start;
    const uint32_t *face_vertices;
    TacVec3 centre;      // mean of the vertices
    double inner, outer; // radii of balls about the centre: inside the hull, around it
    double reach;        // of the farthest vertex, from the origin
};

// A triangle of a hull under construction, or a finished one. Corners run counter-clockwise seen from outside;
// edge i goes from corner i to corner i+1.
typedef struct TacHullFace {
    uint32_t corner[3];
    uint32_t neighbour[3]; // across each edge
    TacVec3 normal;
    double offset;    // normal . x of the plane
    uint32_t outside; // first of the points beyond it, chained; TAC_HULL_NONE: no more
    uint32_t farthest;
    double height; // of the farthest
    uint8_t alive, seen;
} TacHullFace;

#define TAC_HULL_NONE UINT32_MAX

typedef struct TacHull {
    TacHullFace *faces;
    size_t count, capacity;
} TacHull;

// The triangles of a solid hull around the four given points, which must span a volume. TAC_FAILED, without a
// message, when rounding breaks its topology at this tolerance. The caller frees hull->faces in any case.
TacStatus tac_quickhull(TacHull *hull, const double *points, size_t count, const uint32_t start[4],
                        double tolerance, TacError *error);

// Fills the faces of a polyhedron from its triangles, whose corners are vertex numbers.
TacStatus tac_hull_merge_faces(TacPolyhedron *polyhedron, const TacHull *hull, double tolerance,
                               TacError *error);

// A padded, aligned copy of points in three arrays; `which` may be NULL (the first `count`).
TacStatus tac_cloud_create(TacArena *arena, TacCloud *cloud, const double *points, const uint32_t *which,
                           size_t count, TacError *error);

static inline TacVec3 tac_cloud_at(const TacCloud *cloud, uint32_t i) {
    return tac_vec3(cloud->x[i], cloud->y[i], cloud->z[i]);
}

#endif
