// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact of balls: with each other, and with convex shapes.
//
// All balls of a model are sorted into a grid of cubes as wide as its largest ball (D. J. Kim, L. J. Guibas, S. Y.
// Shin, 1997; the document's internal voxel grid). Cubes are found by hashing, so the grid costs memory for the balls
// only, wherever they are. A ball in question is compared with those in the cubes that it reaches.
//
// Depths: two balls r1 + r2 - d; a ball and a sphere, capsule, box or half-space in closed form; other shapes by EPA.

#include "contact/touch.h"

typedef struct TacBallGrid {
    double cube;     // edge, m
    size_t slots;    // a power of two
    uint32_t *start; // of each slot, in `items`; one more at the end
    uint32_t *items; // balls, ascending within a slot
    int32_t *at;     // the cube of each ball, three numbers
    int32_t low[3], high[3];
} TacBallGrid;

bool tac_touch_alloc_grid(TacTouchModel *model, TacArena *arena) {
    TacBallGrid *grid = tac_arena_alloc(arena, sizeof *grid);
    if (!grid) return false;
    grid->slots = 16;
    while (grid->slots < model->count) grid->slots *= 2;
    grid->start = tac_arena_array(arena, grid->slots + 1, sizeof *grid->start);
    grid->items = tac_arena_array(arena, model->count, sizeof *grid->items);
    grid->at = tac_arena_array(arena, 3 * model->count, sizeof *grid->at);
    model->grid = grid;
    return grid->start && grid->items && grid->at;
}

static size_t slot_of(const TacBallGrid *grid, int32_t x, int32_t y, int32_t z) {
    uint32_t h = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    return (h ^ h >> 15) & (grid->slots - 1);
}

static int32_t cube_of(const TacBallGrid *grid, double x) {
    double c = floor(x / grid->cube);
    return c > -1e9 ? (c < 1e9 ? (int32_t)c : 1000000000) : -1000000000;
}

static TacVec3 centre_of(const TacTouchModel *m, size_t ball) {
    const TacMatter *matter = m->model->matter;
    return tac_load3(matter->vectors[TAC_X_SHOWN] + ball * (size_t)matter->position_size);
}

static double radius_of(const TacTouchModel *m, size_t ball) {
    return ((const TacBallsModel *)m->model)->radii[ball];
}

void tac_touch_build_grid(TacTouchModel *model) {
    TacBallGrid *grid = model->grid;
    grid->cube = 2 * ((const TacBallsModel *)model->model)->largest;
    memset(grid->start, 0, (grid->slots + 1) * sizeof *grid->start);
    for (int k = 0; k < 3; k++) {
        grid->low[k] = INT32_MAX;
        grid->high[k] = INT32_MIN;
    }
    for (size_t i = 0; i < model->count; i++) {
        TacVec3 c = centre_of(model, i);
        const double x[3] = {c.x, c.y, c.z};
        int32_t *at = grid->at + 3 * i;
        for (int k = 0; k < 3; k++) {
            at[k] = cube_of(grid, x[k]);
            if (at[k] < grid->low[k]) grid->low[k] = at[k];
            if (at[k] > grid->high[k]) grid->high[k] = at[k];
        }
        grid->start[slot_of(grid, at[0], at[1], at[2]) + 1]++;
    }
    for (size_t s = 0; s < grid->slots; s++) grid->start[s + 1] += grid->start[s];
    // backwards, so that a slot's balls ascend and start[] ends up where it began
    for (size_t i = model->count; i-- > 0;) {
        const int32_t *at = grid->at + 3 * i;
        size_t s = slot_of(grid, at[0], at[1], at[2]);
        grid->items[--grid->start[s + 1]] = (uint32_t)i;
    }
    // start[s + 1] is now the beginning of slot s
    memmove(grid->start, grid->start + 1, grid->slots * sizeof *grid->start);
    grid->start[grid->slots] = (uint32_t)model->count;
}

// --- who is near ------------------------------------------------------------------------------------------

static void sort_few(uint32_t *ids, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t id = ids[i];
        size_t k = i;
        for (; k > 0 && ids[k - 1] > id; k--) ids[k] = ids[k - 1];
        ids[k] = id;
    }
}

static int compare_ids(const void *a, const void *b) {
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

// Balls from `first` on in the cubes that a box reaches, ascending; false: no memory.
static bool find_near(TacTouch *touch, const TacTouchModel *m, const double low[3], const double high[3],
                      uint32_t first, size_t *found) {
    const TacBallGrid *grid = m->grid;
    int32_t a[3], b[3];
    double cubes = 1;
    *found = 0;
    if (!tac_grow(&touch->nearby, &touch->nearby_capacity, m->count, sizeof *touch->nearby)) return false;
    for (int k = 0; k < 3; k++) {
        a[k] = cube_of(grid, low[k] - 0.5 * grid->cube);
        b[k] = cube_of(grid, high[k] + 0.5 * grid->cube);
        if (a[k] < grid->low[k]) a[k] = grid->low[k];
        if (b[k] > grid->high[k]) b[k] = grid->high[k];
        if (a[k] > b[k]) return true;
        cubes *= (double)b[k] - a[k] + 1;
    }
    if (cubes > (double)m->count) {
        for (uint32_t i = first; i < m->count; i++) touch->nearby[(*found)++] = i;
        return true;
    }
    for (int32_t x = a[0]; x <= b[0]; x++)
        for (int32_t y = a[1]; y <= b[1]; y++)
            for (int32_t z = a[2]; z <= b[2]; z++) {
                size_t s = slot_of(grid, x, y, z);
                for (uint32_t i = grid->start[s]; i < grid->start[s + 1]; i++) {
                    uint32_t ball = grid->items[i];
                    const int32_t *at = grid->at + 3 * (size_t)ball;
                    if (ball >= first && at[0] == x && at[1] == y && at[2] == z)
                        touch->nearby[(*found)++] = ball;
                }
            }
    if (*found < 32)
        sort_few(touch->nearby, *found);
    else
        qsort(touch->nearby, *found, sizeof *touch->nearby, compare_ids);
    return true;
}

// --- depths -----------------------------------------------------------------------------------------------

typedef struct Hit {
    double depth;
    TacVec3 normal; // unit, away from the shape, towards the ball
    TacVec3 point;  // in the middle between the two surfaces
} Hit;

static TacVec3 some_direction(TacVec3 v, double length) {
    return length > 0 ? tac_scale(v, 1 / length) : tac_vec3(0, 1, 0);
}

// A ball and the nearest point of a core, `margin` around it.
static bool hit_core(TacVec3 ball, double radius, TacVec3 nearest, double margin, Hit *hit) {
    TacVec3 d = tac_sub(ball, nearest);
    double length = tac_norm(d);
    hit->depth = radius + margin - length;
    hit->normal = some_direction(d, length);
    hit->point = tac_axpy(nearest, margin - 0.5 * hit->depth, hit->normal);
    return hit->depth > 0;
}

// A centre inside a box leaves through the nearest face.
static bool hit_from_inside(TacVec3 half, TacVec3 ball, double radius, double margin, Hit *hit) {
    const double h[3] = {half.x, half.y, half.z}, x[3] = {ball.x, ball.y, ball.z};
    double n[3] = {0, 0, 0}, least = INFINITY;
    int axis = 0;
    for (int k = 0; k < 3; k++)
        if (h[k] - fabs(x[k]) < least) {
            least = h[k] - fabs(x[k]);
            axis = k;
        }
    n[axis] = x[axis] < 0 ? -1 : 1;
    hit->normal = tac_load3(n);
    hit->depth = least + margin + radius;
    hit->point = tac_axpy(ball, least + margin - 0.5 * hit->depth, hit->normal);
    return true;
}

static bool hit_general(const TacConvex *shape, TacVec3 ball, double radius, Hit *hit) {
    TacConvex sphere = tac_convex_sphere(radius);
    TacConvexPair pair = {shape, &sphere, {{0, 0, 0}, {0, 0, 0, 1}}, {ball, {0, 0, 0, 1}}};
    TacConvexPenetration p = tac_convex_penetration(&pair, NULL);
    if (p.state != TAC_CONVEX_OVERLAPPING) return false;
    *hit = (Hit){p.depth, p.normal, tac_scale(tac_add(p.point_a, p.point_b), 0.5)};
    return p.depth > 0;
}

// All in the shape's frame.
static bool hit_shape(const TacConvex *shape, TacVec3 ball, double radius, Hit *hit) {
    double margin = shape->rounding;
    switch (shape->kind) {
    case TAC_CONVEX_SPHERE: return hit_core(ball, radius, tac_vec3(0, 0, 0), margin + shape->radius, hit);
    case TAC_CONVEX_CAPSULE: {
        double y = fmax(-shape->half_height, fmin(shape->half_height, ball.y));
        return hit_core(ball, radius, tac_vec3(0, y, 0), margin + shape->radius, hit);
    }
    case TAC_CONVEX_HALF_SPACE:
        hit->depth = radius + margin - ball.y;
        hit->normal = tac_vec3(0, 1, 0);
        hit->point = tac_vec3(ball.x, margin - 0.5 * hit->depth, ball.z);
        return hit->depth > 0;
    case TAC_CONVEX_BOX: {
        TacVec3 h = shape->half;
        TacVec3 near = {fmax(-h.x, fmin(h.x, ball.x)), fmax(-h.y, fmin(h.y, ball.y)),
                        fmax(-h.z, fmin(h.z, ball.z))};
        bool inside = near.x == ball.x && near.y == ball.y && near.z == ball.z;
        return inside ? hit_from_inside(h, ball, radius, margin, hit)
                      : hit_core(ball, radius, near, margin, hit);
    }
    default: return hit_general(shape, ball, radius, hit);
    }
}

// --- patches ----------------------------------------------------------------------------------------------

static bool add_patch(TacTouch *touch, TacPatchKey key, TacVec3 normal, TacVec3 at, double depth) {
    TacPatch *patch = tac_touch_add(touch, key, false);
    if (!patch) return false;
    patch->normal = normal;
    return tac_touch_add_point(touch, patch, at, depth, 1);
}

static bool heavy(const TacTouchModel *m, size_t ball) {
    return !m->moves || !(m->masses[ball] < INFINITY);
}

// One ball of model p with one of model q.
static bool ball_and_ball(TacTouch *touch, TacPatchKey key, const TacTouchModel *p, const TacTouchModel *q,
                          double extra) {
    TacVec3 a = centre_of(p, key.ia), b = centre_of(q, key.ib), d = tac_sub(b, a);
    double ra = radius_of(p, key.ia), reach = ra + radius_of(q, key.ib) + extra;
    double square = tac_dot(d, d);
    if (!(square < reach * reach) || (heavy(p, key.ia) && heavy(q, key.ib))) return true;
    double length = sqrt(square), depth = reach - length;
    TacVec3 n = some_direction(d, length);
    return add_patch(touch, key, n, tac_axpy(a, ra - 0.5 * depth, n), depth);
}

static bool balls_and_balls(TacTouch *touch, uint32_t a, uint32_t b) {
    uint32_t ma = touch->objects[a].model, mb = touch->objects[b].model;
    const TacTouchModel *p = &touch->models[ma], *q = &touch->models[mb];
    double extra = tac_touch_between(touch, ma, mb)->extra;
    for (uint32_t i = 0; i < p->count; i++) {
        TacVec3 c = centre_of(p, i);
        double r = radius_of(p, i) + fmax(0, extra);
        const double low[3] = {c.x - r, c.y - r, c.z - r}, high[3] = {c.x + r, c.y + r, c.z + r};
        size_t found;
        if (!find_near(touch, q, low, high, a == b ? i + 1 : 0, &found)) return false;
        for (size_t k = 0; k < found; k++)
            if (!ball_and_ball(touch, (TacPatchKey){a, b, i, touch->nearby[k]}, p, q, extra)) return false;
    }
    return true;
}

// The balls of one model with one shape; `ball_first`: the balls' object has the lower number.
static bool shape_and_balls(TacTouch *touch, uint32_t shape_object, uint32_t ball_object, bool ball_first) {
    const TacTouchObject *o = &touch->objects[shape_object];
    uint32_t mb = touch->objects[ball_object].model;
    const TacTouchModel *q = &touch->models[mb];
    const TacConvex *shape = &((const TacShapeModel *)touch->models[o->model].model)->convex;
    double extra = tac_touch_between(touch, o->model, mb)->extra;
    const TacKdop *bounds = &touch->zones->objects[shape_object].bounds;
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = bounds->low[k] - fmax(0, extra);
        high[k] = bounds->high[k] + fmax(0, extra);
    }
    size_t found;
    if (!find_near(touch, q, low, high, 0, &found)) return false;
    for (size_t k = 0; k < found; k++) {
        uint32_t ball = touch->nearby[k];
        if (!o->moves && heavy(q, ball)) continue;
        TacVec3 local = tac_rotate_back(o->pose.rotation, tac_sub(centre_of(q, ball), o->pose.position));
        Hit hit;
        if (!hit_shape(shape, local, radius_of(q, ball) + extra, &hit)) continue;
        TacVec3 n = tac_rotate(o->pose.rotation, hit.normal);
        TacVec3 at = tac_add(o->pose.position, tac_rotate(o->pose.rotation, hit.point));
        TacPatchKey key = ball_first ? (TacPatchKey){ball_object, shape_object, ball, o->element}
                                     : (TacPatchKey){shape_object, ball_object, o->element, ball};
        if (!add_patch(touch, key, ball_first ? tac_scale(n, -1) : n, at, hit.depth)) return false;
    }
    return true;
}

bool tac_touch_balls(TacTouch *touch, uint32_t a, uint32_t b) {
    bool shape_a = touch->models[touch->objects[a].model].model->base.cls == &tac_shape_model_class;
    bool shape_b = touch->models[touch->objects[b].model].model->base.cls == &tac_shape_model_class;
    if (shape_a) return shape_and_balls(touch, a, b, false);
    return shape_b ? shape_and_balls(touch, b, a, true) : balls_and_balls(touch, a, b);
}
