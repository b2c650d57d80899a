// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The order in which SOFA's reference files number states. See tactus/sofa.h.

#include "scene/compile.h"
#include "tactus/sofa.h"

// Matter that an agent's program moves, or carries along.
static bool is_in(const TacWorld *world, const TacMatter *m) {
    for (size_t t = 0; t < world->ticker_count; t++) {
        const TacTicker *ticker = &world->tickers[t];
        if (!ticker->solver) continue;
        TacMatter *const *list = m->mapped ? ticker->program.others : ticker->program.matters;
        size_t count = m->mapped ? ticker->program.other_count : ticker->program.matter_count;
        for (size_t i = 0; i < count; i++)
            if (list[i] == m) return true;
    }
    return false;
}

// Matter stands in the world in the order in which the reader made it: each node before those below it.
static const TacMatter *state_at(const TacWorld *world, bool with_mapped, size_t i, size_t *count) {
    *count = 0;
    for (size_t m = 0; m < world->matter_count; m++) {
        const TacMatter *matter = world->matters[m];
        if ((matter->mapped && !with_mapped) || !is_in(world, matter)) continue;
        if ((*count)++ == i) return matter;
    }
    return NULL;
}

size_t tac_sofa_state_count(const TacWorld *world, bool with_mapped) {
    size_t count;
    state_at(world, with_mapped, SIZE_MAX, &count);
    return count;
}

TacComponentId tac_sofa_state(const TacWorld *world, bool with_mapped, size_t i) {
    size_t count;
    const TacMatter *matter = state_at(world, with_mapped, i, &count);
    return matter ? tac_world_find(world, matter->base.path) : (TacComponentId){0, 0};
}
