// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// PreconditionedConjugateGradient: conjugate gradients on an assembled matrix A, with an approximate inverse:
//
//     jacobi         the diagonal
//     block-jacobi   the blocks on the diagonal, one for each point
//     ssor           (D + w L) D^-1 (D + w L^T) with D the blocks on the diagonal (Axelsson 1972)
//     direct         the factors of A, renewed every few steps: old ones are still a very good guess
//
// An iteration stops by the residual r, |r| <= tolerance |b|, or, with measure="squares", where r.P r with P the
// approximate inverse falls below tolerance b.b. That is what SOFA does: a scene that stops early there stops
// here at the same iteration. sweep="numbers" runs ssor over single numbers, the upper side first, and `warm`
// begins each solve with the last solution (which is state), likewise.
//
// Factors that outlive their step are state: what they were computed from is saved with the world, and a
// restored world computes them again.

#include "base/memory.h"
#include "solver/factor.h"

#include <stdio.h>

typedef enum Choice { NONE, JACOBI, BLOCK_JACOBI, SSOR, DIRECT } Choice;
typedef enum Measure { RESIDUAL, SQUARES } Measure;
typedef enum Sweep { BLOCKS, NUMBERS } Sweep;

typedef struct Preconditioned {
    TacLinearSolver linear;
    int64_t iterations, refresh;
    double tolerance, relaxation;
    int preconditioner; // Choice
    int measure;        // Measure
    int sweep;          // Sweep
    bool warm;
} Preconditioned;

typedef struct Kept {
    TacMatrix *matrix;
    TacFactor *factor;
    double *inverses; // of the blocks on the diagonal, TAC_MOST_BLOCK squared each
    double *source;   // of factors that outlive their step: state
    uint64_t *stamp;  // of the source: state
    uint64_t done;    // stamp that the factors were computed from
    double *last;     // solution, of warm starts: state
} Kept;

// --- blocks on the diagonal -------------------------------------------------------------------------------

enum { VALUES = TAC_MOST_BLOCK * TAC_MOST_BLOCK };

// Gauss and Jordan, without pivoting: the blocks are positive definite or the method is lost anyway.
static void invert(const double *a, size_t n, double *out) {
    double work[VALUES];
    memcpy(work, a, n * n * sizeof *work);
    for (size_t i = 0; i < n * n; i++) out[i] = i % (n + 1) == 0;
    for (size_t k = 0; k < n; k++) {
        double over = 1 / work[n * k + k];
        for (size_t j = 0; j < n; j++) {
            work[n * k + j] *= over;
            out[n * k + j] *= over;
        }
        for (size_t i = 0; i < n; i++) {
            double s = work[n * i + k];
            for (size_t j = 0; i != k && j < n; j++) {
                work[n * i + j] -= s * work[n * k + j];
                out[n * i + j] -= s * out[n * k + j];
            }
        }
    }
}

static void invert_diagonal(Kept *kept, bool blocks) {
    const TacMatrix *m = kept->matrix;
    for (size_t r = 0; r < m->rows; r++) {
        size_t n = m->size[r];
        double block[VALUES];
        memcpy(block, tac_matrix_block(m, tac_matrix_diagonal(m, r)), n * n * sizeof *block);
        for (size_t i = 0; !blocks && i < n * n; i++)
            if (i % (n + 1)) block[i] = 0;
        invert(block, n, kept->inverses + VALUES * r);
    }
}

// y = inverse x
static void apply_inverse(const Kept *kept, size_t row, const double *x, double *y) {
    size_t n = kept->matrix->size[row];
    const double *inverse = kept->inverses + VALUES * row;
    double sum[TAC_MOST_BLOCK] = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) sum[i] += inverse[n * i + j] * x[j];
    for (size_t i = 0; i < n; i++) y[i] = sum[i];
}

// sum += factor times the blocks of a row left (or right) of the diagonal, times x
static void add_side(const TacMatrix *m, size_t row, bool left, double factor, const double *x, double *sum) {
    for (size_t k = m->start[row]; k < m->start[row + 1]; k++) {
        size_t c = m->column[k], columns = m->size[c];
        if (c == row || (c < row) != left) continue;
        const double *block = tac_matrix_block(m, k), *from = x + m->first[c];
        for (size_t i = 0; i < m->size[row]; i++)
            for (size_t j = 0; j < columns; j++) sum[i] += factor * block[columns * i + j] * from[j];
    }
}

static void apply_ssor(const Kept *kept, double w, const double *r, double *z) {
    const TacMatrix *m = kept->matrix;
    for (size_t row = 0; row < m->rows; row++) {
        double sum[TAC_MOST_BLOCK] = {0};
        memcpy(sum, r + m->first[row], m->size[row] * sizeof *sum);
        add_side(m, row, true, -w, z, sum);
        apply_inverse(kept, row, sum, z + m->first[row]);
    }
    for (size_t row = m->rows; row-- > 0;) {
        double sum[TAC_MOST_BLOCK] = {0};
        add_side(m, row, false, w, z, sum);
        apply_inverse(kept, row, sum, sum);
        for (size_t i = 0; i < m->size[row]; i++) z[m->first[row] + i] -= sum[i];
    }
}

// The same over single numbers, with D the diagonal, and from the other end: (D/w + U) first.
static void sweep_block(const TacMatrix *m, size_t row, bool up, double w, const double *sum, double *z) {
    size_t n = m->size[row];
    const double *block = tac_matrix_block(m, tac_matrix_diagonal(m, row));
    for (size_t k = 0; k < n; k++) {
        size_t i = up ? n - 1 - k : k;
        double inside = sum[i];
        for (size_t j = up ? i + 1 : 0; j < (up ? n : i); j++) inside -= block[n * i + j] * z[j];
        double step = w * inside / block[n * i + i];
        z[i] = up ? step : z[i] + step;
    }
}

static void apply_numbers(const Kept *kept, double w, const double *r, double *z) {
    const TacMatrix *m = kept->matrix;
    for (size_t row = m->rows; row-- > 0;) {
        double sum[TAC_MOST_BLOCK] = {0};
        memcpy(sum, r + m->first[row], m->size[row] * sizeof *sum);
        add_side(m, row, false, -1, z, sum);
        sweep_block(m, row, true, w, sum, z + m->first[row]);
    }
    for (size_t row = 0; row < m->rows; row++) {
        double sum[TAC_MOST_BLOCK] = {0};
        add_side(m, row, true, -1, z, sum);
        sweep_block(m, row, false, w, sum, z + m->first[row]);
    }
    for (size_t row = 0; row < m->rows && w != 1; row++)
        for (size_t i = 0; i < m->size[row]; i++) z[m->first[row] + i] *= 2 - w;
}

// --- direct -----------------------------------------------------------------------------------------------

static uint64_t stamp_of(const double *values, size_t n) {
    uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 29;
    }
    return hash | 1;
}

static bool find_factors(const Preconditioned *self, Kept *kept, const TacContext *context,
                         TacKickReport *report) {
    TacMatrix *m = kept->matrix;
    if (tac_factor_generation(kept->factor) != m->generation) {
        if (self->refresh > 1) {
            snprintf(
                report->failure, sizeof report->failure,
                "the structure of the matrix changes while time runs; a direct preconditioner then needs "
                "refresh=\"1\"");
            return false;
        }
        TacError error;
        tac_factor_destroy(kept->factor);
        if (tac_factor_create(&kept->factor, m, NULL, &error) != TAC_OK) {
            snprintf(report->failure, sizeof report->failure, "%.200s", error.message);
            return false;
        }
    }
    const double *values = m->values;
    if (self->refresh > 1) {
        // when it is renewed depends on the time alone
        double step = round(context->time / context->step);
        if (*kept->stamp == 0 || fmod(step, (double)self->refresh) == 0) {
            memcpy(kept->source, m->values, m->value_count * sizeof *kept->source);
            *kept->stamp = stamp_of(kept->source, m->value_count);
        }
        if (kept->done == *kept->stamp) return true;
        kept->done = *kept->stamp;
        values = kept->source;
    }
    if (tac_factor_compute(kept->factor, m, values)) return true;
    kept->done = 0;
    snprintf(report->failure, sizeof report->failure,
             "the matrix cannot be factorised: it is singular, to rounding");
    return false;
}

// --- solving ----------------------------------------------------------------------------------------------

// TAC_S = approximate inverse times TAC_R
static void precondition(const Preconditioned *self, Kept *kept, const TacProgram *p,
                         const TacContext *context) {
    TacMatrix *m = kept->matrix;
    if (self->preconditioner == NONE) {
        tac_program_copy(p, context, TAC_S, TAC_R);
        return;
    }
    tac_matrix_collect(m, TAC_R, m->in);
    switch ((Choice)self->preconditioner) {
    case SSOR:
        (self->sweep == NUMBERS ? apply_numbers : apply_ssor)(kept, self->relaxation, m->in, m->out);
        break;
    case DIRECT: tac_factor_solve(kept->factor, m, m->in, m->out); break;
    default:
        for (size_t r = 0; r < m->rows; r++)
            apply_inverse(kept, r, m->in + m->first[r], m->out + m->first[r]);
    }
    tac_matrix_spread(m, m->out, TAC_S);
}

static bool get_ready(const Preconditioned *self, Kept *kept, const TacContext *context,
                      const TacSystem *system, TacKickReport *report) {
    if (!tac_matrix_assemble(kept->matrix, context, system, report->failure, sizeof report->failure))
        return false;
    if (self->preconditioner == DIRECT) return find_factors(self, kept, context, report);
    if (self->preconditioner != NONE) invert_diagonal(kept, self->preconditioner != JACOBI);
    return true;
}

static void solve(void *data, const TacProgram *p, const TacContext *context, const TacSystem *system,
                  TacVector rhs, TacVector x, TacKickReport *report) {
    const Preconditioned *self = data;
    Kept *kept = p->linear;
    tac_program_clear(p, context, x);
    if (!get_ready(self, kept, context, system, report)) return;
    tac_program_copy(p, context, TAC_R, rhs);
    if (kept->last) {
        tac_matrix_spread(kept->matrix, kept->last, x);
        tac_matrix_multiply(kept->matrix, context, x, TAC_Q);
        tac_program_axpy(p, context, TAC_R, -1, TAC_Q);
    }
    double square = tac_program_dot(p, context, rhs, rhs), rho = 0, last;
    double left = kept->last ? tac_program_dot(p, context, TAC_R, TAC_R) : square;
    int i = 0;
    for (; i < self->iterations && square > 0; i++) {
        if (self->measure == RESIDUAL && sqrt(left) <= self->tolerance * sqrt(square)) break;
        precondition(self, kept, p, context);
        last = rho;
        rho = tac_program_dot(p, context, TAC_R, TAC_S);
        if (self->measure == SQUARES && rho <= self->tolerance * square) break;
        if (i == 0)
            tac_program_copy(p, context, TAC_P, TAC_S);
        else
            tac_program_xpay(p, context, TAC_P, TAC_S, rho / last);
        tac_matrix_multiply(kept->matrix, context, TAC_P, TAC_Q);
        double curvature = tac_program_dot(p, context, TAC_P, TAC_Q);
        if (!(fabs(curvature) > 0)) break;
        left = tac_program_descend(p, context, x, TAC_P, TAC_R, TAC_Q, rho / curvature);
    }
    if (kept->last) tac_matrix_collect(kept->matrix, x, kept->last);
    tac_report_solve(report, i, self->iterations, square > 0 ? sqrt(left / square) : 0);
}

// --- life -------------------------------------------------------------------------------------------------

static void release(void *self, TacProgram *program) {
    (void)self;
    Kept *kept = program->linear;
    if (!kept) return;
    tac_factor_destroy(kept->factor);
    tac_matrix_destroy(kept->matrix);
    free(kept->inverses);
    free(kept);
    program->linear = NULL;
}

static TacStatus prepare(void *data, TacProgram *program, const TacPreparation *preparation,
                         TacError *error) {
    const Preconditioned *self = data;
    TacArena *arena = preparation->arena;
    TAC_TRY(tac_matrix_check(program, &self->linear.base, error));
    Kept *kept = program->linear = calloc(1, sizeof *kept);
    if (!kept) return tac_fail_memory(error, sizeof *kept);
    TAC_TRY(tac_matrix_create(&kept->matrix, program, preparation->context, arena, error));
    size_t rows = kept->matrix->rows, values = kept->matrix->value_count;
    if (self->warm) {
        size_t n = kept->matrix->scalars;
        kept->last = tac_arena_array(arena, n, sizeof *kept->last);
        if (!kept->last) return tac_fail_memory(error, n * sizeof *kept->last);
        TAC_TRY(preparation->declare_state(preparation->world, kept->last, n * sizeof *kept->last, error));
    }
    if (self->preconditioner != DIRECT) {
        kept->inverses = calloc(rows + 1, VALUES * sizeof *kept->inverses);
        bool good = kept->inverses && tac_arena_count(arena, rows * VALUES * sizeof *kept->inverses);
        return good ? TAC_OK : tac_fail_memory(error, rows * VALUES * sizeof *kept->inverses);
    }
    TAC_TRY(tac_factor_create(&kept->factor, kept->matrix, arena, error));
    if (self->refresh < 2) return TAC_OK;
    kept->source = tac_arena_array(arena, values, sizeof *kept->source);
    kept->stamp = tac_arena_alloc(arena, sizeof *kept->stamp);
    if (!kept->source || !kept->stamp) return tac_fail_memory(error, values * sizeof *kept->source);
    TAC_TRY(preparation->declare_state(preparation->world, kept->stamp, sizeof *kept->stamp, error));
    return preparation->declare_state(preparation->world, kept->source, values * sizeof *kept->source, error);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    const Preconditioned *self = data;
    if (self->relaxation < 2) return TAC_OK;
    return tac_setup_fail(setup, error, "relaxation", "relaxation is %g; it must be above 0 and below 2",
                          self->relaxation);
}

static const TacLinearSolverOps ops = {.scratch = 1u << TAC_P | 1u << TAC_Q | 1u << TAC_R | 1u << TAC_S,
                                       .prepare = prepare,
                                       .release = release,
                                       .solve = solve};

static const TacAttribute attributes[] = {
    {"iterations", TAC_INT, offsetof(Preconditioned, iterations), "1", "100",
     "The most iterations of a solve.", NULL, TAC_POSITIVE, TAC_LIVE},
    {"tolerance", TAC_REAL, offsetof(Preconditioned, tolerance), "1", "1e-8",
     "Stops when the residual has shrunk to this fraction of the right-hand side.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"preconditioner", TAC_CHOICE, offsetof(Preconditioned, preconditioner), "", "block-jacobi",
     "The approximate inverse: none, the diagonal, its blocks, symmetric over-relaxation, or the factors of "
     "a "
     "direct solver.",
     "none|jacobi|block-jacobi|ssor|direct", TAC_ANY, 0},
    {"relaxation", TAC_REAL, offsetof(Preconditioned, relaxation), "1", "1", "Of ssor: above 0 and below 2.",
     NULL, TAC_POSITIVE, 0},
    {"measure", TAC_CHOICE, offsetof(Preconditioned, measure), "", "residual",
     "What the tolerance is of: the residual, or (squares) the product of the residual with what the "
     "approximate inverse makes of it, over the square of the right-hand side.",
     "residual|squares", TAC_ANY, 0},
    {"sweep", TAC_CHOICE, offsetof(Preconditioned, sweep), "", "blocks",
     "Of ssor: over the blocks of points, or over single numbers.", "blocks|numbers", TAC_ANY, 0},
    {"warm", TAC_BOOL, offsetof(Preconditioned, warm), "", "false",
     "Begins each solve with the last solution instead of zero.", NULL, TAC_ANY, 0},
    {"refresh", TAC_INT, offsetof(Preconditioned, refresh), "1", "1",
     "Of direct: factors are renewed every this many steps.", NULL, TAC_POSITIVE, 0},
};

const TacClass tac_preconditioned_class = {
    .name = "PreconditionedConjugateGradient",
    .kind = TAC_KIND_LINEAR_SOLVER,
    .doc = "Conjugate gradients on an assembled matrix, with an approximate inverse that saves iterations.",
    .size = sizeof(Preconditioned),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.linear_solver = &ops,
};
