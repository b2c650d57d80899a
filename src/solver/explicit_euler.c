// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Plain explicit Euler, x += h v and v += h M^-1 f(x, v), both from the state before the step: first order,
// gains energy. It is here for comparison, and for scenes made with it (SOFA's EulerExplicitSolver with
// symplectic off); SymplecticEuler costs the same and is better in every other way.

#include "base/memory.h"
#include "solver/solver.h"

void tac_solver_start(const TacProgram *p, const TacContext *context, TacVector w) {
    tac_program_clear(p, context, w);
    tac_program_prescribe(p, context, w);
    tac_program_axpy(p, context, w, 1, TAC_V);
}

static void kick(void *self, const TacProgram *p, const TacContext *context, TacKickReport *report) {
    (void)self;
    (void)report;
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    tac_program_tumble(p, TAC_F);
    tac_program_divide(p, context, TAC_F, TAC_A);
    tac_program_project(p, context, TAC_A);
    tac_solver_start(p, context, TAC_V_NEXT);
    tac_program_advance(p, context, TAC_X_NEXT, TAC_X, context->step, TAC_V_NEXT);
    tac_program_axpy(p, context, TAC_V_NEXT, context->step, TAC_A);
}

static const TacSolverOps ops = {.scratch = 1u << TAC_A, .moves = true, .kick = kick};

static const TacAttribute attributes[] = {
    {"step", TAC_REAL, offsetof(TacSolver, step), "s", "0",
     "The agent's own step; 0 is the beat (the scene's dt).", NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_explicit_euler_class = {
    .name = "ExplicitEuler",
    .kind = TAC_KIND_SOLVER,
    .doc = "Moves with the velocity before the step, then kicks by the force: gains energy. SymplecticEuler "
           "costs the same and does not; this one is for comparison.",
    .size = sizeof(TacSolver),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .ops.solver = &ops,
};
