// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Longer steps and sleep in worlds with safe contact. See rest.h for the rules.

#include "world/rest.h"
#include "world/account.h"
#include "world/loose.h"
#include "world/merge.h"
#include "world/stride.h"

#include <float.h>

static uint32_t owner_of(const TacWorld *world, uint32_t support) {
    uint32_t point;
    const TacMatter *m = tac_safe_support_matter(world->safe, support, &point);
    return world->hands.owner[tac_matter_place(world->matters, world->matter_count, m)];
}

// --- steps --------------------------------------------------------------------------------------------------

static TacStatus set_class(TacWorld *world, TacRest *rest, int64_t longer, TacError *error) {
    TacTicker *t = &world->tickers[rest->ticker];
    int e = rest->own + (int)longer;
    rest->state->longer = longer;
    if (t->ruler_class == e) return TAC_OK;
    int now = tac_stride_class(t); // a step that is cut stays as it is
    if (t->stride) t->stride->cut = t->stride->cut && now < e ? e - now : 0;
    t->ruler_class = e;
    t->step = ldexp(world->base.tick, e);
    if (tac_ruler_class_of(&world->causal.ruler, rest->ticker) >= 0)
        TAC_TRY(tac_ruler_move(&world->causal.ruler, rest->ticker, tac_stride_class(t), error));
    if (t->parts) {
        TacTicker *part = &world->tickers[t->parts];
        part->ruler_class = tac_stride_part_class(t, t->ruler_class);
        part->step = ldexp(world->base.tick, part->ruler_class);
        if (tac_ruler_class_of(&world->causal.ruler, t->parts) >= 0)
            TAC_TRY(tac_ruler_move(&world->causal.ruler, t->parts, part->ruler_class, error));
    }
    for (size_t i = 0; i < t->program.matter_count; i++)
        TAC_TRY(tac_world_renew_regular(world, t->program.matters[i], error));
    return TAC_OK;
}

static bool is_held(const TacWorld *world, const TacTicker *t) {
    return t->program.law_count > world->hands.law_counts[t - world->tickers];
}

static TacStatus decide(TacWorld *world, TacRest *rest, TacTick now, TacError *error) {
    TacRestState *s = rest->state;
    const TacTicker *t = &world->tickers[rest->ticker];
    TacTick period = (TacTick)1 << t->ruler_class;
    s->ready = 0;
    if (s->speed == INFINITY) s->speed = DBL_MAX; // now it is asked
    if (!(s->speed < rest->still) || is_held(world, t) || (t->stride && t->stride->cut)) {
        s->calm = 0;
        return set_class(world, rest, 0, error);
    }
    s->calm = s->calm < TAC_TICK_NEVER / 4 ? s->calm + period : s->calm;
    if (s->calm < rest->patience) return TAC_OK;
    if (s->longer == rest->most) {
        s->ready = rest->may_sleep;
        return TAC_OK;
    }
    if (now % (2 * period) != 0) return TAC_OK; // not yet a tick of the next class
    s->calm = 0;
    return set_class(world, rest, s->longer + 1, error);
}

// Root mean square of the speeds of its points, in the middle of the kick that is due.
static double middle_speed(const TacProgram *p) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        const TacMatter *m = p->matters[i];
        size_t size = (size_t)m->velocity_size, linear = size == 6 ? 3 : size;
        const double *v = m->vectors[TAC_V], *dv = m->vectors[TAC_DV];
        for (size_t k = 0; k < m->count; k++)
            for (size_t j = size * k; j < size * k + linear; j++) {
                double middle = v[j] + 0.5 * dv[j];
                sum += middle * middle;
            }
        count += (double)m->count;
    }
    return count > 0 ? sqrt(sum / count) : 0;
}

void tac_world_note_speeds(TacWorld *world) {
    for (size_t i = 0; world->rests.count && i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        // who was roused since its kick was computed has not been asked yet
        if (t->rest && t->rest->state->speed < INFINITY) t->rest->state->speed = middle_speed(&t->program);
    }
}

// --- heaps --------------------------------------------------------------------------------------------------

static uint32_t find(uint32_t *heap, uint32_t i) {
    while (heap[i] != i) i = heap[i] = heap[heap[i]];
    return i;
}

static void join(void *data, const uint32_t *supports, int count, uint32_t first_skin, uint32_t second_skin) {
    (void)first_skin;
    (void)second_skin;
    TacWorld *world = data;
    uint32_t *heap = world->rests.heap, nobody = (uint32_t)world->ticker_count, with = UINT32_MAX;
    for (int i = 0; i < count; i++) {
        uint32_t owner = owner_of(world, supports[i]);
        uint32_t root = find(heap, owner == UINT32_MAX ? nobody : owner);
        if (with == UINT32_MAX) with = root;
        // the smaller one leads
        if (root != with) heap[root < with ? with : root] = root < with ? root : with;
        with = root < with ? root : with;
    }
}

// Who touches whom, directly or through others.
static void find_heaps(TacWorld *world, TacTick now) {
    for (uint32_t i = 0; i <= world->ticker_count; i++) world->rests.heap[i] = i;
    tac_safe_each_touch(world->safe, now, join, world);
}

static bool all_ready(TacWorld *world, uint32_t heap) {
    uint32_t *of = world->rests.heap;
    if (find(of, (uint32_t)world->ticker_count) == heap) return false;
    for (uint32_t i = 0; i < world->agent_count; i++) {
        if (find(of, i) != heap) continue;
        const TacRest *rest = world->tickers[i].rest;
        if (!rest || !(rest->state->ready || rest->state->asleep)) return false;
    }
    return true;
}

// --- asleep and awake ---------------------------------------------------------------------------------------

static void tell_supports(TacWorld *world, const TacTicker *t, bool asleep) {
    for (size_t i = 0; i < t->program.matter_count; i++) {
        const TacMatter *m = t->program.matters[i];
        uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
        if (first != UINT32_MAX) tac_safe_set_asleep(world->safe, first, m->count, asleep);
    }
}

static TacStatus renew(TacWorld *world, const TacTicker *t, TacError *error) {
    for (size_t i = 0; i < t->program.matter_count; i++)
        TAC_TRY(tac_world_renew_regular(world, t->program.matters[i], error));
    return TAC_OK;
}

static TacStatus fall_asleep(TacWorld *world, TacRest *rest, TacError *error) {
    TacTicker *t = &world->tickers[rest->ticker];
    TacRestState *s = rest->state;
    for (size_t i = 0; i < t->program.matter_count; i++) tac_world_arrive(world, t->program.matters[i]);
    TacEntry before = tac_account_look(world, &t->program);
    double scale = ldexp(1, tac_stride_part_class(t, rest->own) - tac_stride_part_class(t, t->ruler_class));
    for (size_t i = 0; i < t->program.matter_count; i++) {
        const TacMatter *m = t->program.matters[i];
        size_t n = tac_vector_size(m, TAC_V);
        memset(m->vectors[TAC_V], 0, n * sizeof(double));
        // parts of its kick, for the step that it wakes with
        for (size_t k = 0; m->vectors[TAC_PART] && k < n; k++) m->vectors[TAC_PART][k] *= scale;
    }
    if (t->stride) t->stride->turn = tac_scale(t->stride->turn, scale);
    if (t->stride && t->stride->owed > 0)
        t->stride->owed = tac_stride_owed(ldexp(1, rest->own - tac_stride_part_class(t, rest->own)), 0);
    tac_account_book(world, world->ticker_count + TAC_BOOK_REST, &t->program, &before);
    s->asleep = 1;
    s->was_in_parts = t->in_parts;
    t->in_parts = false;
    world->rests.sleepers++;
    tac_ruler_remove(&world->causal.ruler, rest->ticker);
    if (t->parts) tac_ruler_remove(&world->causal.ruler, t->parts);
    tell_supports(world, t, true);
    tac_world_tell(world, TAC_AGENT_SLEEPS, &t->solver->base);
    return renew(world, t, error);
}

static TacStatus wake_one(TacWorld *world, uint32_t ticker, TacError *error) {
    TacTicker *t = &world->tickers[ticker];
    TacRestState *s = t->rest->state;
    s->asleep = s->ready = s->calm = 0;
    s->speed = INFINITY;
    world->rests.sleepers--;
    tell_supports(world, t, false);
    TAC_TRY(set_class(world, t->rest, 0, error));
    TAC_TRY(tac_ruler_add(&world->causal.ruler, ticker, t->ruler_class, error));
    t->in_parts = s->was_in_parts && t->parts;
    if (t->in_parts)
        TAC_TRY(tac_ruler_add(&world->causal.ruler, t->parts, world->tickers[t->parts].ruler_class, error));
    tac_world_tell(world, TAC_AGENT_WAKES, &t->solver->base);
    return renew(world, t, error);
}

static bool is_asleep(const TacTicker *t) {
    return t->rest && t->rest->state->asleep;
}

// Wakes all sleepers that are marked, and all that lie with them.
static TacStatus wake_marked(TacWorld *world, TacTick now, TacError *error) {
    struct TacRests *r = &world->rests;
    find_heaps(world, now);
    for (uint32_t i = 0; i < world->agent_count; i++)
        for (uint32_t k = 0; r->wakes[i] && k < world->agent_count; k++)
            if (find(r->heap, k) == find(r->heap, i) && is_asleep(&world->tickers[k]) && !r->wakes[k])
                r->wakes[k] = true;
    TacStatus status = TAC_OK;
    for (uint32_t i = 0; i < world->agent_count; i++) {
        if (r->wakes[i] && is_asleep(&world->tickers[i]) && status == TAC_OK)
            status = wake_one(world, i, error);
        r->wakes[i] = false;
    }
    world->failed = world->failed || status != TAC_OK;
    return status;
}

TacStatus tac_world_wake_touched(TacWorld *world, TacTick now, TacError *error) {
    if (!world->rests.sleepers) return TAC_OK;
    size_t count;
    const uint32_t *touched = tac_safe_touched(world->safe, &count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!tac_safe_is_asleep(world->safe, touched[i])) continue;
        uint32_t owner = owner_of(world, touched[i]);
        world->rests.wakes[owner] = any = true;
    }
    return any ? wake_marked(world, now, error) : TAC_OK;
}

TacStatus tac_world_wake(TacWorld *world, uint32_t ticker, TacError *error) {
    const TacTicker *t = ticker < world->ticker_count ? &world->tickers[ticker] : NULL;
    if (!t || !t->rest) return TAC_OK;
    t->rest->state->calm = 0;
    t->rest->state->speed = INFINITY;
    if (!t->rest->state->asleep) return TAC_OK;
    world->rests.wakes[ticker] = true;
    return wake_marked(world, world->now, error);
}

TacStatus tac_world_rouse(TacWorld *world, const TacMatter *matter, TacError *error) {
    if (world->loose) tac_world_loose_rouse(world, matter);
    if (!world->rests.count) return TAC_OK;
    for (uint32_t i = 0; i < world->agent_count; i++)
        if (tac_program_has(&world->tickers[i].program, matter)) TAC_TRY(tac_world_wake(world, i, error));
    return TAC_OK;
}

TacStatus tac_world_rouse_by(TacWorld *world, const TacComponent *c, TacError *error) {
    TacMatter *list[8];
    size_t n = 0;
    if (!world->loose && !world->rests.count) return TAC_OK;
    if (tac_joint_ops(c))
        n = tac_joint_matters(c, list, TAC_COUNT(list));
    else if (c->cls->kind == TAC_KIND_CONSTRAINT)
        list[n++] = ((const TacConstraint *)c)->matter;
    else if (c->cls->kind == TAC_KIND_LAW)
        for (int k = 0; k < 2; k++)
            if (((const TacLaw *)c)->matter[k]) list[n++] = ((const TacLaw *)c)->matter[k];
    for (size_t i = 0; i < n; i++) TAC_TRY(tac_world_rouse(world, list[i], error));
    return TAC_OK;
}

TacStatus tac_world_rest(TacWorld *world, TacTick now, TacError *error) {
    struct TacRests *r = &world->rests;
    bool any = false, found = false;
    if (!r->count) return TAC_OK;
    TacTick past = world->now; // matter arrives at this instant
    world->now = now;
    TacStatus status = TAC_OK;
    for (size_t i = 0; i < world->due_count && status == TAC_OK; i++) {
        TacRest *rest = world->tickers[world->due[i]].rest;
        if (rest) status = decide(world, rest, now, error);
        any = any || (rest && rest->state->ready && now >= rest->state->next_try);
    }
    if (any && status == TAC_OK) find_heaps(world, now);
    for (size_t i = 0; any && i < world->due_count && status == TAC_OK; i++) {
        TacRest *rest = world->tickers[world->due[i]].rest;
        if (!rest || !rest->state->ready || rest->state->asleep || now < rest->state->next_try) continue;
        uint32_t heap = find(r->heap, rest->ticker);
        rest->state->next_try = now + rest->patience;
        if (!all_ready(world, heap)) continue;
        found = true;
        for (uint32_t k = 0; k < world->agent_count && status == TAC_OK; k++)
            if (find(r->heap, k) == heap && !is_asleep(&world->tickers[k]))
                status = fall_asleep(world, world->tickers[k].rest, error);
    }
    world->now = past;
    // who sleeps is not kicked
    size_t n = 0;
    for (size_t i = 0; found && i < world->due_count; i++) {
        const TacTicker *t = &world->tickers[world->due[i]];
        if (!is_asleep(t) && !(t->is_part && is_asleep(&world->tickers[t->whole])))
            world->due[n++] = world->due[i];
    }
    if (found) world->due_count = n;
    return status;
}

// --- the rest -----------------------------------------------------------------------------------------------

static void keep(void *data, const uint32_t *supports, int count, uint32_t first_skin, uint32_t second_skin) {
    TacWorld *world = data;
    bool sleeps = count > 0;
    for (int i = 0; i < count; i++) sleeps = sleeps && tac_safe_is_asleep(world->safe, supports[i]);
    if (sleeps) tac_meetings_keep(&world->beats.meetings, first_skin, second_skin, world->now);
}

void tac_world_keep_meetings(TacWorld *world) {
    if (world->rests.sleepers) tac_safe_each_touch(world->safe, world->now, keep, world);
}

bool tac_world_rest_restored(TacWorld *world) {
    struct TacRests *r = &world->rests;
    r->sleepers = 0;
    for (size_t i = 0; i < r->count; i++) {
        TacRest *rest = &r->list[i];
        const TacRestState *s = rest->state;
        TacTicker *t = &world->tickers[rest->ticker];
        bool there = tac_ruler_class_of(&world->causal.ruler, rest->ticker) >= 0;
        if (s->longer < 0 || s->longer > rest->most || s->asleep < 0 || s->asleep > 1 || s->ready < 0 ||
            s->ready > 1 || s->was_in_parts < 0 || s->was_in_parts > 1 || s->calm < 0 || s->next_try < 0)
            return false;
        if (there != !(s->asleep || t->idle)) return false;
        if (s->asleep && t->in_parts) return false;
        t->ruler_class = rest->own + (int)s->longer;
        t->step = ldexp(world->base.tick, t->ruler_class);
        if (t->parts) {
            TacTicker *part = &world->tickers[t->parts];
            part->ruler_class = tac_stride_part_class(t, t->ruler_class);
            part->step = ldexp(world->base.tick, part->ruler_class);
        }
        r->sleepers += s->asleep != 0;
        tell_supports(world, t, s->asleep != 0);
        for (size_t k = 0; k < t->program.matter_count; k++)
            tac_world_set_regular(world, t->program.matters[k]);
    }
    return true;
}
