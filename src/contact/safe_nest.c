// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Nests of pairs that are nearer than their thickness: neighbours in a fine mesh, which may stay so, and pairs that
// began so. With layers of the full thickness the latter would start thousands of layers deep. A nest as thin as the
// pair's first gap starts with no force at all; it then grows, slowly against the speed that layers are made for, so
// that what rests on it is lifted without a jump, and every pair has the thickness that the scene asks for before
// long. A nest that is pressed together does not grow: where there is no room, none is made.
//
// 1. The scale of a nest is a function of time between two kicks of its pair, and changes otherwise only by a kick.
//    So nobody who merely looks can change it.
// 2. It never shrinks. A pair that is looked at with the shift of a smaller nest is looked at too often, not too
//    rarely; certificates take the limits of the largest nest that a shift allows.

#include "contact/safe_parts.h"

static const double deep = 0.6; // of the thickness: there, about seven layers are live

// --- the list ---------------------------------------------------------------------------------------------

static size_t slot_of(uint64_t key, size_t size) {
    key = (key ^ (key >> 31)) * 0x9E3779B97F4A7C15ULL;
    return (size_t)(key >> 20) & (size - 1);
}

static uint32_t find_born(const TacSafe *safe, uint64_t key) {
    if (!safe->born_size) return TAC_SAFE_NONE;
    size_t mask = safe->born_size - 1;
    for (size_t i = slot_of(key, safe->born_size); safe->born_table[i]; i = (i + 1) & mask)
        if (safe->born[safe->born_table[i] - 1].key == key) return safe->born_table[i] - 1;
    return TAC_SAFE_NONE;
}

static void enter(uint32_t *table, size_t size, uint64_t key, uint32_t index) {
    size_t i = slot_of(key, size);
    while (table[i]) i = (i + 1) & (size - 1);
    table[i] = index + 1;
}

static bool note_born(TacSafe *safe, const TacBorn *born) {
    if (!tac_grow(&safe->born, &safe->born_capacity, safe->born_count + 1, sizeof *safe->born)) return false;
    if (2 * (safe->born_count + 1) >= safe->born_size) {
        size_t size = safe->born_size ? 2 * safe->born_size : 256;
        uint32_t *table = calloc(size, sizeof *table);
        if (!table) return false;
        for (size_t i = 0; i < safe->born_count; i++) enter(table, size, safe->born[i].key, (uint32_t)i);
        free(safe->born_table);
        safe->born_table = table;
        safe->born_size = size;
    }
    enter(safe->born_table, safe->born_size, born->key, (uint32_t)safe->born_count);
    safe->born[safe->born_count++] = *born;
    return true;
}

// --- one pair ---------------------------------------------------------------------------------------------

TacNest tac_safe_nest(const TacSafe *safe, const TacPair *p, TacTick now) {
    TacNest grown = tac_nest_halved(p->rest);
    if (p->born == TAC_SAFE_NONE) return grown;
    const TacBorn *b = &safe->born[p->born];
    double scale = b->scale;
    if (!b->held) scale += safe->types[p->type].growth * tac_safe_seconds(safe, now - b->tick);
    return scale < grown.scale ? tac_nest(scale) : grown;
}

// Neighbours in a fine mesh lie nearer than eta at rest: they may stay so.
static uint8_t rest_shift(const TacSafe *safe, const TacPair *p, double eta) {
    uint32_t v[4];
    int side, n = tac_safe_vertices(safe, p, v, &side);
    double q[4][3];
    if (safe->primitives[p->a].skin != safe->primitives[p->b].skin) return 0;
    for (int i = 0; i < n; i++) {
        const double *rest = safe->vertices[v[i]].rest;
        if (!rest) return 0;
        memcpy(q[i], rest, sizeof q[i]);
    }
    double gap = tac_safe_closest(safe, p, q).distance - tac_safe_pair_radius(safe, p);
    uint8_t halvings = 0;
    while (gap > 0 && halvings < 40 && ldexp(eta, -halvings) > gap) halvings++;
    return halvings;
}

static void take_shift(TacPair *p, TacNest nest) {
    bool grows = nest.scale < tac_nest_halved(p->rest).scale;
    p->shift = (uint16_t)(grows ? tac_nest_growing(nest) : nest.shift);
}

TacStatus tac_safe_take_nest(TacSafe *safe, TacPair *p, double gap, TacTick now, TacError *error) {
    double eta = safe->types[p->type].layers.eta1;
    p->rest = rest_shift(safe, p, eta);
    p->born = find_born(safe, tac_safe_key(p->a, p->b));
    if (safe->starting && p->born == TAC_SAFE_NONE && gap < eta * tac_nest_halved(p->rest).scale) {
        TacBorn born = {.key = tac_safe_key(p->a, p->b), .scale = fmax(gap / eta, 0x1p-40), .tick = now};
        p->born = (uint32_t)safe->born_count;
        if (!note_born(safe, &born)) return tac_fail_memory(error, 0);
    }
    take_shift(p, tac_safe_nest(safe, p, now));
    return TAC_OK;
}

TacStatus tac_safe_follow_nest(TacSafe *safe, uint32_t id, TacTick now, TacError *error) {
    TacPair *p = &safe->pairs[id];
    if (!(p->shift & TAC_NEST_GROWS)) return TAC_OK;
    uint16_t before = p->shift;
    take_shift(p, tac_safe_nest(safe, p, now));
    if (p->armed < 0 || !((p->shift ^ before) & TAC_NEST_SHIFT)) return TAC_OK;
    int e = tac_layers_class(&safe->types[p->type].layers, p->shift, p->armed);
    return tac_ruler_move(&safe->ruler, id, e, error);
}

void tac_safe_feel_nest(TacSafe *safe, const TacPair *p, TacNest nest, double gap, TacTick now) {
    if (p->born == TAC_SAFE_NONE) return;
    TacBorn *b = &safe->born[p->born];
    b->scale = nest.scale;
    b->tick = now;
    b->held = gap < deep * nest.scale * safe->types[p->type].layers.eta1;
}

// --- saving -----------------------------------------------------------------------------------------------

size_t tac_safe_nest_bytes(const TacSafe *safe) {
    return safe->born_count * sizeof *safe->born;
}

void tac_safe_save_nests(const TacSafe *safe, void *to) {
    if (safe->born_count) memcpy(to, safe->born, tac_safe_nest_bytes(safe));
}

// A scene begins the same way every time: the pairs are the same ones.
bool tac_safe_restore_nests(TacSafe *safe, const void *from) {
    for (size_t i = 0; i < safe->born_count; i++) {
        TacBorn b;
        memcpy(&b, (const char *)from + i * sizeof b, sizeof b);
        if (b.key != safe->born[i].key || !(b.scale >= 0x1p-40 && b.scale <= 1) || b.tick < 0 || b.held > 1)
            return false;
        safe->born[i] = b;
    }
    return true;
}
