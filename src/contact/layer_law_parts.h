// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the files of the law of layers do for each other: layer_law.c for an agent alone, layer_concert.c for those that solve
// together. layer_law.h and layer_concert.h say what it is all for.

#ifndef TACTUS_CONTACT_LAYER_LAW_PARTS_H
#define TACTUS_CONTACT_LAYER_LAW_PARTS_H

#include "contact/layer_borne.h"
#include "contact/layer_concert.h"
#include "contact/layer_others.h"

// --- what belongs to a hold ---------------------------------------------------------------------------------

static inline TacLayerLine *tac_layer_line(const TacLayerLaw *law, const TacLayerHold *h) {
    return &law->room->lines[law->each * (size_t)(h - law->room->holds)];
}

// While it is in a solve.
static inline TacLayerEffect *tac_layer_effect(const TacLayerLaw *law, const TacLayerHold *h, int k) {
    return &law->room->shared[tac_layer_line(law, h) - law->room->lines + k].effect;
}

static inline const TacLayerSide *tac_layer_side(const TacLayerLaw *law, const TacLayerHold *h) {
    static const TacLayerSide still[TAC_LAYER_LINES];
    return h->sides ? &law->room->sides[h->side] : still;
}

// Where it was looked at.
static inline TacLayerSlip *tac_layer_slip(const TacLayerLaw *law, const TacLayerHold *h) {
    return &law->room->slips[h - law->room->holds];
}

// NULL: nobody solves for the other side.
static inline TacLayerMate *tac_layer_mate(const TacLayerLaw *law, const TacLayerHold *h) {
    if (!law->together) return NULL;
    TacLayerMate *mate = &law->room->beside[h - law->room->holds].mate;
    return mate->law != law->place ? mate : NULL;
}

// Whether the other side of a pair is free frames that are borne.
static inline bool tac_layer_bears(const TacLayerLaw *law, const TacLayerHold *h) {
    if (!law->together) return false;
    const TacLayerMate *mate = &law->room->beside[h - law->room->holds].mate;
    return mate->law == law->place && mate->hold >= law->hold_count;
}

// How the other side gives way to the push of a pair, 1/kg, so far as that is not found for all its pairs at once.
static inline double tac_layer_gives(const TacLayerLaw *law, const TacLayerHold *h, int k) {
    return tac_layer_bears(law, h) ? 0 : tac_layer_side(law, h)[k].inverse;
}

// Of what two laws find of a pair, that of the first one counts for both.
static inline bool tac_layer_is_led(const TacLayerLaw *law, const TacLayerMate *mate) {
    return mate && mate->law < law->place;
}

static inline const TacPairType *tac_layer_type(const TacLayerLaw *law, const TacLayerHold *h) {
    return &law->safe->types[h->type];
}

// Slower than this, it rests, m/s.
static inline double tac_layer_hold_slow(const TacLayerLaw *law, const TacLayerHold *h) {
    return tac_layer_slow_under(tac_layer_type(law, h), tac_layer_line(law, h)[TAC_LAYER_NORMAL].push,
                                h->alone);
}

static inline TacVec3 tac_layer_direction(const TacLayerLine *line) {
    return tac_vec3(line->direction[0], line->direction[1], line->direction[2]);
}

// How the other side goes along a line by its own solve, but for how this one's push changes that; where it has a mate.
static inline double *tac_layer_away(const TacLayerLaw *law, const TacLayerHold *h, int k) {
    ptrdiff_t line = tac_layer_line(law, h) - law->room->lines;
    return &law->room->beside[law->hold_count + (size_t)line + (size_t)k].away;
}

// --- pairs as they go ---------------------------------------------------------------------------------------

// How fast a pair's points go along one of its lines: f v + g dv of them.
static inline double tac_layer_along(const TacLayerLaw *law, const TacLayerHold *h, const TacLayerLine *line,
                                     double f, const double *v, double g, const double *dv) {
    double sum = 0;
    for (uint32_t k = h->first; k < h->first + h->count; k++)
        for (int a = 0; a < 3; a++) {
            size_t at = 3 * (size_t)law->room->points[k] + (size_t)a;
            sum += (double)law->room->weights[k] * line->direction[a] * (f * v[at] + g * dv[at]);
        }
    return sum;
}

// How far its points go along its k-th line in a solve, m, times what the solver takes speeds; finds its impulse by that.
static inline double tac_layer_find_impulse(const TacLayerLaw *law, const TacLayerHold *h, int k,
                                            const TacForesight *sight, const double *v, const double *dv) {
    TacLayerEffect *effect = tac_layer_effect(law, h, k);
    double own = tac_layer_along(law, h, &tac_layer_line(law, h)[k], sight->old, v, sight->change, dv);
    effect->impulse = (float)(sight->step * (effect->force - effect->stiffness * own));
    return own;
}

// Of what was told, how much it should change; what is no number is beyond all.
static inline float tac_layer_change(double by, double *most) {
    *most = fabs(by) < INFINITY ? fmax(*most, fabs(by)) : INFINITY;
    return (float)by;
}

// All pairs side by side: each writes its own hold.
typedef struct TacLayerHolds {
    TacLayerLaw *law;
    const TacForesight *sight;
    const double *v, *dv;
    double time;
    bool grips;
    size_t changed;
} TacLayerHolds;

static inline void tac_layer_on_holds(TacLayerHolds *holds, TacLoop loop) {
    TacTeam *team = holds->law->safe->team;
    size_t n = holds->law->hold_count;
    tac_team_run(team, n, tac_team_grain(team, n, 64), loop, holds);
}

// --- layer_law.c

// What a pair does in the solve, by what is foreseen of it.
void tac_layer_set_course(const TacLayerLaw *law, TacLayerHold *hold, TacLayerCourse course,
                          const TacForesight *sight);

#endif
