// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The component Agent, and adaptive steps. See agent.h.

#include "agent/agent.h"

#include "base/memory.h"

bool tac_agent_step_done(TacAgentStep *step, double speed) {
    if (!step->adaptive) return false;
    if (!(speed < step->still)) {
        tac_agent_step_reset(step);
        return false;
    }
    step->calm += step->now;
    if (step->calm < step->patience) return false;
    step->calm = 0;
    if (2 * step->now <= step->longest) {
        step->now *= 2;
        return false;
    }
    return step->may_rest;
}

void tac_agent_step_reset(TacAgentStep *step) {
    step->now = step->own;
    step->calm = 0;
}

const TacAgentSetting *tac_agent_default(void) {
    static const TacAgentSetting ordinary = {.priority = -1,
                                             .by_priority = true,
                                             .ratio = 1,
                                             .c1 = 0.1,
                                             .still = 0.001,
                                             .patience = 0.2,
                                             .longest = 8};
    return &ordinary;
}

static TacStatus init(void *data, TacSetup *setup, TacError *error) {
    const TacAgentSetting *self = data;
    if (self->priority < -1)
        return tac_setup_fail(setup, error, "priority", "priority must be -1 (by lot) or at least 0");
    if (!(self->longest >= 1)) return tac_setup_fail(setup, error, "longest", "longest must be at least 1");
    return TAC_OK;
}

static const TacAttribute attributes[] = {
    {"priority", TAC_INT, offsetof(TacAgentSetting, priority), "1", "-1",
     "At the start: 0 to the world's priorities, where high is often; -1: by lot, from the seed.", NULL,
     TAC_ANY, 0},
    {"by_priority", TAC_BOOL, offsetof(TacAgentSetting, by_priority), "", "true",
     "The priority rule: one up when it is the slowest of all, one down when it is the fastest.", NULL,
     TAC_ANY, 0},
    {"by_sleep", TAC_BOOL, offsetof(TacAgentSetting, by_sleep), "", "false",
     "The sleep rule: after each step it sleeps so that it takes `ratio` of the machine.", NULL, TAC_ANY, 0},
    {"threshold", TAC_REAL, offsetof(TacAgentSetting, threshold), "s", "0",
     "How far apart slowest and fastest may be before it changes its priority; 0: one of its steps.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"ratio", TAC_REAL, offsetof(TacAgentSetting, ratio), "1", "1",
     "The sleep rule's, at the start; 0.01 to 1.", NULL, TAC_FRACTION, 0},
    {"c1", TAC_REAL, offsetof(TacAgentSetting, c1), "1", "0.1", "How fast the sleep rule changes the ratio.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"frequency", TAC_REAL, offsetof(TacAgentSetting, frequency), "1/s", "0",
     "It is served so often, or as often as its turn comes if that is less, on the scheduler's clock; 0: as "
     "often as it comes.",
     NULL, TAC_NOT_NEGATIVE, 0},
    {"cost", TAC_REAL, offsetof(TacAgentSetting, cost), "s", "0",
     "Of one step on the virtual clock; 0: a microsecond, and a tenth more for each of its points.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"adaptive", TAC_BOOL, offsetof(TacAgentSetting, adaptive), "", "false",
     "Whether its step grows while little moves; under the loose scheduler, or with safe contact.", NULL,
     TAC_ANY, 0},
    {"still", TAC_REAL, offsetof(TacAgentSetting, still), "m/s", "0.001",
     "Mean speed below which little moves.", NULL, TAC_NOT_NEGATIVE, 0},
    {"patience", TAC_REAL, offsetof(TacAgentSetting, patience), "s", "0.2",
     "For how long little must move before the step doubles.", NULL, TAC_NOT_NEGATIVE, 0},
    {"longest", TAC_REAL, offsetof(TacAgentSetting, longest), "1", "8",
     "The longest step, in steps of its own.", NULL, TAC_POSITIVE, 0},
    {"rest", TAC_BOOL, offsetof(TacAgentSetting, rest), "", "false",
     "Whether it stops altogether when little moves at the longest step, until something touches it.", NULL,
     TAC_ANY, 0},
};

const TacClass tac_agent_class = {
    .name = "Agent",
    .kind = TAC_KIND_SETTING,
    .doc = "How the solver of its node behaves as an agent under the loose scheduler (World "
           "scheduler=\"loose\"): "
           "priority, sleep, frequency, adaptive steps. With safe contact `adaptive`, `still`, `patience`, "
           "`longest` "
           "and `rest` count, too.",
    .size = sizeof(TacAgentSetting),
    .attributes = attributes,
    .attribute_count = TAC_COUNT(attributes),
    .init = init,
};
