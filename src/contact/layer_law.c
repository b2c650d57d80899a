// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Live layers as a law within an implicit solve; see layer_law.h.

#include "contact/layer_law.h"
#include "contact/layer_hits.h"
#include "contact/layer_others.h"
#include "solver/matrix.h"

// --- looking ----------------------------------------------------------------------------------------------

static bool is_own(const TacLayerLaw *law, uint32_t support) {
    return !law->safe->supports[support].frame && support >= law->first_support &&
           support < law->first_support + law->law.matter[0]->count;
}

// The points of the matter under one vertex of a pair, with weights; others only add their motion.
static bool add_vertex(TacLayerLaw *law, uint32_t vertex, double weight, const double normal[3], TacTick now,
                       TacLayerHold *hold, TacLayerOthers *others) {
    const TacSafe *safe = law->safe;
    const TacVertex *v = &safe->vertices[vertex];
    for (uint32_t i = 0; i < v->count; i++) {
        const TacSafeCarrier *c = &safe->carriers[v->first + i];
        double w = weight * c->weight;
        if (!tac_layer_loads_add(&law->loads, c->support, (uint32_t)law->hold_count, w, normal)) return false;
        if (!is_own(law, c->support)) {
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
                           .swing = INFINITY,
                           .type = &safe->types[p->type]};
    memcpy(hold->normal, look.closest.normal, sizeof hold->normal);
    TacLayerOthers others = {.count = 0};
    size_t loads = law->loads.count;
    for (int i = 0; i < look.count; i++)
        if (!add_vertex(law, look.v[i], look.closest.weight[i], hold->normal, now, hold, &others))
            return false;
    tac_layer_others_find(&others, safe);
    hold->others = others.speed;
    hold->fall = others.fall;
    hold->inverse = others.inverse;
    hold->held = others.held;
    for (uint32_t k = hold->first; k < hold->first + hold->count; k++) {
        const TacSupport *s = &safe->supports[law->first_support + law->points[k]];
        hold->own += law->weights[k] * law->weights[k] * s->bound;
    }
    hold->single = hold->own;
    hold->alone = hold->own + hold->inverse;
    if (hold->count)
        law->hold_count++;
    else
        law->loads.count = loads;
    return true;
}

// Points that several pairs push move as by all of them.
static bool add_loads(TacLayerLaw *law) {
    if (!tac_layer_loads_find(&law->loads, law->safe)) return false;
    for (size_t i = 0; i < law->loads.count;) {
        uint32_t pair = law->loads.list[i].pair;
        double own = 0, open = 0, held = 0;
        for (; i < law->loads.count && law->loads.list[i].pair == pair; i++) {
            const TacLayerLoad *load = &law->loads.list[i];
            bool flies = tac_layer_is_free(&law->safe->supports[load->support]);
            *(is_own(law, load->support) ? &own : flies ? &open : &held) += load->more;
        }
        TacLayerHold *h = &law->holds[pair];
        h->own += fmax(0, own);
        h->inverse += fmax(0, open) + fmax(0, held);
        h->held += fmax(0, held);
    }
    return true;
}

bool tac_layer_law_look(TacLayerLaw *law, TacTick now) {
    const TacSafe *safe = law->safe;
    law->hold_count = law->point_count = law->loads.count = 0;
    size_t n;
    if (!tac_safe_list_armed(safe, &law->order, &law->order_capacity, &n)) return false;
    for (size_t i = 0; i < n; i++)
        if (!add_pair(law, (uint32_t)law->order[i].item, now)) return false;
    return add_loads(law);
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

// What leaves its layers before the step ends is pushed until then, which the solve has not seen: the step must be so short
// that this is little, or end half-way there.
static double step_of_leaving(const TacLayerHold *h, double speed) {
    double slow = tac_layer_slow(h->type), push = tac_layer_restitution(h->type, speed) * h->push;
    bool leaves = h->course == TAC_LAYER_GONE || (h->course == TAC_LAYER_PARTS && speed < slow);
    if (!leaves || !(push > 0) || !(speed > 0)) return INFINITY;
    double little = slow / (push * (h->own + h->inverse)), half = 0.5 * h->push / (h->hardness * speed);
    return fmax(fmax(little, half), 0.1 / sqrt(h->hardness * h->alone));
}

// How the others accelerate the gap, but for the push.
static double pull(const TacLayerHold *h) {
    return h->fall - (h->yields ? 0 : h->held * h->push);
}

// The speed of a gap after a solve for `time`.
static double foreseen_speed(const TacLayerLaw *law, const TacLayerHold *h, const double *v, const double *dv,
                             double time) {
    return h->others + h->inverse * h->impulse + time * pull(h) + growth(law, h, 1, v, 1, dv);
}

// For a pair of this speed: a shorter step, or more harm? Layers throw back what turns round in them, and push what
// leaves.
static void doubt(TacLayerHold *h, double speed, double still, double leaves) {
    double inverse = h->own + h->inverse, e = leaves < INFINITY ? 1 : h->type->restitution;
    double step = tac_layer_step(h->gap, h->hardness, speed, inverse, h->alone, still, h->swing);
    double thrown = e * h->push * sqrt(inverse / h->hardness);
    h->step = fmin(h->step, fmin(step, leaves));
    h->harm = fmax(h->harm, tac_layer_harm(hypot(speed, thrown), 1 / inverse, h->swing));
}

void tac_layer_law_judge(TacLayerLaw *law, const double *v, const double *dv, double time) {
    for (size_t i = 0; i < law->hold_count; i++) {
        TacLayerHold *h = &law->holds[i];
        double slow = tac_layer_slow(h->type), speed = h->others + growth(law, h, 1, v, 0, v);
        h->step = INFINITY;
        h->harm = 0;
        doubt(h, speed, slow, INFINITY);
        if (!dv) continue;
        // in the middle of pushes what rests moves, too; not as it is foreseen
        speed = foreseen_speed(law, h, v, dv, time);
        doubt(h, speed, TAC_LAYER_STILL * slow, step_of_leaving(h, speed));
    }
}

void tac_layer_law_push(const TacLayerLaw *law, double *a) {
    for (size_t i = 0; i < law->hold_count; i++) {
        const TacLayerHold *h = &law->holds[i];
        for (uint32_t k = h->first; k < h->first + h->count; k++)
            for (int c = 0; c < 3; c++)
                a[3 * (size_t)law->points[k] + (size_t)c] += law->weights[k] * h->normal[c];
    }
}

double tac_layer_law_feel(TacLayerLaw *law, const double *a, const double *f) {
    double sum = 0;
    for (size_t i = 0; i < law->hold_count; i++) {
        TacLayerHold *h = &law->holds[i];
        double way = growth(law, h, 1, a, 0, a), back = -growth(law, h, 1, f, 0, f);
        // others may push the same points the other way
        double least = 0;
        for (uint32_t k = h->first; k < h->first + h->count; k++) least += law->weights[k] * law->weights[k];
        h->swing = back > 0 ? sqrt(back / fmax(way, least) * h->single) : 0;
        sum += h->swing * h->swing;
    }
    return sum;
}

// What a pair does in the solve, by what is foreseen of it. What moves on the other side changes the gap, too, and gives
// way to the push.
static void set_course(TacLayerHold *h, TacLayerCourse course, const TacForesight *sight) {
    double e = h->type->restitution, kept = course == TAC_LAYER_PARTS ? e * e : 1;
    // damping of the solver's own laws is none of theirs: over a step they see how far it goes and no more
    double lag = sight->change * sight->step / (sight->old * sight->old);
    double k = lag * kept * h->hardness, push = kept * h->push;
    if (course == TAC_LAYER_RESTS) k += (1 - e * e) * push / (tac_layer_slow(h->type) * sight->old);
    double d = sight->step * sight->change, share = 1 / (1 + d * k * h->inverse);
    bool gone = course == TAC_LAYER_GONE;
    h->course = course;
    h->force = gone ? 0 : share * (push - k * (sight->old * h->others + d * pull(h)));
    h->stiffness = gone ? 0 : share * k;
}

void tac_layer_law_foresee(TacLayerLaw *law, const TacForesight *sight) {
    for (size_t i = 0; i < law->hold_count; i++) {
        law->holds[i].yields = false;
        set_course(&law->holds[i], TAC_LAYER_CLOSES, sight);
    }
}

// How a pair goes on that is foreseen to part at a speed.
static TacLayerCourse course_of(const TacLayerHold *h, double speed) {
    const double little = 0.05;
    double slow = tac_layer_slow(h->type);
    if (h->impulse < 0) return h->type->restitution < 1 ? h->course + 1 : TAC_LAYER_GONE;
    if (h->type->restitution >= 1 || !(speed > little * slow)) return TAC_LAYER_CLOSES;
    return speed < slow ? TAC_LAYER_RESTS : TAC_LAYER_PARTS;
}

size_t tac_layer_law_correct(TacLayerLaw *law, const TacForesight *sight, const double *v, const double *dv) {
    size_t count = 0;
    for (size_t i = 0; i < law->hold_count; i++) {
        TacLayerHold *h = &law->holds[i];
        double own = growth(law, h, sight->old, v, sight->change, dv);
        h->impulse = sight->step * (h->force - h->stiffness * own);
        double way =
            own + sight->old * h->others + sight->change * (h->inverse * h->impulse + sight->step * pull(h));
        TacLayerCourse course = course_of(h, way / sight->old);
        // what moves this side moves the other, too: their push is not balanced
        bool yields =
            h->held > 0 && fabs(growth(law, h, 0, v, 1, dv)) > TAC_LAYER_STILL * tac_layer_slow(h->type);
        if (course <= h->course && yields <= h->yields) continue;
        h->yields = h->yields || yields;
        set_course(h, course > h->course ? course : h->course, sight);
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
        tac_matrix_push(matrix, law->points + h->first, law->weights + h->first, h->count, h->normal,
                        -factor * h->stiffness);
    }
}

static void finish(void *data) {
    TacLayerLaw *law = data;
    free(law->holds);
    free(law->points);
    free(law->weights);
    free(law->order);
    tac_layer_loads_free(&law->loads);
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
