// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Triggers: when this, then that. And what is watched for them: who touches whom, which links have changed, who
// sleeps.
//
//     when    time | above | below (a probe) | contact | parted (collision models) | links | sleep | wake
//     then    stop | open | close (a joint) | release (FixedPoints) | set (a live number) | snapshot
//
// Rules:
//   1. Triggers are looked at on every beat, when all instants before it are done and none at it is: so what they
//      change holds from that instant on, for everybody, and the number of threads or the length of an advance
//      changes nothing.
//   2. They are looked at in the order of the scene, one after the other: a trigger sees what those before it did.
//   3. A condition fires when it becomes true. What lasts less than a beat is seen where it leaves a count behind:
//      contacts and links do; probes are sampled.
//   4. All that triggers and watches remember is state of the world.
//   5. A joint that closes ties things as they are then. It starts without violation, so the only impulse is
//      that of the velocities that no longer fit: between the two sides, equal and opposite. Momentum is kept.

#ifndef TACTUS_WORLD_TRIGGER_H
#define TACTUS_WORLD_TRIGGER_H

#include "contact/events.h"
#include "contact/meetings.h"
#include "contact/models.h"
#include "law/laws.h"

// Contacts between two collision models, or of one with all others. Counts are since the start.
typedef struct TacWatchState {
    uint64_t begins, ends;
    double ended; // N s, of loose contacts that are over
    double total; // N s, of all
    double force; // N, mean of the last beat
} TacWatchState;

typedef struct TacWatch {
    const TacCollision *model, *other; // NULL: any other
    TacWatchState *state;
} TacWatch;

typedef struct TacTriggerState {
    int64_t fired;  // times
    int64_t due;    // tick; -1: nothing is due
    int64_t last;   // tick when it fired last
    uint64_t count; // of what it watches, when last looked at
    int64_t was;    // whether its condition held
} TacTriggerState;

typedef struct TacTrigger {
    TacComponent base;
    int when, then;
    TacComponent *probe, *agent;
    TacLaw *links;
    struct TacTrigger *after;
    TacComponent *what;
    const char *attribute;
    double value, to, delay;
    int64_t state_number, times;
    TacWatch watch;
    TacTriggerState *state;
    double *target;  // that `set` writes to
    uint32_t ticker; // of the agent
} TacTrigger;

enum {
    TAC_WHEN_TIME,
    TAC_WHEN_ABOVE,
    TAC_WHEN_BELOW,
    TAC_WHEN_CONTACT,
    TAC_WHEN_PARTED,
    TAC_WHEN_LINKS,
    TAC_WHEN_SLEEP,
    TAC_WHEN_WAKE
};
enum { TAC_THEN_STOP, TAC_THEN_OPEN, TAC_THEN_CLOSE, TAC_THEN_RELEASE, TAC_THEN_SET, TAC_THEN_SNAPSHOT };

typedef struct TacContactProbe {
    TacComponent base;
    int what;
    TacWatch watch;
} TacContactProbe;

// A law whose links change state.
typedef struct TacLinksWatch {
    const TacLaw *law;
    const TacReals *counts;
    double *before;
} TacLinksWatch;

extern const TacClass tac_trigger_class, tac_contact_probe_class;

// What a world looks at on its beats.
typedef struct TacBeats {
    TacEvents events;
    TacSkinMeetings meetings;   // of safe contact
    const TacCollision **skins; // models, by skin
    size_t skin_count;
    TacTrigger **triggers;
    size_t trigger_count;
    TacWatch **watches;
    size_t watch_count;
    TacLinksWatch *links;
    size_t link_count;
    const double *no_forces; // zeros: what a joint that is opened carries
    int64_t next;            // tick of the next look
    uint64_t halted;         // trigger that stopped the world, plus 1; 0: none
    bool wanted;             // there is something to look at
    void (*take)(void *data, const char *trigger);
    void *take_data;
} TacBeats;

struct TacWorld;

// Looks at everything, at now.
TacStatus tac_world_look_at_beat(struct TacWorld *world, TacError *error);

// Takes what loose contact has told into the world's list and counts.
void tac_world_take_touch_events(struct TacWorld *world);

// Something happened to a component, now.
void tac_world_tell(struct TacWorld *world, TacContactEventKind kind, const TacComponent *who);

// An agent fell asleep or woke, under the loose scheduler.
void tac_world_tell_agent(struct TacWorld *world, uint32_t ticker, TacContactEventKind kind);

#endif
