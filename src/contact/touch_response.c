// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What patches push with: springs and dampers along the normal. See touch.h; friction is in touch_friction.c.
//
// What only patches of several points, implicit agents and loose worlds need is done patch by patch, between loops over
// eight at a time (touch_batch.h).

#include "contact/touch_batch.h"

// The stiffness of a contact whose material names none is what the lighter side can be stepped with. Implicit solvers
// of frames bear any; those of points have matrices that are solved step by step, which stiff contacts would slow down.
static double chosen_of(const TacTouchModel *m, bool solved) {
    double part = 0.15;
    if (solved) part = m->model->matter->velocity_size == 6 ? 300 : 1;
    return part / (m->step * m->step);
}

// It is pushed for so long at a time.
static void push_for(TacTouchPart *p, double period) {
    if (!p->model->moves) return;
    p->chosen *= p->step * p->step / (period * period);
    p->step = period;
}

static TacTouchPart part_of(const TacTouch *touch, const TacTouchModel *m, const TacTouchModel *other) {
    const TacMatter *matter = m->model->matter;
    bool shape = m->model->base.cls == &tac_shape_model_class, solved = tac_touch_is_solved(m, other);
    bool stepped = m->moves && !solved;
    bool past = touch->is_view && m->moves && m->past && touch->time <= m->past_time;
    return (TacTouchPart){.model = m,
                          .frame = shape ? ((const TacShapeModel *)m->model)->frame : NULL,
                          .x = matter->vectors[TAC_X_SHOWN],
                          .v = matter->vectors[TAC_V_SHOWN],
                          .then = past ? m->past : matter->vectors[TAC_V_SHOWN],
                          .x_size = (size_t)matter->position_size,
                          .v_size = (size_t)matter->velocity_size,
                          .stepped = stepped,
                          .step = m->moves ? m->step : 0,
                          .bears = stepped ? m->bears : 1,
                          .chosen = m->moves ? chosen_of(m, solved) : 1,
                          .behind = touch->is_view && m->moves ? touch->time - m->shown : 0};
}

// --- lanes ------------------------------------------------------------------------------------------------

static inline void load_side(TacTouchSide *s, int l, const TacTouchPart *p, uint32_t element) {
    size_t place = p->frame ? p->frame[element] : element;
    const double *v = p->then + place * p->v_size;
    tac_lanes_put(&s->x, l, tac_load3(p->x + place * p->x_size));
    tac_lanes_put(&s->v, l, tac_load3(v));
    tac_lanes_put(&s->w, l, p->v_size == 6 ? tac_load3(v + 3) : tac_vec3(0, 0, 0));
    uint32_t loads = p->model->moves ? p->model->loads[element] : 0;
    s->mass[l] = p->model->moves ? p->model->masses[element] : INFINITY;
    s->loads[l] = loads > 1 ? (double)loads : 1;
    s->yield[l] = s->loads[l];
}

static void load_flight(TacTouchSide *s, int l, const TacTouchPart *p, uint32_t element) {
    const double *v = p->v + p->v_size * (p->frame ? p->frame[element] : element);
    tac_lanes_put(&s->flies, l, tac_load3(v));
    tac_lanes_put(&s->spins, l, p->v_size == 6 ? tac_load3(v + 3) : tac_vec3(0, 0, 0));
}

static inline void load(TacTouchBatch *b, int l, TacPatch *patch) {
    b->patches[l] = patch;
    load_side(&b->a, l, &b->part_a, patch->key.ia);
    load_side(&b->b, l, &b->part_b, patch->key.ib);
    if (b->view) {
        load_flight(&b->a, l, &b->part_a, patch->key.ia);
        load_flight(&b->b, l, &b->part_b, patch->key.ib);
    }
    if (b->view && b->shapes) {
        tac_lanes_put(&b->a.x, l,
                      tac_add(tac_lanes_get(&b->a.x, l), tac_touch_flight(&b->a, l, b->part_a.behind).moved));
        tac_lanes_put(&b->b.x, l,
                      tac_add(tac_lanes_get(&b->b.x, l), tac_touch_flight(&b->b, l, b->part_b.behind).moved));
    }
    tac_lanes_put(&b->normal, l, patch->normal);
    tac_lanes_put(&b->centre, l, patch->centre);
    tac_lanes_put(&b->slide, l, patch->slide);
    b->depth[l] = patch->depth;
    b->touching[l] = patch->touching;
    b->hit[l] = patch->hit;
    b->age[l] = (double)patch->age;
}

static inline double least(double a, double b) {
    return a < b ? a : b;
}

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

// Of the two masses; infinite with infinite gives infinite.
static inline double reduced(double a, double b) {
    double both = a * b / (a + b);
    return a < INFINITY ? (b < INFINITY ? both : a) : b;
}

static bool is_stepped(const TacTouchBatch *b, int l) {
    return (b->part_a.stepped && tac_touch_is_movable(&b->a, l)) ||
           (b->part_b.stepped && tac_touch_is_movable(&b->b, l));
}

// --- how stiff --------------------------------------------------------------------------------------------

// What a patch does to the velocities of those explicit sides that take part, for a force of 1 N on each of their
// contacts, limits stiffness and dampers; between two agents of a loose world that are farther apart in time than a step
// (they have just met), a contact has to last longer than that.
static void choose_stiffness(TacTouchBatch *b) {
    const TacTouchPart p = b->part_a, q = b->part_b;
    double given = b->between->numbers.stiffness, late = larger(fabs(p.behind), fabs(q.behind));
    double longest = larger(p.step, q.step), lasts = late > longest ? longest * longest / (late * late) : 1;
    for (int l = 0; l < TAC_TOUCH_LANES; l++) {
        double ma = b->a.mass[l], mb = b->b.mass[l];
        double soft = (p.stepped ? b->a.yield[l] / ma : 0) + (q.stepped ? b->b.yield[l] / mb : 0);
        double step =
            larger(p.stepped && ma < INFINITY ? p.step : 0, q.stepped && mb < INFINITY ? q.step : 0);
        double borne = least(ma < INFINITY ? p.bears : 1, mb < INFINITY ? q.bears : 1);
        borne = least(borne, lasts);
        double light =
            least(p.chosen * (p.stepped ? borne : 1) * ma, q.chosen * (q.stepped ? borne : 1) * mb);
        double k = given > 0 ? given : (light < INFINITY ? light : 0);
        double most = 1.2 * borne / (soft * step * step), most_c = 0.9 / (soft * step);
        b->k[l] = least(k, soft > 0 ? most : INFINITY);
        b->most_c[l] = soft > 0 ? most_c : INFINITY;
        b->mass[l] = reduced(ma, mb);
    }
}

// How much easier a side is turned and moved than only moved by what pushes at the points of a patch. Turning by itself:
// the largest part of the mean square of their arms, seen along the normal, over its smallest radius of inertia squared.
// Pushes in the middle either move or turn it; the farther their mean is from there, the more they do both at once.
static double swing(const TacPatch *patch, const TacTouchPoint *points, const TacTouchSide *s, int l,
                    double inertia) {
    double trace = 0, square = 0, arms[9] = {0};
    TacVec3 mean = {0, 0, 0};
    for (uint32_t i = 0; i < patch->count; i++) {
        TacVec3 arm = tac_cross(tac_sub(points[i].at, tac_lanes_get(&s->x, l)), patch->normal);
        const double r[3] = {arm.x, arm.y, arm.z};
        mean = tac_axpy(mean, points[i].weight, arm);
        for (int k = 0; k < 9; k++) arms[k] += points[i].weight * r[k / 3] * r[k % 3];
    }
    for (int k = 0; k < 9; k++) square += arms[k] * arms[k];
    trace = arms[0] + arms[4] + arms[8];
    // the larger eigenvalue of a matrix of rank two
    double largest = 0.5 * (trace + sqrt(fmax(0, 2 * square - trace * trace)));
    double per = s->mass[l] / inertia, turns = per * largest;
    return fmin(1 + turns, fmax(1, turns) + sqrt(per) * tac_norm(mean));
}

static void swing_side(const TacPatch *patch, const TacTouchPoint *points, const TacTouchPart *p,
                       TacTouchSide *s, int l, uint32_t element) {
    double inertia = p->model->inertias[element];
    if (tac_touch_is_movable(s, l) && inertia < INFINITY) s->yield[l] *= swing(patch, points, s, l, inertia);
}

// Points can be moved by themselves, and so can bear more than a frame that a few contacts turn.
static double chosen_part(const TacTouchPart *p) {
    return p->v_size == 6 ? 0.15 : 1;
}

// Where two agents touch and an implicit solver takes part, the other is taken as standing still, which stiff contacts
// need; so long as both hardly move that is true. What moves is not solved (touch_law.c), and its contact is no stiffer
// than explicit agents bear. From then on it stiffens little by little.
static void go_soft(TacTouchBatch *b, int l, TacPatchMore *more) {
    bool apart = tac_touch_are_apart(b, l);
    if (!apart) return;
    double yields = b->a.yield[l] / b->a.mass[l] + b->b.yield[l] / b->b.mass[l];
    double chosen = least(chosen_part(&b->part_a) * b->a.mass[l], chosen_part(&b->part_b) * b->b.mass[l]);
    double soft = least(chosen, 1.2 / yields) / (b->h * b->h);
    if (more->moving) b->most_c[l] = least(b->most_c[l], 0.9 / (yields * b->h));
    if (b->k[l] <= soft) return;
    double lowest = soft / b->k[l];
    if (!(b->touching[l] > 0) && !(b->hit[l] > 0) && !more->moving) more->part = 1;
    double faster = b->asleep[l] ? 1 : 1.1;
    more->part = more->moving ? lowest : fmin(1, faster * fmax(lowest, more->part));
    b->k[l] *= more->part;
}

// What resists a push along the normal at the centre: the mass, less where that turns its frame.
static double resistance(const TacTouchPart *p, const TacTouchSide *s, int l, uint32_t element, TacVec3 at,
                         TacVec3 normal) {
    if (!p->frame || !tac_touch_is_movable(s, l)) return s->mass[l];
    const double *x = p->x + p->x_size * p->frame[element];
    TacVec3 arm = tac_cross(tac_sub(at, tac_lanes_get(&s->x, l)), normal);
    arm = tac_rotate_back(tac_load_quat(x + 3), arm);
    double turning = tac_dot(arm, tac_mat3_apply(&p->model->yields[element], arm));
    return 1 / (1 / s->mass[l] + turning);
}

// The middle of a patch, until it is known where it pushes; or of those of its points that touch, where some do.
static TacVec3 middle_of(const TacPatch *patch, const TacTouchPoint *points, bool touching) {
    TacVec3 all = {0, 0, 0}, of_some = {0, 0, 0};
    double some = 0;
    for (uint32_t i = 0; i < patch->count; i++) {
        all = tac_axpy(all, points[i].weight, points[i].at);
        if (points[i].depth <= 0) continue;
        of_some = tac_axpy(of_some, points[i].weight, points[i].at);
        some += points[i].weight;
    }
    return touching && some > 0 ? tac_scale(of_some, 1 / some) : all;
}

static void resist(TacTouchBatch *b, int l, TacPatchMore *more, const TacTouchPoint *points) {
    const TacPatchKey *key = &b->patches[l]->key;
    TacVec3 at = points ? middle_of(b->patches[l], points, true) : tac_lanes_get(&b->centre, l);
    TacVec3 n = tac_lanes_get(&b->normal, l);
    double a = resistance(&b->part_a, &b->a, l, key->ia, at, n);
    double c = resistance(&b->part_b, &b->b, l, key->ib, at, n);
    more->reserve[0] = c < INFINITY ? 1 + a / c : 1;
    more->reserve[1] = a < INFINITY ? 1 + c / a : 1;
    b->resists[l] = reduced(a, c);
}

// --- how bouncy -------------------------------------------------------------------------------------------

// How fast it began, where that is more than falling for a few steps: a hit; and how long it has lasted.
static void begin(TacTouchBatch *b) {
    double step_a = b->part_a.step, step_b = b->part_b.step, fall = 4 * b->gravity, seconds = b->seconds;
    for (int l = 0; l < TAC_TOUCH_LANES; l++) {
        double longest = larger(b->a.mass[l] < INFINITY ? step_a : 0, b->b.mass[l] < INFINITY ? step_b : 0);
        double hits = -b->parting[l] > fall * longest ? 1 : 0, age = b->age[l] + seconds;
        b->hit[l] = b->touching[l] > 0 ? b->hit[l] : hits;
        b->age[l] = b->touching[l] > 0 ? age : 0;
    }
}

// Plain explicit Euler pushes with the place of a step ago, which is a damper of k h the wrong way round; Runge-Kutta, for
// which a push is the same throughout a step, with that of half a step ago.
static double lag_of(const TacTouchPart *a, const TacTouchPart *b) {
    return fmax(a->model->lag * a->model->step, b->model->lag * b->model->step);
}

// Only what hit bounces, and only as long as a bounce lasts: what is at rest is damped as well as can be. Where the
// damper may not be as strong as it should, what shall hardly bounce, and touches nothing else, is rather soft than
// bouncing.
static void choose_damping(TacTouchBatch *b) {
    const TacContactNumbers *n = &b->between->numbers;
    bool given = !isnan(n->damping), may_soften = !given && n->stiffness <= 0;
    double given_c = given ? n->damping : 0, bouncing = b->between->ratio, lag = b->lag;
    for (int l = 0; l < TAC_TOUCH_LANES; l++) {
        double m = b->mass[l], k = b->k[l], most = b->most_c[l], age = b->age[l];
        double rests = age * age * k > 4 * TAC_PI * TAC_PI * m ? 1 : 0;
        double bounces = b->hit[l] > 0 ? 1 - rests : 0, ratio = bounces > 0 ? bouncing : 1;
        double wanted = 2 * ratio * sqrt(k * m), soft = most * most / (4 * ratio * ratio * m);
        double alone = b->a.loads[l] + b->b.loads[l] > 2 ? 0 : bounces;
        alone = may_soften && ratio > 1 ? alone : 0;
        double softer = larger(0.25 * k, soft);
        k = alone > 0 && wanted > most ? softer : k;
        double critical = sqrt(k * m), c = given ? given_c : 2 * ratio * critical + lag * k;
        b->k[l] = b->k_push[l] = k;
        b->c[l] = least(c, most);
        b->c_slide[l] = least(critical, 0.2 * most);
        b->target[l] = 0;
    }
}

// From here on only what is deeper counts.
static void count_from(TacTouchBatch *b, int l, TacTouchPoint *points, double depth) {
    b->depth[l] -= depth;
    for (uint32_t i = 0; points && i < b->patches[l]->count; i++) points[i].depth -= depth;
}

// What a hit has got in, and has not left again, comes up in no less than twenty steps: the spring would throw it out
// within one.
static void land(TacTouchBatch *b, int l, TacPatchMore *more, TacTouchPoint *points) {
    double deepest = points ? 0 : b->depth[l];
    for (uint32_t i = 0; points && i < b->patches[l]->count; i++) deepest = fmax(deepest, points[i].depth);
    more->sunk += fmax(0, deepest);
    count_from(b, l, points, fmax(0, deepest));
}

static void come_up(TacTouchBatch *b, int l, TacPatchMore *more, TacTouchPoint *points) {
    more->sunk *= fmax(0, 1 - 0.05 * b->seconds / b->h);
    if (more->sunk > 0) count_from(b, l, points, more->sunk);
}

// Contacts that implicit solvers alone have to do with are too stiff to swing back in time. What hits is given its
// speed by a damper that pulls it there in one step, and is left alone until it has left. Two agents are rather given the
// same impulse, outside of their solves: one that something else holds would else take more than the other one gives.
static void bounce(TacTouchBatch *b, int l, TacPatchMore *more, TacTouchPoint *points) {
    bool apart = tac_touch_are_apart(b, l);
    const double strength = apart ? 1 : 50;
    double e = b->between->numbers.restitution, h = b->h, m = b->resists[l];
    if (!(b->touching[l] > 0)) more->approach = b->hit[l] > 0 ? -b->parting[l] : 0;
    more->bounces = b->hit[l] > 0 && isnan(b->between->numbers.damping) && !is_stepped(b, l);
    if (!more->bounces) return;
    if (b->k[l] * h * h < 0.02 * m) more->bounces = false; // soft enough to swing back
    // until everybody who takes part has had a step
    bool turns = b->age[l] == 0 || b->age[l] + 0.5 * b->seconds < h;
    if (!turns && !(b->parting[l] > 0.5 * e * more->approach && b->age[l] < 50 * h)) {
        more->bounces = false;
        if (!apart) land(b, l, more, points);
        more->approach = b->hit[l] = 0;
    }
    if (!more->bounces) return;
    b->k_push[l] = b->c[l] = 0;
    if (!turns) return;
    b->c[l] = strength * m / h;
    b->target[l] = e * more->approach + (apart ? 0 : (1 + e) * more->approach / strength);
}

// --- the push ---------------------------------------------------------------------------------------------

// How fast B moves past A at the centres, along the normal and across it.
static void part(TacTouchBatch *b) {
    for (int l = 0; l < TAC_TOUCH_LANES; l++) {
        double cx = b->centre.x[l], cy = b->centre.y[l], cz = b->centre.z[l];
        double ax = cx - b->a.x.x[l], ay = cy - b->a.x.y[l], az = cz - b->a.x.z[l];
        double bx = cx - b->b.x.x[l], by = cy - b->b.x.y[l], bz = cz - b->b.x.z[l];
        double vx = b->b.v.x[l] + (b->b.w.y[l] * bz - b->b.w.z[l] * by) - b->a.v.x[l] -
                    (b->a.w.y[l] * az - b->a.w.z[l] * ay);
        double vy = b->b.v.y[l] + (b->b.w.z[l] * bx - b->b.w.x[l] * bz) - b->a.v.y[l] -
                    (b->a.w.z[l] * ax - b->a.w.x[l] * az);
        double vz = b->b.v.z[l] + (b->b.w.x[l] * by - b->b.w.y[l] * bx) - b->a.v.z[l] -
                    (b->a.w.x[l] * ay - b->a.w.y[l] * ax);
        double nx = b->normal.x[l], ny = b->normal.y[l], nz = b->normal.z[l];
        double v = vx * nx + vy * ny + vz * nz;
        b->parting[l] = v;
        b->along.x[l] = vx - v * nx;
        b->along.y[l] = vy - v * ny;
        b->along.z[l] = vz - v * nz;
    }
}

// What patches of one point push with.
static void push_lanes(TacTouchBatch *b) {
    double friction = b->between->numbers.friction, seconds = b->seconds;
    for (int l = 0; l < TAC_TOUCH_LANES; l++) {
        double push = b->k_push[l] * b->depth[l] + b->c[l] * (b->target[l] - b->parting[l]);
        push = push > 0 ? push : 0;
        push = b->depth[l] > 0 ? push : 0;
        b->push[l] = push;
        b->most[l] = friction * push;
        b->flown[l] = seconds;
    }
}

// `given`: what both sides take of it, N.
static inline void store(const TacTouchBatch *b, int l, double given) {
    TacPatch *patch = b->patches[l];
    patch->slide = tac_lanes_get(&b->slide, l);
    patch->drag = tac_lanes_get(&b->drag, l);
    patch->push = b->push[l];
    patch->age = (float)b->age[l];
    patch->hit = b->hit[l] > 0;
    patch->impulse += given * b->since[l];
}

// --- several points, and loose worlds ---------------------------------------------------------------------

static TacTouchPoint *points_of(const TacPatches *now, const TacPatch *patch) {
    if (!patch->cache_plus_1) return NULL;
    return &now->points[TAC_CONVEX_CONTACTS * (size_t)(patch->cache_plus_1 - 1)];
}

// In a loose world the other side is shown where it was at its own time; by now it has gone on: how much closer (shapes
// were looked for where they are by now). Without this, contacts would feed heaps.
static double closer(const TacTouchBatch *b, int l, TacVec3 at) {
    TacTouchMotion da = tac_touch_flight(&b->a, l, b->part_a.behind),
                   db = tac_touch_flight(&b->b, l, b->part_b.behind);
    TacVec3 by = tac_sub(tac_touch_displaced(&da, &b->a, l, at), tac_touch_displaced(&db, &b->b, l, at));
    return tac_dot(tac_lanes_get(&b->normal, l), by);
}

static void catch_up(TacTouchBatch *b, int l) {
    TacPatch *patch = b->patches[l];
    b->depth[l] = patch->depth += closer(b, l, patch->centre);
}

// The slowest parting of points that touch; of all, where what is known of the other's time lets none of them touch.
static double slowest(const TacTouchBatch *b, int l, const TacTouchPoint *points) {
    double touching = INFINITY, of_all = INFINITY;
    for (uint32_t i = 0; i < b->patches[l]->count; i++) {
        double v = tac_dot(tac_lanes_get(&b->normal, l), tac_touch_velocity_between(b, l, points[i].at));
        of_all = fmin(of_all, v);
        if (points[i].depth > 0) touching = fmin(touching, v);
    }
    return touching < INFINITY ? touching : of_all;
}

static void push_points(TacTouchBatch *b, int l, TacTouchPoint *points) {
    TacPatch *patch = b->patches[l];
    double push = 0;
    TacVec3 centre = {0, 0, 0}, middle = {0, 0, 0};
    for (uint32_t i = 0; i < patch->count; i++) {
        TacTouchPoint *p = &points[i];
        double v = tac_dot(patch->normal, tac_touch_velocity_between(b, l, p->at));
        double force = b->k_push[l] * p->depth + b->c[l] * (b->target[l] - v);
        p->push = p->depth > 0 ? p->weight * fmax(0, force) : 0;
        push += p->push;
        centre = tac_axpy(centre, p->push, p->at);
        middle = tac_add(middle, p->at);
    }
    patch->centre = push > 0 ? tac_scale(centre, 1 / push) : tac_scale(middle, 1.0 / patch->count);
    tac_lanes_put(&b->centre, l, patch->centre);
    b->push[l] = push;
    b->most[l] = b->between->numbers.friction * push;
}

// What a solve makes of a push: what bounces is pulled to its speed, as far as it gives way; of the rest, the spring and
// the damper of the next look are what has been given in the meantime.
static double given_by_solve(const TacTouchBatch *b, int l, TacPatchMore *more) {
    bool was_solved = more->solved;
    more->solved = !more->moving && !more->bounces;
    if (more->solved) return was_solved ? b->push[l] : 0;
    if (more->moving || tac_touch_are_apart(b, l)) return b->push[l];
    double c = b->h * b->c[l], m = b->resists[l];
    return fmax(0, b->push[l] - c * tac_touch_falling(b, l)) * m / (m + c);
}

// --- a run ------------------------------------------------------------------------------------------------

static TacPatchMore *more_of(const TacPatches *now, const TacTouchBatch *b, int l) {
    return &now->mores[b->patches[l]->more_plus_1 - 1];
}

// What has to be known of patches before their stiffness is chosen.
static void prepare(const TacPatches *now, TacTouchBatch *b, int count) {
    for (int l = 0; b->implicit && l < count; l++)
        come_up(b, l, more_of(now, b, l), points_of(now, b->patches[l]));
    for (int l = 0; b->shapes && l < count; l++)
        tac_lanes_put(&b->centre, l, middle_of(b->patches[l], points_of(now, b->patches[l]), false));
    part(b);
    for (int l = 0; b->behind && !b->shapes && l < count; l++) catch_up(b, l);
    for (int l = 0; b->shapes && l < count; l++) {
        const TacPatch *patch = b->patches[l];
        const TacTouchPoint *points = points_of(now, patch);
        b->parting[l] = slowest(b, l, points);
        swing_side(patch, points, &b->part_a, &b->a, l, patch->key.ia);
        swing_side(patch, points, &b->part_b, &b->b, l, patch->key.ib);
    }
}

// Whether it ticks as one, and when it last did.
static void keep_time(const TacPatches *now, TacTouchBatch *b, int l) {
    bool rests = false;
    if (b->implicit && tac_touch_are_apart(b, l)) {
        TacPatchMore *more = more_of(now, b, l);
        TacVec3 at = tac_lanes_get(&b->centre, l);
        double speed = fmax(tac_norm(tac_touch_velocity_at(&b->a, l, at)),
                            tac_norm(tac_touch_velocity_at(&b->b, l, at)));
        more->moving = speed > 4 * b->gravity * b->h;
        bool bounces = b->hit[l] > 0 && isnan(b->between->numbers.damping);
        rests = b->period > 0 && !more->moving && !bounces;
        more->rests = rests;
    }
    b->asleep[l] = b->waits && !rests;
    b->since[l] = !rests && b->period > 0 && b->seconds > 0 ? b->period : b->seconds;
}

static void push(const TacPatches *now, TacTouchBatch *b, int count) {
    begin(b);
    choose_stiffness(b);
    for (int l = 0; l < count; l++) keep_time(now, b, l);
    for (int l = 0; b->implicit && l < count; l++) {
        go_soft(b, l, more_of(now, b, l));
        resist(b, l, more_of(now, b, l), points_of(now, b->patches[l]));
    }
    choose_damping(b);
    for (int l = 0; b->implicit && l < count; l++)
        bounce(b, l, more_of(now, b, l), points_of(now, b->patches[l]));
    push_lanes(b);
    for (int l = 0; b->shapes && l < count; l++) push_points(b, l, points_of(now, b->patches[l]));
}

// What nobody feels now: it slides on, and remembers how it began.
static void store_asleep(const TacPatches *now, const TacTouchBatch *b, int l) {
    TacPatch *patch = b->patches[l];
    patch->slide = tac_lanes_get(&b->slide, l);
    patch->push = b->push[l];
    patch->age = (float)b->age[l];
    patch->hit = b->hit[l] > 0;
    if (b->more) more_of(now, b, l)->twist += b->seconds * tac_touch_turning(b, l);
}

static void store_awake(const TacPatches *now, const TacTouchBatch *b, int l) {
    TacPatch *patch = b->patches[l];
    TacVec3 was = b->more ? tac_touch_slid(patch, more_of(now, b, l)) : tac_vec3(0, 0, 0);
    store(b, l, b->implicit ? given_by_solve(b, l, more_of(now, b, l)) : b->push[l]);
    if (b->more) tac_touch_add_friction(b, l, more_of(now, b, l), points_of(now, patch), was);
}

static void respond_batch(const TacPatches *now, TacTouchBatch *b, int count) {
    double friction = b->between->numbers.friction;
    prepare(now, b, count);
    push(now, b, count);
    if (b->shapes) part(b); // friction acts at the centre of pushes
    for (int l = 0; b->more && l < count; l++) {
        TacPatchMore *more = more_of(now, b, l);
        if (b->asleep[l]) continue;
        if (b->implicit && !more->moving)
            b->most[l] = friction * tac_touch_load(b, l, more, points_of(now, b->patches[l]));
        if (tac_touch_has_stopped(b, l, more)) b->flown[l] = 0;
        if (b->view) tac_touch_slide_on(b, l, more);
    }
    for (int l = 0; b->view && l < count; l++)
        tac_lanes_put(&b->slide, l, tac_add(tac_lanes_get(&b->slide, l), tac_lanes_get(&b->went, l)));
    for (int l = 0; l < count; l++)
        if (b->asleep[l]) b->most[l] = INFINITY;
    tac_touch_rub(b);
    for (int l = 0; l < count; l++) (b->asleep[l] ? store_asleep : store_awake)(now, b, l);
}

static TacTouchBatch batch_of(const TacTouch *touch, const TacPatch *first, double seconds) {
    uint32_t model_a = touch->objects[first->key.a].model, model_b = touch->objects[first->key.b].model;
    const TacTouchModel *p = &touch->models[model_a], *q = &touch->models[model_b];
    TacTouchBatch b = {.between = tac_touch_between(touch, model_a, model_b),
                       .part_a = part_of(touch, p, q),
                       .part_b = part_of(touch, q, p),
                       .seconds = seconds,
                       .view = touch->is_view,
                       .shapes = first->cache_plus_1 > 0,
                       .more = first->more_plus_1 > 0};
    b.gravity = fmax(p->gravity, q->gravity);
    b.lag = lag_of(&b.part_a, &b.part_b);
    b.implicit = tac_touch_is_solved(p, q) || tac_touch_is_solved(q, p);
    b.h = b.implicit ? fmax(p->moves ? p->step : 0, q->moves ? q->step : 0) : 0;
    b.behind = b.part_a.behind != 0 || b.part_b.behind != 0;
    b.period = tac_touch_period(touch, p, q);
    b.waits = tac_touch_waits(touch, p, q);
    if (b.period > 0) {
        push_for(&b.part_a, b.period);
        push_for(&b.part_b, b.period);
    }
    return b;
}

void tac_touch_respond(TacTouch *touch, uint32_t first, uint32_t end, double seconds) {
    TacPatches *now = &touch->now;
    TacTouchBatch b = batch_of(touch, &now->patches[first], seconds);
    int count = 0;
    for (uint32_t i = first; i < end; i++) {
        if (now->patches[i].count == 0) continue;
        load(&b, count++, &now->patches[i]);
        if (count < TAC_TOUCH_LANES) continue;
        respond_batch(now, &b, TAC_TOUCH_LANES);
        count = 0;
    }
    if (count) respond_batch(now, &b, count);
}
