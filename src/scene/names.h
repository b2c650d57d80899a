// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Who has which name in which node: a hash table, so that a node with a hundred thousand children is read as
// quickly as a hundred thousand nodes with one. Entries stay when their owner goes; a name given again reuses
// its entry.

#ifndef TACTUS_SCENE_NAMES_H
#define TACTUS_SCENE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TacName {
    const char *text;    // NULL: an empty slot
    uint32_t node;       // in which it is a name
    uint32_t child;      // the node that has it; TAC_NONE: none
    uint32_t component;  // the component that has it; TAC_NONE: none
    uint32_t next_fresh; // the number to try next when a name is made from this one
} TacName;

// A zeroed struct is an empty table.
typedef struct TacNames {
    TacName *slots;
    size_t capacity; // a power of two, or 0
    size_t count;
} TacNames;

// The entry of `length` bytes of a name in a node, or NULL. Valid until the next addition.
TacName *tac_names_find(const TacNames *names, uint32_t node, const char *text, size_t length);

// The entry, added where there is none; `text` must stay. NULL without memory.
TacName *tac_names_add(TacNames *names, uint32_t node, const char *text);

void tac_names_destroy(TacNames *names);

#endif
