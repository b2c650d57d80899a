// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See element_fit.h.

#include "map/element_fit.h"
#include "base/memory.h"
#include "geometry/topology.h"

// A tetrahedron with less volume than this, in cubes of its longest side, counts as flat.
static const double flat = 1e-12;

// Trilinear coordinates this little outside of the unit cube are inside.
static const double rounding = 1e-10;

static double distance2(TacVec3 a, TacVec3 b) {
    TacVec3 d = tac_sub(a, b);
    return tac_dot(d, d);
}

// --- closest points ---------------------------------------------------------------------------------------

static double closest_on_edge(TacVec3 a, TacVec3 b, TacVec3 p, double weights[2]) {
    TacVec3 ab = tac_sub(b, a);
    double length2 = tac_dot(ab, ab);
    double t = length2 > 0 ? tac_dot(tac_sub(p, a), ab) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    weights[0] = 1 - t;
    weights[1] = t;
    return distance2(p, tac_axpy(a, t, ab));
}

static double closest_on_border(const TacVec3 c[3], TacVec3 p, double weights[3]) {
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        double w[2], d = closest_on_edge(c[k], c[(k + 1) % 3], p, w);
        if (d >= best) continue;
        best = d;
        weights[k] = w[0];
        weights[(k + 1) % 3] = w[1];
        weights[(k + 2) % 3] = 0;
    }
    return best;
}

// Inside the prism over the triangle the closest point is the foot of the normal; outside it is on a side.
static double closest_on_triangle(const TacVec3 c[3], TacVec3 p, double weights[3]) {
    TacVec3 ab = tac_sub(c[1], c[0]), ac = tac_sub(c[2], c[0]), ap = tac_sub(p, c[0]);
    TacVec3 normal = tac_cross(ab, ac);
    double area2 = tac_dot(normal, normal);
    if (!(area2 > 0)) return closest_on_border(c, p, weights);
    double v = tac_dot(tac_cross(ap, ac), normal) / area2;
    double w = tac_dot(tac_cross(ab, ap), normal) / area2;
    double u = 1 - v - w;
    if (!(u >= 0 && v >= 0 && w >= 0)) return closest_on_border(c, p, weights);
    weights[0] = u;
    weights[1] = v;
    weights[2] = w;
    return distance2(p, tac_add(c[0], tac_add(tac_scale(ab, v), tac_scale(ac, w))));
}

static double smallest(const double *weights, int count) {
    double least = weights[0];
    for (int k = 1; k < count; k++) least = fmin(least, weights[k]);
    return least;
}

// --- surfaces and lines -----------------------------------------------------------------------------------

static void fit_quad(const TacVec3 c[4], TacVec3 p, TacFit *fit) {
    static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (int h = 0; h < 2; h++) {
        TacVec3 half[3];
        double w[3];
        for (int k = 0; k < 3; k++) half[k] = c[halves[h][k]];
        double d = closest_on_triangle(half, p, w);
        if (h == 1 && d >= fit->distance2) continue;
        fit->distance2 = d;
        fit->least = smallest(w, 3);
        memset(fit->weights, 0, sizeof fit->weights);
        for (int k = 0; k < 3; k++) fit->weights[halves[h][k]] = w[k];
    }
}

// --- volumes ----------------------------------------------------------------------------------------------

static bool barycentric(const TacVec3 c[4], TacVec3 p, TacFit *fit) {
    TacVec3 a = tac_sub(c[1], c[0]), b = tac_sub(c[2], c[0]), d = tac_sub(c[3], c[0]), r = tac_sub(p, c[0]);
    TacVec3 normal = tac_cross(a, b);
    double volume = tac_dot(normal, d);
    double size2 = fmax(tac_dot(a, a), fmax(tac_dot(b, b), tac_dot(d, d)));
    if (!(fabs(volume) > flat * size2 * sqrt(size2))) return false;
    double *w = fit->weights;
    w[1] = tac_dot(r, tac_cross(b, d)) / volume;
    w[2] = tac_dot(r, tac_cross(d, a)) / volume;
    w[3] = tac_dot(r, normal) / volume;
    w[0] = 1 - w[1] - w[2] - w[3];
    fit->least = smallest(w, 4);
    fit->distance2 = 0;
    return true;
}

static bool fit_tetrahedron(const TacVec3 c[4], TacVec3 p, TacFit *fit) {
    if (!barycentric(c, p, fit)) return false;
    if (fit->least >= 0) return true;
    // the closest point lies on a face that is seen from p: one whose opposite corner has a negative weight
    fit->distance2 = INFINITY;
    for (int k = 0; k < 4; k++) {
        if (fit->weights[k] >= 0) continue;
        const TacVec3 face[3] = {c[(k + 1) % 4], c[(k + 2) % 4], c[(k + 3) % 4]};
        double unused[3], here = closest_on_triangle(face, p, unused);
        if (here < fit->distance2) fit->distance2 = here;
    }
    return true;
}

// Corners of the unit cube in the order of a hexahedron.
static const int cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                               {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static void trilinear(const double u[3], double weights[8]) {
    for (int k = 0; k < 8; k++) {
        double w = 1;
        for (int a = 0; a < 3; a++) w *= cube[k][a] ? u[a] : 1 - u[a];
        weights[k] = w;
    }
}

static TacVec3 mix(const TacVec3 *c, const double *weights, int count) {
    TacVec3 sum = {0, 0, 0};
    for (int k = 0; k < count; k++) sum = tac_axpy(sum, weights[k], c[k]);
    return sum;
}

// The derivatives of the trilinear position, as columns.
static TacMat3 trilinear_slope(const TacVec3 c[8], const double u[3]) {
    TacMat3 m = {{{0}}};
    for (int k = 0; k < 8; k++)
        for (int a = 0; a < 3; a++) {
            double w = cube[k][a] ? 1 : -1;
            for (int b = 0; b < 3; b++)
                if (b != a) w *= cube[k][b] ? u[b] : 1 - u[b];
            m.m[0][a] += w * c[k].x;
            m.m[1][a] += w * c[k].y;
            m.m[2][a] += w * c[k].z;
        }
    return m;
}

// Coordinates in the unit cube whose trilinear position is p; false where Newton's method does not get there.
static bool invert_trilinear(const TacVec3 c[8], TacVec3 p, double u[3]) {
    enum { MOST_PASSES = 20 };
    const double farthest = 3; // from the middle; nobody wants to extrapolate that far
    double size2 = 0;
    for (int k = 1; k < 8; k++) size2 = fmax(size2, distance2(c[0], c[k]));
    double size = sqrt(size2);
    u[0] = u[1] = u[2] = 0.5;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        TacMat3 slope = trilinear_slope(c, u);
        if (!(fabs(tac_mat3_det(&slope)) > flat * size * size2)) return false;
        double weights[8];
        trilinear(u, weights);
        TacMat3 inverse = tac_mat3_inverse(&slope);
        TacVec3 step = tac_mat3_apply(&inverse, tac_sub(p, mix(c, weights, 8)));
        u[0] += step.x;
        u[1] += step.y;
        u[2] += step.z;
        if (!(fabs(u[0] - 0.5) < farthest && fabs(u[1] - 0.5) < farthest && fabs(u[2] - 0.5) < farthest))
            return false;
        if (fabs(step.x) + fabs(step.y) + fabs(step.z) < 1e-13) break;
    }
    double weights[8];
    trilinear(u, weights);
    return distance2(p, mix(c, weights, 8)) <= 1e-26 * size2;
}

static bool fit_pieces(const TacVec3 c[8], TacVec3 p, TacFit *fit) {
    bool any = false;
    for (int t = 0; t < 6; t++) {
        TacVec3 piece[4];
        for (int k = 0; k < 4; k++) piece[k] = c[tac_hexahedron_pieces[t][k]];
        TacFit here;
        if (!fit_tetrahedron(piece, p, &here)) continue;
        bool nearer = !any || here.distance2 < fit->distance2;
        if (!nearer && !(here.distance2 == fit->distance2 && here.least > fit->least)) continue;
        any = true;
        fit->distance2 = here.distance2;
        fit->least = here.least;
        memset(fit->weights, 0, sizeof fit->weights);
        for (int k = 0; k < 4; k++) fit->weights[tac_hexahedron_pieces[t][k]] = here.weights[k];
    }
    return any;
}

// How deep the trilinear coordinates lie inside the unit cube.
static double depth_in_cube(const double u[3]) {
    double least = INFINITY;
    for (int a = 0; a < 3; a++) least = fmin(least, fmin(u[a], 1 - u[a]));
    return least;
}

static bool fit_hexahedron(const TacVec3 c[8], TacVec3 p, TacFit *fit) {
    const double reach = 0.5; // of trilinear weights outside
    double u[3], least = invert_trilinear(c, p, u) ? depth_in_cube(u) : -INFINITY;
    if (least < -rounding && !fit_pieces(c, p, fit)) return false;
    if (least < -reach) return true;
    trilinear(u, fit->weights);
    fit->least = least;
    return true;
}

bool tac_element_contains(TacElement kind, const TacVec3 corners[8], TacVec3 p, TacFit *fit) {
    memset(fit, 0, sizeof *fit);
    if (kind == TAC_TETRAHEDRA) return barycentric(corners, p, fit) && fit->least >= 0;
    if (kind != TAC_HEXAHEDRA) return false;
    double u[3];
    if (!invert_trilinear(corners, p, u) || depth_in_cube(u) < 0) return false;
    trilinear(u, fit->weights);
    fit->least = depth_in_cube(u);
    return true;
}

bool tac_element_fit(TacElement kind, const TacVec3 corners[8], TacVec3 p, TacFit *fit) {
    memset(fit, 0, sizeof *fit);
    switch (kind) {
    case TAC_TETRAHEDRA: return fit_tetrahedron(corners, p, fit);
    case TAC_HEXAHEDRA: return fit_hexahedron(corners, p, fit);
    case TAC_QUADS: fit_quad(corners, p, fit); return true;
    case TAC_TRIANGLES:
        fit->distance2 = closest_on_triangle(corners, p, fit->weights);
        fit->least = smallest(fit->weights, 3);
        return true;
    default:
        fit->distance2 = closest_on_edge(corners[0], corners[1], p, fit->weights);
        fit->least = smallest(fit->weights, 2);
        return true;
    }
}
