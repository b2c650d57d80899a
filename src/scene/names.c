// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See names.h. Open addressing, linear probing, at most half full.

#include "scene/names.h"
#include "scene/tree.h"

static size_t hash(uint32_t node, const char *text, size_t length) {
    uint64_t h = 0xCBF29CE484222325ULL ^ node;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001B3ULL;
    h = (h ^ node) * 0x9E3779B97F4A7C15ULL;
    return (size_t)(h ^ h >> 32);
}

// The slot that has the name, or the empty one where it belongs.
static TacName *slot(const TacNames *names, uint32_t node, const char *text, size_t length) {
    size_t mask = names->capacity - 1;
    for (size_t i = hash(node, text, length) & mask;; i = (i + 1) & mask) {
        TacName *s = &names->slots[i];
        if (!s->text) return s;
        if (s->node == node && !strncmp(s->text, text, length) && !s->text[length]) return s;
    }
}

TacName *tac_names_find(const TacNames *names, uint32_t node, const char *text, size_t length) {
    if (!names->capacity) return NULL;
    TacName *s = slot(names, node, text, length);
    return s->text ? s : NULL;
}

static bool grow(TacNames *names) {
    TacNames bigger = {.capacity = names->capacity ? 2 * names->capacity : 64, .count = names->count};
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots) return false;
    for (size_t i = 0; i < names->capacity; i++) {
        const TacName *s = &names->slots[i];
        if (s->text) *slot(&bigger, s->node, s->text, strlen(s->text)) = *s;
    }
    free(names->slots);
    *names = bigger;
    return true;
}

TacName *tac_names_add(TacNames *names, uint32_t node, const char *text) {
    if (2 * (names->count + 1) > names->capacity && !grow(names)) return NULL;
    TacName *s = slot(names, node, text, strlen(text));
    if (s->text) return s;
    *s = (TacName){.text = text, .node = node, .child = TAC_NONE, .component = TAC_NONE, .next_fresh = 1};
    names->count++;
    return s;
}

void tac_names_destroy(TacNames *names) {
    free(names->slots);
    *names = (TacNames){0};
}
