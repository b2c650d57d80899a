// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "math/symmetric.h"

#include <math.h>

TacVec3 tac_solve_symmetric(const TacMat3 *a, TacVec3 b) {
    enum { SWEEPS = 12 };
    const double lost = 1e-12, nothing = 0x1p-64 * (fabs(a->m[0][0]) + fabs(a->m[1][1]) + fabs(a->m[2][2]));
    double s[3][3], axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) s[i][k] = 0.5 * (a->m[i][k] + a->m[k][i]);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (fabs(s[p][q]) <= nothing) continue;
                double theta = (s[q][q] - s[p][p]) / (2 * s[p][q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), d = t * c;
                for (int k = 0; k < 3; k++) {
                    double u = s[k][p], v = s[k][q];
                    s[k][p] = c * u - d * v;
                    s[k][q] = d * u + c * v;
                }
                for (int k = 0; k < 3; k++) {
                    double u = s[p][k], v = s[q][k];
                    s[p][k] = c * u - d * v;
                    s[q][k] = d * u + c * v;
                    double e = axes[k][p], f = axes[k][q];
                    axes[k][p] = c * e - d * f;
                    axes[k][q] = d * e + c * f;
                }
            }
    double most = fmax(fabs(s[0][0]), fmax(fabs(s[1][1]), fabs(s[2][2])));
    TacVec3 x = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        TacVec3 axis = {axes[0][k], axes[1][k], axes[2][k]};
        if (s[k][k] > lost * most) x = tac_axpy(x, tac_dot(axis, b) / s[k][k], axis);
    }
    return x;
}
