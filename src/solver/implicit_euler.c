// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Implicit Euler, linearised once a step (Baraff and Witkin 1998; the SOFA slides, "Efficient implicit
// integration"), with Rayleigh damping:
//
//     (M (1 + t h rM) - t h B - t h (t h + rK) K) dv = h (f - rM M v + (t h + rK) K v)
//
// t is 1, or 1/2 for the trapezoidal rule. Matter then drifts with its new velocity, as in SOFA; drifting with
// the mean of the old and the new one makes the trapezoidal rule what books call so, of second order, but is
// no kick. Where all is overdamped, `first_order` solves (M - t h K) v = f instead, with M as viscosity.
//
// Scripted points enter as known parts of dv: what they do to the others moves to the right-hand side.

#include "base/memory.h"
#include "solver/solver.h"

typedef enum Drift { DRIFT_NEW, DRIFT_MEAN } Drift;

typedef struct ImplicitEuler {
    TacSolver solver;
    double damping_mass, damping_stiffness, damping_velocity;
    bool trapezoidal, first_order;
    int drift; // Drift
} ImplicitEuler;

static TacSystem system_of(const ImplicitEuler *self, double h) {
    double th = self->trapezoidal ? 0.5 * h : h, rm = self->damping_mass, rk = self->damping_stiffness;
    if (self->first_order) return (TacSystem){.m = 1, .b = 0, .k = -th};
    return (TacSystem){.m = 1 + th * rm, .b = -th, .k = -th * (th + rk)};
}

// TAC_B = what the system is equal to, for a change of velocity (first order: for the velocity), but for layers
static void standing_side(const ImplicitEuler *self, const TacProgram *p, const TacContext *context) {
    double h = context->step, th = self->trapezoidal ? 0.5 * h : h;
    tac_program_propagate(p, context, TAC_X, TAC_V);
    tac_program_force(p, context, TAC_F);
    if (self->first_order) {
        tac_program_copy(p, context, TAC_B, TAC_F);
        return;
    }
    tac_program_product(p, context, TAC_V, TAC_B, -h * self->damping_mass, 0,
                        h * (th + self->damping_stiffness));
    tac_program_axpy(p, context, TAC_B, h, TAC_F);
    if (self->solver.moves) {
        tac_program_clear(p, context, TAC_Q);
        tac_program_tumble(p, TAC_Q);
        tac_program_axpy(p, context, TAC_B, h, TAC_Q);
    }
}

static void right_hand_side(const ImplicitEuler *self, const TacProgram *p, const TacContext *context) {
    double h = context->step, th = self->trapezoidal ? 0.5 * h : h;
    TacProgram standing = *p, layers = *p;
    standing.laws += p->layer_count;
    standing.law_count -= p->layer_count;
    if (!p->again) standing_side(self, &standing, context);
    if (!p->layer_count) return;
    // TAC_PART is free until this kick is cut into parts
    if (p->again)
        tac_program_copy(p, context, TAC_B, TAC_PART);
    else
        tac_program_copy(p, context, TAC_PART, TAC_B);
    layers.law_count = p->layer_count;
    layers.mass_count = layers.map_count = layers.other_count = 0;
    tac_program_force(&layers, context, TAC_A);
    tac_program_axpy(p, context, TAC_B, self->first_order ? 1 : h, TAC_A);
    if (self->first_order) return;
    tac_program_product(&layers, context, TAC_V, TAC_A, 0, 0, h * (th + self->damping_stiffness));
    tac_program_axpy(p, context, TAC_B, 1, TAC_A);
}

// Not a kick: where matter arrives, and how fast. TAC_DV is what would have been the kick.
static void move(const ImplicitEuler *self, const TacProgram *p, const TacContext *context, bool scripted) {
    double h = context->step;
    tac_program_copy(p, context, TAC_V_NEXT, TAC_V);
    if (self->drift == DRIFT_MEAN) {
        // scripted points go where they must, all others half-way between old and new
        if (scripted) {
            tac_program_copy(p, context, TAC_A, TAC_DV);
            tac_program_project(p, context, TAC_A);
            tac_program_axpy(p, context, TAC_V_NEXT, 1, TAC_DV);
            tac_program_axpy(p, context, TAC_V_NEXT, -0.5, TAC_A);
        } else {
            tac_program_axpy(p, context, TAC_V_NEXT, 0.5, TAC_DV);
        }
        tac_program_advance(p, context, TAC_X_NEXT, TAC_X, h, TAC_V_NEXT);
        tac_program_copy(p, context, TAC_V_NEXT, TAC_V);
        tac_program_axpy(p, context, TAC_V_NEXT, 1, TAC_DV);
    } else {
        tac_program_axpy(p, context, TAC_V_NEXT, 1, TAC_DV);
        tac_program_advance(p, context, TAC_X_NEXT, TAC_X, h, TAC_V_NEXT);
    }
    tac_program_scale(p, context, TAC_V_NEXT, exp(-h * self->damping_velocity));
    tac_program_clear(p, context, TAC_DV);
}

static void kick(void *data, const TacProgram *p, const TacContext *context, TacKickReport *report) {
    const ImplicitEuler *self = data;
    TacSystem system = system_of(self, context->step);
    right_hand_side(self, p, context);

    // scripted points: their kick is known
    tac_program_clear(p, context, TAC_A);
    bool scripted = tac_program_prescribe(p, context, TAC_A);
    if (scripted) {
        // first order solves for velocities: theirs are old and change together
        if (self->first_order) {
            tac_program_copy(p, context, TAC_DV, TAC_A);
            tac_program_copy(p, context, TAC_A, TAC_V);
            tac_program_project(p, context, TAC_A);
            tac_program_scale(p, context, TAC_A, -1);
            tac_program_axpy(p, context, TAC_A, 1, TAC_V);
            tac_program_axpy(p, context, TAC_A, 1, TAC_DV);
        }
        tac_program_product(p, context, TAC_A, TAC_Q, system.m, system.b, system.k);
        tac_program_axpy(p, context, TAC_B, -1, TAC_Q);
    }
    // a solve that is done again goes on from the last one, where that is what was solved for
    if (!p->again || scripted || self->first_order) tac_program_clear(p, context, TAC_DV);
    tac_program_project(p, context, TAC_B);

    TacLinearSolver *linear = self->solver.linear;
    linear->base.cls->ops.linear_solver->solve(linear, p, context, &system, TAC_B, TAC_DV, report);
    // what was known before
    tac_program_clear(p, context, TAC_A);
    tac_program_prescribe(p, context, TAC_A);
    if (self->first_order) {
        tac_program_copy(p, context, TAC_Q, TAC_V);
        tac_program_project(p, context, TAC_Q);
        tac_program_axpy(p, context, TAC_A, -1, TAC_Q);
    }
    tac_program_axpy(p, context, TAC_DV, 1, TAC_A);
    if (self->solver.moves) move(self, p, context, scripted);
}

static void foresight(const void *data, double step, double *old, double *change) {
    const ImplicitEuler *self = data;
    double t = self->trapezoidal ? 0.5 : 1;
    *old = t * step + self->damping_stiffness;
    *change = t * *old;
}

static bool forces_tell(const void *data, const TacProgram *p) {
    (void)p;
    const ImplicitEuler *self = data;
    return !(self->damping_mass > 0) && !self->first_order;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    ImplicitEuler *self = data;
    if (self->drift == DRIFT_MEAN && !self->trapezoidal)
        return tac_setup_fail(setup, error, "drift",
                              "drift=\"mean\" belongs to the trapezoidal rule; add "
                              "trapezoidal=\"true\"");
    self->solver.moves = self->drift == DRIFT_MEAN || self->damping_velocity > 0;
    return TAC_OK;
}

static const TacSolverOps ops = {.scratch = 1u << TAC_A | 1u << TAC_B | 1u << TAC_Q,
                                 .needs_linear = true,
                                 .kick = kick,
                                 .foresight = foresight,
                                 .forces_tell = forces_tell};

static const TacAttribute attributes[] = {
    {"step", TAC_REAL, offsetof(ImplicitEuler, solver.step), "s", "0",
     "The agent's own step; 0 is the beat (the scene's dt).", NULL, TAC_NOT_NEGATIVE, 0},
    {"linear_solver", TAC_LINK, offsetof(ImplicitEuler, solver.linear), "", "",
     "What solves its equations; by default the one in its node, or a ConjugateGradient.", "linear solver",
     TAC_ANY, 0},
    {"damping_mass", TAC_REAL, offsetof(ImplicitEuler, damping_mass), "1/s", "0",
     "Rayleigh damping in proportion to mass.", NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"damping_stiffness", TAC_REAL, offsetof(ImplicitEuler, damping_stiffness), "s", "0",
     "Rayleigh damping in proportion to stiffness.", NULL, TAC_NOT_NEGATIVE, TAC_LIVE},
    {"damping_velocity", TAC_REAL, offsetof(ImplicitEuler, damping_velocity), "1/s", "0",
     "After each step velocities shrink by exp(-step * this).", NULL, TAC_NOT_NEGATIVE, 0},
    {"trapezoidal", TAC_BOOL, offsetof(ImplicitEuler, trapezoidal), "", "false",
     "Half implicit: loses much less energy, and is stable still.", NULL, TAC_ANY, 0},
    {"drift", TAC_CHOICE, offsetof(ImplicitEuler, drift), "", "new",
     "Which velocity carries matter to the next step: the new one, or the mean of old and new (trapezoidal "
     "rule only: second order, but no kick, so not for safe contact).",
     "new|mean", TAC_ANY, 0},
    {"first_order", TAC_BOOL, offsetof(ImplicitEuler, first_order), "", "false",
     "Without inertia: the velocity follows from the force, and masses are viscosities (kg/s).", NULL,
     TAC_ANY, 0},
};

const TacClass tac_implicit_euler_class = {
    .name = "ImplicitEuler",
    .kind = TAC_KIND_SOLVER,
    .doc =
        "Solves for the velocity at the end of the step: stable for stiff laws at large steps, loses energy.",
    .size = sizeof(ImplicitEuler),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
    .ops.solver = &ops,
};
