// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Matter that changes its resolution in a world with safe contact: between the agent that decides (constraint/joint.h,
// TacGuard) and the contact that must stay certain (contact/safe.h). And what is looked at of lines over nodes.

#include "world/world.h"

#include <string.h>

static bool may_go(void *data, const TacMatter *m, const TacCarriedPoint *lines) {
    TacWorld *world = data;
    return !m->carried ||
           tac_safe_may_reshape(world->safe, world->first_support[m->base.index], lines, world->now);
}

static void gone(void *data, const TacMatter *m, const double *inverse) {
    TacWorld *world = data;
    if (!m->carried) return;
    // it can only lack memory, which settling says
    tac_safe_reshape(world->safe, world->first_support[m->base.index], m->carried, inverse, world->now, NULL);
}

static bool touched(void *data, const TacMatter *m, double within) {
    TacWorld *world = data;
    TacTick since = world->now - tac_ticks_floor(world->base, within);
    return m->carried &&
           tac_safe_is_touched(world->safe, world->first_support[m->base.index], since, world->now);
}

void tac_world_guard(TacWorld *world) {
    world->guard = (TacGuard){world, may_go, gone, touched};
    for (size_t i = 0; i < world->ticker_count; i++) world->tickers[i].program.guard = &world->guard;
}

TacStatus tac_world_reshape_all(TacWorld *world, TacError *error) {
    for (size_t i = 0; i < world->node_pair_count; i++) world->node_pairs[i].were_count = 0;
    for (size_t i = 0; i < world->component_count; i++) {
        const TacComponent *c = world->components[i];
        const TacJointOps *ops = c->cls->kind == TAC_KIND_MASS ? tac_joint_ops(c) : NULL;
        const TacMatter *m = ops ? ((const TacMass *)c)->matter : NULL;
        if (!m || !m->carried) continue;
        TAC_TRY(tac_safe_reshape(world->safe, world->first_support[m->base.index], m->carried,
                                 tac_joint_touch_inverses(c), world->now, error));
    }
    return TAC_OK;
}

// --- what wires meet by nodes -------------------------------------------------------------------------------

size_t tac_world_node_pieces(TacWorld *world, const TacMass *wire) {
    size_t n = tac_joint_ops(&wire->base)->pieces(wire, world->pieces, world->piece_capacity);
    return n < world->piece_capacity ? n : world->piece_capacity;
}

static bool is_among(const TacProgram *p, const TacMass *mass) {
    size_t i = 0;
    while (i < p->mass_count && p->masses[i] != mass) i++;
    return i < p->mass_count;
}

static TacStatus fail_cut(TacWorld *world, const TacTicker *t, const TacNodePair *pair,
                          const TacSafeCuts *cuts, TacError *error) {
    world->failed = true;
    return tac_fail(
        error, TAC_FAILED,
        "at %g s piece %zu of the line of %s has passed through face %zu of %s, which it meets by "
        "contact nodes: nodes could not follow it. A smaller step (it is %g s) helps; where it must "
        "be certain, leave that body out of wheels and bodies, and layers keep them apart",
        tac_seconds(world->base, world->now), cuts->piece, tac_safe_skin_name(world->safe, pair->skin),
        cuts->face, tac_safe_skin_name(world->safe, pair->body), t->step);
}

TacStatus tac_world_check_nodes(TacWorld *world, const TacTicker *t, TacError *error) {
    for (size_t i = 0; i < world->node_pair_count; i++) {
        TacNodePair *pair = &world->node_pairs[i];
        if (!is_among(&t->program, pair->wire)) continue;
        size_t pieces = tac_world_node_pieces(world, pair->wire);
        const TacSafeLine line = {pair->were, pair->were_count, world->pieces, pieces, pair->places};
        TacSafeCuts cuts = tac_safe_look_at_line(world->safe, pair->skin, pair->body, &line, world->now);
        memcpy(pair->were, world->pieces, pieces * sizeof *pair->were);
        pair->were_count = pieces;
        if (cuts.count) return fail_cut(world, t, pair, &cuts, error);
    }
    return TAC_OK;
}
