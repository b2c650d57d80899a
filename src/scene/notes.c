// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// See notes.h.

#include "scene/notes.h"

#include <stdio.h>

void tac_notes_error(TacNotes *notes, TacPlace place, const TacError *error) {
    TacError placed = *error;
    if (!placed.line && !placed.file[0])
        tac_fail_at(&placed, error->status, place.file, place.line, place.column, "%s", error->message);
    tac_tree_message(notes->scene, true, &placed);
    if (notes->worst != TAC_OK) return;
    notes->worst = placed.status == TAC_NO_MEMORY ? TAC_NO_MEMORY : TAC_BAD_INPUT;
    if (notes->first) *notes->first = placed;
}

static TacError placed_error(TacStatus status, TacPlace place, const char *format, va_list args) {
    char text[1024];
    TacError error;
    vsnprintf(text, sizeof text, format, args);
    tac_fail_at(&error, status, place.file, place.line, place.column, "%s", text);
    return error;
}

void tac_notes_complain(TacNotes *notes, TacPlace place, const char *format, va_list args) {
    TacError error = placed_error(TAC_BAD_INPUT, place, format, args);
    tac_notes_error(notes, place, &error);
}

void tac_notes_remark(TacNotes *notes, TacPlace place, const char *format, va_list args) {
    TacError error = placed_error(TAC_OK, place, format, args);
    tac_tree_message(notes->scene, false, &error);
}

void tac_notes_no_memory(TacNotes *notes) {
    if (notes->worst == TAC_NO_MEMORY) return;
    TacError error;
    tac_fail_memory(&error, 0);
    if (notes->worst == TAC_OK && notes->first) *notes->first = error;
    notes->worst = TAC_NO_MEMORY;
}
