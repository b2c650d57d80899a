// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What a wire asks of Spook: its segments, ends and bending as rows, and what becomes of the forces that are found. See
// wire.h for the rules.

#include "agent/wire_parts.h"
#include "base/memory.h"
#include "matter/matter.h"

#include <string.h>

// Slots: segments of the finest level by their first point, three for each end, one more for each, three for each inner point.
static size_t end_slot(const Wire *self, size_t end) {
    return segments(self->finest) + 3 * end;
}

static size_t owed_slot(const Wire *self, size_t end) {
    return segments(self->finest) + 6 + end;
}

static size_t bend_slot(const Wire *self, size_t point) {
    return segments(self->finest) + 8 + 3 * point;
}

TacJointSize tac_wire_capacity(const void *data) {
    const Wire *self = data;
    size_t n = segments(self->finest), inner = self->bend > 0 ? n - 1 : 0;
    size_t still = 2 * n;
    TacJointSize size = {n + 8 + 3 * inner + still, 2 * (n + 8) + 9 * inner + 2 * still,
                         n + 8 + (self->bend > 0 ? 3 * n : 0) + still};
    if (!self->noded) return size;
    TacJointSize more = tac_cable_size(&self->line);
    TacJointSize outside = tac_cable_outside_size(&self->line, n + 1);
    size_t lying = self->line.body_count ? TAC_CABLE_LYING * (n + 1) : 0;
    return (TacJointSize){size.rows + more.rows + lying + outside.rows,
                          size.blocks + more.blocks + TAC_CABLE_STOPS + 2 * lying + outside.blocks,
                          size.slots + more.slots + lying + outside.slots};
}

size_t tac_wire_matters(const void *data, TacMatter **list, size_t most) {
    const Wire *self = data;
    size_t n = 0;
    if (n < most) list[n++] = self->head.matter;
    TacMatter *const all[] = {self->end[0], self->end[1], self->noded ? self->line.way.wheels_of : NULL,
                              self->noded ? self->line.way.bodies_of : NULL};
    for (size_t i = 0; i < TAC_COUNT(all) && n < most; i++) {
        bool known = !all[i];
        for (size_t k = 0; k < n; k++) known = known || list[k] == all[i];
        if (!known) list[n++] = all[i];
    }
    return n;
}

// Each point to the next, and its ends; not what it is led over: its line has momentum of its own there (momentum.h).
bool tac_wire_tie(const void *data, size_t number, TacTie *tie) {
    const Wire *self = data;
    const TacMatter *m = self->head.matter;
    if (number + 1 < m->count) {
        *tie = (TacTie){{m, m}, {number, number + 1}};
        return true;
    }
    size_t end = number + 1 - m->count;
    if (end > 1) return false;
    const TacAttachment *a = &self->attachment[end];
    *tie = (TacTie){{m, a->matter}, {end ? m->count - 1 : 0, a->point}};
    return true;
}

static double damping_of(const Wire *self) {
    return isnan(self->damping) ? -1 : self->damping;
}

static void add_segments(const Wire *self, TacRows *rows, uint32_t first) {
    int level = (int)self->level;
    size_t n = segments(level), step = stride(self, level);
    double rest = self->length / (double)n, compliance = self->stretch > 0 ? rest / self->stretch : 0;
    const TacVec3 none = {0, 0, 0};
    for (size_t s = 0; s < n; s++) {
        size_t a = s * step, b = a + step;
        TacVec3 d = tac_sub(tac_load3(x_of(self, b)), tac_load3(x_of(self, a)));
        double length = tac_norm(d);
        TacVec3 u = length > 0 ? tac_scale(d, 1 / length) : none;
        TacRow *row = tac_rows_add(rows, a);
        if (!row) return;
        row->violation = length - rest;
        row->compliance = compliance;
        row->damping = damping_of(self);
        row->high = 0;
        tac_rows_block(rows, first + (uint32_t)a, tac_scale(u, -1), none);
        tac_rows_block(rows, first + (uint32_t)b, u, none);
    }
}

static const TacVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static double component(TacVec3 a, size_t k) {
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

// What a transition owes to the thing that an end is tied to, as a row whose force is known.
static void add_owed(const Wire *self, const TacContext *context, TacRows *rows) {
    for (size_t end = 0; end < 2; end++) {
        TacVec3 owed = tac_load3(self->owed[end]);
        double size = tac_norm(owed);
        TacRow *row = size > 0 ? tac_rows_add(rows, owed_slot(self, end)) : NULL;
        if (!row) continue;
        row->kind = TAC_ROW_SPEED;
        row->low = row->high = size / context->step;
        tac_rows_place(rows, &self->attachment[end], tac_scale(owed, 1 / size));
    }
}

static void add_ends(const Wire *self, TacRows *rows, uint32_t first) {
    const TacVec3 none = {0, 0, 0};
    for (size_t end = 0; end < 2; end++) {
        const TacAttachment *a = &self->attachment[end];
        if (!a->matter) continue;
        size_t point = end ? self->head.matter->count - 1 : 0;
        TacVec3 d = tac_sub(tac_load3(x_of(self, point)), tac_attachment_place(a));
        for (size_t k = 0; k < 3; k++) {
            TacRow *row = tac_rows_add(rows, end_slot(self, end) + k);
            if (!row) return;
            row->violation = component(d, k);
            row->damping = damping_of(self);
            tac_rows_block(rows, first + (uint32_t)point, unit[k], none);
            tac_rows_place(rows, a, tac_scale(unit[k], -1));
        }
    }
}

static void add_bending(const Wire *self, TacRows *rows, uint32_t first) {
    int level = (int)self->level;
    size_t n = segments(level), step = stride(self, level);
    double l = self->length / (double)n;
    const TacVec3 none = {0, 0, 0};
    for (size_t s = 1; s < n; s++) {
        size_t b = s * step, a = b - step, c = b + step;
        // next to nodes its neighbours are elsewhere: there it bends over them, not by itself
        if (self->noded && !tac_wire_is_plain(self, a, c)) continue;
        TacVec3 x = tac_axpy(tac_add(tac_load3(x_of(self, a)), tac_load3(x_of(self, c))), -2,
                             tac_load3(x_of(self, b)));
        for (size_t k = 0; k < 3; k++) {
            TacRow *row = tac_rows_add(rows, bend_slot(self, b) + k);
            if (!row) return;
            row->violation = component(x, k);
            row->compliance = l * l * l / self->bend;
            row->damping = damping_of(self);
            tac_rows_block(rows, first + (uint32_t)a, unit[k], none);
            tac_rows_block(rows, first + (uint32_t)b, tac_scale(unit[k], -2), none);
            tac_rows_block(rows, first + (uint32_t)c, unit[k], none);
        }
    }
}

// The massless cable: one row, from one thing to the other.
static void add_cable(const Wire *self, TacRows *rows) {
    TacAttachment a = end_of(self, 0), b = end_of(self, 1);
    TacVec3 d = tac_sub(tac_attachment_place(&b), tac_attachment_place(&a));
    double length = tac_norm(d);
    TacVec3 u = length > 0 ? tac_scale(d, 1 / length) : tac_vec3(0, 0, 0);
    TacRow *row = tac_rows_add(rows, 0);
    if (!row) return;
    row->violation = length - self->length;
    row->compliance = self->stretch > 0 ? self->length / self->stretch : 0;
    row->damping = damping_of(self);
    row->high = 0;
    tac_rows_place(rows, &a, tac_scale(u, -1));
    tac_rows_place(rows, &b, u);
}

void tac_wire_add(void *data, const TacContext *context, TacRows *rows) {
    Wire *self = data;
    uint32_t first = tac_rows_body(rows, self->head.matter);
    add_owed(self, context, rows);
    if (self->noded) {
        tac_wire_add_nodes(self, context, rows);
        if (self->level == CABLE) return;
        add_ends(self, rows, first);
        if (self->bend > 0) add_bending(self, rows, first);
        return;
    }
    if (self->level == CABLE) {
        add_cable(self, rows);
        return;
    }
    add_segments(self, rows, first);
    add_ends(self, rows, first);
    if (self->bend > 0) add_bending(self, rows, first);
}

void tac_wire_take(void *data, const TacContext *context, const double *forces) {
    Wire *self = data;
    size_t n = segments(self->finest), step = stride(self, (int)self->level);
    double most = 0;
    memset(self->owed, 0, sizeof self->owed);
    if (self->noded) tac_wire_take_nodes(self, forces);
    for (size_t s = 0; s < n; s++) {
        if (!self->noded) self->tension[s] = -forces[s - s % step];
        most = fmax(most, self->tension[s]);
    }
    tac_wire_take_tension(self, most, context->step);
}

// Rows of wire_still.c come behind all others.
bool tac_wire_add_still(const void *data, const TacContext *context, const double *forces, TacRows *rows) {
    const Wire *self = data;
    return tac_wire_steady(self, context->step, forces, rows,
                           tac_wire_capacity(self).slots - 2 * segments(self->finest));
}
