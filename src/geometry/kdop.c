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

// --- edges ------------------------------------------------------------------------------------------------

// A plane of the body: what is inside has dot(normal, x) <= reach.
static TacVec3 plane(const TacKdop *kdop, const TacVec3 *along, int i, double *reach) {
    TacVec3 d = along[i / 2];
    double over = 1 / tac_norm(d), sign = i % 2 ? -1 : 1;
    *reach = over * (i % 2 ? -kdop->low[i / 2] : kdop->high[i / 2]);
    return tac_scale(d, sign * over);
}

// Where two planes meet, less what the others cut off. False: nothing is left.
static bool edge_of(const TacKdop *kdop, const TacVec3 *along, int axes, int i, int j, double size,
                    TacVec3 ends[2]) {
    double p, q, least = -INFINITY, most = INFINITY;
    TacVec3 a = plane(kdop, along, i, &p), b = plane(kdop, along, j, &q), way = tac_cross(a, b);
    double square = tac_dot(way, way);
    if (square < 1e-9) return false;
    // the point of the line nearest to the origin
    TacVec3 at =
        tac_scale(tac_add(tac_scale(tac_cross(b, way), p), tac_scale(tac_cross(way, a), q)), 1 / square);
    way = tac_scale(way, 1 / sqrt(square));
    for (int k = 0; k < 2 * axes; k++) {
        double reach;
        TacVec3 n = plane(kdop, along, k, &reach);
        if (k == i || k == j) continue;
        double slope = tac_dot(n, way), room = reach - tac_dot(n, at);
        if (fabs(slope) < 1e-9) {
            if (room < -1e-9 * size) return false;
        } else if (slope > 0) {
            most = fmin(most, room / slope);
        } else {
            least = fmax(least, room / slope);
        }
    }
    if (!(most - least > 1e-6 * size)) return false;
    ends[0] = tac_axpy(at, least, way);
    ends[1] = tac_axpy(at, most, way);
    return true;
}

size_t tac_kdop_edges(const TacKdop *kdop, const TacVec3 *along, int axes, TacVec3 (*ends)[2], size_t most) {
    size_t n = 0;
    double size = 0;
    for (int i = 0; i < axes; i++) {
        double width = (kdop->high[i] - kdop->low[i]) / tac_norm(along[i]);
        if (!(width >= 0) || !isfinite(width)) return 0;
        size = fmax(size, width);
    }
    for (int i = 0; i < 2 * axes; i++)
        for (int j = i + 1; j < 2 * axes && n < most; j++)
            n += edge_of(kdop, along, axes, i, j, size, ends[n]);
    return n;
}
