// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The point of a segment, triangle or tetrahedron nearest to the origin (regions as in C. Ericson, Real-Time
// Collision Detection, 2005, ch. 5). Flat tetrahedra and thin triangles fall back to their faces and edges.

#include "geometry/gjk.h"

// A tetrahedron whose height is less than this fraction of its edge counts as flat.
#define FLAT 1e-13

// Two ways to the same point that differ by less, as a fraction of the triangle and its distance, agree.
#define THIN 1e-11

typedef struct Nearest {
    TacVec3 v;
    double square;
    int count;
    int corner[3];
    double weight[3];
} Nearest;

static Nearest on_vertex(const TacSimplex *s, int i) {
    TacVec3 v = s->corner[i].w;
    return (Nearest){v, tac_dot(v, v), 1, {i, 0, 0}, {1, 0, 0}};
}

static Nearest on_segment(const TacSimplex *s, int i, int j) {
    TacVec3 a = s->corner[i].w, b = s->corner[j].w, ab = tac_sub(b, a);
    double along_a = -tac_dot(a, ab), along_b = tac_dot(b, ab);
    if (along_a <= 0) return on_vertex(s, i);
    if (along_b <= 0) return on_vertex(s, j);
    double t = along_a / (along_a + along_b);
    // from the nearer end, so that rounding is small where the result is small
    TacVec3 v = t <= 0.5 ? tac_axpy(a, t, ab) : tac_axpy(b, t - 1, ab);
    return (Nearest){v, tac_dot(v, v), 2, {i, j, 0}, {1 - t, t, 0}};
}

static Nearest nearer(Nearest a, Nearest b) {
    return b.square < a.square ? b : a;
}

static Nearest on_edges(const TacSimplex *s, int i, int j, int k) {
    return nearer(nearer(on_segment(s, i, j), on_segment(s, j, k)), on_segment(s, k, i));
}

static Nearest on_triangle(const TacSimplex *s, int i, int j, int k) {
    TacVec3 a = s->corner[i].w, b = s->corner[j].w, c = s->corner[k].w;
    TacVec3 ab = tac_sub(b, a), ac = tac_sub(c, a), n = tac_cross(ab, ac);
    double nn = tac_dot(n, n);
    // areas of the three parts that the origin's projection makes
    double wa = tac_dot(n, tac_cross(b, c)), wb = tac_dot(n, tac_cross(c, a)),
           wc = tac_dot(n, tac_cross(a, b));
    if (!(wa > 0 && wb > 0 && wc > 0 && nn > 0)) return on_edges(s, i, j, k);
    double sum = wa + wb + wc;
    Nearest inner = {.count = 3, .corner = {i, j, k}, .weight = {wa / sum, wb / sum, wc / sum}};
    // by the plane it is more exact; on a thin triangle, whose plane is uncertain, only the weights are safe
    TacVec3 v = tac_scale(n, tac_dot(n, a) / nn);
    TacVec3 mean = tac_axpy(tac_axpy(a, inner.weight[1], ab), inner.weight[2], ac), off = tac_sub(v, mean);
    double size = tac_dot(a, a) + tac_dot(ab, ab) + tac_dot(ac, ac);
    inner.v = tac_dot(off, off) <= THIN * THIN * size ? v : mean;
    inner.square = tac_dot(inner.v, inner.v);
    return inner;
}

static Nearest on_tetrahedron(const TacSimplex *s, bool *inside) {
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    Nearest best = {.square = INFINITY};
    for (int f = 0; f < 4; f++) {
        TacVec3 a = s->corner[faces[f][0]].w;
        TacVec3 ab = tac_sub(s->corner[faces[f][1]].w, a), ac = tac_sub(s->corner[faces[f][2]].w, a);
        TacVec3 ad = tac_sub(s->corner[faces[f][3]].w, a), n = tac_cross(ab, ac);
        double origin = -tac_dot(n, a), opposite = tac_dot(n, ad);
        bool flat = opposite * opposite <= FLAT * FLAT * tac_dot(n, n) * tac_dot(ad, ad);
        if (flat || origin * opposite < 0) {
            Nearest face = on_triangle(s, faces[f][0], faces[f][1], faces[f][2]);
            if (face.square < best.square) best = face;
        }
    }
    *inside = best.count == 0;
    return best;
}

TacVec3 tac_simplex_nearest(TacSimplex *simplex, bool *inside) {
    *inside = false;
    Nearest best;
    switch (simplex->count) {
    case 1: best = on_vertex(simplex, 0); break;
    case 2: best = on_segment(simplex, 0, 1); break;
    case 3: best = on_triangle(simplex, 0, 1, 2); break;
    default: best = on_tetrahedron(simplex, inside); break;
    }
    if (*inside) return tac_vec3(0, 0, 0);
    TacSimplex old = *simplex;
    simplex->count = best.count;
    for (int i = 0; i < best.count; i++) {
        simplex->corner[i] = old.corner[best.corner[i]];
        simplex->weight[i] = best.weight[i];
    }
    return best.v;
}
