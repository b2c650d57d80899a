// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The states of a conditional link and the rules by which it goes from one to another: CORDIS-ANIMA's
// "transition status logic" ("Balls, bubbles and agglomerates", section II, third axiom).
//
// States have names, and each a rest length:
//
//     states="whole soft broken"   rest="start kept start"
//
//     0.1            this length, m
//     start          the distance at the start
//     entered        the distance at which the state was entered; entered-0.01 and entered+0.01 add to it
//     kept           what it was in the state before
//
// Rules are sentences with a semicolon between them; the first one that holds is followed, one at a time.
// One that leads to its own state enters it again, with a new rest length:
//
//     transitions="whole to soft when stretch above 0.01; soft to broken when pull above 5 and time above 0.2"
//
//     distance   m        between the two ends
//     stretch    m        distance less the rest length
//     speed      m/s      at which the distance grows
//     slip       m/s      of one end past the other, across the line between them
//     pull       N        of the link, along it; below 0 where it pushes
//     push       N        the opposite
//     time       s        since the state was entered

#ifndef TACTUS_LAW_LINK_RULES_H
#define TACTUS_LAW_LINK_RULES_H

#include "tactus/component.h"

enum { TAC_LINK_STATES = 16, TAC_LINK_RULES = 64, TAC_LINK_CONDITIONS = 4, TAC_LINK_NAME = 32 };

typedef enum TacLinkQuantity {
    TAC_LINK_DISTANCE,
    TAC_LINK_STRETCH,
    TAC_LINK_SPEED,
    TAC_LINK_SLIP,
    TAC_LINK_PULL,
    TAC_LINK_PUSH,
    TAC_LINK_TIME,
    TAC_LINK_QUANTITIES
} TacLinkQuantity;

typedef enum TacLinkRest { TAC_REST_LENGTH, TAC_REST_START, TAC_REST_ENTERED, TAC_REST_KEPT } TacLinkRest;

typedef struct TacLinkState {
    char name[TAC_LINK_NAME];
    TacLinkRest rest;
    double length; // m: the rest length, or what is added to the distance when entered
} TacLinkState;

typedef struct TacLinkRule {
    int from, to;
    int count;
    struct {
        TacLinkQuantity quantity;
        bool above;
        double limit;
    } conditions[TAC_LINK_CONDITIONS];
} TacLinkRule;

typedef struct TacLinkRules {
    size_t state_count, rule_count;
    TacLinkState states[TAC_LINK_STATES];
    TacLinkRule rules[TAC_LINK_RULES];
} TacLinkRules;

// Reads the three attributes. Fails with the name of the one at fault in *attribute.
TacStatus tac_link_rules_read(TacLinkRules *rules, const char *states, const char *rest,
                              const char *transitions, const char **attribute, TacError *error);

// The state of that name, or -1.
int tac_link_state_find(const TacLinkRules *rules, const char *name, size_t length);

// The state that a link in a state enters with these quantities (it may be the same one, entered again); -1
// when no rule holds.
int tac_link_next(const TacLinkRules *rules, int state, const double quantities[TAC_LINK_QUANTITIES]);

#endif
