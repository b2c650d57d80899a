// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the layers between two materials are like, and how often they tick. Two skins of which one implicit solver moves all
// that can be moved have layers that are *foreseen*: the solver knows what they will do, and takes most of what finer clocks
// would be true to. Theirs tick half as often. Not those between two solvers, where each may have to guess what the other does; nor those
// on what is stiff: between two pushes single points of it would be bent too far. Nor where something else that moves may lie
// on it: layers that tick in turn shake what is under a load, as kicks come in step with one of them at best.

#include "contact/safe_parts.h"

#include <stdlib.h>

// Between two pushes what rests falls: by half of this it seems to move, up and down, though it goes nowhere.
static const double QUIET = 1.6e-3; // m/s

// The most by which something that can be pushed falls by itself, m/s^2.
static double most_fall(const TacSafeDef *def) {
    double fall = 0;
    for (size_t i = 0; i < def->support_count; i++) {
        const TacSafeSupport *s = &def->supports[i];
        if (s->bound > 0) fall = fmax(fall, tac_norm(tac_matter_fall(s->matter, s->index)));
    }
    return fall;
}

// All that a type follows from.
typedef struct Kind {
    TacSafeContact contact;
    bool balls, foreseen;
    size_t place; // in type_of
} Kind;

static int compare_numbers(double a, double b) {
    return (a > b) - (a < b);
}

static int compare(const void *first, const void *second) {
    const Kind *a = first, *b = second;
    int order = compare_numbers(a->contact.thickness, b->contact.thickness);
    if (!order) order = compare_numbers(a->contact.v_ref, b->contact.v_ref);
    if (!order) order = compare_numbers(a->contact.restitution, b->contact.restitution);
    if (!order) order = compare_numbers(a->contact.friction, b->contact.friction);
    if (!order) order = a->contact.excluded - b->contact.excluded;
    if (!order) order = a->balls - b->balls;
    return order ? order : a->foreseen - b->foreseen;
}

// Many pairs share a vertex of a mesh: a class finer, unless each impact loses energy anyway.
static int finer_by(const Kind *kind) {
    if (kind->contact.restitution < 1) return kind->foreseen ? -1 : 0;
    return kind->balls ? 0 : 1;
}

static TacStatus make_type(TacSafe *safe, const TacSafeDef *def, const Kind *kind, double fall,
                           TacPairType *t, TacError *error) {
    const TacSafeContact *c = &kind->contact;
    if (!(c->v_ref <= 1e5))
        return tac_fail(error, TAC_BAD_INPUT, "speed is that of usual impacts, at most 1e5 m/s, not %g m/s",
                        c->v_ref);
    if (!(c->thickness <= TAC_LAYERS_LONGEST * c->v_ref))
        return tac_fail(error, TAC_BAD_INPUT,
                        "a thickness of %g m at impacts of %g m/s: contacts would last longer than %g s",
                        c->thickness, c->v_ref, TAC_LAYERS_LONGEST);
    if (!tac_layers_init(&t->layers, def->base, c->thickness, c->v_ref, finer_by(kind), QUIET / fall))
        return tac_fail(error, TAC_BAD_INPUT,
                        "a thickness of %g m at impacts of %g m/s needs steps below one tick (%g s)",
                        c->thickness, c->v_ref, def->base.tick);
    t->restitution = c->restitution;
    t->friction = c->friction;
    safe->rough = safe->rough || c->friction > 0;
    t->excluded = c->excluded;
    t->v_ref = c->v_ref;
    double weight = def->gravity > 0 ? def->gravity : fall;
    t->v_rest = tac_layers_rest_speed(&t->layers, weight);
    t->weightless = !(weight > 0);
    t->growth = 0.01 * c->v_ref / c->thickness;
    if (c->excluded) return TAC_OK;
    safe->most_eta = fmax(safe->most_eta, c->thickness);
    safe->most_speed = fmax(safe->most_speed, c->v_ref);
    return TAC_OK;
}

// Kinds in the order of what they follow from: those that are alike are one type.
static size_t number(TacSafe *safe, Kind *kinds, size_t count) {
    size_t types = 0;
    qsort(kinds, count, sizeof *kinds, compare);
    for (size_t i = 0; i < count; i++) {
        types += !i || compare(&kinds[i - 1], &kinds[i]);
        safe->type_of[kinds[i].place] = (uint16_t)(types - 1);
    }
    return types;
}

static TacStatus take_kinds(TacSafe *safe, const TacSafeDef *def, Kind *kinds, size_t count,
                            TacError *error) {
    double fall = most_fall(def);
    size_t types = number(safe, kinds, count);
    if (types > UINT16_MAX)
        return tac_fail(error, TAC_BAD_INPUT, "%zu different contacts between materials; at most %d", types,
                        UINT16_MAX);
    safe->types = tac_arena_array(&safe->arena, types + 1, sizeof *safe->types);
    if (!safe->types) return tac_fail_memory(error, types * sizeof *safe->types);
    for (size_t i = 0; i < count; i++) {
        if (i && !compare(&kinds[i - 1], &kinds[i])) continue;
        TacPairType *type = &safe->types[safe->type_of[kinds[i].place]];
        TAC_TRY(make_type(safe, def, &kinds[i], fall, type, error));
    }
    return TAC_OK;
}

// What is of a material is balls, all of it.
static void find_balls(const TacSafeDef *def, bool *balls) {
    for (size_t i = 0; i < def->material_count; i++) balls[i] = true;
    for (size_t s = 0; s < def->skin_count; s++)
        if (!def->skins[s].balls) balls[def->skins[s].material] = false;
}

// Whether a skin may touch what somebody else moves.
static bool meets_others(const TacSafe *safe, const TacSafeDef *def, const TacSafeSkin *skin) {
    for (size_t i = 0; i < def->skin_count; i++) {
        const TacSafeSkin *other = &def->skins[i];
        bool moves = other->solver != TAC_SAFE_BY_NONE && other->solver != skin->solver;
        if (moves && tac_safe_skins_meet(safe, skin, other)) return true;
    }
    return false;
}

// A solver foresees nothing alone where others may touch what it moves.
static void find_foreseen(TacSafe *safe, const TacSafeDef *def) {
    for (size_t i = 0; i < def->skin_count; i++)
        if (def->skins[i].solver >= TAC_SAFE_BY_SOLVERS && meets_others(safe, def, &def->skins[i]))
            safe->skins[i].solver = TAC_SAFE_BY_ANY;
}

TacStatus tac_safe_take_types(TacSafe *safe, const TacSafeDef *def, TacError *error) {
    size_t m = def->material_count, count = 2 * m * m;
    safe->material_count = m;
    safe->type_of = tac_arena_array(&safe->arena, count + 1, sizeof *safe->type_of);
    Kind *kinds = calloc(count + 1, sizeof *kinds);
    bool *balls = calloc(m + 1, sizeof *balls);
    TacStatus status = TAC_OK;
    if (!safe->type_of || !kinds || !balls) {
        status = tac_fail_memory(error, count * sizeof *kinds);
    } else {
        find_balls(def, balls);
        for (size_t i = 0; i < count; i++)
            kinds[i] = (Kind){.contact = def->contacts[i / 2],
                              .balls = balls[i / 2 / m] && balls[i / 2 % m],
                              .foreseen = i % 2 == 1,
                              .place = i};
        status = take_kinds(safe, def, kinds, count, error);
    }
    if (status == TAC_OK) find_foreseen(safe, def);
    free(kinds);
    free(balls);
    return status;
}

uint16_t tac_safe_type(const TacSafe *safe, const TacSafeSkin *a, const TacSafeSkin *b) {
    const double soft = 0.25; // rad, from one push to the next
    bool walls = a->solver == TAC_SAFE_BY_NONE || b->solver == TAC_SAFE_BY_NONE;
    bool foreseen = a->solver && b->solver && (walls || a->solver == b->solver);
    const uint16_t *types =
        &safe->type_of[2 * ((size_t)a->material * safe->material_count + (size_t)b->material)];
    double swing = fmax(a->swing, b->swing) * safe->types[types[1]].layers.period[0];
    return types[foreseen && swing <= soft];
}
