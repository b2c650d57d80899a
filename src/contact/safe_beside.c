// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs that have nearer ones right beside them.
//
// Where two bodies touch, many pairs of their primitives are near. Some are where the surfaces are nearest to each other, as
// far as one can see from there; others are not: right beside the place, the surface of one side comes nearer still, and
// a pair of what is there is near, too. A corner of a box that sticks out a little over the edge of the one below is pushed
// askew by that edge, though the edges that cross beside it bear all that there is to bear: boxes that stand exactly on each
// other would slide off. So a pair pushes the less, the steeper the surface comes nearer beside it. Friction holds what is
// pushed askew, so where there is some nothing is changed.
//
// The least distance of two surfaces is found where neither comes nearer beside it, so the pair there pushes as a whole:
// the barrier is the same without the others. Only of what keeps its shape, and only where restitution takes from a pair:
// what loses nothing follows a potential.

#include "contact/safe_parts.h"

// How steep, as a sine: from there on nothing is left of a push.
#define STEEP 2e-4

// A place on one side, and the way to the other side.
typedef struct Spot {
    const TacSafe *safe;
    TacTick now;
    const uint32_t *v; // vertices of its primitive
    double (*q)[3];    // where they are
    TacVec3 towards;
} Spot;

static TacVec3 place_of(const Spot *s, uint32_t vertex) {
    double x[3];
    tac_safe_place(s->safe, vertex, s->now, x);
    return tac_load3(x);
}

// How steeply a way leads to the other side.
static double steepness(const Spot *s, TacVec3 way) {
    double square = tac_dot(way, way);
    return square > 0 ? tac_dot(way, s->towards) / sqrt(square) : 0;
}

static uint32_t other_end(const TacPrimitive *edge, uint32_t vertex) {
    return edge->v[edge->v[0] == vertex];
}

// Along the edges around the i-th vertex.
static double beside_vertex(const Spot *s, int i) {
    const TacVertexLore *lore = &s->safe->lore[s->v[i]];
    TacVec3 from = tac_load3(s->q[i]);
    double most = 0;
    for (uint32_t k = 0; k < lore->primitive_count; k++) {
        const TacPrimitive *p = &s->safe->primitives[s->safe->around[lore->first_primitive + k]];
        if (p->kind != TAC_PRIMITIVE_EDGE) continue;
        most = tac_larger(most, steepness(s, tac_sub(place_of(s, other_end(p, s->v[i])), from)));
    }
    return most;
}

// The corner of a face that is not on the edge between two vertices; TAC_SAFE_NONE: it does not have that edge.
static uint32_t third_corner(const TacPrimitive *face, uint32_t a, uint32_t b) {
    uint32_t third = TAC_SAFE_NONE;
    int on = 0;
    for (int i = 0; i < 3; i++) {
        bool end = face->v[i] == a || face->v[i] == b;
        on += end;
        if (!end) third = face->v[i];
    }
    return on == 2 ? third : TAC_SAFE_NONE;
}

// Across the faces on the edge between the i-th vertex and the k-th.
static double beside_edge(const Spot *s, int i, int k) {
    const TacVertexLore *lore = &s->safe->lore[s->v[i]];
    TacVec3 from = tac_load3(s->q[i]), edge = tac_sub(tac_load3(s->q[k]), from);
    double most = 0;
    for (uint32_t n = lore->primitive_count; n > 0; n--) {
        const TacPrimitive *p = &s->safe->primitives[s->safe->around[lore->first_primitive + n - 1]];
        if (p->kind != TAC_PRIMITIVE_FACE) break; // they come last
        uint32_t third = third_corner(p, s->v[i], s->v[k]);
        if (third == TAC_SAFE_NONE) continue;
        TacVec3 way = tac_sub(place_of(s, third), from);
        most = tac_larger(most, steepness(s, tac_safe_across(way, edge)));
    }
    return most;
}

// Of a place with these weights on a primitive: on which of its features it is.
static double beside(const Spot *s, const double *weight, int count) {
    int on[3], n = 0;
    for (int i = 0; i < count; i++)
        if (weight[i] != 0) on[n++] = i;
    return n == 1 ? beside_vertex(s, on[0]) : n == 2 ? beside_edge(s, on[0], on[1]) : 0;
}

// Above the inside of a face, what is pushed straight away from it is not pushed askew.
static bool is_above(int na, int n, const TacSafeClosest *closest) {
    bool above = na == 1 && n == 4;
    for (int i = 1; i < n; i++) above = above && closest->weight[i] != 0;
    return above;
}

double tac_safe_part_beside(const TacSafe *safe, const TacPair *pair, double q[4][3],
                            const TacSafeClosest *closest, TacTick now) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, pair, v, &na);
    if (is_above(na, n, closest)) return 1;
    // a direction that may be wrong by rounding says nothing
    double size = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) size = tac_larger(size, fabs(q[i][k]));
    if (!(1e-14 * size < 0.01 * STEEP * closest->distance)) return 1;
    TacVec3 normal = tac_load3(closest->normal);
    Spot one = {safe, now, v, q, tac_scale(normal, -1)}, other = {safe, now, v + na, q + na, normal};
    double steepest =
        tac_larger(beside(&one, closest->weight, na), beside(&other, closest->weight + na, n - na));
    return steepest < STEEP ? 1 - steepest / STEEP : 0;
}
