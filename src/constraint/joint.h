// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Joints: what ties matter together, as rows for a solver that keeps to them (Spook).
//
// A joint says how far it is from holding (its violations g), how that changes when matter moves (the
// Jacobian G = dg/dq) and how soft it is. The solver finds one force per row. Nothing is kept between steps
// but forces for those who look, so a joint can have other rows at every step: that is how a wire changes its
// resolution.
//
//     row       one number g, and everything that is said about it
//     block     the row's part of G on one body: 3 numbers for a point, 6 for a frame (world axes)
//     body      a point or frame of the agent, numbered through all its matter
//     slot      the row's own number within its joint: the same row at the next step has the same slot
//
// Rules:
//   1. A row's force acts on its bodies along +J. A row with `low` 0 can only push (g >= 0 is meant to hold),
//      one with `high` 0 can only pull (g <= 0 is meant to hold); such a row may be open: then g/h is how
//      fast it may close.
//   2. A row of kind TAC_ROW_SPEED has no g: J v = speed is asked for, within the limits of its force.
//      Friction is two such rows across a row that pushes: `presses` of the first says which. Together their force
//      is at most `friction` times the other's.
//   3. A joint adds at most as many rows and blocks as its `capacity` said.
//   4. A hard row between the very two frames that a barrier keeps apart gives way to it, the more the stiffer the barrier is, and no
//      violation is worked off faster than `most_speed` (of what turns: at the distance of its bodies' masses from their axes).
//      What holds both ways gives way far less, as steps are cut for it.
//   5. The world is no body: rows simply have no block there.

#ifndef TACTUS_CONSTRAINT_JOINT_H
#define TACTUS_CONSTRAINT_JOINT_H

#include "tactus/component.h"

#include <math.h>

#define TAC_NO_BODY UINT32_MAX

typedef enum TacRowKind {
    TAC_ROW_PLACE, // g of positions
    TAC_ROW_SPEED, // a wanted speed
} TacRowKind;

typedef struct TacRow {
    TacRowKind kind;
    uint32_t first_block, block_count;
    uint32_t slot;     // in the agent
    double violation;  // m or rad
    double compliance; // m/N or rad/(N m)
    double damping;    // s; negative: the solver's own choice
    double speed;      // m/s or rad/s
    double low, high;  // of its force, N or N m
    double
        friction; // where it is not 0: bounds this row and the next together, by the force of row `presses`
    uint32_t presses;
    double barrier; // N/m: how stiff something is that nothing enters, and that acts by itself; 0: it is none
    bool solid;     // pushes only, and must not be passed in the middle of a step either
} TacRow;

typedef struct TacBlock {
    uint32_t body, row;
    double j[6];
} TacBlock;

// The rows of an agent at one step. Joints only add.
typedef struct TacRows {
    TacRow *rows;
    TacBlock *blocks;
    size_t count, capacity, block_count, block_capacity;
    uint32_t first_slot;        // of the joint that is adding
    TacMatter *const *matters;  // of the agent, in the order of the file
    const uint32_t *first_body; // of each matter
    size_t matter_count;
    double most_speed; // m/s, at which frames are put right; infinite where there are no barriers
} TacRows;

// A new row: hard, two-sided, without blocks. NULL when there is no room (rule 3 was broken).
TacRow *tac_rows_add(TacRows *rows, size_t slot);

// The number of a matter's first body; TAC_NO_BODY for NULL, the world.
uint32_t tac_rows_body(const TacRows *rows, const TacMatter *matter);

// Adds a block to the last row.
void tac_rows_block(TacRows *rows, uint32_t body, TacVec3 linear, TacVec3 angular);

typedef struct TacJointSize {
    size_t rows, blocks, slots; // the most that it ever adds; slots are numbered from 0
} TacJointSize;

// Who watches over matter that is touched by others while it changes its resolution (safe contact).
typedef struct TacGuard {
    void *data;
    // Whether its points may go straight to where these lines have them, now; if not, they must stay.
    bool (*may_go)(void *data, const TacMatter *matter, const TacCarriedPoint *lines);
    // They are there: matter->carried is new, and so are the inverse masses.
    void (*gone)(void *data, const TacMatter *matter, const double *inverse);
    // Whether something pushes it, or has within so many seconds.
    bool (*touched)(void *data, const TacMatter *matter, double within);
} TacGuard;

// What joints that change their resolution are told between a kick and the flight after it.
typedef struct TacSettling {
    const TacContext *context;
    double time_limit;     // s of computing that the agent may spend on a step
    double cost_scale;     // measured over estimated time; 1 where costs are modelled
    const TacGuard *guard; // to be asked before points are put elsewhere; NULL: nobody minds
    bool
        made_up; // what they do to the agent's momentum is made up for: they owe nothing to what they are tied to
} TacSettling;

// A straight piece of a line over contact nodes, between two stops of it: masses and nodes, each with a number of its own that
// it keeps from step to step.
typedef struct TacLinePiece {
    TacVec3 ends[2];
    uint64_t stops[2];
    bool slides; // one of them is a node, over which it slides: not straight
} TacLinePiece;

// Two that a joint ties, points or frames of matter; NULL: the world.
typedef struct TacTie {
    const TacMatter *matter[2];
    size_t point[2];
} TacTie;

struct TacJointOps {
    TacJointSize (*capacity)(const void *self);
    // The matter it ties, at most `most`; returns how many. NULL: those of its TacJoint.
    size_t (*matters)(const void *self, TacMatter **list, size_t most);
    // What hangs together by it while it is closed, two by two: tie `number`, from 0. False: it has no more. NULL: it has none.
    bool (*tie)(const void *self, size_t number, TacTie *tie);
    // Adds its rows for the positions TAC_X and velocities TAC_V of its matter.
    void (*add)(void *self, const TacContext *context, TacRows *rows);
    // The forces that were found, by slot (N, N m); 0 for slots without a row.
    void (*take)(void *self, const TacContext *context, const double *forces);
    // With the forces that were found (as in take): adds the rows that it needs to stay stable under them. True: it has added
    // some, and all is solved again. NULL: it needs none.
    bool (*steady)(const void *self, const TacContext *context, const double *forces, TacRows *rows);
    // Masses of points whose mass this joint makes itself: inverse, per point. NULL: its matter has a mass.
    const double *(*inverse_masses)(const void *self);
    // Where inverse masses change: the largest that a point ever has. NULL: they do not.
    double (*most_inverse)(const void *self, size_t point);
    // Those with which its points answer touch (safe contact), at most the largest: points that only follow others have
    // some, too. NULL: the same.
    const double *(*touch_inverses)(const void *self);
    // Whether it meets this frame by contact nodes of its own: layers leave such pairs alone. NULL: it has none.
    bool (*meets_by_nodes)(const void *self, const TacMatter *matter, size_t frame);
    // The straight pieces of its line, as it lies now: both ends of each, up to `most`; returns how many were written. Without
    // `ends`: how many there can be, 0 where it goes over nothing. NULL: it has none.
    size_t (*pieces)(const void *self, TacLinePiece *pieces, size_t most);
    // Where some of its points are carried by others: how, by point. It stays there and changes with the resolution. NULL:
    // they are not carried on straight lines.
    const TacCarriedPoint *(*lines)(const void *self);
    // After velocities have been kicked, all joints of an agent that have the same operations: they may change
    // TAC_X and TAC_V of their own matter. NULL: nothing to do.
    void (*settle)(void *const *joints, size_t count, const TacSettling *settling);
    bool (*adapts)(const void *self); // whether that ever changes anything. NULL: it does not
    bool (*vanishes)(
        const void *self); // whether its mass is not felt at some of its levels. NULL: it always is
    double (*cost)(const void *self); // s per step, estimated; where there is a settle
    // It is about to close (TacJoint.open becomes false): it is to hold things as they are now. NULL: it
    // holds them as they were at the start.
    void (*close)(void *self);
    // Once, when everything is there: what is impossible, as a sentence. NULL: all is well.
    const char *(*unfit)(const void *self);
};

typedef struct TacJointOps TacJointOps;

// The operations of a component that ties; NULL for all others. Masses can (wires).
const TacJointOps *tac_joint_ops(const TacComponent *component);
// TacJointOps.touch_inverses, of one that makes the masses of its matter.
const double *tac_joint_touch_inverses(const TacComponent *component);

// Whether it holds nothing for the time being. Wires always hold.
bool tac_joint_is_open(const TacComponent *component);

// The matter that a joint ties.
size_t tac_joint_matters(const TacComponent *joint, TacMatter **list, size_t most);

// --- places on matter -------------------------------------------------------------------------------------

// A place fixed on a point or frame of matter, or in the world (matter is NULL).
typedef struct TacAttachment {
    TacMatter *matter;
    size_t point;
    TacVec3 local; // in the frame's axes; in the world's where there is no frame
} TacAttachment;

// A place now in the world, as a place on matter.
TacAttachment tac_attach(TacMatter *matter, size_t point, TacVec3 place);

// Where it is now, and how fast it moves.
TacVec3 tac_attachment_place(const TacAttachment *attachment);
TacVec3 tac_attachment_velocity(const TacAttachment *attachment);

// Adds the block of a place that moves the row's g by `direction` per metre. Nothing for the world.
void tac_rows_place(TacRows *rows, const TacAttachment *attachment, TacVec3 direction);

// Orientation of a frame; no turn for points and the world.
TacQuat tac_attachment_turn(const TacAttachment *attachment);

#define TAC_JOINT_ATTRIBUTES(Type, head)                                                                     \
    {.name = "matter",                                                                                       \
     .type = TAC_LINK,                                                                                       \
     .offset = offsetof(Type, head.matter[0]),                                                               \
     .unit = "",                                                                                             \
     .initial = "",                                                                                          \
     .doc = "The matter that it ties; by default the nearest one, in its node or above.",                    \
     .accepts = "matter"},                                                                                   \
    {                                                                                                        \
        .name = "open", .type = TAC_BOOL, .offset = offsetof(Type, head.open), .unit = "",                   \
        .initial = "false", .doc = "Whether it starts open: it holds nothing until a Trigger closes it."     \
    }

#define TAC_SOFTNESS_ATTRIBUTES(Type, softness, time)                                                        \
    {.name = "compliance",                                                                                   \
     .type = TAC_REAL,                                                                                       \
     .offset = offsetof(Type, softness),                                                                     \
     .unit = "m/N",                                                                                          \
     .initial = "0",                                                                                         \
     .doc = "How far it gives way to a force; 0 is rigid. Rotations: rad/(N m).",                            \
     .range = TAC_NOT_NEGATIVE},                                                                             \
    {                                                                                                        \
        .name = "damping", .type = TAC_REAL, .offset = offsetof(Type, time), .unit = "s", .initial = "",     \
        .doc = "The time in which a violation is damped away; by default two steps.",                        \
        .range = TAC_NOT_NEGATIVE                                                                            \
    }

extern const TacClass tac_membrane_joints_class;
extern const TacClass tac_distance_joints_class, tac_ball_joint_class, tac_hinge_joint_class,
    tac_prismatic_joint_class, tac_lock_joint_class, tac_motor_class, tac_plane_contact_class,
    tac_cable_class;
extern const TacClass tac_output_probe_class;

#endif
