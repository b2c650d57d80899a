// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// JointSprings: frames tied to frames by springs in six directions, of one matter or of two; some directions may be
// free, and turning may have limits. Hinges, sliders and ball joints that give way a little (SOFA's
// JointSpringForceField).
//
// Seen from frame a, frame b has moved by d from where it is at rest, and turned by the rotation vector t:
//
//     d = R_a^T r - d_0, r = x_b - x_a          exp(t) = q_a^-1 q_b q_0^-1
//     E = 1/2 sum_i k_i d_i^2 + h_i t_i^2 + l_i e_i^2,   e_i = how far t_i is outside of its limits
//
// Forces and torques are the exact gradient. d turns with a, so the force acts on a at the place of b: momentum,
// also angular, is kept. With J the left Jacobian of the rotation vector, t' = J^-1 R_a^T (w_b - w_a), and the
// torque is R_a J^-T (h t + l e). A change of force is -G^T K G, with G the change of (d, t) by the frames and K the
// stiffnesses: exact where the joint is at rest, never indefinite, and nothing for rigid motions. Dampers act on the
// rates of d and t.
//
// Joints are few: one thread goes through them in order.

#include "base/memory.h"
#include "law/laws.h"
#include "law/setup.h"

typedef struct Joint {
    double k[3], h[3], l[3], low[3], high[3];
    double c, turning_c;
    TacVec3 arm;  // d_0
    TacQuat turn; // q_0
    // as of the last force
    TacVec3 r;
    TacMat3 straight, turning; // stiffness in the world's axes
} Joint;

typedef struct JointSprings {
    TacLaw law;
    TacInts given_pairs;
    TacReals stiffness, turning, limits, limit_stiffness, damping, turning_damping;
    int rest; // Rest
    size_t count;
    Joint *joints;
} JointSprings;

typedef enum Rest { PLACED, JOINED } Rest;

// --- one joint --------------------------------------------------------------------------------------------

typedef struct Ends {
    const double *x[2];
    const double *v[2];
    double *f[2];
} Ends;

static Ends ends_of(const JointSprings *self, const TacLawVectors *vectors, size_t joint) {
    Ends ends;
    for (int k = 0; k < 2; k++) {
        size_t i = (size_t)self->given_pairs.data[2 * joint + (size_t)k];
        ends.x[k] = vectors->x[k] + 7 * i;
        ends.v[k] = vectors->v[k] + 6 * i;
        ends.f[k] = vectors->f[k] ? vectors->f[k] + 6 * i : NULL;
    }
    return ends;
}

static TacVec3 rotation_vector(TacQuat q) {
    double sign = q.w < 0 ? -1 : 1;
    TacVec3 u = tac_scale(tac_vec3(q.x, q.y, q.z), sign);
    double sine = tac_norm(u);
    return tac_scale(u, sine > 1e-8 ? 2 * atan2(sine, sign * q.w) / sine : 2);
}

static TacQuat between(const double *xa, const double *xb) {
    return tac_quat_mul(tac_quat_conjugate(tac_load_quat(xa + 3)), tac_load_quat(xb + 3));
}

typedef struct Deformation {
    TacVec3 d, t;
    double e[3]; // beyond limits
    TacVec3 r;
    TacMat3 axes; // R_a
} Deformation;

static Deformation deformation_of(const Joint *joint, const Ends *ends) {
    Deformation s;
    TacQuat a = tac_load_quat(ends->x[0] + 3);
    s.axes = tac_quat_matrix(a);
    s.r = tac_sub(tac_load3(ends->x[1]), tac_load3(ends->x[0]));
    s.d = tac_sub(tac_mat3_apply_back(&s.axes, s.r), joint->arm);
    TacQuat q = tac_quat_mul(between(ends->x[0], ends->x[1]), tac_quat_conjugate(joint->turn));
    s.t = rotation_vector(tac_quat_unit(q));
    const double t[3] = {s.t.x, s.t.y, s.t.z};
    for (int i = 0; i < 3; i++) s.e[i] = t[i] - fmin(fmax(t[i], joint->low[i]), joint->high[i]);
    return s;
}

static TacVec3 times(const double k[3], TacVec3 v) {
    return tac_vec3(k[0] * v.x, k[1] * v.y, k[2] * v.z);
}

// J^-1 of the rotation vector t.
static TacMat3 rate_matrix(TacVec3 t) {
    double square = tac_dot(t, t), half = 0.5 * sqrt(square);
    double c = square > 1e-6 ? (1 - half / tan(half)) / square : 1.0 / 12 + square / 720;
    TacMat3 m;
    const double v[3] = {t.x, t.y, t.z};
    const double skew[3][3] = {{0, -t.z, t.y}, {t.z, 0, -t.x}, {-t.y, t.x, 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.m[i][j] = (i == j) * (1 - c * square) - 0.5 * skew[i][j] + c * v[i] * v[j];
    return m;
}

// sum_i k_i (row i of m)^T (row i of m)
static TacMat3 weighed(const double k[3], const TacMat3 *m) {
    TacMat3 out = {0};
    for (int n = 0; n < 3; n++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) out.m[i][j] += k[n] * m->m[n][i] * m->m[n][j];
    return out;
}

// Force and torque on b, from those that pull a; the force acts on a at the place of b.
static void give(const Ends *ends, TacVec3 r, TacVec3 force, TacVec3 torque) {
    tac_add3(ends->f[0], force);
    tac_add3(ends->f[0] + 3, tac_add(torque, tac_cross(r, force)));
    tac_add3(ends->f[1], tac_scale(force, -1));
    tac_add3(ends->f[1] + 3, tac_scale(torque, -1));
}

// How fast b moves and turns as seen from a, in the world's axes.
static TacVec3 relative_velocity(const Ends *ends, TacVec3 r, TacVec3 *turning) {
    TacVec3 w = tac_load3(ends->v[0] + 3);
    *turning = tac_sub(tac_load3(ends->v[1] + 3), w);
    return tac_sub(tac_sub(tac_load3(ends->v[1]), tac_load3(ends->v[0])), tac_cross(w, r));
}

// --- operations -------------------------------------------------------------------------------------------

static void force(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    JointSprings *self = data;
    for (size_t i = 0; i < self->count; i++) {
        Joint *joint = &self->joints[i];
        Ends ends = ends_of(self, vectors, i);
        Deformation s = deformation_of(joint, &ends);
        double active[3];
        for (int k = 0; k < 3; k++) active[k] = joint->h[k] + (s.e[k] != 0 ? joint->l[k] : 0);
        TacMat3 rate = rate_matrix(s.t), back = tac_mat3_transpose(&s.axes),
                turns = tac_mat3_mul(&rate, &back);
        joint->r = s.r;
        joint->straight = weighed(joint->k, &back);
        joint->turning = weighed(active, &turns);

        TacVec3 moment = tac_add(times(joint->h, s.t), times(joint->l, tac_load3(s.e)));
        TacVec3 spin, slide = relative_velocity(&ends, s.r, &spin);
        TacVec3 pull = tac_mat3_apply(&s.axes, times(joint->k, s.d));
        TacVec3 torque = tac_mat3_apply_back(&turns, moment);
        give(&ends, s.r, tac_axpy(pull, joint->c, slide), tac_axpy(torque, joint->turning_c, spin));
    }
}

static void force_change(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)context;
    const JointSprings *self = data;
    for (size_t i = 0; i < self->count; i++) {
        const Joint *joint = &self->joints[i];
        Ends ends = ends_of(self, vectors, i);
        TacVec3 spin, slide = relative_velocity(&ends, joint->r, &spin);
        TacVec3 pull = tac_scale(tac_mat3_apply(&joint->straight, slide), k);
        TacVec3 torque = tac_scale(tac_mat3_apply(&joint->turning, spin), k);
        give(&ends, joint->r, tac_axpy(pull, b * joint->c, slide),
             tac_axpy(torque, b * joint->turning_c, spin));
    }
}

static double energy(void *data, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    const JointSprings *self = data;
    double sum = 0;
    for (size_t i = 0; i < self->count; i++) {
        const Joint *joint = &self->joints[i];
        Ends ends = ends_of(self, vectors, i);
        Deformation s = deformation_of(joint, &ends);
        TacVec3 e = tac_load3(s.e);
        sum += 0.5 * (tac_dot(s.d, times(joint->k, s.d)) + tac_dot(s.t, times(joint->h, s.t)) +
                      tac_dot(e, times(joint->l, e)));
    }
    return sum;
}

// -G^T K G as four blocks: G has (slide, spin) by (moves of a, moves of b).
static void add_blocks(void *data, const TacContext *context, const TacLawVectors *vectors, double k,
                       double b, TacMatrix *matrix) {
    (void)context;
    (void)vectors;
    const JointSprings *self = data;
    int second = self->law.matter[1] ? 1 : 0;
    for (size_t n = 0; n < self->count; n++) {
        const Joint *joint = &self->joints[n];
        double g[6][12] = {{0}}, stiff[6][6] = {{0}};
        const TacVec3 r = joint->r;
        const double arm[3][3] = {{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
        for (int i = 0; i < 3; i++) {
            g[i][i] = g[3 + i][3 + i] = -1;
            g[i][6 + i] = g[3 + i][9 + i] = 1;
            for (int j = 0; j < 3; j++) {
                g[i][3 + j] = arm[i][j];
                stiff[i][j] = k * joint->straight.m[i][j] + (i == j) * b * joint->c;
                stiff[3 + i][3 + j] = k * joint->turning.m[i][j] + (i == j) * b * joint->turning_c;
            }
        }
        for (int side = 0; side < 4; side++) {
            int row = side / 2, column = side % 2;
            double block[36] = {0};
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    for (int p = 0; p < 6; p++)
                        for (int q = 0; q < 6; q++)
                            block[6 * i + j] -= g[p][6 * row + i] * stiff[p][q] * g[q][6 * column + j];
            tac_matrix_add(matrix, row ? second : 0, (size_t)self->given_pairs.data[2 * n + (size_t)row],
                           column ? second : 0, (size_t)self->given_pairs.data[2 * n + (size_t)column],
                           block);
        }
    }
}

static size_t part_count(const void *data) {
    return ((const JointSprings *)data)->count;
}

static void part(const void *data, size_t joint, TacPart *result) {
    const int32_t *pair = ((const JointSprings *)data)->given_pairs.data + 2 * joint;
    *result = (TacPart){.points = {(size_t)pair[0], (size_t)pair[1]}, .count = 2};
}

static const TacLawOps ops = {.force = force,
                              .force_change = force_change,
                              .energy = energy,
                              .stiffness = add_blocks,
                              .part_count = part_count,
                              .part = part};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus check_pairs(JointSprings *self, TacSetup *setup, TacError *error) {
    TacInts pairs = self->given_pairs;
    const TacMatter *matter[2] = {self->law.matter[0],
                                  self->law.matter[1] ? self->law.matter[1] : self->law.matter[0]};
    for (int k = 0; k < 2; k++)
        if (matter[k]->kind != TAC_RIGID3)
            return tac_setup_fail(setup, error, k ? "other" : NULL, "joins frames in space; %s is %s",
                                  matter[k]->base.path, tac_matter_kind_name(matter[k]->kind));
    if (!pairs.count || pairs.count % 2)
        return tac_setup_fail(setup, error, "pairs",
                              "pairs has %zu numbers; two for each joint were expected", pairs.count);
    for (size_t i = 0; i < pairs.count; i++)
        if (pairs.data[i] < 0 || (size_t)pairs.data[i] >= matter[i % 2]->count)
            return tac_setup_fail(setup, error, "pairs", "there is no frame %d; %s has frames 0 to %zu",
                                  pairs.data[i], matter[i % 2]->base.path, matter[i % 2]->count - 1);
    for (size_t i = 0; i < pairs.count; i += 2)
        if (matter[0] == matter[1] && pairs.data[i] == pairs.data[i + 1])
            return tac_setup_fail(setup, error, "pairs", "joint %zu ties frame %d to itself", i / 2,
                                  pairs.data[i]);
    self->count = pairs.count / 2;
    return TAC_OK;
}

// Numbers for joint n: given once, once for each axis (`each` of them), or for each joint and axis.
static double number(TacReals list, size_t n, size_t i, size_t each) {
    return list.data[list.count == 1 ? 0 : list.count == each ? i : each * n + i];
}

static TacStatus check_list(const JointSprings *self, TacSetup *setup, const char *name, TacReals list,
                            size_t each, TacError *error) {
    bool fits = list.count == each || list.count == each * self->count || (each == 3 && list.count == 1);
    if (fits) return TAC_OK;
    return tac_setup_fail(setup, error, name, "%s has %zu numbers; %s%zu for all joints or %zu were expected",
                          name, list.count, each == 3 ? "1, " : "", each, each * self->count);
}

static TacStatus fill(JointSprings *self, TacSetup *setup, TacError *error) {
    const double *x[2] = {
        self->law.matter[0]->vectors[TAC_X_REST],
        (self->law.matter[1] ? self->law.matter[1] : self->law.matter[0])->vectors[TAC_X_REST]};
    for (size_t n = 0; n < self->count; n++) {
        Joint *joint = &self->joints[n];
        for (size_t i = 0; i < 3; i++) {
            joint->k[i] = number(self->stiffness, n, i, 3);
            joint->h[i] = number(self->turning, n, i, 3);
            joint->l[i] = self->limits.count ? number(self->limit_stiffness, n, i, 3) : 0;
            joint->low[i] = self->limits.count ? number(self->limits, n, 2 * i, 6) : -INFINITY;
            joint->high[i] = self->limits.count ? number(self->limits, n, 2 * i + 1, 6) : INFINITY;
            if (!(joint->low[i] <= joint->high[i]))
                return tac_setup_fail(setup, error, "limits",
                                      "joint %zu may turn from %g to %g: from the lower "
                                      "to the higher one was expected",
                                      n, joint->low[i], joint->high[i]);
        }
        joint->c = number(self->damping, n, 0, 1);
        joint->turning_c = number(self->turning_damping, n, 0, 1);
        const double *a = x[0] + 7 * (size_t)self->given_pairs.data[2 * n];
        const double *b = x[1] + 7 * (size_t)self->given_pairs.data[2 * n + 1];
        bool joined = self->rest == JOINED;
        joint->arm = joined ? tac_vec3(0, 0, 0)
                            : tac_rotate_back(tac_load_quat(a + 3), tac_sub(tac_load3(b), tac_load3(a)));
        joint->turn = joined ? tac_quat_identity() : tac_quat_unit(between(a, b));
    }
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    JointSprings *self = data;
    self->law.inner = self->law.lopsided = true; // what pulls across the line between two origins turns them
    TAC_TRY(check_pairs(self, setup, error));
    TAC_TRY(check_list(self, setup, "stiffness", self->stiffness, 3, error));
    TAC_TRY(check_list(self, setup, "turning_stiffness", self->turning, 3, error));
    TAC_TRY(check_list(self, setup, "limit_stiffness", self->limit_stiffness, 3, error));
    TAC_TRY(check_list(self, setup, "damping", self->damping, 1, error));
    TAC_TRY(check_list(self, setup, "turning_damping", self->turning_damping, 1, error));
    if (self->limits.count) TAC_TRY(check_list(self, setup, "limits", self->limits, 6, error));
    self->joints = tac_setup_alloc(setup, self->count, sizeof *self->joints);
    if (!self->joints) return tac_fail_memory(error, self->count * sizeof *self->joints);
    return fill(self, setup, error);
}

static const TacAttribute attributes[] = {
    TAC_LAW_ATTRIBUTES(JointSprings, law),
    TAC_SECOND_MATTER_ATTRIBUTE(JointSprings, law),
    {"pairs", TAC_INTS, offsetof(JointSprings, given_pairs), "1", NULL,
     "The two frames of each joint: one of the matter, then one of the other.", NULL, TAC_NOT_NEGATIVE, 0},
    {"stiffness", TAC_REALS, offsetof(JointSprings, stiffness), "N/m", "1e4",
     "Against moving apart: one for all, one for each axis of the first frame, or those for each joint. 0 "
     "leaves a "
     "direction free.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"turning_stiffness", TAC_REALS, offsetof(JointSprings, turning), "N m/rad", "0",
     "Against turning: one for all, one for each axis, or those for each joint.", NULL, TAC_NOT_NEGATIVE, 0},
    {"limits", TAC_REALS, offsetof(JointSprings, limits), "rad", "",
     "How far it may turn about each axis: lowest and highest angle, 6 numbers for all joints or 6 for each; "
     "by "
     "default as far as it likes.",
     NULL, TAC_ANY, 0},
    {"limit_stiffness", TAC_REALS, offsetof(JointSprings, limit_stiffness), "N m/rad", "100",
     "Against turning beyond the limits, besides turning_stiffness.", NULL, TAC_NOT_NEGATIVE, 0},
    {"damping", TAC_REALS, offsetof(JointSprings, damping), "N s/m", "0",
     "Against moving apart: one for all joints, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"turning_damping", TAC_REALS, offsetof(JointSprings, turning_damping), "N m s/rad", "0",
     "Against turning: one for all joints, or one each.", NULL, TAC_NOT_NEGATIVE, 0},
    {"rest", TAC_CHOICE, offsetof(JointSprings, rest), "", "placed",
     "Where a joint pulls to: as its frames are placed at rest, or joined, with origins and axes on each "
     "other.",
     "placed|joined", TAC_ANY, 0},
};

// The pull of each joint at its two frames, as shown; a push where it points from one to the other.
static void scalars(const void *data, TacScalar what, TacScalarSheet *sheet) {
    const JointSprings *self = data;
    TacLawVectors shown = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    float *to[2];
    for (int k = 0; k < 2; k++) {
        const TacMatter *m = self->law.matter[k] ? self->law.matter[k] : self->law.matter[0];
        shown.x[k] = m->vectors[TAC_X_SHOWN];
        shown.v[k] = m->vectors[TAC_V_SHOWN];
        to[k] = what == TAC_SCALAR_TENSION ? tac_scalar_sheet_of(sheet, m) : NULL;
    }
    for (size_t i = 0; to[0] && to[1] && i < self->count; i++) {
        Ends ends = ends_of(self, &shown, i);
        Deformation s = deformation_of(&self->joints[i], &ends);
        TacVec3 pull = tac_mat3_apply(&s.axes, times(self->joints[i].k, s.d));
        for (int k = 0; k < 2; k++)
            tac_scalar_raise(to[k] + self->given_pairs.data[2 * i + (size_t)k],
                             tac_dot(pull, s.r) < 0 ? -tac_norm(pull) : tac_norm(pull));
    }
}

const TacClass tac_joint_springs_class = {
    .name = "JointSprings",
    .kind = TAC_KIND_LAW,
    .doc = "Frames tied to frames by springs in six directions, with limits to turning: hinges, sliders and "
           "ball "
           "joints that give way a little.",
    .size = sizeof(JointSprings),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_RIGID3,
    .init = init,
    .ops.law = &ops,
    .scalars = scalars,
};
