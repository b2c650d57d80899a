// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Joints between two frames, or a frame and the world: BallJoint, HingeJoint, PrismaticJoint, LockJoint, and
// Motor. They differ only in what they allow.
//
// Let p be the joint's place on either side, d = p_a - p_b, and (n, s, t) three axes fixed in the second side
// b; n is the joint's axis, also fixed in the first side as n_a. With a' = p_a - x_b:
//
//     along axis e   g = d.e           J_a = (e, arm_a x e)    J_b = -(e, a' x e)
//     about axis e   g = turn.e        J_a = (0, e)            J_b = -(0, e)         (all turns forbidden)
//     n_a off e      g = n_a.e         J_a = (0, n_a x e)      J_b = -J_a            (hinges: e = s, t)
//
// where turn is the rotation vector from where a ought to be to where it is.

#include "base/memory.h"
#include "constraint/joint.h"

enum { MOST_ROWS = 8 };

typedef struct FrameJoint {
    TacJoint joint;
    int64_t point, other_point;
    TacVec3 at, axis;
    double compliance, damping;
    double low, high; // of the free motion: m, or degrees for hinges
    int motion;       // of a motor: TURN, SLIDE
    double speed, most;
    TacAttachment side[2];
    TacVec3 axes[3]; // n, s, t in the second side
    TacVec3 axis_a;  // n and s in the first side
    TacVec3 across_a;
    TacQuat turn; // the first side's orientation as seen from the second, at the start
    double force[MOST_ROWS];
    TacReals forces;
} FrameJoint;

enum { TURN, SLIDE };

// What a class forbids, and along which motion it has limits.
typedef struct Freedom {
    int along[3], about[3]; // n, s, t
    bool turns, slides;     // about or along n
} Freedom;

static Freedom freedom(const FrameJoint *self) {
    const TacClass *cls = self->joint.base.cls;
    if (cls == &tac_ball_joint_class) return (Freedom){{1, 1, 1}, {0, 0, 0}, false, false};
    if (cls == &tac_lock_joint_class) return (Freedom){{1, 1, 1}, {1, 1, 1}, false, false};
    if (cls == &tac_hinge_joint_class) return (Freedom){{1, 1, 1}, {0, 1, 1}, true, false};
    if (cls == &tac_prismatic_joint_class) return (Freedom){{0, 1, 1}, {1, 1, 1}, false, true};
    return (Freedom){{0, 0, 0}, {0, 0, 0}, self->motion == TURN, self->motion == SLIDE};
}

// --- rows -------------------------------------------------------------------------------------------------

typedef struct Pose {
    TacVec3 axes[3], axis_a, d, arm_a,
        arm_b; // arm_b: from the second side's origin to the place on the first
    TacQuat turn[2];
    uint32_t body[2];
} Pose;

static uint32_t body_of(const TacRows *rows, const TacAttachment *a) {
    uint32_t first = tac_rows_body(rows, a->matter);
    return first == TAC_NO_BODY ? first : first + (uint32_t)a->point;
}

static TacVec3 origin(const TacAttachment *a) {
    if (!a->matter) return tac_vec3(0, 0, 0);
    return tac_load3(a->matter->vectors[TAC_X] + (size_t)a->matter->position_size * a->point);
}

static Pose pose_of(const FrameJoint *self, const TacRows *rows) {
    Pose p;
    for (int k = 0; k < 2; k++) {
        p.turn[k] = tac_attachment_turn(&self->side[k]);
        p.body[k] = rows ? body_of(rows, &self->side[k]) : TAC_NO_BODY;
    }
    for (int k = 0; k < 3; k++) p.axes[k] = tac_rotate(p.turn[1], self->axes[k]);
    p.axis_a = tac_rotate(p.turn[0], self->axis_a);
    TacVec3 place = tac_attachment_place(&self->side[0]);
    p.d = tac_sub(place, tac_attachment_place(&self->side[1]));
    p.arm_a = tac_sub(place, origin(&self->side[0]));
    p.arm_b = tac_sub(place, origin(&self->side[1]));
    return p;
}

static TacRow *add_row(const FrameJoint *self, TacRows *rows, size_t slot, double violation) {
    TacRow *row = tac_rows_add(rows, slot);
    if (!row) return NULL;
    row->violation = violation;
    row->compliance = self->compliance;
    row->damping = isnan(self->damping) ? -1 : self->damping;
    return row;
}

static void blocks_along(const Pose *p, TacRows *rows, TacVec3 e) {
    tac_rows_block(rows, p->body[0], e, tac_cross(p->arm_a, e));
    tac_rows_block(rows, p->body[1], tac_scale(e, -1), tac_cross(e, p->arm_b));
}

static void blocks_about(const Pose *p, TacRows *rows, TacVec3 e) {
    const TacVec3 none = {0, 0, 0};
    tac_rows_block(rows, p->body[0], none, e);
    tac_rows_block(rows, p->body[1], none, tac_scale(e, -1));
}

// Rotation vector of a unit quaternion, the short way round.
static TacVec3 rotation_vector(TacQuat q) {
    double sign = q.w < 0 ? -1 : 1;
    TacVec3 v = tac_scale(tac_vec3(q.x, q.y, q.z), sign);
    double n = tac_norm(v);
    return n > 1e-12 ? tac_scale(v, 2 * atan2(n, sign * q.w) / n) : tac_scale(v, 2);
}

static TacVec3 turned(const FrameJoint *self, const Pose *p) {
    TacQuat wanted = tac_quat_mul(p->turn[1], self->turn);
    return rotation_vector(tac_quat_mul(p->turn[0], tac_quat_conjugate(wanted)));
}

// How far the free motion has gone: rad or m.
static double travelled(const FrameJoint *self, const Pose *p, bool turns) {
    if (!turns) return tac_dot(p->d, p->axes[0]);
    TacVec3 across = tac_rotate(p->turn[0], self->across_a);
    return atan2(tac_dot(across, p->axes[2]), tac_dot(across, p->axes[1]));
}

static void add_limit(const FrameJoint *self, TacRows *rows, const Pose *p, size_t slot, double violation,
                      bool upper, bool turns) {
    TacRow *row = add_row(self, rows, slot, violation);
    if (!row) return;
    *(upper ? &row->high : &row->low) = 0;
    if (turns)
        blocks_about(p, rows, p->axes[0]);
    else
        blocks_along(p, rows, p->axes[0]);
}

static void add_motor(const FrameJoint *self, TacRows *rows, const Pose *p, bool turns) {
    TacRow *row = add_row(self, rows, 6, 0);
    if (!row) return;
    row->kind = TAC_ROW_SPEED;
    row->speed = self->speed;
    row->low = -self->most;
    row->high = self->most;
    if (turns)
        blocks_about(p, rows, p->axes[0]);
    else
        blocks_along(p, rows, p->axes[0]);
}

static void add(void *data, const TacContext *context, TacRows *rows) {
    (void)context;
    const FrameJoint *self = data;
    const Freedom f = freedom(self);
    const Pose p = pose_of(self, rows);
    for (size_t k = 0; k < 3; k++)
        if (f.along[k] && add_row(self, rows, k, tac_dot(p.d, p.axes[k]))) blocks_along(&p, rows, p.axes[k]);
    bool hinge = f.about[1] && !f.about[0];
    TacVec3 turn = f.about[0] ? turned(self, &p) : tac_vec3(0, 0, 0);
    for (size_t k = 0; k < 3; k++) {
        if (!f.about[k]) continue;
        double g = hinge ? tac_dot(p.axis_a, p.axes[k]) : tac_dot(turn, p.axes[k]);
        if (add_row(self, rows, 3 + k, g))
            blocks_about(&p, rows, hinge ? tac_cross(p.axis_a, p.axes[k]) : p.axes[k]);
    }
    if (self->joint.base.cls == &tac_motor_class) {
        add_motor(self, rows, &p, f.turns);
    } else if (f.turns || f.slides) {
        double way = travelled(self, &p, f.turns), unit = f.turns ? TAC_PI / 180 : 1;
        if (!isnan(self->low)) add_limit(self, rows, &p, 6, way - unit * self->low, false, f.turns);
        if (!isnan(self->high)) add_limit(self, rows, &p, 7, way - unit * self->high, true, f.turns);
    }
}

static void take(void *data, const TacContext *context, const double *forces) {
    (void)context;
    memcpy(((FrameJoint *)data)->force, forces, MOST_ROWS * sizeof(double));
}

static TacJointSize capacity(const void *data) {
    (void)data;
    return (TacJointSize){MOST_ROWS, 2 * MOST_ROWS, MOST_ROWS};
}

static bool tie(const void *data, size_t number, TacTie *result) {
    const FrameJoint *self = data;
    if (number > 0) return false;
    *result = (TacTie){{self->joint.matter[0], self->joint.matter[1]},
                       {(size_t)self->point, (size_t)self->other_point}};
    return true;
}

// The second side as it is now, seen from the first: the same place, the same axes.
static void fit_other_side(FrameJoint *self) {
    TacQuat turn[2] = {tac_attachment_turn(&self->side[0]), tac_attachment_turn(&self->side[1])};
    TacVec3 n = tac_rotate(turn[0], self->axis_a), s = tac_rotate(turn[0], self->across_a);
    const TacVec3 axes[3] = {n, s, tac_cross(n, s)};
    for (int k = 0; k < 3; k++) self->axes[k] = tac_rotate_back(turn[1], axes[k]);
    self->turn = tac_quat_mul(tac_quat_conjugate(turn[1]), turn[0]);
    self->side[1] =
        tac_attach(self->joint.matter[1], (size_t)self->other_point, tac_attachment_place(&self->side[0]));
}

static void close_here(void *data) {
    fit_other_side(data);
}

static const TacJointOps ops = {
    .capacity = capacity, .tie = tie, .add = add, .take = take, .close = close_here};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus check_point(const TacMatter *m, int64_t point, const char *name, TacSetup *setup,
                             TacError *error) {
    if (!m || (size_t)point < m->count) return TAC_OK;
    return tac_setup_fail(setup, error, name, "there is no %lld: %s has %zu points or frames, from 0",
                          (long long)point, m->base.path, m->count);
}

static TacVec3 any_across(TacVec3 n) {
    TacVec3 helper = fabs(n.x) < 0.6 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0);
    return tac_unit(tac_cross(n, helper));
}

static TacStatus check_sides(const FrameJoint *self, TacSetup *setup, TacError *error) {
    TacMatter *const *m = self->joint.matter;
    TAC_TRY(check_point(m[0], self->point, "point", setup, error));
    TAC_TRY(check_point(m[1], self->other_point, "other_point", setup, error));
    if (m[0] == m[1] && self->point == self->other_point)
        return tac_setup_fail(setup, error, NULL, "ties frame %lld of %s to itself", (long long)self->point,
                              m[0]->base.path);
    if (m[1] && m[1]->kind != TAC_RIGID3 &&
        (m[1]->kind != TAC_VEC3 || !freedom(self).along[0] || freedom(self).about[1]))
        return tac_setup_fail(setup, error, "other", "%s is %s; this works on %s", m[1]->base.path,
                              tac_matter_kind_name(m[1]->kind), tac_matter_kind_name(TAC_RIGID3));
    if (!isnan(self->low) && !isnan(self->high) && self->low > self->high)
        return tac_setup_fail(setup, error, "high", "high (%g) is below low (%g)", self->high, self->low);
    bool degrees = self->joint.base.cls == &tac_hinge_joint_class;
    if (degrees && (self->low < -170 || self->high > 170))
        return tac_setup_fail(setup, error, self->low < -170 ? "low" : "high",
                              "a hinge's limits lie between -170 and 170 degrees");
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    FrameJoint *self = data;
    TacMatter *const *m = self->joint.matter;
    TAC_TRY(check_sides(self, setup, error));
    if (self->joint.base.cls == &tac_ball_joint_class) self->axis = tac_vec3(1, 0, 0);
    double length = tac_norm(self->axis);
    if (!(length > 0) || !isfinite(length))
        return tac_setup_fail(setup, error, "axis", "the axis has no direction");
    self->side[0] = (TacAttachment){m[0], (size_t)self->point, {0, 0, 0}};
    TacVec3 place = isnan(self->at.x) ? tac_attachment_place(&self->side[0]) : self->at;
    self->side[0] = tac_attach(m[0], (size_t)self->point, place);
    TacVec3 n = tac_scale(self->axis, 1 / length);
    TacQuat turn = tac_attachment_turn(&self->side[0]);
    self->axis_a = tac_rotate_back(turn, n);
    self->across_a = tac_rotate_back(turn, any_across(n));
    self->side[1] = (TacAttachment){m[1], (size_t)self->other_point, {0, 0, 0}};
    fit_other_side(self);
    self->forces = (TacReals){self->force, MOST_ROWS};
    // where the second side is tied changes when it closes
    TAC_TRY(tac_setup_state(setup, &self->side[1].local, sizeof self->side[1].local, error));
    TAC_TRY(tac_setup_state(setup, self->axes, sizeof self->axes, error));
    TAC_TRY(tac_setup_state(setup, &self->turn, sizeof self->turn, error));
    return tac_setup_state(setup, self->force, sizeof self->force, error);
}

#define SIDES                                                                                                \
    TAC_JOINT_ATTRIBUTES(FrameJoint, joint), {"point",                                                       \
                                              TAC_INT,                                                       \
                                              offsetof(FrameJoint, point),                                   \
                                              "1",                                                           \
                                              "0",                                                           \
                                              "Which of its frames, from 0.",                                \
                                              NULL,                                                          \
                                              TAC_NOT_NEGATIVE,                                              \
                                              0},                                                            \
        {"other",  TAC_LINK, offsetof(FrameJoint, joint.matter[1]),                                          \
         "",       "",       "What it is tied to; by default the world.",                                    \
         "matter", TAC_ANY,  0},                                                                             \
    {                                                                                                        \
        "other_point", TAC_INT, offsetof(FrameJoint, other_point), "1", "0",                                 \
            "Which frame of the other, from 0.", NULL, TAC_NOT_NEGATIVE, 0                                   \
    }
#define PLACE                                                                                                \
    {                                                                                                        \
        "at", TAC_VECTOR, offsetof(FrameJoint, at), "m", "",                                                 \
            "Where, as the scene starts; by default at the first frame's origin.", NULL, TAC_ANY, 0          \
    }
#define AXIS                                                                                                 \
    {                                                                                                        \
        "axis", TAC_VECTOR, offsetof(FrameJoint, axis), "1", "0 0 1",                                        \
            "Along or about which it moves, as the scene starts.", NULL, TAC_ANY, 0                          \
    }
#define FORCES                                                                                               \
    {                                                                                                        \
        "forces", TAC_REALS, offsetof(FrameJoint, forces), "N, N m", "",                                     \
            "On the first frame at the last step: along the axis and two across it, torques about them, "    \
            "then those "                                                                                    \
            "of limits (low, high) or of the motor.",                                                        \
            NULL, TAC_ANY, TAC_OUTPUT                                                                        \
    }
#define LIMITS(unit, what)                                                                                   \
    {"low", TAC_REAL, offsetof(FrameJoint, low),                                                             \
     unit,  "",       "The least " what " from the start; by default none.",                                 \
     NULL,  TAC_ANY,  0},                                                                                    \
    {                                                                                                        \
        "high", TAC_REAL, offsetof(FrameJoint, high), unit, "",                                              \
            "The greatest " what " from the start; by default none.", NULL, TAC_ANY, 0                       \
    }

static const TacAttribute ball_attributes[] = {
    SIDES, PLACE, TAC_SOFTNESS_ATTRIBUTES(FrameJoint, compliance, damping), FORCES};
static const TacAttribute lock_attributes[] = {
    SIDES, PLACE, TAC_SOFTNESS_ATTRIBUTES(FrameJoint, compliance, damping), AXIS, FORCES};
static const TacAttribute hinge_attributes[] = {
    SIDES, PLACE, AXIS, LIMITS("deg", "angle"), TAC_SOFTNESS_ATTRIBUTES(FrameJoint, compliance, damping),
    FORCES};
static const TacAttribute prismatic_attributes[] = {
    SIDES, PLACE, AXIS, LIMITS("m", "way"), TAC_SOFTNESS_ATTRIBUTES(FrameJoint, compliance, damping), FORCES};
static const TacAttribute motor_attributes[] = {
    SIDES,
    PLACE,
    AXIS,
    {"motion", TAC_CHOICE, offsetof(FrameJoint, motion), "", "turn", "About its axis, or along it.",
     "turn|slide", TAC_ANY, 0},
    {"speed", TAC_REAL, offsetof(FrameJoint, speed), "rad/s, m/s", NULL,
     "Of the first frame as seen from the other.", NULL, TAC_ANY, TAC_LIVE},
    {"most", TAC_REAL, offsetof(FrameJoint, most), "N m, N", "1e9", "The torque or force that it can exert.",
     NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    FORCES,
};

#define JOINT_CLASS(variable, title, text, table, matter_kinds)                                              \
    const TacClass variable = {.name = title,                                                                \
                               .kind = TAC_KIND_JOINT,                                                       \
                               .doc = text,                                                                  \
                               .size = sizeof(FrameJoint),                                                   \
                               .attributes = table,                                                          \
                               .attribute_count = TAC_COUNT(table),                                          \
                               .kinds = matter_kinds,                                                        \
                               .init = init,                                                                 \
                               .ops.joint = &ops}

enum { FRAMES = 1u << TAC_RIGID3, ANY = 1u << TAC_RIGID3 | 1u << TAC_VEC3 };

JOINT_CLASS(tac_ball_joint_class, "BallJoint", "Ties two places together; turning is free.", ball_attributes,
            ANY);
JOINT_CLASS(tac_hinge_joint_class, "HingeJoint",
            "Turns about one axis only, within limits where they are given.", hinge_attributes, FRAMES);
JOINT_CLASS(tac_prismatic_joint_class, "PrismaticJoint",
            "Slides along one axis only, within limits where they are given.", prismatic_attributes, FRAMES);
JOINT_CLASS(tac_lock_joint_class, "LockJoint", "Holds two frames together as they start.", lock_attributes,
            FRAMES);
JOINT_CLASS(tac_motor_class, "Motor",
            "Turns or slides two frames at a speed, as long as its strength suffices.", motor_attributes,
            FRAMES);
