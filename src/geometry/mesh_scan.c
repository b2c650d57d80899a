// SPDX-FileCopyrightText: The Tactus authors
// SPDX-License-Identifier: MIT

// Walking a mesh file that mixes text and binary: see mesh_scan.h.

#include "geometry/mesh_scan.h"

#include <string.h>

TacScan tac_scan(const TacMeshInput *input) {
    return (TacScan){.name = input->name,
                     .start = input->data,
                     .at = input->data,
                     .end = input->data + input->bytes,
                     .counted = input->data,
                     .line = 1};
}

int tac_scan_line(TacScan *scan) {
    if (scan->binary) return 0;
    while (scan->counted < scan->at) {
        const char *end = memchr(scan->counted, '\n', (size_t)(scan->at - scan->counted));
        if (!end) break;
        scan->counted = end + 1;
        if (scan->line < INT32_MAX) scan->line++;
    }
    return scan->line;
}

int tac_scan_column(const TacScan *scan) {
    if (scan->binary) return 0;
    const char *p = scan->at;
    while (p > scan->start && p[-1] != '\n') p--;
    size_t column = (size_t)(scan->at - p) + 1;
    return column < INT32_MAX ? (int)column : 0;
}

void tac_scan_blanks(TacScan *scan) {
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r')) scan->at++;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void tac_scan_space(TacScan *scan) {
    while (scan->at < scan->end && is_space(*scan->at)) scan->at++;
}

size_t tac_scan_word(TacScan *scan, const char **word) {
    tac_scan_space(scan);
    *word = scan->at;
    while (scan->at < scan->end && !is_space(*scan->at)) scan->at++;
    return (size_t)(scan->at - *word);
}

bool tac_scan_line_end(TacScan *scan) {
    tac_scan_blanks(scan);
    if (scan->at == scan->end) return true;
    if (*scan->at != '\n') return false;
    scan->at++;
    return true;
}

void tac_scan_skip_line(TacScan *scan) {
    const char *end = memchr(scan->at, '\n', tac_scan_left(scan));
    scan->at = end ? end + 1 : scan->end;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool tac_same_word(const char *word, size_t length, const char *text) {
    for (size_t i = 0; i < length; i++)
        if (!text[i] || lower(word[i]) != lower(text[i])) return false;
    return text[length] == 0;
}

size_t tac_number_size(TacNumber kind) {
    static const unsigned char sizes[TAC_NUMBER_KINDS] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[kind];
}

bool tac_number_is_real(TacNumber kind) {
    return kind == TAC_FLOAT32 || kind == TAC_FLOAT64;
}

static uint64_t load_bits(const void *bytes, size_t size, bool big_endian) {
    const unsigned char *p = bytes;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) bits = bits << 8 | p[big_endian ? i : size - 1 - i];
    return bits;
}

// Casts through the unsigned type of the same size wrap as every compiler we use defines it.
static int64_t int_of_bits(TacNumber kind, uint64_t bits) {
    switch (kind) {
    case TAC_INT8: return (int8_t)(uint8_t)bits;
    case TAC_INT16: return (int16_t)(uint16_t)bits;
    case TAC_INT32: return (int32_t)(uint32_t)bits;
    case TAC_UINT64: return bits > INT64_MAX ? -1 : (int64_t)bits;
    default: return (int64_t)bits;
    }
}

static double real_of_bits(TacNumber kind, uint64_t bits) {
    if (kind == TAC_FLOAT32) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t tac_number_int(TacNumber kind, const void *bytes, bool big_endian) {
    uint64_t bits = load_bits(bytes, tac_number_size(kind), big_endian);
    if (!tac_number_is_real(kind)) return int_of_bits(kind, bits);
    double value = real_of_bits(kind, bits);
    return value > -9e18 && value < 9e18 ? (int64_t)value : -1;
}

double tac_number_real(TacNumber kind, const void *bytes, bool big_endian) {
    uint64_t bits = load_bits(bytes, tac_number_size(kind), big_endian);
    if (kind == TAC_UINT64) return (double)bits;
    return tac_number_is_real(kind) ? real_of_bits(kind, bits) : (double)int_of_bits(kind, bits);
}
