// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Courses and boxes. A vertex's course is a straight line through a window of time and a tube around it in which its
// plans stay; a primitive's moving box holds its vertices' courses, wide enough that primitives whose boxes stay apart
// are farther apart than any layer reaches. Only a vertex that leaves its course moves leaves of the trees, and only
// those around it; at the end of a window all that move do so together.

#include "contact/safe_parts.h"
#include "geometry/slant.h"

static TacSlant find_slant(const TacSafe *safe) {
    TacSlantSum sum = {0};
    for (size_t i = 0; i < safe->edge_count; i++) {
        const TacPrimitive *edge = &safe->primitives[tac_safe_first_of(safe, TAC_PRIMITIVE_EDGE) + i];
        double x[2][3];
        for (int k = 0; k < 2; k++) {
            const TacVertex *v = &safe->vertices[edge->v[k]];
            tac_safe_place(safe, edge->v[k],
                           *tac_support_time(&safe->supports[tac_safe_carrier(safe, v, 0).support]), x[k]);
        }
        tac_slant_add(&sum, tac_load3(x[0]), tac_load3(x[1]));
    }
    return tac_slant_of(&sum);
}

// The directions of a box's numbers, read off the boxes of three points; and turned, where what is there lies askew.
void tac_safe_find_directions(TacSafe *safe) {
    TacSlant slant = find_slant(safe);
    double reach[TAC_DOP_MOST][3];
    for (int axis = 0; axis < 3; axis++) {
        TacDop box = tac_dop_empty();
        tac_dop_add_ball(&box, safe->def.k, tac_vec3(axis == 0, axis == 1, axis == 2), 0);
        for (int j = 0; j < safe->def.k; j++) reach[j][axis] = round((double)box.reach[j]);
    }
    for (int j = 0; j < safe->def.k; j++) {
        TacVec3 d = tac_vec3(0, 0, 0);
        for (int axis = 0; axis < 3; axis++) d = tac_axpy(d, reach[j][axis], slant.axes[axis]);
        tac_store3(safe->directions[j], d);
    }
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What rounding is measured by.
static double size_along(const double d[3], const double x[3]) {
    return fabs(d[0] * x[0]) + fabs(d[1] * x[1]) + fabs(d[2] * x[2]);
}

static double sum_norm(const double d[3]) {
    return fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
}

// --- courses ----------------------------------------------------------------------------------------------

// How far the plan's tube reaches from the course at one of its ends.
static double off_course(const TacSafe *safe, uint32_t vertex, TacTick now, double c[3]) {
    const TacSwept *course = &safe->courses[vertex];
    double u[3], rho, off = 0, size = 0;
    double span = (double)(safe->boxes_until - safe->boxes_from), s = (double)(now - safe->boxes_from) / span;
    tac_plan_at(safe, vertex, now, c, u, &rho);
    for (int k = 0; k < 3; k++) {
        double way = (double)course->way[k];
        off = tac_larger(off, fabs(c[k] - course->c[k] - s * way));
        size = tac_larger(size, 2 * fabs(course->c[k]) + fabs(way));
    }
    return off + rho + 1e-14 * size;
}

double tac_safe_bulge(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const double *g = safe->vertices[vertex].g;
    double t = tac_safe_seconds(safe, safe->sweep_until - now);
    return 0.125 * t * t * tac_larger(fabs(g[0]), tac_larger(fabs(g[1]), fabs(g[2])));
}

bool tac_safe_on_course(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacSwept *course = &safe->courses[vertex];
    double c[3], room = (double)course->rho - tac_safe_bulge(safe, vertex, now);
    TacTick end = tac_plan_end(safe, vertex);
    return off_course(safe, vertex, now, c) <= room && off_course(safe, vertex, end, c) <= room;
}

// The least that is worth while.
static double least_wanted(const TacSafe *safe) {
    return 0.02 * safe->most_eta;
}

bool tac_safe_is_wide(const TacSafe *safe, uint32_t vertex, TacTick now) {
    const TacSwept *course = &safe->courses[vertex];
    double c[3], enough = 0.3 * (double)course->rho;
    if (!((double)course->wanted > 1.01 * least_wanted(safe))) return false;
    return off_course(safe, vertex, now, c) < enough &&
           off_course(safe, vertex, tac_plan_end(safe, vertex), c) < enough;
}

// As wide as its history asks for: wider when it was left before the window ended, narrower when it was too wide. To be
// left costs as much as some thousand certificates, so it should be left in one window out of twenty. One that holds beyond its
// window is asked seldom.
static void choose_course_width(const TacSafe *safe, uint32_t vertex, bool whole, const double c[3]) {
    TacSwept *course = &safe->courses[vertex];
    if (safe->starting) return;
    double off = 0;
    for (int k = 0; k < 3; k++) off = tac_larger(off, fabs(c[k] - course->c[k] - (double)course->way[k]));
    double wanted = (double)course->wanted;
    if (!whole) wanted *= 2;
    if (whole && off < 0.3 * (double)course->rho && !safe->vertices[vertex].strayed)
        wanted *= tac_safe_is_still(course) ? 0.5 : 0.97;
    course->wanted =
        (float)tac_smaller(tac_larger(wanted, least_wanted(safe)), 0.05 * (double)safe->lore[vertex].scale);
}

// What stands still keeps its course, and its boxes, beyond the window. So it should for a while: what drifts leaves a
// course that stands sooner than one that goes along.
static double still_for(double window) {
    const double long_enough = 0.01; // s
    return tac_larger(2 * window, tac_smaller(20 * window, long_enough));
}

// A line from where the plan is now to where it would lead by the end of the window. (Tried, and worse: where the trend
// over whole windows leads, with or without its bend. What vibrates turns before they end.)
static void set_course(TacSafe *safe, uint32_t vertex, TacTick now, const double c[3], double u[3]) {
    TacSwept *course = &safe->courses[vertex];
    const double *g = safe->vertices[vertex].g;
    double left = tac_safe_seconds(safe, safe->boxes_until - now), most = 0;
    for (int k = 0; k < 3; k++) {
        u[k] += 0.5 * left * g[k];
        most = tac_larger(most, fabs(u[k]));
    }
    if (most * still_for(left) < (double)course->wanted) u[0] = u[1] = u[2] = 0;
    double past = tac_safe_seconds(safe, now - safe->boxes_from);
    for (int k = 0; k < 3; k++) {
        course->c[k] = u[k] == 0 ? c[k] : c[k] - u[k] * past;
        course->way[k] = (float)(u[k] * (past + left));
    }
    double end[3];
    double needed = tac_larger(off_course(safe, vertex, now, end),
                               off_course(safe, vertex, tac_plan_end(safe, vertex), end));
    course->rho =
        tac_safe_up(tac_larger((double)course->wanted, 1.5 * (needed + tac_safe_bulge(safe, vertex, now))));
}

// That of a vertex that turns is as wide as its arc. The chords that are its plans all begin and end on the arc: so, unless it
// is kicked, none leaves the course for as long as that is a chord.
static void widen_to_arc(TacSafe *safe, uint32_t vertex, TacTick now, double rho, double arc) {
    const double *g = safe->vertices[vertex].g;
    double left = tac_safe_seconds(safe, safe->boxes_until - now);
    double fall = 0.25 * left * left * tac_larger(fabs(g[0]), tac_larger(fabs(g[1]), fabs(g[2])));
    safe->courses[vertex].rho =
        tac_safe_up(tac_larger((double)safe->courses[vertex].rho, 1.1 * (arc + fall + 2 * rho)));
}

void tac_safe_renew_course(TacSafe *safe, uint32_t vertex, TacTick now) {
    double c[3], u[3], rho;
    tac_plan_at(safe, vertex, now, c, u, &rho);
    choose_course_width(safe, vertex, now == safe->boxes_from, c);
    if (safe->vertices[vertex].frame) {
        double arc = tac_safe_arc(safe, vertex, c, u);
        set_course(safe, vertex, now, c, u);
        widen_to_arc(safe, vertex, now, rho, arc);
    } else {
        set_course(safe, vertex, now, c, u);
    }
}

void tac_safe_leave_boxes(TacSafe *safe, uint32_t vertex) {
    safe->stats.refits++;
    const TacVertexLore *lore = &safe->lore[vertex];
    for (uint32_t i = 0; i < lore->primitive_count; i++) {
        uint32_t id = safe->around[lore->first_primitive + i];
        TacPrimitive *p = &safe->primitives[id];
        if (p->dirty) continue;
        p->dirty = true;
        safe->dirty_kinds[p->kind]++;
        tac_safe_push(safe, &safe->dirty_primitives, id);
    }
}

void tac_safe_stray(TacSafe *safe, uint32_t vertex, TacTick now) {
    tac_safe_renew_course(safe, vertex, now);
    tac_safe_leave_boxes(safe, vertex);
    safe->vertices[vertex].strayed = true;
}

// Of the course of a point. Edges and faces are hulls of their points: so it reaches as far as the thickest of what is
// around it.
static TacMovingBox box_of(const TacSafe *safe, uint32_t point) {
    const TacSwept *course = &safe->courses[point];
    const double way[3] = {(double)course->way[0], (double)course->way[1], (double)course->way[2]};
    TacMovingBox box;
    double wider = (double)safe->lore[point].thick + 0.5 * safe->most_eta;
    for (int j = 0; j < safe->def.k; j++) {
        const double *d = safe->directions[j];
        double one = sum_norm(d), more = wider * sqrt(dot(d, d));
        double first = dot(d, course->c), along = dot(d, way), wide = one * (double)course->rho;
        double doubt = 1e-14 * (size_along(d, course->c) + size_along(d, way) + wide + more);
        box.ends[0].reach[j] = tac_safe_up(first + wide + more + doubt);
        box.ends[1].reach[j] = tac_safe_up(first + along + wide + more + doubt);
    }
    return box;
}

// --- primitives by kind -----------------------------------------------------------------------------------

static size_t count_of(const TacSafe *safe, int kind) {
    return kind == TAC_PRIMITIVE_POINT  ? safe->point_count
           : kind == TAC_PRIMITIVE_EDGE ? safe->edge_count
                                        : safe->primitive_count - safe->point_count - safe->edge_count;
}

uint32_t tac_safe_number(const TacSafe *safe, uint32_t id) {
    int kind = safe->primitives[id].kind;
    uint32_t number = id - tac_safe_first_of(safe, kind);
    for (uint32_t s = 0; s < safe->primitives[id].skin; s++) {
        const TacSafeSkin *skin = &safe->skins[s];
        number -= (uint32_t)(kind == TAC_PRIMITIVE_POINT  ? skin->vertex_count
                             : kind == TAC_PRIMITIVE_EDGE ? skin->edge_count
                                                          : skin->face_count);
    }
    return number;
}

// --- finding pairs ----------------------------------------------------------------------------------------

// The nth of what was noted; new if it can touch and is not in the table.
static void look_up(const TacSafe *safe, TacSafeFind *find, size_t n) {
    uint64_t key = find->waiting[n % TAC_SAFE_WAITING];
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    if (!tac_safe_may_touch(safe, a, b) || tac_safe_find_pair(safe, a, b) != TAC_SAFE_NONE) return;
    if (tac_safe_lie_apart(safe, a, b)) return;
    if (tac_grow_bare(&find->keys, &find->capacity, find->count + 1, sizeof *find->keys))
        find->keys[find->count++] = key;
    else
        find->out_of_memory = true;
}

// Finding is done side by side in parts; each has lists of its own.
void tac_safe_note_found(TacSafe *safe, size_t part, uint32_t x, uint32_t y) {
    // the vertex first, or the smaller number of a kind
    uint32_t a = x < y ? x : y, b = x < y ? y : x;
    TacSafeFind *find = &safe->finds[part];
    if (find->noted >= TAC_SAFE_WAITING) look_up(safe, find, find->noted);
    uint64_t key = tac_safe_key(a, b);
    __builtin_prefetch(&safe->primitives[a]);
    __builtin_prefetch(&safe->primitives[b]);
    tac_safe_expect_pair(safe, key);
    if (find->noted >= TAC_SAFE_WAITING / 2)
        tac_safe_expect_found(safe, find->waiting[(find->noted - TAC_SAFE_WAITING / 2) % TAC_SAFE_WAITING]);
    find->waiting[find->noted++ % TAC_SAFE_WAITING] = key;
}

static void look_up_rest(const TacSafe *safe, TacSafeFind *find) {
    size_t rest = find->noted < TAC_SAFE_WAITING ? find->noted : TAC_SAFE_WAITING;
    for (size_t i = 0; i < rest; i++) look_up(safe, find, i);
    find->noted = 0;
}

// Of two that both changed, the one with the smaller number asks.
static void search_kind(TacSafe *safe, size_t part, uint32_t from, int kind) {
    int own = safe->primitives[from].kind;
    TacSafeFind *find = &safe->finds[part];
    find->hits.count = 0;
    find->queries++;
    if (tac_moving_tree_find(&safe->trees[kind], &safe->trees[own], from - tac_safe_first_of(safe, own),
                             &find->hits, NULL) != TAC_OK)
        find->out_of_memory = true;
    for (size_t i = 0; i < find->hits.count; i++) {
        uint32_t other = tac_safe_first_of(safe, kind) + (uint32_t)find->hits.ids[i];
        if (!safe->primitives[other].dirty || other > from) tac_safe_note_found(safe, part, from, other);
    }
}

static void search(TacSafe *safe, size_t part, uint32_t id) {
    const TacPrimitive *p = &safe->primitives[id];
    bool point = p->kind == TAC_PRIMITIVE_POINT, edge = p->kind == TAC_PRIMITIVE_EDGE;
    if (point) search_kind(safe, part, id, TAC_PRIMITIVE_FACE);
    if (edge || (point && p->ball)) search_kind(safe, part, id, TAC_PRIMITIVE_EDGE);
    if (edge ? p->bare : !point || p->ball) search_kind(safe, part, id, TAC_PRIMITIVE_POINT);
}

static void search_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    TacSafe *safe = data;
    for (size_t i = begin; i < end; i++) search(safe, chunk, safe->dirty_primitives.items[i]);
}

typedef struct Meet {
    TacSafe *safe;
    uint32_t first, first_other;
} Meet;

static void meet(void *data, size_t part, uint32_t leaf, uint32_t other) {
    const Meet *m = data;
    tac_safe_note_found(m->safe, part, m->first + leaf, m->first_other + other);
}

static void join(TacSafe *safe, int kind, int other) {
    Meet m = {safe, tac_safe_first_of(safe, kind), tac_safe_first_of(safe, other)};
    tac_moving_tree_join(&safe->trees[kind], &safe->trees[other], safe->team, meet, &m);
    safe->stats.queries++;
}

// From what changed: one by one, unless that is much.
static void find_pairs(TacSafe *safe) {
    size_t n = safe->dirty_primitives.count, parts = TAC_MOVING_TREE_PARTS;
    if (16 * n < safe->primitive_count) {
        size_t grain = (n + parts - 1) / parts;
        tac_team_run(safe->team, n, grain < 4 ? 4 : grain, search_chunk, safe);
        return;
    }
    join(safe, TAC_PRIMITIVE_POINT, TAC_PRIMITIVE_FACE);
    join(safe, TAC_PRIMITIVE_EDGE, TAC_PRIMITIVE_EDGE);
    if (!safe->balls) return;
    join(safe, TAC_PRIMITIVE_POINT, TAC_PRIMITIVE_POINT);
    join(safe, TAC_PRIMITIVE_POINT, TAC_PRIMITIVE_EDGE);
}

// Those whose first primitive is from `first` to before `end`, in the order of primitives; both sides may have found a pair.
static TacStatus add_range(TacSafe *safe, uint32_t first, uint32_t end, TacTick now, TacError *error) {
    size_t n = 0;
    for (size_t part = 0; part < TAC_MOVING_TREE_PARTS; part++) {
        const TacSafeFind *find = &safe->finds[part];
        for (size_t i = 0; i < find->count; i++) {
            uint64_t key = find->keys[i];
            if (key >> 32 < first || key >> 32 >= end) continue;
            if (n == safe->order_capacity &&
                !tac_grow_bare(&safe->order, &safe->order_capacity, n + 1, sizeof *safe->order))
                return tac_fail_memory(error, 0);
            safe->order[n++] = key;
        }
    }
    tac_sort_numbers(safe->order, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t key = safe->order[i];
        if (i && safe->order[i - 1] == key) continue;
        TAC_TRY(tac_safe_add_pair(safe, (uint32_t)(key >> 32), (uint32_t)key, now, error));
        safe->stats.lists_processed++;
    }
    return TAC_OK;
}

// Many are added some after the other: there may be a dozen to a vertex at the start, and to sort them takes room.
static TacStatus add_found(TacSafe *safe, TacTick now, TacError *error) {
    enum { MANY = 1 << 13, TIMES = 8 };
    size_t n = 0;
    for (size_t part = 0; part < TAC_MOVING_TREE_PARTS; part++) {
        look_up_rest(safe, &safe->finds[part]);
        n += safe->finds[part].count;
        safe->out_of_memory = safe->out_of_memory || safe->finds[part].out_of_memory;
        safe->stats.queries += safe->finds[part].queries;
        safe->finds[part].queries = 0;
    }
    if (safe->out_of_memory) return tac_fail_memory(error, 0);
    size_t times = n > MANY ? TIMES : n > 0, all = safe->primitive_count;
    for (size_t i = 0; i < times; i++)
        TAC_TRY(add_range(safe, (uint32_t)(all * i / times), (uint32_t)(all * (i + 1) / times), now, error));
    for (size_t part = 0; part < TAC_MOVING_TREE_PARTS; part++) safe->finds[part].count = 0;
    return TAC_OK;
}

// --- letting go of pairs ----------------------------------------------------------------------------------

typedef struct Drop {
    TacSafe *safe;
    TacTick now;
} Drop;

static uint32_t leaf_of(const TacSafe *safe, uint32_t id) {
    return id - tac_safe_first_of(safe, safe->primitives[id].kind);
}

static void drop_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Drop *drop = data;
    const TacSafe *safe = drop->safe;
    for (size_t i = begin; i < end; i++) {
        const TacPair *p = &safe->pairs[i];
        safe->failed[i] = false;
        if (p->a == TAC_SAFE_NONE || p->armed >= 0 || p->dirty || tac_safe_is_live(safe, p, drop->now))
            continue;
        safe->failed[i] =
            tac_safe_lies_apart(safe, p) ||
            tac_moving_tree_apart(&safe->trees[safe->primitives[p->a].kind], leaf_of(safe, p->a),
                                  &safe->trees[safe->primitives[p->b].kind], leaf_of(safe, p->b));
    }
}

// Pairs whose boxes have come apart, unless they are still looked at. To keep one costs little: most meet again. And what came
// to lie still and apart.
static TacStatus drop_pairs(TacSafe *safe, TacTick now, TacError *error) {
    Drop drop = {safe, now};
    if (!tac_grow_bare(&safe->failed, &safe->failed_capacity, safe->pair_used + 1, sizeof *safe->failed))
        return tac_fail_memory(error, 0);
    size_t n = safe->pair_used;
    tac_team_run(safe->team, n, tac_team_grain(safe->team, n, 512), drop_chunk, &drop);
    for (uint32_t i = 0; i < safe->pair_used; i++) {
        if (!safe->failed[i]) continue;
        tac_safe_remove_pair(safe, i);
        safe->stats.lists_processed++;
    }
    return tac_safe_close_gaps(safe, error);
}

// --- following --------------------------------------------------------------------------------------------

static void box_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    TacSafe *safe = data;
    for (size_t i = begin; i < end; i++) {
        uint32_t id = safe->dirty_primitives.items[i];
        TacMovingTree *tree = &safe->trees[safe->primitives[id].kind];
        if (tree->points) {
            tac_moving_tree_follow(tree, leaf_of(safe, id));
        } else {
            TacMovingBox box = box_of(safe, id);
            tac_moving_tree_set(tree, leaf_of(safe, id), &box);
        }
    }
}

// The trees' numbers follow the dirty primitives, and now and then their shapes: then true.
static bool fit_trees(TacSafe *safe) {
    const TacSafeList *dirty = &safe->dirty_primitives;
    tac_team_run(safe->team, dirty->count, 64, box_chunk, safe);
    bool all[3], shaped = false;
    for (int kind = 0; kind < 3; kind++) {
        size_t n = count_of(safe, kind);
        all[kind] = 64 * safe->dirty_kinds[kind] > n;
        if (8 * safe->dirty_kinds[kind] > n && (safe->starting || safe->windows >= safe->shaped[kind] + 32)) {
            tac_moving_tree_shape(&safe->trees[kind], safe->team);
            safe->shaped[kind] = safe->windows;
            shaped = true;
        } else if (all[kind])
            tac_moving_tree_fit(&safe->trees[kind], safe->team);
    }
    for (size_t i = 0; i < dirty->count; i++) {
        int kind = safe->primitives[dirty->items[i]].kind;
        if (!all[kind]) tac_moving_tree_fit_leaf(&safe->trees[kind], leaf_of(safe, dirty->items[i]));
    }
    return shaped;
}

void tac_safe_trim_lists(TacSafe *safe) {
    for (size_t part = 0; part < TAC_MOVING_TREE_PARTS; part++)
        tac_trim(&safe->finds[part].keys, &safe->finds[part].capacity, 0, sizeof *safe->finds->keys);
    // those that are looked at are put in order, too
    tac_trim(&safe->order, &safe->order_capacity, safe->ruler.count, sizeof *safe->order);
    TacSafeList *lists[] = {&safe->dirty_pairs, &safe->fresh};
    for (size_t i = 0; i < TAC_COUNT(lists); i++)
        tac_trim(&lists[i]->items, &lists[i]->capacity, lists[i]->count, sizeof *lists[i]->items);
}

TacStatus tac_safe_update_boxes(TacSafe *safe, bool drops, double *time, TacTick now, TacError *error) {
    TacSafeList *dirty = &safe->dirty_primitives;
    TacSafeStats *stats = &safe->stats;
    bool shaped = false;
    if (safe->def.cull) {
        shaped = fit_trees(safe);
        stats->lists_rescheduled += dirty->count;
        tac_safe_spend(&stats->lists_rescheduling, time);
        if (drops) TAC_TRY(drop_pairs(safe, now, error));
        if (drops) tac_safe_spend(&stats->lists_processing, time);
    }
    if (safe->front)
        TAC_TRY(tac_safe_front_update(safe, shaped, now, error));
    else if (safe->def.cull)
        find_pairs(safe);
    tac_safe_spend(&stats->lists_rescheduling, time);
    for (size_t i = 0; i < dirty->count; i++) safe->primitives[dirty->items[i]].dirty = false;
    for (int kind = 0; kind < 3; kind++)
        if (safe->dirty_kinds[kind]) tac_moving_tree_accept(&safe->trees[kind]);
    memset(safe->dirty_kinds, 0, sizeof safe->dirty_kinds);
    dirty->count = 0;
    tac_trim(&dirty->items, &dirty->capacity, 0,
             sizeof *dirty->items); // what follows needs memory of its own
    TAC_TRY(add_found(safe, now, error));
    if (drops) tac_safe_trim_lists(safe);
    tac_safe_spend(&stats->lists_processing, time);
    return TAC_OK;
}

// Every pair, for what is not culled.
TacStatus tac_safe_all_pairs(TacSafe *safe, double *time, TacTick now, TacError *error) {
    for (uint32_t a = 0; a < safe->primitive_count; a++)
        for (uint32_t b = a + 1; b < safe->primitive_count; b++) tac_safe_note_found(safe, 0, a, b);
    TAC_TRY(add_found(safe, now, error));
    tac_safe_spend(&safe->stats.lists_processing, time);
    return TAC_OK;
}
