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

// What a patch may have so that explicit solvers bear it.
typedef struct Limits {
    double k, c, c_slide;
} Limits;

// A side with n contacts. Patches of several points also turn what they push: half as much there.
static void limit(Limits *limits, const Side *s, bool single) {
    if (!s->model->moves || s->model->implicit || !(s->mass < INFINITY)) return;
    double n = (single ? 1 : 2) * fmax(1, (double)s->model->loads[s->element]), h = s->model->step;
    limits->k = fmin(limits->k, 0.5 * s->model->bears * s->mass / (n * h * h));
    limits->c = fmin(limits->c, 0.4 * s->mass / (n * h));
    limits->c_slide = fmin(limits->c_slide, 0.1 * s->mass / (n * h));
}

// The stiffness of a contact whose material names none: what the lighter side can be stepped with.
static double chosen_stiffness(const Side *a, const Side *b) {
    double k = INFINITY;
    const Side *sides[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const Side *s = sides[i];
        if (!s->model->moves || !(s->mass < INFINITY)) continue;
        double h = s->model->step;
        k = fmin(k, (s->model->implicit ? 1 : 0.1 * s->model->bears) * s->mass / (h * h));
    }
    return k < INFINITY ? k : 0;
}

// What comes back of the speed of approach, from a spring and a damper that never pull (T. Schwager, T. Poeschel,
// "Coefficient of restitution and linear-dashpot model revisited", 2007).
static double restitution_of(double zeta) {
    double s = sqrt(1 - zeta * zeta);
    return exp(-zeta / s * (TAC_PI - atan2(2 * zeta * s, 1 - 2 * zeta * zeta)));
}

double tac_touch_damping_ratio(double restitution) {
    const double most = 0.999; // gives back 0.14; what should give back less is damped like that
    double low = 0, high = most;
    if (restitution >= 1) return 0;
    if (restitution <= restitution_of(most)) return most;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(restitution_of(middle) > restitution ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static void choose(const TacTouchNumbers *between, TacPatch *patch, const Side *a, const Side *b) {
    const TacContactNumbers *n = &between->numbers;
    double m = reduced(a->mass, b->mass);
    double k = n->stiffness > 0 ? n->stiffness : chosen_stiffness(a, b);
    Limits most = {INFINITY, INFINITY, INFINITY};
    limit(&most, a, patch->count == 1);
    limit(&most, b, patch->count == 1);
    patch->k = fmin(k, most.k);
    patch->c = fmin(isnan(n->damping) ? 2 * between->ratio * sqrt(patch->k * m) : n->damping, most.c);
    patch->c_slide = fmin(sqrt(patch->k * m), most.c_slide);
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
        p->push = p->depth > 0 ? p->weight * fmax(0, patch->k * p->depth - patch->c * parting) : 0;
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

// What friction is a part of. Where an implicit solver takes part, the damper's share of the push is what it would be
// without the solve, which may be many times what the solve leaves of it: there the spring alone counts.
static double load_of(const TacPatch *patch, const TacTouchPoint *points, const Side *a, const Side *b) {
    if (!a->model->implicit && !b->model->implicit) return patch->push;
    double load = 0;
    for (uint32_t i = 0; i < patch->count; i++)
        load += points[i].weight * fmax(0, patch->k * points[i].depth);
    return load;
}

// Friction against turning about the normal, `turning` in rad/s.
static void twist(TacPatch *patch, const TacTouchPoint *points, double turning, double most_drag,
                  double seconds) {
    patch->spin = 0;
    patch->grips = false;
    patch->square = patch->count > 1 ? spread(patch, points) : 0;
    if (!(patch->square > 0)) return;
    patch->twist += seconds * turning;
    patch->spin = -patch->square * (patch->k * patch->twist + patch->c_slide * turning);
    double most = most_drag * sqrt(patch->square);
    patch->grips = fabs(patch->spin) <= most;
    if (patch->grips) return;
    patch->spin = copysign(most, patch->spin);
    patch->twist = -(patch->spin / patch->square + patch->c_slide * turning) / patch->k;
}

// How friction that slides answers to a change of velocity, for implicit solvers. Coulomb's drag turns with the
// velocity, so it resists whatever is across it; along it the drag stays as it is, unless it is so large that it would
// not slow the slide but turn it around within the step: then it resists in every direction, and the slide stops.
static void soften(TacPatch *patch, TacVec3 along, double part, const Side *a, const Side *b) {
    double h = fmax(a->model->implicit ? a->model->step : 0, b->model->implicit ? b->model->step : 0);
    double speed = tac_norm(along), drag = part * tac_norm(patch->drag), m = reduced(a->mass, b->mass);
    patch->brake = part * (patch->c_slide + h * patch->k);
    patch->along = 2 * h * drag > m * speed ? tac_vec3(0, 0, 0) : tac_unit(along);
}

static void rub(TacPatch *patch, const TacTouchPoint *points, const Side *a, const Side *b, double friction,
                double seconds) {
    TacVec3 n = patch->normal, v = tac_sub(velocity_at(b, patch->centre), velocity_at(a, patch->centre));
    TacVec3 along = tac_axpy(v, -tac_dot(v, n), n);
    patch->slide = tac_axpy(turn_into(patch->slide, n), seconds, along);
    patch->drag = tac_axpy(tac_scale(patch->slide, -patch->k), -patch->c_slide, along);
    double force = tac_norm(patch->drag), most = friction * load_of(patch, points, a, b);
    patch->sticks = force <= most;
    if (!patch->sticks) {
        soften(patch, along, most / force, a, b);
        patch->drag = tac_scale(patch->drag, most / force);
        // the slide that this force stands for
        patch->slide = tac_scale(tac_axpy(patch->drag, patch->c_slide, along), -1 / patch->k);
    }
    twist(patch, points, tac_dot(n, tac_sub(b->w, a->w)), most, seconds);
}

static void count_loads(TacTouch *touch) {
    for (size_t m = 0; m < touch->model_count; m++)
        memset(touch->models[m].loads, 0, touch->models[m].count * sizeof *touch->models[m].loads);
    for (size_t i = 0; i < touch->now.count; i++) {
        const TacPatch *p = &touch->now.patches[i];
        touch->models[touch->objects[p->key.a].model].loads[p->key.ia] += p->count > 0;
        touch->models[touch->objects[p->key.b].model].loads[p->key.ib] += p->count > 0;
    }
}

void tac_touch_respond(TacTouch *touch, double seconds) {
    if (!touch->is_view) count_loads(touch);
    for (size_t i = 0; i < touch->now.count; i++) {
        TacPatch *patch = &touch->now.patches[i];
        if (patch->count == 0) continue;
        TacTouchPoint *points = &touch->now.points[patch->point];
        Side a = side_of(touch, patch->key.a, patch->key.ia), b = side_of(touch, patch->key.b, patch->key.ib);
        const TacTouchNumbers *n =
            tac_touch_between(touch, touch->objects[patch->key.a].model, touch->objects[patch->key.b].model);
        choose(n, patch, &a, &b);
        push_points(patch, points, &a, &b);
        if (patch->k > 0) rub(patch, points, &a, &b, n->numbers.friction, seconds);
        patch->impulse += patch->push * seconds;
    }
}
