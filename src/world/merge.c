// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents that merge and part. See merge.h for the rules.

#include "world/merge.h"
#include "constraint/joint.h"
#include "world/account.h"
#include "world/loose.h"
#include "world/momentum.h"
#include "world/rest.h"
#include "world/stride.h"
#include "world/world.h"

// By bytes, since lists are of pointers to different things.
#define LIST(field, number)                                                                                  \
    do {                                                                                                     \
        *count = &p->number;                                                                                 \
        return (char *)&p->field;                                                                            \
    } while (0)

static char *list_at(TacProgram *p, int list, size_t **count) {
    switch (list) {
    case TAC_LIST_MATTERS: LIST(matters, matter_count);
    case TAC_LIST_OTHERS: LIST(others, other_count);
    case TAC_LIST_MAPS: LIST(maps, map_count);
    case TAC_LIST_MASSES: LIST(masses, mass_count);
    case TAC_LIST_LAWS: LIST(laws, law_count);
    case TAC_LIST_CONSTRAINTS: LIST(constraints, constraint_count);
    case TAC_LIST_WATCHED: LIST(watched, watched_count);
    default: LIST(joints, joint_count);
    }
}

char *tac_program_list(TacProgram *p, int list, size_t **count) {
    char *items;
    memcpy(&items, list_at(p, list, count), sizeof items);
    return items;
}

void tac_program_set_list(TacProgram *p, int list, void *items) {
    size_t *count;
    memcpy(list_at(p, list, &count), &items, sizeof items);
}

// --- who is in ----------------------------------------------------------------------------------------------

// Whether a closed link ties a member to another one.
static bool is_tied(const TacMerge *m, uint32_t member) {
    for (size_t i = 0; i < m->link_count; i++) {
        const TacMergeLink *link = &m->links[i];
        for (size_t k = 0; k < link->end_count; k++)
            if (link->ends[k] == member && !tac_joint_is_open(link->joint)) return true;
    }
    return false;
}

static bool is_in(const TacMerge *m, uint32_t belongs) {
    if (belongs == UINT32_MAX) return true;
    if (belongs < m->member_count) return m->members[belongs].merged;
    const TacMergeLink *link = &m->links[belongs - m->member_count];
    for (size_t k = 0; k < link->end_count; k++)
        if (!m->members[link->ends[k]].merged) return false;
    return true;
}

static bool any_merged(const TacMerge *m) {
    for (size_t i = 0; i < m->member_count; i++)
        if (m->members[i].merged) return true;
    return false;
}

// The family's lists, with those who are merged.
static void fill_lists(TacWorld *world, TacMerge *m, bool anew) {
    TacTicker *t = &world->tickers[m->ticker];
    for (int list = 0; list < TAC_MERGE_LISTS; list++) {
        size_t *count, *full_count, n = 0;
        char *to = tac_program_list(&t->program, list, &count);
        const char *from = tac_program_list(&m->full, list, &full_count);
        for (size_t i = 0; i < *full_count; i++)
            if (is_in(m, m->belongs[list][i]))
                memcpy(to + n++ * sizeof(void *), from + i * sizeof(void *), sizeof(void *));
        *count = n;
    }
    world->hands.law_counts[m->ticker] = t->program.law_count;
    if (t->layer_rows) {
        TacMatter **matters = (TacMatter **)t->layer_rows->matters;
        uint32_t *supports = (uint32_t *)t->layer_rows->first_support;
        size_t n = 0;
        for (size_t i = 0; i < m->row_count; i++) {
            if (!is_in(m, m->row_belongs[i])) continue;
            matters[n] = m->row_matters[i];
            supports[n++] = m->row_supports[i];
        }
        t->layer_rows->matter_count = n;
    }
    if (t->parts) world->tickers[t->parts].program.matter_count = t->program.matter_count;
    if (m->room) tac_momentum_survey_in(t, m->room);
    t->solver->base.cls->ops.solver->rearrange(t->solver, &t->program, anew);
    if (world->loose) tac_world_loose_rearranged(world, m);
}

// --- clocks -------------------------------------------------------------------------------------------------

// The time to which a family's matter has come that is merged, or was until now: the same for all of it.
static TacTick merged_time(const TacMerge *m) {
    TacTick time = 0;
    for (size_t k = 0; k < m->full.matter_count; k++) {
        const TacMergeMember *member = &m->members[m->belongs[TAC_LIST_MATTERS][k]];
        if ((member->merged || member->changes) && m->full.matters[k]->time > time)
            time = m->full.matters[k]->time;
    }
    return time;
}

// A ticker begins or ceases to kick. On a beat all parts of its last kick have been delivered.
static TacStatus set_ticking(TacWorld *world, const TacMerge *m, uint32_t index, bool ticks,
                             TacError *error) {
    if (index == UINT32_MAX) return TAC_OK;
    TacTicker *t = &world->tickers[index];
    if (world->loose) {
        t->idle = !ticks;
        tac_world_loose_set_present(world, index, ticks, merged_time(m));
        return TAC_OK;
    }
    bool there = tac_ruler_class_of(&world->causal.ruler, index) >= 0;
    t->idle = !ticks;
    t->in_parts = false;
    TAC_TRY(tac_stride_forget(world, index, error));
    if (t->parts) tac_ruler_remove(&world->causal.ruler, t->parts);
    if (!ticks) tac_ruler_remove(&world->causal.ruler, index);
    return ticks && !there ? tac_ruler_add(&world->causal.ruler, index, t->ruler_class, error) : TAC_OK;
}

// The class at which something looks at a point of matter anyway.
static int regular_of(TacWorld *world, const TacMatter *m, uint32_t point) {
    int finest = TAC_RULER_CLASSES;
    for (uint32_t t = 0; t < world->ticker_count; t++) {
        const TacTicker *ticker = &world->tickers[t];
        int e = tac_ruler_class_of(&world->causal.ruler, t); // of parts, while there are some
        if (e >= 0 && ticker->stride)
            e = ticker->ruler_class; // where it looks whether its step is cut or not
        if (e < 0 || e >= finest) continue;
        const TacBatch *batch = ticker->batch;
        bool kicks = false;
        for (size_t i = 0; batch && batch->matter == m && i < batch->count && !kicks; i++)
            kicks = batch->points[i] == point;
        for (size_t i = 0; !batch && i < ticker->program.matter_count && !kicks; i++)
            kicks = ticker->program.matters[i] == m;
        if (kicks) finest = e;
    }
    return finest;
}

void tac_world_set_regular(TacWorld *world, const TacMatter *m) {
    uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
    for (uint32_t i = 0; first != UINT32_MAX && i < m->count; i++)
        tac_safe_set_regular(world->safe, first + i, regular_of(world, m, i));
}

TacStatus tac_world_renew_regular(TacWorld *world, const TacMatter *m, TacError *error) {
    uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
    if (first == UINT32_MAX) return TAC_OK;
    tac_world_set_regular(world, m);
    return tac_safe_moved(world->safe, first, m->count, world->now, error);
}

// --- merging ------------------------------------------------------------------------------------------------

void tac_world_merge_begin(TacWorld *world) {
    for (size_t i = 0; i < world->merge_count; i++) fill_lists(world, &world->merges[i], true);
}

static TacStatus change_members(TacWorld *world, TacMerge *m, TacError *error) {
    for (uint32_t i = 0; i < m->member_count; i++) {
        TacMergeMember *member = &m->members[i];
        if (!member->changes) continue;
        member->merged = !member->merged;
        for (size_t k = 0; k < m->full.matter_count; k++)
            if (m->belongs[TAC_LIST_MATTERS][k] == i) tac_world_arrive(world, m->full.matters[k]);
        TAC_TRY(tac_world_wake(world, member->ticker, error));
        TAC_TRY(set_ticking(world, m, member->ticker, !member->merged, error));
        tac_world_tell(world, member->merged ? TAC_AGENT_MERGES : TAC_AGENT_PARTS, member->who);
    }
    TAC_TRY(set_ticking(world, m, m->ticker, any_merged(m), error));
    fill_lists(world, m, true);
    for (size_t k = 0; k < m->full.matter_count; k++)
        if (m->members[m->belongs[TAC_LIST_MATTERS][k]].changes)
            TAC_TRY(tac_world_renew_regular(world, m->full.matters[k], error));
    return TAC_OK;
}

static bool find_changes(TacMerge *m) {
    bool any = false;
    for (uint32_t i = 0; i < m->member_count; i++) {
        m->members[i].changes = is_tied(m, i) != m->members[i].merged;
        any = any || m->members[i].changes;
    }
    return any;
}

TacStatus tac_world_gather(TacWorld *world, const TacComponent *joint, TacError *error) {
    for (size_t i = 0; world->loose && i < world->merge_count; i++)
        for (size_t k = 0; k < world->merges[i].link_count; k++)
            if (world->merges[i].links[k].joint == joint)
                return tac_world_loose_gather(world, &world->merges[i], error);
    return TAC_OK;
}

TacStatus tac_world_merge(TacWorld *world, TacError *error) {
    bool any = false;
    for (size_t i = 0; i < world->merge_count; i++) {
        if (!find_changes(&world->merges[i])) continue;
        if (!any) tac_account_close(world);
        any = true;
        TacStatus status = change_members(world, &world->merges[i], error);
        world->failed = world->failed || status != TAC_OK;
        TAC_TRY(status);
    }
    if (!any) return TAC_OK;
    tac_hands_find_owners(world);
    tac_hands_arrange(world);
    tac_account_open(world);
    return TAC_OK;
}

static bool is_on_ruler(const TacWorld *world, uint32_t ticker) {
    return tac_ruler_class_of(&world->causal.ruler, ticker) >= 0;
}

bool tac_world_merge_restored(TacWorld *world) {
    for (size_t i = 0; i < world->merge_count; i++) {
        TacMerge *m = &world->merges[i];
        for (uint32_t k = 0; k < m->member_count; k++) {
            TacMergeMember *member = &m->members[k];
            member->merged = is_tied(m, k);
            if (member->ticker == UINT32_MAX) continue;
            world->tickers[member->ticker].idle = member->merged;
            if (!world->loose && member->merged && is_on_ruler(world, member->ticker)) return false;
        }
        world->tickers[m->ticker].idle = !any_merged(m);
        if (!world->loose && is_on_ruler(world, m->ticker) != any_merged(m)) return false;
        fill_lists(world, m, false);
        for (size_t k = 0; k < m->full.matter_count; k++) tac_world_set_regular(world, m->full.matters[k]);
    }
    if (world->merge_count) tac_hands_find_owners(world);
    return true;
}
