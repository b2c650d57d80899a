// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

#include "world/look.h"
#include "base/memory.h"
#include "contact/safe_look.h"
#include "world/loose.h"

// --- sheets -----------------------------------------------------------------------------------------------

TacStatus tac_scalar_sheet_create(TacScalarSheet **out, const TacWorld *world, TacError *error) {
    TacScalarSheet *s = *out = calloc(1, sizeof *s);
    if (!s) return tac_fail_memory(error, sizeof *s);
    s->world = world;
    s->matters = world->matters;
    s->component_count = world->component_count;
    for (size_t i = 0; i < world->matter_count; i++) s->point_count += world->matters[i]->count;
    s->values = calloc(s->point_count + 1, sizeof *s->values);
    s->first = calloc(world->matter_count + 1, sizeof *s->first);
    s->given = calloc(world->matter_count + 1, sizeof *s->given);
    s->matter = malloc((world->component_count + 1) * sizeof *s->matter);
    if (!s->values || !s->first || !s->given || !s->matter) {
        tac_scalar_sheet_destroy(s);
        *out = NULL;
        return tac_fail_memory(error, 0);
    }
    for (size_t i = 0; i < world->component_count; i++) s->matter[i] = UINT32_MAX;
    for (size_t i = 0; i < world->matter_count; i++) {
        s->first[i + 1] = s->first[i] + world->matters[i]->count;
        if (world->matters[i]->base.index < world->component_count)
            s->matter[world->matters[i]->base.index] = (uint32_t)i;
    }
    return TAC_OK;
}

void tac_scalar_sheet_destroy(TacScalarSheet *s) {
    if (!s) return;
    free(s->values);
    free(s->first);
    free(s->given);
    free(s->matter);
    free(s);
}

const float *tac_scalar_sheet_values(const TacScalarSheet *s, size_t matter) {
    return s->given[matter] ? s->values + s->first[matter] : NULL;
}

static void take_layer(void *data, const TacMatter *m, uint32_t point, double layer) {
    float *to = tac_scalar_sheet_of(data, m);
    if (to) tac_scalar_raise(to + point, layer);
}

// The weight of a parent's point or frame, where a block takes velocities (not how fast a frame turns) as a multiple of
// themselves; NaN elsewhere.
static double weight_of(const double *block, size_t rows, size_t columns) {
    size_t n = rows < 3 ? rows : 3;
    if (columns < n) return NAN;
    for (size_t i = 0; i < n * n; i++) {
        double value = block[i / n * columns + i % n];
        if (i / n == i % n ? value != block[0] : value != 0) return NAN;
    }
    return block[0];
}

static void follow(TacScalarSheet *s, TacMap *map) {
    const TacMatter *parent = map->parent, *child = map->child;
    const TacMapOps *ops = map->base.cls->ops.map;
    uint32_t p = s->matter[parent->base.index], c = s->matter[child->base.index];
    if (p == UINT32_MAX || c == UINT32_MAX || !s->given[p] || s->given[c] || !ops->jacobian) return;
    const float *from = s->values + s->first[p];
    float *to = s->values + s->first[c];
    for (size_t i = 0; i < child->count; i++) {
        double block[36], sum = 0;
        size_t at;
        for (size_t k = 0;
             ops->jacobian(map, parent->vectors[TAC_X_SHOWN], child->vectors[TAC_X_SHOWN], i, k, &at, block);
             k++)
            sum += weight_of(block, (size_t)child->velocity_size, (size_t)parent->velocity_size) *
                   (double)from[at];
        if (isnan(sum)) return;
        to[i] = (float)sum;
    }
    s->given[c] = 1;
}

bool tac_scalar_sheet_fill(TacScalarSheet *s, int what) {
    const TacWorld *w = s->world;
    memset(s->values, 0, s->point_count * sizeof *s->values);
    memset(s->given, 0, w->matter_count);
    for (size_t i = 0; i < w->component_count && what < TAC_SCALARS; i++)
        if (w->components[i]->cls->scalars)
            w->components[i]->cls->scalars(w->components[i], (TacScalar)what, s);
    if (what == TAC_SCALAR_LAYER && w->safe) tac_safe_look_layers(w->safe, w->now, take_layer, s);
    for (size_t i = 0; i < w->all.map_count; i++) follow(s, w->all.maps[i]);
    for (size_t i = 0; i < w->matter_count; i++)
        if (s->given[i]) return true;
    return false;
}

bool tac_world_can_show(const TacWorld *world, int what) {
    if (what == TAC_SCALAR_LAYER) return world->safe != NULL;
    TacScalarSheet *sheet;
    if (tac_scalar_sheet_create(&sheet, world, NULL) != TAC_OK) return false;
    bool any = tac_scalar_sheet_fill(sheet, what);
    tac_scalar_sheet_destroy(sheet);
    return any;
}

// --- other things -----------------------------------------------------------------------------------------

size_t tac_world_nodes(const TacWorld *world, TacNodeMark *marks, size_t most) {
    size_t n = 0;
    for (size_t i = 0; i < world->component_count; i++) {
        const TacComponent *c = world->components[i];
        if (c->cls->nodes) n += c->cls->nodes(c, n < most ? marks + n : NULL, n < most ? most - n : 0);
    }
    return n;
}

bool tac_world_sleeps(const TacWorld *world, size_t matter) {
    uint32_t owner = world->hands.owner[matter];
    return owner != UINT32_MAX && tac_world_agent(world, owner).resting;
}
