// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What patches push with: springs and dampers along the normal, Coulomb friction across. See touch.h.
//
// Eight patches at a time lie side by side in a *batch*, number by number, so that a compiler can take them as wide
// numbers: all loops over lanes are short, have a fixed count and no branches. What only patches of several points and
// implicit agents need is done patch by patch, between these loops.

#include "contact/touch.h"

enum { LANES = 8 };

typedef double Wide[LANES];

typedef struct Wide3 {
    Wide x, y, z;
} Wide3;

// One model's part in a run of patches.
typedef struct Part {
    const TacTouchModel *model;
    const uint32_t *frame; // of a shape's elements; NULL: balls
    const double *x, *v;
    size_t x_size, v_size;
    double k, c, c_slide; // per kg: what its explicit solver bears
    double chosen;        // per kg: the stiffness of a contact whose material names none
} Part;

// One side of eight patches.
typedef struct Side {
    Wide3 x, v, w;    // place, velocity, angular velocity of its point or frame
    Wide mass, share; // infinite: nothing moves it, or nothing limits it
} Side;

typedef struct Batch {
    const TacTouchNumbers *between;
    Part part_a, part_b;
    double seconds; // since the last look
    bool implicit;
    // of each patch
    TacPatch *patches[LANES];
    Side a, b;
    Wide3 normal, centre, slide, along, drag;
    Wide single;              // 1, or 0.5 where there are several points
    Wide depth, push, most;   // most: what friction can hold
    Wide k, c, c_slide, mass; // stiffness and dampers, reduced mass
    Wide held;                // the part of what friction would need that it can hold, at most 1
} Batch;

static Part part_of(const TacTouch *touch, uint32_t object) {
    const TacTouchModel *m = &touch->models[touch->objects[object].model];
    const TacMatter *matter = m->model->matter;
    double h = m->step;
    bool shape = m->model->base.cls == &tac_shape_model_class;
    return (Part){.model = m,
                  .frame = shape ? ((const TacShapeModel *)m->model)->frame : NULL,
                  .x = matter->vectors[TAC_X_SHOWN],
                  .v = matter->vectors[TAC_V_SHOWN],
                  .x_size = (size_t)matter->position_size,
                  .v_size = (size_t)matter->velocity_size,
                  .k = 0.5 * m->bears / (h * h),
                  .c = 0.4 / h,
                  .c_slide = 0.1 / h,
                  .chosen = (m->implicit ? 1 : 0.1 * m->bears) / (h * h)};
}

// A side with n contacts bears a share of its mass in each.
void tac_touch_share(TacTouchModel *m) {
    bool limited = m->moves && !m->implicit;
    for (size_t i = 0; i < m->count; i++)
        m->shares[i] = limited ? m->masses[i] / (m->loads[i] > 1 ? (double)m->loads[i] : 1) : INFINITY;
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
    const double *v = p->v + place * p->v_size;
    put(&s->x, l, tac_load3(p->x + place * p->x_size));
    put(&s->v, l, tac_load3(v));
    put(&s->w, l, p->v_size == 6 ? tac_load3(v + 3) : tac_vec3(0, 0, 0));
    s->mass[l] = p->model->moves ? p->model->masses[element] : INFINITY;
    s->share[l] = p->model->shares[element];
}

static inline void load(Batch *b, int l, TacPatch *patch) {
    b->patches[l] = patch;
    load_side(&b->a, l, &b->part_a, patch->key.ia);
    load_side(&b->b, l, &b->part_b, patch->key.ib);
    put(&b->normal, l, patch->normal);
    put(&b->centre, l, patch->centre);
    put(&b->slide, l, patch->slide);
    b->depth[l] = patch->depth;
    b->single[l] = patch->count > 1 ? 0.5 : 1;
}

static inline double least(double a, double b) {
    return a < b ? a : b;
}

// Of the two masses; infinite with infinite gives infinite.
static inline double reduced(double a, double b) {
    double both = a * b / (a + b);
    return a < INFINITY ? (b < INFINITY ? both : a) : b;
}

// Stiffness and dampers. What explicit solvers bear limits them; patches of several points also turn what they push:
// half as much there. Where the material names no stiffness it is what the lighter side can be stepped with.
static void choose(Batch *b) {
    const TacContactNumbers *n = &b->between->numbers;
    bool damping_given = !isnan(n->damping);
    double ratio = 2 * b->between->ratio, given_c = damping_given ? n->damping : 0;
    double given_k = n->stiffness;
    const Part p = b->part_a, q = b->part_b;
    for (int l = 0; l < LANES; l++) {
        double of_a = b->single[l] * b->a.share[l], of_b = b->single[l] * b->b.share[l];
        double light = least(p.chosen * b->a.mass[l], q.chosen * b->b.mass[l]);
        double k = given_k > 0 ? given_k : (light < INFINITY ? light : 0);
        k = least(k, least(p.k * of_a, q.k * of_b));
        b->mass[l] = reduced(b->a.mass[l], b->b.mass[l]);
        double critical = sqrt(k * b->mass[l]);
        double c = damping_given ? given_c : ratio * critical;
        b->k[l] = k;
        b->c[l] = least(c, least(p.c * of_a, q.c * of_b));
        b->c_slide[l] = least(critical, least(p.c_slide * of_a, q.c_slide * of_b));
    }
}

// How fast B moves past A at the centres: along the normal into `parting`, across it into `along`.
static void part(Batch *b, Wide parting) {
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
        parting[l] = v;
        b->along.x[l] = vx - v * nx;
        b->along.y[l] = vy - v * ny;
        b->along.z[l] = vz - v * nz;
    }
}

// What patches of one point push with. Where an implicit solver takes part, the damper's share of the push is what it
// would be without the solve, which may be many times what the solve leaves of it: there friction is a part of what the
// spring alone pushes.
static void push_lanes(Batch *b, const Wide parting) {
    bool implicit = b->implicit;
    double friction = b->between->numbers.friction;
    for (int l = 0; l < LANES; l++) {
        double spring = b->k[l] * b->depth[l], push = spring - b->c[l] * parting[l];
        push = push > 0 ? push : 0;
        push = b->depth[l] > 0 ? push : 0;
        spring = spring > 0 ? spring : 0;
        b->push[l] = push;
        b->most[l] = friction * (implicit ? spring : push);
    }
}

// Friction. The slide that is remembered turns with the patch (the part across the normal, as long as before) and goes
// on; what it and the damper would hold is cut off at `most`, and then the slide is what that force stands for.
static void rub(Batch *b) {
    double h = b->seconds;
    for (int l = 0; l < LANES; l++) {
        double nx = b->normal.x[l], ny = b->normal.y[l], nz = b->normal.z[l];
        double sx = b->slide.x[l], sy = b->slide.y[l], sz = b->slide.z[l];
        double k = b->k[l], c = b->c_slide[l], most = b->most[l];
        double ux = b->along.x[l], uy = b->along.y[l], uz = b->along.z[l];
        double was = sx * sx + sy * sy + sz * sz, out = sx * nx + sy * ny + sz * nz;
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

static inline void store(const Batch *b, int l) {
    TacPatch *patch = b->patches[l];
    patch->slide = get(&b->slide, l);
    patch->drag = get(&b->drag, l);
    patch->push = b->push[l];
    patch->impulse += b->push[l] * b->seconds;
}

// --- several points ---------------------------------------------------------------------------------------

static TacVec3 velocity_at(const Side *s, int l, TacVec3 at) {
    return tac_add(get(&s->v, l), tac_cross(get(&s->w, l), tac_sub(at, get(&s->x, l))));
}

static void push_points(Batch *b, int l, TacTouchPoint *points) {
    TacPatch *patch = b->patches[l];
    double push = 0, spring = 0;
    TacVec3 centre = {0, 0, 0}, middle = {0, 0, 0};
    for (uint32_t i = 0; i < patch->count; i++) {
        TacTouchPoint *p = &points[i];
        TacVec3 v = tac_sub(velocity_at(&b->b, l, p->at), velocity_at(&b->a, l, p->at));
        double force = b->k[l] * p->depth - b->c[l] * tac_dot(patch->normal, v);
        p->push = p->depth > 0 ? p->weight * fmax(0, force) : 0;
        push += p->push;
        spring += p->weight * fmax(0, b->k[l] * p->depth);
        centre = tac_axpy(centre, p->push, p->at);
        middle = tac_add(middle, p->at);
    }
    patch->centre = push > 0 ? tac_scale(centre, 1 / push) : tac_scale(middle, 1.0 / patch->count);
    put(&b->centre, l, patch->centre);
    b->push[l] = push;
    b->most[l] = b->between->numbers.friction * (b->implicit ? spring : push);
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
static void soften(const Batch *b, int l, TacPatchMore *more) {
    const TacTouchModel *p = b->part_a.model, *q = b->part_b.model;
    double h = fmax(p->implicit ? p->step : 0, q->implicit ? q->step : 0);
    TacVec3 along = get(&b->along, l);
    more->brake = b->held[l] * (more->c_slide + h * more->k);
    more->along = 2 * h * b->most[l] > b->mass[l] * tac_norm(along) ? tac_vec3(0, 0, 0) : tac_unit(along);
}

static void add_more(const Batch *b, int l, TacPatchMore *more, const TacTouchPoint *points) {
    more->k = b->k[l];
    more->c = b->c[l];
    more->c_slide = b->c_slide[l];
    if (!(more->k > 0)) return;
    more->sticks = b->held[l] >= 1;
    if (!(more->sticks > 0)) soften(b, l, more);
    double turning = tac_dot(get(&b->normal, l), tac_sub(get(&b->b.w, l), get(&b->a.w, l)));
    twist(b->patches[l], more, points, turning, b->most[l], b->seconds);
}

// --- a run ------------------------------------------------------------------------------------------------

static TacTouchPoint *points_of(const TacPatches *now, const TacPatch *patch) {
    if (!patch->cache_plus_1) return NULL;
    return &now->points[TAC_CONVEX_CONTACTS * (size_t)(patch->cache_plus_1 - 1)];
}

static void respond_batch(TacPatches *now, Batch *b, int count) {
    Wide parting;
    choose(b);
    part(b, parting);
    push_lanes(b, parting);
    bool moved = false;
    for (int l = 0; l < count; l++)
        if (b->patches[l]->cache_plus_1) {
            push_points(b, l, points_of(now, b->patches[l]));
            moved = true;
        }
    if (moved) part(b, parting); // friction acts at the centre of pushes
    rub(b);
    for (int l = 0; l < count; l++) {
        TacPatch *patch = b->patches[l];
        store(b, l);
        if (patch->more_plus_1) add_more(b, l, &now->mores[patch->more_plus_1 - 1], points_of(now, patch));
    }
}

void tac_touch_respond(TacTouch *touch, uint32_t first, uint32_t end, double seconds) {
    TacPatches *now = &touch->now;
    const TacPatchKey *key = &now->patches[first].key;
    Batch b = {.between =
                   tac_touch_between(touch, touch->objects[key->a].model, touch->objects[key->b].model),
               .part_a = part_of(touch, key->a),
               .part_b = part_of(touch, key->b),
               .seconds = seconds};
    b.implicit = b.part_a.model->implicit || b.part_b.model->implicit;
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
