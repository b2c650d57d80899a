// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What patches push with: springs and dampers along the normal, Coulomb friction across. See touch.h.

#include "contact/touch.h"

// One side of a patch.
typedef struct Side {
    const TacTouchModel *model;
    uint32_t element;
    TacVec3 x, v, w; // place, velocity, angular velocity of its point or frame
    double mass;     // infinite: nothing moves it
} Side;

static Side side_of(const TacTouch *touch, uint32_t object, uint32_t element) {
    const TacTouchModel *m = &touch->models[touch->objects[object].model];
    const TacMatter *matter = m->model->matter;
    size_t place = tac_touch_place(m, element);
    const double *v = matter->vectors[TAC_V_SHOWN] + place * (size_t)matter->velocity_size;
    return (Side){.model = m,
                  .element = element,
                  .x = tac_load3(matter->vectors[TAC_X_SHOWN] + place * (size_t)matter->position_size),
                  .v = tac_load3(v),
                  .w = matter->velocity_size == 6 ? tac_load3(v + 3) : tac_vec3(0, 0, 0),
                  .mass = m->moves ? m->masses[element] : INFINITY};
}

static TacVec3 velocity_at(const Side *s, TacVec3 at) {
    return tac_add(s->v, tac_cross(s->w, tac_sub(at, s->x)));
}

// Of the two masses; infinite with infinite gives infinite.
static double reduced(double a, double b) {
    if (!(a < INFINITY)) return b;
    return b < INFINITY ? a * b / (a + b) : a;
}

// The least of m / (n h^2) over the sides that an explicit solver moves; its square root without m for dampers.
static void explicit_limits(const Side *s, double *k, double *c) {
    if (!s->model->moves || s->model->implicit || !(s->mass < INFINITY)) return;
    double n = (double)s->model->loads[s->element], h = s->model->step;
    *k = fmin(*k, 0.5 * s->mass / (n * h * h));
    *c = fmin(*c, 0.4 * s->mass / (n * h));
}

// The stiffness of a contact whose material names none: what the lighter side can be stepped with.
static double chosen_stiffness(const Side *a, const Side *b) {
    double k = INFINITY;
    const Side *sides[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const Side *s = sides[i];
        if (!s->model->moves || !(s->mass < INFINITY)) continue;
        double h = s->model->step;
        k = fmin(k, (s->model->implicit ? 0.5 : 0.05) * s->mass / (h * h));
    }
    return k < INFINITY ? k : 0;
}

static double damping_ratio(double restitution) {
    if (restitution <= 0) return 1;
    if (restitution >= 1) return 0;
    double l = log(restitution);
    return -l / sqrt(TAC_PI * TAC_PI + l * l);
}

static void choose(const TacTouchNumbers *between, TacPatch *patch, const Side *a, const Side *b) {
    const TacContactNumbers *n = &between->numbers;
    double m = reduced(a->mass, b->mass), points = (double)patch->count;
    double k = n->stiffness > 0 ? n->stiffness : chosen_stiffness(a, b);
    double most_k = INFINITY, most_c = INFINITY;
    explicit_limits(a, &most_k, &most_c);
    explicit_limits(b, &most_k, &most_c);
    patch->k = fmin(k, most_k);
    double c =
        isnan(n->damping) ? 2 * damping_ratio(n->restitution) * sqrt(patch->k * m / points) : n->damping;
    patch->c = fmin(c, most_c);
    patch->k_slide = points * patch->k;
    patch->c_slide = fmin(sqrt(patch->k_slide * m), points * most_c);
}

// The part across the normal, as long as before: a tangent that turns with the patch.
static TacVec3 turn_into(TacVec3 slide, TacVec3 normal) {
    TacVec3 across = tac_axpy(slide, -tac_dot(slide, normal), normal);
    double now = tac_norm(across), was = tac_norm(slide);
    return now > 0 ? tac_scale(across, was / now) : across;
}

static void push_points(TacPatch *patch, TacTouchPoint *points, const Side *a, const Side *b) {
    patch->push = 0;
    TacVec3 centre = {0, 0, 0}, middle = {0, 0, 0};
    for (uint32_t i = 0; i < patch->count; i++) {
        TacTouchPoint *p = &points[i];
        double parting = tac_dot(patch->normal, tac_sub(velocity_at(b, p->at), velocity_at(a, p->at)));
        p->push = fmax(0, patch->k * p->depth - patch->c * parting);
        patch->push += p->push;
        centre = tac_axpy(centre, p->push, p->at);
        middle = tac_add(middle, p->at);
    }
    patch->centre =
        patch->push > 0 ? tac_scale(centre, 1 / patch->push) : tac_scale(middle, 1.0 / patch->count);
}

// Mean square distance of the pushes from their centre.
static double spread(const TacPatch *patch, const TacTouchPoint *points) {
    double sum = 0;
    for (uint32_t i = 0; i < patch->count; i++) {
        TacVec3 r = tac_sub(points[i].at, patch->centre);
        sum += points[i].push * tac_dot(r, r);
    }
    return patch->push > 0 ? sum / patch->push : 0;
}

static void rub(TacPatch *patch, const TacTouchPoint *points, const Side *a, const Side *b, double friction,
                double seconds) {
    TacVec3 n = patch->normal, v = tac_sub(velocity_at(b, patch->centre), velocity_at(a, patch->centre));
    TacVec3 along = tac_axpy(v, -tac_dot(v, n), n);
    patch->slide = tac_axpy(turn_into(patch->slide, n), seconds, along);
    patch->drag = tac_axpy(tac_scale(patch->slide, -patch->k_slide), -patch->c_slide, along);
    double force = tac_norm(patch->drag), most = friction * patch->push;
    patch->sticks = force <= most;
    if (!patch->sticks) {
        patch->drag = tac_scale(patch->drag, most / force);
        // the slide that this force stands for
        patch->slide = tac_scale(tac_axpy(patch->drag, patch->c_slide, along), -1 / patch->k_slide);
    }
    patch->spin = 0;
    if (patch->count < 2) return;
    double square = spread(patch, points), turning = tac_dot(n, tac_sub(b->w, a->w));
    patch->twist += seconds * turning;
    if (!(square > 0)) return;
    patch->spin = -square * (patch->k_slide * patch->twist + patch->c_slide * turning);
    double most_spin = friction * patch->push * sqrt(square);
    if (fabs(patch->spin) <= most_spin) return;
    patch->spin = copysign(most_spin, patch->spin);
    patch->twist = -(patch->spin / square + patch->c_slide * turning) / patch->k_slide;
}

static void count_loads(TacTouch *touch) {
    for (size_t m = 0; m < touch->model_count; m++)
        memset(touch->models[m].loads, 0, touch->models[m].count * sizeof *touch->models[m].loads);
    for (size_t i = 0; i < touch->now.count; i++) {
        const TacPatch *p = &touch->now.patches[i];
        touch->models[touch->objects[p->key.a].model].loads[p->key.ia] += p->count;
        touch->models[touch->objects[p->key.b].model].loads[p->key.ib] += p->count;
    }
}

void tac_touch_respond(TacTouch *touch, double seconds) {
    count_loads(touch);
    for (size_t i = 0; i < touch->now.count; i++) {
        TacPatch *patch = &touch->now.patches[i];
        if (patch->count == 0) continue;
        TacTouchPoint *points = &touch->now.points[patch->point];
        Side a = side_of(touch, patch->key.a, patch->key.ia), b = side_of(touch, patch->key.b, patch->key.ib);
        const TacTouchNumbers *n =
            tac_touch_between(touch, touch->objects[patch->key.a].model, touch->objects[patch->key.b].model);
        choose(n, patch, &a, &b);
        push_points(patch, points, &a, &b);
        if (patch->k_slide > 0) rub(patch, points, &a, &b, n->numbers.friction, seconds);
        patch->impulse += patch->push * seconds;
    }
}
