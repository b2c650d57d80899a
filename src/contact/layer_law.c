// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Live layers as a law within an implicit solve; see layer_law.h.

#include "contact/layer_law.h"
#include "contact/layer_others.h"

// --- looking ----------------------------------------------------------------------------------------------

// The points of the matter under one vertex of a pair, with weights; others only add their motion.
static bool add_vertex(TacLayerLaw *law, uint32_t vertex, double weight, const double normal[3], TacTick now,
                       TacLayerHold *hold, TacLayerOthers *others) {
    const TacSafe *safe = law->safe;
    const TacVertex *v = &safe->vertices[vertex];
    size_t count = law->law.matter[0]->count;
    for (uint32_t i = 0; i < v->count; i++) {
        const TacSafeCarrier *c = &safe->carriers[v->first + i];
        const TacSupport *s = &safe->supports[c->support];
        double w = weight * c->weight;
        if (s->frame || c->support < law->first_support || c->support >= law->first_support + count) {
            tac_layer_others_add(others, safe, vertex, c->support, w, normal, now);
            continue;
        }
        if (!tac_grow(&law->points, &law->point_capacity, law->point_count + 1, sizeof *law->points) ||
            !tac_grow(&law->weights, &law->weight_capacity, law->point_count + 1, sizeof *law->weights))
            return false;
        law->points[law->point_count] = c->support - law->first_support;
        law->weights[law->point_count++] = w;
        hold->count++;
    }
    return true;
}

static bool add_pair(TacLayerLaw *law, uint32_t id, TacTick now, const TacForesight *sight) {
    const TacSafe *safe = law->safe;
    const TacPair *p = &safe->pairs[id];
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, p, v, &na);
    double q[4][3];
    for (int i = 0; i < n; i++) tac_safe_place(safe, v[i], now, q[i]);
    TacSafeClosest c = tac_safe_closest(safe, p, q);
    double gap = c.distance - tac_safe_pair_radius(safe, p), stiffness;
    if (!(gap > 0)) return true;
    double force =
        p->r1 * tac_layers_force(&safe->types[p->type].layers, tac_safe_nest(safe, p, now), gap, &stiffness);
    if (!(force > 0)) return true;
    if (!tac_grow(&law->holds, &law->hold_capacity, law->hold_count + 1, sizeof *law->holds)) return false;
    TacLayerHold *hold = &law->holds[law->hold_count];
    *hold = (TacLayerHold){.first = (uint32_t)law->point_count, .stiffness = p->r1 * stiffness};
    memcpy(hold->normal, c.normal, sizeof hold->normal);
    TacLayerOthers others = {.count = 0};
    for (int i = 0; i < n; i++)
        if (!add_vertex(law, v[i], c.weight[i], c.normal, now, hold, &others)) return false;
    // what moves on the other side changes the gap, too, and gives way to the push
    double k = hold->stiffness, inverse = tac_layer_others_inverse(&others, safe);
    double share = 1 / (1 + sight->step * sight->change * k * inverse);
    hold->force = share * (force - k * sight->old * others.speed);
    hold->stiffness = share * k;
    if (hold->count) law->hold_count++;
    return true;
}

bool tac_layer_law_look(TacLayerLaw *law, TacTick now, const TacForesight *sight) {
    const TacSafe *safe = law->safe;
    law->hold_count = law->point_count = 0;
    size_t n;
    if (!tac_safe_list_armed(safe, &law->order, &law->order_capacity, &n)) return false;
    for (size_t i = 0; i < n; i++)
        if (!add_pair(law, (uint32_t)law->order[i].item, now, sight)) return false;
    return true;
}

void tac_layer_law_give_back(const TacLayerLaw *law, const TacForesight *sight, const double *v, double *dv) {
    const TacSafe *safe = law->safe;
    // all from the same dv
    for (size_t i = 0; i < law->hold_count; i++) {
        TacLayerHold *h = &law->holds[i];
        double closing = 0;
        for (uint32_t k = h->first; k < h->first + h->count; k++)
            for (int a = 0; a < 3; a++) {
                size_t at = 3 * (size_t)law->points[k] + (size_t)a;
                closing += law->weights[k] * h->normal[a] * (sight->old * v[at] + sight->change * dv[at]);
            }
        h->force = sight->step * (h->force - h->stiffness * closing); // now an impulse
    }
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->holds[i];
        for (uint32_t k = h->first; k < h->first + h->count; k++) {
            const TacSupport *s = &safe->supports[law->first_support + law->points[k]];
            for (int a = 0; a < 3; a++)
                dv[3 * (size_t)law->points[k] + (size_t)a] -=
                    s->w[a] * law->weights[k] * h->normal[a] * h->force;
        }
    }
}

// --- the law ----------------------------------------------------------------------------------------------

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const TacLayerLaw *law = data;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->holds[i];
        for (uint32_t k = h->first; k < h->first + h->count; k++)
            for (int a = 0; a < 3; a++)
                vectors->f[0][3 * (size_t)law->points[k] + (size_t)a] +=
                    law->weights[k] * h->normal[a] * h->force;
    }
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double factor,
                         double b) {
    (void)context;
    (void)b;
    const TacLayerLaw *law = data;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->holds[i];
        double along = 0;
        for (uint32_t k = h->first; k < h->first + h->count; k++)
            for (int a = 0; a < 3; a++)
                along +=
                    law->weights[k] * h->normal[a] * vectors->v[0][3 * (size_t)law->points[k] + (size_t)a];
        double back = -factor * h->stiffness * along;
        for (uint32_t k = h->first; k < h->first + h->count; k++)
            for (int a = 0; a < 3; a++)
                vectors->f[0][3 * (size_t)law->points[k] + (size_t)a] +=
                    law->weights[k] * h->normal[a] * back;
    }
}

static void stiffness(void *data, const TacContext *context, const TacLawVectors *vectors, double factor,
                      double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    (void)b;
    const TacLayerLaw *law = data;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->holds[i];
        for (uint32_t k = h->first; k < h->first + h->count; k++)
            for (uint32_t l = h->first; l < h->first + h->count; l++) {
                double block[9], scale = -factor * h->stiffness * law->weights[k] * law->weights[l];
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++) block[3 * r + c] = scale * h->normal[r] * h->normal[c];
                tac_matrix_add(matrix, 0, law->points[k], 0, law->points[l], block);
            }
    }
}

static void finish(void *data) {
    TacLayerLaw *law = data;
    free(law->holds);
    free(law->points);
    free(law->weights);
    free(law->order);
}

static const TacLawOps ops = {.force = force, .force_change = force_change, .stiffness = stiffness};

const TacClass tac_layer_law_class = {
    .name = "(layers)",
    .kind = TAC_KIND_LAW,
    .doc = "Live layers of safe contact within an implicit solve.",
    .size = sizeof(TacLayerLaw),
    .finish = finish,
    .ops.law = &ops,
};
