// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wires that others touch (safe contact): their points may never be put elsewhere, unless that was certified. So what has
// no mass follows by flying. See wire.h for the rules; wire_nodes.c for nodes.
//
//     O-----.-----.--+  +--.-----O          O live mass, + follower, . carried between those beside it
//                    (__)                   a wheel, with a node: where the line comes, and where it leaves
//
//   1. Between a live mass and a node the last point before the node is a *follower*, and so is the first behind it, and
//      all that lie on a wheel. The others are carried on straight lines between live masses and followers, as everywhere.
//      No line leads past a node.
//   2. A follower flies with the velocity that brings it, in one step, to where its material will be; in several, where
//      that has just changed by more than a little (a slack line may slide at once over a node, and nothing flies so fast). At level -1 the ends
//      follow what they are tied to.
//   3. A point that becomes live, or a follower, moves nothing. One that is carried from now on goes to its line only where
//      the way is clear; if it is not, it stays a follower for a while, which is counted.
//   4. Followers have no mass in the wire. So that layers can push them they have that of their point at the finest level,
//      for them alone: what pushes them is not felt by the node's body. The rows of layers know them with that mass, too: taken
//      for held, they would have whatever touches them kicked as by a wall.

#include "agent/wire_parts.h"
#include "base/memory.h"
#include "matter/matter.h"

static const double REACH = 0.05; // of the finest spacing: what a follower makes good in a step

// Between nodes, or on one (odd): in the order of the line.
static size_t region_of(const Wire *self, size_t point) {
    size_t k = 0, nodes = tac_cable_count(&self->line);
    double s = material_of(self, point);
    for (; k < nodes; k++) {
        const TacCableNode *n = tac_cable_node(&self->line, k);
        if (s < n->material[0]) return 2 * k;
        if (s <= n->material[1]) return 2 * k + 1;
    }
    return 2 * k;
}

// Lines between points that are carried by nobody.
static void draw_lines(const uint8_t *own, size_t count, TacCarriedPoint *lines) {
    for (size_t a = 0, b; a < count; a = b) {
        lines[a] = (TacCarriedPoint){(uint32_t)a, (uint32_t)a, 0};
        for (b = a + 1; b < count && !own[b];) b++;
        for (size_t i = a + 1; i < b && b < count; i++)
            lines[i] = (TacCarriedPoint){(uint32_t)a, (uint32_t)b, (double)(i - a) / (double)(b - a)};
    }
}

// Rule 1, for masses that are live now, or where only every `step`-th is.
static void find_lines(const Wire *self, size_t step, TacCarriedPoint *lines) {
    size_t count = self->head.matter->count, before = 0;
    uint8_t *own = self->own;
    for (size_t i = 0; i < count; i++) {
        size_t region = region_of(self, i);
        bool other = i > 0 && region != before;
        own[i] = i == 0 || i + 1 == count || (self->live[i] && i % step == 0) || region % 2 || other;
        if (other) own[i - 1] = 1;
        before = region;
    }
    draw_lines(own, count, lines);
}

static bool is_carried(const TacCarriedPoint *lines, size_t point) {
    return lines[point].a != point;
}

void tac_wire_find_followers(Wire *self) {
    find_lines(self, 1, self->lines);
}

void tac_wire_weigh_touch(Wire *self) {
    for (size_t i = 0; i < self->head.matter->count; i++) {
        double most = tac_wire_most_inverse(self, i), own = self->m[i] > 0 ? 1 / self->m[i] : most;
        if (self->noded && (!self->live[i] || own > most)) own = most;
        self->touch[i] = is_carried(self->lines, i) ? 0 : own;
        if (self->noded && is_watched(self) && !self->live[i]) self->inverse[i] = self->touch[i];
    }
}

static bool take_lines(Wire *self, const TacCarriedPoint *lines) {
    size_t bytes = self->head.matter->count * sizeof *lines;
    if (!memcmp(self->lines, lines, bytes)) return false;
    memcpy(self->lines, lines, bytes);
    return true;
}

// Rule 3.
static void change_lines(Wire *self) {
    size_t count = self->head.matter->count;
    const TacGuard *guard = self->guard;
    find_lines(self, 1, self->next_lines);
    if (guard && memcmp(self->lines, self->next_lines, count * sizeof *self->lines) != 0 &&
        !guard->may_go(guard->data, self->head.matter, self->next_lines)) {
        for (size_t i = 0; i < count; i++)
            self->own[i] = !is_carried(self->lines, i) || !is_carried(self->next_lines, i);
        draw_lines(self->own, count, self->next_lines);
        self->numbers[TAC_WIRE_POSTPONED]++;
    }
    bool changed = take_lines(self, self->next_lines);
    double *was = self->next_touch;
    memcpy(was, self->touch, count * sizeof *was);
    tac_wire_weigh_touch(self);
    changed = changed || memcmp(was, self->touch, count * sizeof *was) != 0;
    tac_carry_points(self->lines, count, x_of(self, 0), v_of(self, 0));
    if (changed && guard) guard->gone(guard->data, self->head.matter, self->touch);
}

// Rule 2.
static void steer(Wire *self, size_t point, TacVec3 place, TacVec3 velocity, double step) {
    if (is_held(self, point)) return;
    TacVec3 off = tac_sub(place, tac_load3(x_of(self, point)));
    double far = tac_norm(off), most = REACH * self->length / (double)segments(self->finest);
    tac_store3(v_of(self, point), tac_axpy(velocity, (far > most ? most / far : 1) / step, off));
}

void tac_wire_follow_ends(Wire *self, double step) {
    for (size_t end = 0; end < 2; end++) {
        const TacAttachment *a = &self->attachment[end];
        if (a->matter)
            steer(self, end ? self->head.matter->count - 1 : 0, tac_attachment_place(a),
                  tac_attachment_velocity(a), step);
    }
}

void tac_wire_follow_nodes(Wire *self, double step) {
    change_lines(self);
    for (size_t r = 0; r < self->run_count; r++) {
        const TacCableRun *run = &self->runs[r];
        size_t b = r + 1 < self->run_count ? run[1].slot : self->head.matter->count - 1;
        TacCablePath path;
        tac_cable_path(&self->line, run, &path, NULL);
        for (size_t i = run->slot; i <= b; i++) {
            if (self->live[i] || is_carried(self->lines, i)) continue;
            double s = material_of(self, i);
            steer(self, i, tac_cable_place(&self->line, run, &path, s),
                  tac_cable_velocity(&self->line, run, &path, s), step);
        }
    }
    tac_carry_points(self->lines, self->head.matter->count, x_of(self, 0), v_of(self, 0));
}

bool tac_wire_may_coarsen_nodes(Wire *self, int level) {
    size_t step = level == CABLE ? self->head.matter->count : stride(self, level);
    find_lines(self, step, self->next_lines);
    return self->guard->may_go(self->guard->data, self->head.matter, self->next_lines);
}

bool tac_wire_follows_are_sound(const Wire *self) {
    size_t count = self->head.matter->count;
    for (size_t i = 0; i < count; i++) {
        const TacCarriedPoint *line = &self->lines[i];
        if (!is_carried(self->lines, i) && line->b == i && line->t == 0) continue;
        if (!(line->a < i && i < line->b && line->b < count && line->t > 0 && line->t < 1)) return false;
        if (is_carried(self->lines, line->a) || is_carried(self->lines, line->b)) return false;
    }
    return true;
}

bool tac_wire_meets_by_nodes(const void *data, const TacMatter *matter, size_t frame) {
    const Wire *self = data;
    bool found = false;
    for (size_t j = 0; self->noded && j < self->line.wheel_count; j++)
        found = found ||
                (self->line.wheels[j].centre.matter == matter && self->line.wheels[j].centre.point == frame);
    for (size_t b = 0; self->noded && b < self->line.body_count; b++)
        found = found || (self->line.bodies[b].matter == matter && self->line.bodies[b].point == frame);
    return found;
}

// Masses have the numbers of their points; nodes, behind those, what they lie on.
static uint64_t number_of(const Wire *self, const TacCablePath *path, size_t r, size_t k) {
    int node = path->stops[k].wheel;
    size_t last = self->head.matter->count - 1;
    if (node < 0 && k == 0) return self->runs[r].slot;
    if (node < 0) return r + 1 < self->run_count ? self->runs[r + 1].slot : last;
    const TacCableNode *n = &self->line.state->nodes[node];
    uint64_t edge = node < TAC_CABLE_WHEELS ? 0 : (uint64_t)n->edge + 1;
    return ((uint64_t)(node + 1) << 40) + ((uint64_t)n->body << 32) + edge;
}

size_t tac_wire_pieces(const void *data, TacLinePiece *pieces, size_t most) {
    const Wire *self = data;
    size_t n = 0;
    if (!self->noded) return 0;
    if (!pieces) return self->head.matter->count + TAC_CABLE_NODES; // never more
    for (size_t r = 0; r < self->run_count; r++) {
        TacCablePath path;
        tac_cable_path(&self->line, &self->runs[r], &path, NULL);
        for (size_t k = 0; k + 1 < path.count && n < most; k++, n++) {
            pieces[n] = (TacLinePiece){{path.stops[k].out, path.stops[k + 1].in},
                                       {number_of(self, &path, r, k), number_of(self, &path, r, k + 1)},
                                       path.stops[k].wheel >= 0 || path.stops[k + 1].wheel >= 0};
        }
    }
    return n;
}
