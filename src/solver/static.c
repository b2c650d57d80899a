// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Static: looks for equilibrium, without time. Newton's method on f(x) = 0 (SOFA's StaticSolver, with its
// criteria):
//
//     -K(x) dx = f(x),   x += dx        until |f| or |dx| is small, or there were enough iterations
//
// Each step of the agent goes on from where the last one stopped, under the loads of that moment. Velocities
// are zero, but for scripted points, which are first put where they must be.

#include "base/memory.h"
#include "solver/solver.h"

typedef struct Static {
    TacSolver solver;
    int64_t iterations;
    double absolute_residual, relative_residual, absolute_correction, relative_correction;
    bool stop_when_growing;
} Static;

// Scripted points to their places: TAC_X_NEXT, and TAC_V_NEXT with their velocities alone.
static void start(const TacProgram *p, const TacContext *context) {
    tac_solver_start(p, context, TAC_V_NEXT);
    tac_program_copy(p, context, TAC_A, TAC_V_NEXT);
    tac_program_project(p, context, TAC_A);
    tac_program_axpy(p, context, TAC_V_NEXT, -1, TAC_A);
    tac_program_advance(p, context, TAC_X_NEXT, TAC_X, context->step, TAC_V_NEXT);
}

// TAC_B = what is out of balance at TAC_X; its size
static double residual(const TacProgram *p, const TacContext *context) {
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    tac_program_copy(p, context, TAC_B, TAC_F);
    tac_program_project(p, context, TAC_B);
    return sqrt(tac_program_dot(p, context, TAC_B, TAC_B));
}

static void iterate(const Static *self, const TacProgram *p, const TacContext *context,
                    TacKickReport *report) {
    const TacSystem system = {.k = -1};
    TacLinearSolver *linear = self->solver.linear;
    double last = residual(p, context), first = last;
    int iterations = 0;
    tac_program_clear(p, context, TAC_DV); // the way so far
    report->residual = 0;
    if (last <= self->absolute_residual) return;
    for (int64_t i = 0; i < self->iterations; i++) {
        linear->base.cls->ops.linear_solver->solve(linear, p, context, &system, TAC_B, TAC_A, report);
        iterations += report->iterations;
        if (report->failure[0]) break;
        tac_program_advance(p, context, TAC_X, TAC_X, 1, TAC_A);
        if (self->iterations == 1) break;

        double size = residual(p, context);
        if (i == 0) first = size; // as SOFA counts
        tac_program_axpy(p, context, TAC_DV, 1, TAC_A);
        double correction = sqrt(tac_program_dot(p, context, TAC_A, TAC_A));
        double moved = sqrt(tac_program_dot(p, context, TAC_DV, TAC_DV));
        bool growing = self->stop_when_growing && i > 0 && size > last;
        last = size;
        if (growing || !isfinite(size) || correction < self->absolute_correction ||
            correction < self->relative_correction * moved || size <= self->absolute_residual ||
            (i > 0 && size < self->relative_residual * first))
            break;
    }
    report->iterations = iterations;
    report->residual = last;
}

static void kick(void *data, const TacProgram *p, const TacContext *context, TacKickReport *report) {
    start(p, context);
    tac_program_swap_state(p);
    iterate(data, p, context, report);
    tac_program_swap_state(p);
    tac_program_clear(p, context, TAC_DV);
    tac_program_propagate(p, context, TAC_X, TAC_V);
}

static const TacSolverOps ops = {.scratch = 1u << TAC_A | 1u << TAC_B | 1u << TAC_P,
                                 .moves = true,
                                 .needs_linear = true,
                                 .needs_no_mass = true,
                                 .kick = kick};

static const TacAttribute attributes[] = {
    {"step", TAC_REAL, offsetof(Static, solver.step), "s", "0",
     "How often it looks for equilibrium; 0 is the beat (the scene's dt).", NULL, TAC_NOT_NEGATIVE, 0},
    {"linear_solver", TAC_LINK, offsetof(Static, solver.linear), "", "",
     "What solves its equations; by default the one in its node, or a ConjugateGradient.", "linear solver",
     TAC_ANY, 0},
    {"newton_iterations", TAC_INT, offsetof(Static, iterations), "1", "1",
     "The most iterations of Newton's method in a step; with 1, equilibrium is reached over several steps.",
     NULL, TAC_POSITIVE, TAC_LIVE},
    {"absolute_residual", TAC_REAL, offsetof(Static, absolute_residual), "N", "1e-5",
     "Stops when all forces together are not above this; 0 for never.", NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"relative_residual", TAC_REAL, offsetof(Static, relative_residual), "1", "1e-5",
     "Stops when they are below this fraction of what the first iteration left.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"absolute_correction", TAC_REAL, offsetof(Static, absolute_correction), "m", "1e-5",
     "Stops when an iteration moves all points together by less than this.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"relative_correction", TAC_REAL, offsetof(Static, relative_correction), "1", "1e-5",
     "Stops when it moves them by less than this fraction of the way so far.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"stop_when_growing", TAC_BOOL, offsetof(Static, stop_when_growing), "", "false",
     "Stops when the forces out of balance grow.", NULL, TAC_ANY, TAC_LIVE},
};

const TacClass tac_static_class = {
    .name = "Static",
    .kind = TAC_KIND_SOLVER,
    .doc =
        "Looks for the equilibrium of all forces by Newton's method, without inertia: matter goes there and "
        "rests.",
    .size = sizeof(Static),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .ops.solver = &ops,
};
