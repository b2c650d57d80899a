// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What an agent decides for itself under the loose scheduler: the component Agent, and adaptive steps ("Asynchronous
// Interactive Physical Simulation", sections 5.2 and 6.2.4). Knows nothing of matter: an agent here is a step and how
// much moved.
//
// Adaptive steps: while the mean speed stays below `still`, the step doubles after every `patience` seconds of its own
// time, up to `longest` times the step it was given; then, if it may, the agent rests. Whatever moves it again (it is
// faster than that, something touches it anew, a hand) sets it back to its own step at once. Explicit agents that can touch something keep their step, which is what they bear, but may
// rest.

#ifndef TACTUS_AGENT_AGENT_H
#define TACTUS_AGENT_AGENT_H

#include "tactus/component.h"
#include "time/loose.h"

typedef struct TacAgentSetting {
    TacComponent base;
    int64_t priority; // -1: by lot
    bool by_priority, by_sleep;
    double threshold;    // s; 0: one of its steps
    double ratio, c1;    // of the sleep rule
    double frequency;    // 1/s of the clock; 0: none
    double cost;         // s of the virtual clock for each activation; 0: by its points
    bool adaptive, rest; // longer steps, and none at all, while little moves
    double still;        // m/s
    double patience;     // s
    double longest;      // in steps of its own
} TacAgentSetting;

extern const TacClass tac_agent_class;

// The setting of agents that have none.
const TacAgentSetting *tac_agent_default(void);

// The state of one agent's step.
typedef struct TacAgentStep {
    TacTick own, now, longest; // its own step, the one in use, the longest
    TacTick patience, calm;    // how long it must be still; how long it has been
    double still;
    bool adaptive, may_rest;
} TacAgentStep;

// Takes note of one step and the mean speed at its end. True: it may rest now.
bool tac_agent_step_done(TacAgentStep *step, double speed);
void tac_agent_step_reset(TacAgentStep *step);

#endif
