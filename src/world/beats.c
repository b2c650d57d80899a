// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What a world looks at on its beats: watches, links, triggers (trigger.h), and the list of what happened
// (tactus/contact.h).

#include "constraint/joint.h"
#include "world/account.h"
#include "world/loose.h"
#include "world/merge.h"
#include "world/rest.h"
#include "world/world.h"

static TacComponentId id_of(const TacWorld *world, const TacComponent *c) {
    return (TacComponentId){world->component_ids[2 * (size_t)c->index],
                            world->component_ids[2 * (size_t)c->index + 1]};
}

// --- contacts ---------------------------------------------------------------------------------------------

static bool concerns(const TacWatch *watch, const TacCollision *a, const TacCollision *b) {
    if (!watch->model) return false;
    if (watch->model == a) return !watch->other || watch->other == b;
    return watch->model == b && (!watch->other || watch->other == a);
}

void tac_world_take_touch_events(TacWorld *world) {
    TacTouch *touch = &world->touch->touch;
    TacBeats *beats = &world->beats;
    for (; touch->event_count > 0; touch->event_count--) {
        const TacContactEvent *e = &touch->events[touch->event_first];
        touch->event_first = (touch->event_first + 1) % touch->event_capacity;
        const TacCollision *a = touch->models[e->model_a].model, *b = touch->models[e->model_b].model;
        for (size_t i = 0; i < beats->watch_count; i++) {
            if (!concerns(beats->watches[i], a, b)) continue;
            TacWatchState *s = beats->watches[i]->state;
            s->begins += e->kind == TAC_CONTACT_BEGINS;
            s->ends += e->kind == TAC_CONTACT_ENDS;
            s->ended += e->impulse;
        }
        tac_events_push(&beats->events, e);
    }
    beats->events.lost += touch->events_lost;
    touch->events_lost = 0;
}

// Impulses of contacts that go on, as one touch knows them.
static double going_on(const TacTouch *touch, const TacWatch *watch) {
    double sum = 0;
    for (size_t i = 0; i < touch->now.count; i++) {
        const TacPatch *p = &touch->now.patches[i];
        if (!p->touching || !tac_touch_tells_of(touch, p)) continue;
        const TacTouchModel *a = &touch->models[touch->objects[p->key.a].model];
        const TacTouchModel *b = &touch->models[touch->objects[p->key.b].model];
        if (concerns(watch, a->model, b->model)) sum += p->impulse;
    }
    return sum;
}

static double touch_impulse(const TacWorld *world, const TacWatch *watch) {
    double sum = watch->state->ended;
    if (!world->loose) return sum + going_on(&world->touch->touch, watch);
    for (size_t i = 0; i < world->loose->count; i++)
        if (world->loose->bodies[i].model_count) sum += going_on(&world->loose->bodies[i].view, watch);
    return sum;
}

static double meetings_impulse(const TacBeats *beats, const TacWatch *watch) {
    double sum = 0;
    watch->state->begins = watch->state->ends = 0;
    for (size_t i = 0; i < beats->meetings.size && beats->meetings.table; i++) {
        const TacSkinMeeting *m = &beats->meetings.table[i];
        if (!m->first_plus_1 || m->first_plus_1 > beats->skin_count || m->second >= beats->skin_count ||
            !concerns(watch, beats->skins[m->first_plus_1 - 1], beats->skins[m->second]))
            continue;
        watch->state->begins += m->begins;
        watch->state->ends += m->ends;
        sum += m->total;
    }
    return sum;
}

static void look_at_contacts(TacWorld *world) {
    TacBeats *beats = &world->beats;
    tac_world_keep_meetings(world);
    tac_meetings_look(&beats->meetings, world->now);
    for (size_t i = 0; i < beats->watch_count; i++) {
        TacWatch *watch = beats->watches[i];
        if (!watch->model) continue;
        double total = world->touch  ? touch_impulse(world, watch)
                       : world->safe ? meetings_impulse(beats, watch)
                                     : 0;
        watch->state->force = (total - watch->state->total) / world->base.beat;
        watch->state->total = total;
    }
}

// --- links and agents -------------------------------------------------------------------------------------

static void look_at_links(TacWorld *world) {
    TacBeats *beats = &world->beats;
    for (size_t i = 0; i < beats->link_count; i++) {
        const TacLinksWatch *links = &beats->links[i];
        for (size_t s = 0; s < links->counts->count; s++) {
            double now = links->counts->data[s], before = links->before[s];
            links->before[s] = now;
            if (!(now > before)) continue;
            TacContactEvent event = {.kind = TAC_LINKS_CHANGE,
                                     .time = tac_world_time(world),
                                     .element_a = (uint32_t)s,
                                     .element_b = (uint32_t)fmin(now - before, UINT32_MAX),
                                     .who = id_of(world, &links->law->base)};
            tac_events_push(&beats->events, &event);
        }
    }
}

void tac_world_tell(TacWorld *world, TacContactEventKind kind, const TacComponent *who) {
    TacContactEvent event = {.kind = kind, .time = tac_world_time(world), .who = id_of(world, who)};
    tac_events_push(&world->beats.events, &event);
}

void tac_world_tell_agent(TacWorld *world, uint32_t ticker, TacContactEventKind kind) {
    TacContactEvent event = {.kind = kind,
                             .time = tac_seconds(world->base, world->loose->bodies[ticker].time),
                             .who = id_of(world, &world->tickers[ticker].solver->base)};
    tac_events_push(&world->beats.events, &event);
}

static double links_in_state(const TacBeats *beats, const TacTrigger *t) {
    for (size_t i = 0; i < beats->link_count; i++)
        if (beats->links[i].law == t->links && (size_t)t->state_number < beats->links[i].counts->count)
            return beats->links[i].counts->data[t->state_number];
    return 0;
}

// --- triggers ---------------------------------------------------------------------------------------------

static bool sleeps(const TacWorld *world, const TacTrigger *t) {
    const TacRest *rest = world->tickers[t->ticker].rest;
    if (!world->loose) return rest && rest->state->asleep;
    return world->loose->scheduler.agents[t->ticker].state == TAC_LOOSE_RESTING;
}

// A count has risen since it was last looked at.
static bool has_risen(TacTriggerState *s, uint64_t count) {
    bool risen = count > s->count;
    s->count = count;
    return risen;
}

// A condition has become true.
static bool has_become(TacTriggerState *s, bool is) {
    bool was = s->was;
    s->was = is;
    return is && !was;
}

static bool happens(TacWorld *world, const TacTrigger *t) {
    TacTriggerState *s = t->state;
    const TacWatchState *w = t->watch.state;
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    TacTick wanted = tac_ticks_round(world->base, t->value);
    switch (t->when) {
    case TAC_WHEN_TIME: return has_become(s, world->now - (t->after ? t->after->state->last : 0) >= wanted);
    case TAC_WHEN_ABOVE: return has_become(s, t->probe->cls->ops.probe->value(t->probe, &context) > t->value);
    case TAC_WHEN_BELOW: return has_become(s, t->probe->cls->ops.probe->value(t->probe, &context) < t->value);
    case TAC_WHEN_CONTACT: return has_risen(s, w->begins);
    case TAC_WHEN_PARTED: return has_risen(s, w->ends) && w->begins == w->ends;
    case TAC_WHEN_LINKS: return has_risen(s, (uint64_t)links_in_state(&world->beats, t));
    case TAC_WHEN_SLEEP: return has_become(s, sleeps(world, t));
    default: return has_become(s, !sleeps(world, t));
    }
}

static TacSafeSpan supports_of(const TacWorld *world, const TacMatter *m) {
    uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
    return (TacSafeSpan){first, first == UINT32_MAX ? 0 : (uint32_t)m->count};
}

// A joint between skins has closed, or is about to open.
static TacStatus tie_skins(TacWorld *world, const TacComponent *c, bool tie, TacError *error) {
    TacMatter *tied[8];
    size_t n = world->safe ? tac_joint_matters(c, tied, TAC_COUNT(tied)) : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            TacSafeSpan a = supports_of(world, tied[i]), b = supports_of(world, tied[k]);
            if (tied[i] == tied[k] || !a.count || !b.count) continue;
            TAC_TRY(tac_safe_tie(world->safe, a, b, tie, world->now, error));
            TAC_TRY(tac_safe_moved(world->safe, a.first, a.count, world->now, error));
            TAC_TRY(tac_safe_moved(world->safe, b.first, b.count, world->now, error));
        }
    return TAC_OK;
}

static TacStatus open_joint(TacWorld *world, TacComponent *c, TacError *error) {
    if (((TacJoint *)c)->open) return TAC_OK;
    ((TacJoint *)c)->open = true;
    // who solved for it may never do so again
    const TacContext context = {tac_world_time(world), world->base.beat, world->team};
    if (tac_joint_ops(c)->take) tac_joint_ops(c)->take(c, &context, world->beats.no_forces);
    return tie_skins(world, c, false, error);
}

static TacStatus close_joint(TacWorld *world, TacComponent *c, TacError *error) {
    TacJoint *joint = (TacJoint *)c;
    TacMatter *tied[8];
    if (!joint->open) return TAC_OK;
    TAC_TRY(tac_world_rouse_by(world, c, error)); // who rests has stayed behind in time
    TAC_TRY(tac_world_gather(world, c, error));
    joint->open = false;
    size_t n = tac_joint_matters(c, tied, TAC_COUNT(tied));
    for (size_t i = 0; i < n; i++) tac_world_arrive(world, tied[i]);
    if (tac_joint_ops(c)->close) tac_joint_ops(c)->close(c);
    return tie_skins(world, c, true, error);
}

static TacStatus act(TacWorld *world, size_t index, TacError *error) {
    TacTrigger *t = world->beats.triggers[index];
    TacBeats *beats = &world->beats;
    t->state->fired++;
    t->state->last = world->now;
    TacContactEvent event = {
        .kind = TAC_TRIGGER_FIRES, .time = tac_world_time(world), .who = id_of(world, &t->base)};
    tac_events_push(&beats->events, &event);
    switch (t->then) {
    case TAC_THEN_STOP: beats->halted = index + 1; return TAC_OK;
    case TAC_THEN_OPEN: TAC_TRY(open_joint(world, t->what, error)); break;
    case TAC_THEN_CLOSE: TAC_TRY(close_joint(world, t->what, error)); break;
    case TAC_THEN_RELEASE:
        tac_world_arrive(world, ((TacConstraint *)t->what)->matter);
        tac_account_close(world); // from here on it falls
        t->what->cls->ops.constraint->release(t->what);
        tac_account_open(world);
        break;
    case TAC_THEN_SET: {
        TacJump before = tac_account_before_jump(world);
        *t->target = t->to;
        tac_account_after_jump(world, TAC_BOOK_OUTSIDE, &before);
        break;
    }
    default: return TAC_OK; // snapshots are taken when all triggers have been looked at
    }
    world->shown = -1;
    return tac_world_rouse_by(world, t->what, error);
}

static TacStatus look_at_trigger(TacWorld *world, size_t index, TacError *error) {
    const TacTrigger *t = world->beats.triggers[index];
    TacTriggerState *s = t->state;
    if (t->after && t->after->state->fired == 0) return TAC_OK;
    bool open = t->times == 0 || s->fired < t->times;
    if (open && happens(world, t) && s->due < 0) {
        TacTick wait = tac_ticks_round(world->base, t->delay);
        s->due = wait < TAC_TICK_NEVER - world->now ? world->now + wait : TAC_TICK_NEVER;
    }
    if (s->due < 0 || s->due > world->now) return TAC_OK;
    s->due = -1;
    TAC_TRY(act(world, index, error));
    tac_world_show(world);
    return TAC_OK;
}

TacStatus tac_world_look_at_beat(TacWorld *world, TacError *error) {
    TacBeats *beats = &world->beats;
    beats->next = world->now + ((TacTick)1 << world->base.bits);
    look_at_contacts(world);
    look_at_links(world);
    if (beats->trigger_count) tac_world_show(world);
    for (size_t i = 0; i < beats->trigger_count; i++) TAC_TRY(look_at_trigger(world, i, error));
    TAC_TRY(tac_world_merge(world, error));
    for (size_t i = 0; i < beats->trigger_count; i++) {
        const TacTrigger *t = beats->triggers[i];
        if (t->then == TAC_THEN_SNAPSHOT && t->state->last == world->now && beats->take)
            beats->take(beats->take_data, t->base.path);
    }
    return TAC_OK;
}

// --- asking -----------------------------------------------------------------------------------------------

size_t tac_world_events(TacWorld *world, TacContactEvent *events, size_t most, uint64_t *lost) {
    TacEvents *list = &world->beats.events;
    tac_world_keep_meetings(world);
    tac_meetings_look(&world->beats.meetings, world->now);
    if (lost) *lost = list->lost;
    size_t n = 0;
    while (n < most && tac_events_take(list, &events[n])) n++;
    return n;
}

TacComponentId tac_world_collision_model(const TacWorld *world, uint32_t model) {
    if (world->safe && model < world->beats.skin_count) return id_of(world, &world->beats.skins[model]->base);
    if (!world->touch || model >= world->touch->model_count) return (TacComponentId){0, 0};
    return id_of(world, &world->touch->models[model].model->base);
}

const char *tac_world_stopped_by(const TacWorld *world) {
    uint64_t halted = world->beats.halted;
    return halted && halted <= world->beats.trigger_count ? world->beats.triggers[halted - 1]->base.path
                                                          : NULL;
}

void tac_world_go_on(TacWorld *world) {
    world->beats.halted = 0;
}

void tac_world_on_snapshot(TacWorld *world, void (*take)(void *data, const char *trigger), void *data) {
    world->beats.take = take;
    world->beats.take_data = data;
}
