// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What kicks do to an agent as a whole, under safe contact: they push it and turn it.
//
// Forces within an agent, however large, do neither: it keeps its momentum. Its kick need not:
//
//   - An implicit solver takes forces as they will be at the end of its step, as far as a straight line from what they are
//     now goes (f + h K v'). There they would turn nothing; where points still are now, they turn the whole by
//     -h^2 sum v' x f. A net of springs loses two fifths of its spin in a second at steps of 10 ms. What a linear solver
//     leaves undone, and what layers were foreseen to do otherwise than they are given back, comes on top.
//     So do the rows that keep wires from swinging across (wire_still.c), and ends that are not quite where they are tied.
//   - A share of a kick that is delivered later (stride.h) is delivered at other places: two points that pull each other
//     along the line that was between them turn each other.
//
// Both are mended by a rigid motion of the whole agent, V + omega x (x - c), which bends nothing.
//
// So is what changes of resolution do to wires: mass goes from one place to another, and takes spin with it.
//
// Rules:
//   1. A kick pushes and turns as the forces at its places do, over its step, where it is known that they are what acts
//      from outside: joints tie bodies of the agent alone, masses are not damped, and to an implicit solver every law
//      acts within the agent (TacLaw.inner, on matter of its own or on what follows that: TacMap.faithful) or is
//      explicit (it has no force_change). The torque that laws within leave by how they are found (TacLaw.lopsided)
//      does not act from outside. Other kicks are as right as their solver has them.
//   2. What is delivered of a kick elsewhere turns the agent about its centre as much as it would have at the places for
//      which it was computed: by nothing, where forces within are all there is.
//   3. Agents of which constraints hold something are left alone: nobody knows what they take. So are those that go over
//      contact nodes, whose line has momentum of its own, and those with masses that are not of single points.
//   4. So are those that do not hang together, by elements of their laws and by joints that are closed: what turns one of
//      two things would move the other. What counts is which points and frames these tie, of one matter or of several
//      (TacJointOps.tie), and who is merged (merge.h).
//   5. A change of resolution leaves momentum and spin about the centre as they were. (Coarsening moves the centre of a
//      wire a little; seen from elsewhere, that is a change of its angular momentum.)

#ifndef TACTUS_WORLD_MOMENTUM_H
#define TACTUS_WORLD_MOMENTUM_H

#include "world/world.h"

// Finds whether it hangs together by its laws and joints (TacTicker.hangs_together): at the start, and anew when agents merge
// and part, in room for a number for each of its points and frames.
TacStatus tac_momentum_survey(TacTicker *ticker, TacError *error);
void tac_momentum_survey_in(TacTicker *ticker, uint32_t *room);

// Whether its momentum is its own affair (rules 3 and 4).
bool tac_momentum_is_own(const TacTicker *ticker);

// Whether its kicks can be delivered elsewhere than they were computed for, as rule 2 sees to it, or as there is nothing to see
// to: nothing within it pulls, or something holds it.
bool tac_momentum_bears_parts(const TacTicker *ticker);

// Whether rule 5 is for it: it changes its resolution, and all that it weighs is felt at all times.
bool tac_momentum_may_change(const TacTicker *ticker);

// Rule 1, of TAC_DV, at the places and with the forces TAC_F of the solve.
void tac_momentum_mend(const TacTicker *ticker, const TacContext *context);

// Momentum, and angular momentum about its centre.
typedef struct TacMoment {
    TacVec3 push, turn; // N s, N m s
} TacMoment;

// Rule 5: TAC_V before a change of resolution; and after it, as it was before.
TacMoment tac_momentum_now(const TacTicker *ticker, const TacContext *context);
void tac_momentum_restore(const TacTicker *ticker, const TacContext *context, TacMoment before);

// By how much a kick turns it about its centre, N m s, if it is delivered where it is now.
TacVec3 tac_momentum_turn(const TacTicker *ticker, const TacContext *context, TacVector kick);

// Rule 2: adds to TAC_DV what `share` of a kick lacks to turn it by `share` of `turn` where it is now.
void tac_momentum_keep_turn(const TacTicker *ticker, const TacContext *context, double share, TacVector kick,
                            TacVec3 turn);

// Adds to TAC_DV the rigid motion that turns it by `turn`, N m s, about its centre.
void tac_momentum_turn_by(const TacTicker *ticker, const TacContext *context, TacVec3 turn);

#endif
