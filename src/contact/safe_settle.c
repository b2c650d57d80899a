// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The end of an instant: kicks are added, and whoever was kicked is asked whether it keeps its plan and its pace.
//
// Most points are kicked together with all of their matter, by the agent that owns them, and nearly all of them keep
// what they promised. They are gone through in one pass over flat arrays: 150 bytes a point. Whoever is in doubt, and
// whatever was kicked by itself, is looked at closely afterwards, one by one.

#include "contact/safe_parts.h"
#include "law/wide.h"

// --- what is watched --------------------------------------------------------------------------------------

static uint8_t carried_by(const TacSafe *safe, const TacVertex *v) {
    unsigned by = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        const TacSupport *s = &safe->supports[tac_safe_carrier(safe, v, i).support];
        if (tac_support_bound(s) == 0) continue;
        // a body that falls by itself has no solver
        bool alone = s->regular == TAC_RULER_CLASSES || (s->frame && tac_matter_falls(s->kind->matter));
        by |= s->frame ? TAC_BY_BODY : 0;
        by |= alone ? 0 : s->frame ? TAC_BY_KICKED : TAC_BY_KICKED | TAC_BY_DEFORMING;
    }
    return (uint8_t)by;
}

void tac_safe_watch(TacSafe *safe, uint32_t support) {
    const TacSupport *s = &safe->supports[support];
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        TacVertex *v = &safe->vertices[safe->carried[s->first_vertex + i]];
        v->by = carried_by(safe, v);
    }
    double most = (double)safe->most_speeds[support] * (double)safe->most_speeds[support] * (1 - 1e-6);
    TacSafeWatch *watch = &safe->watches[support];
    *watch = (TacSafeWatch){.vertex = TAC_SAFE_NONE,
                            .fastest = most < 1e30 ? (float)most : 1e30f,
                            .regular = s->regular,
                            .otherwise = s->frame || s->vertex_count > 1};
    if (s->vertex_count != 1 || s->frame) return;
    uint32_t vertex = safe->carried[s->first_vertex];
    watch->vertex = vertex;
    watch->paced = safe->vertices[vertex].paced > 0;
    watch->otherwise = safe->vertices[vertex].support != support;
}

void tac_safe_watch_pace(TacSafe *safe, uint32_t vertex) {
    uint32_t support = safe->vertices[vertex].support;
    if (safe->vertices[vertex].frame) tac_safe_seat(safe, vertex);
    if (support != TAC_SAFE_NONE) safe->watches[support].paced = safe->vertices[vertex].paced > 0;
}

// --- who was kicked ---------------------------------------------------------------------------------------

void tac_safe_kicked_support(TacSafe *safe, uint32_t support) {
    TacSupport *s = &safe->supports[support];
    if (s->touched) return;
    s->touched = true;
    tac_safe_push(safe, &safe->touched, support);
}

void tac_safe_kicked_all(TacSafe *safe, uint32_t first, size_t count) {
    if (!count) return;
    if (safe->supports[first].frame) {
        for (uint32_t i = 0; i < count; i++) tac_safe_kicked_support(safe, first + i);
    } else if (tac_grow(&safe->kicked, &safe->kicked_capacity, safe->kicked_count + 1,
                        sizeof *safe->kicked)) {
        safe->kicked[safe->kicked_count++] = (TacSafeSpan){first, (uint32_t)count};
    } else {
        safe->out_of_memory = true;
    }
}

const uint32_t *tac_safe_touched(const TacSafe *safe, size_t *count) {
    *count = safe->touched.count;
    return safe->touched.items;
}

// --- asking -----------------------------------------------------------------------------------------------

typedef struct Settle {
    TacSafe *safe;
    TacTick now;
    TacSafeSpan span;
    uint8_t *settled; // 1: in doubt
} Settle;

// Whether a point is not too fast and its vertex keeps its plan and its pace, for certain.
static inline bool is_sure(const TacSafe *safe, const TacSafeWatch *watch, const double *x, const double *v,
                           TacTick time, TacTick now) {
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (!(square <= (double)watch->fastest) || watch->otherwise) return false;
    if (watch->vertex == TAC_SAFE_NONE) return true;
    const double *g = safe->vertices[safe->uneven ? watch->vertex : 0].g; // else of all: it is at hand
    return time == now &&
           tac_safe_plan_holds(safe, &safe->plans[watch->vertex], g, x, v, watch->regular, now) &&
           (!watch->paced || tac_safe_pace_holds(safe, &safe->paces[watch->vertex], g, v, now));
}

// Points of a span, three numbers at a time: each is read as four, of which the last is not looked at.
static inline TacFour four(const double *numbers) {
    return *(const TacLooseFour *)numbers;
}

typedef __typeof__((TacFour){0} < (TacFour){0}) Kept; // by number

static inline Kept within(TacFour a, double most) {
    TacFour limit = {most, most, most, most};
    return (a <= limit) & (a >= -limit);
}

static inline bool all_three(Kept kept) {
#if defined(__AVX__)
    return (__builtin_ia32_movmskpd256((TacFour)kept) & 7) == 7;
#else
    return kept[0] & kept[1] & kept[2];
#endif
}

// As is_sure, of a point with another after it.
static inline bool is_sure_wide(const TacSafe *safe, const TacSafeWatch *watch, const double *x,
                                const double *v, TacTick time, TacTick now) {
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (!(square <= (double)watch->fastest) || watch->otherwise) return false;
    if (watch->vertex == TAC_SAFE_NONE) return true;
    if (time != now) return false;
    const TacPlan *plan = &safe->plans[watch->vertex];
    TacFour g = four(safe->vertices[safe->uneven ? watch->vertex : 0].g), speed = four(v), u = four(plan->u);
    double t = tac_safe_seconds(safe, now - plan->start), rho = tac_plan_width(plan, t);
    TacFour off = four(x) - four(plan->p) - t * (u + 0.5 * t * g);
    TacFour end = off + (speed - u - t * g) * tac_safe_ahead(safe, watch->regular, now);
    Kept kept = within(off, rho) & within(end, rho);
    if (!watch->paced) return all_three(kept);
    const TacPace *pace = &safe->paces[watch->vertex];
    TacFour pace_u = {(double)pace->u[0], (double)pace->u[1], (double)pace->u[2], 0};
    TacFour paced = speed - pace_u - tac_safe_seconds(safe, now - pace->start) * g;
    return all_three(kept & within(paced, (double)pace->slack));
}

// Their kicks have been added by whoever owns them.
static void settle_span(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Settle *settle = data;
    const TacSafe *safe = settle->safe;
    const TacSupport *s = &safe->supports[settle->span.first];
    const TacSafeWatch *watches = &safe->watches[settle->span.first];
    size_t last = settle->span.count - 1;
    const TacTick *times = tac_support_time(s);
    for (size_t i = begin; i < end; i++) {
        const double *x = tac_support_x(s) + 3 * i, *v = tac_support_v(s) + 3 * i;
        settle->settled[i] = i < last ? !is_sure_wide(safe, &watches[i], x, v, times[i], settle->now)
                                      : !is_sure(safe, &watches[i], x, v, times[i], settle->now);
    }
}

// Only their own data are written.
static void settle_touched(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Settle *settle = data;
    TacSafe *safe = settle->safe;
    for (size_t i = begin; i < end; i++) {
        uint32_t support = safe->touched.items[i];
        TacSupport *s = &safe->supports[support];
        const TacSafeWatch *watch = &safe->watches[support];
        s->touched = false;
        double *v = tac_support_v(s), *dv = tac_support_dv(s);
        for (int k = 0; k < (s->frame ? 6 : 3); k++) {
            v[k] += dv[k];
            dv[k] = 0;
        }
        tac_safe_forget_flight(safe, support);
        bool sure = is_sure(safe, watch, tac_support_x(s), v, *tac_support_time(s), settle->now);
        settle->settled[i] = !sure;
        // nothing else carries that vertex; of others, whoever looks closely counts
        if (sure && watch->vertex != TAC_SAFE_NONE) safe->vertices[watch->vertex].kicks_of_plan++;
    }
}

static TacStatus look_closely(TacSafe *safe, uint32_t support, bool irregular, TacTick now, TacError *error) {
    const TacSupport *s = &safe->supports[support];
    if (tac_safe_is_fast(safe, support)) return tac_safe_fail_fast(safe, support, now, error);
    if (s->frame) {
        tac_safe_body_kicked(safe, support, now);
        return TAC_OK;
    }
    for (uint32_t k = 0; k < s->vertex_count; k++) {
        uint32_t vertex = safe->carried[s->first_vertex + k];
        TacVertex *v = &safe->vertices[vertex];
        v->kicks_of_plan += irregular;
        // that it does not keep all is known, unless it is not alone
        if (v->dirty || !safe->watches[support].otherwise || !tac_safe_keeps(safe, vertex, now))
            tac_safe_check_plan(safe, vertex, now);
    }
    return TAC_OK;
}

TacStatus tac_safe_settle(TacSafe *safe, TacTick now, TacError *error) {
    Settle settle = {.safe = safe, .now = now};
    size_t count = safe->touched.count;
    double time = tac_safe_wall();
    for (size_t n = 0; n <= safe->kicked_count; n++) {
        size_t room = n < safe->kicked_count ? safe->kicked[n].count : count;
        if (!tac_grow(&safe->settled, &safe->settled_capacity, room, sizeof *safe->settled))
            return tac_fail_memory(error, 0);
    }
    settle.settled = safe->settled;
    for (size_t n = 0; n < safe->kicked_count; n++) {
        TacSafeSpan span = settle.span = safe->kicked[n];
        tac_team_run(safe->team, span.count, tac_team_grain(safe->team, span.count, 256), settle_span,
                     &settle);
        safe->stats.checks += span.count;
        for (uint32_t i = 0; i < span.count; i++)
            if (safe->settled[i]) TAC_TRY(look_closely(safe, span.first + i, false, now, error));
    }
    safe->kicked_count = 0;
    tac_team_run(safe->team, count, tac_team_grain(safe->team, count, 64), settle_touched, &settle);
    for (size_t i = 0; i < count; i++)
        if (safe->settled[i]) TAC_TRY(look_closely(safe, safe->touched.items[i], true, now, error));
    safe->touched.count = 0;
    safe->stats.checks += count;
    tac_safe_spend(&safe->stats.checking, &time);
    return tac_safe_put_right(safe, now, error);
}
