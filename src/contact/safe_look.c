// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "contact/safe_look.h"
#include "contact/safe_parts.h"

static const double MOST_LAYERS = 1000000; // that are told apart

// Every n-th of `count`, so that no more than `most` are taken.
static size_t stride_for(size_t count, size_t most) {
    return most ? (count + most - 1) / most : 0;
}

size_t tac_safe_look_plans(const TacSafe *safe, TacTick now, TacPlanLook *plans, size_t most) {
    size_t n = 0, stride = stride_for(safe->vertex_count, most);
    for (size_t i = 0; stride && i < safe->vertex_count; i += stride) {
        double left = fmax(tac_safe_seconds(safe, safe->sweep_until - now), 0), speed[3];
        TacTick later = now + (TacTick)(left / safe->base.tick);
        TacPlanLook *p = &plans[n++];
        tac_plan_at(safe, (uint32_t)i, now, p->from, speed, &p->rho);
        tac_plan_at(safe, (uint32_t)i, later, p->to, speed, &p->rho);
    }
    return n;
}

size_t tac_safe_look_boxes(const TacSafe *safe, TacBoxLook *look, TacKdop *boxes, size_t most) {
    // numbers come in pairs: along a direction, and against it
    look->axes = safe->def.k / 2;
    for (int a = 0; a < look->axes; a++) look->directions[a] = tac_load3(safe->directions[2 * a]);
    size_t n = 0, stride = stride_for(safe->vertex_count, most);
    for (size_t i = 0; stride && i < safe->vertex_count; i += stride, n++)
        for (int a = 0; a < look->axes; a++) {
            const TacSwept *course = &safe->courses[i];
            TacVec3 d = look->directions[a];
            TacVec3 way = tac_vec3((double)course->way[0], (double)course->way[1], (double)course->way[2]);
            double first = tac_dot(d, tac_load3(course->c)), last = first + tac_dot(d, way);
            double wide = (double)course->rho * (fabs(d.x) + fabs(d.y) + fabs(d.z));
            boxes[n].low[a] = fmin(first, last) - wide;
            boxes[n].high[a] = fmax(first, last) + wide;
        }
    return n;
}

// Layer l is live nearer than eta1 l^(-1/4): so all before (eta1 / gap)^4 are.
static double deepest_layer(const TacSafe *safe, const TacPair *p, TacTick now, uint32_t v[4], int *count) {
    int first_side;
    double q[4][3];
    *count = tac_safe_vertices(safe, p, v, &first_side);
    for (int k = 0; k < *count; k++) tac_safe_place(safe, v[k], now, q[k]);
    double gap = tac_safe_closest(safe, p, q).distance - tac_safe_pair_radius(safe, p);
    double ratio = safe->types[p->type].layers.eta1 * tac_safe_nest(safe, p, now).scale / gap;
    if (!(gap > 0)) return MOST_LAYERS;
    return fmin(ceil(ratio * ratio * ratio * ratio) - 1, MOST_LAYERS);
}

void tac_safe_look_layers(const TacSafe *safe, TacTick now, TacLayerLook tell, void *data) {
    for (size_t i = 0; i < safe->pair_used; i++) {
        const TacPair *p = &safe->pairs[i];
        uint32_t v[4];
        int n;
        if (p->a == TAC_SAFE_NONE || p->armed < 0) continue;
        double layer = deepest_layer(safe, p, now, v, &n);
        for (int k = 0; layer > 0 && k < n; k++) {
            const TacVertex *vertex = &safe->vertices[v[k]];
            for (uint32_t c = 0; c < vertex->count; c++) {
                const TacSupport *s = &safe->supports[tac_safe_carrier(safe, vertex, c).support];
                tell(data, s->kind->matter, s->index, layer);
            }
        }
    }
}

void tac_safe_look_counts(const TacSafe *safe, TacTick now, double *pairs, double *layers) {
    *pairs = *layers = 0;
    for (size_t i = 0; i < safe->pair_used; i++) {
        const TacPair *p = &safe->pairs[i];
        uint32_t v[4];
        int n;
        if (p->a == TAC_SAFE_NONE || p->armed < 0) continue;
        double layer = deepest_layer(safe, p, now, v, &n);
        *pairs += layer > 0;
        *layers += fmax(layer, 0);
    }
}
