// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Some points of matter: listed by number, or by boxes around where they are at rest, or both.

#ifndef TACTUS_CONSTRAINT_SELECTION_H
#define TACTUS_CONSTRAINT_SELECTION_H

#include "tactus/component.h"

typedef struct TacSelection {
    TacInts points; // as given
    TacReals box;
    int32_t *list; // what they come to, each point once: in the order given, then those in boxes ascending
    size_t count;
} TacSelection;

#define TAC_SELECTION_ATTRIBUTES(Type, field, otherwise)                                                     \
    {.name = "points",                                                                                       \
     .type = TAC_INTS,                                                                                       \
     .offset = offsetof(Type, field.points),                                                                 \
     .unit = "1",                                                                                            \
     .initial = "",                                                                                          \
     .doc = "Numbers of points or frames, from 0" otherwise,                                                 \
     .range = TAC_NOT_NEGATIVE},                                                                             \
    {                                                                                                        \
        .name = "box", .type = TAC_REALS, .offset = offsetof(Type, field.box), .unit = "m", .initial = "",   \
        .doc = "Low and high corner, 6 numbers for each box: adds the points that are inside at rest.",      \
        .range = TAC_ANY                                                                                     \
    }

// Makes the list. Without points and box: all points, or a message, as `all_by_default` says.
TacStatus tac_selection_find(TacSelection *selection, TacSetup *setup, const TacMatter *matter,
                             bool all_by_default, TacError *error);

// Marks what is held (TAC_HELD_... bits) of the selected points, taking memory for the marks where the matter
// has none yet.
TacStatus tac_selection_hold(const TacSelection *selection, TacSetup *setup, TacMatter *matter, unsigned what,
                             TacError *error);

// The place of a point or frame in space; numbers that it lacks are 0.
TacVec3 tac_place_of(const TacMatter *matter, const double *x, size_t point);

#endif
