// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents whose step is too long. See growth.h.

#include "world/growth.h"

// How fast points move against each other.
static double spread(const TacProgram *p) {
    TacVec3 sum = {0, 0, 0};
    double squares = 0, count = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        const TacMatter *m = p->matters[i];
        if (!m->times || m->kind != TAC_VEC3) continue;
        for (size_t k = 0; k < m->count; k++) {
            TacVec3 v = tac_load3(m->vectors[TAC_V] + 3 * k);
            sum = tac_add(sum, v);
            squares += tac_dot(v, v);
        }
        count += (double)m->count;
    }
    return count > 0 ? sqrt(fmax(0, squares / count - tac_dot(sum, sum) / (count * count))) : 0;
}

// Over how many of the last kicks it has risen too steeply; 0: it has not. `way` is how far it goes in a step, in edges.
static int steep(const double *speeds, double now, double way) {
    for (int n = 1; n <= TAC_GROWTH_KICKS; n++) {
        double newer = n == 1 ? now : speeds[n - 2], older = speeds[n - 1];
        if (!(newer > older) || !(older > 0)) return 0;
        if (way > (n == 1 ? 8 : 1) && now > ldexp(older, TAC_GROWTH_KICKS + 2 - n)) return n;
    }
    return 0;
}

TacStatus tac_world_watch_growth(TacWorld *world, const TacTicker *t, TacError *error) {
    TacGrowth *growth = t->growth;
    double *speeds = growth->speeds, now = spread(&t->program);
    int kicks = steep(speeds, now, now * t->step / growth->size);
    double older = kicks ? speeds[kicks - 1] : 0;
    for (int i = TAC_GROWTH_KICKS - 1; i > 0; i--) speeds[i] = speeds[i - 1];
    speeds[0] = now;
    bool is_implicit = t->solver->base.cls->ops.solver->needs_linear;
    if (!kicks || (is_implicit && !tac_world_is_unsolved(t))) return TAC_OK;
    world->failed = true;
    if (is_implicit)
        return tac_fail(
            error, TAC_FAILED,
            "at %g s %s blew up: its points fly apart at %g m/s, %.3g times as fast as %d step%s ago. Its "
            "%s uses up its iterations far from a solution (relative residual %.2g): more iterations, a "
            "<SparseDirect/> beside the solver or a smaller step (it is %g s) may help. Nothing has "
            "passed through",
            tac_world_time(world), t->name, now, now / older, kicks, kicks == 1 ? "" : "s",
            t->solver->linear->base.cls->name, t->report.left, t->step);
    return tac_fail(
        error, TAC_FAILED,
        "at %g s %s blew up: its points fly apart at %g m/s, %.3g times as fast as %d step%s ago, "
        "and farther in one step than their mesh is wide (%g m). A smaller step (it is %g s), "
        "less stiffness or an implicit solver may help. Nothing has passed through",
        tac_world_time(world), t->name, now, now / older, kicks, kicks == 1 ? "" : "s", growth->size,
        t->step);
}

void tac_world_forget_growth(TacWorld *world, const TacMatter *matter) {
    for (size_t i = 0; i < world->ticker_count; i++) {
        const TacTicker *t = &world->tickers[i];
        if (t->growth && tac_program_has(&t->program, matter))
            memset(t->growth->speeds, 0, sizeof t->growth->speeds);
    }
}
