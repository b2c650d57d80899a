// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Implicit Euler, linearised once a step (Baraff and Witkin 1998; the SOFA slides, "Efficient implicit
// integration"), with Rayleigh damping:
//
//     (M (1 + h rM) - h B - h (h + rK) K) dv = h (f - rM M v + (h + rK) K v)
//
// Scripted points enter as known parts of dv: what they do to the others moves to the right-hand side.

#include "base/memory.h"
#include "solver/solver.h"

typedef struct ImplicitEuler {
    TacSolver solver;
    double damping_mass, damping_stiffness;
} ImplicitEuler;

static void kick(void *data, const TacProgram *p, const TacContext *context, TacKickReport *report) {
    const ImplicitEuler *self = data;
    double h = context->step, rm = self->damping_mass, rk = self->damping_stiffness;
    TacSystem system = {.m = 1 + h * rm, .b = -h, .k = -h * (h + rk)};

    // right-hand side
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    tac_program_product(p, context, TAC_V, TAC_B, -h * rm, 0, h * (h + rk));
    tac_program_axpy(p, context, TAC_B, h, TAC_F);

    // scripted points: their kick is known
    tac_program_clear(p, context, TAC_DV);
    if (tac_program_prescribe(p, context, TAC_DV)) {
        tac_program_product(p, context, TAC_DV, TAC_Q, system.m, system.b, system.k);
        tac_program_axpy(p, context, TAC_B, -1, TAC_Q);
    }
    tac_program_project(p, context, TAC_B);

    TacLinearSolver *linear = self->solver.linear;
    linear->base.cls->ops.linear_solver->solve(linear, p, context, &system, TAC_B, TAC_A, report);
    tac_program_axpy(p, context, TAC_DV, 1, TAC_A);
}

static const TacSolverOps ops = {
    .scratch = 1u << TAC_A | 1u << TAC_B | 1u << TAC_Q, .needs_linear = true, .kick = kick};

static const TacAttribute attributes[] = {
    {"step", TAC_REAL, offsetof(ImplicitEuler, solver.step), "s", "0",
     "The agent's own step; 0 is the beat (the scene's dt).", NULL, TAC_NOT_NEGATIVE, 0},
    {"linear_solver", TAC_LINK, offsetof(ImplicitEuler, solver.linear), "", "",
     "What solves its equations; by default the one in its node, or a ConjugateGradient.", "linear solver",
     TAC_ANY, 0},
    {"damping_mass", TAC_REAL, offsetof(ImplicitEuler, damping_mass), "1/s", "0",
     "Rayleigh damping in proportion to mass.", NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"damping_stiffness", TAC_REAL, offsetof(ImplicitEuler, damping_stiffness), "s", "0",
     "Rayleigh damping in proportion to stiffness.", NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
};

const TacClass tac_implicit_euler_class = {
    .name = "ImplicitEuler",
    .kind = TAC_KIND_SOLVER,
    .doc =
        "Solves for the velocity at the end of the step: stable for stiff laws at large steps, loses energy.",
    .size = sizeof(ImplicitEuler),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .ops.solver = &ops,
};
