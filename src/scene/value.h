// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Values of attributes: text made typed, with the place it came from, and written into a component's field.

#ifndef TACTUS_SCENE_VALUE_H
#define TACTUS_SCENE_VALUE_H

#include "base/memory.h"
#include "tactus/component.h"

// Where something stands. A zeroed place is nowhere (made through the API).
typedef struct TacPlace {
    const char *file;
    int line, column;
} TacPlace;

typedef struct TacValue {
    bool given;
    TacPlace place;      // of the first character of the value
    const char *link;    // behind the @, when it is a link; then nothing below is set
    const char *text;    // TAC_TEXT, TAC_PATH
    int64_t integer;     // TAC_BOOL, TAC_INT, TAC_CHOICE
    const double *reals; // TAC_REAL, TAC_VECTOR, TAC_REALS
    const int32_t *ints; // TAC_INTS
    size_t count;        // of reals or ints
} TacValue;

// Bytes of the field that receives an attribute of this type; 0: there is no such type.
size_t tac_type_size(TacType type);

// Reads `text` as a value of this attribute. Memory comes from the arena. On failure the error has the place
// of the offending character. `folder` is what paths are relative to ("" for the current one).
TacStatus tac_value_parse(TacArena *arena, const TacAttribute *attribute, const char *text, TacPlace place,
                          const char *folder, TacValue *value, TacError *error);

// Numbers given through the API: checked as text would be.
TacStatus tac_value_from_reals(TacArena *arena, const TacAttribute *attribute, const double *values,
                               size_t count, TacValue *value, TacError *error);
TacStatus tac_value_from_ints(TacArena *arena, const TacAttribute *attribute, const int32_t *values,
                              size_t count, TacValue *value, TacError *error);

// Writes a value that is not a link into the field at the attribute's offset.
void tac_value_store(const TacAttribute *attribute, const TacValue *value, void *component);

// What was expected where the stored value is not what the attribute allows (as a link may bring it); NULL
// where it is.
const char *tac_value_unfit(const TacAttribute *attribute, const void *component);

const char *tac_type_name(TacType type); // "number", "list of numbers", ...

#endif
