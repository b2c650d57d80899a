// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Nodes of a line on the edges of bodies: how they come, move and go (cable.h, rules 1 to 3). For cable*.c alone.

#ifndef TACTUS_CONSTRAINT_CABLE_NODES_H
#define TACTUS_CONSTRAINT_CABLE_NODES_H

#include "constraint/cable.h"

// Puts a node at a place of the order, within the run `r`; takes one out of it.
void tac_cable_insert(TacCable *cable, TacCableRun *runs, size_t count, size_t r, size_t place, size_t node);
void tac_cable_remove(TacCable *cable, TacCableRun *runs, size_t count, size_t place);

// A node on an edge that is not in use; SIZE_MAX when there is none.
size_t tac_cable_spare(const TacCable *cable);

// What all runs meet on their way from where they were at the last step to where they are now (`now` of nodes is filled
// in), and where nodes go then.
void tac_cable_meet_edges(TacCable *cable, TacCableRun *runs, size_t count);

// Draws the line straight at a node, which is then no more. It moves there from `from`.
void tac_cable_draw_straight(TacCable *cable, TacCableRun *runs, size_t count, size_t r, size_t place,
                             TacVec3 from);

// Two directions across a third.
void tac_cable_across(TacVec3 out, TacVec3 along[2]);

// Notes where bodies are.
void tac_cable_note_poses(TacCable *cable);

// Wheels that straight pieces were clear of, and are no longer.
void tac_cable_take_up_wheels(TacCable *cable, TacCableRun *runs, size_t count);

#endif
