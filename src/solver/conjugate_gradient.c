// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Conjugate gradients: each iteration is one product and a few vector operations (Hestenes and Stiefel 1952;
// projected onto what constraints leave free, as in Baraff and Witkin 1998). The product is the program's,
// without a matrix, or that of an assembled matrix. Assembling has its price once a solve, and pays where laws
// do it quickly (TacLawOps.by_blocks) and there are some iterations: `auto` decides so, once and for all. With a
// matrix, vectors are in one piece, and an iteration goes over them three times: the product with its dot product,
// the residual, and the new direction together with the last step along the old one.

#include "base/memory.h"
#include "base/team.h"
#include "solver/matrix.h"

enum { GRAIN = 8192, ROWS = 1024 }; // numbers, or points, per chunk of a vector operation

enum { ASSEMBLED_AUTO, ASSEMBLED_TRUE, ASSEMBLED_FALSE };

// Without asking, no matrix for fewer iterations than these: a small one stays in the cache and pays early. None for
// more points: products then wait for memory, and the laws need less of it.
enum { LEAST_ITERATIONS = 6, SMALL_POINTS = 4000, LEAST_ITERATIONS_LARGE = 14, MOST_POINTS = 50000 };

typedef struct ConjugateGradient {
    TacLinearSolver linear;
    int64_t iterations;
    double tolerance, threshold;
    int assembled;
} ConjugateGradient;

typedef struct Kept {
    TacMatrix *matrix;
    double *x, *p, *q, *r, *z;    // in one piece each, of
    size_t each;                  // numbers
    double *partial, alpha, beta; // of a loop
    double *inverses;             // of the blocks on the diagonal
    uint32_t *diagonal;           // where they are, in the matrix of a generation
    uint64_t generation;
    bool preconditioned;
    size_t numbers;
} Kept;

// --- with a matrix ----------------------------------------------------------------------------------------

// Live layers are far stiffer than what they push. The blocks on the diagonal know how stiff: with their inverses for a
// preconditioner, layers cost few iterations. Without layers there is none.
static void invert_rows(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Kept *k = data;
    for (size_t r = begin; r < end; r++) {
        double a[9], *out = k->inverses + 9 * r;
        memcpy(a, tac_matrix_block(k->matrix, k->diagonal[r]), sizeof a);
        tac_matrix_add_pushes(k->matrix, r, a);
        // symmetric: its adjugate over its determinant
        out[0] = a[4] * a[8] - a[5] * a[5];
        out[1] = out[3] = a[2] * a[5] - a[1] * a[8];
        out[2] = out[6] = a[1] * a[5] - a[2] * a[4];
        out[4] = a[0] * a[8] - a[2] * a[2];
        out[5] = out[7] = a[1] * a[2] - a[0] * a[5];
        out[8] = a[0] * a[4] - a[1] * a[1];
        double over = 1 / (a[0] * out[0] + a[1] * out[1] + a[2] * out[2]);
        for (int i = 0; i < 9; i++) out[i] *= over;
    }
}

static void find_inverses(Kept *k, const TacContext *context) {
    const TacMatrix *m = k->matrix;
    k->preconditioned = m->block == 3 && m->pushes.count > 0;
    if (!k->preconditioned) return;
    if (k->generation != m->generation)
        for (size_t r = 0; r < m->rows; r++) k->diagonal[r] = (uint32_t)tac_matrix_diagonal(m, r);
    k->generation = m->generation;
    tac_team_run(context->team, m->rows, TAC_MATRIX_GRAIN, invert_rows, k);
}

// r -= alpha q; partial sums of r . r, eight running ones.
static void descend_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    const Kept *k = data;
    double *restrict r = k->r, alpha = k->alpha, sums[8] = {0};
    const double *restrict q = k->q;
    size_t i = begin;
    for (; i + 8 <= end; i += 8)
        for (size_t n = 0; n < 8; n++) {
            r[i + n] -= alpha * q[i + n];
            sums[n] += r[i + n] * r[i + n];
        }
    for (; i < end; i++) {
        r[i] -= alpha * q[i];
        sums[0] += r[i] * r[i];
    }
    k->partial[2 * chunk] = k->partial[2 * chunk + 1] =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// r -= alpha q; z = inverses r; partial sums of r . z and r . r.
static void descend_rows(void *data, size_t begin, size_t end, size_t chunk) {
    const Kept *k = data;
    const double *restrict q = k->q, *restrict inverses = k->inverses;
    double *restrict r = k->r, *restrict z = k->z, alpha = k->alpha, square = 0, work = 0;
    for (size_t row = begin; row < end; row++) {
        const double *a = inverses + 9 * row;
        size_t i = 3 * row;
        double x = r[i] - alpha * q[i], y = r[i + 1] - alpha * q[i + 1], w = r[i + 2] - alpha * q[i + 2];
        r[i] = x;
        r[i + 1] = y;
        r[i + 2] = w;
        z[i] = a[0] * x + a[1] * y + a[2] * w;
        z[i + 1] = a[3] * x + a[4] * y + a[5] * w;
        z[i + 2] = a[6] * x + a[7] * y + a[8] * w;
        square += (x * x + y * y) + w * w;
        work += (x * z[i] + y * z[i + 1]) + w * z[i + 2];
    }
    k->partial[2 * chunk] = work;
    k->partial[2 * chunk + 1] = square;
}

// Returns r . z, the new residual with what the preconditioner makes of it; and its square.
static double descend(Kept *k, const TacContext *context, double alpha, double *square) {
    size_t n = k->preconditioned ? k->matrix->rows : k->numbers, grain = k->preconditioned ? ROWS : GRAIN;
    k->alpha = alpha;
    tac_team_run(context->team, n, grain, k->preconditioned ? descend_rows : descend_chunk, k);
    double work = 0;
    *square = 0;
    for (size_t i = 0; i < tac_chunks(n, grain); i++) {
        work += k->partial[2 * i];
        *square += k->partial[2 * i + 1];
    }
    return work;
}

// x += alpha p; p = z + beta p
static void turn_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Kept *k = data;
    double *restrict p = k->p, *restrict x = k->x, alpha = k->alpha, beta = k->beta;
    const double *restrict z = k->preconditioned ? k->z : k->r;
    for (size_t i = begin; i < end; i++) {
        double old = p[i];
        x[i] += alpha * old;
        p[i] = z[i] + beta * old;
    }
}

// Goes along the old direction, and makes the new one, conjugate to it.
static void turn(Kept *k, const TacContext *context, double beta) {
    k->beta = beta;
    // by the rows of products: each thread finds them where it left them
    size_t block = k->matrix->block, grain = TAC_MATRIX_GRAIN * (block ? block : 1);
    tac_team_run(context->team, k->numbers, grain, turn_chunk, k);
}

// --- the method -------------------------------------------------------------------------------------------

// Whether to go on along a direction of this curvature. A world's very first iteration is let through, as SOFA
// does: everything may still be at rest.
static bool goes_on(const ConjugateGradient *self, const TacContext *context, int i, double curvature) {
    return fabs(curvature) > self->threshold || (i == 0 && context->time == 0 && curvature != 0);
}

// Of solves that only show where things go.
static double rough_tolerance(const ConjugateGradient *self) {
    const double times = 1e4, most = 1e-2;
    return fmax(self->tolerance, fmin(times * self->tolerance, most));
}

// All but the solution has the matrix's own room: what it needs to be assembled is not needed any more.
static void set_vectors(Kept *k) {
    k->p = k->matrix->scratch;
    k->q = k->p + k->each;
    k->r = k->q + k->each;
    k->z = k->r + k->each;
    k->inverses = k->z + k->each;
}

// A solve that is done again begins with the last solution.
static void solve_assembled(const ConjugateGradient *self, Kept *k, const TacContext *context, TacVector rhs,
                            TacVector x, TacKickReport *report) {
    size_t bytes = k->numbers * sizeof *k->x;
    double size, square;
    set_vectors(k);
    find_inverses(k, context);
    memset(k->p, 0, k->each * sizeof *k->p);
    memset(k->q, 0, bytes);
    tac_matrix_collect(k->matrix, rhs, k->r);
    double rho = descend(k, context, 0, &size), last = 1;
    size = sqrt(size);
    square = size * size;
    if (k->matrix->program->again) {
        tac_matrix_product(k->matrix, context, k->x, k->q);
        rho = descend(k, context, 1, &square);
    } else {
        memset(k->x, 0, bytes);
    }
    k->alpha = 0;
    double tolerance = k->matrix->program->rough ? rough_tolerance(self) : self->tolerance;
    bool ahead = false; // of x: a step along the last direction is yet to be made
    int i = 0;
    for (; i < self->iterations && sqrt(square) > tolerance * size; i++) {
        turn(k, context, i == 0 ? 0 : rho / last);
        double curvature = tac_matrix_product(k->matrix, context, k->p, k->q);
        ahead = goes_on(self, context, i, curvature);
        if (!ahead) break;
        last = rho;
        rho = descend(k, context, rho / curvature, &square);
    }
    if (ahead) turn(k, context, 0);
    tac_matrix_spread(k->matrix, k->x, x);
    tac_report_solve(report, i, self->iterations, size > 0 ? sqrt(square) / size : 0);
    report->rough = sqrt(square) > self->tolerance * size && i < self->iterations;
}

// The right-hand side becomes the residual, and TAC_A the direction, unless that is where the solution goes.
static void solve_by_laws(const ConjugateGradient *self, const TacProgram *p, const TacContext *context,
                          const TacSystem *system, TacVector rhs, TacVector x, TacKickReport *report) {
    TacVector d = x == TAC_A ? TAC_P : TAC_A;
    double rho = tac_program_dot(p, context, rhs, rhs), last = 0, size = sqrt(rho);
    if (p->again) {
        tac_program_product(p, context, x, TAC_Q, system->m, system->b, system->k);
        tac_program_project(p, context, TAC_Q);
        tac_program_axpy(p, context, rhs, -1, TAC_Q);
        rho = tac_program_dot(p, context, rhs, rhs);
    } else {
        tac_program_clear(p, context, x);
    }
    int i = 0;
    double tolerance = p->rough ? rough_tolerance(self) : self->tolerance;
    for (; i < self->iterations && sqrt(rho) > tolerance * size; i++) {
        if (i == 0)
            tac_program_copy(p, context, d, rhs);
        else
            tac_program_xpay(p, context, d, rhs, rho / last);
        tac_program_product(p, context, d, TAC_Q, system->m, system->b, system->k);
        tac_program_project(p, context, TAC_Q);
        double curvature = tac_program_dot(p, context, d, TAC_Q);
        if (!goes_on(self, context, i, curvature)) break;
        last = rho;
        rho = tac_program_descend(p, context, x, d, rhs, TAC_Q, rho / curvature);
    }
    tac_report_solve(report, i, self->iterations, size > 0 ? sqrt(rho) / size : 0);
    report->rough = sqrt(rho) > self->tolerance * size && i < self->iterations;
}

static void solve(void *data, const TacProgram *p, const TacContext *context, const TacSystem *system,
                  TacVector rhs, TacVector x, TacKickReport *report) {
    const ConjugateGradient *self = data;
    Kept *kept = p->linear;
    if (!kept) {
        solve_by_laws(self, p, context, system, rhs, x, report);
    } else if (tac_matrix_assemble(kept->matrix, context, system, report->failure, sizeof report->failure)) {
        solve_assembled(self, kept, context, rhs, x, report);
    } else if (self->assembled == ASSEMBLED_AUTO && !kept->matrix->no_memory) {
        // constraints that no matrix can have: nobody asked for one. (Without memory the run ends instead: the other way
        // has other bits.)
        report->failure[0] = 0;
        solve_by_laws(self, p, context, system, rhs, x, report);
    }
}

// --- preparing --------------------------------------------------------------------------------------------

static void forget(Kept *kept) {
    if (!kept) return;
    tac_matrix_destroy(kept->matrix);
    free(kept->diagonal);
    free(kept->partial);
    free(kept->x);
    free(kept);
}

static TacStatus take_vectors(Kept *kept, TacArena *arena, TacError *error) {
    size_t n = kept->numbers = kept->matrix->scalars;
    size_t each = (n + TAC_MATRIX_SLACK + 7) / 8 * 8, rows = kept->matrix->rows;
    size_t room = 4 * each + 9 * rows, bytes = (each + room) * sizeof *kept->x;
    kept->each = each;
    kept->x = calloc(each, sizeof *kept->x);
    kept->partial = calloc(2 * (tac_chunks(n, GRAIN) + tac_chunks(rows, ROWS)) + 2, sizeof *kept->partial);
    kept->diagonal = calloc(rows + 1, sizeof *kept->diagonal);
    kept->matrix->apart = true;
    if (!kept->x || !kept->partial || !kept->diagonal || !tac_matrix_take_room(kept->matrix, room, arena) ||
        !tac_arena_count(arena, (each + rows) * sizeof *kept->x))
        return tac_fail_memory(error, bytes);
    return TAC_OK;
}

// Whether a matrix pays: all stiffness comes from laws that write it quickly, and on matter that moves freely.
static bool pays(const ConjugateGradient *self, const TacProgram *p) {
    bool any = false;
    size_t points = 0;
    for (size_t i = 0; i < p->matter_count; i++) points += p->matters[i]->count;
    for (size_t i = 0; i < p->law_count; i++) {
        const TacLawOps *ops = p->laws[i]->base.cls->ops.law;
        if (!ops->force_change) continue;
        if (!ops->by_blocks || p->laws[i]->matter[0]->mapped) return false;
        any = true;
    }
    for (size_t i = 0; i < p->mass_count; i++)
        if (p->masses[i]->matter->mapped) return false;
    for (size_t i = 0; i < p->map_count; i++)
        if (p->maps[i]->base.cls->ops.map->force_change) return false;
    int64_t least = points <= SMALL_POINTS ? LEAST_ITERATIONS : LEAST_ITERATIONS_LARGE;
    return any && self->iterations >= least && points <= MOST_POINTS;
}

// Where the matrix cannot be had, the program does.
static TacStatus prepare(void *data, TacProgram *program, const TacPreparation *preparation,
                         TacError *error) {
    const ConjugateGradient *self = data;
    bool asked = self->assembled == ASSEMBLED_TRUE;
    if (self->assembled == ASSEMBLED_FALSE || (!asked && !pays(self, program))) return TAC_OK;
    TacError aside;
    if (tac_matrix_check(program, &self->linear.base, asked ? preparation->remark : &aside) != TAC_OK)
        return TAC_OK;
    Kept *kept = calloc(1, sizeof *kept);
    if (!kept) return tac_fail_memory(error, sizeof *kept);
    TacStatus status =
        tac_matrix_create(&kept->matrix, program, preparation->context, preparation->arena, error);
    if (status == TAC_OK) status = take_vectors(kept, preparation->arena, error);
    if (status == TAC_OK)
        program->linear = kept;
    else
        forget(kept);
    return status;
}

static void release(void *self, TacProgram *program) {
    (void)self;
    forget(program->linear);
    program->linear = NULL;
}

static const TacLinearSolverOps ops = {
    .scratch = 1u << TAC_Q, .prepare = prepare, .release = release, .solve = solve};

static const TacAttribute attributes[] = {
    {"iterations", TAC_INT, offsetof(ConjugateGradient, iterations), "1", "100",
     "The most iterations of a solve.", NULL, TAC_POSITIVE, TAC_LIVE},
    {"tolerance", TAC_REAL, offsetof(ConjugateGradient, tolerance), "1", "1e-8",
     "Stops when the residual has shrunk to this fraction of the right-hand side.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"threshold", TAC_REAL, offsetof(ConjugateGradient, threshold), "1", "0",
     "Stops when the curvature along the search direction is not above this.", NULL, TAC_NOT_NEGATIVE,
     TAC_LIVE},
    {"assembled", TAC_CHOICE, offsetof(ConjugateGradient, assembled), "", "auto",
     "Whether a matrix is assembled for each solve; without one, each iteration asks the laws. auto: where "
     "all "
     "stiffness is of solids on free points, and the matrix not too large.",
     "auto|true|false", TAC_ANY, 0},
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
