// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Trigger and ContactProbe as components; what they do while time runs is in beats.c. See trigger.h.

#include "world/trigger.h"
#include "base/memory.h"
#include "constraint/joint.h"

// --- watches ----------------------------------------------------------------------------------------------

static TacStatus watch_init(TacWatch *watch, TacSetup *setup, TacError *error) {
    watch->state = tac_setup_alloc(setup, 1, sizeof *watch->state);
    if (!watch->state) return tac_fail_memory(error, sizeof *watch->state);
    return tac_setup_state(setup, watch->state, sizeof *watch->state, error);
}

enum { FORCE, IMPULSE, CONTACTS };

static double contact_value(void *data, const TacContext *context) {
    (void)context;
    const TacContactProbe *self = data;
    const TacWatchState *s = self->watch.state;
    return self->what == FORCE ? s->force : self->what == IMPULSE ? s->total : (double)(s->begins - s->ends);
}

static TacStatus contact_init(void *data, TacSetup *setup, TacError *error) {
    return watch_init(&((TacContactProbe *)data)->watch, setup, error);
}

static const TacProbeOps contact_ops = {contact_value};

static const TacAttribute contact_attributes[] = {
    {"model", TAC_LINK, offsetof(TacContactProbe, watch.model), "", NULL, "A collision model.",
     "collision model", TAC_ANY, 0},
    {"other", TAC_LINK, offsetof(TacContactProbe, watch.other), "", "",
     "What it touches; by default anything.", "collision model", TAC_ANY, 0},
    {"what", TAC_CHOICE, offsetof(TacContactProbe, what), "N, N s, 1", "force",
     "The mean normal force over the last beat, the impulse since the start, or how many contacts there are.",
     "force|impulse|contacts", TAC_ANY, 0},
};

const TacClass tac_contact_probe_class = {
    .name = "ContactProbe",
    .kind = TAC_KIND_PROBE,
    .doc = "Watches the contact of one collision model with another, or with everything. Recorded as the "
           "channel "
           "\"probe/NAME\".",
    .size = sizeof(TacContactProbe),
    .attributes = contact_attributes,
    .attribute_count = TAC_COUNT(contact_attributes),
    .init = contact_init,
    .ops.probe = &contact_ops,
};

// --- triggers ---------------------------------------------------------------------------------------------

static TacStatus need(const void *target, const char *attribute, const char *why, TacSetup *setup,
                      TacError *error) {
    if (target) return TAC_OK;
    return tac_setup_fail(setup, error, NULL, "%s needs the attribute %s", why, attribute);
}

static TacStatus check_when(const TacTrigger *self, TacSetup *setup, TacError *error) {
    switch (self->when) {
    case TAC_WHEN_ABOVE:
    case TAC_WHEN_BELOW: return need(self->probe, "probe", "when=\"above\" or \"below\"", setup, error);
    case TAC_WHEN_CONTACT:
    case TAC_WHEN_PARTED:
        return need(self->watch.model, "model", "when=\"contact\" or \"parted\"", setup, error);
    case TAC_WHEN_LINKS:
        TAC_TRY(need(self->links, "links", "when=\"links\"", setup, error));
        if (self->links->base.cls == &tac_conditional_links_class) return TAC_OK;
        return tac_setup_fail(setup, error, "links", "%s is of class %s; ConditionalLinks were expected",
                              self->links->base.path, self->links->base.cls->name);
    case TAC_WHEN_SLEEP:
    case TAC_WHEN_WAKE: return need(self->agent, "agent", "when=\"sleep\" or \"wake\"", setup, error);
    default: return TAC_OK;
    }
}

static TacStatus init_release(const TacTrigger *self, TacSetup *setup, TacError *error) {
    const TacClass *cls = self->what->cls;
    if (cls->kind != TAC_KIND_CONSTRAINT || !cls->ops.constraint->release)
        return tac_setup_fail(setup, error, "what", "%s (%s) cannot be released; FixedPoints can",
                              self->what->path, cls->name);
    TacConstraint *constraint = (TacConstraint *)self->what;
    TAC_TRY(tac_setup_state(setup, &constraint->released, sizeof constraint->released, error));
    return tac_setup_state(setup, constraint->matter->held, constraint->matter->count, error);
}

static TacStatus init_set(TacTrigger *self, TacSetup *setup, TacError *error) {
    const TacClass *cls = self->what->cls;
    for (size_t i = 0; i < cls->attribute_count; i++) {
        const TacAttribute *a = &cls->attributes[i];
        if (strcmp(a->name, self->attribute) || !(a->flags & TAC_LIVE) || a->type != TAC_REAL) continue;
        if ((a->range == TAC_POSITIVE && !(self->to > 0)) ||
            (a->range == TAC_NOT_NEGATIVE && !(self->to >= 0)) ||
            (a->range == TAC_FRACTION && !(self->to >= 0 && self->to <= 1)) || !isfinite(self->to))
            return tac_setup_fail(setup, error, "to", "%g is no value for %s of %s", self->to, a->name,
                                  self->what->path);
        self->target = (double *)(void *)((char *)self->what + a->offset);
        return tac_setup_state(setup, self->target, sizeof *self->target, error);
    }
    return tac_setup_fail(setup, error, "attribute",
                          "%s (%s) has no number \"%.40s\" that may change while time runs", self->what->path,
                          cls->name, self->attribute);
}

static TacStatus init_then(TacTrigger *self, TacSetup *setup, TacError *error) {
    if (self->then == TAC_THEN_STOP || self->then == TAC_THEN_SNAPSHOT) return TAC_OK;
    TAC_TRY(need(self->what, "what", "then=\"open\", \"close\", \"release\" or \"set\"", setup, error));
    if (self->then == TAC_THEN_RELEASE) return init_release(self, setup, error);
    if (self->then == TAC_THEN_SET) return init_set(self, setup, error);
    if (self->what->cls->kind == TAC_KIND_JOINT && self->what->cls != &tac_cable_class) return TAC_OK;
    return tac_setup_fail(setup, error, "what", "%s (%s) is no joint that can open and close",
                          self->what->path, self->what->cls->name);
}

static TacStatus trigger_init(void *data, TacSetup *setup, TacError *error) {
    TacTrigger *self = data;
    TAC_TRY(check_when(self, setup, error));
    TAC_TRY(init_then(self, setup, error));
    if (self->after && self->after->base.cls != &tac_trigger_class)
        return tac_setup_fail(setup, error, "after", "%s is of class %s; a Trigger was expected",
                              self->after->base.path, self->after->base.cls->name);
    TAC_TRY(watch_init(&self->watch, setup, error));
    self->state = tac_setup_alloc(setup, 1, sizeof *self->state);
    if (!self->state) return tac_fail_memory(error, sizeof *self->state);
    *self->state = (TacTriggerState){.due = -1, .last = -1};
    return tac_setup_state(setup, self->state, sizeof *self->state, error);
}

static const TacAttribute trigger_attributes[] = {
    {"when", TAC_CHOICE, offsetof(TacTrigger, when), "", NULL,
     "What is waited for: a time; a probe that goes above or below a value; models that begin to touch, or "
     "part; links that "
     "enter a state; an agent that falls asleep, or wakes.",
     "time|above|below|contact|parted|links|sleep|wake", TAC_ANY, 0},
    {"then", TAC_CHOICE, offsetof(TacTrigger, then), "", NULL,
     "What is done: the run stops; a joint opens or closes; FixedPoints let go; a number is set; a snapshot "
     "is "
     "taken.",
     "stop|open|close|release|set|snapshot", TAC_ANY, 0},
    {"value", TAC_REAL, offsetof(TacTrigger, value), "s, or as the probe", "0",
     "The time (s; since `after` fired, where that is given), or the probe's limit.", NULL, TAC_ANY, 0},
    {"probe", TAC_LINK, offsetof(TacTrigger, probe), "", "", "The probe that is watched.", "probe", TAC_ANY,
     0},
    {"model", TAC_LINK, offsetof(TacTrigger, watch.model), "", "", "The collision model that is watched.",
     "collision model", TAC_ANY, 0},
    {"other", TAC_LINK, offsetof(TacTrigger, watch.other), "", "",
     "What that touches; by default anything. Parting from anything means from everything.",
     "collision model", TAC_ANY, 0},
    {"links", TAC_LINK, offsetof(TacTrigger, links), "", "", "The ConditionalLinks that are watched.", "law",
     TAC_ANY, 0},
    {"state", TAC_INT, offsetof(TacTrigger, state_number), "1", "1",
     "Which of the links' states, from 0 as they are listed.", NULL, TAC_NOT_NEGATIVE, 0},
    {"agent", TAC_LINK, offsetof(TacTrigger, agent), "", "", "The solver of the agent that is watched.",
     "solver", TAC_ANY, 0},
    {"after", TAC_LINK, offsetof(TacTrigger, after), "", "",
     "A trigger that has to have fired before this one is looked at.", "setting", TAC_ANY, 0},
    {"delay", TAC_REAL, offsetof(TacTrigger, delay), "s", "0", "How long it waits before it acts.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"times", TAC_INT, offsetof(TacTrigger, times), "1", "1", "How often it fires at most; 0: always.", NULL,
     TAC_NOT_NEGATIVE, 0},
    {"what", TAC_LINK, offsetof(TacTrigger, what), "", "",
     "The joint, the FixedPoints or the component that changes.", "component", TAC_ANY, 0},
    {"attribute", TAC_TEXT, offsetof(TacTrigger, attribute), "", "",
     "The number that is set, one that may change while time runs.", NULL, TAC_ANY, 0},
    {"to", TAC_REAL, offsetof(TacTrigger, to), "as the attribute", "0", "What it is set to.", NULL, TAC_ANY,
     0},
};

const TacClass tac_trigger_class = {
    .name = "Trigger",
    .kind = TAC_KIND_SETTING,
    .doc = "When this, then that: looked at on every beat, in the order of the scene. Joints that open and "
           "close "
           "link and part things under one Spook; a joint that closes holds things as they are then.",
    .size = sizeof(TacTrigger),
    .attributes = trigger_attributes,
    .attribute_count = TAC_COUNT(trigger_attributes),
    .init = trigger_init,
};
