// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Matter that changes its resolution while it touches others; safe.h says what it is for, and design "Wires" why.
//
// A wire has vertices for its finest level. At a coarser one most of them are carried by two live points, as mapped
// vertices are by what they follow. So refining moves nothing; coarsening sends each removed point, and the vertices around
// it, straight to the chord. That way is certified here before it is taken:
//
//   1. Over the whole way every pair stays farther apart than the smaller of its outermost layer and of its gap at the
//      start, but for 1/64 of that (what rests on a face may come to rest on it a little differently).
//   2. Distances change by no more than the vertices move. So a pair whose distance in the middle of a piece of the way
//      exceeds the limit by half of that is clear; else the piece is halved; what is not clear after a bounded number of
//      looks is not clear.
//   3. Everything that is near is looked at where it is now: no plan, box or certificate is asked, so changes of one
//      instant can follow each other.
//
// Afterwards plans and certificates of its vertices are remade as after any change from outside. Bounds of mass, and with
// them layers and their clocks, are those of the finest level, at which points are lightest: they hold at every level and
// never change, so a pair feels the same layers whatever the level is.

#include "contact/layer_others.h"
#include "contact/safe_parts.h"

enum { MOST_LOOKS = 256, MOST_CARRIERS = 64 }; // at one pair on its way; of one vertex, in the scene
static const double GIVE = 1.0 / 64;           // by which a pair in touch may come nearer

typedef struct Box {
    double low[3], high[3];
} Box;

// What is near the way of the whole matter, in order; the moving ones are marked.
typedef struct TacWayNear {
    uint32_t primitive;
    bool moving;
    Box box;
} TacWayNear;

struct TacReshaped {
    uint32_t first; // support
    size_t count;
    uint32_t *vertices; // those on its supports, ascending
    size_t vertex_count;
    TacSafeCarrier *made;                  // their carriers as the scene has them: points of the finest level
    uint32_t *made_first;                  // of each vertex, and of one more
    uint32_t first_carrier, first_carried; // room in safe->carriers and safe->carried
    double *from, *to;                     // places of its vertices on their way
    TacCarriedPoint *lines;                // as they are now; all zero before the first time
    bool going;                            // between tac_safe_may_reshape and tac_safe_reshape
    TacTick asked;                         // when that was: who was let go and did not has stayed
    TacTick kicked;                        // when a layer pushed one of its vertices last; saved
    TacReshaped *next;
};

void tac_safe_free_reshaped(TacSafe *safe) {
    free(safe->way);
    while (safe->reshaped) {
        TacReshaped *r = safe->reshaped;
        safe->reshaped = r->next;
        free(r->vertices);
        free(r->made);
        free(r->made_first);
        free(r->from);
        free(r->to);
        free(r->lines);
        free(r);
    }
}

static TacReshaped *find(const TacSafe *safe, uint32_t first) {
    TacReshaped *r = safe->reshaped;
    while (r && r->first != first) r = r->next;
    return r;
}

// --- who carries whom ---------------------------------------------------------------------------------------

static bool is_own(const TacReshaped *r, uint32_t support) {
    return support >= r->first && support - r->first < r->count;
}

static bool rests_on(const TacSafe *safe, const TacReshaped *r, const TacVertex *v) {
    for (uint32_t i = 0; i < v->count; i++)
        if (is_own(r, tac_safe_carrier(safe, v, i).support)) return true;
    return false;
}

// Its vertices, and what carries them in the scene.
static bool take_vertices(const TacSafe *safe, TacReshaped *r) {
    size_t carriers = 0;
    for (size_t i = 0; i < safe->vertex_count; i++) {
        if (!rests_on(safe, r, &safe->vertices[i])) continue;
        if (safe->vertices[i].count > MOST_CARRIERS) return false;
        r->vertex_count++;
        carriers += safe->vertices[i].count;
    }
    r->vertices = calloc(r->vertex_count + 1, sizeof *r->vertices);
    r->made_first = calloc(r->vertex_count + 1, sizeof *r->made_first);
    r->made = calloc(carriers + 1, sizeof *r->made);
    r->from = calloc(r->vertex_count + 1, 3 * sizeof *r->from);
    r->to = calloc(r->vertex_count + 1, 3 * sizeof *r->to);
    r->lines = calloc(r->count + 1, sizeof *r->lines);
    if (!r->vertices || !r->made_first || !r->made || !r->from || !r->to || !r->lines) return false;
    size_t n = 0;
    uint32_t at = 0;
    for (size_t i = 0; i < safe->vertex_count; i++) {
        const TacVertex *v = &safe->vertices[i];
        if (!rests_on(safe, r, v)) continue;
        for (uint32_t k = 0; k < v->count; k++) r->made[at++] = tac_safe_carrier(safe, v, k);
        r->vertices[n] = (uint32_t)i;
        r->made_first[++n] = at;
    }
    return true;
}

// Room for twice as many carriers, behind those that there are.
static bool take_room(TacSafe *safe, TacReshaped *r) {
    size_t used = 0, more = 2 * (size_t)r->made_first[r->vertex_count];
    for (size_t i = 0; i < safe->support_count; i++) used += safe->supports[i].vertex_count;
    for (const TacReshaped *other = safe->reshaped; other; other = other->next) {
        size_t end = other->first_carrier + 2 * (size_t)other->made_first[other->vertex_count];
        used = end > used ? end : used;
    }
    TacSafeCarrier *carriers = realloc(safe->carriers, (used + more + 1) * sizeof *carriers);
    if (carriers) safe->carriers = carriers;
    uint32_t *carried = realloc(safe->carried, (used + more + 1) * sizeof *carried);
    if (carried) safe->carried = carried;
    r->first_carrier = r->first_carried = (uint32_t)used;
    return carriers && carried && used + more < UINT32_MAX;
}

// Vertices may have other supports than now: their places at rest stay.
static bool keep_rests(TacSafe *safe) {
    if (safe->rests) return true;
    const double **rests = tac_arena_array(&safe->arena, safe->vertex_count, sizeof *rests);
    for (uint32_t i = 0; rests && i < safe->vertex_count; i++) rests[i] = tac_safe_rest(safe, i);
    safe->rests = rests;
    return rests;
}

TacStatus tac_safe_allow_reshape(TacSafe *safe, uint32_t first, size_t count, TacError *error) {
    TacReshaped *r = calloc(1, sizeof *r);
    if (!r) return tac_fail_memory(error, sizeof *r);
    r->first = first;
    r->count = count;
    r->kicked = INT64_MIN / 2; // never
    if (!safe->way) safe->way = calloc(safe->primitive_count + 1, sizeof *safe->way);
    bool good = safe->way && keep_rests(safe) && take_vertices(safe, r) && take_room(safe, r);
    r->next = safe->reshaped;
    safe->reshaped = r;
    return good ? TAC_OK : tac_fail_memory(error, 0);
}

// The carriers of one vertex: each point of the finest level replaced by those that carry it.
static uint32_t find_carriers(const TacReshaped *r, size_t k, const TacCarriedPoint *lines,
                              TacSafeCarrier *to) {
    uint32_t n = 0;
    for (uint32_t i = r->made_first[k]; i < r->made_first[k + 1]; i++) {
        TacSafeCarrier made = r->made[i], by[2] = {made, {0, 0}};
        if (is_own(r, made.support)) {
            const TacCarriedPoint *line = &lines[made.support - r->first];
            by[0] = (TacSafeCarrier){r->first + line->a, made.weight * (1 - line->t)};
            by[1] = (TacSafeCarrier){r->first + line->b, made.weight * line->t};
        }
        for (int j = 0; j < 2; j++) {
            uint32_t at = 0;
            if (by[j].weight == 0) continue;
            while (at < n && to[at].support != by[j].support) at++;
            if (at == n) to[n++] = (TacSafeCarrier){by[j].support, 0};
            to[at].weight += by[j].weight;
        }
    }
    return n;
}

static void set_carriers(TacSafe *safe, TacReshaped *r, const TacCarriedPoint *lines) {
    uint32_t at = r->first_carrier;
    for (size_t k = 0; k < r->vertex_count; k++) {
        TacVertex *v = &safe->vertices[r->vertices[k]];
        v->first = at;
        v->count = find_carriers(r, k, lines, safe->carriers + at);
        const TacSafeCarrier *c = &safe->carriers[at];
        v->support = v->count == 1 && c->weight == 1 ? c->support : TAC_SAFE_NONE;
        at += v->count;
    }
}

// The vertices of each of its supports.
static void set_carried(TacSafe *safe, const TacReshaped *r) {
    TacSupport *own = safe->supports + r->first;
    for (size_t i = 0; i < r->count; i++) own[i].vertex_count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < r->vertex_count; k++) {
            const TacVertex *v = &safe->vertices[r->vertices[k]];
            for (uint32_t i = 0; i < v->count; i++) {
                uint32_t support = tac_safe_carrier(safe, v, i).support;
                TacSupport *s = &safe->supports[support];
                if (!is_own(r, support)) continue;
                if (pass) safe->carried[s->first_vertex + s->vertex_count] = r->vertices[k];
                s->vertex_count++;
            }
        }
        uint32_t at = r->first_carried;
        for (size_t i = 0; i < r->count && !pass; i++) {
            own[i].first_vertex = at;
            at += own[i].vertex_count;
            own[i].vertex_count = 0;
        }
    }
}

static bool set_masses(TacSafe *safe, const TacReshaped *r, const double *inverse) {
    for (size_t i = 0; i < r->count; i++) {
        TacSupport *s = &safe->supports[r->first + i];
        TacSupportKind kind = *s->kind;
        unsigned held = kind.matter->held ? kind.matter->held[s->index] : 0;
        kind.bound = tac_support_bound(s); // stays as it is
        for (int k = 0; k < 3; k++) {
            bool is_free = !(held & TAC_HELD_WHOLLY) && !(held & (unsigned)TAC_HELD_X << k);
            kind.axes[k] = is_free ? 1 : 0;
        }
        if (!tac_safe_set_kind(safe, r->first + (uint32_t)i, &kind)) return false;
        if (kind.bound > 0) s->w = inverse[i]; // else nothing moves it
    }
    return true;
}

// --- the way ------------------------------------------------------------------------------------------------

// Where its vertices are, and where `lines` would have them.
static void find_way(const TacSafe *safe, TacReshaped *r, const TacCarriedPoint *lines, TacTick now) {
    for (size_t k = 0; k < r->vertex_count; k++) {
        TacSafeCarrier by[2 * MOST_CARRIERS];
        tac_safe_place(safe, r->vertices[k], now, r->from + 3 * k);
        uint32_t n = find_carriers(r, k, lines, by);
        double sum[3] = {0, 0, 0};
        for (uint32_t i = 0; i < n; i++) {
            const TacSupport *s = &safe->supports[by[i].support];
            double h = tac_safe_seconds(safe, now - *tac_support_time(s));
            for (int a = 0; a < 3; a++)
                sum[a] += by[i].weight *
                          (tac_support_x(s)[a] + h * tac_support_v(s)[a] + 0.5 * h * h * s->kind->g[a]);
        }
        memcpy(r->to + 3 * k, sum, sizeof sum);
    }
}

// A vertex's number among those of the matter; vertex_count: it is none of them.
static size_t number_of(const TacReshaped *r, uint32_t vertex) {
    size_t low = 0, high = r->vertex_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->vertices[middle] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->vertex_count && r->vertices[low] == vertex ? low : r->vertex_count;
}

static bool moves(const TacReshaped *r, size_t number) {
    return number < r->vertex_count &&
           memcmp(r->from + 3 * number, r->to + 3 * number, 3 * sizeof *r->from) != 0;
}

// Both ends of a vertex's way.
static bool ends_of(const TacSafe *safe, const TacReshaped *r, uint32_t vertex, TacTick now, double from[3],
                    double to[3]) {
    size_t k = number_of(r, vertex);
    if (k == r->vertex_count) {
        tac_safe_place(safe, vertex, now, from);
        memcpy(to, from, 3 * sizeof *to);
        return false;
    }
    memcpy(from, r->from + 3 * k, 3 * sizeof *from);
    memcpy(to, r->to + 3 * k, 3 * sizeof *to);
    return moves(r, k);
}

static const Box nowhere = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void hold(Box *box, const double x[3], double margin) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = fmin(box->low[k], x[k] - margin);
        box->high[k] = fmax(box->high[k], x[k] + margin);
    }
}

static bool meet(const Box *a, const Box *b) {
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    return true;
}

// The way of a primitive with its solid and half of the thickest layer. Whether it moves at all.
static bool bound_way(const TacSafe *safe, const TacReshaped *r, uint32_t primitive, TacTick now, Box *box) {
    const TacPrimitive *p = &safe->primitives[primitive];
    double margin = tac_safe_radius(safe, primitive) + 0.51 * safe->most_eta, from[3], to[3];
    bool moving = false;
    *box = nowhere;
    for (int i = 0; i <= p->kind; i++) {
        moving = ends_of(safe, r, p->v[i], now, from, to) || moving;
        hold(box, from, margin);
        hold(box, to, margin);
    }
    return moving;
}

// Rule 2.
static bool stays_apart(const TacSafe *safe, const TacPair *pair, int na, int n, double from[4][3],
                        double to[4][3], double limit) {
    double most[2] = {0, 0}, start[MOST_LOOKS], length[MOST_LOOKS];
    for (int i = 0; i < n; i++)
        most[i >= na] = fmax(most[i >= na], tac_norm(tac_sub(tac_load3(to[i]), tac_load3(from[i]))));
    int depth = 1, looks = 0;
    start[0] = 0;
    length[0] = 1;
    while (depth > 0) {
        double begin = start[--depth], half = 0.5 * length[depth], q[4][3];
        if (++looks > MOST_LOOKS) return false;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) q[i][k] = from[i][k] + (begin + half) * (to[i][k] - from[i][k]);
        double distance = tac_safe_closest(safe, pair, q).distance;
        if (distance - half * (most[0] + most[1]) > limit) continue;
        if (!(distance > limit) || depth + 2 > MOST_LOOKS) return false;
        start[depth] = begin;
        start[depth + 1] = begin + half;
        length[depth] = length[depth + 1] = half;
        depth += 2;
    }
    return true;
}

// Rule 1.
static bool pair_is_clear(const TacSafe *safe, const TacReshaped *r, uint32_t a, uint32_t b, TacTick now) {
    uint32_t known = tac_safe_find_pair(safe, a, b), v[4];
    const TacPrimitive *pa = &safe->primitives[a], *pb = &safe->primitives[b];
    uint16_t type = tac_safe_type(safe, &safe->skins[pa->skin], &safe->skins[pb->skin]);
    const TacPair fresh = {.a = a, .b = b, .type = type};
    const TacPair *pair = known == TAC_SAFE_NONE ? &fresh : &safe->pairs[known];
    double from[4][3], to[4][3], eta = safe->types[type].layers.eta1,
                                 radii = tac_safe_pair_radius(safe, pair);
    int na, n = tac_safe_vertices(safe, pair, v, &na);
    if (known != TAC_SAFE_NONE) eta *= tac_safe_nest(safe, pair, now).scale;
    for (int i = 0; i < n; i++) ends_of(safe, r, v[i], now, from[i], to[i]);
    double gap = tac_safe_closest(safe, pair, from).distance - radii;
    return stays_apart(safe, pair, na, n, from, to, radii + (1 - GIVE) * fmin(eta, gap));
}

// Around the ways of all that moves.
static Box bound_all(const TacSafe *safe, const TacReshaped *r, TacTick now) {
    Box all = nowhere, one;
    for (size_t k = 0; k < r->vertex_count; k++) {
        const TacVertexLore *v = &safe->lore[r->vertices[k]];
        for (uint32_t i = 0; moves(r, k) && i < v->primitive_count; i++) {
            bound_way(safe, r, safe->around[v->first_primitive + i], now, &one);
            hold(&all, one.low, 0);
            hold(&all, one.high, 0);
        }
    }
    return all;
}

static bool are_clear(const TacSafe *safe, const TacReshaped *r, const TacWayNear *a, const TacWayNear *b,
                      TacTick now) {
    if (!meet(&a->box, &b->box) || !tac_safe_may_touch(safe, a->primitive, b->primitive)) return true;
    return pair_is_clear(safe, r, a->primitive, b->primitive, now);
}

static bool way_is_clear(const TacSafe *safe, const TacReshaped *r, TacWayNear *near, TacTick now) {
    Box all = bound_all(safe, r, now);
    size_t count = 0;
    for (uint32_t i = 0; i < safe->primitive_count; i++) {
        TacWayNear *one = &near[count];
        one->primitive = i;
        one->moving = bound_way(safe, r, i, now, &one->box);
        count += meet(&one->box, &all);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; near[i].moving && k < count; k++) {
            if (k == i || (k < i && near[k].moving)) continue; // each pair once
            if (!are_clear(safe, r, &near[i < k ? i : k], &near[i < k ? k : i], now)) return false;
        }
    return true;
}

bool tac_safe_may_reshape(TacSafe *safe, uint32_t first, const TacCarriedPoint *lines, TacTick now) {
    TacReshaped *r = find(safe, first);
    if (!r) return false;
    find_way(safe, r, lines, now);
    r->asked = now;
    r->going = TACTUS_SABOTAGE == TAC_SABOTAGE_RESHAPE || way_is_clear(safe, r, safe->way, now);
    if (r->going)
        tac_safe_tell_before_jump(safe, now);
    else
        safe->stats.postponed++;
    return r->going;
}

// --- going --------------------------------------------------------------------------------------------------

// What a pair remembers has gone with it: a jump is no sliding and no parting.
static void shift_memory(const TacSafe *safe, const TacReshaped *r, const TacPair *p, TacTick now) {
    uint32_t v[4];
    double from[4][3], to[4][3];
    int na, n = tac_safe_vertices(safe, p, v, &na);
    TacLive *live = &safe->lives[p->live];
    for (int i = 0; i < n; i++) ends_of(safe, r, v[i], now, from[i], to[i]);
    if (safe->grips) {
        TacGrip *grip = &safe->grips[p->live];
        tac_add3(grip->stuck, tac_sub(tac_safe_between(grip->weight, na == 2, n, to),
                                      tac_safe_between(grip->weight, na == 2, n, from)));
    }
    double change = tac_safe_closest(safe, p, to).distance - tac_safe_closest(safe, p, from).distance;
    live->gap += change / tac_safe_nest(safe, p, now).scale;
}

// The next live pair, from `at` on, with a vertex of it (one that moves, where `moving`); NULL: there is none.
static const TacPair *next_live(const TacSafe *safe, const TacReshaped *r, size_t *at, bool moving) {
    while (*at < safe->pair_used) {
        const TacPair *p = &safe->pairs[(*at)++];
        if (p->a == TAC_SAFE_NONE || p->live == TAC_SAFE_NONE) continue;
        uint32_t v[4];
        int na, n = tac_safe_vertices(safe, p, v, &na);
        for (int k = 0; k < n; k++) {
            size_t number = number_of(r, v[k]);
            if (number < r->vertex_count && (!moving || moves(r, number))) return p;
        }
    }
    return NULL;
}

static void shift_memories(TacSafe *safe, const TacReshaped *r, TacTick now) {
    size_t at = 0;
    for (const TacPair *p; (p = next_live(safe, r, &at, true));) shift_memory(safe, r, p, now);
}

// When a pair that has parted is forgotten depends on when it was looked at last: only where things are, and kicks, decide.
bool tac_safe_is_touched(const TacSafe *safe, uint32_t first, TacTick since, TacTick now) {
    const TacReshaped *r = find(safe, first);
    size_t at = 0;
    TacLayerLook look;
    if (r && r->kicked >= since) return true;
    for (const TacPair *p; r && (p = next_live(safe, r, &at, false));)
        if (tac_layer_look(safe, p, now, &look)) return true;
    return false;
}

void tac_safe_feel_reshaped(TacSafe *safe, const TacSafeKick *kick, TacTick now) {
    for (TacReshaped *r = safe->reshaped; r; r = r->next)
        for (int k = 0; k < kick->count; k++)
            if (number_of(r, kick->v[k]) < r->vertex_count) r->kicked = now;
}

size_t tac_safe_reshaped_bytes(const TacSafe *safe) {
    size_t count = 0;
    for (const TacReshaped *r = safe->reshaped; r; r = r->next) count++;
    return count * sizeof(TacTick);
}

void tac_safe_save_reshaped(const TacSafe *safe, void *to) {
    char *at = to;
    for (const TacReshaped *r = safe->reshaped; r; r = r->next, at += sizeof r->kicked)
        memcpy(at, &r->kicked, sizeof r->kicked);
}

void tac_safe_restore_reshaped(TacSafe *safe, const void *from) {
    const char *at = from;
    for (TacReshaped *r = safe->reshaped; r; r = r->next, at += sizeof r->kicked)
        memcpy(&r->kicked, at, sizeof r->kicked);
}

TacStatus tac_safe_reshape(TacSafe *safe, uint32_t first, const TacCarriedPoint *lines, const double *inverse,
                           TacTick now, TacError *error) {
    TacReshaped *r = find(safe, first);
    if (!r) return tac_fail(error, TAC_FAILED, "it has no vertices that could be carried by others");
    r->going = r->going && r->asked == now;
    bool same = !r->going && !memcmp(r->lines, lines, r->count * sizeof *lines);
    if (!set_masses(safe, r, inverse)) return tac_fail_memory(error, 0);
    if (same) return TAC_OK;
    memcpy(r->lines, lines, r->count * sizeof *lines);
    if (!r->going) { // nothing moves, but for rounding
        tac_safe_tell_before_jump(safe, now);
        for (size_t k = 0; k < r->vertex_count; k++)
            tac_safe_place(safe, r->vertices[k], now, r->from + 3 * k);
    }
    set_carriers(safe, r, lines);
    set_carried(safe, r);
    for (uint32_t i = 0; i < r->count; i++) tac_safe_watch(safe, r->first + i);
    for (size_t k = 0; k < r->vertex_count; k++) tac_safe_place(safe, r->vertices[k], now, r->to + 3 * k);
    tac_safe_tell_jump(safe, r->vertices, r->to, r->vertex_count);
    if (r->going) shift_memories(safe, r, now);
    r->going = false;
    safe->stats.reshapes++;
    for (size_t k = 0; k < r->vertex_count && safe->windows > 0; k++) { // else it has not started
        safe->lore[r->vertices[k]].trend.span = -1;
        tac_safe_mark_dirty(safe, r->vertices[k]);
        tac_safe_mark_around(safe, r->vertices[k], TAC_MARK_ARMED | TAC_MARK_PLANS | TAC_MARK_COURSES);
    }
    return safe->out_of_memory ? tac_fail_memory(error, 0) : TAC_OK;
}
