// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A batch: the parts of one law (springs, elements, hinges) whose clocks are of one class of the ruler, as one
// ticker (design: "Time"; document on safe contact, asynchronous variational integrators).
//
// A batch touches only the points of its own parts. They alone arrive, are kicked and committed, so what ticks
// often costs no more than what ticks often; all other points stay at their own time and drift when somebody
// needs them. The law of a batch is a clone that has those parts only, so every law's own loops are used.

#ifndef TACTUS_WORLD_BATCH_H
#define TACTUS_WORLD_BATCH_H

#include "matter/matter.h"
#include "time/ticks.h"

typedef struct TacBatch {
    TacMatter *matter;
    TacLaw *law;      // of these parts only
    uint32_t *points; // ascending
    double *weights;  // 1/kg, three per point: 0 along axes that are held
    size_t count;     // of points
    size_t parts;
} TacBatch;

// Brings the points to `now`. Their flights are told to an audit before, where there is one.
void tac_batch_arrive(const TacBatch *batch, TacTimebase base, TacTeam *team, TacTick now);

// f on its points, into TAC_F, for velocities `v`; and dv += h M^-1 f.
void tac_batch_force(const TacBatch *batch, const TacContext *context, TacVector v);
void tac_batch_add(const TacBatch *batch, const TacContext *context);

// v += dv on its points. False when a velocity is no longer a number.
bool tac_batch_commit(const TacBatch *batch);

#endif
