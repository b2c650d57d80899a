// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Channels of a running world that are for plots and not recorded: contacts and their layers, the resolution and
// qualities of wires, priorities and the delay between agents, and what a beat costs by phase.

#define _GNU_SOURCE
#include "view/channels.h"
#include "base/memory.h"

#include "agent/wire.h"
#include "contact/safe_look.h"
#include "tactus/contact.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

enum { MOST_WIRES = 8, MOST_AGENTS = 16, MOST_OWN = 100 };

// How a channel is read.
typedef enum What {
    RECORDED, // by the world's own frame
    LIVE_PAIRS,
    LIVE_LAYERS,
    TOUCHING,
    DELAY_MEAN,
    DELAY_MOST,
    PRIORITY, // of agent `index`
    WIRE,     // number `number` of component `index`
    PHASE     // `index`: which
} What;

enum { AGENTS, KICKING, PLANNING, CERTIFYING, BOXING, PHASES };

typedef struct Source {
    What what;
    size_t index, number;
} Source;

struct TacChannels {
    TacWorld *world;
    TacChannelDef *defs;
    Source *sources;
    double *values;
    size_t count, capacity;
    double spent[PHASES], cost[PHASES]; // s so far; ms in a beat
    double time;                        // when that was
};

static bool add(TacChannels *c, const char *name, const char *unit, Source source) {
    size_t room = c->capacity;
    if (!tac_grow(&c->defs, &c->capacity, c->count + 1, sizeof *c->defs)) return false;
    if (c->capacity != room) {
        Source *sources = realloc(c->sources, c->capacity * sizeof *sources);
        if (sources) c->sources = sources;
        double *values = realloc(c->values, c->capacity * sizeof *values);
        if (values) c->values = values;
        if (!sources || !values) return false;
    }
    char *copy = strdup(name);
    if (!copy) return false;
    c->defs[c->count] = (TacChannelDef){copy, unit};
    c->values[c->count] = 0;
    c->sources[c->count++] = source;
    return true;
}

static bool add_contacts(TacChannels *c) {
    if (c->world->safe)
        return add(c, "contact/pairs with live layers", "1", (Source){LIVE_PAIRS, 0, 0}) &&
               add(c, "contact/live layers", "1", (Source){LIVE_LAYERS, 0, 0});
    return !c->world->touch || add(c, "contact/points that push", "1", (Source){TOUCHING, 0, 0});
}

static bool add_wires(TacChannels *c) {
    static const struct {
        size_t number;
        const char *name, *unit;
    } shown[] = {{TAC_WIRE_LEVEL, "resolution", "1"},
                 {TAC_WIRE_ACCURACY, "Q accuracy", "1"},
                 {TAC_WIRE_TIME, "Q time", "1"},
                 {TAC_WIRE_ROBUSTNESS, "Q robustness", "1"},
                 {TAC_WIRE_MASSES, "masses", "1"},
                 {TAC_WIRE_CRITICAL, "critical masses", "1"},
                 {TAC_WIRE_TENSION, "largest tension", "N"}};
    size_t wires = 0;
    for (size_t i = 0; i < c->world->component_count && wires < MOST_WIRES; i++) {
        const TacComponent *wire = c->world->components[i];
        if (wire->cls != &tac_wire_class) continue;
        wires++;
        for (size_t k = 0; k < TAC_COUNT(shown); k++) {
            char name[600];
            snprintf(name, sizeof name, "wire%.400s/%s", wire->path, shown[k].name);
            if (!add(c, name, shown[k].unit, (Source){WIRE, i, shown[k].number})) return false;
        }
    }
    return true;
}

static bool add_agents(TacChannels *c) {
    if (!c->world->loose) return true;
    if (!add(c, "delay/mean", "s", (Source){DELAY_MEAN, 0, 0}) ||
        !add(c, "delay/most", "s", (Source){DELAY_MOST, 0, 0}))
        return false;
    for (size_t i = 0; i < c->world->agent_count && i < MOST_AGENTS; i++) {
        char name[600];
        snprintf(name, sizeof name, "priority%.400s", c->world->tickers[i].name);
        if (!add(c, name, "1", (Source){PRIORITY, i, 0})) return false;
    }
    return true;
}

static bool add_phases(TacChannels *c) {
    static const char *const names[PHASES] = {"cost/agents and laws", "cost/kicks of layers", "cost/plans",
                                              "cost/certificates", "cost/boxes"};
    for (size_t k = 0; k < (c->world->safe ? PHASES : 1); k++)
        if (!add(c, names[k], "ms per beat", (Source){PHASE, k, 0})) return false;
    return true;
}

TacStatus tac_channels_create(TacChannels **out, TacWorld *world, size_t most, TacError *error) {
    TacChannels *c = *out = calloc(1, sizeof *c);
    const TacRecordingDef *def = tac_world_recording_def(world, error);
    if (!c || !def) return tac_fail_memory(error, sizeof *c);
    c->world = world;
    size_t recorded = def->channel_count < most - MOST_OWN ? def->channel_count : most - MOST_OWN;
    bool whole = true;
    for (size_t i = 0; whole && i < recorded; i++)
        whole = add(c, def->channels[i].name, def->channels[i].unit, (Source){RECORDED, i, 0});
    whole = whole && add_contacts(c) && add_wires(c) && add_agents(c) && add_phases(c);
    if (whole) return TAC_OK;
    tac_channels_destroy(c);
    *out = NULL;
    return tac_fail_memory(error, 0);
}

void tac_channels_destroy(TacChannels *c) {
    if (!c) return;
    for (size_t i = 0; i < c->count; i++) free((char *)c->defs[i].name);
    free(c->defs);
    free(c->sources);
    free(c->values);
    free(c);
}

const TacChannelDef *tac_channels_defs(const TacChannels *c, size_t *count) {
    *count = c->count;
    return c->defs;
}

// --- values -----------------------------------------------------------------------------------------------

// Milliseconds for each beat since the last time that anybody looked and time had passed.
static void measure_phases(TacChannels *c) {
    double now[PHASES] = {0}, time = tac_world_time(c->world), beats = (time - c->time) / c->world->base.beat;
    for (size_t i = 0; i < c->world->ticker_count; i++) now[AGENTS] += c->world->tickers[i].seconds;
    TacContactStats stats = tac_world_contact_stats(c->world);
    now[KICKING] = stats.kicking;
    now[PLANNING] = stats.planning;
    now[CERTIFYING] = stats.certifying;
    now[BOXING] = stats.boxing;
    for (size_t k = 0; k < PHASES; k++) {
        if (beats > 0) c->cost[k] = 1e3 * fmax(0, now[k] - c->spent[k]) / beats;
        c->spent[k] = now[k];
    }
    c->time = time;
}

static double wire_number(const TacChannels *c, const Source *s) {
    const TacComponent *wire = c->world->components[s->index];
    TacComponentId id = {c->world->component_ids[2 * s->index], c->world->component_ids[2 * s->index + 1]};
    TacReals numbers = tac_world_reals(c->world, id, "resolution");
    return wire && s->number < numbers.count ? numbers.data[s->number] : 0;
}

const double *tac_channels_read(TacChannels *c, const TacFrame *frame) {
    double pairs = 0, layers = 0;
    TacDelay delay = {0, 0, 0};
    if (c->world->safe) tac_safe_look_counts(c->world->safe, c->world->now, &pairs, &layers);
    if (c->world->loose) delay = tac_world_delay(c->world);
    measure_phases(c);
    for (size_t i = 0; i < c->count; i++) {
        const Source *s = &c->sources[i];
        switch (s->what) {
        case RECORDED: c->values[i] = frame->channels[s->index]; break;
        case LIVE_PAIRS: c->values[i] = pairs; break;
        case LIVE_LAYERS: c->values[i] = layers; break;
        case TOUCHING: c->values[i] = (double)tac_world_contact_count(c->world); break;
        case DELAY_MEAN:
            if (delay.turns) c->values[i] = delay.mean;
            break;
        case DELAY_MOST:
            if (delay.turns) c->values[i] = delay.most;
            break;
        case PRIORITY: c->values[i] = tac_world_agent(c->world, s->index).priority; break;
        case WIRE: c->values[i] = wire_number(c, s); break;
        case PHASE: c->values[i] = c->cost[s->index]; break;
        }
    }
    return c->values;
}
