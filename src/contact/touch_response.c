// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What patches push with: springs and dampers along the normal, Coulomb friction across. See touch.h.
//
// Eight patches at a time lie side by side in a *batch*, number by number, so that a compiler can take them as wide
// numbers: all loops over lanes are short, have a fixed count and no branches. What only patches of several points,
// implicit agents and loose worlds need is done patch by patch, between these loops.

#include "contact/touch.h"

enum { LANES = 8 };
enum { A_WHILE = 10, MANY_WEIGHTS = 30 }; // looks; of a body

typedef double Wide[LANES];

typedef struct Wide3 {
    Wide x, y, z;
} Wide3;

// One model's part in a run of patches.
typedef struct Part {
    const TacTouchModel *model;
    const uint32_t *frame; // of a shape's elements; NULL: balls
    const double *x, *v;
    const double *then; // its velocities at the time of whoever looks, in loose worlds; else v
    size_t x_size, v_size;
    bool stepped;  // it is pushed as explicit solvers are
    double step;   // s; 0: nobody moves it
    double bears;  // how much stiffness that one bears, as a part of what symplectic Euler does; 1: any
    double chosen; // per kg: the stiffness of a contact whose material names none, before what is borne
    double behind; // how long ago it was where it is shown, s
} Part;

// One side of eight patches.
typedef struct Side {
    Wide3 x, v, w;      // place, velocity, angular velocity of its point or frame
    Wide3 flies, spins; // in loose worlds: the velocities with which it came to where it is shown
    Wide mass;          // infinite: nothing moves it
    Wide loads;         // contacts, at least 1
    Wide yield;         // how often its mass counts in what explicit solvers bear
} Side;

typedef struct Batch {
    const TacTouchNumbers *between;
    Part part_a, part_b;
    double seconds;    // since the last look
    double period;     // tac_touch_period
    bool waits;        // until all who take part tick
    double gravity;    // the stronger one
    double lag;        // see lag_of
    bool implicit;     // an implicit solver solves it
    double h;          // the longer step of such, s
    bool view, behind; // a view of a loose world; one side is behind the other
    bool shapes, more; // patches of several points; with TacPatchMore
    // of each patch
    TacPatch *patches[LANES];
    Side a, b;
    Wide3 normal, centre, slide, along, drag;
    Wide touching, hit, age;          // touching, hit: 0 or 1
    Wide parting;                     // along the normal at the centre, m/s
    Wide target;                      // the parting that the damper pulls to, m/s
    Wide depth, push, most;           // most: what friction can hold
    Wide flown;                       // how long it has slid, s
    Wide since;                       // how long ago it could last push, s
    bool asleep[LANES];               // it waits
    Wide3 went;                       // in loose worlds: B over A at the centre since the last look, m
    Wide turned;                      // and about the normal, rad
    Wide k, k_push, c, c_slide, mass; // stiffness, that along the normal, dampers, reduced mass
    Wide resists; // what resists pushes along the normal, of both, kg; for implicit solvers
    Wide most_c;  // what explicit sides bear
    Wide held;    // the part of what friction would need that it can hold, at most 1
} Batch;

// The stiffness of a contact whose material names none is what the lighter side can be stepped with. Implicit solvers
// of frames bear any; those of points have matrices that are solved step by step, which stiff contacts would slow down.
static double chosen_of(const TacTouchModel *m, bool solved) {
    double part = 0.15;
    if (solved) part = m->model->matter->velocity_size == 6 ? 300 : 1;
    return part / (m->step * m->step);
}

// It is pushed for so long at a time.
static void push_for(Part *p, double period) {
    if (!p->model->moves) return;
    p->chosen *= p->step * p->step / (period * period);
    p->step = period;
}

static Part part_of(const TacTouch *touch, const TacTouchModel *m, const TacTouchModel *other) {
    const TacMatter *matter = m->model->matter;
    bool shape = m->model->base.cls == &tac_shape_model_class, solved = tac_touch_is_solved(m, other);
    bool stepped = m->moves && !solved;
    bool past = touch->is_view && m->moves && m->past && touch->time <= m->past_time;
    return (Part){.model = m,
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

static inline void put(Wide3 *to, int l, TacVec3 v) {
    to->x[l] = v.x;
    to->y[l] = v.y;
    to->z[l] = v.z;
}

static inline TacVec3 get(const Wide3 *from, int l) {
    return tac_vec3(from->x[l], from->y[l], from->z[l]);
}

static inline void load_side(Side *s, int l, const Part *p, uint32_t element) {
    size_t place = p->frame ? p->frame[element] : element;
    const double *v = p->then + place * p->v_size;
    put(&s->x, l, tac_load3(p->x + place * p->x_size));
    put(&s->v, l, tac_load3(v));
    put(&s->w, l, p->v_size == 6 ? tac_load3(v + 3) : tac_vec3(0, 0, 0));
    uint32_t loads = p->model->moves ? p->model->loads[element] : 0;
    s->mass[l] = p->model->moves ? p->model->masses[element] : INFINITY;
    s->loads[l] = loads > 1 ? (double)loads : 1;
    s->yield[l] = s->loads[l];
}

static void load_flight(Side *s, int l, const Part *p, uint32_t element) {
    const double *v = p->v + p->v_size * (p->frame ? p->frame[element] : element);
    put(&s->flies, l, tac_load3(v));
    put(&s->spins, l, p->v_size == 6 ? tac_load3(v + 3) : tac_vec3(0, 0, 0));
}

typedef struct Displacement {
    TacVec3 moved, turned;
} Displacement;

static TacVec3 displaced_at(const Displacement *d, const Side *s, int l, TacVec3 at) {
    return tac_add(d->moved, tac_cross(d->turned, tac_sub(at, get(&s->x, l))));
}

static Displacement flight(const Side *s, int l, double seconds) {
    return (Displacement){tac_scale(get(&s->flies, l), seconds), tac_scale(get(&s->spins, l), seconds)};
}

// Where a side is at the time of whoever looks, as far as is known: it flies on, or back.
static void place_then(const Part *p, const Side *s, int l, uint32_t element, double out[7]) {
    memcpy(out, p->x + p->x_size * (p->frame ? p->frame[element] : element), p->x_size * sizeof *out);
    Displacement d = flight(s, l, p->behind);
    tac_add3(out, d.moved);
    if (p->x_size == 7)
        tac_store_quat(out + 3, tac_quat_mul(tac_quat_from_vector(d.turned), tac_load_quat(out + 3)));
}

static inline void load(Batch *b, int l, TacPatch *patch) {
    b->patches[l] = patch;
    load_side(&b->a, l, &b->part_a, patch->key.ia);
    load_side(&b->b, l, &b->part_b, patch->key.ib);
    if (b->view) {
        load_flight(&b->a, l, &b->part_a, patch->key.ia);
        load_flight(&b->b, l, &b->part_b, patch->key.ib);
    }
    if (b->view && b->shapes) {
        put(&b->a.x, l, tac_add(get(&b->a.x, l), flight(&b->a, l, b->part_a.behind).moved));
        put(&b->b.x, l, tac_add(get(&b->b.x, l), flight(&b->b, l, b->part_b.behind).moved));
    }
    put(&b->normal, l, patch->normal);
    put(&b->centre, l, patch->centre);
    put(&b->slide, l, patch->slide);
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

static inline bool is_movable(const Side *s, int l) {
    return s->mass[l] < INFINITY;
}

static bool is_stepped(const Batch *b, int l) {
    return (b->part_a.stepped && is_movable(&b->a, l)) || (b->part_b.stepped && is_movable(&b->b, l));
}

static TacVec3 velocity_at(const Side *s, int l, TacVec3 at) {
    return tac_add(get(&s->v, l), tac_cross(get(&s->w, l), tac_sub(at, get(&s->x, l))));
}

static TacVec3 velocity_between(const Batch *b, int l, TacVec3 at) {
    return tac_sub(velocity_at(&b->b, l, at), velocity_at(&b->a, l, at));
}

// --- how stiff --------------------------------------------------------------------------------------------

// What a patch does to the velocities of those explicit sides that take part, for a force of 1 N on each of their
// contacts, limits stiffness and dampers; between two agents of a loose world that are farther apart in time than a step
// (they have just met), a contact has to last longer than that.
static void choose_stiffness(Batch *b) {
    const Part p = b->part_a, q = b->part_b;
    double given = b->between->numbers.stiffness, late = larger(fabs(p.behind), fabs(q.behind));
    double longest = larger(p.step, q.step), lasts = late > longest ? longest * longest / (late * late) : 1;
    for (int l = 0; l < LANES; l++) {
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
static double swing(const TacPatch *patch, const TacTouchPoint *points, const Side *s, int l,
                    double inertia) {
    double trace = 0, square = 0, arms[9] = {0};
    TacVec3 mean = {0, 0, 0};
    for (uint32_t i = 0; i < patch->count; i++) {
        TacVec3 arm = tac_cross(tac_sub(points[i].at, get(&s->x, l)), patch->normal);
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

static void swing_side(const TacPatch *patch, const TacTouchPoint *points, const Part *p, Side *s, int l,
                       uint32_t element) {
    double inertia = p->model->inertias[element];
    if (is_movable(s, l) && inertia < INFINITY) s->yield[l] *= swing(patch, points, s, l, inertia);
}

// Both sides move, and are not solved together.
static bool are_apart(const Batch *b, int l) {
    return is_movable(&b->a, l) && is_movable(&b->b, l) &&
           b->part_a.model->model->matter != b->part_b.model->model->matter;
}

// Points can be moved by themselves, and so can bear more than a frame that a few contacts turn.
static double chosen_part(const Part *p) {
    return p->v_size == 6 ? 0.15 : 1;
}

// Where two agents touch and an implicit solver takes part, the other is taken as standing still, which stiff contacts
// need; so long as both hardly move that is true. What moves is not solved (touch_law.c), and its contact is no stiffer
// than explicit agents bear. From then on it stiffens little by little.
static void go_soft(Batch *b, int l, TacPatchMore *more) {
    bool apart = are_apart(b, l);
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
static double resistance(const Part *p, const Side *s, int l, uint32_t element, TacVec3 at, TacVec3 normal) {
    if (!p->frame || !is_movable(s, l)) return s->mass[l];
    const double *x = p->x + p->x_size * p->frame[element];
    TacVec3 arm = tac_cross(tac_sub(at, get(&s->x, l)), normal);
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

static void resist(Batch *b, int l, TacPatchMore *more, const TacTouchPoint *points) {
    const TacPatchKey *key = &b->patches[l]->key;
    TacVec3 at = points ? middle_of(b->patches[l], points, true) : get(&b->centre, l);
    TacVec3 n = get(&b->normal, l);
    double a = resistance(&b->part_a, &b->a, l, key->ia, at, n);
    double c = resistance(&b->part_b, &b->b, l, key->ib, at, n);
    more->reserve[0] = c < INFINITY ? 1 + a / c : 1;
    more->reserve[1] = a < INFINITY ? 1 + c / a : 1;
    b->resists[l] = reduced(a, c);
}

// --- how bouncy -------------------------------------------------------------------------------------------

// How fast it began, where that is more than falling for a few steps: a hit; and how long it has lasted.
static void begin(Batch *b) {
    double step_a = b->part_a.step, step_b = b->part_b.step, fall = 4 * b->gravity, seconds = b->seconds;
    for (int l = 0; l < LANES; l++) {
        double longest = larger(b->a.mass[l] < INFINITY ? step_a : 0, b->b.mass[l] < INFINITY ? step_b : 0);
        double hits = -b->parting[l] > fall * longest ? 1 : 0, age = b->age[l] + seconds;
        b->hit[l] = b->touching[l] > 0 ? b->hit[l] : hits;
        b->age[l] = b->touching[l] > 0 ? age : 0;
    }
}

// Plain explicit Euler pushes with the place of a step ago, which is a damper of k h the wrong way round; Runge-Kutta, for
// which a push is the same throughout a step, with that of half a step ago.
static double lag_of(const Part *a, const Part *b) {
    return fmax(a->model->lag * a->model->step, b->model->lag * b->model->step);
}

// Only what hit bounces, and only as long as a bounce lasts: what is at rest is damped as well as can be. Where the
// damper may not be as strong as it should, what shall hardly bounce, and touches nothing else, is rather soft than
// bouncing.
static void choose_damping(Batch *b) {
    const TacContactNumbers *n = &b->between->numbers;
    bool given = !isnan(n->damping), may_soften = !given && n->stiffness <= 0;
    double given_c = given ? n->damping : 0, bouncing = b->between->ratio, lag = b->lag;
    for (int l = 0; l < LANES; l++) {
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
static void count_from(Batch *b, int l, TacTouchPoint *points, double depth) {
    b->depth[l] -= depth;
    for (uint32_t i = 0; points && i < b->patches[l]->count; i++) points[i].depth -= depth;
}

// What a hit has got in, and has not left again, comes up in no less than twenty steps: the spring would throw it out
// within one.
static void land(Batch *b, int l, TacPatchMore *more, TacTouchPoint *points) {
    double deepest = points ? 0 : b->depth[l];
    for (uint32_t i = 0; points && i < b->patches[l]->count; i++) deepest = fmax(deepest, points[i].depth);
    more->sunk += fmax(0, deepest);
    count_from(b, l, points, fmax(0, deepest));
}

static void come_up(Batch *b, int l, TacPatchMore *more, TacTouchPoint *points) {
    more->sunk *= fmax(0, 1 - 0.05 * b->seconds / b->h);
    if (more->sunk > 0) count_from(b, l, points, more->sunk);
}

// Contacts that implicit solvers alone have to do with are too stiff to swing back in time. What hits is given its
// speed by a damper that pulls it there in one step, and is left alone until it has left. Two agents are rather given the
// same impulse, outside of their solves: one that something else holds would else take more than the other one gives.
static void bounce(Batch *b, int l, TacPatchMore *more, TacTouchPoint *points) {
    bool apart = are_apart(b, l);
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
static void part(Batch *b) {
    for (int l = 0; l < LANES; l++) {
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
static void push_lanes(Batch *b) {
    double friction = b->between->numbers.friction, seconds = b->seconds;
    for (int l = 0; l < LANES; l++) {
        double push = b->k_push[l] * b->depth[l] + b->c[l] * (b->target[l] - b->parting[l]);
        push = push > 0 ? push : 0;
        push = b->depth[l] > 0 ? push : 0;
        b->push[l] = push;
        b->most[l] = friction * push;
        b->flown[l] = seconds;
    }
}

// Friction. The slide that is remembered turns with the patch (the part across the normal, as long as before) and goes
// on; what it and the damper would hold is cut off at `most`, and then the slide is what that force stands for.
static void rub(Batch *b) {
    for (int l = 0; l < LANES; l++) {
        double nx = b->normal.x[l], ny = b->normal.y[l], nz = b->normal.z[l];
        double sx = b->slide.x[l], sy = b->slide.y[l], sz = b->slide.z[l];
        double k = b->k[l], c = b->c_slide[l], most = b->most[l];
        double ux = b->along.x[l], uy = b->along.y[l], uz = b->along.z[l];
        double h = b->flown[l], was = sx * sx + sy * sy + sz * sz, out = sx * nx + sy * ny + sz * nz;
        double tx = sx - out * nx, ty = sy - out * ny, tz = sz - out * nz;
        double now = tx * tx + ty * ty + tz * tz, longer = sqrt(was / now);
        longer = now > 0 ? longer : 1;
        tx = longer * tx + h * ux;
        ty = longer * ty + h * uy;
        tz = longer * tz + h * uz;
        double fx = -k * tx - c * ux, fy = -k * ty - c * uy, fz = -k * tz - c * uz;
        double force = sqrt(fx * fx + fy * fy + fz * fz), held = most / force, per_k = -1 / k;
        held = force <= most ? 1 : held;
        fx *= held;
        fy *= held;
        fz *= held;
        tx = held < 1 ? per_k * (fx + c * ux) : tx;
        ty = held < 1 ? per_k * (fy + c * uy) : ty;
        tz = held < 1 ? per_k * (fz + c * uz) : tz;
        b->held[l] = held;
        // without stiffness nothing is held, and nothing forgotten
        b->drag.x[l] = k > 0 ? fx : 0;
        b->drag.y[l] = k > 0 ? fy : 0;
        b->drag.z[l] = k > 0 ? fz : 0;
        b->slide.x[l] = k > 0 ? tx : sx;
        b->slide.y[l] = k > 0 ? ty : sy;
        b->slide.z[l] = k > 0 ? tz : sz;
    }
}

// `given`: what both sides take of it, N.
static inline void store(const Batch *b, int l, double given) {
    TacPatch *patch = b->patches[l];
    patch->slide = get(&b->slide, l);
    patch->drag = get(&b->drag, l);
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
static double closer(const Batch *b, int l, TacVec3 at) {
    Displacement da = flight(&b->a, l, b->part_a.behind), db = flight(&b->b, l, b->part_b.behind);
    TacVec3 by = tac_sub(displaced_at(&da, &b->a, l, at), displaced_at(&db, &b->b, l, at));
    return tac_dot(get(&b->normal, l), by);
}

static void catch_up(Batch *b, int l) {
    TacPatch *patch = b->patches[l];
    b->depth[l] = patch->depth += closer(b, l, patch->centre);
}

// The slowest parting of points that touch; of all, where what is known of the other's time lets none of them touch.
static double slowest(const Batch *b, int l, const TacTouchPoint *points) {
    double touching = INFINITY, of_all = INFINITY;
    for (uint32_t i = 0; i < b->patches[l]->count; i++) {
        double v = tac_dot(get(&b->normal, l), velocity_between(b, l, points[i].at));
        of_all = fmin(of_all, v);
        if (points[i].depth > 0) touching = fmin(touching, v);
    }
    return touching < INFINITY ? touching : of_all;
}

static void push_points(Batch *b, int l, TacTouchPoint *points) {
    TacPatch *patch = b->patches[l];
    double push = 0;
    TacVec3 centre = {0, 0, 0}, middle = {0, 0, 0};
    for (uint32_t i = 0; i < patch->count; i++) {
        TacTouchPoint *p = &points[i];
        double v = tac_dot(patch->normal, velocity_between(b, l, p->at));
        double force = b->k_push[l] * p->depth + b->c[l] * (b->target[l] - v);
        p->push = p->depth > 0 ? p->weight * fmax(0, force) : 0;
        push += p->push;
        centre = tac_axpy(centre, p->push, p->at);
        middle = tac_add(middle, p->at);
    }
    patch->centre = push > 0 ? tac_scale(centre, 1 / push) : tac_scale(middle, 1.0 / patch->count);
    put(&b->centre, l, patch->centre);
    b->push[l] = push;
    b->most[l] = b->between->numbers.friction * push;
}

// --- friction in loose worlds -----------------------------------------------------------------------------

// What turns p into q; small.
static TacVec3 turn_between(TacQuat p, TacQuat q) {
    TacQuat by = tac_quat_mul(q, tac_quat_conjugate(p));
    return tac_scale(tac_vec3(by.x, by.y, by.z), by.w < 0 ? -2 : 2);
}

// How one side has moved since the last look. Where it is says so: its velocity may be shown at two looks, or at none,
// and then what the two sides remember would drift apart.
static Displacement since_last_look(const Batch *b, const Part *p, const Side *s, int l, uint32_t element,
                                    double was[7], bool seen) {
    double now[7] = {0};
    Displacement d = flight(s, l, b->flown[l]);
    place_then(p, s, l, element, now);
    if (p->model->moves && seen) {
        d.moved = tac_sub(tac_load3(now), tac_load3(was));
        if (p->x_size == 7) d.turned = turn_between(tac_load_quat(was + 3), tac_load_quat(now + 3));
    }
    memcpy(was, now, sizeof now);
    return d;
}

// Of B over A: across the normal, at the centre; and about it.
static TacVec3 slide_of(const Batch *b, int l, const Displacement *da, const Displacement *db) {
    TacVec3 at = get(&b->centre, l), n = get(&b->normal, l);
    TacVec3 by = tac_sub(displaced_at(db, &b->b, l, at), displaced_at(da, &b->a, l, at));
    return tac_axpy(by, -tac_dot(by, n), n);
}

static double twist_of(const Batch *b, int l, const Displacement *da, const Displacement *db) {
    return tac_dot(get(&b->normal, l), tac_sub(db->turned, da->turned));
}

static void go_on(Batch *b, int l, TacPatchMore *more) {
    const TacPatchKey *key = &b->patches[l]->key;
    Displacement da = since_last_look(b, &b->part_a, &b->a, l, key->ia, more->was[0], more->seen);
    Displacement db = since_last_look(b, &b->part_b, &b->b, l, key->ib, more->was[1], more->seen);
    bool stopped = !(b->flown[l] > 0);
    put(&b->went, l, stopped ? tac_vec3(0, 0, 0) : slide_of(b, l, &da, &db));
    b->turned[l] = stopped ? 0 : twist_of(b, l, &da, &db);
    b->flown[l] = 0;
    more->seen = 1;
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

// --- friction, with more ----------------------------------------------------------------------------------

// How much of a load has been there for a step. Where looks are closer than the longest step that takes part, what came
// up since the slower side's last step has not: there the mean of an earlier step counts.
static double lasting(const Batch *b, int l, TacPatchMore *more, double load) {
    double before = more->carried;
    more->carried = load;
    if (b->since[l] > 0.999 * b->h) return fmin(before, load);
    more->sum += load * b->since[l];
    more->since += b->since[l];
    double lasts = fmin(load, fmin(more->earlier[0], more->earlier[1]));
    if (more->since < 0.999 * b->h) return lasts;
    more->earlier[1] = more->earlier[0];
    more->earlier[0] = more->sum / more->since;
    more->sum = more->since = 0;
    return lasts;
}

// How B falls as seen from A, along the normal, m/s^2.
static double falling(const Batch *b, int l) {
    double fall = 0;
    if (is_movable(&b->a, l)) fall -= tac_dot(get(&b->normal, l), b->part_a.model->falls);
    if (is_movable(&b->b, l)) fall += tac_dot(get(&b->normal, l), b->part_b.model->falls);
    return fall;
}

// What a point will push with at the end of the step, per weight, as far as the two sides alone know: falling, and giving
// way to it.
static double foreseen(const Batch *b, int l, double depth, double parting) {
    double h = b->h, k = b->k[l], c = b->c[l] + h * k;
    return fmax(0, k * depth - c * (parting + h * falling(b, l))) / (1 + h * c / b->resists[l]);
}

// What a solve makes of a push: what bounces is pulled to its speed, as far as it gives way; of the rest, the spring and
// the damper of the next look are what has been given in the meantime.
static double given_by_solve(const Batch *b, int l, TacPatchMore *more) {
    bool was_solved = more->solved;
    more->solved = !more->moving && !more->bounces;
    if (more->solved) return was_solved ? b->push[l] : 0;
    if (more->moving || are_apart(b, l)) return b->push[l];
    double c = b->h * b->c[l], m = b->resists[l];
    return fmax(0, b->push[l] - c * falling(b, l)) * m / (m + c);
}

// What friction is a part of. Where an implicit solver takes part, the push is what it would be without the solve,
// which may be many times what the solve leaves of it: there the spring counts, and only as far as it was there a step
// ago too. Nor is it more than spring and damper together, which is what the last solve has left, or, while something
// settles, than some weight. It is never less than what is foreseen, so that what is laid down on a slope is held at once.
static double load_of(const Batch *b, int l, TacPatchMore *more, const TacTouchPoint *points) {
    double m = b->resists[l], solved = are_apart(b, l) ? 0 : b->h * b->c[l];
    double load = points ? 0 : fmax(0, b->k[l] * b->depth[l]);
    double soon = points ? 0 : foreseen(b, l, b->depth[l], b->parting[l]);
    for (uint32_t i = 0; points && i < b->patches[l]->count; i++) {
        const TacTouchPoint *p = &points[i];
        load += p->weight * fmax(0, b->k[l] * p->depth);
        soon +=
            p->weight * foreseen(b, l, p->depth, tac_dot(get(&b->normal, l), velocity_between(b, l, p->at)));
    }
    double lasts = lasting(b, l, more, load);
    if (more->bounces) return b->push[l] * m / (m + solved);
    return fmax(soon, fmin(lasts, fmax(b->push[l], 2 * b->mass[l] * b->gravity)));
}

// The drag of the last look, where it slid then.
static TacVec3 slid(const TacPatch *patch, const TacPatchMore *more) {
    return more->sticks ? tac_vec3(0, 0, 0) : patch->drag;
}

// What drag has turned around after a while has stopped on the way: it is held where it was.
static bool has_stopped(const Batch *b, int l, const TacPatchMore *more) {
    return more->slips >= A_WHILE && tac_dot(slid(b->patches[l], more), get(&b->along, l)) > 0;
}

// How friction that slides answers to a change of velocity, for implicit solvers. Coulomb's drag turns with the
// velocity, so it resists whatever is across it. Along it the drag stays as it is, unless it is so large that it might
// not slow the slide but turn it around within the step: then it resists in every direction, and the slide stops; but
// not what has been sliding on for a while, unless it is squeezed by many times its weight.
static void soften(const Batch *b, int l, TacPatchMore *more, TacVec3 was) {
    TacVec3 along = get(&b->along, l);
    double speed = tac_norm(along);
    bool goes_on = tac_dot(was, along) < -0.5 * tac_norm(was) * speed;
    more->slips = goes_on ? (uint16_t)(more->slips + (more->slips < A_WHILE)) : 0;
    more->brake = b->held[l] * (more->c_slide + b->h * more->k);
    bool turns = 2 * b->h * b->most[l] > b->mass[l] * speed;
    bool squeezed = b->most[l] > MANY_WEIGHTS * b->between->numbers.friction * b->mass[l] * b->gravity;
    more->along = turns && (more->slips < A_WHILE || squeezed) ? tac_vec3(0, 0, 0) : tac_unit(along);
}

// The same for turning about the normal: friction that slips may not turn around what it slows.
static double turn_brake(const Batch *b, int l, const TacPatchMore *more, double most, double turning) {
    if (2 * b->h * most <= more->square * b->mass[l] * fabs(turning)) return 0;
    return most / fabs(more->spin) * more->square * (more->c_slide + b->h * more->k);
}

static double turning_of(const Batch *b, int l) {
    return tac_dot(get(&b->normal, l), tac_sub(get(&b->b.w, l), get(&b->a.w, l)));
}

// Friction against turning about the normal.
static void twist(const Batch *b, int l, TacPatchMore *more, const TacTouchPoint *points) {
    double turning = turning_of(b, l);
    more->square = points && b->patches[l]->count > 1 ? spread(b->patches[l], points) : 0;
    if (!(more->square > 0)) return;
    more->twist += b->view ? b->turned[l] : b->seconds * turning;
    more->spin = -more->square * (more->k * more->twist + more->c_slide * turning);
    double most = b->most[l] * sqrt(more->square);
    more->grips = fabs(more->spin) <= most;
    if (more->grips) return;
    more->spin_brake = turn_brake(b, l, more, most, turning);
    more->spin = copysign(most, more->spin);
    more->twist = -(more->spin / more->square + more->c_slide * turning) / more->k;
}

static void add_more(const Batch *b, int l, TacPatchMore *more, const TacTouchPoint *points, TacVec3 was) {
    more->k = b->k[l];
    more->k_push = b->k_push[l];
    more->c = more->bounces && are_apart(b, l) ? 0 : b->c[l];
    more->c_slide = b->c_slide[l];
    if (!(more->k > 0)) return;
    more->sticks = b->held[l] >= 1;
    if (more->sticks)
        more->slips = 0;
    else
        soften(b, l, more, was);
    twist(b, l, more, points);
}

// --- a run ------------------------------------------------------------------------------------------------

static TacPatchMore *more_of(const TacPatches *now, const Batch *b, int l) {
    return &now->mores[b->patches[l]->more_plus_1 - 1];
}

// What has to be known of patches before their stiffness is chosen.
static void prepare(const TacPatches *now, Batch *b, int count) {
    for (int l = 0; b->implicit && l < count; l++)
        come_up(b, l, more_of(now, b, l), points_of(now, b->patches[l]));
    for (int l = 0; b->shapes && l < count; l++)
        put(&b->centre, l, middle_of(b->patches[l], points_of(now, b->patches[l]), false));
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
static void keep_time(const TacPatches *now, Batch *b, int l) {
    bool rests = false;
    if (b->implicit && are_apart(b, l)) {
        TacPatchMore *more = more_of(now, b, l);
        TacVec3 at = get(&b->centre, l);
        double speed = fmax(tac_norm(velocity_at(&b->a, l, at)), tac_norm(velocity_at(&b->b, l, at)));
        more->moving = speed > 4 * b->gravity * b->h;
        bool bounces = b->hit[l] > 0 && isnan(b->between->numbers.damping);
        rests = b->period > 0 && !more->moving && !bounces;
        more->rests = rests;
    }
    b->asleep[l] = b->waits && !rests;
    b->since[l] = !rests && b->period > 0 && b->seconds > 0 ? b->period : b->seconds;
}

static void push(const TacPatches *now, Batch *b, int count) {
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
static void store_asleep(const TacPatches *now, const Batch *b, int l) {
    TacPatch *patch = b->patches[l];
    patch->slide = get(&b->slide, l);
    patch->push = b->push[l];
    patch->age = (float)b->age[l];
    patch->hit = b->hit[l] > 0;
    if (b->more) more_of(now, b, l)->twist += b->seconds * turning_of(b, l);
}

static void store_awake(const TacPatches *now, const Batch *b, int l) {
    TacPatch *patch = b->patches[l];
    TacVec3 was = b->more ? slid(patch, more_of(now, b, l)) : tac_vec3(0, 0, 0);
    store(b, l, b->implicit ? given_by_solve(b, l, more_of(now, b, l)) : b->push[l]);
    if (b->more) add_more(b, l, more_of(now, b, l), points_of(now, patch), was);
}

static void respond_batch(const TacPatches *now, Batch *b, int count) {
    double friction = b->between->numbers.friction;
    prepare(now, b, count);
    push(now, b, count);
    if (b->shapes) part(b); // friction acts at the centre of pushes
    for (int l = 0; b->more && l < count; l++) {
        TacPatchMore *more = more_of(now, b, l);
        if (b->asleep[l]) continue;
        if (b->implicit && !more->moving)
            b->most[l] = friction * load_of(b, l, more, points_of(now, b->patches[l]));
        if (has_stopped(b, l, more)) b->flown[l] = 0;
        if (b->view) go_on(b, l, more);
    }
    for (int l = 0; b->view && l < count; l++)
        put(&b->slide, l, tac_add(get(&b->slide, l), get(&b->went, l)));
    for (int l = 0; l < count; l++)
        if (b->asleep[l]) b->most[l] = INFINITY;
    rub(b);
    for (int l = 0; l < count; l++) (b->asleep[l] ? store_asleep : store_awake)(now, b, l);
}

static Batch batch_of(const TacTouch *touch, const TacPatch *first, double seconds) {
    uint32_t model_a = touch->objects[first->key.a].model, model_b = touch->objects[first->key.b].model;
    const TacTouchModel *p = &touch->models[model_a], *q = &touch->models[model_b];
    Batch b = {.between = tac_touch_between(touch, model_a, model_b),
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
    Batch b = batch_of(touch, &now->patches[first], seconds);
    int count = 0;
    for (uint32_t i = first; i < end; i++) {
        if (now->patches[i].count == 0) continue;
        load(&b, count++, &now->patches[i]);
        if (count < LANES) continue;
        respond_batch(now, &b, LANES);
        count = 0;
    }
    if (count) respond_batch(now, &b, count);
}
