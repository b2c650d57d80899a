// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See link_rules.h.

#include "law/link_rules.h"
#include "base/memory.h"
#include "base/text.h"

static const char *const quantity_names[TAC_LINK_QUANTITIES] = {"distance", "stretch", "speed", "slip",
                                                                "pull",     "push",    "time"};

// --- words ------------------------------------------------------------------------------------------------

typedef struct Words {
    const char *cursor;
    const char *word; // the present one
    size_t length;    // 0: there is none
} Words;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The next word; a semicolon is one by itself.
static bool next_word(Words *w) {
    while (is_blank(*w->cursor)) w->cursor++;
    w->word = w->cursor;
    if (*w->cursor == ';')
        w->cursor++;
    else
        while (*w->cursor && *w->cursor != ';' && !is_blank(*w->cursor)) w->cursor++;
    w->length = (size_t)(w->cursor - w->word);
    return w->length > 0;
}

static bool is_word(const Words *w, const char *word) {
    return w->length == strlen(word) && strncmp(w->word, word, w->length) == 0;
}

static int shown(const Words *w) {
    return w->length < 40 ? (int)w->length : 40;
}

static bool read_number(const char *begin, const char *end, double *value) {
    const char *cursor = begin;
    return tac_read_real(&cursor, end, value) && cursor == end;
}

int tac_link_state_find(const TacLinkRules *rules, const char *name, size_t length) {
    for (size_t i = 0; i < rules->state_count; i++)
        if (strlen(rules->states[i].name) == length && strncmp(rules->states[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

// --- states -----------------------------------------------------------------------------------------------

static TacStatus read_states(TacLinkRules *rules, const char *text, TacError *error) {
    Words w = {.cursor = text};
    while (next_word(&w)) {
        if (rules->state_count == TAC_LINK_STATES)
            return tac_fail(error, TAC_BAD_INPUT, "a link has at most %d states", TAC_LINK_STATES);
        if (w.length >= TAC_LINK_NAME)
            return tac_fail(error, TAC_BAD_INPUT, "the name of a state has at most %d letters: %.*s...",
                            TAC_LINK_NAME - 1, shown(&w), w.word);
        if (is_word(&w, ";"))
            return tac_fail(error, TAC_BAD_INPUT, "states are names with blanks between them");
        if (tac_link_state_find(rules, w.word, w.length) >= 0)
            return tac_fail(error, TAC_BAD_INPUT, "there are two states \"%.*s\"", shown(&w), w.word);
        memcpy(rules->states[rules->state_count++].name, w.word, w.length);
    }
    if (!rules->state_count) return tac_fail(error, TAC_BAD_INPUT, "a link has at least one state");
    return TAC_OK;
}

static bool read_rest(const Words *w, TacLinkState *state) {
    static const char entered[] = "entered";
    const size_t n = sizeof entered - 1;
    const char *end = w->word + w->length;
    if (is_word(w, "start"))
        state->rest = TAC_REST_START;
    else if (is_word(w, "kept"))
        state->rest = TAC_REST_KEPT;
    else if (w->length >= n && strncmp(w->word, entered, n) == 0) {
        state->rest = TAC_REST_ENTERED;
        if (w->length == n) return true;
        return (w->word[n] == '+' || w->word[n] == '-') && read_number(w->word + n, end, &state->length);
    } else {
        state->rest = TAC_REST_LENGTH;
        return read_number(w->word, end, &state->length) && state->length >= 0;
    }
    return true;
}

static TacStatus read_rests(TacLinkRules *rules, const char *text, TacError *error) {
    Words w = {.cursor = text};
    size_t count = 0;
    while (next_word(&w)) {
        if (count == rules->state_count) count++;
        if (count > rules->state_count) break;
        if (!read_rest(&w, &rules->states[count++]))
            return tac_fail(
                error, TAC_BAD_INPUT,
                "\"%.*s\" is no rest length: a number of metres, start, entered, entered-0.01 or kept",
                shown(&w), w.word);
    }
    // one for all
    for (size_t i = 1; i < rules->state_count && count == 1; i++) {
        rules->states[i].rest = rules->states[0].rest;
        rules->states[i].length = rules->states[0].length;
    }
    if (count != 1 && count != rules->state_count)
        return tac_fail(error, TAC_BAD_INPUT, "rest says 1 for all or one for each of the %zu states",
                        rules->state_count);
    return TAC_OK;
}

// --- rules ------------------------------------------------------------------------------------------------

static TacStatus read_state_name(const TacLinkRules *rules, Words *w, int *state, TacError *error) {
    *state = tac_link_state_find(rules, w->word, w->length);
    if (*state >= 0) return TAC_OK;
    char name[TAC_LINK_NAME + 16] = "";
    const char *names[TAC_LINK_STATES];
    snprintf(name, sizeof name, "%.*s", shown(w), w->word);
    for (size_t i = 0; i < rules->state_count; i++) names[i] = rules->states[i].name;
    const char *near = tac_nearest(name, names, rules->state_count);
    return tac_fail(error, TAC_BAD_INPUT, "there is no state \"%s\"%s%s%s", name,
                    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static TacStatus expect(Words *w, const char *word, TacError *error) {
    if (next_word(w) && is_word(w, word)) return TAC_OK;
    return tac_fail(error, TAC_BAD_INPUT,
                    "\"%s\" was expected%s%.*s: STATE to STATE when QUANTITY above NUMBER", word,
                    w->length ? " instead of " : " at the end", shown(w), w->word);
}

static TacStatus read_condition(TacLinkRule *rule, Words *w, TacError *error) {
    if (rule->count == TAC_LINK_CONDITIONS)
        return tac_fail(error, TAC_BAD_INPUT, "a transition has at most %d conditions", TAC_LINK_CONDITIONS);
    next_word(w);
    int quantity = 0;
    while (quantity < TAC_LINK_QUANTITIES && !is_word(w, quantity_names[quantity])) quantity++;
    if (quantity == TAC_LINK_QUANTITIES) {
        char name[48];
        snprintf(name, sizeof name, "%.*s", shown(w), w->word);
        const char *near = tac_nearest(name, quantity_names, TAC_LINK_QUANTITIES);
        return tac_fail(error, TAC_BAD_INPUT,
                        "\"%s\" is no quantity of a link%s%s%s; they are: distance, stretch, speed, "
                        "slip, pull, push, time",
                        name, near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
    }
    next_word(w);
    bool above = is_word(w, "above");
    if (!above && !is_word(w, "below"))
        return tac_fail(error, TAC_BAD_INPUT, "above or below was expected after \"%s\"",
                        quantity_names[quantity]);
    double limit;
    if (!next_word(w) || !read_number(w->word, w->word + w->length, &limit))
        return tac_fail(error, TAC_BAD_INPUT, "a number was expected after \"%s %s\"",
                        quantity_names[quantity], above ? "above" : "below");
    rule->conditions[rule->count].quantity = (TacLinkQuantity)quantity;
    rule->conditions[rule->count].above = above;
    rule->conditions[rule->count++].limit = limit;
    return TAC_OK;
}

// One sentence, whose first word is the present one; ends at its semicolon, or at the end of the text.
static TacStatus read_rule(TacLinkRules *rules, Words *w, TacError *error) {
    if (rules->rule_count == TAC_LINK_RULES)
        return tac_fail(error, TAC_BAD_INPUT, "a link has at most %d transitions", TAC_LINK_RULES);
    TacLinkRule *rule = &rules->rules[rules->rule_count++];
    TAC_TRY(read_state_name(rules, w, &rule->from, error));
    TAC_TRY(expect(w, "to", error));
    next_word(w);
    TAC_TRY(read_state_name(rules, w, &rule->to, error));
    TAC_TRY(expect(w, "when", error));
    do TAC_TRY(read_condition(rule, w, error));
    while (next_word(w) && is_word(w, "and"));
    if (w->length && !is_word(w, ";"))
        return tac_fail(error, TAC_BAD_INPUT, "\"and\" or a semicolon was expected instead of \"%.*s\"",
                        shown(w), w->word);
    return TAC_OK;
}

TacStatus tac_link_rules_read(TacLinkRules *rules, const char *states, const char *rest,
                              const char *transitions, const char **attribute, TacError *error) {
    *rules = (TacLinkRules){0};
    *attribute = "states";
    TAC_TRY(read_states(rules, states, error));
    *attribute = "rest";
    TAC_TRY(read_rests(rules, rest, error));
    *attribute = "transitions";
    Words w = {.cursor = transitions};
    while (next_word(&w))
        if (!is_word(&w, ";")) TAC_TRY(read_rule(rules, &w, error));
    return TAC_OK;
}

int tac_link_next(const TacLinkRules *rules, int state, const double quantities[TAC_LINK_QUANTITIES]) {
    for (size_t r = 0; r < rules->rule_count; r++) {
        const TacLinkRule *rule = &rules->rules[r];
        bool holds = rule->from == state;
        for (int i = 0; i < rule->count && holds; i++) {
            double value = quantities[rule->conditions[i].quantity], limit = rule->conditions[i].limit;
            holds = rule->conditions[i].above ? value > limit : value < limit;
        }
        if (holds) return rule->to;
    }
    return -1;
}
