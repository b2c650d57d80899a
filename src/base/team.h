// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A team of threads that share loops, with results that do not depend on how many there are.
//
// A loop over n items is cut into chunks whose borders depend on n and on the grain alone. A chunk is done by
// exactly one thread; sums are kept per chunk and added in the order of the chunks. So the bits are the same for
// 1 thread and for 16. A loop started inside a loop of the same team runs on the calling thread. Workers spin briefly, then sleep; a team of one has no threads at all.

#ifndef TACTUS_BASE_TEAM_H
#define TACTUS_BASE_TEAM_H

#include "tactus/component.h" // TacTeam, TacLoop, tac_team_run: part of the public interface of components

// 0 threads: as many as the machine has cores. At most 256.
TacStatus tac_team_create(TacTeam **team, int threads, TacError *error);
void tac_team_destroy(TacTeam *team);   // NULL is allowed
int tac_team_size(const TacTeam *team); // NULL is a team of one

// Number of chunks that a loop over n items with this grain (items per chunk, at least 1) has.
size_t tac_chunks(size_t n, size_t grain);

// The grain of a loop to whose results chunks mean nothing, as it keeps no sums of them: it may depend on the number of
// threads. Some chunks for each, so that all end together, but of at least so many items; one for a team of one.
size_t tac_team_grain(const TacTeam *team, size_t n, size_t least);

#endif
