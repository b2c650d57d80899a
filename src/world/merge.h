// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Agents that become one while time runs, and part again: the question that the document on agents leaves open.
//
// A *link* is a joint between matter of different agents (or matter that flies by itself). Joints need one solver
// for all that they tie, so while a link is closed its two sides have to be one agent. All agents that links can
// tie, directly or through others, are a *family*; it is known when the scene is compiled. Each family has one
// ticker more, under its first Spook in the order of the scene, prepared for all of the family: nothing is allocated
// when links change. Who is merged is a question of who is in that ticker's lists.
//
//      no link closed           link a-b closed             a-b and b-c closed
//      a  b  c  tick            a+b in one, c ticks         a+b+c in one
//
// Rules:
//   1. A member is merged exactly while a closed link ties it to another member. Who is merged follows from which
//      joints are open, so it is not saved; who is on the ruler is, with the scheduler.
//   2. Links change on beats, when all before the beat is done and nothing at it. Steps of members are the beat or
//      a fraction of it by a power of two, so no kick, and no part of one, is left behind or done twice.
//   3. A merged member's own ticker is off the ruler; the family's ticker is on it while anybody is merged, with the
//      shortest step among all members. So nobody is ever kicked by two solvers.
//   4. Merging changes no position and no velocity. What the link then does is an impulse between its sides, equal
//      and opposite: momentum is kept to rounding.
//   5. Within the merged agent the laws of all act explicitly, as always under Spook. Matter that flies by itself
//      goes on falling by itself: the solve foresees that, the kick leaves it out.
//   6. In safe worlds, points know at which class of the ruler something is going to look at their plans
//      (TacSafeSupport.regular). That is found anew for whoever changes sides.
//   7. Under the loose scheduler a family has one more agent in the place of one more ticker (loose.h): whose steps may
//      be of any length, and whose members come to one time before they merge.
// Rejected: a program for every set of links (there are 2^n), and programs rebuilt by allocating at the event (it can
// fail in the middle of a run, and what solvers keep would have to move).

#ifndef TACTUS_WORLD_MERGE_H
#define TACTUS_WORLD_MERGE_H

#include "contact/layer_rows.h"
#include "solver/program.h"

enum { TAC_LINK_ENDS = 8 }; // members that one link ties, at most
enum { TAC_MERGE_LISTS = 8 };

typedef struct TacMergeMember {
    uint32_t ticker;   // its own; UINT32_MAX: it has none
    TacComponent *who; // its solver, or its matter
    bool merged, changes;
} TacMergeMember;

typedef struct TacMergeLink {
    TacComponent *joint;
    uint32_t ends[TAC_LINK_ENDS]; // members
    size_t end_count;
} TacMergeLink;

typedef struct TacMerge {
    uint32_t ticker; // of what is merged
    TacMergeMember *members;
    size_t member_count;
    TacMergeLink *links;
    size_t link_count;
    TacProgram full; // all that may be in it
    uint32_t *room;  // in a safe world: a number for each of its points and frames (momentum.h)
    // by list of the program: the member that each item belongs to; from member_count on: links, by number;
    // UINT32_MAX: it is always there
    uint32_t *belongs[TAC_MERGE_LISTS];
    // live layers as rows, where there are any: matter of the family
    TacMatter **row_matters;
    uint32_t *row_supports, *row_belongs;
    size_t row_count;
} TacMerge;

enum {
    TAC_LIST_MATTERS,
    TAC_LIST_OTHERS,
    TAC_LIST_MAPS,
    TAC_LIST_MASSES,
    TAC_LIST_LAWS,
    TAC_LIST_CONSTRAINTS,
    TAC_LIST_WATCHED,
    TAC_LIST_JOINTS
};

// A list of a program, as bytes, and its length, by number.
char *tac_program_list(TacProgram *program, int list, size_t **count);
void tac_program_set_list(TacProgram *program, int list, void *items);

struct TacWorld;

// Once, when everything is there: nobody is merged yet.
void tac_world_merge_begin(struct TacWorld *world);

// In a loose world: before a link closes, all that it may tie come to one time. Nothing happens for other joints.
TacStatus tac_world_gather(struct TacWorld *world, const TacComponent *joint, TacError *error);

// Links have opened or closed: agents merge and part, now. Between instants, on a beat.
TacStatus tac_world_merge(struct TacWorld *world, TacError *error);

// After a restore: lists as the joints' state says. False when the ruler says otherwise.
bool tac_world_merge_restored(struct TacWorld *world);

// Tells safe contact at which class something looks at the points of matter; `renew` has it find what follows, too.
void tac_world_set_regular(struct TacWorld *world, const TacMatter *matter);
TacStatus tac_world_renew_regular(struct TacWorld *world, const TacMatter *matter, TacError *error);

#endif
