// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Edges that two faces share, for what bends; and sides of triangles, for what stretches.

#ifndef TACTUS_LAW_FACES_H
#define TACTUS_LAW_FACES_H

#include "tactus/geometry.h"

// Edge (c, d), and beside each of its ends the next corner of each face, away from the edge: those of the
// first face (ac, ad) and those of the second (bc, bd). Faces of three corners have ac == ad.
typedef struct TacHinge {
    int32_t c, d;
    int32_t ac, ad, bc, bd;
} TacHinge;

// The edges between exactly two triangles, or between two quads, in the order of their second face. The
// caller frees *hinges. O(n log n).
TacStatus tac_find_hinges(const TacMesh *mesh, TacElement kind, TacHinge **hinges, size_t *count,
                          TacError *error);

// A side of triangles, with its length and the area of all triangles beside it. A spring of stiffness
// Y area / length^2 along every side makes a membrane of stiffness Y (N/m) that hardly depends on how finely it is
// divided (Van Gelder, "Approximate simulation of elastic membranes by triangulated spring meshes", 1998).
typedef struct TacSide {
    int32_t low, high;
    double length, area;
} TacSide;

// All sides of the triangles, each once, by their ends in ascending order. `positions` has three numbers a point. The
// caller frees *sides. O(n log n).
TacStatus tac_find_sides(const TacMesh *mesh, const double *positions, TacSide **sides, size_t *count,
                         TacError *error);

#endif
