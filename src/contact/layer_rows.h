// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Live layers as Spook sees them: layer_law.h for solvers that keep to joints.
//
// A Spook agent that does not know that layers hold it up lets its joints be pulled apart: a box that stands on
// the floor and hangs on a wire would have the wire carry its whole weight. So each live pair becomes one row
// that can only push. With f the layers' force now, k their stiffness, J v how fast the gap grows by the
// agent's own motion and u by that of others, the row's impulse over a step h is meant to be
//
//     l = h (f - h k (J v' + u + w l)),  l >= 0,    v' the velocity after the kick,
//
// w being the others' inverse mass (layer_others.h): a row of a wanted speed f/(h k) - u with compliance
// 1/(h k) + h w. What comes out is taken from the
// agent's kick again, as the layers will do it themselves on their clocks. What remains is what joints and
// laws do, given that the layers push.
//
// A row foresees layers as they are now. Light masses under a heavy load go through many of them in a step: what is foreseen
// then is far too soft, the load goes on, and what it has stretched by the next step is pulled back with force. So rows say
// for how long they can be believed (tac_layer_rows_step), and the agent's step is cut to that (stride.h). Rows that push
// frames alone are believed for any step: frames are as heavy as what they carry (but where joints tie the two, the solver says
// how long a step they bear: TacKickReport.bears). So are those of agents with wires over contact nodes: nodes are followed
// from step to step, and steps of changing length put energy into them.
//
// Rules:
//   1. Rows come in the order of primitives' numbers, so that sums do not depend on the table of pairs.
//   2. There are at most as many as `capacity` says. Pairs beyond are left out: joints then do not see them,
//      the layers hold all the same.

#ifndef TACTUS_CONTACT_LAYER_ROWS_H
#define TACTUS_CONTACT_LAYER_ROWS_H

#include "constraint/joint.h"
#include "contact/layer_room.h"
#include "contact/safe.h"

enum { TAC_LAYER_ROW_PARTS = 16 }; // points and frames of the agent in one row, at most

typedef struct TacLayerPart {
    TacMatter *matter;
    uint32_t point, support;
    double linear[3], angular[3]; // how the gap grows with its motion
} TacLayerPart;

typedef struct TacLayerRow {
    double force, stiffness, others; // N, N/m, m/s
    double inverse, own;             // 1/kg, of the others; of its parts
    double gap, slow;                // m; m/s: what is slower rests
    double impulse;                  // N s, found
    uint32_t first, count;           // parts
} TacLayerRow;

typedef struct TacLayerRows {
    TacJoint joint;
    TacSafe *safe;
    TacMatter *const *matters; // of the agent
    const uint32_t *first_support;
    size_t matter_count;
    TacLayerRow *rows;
    size_t count, capacity;
    TacLayerPart *parts;
    size_t part_count, part_capacity;
    bool over_nodes; // some of the matter goes over contact nodes
} TacLayerRows;

extern const TacClass tac_layer_rows_class; // never in scenes

// Takes memory for the rows of an agent: `rows` of its fields up to matter_count are filled.
TacStatus tac_layer_rows_create(TacLayerRows *rows, TacArena *arena, TacError *error);

// Looks which layers are live on the agent at `now`. False without memory.
bool tac_layer_rows_look(TacLayerRows *rows, TacTick now);

// The longest step for which what was looked at can be foreseen, s; infinite: any. `solved`: as the kick in TAC_DV has it.
double tac_layer_rows_step(const TacLayerRows *rows, bool solved);

// Takes out of TAC_DV what the layers are predicted to do.
void tac_layer_rows_give_back(const TacLayerRows *rows);

#endif
