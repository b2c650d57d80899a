// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs side by side: tac_safe_closest for many at once, to the same bits, and whether they are certain, in a few operations.
// What is not common is left to tac_safe_closest and tac_safe_certain.

#include "contact/safe_wide.h"
#include "geometry/closest.h"

enum { WIDE = TAC_SAFE_WIDE };

// Loops over all lanes, each operation as in closest.h: lanes without a pair repeat another.
#define EACH for (int i = 0; i < WIDE; i++)

static inline double dot(double ax, double ay, double az, double bx, double by, double bz) {
    return ax * bx + ay * by + az * bz;
}

// Where the shape is plain and the closest points lie inside: weights of the triangle's corners; else `rare` is set.
static void weigh_triangles(TacSafeWide *w) {
    double(*const p)[WIDE] = w->q[0], (*const a)[WIDE] = w->q[1], (*const b)[WIDE] = w->q[2],
                  (*const c)[WIDE] = w->q[3];
    EACH {
        double abx = b[0][i] - a[0][i], aby = b[1][i] - a[1][i], abz = b[2][i] - a[2][i];
        double acx = c[0][i] - a[0][i], acy = c[1][i] - a[1][i], acz = c[2][i] - a[2][i];
        double apx = p[0][i] - a[0][i], apy = p[1][i] - a[1][i], apz = p[2][i] - a[2][i];
        double bb = dot(abx, aby, abz, abx, aby, abz), bc = dot(abx, aby, abz, acx, acy, acz);
        double cc = dot(acx, acy, acz, acx, acy, acz);
        double pb = dot(apx, apy, apz, abx, aby, abz), pc = dot(apx, apy, apz, acx, acy, acz);
        double product = bb * cc, determinant = product - bc * bc;
        double s = cc * pb - bc * pc, t = bb * pc - bc * pb;
        w->rare[i] = !((determinant > product * TAC_CLOSEST_PLAIN) & (product > TAC_CLOSEST_LOWEST) &
                       (s > 0) & (t > 0) & (s + t < determinant));
        double inverse = 1 / determinant;
        s *= inverse;
        t *= inverse;
        double rest = 1 - s - t;
        w->weight[0][i] = 1;
        w->weight[1][i] = -(rest > 0 ? rest : 0);
        w->weight[2][i] = -(s < 1 ? s : 1);
        w->weight[3][i] = -(t < 1 ? t : 1);
    }
}

static void weigh_edges(TacSafeWide *w) {
    double(*const a)[WIDE] = w->q[0], (*const b)[WIDE] = w->q[1], (*const c)[WIDE] = w->q[2],
                  (*const d)[WIDE] = w->q[3];
    EACH {
        double ux = b[0][i] - a[0][i], uy = b[1][i] - a[1][i], uz = b[2][i] - a[2][i];
        double vx = d[0][i] - c[0][i], vy = d[1][i] - c[1][i], vz = d[2][i] - c[2][i];
        double wx = a[0][i] - c[0][i], wy = a[1][i] - c[1][i], wz = a[2][i] - c[2][i];
        double uu = dot(ux, uy, uz, ux, uy, uz), uv = dot(ux, uy, uz, vx, vy, vz);
        double vv = dot(vx, vy, vz, vx, vy, vz);
        double uw = dot(ux, uy, uz, wx, wy, wz), vw = dot(vx, vy, vz, wx, wy, wz);
        double product = uu * vv, determinant = product - uv * uv;
        double s = uv * vw - vv * uw, t = uu * vw - uv * uw;
        w->rare[i] = !((determinant > product * TAC_CLOSEST_PLAIN) & (product > TAC_CLOSEST_LOWEST) &
                       (s > 0) & (s < determinant) & (t > 0) & (t < determinant));
        double inverse = 1 / determinant;
        s *= inverse;
        t *= inverse;
        s = s < 1 ? s : 1;
        t = t < 1 ? t : 1;
        w->weight[0][i] = 1 - s;
        w->weight[1][i] = s;
        w->weight[2][i] = -(1 - t);
        w->weight[3][i] = -t;
    }
}

static inline TacVec3 corner(const TacSafeWide *w, int c, int i) {
    return tac_vec3(w->q[c][0][i], w->q[c][1][i], w->q[c][2][i]);
}

typedef struct Nearest {
    double square, s, t;
} Nearest;

static inline double within_one(double t) {
    t = t > 0 ? t : 0;
    return t < 1 ? t : 1;
}

// The point t e nearest to p, as in closest.c.
static inline double nearest_on(TacVec3 p, TacVec3 e, double *t) {
    double square = tac_dot(e, e), part = within_one(tac_dot(p, e) / square);
    *t = square > 0 ? part : 0;
    TacVec3 gap = tac_axpy(p, -*t, e);
    return tac_dot(gap, gap);
}

static inline void offer(Nearest *best, bool nearer, double square, double s, double t) {
    best->square = nearer ? square : best->square;
    best->s = nearer ? s : best->s;
    best->t = nearer ? t : best->t;
}

// Of what is not plain: where the lines through both edges are nearest, the longer one first.
static inline void offer_crossing(Nearest *best, bool asked, TacVec3 u, TacVec3 v, TacVec3 ca) {
    double uu = tac_dot(u, u), vv = tac_dot(v, v), sign = uu >= vv ? -1 : 1;
    TacVec3 p = tac_scale(ca, sign);
    TacVec3 e = {uu >= vv ? u.x : v.x, uu >= vv ? u.y : v.y, uu >= vv ? u.z : v.z};
    TacVec3 f = {-(uu >= vv ? v.x : u.x), -(uu >= vv ? v.y : u.y), -(uu >= vv ? v.z : u.z)};
    double length2 = tac_dot(e, e), p_along = tac_dot(p, e) / length2, f_along = tac_dot(f, e) / length2;
    TacVec3 p_across = tac_axpy(p, -p_along, e), f_across = tac_axpy(f, -f_along, e);
    double across2 = tac_dot(f_across, f_across), on_f = tac_dot(p_across, f_across) / across2;
    double on_e = p_along - on_f * f_along;
    double s = uu >= vv ? on_e : on_f, t = uu >= vv ? on_f : on_e;
    TacVec3 gap = tac_axpy(tac_axpy(ca, s, u), -t, v);
    double square = tac_dot(gap, gap);
    bool inside = (length2 > 0) & (across2 > 0) & (s > 0) & (s < 1) & (t > 0) & (t < 1);
    offer(best, asked & inside & (square < best->square), square, s, t);
}

// Whether their squares fit, so that nothing needs to be scaled.
static inline bool fits(double squares) {
    return (squares > 1e-199) & (squares < 1e199);
}

// The same as tac_closest_edges_carefully, for lanes that are rare.
static void weigh_ends_of_edges(TacSafeWide *w) {
    EACH {
        TacVec3 a = corner(w, 0, i), b = corner(w, 1, i), c = corner(w, 2, i), d = corner(w, 3, i);
        TacVec3 u = tac_sub(b, a), v = tac_sub(d, c), ca = tac_sub(a, c), cb = tac_sub(b, c),
                ad = tac_sub(d, a);
        double uu = tac_dot(u, u), vv = tac_dot(v, v), uv = tac_dot(u, v), product = uu * vv;
        bool plain = (product - uv * uv > product * TAC_CLOSEST_PLAIN) & (product > TAC_CLOSEST_LOWEST);
        double squares = 0 + uu + vv + tac_dot(ca, ca) + tac_dot(cb, cb) + tac_dot(ad, ad), at;
        Nearest best = {nearest_on(ca, v, &at), 0, 0};
        best.t = at;
        double square = nearest_on(cb, v, &at);
        offer(&best, square < best.square, square, 1, at);
        square = nearest_on(tac_scale(ca, -1), u, &at);
        offer(&best, square < best.square, square, at, 0);
        square = nearest_on(ad, u, &at);
        offer(&best, square < best.square, square, at, 1);
        offer_crossing(&best, !plain, u, v, ca);
        bool taken = w->rare[i] & fits(squares);
        w->weight[0][i] = taken ? 1 - best.s : w->weight[0][i];
        w->weight[1][i] = taken ? best.s : w->weight[1][i];
        w->weight[2][i] = taken ? -(1 - best.t) : w->weight[2][i];
        w->weight[3][i] = taken ? -best.t : w->weight[3][i];
        w->rare[i] = taken ? 0 : w->rare[i];
    }
}

// The same as tac_closest_point_triangle_carefully, for lanes that are rare and whose triangles are plain.
static void weigh_sides_of_triangles(TacSafeWide *w) {
    EACH {
        TacVec3 p = corner(w, 0, i), a = corner(w, 1, i), b = corner(w, 2, i), c = corner(w, 3, i);
        TacVec3 ab = tac_sub(b, a), ac = tac_sub(c, a), ap = tac_sub(p, a), bc = tac_sub(c, b),
                bp = tac_sub(p, b);
        double bb = tac_dot(ab, ab), cc = tac_dot(ac, ac), cross = tac_dot(ab, ac), product = bb * cc;
        bool plain = (product - cross * cross > product * TAC_CLOSEST_PLAIN) & (product > TAC_CLOSEST_LOWEST);
        double squares = 0 + bb + cc + tac_dot(ap, ap) + tac_dot(bc, bc) + tac_dot(bp, bp), at;
        // weights of b and c; that of a is what is left, but on the side that it is not on
        Nearest best = {nearest_on(ap, ab, &at), 0, 0};
        best.s = at;
        double first = 1 - at, square = nearest_on(ap, ac, &at);
        bool nearer = square < best.square;
        first = nearer ? 1 - at : first;
        offer(&best, nearer, square, 0, at);
        square = nearest_on(bp, bc, &at);
        nearer = square < best.square;
        first = nearer ? 0 : first;
        offer(&best, nearer, square, 1 - at, at);
        bool taken = w->rare[i] & plain & fits(squares);
        w->weight[1][i] = taken ? -first : w->weight[1][i];
        w->weight[2][i] = taken ? -best.s : w->weight[2][i];
        w->weight[3][i] = taken ? -best.t : w->weight[3][i];
        w->rare[i] = taken ? 0 : w->rare[i];
    }
}

// Directions and distances; what is so near that its direction must be sharpened is rare.
static void measure(TacSafeWide *w, bool edges) {
    double(*const q)[3][WIDE] = w->q;
    const int from = edges ? 0 : 1;
    EACH {
        double n[3], length[2];
        for (int k = 0; k < 3; k++) {
            double first = q[0][k][i];
            n[k] = 0 + w->weight[1][i] * (q[1][k][i] - first);
            n[k] += w->weight[2][i] * (q[2][k][i] - first);
            n[k] += w->weight[3][i] * (q[3][k][i] - first);
        }
        double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], distance = sqrt(square);
        double inverse = distance > 0 ? 1 / distance : 0;
        for (int k = 0; k < 3; k++) w->normal[k][i] = n[k] * inverse;
        w->distance[i] = distance;
        for (int s = 0; s < 2; s++) {
            int a = s ? 2 : from;
            double x = q[a + 1][0][i] - q[a][0][i], y = q[a + 1][1][i] - q[a][1][i],
                   z = q[a + 1][2][i] - q[a][2][i];
            length[s] = x * x + y * y + z * z;
        }
        double longest = length[0] > length[1] ? length[0] : length[1];
        w->rare[i] |= !(distance * distance > 1e-10 * longest);
    }
}

void tac_safe_closest_wide(TacSafeWide *w, bool edges) {
    if (edges)
        weigh_edges(w);
    else
        weigh_triangles(w);
    int64_t rare = 0;
    EACH rare += w->rare[i];
    if (rare && edges) weigh_ends_of_edges(w);
    if (rare && !edges) weigh_sides_of_triangles(w);
    measure(w, edges);
}

static bool some_are_parallel(const TacSafeWide *w) {
    int64_t some = 0;
    EACH {
        TacVec3 u = tac_sub(corner(w, 1, i), corner(w, 0, i)), v = tac_sub(corner(w, 3, i), corner(w, 2, i));
        double product = tac_dot(u, u) * tac_dot(v, v), uv = tac_dot(u, v);
        some |= !(product - uv * uv > 2 * TAC_SAFE_PARALLEL * product);
    }
    return some;
}

void tac_safe_share_wide(TacSafeWide *w) {
    if (!some_are_parallel(w)) return;
    EACH {
        TacVec3 a = corner(w, 0, i), u = tac_sub(corner(w, 1, i), a);
        TacVec3 b = corner(w, 2, i), v = tac_sub(corner(w, 3, i), b), between = tac_sub(a, b);
        double uu = tac_dot(u, u), vv = tac_dot(v, v), uv = tac_dot(u, v), distance = w->distance[i];
        double crossing = 1 - uv * uv / (uu * vv), alike = TAC_SAFE_ALIKE * distance;
        TacVec3 along = tac_axpy(tac_scale(u, 1 / sqrt(uu)), uv < 0 ? -1 / sqrt(vv) : 1 / sqrt(vv), v);
        double ua = tac_dot(u, along), va = tac_dot(v, along), from = -tac_dot(between, along),
               to = from + va;
        double low = from < to ? from : to, high = from < to ? to : from;
        low = low > 0 ? low : 0;
        high = high < ua ? high : ua;
        double s[2] = {within_one(low / ua), within_one(high / ua)};
        double t[2] = {within_one((low - from) / va), within_one((high - from) / va)};
        double first = tac_norm(tac_axpy(tac_axpy(between, s[0], u), -t[0], v));
        double second = tac_norm(tac_axpy(tac_axpy(between, s[1], u), -t[1], v));
        double part = 1 - ((first > second ? first : second) - distance) / alike;
        bool shares = w->lossy[i] & (crossing < TAC_SAFE_PARALLEL) & (part > 0);
        part *= 1 - crossing / TAC_SAFE_PARALLEL;
        double lean = 0.5 + 0.5 * (first - second) / alike;
        double middle_s = s[0] + lean * (s[1] - s[0]), middle_t = t[0] + lean * (t[1] - t[0]);
        double at_s = w->weight[1][i] + part * (middle_s - w->weight[1][i]);
        double at_t = -w->weight[3][i] + part * (middle_t + w->weight[3][i]);
        TacVec3 n = tac_axpy(tac_axpy(between, at_s, u), -at_t, v);
        double length = tac_norm(n), inverse = 1 / length;
        w->weight[0][i] = shares ? 1 - at_s : w->weight[0][i];
        w->weight[1][i] = shares ? at_s : w->weight[1][i];
        w->weight[2][i] = shares ? at_t - 1 : w->weight[2][i];
        w->weight[3][i] = shares ? -at_t : w->weight[3][i];
        w->distance[i] = shares ? length : distance;
        w->normal[0][i] = shares ? n.x * inverse : w->normal[0][i];
        w->normal[1][i] = shares ? n.y * inverse : w->normal[1][i];
        w->normal[2][i] = shares ? n.z * inverse : w->normal[2][i];
    }
}

void tac_safe_inside_wide(TacSafeWide *w) {
    EACH {
        TacVec3 a = corner(w, 1, i), e = tac_sub(corner(w, 2, i), a), f = tac_sub(corner(w, 3, i), a),
                g = tac_sub(f, e), n = tac_cross(e, f);
        double ee = tac_dot(e, e), ff = tac_dot(f, f), gg = tac_dot(g, g);
        double longest = ee > ff ? ee : ff, least = -w->weight[1][i],
               far = TAC_SAFE_SEAM_FAR * w->distance[i];
        longest = longest > gg ? longest : gg;
        least = least < -w->weight[2][i] ? least : -w->weight[2][i];
        least = least < -w->weight[3][i] ? least : -w->weight[3][i];
        w->inside[i] = (least > 0) & (least * least * tac_dot(n, n) > far * far * longest);
    }
}

// How hard the sides fall towards each other along the normal, at most.
static void pull_wide(const TacSafeWide *w, bool edges, double pull[WIDE]) {
    double least[WIDE], most[WIDE];
    EACH {
        least[i] = INFINITY;
        most[i] = -INFINITY;
    }
    for (int c = 0; c < 4; c++) {
        bool first = c < (edges ? 2 : 1);
        EACH {
            double along = w->normal[0][i] * w->fall[c][0][i] + w->normal[1][i] * w->fall[c][1][i] +
                           w->normal[2][i] * w->fall[c][2][i];
            if (first)
                least[i] = along < least[i] ? along : least[i];
            else
                most[i] = along > most[i] ? along : most[i];
        }
    }
    EACH pull[i] = most[i] > least[i] ? most[i] - least[i] : 0;
}

// The nearest of one side against the farthest of the other, as if they were also the fastest towards each other. Where all
// fall alike, falling does not part them.
void tac_safe_margins_wide(TacSafeWide *w, bool edges, bool uneven) {
    double one[WIDE], size[WIDE], low[WIDE], high[WIDE], slowest[WIDE], fastest[WIDE], pull[WIDE];
    double(*const d)[WIDE] = w->normal, (*const q)[3][WIDE] = w->q;
    EACH {
        one[i] = fabs(d[0][i]) + fabs(d[1][i]) + fabs(d[2][i]);
        size[i] = 0;
        pull[i] = 0;
        low[i] = slowest[i] = INFINITY;
        high[i] = fastest[i] = -INFINITY;
    }
    if (uneven) pull_wide(w, edges, pull);
    for (int c = 0; c < 4; c++) {
        bool first = c < (edges ? 2 : 1);
        EACH {
            double x = q[c][0][i], y = q[c][1][i], z = q[c][2][i];
            double slack = one[i] * w->slack[c][i];
            double along =
                d[0][i] * (x - q[0][0][i]) + d[1][i] * (y - q[0][1][i]) + d[2][i] * (z - q[0][2][i]);
            double speed =
                d[0][i] * w->pace[c][0][i] + d[1][i] * w->pace[c][1][i] + d[2][i] * w->pace[c][2][i];
            size[i] += fabs(x) + fabs(y) + fabs(z);
            double slow = speed - slack, fast = speed + slack;
            if (first) {
                low[i] = along < low[i] ? along : low[i];
                slowest[i] = slow < slowest[i] ? slow : slowest[i];
            } else {
                high[i] = along > high[i] ? along : high[i];
                fastest[i] = fast > fastest[i] ? fast : fastest[i];
            }
        }
    }
    EACH {
        double width = low[i] - high[i], closing = fastest[i] - slowest[i];
        double room = width - w->radius[i] - w->limit[i] - 1e-14 * (size[i] + width);
        double faster = (closing > 0 ? closing : 0) + 0.5 * pull[i] * w->period[i];
        w->margin[i] = 0.999 * room - faster * w->period[i];
    }
}

// --- friction ---------------------------------------------------------------------------------------------

void tac_safe_move_wide(TacSafeRub *rub) {
    double(*const n)[WIDE] = rub->normal, (*const d)[WIDE] = rub->motion;
    EACH {
        for (int k = 0; k < 3; k++) d[k][i] = (rub->slide[k][i] - rub->before[k][i]) / rub->seconds[i];
        double along = d[0][i] * n[0][i] + d[1][i] * n[1][i] + d[2][i] * n[2][i];
        for (int k = 0; k < 3; k++) d[k][i] -= along * n[k][i];
    }
}

void tac_safe_rub_wide(TacSafeRub *rub) {
    double(*const n)[WIDE] = rub->normal;
    EACH {
        double off[3], wanted[3];
        for (int k = 0; k < 3; k++) off[k] = rub->slide[k][i] - rub->anchor[k][i];
        double along = off[0] * n[0][i] + off[1] * n[1][i] + off[2] * n[2][i];
        for (int k = 0; k < 3; k++) off[k] -= along * n[k][i];
        double stiffness = rub->stiffness[i], period = rub->period[i];
        double damping = 2 * 0.3 * sqrt(stiffness / period * rub->mass[i]) * period;
        for (int k = 0; k < 3; k++) wanted[k] = -stiffness * off[k] - damping * rub->motion[k][i];
        double size = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1] + wanted[2] * wanted[2]);
        double most = rub->most[i], limit = rub->scale[i] * most, capped = limit / size;
        double part = size > limit ? capped : 1;
        for (int k = 0; k < 3; k++) rub->impulse[k][i] += part * wanted[k];
        // the anchor is dragged along at the distance that the limit allows; not by a moment's loss of the push, as restitution
        // takes it from what rests and trembles
        double length = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]), pull = stiffness * length;
        double ratio = most / pull, kept = pull > most ? ratio : 1;
        for (int k = 0; k < 3; k++) rub->anchor[k][i] = rub->slide[k][i] - kept * off[k];
    }
}
