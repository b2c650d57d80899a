// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Solvers turn the forces of a program into one kick (TAC_DV), to be added to velocities at the end of the
// instant. A solver reads TAC_X and TAC_V and never writes them: all kicks of an instant are computed from
// the state before it. A solver that is not kick-then-drift (`moves`) writes where matter
// arrives at the end of its step instead. Linear solvers solve (m M + b B + k K) x = rhs for implicit ones.

#ifndef TACTUS_SOLVER_SOLVER_H
#define TACTUS_SOLVER_SOLVER_H

#include "solver/program.h"

typedef struct TacLinearSolver {
    TacComponent base;
} TacLinearSolver;

typedef struct TacSolver {
    TacComponent base;
    double step;             // s; 0: the beat
    TacLinearSolver *linear; // where the solver's class needs one
} TacSolver;

// What a kick cost, for reports.
typedef struct TacKickReport {
    int iterations;  // of the linear solver
    double residual; // relative, where it stopped
} TacKickReport;

typedef struct TacSystem {
    double m, b, k; // coefficients of M, B = dF/dv and K = dF/dx
} TacSystem;

struct TacSolverOps {
    unsigned scratch;  // vectors it needs besides the standing ones: bits 1 << TAC_A ...
    bool moves;        // writes TAC_X_NEXT and TAC_V_NEXT instead of TAC_DV
    bool needs_linear; // solver
    void (*kick)(void *self, const TacProgram *program, const TacContext *context, TacKickReport *report);
};

struct TacLinearSolverOps {
    unsigned scratch;
    // x = the solution, projected. rhs is projected already.
    void (*solve)(void *self, const TacProgram *program, const TacContext *context, const TacSystem *system,
                  TacVector rhs, TacVector x, TacKickReport *report);
};

typedef struct TacSolverOps TacSolverOps;
typedef struct TacLinearSolverOps TacLinearSolverOps;

extern const TacClass tac_symplectic_euler_class, tac_implicit_euler_class, tac_conjugate_gradient_class;

// The kick of a law on its own clock: dv += h M^-1 f, on matter that it does not own. Uses TAC_A and TAC_F.
void tac_kick_by_force(const TacProgram *program, const TacContext *context);

#endif
