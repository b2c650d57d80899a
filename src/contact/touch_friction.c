// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What patches rub with: Coulomb friction across the normal, and about it. See touch.h for the idea, touch_batch.h for
// how patches lie.

#include "contact/touch_batch.h"

enum { A_WHILE = 10, MANY_WEIGHTS = 30 }; // looks; of a body

// --- all lanes --------------------------------------------------------------------------------------------

// Friction. The slide that is remembered turns with the patch (the part across the normal, as long as before) and goes
// on; what it and the damper would hold is cut off at `most`, and then the slide is what that force stands for.
void tac_touch_rub(TacTouchBatch *b) {
    for (int l = 0; l < TAC_TOUCH_LANES; l++) {
        double nx = b->normal.x[l], ny = b->normal.y[l], nz = b->normal.z[l];
        double sx = b->slide.x[l], sy = b->slide.y[l], sz = b->slide.z[l];
        double k = b->k[l], c = b->c_slide[l], most = b->most[l];
        double ux = b->along.x[l], uy = b->along.y[l], uz = b->along.z[l];
        double h = b->flown[l], was = sx * sx + sy * sy + sz * sz, out = sx * nx + sy * ny + sz * nz;
        double tx = sx - out * nx, ty = sy - out * ny, tz = sz - out * nz;
        double now = tx * tx + ty * ty + tz * tz, longer = sqrt(was / now);
        longer = now > 0 ? longer : 1;
        tx = longer * tx + h * ux;
        ty = longer * ty + h * uy;
        tz = longer * tz + h * uz;
        double fx = -k * tx - c * ux, fy = -k * ty - c * uy, fz = -k * tz - c * uz;
        double force = sqrt(fx * fx + fy * fy + fz * fz), held = most / force, per_k = -1 / k;
        held = force <= most ? 1 : held;
        fx *= held;
        fy *= held;
        fz *= held;
        tx = held < 1 ? per_k * (fx + c * ux) : tx;
        ty = held < 1 ? per_k * (fy + c * uy) : ty;
        tz = held < 1 ? per_k * (fz + c * uz) : tz;
        b->held[l] = held;
        // without stiffness nothing is held, and nothing forgotten
        b->drag.x[l] = k > 0 ? fx : 0;
        b->drag.y[l] = k > 0 ? fy : 0;
        b->drag.z[l] = k > 0 ? fz : 0;
        b->slide.x[l] = k > 0 ? tx : sx;
        b->slide.y[l] = k > 0 ? ty : sy;
        b->slide.z[l] = k > 0 ? tz : sz;
    }
}

// --- in loose worlds --------------------------------------------------------------------------------------

// What turns p into q; small.
static TacVec3 turn_between(TacQuat p, TacQuat q) {
    TacQuat by = tac_quat_mul(q, tac_quat_conjugate(p));
    return tac_scale(tac_vec3(by.x, by.y, by.z), by.w < 0 ? -2 : 2);
}

// How one side has moved since the last look. Where it is says so: its velocity may be shown at two looks, or at none,
// and then what the two sides remember would drift apart.
static TacTouchMotion since_last_look(const TacTouchBatch *b, const TacTouchPart *p, const TacTouchSide *s,
                                      int l, uint32_t element, double was[7], bool seen) {
    double now[7] = {0};
    TacTouchMotion d = tac_touch_flight(s, l, b->flown[l]);
    tac_touch_place_then(p, s, l, element, now);
    if (p->model->moves && seen) {
        d.moved = tac_sub(tac_load3(now), tac_load3(was));
        if (p->x_size == 7) d.turned = turn_between(tac_load_quat(was + 3), tac_load_quat(now + 3));
    }
    memcpy(was, now, sizeof now);
    return d;
}

// Of B over A: across the normal, at the centre; and about it.
static TacVec3 slide_of(const TacTouchBatch *b, int l, const TacTouchMotion *da, const TacTouchMotion *db) {
    TacVec3 at = tac_lanes_get(&b->centre, l), n = tac_lanes_get(&b->normal, l);
    TacVec3 by = tac_sub(tac_touch_displaced(db, &b->b, l, at), tac_touch_displaced(da, &b->a, l, at));
    return tac_axpy(by, -tac_dot(by, n), n);
}

static double twist_of(const TacTouchBatch *b, int l, const TacTouchMotion *da, const TacTouchMotion *db) {
    return tac_dot(tac_lanes_get(&b->normal, l), tac_sub(db->turned, da->turned));
}

void tac_touch_slide_on(TacTouchBatch *b, int l, TacPatchMore *more) {
    const TacPatchKey *key = &b->patches[l]->key;
    TacTouchMotion da = since_last_look(b, &b->part_a, &b->a, l, key->ia, more->was[0], more->seen);
    TacTouchMotion db = since_last_look(b, &b->part_b, &b->b, l, key->ib, more->was[1], more->seen);
    bool stopped = !(b->flown[l] > 0);
    tac_lanes_put(&b->went, l, stopped ? tac_vec3(0, 0, 0) : slide_of(b, l, &da, &db));
    b->turned[l] = stopped ? 0 : twist_of(b, l, &da, &db);
    b->flown[l] = 0;
    more->seen = 1;
}

// --- how much is carried ----------------------------------------------------------------------------------

// How much of a load has been there for a step. Where looks are closer than the longest step that takes part, what came
// up since the slower side's last step has not: there the mean of an earlier step counts.
static double lasting(const TacTouchBatch *b, int l, TacPatchMore *more, double load) {
    double before = more->carried;
    more->carried = load;
    if (b->since[l] > 0.999 * b->h) return fmin(before, load);
    more->sum += load * b->since[l];
    more->since += b->since[l];
    double lasts = fmin(load, fmin(more->earlier[0], more->earlier[1]));
    if (more->since < 0.999 * b->h) return lasts;
    more->earlier[1] = more->earlier[0];
    more->earlier[0] = more->sum / more->since;
    more->sum = more->since = 0;
    return lasts;
}

// What a point will push with at the end of the step, per weight, as far as the two sides alone know: falling, and giving
// way to it.
static double foreseen(const TacTouchBatch *b, int l, double depth, double parting) {
    double h = b->h, k = b->k[l], c = b->c[l] + h * k;
    return fmax(0, k * depth - c * (parting + h * tac_touch_falling(b, l))) / (1 + h * c / b->resists[l]);
}

// What friction is a part of. Where an implicit solver takes part, the push is what it would be without the solve,
// which may be many times what the solve leaves of it: there the spring counts, and only as far as it was there a step
// ago too. Nor is it more than spring and damper together, which is what the last solve has left, or, while something
// settles, than some weight. It is never less than what is foreseen, so that what is laid down on a slope is held at once.
double tac_touch_load(const TacTouchBatch *b, int l, TacPatchMore *more, const TacTouchPoint *points) {
    double m = b->resists[l], solved = tac_touch_are_apart(b, l) ? 0 : b->h * b->c[l];
    double load = points ? 0 : fmax(0, b->k[l] * b->depth[l]);
    double soon = points ? 0 : foreseen(b, l, b->depth[l], b->parting[l]);
    for (uint32_t i = 0; points && i < b->patches[l]->count; i++) {
        const TacTouchPoint *p = &points[i];
        load += p->weight * fmax(0, b->k[l] * p->depth);
        soon += p->weight *
                foreseen(b, l, p->depth,
                         tac_dot(tac_lanes_get(&b->normal, l), tac_touch_velocity_between(b, l, p->at)));
    }
    double lasts = lasting(b, l, more, load);
    if (more->bounces) return b->push[l] * m / (m + solved);
    return fmax(soon, fmin(lasts, fmax(b->push[l], 2 * b->mass[l] * b->gravity)));
}

// --- sticking and slipping --------------------------------------------------------------------------------

// The drag of the last look, where it slid then.
TacVec3 tac_touch_slid(const TacPatch *patch, const TacPatchMore *more) {
    return more->sticks ? tac_vec3(0, 0, 0) : patch->drag;
}

// What drag has turned around after a while has stopped on the way: it is held where it was.
bool tac_touch_has_stopped(const TacTouchBatch *b, int l, const TacPatchMore *more) {
    return more->slips >= A_WHILE &&
           tac_dot(tac_touch_slid(b->patches[l], more), tac_lanes_get(&b->along, l)) > 0;
}

// How friction that slides answers to a change of velocity, for implicit solvers. Coulomb's drag turns with the
// velocity, so it resists whatever is across it. Along it the drag stays as it is, unless it is so large that it might
// not slow the slide but turn it around within the step: then it resists in every direction, and the slide stops; but
// not what has been sliding on for a while, unless it is squeezed by many times its weight.
static void soften(const TacTouchBatch *b, int l, TacPatchMore *more, TacVec3 was) {
    TacVec3 along = tac_lanes_get(&b->along, l);
    double speed = tac_norm(along);
    bool goes_on = tac_dot(was, along) < -0.5 * tac_norm(was) * speed;
    more->slips = goes_on ? (uint16_t)(more->slips + (more->slips < A_WHILE)) : 0;
    more->brake = b->held[l] * (more->c_slide + b->h * more->k);
    bool turns = 2 * b->h * b->most[l] > b->mass[l] * speed;
    bool squeezed = b->most[l] > MANY_WEIGHTS * b->between->numbers.friction * b->mass[l] * b->gravity;
    more->along = turns && (more->slips < A_WHILE || squeezed) ? tac_vec3(0, 0, 0) : tac_unit(along);
}

// Mean square distance of the pushes from their centre.
static double spread(const TacPatch *patch, const TacTouchPoint *points) {
    double sum = 0;
    for (uint32_t i = 0; i < patch->count; i++) {
        TacVec3 r = tac_sub(points[i].at, patch->centre);
        sum += points[i].push * tac_dot(r, r);
    }
    return patch->push > 0 ? sum / patch->push : 0;
}

// The same for turning about the normal: friction that slips may not turn around what it slows.
static double turn_brake(const TacTouchBatch *b, int l, const TacPatchMore *more, double most,
                         double turning) {
    if (2 * b->h * most <= more->square * b->mass[l] * fabs(turning)) return 0;
    return most / fabs(more->spin) * more->square * (more->c_slide + b->h * more->k);
}

// Friction against turning about the normal.
static void twist(const TacTouchBatch *b, int l, TacPatchMore *more, const TacTouchPoint *points) {
    double turning = tac_touch_turning(b, l);
    more->square = points && b->patches[l]->count > 1 ? spread(b->patches[l], points) : 0;
    if (!(more->square > 0)) return;
    more->twist += b->view ? b->turned[l] : b->seconds * turning;
    more->spin = -more->square * (more->k * more->twist + more->c_slide * turning);
    double most = b->most[l] * sqrt(more->square);
    more->grips = fabs(more->spin) <= most;
    if (more->grips) return;
    more->spin_brake = turn_brake(b, l, more, most, turning);
    more->spin = copysign(most, more->spin);
    more->twist = -(more->spin / more->square + more->c_slide * turning) / more->k;
}

void tac_touch_add_friction(const TacTouchBatch *b, int l, TacPatchMore *more, const TacTouchPoint *points,
                            TacVec3 was) {
    more->k = b->k[l];
    more->k_push = b->k_push[l];
    more->c = more->bounces && tac_touch_are_apart(b, l) ? 0 : b->c[l];
    more->c_slide = b->c_slide[l];
    if (!(more->k > 0)) return;
    more->sticks = b->held[l] >= 1;
    if (more->sticks)
        more->slips = 0;
    else
        soften(b, l, more, was);
    twist(b, l, more, points);
}
