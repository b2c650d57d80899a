// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "geometry/kdop.h"

// Axes, then the diagonals of a cube, then those of its faces.
static const double directions[TAC_KDOP_AXES][3] = {
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 1},  {1, 1, -1}, {1, -1, 1}, {1, -1, -1},
    {1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

enum { EDGES = 7 }; // the first of the last group

int tac_kdop_axes(int k) {
    return k == 6 || k == 14 || k == 18 || k == 26 ? k / 2 : 0;
}

// 18-DOPs leave out the diagonals of the cube.
static const double *direction(int axes, int i) {
    return directions[axes == 9 && i >= 3 ? i + EDGES - 3 : i];
}

TacVec3 tac_kdop_axis(int axes, int i) {
    return tac_load3(direction(axes, i));
}

double tac_kdop_axis_length(int axes, int i) {
    return tac_norm(tac_kdop_axis(axes, i));
}

void tac_kdop_clear(TacKdop *kdop) {
    for (int i = 0; i < TAC_KDOP_AXES; i++) {
        kdop->low[i] = INFINITY;
        kdop->high[i] = -INFINITY;
    }
}

static void add_interval(TacKdop *kdop, int i, double low, double high) {
    if (low < kdop->low[i]) kdop->low[i] = low;
    if (high > kdop->high[i]) kdop->high[i] = high;
}

void tac_kdop_add_ball(TacKdop *kdop, int axes, TacVec3 centre, double radius) {
    for (int i = 0; i < axes; i++) {
        TacVec3 d = tac_kdop_axis(axes, i);
        double at = tac_dot(d, centre), r = i < 3 ? radius : radius * tac_norm(d);
        add_interval(kdop, i, at - r, at + r);
    }
}

void tac_kdop_grow(TacKdop *kdop, int axes, double margin) {
    for (int i = 0; i < axes; i++) {
        double m = i < 3 ? margin : margin * tac_kdop_axis_length(axes, i);
        kdop->low[i] -= m;
        kdop->high[i] += m;
    }
}
