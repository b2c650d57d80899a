// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Von Mises' stress of elements, for those who look (TacClass.scalars). Every point shows the largest of the elements
// around it.
//
//     tetrahedra, hexahedra   Hooke's law on the stretches s of the element (of its middle): the stress of a
//                             corotational element. In principal axes it is 2 mu s + const, and von Mises' measure of it
//                             is 2 mu sqrt(((s1 - s2)^2 + (s2 - s3)^2 + (s3 - s1)^2) / 2): no rotation is needed.
//     triangles               the same in their plane, where no stress goes through the membrane
//     hyperelastic            of the material itself: sigma = dW/dF F^T / J
//
// Reads positions as shown and the elements' constants; changes nothing. Plastic strain is not taken off.

#ifndef TACTUS_LAW_STRESS_H
#define TACTUS_LAW_STRESS_H

#include "tactus/component.h"

// Of a symmetric stress, Pa.
double tac_stress_mises(const TacMat3 *stress);

// The stretches of F, that is the roots of the eigenvalues of F^T F, in no order.
void tac_stress_stretches(const TacMat3 *f, double stretch[3]);

// As TacClass has it; nothing for other kinds of numbers.
void tac_tetrahedra_scalars(const void *self, TacScalar what, TacScalarSheet *sheet);
void tac_hexahedra_scalars(const void *self, TacScalar what, TacScalarSheet *sheet);
void tac_hyperelastic_scalars(const void *self, TacScalar what, TacScalarSheet *sheet);
void tac_triangles_scalars(const void *self, TacScalar what, TacScalarSheet *sheet);

#endif
