// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Which laws without a solver may kick in parts, and the tickers that deliver these (world/batch_parts.h). When safe contact is
// there: its layers must tick more often.

#include "scene/compile.h"
#include "world/batch_parts.h"
#include "world/momentum.h"

// A matter with the laws on it alone and what holds it, as if somebody owned it.
static TacStatus make_whole(TacCompile *c, TacMatter *m, TacTicker *whole, TacError *error) {
    TacWorld *world = c->world;
    TacProgram *p = &whole->program;
    p->matters = tac_arena_array(&world->arena, 1, sizeof *p->matters);
    p->masses = tac_arena_array(&world->arena, 1, sizeof *p->masses);
    p->laws = tac_arena_array(&world->arena, world->all.law_count + 1, sizeof *p->laws);
    p->constraints = tac_arena_array(&world->arena, c->count + 1, sizeof *p->constraints);
    if (!p->matters || !p->masses || !p->laws || !p->constraints) return tac_fail_memory(error, 0);
    p->matters[p->matter_count++] = m;
    p->masses[p->mass_count++] = c->mass_of[tac_compile_matter_index(c, m)];
    for (size_t i = 0; i < world->all.law_count; i++)
        if (world->all.laws[i]->matter[0] == m) p->laws[p->law_count++] = world->all.laws[i];
    for (size_t i = 0; i < c->count; i++) {
        TacConstraint *held = (TacConstraint *)c->instances[i].component;
        if (held->base.cls->kind == TAC_KIND_CONSTRAINT && held->matter == m)
            p->constraints[p->constraint_count++] = held;
    }
    return tac_momentum_survey(whole, error);
}

// A law with one clock that acts on points of one matter, and on nothing else.
static bool acts_alone(const TacTicker *t, const TacMatter *m) {
    const TacProgram *p = &t->program;
    return t->is_law && !t->batch && !t->is_part && !tac_ticker_is_free(t) && p->law_count == 1 &&
           p->matter_count == 1 && p->matters[0] == m && p->mass_count == 1 && !p->other_count &&
           !p->laws[0]->matter[1] && p->laws[0]->base.cls->ops.law->energy;
}

// Its law and all of its points.
static TacStatus make_batch(TacCompile *c, const TacTicker *t, TacBatch **batch, TacError *error) {
    TacArena *arena = &c->world->arena;
    TacMatter *m = t->program.matters[0];
    TacBatch *b = *batch = tac_arena_alloc(arena, sizeof *b);
    if (!b) return tac_fail_memory(error, sizeof *b);
    double *weights;
    *b = (TacBatch){.matter = m, .law = t->program.laws[0], .count = m->count, .parts = 1};
    b->points = tac_arena_array(arena, m->count, sizeof *b->points);
    b->weights = tac_arena_array(arena, 3 * m->count, sizeof *b->weights);
    if (!b->points || !b->weights) return tac_fail_memory(error, m->count * 28);
    TAC_TRY(tac_compile_weights(c, tac_compile_matter_index(c, m), &weights, error));
    for (size_t i = 0; i < m->count; i++) b->points[i] = (uint32_t)i;
    memcpy(b->weights, weights, 3 * m->count * sizeof *weights);
    free(weights);
    return TAC_OK;
}

// Whether forces depend on velocities. Those of laws that do not tell may.
static bool is_damped(const TacLaw *law) {
    const TacLawOps *ops = law->base.cls->ops.law;
    if (!ops->part) return true;
    for (size_t i = 0; i < ops->part_count(law) && !ops->remembers; i++) {
        TacPart part;
        ops->part(law, i, &part);
        if (part.damping > 0) return true;
    }
    return false;
}

static TacStatus make_shares(TacCompile *c, TacTicker *t, int halvings, TacError *error) {
    TacWorld *world = c->world;
    TacBatch *b = t->batch;
    TacBatchParts *p = tac_arena_alloc(&world->arena, sizeof *p);
    if (!p) return tac_fail_memory(error, sizeof *p);
    if (!b) TAC_TRY(make_batch(c, t, &b, error));
    size_t bytes = 3 * b->count * sizeof *p->part;
    p->of = b;
    p->part = tac_arena_alloc(&world->arena, bytes);
    p->share = tac_arena_alloc(&world->arena, sizeof *p->share);
    if (!p->part || !p->share) return tac_fail_memory(error, bytes);
    p->owed = 0.5 * (ldexp(1, halvings) - 1);
    p->damped = is_damped(b->law);
    t->shares = p;
    TAC_TRY(tac_compile_declare_state(world, p->part, bytes, error));
    TAC_TRY(tac_compile_declare_state(world, p->share, sizeof *p->share, error));
    return tac_compile_declare_state(world, &t->in_parts, sizeof t->in_parts, error);
}

// What a ticker of parts kicks: the points of all laws in parts.
static TacStatus join_points(TacWorld *world, const TacMatterParts *of, TacBatch *all, TacError *error) {
    uint8_t *marks = calloc(all->matter->count + 1, 1);
    if (!marks) return tac_fail_memory(error, all->matter->count);
    for (size_t i = 0; i < of->count; i++) {
        const TacBatch *b = world->tickers[of->laws[i]].shares->of;
        for (size_t k = 0; k < b->count; k++) {
            all->count += !marks[b->points[k]];
            marks[b->points[k]] = 1;
        }
    }
    all->points = tac_arena_array(&world->arena, all->count, sizeof *all->points);
    for (size_t p = 0, n = 0; all->points && p < all->matter->count; p++)
        if (marks[p]) all->points[n++] = (uint32_t)p;
    free(marks);
    return all->points ? TAC_OK : tac_fail_memory(error, all->count * sizeof *all->points);
}

// Of the laws on a matter, those that tick less often than layers.
static TacStatus deliver_parts(TacCompile *c, TacMatter *m, int layers, TacError *error) {
    TacWorld *world = c->world;
    uint32_t index = (uint32_t)world->ticker_count;
    TacMatterParts *of = tac_arena_alloc(&world->arena, sizeof *of);
    TacBatch *all = tac_arena_alloc(&world->arena, sizeof *all);
    uint32_t *laws = tac_arena_array(&world->arena, index, sizeof *laws);
    if (!of || !all || !laws) return tac_fail_memory(error, sizeof *of);
    of->laws = laws;
    all->matter = m;
    TAC_TRY(make_whole(c, m, &of->whole, error));
    for (uint32_t i = 0; i < index; i++) {
        TacTicker *t = &world->tickers[i];
        bool batch = t->batch && !t->is_part && t->batch->matter == m;
        if ((!batch && !acts_alone(t, m)) || t->ruler_class <= layers) continue;
        TAC_TRY(make_shares(c, t, t->ruler_class - layers, error));
        t->parts = index;
        laws[of->count++] = i;
    }
    TAC_TRY(join_points(world, of, all, error));
    TacTicker *part = &world->tickers[world->ticker_count++]; // there is room for as many again
    *part = (TacTicker){.name = m->base.path,
                        .what = "parts of kicks",
                        .is_law = true,
                        .is_part = true,
                        .whole = laws[0],
                        .batch = all,
                        .deliveries = of,
                        .ruler_class = layers,
                        .step = ldexp(world->base.tick, layers)};
    part->program.matters = of->whole.program.matters;
    part->program.matter_count = 1;
    return TAC_OK;
}

// The longest class of a batch of a matter; -1: it has none.
static int longest_class(const TacWorld *world, const TacMatter *m) {
    int longest = -1;
    for (size_t i = 0; i < world->ticker_count; i++) {
        const TacTicker *t = &world->tickers[i];
        if (t->batch && !t->is_part && t->batch->matter == m && t->ruler_class > longest)
            longest = t->ruler_class;
    }
    return longest;
}

TacStatus tac_compile_batch_parts(TacCompile *c, TacError *error) {
    TacWorld *world = c->world;
    for (size_t k = 0; k < world->matter_count; k++) {
        TacMatter *m = world->matters[k];
        uint32_t first = m->times ? world->first_support[m->base.index] : UINT32_MAX;
        if (first == UINT32_MAX) continue; // it carries no skin
        int longest = longest_class(world, m), layers = tac_safe_layer_class(world->safe, first, m->count);
        if (layers >= longest) continue;
        if (!world->pushed) world->pushed = tac_arena_array(&world->arena, world->matter_count, 1);
        if (!world->pushed) return tac_fail_memory(error, world->matter_count);
        int least = longest - TAC_MOST_PARTS;
        TAC_TRY(deliver_parts(c, m, layers > least ? layers : least, error));
    }
    return TAC_OK;
}
