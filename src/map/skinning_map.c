// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// SkinningMap: points that several frames carry together, each with its weight (linear blend skinning;
// Magnenat-Thalmann, Laperriere and Thalmann 1988; SOFA's SkinningMapping):
//
//     x = sum w (p + R l)      v = sum w (v_p + omega x r)      f_p += w f, torque += w r x f,  r = R l
//
// Weights are given, or fall off with the square of the distance to the nearest frames at rest. Points start
// where the scene has them, in world axes, and l follows from that. Turning a frame changes the torque of a
// given force as in RigidMap.

#include "base/memory.h"
#include "map/maps.h"
#include "map/setup.h"

enum { MOST_FRAMES = 64 };

typedef enum Geometric { SYMMETRIC, EXACT, NONE } Geometric;

typedef struct SkinningMap {
    TacMap map;
    TacInts given_frames;
    TacReals given_weights;
    int64_t nearest;
    int geometric; // Geometric

    size_t each;       // frames per point
    int32_t *frames;   // `each` per point
    double *weights;   // `each` per point; 0 where there are fewer
    double *offsets;   // w l: 3 numbers per frame and point, in the axes of the frame
    TacOwned of_frame; // number of the frame's place in `frames`
} SkinningMap;

typedef struct Call {
    const SkinningMap *self;
    const double *px, *in, *turn;
    double *out, k;
} Call;

// w r in world axes
static TacVec3 arm(const SkinningMap *self, const double *px, size_t slot) {
    TacQuat q = tac_load_quat(px + 7 * (size_t)self->frames[slot] + 3);
    return tac_rotate(q, tac_load3(self->offsets + 3 * slot));
}

static void position_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const SkinningMap *self = c->self;
    for (size_t i = begin; i < end; i++) {
        TacVec3 sum = {0, 0, 0};
        for (size_t s = self->each * i; s < self->each * (i + 1); s++) {
            if (!(self->weights[s] > 0)) continue;
            TacVec3 p = tac_load3(c->px + 7 * (size_t)self->frames[s]);
            sum = tac_add(sum, tac_axpy(arm(self, c->px, s), self->weights[s], p));
        }
        tac_store3(c->out + 3 * i, sum);
    }
}

static void position(void *data, const TacContext *context, const double *parent, double *child) {
    const SkinningMap *self = data;
    Call call = {.self = self, .px = parent, .out = child};
    tac_team_run(context->team, self->map.child->count, TAC_MAP_GRAIN, position_chunk, &call);
}

static void velocity_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const SkinningMap *self = c->self;
    for (size_t i = begin; i < end; i++) {
        TacVec3 sum = {0, 0, 0};
        for (size_t s = self->each * i; s < self->each * (i + 1); s++) {
            if (!(self->weights[s] > 0)) continue;
            const double *v = c->in + 6 * (size_t)self->frames[s];
            TacVec3 turned = tac_cross(tac_load3(v + 3), arm(self, c->px, s));
            sum = tac_add(sum, tac_axpy(turned, self->weights[s], tac_load3(v)));
        }
        tac_store3(c->out + 3 * i, sum);
    }
}

static void velocity(void *data, const TacContext *context, const double *px, const double *cx,
                     const double *parent_v, double *child_v) {
    (void)cx;
    const SkinningMap *self = data;
    Call call = {.self = self, .px = px, .in = parent_v, .out = child_v};
    tac_team_run(context->team, self->map.child->count, TAC_MAP_GRAIN, velocity_chunk, &call);
}

// --- up ---------------------------------------------------------------------------------------------------

// What turning by d does to the torque of f at r: (d x r) x f, or its symmetric part.
static TacVec3 torque_change(const SkinningMap *self, TacVec3 r, TacVec3 f, TacVec3 d) {
    TacVec3 change = tac_scale(d, -tac_dot(r, f));
    if (self->geometric == EXACT) return tac_axpy(change, tac_dot(f, d), r);
    return tac_axpy(tac_axpy(change, 0.5 * tac_dot(f, d), r), 0.5 * tac_dot(r, d), f);
}

static void gather_chunk(void *data, size_t begin, size_t end, size_t chunk) {
    (void)chunk;
    const Call *c = data;
    const SkinningMap *self = c->self;
    for (size_t frame = begin; frame < end; frame++) {
        double *out = c->out + 6 * frame;
        TacVec3 force = {0, 0, 0}, torque = {0, 0, 0};
        for (uint32_t i = self->of_frame.start[frame]; i < self->of_frame.start[frame + 1]; i++) {
            size_t slot = self->of_frame.items[i];
            if (!(self->weights[slot] > 0)) continue;
            TacVec3 f = tac_load3(c->in + 3 * (slot / self->each)), r = arm(self, c->px, slot);
            if (c->turn) {
                TacVec3 d = tac_load3(c->turn + 6 * frame + 3);
                torque = tac_add(torque, torque_change(self, r, f, d));
                continue;
            }
            force = tac_axpy(force, self->weights[slot], f);
            torque = tac_add(torque, tac_cross(r, f));
        }
        tac_add3(out, tac_scale(force, c->k));
        tac_add3(out + 3, tac_scale(torque, c->k));
    }
}

static void force(void *data, const TacContext *context, const double *px, const double *cx,
                  const double *child_f, double *parent_f) {
    (void)cx;
    const SkinningMap *self = data;
    Call call = {.self = self, .px = px, .in = child_f, .out = parent_f, .k = 1};
    tac_team_run(context->team, self->map.parent->count, 1, gather_chunk, &call);
}

static void force_change(void *data, const TacContext *context, const double *px, const double *cx,
                         const double *child_f, const double *parent_dx, double *parent_df, double k) {
    (void)cx;
    const SkinningMap *self = data;
    if (self->geometric == NONE) return;
    Call call = {.self = self, .px = px, .in = child_f, .turn = parent_dx, .out = parent_df, .k = k};
    tac_team_run(context->team, self->map.parent->count, 1, gather_chunk, &call);
}

// --- as matrices ------------------------------------------------------------------------------------------

static bool jacobian(void *data, const double *px, const double *cx, size_t point, size_t k, size_t *parent,
                     double *block) {
    (void)cx;
    const SkinningMap *self = data;
    if (k >= self->each || !(self->weights[self->each * point + k] > 0)) return false;
    size_t slot = self->each * point + k;
    double w = self->weights[slot];
    TacVec3 r = arm(self, px, slot);
    *parent = (size_t)self->frames[slot];
    const double j[18] = {w, 0, 0, 0, r.z, -r.y, 0, w, 0, -r.z, 0, r.x, 0, 0, w, r.y, -r.x, 0};
    memcpy(block, j, sizeof j);
    return true;
}

static void stiffness(void *data, const TacContext *context, const double *px, const double *cx,
                      const double *child_f, double k, TacMatrix *matrix) {
    (void)context;
    (void)cx;
    const SkinningMap *self = data;
    if (self->geometric == NONE) return;
    for (size_t frame = 0; frame < self->map.parent->count; frame++) {
        double block[36] = {0};
        for (uint32_t i = self->of_frame.start[frame]; i < self->of_frame.start[frame + 1]; i++) {
            size_t slot = self->of_frame.items[i];
            if (!(self->weights[slot] > 0)) continue;
            TacVec3 f = tac_load3(child_f + 3 * (slot / self->each)), r = arm(self, px, slot);
            for (size_t a = 0; a < 3; a++) {
                const TacVec3 unit = {a == 0, a == 1, a == 2};
                double column[3];
                tac_store3(column, torque_change(self, r, f, unit));
                for (size_t b = 0; b < 3; b++) block[6 * (3 + b) + 3 + a] += k * column[b];
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

// The nearest frames at rest, the nearest first, by 1 / distance^2.
static void weigh_by_distance(SkinningMap *self, size_t point) {
    const double *rest = self->map.parent->vectors[TAC_X_REST];
    TacVec3 place = tac_load3(self->map.child->vectors[TAC_X] + 3 * point);
    int32_t *frames = self->frames + self->each * point;
    double *weights = self->weights + self->each * point;
    for (size_t f = 0; f < self->map.parent->count; f++) {
        TacVec3 d = tac_sub(place, tac_load3(rest + 7 * f));
        double square = tac_dot(d, d), w = square > 0 ? 1 / square : 1e300;
        // an insertion into a list of a few
        size_t at = 0;
        while (at < self->each && weights[at] > w) at++;
        if (at == self->each) continue;
        for (size_t k = self->each - 1; k > at; k--) {
            weights[k] = weights[k - 1];
            frames[k] = frames[k - 1];
        }
        weights[at] = fmin(w, 1e300);
        frames[at] = (int32_t)f;
    }
}

static TacStatus take_lists(SkinningMap *self, TacSetup *setup, TacError *error) {
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    size_t given = self->given_frames.count;
    self->each = given ? given / child->count : (size_t)self->nearest;
    if (!given && self->each > parent->count) self->each = parent->count;
    if (given && (given % child->count || self->given_weights.count != given))
        return tac_setup_fail(
            setup, error, "frames",
            "frames has %zu numbers and weights %zu; as many of both, and as many for each of "
            "%zu points, were expected",
            given, self->given_weights.count, child->count);
    if (!given && self->given_weights.count)
        return tac_setup_fail(setup, error, "weights", "weights needs frames, one for each");
    if (self->each > MOST_FRAMES)
        return tac_setup_fail(setup, error, given ? "frames" : "nearest",
                              "%zu frames for each point are too many; at most %d are possible", self->each,
                              MOST_FRAMES);
    TAC_TRY(tac_map_check_points(setup, "frames", self->given_frames, parent, error));
    size_t n = self->each * child->count;
    self->frames = tac_setup_alloc(setup, n, sizeof *self->frames);
    self->weights = tac_setup_alloc(setup, n, sizeof(double));
    self->offsets = tac_setup_alloc(setup, 3 * n, sizeof(double));
    if (!self->frames || !self->weights || !self->offsets)
        return tac_fail_memory(error, 3 * n * sizeof(double));
    for (size_t s = 0; s < given; s++) {
        self->frames[s] = self->given_frames.data[s];
        self->weights[s] = self->given_weights.data[s];
    }
    for (size_t i = 0; !given && i < child->count; i++) weigh_by_distance(self, i);
    return TAC_OK;
}

static TacStatus find_offsets(SkinningMap *self, TacSetup *setup, TacError *error) {
    const TacMatter *child = self->map.child;
    const double *rest = self->map.parent->vectors[TAC_X_REST];
    for (size_t i = 0; i < child->count; i++) {
        double sum = 0;
        for (size_t s = self->each * i; s < self->each * (i + 1); s++) sum += self->weights[s];
        if (!(sum > 0) || !isfinite(sum))
            return tac_setup_fail(setup, error, "weights",
                                  "the weights of point %zu do not add up to anything", i);
        TacVec3 place = tac_load3(child->vectors[TAC_X] + 3 * i);
        for (size_t s = self->each * i; s < self->each * (i + 1); s++) {
            const double *frame = rest + 7 * (size_t)self->frames[s];
            self->weights[s] /= sum;
            TacVec3 local = tac_rotate_back(tac_load_quat(frame + 3), tac_sub(place, tac_load3(frame)));
            tac_store3(self->offsets + 3 * s, tac_scale(local, self->weights[s]));
        }
    }
    return TAC_OK;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    SkinningMap *self = data;
    const TacMatter *parent = self->map.parent, *child = self->map.child;
    if (parent->kind != TAC_RIGID3 || child->kind != TAC_VEC3)
        return tac_setup_fail(setup, error, NULL, "carries Vec3 on Rigid3; %s is %s and %s is %s",
                              child->base.path, tac_matter_kind_name(child->kind), parent->base.path,
                              tac_matter_kind_name(parent->kind));
    self->map.faithful = true;
    TAC_TRY(take_lists(self, setup, error));
    TAC_TRY(find_offsets(self, setup, error));
    TAC_TRY(tac_owned_build(&self->of_frame, setup, parent->count, self->frames, self->each * child->count,
                            error));
    tac_map_place_child(&self->map);
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    TAC_MAP_ATTRIBUTES(SkinningMap, map),
    {"frames", TAC_INTS, offsetof(SkinningMap, given_frames), "1", "",
     "The frames that carry each point, as many for each; by default the nearest ones.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"weights", TAC_REALS, offsetof(SkinningMap, given_weights), "1", "",
     "One for each of frames; they are scaled so that those of a point add up to 1.", NULL, TAC_NOT_NEGATIVE,
     0},
    {"nearest", TAC_INT, offsetof(SkinningMap, nearest), "1", "4",
     "Without frames: how many of the nearest frames carry a point, weighted by 1 / distance^2 at rest.",
     NULL, TAC_POSITIVE, 0},
    {"geometric", TAC_CHOICE, offsetof(SkinningMap, geometric), "", "symmetric",
     "What implicit solvers see of how turning a frame changes the torque of given forces: its symmetric "
     "part, all of it, or nothing.",
     "symmetric|exact|none", TAC_ANY, 0},
};

const TacClass tac_skinning_map_class = {
    .name = "SkinningMap",
    .kind = TAC_KIND_MAP,
    .doc = "Points carried by several frames together, each with its weight: a skin over bones.",
    .size = sizeof(SkinningMap),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.map = &ops,
};
