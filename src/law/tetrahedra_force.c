// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The operations of Tetrahedra, a batch of elements at a time. tetrahedra.h has the equations, setup.h says
// how one thread and several come to the same bits.

#include "base/memory.h"
#include "base/team.h"
#include "law/blocks.h"
#include "law/rotation.h"
#include "law/tetrahedra.h"

#define INLINE static inline __attribute__((always_inline))

// --- one batch --------------------------------------------------------------------------------------------

// F = E M from positions, or its change from a change of positions, of the points of its piece.
INLINE void gradient(const TacTetrahedra *self, size_t batch, const TacFour *x, TacWide f[9]) {
    TacWide p[12];
    tac_piece_take(&self->pieces, 4, batch, x, p);
    const TacWide *m = self->batches[batch].m;
    for (size_t i = 0; i < 3; i++) {
        TacWide e1 = p[3 + i] - p[i], e2 = p[6 + i] - p[i], e3 = p[9 + i] - p[i];
        f[3 * i] = e1 * m[0];
        f[3 * i + 1] = e1 * m[1] + e2 * m[3];
        f[3 * i + 2] = e1 * m[2] + e2 * m[4] + e3 * m[5];
    }
}

// sym(R^T F): xx yy zz xy xz yz
INLINE void strain(const TacWide r[9], const TacWide f[9], TacWide e[6]) {
#define PRODUCT(i, j) (r[i] * f[j] + r[3 + (i)] * f[3 + (j)] + r[6 + (i)] * f[6 + (j)])
    e[0] = PRODUCT(0, 0);
    e[1] = PRODUCT(1, 1);
    e[2] = PRODUCT(2, 2);
    e[3] = 0.5 * (PRODUCT(0, 1) + PRODUCT(1, 0));
    e[4] = 0.5 * (PRODUCT(0, 2) + PRODUCT(2, 0));
    e[5] = 0.5 * (PRODUCT(1, 2) + PRODUCT(2, 1));
#undef PRODUCT
}

// Forces at the four corners from a strain; `scale` is 1 for forces.
INLINE void corner_forces(const TacTetBatch *batch, const TacWide r[9], const TacWide e[6], double scale,
                          TacWide out[12]) {
    TacWide mu2 = -2.0 * scale * batch->mu, spread = -scale * batch->lambda * (e[0] + e[1] + e[2]);
    TacWide xx = mu2 * e[0] + spread, yy = mu2 * e[1] + spread, zz = mu2 * e[2] + spread;
    TacWide xy = mu2 * e[3], xz = mu2 * e[4], yz = mu2 * e[5];
    const TacWide *m = batch->m;
    // -P M^T, column by column
    TacWide h[9] = {xx * m[0] + xy * m[1] + xz * m[2],
                    xy * m[0] + yy * m[1] + yz * m[2],
                    xz * m[0] + yz * m[1] + zz * m[2],
                    xy * m[3] + xz * m[4],
                    yy * m[3] + yz * m[4],
                    yz * m[3] + zz * m[4],
                    xz * m[5],
                    yz * m[5],
                    zz * m[5]};
    for (size_t i = 0; i < 3; i++) {
        for (size_t corner = 1; corner < 4; corner++) {
            const TacWide *local = h + 3 * (corner - 1);
            out[3 * corner + i] = r[3 * i] * local[0] + r[3 * i + 1] * local[1] + r[3 * i + 2] * local[2];
        }
        out[i] = -(out[3 + i] + out[6 + i] + out[9 + i]);
    }
}

// --- rotations --------------------------------------------------------------------------------------------

// One lane, in any state. Seen from the world's axes, so that elements squeezed to a point or a line come out
// of it with one orientation.
static void rotation_lane(const TacTetrahedra *self, size_t batch, size_t lane, const TacWide f[9],
                          TacWide r[9]) {
    const int32_t *v = self->corners + 4 * (TAC_WIDTH * batch + lane);
    const double *x = self->law.matter[0]->vectors[TAC_X_REST];
    TacVec3 x0 = tac_load3(x + 3 * (size_t)v[0]);
    TacMat3 q, local;
    tac_tet_frame(tac_sub(tac_load3(x + 3 * (size_t)v[1]), x0), tac_sub(tac_load3(x + 3 * (size_t)v[2]), x0),
                  &q);
    for (int i = 0; i < 9; i++) local.m[i / 3][i % 3] = f[i][lane];
    TacMat3 back = tac_mat3_transpose(&q), world = tac_mat3_mul(&local, &back);
    TacMat3 turn = tac_rotation_svd(&world), result = tac_mat3_mul(&turn, &q);
    for (int i = 0; i < 9; i++) r[i][lane] = result.m[i / 3][i % 3];
}

static void rotation_lanes(const TacTetrahedra *self, size_t batch, const TacWideMask *which,
                           const TacWide f[9], TacWide r[9]) {
    for (size_t lane = 0; lane < TAC_WIDTH; lane++)
        if ((*which)[lane]) rotation_lane(self, batch, lane, f, r);
}

// Gram-Schmidt on the first two columns: the frame of edges 0-1 and 0-2. `failed` where it is not defined.
INLINE void rotation_qr(const TacWide f[9], TacWide r[9], TacWideMask *failed) {
    const TacWide a[3] = {f[0], f[3], f[6]}, b[3] = {f[1], f[4], f[7]};
    tac_frame_wide(a, b, r, failed);
}

// The rotation nearest to the edges, over that of the edges at rest.
INLINE void rotation_edges(const TacTetEdges *edges, const TacWide f[9], TacWide r[9], TacWideMask *failed) {
    TacWide now[9], turn[9];
    const TacWide *rest = edges->rest, *back = edges->back;
    for (size_t i = 0; i < 9; i += 3) {
        now[i] = f[i] * rest[0];
        now[i + 1] = f[i] * rest[1] + f[i + 1] * rest[3];
        now[i + 2] = f[i] * rest[2] + f[i + 1] * rest[4] + f[i + 2] * rest[5];
    }
    tac_rotation_wide(now, turn, failed);
    for (size_t i = 0; i < 9; i += 3)
        for (size_t j = 0; j < 3; j++)
            r[i + j] = turn[i] * back[j] + turn[i + 1] * back[3 + j] + turn[i + 2] * back[6 + j];
}

INLINE void find_rotation(const TacTetrahedra *self, size_t batch, const TacWide f[9], TacWide r[9]) {
    TacWideMask failed = {0};
    switch ((TacTetrahedraMethod)self->method) {
    case TAC_TET_POLAR: tac_rotation_wide(f, r, &failed); break;
    case TAC_TET_QR: rotation_qr(f, r, &failed); break;
    case TAC_TET_SVD: failed = ~failed; break;
    case TAC_TET_SMALL: memcpy(r, self->rotations[batch].r, sizeof self->rotations[batch].r); break;
    case TAC_TET_EDGES: rotation_edges(&self->edges[batch], f, r, &failed); break;
    }
    if (tac_wide_any(&failed)) rotation_lanes(self, batch, &failed, f, r);
}

// --- plasticity -------------------------------------------------------------------------------------------

// Squares of the six numbers of a strain, shear angles whole.
INLINE void add_squares(const TacWide e[6], TacWide *sum) {
    *sum = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 4.0 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
}

// Takes what is plastic out of a strain, after letting it flow where `flows`.
INLINE void elastic_part(const TacTetrahedra *self, TacTetPlastic *plastic, bool flows, TacWide e[6]) {
    TacWide *p = plastic->strain, left[6], squares, norm;
    if (flows) {
        TacWide scale = plastic->scale * plastic->scale;
        for (int i = 0; i < 6; i++) left[i] = e[i] - p[i];
        add_squares(left, &squares);
        TacWideMask yields = scale * squares > self->plastic_yield * self->plastic_yield + 0.0 * scale;
        for (int i = 0; i < 6; i++) p[i] += (TacWide)(yields & (TacWideMask)(self->plastic_creep * left[i]));

        add_squares(p, &norm);
        norm *= scale;
        TacWideMask above = norm > self->plastic_limit * self->plastic_limit + 0.0 * scale;
        tac_wide_root(&norm);
        TacWide less = 1.0 - self->plastic_limit / norm;
        for (int i = 0; i < 6; i++) p[i] -= (TacWide)(above & (TacWideMask)(less * p[i]));
    }
    for (int i = 0; i < 6; i++) e[i] -= p[i];
}

// --- all batches ------------------------------------------------------------------------------------------

typedef struct Call {
    TacTetrahedra *self;
    double k;
    bool flows; // what is plastic may take on more strain
} Call;

static void piece_changes(const void *data, size_t piece, const TacPieceRows *rows) {
    const Call *c = data;
    const TacTetrahedra *self = c->self;
    size_t end = tac_piece_end(&self->pieces, piece);
    for (size_t batch = tac_piece_first(piece); batch < end; batch++) {
        const TacWide *kept = self->rotations[batch].r;
        TacWide f[9], e[6], forces[12];
        gradient(self, batch, rows->x, f);
        strain(kept, f, e);
        corner_forces(&self->batches[batch], kept, e, c->k, forces);
        tac_piece_add(&self->pieces, 4, batch, forces, rows->f);
    }
}

static void piece_forces(const void *data, size_t piece, const TacPieceRows *rows) {
    const Call *c = data;
    TacTetrahedra *self = c->self;
    size_t end = tac_piece_end(&self->pieces, piece);
    for (size_t batch = tac_piece_first(piece); batch < end; batch++) {
        TacWide r[9], f[9], e[6], forces[12];
        gradient(self, batch, rows->x, f);
        find_rotation(self, batch, f, r);
        strain(r, f, e);
        for (int i = 0; i < 3; i++) e[i] -= 1.0;
        if (self->plastic) elastic_part(self, &self->plastic[batch], c->flows, e);
        corner_forces(&self->batches[batch], r, e, 1, forces);
        tac_piece_add(&self->pieces, 4, batch, forces, rows->f);
        memcpy(self->rotations[batch].r, r, sizeof r);
    }
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    TacTetrahedra *self = data;
    Call call = {.self = self, .flows = context->time > self->plastic_time};
    tac_element_pieces_force(&self->pieces, context->team, piece_forces, &call, vectors->x[0], NULL,
                             vectors->f[0]);
    if (call.flows) self->plastic_time = context->time;
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    TacTetrahedra *self = data;
    Call call = {.self = self, .k = k};
    if (k != 0)
        tac_element_pieces_force(&self->pieces, context->team, piece_changes, &call, vectors->v[0], NULL,
                                 vectors->f[0]);
}

// --- energy -----------------------------------------------------------------------------------------------

static void batch_energy(const void *data, size_t batch, const TacFour *x, TacWide *each) {
    const Call *c = data;
    TacTetrahedra *self = c->self;
    TacWide f[9], r[9], e[6];
    gradient(self, batch, x, f);
    find_rotation(self, batch, f, r);
    strain(r, f, e);
    for (int i = 0; i < 3; i++) e[i] -= 1.0;
    if (self->plastic) elastic_part(self, &self->plastic[batch], false, e);
    TacWide trace = e[0] + e[1] + e[2];
    TacWide squares =
        e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 2.0 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
    *each = self->batches[batch].mu * squares + 0.5 * self->batches[batch].lambda * trace * trace;
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    TacTetrahedra *self = data;
    Call call = {.self = self};
    return tac_element_pieces_energy(&self->pieces, context->team, batch_energy, &call, vectors->x[0]);
}

// --- as a matrix ------------------------------------------------------------------------------------------

// With h_a the gradient of corner a's shape, turned by R, and Lame's constants times volume:
//     K_ab = -(lambda h_a h_b^T + mu h_b h_a^T + mu (h_a.h_b) I)
static void add_element(const TacTetrahedra *self, size_t e, double k, TacMatrix *matrix) {
    const TacTetBatch *batch = &self->batches[e / TAC_WIDTH];
    const TacWide *r = self->rotations[e / TAC_WIDTH].r, *m = batch->m;
    size_t lane = e % TAC_WIDTH;
    const int32_t *corners = self->corners + 4 * e;
    double lambda = -k * batch->lambda[lane], mu = -k * batch->mu[lane], h[4][3];
    for (size_t i = 0; i < 3; i++) {
        double x = r[3 * i][lane], y = r[3 * i + 1][lane], z = r[3 * i + 2][lane];
        h[1][i] = x * m[0][lane] + y * m[1][lane] + z * m[2][lane];
        h[2][i] = y * m[3][lane] + z * m[4][lane];
        h[3][i] = z * m[5][lane];
        h[0][i] = -(h[1][i] + h[2][i] + h[3][i]);
    }
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < 4; b++) {
            double block[9], along = mu * (h[a][0] * h[b][0] + h[a][1] * h[b][1] + h[a][2] * h[b][2]);
            for (size_t i = 0; i < 3; i++)
                for (size_t j = 0; j < 3; j++)
                    block[3 * i + j] =
                        lambda * h[a][i] * h[b][j] + mu * h[b][i] * h[a][j] + (i == j ? along : 0);
            tac_matrix_add(matrix, 0, (size_t)corners[a], 0, (size_t)corners[b], block);
        }
}

typedef struct Blocks {
    const TacTetrahedra *self;
    TacMatrixBlocks to;
    double k;
} Blocks;

// Numbers per element: w_a for four corners, each with the ratio of Lame's constants as a fourth number.
enum { TURNED = 16 };

// w_a = sqrt(mu) h_a, element by element.
static void turn_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Blocks *c = data;
    for (size_t batch = begin / TAC_WIDTH; TAC_WIDTH * batch < end; batch++) {
        const TacTetBatch *constants = &c->self->batches[batch];
        const TacWide *r = c->self->rotations[batch].r, *m = constants->m;
        TacWide w[12], root = constants->mu, ratio = constants->lambda / constants->mu;
        TacFour rows[4 * TAC_WIDTH];
        tac_wide_root(&root);
        for (size_t i = 0; i < 3; i++) {
            const TacWide x = root * r[3 * i], y = root * r[3 * i + 1], z = root * r[3 * i + 2];
            w[3 + i] = x * m[0] + y * m[1] + z * m[2];
            w[6 + i] = y * m[3] + z * m[4];
            w[9 + i] = z * m[5];
            w[i] = -(w[3 + i] + w[6 + i] + w[9 + i]);
        }
        for (size_t corner = 0; corner < 4; corner++) tac_wide_give(w + 3 * corner, &ratio, rows + corner, 4);
        size_t used = tac_piece_lanes(&c->self->pieces, batch);
        TacFour *to = (TacFour *)c->to.scratch + 4 * TAC_WIDTH * batch;
        for (size_t i = 0; i < 4 * used; i++) to[i] = rows[i];
    }
}

// With G the sum of w_a w_b^T, and A that of (lambda / mu) w_a w_b^T, a block is -k (A + G^T + trace(G) I).
static void sum_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Blocks *c = data;
    const TacFour *w = (const TacFour *)c->to.scratch;
    for (size_t block = begin; block < end; block++) {
        TacBlockRows g = {0}, a = g;
        for (uint32_t n = c->to.start[block]; n < c->to.start[block + 1]; n++) {
            uint32_t pair = c->to.pair[n];
            TacFour i = w[pair / 4], j = w[pair / 16 * 4 + pair % 4];
            for (int row = 0; row < 3; row++) {
                TacFour each = i[row] * j;
                g.row[row] += each;
                a.row[row] += i[3] * each;
            }
        }
        double trace = g.row[0][0] + g.row[1][1] + g.row[2][2];
        TacBlockRows sum = tac_block_transpose(&g);
        for (int row = 0; row < 3; row++) sum.row[row] += a.row[row];
        tac_block_add_diagonal(&sum, trace);
        for (int row = 0; row < 3; row++) sum.row[row] *= -c->k;
        tac_blocks_put(&c->to, block, &sum);
    }
}

static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)vectors;
    (void)b;
    const TacTetrahedra *self = data;
    Blocks blocks = {.self = self, .k = k};
    if (!tac_matrix_elements(matrix, self->corners, 4, self->count, TURNED, &blocks.to)) {
        for (size_t e = 0; e < self->count; e++) add_element(self, e, k, matrix);
        return;
    }
    if (!blocks.to.count) return;
    tac_team_run(context->team, self->count, TAC_PIECE, turn_chunk, &blocks);
    tac_team_run(context->team, blocks.to.count, TAC_BLOCK_GRAIN, sum_chunk, &blocks);
}

const TacLawOps tac_tetrahedra_ops = {.force = force,
                                      .force_change = force_change,
                                      .energy = energy,
                                      .stiffness = add_blocks,
                                      .by_blocks = true,
                                      .part_count = tac_tetrahedra_part_count,
                                      .part = tac_tetrahedra_part,
                                      .subset = tac_tetrahedra_subset};
