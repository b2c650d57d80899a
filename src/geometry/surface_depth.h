// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// How deep under the surface of a closed mesh a place is. Triangles are kept in a grid of cells; the nearest
// one is looked for in the cells around a place, and the side is found by counting how often a line along x
// crosses the surface. A crossing counts in the one cell that it lies in, so triangles may stand in many.

#ifndef TACTUS_GEOMETRY_SURFACE_DEPTH_H
#define TACTUS_GEOMETRY_SURFACE_DEPTH_H

#include "tactus/geometry.h"

// A zeroed struct is valid and empty.
typedef struct TacSurface {
    const double *points;
    int32_t *triangles;
    size_t triangle_count;
    TacVec3 low; // corner of the grid
    double cell; // m
    int64_t cells[3];
    uint32_t *start, *listed; // triangles by cell
} TacSurface;

// The mesh must live as long. Fails when its outer triangles do not close.
TacStatus tac_surface_make(TacSurface *surface, const TacMesh *mesh, TacError *error);
void tac_surface_free(TacSurface *surface);

// Positive inside. `inward` is the direction in which the depth grows, zero where nothing is near. Beyond
// `reach` the depth is only known to be more than it, and is given as the reach (negative outside).
double tac_surface_depth(const TacSurface *surface, TacVec3 p, double reach, TacVec3 *inward);

#endif
