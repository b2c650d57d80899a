// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What patches push with: springs and dampers along the normal, Coulomb friction across. See touch.h.

#include "contact/touch.h"

enum { A_WHILE = 10 }; // looks

// One side of a patch.
typedef struct Side {
    const TacTouchModel *model;
    uint32_t element;
    TacVec3 x, v, w; // place, velocity, angular velocity of its point or frame
    double mass;     // infinite: nothing moves it
    double behind;   // how long ago it was where it is shown, s
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
                  .mass = m->moves ? m->masses[element] : INFINITY,
                  .behind = touch->is_view && m->moves ? touch->time - m->shown : 0};
}

static TacVec3 velocity_at(const Side *s, TacVec3 at) {
    return tac_add(s->v, tac_cross(s->w, tac_sub(at, s->x)));
}

// Of the two masses; infinite with infinite gives infinite.
static double reduced(double a, double b) {
    if (!(a < INFINITY)) return b;
    return b < INFINITY ? a * b / (a + b) : a;
}

// --- how stiff --------------------------------------------------------------------------------------------

// How much easier a side is turned than moved by what pushes at the points of a patch: the largest part of the mean
// square of their arms, seen along the normal, over its smallest radius of inertia squared; at least 1.
static double swing(const TacTouch *touch, const TacPatch *patch, const Side *s) {
    double inertia = s->model->inertias[s->element], trace = 0, square = 0, arms[9] = {0};
    if (patch->count < 2 || !(inertia < INFINITY)) return 1;
    for (uint32_t i = 0; i < patch->count; i++) {
        const TacTouchPoint *p = &touch->now.points[patch->point + i];
        TacVec3 arm = tac_cross(tac_sub(p->at, s->x), patch->normal);
        const double r[3] = {arm.x, arm.y, arm.z};
        for (int k = 0; k < 9; k++) arms[k] += p->weight * r[k / 3] * r[k % 3];
    }
    for (int k = 0; k < 9; k++) square += arms[k] * arms[k];
    trace = arms[0] + arms[4] + arms[8];
    // the larger eigenvalue of a matrix of rank two
    double largest = 0.5 * (trace + sqrt(fmax(0, 2 * square - trace * trace)));
    return fmax(1, s->mass * largest / inertia);
}

// What a patch does to the velocities of those explicit sides that take part, for a force of 1 N on each of their
// contacts; *step is their step.
static double softness(const TacTouch *touch, const TacPatch *patch, const Side *a, const Side *b,
                       double *step) {
    const Side *sides[] = {a, b};
    double sum = 0;
    *step = 0;
    for (int i = 0; i < 2; i++) {
        const Side *s = sides[i];
        if (!s->model->moves || s->model->implicit || !(s->mass < INFINITY)) continue;
        double n = fmax(1, (double)s->model->loads[s->element]);
        sum += n * swing(touch, patch, s) / s->mass;
        *step = fmax(*step, s->model->step);
    }
    return sum;
}

// It has no contact but this.
static bool is_alone(const Side *s) {
    return !s->model->moves || s->model->loads[s->element] <= 1;
}

static bool is_movable(const Side *s) {
    return s->model->moves && s->mass < INFINITY;
}

static bool is_stepped(const Side *s) {
    return is_movable(s) && !s->model->implicit;
}

// How much explicit sides bear, as a part of what symplectic Euler does. Between two agents of a loose world a contact
// has to last longer than they are apart in time.
static double borne(const TacTouch *touch, const Side *a, const Side *b) {
    double part = fmin(is_stepped(a) ? a->model->bears : 1, is_stepped(b) ? b->model->bears : 1);
    return touch->is_view && is_movable(a) && is_movable(b) ? fmin(part, 0.1) : part;
}

// The stiffness of a contact whose material names none: what the lighter side can be stepped with. Implicit solvers
// of frames bear any; those of points have matrices that are solved step by step, which stiff contacts would slow down.
static double chosen_stiffness(const TacTouch *touch, const Side *a, const Side *b) {
    double k = INFINITY;
    const Side *sides[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const Side *s = sides[i];
        if (!is_movable(s)) continue;
        double h = s->model->step, part = 0.15 * borne(touch, a, b);
        if (s->model->implicit) part = s->model->model->matter->velocity_size == 6 ? 300 : 1;
        k = fmin(k, part * s->mass / (h * h));
    }
    return k < INFINITY ? k : 0;
}

// --- how bouncy -------------------------------------------------------------------------------------------

// What comes back of the speed of approach, from a spring and a damper that never pull (T. Schwager, T. Poeschel,
// "Coefficient of restitution and linear-dashpot model revisited", 2007).
static double restitution_of(double zeta) {
    if (zeta > 1) {
        double s = sqrt(zeta * zeta - 1);
        return exp(-zeta / s * log((zeta + s) / (zeta - s)));
    }
    double s = sqrt(1 - zeta * zeta);
    return s > 0 ? exp(-zeta / s * (TAC_PI - atan2(2 * zeta * s, 1 - 2 * zeta * zeta))) : exp(-2);
}

double tac_touch_damping_ratio(double restitution) {
    const double most = 2.5; // gives back 0.03; what should give back less is damped like that
    double low = 0, high = most;
    if (restitution >= 1) return 0;
    if (restitution <= restitution_of(most)) return most;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(restitution_of(middle) > restitution ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

// Only what hit bounces, and only as long as a bounce lasts: what is at rest is damped as well as can be.
static double damping_ratio(const TacTouchNumbers *between, const TacPatch *patch, double m) {
    bool rests = patch->age * patch->age * patch->k > 4 * TAC_PI * TAC_PI * m;
    return patch->approach > 0 && !rests ? between->ratio : 1;
}

static double parting_at(const TacPatch *patch, TacVec3 at, const Side *a, const Side *b) {
    return tac_dot(patch->normal, tac_sub(velocity_at(b, at), velocity_at(a, at)));
}

// The slowest parting of points that touch; of all, where what is known of the other's time lets none of them touch.
static double parting(const TacTouch *touch, const TacPatch *patch, const Side *a, const Side *b) {
    double least = INFINITY, of_all = INFINITY;
    for (uint32_t i = 0; i < patch->count; i++) {
        const TacTouchPoint *p = &touch->now.points[patch->point + i];
        double v = parting_at(patch, p->at, a, b);
        of_all = fmin(of_all, v);
        if (p->depth > 0) least = fmin(least, v);
    }
    return least < INFINITY ? least : of_all;
}

static double implicit_step(const Side *a, const Side *b) {
    return fmax(a->model->implicit ? a->model->step : 0, b->model->implicit ? b->model->step : 0);
}

static double longest_step(const Side *a, const Side *b) {
    return fmax(is_movable(a) ? a->model->step : 0, is_movable(b) ? b->model->step : 0);
}

// How fast it began, where that is more than falling for a few steps: a hit; and how long it has lasted.
static void begin(const TacTouch *touch, TacPatch *patch, const Side *a, const Side *b, double seconds) {
    if (patch->touching) {
        patch->age += seconds;
        return;
    }
    double gravity = fmax(a->model->gravity, b->model->gravity);
    patch->age = 0;
    patch->approach = -parting(touch, patch, a, b);
    if (!(patch->approach > 4 * gravity * longest_step(a, b))) patch->approach = 0;
}

// Contacts that implicit solvers alone have to do with are too stiff to swing back in time. What hits is given its
// speed by a damper that pulls it there in one step, and is left alone until it has left.
static void bounce(const TacTouch *touch, const TacTouchNumbers *between, TacPatch *patch, const Side *a,
                   const Side *b) {
    const double strength = 50;
    double e = between->numbers.restitution, h = implicit_step(a, b), m = reduced(a->mass, b->mass);
    double now = parting(touch, patch, a, b);
    if (patch->k * h * h < 0.02 * m) patch->bounces = false; // soft enough to swing back
    if (patch->age > 0 && !(now > 0.5 * e * patch->approach && patch->age < 50 * h)) {
        patch->bounces = false;
        patch->approach = 0;
    }
    if (!patch->bounces) return;
    patch->k_push = patch->c = 0;
    if (patch->age > 0) return;
    patch->c = strength * m / h;
    patch->target = e * patch->approach + (1 + e) * patch->approach / strength;
}

// Plain explicit Euler pushes with the place of a step ago, which is a damper of k h the wrong way round.
static double lag(const Side *a, const Side *b) {
    return fmax(a->model->lags ? a->model->step : 0, b->model->lags ? b->model->step : 0);
}

// Where two agents touch and an implicit solver takes part, the other is taken as standing still, which stiff contacts
// need; so long as both hardly move that is true. What moves is taken as it moves (touch_law.c), and its contact is no
// stiffer than one step of two agents that do not wait for each other bears. From then on it stiffens little by little.
static void go_soft(TacPatch *patch, const Side *a, const Side *b, double m) {
    double h = implicit_step(a, b), gravity = fmax(a->model->gravity, b->model->gravity);
    bool apart =
        h > 0 && is_movable(a) && is_movable(b) && a->model->model->matter != b->model->model->matter;
    double speed = fmax(tac_norm(velocity_at(a, patch->centre)), tac_norm(velocity_at(b, patch->centre)));
    patch->moving = apart && speed > 4 * gravity * h;
    double soft = m / (h * h);
    if (!apart || patch->k <= soft) return;
    double least = soft / patch->k;
    if (!patch->touching && patch->approach == 0 && !patch->moving) patch->part = 1;
    patch->part = patch->moving ? least : fmin(1, 1.1 * fmax(least, patch->part));
    patch->k *= patch->part;
}

static void choose(const TacTouch *touch, const TacTouchNumbers *between, TacPatch *patch, const Side *a,
                   const Side *b) {
    const TacContactNumbers *n = &between->numbers;
    double m = reduced(a->mass, b->mass), step, soft = softness(touch, patch, a, b, &step);
    double k = n->stiffness > 0 ? n->stiffness : chosen_stiffness(touch, a, b);
    double most_k = soft > 0 ? 1.2 * borne(touch, a, b) / (soft * step * step) : INFINITY;
    double most_c = soft > 0 ? 0.9 / (soft * step) : INFINITY;
    patch->k = fmin(k, most_k);
    go_soft(patch, a, b, m);
    double ratio = damping_ratio(between, patch, m);
    // where the damper may not be as strong as it should, what shall hardly bounce is rather soft than bouncing
    if (n->stiffness <= 0 && isnan(n->damping) && ratio > 1 && patch->approach > 0 && is_alone(a) &&
        is_alone(b) && 2 * ratio * sqrt(patch->k * m) > most_c)
        patch->k = fmax(0.25 * patch->k, most_c * most_c / (4 * ratio * ratio * m));
    patch->c =
        fmin(isnan(n->damping) ? 2 * ratio * sqrt(patch->k * m) + lag(a, b) * patch->k : n->damping, most_c);
    patch->c_slide = fmin(sqrt(patch->k * m), 0.2 * most_c);
    patch->k_push = patch->k;
    patch->target = 0;
    patch->bounces = patch->approach > 0 && isnan(n->damping) && !is_stepped(a) && !is_stepped(b);
    if (patch->bounces) bounce(touch, between, patch, a, b);
}

// --- the push ---------------------------------------------------------------------------------------------

// The part across the normal, as long as before: a tangent that turns with the patch.
static TacVec3 turn_into(TacVec3 slide, TacVec3 normal) {
    TacVec3 across = tac_axpy(slide, -tac_dot(slide, normal), normal);
    double now = tac_norm(across), was = tac_norm(slide);
    return now > 0 ? tac_scale(across, was / now) : across;
}

// In a loose world the other side is shown where it was at its own time; by now it has gone on. Without this, contacts
// of explicit agents would feed heaps; implicit ones damp that anyway.
static void catch_up(TacPatch *patch, TacTouchPoint *points, const Side *a, const Side *b) {
    if ((a->behind == 0 && b->behind == 0) || (!is_stepped(a) && !is_stepped(b))) return;
    for (uint32_t i = 0; i < patch->count; i++) {
        TacVec3 closer = tac_sub(tac_scale(velocity_at(a, points[i].at), a->behind),
                                 tac_scale(velocity_at(b, points[i].at), b->behind));
        points[i].depth += tac_dot(patch->normal, closer);
    }
}

static void push_points(TacPatch *patch, TacTouchPoint *points, const Side *a, const Side *b) {
    patch->push = 0;
    TacVec3 centre = {0, 0, 0}, middle = {0, 0, 0};
    for (uint32_t i = 0; i < patch->count; i++) {
        TacTouchPoint *p = &points[i];
        double v = parting_at(patch, p->at, a, b);
        p->push =
            p->depth > 0 ? p->weight * fmax(0, patch->k_push * p->depth + patch->c * (patch->target - v)) : 0;
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

// What friction is a part of. Where an implicit solver takes part, the push is what it would be without the solve,
// which may be many times what the solve leaves of it: there the spring counts, and only as far as it was there a step
// ago too.
static double load_of(TacPatch *patch, const TacTouchPoint *points, const Side *a, const Side *b) {
    if (!a->model->implicit && !b->model->implicit) return patch->push;
    double before = patch->carried, m = reduced(a->mass, b->mass);
    patch->carried = 0;
    for (uint32_t i = 0; i < patch->count; i++)
        patch->carried += points[i].weight * fmax(0, patch->k * points[i].depth);
    if (patch->bounces) return patch->push * m / (m + implicit_step(a, b) * patch->c);
    return fmin(before, patch->carried);
}

// The same for turning about the normal: friction that slips may not turn around what it slows.
static double turn_brake(const TacPatch *patch, double most, double turning, const Side *a, const Side *b) {
    double h = implicit_step(a, b), inertia = patch->square * reduced(a->mass, b->mass);
    if (2 * h * most <= inertia * fabs(turning)) return 0;
    return most / fabs(patch->spin) * patch->square * (patch->c_slide + h * patch->k);
}

// Friction against turning about the normal.
static void twist(TacPatch *patch, const TacTouchPoint *points, const Side *a, const Side *b,
                  double most_drag, double seconds) {
    double turning = tac_dot(patch->normal, tac_sub(b->w, a->w));
    patch->spin = patch->spin_brake = 0;
    patch->grips = false;
    patch->square = patch->count > 1 ? spread(patch, points) : 0;
    if (!(patch->square > 0)) return;
    patch->twist += seconds * turning;
    patch->spin = -patch->square * (patch->k * patch->twist + patch->c_slide * turning);
    double most = most_drag * sqrt(patch->square);
    patch->grips = fabs(patch->spin) <= most;
    if (patch->grips) return;
    patch->spin_brake = turn_brake(patch, most, turning, a, b);
    patch->spin = copysign(most, patch->spin);
    patch->twist = -(patch->spin / patch->square + patch->c_slide * turning) / patch->k;
}

// How friction that slides answers to a change of velocity, for implicit solvers. Coulomb's drag turns with the
// velocity, so it resists whatever is across it. Along it the drag stays as it is, unless it is so large that it might
// not slow the slide but turn it around within the step: then it resists in every direction, and the slide stops; but
// not what has been sliding on for a while.
static void soften(TacPatch *patch, TacVec3 along, TacVec3 was, double part, const Side *a, const Side *b) {
    double h = implicit_step(a, b);
    double speed = tac_norm(along), drag = part * tac_norm(patch->drag), m = reduced(a->mass, b->mass);
    bool goes_on = tac_dot(was, along) < -0.5 * tac_norm(was) * speed;
    patch->slips = goes_on ? (uint8_t)(patch->slips + (patch->slips < A_WHILE)) : 0;
    patch->brake = part * (patch->c_slide + h * patch->k);
    patch->along = 2 * h * drag > m * speed && patch->slips < A_WHILE ? tac_vec3(0, 0, 0) : tac_unit(along);
}

static void rub(TacPatch *patch, const TacTouchPoint *points, const Side *a, const Side *b, double friction,
                double seconds) {
    TacVec3 n = patch->normal, v = tac_sub(velocity_at(b, patch->centre), velocity_at(a, patch->centre));
    TacVec3 along = tac_axpy(v, -tac_dot(v, n), n);
    TacVec3 was = patch->sticks ? tac_vec3(0, 0, 0) : patch->drag;
    // what drag has turned around after a while has stopped on the way: it is held where it was
    bool stopped = patch->slips >= A_WHILE && tac_dot(was, along) > 0;
    patch->slide = tac_axpy(turn_into(patch->slide, n), stopped ? 0 : seconds, along);
    patch->drag = tac_axpy(tac_scale(patch->slide, -patch->k), -patch->c_slide, along);
    double force = tac_norm(patch->drag), most = friction * load_of(patch, points, a, b);
    patch->sticks = force <= most;
    if (patch->sticks) {
        patch->slips = 0;
    } else {
        soften(patch, along, was, most / force, a, b);
        patch->drag = tac_scale(patch->drag, most / force);
        // the slide that this force stands for
        patch->slide = tac_scale(tac_axpy(patch->drag, patch->c_slide, along), -1 / patch->k);
    }
    twist(patch, points, a, b, most, seconds);
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
        catch_up(patch, points, &a, &b);
        begin(touch, patch, &a, &b, seconds);
        choose(touch, n, patch, &a, &b);
        push_points(patch, points, &a, &b);
        if (patch->k > 0) rub(patch, points, &a, &b, n->numbers.friction, seconds);
        patch->impulse += patch->push * seconds;
    }
}
