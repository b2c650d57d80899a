// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Letting time run from instant to instant, and looking. See world.h for the rules, instant.h for one instant.

#define _GNU_SOURCE
#include "world/world.h"
#include "base/wall_clock.h"
#include "world/account.h"
#include "world/growth.h"
#include "world/instant.h"
#include "world/loose.h"
#include "world/rest.h"

#include <dlfcn.h>

TacWorldDef tac_world_def_default(void) {
    return (TacWorldDef){.threads = 1, .seed = 1};
}

void tac_world_destroy(TacWorld *world) {
    if (!world) return;
    for (size_t i = 0; i < world->ticker_count && world->tickers; i++) {
        TacTicker *t = &world->tickers[i];
        const TacSolverOps *ops = t->solver ? t->solver->base.cls->ops.solver : NULL;
        if (ops && ops->release && t->program.kept) ops->release(t->solver, &t->program);
        const TacLinearSolver *linear = t->solver ? t->solver->linear : NULL;
        for (size_t k = 0; k < t->layer_count; k++) tac_layer_law_class.finish(t->layers[k]);
        if (!linear || !t->program.linear) continue;
        linear->base.cls->ops.linear_solver->release((void *)linear, &t->program);
    }
    for (size_t i = world->component_count; i-- > 0;) {
        TacComponent *c = world->components[i];
        if (c && c->cls->finish) c->cls->finish(c);
    }
    for (size_t i = 0; i < world->plugin_count; i++) dlclose(world->plugins[i]);
    tac_safe_destroy(world->safe);
    if (world->limits) tac_limits_destroy(world->limits);
    tac_world_loose_destroy(world);
    if (world->touch) tac_touch_destroy(&world->touch->touch);
    if (world->touch) tac_skin_touches_destroy(&world->touch->skin_touches);
    tac_causal_destroy(&world->causal);
    tac_hands_destroy(&world->hands);
    tac_team_destroy(world->team);
    free(world->blocks);
    free(world->kept);
    tac_arena_destroy(&world->arena);
    free(world);
}

// --- advancing --------------------------------------------------------------------------------------------

// The next instant before `limit` at which a ticker, a hand, a layer or a certificate is due.
static TacStatus take_instant(TacWorld *world, TacTick limit, TacInstant *instant, TacError *error) {
    TacTick from = tac_causal_from(&world->causal), other = tac_hands_next(world, from);
    if (world->safe) other = tac_safe_next(world->safe, from, other < limit ? other : limit);
    if (world->limits) other = tac_limits_next(world->limits, from, other < limit ? other : limit);
    TAC_TRY(tac_causal_take_before(&world->causal, other < limit ? other + 1 : limit, instant, error));
    if (other < limit && instant->now > other) *instant = (TacInstant){.now = other};
    return TAC_OK;
}

// Who only looks has nowhere to put a message: it is kept for who lets time run.
static TacStatus prepare_or_fail(TacWorld *world, const TacInstant *instant, TacError *error) {
    TacError why;
    TacStatus status = tac_world_prepare(world, instant, &why);
    if (status != TAC_OK) {
        world->failed = true;
        world->now = instant->now;
        world->failure = why;
        if (error) *error = why;
    }
    return status;
}

bool tac_world_is_stopped(const TacWorld *world) {
    return world->stop && world->instants % 64 == 0 && world->stop(world->stop_data);
}

static TacStatus run_instants(TacWorld *world, TacTick target, TacError *error) {
    if (world->prepared) TAC_TRY(tac_world_commit(world, error));
    for (;;) {
        if (tac_world_is_stopped(world)) {
            // all instants before the first one that is not done
            target = tac_causal_from(&world->causal);
            break;
        }
        TacInstant instant;
        TAC_TRY(take_instant(world, target, &instant, error));
        if (instant.now >= target) break;
        TAC_TRY(prepare_or_fail(world, &instant, error));
        TAC_TRY(tac_world_commit(world, error));
    }
    world->now = target;
    world->shown = -1;
    return TAC_OK;
}

void tac_world_stop_when(TacWorld *world, bool (*stop)(void *data), void *data) {
    world->stop = stop;
    world->stop_data = data;
}

static TacTick next_pause(const TacWorld *world, TacTick target) {
    TacTick beat = (TacTick)1 << world->base.bits, end = target;
    if (world->audited && (world->now / beat + 1) * beat < end) end = (world->now / beat + 1) * beat;
    if (world->beats.wanted && world->beats.next < end) end = world->beats.next;
    TacTick input = tac_hands_script_next(world);
    return input < end ? input : end;
}

static TacStatus run_pieces(TacWorld *world, TacTick target, TacError *error) {
    if (world->failed && world->failure.status == TAC_OK)
        return tac_fail(error, TAC_FAILED, "the world failed before; it cannot go on");
    if (world->failed) {
        if (error) *error = world->failure;
        return world->failure.status;
    }
    if (target < world->now || target > TAC_TICK_NEVER / 2)
        return tac_fail(error, TAC_BAD_USAGE, "cannot advance from %g s to %g s", tac_world_time(world),
                        tac_seconds(world->base, target));
    if (target == world->now) return TAC_OK;
    // an audit asks beat by beat, and triggers are looked at on beats
    TacTick beat = (TacTick)1 << world->base.bits;
    if (world->beats.next <= world->now) world->beats.next = (world->now / beat + 1) * beat;
    while (world->now < target && !tac_world_stopped_by(world)) {
        TAC_TRY(tac_hands_script_do(world, error));
        TacTick end = next_pause(world, target);
        TacStatus status =
            world->loose ? tac_world_loose_run(world, end, error) : run_instants(world, end, error);
        // a run that fails is asked about, too
        if (status != TAC_OK && world->audited) tac_safe_audit_close(world->safe, world->now, NULL);
        TAC_TRY(status);
        if (world->audited) TAC_TRY(tac_safe_audit_window(world->safe, world->now, error));
        if (world->now < end) return TAC_OK; // stopped
        if (world->beats.wanted && end == world->beats.next) TAC_TRY(tac_world_look_at_beat(world, error));
    }
    return TAC_OK;
}

static TacStatus run_until(TacWorld *world, TacTick target, TacError *error) {
    double start = tac_wall_seconds();
    TacStatus status = run_pieces(world, target, error);
    world->seconds += tac_wall_seconds() - start;
    return status;
}

TacStatus tac_world_advance(TacWorld *world, double seconds, TacError *error) {
    if (!(seconds >= 0) || seconds > 1e9)
        return tac_fail(error, TAC_BAD_USAGE, "cannot advance by %g s", seconds);
    return run_until(world, world->now + tac_ticks_round(world->base, seconds), error);
}

TacStatus tac_world_advance_beats(TacWorld *world, int64_t beats, TacError *error) {
    if (beats < 0 || beats > (TAC_TICK_NEVER / 4) >> world->base.bits)
        return tac_fail(error, TAC_BAD_USAGE, "cannot advance by %lld beats", (long long)beats);
    return run_until(world, world->now + (beats << world->base.bits), error);
}

TacStatus tac_world_advance_to_frame(TacWorld *world, double fps, int64_t n, TacError *error) {
    uint32_t p, q;
    if (!(fps > 0) || n < 0)
        return tac_fail(error, TAC_BAD_USAGE, "no frame %lld at %g fps", (long long)n, fps);
    TacTick target = tac_free_clock_ratio(1 / fps, world->base.beat, &p, &q)
                         ? tac_free_clock_tick(world->base.bits, p, q, n)
                         : tac_ticks_round(world->base, (double)n / fps);
    return run_until(world, target, error);
}

TacStatus tac_world_prepare_now(TacWorld *world, TacError *error) {
    if (world->loose || world->prepared || world->failed) return TAC_OK;
    TacTick from = tac_causal_from(&world->causal);
    bool contact =
        world->safe && from <= world->now && tac_safe_next(world->safe, from, world->now + 1) == world->now;
    if (world->limits && from <= world->now)
        contact = contact || tac_limits_next(world->limits, from, world->now + 1) == world->now;
    if (!contact && tac_causal_next(&world->causal) != world->now) return TAC_OK;
    TacInstant instant;
    TAC_TRY(take_instant(world, world->now + 1, &instant, error));
    return prepare_or_fail(world, &instant, error);
}

TacStatus tac_world_before_change(TacWorld *world, TacError *error) {
    if (world->loose || world->prepared || world->failed) return TAC_OK;
    if (tac_causal_from(&world->causal) > world->now) return TAC_OK;
    TacInstant instant;
    TAC_TRY(take_instant(world, world->now + 1, &instant, error));
    return instant.now > world->now ? TAC_OK : prepare_or_fail(world, &instant, error);
}

double tac_world_time(const TacWorld *world) {
    return tac_seconds(world->base, world->now);
}

int64_t tac_world_tick(const TacWorld *world) {
    return world->now;
}

double tac_world_beat(const TacWorld *world) {
    return world->base.beat;
}

// --- looking ----------------------------------------------------------------------------------------------

void tac_world_show(TacWorld *world) {
    if (world->shown == world->now) return;
    for (size_t i = 0; i < world->all.matter_count; i++) {
        TacMatter *m = world->all.matters[i];
        // under the loose scheduler everybody is seen at its own time
        tac_world_locate(world, m, m->time > world->now ? m->time : world->now, m->vectors[TAC_X_SHOWN],
                         m->vectors[TAC_V_SHOWN]);
    }
    tac_world_show_levels(world);
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    tac_program_propagate(&world->all, &context, TAC_X_SHOWN, TAC_V_SHOWN);
    world->shown = world->now;
}

TacComponent *tac_world_get(const TacWorld *world, TacComponentId id) {
    if (id.index1 == 0 || id.index1 > world->source_count) return NULL;
    uint32_t i = world->of_source[id.index1 - 1];
    bool there = i != UINT32_MAX && world->component_ids[2 * (size_t)i + 1] == id.generation;
    return there ? world->components[i] : NULL;
}

TacMatter *tac_world_get_matter(const TacWorld *world, TacComponentId id) {
    TacComponent *c = tac_world_get(world, id);
    return c && c->cls->kind == TAC_KIND_MATTER ? (TacMatter *)c : NULL;
}

static TacComponentId id_of(const TacWorld *world, const TacComponent *c) {
    return (TacComponentId){world->component_ids[2 * c->index], world->component_ids[2 * c->index + 1]};
}

TacComponentId tac_world_find(const TacWorld *world, const char *path) {
    for (size_t i = 0; i < world->component_count; i++)
        if (!strcmp(world->components[i]->path, path)) return id_of(world, world->components[i]);
    return (TacComponentId){0, 0};
}

size_t tac_world_matter_count(const TacWorld *world) {
    return world->matter_count;
}

TacComponentId tac_world_matter(const TacWorld *world, size_t i) {
    return i < world->matter_count ? id_of(world, &world->matters[i]->base) : (TacComponentId){0, 0};
}

const char *tac_world_path(const TacWorld *world, TacComponentId id) {
    const TacComponent *c = tac_world_get(world, id);
    return c ? c->path : NULL;
}

TacMatterKind tac_world_kind(const TacWorld *world, TacComponentId id) {
    const TacMatter *m = tac_world_get_matter(world, id);
    return m ? m->kind : TAC_MATTER_KINDS;
}

size_t tac_world_point_count(const TacWorld *world, TacComponentId id) {
    const TacMatter *m = tac_world_get_matter(world, id);
    return m ? m->count : 0;
}

const double *tac_world_positions(TacWorld *world, TacComponentId id) {
    const TacMatter *m = tac_world_get_matter(world, id);
    if (!m) return NULL;
    tac_world_show(world);
    return m->vectors[TAC_X_SHOWN];
}

const double *tac_world_velocities(TacWorld *world, TacComponentId id) {
    const TacMatter *m = tac_world_get_matter(world, id);
    if (!m) return NULL;
    tac_world_show(world);
    return m->vectors[TAC_V_SHOWN];
}

static bool all_finite(const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

// Kicks that were computed are computed again from what is there now. Not where contact is safe: what layers remember
// cannot be computed twice, and those kicks stand.
static void kick_again(TacWorld *world) {
    if (!world->prepared || world->failed || world->safe) return;
    for (size_t i = 0; i < world->matter_count; i++)
        memset(world->matters[i]->vectors[TAC_DV], 0,
               tac_vector_size(world->matters[i], TAC_DV) * sizeof(double));
    for (size_t i = 0; tac_hands_due(world, world->now) && i < world->hands.free.matter_count; i++)
        tac_world_arrive(world, world->hands.free.matters[i]);
    tac_world_touch(world, world->now, NULL);
    tac_world_compute(world, world->now);
}

// Where something is held, or moves as it is told, it goes on doing so.
static void take_velocities(const TacWorld *world, const TacMatter *m, const double *wanted) {
    double *v = m->vectors[TAC_V], *change = m->vectors[TAC_A];
    size_t n = tac_vector_size(m, TAC_V);
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    for (size_t i = 0; i < n; i++) change[i] = wanted[i] - v[i];
    for (size_t i = 0; i < world->component_count; i++) {
        TacConstraint *c = (TacConstraint *)world->components[i];
        if (c->base.cls->kind == TAC_KIND_CONSTRAINT && c->matter == m)
            c->base.cls->ops.constraint->project(c, &context, change);
    }
    // to the bit, where nothing stands against it
    for (size_t i = 0; i < n; i++) v[i] = change[i] == wanted[i] - v[i] ? wanted[i] : v[i] + change[i];
}

TacStatus tac_world_set_state(TacWorld *world, TacComponentId id, const double *positions,
                              const double *velocities, TacError *error) {
    TacMatter *m = tac_world_get_matter(world, id);
    if (!m) return tac_fail(error, TAC_BAD_USAGE, "not matter of this world");
    if (m->mapped)
        return tac_fail(error, TAC_BAD_USAGE, "%s follows other matter; set the state of that", m->base.path);
    if (m->idle)
        return tac_fail(error, TAC_BAD_USAGE,
                        "%s is idle: another model stands for it; set the state of that", m->base.path);
    size_t nx = tac_vector_size(m, TAC_X), nv = tac_vector_size(m, TAC_V);
    if ((positions && !all_finite(positions, nx)) || (velocities && !all_finite(velocities, nv)))
        return tac_fail(error, TAC_BAD_INPUT, "%s: positions and velocities must be finite", m->base.path);
    TAC_TRY(tac_world_before_change(world, error));
    tac_world_arrive(world, m);
    bool stands = world->loose && tac_world_loose_stands(world, m);
    if (!world->loose) TAC_TRY(tac_world_rouse(world, m, error)); // with all that it touches where it is
    uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
    bool told = positions && world->audited && first != UINT32_MAX;
    if (told) tac_safe_tell_before_jump(world->safe, world->now);
    TacJump before = tac_account_before_jump(world);
    m->arrival = -1; // from here it flies, until its solver's next step
    if (positions) memmove(m->vectors[TAC_X], positions, nx * sizeof(double));
    if (velocities && !stands) take_velocities(world, m, velocities);
    if (velocities) tac_world_forget_growth(world, m);
    if (m->carried) tac_carry_points(m->carried, m->count, m->vectors[TAC_X], m->vectors[TAC_V]);
    for (size_t i = 0; positions && m->kind == TAC_RIGID3 && i < m->count; i++) {
        double *q = m->vectors[TAC_X] + 7 * i + 3;
        tac_store_quat(q, tac_quat_unit(tac_load_quat(q)));
    }
    world->shown = -1;
    // before anybody looks, who might show it: whoever is behind still sees what it was
    if (stands) TAC_TRY(tac_world_loose_publish_standing(world, error));
    if (world->loose) tac_world_loose_rouse(world, m);
    tac_account_after_jump(world, TAC_BOOK_OUTSIDE, &before);
    tac_world_hold_pins(world);
    if (told) tac_safe_tell_put(world->safe, first, m->count, world->now);
    TacStatus status =
        first == UINT32_MAX ? TAC_OK : tac_safe_put(world->safe, first, m->count, world->now, error);
    for (uint32_t i = 0; world->limits && i < m->count; i++) tac_limits_kicked(world->limits, m, i);
    if (world->limits && status == TAC_OK) status = tac_limits_settle(world->limits, world->now, error);
    world->failed = world->failed || status != TAC_OK;
    return status;
}

void tac_world_hold_pins(TacWorld *world) {
    tac_hands_hold_pins(world, world->now);
    kick_again(world);
}

TacStatus tac_world_renew_falls(TacWorld *world, TacError *error) {
    world->shown = -1;
    TacStatus status = world->safe ? tac_safe_renew_falls(world->safe, world->now, error) : TAC_OK;
    if (world->limits) tac_limits_take_falls(world->limits);
    if (world->limits && status == TAC_OK) status = tac_limits_settle(world->limits, world->now, error);
    world->failed = world->failed || status != TAC_OK;
    return status;
}
