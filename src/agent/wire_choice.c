// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Which level a wire takes, after each step (algorithm 2 of "Adaptive resolution in physics based virtual environments").
// See wire.h for the rules, resolution.h for what is best.

#include "agent/wire_parts.h"
#include "matter/matter.h"

enum { BENDS = 2 }; // a level

// Rule 4.
static void ride(Wire *self, double step) {
    if (is_watched(self)) {
        tac_wire_follow_ends(self, step);
        return;
    }
    for (size_t end = 0; end < 2; end++) {
        const TacAttachment *a = &self->attachment[end];
        if (!a->matter) continue;
        size_t point = end ? self->head.matter->count - 1 : 0;
        tac_store3(x_of(self, point), tac_attachment_place(a));
        tac_store3(v_of(self, point), tac_attachment_velocity(a));
    }
}

static double cost_of(const Wire *self, int level) {
    return self->cost * (level == CABLE ? 1 : (double)(segments(level) + 1));
}

double tac_wire_cost(const void *data) {
    return cost_of(data, (int)((const Wire *)data)->level);
}

static double focus_at(const Wire *self, double time) {
    double focus = self->head.matter->focus, factor = focus > 0 ? 1 + (self->attention - 1) * focus : 1;
    if (!self->focused) return factor;
    for (size_t i = 0; i + 2 < self->focus.count; i += 3)
        if (time >= self->focus.data[i] && time < self->focus.data[i + 1])
            factor = fmax(factor, self->focus.data[i + 2]);
    return factor;
}

static TacResolution *resolution_of(void *self) {
    return &((Wire *)self)->resolution;
}

static double robustness_of(const Wire *self, int level) {
    double margin = self->critical - (level == CABLE ? 0 : (double)(segments(level) + 1));
    // beyond hope it is not worth computing: a coarser level will win
    bool hopeless = level > self->lowest && margin * self->gamma_robustness < -40;
    return hopeless ? 0 : tac_quality_of_margin(margin, self->gamma_robustness);
}

static void qualities(const void *data, int level, double q[TAC_QUALITIES]) {
    const Wire *self = data;
    q[TAC_QUALITY_ACCURACY] = self->accuracy[level - CABLE];
    // an object in focus: its accuracy counts that much more
    q[TAC_QUALITY_USER] = self->factor > 1 ? q[TAC_QUALITY_ACCURACY] : 1;
    q[TAC_QUALITY_ROBUSTNESS] = robustness_of(self, level);
}

static double seconds(const void *data, int level) {
    return cost_of(data, level);
}

static const TacResolutionOps resolution_ops = {resolution_of, qualities, seconds, tac_wire_refine,
                                                tac_wire_coarsen};

void tac_wire_take_tension(Wire *self, double tension, double step) {
    self->pull = self->numbers[TAC_WIRE_TENSION] = tension;
    // levels are for steps of the agent's own, also while one is cut
    if (step > self->known_step) {
        self->known_high = -1;
        self->known_step = step;
    }
    step = self->known_step;
    self->critical = tension > 0 ? sqrt(self->length_mass / (4 * step * step * tension)) : 1e9;
    self->robustness = robustness_of(self, self->level);
}

// Masses that are felt.
static double masses_of(const Wire *self) {
    if (self->level == CABLE) return 0;
    if (!self->noded) return (double)(segments((int)self->level) + 1);
    double sum = 0;
    for (size_t i = 0; i < self->head.matter->count; i++) sum += self->live[i];
    return sum;
}

static void report(Wire *self, int changes, double time_quality) {
    double q[TAC_QUALITIES];
    qualities(self, (int)self->level, q);
    self->numbers[TAC_WIRE_LEVEL] = (double)self->level;
    self->numbers[TAC_WIRE_MASSES] = masses_of(self);
    self->numbers[TAC_WIRE_CRITICAL] = self->critical;
    self->numbers[TAC_WIRE_ACCURACY] = q[TAC_QUALITY_ACCURACY];
    self->numbers[TAC_WIRE_TIME] = time_quality;
    self->numbers[TAC_WIRE_ROBUSTNESS] = q[TAC_QUALITY_ROBUSTNESS];
    self->numbers[TAC_WIRE_CHANGES] += changes;
}

bool tac_wire_adapts(const void *data) {
    const Wire *self = data;
    // over nodes masses come and go at any level; points between masses are put where they belong
    return self->lowest < self->highest || self->highest < self->finest || self->noded;
}

// The scale of costs is measured, and never the same, or it is 1.
static bool is_same(const Wire *self, const TacBudget *b, double factor) {
    return factor == self->known_factor && b->limit == self->known_limit && b->scale == 1;
}

static bool is_known(const Wire *self, const TacBudget *b, double factor) {
    return self->pull >= self->known_low && self->pull <= self->known_high && is_same(self, b, factor);
}

static void get_to_know(Wire *self, const TacBudget *b) {
    bool wider = self->known_high >= 0 && self->known_choice == self->resolution.choice &&
                 is_same(self, b, self->factor);
    self->known_low = wider ? fmin(self->known_low, self->pull) : self->pull;
    self->known_high = wider ? fmax(self->known_high, self->pull) : self->pull;
    self->known_choice = (int16_t)self->resolution.choice;
    self->known_factor = self->factor;
    self->known_limit = b->limit;
}

// Where nothing has changed that counts, choices stay; that is most of the time.
static void choose(void *const *wires, size_t count, const TacBudget *budget) {
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        wire->resolution.weights[TAC_QUALITY_USER] =
            wire->factor > 1 ? wire->weights[0] * (wire->factor - 1) : 0;
        wire->resolution.level = (int)wire->level;
    }
    for (size_t i = 0; i < count && known; i++)
        known = is_known(wires[i], budget, ((const Wire *)wires[i])->factor);
    for (size_t i = 0; i < count && known; i++)
        ((Wire *)wires[i])->resolution.choice = ((Wire *)wires[i])->known_choice;
    if (known) return;
    bool free = tac_resolution_choose(wires, count, &resolution_ops, budget);
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        get_to_know(wire, budget);
        if (!free) wire->known_high = -1; // time was short: it depends on the others
    }
}

// A wire that is touched must be able to bend there: a straight one would be a rod, and what holds it up would be hit by the
// load at its end. And without masses it would feel nothing.
static int least_level(const Wire *self, const TacGuard *guard) {
    int bends = self->highest < BENDS ? (int)self->highest : BENDS;
    bool touched = self->resolution.choice < bends && guard && is_watched(self) &&
                   guard->touched(guard->data, self->head.matter, self->known_step);
    return touched ? bends : self->resolution.choice;
}

// Whether it stays as it is: its choice is known, and it has gone there.
static bool stays(const Wire *self, const TacBudget *budget, const TacSettling *s) {
    return !self->noded && self->known_choice == self->level && !(s->guard && self->level < BENDS) &&
           is_known(self, budget, focus_at(self, s->context->time));
}

// Points that are carried, or ride, go where they belong; of its numbers only these can have changed.
static void stay(Wire *self, double step) {
    self->numbers[TAC_WIRE_CRITICAL] = self->critical;
    self->numbers[TAC_WIRE_ROBUSTNESS] = self->robustness;
    if (self->level == CABLE) ride(self, step);
    tac_wire_carry(self);
}

void tac_wire_settle(void *const *wires, size_t count, const TacSettling *s) {
    TacBudget budget = {s->time_limit, s->cost_scale, 0};
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        if (wire->noded) tac_wire_pass_nodes(wire, s->context->step);
        same = same && stays(wire, &budget, s);
    }
    // most of the time
    for (size_t i = 0; same && i < count; i++) stay(wires[i], s->context->step);
    if (same) return;
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        wire->factor = focus_at(wire, s->context->time);
        wire->guard = s->guard;
        wire->made_up = s->made_up;
    }
    double gamma = ((const Wire *)wires[0])->gamma_time, sum = 0;
    budget.gamma = isnan(gamma) ? 100 / s->context->step : gamma;
    choose(wires, count, &budget);
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        tac_resolution_wait(&wire->resolution, &wire->waiting, s->context->time);
        sum += cost_of(wire, wire->resolution.choice);
    }
    double time_quality = tac_quality_of_margin(budget.limit - budget.scale * sum, budget.gamma);
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        wire->resolution.choice = least_level(wire, s->guard);
        int before = wire->level, changes = tac_resolution_go(wire, &resolution_ops);
        tac_resolution_learn(&wire->resolution, before, &wire->waiting, s->context->time, s->context->step,
                             wire->patience);
        if (wire->level == CABLE && (!changes || is_watched(wire))) ride(wire, s->context->step);
        if (wire->noded) tac_wire_renew_nodes(wire);
        if (wire->noded && is_watched(wire))
            tac_wire_follow_nodes(wire, s->context->step);
        else if (!changes)
            tac_wire_carry(wire);
        wire->guard = NULL;
        report(wire, changes, time_quality);
    }
}

void tac_wire_prepare_choice(Wire *self) {
    self->resolution = (TacResolution){.lowest = (int)self->lowest,
                                       .finest = (int)self->highest,
                                       .level = (int)self->level,
                                       .weights = {0, self->weights[0], self->weights[1], self->weights[2]},
                                       .floor = 1e-150};
    // a massless cable counts as one mass here: it shows something
    for (int level = CABLE; level <= self->finest; level++)
        self->accuracy[level - CABLE] =
            tac_quality_of_count(level == CABLE ? 1 : (double)(segments(level) + 1),
                                 (double)(segments(self->finest) + 1), self->gamma_accuracy);
    self->length_mass = self->length * self->mass;
    self->known_high = -1;
    self->focused = self->focus.count > 0;
    self->numbers[TAC_WIRE_LEVEL] = (double)self->level;
    self->numbers[TAC_WIRE_MASSES] = masses_of(self);
}
