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
} Call;

typedef void (*Visit)(const Call *call, const TacPatch *patch, bool is_b);

static Call call_of(void *self, const TacLawVectors *vectors) {
    TacTouchModel *model = self;
    const TacMatter *m = model->model->matter;
    return (Call){.self = model,
                  .vectors = vectors,
                  .x_size = (size_t)m->position_size,
                  .v_size = (size_t)m->velocity_size};
}

static void for_patches(const Call *call, Visit visit) {
    const TacTouch *touch = call->self->touch;
    size_t m = (size_t)(call->self - touch->models);
    for (uint32_t i = touch->a_start[m]; i < touch->a_start[m + 1]; i++)
        if (touch->now.patches[i].count) visit(call, &touch->now.patches[i], false);
    for (uint32_t i = touch->b_start[m]; i < touch->b_start[m + 1]; i++)
        if (touch->now.patches[touch->b_list[i]].count)
            visit(call, &touch->now.patches[touch->b_list[i]], true);
}

static size_t place_of(const Call *call, const TacPatch *patch, bool is_b) {
    return tac_touch_place(call->self, is_b ? patch->key.ib : patch->key.ia);
}

// --- force ------------------------------------------------------------------------------------------------

static void add_force(const Call *call, const TacPatch *patch, bool is_b) {
    size_t place = place_of(call, patch, is_b);
    double *f = call->vectors->f[0] + call->v_size * place, side = is_b ? 1 : -1;
    TacVec3 force = tac_axpy(patch->drag, patch->push, patch->normal);
    tac_add3(f, tac_scale(force, side));
    if (call->v_size != 6) return;
    // all pushes, and friction with them, act at their centre; their torque about it is zero
    TacVec3 arm = tac_sub(patch->centre, tac_load3(call->vectors->x[0] + call->x_size * place));
    TacVec3 torque = tac_axpy(tac_cross(arm, force), patch->spin, patch->normal);
    tac_add3(f + 3, tac_scale(torque, side));
}

static void force(void *self, const TacContext *context, const TacLawVectors *vectors) {
    (void)context;
    Call call = call_of(self, vectors);
    for_patches(&call, add_force);
}

// --- change of force --------------------------------------------------------------------------------------

// How a contact point answers to being moved: stiff along the normal, and across it while friction holds.
static TacVec3 answer(const Call *call, const TacPatch *patch, const TacTouchPoint *point, TacVec3 d) {
    double along = tac_dot(patch->normal, d), share = patch->push > 0 ? point->push / patch->push : 0;
    double normal = point->push > 0 ? call->k * patch->k + call->b * patch->c : 0;
    double across = patch->sticks ? share * (call->k * patch->k_slide + call->b * patch->c_slide) : 0;
    TacVec3 t = tac_axpy(d, -along, patch->normal);
    return tac_axpy(tac_scale(patch->normal, -normal * along), -across, t);
}

static TacVec3 moved(const Call *call, size_t place, TacVec3 arm) {
    const double *d = call->vectors->v[0] + call->v_size * place;
    TacVec3 v = tac_load3(d);
    return call->v_size == 6 ? tac_add(v, tac_cross(tac_load3(d + 3), arm)) : v;
}

// The place of the other side in the same matter; SIZE_MAX: it belongs to other matter, which is taken as standing.
static size_t other_place(const Call *call, const TacPatch *patch, bool is_b) {
    const TacTouch *touch = call->self->touch;
    const TacTouchObject *o = &touch->objects[is_b ? patch->key.a : patch->key.b];
    const TacTouchModel *m = &touch->models[o->model];
    if (m->model->matter != call->self->model->matter || !m->moves) return SIZE_MAX;
    return tac_touch_place(m, is_b ? patch->key.ia : patch->key.ib);
}

static void add_change(const Call *call, const TacPatch *patch, bool is_b) {
    size_t place = place_of(call, patch, is_b), other = other_place(call, patch, is_b);
    const double *x = call->vectors->x[0];
    double *f = call->vectors->f[0] + call->v_size * place;
    for (uint32_t i = 0; i < patch->count; i++) {
        const TacTouchPoint *p = &call->self->touch->now.points[patch->point + i];
        TacVec3 arm = tac_sub(p->at, tac_load3(x + call->x_size * place));
        TacVec3 d = moved(call, place, arm);
        if (other != SIZE_MAX)
            d = tac_sub(d, moved(call, other, tac_sub(p->at, tac_load3(x + call->x_size * other))));
        TacVec3 change = answer(call, patch, p, d);
        tac_add3(f, change);
        if (call->v_size == 6) tac_add3(f + 3, tac_cross(arm, change));
    }
}

static void force_change(void *self, const TacContext *context, const TacLawVectors *vectors, double k,
                         double b) {
    (void)context;
    Call call = call_of(self, vectors);
    call.k = k;
    call.b = b;
    for_patches(&call, add_change);
}

// --- blocks -----------------------------------------------------------------------------------------------

// What a unit of the other side's (or its own) velocity component does here, column by column.
static void add_block(const Call *call, const TacPatch *patch, const TacTouchPoint *p, size_t row,
                      size_t column, double sign) {
    double block[36] = {0};
    size_t n = call->v_size;
    const double *x = call->vectors->x[0];
    TacVec3 arm = tac_sub(p->at, tac_load3(x + call->x_size * row));
    TacVec3 other = tac_sub(p->at, tac_load3(x + call->x_size * column));
    for (size_t j = 0; j < n; j++) {
        double unit[6] = {0};
        unit[j] = sign;
        TacVec3 d = tac_load3(unit);
        if (n == 6) d = tac_add(d, tac_cross(tac_load3(unit + 3), other));
        TacVec3 change = answer(call, patch, p, d), torque = tac_cross(arm, change);
        const double values[6] = {change.x, change.y, change.z, torque.x, torque.y, torque.z};
        for (size_t i = 0; i < n; i++) block[n * i + j] = values[i];
    }
    tac_matrix_add(call->matrix, 0, row, 0, column, block);
}

static void add_blocks(const Call *call, const TacPatch *patch, bool is_b) {
    size_t place = place_of(call, patch, is_b), other = other_place(call, patch, is_b);
    for (uint32_t i = 0; i < patch->count; i++) {
        const TacTouchPoint *p = &call->self->touch->now.points[patch->point + i];
        add_block(call, patch, p, place, place, 1);
        if (other != SIZE_MAX) add_block(call, patch, p, place, other, -1);
    }
}

static void stiffness(void *self, const TacContext *context, const TacLawVectors *vectors, double k, double b,
                      TacMatrix *matrix) {
    (void)context;
    Call call = call_of(self, vectors);
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
