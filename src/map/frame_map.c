// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// FrameMap: frames that are carried by frames (SOFA's RigidMapping from Rigid3 to Rigid3): attachments of joints,
// sensors, tools.
//
//     x = p + R l, q = q_p q_l      v = v_p + w_p x r, w = w_p      f_p += f, torque_p += torque + r x f
//
// with r = x - p. Turning the parent by a small d turns r, and the torque of a given force changes by (d x r) x f; its
// symmetric part, -(r.f) d + (r (f.d) + f (r.d)) / 2, is what solvers get (see rigid_map.c).
//
// Frames on frames are few: one thread goes through them in order.

#include "base/memory.h"
#include "map/maps.h"
#include "map/setup.h"

typedef struct FrameMap {
    TacMap map;
    int64_t frame;
    TacInts frames;
    bool local, geometric;
    int32_t *frame_of; // per child
    double *offsets;   // per child: l, then q_l
} FrameMap;

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    (void)context;
    const FrameMap *self = data;
    for (size_t i = 0; i < self->map.child->count; i++) {
        const double *p = parent + 7 * (size_t)self->frame_of[i], *o = self->offsets + 7 * i;
        TacQuat q = tac_load_quat(p + 3);
        tac_store3(child + 7 * i, tac_add(tac_load3(p), tac_rotate(q, tac_load3(o))));
        tac_store_quat(child + 7 * i + 3, tac_quat_unit(tac_quat_mul(q, tac_load_quat(o + 3))));
    }
}

static TacVec3 arm_of(const FrameMap *self, const double *px, const double *cx, size_t i) {
    return tac_sub(tac_load3(cx + 7 * i), tac_load3(px + 7 * (size_t)self->frame_of[i]));
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v) {
    (void)context;
    const FrameMap *self = data;
    for (size_t i = 0; i < self->map.child->count; i++) {
        const double *v = parent_v + 6 * (size_t)self->frame_of[i];
        TacVec3 w = tac_load3(v + 3);
        tac_store3(child_v + 6 * i, tac_add(tac_load3(v), tac_cross(w, arm_of(self, px, cx, i))));
        tac_store3(child_v + 6 * i + 3, w);
    }
}

static void force(void *data, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f) {
    (void)context;
    const FrameMap *self = data;
    for (size_t i = 0; i < self->map.child->count; i++) {
        double *to = parent_f + 6 * (size_t)self->frame_of[i];
        TacVec3 f = tac_load3(child_f + 6 * i);
        tac_add3(to, f);
        tac_add3(to + 3, tac_add(tac_load3(child_f + 6 * i + 3), tac_cross(arm_of(self, px, cx, i), f)));
    }
}

static void force_change(void *data, const TacContext *context, const double *px, const double *cx,
                         const double *child_f, const double *parent_dx, double *parent_df, double k) {
    (void)context;
    const FrameMap *self = data;
    for (size_t i = 0; i < self->map.child->count && self->geometric; i++) {
        size_t frame = (size_t)self->frame_of[i];
        TacVec3 f = tac_load3(child_f + 6 * i), r = arm_of(self, px, cx, i),
                d = tac_load3(parent_dx + 6 * frame + 3);
        TacVec3 change = tac_scale(d, -tac_dot(r, f));
        change = tac_axpy(tac_axpy(change, 0.5 * tac_dot(f, d), r), 0.5 * tac_dot(r, d), f);
        tac_add3(parent_df + 6 * frame + 3, tac_scale(change, k));
    }
}

static bool jacobian(void *data, const double *px, const double *cx, size_t point, size_t k, size_t *parent,
                     double *block) {
    const FrameMap *self = data;
    *parent = (size_t)self->frame_of[point];
    TacVec3 r = arm_of(self, px, cx, point);
    const double j[36] = {1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0,
                          0, 0, 0, 1, 0,   0,    0, 0, 0, 0,    1, 0,   0, 0, 0, 0,   0,    1};
    memcpy(block, j, sizeof j);
    return k == 0;
}

static void stiffness(void *data, const TacContext *context, const double *px, const double *cx,
                      const double *child_f, double k, TacMatrix *matrix) {
    (void)context;
    const FrameMap *self = data;
    for (size_t i = 0; i < self->map.child->count && self->geometric; i++) {
        size_t frame = (size_t)self->frame_of[i];
        TacVec3 arm = arm_of(self, px, cx, i);
        const double r[3] = {arm.x, arm.y, arm.z}, *f = child_f + 6 * i;
        double along = r[0] * f[0] + r[1] * f[1] + r[2] * f[2], block[36] = {0};
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b < 3; b++)
                block[6 * (3 + a) + 3 + b] = k * (0.5 * (r[a] * f[b] + f[a] * r[b]) - (a == b ? along : 0));
        tac_matrix_add(matrix, 0, frame, 0, frame, block);
    }
}

static const TacMapOps ops = {.position = position,
                              .velocity = velocity,
                              .force = force,
                              .force_change = force_change,
                              .jacobian = jacobian,
                              .stiffness = stiffness};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus find_frames(FrameMap *self, TacSetup *setup, TacError *error) {
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    if (self->frame < 0 || (uint64_t)self->frame >= parent->count)
        return tac_setup_fail(setup, error, "frame", "%s has no frame %lld; it has 0 to %zu",
                              parent->base.path, (long long)self->frame, parent->count - 1);
    if (tac_setup_given(setup, "frames") && self->frames.count != child->count)
        return tac_setup_fail(setup, error, "frames", "frames has %zu numbers; %s has %zu frames",
                              self->frames.count, child->base.path, child->count);
    TAC_TRY(tac_map_check_points(setup, "frames", self->frames, parent, error));
    self->frame_of = tac_setup_alloc(setup, child->count, sizeof *self->frame_of);
    self->offsets = tac_setup_alloc(setup, 7 * child->count, sizeof *self->offsets);
    if (!self->frame_of || !self->offsets) return tac_fail_memory(error, 7 * child->count * sizeof(double));
    for (size_t i = 0; i < child->count; i++)
        self->frame_of[i] = self->frames.count ? self->frames.data[i] : (int32_t)self->frame;
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    FrameMap *self = data;
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    if (parent->kind != TAC_RIGID3 || child->kind != TAC_RIGID3)
        return tac_setup_fail(setup, error, NULL, "carries Rigid3 on Rigid3; %s is %s and %s is %s",
                              child->base.path, tac_matter_kind_name(child->kind), parent->base.path,
                              tac_matter_kind_name(parent->kind));
    self->map.faithful = true;
    TAC_TRY(find_frames(self, setup, error));
    for (size_t i = 0; i < child->count; i++) {
        const double *x = child->vectors[TAC_X] + 7 * i,
                     *p = parent->vectors[TAC_X] + 7 * (size_t)self->frame_of[i];
        TacVec3 l = tac_load3(x);
        TacQuat q = tac_quat_unit(tac_load_quat(x + 3)), of = tac_load_quat(p + 3);
        if (!self->local) {
            l = tac_rotate_back(of, tac_sub(l, tac_load3(p)));
            q = tac_quat_mul(tac_quat_conjugate(of), q);
        }
        tac_store3(self->offsets + 7 * i, l);
        tac_store_quat(self->offsets + 7 * i + 3, q);
    }
    tac_map_place_child(&self->map);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MAP_ATTRIBUTES(FrameMap, map),
    {"frame", TAC_INT, offsetof(FrameMap, frame), "1", "0", "The frame that carries all of them.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"frames", TAC_INTS, offsetof(FrameMap, frames), "1", "", "The frame that carries each one, instead.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"local", TAC_BOOL, offsetof(FrameMap, local), "", "true",
     "Whether positions are in the axes of the frame that carries them; otherwise in those of the world.",
     NULL, TAC_ANY, 0},
    {"geometric", TAC_BOOL, offsetof(FrameMap, geometric), "", "true",
     "Whether implicit solvers see how turning a frame changes the torque of given forces.", NULL, TAC_ANY,
     0},
};

const TacClass tac_frame_map_class = {
    .name = "FrameMap",
    .kind = TAC_KIND_MAP,
    .doc = "Frames carried by frames: x = p + R l, q = q_p q_l; forces and torques go to the frame that "
           "carries.",
    .size = sizeof(FrameMap),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.map = &ops,
};
