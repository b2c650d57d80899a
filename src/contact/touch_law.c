// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Loose contact as a law of one agent: what the patches of one model do to its matter, and how that changes as the
// matter moves. Never in a scene by itself: the compile step adds one for each collision model that moves.

#include "contact/touch.h"

typedef struct Call {
    const TacTouchModel *self;
    const TacLawVectors *vectors;
    size_t x_size, v_size;
    double k, b;
    TacMatrix *matrix;
    double step;  // of the solver that asks, s
    double lasts; // how many of these a push of the present run lasts; 1: as usual
    double
        lasts_k; // the same where a stiffness is asked for, which is more by how much longer it is looked ahead
} Call;

typedef void (*Visit)(const Call *call, const TacPatch *patch, bool is_b);

static Call call_of(void *self, const TacContext *context, const TacLawVectors *vectors) {
    TacTouchModel *model = self;
    const TacMatter *m = model->model->matter;
    return (Call){.self = model,
                  .vectors = vectors,
                  .step = context->step,
                  .lasts = 1,
                  .lasts_k = 1,
                  .x_size = (size_t)m->position_size,
                  .v_size = (size_t)m->velocity_size};
}

static void visit_run(const Call *all, const TacTouchRun *run, size_t model, Visit visit) {
    const TacTouch *touch = all->self->touch;
    const TacTouchModel *a = &touch->models[run->model_a], *b = &touch->models[run->model_b];
    const TacPatch *patches = touch->now.patches;
    bool is_a = run->model_a == model, is_b = run->model_b == model;
    double period = tac_touch_period(touch, a, b), rayleigh = all->self->rayleigh;
    bool waits = tac_touch_waits(touch, a, b);
    Call shared = *all;
    if (period > all->step) {
        shared.lasts = period / all->step;
        shared.lasts_k = shared.lasts * (period + rayleigh) / (all->step + rayleigh);
    }
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        bool rests = tac_patch_more(&touch->now, &patches[i])->rests;
        if (!patches[i].count || (waits && !rests)) continue;
        if (is_a) visit(rests ? all : &shared, &patches[i], false);
        if (is_b) visit(rests ? all : &shared, &patches[i], true);
    }
}

static inline void for_patches(const Call *call, Visit visit) {
    const TacTouch *touch = call->self->touch;
    size_t m = (size_t)(call->self - touch->models);
    if (touch->is_view) {
        // few: looked at all
        for (size_t i = 0; i < touch->run_count; i++) visit_run(call, &touch->runs[i], m, visit);
        return;
    }
    for (uint32_t i = touch->a_start[m]; i < touch->a_start[m + 1]; i++)
        visit_run(call, &touch->runs[i], m, visit);
    for (uint32_t i = touch->b_start[m]; i < touch->b_start[m + 1]; i++)
        visit_run(call, &touch->runs[touch->b_list[i]], m, visit);
}

static const TacPatchMore *more_of(const Call *call, const TacPatch *patch) {
    return tac_patch_more(&call->self->touch->now, patch);
}

static size_t place_of(const Call *call, const TacPatch *patch, bool is_b) {
    return tac_touch_place(call->self, is_b ? patch->key.ib : patch->key.ia);
}

// --- how a side answers -----------------------------------------------------------------------------------

// How much stiffer a side is taken because the other one is taken as standing; see touch.h.
typedef struct Reserve {
    double normal, across;
} Reserve;

// One side of a patch, while it is asked how it answers to being moved.
typedef struct Turn {
    const TacPatch *patch;
    TacVec3 origin;              // of its own frame
    TacVec3 along;               // a direction in which it does not answer
    double normal, across, spin; // stiffness of all points together, of the slide, of the twist
} Turn;

static Turn turn_of(const Call *call, const TacPatch *patch, size_t place, Reserve reserve) {
    const TacPatchMore *more = more_of(call, patch);
    double long_k = call->lasts_k * call->k, long_b = call->lasts * call->b;
    double k = reserve.across * long_k, b = reserve.across * long_b;
    double slide = k * more->k + b * more->c_slide;
    return (Turn){.patch = patch,
                  .origin = tac_load3(call->vectors->x[0] + call->x_size * place),
                  .normal = reserve.normal * (long_k * more->k_push + long_b * more->c),
                  .across = more->sticks ? slide : b * more->brake,
                  .along = more->sticks ? tac_vec3(0, 0, 0) : more->along,
                  .spin = more->grips ? more->square * slide : b * more->spin_brake};
}

// A motion of a point or frame about its origin.
typedef struct Motion {
    TacVec3 origin, v, w;
} Motion;

static Motion motion_of(const Call *call, size_t place) {
    const double *d = call->vectors->v[0] + call->v_size * place;
    return (Motion){.origin = tac_load3(call->vectors->x[0] + call->x_size * place),
                    .v = tac_load3(d),
                    .w = call->v_size == 6 ? tac_load3(d + 3) : tac_vec3(0, 0, 0)};
}

static TacVec3 moved(const Motion *m, TacVec3 at) {
    return tac_add(m->v, tac_cross(m->w, tac_sub(at, m->origin)));
}

// The change of force and torque on a side when it, or the other one (sign -1), moves: along the normal point by
// point, across it at the centre, and about it.
static void answer(const Call *call, const Turn *turn, const Motion *motion, double sign, double out[6]) {
    const TacPatch *patch = turn->patch;
    TacVec3 n = patch->normal, force = {0, 0, 0}, torque = {0, 0, 0};
    TacTouchPoint own;
    const TacTouchPoint *points = tac_patch_points(&call->self->touch->now, patch, &own);
    for (uint32_t i = 0; i < patch->count; i++) {
        const TacTouchPoint *p = &points[i];
        if (!(p->push > 0)) continue;
        TacVec3 f = tac_scale(n, -sign * p->weight * turn->normal * tac_dot(n, moved(motion, p->at)));
        force = tac_add(force, f);
        torque = tac_add(torque, tac_cross(tac_sub(p->at, turn->origin), f));
    }
    TacVec3 d = moved(motion, patch->centre);
    d = tac_axpy(d, -tac_dot(n, d), n);
    TacVec3 drag = tac_scale(tac_axpy(d, -tac_dot(turn->along, d), turn->along), -sign * turn->across);
    force = tac_add(force, drag);
    torque = tac_add(torque, tac_cross(tac_sub(patch->centre, turn->origin), drag));
    torque = tac_axpy(torque, -sign * turn->spin * tac_dot(n, motion->w), n);
    tac_store3(out, force);
    tac_store3(out + 3, torque);
}

static const TacTouchModel *other_model(const Call *call, const TacPatch *patch, bool is_b) {
    const TacTouch *touch = call->self->touch;
    return &touch->models[touch->objects[is_b ? patch->key.a : patch->key.b].model];
}

static bool is_solved(const Call *call, const TacPatch *patch, bool is_b) {
    return !more_of(call, patch)->moving && tac_touch_is_solved(call->self, other_model(call, patch, is_b));
}

// The place of the other side in the same matter; SIZE_MAX: it belongs to other matter, which is taken as standing.
static size_t other_place(const Call *call, const TacPatch *patch, bool is_b, Reserve *reserve) {
    const TacTouchModel *m = other_model(call, patch, is_b);
    uint32_t own = is_b ? patch->key.ib : patch->key.ia, other = is_b ? patch->key.ia : patch->key.ib;
    bool same = m->model->matter == call->self->model->matter;
    *reserve = (Reserve){1, 1};
    if (m->moves && !same)
        *reserve =
            (Reserve){more_of(call, patch)->reserve[is_b], 1 + call->self->masses[own] / m->masses[other]};
    if (!same || !m->moves) return SIZE_MAX;
    return tac_touch_place(m, other);
}

// --- force ------------------------------------------------------------------------------------------------

static void add_force(const Call *call, const TacPatch *patch, bool is_b) {
    size_t place = place_of(call, patch, is_b);
    double *f = call->vectors->f[0] + call->v_size * place, side = is_b ? call->lasts : -call->lasts;
    TacVec3 force = tac_axpy(patch->drag, patch->push, patch->normal);
    tac_add3(f, tac_scale(force, side));
    if (call->v_size != 6) return;
    // all pushes, and friction with them, act at their centre; their torque about it is zero
    TacVec3 arm = tac_sub(patch->centre, tac_load3(call->vectors->x[0] + call->x_size * place));
    TacVec3 torque = tac_cross(arm, force);
    if (patch->more_plus_1) torque = tac_axpy(torque, more_of(call, patch)->spin, patch->normal);
    tac_add3(f + 3, tac_scale(torque, side));
}

static void force(void *self, const TacContext *context, const TacLawVectors *vectors) {
    Call call = call_of(self, context, vectors);
    for_patches(&call, add_force);
}

// --- change of force --------------------------------------------------------------------------------------

static void add_change(const Call *call, const TacPatch *patch, bool is_b) {
    Reserve reserve;
    double change[6];
    if (!is_solved(call, patch, is_b)) return;
    size_t place = place_of(call, patch, is_b), other = other_place(call, patch, is_b, &reserve);
    Turn turn = turn_of(call, patch, place, reserve);
    double *f = call->vectors->f[0] + call->v_size * place;
    Motion own = motion_of(call, place);
    answer(call, &turn, &own, 1, change);
    for (size_t i = 0; i < call->v_size; i++) f[i] += change[i];
    if (other == SIZE_MAX) return;
    Motion theirs = motion_of(call, other);
    answer(call, &turn, &theirs, -1, change);
    for (size_t i = 0; i < call->v_size; i++) f[i] += change[i];
}

static void force_change(void *self, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    Call call = call_of(self, context, vectors);
    call.k = k;
    call.b = b;
    for_patches(&call, add_change);
}

// --- blocks -----------------------------------------------------------------------------------------------

// What a unit of each component of a side's velocity does here, column by column.
static void add_block(const Call *call, const Turn *turn, size_t row, size_t column, double sign) {
    double block[36] = {0};
    size_t n = call->v_size;
    for (size_t j = 0; j < n; j++) {
        double unit[6] = {0}, change[6];
        unit[j] = 1;
        Motion motion = {tac_load3(call->vectors->x[0] + call->x_size * column), tac_load3(unit),
                         tac_load3(unit + 3)};
        answer(call, turn, &motion, sign, change);
        for (size_t i = 0; i < n; i++) block[n * i + j] = change[i];
    }
    tac_matrix_add(call->matrix, 0, row, 0, column, block);
}

static void add_blocks(const Call *call, const TacPatch *patch, bool is_b) {
    Reserve reserve;
    if (!is_solved(call, patch, is_b)) return;
    size_t place = place_of(call, patch, is_b), other = other_place(call, patch, is_b, &reserve);
    Turn turn = turn_of(call, patch, place, reserve);
    add_block(call, &turn, place, place, 1);
    if (other != SIZE_MAX) add_block(call, &turn, place, other, -1);
}

static void stiffness(void *self, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix) {
    Call call = call_of(self, context, vectors);
    call.k = k;
    call.b = b;
    call.matrix = matrix;
    for_patches(&call, add_blocks);
}

static const TacLawOps ops = {.force = force, .force_change = force_change, .stiffness = stiffness};

const TacClass tac_touch_law_class = {
    .name = "LooseContact",
    .kind = TAC_KIND_LAW,
    .doc = "What loose contact does to one collision model.",
    .size = sizeof(TacTouchModel),
    .ops.law = &ops,
};
