// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Levels (agent/levels.h) while time runs: when they choose, when they change, what is seen of idle models, and who
// looks at them. Where somebody looks is, in this order: the camera of a live view (an input, so logged and saved),
// or the scene's ViewPath; nobody, where there is neither.

#ifndef TACTUS_WORLD_LEVELS_H
#define TACTUS_WORLD_LEVELS_H

#include "agent/levels.h"
#include "tactus/world.h"
#include "time/ticks.h"

typedef struct TacViewPath {
    TacComponent base;
    TacReals times, eyes, targets;
    double field_of_view; // deg
} TacViewPath;

typedef struct TacWorldLevels {
    TacLevels **list;
    size_t count;
    uint32_t *of_component;  // by component: which of the list it stands below, from 1; 0: none
    const TacViewPath *path; // NULL: none
    double half_angle;       // rad, of the view's height
    // scratch
    TacLevels **due;
    TacAttention *attention;
    double *seconds; // by Levels: of kicks before the last one
} TacWorldLevels;

struct TacTicker;

extern const TacClass tac_view_path_class;

// Whether it works on matter that is idle.
bool tac_ticker_is_idle(const struct TacTicker *ticker);

// At the beginning of an instant, when matter has arrived: changes of level that were wanted.
void tac_world_change_levels(TacWorld *world, TacTick now);

// At its end, when velocities are kicked: what is wanted from here on.
void tac_world_choose_levels(TacWorld *world);

// In worlds without instants: the Levels of which an agent is a model (NULL: none), and what that wants from `now` on.
TacLevels *tac_world_levels_of(const TacWorld *world, uint32_t ticker);
void tac_world_choose_model(TacWorld *world, TacLevels *levels, TacTick now);

// Brings what is shown of idle models to where the living ones are shown.
void tac_world_show_levels(TacWorld *world);

#endif
