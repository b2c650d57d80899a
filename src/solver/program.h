// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Programs: what the SOFA slides call actions, made flat.
//
// A program is what one solver works on: the matter it owns, the maps below that matter, and the masses, laws
// and constraints on any of it, each in the order of the tree. A solver never sees the tree and there is no
// global vector: it names vectors (TAC_F, TAC_V, ...) and the program runs down the lists.
//
//     propagate   parents to children      x and v through every map, top down
//     accumulate  children to parents      forces through every map's transpose, bottom up
//     vector operations                    on the independent matter only (mapped matter follows)
//
// Sums have a fixed order (by matter, then by chunk), so a dot product has the same bits for any number of
// threads. Nothing here allocates.

#ifndef TACTUS_SOLVER_PROGRAM_H
#define TACTUS_SOLVER_PROGRAM_H

#include "matter/matter.h"

typedef struct TacProgram {
    TacMatter **matters; // independent ones
    size_t matter_count;
    TacMatter **others; // mapped matter, and matter without mass that laws look at
    size_t other_count;
    TacMatter **watched; // matter of others that laws here only look at
    size_t watched_count;
    TacMap **maps; // top down: a parent's map comes before its child's
    size_t map_count;
    TacMass **masses;
    size_t mass_count;
    TacLaw **laws;
    size_t law_count;
    size_t layer_count; // of the laws, the first ones: live layers, on independent matter
    bool again;         // the last kick was for the same instant and step: nothing but layers has changed
    bool same;          // the same, and no stiffness has changed: only forces
    bool rough;         // the kick is only looked at: a linear solver may stop early
    bool aside;         // forces are for velocities TAC_A of its own matter, and of what follows that
    TacConstraint **constraints;
    size_t constraint_count;
    TacComponent **joints; // and masses that tie (wires)
    size_t joint_count;
    bool adds_weight;             // whether the masses' gravity is a force here
    double *partial;              // room for the partial sums of a dot product
    void *linear;                 // what its linear solver keeps for it
    void *kept;                   // what its solver keeps for it
    const struct TacGuard *guard; // of matter that changes its resolution (constraint/joint.h); NULL: none
    bool made_up;                 // whatever such a change does to its momentum, the world makes up for
} TacProgram;

// Where the velocities are that its forces depend on.
static inline TacVector tac_program_velocities(const TacProgram *program) {
    return program->aside ? TAC_A : TAC_V;
}

// What a law is handed when `v` names its velocities (or changes of position) and `f` its forces.
TacLawVectors tac_law_vectors(const TacLaw *law, TacVector v, TacVector f);

// Whether it moves this matter, or what that follows.
bool tac_program_has(const TacProgram *program, const TacMatter *matter);

// x and v of mapped matter from those of independent matter.
void tac_program_propagate(const TacProgram *program, const TacContext *context, TacVector x, TacVector v);

// A change of position (or a velocity) through the maps, at positions TAC_X.
void tac_program_propagate_change(const TacProgram *program, const TacContext *context, TacVector d);

// f = all forces at TAC_X and TAC_V, gathered on independent matter.
void tac_program_force(const TacProgram *program, const TacContext *context, TacVector f);

// out = (m M + b B + k K) d at TAC_X, gathered on independent matter. d is propagated through the maps first.
void tac_program_product(const TacProgram *program, const TacContext *context, TacVector d, TacVector out,
                         double m, double b, double k);

// a = M^-1 f
void tac_program_divide(const TacProgram *program, const TacContext *context, TacVector f, TacVector a);

void tac_program_project(const TacProgram *program, const TacContext *context, TacVector d);

// Writes into `dv` what scripted points must be given; leaves the rest. True when any constraint does so.
bool tac_program_prescribe(const TacProgram *program, const TacContext *context, TacVector dv);

// y = 0; y = x; y += s x; y = x + s y; y *= s
void tac_program_clear(const TacProgram *program, const TacContext *context, TacVector y);
void tac_program_copy(const TacProgram *program, const TacContext *context, TacVector y, TacVector x);
void tac_program_axpy(const TacProgram *program, const TacContext *context, TacVector y, double s,
                      TacVector x);
void tac_program_xpay(const TacProgram *program, const TacContext *context, TacVector y, TacVector x,
                      double s);
void tac_program_scale(const TacProgram *program, const TacContext *context, TacVector y, double s);
double tac_program_dot(const TacProgram *program, const TacContext *context, TacVector a, TacVector b);

// x += s p; r -= s q; the dot product of r with itself: all in one go.
double tac_program_descend(const TacProgram *program, const TacContext *context, TacVector x, TacVector p,
                           TacVector r, TacVector q, double s);

// out = positions x after flying with velocity v for s seconds: straight, orientations turning about a fixed
// axis. out may be x.
void tac_program_advance(const TacProgram *program, const TacContext *context, TacVector out, TacVector x,
                         double s, TacVector v);

// f += what turns a body that is not alike about all axes: -omega x (I omega), at TAC_X and TAC_V. Only for
// solvers that move matter themselves; in free flight bodies tumble without it.
void tac_program_tumble(const TacProgram *program, TacVector f);

// Exchanges (TAC_X, TAC_V) and (TAC_X_NEXT, TAC_V_NEXT) of independent matter, so that laws see another
// state. Done twice, everything is as before.
void tac_program_swap_state(const TacProgram *program);

// The highest frequency (rad/s) of the laws on the masses, at TAC_X, from below: `iterations` of M^-1 K on a fixed
// start. 0: no law has a stiffness, or says so. Uses TAC_A and TAC_F.
double tac_program_frequency(const TacProgram *program, const TacContext *context, int iterations);

// A motion of all points, as if it were one mass on a spring with a damper.
typedef struct TacMode {
    double mass, stiffness, viscosity; // all 0: no law says how stiff it is
} TacMode;
// The one that bears the least step, by `iterations` of M^-1 (T^2 K + 2 T Z) on a fixed start, at TAC_X and with the
// context's step T. Others may bear even less. Uses TAC_A and TAC_F.
TacMode tac_program_least_stable(const TacProgram *program, const TacContext *context, int iterations);

// The longest symplectic step that a mass on a spring with a damper bears: K T^2 + 2 Z T = 4 M.
double tac_mode_longest_step(TacMode mode);

// Number of doubles that `partial` must have room for.
size_t tac_program_partial_size(const TacProgram *program);

#endif
