// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The larger and the smaller of two numbers where that is asked often: as fmax and fmin say, also of what is no number, but
// without a call.

#ifndef TACTUS_MATH_EXTREMES_H
#define TACTUS_MATH_EXTREMES_H

static inline double tac_larger(double a, double b) {
    return a > b || b != b ? a : b;
}

static inline double tac_smaller(double a, double b) {
    return a < b || b != b ? a : b;
}

#endif
