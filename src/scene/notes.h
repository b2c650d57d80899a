// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// What the readers of other people's files (CORDIS-ANIMA, SOFA) say while they read: errors and remarks with their
// place go to the scene, reading goes on, and the first error is what the caller gets.

#ifndef TACTUS_SCENE_NOTES_H
#define TACTUS_SCENE_NOTES_H

#include "scene/tree.h"

#include <stdarg.h>

typedef struct TacNotes {
    TacScene *scene;
    TacStatus worst; // of everything so far
    TacError *first; // receives the first error; NULL: nobody wants it
} TacNotes;

// An error of a call; it gets the place where it knows none.
void tac_notes_error(TacNotes *notes, TacPlace place, const TacError *error);

void tac_notes_complain(TacNotes *notes, TacPlace place, const char *format, va_list args);
void tac_notes_remark(TacNotes *notes, TacPlace place, const char *format, va_list args);
void tac_notes_no_memory(TacNotes *notes);

#endif
