// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See setup.h.

#include "map/setup.h"
#include "base/group.h"
#include "base/memory.h"

TacStatus tac_owned_build(TacOwned *owned, TacSetup *setup, size_t owner_count, const int32_t *owners,
                          size_t count, TacError *error) {
    if (count >= UINT32_MAX)
        return tac_setup_fail(setup, error, NULL, "has too many points: %zu weights", count);
    owned->start = tac_setup_alloc(setup, owner_count + 1, sizeof *owned->start);
    owned->items = tac_setup_alloc(setup, count, sizeof *owned->items);
    if (!owned->start || !owned->items) return tac_fail_memory(error, count * sizeof *owned->items);
    tac_group_items((const uint32_t *)owners, count, owner_count, owned->start, owned->items);
    return TAC_OK;
}

void tac_map_place_child(TacMap *map) {
    const TacContext context = {0};
    double *const *from = map->parent->vectors, *const *to = map->child->vectors;
    const TacMapOps *ops = map->base.cls->ops.map;
    ops->position(map, &context, from[TAC_X], to[TAC_X]);
    ops->position(map, &context, from[TAC_X_REST], to[TAC_X_REST]);
    ops->velocity(map, &context, from[TAC_X], to[TAC_X], from[TAC_V], to[TAC_V]);
}

void tac_map_scaled_identity(const TacMap *map, double weight, double *block) {
    int n = map->child->velocity_size;
    for (int i = 0; i < n * n; i++) block[i] = i % (n + 1) == 0 ? weight : 0;
}

TacStatus tac_map_check_same_kind(const TacMap *map, TacSetup *setup, TacError *error) {
    if (map->parent->kind == map->child->kind) return TAC_OK;
    return tac_setup_fail(setup, error, NULL, "%s is %s but %s, which it follows, is %s",
                          map->child->base.path, tac_matter_kind_name(map->child->kind),
                          map->parent->base.path, tac_matter_kind_name(map->parent->kind));
}

TacStatus tac_map_check_points(TacSetup *setup, const char *attribute, TacInts points,
                               const TacMatter *matter, TacError *error) {
    for (size_t i = 0; i < points.count; i++)
        if (points.data[i] < 0 || (size_t)points.data[i] >= matter->count)
            return tac_setup_fail(setup, error, attribute, "%s has no number %d; it has 0 to %zu",
                                  matter->base.path, points.data[i], matter->count - 1);
    return TAC_OK;
}
