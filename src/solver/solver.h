// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Solvers turn the forces of a program into one kick (TAC_DV), to be added to velocities at the end of the
// instant. A solver reads TAC_X and TAC_V and never writes them: all kicks of an instant are computed from
// the state before it. A solver that is not kick-then-drift (`moves`) writes where matter
// arrives at the end of its step instead. Linear solvers solve (m M + b B + k K) x = rhs for implicit ones.
// What a linear solver keeps between solves belongs to a program, not to the component: several agents may
// share one.

#ifndef TACTUS_SOLVER_SOLVER_H
#define TACTUS_SOLVER_SOLVER_H

#include "base/memory.h"
#include "solver/program.h"

typedef struct TacLinearSolver {
    TacComponent base;
} TacLinearSolver;

typedef struct TacSolver {
    TacComponent base;
    double step;             // s; 0: the beat
    TacLinearSolver *linear; // where the solver's class needs one
    bool moves;              // as the class's, where that depends on attributes; filled by init
} TacSolver;

// What a kick cost, for reports.
typedef struct TacKickReport {
    int iterations;  // of the linear solver
    double residual; // relative, where it stopped
    double left;     // the same of a linear solve that had used up its iterations; 0: it came to its end
    bool rough;      // it stopped early, as it might (TacProgram.rough)
    double bears;    // s: the longest step that joints and barriers bear together, where they are solved for
    char failure[240]; // why there is no kick; empty: there is one
} TacKickReport;

// What a linear solver of at most `most` iterations reports.
static inline void tac_report_solve(TacKickReport *report, int iterations, int64_t most, double residual) {
    report->iterations = iterations;
    report->residual = residual;
    report->left = iterations >= most ? residual : 0;
}

typedef struct TacSystem {
    double m, b, k; // coefficients of M, B = dF/dv and K = dF/dx
} TacSystem;

struct TacPreparation;

struct TacSolverOps {
    unsigned scratch;  // vectors it needs besides the standing ones: bits 1 << TAC_A ...
    bool moves;        // writes TAC_X_NEXT and TAC_V_NEXT instead of TAC_DV
    bool needs_linear; // solver
    bool needs_no_mass;
    bool keeps_joints; // solves for them
    void (*kick)(void *self, const TacProgram *program, const TacContext *context, TacKickReport *report);
    // Implicit solvers: a law of stiffness -k that has no force now gets, over the step, the impulse
    // -step k (old v + change dv) in its equations. NULL: it has none.
    void (*foresight)(const void *self, double step, double *old, double *change);
    // After a kick: whether nothing in its equations but laws acts from outside, so that forces tell how it should push and
    // turn all of the program. NULL: unknown.
    bool (*forces_tell)(const void *self, const TacProgram *program);
    // Once, before time runs: sets program->kept. NULL: nothing to do.
    TacStatus (*prepare)(void *self, TacProgram *program, const struct TacPreparation *preparation,
                         TacError *error);
    void (*release)(void *self, TacProgram *program);
    // The program's lists have become shorter or longer, but never longer than when it was prepared. `anew`: what
    // was kept from step to step no longer counts. NULL: the lists of its programs never change.
    void (*rearrange)(void *self, TacProgram *program, bool anew);
    // After the kicks of an instant have been added to velocities, before the flight: the one place where a
    // solver may change TAC_X and TAC_V of its matter. NULL: nothing to do.
    void (*settle)(void *self, const TacProgram *program, const TacContext *context);
};

// What a linear solver needs to make itself ready for a program.
typedef struct TacPreparation {
    const TacContext *context;
    TacArena *arena;  // where memory is counted
    TacError *remark; // what cannot be done as asked, but otherwise
    void *world;
    TacStatus (*declare_state)(void *world, void *data, size_t bytes, TacError *error); // as tac_setup_state
} TacPreparation;

struct TacLinearSolverOps {
    unsigned scratch;
    // Once, before time runs: sets program->linear. NULL: nothing to do.
    TacStatus (*prepare)(void *self, TacProgram *program, const TacPreparation *preparation, TacError *error);
    void (*release)(void *self, TacProgram *program);
    // x = the solution, projected; where the program solves again, it comes as the last solution, or 0. rhs is projected already, and may become anything; so may TAC_A, or TAC_P where x is
    // TAC_A.
    void (*solve)(void *self, const TacProgram *program, const TacContext *context, const TacSystem *system,
                  TacVector rhs, TacVector x, TacKickReport *report);
};

typedef struct TacSolverOps TacSolverOps;
typedef struct TacLinearSolverOps TacLinearSolverOps;

extern const TacClass tac_symplectic_euler_class, tac_explicit_euler_class, tac_runge_kutta4_class,
    tac_implicit_euler_class, tac_static_class, tac_spook_class;
extern const TacClass tac_conjugate_gradient_class, tac_preconditioned_class, tac_minimal_residual_class,
    tac_sparse_direct_class;

// Whether it writes TAC_X_NEXT and TAC_V_NEXT.
static inline bool tac_solver_moves(const TacSolver *solver) {
    return solver->moves || solver->base.cls->ops.solver->moves;
}

// Where scripted points go: `w` becomes TAC_V, plus what brings them to where they must be after the step.
void tac_solver_start(const TacProgram *program, const TacContext *context, TacVector w);

// How fast points that Spook's rows pull apart swing across (rad/s), by the forces of the last kick: rows of two
// points with tension T and length l stiffen both by T/l, and by Gershgorin's discs nothing is faster than
// sqrt(2 sum(T/l) / m) of the fastest point. For a wire that is 2 N sqrt(T / (L m)), the document's equation 5.
double tac_spook_frequency(const TacProgram *program);

// The kick of a law on its own clock: dv += h M^-1 f, on matter that it does not own. Uses TAC_A and TAC_F.
void tac_kick_by_force(const TacProgram *program, const TacContext *context);

#endif
