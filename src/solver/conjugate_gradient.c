// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Conjugate gradients: each iteration is one product and a few vector operations (Hestenes and Stiefel 1952;
// projected onto what constraints leave free, as in Baraff and Witkin 1998). The product is the program's,
// without a matrix, or that of an assembled matrix where the scene asks for it: assembling has its price once a
// solve, and pays where there are many iterations.

#include "base/memory.h"
#include "solver/matrix.h"

typedef struct ConjugateGradient {
    TacLinearSolver linear;
    int64_t iterations;
    double tolerance, threshold;
    bool assembled;
} ConjugateGradient;

static void solve(void *data, const TacProgram *p, const TacContext *context, const TacSystem *system,
                  TacVector rhs, TacVector x, TacKickReport *report) {
    const ConjugateGradient *self = data;
    TacMatrix *matrix = p->linear;
    if (matrix && !tac_matrix_assemble(matrix, context, system, report->failure, sizeof report->failure))
        return;
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
        if (matrix) {
            tac_matrix_multiply(matrix, context, TAC_P, TAC_Q);
        } else {
            tac_program_product(p, context, TAC_P, TAC_Q, system->m, system->b, system->k);
            tac_program_project(p, context, TAC_Q);
        }
        double curvature = tac_program_dot(p, context, TAC_P, TAC_Q);
        // a world's very first iteration is let through, as SOFA does: everything may still be at rest
        bool first = i == 0 && context->time == 0 && curvature != 0;
        if (!(fabs(curvature) > self->threshold) && !first) break;
        double alpha = rho / curvature;
        last = rho;
        rho = tac_program_descend(p, context, x, TAC_P, TAC_R, TAC_Q, alpha);
    }
    report->iterations = i;
    report->residual = size > 0 ? sqrt(rho) / size : 0;
}

// Where the matrix cannot be had, the program does.
static TacStatus prepare(void *data, TacProgram *program, const TacPreparation *preparation,
                         TacError *error) {
    const ConjugateGradient *self = data;
    if (!self->assembled) return TAC_OK;
    if (tac_matrix_check(program, &self->linear.base, preparation->remark) != TAC_OK) return TAC_OK;
    TacMatrix *matrix;
    TAC_TRY(tac_matrix_create(&matrix, program, preparation->context, preparation->arena, error));
    program->linear = matrix;
    return TAC_OK;
}

static void release(void *self, TacProgram *program) {
    (void)self;
    tac_matrix_destroy(program->linear);
    program->linear = NULL;
}

static const TacLinearSolverOps ops = {.scratch = 1u << TAC_P | 1u << TAC_Q | 1u << TAC_R,
                                       .prepare = prepare,
                                       .release = release,
                                       .solve = solve};

static const TacAttribute attributes[] = {
    {"iterations", TAC_INT, offsetof(ConjugateGradient, iterations), "1", "100",
     "The most iterations of a solve.", NULL, TAC_POSITIVE, TAC_LIVE},
    {"tolerance", TAC_REAL, offsetof(ConjugateGradient, tolerance), "1", "1e-8",
     "Stops when the residual has shrunk to this fraction of the right-hand side.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"threshold", TAC_REAL, offsetof(ConjugateGradient, threshold), "1", "0",
     "Stops when the curvature along the search direction is not above this.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"assembled", TAC_BOOL, offsetof(ConjugateGradient, assembled), "", "false",
     "Whether a matrix is assembled for each solve; without one, each iteration asks the laws.", NULL,
     TAC_ANY, 0},
};

const TacClass tac_conjugate_gradient_class = {
    .name = "ConjugateGradient",
    .kind = TAC_KIND_LINEAR_SOLVER,
    .doc = "Conjugate gradients: each iteration asks the laws for a product with their stiffness, or uses an "
           "assembled matrix.",
    .size = sizeof(ConjugateGradient),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .ops.linear_solver = &ops,
};
