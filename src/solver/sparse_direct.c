// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SparseDirect: assembles the system and solves it by L D L^T (factor.h). One solve, to rounding, whatever the
// stiffness; the cost grows faster than the scene, mildly for wires and sheets, steeply for solids.

#include "base/memory.h"
#include "solver/factor.h"

#include <stdio.h>

typedef struct SparseDirect {
    TacLinearSolver linear;
} SparseDirect;

typedef struct Kept {
    TacMatrix *matrix;
    TacFactor *factor;
} Kept;

static void release(void *self, TacProgram *program) {
    (void)self;
    Kept *kept = program->linear;
    if (!kept) return;
    tac_factor_destroy(kept->factor);
    tac_matrix_destroy(kept->matrix);
    free(kept);
    program->linear = NULL;
}

static TacStatus prepare(void *data, TacProgram *program, const TacPreparation *preparation,
                         TacError *error) {
    const SparseDirect *self = data;
    TAC_TRY(tac_matrix_check(program, &self->linear.base, error));
    Kept *kept = program->linear = calloc(1, sizeof *kept);
    if (!kept) return tac_fail_memory(error, sizeof *kept);
    TAC_TRY(tac_matrix_create(&kept->matrix, program, preparation->context, preparation->arena, error));
    return tac_factor_create(&kept->factor, kept->matrix, preparation->arena, error);
}

static void solve(void *data, const TacProgram *p, const TacContext *context, const TacSystem *system,
                  TacVector rhs, TacVector x, TacKickReport *report) {
    (void)data;
    Kept *kept = p->linear;
    TacMatrix *m = kept->matrix;
    if (!tac_matrix_assemble(m, context, system, report->failure, sizeof report->failure)) return;
    if (!kept->factor || tac_factor_generation(kept->factor) != m->generation) {
        tac_factor_destroy(kept->factor);
        TacError error;
        if (tac_factor_create(&kept->factor, m, NULL, &error) != TAC_OK) {
            snprintf(report->failure, sizeof report->failure, "%.200s", error.message);
            return;
        }
    }
    if (!tac_factor_compute(kept->factor, m, m->values)) {
        snprintf(
            report->failure, sizeof report->failure,
            "the matrix cannot be factorised: it is singular, to rounding. Something is held by nothing, or "
            "a law has no stiffness where it is needed");
        return;
    }
    tac_matrix_collect(m, rhs, m->in);
    tac_factor_solve(kept->factor, m, m->in, m->out);
    tac_matrix_spread(m, m->out, x);
    report->iterations = 1;
    report->residual = 0;
}

static const TacLinearSolverOps ops = {.prepare = prepare, .release = release, .solve = solve};

const TacClass tac_sparse_direct_class = {
    .name = "SparseDirect",
    .kind = TAC_KIND_LINEAR_SOLVER,
    .doc =
        "Assembles a sparse matrix and factorises it (L D L^T, ordered by AMD): exact to rounding, whatever "
        "the stiffness. Every law and map must be able to write its blocks.",
    .size = sizeof(SparseDirect),
    .ops.linear_solver = &ops,
};
