// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What patches push with: springs and dampers along the normal, Coulomb friction across. See touch.h.

#include "contact/touch.h"

// One model's part in a run of patches.
typedef struct Part {
    const TacTouchModel *model;
    const double *x, *v;
    size_t x_size, v_size;
    double k, c, c_slide; // per kg: what its explicit solver bears
    double chosen;        // per kg: the stiffness of a contact whose material names none
} Part;

static Part part_of(const TacTouch *touch, uint32_t object) {
    const TacTouchModel *m = &touch->models[touch->objects[object].model];
    const TacMatter *matter = m->model->matter;
    double h = m->step;
    return (Part){.model = m,
                  .x = matter->vectors[TAC_X_SHOWN],
                  .v = matter->vectors[TAC_V_SHOWN],
                  .x_size = (size_t)matter->position_size,
                  .v_size = (size_t)matter->velocity_size,
                  .k = 0.5 * m->bears / (h * h),
                  .c = 0.4 / h,
                  .c_slide = 0.1 / h,
                  .chosen = (m->implicit ? 1 : 0.1 * m->bears) / (h * h)};
}

// One side of a patch.
typedef struct Side {
    const Part *part;
    TacVec3 x, v, w;    // place, velocity, angular velocity of its point or frame
    double mass, share; // infinite: nothing moves it, or nothing limits it
} Side;

static Side side_of(const Part *p, uint32_t element) {
    size_t place = tac_touch_place(p->model, element);
    const double *v = p->v + place * p->v_size;
    return (Side){.part = p,
                  .x = tac_load3(p->x + place * p->x_size),
                  .v = tac_load3(v),
                  .w = p->v_size == 6 ? tac_load3(v + 3) : tac_vec3(0, 0, 0),
                  .mass = p->model->moves ? p->model->masses[element] : INFINITY,
                  .share = p->model->shares[element]};
}

static double least(double a, double b) {
    return a < b ? a : b;
}

static TacVec3 velocity_at(const Side *s, TacVec3 at) {
    return tac_add(s->v, tac_cross(s->w, tac_sub(at, s->x)));
}

// Of the two masses; infinite with infinite gives infinite.
static double reduced(double a, double b) {
    if (!(a < INFINITY)) return b;
    return b < INFINITY ? a * b / (a + b) : a;
}

// A side with n contacts bears a share of its mass in each.
void tac_touch_share(TacTouchModel *m) {
    bool limited = m->moves && !m->implicit;
    for (size_t i = 0; i < m->count; i++)
        m->shares[i] = limited ? m->masses[i] / (m->loads[i] > 1 ? (double)m->loads[i] : 1) : INFINITY;
}

// The stiffness of a contact whose material names none: what the lighter side can be stepped with.
static double chosen_stiffness(const Side *a, const Side *b) {
    double of_a = a->mass < INFINITY ? a->part->chosen * a->mass : INFINITY;
    double of_b = b->mass < INFINITY ? b->part->chosen * b->mass : INFINITY;
    double k = least(of_a, of_b);
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

// Stiffness and dampers of a patch.
typedef struct Grip {
    double k, c, c_slide, mass;
} Grip;

// What explicit solvers bear limits them. Patches of several points also turn what they push: half as much there.
static Grip choose(const TacTouchNumbers *between, bool single, const Side *a, const Side *b) {
    const TacContactNumbers *n = &between->numbers;
    double part = single ? 1 : 0.5, of_a = part * a->share, of_b = part * b->share;
    const Part *p = a->part, *q = b->part;
    Grip g = {.mass = reduced(a->mass, b->mass)};
    g.k = least(n->stiffness > 0 ? n->stiffness : chosen_stiffness(a, b), least(p->k * of_a, q->k * of_b));
    double critical = sqrt(g.k * g.mass);
    g.c = least(isnan(n->damping) ? 2 * between->ratio * critical : n->damping,
                least(p->c * of_a, q->c * of_b));
    g.c_slide = least(critical, least(p->c_slide * of_a, q->c_slide * of_b));
    return g;
}

// The part across the normal, as long as before: a tangent that turns with the patch.
static TacVec3 turn_into(TacVec3 slide, TacVec3 normal) {
    TacVec3 across = tac_axpy(slide, -tac_dot(slide, normal), normal);
    double now = tac_dot(across, across), was = tac_dot(slide, slide);
    return now > 0 ? tac_scale(across, sqrt(was / now)) : across;
}

static double push_of(const TacPatch *patch, const Grip *g, const Side *a, const Side *b, TacVec3 at,
                      double depth) {
    double parting = tac_dot(patch->normal, tac_sub(velocity_at(b, at), velocity_at(a, at)));
    double push = g->k * depth - g->c * parting;
    return depth > 0 && push > 0 ? push : 0;
}

static void push_points(TacPatch *patch, TacTouchPoint *points, const Grip *g, const Side *a, const Side *b) {
    patch->push = 0;
    TacVec3 centre = {0, 0, 0}, middle = {0, 0, 0};
    for (uint32_t i = 0; i < patch->count; i++) {
        TacTouchPoint *p = &points[i];
        p->push = p->weight * push_of(patch, g, a, b, p->at, p->depth);
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
static double load_of(const TacPatch *patch, const TacTouchPoint *points, double k, const Side *a,
                      const Side *b) {
    if (!a->part->model->implicit && !b->part->model->implicit) return patch->push;
    double load = 0;
    if (!points) return patch->depth > 0 ? k * patch->depth : 0;
    for (uint32_t i = 0; i < patch->count; i++) load += points[i].weight * fmax(0, k * points[i].depth);
    return load;
}

// Friction against turning about the normal, `turning` in rad/s.
static void twist(const TacPatch *patch, TacPatchMore *more, const TacTouchPoint *points, double turning,
                  double most_drag, double seconds) {
    more->square = patch->count > 1 ? spread(patch, points) : 0;
    if (!(more->square > 0)) return;
    more->twist += seconds * turning;
    more->spin = -more->square * (more->k * more->twist + more->c_slide * turning);
    double most = most_drag * sqrt(more->square);
    more->grips = fabs(more->spin) <= most;
    if (more->grips > 0) return;
    more->spin = copysign(most, more->spin);
    more->twist = -(more->spin / more->square + more->c_slide * turning) / more->k;
}

// How friction that slides answers to a change of velocity, for implicit solvers. Coulomb's drag turns with the
// velocity, so it resists whatever is across it; along it the drag stays as it is, unless it is so large that it would
// not slow the slide but turn it around within the step: then it resists in every direction, and the slide stops.
static void soften(const TacPatch *patch, TacPatchMore *more, TacVec3 along, double part, double mass,
                   const Side *a, const Side *b) {
    const TacTouchModel *p = a->part->model, *q = b->part->model;
    double h = fmax(p->implicit ? p->step : 0, q->implicit ? q->step : 0);
    double speed = tac_norm(along), drag = part * tac_norm(patch->drag);
    more->brake = part * (more->c_slide + h * more->k);
    more->along = 2 * h * drag > mass * speed ? tac_vec3(0, 0, 0) : tac_unit(along);
}

static void rub(TacPatch *patch, TacPatchMore *more, const TacTouchPoint *points, const Grip *g,
                const Side *a, const Side *b, double friction, double seconds) {
    TacVec3 n = patch->normal, v = tac_sub(velocity_at(b, patch->centre), velocity_at(a, patch->centre));
    TacVec3 along = tac_axpy(v, -tac_dot(v, n), n);
    patch->slide = tac_axpy(turn_into(patch->slide, n), seconds, along);
    patch->drag = tac_axpy(tac_scale(patch->slide, -g->k), -g->c_slide, along);
    double force = tac_norm(patch->drag), most = friction * load_of(patch, points, g->k, a, b);
    bool sticks = force <= most;
    if (more) {
        more->sticks = sticks;
        if (!sticks) soften(patch, more, along, most / force, g->mass, a, b);
    }
    if (!sticks) {
        patch->drag = tac_scale(patch->drag, most / force);
        // the slide that this force stands for
        patch->slide = tac_scale(tac_axpy(patch->drag, g->c_slide, along), -1 / g->k);
    }
    if (more) twist(patch, more, points, tac_dot(n, tac_sub(b->w, a->w)), most, seconds);
}

void tac_touch_respond(TacTouch *touch, uint32_t first, uint32_t end, double seconds) {
    const TacPatchKey *key = &touch->now.patches[first].key;
    Part part_a = part_of(touch, key->a), part_b = part_of(touch, key->b);
    const TacTouchNumbers *n =
        tac_touch_between(touch, touch->objects[key->a].model, touch->objects[key->b].model);
    for (uint32_t i = first; i < end; i++) {
        TacPatch *patch = &touch->now.patches[i];
        if (patch->count == 0) continue;
        TacPatchMore *more = patch->more_plus_1 ? &touch->now.mores[patch->more_plus_1 - 1] : NULL;
        TacTouchPoint *points =
            patch->cache_plus_1 ? &touch->now.points[TAC_CONVEX_CONTACTS * (size_t)(patch->cache_plus_1 - 1)]
                                : NULL;
        Side a = side_of(&part_a, patch->key.ia), b = side_of(&part_b, patch->key.ib);
        Grip grip = choose(n, patch->count == 1, &a, &b);
        if (more) {
            more->k = grip.k;
            more->c = grip.c;
            more->c_slide = grip.c_slide;
        }
        if (points)
            push_points(patch, points, &grip, &a, &b);
        else
            patch->push = push_of(patch, &grip, &a, &b, patch->centre, patch->depth);
        if (grip.k > 0) rub(patch, more, points, &grip, &a, &b, n->numbers.friction, seconds);
        patch->impulse += patch->push * seconds;
    }
}
