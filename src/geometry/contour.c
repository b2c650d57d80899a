// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The triangulated zero level of balls. See contour.h.

#include "geometry/contour.h"

#include <math.h>
#include <string.h>

enum { CELLS = TAC_CONTOUR_CELLS, SIDE = CELLS + 1 };

static double weight(double square, double reach) {
    double s = 1 - square / (reach * reach);
    return s > 0 ? s * s : 0;
}

double tac_contour_field(double radius, double reach, const double *balls, size_t count, const double p[3],
                         double gradient[3]) {
    double sum = -weight(radius * radius, reach), g[3] = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        double d[3], square = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = p[k] - balls[3 * i + (size_t)k];
            square += d[k] * d[k];
        }
        double s = 1 - square / (reach * reach);
        if (!(s > 0)) continue;
        sum += s * s;
        for (int k = 0; k < 3; k++) g[k] -= 4 * s * d[k] / (reach * reach);
    }
    if (gradient) memcpy(gradient, g, sizeof g);
    return sum;
}

// --- blocks -----------------------------------------------------------------------------------------------

static size_t table_size(size_t most_blocks) {
    size_t size = 16;
    while (size < 2 * most_blocks) size *= 2;
    return size;
}

size_t tac_contour_bytes(size_t most_blocks) {
    return most_blocks * sizeof(TacContourBlock) + table_size(most_blocks) * sizeof(uint32_t);
}

void tac_contour_start(TacContour *c, double radius, double reach, double cell, size_t most_blocks,
                       void *memory) {
    *c = (TacContour){.radius = radius, .reach = reach, .cell = cell, .most_blocks = most_blocks};
    c->blocks = memory;
    c->table = (uint32_t *)(c->blocks + most_blocks);
    c->table_size = table_size(most_blocks);
}

// The block at a place, made where there is none; NULL when there is no room.
static TacContourBlock *block_at(TacContour *c, const int64_t at[3]) {
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) hash = (hash ^ (uint64_t)at[k]) * 0x9E3779B97F4A7C15ULL;
    size_t mask = c->table_size - 1;
    for (size_t i = (size_t)(hash >> 32) & mask;; i = (i + 1) & mask) {
        if (!c->table[i]) {
            if (c->block_count == c->most_blocks) return NULL;
            TacContourBlock *made = &c->blocks[c->block_count++];
            memset(made->sum, 0, sizeof made->sum);
            made->ball_count = 0;
            memcpy(made->at, at, sizeof made->at);
            c->table[i] = (uint32_t)c->block_count;
            return made;
        }
        TacContourBlock *there = &c->blocks[c->table[i] - 1];
        if (!memcmp(there->at, at, sizeof there->at)) return there;
    }
}

// Where corner i of a block is along an axis: the same bits for the last of one and the first of the next.
static double corner_place(const TacContour *c, int64_t block, int i) {
    return c->cell * (double)(block * CELLS + i);
}

static void add_ball(const TacContour *c, TacContourBlock *block, const double ball[3]) {
    double square[3][SIDE];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < SIDE; i++) {
            double d = corner_place(c, block->at[k], i) - ball[k];
            square[k][i] = d * d;
        }
    double *sum = block->sum, most = c->reach * c->reach;
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++, sum += SIDE) {
            double far = square[2][z] + square[1][y];
            if (far >= most) continue;
            for (int x = 0; x < SIDE; x++) sum[x] += weight(far + square[0][x], c->reach);
        }
}

static void spread(TacContour *c, const double *balls, size_t count) {
    double width = c->cell * CELLS, margin = c->cell; // twice the walk, for what floor rounds
    for (size_t i = 0; i < count; i++) {
        const double *ball = balls + 3 * i;
        int64_t low[3], high[3];
        bool near = true;
        for (int k = 0; k < 3; k++) {
            // far from everything, or not a number
            near = near && fabs(ball[k]) < 1e12 * width;
            low[k] = near ? (int64_t)floor((ball[k] - c->reach - margin) / width) : 0;
            high[k] = near ? (int64_t)floor((ball[k] + c->reach + margin) / width) : -1;
        }
        for (int64_t z = low[2]; near && z <= high[2]; z++)
            for (int64_t y = low[1]; y <= high[1]; y++)
                for (int64_t x = low[0]; x <= high[0]; x++) {
                    TacContourBlock *block = block_at(c, (int64_t[3]){x, y, z});
                    if (!block) {
                        c->lost++;
                        continue;
                    }
                    if (block->ball_count++ < TAC_CONTOUR_BALLS)
                        block->balls[block->ball_count - 1] = (uint32_t)i;
                    add_ball(c, block, ball);
                }
    }
}

// --- triangles --------------------------------------------------------------------------------------------

typedef struct Output {
    double *triangles;
    size_t count, most;
    size_t lost;
    const TacContour *contour;
    const TacContourBlock *block; // that is being cut
    const double *balls;
} Output;

typedef struct Corner {
    double p[3], value; // above 0: inside
} Corner;

// The sum less the level at p, of the balls of a block, and its gradient.
static double block_field(const Output *to, const double p[3], double g[3]) {
    const TacContour *c = to->contour;
    double sum = -weight(c->radius * c->radius, c->reach), over = 1 / (c->reach * c->reach);
    g[0] = g[1] = g[2] = 0;
    for (size_t i = 0; i < to->block->ball_count; i++) {
        const double *ball = to->balls + 3 * (size_t)to->block->balls[i];
        double d[3] = {p[0] - ball[0], p[1] - ball[1], p[2] - ball[2]};
        double s = 1 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * over;
        if (!(s > 0)) continue;
        sum += s * s;
        for (int k = 0; k < 3; k++) g[k] -= 4 * s * over * d[k];
    }
    return sum;
}

static void walk(const Output *to, double p[3]) {
    const double start[3] = {p[0], p[1], p[2]}, most = 0.5 * to->contour->cell;
    if (to->block->ball_count > TAC_CONTOUR_BALLS) return;
    for (int round = 0; round < 4; round++) {
        double g[3], next[3], far = 0, value = block_field(to, p, g);
        double square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        if (!(square > 0)) return;
        for (int k = 0; k < 3; k++) {
            next[k] = p[k] - value / square * g[k];
            far += (next[k] - start[k]) * (next[k] - start[k]);
        }
        if (!(far < most * most)) return;
        memcpy(p, next, sizeof next);
    }
}

static void cross_edge(const Corner *in, const Corner *out, double p[3]) {
    double s = in->value / (in->value - out->value);
    for (int k = 0; k < 3; k++) p[k] = in->p[k] + s * (out->p[k] - in->p[k]);
}

static void put(Output *to, const double a[3], const double b[3], const double c[3]) {
    if (to->count == to->most) {
        to->lost++;
        return;
    }
    double *t = to->triangles + 9 * to->count++;
    memcpy(t, a, 3 * sizeof *t);
    memcpy(t + 3, b, 3 * sizeof *t);
    memcpy(t + 6, c, 3 * sizeof *t);
    // which way round it is was decided before
    for (int i = 0; i < 3; i++) walk(to, t + 3 * i);
}

// Triangles whose normals point from `inside` to what is outside.
static void put_outward(Output *to, const double inside[3], const double a[3], const double b[3],
                        const double c[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = a[k] - inside[k];
    }
    double volume = w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
                    w[2] * (u[0] * v[1] - u[1] * v[0]);
    if (volume >= 0)
        put(to, a, b, c);
    else
        put(to, a, c, b);
}

static void cut_tetrahedron(Output *to, const Corner *const corners[4]) {
    const Corner *in[4], *out[4];
    int n = 0, m = 0;
    for (int i = 0; i < 4; i++) {
        if (corners[i]->value > 0)
            in[n++] = corners[i];
        else
            out[m++] = corners[i];
    }
    double p[4][3];
    if (n == 1 || n == 3) {
        const Corner *one = n == 1 ? in[0] : out[0];
        for (int i = 0; i < 3; i++)
            if (n == 1)
                cross_edge(one, out[i], p[i]);
            else
                cross_edge(in[i], one, p[i]);
        if (n == 1)
            put_outward(to, one->p, p[0], p[1], p[2]);
        else
            put_outward(to, in[0]->p, p[0], p[1], p[2]);
    } else if (n == 2) {
        // a quad, around: both edges of the first corner, then of the second one backwards
        cross_edge(in[0], out[0], p[0]);
        cross_edge(in[0], out[1], p[1]);
        cross_edge(in[1], out[1], p[2]);
        cross_edge(in[1], out[0], p[3]);
        put_outward(to, in[0]->p, p[0], p[1], p[2]);
        put_outward(to, in[1]->p, p[0], p[2], p[3]);
    }
}

// From corner 0 along the axes in each of the six orders to corner 7.
static void cut_cell(Output *to, const Corner corners[8]) {
    static const int orders[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    for (int i = 0; i < 6; i++) {
        const Corner *const tetrahedron[4] = {&corners[0], &corners[orders[i][0]], &corners[orders[i][1]],
                                              &corners[7]};
        cut_tetrahedron(to, tetrahedron);
    }
}

static void cut_block(const TacContour *c, const TacContourBlock *block, double level, Output *to) {
    to->block = block;
    for (int z = 0; z < CELLS; z++)
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                Corner corners[8];
                int inside = 0;
                for (int i = 0; i < 8; i++) {
                    int at[3] = {x + (i & 1), y + (i >> 1 & 1), z + (i >> 2)};
                    corners[i].value = block->sum[(at[2] * SIDE + at[1]) * SIDE + at[0]] - level;
                    inside += corners[i].value > 0;
                    for (int k = 0; k < 3; k++) corners[i].p[k] = corner_place(c, block->at[k], at[k]);
                }
                if (inside > 0 && inside < 8) cut_cell(to, corners);
            }
}

size_t tac_contour_triangles(TacContour *c, const double *balls, size_t count, double *triangles,
                             size_t most) {
    Output to = {triangles, 0, most, 0, c, NULL, balls};
    double level = weight(c->radius * c->radius, c->reach);
    memset(c->table, 0, c->table_size * sizeof *c->table);
    c->block_count = c->lost = 0;
    spread(c, balls, count);
    for (size_t i = 0; i < c->block_count; i++) cut_block(c, &c->blocks[i], level, &to);
    c->lost += to.lost;
    return to.count;
}
