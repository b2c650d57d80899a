// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Edges that two faces share, for what bends.

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

#endif
