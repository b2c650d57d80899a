// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What all maps do at the end of their setting up, what several check at its beginning, and the list that
// lets threads add up forces in a fixed order.

#ifndef TACTUS_MAP_SETUP_H
#define TACTUS_MAP_SETUP_H

#include "tactus/component.h"

// Points per chunk of a loop over child points.
enum { TAC_MAP_GRAIN = 4096 };

// Fewer child points than this are not worth waking other threads for.
enum { TAC_MAP_TEAM_LEAST = 2000 };

// Items listed by whom they belong to: items[start[o]] .. items[start[o + 1] - 1] are those of o, ascending.
typedef struct TacOwned {
    uint32_t *start, *items;
} TacOwned;

// Item i, of `count`, belongs to owners[i].
TacStatus tac_owned_build(TacOwned *owned, TacSetup *setup, size_t owner_count, const int32_t *owners,
                          size_t count, TacError *error);

// Puts the child where it belongs, as it is and at rest.
void tac_map_place_child(TacMap *map);

// A block of J for maps that take numbers over with a weight.
void tac_map_scaled_identity(const TacMap *map, double weight, double *block);

// Refuses a parent and a child of different kinds.
TacStatus tac_map_check_same_kind(const TacMap *map, TacSetup *setup, TacError *error);

// Refuses the first number in a list that is not that of a point of `matter`.
TacStatus tac_map_check_points(TacSetup *setup, const char *attribute, TacInts points,
                               const TacMatter *matter, TacError *error);

#endif
