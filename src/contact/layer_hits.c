// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs that have just met; see layer_hits.h.

#include "contact/layer_hits.h"
#include "contact/layer_others.h"

static TacLayerHit hit_of(const TacSafe *safe, const TacPair *p, const TacLayerLook *look, TacTick now) {
    double speed = 0, inverse = 0;
    for (int i = 0; i < look->count; i++) {
        double x[3], u[3], w = look->closest.weight[i];
        tac_safe_motion(safe, look->v[i], now, x, u);
        for (int k = 0; k < 3; k++) speed += w * look->closest.normal[k] * u[k];
        inverse += w * w * safe->vertices[look->v[i]].bound;
    }
    const TacPairType *type = &safe->types[p->type];
    double period = type->layers.period[0];
    return (TacLayerHit){.step = tac_layer_step(look->gap, look->stiffness, speed, inverse, inverse,
                                                tac_layer_slow(type), INFINITY),
                         .speed = speed,
                         .mass = 1 / inverse,
                         .kick = period * look->force * inverse,
                         .period = period,
                         .loses = type->restitution < 1};
}

void tac_layer_hits(const TacSafe *safe, TacTick now, TacOnLayerHit call, void *data) {
    for (size_t i = 0; i < safe->fresh.count; i++) {
        const TacPair *p = &safe->pairs[safe->fresh.items[i]];
        TacLayerLook look;
        if (!tac_layer_look(safe, p, now, &look)) continue;
        TacLayerHit hit = hit_of(safe, p, &look, now);
        double parts = 0;
        for (int k = 0; k < look.count; k++) parts += safe->vertices[look.v[k]].count;
        hit.mass /= parts;
        for (int k = 0; k < look.count && isfinite(hit.step); k++) {
            const TacVertex *v = &safe->vertices[look.v[k]];
            for (uint32_t c = 0; c < v->count; c++) call(data, tac_safe_carrier(safe, v, c).support, &hit);
        }
    }
}
