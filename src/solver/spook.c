// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Spook: points and frames tied by joints, at a fixed step (C. Lacoursiere, "Ghosts and machines", 2007; the
// stepper of "Adaptive resolution in physics based virtual environments", section 2.1).
//
// With violations g, Jacobian G, compliance e and damping time t of each row, and h the step:
//
//     Sigma = (4/h^2) e / (1 + 4 t/h),   Y = 1 / (1 + 4 t/h)
//     (G M^-1 G^T + Sigma) l = -(4/h) Y g + Y G v - G (v + h M^-1 f)
//     v <- v + h M^-1 f + M^-1 G^T l,    then matter flies
//
// l is an impulse; the force of a row is l/h. Laws give f explicitly. A row that can only push or pull and is
// open asks for G v = -g/h at most: it closes within the step and no faster; one that is closed loses the part
// of Y G v that would open it further the wrong way. Motors ask for G v = speed.
//
// Joints that change their resolution (wires) do so in settle: after the kick, before the flight (algorithm 1
// of the document, steps 7 to 9).

#define _GNU_SOURCE
#include "base/memory.h"
#include "base/wall_clock.h"
#include "solver/solver.h"
#include "solver/spook_system.h"

#include <stdio.h>

static const double MOST_RATIO = 1e11; // of masses that are tied together: beyond, no digits are left

typedef struct Spook {
    TacSolver solver;
    double time_limit; // s; NaN: half a step
    TacReals dips;     // begin, end, limit
    int costs;         // MODEL, MEASURED
} Spook;

enum { MODEL, MEASURED };

enum { FEW = 2 }; // joints

typedef struct Kept {
    // What settling looks at, in one cache line, which the world fetches beforehand.
    double measured; // s, of the last kicks, smoothed
    size_t settler_count;
    void **settlers;                 // joints that change their resolution
    const TacJointOps **settler_ops; // of each: in every step, looking them up would cost as much as settling
    void *few[FEW];                  // where they are, when there are no more
    const TacJointOps *few_ops[FEW];
    TacSpookSystem system;
    TacSpookReport report;
    const TacMass **mass;  // of each matter; NULL: none
    bool *constrained;     // each matter
    double **weighed;      // inverse masses of points for which the weights hold; NULL: not weighed yet
    double *weights_noted; // behind weighed, by body
    double step;           // s, the agent's own
    size_t released;       // constraints, when bodies were weighed
    double *pull;          // by body: sum of T/l, scratch
    uint32_t *first_body;  // of each matter
} Kept;

// --- what bodies weigh ------------------------------------------------------------------------------------

static bool is_constrained(const TacProgram *p, const TacMatter *m) {
    for (size_t i = 0; i < p->constraint_count; i++)
        if (p->constraints[i]->matter == m) return true;
    return false;
}

static const TacMass *mass_of(const TacProgram *p, const TacMatter *m) {
    for (size_t i = 0; i < p->mass_count; i++)
        if (p->masses[i]->matter == m) return p->masses[i];
    return NULL;
}

static void project_matter(const TacProgram *p, const TacContext *context, const TacMatter *m, TacVector d) {
    for (size_t i = 0; i < p->constraint_count; i++) {
        TacConstraint *c = p->constraints[i];
        if (c->matter == m) c->base.cls->ops.constraint->project(c, context, m->vectors[d]);
    }
}

// Held, a plain point, or something in between.
static void set_form(TacSpookBody *body, const double *w) {
    size_t d = body->size;
    bool zero = true, plain = d == 3;
    for (size_t k = 0; k < d * d; k++) {
        zero = zero && w[k] == 0;
        plain = plain && w[k] == (k % (d + 1) ? 0 : w[0]);
    }
    body->form = zero ? TAC_BODY_HELD : plain ? TAC_BODY_POINT : TAC_BODY_MATRIX;
}

// Inverse masses w of points whose mass their joint makes. Seen through constraints, W is w times their
// projection P.
static void take_own_weights(const TacProgram *p, const TacContext *context, const TacMatter *m,
                             const double *inverse, bool constrained, TacSpookSystem *s,
                             TacSpookBody *bodies) {
    for (size_t i = 0; i < m->count && !constrained; i++) {
        s->weights[bodies[i].weight] = inverse[i];
        bodies[i].form = inverse[i] > 0 ? TAC_BODY_POINT : TAC_BODY_HELD;
    }
    double *column = m->vectors[TAC_S];
    for (size_t j = 0; j < 3 && constrained; j++) {
        for (size_t i = 0; i < 3 * m->count; i++) column[i] = i % 3 == j;
        project_matter(p, context, m, TAC_S);
        for (size_t i = 0; i < m->count; i++)
            for (size_t k = 0; k < 3; k++)
                s->weights[bodies[i].weight + 3 * k + j] = inverse[i] * column[3 * i + k];
    }
    for (size_t i = 0; i < m->count && constrained; i++) set_form(&bodies[i], s->weights + bodies[i].weight);
}

// Column j of W of all points at once: W is block diagonal, so one division of unit vectors gives it.
static void probe_column(const TacProgram *p, const TacContext *context, const TacMass *mass, size_t j,
                         bool whole, bool constrained) {
    const TacMatter *m = mass->matter;
    size_t d = (size_t)m->velocity_size;
    double *in = m->vectors[TAC_S];
    memset(in, 0, tac_vector_size(m, TAC_S) * sizeof *in);
    for (size_t i = 0; i < m->count; i++) {
        if (whole) {
            for (size_t k = 0; k < 3; k++) in[d * i + k] = 1;
            if (d == 6) in[6 * i + 3 + j] = 1;
        } else {
            in[d * i + j] = 1;
        }
    }
    if (constrained) project_matter(p, context, m, TAC_S);
    mass->base.cls->ops.mass->divide((void *)mass, context, m->vectors[TAC_X], in, m->vectors[TAC_T]);
    if (constrained) project_matter(p, context, m, TAC_T);
}

static void take_weights_of(const TacProgram *p, const TacContext *context, size_t index, Kept *kept) {
    const TacMatter *m = p->matters[index];
    const TacMass *mass = kept->mass[index];
    TacSpookSystem *s = &kept->system;
    TacSpookBody *bodies = s->bodies + s->rows.first_body[index];
    size_t d = (size_t)m->velocity_size;
    for (size_t i = 0; i < m->count && !mass; i++) bodies[i].form = TAC_BODY_HELD;
    if (!mass) return;
    bool constrained = kept->constrained[index];
    const TacJointOps *own = mass->base.cls->ops.mass->joint;
    if (own) {
        take_own_weights(p, context, m, own->inverse_masses(mass), constrained, s, bodies);
        return;
    }
    const double *out = m->vectors[TAC_T];
    if (d == 3 && !constrained) {
        probe_column(p, context, mass, 0, true, false);
        for (size_t i = 0; i < m->count; i++) {
            s->weights[bodies[i].weight] = out[3 * i];
            bodies[i].form = TAC_BODY_POINT;
        }
        return;
    }
    bool whole = !constrained; // all linear columns are alike
    for (size_t j = 0; j < (whole ? 3 : d); j++) {
        probe_column(p, context, mass, j, whole, constrained);
        for (size_t i = 0; i < m->count; i++) {
            double *w = s->weights + bodies[i].weight;
            if (whole) {
                w[(d + 1) * j] = out[d * i];
                for (size_t k = 3; k < d; k++) w[d * k + 3 + j] = out[d * i + k];
            } else {
                for (size_t k = 0; k < d; k++) w[d * k + j] = out[d * i + k];
            }
        }
    }
    for (size_t i = 0; i < m->count; i++) set_form(&bodies[i], s->weights + bodies[i].weight);
}

// Weights of points change only where a joint makes the masses and has changed them; frames turn.
static bool weights_hold(const TacProgram *p, size_t index, const Kept *kept) {
    const TacMatter *m = p->matters[index];
    if (m->kind != TAC_VEC3 || !kept->weighed[index]) return false;
    const TacJointOps *own = kept->mass[index] ? kept->mass[index]->base.cls->ops.mass->joint : NULL;
    if (!own) return true;
    const double *inverse = own->inverse_masses(kept->mass[index]);
    return !memcmp(kept->weighed[index], inverse, m->count * sizeof *inverse);
}

static void note_weights(const TacProgram *p, size_t index, Kept *kept) {
    const TacMatter *m = p->matters[index];
    const TacJointOps *own = kept->mass[index] ? kept->mass[index]->base.cls->ops.mass->joint : NULL;
    kept->weighed[index] = kept->weights_noted + kept->system.rows.first_body[index];
    if (own) memcpy(kept->weighed[index], own->inverse_masses(kept->mass[index]), m->count * sizeof(double));
}

// What a constraint has released weighs something again.
static void forget_weights(const TacProgram *p, Kept *kept) {
    size_t released = 0;
    for (size_t i = 0; i < p->constraint_count; i++) released += p->constraints[i]->released;
    if (released == kept->released) return;
    kept->released = released;
    memset(kept->weighed, 0, p->matter_count * sizeof *kept->weighed);
}

static void take_weights(const TacProgram *p, const TacContext *context, Kept *kept) {
    forget_weights(p, kept);
    for (size_t i = 0; i < p->matter_count; i++) {
        if (weights_hold(p, i, kept)) continue;
        take_weights_of(p, context, i, kept);
        note_weights(p, i, kept);
    }
}

// --- rows -------------------------------------------------------------------------------------------------

static void add_rows(const TacProgram *p, const TacContext *context, TacSpookSystem *s) {
    TacRows *rows = &s->rows;
    rows->count = rows->block_count = 0;
    rows->first_slot = 0;
    rows->most_speed = INFINITY;
    for (size_t i = 0; i < p->joint_count; i++) {
        const TacJointOps *ops = tac_joint_ops(p->joints[i]);
        if (!tac_joint_is_open(p->joints[i])) ops->add(p->joints[i], context, rows);
        rows->first_slot += (uint32_t)ops->capacity(p->joints[i]).slots;
    }
}

// G times velocities, flat.
static double along(const TacSpookSystem *s, const TacRow *row, const double *v) {
    double sum = 0;
    for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++) {
        const TacBlock *block = &s->rows.blocks[b];
        const TacSpookBody *body = &s->bodies[block->body];
        for (size_t k = 0; k < body->size; k++) sum += block->j[k] * v[body->first + k];
    }
    return sum;
}

static bool is_open(const TacRow *row) {
    return (row->high == 0 && row->violation < 0) || (row->low == 0 && row->violation > 0);
}

// What stays of a row's speed for a while. One that can only push or pull ends an impact at once.
static double lasting(const TacRow *row, double speed) {
    bool closing = (row->high == 0 && speed > 0) || (row->low == 0 && speed < 0);
    return closing ? 0 : speed;
}

// What two rows have to do with each other: G W G^T.
static double coupling(const TacSpookSystem *s, const TacRow *a, const TacRow *b) {
    double sum = 0;
    for (uint32_t i = a->first_block; i < a->first_block + a->block_count; i++)
        for (uint32_t k = b->first_block; k < b->first_block + b->block_count; k++) {
            const TacBlock *p = &s->rows.blocks[i], *q = &s->rows.blocks[k];
            if (p->body != q->body) continue;
            const TacSpookBody *body = &s->bodies[p->body];
            const double *w = s->weights + body->weight;
            size_t d = body->size;
            for (size_t m = 0; m < d && body->form == TAC_BODY_POINT; m++) sum += w[0] * p->j[m] * q->j[m];
            for (size_t m = 0; m < d * d && body->form == TAC_BODY_MATRIX; m++)
                sum += w[m] * p->j[m / d] * q->j[m % d];
        }
    return sum;
}

// Whether all bodies of one row are among those of another.
static bool is_within(const TacSpookSystem *s, const TacRow *row, const TacRow *other) {
    for (uint32_t k = row->first_block; k < row->first_block + row->block_count; k++) {
        bool found = false;
        for (uint32_t i = other->first_block; i < other->first_block + other->block_count && !found; i++)
            found = s->rows.blocks[i].body == s->rows.blocks[k].body;
        if (!found) return false;
    }
    return true;
}

// Points on frames (ends of wires) are light: one that gave way to a barrier would be torn off.
static bool ties_frames(const TacSpookSystem *s, const TacRow *row) {
    for (uint32_t i = row->first_block; i < row->first_block + row->block_count; i++)
        if (s->bodies[s->rows.blocks[i].body].size != 6) return false;
    return row->block_count > 0;
}

// How stiffly barriers hold out against what a row does to the very bodies that they keep apart.
static double resistance(const TacSpookSystem *s, const TacRow *row) {
    double sum = 0;
    for (size_t i = 0; i < s->rows.count; i++) {
        const TacRow *barrier = &s->rows.rows[i];
        if (barrier->barrier == 0 || !is_within(s, row, barrier) || !is_within(s, barrier, row)) continue;
        double across = coupling(s, row, barrier);
        sum += barrier->barrier * across * across;
    }
    return sum;
}

// How far a hard row gives way to barriers. Kicks are delivered in parts, and barriers push by themselves meanwhile: to
// what the row's bodies go on moving before they stand, so with up to h^2 k / 2m times what the row foresees. A row
// that answers that in full would swing ever wider; with this much compliance the answer is an eighth of it at most.
//
// A limit may want what there is no room for. A step of it that is cut must not push harder: its impulse is its part of what the
// whole step would give. What holds both ways mostly has its room, and would only hang loose (a hinge by four times the
// thickness of the layers beside it, so that what lies on it danced): it asks for steps so short that it gives way no more
// than its bodies do.
static double yielding(const TacSpookSystem *s, const TacRow *row, double h, double own, double *bears) {
    double stiff = 4 * resistance(s, row), whole = fmax(h, own);
    if (row->low == 0 || row->high == 0) return stiff * whole * whole * (whole / h);
    if (stiff > 0) *bears = fmin(*bears, sqrt(coupling(s, row, row) / stiff));
    return stiff * h * h;
}

// In which time a violation is damped away: by default two of the agent's own steps, also while a step is cut (stride.h), as
// that is what violations come from.
static double damping_of(const TacRow *row, double h, double own) {
    return row->damping >= 0 ? row->damping : 2 * fmax(h, own);
}

static void set_row(TacSpookSystem *s, size_t i, double h, double own) {
    const TacRow *row = &s->rows.rows[i];
    double time = damping_of(row, h, own);
    double y = 1 / (1 + 4 * time / h);
    double free = along(s, row, s->v_free);
    s->low[i] = h * row->low;
    s->high[i] = h * row->high;
    s->sigma[i] = row->kind == TAC_ROW_SPEED ? row->compliance / h : 4 / (h * h) * row->compliance * y;
    if (row->kind == TAC_ROW_SPEED)
        s->rhs[i] = row->speed - free;
    else if (is_open(row))
        s->rhs[i] = -row->violation / h - free;
    else
        s->rhs[i] = -4 / h * y * row->violation + y * lasting(row, along(s, row, s->v)) - free;
}

// The fastest at which a row is put right, m/s; of one that only turns, rad/s: as fast at the distance at which what its bodies
// weigh turns with them.
static double most_speed(const TacSpookSystem *s, const TacRow *row) {
    double moved = 0, turned = coupling(s, row, row);
    for (uint32_t i = row->first_block; i < row->first_block + row->block_count; i++) {
        const TacBlock *block = &s->rows.blocks[i];
        const TacSpookBody *body = &s->bodies[block->body];
        const double *w = s->weights + body->weight;
        if (block->j[0] != 0 || block->j[1] != 0 || block->j[2] != 0) return s->rows.most_speed;
        if (body->form == TAC_BODY_POINT) moved += w[0];
        if (body->form == TAC_BODY_MATRIX) moved += (w[0] + w[7] + w[14]) / 3; // of six by six numbers
    }
    return s->rows.most_speed * (moved > 0 ? sqrt(turned / moved) : 1);
}

// Rule 4 of joint.h. Returns the longest step for which rows bear that.
static double heed_barriers(TacSpookSystem *s, double h, double own) {
    double bears = INFINITY;
    for (size_t i = 0; i < s->rows.count && s->rows.most_speed < INFINITY; i++) {
        const TacRow *row = &s->rows.rows[i];
        if (row->kind != TAC_ROW_PLACE || row->compliance > 0 || !ties_frames(s, row)) continue;
        s->sigma[i] += yielding(s, row, h, own, &bears);
        if (is_open(row)) continue;
        double time = damping_of(row, h, own);
        double speed = -4 / h / (1 + 4 * time / h) * row->violation;
        s->rhs[i] += copysign(fmin(fabs(speed), most_speed(s, row)), speed) - speed;
    }
    return bears;
}

// While kicks come in parts, matter goes on with half of what a kick takes away: rows that must not be passed ask for as
// much more.
static void heed_parts(TacSpookSystem *s) {
    bool parts = false;
    for (size_t i = 0; i < s->rows.count; i++) parts = parts || s->rows.rows[i].barrier > 0;
    for (size_t i = 0; parts && i < s->rows.count; i++)
        if (s->rows.rows[i].solid) s->rhs[i] += fmax(0, -along(s, &s->rows.rows[i], s->v));
}

static void hand_out_forces(const TacProgram *p, const TacContext *context, TacSpookSystem *s) {
    memset(s->forces, 0, s->slot_count * sizeof *s->forces);
    for (size_t i = 0; i < s->rows.count; i++) s->forces[s->rows.rows[i].slot] = s->l[i] / context->step;
    const double *at = s->forces;
    for (size_t i = 0; i < p->joint_count; i++) {
        const TacJointOps *ops = tac_joint_ops(p->joints[i]);
        if (ops->take) ops->take(p->joints[i], context, at);
        at += ops->capacity(p->joints[i]).slots;
    }
}

// Joints that would swing up under these forces add rows. Whether any has.
static bool steady(const TacProgram *p, const TacContext *context, TacSpookSystem *s) {
    bool more = false;
    size_t before = s->rows.count;
    memset(s->forces, 0, s->slot_count * sizeof *s->forces);
    for (size_t i = 0; i < before; i++) s->forces[s->rows.rows[i].slot] = s->l[i] / context->step;
    s->rows.first_slot = 0;
    for (size_t i = 0; i < p->joint_count; i++) {
        const TacJointOps *ops = tac_joint_ops(p->joints[i]);
        if (ops->steady && !tac_joint_is_open(p->joints[i]))
            more = ops->steady(p->joints[i], context, s->forces + s->rows.first_slot, &s->rows) || more;
        s->rows.first_slot += (uint32_t)ops->capacity(p->joints[i]).slots;
    }
    return more;
}

// --- the kick ---------------------------------------------------------------------------------------------

// What falls by itself: joints see the mean velocity of its flights, over the step before and over the one to come, as
// that is what moves it. The kick leaves the fall out.
static void add_flight(const TacMatter *m, double step, double *v, double *v_free) {
    size_t d = (size_t)m->velocity_size;
    for (size_t i = 0; tac_matter_falls(m) && i < m->count; i++) {
        TacVec3 half = tac_scale(tac_matter_fall(m, i), 0.5 * step);
        const double change[3] = {half.x, half.y, half.z};
        for (size_t k = 0; k < 3; k++) {
            v[d * i + k] -= change[k];
            v_free[d * i + k] += change[k];
        }
    }
}

static void gather(const TacProgram *p, double step, TacSpookSystem *s) {
    double *v = s->v, *v_free = s->v_free;
    for (size_t i = 0; i < p->matter_count; i++) {
        double *const *all = p->matters[i]->vectors;
        size_t n = tac_vector_size(p->matters[i], TAC_V);
        for (size_t k = 0; k < n; k++) {
            v[k] = all[TAC_V][k];
            v_free[k] = v[k] + all[TAC_B][k];
        }
        add_flight(p->matters[i], step, v, v_free);
        v += n;
        v_free += n;
    }
}

static void scatter(const TacProgram *p, const TacSpookSystem *s) {
    const double *dv = s->dv;
    for (size_t i = 0; i < p->matter_count; i++) {
        double *const *all = p->matters[i]->vectors;
        size_t n = tac_vector_size(p->matters[i], TAC_V);
        for (size_t k = 0; k < n; k++) all[TAC_DV][k] = all[TAC_B][k] + dv[k];
        dv += n;
    }
}

static void solve(Kept *kept, double step, TacKickReport *report) {
    TacSpookSystem *s = &kept->system;
    for (size_t i = 0; i < s->rows.count; i++) set_row(s, i, step, kept->step);
    report->bears = heed_barriers(s, step, kept->step);
    heed_parts(s);
    kept->report = tac_spook_system_solve(s);
}

static void kick(void *data, const TacProgram *p, const TacContext *context, TacKickReport *report) {
    const Spook *self = data;
    Kept *kept = p->kept;
    TacSpookSystem *s = &kept->system;
    double start = self->costs == MEASURED ? tac_wall_seconds() : 0;

    // without joints
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    tac_program_divide(p, context, TAC_F, TAC_B);
    tac_program_project(p, context, TAC_B);
    tac_program_scale(p, context, TAC_B, context->step);
    tac_program_prescribe(p, context, TAC_B);

    // joints
    gather(p, context->step, s);
    take_weights(p, context, kept);
    add_rows(p, context, s);
    solve(kept, context->step, report);
    report->iterations = kept->report.rounds;
    if (kept->settler_count && !kept->report.failed && steady(p, context, s)) {
        solve(kept, context->step, report);
        report->iterations += kept->report.rounds;
    }
    report->residual = kept->report.residual;
    if (kept->report.failed) snprintf(report->failure, sizeof report->failure, "out of memory");
    scatter(p, s);
    hand_out_forces(p, context, s);
    if (self->costs == MEASURED) {
        double took = tac_wall_seconds() - start;
        kept->measured = kept->measured > 0 ? 0.9 * kept->measured + 0.1 * took : took;
    }
}

// Whether what a row takes from one body of the agent it gives to others: its pushes cancel to the last bit, or its turns
// where it does not push. If in doubt, no.
static bool is_between(const TacSpookSystem *s, const TacRow *row) {
    double push[3] = {0}, turn[3] = {0};
    bool pushes = false;
    for (uint32_t b = row->first_block; b < row->first_block + row->block_count; b++) {
        const TacBlock *block = &s->rows.blocks[b];
        const TacSpookBody *body = &s->bodies[block->body];
        if (body->form == TAC_BODY_HELD) return false;
        for (size_t k = 0; k < 3; k++) {
            push[k] += block->j[k];
            turn[k] += body->size == 6 ? block->j[3 + k] : 0;
            pushes = pushes || block->j[k] != 0;
        }
    }
    const double *sum = pushes ? push : turn;
    return sum[0] == 0 && sum[1] == 0 && sum[2] == 0;
}

// Barriers act by themselves: they are no part of what is left of the kick.
static bool forces_tell(const void *data, const TacProgram *p) {
    (void)data;
    const Kept *kept = p->kept;
    const TacRows *rows = &kept->system.rows;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->rows[i].barrier == 0 && !is_between(&kept->system, &rows->rows[i])) return false;
    return true;
}

static double limit_at(const Spook *self, const TacContext *context) {
    double limit = isnan(self->time_limit) ? 0.5 * context->step : self->time_limit;
    for (size_t i = 0; i + 2 < self->dips.count; i += 3)
        if (context->time >= self->dips.data[i] && context->time < self->dips.data[i + 1])
            limit = self->dips.data[i + 2];
    return limit;
}

static void settle(void *data, const TacProgram *p, const TacContext *context) {
    const Spook *self = data;
    const Kept *kept = p->kept;
    if (!kept->settler_count) return;
    TacSettling settling = {context, limit_at(self, context), 1, p->guard, p->made_up};
    if (self->costs == MEASURED && kept->measured > 0) {
        double estimate = 0;
        for (size_t i = 0; i < kept->settler_count; i++)
            estimate += kept->settler_ops[i]->cost(kept->settlers[i]);
        if (estimate > 0) settling.cost_scale = kept->measured / estimate;
    }
    // joints of one kind stand together
    for (size_t i = 0, n; i < kept->settler_count; i += n) {
        const TacJointOps *ops = kept->settler_ops[i];
        for (n = 1; i + n < kept->settler_count && kept->settler_ops[i + n] == ops;) n++;
        ops->settle(kept->settlers + i, n, &settling);
    }
}

// --- how fast it swings -----------------------------------------------------------------------------------

static const double *place_of(const TacSpookSystem *s, uint32_t body) {
    size_t m = s->rows.matter_count;
    while (m > 1 && s->rows.first_body[m - 1] > body) m--;
    const TacMatter *matter = s->rows.matters[m - 1];
    return matter->vectors[TAC_X] + (size_t)matter->position_size * (body - s->rows.first_body[m - 1]);
}

double tac_spook_frequency(const TacProgram *p) {
    const Kept *kept = p->kept;
    const TacSpookSystem *s = &kept->system;
    memset(kept->pull, 0, s->body_count * sizeof *kept->pull);
    for (size_t i = 0; i < s->rows.count; i++) {
        const TacRow *row = &s->rows.rows[i];
        double tension = -s->forces[row->slot];
        if (row->block_count != 2 || row->kind != TAC_ROW_PLACE || !(tension > 0)) continue;
        uint32_t a = s->rows.blocks[row->first_block].body, b = s->rows.blocks[row->first_block + 1].body;
        if (s->bodies[a].size != 3 || s->bodies[b].size != 3) continue;
        double length = tac_norm(tac_sub(tac_load3(place_of(s, b)), tac_load3(place_of(s, a))));
        if (!(length > 0)) continue;
        kept->pull[a] += tension / length;
        kept->pull[b] += tension / length;
    }
    double most = 0;
    for (size_t b = 0; b < s->body_count; b++)
        if (s->bodies[b].form != TAC_BODY_HELD)
            most = fmax(most, 2 * kept->pull[b] * s->weights[s->bodies[b].weight]);
    return sqrt(most);
}

// --- getting ready ----------------------------------------------------------------------------------------

static TacStatus fail_at(const TacComponent *c, TacError *error, const char *text) {
    return tac_fail_at(error, TAC_BAD_INPUT, c->file, c->line, c->column, "%s (%s): %s", c->path,
                       c->cls->name, text);
}

// Memory for all that the program can have.
static TacStatus take_bodies(const TacProgram *p, Kept *kept, TacArena *arena, TacError *error) {
    TacSpookSystem *s = &kept->system;
    size_t weights = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        size_t n = p->matters[i]->count, d = (size_t)p->matters[i]->velocity_size;
        s->body_count += n;
        s->number_count += n * d;
        weights += n * d * d;
    }
    if (s->number_count > UINT32_MAX / 8) return tac_fail_memory(error, s->number_count);
    kept->first_body = tac_arena_array(arena, p->matter_count, sizeof *kept->first_body);
    s->bodies = tac_arena_array(arena, s->body_count, sizeof *s->bodies);
    s->weights = tac_arena_array(arena, weights, sizeof *s->weights);
    kept->mass = tac_arena_array(arena, p->matter_count, sizeof *kept->mass);
    kept->constrained = tac_arena_array(arena, p->matter_count, sizeof *kept->constrained);
    kept->weighed = tac_arena_array(arena, p->matter_count, sizeof *kept->weighed);
    kept->weights_noted = tac_arena_array(arena, s->body_count, sizeof *kept->weights_noted);
    bool few = p->joint_count <= FEW;
    kept->settlers = few ? kept->few : tac_arena_array(arena, p->joint_count, sizeof *kept->settlers);
    kept->settler_ops =
        few ? kept->few_ops : tac_arena_array(arena, p->joint_count, sizeof *kept->settler_ops);
    if (!kept->settler_ops || !kept->first_body || !s->bodies || !s->weights || !kept->mass ||
        !kept->constrained || !kept->weighed || !kept->weights_noted || !kept->settlers)
        return tac_fail_memory(error, weights * sizeof *s->weights);
    return TAC_OK;
}

// Numbers bodies and finds everybody's mass, for the lists as they are now.
static void arrange(const TacProgram *p, Kept *kept) {
    TacSpookSystem *s = &kept->system;
    size_t weights = 0, numbers = 0, body = 0;
    for (size_t i = 0; i < p->matter_count; i++) {
        size_t d = (size_t)p->matters[i]->velocity_size;
        kept->first_body[i] = (uint32_t)body;
        for (size_t k = 0; k < p->matters[i]->count; k++, body++) {
            s->bodies[body] = (TacSpookBody){(uint8_t)d, TAC_BODY_HELD, (uint32_t)numbers, (uint32_t)weights};
            numbers += d;
            weights += d * d;
        }
        kept->mass[i] = mass_of(p, p->matters[i]);
        kept->constrained[i] = is_constrained(p, p->matters[i]);
        kept->weighed[i] = NULL;
    }
    memset(s->weights, 0, weights * sizeof *s->weights); // of frames only what is not zero is written
    s->body_count = body;
    s->number_count = numbers;
    s->rows.matters = p->matters;
    s->rows.matter_count = p->matter_count;
    s->rows.first_body = kept->first_body;
    s->seen_count = SIZE_MAX; // rows meet differently now
    kept->settler_count = 0;
    for (size_t i = 0; i < p->joint_count; i++) {
        const TacJointOps *ops = tac_joint_ops(p->joints[i]);
        if (!ops->settle) continue;
        kept->settler_ops[kept->settler_count] = ops;
        kept->settlers[kept->settler_count++] = p->joints[i];
    }
}

static void rearrange(void *data, TacProgram *p, bool anew) {
    (void)data;
    Kept *kept = p->kept;
    arrange(p, kept);
    if (anew) memset(kept->system.active, TAC_ROW_FREE, kept->system.slot_count);
}

// What the direct solution cannot do with the digits of a number.
static TacStatus check_ratio(const Spook *self, const TacSpookSystem *s, TacError *error) {
    double least = INFINITY, most = 0;
    for (size_t b = 0; b < s->body_count; b++) {
        if (s->bodies[b].form == TAC_BODY_HELD) continue;
        double w = s->weights[s->bodies[b].weight];
        if (!(w > 0)) continue;
        least = fmin(least, w);
        most = fmax(most, w);
    }
    if (!(most > MOST_RATIO * least)) return TAC_OK;
    char text[200];
    snprintf(
        text, sizeof text,
        "the heaviest thing weighs %.3g times the lightest; up to %.0g can be solved for: make it lighter, "
        "or hold it with FixedPoints",
        most / least, MOST_RATIO);
    return fail_at(&self->solver.base, error, text);
}

static TacStatus check_matter(const TacProgram *p, TacError *error) {
    for (size_t i = 0; i < p->matter_count; i++) {
        const TacMatter *m = p->matters[i];
        if (m->kind != TAC_VEC3 && m->kind != TAC_RIGID3)
            return fail_at(&m->base, error, "Spook works in space: on points and frames of dimension 3");
        const TacMass *mass = mass_of(p, m);
        if (mass && mass->base.cls == &tac_matrix_mass_class)
            return fail_at(&mass->base, error,
                           "Spook needs a mass of each point by itself: take DiagonalMass or UniformMass");
    }
    return TAC_OK;
}

static TacStatus prepare(void *data, TacProgram *p, const TacPreparation *preparation, TacError *error) {
    TAC_TRY(check_matter(p, error));
    Kept *kept = tac_arena_alloc(preparation->arena, sizeof *kept);
    if (!kept) return tac_fail_memory(error, sizeof *kept);
    TacSpookSystem *s = &kept->system;
    kept->step = preparation->context->step;
    TAC_TRY(take_bodies(p, kept, preparation->arena, error));
    for (size_t i = 0; i < p->joint_count; i++) {
        const TacJointOps *ops = tac_joint_ops(p->joints[i]);
        const char *why = ops->unfit ? ops->unfit(p->joints[i]) : NULL;
        if (why) return fail_at(p->joints[i], error, why);
        TacJointSize size = ops->capacity(p->joints[i]);
        s->rows.capacity += size.rows;
        s->rows.block_capacity += size.blocks;
        s->slot_count += size.slots;
    }
    if (s->rows.block_capacity > INT32_MAX || s->slot_count > INT32_MAX)
        return fail_at(&((Spook *)data)->solver.base, error, "there are more joints than it can count");
    TAC_TRY(tac_spook_system_create(s, preparation->arena, error));
    TAC_TRY(preparation->declare_state(preparation->world, s->active, s->slot_count, error));
    p->kept = kept;
    kept->pull = tac_arena_array(preparation->arena, s->body_count, sizeof *kept->pull);
    if (!kept->pull) return tac_fail_memory(error, 0);
    arrange(p, kept);
    take_weights(p, preparation->context, kept);
    return p->joint_count ? check_ratio(data, s, error) : TAC_OK;
}

static void release(void *data, TacProgram *p) {
    (void)data;
    tac_spook_system_destroy(&((Kept *)p->kept)->system);
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    const Spook *self = data;
    if (self->dips.count % 3)
        return tac_setup_fail(setup, error, "dips",
                              "dips has %zu numbers; begin, end and limit were expected for each dip",
                              self->dips.count);
    return TAC_OK;
}

static const TacSolverOps ops = {.scratch = 1u << TAC_B | 1u << TAC_S | 1u << TAC_T,
                                 .keeps_joints = true,
                                 .kick = kick,
                                 .forces_tell = forces_tell,
                                 .prepare = prepare,
                                 .release = release,
                                 .rearrange = rearrange,
                                 .settle = settle};

static const TacAttribute attributes[] = {
    {"step", TAC_REAL, offsetof(TacSolver, step), "s", "0",
     "The agent's own step; 0 is the beat (the scene's dt).", NULL, TAC_NOT_NEGATIVE, 0},
    {"time_limit", TAC_REAL, offsetof(Spook, time_limit), "s", "",
     "Time for computing that its wires may fill in each step; by default half a step.", NULL, TAC_POSITIVE,
     0},
    {"dips", TAC_REALS, offsetof(Spook, dips), "s", "",
     "Times at which less is available: begin, end and the limit that holds between, for each.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"costs", TAC_CHOICE, offsetof(Spook, costs), "", "model",
     "What computing costs: by the wires' cost model (the same run every time), or as measured.",
     "model|measured", TAC_ANY, 0},
};

const TacClass tac_spook_class = {
    .name = "Spook",
    .kind = TAC_KIND_SOLVER,
    .doc = "Keeps to joints and wires by forces that it solves for directly: (G M^-1 G^T + Sigma) l = -(4/h) "
           "Y g "
           "+ Y G v - G (v + h M^-1 f), as in Lacoursiere's SPOOK. Laws act explicitly.",
    .size = sizeof(Spook),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.solver = &ops,
};
