// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Paths of points within one window of the audit. See audit.h for why the bounds hold. Touches nothing but its
// arguments.

#include "contact/audit_paths.h"
#include "math/extremes.h"

// Bounds are computed with roundings, and enlarged by this.
static const double ABOVE = 1 + 0x1p-40;

// Pieces of a block, and how many times those of the next wider ones.
enum { BLOCK = 8, WIDER = 4 };

// The straight line between the places at two times.
typedef struct Chord {
    double from, to;
    TacVec3 start, end;
} Chord;

// The last break at or before a time, but never the last of all.
static size_t piece_at(const TacAuditPaths *paths, int32_t point, double time) {
    size_t low = paths->first[point], high = paths->first[point + 1] - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (paths->breaks[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static TacVec3 arc_place(const TacAuditCurve *arc, TacVec3 gravity, const TacAuditBreak *from, bool falls,
                         double time) {
    double since = from->time - arc->time, on = time - arc->time, turned = time - from->time;
    TacVec3 before = tac_axpy(arc->centre, since, arc->velocity),
            now = tac_axpy(arc->centre, on, arc->velocity);
    if (falls) {
        before = tac_axpy(before, 0.5 * since * since, gravity);
        now = tac_axpy(now, 0.5 * on * on, gravity);
    }
    TacQuat turn = tac_quat_from_vector(tac_scale(arc->turning, turned));
    return tac_add(now, tac_rotate(turn, tac_sub(from->place, before)));
}

static TacVec3 curve_place(const TacAuditPaths *paths, int32_t point, size_t piece, double time) {
    const TacAuditBreak *to = &paths->breaks[piece + 1];
    const TacAuditCurve *curve = &paths->curves[to->curve];
    if (curve->path) return curve->path(curve->context, point, time);
    return arc_place(curve, paths->gravity, &paths->breaks[piece], to->falls, time);
}

// Within a piece, not at its ends.
static TacVec3 piece_place(const TacAuditPaths *paths, int32_t point, size_t piece, double time) {
    const TacAuditBreak *from = &paths->breaks[piece], *to = from + 1;
    double length = to->time - from->time, part = (time - from->time) / length;
    if (to->curve >= 0) {
        // what the curve misses of the given ends is shared out along it
        TacVec3 at_start = tac_sub(from->place, curve_place(paths, point, piece, from->time));
        TacVec3 at_end = tac_sub(to->place, curve_place(paths, point, piece, to->time));
        TacVec3 place = curve_place(paths, point, piece, time);
        return tac_add(place, tac_add(tac_scale(at_start, 1 - part), tac_scale(at_end, part)));
    }
    TacVec3 place = tac_add(tac_scale(from->place, 1 - part), tac_scale(to->place, part));
    if (!to->falls) return place;
    return tac_axpy(place, 0.5 * (time - from->time) * (time - to->time), paths->gravity);
}

TacVec3 tac_audit_place(const TacAuditPaths *paths, int32_t point, double time) {
    size_t piece = piece_at(paths, point, time);
    const TacAuditBreak *from = &paths->breaks[piece];
    if (time <= from->time) return from->place;
    if (time >= from[1].time) return from[1].place;
    return piece_place(paths, point, piece, time);
}

// What bends a piece, m/s^2: [0] as it is, [1] seen by who falls.
static void bends_of(const TacAuditPaths *paths, const TacAuditBreak *to, double bends[2]) {
    double own = to->curve >= 0 ? paths->curves[to->curve].bend : 0, g = tac_norm(paths->gravity);
    bends[0] = own + (to->falls ? g : 0);
    bends[1] = own + (to->falls ? 0 : g);
}

// An arc's bend depends on the point's distance from the centre.
static double arc_bend(const TacAuditPaths *paths, const TacAuditBreak *from) {
    const TacAuditBreak *to = from + 1;
    if (to->curve < 0 || paths->curves[to->curve].path) return 0;
    const TacAuditCurve *arc = &paths->curves[to->curve];
    double since = from->time - arc->time;
    TacVec3 centre = tac_axpy(arc->centre, since, arc->velocity);
    if (to->falls) centre = tac_axpy(centre, 0.5 * since * since, paths->gravity);
    return tac_dot(arc->turning, arc->turning) * tac_norm(tac_sub(from->place, centre));
}

// --- offsets ----------------------------------------------------------------------------------------------

// How far a break is from the straight line of a span that it lies within.
static void break_offsets(const TacAuditPaths *paths, const TacAuditBreak *at, const Chord *chord,
                          double offsets[2]) {
    double since = at->time - chord->from, part = since / (chord->to - chord->from);
    TacVec3 straight = tac_add(tac_scale(chord->start, 1 - part), tac_scale(chord->end, part));
    TacVec3 off = tac_sub(at->place, straight);
    double fallen = 0.5 * since * (at->time - chord->to);
    offsets[0] = tac_norm(off);
    offsets[1] = tac_norm(tac_axpy(off, -fallen, paths->gravity));
}

// How far the path leaves a piece of which it takes so long.
static void piece_bends(const TacAuditPaths *paths, const TacAuditBreak *from, double length,
                        double offsets[2]) {
    double bends[2], arc = arc_bend(paths, from);
    bends_of(paths, from + 1, bends);
    for (int f = 0; f < 2; f++) offsets[f] = (bends[f] + arc) * length * length / 8;
}

// All breaks from one to another, each looked at.
static TacAuditBlock block_of(const TacAuditPaths *paths, size_t first, size_t last) {
    const TacAuditBreak *breaks = paths->breaks, *a = &breaks[first], *b = &breaks[last];
    const Chord chord = {a->time, b->time, a->place, b->place};
    TacAuditBlock block = {{0, 0}, {0, 0}};
    for (size_t i = first; i < last; i++) {
        double at_break[2] = {0, 0}, within[2];
        if (i > first) break_offsets(paths, &breaks[i], &chord, at_break);
        piece_bends(paths, &breaks[i], breaks[i + 1].time - breaks[i].time, within);
        for (int f = 0; f < 2; f++) {
            block.at_breaks[f] = tac_larger(block.at_breaks[f], at_break[f]);
            block.between[f] = tac_larger(block.between[f], within[f]);
        }
    }
    return block;
}

TacAuditOffsets tac_audit_whole(const TacAuditPaths *paths, int32_t point) {
    TacAuditBlock all = block_of(paths, paths->first[point], paths->first[point + 1] - 1);
    TacAuditOffsets whole;
    for (int f = 0; f < 2; f++) whole.offsets[f] = (all.at_breaks[f] + all.between[f]) * ABOVE;
    return whole;
}

size_t tac_audit_block_count(size_t pieces) {
    size_t count = 0;
    for (size_t width = BLOCK; width <= pieces; width *= WIDER) count += pieces / width;
    return count;
}

void tac_audit_make_blocks(const TacAuditPaths *paths, int32_t point) {
    size_t first = paths->first[point], pieces = paths->first[point + 1] - 1 - first;
    size_t next = paths->first_block[point];
    for (size_t width = BLOCK; width <= pieces; width *= WIDER)
        for (size_t i = width; i <= pieces; i += width)
            paths->blocks[next++] = block_of(paths, first + i - width, first + i);
}

// The widest block that begins with a piece and ends by a time, and how many pieces it has; NULL: none does.
static const TacAuditBlock *widest(const TacAuditPaths *paths, int32_t point, size_t piece, double to,
                                   size_t *pieces) {
    size_t first = paths->first[point], all = paths->first[point + 1] - 1 - first, at = piece - first;
    size_t level = paths->first_block[point];
    const TacAuditBlock *found = NULL;
    for (size_t width = BLOCK; at % width == 0 && at + width <= all; width *= WIDER) {
        if (paths->breaks[piece + width].time > to) break;
        found = &paths->blocks[level + at / width];
        *pieces = width;
        level += all / width;
    }
    return found;
}

size_t tac_audit_offsets(const TacAuditPaths *paths, int32_t point, double from, double to, TacVec3 start,
                         TacVec3 end, double offsets[2]) {
    const Chord chord = {from, to, start, end};
    double at_breaks[2] = {0, 0}, between[2] = {0, 0}, here[2] = {0, 0}; // here: where the next step begins
    size_t last = paths->first[point + 1] - 1, steps = 0;
    for (size_t piece = piece_at(paths, point, from), count = 1; piece < last; piece += count, steps++) {
        const TacAuditBreak *a = &paths->breaks[piece];
        if (a->time >= to) break;
        const TacAuditBlock *wide = a->time >= from ? widest(paths, point, piece, to, &count) : NULL;
        if (!wide) count = 1;
        const TacAuditBreak *b = a + count;
        TacAuditBlock block = {{0, 0}, {0, 0}};
        double there[2] = {0, 0};
        if (wide)
            block = *wide;
        else
            piece_bends(paths, a, fmin(b->time, to) - fmax(a->time, from), block.between);
        if (b->time < to) break_offsets(paths, b, &chord, there);
        for (int f = 0; f < 2; f++) {
            at_breaks[f] = tac_larger(at_breaks[f], tac_larger(here[f], there[f]) + block.at_breaks[f]);
            between[f] = tac_larger(between[f], block.between[f]);
            here[f] = there[f];
        }
    }
    for (int f = 0; f < 2; f++) offsets[f] = (at_breaks[f] + between[f]) * ABOVE;
    return steps;
}

TacAuditBox tac_audit_swept(const TacAuditPaths *paths, int32_t point) {
    TacAuditBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double aside = 0;
    for (size_t i = paths->first[point]; i < paths->first[point + 1]; i++) {
        const TacAuditBreak *b = &paths->breaks[i];
        const double place[3] = {b->place.x, b->place.y, b->place.z};
        for (int a = 0; a < 3; a++) {
            box.low[a] = fmin(box.low[a], place[a]);
            box.high[a] = fmax(box.high[a], place[a]);
        }
        if (i == paths->first[point]) continue;
        double within[2];
        piece_bends(paths, b - 1, b->time - b[-1].time, within);
        aside = tac_larger(aside, within[0]);
    }
    for (int a = 0; a < 3; a++) {
        double grow = aside * ABOVE + 0x1p-50 * fmax(fabs(box.low[a]), fabs(box.high[a]));
        box.low[a] -= grow;
        box.high[a] += grow;
    }
    return box;
}

void tac_audit_middle_break(const TacAuditPaths *paths, int32_t point, double from, double to, double *best) {
    double middle = from + 0.5 * (to - from);
    size_t piece = piece_at(paths, point, middle), last = paths->first[point + 1] - 1;
    for (size_t i = piece; i <= piece + 1 && i <= last; i++) {
        double time = paths->breaks[i].time;
        if (time > from && time < to && fabs(time - middle) < fabs(*best - middle)) *best = time;
    }
}
