// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "contact/line_sweep.h"
#include "contact/audit.h"

#include <math.h>

enum {
    MOMENTS = 10,
    LOOKS = 3
}; // two roots for each side, two ends, the beginning and the end; looks between two moments

// --- what moves as one --------------------------------------------------------------------------------------

static double length_of(const TacLinePiece *pieces, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += tac_norm(tac_sub(pieces[i].ends[1], pieces[i].ends[0]));
    return sum;
}

static bool is_straight(const TacLinePiece *pieces, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (pieces[i].slides) return false;
    return true;
}

// A place that walks along a group of pieces, by parts of their whole length.
typedef struct Walk {
    const TacLinePiece *pieces;
    size_t count, at;
    double length, begin, end; // of the piece at which it is, parts
} Walk;

static Walk begin_walk(const TacLinePiece *pieces, size_t count) {
    Walk w = {pieces, count, 0, length_of(pieces, count), 0, 1};
    if (count > 1) w.end = w.length > 0 ? length_of(pieces, 1) / w.length : 0.5;
    return w;
}

static void walk_on(Walk *w) {
    w->at++;
    w->begin = w->end;
    w->end = w->at + 1 == w->count ? 1
                                   : w->begin + (w->length > 0 ? length_of(w->pieces + w->at, 1) / w->length
                                                               : (1 - w->begin) / 2);
}

static TacVec3 place_at(const Walk *w, double part) {
    const TacLinePiece *p = &w->pieces[w->at];
    double t = w->end > w->begin ? (part - w->begin) / (w->end - w->begin) : 0;
    return tac_axpy(p->ends[0], fmin(fmax(t, 0), 1), tac_sub(p->ends[1], p->ends[0]));
}

// Rule 2.
static void sweep_group(const TacLinePiece *was, size_t was_count, const TacLinePiece *is, size_t count,
                        size_t first, TacSweep each, void *data) {
    if (!is_straight(was, was_count) || !is_straight(is, count)) return;
    if (was_count > 1 && count > 1) return;
    Walk a = begin_walk(was, was_count), b = begin_walk(is, count);
    for (double part = 0; part < 1;) {
        double next = fmin(a.end, b.end);
        TacSweptPiece swept = {
            {place_at(&a, part), place_at(&a, next)}, {place_at(&b, part), place_at(&b, next)}, first + b.at};
        each(data, &swept);
        if (a.end <= next && a.at + 1 < a.count) walk_on(&a);
        if (b.end <= next && b.at + 1 < b.count) walk_on(&b);
        if (next <= part && a.at + 1 == a.count && b.at + 1 == b.count) return;
        part = next;
    }
}

// The next two pieces, from i and k on, that end at the same stop. False: there are none.
static bool find_common(const TacLinePiece *was, size_t was_count, const TacLinePiece *is, size_t count,
                        size_t *i, size_t *k) {
    for (size_t a = *i; a < was_count; a++)
        for (size_t b = *k; b < count; b++)
            if (was[a].stops[1] == is[b].stops[1]) {
                *i = a;
                *k = b;
                return true;
            }
    return false;
}

void tac_line_sweep(const TacLinePiece *was, size_t was_count, const TacLinePiece *is, size_t count,
                    TacSweep each, void *data) {
    size_t i = 0, k = 0;
    while (i < was_count && k < count) {
        size_t a = i, b = k;
        if (!find_common(was, was_count, is, count, &a, &b)) return;
        sweep_group(was + i, a + 1 - i, is + k, b + 1 - k, k, each, data);
        i = a + 1;
        k = b + 1;
    }
}

// --- passing ------------------------------------------------------------------------------------------------

// Rule 3: the axes of a triangle.
typedef struct Axes {
    TacVec3 origin, along, across, normal;
} Axes;

static bool axes_of(const TacVec3 corners[3], Axes *axes) {
    TacVec3 u = tac_sub(corners[1], corners[0]), n = tac_cross(u, tac_sub(corners[2], corners[0]));
    if (!(tac_norm(n) > 0)) return false;
    *axes = (Axes){corners[0], tac_unit(u), {0, 0, 0}, tac_unit(n)};
    axes->across = tac_cross(axes->normal, axes->along);
    return true;
}

static TacVec3 seen_from(const Axes *a, TacVec3 x) {
    TacVec3 d = tac_sub(x, a->origin);
    return tac_vec3(tac_dot(d, a->along), tac_dot(d, a->across), tac_dot(d, a->normal));
}

static size_t note_moment(double *moments, size_t count, double t) {
    if (!(t > 0 && t < 1)) return count;
    size_t i = count;
    for (; i > 0 && moments[i - 1] > t; i--) moments[i] = moments[i - 1];
    moments[i] = t;
    return count + 1;
}

// When the piece lies in one plane with the side from a along e.
static size_t note_side(double *moments, size_t count, const TacVec3 p[2], const TacVec3 q[2], TacVec3 a,
                        TacVec3 e) {
    TacVec3 d0 = tac_sub(q[0], p[0]), d1 = tac_sub(tac_sub(q[1], p[1]), d0);
    TacVec3 x0 = tac_cross(e, tac_sub(a, p[0])), x1 = tac_cross(e, tac_sub(p[0], p[1]));
    double c0 = tac_dot(d0, x0), c1 = tac_dot(d0, x1) + tac_dot(d1, x0), c2 = tac_dot(d1, x1);
    double under = c1 * c1 - 4 * c0 * c2;
    if (under < 0) return count;
    double half = -0.5 * (c1 + copysign(sqrt(under), c1));
    if (c2 != 0) count = note_moment(moments, count, half / c2);
    return half != 0 ? note_moment(moments, count, c0 / half) : count;
}

static TacVec3 between(const TacVec3 x[2], double t) {
    return tac_axpy(x[0], t, tac_sub(x[1], x[0]));
}

// The same moment as seen from where nothing turns.
static bool passes_in_space(const TacSweptPiece *swept, const TacVec3 corners_were[3],
                            const TacVec3 corners[3], const bool flat[3], double t) {
    TacVec3 piece[2], then[3];
    for (int k = 0; k < 2; k++) piece[k] = tac_axpy(swept->from[k], t, tac_sub(swept->to[k], swept->from[k]));
    for (int k = 0; k < 3; k++) then[k] = tac_axpy(corners_were[k], t, tac_sub(corners[k], corners_were[k]));
    return tac_audit_is_cut(piece, then, flat);
}

bool tac_line_passes(const TacSweptPiece *swept, const TacVec3 corners_were[3], const TacVec3 corners[3],
                     const bool flat[3]) {
    Axes before, now;
    if (!axes_of(corners_were, &before) || !axes_of(corners, &now)) return false;
    TacVec3 c[3], p[2] = {seen_from(&before, swept->from[0]), seen_from(&now, swept->to[0])},
                  q[2] = {seen_from(&before, swept->from[1]), seen_from(&now, swept->to[1])};
    double moments[MOMENTS] = {0}, low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 2; k++) {
        low = fmin(low, fmin(p[k].z, q[k].z));
        high = fmax(high, fmax(p[k].z, q[k].z));
    }
    if (low > 0 || high < 0) return false;
    for (int k = 0; k < 3; k++) c[k] = seen_from(&now, corners[k]);
    size_t count = 0;
    for (int k = 0; k < 3; k++) count = note_side(moments, count, p, q, c[k], tac_sub(c[(k + 1) % 3], c[k]));
    count = note_moment(moments, count, p[0].z / (p[0].z - p[1].z));
    count = note_moment(moments, count, q[0].z / (q[0].z - q[1].z));
    moments[count++] = 1;
    double from = 0;
    for (size_t m = 0; m < count; from = moments[m++])
        for (int look = 1; look <= LOOKS; look++) {
            double t = from + (moments[m] - from) * look / (LOOKS + 1);
            const TacVec3 piece[2] = {between(p, t), between(q, t)};
            if (tac_audit_is_cut(piece, c, flat) && passes_in_space(swept, corners_were, corners, flat, t))
                return true;
        }
    return false;
}
