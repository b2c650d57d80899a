// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Passing the state of a thing from one model of it to another: from few points or frames to many, and back
// ("Adaptive resolution in physics based virtual environments", sections 2.2 and 4: reconfiguring a system must
// keep its invariants).
//
// A model is matter with a mass. A transfer binds a coarse and a fine model once, at rest:
//
//     points on points    each fine point lies in an element of the coarse mesh, with weights P on its corners; each
//                         coarse point lies in an element of the fine mesh, with weights R.
//                         refining    x_f = P x_c,   v_f = P v_c
//                         coarsening  x_c = R x_f,   v_c = D^-1 P^T M_f v_f,   D = P^T M_f 1
//                         (R v_f where no fine point is around a coarse one: the "fine" model is coarse there)
//     on frames           each fine point or frame rides on the nearest coarse frame.
//                         refining    as the frame carries it: a rigid field
//                         coarsening  the frame's place and turn are the best fit to what rides on it (the rotation
//                                     nearest to sum m (x - c)(X - C)^T); so are its velocity and spin (P/m, I^-1 L)
//
// These keep uniform motion, and coarsening what refining has made gives the same places again. What they may lose
// is then made up for exactly, by a rigid motion of the whole new model: its centre is moved back to where it was,
// and V + omega x (x - c) is added so that linear and angular momentum are what they were.
//
// Rules:
//   1. Mass, centre, linear and angular momentum before and after a transfer are the same to rounding, and a uniform
//      motion stays one, unless constraints hold points of the new model.
//   2. Held points stay where and as they are held; scripted ones go where the old model has them. What a transfer then takes or gives, the
//      holder gives or takes, as with ends of wires.
//   3. Binding allocates; transfers do not. All sums run in the order of points: the same bits always.
//
// The energy is not kept: a coarse model has no room for what it cannot show, and a lumped one of few points turns
// harder than the fine one it stands for. Whoever changes models reports it.

#ifndef TACTUS_AGENT_TRANSFER_H
#define TACTUS_AGENT_TRANSFER_H

#include "base/memory.h"
#include "tactus/component.h"

typedef struct TacModel {
    TacMatter *matter;
    TacMass *mass;
    const TacMesh *mesh; // of its matter; NULL: none
    double *masses;      // by point or frame
    double total;
    bool scripted; // constraints move some of it as they are told
} TacModel;

// Mass, centre, and momentum (angular about the centre: with the others, that about any place is the same, too).
typedef struct TacMotion {
    double mass;
    TacVec3 centre, linear, angular;
} TacMotion;

// Whether constraints own some of it now.
bool tac_model_is_held(const TacModel *model);

// Finds `masses` and `total`.
TacStatus tac_model_weigh(TacModel *model, TacArena *arena, TacError *error);
TacMotion tac_model_motion(const TacModel *model); // uses TAC_X_SHOWN

// Rule 1: makes the motion of the model this one, by a rigid motion of the whole. Uses TAC_A and TAC_X_SHOWN.
void tac_model_set_motion(const TacModel *model, const TacMotion *motion);

// What rides on a frame, added up.
typedef struct TacRiders {
    double mass;
    TacVec3 rest; // centre in the frame's axes
    TacVec3 centre, linear, angular;
    TacMat3 spread, inertia;
} TacRiders;

typedef struct TacTransfer {
    const TacModel *coarse, *fine;
    bool on_frames;
    // points on points
    size_t width, back_width;
    int32_t *parents, *back_parents;
    double *weights, *back_weights;
    double *share; // D, by coarse point
    // on frames
    int32_t *frames;   // by fine point: which one it rides on
    TacVec3 *arms;     // in the frame's axes
    TacQuat *turns;    // of fine frames, likewise
    TacRiders *riders; // by coarse frame
} TacTransfer;

// Both models are weighed. Fails with what is missing; `error` names the matter.
TacStatus tac_transfer_bind(TacTransfer *transfer, const TacModel *coarse, const TacModel *fine,
                            TacArena *arena, TacError *error);

// Positions and velocities alone, into vectors of the other model: what is shown of a model that rests.
void tac_transfer_down(const TacTransfer *transfer, const double *x_coarse, const double *v_coarse,
                       double *x_fine, double *v_fine);
void tac_transfer_up(const TacTransfer *transfer, const double *x_fine, const double *v_fine,
                     double *x_coarse, double *v_coarse);

// The whole transfer of TAC_X and TAC_V with both rules. Returns by how much linear momentum changed (what a holder
// took) and by how much the centre moved: zeros to rounding where nothing is held.
typedef struct TacTransferReport {
    double momentum; // kg m/s
    double shift;    // m
} TacTransferReport;

TacTransferReport tac_transfer_refine(const TacTransfer *transfer);
TacTransferReport tac_transfer_coarsen(const TacTransfer *transfer);

#endif
