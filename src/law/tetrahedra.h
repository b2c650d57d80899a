// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Linear tetrahedra, as stored and as computed.
//
// Each element lives in its own frame Q at rest: first axis along edge 0-1, second in the plane of edges 0-1
// and 0-2 (the frame of SOFA's "large" method). There the matrix of rest edges is upper triangular, and so is
// its inverse: six numbers instead of nine, and as many fewer products. With the edges E = (x1-x0, x2-x0,
// x3-x0):
//
//     F = E M                            deformation gradient, from the element's rest frame to the world
//     R                                  rotation of F: nearest (polar, svd), Gram-Schmidt on its columns
//                                        (qr), or Q (small)
//     e = sym(R^T F) - I                 strain in the rest frame
//     P = V (2 mu e + lambda tr(e) I)    stress times volume
//     (f1, f2, f3) = -R P M^T            f0 = -(f1 + f2 + f3)
//
// This is R K (R^T x - X) without the 12x12 matrix K. A change of force is the same with the change of E for
// E, no I, and R held. It does not matter whether elements are inside out at rest: M is then, too. For polar and svd the force is exactly minus the gradient of V (mu e:e + lambda/2
// tr(e)^2), because R^T F is symmetric; for qr and edges (SOFA's "large" and "polar") it is not, and a torque
// is left over that grows with the strain.
//
// Plastic elements keep a part p of their strain: e - p is elastic. At each instant, where |e - p| is above
// the yield strain, p takes over the part `creep` of it; |p| stays below the limit. Norms are those of six
// numbers, shear angles whole (SOFA's TetrahedronFEMForceField, which moreover multiplies by six volumes).
//
// Elements are kept in batches of TAC_WIDTH, lane by lane; the last batch is filled up with copies of its
// last element that have no stiffness. Their points are found and their forces added up as pieces.h says. Per
// tetrahedron: 64 bytes of constants, 72 for R, 8 of corners in its piece: 144 that a product reads; and 16 of
// corners.

#ifndef TACTUS_LAW_TETRAHEDRA_H
#define TACTUS_LAW_TETRAHEDRA_H

#include "law/element_pieces.h"
#include "law/laws.h"
#include "law/setup.h"

typedef enum TacTetrahedraMethod {
    TAC_TET_POLAR,
    TAC_TET_QR,
    TAC_TET_SVD,
    TAC_TET_SMALL,
    TAC_TET_EDGES
} TacTetrahedraMethod;

typedef struct TacTetBatch {
    TacWide m[6];       // M, row by row: 00 01 02 11 12 22; 1/m
    TacWide lambda, mu; // Lame's constants times volume, J
} TacTetBatch;

typedef struct TacTetRotation {
    TacWide r[9]; // row by row, from the element's rest frame to the world
} TacTetRotation;

// For the method edges.
typedef struct TacTetEdges {
    TacWide rest[6]; // edges at rest in Q, mirrored where the element is inside out: 00 01 02 11 12 22
    TacWide back[9]; // transpose of the rotation nearest to them
} TacTetEdges;

typedef struct TacTetPlastic {
    TacWide strain[6]; // xx yy zz xy xz yz
    TacWide scale;     // of norms, to compare with the thresholds
} TacTetPlastic;

typedef struct TacTetrahedra {
    TacLaw law;
    TacReals young, poisson;
    int method; // TacTetrahedraMethod
    size_t count, batch_count;
    int32_t *corners; // 4 per element, batches filled up
    TacTetBatch *batches;
    TacTetRotation *rotations; // as of the last force
    TacElementPieces pieces;
    TacTetEdges *edges; // NULL for other methods
    double plastic_yield, plastic_limit, plastic_creep;
    bool plastic_by_volume;
    TacTetPlastic *plastic; // state; NULL where all is elastic
    double plastic_time;    // s, of the last flow; state
} TacTetrahedra;

// The frame Q of a tetrahedron from its edges; false when it is flat.
static inline bool tac_tet_frame(TacVec3 e1, TacVec3 e2, TacMat3 *q) {
    TacVec3 x = tac_unit(e1), z = tac_unit(tac_cross(e1, e2)), y = tac_cross(z, x);
    *q = (TacMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return tac_dot(x, x) > 0.5 && tac_dot(z, z) > 0.5;
}

// Each tetrahedron by itself, as TacLawOps has it.
size_t tac_tetrahedra_part_count(const void *self);
void tac_tetrahedra_part(const void *self, size_t part, TacPart *result);
TacStatus tac_tetrahedra_subset(const void *self, TacSetup *setup, const uint32_t *parts, size_t count,
                                void *clone, TacError *error);

extern const TacLawOps tac_tetrahedra_ops;

#endif
