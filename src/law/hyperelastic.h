// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Hyperelastic tetrahedra: constant strain, any strain energy W per volume of the rest shape.
//
//     F = E M                 deformation gradient: edges now times the inverse of the edges at rest
//     (f1, f2, f3) = -V (dW/dF) M^T      f0 = -(f1 + f2 + f3)
//
// Materials come in two families.
//
// Of invariants: W = w(I1, I2, J) with C = F^T F, I1 = tr C, I2 = (I1^2 - tr C^2) / 2, J = det F. Then, with
// the cofactors G of F,
//
//     dW/dF = 2 (w1 + I1 w2) F - 2 w2 F C + wJ G
//
// and its derivative along dF is written out with the second derivatives of w: exact, without an inverse, and
// defined for flat and inverted elements wherever w is. Where w has a logarithm or a power of J it is
// continued, below J = 1/50, by its tangent in J, so that crushed and inverted elements push back; the force
// there is still minus the gradient of an energy, but the stiffness leaves out third derivatives.
//
// Of principal stretches and of axes (Ogden, Costa): second Piola-Kirchhoff stress S and its derivative by
// C, element by element. Below the same J the stretches are held at 1/10 at least (Irving, Teran and Fedkiw
// 2004).
//
// Energies and the order of parameters are those of SOFA's TetrahedronHyperelasticityFEMForceField.

#ifndef TACTUS_LAW_HYPERELASTIC_H
#define TACTUS_LAW_HYPERELASTIC_H

#include "law/elements.h"
#include "law/laws.h"

// In the order of the attribute `material`.
typedef enum TacMaterial {
    TAC_NEO_HOOKEAN,
    TAC_STABLE_NEO_HOOKEAN,
    TAC_SAINT_VENANT_KIRCHHOFF,
    TAC_MOONEY_RIVLIN,
    TAC_ARRUDA_BOYCE,
    TAC_VERONDA_WESTMAN,
    TAC_OGDEN,
    TAC_COSTA,
    TAC_MATERIAL_COUNT
} TacMaterial;

enum { TAC_MATERIAL_MOST = 8 }; // parameters

// w and its derivatives by I1, I2 and J.
typedef struct TacInvariantEnergy {
    double w, w1, w2, wj;
    double w11, w12, w1j, w22, w2j, wjj;
} TacInvariantEnergy;

// W, S = 2 dW/dC, and D = 2 dS/dC as a matrix from the six numbers of a symmetric tensor (xx yy zz xy xz yz,
// off-diagonal ones counted once) to those of S.
typedef struct TacTensorEnergy {
    double w, s[6], d[6][6];
} TacTensorEnergy;

// How many parameters a material has.
size_t tac_material_parameters(TacMaterial material);

// True for materials of invariants.
bool tac_material_is_invariant(TacMaterial material);

void tac_material_invariant(TacMaterial material, const double *parameters, double i1, double i2, double j,
                            TacInvariantEnergy *out);
void tac_material_tensor(TacMaterial material, const double *parameters, const TacMat3 *f,
                         TacTensorEnergy *out);

// F as tac_material_tensor takes it: itself, or with its stretches held where it is crushed.
TacMat3 tac_material_held(const TacMat3 *f);

typedef struct TacHyperBatch {
    TacWide m[9];   // M, row by row; 1/m
    TacWide volume; // m^3; 0 in lanes that only fill up
} TacHyperBatch;

// What the last force leaves for the stiffness.
typedef struct TacHyperState {
    TacWide f[9];
    TacWide w[9]; // of invariants: w1 w2 wj w11 w12 w1j w22 w2j wjj
} TacHyperState;

typedef struct TacHyperTensor {
    TacWide s[6], d[6][6];
} TacHyperTensor;

typedef struct TacHyperelastic {
    TacLaw law;
    int material; // TacMaterial
    TacReals given, young, poisson;
    size_t parameter_count, set_count; // numbers in a set; sets: one for all elements or one each
    double *parameters;
    TacElements elements;
    TacHyperBatch *batches;
    TacHyperState *states;
    TacHyperTensor *tensors; // NULL for materials of invariants
} TacHyperelastic;

extern const TacLawOps tac_hyperelastic_ops;

// Each tetrahedron by itself, as TacLawOps has it.
size_t tac_hyperelastic_part_count(const void *self);
void tac_hyperelastic_part(const void *self, size_t part, TacPart *result);
TacStatus tac_hyperelastic_subset(const void *self, TacSetup *setup, const uint32_t *parts, size_t count,
                                  void *clone, TacError *error);

#endif
