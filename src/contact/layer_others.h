// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What laws and rows of layers (layer_law.h, layer_rows.h) share: a live pair as it is now, its other side, and for how
// long what is foreseen of it can be believed.
//
// The other side of a live pair, as an agent's solve sees it: how fast it moves, and how it gives way.
// A light thing that hits a heavy agent must not be taken for one that goes on as it comes: over a step the
// layers would be predicted to give many times the impulse that it has. So it gives way as if it were free:
// a push of impulse l changes the speed of the gap by `inverse` l.

#ifndef TACTUS_CONTACT_LAYER_OTHERS_H
#define TACTUS_CONTACT_LAYER_OTHERS_H

#include "contact/safe_parts.h"

enum { TAC_LAYER_OTHERS = 16 };

// A live pair at an instant.
typedef struct TacLayerLook {
    TacSafeClosest closest;
    uint32_t v[4];
    int count;
    double gap, force, stiffness; // m, N, N/m
} TacLayerLook;

// False: none of its layers is live.
static inline bool tac_layer_look(const TacSafe *safe, const TacPair *p, TacTick now, TacLayerLook *look) {
    int na;
    double q[4][3];
    look->count = tac_safe_vertices(safe, p, look->v, &na);
    for (int i = 0; i < look->count; i++) tac_safe_place(safe, look->v[i], now, q[i]);
    look->closest = tac_safe_closest(safe, p, q);
    look->gap = look->closest.distance - tac_safe_pair_radius(safe, p);
    if (!(look->gap > 0)) return false;
    look->force = p->r1 * tac_layers_force(&safe->types[p->type].layers, tac_safe_nest(safe, p, now),
                                           look->gap, &look->stiffness);
    look->stiffness *= p->r1;
    return look->force > 0 && look->stiffness > 0;
}

// Speed below which things rest, m/s.
static inline double tac_layer_slow(const TacPairType *type) {
    const double part = 1e-3; // of the usual speed, where nothing weighs anything
    return fmax(type->v_rest, part * type->layers.eta1 * sqrt(type->layers.strength));
}

// What is left of the push of a pair that separates at a speed: as the layers do it themselves (safe_kick.c).
static inline double tac_layer_restitution(const TacPairType *type, double speed) {
    if (type->restitution >= 1 || !(speed > 0)) return 1;
    double e = type->restitution;
    return 1 - (1 - e * e) * fmin(1, speed / tac_layer_slow(type));
}

// The longest step over which a solve can foresee a pair whose gap changes at a speed: it goes by a part of its gap, as
// layers stiffen from there on, and they turn it round (1/inverse is its mass) by no more than a small angle. What is
// wrong by then, times the step, is a false deformation of whatever the solver holds together. What is as slow as
// resting things are is foreseen for ever.
static inline double tac_layer_step(const TacPairType *type, double gap, double stiffness, double speed,
                                    double inverse) {
    const double way = 0.25, angle = 0.25;
    double fast = fabs(speed);
    if (!(fast > tac_layer_slow(type))) return INFINITY;
    return fmin(way * gap / fast, angle / sqrt(stiffness * inverse));
}

typedef struct TacLayerOthers {
    struct {
        uint32_t support;
        double linear[3], angular[3];
    } list[TAC_LAYER_OTHERS];
    int count;
    double speed; // m/s: of the gap, by their motion
} TacLayerOthers;

// One carrier of a vertex, with its weight in the pair.
static inline void tac_layer_others_add(TacLayerOthers *others, const TacSafe *safe, uint32_t vertex,
                                        uint32_t support, double weight, const double normal[3],
                                        TacTick now) {
    const TacSupport *s = &safe->supports[support];
    double x[3], u[3];
    if (s->frame)
        tac_safe_motion(safe, vertex, now, x, u);
    else
        memcpy(u, s->v, sizeof u);
    for (int k = 0; k < 3; k++) others->speed += weight * normal[k] * u[k];
    int i = 0;
    while (i < others->count && others->list[i].support != support) i++;
    if (i == TAC_LAYER_OTHERS) return;
    if (i == others->count) {
        others->count++;
        memset(&others->list[i], 0, sizeof others->list[i]);
        others->list[i].support = support;
    }
    for (int k = 0; k < 3; k++) others->list[i].linear[k] += weight * normal[k];
    if (!s->frame) return;
    TacVec3 arm = tac_rotate(tac_load_quat(s->x + 3), safe->vertices[vertex].local);
    tac_add3(others->list[i].angular, tac_scale(tac_cross(arm, tac_load3(normal)), weight));
}

// 1/kg
static inline double tac_layer_others_inverse(const TacLayerOthers *others, const TacSafe *safe) {
    double sum = 0;
    for (int i = 0; i < others->count; i++) {
        const TacSupport *s = &safe->supports[others->list[i].support];
        if (s->bound == 0) continue;
        const double *j = others->list[i].linear;
        for (int k = 0; k < 3; k++) sum += s->w[k] * j[k] * j[k];
        if (!s->frame || !s->inertia) continue;
        TacVec3 turn = tac_load3(others->list[i].angular);
        sum += tac_dot(turn, tac_inertia_solve(s->inertia, tac_load_quat(s->x + 3), turn));
    }
    return sum;
}

#endif
