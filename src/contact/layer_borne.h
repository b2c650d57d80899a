// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Frames that lie on what is solved for.
//
// Of a pair with a frame a solve foresees how the frame gives way to that pair (layer_others.h). But a box lies on many pairs at
// once, each of which has its part of the weight, and tilts as all of them push it together. What each pair would guess of it by
// itself adds up to a force on the frame that nothing balances until the next step: boxes bounced and rocked on soft blocks for ever.
//
// So a frame that is borne takes part as agents in concert do (concert.h): what it does in the step is what all of them take it to do,
//
//     V = h g + W (sum of J^T l over the pairs that are solved for + what others push, as stiff as they are),
//
// and they solve again with V until that no longer changes. V has six numbers, however many pairs there are, so a few rounds are enough.
//
// Rules:
//   1. A pair takes part if all that moves on its other side are frames.
//   2. Of a frame on which nothing acts but its weight and contact, whoever adds its weight, g is that. What else acts on others
//      (joints, laws) is unknown: it is taken for what balances all pushes of now.
//   3. However slow a frame is, it moves: what rests on what swings must not be taken for still.
//   4. What others push it, is taken to stand still on their side.

#ifndef TACTUS_CONTACT_LAYER_BORNE_H
#define TACTUS_CONTACT_LAYER_BORNE_H

#include "contact/layer_law.h"

// A frame in a pair: its vertices' weights, and their places from its origin times these.
typedef struct TacLayerArm {
    uint32_t hold, support; // then, the place of the frame among those that are borne
    double weight, place[3];
} TacLayerArm;

// A frame that is borne.
typedef struct TacLayerBorne {
    uint64_t support;
    double size;      // m: of what turns it
    double change[6]; // m: of its velocity, times what the solver takes speeds; of what turns, times `size`
} TacLayerBorne;

// A pair of such a frame that nobody solves for.
typedef struct TacLayerProp {
    double force, stiffness, normal[3]; // N, N/m
    TacLayerArm arm[2];
    uint32_t count;
} TacLayerProp;

// While a law looks: a vertex of a pair that a frame carries. False without memory.
bool tac_layer_add_arm(TacLayerLaw *law, uint32_t hold, uint32_t support, double weight, TacVec3 place);

// When laws meet: finds what they bear together. False without memory.
bool tac_layer_laws_bear(TacLayerLaw *const *laws, size_t count, TacTick now);
// Before they foresee: it goes on as it does.
void tac_layer_borne_begin(TacLayerLaw *first);
// After all have solved: how it goes then.
void tac_layer_borne_tell(TacLayerLaw *const *laws, size_t count);
// As tac_layer_law_doubts.
size_t tac_layer_borne_doubts(TacLayerLaw *first, const double *from, double *to);
// As tac_layer_law_change.
void tac_layer_borne_change(const TacLayerLaw *first, const double *told, float *change, double *most);

// How far the frames of a pair go along its k-th line, m, but for how they went before.
double tac_layer_borne_way(const TacLayerLaw *law, const TacLayerHold *hold, int k);

#endif
