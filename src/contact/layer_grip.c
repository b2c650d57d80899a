// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the anchors of friction pull with; see layer_grip.h.

#include "contact/layer_grip.h"

void tac_layer_across(const double normal[3], double first[3], double second[3]) {
    TacVec3 n = tac_load3(normal);
    TacVec3 aside = fabs(n.x) < 0.6 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0);
    TacVec3 s = tac_cross(n, aside);
    s = tac_scale(s, 1 / tac_norm(s));
    tac_store3(first, s);
    tac_store3(second, tac_cross(n, s));
}

// One class, whose anchor is `off` away.
static void add_class(const TacPairType *type, double r1, TacLayerDepth depth, int k, TacVec3 off,
                      double pull[3]) {
    TacLayerKick kick = tac_layers_kick_class(&type->layers, depth, k);
    if (kick.shallowest < 0) return;
    double rate = r1 * (double)((uint64_t)1 << depth.shift) / type->layers.period[k];
    double wanted = rate * kick.stiffness * tac_norm(off), most = type->friction * rate * kick.impulse;
    double part = wanted > most ? most / wanted : 1;
    tac_add3(pull, tac_scale(off, -part * rate * kick.stiffness));
}

// How far a pair has slid from one of its anchors.
static TacVec3 away_from(const TacSafe *safe, const TacPair *p, const TacLayerLook *look, int slot,
                         TacTick now) {
    const TacGrip *grip = &safe->grips[p->live];
    bool edges = safe->primitives[p->a].kind == TAC_PRIMITIVE_EDGE;
    double q[4][3];
    memcpy(q, look->place, (size_t)look->count * sizeof *q);
    TacVec3 off = tac_sub(tac_safe_slid(safe, p, edges, look->count, q, now), tac_load3(grip->stuck));
    if (slot < TAC_ANCHORS_NEAR) return off;
    return tac_sub(tac_add(off, tac_load3(safe->deep_grips[grip->deep].near)),
                   tac_load3(tac_safe_anchor(safe, p->live, slot)));
}

void tac_layer_grip(const TacSafe *safe, const TacPair *p, const TacLayerLook *look, TacTick now,
                    double pull[3]) {
    const TacPairType *type = &safe->types[p->type];
    memset(pull, 0, 3 * sizeof *pull);
    if (!tac_safe_is_live(safe, p, now)) return;
    TacVec3 normal = tac_load3(look->closest.normal);
    TacLayerDepth depth = tac_layers_depth(&type->layers, tac_safe_nest(safe, p, now), look->gap);
    int deepest = tac_layers_kick(&type->layers, depth, TAC_RULER_CLASSES).deepest;
    for (int k = 0; k <= deepest; k++) {
        int slot = tac_safe_anchor_slot(k);
        if (!(safe->lives[p->live].anchored & 1u << slot)) continue;
        TacVec3 off = away_from(safe, p, look, slot, now);
        off = tac_sub(off, tac_scale(normal, tac_dot(off, normal)));
        add_class(type, p->r1 * look->closest.part, depth, k, off, pull);
    }
}
