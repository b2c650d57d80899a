// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Matter: points and frames, and their free flight.
//
// Matter holds positions and velocities at its own time (`time`, in ticks). Between kicks it flies: points on
// a straight line, or a thrown stone's path where `flight_gravity` is set; frames also turn, as a free rigid
// body does. Flying is a function of the state at `time` and of the duration alone, so looking at matter
// between two kicks (into TAC_X_SHOWN) never changes what happens later; only a kick moves `time` forward.
//
// A solver whose step is not kick-then-drift (explicit Euler, Runge-Kutta, static) says instead where its
// matter will be at the end of the step (TAC_X_NEXT, TAC_V_NEXT, `arrival`); until then it is seen on its
// way.
//
// Frames turn as free bodies do: steadily about their momentum, and by turns about two principal axes, of which the free
// rotation is put together in short passes (splitting: McLachlan 1993; Touma and Wisdom 1994). Momentum and energy are kept
// to rounding, and bodies with two equal moments turn exactly: see turning.c.

#ifndef TACTUS_MATTER_MATTER_H
#define TACTUS_MATTER_MATTER_H

#include "tactus/component.h"

// Whether a vector has the size of positions (true) or of velocities.
bool tac_vector_is_position(TacVector vector);
size_t tac_vector_size(const TacMatter *matter, TacVector vector); // numbers, all points together

// Where matter stands in a list that is in the order of the file; where it is not in it, somewhere else.
size_t tac_matter_place(TacMatter *const *list, size_t count, const TacMatter *matter);

// Whether it falls by itself: no solver adds its weight.
static inline bool tac_matter_falls(const TacMatter *m) {
    TacVec3 g = m->flight_gravity;
    return g.x != 0 || g.y != 0 || g.z != 0;
}

// How a point or a frame falls by itself, m/s^2: along the axes that neither constraints nor a pin hold. All that knows of
// flights asks here.
static inline TacVec3 tac_matter_fall(const TacMatter *m, size_t i) {
    TacVec3 g = m->flight_gravity;
    unsigned held = m->held ? m->held[i] : 0;
    if (m->pinned && m->pinned[i]) return tac_vec3(0, 0, 0);
    bool flat = m->kind == TAC_RIGID2; // its third number is an angle
    return tac_vec3(held & TAC_HELD_X ? 0 : g.x, held & TAC_HELD_Y ? 0 : g.y,
                    flat || held & TAC_HELD_Z ? 0 : g.z);
}

// State after `seconds` of free flight from (x, v). Output may be the input.
void tac_matter_fly(const TacMatter *matter, TacTeam *team, double seconds, const double *x, const double *v,
                    double *x_out, double *v_out);

// The same of a single point or frame: its own numbers in and out.
void tac_matter_fly_one(const TacMatter *matter, size_t point, double seconds, const double *x,
                        const double *v, double *x_out, double *v_out);

// Those from `begin` to before `end`, each from its own time to `now`, in ticks of so many seconds; of all that are in matter, where they go. Output may be
// where they are.
void tac_matter_fly_each(const TacMatter *matter, size_t begin, size_t end, int64_t now, double tick,
                         double *x_out, double *v_out);

// Puts carried points where they belong: positions and velocities.
void tac_carry_points(const TacCarriedPoint *lines, size_t count, double *x, double *v);

// State a fraction of the way (0..1) from (x, v) to TAC_X_NEXT: on a straight line, orientations along the
// shortest turn. At 1 exactly TAC_X_NEXT and TAC_V_NEXT. Output may be the input.
void tac_matter_guide(const TacMatter *matter, double fraction, const double *x, const double *v,
                      double *x_out, double *v_out);

// Whether its frames turn along the chord of a turn, and keep their angular velocity, as SOFA's do.
bool tac_frames_by_chord(const TacMatter *matter);

// Free rotation of one body: q and omega (world axes) after `seconds`.
void tac_rotate_freely(const TacInertia *inertia, double seconds, TacQuat *q, TacVec3 *omega);

// The largest |omega| that a body comes to while it turns freely, rad/s.
double tac_fastest_turn(const TacInertia *inertia, TacQuat q, TacVec3 omega);

// Principal axes of a symmetric positive tensor about the centre of mass, in body axes. False when it is not
// positive definite or breaks the triangle inequality (no body has such a tensor).
bool tac_inertia_from_tensor(const TacMat3 *tensor, TacInertia *inertia);

// I omega and I^-1 torque in world axes.
TacVec3 tac_inertia_apply(const TacInertia *inertia, TacQuat q, TacVec3 omega);
TacVec3 tac_inertia_solve(const TacInertia *inertia, TacQuat q, TacVec3 torque);

// The inertia of a frame, as its mass has it; NULL where there is none.
const TacInertia *tac_mass_inertia(const TacMass *mass, size_t frame);
// The masses of points or frames, kg; NULL where they share it, or where a joint makes it.
const double *tac_mass_of_points(const TacMass *mass);

extern const TacClass tac_points_class, tac_frames_class;
extern const TacClass tac_uniform_mass_class, tac_diagonal_mass_class, tac_matrix_mass_class;
extern const TacClass tac_material_class;

#endif
