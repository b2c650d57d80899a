// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SparseDirect: assembles the system and solves it by L D L^T (factor.h). One solve, to rounding, whatever the
// stiffness; the cost grows faster than the scene, mildly for wires and sheets, steeply for solids.
//
// With `once` the factors of the first matrix serve all solves: a step then costs two triangular solves, and is
// right as long as the stiffness stays what it was. That first matrix is state: it is saved with the world, and
// a restored world factorises it again.

#include "base/memory.h"
#include "solver/factor.h"

#include <stdio.h>

typedef struct SparseDirect {
    TacLinearSolver linear;
    bool once;
} SparseDirect;

typedef struct Kept {
    TacMatrix *matrix;
    TacFactor *factor;
    double *first;    // values of the first matrix, with `once`: state
    uint64_t *filled; // 1 where there are any: state
    bool done;        // whether the factors are of them
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
    TAC_TRY(tac_factor_create(&kept->factor, kept->matrix, preparation->arena, error));
    if (!self->once) return TAC_OK;
    size_t values = kept->matrix->value_count;
    kept->first = tac_arena_array(preparation->arena, values, sizeof *kept->first);
    kept->filled = tac_arena_alloc(preparation->arena, sizeof *kept->filled);
    if (!kept->first || !kept->filled) return tac_fail_memory(error, values * sizeof *kept->first);
    TAC_TRY(preparation->declare_state(preparation->world, kept->filled, sizeof *kept->filled, error));
    return preparation->declare_state(preparation->world, kept->first, values * sizeof *kept->first, error);
}

// Factors of the matrix as it is now. False after a failure was reported.
static bool find_factors(Kept *kept, const TacContext *context, const TacSystem *system,
                         TacKickReport *report) {
    TacMatrix *m = kept->matrix;
    if (kept->done && *kept->filled) return true;
    if (!(kept->filled && *kept->filled) &&
        !tac_matrix_assemble(m, context, system, report->failure, sizeof report->failure))
        return false;
    if (!kept->factor || tac_factor_generation(kept->factor) != m->generation) {
        if (kept->first) {
            snprintf(report->failure, sizeof report->failure,
                     "the structure of the matrix changes while time runs; leave out once");
            return false;
        }
        tac_factor_destroy(kept->factor);
        TacError error;
        if (tac_factor_create(&kept->factor, m, NULL, &error) != TAC_OK) {
            snprintf(report->failure, sizeof report->failure, "%.200s", error.message);
            return false;
        }
    }
    if (kept->first && !*kept->filled) {
        memcpy(kept->first, m->values, m->value_count * sizeof *kept->first);
        *kept->filled = 1;
    }
    kept->done = kept->first != NULL;
    if (!tac_factor_compute(kept->factor, m, kept->first ? kept->first : m->values)) {
        kept->done = false;
        snprintf(
            report->failure, sizeof report->failure,
            "the matrix cannot be factorised: it is singular, to rounding. Something is held by nothing, or "
            "a law has no stiffness where it is needed");
        return false;
    }
    return true;
}

static void solve(void *data, const TacProgram *p, const TacContext *context, const TacSystem *system,
                  TacVector rhs, TacVector x, TacKickReport *report) {
    (void)data;
    Kept *kept = p->linear;
    TacMatrix *m = kept->matrix;
    if (!(p->same && kept->factor) && !find_factors(kept, context, system, report)) return;
    tac_matrix_collect(m, rhs, m->in);
    tac_factor_solve(kept->factor, m, m->in, m->out);
    tac_matrix_spread(m, m->out, x);
    report->iterations = 1;
    report->residual = 0;
}

static const TacLinearSolverOps ops = {.prepare = prepare, .release = release, .solve = solve};

static const TacAttribute attributes[] = {
    {"once", TAC_BOOL, offsetof(SparseDirect, once), "", "false",
     "Factorises the first matrix only and uses it for all steps: fast, and right while the stiffness stays.",
     NULL, TAC_ANY, 0},
};

const TacClass tac_sparse_direct_class = {
    .name = "SparseDirect",
    .kind = TAC_KIND_LINEAR_SOLVER,
    .doc =
        "Assembles a sparse matrix and factorises it (L D L^T, ordered by AMD): exact to rounding, whatever "
        "the stiffness. Every law and map must be able to write its blocks.",
    .size = sizeof(SparseDirect),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .ops.linear_solver = &ops,
};
