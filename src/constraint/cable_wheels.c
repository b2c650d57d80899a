// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What keeps a line out of wheels where no node does. A taut line lies on a wheel by its node; a slack one comes down beside
// it, with its masses and with the pieces between them. Rules:
//   1. A piece, or a mass, that is as near to a wheel as a step may take it gets a row which only pushes, and two for
//      friction, at its place nearest to the wheel's axis (to the centre of a ball): out of the mantle or out of a side,
//      whichever is nearer to the outside.
//   2. A mass next to a wheel on which the line lies stays outside of the wheel's cylinder, however far aside: or there
//      would be no tangent to it. The ends of a line have knots for that (cable.c).
//   3. A piece that ends on a wheel is clear of it if its other end is. One that is clear of a wheel on which the line does
//      not lie gets a node there rather than a row.
//   4. What is deep inside has begun there, and is left alone.
// It needs no memory of the last step: where things are, and how fast, says all.

#include "constraint/cable.h"
#include "constraint/cable_nodes.h"

enum { LOOKS = 40 };
// Of the radius: what is deeper has begun there; how near to the rim the way out is that out of the rim; how much deeper a line
// may pass when it is drawn straight.
static const double DEEP = 0.3, RIM = 1e-6, GIVE = 1e-3;

// A place of the line between two holders; for a mass both are the same.
typedef struct Spot {
    const TacAttachment *end[2];
    TacVec3 at[2];             // where each holds it
    double part;               // from the first to the second
    const TacAttachment *tied; // to what: it may be in that wheel; NULL: to nothing
} Spot;

typedef struct Way {
    size_t wheel;
    double part, gap, friction;
    TacVec3 place, out;
} Way;

static TacVec3 spot_velocity(const Spot *spot, TacVec3 weight) {
    TacVec3 v[2];
    for (int k = 0; k < 2; k++) {
        v[k] = tac_attachment_velocity(spot->end[k]);
        if (spot->end[k]->matter->kind == TAC_VEC3) v[k] = tac_add(v[k], weight);
    }
    return tac_axpy(v[0], spot->part, tac_sub(v[1], v[0]));
}

// How far a place is outside of a wheel: of its mantle, and of its sides (a ball has none).
static void find_gaps(const TacCableWheel *w, TacVec3 centre, TacVec3 axis, TacVec3 place, double gaps[2]) {
    TacVec3 d = tac_sub(place, centre);
    double along = w->sphere ? 0 : tac_dot(d, axis);
    gaps[0] = tac_norm(tac_axpy(d, -along, axis)) - w->radius;
    gaps[1] = w->sphere ? -INFINITY : fabs(along) - 0.5 * w->width;
}

static double gap_at(const TacCableWheel *w, TacVec3 centre, TacVec3 axis, const Spot *spot, double part) {
    double gaps[2];
    find_gaps(w, centre, axis, tac_axpy(spot->at[0], part, tac_sub(spot->at[1], spot->at[0])), gaps);
    return fmax(gaps[0], gaps[1]);
}

// Which part of the way is deepest in the wheel, or nearest to it: the gap is convex along a straight piece.
static double deepest_part(const TacCableWheel *w, TacVec3 centre, TacVec3 axis, const Spot *spot) {
    const double golden = 0.6180339887498949;
    double low = 0, high = 1, a = 1 - golden, b = golden;
    double at_a = gap_at(w, centre, axis, spot, a), at_b = gap_at(w, centre, axis, spot, b);
    for (int i = 0; i < LOOKS; i++) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - golden * (high - low);
            at_a = gap_at(w, centre, axis, spot, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + golden * (high - low);
            at_b = gap_at(w, centre, axis, spot, b);
        }
    }
    return 0.5 * (low + high);
}

// Out of the rim between mantle and side: across the piece and across the rim.
static bool find_out_of_rim(const Spot *spot, TacVec3 axis, TacVec3 radial, double along, Way *way) {
    TacVec3 n = tac_cross(tac_sub(spot->at[1], spot->at[0]), tac_cross(axis, radial));
    TacVec3 out = tac_axpy(radial, along < 0 ? -1 : 1, axis);
    double length = tac_norm(n), towards = tac_dot(n, out);
    if (!(fabs(towards) > 0.1 * length)) return false;
    way->out = tac_scale(n, (towards < 0 ? -1 : 1) / length);
    return true;
}

// Rule 1: the way out at a place. `wide`: rule 2.
static bool find_out(const TacCableWheel *w, TacVec3 centre, TacVec3 axis, bool wide, const Spot *spot,
                     Way *way) {
    TacVec3 d = tac_sub(way->place, centre);
    double along = w->sphere ? 0 : tac_dot(d, axis), gaps[2];
    TacVec3 across = tac_axpy(d, -along, axis);
    double far = tac_norm(across);
    if (!(far > 0)) return false;
    find_gaps(w, centre, axis, way->place, gaps);
    way->gap = gaps[0];
    way->out = tac_scale(across, 1 / far);
    if (w->sphere || wide) return true;
    bool rim = fabs(gaps[0] - gaps[1]) < RIM * w->radius;
    if (rim && find_out_of_rim(spot, axis, way->out, along, way)) return true;
    if (gaps[1] < gaps[0]) return true;
    way->gap = gaps[1];
    way->out = tac_scale(axis, along < 0 ? -1 : 1);
    return true;
}

static bool is_on(const TacCable *c, size_t wheel) {
    return c->state->nodes[wheel].wound.touched != 0;
}

// Whether a piece cannot reach a wheel within a step, as in rule 1.
static bool is_far(const TacCableWheel *w, TacVec3 centre, const Spot *spot, double step) {
    double speed = 0;
    for (int k = 0; k < 2; k++) speed = fmax(speed, tac_norm(tac_attachment_velocity(spot->end[k])));
    double own = tac_norm(tac_attachment_velocity(&w->centre)) + 100 * step;
    double size = hypot(w->radius, w->sphere ? 0 : 0.5 * w->width);
    double reach = size + 2 * step * (speed + own) + 0.5 * tac_norm(tac_sub(spot->at[1], spot->at[0]));
    return tac_norm(tac_sub(tac_scale(tac_add(spot->at[0], spot->at[1]), 0.5), centre)) > reach + size;
}

// The wheel that a spot is nearest to, of those that its rows have to mind. `next`: wheels beside it on the line, or -1.
static bool find_way(const TacCable *c, const TacContext *context, Spot *spot, TacVec3 gravity,
                     const int next[2], bool piece, Way *best) {
    bool found = false;
    for (size_t j = 0; j < c->wheel_count; j++) {
        const TacCableWheel *w = &c->wheels[j];
        bool beside = next[0] == (int)j || next[1] == (int)j;
        if (spot->tied && spot->tied->matter == w->centre.matter && spot->tied->point == w->centre.point)
            continue;
        if (!(w->radius > 0) || (piece && (beside || (!is_on(c, j) && c->state->nodes[j].wound.clear != 0))))
            continue; // rule 3
        TacVec3 centre = tac_attachment_place(&w->centre);
        TacVec3 axis = tac_rotate(tac_attachment_turn(&w->centre), w->axis);
        Way way = {.wheel = j, .friction = w->friction};
        if (piece && is_far(w, centre, spot, context->step)) continue;
        way.part = spot->part = piece ? deepest_part(w, centre, axis, spot) : 0;
        way.place = tac_axpy(spot->at[0], way.part, tac_sub(spot->at[1], spot->at[0]));
        if (!find_out(w, centre, axis, !piece && beside, spot, &way)) continue;
        // the masses at its ends have rows of their own
        if (piece && (way.part < 1e-3 || way.part > 1 - 1e-3)) continue;
        TacAttachment on = w->centre;
        on.local = tac_rotate_back(tac_attachment_turn(&on), tac_sub(way.place, centre));
        TacVec3 v =
            tac_sub(spot_velocity(spot, tac_scale(gravity, context->step)), tac_attachment_velocity(&on));
        double reach = context->step * (2 * tac_norm(v) + 100 * context->step);
        bool deep = way.gap < -DEEP * w->radius && !(beside && !piece); // rule 4
        if (way.gap > reach || deep || (found && way.gap >= best->gap)) continue;
        *best = way;
        found = true;
    }
    return found;
}

static TacRow *add_row(const TacCable *c, const Spot *spot, const Way *way, TacVec3 direction, TacRows *rows,
                       size_t slot) {
    TacRow *row = tac_rows_add(rows, slot);
    if (!row) return NULL;
    TacAttachment on = c->wheels[way->wheel].centre;
    on.local = tac_rotate_back(tac_attachment_turn(&on), tac_sub(way->place, tac_attachment_place(&on)));
    for (int k = 0; k < 2; k++) {
        double share = k ? way->part : 1 - way->part;
        TacAttachment end = *spot->end[k];
        if (end.matter->kind == TAC_RIGID3)
            end.local =
                tac_rotate_back(tac_attachment_turn(&end),
                                tac_sub(spot->at[k], tac_load3(end.matter->vectors[TAC_X] + 7 * end.point)));
        if (share > 0) tac_rows_place(rows, &end, tac_scale(direction, share));
    }
    tac_rows_place(rows, &on, tac_scale(direction, -1));
    return row;
}

static void add_out(const TacCable *c, const Spot *spot, const Way *way, TacRows *rows, size_t slot) {
    TacRow *row = add_row(c, spot, way, way->out, rows, slot);
    if (!row) return;
    row->violation = way->gap;
    row->damping = -1;
    row->low = 0;
    row->solid = true;
    if (!(way->friction > 0)) return;
    TacVec3 across[2];
    tac_cable_across(way->out, across);
    uint32_t presses = (uint32_t)(rows->count - 1);
    for (size_t k = 0; k < 2; k++) {
        row = add_row(c, spot, way, across[k], rows, slot + 1 + k);
        if (!row) return;
        row->kind = TAC_ROW_SPEED;
        row->presses = k ? 0 : presses;
        row->friction = k ? 0 : way->friction;
    }
}

static int wheel_at(const TacCable *c, size_t place) {
    double node = c->state->order[place];
    return node < TAC_CABLE_WHEELS ? (int)node : -1;
}

static void keep_piece(const TacCable *c, const TacContext *context, const TacCableRun *run,
                       const TacCablePath *path, size_t k, TacVec3 gravity, TacRows *rows, size_t slot) {
    const TacCableStop *a = &path->stops[k], *b = &path->stops[k + 1];
    Spot spot = {.end = {a->wheel >= 0 ? &c->wheels[a->wheel].centre : &run->end[0],
                         b->wheel >= 0 ? &c->wheels[b->wheel].centre : &run->end[1]},
                 .at = {a->out, b->in}};
    const int next[2] = {a->wheel, b->wheel};
    Way way;
    if (find_way(c, context, &spot, gravity, next, true, &way)) add_out(c, &spot, &way, rows, slot);
}

static void keep_mass(const TacCable *c, const TacContext *context, const TacCableRun *run, TacVec3 gravity,
                      TacRows *rows, size_t slot) {
    TacVec3 x = tac_attachment_place(&run->end[0]);
    Spot spot = {.end = {&run->end[0], &run->end[0]}, .at = {x, x}};
    const int next[2] = {run[-1].first < run[-1].last ? wheel_at(c, run[-1].last - 1) : -1,
                         run->first < run->last ? wheel_at(c, run->first) : -1};
    Way way;
    if (find_way(c, context, &spot, gravity, next, false, &way)) add_out(c, &spot, &way, rows, slot);
}

// Rule 2: an end of the line, which has a knot on the wheel next to it.
static void keep_end(const TacCable *c, const TacContext *context, const TacCableRun *run, size_t k,
                     TacVec3 gravity, TacRows *rows, size_t slot) {
    const TacAttachment *end = &run->end[k], *tied = run->tied[k];
    if (!run->is_end[k] || c->way.drum[k] || !end->matter) return;
    if (end->matter->held && (end->matter->held[end->point] & TAC_HELD_WHOLLY)) return;
    TacVec3 x = tac_attachment_place(end);
    Spot spot = {.end = {end, end}, .at = {x, x}, .tied = tied ? tied : end};
    const int next[2] = {run->first < run->last ? wheel_at(c, k ? run->last - 1 : run->first) : -1, -1};
    Way way;
    if (find_way(c, context, &spot, gravity, next, false, &way) && next[0] != (int)way.wheel)
        add_out(c, &spot, &way, rows, slot);
}

bool tac_cable_clears_wheels(const TacCable *c, const TacAttachment *a, const TacAttachment *b,
                             const bool *except) {
    const Spot spot = {.end = {a, b}, .at = {tac_attachment_place(a), tac_attachment_place(b)}};
    for (size_t j = 0; j < c->wheel_count; j++) {
        const TacCableWheel *w = &c->wheels[j];
        bool taken_up = !is_on(c, j) && c->state->nodes[j].wound.clear != 0; // rule 3
        if (!(w->radius > 0) || except[j] || taken_up) continue;
        TacVec3 centre = tac_attachment_place(&w->centre);
        TacVec3 axis = tac_rotate(tac_attachment_turn(&w->centre), w->axis);
        double part = deepest_part(w, centre, axis, &spot);
        double least = fmin(gap_at(w, centre, axis, &spot, 0), gap_at(w, centre, axis, &spot, 1));
        if (gap_at(w, centre, axis, &spot, part) < fmin(least, 0) - GIVE * w->radius) return false;
    }
    return true;
}

TacJointSize tac_cable_outside_size(const TacCable *c, size_t points) {
    size_t n = c->wheel_count ? TAC_CABLE_LYING * (2 * points + TAC_CABLE_NODES) : 0;
    return (TacJointSize){n, 3 * n, n};
}

void tac_cable_keep_outside(const TacCable *c, const TacContext *context, TacVec3 gravity,
                            const TacCableRun *runs, size_t count, TacRows *rows, size_t slot,
                            size_t points) {
    for (size_t r = 0; c->wheel_count && r < count; r++) {
        const TacCableRun *run = &runs[r];
        TacCablePath path;
        if (r > 0) keep_mass(c, context, run, gravity, rows, slot + TAC_CABLE_LYING * run->slot);
        if (r == 0) keep_end(c, context, run, 0, gravity, rows, slot);
        if (r + 1 == count)
            keep_end(c, context, run, 1, gravity, rows, slot + TAC_CABLE_LYING * (points - 1));
        tac_cable_path(c, run, &path, NULL);
        for (size_t k = 0; k + 1 < path.count; k++)
            keep_piece(c, context, run, &path, k, gravity, rows,
                       slot + TAC_CABLE_LYING * (points + run->slot + run->first + k));
    }
}
