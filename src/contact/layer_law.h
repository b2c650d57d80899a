// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Live layers as an implicit solver sees them (design: "One idea").
//
// An agent that solves for its next velocity without knowing that layers hold it up is falsely compressed by
// about weight over mass times the square of its step. So while layers are live on it, their force and
// stiffness take part in its solve as if they were a law of its own; what they are then predicted to do over
// the step is taken out of the agent's kick again, because the layers will do it themselves, on their clocks.
// What remains is what the agent's own laws do given that the layers push.
//
// Layers push and never pull, and where impacts lose energy they push less what parts. A law of a fixed stiffness would
// hold back what parts, and giving that back would throw it off: so a pair that is foreseen to do otherwise than it was
// solved for takes another course, and the agent solves again. Courses are only gone through from first to last.
//
// Friction takes part likewise, across the normal: a solve that knows nothing of what holds a body on a slope lets all of it
// fall for a step, and its lowest points alone are held; of a stiff body these then chatter, and it creeps. To the solve
// the anchors of friction are springs, as stiff together as the layers are; where these would pull more than friction can,
// they give way: the pull stays at that limit, and the agent solves again.

#ifndef TACTUS_CONTACT_LAYER_LAW_H
#define TACTUS_CONTACT_LAYER_LAW_H

#include "contact/layer_room.h"

typedef enum TacLayerCourse {
    TAC_LAYER_CLOSES, // or comes back without loss
    TAC_LAYER_RESTS,  // parts more slowly than what rests may: the faster, the less it is pushed
    TAC_LAYER_PARTS,  // is pushed by what restitution leaves
    TAC_LAYER_GONE,   // would pull
} TacLayerCourse;

// What belongs to pairs is in floats: what is foreseen of them is a guess at some hundredths, and nothing adds up over time, as
// what takes part in a solve is taken out again by the same numbers. There are several to a point: little memory each.

// One direction in which a pair pushes.
typedef struct TacLayerLine {
    float direction[3];
    float push; // N, as it is now
} TacLayerLine;

// What friction does across the normal of a pair; there only where that was looked at.
typedef struct TacLayerSlip {
    float pull[2]; // N: of the anchors of friction, as it is now
    float next[2]; // m/s: of both sides along each line, found
    float grip;    // how much of their pull the anchors can keep: less than all where it slips
} TacLayerSlip;

enum { TAC_LAYER_NORMAL, TAC_LAYER_ACROSS, TAC_LAYER_LINES = 3 };

// What the others do along it.
typedef struct TacLayerSide {
    float speed;         // m/s: how fast they go back
    float fall, hung;    // m/s^2: the same by their flight; of those that do not fly free
    float inverse, held; // 1/kg: of them; of those that do not fly free
} TacLayerSide;

// A live pair, as seen by one matter.
typedef struct TacLayerHold {
    float hardness; // N/m: of the layers, as they are now
    float own;      // 1/kg: of the points
    float alone;    // 1/kg: of both, if no other pair pushed them
    float gap;      // m
    float swing;    // rad/s, of its points by the agent's own laws; infinite: unknown
    union {
        uint32_t other; // while it is looked at: the first in the room's list of others
        float step;     // s: the longest over which it can be foreseen
    };
    union {
        uint32_t rank; // while laws meet: of its pair, among all that were looked at
        float harm;    // J/s^2: what it does over longer steps (tac_layer_harm)
    };
    uint32_t first;         // own points, in the room's lists
    uint32_t side;          // of those that were looked at, the first in the room's list
    uint16_t count, others; // own points; supports of others that can be pushed
    uint16_t type;          // of the pair
    uint8_t lines : 2;      // in the solve: the normal; where friction takes part in it, two across it
    uint8_t sides : 2;      // of its own; 0: the other side does nothing
    uint8_t course : 2;     // TacLayerCourse
    bool yields;            // the other side gives way to all of the push
} TacLayerHold;
_Static_assert(sizeof(TacLayerHold) == 44, "no gaps");

// What the solver foresees (solver.h): over `step`, a stiffness k that has no force now gives the impulse
// -step k (old v + change dv).
typedef struct TacForesight {
    double step, old, change;
} TacForesight;

typedef struct TacLayerLaw {
    TacLaw law;
    TacSafe *safe;
    uint32_t first_support; // of its matter
    TacLayerRoom *room;     // NULL while it does not solve
    size_t hold_count, side_count, point_count, other_count, arm_count;
    size_t borne_count, prop_count;      // of the first of those that solve together
    size_t passed;                       // holds, while pairs are gone through
    size_t each;                         // lines of a hold
    bool across;                         // what is across the normal was looked at
    struct TacLayerLaw *const *together; // laws that solve together; NULL: it does so alone
    uint32_t place, agent;               // among them; whose it is, by number
    TacForesight sight;                  // of the solve
} TacLayerLaw;

extern const TacClass tac_layer_law_class; // never in scenes

// Looks which layers are live on the matter at `now`; `across`: and what they do across their normals, without which friction
// cannot be foreseen. False without memory.
bool tac_layer_law_look(TacLayerLaw *law, TacTick now, bool across);

// Finds the longest step for which each hold can be foreseen, as it is now, and its harm. With dv: as a solve for `time`
// foresees it, after tac_layer_law_correct.
void tac_layer_law_judge(TacLayerLaw *law, const double *v, const double *dv, double time);

// Energy, J, of all of the matter at the speed below which what is held rests.
double tac_layer_law_still(const TacLayerLaw *law);

// How stiff the agent is where layers push it: adds the directions of all pushes to `a`; then, from the forces f that its
// own laws have against moving along `a`, finds how fast it swings back, rad/s. Returns the sum of squares.
void tac_layer_law_push(const TacLayerLaw *law, double *a);
double tac_layer_law_feel(TacLayerLaw *law, const double *a, const double *f);

// What enters the solve of a step at first, with friction where `grips` (and that was looked at). False without memory.
bool tac_layer_law_foresee(TacLayerLaw *law, const TacForesight *sight, const double *v, bool grips);

// After a solve: finds the impulses of the step. Returns how many pairs take another course; unless that is 0, the solve
// should be done again.
size_t tac_layer_law_correct(TacLayerLaw *law, const TacForesight *sight, const double *v, const double *dv);

// Takes these impulses out of dv, and forgets what it looked at.
void tac_layer_law_give_back(TacLayerLaw *law, double *dv);

#endif
