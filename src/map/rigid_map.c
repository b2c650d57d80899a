// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// RigidMap: points that are carried by frames, in space (Vec3 on Rigid3) or in the plane (Vec2 on Rigid2).
//
//     x = p + R l      v = v_p + omega x r      f_p += f, torque += r x f      with r = x - p
//
// Turning a frame by a small d turns r by d x r, and the torque of a given force changes by
//
//     (d x r) x f = r (f.d) - d (r.f)
//
// This is not symmetric in d: world axes turn with the frame only to first order. Its symmetric part is the
// second derivative of the work along the rotation vector, and equal to the whole wherever the torques on
// the frame cancel. Solvers that need a symmetric system get the symmetric part unless the scene asks
// otherwise.
//
// Sums over the points of a frame are cut into runs of fixed length, so that a single body with many points
// uses all threads and the bits do not depend on how many there are.

#include "base/memory.h"
#include "map/maps.h"
#include "map/setup.h"

enum { RUN = 2048 }; // most points in a run

typedef enum Geometric { SYMMETRIC, EXACT, NONE } Geometric;

// Points items[begin..end) of the frame's list.
typedef struct Run {
    uint32_t frame, begin, end;
} Run;

typedef struct RigidMap {
    TacMap map;
    int64_t frame;
    TacInts frames;
    bool local;
    int geometric; // Geometric

    bool planar;
    int32_t *frame_of; // per point
    double *offsets;   // l: per point, in the axes of its frame
    TacOwned of_frame;
    Run *runs;
    size_t run_count, run_grain;
    double *sums; // velocity_size of the parent, per run
} RigidMap;

typedef struct Call {
    const RigidMap *self;
    const double *px, *cx, *in, *turn;
    double *out;
} Call;

// --- down -------------------------------------------------------------------------------------------------

static void position_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const RigidMap *self = c->self;
    const double *l = self->offsets;
    int32_t last = -1;
    if (self->planar) {
        double cosine = 1, sine = 0;
        for (size_t i = begin; i < end; i++) {
            const double *p = c->px + 3 * (size_t)self->frame_of[i];
            if (self->frame_of[i] != last) {
                cosine = cos(p[2]);
                sine = sin(p[2]);
                last = self->frame_of[i];
            }
            c->out[2 * i] = p[0] + (cosine * l[2 * i] - sine * l[2 * i + 1]);
            c->out[2 * i + 1] = p[1] + (sine * l[2 * i] + cosine * l[2 * i + 1]);
        }
        return;
    }
    TacMat3 rotation = tac_mat3_identity();
    for (size_t i = begin; i < end; i++) {
        const double *p = c->px + 7 * (size_t)self->frame_of[i];
        if (self->frame_of[i] != last) {
            rotation = tac_quat_matrix(tac_load_quat(p + 3));
            last = self->frame_of[i];
        }
        tac_store3(c->out + 3 * i, tac_add(tac_load3(p), tac_mat3_apply(&rotation, tac_load3(l + 3 * i))));
    }
}

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    const RigidMap *self = data;
    Call call = {.self = self, .px = parent, .out = child};
    tac_team_run(context->team, self->map.child->count, TAC_MAP_GRAIN, position_chunk, &call);
}

static void velocity_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const RigidMap *self = c->self;
    for (size_t i = begin; i < end; i++) {
        size_t f = (size_t)self->frame_of[i];
        if (self->planar) {
            const double *p = c->px + 3 * f, *v = c->in + 3 * f, *x = c->cx + 2 * i;
            c->out[2 * i] = v[0] - v[2] * (x[1] - p[1]);
            c->out[2 * i + 1] = v[1] + v[2] * (x[0] - p[0]);
            continue;
        }
        const double *v = c->in + 6 * f;
        TacVec3 r = tac_sub(tac_load3(c->cx + 3 * i), tac_load3(c->px + 7 * f));
        tac_store3(c->out + 3 * i, tac_add(tac_load3(v), tac_cross(tac_load3(v + 3), r)));
    }
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v) {
    const RigidMap *self = data;
    Call call = {.self = self, .px = px, .cx = cx, .in = parent_v, .out = child_v};
    tac_team_run(context->team, self->map.child->count, TAC_MAP_GRAIN, velocity_chunk, &call);
}

// --- up ---------------------------------------------------------------------------------------------------

// What a force f at r adds to a frame that is turned by d: force and torque, or the change of the torque.
static void add_planar(const Call *c, size_t frame, size_t i, double sum[3]) {
    const double *p = c->px + 3 * frame, *x = c->cx + 2 * i, *f = c->in + 2 * i;
    double r[2] = {x[0] - p[0], x[1] - p[1]};
    if (c->turn) {
        sum[2] -= c->turn[3 * frame + 2] * (r[0] * f[0] + r[1] * f[1]);
        return;
    }
    sum[0] += f[0];
    sum[1] += f[1];
    sum[2] += r[0] * f[1] - r[1] * f[0];
}

static void add_spatial(const Call *c, size_t frame, size_t i, double sum[6]) {
    TacVec3 f = tac_load3(c->in + 3 * i);
    TacVec3 r = tac_sub(tac_load3(c->cx + 3 * i), tac_load3(c->px + 7 * frame));
    if (!c->turn) {
        tac_add3(sum, f);
        tac_add3(sum + 3, tac_cross(r, f));
        return;
    }
    TacVec3 d = tac_load3(c->turn + 6 * frame + 3);
    TacVec3 change = tac_scale(d, -tac_dot(r, f));
    if (c->self->geometric == EXACT)
        change = tac_axpy(change, tac_dot(f, d), r);
    else
        change = tac_axpy(tac_axpy(change, 0.5 * tac_dot(f, d), r), 0.5 * tac_dot(r, d), f);
    tac_add3(sum + 3, change);
}

static void sum_runs(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const RigidMap *self = c->self;
    size_t each = self->planar ? 3 : 6;
    for (size_t k = begin; k < end; k++) {
        const Run *run = &self->runs[k];
        double sum[6] = {0};
        for (uint32_t s = run->begin; s < run->end; s++) {
            if (self->planar)
                add_planar(c, run->frame, self->of_frame.items[s], sum);
            else
                add_spatial(c, run->frame, self->of_frame.items[s], sum);
        }
        memcpy(self->sums + each * k, sum, each * sizeof(double));
    }
}

// out += factor times the sums over the points of each frame, run by run
static void gather(const RigidMap *self, const TacContext *context, Call *call, double *out, double factor) {
    size_t each = self->planar ? 3 : 6;
    tac_team_run(context->team, self->run_count, self->run_grain, sum_runs, call);
    for (size_t k = 0; k < self->run_count; k++)
        for (size_t j = 0; j < each; j++)
            out[each * self->runs[k].frame + j] += factor * self->sums[each * k + j];
}

static void force(void *data, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f) {
    const RigidMap *self = data;
    Call call = {.self = self, .px = px, .cx = cx, .in = child_f};
    gather(self, context, &call, parent_f, 1);
}

static void force_change(void *data, const TacContext *context, const double *px, const double *cx,
                         const double *child_f, const double *parent_dx, double *parent_df, double k) {
    const RigidMap *self = data;
    if (self->geometric == NONE) return;
    Call call = {.self = self, .px = px, .cx = cx, .in = child_f, .turn = parent_dx};
    gather(self, context, &call, parent_df, k);
}

// --- as matrices ------------------------------------------------------------------------------------------

// (1, -[r]x): a turn d moves the point by d x r
static bool jacobian(void *data, const double *px, const double *cx, size_t point, size_t k, size_t *parent,
                     double *block) {
    const RigidMap *self = data;
    size_t frame = (size_t)self->frame_of[point];
    *parent = frame;
    if (self->planar) {
        const double *p = px + 3 * frame, *x = cx + 2 * point;
        const double j[6] = {1, 0, -(x[1] - p[1]), 0, 1, x[0] - p[0]};
        memcpy(block, j, sizeof j);
        return k == 0;
    }
    TacVec3 r = tac_sub(tac_load3(cx + 3 * point), tac_load3(px + 7 * frame));
    const double j[18] = {1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0};
    memcpy(block, j, sizeof j);
    return k == 0;
}

static void stiffness(void *data, const TacContext *context, const double *px, const double *cx,
                      const double *child_f, double k, TacMatrix *matrix) {
    (void)context;
    const RigidMap *self = data;
    if (self->geometric == NONE) return;
    for (size_t i = 0; i < self->map.child->count; i++) {
        size_t frame = (size_t)self->frame_of[i];
        double block[36] = {0};
        const double *x = cx + (self->planar ? 2 : 3) * i, *f = child_f + (self->planar ? 2 : 3) * i;
        const double *p = px + (self->planar ? 3 : 7) * frame;
        size_t n = self->planar ? 2 : 3;
        double r[3] = {0}, along = 0;
        for (size_t a = 0; a < n; a++) {
            r[a] = x[a] - p[a];
            along += r[a] * f[a];
        }
        if (self->planar) {
            block[8] = -k * along;
        } else {
            for (size_t a = 0; a < 3; a++)
                for (size_t b = 0; b < 3; b++) {
                    double mixed = self->geometric == EXACT ? r[a] * f[b] : 0.5 * (r[a] * f[b] + f[a] * r[b]);
                    block[6 * (3 + a) + 3 + b] = k * (mixed - (a == b ? along : 0));
                }
        }
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

static TacStatus find_frames(RigidMap *self, TacSetup *setup, TacError *error) {
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    if (tac_setup_given(setup, "frame") && tac_setup_given(setup, "frames"))
        return tac_setup_fail(setup, error, "frames",
                              "give frame (one for all points) or frames (one each), not both");
    if (self->frame < 0 || (uint64_t)self->frame >= parent->count)
        return tac_setup_fail(setup, error, "frame", "%s has no frame %lld; it has 0 to %zu",
                              parent->base.path, (long long)self->frame, parent->count - 1);
    if (tac_setup_given(setup, "frames") && self->frames.count != child->count)
        return tac_setup_fail(setup, error, "frames", "frames has %zu numbers; %s has %zu points",
                              self->frames.count, child->base.path, child->count);
    TAC_TRY(tac_map_check_points(setup, "frames", self->frames, parent, error));
    self->frame_of = tac_setup_alloc(setup, child->count, sizeof *self->frame_of);
    if (!self->frame_of) return tac_fail_memory(error, child->count * sizeof *self->frame_of);
    for (size_t i = 0; i < child->count; i++)
        self->frame_of[i] = self->frames.count ? self->frames.data[i] : (int32_t)self->frame;
    return TAC_OK;
}

// The child's start positions, turned into the axes of their frames where they are not already.
static TacStatus find_offsets(RigidMap *self, TacSetup *setup, TacError *error) {
    const TacMatter *child = self->map.child;
    const double *x = child->vectors[TAC_X], *px = self->map.parent->vectors[TAC_X];
    size_t each = self->planar ? 2 : 3, n = each * child->count;
    self->offsets = tac_setup_alloc(setup, n, sizeof(double));
    if (!self->offsets) return tac_fail_memory(error, n * sizeof(double));
    memcpy(self->offsets, x, n * sizeof(double));
    for (size_t i = 0; !self->local && i < child->count; i++) {
        size_t f = (size_t)self->frame_of[i];
        double *l = self->offsets + each * i;
        if (self->planar) {
            const double *p = px + 3 * f;
            double dx = x[2 * i] - p[0], dy = x[2 * i + 1] - p[1], c = cos(p[2]), s = sin(p[2]);
            l[0] = c * dx + s * dy;
            l[1] = c * dy - s * dx;
            continue;
        }
        TacMat3 rotation = tac_quat_matrix(tac_load_quat(px + 7 * f + 3));
        tac_store3(l, tac_mat3_apply_back(&rotation, tac_sub(tac_load3(l), tac_load3(px + 7 * f))));
    }
    return TAC_OK;
}

static TacStatus make_runs(RigidMap *self, TacSetup *setup, TacError *error) {
    size_t frames = self->map.parent->count, points = self->map.child->count;
    TAC_TRY(tac_owned_build(&self->of_frame, setup, frames, self->frame_of, points, error));
    const uint32_t *start = self->of_frame.start;
    for (size_t f = 0; f < frames; f++) self->run_count += (start[f + 1] - start[f] + RUN - 1) / RUN;
    size_t numbers = self->run_count * (size_t)self->map.parent->velocity_size;
    self->runs = tac_setup_alloc(setup, self->run_count, sizeof *self->runs);
    self->sums = tac_setup_alloc(setup, numbers, sizeof(double));
    if (!self->runs || !self->sums) return tac_fail_memory(error, numbers * sizeof(double));
    Run *run = self->runs;
    for (size_t f = 0; f < frames; f++)
        for (uint32_t begin = start[f]; begin < start[f + 1]; begin += RUN)
            *run++ = (Run){(uint32_t)f, begin, start[f + 1] - begin < RUN ? start[f + 1] : begin + RUN};
    // as many runs to a chunk as hold about RUN points
    self->run_grain = 1 + self->run_count * RUN / (points + RUN);
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    RigidMap *self = data;
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    self->planar = parent->kind == TAC_RIGID2;
    self->map.faithful = true;
    if (!(parent->kind == TAC_RIGID3 && child->kind == TAC_VEC3) &&
        !(parent->kind == TAC_RIGID2 && child->kind == TAC_VEC2))
        return tac_setup_fail(setup, error, NULL,
                              "carries Vec3 on Rigid3, or Vec2 on Rigid2; %s is %s and %s is %s",
                              child->base.path, tac_matter_kind_name(child->kind), parent->base.path,
                              tac_matter_kind_name(parent->kind));
    TAC_TRY(find_frames(self, setup, error));
    TAC_TRY(find_offsets(self, setup, error));
    TAC_TRY(make_runs(self, setup, error));
    tac_map_place_child(&self->map);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MAP_ATTRIBUTES(RigidMap, map),
    {"frame", TAC_INT, offsetof(RigidMap, frame), "1", "0", "The frame that carries all points.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"frames", TAC_INTS, offsetof(RigidMap, frames), "1", "",
     "The frame that carries each point, instead of one for all.", NULL, TAC_NOT_NEGATIVE, 0},
    {"local", TAC_BOOL, offsetof(RigidMap, local), "", "true",
     "Whether the points' positions are in the axes of their frame; otherwise in those of the world.", NULL,
     TAC_ANY, 0},
    {"geometric", TAC_CHOICE, offsetof(RigidMap, geometric), "", "symmetric",
     "What implicit solvers see of how turning a frame changes the torque of given forces: its symmetric "
     "part, all of it, or nothing.",
     "symmetric|exact|none", TAC_ANY, 0},
};

const TacClass tac_rigid_map_class = {
    .name = "RigidMap",
    .kind = TAC_KIND_MAP,
    .doc = "Points carried by rigid frames: x = p + R l, v = v_p + omega x r; forces become force and "
           "torque.",
    .size = sizeof(RigidMap),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.map = &ops,
};
