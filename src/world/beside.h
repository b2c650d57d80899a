// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents that are due at one instant, side by side.
//
// Agents own disjoint matter, so each thread of the team may have its own. That is better than all threads in one agent after
// the other: nobody waits at the end of each loop, and what an agent has written is still in the caches of who reads it next.
// But one that is a large part of all would keep the others waiting: it has the whole team inside, unless there are others about
// as large for everyone else. How they run is never seen in the results.

#ifndef TACTUS_WORLD_BESIDE_H
#define TACTUS_WORLD_BESIDE_H

#include "world/world.h"

// What each of them does: it writes to its own state and matter alone.
typedef void (*TacAgentJob)(TacWorld *world, TacTicker *agent, TacTick now);

// Agents among the tickers that are due; they come first.
size_t tac_world_due_agents(const TacWorld *world);

// All of them that are due do a job.
void tac_world_beside(TacWorld *world, TacAgentJob job, TacTick now);

#endif
