// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents whose step is too long for their laws, and laws whose period is, in worlds with safe contact.
//
// Elsewhere what blows up is soon no longer made of numbers, and the run ends with a message. Layers do not let it come to
// that: they hold what flies apart, at any speed, and the run would crawl instead, for hours. So agents are
// watched. A step beyond the stable one multiplies how fast points move against each other, step by step, until they
// move by more than the mesh is wide in a single one; nothing that a step can follow does that.
//
// Rules:
//   1. What is looked at is the root mean square of the points' velocities, less their mean, after each kick: a thing
//      that is thrown, however fast, is not meant. Nor is what others gave since the kick before: a cloth that flies into
//      spikes is torn about by layers, and its own step may be as good as any. A step that was cut short (stride.h) counts as
//      long as it is.
//   2. It has blown up when that carries them farther than the typical edge within one step, and has risen in each of the
//      last kicks: to 64 times what it was two kicks ago, 32 times what it was three ago, and so on, 4 times after six. In a
//      single kick, which may be a blow, only to 128 times, and where it carries them farther than eight edges.
//   3. In a dense cloth they meet before that, and what layers then have to hold crawls at once. So explicit agents are
//      caught sooner, by what only too long a step does: it turns a point around and makes it faster, again and again.
//      The fastest of all points that a kick turns so, in edges of its own per step, has risen in each of the last six
//      kicks or more, by a factor of eight besides the largest single rise (which may be a blow), to a sixteenth of an
//      edge; or in three, by a factor of 64. All points together, as their mean moves, count as one.
//      Nor can a step follow two kicks in a row that carry points, by the root mean square, farther than eight edges
//      against each other.
//   4. Implicit agents bear any step, and a hard blow may look like growth within their long ones. So theirs counts only
//      at kicks whose linear solve ended far from a solution (remark.c).
//   5. Velocities that are set from outside are not growth: it is counted anew.
//   6. Counted in kicks, and saved with the world: it happens at the same instant on every machine and after a resume.

#ifndef TACTUS_WORLD_GROWTH_H
#define TACTUS_WORLD_GROWTH_H

#include "world/world.h"

enum { TAC_GROWTH_KICKS = 6 };

// What is saved with the world.
typedef struct TacGrowthState {
    double speeds[TAC_GROWTH_KICKS]; // m/s, after the last kicks, the newest first
    // of the fastest point that a kick turned around and made faster, in edges per step
    double turned; // by the last kick; 0: there was none
    double first;  // where it began to rise
    double rise;   // the largest one of a single kick since, as a factor
    double rises;  // how many kicks since
    double far;    // kicks in a row that are too hard to be followed
} TacGrowthState;

typedef struct TacGrowth {
    double size; // m, typical edge
    TacGrowthState state;
} TacGrowth;

// Before a kick is added to velocities, of an agent that is watched.
void tac_world_note_turned(const TacWorld *world, const TacTicker *ticker);

// Takes note of a kick of an agent that is watched. Fails when it has blown up.
TacStatus tac_world_watch_growth(TacWorld *world, const TacTicker *ticker, TacError *error);

// Velocities were set from outside: what they were before is no measure.
void tac_world_forget_growth(TacWorld *world, const TacMatter *matter);

#endif
