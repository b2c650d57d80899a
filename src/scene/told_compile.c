// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Remarks on what safe contact cannot keep apart: points that are fixed, and points that move as they are told, that meet on
// their way. Those ways do not depend on anything else, so they are rehearsed before time runs, for as long as the scene
// says that it lasts: constraints that prescribe motion are asked as they will be, in steps of a beat or longer
// (contact/safe_told.c says who meets). Everything is put back where it was.

#include "base/memory.h"
#include "scene/compile.h"

#include <stdio.h>

// Steps at most, and points times steps.
enum { MOST_STEPS = 2000, FEWEST_STEPS = 50, MOST_PLACES = 4000000 };

// Matter that takes part, and what it was.
typedef struct Actor {
    TacMatter *matter; // NULL: it does not
    uint32_t first_support;
    double *x, *v, *dv;
} Actor;

typedef struct Rehearsal {
    const TacCompile *c;
    TacSafeTold *told;
    Actor *actors; // by matter
} Rehearsal;

static void free_actors(Rehearsal *r) {
    for (size_t i = 0; r->actors && i < r->c->world->matter_count; i++) {
        free(r->actors[i].x);
        free(r->actors[i].v);
        free(r->actors[i].dv);
    }
    free(r->actors);
}

static void put_back(const Rehearsal *r) {
    for (size_t i = 0; i < r->c->world->matter_count; i++) {
        const Actor *a = &r->actors[i];
        if (!a->matter) continue;
        memcpy(a->matter->vectors[TAC_X], a->x, tac_vector_size(a->matter, TAC_X) * sizeof(double));
        memcpy(a->matter->vectors[TAC_V], a->v, tac_vector_size(a->matter, TAC_V) * sizeof(double));
    }
}

static TacStatus take_actor(const TacCompile *c, TacMatter *m, Actor *a, TacError *error) {
    size_t nx = tac_vector_size(m, TAC_X), nv = tac_vector_size(m, TAC_V);
    uint32_t first = c->world->first_support[m->base.index];
    if (!m->times || first == TAC_NONE) return TAC_OK; // it carries no skin
    a->x = malloc((nx + 1) * sizeof *a->x);
    a->v = malloc((nv + 1) * sizeof *a->v);
    a->dv = malloc((nv + 1) * sizeof *a->dv);
    if (!a->x || !a->v || !a->dv) return tac_fail_memory(error, (nx + 2 * nv) * sizeof *a->x);
    memcpy(a->x, m->vectors[TAC_X], nx * sizeof *a->x);
    memcpy(a->v, m->vectors[TAC_V], nv * sizeof *a->v);
    a->matter = m;
    a->first_support = first;
    return TAC_OK;
}

static void prescribe(const Rehearsal *r, const TacContext *context) {
    const TacCompile *c = r->c;
    for (size_t i = 0; i < c->count; i++) {
        TacConstraint *told = (TacConstraint *)c->instances[i].component;
        if (told->base.cls->kind != TAC_KIND_CONSTRAINT || !told->base.cls->ops.constraint->prescribe)
            continue;
        const Actor *a = &r->actors[tac_compile_matter_index(c, told->matter)];
        if (!a->matter) continue;
        double *const *all = a->matter->vectors;
        told->base.cls->ops.constraint->prescribe(told, context, all[TAC_X], all[TAC_V], a->dv);
    }
}

static void fly(const TacSafe *safe, const Actor *a, double step) {
    TacMatter *m = a->matter;
    size_t nx = (size_t)m->position_size, nv = (size_t)m->velocity_size;
    for (size_t i = 0; i < m->count; i++) {
        double *x = m->vectors[TAC_X] + nx * i, *v = m->vectors[TAC_V] + nv * i;
        if (!tac_safe_is_told(safe, a->first_support + (uint32_t)i)) continue;
        for (size_t k = 0; k < nv; k++) v[k] += a->dv[nv * i + k];
        tac_matter_fly_one(m, i, step, x, v, x, v);
    }
}

static void rehearse(const Rehearsal *r) {
    const TacWorld *world = r->c->world;
    double duration = world->settings->duration, beats = ceil(duration / world->base.beat);
    double most = (double)MOST_PLACES / (double)(tac_safe_told_count(r->told) + 1);
    double steps = fmax(1, fmin(beats, fmin(MOST_STEPS, fmax(FEWEST_STEPS, floor(most)))));
    TacContext context = {0, duration / steps, world->team};
    for (double k = 1; k <= steps; k++) {
        for (size_t i = 0; i < world->matter_count; i++)
            if (r->actors[i].matter)
                memset(r->actors[i].dv, 0, tac_vector_size(r->actors[i].matter, TAC_V) * sizeof(double));
        prescribe(r, &context);
        for (size_t i = 0; i < world->matter_count; i++)
            if (r->actors[i].matter) fly(world->safe, &r->actors[i], context.step);
        context.time = k * context.step;
        if (!tac_safe_told_step(r->told, context.time)) return;
    }
}

// --- remarks ----------------------------------------------------------------------------------------------

static const TacComponent *model_of(const TacCompile *c, const char *skin) {
    for (size_t i = 0; i < c->count; i++)
        if (c->instances[i].component->path == skin) return c->instances[i].component;
    return &c->world->settings->base;
}

static void remark(const TacCompile *c, const TacSafeTold *told) {
    size_t met = tac_safe_told_met(told);
    for (size_t i = 0; i < met && i < TAC_SAFE_TOLD_LISTED; i++) {
        char text[640], others[96] = "";
        TacError error;
        const char *skin = tac_safe_told_text(told, i, text, sizeof text);
        if (i + 1 == TAC_SAFE_TOLD_LISTED && met > TAC_SAFE_TOLD_LISTED)
            snprintf(others, sizeof others, "; nor those of %zu other pairs of skins", met - i - 1);
        tac_compile_fail(c, model_of(c, skin), &error, "%s%s", text, others);
        tac_tree_message(c->scene, false, &error);
    }
}

static TacStatus hold_rehearsal(Rehearsal *r, TacError *error) {
    const TacWorld *world = r->c->world;
    r->actors = calloc(world->matter_count + 1, sizeof *r->actors);
    if (!r->actors) return tac_fail_memory(error, world->matter_count * sizeof *r->actors);
    for (size_t i = 0; i < world->matter_count; i++)
        TAC_TRY(take_actor(r->c, world->matters[i], &r->actors[i], error));
    rehearse(r);
    put_back(r);
    remark(r->c, r->told);
    return TAC_OK;
}

TacStatus tac_compile_told(TacCompile *c, TacError *error) {
    Rehearsal r = {.c = c};
    if (!c->world->safe) return TAC_OK;
    TAC_TRY(tac_safe_told_begin(c->world->safe, &r.told, error));
    TacStatus status = r.told ? hold_rehearsal(&r, error) : TAC_OK;
    free_actors(&r);
    tac_safe_told_end(r.told);
    return status;
}
