// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Compiling what a world looks at on its beats: triggers, watches of contact, laws whose links change, and the
// list of events. Last of all, when contact and agents are there.

#include "constraint/joint.h"
#include "scene/compile.h"
#include "world/trigger.h"

enum { EVENTS = 4096 };

// --- lists ------------------------------------------------------------------------------------------------

static TacStatus list_all(TacCompile *c, TacError *error) {
    TacBeats *b = &c->world->beats;
    size_t triggers = 0, probes = 0, links = 0;
    for (size_t i = 0; i < c->count; i++) {
        const TacClass *cls = c->instances[i].component->cls;
        triggers += cls == &tac_trigger_class;
        probes += cls == &tac_contact_probe_class;
        links += cls == &tac_conditional_links_class;
    }
    TacArena *arena = &c->world->arena;
    b->triggers = tac_arena_array(arena, triggers, sizeof *b->triggers);
    b->watches = tac_arena_array(arena, triggers + probes, sizeof *b->watches);
    b->links = tac_arena_array(arena, links, sizeof *b->links);
    if (!b->triggers || !b->watches || !b->links) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < c->count; i++) {
        TacComponent *component = c->instances[i].component;
        if (component->cls == &tac_trigger_class) {
            TacTrigger *trigger = (TacTrigger *)component;
            b->triggers[b->trigger_count++] = trigger;
            b->watches[b->watch_count++] = &trigger->watch;
        }
        if (component->cls == &tac_contact_probe_class)
            b->watches[b->watch_count++] = &((TacContactProbe *)component)->watch;
        if (component->cls == &tac_conditional_links_class)
            b->links[b->link_count++].law = (const TacLaw *)component;
    }
    return TAC_OK;
}

static TacStatus prepare_links(TacCompile *c, TacLinksWatch *links, TacError *error) {
    const TacClass *cls = links->law->base.cls;
    for (size_t i = 0; i < cls->attribute_count; i++)
        if (!strcmp(cls->attributes[i].name, "counts"))
            links->counts =
                (const TacReals *)(const void *)((const char *)links->law + cls->attributes[i].offset);
    size_t n = links->counts->count;
    links->before = tac_arena_array(&c->world->arena, n, sizeof *links->before);
    if (!links->before) return tac_fail_memory(error, n * sizeof *links->before);
    for (size_t i = 0; i < n; i++) links->before[i] = links->counts->data[i];
    return tac_compile_declare_state(c->world, links->before, n * sizeof *links->before, error);
}

// --- what can be asked of a world ---------------------------------------------------------------------------

static TacStatus find_agent(const TacCompile *c, TacTrigger *t, TacError *error) {
    const TacWorld *world = c->world;
    if (!world->loose && !world->safe)
        return tac_compile_fail(
            c, &t->base, error,
            "agents fall asleep under the loose scheduler, or with safe contact: give the "
            "scene scheduler=\"loose\", or Skins");
    for (uint32_t i = 0; i < world->agent_count; i++)
        if (&world->tickers[i].solver->base == t->agent && (world->loose || world->tickers[i].rest)) {
            t->ticker = i;
            return TAC_OK;
        }
    for (uint32_t i = 0; i < world->agent_count; i++)
        if (&world->tickers[i].solver->base == t->agent)
            return tac_compile_fail(c, &t->base, error,
                                    "%s never sleeps: give its node an Agent with adaptive=\"true\" and "
                                    "rest=\"true\"",
                                    t->agent->path);
    return tac_compile_fail(c, &t->base, error, "%s has no matter, so it is no agent", t->agent->path);
}

// A released point takes part with a mass that it did not have: safe contact has none for it.
static TacStatus check_release(const TacCompile *c, const TacTrigger *t, TacError *error) {
    const TacConstraint *constraint = (const TacConstraint *)t->what;
    if (constraint->matter->times)
        return tac_compile_fail(c, &t->base, error,
                                "%s holds matter with a skin: safe contact cannot let it go. Hold it with a "
                                "joint under a Spook, and open that",
                                constraint->base.path);
    for (size_t i = 0; i < c->count; i++) {
        const TacComponent *other = c->instances[i].component;
        if (other->cls->kind == TAC_KIND_CONSTRAINT && other != t->what &&
            ((const TacConstraint *)other)->matter == constraint->matter)
            return tac_compile_fail(c, &t->base, error,
                                    "%s also holds %s; only what is held by one constraint can be released",
                                    other->path, constraint->matter->base.path);
    }
    return TAC_OK;
}

static TacStatus check_trigger(const TacCompile *c, TacTrigger *t, TacError *error) {
    bool touch = t->when == TAC_WHEN_CONTACT || t->when == TAC_WHEN_PARTED;
    if (touch && !c->world->touch && !c->world->safe)
        return tac_compile_fail(c, &t->base, error, "nothing touches in this world: add a Contact");
    if (t->when == TAC_WHEN_LINKS) {
        const TacLinksWatch *links = c->world->beats.links;
        while (links->law != t->links) links++;
        if ((size_t)t->state_number >= links->counts->count)
            return tac_compile_fail(c, &t->base, error, "%s has %zu states, from 0", t->links->base.path,
                                    links->counts->count);
    }
    if (t->when == TAC_WHEN_SLEEP || t->when == TAC_WHEN_WAKE) TAC_TRY(find_agent(c, t, error));
    if (t->when == TAC_WHEN_WAKE) t->state->was = 1; // everybody starts awake
    return t->then == TAC_THEN_RELEASE ? check_release(c, t, error) : TAC_OK;
}

// --- safe contact -------------------------------------------------------------------------------------------

static TacStatus prepare_meetings(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TacBeats *b = &world->beats;
    size_t skins = 0;
    for (size_t i = 0; i < c->count; i++) skins += c->instances[i].component->cls->kind == TAC_KIND_COLLISION;
    b->skins = tac_arena_array(&world->arena, skins, sizeof *b->skins);
    b->meetings = (TacSkinMeetings){.size = tac_meetings_size(skins),
                                    .tick = world->base.tick,
                                    .events = &b->events,
                                    .untold = &b->events.lost};
    b->meetings.table = tac_arena_array(&world->arena, b->meetings.size, sizeof *b->meetings.table);
    if (!b->skins || !b->meetings.table) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < c->count; i++)
        if (c->instances[i].component->cls->kind == TAC_KIND_COLLISION)
            b->skins[b->skin_count++] = (const TacCollision *)c->instances[i].component;
    tac_safe_tell_meetings(world->safe, &b->meetings);
    return tac_compile_declare_state(world, b->meetings.table, b->meetings.size * sizeof *b->meetings.table,
                                     error);
}

// As many zeros as the largest joint has forces that a trigger may open.
static TacStatus prepare_openings(TacWorld *world, TacError *error) {
    size_t most = 0;
    for (size_t i = 0; i < world->beats.trigger_count; i++) {
        const TacTrigger *t = world->beats.triggers[i];
        const TacJointOps *ops = t->then == TAC_THEN_OPEN ? tac_joint_ops(t->what) : NULL;
        size_t slots = ops ? ops->capacity(t->what).slots : 0;
        most = slots > most ? slots : most;
    }
    world->beats.no_forces = tac_arena_array(&world->arena, most, sizeof(double));
    return world->beats.no_forces ? TAC_OK : tac_fail_memory(error, most * sizeof(double));
}

TacStatus tac_compile_beats(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    TacBeats *b = &world->beats;
    TAC_TRY(list_all(c, error));
    for (size_t i = 0; i < b->link_count; i++) TAC_TRY(prepare_links(c, &b->links[i], error));
    if (world->safe) TAC_TRY(prepare_meetings(c, error));
    for (size_t i = 0; i < b->trigger_count; i++) TAC_TRY(check_trigger(c, b->triggers[i], error));
    TAC_TRY(prepare_openings(world, error));
    b->wanted = b->trigger_count || b->watch_count || b->link_count;
    b->next = (TacTick)1 << world->base.bits;
    if (!b->wanted && !world->safe && !world->touch && !world->loose) return TAC_OK;
    b->events.items = tac_arena_array(&world->arena, EVENTS, sizeof *b->events.items);
    if (!b->events.items) return tac_fail_memory(error, EVENTS * sizeof *b->events.items);
    b->events.capacity = EVENTS;
    if (!b->wanted) return TAC_OK;
    TAC_TRY(tac_compile_declare_state(world, &b->next, sizeof b->next, error));
    return tac_compile_declare_state(world, &b->halted, sizeof b->halted, error);
}
