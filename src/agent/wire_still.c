// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Wires that are finer than is robust at the tension that a step finds: when a load is caught, one step before they coarsen; or
// because something is in the way (safe contact). Without more, their masses would be flung aside, and swing ever wider.
//
// A segment of length l that pulls with T holds its ends back across itself with the stiffness T/l ("Geometric stiffness for
// real-time constrained multibody dynamics", Andrews, Teichmann, Kovecses 2017). Rows know the direction of a segment at the
// beginning of a step only; what it becomes until the end is added here, with the velocities that are solved for: an impulse
// of -h^2 T/l times the speed of one end against the other, in both directions across. So no mass swings faster than
// the step; linear momentum is kept, and energy can only be lost. T is what the step found without (it is solved twice), or the last one, whichever is more.

#include "agent/wire_parts.h"

static void add_across(const TacAttachment *a, const TacAttachment *b, double tension, double step,
                       TacRows *rows, size_t slot) {
    TacVec3 d = tac_sub(tac_attachment_place(b), tac_attachment_place(a));
    double length = tac_norm(d);
    if (!(tension > 0) || !(length > 0)) return;
    TacVec3 u = tac_scale(d, 1 / length);
    TacVec3 v = tac_unit(tac_cross(u, fabs(u.x) < 0.5 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0)));
    const TacVec3 across[2] = {v, tac_cross(u, v)};
    for (size_t k = 0; k < 2; k++) {
        TacRow *row = tac_rows_add(rows, slot + k);
        if (!row) return;
        row->kind = TAC_ROW_SPEED;
        row->compliance = length / (step * tension);
        tac_rows_place(rows, a, tac_scale(across[k], -1));
        tac_rows_place(rows, b, across[k]);
    }
}

// The span of a run beside one of its ends: from that place to where the line comes to a node, or leaves it.
static void add_beside(const Wire *self, const TacCableRun *run, const TacCablePath *path, size_t end,
                       double tension, double h, TacRows *rows, size_t slot) {
    const TacCableStop *stop = &path->stops[end ? path->count - 2 : 1];
    const TacCableStop *own = &path->stops[end ? path->count - 1 : 0];
    if (own->wheel >= 0 || stop->wheel < 0) return; // on a drum
    TacAttachment node = self->line.wheels[stop->wheel].centre;
    node = tac_attach(node.matter, node.point, end ? stop->out : stop->in);
    add_across(end ? &node : &run->end[0], end ? &run->end[1] : &node, tension, h, rows, slot);
}

// Tension of the last span of a run (tac_cable_take).
static double tension_behind(const Wire *self, const TacCableRun *run, const double *forces) {
    double tension = -forces[run->slot];
    for (size_t k = run->first; k < run->last; k++)
        tension -= forces[self->line.first_slot + (size_t)self->line.state->order[k]];
    return tension;
}

static void add_still(const Wire *self, double h, const double *forces, TacRows *rows, size_t slot) {
    size_t step = stride(self, (int)self->level), last = self->head.matter->count - 1;
    for (size_t a = 0; !self->noded && a < last; a += step) {
        TacAttachment from = {self->head.matter, a, {0, 0, 0}}, to = {self->head.matter, a + step, {0, 0, 0}};
        add_across(&from, &to, fmax(-forces[a], self->tension[a]), h, rows, slot + 2 * a);
    }
    for (size_t r = 0; self->noded && r < self->run_count; r++) {
        const TacCableRun *run = &self->runs[r];
        size_t end = r + 1 < self->run_count ? run[1].slot : last;
        double tension = fmax(-forces[run->slot], self->tension[run->slot]);
        if (run->first == run->last) {
            add_across(&run->end[0], &run->end[1], tension, h, rows, slot + 2 * run->slot);
            continue;
        }
        TacCablePath path;
        tac_cable_path(&self->line, run, &path, NULL);
        add_beside(self, run, &path, 0, tension, h, rows, slot + 2 * run->slot);
        if (end - run->slot > 1)
            add_beside(self, run, &path, 1, fmax(tension_behind(self, run, forces), self->tension[end - 1]),
                       h, rows, slot + 2 * (end - 1));
    }
}

// Where kicks come in parts (there are barriers: safe contact) masses go on with half of what a kick takes away, and any
// swing across, explicit, would grow: by 1 + h^2 w^2 / 2 in a step.
static bool come_in_parts(const TacRows *rows) {
    return rows->most_speed < INFINITY;
}

// It will coarsen, but that is after this step; or it cannot, because something is in the way.
bool tac_wire_steady(const Wire *self, double h, const double *forces, TacRows *rows, size_t slot) {
    if (self->level < 1) return false;
    if (come_in_parts(rows)) {
        add_still(self, h, forces, rows, slot);
        return true;
    }
    if (self->lowest >= self->highest) return false;
    double most = 0, n = (double)(segments((int)self->level) + 1);
    for (size_t s = 0; s < segments(self->finest); s++) most = fmax(most, -forces[s]);
    // up to about twice N_crit it is stable all the same, and the choice of levels sees to the rest
    if (!(h * h * n * n * most > self->length * self->mass)) return false;
    add_still(self, h, forces, rows, slot);
    return true;
}
