// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The other side of a live pair, as an agent's solve sees it: how fast it moves, and how it gives way.
//
// A light thing that hits a heavy agent must not be taken for one that goes on as it comes: over a step the
// layers would be predicted to give many times the impulse that it has. So it gives way as if it were free:
// a push of impulse l changes the speed of the gap by `inverse` l.

#ifndef TACTUS_CONTACT_LAYER_OTHERS_H
#define TACTUS_CONTACT_LAYER_OTHERS_H

#include "contact/safe_parts.h"

enum { TAC_LAYER_OTHERS = 16 };

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
