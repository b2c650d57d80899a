// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Pages made of pieces of text and handed to a TacSink: what the reference and the schema share. Once the
// sink has refused a piece, nothing more is sent.

#ifndef TACTUS_SCENE_SINK_H
#define TACTUS_SCENE_SINK_H

#include "tactus/scene.h"

typedef struct TacPage {
    TacSink sink;
    void *data;
    bool stopped;
} TacPage;

// Sends `count` texts one after the other; NULL stands for "".
void tac_page_texts(TacPage *page, const char *const *texts, size_t count);

// tac_page_put(page, "a", b, "c"): texts as they are.
#define tac_page_put(page, ...)                                                                              \
    tac_page_texts(page, (const char *const[]){__VA_ARGS__},                                                 \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

// Sends a text in which each byte that stands in `special` is replaced: replacements[i] for special[i].
void tac_page_escaped(TacPage *page, const char *text, const char *special, const char *const *replacements);

// Calls `each` with every choice of "a|b|c", the number of it and `data`.
void tac_each_choice(const char *choices, void (*each)(void *data, const char *name, size_t length, size_t i),
                     void *data);

#endif
