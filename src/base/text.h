// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Text helpers: numbers read strictly and independently of the locale, the nearest name for error messages,
// whole files read with a limit, and files written beside and renamed.

#ifndef TACTUS_BASE_TEXT_H
#define TACTUS_BASE_TEXT_H

#include "tactus/base.h"

#include <stdio.h>

// Reads a number at *cursor (after blanks) and moves the cursor behind it. Accepts what strtod accepts in the
// C locale except hexadecimal; NaN and infinity are refused. False, cursor unmoved, when there is none.
bool tac_read_real(const char **cursor, const char *end, double *value);
bool tac_read_int(const char **cursor, const char *end, int64_t *value);

// "0.1" with `digits` digits (at most 17; 0: the fewest of 15 and 17 that read back the same). The point is a
// point in every locale. Returns the length.
enum { TAC_REAL_TEXT = 40 };
int tac_real_text(char text[TAC_REAL_TEXT], double value, int digits);
void tac_print_real(FILE *stream, double value, int digits);

// The candidate nearest to `name` by edits (insertions, deletions, changes, swaps; case is cheap), or NULL
// when none is near enough to be worth proposing.
const char *tac_nearest(const char *name, const char *const *candidates, size_t count);

// Fails because a file could not be opened, for the reason of errno; where it is not there, names the nearest file beside it.
TacStatus tac_fail_to_open(const char *path, int reason, TacError *error);

// Reads a whole regular file, with a 0 byte appended that is not counted. Refuses folders, devices, and files
// of more than `limit` bytes. The caller frees *data.
TacStatus tac_read_whole_file(const char *path, size_t limit, char **data, size_t *bytes, TacError *error);

// Opens a temporary file beside `path`; finishing flushes, syncs and renames it over `path` (or removes it
// when `keep` is false or a write failed). Between the two nothing is seen at `path`.
typedef struct TacFileWriter {
    FILE *stream;
    char path[4096];
    char temporary[4128];
} TacFileWriter;

TacStatus tac_file_writer_open(TacFileWriter *writer, const char *path, TacError *error);
TacStatus tac_file_writer_finish(TacFileWriter *writer, bool keep, TacError *error);

#endif
