// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs of primitives: which there are, and until when it is certain that they are apart. How near they are is found in
// safe_closest.c.

#include "contact/safe_parts.h"

// --- the table of pairs -----------------------------------------------------------------------------------

// An entry is a pair's number + 1, and half of its key's hash, so that hardly any pair is looked at in vain; 0: it is empty.
static uint64_t hash_of(uint64_t key) {
    return (key ^ (key >> 31)) * 0x9E3779B97F4A7C15ULL;
}

static size_t home_of(uint64_t hash, size_t size) {
    return (size_t)((hash >> 32) * size >> 32);
}

static size_t after(size_t slot, size_t size) {
    return slot + 1 < size ? slot + 1 : 0;
}

static uint64_t entry_of(uint64_t hash, uint32_t pair) {
    return (hash >> 32 << 32) | (pair + 1);
}

static uint32_t pair_of(uint64_t entry) {
    return (uint32_t)entry - 1;
}

static uint64_t key_of(const TacPair *p) {
    return tac_safe_key(p->a, p->b);
}

uint32_t tac_safe_find_pair(const TacSafe *safe, uint32_t a, uint32_t b) {
    if (!safe->table_size) return TAC_SAFE_NONE;
    uint64_t key = tac_safe_key(a, b), hash = hash_of(key);
    for (size_t i = home_of(hash, safe->table_size); safe->table[i]; i = after(i, safe->table_size)) {
        uint32_t pair = pair_of(safe->table[i]);
        if (safe->table[i] >> 32 == hash >> 32 && key_of(&safe->pairs[pair]) == key) return pair;
    }
    return TAC_SAFE_NONE;
}

void tac_safe_expect_pair(const TacSafe *safe, uint64_t key) {
    if (safe->table_size) __builtin_prefetch(&safe->table[home_of(hash_of(key), safe->table_size)]);
}

void tac_safe_expect_found(const TacSafe *safe, uint64_t key) {
    if (!safe->table_size) return;
    uint64_t entry = safe->table[home_of(hash_of(key), safe->table_size)];
    if (entry) __builtin_prefetch(&safe->pairs[pair_of(entry)]);
}

static void enter(const TacSafe *safe, uint64_t *table, size_t size, uint32_t pair) {
    uint64_t hash = hash_of(key_of(&safe->pairs[pair]));
    size_t slot = home_of(hash, size);
    while (table[slot]) slot = after(slot, size);
    table[slot] = entry_of(hash, pair);
}

// All pairs that there are, in a table of that size.
static bool enter_all(TacSafe *safe, size_t size) {
    uint64_t *table = calloc(size, sizeof *table);
    if (!table) return false;
    for (uint32_t i = 0; i < safe->pair_used; i++)
        if (safe->pairs[i].a != TAC_SAFE_NONE) enter(safe, table, size, i);
    free(safe->table);
    safe->table = table;
    safe->table_size = size;
    return true;
}

// For one more.
static bool enlarge_table(TacSafe *safe) {
    enum { LEAST = 1024 };
    if (4 * (safe->pair_count + 1) < 3 * safe->table_size) return true;
    return enter_all(safe, safe->table_size ? safe->table_size + safe->table_size / 8 : LEAST);
}

static size_t between(size_t first, size_t last, size_t size) {
    return last >= first ? last - first : last + size - first;
}

// Takes an entry out and closes the gap in its run.
static void forget_key(TacSafe *safe, uint32_t pair) {
    size_t size = safe->table_size, i = home_of(hash_of(key_of(&safe->pairs[pair])), size);
    while (pair_of(safe->table[i]) != pair) i = after(i, size);
    for (size_t j = i;;) {
        safe->table[i] = 0;
        for (;;) {
            j = after(j, size);
            if (!safe->table[j]) return;
            size_t home = home_of(hash_of(key_of(&safe->pairs[pair_of(safe->table[j])])), size);
            if (between(home, j, size) >= between(i, j, size)) break;
        }
        safe->table[i] = safe->table[j];
        i = j;
    }
}

// Armed pairs of a primitive have a list of their own: paces concern them alone.
static uint32_t *first_of_list(TacSafe *safe, const TacPair *p, int side) {
    TacPrimitive *primitive = &safe->primitives[side ? p->b : p->a];
    return &primitive->first_pair[p->armed >= 0];
}

static void link_pair(TacSafe *safe, uint32_t pair, int side) {
    TacPair *p = &safe->pairs[pair];
    uint32_t *first = first_of_list(safe, p, side);
    p->previous[side] = TAC_SAFE_NONE;
    p->next[side] = *first;
    uint32_t here = 2 * pair + (uint32_t)side;
    if (*first != TAC_SAFE_NONE) safe->pairs[*first / 2].previous[*first % 2] = here;
    *first = here;
}

static void unlink_pair(TacSafe *safe, uint32_t pair, int side) {
    TacPair *p = &safe->pairs[pair];
    uint32_t next = p->next[side], previous = p->previous[side];
    if (next != TAC_SAFE_NONE) safe->pairs[next / 2].previous[next % 2] = previous;
    if (previous != TAC_SAFE_NONE)
        safe->pairs[previous / 2].next[previous % 2] = next;
    else
        *first_of_list(safe, p, side) = next;
}

// A pair gets a smaller number, which nobody has, in all that knows it by its number but the table.
static TacStatus renumber(TacSafe *safe, uint32_t from, uint32_t to, TacError *error) {
    TacPair *p = &safe->pairs[to];
    *p = safe->pairs[from];
    safe->pairs[from].a = TAC_SAFE_NONE;
    for (int side = 0; side < 2; side++) {
        uint32_t here = 2 * to + (uint32_t)side, next = p->next[side], previous = p->previous[side];
        if (next != TAC_SAFE_NONE) safe->pairs[next / 2].previous[next % 2] = here;
        *(previous != TAC_SAFE_NONE ? &safe->pairs[previous / 2].next[previous % 2]
                                    : first_of_list(safe, p, side)) = here;
    }
    if (p->armed >= 0) {
        tac_ruler_rename(&safe->ruler, from, to);
        return TAC_OK;
    }
    if (p->certificate == TAC_SAFE_NONE) return TAC_OK;
    safe->certificates[p->certificate].pair = to;
    TacTick until = tac_wheel_tick(&safe->pair_wheel, from);
    if (!tac_wheel_cancel(&safe->pair_wheel, from)) return TAC_OK;
    return tac_wheel_file(&safe->pair_wheel, to, until, error);
}

TacStatus tac_safe_close_gaps(TacSafe *safe, TacError *error) {
    enum { FEW = 64 };
    size_t gaps = safe->pair_used - safe->pair_count;
    if (gaps < FEW + safe->pair_count / 8 || safe->dirty_pairs.count) return TAC_OK;
    uint32_t to = 0; // neighbours stay neighbours
    for (uint32_t from = 0; from < safe->pair_used; from++) {
        if (safe->pairs[from].a == TAC_SAFE_NONE) continue;
        if (from != to) TAC_TRY(renumber(safe, from, to, error));
        to++;
    }
    safe->pair_used = to;
    safe->free_pair = TAC_SAFE_NONE;
    tac_fit(&safe->pairs, &safe->pair_capacity, safe->pair_used, sizeof *safe->pairs);
    tac_fit(&safe->failed, &safe->failed_capacity, safe->pair_used, sizeof *safe->failed);
    tac_ruler_fit(&safe->ruler, to);
    size_t enough = safe->pair_count + safe->pair_count / 2 + FEW;
    return enter_all(safe, enough) ? TAC_OK : tac_fail_memory(error, enough * sizeof *safe->table);
}

static void set_armed(TacSafe *safe, uint32_t pair, int armed) {
    bool other_list = (safe->pairs[pair].armed >= 0) != (armed >= 0);
    for (int side = 0; other_list && side < 2; side++) unlink_pair(safe, pair, side);
    safe->pairs[pair].armed = (int8_t)armed;
    if (armed < 0) safe->pairs[pair].certificate = TAC_SAFE_NONE;
    for (int side = 0; other_list && side < 2; side++) link_pair(safe, pair, side);
}

static bool share_vertex(const TacPrimitive *a, const TacPrimitive *b) {
    for (int i = 0; i < tac_safe_corner_count(a); i++)
        for (int k = 0; k < tac_safe_corner_count(b); k++)
            if (a->v[i] == b->v[k]) return true;
    return false;
}

static bool kinds_touch(const TacPrimitive *a, const TacPrimitive *b) {
    if (a->kind == TAC_PRIMITIVE_POINT && b->kind == TAC_PRIMITIVE_FACE) return true;
    if (a->kind == TAC_PRIMITIVE_EDGE && b->kind == TAC_PRIMITIVE_EDGE) return true;
    if (a->kind != TAC_PRIMITIVE_POINT || !a->ball) return false;
    return b->kind == TAC_PRIMITIVE_EDGE ? b->bare : b->ball;
}

// Vertices of one frame never move against each other.
static bool same_frame(const TacSafe *safe, const TacPrimitive *a, const TacPrimitive *b) {
    const TacVertex *x = &safe->vertices[a->v[0]];
    if (!x->frame) return false;
    for (int i = 0; i < tac_safe_corner_count(a) + tac_safe_corner_count(b); i++) {
        const TacVertex *y =
            &safe->vertices[i < tac_safe_corner_count(a) ? a->v[i] : b->v[i - tac_safe_corner_count(a)]];
        if (!y->frame || tac_safe_carrier(safe, x, 0).support != tac_safe_carrier(safe, y, 0).support)
            return false;
    }
    return true;
}

bool tac_safe_may_touch(const TacSafe *safe, uint32_t ia, uint32_t ib) {
    const TacPrimitive *a = &safe->primitives[ia], *b = &safe->primitives[ib];
    if (ia == ib || !kinds_touch(a, b) || (!a->movable && !b->movable)) return false;
    if (a->flat || b->flat) return false;
    if (!tac_safe_skins_meet(safe, &safe->skins[a->skin], &safe->skins[b->skin])) return false;
    return !share_vertex(a, b) && !same_frame(safe, a, b);
}

// --- making pairs -----------------------------------------------------------------------------------------

static double side_bound(const TacSafe *safe, const TacPrimitive *p) {
    double most = 0;
    for (int i = 0; i < tac_safe_corner_count(p); i++) most = tac_larger(most, safe->vertices[p->v[i]].bound);
    return most;
}

static TacStatus fail_touching(const TacSafe *safe, const TacPair *p, double gap, TacError *error) {
    const TacPrimitive *a = &safe->primitives[p->a], *b = &safe->primitives[p->b];
    static const char *const kinds[] = {"vertex", "edge", "face"};
    return tac_fail(error, TAC_BAD_INPUT,
                    "%s %u of %s and %s %u of %s touch at the start (gap %g m); safe contact begins apart",
                    kinds[a->kind], tac_safe_number(safe, p->a), safe->skins[a->skin].name, kinds[b->kind],
                    tac_safe_number(safe, p->b), safe->skins[b->skin].name, gap);
}

TacStatus tac_safe_add_pair(TacSafe *safe, uint32_t a, uint32_t b, TacTick now, TacError *error) {
    uint32_t id = safe->free_pair;
    if (!enlarge_table(safe)) return tac_fail_memory(error, 0);
    if (id == TAC_SAFE_NONE) {
        if (!tac_grow_bare(&safe->pairs, &safe->pair_capacity, safe->pair_used + 1, sizeof *safe->pairs))
            return tac_fail_memory(error, 0);
        id = (uint32_t)safe->pair_used++;
    } else {
        safe->free_pair = safe->pairs[id].next[0];
    }
    TacPair *p = &safe->pairs[id];
    const TacPrimitive *pa = &safe->primitives[a], *pb = &safe->primitives[b];
    uint16_t type = tac_safe_type(safe, &safe->skins[pa->skin], &safe->skins[pb->skin]);
    *p = (TacPair){
        .a = a, .b = b, .live = TAC_SAFE_NONE, .type = type, .armed = -1, .certificate = TAC_SAFE_NONE};
    link_pair(safe, id, 0);
    link_pair(safe, id, 1);
    enter(safe, safe->table, safe->table_size, id);
    safe->pair_count++;

    double q[4][3];
    uint32_t v[4];
    int side, n = tac_safe_vertices(safe, p, v, &side);
    double bound = side_bound(safe, pa) + side_bound(safe, pb);
    p->soft = tac_safe_hub_softness(safe, v, side, n) > 1;
    p->r1 = safe->types[type].layers.strength / (bound * tac_safe_softness(safe, p, v, side, n));
    for (int i = 0; i < n; i++) tac_safe_place(safe, v[i], now, q[i]);
    double gap = tac_safe_closest(safe, p, q).distance - tac_safe_pair_radius(safe, p);
    if (safe->births && !(gap > 0)) return fail_touching(safe, p, gap, error);
    TAC_TRY(tac_safe_take_nest(safe, p, gap, now, error));
    tac_safe_mark_pair(safe, id);
    return TAC_OK;
}

static void leave_paces(TacSafe *safe, const TacPair *p) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, p, v, &na);
    for (int i = 0; i < n; i++)
        if (!--safe->vertices[v[i]].paced) tac_safe_watch_pace(safe, v[i]);
}

void tac_safe_remove_pair(TacSafe *safe, uint32_t id) {
    TacPair *p = &safe->pairs[id];
    if (p->armed >= 0) {
        tac_ruler_remove(&safe->ruler, id);
        leave_paces(safe, p);
        set_armed(safe, id, -1);
    }
    tac_safe_drop_certificate(safe, id);
    if (p->live != TAC_SAFE_NONE) {
        tac_safe_leave_deep(safe, p->live);
        tac_safe_leave_arms(safe, p->live);
        tac_safe_push(safe, &safe->free_lives, p->live);
    }
    unlink_pair(safe, id, 0);
    unlink_pair(safe, id, 1);
    forget_key(safe, id);
    p->next[0] = safe->free_pair;
    p->a = p->b = TAC_SAFE_NONE;
    safe->free_pair = id;
    safe->pair_count--;
}

void tac_safe_mark_pair(TacSafe *safe, uint32_t pair) {
    if (safe->pairs[pair].dirty) return;
    safe->pairs[pair].dirty = true;
    tac_safe_push(safe, &safe->dirty_pairs, pair);
}

// Most primitives that come first do so in few pairs: only these are looked up for the second.
void tac_safe_put_in_order(const TacSafe *safe, uint64_t *list, size_t count) {
    tac_sort_numbers(list, count);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && list[i + n] >> 32 == list[i] >> 32; n++) {
        }
        if (n == 1) continue;
        for (size_t k = i; k < i + n; k++)
            list[k] = (uint64_t)safe->pairs[(uint32_t)list[k]].b << 32 | (uint32_t)list[k];
        tac_sort_numbers(list + i, n);
    }
}

bool tac_safe_list_armed(const TacSafe *safe, uint64_t **list, size_t *capacity, size_t *count) {
    size_t n = 0;
    for (uint32_t i = 0; i < safe->pair_used; i++) n += safe->pairs[i].armed >= 0;
    if (!tac_grow_bare(list, capacity, n, sizeof **list)) return false;
    *count = 0;
    for (uint32_t i = 0; i < safe->pair_used; i++)
        if (safe->pairs[i].armed >= 0) (*list)[(*count)++] = tac_safe_key(safe->pairs[i].a, i);
    tac_safe_put_in_order(safe, *list, n);
    return true;
}

// --- certificates -----------------------------------------------------------------------------------------

// The straight part of how the plans of two vertices part along the normal: at now, per second, and what
// gravity may take when it differs.
typedef struct Slab {
    double gap[4], speed[4], pull[4];
    int count;
    double doubt; // m, by rounding
} Slab;

// What is promised of up to four vertices: where they are, how fast, and by how much each may be off.
typedef struct Promise {
    double c[4][3], u[4][3], rho[4], spread[4];
} Promise;

static Slab make_slab(const TacSafe *safe, const TacPair *pair, const uint32_t v[4], int na, int n,
                      Promise *promise, TacSafeClosest *closest) {
    double *d = closest->normal;
    double along[4], speed[4], pull[4], size = 0;
    // by rounding, the far ends of edges may seem to reach across
    if (tac_safe_width(promise->c, na, n, d, along) < 0.99 * closest->distance) {
        tac_safe_straighten(promise->c, na, n, d);
        tac_safe_width(promise->c, na, n, d, along);
    }
    double radius = tac_safe_pair_radius(safe, pair), one = fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
    for (int i = 0; i < n; i++) {
        const double *c = promise->c[i], *u = promise->u[i], *g = safe->vertices[v[i]].g;
        speed[i] = d[0] * u[0] + d[1] * u[1] + d[2] * u[2];
        pull[i] = d[0] * g[0] + d[1] * g[1] + d[2] * g[2];
        for (int k = 0; k < 3; k++) size = tac_larger(size, fabs(c[k]));
    }
    Slab slab = {.doubt = 1e-14 * (size + closest->distance)};
    for (int i = 0; i < na; i++)
        for (int j = na; j < n; j++) {
            slab.gap[slab.count] = along[i] - along[j] - radius - one * (promise->rho[i] + promise->rho[j]);
            slab.speed[slab.count] = speed[i] - speed[j] - one * (promise->spread[i] + promise->spread[j]);
            slab.pull[slab.count++] = pull[i] - pull[j];
        }
    return slab;
}

static Slab slab_of_plans(const TacSafe *safe, const TacPair *pair, TacTick now, TacSafeClosest *closest) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, pair, v, &na);
    Promise promise;
    for (int i = 0; i < n; i++) {
        tac_plan_at(safe, v[i], now, promise.c[i], promise.u[i], &promise.rho[i]);
        promise.spread[i] = safe->plans[v[i]].spread;
    }
    *closest = tac_safe_closest(safe, pair, promise.c);
    return make_slab(safe, pair, v, na, n, &promise, closest);
}

static Slab slab_of_courses(const TacSafe *safe, const TacPair *pair, TacTick now, TacSafeClosest *closest) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, pair, v, &na);
    double length = tac_safe_seconds(safe, safe->boxes_until - safe->boxes_from);
    double t = tac_safe_seconds(safe, now - safe->boxes_from);
    Promise promise;
    for (int i = 0; i < n; i++) {
        const TacSwept *course = &safe->courses[v[i]];
        for (int k = 0; k < 3; k++) {
            promise.u[i][k] = (double)course->way[k] / length;
            promise.c[i][k] = course->c[k] + t * promise.u[i][k];
        }
        promise.rho[i] = (double)course->rho;
        promise.spread[i] = 0;
    }
    *closest = tac_safe_closest(safe, pair, promise.c);
    Slab slab = make_slab(safe, pair, v, na, n, &promise, closest);
    memset(slab.pull, 0, sizeof slab.pull); // courses are straight
    return slab;
}

static Slab slab_of_paces(const TacSafe *safe, const TacPair *pair, const uint32_t v[4], int na, int n,
                          double q[4][3], TacSafeClosest *closest, TacTick now) {
    Promise promise = {.rho = {0, 0, 0, 0}};
    for (int i = 0; i < n; i++) {
        const TacPace *pace = &safe->paces[v[i]];
        const double *g = safe->vertices[v[i]].g;
        double t = tac_safe_seconds(safe, now - pace->start);
        memcpy(promise.c[i], q[i], sizeof promise.c[i]);
        for (int k = 0; k < 3; k++) promise.u[i][k] = (double)pace->u[k] + t * g[k];
        promise.spread[i] = (double)pace->slack;
    }
    return make_slab(safe, pair, v, na, n, &promise, closest);
}

// Seconds for which all of the slab stays wider than `limit`, at most `longest`.
static double slab_time(const Slab *slab, double limit, double longest) {
    double t = longest;
    for (int i = 0; i < slab->count; i++) {
        double room = slab->gap[i] - limit - slab->doubt;
        if (!(room > 0)) return 0;
        if (slab->pull[i] < 0) {
            // a quarter of the room is for the pull
            double fall = sqrt(-0.5 * room / slab->pull[i]);
            if (fall < t) t = fall;
            room *= 0.75;
        }
        if (slab->speed[i] < 0 && -slab->speed[i] * t > room) t = room / -slab->speed[i];
    }
    return t;
}

// Metres by which all of the slab is still wider than `limit` after so many seconds; below 0: it may not be.
static double slab_margin(const Slab *slab, double limit, double seconds) {
    double margin = INFINITY;
    for (int i = 0; i < slab->count; i++) {
        double closing = tac_smaller(slab->speed[i], 0) + 0.5 * tac_smaller(slab->pull[i], 0) * seconds;
        double room = slab->gap[i] - limit - slab->doubt + closing * seconds;
        margin = room < margin ? room : margin;
    }
    return margin;
}

// Whether no layer of a nest that grows can be live before it is looked at again.
static bool stays_outside(const TacSafe *safe, const TacPair *p, const Slab *slab, int slower, TacTick now) {
    const TacPairType *type = &safe->types[p->type];
    double period = ldexp(safe->base.tick, tac_layers_class(&type->layers, p->shift, 0) + slower);
    double scale = tac_safe_nest(safe, p, now).scale + type->growth * period;
    return slab_time(slab, 1.01 * scale * type->layers.eta1, period) >= period;
}

// How many classes must be looked at so that each is certain until it ticks next, from where the pair is and from the
// paces of its vertices; and those with whose clocks it keeps up. Fewer than now only after the finest has been idle.
static void choose_classes(const TacSafe *safe, const TacPair *p, const Slab *slab, int haste, TacTick now,
                           TacVerdict *verdict) {
    const TacLayers *layers = &safe->types[p->type].layers;
    int least = p->armed >= 0 && p->idle < 8 ? p->armed : 0;
    if (least < haste) least = haste;
    if (tac_safe_is_live(safe, p, now) && least < (int)safe->lives[p->live].mates)
        least = (int)safe->lives[p->live].mates;
    for (int k = least; tac_layers_class(layers, p->shift, k) >= 0; k++) {
        double period = ldexp(safe->base.tick, tac_layers_class(layers, p->shift, k));
        double enough = k < p->armed ? 2 * period : period;
        double limit = tac_layers_limit(layers, p->shift, k);
        verdict->armed = k;
        verdict->margin = slab_margin(slab, limit, period);
        if (slab_time(slab, limit, enough) >= enough) return;
    }
    verdict->impossible = true;
}

// Of a nest that is still small, none of whose layers is near: by how many classes the coarsest may be looked at less
// often. A nest may grow until then.
static int choose_slower(const TacSafe *safe, const TacPair *p, const Slab *slab, TacTick now) {
    int slower = 0, most = safe->most_class - tac_layers_class(&safe->types[p->type].layers, p->shift, 0);
    if (!(p->shift & TAC_NEST_GROWS)) return 0;
    while (slower < most && stays_outside(safe, p, slab, slower + 1, now)) slower++;
    return slower;
}

// Returns the gap.
static double judge_layers(const TacSafe *safe, const TacPair *p, TacTick now, TacVerdict *verdict) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, p, v, &na);
    double q[4][3];
    *verdict = (TacVerdict){0};
    for (int i = 0; i < n; i++) tac_safe_place(safe, v[i], now, q[i]);
    TacSafeClosest closest = tac_safe_closest(safe, p, q);
    Slab slab = slab_of_paces(safe, p, v, na, n, q, &closest, now);
    choose_classes(safe, p, &slab, tac_safe_haste(safe, p, v, n, now), now, verdict);
    if (verdict->armed == 0) verdict->slower = choose_slower(safe, p, &slab, now);
    if (verdict->slower) verdict->margin = -1;
    return closest.distance - tac_safe_pair_radius(safe, p);
}

// What is taken off it is rounded, too.
bool tac_safe_certain(const TacSafe *safe, TacPair *p, const uint32_t v[4], int na, int n, double q[4][3],
                      const TacSafeClosest *closest, TacTick now) {
    const TacLayers *layers = &safe->types[p->type].layers;
    double period = ldexp(safe->base.tick, tac_layers_class(layers, p->shift, p->armed));
    double limit = tac_layers_limit(layers, p->shift, p->armed);
    TacSafeClosest direction = *closest;
    Slab slab = slab_of_paces(safe, p, v, na, n, q, &direction, now);
    tac_safe_set_margin(p, p->slower ? -1 : slab_margin(&slab, limit, period));
    if (p->slower) return stays_outside(safe, p, &slab, p->slower, now);
    return slab_time(&slab, limit, period) >= period;
}

static void set_direction(TacVerdict *verdict, const TacSafeClosest *closest) {
    for (int k = 0; k < 3; k++) verdict->d[k] = (float)(closest->normal[k] * (1 - 3e-7));
}

// Until the window of boxes ends.
static bool courses_stay_apart(const TacSafe *safe, const TacPair *p, TacTick now, TacVerdict *verdict) {
    double eta = tac_layers_limit(&safe->types[p->type].layers, p->shift, -1);
    double rest = tac_safe_seconds(safe, safe->boxes_until - now);
    TacSafeClosest closest;
    Slab slab = slab_of_courses(safe, p, now, &closest);
    set_direction(verdict, &closest);
    return slab_time(&slab, eta, rest) >= rest;
}

// Whether none of its vertices has a course that ends with the window.
static bool lies_still(const TacSafe *safe, const TacPair *p) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, p, v, &na);
    bool still = true;
    for (int i = 0; i < n; i++) still = still && tac_safe_is_still(&safe->courses[v[i]]);
    return still;
}

// What is found otherwise than by boxes that change is not found again.
static bool may_leave_out(const TacSafe *safe) {
    return safe->def.cull && !safe->front;
}

bool tac_safe_lie_apart(const TacSafe *safe, uint32_t a, uint32_t b) {
    const TacPrimitive *pa = &safe->primitives[a], *pb = &safe->primitives[b];
    TacPair pair = {.a = a, .b = b};
    TacVerdict ignored;
    if (!may_leave_out(safe) || !lies_still(safe, &pair)) return false;
    pair.type = tac_safe_type(safe, &safe->skins[pa->skin], &safe->skins[pb->skin]);
    if (courses_stay_apart(safe, &pair, safe->boxes_from, &ignored)) return true;
    // at the start, whoever is nearer than a whole nest is told of
    if (safe->births || pa->skin != pb->skin) return false;
    pair.shift = tac_safe_rest_shift(safe, &pair);
    return pair.shift && courses_stay_apart(safe, &pair, safe->boxes_from, &ignored);
}

bool tac_safe_lies_apart(const TacSafe *safe, const TacPair *p) {
    // those of dirty ones are not asked yet about the courses of now
    bool dirty = safe->primitives[p->a].dirty || safe->primitives[p->b].dirty;
    return may_leave_out(safe) && !dirty && tac_safe_level(safe, p) == TAC_LEVEL_COURSE &&
           lies_still(safe, p);
}

// Whether courses stay apart until the window of boxes ends, or plans until the next sweep, or at least for so long that it
// is cheaper to look again then than to look at layers. What was too near for courses is so for the rest of their window.
static void judge_tubes(const TacSafe *safe, const TacPair *p, TacTick now, TacVerdict *verdict) {
    const TacLayers *layers = &safe->types[p->type].layers;
    double eta = tac_layers_limit(layers, p->shift, -1);
    TacLevel level = tac_safe_level(safe, p);
    bool near = p->armed >= 0 || level == TAC_LEVEL_PLAN || level == TAC_LEVEL_TIMED;
    *verdict = (TacVerdict){.armed = -1, .level = TAC_LEVEL_COURSE};
    if ((!near || now == safe->boxes_from) && courses_stay_apart(safe, p, now, verdict)) return;
    TacSafeClosest closest;
    Slab slab = slab_of_plans(safe, p, now, &closest);
    set_direction(verdict, &closest);
    double left = tac_safe_seconds(safe, safe->sweep_until - now), t = slab_time(&slab, eta, left);
    verdict->level = TAC_LEVEL_PLAN;
    if (t >= left) return;
    verdict->level = TAC_LEVEL_TIMED;
    verdict->until = now + tac_ticks_floor(safe->base, t);
    TacTick period = (TacTick)1 << tac_layers_class(layers, p->shift, 0);
    verdict->alarmed = verdict->until - now < (p->armed >= 0 ? 32 : 8) * period;
}

void tac_safe_verdict(const TacSafe *safe, uint32_t id, TacTick now, TacVerdict *verdict) {
    const TacPair *p = &safe->pairs[id];
    if (TACTUS_SABOTAGE == TAC_SABOTAGE_LAYERS) {
        *verdict = (TacVerdict){.armed = -1, .level = TAC_LEVEL_COURSE};
    } else if (safe->sleepers > 0 && tac_safe_pair_rests(safe, p)) {
        *verdict = (TacVerdict){.armed = -1, .level = TAC_LEVEL_NONE}; // until one of its sides wakes
    } else if (p->armed < 0) {
        judge_tubes(safe, p, now, verdict);
    } else {
        // left alone only from outside, after a while
        double gap = judge_layers(safe, p, now, verdict);
        double eta = tac_layers_limit(&safe->types[p->type].layers, p->shift, -1);
        if (p->idle < 8 || verdict->armed > 0 || gap < 1.1 * eta) return;
        TacVerdict alone;
        judge_tubes(safe, p, now, &alone);
        if (!alone.alarmed) *verdict = alone;
    }
}

static void rest_on_paces(TacSafe *safe, const TacPair *p, TacTick now) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, p, v, &na);
    for (int i = 0; i < n; i++) tac_safe_rest_on_pace(safe, v[i], now);
}

// From now on the pair's layers up to a class are looked at; no plan is needed, nor a time to look again.
static TacStatus arm(TacSafe *safe, uint32_t id, const TacVerdict *verdict, TacTick now, TacError *error) {
    TacPair *p = &safe->pairs[id];
    if (verdict->impossible) return tac_safe_fail_below_tick(safe, id, now, error);
    if (p->armed >= 0) tac_safe_set_margin(p, verdict->margin);
    if (verdict->armed == p->armed && verdict->slower == p->slower) return TAC_OK;
    int e = tac_layers_class(&safe->types[p->type].layers, p->shift, verdict->armed) + verdict->slower;
    TAC_TRY(p->armed < 0 ? tac_ruler_add(&safe->ruler, id, e, error)
                         : tac_ruler_move(&safe->ruler, id, e, error));
    if (e < safe->stats.deepest) safe->stats.deepest = e;
    tac_safe_drop_certificate(safe, id);
    set_armed(safe, id, verdict->armed);
    tac_safe_set_margin(p, verdict->margin);
    p->slower = (uint8_t)verdict->slower;
    p->idle = 0;
    return TAC_OK;
}

TacStatus tac_safe_apply_verdict(TacSafe *safe, uint32_t id, const TacVerdict *verdict, TacTick now,
                                 TacError *error) {
    TacPair *p = &safe->pairs[id];
    p->dirty = false;
    safe->stats.certificates++;
    safe->stats.certificates_processed++;
    if (verdict->alarmed) {
        TacVerdict armed;
        rest_on_paces(safe, p, now);
        judge_layers(safe, p, now, &armed);
        return arm(safe, id, &armed, now, error);
    }
    if (verdict->armed >= 0) return arm(safe, id, verdict, now, error);
    if (p->armed >= 0) {
        tac_ruler_remove(&safe->ruler, id);
        set_armed(safe, id, -1);
        p->slower = 0;
        leave_paces(safe, p);
    }
    if (verdict->level == TAC_LEVEL_NONE) {
        tac_safe_drop_certificate(safe, id);
        return TAC_OK;
    }
    if (!tac_safe_take_certificate(safe, id)) return tac_fail_memory(error, 0);
    tac_safe_certify_at(safe, id, (TacLevel)verdict->level, verdict->d);
    return verdict->level == TAC_LEVEL_TIMED ? tac_wheel_file(&safe->pair_wheel, id, verdict->until, error)
                                             : TAC_OK;
}
