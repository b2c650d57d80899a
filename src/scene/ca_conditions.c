// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Conditional links in CORDIS-ANIMA model files: laws with states and memory, from the fusible link to what sticks,
// melts and breaks.
//
//     DEFSTATE fuse whole  50 .1 start        a spring at the length it has at the start
//     DEFSTATE fuse broken 0 0 start
//     WHEN fuse whole broken pull above 2
//     LINKIF a b fuse [.1]
//
// See ca.h; the law itself is our ConditionalLinks.

#include "scene/ca.h"

#include <stdio.h>

static const double LARGEST = 1e15;

static bool want_word(TacCa *ca, const char *what, char word[TAC_CA_LONGEST_NAME + 1]) {
    tac_ca_skip(&ca->scan, true);
    return tac_ca_name(&ca->scan, word) || tac_ca_expected(ca, what);
}

// Adds a piece to a text that grows.
static bool append(TacCa *ca, char **text, const char *between, const char *piece) {
    char *longer = *text ? tac_arena_format(ca->arena, "%s%s%s", *text, between, piece)
                         : tac_arena_text(ca->arena, piece);
    if (!longer) return tac_ca_no_memory(ca);
    *text = longer;
    return true;
}

// The conditional law of a name; made where there is none yet.
static bool want_condition(TacCa *ca, TacCaCondition **condition) {
    char name[TAC_CA_LONGEST_NAME + 1];
    if (!want_word(ca, "the name of a conditional law", name)) return false;
    const TacName *known = tac_names_find(&ca->names, TAC_CA_CONDITIONS, name, strlen(name));
    if (known) {
        *condition = &ca->conditions[known->child];
        return true;
    }
    const char *kept = tac_arena_text(ca->arena, name);
    TacName *entry = kept ? tac_names_add(&ca->names, TAC_CA_CONDITIONS, kept) : NULL;
    if (!entry ||
        !tac_grow(&ca->conditions, &ca->condition_capacity, ca->condition_count + 1, sizeof **condition))
        return tac_ca_no_memory(ca);
    entry->child = (uint32_t)ca->condition_count;
    *condition = &ca->conditions[ca->condition_count++];
    **condition = (TacCaCondition){.name = kept};
    return true;
}

// Whether a text of words has this one.
static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *p = text; p && *p; p += strspn(p, " ")) {
        size_t length = strcspn(p, " ");
        if (length == n && !strncmp(p, word, n)) return true;
        p += length;
    }
    return false;
}

bool tac_ca_read_state(TacCa *ca) {
    TacCaCondition *c = NULL;
    char state[TAC_CA_LONGEST_NAME + 1], rest[TAC_CA_LONGEST_NAME + 1];
    double k, z, length;
    if (!want_condition(ca, &c) || !want_word(ca, "the name of a state", state)) return false;
    if (has_word(c->names, state))
        return tac_ca_complain(ca, ca->statement, "%s has the state \"%s\" already", c->name, state);
    if (c->states == TAC_CA_MOST_STATES)
        return tac_ca_complain(ca, ca->statement, "%s has more than %d states", c->name, TAC_CA_MOST_STATES);
    if (!tac_ca_want_number(ca, "the stiffness of the state (N/m)", 0, LARGEST, &k) ||
        !tac_ca_want_number(ca, "the viscosity of the state (N s/m)", 0, LARGEST, &z))
        return false;
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (tac_ca_number(&ca->scan, &length)) {
        if (!(length >= 0 && length <= LARGEST)) return tac_ca_complain(ca, place, "a length is 0 or more");
        snprintf(rest, sizeof rest, "%.17g", length);
    } else if (!want_word(ca, "the length at rest (m), or start, entered or kept", rest)) {
        return false;
    } else if (strcmp(rest, "start") && strcmp(rest, "entered") && strcmp(rest, "kept")) {
        return tac_ca_complain(ca, place, "expected a length, start, entered or kept; found \"%s\"", rest);
    }
    if (!append(ca, &c->names, " ", state) || !append(ca, &c->rests, " ", rest)) return false;
    c->stiffness[c->states] = k;
    c->damping[c->states++] = z;
    return true;
}

static bool want_state(TacCa *ca, const TacCaCondition *c, char state[TAC_CA_LONGEST_NAME + 1]) {
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (!want_word(ca, "the name of a state", state)) return false;
    return has_word(c->names, state) || tac_ca_complain(ca, place, "%s has no state \"%s\"; it has %s",
                                                        c->name, state, c->names ? c->names : "none");
}

static bool is_one_of(const char *word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, words[i])) return true;
    return false;
}

// WHEN law from to quantity above|below number
bool tac_ca_read_rule(TacCa *ca) {
    static const char *const quantities[] = {"distance", "stretch", "speed", "slip", "pull", "push", "time"};
    static const char *const sides[] = {"above", "below"};
    uint32_t index;
    char from[TAC_CA_LONGEST_NAME + 1], to[TAC_CA_LONGEST_NAME + 1], quantity[TAC_CA_LONGEST_NAME + 1];
    char side[TAC_CA_LONGEST_NAME + 1], rule[4 * TAC_CA_LONGEST_NAME + 80];
    double number;
    if (!tac_ca_want_known(ca, TAC_CA_CONDITIONS, &index)) return false;
    TacCaCondition *c = &ca->conditions[index];
    if (!want_state(ca, c, from) || !want_state(ca, c, to)) return false;
    tac_ca_skip(&ca->scan, true);
    TacPlace place = tac_ca_place(&ca->scan);
    if (!want_word(ca, "a quantity", quantity)) return false;
    if (!is_one_of(quantity, quantities, TAC_COUNT(quantities)))
        return tac_ca_complain(
            ca, place, "\"%s\" is not one of distance, stretch, speed, slip, pull, push, time", quantity);
    tac_ca_skip(&ca->scan, true);
    place = tac_ca_place(&ca->scan);
    if (!want_word(ca, "above or below", side)) return false;
    if (!is_one_of(side, sides, 2))
        return tac_ca_complain(ca, place, "expected above or below, found \"%s\"", side);
    if (!tac_ca_want_number(ca, "a number", -LARGEST, LARGEST, &number)) return false;
    snprintf(rule, sizeof rule, "%s to %s when %s %s %.17g", from, to, quantity, side, number);
    if (c->rules && strlen(c->rules) + strlen(rule) > TAC_CA_LONGEST_RULES)
        return tac_ca_complain(ca, ca->statement, "%s has too many rules", c->name);
    return append(ca, &c->rules, "; ", rule);
}

bool tac_ca_read_conditional(TacCa *ca) {
    TacCaConditionalLink link = {.place = ca->statement};
    if (!tac_ca_want_balls(ca, &link.ends[0]) || !tac_ca_want_balls(ca, &link.ends[1]) ||
        !tac_ca_want_known(ca, TAC_CA_CONDITIONS, &link.condition))
        return false;
    if (tac_ca_skip(&ca->scan, false) && *ca->scan.at == '[') {
        if (!tac_ca_want_tuple(ca, "the distance within which balls are linked, [m]", "[]", &link.reach, 1))
            return false;
        if (!(link.reach > 0 && link.reach <= LARGEST))
            return tac_ca_complain(ca, ca->statement,
                                   "the distance within which balls are linked is above 0");
        if (link.ends[0].one || link.ends[1].one)
            return tac_ca_complain(ca, ca->statement, "a distance is for whole groups");
    }
    const TacCaGroup *a = &ca->groups[link.ends[0].group], *b = &ca->groups[link.ends[1].group];
    if (!tac_ca_moves(a) && !tac_ca_moves(b))
        return tac_ca_complain(ca, ca->statement, "neither %s nor %s can move", a->name, b->name);
    if ((a->kind == TAC_CA_SKIN || b->kind == TAC_CA_SKIN) && !(link.reach > 0))
        return tac_ca_complain(ca, ca->statement,
                               "the points of a skin are linked where they are near: [reach]");
    bool same = a == b;
    if (same && (link.ends[0].one != link.ends[1].one ||
                 (link.ends[0].one && link.ends[0].ball == link.ends[1].ball)))
        return tac_ca_complain(ca, ca->statement, "a ball cannot be linked with itself");
    if (!tac_grow(&ca->conditional, &ca->conditional_capacity, ca->conditional_count + 1, sizeof link))
        return tac_ca_no_memory(ca);
    ca->conditional[ca->conditional_count++] = link;
    return true;
}
