// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling Levels: which agents are its models, and what cannot be one. A few passes over nodes, agents and matter,
// however many Levels there are.

#include "scene/compile.h"
#include "world/levels.h"

// Which Levels a node stands below (or has), by its place in the world's list, from 1; 0: none.
typedef struct Below {
    uint32_t *of_node;
    uint32_t *of_matter; // of its root: likewise
    uint32_t *model;     // of its root: which model of that
} Below;

static uint32_t node_of(const TacCompile *c, const TacComponent *component) {
    return c->instances[component->index].node;
}

static size_t root_of(const TacCompile *c, size_t matter) {
    return tac_compile_matter_index(c, tac_compile_root(c, c->world->matters[matter]));
}

// --- who stands where -----------------------------------------------------------------------------------------

// Parents come before their children.
static TacStatus mark_nodes(TacCompile *c, Below *below, TacError *error) {
    TacWorldLevels *w = &c->world->levels;
    for (size_t i = 0; i < w->count; i++) {
        uint32_t *mine = &below->of_node[node_of(c, &w->list[i]->base)];
        if (*mine)
            return tac_compile_fail(c, &w->list[i]->base, error,
                                    "%s stands in the same node; a thing has one Levels",
                                    w->list[*mine - 1]->base.path);
        *mine = (uint32_t)i + 1;
    }
    for (size_t node = 1; node < c->scene->node_count; node++) {
        uint32_t parent = c->scene->nodes[node].parent, above = parent < node ? below->of_node[parent] : 0;
        uint32_t own = below->of_node[node];
        if (own && above)
            return tac_compile_fail(c, &w->list[own - 1]->base, error,
                                    "%s stands above it; a thing has one Levels, above all of its models",
                                    w->list[above - 1]->base.path);
        if (!own) below->of_node[node] = above;
    }
    for (size_t i = 0; i < c->count; i++) w->of_component[i] = below->of_node[c->instances[i].node];
    return TAC_OK;
}

static TacStatus count_models(TacCompile *c, const Below *below, TacError *error) {
    TacWorld *world = c->world;
    for (size_t t = 0; t < world->agent_count; t++) {
        const TacSolver *s = world->tickers[t].solver;
        uint32_t which = s ? below->of_node[node_of(c, &s->base)] : 0;
        if (!which) continue;
        TacLevels *l = world->levels.list[which - 1];
        if (node_of(c, &s->base) == node_of(c, &l->base))
            return tac_compile_fail(
                c, &l->base, error,
                "%s stands beside it; its models are agents in the nodes below, each with its own "
                "solver",
                s->base.path);
        l->count++;
    }
    for (size_t i = 0; i < world->levels.count; i++) {
        const TacLevels *l = world->levels.list[i];
        if (l->count < 2)
            return tac_compile_fail(
                c, &l->base, error,
                "there %s in the nodes below it; two models or more were expected, each a node with "
                "a solver, from coarse to fine",
                l->count ? "is one agent" : "are no agents");
        if (l->count > TAC_LEVELS)
            return tac_compile_fail(c, &l->base, error,
                                    "there are %zu agents below it; it can have %d models", l->count,
                                    TAC_LEVELS);
    }
    return TAC_OK;
}

static TacStatus take_arrays(TacCompile *c, TacLevels *l, TacError *error) {
    TacArena *arena = &c->world->arena;
    size_t n = l->count;
    l->models = tac_arena_array(arena, n, sizeof *l->models);
    l->programs = tac_arena_array(arena, n, sizeof *l->programs);
    l->solvers = tac_arena_array(arena, n, sizeof *l->solvers);
    l->steps = tac_arena_array(arena, n, sizeof *l->steps);
    l->tickers = tac_arena_array(arena, n, sizeof *l->tickers);
    l->matter = tac_arena_array(arena, n, sizeof *l->matter);
    l->matter_counts = tac_arena_array(arena, n, sizeof *l->matter_counts);
    bool good =
        l->models && l->programs && l->solvers && l->steps && l->tickers && l->matter && l->matter_counts;
    l->count = 0; // filled one by one
    return good ? TAC_OK : tac_fail_memory(error, 0);
}

// --- one model ----------------------------------------------------------------------------------------------

static TacStatus check_model(const TacCompile *c, const TacLevels *l, const TacTicker *t, TacError *error) {
    if (t->program.matter_count != 1)
        return tac_compile_fail(c, &t->solver->base, error,
                                "it has %zu independent matters; a model of %s has one, of points or frames",
                                t->program.matter_count, l->base.path);
    const TacMatter *m = t->program.matters[0];
    const TacMass *mass = c->mass_of[tac_compile_matter_index(c, m)];
    if (m->kind != TAC_VEC3 && m->kind != TAC_RIGID3)
        return tac_compile_fail(c, &m->base, error, "models of Levels are points or frames in space");
    if (!mass)
        return tac_compile_fail(c, &m->base, error,
                                "it has no mass; a model of %s needs the mass of the thing", l->base.path);
    if (mass->base.cls->ops.mass->joint)
        return tac_compile_fail(c, &mass->base, error,
                                "%s changes its resolution itself; it cannot be a model of %s",
                                mass->base.path, l->base.path);
    return TAC_OK;
}

static TacStatus take_model(TacCompile *c, Below *below, uint32_t which, uint32_t ticker, TacError *error) {
    TacTicker *t = &c->world->tickers[ticker];
    TacLevels *l = c->world->levels.list[which - 1];
    TAC_TRY(check_model(c, l, t, error));
    size_t k = l->count++;
    TacMatter *m = t->program.matters[0];
    size_t index = tac_compile_matter_index(c, m);
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
    below->of_matter[index] = which;
    below->model[index] = (uint32_t)k;
    return TAC_OK;
}

// The matter of each model, and what follows it: counted, then filled.
static TacStatus list_matter(TacCompile *c, Below *below, TacError *error) {
    TacWorld *world = c->world;
    for (size_t fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < world->matter_count; i++) {
            size_t root = root_of(c, i), k = below->model[root];
            if (!below->of_matter[root]) continue;
            TacLevels *l = world->levels.list[below->of_matter[root] - 1];
            if (fill) l->matter[k][l->matter_counts[k]] = world->matters[i];
            l->matter_counts[k]++;
        }
        for (size_t i = 0; !fill && i < world->levels.count; i++) {
            TacLevels *l = world->levels.list[i];
            for (size_t k = 0; k < l->count; k++) {
                l->matter[k] = tac_arena_array(&world->arena, l->matter_counts[k], sizeof *l->matter[k]);
                if (!l->matter[k]) return tac_fail_memory(error, 0);
                l->matter_counts[k] = 0;
            }
        }
    }
    return TAC_OK;
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

static TacStatus take_lists(TacCompile *c, size_t n, Below *below, TacError *error) {
    TacWorld *world = c->world;
    TacWorldLevels *w = &world->levels;
    TacArena *arena = &world->arena;
    w->list = tac_arena_array(arena, n, sizeof *w->list);
    w->due = tac_arena_array(arena, n, sizeof *w->due);
    w->attention = tac_arena_array(arena, n, sizeof *w->attention);
    w->of_component = tac_arena_array(arena, c->count, sizeof *w->of_component);
    w->seconds = tac_arena_array(arena, world->ticker_count, sizeof *w->seconds);
    below->of_node = tac_arena_array(arena, c->scene->node_count, sizeof *below->of_node);
    below->of_matter = tac_arena_array(arena, world->matter_count, sizeof *below->of_matter);
    below->model = tac_arena_array(arena, world->matter_count, sizeof *below->model);
    bool good = w->list && w->due && w->attention && w->of_component && w->seconds && below->of_node &&
                below->of_matter && below->model;
    return good ? TAC_OK : tac_fail_memory(error, 0);
}

TacStatus tac_compile_levels(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TacWorldLevels *w = &world->levels;
    Below below;
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) n += c->instances[i].component->cls == &tac_levels_class;
    if (!n) return TAC_OK;
    TAC_TRY(take_lists(c, n, &below, error));
    for (size_t i = 0; i < c->count; i++)
        if (c->instances[i].component->cls == &tac_levels_class)
            w->list[w->count++] = (TacLevels *)c->instances[i].component;
    TAC_TRY(mark_nodes(c, &below, error));
    TAC_TRY(count_models(c, &below, error));
    for (size_t i = 0; i < w->count; i++) TAC_TRY(take_arrays(c, w->list[i], error));
    for (uint32_t t = 0; t < world->agent_count; t++) {
        const TacSolver *s = world->tickers[t].solver;
        uint32_t which = s ? below.of_node[node_of(c, &s->base)] : 0;
        if (which) TAC_TRY(take_model(c, &below, which, t, error));
    }
    TAC_TRY(list_matter(c, &below, error));
    for (size_t i = 0; i < w->count; i++) {
        TacError why;
        TacStatus status = tac_levels_prepare(w->list[i], &world->arena, world->team, &why);
        if (status == TAC_NO_MEMORY) return tac_fail_memory(error, 0);
        if (status != TAC_OK) return tac_compile_fail(c, &w->list[i]->base, error, "%s", why.message);
    }
    find_view(c);
    return TAC_OK;
}

// The Levels that matter is a model of, or follows one; NULL: none.
static const TacLevels *levels_of(const TacCompile *c, TacMatter *m) {
    const TacMatter *root = tac_compile_root(c, m);
    uint32_t which = c->world->levels.of_component[root->base.index];
    const TacLevels *l = which ? c->world->levels.list[which - 1] : NULL;
    for (size_t k = 0; l && k < l->count; k++)
        if (l->models[k].matter == root) return l;
    return NULL;
}

TacStatus tac_compile_levels_end(TacCompile *c, TacError *error) {
    const TacWorld *world = c->world;
    if (!world->levels.count) return TAC_OK;
    for (size_t i = 0; i < world->matter_count; i++)
        if (world->matters[i]->times && levels_of(c, world->matters[i]))
            return tac_compile_fail(
                c, &world->matters[i]->base, error,
                "it takes part in safe contact, and is a model of %s: a change of models could "
                "put it through other things. Use collision models of loose contact (Shape, Balls)",
                levels_of(c, world->matters[i])->base.path);
    for (size_t t = 0; t < world->ticker_count; t++)
        for (size_t k = 0; k < world->tickers[t].program.watched_count; k++)
            if (levels_of(c, world->tickers[t].program.watched[k]))
                return tac_compile_fail(c, &world->tickers[t].program.watched[k]->base, error,
                                        "%s looks at it, but it is a model of %s and not always there",
                                        world->tickers[t].name,
                                        levels_of(c, world->tickers[t].program.watched[k])->base.path);
    return TAC_OK;
}
