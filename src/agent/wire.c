// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The component Wire. See wire.h for the rules.

#include "agent/wire_parts.h"
#include "base/memory.h"
#include "matter/matter.h"

enum { MOST_LEVELS = 16 };
enum { NO_MATERIAL, STEEL, CHAIN, NYLON }; // in the order of the attribute

// --- mass -------------------------------------------------------------------------------------------------

static void product(void *data, const TacContext *context, const double *x, const double *in, double *out,
                    double factor) {
    (void)context;
    (void)x;
    const Wire *self = data;
    for (size_t i = 0; i < self->head.matter->count; i++)
        for (size_t k = 0; k < 3; k++) out[3 * i + k] += factor * self->m[i] * in[3 * i + k];
}

// Rule 2: what carried points feel goes to the live ones around them.
static void divide(void *data, const TacContext *context, const double *x, const double *f, double *a) {
    (void)context;
    (void)x;
    Wire *self = data;
    int level = (int)self->level;
    size_t n = segments(level), step = stride(self, level);
    memcpy(a, f, 3 * self->head.matter->count * sizeof *a);
    if (self->noded) {
        tac_wire_divide_nodes(self, a);
        return;
    }
    for (size_t s = 0; s < n && step > 1; s++) {
        double *left = a + 3 * s * step, *right = a + 3 * (s + 1) * step;
        for (size_t j = 1; j < step; j++) {
            double t = (double)j / (double)step, *own = left + 3 * j;
            for (size_t k = 0; k < 3; k++) {
                left[k] += (1 - t) * own[k];
                right[k] += t * own[k];
                own[k] = 0;
            }
        }
    }
    for (size_t s = 0; s <= n; s++)
        for (size_t k = 0; k < 3; k++) a[3 * s * step + k] *= self->inverse[s * step];
}

static void weight(void *data, const TacContext *context, const double *x, double *f) {
    (void)context;
    (void)x;
    const Wire *self = data;
    for (size_t i = 0; i < self->head.matter->count; i++)
        if (self->m[i] > 0 && (!self->noded || self->live[i]))
            tac_add3(f + 3 * i, tac_scale(self->head.gravity, self->noded ? self->hung[i] : self->m[i]));
}

static void momentum(void *data, const double *x, const double *v, TacVec3 *linear, TacVec3 *angular) {
    const Wire *self = data;
    for (size_t i = 0; i < self->head.matter->count; i++) {
        TacVec3 p = tac_scale(tac_load3(v + 3 * i), self->m[i]);
        *linear = tac_add(*linear, p);
        *angular = tac_add(*angular, tac_cross(tac_load3(x + 3 * i), p));
    }
}

static double kinetic(void *data, const double *x, const double *v) {
    (void)x;
    const Wire *self = data;
    double twice = 0;
    for (size_t i = 0; i < self->head.matter->count; i++) {
        TacVec3 u = tac_load3(v + 3 * i);
        twice += self->m[i] * tac_dot(u, u);
    }
    return 0.5 * twice;
}

static double height(void *data, const double *x) {
    Wire *self = data;
    double sum = 0;
    if (self->noded) { // as it lies, and from there to where it is looked at
        sum = tac_wire_height_of_line(self);
        for (size_t i = 0; self->level != CABLE && i < self->head.matter->count; i++)
            sum -= self->hung[i] *
                   tac_dot(self->head.gravity, tac_sub(tac_load3(x + 3 * i), tac_load3(x_of(self, i))));
        return sum;
    }
    for (size_t i = 0; i < self->head.matter->count; i++)
        sum -= self->m[i] * tac_dot(self->head.gravity, tac_load3(x + 3 * i));
    return sum;
}

// --- rows -------------------------------------------------------------------------------------------------

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

static TacJointSize capacity(const void *data) {
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

static size_t matters(const void *data, TacMatter **list, size_t most) {
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

static void add(void *data, const TacContext *context, TacRows *rows) {
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

static void take(void *data, const TacContext *context, const double *forces) {
    (void)context;
    Wire *self = data;
    size_t n = segments(self->finest), step = stride(self, (int)self->level);
    double most = 0;
    memset(self->owed, 0, sizeof self->owed);
    if (self->noded) tac_wire_take_nodes(self, forces);
    for (size_t s = 0; s < n; s++) {
        if (!self->noded) self->tension[s] = -forces[s - s % step];
        most = fmax(most, self->tension[s]);
    }
    self->numbers[TAC_WIRE_TENSION] = most;
}

// Rows of wire_still.c come behind all others.
static bool steady(const void *data, const TacContext *context, const double *forces, TacRows *rows) {
    const Wire *self = data;
    return tac_wire_steady(self, context->step, forces, rows,
                           capacity(self).slots - 2 * segments(self->finest));
}

static const double *inverse_masses(const void *data) {
    return ((const Wire *)data)->inverse;
}

static const TacCarriedPoint *lines(const void *data) {
    return ((const Wire *)data)->lines;
}

static const double *touch_inverses(const void *data) {
    return ((const Wire *)data)->touch;
}

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

// --- choosing a level -------------------------------------------------------------------------------------

static double cost_of(const Wire *self, int level) {
    return self->cost * (level == CABLE ? 1 : (double)(segments(level) + 1));
}

static double cost(const void *data) {
    return cost_of(data, (int)((const Wire *)data)->level);
}

static double focus_at(const Wire *self, double time) {
    double factor = 1 + (self->attention - 1) * self->head.matter->focus;
    for (size_t i = 0; i + 2 < self->focus.count; i += 3)
        if (time >= self->focus.data[i] && time < self->focus.data[i + 1])
            factor = fmax(factor, self->focus.data[i + 2]);
    return factor;
}

static TacResolution *resolution_of(void *self) {
    return &((Wire *)self)->resolution;
}

static double robustness_of(const Wire *self, int level) {
    double margin = self->numbers[TAC_WIRE_CRITICAL] - (level == CABLE ? 0 : (double)(segments(level) + 1));
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

static void look_around(Wire *self, const TacContext *context) {
    double tension = self->numbers[TAC_WIRE_TENSION];
    self->numbers[TAC_WIRE_CRITICAL] =
        tension > 0 ? sqrt(self->length * self->mass / (4 * context->step * context->step * tension)) : 1e9;
    self->factor = focus_at(self, context->time);
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
    self->numbers[TAC_WIRE_ACCURACY] = q[TAC_QUALITY_ACCURACY];
    self->numbers[TAC_WIRE_TIME] = time_quality;
    self->numbers[TAC_WIRE_ROBUSTNESS] = q[TAC_QUALITY_ROBUSTNESS];
    self->numbers[TAC_WIRE_CHANGES] += changes;
}

// Algorithm 2, lines 7 to 19, for all wires of an agent.
static bool adapts(const void *data) {
    const Wire *self = data;
    // over nodes masses come and go at any level; points between masses are put where they belong
    return self->lowest < self->highest || self->highest < self->finest || self->noded;
}

static bool is_same(const Wire *self, const TacBudget *b, double step) {
    return self->factor == self->known_factor && step == self->known_step &&
           b->limit == self->known_budget.limit && b->scale == self->known_budget.scale;
}

static bool is_known(const Wire *self, const TacBudget *b, double step) {
    double tension = self->numbers[TAC_WIRE_TENSION];
    return tension >= self->known_low && tension <= self->known_high && is_same(self, b, step);
}

static void get_to_know(Wire *self, const TacBudget *b, double step) {
    double tension = self->numbers[TAC_WIRE_TENSION];
    bool wider =
        self->known_high >= 0 && self->known_choice == self->resolution.choice && is_same(self, b, step);
    self->known_low = wider ? fmin(self->known_low, tension) : tension;
    self->known_high = wider ? fmax(self->known_high, tension) : tension;
    self->known_choice = self->resolution.choice;
    self->known_factor = self->factor;
    self->known_step = step;
    self->known_budget = *b;
}

// Where nothing has changed that counts, choices stay; that is most of the time.
static void choose(void *const *wires, size_t count, const TacBudget *budget, double step) {
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        wire->resolution.weights[TAC_QUALITY_USER] =
            wire->factor > 1 ? wire->weights[0] * (wire->factor - 1) : 0;
        wire->resolution.level = (int)wire->level;
    }
    for (size_t i = 0; i < count && known; i++) known = is_known(wires[i], budget, step);
    for (size_t i = 0; i < count && known; i++)
        ((Wire *)wires[i])->resolution.choice = ((Wire *)wires[i])->known_choice;
    if (known) return;
    bool free = tac_resolution_choose(wires, count, &resolution_ops, budget);
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        get_to_know(wire, budget, step);
        if (!free) wire->known_high = -1; // time was short: it depends on the others
    }
}

// Whether it has no masses but is touched.
static bool is_felt(const Wire *self) {
    return self->level == CABLE && self->guard && is_watched(self) &&
           self->guard->touched(self->guard->data, self->head.matter);
}

// Whether it stays as it is: its choice is known, and it has gone there.
static bool stays(const Wire *self, const TacBudget *budget, double step) {
    return !self->noded && self->known_choice == (int)self->level && is_known(self, budget, step) &&
           !is_felt(self);
}

// Points that are carried, or ride, go where they belong; of its numbers only robustness can have changed.
static void stay(Wire *self, double step) {
    if (self->level == CABLE) ride(self, step);
    tac_wire_carry(self);
    self->numbers[TAC_WIRE_ROBUSTNESS] = robustness_of(self, (int)self->level);
    self->guard = NULL;
}

static void settle(void *const *wires, size_t count, const TacSettling *s) {
    TacBudget budget = {s->time_limit, s->cost_scale, 0};
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        if (wire->noded) tac_wire_pass_nodes(wire, s->context->step);
        look_around(wire, s->context);
        wire->guard = s->guard;
        same = same && stays(wire, &budget, s->context->step);
    }
    // most of the time
    for (size_t i = 0; same && i < count; i++) stay(wires[i], s->context->step);
    if (same) return;
    double gamma = ((const Wire *)wires[0])->gamma_time, sum = 0;
    budget.gamma = isnan(gamma) ? 100 / s->context->step : gamma;
    choose(wires, count, &budget, s->context->step);
    for (size_t i = 0; i < count; i++) sum += cost_of(wires[i], resolution_of(wires[i])->choice);
    double time_quality = tac_quality_of_margin(budget.limit - budget.scale * sum, budget.gamma);
    for (size_t i = 0; i < count; i++) {
        Wire *wire = wires[i];
        if (is_felt(wire) && wire->resolution.choice == CABLE) wire->resolution.choice = 0;
        int changes = tac_resolution_go(wire, &resolution_ops);
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

static const char *unfit(const void *data) {
    const Wire *self = data;
    for (size_t i = 1; i + 1 < self->head.matter->count; i++)
        if (self->head.matter->held && self->head.matter->held[i])
            return "one of its inner points is held by a constraint; only the ends of a wire can be held. "
                   "Make it "
                   "two wires that end there";
    for (size_t end = 0; end < 2 && self->lowest == CABLE; end++)
        if (!self->line.way.drum[end] && !self->attachment[end].matter &&
            !is_held(self, end ? self->head.matter->count - 1 : 0))
            return "at level -1 it has no masses, so both of its ends must be tied (start, end) or held";
    return NULL;
}

static const TacJointOps joint_ops = {.capacity = capacity,
                                      .matters = matters,
                                      .add = add,
                                      .take = take,
                                      .steady = steady,
                                      .inverse_masses = inverse_masses,
                                      .most_inverse = tac_wire_most_inverse,
                                      .touch_inverses = touch_inverses,
                                      .meets_by_nodes = tac_wire_meets_by_nodes,
                                      .pieces = tac_wire_pieces,
                                      .lines = lines,
                                      .settle = settle,
                                      .adapts = adapts,
                                      .cost = cost,
                                      .unfit = unfit};

static const TacMassOps ops = {.product = product,
                               .divide = divide,
                               .weight = weight,
                               .momentum = momentum,
                               .kinetic = kinetic,
                               .height = height,
                               .joint = &joint_ops};

// --- setting up -------------------------------------------------------------------------------------------

static TacStatus find_levels(Wire *self, TacSetup *setup, TacError *error) {
    size_t count = self->head.matter->count;
    while (self->finest <= MOST_LEVELS && segments(self->finest) + 1 < count) self->finest++;
    if (self->finest > MOST_LEVELS || segments(self->finest) + 1 != count)
        return tac_setup_fail(
            setup, error, NULL,
            "%s has %zu points; a wire has 2, 3, 5, 9, 17, 33 ... up to %zu (2 to the power of "
            "its finest level, plus 1)",
            self->head.matter->base.path, count, segments(MOST_LEVELS) + 1);
    if (!tac_setup_given(setup, "finest")) self->highest = self->finest;
    if (self->highest < 0 || self->highest > self->finest)
        return tac_setup_fail(setup, error, "finest", "its %zu points allow levels 0 to %d", count,
                              self->finest);
    if (self->lowest < CABLE || self->lowest > self->highest)
        return tac_setup_fail(setup, error, "lowest", "levels -1 to %lld can be the lowest",
                              (long long)self->highest);
    self->level = tac_setup_given(setup, "level") ? self->start_level : self->lowest;
    if (self->level < self->lowest || self->level > self->highest)
        return tac_setup_fail(setup, error, "level", "levels %lld to %lld are allowed",
                              (long long)self->lowest, (long long)self->highest);
    return TAC_OK;
}

static TacStatus find_length(Wire *self, TacSetup *setup, TacError *error) {
    size_t n = segments(self->finest);
    double sum = 0, longest = 0;
    for (size_t s = 0; s < n; s++) {
        double l = tac_norm(tac_sub(tac_load3(x_of(self, s + 1)), tac_load3(x_of(self, s))));
        sum += l;
        longest = fmax(longest, l);
    }
    if (isnan(self->length)) self->length = sum;
    double rest = self->length / (double)n;
    if (!(rest > 0) || !isfinite(self->length))
        return tac_setup_fail(setup, error, "length",
                              "it has no length: its points are all at the same place");
    if (longest > 1.001 * rest)
        return tac_setup_fail(
            setup, error, "length",
            "a segment starts %g m long, but of %g m there are %g m for each of %zu segments: space "
            "the points evenly, or give more length",
            longest, self->length, rest, n);
    return TAC_OK;
}

// Unless it is told, it starts at the coarsest level that leaves its points where they are.
static void find_start(Wire *self, const TacSetup *setup) {
    if (tac_setup_given(setup, "level")) return;
    while (self->level < self->highest && !tac_wire_fits(self, (int)self->level)) self->level++;
}

// EA, EI and mass per metre over the diameter: usual values of makers' tables.
static TacStatus find_material(Wire *self, TacSetup *setup, TacError *error) {
    static const struct {
        double mass, stretch, bend; // kg/m over d^2, N over d^2, N m^2 over d^4
    } table[] = {[STEEL] = {3990, 4.04e10, 1.7e7}, [CHAIN] = {19900, 8.54e10, 0}, [NYLON] = {648, 1.18e8, 0}};
    bool by_material = self->material != NO_MATERIAL;
    double d = self->diameter;
    if ((by_material || tac_setup_given(setup, "density")) && isnan(d))
        return tac_setup_fail(setup, error, by_material ? "material" : "density", "needs the diameter, too");
    if (tac_setup_given(setup, "density") && tac_setup_given(setup, "mass"))
        return tac_setup_fail(setup, error, "density", "give mass or density, not both");
    if (isnan(self->mass) && tac_setup_given(setup, "density"))
        self->mass = self->density * TAC_PI / 4 * d * d * self->length;
    if (isnan(self->mass) && by_material) self->mass = table[self->material].mass * d * d * self->length;
    if (by_material && !tac_setup_given(setup, "stretch"))
        self->stretch = table[self->material].stretch * d * d;
    if (by_material && !tac_setup_given(setup, "bend"))
        self->bend = table[self->material].bend * d * d * d * d;
    if (!(self->mass > 0) || !isfinite(self->mass))
        return tac_setup_fail(setup, error, NULL,
                              "needs a mass: give mass, density and diameter, or a material");
    return TAC_OK;
}

static TacStatus find_ends(Wire *self, TacSetup *setup, TacError *error) {
    static const char *const names[2] = {"start", "end"};
    static const char *const points[2] = {"start_point", "end_point"};
    for (size_t k = 0; k < 2; k++) {
        TacMatter *m = self->end[k];
        if (!m) continue;
        if (self->line.way.drum[k])
            return tac_setup_fail(
                setup, error, names[k],
                "it is wound on a drum there; tie it to something or to a drum, not to both");
        if (m == self->head.matter)
            return tac_setup_fail(setup, error, names[k], "it cannot be tied to itself");
        if (m->kind != TAC_VEC3 && m->kind != TAC_RIGID3)
            return tac_setup_fail(setup, error, names[k], "%s is %s; points or frames in space were expected",
                                  m->base.path, tac_matter_kind_name(m->kind));
        if ((size_t)self->end_point[k] >= m->count)
            return tac_setup_fail(setup, error, points[k], "%s has %zu points or frames, from 0",
                                  m->base.path, m->count);
        size_t own = k ? self->head.matter->count - 1 : 0;
        TacVec3 here = tac_load3(x_of(self, own));
        TacAttachment *a = &self->attachment[k];
        *a = tac_attach(m, (size_t)self->end_point[k], here);
        if (!isnan(self->end_at[k].x)) a->local = self->end_at[k];
        double off = tac_norm(tac_sub(here, tac_attachment_place(a)));
        if (off > 1e-3 * (isnan(self->length) ? 1 : self->length))
            return tac_setup_fail(setup, error, names[k],
                                  "it ends %g m from where it is tied; let its points end there", off);
    }
    return TAC_OK;
}

// A wire that is not said to move starts with what its ends are tied to.
static void start_with_ends(Wire *self) {
    size_t count = self->head.matter->count;
    for (size_t i = 0; i < 3 * count; i++)
        if (v_of(self, 0)[i] != 0) return;
    TacVec3 v[2] = {tac_attachment_velocity(&self->attachment[0]),
                    tac_attachment_velocity(&self->attachment[1])};
    for (size_t i = 0; i < count; i++) {
        double t = (double)i / (double)(count - 1);
        if (!is_held(self, i)) tac_store3(v_of(self, i), tac_axpy(tac_scale(v[0], 1 - t), t, v[1]));
    }
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    Wire *self = data;
    size_t count = self->head.matter->count;
    TAC_TRY(find_levels(self, setup, error));
    TAC_TRY(tac_cable_find(&self->line, setup, error));
    self->noded = tac_cable_has_nodes(&self->line);
    if (!self->noded) TAC_TRY(find_length(self, setup, error));
    if (!self->noded) find_start(self, setup);
    TAC_TRY(find_ends(self, setup, error));
    if (self->noded) TAC_TRY(tac_wire_lay(self, setup, error));
    TAC_TRY(find_material(self, setup, error));
    if (self->focus.count % 3)
        return tac_setup_fail(setup, error, "focus",
                              "focus has %zu numbers; begin, end and factor were expected for each",
                              self->focus.count);
    self->m = tac_setup_alloc(setup, count, sizeof(double));
    self->inverse = tac_setup_alloc(setup, count, sizeof(double));
    self->tension = tac_setup_alloc(setup, count, sizeof(double));
    self->lines = tac_setup_alloc(setup, count, sizeof *self->lines);
    self->next_lines = tac_setup_alloc(setup, count, sizeof *self->next_lines);
    self->own = tac_setup_alloc(setup, count, 1);
    self->touch = tac_setup_alloc(setup, count, sizeof(double));
    self->next_touch = tac_setup_alloc(setup, count, sizeof(double));
    if (!self->m || !self->inverse || !self->tension || !self->lines || !self->next_lines || !self->own ||
        !self->touch || !self->next_touch)
        return tac_fail_memory(error, count * sizeof *self->lines);
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
    self->known_high = -1;
    if (self->noded)
        TAC_TRY(tac_wire_keep_nodes(self, setup, error));
    else
        tac_wire_lump(self);
    if (self->noded) tac_wire_find_followers(self);
    tac_wire_weigh_touch(self);
    start_with_ends(self);
    tac_wire_carry(self);
    self->numbers[TAC_WIRE_LEVEL] = (double)self->level;
    self->numbers[TAC_WIRE_MASSES] = masses_of(self);
    self->tensions = (TacReals){self->tension, count - 1};
    self->outputs = (TacReals){self->numbers, TAC_WIRE_NUMBERS};
    TAC_TRY(tac_setup_state(setup, &self->level, sizeof self->level, error));
    TAC_TRY(tac_setup_state(setup, self->m, count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->inverse, count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->tension, count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->lines, count * sizeof *self->lines, error));
    TAC_TRY(tac_setup_state(setup, self->touch, count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->owed, sizeof self->owed, error));
    return tac_setup_state(setup, self->numbers, TAC_WIRE_NUMBERS * sizeof(double), error);
}

#define NUMBER(title, field, unit_text, initial_text, text, range_kind)                                      \
    { title, TAC_REAL, offsetof(Wire, field), unit_text, initial_text, text, NULL, range_kind, 0 }

static bool state_is_sound(const void *data) {
    const Wire *self = data;
    return self->level >= self->lowest && self->level <= self->highest &&
           (self->noded ? tac_wire_nodes_are_sound(self) && tac_wire_follows_are_sound(self)
                        : tac_wire_lines_are_sound(self));
}

static const TacAttribute attributes[] = {
    TAC_MATTER_ATTRIBUTE(Wire, head.matter),
    {"start", TAC_LINK, offsetof(Wire, end[0]), "", "",
     "What its first point is tied to; by default nothing. Points at rest start with the velocities of the "
     "ends.",
     "matter", TAC_ANY, 0},
    {"start_point", TAC_INT, offsetof(Wire, end_point[0]), "1", "0", "Which point or frame of that, from 0.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"start_at", TAC_VECTOR, offsetof(Wire, end_at[0]), "m", "",
     "Where on that frame, in its axes; by default where the wire starts.", NULL, TAC_ANY, 0},
    {"end", TAC_LINK, offsetof(Wire, end[1]), "", "", "What its last point is tied to; by default nothing.",
     "matter", TAC_ANY, 0},
    {"end_point", TAC_INT, offsetof(Wire, end_point[1]), "1", "0", "Which point or frame of that, from 0.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"end_at", TAC_VECTOR, offsetof(Wire, end_at[1]), "m", "",
     "Where on that frame, in its axes; by default where the wire ends.", NULL, TAC_ANY, 0},
    NUMBER("length", length, "m", "", "At rest; by default as it starts. More makes it start slack.",
           TAC_POSITIVE),
    NUMBER("mass", mass, "kg", "", "Of all of it.", TAC_POSITIVE),
    NUMBER("density", density, "kg/m^3", "", "Instead of mass: of its material, with the diameter.",
           TAC_POSITIVE),
    NUMBER("diameter", diameter, "m", "", "Of its cross-section; of the bar, for a chain.", TAC_POSITIVE),
    {"material", TAC_CHOICE, offsetof(Wire, material), "", "none",
     "Mass, stretch and bend of a usual rope of this diameter: steel wire rope (6x19, wire core), studless "
     "chain, "
     "nylon rope.",
     "none|steel|chain|nylon", TAC_ANY, 0},
    NUMBER("stretch", stretch, "N", "0",
           "EA, the force that would double its length; 0: it does not stretch.", TAC_NOT_NEGATIVE),
    NUMBER("bend", bend, "N m^2", "0", "EI, its stiffness in bending; 0: it is limp.", TAC_NOT_NEGATIVE),
    NUMBER("damping", damping, "s", "", "The time in which stretch is damped away; by default two steps.",
           TAC_NOT_NEGATIVE),
    {"transition", TAC_CHOICE, offsetof(Wire, transition), "", "halves",
     "How mass is lumped and velocities change with the level: segments give half to each end, or the "
     "document's "
     "equal masses.",
     "halves|document", TAC_ANY, 0},
    {"lowest", TAC_INT, offsetof(Wire, lowest), "1", "0",
     "The coarsest level: 2 to its power segments; -1 is a massless cable between what its ends are tied to.",
     NULL, TAC_ANY, 0},
    {"finest", TAC_INT, offsetof(Wire, highest), "1", "0",
     "The finest level that it takes; by default that of its points.", NULL, TAC_NOT_NEGATIVE, 0},
    {"level", TAC_INT, offsetof(Wire, start_level), "1", "0",
     "At which it starts; by default the coarsest at which its points lie as they are given.", NULL, TAC_ANY,
     0},
    NUMBER("weight_accuracy", weights[0], "1", "1", "Of accuracy among the qualities.", TAC_NOT_NEGATIVE),
    NUMBER("weight_time", weights[1], "1", "1", "Of computing time among the qualities.", TAC_NOT_NEGATIVE),
    NUMBER("weight_robustness", weights[2], "1", "1", "Of robustness among the qualities.", TAC_NOT_NEGATIVE),
    NUMBER("gamma_accuracy", gamma_accuracy, "1", "2", "Sensitivity of accuracy: (N/N_finest)^gamma.",
           TAC_POSITIVE),
    NUMBER("gamma_time", gamma_time, "1/s", "",
           "Sensitivity to time over the limit, of the agent's first wire for all; by default 100 over the "
           "step.",
           TAC_POSITIVE),
    NUMBER("gamma_robustness", gamma_robustness, "1", "10", "Sensitivity to masses beyond N_crit.",
           TAC_POSITIVE),
    NUMBER("cost", cost, "s", "1e-6", "Cost model: time for computing one mass for one step.",
           TAC_NOT_NEGATIVE),
    {"focus", TAC_REALS, offsetof(Wire, focus), "s, s, 1", "",
     "Times known beforehand when somebody looks at it: begin, end, and the factor by which accuracy counts "
     "more.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"attention", TAC_REAL, offsetof(Wire, attention), "1", "1000",
     "By which factor accuracy counts more while somebody has selected it, touches it or looks straight at "
     "it; less "
     "so the farther it is from where they look.",
     NULL, TAC_POSITIVE, TAC_LIVE},
    TAC_CABLE_WAY_ATTRIBUTES(Wire, line.way),
    {"tensions", TAC_REALS, offsetof(Wire, tensions), "N", "", "Along the wire, at the last step.", NULL,
     TAC_ANY, TAC_OUTPUT},
    {"resolution", TAC_REALS, offsetof(Wire, outputs), "1, N, m", "",
     "Level, masses, largest tension, N_crit, qualities of accuracy, time and robustness, shift of the "
     "centre of "
     "mass at the last coarsening, transitions so far, steps at which coarsening was postponed because "
     "something was in "
     "the way (safe contact).",
     NULL, TAC_ANY, TAC_OUTPUT},
};

const TacClass tac_wire_class = {
    .name = "Wire",
    .kind = TAC_KIND_MASS,
    .doc =
        "Makes the points of its node a wire: mass, segments that only pull, ends tied to other matter, and "
        "a "
        "resolution that adapts to stay stable, in time and accurate. Needs Spook, and 2^n + 1 evenly spaced "
        "points.",
    .size = sizeof(Wire),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .kinds = 1u << TAC_VEC3,
    .init = init,
    .state_is_sound = state_is_sound,
    .ops.mass = &ops,
    .scalars = tac_wire_scalars,
    .nodes = tac_wire_marks,
};
