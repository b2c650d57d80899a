// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The operations of Triangles, a batch of elements at a time. triangles.h has the equations.

#include "base/memory.h"
#include "law/triangles.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct Call {
    TacTriangles *self;
    const TacLawVectors *vectors;
    double k;
} Call;

// --- one batch --------------------------------------------------------------------------------------------

// Edges ab and ac.
INLINE void edges(const TacTriangles *self, size_t batch, const double *x, TacWide out[6]) {
    TacWide p[9] = {{0}};
    const int32_t *nodes = tac_elements_batch(&self->elements, batch);
    for (size_t lane = 0; lane < TAC_WIDTH; lane++)
        for (size_t c = 0; c < 3; c++) {
            const double *from = x + 3 * (size_t)nodes[3 * lane + c];
            for (size_t i = 0; i < 3; i++) p[3 * c + i][lane] = from[i];
        }
    for (size_t i = 0; i < 3; i++) {
        out[i] = p[3 + i] - p[i];
        out[3 + i] = p[6 + i] - p[i];
    }
}

INLINE void dot(const TacWide *a, const TacWide *b, TacWide *out) {
    *out = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Edges in a frame: bx by cx cy.
INLINE void into_frame(const TacWide e[6], const TacWide world[6], TacWide local[4]) {
    dot(e, world, &local[0]);
    dot(e + 3, world, &local[1]);
    dot(e, world + 3, &local[2]);
    dot(e + 3, world + 3, &local[3]);
}

static void frame_lanes(const TacWideMask *which, const TacWide world[6], TacWide e[6]) {
    for (size_t lane = 0; lane < TAC_WIDTH; lane++) {
        if (!(*which)[lane]) continue;
        TacVec3 e0, e1;
        tac_tri_frame(tac_vec3(world[0][lane], world[1][lane], world[2][lane]),
                      tac_vec3(world[3][lane], world[4][lane], world[5][lane]), &e0, &e1);
        const double frame[6] = {e0.x, e0.y, e0.z, e1.x, e1.y, e1.z};
        for (size_t i = 0; i < 6; i++) e[i][lane] = frame[i];
    }
}

// e0 along ab, e1 across it in the plane.
INLINE void edge_frame(const TacWide world[6], TacWide e[6]) {
    const TacWide *ab = world, *ac = world + 3;
    TacWide b2, c2, bc, across[3], across2;
    dot(ab, ab, &b2);
    dot(ac, ac, &c2);
    TacWide length = b2;
    tac_wide_root(&length);
    for (size_t i = 0; i < 3; i++) e[i] = ab[i] / length;
    dot(e, ac, &bc);
    for (size_t i = 0; i < 3; i++) across[i] = ac[i] - bc * e[i];
    dot(across, across, &across2);
    TacWideMask failed = ~((b2 > 0.0 * b2) & (across2 > 1e-24 * c2));
    length = across2;
    tac_wide_root(&length);
    for (size_t i = 0; i < 3; i++) e[3 + i] = across[i] / length;
    if (tac_wide_any(&failed)) frame_lanes(&failed, world, e);
}

// Turns a frame in its plane so that the gradient of deformation in it is symmetric.
INLINE void turn_frame(const TacTriBatch *batch, const TacWide world[6], TacWide e[6]) {
    TacWide l[4];
    into_frame(e, world, l);
    const TacWide *m = batch->m;
    TacWide f00 = l[0] * m[0], f01 = l[0] * m[1] + l[2] * m[2], f10 = l[1] * m[0],
            f11 = l[1] * m[1] + l[3] * m[2];
    TacWide along = f00 + f11, across = f10 - f01, size = along * along + across * across;
    TacWideMask defined = size > 1e-24 * (f00 * f00 + f01 * f01 + f10 * f10 + f11 * f11);
    tac_wide_root(&size);
    TacWide c = along / size, s = across / size;
    for (size_t i = 0; i < 3; i++) {
        TacWide x = c * e[i] + s * e[3 + i], y = c * e[3 + i] - s * e[i];
        e[i] = (TacWide)((defined & (TacWideMask)x) | (~defined & (TacWideMask)e[i]));
        e[3 + i] = (TacWide)((defined & (TacWideMask)y) | (~defined & (TacWideMask)e[3 + i]));
    }
}

INLINE void find_frame(const TacTriangles *self, size_t batch, const TacWide world[6], TacWide e[6]) {
    if (self->method == TAC_TRI_SMALL) {
        memcpy(e, self->frames[batch].e, sizeof self->frames[batch].e);
        return;
    }
    edge_frame(world, e);
    if (self->method == TAC_TRI_POLAR) turn_frame(&self->batches[batch], world, e);
}

// M of the triangle as it is now; as at rest where it is flat. The frame must be that of its edge.
INLINE void shape_now(const TacTriBatch *batch, const TacWide l[4], TacWide m[3]) {
    TacWide area = l[0] * l[3] - l[1] * l[2];
    TacWideMask flat = ~(area * batch->m[0] * batch->m[2] > 1e-12 + (TacWide){0});
    TacWide now[3] = {1.0 / l[0], -l[2] / area, 1.0 / l[3]};
    for (int i = 0; i < 3; i++)
        m[i] = (TacWide)((~flat & (TacWideMask)now[i]) | (flat & (TacWideMask)batch->m[i]));
}

// Edges as they are now, in the frame, less those at rest.
INLINE void less_rest(const TacTriBatch *batch, TacWide l[4]) {
    const TacWide *m = batch->m;
    TacWide over = 1.0 / (m[0] * m[2]);
    l[0] -= over * m[2];
    l[2] += over * m[1];
    l[3] -= over * m[0];
}

// xx yy xy of the symmetric part of a displacement gradient
INLINE void strain(const TacWide m[3], const TacWide d[4], TacWide e[3]) {
    e[0] = d[0] * m[0];
    e[1] = d[1] * m[1] + d[3] * m[2];
    e[2] = 0.5 * (d[0] * m[1] + d[2] * m[2] + d[1] * m[0]);
}

INLINE void stress(const TacTriBatch *batch, const TacWide e[3], TacWide s[3]) {
    TacWide spread = batch->gamma * (e[0] + e[1]);
    s[0] = batch->mu * e[0] + spread;
    s[1] = batch->mu * e[1] + spread;
    s[2] = batch->mu * e[2];
}

INLINE void corner_forces(const TacWide e[6], const TacWide m[3], const TacWide s[3], double scale,
                          TacWide out[9]) {
    TacWide b0 = scale * (s[0] * m[0] + s[2] * m[1]), b1 = scale * (s[2] * m[0] + s[1] * m[1]);
    TacWide c0 = scale * s[2] * m[2], c1 = scale * s[1] * m[2];
    for (size_t i = 0; i < 3; i++) {
        out[3 + i] = b0 * e[i] + b1 * e[3 + i];
        out[6 + i] = c0 * e[i] + c1 * e[3 + i];
        out[i] = -(out[3 + i] + out[6 + i]);
    }
}

// Frame, M and strain from positions.
INLINE void deform(const TacTriangles *self, size_t batch, const double *x, TacTriFrame *frame,
                   TacTriShape *shape, TacWide e[3]) {
    const TacTriBatch *constants = &self->batches[batch];
    TacWide world[6], l[4];
    edges(self, batch, x, world);
    find_frame(self, batch, world, frame->e);
    into_frame(frame->e, world, l);
    memcpy(shape->m, constants->m, sizeof shape->m);
    if (self->shapes) {
        shape_now(constants, l, shape->m);
        less_rest(constants, l);
        strain(shape->m, l, e);
    } else {
        strain(shape->m, l, e);
        e[0] -= 1.0;
        e[1] -= 1.0;
    }
}

// As of now, for changes of force.
INLINE void keep_batch(const TacTriangles *self, size_t batch, const TacTriFrame *frame,
                       const TacTriShape *shape) {
    self->frames[batch] = *frame;
    if (self->shapes) self->shapes[batch] = *shape;
}

// M of a batch, as of the last force.
INLINE const TacWide *kept_shape(const TacTriangles *self, size_t batch) {
    return self->shapes ? self->shapes[batch].m : self->batches[batch].m;
}

// --- operations -------------------------------------------------------------------------------------------

static void batch_forces(const void *data, size_t batch, double *out) {
    const Call *c = data;
    TacTriFrame frame;
    TacTriShape shape;
    TacWide e[3], s[3], corners[9];
    deform(c->self, batch, c->vectors->x[0], &frame, &shape, e);
    stress(&c->self->batches[batch], e, s);
    corner_forces(frame.e, shape.m, s, -1, corners);
    tac_elements_spread(corners, 9, out);
    if (c->self->keeps) keep_batch(c->self, batch, &frame, &shape);
}

static void batch_changes(const void *data, size_t batch, double *out) {
    const Call *c = data;
    const TacWide *frame = c->self->frames[batch].e, *m = kept_shape(c->self, batch);
    TacWide world[6], d[4], e[3], s[3], corners[9];
    edges(c->self, batch, c->vectors->v[0], world);
    into_frame(frame, world, d);
    strain(m, d, e);
    stress(&c->self->batches[batch], e, s);
    corner_forces(frame, m, s, -c->k, corners);
    tac_elements_spread(corners, 9, out);
}

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    TacTriangles *self = data;
    Call call = {.self = self, .vectors = vectors};
    tac_elements_force(&self->elements, context->team, batch_forces, &call, vectors->f[0]);
}

// From now on `force` keeps frames and shapes. The last time it has not.
static void keep(TacTriangles *self, const double *x) {
    TacTriFrame frame;
    TacTriShape shape;
    TacWide e[3];
    for (size_t batch = 0; !self->keeps && batch < self->elements.batch_count; batch++) {
        deform(self, batch, x, &frame, &shape, e);
        keep_batch(self, batch, &frame, &shape);
    }
    self->keeps = true;
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)b;
    TacTriangles *self = data;
    Call call = {.self = self, .vectors = vectors, .k = k};
    keep(self, vectors->x[0]);
    if (k != 0) tac_elements_force(&self->elements, context->team, batch_changes, &call, vectors->f[0]);
}

static void batch_energy(const void *data, size_t batch, double *each) {
    const Call *c = data;
    TacTriFrame frame;
    TacTriShape shape;
    TacWide e[3], s[3];
    deform(c->self, batch, c->vectors->x[0], &frame, &shape, e);
    stress(&c->self->batches[batch], e, s);
    TacWide sum = 0.5 * (s[0] * e[0] + s[1] * e[1]) + s[2] * e[2];
    for (size_t lane = 0; lane < TAC_WIDTH; lane++) each[lane] = sum[lane];
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    TacTriangles *self = data;
    Call call = {.self = self, .vectors = vectors};
    return tac_elements_energy(&self->elements, context->team, batch_energy, &call);
}

// --- the matrix -------------------------------------------------------------------------------------------

static void add_element(const TacTriangles *self, size_t element, double k, TacMatrix *matrix) {
    const TacTriBatch *batch = &self->batches[element / TAC_WIDTH];
    const TacWide *frame = self->frames[element / TAC_WIDTH].e, *m = kept_shape(self, element / TAC_WIDTH);
    const int32_t *v = self->elements.nodes + 3 * element;
    size_t lane = element % TAC_WIDTH;
    double m00 = m[0][lane], m01 = m[1][lane], m11 = m[2][lane];
    double half = 0.5 * batch->mu[lane], gamma = batch->gamma[lane];
    // gradients of the shape functions
    const double g[3][2] = {{-m00, -m01 - m11}, {m00, m01}, {0, m11}};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            double block[9] = {0}, same = half * (g[i][0] * g[j][0] + g[i][1] * g[j][1]);
            for (size_t a = 0; a < 2; a++)
                for (size_t b = 0; b < 2; b++) {
                    double local = gamma * g[i][a] * g[j][b] + half * g[i][b] * g[j][a] + (a == b ? same : 0);
                    for (size_t q = 0; q < 9; q++)
                        block[q] -= k * local * frame[3 * a + q / 3][lane] * frame[3 * b + q % 3][lane];
                }
            tac_matrix_add(matrix, 0, (size_t)v[i], 0, (size_t)v[j], block);
        }
}

static void stiffness(void *data, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix) {
    (void)context;
    (void)b;
    TacTriangles *self = data;
    keep(self, vectors->x[0]);
    for (size_t e = 0; e < self->elements.count; e++) add_element(self, e, k, matrix);
}

const TacLawOps tac_triangles_ops = {.force = force,
                                     .force_change = force_change,
                                     .energy = energy,
                                     .stiffness = stiffness,
                                     .part_count = tac_triangles_part_count,
                                     .part = tac_triangles_part,
                                     .subset = tac_triangles_subset};
