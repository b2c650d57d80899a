// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Random families of cases for tactus/ccd.h, each checked against an exact or independent answer: a few for
// the unit test, many for the soak. A family returns NULL, or what went wrong.

#ifndef TACTUS_TESTS_CCD_FAMILIES_H
#define TACTUS_TESTS_CCD_FAMILIES_H

#include "ccd_oracle.h"

#include <stdio.h>

// How often each state came; so that a family in which nothing happens is noticed.
typedef struct Tally {
    long states[4];
    long strict_hits, misses, touches;
    long spent;
    int most_cells;
} Tally;

typedef struct Case {
    TacRandom random;
    Tally tally;
    char problem[2000];
} Case;

typedef const char *(*Family)(Case *c);

static inline int64_t below(Case *c, int64_t n) {
    return pick_between(&c->random, 0, n - 1);
}

static inline TacCcdPair pick_pair(Case *c) {
    return below(c, 2) ? TAC_CCD_EDGE_EDGE : TAC_CCD_POINT_TRIANGLE;
}

// A problem with everything that is needed to see it again.
static inline const char *explain(Case *c, const char *what, const TacCcdInput *in, const TacCcdResult *r) {
    int n = snprintf(c->problem, sizeof c->problem,
                     "%s: %s, d %.17g, state %d, t0 %.17g, t1 %.17g, low %g, high %g, %d cells\n", what,
                     in->pair == TAC_CCD_EDGE_EDGE ? "edge-edge" : "point-triangle", in->thickness,
                     (int)r->state, r->t0, r->t1, r->low, r->high, r->cells);
    for (int i = 0; i < 4 && n > 0 && (size_t)n < sizeof c->problem; i++)
        n += snprintf(c->problem + n, sizeof c->problem - (size_t)n, "  %a %a %a -> %a %a %a\n",
                      in->start[i].x, in->start[i].y, in->start[i].z, in->end[i].x, in->end[i].y,
                      in->end[i].z);
    return c->problem;
}

static inline void count_result(Case *c, const TacCcdResult *r) {
    c->tally.states[r->state]++;
    c->tally.spent += r->spent;
    if (r->cells > c->tally.most_cells) c->tally.most_cells = r->cells;
}

// What holds for every result, whatever was asked.
static inline const char *sanity(const TacCcdInput *in, const TacCcdResult *r) {
    if (r->state == TAC_CCD_FAILED) return "failed";
    if (!(in->from <= r->t0 && r->t0 <= r->t1 && r->t1 <= in->to)) return "times are out of order";
    if (!(r->low >= 0 && r->low <= r->high && r->high < INFINITY)) return "distances are out of order";
    if (!(r->at >= in->from && r->at <= in->to)) return "the closest time is outside";
    if (r->cells > in->most_cells) return "too many cells";
    double first = r->weights[0], second = r->weights[2] + r->weights[3];
    if (in->pair == TAC_CCD_EDGE_EDGE) first += r->weights[1];
    if (in->pair == TAC_CCD_POINT_TRIANGLE) second += r->weights[1];
    if (!(fabs(first - 1) < 1e-14 && fabs(second - 1) < 1e-14)) return "weights do not sum to 1";
    for (int i = 0; i < 4; i++)
        if ((r->weights[i] > 0) != ((r->features >> i & 1) != 0)) return "features do not fit the weights";
    if (r->state == TAC_CCD_CLEAR && !(r->low >= in->thickness)) return "clear, but not above the thickness";
    // the weights give the distance
    TacVec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        bool other = i >= (in->pair == TAC_CCD_EDGE_EDGE ? 2 : 1);
        TacVec3 x = tac_axpy(tac_scale(in->start[i], 1 - r->at), r->at, in->end[i]);
        sum = tac_axpy(sum, other ? -r->weights[i] : r->weights[i], x);
    }
    double largest = 0;
    for (int i = 0; i < 4; i++) largest = fmax(largest, tac_norm(in->start[i]) + tac_norm(in->end[i]));
    return fabs(tac_norm(sum) - r->high) <= 1e-13 * largest + 1e-149 ? NULL
                                                                     : "the weights do not give the distance";
}

static inline void copy_points(TacCcdInput *in, const Whole3 start[4], const Whole3 end[4], double scale) {
    for (int i = 0; i < 4; i++) {
        in->start[i] = scaled_vec3(start[i], scale);
        in->end[i] = scaled_vec3(end[i], scale);
    }
}

// --- integer motions against the isolated roots of the coplanarity cubic ----------------------------------

static inline const char *integer_motions(Case *c) {
    TacCcdInput in = tac_ccd_default_input(pick_pair(c));
    Whole3 start[4], end[4];
    int64_t reach = (const int64_t[]){2, 5, 20, 50}[below(c, 4)];
    bool same = below(c, 4) == 0;
    Whole3 common = pick_whole3(&c->random, reach);
    for (int i = 0; i < 4; i++) {
        start[i] = pick_whole3(&c->random, reach);
        end[i] = pick_whole3(&c->random, reach);
        // the second primitive in a common motion, as rigid things have it
        if (same && i >= (in.pair == TAC_CCD_EDGE_EDGE ? 2 : 1))
            for (int k = 0; k < 3; k++) end[i].v[k] = start[i].v[k] + common.v[k] / 2;
    }
    copy_points(&in, start, end, ldexp(1, (int)pick_between(&c->random, -20, 20)));
    Verdict v = exact_ccd(in.pair, start, end);
    TacCcdResult r;
    tac_ccd(&in, &r);
    count_result(c, &r);
    const char *odd = sanity(&in, &r);
    if (odd) return explain(c, odd, &in, &r);

    if (!v.hit && !v.touch) {
        c->tally.misses++;
        return r.state == TAC_CCD_CLEAR ? NULL : explain(c, "apart, but not told so", &in, &r);
    }
    if (v.touch) c->tally.touches++;
    if (!v.hit) return NULL;
    if (r.state == TAC_CCD_CLEAR) return explain(c, "a contact was missed", &in, &r);
    if (r.t0 > v.hit_high) return explain(c, "the contact is before t0", &in, &r);
    if (v.touch && v.touch_low <= v.hit_low) return NULL;
    c->tally.strict_hits++;
    // a crossing at a single instant within the piece, on nothing but a rounded time
    if (r.state != TAC_CCD_HIT) return explain(c, "a crossing was not proven", &in, &r);
    return r.t1 >= v.hit_low ? NULL : explain(c, "the contact is after t1", &in, &r);
}

// --- contacts by construction -----------------------------------------------------------------------------

// Weights of n points, eighths, some of them often 0.
static inline void pick_weights(Case *c, int n, int64_t *weights) {
    int64_t left = 8;
    int turn = (int)below(c, n);
    for (int i = 0; i < n; i++) weights[i] = 0;
    for (int i = 0; i < n - 1; i++) {
        int64_t w = below(c, 3) == 0 ? 0 : below(c, 4) == 0 ? left : below(c, left + 1);
        weights[(i + turn) % n] = w;
        left -= w;
    }
    weights[(n - 1 + turn) % n] = left;
}

typedef struct Touch {
    Whole3 place[4], velocity[4]; // eighths at the time of contact; eighths per unit of time
    int64_t time;                 // eighths
} Touch;

// Makes points that are degenerate in one of many ways.
static inline void degrade(Case *c, Touch *t, int first, int last) {
    int i = (int)pick_between(&c->random, first, last), j = (int)pick_between(&c->random, first, last);
    int axis = (int)below(c, 3);
    switch (below(c, 8)) {
    case 0: t->place[i] = t->place[j]; break;       // identical points
    case 1: t->velocity[i] = t->velocity[j]; break; // that move together
    case 2:
        for (int k = first; k <= last; k++) t->place[k].v[axis] = 0; // flat
        break;
    case 3:
        for (int k = 0; k < 4; k++) t->velocity[k].v[axis] = 0; // within a plane
        break;
    case 4:
        for (int k = first; k <= last; k++) t->place[k].v[axis] = t->place[k].v[(axis + 1) % 3] = 0; // a line
        break;
    case 5:
        for (int k = 0; k < 4; k++) t->velocity[k] = t->velocity[0]; // no relative motion
        break;
    case 6:
        for (int k = 0; k < 4; k++) t->velocity[k] = (Whole3){{0, 0, 0}}; // none at all
        break;
    default: break;
    }
}

// Exact doubles: all are eighths of eighths of small integers.
static inline void fly_through(TacCcdInput *in, const Touch *t, double scale, double offset) {
    for (int i = 0; i < 4; i++) {
        Whole3 start, end;
        for (int k = 0; k < 3; k++) {
            start.v[k] = 8 * t->place[i].v[k] - t->time * t->velocity[i].v[k];
            end.v[k] = 8 * t->place[i].v[k] + (8 - t->time) * t->velocity[i].v[k];
        }
        TacVec3 shift = tac_vec3(offset, -offset, offset / 2);
        in->start[i] = tac_scale(tac_add(scaled_vec3(start, 0x1p-6), shift), scale);
        in->end[i] = tac_scale(tac_add(scaled_vec3(end, 0x1p-6), shift), scale);
    }
}

// The first primitive's weighted point is put onto the second's at an exactly known time.
static inline Touch make_touch(Case *c, TacCcdPair pair) {
    Touch t;
    int split = pair == TAC_CCD_EDGE_EDGE ? 2 : 1;
    int64_t w[4];
    for (int i = 0; i < 4; i++) {
        t.place[i] = pick_whole3(&c->random, 6);
        t.velocity[i] = pick_whole3(&c->random, 40);
        for (int k = 0; k < 3; k++) t.place[i].v[k] *= 8;
    }
    t.time = below(c, 3) == 0 ? 8 * below(c, 2) : below(c, 9);
    degrade(c, &t, split, 3);
    if (below(c, 2)) degrade(c, &t, 0, 3);
    pick_weights(c, split, w);
    pick_weights(c, 4 - split, w + split);
    // move all of the first by the difference
    Whole3 gap;
    for (int k = 0; k < 3; k++) {
        int64_t here = 0, there = 0;
        for (int i = 0; i < 4; i++) {
            int64_t part = w[i] * t.place[i].v[k] / 8;
            if (i < split) here += part;
            if (i >= split) there += part;
        }
        gap.v[k] = there - here;
    }
    for (int i = 0; i < split; i++)
        for (int k = 0; k < 3; k++) t.place[i].v[k] += gap.v[k];
    // sometimes the point slides along, in lasting contact
    if (split == 1 && below(c, 4) == 0)
        for (int k = 0; k < 3; k++) t.velocity[0].v[k] = t.velocity[1].v[k];
    return t;
}

static inline const char *touching_motions(Case *c) {
    TacCcdInput in = tac_ccd_default_input(pick_pair(c));
    Touch t = make_touch(c, in.pair);
    double scale = ldexp(1, (int)pick_between(&c->random, -20, 20));
    fly_through(&in, &t, scale, below(c, 2) ? 0 : ldexp(1, (int)below(c, 30)));
    double time = (double)t.time / 8;
    // also as seen by a question about a part of the piece
    if (below(c, 4) == 0) in.from = time * tac_random_unit(&c->random);
    if (below(c, 4) == 0) in.to = time + (1 - time) * tac_random_unit(&c->random);
    TacCcdResult r;
    tac_ccd(&in, &r);
    count_result(c, &r);
    const char *odd = sanity(&in, &r);
    if (odd) return explain(c, odd, &in, &r);
    if (r.state == TAC_CCD_CLEAR) return explain(c, "a touch was missed", &in, &r);
    if (r.t0 > time) return explain(c, "the touch is before t0", &in, &r);
    bool at_end = (t.time == 0 && in.from == 0) || (t.time == 8 && in.to == 1);
    if (at_end && r.state != TAC_CCD_HIT) return explain(c, "a touch at an end was not proven", &in, &r);

    // and with thickness, from as far away
    in.thickness = scale * ldexp(1, (int)pick_between(&c->random, -30, 2));
    int axis = (int)below(c, 3);
    int split = in.pair == TAC_CCD_EDGE_EDGE ? 2 : 1;
    double lift = below(c, 2) ? 1 : 0.5 + 0.5 * tac_random_unit(&c->random);
    for (int i = 0; i < split; i++) {
        double *const coordinates[2][3] = {{&in.start[i].x, &in.start[i].y, &in.start[i].z},
                                           {&in.end[i].x, &in.end[i].y, &in.end[i].z}};
        for (int k = 0; k < 2; k++) {
            double old = *coordinates[k][axis], new = old + lift *in.thickness;
            // only exact sums keep the case exact
            if (new - old != lift * in.thickness) return NULL;
            *coordinates[k][axis] = new;
        }
    }
    tac_ccd(&in, &r);
    odd = sanity(&in, &r);
    if (odd) return explain(c, odd, &in, &r);
    if (r.state == TAC_CCD_CLEAR) return explain(c, "a touch of thickness was missed", &in, &r);
    return r.t0 > time ? explain(c, "the touch of thickness is before t0", &in, &r) : NULL;
}

// --- real motions against sampled distances ---------------------------------------------------------------

static inline TacVec3 pick_vec3(Case *c, double reach) {
    return tac_vec3(tac_random_between(&c->random, -reach, reach),
                    tac_random_between(&c->random, -reach, reach),
                    tac_random_between(&c->random, -reach, reach));
}

static inline void pick_motion(Case *c, TacCcdInput *in, double scale) {
    TacVec3 common = pick_vec3(c, scale);
    double own = below(c, 2) ? scale : 0.1 * scale, flat = below(c, 4) ? 1 : 1e-7;
    for (int i = 0; i < 4; i++) {
        in->start[i] = pick_vec3(c, scale);
        in->start[i].z *= flat;
        in->end[i] = tac_add(tac_add(in->start[i], pick_vec3(c, own)), i ? common : (TacVec3){0, 0, 0});
    }
    // slivers
    if (below(c, 4) == 0) in->start[3] = tac_add(in->start[2], pick_vec3(c, 1e-6 * scale));
}

// Moves the first primitive so that, at a random time, a point of it is at nearly the thickness from one of
// the other.
static inline void aim(Case *c, TacCcdInput *in, double scale) {
    double t = tac_random_unit(&c->random), u = tac_random_unit(&c->random), v = tac_random_unit(&c->random);
    double off = below(c, 3) ? pow(10, -tac_random_between(&c->random, 1, 16)) : 0;
    TacVec3 x[4], side = tac_scale(tac_unit(pick_vec3(c, 1)), in->thickness + off * scale);
    for (int i = 0; i < 4; i++) x[i] = tac_axpy(tac_scale(in->start[i], 1 - t), t, in->end[i]);
    bool edges = in->pair == TAC_CCD_EDGE_EDGE;
    TacVec3 here = edges ? tac_axpy(tac_scale(x[0], 1 - u), u, x[1]) : x[0], there;
    if (edges) there = tac_axpy(tac_scale(x[2], 1 - v), v, x[3]);
    if (!edges) there = tac_add(tac_scale(x[1], u), tac_scale(tac_add(x[2], x[3]), (1 - u) / 2));
    // across both, so that this is the nearest point
    if (below(c, 2)) {
        TacVec3 normal =
            tac_cross(tac_sub(x[edges ? 1 : 2], x[edges ? 0 : 1]), tac_sub(x[3], x[edges ? 2 : 1]));
        side = tac_scale(tac_unit(normal), in->thickness + off * scale);
    }
    TacVec3 shift = tac_add(tac_sub(there, here), side);
    for (int i = 0; i < (edges ? 2 : 1); i++) {
        in->start[i] = tac_add(in->start[i], shift);
        in->end[i] = tac_add(in->end[i], shift);
    }
}

static inline const char *thick_motions(Case *c) {
    TacCcdInput in = tac_ccd_default_input(pick_pair(c));
    double scale = pow(10, (double)pick_between(&c->random, -6, 6));
    pick_motion(c, &in, scale);
    in.thickness = below(c, 4) ? scale * pow(10, -tac_random_between(&c->random, 0, 4)) : 0;
    if (below(c, 4)) aim(c, &in, scale);
    if (below(c, 3) == 0) in.tolerance = 1e-3 * scale * tac_random_unit(&c->random);
    if (below(c, 3) == 0) in.from = tac_random_unit(&c->random);
    if (below(c, 3) == 0) in.to = in.from + (1 - in.from) * tac_random_unit(&c->random);
    TacCcdResult r;
    tac_ccd(&in, &r);
    count_result(c, &r);
    const char *odd = sanity(&in, &r);
    if (odd) return explain(c, odd, &in, &r);

    double noise = 1e-12 * scale, when = 0, d = in.thickness;
    double all = least_distance(&in, in.from, in.to, 200, &when);
    if (r.state == TAC_CCD_CLEAR)
        return all < r.low - noise ? explain(c, "nearer than the lower bound", &in, &r) : NULL;
    if (r.t0 > in.from && least_distance(&in, in.from, r.t0, 100, NULL) < d - noise)
        return explain(c, "a contact before t0", &in, &r);
    // nothing moves farther than this between two samples
    double step = 8 * scale * (r.t1 - r.t0) / 200, near = least_distance(&in, r.t0, r.t1, 200, NULL);
    double doubt = r.state == TAC_CCD_UNSURE ? in.tolerance + 0x1p-40 * input_size(&in) : 0;
    if (!r.spent && near > d + step + noise + doubt) return explain(c, "no contact in [t0, t1]", &in, &r);
    // doubt is rare where no tolerance was asked for
    if (r.state == TAC_CCD_UNSURE && in.tolerance == 0 && fabs(all - d) > 1e-6 * scale && d > 0)
        return explain(c, "needless doubt", &in, &r);
    return NULL;
}

// The same question asked in other words.
static inline const char *other_words(Case *c) {
    TacCcdInput in = tac_ccd_default_input(pick_pair(c)), other;
    pick_motion(c, &in, 1);
    in.thickness = below(c, 2) ? 0.1 : 0;
    if (below(c, 4)) aim(c, &in, 1);
    other = in;
    int turn = in.pair == TAC_CCD_EDGE_EDGE ? (int)below(c, 8) : (int)below(c, 6);
    static const int TRIANGLES[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                        {0, 1, 3, 2}, {0, 3, 2, 1}, {0, 2, 1, 3}};
    static const int EDGES[8][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2},
                                    {2, 3, 0, 1}, {3, 2, 0, 1}, {2, 3, 1, 0}, {3, 2, 1, 0}};
    bool backwards = below(c, 2), mirrored = below(c, 2);
    int axis = (int)below(c, 3);
    for (int i = 0; i < 4; i++) {
        int j = in.pair == TAC_CCD_EDGE_EDGE ? EDGES[turn][i] : TRIANGLES[turn][i];
        double s[3], e[3];
        tac_store3(s, backwards ? in.end[j] : in.start[j]);
        tac_store3(e, backwards ? in.start[j] : in.end[j]);
        if (mirrored) s[0] = -s[0], e[0] = -e[0];
        other.start[i] = tac_vec3(s[axis], s[(axis + 1) % 3], s[(axis + 2) % 3]);
        other.end[i] = tac_vec3(e[axis], e[(axis + 1) % 3], e[(axis + 2) % 3]);
    }
    TacCcdResult r, q;
    tac_ccd(&in, &r);
    tac_ccd(&other, &q);
    count_result(c, &r);
    // doubt may come and go with rounding; proofs may not contradict each other
    bool doubt = r.state == TAC_CCD_UNSURE || q.state == TAC_CCD_UNSURE;
    double low = fmin(r.high, q.high), close = fabs(low - in.thickness);
    if (r.state != q.state && (!doubt || close > 1e-9))
        return explain(c, "another answer in other words", &in, &r);
    if (doubt) return NULL;
    if (backwards || r.state == TAC_CCD_CLEAR) return NULL;
    return fmax(r.t0, q.t0) <= fmin(r.t1, q.t1) ? NULL : explain(c, "other times in other words", &in, &r);
}

// --- exact predicates -------------------------------------------------------------------------------------

// Signs of volumes, of points that are nearly coplanar or exactly so, stretched along the axes.
static inline const char *orientations(Case *c) {
    Whole3 x[4];
    int64_t reach = (int64_t)1 << pick_between(&c->random, 1, 38);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            x[i].v[k] = (int64_t)((tac_random_unit(&c->random) * 2 - 1) * (double)reach);
    if (below(c, 4)) {
        // d in the plane of the others, or one unit beside
        int64_t m = below(c, 3), n = below(c, 3);
        for (int k = 0; k < 3; k++) {
            x[3].v[k] = x[0].v[k] + m * (x[1].v[k] - x[0].v[k]) - n * (x[2].v[k] - x[0].v[k]);
            if (below(c, 3) == 0) x[3].v[k] += pick_between(&c->random, -1, 1);
        }
    }
    int expected = wide_sign(whole_volume(x[0], x[1], x[2], x[3]));
    TacVec3 p[4];
    // even stretching, and mirroring along none: the sign stays
    double sx = ldexp(1, (int)pick_between(&c->random, -60, 60)),
           sy = ldexp(1, (int)pick_between(&c->random, -60, 60)),
           sz = ldexp(1, (int)pick_between(&c->random, -60, 60));
    for (int i = 0; i < 4; i++)
        p[i] = tac_vec3((double)x[i].v[0] * sx, (double)x[i].v[1] * sy, (double)x[i].v[2] * sz);
    if (expected == 0) c->tally.touches++;
    if (expected != 0) c->tally.misses++;
    if (tac_orient3d(p[0], p[1], p[2], p[3]) != expected) return "orientation has another sign";
    if (tac_orient3d(p[1], p[0], p[2], p[3]) != -expected) return "orientation ignores order";
    if (tac_orient3d(p[3], p[1], p[2], p[0]) != -expected) return "orientation ignores roles";
    return NULL;
}

static inline const char *static_meetings(Case *c) {
    Whole3 x[6];
    TacVec3 p[6];
    int64_t reach = (const int64_t[]){1, 2, 4, 12}[below(c, 4)];
    int flat = (int)below(c, 6);
    for (int i = 0; i < 6; i++) {
        x[i] = pick_whole3(&c->random, reach);
        if (flat < 3) x[i].v[flat] = flat == 1 ? x[i].v[0] + x[i].v[2] : 1;
    }
    // a scale that is not a power of two rounds nothing as long as the products fit
    double scale = ldexp(3, (int)pick_between(&c->random, -40, 40));
    for (int i = 0; i < 6; i++) p[i] = scaled_vec3(x[i], scale);
    bool meet = exact_triangles_meet(x, x + 3);
    c->tally.touches += meet;
    c->tally.misses += !meet;
    if (tac_point_meets_triangle(p[0], p + 1) != exact_point_meets_triangle(x[0], x + 1))
        return "point and triangle";
    if (tac_edges_meet(p[0], p[1], p[2], p[3]) != exact_edges_meet(x[0], x[1], x[2], x[3])) return "edges";
    if (tac_edge_meets_triangle(p[0], p[1], p + 2) != exact_edge_meets_triangle(x[0], x[1], x + 2))
        return "edge and triangle";
    if (tac_triangles_meet(p, p + 3) != meet) return "triangles";
    return tac_triangles_meet(p + 3, p) == meet ? NULL : "triangles, exchanged";
}

// In one plane, on one line or as near to it as can be, and so large that products of coordinates round:
// convergents of a continued fraction are vectors whose determinant is 1.
static inline const char *flat_meetings(Case *c) {
    Whole3 x[4], along = {{0, 0, 0}}, beside = {{0, 0, 0}}, corner = pick_whole3(&c->random, 1 << 28);
    int axis = (int)below(c, 3), i = (axis + 1) % 3, j = (axis + 2) % 3;
    along.v[i] = beside.v[j] = 1;
    while (along.v[i] < 1 << 25 && along.v[j] < 1 << 25) {
        int64_t quotient = pick_between(&c->random, 1, 5);
        Whole3 next = beside;
        for (int k = 0; k < 3; k++) next.v[k] += quotient * along.v[k];
        beside = along;
        along = next;
    }
    for (int n = 0; n < 4; n++) {
        int64_t steps = pick_between(&c->random, -3, 3);
        int64_t off = below(c, 2) ? 0 : pick_between(&c->random, -1, 1);
        for (int k = 0; k < 3; k++) x[n].v[k] = corner.v[k] + steps * along.v[k] + off * beside.v[k];
    }
    TacVec3 p[4];
    for (int n = 0; n < 4; n++) p[n] = scaled_vec3(x[n], 0x1p-30);
    bool edges = exact_edges_meet(x[0], x[1], x[2], x[3]), inside = exact_point_meets_triangle(x[0], x + 1);
    c->tally.touches += edges || inside;
    c->tally.misses += !edges && !inside;
    if (tac_edges_meet(p[0], p[1], p[2], p[3]) != edges) return "edges in a plane";
    return tac_point_meets_triangle(p[0], p + 1) == inside ? NULL : "point and triangle in a plane";
}

// --- many triangles ---------------------------------------------------------------------------------------

enum { SOUP_POINTS = 60, SOUP_TRIANGLES = 80, SOUP_EDGES = 40 };

static inline bool shares_point(const int32_t *a, int n, const int32_t *t) {
    for (int i = 0; i < n; i++)
        if (a[i] == t[0] || a[i] == t[1] || a[i] == t[2]) return true;
    return false;
}

static inline bool soup_edge_meets(const Whole3 *x, int32_t a, int32_t b, const int32_t *t) {
    const int32_t edge[2] = {a, b};
    const Whole3 corners[3] = {x[t[0]], x[t[1]], x[t[2]]};
    return !shares_point(edge, 2, t) && exact_edge_meets_triangle(x[a], x[b], corners);
}

static inline bool soup_triangles_meet(const Whole3 *x, const int32_t *s, const int32_t *t) {
    for (int i = 0; i < 3; i++)
        if (soup_edge_meets(x, s[i], s[(i + 1) % 3], t) || soup_edge_meets(x, t[i], t[(i + 1) % 3], s))
            return true;
    return false;
}

static inline const char *triangle_soups(Case *c) {
    Whole3 x[SOUP_POINTS];
    double points[3 * SOUP_POINTS];
    int32_t triangles[3 * SOUP_TRIANGLES], edges[2 * SOUP_EDGES];
    int64_t reach = pick_between(&c->random, 1, 60);
    for (int i = 0; i < SOUP_POINTS; i++) {
        x[i] = pick_whole3(&c->random, reach);
        // neighbours in number are neighbours in space, mostly
        for (int k = 0; k < 3 && i % 6; k++) x[i].v[k] = x[i - 1].v[k] + pick_between(&c->random, -5, 5);
        for (int k = 0; k < 3; k++) points[3 * i + k] = (double)x[i].v[k] * 0.25;
    }
    for (int i = 0; i < SOUP_TRIANGLES; i++) {
        int64_t first = below(c, SOUP_POINTS - 6);
        for (int k = 0; k < 3; k++) triangles[3 * i + k] = (int32_t)(first + below(c, 6));
    }
    // or a point that many have in common, in the midst of them or at their side
    int32_t hub = (int32_t)below(c, SOUP_POINTS);
    int64_t fans = below(c, 3);
    for (int i = 0; i < SOUP_TRIANGLES && fans; i++)
        if (fans > 1 || below(c, 2)) triangles[3 * i + below(c, 3)] = hub;
    for (int i = 0; i < 2 * SOUP_EDGES; i++) edges[i] = (int32_t)(below(c, 6) + i / 2);
    TacMeeting *found;
    size_t count, n = 0;
    size_t triangle_count = (size_t)below(c, SOUP_TRIANGLES + 1),
           edge_count = (size_t)below(c, SOUP_EDGES + 1);
    if (tac_triangle_meetings(points, SOUP_POINTS, triangles, triangle_count, 0, &found, &count, NULL))
        return "triangles: no answer";
    const char *problem = NULL;
    for (size_t i = 0; i < triangle_count; i++)
        for (size_t j = i + 1; j < triangle_count; j++) {
            if (!soup_triangles_meet(x, triangles + 3 * i, triangles + 3 * j)) continue;
            if (n >= count || found[n].first != (int32_t)i || found[n].second != (int32_t)j)
                problem = "triangles: a meeting was missed";
            n++;
        }
    if (n != count) problem = "triangles: another number of meetings";
    free(found);
    c->tally.touches += n > 0;
    if (problem) return problem;
    if (tac_edge_triangle_meetings(points, SOUP_POINTS, edges, edge_count, triangles, triangle_count, 0,
                                   &found, &count, NULL))
        return "edges: no answer";
    n = 0;
    for (size_t i = 0; i < edge_count; i++)
        for (size_t j = 0; j < triangle_count; j++) {
            if (!soup_edge_meets(x, edges[2 * i], edges[2 * i + 1], triangles + 3 * j)) continue;
            if (n >= count || found[n].first != (int32_t)i || found[n].second != (int32_t)j)
                problem = "edges: a meeting was missed";
            n++;
        }
    free(found);
    return n != count ? "edges: another number of meetings" : problem;
}

// --- curved motion ----------------------------------------------------------------------------------------

// Points thrown with accelerations of their own: x(t) = a + v t + g t^2 / 2.
typedef struct Throw {
    TacVec3 place[4], velocity[4], gravity[4];
} Throw;

static inline bool thrown(void *context, double time, TacVec3 points[4]) {
    const Throw *t = context;
    for (int i = 0; i < 4; i++)
        points[i] = tac_axpy(tac_axpy(t->place[i], time, t->velocity[i]), 0.5 * time * time, t->gravity[i]);
    return true;
}

static inline double thrown_distance(Throw *t, TacCcdPair pair, double time) {
    TacCcdInput in = tac_ccd_default_input(pair);
    thrown(t, time, in.start);
    thrown(t, time, in.end);
    return distance_at(&in, 0);
}

static inline double least_thrown(Throw *t, TacCcdPair pair, double from, double to, int n) {
    double best = INFINITY;
    for (int i = 0; i <= n; i++) best = fmin(best, thrown_distance(t, pair, from + (to - from) * i / n));
    return best;
}

static inline const char *thrown_motions(Case *c) {
    Throw t;
    TacCcdPair pair = pick_pair(c);
    TacCcdCurve curve = tac_ccd_default_curve(pair);
    for (int i = 0; i < 4; i++) {
        t.place[i] = pick_vec3(c, 1);
        t.velocity[i] = pick_vec3(c, 2);
        t.gravity[i] = pick_vec3(c, below(c, 3) ? 4 : 0);
        curve.acceleration[i] = 1.001 * tac_norm(t.gravity[i]);
    }
    curve.motion = thrown;
    curve.context = &t;
    curve.begin = tac_random_unit(&c->random) - 0.5;
    curve.end = curve.begin + tac_random_unit(&c->random);
    curve.position_error = 1e-14;
    curve.thickness = below(c, 2) ? 0.3 * tac_random_unit(&c->random) : 0;
    TacCcdResult r;
    tac_ccd_curved(&curve, &r);
    count_result(c, &r);
    TacCcdInput shown = {.pair = pair, .thickness = curve.thickness};
    thrown(&t, curve.begin, shown.start);
    thrown(&t, curve.end, shown.end);
    if (r.state == TAC_CCD_FAILED || !(curve.begin <= r.t0 && r.t0 <= r.t1 && r.t1 <= curve.end))
        return explain(c, "thrown: failed, or times out of order", &shown, &r);
    double d = curve.thickness, before = least_thrown(&t, pair, curve.begin, r.t0, 150);
    if (r.state == TAC_CCD_CLEAR)
        return before < r.low - 1e-12 ? explain(c, "thrown: a contact was missed", &shown, &r) : NULL;
    if (r.t0 > curve.begin && before < d - 1e-12)
        return explain(c, "thrown: a contact before t0", &shown, &r);
    double near = least_thrown(&t, pair, r.t0, r.t1, 100);
    return near > d + 1e-9 + 10 * (r.t1 - r.t0) ? explain(c, "thrown: no contact in [t0, t1]", &shown, &r)
                                                : NULL;
}

#endif
