// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Continuous collision detection for point-triangle and edge-edge. tactus/ccd.h says what is promised, and
// why it is certain.
//
// The search halves time, earliest span first. Of each span it asks two things: is it surely clear (some
// direction separates all corner differences at both ends; which one is guessed, whether it does is proven),
// and does it surely hold a contact. What can be neither shown nor halved is in doubt; after the first doubt
// only a proof of a hit is still wanted, so the rest is looked at coarsely. Touches nothing but its
// arguments.

#include "tactus/ccd.h"

#include "base/memory.h"
#include "geometry/interval.h"

#include <float.h>

// Halvings of a double in [0, 1] end at its last bit: a stack never holds more spans.
enum { DEEPEST = 1100 };

static const double UNIT = 0x1p-53;
static const double LARGEST_COORDINATE = 1e60;
static const double BRACKET = 0x1p-20;         // of the span asked about: how closely a hit is timed
static const double COARSE = 0x1p-8;           // of the span asked about: how finely to look on after a doubt
static const double SQUARE_UNDERFLOW = 1e-150; // m: a distance whose square underflows loses less
static const double FINEST_MOTION = 0x1p-47;   // of the size: motion below this is rounding

// --- a piece of motion ------------------------------------------------------------------------------------

// Four points on straight lines, each known up to a ball around its place.
typedef struct Piece {
    TacCcdPair pair;
    TacVec3 start[4], end[4];
    double blur[4];          // m: radius of each point's ball
    int corners;             // 3 or 4
    TacVec3 first[4];        // corner differences at t = 0
    TacVec3 last[4];         // and at t = 1
    double size;             // largest |component| of these
    double travel;           // no corner difference moves farther, m
    double margin;           // what the blurs can change of a distance, m
    double thickness, reach; // m; reach: thickness and margin, rounded up
} Piece;

// The two points whose difference each corner is.
static const int CORNER_POINTS[2][4][2] = {
    {{0, 1}, {0, 2}, {0, 3}, {0, 0}},
    {{0, 2}, {1, 2}, {0, 3}, {1, 3}},
};

static double largest_part(TacVec3 a) {
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

static double part(TacVec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static TacVec3 between(TacVec3 a, TacVec3 b, double t) {
    return tac_axpy(tac_scale(a, 1 - t), t, b);
}

static bool is_usable(const TacVec3 points[4]) {
    for (int i = 0; i < 4; i++) {
        // written so that NaN is refused
        if (!(fabs(points[i].x) <= LARGEST_COORDINATE)) return false;
        if (!(fabs(points[i].y) <= LARGEST_COORDINATE)) return false;
        if (!(fabs(points[i].z) <= LARGEST_COORDINATE)) return false;
    }
    return true;
}

static double blur_of_difference(const Piece *p) {
    const double *b = p->blur;
    double sum = p->pair == TAC_CCD_EDGE_EDGE ? fmax(b[0], b[1]) + fmax(b[2], b[3])
                                              : b[0] + fmax(b[1], fmax(b[2], b[3]));
    return sum * (1 + 8 * UNIT);
}

static void set_thickness(Piece *p, double thickness) {
    double reach = thickness + p->margin;
    p->thickness = thickness;
    p->reach = reach > 0 ? reach * (1 + 8 * UNIT) + DBL_MIN : 0;
}

static Piece make_piece(TacCcdPair pair, const TacVec3 start[4], const TacVec3 end[4], const double blur[4],
                        double thickness) {
    Piece p = {.pair = pair, .corners = pair == TAC_CCD_EDGE_EDGE ? 4 : 3};
    memcpy(p.start, start, sizeof p.start);
    memcpy(p.end, end, sizeof p.end);
    memcpy(p.blur, blur, sizeof p.blur);
    for (int j = 0; j < p.corners; j++) {
        const int *ends = CORNER_POINTS[pair == TAC_CCD_EDGE_EDGE][j];
        p.first[j] = tac_sub(start[ends[0]], start[ends[1]]);
        p.last[j] = tac_sub(end[ends[0]], end[ends[1]]);
        p.size = fmax(p.size, fmax(largest_part(p.first[j]), largest_part(p.last[j])));
        p.travel = fmax(p.travel, tac_norm(tac_sub(p.last[j], p.first[j])));
    }
    p.margin = blur_of_difference(&p);
    set_thickness(&p, thickness);
    return p;
}

static void corners_at(const Piece *p, double t, TacVec3 *corners) {
    for (int j = 0; j < p->corners; j++) corners[j] = between(p->first[j], p->last[j], t);
}

// --- closest points at one time: guesses, on which no proof rests -----------------------------------------

typedef struct Closest {
    TacVec3 difference; // between the two closest points
    TacVec3 normal;     // across both, where they meet inside; else zero
    double square;      // |difference|^2
    double weights[4];  // of the corner differences
} Closest;

static void consider(Closest *best, const TacVec3 *corners, int count, const double weights[4],
                     TacVec3 normal) {
    TacVec3 sum = {0, 0, 0};
    for (int j = 0; j < count; j++) sum = tac_axpy(sum, weights[j], corners[j]);
    double square = tac_dot(sum, sum);
    if (!(square < best->square)) return;
    best->difference = sum;
    best->normal = normal;
    best->square = square;
    memcpy(best->weights, weights, sizeof best->weights);
}

// The point nearest to the origin on the segment between corners i and j.
static void consider_side(Closest *best, const TacVec3 *corners, int count, int i, int j) {
    TacVec3 along = tac_sub(corners[j], corners[i]);
    double length2 = tac_dot(along, along), s = 0;
    if (length2 > 0) s = fmin(1, fmax(0, -tac_dot(corners[i], along) / length2));
    double weights[4] = {0, 0, 0, 0};
    weights[i] = 1 - s;
    weights[j] = s;
    consider(best, corners, count, weights, (TacVec3){0, 0, 0});
}

static void consider_inside_triangle(Closest *best, const TacVec3 c[3]) {
    TacVec3 normal = tac_cross(tac_sub(c[1], c[0]), tac_sub(c[2], c[0]));
    double square = tac_dot(normal, normal);
    if (!(square > 0)) return;
    double w1 = tac_dot(tac_cross(c[2], c[0]), normal) / square,
           w2 = tac_dot(tac_cross(c[0], c[1]), normal) / square;
    if (w1 >= 0 && w2 >= 0 && w1 + w2 <= 1)
        consider(best, c, 3, (const double[4]){1 - w1 - w2, w1, w2, 0}, normal);
}

// Corners are 0-2, 1-2, 0-3, 1-3: a parallelogram around c0 + u (c1 - c0) + v (c2 - c0).
static void consider_inside_parallelogram(Closest *best, const TacVec3 c[4]) {
    TacVec3 e = tac_sub(c[1], c[0]), f = tac_sub(c[2], c[0]), normal = tac_cross(e, f);
    double square = tac_dot(normal, normal);
    if (!(square > 0)) return;
    double u = -tac_dot(tac_cross(c[0], f), normal) / square,
           v = tac_dot(tac_cross(c[0], e), normal) / square;
    if (u >= 0 && u <= 1 && v >= 0 && v <= 1)
        consider(best, c, 4, (const double[4]){(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}, normal);
}

static Closest closest_at(const Piece *p, double t) {
    TacVec3 c[4];
    Closest best = {.square = INFINITY};
    corners_at(p, t, c);
    if (p->corners == 3) {
        consider_side(&best, c, 3, 0, 1);
        consider_side(&best, c, 3, 1, 2);
        consider_side(&best, c, 3, 2, 0);
        consider_inside_triangle(&best, c);
    } else {
        consider_side(&best, c, 4, 0, 1);
        consider_side(&best, c, 4, 2, 3);
        consider_side(&best, c, 4, 0, 2);
        consider_side(&best, c, 4, 1, 3);
        consider_inside_parallelogram(&best, c);
    }
    return best;
}

// A sure upper bound of the distance at the time that `closest` is of. The weights are at least 0 and sum to
// 1 up to a few roundings, so the true distance is within a few roundings of the size.
static double highest_distance(const Piece *p, const Closest *closest) {
    return sqrt(closest->square) * (1 + 16 * UNIT) + 64 * UNIT * p->size + SQUARE_UNDERFLOW + p->margin;
}

// --- proof that a span is clear ---------------------------------------------------------------------------

typedef struct Span {
    double from, to;
} Span;

// How wrong a computed n.c can be for corner differences c of this piece: the bound of the header.
static double rounding_of(const Piece *p, TacVec3 n) {
    return 16 * UNIT * (fabs(n.x) + fabs(n.y) + fabs(n.z)) * p->size + DBL_MIN;
}

// n scaled so that its largest component is 1; zero where that cannot be.
static TacVec3 scaled(TacVec3 n) {
    double scale = largest_part(n);
    if (!(scale > 0 && scale <= DBL_MAX)) return (TacVec3){0, 0, 0};
    return (TacVec3){n.x / scale, n.y / scale, n.z / scale};
}

// From a sure lower bound of n.c to one of the distance; made smaller by more than sqrt and quotient round.
static double distance_along(double above, double norm) {
    return above > 0 ? above / norm * (1 - 16 * UNIT) : -1;
}

// The lower bound that direction n gives for the distance over a span whose corner differences at both ends
// are given; -1: none. *nearest is the corner it depends on.
static double lowest_distance(const Piece *p, const TacVec3 *corners, TacVec3 n, int *nearest) {
    n = scaled(n);
    double least = INFINITY;
    for (int j = 0; j < 2 * p->corners; j++) {
        double along = tac_dot(n, corners[j]);
        if (along < least) {
            least = along;
            *nearest = j;
        }
    }
    return distance_along(least - rounding_of(p, n), tac_norm(n));
}

// The same for a direction that turns, n(t) linear from m to n over the span: m.c at the start, n.c at the
// end and the mean of m.c at the end and n.c at the start are the Bernstein coefficients of the quadratic
// n(t).c(t) and so bound it from below; |n(t)| is at most the longer of the two. This follows a rotation to
// second order, where a fixed direction loses to first.
static double lowest_while_turning(const Piece *p, const TacVec3 *corners, TacVec3 m, TacVec3 n) {
    m = scaled(m);
    n = scaled(n);
    double norm_m = tac_norm(m), norm_n = tac_norm(n), least = INFINITY;
    if (!(norm_m > 0 && norm_n > 0)) return -1;
    // equally long, so that the longer is no worse than the shorter
    m = tac_scale(m, 1 / norm_m);
    n = tac_scale(n, 1 / norm_n);
    for (int j = 0; j < p->corners; j++) {
        TacVec3 start = corners[j], end = corners[j + p->corners];
        double mixed = 0.5 * tac_dot(m, end) + 0.5 * tac_dot(n, start);
        least = fmin(least, fmin(mixed, fmin(tac_dot(m, start), tac_dot(n, end))));
    }
    // the mean rounds once more: a unit of 16 is spare
    return distance_along(least - fmax(rounding_of(p, m), rounding_of(p, n)), fmax(tac_norm(m), tac_norm(n)));
}

// From the one primitive to the other.
static TacVec3 direction_between(const Closest *closest) {
    double across = tac_dot(closest->normal, closest->difference);
    if (across == 0) return closest->difference;
    return across > 0 ? closest->normal : tac_scale(closest->normal, -1);
}

// Tries directions: across both primitives in the middle; then what Gilbert's method makes of the closest
// points (the point of the hull of all corners that is nearest to the origin); then one that turns with them.
// Returns the last lower bound; the first that is good enough ends it.
static double separation(const Piece *p, Span span, const Closest *middle) {
    enum { ROUNDS = 4 };
    TacVec3 corners[8], v = middle->difference;
    int nearest = 0;
    corners_at(p, span.from, corners);
    corners_at(p, span.to, corners + p->corners);
    double low = lowest_distance(p, corners, direction_between(middle), &nearest);
    for (int round = 0; round < ROUNDS && !(low > p->reach); round++) {
        low = lowest_distance(p, corners, v, &nearest);
        TacVec3 step = tac_sub(corners[nearest], v);
        double length2 = tac_dot(step, step), s = length2 > 0 ? -tac_dot(v, step) / length2 : 0;
        if (!(s > 0)) break;
        v = tac_axpy(v, fmin(s, 1), step);
    }
    if (low > p->reach) return low;
    Closest first = closest_at(p, span.from), last = closest_at(p, span.to);
    return lowest_while_turning(p, corners, direction_between(&first), direction_between(&last));
}

// --- proof that a span holds a contact --------------------------------------------------------------------

// The points 1, 2, 3 as seen from point 0.
typedef struct Seen {
    Interval d[3][3];
} Seen;

static Interval place(double start, double end, double t) {
    Interval s = interval_of(t);
    return interval_add(interval_mul(interval_sub(interval_of(1), s), interval_of(start)),
                        interval_mul(s, interval_of(end)));
}

static Interval seen_place(const Piece *p, int point, int axis, double t) {
    Interval a = interval_sub(interval_of(part(p->start[point], axis)), interval_of(part(p->start[0], axis)));
    Interval b = interval_sub(interval_of(part(p->end[point], axis)), interval_of(part(p->end[0], axis)));
    Interval low = place(a.low, b.low, t), high = place(a.high, b.high, t);
    double blur = p->blur[0] + p->blur[point];
    return interval_add((Interval){low.low, high.high}, (Interval){-blur, blur});
}

static Seen seen_at(const Piece *p, double t) {
    Seen seen;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) seen.d[i][k] = seen_place(p, i + 1, k, t);
    return seen;
}

// Places are linear in time, so those during a span lie between those at its ends.
static Seen seen_during(const Seen *a, const Seen *b) {
    Seen seen;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) seen.d[i][k] = interval_hull(a->d[i][k], b->d[i][k]);
    return seen;
}

static Interval cross_along(int axis, const Interval a[3], const Interval b[3]) {
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return interval_sub(interval_mul(a[i], b[j]), interval_mul(a[j], b[i]));
}

// The sign of the volume that the four points span.
static int volume_sign(const Seen *s) {
    Interval volume = interval_mul(s->d[0][0], cross_along(0, s->d[1], s->d[2]));
    for (int k = 1; k < 3; k++)
        volume = interval_add(volume, interval_mul(s->d[0][k], cross_along(k, s->d[1], s->d[2])));
    return interval_sign(volume);
}

static void subtract(const Interval a[3], const Interval b[3], Interval difference[3]) {
    for (int k = 0; k < 3; k++) difference[k] = interval_sub(a[k], b[k]);
}

// Seen along the axis: is point 0 surely strictly inside the triangle, do the edges surely cross?
static bool crosses_along(TacCcdPair pair, int axis, const Seen *s) {
    const Interval *p1 = s->d[0], *p2 = s->d[1], *p3 = s->d[2];
    int s12 = interval_sign(cross_along(axis, p1, p2)), s23 = interval_sign(cross_along(axis, p2, p3));
    if (pair == TAC_CCD_POINT_TRIANGLE)
        return s12 != 0 && s12 == s23 && s23 == interval_sign(cross_along(axis, p3, p1));
    // 2 and 3 on different sides of the line 01, and 0 and 1 of the line 23
    int s13 = interval_sign(cross_along(axis, p1, p3));
    Interval along[3], other[3];
    subtract(p3, p2, along);
    subtract(p1, p2, other);
    return s12 * s13 < 0 && s23 * interval_sign(cross_along(axis, along, other)) < 0;
}

// The four points become coplanar during the span, and then, seen along an axis that is not in their plane,
// the two primitives overlap: they meet.
static bool surely_cross(const Piece *p, Span span, const Closest *middle) {
    Seen before = seen_at(p, span.from), after = seen_at(p, span.to);
    if (volume_sign(&before) * volume_sign(&after) >= 0) return false;
    Seen during = seen_during(&before, &after);
    TacVec3 n = middle->normal;
    int axis = fabs(n.x) >= fabs(n.y) ? 0 : 1;
    if (fabs(n.z) > fmax(fabs(n.x), fabs(n.y))) axis = 2;
    return crosses_along(p->pair, axis, &during);
}

// --- the search -------------------------------------------------------------------------------------------

typedef struct Search {
    const Piece *piece;
    Span all;
    double smallest_motion; // m: spans in which less happens are not halved
    bool stop_at_doubt;     // the caller will ask again, better
    int most_cells, cells;
    double low;          // over the spans that are clear
    double proven;       // there is a contact at this time or before; infinite: none is known
    Span doubt;          // from the first to the last time in doubt; from > to: none
    double nearest_time; // of the closest approach seen
    Closest nearest;
    bool spent;
} Search;

static bool in_doubt(const Search *s) {
    return s->doubt.from <= s->doubt.to;
}

static void add_doubt(Search *s, Span span) {
    if (!in_doubt(s)) s->doubt.from = span.from;
    s->doubt.to = span.to;
}

static bool is_clear(Search *s, Span span, const Closest *middle) {
    // what touches in the middle needs no attempt
    if (!(sqrt(middle->square) > s->piece->reach)) return false;
    double low = separation(s->piece, span, middle);
    if (!(low > s->piece->reach)) return false;
    s->low = fmin(s->low, low - s->piece->margin);
    return true;
}

// Crossings are looked for in a span that is wider by half on both sides, lest they fall on its ends. What
// was passed before the span is clear or in doubt, so a crossing there is one before its end all the same.
static void look_for_proof(Search *s, Span span, double time, const Closest *middle) {
    double thickness = s->piece->thickness, half = 0.5 * (span.to - span.from);
    Span wide = {fmax(s->all.from, span.from - half), fmin(s->all.to, span.to + half)};
    if (thickness > 0 && highest_distance(s->piece, middle) <= thickness) s->proven = fmin(s->proven, time);
    if (s->proven > wide.to && largest_part(middle->normal) > 0 && surely_cross(s->piece, wide, middle))
        s->proven = wide.to;
}

// Is the contact that is proven timed well enough?
static bool is_timed(const Search *s, Span span) {
    return s->proven - span.from <= BRACKET * (s->all.to - s->all.from);
}

// With a proof in hand, what comes right after the first doubt can still time the contact better; no more.
static bool is_late(const Search *s, Span span) {
    return in_doubt(s) && s->proven <= s->all.to &&
           span.from - s->doubt.from > BRACKET * (s->all.to - s->all.from);
}

static bool is_fine(const Search *s, Span span, double middle) {
    double width = span.to - span.from, all = s->all.to - s->all.from;
    if (!(span.from < middle && middle < span.to)) return true;
    if (in_doubt(s) && width <= (s->proven <= s->all.to ? BRACKET : COARSE) * all) return true;
    return width * s->piece->travel <= s->smallest_motion;
}

static void search_spans(Search *s) {
    Span stack[DEEPEST + 2];
    int depth = 0;
    stack[depth++] = s->all;
    while (depth > 0) {
        Span span = stack[--depth];
        if (span.from >= s->proven || is_late(s, span)) return;
        if (s->cells >= s->most_cells) {
            s->spent = true;
            add_doubt(s, (Span){span.from, s->all.to});
            return;
        }
        s->cells++;
        double time = span.from + 0.5 * (span.to - span.from);
        Closest middle = closest_at(s->piece, time);
        if (middle.square < s->nearest.square) {
            s->nearest = middle;
            s->nearest_time = time;
        }
        if (is_clear(s, span, &middle)) continue;
        look_for_proof(s, span, time, &middle);
        bool timed = is_timed(s, span);
        if (timed || depth >= DEEPEST || is_fine(s, span, time)) {
            add_doubt(s, span);
            if (timed || s->stop_at_doubt) return;
            continue;
        }
        stack[depth++] = (Span){time, span.to};
        stack[depth++] = (Span){span.from, time};
    }
}

static Search make_search(const Piece *piece, Span all, double tolerance, int most_cells) {
    double finest = fmax(FINEST_MOTION * piece->size, piece->margin);
    return (Search){.piece = piece,
                    .all = all,
                    .smallest_motion = fmax(tolerance, finest),
                    .most_cells = most_cells,
                    .low = INFINITY,
                    .proven = INFINITY,
                    .doubt = {1, 0},
                    .nearest_time = all.from,
                    .nearest = {.square = INFINITY}};
}

static TacCcdState state_of(const Search *s) {
    if (s->proven <= s->all.to) return TAC_CCD_HIT;
    return in_doubt(s) ? TAC_CCD_UNSURE : TAC_CCD_CLEAR;
}

// Which of the four points hold the two closest ones.
static void describe_closest(const Piece *p, const Closest *closest, TacCcdResult *result) {
    for (int j = 0; j < p->corners; j++) {
        const int *ends = CORNER_POINTS[p->pair == TAC_CCD_EDGE_EDGE][j];
        result->weights[ends[0]] += closest->weights[j];
        result->weights[ends[1]] += closest->weights[j];
    }
    for (int i = 0; i < 4; i++)
        if (result->weights[i] > 0) result->features |= 1u << i;
}

static void report(const Search *s, TacCcdResult *result) {
    *result = (TacCcdResult){.state = state_of(s), .cells = s->cells, .spent = s->spent};
    result->at = s->nearest_time;
    result->high = highest_distance(s->piece, &s->nearest);
    describe_closest(s->piece, &s->nearest, result);
    if (result->state == TAC_CCD_CLEAR) {
        result->t0 = result->t1 = s->all.to;
        result->low = fmax(0, fmin(s->low, result->high));
        return;
    }
    bool hit = result->state == TAC_CCD_HIT;
    // without a doubt before it, the contact is where it was proven: at the very end
    result->t0 = in_doubt(s) ? s->doubt.from : s->proven;
    result->t1 = hit ? s->proven : s->doubt.to;
}

// --- straight motion --------------------------------------------------------------------------------------

static bool is_valid(const TacCcdInput *in) {
    return (in->pair == TAC_CCD_POINT_TRIANGLE || in->pair == TAC_CCD_EDGE_EDGE) && is_usable(in->start) &&
           is_usable(in->end) && in->thickness >= 0 && in->thickness <= LARGEST_COORDINATE && in->from >= 0 &&
           in->from <= in->to && in->to <= 1 && in->tolerance >= 0 && in->tolerance <= LARGEST_COORDINATE &&
           in->most_cells >= 1;
}

static bool meet_exactly(TacCcdPair pair, const TacVec3 x[4]) {
    return pair == TAC_CCD_EDGE_EDGE ? tac_edges_meet(x[0], x[1], x[2], x[3])
                                     : tac_point_meets_triangle(x[0], x + 1);
}

// Within what the exact predicates promise to be exact for.
static bool is_exact_range(const TacVec3 x[4]) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            if (part(x[i], k) != 0 && fabs(part(x[i], k)) < 1e-90) return false;
    return true;
}

static bool rests(const TacCcdInput *in) {
    for (int i = 0; i < 4; i++)
        if (in->start[i].x != in->end[i].x || in->start[i].y != in->end[i].y ||
            in->start[i].z != in->end[i].z)
            return false;
    return true;
}

// At t = 0 and t = 1 the points are where the doubles say, so thickness 0 has an exact answer there; and
// everywhere, if nothing moves. True where nothing is left to search.
static bool settle_ends(const TacCcdInput *in, Search *s) {
    if (in->thickness > 0 || !is_exact_range(in->start) || !is_exact_range(in->end)) return false;
    bool at_rest = rests(in);
    if ((in->from == 0 || at_rest) && meet_exactly(in->pair, in->start)) {
        s->proven = in->from;
        return true;
    }
    if (at_rest) {
        s->low = 0;
        return true;
    }
    if (in->to == 1 && meet_exactly(in->pair, in->end)) s->proven = 1;
    return false;
}

TacCcdInput tac_ccd_default_input(TacCcdPair pair) {
    return (TacCcdInput){.pair = pair, .to = 1, .most_cells = 10000};
}

TacCcdState tac_ccd(const TacCcdInput *input, TacCcdResult *result) {
    *result = (TacCcdResult){.state = TAC_CCD_FAILED};
    if (!is_valid(input)) return TAC_CCD_FAILED;
    const double no_blur[4] = {0, 0, 0, 0};
    Piece piece = make_piece(input->pair, input->start, input->end, no_blur, input->thickness);
    Search search = make_search(&piece, (Span){input->from, input->to}, input->tolerance, input->most_cells);

    // most pairs are clear at once; the exact look at the ends is for those that are not
    Closest middle = closest_at(&piece, input->from + 0.5 * (input->to - input->from));
    if (is_clear(&search, search.all, &middle)) {
        search.cells = 1;
    } else if (!settle_ends(input, &search)) {
        search_spans(&search);
    }
    if (middle.square <= search.nearest.square) {
        search.nearest = middle;
        search.nearest_time = input->from + 0.5 * (input->to - input->from);
    }
    report(&search, result);
    return result->state;
}

// --- curved motion ----------------------------------------------------------------------------------------

TacCcdCurve tac_ccd_default_curve(TacCcdPair pair) {
    return (TacCcdCurve){.pair = pair, .end = 1, .most_cells = 100000};
}

static bool is_valid_curve(const TacCcdCurve *c) {
    for (int i = 0; i < 4; i++)
        if (!(c->acceleration[i] >= 0 && c->acceleration[i] <= LARGEST_COORDINATE)) return false;
    return (c->pair == TAC_CCD_POINT_TRIANGLE || c->pair == TAC_CCD_EDGE_EDGE) && c->motion &&
           fabs(c->begin) <= LARGEST_COORDINATE && c->begin <= c->end && c->end <= LARGEST_COORDINATE &&
           c->position_error >= 0 && c->position_error <= LARGEST_COORDINATE && c->thickness >= 0 &&
           c->thickness <= LARGEST_COORDINATE && c->tolerance >= 0 && c->tolerance <= LARGEST_COORDINATE &&
           c->most_cells >= 1;
}

// The chord of a span of time and the blur that covers the arc. False when the motion fails.
static bool make_chord(const TacCcdCurve *curve, Span span, Piece *piece) {
    TacVec3 start[4], end[4];
    double h = span.to - span.from, blur[4];
    if (!curve->motion(curve->context, span.from, start) || !is_usable(start)) return false;
    if (!curve->motion(curve->context, span.to, end) || !is_usable(end)) return false;
    for (int i = 0; i < 4; i++)
        blur[i] = (curve->acceleration[i] * h * h / 8 + curve->position_error) * (1 + 16 * UNIT) + DBL_MIN;
    *piece = make_piece(curve->pair, start, end, blur, curve->thickness);
    return true;
}

// From a fraction of a span to a time, rounded outward.
static double time_before(Span span, double fraction) {
    double time = span.from + fraction * (span.to - span.from);
    return fmax(span.from, time - 4 * UNIT * (fabs(span.from) + fabs(span.to)));
}

static double time_after(Span span, double fraction) {
    double time = span.from + fraction * (span.to - span.from);
    return fmin(span.to, time + 4 * UNIT * (fabs(span.from) + fabs(span.to)));
}

// The answer for a curve while it grows, chord by chord.
typedef struct CurveSearch {
    const TacCcdCurve *curve;
    double low, proven; // as in Search
    Span doubt;
    TacCcdResult nearest; // the chord that came nearest: its high, at, weights and features
    int cells;
    bool spent;
} CurveSearch;

static bool curve_in_doubt(const CurveSearch *c) {
    return c->doubt.from <= c->doubt.to;
}

static void add_curve_doubt(CurveSearch *c, Span span) {
    if (!curve_in_doubt(c)) c->doubt.from = span.from;
    c->doubt.to = span.to;
}

// Where to cut a span: not in the middle, where round numbers put contacts, which would fall on the ends of
// both parts and be proven in neither.
static double cut_of(Span span) {
    return span.from + 0.4871 * (span.to - span.from);
}

// Would shorter chords say more?
static bool chord_is_fine(const TacCcdCurve *curve, const Piece *piece, Span span) {
    double cut = cut_of(span);
    double floor = 2 * curve->position_error + fmax(curve->tolerance, FINEST_MOTION * piece->size);
    return !(span.from < cut && cut < span.to) || piece->margin <= floor * (1 + 64 * UNIT) + 8 * DBL_MIN;
}

static void keep_nearest(CurveSearch *c, const TacCcdResult *chord, Span span) {
    if (!(chord->high < c->nearest.high)) return;
    c->nearest = *chord;
    c->nearest.at = fmin(span.to, span.from + chord->at * (span.to - span.from));
}

// Asks about one chord. True where it should be halved; then it has left no doubt behind.
static bool search_chord(CurveSearch *c, Span span, const Piece *piece) {
    const TacCcdCurve *curve = c->curve;
    // once in doubt, only proofs of hits matter: no more halving
    bool last = curve_in_doubt(c) || chord_is_fine(curve, piece, span);
    Search search = make_search(piece, (Span){0, 1}, curve->tolerance, curve->most_cells - c->cells);
    search.stop_at_doubt = !last;
    search_spans(&search);
    TacCcdResult chord;
    report(&search, &chord);
    c->cells += chord.cells;
    c->spent = search.spent;
    keep_nearest(c, &chord, span);
    if (chord.state == TAC_CCD_CLEAR) {
        c->low = fmin(c->low, chord.low);
        return false;
    }
    if (chord.state == TAC_CCD_HIT) c->proven = fmin(c->proven, time_after(span, chord.t1));
    if (!last && !c->spent) return true;
    add_curve_doubt(c,
                    (Span){time_before(span, chord.t0), c->spent ? curve->end : time_after(span, chord.t1)});
    return false;
}

// False when the motion fails.
static bool search_curve(CurveSearch *c) {
    Span stack[DEEPEST + 2];
    int depth = 0;
    stack[depth++] = (Span){c->curve->begin, c->curve->end};
    while (depth > 0 && !c->spent) {
        Span span = stack[--depth];
        if (span.from >= c->proven || (curve_in_doubt(c) && c->proven <= c->curve->end)) return true;
        if (c->cells >= c->curve->most_cells || depth >= DEEPEST) {
            c->spent = true;
            add_curve_doubt(c, (Span){span.from, c->curve->end});
            return true;
        }
        Piece piece;
        if (!make_chord(c->curve, span, &piece)) return false;
        if (!search_chord(c, span, &piece)) continue;
        double cut = cut_of(span);
        stack[depth++] = (Span){cut, span.to};
        stack[depth++] = (Span){span.from, cut};
    }
    return true;
}

static void report_curve(const CurveSearch *c, TacCcdResult *result) {
    *result = c->nearest;
    result->cells = c->cells;
    result->spent = c->spent;
    bool hit = c->proven <= c->curve->end, doubt = curve_in_doubt(c);
    result->state = hit ? TAC_CCD_HIT : doubt ? TAC_CCD_UNSURE : TAC_CCD_CLEAR;
    result->low = result->state == TAC_CCD_CLEAR ? fmax(0, fmin(c->low, c->nearest.high)) : 0;
    result->t0 = doubt ? c->doubt.from : hit ? c->proven : c->curve->end;
    result->t1 = hit ? c->proven : doubt ? c->doubt.to : c->curve->end;
}

TacCcdState tac_ccd_curved(const TacCcdCurve *curve, TacCcdResult *result) {
    *result = (TacCcdResult){.state = TAC_CCD_FAILED};
    if (!is_valid_curve(curve)) return TAC_CCD_FAILED;
    CurveSearch search = {.curve = curve,
                          .low = INFINITY,
                          .proven = INFINITY,
                          .doubt = {curve->end, -INFINITY},
                          .nearest = {.high = INFINITY}};
    if (search_curve(&search)) report_curve(&search, result);
    return result->state;
}
