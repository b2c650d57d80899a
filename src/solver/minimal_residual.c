// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// MinimalResidual: MINRES (Paige and Saunders 1975). For symmetric matrices that need not be positive, as of
// compressed springs or of static problems beyond buckling: the residual never grows, where conjugate
// gradients divide by a curvature that may be anything.
//
// Lanczos vectors v_k with A v_k = b_k v_(k-1) + a_k v_k + b_(k+1) v_(k+1); the tridiagonal matrix is brought
// to triangular form by one rotation (c, s) an iteration, and x moves along w_k, the columns of V R^-1.

#include "base/memory.h"
#include "solver/matrix.h"

typedef struct MinimalResidual {
    TacLinearSolver linear;
    int64_t iterations;
    double tolerance;
    bool assembled;
} MinimalResidual;

static void product(const TacProgram *p, const TacContext *context, const TacSystem *system, TacVector d,
                    TacVector out) {
    if (p->linear) {
        tac_matrix_multiply(p->linear, context, d, out);
        return;
    }
    tac_program_product(p, context, d, out, system->m, system->b, system->k);
    tac_program_project(p, context, out);
}

static void solve(void *data, const TacProgram *p, const TacContext *context, const TacSystem *system,
                  TacVector rhs, TacVector x, TacKickReport *report) {
    const MinimalResidual *self = data;
    TacVector before = TAC_T, v = TAC_P, after = TAC_Q; // Lanczos vectors
    TacVector w = TAC_R, w1 = TAC_S, w2 = TAC_U;        // directions: this one, the last, the one before
    if (p->linear &&
        !tac_matrix_assemble(p->linear, context, system, report->failure, sizeof report->failure))
        return;
    tac_program_clear(p, context, x);
    tac_program_clear(p, context, before);
    tac_program_clear(p, context, w1);
    tac_program_clear(p, context, w2);
    tac_program_copy(p, context, v, rhs);
    double size = sqrt(tac_program_dot(p, context, v, v)), b = 0, left = size;
    double c = 1, s = 0, c1 = 1, s1 = 0; // the last two rotations
    if (size > 0) tac_program_scale(p, context, v, 1 / size);
    int i = 0;
    for (; i < self->iterations && fabs(left) > self->tolerance * size; i++) {
        // the next Lanczos vector
        product(p, context, system, v, after);
        double a = tac_program_dot(p, context, v, after);
        tac_program_axpy(p, context, after, -a, v);
        tac_program_axpy(p, context, after, -b, before);
        double next = sqrt(tac_program_dot(p, context, after, after));

        // the new column, after the last two rotations, and one that clears what is below its diagonal
        double above2 = s1 * b, middle = c1 * b, above = c * middle + s * a, diagonal = c * a - s * middle;
        double length = hypot(diagonal, next);
        if (!(length > 0)) break;
        s1 = s;
        c1 = c;
        c = diagonal / length;
        s = next / length;

        // x += (c left) w with w = (v - above w1 - above2 w2) / length
        tac_program_copy(p, context, w, v);
        tac_program_axpy(p, context, w, -above, w1);
        tac_program_axpy(p, context, w, -above2, w2);
        tac_program_scale(p, context, w, 1 / length);
        tac_program_axpy(p, context, x, c * left, w);
        left *= -s;

        // everybody moves up
        TacVector oldest = w2, used = before;
        w2 = w1;
        w1 = w;
        w = oldest;
        before = v;
        v = after;
        after = used;
        b = next;
        if (!(next > 0)) {
            i++;
            break;
        }
        tac_program_scale(p, context, v, 1 / next);
    }
    tac_report_solve(report, i, self->iterations, size > 0 ? fabs(left) / size : 0);
}

static TacStatus prepare(void *data, TacProgram *program, const TacPreparation *preparation,
                         TacError *error) {
    const MinimalResidual *self = data;
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

static const TacLinearSolverOps ops = {.scratch = 1u << TAC_P | 1u << TAC_Q | 1u << TAC_R | 1u << TAC_S |
                                                  1u << TAC_T | 1u << TAC_U,
                                       .prepare = prepare,
                                       .release = release,
                                       .solve = solve};

static const TacAttribute attributes[] = {
    {"iterations", TAC_INT, offsetof(MinimalResidual, iterations), "1", "100",
     "The most iterations of a solve.", NULL, TAC_POSITIVE, TAC_LIVE},
    {"tolerance", TAC_REAL, offsetof(MinimalResidual, tolerance), "1", "1e-8",
     "Stops when the residual has shrunk to this fraction of the right-hand side.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"assembled", TAC_BOOL, offsetof(MinimalResidual, assembled), "", "false",
     "Whether a matrix is assembled for each solve; without one, each iteration asks the laws.", NULL,
     TAC_ANY, 0},
};

const TacClass tac_minimal_residual_class = {
    .name = "MinimalResidual",
    .kind = TAC_KIND_LINEAR_SOLVER,
    .doc =
        "MINRES: for systems that are symmetric but not positive, where conjugate gradients may break down.",
    .size = sizeof(MinimalResidual),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .ops.linear_solver = &ops,
};
