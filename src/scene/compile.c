// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling a scene into a world: the passes of compile.h in order, then vectors, clocks and recording.

#define _GNU_SOURCE
#include "scene/compile.h"
#include "world/snapshot.h"

#include <dlfcn.h>
#include <link.h>

enum { ITERATIONS = 40 }; // for the highest frequency of a law

// --- vectors ----------------------------------------------------------------------------------------------

TacStatus tac_compile_take_vectors(TacWorld *world, TacMatter *m, unsigned which, TacError *error) {
    for (int v = 0; v < TAC_VECTOR_COUNT; v++) {
        if (!(which & 1u << v) || m->vectors[v]) continue;
        size_t n = tac_vector_size(m, (TacVector)v);
        m->vectors[v] = tac_arena_array(&world->arena, n, sizeof(double));
        if (!m->vectors[v]) return tac_fail_memory(error, n * sizeof(double));
    }
    return TAC_OK;
}

static TacStatus make_vectors(TacWorld *world, TacError *error) {
    const unsigned standing =
        1u << TAC_F | 1u << TAC_DV | 1u << TAC_X_SHOWN | 1u << TAC_V_SHOWN | 1u << TAC_A;
    for (size_t i = 0; i < world->matter_count; i++)
        TAC_TRY(tac_compile_take_vectors(world, world->matters[i], standing, error));
    for (size_t t = 0; t < world->ticker_count; t++) {
        const TacTicker *ticker = &world->tickers[t];
        if (!ticker->solver) continue;
        const TacSolverOps *ops = ticker->solver->base.cls->ops.solver;
        bool moves = tac_solver_moves(ticker->solver);
        unsigned scratch = ops->scratch | (moves ? 1u << TAC_X_NEXT | 1u << TAC_V_NEXT : 0);
        if (ticker->solver->linear) scratch |= ticker->solver->linear->base.cls->ops.linear_solver->scratch;
        for (size_t k = 0; k < ticker->program.matter_count; k++)
            TAC_TRY(tac_compile_take_vectors(world, ticker->program.matters[k], scratch, error));
        for (size_t k = 0; k < ticker->program.other_count; k++)
            TAC_TRY(tac_compile_take_vectors(world, ticker->program.others[k], scratch, error));
    }
    return TAC_OK;
}

// --- solvers ----------------------------------------------------------------------------------------------

// A linear solver nobody wrote: all attributes at their defaults.
static TacStatus make_default_linear(TacCompile *c, const TacSolver *owner, TacLinearSolver **result,
                                     TacError *error) {
    const TacClass *cls = &tac_conjugate_gradient_class;
    TacComponent *made = tac_arena_alloc(&c->world->arena, cls->size);
    if (!made) return tac_fail_memory(error, cls->size);
    *made = owner->base;
    made->cls = cls;
    for (size_t i = 0; i < cls->attribute_count; i++) {
        TacValue value;
        const TacAttribute *a = &cls->attributes[i];
        TAC_TRY(tac_value_parse(&c->world->arena, a, a->initial, (TacPlace){0}, "", &value, error));
        tac_value_store(a, &value, made);
    }
    *result = (TacLinearSolver *)made;
    return TAC_OK;
}

static TacStatus find_linear_solvers(TacCompile *c, TacError *error) {
    for (size_t t = 0; t < c->world->ticker_count; t++) {
        TacSolver *solver = c->world->tickers[t].solver;
        if (!solver || !solver->base.cls->ops.solver->needs_linear || solver->linear) continue;
        uint32_t node = c->instances[solver->base.index].node;
        solver->linear = (TacLinearSolver *)c->latest[node].of_kind[TAC_KIND_LINEAR_SOLVER];
        if (!solver->linear) TAC_TRY(make_default_linear(c, solver, &solver->linear, error));
    }
    return TAC_OK;
}

TacStatus tac_compile_declare_state(void *data, void *state, size_t bytes, TacError *error) {
    TacWorld *world = data;
    if (!tac_grow(&world->blocks, &world->block_capacity, world->block_count + 1, sizeof *world->blocks))
        return tac_fail_memory(error, 0);
    world->blocks[world->block_count++] = (TacStateBlock){state, bytes};
    return TAC_OK;
}

// What linear solvers keep: matrices and their structure.
static TacStatus prepare_linear_solvers(TacCompile *c, TacError *error) {
    for (size_t t = 0; t < c->world->ticker_count; t++) {
        TacTicker *ticker = &c->world->tickers[t];
        TacLinearSolver *linear = ticker->solver ? ticker->solver->linear : NULL;
        if (!linear || !linear->base.cls->ops.linear_solver->prepare) continue;
        TacContext context = {0, ticker->step, c->world->team};
        TacError remark = {0};
        const TacPreparation preparation = {&context, &c->world->arena, &remark, c->world,
                                            tac_compile_declare_state};
        TAC_TRY(linear->base.cls->ops.linear_solver->prepare(linear, &ticker->program, &preparation, error));
        if (remark.message[0]) tac_tree_message(c->scene, false, &remark);
    }
    return TAC_OK;
}

// What solvers keep: rows of joints.
static TacStatus prepare_solvers(TacCompile *c, TacError *error) {
    for (size_t t = 0; t < c->world->ticker_count; t++) {
        TacTicker *ticker = &c->world->tickers[t];
        const TacSolverOps *ops = ticker->solver ? ticker->solver->base.cls->ops.solver : NULL;
        if (!ops || !ops->prepare) continue;
        TacContext context = {0, ticker->step, c->world->team};
        TacError remark = {0};
        const TacPreparation preparation = {&context, &c->world->arena, &remark, c->world,
                                            tac_compile_declare_state};
        TAC_TRY(ops->prepare(ticker->solver, &ticker->program, &preparation, error));
        if (remark.message[0]) tac_tree_message(c->scene, false, &remark);
    }
    return TAC_OK;
}

// --- clocks -----------------------------------------------------------------------------------------------

double tac_compile_highest_frequency(const TacWorld *world, const TacTicker *t) {
    TacContext context = {0, world->base.beat, world->team};
    return tac_program_frequency(&t->program, &context, ITERATIONS);
}

// In a world with safe contact a law that says nothing ticks as often as its stiffness needs: eight times in
// the time that its highest frequency takes for a radian, since kicks of contact come in between.
static double own_period(const TacCompile *c, const TacTicker *t) {
    double omega = c->safe ? tac_compile_highest_frequency(c->world, t) : 0;
    return omega > 0 ? fmin(c->world->base.beat, 0.125 / omega) : c->world->base.beat;
}

// An agent keeps the step it asked for: on the ruler when that is the beat times a power of two, on a free
// clock otherwise. A law's period is an upper limit and is rounded down to the ruler.
static TacStatus set_clock(TacCompile *c, uint32_t index, TacError *error) {
    TacWorld *world = c->world;
    TacTicker *t = &world->tickers[index];
    if (t->batch) return tac_ruler_add(&world->causal.ruler, index, t->ruler_class, error);
    if (t->is_merge) return tac_compile_family_clock(c, index, error);
    const TacLaw *law = t->is_law ? t->program.laws[0] : NULL;
    double wanted = t->solver ? t->solver->step : law ? law->period : 0;
    const TacComponent *who = t->solver ? &t->solver->base : law ? &law->base : &t->program.matters[0]->base;
    if (wanted == 0) wanted = law ? own_period(c, t) : world->base.beat;
    t->ruler_class = tac_ruler_class(world->base, wanted);
    double on_ruler = t->ruler_class < 0 ? 0 : ldexp(world->base.tick, t->ruler_class);
    if (t->ruler_class >= 0 && (law || fabs(on_ruler - wanted) <= 1e-12 * wanted)) {
        t->step = on_ruler;
        return tac_ruler_add(&world->causal.ruler, index, t->ruler_class, error);
    }
    if (!tac_free_clock_ratio(wanted, world->base.beat, &t->p, &t->q))
        return tac_compile_fail(
            c, who, error,
            "its step of %g s is not a ratio of whole numbers (up to a million) of the beat, %g s", wanted,
            world->base.beat);
    t->step = wanted;
    TacError why;
    TacStatus status = tac_free_clocks_add(&world->causal.free, index, t->p, t->q, 0, &why);
    if (status == TAC_NO_MEMORY) return tac_fail_memory(error, 0);
    if (status != TAC_OK)
        return tac_compile_fail(c, who, error, "its step of %g s cannot be kept: %s", wanted, why.message);
    return TAC_OK;
}

static TacStatus set_clocks(TacCompile *c, TacError *error) {
    for (uint32_t i = 0; i < c->world->ticker_count; i++) TAC_TRY(set_clock(c, i, error));
    return tac_free_clocks_reserve(&c->world->causal.free, error);
}

// --- what is seen -----------------------------------------------------------------------------------------

static bool has_surface(const TacTopology *topology, const TacMatter *m) {
    if (!topology || topology->mesh.point_count != m->count) return false;
    for (int k = TAC_TRIANGLES; k < TAC_ELEMENT_KINDS; k++)
        if (topology->mesh.elements[k].count) return true;
    return false;
}

static TacStatus set_up_recording(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TacShape *shapes = tac_arena_array(&world->arena, world->matter_count, sizeof *shapes);
    if (!shapes) return tac_fail_memory(error, 0);
    for (size_t m = 0; m < world->matter_count; m++) {
        TacMatter *matter = world->matters[m];
        uint32_t node = c->instances[c->instance_of[m]].node;
        shapes[m] = (TacShape){.matter = matter,
                               .topology = (TacTopology *)tac_compile_nearest(c, node, TAC_KIND_TOPOLOGY)};
    }
    // matter that others follow is hidden by its skin
    for (size_t m = 0; m < world->matter_count; m++) {
        const TacMap *map = c->map_of[m];
        if (!map || map->parent->mapped || !has_surface(shapes[m].topology, world->matters[m])) continue;
        shapes[tac_compile_matter_index(c, map->parent)].has_skin = true;
    }
    // of a thing with several models the finest is seen
    for (size_t i = 0; i < world->levels.count; i++) {
        const TacLevels *l = world->levels.list[i];
        for (size_t k = 0; k + 1 < l->count; k++)
            for (size_t j = 0; j < l->matter_counts[k]; j++)
                shapes[tac_compile_matter_index(c, l->matter[k][j])].has_skin = true;
    }
    const TacCameraSetting *camera = NULL;
    for (size_t i = 0; i < c->count; i++) {
        TacComponent *component = c->instances[i].component;
        if (component->cls == &tac_look_class)
            shapes[tac_compile_matter_index(c, ((TacLook *)component)->matter)].look = (TacLook *)component;
        if (component->cls == &tac_camera_class && !camera) camera = (TacCameraSetting *)component;
    }
    return tac_world_record_setup(world, shapes, camera, &c->ground, c->scene->file ? c->scene->file : "",
                                  error);
}

// --- all together -----------------------------------------------------------------------------------------

// The classes of plugins must stay loaded while the world lives, whatever becomes of the scene.
static TacStatus hold_plugins(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    world->plugins = tac_arena_array(&world->arena, c->scene->plugin_count, sizeof *world->plugins);
    if (!world->plugins) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < c->scene->plugin_count; i++) {
        struct link_map *map;
        if (dlinfo(c->scene->plugins[i], RTLD_DI_LINKMAP, &map) != 0) continue;
        void *again = dlopen(map->l_name, RTLD_NOW | RTLD_NOLOAD);
        if (again) world->plugins[world->plugin_count++] = again;
    }
    return TAC_OK;
}

static TacStatus take_tables(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TacArena *arena = &world->arena;
    size_t n = c->scene->component_count;
    c->instances = tac_arena_array(arena, n, sizeof *c->instances);
    c->of_source = tac_arena_array(arena, n, sizeof *c->of_source);
    c->latest = tac_arena_array(arena, c->scene->node_count, sizeof *c->latest);
    c->map_of = tac_arena_array(arena, n, sizeof *c->map_of);
    c->mass_of = tac_arena_array(arena, n, sizeof *c->mass_of);
    c->solver_of = tac_arena_array(arena, n, sizeof *c->solver_of);
    c->carried = tac_arena_array(arena, n, sizeof *c->carried);
    c->instance_of = tac_arena_array(arena, n, sizeof *c->instance_of);
    world->components = tac_arena_array(arena, n, sizeof *world->components);
    world->component_ids = tac_arena_array(arena, 2 * n, sizeof *world->component_ids);
    world->matters = tac_arena_array(arena, n, sizeof *world->matters);
    if (!c->instances || !c->of_source || !c->latest || !c->map_of || !c->mass_of || !c->solver_of ||
        !c->carried || !c->instance_of || !world->components || !world->component_ids || !world->matters)
        return tac_fail_memory(error, 0);
    for (size_t i = 0; i < n; i++) c->of_source[i] = TAC_NONE;
    world->of_source = c->of_source;
    world->source_count = n;
    return TAC_OK;
}

// Remarks on what does nothing, so that it does not go unsaid.
static void remark_idle_solvers(const TacCompile *c) {
    // agents stand in the order of their solvers, so one walk finds those that have none
    size_t agent = 0;
    for (size_t i = 0; i < c->count; i++) {
        const TacComponent *solver = c->instances[i].component;
        if (solver->cls->kind != TAC_KIND_SOLVER) continue;
        if (agent < c->world->ticker_count && c->world->tickers[agent].solver == (TacSolver *)solver) {
            agent++;
            continue;
        }
        TacError remark;
        tac_compile_fail(c, solver, &remark, "there is no matter in its node or below, so it does nothing");
        tac_tree_message(c->scene, false, &remark);
    }
}

static TacStatus list_listens(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    for (size_t i = 0; i < c->count; i++)
        world->listen_count += c->instances[i].component->cls == &tac_listen_class;
    world->listens = tac_arena_array(&world->arena, world->listen_count, sizeof *world->listens);
    if (!world->listens) return tac_fail_memory(error, 0);
    for (size_t i = 0, n = 0; i < c->count; i++)
        if (c->instances[i].component->cls == &tac_listen_class)
            world->listens[n++] = (const TacListen *)c->instances[i].component;
    return TAC_OK;
}

void tac_compile_stage(const TacCompile *c, const char *stage, double done) {
    if (c->def->progress) c->def->progress(c->def->progress_data, stage, done);
}

// Laws were asked for changes of their forces, to find frequencies. Whether anybody will again is not known.
static void forget_kept(const TacWorld *world) {
    for (size_t i = 0; i < world->kept_count; i++) {
        *world->kept[i].keeps = false;
        tac_forget(world->kept[i].data, world->kept[i].bytes);
    }
}

static TacStatus compile(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TAC_TRY(hold_plugins(c, error));
    TAC_TRY(take_tables(c, error));
    TAC_TRY(tac_team_create(&world->team, c->def->threads, error));
    TAC_TRY(tac_compile_instances(c, error));
    world->base = tac_timebase(world->settings->dt);
    if (!(world->base.tick > 0))
        return tac_compile_fail(c, &world->settings->base, error, "dt is too small to be counted in ticks");
    tac_causal_init(&world->causal, world->base.bits);
    tac_compile_stage(c, "putting things together", 0.4);
    TAC_TRY(tac_compile_structure(c, error));
    TAC_TRY(find_linear_solvers(c, error));
    TAC_TRY(make_vectors(world, error));
    TAC_TRY(tac_compile_classes(c, error));
    TAC_TRY(set_clocks(c, error));
    TAC_TRY(tac_compile_contact_end(c, error));
    tac_compile_stage(c, "preparing linear solvers", 0.5);
    TAC_TRY(prepare_linear_solvers(c, error));
    remark_idle_solvers(c);
    TAC_TRY(list_listens(c, error));
    TAC_TRY(tac_compile_levels(c, error));
    TAC_TRY(set_up_recording(c, error));
    tac_compile_remark_steps(c);
    forget_kept(world); // before contact takes its memory
    tac_compile_stage(c, "checking the start", 0.6);
    TAC_TRY(tac_compile_safe(c, error));
    TAC_TRY(tac_compile_told(c, error));
    tac_compile_stage(c, "preparing solvers", 0.9);
    TAC_TRY(tac_compile_limits(c, error));
    TAC_TRY(prepare_solvers(c, error));     // layers are rows of Spook
    TAC_TRY(tac_hands_setup(world, error)); // when all tickers are there
    TAC_TRY(tac_compile_levels_end(c, error));
    TAC_TRY(tac_compile_loose(c, error));
    TAC_TRY(tac_compile_rests(c, error));
    TAC_TRY(tac_compile_growths(c, error));
    TAC_TRY(tac_compile_beats(c, error));
    TAC_TRY(tac_compile_merges(c, error));
    forget_kept(world);
    if (world->safe) tac_world_guard(world); // when all tickers are there
    return TAC_OK;
}

TacStatus tac_world_create(TacWorld **result, TacScene *scene, const TacWorldDef *def, TacError *error) {
    *result = NULL;
    TacError local;
    if (!error) error = &local; // messages on the way are built from it
    TacWorld *world = calloc(1, sizeof *world);
    if (!world) return tac_fail_memory(error, sizeof *world);
    world->seed = def->seed;
    world->arena.limit = def->memory ? def->memory : tac_machine_memory() / 4 * 3;
    world->shown = -1;
    TacCompile c = {.scene = scene, .world = world, .def = def};
    TacStatus status = compile(&c, error);
    if (status != TAC_OK) {
        tac_world_destroy(world);
        return status;
    }
    world->values = tac_world_values(world);
    *result = world;
    return TAC_OK;
}
