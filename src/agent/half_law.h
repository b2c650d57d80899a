// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// One agent's half of a law between two agents, for worlds without a common instant ("Asynchronous Interactive Physical
// Simulation", section 3: interactions are what agents tell each other; each writes its own data only).
//
// Each of the two agents has an instance of the law to itself. In its own step it asks that for the forces, with its own
// matter as it is and the other's as it was published last, taken on by the velocity published with it to the agent's own
// time; and keeps the force on its own matter alone. What the two give each other is then the same but for how far they
// are apart in time: of the order of the law's rate of change times the square of that. In the solve of an implicit
// solver the other goes on with the velocity that it was published with.

#ifndef TACTUS_AGENT_HALF_LAW_H
#define TACTUS_AGENT_HALF_LAW_H

#include "base/memory.h"
#include "matter/matter.h"

typedef struct TacHalfLaw {
    TacLaw law; // on the agent's own matter; first, so that the half is a law
    TacLaw *whole;
    int side; // which of the whole's matter is the agent's own: 0 or 1
    TacMatter *other;
    const double *shown_at; // when the other was published, s; NULL: nothing moves it
    uint32_t agent;         // that moves the other, where one does
    double ahead;      // how far who kicks now takes velocities on beyond its step, s; < 0: it is explicit
    double own_ahead;  // the same of the agent's own solver
    double share;      // of the law's energy that is this half's: one part of as many as it has halves
    double *x, *v, *f; // room for the other's place, velocity, force
    double *still;     // no velocity, for the agent's own matter
} TacHalfLaw;

extern const TacClass tac_half_law_class; // not for scenes

// `whole` is an instance that nobody else uses.
TacStatus tac_half_law_create(TacHalfLaw *half, TacArena *arena, TacLaw *whole, int side, TacError *error);

#endif
