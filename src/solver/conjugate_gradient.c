// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Conjugate gradients without a matrix: each iteration is one product by the program and four vector
// operations (Hestenes and Stiefel 1952; projected onto what constraints leave free, as in Baraff and Witkin
// 1998).

#include "base/memory.h"
#include "solver/solver.h"

typedef struct ConjugateGradient {
    TacLinearSolver linear;
    int64_t iterations;
    double tolerance, threshold;
} ConjugateGradient;

static void solve(void *data, const TacProgram *p, const TacContext *context, const TacSystem *system,
                  TacVector rhs, TacVector x, TacKickReport *report) {
    const ConjugateGradient *self = data;
    tac_program_clear(p, context, x);
    tac_program_copy(p, context, TAC_R, rhs);
    double rho = tac_program_dot(p, context, TAC_R, TAC_R), last = 0;
    double size = sqrt(rho);
    int i = 0;
    for (; i < self->iterations && sqrt(rho) > self->tolerance * size; i++) {
        // new direction, conjugate to the old ones
        if (i == 0)
            tac_program_copy(p, context, TAC_P, TAC_R);
        else
            tac_program_xpay(p, context, TAC_P, TAC_R, rho / last);
        tac_program_product(p, context, TAC_P, TAC_Q, system->m, system->b, system->k);
        tac_program_project(p, context, TAC_Q);
        double curvature = tac_program_dot(p, context, TAC_P, TAC_Q);
        if (!(fabs(curvature) > self->threshold)) break;
        double alpha = rho / curvature;
        tac_program_axpy(p, context, x, alpha, TAC_P);
        tac_program_axpy(p, context, TAC_R, -alpha, TAC_Q);
        last = rho;
        rho = tac_program_dot(p, context, TAC_R, TAC_R);
    }
    report->iterations = i;
    report->residual = size > 0 ? sqrt(rho) / size : 0;
}

static const TacLinearSolverOps ops = {.scratch = 1u << TAC_P | 1u << TAC_Q | 1u << TAC_R, .solve = solve};

static const TacAttribute attributes[] = {
    {"iterations", TAC_INT, offsetof(ConjugateGradient, iterations), "1", "100",
     "The most iterations of a solve.", NULL, TAC_POSITIVE, TAC_LIVE},
    {"tolerance", TAC_REAL, offsetof(ConjugateGradient, tolerance), "1", "1e-8",
     "Stops when the residual has shrunk to this fraction of the right-hand side.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"threshold", TAC_REAL, offsetof(ConjugateGradient, threshold), "1", "0",
     "Stops when the curvature along the search direction is not above this.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
};

const TacClass tac_conjugate_gradient_class = {
    .name = "ConjugateGradient",
    .kind = TAC_KIND_LINEAR_SOLVER,
    .doc =
        "Conjugate gradients, matrix-free: each iteration asks the laws for a product with their stiffness.",
    .size = sizeof(ConjugateGradient),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .ops.linear_solver = &ops,
};
