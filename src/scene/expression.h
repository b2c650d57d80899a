// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Parameters in attribute values: "${name}" and arithmetic on them, "${2*n + 1}".

#ifndef TACTUS_SCENE_EXPRESSION_H
#define TACTUS_SCENE_EXPRESSION_H

#include "scene/tree.h"

typedef struct TacScope {
    TacParameter *parameters;
    size_t count;
    size_t *expanded; // bytes that ${...} have come to so far, of all files of a scene
} TacScope;

// Replaces every ${...} in `text`, once: what a parameter holds is not looked into. *result is `text` itself
// when there is none, else from the arena. The error has no place.
TacStatus tac_expand(TacArena *arena, const TacScope *scope, const char *text, const char **result,
                     TacError *error);

#endif
