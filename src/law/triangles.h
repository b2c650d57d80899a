// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Membranes of linear triangles in space, as stored and as computed.
//
// A triangle (a, b, c) has a frame of two unit vectors in its plane: e0 along edge ab, e1 across it. At rest
// its edges there are (bx, 0) and (cx, cy), with the inverse M, upper triangular. With the edges now in the
// frame now, L,
//
//     H = L M - I = (L - L_rest) M   displacement gradient, 2x2
//     s = t A (mu (H + H^T) / 2 + gamma tr(H) I)      mu = E / (1 + nu), gamma = E nu / (1 - nu^2)
//     (fb, fc) = -(e0 e1) s M^T      fa = -(fb + fc)
//
// (plane stress; gamma = E nu / ((1 + nu) (1 - 2 nu)) in plane strain). Methods:
//
//     polar   the frame is turned in its plane by the nearest rotation, so that H is symmetric: the force is
//             minus the gradient of the energy, and leaves no torque
//     large   the frame as it is: SOFA's method, with a torque left over that grows with the strain
//     small   the frame at rest
//
// With `shape` now, M is that of the triangle now: what SOFA's TriangleFEMForceField and
// TriangularFEMForceField do, where TriangularFEMForceFieldOptim takes the one at rest. A change of force is
// the same with frame and M held.

#ifndef TACTUS_LAW_TRIANGLES_H
#define TACTUS_LAW_TRIANGLES_H

#include "law/elements.h"
#include "law/laws.h"

typedef enum TacTrianglesMethod { TAC_TRI_POLAR, TAC_TRI_LARGE, TAC_TRI_SMALL } TacTrianglesMethod;

typedef struct TacTriBatch {
    TacWide m[3];      // M: 00 01 11, 1/m
    TacWide mu, gamma; // times thickness and area, J; 0 in lanes that only fill up
} TacTriBatch;

// e0 and e1, as of the last force. Explicit solvers never ask for them: they are kept only from the first time that
// somebody does, and where they are those at rest.
typedef struct TacTriFrame {
    TacWide e[6];
} TacTriFrame;

// M of the triangle as it was then, where it is not that at rest.
typedef struct TacTriShape {
    TacWide m[3];
} TacTriShape;

typedef struct TacTriangles {
    TacLaw law;
    TacReals young, poisson, thickness;
    int method; // TacTrianglesMethod
    bool shape_now, plane_strain;
    bool keeps; // frames and shapes
    TacElements elements;
    TacTriBatch *batches;
    TacTriFrame *frames;
    TacTriShape *shapes; // NULL: all are as at rest
} TacTriangles;

// The frame of a triangle from its edges; any one that fits where they are too short or parallel.
void tac_tri_frame(TacVec3 ab, TacVec3 ac, TacVec3 *e0, TacVec3 *e1);

// Each triangle by itself, as TacLawOps has it.
size_t tac_triangles_part_count(const void *self);
void tac_triangles_part(const void *self, size_t part, TacPart *result);
TacStatus tac_triangles_subset(const void *self, TacSetup *setup, const uint32_t *parts, size_t count,
                               void *clone, TacError *error);

extern const TacLawOps tac_triangles_ops;

#endif
