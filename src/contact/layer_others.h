// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What laws and rows of layers (layer_law.h, layer_rows.h) share: a live pair as it is now, its other side, and for how
// long what is foreseen of it can be believed.
//
// The other side of a live pair, as an agent's solve sees it: how fast it moves, and how it gives way. A light thing that
// hits a heavy agent must not be taken for one that goes on as it comes: over a step the layers would be predicted to
// give many times the impulse that it has. So what flies free gives way freely: a push of impulse l changes the speed of
// the gap by `inverse` l, and its weight brings it back. Others do something about what they feel: the push of now is
// taken for balanced, and only what is pushed beyond it makes them give way.

#ifndef TACTUS_CONTACT_LAYER_OTHERS_H
#define TACTUS_CONTACT_LAYER_OTHERS_H

#include "contact/safe_parts.h"

enum { TAC_LAYER_OTHERS = 16 };

// Of the speed below which things rest: what is slower than this part of it does not move.
#define TAC_LAYER_STILL 0.3

// A live pair at an instant.
typedef struct TacLayerLook {
    TacSafeClosest closest;
    uint32_t v[4];
    int count;
    double place[4][3];           // m, of its vertices
    double gap, force, stiffness; // m, N, N/m
    int side;                     // vertices of its first side
    double lever[2];              // m: how far from the core of each side friction acts
} TacLayerLook;

// False: none of its layers is live.
static inline bool tac_layer_look(const TacSafe *safe, const TacPair *p, TacTick now, TacLayerLook *look) {
    look->count = tac_safe_vertices(safe, p, look->v, &look->side);
    for (int i = 0; i < look->count; i++) tac_safe_place(safe, look->v[i], now, look->place[i]);
    look->closest = tac_safe_closest(safe, p, look->place);
    tac_safe_share(safe, p, look->place, &look->closest, now);
    look->gap = look->closest.distance - tac_safe_pair_radius(safe, p);
    if (!(look->gap > 0)) return false;
    const TacLayers *layers = &safe->types[p->type].layers;
    TacNest nest = tac_safe_nest(safe, p, now);
    double r1 = p->r1 * look->closest.part;
    look->force = r1 * tac_layers_force(layers, nest, look->gap, &look->stiffness);
    look->stiffness *= r1;
    look->lever[0] = look->lever[1] = 0;
    if (safe->round && tac_safe_has_lever(safe, p))
        tac_safe_find_levers(safe, p, look->count, look->place, &look->closest, look->lever);
    return look->force > 0 && look->stiffness > 0;
}

// Speed below which things rest, m/s.
static inline double tac_layer_slow(const TacPairType *type) {
    const double part = 1e-3; // of the usual speed, where nothing weighs anything
    return tac_larger(type->v_rest, part * type->layers.eta1 * sqrt(type->layers.strength));
}

// The same of a pair that pushes with a force against an inverse mass.
static inline double tac_layer_slow_under(const TacPairType *type, double force, double inverse) {
    return tac_larger(tac_layer_slow(type),
                      tac_safe_rest_speed(type, type->layers.period[0] * force * inverse));
}

// The longest step over which a solve can foresee a pair whose gap changes at a speed: it goes by a part of its gap, as
// layers stiffen from there on, and they turn it round (1/inverse is its mass) by no more than a small angle, or one
// period of theirs. What is wrong by then, times the step, is a false deformation of whatever the solver holds together:
// the softer that is (`swing`, rad/s: how fast it swings back), the longer the step may be. What is slower than `still`
// is foreseen for ever.
static inline double tac_layer_step(double gap, double stiffness, double speed, double inverse, double alone,
                                    double still, double swing) {
    const double way = 0.25, angle = 0.25, period = 0.1, soft = 0.8, wrong = 0.2;
    double fast = fabs(speed);
    if (!(fast > still)) return INFINITY;
    double turn = tac_larger(angle / sqrt(stiffness * inverse), period / sqrt(stiffness * alone));
    turn = tac_larger(turn, cbrt(wrong / (stiffness * inverse * swing)));
    return tac_larger(soft / swing, tac_smaller(way * gap / fast, turn));
}

typedef struct TacLayerOthers {
    struct {
        uint32_t support;
        double linear[3], angular[3];
    } list[TAC_LAYER_OTHERS];
    int count;
    double speed;   // m/s: of the gap, by their motion
    double fall;    // m/s^2: the same, by their flight
    double hung;    // m/s^2: by that of those that do not fly free; what holds them up balances it
    double inverse; // 1/kg
    double held;    // 1/kg: of those that do not fly free
} TacLayerOthers;

static inline bool tac_layer_is_free(const TacSupport *s) {
    return s->regular == TAC_RULER_CLASSES;
}

// One carrier of a vertex, with its weight in the pair, that is pushed along a line: where a frame carries it, at a place
// that is so far from the vertex.
static inline void tac_layer_others_add(TacLayerOthers *others, const TacSafe *safe, uint32_t vertex,
                                        uint32_t support, double weight, const double normal[3],
                                        TacVec3 aside, TacTick now) {
    const TacSupport *s = &safe->supports[support];
    double x[3], u[3];
    if (s->frame) {
        tac_safe_motion(safe, vertex, now, x, u);
        tac_add3(u, tac_cross(tac_load3(tac_support_v(s) + 3), aside));
    }
    for (int k = 0; k < 3 && !s->frame; k++)
        u[k] = tac_support_v(s)[k] + tac_safe_seconds(safe, now - *tac_support_time(s)) * s->kind->g[k];
    for (int k = 0; k < 3; k++) {
        others->speed += weight * normal[k] * u[k];
        *(tac_layer_is_free(s) ? &others->fall : &others->hung) += weight * normal[k] * s->kind->g[k];
    }
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
    TacVec3 arm = tac_add(aside, tac_rotate(tac_load_quat(tac_support_x(s) + 3), safe->locals[vertex]));
    tac_add3(others->list[i].angular, tac_scale(tac_cross(arm, tac_load3(normal)), weight));
}

// Finds how they give way.
static inline void tac_layer_others_find(TacLayerOthers *others, const TacSafe *safe) {
    for (int i = 0; i < others->count; i++) {
        const TacSupport *s = &safe->supports[others->list[i].support];
        if (tac_support_bound(s) == 0) continue;
        const double *j = others->list[i].linear;
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += tac_support_w(s, k) * j[k] * j[k];
        if (s->frame && s->kind->inertia) {
            TacVec3 turn = tac_load3(others->list[i].angular);
            sum +=
                tac_dot(turn, tac_inertia_solve(s->kind->inertia, tac_load_quat(tac_support_x(s) + 3), turn));
        }
        others->inverse += sum;
        if (!tac_layer_is_free(s)) others->held += sum;
    }
}

#endif
