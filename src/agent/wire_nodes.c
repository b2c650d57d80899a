// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wires with mass over contact nodes: local resolution and uneven mass ("Adaptive resolution in physics based virtual
// environments", section 3.3). constraint/cable.h has the nodes and the rows between masses.
//
//     O-----O-----O--.  .--O-----O          O live masses, at fixed material
//                    (__)                   between two of them a run, here one over a wheel
//
// A mass next to a node would swing faster than any step can follow, so masses vanish before they reach one and come back
// when they have passed it; the line slides through as if it had none there. In numbers, for a level with the spacing l:
//
//   1. A point of the level is live unless it is nearer than l/2 to a node along the wire (with some play, so that none
//      comes and goes), or lies between nodes of the same body, or on a drum. Ends are always live, but on drums.
//   2. Mass is lumped by runs. A run without nodes gives half to each end. In a run with nodes each end has what lies on its
//      own side of them, and half of what lies between the first and the last; the weight of that, though, the bodies of
//      those two nodes feel. So the weight on both sides of a wheel is that of the wire there, at any time, however few
//      masses there are, and its work is what the line as it lies loses in height.
//   3. When a point vanishes its neighbours gain its mass, by rule 2, and with it its momentum; when it comes back it takes
//      mass and momentum from the same (a carried point has the velocity that this asks for). So mass, momentum and uniform
//      motion are kept, as in changes of level. An end that is tied to something goes on with that, as there.
//   4. Material that slides past nodes takes mass from one side to the other. It leaves with the speed of the one and
//      arrives with that of the other; the bodies of the nodes feel the difference (the next step applies it). That is
//      what a moving belt does to a pulley: it weighs on it with T - rho v^2 rather than T.
//   5. What is on a drum is not felt: point 0 (or the last one) has it for the account.

#include "agent/wire_parts.h"
#include "base/memory.h"

enum { MOST_FINE = 10 }; // masses come and go one by one, which takes time in proportion to all of them
static const double NEAR = 0.45, CLEAR = 0.55; // of the spacing: live masses vanish, vanished ones come back
static const double ARRIVED = 1e-3; // of the finest spacing: as near to the line as a point has to be

// --- runs ---------------------------------------------------------------------------------------------------

static bool on_drum(const Wire *self, size_t end) {
    return self->line.way.drum[end];
}

static TacCableRun run_from(const Wire *self, const TacAttachment *a, const TacAttachment *b, size_t first,
                            size_t last) {
    return (TacCableRun){.end = {*a, *b},
                         .was = {tac_load3(self->was + 3 * first), tac_load3(self->was + 3 * last)},
                         .material = {material_of(self, first), material_of(self, last)},
                         .slot = first,
                         .tension = &self->tension[first],
                         .known = &self->known[first]};
}

// Which nodes are in which run: by their material, or as it was found at the beginning of the step (in one step a node may
// pass a mass, which then vanishes).
// BY_MATERIAL notes what it finds; LOOKING is the same for those who change nothing.
typedef enum Owners { BY_MATERIAL, AS_FOUND, LOOKING } Owners;

static bool owns(const Wire *self, const TacCableRun *run, const TacCableNode *n, Owners owners) {
    if (run == &self->runs[self->run_count - 1]) return true;
    return owners == AS_FOUND ? n->owner <= (double)run->slot : n->material[0] < run->material[1];
}

// Runs between live points, or one where there are none.
static void list_runs(Wire *self, Owners owners) {
    size_t count = self->head.matter->count, before = SIZE_MAX;
    self->run_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        if (!self->live[i] && !last) continue;
        if (i == 0 || (before == SIZE_MAX && !on_drum(self, 0) && self->level != CABLE)) {
            before = i;
            continue;
        }
        TacAttachment a = {self->head.matter, before == SIZE_MAX ? 0 : before, {0, 0, 0}},
                      b = {self->head.matter, i, {0, 0, 0}};
        if (before == SIZE_MAX) a = end_of(self, 0);
        if (!self->live[i]) b = end_of(self, 1);
        self->runs[self->run_count++] =
            run_from(self, &a, &b, a.matter == self->head.matter ? a.point : 0, i);
        before = i;
    }
    TacCableRun *first = &self->runs[0], *end = &self->runs[self->run_count - 1];
    first->is_end[0] = true;
    end->is_end[1] = true;
    if (self->attachment[0].matter) first->tied[0] = &self->attachment[0];
    if (self->attachment[1].matter) end->tied[1] = &self->attachment[1];
    size_t place = 0, nodes = tac_cable_count(&self->line);
    for (size_t r = 0; r < self->run_count; r++) {
        TacCableRun *run = &self->runs[r];
        run->first = place;
        for (; place < nodes && owns(self, run, tac_cable_node(&self->line, place), owners); place++)
            if (owners != LOOKING) tac_cable_node(&self->line, place)->owner = (double)run->slot;
        run->last = place;
    }
}

static size_t start_point(const Wire *self, const TacCableRun *run) {
    (void)self;
    return run->slot;
}

static size_t end_point(const Wire *self, const TacCableRun *run) {
    return run == &self->runs[self->run_count - 1] ? self->head.matter->count - 1 : run[1].slot;
}

static bool has_place(const Wire *self, const TacCableRun *run, size_t end) {
    return !(run->is_end[end] && on_drum(self, end));
}

// --- mass ---------------------------------------------------------------------------------------------------

// Rule 2: masses of points, whose weight they feel, and how much of a run its last point has.
static void lump(const Wire *self, double *m, double *hung, double *share) {
    size_t count = self->head.matter->count;
    double density = self->mass / self->length;
    memset(m, 0, count * sizeof *m);
    memset(hung, 0, count * sizeof *hung);
    memset(share, 0, count * sizeof *share);
    for (size_t r = 0; r < self->run_count; r++) {
        const TacCableRun *run = &self->runs[r];
        size_t a = start_point(self, run), b = end_point(self, run), first = run->first, last = run->last;
        double from = run->material[0], to = run->material[1];
        // what is on drums is at the ends, and not felt
        if (!has_place(self, run, 0)) {
            from = tac_cable_node(&self->line, first++)->material[1];
            m[a] += density * from;
        }
        if (!has_place(self, run, 1)) {
            to = tac_cable_node(&self->line, --last)->material[0];
            m[b] += density * (self->length - to);
        }
        double near = 0.5 * (to - from), far = near, middle = 0;
        if (first < last) {
            double in = tac_cable_node(&self->line, first)->material[0];
            double out = tac_cable_node(&self->line, last - 1)->material[1];
            near = in - from + 0.5 * (out - in);
            far = to - out + 0.5 * (out - in);
            middle = out - in;
        }
        double drop[2] = {near - 0.5 * middle, far - 0.5 * middle};
        // beside a drum all of it is at the other end
        if (has_place(self, run, 0) != has_place(self, run, 1)) {
            bool to_last = has_place(self, run, 1);
            *(to_last ? &far : &near) += to_last ? near : far;
            *(to_last ? &near : &far) = 0;
            drop[to_last] += drop[!to_last];
            drop[!to_last] = 0;
        }
        hung[a] += density * drop[0];
        hung[b] += density * drop[1];
        m[a] += density * near;
        m[b] += density * far;
        share[b] = density * far;
    }
}

// How high the line lies, as a line: however its mass is lumped, nothing is won or lost where points vanish and come back.
double tac_wire_height_of_line(Wire *self) {
    double density = self->mass / self->length, sum = 0;
    list_runs(self, LOOKING);
    for (size_t r = 0; r < self->run_count; r++) {
        const TacCableRun *run = &self->runs[r];
        TacCablePath path;
        tac_cable_path(&self->line, run, &path, NULL);
        for (size_t k = 0; k + 1 < path.count; k++) {
            const TacCableStop *a = &path.stops[k], *b = &path.stops[k + 1];
            const TacCableNode *from = a->wheel < 0 ? NULL : &self->line.state->nodes[a->wheel],
                               *to = b->wheel < 0 ? NULL : &self->line.state->nodes[b->wheel];
            double out = from ? from->material[1] : run->material[0],
                   in = to ? to->material[0] : run->material[1];
            sum -= density * (in - out) * tac_dot(self->head.gravity, tac_scale(tac_add(a->out, b->in), 0.5));
            // what is wound is where the bent piece has its middle, all but: as its weight acts
            if (from && k > 0)
                sum -= density * (out - from->material[0]) *
                       tac_dot(self->head.gravity, tac_attachment_place(&self->line.wheels[a->wheel].centre));
        }
    }
    return sum;
}

static void weigh(Wire *self) {
    lump(self, self->m, self->hung, self->share);
    for (size_t i = 0; i < self->head.matter->count; i++)
        self->inverse[i] = self->live[i] && self->m[i] > 0 ? 1 / self->m[i] : 0;
}

// --- rows ---------------------------------------------------------------------------------------------------

// What comes to lie on faces of bodies: live masses, and what ends are tied to (at level -1, too).
static bool can_lie(const Wire *self, size_t point, TacAttachment *on) {
    size_t last = self->head.matter->count - 1;
    *on = (TacAttachment){self->head.matter, point, {0, 0, 0}};
    for (size_t end = 0; end < 2; end++)
        if (point == (end ? last : 0) && self->attachment[end].matter) *on = self->attachment[end];
    if (on->matter != self->head.matter)
        return !(on->matter->held && (on->matter->held[on->point] & TAC_HELD_WHOLLY)) &&
               !on_drum(self, point == 0 ? 0 : 1);
    return self->live[point] && !is_held(self, point);
}

static void find_lying(Wire *self, const TacContext *context) {
    for (size_t i = 0; self->line.body_count && i < self->head.matter->count; i++) {
        TacAttachment on;
        bool lies = can_lie(self, i, &on);
        TacVec3 v = tac_axpy(tac_attachment_velocity(&on), context->step, self->head.gravity);
        if (lies)
            tac_cable_lie(&self->line, context, &on, tac_load3(self->was + 3 * i), v, &self->lying[i]);
        else
            self->lying[i] = (TacCableLying){0, 0, 1};
    }
}

static void add_lying(const Wire *self, TacRows *rows) {
    size_t slot = self->line.first_slot + tac_cable_size(&self->line).slots;
    for (size_t i = 0; self->line.body_count && i < self->head.matter->count; i++) {
        TacAttachment on;
        if (can_lie(self, i, &on))
            tac_cable_add_lying(&self->line, &on, &self->lying[i], rows, slot + TAC_CABLE_LYING * i);
    }
}

void tac_wire_add_nodes(Wire *self, const TacContext *context, TacRows *rows) {
    find_lying(self, context);
    list_runs(self, BY_MATERIAL);
    tac_cable_follow(&self->line, self->runs, self->run_count);
    size_t last = self->head.matter->count - 1;
    // a mass that lies on a face may be a little too deep: what it sweeps at the next step begins on the face
    for (size_t i = 0; i <= last; i++)
        if (self->live[i])
            tac_store3(self->was + 3 * i,
                       tac_cable_put_out(&self->line, &self->lying[i], tac_load3(x_of(self, i))));
    for (size_t end = 0; end < 2; end++) {
        TacAttachment a = end_of(self, end);
        if (!self->live[end ? last : 0])
            tac_store3(self->was + (end ? 3 * last : 0), tac_attachment_place(&a));
    }
    for (size_t r = 0; r < self->run_count; r++) tac_cable_add(&self->line, &self->runs[r], rows);
    tac_cable_add_flux(&self->line, context, rows);
    add_lying(self, rows);
    size_t count = last + 1, lying = self->line.body_count ? TAC_CABLE_LYING * count : 0;
    tac_cable_keep_outside(&self->line, context, self->head.gravity, self->runs, self->run_count, rows,
                           self->line.first_slot + tac_cable_size(&self->line).slots + lying, count);
}

void tac_wire_take_nodes(Wire *self, const double *forces) {
    size_t n = segments(self->finest);
    for (size_t r = 0; r < self->run_count; r++) {
        const TacCableRun *run = &self->runs[r];
        size_t a = start_point(self, run), b = end_point(self, run), place = run->first;
        tac_cable_take(&self->line, run, forces);
        double tension =
            has_place(self, run, 0) ? *run->tension : tac_cable_node(&self->line, place++)->tension;
        for (size_t s = a; s < b && s < n; s++) {
            double middle = 0.5 * (material_of(self, s) + material_of(self, s + 1));
            for (; place < run->last && tac_cable_node(&self->line, place)->material[1] <= middle; place++)
                if (has_place(self, run, 1) || place + 1 < run->last)
                    tension = tac_cable_node(&self->line, place)->tension;
            self->tension[s] = tension;
        }
    }
}

// --- what passes --------------------------------------------------------------------------------------------

static TacVec3 velocity_at(const Wire *self, const TacCableRun *run, size_t end) {
    if (!has_place(self, run, end)) return tac_vec3(0, 0, 0);
    return tac_attachment_velocity(&run->end[end]);
}

// Rule 4: `mass` has passed the nodes of a run, towards its end. What each node's body feels follows from how the line
// turns there; what that leaves over, the first one has.
static void give_flux(Wire *self, const TacCableRun *run, double mass) {
    TacCablePath path;
    tac_cable_path(&self->line, run, &path, NULL);
    if (path.count < 3 || !has_place(self, run, 0) || !has_place(self, run, 1)) return;
    TacVec3 va = velocity_at(self, run, 0), vb = velocity_at(self, run, 1);
    TacVec3 first = tac_unit(tac_sub(path.stops[1].in, path.stops[0].out));
    TacVec3 last = tac_unit(tac_sub(path.stops[path.count - 1].in, path.stops[path.count - 2].out));
    double speed = 0.5 * (tac_dot(va, first) + tac_dot(vb, last));
    TacVec3 rest = tac_scale(tac_sub(vb, va), -mass), before = first;
    for (size_t k = 1; k + 1 < path.count; k++) {
        TacVec3 behind = tac_unit(tac_sub(path.stops[k + 1].in, path.stops[k].out));
        TacVec3 own = tac_scale(tac_sub(behind, before), -mass * speed);
        double *flux = self->line.state->nodes[path.stops[k].wheel].flux;
        tac_store3(flux, tac_add(tac_load3(flux), own));
        rest = tac_sub(rest, own);
        before = behind;
    }
    double *flux = self->line.state->nodes[path.stops[1].wheel].flux;
    tac_store3(flux, tac_add(tac_load3(flux), rest));
}

// Rule 2: the bodies of the first and the last node feel the weight of what lies between, from this step to the next.
static void give_weight(Wire *self, const TacCableRun *run, double step) {
    if (!has_place(self, run, 0) || !has_place(self, run, 1)) return;
    TacCableNode *first = tac_cable_node(&self->line, run->first),
                 *last = tac_cable_node(&self->line, run->last - 1);
    double mass = self->mass / self->length * (last->material[1] - first->material[0]);
    TacVec3 half = tac_scale(self->head.gravity, 0.5 * mass * step);
    tac_store3(first->flux, tac_add(tac_load3(first->flux), half));
    tac_store3(last->flux, tac_add(tac_load3(last->flux), half));
}

void tac_wire_pass_nodes(Wire *self, double step) {
    tac_cable_place_edges(&self->line);
    list_runs(self, AS_FOUND);
    if (self->level == CABLE) {
        tac_cable_slide(&self->line, &self->runs[0]);
        return;
    }
    for (size_t r = 0; r < self->run_count; r++) {
        TacCableRun *run = &self->runs[r];
        *run->known = *run->tension;
        if (run->first == run->last) continue;
        size_t b = end_point(self, run);
        double had = self->share[b];
        tac_cable_slide(&self->line, run);
        double in = tac_cable_node(&self->line, run->first)->material[0];
        double out = tac_cable_node(&self->line, run->last - 1)->material[1];
        double has = self->mass / self->length * (run->material[1] - 0.5 * (in + out));
        if (had > 0 && has > 0) give_flux(self, run, has - had);
        give_weight(self, run, step);
    }
    weigh(self);
}

// --- masses vanish and come back ----------------------------------------------------------------------------

// Rule 1.
static bool is_hidden(const Wire *self, size_t point, double margin) {
    size_t last = self->head.matter->count - 1, nodes = tac_cable_count(&self->line);
    double s = material_of(self, point);
    if (point == 0 || point == last) return on_drum(self, point == 0 ? 0 : 1);
    for (size_t k = 0; k < nodes;) {
        const TacCableNode *first = tac_cable_node(&self->line, k), *n = first;
        bool edge = self->line.state->order[k] >= TAC_CABLE_WHEELS;
        for (k++; k < nodes && edge; k++) { // nodes on one body belong together
            const TacCableNode *next = tac_cable_node(&self->line, k);
            if (self->line.state->order[k] < TAC_CABLE_WHEELS || next->body != n->body) break;
            n = next;
        }
        if (s > first->material[0] - margin && s < n->material[1] + margin) return true;
    }
    return false;
}

static size_t neighbour(const Wire *self, size_t point, int side) {
    size_t i = point, last = self->head.matter->count - 1;
    while (side < 0 ? i > 0 : i < last) {
        i = side < 0 ? i - 1 : i + 1;
        if (self->live[i]) return i;
    }
    return SIZE_MAX;
}

// Rule 3: a point that vanishes, with its two neighbours and the masses that they had.
static void hand_over(Wire *self, double *v, size_t point, const size_t *sides, const double *had) {
    for (int k = 0; k < 2; k++) {
        size_t i = sides[k];
        if (i == SIZE_MAX || is_held(self, i) || !(self->m[i] > 0)) continue;
        double gain = self->m[i] - had[k];
        if (v == v_of(self, 0) && tac_wire_owe(self, i, gain, v + 3 * point)) continue;
        for (size_t d = 0; d < 3; d++)
            v[3 * i + d] = (had[k] * v[3 * i + d] + gain * v[3 * point + d]) / self->m[i];
    }
}

// Kicks that come in parts, of a point that comes back: by rule 3 it has what its neighbours have.
static void share_parts(const Wire *self, double *parts, size_t point, const size_t *sides) {
    double count = 0, sum[3] = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        if (sides[k] == SIZE_MAX || is_held(self, sides[k])) continue;
        for (size_t d = 0; d < 3; d++) sum[d] += parts[3 * sides[k] + d];
        count++;
    }
    for (size_t d = 0; d < 3; d++) parts[3 * point + d] = count > 0 ? sum[d] / count : 0;
}

static size_t run_of(const Wire *self, size_t point) {
    size_t r = self->run_count - 1;
    while (r > 0 && self->runs[r].slot > point) r--;
    return r;
}

// Where the line is at a point that is not live. One that flies there (wire_follow.c) may be a little beside it: what lies between is
// swept at the next step.
static TacVec3 on_line(const Wire *self, size_t point) {
    const TacCableRun *run = &self->runs[run_of(self, point)];
    TacCablePath path;
    tac_cable_path(&self->line, run, &path, NULL);
    return tac_cable_place(&self->line, run, &path, material_of(self, point));
}

// The line was bent at a mass that has vanished.
static void straighten(Wire *self, size_t point) {
    size_t r = run_of(self, point);
    tac_cable_lose(&self->line, self->runs, self->run_count, r, material_of(self, point),
                   tac_cable_put_out(&self->line, &self->lying[point], tac_load3(x_of(self, point))));
}

// A point that flies to the line (wire_follow.c) comes back when it has arrived: where it is beside it, or ahead, its
// neighbours would be torn to it.
static bool has_arrived(const Wire *self, size_t point) {
    if (!is_watched(self)) return true;
    double off = tac_norm(tac_sub(on_line(self, point), tac_load3(x_of(self, point))));
    return off <= ARRIVED * self->length / (double)segments(self->finest);
}

static void change_point(Wire *self, size_t point, bool live) {
    size_t sides[2] = {neighbour(self, point, -1), neighbour(self, point, 1)};
    double had[2];
    for (int k = 0; k < 2; k++) had[k] = sides[k] == SIZE_MAX ? 0 : self->m[sides[k]];
    TacVec3 was = live && is_watched(self) ? on_line(self, point) : tac_load3(x_of(self, point));
    self->live[point] = live;
    list_runs(self, BY_MATERIAL);
    if (!live) straighten(self, point);
    weigh(self);
    double *parts = self->head.matter->vectors[TAC_PART];
    if (!live) hand_over(self, v_of(self, 0), point, sides, had);
    if (!live && parts) {
        hand_over(self, parts, point, sides, had);
        memset(parts + 3 * point, 0, 3 * sizeof *parts);
    }
    if (live && parts) share_parts(self, parts, point, sides);
    if (live) tac_store3(self->was + 3 * point, tac_cable_put_out(&self->line, &self->lying[point], was));
}

// The massless cable: ends keep what they have for the account.
static void become_cable(Wire *self) {
    size_t last = self->head.matter->count - 1;
    for (size_t i = 1; i < last; i++)
        if (self->live[i]) change_point(self, i, false);
    memset(self->live, 0, last + 1);
    list_runs(self, BY_MATERIAL);
    memset(self->inverse, 0, (last + 1) * sizeof *self->inverse);
}

void tac_wire_renew_nodes(Wire *self) {
    size_t last = self->head.matter->count - 1, step = stride(self, (int)self->level);
    if (self->level == CABLE) {
        become_cable(self);
        tac_wire_carry_nodes(self);
        return;
    }
    double spacing = self->length / (double)segments((int)self->level);
    for (size_t end = 0; end < 2; end++)
        if (!on_drum(self, end)) self->live[end ? last : 0] = 1;
    list_runs(self, BY_MATERIAL);
    weigh(self);
    for (size_t i = 1; i < last; i++)
        if (self->live[i] && (i % step || is_hidden(self, i, NEAR * spacing))) change_point(self, i, false);
    // so that what comes back is where it belongs, with the velocity that it should have
    tac_wire_carry_nodes(self);
    for (size_t i = step; i < last; i += step)
        if (!self->live[i] && !is_hidden(self, i, CLEAR * spacing) && has_arrived(self, i))
            change_point(self, i, true);
    tac_wire_carry_nodes(self);
}

// Masses that wind themselves around a wheel, beside its node, hold the line out of it.
bool tac_wire_clears_wheels(const Wire *self, int level) {
    size_t last = self->head.matter->count - 1, before = 0;
    size_t step = level == CABLE ? last + 1 : stride(self, level);
    for (size_t i = 1; self->line.wheel_count && i <= last; i++) {
        if (i != last && !(self->live[i] && i % step == 0)) continue;
        bool except[TAC_CABLE_WHEELS] = {false};
        for (size_t k = 0; k < tac_cable_count(&self->line); k++) {
            const TacCableNode *n = tac_cable_node(&self->line, k);
            size_t j = (size_t)self->line.state->order[k];
            bool between =
                n->material[1] > material_of(self, before) && n->material[0] < material_of(self, i);
            if (j < TAC_CABLE_WHEELS) except[j] = between;
        }
        TacAttachment a = {self->head.matter, before, {0, 0, 0}}, b = {self->head.matter, i, {0, 0, 0}};
        if (!tac_cable_clears_wheels(&self->line, &a, &b, except)) return false;
        before = i;
    }
    return true;
}

// --- carried points -----------------------------------------------------------------------------------------

typedef struct Sides {
    double in, out; // material between which neither side is
} Sides;

static Sides sides_of(const Wire *self, const TacCableRun *run) {
    if (run->first == run->last) return (Sides){INFINITY, -INFINITY};
    return (Sides){tac_cable_node(&self->line, run->first)->material[0],
                   tac_cable_node(&self->line, run->last - 1)->material[1]};
}

static double part_of(const Wire *self, const TacCableRun *run, size_t i) {
    Sides s = sides_of(self, run);
    double at = material_of(self, i);
    if (!has_place(self, run, 0)) return 1;
    if (!has_place(self, run, 1)) return 0;
    if (run->first == run->last) return (at - run->material[0]) / (run->material[1] - run->material[0]);
    return at < s.in ? 0 : at > s.out ? 1 : 0.5;
}

void tac_wire_carry_nodes(Wire *self) {
    for (size_t r = 0; r < self->run_count; r++) {
        const TacCableRun *run = &self->runs[r];
        size_t a = start_point(self, run), b = end_point(self, run);
        TacVec3 va = velocity_at(self, run, 0), vb = velocity_at(self, run, 1);
        TacCablePath path;
        tac_cable_path(&self->line, run, &path, NULL);
        for (size_t i = a; i <= b; i++) {
            if (self->live[i] || is_held(self, i)) continue;
            double t = part_of(self, run, i);
            tac_store3(v_of(self, i), tac_axpy(tac_scale(va, 1 - t), t, vb));
            if (is_watched(self)) continue; // it flies there (wire_follow.c)
            tac_store3(x_of(self, i), tac_cable_place(&self->line, run, &path, material_of(self, i)));
        }
    }
}

void tac_wire_divide_nodes(Wire *self, double *a) {
    list_runs(self, BY_MATERIAL); // the first thing that a step does, perhaps after a restore
    size_t count = self->head.matter->count;
    for (size_t r = 0; r < self->run_count; r++) {
        const TacCableRun *run = &self->runs[r];
        size_t from = start_point(self, run), to = end_point(self, run);
        for (size_t i = from; i <= to; i++) {
            if (self->live[i]) continue;
            double t = part_of(self, run, i);
            for (size_t k = 0; k < 3; k++) {
                if (self->live[from]) a[3 * from + k] += (1 - t) * a[3 * i + k];
                if (self->live[to]) a[3 * to + k] += t * a[3 * i + k];
                a[3 * i + k] = 0;
            }
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) a[3 * i + k] *= self->inverse[i];
}

bool tac_wire_is_plain(const Wire *self, size_t first, size_t last) {
    size_t step = (last - first) / 2;
    for (size_t i = first; i <= last; i += step)
        if (!self->live[i]) return false;
    for (size_t k = 0; k < tac_cable_count(&self->line); k++) {
        const TacCableNode *n = tac_cable_node(&self->line, k);
        if (n->material[1] > material_of(self, first) && n->material[0] < material_of(self, last))
            return false;
    }
    return true;
}

// --- setting up ---------------------------------------------------------------------------------------------

TacStatus tac_wire_lay(Wire *self, TacSetup *setup, TacError *error) {
    if (self->finest > MOST_FINE)
        return tac_setup_fail(setup, error, NULL, "a wire over nodes has up to %d points, not %zu",
                              (1 << MOST_FINE) + 1, self->head.matter->count);
    TacCableRun run = {.end = {end_of(self, 0), end_of(self, 1)}};
    double none = 0;
    run.tension = run.known = &none;
    self->line.first_slot = segments(self->finest) + 8 + (self->bend > 0 ? 3 * segments(self->finest) : 0);
    TAC_TRY(tac_cable_lay(&self->line, &run, self->length, setup, error));
    self->length = self->line.length;
    TacCablePath path;
    tac_cable_path(&self->line, &run, &path, NULL);
    for (size_t i = 0; i < self->head.matter->count; i++)
        tac_store3(x_of(self, i), tac_cable_place(&self->line, &run, &path, material_of(self, i)));
    return TAC_OK;
}

TacStatus tac_wire_keep_nodes(Wire *self, TacSetup *setup, TacError *error) {
    size_t count = self->head.matter->count;
    self->line.stretch = self->stretch;
    self->line.damping = self->damping;
    self->runs = tac_setup_alloc(setup, count + 1, sizeof *self->runs);
    self->live = tac_setup_alloc(setup, count, 1);
    self->was = tac_setup_alloc(setup, 3 * count, sizeof(double));
    self->known = tac_setup_alloc(setup, count, sizeof(double));
    self->share = tac_setup_alloc(setup, count, sizeof(double));
    self->hung = tac_setup_alloc(setup, count, sizeof(double));
    self->lying = tac_setup_alloc(setup, count, sizeof *self->lying);
    if (!self->runs || !self->live || !self->was || !self->known || !self->share || !self->hung ||
        !self->lying)
        return tac_fail_memory(error, count * sizeof *self->runs);
    memcpy(self->was, x_of(self, 0), 3 * count * sizeof(double));
    size_t last = count - 1, step = stride(self, (int)self->level);
    double spacing = self->length / (double)segments((int)self->level);
    for (size_t i = 0; i <= last; i += step)
        self->live[i] = self->level != CABLE && !is_hidden(self, i, NEAR * spacing);
    list_runs(self, BY_MATERIAL);
    weigh(self);
    if (self->level == CABLE) {
        self->m[0] = self->m[last] = 0.5 * self->mass;
        memset(self->inverse, 0, count * sizeof *self->inverse);
    }
    TAC_TRY(tac_setup_state(setup, self->live, count, error));
    TAC_TRY(tac_setup_state(setup, self->was, 3 * count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->known, count * sizeof(double), error));
    TAC_TRY(tac_setup_state(setup, self->lying, count * sizeof *self->lying, error));
    TAC_TRY(tac_setup_state(setup, self->hung, count * sizeof(double), error));
    return tac_setup_state(setup, self->share, count * sizeof(double), error);
}

bool tac_wire_nodes_are_sound(const Wire *self) {
    size_t last = self->head.matter->count - 1, step = stride(self, (int)self->level);
    if (!tac_cable_is_sound(&self->line)) return false;
    for (size_t i = 0; i <= last; i++) {
        bool must = (i == 0 && !on_drum(self, 0)) || (i == last && !on_drum(self, 1));
        if (self->live[i] > 1 || (self->live[i] && (i % step || self->level == CABLE))) return false;
        if (must && self->level != CABLE && !self->live[i]) return false;
        const TacCableLying *on = &self->lying[i];
        if (!(on->face >= 0 && on->face <= (double)self->line.faces.count && on->face == floor(on->face)) ||
            !(on->body >= 0 && (on->face == 0 || on->body < (double)self->line.body_count)) ||
            on->body != floor(on->body) || !(fabs(on->side) <= 1))
            return false;
    }
    return true;
}
