// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What is to be said about a run while it runs. Things are counted while time runs, and put into words for who asks.

#include "world/world.h"

// Relative residuals beyond which a solve that used up its iterations is far from done: by far most scenes that look
// right stay below the first. What is left where layers take part in the solve are impulses of their size, which is that
// of whatever hits whatever; there a thousandth can make a body gain energy step by step.
static const double far_from_solved = 0.5, far_with_layers = 1e-3;

// Said from so many such kicks on, where they are at least one of so many: iterations that end early mostly do no more
// than make soft what is stiff.
enum { LEAST_UNSOLVED = 4, ONE_OF = 2, ONE_OF_WITH_LAYERS = 8 };

bool tac_world_is_unsolved(const TacTicker *t) {
    return t->report.left > (t->in_parts ? far_with_layers : far_from_solved);
}

void tac_world_note_solve(TacTicker *t) {
    if (!tac_world_is_unsolved(t)) return;
    t->unsolved++;
    t->worst = fmax(t->worst, t->report.left);
}

bool tac_world_agent_remark(const TacWorld *world, size_t i, TacError *remark) {
    const TacTicker *t = i < world->ticker_count ? &world->tickers[i] : NULL;
    if (!t || t->unsolved < LEAST_UNSOLVED) return false;
    if (t->unsolved * (t->layer_count ? ONE_OF_WITH_LAYERS : ONE_OF) < t->kicks) return false;
    const TacComponent *linear = &t->solver->linear->base;
    tac_fail_at(
        remark, TAC_OK, linear->file, linear->line, linear->column,
        "%s (%s): in %llu of %llu steps its %s used up its iterations far from a solution (relative "
        "residual up to %.2g). Such steps can make it gain energy. More iterations, a <SparseDirect/> "
        "beside the solver or a shorter step help",
        t->name, t->what, (unsigned long long)t->unsolved, (unsigned long long)t->kicks, linear->cls->name,
        t->worst);
    return true;
}
