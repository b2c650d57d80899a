// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact of balls: with each other, and with convex shapes.
//
// The balls of a model lie in rows of cubes (geometry/ball_rows.h; D. J. Kim, L. J. Guibas, S. Y. Shin, 1997, the
// document's internal voxel grid), so that a ball is compared only with those in the cubes that it reaches.
//
// Depths: two balls r1 + r2 - d; a ball and a sphere, capsule, box or half-space in closed form; other shapes by EPA.

#include "contact/touch.h"

#include "base/team.h"

enum { CHUNK = 512 }; // balls

static TacVec3 centre_of(const TacTouchModel *m, size_t ball) {
    const TacMatter *matter = m->model->matter;
    return tac_load3(matter->vectors[TAC_X_SHOWN] + ball * (size_t)matter->position_size);
}

static double radius_of(const TacTouchModel *m, size_t ball) {
    return ((const TacBallsModel *)m->model)->radii[ball];
}

static bool heavy(const TacTouchModel *m, size_t ball) {
    return !m->moves || !(m->masses[ball] < INFINITY);
}

// --- depths -----------------------------------------------------------------------------------------------

static TacVec3 some_direction(TacVec3 v, double length) {
    return length > 0 ? tac_scale(v, 1 / length) : tac_vec3(0, 1, 0);
}

// A ball and the nearest point of a core, `margin` around it.
static bool hit_core(TacVec3 ball, double radius, TacVec3 nearest, double margin, TacTouchHit *hit) {
    TacVec3 d = tac_sub(ball, nearest);
    double length = tac_norm(d);
    hit->depth = radius + margin - length;
    hit->normal = some_direction(d, length);
    hit->point = tac_axpy(nearest, margin - 0.5 * hit->depth, hit->normal);
    return hit->depth > 0;
}

// A centre inside a box leaves through the nearest face.
static bool hit_from_inside(TacVec3 half, TacVec3 ball, double radius, double margin, TacTouchHit *hit) {
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

static bool hit_general(const TacConvex *shape, TacVec3 ball, double radius, TacTouchHit *hit) {
    TacConvex sphere = tac_convex_sphere(radius);
    TacConvexPair pair = {shape, &sphere, {{0, 0, 0}, {0, 0, 0, 1}}, {ball, {0, 0, 0, 1}}};
    TacConvexPenetration p = tac_convex_penetration(&pair, NULL);
    if (p.state != TAC_CONVEX_OVERLAPPING) return false;
    hit->depth = p.depth;
    hit->normal = p.normal;
    hit->point = tac_scale(tac_add(p.point_a, p.point_b), 0.5);
    return p.depth > 0;
}

// All in the shape's frame.
static bool hit_shape(const TacConvex *shape, TacVec3 ball, double radius, TacTouchHit *hit) {
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

// --- a shape and balls ------------------------------------------------------------------------------------

typedef struct ShapeCall {
    const TacTouchObject *object;
    const TacTouchModel *balls;
    const TacConvex *shape;
    double extra;
    TacTouchList *list;
} ShapeCall;

static bool hit_ball(void *data, uint32_t ball) {
    const ShapeCall *c = data;
    const TacPose *pose = &c->object->pose;
    TacTouchList *list = c->list;
    TacTouchHit hit = {.ball = ball};
    if (!c->object->moves && heavy(c->balls, ball)) return true;
    TacVec3 local = tac_rotate_back(pose->rotation, tac_sub(centre_of(c->balls, ball), pose->position));
    if (!hit_shape(c->shape, local, radius_of(c->balls, ball) + c->extra, &hit)) return true;
    hit.normal = tac_rotate(pose->rotation, hit.normal);
    hit.point = tac_add(pose->position, tac_rotate(pose->rotation, hit.point));
    if (!tac_grow(&list->hits, &list->hit_capacity, list->hit_count + 1, sizeof *list->hits)) return false;
    list->hits[list->hit_count++] = hit;
    return true;
}

static int compare_hits(const void *a, const void *b) {
    uint32_t p = ((const TacTouchHit *)a)->ball, q = ((const TacTouchHit *)b)->ball;
    return p < q ? -1 : p > q;
}

// Few by insertion: they mostly come in order.
static void sort_hits(TacTouchHit *hits, size_t count) {
    if (count > 64) {
        qsort(hits, count, sizeof *hits, compare_hits);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        TacTouchHit hit = hits[i];
        size_t k = i;
        for (; k > 0 && hits[k - 1].ball > hit.ball; k--) hits[k] = hits[k - 1];
        hits[k] = hit;
    }
}

bool tac_touch_shape_and_balls(const TacTouch *touch, TacTouchJob *job, TacTouchList *list) {
    bool first = tac_touch_are_balls(touch, job->a);
    uint32_t shape = first ? job->b : job->a, balls = touch->objects[first ? job->a : job->b].model;
    const TacTouchObject *o = &touch->objects[shape];
    ShapeCall call = {.object = o,
                      .balls = &touch->models[balls],
                      .shape = &((const TacShapeModel *)touch->models[o->model].model)->convex,
                      .extra = tac_touch_between(touch, o->model, balls)->extra,
                      .list = list};
    const TacKdop *bounds = &touch->zones->objects[shape].bounds;
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = bounds->low[k] - fmax(0, call.extra);
        high[k] = bounds->high[k] + fmax(0, call.extra);
    }
    job->first = (uint32_t)list->hit_count;
    if (!tac_ball_rows_near(&call.balls->rows, low, high, hit_ball, &call)) return false;
    job->count = (uint32_t)(list->hit_count - job->first);
    if (job->count) sort_hits(list->hits + job->first, job->count);
    return true;
}

// --- balls ------------------------------------------------------------------------------------------------

static int compare_pairs(const void *a, const void *b) {
    const TacBallPair *p = a, *q = b;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

// Takes out pairs of which neither can move.
static void keep_light(const TacTouchModel *p, const TacTouchModel *q, TacBallPairs *pairs, size_t first) {
    if (p->moves && q->moves && !p->heavy && !q->heavy) return;
    size_t kept = first;
    for (size_t i = first; i < pairs->count; i++)
        if (!heavy(p, pairs->items[i].a) || !heavy(q, pairs->items[i].b))
            pairs->items[kept++] = pairs->items[i];
    pairs->count = kept;
}

typedef struct BallCall {
    const TacTouchModel *other;
    TacVec3 centre;
    double reach; // radius and extra
    uint32_t ball;
    TacBallPairs *pairs;
} BallCall;

static bool meet_ball(void *data, uint32_t ball) {
    const BallCall *c = data;
    TacBallPairs *pairs = c->pairs;
    TacVec3 d = tac_sub(centre_of(c->other, ball), c->centre);
    double reach = c->reach + radius_of(c->other, ball);
    if (!(tac_dot(d, d) < reach * reach)) return true;
    if (!tac_grow(&pairs->items, &pairs->capacity, pairs->count + 1, sizeof *pairs->items)) return false;
    pairs->items[pairs->count++] = (TacBallPair){c->ball, ball};
    return true;
}

// The balls of one model, one after the other, with those of another.
static bool two_models(const TacTouchModel *p, const TacTouchModel *q, double extra, TacBallPairs *pairs) {
    for (uint32_t i = 0; i < p->count; i++) {
        BallCall call = {q, centre_of(p, i), radius_of(p, i) + extra, i, pairs};
        TacVec3 c = call.centre;
        double r = radius_of(p, i) + fmax(0, extra);
        const double low[3] = {c.x - r, c.y - r, c.z - r}, high[3] = {c.x + r, c.y + r, c.z + r};
        if (!tac_ball_rows_near(&q->rows, low, high, meet_ball, &call)) return false;
    }
    return true;
}

bool tac_touch_balls(const TacTouch *touch, TacTouchJob *job, TacTouchList *list) {
    uint32_t ma = touch->objects[job->a].model, mb = touch->objects[job->b].model;
    const TacTouchModel *p = &touch->models[ma], *q = &touch->models[mb];
    double extra = tac_touch_between(touch, ma, mb)->extra;
    TacBallPairs *pairs = &list->pairs;
    job->first = (uint32_t)pairs->count;
    bool fine = job->a == job->b ? tac_ball_rows_pairs(&p->rows, 0, p->rows.row_count, extra, pairs)
                                 : two_models(p, q, extra, pairs);
    if (!fine) return false;
    keep_light(p, q, pairs, job->first);
    job->count = (uint32_t)(pairs->count - job->first);
    if (job->count > 1) qsort(pairs->items + job->first, job->count, sizeof *pairs->items, compare_pairs);
    return true;
}

// --- many balls -------------------------------------------------------------------------------------------

typedef struct ManyCall {
    const TacTouchModel *model;
    TacTouchList *lists;
    double extra;
} ManyCall;

static void run_rows(void *data, size_t begin, size_t end, size_t chunk) {
    const ManyCall *c = data;
    const TacBallRows *rows = &c->model->rows;
    TacTouchList *list = &c->lists[chunk];
    list->pairs.count = 0;
    list->full = !tac_ball_rows_pairs(rows, tac_ball_rows_at(rows, begin), tac_ball_rows_at(rows, end),
                                      c->extra, &list->pairs);
    if (!list->full) keep_light(c->model, c->model, &list->pairs, 0);
}

// Counting sort by the first ball; those of one ball, few, by insertion.
static bool sort_pairs(TacNarrow *n, size_t chunks, size_t balls, TacTouchJob *job) {
    size_t total = 0;
    for (size_t i = 0; i < chunks; i++) total += n->lists[i].pairs.count;
    if (n->sorted_count + total > UINT32_MAX / 2 ||
        !tac_grow(&n->sorted, &n->sorted_capacity, n->sorted_count + total, sizeof *n->sorted) ||
        !tac_grow(&n->starts, &n->start_capacity, balls + 1, sizeof *n->starts))
        return false;
    TacBallPair *to = n->sorted + n->sorted_count;
    memset(n->starts, 0, (balls + 1) * sizeof *n->starts);
    for (size_t c = 0; c < chunks; c++)
        for (size_t i = 0; i < n->lists[c].pairs.count; i++) n->starts[n->lists[c].pairs.items[i].a + 1]++;
    for (size_t i = 0; i < balls; i++) n->starts[i + 1] += n->starts[i];
    for (size_t c = 0; c < chunks; c++)
        for (size_t i = 0; i < n->lists[c].pairs.count; i++) {
            TacBallPair pair = n->lists[c].pairs.items[i];
            to[n->starts[pair.a]++] = pair;
        }
    for (size_t i = 1; i < total; i++) {
        TacBallPair pair = to[i];
        size_t at = i;
        for (; at > 0 && to[at - 1].a == pair.a && to[at - 1].b > pair.b; at--) to[at] = to[at - 1];
        to[at] = pair;
    }
    *job = (TacTouchJob){.a = job->a,
                         .b = job->b,
                         .list = UINT32_MAX,
                         .cache = UINT32_MAX,
                         .first = (uint32_t)n->sorted_count,
                         .count = (uint32_t)total};
    n->sorted_count += total;
    return true;
}

bool tac_touch_many_balls(TacTouch *touch, TacTeam *team, TacTouchJob *job) {
    TacNarrow *n = &touch->narrow;
    uint32_t m = touch->objects[job->a].model;
    ManyCall call = {&touch->models[m], NULL, tac_touch_between(touch, m, m)->extra};
    size_t chunks = tac_chunks(call.model->count, CHUNK);
    if (!tac_narrow_grow_lists(n, chunks)) return false;
    call.lists = n->lists;
    tac_team_run(team, call.model->count, CHUNK, run_rows, &call);
    for (size_t i = 0; i < chunks; i++)
        if (n->lists[i].full) return false;
    return sort_pairs(n, chunks, call.model->count, job);
}
