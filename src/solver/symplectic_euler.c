// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Symplectic Euler: v += h M^-1 f(x, v), then matter flies. Seen at half kicks it is the leapfrog: second
// order in positions, energy error bounded for conservative laws.

#include "base/memory.h"
#include "solver/solver.h"

void tac_kick_by_force(const TacProgram *p, const TacContext *context) {
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    tac_program_divide(p, context, TAC_F, TAC_A);
    tac_program_project(p, context, TAC_A);
    tac_program_axpy(p, context, TAC_DV, context->step, TAC_A);
}

static void kick(void *self, const TacProgram *p, const TacContext *context, TacKickReport *report) {
    (void)self;
    (void)report;
    // nobody else has kicked this matter yet, so the kick can be made in place
    tac_program_propagate(p, context, TAC_X, tac_program_velocities(p));
    tac_program_force(p, context, TAC_F);
    tac_program_divide(p, context, TAC_F, TAC_DV);
    tac_program_project(p, context, TAC_DV);
    tac_program_scale(p, context, TAC_DV, context->step);
    tac_program_prescribe(p, context, TAC_DV);
}

static const TacSolverOps ops = {.scratch = 1u << TAC_A, .kick = kick};

static const TacAttribute attributes[] = {
    {"step", TAC_REAL, offsetof(TacSolver, step), "s", "0",
     "The agent's own step; 0 is the beat (the scene's dt).", NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_symplectic_euler_class = {
    .name = "SymplecticEuler",
    .kind = TAC_KIND_SOLVER,
    .doc = "Kicks by the force, then drifts: explicit, cheap, keeps energy over long times while the step is "
           "below "
           "2 over the highest frequency.",
    .size = sizeof(TacSolver),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .ops.solver = &ops,
};
