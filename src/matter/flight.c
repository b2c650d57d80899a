// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Free flight of points and frames, and a body's principal axes. See matter.h; how a frame turns is in turning.c.

#include "base/memory.h"
#include "matter/matter.h"

enum { GRAIN = 4096 };

typedef struct Flight {
    const TacMatter *matter;
    double seconds;
    const double *x, *v;
    double *x_out, *v_out;
    bool chord; // see tac_frames_by_chord
} Flight;

// In place, or into other memory: two loops, so that the compiler may take many numbers at once.
static void fly_straight(const Flight *f, size_t begin, size_t end) {
    const double *restrict v = f->v;
    double *restrict to = f->x_out;
    double h = f->seconds;
    if (f->x_out == f->x) {
        for (size_t i = begin; i < end; i++) to[i] = to[i] + h * v[i];
        return;
    }
    const double *restrict from = f->x;
    for (size_t i = begin; i < end; i++) to[i] = from[i] + h * v[i];
}

static void fly_points(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Flight *f = data;
    const TacMatter *m = f->matter;
    size_t d = (size_t)m->velocity_size;
    double h = f->seconds;
    if (!tac_matter_falls(m)) {
        fly_straight(f, begin * d, end * d);
        if (f->v_out != f->v)
            memcpy(f->v_out + begin * d, f->v + begin * d, (end - begin) * d * sizeof(double));
        return;
    }
    for (size_t i = begin; i < end; i++) {
        TacVec3 fall = tac_matter_fall(m, i);
        const double g[3] = {fall.x, fall.y, fall.z};
        for (size_t k = 0; k < d; k++) {
            double v = f->v[i * d + k];
            f->x_out[i * d + k] = f->x[i * d + k] + h * v + 0.5 * h * h * g[k];
            f->v_out[i * d + k] = v + h * g[k];
        }
    }
}

// q + (half, 0) q, made to unit length: half is half of the rotation vector.
static TacQuat turn_by_chord(TacQuat q, TacVec3 half) {
    TacQuat d = tac_quat_mul((TacQuat){half.x, half.y, half.z, 0}, q);
    return tac_quat_unit((TacQuat){q.x + d.x, q.y + d.y, q.z + d.z, q.w + d.w});
}

static void fly_frame(const TacMatter *m, bool chord, size_t i, double h, const double *x, const double *v,
                      double *x_out, double *v_out) {
    unsigned held = m->held ? m->held[i] : 0;
    TacVec3 g = tac_matter_fall(m, i);
    TacVec3 p = tac_load3(x), u = tac_load3(v), omega = tac_load3(v + 3);
    TacQuat q = tac_load_quat(x + 3);
    if (omega.x != 0 || omega.y != 0 || omega.z != 0) { // at rest not a bit changes
        if (chord)
            q = turn_by_chord(q, tac_scale(omega, 0.5 * h));
        else if (m->inertia && !(held & TAC_HELD_WHOLLY))
            tac_rotate_freely(&m->inertia[i], h, &q, &omega);
        else
            q = tac_quat_unit(tac_quat_mul(tac_quat_from_vector(tac_scale(omega, h)), q));
    }
    tac_store3(x_out, tac_axpy(tac_axpy(p, h, u), 0.5 * h * h, g));
    tac_store_quat(x_out + 3, q);
    tac_store3(v_out, tac_axpy(u, h, g));
    tac_store3(v_out + 3, omega);
}

enum { LANES = 8 };

// Eight frames that turn steadily, number by number side by side, so that their roots and divisions overlap; the same
// as fly_frame to the last bit. False, and nothing is done: one of them turns too far for that.
static bool fly_eight(const Flight *f, size_t first) {
    double q[4][LANES], w[3][LANES], h = f->seconds, most = 0;
    for (size_t l = 0; l < LANES; l++) {
        const double *x = f->x + 7 * (first + l), *v = f->v + 6 * (first + l);
        for (int k = 0; k < 4; k++) q[k][l] = x[3 + k];
        for (int k = 0; k < 3; k++) w[k][l] = h * v[3 + k];
    }
    for (int l = 0; l < LANES; l++) {
        double square = w[0][l] * w[0][l] + w[1][l] * w[1][l] + w[2][l] * w[2][l];
        most = square < most ? most : square;
    }
    if (!(most < 0.25)) return false;
    for (int l = 0; l < LANES; l++) {
        TacVec3 turn = {w[0][l], w[1][l], w[2][l]};
        TacQuat p =
            tac_quat_mul(tac_quat_from_small_vector(turn), (TacQuat){q[0][l], q[1][l], q[2][l], q[3][l]});
        double n = sqrt(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w);
        bool rests = (turn.x == 0) & (turn.y == 0) & (turn.z == 0);
        q[0][l] = rests ? q[0][l] : p.x / n;
        q[1][l] = rests ? q[1][l] : p.y / n;
        q[2][l] = rests ? q[2][l] : p.z / n;
        q[3][l] = rests ? q[3][l] : p.w / n;
    }
    TacVec3 g = f->matter->flight_gravity;
    for (size_t l = 0; l < LANES; l++) {
        const double *x = f->x + 7 * (first + l), *v = f->v + 6 * (first + l);
        double *x_out = f->x_out + 7 * (first + l), *v_out = f->v_out + 6 * (first + l);
        TacVec3 u = tac_load3(v), omega = tac_load3(v + 3);
        tac_store3(x_out, tac_axpy(tac_axpy(tac_load3(x), h, u), 0.5 * h * h, g));
        for (int k = 0; k < 4; k++) x_out[3 + k] = q[k][l];
        tac_store3(v_out, tac_axpy(u, h, g));
        tac_store3(v_out + 3, omega);
    }
    return true;
}

static void fly_frames(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Flight *f = data;
    bool steady = !f->chord && !f->matter->inertia && !f->matter->held && !f->matter->pinned;
    size_t i = begin;
    for (; steady && i + LANES <= end; i += LANES)
        if (!fly_eight(f, i)) break;
    for (; i < end; i++)
        fly_frame(f->matter, f->chord, i, f->seconds, f->x + 7 * i, f->v + 6 * i, f->x_out + 7 * i,
                  f->v_out + 6 * i);
}

static inline void fly_point(const TacMatter *m, size_t i, size_t d, double h, const double *x,
                             const double *v, double *x_out, double *v_out) {
    TacVec3 fall = tac_matter_fall(m, i);
    const double g[3] = {fall.x, fall.y, fall.z};
    for (size_t k = 0; k < d; k++) {
        double u = v[k];
        x_out[k] = x[k] + h * u + 0.5 * h * h * g[k];
        v_out[k] = u + h * g[k];
    }
}

void tac_matter_fly_one(const TacMatter *m, size_t i, double h, const double *x, const double *v,
                        double *x_out, double *v_out) {
    if (m->kind == TAC_RIGID3)
        fly_frame(m, tac_frames_by_chord(m), i, h, x, v, x_out, v_out);
    else
        fly_point(m, i, (size_t)m->velocity_size, h, x, v, x_out, v_out);
}

void tac_matter_fly_each(const TacMatter *m, size_t begin, size_t end, int64_t now, double tick,
                         double *x_out, double *v_out) {
    const double *x = m->vectors[TAC_X], *v = m->vectors[TAC_V];
    size_t px = (size_t)m->position_size, pv = (size_t)m->velocity_size;
    for (size_t i = begin; i < end; i++) {
        double h = (double)(now - m->times[i]) * tick;
        if (h != 0 && m->kind == TAC_VEC3) {
            fly_point(m, i, 3, h, x + 3 * i, v + 3 * i, x_out + 3 * i, v_out + 3 * i);
        } else if (h != 0) {
            tac_matter_fly_one(m, i, h, x + px * i, v + pv * i, x_out + px * i, v_out + pv * i);
        } else if (x_out != x) {
            memcpy(x_out + px * i, x + px * i, px * sizeof *x);
            memcpy(v_out + pv * i, v + pv * i, pv * sizeof *v);
        }
    }
}

void tac_matter_fly(const TacMatter *matter, TacTeam *team, double seconds, const double *x, const double *v,
                    double *x_out, double *v_out) {
    Flight flight = {matter, seconds, x, v, x_out, v_out, tac_frames_by_chord(matter)};
    if (seconds == 0) {
        if (x_out != x) memcpy(x_out, x, tac_vector_size(matter, TAC_X) * sizeof(double));
        if (v_out != v) memcpy(v_out, v, tac_vector_size(matter, TAC_V) * sizeof(double));
        return;
    }
    tac_team_run(team, matter->count, GRAIN, matter->kind == TAC_RIGID3 ? fly_frames : fly_points, &flight);
}

void tac_matter_guide(const TacMatter *m, double s, const double *x, const double *v, double *x_out,
                      double *v_out) {
    const double *to = m->vectors[TAC_X_NEXT];
    size_t n = tac_vector_size(m, TAC_X), each = (size_t)m->position_size;
    if (s >= 1) {
        memcpy(x_out, to, n * sizeof(double));
        memcpy(v_out, m->vectors[TAC_V_NEXT], tac_vector_size(m, TAC_V) * sizeof(double));
        return;
    }
    if (each < 7)
        for (size_t i = 0; i < n; i++) x_out[i] = x[i] + s * (to[i] - x[i]);
    for (size_t i = 0; each == 7 && i < m->count; i++) {
        const double *a = x + 7 * i, *b = to + 7 * i;
        // of the two quaternions of an orientation the nearer one
        double side = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1, q[4];
        for (int k = 0; k < 4; k++) q[k] = a[3 + k] + s * (side * b[3 + k] - a[3 + k]);
        for (int k = 0; k < 3; k++) x_out[7 * i + (size_t)k] = a[k] + s * (b[k] - a[k]);
        tac_store_quat(x_out + 7 * i + 3, tac_quat_unit(tac_load_quat(q)));
    }
    if (v_out != v) memcpy(v_out, v, tac_vector_size(m, TAC_V) * sizeof(double));
}

// --- principal axes ---------------------------------------------------------------------------------------

// Jacobi's method: turns in the planes of the three off-diagonal entries until they vanish.
static void diagonalise(TacMat3 *a, TacMat3 *axes) {
    *axes = tac_mat3_identity();
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = fabs(a->m[0][1]) + fabs(a->m[0][2]) + fabs(a->m[1][2]);
        double on = fabs(a->m[0][0]) + fabs(a->m[1][1]) + fabs(a->m[2][2]);
        if (off <= 1e-17 * on) return;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (a->m[p][q] == 0) continue;
                double theta = (a->m[q][q] - a->m[p][p]) / (2 * a->m[p][q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                TacMat3 turn = tac_mat3_identity();
                turn.m[p][p] = turn.m[q][q] = c;
                turn.m[p][q] = s;
                turn.m[q][p] = -s;
                TacMat3 back = tac_mat3_transpose(&turn), right = tac_mat3_mul(a, &turn);
                *a = tac_mat3_mul(&back, &right);
                *axes = tac_mat3_mul(axes, &turn);
            }
    }
}

static TacQuat quat_from_matrix(const TacMat3 *r) {
    const double(*m)[3] = r->m;
    TacQuat q;
    double trace = m[0][0] + m[1][1] + m[2][2];
    if (trace > 0)
        q = (TacQuat){m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1 + trace};
    else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2])
        q = (TacQuat){1 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0],
                      m[2][1] - m[1][2]};
    else if (m[1][1] >= m[2][2])
        q = (TacQuat){m[0][1] + m[1][0], 1 - m[0][0] + m[1][1] - m[2][2], m[1][2] + m[2][1],
                      m[0][2] - m[2][0]};
    else
        q = (TacQuat){m[0][2] + m[2][0], m[1][2] + m[2][1], 1 - m[0][0] - m[1][1] + m[2][2],
                      m[1][0] - m[0][1]};
    return tac_quat_unit(q);
}

bool tac_inertia_from_tensor(const TacMat3 *tensor, TacInertia *inertia) {
    TacMat3 a = *tensor, axes;
    diagonalise(&a, &axes);
    if (tac_mat3_det(&axes) < 0)
        for (int i = 0; i < 3; i++) axes.m[i][2] = -axes.m[i][2];
    inertia->axes = quat_from_matrix(&axes);
    double sum = a.m[0][0] + a.m[1][1] + a.m[2][2];
    for (int i = 0; i < 3; i++) {
        inertia->moments[i] = a.m[i][i];
        // each moment is at most the sum of the other two
        if (!(a.m[i][i] > 0) || a.m[i][i] > 0.5 * sum * (1 + 1e-9)) return false;
    }
    return true;
}

void tac_carry_points(const TacCarriedPoint *lines, size_t count, double *x, double *v) {
    for (size_t i = 0; i < count; i++) {
        TacCarriedPoint line = lines[i];
        if (line.a == line.b) continue;
        for (size_t k = 0; k < 3; k++) {
            x[3 * i + k] = (1 - line.t) * x[3 * line.a + k] + line.t * x[3 * line.b + k];
            v[3 * i + k] = (1 - line.t) * v[3 * line.a + k] + line.t * v[3 * line.b + k];
        }
    }
}
