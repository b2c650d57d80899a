// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Eight patches at a time, while it is found what they push and rub with; shared by touch_response.c and
// touch_friction.c, and by nobody else. See touch.h for the rules.
//
// The patches of a *batch* lie side by side, number by number, so that a compiler can take them as wide numbers: all
// loops over lanes are short, have a fixed count and no branches.

#ifndef TACTUS_CONTACT_TOUCH_BATCH_H
#define TACTUS_CONTACT_TOUCH_BATCH_H

#include "contact/touch.h"

enum { TAC_TOUCH_LANES = 8 };

typedef double TacLanes[TAC_TOUCH_LANES];

typedef struct TacLanes3 {
    TacLanes x, y, z;
} TacLanes3;

// One model's part in a run of patches.
typedef struct TacTouchPart {
    const TacTouchModel *model;
    const uint32_t *frame; // of a shape's elements; NULL: balls
    const double *x, *v;
    const double *then; // its velocities at the time of whoever looks, in loose worlds; else v
    size_t x_size, v_size;
    bool stepped;  // it is pushed as explicit solvers are
    double step;   // s; 0: nobody moves it
    double bears;  // how much stiffness that one bears, as a part of what symplectic Euler does; 1: any
    double chosen; // per kg: the stiffness of a contact whose material names none, before what is borne
    double behind; // how long ago it was where it is shown, s
} TacTouchPart;

// One side of eight patches.
typedef struct TacTouchSide {
    TacLanes3 x, v, w;      // place, velocity, angular velocity of its point or frame
    TacLanes3 flies, spins; // in loose worlds: the velocities with which it came to where it is shown
    TacLanes mass;          // infinite: nothing moves it
    TacLanes loads;         // contacts, at least 1
    TacLanes yield;         // how often its mass counts in what explicit solvers bear
} TacTouchSide;

typedef struct TacTouchBatch {
    const TacTouchNumbers *between;
    TacTouchPart part_a, part_b;
    double seconds;    // since the last look
    double period;     // tac_touch_period
    bool waits;        // until all who take part tick
    double gravity;    // the stronger one
    double lag;        // see lag_of
    bool implicit;     // an implicit solver solves it
    double h;          // the longer step of such, s
    bool view, behind; // a view of a loose world; one side is behind the other
    bool shapes, more; // patches of several points; with TacPatchMore
    // of each patch
    TacPatch *patches[TAC_TOUCH_LANES];
    TacTouchSide a, b;
    TacLanes3 normal, centre, slide, along, drag;
    TacLanes touching, hit, age;          // touching, hit: 0 or 1
    TacLanes parting;                     // along the normal at the centre, m/s
    TacLanes target;                      // the parting that the damper pulls to, m/s
    TacLanes depth, push, most;           // most: what friction can hold
    TacLanes flown;                       // how long it has slid, s
    TacLanes since;                       // how long ago it could last push, s
    bool asleep[TAC_TOUCH_LANES];         // it waits
    TacLanes3 went;                       // in loose worlds: B over A at the centre since the last look, m
    TacLanes turned;                      // and about the normal, rad
    TacLanes k, k_push, c, c_slide, mass; // stiffness, that along the normal, dampers, reduced mass
    TacLanes resists; // what resists pushes along the normal, of both, kg; for implicit solvers
    TacLanes most_c;  // what explicit sides bear
    TacLanes held;    // the part of what friction would need that it can hold, at most 1
} TacTouchBatch;

// --- lanes ------------------------------------------------------------------------------------------------

static inline void tac_lanes_put(TacLanes3 *to, int l, TacVec3 v) {
    to->x[l] = v.x;
    to->y[l] = v.y;
    to->z[l] = v.z;
}

static inline TacVec3 tac_lanes_get(const TacLanes3 *from, int l) {
    return tac_vec3(from->x[l], from->y[l], from->z[l]);
}

typedef struct TacTouchMotion {
    TacVec3 moved, turned;
} TacTouchMotion;

static inline TacVec3 tac_touch_displaced(const TacTouchMotion *d, const TacTouchSide *s, int l, TacVec3 at) {
    return tac_add(d->moved, tac_cross(d->turned, tac_sub(at, tac_lanes_get(&s->x, l))));
}

static inline TacTouchMotion tac_touch_flight(const TacTouchSide *s, int l, double seconds) {
    return (TacTouchMotion){tac_scale(tac_lanes_get(&s->flies, l), seconds),
                            tac_scale(tac_lanes_get(&s->spins, l), seconds)};
}

// Where a side is at the time of whoever looks, as far as is known: it flies on, or back.
static inline void tac_touch_place_then(const TacTouchPart *p, const TacTouchSide *s, int l, uint32_t element,
                                        double out[7]) {
    memcpy(out, p->x + p->x_size * (p->frame ? p->frame[element] : element), p->x_size * sizeof *out);
    TacTouchMotion d = tac_touch_flight(s, l, p->behind);
    tac_add3(out, d.moved);
    if (p->x_size == 7)
        tac_store_quat(out + 3, tac_quat_mul(tac_quat_from_vector(d.turned), tac_load_quat(out + 3)));
}

static inline bool tac_touch_is_movable(const TacTouchSide *s, int l) {
    return s->mass[l] < INFINITY;
}

static inline TacVec3 tac_touch_velocity_at(const TacTouchSide *s, int l, TacVec3 at) {
    return tac_add(tac_lanes_get(&s->v, l),
                   tac_cross(tac_lanes_get(&s->w, l), tac_sub(at, tac_lanes_get(&s->x, l))));
}

static inline TacVec3 tac_touch_velocity_between(const TacTouchBatch *b, int l, TacVec3 at) {
    return tac_sub(tac_touch_velocity_at(&b->b, l, at), tac_touch_velocity_at(&b->a, l, at));
}

// Both sides move, and are not solved together.
static inline bool tac_touch_are_apart(const TacTouchBatch *b, int l) {
    return tac_touch_is_movable(&b->a, l) && tac_touch_is_movable(&b->b, l) &&
           b->part_a.model->model->matter != b->part_b.model->model->matter;
}

// How B falls as seen from A, along the normal, m/s^2.
static inline double tac_touch_falling(const TacTouchBatch *b, int l) {
    double fall = 0;
    if (tac_touch_is_movable(&b->a, l)) fall -= tac_dot(tac_lanes_get(&b->normal, l), b->part_a.model->falls);
    if (tac_touch_is_movable(&b->b, l)) fall += tac_dot(tac_lanes_get(&b->normal, l), b->part_b.model->falls);
    return fall;
}

static inline double tac_touch_turning(const TacTouchBatch *b, int l) {
    return tac_dot(tac_lanes_get(&b->normal, l),
                   tac_sub(tac_lanes_get(&b->b.w, l), tac_lanes_get(&b->a.w, l)));
}

// --- friction (touch_friction.c) --------------------------------------------------------------------------

// What friction is a part of, where an implicit solver takes part, N.
double tac_touch_load(const TacTouchBatch *b, int l, TacPatchMore *more, const TacTouchPoint *points);

// The drag of the last look, where it slid then; and whether what slid for a while has stopped since.
TacVec3 tac_touch_slid(const TacPatch *patch, const TacPatchMore *more);
bool tac_touch_has_stopped(const TacTouchBatch *b, int l, const TacPatchMore *more);

// In loose worlds: how far it has slid and turned since the last look, from where its sides are.
void tac_touch_slide_on(TacTouchBatch *b, int l, TacPatchMore *more);

// Friction of all lanes, at most `most` each.
void tac_touch_rub(TacTouchBatch *b);

// What implicit solvers need to know of it, and friction against turning about the normal; `was`: tac_touch_slid, before.
void tac_touch_add_friction(const TacTouchBatch *b, int l, TacPatchMore *more, const TacTouchPoint *points,
                            TacVec3 was);

#endif
