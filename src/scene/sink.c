// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See sink.h.

#include "scene/sink.h"

#include <string.h>

static void send(TacPage *page, const char *text, size_t length) {
    if (!page->stopped && length) page->stopped = !page->sink(page->data, text, length);
}

void tac_page_texts(TacPage *page, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (texts[i]) send(page, texts[i], strlen(texts[i]));
}

void tac_page_escaped(TacPage *page, const char *text, const char *special, const char *const *replacements) {
    while (text && *text) {
        size_t plain = strcspn(text, special);
        send(page, text, plain);
        text += plain;
        if (!*text) return;
        const char *replacement = replacements[strchr(special, *text++) - special];
        send(page, replacement, strlen(replacement));
    }
}

void tac_each_choice(const char *choices, void (*each)(void *data, const char *name, size_t length, size_t i),
                     void *data) {
    for (size_t i = 0; choices && *choices; i++) {
        size_t length = strcspn(choices, "|");
        each(data, choices, length, i);
        choices += length + (choices[length] == '|');
    }
}
