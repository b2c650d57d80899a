// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling what keeps an eye on agents' steps: those that may take longer ones and sleep in worlds with safe contact
// (world/rest.h), those that may blow up there (world/growth.h), and remarks on steps that are too long from the start.

#include "scene/compile.h"
#include "world/growth.h"
#include "world/loose.h"
#include "world/rest.h"

#include <stdlib.h>
#include <string.h>

static void remark(const TacCompile *c, const TacTicker *t, const char *text) {
    TacError error;
    tac_compile_fail(c, &t->solver->base, &error, "%s", text);
    tac_tree_message(c->scene, false, &error);
}

// Whether somebody else kicks its matter, too.
static bool is_kicked_by_laws(const TacWorld *world, const TacTicker *t) {
    for (size_t i = world->agent_count; i < world->ticker_count; i++) {
        const TacTicker *law = &world->tickers[i];
        if (law->is_part) continue;
        for (size_t k = 0; k < t->program.matter_count; k++) {
            if (law->batch && law->batch->matter == t->program.matters[k]) return true;
            for (size_t m = 0; !law->batch && m < law->program.matter_count; m++)
                if (law->program.matters[m] == t->program.matters[k]) return true;
        }
    }
    return false;
}

static bool is_scripted(const TacTicker *t) {
    for (size_t i = 0; i < t->program.constraint_count; i++)
        if (t->program.constraints[i]->base.cls->ops.constraint->prescribe) return true;
    return false;
}

static bool has_limits(const TacWorld *world, const TacTicker *t) {
    for (size_t i = 0; world->limits && i < t->program.matter_count; i++)
        if (tac_limits_has(world->limits, t->program.matters[i])) return true;
    return false;
}

// Laws that a solver takes explicitly bear its own step and no longer one.
static bool is_explicit(const TacTicker *t) {
    const TacSolverOps *ops = t->solver->base.cls->ops.solver;
    return !ops->needs_linear && !(ops->keeps_joints && t->program.law_count == 0);
}

static int most_classes(const TacCompile *c, const TacTicker *t, double longest) {
    int most = 0;
    if (is_explicit(t)) return 0;
    while (most < 10 && ldexp(1, most + 1) <= longest) most++;
    // what a joint may tie to others has to come together with them on every beat
    bool ties = c->family_of[t->solver->base.index] != TAC_NONE;
    while (ties && most > 0 && t->ruler_class + most > c->world->base.bits) most--;
    while (most > 0 && t->ruler_class + most >= TAC_RULER_CLASSES - 1) most--;
    return most;
}

static TacStatus add(TacCompile *c, uint32_t index, const TacAgentSetting *setting, TacError *error) {
    TacWorld *world = c->world;
    TacTicker *t = &world->tickers[index];
    if (tac_ticker_is_free(t)) {
        remark(c, t, "its step is not the beat times a power of two: it keeps its step, and does not sleep");
        return TAC_OK;
    }
    bool kicked = is_kicked_by_laws(world, t) || has_limits(world, t), scripted = is_scripted(t);
    if (setting->rest && (kicked || scripted))
        remark(c, t,
               kicked ? "laws on their own clock kick it, too, so it never sleeps"
                      : "its points move as they are told, so it never sleeps");
    TacRest *rest = &world->rests.list[world->rests.count++];
    TacTick patience = tac_ticks_round(world->base, fmin(setting->patience, 1e6));
    *rest = (TacRest){.ticker = index,
                      .own = t->ruler_class,
                      .most = scripted ? 0 : most_classes(c, t, setting->longest),
                      .patience = patience > 0 ? patience : 1,
                      .still = setting->still,
                      .may_sleep = setting->rest && !kicked && !scripted,
                      .state = tac_arena_alloc(&world->arena, sizeof *rest->state)};
    if (!rest->state) return tac_fail_memory(error, sizeof *rest->state);
    rest->state->speed = INFINITY;
    t->rest = rest;
    return tac_compile_declare_state(world, rest->state, sizeof *rest->state, error);
}

TacStatus tac_compile_rests(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    struct TacRests *r = &world->rests;
    if (!world->safe) return TAC_OK;
    r->list = tac_arena_array(&world->arena, world->agent_count, sizeof *r->list);
    r->heap = tac_arena_array(&world->arena, world->ticker_count + 1, sizeof *r->heap);
    r->wakes = tac_arena_array(&world->arena, world->agent_count, sizeof *r->wakes);
    if (!r->list || !r->heap || !r->wakes) return tac_fail_memory(error, 0);
    for (uint32_t i = 0; i < world->agent_count; i++) {
        const TacTicker *t = &world->tickers[i];
        if (!t->solver || t->is_merge) continue;
        const TacAgentSetting *setting = tac_compile_agent_setting(c, t);
        if (setting->adaptive) TAC_TRY(add(c, i, setting, error));
    }
    return TAC_OK;
}

// --- agents that may blow up ---------------------------------------------------------------------------------

// The mean of the shortest edges at the points of what an agent moves; 0: it has no points with a skin.
static double size_of(const TacWorld *world, const TacProgram *p) {
    double sum = 0, count = 0;
    for (size_t k = 0; k < p->matter_count; k++) {
        const TacMatter *m = p->matters[k];
        uint32_t first = m->times && m->kind == TAC_VEC3 ? world->first_support[m->base.index] : UINT32_MAX;
        for (uint32_t i = 0; first != UINT32_MAX && i < m->count; i++) {
            double size = tac_safe_size(world->safe, first + i);
            if (!(size < INFINITY)) continue;
            sum += size;
            count++;
        }
    }
    return count > 0 ? sum / count : 0;
}

// A law on a clock that the scene gave it, all parts alike.
static bool has_given_clock(const TacTicker *t) {
    return t->is_law && t->program.law_count && t->program.laws[0]->period > 0;
}

TacStatus tac_compile_growths(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    for (uint32_t i = 0; world->safe && i < world->ticker_count; i++) {
        TacTicker *t = &world->tickers[i];
        bool kicks = (t->solver && t->program.law_count) || has_given_clock(t);
        double size = kicks ? size_of(world, &t->program) : 0;
        if (!(size > 0)) continue;
        t->growth = tac_arena_alloc(&world->arena, sizeof *t->growth);
        if (!t->growth) return tac_fail_memory(error, sizeof *t->growth);
        t->growth->size = size;
        TAC_TRY(tac_compile_declare_state(world, &t->growth->state, sizeof t->growth->state, error));
    }
    return TAC_OK;
}

// --- agents that will blow up -----------------------------------------------------------------------------------

// What components have declared, one after the other; laws that are asked for their forces may change it. NULL: no memory.
static char *keep_states(const TacWorld *world) {
    size_t bytes = 1, at = 0;
    for (size_t i = 0; i < world->block_count; i++) bytes += world->blocks[i].bytes;
    char *kept = malloc(bytes);
    for (size_t i = 0; kept && i < world->block_count; at += world->blocks[i++].bytes)
        memcpy(kept + at, world->blocks[i].data, world->blocks[i].bytes);
    return kept;
}

static void put_back_states(const TacWorld *world, const char *kept) {
    for (size_t i = 0, at = 0; i < world->block_count; at += world->blocks[i++].bytes)
        memcpy(world->blocks[i].data, kept + at, world->blocks[i].bytes);
}

// What is found is a motion that needs a shorter step, so no agent is blamed that bears its own. Others that are near
// their limit may not be found.
void tac_compile_remark_step(const TacCompile *c, const TacComponent *who, const TacProgram *program,
                             double step) {
    enum { ITERATIONS = 24 };
    TacContext context = {0, step, c->world->team};
    TacMode mode = tac_program_least_stable(program, &context, ITERATIONS);
    double longest = tac_mode_longest_step(mode);
    if (!(step > 1.01 * longest)) return;
    const char *what = 2 * mode.viscosity > mode.stiffness * step ? "damping" : "stiffness";
    TacError error;
    tac_compile_fail(
        c, who, &error,
        "its step of %g s is too long for its laws as they are at the start, mainly for their %s: "
        "from about %.2g s on it may blow up. A shorter step, less %s, more mass or an implicit "
        "solver helps",
        step, what, longest, what);
    tac_tree_message(c->scene, false, &error);
}

void tac_compile_remark_steps(const TacCompile *c) {
    const TacWorld *world = c->world;
    char *kept = NULL;
    for (uint32_t i = 0; i < world->agent_count; i++) {
        const TacTicker *t = &world->tickers[i];
        if (!t->solver || t->solver->base.cls != &tac_symplectic_euler_class) continue;
        if (!kept) kept = keep_states(world);
        if (!kept) return;
        tac_compile_remark_step(c, &t->solver->base, &t->program, t->step);
    }
    if (kept) put_back_states(world, kept);
    free(kept);
}
