// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling families: agents that links may make one while time runs. world/merge.h says what they are.

#include "constraint/joint.h"
#include "scene/compile.h"
#include "world/loose.h"

// --- who may be tied to whom --------------------------------------------------------------------------------

static const TacSolver *solver_of(const TacCompile *c, const TacMatter *m) {
    return c->solver_of[tac_compile_matter_index(c, m)];
}

TacStatus tac_compile_check_link(const TacCompile *c, const TacComponent *joint, TacError *error) {
    TacMatter *tied[TAC_LINK_ENDS];
    size_t n = tac_joint_matters(joint, tied, TAC_LINK_ENDS);
    if (joint->cls->kind != TAC_KIND_JOINT)
        return tac_compile_fail(c, joint, error,
                                "%s and %s belong to two agents: what a %s ties for good needs one Spook, in "
                                "a node above both",
                                tied[0]->base.path, tied[1]->base.path, joint->cls->name);
    for (size_t k = 0; k < n; k++) {
        const TacSolver *solver = solver_of(c, tied[k]);
        if (solver && tac_solver_moves(solver))
            return tac_compile_fail(
                c, joint, error,
                "%s belongs to %s (%s), which is not kick-then-drift and cannot become one "
                "with another agent; take SymplecticEuler or Spook",
                tied[k]->base.path, solver->base.path, solver->base.cls->name);
    }
    return TAC_OK;
}

// The representative of a component that links tie to others.
static uint32_t find(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

TacStatus tac_compile_families(TacCompile *c, TacError *error) {
    c->family_of = tac_arena_array(&c->world->arena, c->count, sizeof *c->family_of);
    uint32_t *parent = tac_arena_array(&c->world->arena, c->count, sizeof *parent);
    if (!c->family_of || !parent) return tac_fail_memory(error, c->count * sizeof *parent);
    for (size_t i = 0; i < c->count; i++) {
        parent[i] = (uint32_t)i;
        c->family_of[i] = TAC_NONE;
    }
    bool any = false;
    for (size_t i = 0; i < c->count; i++) {
        TacMatter *tied[TAC_LINK_ENDS];
        const TacComponent *joint = c->instances[i].component;
        if (!tac_joint_ops(joint) || !tac_joint_is_link(c, joint)) continue;
        size_t n = tac_joint_matters(joint, tied, TAC_LINK_ENDS);
        for (size_t k = 1; k < n; k++) {
            uint32_t a = find(parent, tac_compile_member(c, tied[0]));
            uint32_t b = find(parent, tac_compile_member(c, tied[k]));
            *(a < b ? &parent[b] : &parent[a]) = a < b ? a : b;
        }
        any = true;
    }
    // in the order of their first members
    for (size_t i = 0; any && i < c->count; i++)
        if (find(parent, (uint32_t)i) != i && c->family_of[find(parent, (uint32_t)i)] == TAC_NONE)
            c->family_of[find(parent, (uint32_t)i)] = 0;
    for (size_t i = 0; any && i < c->count; i++)
        if (parent[i] == i && c->family_of[i] == 0) c->family_of[i] = (uint32_t)c->family_count++;
    for (size_t i = 0; any && i < c->count; i++) c->family_of[i] = c->family_of[find(parent, (uint32_t)i)];
    return TAC_OK;
}

// --- tickers and clocks -------------------------------------------------------------------------------------

static bool is_spook(const TacComponent *c) {
    return c->cls->kind == TAC_KIND_SOLVER && c->cls->ops.solver->keeps_joints;
}

TacStatus tac_compile_name_families(TacCompile *c, uint32_t first, TacError *error) {
    TacWorld *world = c->world;
    for (size_t i = 0; i < c->count; i++) {
        TacComponent *solver = c->instances[i].component;
        uint32_t family = c->family_of[i];
        if (family == TAC_NONE || !is_spook(solver)) continue;
        TacTicker *t = &world->tickers[first + family];
        if (t->solver) continue; // the first one hosts
        const char *name = tac_tree_node_path(c->scene, c->instances[i].node, &world->arena);
        t->solver = (TacSolver *)solver;
        t->name = name ? tac_arena_format(&world->arena, "%s+", name) : NULL;
        t->what = solver->cls->name;
        t->is_merge = t->idle = true;
        t->program.adds_weight = true;
        if (!t->name) return tac_fail_memory(error, 0);
    }
    return TAC_OK;
}

// Under the loose scheduler nobody ticks on a beat.
static TacStatus check_step(const TacCompile *c, const TacTicker *t, TacError *error) {
    if (c->world->settings->scheduler == 1) return TAC_OK;
    if (!tac_ticker_is_free(t) && t->ruler_class <= c->world->base.bits) return TAC_OK;
    return tac_compile_fail(
        c, &t->solver->base, error,
        "a joint may make it one with another agent, and its step of %g s is not the beat (%g "
        "s) or a half, a quarter, ... of it",
        t->step, c->world->base.beat);
}

// Who was implicit becomes explicit.
static TacStatus check_stiffness(const TacCompile *c, const TacTicker *t, double step, TacError *error) {
    if (!t->solver->base.cls->ops.solver->needs_linear) return TAC_OK;
    double omega = tac_compile_highest_frequency(c->world, t);
    if (!(step * omega > 1)) return TAC_OK;
    return tac_compile_fail(
        c, &t->solver->base, error,
        "a joint may make it one with an agent under Spook, where its laws act explicitly: "
        "they bear a step of %.3g s, and the shortest step of those that may be tied is %.3g s",
        1 / omega, step);
}

TacStatus tac_compile_family_clock(TacCompile *c, uint32_t index, TacError *error) {
    TacWorld *world = c->world;
    TacTicker *family = &world->tickers[index];
    uint32_t number = index - (uint32_t)(world->agent_count - c->family_count);
    double shortest = world->base.beat;
    family->ruler_class = world->base.bits;
    for (uint32_t i = 0; i < index; i++) {
        const TacTicker *t = &world->tickers[i];
        if (!t->solver || t->is_merge || c->family_of[t->solver->base.index] != number) continue;
        TAC_TRY(check_step(c, t, error));
        if (t->ruler_class < family->ruler_class) family->ruler_class = t->ruler_class;
        shortest = fmin(shortest, t->step);
    }
    bool loose = world->settings->scheduler == 1;
    family->step = loose ? shortest : ldexp(world->base.tick, family->ruler_class);
    for (uint32_t i = 0; i < index; i++) {
        const TacTicker *t = &world->tickers[i];
        if (!t->solver || t->is_merge || c->family_of[t->solver->base.index] != number) continue;
        TAC_TRY(check_stiffness(c, t, family->step, error));
    }
    return TAC_OK;
}

// --- families -----------------------------------------------------------------------------------------------

// The place of a component among the members.
static uint32_t member_at(const TacMerge *m, uint32_t index) {
    uint32_t i = 0;
    while (i < m->member_count && m->members[i].who->index != index) i++;
    return i;
}

static uint32_t own_ticker(const TacWorld *world, const TacComponent *who) {
    for (uint32_t i = 0; i < world->agent_count; i++) {
        const TacTicker *t = &world->tickers[i];
        if (t->is_merge) continue;
        if (t->solver ? &t->solver->base == who : &t->program.matters[0]->base == who) return i;
    }
    return UINT32_MAX;
}

static TacStatus list_members(TacCompile *c, uint32_t family, TacMerge *m, TacError *error) {
    for (size_t i = 0; i < c->count; i++) m->member_count += c->family_of[i] == family;
    m->members = tac_arena_array(&c->world->arena, m->member_count, sizeof *m->members);
    if (!m->members) return tac_fail_memory(error, 0);
    for (size_t i = 0, n = 0; i < c->count; i++) {
        if (c->family_of[i] != family) continue;
        TacComponent *who = c->instances[i].component;
        m->members[n++] = (TacMergeMember){.ticker = own_ticker(c->world, who), .who = who};
    }
    return TAC_OK;
}

static TacStatus list_links(TacCompile *c, TacMerge *m, TacError *error) {
    const TacProgram *p = &m->full;
    m->links = tac_arena_array(&c->world->arena, p->joint_count, sizeof *m->links);
    if (!m->links) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < p->joint_count; i++) {
        TacMatter *tied[TAC_LINK_ENDS];
        if (p->joints[i]->cls == &tac_layer_rows_class || !tac_joint_is_link(c, p->joints[i])) continue;
        TacMergeLink *link = &m->links[m->link_count++];
        link->joint = p->joints[i];
        link->end_count = tac_joint_matters(link->joint, tied, TAC_LINK_ENDS);
        for (size_t k = 0; k < link->end_count; k++)
            link->ends[k] = member_at(m, tac_compile_member(c, tied[k]));
    }
    return TAC_OK;
}

static uint32_t joint_belongs(const TacCompile *c, const TacMerge *m, const TacComponent *joint) {
    TacMatter *tied[TAC_LINK_ENDS];
    if (joint->cls == &tac_layer_rows_class) return UINT32_MAX;
    for (size_t i = 0; i < m->link_count; i++)
        if (m->links[i].joint == joint) return (uint32_t)(m->member_count + i);
    tac_joint_matters(joint, tied, TAC_LINK_ENDS);
    return member_at(m, tac_compile_member(c, tied[0]));
}

// The member that an item of a list belongs to.
static uint32_t belongs_to(const TacCompile *c, const TacMerge *m, int list, void *item) {
    switch (list) {
    case TAC_LIST_MATTERS:
    case TAC_LIST_OTHERS: return member_at(m, tac_compile_member(c, item));
    case TAC_LIST_MAPS: return member_at(m, tac_compile_member(c, ((TacMap *)item)->child));
    case TAC_LIST_MASSES: return member_at(m, tac_compile_member(c, ((TacMass *)item)->matter));
    case TAC_LIST_LAWS: return member_at(m, tac_compile_member(c, ((TacLaw *)item)->matter[0]));
    case TAC_LIST_CONSTRAINTS: return member_at(m, tac_compile_member(c, ((TacConstraint *)item)->matter));
    case TAC_LIST_JOINTS: return joint_belongs(c, m, item);
    default: return UINT32_MAX;
    }
}

static TacStatus copy_lists(TacCompile *c, TacMerge *m, TacError *error) {
    TacArena *arena = &c->world->arena;
    TacProgram *from = &c->world->tickers[m->ticker].program;
    m->full = *from;
    for (int list = 0; list < TAC_MERGE_LISTS; list++) {
        size_t *count;
        const char *items = tac_program_list(&m->full, list, &count);
        void *copy = tac_arena_array(arena, *count, sizeof(void *));
        if (!copy) return tac_fail_memory(error, *count * sizeof(void *));
        if (*count) memcpy(copy, items, *count * sizeof(void *));
        tac_program_set_list(&m->full, list, copy);
    }
    TAC_TRY(list_links(c, m, error));
    for (int list = 0; list < TAC_MERGE_LISTS; list++) {
        size_t *count;
        const char *items = tac_program_list(&m->full, list, &count);
        m->belongs[list] = tac_arena_array(arena, *count, sizeof **m->belongs);
        if (!m->belongs[list]) return tac_fail_memory(error, 0);
        for (size_t i = 0; i < *count; i++) {
            void *item;
            memcpy(&item, items + i * sizeof item, sizeof item);
            m->belongs[list][i] = belongs_to(c, m, list, item);
        }
    }
    return TAC_OK;
}

static TacStatus copy_rows(TacCompile *c, TacMerge *m, TacError *error) {
    const TacLayerRows *rows = c->world->tickers[m->ticker].layer_rows;
    TacArena *arena = &c->world->arena;
    if (!rows) return TAC_OK;
    size_t n = m->row_count = rows->matter_count;
    m->row_matters = tac_arena_array(arena, n, sizeof *m->row_matters);
    m->row_supports = tac_arena_array(arena, n, sizeof *m->row_supports);
    m->row_belongs = tac_arena_array(arena, n, sizeof *m->row_belongs);
    if (!m->row_matters || !m->row_supports || !m->row_belongs) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < n; i++) {
        m->row_matters[i] = rows->matters[i];
        m->row_supports[i] = rows->first_support[i];
        m->row_belongs[i] = member_at(m, tac_compile_member(c, rows->matters[i]));
    }
    return TAC_OK;
}

// In safe worlds, to find what hangs together when links have changed.
static TacStatus make_room(const TacCompile *c, TacMerge *m, TacError *error) {
    size_t count = 0;
    if (!c->world->safe) return TAC_OK;
    for (size_t i = 0; i < m->full.matter_count; i++) count += m->full.matters[i]->count;
    m->room = tac_arena_array(&c->world->arena, count + 1, sizeof *m->room);
    return m->room ? TAC_OK : tac_fail_memory(error, count * sizeof *m->room);
}

TacStatus tac_compile_merges(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    if (!c->family_count) return TAC_OK;
    TacMerge *merges = tac_arena_array(&world->arena, c->family_count, sizeof *merges);
    if (!merges) return tac_fail_memory(error, c->family_count * sizeof *merges);
    for (size_t i = 0; i < c->family_count; i++) {
        merges[i].ticker = (uint32_t)(world->agent_count - c->family_count + i);
        TAC_TRY(list_members(c, (uint32_t)i, &merges[i], error));
        TAC_TRY(copy_lists(c, &merges[i], error));
        TAC_TRY(copy_rows(c, &merges[i], error));
        TAC_TRY(make_room(c, &merges[i], error));
        if (world->loose) world->loose->bodies[merges[i].ticker].merge = &merges[i];
    }
    world->merges = merges;
    world->merge_count = c->family_count;
    tac_world_merge_begin(world);
    return tac_world_merge(world, error);
}
