// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling a world for the loose scheduler: each agent's setting, step and view of contact.

#include "base/random.h"
#include "scene/compile.h"
#include "world/loose.h"

const TacAgentSetting *tac_compile_agent_setting(const TacCompile *c, const TacTicker *ticker) {
    if (ticker->solver) {
        uint32_t node = c->instances[ticker->solver->base.index].node;
        for (size_t i = 0; i < c->count; i++)
            if (c->instances[i].node == node && c->instances[i].component->cls == &tac_agent_class)
                return (const TacAgentSetting *)c->instances[i].component;
    }
    return tac_agent_default();
}

// --- laws between two agents ------------------------------------------------------------------------------

// Who moves a law's matter; NULL: nobody.
static TacSolver *mover_of(const TacCompile *c, const TacLaw *law, int side) {
    return c->solver_of[tac_compile_matter_index(c, tac_compile_root(c, law->matter[side]))];
}

// It has two kinds of matter, which not the same agent moves; what no agent moves has no mass.
static bool is_between(const TacCompile *c, const TacLaw *law) {
    if (law->base.cls->kind != TAC_KIND_LAW || !law->matter[0] || !law->matter[1]) return false;
    if (mover_of(c, law, 0) == mover_of(c, law, 1)) return false;
    for (int side = 0; side < 2; side++)
        if (!mover_of(c, law, side) &&
            c->mass_of[tac_compile_matter_index(c, tac_compile_root(c, law->matter[side]))])
            return false;
    return true;
}

static TacStatus make_halves(TacCompile *c, TacLaw *law, TacError *error) {
    bool taken = false;
    size_t first = c->half_count;
    for (int side = 0; side < 2; side++) {
        // what a law only looks at it gives nothing to
        if (!mover_of(c, law, side) || (side == 1 && law->watches)) continue;
        TacComponent *whole = &law->base;
        if (taken && law->base.cls->finish)
            return tac_compile_fail(
                c, &law->base, error,
                "laws of this kind cannot act between two agents under the loose scheduler; "
                "take scheduler=\"causal\"");
        if (taken) TAC_TRY(tac_compile_twin(c, &law->base, &whole, error));
        taken = true;
        TAC_TRY(
            tac_half_law_create(&c->halves[c->half_count++], &c->world->arena, (TacLaw *)whole, side, error));
    }
    for (size_t i = first; i < c->half_count; i++) c->halves[i].share = 1 / (double)(c->half_count - first);
    return TAC_OK;
}

TacStatus tac_compile_halves(TacCompile *c, TacError *error) {
    if (c->world->settings->scheduler != 1) return TAC_OK;
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) n += is_between(c, (const TacLaw *)c->instances[i].component);
    c->halves = tac_arena_array(&c->world->arena, 2 * n, sizeof *c->halves);
    if (!c->halves) return tac_fail_memory(error, 2 * n * sizeof *c->halves);
    for (size_t i = 0; i < c->count; i++) {
        TacLaw *law = (TacLaw *)c->instances[i].component;
        if (is_between(c, law)) TAC_TRY(make_halves(c, law, error));
    }
    return TAC_OK;
}

bool tac_compile_is_halved(const TacCompile *c, const TacLaw *law) {
    for (size_t i = 0; i < c->half_count; i++)
        if (c->halves[i].law.base.index == law->base.index) return true;
    return false;
}

// Each half learns when the other side is published.
static void tie_halves(TacCompile *c) {
    for (size_t i = 0; i < c->half_count; i++) {
        TacHalfLaw *half = &c->halves[i];
        const TacSolver *mover = mover_of(c, half->whole, 1 - half->side);
        const TacSolver *own = mover_of(c, half->whole, half->side);
        if (own->base.cls->ops.solver->needs_linear)
            half->ahead = half->own_ahead = tac_compile_rayleigh(own);
        for (size_t t = 0; mover && t < c->world->ticker_count; t++) {
            if (c->world->tickers[t].solver != mover || c->world->tickers[t].is_merge) continue;
            half->shown_at = &c->world->loose->bodies[t].shown;
            half->agent = (uint32_t)t;
        }
    }
}

// --- what has no place here -------------------------------------------------------------------------------

static TacStatus refuse_others(const TacCompile *c, TacError *error) {
    const TacWorld *world = c->world;
    for (size_t t = 0; t < world->ticker_count; t++) {
        const TacTicker *ticker = &world->tickers[t];
        if (ticker->is_law)
            return tac_compile_fail(
                c, &ticker->program.laws[0]->base, error,
                "no solver owns all of its matter, and under the loose scheduler only agents act: add "
                "a solver above it, or take scheduler=\"causal\"");
    }
    return TAC_OK;
}

static TacTick ticks_of(const TacWorld *world, double seconds) {
    TacTick ticks = tac_ticks_round(world->base, fmin(seconds, 1e6));
    return ticks > 0 ? ticks : 0;
}

static void set_step(const TacWorld *world, TacLooseBody *body, const TacAgentSetting *s, double step,
                     bool explicit_contact) {
    TacTick own = ticks_of(world, step);
    if (own < 1) own = 1;
    // an explicit solver bears what touches it only at its own step
    double longest = s->adaptive && !explicit_contact ? fmin(s->longest, 1024) : 1;
    body->step = (TacAgentStep){.own = own,
                                .now = own,
                                .longest = (TacTick)((double)own * longest),
                                .patience = ticks_of(world, s->patience),
                                .still = s->still,
                                .adaptive = s->adaptive,
                                .may_rest = s->rest};
}

static void add_agent(TacCompile *c, uint32_t id, TacRandom *random) {
    TacWorld *world = c->world;
    const TacTicker *ticker = &world->tickers[id];
    const TacAgentSetting *s = tac_compile_agent_setting(c, ticker);
    TacLooseBody *body = &world->loose->bodies[id];
    bool implicit = ticker->solver && ticker->solver->base.cls->ops.solver->needs_linear;
    set_step(world, body, s, ticker->step, ticker->touches && !implicit);
    if (ticker->is_merge) body->step.adaptive = false; // who is in it changes
    tac_world_loose_note_step(world, id);
    size_t points = 0;
    for (size_t i = 0; i < ticker->program.matter_count; i++) points += ticker->program.matters[i]->count;
    body->cost = ticks_of(world, s->cost > 0 ? s->cost : 1e-6 + 1e-7 * (double)points);
    int top = world->loose->scheduler.top;
    uint32_t lot = tac_random_bits(random) % (uint32_t)(top + 1);
    TacLooseAgentDef def = {
        .threshold = s->threshold > 0 ? ticks_of(world, s->threshold) : body->step.own,
        .period = s->frequency > 0 ? ticks_of(world, 1 / s->frequency) : 0,
        .ratio = s->ratio,
        .c1 = s->c1,
        .priority = s->priority >= 0 ? (int)(s->priority < top ? s->priority : top) : (int)lot,
        .rules = (s->by_priority ? TAC_LOOSE_BY_PRIORITY : 0u) | (s->by_sleep ? TAC_LOOSE_BY_SLEEP : 0u)};
    tac_loose_add(&world->loose->scheduler, id, &def);
    if (ticker->is_merge) tac_loose_remove(&world->loose->scheduler, id); // until somebody is merged in it
}

static TacStatus make_view(TacCompile *c, uint32_t id, TacError *error) {
    TacWorld *world = c->world;
    TacLooseBody *body = &world->loose->bodies[id];
    const TacProgram *p = &world->tickers[id].program;
    // what is merged looks with the views of its members
    if (!world->touch || !world->tickers[id].touches || world->tickers[id].is_merge) return TAC_OK;
    body->models = tac_arena_array(&world->arena, p->law_count, sizeof *body->models);
    body->skins = tac_arena_array(&world->arena, p->law_count, sizeof *body->skins);
    if (!body->models || !body->skins) return tac_fail_memory(error, 0);
    TAC_TRY(tac_touch_view(&body->view, &world->touch->touch, &world->arena, error));
    for (size_t i = 0; i < p->law_count; i++) {
        if (p->laws[i]->base.cls == &tac_skin_touch_class)
            body->skins[body->skin_count++] = (TacSkinTouch *)p->laws[i];
        if (p->laws[i]->base.cls != &tac_touch_law_class) continue;
        TacTouchModel *model = (TacTouchModel *)p->laws[i];
        model->touch = &body->view;
        model->past_time = -1;
        model->past =
            tac_arena_array(&world->arena, tac_vector_size(model->model->matter, TAC_V), sizeof(double));
        if (!model->past) return tac_fail_memory(error, 0);
        body->models[body->model_count++] = model;
    }
    return TAC_OK;
}

TacStatus tac_compile_loose(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    const TacWorldSettings *settings = world->settings;
    if (settings->scheduler != 1) return TAC_OK;
    TAC_TRY(refuse_others(c, error));
    if (settings->priorities >= TAC_LOOSE_PRIORITIES)
        return tac_compile_fail(c, &settings->base, error, "priorities goes up to %d",
                                TAC_LOOSE_PRIORITIES - 1);
    if (settings->max_exec < 2 || settings->max_exec > 1000000)
        return tac_compile_fail(c, &settings->base, error, "max_exec must be from 2 to a million");
    TacWorldLoose *loose = tac_arena_alloc(&world->arena, sizeof *loose);
    if (!loose) return tac_fail_memory(error, sizeof *loose);
    loose->bodies = tac_arena_array(&world->arena, world->ticker_count, sizeof *loose->bodies);
    if (!loose->bodies) return tac_fail_memory(error, world->ticker_count * sizeof *loose->bodies);
    TAC_TRY(tac_loose_create(&loose->scheduler, (uint32_t)world->ticker_count, (int)settings->priorities,
                             (int)settings->max_exec, error));
    world->loose = loose;
    loose->count = world->ticker_count;
    loose->wall = settings->clock == 1;
    loose->started = -1;
    TacRandom random = tac_random(world->seed, 0x6C6F6F7365);
    for (uint32_t id = 0; id < loose->count; id++) {
        add_agent(c, id, &random);
        TAC_TRY(make_view(c, id, error));
    }
    tie_halves(c);
    return tac_world_loose_start(world, error);
}
