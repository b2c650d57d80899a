// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Matter that changes its resolution in a world with safe contact: between the agent that decides (constraint/joint.h,
// TacGuard) and the contact that must stay certain (contact/safe.h).

#include "world/world.h"

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

void tac_world_guard(TacWorld *world) {
    world->guard = (TacGuard){world, may_go, gone};
    for (size_t i = 0; i < world->ticker_count; i++) world->tickers[i].program.guard = &world->guard;
}

TacStatus tac_world_reshape_all(TacWorld *world, TacError *error) {
    for (size_t i = 0; i < world->component_count; i++) {
        const TacComponent *c = world->components[i];
        const TacJointOps *ops = c->cls->kind == TAC_KIND_MASS ? tac_joint_ops(c) : NULL;
        const TacMatter *m = ops ? ((const TacMass *)c)->matter : NULL;
        if (!m || !m->carried) continue;
        TAC_TRY(tac_safe_reshape(world->safe, world->first_support[m->base.index], m->carried,
                                 ops->inverse_masses(c), world->now, error));
    }
    return TAC_OK;
}
