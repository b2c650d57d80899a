// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling Levels: which agents are its models, and what cannot be one.

#include "scene/compile.h"
#include "world/levels.h"

static bool is_below(const TacCompile *c, uint32_t node, uint32_t above) {
    for (; node != TAC_NONE && node != 0; node = c->scene->nodes[node].parent)
        if (node == above) return true;
    return above == 0;
}

static uint32_t node_of(const TacCompile *c, const TacComponent *component) {
    return c->instances[component->index].node;
}

static const TacMatter *root_of(const TacCompile *c, const TacMatter *m) {
    for (const TacMap *map; (map = c->map_of[tac_compile_matter_index(c, m)]);) m = map->parent;
    return m;
}

// --- one model ----------------------------------------------------------------------------------------------

static TacStatus list_matter(TacCompile *c, TacLevels *l, size_t k, TacError *error) {
    TacWorld *world = c->world;
    const TacMatter *own = l->models[k].matter;
    for (size_t i = 0; i < world->matter_count; i++)
        l->matter_counts[k] += root_of(c, world->matters[i]) == own;
    l->matter[k] = tac_arena_array(&world->arena, l->matter_counts[k], sizeof *l->matter[k]);
    if (!l->matter[k]) return tac_fail_memory(error, 0);
    for (size_t i = 0, n = 0; i < world->matter_count; i++)
        if (root_of(c, world->matters[i]) == own) l->matter[k][n++] = world->matters[i];
    return TAC_OK;
}

static TacStatus take_model(TacCompile *c, TacLevels *l, uint32_t ticker, TacError *error) {
    TacTicker *t = &c->world->tickers[ticker];
    size_t k = l->count++;
    if (t->program.matter_count != 1)
        return tac_compile_fail(c, &t->solver->base, error,
                                "it has %zu independent matters; a model of %s has one, of points or frames",
                                t->program.matter_count, l->base.path);
    TacMatter *m = t->program.matters[0];
    size_t index = tac_compile_matter_index(c, m);
    if (m->kind != TAC_VEC3 && m->kind != TAC_RIGID3)
        return tac_compile_fail(c, &m->base, error, "models of Levels are points or frames in space");
    if (!c->mass_of[index])
        return tac_compile_fail(c, &m->base, error,
                                "it has no mass; a model of %s needs the mass of the thing", l->base.path);
    if (c->mass_of[index]->base.cls->ops.mass->joint)
        return tac_compile_fail(c, &c->mass_of[index]->base, error,
                                "%s changes its resolution itself; it cannot be a model of %s",
                                c->mass_of[index]->base.path, l->base.path);
    const TacTopology *topology =
        (const TacTopology *)tac_compile_nearest(c, node_of(c, &m->base), TAC_KIND_TOPOLOGY);
    bool fits = topology && topology->mesh.point_count == m->count;
    l->models[k] = (TacModel){.matter = m, .mass = c->mass_of[index], .mesh = fits ? &topology->mesh : NULL};
    for (size_t i = 0; i < t->program.constraint_count; i++)
        if (t->program.constraints[i]->base.cls->ops.constraint->prescribe) l->models[k].scripted = true;
    l->programs[k] = &t->program;
    l->solvers[k] = t->solver;
    l->steps[k] = t->step;
    l->tickers[k] = ticker;
    return list_matter(c, l, k, error);
}

// --- one Levels -----------------------------------------------------------------------------------------------

static TacStatus take_arrays(TacCompile *c, TacLevels *l, size_t n, TacError *error) {
    TacArena *arena = &c->world->arena;
    l->models = tac_arena_array(arena, n, sizeof *l->models);
    l->programs = tac_arena_array(arena, n, sizeof *l->programs);
    l->solvers = tac_arena_array(arena, n, sizeof *l->solvers);
    l->steps = tac_arena_array(arena, n, sizeof *l->steps);
    l->tickers = tac_arena_array(arena, n, sizeof *l->tickers);
    l->matter = tac_arena_array(arena, n, sizeof *l->matter);
    l->matter_counts = tac_arena_array(arena, n, sizeof *l->matter_counts);
    bool good =
        l->models && l->programs && l->solvers && l->steps && l->tickers && l->matter && l->matter_counts;
    return good ? TAC_OK : tac_fail_memory(error, 0);
}

static TacStatus check_nesting(const TacCompile *c, const TacLevels *l, TacError *error) {
    for (size_t i = 0; i < c->world->levels.count; i++) {
        const TacLevels *other = c->world->levels.list[i];
        if (is_below(c, node_of(c, &l->base), node_of(c, &other->base)) ||
            is_below(c, node_of(c, &other->base), node_of(c, &l->base)))
            return tac_compile_fail(
                c, &l->base, error,
                "%s stands above or below it; a thing has one Levels, above all of its models",
                other->base.path);
    }
    return TAC_OK;
}

static TacStatus make_levels(TacCompile *c, TacLevels *l, TacError *error) {
    TacWorld *world = c->world;
    uint32_t node = node_of(c, &l->base);
    TAC_TRY(check_nesting(c, l, error));
    size_t n = 0;
    for (size_t t = 0; t < world->agent_count; t++) {
        const TacSolver *s = world->tickers[t].solver;
        n += s && is_below(c, node_of(c, &s->base), node);
        if (s && node_of(c, &s->base) == node)
            return tac_compile_fail(
                c, &l->base, error,
                "%s stands beside it; its models are agents in the nodes below, each with its own "
                "solver",
                s->base.path);
    }
    if (n < 2)
        return tac_compile_fail(
            c, &l->base, error,
            "there %s in the nodes below it; two models or more were expected, each a node with "
            "a solver, from coarse to fine",
            n ? "is one agent" : "are no agents");
    if (n > TAC_LEVELS)
        return tac_compile_fail(c, &l->base, error, "there are %zu agents below it; it can have %d models", n,
                                TAC_LEVELS);
    TAC_TRY(take_arrays(c, l, n, error));
    for (uint32_t t = 0; t < world->agent_count; t++) {
        const TacSolver *s = world->tickers[t].solver;
        if (s && is_below(c, node_of(c, &s->base), node)) TAC_TRY(take_model(c, l, t, error));
    }
    TacError why;
    TacStatus status = tac_levels_prepare(l, &world->arena, world->team, &why);
    if (status == TAC_NO_MEMORY) return tac_fail_memory(error, 0);
    return status == TAC_OK ? TAC_OK : tac_compile_fail(c, &l->base, error, "%s", why.message);
}

// --- all of them ----------------------------------------------------------------------------------------------

static void find_view(TacCompile *c) {
    TacWorldLevels *w = &c->world->levels;
    const double usual = 35; // degrees, as Camera's default
    w->half_angle = 0.5 * usual * TAC_PI / 180;
    for (size_t i = c->count; i-- > 0;) {
        const TacComponent *component = c->instances[i].component;
        if (component->cls == &tac_view_path_class) w->path = (const TacViewPath *)component;
        if (component->cls == &tac_camera_class)
            w->half_angle = fmin(((const TacCameraSetting *)component)->field_of_view, 179) * TAC_PI / 360;
    }
}

TacStatus tac_compile_levels(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TacWorldLevels *w = &world->levels;
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) n += c->instances[i].component->cls == &tac_levels_class;
    if (!n) return TAC_OK;
    w->list = tac_arena_array(&world->arena, n, sizeof *w->list);
    w->due = tac_arena_array(&world->arena, n, sizeof *w->due);
    w->attention = tac_arena_array(&world->arena, n, sizeof *w->attention);
    w->of_component = tac_arena_array(&world->arena, c->count, sizeof *w->of_component);
    w->seconds = tac_arena_array(&world->arena, world->ticker_count, sizeof *w->seconds);
    if (!w->list || !w->due || !w->attention || !w->of_component || !w->seconds)
        return tac_fail_memory(error, 0);
    for (size_t i = 0; i < c->count; i++) {
        TacComponent *component = c->instances[i].component;
        if (component->cls != &tac_levels_class) continue;
        TAC_TRY(make_levels(c, (TacLevels *)component, error));
        w->list[w->count++] = (TacLevels *)component;
        for (size_t k = 0; k < c->count; k++)
            if (is_below(c, c->instances[k].node, node_of(c, component)))
                w->of_component[k] = (uint32_t)w->count;
    }
    find_view(c);
    return TAC_OK;
}

static const TacLevels *levels_of(const TacWorld *world, const TacMatter *m) {
    for (size_t i = 0; i < world->levels.count; i++)
        for (size_t k = 0; k < world->levels.list[i]->count; k++)
            for (size_t j = 0; j < world->levels.list[i]->matter_counts[k]; j++)
                if (world->levels.list[i]->matter[k][j] == m) return world->levels.list[i];
    return NULL;
}

TacStatus tac_compile_levels_end(TacCompile *c, TacError *error) {
    const TacWorld *world = c->world;
    if (!world->levels.count) return TAC_OK;
    if (world->settings->scheduler == 1)
        return tac_compile_fail(
            c, &world->levels.list[0]->base, error,
            "models change at a common instant, which the loose scheduler does not have: take "
            "scheduler=\"causal\"");
    for (size_t i = 0; i < world->matter_count; i++)
        if (world->matters[i]->times && levels_of(world, world->matters[i]))
            return tac_compile_fail(
                c, &world->matters[i]->base, error,
                "it takes part in safe contact, and is a model of %s: a change of models could "
                "put it through other things. Use collision models of loose contact (Shape, Balls)",
                levels_of(world, world->matters[i])->base.path);
    for (size_t t = 0; t < world->ticker_count; t++)
        for (size_t k = 0; k < world->tickers[t].program.watched_count; k++)
            if (levels_of(world, world->tickers[t].program.watched[k]))
                return tac_compile_fail(c, &world->tickers[t].program.watched[k]->base, error,
                                        "%s looks at it, but it is a model of %s and not always there",
                                        world->tickers[t].name,
                                        levels_of(world, world->tickers[t].program.watched[k])->base.path);
    return TAC_OK;
}
