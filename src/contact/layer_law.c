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

static bool add_pair(TacLayerLaw *law, uint32_t id, TacTick now) {
    const TacSafe *safe = law->safe;
    const TacPair *p = &safe->pairs[id];
    TacLayerLook look;
    if (!tac_layer_look(safe, p, now, &look)) return true;
    if (!tac_grow(&law->holds, &law->hold_capacity, law->hold_count + 1, sizeof *law->holds)) return false;
    TacLayerHold *hold = &law->holds[law->hold_count];
    *hold = (TacLayerHold){.first = (uint32_t)law->point_count,
                           .push = look.force,
                           .hardness = look.stiffness,
                           .gap = look.gap,
                           .type = &safe->types[p->type]};
    memcpy(hold->normal, look.closest.normal, sizeof hold->normal);
    TacLayerOthers others = {.count = 0};
    for (int i = 0; i < look.count; i++)
        if (!add_vertex(law, look.v[i], look.closest.weight[i], hold->normal, now, hold, &others))
            return false;
    hold->others = others.speed;
    hold->inverse = tac_layer_others_inverse(&others, safe);
    for (uint32_t k = hold->first; k < hold->first + hold->count; k++) {
        const TacSupport *s = &safe->supports[law->first_support + law->points[k]];
        hold->own += law->weights[k] * law->weights[k] * s->bound;
    }
    if (hold->count) law->hold_count++;
    return true;
}

bool tac_layer_law_look(TacLayerLaw *law, TacTick now) {
    const TacSafe *safe = law->safe;
    law->hold_count = law->point_count = 0;
    size_t n;
    if (!tac_safe_list_armed(safe, &law->order, &law->order_capacity, &n)) return false;
    for (size_t i = 0; i < n; i++)
        if (!add_pair(law, (uint32_t)law->order[i].item, now)) return false;
    return true;
}

// --- foreseeing -------------------------------------------------------------------------------------------

// How fast a gap grows by its points' motion: f v + g dv of them.
static double growth(const TacLayerLaw *law, const TacLayerHold *h, double f, const double *v, double g,
                     const double *dv) {
    double sum = 0;
    for (uint32_t k = h->first; k < h->first + h->count; k++)
        for (int a = 0; a < 3; a++) {
            size_t at = 3 * (size_t)law->points[k] + (size_t)a;
            sum += law->weights[k] * h->normal[a] * (f * v[at] + g * dv[at]);
        }
    return sum;
}

double tac_layer_law_step(const TacLayerLaw *law, const double *v) {
    double step = INFINITY;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->holds[i];
        double speed = growth(law, h, 1, v, 0, v) + h->others;
        step = fmin(step, tac_layer_step(h->type, h->gap, h->hardness, speed, h->own + h->inverse));
    }
    return step;
}

void tac_layer_law_foresee(TacLayerLaw *law, const TacForesight *sight, const double *v) {
    for (size_t i = 0; i < law->hold_count; i++) {
        TacLayerHold *h = &law->holds[i];
        double left = tac_layer_restitution(h->type, growth(law, h, 1, v, 0, v) + h->others);
        // what moves on the other side changes the gap, too, and gives way to the push
        double k = left * h->hardness, share = 1 / (1 + sight->step * sight->change * k * h->inverse);
        h->force = share * (left * h->push - k * sight->old * h->others);
        h->stiffness = share * k;
        h->gone = false;
    }
}

// The force that is foreseen for the end of the step.
static double foreseen(const TacLayerLaw *law, const TacLayerHold *h, const TacForesight *sight,
                       const double *v, const double *dv) {
    return h->force - h->stiffness * growth(law, h, sight->old, v, sight->change, dv);
}

size_t tac_layer_law_let_go(TacLayerLaw *law, const TacForesight *sight, const double *v, const double *dv) {
    size_t count = 0;
    for (size_t i = 0; i < law->hold_count; i++) {
        TacLayerHold *h = &law->holds[i];
        h->impulse = sight->step * foreseen(law, h, sight, v, dv);
        if (h->gone || !(h->impulse < 0)) continue;
        h->gone = true;
        h->force = h->stiffness = 0;
        count++;
    }
    return count;
}

void tac_layer_law_give_back(const TacLayerLaw *law, double *dv) {
    const TacSafe *safe = law->safe;
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->holds[i];
        for (uint32_t k = h->first; k < h->first + h->count; k++) {
            const TacSupport *s = &safe->supports[law->first_support + law->points[k]];
            for (int a = 0; a < 3; a++)
                dv[3 * (size_t)law->points[k] + (size_t)a] -=
                    s->w[a] * law->weights[k] * h->normal[a] * h->impulse;
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
