// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Live layers as rows of a Spook agent; see layer_rows.h.

#include "contact/layer_rows.h"
#include "contact/layer_others.h"

enum { MOST_ROWS = 2048 };

// --- looking ----------------------------------------------------------------------------------------------

// The agent's matter that a support belongs to; matter_count: none of it.
static size_t matter_of(const TacLayerRows *rows, uint32_t support) {
    size_t i = 0;
    for (; i < rows->matter_count; i++)
        if (support >= rows->first_support[i] && support - rows->first_support[i] < rows->matters[i]->count)
            break;
    return i;
}

static void add_part(TacLayerRows *rows, TacLayerRow *row, uint32_t support, TacMatter *matter,
                     uint32_t point, const double linear[3], TacVec3 angular) {
    // several vertices of a pair may sit on one frame: one part for all
    for (uint32_t i = row->first; i < rows->part_count; i++) {
        TacLayerPart *known = &rows->parts[i];
        if (known->support != support) continue;
        for (int k = 0; k < 3; k++) known->linear[k] += linear[k];
        tac_add3(known->angular, angular);
        return;
    }
    TacLayerPart *part = &rows->parts[rows->part_count++];
    *part = (TacLayerPart){.matter = matter, .point = point, .support = support};
    memcpy(part->linear, linear, sizeof part->linear);
    tac_store3(part->angular, angular);
    row->count++;
}

// The parts of one vertex of a pair. False: there are too many.
static bool add_vertex(TacLayerRows *rows, TacLayerRow *row, uint32_t vertex, double weight,
                       const double normal[3], TacTick now, TacLayerOthers *others) {
    const TacSafe *safe = rows->safe;
    const TacVertex *v = &safe->vertices[vertex];
    for (uint32_t i = 0; i < v->count; i++) {
        TacSafeCarrier c = tac_safe_carrier(safe, v, i);
        const TacSupport *s = &safe->supports[c.support];
        double linear[3];
        for (int k = 0; k < 3; k++) linear[k] = weight * c.weight * normal[k];
        size_t m = matter_of(rows, c.support);
        if (m == rows->matter_count) { // what only pushes needs no levers: they are along the normal
            tac_layer_others_add(others, safe, vertex, c.support, weight * c.weight, normal,
                                 tac_vec3(0, 0, 0), now);
            continue;
        }
        if (row->count == TAC_LAYER_ROW_PARTS || rows->part_count == rows->part_capacity) return false;
        TacVec3 angular = {0, 0, 0};
        if (s->frame)
            angular = tac_cross(tac_rotate(tac_load_quat(tac_support_x(s) + 3), safe->locals[vertex]),
                                tac_load3(linear));
        add_part(rows, row, c.support, rows->matters[m], c.support - rows->first_support[m], linear, angular);
    }
    return true;
}

static void add_pair(TacLayerRows *rows, const TacPair *p, TacTick now) {
    const TacSafe *safe = rows->safe;
    TacLayerLook look;
    if (rows->count == rows->capacity || !tac_layer_look(safe, p, now, &look)) return;
    TacLayerRow *row = &rows->rows[rows->count];
    *row = (TacLayerRow){.force = look.force,
                         .stiffness = look.stiffness,
                         .gap = look.gap,
                         .slow = tac_layer_slow(&safe->types[p->type]),
                         .first = (uint32_t)rows->part_count};
    TacLayerOthers others = {.count = 0};
    for (int i = 0; i < look.count; i++)
        if (!add_vertex(rows, row, look.v[i], look.closest.weight[i], look.closest.normal, now, &others)) {
            rows->part_count = row->first;
            return;
        }
    tac_layer_others_find(&others, safe);
    row->others = others.speed;
    row->inverse = others.inverse;
    if (row->count) rows->count++;
}

// How the agent's own gives way to a row. Points that several rows push move as by all of them, the
// stiffer the more.
static void find_own(TacLayerRows *rows, TacLayerRoom *room) {
    const TacSafe *safe = rows->safe;
    const TacLayerPart *parts = rows->parts, *end = parts + rows->part_count;
    for (const TacLayerPart *p = parts; p < end; p++) tac_layer_room_empty(room, p->support);
    for (TacLayerRow *row = rows->rows; row < rows->rows + rows->count; row++)
        for (const TacLayerPart *p = parts + row->first; p < parts + row->first + row->count; p++) {
            const TacSupport *s = &safe->supports[p->support];
            tac_layer_room_load(room, p->support, row->stiffness, p->linear);
            for (int k = 0; k < 3; k++) row->own += tac_support_w(s, k) * p->linear[k] * p->linear[k];
            if (!s->frame || !s->kind->inertia) continue;
            TacVec3 turn = tac_load3(p->angular);
            row->own +=
                tac_dot(turn, tac_inertia_solve(s->kind->inertia, tac_load_quat(tac_support_x(s) + 3), turn));
        }
    for (TacLayerRow *row = rows->rows; row < rows->rows + rows->count; row++)
        for (const TacLayerPart *p = parts + row->first; p < parts + row->first + row->count; p++)
            row->own += fmax(0, tac_layer_room_more(room, safe, p->support, row->stiffness, p->linear)) /
                        (row->stiffness * row->stiffness);
}

// Whether a primitive rests on the agent.
static bool is_own(const TacLayerRows *rows, uint32_t primitive) {
    const TacSafe *safe = rows->safe;
    const TacPrimitive *p = &safe->primitives[primitive];
    for (int i = 0; i <= p->kind; i++) {
        const TacVertex *v = &safe->vertices[p->v[i]];
        for (uint32_t k = 0; k < v->count; k++)
            if (matter_of(rows, tac_safe_carrier(safe, v, k).support) < rows->matter_count) return true;
    }
    return false;
}

bool tac_layer_rows_look(TacLayerRows *rows, TacTick now) {
    const TacSafe *safe = rows->safe;
    TacLayerRoom *room = tac_layer_room_take(rows->safe);
    size_t n = 0;
    rows->count = rows->part_count = 0;
    const uint64_t *pairs = room ? tac_layer_room_pairs(room, safe, &n) : NULL;
    for (size_t i = 0; i < n && pairs; i++) {
        const TacPair *p = &safe->pairs[(uint32_t)pairs[i]];
        if (is_own(rows, p->a) || is_own(rows, p->b)) add_pair(rows, p, now);
    }
    if (pairs) find_own(rows, room);
    if (room) tac_layer_room_give(rows->safe, room);
    return pairs != NULL;
}

// How fast a gap grows by the motion of the agent's own.
static double growth(const TacLayerRows *rows, const TacLayerRow *row, TacVector of) {
    double sum = 0;
    for (uint32_t i = row->first; i < row->first + row->count; i++) {
        const TacLayerPart *part = &rows->parts[i];
        const double *v = part->matter->vectors[of] + (size_t)part->matter->velocity_size * part->point;
        sum += tac_dot(tac_load3(part->linear), tac_load3(v));
        if (part->matter->kind == TAC_RIGID3) sum += tac_dot(tac_load3(part->angular), tac_load3(v + 3));
    }
    return sum;
}

static bool moves_points(const TacLayerRows *rows, const TacLayerRow *row) {
    for (uint32_t i = row->first; i < row->first + row->count; i++)
        if (rows->parts[i].matter->kind == TAC_VEC3) return true;
    return false;
}

double tac_layer_rows_step(const TacLayerRows *rows, bool solved) {
    double step = INFINITY;
    for (size_t i = 0; i < rows->count && !rows->over_nodes; i++) {
        const TacLayerRow *row = &rows->rows[i];
        if (!moves_points(rows, row)) continue;
        double speed = row->others + growth(rows, row, TAC_V), both = row->own + row->inverse;
        if (solved) speed += growth(rows, row, TAC_DV) + row->inverse * row->impulse;
        step = fmin(step, tac_layer_step(row->gap, row->stiffness, speed, both, both,
                                         (solved ? TAC_LAYER_STILL : 1) * row->slow, INFINITY));
    }
    return step;
}

void tac_layer_rows_give_back(const TacLayerRows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        const TacLayerRow *row = &rows->rows[i];
        for (uint32_t k = row->first; k < row->first + row->count; k++) {
            const TacLayerPart *part = &rows->parts[k];
            const TacSupport *s = &rows->safe->supports[part->support];
            double *dv = part->matter->vectors[TAC_DV] + (size_t)part->matter->velocity_size * part->point;
            for (int a = 0; a < 3; a++) dv[a] -= tac_support_w(s, a) * part->linear[a] * row->impulse;
            if (!s->frame || !s->kind->inertia) continue;
            TacVec3 turn = tac_scale(tac_load3(part->angular), row->impulse);
            tac_add3(dv + 3,
                     tac_scale(tac_inertia_solve(s->kind->inertia, tac_load_quat(tac_support_x(s) + 3), turn),
                               -1));
        }
    }
}

// --- the joint --------------------------------------------------------------------------------------------

static void add(void *data, const TacContext *context, TacRows *to) {
    const TacLayerRows *self = data;
    double h = context->step;
    to->most_speed = self->safe->most_speed;
    for (size_t i = 0; i < self->count; i++) {
        const TacLayerRow *from = &self->rows[i];
        TacRow *row = tac_rows_add(to, i);
        if (!row) return;
        row->kind = TAC_ROW_SPEED;
        row->compliance = 1 / (h * from->stiffness) + h * from->inverse;
        row->speed = from->force / (h * from->stiffness) - from->others;
        row->low = 0;
        row->barrier = from->stiffness;
        for (uint32_t k = from->first; k < from->first + from->count; k++) {
            const TacLayerPart *part = &self->parts[k];
            tac_rows_block(to, tac_rows_body(to, part->matter) + part->point, tac_load3(part->linear),
                           tac_load3(part->angular));
        }
    }
}

static void take(void *data, const TacContext *context, const double *forces) {
    TacLayerRows *self = data;
    for (size_t i = 0; i < self->count; i++) self->rows[i].impulse = context->step * forces[i];
}

static TacJointSize capacity(const void *data) {
    const TacLayerRows *self = data;
    return (TacJointSize){self->capacity, self->part_capacity, self->capacity};
}

static size_t matters(const void *data, TacMatter **list, size_t most) {
    const TacLayerRows *self = data;
    size_t n = self->matter_count < most ? self->matter_count : most;
    for (size_t i = 0; i < n; i++) list[i] = self->matters[i];
    return n;
}

TacStatus tac_layer_rows_create(TacLayerRows *rows, TacArena *arena, TacError *error) {
    const TacSafe *safe = rows->safe;
    size_t vertices = 0;
    for (uint32_t i = 0; i < safe->support_count; i++)
        if (matter_of(rows, i) < rows->matter_count) vertices += safe->supports[i].vertex_count;
    rows->capacity = 8 * vertices < MOST_ROWS ? 8 * vertices : MOST_ROWS;
    rows->part_capacity = 8 * rows->capacity;
    rows->rows = tac_arena_array(arena, rows->capacity, sizeof *rows->rows);
    rows->parts = tac_arena_array(arena, rows->part_capacity, sizeof *rows->parts);
    return rows->rows && rows->parts ? TAC_OK : tac_fail_memory(error, 0);
}

static const TacJointOps ops = {.capacity = capacity, .matters = matters, .add = add, .take = take};

const TacClass tac_layer_rows_class = {
    .name = "(layers)",
    .kind = TAC_KIND_JOINT,
    .doc = "Live layers of safe contact within the solve of joints.",
    .size = sizeof(TacLayerRows),
    .ops.joint = &ops,
};
