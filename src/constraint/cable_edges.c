// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "constraint/cable_edges.h"
#include "base/memory.h"
#include "geometry/half_edges.h"

#include <math.h>

static const double CONVEX = 1e-6; // rad: less than that is flat
// Of a body's size: as deep as an end of a piece may be (cable_faces.h, rule 3); how deep under an edge is next to nothing, and
// beyond which depth a line is not lifted onto it.
static const double SUNK = 1e-3, UNDER = 1e-5, LIFT = 0.05;
static const double CORNER = 1e-3; // of an edge: so near to its ends nodes slip over corners by themselves

static TacVec3 least(TacVec3 a, TacVec3 b) {
    return tac_vec3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static TacVec3 most(TacVec3 a, TacVec3 b) {
    return tac_vec3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static bool apart(TacVec3 low, TacVec3 high, TacVec3 other_low, TacVec3 other_high) {
    return low.x > other_high.x || low.y > other_high.y || low.z > other_high.z || high.x < other_low.x ||
           high.y < other_low.y || high.z < other_low.z;
}

// --- the edges of a mesh ------------------------------------------------------------------------------------

static TacVec3 point_of(const TacMesh *mesh, int32_t i) {
    return tac_load3(mesh->points + 3 * (size_t)i);
}

static TacVec3 normal_of(const TacMesh *mesh, const int32_t *t) {
    TacVec3 a = point_of(mesh, t[0]);
    TacVec3 n = tac_cross(tac_sub(point_of(mesh, t[1]), a), tac_sub(point_of(mesh, t[2]), a));
    double length = tac_norm(n);
    return length > 0 ? tac_scale(n, 1 / length) : tac_vec3(0, 0, 0);
}

// The corner of a triangle that is not on an edge.
static TacVec3 third_of(const TacMesh *mesh, const int32_t *t, const TacHalfEdge *h) {
    for (int k = 0; k < 3; k++)
        if ((uint32_t)t[k] != h->low && (uint32_t)t[k] != h->high) return point_of(mesh, t[k]);
    return point_of(mesh, t[0]);
}

// False where the surface is flat or hollow.
static bool make_edge(const TacMesh *mesh, const int32_t *triangles, const TacHalfEdge *sides, size_t n,
                      TacCableEdge *edge) {
    TacVec3 a = point_of(mesh, (int32_t)sides[0].low), b = point_of(mesh, (int32_t)sides[0].high);
    *edge = (TacCableEdge){.start = a, .along = tac_sub(b, a), .low = least(a, b), .high = most(a, b)};
    double length = tac_norm(edge->along);
    if (!(length > 0)) return false;
    if (n != 2) {
        // away from its face, or its faces, and in their plane
        for (size_t i = 0; i < n; i++) {
            TacVec3 d = tac_sub(third_of(mesh, triangles + 3 * sides[i].face, &sides[i]), a);
            d = tac_axpy(d, -tac_dot(d, edge->along) / (length * length), edge->along);
            if (tac_norm(d) > 0) edge->normal[0] = tac_axpy(edge->normal[0], -1 / tac_norm(d), d);
        }
        edge->rim = true;
        return true;
    }
    for (int k = 0; k < 2; k++) edge->normal[k] = normal_of(mesh, triangles + 3 * sides[k].face);
    if (sides[0].forward == sides[1].forward) edge->normal[1] = tac_scale(edge->normal[1], -1); // wound askew
    TacVec3 other = tac_sub(third_of(mesh, triangles + 3 * sides[1].face, &sides[1]), a);
    double far = tac_norm(tac_cross(other, edge->along)) / length;
    return tac_dot(other, edge->normal[0]) < -CONVEX * far;
}

static TacStatus list_edges(TacCableEdges *edges, const TacMesh *mesh, const int32_t *triangles,
                            TacHalfEdge *sides, size_t count, TacSetup *setup, TacError *error) {
    tac_half_edges_sort(sides, count);
    TacCableEdge edge;
    for (int pass = 0; pass < 2; pass++) {
        edges->count = 0;
        for (size_t i = 0, end; i < count; i = end) {
            end = tac_half_edges_end(sides, count, i);
            if (!make_edge(mesh, triangles, sides + i, end - i, &edge)) continue;
            edges->low = edges->count ? least(edges->low, edge.low) : edge.low;
            edges->high = edges->count ? most(edges->high, edge.high) : edge.high;
            if (edges->list) edges->list[edges->count] = edge;
            edges->count++;
        }
        if (pass == 0) edges->list = tac_setup_alloc(setup, edges->count, sizeof *edges->list);
        if (!edges->list && edges->count) return tac_fail_memory(error, edges->count * sizeof *edges->list);
    }
    return TAC_OK;
}

TacStatus tac_cable_edges_find(TacCableEdges *edges, const TacMesh *mesh, TacSetup *setup, TacError *error) {
    int32_t *triangles = NULL;
    size_t count = 0;
    *edges = (TacCableEdges){0};
    TAC_TRY(tac_mesh_surface(mesh, &triangles, &count, error));
    TacHalfEdge *sides = calloc(3 * count + 1, sizeof *sides);
    TacStatus status = TAC_OK;
    if (!sides) {
        status = tac_fail_memory(error, 3 * count * sizeof *sides);
    } else {
        size_t n = tac_half_edges_list(sides, triangles, count, 3, 0);
        status = list_edges(edges, mesh, triangles, sides, n, setup, error);
    }
    free(sides);
    free(triangles);
    return status;
}

// --- meetings -----------------------------------------------------------------------------------------------

static TacVec3 between(const TacVec3 *ends, double t) {
    return tac_axpy(tac_scale(ends[0], 1 - t), t, ends[1]);
}

// Rule 1. `d` is the line, `at` which part of it meets the edge, `w` how it moves there.
static bool comes_from_outside(const TacCableEdge *e, TacVec3 d, double at, TacVec3 w, double sunk) {
    TacVec3 n = tac_add(e->normal[0], e->normal[1]);
    if (tac_dot(n, n) == 0) return true;
    double a = tac_dot(e->normal[0], d), b = tac_dot(e->normal[1], d);
    // one of its ends is within the wedge, so deep below the nearer face
    double deep = fmin(fabs(a), fabs(b)) * (a > 0 ? at : 1 - at);
    if (!e->rim && a * b > 1e-8 * tac_dot(d, d) && deep > sunk) return false;
    TacVec3 across = tac_cross(d, e->along);
    return tac_dot(across, w) * tac_dot(across, n) < 0;
}

// Whether the piece, at a time at which it lies in a plane with an edge, meets it.
static bool meets_at(const TacCableEdge *e, const TacCablePiece *piece, double sunk, double t,
                     TacCableMeeting *m) {
    TacVec3 p = between(piece->p, t), d = tac_sub(between(piece->q, t), p), r = tac_sub(e->start, p);
    double dd = tac_dot(d, d), ee = tac_dot(e->along, e->along), de = tac_dot(d, e->along);
    double across = dd * ee - de * de;
    if (!(across > 1e-14 * dd * ee)) return false; // along the edge
    double rd = tac_dot(r, d), re = tac_dot(r, e->along);
    double at = (rd * ee - re * de) / across, part = (rd * de - re * dd) / across;
    const double rim = 1e-9; // so that nothing slips between edges that end in one point
    if (at < -rim || at > 1 + rim || part < -rim || part > 1 + rim) return false;
    at = fmin(fmax(at, 0), 1);
    // where a node holds it, next to the corner in which several edges end, it always touches them
    double touch = rim * sqrt(ee / dd);
    if ((at < touch && piece->except_p != SIZE_MAX) || (at > 1 - touch && piece->except_q != SIZE_MAX))
        return false;
    TacVec3 w =
        tac_axpy(tac_scale(tac_sub(piece->p[1], piece->p[0]), 1 - at), at, tac_sub(piece->q[1], piece->q[0]));
    if (!comes_from_outside(e, d, at, w, sunk)) return false;
    *m = (TacCableMeeting){.time = t, .part = fmin(fmax(part, 0), 1), .at = at};
    return true;
}

// Roots of a quadratic, in order; returns how many.
static int roots_of(double c0, double c1, double c2, double *roots) {
    double size = fabs(c0) + fabs(c1) + fabs(c2);
    if (size == 0) return 0;
    if (fabs(c2) < 1e-14 * size) {
        if (c1 == 0) return 0;
        roots[0] = -c0 / c1;
        return 1;
    }
    double under = c1 * c1 - 4 * c0 * c2;
    if (under < 0) return 0;
    double q = -0.5 * (c1 + (c1 < 0 ? -1 : 1) * sqrt(under));
    double a = q / c2, b = q != 0 ? c0 / q : a;
    roots[0] = fmin(a, b);
    roots[1] = fmax(a, b);
    return 2;
}

static bool meets_edge(const TacCableEdge *e, const TacCablePiece *piece, double sunk, TacCableMeeting *m) {
    TacVec3 d0 = tac_sub(piece->q[0], piece->p[0]), d1 = tac_sub(tac_sub(piece->q[1], piece->p[1]), d0);
    TacVec3 r0 = tac_sub(e->start, piece->p[0]), r1 = tac_sub(piece->p[0], piece->p[1]);
    TacVec3 x0 = tac_cross(e->along, r0), x1 = tac_cross(e->along, r1);
    double roots[2], c0 = tac_dot(d0, x0), c1 = tac_dot(d0, x1) + tac_dot(d1, x0), c2 = tac_dot(d1, x1);
    // it may lie against the edge already, but for rounding
    double t = piece->from, size = tac_norm(tac_cross(tac_axpy(d0, t, d1), e->along));
    double far = tac_norm(piece->p[0]) + tac_norm(piece->q[0]);
    if (fabs(c0 + t * (c1 + t * c2)) < 1e-12 * far * size && meets_at(e, piece, sunk, t, m)) return true;
    int n = roots_of(c0, c1, c2, roots);
    for (int k = 0; k < n; k++)
        if (roots[k] >= piece->from - 1e-12 && roots[k] <= 1 &&
            meets_at(e, piece, sunk, fmax(roots[k], 0), m))
            return true;
    return false;
}

bool tac_cable_edges_meet(const TacCableEdges *edges, const TacCablePiece *piece, TacCableMeeting *meeting) {
    TacVec3 low = least(least(piece->p[0], piece->p[1]), least(piece->q[0], piece->q[1]));
    TacVec3 high = most(most(piece->p[0], piece->p[1]), most(piece->q[0], piece->q[1]));
    bool found = false;
    // what lies on a face is not quite there, in numbers
    double margin = 1e-9 * (tac_norm(edges->low) + tac_norm(edges->high) + tac_norm(low) + tac_norm(high));
    low = tac_sub(low, tac_vec3(margin, margin, margin));
    high = tac_add(high, tac_vec3(margin, margin, margin));
    if (!edges->count || apart(low, high, edges->low, edges->high)) return false;
    TacVec3 extent = tac_sub(edges->high, edges->low);
    double sunk = SUNK * fmax(extent.x, fmax(extent.y, extent.z));
    for (size_t i = 0; i < edges->count; i++) {
        const TacCableEdge *e = &edges->list[i];
        TacCableMeeting m;
        if (i == piece->except_p || i == piece->except_q || apart(low, high, e->low, e->high)) continue;
        if (!meets_edge(e, piece, sunk, &m) || (found && m.time >= meeting->time)) continue;
        *meeting = m;
        meeting->edge = i;
        found = true;
    }
    return found;
}

// How deep the straight line from p along d passes under an edge, from outside of one of its faces to outside of the other, but for
// what ends may have sunk; 0: it does not.
static double depth_under(const TacCableEdge *e, TacVec3 p, TacVec3 d, double sunk, TacCableMeeting *m) {
    TacVec3 r = tac_sub(e->start, p), n = tac_add(e->normal[0], e->normal[1]);
    double from[2], to[2];
    for (int k = 0; k < 2; k++) {
        from[k] = -tac_dot(e->normal[k], r);
        to[k] = from[k] + tac_dot(e->normal[k], d);
    }
    if (!(from[0] > -sunk && to[1] > -sunk) && !(from[1] > -sunk && to[0] > -sunk)) return 0;
    double dd = tac_dot(d, d), ee = tac_dot(e->along, e->along), de = tac_dot(d, e->along);
    double across = dd * ee - de * de, rd = tac_dot(r, d), re = tac_dot(r, e->along);
    if (e->rim || !(tac_dot(e->normal[0], d) * tac_dot(e->normal[1], d) < 0) || !(across > 1e-14 * dd * ee))
        return 0;
    m->at = (rd * ee - re * de) / across;
    m->part = (rd * de - re * dd) / across;
    if (!(m->at > 0 && m->at < 1 && m->part > CORNER && m->part < 1 - CORNER)) return 0;
    TacVec3 off = tac_sub(tac_axpy(p, m->at, d), tac_axpy(e->start, m->part, e->along));
    return fmax(-tac_dot(off, n) / tac_norm(n), 0);
}

bool tac_cable_edges_under(const TacCableEdges *edges, const TacCablePiece *piece, TacCableMeeting *deepest) {
    TacVec3 p = piece->p[0], q = piece->q[0], low = least(p, q), high = most(p, q);
    if (!edges->count || apart(low, high, edges->low, edges->high)) return false;
    TacVec3 extent = tac_sub(edges->high, edges->low);
    double size = fmax(extent.x, fmax(extent.y, extent.z));
    bool found = false;
    for (size_t i = 0; i < edges->count; i++) {
        const TacCableEdge *e = &edges->list[i];
        TacCableMeeting m = {.edge = i};
        if (i == piece->except_p || i == piece->except_q || apart(low, high, e->low, e->high)) continue;
        m.time = depth_under(e, p, tac_sub(q, p), SUNK * size, &m);
        if (!(m.time > UNDER * size && m.time < LIFT * size && m.time > deepest->time)) continue;
        *deepest = m;
        found = true;
    }
    return found;
}

static bool triangle_is_cut(TacVec3 a, TacVec3 b, TacVec3 c, TacVec3 p, TacVec3 q) {
    TacVec3 d = tac_sub(q, p), u = tac_sub(b, a), v = tac_sub(c, a), n = tac_cross(u, v);
    double along = tac_dot(n, d);
    if (along == 0) return false;
    double t = tac_dot(n, tac_sub(a, p)) / along;
    if (!(t > 1e-9 && t < 1 - 1e-9)) return false;
    TacVec3 x = tac_axpy(tac_sub(p, a), t, d);
    double nn = tac_dot(n, n), s = tac_dot(tac_cross(x, v), n) / nn, r = tac_dot(tac_cross(u, x), n) / nn;
    return s >= 0 && r >= 0 && s + r <= 1;
}

static bool any_is_cut(const TacMesh *mesh, const int32_t *triangles, size_t count, TacVec3 p, TacVec3 q) {
    for (size_t i = 0; i < count; i++)
        if (triangle_is_cut(point_of(mesh, triangles[3 * i]), point_of(mesh, triangles[3 * i + 1]),
                            point_of(mesh, triangles[3 * i + 2]), p, q))
            return true;
    return false;
}

// A line that only touches an edge is clear a little to the side of it.
bool tac_cable_mesh_is_cut(const TacMesh *mesh, TacVec3 p, TacVec3 q) {
    int32_t *triangles = NULL;
    size_t count = 0;
    if (tac_mesh_surface(mesh, &triangles, &count, NULL) != TAC_OK) return false;
    TacVec3 d = tac_sub(q, p),
            u = tac_cross(d, fabs(d.x) < fabs(d.y) ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0));
    TacVec3 a = tac_scale(tac_unit(u), 1e-7 * tac_norm(d)),
            b = tac_scale(tac_unit(tac_cross(d, u)), 1e-7 * tac_norm(d));
    bool cut = true;
    for (int k = 0; k < 8 && cut; k++) {
        TacVec3 off =
            tac_add(tac_scale(a, cos(0.3 + k * TAC_PI / 4)), tac_scale(b, sin(0.3 + k * TAC_PI / 4)));
        cut = any_is_cut(mesh, triangles, count, tac_add(p, off), tac_add(q, off));
    }
    free(triangles);
    return cut;
}

// --- lying on an edge ---------------------------------------------------------------------------------------

// Unfolded into one plane, the shortest way is straight.
double tac_cable_edge_shortest(const TacCableEdge *e, TacVec3 p, TacVec3 q) {
    double ee = tac_dot(e->along, e->along);
    TacVec3 a = tac_sub(p, e->start), b = tac_sub(q, e->start);
    double pa = tac_dot(a, e->along) / ee, pb = tac_dot(b, e->along) / ee;
    double ha = tac_norm(tac_axpy(a, -pa, e->along)), hb = tac_norm(tac_axpy(b, -pb, e->along));
    return ha + hb > 0 ? (pa * hb + pb * ha) / (ha + hb) : 0.5 * (pa + pb);
}

// The part of a line from 0 to 1 on which a number that goes evenly from a to b is negative.
static void narrow(double a, double b, double *from, double *to) {
    if (a >= 0 && b >= 0) *to = -1;
    if ((a < 0) == (b < 0)) return;
    double t = a / (a - b);
    if (a < 0)
        *to = fmin(*to, t);
    else
        *from = fmax(*from, t);
}

double tac_cable_edge_cut(const TacCableEdge *e, TacVec3 x, TacVec3 p, TacVec3 q) {
    TacVec3 a = tac_sub(p, x), b = tac_sub(q, x);
    double from = 0, to = 1;
    if (e->rim) {
        // where it passes the plane of the face, seen along the edge
        TacVec3 n = tac_cross(e->along, e->normal[0]);
        double u = tac_dot(n, a), v = tac_dot(n, b), t = u != v ? u / (u - v) : 0.5;
        return t < 0 || t > 1 ? -1 : -tac_dot(e->normal[0], tac_axpy(a, t, tac_sub(b, a)));
    }
    for (int k = 0; k < 2; k++) narrow(tac_dot(e->normal[k], a), tac_dot(e->normal[k], b), &from, &to);
    return to - from;
}
