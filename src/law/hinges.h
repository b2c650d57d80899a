// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The angle between two triangles across their common edge, and how it changes.
//
//            a                  e = d - c, unit along it u; N = (a - c) x (a - d), M = (b - d) x (b - c): normals
//          /   \                of the two triangles, as long as twice their areas
//        c ----- d              angle = atan2((N x M).u, N.M): 0 when flat, positive or negative when folded
//          \   /
//            b
//
// Its gradient (Bridson, Marino and Fedkiw, "Simulation of clothing with folds and wrinkles", 2003) is, but for
// the sign, |e| N/|N|^2 at a, |e| M/|M|^2 at b, and at c and d what makes forces and torques vanish. It grows
// without bound as a triangle loses its height. Where the height over the edge is below a quarter of that at
// rest, the whole gradient is scaled down to what it would be at that height, which leaves forces and torques
// balanced and stiffness bounded: the period that was found from the shape at rest stays stable.

#ifndef TACTUS_LAW_HINGES_H
#define TACTUS_LAW_HINGES_H

#include "law/element_pieces.h"
#include "law/elements.h"
#include "law/faces.h"

// Some hinges at once.
typedef struct TacHingeBatch {
    TacWide rest;     // angle at rest
    TacWide weight;   // 3 |e|^2 / (sum of areas) at rest (Grinspun et al., "Discrete shells", 2003)
    TacWide least[2]; // |N|^2 and |M|^2 at a quarter of the heights at rest, per |e|^2
} TacHingeBatch;

typedef struct TacHinges {
    size_t count, batch_count;
    TacHingeBatch *batches;
    TacElementPieces pieces; // with a, b, c, d of each
} TacHinges;

// All edges between two triangles of the setup's topology, as they are at rest. Those beside
// triangles without area are left out, with a remark.
TacStatus tac_hinges_make(TacHinges *hinges, TacSetup *setup, const TacMatter *matter, TacError *error);

// Some of them alone.
TacStatus tac_hinges_some(TacHinges *some, const TacHinges *all, TacSetup *setup, size_t point_count,
                          const uint32_t *parts, size_t count, TacError *error);

// The angles of a batch of hinges at positions x, and their gradients at a, b, c, d (1/m), three numbers each.
// Gradient and angle are 0 where a triangle has no area at all. Laws do the same on rows, by hinge_fold.h.
void tac_hinges_angles(const TacHinges *hinges, size_t batch, const double *x, TacWide *angle,
                       TacWide gradient[12]);

// Where the corners of a batch are, three numbers each.
void tac_hinges_places(const TacHinges *hinges, size_t batch, const double *x, TacWide p[12]);

// Sum of squares of a gradient at rest, 1/m^2.
double tac_hinges_steepness(const TacHinges *hinges, size_t hinge, const double *rest);

static inline double tac_hinges_weight(const TacHinges *hinges, size_t hinge) {
    return hinges->batches[hinge / TAC_WIDTH].weight[hinge % TAC_WIDTH];
}

// For matrices, s grad grad^T of every part of a batch of a law with `corners` points: 3 * corners wide numbers.
typedef double (*TacPartFactor)(const void *law, size_t part);
void tac_add_squares(const TacElementPieces *pieces, size_t batch, const TacWide *gradients,
                     TacPartFactor factor, const void *law, double s, TacMatrix *matrix);

#endif
