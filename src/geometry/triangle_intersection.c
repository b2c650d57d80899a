// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Do edges and triangles meet: exact predicates. See tactus/ccd.h.
//
// Every answer is made of exact signs of determinants (geometry/exact.h) and of comparisons of coordinates,
// so there is nothing to tune. Coplanar things are looked at along an axis along which their plane does not
// collapse; collinear ones in the lexicographic order of their points, which is their order on the line.
// Touches nothing but its arguments.

#include "tactus/ccd.h"

#include "geometry/exact.h"

// --- predicates -------------------------------------------------------------------------------------------

// The sign of a turn, seen along an axis.
static int turn(int axis, TacVec3 a, TacVec3 b, TacVec3 c) {
    double flat[3][2];
    const TacVec3 points[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        const double p[3] = {points[i].x, points[i].y, points[i].z};
        flat[i][0] = p[(axis + 1) % 3];
        flat[i][1] = p[(axis + 2) % 3];
    }
    return exact_orient2d(flat[0], flat[1], flat[2]);
}

int tac_orient3d(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d) {
    const double pa[3] = {a.x, a.y, a.z}, pb[3] = {b.x, b.y, b.z}, pc[3] = {c.x, c.y, c.z},
                 pd[3] = {d.x, d.y, d.z};
    // |a-d b-d c-d| is negative on the normal's side
    return -exact_orient3d(pa, pb, pc, pd);
}

static bool comes_before(TacVec3 a, TacVec3 b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

// Edges ab and cd on one line.
static bool overlap_on_line(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d) {
    TacVec3 low1 = comes_before(b, a) ? b : a, high1 = comes_before(b, a) ? a : b;
    TacVec3 low2 = comes_before(d, c) ? d : c, high2 = comes_before(d, c) ? c : d;
    return !comes_before(high1, low2) && !comes_before(high2, low1);
}

static bool same_side(int s, int t) {
    return s * t > 0;
}

bool tac_edges_meet(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 d) {
    if (tac_orient3d(a, b, c, d) != 0) return false;
    for (int axis = 0; axis < 3; axis++) {
        int abc = turn(axis, a, b, c), abd = turn(axis, a, b, d);
        int cda = turn(axis, c, d, a), cdb = turn(axis, c, d, b);
        // seen along this axis their plane is a plane
        if (abc || abd || cda || cdb) return !same_side(abc, abd) && !same_side(cda, cdb);
    }
    return overlap_on_line(a, b, c, d);
}

// An axis along which the triangle keeps its area; -1 when it has none.
static int open_axis(const TacVec3 t[3]) {
    for (int axis = 0; axis < 3; axis++)
        if (turn(axis, t[0], t[1], t[2])) return axis;
    return -1;
}

// p in the plane of the triangle, which keeps its area along the axis.
static bool inside_seen_along(int axis, TacVec3 p, const TacVec3 t[3]) {
    int s[3] = {turn(axis, t[0], t[1], p), turn(axis, t[1], t[2], p), turn(axis, t[2], t[0], p)};
    return !same_side(s[0], -s[1]) && !same_side(s[1], -s[2]) && !same_side(s[2], -s[0]);
}

// Does ab meet one of the triangle's three sides?
static bool meets_rim(TacVec3 a, TacVec3 b, const TacVec3 t[3]) {
    return tac_edges_meet(a, b, t[0], t[1]) || tac_edges_meet(a, b, t[1], t[2]) ||
           tac_edges_meet(a, b, t[2], t[0]);
}

bool tac_point_meets_triangle(TacVec3 p, const TacVec3 triangle[3]) {
    if (tac_orient3d(triangle[0], triangle[1], triangle[2], p) != 0) return false;
    int axis = open_axis(triangle);
    return axis >= 0 ? inside_seen_along(axis, p, triangle) : meets_rim(p, p, triangle);
}

bool tac_edge_meets_triangle(TacVec3 a, TacVec3 b, const TacVec3 triangle[3]) {
    const TacVec3 *t = triangle;
    int side_a = tac_orient3d(t[0], t[1], t[2], a), side_b = tac_orient3d(t[0], t[1], t[2], b);
    if (same_side(side_a, side_b)) return false;

    // coplanar: across the rim, or wholly inside
    if (side_a == 0 && side_b == 0) return tac_point_meets_triangle(a, t) || meets_rim(a, b, t);

    // the line ab passes all three sides on the same side, or touches them
    int s[3] = {tac_orient3d(a, b, t[0], t[1]), tac_orient3d(a, b, t[1], t[2]),
                tac_orient3d(a, b, t[2], t[0])};
    return !same_side(s[0], -s[1]) && !same_side(s[1], -s[2]) && !same_side(s[2], -s[0]);
}

bool tac_triangles_meet(const TacVec3 first[3], const TacVec3 second[3]) {
    for (int i = 0; i < 3; i++) {
        if (tac_edge_meets_triangle(first[i], first[(i + 1) % 3], second)) return true;
        if (tac_edge_meets_triangle(second[i], second[(i + 1) % 3], first)) return true;
    }
    return false;
}
