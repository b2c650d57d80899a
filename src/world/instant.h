// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// One instant, in the two halves that world.h tells of: it is prepared (matter arrives, kicks are computed) and committed
// (velocities change). Between the halves anybody may look. instant.c has the first half, commit.c the second; when
// instants come is world.c's.

#ifndef TACTUS_WORLD_INSTANT_H
#define TACTUS_WORLD_INSTANT_H

#include "world/world.h"

// Arrives and computes. Then the world's now is the instant's.
TacStatus tac_world_prepare(TacWorld *world, const TacInstant *instant, TacError *error);
// Adds the kicks to the velocities, and lets solvers, levels, plans and limits know.
TacStatus tac_world_commit(TacWorld *world, TacError *error);

// All kicks of the tickers that are due, into TAC_DV.
void tac_world_compute(TacWorld *world, TacTick now);
// A solver that found no kick: says so rather than go on without.
TacStatus tac_world_check_kicks(TacWorld *world, TacError *error);

#endif
