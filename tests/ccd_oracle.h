// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Exact answers to the questions of tactus/ccd.h for small integer coordinates, by other means: integers of
// 128 bits, parametric solutions in place of orientations, and for motion the coplanarity cubic, whose roots
// are isolated by halving with Descartes' rule of signs in the Bernstein basis. Shares nothing with the
// library but its vector type.

#ifndef TACTUS_TESTS_CCD_ORACLE_H
#define TACTUS_TESTS_CCD_ORACLE_H

#include "base/random.h"
#include "tactus/ccd.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 Wide;

typedef struct Whole3 {
    int64_t v[3];
} Whole3;

static inline int wide_sign(Wide a) {
    return (a > 0) - (a < 0);
}

static inline int64_t pick_between(TacRandom *random, int64_t low, int64_t high) {
    return low + (int64_t)(tac_random_bits(random) % (uint64_t)(high - low + 1));
}

static inline Whole3 pick_whole3(TacRandom *random, int64_t reach) {
    Whole3 p;
    for (int k = 0; k < 3; k++) p.v[k] = pick_between(random, -reach, reach);
    return p;
}

static inline TacVec3 scaled_vec3(Whole3 p, double scale) {
    return tac_vec3((double)p.v[0] * scale, (double)p.v[1] * scale, (double)p.v[2] * scale);
}

static inline Whole3 whole_sub(Whole3 a, Whole3 b) {
    return (Whole3){{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};
}

static inline Wide whole_dot(Whole3 a, Whole3 b) {
    return (Wide)a.v[0] * b.v[0] + (Wide)a.v[1] * b.v[1] + (Wide)a.v[2] * b.v[2];
}

static inline Whole3 whole_cross(Whole3 a, Whole3 b) {
    return (Whole3){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                     a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

static inline bool whole_is_zero(Whole3 a) {
    return a.v[0] == 0 && a.v[1] == 0 && a.v[2] == 0;
}

// The volume of (a, b, c, d), times 6; positive on the side of the normal of abc.
static inline Wide whole_volume(Whole3 a, Whole3 b, Whole3 c, Whole3 d) {
    Whole3 p = whole_sub(b, a), q = whole_sub(c, a), r = whole_sub(d, a);
    Wide sum = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        sum += (Wide)r.v[i] * ((Wide)p.v[j] * q.v[k] - (Wide)p.v[k] * q.v[j]);
    }
    return sum;
}

// --- static questions, by solving for the parameters ------------------------------------------------------

// 0 <= n / d <= 1
static inline bool is_part(Wide n, Wide d) {
    return d > 0 ? n >= 0 && n <= d : n <= 0 && n >= d;
}

static inline bool exact_point_on_edge(Whole3 p, Whole3 a, Whole3 b) {
    Whole3 e = whole_sub(b, a), r = whole_sub(p, a);
    if (whole_is_zero(e)) return whole_is_zero(r);
    return whole_is_zero(whole_cross(e, r)) && is_part(whole_dot(r, e), whole_dot(e, e));
}

static inline bool exact_edges_meet(Whole3 a, Whole3 b, Whole3 c, Whole3 d) {
    Whole3 e = whole_sub(b, a), f = whole_sub(d, c), r = whole_sub(c, a), n = whole_cross(e, f);
    if (whole_is_zero(n))
        return exact_point_on_edge(a, c, d) || exact_point_on_edge(b, c, d) || exact_point_on_edge(c, a, b) ||
               exact_point_on_edge(d, a, b);
    if (whole_dot(n, r) != 0) return false;
    // a + s e = c + t f
    return is_part(whole_dot(whole_cross(r, f), n), whole_dot(n, n)) &&
           is_part(whole_dot(whole_cross(r, e), n), whole_dot(n, n));
}

static inline bool exact_point_meets_triangle(Whole3 p, const Whole3 t[3]) {
    Whole3 e = whole_sub(t[1], t[0]), f = whole_sub(t[2], t[0]), r = whole_sub(p, t[0]);
    Whole3 n = whole_cross(e, f);
    if (whole_is_zero(n))
        return exact_point_on_edge(p, t[0], t[1]) || exact_point_on_edge(p, t[1], t[2]) ||
               exact_point_on_edge(p, t[2], t[0]);
    if (whole_dot(n, r) != 0) return false;
    Wide u = whole_dot(whole_cross(r, f), n), v = whole_dot(whole_cross(e, r), n), nn = whole_dot(n, n);
    return u >= 0 && v >= 0 && u + v <= nn;
}

static inline bool exact_edge_meets_triangle(Whole3 a, Whole3 b, const Whole3 t[3]) {
    Whole3 e = whole_sub(t[1], t[0]), f = whole_sub(t[2], t[0]), n = whole_cross(e, f);
    Wide side_a = whole_dot(n, whole_sub(a, t[0])), side_b = whole_dot(n, whole_sub(b, t[0]));
    if (side_a == side_b) {
        if (side_a != 0) return false;
        return exact_point_meets_triangle(a, t) || exact_edges_meet(a, b, t[0], t[1]) ||
               exact_edges_meet(a, b, t[1], t[2]) || exact_edges_meet(a, b, t[2], t[0]);
    }
    // the line meets the plane at a + s (b - a), s = side_a / (side_a - side_b); all times that denominator
    Wide d = side_a - side_b;
    if (!is_part(side_a, d)) return false;
    Wide r[3];
    for (int k = 0; k < 3; k++) r[k] = (a.v[k] - t[0].v[k]) * d + side_a * (b.v[k] - a.v[k]);
    Wide u = 0, v = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        u += (r[j] * f.v[k] - r[k] * f.v[j]) * n.v[i];
        v += (r[k] * e.v[j] - r[j] * e.v[k]) * n.v[i];
    }
    Wide nn = whole_dot(n, n) * d;
    if (nn < 0) u = -u, v = -v, nn = -nn;
    return u >= 0 && v >= 0 && u + v <= nn;
}

static inline bool exact_triangles_meet(const Whole3 s[3], const Whole3 t[3]) {
    for (int i = 0; i < 3; i++)
        if (exact_edge_meets_triangle(s[i], s[(i + 1) % 3], t) ||
            exact_edge_meets_triangle(t[i], t[(i + 1) % 3], s))
            return true;
    return false;
}

// --- moving questions -------------------------------------------------------------------------------------

enum { ORACLE_LEVELS = 30, ORACLE_NODES = 4000, SIGN_KINDS = 4 };

// What is known of a pair of integer motions. Times are in [0, 1].
typedef struct Verdict {
    bool hit;                    // a contact with the two crossing, exactly known
    bool touch;                  // a contact of another kind, or something too near to one
    double hit_low, hit_high;    // the first hit is in here
    double touch_low, touch_end; // the first touch is not before, the last not after
    int nodes;
} Verdict;

// The polynomials in the Bernstein basis on a span of time, times powers of two.
typedef struct Bernstein {
    Wide volume[4];
    Wide turn[3][SIGN_KINDS][3]; // along each axis
} Bernstein;

typedef struct Linear3 {
    Whole3 at0, slope;
} Linear3;

static inline Linear3 linear_sub(Linear3 a, Linear3 b) {
    return (Linear3){whole_sub(a.at0, b.at0), whole_sub(a.slope, b.slope)};
}

static inline void turn_polynomial(int axis, Linear3 a, Linear3 b, Wide out[3]) {
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    out[0] = (Wide)a.at0.v[i] * b.at0.v[j] - (Wide)a.at0.v[j] * b.at0.v[i];
    out[1] = (Wide)a.at0.v[i] * b.slope.v[j] + (Wide)a.slope.v[i] * b.at0.v[j] -
             (Wide)a.at0.v[j] * b.slope.v[i] - (Wide)a.slope.v[j] * b.at0.v[i];
    out[2] = (Wide)a.slope.v[i] * b.slope.v[j] - (Wide)a.slope.v[j] * b.slope.v[i];
}

static inline Bernstein make_bernstein(TacCcdPair pair, const Whole3 start[4], const Whole3 end[4]) {
    Linear3 d[4];
    for (int i = 1; i < 4; i++) {
        Whole3 at0 = whole_sub(start[i], start[0]), at1 = whole_sub(end[i], end[0]);
        d[i] = (Linear3){at0, whole_sub(at1, at0)};
    }
    Bernstein b;
    Wide c[4] = {0, 0, 0, 0};
    for (int axis = 0; axis < 3; axis++) {
        Linear3 first[4] = {d[1], d[2], d[3], d[3]}, second[4] = {d[2], d[3], d[1], d[1]};
        if (pair == TAC_CCD_EDGE_EDGE) {
            first[3] = linear_sub(d[3], d[2]);
            second[3] = linear_sub(d[1], d[2]);
        }
        for (int kind = 0; kind < SIGN_KINDS; kind++) {
            Wide q[3];
            turn_polynomial(axis, first[kind], second[kind], q);
            b.turn[axis][kind][0] = 2 * q[0];
            b.turn[axis][kind][1] = 2 * q[0] + q[1];
            b.turn[axis][kind][2] = 2 * (q[0] + q[1] + q[2]);
            if (kind != 1) continue;
            for (int m = 0; m < 3; m++) {
                c[m] += q[m] * d[1].at0.v[axis];
                c[m + 1] += q[m] * d[1].slope.v[axis];
            }
        }
    }
    b.volume[0] = 3 * c[0];
    b.volume[1] = 3 * c[0] + c[1];
    b.volume[2] = 3 * c[0] + 2 * c[1] + c[2];
    b.volume[3] = 3 * (c[0] + c[1] + c[2] + c[3]);
    return b;
}

// de Casteljau at the middle, without fractions.
static inline void halve_polynomial(const Wide *whole, int degree, Wide *left, Wide *right) {
    Wide row[4];
    for (int i = 0; i <= degree; i++) row[i] = whole[i];
    for (int level = 0; level <= degree; level++) {
        // row holds sums of 2^level parts
        left[level] = row[0] * ((Wide)1 << (degree - level));
        right[degree - level] = row[degree - level] * ((Wide)1 << (degree - level));
        for (int i = 0; i + 1 <= degree - level; i++) row[i] = row[i] + row[i + 1];
    }
}

static inline void halve_bernstein(const Bernstein *b, Bernstein *left, Bernstein *right) {
    halve_polynomial(b->volume, 3, left->volume, right->volume);
    for (int axis = 0; axis < 3; axis++)
        for (int kind = 0; kind < SIGN_KINDS; kind++)
            halve_polynomial(b->turn[axis][kind], 2, left->turn[axis][kind], right->turn[axis][kind]);
}

// The sign over a span, or at one of its ends (coefficient 0 or 2); 0: not the same throughout, or zero.
static inline int turn_sign(const Wide c[3], int only) {
    if (only >= 0) return wide_sign(c[only]);
    int s = wide_sign(c[0]);
    return s == wide_sign(c[1]) && s == wide_sign(c[2]) ? s : 0;
}

// +1: crossing seen along some axis; -1: apart seen along some axis; 0: neither is sure.
static inline int crossing(TacCcdPair pair, const Bernstein *b, int only) {
    int answer = 0;
    for (int axis = 0; axis < 3; axis++) {
        int s[SIGN_KINDS];
        for (int kind = 0; kind < SIGN_KINDS; kind++) s[kind] = turn_sign(b->turn[axis][kind], only);
        bool inside, apart;
        if (pair == TAC_CCD_POINT_TRIANGLE) {
            inside = s[0] && s[0] == s[1] && s[1] == s[2];
            apart = s[0] * s[1] < 0 || s[1] * s[2] < 0 || s[2] * s[0] < 0;
        } else {
            // s: 12, 23, 31, 1 seen from the edge 23
            inside = s[0] * -s[2] < 0 && s[1] * s[3] < 0;
            apart = s[0] * -s[2] > 0 || s[1] * s[3] > 0;
        }
        if (apart) return -1;
        if (inside) answer = 1;
    }
    return answer;
}

static inline int variations(const Wide c[4]) {
    int count = 0, last = 0;
    for (int i = 0; i < 4; i++) {
        int s = wide_sign(c[i]);
        if (s && last && s != last) count++;
        if (s) last = s;
    }
    return count;
}

static inline void note_hit(Verdict *v, double low, double high) {
    if (v->hit && v->hit_low <= low) return;
    v->hit = true;
    v->hit_low = low;
    v->hit_high = high;
}

static inline void note_touch(Verdict *v, double low, double high) {
    if (!v->touch || low < v->touch_low) v->touch_low = low;
    if (!v->touch || high > v->touch_end) v->touch_end = high;
    v->touch = true;
}

static inline void note_end(TacCcdPair pair, const Bernstein *b, int end, double time, Verdict *v) {
    if (b->volume[end ? 3 : 0] != 0) return;
    int known = crossing(pair, b, end ? 2 : 0);
    // a multiple root is a hit that need not cross
    bool simple = b->volume[end ? 2 : 1] != 0;
    if (known > 0) note_hit(v, time, time);
    if (known == 0 || (known > 0 && !simple)) note_touch(v, time, time);
}

static inline void isolate(TacCcdPair pair, const Bernstein *b, double low, double width, int level,
                           Verdict *v) {
    int known = crossing(pair, b, -1), changes = variations(b->volume);
    note_end(pair, b, 0, low, v);
    note_end(pair, b, 1, low + width, v);
    bool flat = !b->volume[0] && !b->volume[1] && !b->volume[2] && !b->volume[3];
    if (known < 0 || (changes == 0 && !flat)) return;
    if (known > 0 && changes == 1 && b->volume[0] && b->volume[3]) {
        note_hit(v, low, low + width);
        return;
    }
    if (level == ORACLE_LEVELS || v->nodes >= ORACLE_NODES || flat) {
        note_touch(v, low, low + width);
        return;
    }
    Bernstein left, right;
    v->nodes++;
    halve_bernstein(b, &left, &right);
    isolate(pair, &left, low, width / 2, level + 1, v);
    isolate(pair, &right, low + width / 2, width / 2, level + 1, v);
}

// Coordinates of at most 100: 128 bits hold everything down to the last level.
static inline Verdict exact_ccd(TacCcdPair pair, const Whole3 start[4], const Whole3 end[4]) {
    Verdict v;
    memset(&v, 0, sizeof v);
    Bernstein b = make_bernstein(pair, start, end);
    isolate(pair, &b, 0, 1, 0, &v);
    return v;
}

// --- distances, in long double ----------------------------------------------------------------------------

typedef struct Long3 {
    long double v[3];
} Long3;

static inline Long3 long_between(TacVec3 a, TacVec3 b, long double t) {
    return (Long3){{a.x + t * ((long double)b.x - a.x), a.y + t * ((long double)b.y - a.y),
                    a.z + t * ((long double)b.z - a.z)}};
}

static inline Long3 long_axpy(Long3 a, long double s, Long3 b) {
    return (Long3){{a.v[0] + s * b.v[0], a.v[1] + s * b.v[1], a.v[2] + s * b.v[2]}};
}

static inline long double long_dot(Long3 a, Long3 b) {
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static inline long double long_clamp(long double a) {
    return a < 0 ? 0 : a > 1 ? 1 : a;
}

static inline long double point_edge_distance(Long3 p, Long3 a, Long3 b) {
    Long3 e = long_axpy(b, -1, a), r = long_axpy(p, -1, a);
    long double ee = long_dot(e, e), s = ee > 0 ? long_clamp(long_dot(r, e) / ee) : 0;
    r = long_axpy(r, -s, e);
    return sqrtl(long_dot(r, r));
}

static inline long double least(long double a, long double b) {
    return a < b ? a : b;
}

// Inside solutions by the normal equations; else the rim.
static inline long double static_distance(TacCcdPair pair, const Long3 x[4]) {
    Long3 e, f, r;
    long double best;
    if (pair == TAC_CCD_POINT_TRIANGLE) {
        e = long_axpy(x[2], -1, x[1]), f = long_axpy(x[3], -1, x[1]), r = long_axpy(x[0], -1, x[1]);
        best = least(point_edge_distance(x[0], x[1], x[2]),
                     least(point_edge_distance(x[0], x[2], x[3]), point_edge_distance(x[0], x[3], x[1])));
    } else {
        e = long_axpy(x[1], -1, x[0]), f = long_axpy(x[2], -1, x[3]), r = long_axpy(x[2], -1, x[0]);
        best = least(least(point_edge_distance(x[0], x[2], x[3]), point_edge_distance(x[1], x[2], x[3])),
                     least(point_edge_distance(x[2], x[0], x[1]), point_edge_distance(x[3], x[0], x[1])));
    }
    // r = u e + v f in the least squares sense
    long double ee = long_dot(e, e), ef = long_dot(e, f), ff = long_dot(f, f), er = long_dot(e, r),
                fr = long_dot(f, r), det = ee * ff - ef * ef;
    if (!(det > 1e-12L * ee * ff)) return best;
    long double u = (er * ff - fr * ef) / det, v = (fr * ee - er * ef) / det;
    bool inside = u >= 0 && v >= 0 && (pair == TAC_CCD_POINT_TRIANGLE ? u + v <= 1 : u <= 1 && v <= 1);
    if (!inside) return best;
    Long3 rest = long_axpy(long_axpy(r, -u, e), -v, f);
    return least(best, sqrtl(long_dot(rest, rest)));
}

static inline double distance_at(const TacCcdInput *in, double t) {
    Long3 x[4];
    for (int i = 0; i < 4; i++) x[i] = long_between(in->start[i], in->end[i], t);
    return (double)static_distance(in->pair, x);
}

// The least distance at n + 1 even times in [from, to].
static inline double least_distance(const TacCcdInput *in, double from, double to, int n, double *when) {
    double best = INFINITY;
    for (int i = 0; i <= n; i++) {
        double t = from + (to - from) * i / n, d = distance_at(in, t);
        if (d < best) {
            best = d;
            if (when) *when = t;
        }
    }
    return best;
}

static inline double input_size(const TacCcdInput *in) {
    double size = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            TacVec3 a = tac_sub(in->start[i], in->start[j]), b = tac_sub(in->end[i], in->end[j]);
            size = fmax(size, fmax(tac_norm(a), tac_norm(b)));
        }
    return size;
}

#endif
