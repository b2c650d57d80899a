// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Trilinear hexahedra, as stored and as computed.
//
// Corners are numbered as VTK and SOFA do: 0-3 round the bottom, 4-7 above them. With coordinates xi, eta,
// zeta from -1 to 1 inside an element, the displacement is a sum of eight modes
//
//     u = U0 + U1 xi + U2 eta + U3 zeta + U4 eta zeta + U5 zeta xi + U6 xi eta + U7 xi eta zeta
//
// which come from the corners by sums and differences (a Hadamard transform). Each element is seen from a
// frame that turns with it, made from its mean edges, which are U1, U2 and U3 of its positions:
//
//     large   Gram-Schmidt: first axis along the mean x edge, second in the plane of the mean x and y edges
//     polar   the rotation nearest to the three mean edges
//     small   the frame at rest
//
// as SOFA's HexahedronFEMForceField has them. In a box the Jacobian is diagonal in that frame, and the eight
// Gauss points give the exact integral: the modes decouple by monomial, with weights 1 (linear), 1/3
// (bilinear) and 1/9 (trilinear). So no 24x24 matrix is needed: about 450 operations and 136 bytes per
// element instead of 1,150 and 4,600. Elements that are not boxes keep their matrix, from eight Gauss points.
// A change of force is the same without the rest shape and with the frame held.

#ifndef TACTUS_LAW_HEXAHEDRA_H
#define TACTUS_LAW_HEXAHEDRA_H

#include "law/elements.h"
#include "law/laws.h"

typedef enum TacHexahedraMethod { TAC_HEX_LARGE, TAC_HEX_POLAR, TAC_HEX_SMALL } TacHexahedraMethod;

enum { TAC_HEX_MODES = 7 }; // xi, eta, zeta, eta zeta, zeta xi, xi eta, xi eta zeta

typedef struct TacHexBatch {
    TacWide edge[3];    // 4 times the rest edge: what the first three modes are at rest, not divided by 8; m
    TacWide slope[3];   // 2 / edge; 1/m
    TacWide lambda, mu; // Lame's constants times volume / 64, J; 0 for elements with a matrix
} TacHexBatch;

typedef struct TacHexRotation {
    TacWide r[9]; // row by row, from the element's frame to the world
} TacHexRotation;

// An element that is not a box.
typedef struct TacHexOdd {
    uint32_t element;
    double rest[24];   // corners seen from corner 0, in the frame at rest
    double k[24 * 24]; // N/m, in that frame
} TacHexOdd;

typedef struct TacHexahedra {
    TacLaw law;
    TacReals young, poisson;
    int method; // TacHexahedraMethod
    TacElements elements;
    TacHexBatch *batches;
    TacHexRotation *rotations; // as of the last force
    TacHexOdd *odd;            // in ascending order of elements
    size_t odd_count;
    uint32_t *odd_start;     // per batch, and one more: its first odd element
    double overlap[8][8][9]; // mean over the element of dNi/da dNj/db, in units of the slopes
} TacHexahedra;

extern const int8_t tac_hex_signs[8][3];
extern const TacLawOps tac_hexahedra_ops;

// Each hexahedron by itself, as TacLawOps has it.
size_t tac_hexahedra_part_count(const void *self);
void tac_hexahedra_part(const void *self, size_t part, TacPart *result);
TacStatus tac_hexahedra_subset(const void *self, TacSetup *setup, const uint32_t *parts, size_t count,
                               void *clone, TacError *error);

// The seven modes of the corners (8 x 3 numbers), times 8.
void tac_hex_modes(const double *corners, TacVec3 modes[TAC_HEX_MODES]);

// The frame of three mean edges; false where it is not defined.
bool tac_hex_frame(TacHexahedraMethod method, const TacVec3 edges[3], TacMat3 *frame);

#endif
