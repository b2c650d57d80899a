// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What everybody puts in and takes out. See account.h.

#include "world/account.h"
#include "world/batch_parts.h"
#include "world/loose.h"

static size_t matter_at(const TacWorld *world, const TacMatter *matter) {
    return tac_matter_place(world->matters, world->matter_count, matter);
}

static const TacMass *mass_of(const TacWorld *world, const TacMatter *m) {
    return world->hands.mass[matter_at(world, m)];
}

// Vectors that are looked at instead of velocities, made in TAC_A.
typedef enum Sight { NOW, BEFORE, AFTER, KICK, THEN } Sight;

static void make_sight(const TacWorld *world, const TacMatter *m, Sight sight, bool has_before) {
    double *const *all = m->vectors;
    const double *v = sight == THEN ? all[TAC_V_NEXT] : all[TAC_V], *dv = all[TAC_DV];
    const double *b = has_before ? world->accounts->before[matter_at(world, m)] : NULL;
    double *a = all[TAC_A];
    size_t n = tac_vector_size(m, TAC_V);
    for (size_t i = 0; i < n; i++) {
        double early = b ? b[i] : 0;
        a[i] = sight == KICK ? dv[i] - early : v[i] + (sight == BEFORE ? early : sight == AFTER ? dv[i] : 0);
    }
}

// Kinetic energy with the velocities of a sight; momentum of them, where it is wanted.
static double look(const TacWorld *world, const TacProgram *p, Sight sight, bool has_before,
                   TacEntry *entry) {
    double sum = 0;
    TacContext context = {tac_seconds(world->base, world->now), world->base.beat, NULL};
    TacVector x = sight == THEN ? TAC_X_NEXT : TAC_X;
    for (size_t i = 0; i < p->matter_count; i++) make_sight(world, p->matters[i], sight, has_before);
    for (size_t i = 0; i < p->map_count && sight != THEN; i++) {
        TacMap *map = p->maps[i];
        double *const *from = map->parent->vectors, *const *to = map->child->vectors;
        map->base.cls->ops.map->velocity(map, &context, from[TAC_X], to[TAC_X], from[TAC_A], to[TAC_A]);
    }
    for (size_t i = 0; i < p->matter_count + p->other_count; i++) {
        const TacMatter *m = i < p->matter_count ? p->matters[i] : p->others[i - p->matter_count];
        TacMass *mass = (TacMass *)mass_of(world, m);
        if (!mass || m->idle || (i >= p->matter_count && (!m->mapped || sight == THEN))) continue;
        const TacMassOps *ops = mass->base.cls->ops.mass;
        if (entry)
            ops->momentum(mass, m->vectors[x], m->vectors[TAC_A], &entry->linear, &entry->angular);
        else
            sum += ops->kinetic(mass, m->vectors[x], m->vectors[TAC_A]);
    }
    return sum;
}

static TacEntry entry_of(const TacWorld *world, const TacProgram *p, bool has_before) {
    TacEntry e = {0};
    look(world, p, KICK, has_before, &e);
    e.work = look(world, p, AFTER, has_before, NULL) - look(world, p, BEFORE, has_before, NULL);
    return e;
}

static TacEntry all_of(const TacWorld *world, const TacProgram *p, Sight sight) {
    TacEntry e = {0};
    look(world, p, sight, false, &e);
    e.work = look(world, p, sight, false, NULL);
    return e;
}

TacEntry tac_account_look(const TacWorld *world, const TacProgram *p) {
    return world->accounts ? all_of(world, p, NOW) : (TacEntry){0};
}

static void add(TacEntry *to, const TacEntry *e) {
    to->work += e->work;
    to->linear = tac_add(to->linear, e->linear);
    to->angular = tac_add(to->angular, e->angular);
}

static TacEntry difference(const TacEntry *a, const TacEntry *b) {
    return (TacEntry){a->work - b->work, tac_sub(a->linear, b->linear), tac_sub(a->angular, b->angular)};
}

void tac_account_book(TacWorld *world, size_t book, const TacProgram *p, const TacEntry *before) {
    if (!world->accounts) return;
    TacEntry now = all_of(world, p, NOW), gained = difference(&now, before);
    add(&world->accounts->booked[book], &gained);
}

// --- kicks --------------------------------------------------------------------------------------------------

// A ticker of parts has no masses: it kicks for another one.
static const TacProgram *program_of(const TacWorld *world, const TacTicker *t) {
    return t->is_part ? &world->tickers[t->whole].program : &t->program;
}

static void keep_before(const TacWorld *world, const TacProgram *p) {
    for (size_t i = 0; i < p->matter_count; i++) {
        const TacMatter *m = p->matters[i];
        memcpy(world->accounts->before[matter_at(world, m)], m->vectors[TAC_DV],
               tac_vector_size(m, TAC_DV) * sizeof(double));
    }
}

void tac_account_begin(TacWorld *world, const TacTicker *t) {
    if (!world->accounts) return;
    if (!t->batch) {
        keep_before(world, program_of(world, t));
        return;
    }
    double *before = world->accounts->before[matter_at(world, t->batch->matter)];
    const double *dv = t->batch->matter->vectors[TAC_DV];
    for (size_t i = 0; i < t->batch->count; i++)
        memcpy(before + 3 * (size_t)t->batch->points[i], dv + 3 * (size_t)t->batch->points[i],
               3 * sizeof *dv);
}

// Points alone, so that what ticks often costs no more than what ticks often.
static TacEntry entry_of_batch(const TacWorld *world, const TacBatch *batch) {
    TacEntry e = {0};
    const double *before = world->accounts->before[matter_at(world, batch->matter)];
    double *const *all = batch->matter->vectors;
    for (size_t i = 0; i < batch->count; i++) {
        size_t p = 3 * (size_t)batch->points[i];
        double impulse[3] = {0, 0, 0};
        for (size_t k = 0; k < 3; k++) {
            double w = batch->weights[3 * i + k], b = before[p + k], dv = all[TAC_DV][p + k] - b;
            if (!(w > 0)) continue;
            impulse[k] = dv / w;
            e.work += impulse[k] * (all[TAC_V][p + k] + b + 0.5 * dv);
        }
        e.linear = tac_add(e.linear, tac_load3(impulse));
        e.angular = tac_add(e.angular, tac_cross(tac_load3(all[TAC_X] + p), tac_load3(impulse)));
    }
    return e;
}

// Solvers that move matter themselves: what it will have gained when it arrives.
static TacEntry entry_of_move(const TacWorld *world, const TacProgram *p) {
    TacEntry then = all_of(world, p, THEN), now = all_of(world, p, NOW);
    return difference(&then, &now);
}

static TacEntry entry_of_kick(const TacWorld *world, const TacTicker *t) {
    if (t->batch) return entry_of_batch(world, t->batch);
    if (t->solver && tac_solver_moves(t->solver)) return entry_of_move(world, &t->program);
    return entry_of(world, program_of(world, t), true);
}

void tac_account_note(TacWorld *world, const TacTicker *t) {
    if (world->accounts) world->accounts->pending[t - world->tickers] = entry_of_kick(world, t);
}

void tac_account_note_for(TacWorld *world, const TacTicker *t, const TacTicker *whose) {
    if (!world->accounts) return;
    TacEntry e = entry_of_kick(world, t);
    add(&world->accounts->pending[whose - world->tickers], &e);
}

void tac_account_note_more(TacWorld *world, const TacTicker *t) {
    tac_account_note_for(world, t, t);
}

void tac_account_begin_hands(TacWorld *world) {
    if (world->accounts) keep_before(world, &world->hands.free);
}

void tac_account_forget_hands(TacWorld *world) {
    if (world->accounts) world->accounts->pending[world->ticker_count + TAC_BOOK_HANDS] = (TacEntry){0};
}

void tac_account_note_hands(TacWorld *world) {
    if (!world->accounts) return;
    world->accounts->pending[world->ticker_count + TAC_BOOK_HANDS] =
        entry_of(world, &world->hands.free, true);
}

// --- layers -------------------------------------------------------------------------------------------------

void tac_account_begin_layers(TacWorld *world) {
    TacAccounts *a = world->accounts;
    if (!a || !world->safe) return;
    a->has_before = world->due_count > 0 || world->hands_kicked;
    for (size_t i = 0; a->has_before && i < world->matter_count; i++) {
        const TacMatter *m = world->matters[i];
        if (m->times) memcpy(a->before[i], m->vectors[TAC_DV], tac_vector_size(m, TAC_DV) * sizeof(double));
    }
}

void tac_account_note_layers(TacWorld *world) {
    TacAccounts *a = world->accounts;
    if (!a || !world->safe) return;
    TacEntry e = {0};
    size_t count;
    const uint32_t *touched = tac_safe_touched(world->safe, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t point;
        const TacMatter *m = tac_safe_support_matter(world->safe, touched[i], &point);
        const double *before =
            a->has_before ? a->before[matter_at(world, m)] + (size_t)m->velocity_size * point : NULL;
        e.work += tac_safe_work(world->safe, touched[i], before, &e.linear, &e.angular);
    }
    a->pending[world->ticker_count + TAC_BOOK_LAYERS] = e;
}

// --- booking ------------------------------------------------------------------------------------------------

static void commit_entry(TacAccounts *a, size_t i) {
    add(&a->booked[i], &a->pending[i]);
    a->pending[i] = (TacEntry){0};
}

void tac_account_commit_one(TacWorld *world, uint32_t ticker) {
    if (world->accounts) commit_entry(world->accounts, ticker);
}

void tac_account_commit(TacWorld *world) {
    if (!world->accounts) return;
    for (size_t i = 0; i < world->due_count; i++) {
        const TacMatterParts *of = world->tickers[world->due[i]].deliveries;
        commit_entry(world->accounts, world->due[i]);
        for (size_t k = 0; of && k < of->count; k++) commit_entry(world->accounts, of->laws[k]);
    }
    for (size_t i = 0; i < TAC_BOOKS; i++) commit_entry(world->accounts, world->ticker_count + i);
}

static double law_energy(const TacWorld *world, TacLaw *law) {
    TacContext context = {tac_world_time(world), world->base.beat, world->team};
    if (!law->base.cls->ops.law->energy || law->matter[0]->idle || (law->matter[1] && law->matter[1]->idle))
        return 0;
    TacLawVectors vectors = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    for (int k = 0; k < 2 && law->matter[k]; k++) {
        vectors.x[k] = law->matter[k]->vectors[TAC_X_SHOWN];
        vectors.v[k] = law->matter[k]->vectors[TAC_V_SHOWN];
    }
    return law->base.cls->ops.law->energy(law, &context, &vectors);
}

// Potential energy of what somebody owns now.
static double held_by(TacWorld *world, size_t i) {
    if (i == world->ticker_count + TAC_BOOK_LAYERS) {
        double sum = world->safe ? tac_safe_energy(world->safe, world->now) : 0;
        return sum + (world->limits ? tac_limits_energy(world->limits, world->now) : 0);
    }
    const TacTicker *t = i < world->ticker_count ? &world->tickers[i] : NULL;
    if (!t || t->idle || t->is_part || t->is_script) return 0;
    if (t->batch) return law_energy(world, t->batch->law);
    double sum = 0;
    for (size_t k = 0; k < t->program.law_count; k++) sum += law_energy(world, t->program.laws[k]);
    for (size_t k = 0; k < t->program.mass_count && t->program.adds_weight; k++) {
        TacMass *mass = t->program.masses[k];
        if (!tac_matter_falls(mass->matter) && !mass->matter->idle)
            sum += mass->base.cls->ops.mass->height(mass, mass->matter->vectors[TAC_X_SHOWN]);
    }
    return sum;
}

// Under the loose scheduler everybody is seen at its own time.
static double seen_at(const TacWorld *world, const TacMatter *m) {
    return tac_seconds(world->base, m->time > world->now ? m->time : world->now);
}

// What weight gave to all that falls by itself since the last closing.
static void close_falls(TacWorld *world) {
    TacAccounts *accounts = world->accounts;
    for (size_t i = 0; i < world->matter_count; i++) {
        const TacMatter *m = world->matters[i];
        TacMass *mass = world->hands.mass[i];
        double time = seen_at(world, m), since = accounts->since[i];
        accounts->since[i] = time;
        if (!mass || m->mapped || m->idle || !tac_matter_falls(m)) continue;
        double *a = m->vectors[TAC_A];
        size_t d = (size_t)m->velocity_size;
        for (size_t k = 0; k < m->count; k++) {
            TacVec3 fall = tac_scale(tac_matter_fall(m, k), time - since);
            const double gained[6] = {fall.x, fall.y, fall.z};
            memcpy(a + d * k, gained, d * sizeof *a);
        }
        TacVec3 unused = {0, 0, 0};
        mass->base.cls->ops.mass->momentum(mass, m->vectors[TAC_X], a, &accounts->fallen, &unused);
    }
}

void tac_account_close(TacWorld *world) {
    TacAccounts *a = world->accounts;
    if (!a) return;
    tac_world_show(world);
    close_falls(world);
    for (size_t i = 0; i < world->ticker_count + TAC_BOOKS; i++)
        a->stored[i] += held_by(world, i) - a->reference[i];
}

void tac_account_open(TacWorld *world) {
    TacAccounts *a = world->accounts;
    if (!a) return;
    world->shown = -1;
    tac_world_show(world);
    for (size_t i = 0; i < world->ticker_count + TAC_BOOKS; i++) a->reference[i] = held_by(world, i);
}

// --- asking -------------------------------------------------------------------------------------------------

// All energy between instants.
static double plain_energy(TacWorld *world) {
    tac_world_show(world);
    double sum = held_by(world, world->ticker_count + TAC_BOOK_LAYERS);
    for (size_t i = 0; i < world->all.mass_count; i++) {
        TacMass *mass = world->all.masses[i];
        double *const *all = mass->matter->vectors;
        if (mass->matter->idle) continue;
        sum += mass->base.cls->ops.mass->kinetic(mass, all[TAC_X_SHOWN], all[TAC_V_SHOWN]);
        sum += mass->base.cls->ops.mass->height(mass, all[TAC_X_SHOWN]);
    }
    for (size_t i = 0; i < world->all.law_count; i++) sum += law_energy(world, world->all.laws[i]);
    return sum;
}

// All momentum between instants.
static TacEntry plain_momentum(TacWorld *world) {
    TacEntry e = {0};
    tac_world_show(world);
    for (size_t i = 0; i < world->all.mass_count; i++) {
        TacMass *mass = world->all.masses[i];
        double *const *all = mass->matter->vectors;
        if (mass->matter->idle) continue;
        mass->base.cls->ops.mass->momentum(mass, all[TAC_X_SHOWN], all[TAC_V_SHOWN], &e.linear, &e.angular);
    }
    return e;
}

static TacJump all_there_is(TacWorld *world) {
    TacJump jump = {.there = plain_momentum(world)};
    jump.there.work = plain_energy(world);
    if (world->prepared && world->safe) jump.waiting = entry_of(world, &world->all, false);
    return jump;
}

TacJump tac_account_before_jump(TacWorld *world) {
    if (!world->accounts) return (TacJump){0};
    tac_account_close(world);
    return all_there_is(world);
}

void tac_account_after_jump(TacWorld *world, int book, const TacJump *before) {
    if (!world->accounts) return;
    size_t i = world->ticker_count + (size_t)book;
    tac_account_open(world);
    TacJump now = all_there_is(world);
    TacEntry gained = difference(&now.there, &before->there),
             later = difference(&now.waiting, &before->waiting);
    add(&world->accounts->booked[i], &gained);
    add(&world->accounts->pending[i], &later);
}

TacStatus tac_world_keep_accounts(TacWorld *world, TacError *error) {
    TacArena *arena = &world->arena;
    TacAccounts *a = world->accounts;
    size_t n = world->ticker_count + TAC_BOOKS;
    if (!a) {
        a = tac_arena_alloc(arena, sizeof *a);
        if (!a) return tac_fail_memory(error, sizeof *a);
        a->booked = tac_arena_array(arena, n, sizeof *a->booked);
        a->pending = tac_arena_array(arena, n, sizeof *a->pending);
        a->stored = tac_arena_array(arena, n, sizeof *a->stored);
        a->reference = tac_arena_array(arena, n, sizeof *a->reference);
        a->before = tac_arena_array(arena, world->matter_count, sizeof *a->before);
        a->since = tac_arena_array(arena, world->matter_count, sizeof *a->since);
        if (!a->since || !a->booked || !a->pending || !a->stored || !a->reference || !a->before)
            return tac_fail_memory(error, 0);
        for (size_t i = 0; i < world->matter_count; i++) {
            size_t size = tac_vector_size(world->matters[i], TAC_V);
            a->before[i] = tac_arena_array(arena, size, sizeof(double));
            if (!a->before[i]) return tac_fail_memory(error, size * sizeof(double));
        }
    }
    memset(a->booked, 0, n * sizeof *a->booked);
    memset(a->pending, 0, n * sizeof *a->pending);
    memset(a->stored, 0, n * sizeof *a->stored);
    for (size_t i = 0; i < world->matter_count; i++) a->since[i] = seen_at(world, world->matters[i]);
    a->fallen = (TacVec3){0, 0, 0};
    a->start = plain_energy(world);
    world->accounts = a;
    a->begun = plain_momentum(world).linear;
    // kicks that were computed already are nobody's
    if (world->prepared)
        a->pending[world->ticker_count + TAC_BOOK_OUTSIDE] = entry_of(world, &world->all, false);
    tac_account_open(world);
    return TAC_OK;
}

static const char *const book_names[TAC_BOOKS] = {"layers", "hands", "rest", "outside", "levels"};

TacAccountSum tac_world_accounts(TacWorld *world, TacAccount *rows, size_t most, size_t *count) {
    TacAccounts *a = world->accounts;
    TacAccountSum sum = {0};
    *count = 0;
    if (!a) return sum;
    tac_account_close(world);
    tac_account_open(world);
    sum.start = a->start;
    sum.end = plain_energy(world);
    for (size_t i = 0; i < world->ticker_count + TAC_BOOKS; i++) {
        const TacTicker *t = i < world->ticker_count ? &world->tickers[i] : NULL;
        if (t && t->is_part) continue; // with the one whose kick it is
        TacEntry e = a->booked[i];
        if (t && t->parts) add(&e, &a->booked[t->parts]);
        TacAccount row = {.name = t ? t->name : book_names[i - world->ticker_count],
                          .what = t ? t->what : "",
                          .work = e.work,
                          .stored = a->stored[i],
                          .put_in = e.work + a->stored[i],
                          .linear = e.linear,
                          .angular = e.angular};
        sum.put_in += row.put_in;
        sum.linear = tac_add(sum.linear, row.linear);
        bool empty = row.work == 0 && row.stored == 0 && tac_dot(row.linear, row.linear) == 0;
        if (!t && empty) continue;
        if (*count < most && rows) rows[*count] = row;
        ++*count;
    }
    sum.unaccounted = sum.end - sum.start - sum.put_in;
    sum.linear = tac_add(sum.linear, a->fallen);
    sum.linear_unaccounted = tac_sub(tac_sub(plain_momentum(world).linear, a->begun), sum.linear);
    return sum;
}
