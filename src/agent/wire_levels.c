// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// From one level of a wire to the next: masses, velocities, and the points that are carried. See wire.h for the rules;
// "Adaptive resolution in physics based virtual environments", section 3.1.

#include "agent/wire_parts.h"
#include "matter/matter.h"

#include <string.h>

// --- one level --------------------------------------------------------------------------------------------

// Who carries whom at a level.
static void find_lines(const Wire *self, int level, TacCarriedPoint *lines) {
    size_t step = stride(self, level), count = self->head.matter->count;
    for (size_t i = 0; i < count; i++) {
        size_t a = i - i % step, b = i % step ? a + step : a;
        lines[i] = (TacCarriedPoint){(uint32_t)a, (uint32_t)b, (double)(i % step) / (double)step};
    }
}

bool tac_wire_fits(const Wire *self, int level) {
    size_t step = stride(self, level);
    for (size_t i = 0; i < self->head.matter->count; i++) {
        size_t a = i - i % step, b = i % step ? a + step : a;
        double t = (double)(i % step) / (double)step;
        TacVec3 from = tac_load3(x_of(self, a)), to = tac_load3(x_of(self, b));
        TacVec3 there = tac_axpy(from, t, tac_sub(to, from));
        if (tac_norm(tac_sub(there, tac_load3(x_of(self, i)))) > 1e-6 * self->length) return false;
    }
    return true;
}

void tac_wire_lump(Wire *self) {
    int level = (int)self->level;
    size_t n = segments(level), step = stride(self, level);
    memset(self->m, 0, self->head.matter->count * sizeof *self->m);
    memset(self->inverse, 0, self->head.matter->count * sizeof *self->inverse);
    for (size_t k = 0; k <= n; k++) {
        bool at_end = k == 0 || k == n;
        double m = self->transition == DOCUMENT ? self->mass / (double)(n + 1)
                                                : self->mass / (double)n * (at_end ? 0.5 : 1);
        self->m[k * step] = m;
        if (level != CABLE) self->inverse[k * step] = 1 / m;
    }
    find_lines(self, level, self->lines);
}

// At its finest level masses are least, and what is carried is never lighter than what carries it.
double tac_wire_most_inverse(const void *data, size_t point) {
    const Wire *self = data;
    double n = (double)segments((int)self->highest);
    bool at_end = point == 0 || point == self->head.matter->count - 1;
    return (self->transition == DOCUMENT ? n + 1 : at_end ? 2 * n : n) / self->mass;
}

bool tac_wire_lines_are_sound(const Wire *self) {
    size_t step = stride(self, (int)self->level);
    for (size_t i = 0; i < self->head.matter->count; i++) {
        const TacCarriedPoint *line = &self->lines[i];
        size_t a = i - i % step;
        if (line->a != a || line->b != (i % step ? a + step : a) || !(line->t >= 0 && line->t < 1))
            return false;
    }
    return true;
}

void tac_wire_carry(Wire *self) {
    if (self->noded) {
        tac_wire_carry_nodes(self);
        return;
    }
    if (self->level < self->finest)
        tac_carry_points(self->lines, self->head.matter->count, x_of(self, 0), v_of(self, 0));
}

static TacVec3 centre(const Wire *self) {
    TacVec3 sum = {0, 0, 0};
    for (size_t i = 0; i < self->head.matter->count; i++)
        sum = tac_axpy(sum, self->m[i] / self->mass, tac_load3(x_of(self, i)));
    return sum;
}

// --- transitions ------------------------------------------------------------------------------------------

// Over nodes a level says which masses there are, but for those that nodes hide.
static void take_level(Wire *self, int level) {
    self->level = (int16_t)level;
    tac_wire_renew_nodes(self);
}

// Its own velocities; and, where kicks come in parts, the parts that are still to come: the same rules hold for them.
static size_t velocities_of(const Wire *self, double *list[2]) {
    double *const *all = self->head.matter->vectors;
    list[0] = all[TAC_V];
    list[1] = all[TAC_PART];
    return list[1] ? 2 : 1;
}

static void finish(Wire *self) {
    tac_wire_lump(self);
    tac_wire_carry(self);
    tac_wire_weigh_touch(self);
    if (self->guard) self->guard->gone(self->guard->data, self->head.matter, self->touch);
}

static void refine_velocities(const Wire *self, double *v) {
    size_t n = segments((int)self->level), step = stride(self, (int)self->level);
    double kappa = ((double)(2 * n) + 1) / ((double)n + 1) - 1;
    for (size_t s = 0; s < n; s++) {
        const double *a = v + 3 * s * step, *c = a + 3 * step;
        double *b = v + 3 * (s * step + step / 2);
        double from_a = self->transition == DOCUMENT ? kappa / (s == 0 ? 1 : 2) : 0.5;
        double from_c = self->transition == DOCUMENT ? kappa / (s == n - 1 ? 1 : 2) : 0.5;
        for (size_t k = 0; k < 3; k++) b[k] = from_a * a[k] + from_c * c[k];
    }
}

bool tac_wire_refine(void *data) {
    Wire *self = data;
    int level = (int)self->level;
    double *all[2];
    if (self->noded) {
        take_level(self, level + 1);
        return true;
    }
    for (size_t i = velocities_of(self, all); level != CABLE && i-- > 0;) refine_velocities(self, all[i]);
    size_t n = segments(level), step = stride(self, level);
    for (size_t s = 0; s < n && level != CABLE; s++) {
        size_t a = s * step, c = a + step, b = a + step / 2;
        for (size_t k = 0; k < 3; k++) x_of(self, b)[k] = 0.5 * (x_of(self, a)[k] + x_of(self, c)[k]);
    }
    self->level++;
    finish(self);
    return true;
}

// An end that is tied to something goes on with that; what it would have taken of that mass, with its velocity, is given to what it
// is tied to, at the next step. False: it is no such end.
bool tac_wire_owe(Wire *self, size_t point, double mass, const double *velocity) {
    size_t last = self->head.matter->count - 1, end = point == 0 ? 0 : 1;
    if ((point != 0 && point != last) || !self->attachment[end].matter || self->transition == DOCUMENT)
        return false;
    for (size_t k = 0; k < 3 && !self->made_up; k++)
        self->owed[end][k] += mass * (velocity[k] - v_of(self, point)[k]);
    return true;
}

static void coarsen_velocities(Wire *self, double *v) {
    size_t n = segments((int)self->level), step = stride(self, (int)self->level);
    double scale = ((double)n / 2 + 1) / ((double)n + 1);
    for (size_t s = 0; s <= n; s += 2) {
        double *c = v + 3 * s * step;
        bool at_end = s == 0 || s == n;
        if (is_held(self, s * step)) continue;
        if (at_end && v == v_of(self, 0) &&
            tac_wire_owe(self, s * step, 0.5 * self->mass / (double)n, s == 0 ? c + 3 * step : c - 3 * step))
            continue;
        for (size_t k = 0; k < 3; k++) {
            double b = s == 0 ? 0 : *(c + k - 3 * step), d = s == n ? 0 : c[k + 3 * step];
            if (self->transition == DOCUMENT)
                c[k] = scale * (c[k] + 0.5 * (b + d));
            else
                c[k] = at_end ? 0.5 * (c[k] + (b + d)) : 0.5 * c[k] + 0.25 * (b + d);
        }
    }
}

// Whether those who touch it let it. Without masses it would feel nothing of them.
static bool may_coarsen(Wire *self, int level) {
    const TacGuard *guard = self->guard;
    if (self->noded && !tac_wire_clears_wheels(self, level)) return false;
    if (!guard || !is_watched(self)) return true;
    if (level == CABLE && guard->touched(guard->data, self->head.matter, self->known_step)) return false;
    if (self->noded) return tac_wire_may_coarsen_nodes(self, level);
    find_lines(self, level, self->next_lines);
    return guard->may_go(guard->data, self->head.matter, self->next_lines);
}

bool tac_wire_coarsen(void *data) {
    Wire *self = data;
    int level = (int)self->level;
    double *all[2];
    TacVec3 before = centre(self);
    if (!may_coarsen(self, level - 1)) {
        self->numbers[TAC_WIRE_POSTPONED]++;
        return false;
    }
    if (self->noded) {
        take_level(self, level - 1);
    } else {
        for (size_t i = velocities_of(self, all); level > 0 && i-- > 0;) coarsen_velocities(self, all[i]);
        self->level--;
        finish(self);
    }
    if (level > 0 || self->noded) self->numbers[TAC_WIRE_SHIFT] = tac_norm(tac_sub(centre(self), before));
    return true;
}

void tac_wire_change_level(TacComponent *wire, int level) {
    Wire *self = (Wire *)wire;
    if (level < CABLE || level > self->finest) return;
    while (self->level < level) tac_wire_refine(self);
    while (self->level > level) tac_wire_coarsen(self);
}
