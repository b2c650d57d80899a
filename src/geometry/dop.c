// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// k-DOPs in floats. See dop.h. Touches nothing but its arguments.

#include "geometry/dop.h"

#include <float.h>

// Lengths of the slanted axes, to corners and to edges of a cube, rounded up.
#define SQRT3 1.7320508075688774
#define SQRT2 1.4142135623730952

bool tac_dop_k_valid(int k) {
    return k == 6 || k == 14 || k == 18 || k == 26;
}

TacDop tac_dop_empty(void) {
    TacDop box;
    for (int i = 0; i < TAC_DOP_MOST; i++) box.reach[i] = -INFINITY;
    return box;
}

// A float not below; what is not a number reaches everywhere. Rounding to a float takes half of 2^-23 at most.
static inline float rounded_up(double x) {
    float up = (float)(x + (fabs(x) * 0x1p-23 + FLT_TRUE_MIN));
    if (up < -FLT_MAX) return -FLT_MAX;
    return up <= INFINITY ? up : INFINITY;
}

// The place of a point along all axes, in their order for k.
static inline void along_axes(double *along, int k, double x, double y, double z) {
    double *edges = along + (k == 18 ? 3 : 7);
    along[0] = x;
    along[1] = y;
    along[2] = z;
    if (k == 14 || k == 26) {
        along[3] = x + y + z;
        along[4] = y + z - x;
        along[5] = x + z - y;
        along[6] = x + y - z;
    }
    if (k < 18) return;
    edges[0] = x + y;
    edges[1] = x - y;
    edges[2] = x + z;
    edges[3] = x - z;
    edges[4] = y + z;
    edges[5] = y - z;
}

static inline double length_of_axis(int k, int axis) {
    if (axis < 3) return 1;
    return k == 18 || axis >= 7 ? SQRT2 : SQRT3;
}

void tac_dop_add_ball(TacDop *box, int k, TacVec3 centre, double radius) {
    double along[TAC_DOP_MOST / 2];
    along_axes(along, k, centre.x, centre.y, centre.z);
    // sums of three round twice, relative to the largest of them
    double doubt = (fabs(centre.x) + fabs(centre.y) + fabs(centre.z)) * 0x1p-51;
    for (int i = 0; i < k / 2; i++) {
        double extent = radius * length_of_axis(k, i);
        extent += extent * 0x1p-51 + doubt;
        float up = rounded_up(along[i] + extent), down = rounded_up(extent - along[i]);
        box->reach[2 * i] = up > box->reach[2 * i] ? up : box->reach[2 * i];
        box->reach[2 * i + 1] = down > box->reach[2 * i + 1] ? down : box->reach[2 * i + 1];
    }
}
