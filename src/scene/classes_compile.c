// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Every part of a law on its own clock (design: "Time", periods; document on safe contact, asynchronous
// variational integrators).
//
// In a world with safe contact, a law that is made of parts (springs, elements, hinges) and that no solver owns
// becomes one ticker for each class of the ruler that its parts ask for. A part's period is at most
//
//     min(0.2 / omega, 2.5 / Omega)      omega^2 = k max(1/m)      Omega^2 = max over its points of sum k/m
//
// where k is the largest eigenvalue of its stiffness, m are the masses of its points, and the sum runs over all
// parts of all laws on a point: without the second term, classes that differ much resonate. For a spring
// between equal masses omega is its own frequency. Laws on points that can collide are some classes finer, since
// kicks of contact come in between. Damping c needs a period of at most 0.25 / (sum c/m), and of 2.5 / Omega, so
// that it does not lag behind the vibration that it damps. A period that the scene gives is kept, up to a beat.
//
// The original law stays in the program of everything, where energy is measured. Where all of its parts are in one class
// it ticks there itself: nothing is kept twice.

#include "base/memory.h"
#include "contact/models.h"
#include "scene/compile.h"

static const double OWN = 0.2, TOGETHER = 2.5, DAMPED = 0.25;

// What is known of one matter.
typedef struct Field {
    double *weights; // 1/kg, three per point; NULL: no part acts on it
    double *squares; // 1/s^2, sum of k/m
    double *rates;   // 1/s, sum of c/m
    uint8_t *collides;
    const TacBatch *whole; // one of all its points; NULL: none yet
} Field;

// A law to be divided.
typedef struct Division {
    uint32_t ticker;
    TacPart *parts;
    size_t count;
    int8_t *classes; // per part; -1: it moves nothing
    uint64_t used;   // bit e: class e has parts
} Division;

typedef struct Plan {
    TacCompile *c;
    Field *fields; // by matter
    Division *laws;
    size_t count;
    int finer; // classes, on points that can collide
} Plan;

static void free_plan(Plan *plan) {
    for (size_t i = 0; plan->fields && i < plan->c->world->matter_count; i++) {
        free(plan->fields[i].weights);
        free(plan->fields[i].squares);
        free(plan->fields[i].rates);
        free(plan->fields[i].collides);
    }
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->laws[i].parts);
        free(plan->laws[i].classes);
    }
    free(plan->fields);
    free(plan->laws);
}

// --- which laws -------------------------------------------------------------------------------------------

static bool divides(const TacTicker *t) {
    const TacProgram *p = &t->program;
    if (!t->is_law || p->law_count != 1 || p->matter_count != 1 || p->mass_count != 1 || p->other_count)
        return false;
    const TacLawOps *ops = p->laws[0]->base.cls->ops.law;
    return p->matters[0]->kind == TAC_VEC3 && p->masses[0]->base.cls != &tac_matrix_mass_class &&
           ops->part_count && ops->part && ops->subset && ops->part_count(p->laws[0]) > 0 &&
           ops->part_count(p->laws[0]) < UINT32_MAX;
}

TacStatus tac_compile_weights(const TacCompile *c, size_t index, double **weights, TacError *error) {
    const TacMatter *m = c->world->matters[index];
    TAC_TRY(tac_compile_inverse_masses(c, index, weights, error));
    for (size_t i = 0; i < m->count; i++) {
        unsigned held = m->held ? m->held[i] : 0;
        for (size_t k = 0; k < 3; k++)
            if (held & TAC_HELD_WHOLLY || held & (unsigned)TAC_HELD_X << k) (*weights)[3 * i + k] = 0;
    }
    return TAC_OK;
}

static TacStatus take_field(Plan *plan, size_t index, TacError *error) {
    Field *f = &plan->fields[index];
    const TacMatter *m = plan->c->world->matters[index];
    if (f->weights) return TAC_OK;
    TAC_TRY(tac_compile_weights(plan->c, index, &f->weights, error));
    f->squares = calloc(m->count + 1, sizeof *f->squares);
    f->rates = calloc(m->count + 1, sizeof *f->rates);
    f->collides = calloc(m->count + 1, sizeof *f->collides);
    if (!f->squares || !f->rates || !f->collides) return tac_fail_memory(error, m->count * 17);
    return TAC_OK;
}

static double weight_of(const Field *f, size_t point) {
    const double *w = f->weights + 3 * point;
    return fmax(w[0], fmax(w[1], w[2]));
}

static Field *field_of(const Plan *plan, const Division *d) {
    const TacTicker *t = &plan->c->world->tickers[d->ticker];
    return &plan->fields[tac_compile_matter_index(plan->c, t->program.matters[0])];
}

// The parts of a law, and what they add to the points they kick.
static TacStatus take_parts(Plan *plan, uint32_t ticker, TacError *error) {
    const TacLaw *law = plan->c->world->tickers[ticker].program.laws[0];
    const TacLawOps *ops = law->base.cls->ops.law;
    Division *d = &plan->laws[plan->count++];
    *d = (Division){.ticker = ticker, .count = ops->part_count(law)};
    d->parts = calloc(d->count, sizeof *d->parts);
    d->classes = calloc(d->count, sizeof *d->classes);
    if (!d->parts || !d->classes) return tac_fail_memory(error, d->count * sizeof *d->parts);
    TAC_TRY(take_field(plan, tac_compile_matter_index(plan->c, law->matter[0]), error));
    Field *f = field_of(plan, d);
    for (size_t i = 0; i < d->count; i++) {
        ops->part(law, i, &d->parts[i]);
        for (size_t k = 0; k < d->parts[i].count; k++) {
            size_t p = d->parts[i].points[k];
            f->squares[p] += d->parts[i].stiffness * weight_of(f, p);
            f->rates[p] += d->parts[i].damping * weight_of(f, p);
        }
    }
    return TAC_OK;
}

// --- which class ------------------------------------------------------------------------------------------

// The longest period of a part, s; 0: it moves nothing.
static double longest_period(const Plan *plan, const Field *f, const TacPart *part) {
    double weight = 0, square = 0, rate = 0, beat = plan->c->world->base.beat;
    bool collides = false;
    for (size_t k = 0; k < part->count; k++) {
        size_t p = part->points[k];
        weight = fmax(weight, weight_of(f, p));
        square = fmax(square, f->squares[p]);
        rate = fmax(rate, f->rates[p]);
        collides = collides || f->collides[p];
    }
    if (!(weight > 0)) return 0;
    double period = square > 0 ? fmin(beat, TOGETHER / sqrt(square)) : beat;
    if (part->stiffness > 0) {
        period = fmin(period, OWN / sqrt(part->stiffness * weight));
        if (collides) period = ldexp(period, -plan->finer);
    }
    return part->damping > 0 ? fmin(period, DAMPED / rate) : period;
}

static TacStatus find_classes(Plan *plan, Division *d, TacError *error) {
    const TacWorld *world = plan->c->world;
    const TacLaw *law = world->tickers[d->ticker].program.laws[0];
    const Field *f = field_of(plan, d);
    for (size_t i = 0; i < d->count; i++) {
        double period = longest_period(plan, f, &d->parts[i]);
        if (period > 0 && law->period > 0) period = law->period;
        int e = period > 0 ? tac_ruler_class(world->base, period) : -1;
        if (e > world->base.bits) e = world->base.bits;
        if (period > 0 && e < 0)
            return tac_compile_fail(
                plan->c, &law->base, error,
                "its part %zu is so stiff for the masses at its ends that it would have to "
                "tick every %g s; the shortest period here is %g s",
                i, period, world->base.tick);
        d->classes[i] = (int8_t)e;
        if (e >= 0) d->used |= (uint64_t)1 << e;
    }
    if (law->period > 0 && d->used)
        tac_compile_remark_step(plan->c, &law->base, &world->tickers[d->ticker].program,
                                ldexp(world->base.tick, __builtin_ctzll(d->used)));
    return TAC_OK;
}

// --- tickers ----------------------------------------------------------------------------------------------

static TacStatus take_points(const Plan *plan, const Division *d, int e, TacBatch *batch, TacError *error) {
    Field *f = field_of(plan, d);
    TacArena *arena = &plan->c->world->arena;
    uint8_t *marks = calloc(batch->matter->count + 1, 1);
    if (!marks) return tac_fail_memory(error, batch->matter->count);
    for (size_t i = 0; i < d->count; i++)
        for (size_t k = 0; d->classes[i] == e && k < d->parts[i].count; k++) {
            size_t p = d->parts[i].points[k];
            batch->count += !marks[p];
            marks[p] = 1;
        }
    bool all = batch->count == batch->matter->count;
    if (all && f->whole) {
        batch->points = f->whole->points;
        batch->weights = f->whole->weights;
        free(marks);
        return TAC_OK;
    }
    if (all) f->whole = batch;
    batch->points = tac_arena_array(arena, batch->count, sizeof *batch->points);
    batch->weights = tac_arena_array(arena, 3 * batch->count, sizeof *batch->weights);
    size_t n = 0;
    for (size_t p = 0; batch->points && batch->weights && p < batch->matter->count; p++) {
        if (!marks[p]) continue;
        batch->points[n] = (uint32_t)p;
        memcpy(batch->weights + 3 * n++, f->weights + 3 * p, 3 * sizeof(double));
    }
    free(marks);
    return n == batch->count ? TAC_OK : tac_fail_memory(error, batch->count * 28);
}

static TacStatus make_law(const Plan *plan, const Division *d, int e, TacBatch *batch, TacError *error) {
    TacWorld *world = plan->c->world;
    TacLaw *law = world->tickers[d->ticker].program.laws[0];
    TacSetup setup = {plan->c, law->base.index};
    for (size_t i = 0; i < d->count; i++) batch->parts += d->classes[i] == e;
    batch->law = law;
    if (batch->parts == d->count && !law->base.cls->ops.law->remembers) return TAC_OK;
    batch->law = tac_arena_alloc(&world->arena, law->base.cls->size);
    uint32_t *parts = malloc((batch->parts + 1) * sizeof *parts);
    if (!batch->law || !parts) {
        free(parts);
        return tac_fail_memory(error, batch->parts * sizeof *parts);
    }
    memcpy((void *)batch->law, law, law->base.cls->size);
    size_t n = 0;
    for (size_t i = 0; i < d->count; i++)
        if (d->classes[i] == e) parts[n++] = (uint32_t)i;
    TacStatus status =
        law->base.cls->ops.law->subset(law, &setup, parts, batch->parts, (void *)batch->law, error);
    free(parts);
    return status;
}

static TacStatus make_ticker(const Plan *plan, const Division *d, int e, TacTicker *ticker, TacError *error) {
    TacWorld *world = plan->c->world;
    const TacTicker *whole = &world->tickers[d->ticker];
    TacBatch *batch = tac_arena_alloc(&world->arena, sizeof *batch);
    TacLaw **laws = tac_arena_array(&world->arena, 1, sizeof *laws);
    if (!batch || !laws) return tac_fail_memory(error, sizeof *batch);
    batch->matter = whole->program.matters[0];
    TAC_TRY(take_points(plan, d, e, batch, error));
    TAC_TRY(make_law(plan, d, e, batch, error));
    laws[0] = batch->law;
    int halvings = world->base.bits - e; // no class of a batch is longer than a beat
    const char *name =
        tac_arena_format(&world->arena, halvings ? "%s 1/%.0f" : "%s", whole->name, ldexp(1, halvings));
    if (!name) return tac_fail_memory(error, 0);
    *ticker = (TacTicker){.name = name,
                          .what = whole->what,
                          .is_law = true,
                          .batch = batch,
                          .ruler_class = e,
                          .step = ldexp(world->base.tick, e)};
    ticker->program.matters = whole->program.matters;
    ticker->program.matter_count = 1;
    ticker->program.laws = laws;
    ticker->program.law_count = 1;
    return tac_compile_own_times(plan->c, batch->matter, error);
}

// The divided laws' tickers give way to those of their classes; all others stay in their order.
static TacStatus replace_tickers(Plan *plan, TacError *error) {
    TacWorld *world = plan->c->world;
    size_t more = 0, n = 0, next = 0;
    for (size_t i = 0; i < plan->count; i++) more += (size_t)__builtin_popcountll(plan->laws[i].used);
    size_t most = world->ticker_count - plan->count + more;
    // with room for as many again, which deliver agents' kicks in parts
    TacTicker *tickers = tac_arena_array(&world->arena, 2 * most, sizeof *tickers);
    uint32_t *due = tac_arena_array(&world->arena, 4 * most, sizeof *due);
    if (!tickers || !due) return tac_fail_memory(error, most * sizeof *tickers);
    for (uint32_t t = 0; t < world->ticker_count; t++) {
        if (next == plan->count || plan->laws[next].ticker != t) {
            tickers[n++] = world->tickers[t];
            continue;
        }
        const Division *d = &plan->laws[next++];
        for (uint64_t used = d->used; used; used &= used - 1)
            TAC_TRY(make_ticker(plan, d, __builtin_ctzll(used), &tickers[n++], error));
    }
    world->tickers = tickers;
    world->ticker_count = n;
    world->due = due;
    return TAC_OK;
}

static TacStatus divide_all(Plan *plan, TacError *error) {
    TacWorld *world = plan->c->world;
    for (uint32_t t = 0; t < world->ticker_count; t++)
        if (divides(&world->tickers[t])) TAC_TRY(take_parts(plan, t, error));
    if (!plan->count) return TAC_OK;
    uint8_t **marks = calloc(world->matter_count + 1, sizeof *marks);
    if (!marks) return tac_fail_memory(error, 0);
    for (size_t i = 0; i < world->matter_count; i++) marks[i] = plan->fields[i].collides;
    TacStatus status = tac_compile_mark_colliding(plan->c, marks, error);
    free(marks);
    for (size_t i = 0; status == TAC_OK && i < plan->count; i++)
        status = find_classes(plan, &plan->laws[i], error);
    return status == TAC_OK ? replace_tickers(plan, error) : status;
}

TacStatus tac_compile_classes(TacCompile *c, TacError *error) {
    if (!c->safe) return TAC_OK;
    const TacContactSetting *setting = c->world->materials.setting;
    Plan plan = {.c = c, .finer = setting ? (int)setting->finer : 2};
    plan.fields = calloc(c->world->matter_count + 1, sizeof *plan.fields);
    plan.laws = calloc(c->world->ticker_count + 1, sizeof *plan.laws);
    TacStatus status = plan.fields && plan.laws ? divide_all(&plan, error) : tac_fail_memory(error, 0);
    free_plan(&plan);
    return status;
}
