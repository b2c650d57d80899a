// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// A place in a mesh file that mixes text and binary, and the binary numbers found there.
//
// The Gmsh and VTK readers walk a file with a TacScan: it knows the line and the column of where it stands
// (for messages), counted only as far as somebody asks, so that the whole file is counted once. Numbers are
// loaded byte by byte, so neither alignment nor the byte order of the machine matters.

#ifndef TACTUS_GEOMETRY_MESH_SCAN_H
#define TACTUS_GEOMETRY_MESH_SCAN_H

#include "geometry/mesh_file.h"

typedef struct TacScan {
    const char *name;             // for messages
    const char *start, *at, *end; // *end is 0
    const char *counted;          // how far lines have been counted
    int line;                     // of `counted`
    bool binary;                  // lines mean nothing: messages carry none
} TacScan;

TacScan tac_scan(const TacMeshInput *input);
// 1-based line and column of `at`; 0 when binary.
int tac_scan_line(TacScan *scan);
int tac_scan_column(const TacScan *scan);

#define TAC_SCAN_FAIL(scan, error, ...)                                                                      \
    tac_fail_at((error), TAC_BAD_INPUT, (scan)->name, tac_scan_line(scan), tac_scan_column(scan), __VA_ARGS__)

static inline size_t tac_scan_left(const TacScan *scan) {
    return (size_t)(scan->end - scan->at);
}

// Blanks of one line; blanks and line ends.
void tac_scan_blanks(TacScan *scan);
void tac_scan_space(TacScan *scan);
// The next word after any space as [*word, *word + result); 0 at the end.
size_t tac_scan_word(TacScan *scan, const char **word);
// To the start of the next line; false where something other than blanks stands before it.
bool tac_scan_line_end(TacScan *scan);
void tac_scan_skip_line(TacScan *scan);
// Equal but for the case of ASCII letters, whatever the locale.
bool tac_same_word(const char *word, size_t length, const char *text);

// Numbers as files hold them.
typedef enum TacNumber {
    TAC_INT8,
    TAC_UINT8,
    TAC_INT16,
    TAC_UINT16,
    TAC_INT32,
    TAC_UINT32,
    TAC_INT64,
    TAC_UINT64,
    TAC_FLOAT32,
    TAC_FLOAT64,
    TAC_NUMBER_KINDS
} TacNumber;

size_t tac_number_size(TacNumber kind);
bool tac_number_is_real(TacNumber kind);
// A real is cut to an integer, or -1 where it does not fit; so is an unsigned number above INT64_MAX.
int64_t tac_number_int(TacNumber kind, const void *bytes, bool big_endian);
double tac_number_real(TacNumber kind, const void *bytes, bool big_endian);

#endif
