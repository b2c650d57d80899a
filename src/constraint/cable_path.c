// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "constraint/cable_path.h"
#include "base/memory.h"

enum { SWEEPS = 60 };
static const double TURNED = 0.7; // cosine

double tac_angle_about(TacVec3 n, TacVec3 u, TacVec3 v) {
    return atan2(tac_dot(n, tac_cross(u, v)), tac_dot(u, v));
}

static TacVec3 across(TacVec3 a, TacVec3 n) {
    return tac_axpy(a, -tac_dot(a, n), n);
}

// Where a straight line from p touches a wheel. `side`: the sense on the way in, its opposite on the way out. The
// velocity of the surface there points along the line (on the way in) or away from p (out).
static TacVec3 tangent(TacVec3 p, const TacCableStop *stop, double radius, double side) {
    TacVec3 d = across(tac_sub(p, stop->centre), stop->axis);
    double far = tac_norm(d);
    if (!(far > 0)) return stop->in;
    TacVec3 e = tac_scale(d, 1 / far);
    // inside the wheel there is no tangent: the nearest place of the surface
    double cosine = radius < far ? radius / far : 1, sine = sqrt(1 - cosine * cosine);
    TacVec3 r = tac_axpy(tac_scale(e, cosine), side * sine, tac_cross(stop->axis, e));
    // along the axis the cable lies where the line from p meets the wheel's middle plane
    return tac_axpy(stop->centre, radius, r);
}

// The axis about which the cable bends on a ball, between the places before and behind it: of the two directions the one that is
// nearer to where the axis was; where it has turned about by half a right angle or more, as when both places are all but opposite
// each other, the one with which the arc is nearer to what it was.
static TacVec3 axis_of_ball(TacVec3 before, TacVec3 behind, const TacCableStop *s, const TacCableWheel *w) {
    TacVec3 p = tac_sub(before, s->centre), q = tac_sub(behind, s->centre), n = tac_cross(p, q);
    double length = tac_norm(n);
    if (!(length > 0)) return s->axis;
    n = tac_scale(n, 1 / length);
    double turned = tac_dot(n, s->axis), between = atan2(length, tac_dot(p, q));
    if (!s->noted || fabs(turned) > TURNED) return tac_scale(n, turned < 0 ? -1 : 1);
    double tangents = acos(fmin(w->radius / tac_norm(p), 1)) + acos(fmin(w->radius / tac_norm(q), 1));
    bool shorter = fabs(between - tangents - s->arc) <= fabs(2 * TAC_PI - between - tangents - s->arc);
    return tac_scale(n, shorter ? w->sense : -w->sense);
}

void tac_cable_stretch(TacCablePath *path, const TacCableWheel *wheels) {
    for (size_t i = 0; i < path->count; i++) {
        TacCableStop *s = &path->stops[i];
        if (s->wheel < 0) continue;
        s->in = s->out = s->centre;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0;
        for (size_t i = 0; i < path->count; i++) {
            TacCableStop *s = &path->stops[i];
            if (s->wheel < 0) continue;
            const TacCableWheel *w = &wheels[s->wheel];
            if (w->sphere && i > 0 && i + 1 < path->count)
                s->axis = axis_of_ball(path->stops[i - 1].out, path->stops[i + 1].in, s, w);
            TacVec3 in = i > 0 ? tangent(path->stops[i - 1].out, s, w->radius, w->sense) : s->in;
            TacVec3 out =
                i + 1 < path->count ? tangent(path->stops[i + 1].in, s, w->radius, -w->sense) : s->out;
            moved = fmax(moved, (tac_norm(tac_sub(in, s->in)) + tac_norm(tac_sub(out, s->out))) /
                                    (w->radius > 0 ? w->radius : 1));
            s->in = in;
            s->out = out;
        }
        if (moved < 1e-13) break;
    }
}

double tac_cable_arc(const TacCableStop *stop, const TacCableWheel *w) {
    double arc = w->sense * tac_angle_about(stop->axis, tac_sub(stop->in, stop->centre),
                                            tac_sub(stop->out, stop->centre));
    return arc < 0 ? arc + 2 * TAC_PI : arc;
}

// Metres of surface between a tangent point and where the surface that was there is now.
static double passed(const TacCableStop *stop, const TacCableWheel *w, const double *noted, TacVec3 now) {
    TacVec3 then = across(tac_rotate(tac_attachment_turn(&w->centre), tac_load3(noted)), stop->axis);
    return w->radius * w->sense * tac_angle_about(stop->axis, tac_sub(now, stop->centre), then);
}

// On a ball the axis turns, and what passes is not quite what the arc gains: it is taken from where the line comes and leaves.
static void settle_arc(TacCableStop *s, const TacCableWheel *w) {
    double arc = tac_cable_arc(s, w), more;
    arc += 2 * TAC_PI * round((s->arc - arc) / (2 * TAC_PI));
    more = w->radius * (arc - s->arc);
    s->passed_in -= 0.5 * more;
    s->passed_out -= 0.5 * more;
    s->arc = arc;
}

double tac_cable_bend(const TacCablePath *path, size_t i) {
    const TacCableStop *s = &path->stops[i];
    if (i == 0 || i + 1 >= path->count) return 0;
    TacVec3 u = tac_sub(s->in, path->stops[i - 1].out), v = tac_sub(path->stops[i + 1].in, s->out);
    return atan2(tac_norm(tac_cross(u, v)), tac_dot(u, v));
}

void tac_cable_pass(TacCablePath *path, const TacCableWheel *wheels, const TacCableWound *wound) {
    for (size_t i = 0; i < path->count; i++) {
        TacCableStop *s = &path->stops[i];
        s->passed_in = s->passed_out = 0;
        if (s->wheel < 0) continue;
        const TacCableWheel *w = &wheels[s->wheel];
        const TacCableWound *was = &wound[s->wheel];
        if (w->radius == 0) {
            s->arc = tac_cable_bend(path, i);
            continue;
        }
        if (i > 0) s->passed_in = -passed(s, w, was->in, s->in);
        if (i + 1 < path->count) s->passed_out = passed(s, w, was->out, s->out);
        s->arc = was->arc - (s->passed_in + s->passed_out) / w->radius;
        if (w->sphere && i > 0 && i + 1 < path->count) settle_arc(s, w);
        // an empty drum pays nothing out
        bool drum = i == 0 || i + 1 == path->count;
        if (!drum || s->arc >= 0) continue;
        *(i == 0 ? &s->passed_out : &s->passed_in) += w->radius * s->arc;
        s->arc = 0;
    }
}

void tac_cable_note(const TacCablePath *path, const TacCableWheel *wheels, TacCableWound *wound) {
    for (size_t i = 0; i < path->count; i++) {
        const TacCableStop *s = &path->stops[i];
        if (s->wheel < 0) continue;
        const TacCableWheel *w = &wheels[s->wheel];
        TacQuat turn = tac_attachment_turn(&w->centre);
        tac_store3(wound[s->wheel].in, tac_rotate_back(turn, tac_sub(s->in, s->centre)));
        tac_store3(wound[s->wheel].out, tac_rotate_back(turn, tac_sub(s->out, s->centre)));
        tac_store3(wound[s->wheel].axis, s->axis);
        wound[s->wheel].arc = s->arc;
    }
}

TacVec3 tac_cable_ball_axis(TacVec3 a, TacVec3 b, const TacCableWheel *w) {
    TacVec3 c = tac_attachment_place(&w->centre), n = tac_cross(tac_sub(a, c), tac_sub(b, c));
    double length = tac_norm(n);
    return length > 0 ? tac_scale(n, w->sense / length)
                      : tac_rotate(tac_attachment_turn(&w->centre), w->axis);
}

bool tac_cable_is_aside(TacVec3 a, TacVec3 b, const TacCableWheel *w) {
    TacVec3 n = tac_rotate(tac_attachment_turn(&w->centre), w->axis), c = tac_attachment_place(&w->centre);
    TacVec3 p = across(tac_sub(a, c), n), d = across(tac_sub(b, a), n);
    double dd = tac_dot(d, d), t = dd > 0 ? fmin(fmax(-tac_dot(p, d) / dd, 0), 1) : 0;
    return !w->sphere && w->radius > 0 &&
           fabs(tac_dot(n, tac_sub(tac_axpy(a, t, tac_sub(b, a)), c))) > 0.5 * w->width;
}

bool tac_cable_has_tangent(TacVec3 from, const TacCableStop *stop, const TacCableWheel *w) {
    return tac_norm(across(tac_sub(from, stop->centre), stop->axis)) >= w->radius;
}

bool tac_cable_clearance(TacVec3 a, TacVec3 b, const TacCableWheel *w, double *clearance) {
    TacVec3 n = tac_rotate(tac_attachment_turn(&w->centre), w->axis), c = tac_attachment_place(&w->centre);
    if (w->sphere) n = tac_cable_ball_axis(a, b, w);
    TacVec3 p = across(tac_sub(a, c), n), q = across(tac_sub(b, c), n), d = tac_sub(q, p);
    double length = tac_norm(d);
    if (!(length > 0)) return false;
    double t = -tac_dot(p, d) / (length * length);
    // the cable turns about the axis in its sense: then the wheel lies inside
    *clearance = w->sense * tac_dot(n, tac_cross(p, d)) / length - w->radius;
    return t > 0 && t < 1;
}
