// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Where two primitives are nearest to each other, along which direction they push, and how much of the push is theirs: above the
// seams of a face, others have a part of it.

#include "contact/safe_parts.h"
#include "geometry/closest.h"

static inline TacVec3 at(const double q[3]) {
    return tac_load3(q);
}

// The direction between two near points loses what their distance has fewer digits than their places. Where both lie
// inside their primitives it is also that of the cross product of two sides, which loses nothing unless they are
// nearly parallel.
static void sharpen(TacSafeClosest *c, TacVec3 e, TacVec3 f) {
    double longest = tac_larger(tac_dot(e, e), tac_dot(f, f));
    if (c->distance * c->distance > 1e-10 * longest) return;
    TacVec3 n = tac_cross(e, f);
    double size = tac_norm(n), height = size / sqrt(longest);
    if (!(height > c->distance)) return;
    double sign = tac_dot(n, tac_load3(c->normal)) < 0 ? -1 : 1;
    tac_store3(c->normal, tac_scale(n, sign / size));
}

TacSafeClosest tac_safe_closest(const TacSafe *safe, const TacPair *pair, double q[4][3]) {
    TacSafeClosest c = {.weight = {0, 0, 0, 0}, .part = 1};
    const TacPrimitive *a = &safe->primitives[pair->a], *b = &safe->primitives[pair->b];
    if (a->kind == TAC_PRIMITIVE_EDGE) {
        double s, t;
        tac_closest_edges(at(q[0]), at(q[1]), at(q[2]), at(q[3]), &s, &t);
        c.weight[0] = 1 - s;
        c.weight[1] = s;
        c.weight[2] = -(1 - t);
        c.weight[3] = -t;
    } else if (b->kind == TAC_PRIMITIVE_FACE) {
        double w[3];
        tac_closest_point_triangle(at(q[0]), at(q[1]), at(q[2]), at(q[3]), w);
        c.weight[0] = 1;
        for (int k = 0; k < 3; k++) c.weight[k + 1] = -w[k];
    } else if (b->kind == TAC_PRIMITIVE_EDGE) {
        double t;
        tac_closest_point_segment(at(q[0]), at(q[1]), at(q[2]), &t);
        c.weight[0] = 1;
        c.weight[1] = -(1 - t);
        c.weight[2] = -t;
    } else {
        c.weight[0] = 1;
        c.weight[1] = -1;
    }
    // relative to one corner, so that places far from the origin lose nothing
    double n[3] = {0, 0, 0};
    int count = tac_safe_corner_count(a) + tac_safe_corner_count(b);
    for (int i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) n[k] += c.weight[i] * (q[i][k] - q[0][k]);
    c.distance = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double inverse = c.distance > 0 ? 1 / c.distance : 0;
    for (int k = 0; k < 3; k++) c.normal[k] = n[k] * inverse;
    bool inside = true;
    for (int i = 0; i < count; i++) inside = inside && c.weight[i] != 0;
    if (!inside || count < 4) return c;
    TacVec3 last = tac_sub(at(q[3]), at(q[2]));
    if (a->kind == TAC_PRIMITIVE_EDGE)
        sharpen(&c, tac_sub(at(q[1]), at(q[0])), last);
    else
        sharpen(&c, tac_sub(at(q[2]), at(q[1])), last);
    return c;
}

// Of edges that are all but parallel and lie side by side, all places are all but equally near: which is the nearest changes
// with every rounding, and a push that jumps from one end to the other makes what rests tremble. So the push goes to the
// middle of what they share, the farther from it the more the ends differ; nearest to the end where it would be anyway.
static void share_edges(double q[4][3], TacSafeClosest *c) {
    TacVec3 a = at(q[0]), u = tac_sub(at(q[1]), a), b = at(q[2]), v = tac_sub(at(q[3]), b);
    double uu = tac_dot(u, u), vv = tac_dot(v, v), uv = tac_dot(u, v);
    double crossing = 1 - uv * uv / (uu * vv), alike = TAC_SAFE_ALIKE * c->distance;
    if (!(crossing < TAC_SAFE_PARALLEL)) return;
    // along the line between their directions, so that neither is preferred
    TacVec3 between = tac_sub(a, b);
    TacVec3 along = tac_axpy(tac_scale(u, 1 / sqrt(uu)), uv < 0 ? -1 / sqrt(vv) : 1 / sqrt(vv), v);
    double ua = tac_dot(u, along), va = tac_dot(v, along), from = -tac_dot(between, along), to = from + va;
    double place[2] = {tac_larger(tac_smaller(from, to), 0), tac_smaller(tac_larger(from, to), ua)}, s[2],
           t[2], gap[2], farthest = 0;
    for (int i = 0; i < 2; i++) {
        s[i] = tac_smaller(tac_larger(place[i] / ua, 0), 1);
        t[i] = tac_smaller(tac_larger((place[i] - from) / va, 0), 1);
        gap[i] = tac_norm(tac_axpy(tac_axpy(between, s[i], u), -t[i], v));
        farthest = tac_larger(farthest, gap[i]);
    }
    double part = 1 - (farthest - c->distance) / alike;
    if (!(part > 0)) return;
    part *= 1 - crossing / TAC_SAFE_PARALLEL;
    double lean = 0.5 + 0.5 * (gap[0] - gap[1]) / alike; // towards the second end
    double middle_s = s[0] + lean * (s[1] - s[0]), middle_t = t[0] + lean * (t[1] - t[0]);
    double at_s = c->weight[1] + part * (middle_s - c->weight[1]);
    double at_t = -c->weight[3] + part * (middle_t + c->weight[3]);
    c->weight[0] = 1 - at_s;
    c->weight[1] = at_s;
    c->weight[2] = at_t - 1;
    c->weight[3] = -at_t;
    TacVec3 n = tac_axpy(tac_axpy(between, at_s, u), -at_t, v);
    c->distance = tac_norm(n);
    tac_store3(c->normal, tac_scale(n, 1 / c->distance));
}

// How near a part is to that above the seam itself.
static double nearness(double part) {
    return 1 - fabs(2 * part - 1);
}

// Corner k lies between sides k and k + 2.
static double angle_at(double q[4][3], int k) {
    TacVec3 a = at(q[1 + k]), e = tac_sub(at(q[1 + (k + 1) % 3]), a), f = tac_sub(at(q[1 + (k + 2) % 3]), a);
    return atan2(tac_norm(tac_cross(e, f)), tac_dot(e, f));
}

// Whether the closest point is far from all sides of the face, by its weights there.
static bool is_inside(double q[4][3], const TacSafeClosest *c, double far) {
    TacVec3 a = at(q[1]), e = tac_sub(at(q[2]), a), f = tac_sub(at(q[3]), a), g = tac_sub(f, e);
    double least = tac_smaller(tac_smaller(-c->weight[1], -c->weight[2]), -c->weight[3]);
    double longest = tac_larger(tac_larger(tac_dot(e, e), tac_dot(f, f)), tac_dot(g, g)); // its square
    TacVec3 n = tac_cross(e, f);
    return least > 0 && least * least * tac_dot(n, n) > far * far * longest;
}

// In the plane of a face, also beyond its sides.
static void weigh_plane(double q[4][3], TacVec3 normal, double weights[3]) {
    TacVec3 a = at(q[1]), e = tac_sub(at(q[2]), a), f = tac_sub(at(q[3]), a), p = tac_sub(at(q[0]), a);
    double square = tac_dot(normal, normal);
    weights[1] = tac_dot(tac_cross(p, f), normal) / square;
    weights[2] = tac_dot(tac_cross(e, p), normal) / square;
    weights[0] = 1 - weights[1] - weights[2];
}

// Whether the place where a vertex is nearest to a face lies on a seam, all around which there is nothing but one plane.
static bool is_on_seam(const TacSafe *safe, const TacPrimitive *face, const TacSafeClosest *c) {
    int on = 0, corner = 0, side = 0;
    for (int k = 0; k < 3; k++) {
        if (c->weight[1 + k] != 0) {
            on++;
            corner = k;
        } else
            side = (k + 1) % 3;
    }
    if (on == 1) return safe->primitives[face->v[corner]].flat;
    return on == 2 && face->flat_sides >> side & 1;
}

// A vertex beyond a seam is nearest to the seam itself, which lies aslant below it: pushed away from there, all that lies on
// the plane would be driven away from its seams. So a face pushes as if it went on beyond them, from the foot on its plane.
// The gap stays what it is.
static void lean_on_plane(const TacSafe *safe, const TacPrimitive *face, double q[4][3], TacSafeClosest *c) {
    if (!is_on_seam(safe, face, c)) return;
    TacVec3 n = tac_cross(tac_sub(at(q[2]), at(q[1])), tac_sub(at(q[3]), at(q[1])));
    double along = tac_dot(n, tac_load3(c->normal)), size = tac_norm(n), weights[3];
    if (!(fabs(along) > 0.5 * size)) return; // slivers have no plane
    weigh_plane(q, n, weights);
    for (int k = 0; k < 3; k++) c->weight[1 + k] = -weights[k];
    tac_store3(c->normal, tac_scale(n, (along < 0 ? -1 : 1) / size));
}

// Above the seam of a flat part (safe_flat.c) two faces are as near as one, and would push twice as hard as elsewhere on the
// same plane. So each has a part that wanes from one side of the seam to the other. Where seams meet, each of the faces around
// has as much as its angle takes of a full turn.
double tac_safe_part_of_face(const TacSafe *safe, const TacPrimitive *face, double q[4][3],
                             TacSafeClosest *c) {
    double parts[3] = {1, 1, 1}, half = TAC_SAFE_SEAM * c->distance;
    if (is_inside(q, c, TAC_SAFE_SEAM_FAR * c->distance)) return 1;
    for (int k = 0; k < 3; k++) {
        if (!(face->flat_sides >> k & 1)) continue;
        TacVec3 a = at(q[1 + k]), side = tac_sub(at(q[1 + (k + 1) % 3]), a);
        TacVec3 inwards = tac_safe_across(tac_sub(at(q[1 + (k + 2) % 3]), a), side);
        double height = tac_norm(inwards);
        double inside = height > 0 ? tac_dot(tac_sub(at(q[0]), a), inwards) / height : 0;
        parts[k] = tac_smaller(tac_larger(0.5 + 0.5 * inside / half, 0), 1);
    }
    double part = parts[0] * parts[1] * parts[2];
    for (int k = 0; k < 3 && part > 0; k++) {
        double both = nearness(parts[k]) * nearness(parts[(k + 2) % 3]);
        // a quarter, where both are halves, would be right for four faces
        if (both > 0) part *= 1 + both * (angle_at(q, k) * 2 / TAC_PI - 1);
    }
    if (part > 0 && part < 1) lean_on_plane(safe, face, q, c);
    return part;
}

void tac_safe_share(const TacSafe *safe, const TacPair *pair, double q[4][3], TacSafeClosest *c,
                    TacTick now) {
    const TacPrimitive *b = &safe->primitives[pair->b];
    c->part = 1;
    // what loses nothing follows a potential: that of a plane, whatever its seams are, but for edges
    bool loses = safe->types[pair->type].restitution < 1;
    double left = tac_safe_may_lean(safe, pair) ? tac_safe_part_beside(safe, pair, q, c, now) : 1;
    if (b->kind == TAC_PRIMITIVE_EDGE && safe->primitives[pair->a].kind == TAC_PRIMITIVE_EDGE) {
        if (loses) share_edges(q, c);
    } else if (b->flat_sides)
        c->part = tac_safe_part_of_face(safe, b, q, c);
    c->part *= left;
}
