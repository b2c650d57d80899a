// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The operations of Hexahedra, a batch of elements at a time. hexahedra.h has the equations.

#include "base/memory.h"
#include "base/team.h"
#include "law/blocks.h"
#include "law/hexahedra.h"
#include "law/rotation.h"

#define INLINE static inline __attribute__((always_inline))

typedef TacWide Modes[3 * TAC_HEX_MODES]; // xyz of each mode

typedef struct Call {
    TacHexahedra *self;
    const TacLawVectors *vectors;
    double k;
    bool changes; // force_change rather than force
} Call;

// --- modes ------------------------------------------------------------------------------------------------

// Sums and differences of the corners: xi within rows, eta within layers, zeta between them.
INLINE void take_modes(const TacHexahedra *self, size_t batch, const double *x, Modes out) {
    TacWide p[24];
    const int32_t *nodes = self->elements.nodes + 8 * TAC_WIDTH * batch;
    for (size_t lane = 0; lane < TAC_WIDTH; lane++)
        for (size_t c = 0; c < 8; c++) {
            const double *from = x + 3 * (size_t)nodes[8 * lane + c];
            for (size_t i = 0; i < 3; i++) p[3 * c + i][lane] = from[i];
        }
    for (size_t i = 0; i < 3; i++) {
        const TacWide *q = p + i;
        TacWide s01 = q[3] + q[0], s32 = q[6] + q[9], s45 = q[15] + q[12], s76 = q[18] + q[21];
        TacWide d01 = q[3] - q[0], d32 = q[6] - q[9], d45 = q[15] - q[12], d76 = q[18] - q[21];
        TacWide x_low = d32 + d01, x_high = d76 + d45, xy_low = d32 - d01, xy_high = d76 - d45;
        TacWide y_low = s32 - s01, y_high = s76 - s45;
        out[i] = x_high + x_low;
        out[3 + i] = y_high + y_low;
        out[6 + i] = (s76 + s45) - (s32 + s01);
        out[9 + i] = y_high - y_low;
        out[12 + i] = x_high - x_low;
        out[15 + i] = xy_high + xy_low;
        out[18 + i] = xy_high - xy_low;
    }
}

// The transpose: what forces on the modes are at the corners.
INLINE void give_modes(const Modes in, TacWide out[24]) {
    for (size_t i = 0; i < 3; i++) {
        const TacWide *g = in + i;
        TacWide *q = out + i;
        TacWide x_high = g[0] + g[12], x_low = g[0] - g[12], y_high = g[3] + g[9], y_low = g[3] - g[9];
        TacWide xy_high = g[15] + g[18], xy_low = g[15] - g[18];
        TacWide s76 = g[6] + y_high, s45 = g[6] - y_high, s32 = y_low - g[6], s01 = -(g[6] + y_low);
        TacWide d76 = x_high + xy_high, d45 = x_high - xy_high, d32 = x_low + xy_low, d01 = x_low - xy_low;
        q[0] = s01 - d01;
        q[3] = s01 + d01;
        q[6] = s32 + d32;
        q[9] = s32 - d32;
        q[12] = s45 - d45;
        q[15] = s45 + d45;
        q[18] = s76 + d76;
        q[21] = s76 - d76;
    }
}

INLINE void turn_modes(const TacWide r[9], const Modes in, bool back, Modes out) {
    for (size_t m = 0; m < 3 * TAC_HEX_MODES; m += 3)
        for (size_t i = 0; i < 3; i++) {
            const TacWide a = back ? r[i] : r[3 * i], b = back ? r[3 + i] : r[3 * i + 1],
                          c = back ? r[6 + i] : r[3 * i + 2];
            out[m + i] = a * in[m] + b * in[m + 1] + c * in[m + 2];
        }
}

// --- frames -----------------------------------------------------------------------------------------------

static void frame_lane(TacHexahedraMethod method, const Modes world, size_t lane, TacWide r[9]) {
    TacVec3 edges[3];
    for (size_t i = 0; i < 3; i++)
        edges[i] = tac_vec3(world[3 * i][lane], world[3 * i + 1][lane], world[3 * i + 2][lane]);
    TacMat3 frame;
    // edges that span no space have no Gram-Schmidt frame, but a nearest rotation
    if (!tac_hex_frame(method, edges, &frame)) tac_hex_frame(TAC_HEX_POLAR, edges, &frame);
    for (int i = 0; i < 9; i++) r[i][lane] = frame.m[i / 3][i % 3];
}

INLINE void find_frame(const TacHexahedra *self, size_t batch, const Modes world, TacWide r[9]) {
    TacWideMask failed = {0};
    switch ((TacHexahedraMethod)self->method) {
    case TAC_HEX_LARGE: tac_frame_wide(world, world + 3, r, &failed); break;
    case TAC_HEX_POLAR: {
        const TacWide columns[9] = {world[0], world[3], world[6], world[1], world[4],
                                    world[7], world[2], world[5], world[8]};
        tac_rotation_wide(columns, r, &failed);
        break;
    }
    case TAC_HEX_SMALL: memcpy(r, self->rotations[batch].r, sizeof self->rotations[batch].r); break;
    }
    if (!tac_wide_any(&failed)) return;
    for (size_t lane = 0; lane < TAC_WIDTH; lane++)
        if (failed[lane]) frame_lane((TacHexahedraMethod)self->method, world, lane, r);
}

// --- boxes ------------------------------------------------------------------------------------------------

// Gradient of the energy by the modes, all in the element's frame.
INLINE void box_stress(const TacHexBatch *box, const Modes u, Modes g) {
    const TacWide jx = box->slope[0], jy = box->slope[1], jz = box->slope[2];
    const TacWide lambda = box->lambda, mu = box->mu, mu2 = 2.0 * mu;
    const double third = 1.0 / 3, ninth = 1.0 / 9;

    // constant strain: modes xi, eta, zeta
    {
        TacWide xx = jx * u[0], yy = jy * u[4], zz = jz * u[8], spread = lambda * (xx + yy + zz);
        TacWide xy = mu * (jx * u[1] + jy * u[3]), xz = mu * (jx * u[2] + jz * u[6]),
                yz = mu * (jy * u[5] + jz * u[7]);
        g[0] = jx * (mu2 * xx + spread);
        g[1] = jx * xy;
        g[2] = jx * xz;
        g[3] = jy * xy;
        g[4] = jy * (mu2 * yy + spread);
        g[5] = jy * yz;
        g[6] = jz * xz;
        g[7] = jz * yz;
        g[8] = jz * (mu2 * zz + spread);
    }
    // strain along xi: modes xi eta (15..17) and zeta xi (12..14)
    {
        TacWide yy = jy * u[16], zz = jz * u[14], spread = lambda * (yy + zz);
        TacWide yz = mu * (jy * u[17] + jz * u[13]);
        g[15] = jy * mu * jy * u[15];
        g[16] = jy * (mu2 * yy + spread);
        g[17] = jy * yz;
        g[12] = jz * mu * jz * u[12];
        g[13] = jz * yz;
        g[14] = jz * (mu2 * zz + spread);
    }
    // along eta: modes xi eta and eta zeta (9..11)
    {
        TacWide xx = jx * u[15], zz = jz * u[11], spread = lambda * (xx + zz);
        TacWide xz = mu * (jx * u[17] + jz * u[9]);
        g[15] += jx * (mu2 * xx + spread);
        g[16] += jx * mu * jx * u[16];
        g[17] += jx * xz;
        g[9] = jz * xz;
        g[10] = jz * mu * jz * u[10];
        g[11] = jz * (mu2 * zz + spread);
    }
    // along zeta: modes zeta xi and eta zeta
    {
        TacWide xx = jx * u[12], yy = jy * u[10], spread = lambda * (xx + yy);
        TacWide xy = mu * (jx * u[13] + jy * u[9]);
        g[12] += jx * (mu2 * xx + spread);
        g[13] += jx * xy;
        g[14] += jx * mu * jx * u[14];
        g[9] += jy * xy;
        g[10] += jy * (mu2 * yy + spread);
        g[11] += jy * mu * jy * u[11];
    }
    for (int i = 9; i < 18; i++) g[i] *= third;
    // mode xi eta zeta
    {
        TacWide xx = mu * jx * jx, yy = mu * jy * jy, zz = mu * jz * jz, all = xx + yy + zz,
                more = lambda + mu;
        g[18] = ninth * u[18] * (all + more * jx * jx);
        g[19] = ninth * u[19] * (all + more * jy * jy);
        g[20] = ninth * u[20] * (all + more * jz * jz);
    }
}

// Displacements of the modes in the element's frame; the frame is found and kept when positions are given.
INLINE void displacements(const Call *c, size_t batch, TacWide r[9], Modes u) {
    TacHexahedra *self = c->self;
    const TacHexBatch *box = &self->batches[batch];
    Modes world;
    take_modes(self, batch, c->changes ? c->vectors->v[0] : c->vectors->x[0], world);
    if (c->changes)
        memcpy(r, self->rotations[batch].r, sizeof self->rotations[batch].r);
    else
        find_frame(self, batch, world, r);
    turn_modes(r, world, true, u);
    if (c->changes) return;
    u[0] -= box->edge[0];
    u[4] -= box->edge[1];
    u[8] -= box->edge[2];
}

// --- elements that are not boxes --------------------------------------------------------------------------

static void lane_frame(const TacWide r[9], size_t lane, TacMat3 *frame) {
    for (int i = 0; i < 9; i++) frame->m[i / 3][i % 3] = r[i][lane];
}

static void odd_displacements(const Call *c, const TacHexOdd *odd, const TacMat3 *frame, double u[24]) {
    const int32_t *nodes = c->self->elements.nodes + 8 * (size_t)odd->element;
    const double *from = c->changes ? c->vectors->v[0] : c->vectors->x[0];
    TacVec3 origin = tac_load3(from + 3 * (size_t)nodes[0]);
    for (size_t i = 0; i < 8; i++) {
        TacVec3 at = tac_sub(tac_load3(from + 3 * (size_t)nodes[i]), origin);
        at = tac_mat3_apply_back(frame, at);
        if (!c->changes) at = tac_sub(at, tac_load3(odd->rest + 3 * i));
        tac_store3(u + 3 * i, at);
    }
}

static void odd_product(const TacHexOdd *odd, const double u[24], double f[24]) {
    for (size_t i = 0; i < 24; i++) {
        const double *row = odd->k + 24 * i;
        double sum = 0;
        for (size_t j = 0; j < 24; j++) sum += row[j] * u[j];
        f[i] = sum;
    }
}

static void odd_forces(const Call *c, size_t batch, const TacWide r[9], double *out) {
    const TacHexahedra *self = c->self;
    double scale = c->changes ? c->k : 1;
    for (uint32_t o = self->odd_start[batch]; o < self->odd_start[batch + 1]; o++) {
        const TacHexOdd *odd = &self->odd[o];
        double u[24], f[24];
        TacMat3 frame;
        size_t lane = odd->element % TAC_WIDTH;
        lane_frame(r, lane, &frame);
        odd_displacements(c, odd, &frame, u);
        odd_product(odd, u, f);
        for (size_t i = 0; i < 8; i++)
            tac_store3(out + 24 * lane + 3 * i,
                       tac_scale(tac_mat3_apply(&frame, tac_load3(f + 3 * i)), -scale));
    }
}

// --- operations -------------------------------------------------------------------------------------------

static void batch_forces(const void *data, size_t batch, double *out) {
    const Call *c = data;
    TacHexahedra *self = c->self;
    TacWide r[9], corners[24];
    Modes u, g, world;
    displacements(c, batch, r, u);
    box_stress(&self->batches[batch], u, g);
    double scale = c->changes ? -c->k : -1;
    for (size_t i = 0; i < 3 * TAC_HEX_MODES; i++) g[i] *= scale;
    turn_modes(r, g, false, world);
    give_modes(world, corners);
    tac_elements_spread(corners, 24, out);
    odd_forces(c, batch, r, out);
    if (!c->changes) memcpy(self->rotations[batch].r, r, sizeof r);
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    TacHexahedra *self = data;
    Call call = {.self = self, .vectors = vectors};
    tac_elements_force(&self->elements, context->team, batch_forces, &call, vectors->f[0]);
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    TacHexahedra *self = data;
    Call call = {.self = self, .vectors = vectors, .k = k, .changes = true};
    if (k != 0) tac_elements_force(&self->elements, context->team, batch_forces, &call, vectors->f[0]);
}

static void batch_energy(const void *data, size_t batch, double *each) {
    const Call *c = data;
    const TacHexahedra *self = c->self;
    TacWide r[9], sum = {0};
    Modes u, g;
    displacements(c, batch, r, u);
    box_stress(&self->batches[batch], u, g);
    for (size_t i = 0; i < 3 * TAC_HEX_MODES; i++) sum += 0.5 * g[i] * u[i];
    for (size_t lane = 0; lane < TAC_WIDTH; lane++) each[lane] = sum[lane];
    for (uint32_t o = self->odd_start[batch]; o < self->odd_start[batch + 1]; o++) {
        double displaced[24], f[24], work = 0;
        TacMat3 frame;
        lane_frame(r, self->odd[o].element % TAC_WIDTH, &frame);
        odd_displacements(c, &self->odd[o], &frame, displaced);
        odd_product(&self->odd[o], displaced, f);
        for (size_t i = 0; i < 24; i++) work += 0.5 * f[i] * displaced[i];
        each[self->odd[o].element % TAC_WIDTH] = work;
    }
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    TacHexahedra *self = data;
    Call call = {.self = self, .vectors = vectors};
    return tac_elements_energy(&self->elements, context->team, batch_energy, &call);
}

// --- the matrix -------------------------------------------------------------------------------------------

// The 3x3 block of corners i and j in the element's frame.
static void box_block(const TacHexahedra *self, size_t e, size_t i, size_t j, double block[9]) {
    const TacHexBatch *box = &self->batches[e / TAC_WIDTH];
    size_t lane = e % TAC_WIDTH;
    const double *overlap = self->overlap[i][j];
    double lambda = 64 * box->lambda[lane], mu = 64 * box->mu[lane], slope[3], at[9];
    for (size_t q = 0; q < 3; q++) slope[q] = box->slope[q][lane];
    for (size_t q = 0; q < 9; q++) at[q] = slope[q / 3] * slope[q % 3] * overlap[q];
    double same = mu * (at[0] + at[4] + at[8]);
    for (size_t q = 0; q < 9; q++) block[q] = lambda * at[q] + mu * at[3 * (q % 3) + q / 3];
    for (size_t q = 0; q < 9; q += 4) block[q] += same;
}

static void add_block(const TacHexahedra *self, size_t e, size_t i, size_t j, const TacMat3 *frame,
                      const double local[9], double k, TacMatrix *matrix) {
    const int32_t *nodes = self->elements.nodes + 8 * e;
    TacMat3 block;
    memcpy(block.m, local, sizeof block.m);
    TacMat3 back = tac_mat3_transpose(frame), half = tac_mat3_mul(frame, &block);
    block = tac_mat3_mul(&half, &back);
    double out[9];
    for (size_t q = 0; q < 9; q++) out[q] = -k * block.m[q / 3][q % 3];
    tac_matrix_add(matrix, 0, (size_t)nodes[i], 0, (size_t)nodes[j], out);
}

static void add_elements(const TacHexahedra *self, double k, TacMatrix *matrix) {
    size_t next = 0;
    for (size_t e = 0; e < self->elements.count; e++) {
        const TacHexOdd *odd =
            next < self->odd_count && self->odd[next].element == e ? &self->odd[next++] : NULL;
        TacMat3 frame;
        lane_frame(self->rotations[e / TAC_WIDTH].r, e % TAC_WIDTH, &frame);
        for (size_t i = 0; i < 8; i++)
            for (size_t j = 0; j < 8; j++) {
                double block[9];
                if (odd)
                    for (size_t q = 0; q < 9; q++) block[q] = odd->k[24 * (3 * i + q / 3) + 3 * j + q % 3];
                else
                    box_block(self, e, i, j, block);
                add_block(self, e, i, j, &frame, block, k, matrix);
            }
    }
}

// Boxes all together, block by block. With g_q the axes of an element's frame times the slopes, the sum of
// overlaps above is one of nine blocks that all pairs of corners share:
//     K_ab = sum over q and p of overlap_ab(q, p) (lambda g_q g_p^T + mu g_p g_q^T + [q = p] mu slope_q^2 I)
typedef struct Blocks {
    const TacHexahedra *self;
    TacMatrixBlocks to;
    double k;
} Blocks;

// Numbers per element: nine blocks, and as many more as make whole lines; the last row is read one beyond its end.
enum { SHARED = 9 * 9 + 7 };

static void share_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Blocks *c = data;
    for (size_t e = begin; e < end; e++) {
        const TacHexBatch *box = &c->self->batches[e / TAC_WIDTH];
        const TacWide *r = c->self->rotations[e / TAC_WIDTH].r;
        size_t lane = e % TAC_WIDTH;
        double lambda = -64 * c->k * box->lambda[lane], mu = -64 * c->k * box->mu[lane];
        double *to = c->to.scratch + SHARED * e;
        TacFour g[3];
        for (size_t q = 0; q < 3; q++) {
            double s = box->slope[q][lane];
            g[q] = (TacFour){s * r[q][lane], s * r[3 + q][lane], s * r[6 + q][lane], 0};
        }
        for (size_t q = 0; q < 3; q++)
            for (size_t p = 0; p < 3; p++) {
                TacFour a = lambda * g[q], b = mu * g[q];
                double s = box->slope[q][lane], same = q == p ? mu * s * s : 0;
                TacBlockRows block;
                for (size_t i = 0; i < 3; i++) block.row[i] = a[i] * g[p] + g[p][i] * b;
                tac_block_add_diagonal(&block, same);
                tac_block_store(to + 9 * (3 * q + p), &block);
            }
    }
}

static void sum_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Blocks *c = data;
    for (size_t block = begin; block < end; block++) {
        TacBlockRows sums[3] = {{{{0}}}};
        for (uint32_t n = c->to.start[block]; n < c->to.start[block + 1]; n++) {
            uint32_t pair = c->to.pair[n];
            const double *overlap = c->self->overlap[pair / 8 % 8][pair % 8];
            const double *shared = c->to.scratch + SHARED * (size_t)(pair / 64);
            for (size_t q = 0; q < 9; q++)
                for (size_t i = 0; i < 3; i++)
                    sums[q % 3].row[i] += overlap[q] * *(const TacLooseFour *)(shared + 9 * q + 3 * i);
        }
        for (size_t i = 0; i < 3; i++) sums[0].row[i] += sums[1].row[i] + sums[2].row[i];
        tac_blocks_put(&c->to, block, &sums[0]);
    }
}

static void stiffness(void *data, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix) {
    (void)vectors;
    (void)b;
    const TacHexahedra *self = data;
    const TacElements *elements = &self->elements;
    Blocks blocks = {.self = self, .k = k};
    if (self->odd_count ||
        !tac_matrix_elements(matrix, elements->nodes, 8, elements->count, SHARED, &blocks.to)) {
        add_elements(self, k, matrix);
        return;
    }
    if (!blocks.to.count) return;
    tac_team_run(context->team, elements->count, TAC_BLOCK_GRAIN, share_chunk, &blocks);
    tac_team_run(context->team, blocks.to.count, TAC_BLOCK_GRAIN, sum_chunk, &blocks);
}

const TacLawOps tac_hexahedra_ops = {.force = force,
                                     .force_change = force_change,
                                     .energy = energy,
                                     .stiffness = stiffness,
                                     .by_blocks = true,
                                     .part_count = tac_hexahedra_part_count,
                                     .part = tac_hexahedra_part,
                                     .subset = tac_hexahedra_subset};
