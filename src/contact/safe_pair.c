// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pairs of primitives: which there are, how near they are, and until when that is certain.

#include "contact/safe_parts.h"
#include "geometry/closest.h"

// --- geometry ---------------------------------------------------------------------------------------------

static int corner_count(const TacPrimitive *p) {
    return (int)p->kind + 1;
}

int tac_safe_vertices(const TacSafe *safe, const TacPair *pair, uint32_t v[4], int *first_side) {
    const TacPrimitive *a = &safe->primitives[pair->a], *b = &safe->primitives[pair->b];
    int na = corner_count(a), nb = corner_count(b), n = 0;
    for (int i = 0; i < na; i++) v[n++] = a->v[i];
    for (int i = 0; i < nb; i++) v[n++] = b->v[i];
    *first_side = na;
    return n;
}

static inline TacVec3 at(const double q[3]) {
    return tac_load3(q);
}

// The direction between two near points loses what their distance has fewer digits than their places. Where both lie
// inside their primitives it is also that of the cross product of two sides, which loses nothing unless they are
// nearly parallel.
static void sharpen(TacSafeClosest *c, TacVec3 e, TacVec3 f) {
    double longest = fmax(tac_dot(e, e), tac_dot(f, f));
    if (c->distance * c->distance > 1e-10 * longest) return;
    TacVec3 n = tac_cross(e, f);
    double size = tac_norm(n), height = size / sqrt(longest);
    if (!(height > c->distance)) return;
    double sign = tac_dot(n, tac_load3(c->normal)) < 0 ? -1 : 1;
    tac_store3(c->normal, tac_scale(n, sign / size));
}

TacSafeClosest tac_safe_closest(const TacSafe *safe, const TacPair *pair, double q[4][3]) {
    TacSafeClosest c = {.weight = {0, 0, 0, 0}};
    const TacPrimitive *a = &safe->primitives[pair->a], *b = &safe->primitives[pair->b];
    if (a->kind == TAC_PRIMITIVE_EDGE) {
        double s, t;
        tac_closest_edges(at(q[0]), at(q[1]), at(q[2]), at(q[3]), &s, &t);
        c.weight[0] = 1 - s;
        c.weight[1] = s;
        c.weight[2] = -(1 - t);
        c.weight[3] = -t;
    } else if (b->kind == TAC_PRIMITIVE_FACE) {
        double w[3];
        tac_closest_point_triangle(at(q[0]), at(q[1]), at(q[2]), at(q[3]), w);
        c.weight[0] = 1;
        for (int k = 0; k < 3; k++) c.weight[k + 1] = -w[k];
    } else if (b->kind == TAC_PRIMITIVE_EDGE) {
        double t;
        tac_closest_point_segment(at(q[0]), at(q[1]), at(q[2]), &t);
        c.weight[0] = 1;
        c.weight[1] = -(1 - t);
        c.weight[2] = -t;
    } else {
        c.weight[0] = 1;
        c.weight[1] = -1;
    }
    // relative to one corner, so that places far from the origin lose nothing
    double n[3] = {0, 0, 0};
    int count = corner_count(a) + corner_count(b);
    for (int i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) n[k] += c.weight[i] * (q[i][k] - q[0][k]);
    c.distance = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double inverse = c.distance > 0 ? 1 / c.distance : 0;
    for (int k = 0; k < 3; k++) c.normal[k] = n[k] * inverse;
    bool inside = true;
    for (int i = 0; i < count; i++) inside = inside && c.weight[i] != 0;
    if (!inside || count < 4) return c;
    TacVec3 last = tac_sub(at(q[3]), at(q[2]));
    if (a->kind == TAC_PRIMITIVE_EDGE)
        sharpen(&c, tac_sub(at(q[1]), at(q[0])), last);
    else
        sharpen(&c, tac_sub(at(q[2]), at(q[1])), last);
    return c;
}

// --- the table of pairs -----------------------------------------------------------------------------------

static size_t slot_of(uint64_t key, size_t size) {
    key = (key ^ (key >> 31)) * 0x9E3779B97F4A7C15ULL;
    return (size_t)(key >> 20) & (size - 1);
}

static uint64_t key_of(const TacPair *p) {
    return tac_safe_key(p->a, p->b);
}

uint32_t tac_safe_find_pair(const TacSafe *safe, uint32_t a, uint32_t b) {
    if (!safe->table_size) return TAC_SAFE_NONE;
    uint64_t key = tac_safe_key(a, b);
    for (size_t i = slot_of(key, safe->table_size); safe->table[i]; i = (i + 1) & (safe->table_size - 1))
        if (key_of(&safe->pairs[safe->table[i] - 1]) == key) return safe->table[i] - 1;
    return TAC_SAFE_NONE;
}

static bool enlarge_table(TacSafe *safe) {
    if (2 * (safe->pair_count + 1) < safe->table_size) return true;
    size_t size = safe->table_size ? 2 * safe->table_size : 1024;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table) return false;
    for (size_t i = 0; i < safe->table_size; i++) {
        if (!safe->table[i]) continue;
        size_t at_slot = slot_of(key_of(&safe->pairs[safe->table[i] - 1]), size);
        while (table[at_slot]) at_slot = (at_slot + 1) & (size - 1);
        table[at_slot] = safe->table[i];
    }
    free(safe->table);
    safe->table = table;
    safe->table_size = size;
    return true;
}

// Takes an entry out and closes the gap in its run.
static void forget_key(TacSafe *safe, uint32_t pair) {
    size_t mask = safe->table_size - 1, i = slot_of(key_of(&safe->pairs[pair]), safe->table_size);
    while (safe->table[i] != pair + 1) i = (i + 1) & mask;
    for (size_t j = i;;) {
        safe->table[i] = 0;
        for (;;) {
            j = (j + 1) & mask;
            if (!safe->table[j]) return;
            size_t home = slot_of(key_of(&safe->pairs[safe->table[j] - 1]), safe->table_size);
            if (((j - home) & mask) >= ((j - i) & mask)) break;
        }
        safe->table[i] = safe->table[j];
        i = j;
    }
}

static void link_pair(TacSafe *safe, uint32_t pair, int side) {
    TacPair *p = &safe->pairs[pair];
    uint32_t *first = &safe->primitives[side ? p->b : p->a].first_pair;
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
        safe->primitives[side ? p->b : p->a].first_pair = next;
}

static bool share_vertex(const TacPrimitive *a, const TacPrimitive *b) {
    for (int i = 0; i < corner_count(a); i++)
        for (int k = 0; k < corner_count(b); k++)
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
    for (int i = 0; i < corner_count(a) + corner_count(b); i++) {
        const TacVertex *y = &safe->vertices[i < corner_count(a) ? a->v[i] : b->v[i - corner_count(a)]];
        if (!y->frame || safe->carriers[x->first].support != safe->carriers[y->first].support) return false;
    }
    return true;
}

bool tac_safe_may_touch(const TacSafe *safe, uint32_t ia, uint32_t ib) {
    const TacPrimitive *a = &safe->primitives[ia], *b = &safe->primitives[ib];
    if (ia == ib || !kinds_touch(a, b) || (!a->movable && !b->movable)) return false;
    const TacSafeSkin *s = &safe->skins[a->skin], *t = &safe->skins[b->skin];
    if (a->skin == b->skin ? !s->self : !(s->group & t->mask) || !(t->group & s->mask)) return false;
    if (safe->types[(size_t)s->material * safe->material_count + (size_t)t->material].excluded) return false;
    return !share_vertex(a, b) && !same_frame(safe, a, b);
}

// --- making pairs -----------------------------------------------------------------------------------------

static double side_bound(const TacSafe *safe, const TacPrimitive *p) {
    double most = 0;
    for (int i = 0; i < corner_count(p); i++) most = fmax(most, safe->vertices[p->v[i]].bound);
    return most;
}

static TacStatus fail_touching(const TacSafe *safe, const TacPair *p, double gap, TacError *error) {
    const TacPrimitive *a = &safe->primitives[p->a], *b = &safe->primitives[p->b];
    static const char *const kinds[] = {"vertex", "edge", "face"};
    return tac_fail(error, TAC_BAD_INPUT,
                    "%s %u of %s and %s %u of %s touch at the start (gap %g m); safe contact begins apart",
                    kinds[a->kind], a->number, safe->skins[a->skin].name, kinds[b->kind], b->number,
                    safe->skins[b->skin].name, gap);
}

TacStatus tac_safe_add_pair(TacSafe *safe, uint32_t a, uint32_t b, TacTick now, TacError *error) {
    uint32_t id = safe->free_pair;
    if (!enlarge_table(safe)) return tac_fail_memory(error, 0);
    if (id == TAC_SAFE_NONE) {
        if (!tac_grow(&safe->pairs, &safe->pair_capacity, safe->pair_used + 1, sizeof *safe->pairs))
            return tac_fail_memory(error, 0);
        id = (uint32_t)safe->pair_used++;
    } else {
        safe->free_pair = safe->pairs[id].next[0];
    }
    TacPair *p = &safe->pairs[id];
    const TacPrimitive *pa = &safe->primitives[a], *pb = &safe->primitives[b];
    size_t type = (size_t)safe->skins[pa->skin].material * safe->material_count +
                  (size_t)safe->skins[pb->skin].material;
    *p = (TacPair){.a = a, .b = b, .live = TAC_SAFE_NONE, .type = (uint16_t)type, .armed = -1};
    const TacLayers *layers = &safe->types[type].layers;
    p->r1 = layers->strength / (side_bound(safe, pa) + side_bound(safe, pb));
    link_pair(safe, id, 0);
    link_pair(safe, id, 1);
    size_t slot = slot_of(key_of(p), safe->table_size);
    while (safe->table[slot]) slot = (slot + 1) & (safe->table_size - 1);
    safe->table[slot] = id + 1;
    safe->pair_count++;

    double q[4][3];
    uint32_t v[4];
    int side, n = tac_safe_vertices(safe, p, v, &side);
    for (int i = 0; i < n; i++) tac_safe_place(safe, v[i], now, q[i]);
    double gap = tac_safe_closest(safe, p, q).distance - tac_safe_pair_radius(safe, p);
    if (safe->starting && !(gap > 0)) return fail_touching(safe, p, gap, error);
    TAC_TRY(tac_safe_take_nest(safe, p, gap, now, error));
    p->near = (float)gap;
    tac_safe_mark_pair(safe, id);
    return TAC_OK;
}

void tac_safe_remove_pair(TacSafe *safe, uint32_t id) {
    TacPair *p = &safe->pairs[id];
    if (p->armed >= 0) tac_ruler_remove(&safe->ruler, id);
    tac_wheel_cancel(&safe->pair_wheel, id);
    if (p->live != TAC_SAFE_NONE) {
        safe->lives[p->live].pair = TAC_SAFE_NONE;
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

// --- certificates -----------------------------------------------------------------------------------------

// The straight part of how the plans of two vertices part along the normal: at now, per second, and what
// gravity may take when it differs.
typedef struct Slab {
    double gap[4], speed[4], pull[4];
    int count;
    double doubt; // m, by rounding
} Slab;

double tac_safe_room(const TacSafe *safe, const TacPair *p) {
    double eta = tac_layers_limit(&safe->types[p->type].layers, p->shift, -1), near = (double)p->near;
    return fmax(0.1 * (near - eta), 0.01 * near); // two boxes seen from a corner take up to 3.5 times this
}

// Whether the fat boxes of the two sides, taken as they are along the coordinate axes, are farther apart along
// the direction of their centres' closest points than the outermost layer reaches.
static bool boxes_apart(const TacSafe *safe, const TacPair *pair, double limit) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, pair, v, &na);
    double c[4][3], half[4][3];
    for (int i = 0; i < n; i++) {
        const float *box = safe->boxes + (size_t)safe->def.k * v[i];
        for (int k = 0; k < 3; k++) {
            c[i][k] = 0.5 * ((double)box[2 * k] - (double)box[2 * k + 1]);
            half[i][k] = 0.5 * ((double)box[2 * k] + (double)box[2 * k + 1]);
        }
    }
    TacSafeClosest closest = tac_safe_closest(safe, pair, c);
    const double *d = closest.normal;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n; i++) {
        double at_centre = 0, wide = 0;
        for (int k = 0; k < 3; k++) {
            at_centre += d[k] * c[i][k];
            wide += fabs(d[k]) * half[i][k];
        }
        if (i < na)
            low = fmin(low, at_centre - wide);
        else
            high = fmax(high, at_centre + wide);
    }
    return low - high > tac_safe_pair_radius(safe, pair) + limit * (1 + 1e-9) + 1e-12 * fabs(low);
}

static Slab make_slab(const TacSafe *safe, const TacPair *pair, int level, TacTick now, float *near,
                      double *widest) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, pair, v, &na);
    double c[4][3], cu[4][3], rho[4], size = 0;
    for (int i = 0; i < n; i++) {
        tac_plan_at(safe, v[i], level, now, c[i], cu[i], &rho[i]);
        for (int k = 0; k < 3; k++) size = fmax(size, fabs(c[i][k]));
        *widest = fmax(*widest, rho[i]);
    }
    TacSafeClosest closest = tac_safe_closest(safe, pair, c);
    const double *d = closest.normal;
    double radius = tac_safe_pair_radius(safe, pair), one = fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
    *near = (float)(closest.distance - radius);
    Slab slab = {.doubt = 1e-14 * (size + closest.distance)};
    for (int i = 0; i < na; i++)
        for (int j = na; j < n; j++) {
            const TacVertex *a = &safe->vertices[v[i]], *b = &safe->vertices[v[j]];
            double gap = 0, speed = 0, pull = 0;
            for (int k = 0; k < 3; k++) {
                gap += d[k] * (c[i][k] - c[j][k]);
                speed += d[k] * (cu[i][k] - cu[j][k]);
                pull += d[k] * (a->g[k] - b->g[k]);
            }
            slab.gap[slab.count] = gap - radius - one * (rho[i] + rho[j]);
            slab.speed[slab.count] = speed - one * (safe->plans[TAC_PLANS * v[i] + (uint32_t)level].spread +
                                                    safe->plans[TAC_PLANS * v[j] + (uint32_t)level].spread);
            slab.pull[slab.count++] = pull;
        }
    return slab;
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

void tac_safe_verdict(const TacSafe *safe, uint32_t id, TacTick now, TacVerdict *verdict) {
    const TacPair *p = &safe->pairs[id];
    const TacLayers *layers = &safe->types[p->type].layers;
    double widest = 0;
    if (TACTUS_SABOTAGE == TAC_SABOTAGE_LAYERS) {
        *verdict = (TacVerdict){.armed = -1, .far = true, .near = INFINITY, .until = TAC_TICK_NEVER};
        return;
    }
    const double longest = 0.25; // s
    *verdict = (TacVerdict){.armed = -1, .level = TAC_WIDE};
    if (p->armed < 0) {
        // boxes that are apart need nothing; what lasts on the wide plans rests on them
        double limit = tac_layers_limit(layers, p->shift, -1);
        if (safe->def.cull && boxes_apart(safe, p, limit)) {
            *verdict = (TacVerdict){.armed = -1, .far = true, .near = INFINITY, .until = TAC_TICK_NEVER};
            return;
        }
        Slab wide = make_slab(safe, p, TAC_WIDE, now, &verdict->near, &widest);
        double t = slab_time(&wide, limit, longest);
        double patience = 32 * ldexp(safe->base.tick, tac_layers_class(layers, p->shift, 0));
        if (t >= patience || t >= 5e-3) {
            verdict->until = now + tac_ticks_floor(safe->base, t);
            return;
        }
    }
    widest = 0;
    verdict->level = TAC_NARROW;
    Slab slab = make_slab(safe, p, TAC_NARROW, now, &verdict->near, &widest);
    TacPair seen = {.type = p->type, .shift = p->shift, .near = verdict->near};
    verdict->wide = widest > 1.5 * tac_safe_room(safe, &seen) && widest > 2e-9 * safe->most_eta;
    // classes are let go of only after they have been idle
    int k = p->armed >= 0 && p->idle < 8 ? p->armed : -1;
    for (;; k++) {
        double t = slab_time(&slab, tac_layers_limit(layers, p->shift, k), longest);
        int next = tac_layers_class(layers, p->shift, k + 1);
        double period = next < 0 ? safe->base.tick : ldexp(safe->base.tick, next);
        bool last = next < 0;
        if (t >= (last ? 2 : 4) * period || last) {
            verdict->armed = k;
            verdict->until = now + tac_ticks_floor(safe->base, t);
            verdict->impossible = last && t < 2 * period;
            if (verdict->until <= now) verdict->until = now + 1;
            return;
        }
    }
}

// Tubes that are wide for this gap are to be remade.
static void narrow(TacSafe *safe, const TacPair *p, TacTick now) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, p, v, &na);
    double room = tac_safe_room(safe, p);
    for (int i = 0; i < n; i++) {
        double c[3], u[3], rho;
        tac_plan_at(safe, v[i], TAC_NARROW, now, c, u, &rho);
        if (rho > room) tac_safe_mark_dirty(safe, v[i]);
    }
}

TacStatus tac_safe_apply_verdict(TacSafe *safe, uint32_t id, const TacVerdict *verdict, TacTick now,
                                 TacError *error) {
    TacPair *p = &safe->pairs[id];
    const TacLayers *layers = &safe->types[p->type].layers;
    p->near = verdict->near;
    safe->stats.certificates++;
    if (verdict->wide) {
        // from here on its vertices' narrow tubes know of it
        p->far = false;
        p->level = TAC_NARROW;
        narrow(safe, p, now);
        return TAC_OK;
    }
    p->dirty = false;
    p->far = verdict->far;
    p->level = verdict->level;
    if (p->far) {
        tac_wheel_cancel(&safe->pair_wheel, id);
        return TAC_OK;
    }
    if (verdict->impossible) return tac_safe_fail_below_tick(safe, id, now, error);
    if (verdict->armed != p->armed) {
        int e = tac_layers_class(layers, p->shift, verdict->armed);
        if (verdict->armed < 0)
            tac_ruler_remove(&safe->ruler, id);
        else if (p->armed < 0)
            TAC_TRY(tac_ruler_add(&safe->ruler, id, e, error));
        else
            TAC_TRY(tac_ruler_move(&safe->ruler, id, e, error));
        if (verdict->armed >= 0 && e < safe->stats.deepest) safe->stats.deepest = e;
        p->armed = (int8_t)verdict->armed;
        p->idle = 0;
    }
    TacTick late = TACTUS_SABOTAGE == TAC_SABOTAGE_LATE ? tac_ticks_floor(safe->base, 0.05) : 0;
    TAC_TRY(tac_wheel_file(&safe->pair_wheel, id, verdict->until + late, error));
    return TAC_OK;
}
