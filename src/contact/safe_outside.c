// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the world tells safe contact about who else kicks its supports; see safe.h.

#include "contact/safe_parts.h"

void tac_safe_set_regular(TacSafe *safe, uint32_t support, int regular) {
    safe->supports[support].regular = (int8_t)regular;
    tac_safe_watch(safe, support);
}

void tac_safe_set_regular_all(TacSafe *safe, uint32_t first, size_t count, int regular) {
    for (size_t i = 0; i < count; i++)
        safe->supports[first + i].regular = safe->watches[first + i].regular = (int8_t)regular;
}

// --- kinds of supports --------------------------------------------------------------------------------------

static bool same_kind(const TacSupportKind *a, const TacSupportKind *b) {
    return a->matter == b->matter && a->inertia == b->inertia && a->bound == b->bound &&
           !memcmp(a->axes, b->axes, sizeof a->axes) && !memcmp(a->g, b->g, sizeof a->g);
}

static TacSupportKind *new_kind(TacSafe *safe) {
    enum { SOME = 16 };
    if (!safe->free_kinds) {
        TacSupportKind *some = tac_arena_array(&safe->arena, SOME, sizeof *some);
        for (int i = 0; some && i < SOME; i++) some[i].next = i + 1 < SOME ? &some[i + 1] : NULL;
        safe->free_kinds = some;
        safe->kind_count += some ? SOME : 0;
    }
    TacSupportKind *kind = safe->free_kinds;
    if (kind) safe->free_kinds = kind->next;
    return kind;
}

bool tac_safe_set_kind(TacSafe *safe, uint32_t support, const TacSupportKind *wanted) {
    TacSupport *s = &safe->supports[support];
    TacSupportKind *old = s->kind, *before = support ? safe->supports[support - 1].kind : NULL, *kind;
    if (old && same_kind(old, wanted)) return true;
    // frames differ in how far they reach
    kind = before && !s->frame && same_kind(before, wanted) ? before
           : old && old->users == 1                         ? old
                                                            : new_kind(safe);
    if (!kind) return false;
    if (old) old->users--;
    if (old && !old->users && old != kind) {
        old->next = safe->free_kinds;
        safe->free_kinds = old;
    }
    if (kind != before) {
        *kind = *wanted;
        kind->users = 0;
        kind->next = NULL;
    }
    kind->users++;
    s->kind = kind;
    return true;
}

// --- what falls by itself -----------------------------------------------------------------------------------

bool tac_safe_falls_anew(const TacSupport *s) {
    double g[3];
    tac_store3(g, tac_matter_fall(s->kind->matter, s->index));
    return memcmp(g, s->kind->g, sizeof g) != 0;
}

static void share_fall(const TacSafe *safe, TacVertex *v) {
    memset(v->g, 0, sizeof v->g);
    for (uint32_t i = 0; i < v->count; i++) {
        TacSafeCarrier c = tac_safe_carrier(safe, v, i);
        for (int k = 0; k < 3; k++) v->g[k] += c.weight * safe->supports[c.support].kind->g[k];
    }
}

void tac_safe_take_fall(TacSafe *safe, uint32_t support) {
    TacSupport *s = &safe->supports[support];
    TacSupportKind kind = *s->kind;
    tac_store3(kind.g, tac_matter_fall(kind.matter, s->index));
    if (!tac_safe_set_kind(safe, support, &kind)) safe->out_of_memory = true;
    for (uint32_t i = 0; i < s->vertex_count; i++)
        share_fall(safe, &safe->vertices[safe->carried[s->first_vertex + i]]);
}

void tac_safe_share_falls(TacSafe *safe) {
    safe->uneven = false;
    for (size_t i = 0; i < safe->vertex_count; i++) {
        share_fall(safe, &safe->vertices[i]);
        safe->uneven = safe->uneven || memcmp(safe->vertices[i].g, safe->vertices[0].g, 3 * sizeof(double));
    }
    for (uint32_t i = 0; i < safe->support_count; i++) tac_safe_watch(safe, i);
}

// --- what others do -----------------------------------------------------------------------------------------

double tac_safe_work(const TacSafe *safe, uint32_t support, const double *before, TacVec3 *linear,
                     TacVec3 *angular) {
    const TacSupport *s = &safe->supports[support];
    double work = 0, impulse[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        double b = before ? before[k] : 0, dv = tac_support_dv(s)[k] - b;
        if (!(tac_support_w(s, k) > 0)) continue;
        impulse[k] = dv / tac_support_w(s, k);
        work += impulse[k] * (tac_support_v(s)[k] + b + 0.5 * dv);
    }
    *linear = tac_add(*linear, tac_load3(impulse));
    *angular = tac_add(*angular, tac_cross(tac_load3(tac_support_x(s)), tac_load3(impulse)));
    if (!s->frame || !s->kind->inertia) return work;
    TacVec3 b = before ? tac_load3(before + 3) : tac_vec3(0, 0, 0),
            dv = tac_sub(tac_load3(tac_support_dv(s) + 3), b);
    TacVec3 turn = tac_inertia_apply(s->kind->inertia, tac_load_quat(tac_support_x(s) + 3), dv);
    TacVec3 mean = tac_axpy(tac_add(tac_load3(tac_support_v(s) + 3), b), 0.5, dv);
    *angular = tac_add(*angular, turn);
    return work + tac_dot(turn, mean);
}

// With whatever it may touch.
static int class_of_skin(const TacSafe *safe, uint32_t skin) {
    int e = TAC_RULER_CLASSES;
    const TacSafeSkin *s = &safe->skins[skin];
    for (size_t i = 0; i < safe->skin_count; i++) {
        const TacSafeSkin *t = &safe->skins[i];
        int of_type = safe->types[tac_safe_type(safe, s, t)].layers.first;
        if (tac_safe_skins_meet(safe, s, t) && of_type < e) e = of_type;
    }
    return e;
}

int tac_safe_layer_class(const TacSafe *safe, uint32_t first, size_t count) {
    int e = TAC_RULER_CLASSES;
    uint32_t last = TAC_SAFE_NONE;
    for (size_t i = 0; i < count; i++) {
        const TacSupport *s = &safe->supports[first + i];
        for (uint32_t k = 0; k < s->vertex_count; k++) {
            const TacVertexLore *v = &safe->lore[safe->carried[s->first_vertex + k]];
            if (!v->primitive_count) continue;
            uint32_t skin = safe->primitives[safe->around[v->first_primitive]].skin;
            if (skin == last) continue;
            last = skin;
            int of_skin = class_of_skin(safe, skin);
            if (of_skin < e) e = of_skin;
        }
    }
    return e;
}

// --- what sleeps --------------------------------------------------------------------------------------------

void tac_safe_set_asleep(TacSafe *safe, uint32_t first, size_t count, bool asleep) {
    for (size_t i = 0; i < count; i++) {
        TacSupport *s = &safe->supports[first + i];
        if (s->asleep == asleep) continue;
        s->asleep = asleep;
        safe->sleepers += asleep ? 1 : -1;
        for (uint32_t k = 0; k < s->vertex_count; k++)
            tac_safe_mark_around(safe, safe->carried[s->first_vertex + k],
                                 TAC_MARK_ARMED | TAC_MARK_PLANS | TAC_MARK_COURSES);
    }
}

bool tac_safe_is_asleep(const TacSafe *safe, uint32_t support) {
    return safe->supports[support].asleep;
}

bool tac_safe_pair_rests(const TacSafe *safe, const TacPair *pair) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, pair, v, &na);
    for (int i = 0; i < n; i++)
        for (uint32_t k = 0; k < safe->vertices[v[i]].count; k++) {
            const TacSupport *s = &safe->supports[tac_safe_carrier(safe, &safe->vertices[v[i]], k).support];
            if (!s->asleep && !tac_safe_never_moves(s)) return false;
        }
    return true;
}

// The supports of a pair, without those that never move, each once.
static int supports_of(const TacSafe *safe, const TacPair *p, uint32_t list[TAC_SAFE_SUPPORTS]) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, p, v, &na), count = 0;
    for (int i = 0; i < n; i++)
        for (uint32_t k = 0; k < safe->vertices[v[i]].count; k++) {
            uint32_t support = tac_safe_carrier(safe, &safe->vertices[v[i]], k).support;
            bool known = tac_safe_never_moves(&safe->supports[support]);
            for (int j = 0; j < count; j++) known = known || list[j] == support;
            if (!known && count < TAC_SAFE_SUPPORTS) list[count++] = support;
        }
    return count;
}

double tac_safe_gap_at(const TacSafe *safe, const TacPair *p, TacTick now) {
    uint32_t v[4];
    int na, n = tac_safe_vertices(safe, p, v, &na);
    double q[4][3];
    for (int k = 0; k < n; k++) tac_safe_place(safe, v[k], now, q[k]);
    return tac_safe_closest(safe, p, q).distance - tac_safe_pair_radius(safe, p);
}

void tac_safe_each_touch(const TacSafe *safe, TacTick now, TacSafeTouch touch, void *data) {
    for (uint32_t i = 0; i < safe->pair_used; i++) {
        const TacPair *p = &safe->pairs[i];
        if (p->a == TAC_SAFE_NONE || (p->armed < 0 && !tac_safe_pair_rests(safe, p))) continue;
        uint32_t supports[TAC_SAFE_SUPPORTS];
        double gap = tac_safe_gap_at(safe, p, now);
        // by where things are, not by what is armed: that depends on who looked when
        if (gap >= safe->types[p->type].layers.eta1 * tac_safe_nest(safe, p, now).scale) continue;
        touch(data, supports, supports_of(safe, p, supports), safe->primitives[p->a].skin,
              safe->primitives[p->b].skin);
    }
}

void tac_safe_each_push(const TacSafe *safe, TacTick now, TacSafePush push, void *data) {
    for (uint32_t i = 0; i < safe->pair_used; i++) {
        const TacPair *p = &safe->pairs[i];
        if (p->a == TAC_SAFE_NONE || !tac_safe_is_live(safe, p, now)) continue;
        uint32_t supports[TAC_SAFE_SUPPORTS];
        push(data, supports, supports_of(safe, p, supports), safe->types[p->type].restitution);
    }
}
