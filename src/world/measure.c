// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What can be measured of a world: energy, momentum, a hash of its state, counts.

#include "world/loose.h"
#include "world/rest.h"
#include "world/world.h"

#include <stdio.h>

// Velocities in the middle of the instant's kicks, into TAC_A.
static void take_middle_velocities(TacWorld *world) {
    tac_world_prepare_now(world, NULL);
    tac_world_show(world);
    for (size_t i = 0; i < world->all.matter_count; i++) {
        const TacMatter *m = world->all.matters[i];
        const double *v = m->vectors[TAC_V_SHOWN], *dv = m->vectors[TAC_DV];
        double *a = m->vectors[TAC_A];
        size_t n = tac_vector_size(m, TAC_V);
        for (size_t k = 0; k < n; k++) a[k] = v[k] + 0.5 * dv[k];
    }
    // mass may stand on mapped matter, too
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    for (size_t i = 0; i < world->all.map_count; i++) {
        TacMap *map = world->all.maps[i];
        double *const *from = map->parent->vectors, *const *to = map->child->vectors;
        map->base.cls->ops.map->velocity(map, &context, from[TAC_X_SHOWN], to[TAC_X_SHOWN], from[TAC_A],
                                         to[TAC_A]);
    }
}

TacEnergy tac_world_energy(TacWorld *world) {
    take_middle_velocities(world);
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    TacEnergy e = {0};
    for (size_t i = 0; i < world->all.mass_count; i++) {
        TacMass *mass = world->all.masses[i];
        if (mass->matter->idle) continue;
        double *const *all = mass->matter->vectors;
        const TacMassOps *ops = mass->base.cls->ops.mass;
        e.kinetic += ops->kinetic(mass, all[TAC_X_SHOWN], all[TAC_A]);
        e.weight += ops->height(mass, all[TAC_X_SHOWN]);
    }
    for (size_t i = 0; i < world->all.law_count; i++) {
        TacLaw *law = world->all.laws[i];
        if (!law->base.cls->ops.law->energy || law->matter[0]->idle ||
            (law->matter[1] && law->matter[1]->idle))
            continue;
        TacLawVectors vectors = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
        for (int k = 0; k < 2 && law->matter[k]; k++) {
            vectors.x[k] = law->matter[k]->vectors[TAC_X_SHOWN];
            vectors.v[k] = law->matter[k]->vectors[TAC_V_SHOWN];
        }
        e.elastic += law->base.cls->ops.law->energy(law, &context, &vectors);
    }
    if (world->safe) e.contact = tac_safe_energy(world->safe, world->now);
    if (world->limits) e.contact += tac_limits_energy(world->limits, world->now);
    e.total = e.kinetic + e.weight + e.elastic + e.contact;
    return e;
}

TacMomentum tac_world_momentum(TacWorld *world) {
    take_middle_velocities(world);
    TacMomentum p = {{0, 0, 0}, {0, 0, 0}};
    for (size_t i = 0; i < world->all.mass_count; i++) {
        TacMass *mass = world->all.masses[i];
        if (mass->matter->idle) continue;
        double *const *all = mass->matter->vectors;
        mass->base.cls->ops.mass->momentum(mass, all[TAC_X_SHOWN], all[TAC_A], &p.linear, &p.angular);
    }
    return p;
}

const double *tac_world_forces(const TacWorld *world, TacComponentId id) {
    const TacMatter *m = tac_world_get_matter(world, id);
    return m && !m->mapped ? m->vectors[TAC_F] : NULL;
}

// --- hash -------------------------------------------------------------------------------------------------

// Mixes eight bytes at a time by multiplication with an odd constant and folding (as in splitmix64).
static uint64_t mix(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *p = data;
    while (bytes > 0) {
        uint64_t word = 0;
        size_t n = bytes < 8 ? bytes : 8;
        memcpy(&word, p, n);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 29;
        p += n;
        bytes -= n;
    }
    return hash;
}

uint64_t tac_world_hash(TacWorld *world) {
    tac_world_prepare_now(world,
                          NULL); // whoever has looked before has done so, and it writes to laws' memory
    tac_world_show(world);
    uint64_t hash = mix(0x7461637475733031ULL, &world->now, sizeof world->now);
    for (size_t i = 0; i < world->matter_count; i++) {
        const TacMatter *m = world->matters[i];
        hash = mix(hash, m->vectors[TAC_X_SHOWN], tac_vector_size(m, TAC_X) * sizeof(double));
        hash = mix(hash, m->vectors[TAC_V_SHOWN], tac_vector_size(m, TAC_V) * sizeof(double));
    }
    for (size_t i = 0; i < world->block_count; i++)
        hash = mix(hash, world->blocks[i].data, world->blocks[i].bytes);
    const TacTouchState *hands = &world->hands.state;
    for (size_t i = 0; i < TAC_HOLDS; i++)
        if (hands->holds[i].used) hash = mix(hash, &hands->holds[i], sizeof hands->holds[i]);
    if (hands->radius > 0) {
        hash = mix(hash, &hands->center, sizeof hands->center);
        hash = mix(hash, &hands->radius, sizeof hands->radius);
    }
    return hash;
}

// --- counts -----------------------------------------------------------------------------------------------

// What laws would keep for changes of their forces, which nobody asks for.
static size_t unused_bytes(const TacWorld *world) {
    size_t bytes = 0;
    for (size_t i = 0; i < world->kept_count; i++) bytes += *world->kept[i].keeps ? 0 : world->kept[i].bytes;
    return bytes;
}

TacWorldStats tac_world_stats(const TacWorld *world) {
    TacWorldStats s = {.instants = world->instants,
                       .growths = world->growths,
                       .bytes = world->arena.bytes - unused_bytes(world),
                       .agents = world->agent_count,
                       .free_laws = world->ticker_count - world->agent_count,
                       .components = world->component_count};
    for (size_t i = 0; i < world->ticker_count; i++) {
        const TacTicker *t = &world->tickers[i];
        *(t->is_law ? &s.law_kicks : &s.agent_kicks) += t->kicks;
        s.iterations += t->iterations;
    }
    for (size_t i = 0; i < world->matter_count; i++) s.points += world->matters[i]->count;
    return s;
}

TacContactStats tac_world_contact_stats(const TacWorld *world) {
    if (!world->safe) return (TacContactStats){0};
    TacSafeStats s = tac_safe_stats(world->safe);
    return (TacContactStats){
        .looks = s.looks,
        .kicks = s.kicks,
        .plans = s.plans,
        .certificates = s.certificates,
        .refits = s.refits,
        .queries = s.queries,
        .expired = s.expired,
        .pairs = s.pairs,
        .armed = s.armed,
        .shortest = s.deepest < TAC_RULER_CLASSES ? ldexp(world->base.tick, s.deepest) : 0,
        .closest = s.closest,
        .reshapes = s.reshapes,
        .postponed = s.postponed,
        .bytes = s.bytes,
        .kicking = s.kicking,
        .planning = s.planning,
        .checking = s.checking,
        .certifying = s.certificates_processing + s.certificates_rescheduling,
        .boxing = s.lists_processing + s.lists_rescheduling,
        .certificates_processed = s.certificates_processed,
        .certificates_rescheduled = s.certificates_rescheduled,
        .lists_processed = s.lists_processed,
        .lists_rescheduled = s.lists_rescheduled,
        .checks = s.checks,
        .certificates_processing = s.certificates_processing,
        .certificates_rescheduling = s.certificates_rescheduling,
        .lists_processing = s.lists_processing,
        .lists_rescheduling = s.lists_rescheduling,
    };
}

TacStatus tac_world_audit(TacWorld *world, TacError *error) {
    if (!world->safe)
        return tac_fail(error, TAC_BAD_USAGE,
                        "an audit needs safe contact: a Contact with method=\"safe\", and skins");
    TacVec3 gravity =
        isnan(world->settings->gravity.x) ? tac_scale(world->up, -9.81) : world->settings->gravity;
    TAC_TRY(tac_safe_audit_begin(world->safe, gravity, world->now, error));
    for (size_t i = 0; i < world->node_pair_count; i++) world->node_pairs[i].were_count = 0;
    world->audited = true;
    return TAC_OK;
}

TacAuditSummary tac_world_audit_summary(const TacWorld *world) {
    const TacAuditReport *report = world->audited ? tac_safe_audit_report(world->safe) : NULL;
    if (!report) return (TacAuditSummary){0};
    return (TacAuditSummary){true, report->violations, report->listed, report->closest, report->questions};
}

const char *tac_world_audit_violation(const TacWorld *world, size_t i, char *text, size_t size) {
    const TacAuditReport *report = world->audited ? tac_safe_audit_report(world->safe) : NULL;
    if (size) text[0] = 0;
    if (!report || i >= report->listed) return text;
    static const char *const kinds[] = {"vertex", "edge", "face", "piece of the line"};
    const TacAuditViolation *v = &report->first[i];
    snprintf(text, size, "%s %zu of %s and %s %zu of %s %s between %.9g s and %.9g s", kinds[v->first.kind],
             v->first.element, tac_safe_skin_name(world->safe, v->first.skin), kinds[v->second.kind],
             v->second.element, tac_safe_skin_name(world->safe, v->second.skin),
             v->proven ? "meet" : "may meet", v->t0, v->t1);
    return text;
}

TacAgentInfo tac_world_agent(const TacWorld *world, size_t i) {
    if (i >= world->ticker_count) return (TacAgentInfo){0};
    const TacTicker *t = &world->tickers[i];
    TacAgentInfo info = {.name = t->name,
                         .solver = t->what,
                         .is_law = t->is_law,
                         .step = t->step,
                         .on_ruler = !tac_ticker_is_free(t),
                         .kicks = t->kicks,
                         .seconds = t->seconds,
                         .settling = t->settling,
                         .time = tac_world_time(world),
                         .priority = -1};
    if (t->rest) info.resting = t->rest->state->asleep;
    if (world->loose) {
        const TacLooseAgent *a = &world->loose->scheduler.agents[i];
        info.time = tac_seconds(world->base, world->loose->bodies[i].time);
        info.priority = a->priority;
        info.resting = a->state == TAC_LOOSE_RESTING;
    }
    for (size_t k = 0; k < t->program.matter_count && !t->is_law; k++)
        info.points += t->program.matters[k]->count;
    if (t->batch) {
        info.points = t->batch->count;
        info.parts = t->batch->parts;
    }
    return info;
}

TacReals tac_world_reals(const TacWorld *world, TacComponentId id, const char *attribute) {
    const TacComponent *c = tac_world_get(world, id);
    for (size_t i = 0; c && i < c->cls->attribute_count; i++) {
        const TacAttribute *a = &c->cls->attributes[i];
        if (a->type == TAC_REALS && !strcmp(a->name, attribute))
            return *(const TacReals *)((const char *)c + a->offset);
    }
    return (TacReals){NULL, 0};
}
