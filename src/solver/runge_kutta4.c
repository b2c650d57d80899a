// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The classical Runge-Kutta method: four forces a step, fourth order for points (Kutta 1901; SOFA's
// RungeKutta4Solver). Orientations are moved by the mean angular velocity about one axis, as SOFA does, which
// is of second order.
//
//     stage   x + c h k_v         v + c h k_a        c = 0, 1/2, 1/2, 1
//     step    x + h/6 (k_v1 + 2 k_v2 + 2 k_v3 + k_v4), and v likewise
//
// Laws look at a stage by an exchange of pointers, so the state before the step keeps all its bits.

#include "base/memory.h"
#include "solver/solver.h"

// TAC_A = acceleration at TAC_X_NEXT and TAC_V_NEXT
static void accelerate(const TacProgram *p, const TacContext *context) {
    tac_program_swap_state(p);
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    tac_program_tumble(p, TAC_F);
    tac_program_divide(p, context, TAC_F, TAC_A);
    tac_program_swap_state(p);
    tac_program_project(p, context, TAC_A);
}

static void kick(void *self, const TacProgram *p, const TacContext *start, TacKickReport *report) {
    (void)self;
    (void)report;
    static const double place[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double h = start->step;
    tac_solver_start(p, start, TAC_Q);
    tac_program_clear(p, start, TAC_P); // sum of velocities
    tac_program_clear(p, start, TAC_B); // sum of accelerations
    tac_program_copy(p, start, TAC_V_NEXT, TAC_Q);
    for (int i = 0; i < 4; i++) {
        TacContext context = *start;
        context.time += place[i] * h;
        // the stage: positions by the velocity of the last one, velocities by its acceleration
        tac_program_advance(p, start, TAC_X_NEXT, TAC_X, place[i] * h, TAC_V_NEXT);
        if (i > 0) {
            tac_program_copy(p, start, TAC_V_NEXT, TAC_Q);
            tac_program_axpy(p, start, TAC_V_NEXT, place[i] * h, TAC_A);
        }
        accelerate(p, &context);
        tac_program_axpy(p, start, TAC_P, weight[i] / 6, TAC_V_NEXT);
        tac_program_axpy(p, start, TAC_B, weight[i] / 6, TAC_A);
    }
    tac_program_advance(p, start, TAC_X_NEXT, TAC_X, h, TAC_P);
    tac_program_copy(p, start, TAC_V_NEXT, TAC_Q);
    tac_program_axpy(p, start, TAC_V_NEXT, h, TAC_B);
    // mapped matter is left as it was before the step
    tac_program_propagate(p, start, TAC_X, TAC_V);
}

static const TacSolverOps ops = {
    .scratch = 1u << TAC_A | 1u << TAC_B | 1u << TAC_P | 1u << TAC_Q, .moves = true, .kick = kick};

static const TacAttribute attributes[] = {
    {"step", TAC_REAL, offsetof(TacSolver, step), "s", "0",
     "The agent's own step; 0 is the beat (the scene's dt).", NULL, TAC_NOT_NEGATIVE, 0},
};

const TacClass tac_runge_kutta4_class = {
    .name = "RungeKutta4",
    .kind = TAC_KIND_SOLVER,
    .doc =
        "The classical method of four forces a step: explicit, fourth order, accurate for smooth laws over "
        "short times.",
    .size = sizeof(TacSolver),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .ops.solver = &ops,
};
