// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What can be asked about contact in a world: what began and ended to touch, and what holds between materials; and
// what else happened: links that broke, agents that fell asleep, triggers that fired (docs/together.md).

#ifndef TACTUS_CONTACT_H
#define TACTUS_CONTACT_H

#include "tactus/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TacContactEventKind {
    TAC_CONTACT_BEGINS,
    TAC_CONTACT_ENDS,
    TAC_LINKS_CHANGE,  // element_b links of `who` have entered its state number element_a since the last beat
    TAC_AGENT_SLEEPS,  // `who` is its solver
    TAC_AGENT_WAKES,   // the same
    TAC_TRIGGER_FIRES, // `who` is the Trigger
    TAC_AGENT_MERGES, // a joint has made it one with another agent; `who` is its solver, or matter that has none
    TAC_AGENT_PARTS, // it is by itself again
} TacContactEventKind;

typedef struct TacContactEvent {
    TacContactEventKind kind;
    double time; // s
    uint32_t model_a,
        model_b; // collision models, by their order in the scene; tac_world_collision_model tells which
    uint32_t element_a,
        element_b;      // frames with a shape, or balls, of these models; 0 in safe worlds, where the
                        // skins as a whole touch
    TacVec3 point;      // of the contact, in the world, m
    TacVec3 normal;     // unit, from a to b
    double impulse;     // of pushes since it began, N s; 0 when it begins
    TacComponentId who; // of events other than contacts
} TacContactEvent;

// Takes up to `most` events off the world's list, oldest first, and returns how many. The list holds the last 4,096;
// what nobody took in time is lost, oldest first, and counted in *lost (which may be NULL).
TAC_API size_t tac_world_events(TacWorld *world, TacContactEvent *events, size_t most, uint64_t *lost);

// The path of the trigger that stopped the world; NULL: none did. A stopped world stands still: advancing does
// nothing until tac_world_go_on.
TAC_API const char *tac_world_stopped_by(const TacWorld *world);
TAC_API void tac_world_go_on(TacWorld *world);

// Whom to call when a trigger asks for a snapshot, with the trigger's path: between two instants, so that
// tac_world_save gives the state of that moment. Nobody by default.
TAC_API void tac_world_on_snapshot(TacWorld *world, void (*take)(void *data, const char *trigger),
                                   void *data);

// The collision model of an event; the null handle when there is none of that number.
TAC_API TacComponentId tac_world_collision_model(const TacWorld *world, uint32_t model);

// What holds where two materials meet, or two collision models. Names are paths; "" is the material that has all
// defaults.
typedef struct TacContactRow {
    const char *first, *second;
    const char *combine; // the rule for friction and restitution, as Contact names it
    double friction, restitution;
    double stiffness; // N/m; 0: chosen from masses and steps
    double damping;   // N s/m; NaN: from the restitution
    double thickness; // m
    bool excluded;
} TacContactRow;

// Row i of the table of all pairs of materials in use, with the default one first where it is in use; then of those
// pairs of models that a ContactPair names. False past the last row.
TAC_API bool tac_world_contact_row(const TacWorld *world, size_t i, TacContactRow *row);

// Whom a collision model may touch.
typedef struct TacContactModel {
    const char *path, *material; // "": all defaults
    int group;                   // 0 to 63
    uint64_t mask;               // bit g: it touches what is in group g, if that touches its group
    bool self;                   // its own parts touch each other
} TacContactModel;

// The i-th collision model of the scene. False past the last one.
TAC_API bool tac_world_contact_model(const TacWorld *world, size_t i, TacContactModel *model);

// Where things push each other now.
typedef struct TacContactPoint {
    TacVec3 place;  // m, on the first side
    TacVec3 normal; // unit, the way in which the first side is pushed
    double gap;     // m; negative: depth of loose contact
    double force;   // N, along the normal; in safe contact what the layers' kicks come to over time
} TacContactPoint;

// Writes up to `most` of them and returns how many there are.
TAC_API size_t tac_world_contact_points(TacWorld *world, TacContactPoint *points, size_t most);

// How many contact points push now.
TAC_API size_t tac_world_contact_count(const TacWorld *world);

#ifdef __cplusplus
}
#endif

#endif
