// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Symmetric matrices of three by three: what turns is asked for through its inertia.

#ifndef TACTUS_MATH_SYMMETRIC_H
#define TACTUS_MATH_SYMMETRIC_H

#include "tactus/math.h"

// The least solution of the symmetric A x = b by its axes (Jacobi rotations); directions that A does not feel are left
// out: a thread does not spin about itself.
TacVec3 tac_solve_symmetric(const TacMat3 *a, TacVec3 b);

#endif
