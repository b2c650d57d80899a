// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The loose scheduler: who goes next in a world without a common instant ("Asynchronous Interactive Physical
// Simulation", section 5). Knows no physics: an agent is a number with a time of its own.
//
// Agents wait in one queue per priority, 0..N, first in first out. A queue is served at most max_exec - 1 times
// before the one below it gets its turn, so queues k and k - 1 are served in the ratio max_exec; an empty queue
// counts as exhausted. An agent that has been served says how far it came and what that cost; then it decides,
// by the *window* (slowest and fastest time of all agents), on two things:
//
//     priority rule   it is the slowest: priority + 1; the fastest: - 1; only while the window is wider than
//                     its threshold
//     sleep rule      ratio += c1 (middle of the window - own time) / width of the window
//                     it sleeps for cost (1 - ratio) / ratio: ratio is the part of the machine that it takes
//
// Either rule, both, or none; besides, an agent may hold a preset frequency: it is then served once in each of
// its periods of the clock, as soon as its turn comes; a turn that comes late delays none of the next ones. All times (of agents, of the clock, of waking up) are ticks, but the clock and the agents' times are
// different things: the clock is the wall's, or a virtual one that moves by the cost that each activation is
// said to have. With the virtual one everything here follows from the calls alone.
//
// Where the document is silent:
//   - priorities are clamped to 0..N, ratio to [0.01, 1]; an empty window pulls nobody (delta is 0);
//   - sleeping agents still decide: one that sleeps by the sleep rule and has become the slowest, with a window
//     wider than its threshold, wakes up at once;
//   - queues can hold agents together only as far as max_exec goes: two with steps of 1 and 10 ms drift apart for
//     ever. So an agent of the priority rule that is ahead of the slowest by more than three of its thresholds gives its
//     turn up, until that one has come nearer;
//   - things that touch must be at the same time, or what each pushes with comes too late for the other, and feeds
//     it. An agent that *keeps close* (whatever its rules, for the next 200 turns) never goes ahead of the slowest: it
//     hands its turn on to that one. Among such agents the order is that of time;
//   - a *resting* agent (nothing moves) is outside the window, so it holds nobody back; it comes back at the time
//     it is given.
//
// Rules
//  1. An agent is in exactly one state: absent, ready (in the queue of its priority), taken (being served),
//     asleep (filed in `sleepers` under its wake-up time) or resting.
//  2. Bit p of `ready` is set exactly when queue p is not empty (loose_queue.h); bit p of `counting` when
//     served[p] > 0.
//  3. The window covers every agent that is ready, taken or asleep. Slowest times are a tree of minima, 8 to a
//     node; the fastest time is the largest ever seen, as agents never go back.
//  4. Who is taken depends on the order of calls alone, never on addresses or on threads: a group is taken first,
//     served side by side, and finished in the order in which it was taken.
// A sorted array for the sleepers, as in the document, costs a move of everyone behind; the timing wheel hands
// them out in the same order for O(1). A heap for the window pays its logarithm at every activation; the tree of
// minima stops as soon as a node keeps its value.
//
// With 100,000 agents time goes into waiting for memory. So all that is known of an agent lies in one cache line,
// its place in a queue or in the wheel as well (it is never in both), a node of the tree is one line, and the
// lines of who comes soon are asked for ahead.

#ifndef TACTUS_TIME_LOOSE_H
#define TACTUS_TIME_LOOSE_H

#include "base/memory.h"
#include "time/wheel.h"

enum { TAC_LOOSE_PRIORITIES = 64, TAC_LOOSE_LEVELS = 12, TAC_LOOSE_SLOTS = 15 };

#define TAC_LOOSE_NOBODY      UINT32_MAX
#define TAC_LOOSE_LEAST_RATIO 0.01

typedef enum TacLooseState {
    TAC_LOOSE_ABSENT,
    TAC_LOOSE_READY,
    TAC_LOOSE_TAKEN,
    TAC_LOOSE_ASLEEP,
    TAC_LOOSE_RESTING
} TacLooseState;

enum { TAC_LOOSE_BY_PRIORITY = 1, TAC_LOOSE_BY_SLEEP = 2 };

// What an agent brings along.
typedef struct TacLooseAgentDef {
    TacTick time;      // its own
    TacTick threshold; // ticks of window that it puts up with
    TacTick period;    // of the clock; it is served at most this often; 0: no preset frequency
    double ratio, c1;  // of the sleep rule
    int priority;
    unsigned rules; // TAC_LOOSE_BY_...
} TacLooseAgentDef;

// One cache line.
typedef struct TacLooseAgent {
    TacWheelEntry place; // asleep: in the wheel; ready: in its queue; taken: since when (loose.c)
    TacTick time, threshold, period;
    double ratio, c1;
    uint8_t priority, rules, state, by_rule; // by_rule: asleep because of the sleep rule
    uint8_t close;                           // turns for which it keeps close yet
} TacLooseAgent;

typedef struct TacLooseBlock {
    uint32_t next_plus_1; // in its queue, or among the free ones
    uint32_t ids[TAC_LOOSE_SLOTS];
} TacLooseBlock;

typedef struct TacLooseQueue {
    uint32_t first_plus_1, last_plus_1; // blocks
    uint32_t from, to; // the first slot in use of the first block, the first free one of the last
    uint32_t agents, holes;
} TacLooseQueue;

typedef struct TacLooseWindow {
    TacTick slowest, fastest; // equal and 0 while nobody is in it
} TacLooseWindow;

typedef struct TacLoose {
    int top;      // N, the highest priority
    int max_exec; // >= 2
    TacTick now;  // of the clock
    uint64_t ready, counting;
    int current; // the queue that is looked at next
    int served[TAC_LOOSE_PRIORITIES];
    TacLooseQueue queues[TAC_LOOSE_PRIORITIES];
    TacLooseBlock *blocks;
    uint32_t free_plus_1;
    TacArena memory;
    TacLooseAgent *agents; // by id
    uint32_t capacity;     // ids are below
    uint32_t count, ready_count, taken_count, resting_count;
    TacTick *slowest[TAC_LOOSE_LEVELS]; // the tree of minima; level 0 has one time for each agent
    int levels;
    TacTick fastest;
    uint32_t slowest_agent; // one of the slowest, as far as it was last looked for
    TacWheel sleepers;
    uint64_t activations;
} TacLoose;

// For ids below `capacity`; priorities 0..top, 0 <= top < 64, and max_exec >= 2 are clamped into that. Everything is
// allocated here: no later call needs memory.
TacStatus tac_loose_create(TacLoose *loose, uint32_t capacity, int top, int max_exec, TacError *error);
void tac_loose_destroy(TacLoose *loose); // a zeroed struct is allowed

// Puts an agent at the end of the queue of its priority. It must be absent.
void tac_loose_add(TacLoose *loose, uint32_t id, const TacLooseAgentDef *def);
void tac_loose_remove(TacLoose *loose, uint32_t id);

// Puts one that was removed back at the end of its queue, at `time`, with the priority and the ratio that it had.
void tac_loose_return(TacLoose *loose, uint32_t id, TacTick time);

// Moves the clock on; never back. Whoever should be awake by then is woken when somebody is taken next.
void tac_loose_set_now(TacLoose *loose, TacTick now);

// The clock's reading at which the next sleeper wakes; TAC_TICK_NEVER: nobody sleeps.
TacTick tac_loose_next_wake(const TacLoose *loose);

// Takes up to `most` agents to be served side by side. 0: nobody is ready at this time of the clock.
size_t tac_loose_take(TacLoose *loose, uint32_t *ids, size_t most);

// A taken agent was served: it has come to `time`, which cost `cost` ticks of the clock. It decides, and goes back
// to a queue or to sleep. Call in the order of taking. The clock is not moved.
void tac_loose_finish(TacLoose *loose, uint32_t id, TacTick time, TacTick cost);

// A taken agent goes to sleep until the clock reads `wake` instead (and decides on its priority).
void tac_loose_finish_until(TacLoose *loose, uint32_t id, TacTick time, TacTick wake);

// A taken (or ready) agent rests: out of the window, until tac_loose_rouse gives it a time and a place in a queue.
void tac_loose_rest(TacLoose *loose, uint32_t id, TacTick time);
void tac_loose_rouse(TacLoose *loose, uint32_t id, TacTick time);

// For a while an agent keeps close: it touches another one.
void tac_loose_keep_close(TacLoose *loose, uint32_t id);

// Wakes a sleeper at once: contact, or a hand. Nothing happens to agents that are not asleep.
void tac_loose_wake(TacLoose *loose, uint32_t id);

TacLooseWindow tac_loose_window(const TacLoose *loose);

// As for the causal scheduler. Nobody may be taken.
size_t tac_loose_save_bytes(const TacLoose *loose);
void tac_loose_save(const TacLoose *loose, void *to);
TacStatus tac_loose_restore(TacLoose *loose, const void *data, size_t bytes, TacError *error);

// Checks the rules above in linear time, for tests.
bool tac_loose_valid(const TacLoose *loose);

#endif
