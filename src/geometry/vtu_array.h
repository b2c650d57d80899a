// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// The DataArrays of VTK's XML files: numbers as text, or as bytes that are encoded or raw, compressed or not.
//
// Bytes start with a header of 4- or 8-byte integers: the number of bytes; or, compressed, the number of
// blocks, the size of a block, the size of the last one where it differs (else 0) and the compressed size of
// each. The caller always knows how many numbers there must be: anything else is refused before memory is
// taken, and a block may not come out longer than its header says, nor more than deflate can make of its
// bytes.

#ifndef TACTUS_GEOMETRY_VTU_ARRAY_H
#define TACTUS_GEOMETRY_VTU_ARRAY_H

#include "geometry/base64.h"
#include "geometry/mesh_scan.h"

// What the root element says about the whole file.
typedef struct TacVtuFormat {
    bool big_endian;
    bool wide_header; // 8-byte header
    bool compressed;  // zlib
} TacVtuFormat;

// Where an array's numbers stand and what they are.
typedef struct TacVtuSource {
    const char *file;
    int line;         // of the array's element
    const char *role; // "points", ...: for messages
    TacNumber kind;
    bool text;              // numbers as text; else bytes
    bool encoded;           // bytes in base64; else raw
    const char *data, *end; // data may run on behind the array; *end can be read
} TacVtuSource;

// Decoded numbers.
typedef struct TacVtuArray {
    unsigned char *bytes;
    size_t count;
    TacNumber kind;
    bool big_endian;
} TacVtuArray;

// Decodes exactly `count` numbers. *used grows by the bytes of the file that they took.
TacStatus tac_vtu_array_read(TacVtuArray *array, const TacVtuSource *source, const TacVtuFormat *format,
                             size_t count, size_t *used, TacError *error);
void tac_vtu_array_destroy(TacVtuArray *array);

static inline int64_t tac_vtu_array_int(const TacVtuArray *array, size_t i) {
    return tac_number_int(array->kind, array->bytes + i * tac_number_size(array->kind), array->big_endian);
}

static inline double tac_vtu_array_real(const TacVtuArray *array, size_t i) {
    return tac_number_real(array->kind, array->bytes + i * tac_number_size(array->kind), array->big_endian);
}

#endif
